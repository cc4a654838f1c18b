/* branch.c: a run that tries its future out before it goes there.
 *
 * A car drives at 20 m/s towards a wall at 100 m. Its brakes give 5 m/s^2. When must it brake, at the latest?
 * Each stride of the run is tried first by a clone, which drives on to the end of the stride and brakes there. If
 * the clone hits the wall, the stride is halved; if it comes to a standstill before, the run may go as far.
 *
 * Exact: braking takes v^2/(2 b) = 40 m, so it must begin at 60 m, at t = 3 s. */
#include <brink/brink.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPEED 20.0
#define BRAKES 5.0
#define WALL 100.0
#define LATE 1000.0 /* all is over by then */

enum { DRIVING, BRAKING, STANDING }; /* the values of mode 0 */

static int failures;

static void check(bool holds, const char *claim) {
  if (holds) return;
  fprintf(stderr, "branch: this does not hold: %s\n", claim);
  failures++;
}

/* ---- the model: x = (position, speed) ---- */

static int car(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = env->mode[0] == STANDING ? 0.0 : x[1];
  dx[1] = env->mode[0] == BRAKING ? -BRAKES : 0.0;
  return 0;
}

static int stand(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] = 0.0;
  now->mode[0] = STANDING;
  return BRINK_STOPPED; /* the run ends here */
}

static int crash(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)now, (void)user;
  return BRINK_STOPPED;
}

static brink_status make_model(brink_model **model, brink_diag *diag) {
  static const double start[] = {0.0, SPEED}, minus[] = {-1.0}, plus[] = {1.0};
  static const size_t position[] = {0}, speed[] = {1};
  brink_guard_def guards[] = {brink_default_guard("wall"), brink_default_guard("standstill")};
  guards[0].depends = position, guards[0].ndepends = 1;
  guards[0].coefficients = minus, guards[0].offset = WALL;
  guards[0].side = BRINK_UNILATERAL, guards[0].action = crash;
  guards[1].depends = speed, guards[1].ndepends = 1;
  guards[1].coefficients = plus, guards[1].direction = BRINK_NEGATIVE, guards[1].action = stand;
  brink_model_def def = brink_default_model();
  def.name = "car";
  def.nx = 2, def.x0 = start, def.rhs = car, def.nmodes = 1;
  def.nguards = 2, def.guards = guards;
  return brink_model_create(&def, NULL, diag, model);
}

/* ---- trying ---- */

/* Would the car still stop before the wall if it drove on to t and braked there? */
static bool may_drive_to(const brink_sim *sim, double t, brink_diag *diag) {
  brink_sim *trial = NULL;
  brink_status status = brink_sim_clone(sim, NULL, NULL, diag, &trial);
  if (status == BRINK_OK) status = brink_sim_run(trial, t, diag);
  if (status == BRINK_TIME_REACHED) status = brink_sim_set_mode(trial, 0, BRAKING, diag);
  if (status == BRINK_OK) status = brink_sim_run(trial, LATE, diag);
  bool stands = status == BRINK_STOPPED && brink_sim_modes(trial)[0] == STANDING;
  check(status == BRINK_STOPPED, "the trial ends at the wall, or before it");
  brink_sim_destroy(trial);
  return stands;
}

static void drive(brink_sim *sim, brink_diag *diag) {
  int trials = 0;
  printf("   stride        time    position\n");
  for (double stride = 1.0; stride > 1e-9; trials++) {
    double t = brink_sim_time(sim) + stride;
    if (!may_drive_to(sim, t, diag)) {
      stride *= 0.5;
      continue;
    }
    brink_sim_run(sim, t, diag);
    if (trials < 12)
      printf("%9.4f %11.6f %11.6f\n", stride, brink_sim_time(sim), brink_sim_state(sim)[0]);
  }
  printf("after %d trials, the car brakes at t = %.9f s, at %.7f m\n", trials, brink_sim_time(sim),
         brink_sim_state(sim)[0]);
  check(fabs(brink_sim_time(sim) - 3.0) < 1e-8, "it brakes after 3 s");
  brink_sim_set_mode(sim, 0, BRAKING, diag);
}

/* The same as the original, to the last bit: where they are, how often they asked the model. */
static bool same(const brink_sim *a, const brink_sim *b) {
  return brink_sim_time(a) == brink_sim_time(b) &&
         memcmp(brink_sim_state(a), brink_sim_state(b), 2 * sizeof(double)) == 0 &&
         brink_sim_stats(a)->rhs == brink_sim_stats(b)->rhs;
}

int main(void) {
  brink_diag diag;
  brink_model *model = NULL;
  brink_sim *sim = NULL, *twin = NULL;
  brink_options options = brink_default_options();
  options.rtol = 1e-12;
  brink_status status = make_model(&model, &diag);
  if (status == BRINK_OK) status = brink_sim_create(model, &options, NULL, &diag, &sim);
  if (status == BRINK_OK) {
    drive(sim, &diag);
    status = brink_sim_clone(sim, NULL, NULL, &diag, &twin);
  }
  if (status == BRINK_OK) {
    brink_sim_run(sim, LATE, &diag);
    brink_sim_run(twin, LATE, &diag);
    printf("it stands at t = %.7f s, %.1e m before the wall\n", brink_sim_time(sim),
           WALL - brink_sim_state(sim)[0]);
    check(brink_sim_modes(sim)[0] == STANDING, "the car has not hit the wall");
    check(fabs(WALL - brink_sim_state(sim)[0]) < 1e-6, "and stands right before it");
    check(same(sim, twin), "a clone does what the original does");
  }
  check(status == BRINK_OK, diag.message);
  brink_sim_destroy(sim);
  brink_sim_destroy(twin);
  brink_model_destroy(model);
  return failures > 0;
}
