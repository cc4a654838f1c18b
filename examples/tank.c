/* tank.c: the smallest whole program. A tank is pumped empty and leaks: h' = -1 - sqrt(h). Below
 * h = 0 the right-hand side has no value. Exact: empty at t = 2 - 2 ln 2. */
#include <brink/brink.h>
#include <math.h>
#include <stdio.h>

static int tank(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -1.0 - sqrt(x[0]);
  return 0;
}

static int stop(const brink_event *event, brink_now *now, void *user) {
  (void)now, (void)user;
  printf("'%s' at t = %.8f, level %.0e\n", event->name, event->t, event->value);
  return BRINK_STOPPED;
}

int main(void) {
  const double full[] = {1.0}, level[] = {1.0};
  brink_guard_def empty = brink_default_guard("empty"); /* g = 1.0*h */
  empty.coefficients = level;
  empty.side = BRINK_UNILATERAL; /* never evaluate the model past it */
  empty.action = stop;

  brink_model_def def = brink_default_model();
  def.nx = 1;
  def.x0 = full;
  def.rhs = tank;
  def.nguards = 1;
  def.guards = &empty;

  brink_options options = brink_default_options();
  options.rtol = 1e-8;
  options.atol = 1e-11;

  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  brink_status status = brink_model_create(&def, NULL, &diag, &model);
  if (status == BRINK_OK) status = brink_sim_create(model, &options, NULL, &diag, &sim);
  if (status == BRINK_OK) status = brink_sim_run(sim, 10.0, &diag);
  if (status < 0) fprintf(stderr, "tank: %s\n", diag.message);

  bool right = status == BRINK_STOPPED && fabs(brink_sim_time(sim) - 2.0 + 2.0 * log(2.0)) < 1e-7;
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return right ? 0 : 1;
}
