/* history.c: a whole simulation, kept: where was the ball at any time?
 *
 * A ball is dropped from a height of 1 and keeps 0.8 of its speed at each bounce. The run chooses its own steps. Afterwards
 * we ask for the highest point between the first two bounces, 0.8^2 at t_1 (1 + 0.8), and for the velocity at the
 * very moment of the first bounce: the one after it. */
#include <brink/history.h>
#include <math.h>
#include <stdio.h>

#define GRAVITY 9.81
#define KEPT 0.8

static int failures;

static void check(bool holds, const char *claim) {
  if (holds) return;
  fprintf(stderr, "history: this does not hold: %s\n", claim);
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
  now->x[1] *= -KEPT;
  return 0;
}

static brink_status make_model(brink_model **model, brink_diag *diag) {
  static const double start[] = {1.0, 0.0}, height[] = {1.0};
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
  def.rhs = fall;
  def.nguards = 1;
  def.guards = &floor;
  return brink_model_create(&def, NULL, diag, model);
}

static brink_status look_back(brink_sim *sim, brink_diag *diag) {
  double first = sqrt(2.0 / GRAVITY), states[2][2];
  brink_history *history = NULL;
  brink_status status = brink_history_create(sim, NULL, NULL, diag, &history);
  if (status == BRINK_OK) status = brink_sim_run(sim, 2.0, diag);
  if (status == BRINK_TIME_REACHED) {
    const brink_event *events;
    size_t count = brink_history_events(history, &events, NULL, NULL);
    double times[] = {(1.0 + KEPT) * first, events[0].t}; /* in any order */
    status = brink_history_at(history, times, 2, states[0], diag);
    printf("%zu bounces in %zu steps\n", count, brink_history_steps(history, NULL) - 1);
  }
  brink_history_destroy(history);
  if (status != BRINK_OK) return status;
  printf("the highest point after the first one: %.9f\n", states[0][0]);
  printf("the velocity with which it left the ground: %.9f\n", states[1][1]);
  check(fabs(states[0][0] - KEPT * KEPT) < 1e-6, "0.64");
  check(fabs(states[1][1] - KEPT * GRAVITY * first) < 1e-6, "0.8 g t_1");
  return BRINK_OK;
}

int main(void) {
  brink_diag diag;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_status status = make_model(&model, &diag);
  if (status == BRINK_OK) status = brink_sim_create(model, NULL, NULL, &diag, &sim);
  if (status == BRINK_OK) status = look_back(sim, &diag);
  if (status != BRINK_OK) fprintf(stderr, "history: %s\n", diag.message);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return status == BRINK_OK && failures == 0 ? 0 : 1;
}
