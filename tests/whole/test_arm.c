/* The two-link arm of Esposito & Kumar (2007, ex. 2): joints follow the inverse kinematics of a
 * point that moves out of the workspace on a straight line. Past l1 + l2 the kinematics has no
 * solution: a simulator that looks there once has nothing to look at. */
#include "check.h"
#include "problems/exact.h"
#include "support/runner.h"

#include <brink/jet.h>

enum { LINES = 100 };

static const double l2 = 0.8, reach = 1.8;

/* x = (x, y, th1, th2), p = velocity of the point. */
typedef struct arm_count {
  long outside;
} arm_count;

static int edge_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = reach * reach - (x[0] * x[0] + x[1] * x[1]);
  return 0;
}

static int edge_jet(size_t guard, int order, const double *t, const double *const *x,
                    const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  double y2[BRINK_JET_MAX_ORDER + 1];
  brink_jet_square(order, x[0], g);
  brink_jet_square(order, x[1], y2);
  brink_jet_add(order, g, y2, g);
  brink_jet_scale(order, g, -1, g);
  brink_jet_add_constant(order, g, reach * reach, g);
  return 0;
}

/* The same edge as a distance: not a polynomial. */
static int distance_value(size_t guard, double t, const double *x, const brink_env *env,
                          double *g) {
  (void)guard, (void)t, (void)env;
  *g = reach - hypot(x[0], x[1]);
  return 0;
}

static int distance_gradient(size_t guard, double t, const double *x, const brink_env *env,
                             double *dx, double *dt) {
  (void)guard, (void)t, (void)env;
  double rho = hypot(x[0], x[1]);
  dx[0] = -x[0] / rho;
  dx[1] = -x[1] / rho;
  *dt = 0;
  return 0;
}

static int arm_rhs(double t, const double *x, const brink_env *env, double *dx) {
  double th1, th2, square, distance;
  edge_value(0, t, x, env, &square);
  distance_value(0, t, x, env, &distance);
  if (square < 0 && distance < 0) ((arm_count *)env->user)->outside++;
  if (!brink_arm_joints(l2, x[0], x[1], &th1, &th2)) return 1;
  dx[0] = env->p[0];
  dx[1] = env->p[1];
  dx[2] = 5 * (th1 - x[2]);
  dx[3] = 5 * (th2 - x[3]);
  return 0;
}

static const size_t point[] = {0, 1};
static const brink_guard_def square_edge = {
    .size = sizeof(brink_guard_def),
    .name = "edge",
    .side = BRINK_UNILATERAL,
    .direction = BRINK_NEGATIVE,
    .depends = point,
    .ndepends = 2,
    .value = edge_value,
    .jet = edge_jet,
    .degree = 2,
    .action = problem_stop,
};
static const brink_guard_def distance_edge = {
    .size = sizeof(brink_guard_def),
    .name = "edge",
    .side = BRINK_UNILATERAL,
    .direction = BRINK_NEGATIVE,
    .depends = point,
    .ndepends = 2,
    .value = distance_value,
    .gradient = distance_gradient,
    .action = problem_stop,
};

typedef struct line {
  double x[4], v[2];
  double exit; /* time at which the point leaves the workspace */
} line;

/* Lines that stay clear of the hole of radius l1 - l2 around the shoulder. */
static void draw(uint64_t *seed, line *l) {
  const double pi = 3.14159265358979323846;
  for (;;) {
    double r = 0.5 + 0.7 * run_random(seed), phi = 2 * pi * run_random(seed);
    double speed = 0.2 + 0.3 * run_random(seed), heading = 2 * pi * run_random(seed);
    l->x[0] = r * cos(phi);
    l->x[1] = r * sin(phi);
    l->v[0] = speed * cos(heading);
    l->v[1] = speed * sin(heading);
    double along = (l->x[0] * l->v[0] + l->x[1] * l->v[1]) / speed;
    double aside = sqrt(r * r - along * along);
    if (along < 0 && aside < 0.3) continue;
    /* atan2 jumps where the line crosses the negative x axis. */
    l->exit = brink_arm_exit(reach, l->x[0], l->x[1], l->v[0], l->v[1]);
    double cut = -l->x[1] / l->v[1];
    if (cut > 0 && cut < l->exit && l->x[0] + cut * l->v[0] < 0) continue;
    brink_arm_joints(l2, l->x[0], l->x[1], &l->x[2], &l->x[3]);
    l->x[2] += 0.1 * (run_random(seed) - 0.5);
    l->x[3] += 0.1 * (run_random(seed) - 0.5);
    return;
  }
}

typedef struct outcome {
  brink_status status;
  double t, x[4];
  long outside;
  long long audited;
  char message[BRINK_DIAG_MESSAGE];
} outcome;

static outcome simulate(const line *l, const brink_guard_def *edge, brink_method method,
                        brink_events events) {
  arm_count count = {0};
  outcome o = {0};
  brink_diag diag = {0};
  brink_model_def def = brink_default_model();
  def.name = "arm";
  def.nx = 4;
  def.x0 = l->x;
  def.np = 2;
  def.p0 = l->v;
  def.rhs = arm_rhs;
  def.nguards = 1;
  def.guards = edge;
  def.user = &count;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_options options = run_options(method, events, 1e-6);
  o.status = brink_model_create(&def, NULL, &diag, &model);
  if (o.status == BRINK_OK) o.status = brink_sim_create(model, &options, NULL, &diag, &sim);
  if (o.status == BRINK_OK) {
    o.status = brink_sim_run(sim, l->exit + 1, &diag);
    o.t = brink_sim_time(sim);
    memcpy(o.x, brink_sim_state(sim), sizeof o.x);
    o.audited = brink_sim_stats(sim)->rhs_past_guard;
  }
  o.outside = count.outside;
  memcpy(o.message, diag.message, sizeof o.message);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return o;
}

static void land_on_the_edge(const brink_guard_def *edge, brink_method method) {
  uint64_t seed = 25;
  for (int k = 0; k < LINES; k++) {
    line l;
    draw(&seed, &l);
    outcome o = simulate(&l, edge, method, BRINK_EXTRAPOLATE);
    CHECK_MSG(o.status == BRINK_STOPPED, "line %d: %s %s", k, brink_status_text(o.status),
              o.message);
    CHECK_MSG(o.outside == 0 && o.audited == 0, "line %d: %ld evaluations outside, %lld audited", k,
              o.outside, o.audited);
    CHECK_NEAR(o.t, l.exit, 1e-5);
    double g;
    edge->value(0, o.t, o.x, NULL, &g);
    CHECK_MSG(g >= 0, "line %d landed %.3g outside", k, -g);
    CHECK_MSG(isfinite(o.x[2]) && isfinite(o.x[3]), "line %d: joints %g, %g", k, o.x[2], o.x[3]);
  }
}

TEST(adams_lands_inside_on_a_polynomial_edge) {
  land_on_the_edge(&square_edge, BRINK_ADAMS);
}
TEST(adams_lands_inside_on_a_smooth_edge) {
  land_on_the_edge(&distance_edge, BRINK_ADAMS);
}
TEST(dopri_lands_inside_on_a_polynomial_edge) {
  land_on_the_edge(&square_edge, BRINK_DOPRI);
}

/* What happens without looking first. */
TEST(interpolation_leaves_the_workspace_every_time) {
  uint64_t seed = 25;
  int left = 0;
  for (int k = 0; k < LINES; k++) {
    line l;
    draw(&seed, &l);
    outcome o = simulate(&l, &square_edge, BRINK_ADAMS, BRINK_INTERPOLATE);
    if (o.outside > 0) left++;
  }
  CHECK_INT(left, LINES);
}

int main(void) {
  RUN(adams_lands_inside_on_a_polynomial_edge);
  RUN(adams_lands_inside_on_a_smooth_edge);
  RUN(dopri_lands_inside_on_a_polynomial_edge);
  RUN(interpolation_leaves_the_workspace_every_time);
  return check_done();
}
