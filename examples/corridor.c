/* corridor.c: two journeys that end at an edge, and what is there to see.
 *
 * 1. A vehicle turns through a corridor and clips its inner corner for an eighth of a second
 *    (Esposito & Kumar 2007, example 1). A test at the ends of the steps drives on through the
 * wall.
 * 2. A two-link arm follows a hand that leaves its workspace (example 2 there). Past the edge the
 *    joint angles do not exist: a simulator that looks there once has nothing to look at.
 *
 * Run it as `build/examples/corridor`, or with `--svg FILE` to write the picture of the README. It
 * compares itself with the exact answers and returns 1 if anything is off. */
#include <brink/brink.h>
#include <brink/jet.h>
#include <math.h>
#include <string.h>

#include "corridor_picture.h"

#define TOLERANCE 1e-4 /* of every run here; the absolute one is a thousandth of it */

static int failures;

static void check(bool holds, const char *claim) {
  if (!holds) fprintf(stderr, "corridor: this does not hold: %s\n", claim), failures++;
}

/* ---- the vehicle: x = (x, y, theta), unit speed, mode 0 straight, mode 1 turning ---- */

static int drive(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = cos(x[2]);
  dx[1] = sin(x[2]);
  dx[2] = env->mode[0] == 0 ? 0.0 : 0.2;
  return 0;
}

static int turn(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1;
  return 0;
}

static int stop(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)now, (void)user;
  return BRINK_STOPPED;
}

/* Four half-planes, and the walls as a formula over them in postfix order:
 * (y >= 0.5) or (x >= 3.5) or (y <= -0.4 and x <= 2.8). */
enum { HIGH, FAR, LOW, BEFORE, WALL, BEND, GUARDS };
static const int wall_formula[] = {HIGH, FAR, BRINK_OR, LOW, BEFORE, BRINK_AND, BRINK_OR};
static const size_t only_x[] = {0}, only_y[] = {1};
static const double plus[] = {1.0}, minus[] = {-1.0};

static brink_guard_def line(const char *name, brink_side side, const size_t *which,
                            const double *factor, double offset) {
  brink_guard_def guard = brink_default_guard(name);
  guard.side = side;
  guard.depends = which;
  guard.ndepends = 1;
  guard.coefficients = factor;
  guard.offset = offset;
  return guard;
}

static brink_status make_corridor(brink_model **model, brink_diag *diag) {
  static const double start[] = {0.0, 0.054, -0.2};
  static const int straight[] = {0};
  brink_guard_def guards[GUARDS] = {
      [HIGH] = line("high", BRINK_LEAF, only_y, plus, -0.5),
      [FAR] = line("far", BRINK_LEAF, only_x, plus, -3.5),
      [LOW] = line("low", BRINK_LEAF, only_y, minus, -0.4),
      [BEFORE] = line("before the corner", BRINK_LEAF, only_x, minus, 2.8),
      [WALL] = brink_default_guard("wall"),
      [BEND] = line("bend", BRINK_BILATERAL, only_x, plus, -1.75),
  };
  guards[WALL].formula = wall_formula;
  guards[WALL].formula_length = sizeof wall_formula / sizeof wall_formula[0];
  guards[WALL].side = BRINK_UNILATERAL; /* never look inside the wall */
  guards[WALL].direction = BRINK_POSITIVE;
  guards[WALL].action = stop;
  guards[BEND].action = turn;
  brink_model_def def = brink_default_model();
  def.name = "corridor";
  def.nx = 3;
  def.x0 = start;
  def.nmodes = 1;
  def.mode0 = straight;
  def.rhs = drive;
  def.nguards = GUARDS;
  def.guards = guards;
  return brink_model_create(&def, NULL, diag, model);
}

/* ---- the arm: x = (hand x, hand y, theta1, theta2), p = the hand's velocity ---- */

#define L1 1.0
#define L2 0.8

static int follow(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  double bend = acos((x[0] * x[0] + x[1] * x[1] - L1 * L1 - L2 * L2) / (2.0 * L1 * L2));
  double root = atan2(x[1], x[0]) - atan2(L2 * sin(bend), L1 + L2 * cos(bend));
  dx[0] = env->p[0];
  dx[1] = env->p[1];
  dx[2] = 5.0 * (root - x[2]);
  dx[3] = 5.0 * (bend - x[3]);
  if (isnan(bend)) (*(long *)env->user)++; /* out of reach: dx is not a number */
  return 0;
}

static int edge(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = (L1 + L2) * (L1 + L2) - (x[0] * x[0] + x[1] * x[1]);
  return 0;
}

/* The same with power series for numbers: so the guard is known along a whole step. */
static int edge_jet(size_t guard, int order, const double *t, const double *const *x,
                    const brink_env *env, double *g) {
  double square[BRINK_JET_MAX_ORDER + 1];
  (void)guard, (void)t, (void)env;
  brink_jet_square(order, x[0], g);
  brink_jet_square(order, x[1], square);
  brink_jet_add(order, g, square, g);
  brink_jet_scale(order, g, -1.0, g);
  brink_jet_add_constant(order, g, (L1 + L2) * (L1 + L2), g);
  return 0;
}

static brink_status make_arm(long *outside, brink_model **model, brink_diag *diag) {
  static const double start[] = {0.6, 0.5, -0.17, 2.06}, velocity[] = {0.3, 0.15};
  static const size_t hand[] = {0, 1};
  brink_guard_def guard = brink_default_guard("edge");
  guard.side = BRINK_UNILATERAL;
  guard.depends = hand;
  guard.ndepends = 2;
  guard.value = edge;
  guard.jet = edge_jet;
  guard.degree = 2; /* a polynomial: its series along a step is exact */
  guard.action = stop;
  brink_model_def def = brink_default_model();
  def.name = "arm";
  def.nx = 4;
  def.x0 = start;
  def.np = 2;
  def.p0 = velocity;
  def.rhs = follow;
  def.nguards = 1;
  def.guards = &guard;
  def.user = outside;
  return brink_model_create(&def, NULL, diag, model);
}

/* ---- running one, and telling about it ---- */

static brink_status run(const brink_model *model, brink_method method, brink_events events,
                        double t_end, journey *j, brink_diag *diag) {
  brink_options options = brink_default_options();
  options.method = method;
  options.events = events;
  options.rtol = TOLERANCE;
  options.atol = 1e-3 * TOLERANCE;
  options.audit = true; /* count evaluations past a unilateral surface */
  memset(j, 0, sizeof *j);
  brink_status status = brink_sim_create(model, &options, NULL, diag, &j->sim);
  if (status != BRINK_OK) return status;
  brink_sink sink = {.step = journey_step, .event = journey_event, .user = j};
  brink_sim_set_sink(j->sim, &sink);
  status = brink_sim_run(j->sim, t_end, diag);
  j->t = brink_sim_time(j->sim);
  memcpy(j->x, brink_sim_state(j->sim), sizeof(double) * j->nx);
  j->stats = *brink_sim_stats(j->sim);
  brink_sim_destroy(j->sim);
  return status;
}

static void tell(const char *name, double found, double exact) {
  printf("   %-22s %18.13f %18.13f %9.1e\n", name, found, exact, fabs(found - exact));
}

static void tell_stats(const char *name, const brink_stats *s) {
  printf("   %-22s %6lld steps %3lld rejected %6lld rhs calls, %lld past the surface\n", name,
         (long long)s->steps, (long long)s->rejected, (long long)s->rhs,
         (long long)s->rhs_past_guard);
}

static void first_act(journey *look, journey *miss) {
  /* Straight to x = 1.75, then a circle of radius 5: y = -0.4 where cos(theta) is as below. */
  double bend = 1.75 / cos(0.2), y = 0.054 - 1.75 * tan(0.2);
  double contact = bend + 5.0 * (0.2 - acos(cos(0.2) + (y + 0.4) / 5.0));
  double far = bend + 5.0 * (asin(sin(-0.2) + 1.75 / 5.0) + 0.2);
  brink_model *model = NULL;
  brink_diag diag;
  brink_status status = make_corridor(&model, &diag);
  if (status == BRINK_OK) status = run(model, BRINK_ADAMS, BRINK_EXTRAPOLATE, 10.0, look, &diag);
  if (status == BRINK_STOPPED) status = run(model, BRINK_DOPRI, BRINK_ENDPOINT, 10.0, miss, &diag);
  brink_model_destroy(model);
  if (status != BRINK_STOPPED) {
    fprintf(stderr, "corridor: %s\n", diag.message);
    failures++;
    return;
  }
  printf("1. The vehicle in the corridor: it turns at x = 1.75 and clips the inner corner.\n\n");
  sketch(look);
  printf("\n   %-22s %18s %18s %9s\n", "event", "found at t", "exact", "error");
  tell("bend  (x = 1.75)", look->event[0].t, bend);
  tell("wall  (the corner)", look->t, contact);
  tell("an end-point test", miss->t, far);
  printf("   The last drove through the corner, in at t = %.3f and out at t = 2.842, because the\n"
         "   wall has the same sign at both ends of its step; it stopped at the far wall.\n\n",
         contact);
  tell_stats("extrapolate, Adams", &look->stats);
  tell_stats("endpoint, Runge-Kutta", &miss->stats);
  check(look->nevents == 2 && fabs(look->event[0].t - bend) < 1e-9, "the bend is found");
  check(fabs(look->t - contact) < 1e-4, "the contact is found within 1e-4");
  check(look->x[1] >= -0.4, "the vehicle stops on its own side of the wall");
  check(look->stats.rhs_past_guard == 0, "nothing was evaluated inside the wall");
  check(fabs(miss->t - far) < 1e-4, "a sign test at the ends of the steps misses the corner");
}

static void second_act(void) {
  /* |(0.6, 0.5) + t (0.3, 0.15)|^2 = (l1 + l2)^2 is a quadratic in t. */
  double a = 0.3 * 0.3 + 0.15 * 0.15, b = 0.6 * 0.3 + 0.5 * 0.15;
  double c = 0.6 * 0.6 + 0.5 * 0.5 - (L1 + L2) * (L1 + L2);
  double exact = (sqrt(b * b - a * c) - b) / a;
  long outside[2] = {0, 0};
  static journey look, blind;
  brink_model *model = NULL;
  brink_diag diag, blind_diag;
  brink_status status = make_arm(&outside[0], &model, &diag), blind_status = BRINK_OK;
  if (status == BRINK_OK) status = run(model, BRINK_ADAMS, BRINK_EXTRAPOLATE, 10.0, &look, &diag);
  brink_model_destroy(model);
  if (status == BRINK_STOPPED && make_arm(&outside[1], &model, &diag) == BRINK_OK) {
    blind_status = run(model, BRINK_DOPRI, BRINK_ENDPOINT, 10.0, &blind, &blind_diag);
    brink_model_destroy(model);
  }
  if (status != BRINK_STOPPED || blind_status == BRINK_OK) {
    fprintf(stderr, "corridor: %s\n", diag.message);
    failures++;
    return;
  }
  double g;
  edge(0, look.t, look.x, NULL, &g);
  printf("\n2. The arm at the edge of its workspace: past it the joint angles do not exist.\n\n");
  printf("   %-22s %18s %18s %9s\n", "event", "found at t", "exact", "error");
  tell("edge  (|hand| = 1.8)", look.t, exact);
  printf("   There the hand is at (%.6f, %.6f), the joints at (%.6f, %.6f).\n\n", look.x[0],
         look.x[1], look.x[2], look.x[3]);
  tell_stats("extrapolate, Adams", &look.stats);
  tell_stats("endpoint, Runge-Kutta", &blind.stats);
  printf("   The model itself counted %ld and %ld calls out of reach. The end-point test found no\n"
         "   event and gave up at t = %.13f:\n   \"%s\"\n",
         outside[0], outside[1], blind.t, blind_diag.message);
  check(fabs(look.t - exact) < 1e-9 && g >= 0.0, "the arm stops at the edge, inside");
  check(look.stats.rhs_past_guard == 0 && outside[0] == 0, "nothing was evaluated out of reach");
  check(outside[1] > 0 && blind_status == BRINK_ERR_STEP, "a blind step looks out of reach");
}

int main(int argc, char **argv) {
  static journey look, miss; /* large: they hold every point of a path */
  printf("Brink %s\n\n", brink_version());
  first_act(&look, &miss);
  if (argc == 3 && strcmp(argv[1], "--svg") == 0) {
    check(write_svg(argv[2], &look, &miss), "the picture was written");
    return failures > 0;
  }
  second_act();
  printf("\n%s\n", failures == 0 ? "All checks hold." : "Some checks FAILED.");
  return failures > 0;
}
