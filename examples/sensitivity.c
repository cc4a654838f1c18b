/* sensitivity.c: how a run moves with where it starts and with its parameters.
 *
 * A ball is dropped from a height h and keeps e of its speed at each bounce. Bounces are at t_1 = sqrt(2 h/g) and
 * t_2 = t_1 (1 + 2 e). So
 *
 *     dt_1/dh = t_1/(2 h)              dt_1/de = 0
 *     dt_2/dh = t_1 (1 + 2 e)/(2 h)    dt_2/de = 2 t_1
 *
 * The model has no derivatives of its own: they are taken by differences. Models of expressions (<brink/build.h>) and of
 * the language have exact ones. */
#include <brink/sensitivity.h>
#include <math.h>
#include <stdio.h>

#define GRAVITY 9.81
#define HEIGHT 1.0
#define KEPT 0.8

static int failures, bounces;

static void check(bool holds, const char *claim) {
  if (holds) return;
  fprintf(stderr, "sensitivity: this does not hold: %s\n", claim);
  failures++;
}

static int fall(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1];
  dx[1] = -GRAVITY;
  return 0;
}

static int bounce(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] *= -now->p[0];
  return 0;
}

/* Called at each event: its time, and the derivative of this time in each direction. */
static void on_bounce(const brink_sensitivity_event *event, void *user) {
  (void)user;
  double first = sqrt(2.0 * HEIGHT / GRAVITY), by_height = event->time[0], by_kept = event->time[1];
  printf("bounce %d at t = %.6f: dt/dh = %.6f, dt/de = %.6f\n", ++bounces, event->event->t,
         by_height, by_kept);
  double factor = bounces == 1 ? 1.0 : 1.0 + 2.0 * KEPT;
  check(fabs(by_height - first * factor / (2.0 * HEIGHT)) < 1e-6, "dt/dh");
  check(fabs(by_kept - (bounces == 1 ? 0.0 : 2.0 * first)) < 1e-6, "dt/de");
}

static brink_status make_model(brink_model **model, brink_diag *diag) {
  static const double start[] = {HEIGHT, 0.0}, kept[] = {KEPT}, height[] = {1.0};
  static const size_t only_height[] = {0};
  brink_guard_def floor = brink_default_guard("floor");
  floor.side = BRINK_UNILATERAL;
  floor.direction = BRINK_NEGATIVE;
  floor.depends = only_height;
  floor.ndepends = 1;
  floor.coefficients = height;
  floor.action = bounce;
  brink_model_def def = brink_default_model();
  def.name = "ball";
  def.nx = 2;
  def.x0 = start;
  def.np = 1;
  def.p0 = kept;
  def.rhs = fall;
  def.nguards = 1;
  def.guards = &floor;
  return brink_model_create(&def, NULL, diag, model);
}

/* Two directions: the height at the start, and the parameter. */
static brink_status watch(brink_sim *sim, brink_sensitivity **sensitivity, brink_diag *diag) {
  static const double x[2][2] = {{1.0, 0.0}, {0.0, 0.0}}, p[1][2] = {{0.0, 1.0}};
  brink_sensitivity_def def = brink_default_sensitivity();
  def.count = 2;
  def.x = x[0];
  def.p = p[0];
  def.event = on_bounce;
  return brink_sensitivity_create(sim, &def, NULL, diag, sensitivity);
}

int main(void) {
  brink_diag diag;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_sensitivity *sensitivity = NULL;
  brink_options options = brink_default_options();
  options.rtol = 1e-9;
  brink_status status = make_model(&model, &diag);
  if (status == BRINK_OK) status = brink_sim_create(model, &options, NULL, &diag, &sim);
  if (status == BRINK_OK) status = watch(sim, &sensitivity, &diag);
  if (status == BRINK_OK) status = brink_sim_run(sim, 1.5, &diag);
  check(status == BRINK_TIME_REACHED && bounces == 2, "two bounces until t = 1.5");
  if (status < 0) fprintf(stderr, "sensitivity: %s\n", diag.message);
  brink_sensitivity_destroy(sensitivity); /* before the sim that it goes along with */
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return failures == 0 ? 0 : 1;
}
