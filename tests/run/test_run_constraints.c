/* test_run_constraints.c: models with constraints through <brink/hsml.h>: structures, impulses, failures, warnings. */
#include "check.h"

#include <math.h>

#include "agents/agents.h"
#include "native/native.h"
#include "run/run.h"
#include "sim/conditions.h"
#include <brink/record.h>
#include <brink/sensitivity.h>

#define DAE BRINK_SOURCE_DIR "/tests/lang/dae/"

static brink_run *open_run(const char *path, brink_hsml **model) {
  brink_diag diag;
  brink_run_options options;
  brink_run *run = NULL;
  brink_status status = brink_hsml_load_file(path, &diag, model);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  status = brink_hsml_options(*model, &options, &diag);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  options.interpret = true;
  options.sim.rtol = 1e-10;
  options.sim.atol = 1e-13;
  status = brink_run_create(*model, &options, NULL, &diag, &run);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return run;
}

static void close_run(brink_run *run, brink_hsml *model) {
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(a_run_gives_the_constraints_that_hold) {
  brink_hsml *model;
  brink_diag diag;
  brink_run_structure structure;
  brink_run *run = open_run(DAE "clutch.hsml", &model);
  CHECK(brink_run_get_structure(run, &structure, &diag) == BRINK_ERR_ARGUMENT); /* not begun */
  CHECK(brink_run_to(run, 1.0, &diag) == BRINK_TIME_REACHED);
  CHECK(brink_run_get_structure(run, &structure, &diag) == BRINK_OK);
  CHECK_INT(structure.index, 1);
  CHECK_INT(structure.nstates, 2);
  CHECK_INT(structure.nfree, 2);
  CHECK_INT(structure.ntied, 0);
  CHECK(brink_run_to(run, 6.0, &diag) == BRINK_TIME_REACHED);
  CHECK(brink_run_get_structure(run, &structure, &diag) == BRINK_OK);
  CHECK_INT(structure.index, 2);
  CHECK_INT(structure.nfree, 1);
  CHECK_INT(structure.ntied, 1);
  CHECK_INT(structure.tied[1], 2);
  CHECK(strcmp(structure.names[0], "w1") == 0 && strcmp(structure.names[1], "w2") == 0);
  /* A clone knows them, too, and so does its summary. */
  brink_run *clone = NULL;
  brink_bytes json = {0};
  CHECK(brink_run_clone(run, &diag, &clone) == BRINK_OK);
  CHECK(brink_run_get_structure(clone, &structure, &diag) == BRINK_OK);
  CHECK_INT(structure.index, 2);
  CHECK(brink_run_prepare_summary(clone, &diag) == BRINK_OK);
  CHECK(brink_run_to(clone, 7.0, &diag) == BRINK_TIME_REACHED);
  CHECK(brink_run_finish(clone, &diag) == BRINK_OK);
  CHECK(brink_run_summary(clone, &json, &diag) == BRINK_OK);
  CHECK_CONTAINS(json.data, "\"structure\":[\n  {\"from\":6.0,\"to\":6.86");
  brink_bytes_free(&json);
  close_run(clone, NULL);
  close_run(run, model);
}

TEST(a_model_without_constraints_has_no_structure) {
  brink_hsml *model;
  brink_diag diag;
  brink_run_structure structure;
  brink_run *run = open_run(DAE "stiff-rod.hsml", &model);
  CHECK(brink_run_get_structure(run, &structure, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "the model has no constraints");
  close_run(run, model);
}

typedef struct seen {
  size_t events, impulses;
  double impulse, vy_before, vy_after, energy;
} seen;

static int on_event(brink_run *run, const brink_run_event *event, void *user) {
  seen *s = user;
  brink_value vy;
  brink_run_structure structure;
  s->events++;
  CHECK(brink_run_get_structure(run, &structure, NULL) == BRINK_OK);
  CHECK_INT(structure.index, strcmp(event->flag, "taut") == 0 ? 3 : 1);
  if (event->nimpulses == 0) return 0;
  s->impulses++;
  CHECK(brink_run_find(run, "vy", &vy, NULL) == BRINK_OK);
  CHECK(strcmp(event->impulses[0].unknown, "tension") == 0);
  s->impulse = event->impulses[0].value;
  s->vy_before = brink_moment_value(run, event->before, vy);
  s->vy_after = brink_moment_value(run, event->after, vy);
  return 0;
}

TEST(observers_see_impulses_and_the_state_after_them) {
  brink_hsml *model;
  brink_diag diag;
  seen s = {0};
  brink_run *run = open_run(DAE "string-pendulum.hsml", &model);
  brink_run_observe(run, &(brink_run_observer){.event = on_event, .user = &s});
  CHECK(brink_run_to(run, 1.5, &diag) == BRINK_TIME_REACHED);
  CHECK_INT(s.events, 2);
  CHECK_INT(s.impulses, 1);
  CHECK_NEAR(s.vy_before, -3.94976316292820237, 1e-8);
  CHECK_NEAR(s.vy_after, -2.97457568988556784, 1e-8);
  /* vy' = -tension*y: the jump is the impulse times -y. */
  CHECK_NEAR(s.vy_after - s.vy_before, s.impulse * 0.523983646765187327, 1e-8);
  close_run(run, model);
}

TEST(a_failure_is_told_with_its_equations) {
  brink_hsml *model;
  brink_diag diag;
  brink_run *run = open_run(BRINK_SOURCE_DIR "/tests/lang/refused/solution-lost.hsml", &model);
  CHECK(brink_run_to(run, 2.0, &diag) == BRINK_ERR_CONSTRAINT);
  CHECK(diag.reason == BRINK_REASON_UNSOLVED);
  CHECK_INT(diag.nequations, 2);
  CHECK_INT(diag.nstates, 2);
  brink_run_outcome outcome = brink_run_result(run);
  CHECK(outcome.reason != NULL && strcmp(outcome.reason, "constraint") == 0);
  CHECK_CONTAINS(outcome.message,
                 "no values of a, b satisfy these 2 equations at t = 0.75; nearest: ");
  CHECK_CONTAINS(outcome.rendered, "solution-lost.hsml:17:7: error: no values of a, b");
  CHECK_CONTAINS(outcome.rendered, "      a = b;\n      ^\nhint: give a guess near the solution\n");
  CHECK(brink_run_reset(run, &diag) == BRINK_OK);
  CHECK(brink_run_to(run, 0.5, &diag) == BRINK_TIME_REACHED);
  outcome = brink_run_result(run);
  CHECK(outcome.rendered == NULL && outcome.message == NULL);
  close_run(run, model);
}

TEST(what_constraints_do_not_go_with_is_unsupported) {
  brink_hsml *model;
  brink_diag diag;
  brink_run *run = open_run(DAE "pendulum.hsml", &model);
  brink_sensitivity *sensitivity = NULL;
  CHECK(brink_sensitivity_create(run->sim, NULL, NULL, &diag, &sensitivity) ==
        BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(diag.message, "models with constraints");
  brink_conditions *conditions = NULL;
  brink_conditions_def def = {0};
  CHECK(brink_conditions_create(run->sim, &def, NULL, &diag, &conditions) == BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(diag.message, "models with constraints");
  brink_population_def population = {.model = brink_instance_model(run->instance), .count = 2};
  brink_agents_def agents_def = {.populations = &population, .npopulations = 1};
  brink_agents *agents = NULL;
  CHECK(brink_agents_create(&agents_def, NULL, &diag, &agents) == BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(diag.message, "agents with constraints cannot have clocks of their own");
  brink_run_options options;
  CHECK(brink_hsml_options(model, &options, &diag) == BRINK_OK);
  options.interpret = options.conditions = true;
  brink_run *other = NULL;
  CHECK(brink_run_create(model, &options, NULL, &diag, &other) == BRINK_ERR_UNSUPPORTED);
  close_run(run, model);
}

/* u = sqrt(h2) from 0 on, 2 u u' = (0.9 - 2 u)/2: the time at which u is reached is -2 (u + 0.45 log(1 - u/0.45)), and u by
 * halving. */
static double exact_level(double t) {
  double low = 0.0, high = 0.45;
  for (int k = 0; k < 60; k++) {
    double u = 0.5 * (low + high);
    if (-2.0 * (u + 0.45 * log1p(-u / 0.45)) < t)
      low = u;
    else
      high = u;
  }
  return low * low;
}

/* The second tank runs empty at t = 1, where its outflow has no series, and stays empty until the first one spills over, at
 * t = (1 - 0.4) 3/0.9; from then on it goes to the level at which 2 sqrt(h2) is the inflow. */
TEST(a_tank_that_runs_empty_does_not_hold_up_the_other) {
  brink_hsml *model;
  brink_diag diag;
  brink_run_options options;
  brink_run *run = NULL;
  double h2;
  CHECK(brink_hsml_load_file(BRINK_SOURCE_DIR "/models/tanks-that-join/model.hsml", &diag,
                             &model) == BRINK_OK);
  CHECK(brink_hsml_set(model, "tanks.A1", 3.0, &diag) == BRINK_OK);
  CHECK(brink_hsml_set(model, "tanks.k", 2.0, &diag) == BRINK_OK);
  CHECK(brink_hsml_options(model, &options, &diag) == BRINK_OK);
  options.interpret = true;
  options.sim.max_steps = 1000;
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK);
  CHECK_INT(brink_run_to(run, 12.0, &diag), BRINK_TIME_REACHED);
  CHECK(brink_run_get(run, "tanks.h2", &h2, &diag) == BRINK_OK);
  CHECK_NEAR(h2, exact_level(10.0), 1e-6);
  close_run(run, model);
}

int main(void) {
  RUN(a_run_gives_the_constraints_that_hold);
  RUN(a_model_without_constraints_has_no_structure);
  RUN(observers_see_impulses_and_the_state_after_them);
  RUN(a_failure_is_told_with_its_equations);
  RUN(what_constraints_do_not_go_with_is_unsupported);
  RUN(a_tank_that_runs_empty_does_not_hold_up_the_other);
  return check_done();
}
