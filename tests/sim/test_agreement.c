/* Random automata: modes with their own linear dynamics, guards of all sides enabled by mode,
 * resets, a clock. There is no closed form, but every method and detector must tell the same story:
 * the same events in the same order at the same times, and the same end. */
#include <brink/jet.h>

#include "check.h"
#include "support/trace.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { STATES = 3, MODES = 3, GUARDS = 8, LEAVES = 3, ALL = GUARDS + LEAVES, AUTOMATA = 150 };

static const double T_END = 6.0;

typedef struct automaton {
  double a[MODES][STATES][STATES], b[MODES][STATES]; /* x' = a x + b */
  double c[ALL][STATES], offset[ALL];
  int formula[GUARDS][3];
  int to[GUARDS];         /* the mode after the event; -1: the same */
  int resets[GUARDS];     /* the state that is set; -1: none */
  double value[GUARDS];   /* to this */
  bool in[GUARDS][MODES]; /* enabled? */
} automaton;

static unsigned long long seed;
static double uniform(double low, double high) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}
static int random_below(int bound) {
  return (int)uniform(0.0, bound);
}

static int rhs(double t, const double *x, const brink_env *env, double *dx) {
  const automaton *au = env->user;
  int mode = env->mode[0];
  for (int i = 0; i < STATES; i++) {
    dx[i] = au->b[mode][i] + (i == 0 ? sin(1.3 * t) : 0.0);
    for (int j = 0; j < STATES; j++) dx[i] += au->a[mode][i][j] * x[j];
  }
  return 0;
}
static bool enabled(size_t guard, const brink_env *env) {
  const automaton *au = env->user;
  return guard >= GUARDS || au->in[guard][env->mode[0]];
}

/* c.x + x0 x1/2 + offset */
static int bent(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  const automaton *au = env->user;
  (void)t;
  *g = au->offset[guard] + 0.5 * x[0] * x[1];
  for (int i = 0; i < STATES; i++) *g += au->c[guard][i] * x[i];
  return 0;
}
static int bent_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                         double *dt) {
  const automaton *au = env->user;
  (void)t;
  for (int i = 0; i < STATES; i++) dx[i] = au->c[guard][i];
  dx[0] += 0.5 * x[1], dx[1] += 0.5 * x[0], *dt = 0.0;
  return 0;
}
static int bent_jet(size_t guard, int order, const double *t, const double *const *x,
                    const brink_env *env, double *g) {
  const automaton *au = env->user;
  double term[BRINK_JET_MAX_ORDER + 1];
  (void)t;
  brink_jet_mul(order, x[0], x[1], g);
  brink_jet_scale(order, g, 0.5, g);
  for (int i = 0; i < STATES; i++) {
    brink_jet_scale(order, x[i], au->c[guard][i], term);
    brink_jet_add(order, g, term, g);
  }
  g[0] += au->offset[guard];
  return 0;
}

/* Numbers, a polynomial, a jet, a gradient, or a formula. */
static void choose_kind(automaton *au, brink_guard_def *guard, size_t k) {
  int kind = k >= GUARDS ? 0 : random_below(6);
  if (kind <= 1) {
    guard->coefficients = au->c[k], guard->offset = au->offset[k];
    guard->time_coefficient = random_below(4) == 0 ? uniform(-0.3, 0.3) : 0.0;
  } else if (kind == 5) {
    for (int i = 0; i < 2; i++) au->formula[k][i] = GUARDS + (random_below(LEAVES) + i) % LEAVES;
    au->formula[k][2] = random_below(2) == 0 ? BRINK_AND : BRINK_OR;
    guard->formula = au->formula[k], guard->formula_length = 3;
  } else {
    guard->value = bent, guard->gradient = bent_gradient;
    if (kind < 4) guard->jet = bent_jet;
    if (kind == 2) guard->degree = 2;
  }
}

static int act(const brink_event *event, brink_now *now, void *user) {
  const automaton *au = user;
  if (au->to[event->guard] >= 0) now->mode[0] = au->to[event->guard];
  if (au->resets[event->guard] >= 0) now->x[au->resets[event->guard]] = au->value[event->guard];
  return 0;
}
static int kick(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)user;
  now->x[tick % STATES] *= -0.7;
  return 0;
}

static void make(automaton *au, brink_guard_def *guards, unsigned long long number) {
  seed = 999983 * number + 12345;
  for (int m = 0; m < MODES; m++)
    for (int i = 0; i < STATES; i++) {
      au->b[m][i] = uniform(-1.0, 1.0);
      for (int j = 0; j < STATES; j++)
        au->a[m][i][j] = uniform(-1.5, 1.5) - (i == j ? 1.0 : 0.0); /* turns, and dies away */
    }
  for (size_t k = 0; k < ALL; k++) {
    guards[k] = brink_default_guard("g");
    guards[k].side = BRINK_LEAF;
    au->offset[k] = uniform(-1.0, 1.0);
    for (int i = 0; i < STATES; i++) au->c[k][i] = uniform(-1.0, 1.0);
    choose_kind(au, &guards[k], k);
  }
  for (size_t k = 0; k < GUARDS; k++) {
    guards[k].side = (brink_side)random_below(3);
    guards[k].direction = (brink_direction)(random_below(3) - 1);
    guards[k].priority = random_below(3);
    guards[k].action = act;
    for (int m = 0; m < MODES; m++) au->in[k][m] = random_below(3) > 0;
    au->to[k] = random_below(2) == 0 ? random_below(MODES) : -1;
    au->resets[k] = random_below(3) == 0 ? random_below(STATES) : -1;
    au->value[k] = uniform(-1.0, 1.0);
    /* a unilateral surface must lead somewhere else */
    if (guards[k].side == BRINK_UNILATERAL && au->resets[k] < 0) au->resets[k] = 0;
  }
}

static void run_automaton(unsigned long long number, brink_method method, brink_events events,
                          double rtol, trace *out) {
  static automaton au;
  static const double x0[STATES] = {0.3, -0.2, 0.5};
  brink_guard_def guards[ALL];
  make(&au, guards, number);
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "kick", .period = 0.9, .offset = 0.45, .tick = kick};
  brink_model_def def = brink_default_model();
  def.nx = STATES, def.x0 = x0, def.nmodes = 1, def.rhs = rhs, def.enabled = enabled;
  def.nguards = ALL, def.guards = guards, def.nclocks = 1, def.clocks = &clock;
  def.user = &au;
  brink_options options = brink_default_options();
  options.method = method, options.events = events, options.audit = true;
  options.rtol = rtol, options.atol = rtol;
  options.near_miss = 1e-5 / rtol; /* an excuse to differ, below */
  options.max_steps = 200000;
  if (method > BRINK_DOPRI) options.step = 2e-3;
  trace_run(&def, &options, T_END, out);
}

/* Did the guard come so close at about t that one run may see what another does not? */
static bool excused(const trace *a, const trace *b, size_t guard, double t) {
  const trace *both[] = {a, b};
  for (int n = 0; n < 2; n++)
    for (size_t k = 0; k < both[n]->nmisses && k < TRACE_MISSES; k++)
      if (both[n]->misses[k].guard == guard && fabs(both[n]->misses[k].t - t) < 1e-2) return true;
  return false;
}

/* Where events of one guard follow each other within 1e-5, they accumulate or nearly do, and what
 * comes after is not comparable. */
static bool hurries(const trace *run, size_t k) {
  const brink_event *e = &run->events[k].event;
  for (size_t j = k; j > 0 && e->t - run->events[j - 1].event.t < 1e-5; j--)
    if (run->events[j - 1].event.guard == e->guard && run->events[j - 1].event.t < e->t)
      return true;
  return false;
}

/* Two events at one time: which comes first, and whether the second still happens after the first
 * one's action, is decided by rounding. */
static bool has_company(const trace *run, size_t k, double bound) {
  double t = run->events[k].event.t;
  return (k > 0 && t - run->events[k - 1].event.t <= bound) ||
         (k + 1 < run->nevents && k + 1 < TRACE_EVENTS && run->events[k + 1].event.t - t <= bound);
}

/* Compares up to the first difference that is excused. */
static void compare(unsigned long long number, const char *what, const trace *a, const trace *b,
                    double bound) {
  size_t count = a->nevents < b->nevents ? a->nevents : b->nevents;
  for (size_t k = 0; k < count && k < TRACE_EVENTS; k++) {
    const brink_event *e = &a->events[k].event, *f = &b->events[k].event;
    bool same = e->guard == f->guard && e->direction == f->direction && fabs(e->t - f->t) <= bound;
    bool swapped = has_company(a, k, bound) || has_company(b, k, bound);
    if (hurries(a, k) || hurries(b, k)) return;
    if (same) continue;
    if (swapped || excused(a, b, e->guard, e->t) || excused(a, b, f->guard, f->t)) return;
    CHECK_MSG(false,
              "automaton %llu, %s, event %zu: guard %zu (%+d) at %.10g, guard %zu (%+d) at "
              "%.10g",
              number, what, k, e->guard, (int)e->direction, e->t, f->guard, (int)f->direction,
              f->t);
    return;
  }
  if (a->nevents != b->nevents) {
    const brink_event *extra =
        a->nevents > count ? &a->events[count].event : &b->events[count].event;
    CHECK_MSG(count >= TRACE_EVENTS || excused(a, b, extra->guard, extra->t) ||
                  extra->t > T_END - bound || a->status < 0 || b->status < 0,
              "automaton %llu, %s: %zu events, %zu events; guard %zu at %.10g is one more", number,
              what, a->nevents, b->nevents, extra->guard, extra->t);
    return;
  }
  CHECK_MSG(a->status == b->status, "automaton %llu, %s: %s (%s), %s (%s)", number, what,
            brink_status_text(a->status), a->diag.message, brink_status_text(b->status),
            b->diag.message);
  for (int i = 0; i < STATES && a->status > 0 && b->status > 0; i++)
    CHECK_MSG(fabs(a->x[i] - b->x[i]) <= 10.0 * bound, "automaton %llu, %s: x[%d] %.9g, %.9g",
              number, what, i, a->x[i], b->x[i]);
}

TEST(all_methods_and_detectors_tell_the_same_story) {
  static trace reference, other;
  static const struct {
    const char *what;
    brink_method method;
    brink_events events;
  } others[] = {{"dopri/interpolate", BRINK_DOPRI, BRINK_INTERPOLATE},
                {"adams/extrapolate", BRINK_ADAMS, BRINK_EXTRAPOLATE},
                {"dopri/extrapolate", BRINK_DOPRI, BRINK_EXTRAPOLATE},
                {"rk4/interpolate", BRINK_RK4, BRINK_INTERPOLATE},
                {"rk4/extrapolate", BRINK_RK4, BRINK_EXTRAPOLATE}};
  size_t finished = 0, events = 0;
  for (unsigned long long number = 0; number < AUTOMATA; number++) {
    run_automaton(number, BRINK_ADAMS, BRINK_INTERPOLATE, 1e-11, &reference);
    finished += reference.status == BRINK_TIME_REACHED;
    events += reference.nevents;
    for (size_t k = 0; k < COUNT(others); k++) {
      run_automaton(number, others[k].method, others[k].events, 1e-11, &other);
      compare(number, others[k].what, &reference, &other, 1e-6);
      if (others[k].events == BRINK_EXTRAPOLATE) CHECK_INT(other.stats.rhs_past_guard, 0);
    }
  }
  CHECK_MSG(finished > AUTOMATA / 2 && events > 5 * AUTOMATA,
            "only %zu of %d automata ran to the end, with %zu events in all", finished,
            (int)AUTOMATA, events);
}

/* ---- relays ---- */

/* x' = a x + b - k sgn(c.x - d): where the relay is strong enough it slides. */
static int relay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  const automaton *au = env->user;
  for (int i = 0; i < STATES; i++) {
    dx[i] =
        au->b[0][i] * cos(1.1 * t) - 1.5 * au->c[0][i] * env->sgn[0] + au->b[1][i] * env->sgn[0];
    for (int j = 0; j < STATES; j++) dx[i] += au->a[0][i][j] * x[j];
  }
  return 0;
}

static void run_relay(unsigned long long number, brink_method method, brink_events events,
                      brink_side side, trace *out) {
  static automaton au;
  static const double x0[STATES] = {0.3, -0.2, 0.5};
  brink_guard_def guards[ALL];
  make(&au, guards, number);
  brink_guard_def guard = brink_default_guard("relay");
  guard.side = side;
  if (number % 2 == 0)
    guard.coefficients = au.c[0], guard.offset = 0.3 * au.offset[0];
  else
    guard.value = bent, guard.gradient = bent_gradient;
  brink_model_def def = brink_default_model();
  def.nx = STATES, def.x0 = x0, def.rhs = relay_rhs, def.nguards = 1, def.guards = &guard;
  def.user = &au;
  brink_options options = brink_default_options();
  options.method = method, options.events = events, options.audit = true;
  options.rtol = options.atol = 1e-10, options.max_steps = 200000;
  if (method > BRINK_DOPRI) options.step = 2e-3;
  trace_run(&def, &options, T_END, out);
}

TEST(all_methods_and_detectors_slide_alike) {
  static trace reference, other;
  static const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_RK4};
  static const brink_events detectors[] = {BRINK_INTERPOLATE, BRINK_EXTRAPOLATE};
  size_t slides = 0;
  for (unsigned long long number = 0; number < 100; number++) {
    run_relay(number, BRINK_ADAMS, BRINK_INTERPOLATE, BRINK_BILATERAL, &reference);
    slides += reference.nslides;
    for (size_t m = 0; m < COUNT(methods); m++)
      for (size_t e = 0; e < COUNT(detectors); e++)
        for (int side = BRINK_BILATERAL; side <= BRINK_CROSSING; side++) {
          run_relay(number, methods[m], detectors[e], (brink_side)side, &other);
          CHECK_MSG(other.status == BRINK_TIME_REACHED && other.nslides == reference.nslides,
                    "relay %llu, %s/%s, side %d: %s at %.10g, %zu slides of %zu (%s)", number,
                    brink_method_name(methods[m]), brink_events_name(detectors[e]), side,
                    brink_status_text(other.status), other.t, other.nslides, reference.nslides,
                    other.diag.message);
          for (size_t k = 0; k < other.nslides && k < reference.nslides && k < TRACE_SLIDES; k++)
            CHECK_MSG(fabs(other.slides[k].from - reference.slides[k].from) <= 1e-5 &&
                          fabs(other.slides[k].to - reference.slides[k].to) <= 1e-5,
                      "relay %llu, %s/%s, side %d: slides from %.9g to %.9g, not from %.9g to %.9g",
                      number, brink_method_name(methods[m]), brink_events_name(detectors[e]), side,
                      other.slides[k].from, other.slides[k].to, reference.slides[k].from,
                      reference.slides[k].to);
          for (int i = 0; i < STATES; i++)
            CHECK_MSG(fabs(other.x[i] - reference.x[i]) <= 1e-6 * (1.0 + fabs(reference.x[i])),
                      "relay %llu, %s/%s, side %d: x[%d] = %.9g, not %.9g", number,
                      brink_method_name(methods[m]), brink_events_name(detectors[e]), side, i,
                      other.x[i], reference.x[i]);
        }
  }
  CHECK_MSG(slides > 40, "only %zu slides", slides);
}

int main(void) {
  RUN(all_methods_and_detectors_tell_the_same_story);
  RUN(all_methods_and_detectors_slide_alike);
  return check_done();
}
