/* A point among round obstacles in a box: straight flight, mirror reflections, against ray tracing.
 * Every hit is a reset on a surface that is left at once, with all other surfaces watched; each hit
 * on a disc magnifies what errors there are, so a wrong one shows. */
#include <brink/brink.h>
#include <brink/jet.h>

#include "check.h"

enum { DISCS = 9, WALLS = 4, GUARDS = DISCS + WALLS, HITS = 12 };

typedef struct table {
  double x[DISCS], y[DISCS], r[DISCS];
} table;

static unsigned long long seed;
static double uniform(double low, double high) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

/* One disc in each cell of a grid of 3 x 3, so that they keep apart. */
static void make_table(table *tab, double *start, unsigned long long number) {
  seed = 77 * number + 5;
  for (int k = 0; k < DISCS; k++) {
    tab->r[k] = uniform(0.3, 0.8);
    tab->x[k] = 1.5 + 3.0 * (k % 3) + uniform(-0.4, 0.4);
    tab->y[k] = 1.5 + 3.0 * (double)(k / 3) + uniform(-0.4, 0.4);
  }
  double angle = uniform(0.0, 6.28);
  start[0] = 0.1, start[1] = uniform(0.1, 8.9); /* left of all discs */
  start[2] = cos(angle), start[3] = sin(angle);
}

/* ---- the truth: rays ---- */

static void reflect(const table *tab, size_t guard, double *s) {
  double nx = guard == 0 ? 1.0 : guard == 1 ? -1.0 : 0.0;
  double ny = guard == 2 ? 1.0 : guard == 3 ? -1.0 : 0.0;
  if (guard >= WALLS) {
    size_t k = guard - WALLS;
    double dx = s[0] - tab->x[k], dy = s[1] - tab->y[k], d = hypot(dx, dy);
    nx = dx / d, ny = dy / d;
  }
  double along = s[2] * nx + s[3] * ny;
  s[2] -= 2.0 * along * nx, s[3] -= 2.0 * along * ny;
}

/* The next hit from s: its guard, and the time until then. The surface just left is left out while
 * the flight leads away from it. */
static double next_hit(const table *tab, const double *s, size_t *guard) {
  double best = INFINITY;
  for (size_t k = 0; k < GUARDS; k++) {
    double t = INFINITY;
    if (k < WALLS) { /* x >= 0, x <= 9, y >= 0, y <= 9 */
      double v = k < 2 ? s[2] : s[3], x = k < 2 ? s[0] : s[1], limit = k % 2 == 0 ? 0.0 : 9.0;
      if (k % 2 == 0 ? v < 0.0 : v > 0.0) t = (limit - x) / v;
    } else {
      double dx = s[0] - tab->x[k - WALLS], dy = s[1] - tab->y[k - WALLS], r = tab->r[k - WALLS];
      double b = dx * s[2] + dy * s[3], c = dx * dx + dy * dy - r * r;
      double v2 = s[2] * s[2] + s[3] * s[3], disc = b * b - v2 * c;
      if (b < 0.0 && disc > 0.0) t = (-b - sqrt(disc)) / v2;
    }
    if (t < best) best = t, *guard = k;
  }
  return best;
}

/* ---- the model ---- */

static int rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[2], dx[1] = x[3], dx[2] = dx[3] = 0.0;
  return 0;
}
static int disc(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  const table *tab = env->user;
  size_t k = guard - WALLS;
  (void)t;
  double dx = x[0] - tab->x[k], dy = x[1] - tab->y[k];
  *g = dx * dx + dy * dy - tab->r[k] * tab->r[k];
  return 0;
}
static int disc_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                         double *dt) {
  const table *tab = env->user;
  (void)t;
  dx[0] = 2.0 * (x[0] - tab->x[guard - WALLS]), dx[1] = 2.0 * (x[1] - tab->y[guard - WALLS]);
  *dt = 0.0;
  return 0;
}
static int disc_jet(size_t guard, int order, const double *t, const double *const *x,
                    const brink_env *env, double *g) {
  const table *tab = env->user;
  double a[BRINK_JET_MAX_ORDER + 1], b[BRINK_JET_MAX_ORDER + 1];
  size_t k = guard - WALLS;
  (void)t;
  brink_jet_add_constant(order, x[0], -tab->x[k], a);
  brink_jet_add_constant(order, x[1], -tab->y[k], b);
  brink_jet_square(order, a, a);
  brink_jet_square(order, b, b);
  brink_jet_add(order, a, b, g);
  g[0] -= tab->r[k] * tab->r[k];
  return 0;
}
static int bounce(const brink_event *event, brink_now *now, void *user) {
  reflect(user, event->guard, now->x);
  return 0;
}

/* How a disc is described. */
typedef enum style { POLYNOMIAL, SMOOTH, GRADIENT, STYLES } style;

static void make_guards(brink_guard_def *guards, brink_side side, style how) {
  static const double plus[] = {1.0}, minus[] = {-1.0};
  static const size_t index[] = {0, 1};
  for (size_t k = 0; k < GUARDS; k++) {
    guards[k] = brink_default_guard(k < WALLS ? "wall" : "disc");
    guards[k].side = side, guards[k].action = bounce;
    if (k < WALLS) {
      guards[k].depends = &index[k / 2], guards[k].ndepends = 1;
      guards[k].coefficients = k % 2 == 0 ? plus : minus;
      guards[k].offset = k % 2 == 0 ? 0.0 : 9.0;
    } else {
      guards[k].depends = index, guards[k].ndepends = 2;
      guards[k].value = disc, guards[k].gradient = disc_gradient;
      if (how != GRADIENT) guards[k].jet = disc_jet;
      if (how == POLYNOMIAL) guards[k].degree = 2;
    }
  }
}

typedef struct hits {
  int count;
  size_t guard[HITS];
  double t[HITS];
} hits;

static int on_event(const brink_event_record *record, void *user) {
  hits *seen = user;
  seen->guard[seen->count] = record->event.guard;
  seen->t[seen->count] = record->event.t;
  return ++seen->count == HITS;
}

static void check_game(unsigned long long number, const brink_options *options, brink_side side,
                       style how) {
  table tab;
  double s[4], t = 0.0;
  hits seen = {0};
  make_table(&tab, s, number);
  brink_guard_def guards[GUARDS];
  make_guards(guards, side, how);
  brink_model_def def = brink_default_model();
  def.nx = 4, def.x0 = s, def.rhs = rhs, def.nguards = GUARDS, def.guards = guards;
  def.user = &tab;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  brink_sink sink = {.event = on_event, .user = &seen};
  CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
  brink_status status = brink_sim_create(model, options, NULL, &diag, &sim);
  CHECK_INT(status, BRINK_OK);
  if (status == BRINK_OK) {
    brink_sim_set_sink(sim, &sink);
    status = brink_sim_run(sim, 1000.0, &diag);
    if (options->events == BRINK_EXTRAPOLATE) CHECK_INT(brink_sim_stats(sim)->rhs_past_guard, 0);
  }
  CHECK_MSG(status == BRINK_STOPPED, "game %llu, %s/%s, side %d, style %d: %s after %d hits (%s)",
            number, brink_method_name(options->method), brink_events_name(options->events),
            (int)side, (int)how, brink_status_text(status), seen.count, diag.message);
  /* of location; grows with every disc: by about 2 (distance)/(radius cos) */
  double error = options->gain == BRINK_GAIN_PUBLISHED ? 1e-7 : 1e-9;
  for (int k = 0; k < seen.count; k++) {
    size_t guard = 0;
    double wait = next_hit(&tab, s, &guard);
    t += wait;
    s[0] += wait * s[2], s[1] += wait * s[3];
    double cosine = 1.0;
    if (guard >= WALLS)
      cosine = fabs((s[0] - tab.x[guard - WALLS]) * s[2] + (s[1] - tab.y[guard - WALLS]) * s[3]) /
               tab.r[guard - WALLS];
    error *= guard >= WALLS ? 1.0 + 4.0 * (1.0 + wait) / (tab.r[guard - WALLS] * cosine) : 1.0;
    if (error > 0.05) break; /* chaos has won */
    bool same = seen.guard[k] == guard && fabs(seen.t[k] - t) <= error;
    CHECK_MSG(same,
              "game %llu, %s/%s, side %d, style %d, hit %d: guard %zu at %.12g instead of %zu at "
              "%.12g (room %.2g)",
              number, brink_method_name(options->method), brink_events_name(options->events),
              (int)side, (int)how, k, seen.guard[k], seen.t[k], guard, t, error);
    if (!same) break;
    reflect(&tab, guard, s);
  }
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

static void check_games(brink_method method, brink_events events, brink_gain gain) {
  brink_options options = brink_default_options();
  options.method = method, options.events = events, options.gain = gain;
  options.rtol = 1e-11, options.atol = 1e-12, options.audit = true;
  if (method > BRINK_DOPRI) options.step = 0.37;
  for (unsigned long long number = 0; number < 20; number++)
    for (int side = BRINK_BILATERAL; side <= BRINK_CROSSING; side++)
      for (int how = POLYNOMIAL; how < STYLES; how++)
        check_game(number, &options, (brink_side)side, (style)how);
}

TEST(every_method_with_extrapolation_plays_as_ray_tracing_does) {
  for (int method = BRINK_ADAMS; method <= BRINK_BDF; method++)
    if (method != BRINK_TAYLOR)
      check_games((brink_method)method, BRINK_EXTRAPOLATE, BRINK_GAIN_MARGIN);
}
TEST(every_method_with_interpolation_plays_as_ray_tracing_does) {
  for (int method = BRINK_ADAMS; method <= BRINK_BDF; method++)
    if (method != BRINK_TAYLOR)
      check_games((brink_method)method, BRINK_INTERPOLATE, BRINK_GAIN_MARGIN);
}
TEST(the_other_gains_play_as_ray_tracing_does) {
  check_games(BRINK_ADAMS, BRINK_EXTRAPOLATE, BRINK_GAIN_PUBLISHED);
  check_games(BRINK_ADAMS, BRINK_EXTRAPOLATE, BRINK_GAIN_FIXED);
}

int main(void) {
  RUN(every_method_with_extrapolation_plays_as_ray_tracing_does);
  RUN(every_method_with_interpolation_plays_as_ray_tracing_does);
  RUN(the_other_gains_play_as_ray_tracing_does);
  return check_done();
}
