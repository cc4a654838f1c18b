/* test_published.c: the multi-rate algorithm as published (Esposito, Kumar & Pappas 2001), corrected.
 *
 * The two scenarios of the paper, with the parameters of our reference P6 (the paper prints none): what its
 * figures 2 to 5 show, checked by numbers. What the algorithm misses is in test_published_misses.c.
 *
 * With PUBLISHED_CSV in the environment the histories of all runs whose name contains it are printed, for the
 * figures: "collision" or "near miss". */
#include "check.h"
#include "experiments/two-agents/published.h"
#include "support/counting.h"

#include <float.h>
#include <stdlib.h>

/* ---- P6: two cars on spirals ---- */

enum { ORDER = 4, HISTORY = 40000 };
static const double t_collision = 9.91734725786805189338, t_grazing = 10.0225996038753330154;

static int car_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  double v = hypot(env->p[1], env->p[2]) * hypot(x[0] - env->p[0], x[1]);
  dx[0] = v * cos(x[2]);
  dx[1] = v * sin(x[2]);
  dx[2] = env->p[2];
  return 0;
}

/* z = c + r exp((a + i w) t + i phase) */
static brink_model *make_car(double c, double r, double a, double w, double phase) {
  double x0[3] = {c + r * cos(phase), r * sin(phase), phase + atan2(w, a)}, p0[3] = {c, a, w};
  brink_model_def def = brink_default_model();
  def.name = "car";
  def.nx = 3;
  def.np = 3;
  def.x0 = x0;
  def.p0 = p0;
  def.rhs = car_rhs;
  brink_model *model = NULL;
  brink_diag diag;
  CHECK_MSG(brink_model_create(&def, NULL, &diag, &model) == BRINK_OK, "%s", diag.message);
  return model;
}

typedef struct row {
  double t[2], h[2], tau, g;
  bool exact; /* both agents followed (16) and (17) */
} row;

typedef struct drive {
  brink_status status;
  double t; /* of the event */
  int count;
  double max_lag;
  long rhs;
  row rows[HISTORY];
} drive;

static void record(const brink_published_record *r, void *user) {
  drive *d = user;
  d->max_lag = fmax(d->max_lag, -r->tau[0]);
  if (d->count >= HISTORY) return;
  d->rows[d->count++] = (row){.t = {r->t[0], r->t[1]},
                              .h = {r->h[0], r->h[1]},
                              .tau = r->tau[0],
                              .g = r->g[0],
                              .exact = r->approach == 0};
}

static const brink_published_guard bumpers = {
    .agent = {0, 1}, .ndimensions = 2, .position = {{0, 1}, {0, 1}}, .radius = 0.3};

/* As the errata measured: tolerance 1e-8, order 4. */
static brink_published_def settings(double gamma) {
  brink_published_def def = brink_default_published();
  def.gamma = gamma;
  def.order = ORDER;
  return def;
}

static void print_csv(const char *name, const brink_published_def *def, const drive *d) {
  const char *wanted = getenv("PUBLISHED_CSV");
  if (wanted == NULL || strstr(name, wanted) == NULL) return;
  printf("# %s, gamma %g, moves %d, order %d\nk,t1,t2,h1,h2,tau,g\n", name, def->gamma,
         (int)def->moves, def->order);
  for (int k = 0; k < d->count; k++) {
    const row *r = &d->rows[k];
    printf("%d,%.17g,%.17g,%.9g,%.9g,%.9g,%.9g\n", k + 1, r->t[0], r->t[1], r->h[0], r->h[1],
           r->tau, r->g);
  }
}

/* The cars with their centres D apart, from 0 to t_end. */
static const drive *go(const char *name, double distance, double h_max, brink_published_def def,
                       double t_end) {
  static drive d;
  memset(&d, 0, sizeof d);
  brink_model *models[2] = {make_car(0.0, 1.0, 0.06, 0.96, 0.0),
                            make_car(-distance, 0.4, 0.03, -0.25, 0.5 * acos(-1.0))};
  brink_published_agent agents[2];
  for (int i = 0; i < 2; i++) {
    agents[i] = brink_default_published_agent(models[i]);
    agents[i].h_max = h_max;
  }
  def.agents = agents;
  def.nagents = 2;
  if (def.guards == NULL) def.guards = &bumpers;
  def.nguards = 1;
  def.record = record;
  def.user = &d;
  brink_published *published = NULL;
  brink_diag diag;
  CHECK_MSG(brink_published_create(&def, NULL, &diag, &published) == BRINK_OK, "%s", diag.message);
  d.status = brink_published_run(published, t_end, &diag);
  CHECK_MSG(d.status > 0, "%s: %s", name, diag.message);
  d.t = brink_published_last(published)->t;
  d.rhs = (long)brink_published_statistics(published).rhs;
  brink_published_destroy(published);
  for (int i = 0; i < 2; i++) brink_model_destroy(models[i]);
  print_csv(name, &def, &d);
  return &d;
}

/* The iterations at the end in which both agents followed (16) and (17). */
static int approach_begins(const drive *d) {
  int k = d->count;
  while (k > 0 && d->rows[k - 1].exact) k--;
  return k;
}

/* ---- figures 2 and 3: the collision ---- */

/* In the event phase, from the row before its first on: g and tau shrink by gamma, exactly. The corrector
 * moves g by a power of h: hence the first few are not looked at, and rounding of times and of g is allowed. */
static void check_shrinking(const drive *d, int from, double gamma) {
  for (int k = from; k < d->count; k++) {
    const row *a = &d->rows[k - 1], *b = &d->rows[k];
    double rounding = 8.0 * DBL_EPSILON * b->t[0];
    CHECK_NEAR(b->tau, gamma * a->tau, 1e-6 * gamma * fabs(a->tau) + rounding);
    double slack = k < from + 3 ? 1e-4 : 1e-6;
    CHECK_NEAR(b->g, gamma * a->g, slack * gamma * fabs(a->g) + rounding);
  }
}

TEST(in_the_event_phase_guard_and_clock_difference_shrink_by_gamma) {
  static const double gammas[] = {0.3, 0.5, 0.7};
  for (int i = 0; i < 3; i++) {
    const drive *d = go("collision, D = 2.3", 2.3, 1.0, settings(gammas[i]), 12.0);
    CHECK_INT(d->status, BRINK_EVENT);
    int from = approach_begins(d);
    CHECK_MSG(d->count - from > 10, "only %d iterations of approach", d->count - from);
    check_shrinking(d, from, gammas[i]);
    const row *last = &d->rows[d->count - 1];
    CHECK(last->g >= -1e-9 && last->g <= 0.0);
    CHECK(last->tau >= -1e-9 && last->tau <= 0.0);
  }
}

/* Figure 3, left: independent steps, then both fall, geometrically in the end. */
TEST(step_sizes_are_independent_at_first_and_fall_geometrically_before_the_collision) {
  const drive *d = go("collision, D = 2.3", 2.3, 1.0, settings(0.5), 12.0);
  int from = approach_begins(d), alone = 0;
  double before[2] = {0.0, 0.0};
  for (int k = 0; k < from; k++) {
    const row *r = &d->rows[k];
    if (r->h[0] == 0.0 || r->h[1] == 0.0) alone++;
    for (int i = 0; i < 2; i++) before[i] = fmax(before[i], r->h[i]);
  }
  CHECK(alone > from * 9 / 10);       /* the laggard alone */
  CHECK(before[1] > 3.0 * before[0]); /* the slow car takes longer steps */
  CHECK_NEAR(d->rows[from].t[0], 9.87,
             0.05); /* "until t = 9.8 when the event detection is active" */
  for (int k = from + 8; k < d->count; k++)
    for (int i = 0; i < 2; i++) CHECK_NEAR(d->rows[k].h[i] / d->rows[k - 1].h[i], 0.5, 0.5e-2);
  CHECK(d->rows[d->count - 1].h[0] < 1e-7 * before[0]);
}

/* Figure 2, right: g peaks when car 1 has completed half a turn, and then rises to zero. */
TEST(the_guard_peaks_after_half_a_turn_and_then_goes_to_zero) {
  const drive *d = go("collision, D = 2.3", 2.3, 1.0, settings(0.5), 12.0);
  double peak = -INFINITY, valley = 0.0, at = 0.0;
  for (int k = 0; k < d->count && d->rows[k].t[0] < 8.0; k++) {
    const row *r = &d->rows[k];
    if (r->t[0] < 5.0 && r->g > peak) {
      peak = r->g;
      at = r->t[0];
    }
    if (r->t[0] > at) valley = fmin(valley, r->g);
  }
  CHECK_NEAR(at, 3.1, 0.5); /* pi/0.96, as far as car 2 stands still */
  CHECK(peak < -0.3 && valley < peak - 1.0);
}

/* The event is found where the agents' own integration puts it. */
TEST(the_collision_is_located_within_the_error_of_the_integration) {
  CHECK_NEAR(go("D = 2.3", 2.3, 1.0, settings(0.5), 12.0)->t, t_collision, 4e-6);
  CHECK_NEAR(go("D = 2.4", 2.4, 1.0, settings(0.5), 12.0)->t, t_grazing, 4e-5);
  for (int tight = 0; tight < 2; tight++) { /* tighter: closer */
    brink_published_def def = settings(0.5);
    def.order = tight ? 6 : 5;
    def.rtol = def.atol = tight ? 1e-12 : 1e-10;
    def.eps_g = def.eps_tau = 1e-12;
    double bound = tight ? 1e-10 : 1e-8;
    CHECK_NEAR(go("D = 2.3", 2.3, 1.0, def, 12.0)->t, t_collision, bound);
    CHECK_NEAR(go("D = 2.4", 2.4, 1.0, def, 12.0)->t, t_grazing, 20.0 * bound);
  }
}

/* ---- figures 4 and 5: the near miss ---- */

/* What happens around the closest approach, at t = 10.03. */
typedef struct passage {
  double h_before, h_least, h_after; /* of car 1 */
  double lag_least, lag_after;
  double g_together; /* the largest g with |tau| < 1e-3 */
} passage;

static passage pass_by(const drive *d) {
  passage p = {.h_least = INFINITY, .lag_least = INFINITY, .g_together = -INFINITY};
  for (int k = 0; k < d->count; k++) {
    const row *r = &d->rows[k];
    double t = r->t[0], h = r->h[0], lag = -r->tau;
    bool there = t > 9.9 && t < 10.15;
    if (t > 8.0 && t < 9.5) p.h_before = fmax(p.h_before, h);
    if (t > 10.5) p.h_after = fmax(p.h_after, h);
    if (t > 10.5) p.lag_after = fmax(p.lag_after, lag);
    if (there && h > 0.0) p.h_least = fmin(p.h_least, h);
    if (there) p.lag_least = fmin(p.lag_least, lag);
    if (there && lag < 1e-3) p.g_together = fmax(p.g_together, r->g);
  }
  return p;
}

TEST(near_a_miss_steps_and_clock_difference_fall_and_recover) {
  for (int moves = BRINK_MOVES_LAGGARD; moves <= BRINK_MOVES_EXACTLY; moves++) {
    brink_published_def def = settings(0.8);
    def.moves = (brink_published_moves)moves;
    const drive *d = go("near miss, D = 2.41", 2.41, 1.0, def, 12.0);
    CHECK_INT(d->status, BRINK_TIME_REACHED);
    passage p = pass_by(d);
    CHECK_MSG(p.h_least < 1.2e-2 && p.h_least < 0.3 * p.h_before, "h1 falls from %g to %g",
              p.h_before, p.h_least);
    CHECK_MSG(p.h_after > 0.8 * p.h_before, "and recovers to %g", p.h_after);
    CHECK_MSG(p.lag_least < 6e-3, "|tau| falls to %g", p.lag_least);
    CHECK_MSG(p.lag_after > 0.1, "and recovers to %g", p.lag_after);
    /* Of the exact solution, at one time, g is never above -9.2998e-3. */
    CHECK_MSG(p.g_together <= -9.29e-3, "g reaches %g", p.g_together);
    if (moves == BRINK_MOVES_EXACTLY) CHECK(p.g_together > -10e-3);
  }
}

TEST(a_miss_stays_a_miss_for_every_gain_and_step) {
  static const double gammas[] = {0.1, 0.5, 0.9}, steps[] = {1.0, 0.1, 0.02};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      CHECK_INT(go("miss", 2.41, steps[j], settings(gammas[i]), 12.0)->status, BRINK_TIME_REACHED);
}

/* ---- who moves (errata 7.2) ---- */

TEST(the_listing_lets_the_clocks_drift_apart_and_misses_the_collision) {
  brink_published_def def = settings(0.5);
  def.moves = BRINK_MOVES_ALL;
  const drive *d = go("listing, h_max 1", 2.3, 1.0, def, 60.0);
  CHECK_INT(d->status, BRINK_TIME_REACHED);
  CHECK(d->max_lag > 10.0);
  d = go("listing, h_max 0.1", 2.3, 0.1, def, 60.0);
  CHECK_INT(d->status, BRINK_TIME_REACHED);
  CHECK(d->max_lag > 10.0);
  d = go("listing, h_max 0.02", 2.3, 0.02, def, 60.0); /* both are held to the same steps */
  CHECK_INT(d->status, BRINK_EVENT);
  CHECK_NEAR(d->t, t_collision, 2e-7);
  CHECK(d->max_lag < 0.05);
}

TEST(advancing_the_laggard_first_finds_the_collision_and_bounds_the_lag) {
  static const double steps[] = {1.0, 0.1, 0.02};
  for (int moves = BRINK_MOVES_LAGGARD; moves <= BRINK_MOVES_EXACTLY; moves++) {
    brink_published_def def = settings(0.5);
    def.moves = (brink_published_moves)moves;
    for (int j = 0; j < 3; j++) {
      const drive *d = go("laggard first", 2.3, steps[j], def, 60.0);
      CHECK_INT(d->status, BRINK_EVENT);
      CHECK_NEAR(d->t, t_collision, 5e-6);
      CHECK(d->max_lag <= 2.0 * steps[j]);
    }
  }
}

/* ---- the paper's own example, missed ---- */

/* g of the exact solution, with D = 2.3. */
static double exact_guard(double t) {
  double x1 = exp(0.06 * t) * cos(0.96 * t), y1 = exp(0.06 * t) * sin(0.96 * t);
  double angle = 0.5 * acos(-1.0) - 0.25 * t, r2 = 0.4 * exp(0.03 * t);
  return 0.3 - hypot(x1 + 2.3 - r2 * cos(angle), y1 - r2 * sin(angle));
}

/* With steps as long as a method of higher order can take, the cars are found where they part. */
TEST(with_long_steps_the_cars_are_found_when_their_collision_is_over) {
  CHECK_NEAR(exact_guard(t_collision), 0.0, 1e-14);
  double inside = 10.04, outside = 10.3;
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (inside + outside);
    if (exact_guard(middle) > 0.0)
      inside = middle;
    else
      outside = middle;
  }
  brink_published_def def = settings(0.5);
  def.order = 0;
  def.rtol = def.atol = 1e-10;
  const drive *d = go("long steps", 2.3, 1.0, def, 12.0);
  CHECK_INT(d->status, BRINK_EVENT);
  CHECK_NEAR(d->t, outside, 1e-6);

  def.moves = BRINK_MOVES_EXACTLY;
  CHECK_NEAR(go("long steps", 2.3, 1.0, def, 12.0)->t, t_collision, 1e-7);
}

/* ---- the linear form, eq. 13 ---- */

static int linear_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = env->p[0];
  return 0;
}

static double overtaking_value(const double *x1, const double *x2, void *user) {
  (void)user;
  return x1[0] - x2[0];
}

static void overtaking_gradient(const double *x1, const double *x2, double *g_x1, double *g_x2,
                                void *user) {
  (void)x1, (void)x2, (void)user;
  g_x1[0] = 1.0;
  g_x2[0] = -1.0;
  g_x1[1] = g_x2[1] = 0.0;
}

static brink_model *make_train(double x, double v, double acceleration) {
  double x0[2] = {x, v};
  brink_model_def def = brink_default_model();
  def.name = "train";
  def.nx = 2;
  def.np = 1;
  def.x0 = x0;
  def.p0 = &acceleration;
  def.rhs = linear_rhs;
  brink_model *model = NULL;
  CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
  return model;
}

/* -10 + t^2/2 = t: t = 1 + sqrt 21. Adams methods of order 2 are exact: so are the ratios, from the start. */
TEST(a_linear_guard_by_its_gradient_shrinks_by_gamma) {
  static drive d;
  memset(&d, 0, sizeof d);
  static const brink_published_guard guard = {
      .agent = {0, 1}, .value = overtaking_value, .gradient = overtaking_gradient};
  brink_model *trains[2] = {make_train(-10.0, 0.0, 1.0), make_train(0.0, 1.0, 0.0)};
  brink_published_agent agents[2];
  for (int i = 0; i < 2; i++) agents[i] = brink_default_published_agent(trains[i]);
  agents[0].h_max = 0.3;
  agents[1].h_max = 0.7;
  brink_published_def def = settings(0.5);
  def.order = 0;
  def.agents = agents;
  def.nagents = 2;
  def.guards = &guard;
  def.nguards = 1;
  def.record = record;
  def.user = &d;
  brink_published *published = NULL;
  CHECK_INT(brink_published_create(&def, NULL, NULL, &published), BRINK_OK);
  CHECK_INT(brink_published_run(published, 20.0, NULL), BRINK_EVENT);
  CHECK_NEAR(brink_published_last(published)->t, 1.0 + sqrt(21.0), 1e-8);
  check_shrinking(&d, approach_begins(&d), 0.5);
  brink_published_destroy(published);
  for (int i = 0; i < 2; i++) brink_model_destroy(trains[i]);
}

/* The same cars with the distance as a nonlinear guard that is linearised at each iteration: the ratios are
 * gamma in the limit only. */
static double bumper_value(const double *x1, const double *x2, void *user) {
  (void)user;
  return 0.3 - hypot(x1[0] - x2[0], x1[1] - x2[1]);
}

static void bumper_gradient(const double *x1, const double *x2, double *g_x1, double *g_x2,
                            void *user) {
  (void)user;
  double u = x1[0] - x2[0], v = x1[1] - x2[1], r = hypot(u, v);
  g_x1[0] = -u / r;
  g_x1[1] = -v / r;
  g_x2[0] = u / r;
  g_x2[1] = v / r;
  g_x1[2] = g_x2[2] = 0.0;
}

TEST(a_nonlinear_guard_in_the_linear_form_converges_to_the_ratio_gamma) {
  static const brink_published_guard guard = {
      .agent = {0, 1}, .value = bumper_value, .gradient = bumper_gradient};
  brink_published_def def = settings(0.5);
  def.guards = &guard;
  const drive *d = go("linear form", 2.3, 1.0, def, 12.0);
  CHECK_INT(d->status, BRINK_EVENT);
  CHECK_NEAR(d->t, t_collision, 4e-6);
  int from = approach_begins(d);
  CHECK(d->count - from > 10);
  double first = fabs(d->rows[from + 1].g / d->rows[from].g - 0.5);
  CHECK(first > 1e-5);
  for (int k = d->count - 5; k < d->count; k++)
    CHECK_NEAR(d->rows[k].g / d->rows[k - 1].g, 0.5, 1e-6);
}

/* ---- the object ---- */

typedef struct rig {
  brink_model *models[2];
  brink_published_agent agents[2];
  brink_published_guard guard;
  brink_published_def def;
} rig;

static void rig_open(rig *r) {
  r->models[0] = make_car(0.0, 1.0, 0.06, 0.96, 0.0);
  r->models[1] = make_car(-2.3, 0.4, 0.03, -0.25, 0.5 * acos(-1.0));
  for (int i = 0; i < 2; i++) r->agents[i] = brink_default_published_agent(r->models[i]);
  r->guard = bumpers;
  r->def = settings(0.5);
  r->def.agents = r->agents;
  r->def.nagents = 2;
  r->def.guards = &r->guard;
  r->def.nguards = 1;
}

static void rig_close(rig *r) {
  for (int i = 0; i < 2; i++) brink_model_destroy(r->models[i]);
}

TEST(any_allocation_may_fail_and_a_run_takes_none) {
  rig r;
  rig_open(&r);
  for (long fail = 1;; fail++) {
    counting state = {.fail_at = fail};
    brink_allocator allocator = counting_allocator(&state);
    brink_published *published = NULL;
    brink_diag diag;
    brink_status status = brink_published_create(&r.def, &allocator, &diag, &published);
    if (status == BRINK_OK) {
      long calls = state.calls;
      CHECK_INT(brink_published_run(published, 12.0, &diag), BRINK_EVENT);
      CHECK_INT(state.calls, calls);
    } else {
      CHECK_INT(status, BRINK_ERR_MEMORY);
      CHECK(published == NULL);
    }
    brink_published_destroy(published);
    CHECK_INT(state.live, 0);
    CHECK_INT(state.mismatch, 0);
    if (status == BRINK_OK) break;
  }
  brink_published_destroy(NULL);
  rig_close(&r);
}

static void refuses(const rig *r, brink_status expected, const char *part) {
  brink_published *published = NULL;
  brink_diag diag;
  CHECK_INT(brink_published_create(&r->def, NULL, &diag, &published), expected);
  CHECK_CONTAINS(diag.message, part);
  CHECK(published == NULL);
}

TEST(a_wrong_definition_is_refused_with_a_reason) {
#define WITH(change, status, part)                                                                 \
  do {                                                                                             \
    rig r;                                                                                         \
    rig_open(&r);                                                                                  \
    change;                                                                                        \
    refuses(&r, status, part);                                                                     \
    rig_close(&r);                                                                                 \
  } while (0)
  WITH(r.def.nagents = 1, BRINK_ERR_ARGUMENT, "two agents");
  WITH(r.def.nguards = 0, BRINK_ERR_ARGUMENT, "a guard");
  WITH(r.def.gamma = 1.0, BRINK_ERR_ARGUMENT, "gamma");
  WITH(r.def.eps_tau = 0.0, BRINK_ERR_ARGUMENT, "eps_tau");
  WITH(r.def.rtol = -1.0, BRINK_ERR_ARGUMENT, "rtol");
  WITH(r.def.order = 13, BRINK_ERR_ARGUMENT, "1 to 12");
  WITH(r.def.moves = (brink_published_moves)7, BRINK_ERR_ARGUMENT, "moves");
  WITH(r.agents[1].model = NULL, BRINK_ERR_ARGUMENT, "no model");
  WITH(r.agents[1].h_max = 0.0, BRINK_ERR_ARGUMENT, "h_max");
  WITH(r.agents[1].alarm = -1.0, BRINK_ERR_ARGUMENT, "alarm");
  WITH(r.guard.agent[1] = 0, BRINK_ERR_ARGUMENT, "two agents");
  WITH(r.guard.position[1][0] = 3, BRINK_ERR_ARGUMENT, "no state 3");
  WITH(r.guard.radius = -1.0, BRINK_ERR_ARGUMENT, "radius");
  WITH(r.guard.ndimensions = 0, BRINK_ERR_ARGUMENT, "gradient");
#undef WITH
}

TEST(work_is_limited_and_a_run_can_go_on) {
  rig r;
  rig_open(&r);
  r.def.max_iterations = 20;
  brink_published *published = NULL;
  brink_diag diag;
  CHECK_INT(brink_published_create(&r.def, NULL, &diag, &published), BRINK_OK);
  CHECK_INT(brink_published_run(published, 12.0, &diag), BRINK_ERR_WORK);
  brink_status status = BRINK_ERR_WORK;
  for (int k = 0; k < 1000 && status == BRINK_ERR_WORK; k++)
    status = brink_published_run(published, 12.0, &diag);
  CHECK_INT(status, BRINK_EVENT);
  CHECK_NEAR(brink_published_last(published)->t, t_collision, 4e-6);
  CHECK_NEAR(brink_published_value(published, 0), 0.0, 1e-9);
  CHECK_NEAR(brink_published_time(published, 0), brink_published_time(published, 1), 1e-9);
  brink_published_destroy(published);
  rig_close(&r);
}

int main(void) {
  RUN(in_the_event_phase_guard_and_clock_difference_shrink_by_gamma);
  RUN(step_sizes_are_independent_at_first_and_fall_geometrically_before_the_collision);
  RUN(the_guard_peaks_after_half_a_turn_and_then_goes_to_zero);
  RUN(the_collision_is_located_within_the_error_of_the_integration);
  RUN(near_a_miss_steps_and_clock_difference_fall_and_recover);
  RUN(a_miss_stays_a_miss_for_every_gain_and_step);
  RUN(the_listing_lets_the_clocks_drift_apart_and_misses_the_collision);
  RUN(advancing_the_laggard_first_finds_the_collision_and_bounds_the_lag);
  RUN(with_long_steps_the_cars_are_found_when_their_collision_is_over);
  RUN(a_linear_guard_by_its_gradient_shrinks_by_gamma);
  RUN(a_nonlinear_guard_in_the_linear_form_converges_to_the_ratio_gamma);
  RUN(any_allocation_may_fail_and_a_run_takes_none);
  RUN(a_wrong_definition_is_refused_with_a_reason);
  RUN(work_is_limited_and_a_run_can_go_on);
  return check_done();
}
