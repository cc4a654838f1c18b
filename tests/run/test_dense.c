/* The columns of a trajectory at any time: what a row there has, or would have had. */
#include <brink/record.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/counting.h"
#include "support/file_runs.h"

/* Modes, samples, random numbers, constraints, delays, timers, rules, accumulation, … */
static const char *const models[] = {
    MODEL("thermostat"),
    MODEL("bouncing-ball"),
    MODEL("water-network"),
    MODEL("mmc-queue"),
    MODEL("sampled-thermostat"),
    MODEL("string-pendulum"),
    MODEL("diode-bridge"),
    MODEL("delayed-relay"),
    MODEL("cartesian-pendulum"),
    MODEL("elevator"),
    MODEL("timers"),
    MODEL("depletion"),
    MODEL("simultaneous"),
    MODEL("heat-rod"),
    MODEL("two-tank-zeno"),
    MODEL("mackey-glass"),
    MODEL("slider-crank"),
    MODEL("melting-rod"),
    MODEL("lqr"),
    MODEL("compass-gait"),
    MODEL("dry-friction"),
};
/* … and sliding. Where a surface lets go without an event, the rows have no values after it. */
static const char *const slides[] = {MODEL("stick-slip"), MODEL("sliding"), MODEL("clutch"),
                                     MODEL("sliding-mode"), MODEL("relay")};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool same_bits(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* ---- against rows ---- */

/* The last row of each time has the values after its instant. */
static void compare_rows(const char *path, brink_run *run) {
  brink_trajectory all;
  brink_diag diag;
  CHECK(brink_run_trajectory(run, &all, NULL) == BRINK_OK);
  size_t width = all.ncolumns + 1, different = 0;
  double *now = calloc(width, sizeof *now);
  for (size_t row = all.rows; row-- > 0;) { /* backwards: in any order */
    const double *values = all.values + row * width;
    if (row + 1 < all.rows && values[width] == values[0]) continue;
    brink_status status = brink_run_trajectory_at(run, values, 1, NULL, all.ncolumns, now, &diag);
    CHECK_MSG(status == BRINK_OK, "%s: %s", path, diag.message);
    for (size_t k = 0; status == BRINK_OK && k < all.ncolumns; k++) {
      if (same_bits(now[k], values[k + 1])) continue;
      different++;
      CHECK_MSG(false, "%s: %s at %.17g is %.17g, and was %.17g", path, all.columns[k].name,
                values[0], now[k], values[k + 1]);
    }
  }
  CHECK_MSG(all.rows > 1 && different == 0, "%s: %zu differences", path, different);
  free(now);
}

/* States, variables, outputs, flags, and derivatives where there are any. */
static void keep_all(brink_run *run) {
  if (brink_run_keep(run, "*, *'", NULL) != BRINK_OK)
    CHECK(brink_run_keep(run, "*", NULL) == BRINK_OK);
}

static void record_and_look(const char *path, double parts) {
  brink_hsml *model = load_model(path);
  brink_run_options options = options_of(model);
  if (parts > 0.0) options.every = options.until / parts;
  brink_run *run = make(model, &options);
  brink_diag diag;
  keep_all(run);
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  CHECK_MSG(brink_run_keep_dense(run, &diag) == BRINK_OK, "%s: %s", path, diag.message);
  brink_run_to(run, options.until, NULL);
  brink_run_finish(run, NULL);
  compare_rows(path, run);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(rows_inside_steps_are_what_dense_output_gives_later) {
  for (size_t k = 0; k < COUNT(models); k++) record_and_look(models[k], 211.7);
  for (size_t k = 0; k < COUNT(slides); k++) record_and_look(slides[k], 211.7);
}

TEST(rows_of_steps_and_after_instants_likewise) {
  for (size_t k = 0; k < COUNT(models); k++) record_and_look(models[k], 0.0);
}

/* ---- closed forms ---- */

static brink_hsml *load(const char *text) {
  brink_diag diag;
  brink_hsml *model = NULL;
  CHECK_MSG(brink_hsml_load_text(text, &diag, &model) == BRINK_OK, "%s", diag.message);
  return model;
}

/* The trajectory need not be kept: the first column is the first state. */
static double first_at(brink_run *run, double t) {
  size_t column = 0;
  double value = NAN;
  brink_diag diag;
  brink_status status = brink_run_trajectory_at(run, &t, 1, &column, 1, &value, &diag);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return value;
}

TEST(a_block_that_sticks_has_no_acceleration_and_slips_from_its_release_on) {
  brink_hsml *model = load_model(MODEL("stick-slip"));
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options);
  CHECK(brink_run_keep(run, "block.v'", NULL) == BRINK_OK);
  CHECK(brink_run_keep_dense(run, NULL) == BRINK_OK);
  brink_run_to(run, options.until, NULL);
  /* models/stick-slip/README.md: it sticks until t = 2. */
  CHECK(first_at(run, 1.0) == 0.0);
  CHECK(first_at(run, 2.0 - 1e-12) == 0.0);
  CHECK_NEAR(first_at(run, 2.0), -0.5, 1e-12);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* x' = -x with a flag, from t = 2 back to t = -1. */
TEST(a_run_backwards_has_dense_output_in_the_time_of_the_model) {
  brink_hsml *model =
      load("ctc Decay is body declarations state(x, real); variable(y, real); flag(one);\n"
           "end declarations; initial x := exp(-2.0); end initial;\n"
           "dynamics x' = -x; one = x - 1.0; y = x + time; end dynamics; end body; end Decay;\n");
  brink_run_options options = options_of(model);
  options.sim.rtol = 1e-11;
  options.sim.atol = 1e-13;
  options.from = 2.0;
  options.until = -1.0;
  brink_run *run = make(model, &options);
  CHECK(brink_run_keep(run, "x, y, x'", NULL) == BRINK_OK);
  CHECK(brink_run_keep_dense(run, NULL) == BRINK_OK);
  CHECK(brink_run_to(run, -1.0, NULL) == BRINK_TIME_REACHED);
  double x[3];
  brink_diag diag;
  for (double t = -1.0; t <= 2.0; t += 0.0625) {
    CHECK(brink_run_trajectory_at(run, &t, 1, NULL, 3, x, &diag) == BRINK_OK);
    CHECK_NEAR(x[0], exp(-t), 1e-9);
    CHECK_NEAR(x[1], exp(-t) + t, 1e-9);
    CHECK_NEAR(x[2], -exp(-t), 1e-9);
  }
  double t = 2.001;
  CHECK(brink_run_trajectory_at(run, &t, 1, NULL, 3, x, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "[-1, 2]");
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* ---- against brink_run_get_at on the way ---- */

TEST(inside_a_step_it_gives_what_the_run_gave_at_the_time) {
  enum { STEPS = 400 };
  brink_hsml *model = load_model(MODEL("sampled-thermostat"));
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options);
  brink_trajectory all;
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  CHECK(brink_run_keep_dense(run, NULL) == BRINK_OK);
  brink_status status = brink_run_step(run, options.until, NULL);
  CHECK(brink_run_trajectory(run, &all, NULL) == BRINK_OK);
  size_t ncolumns = all.ncolumns, count = 0;
  brink_value *values = calloc(ncolumns, sizeof *values);
  double *t = calloc(STEPS, sizeof *t), *was = calloc(STEPS * ncolumns, sizeof *was);
  double *is = calloc(STEPS * ncolumns, sizeof *is);
  for (size_t k = 0; k < ncolumns; k++)
    CHECK(brink_run_find(run, all.columns[k].name, &values[k], NULL) == BRINK_OK);
  while (count < STEPS && (status == BRINK_STEPPED || status == BRINK_EVENT)) {
    double from = brink_run_time(run);
    status = brink_run_step(run, options.until, NULL);
    t[count] = from + 0.37 * (brink_run_time(run) - from);
    if (brink_run_time(run) > from &&
        brink_run_get_at(run, t[count], values, ncolumns, was + count * ncolumns, NULL) == BRINK_OK)
      count++;
  }
  CHECK(count > 20);
  CHECK(brink_run_trajectory_at(run, t, count, NULL, ncolumns, is, NULL) == BRINK_OK);
  brink_run_trajectory(run, &all, NULL);
  for (size_t k = 0; k < count * ncolumns; k++) {
    if (all.columns[k % ncolumns].nlabels == 0)
      CHECK_MSG(is[k] == was[k], "%s at %.17g is %.17g, and was %.17g",
                all.columns[k % ncolumns].name, t[k / ncolumns], is[k], was[k]);
  }
  free(values);
  free(t);
  free(was);
  free(is);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* ---- the run is the same ---- */

TEST(a_run_with_dense_output_is_the_same_run) {
  for (size_t k = 0; k < COUNT(models) + COUNT(slides); k++) {
    const char *path = k < COUNT(models) ? models[k] : slides[k - COUNT(models)];
    brink_hsml *model = load_model(path);
    brink_run_options options = options_of(model);
    brink_run *with = make(model, &options), *without = make(model, &options);
    CHECK(brink_run_keep_dense(with, NULL) == BRINK_OK);
    CHECK(brink_run_to(with, options.until, NULL) == brink_run_to(without, options.until, NULL));
    brink_run_info a = brink_run_information(with), b = brink_run_information(without);
    CHECK_MSG(a.stats.steps == b.stats.steps && a.stats.rhs == b.stats.rhs &&
                  a.stats.events == b.stats.events && a.stats.guards == b.stats.guards &&
                  brink_run_time(with) == brink_run_time(without),
              "%s: another run", path);
    brink_run_finish(with, NULL);
    brink_run_finish(without, NULL);
    brink_run_destroy(with);
    brink_run_destroy(without);
    brink_hsml_destroy(model);
  }
}

TEST(looking_back_on_the_way_changes_nothing) {
  for (size_t k = 0; k < COUNT(slides); k++) {
    brink_hsml *model = load_model(slides[k]);
    brink_run_options options = options_of(model);
    brink_run *looks = make(model, &options), *alone = make(model, &options);
    keep_all(looks);
    CHECK(brink_run_keep_dense(looks, NULL) == BRINK_OK);
    brink_status status = BRINK_STEPPED;
    for (int step = 0; step < 200 && (status == BRINK_STEPPED || status == BRINK_EVENT); step++) {
      status = brink_run_step(looks, options.until, NULL);
      brink_run_step(alone, options.until, NULL);
      CHECK_MSG(brink_run_time(looks) == brink_run_time(alone), "%s, step %d", slides[k], step);
      for (int j = 0; j < 5; j++) first_at(looks, 0.2 * j * brink_run_time(looks));
    }
    brink_run_destroy(looks);
    brink_run_destroy(alone);
    brink_hsml_destroy(model);
  }
}

/* ---- resets, clones, refusals, memory ---- */

TEST(a_clone_has_dense_output_from_its_present_on) {
  brink_hsml *model = load_model(MODEL("sampled-thermostat"));
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options), *clone = NULL;
  brink_diag diag;
  double t = 1.0, out;
  size_t column = 0;
  CHECK(brink_run_keep_dense(run, NULL) == BRINK_OK);
  CHECK(brink_run_to(run, 5.0, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_clone(run, &diag, &clone) == BRINK_OK);
  CHECK(brink_run_trajectory_at(clone, &t, 1, &column, 1, &out, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_keep_dense(clone, &diag) == BRINK_OK);
  brink_run_to(clone, 10.0, NULL);
  brink_run_to(run, 10.0, NULL);
  for (t = 5.0; t <= 10.0; t += 0.0625) CHECK(first_at(run, t) == first_at(clone, t));
  t = 4.9;
  CHECK(brink_run_trajectory_at(clone, &t, 1, &column, 1, &out, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "[5, 10]");
  brink_run_destroy(clone);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(what_was_written_on_the_way_holds_from_then_on) {
  brink_hsml *model = load("ctc Decay is body declarations state(x, real); variable(y, real);\n"
                           "end declarations; initial x := 1.0; end initial;\n"
                           "dynamics x' = -x; y = 2.0*x; end dynamics; end body; end Decay;\n");
  brink_run_options options = options_of(model);
  options.sim.rtol = 1e-10;
  brink_run *run = make(model, &options);
  static const double times[] = {1.0, 1.0 - 1e-12, 1.5};
  static const size_t columns[] = {1};
  double y[3];
  CHECK(brink_run_keep(run, "x, y", NULL) == BRINK_OK);
  CHECK(brink_run_keep_dense(run, NULL) == BRINK_OK);
  brink_run_to(run, 1.0, NULL);
  CHECK(brink_run_set(run, "x", 3.0, NULL) == BRINK_OK);
  brink_run_to(run, 2.0, NULL);
  CHECK(brink_run_trajectory_at(run, times, 3, columns, 1, y, NULL) == BRINK_OK);
  CHECK(y[0] == 6.0);
  CHECK_NEAR(y[1], 2.0 * exp(-1.0), 1e-8);
  CHECK_NEAR(y[2], 6.0 * exp(-0.5), 1e-7);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(wrong_calls_are_refused_with_a_reason) {
  brink_hsml *model = load_model(MODEL("bouncing-ball"));
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options), *plain = make(model, &options);
  brink_diag diag;
  double t = 0.5, out[64];
  size_t column = 999;
  CHECK(brink_run_keep_dense(NULL, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_keep_dense(run, &diag) == BRINK_OK);
  CHECK(brink_run_keep_dense(run, &diag) == BRINK_OK); /* once is enough */
  CHECK(brink_run_trajectory_at(run, &t, 1, NULL, 1, out, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "has not begun");
  brink_run_to(run, 1.0, NULL);
  brink_run_to(plain, 1.0, NULL);
  CHECK(brink_run_keep_dense(plain, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "has begun already");
  CHECK(brink_run_trajectory_at(plain, &t, 1, NULL, 1, out, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "brink_run_keep_dense");
  CHECK(brink_run_trajectory_at(run, &t, 1, &column, 1, out, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "columns[0] is 999");
  CHECK(brink_run_trajectory_at(run, &t, 1, NULL, 63, out, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "count is 63");
  column = 0;
  static const double wrong[] = {-0.1, 1.1, NAN, INFINITY};
  for (size_t k = 0; k < COUNT(wrong); k++) {
    CHECK(brink_run_trajectory_at(run, &wrong[k], 1, &column, 1, out, &diag) == BRINK_ERR_ARGUMENT);
    CHECK_CONTAINS(diag.message, "times[0]");
  }
  t = nextafter(1.0, 2.0);
  CHECK(brink_run_trajectory_at(run, &t, 1, &column, 1, out, &diag) == BRINK_OK);
  CHECK(brink_run_trajectory_at(run, NULL, 0, NULL, 0, NULL, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_trajectory_at(run, NULL, 0, &column, 1, NULL, &diag) == BRINK_OK);
  CHECK(brink_run_trajectory_at(NULL, &t, 1, &column, 1, out, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_reset(run, &diag) == BRINK_OK); /* ends it, as all recordings */
  brink_run_to(run, 1.0, NULL);
  CHECK(brink_run_trajectory_at(run, &t, 1, &column, 1, out, &diag) == BRINK_ERR_ARGUMENT);
  brink_run_destroy(run);
  brink_run_destroy(plain);
  brink_hsml_destroy(model);
}

TEST(agents_with_clocks_of_their_own_have_none) {
  brink_hsml *model = load_model(MODEL("bumper-cars"));
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options);
  brink_diag diag;
  double t = 0.0, out;
  size_t column = 0;
  CHECK(brink_run_information(run).agents > 0);
  CHECK(brink_run_keep_dense(run, &diag) == BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(diag.message, "brink_run_output");
  CHECK(brink_run_trajectory_at(run, &t, 1, &column, 1, &out, &diag) == BRINK_ERR_UNSUPPORTED);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(where_memory_ends_the_run_goes_on_and_looking_back_is_refused) {
  brink_hsml *model = load_model(MODEL("heat-rod"));
  brink_run_options options = options_of(model);
  counting memory = {0};
  brink_allocator allocator = counting_allocator(&memory);
  brink_diag diag;
  brink_run *run = NULL, *alone = make(model, &options);
  CHECK(brink_run_create(model, &options, &allocator, &diag, &run) == BRINK_OK);
  CHECK(brink_run_keep_dense(run, &diag) == BRINK_OK);
  brink_run_step(run, options.until, NULL);
  CHECK_NEAR(first_at(run, 0.0), first_at(run, 0.0), 0.0);
  memory.fail_at = memory.calls + 1; /* from now on there is none */
  memory.fail_on = true;
  brink_run_to(run, options.until, NULL);
  brink_run_to(alone, options.until, NULL);
  CHECK(brink_run_time(run) == brink_run_time(alone));
  memory.fail_at = 0;
  double t = 0.0, out;
  size_t column = 0;
  CHECK(brink_run_trajectory_at(run, &t, 1, &column, 1, &out, &diag) == BRINK_ERR_MEMORY);
  CHECK_CONTAINS(diag.message, "out of memory");
  brink_run_destroy(run);
  CHECK_INT(memory.live, 0);
  CHECK_INT(memory.mismatch, 0);
  brink_run_destroy(alone);
  brink_hsml_destroy(model);
}

int main(void) {
  RUN(rows_inside_steps_are_what_dense_output_gives_later);
  RUN(rows_of_steps_and_after_instants_likewise);
  RUN(a_block_that_sticks_has_no_acceleration_and_slips_from_its_release_on);
  RUN(a_run_backwards_has_dense_output_in_the_time_of_the_model);
  RUN(inside_a_step_it_gives_what_the_run_gave_at_the_time);
  RUN(a_run_with_dense_output_is_the_same_run);
  RUN(looking_back_on_the_way_changes_nothing);
  RUN(a_clone_has_dense_output_from_its_present_on);
  RUN(what_was_written_on_the_way_holds_from_then_on);
  RUN(wrong_calls_are_refused_with_a_reason);
  RUN(agents_with_clocks_of_their_own_have_none);
  RUN(where_memory_ends_the_run_goes_on_and_looking_back_is_refused);
  return check_done();
}
