/* A model that looks stiff, where no stiff method takes over, is told: which, since when; and others are not. */
#include <brink/brink.h>
#include <brink/record.h>
#include <stdlib.h>

#include "check.h"

static const char text[] =
    "ctc Stiff is body\n"
    "declarations state(x, real); mode(m, {\"slow\", \"fast\"}); flag(f, crossing); end "
    "declarations;\n"
    "initial x := 1.0; m := \"slow\"; end initial;\n"
    "dynamics if m = \"fast\" then x' = -1.0e12*(x - cos(time)); else x' = -x; end if;\n"
    "f = time - 2.0; end dynamics;\n"
    "event(f) positive-going m := \"fast\"; end positive-going; end event;\n"
    "end body; end Stiff;\n";

/* x' = -lambda (x - cos t), lambda from t = 1 on; before that, 1. */
typedef struct plant {
  double lambda;
} plant;

static int relax(double t, const double *x, const brink_env *env, double *dx) {
  const plant *p = env->user;
  dx[0] = -(env->mode[0] != 0 ? p->lambda : 1.0) * (x[0] - cos(t));
  return 0;
}
/* Its series, by the recurrence (k + 1) x_(k+1) = -lambda (x_k - c_k). */
static int series(int order, double t, double unit, const double *x, const brink_env *env,
                  double *const *rows) {
  const plant *p = env->user;
  double lambda = env->mode[0] != 0 ? p->lambda : 1.0, c = 1.0;
  double cosines[4] = {cos(t), -sin(t), -cos(t), sin(t)};
  rows[0][0] = x[0];
  for (int k = 0; k < order; k++) {
    rows[0][k + 1] = -lambda * unit * (rows[0][k] - c * cosines[k % 4]) / (k + 1.0);
    c *= unit / (k + 1.0);
  }
  return 0;
}
static int spin(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = 50.0 * x[1];
  dx[1] = -50.0 * x[0];
  return 0;
}
static int wake(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->mode[0] = 1;
  return 0;
}

static const brink_method methods[] = {BRINK_ADAMS, BRINK_TAYLOR, BRINK_DOPRI};

TEST(a_stiff_model_is_told_with_its_time_and_rate) {
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    static const double x0[] = {1.0};
    plant p = {.lambda = 1e12};
    brink_clock_def clock = brink_default_clock("wake");
    clock.period = 1e9, clock.offset = 1.0, clock.tick = wake;
    brink_model_def def = brink_default_model();
    def.nx = 1, def.x0 = x0, def.nmodes = 1, def.rhs = relax, def.user = &p;
    def.nclocks = 1, def.clocks = &clock;
    if (methods[k] == BRINK_TAYLOR) def.flow_jet = series;
    brink_options options = brink_default_options();
    options.method = methods[k];
    options.max_steps = 4000;
    brink_model *model;
    brink_sim *sim;
    brink_stiff_record told;
    CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
    CHECK_INT(brink_sim_create(model, &options, NULL, NULL, &sim), BRINK_OK);
    CHECK(!brink_sim_looks_stiff(sim, &told));
    CHECK_INT(brink_sim_run(sim, 2.0, NULL), BRINK_ERR_WORK); /* it crawls */
    bool stiff = brink_sim_looks_stiff(sim, &told);
    CHECK_MSG(stiff, "%s says nothing", brink_method_name(methods[k]));
    CHECK_NEAR(told.since, 1.0, 1e-6);
    CHECK(told.since >= 1.0);
    CHECK_NEAR(told.rate, 1e12, 1e10);
    CHECK(told.h * told.rate > 0.3 && told.h * told.rate < 30.0);
    CHECK_INT(brink_sim_reset(sim, NULL), BRINK_OK);
    CHECK(!brink_sim_looks_stiff(sim, NULL));
    brink_sim_destroy(sim);
    brink_model_destroy(model);
  }
}

/* 800 turns: many steps, of which accuracy asks. */
TEST(a_model_that_moves_fast_is_not_called_stiff) {
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    if (methods[k] == BRINK_TAYLOR) continue; /* it has no series here */
    for (double rtol = 1e-3; rtol > 1e-11; rtol *= 0.01) {
      static const double x0[] = {1.0, 0.0};
      brink_model_def def = brink_default_model();
      def.nx = 2, def.x0 = x0, def.rhs = spin;
      brink_options options = brink_default_options();
      options.method = methods[k];
      options.rtol = rtol, options.atol = 1e-3 * rtol;
      brink_model *model;
      brink_sim *sim;
      CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
      CHECK_INT(brink_sim_create(model, &options, NULL, NULL, &sim), BRINK_OK);
      CHECK_INT(brink_sim_run(sim, 100.0, NULL), BRINK_TIME_REACHED);
      CHECK(brink_sim_stats(sim)->steps > 2000);
      CHECK_MSG(!brink_sim_looks_stiff(sim, NULL), "%s at %g", brink_method_name(methods[k]), rtol);
      brink_sim_destroy(sim);
      brink_model_destroy(model);
    }
  }
}

static brink_run *start(brink_hsml **model, brink_method method) {
  brink_diag diag;
  brink_run *run = NULL;
  CHECK_MSG(brink_hsml_load_text(text, &diag, model) == BRINK_OK, "%s", diag.message);
  brink_run_options options = brink_default_run();
  options.interpret = true;
  options.sim.method = method;
  options.sim.max_steps = 4000;
  CHECK_MSG(brink_run_create(*model, &options, NULL, &diag, &run) == BRINK_OK, "%s", diag.message);
  return run;
}

TEST(a_run_warns_once_and_says_what_to_try) {
  brink_hsml *model;
  brink_run *run = start(&model, BRINK_DOPRI);
  for (int k = 0; k < 2; k++) CHECK_INT(brink_run_to(run, 3.0, NULL), BRINK_ERR_WORK);
  CHECK_INT(brink_run_finish(run, NULL), BRINK_OK);
  brink_run_outcome outcome = brink_run_result(run);
  CHECK_INT(outcome.nwarnings, 1);
  if (outcome.nwarnings > 0) {
    CHECK_CONTAINS(outcome.warnings[0], "looks stiff since t = 2");
    CHECK_CONTAINS(outcome.warnings[0], "dopri");
    CHECK_CONTAINS(outcome.warnings[0], "method auto, which changes to bdf");
  }
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(auto_changes_the_method_and_has_nothing_to_say) {
  brink_hsml *model;
  brink_run *run = start(&model, BRINK_AUTO);
  CHECK_INT(brink_run_to(run, 3.0, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_run_finish(run, NULL), BRINK_OK);
  CHECK_INT(brink_run_result(run).nwarnings, 0);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

int main(void) {
  RUN(a_stiff_model_is_told_with_its_time_and_rate);
  RUN(a_model_that_moves_fast_is_not_called_stiff);
  RUN(a_run_warns_once_and_says_what_to_try);
  RUN(auto_changes_the_method_and_has_nothing_to_say);
  return check_done();
}
