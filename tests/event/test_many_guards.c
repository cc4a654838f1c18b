/* Sixty guards of all kinds on sixteen states, most of them far away most of the time: what each
 * guard reports is compared with a scan of the exact solution. Whatever is left out for speed must
 * not be left out of the answer. */
#include <brink/brink.h>
#include <brink/jet.h>

#include "check.h"

enum { PAIRS = 8, STATES = 2 * PAIRS, GUARDS = 60, LEAVES = 20, ALL = GUARDS + LEAVES, TIMES = 64 };

static const double T_END = 12.0;

static unsigned long long seed;
static double uniform(double low, double high) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}
static int random_below(int bound) {
  return (int)uniform(0.0, bound);
}

/* ---- the solution: pairs of oscillators ---- */

typedef struct world {
  double amplitude[PAIRS], rate[PAIRS], phase[PAIRS];
  struct {
    size_t depends[3];
    double c[3], lipschitz[3], offset, slope;
    int formula[3];
  } guard[ALL];
  brink_guard_def defs[ALL];
} world;

static void exact(const world *w, double t, double *x) {
  for (int j = 0; j < PAIRS; j++) {
    double angle = w->rate[j] * t + w->phase[j];
    x[2 * j] = w->amplitude[j] * sin(angle);
    x[2 * j + 1] = w->amplitude[j] * w->rate[j] * cos(angle);
  }
}

static int rhs(double t, const double *x, const brink_env *env, double *dx) {
  const world *w = env->user;
  (void)t;
  for (int j = 0; j < PAIRS; j++) {
    dx[2 * j] = x[2 * j + 1];
    dx[2 * j + 1] = -w->rate[j] * w->rate[j] * x[2 * j];
  }
  return 0;
}

/* ---- guards ---- */

/* c0 x^2 + c1 y^2 + slope t + offset */
static int quadratic(size_t k, double t, const double *x, const brink_env *env, double *g) {
  const world *w = env->user;
  double a = x[w->guard[k].depends[0]], b = x[w->guard[k].depends[1]];
  *g = w->guard[k].c[0] * a * a + w->guard[k].c[1] * b * b + w->guard[k].slope * t +
       w->guard[k].offset;
  return 0;
}
static int quadratic_gradient(size_t k, double t, const double *x, const brink_env *env, double *dx,
                              double *dt) {
  const world *w = env->user;
  (void)t;
  for (int i = 0; i < 2; i++) dx[i] = 2.0 * w->guard[k].c[i] * x[w->guard[k].depends[i]];
  *dt = w->guard[k].slope;
  return 0;
}
static int quadratic_jet(size_t k, int order, const double *t, const double *const *x,
                         const brink_env *env, double *g) {
  const world *w = env->user;
  double term[BRINK_JET_MAX_ORDER + 1];
  brink_jet_scale(order, t, w->guard[k].slope, g);
  for (int i = 0; i < 2; i++) {
    brink_jet_square(order, x[w->guard[k].depends[i]], term);
    brink_jet_scale(order, term, w->guard[k].c[i], term);
    brink_jet_add(order, g, term, g);
  }
  g[0] += w->guard[k].offset;
  return 0;
}

/* c0 sin x + c1 y + slope t + offset: bounds are known */
static int smooth(size_t k, double t, const double *x, const brink_env *env, double *g) {
  const world *w = env->user;
  *g = w->guard[k].c[0] * sin(x[w->guard[k].depends[0]]) +
       w->guard[k].c[1] * x[w->guard[k].depends[1]] + w->guard[k].slope * t + w->guard[k].offset;
  return 0;
}
static int smooth_gradient(size_t k, double t, const double *x, const brink_env *env, double *dx,
                           double *dt) {
  const world *w = env->user;
  (void)t;
  dx[0] = w->guard[k].c[0] * cos(x[w->guard[k].depends[0]]);
  dx[1] = w->guard[k].c[1];
  *dt = w->guard[k].slope;
  return 0;
}
static int smooth_jet(size_t k, int order, const double *t, const double *const *x,
                      const brink_env *env, double *g) {
  const world *w = env->user;
  double term[BRINK_JET_MAX_ORDER + 1];
  brink_jet_scale(order, t, w->guard[k].slope, g);
  brink_jet_sin(order, x[w->guard[k].depends[0]], term);
  brink_jet_scale(order, term, w->guard[k].c[0], term);
  brink_jet_add(order, g, term, g);
  brink_jet_scale(order, x[w->guard[k].depends[1]], w->guard[k].c[1], term);
  brink_jet_add(order, g, term, g);
  g[0] += w->guard[k].offset;
  return 0;
}

/* A change that the right-hand side does not read: a unilateral surface may be passed. */
static int count_up(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0]++;
  return 0;
}

typedef enum kind {
  LINEAR,
  QUADRATIC,
  BOUNDED,
  BOUNDED_VALUE,
  SMOOTH,
  GRADIENT,
  FORMULA,
  KINDS
} kind;

static void make_guard(world *w, size_t k) {
  static const char *const names[] = {"linear",     "quadratic", "bounded", "bounded value",
                                      "smooth jet", "gradient",  "formula"};
  kind what = k >= GUARDS ? LINEAR : (kind)random_below(KINDS);
  brink_guard_def *def = &w->defs[k];
  *def = brink_default_guard(names[what]);
  size_t start = (size_t)random_below(STATES), stride = 1 + (size_t)random_below(5);
  for (size_t i = 0; i < 3; i++) {
    w->guard[k].depends[i] = (start + i * stride) % STATES; /* three different ones */
    w->guard[k].c[i] = uniform(-1.0, 1.0);
  }
  w->guard[k].slope = random_below(3) == 0 ? uniform(-0.3, 0.3) : 0.0;
  w->guard[k].offset = uniform(-1.0, 1.0) * (random_below(3) == 0 ? 10.0 : 1.0); /* some far */
  def->depends = w->guard[k].depends, def->ndepends = what == LINEAR ? 3 : 2;
  def->direction = (brink_direction)(random_below(4) == 0 ? 1 - 2 * random_below(2) : 0);
  def->side = k >= GUARDS ? BRINK_LEAF : (brink_side)random_below(3);
  if (what == BOUNDED_VALUE && def->side == BRINK_UNILATERAL) def->side = BRINK_CROSSING;
  def->action = def->side == BRINK_UNILATERAL ? count_up : NULL;
  if (what == LINEAR) {
    def->coefficients = w->guard[k].c, def->offset = w->guard[k].offset;
    def->time_coefficient = w->guard[k].slope;
  } else if (what == QUADRATIC) {
    def->value = quadratic, def->gradient = quadratic_gradient, def->jet = quadratic_jet;
    def->degree = 2;
  } else if (what == FORMULA) {
    w->guard[k].formula[0] = GUARDS + random_below(LEAVES);
    w->guard[k].formula[1] = GUARDS + random_below(LEAVES);
    w->guard[k].formula[2] = random_below(2) == 0 ? BRINK_AND : BRINK_OR;
    def->formula = w->guard[k].formula, def->formula_length = 3;
    def->depends = NULL, def->ndepends = 0; /* what its leaves read */
  } else {
    def->value = smooth;
    if (what != BOUNDED_VALUE) def->gradient = smooth_gradient;
    if (what == SMOOTH) def->jet = smooth_jet;
    if (what == BOUNDED || what == BOUNDED_VALUE) {
      for (int i = 0; i < 2; i++) w->guard[k].lipschitz[i] = fabs(w->guard[k].c[i]);
      def->lipschitz = w->guard[k].lipschitz, def->lipschitz_time = fabs(w->guard[k].slope);
    }
  }
}

static void make_world(world *w, unsigned long long number) {
  seed = 1000003 * number + 17;
  memset(w, 0, sizeof *w);
  for (int j = 0; j < PAIRS; j++) {
    w->amplitude[j] = uniform(0.2, 2.0);
    w->rate[j] = uniform(0.3, 3.0);
    w->phase[j] = uniform(0.0, 6.0);
  }
  for (size_t k = 0; k < ALL; k++) make_guard(w, k);
}

/* ---- the truth ---- */

static double value_at(const world *w, size_t k, double t) {
  double x[STATES], g = w->guard[k].offset + w->guard[k].slope * t;
  const brink_guard_def *def = &w->defs[k];
  brink_env env = {.user = (void *)w};
  if (def->formula != NULL) {
    double a = value_at(w, (size_t)def->formula[0], t), b = value_at(w, (size_t)def->formula[1], t);
    return def->formula[2] == BRINK_AND ? fmin(a, b) : fmax(a, b);
  }
  exact(w, t, x);
  if (def->value != NULL) {
    def->value(k, t, x, &env, &g);
    return g;
  }
  for (int i = 0; i < 3; i++) g += w->guard[k].c[i] * x[w->guard[k].depends[i]];
  return g;
}

typedef struct record {
  int count;
  bool shallow; /* it comes so close, or crosses so little, that a scan cannot be trusted */
  double t[TIMES];
  int direction[TIMES];
} record;

static void add(record *r, double t, int direction) {
  if (r->count < TIMES) r->t[r->count] = t, r->direction[r->count] = direction;
  r->count++;
}

static void scan(const world *w, size_t k, record *r) {
  double h = 4e-3, before = value_at(w, k, 0.0), now = value_at(w, k, h);
  *r = (record){.shallow = fabs(before) < 1e-5};
  for (long n = 1; (double)n * h <= T_END; n++) {
    double t = (double)n * h, next = value_at(w, k, t + h);
    bool extremum = (now - before) * (next - now) <= 0.0;
    if (extremum && fabs(now) < 1e-4) r->shallow = true;
    if ((before < 0.0) != (now < 0.0)) {
      double low = t - h, high = t;
      for (int j = 0; j < 50; j++) {
        double middle = 0.5 * (low + high);
        if ((value_at(w, k, middle) < 0.0) == (before < 0.0))
          low = middle;
        else
          high = middle;
      }
      int direction = before < 0.0 ? 1 : -1, filter = (int)w->defs[k].direction;
      if (high < T_END && (filter == 0 || filter == direction)) add(r, high, direction);
    }
    before = now, now = next;
  }
}

/* ---- the run ---- */

static int on_event(const brink_event_record *event, void *user) {
  record *seen = user;
  add(&seen[event->event.guard], event->event.t, (int)event->event.direction);
  return 0;
}

static void check_world(unsigned long long number, brink_method method, brink_events events,
                        double rtol) {
  /* no crossing that counts is slower than 1e-2 or so, and the solution is off by 10 rtol or so */
  double bound = 1e4 * rtol;
  static world w;
  static record expected[GUARDS], seen[ALL];
  make_world(&w, number);
  memset(seen, 0, sizeof seen);
  double x0[STATES];
  exact(&w, 0.0, x0);
  brink_model_def def = brink_default_model();
  def.nx = STATES, def.x0 = x0, def.nmodes = 1, def.rhs = rhs;
  def.nguards = ALL, def.guards = w.defs, def.user = &w;
  brink_options options = brink_default_options();
  options.method = method, options.events = events;
  options.rtol = rtol, options.atol = 0.1 * rtol, options.audit = true;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  brink_sink sink = {.event = on_event, .user = seen};
  if (brink_model_create(&def, NULL, &diag, &model) != BRINK_OK ||
      brink_sim_create(model, &options, NULL, &diag, &sim) != BRINK_OK) {
    CHECK_MSG(false, "world %llu: %s", number, diag.message);
  } else {
    brink_sim_set_sink(sim, &sink);
    brink_status status = brink_sim_run(sim, T_END, &diag);
    CHECK_MSG(status == BRINK_TIME_REACHED, "world %llu, %s/%s: %s at %.12g (%s)", number,
              brink_method_name(method), brink_events_name(events), brink_status_text(status),
              brink_sim_time(sim), diag.message);
    if (events == BRINK_EXTRAPOLATE)
      CHECK_MSG(brink_sim_stats(sim)->rhs_past_guard == 0, "world %llu, %s: %lld past a guard",
                number, brink_method_name(method), (long long)brink_sim_stats(sim)->rhs_past_guard);
  }
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  for (size_t k = 0; k < GUARDS; k++) {
    scan(&w, k, &expected[k]);
    if (expected[k].shallow) continue;
    bool same = seen[k].count == expected[k].count;
    for (int n = 0; same && n < seen[k].count && n < TIMES; n++)
      same = fabs(seen[k].t[n] - expected[k].t[n]) <= bound &&
             seen[k].direction[n] == expected[k].direction[n];
    int n = 0; /* the first that differs */
    while (n < seen[k].count && n < expected[k].count && n < TIMES - 1 &&
           fabs(seen[k].t[n] - expected[k].t[n]) <= bound)
      n++;
    CHECK_MSG(same,
              "world %llu, %s/%s, guard %zu (%s, side %d, direction %d): %d events of %d, the %d. "
              "at %.9g instead of %.9g",
              number, brink_method_name(method), brink_events_name(events), k, w.defs[k].name,
              (int)w.defs[k].side, (int)w.defs[k].direction, seen[k].count, expected[k].count,
              n + 1, n < seen[k].count ? seen[k].t[n] : (double)NAN,
              n < expected[k].count ? expected[k].t[n] : (double)NAN);
  }
}

static void check_worlds(brink_method method, brink_events events) {
  for (unsigned long long number = 0; number < 24; number++)
    check_world(number, method, events, number % 2 == 0 ? 1e-9 : 1e-6);
}

TEST(adams_with_extrapolation_reports_what_a_scan_of_the_exact_solution_finds) {
  check_worlds(BRINK_ADAMS, BRINK_EXTRAPOLATE);
}
TEST(adams_with_interpolation_reports_what_a_scan_of_the_exact_solution_finds) {
  check_worlds(BRINK_ADAMS, BRINK_INTERPOLATE);
}
TEST(dopri_with_extrapolation_reports_what_a_scan_of_the_exact_solution_finds) {
  check_worlds(BRINK_DOPRI, BRINK_EXTRAPOLATE);
}
TEST(dopri_with_interpolation_reports_what_a_scan_of_the_exact_solution_finds) {
  check_worlds(BRINK_DOPRI, BRINK_INTERPOLATE);
}

int main(void) {
  RUN(adams_with_extrapolation_reports_what_a_scan_of_the_exact_solution_finds);
  RUN(adams_with_interpolation_reports_what_a_scan_of_the_exact_solution_finds);
  RUN(dopri_with_extrapolation_reports_what_a_scan_of_the_exact_solution_finds);
  RUN(dopri_with_interpolation_reports_what_a_scan_of_the_exact_solution_finds);
  return check_done();
}
