/* test_resolution.c: far from t = 0 no interval is skipped, and time and state move by the same; where time does not
 * resolve the step that is needed, the run says so. */
#include "brink/brink.h"
#include "check.h"

#include <math.h>

static int runs_on(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0;
  return 0;
}

static int swings(double t, const double *x, const brink_env *env, double *dx) {
  (void)x, (void)env;
  dx[0] = 1e3 * cos(1e3 * t);
  return 0;
}

/* To t0 + part, t0 + 2 part, …: each an instant at which a run could skip what is left. */
static brink_status run_parts(brink_rhs_fn *rhs, brink_method method, double t0, double part,
                              int parts, double *x, double *way, brink_diag *diag) {
  static const double zero[] = {0.0};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.rhs = rhs, def.x0 = zero, def.t0 = t0;
  brink_options options = brink_default_options();
  options.method = method;
  bool fixed = method >= BRINK_EULER && method <= BRINK_TRAPEZOID;
  if (fixed) options.step = part / 3.0;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  CHECK_INT(brink_model_create(&def, NULL, diag, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, &options, NULL, diag, &sim), BRINK_OK);
  brink_status status = BRINK_TIME_REACHED;
  for (int k = 1; k <= parts && status == BRINK_TIME_REACHED; k++)
    status = brink_sim_run(sim, t0 + k * part, diag);
  *x = brink_sim_state(sim)[0];
  *way = brink_sim_time(sim) - t0;
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return status;
}

TEST(time_and_state_move_by_the_same) {
  static const struct {
    double t0, part;
  } cases[] = {{0.0, 0.25}, {1e6, 1e-9}, {1.7e9, 1e-5}, {1e13, 0.25}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    for (int m = BRINK_AUTO; m <= BRINK_BDF; m++) {
      double x, way;
      brink_diag diag;
      if (m == BRINK_TAYLOR) continue; /* takes series */
      brink_status status =
          run_parts(runs_on, (brink_method)m, cases[c].t0, cases[c].part, 40, &x, &way, &diag);
      CHECK_INT(status, BRINK_TIME_REACHED);
      CHECK_NEAR(x, way, 1e-6 * way);
      CHECK_NEAR(way, 40.0 * cases[c].part, 0.01 * way);
    }
  }
}

TEST(a_step_that_time_does_not_resolve_is_named) {
  static const brink_method methods[] = {BRINK_AUTO, BRINK_ADAMS, BRINK_DOPRI, BRINK_BDF};
  for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
    double x, way;
    brink_diag diag;
    brink_status status = run_parts(swings, methods[m], 1e13, 0.25, 4, &x, &way, &diag);
    CHECK_INT(status, BRINK_ERR_STEP);
    CHECK_INT(diag.reason, BRINK_REASON_STEP_RESOLUTION);
    CHECK(diag.value == nextafter(1e13, (double)INFINITY) - 1e13);
  }
}

int main(void) {
  RUN(time_and_state_move_by_the_same);
  RUN(a_step_that_time_does_not_resolve_is_named);
  return check_done();
}
