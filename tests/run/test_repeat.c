/* A run that is repeated takes the same steps, to the last bit, whatever became of the first one. */
#include <brink/record.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/file_runs.h"

static brink_run *repeat(const brink_run *run) {
  brink_diag diag;
  brink_run *again = NULL;
  CHECK_MSG(brink_run_repeat(run, false, &diag, &again) == BRINK_OK, "%s", diag.message);
  return again;
}

/* To the end, with a trajectory. */
static brink_status go(brink_run *run, double until) {
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  brink_status status = brink_run_to(run, until, NULL);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK);
  return status;
}

static bool same_event(const brink_trajectory_event *a, const brink_trajectory_event *b) {
  return a->t == b->t && a->flag == b->flag && a->row == b->row && a->direction == b->direction &&
         a->agents[0] == b->agents[0] && a->agents[1] == b->agents[1];
}

static bool same_trajectory(brink_run *run, brink_run *again) {
  brink_trajectory a = {0}, b = {0};
  CHECK(brink_run_trajectory(run, &a, NULL) == BRINK_OK);
  CHECK(brink_run_trajectory(again, &b, NULL) == BRINK_OK);
  if (a.rows != b.rows || a.ncolumns != b.ncolumns || a.nevents != b.nevents) return false;
  for (size_t k = 0; k < a.nevents; k++) {
    if (!same_event(&a.events[k], &b.events[k])) return false;
  }
  return a.rows > 0 && memcmp(a.values, b.values, a.rows * (a.ncolumns + 1) * sizeof(double)) == 0;
}

static bool same_outcome(brink_run *run, brink_run *again) {
  brink_run_outcome a = brink_run_result(run), b = brink_run_result(again);
  brink_stats s = brink_run_information(run).stats, r = brink_run_information(again).stats;
  bool alike = (a.message == NULL) == (b.message == NULL) &&
               (a.message == NULL || strcmp(a.message, b.message) == 0);
  return alike && strcmp(a.status, b.status) == 0 && a.t == b.t && s.steps == r.steps &&
         s.rhs == r.rhs && a.nwarnings == b.nwarnings;
}

/* Three runs: one, its repetition, and the repetition of that, when the first is gone. */
static bool repeats(brink_hsml *model, const brink_run_options *options) {
  brink_run *run = make(model, options);
  brink_status status = go(run, options->until);
  brink_run *again = repeat(run);
  CHECK(go(again, options->until) == status);
  bool same = same_trajectory(run, again) && same_outcome(run, again);
  brink_run_destroy(run);
  brink_run *third = repeat(again);
  CHECK(go(third, options->until) == status);
  same = same && same_trajectory(third, again) && same_outcome(third, again);
  brink_run_destroy(again);
  brink_run_destroy(third);
  return same;
}

/* ---- many models ---- */

TEST(every_model_can_be_repeated) {
  DIR *directory = opendir(BRINK_SOURCE_DIR "/models");
  size_t count = 0;
  CHECK(directory != NULL);
  for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
    char path[512];
    snprintf(path, sizeof path, BRINK_SOURCE_DIR "/models/%.200s/model.hsml", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file == NULL) continue;
    fclose(file);
    brink_hsml *model = load_model(path);
    brink_run_options options = options_of(model);
    CHECK_MSG(repeats(model, &options), "%s differs when it is repeated", entry->d_name);
    brink_hsml_destroy(model);
    count++;
  }
  if (directory != NULL) closedir(directory);
  CHECK_MSG(count > 70, "%zu models", count);
}

TEST(with_every_method) {
  static const char *const names[] = {MODEL("thermostat"), MODEL("stick-slip"), MODEL("elevator"),
                                      MODEL("two-crossings"), MODEL("van-der-pol")};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    for (int method = BRINK_AUTO; method <= BRINK_BDF; method++) {
      brink_hsml *model = load_model(names[k]);
      brink_run_options options = options_of(model);
      options.sim.method = (brink_method)method;
      bool fixed = method >= BRINK_EULER && method <= BRINK_TRAPEZOID;
      options.sim.step = fixed ? 0.01 : 0.0;
      options.until = fmin(options.until, 5.0);
      CHECK_MSG(repeats(model, &options), "%s by %s differs when it is repeated", names[k],
                brink_method_name((brink_method)method));
      brink_hsml_destroy(model);
    }
  }
}

TEST(with_machine_code_and_in_several_threads) {
  static const char *const names[] = {MODEL("thermostat"), MODEL("bumper-cars")};
  for (size_t k = 0; k < 2; k++) {
    brink_hsml *model = load_model(names[k]);
    brink_run_options options = options_of(model);
    options.interpret = false;
    options.native = true;
    options.threads = 2;
    CHECK_MSG(repeats(model, &options), "%s differs when it is repeated", names[k]);
    brink_hsml_destroy(model);
  }
}

/* ---- where the first run is ---- */

TEST(whatever_became_of_the_first_run) {
  static const char *const names[] = {MODEL("thermostat"), MODEL("bumper-cars")};
  for (size_t k = 0; k < 2; k++) {
    brink_hsml *model = load_model(names[k]);
    brink_run_options options = options_of(model);
    brink_run *whole = make(model, &options), *run = make(model, &options), *again[4];
    brink_hsml_destroy(model); /* runs do not need it */
    again[0] = repeat(run);    /* before it begins */
    for (int step = 0; step < 20; step++) brink_run_step(run, options.until, NULL);
    again[1] = repeat(run); /* in the middle */
    brink_run_cancel(run);
    CHECK(brink_run_to(run, options.until, NULL) == BRINK_CANCELLED);
    again[2] = repeat(run); /* cancelled */
    brink_run_finish(run, NULL);
    again[3] = repeat(run); /* finished before its end */
    go(whole, options.until);
    for (size_t j = 0; j < 4; j++) {
      CHECK(brink_run_time(again[j]) == 0.0);
      CHECK(go(again[j], options.until) == BRINK_TIME_REACHED);
      CHECK_MSG(same_trajectory(whole, again[j]), "%s, %zu", names[k], j);
      brink_run_destroy(again[j]);
    }
    brink_run_destroy(run);
    brink_run_destroy(whole);
  }
}

/* ---- values ---- */

static double get(brink_run *run, const char *name) {
  double value = NAN;
  CHECK(brink_run_get(run, name, &value, NULL) == BRINK_OK);
  return value;
}

static void start_elsewhere(const char *path, const char *name, double value) {
  brink_hsml *model = load_model(path);
  brink_run_options options = options_of(model);
  brink_run *plain = make(model, &options), *run = make(model, &options), *clone = NULL;
  CHECK(brink_run_set(run, name, 0.5 * value, NULL) == BRINK_OK); /* a later value wins */
  CHECK(brink_run_set(run, name, value, NULL) == BRINK_OK);
  CHECK(brink_run_clone(run, NULL, &clone) == BRINK_OK);
  go(plain, options.until);
  go(run, options.until);
  go(clone, options.until);
  brink_run *again = repeat(run), *third = repeat(clone);
  CHECK(get(again, name) == value);
  go(again, options.until);
  go(third, options.until);
  CHECK_MSG(same_trajectory(run, again) && !same_trajectory(run, plain), "%s: %s", path, name);
  CHECK_MSG(same_trajectory(run, clone) && same_trajectory(run, third), "%s: %s", path, name);
  brink_run *runs[] = {plain, run, clone, again, third};
  for (size_t k = 0; k < 5; k++) brink_run_destroy(runs[k]);
  brink_hsml_destroy(model);
}

TEST(values_that_were_written_before_the_first_step_are_those_of_the_start) {
  start_elsewhere(MODEL("thermostat"), "room.T", 21.5);
  start_elsewhere(MODEL("bumper-cars"), "car[3].theta", 0.25);
}

TEST(a_run_that_was_changed_on_its_way_cannot_be_repeated) {
  static const char *const names[] = {MODEL("thermostat"), MODEL("bumper-cars")};
  static const char *const values[] = {"room.T", "car[3].theta"};
  for (size_t k = 0; k < 2; k++) {
    brink_hsml *model = load_model(names[k]);
    brink_run_options options = options_of(model);
    brink_run *run = make(model, &options), *again = NULL, *clone = NULL;
    brink_diag diag;
    CHECK(brink_run_to(run, 1.0, NULL) == BRINK_TIME_REACHED);
    CHECK(brink_run_clone(run, NULL, &clone) == BRINK_OK);
    CHECK(brink_run_repeat(clone, false, &diag, &again) == BRINK_ERR_ARGUMENT && again == NULL);
    CHECK_MSG(strstr(diag.message, "clone") != NULL, "%s", diag.message);
    CHECK(brink_run_set(run, "nobody", 1.0, NULL) == BRINK_ERR_ARGUMENT); /* changes nothing */
    CHECK(brink_run_repeat(run, false, &diag, &again) == BRINK_OK);
    brink_run_destroy(again);
    CHECK(brink_run_set(run, values[k], get(run, values[k]) + 0.25, NULL) == BRINK_OK);
    CHECK(brink_run_repeat(run, false, &diag, &again) == BRINK_ERR_ARGUMENT && again == NULL);
    CHECK_MSG(strstr(diag.message, "changed") != NULL, "%s", diag.message);
    CHECK(brink_run_reset(run, NULL) == BRINK_OK); /* from here on it can */
    go(run, options.until);
    again = repeat(run);
    go(again, options.until);
    CHECK(same_trajectory(run, again));
    brink_run_destroy(again);
    brink_run_destroy(clone);
    brink_run_destroy(run);
    brink_hsml_destroy(model);
  }
}

TEST(options_and_inputs_are_those_of_the_first_run) {
  static const char integral[] =
      "ctc I is interface input(u, signal); end interface; body\n"
      "declarations state(x, real); state(y, real); parameter(k, real); end declarations;\n"
      "initial x := 0.0; y := 1.0; end initial;\n"
      "dynamics x' = u; y' = -k*y; end dynamics;\n"
      "assignments k : 1.0; u : 0.0; end assignments; end body; end I;\n";
  const char *const inputs[] = {"u"};
  const double t[] = {0.0, 1.0, 2.0}, u[] = {0.0, 1.0, 0.0};
  double *atols = calloc(2, sizeof *atols);
  brink_hsml *model = NULL;
  CHECK(brink_hsml_load_text(integral, NULL, &model) == BRINK_OK);
  CHECK(brink_hsml_set(model, "k", 0.5, NULL) == BRINK_OK);
  CHECK(brink_hsml_set_inputs(
            model,
            &(brink_hsml_inputs){.names = inputs, .count = 1, .t = t, .rows = 3, .values = u},
            NULL) == BRINK_OK);
  brink_run_options options = options_of(model);
  if (atols != NULL) atols[0] = atols[1] = 1e-4;
  options.sim.atols = atols;
  options.sim.rtol = 1e-4;
  options.every = 0.5;
  options.until = 3.0;
  brink_run *run = make(model, &options);
  free(atols); /* the run does not need it */
  brink_hsml_set(model, "k", 0.7, NULL);
  brink_hsml_set_inputs(model, NULL, NULL);
  CHECK(brink_run_keep(run, "x", NULL) == BRINK_OK);
  go(run, options.until);
  brink_run *again = repeat(run);
  go(again, options.until);
  CHECK(same_trajectory(run, again) && same_outcome(run, again));
  CHECK_NEAR(get(again, "x"), 1.0, 1e-3);
  CHECK_NEAR(get(again, "y"), exp(-1.5), 1e-3);
  brink_run_destroy(run);
  brink_run_destroy(again);
  brink_hsml_destroy(model);
}

/* ---- conditions ---- */

TEST(conditions_are_had_by_repeating) {
  brink_hsml *model = load_model(MODEL("thermostat"));
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options), *again = NULL, *asked;
  brink_trajectory a, b, c;
  CHECK(go(run, options.until) == BRINK_TIME_REACHED);
  CHECK(brink_run_repeat(run, true, NULL, &again) == BRINK_OK);
  CHECK(go(again, options.until) == BRINK_TIME_REACHED && same_trajectory(run, again));
  options.conditions = true;
  asked = make(model, &options);
  CHECK(go(asked, options.until) == BRINK_TIME_REACHED);
  CHECK(brink_run_trajectory(run, &a, NULL) == BRINK_OK);
  CHECK(brink_run_trajectory(again, &b, NULL) == BRINK_OK);
  CHECK(brink_run_trajectory(asked, &c, NULL) == BRINK_OK);
  CHECK(a.nevents > 5 && b.nevents == a.nevents && c.nevents == a.nevents);
  for (size_t k = 0; k < a.nevents; k++) {
    CHECK(isnan(a.events[k].condition) && b.events[k].condition >= 1.0);
    CHECK_NEAR(b.events[k].condition, c.events[k].condition, 1e-9 * c.events[k].condition);
  }
  brink_run_destroy(asked);
  brink_run_destroy(again);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(conditions_are_refused_where_there_are_none) {
  static const char *const names[] = {MODEL("bumper-cars"), MODEL("string-pendulum"),
                                      MODEL("delayed-relay")};
  for (size_t k = 0; k < 3; k++) {
    brink_hsml *model = load_model(names[k]);
    brink_run_options options = options_of(model);
    brink_run *run = make(model, &options), *again = NULL;
    brink_diag diag;
    CHECK(brink_run_repeat(run, true, &diag, &again) == BRINK_ERR_UNSUPPORTED && again == NULL);
    CHECK_MSG(strstr(diag.message, "condition") != NULL, "%s", diag.message);
    brink_run_destroy(run);
    brink_hsml_destroy(model);
  }
  CHECK(brink_run_repeat(NULL, false, NULL, NULL) == BRINK_ERR_ARGUMENT);
}

int main(void) {
  RUN(every_model_can_be_repeated);
  RUN(with_every_method);
  RUN(with_machine_code_and_in_several_threads);
  RUN(whatever_became_of_the_first_run);
  RUN(values_that_were_written_before_the_first_step_are_those_of_the_start);
  RUN(a_run_that_was_changed_on_its_way_cannot_be_repeated);
  RUN(options_and_inputs_are_those_of_the_first_run);
  RUN(conditions_are_had_by_repeating);
  RUN(conditions_are_refused_where_there_are_none);
  return check_done();
}
