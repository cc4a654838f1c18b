/* The front door <brink/hsml.h>: from a text to a run, compared with closed forms, with the core's own calls, and with
 * what the program writes. */
#include <brink/record.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

/* x(t) = x0 exp(-k t); the flag `low` falls to zero at t = ln(x0/0.5)/k. */
static const char decay[] = "ctc Decay is\n"
                            "  interface knob(k); output(y, signal); end interface;\n"
                            "  body\n"
                            "    declarations\n"
                            "      state(x, real);\n"
                            "      parameter(k, real, (0.0, 10.0));\n"
                            "      mode(phase, {\"high\", \"low\"});\n"
                            "      flag(low, crossing);\n"
                            "    end declarations;\n"
                            "    initial x := 1.0; phase := \"high\"; end initial;\n"
                            "    dynamics x' = -k*x; low = x - 0.5; end dynamics;\n"
                            "    output y = 2.0*x; end output;\n"
                            "    event(low) negative-going phase := \"low\"; end negative-going; "
                            "end event;\n"
                            "    assignments k : 1.0; end assignments;\n"
                            "  end body;\n"
                            "end Decay;\n";

static brink_hsml *load(const char *text) {
  brink_diag diag;
  brink_hsml *model = NULL;
  brink_status status = brink_hsml_load_text(text, &diag, &model);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return model;
}

static brink_run *make(brink_hsml *model) {
  brink_diag diag;
  brink_run *run = NULL;
  brink_run_options options;
  CHECK(brink_hsml_options(model, &options, &diag) == BRINK_OK);
  options.interpret = true;
  options.sim.rtol = 1e-10;
  brink_status status = brink_run_create(model, &options, NULL, &diag, &run);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return run;
}

static double get(brink_run *run, const char *name) {
  double value = NAN;
  CHECK(brink_run_get(run, name, &value, NULL) == BRINK_OK);
  return value;
}

/* ---- messages ---- */

TEST(errors_are_structured) {
  static const char wrong[] = "ctc C is body declarations state(x, real); end declarations;\n"
                              "initial x := 0.0; end initial;\n"
                              "dynamics x' = hight; end dynamics; end body; end C;\n";
  brink_hsml *model = NULL;
  const brink_hsml_message *m = NULL;
  CHECK(brink_hsml_load_text(wrong, NULL, &model) == BRINK_ERR_MODEL);
  CHECK(model != NULL && brink_hsml_messages(model, &m) == 1);
  CHECK(strcmp(m->code, "unknown-name") == 0 && m->severity == BRINK_ERROR);
  CHECK(m->line == 3 && m->column == 15 && m->length == 5);
  CHECK(m->narguments >= 1 && strcmp(m->arguments[0], "hight") == 0);
  CHECK(strstr(m->rendered, "^^^^^") != NULL);
  brink_hsml_destroy(model);
}

TEST(a_wrong_setting_is_refused_and_can_be_mended) {
  brink_hsml *model = load(decay);
  brink_diag diag;
  CHECK(brink_hsml_set(model, "kk", 2.0, NULL) == BRINK_OK);
  CHECK(brink_hsml_build(model, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_MSG(strstr(diag.message, "kk") != NULL, "%s", diag.message);
  brink_hsml_unset(model);
  CHECK(brink_hsml_build(model, &diag) == BRINK_OK);
  CHECK(brink_hsml_set(model, "k", 20.0, NULL) == BRINK_OK);
  CHECK(brink_hsml_build(model, &diag) == BRINK_ERR_ARGUMENT); /* outside its range */
  brink_hsml_destroy(model);
}

TEST(a_value_that_is_set_again_replaces_the_earlier_one) {
  static const char vector[] = "ctc V is body declarations state(x[3], real); end declarations;\n"
                               "initial x := [1.0, 2.0, 3.0]; end initial;\n"
                               "dynamics x' = -x; end dynamics; end body; end V;\n";
  brink_hsml *model = load(decay);
  CHECK(brink_hsml_set(model, "k", 20.0, NULL) == BRINK_OK); /* outside its range: … */
  CHECK(brink_hsml_set(model, "k", 2.0, NULL) == BRINK_OK);  /* … nobody sees it */
  CHECK(brink_hsml_build(model, NULL) == BRINK_OK);
  brink_hsml_destroy(model);
  model = load(vector);
  brink_hsml_set(model, "x[2]", 7.0, NULL);
  brink_hsml_set_text(model, "x", "[4, 5, 6]", NULL);
  brink_run *run = make(model);
  CHECK(get(run, "x[1]") == 4.0 && get(run, "x[2]") == 5.0);
  brink_run_destroy(run);
  brink_hsml_set(model, "x[2]", 8.0, NULL); /* the order is that of the last values */
  run = make(model);
  CHECK(get(run, "x[1]") == 4.0 && get(run, "x[2]") == 8.0 && get(run, "x[3]") == 6.0);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* ---- lists ---- */

TEST(what_there_is_is_listed) {
  brink_hsml *model = load(decay);
  const brink_hsml_item *items;
  char name[32];
  CHECK(brink_hsml_items(model, BRINK_HSML_STATE, &items) == 1);
  CHECK(strcmp(items[0].name, "x") == 0 && items[0].value == 1.0 && items[0].line == 5);
  CHECK(brink_hsml_element_name(model, &items[0], 0, name, sizeof name) == 1);
  CHECK(brink_hsml_items(model, BRINK_HSML_PARAMETER, &items) == 1);
  CHECK(items[0].knob && items[0].has_range && items[0].hi == 10.0);
  CHECK(brink_hsml_items(model, BRINK_HSML_MODE, &items) == 1);
  CHECK(items[0].type == BRINK_HSML_STRING && strcmp(items[0].text, "high") == 0);
  CHECK(brink_hsml_items(model, BRINK_HSML_FLAG, &items) == 1 && strcmp(items[0].name, "low") == 0);
  CHECK(brink_hsml_items(model, BRINK_HSML_OUTPUT, &items) == 1);
  brink_hsml_destroy(model);
}

/* ---- values ---- */

TEST(a_run_gives_the_closed_form) {
  brink_hsml *model = load(decay);
  brink_hsml_set(model, "k", 0.7, NULL);
  brink_run *run = make(model);
  brink_hsml_destroy(model); /* runs do not need it */
  CHECK(brink_run_next_event(run, 2.0, NULL) == BRINK_EVENT);
  CHECK(fabs(brink_run_time(run) - log(2.0) / 0.7) < 1e-9);
  CHECK(strcmp(brink_run_get_text(run, "phase"), "low") == 0);
  CHECK(brink_run_to(run, 2.0, NULL) == BRINK_TIME_REACHED);
  CHECK(fabs(get(run, "x") - exp(-1.4)) < 1e-9 && get(run, "y") == 2.0 * get(run, "x"));
  double value;
  brink_diag diag;
  CHECK(brink_run_get(run, "z", &value, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_set(run, "y", 1.0, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_set(run, "x", NAN, &diag) == BRINK_ERR_ARGUMENT);
  brink_run_destroy(run);
}

TEST(dense_output_does_not_change_the_steps) {
  brink_hsml *model = load(decay);
  brink_run *plain = make(model), *read = make(model);
  brink_value x;
  CHECK(brink_run_find(read, "x", &x, NULL) == BRINK_OK);
  for (int k = 1; k <= 20; k++) {
    double t = 0.1 * k, value = NAN;
    CHECK(brink_run_output(read, t, 2.0, NULL) == BRINK_TIME_REACHED);
    CHECK(brink_run_get_at(read, t, &x, 1, &value, NULL) == BRINK_OK);
    CHECK_MSG(fabs(value - exp(-t)) < 1e-9, "x(%g) = %.17g", t, value);
  }
  CHECK(brink_run_to(read, 2.0, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_to(plain, 2.0, NULL) == BRINK_TIME_REACHED);
  CHECK(get(read, "x") == get(plain, "x"));
  CHECK(brink_run_information(read).stats.steps == brink_run_information(plain).stats.steps);
  brink_run_destroy(plain);
  brink_run_destroy(read);
  brink_hsml_destroy(model);
}

/* max_steps is a limit of every call that takes several steps. */
TEST(output_takes_no_more_steps_than_a_call_may) {
  brink_hsml *model = load(decay);
  brink_run_options options;
  brink_run *run = NULL;
  brink_value x;
  brink_diag diag;
  double value = NAN;
  CHECK(brink_hsml_options(model, &options, NULL) == BRINK_OK);
  options.interpret = true;
  options.sim.method = BRINK_ADAMS;
  options.sim.rtol = 1e-8;
  options.sim.max_steps = 4;
  CHECK(brink_run_create(model, &options, NULL, NULL, &run) == BRINK_OK);
  CHECK(brink_run_find(run, "x", &x, NULL) == BRINK_OK);
  brink_status status = BRINK_ERR_WORK;
  int calls = 0;
  for (; status == BRINK_ERR_WORK && calls < 1000; calls++) {
    int64_t before = brink_run_information(run).stats.steps;
    status = brink_run_output(run, 1.5, 2.0, &diag);
    CHECK(brink_run_information(run).stats.steps - before <= 4);
    if (status == BRINK_ERR_WORK) CHECK_CONTAINS(diag.message, "max_steps = 4");
  }
  CHECK(status == BRINK_TIME_REACHED && calls > 2);
  CHECK(brink_run_get_at(run, 1.5, &x, 1, &value, NULL) == BRINK_OK);
  CHECK_NEAR(value, exp(-1.5), 1e-6);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(values_may_be_written_on_the_way) {
  brink_hsml *model = load(decay);
  brink_run_options options;
  brink_run *run = NULL;
  brink_diag diag;
  CHECK(brink_hsml_options(model, &options, NULL) == BRINK_OK);
  options.interpret = true;
  options.sim.rtol = 1e-10;
  options.writable = BRINK_WRITE_ALL;
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK);
  CHECK(brink_run_to(run, 1.0, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_set(run, "x", 3.0, &diag) == BRINK_OK);
  CHECK(brink_run_set(run, "k", 0.5, &diag) == BRINK_OK);
  CHECK(brink_run_set_text(run, "phase", "high", &diag) == BRINK_OK);
  CHECK(brink_run_to(run, 2.0, NULL) == BRINK_TIME_REACHED);
  CHECK(fabs(get(run, "x") - 3.0 * exp(-0.5)) < 1e-8);
  CHECK(brink_run_set(run, "k", 11.0, &diag) == BRINK_ERR_ARGUMENT);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* Counts how often x comes above 1; y has a corner there. */
static const char counter[] =
    "ctc Counter is interface input(u, signal); output(y, signal); end interface;\n"
    "body declarations state(x, real); state(n, integer); parameter(rate, real);\n"
    "flag(above, crossing); end declarations;\n"
    "initial x := 0.0; n := 0; end initial;\n"
    "dynamics x' = rate*u; above = x - 1.0; end dynamics;\n"
    "output y = abs(x - 1.0); end output;\n"
    "event(above) positive-going n := n + 1; end positive-going; end event;\n"
    "assignments rate : 0.1; u : 1.0; end assignments; end body; end Counter;\n";

static brink_run *make_writable(brink_hsml *model, brink_writable writable) {
  brink_run_options options = brink_default_run();
  brink_run *run = NULL;
  brink_diag diag;
  options.interpret = true;
  options.writable = writable;
  CHECK_MSG(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK, "%s", diag.message);
  return run;
}

TEST(what_jumps_by_a_write_happens_at_once) {
  brink_hsml *model = load(counter);
  brink_run *run = make_writable(model, BRINK_WRITE_INPUTS);
  CHECK(brink_run_to(run, 0.5, NULL) == BRINK_TIME_REACHED && get(run, "n") == 0.0);
  CHECK(brink_run_set(run, "x", 3.0, NULL) == BRINK_OK);
  CHECK(get(run, "n") == 1.0 && get(run, "y") == 2.0);
  CHECK(brink_run_set(run, "u", 0.0, NULL) == BRINK_OK);
  CHECK(brink_run_to(run, 1.0, NULL) == BRINK_TIME_REACHED && get(run, "x") == 3.0);
  CHECK(brink_run_set(run, "rate", 1.0, NULL) == BRINK_ERR_ARGUMENT);
  brink_run_destroy(run);
  run = make_writable(model, BRINK_WRITE_STATES);
  CHECK(brink_run_to(run, 0.5, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_set(run, "u", 0.0, NULL) == BRINK_ERR_ARGUMENT);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(a_wrong_argument_does_not_end_a_run) {
  brink_hsml *model = load(decay);
  brink_run *run = make(model);
  CHECK(brink_run_to(run, 1.0, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_to(run, 0.5, NULL) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_step(run, (double)NAN, NULL) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_to(run, 1.5, NULL) == BRINK_TIME_REACHED);
  CHECK(isnan(brink_run_time(NULL)) && brink_run_get(run, "x", NULL, NULL) == BRINK_ERR_ARGUMENT);
  CHECK(isnan(brink_run_value(run, (brink_value){.variable = 0, .element = 99})));
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* ---- code ---- */

static brink_run *make_native(brink_hsml *model, double rtol) {
  brink_run_options options;
  brink_run *run = NULL;
  brink_diag diag;
  CHECK(brink_hsml_options(model, &options, NULL) == BRINK_OK);
  options.native = true;
  options.sim.rtol = rtol;
  CHECK_MSG(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK, "%s", diag.message);
  return run;
}

/* Whatever was run before: the value of x at t = 1, with another k and another tolerance each time. */
static double decayed(brink_hsml *model, double k, double rtol, double *seconds) {
  CHECK(brink_hsml_set(model, "k", k, NULL) == BRINK_OK);
  brink_run *first = make_native(model, rtol), *second = make_native(model, rtol);
  *seconds = brink_run_information(first).compile_seconds;
  CHECK(brink_run_information(second).compile_seconds == 0.0);
  CHECK(brink_run_to(first, 1.0, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_to(second, 1.0, NULL) == BRINK_TIME_REACHED);
  double x = get(first, "x");
  CHECK(x == get(second, "x"));
  brink_run_destroy(first);
  brink_run_destroy(second);
  return x;
}

TEST(runs_of_one_model_share_their_code) {
  brink_hsml *model = load(decay);
  double seconds;
  decayed(model, 1.0, 1e-6, &seconds);
  CHECK(seconds > 0.0);
  decayed(model, 1.0, 1e-9, &seconds); /* series have another order */
  for (int k = 1; k < 6; k++) {
    brink_hsml *fresh = load(decay);
    double rtol = k % 2 == 0 ? 1e-6 : 1e-9, x = decayed(model, 0.5 * k, rtol, &seconds);
    CHECK(seconds == 0.0);
    CHECK(x == decayed(fresh, 0.5 * k, rtol, &seconds) && seconds > 0.0);
    CHECK_NEAR(x, exp(-0.5 * k), 10.0 * rtol);
    brink_hsml_destroy(fresh);
  }
  brink_hsml_destroy(model);
}

/* x leaves its range at t = ln 4. */
static const char leaving[] =
    "ctc Leaving is body declarations state(x, real, (0.25, 2.0)); parameter(k, real);\n"
    "flag(half, crossing); end declarations;\n"
    "initial x := 1.0; end initial; dynamics x' = -k*x; half = x - k*0.5; end dynamics;\n"
    "event(half) negative-going note(\"half\"); end negative-going; end event;\n"
    "assignments k : 1.0; end assignments; end body; end Leaving;\n";

static brink_run *make_with(brink_hsml *model, const brink_run_options *options) {
  brink_run *run = NULL;
  brink_diag diag;
  CHECK_MSG(brink_run_create(model, options, NULL, &diag, &run) == BRINK_OK, "%s", diag.message);
  return run;
}

/* Settings in turn, always of the same model: each run is that of a model that was never run before. */
TEST(code_is_shared_only_where_settings_are_the_same) {
  brink_hsml *model = load(leaving);
  for (int k = 0; k < 32; k++) {
    brink_run_options options = brink_default_run();
    options.interpret = (k & 1) != 0;
    options.native = !options.interpret;
    options.range_warns = (k & 2) != 0;
    options.writable = (k & 4) != 0 ? BRINK_WRITE_ALL : BRINK_WRITE_STATES;
    options.sim.rtol = (k & 8) != 0 ? 1e-6 : 1e-10;
    options.sim.method = (k & 16) != 0 ? BRINK_BDF : BRINK_AUTO;
    brink_hsml *fresh = load(leaving);
    brink_run *run = make_with(model, &options), *other = make_with(fresh, &options);
    CHECK((strcmp(brink_run_information(run).engine, "interpreter") == 0) == options.interpret);
    CHECK(brink_run_to(run, 0.5, NULL) == BRINK_TIME_REACHED);
    CHECK(brink_run_to(other, 0.5, NULL) == BRINK_TIME_REACHED);
    bool may = options.writable == BRINK_WRITE_ALL;
    CHECK((brink_run_set(run, "k", 1.1, NULL) == BRINK_OK) == may);
    CHECK((brink_run_set(other, "k", 1.1, NULL) == BRINK_OK) == may);
    brink_status status = brink_run_to(run, 3.0, NULL);
    CHECK(status == brink_run_to(other, 3.0, NULL) && (status >= 0) == options.range_warns);
    CHECK(get(run, "x") == get(other, "x") && brink_run_time(run) == brink_run_time(other));
    brink_stats a = brink_run_information(run).stats, b = brink_run_information(other).stats;
    CHECK(a.steps == b.steps && a.rhs == b.rhs && a.events == b.events && a.method == b.method);
    brink_run_destroy(run);
    brink_run_destroy(other);
    brink_hsml_destroy(fresh);
  }
  brink_hsml_destroy(model);
}

/* ---- again and twice ---- */

TEST(a_reset_run_is_a_fresh_run) {
  brink_hsml *model = load(decay);
  brink_run *again = make(model), *fresh = make(model);
  CHECK(brink_run_to(again, 1.3, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_reset(again, NULL) == BRINK_OK && brink_run_time(again) == 0.0);
  CHECK(brink_run_set(again, "x", 2.0, NULL) == BRINK_OK);
  CHECK(brink_run_set(fresh, "x", 2.0, NULL) == BRINK_OK);
  CHECK(brink_run_to(again, 2.0, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_to(fresh, 2.0, NULL) == BRINK_TIME_REACHED);
  CHECK(get(again, "x") == get(fresh, "x"));
  CHECK(fabs(get(again, "x") - 2.0 * exp(-2.0)) < 1e-9);
  brink_run_destroy(again);
  brink_run_destroy(fresh);
  brink_hsml_destroy(model);
}

static brink_hsml *load_model(const char *path) {
  brink_diag diag;
  brink_hsml *model = NULL;
  CHECK_MSG(brink_hsml_load_file(path, &diag, &model) == BRINK_OK, "%s", diag.message);
  return model;
}

/* A clone in the middle, and the original, end like a run that was never cloned. */
static void compare_clone(const char *path, const char *name, double middle, double end) {
  brink_hsml *model = load_model(path);
  brink_run *run = make(model), *whole = make(model), *clone = NULL;
  brink_diag diag;
  while (brink_run_time(run) < middle) {
    brink_status status = brink_run_step(run, end, &diag);
    CHECK_MSG(status == BRINK_STEPPED || status == BRINK_EVENT, "%d: %s", status, diag.message);
    if (status != BRINK_STEPPED && status != BRINK_EVENT) break;
  }
  brink_status status = brink_run_clone(run, &diag, &clone);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  brink_run_to(run, end, NULL);
  brink_run_to(clone, end, NULL);
  brink_run_to(whole, end, NULL);
  CHECK(get(run, name) == get(clone, name) && get(run, name) == get(whole, name));
  CHECK(brink_run_information(run).stats.steps == brink_run_information(whole).stats.steps);
  CHECK(brink_run_information(clone).stats.steps == brink_run_information(whole).stats.steps);
  brink_run_destroy(run);
  brink_run_destroy(clone);
  brink_run_destroy(whole);
  brink_hsml_destroy(model);
}

TEST(clones_go_on_alike) {
  compare_clone(BRINK_SOURCE_DIR "/models/thermostat/model.hsml", "room.T", 9.0, 24.0);
  compare_clone(BRINK_SOURCE_DIR "/models/bumper-cars/model.hsml", "car[3].x", 20.0, 60.0);
}

TEST(agents_have_the_same_calls) {
  brink_hsml *model = load_model(BRINK_SOURCE_DIR "/models/bumper-cars/model.hsml");
  brink_run *run = make(model), *fresh = make(model);
  CHECK(brink_run_information(run).agents == 20);
  double x0 = get(run, "car[3].x");
  CHECK(brink_run_to(run, 30.0, NULL) == BRINK_TIME_REACHED && get(run, "car[3].x") != x0);
  CHECK(brink_run_reset(run, NULL) == BRINK_OK && get(run, "car[3].x") == x0);
  CHECK(brink_run_to(run, 30.0, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_to(fresh, 30.0, NULL) == BRINK_TIME_REACHED);
  CHECK(get(run, "car[3].x") == get(fresh, "car[3].x"));
  double theta = get(run, "car[3].theta");
  CHECK(brink_run_set(run, "car[3].theta", theta + 0.25, NULL) == BRINK_OK);
  CHECK(get(run, "car[3].theta") == theta + 0.25);
  CHECK(brink_run_to(run, 31.0, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_to(fresh, 31.0, NULL) == BRINK_TIME_REACHED);
  CHECK(get(run, "car[3].x") != get(fresh, "car[3].x"));
  brink_run_destroy(run);
  brink_run_destroy(fresh);
  brink_hsml_destroy(model);
}

/* Limits that come nearer must not change what happens. */
TEST(agents_go_alike_whatever_the_limits_of_calls) {
  brink_hsml *model = load_model(BRINK_SOURCE_DIR "/models/bumper-discs/model.hsml");
  brink_run *plain = make(model), *mixed = make(model);
  brink_diag diag;
  CHECK(brink_run_to(plain, 12.0, NULL) == BRINK_TIME_REACHED);
  for (double t = 0.0; t < 12.0; t = brink_run_time(mixed)) {
    brink_status status = brink_run_step(mixed, fmin(t + 3.0, 12.0), &diag);
    CHECK_MSG(status >= 0, "%s", diag.message);
    double near = fmin(brink_run_time(mixed) + 0.01, 12.0);
    status = brink_run_to(mixed, near, &diag);
    CHECK_MSG(status == BRINK_TIME_REACHED, "%d %s", status, diag.message);
    CHECK(brink_run_time(mixed) == near);
    if (status != BRINK_TIME_REACHED) break;
  }
  CHECK(fabs(get(mixed, "disc[1].x") - get(plain, "disc[1].x")) < 1e-6);
  brink_run_destroy(plain);
  brink_run_destroy(mixed);
  plain = make(model);
  brink_value x;
  double value;
  CHECK(brink_run_find(plain, "disc[1].x", &x, NULL) == BRINK_OK);
  for (int k = 0; k <= 100; k++) {
    CHECK(brink_run_output(plain, 0.1 * k, 12.0, &diag) == BRINK_TIME_REACHED);
    CHECK(brink_run_get_at(plain, 0.1 * k, &x, 1, &value, &diag) == BRINK_OK);
  }
  brink_run_destroy(plain);
  brink_hsml_destroy(model);
}

/* ---- observers and cancelling ---- */

typedef struct seen {
  int events;
  double t, before, after;
  brink_value phase;
} seen;

static int on_event(brink_run *run, const brink_run_event *event, void *user) {
  seen *s = user;
  s->events++;
  s->t = event->t;
  s->before = brink_moment_value(run, event->before, s->phase);
  s->after = brink_moment_value(run, event->after, s->phase);
  return strcmp(event->flag, "low") == 0 ? 1 : 0; /* stop there */
}

TEST(an_observer_sees_before_and_after_and_may_stop) {
  brink_hsml *model = load(decay);
  brink_run *run = make(model);
  seen s = {0};
  CHECK(brink_run_find(run, "phase", &s.phase, NULL) == BRINK_OK);
  brink_run_observe(run, &(brink_run_observer){.event = on_event, .user = &s});
  CHECK(brink_run_to(run, 2.0, NULL) == BRINK_STOPPED);
  CHECK(s.events == 1 && fabs(s.t - log(2.0)) < 1e-9);
  CHECK(strcmp(brink_run_text(run, s.before), "high") == 0);
  CHECK(strcmp(brink_run_text(run, s.after), "low") == 0);
  CHECK(brink_run_time(run) == s.t); /* not a step later */
  CHECK(strcmp(brink_run_result(run).status, "stopped") == 0);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

static void *cancel(void *run) {
  brink_run_cancel(run);
  return NULL;
}

TEST(another_thread_cancels) {
  static const char swing[] =
      "ctc Swing is body declarations state(x, real); state(v, real); end declarations;\n"
      "initial x := 1.0; v := 0.0; end initial;\n"
      "dynamics x' = v; v' = -sin(x); end dynamics; end body; end Swing;\n";
  brink_hsml *model = load(swing);
  brink_run *run = make(model);
  pthread_t thread;
  CHECK(brink_run_to(run, 1.0, NULL) == BRINK_TIME_REACHED);
  CHECK(pthread_create(&thread, NULL, cancel, run) == 0);
  CHECK(brink_run_to(run, 1e9, NULL) == BRINK_CANCELLED);
  pthread_join(thread, NULL);
  double t = brink_run_time(run);
  CHECK(t < 1e9 && brink_run_to(run, t + 1.0, NULL) == BRINK_TIME_REACHED); /* it goes on */
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* ---- where texts come from ---- */

static int read_import(const char *path, const char **text, size_t *length, const char **reason,
                       void *user) {
  *text = strstr(path, "decay.hsml") != NULL ? user : NULL;
  if (*text == NULL) *reason = "only decay.hsml is here";
  *length = *text != NULL ? strlen(*text) : 0;
  return *text != NULL ? 0 : 1;
}

TEST(imports_come_from_the_reader) {
  static const char whole[] = "import \"decay.hsml\";\n"
                              "system S is body components one : Decay; end components;\n"
                              "simulation until : 1.0; end simulation; end body; end S;\n";
  brink_hsml_reader reader = {.read = read_import, .user = (void *)(uintptr_t)decay};
  brink_hsml_def def = brink_default_hsml();
  brink_hsml *model = NULL;
  brink_diag diag;
  def.text = whole;
  def.reader = &reader;
  brink_status status = brink_hsml_load(&def, NULL, &diag, &model);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  brink_run *run = make(model);
  CHECK(brink_run_to(run, 1.0, NULL) == BRINK_TIME_REACHED);
  CHECK(fabs(get(run, "one.x") - exp(-1.0)) < 1e-9);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  CHECK(brink_hsml_load_file("/no/such/model.hsml", &diag, &model) == BRINK_ERR_FILE);
}

/* Texts by path, as a program may have them in memory. */
static int read_library(const char *path, const char **text, size_t *length, const char **reason,
                        void *user) {
  (void)reason;
  *text = strcmp(path, "shelf/decay.hsml") == 0 ? user : NULL;
  *length = *text != NULL ? strlen(*text) : 0;
  return *text != NULL ? 0 : 1;
}

TEST(imports_are_looked_for_in_the_import_path) {
  static const char whole[] = "import \"decay.hsml\";\n"
                              "system S is body components one : Decay; end components;\n"
                              "simulation until : 1.0; end simulation; end body; end S;\n";
  const char *const directories[] = {"attic/", "shelf"};
  brink_hsml_reader reader = {.read = read_library, .user = (void *)(uintptr_t)decay};
  brink_hsml_def def = brink_default_hsml();
  brink_hsml *model = NULL;
  brink_diag diag;
  def.text = whole;
  def.reader = &reader;
  CHECK(brink_hsml_load(&def, NULL, &diag, &model) == BRINK_ERR_MODEL);
  brink_hsml_destroy(model);
  def.import_path = directories;
  def.nimport_path = 2;
  CHECK(brink_hsml_load(&def, NULL, &diag, &model) == BRINK_OK);
  brink_hsml_destroy(model);
}

/* ---- inputs ---- */

TEST(inputs_follow_a_table) {
  static const char driven[] = "ctc Integral is interface input(u, signal); end interface;\n"
                               "body declarations state(x, real); end declarations;\n"
                               "initial x := 0.0; end initial; dynamics x' = u; end dynamics;\n"
                               "end body; end Integral;\n";
  brink_hsml *model = load(driven);
  const char *names[] = {"u"};
  double t[] = {0.0, 1.0, 2.0}, values[] = {0.0, 2.0, 2.0};
  brink_hsml_inputs inputs = {.names = names, .count = 1, .t = t, .rows = 3, .values = values};
  CHECK(brink_hsml_set_inputs(model, &inputs, NULL) == BRINK_OK);
  brink_run *run = make(model);
  CHECK(brink_run_to(run, 2.0, NULL) == BRINK_TIME_REACHED);
  CHECK(fabs(get(run, "x") - 3.0) < 1e-8); /* a triangle and a rectangle */
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(connected_inputs_are_read_by_their_names) {
  static const char joined[] =
      "ctc Source is interface output(s, signal); end interface;\n"
      "body output s = 3*time; end output; end body; end Source;\n"
      "ctc Integral is interface input(u, signal); end interface;\n"
      "body declarations state(x, real); end declarations;\n"
      "initial x := 0.0; end initial; dynamics x' = u; end dynamics; end body; end Integral;\n"
      "system S is body components a : Source; b : Integral; end components;\n"
      "connections connect(a.s, b.u); end connections; end body; end S;\n";
  brink_hsml *model = load(joined);
  brink_run *run = make(model);
  brink_diag diag;
  CHECK(brink_run_to(run, 2.0, NULL) == BRINK_TIME_REACHED);
  CHECK(fabs(get(run, "b.u") - 6.0) < 1e-12);
  CHECK(brink_run_set(run, "b.u", 1.0, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(strstr(diag.message, "'b.u' is connected") != NULL);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* ---- what is left behind ---- */

TEST(what_is_kept_is_chosen_before_the_run) {
  brink_hsml *model = load(decay);
  brink_run *run = make(model);
  brink_bytes memory = {0};
  brink_diag diag;
  CHECK(brink_run_keep(run, "z", &diag) == BRINK_ERR_ARGUMENT);
  CHECK_MSG(strstr(diag.message, "there is no 'z'") != NULL, "%s", diag.message);
  CHECK(brink_run_keep(run, "x'", &diag) == BRINK_OK);
  CHECK(brink_run_record_memory(run, "csv", NULL) == BRINK_OK);
  brink_run_to(run, 2.0, NULL);
  CHECK(brink_run_keep(run, "x", &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK);
  CHECK(brink_run_recorded(run, &memory, &diag) == BRINK_OK);
  CHECK(memory.data != NULL && strncmp(memory.data, "time,x'\n0,-", 11) == 0);
  brink_bytes_free(&memory);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(results_in_memory_are_those_of_a_file) {
  brink_hsml *model = load(decay);
  brink_run *run = make(model), *other = make(model);
  brink_bytes memory = {0}, json = {0};
  brink_diag diag;
  CHECK(brink_run_record_memory(run, "csv", NULL) == BRINK_OK);
  CHECK(brink_run_prepare_summary(run, NULL) == BRINK_OK);
  CHECK(brink_run_record(other, "front-door.csv", NULL) == BRINK_OK);
  brink_run_to(run, 2.0, NULL);
  brink_run_to(other, 2.0, NULL);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK && brink_run_finish(other, NULL) == BRINK_OK);
  CHECK_MSG(brink_run_recorded(run, &memory, &diag) == BRINK_OK, "%s", diag.message);
  CHECK(memory.data != NULL && strncmp(memory.data, "time,", 5) == 0);
  char *file = calloc(1, memory.length + 2);
  FILE *stream = fopen("front-door.csv", "rb");
  CHECK(file != NULL && stream != NULL &&
        fread(file, 1, memory.length + 1, stream) == memory.length);
  CHECK(memcmp(file, memory.data, memory.length) == 0);
  if (stream != NULL) fclose(stream);
  remove("front-door.csv");
  free(file);
  CHECK(brink_run_summary(run, &json, NULL) == BRINK_OK);
  CHECK(strstr(json.data, "\"status\":\"finished\"") != NULL &&
        strstr(json.data, "\"flag\":\"low\"") != NULL);
  CHECK(brink_run_record(run, "late.csv", &diag) == BRINK_ERR_ARGUMENT);
  brink_bytes_free(&memory);
  brink_bytes_free(&json);
  brink_run_destroy(run);
  brink_run_destroy(other);
  brink_hsml_destroy(model);
}

TEST(a_report_is_a_page) {
  brink_hsml *model = load(decay);
  brink_run *run = make(model);
  brink_bytes page = {0};
  CHECK(brink_run_prepare_report(run, NULL) == BRINK_OK);
  brink_run_to(run, 2.0, NULL);
  CHECK(brink_run_report(run, &page, NULL) == BRINK_ERR_ARGUMENT); /* not finished */
  CHECK(brink_run_finish(run, NULL) == BRINK_OK);
  CHECK(brink_run_report(run, &page, NULL) == BRINK_OK);
  CHECK(page.data != NULL && strstr(page.data, "Decay") != NULL);

  /* The same once more, in another second. */
  for (time_t then = time(NULL); time(NULL) == then;) continue;
  brink_bytes again = {0};
  CHECK(brink_run_report(run, &again, NULL) == BRINK_OK);
  CHECK(again.length == page.length && memcmp(again.data, page.data, page.length) == 0);
  brink_bytes_free(&page);
  brink_bytes_free(&again);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(a_failure_has_a_reason) {
  static const char edge[] =
      "ctc Edge is body declarations state(x, real, (0.0, 1.0)); end declarations;\n"
      "initial x := 0.5; end initial; dynamics x' = 1.0; end dynamics; end body; end Edge;\n";
  brink_hsml *model = load(edge);
  brink_run *run = make(model);
  CHECK(brink_run_to(run, 2.0, NULL) < 0);
  brink_run_outcome outcome = brink_run_result(run);
  CHECK(strcmp(outcome.status, "failed") == 0 && strcmp(outcome.reason, "range") == 0);
  CHECK(strstr(outcome.message, "x") != NULL && fabs(outcome.t - 0.5) < 1e-6);
  CHECK(brink_run_to(run, 3.0, NULL) == BRINK_ERR_ARGUMENT); /* it is over */
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(inputs_from_a_file_have_notes_and_messages) {
  static const char integral[] =
      "ctc I is interface input(u, signal, (-9.0, 9.0), \"m/s\");\n"
      "end interface; body declarations state(x, real); end declarations;\n"
      "initial x := 0.0; end initial; dynamics x' = u; end dynamics;\n"
      "end body; end I;\n";
  char path[] = "/tmp/brink-inputs-XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0);
  static const char table[] = "Temperature;u [m/s];Time\n20;0,5;0\n21;1,5;2\n";
  CHECK(write(file, table, sizeof table - 1) == (ssize_t)sizeof table - 1);
  brink_hsml *model = load(integral);
  brink_diag diag;
  CHECK(brink_hsml_read_inputs(model, path, false, &diag) == BRINK_OK);
  brink_run *run = make(model);
  const brink_hsml_message *messages;
  size_t count = brink_hsml_messages(model, &messages);
  CHECK_INT(count, 1);
  if (count == 1) {
    CHECK(strcmp(messages[0].code, "input-ignored") == 0);
    CHECK(messages[0].severity == BRINK_WARNING && messages[0].line == 1 &&
          messages[0].column == 1);
  }
  CHECK(brink_run_to(run, 4.0, &diag) == BRINK_TIME_REACHED);
  CHECK_NEAR(get(run, "x"), 2.0 + 3.0, 1e-9);
  CHECK(brink_run_finish(run, &diag) == BRINK_OK);
  brink_run_outcome outcome = brink_run_result(run);
  CHECK_INT(outcome.nwarnings, 1);
  if (outcome.nwarnings == 1) CHECK_CONTAINS(outcome.warnings[0], "end at t = 2");
  brink_run_destroy(run);
  CHECK(ftruncate(file, 0) == 0 && pwrite(file, "t,u\n0,1\n1,\n", 11, 0) == 11);
  CHECK(brink_hsml_read_inputs(model, path, false, &diag) == BRINK_ERR_FILE);
  count = brink_hsml_messages(model, &messages);
  CHECK(count > 0 && messages[count - 1].line == 3 && messages[count - 1].column == 3);
  CHECK(pwrite(file, "t,u\n0,1\n\0", 9, 0) == 9);
  CHECK(brink_hsml_read_inputs(model, path, false, &diag) == BRINK_ERR_FILE);
  CHECK_CONTAINS(diag.message, "NUL");
  brink_hsml_destroy(model);
  close(file);
  unlink(path);
}

/* ---- start and end ---- */

TEST(a_run_of_the_library_starts_and_ends_where_it_is_told_to) {
  static const char clock[] = "ctc Clock is\n"
                              "  body\n"
                              "    declarations state(x, real); flag(noon); end declarations;\n"
                              "    initial x := time; end initial;\n"
                              "    dynamics x' = 2.0; noon = x - 12.0; end dynamics;\n"
                              "    event(noon) positive-going stop(\"noon\"); end positive-going;\n"
                              "    end event;\n"
                              "  end body;\n"
                              "end Clock;\n";
  brink_hsml *model = load(clock);
  brink_diag diag;
  brink_run *run = NULL;
  brink_run_options options;
  CHECK(brink_hsml_options(model, &options, &diag) == BRINK_OK);
  CHECK(isnan(options.from));
  options.interpret = true;
  CHECK(brink_run_option(&options, "from", "3 + 2", &diag) == BRINK_OK);
  CHECK(brink_run_option(&options, "until", "inf", &diag) == BRINK_OK);
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK);
  CHECK_NEAR(brink_run_time(run), 5.0, 0.0);
  CHECK_NEAR(get(run, "x"), 5.0, 0.0);
  CHECK(brink_run_to(run, (double)INFINITY, &diag) == BRINK_STOPPED);
  CHECK_NEAR(brink_run_time(run), 8.5, 1e-9);
  CHECK(brink_run_reset(run, &diag) == BRINK_OK);
  CHECK_NEAR(brink_run_time(run), 5.0, 0.0);
  brink_run_destroy(run);
  options.from = NAN; /* the model's: 0 */
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK);
  CHECK_NEAR(get(run, "x"), 0.0, 0.0);
  brink_run_destroy(run);
  CHECK(brink_run_option(&options, "from", "inf", &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_option(&options, "until", "1 +", &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "  1 +\n     ^");
  brink_hsml_destroy(model);
}

TEST(booleans_are_numbers_in_memory_and_lists_are_texts) {
  brink_hsml *model =
      load("ctc B is interface input(on, boolean); end interface; body declarations\n"
           "state(x[2], real); parameter(v[2], real); end declarations;\n"
           "initial x := 0.0; end initial;\n"
           "dynamics x' = if on then v else -v; end dynamics;\n"
           "assignments v : 1.0; on : false; end assignments; end body; end B;\n");
  static const char *const names[] = {"on"};
  static const double t[] = {0.0, 2.0}, values[] = {1.0, 0.0};
  brink_hsml_inputs inputs = {.names = names, .count = 1, .t = t, .rows = 2, .values = values};
  brink_diag diag;
  CHECK(brink_hsml_set_inputs(model, &inputs, &diag) == BRINK_OK);
  CHECK(brink_hsml_set_text(model, "v", "[1/2, 2^3]", &diag) == BRINK_OK);
  brink_run *run = make(model);
  CHECK(brink_run_to(run, 3.0, &diag) == BRINK_TIME_REACHED);
  CHECK_NEAR(get(run, "x[1]"), 0.5, 1e-9);
  CHECK_NEAR(get(run, "x[2]"), 8.0, 1e-9);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

static int note_step(brink_run *run, double t0, double t1, void *user) {
  double *last = user;
  CHECK(t1 < t0 && t0 == *last && brink_run_time(run) == t1);
  *last = t1;
  return 0;
}

TEST(a_run_of_the_library_goes_backwards) {
  brink_hsml *model =
      load("ctc Decay is body declarations state(x, real); flag(one); end declarations;\n"
           "initial x := exp(-2.0); end initial;\n"
           "dynamics x' = -x; one = x - 1.0; end dynamics; end body; end Decay;\n");
  brink_diag diag;
  brink_run *run = NULL;
  brink_run_options options;
  CHECK(brink_hsml_options(model, &options, &diag) == BRINK_OK);
  options.interpret = true;
  options.sim.rtol = 1e-11;
  options.from = 2.0;
  options.until = -1.0;
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK);
  CHECK_NEAR(brink_run_time(run), 2.0, 0.0);
  double last = 2.0, at;
  brink_run_observer observer = {.step = note_step, .user = &last};
  brink_run_observe(run, &observer);
  brink_value x;
  CHECK(brink_run_find(run, "x", &x, &diag) == BRINK_OK);
  CHECK(brink_run_to(run, 3.0, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "time runs backwards");
  CHECK(brink_run_output(run, 1.5, 1.0, &diag) == BRINK_TIME_REACHED);
  CHECK(brink_run_get_at(run, 1.5, &x, 1, &at, &diag) == BRINK_OK);
  CHECK_NEAR(at, exp(-1.5), 1e-9);
  CHECK(brink_run_next_event(run, -1.0, &diag) == BRINK_EVENT);
  CHECK_NEAR(brink_run_time(run), 0.0, 1e-9);
  brink_run *twin = NULL;
  CHECK(brink_run_clone(run, &diag, &twin) == BRINK_OK);
  CHECK(brink_run_to(run, -1.0, &diag) == BRINK_TIME_REACHED);
  CHECK(brink_run_to(twin, -1.0, &diag) == BRINK_TIME_REACHED);
  CHECK_NEAR(get(run, "x"), exp(1.0), 1e-9);
  CHECK(get(twin, "x") == get(run, "x"));
  CHECK_NEAR(brink_run_time(run), -1.0, 0.0);
  brink_run_destroy(twin);
  brink_run_destroy(run);
  options.until = 3.0; /* the same model forwards */
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK);
  CHECK(brink_run_to(run, 3.0, &diag) == BRINK_TIME_REACHED);
  CHECK_NEAR(get(run, "x"), exp(-3.0), 1e-9);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(a_run_that_was_refused_leaves_no_trace_in_the_model) {
  brink_hsml *model = load(decay);
  brink_run_options options;
  brink_run *run = NULL;
  brink_diag diag;
  CHECK(brink_hsml_options(model, &options, &diag) == BRINK_OK);
  options.until = -1.0; /* an action of the model cannot be undone */
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_ERR_MODEL && run == NULL);
  CHECK(brink_hsml_set(model, "k", 2.0, &diag) == BRINK_OK);
  CHECK_MSG(brink_hsml_options(model, &options, &diag) == BRINK_OK, "%s", diag.message);
  run = make(model);
  CHECK(brink_run_to(run, 1.0, &diag) == BRINK_TIME_REACHED);
  CHECK(fabs(get(run, "x") - exp(-2.0)) < 1e-9);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(agents_are_read_right_after_a_limit) {
  brink_hsml *model = load_model(BRINK_SOURCE_DIR "/models/bumper-cars/model.hsml");
  brink_run *run = make(model), *straight = make(model);
  brink_value value;
  brink_diag diag;
  double here, there;
  CHECK(brink_run_find(run, "car[3].y", &value, &diag) == BRINK_OK);
  CHECK(brink_run_to(run, 19.1, &diag) == BRINK_TIME_REACHED);
  CHECK(brink_run_output(run, 19.1 + 1e-9, 40.0, &diag) == BRINK_TIME_REACHED);
  CHECK_MSG(brink_run_get_at(run, 19.1 + 1e-9, &value, 1, &here, &diag) == BRINK_OK, "%s",
            diag.message);
  CHECK(brink_run_output(straight, 19.1 + 1e-9, 40.0, &diag) == BRINK_TIME_REACHED);
  CHECK(brink_run_get_at(straight, 19.1 + 1e-9, &value, 1, &there, &diag) == BRINK_OK);
  CHECK_NEAR(here, there, 1e-7);
  brink_run_destroy(run);
  brink_run_destroy(straight);
  brink_hsml_destroy(model);
}

TEST(agents_have_their_clocks_again_after_a_run_in_one_system) {
  brink_hsml *model = load_model(BRINK_SOURCE_DIR "/models/bumper-cars/model.hsml");
  brink_run_options options;
  brink_run *whole = NULL;
  brink_diag diag;
  CHECK(brink_hsml_options(model, &options, &diag) == BRINK_OK);
  options.conditions = true;
  CHECK_MSG(brink_run_create(model, &options, NULL, &diag, &whole) == BRINK_OK, "%s", diag.message);
  CHECK(brink_run_information(whole).agents == 0);
  brink_run *run = make(model);
  CHECK(brink_run_information(run).agents == 20);
  brink_run_destroy(run);
  brink_run_destroy(whole);
  brink_hsml_destroy(model);
}

int main(void) {
  RUN(a_run_that_was_refused_leaves_no_trace_in_the_model);
  RUN(agents_are_read_right_after_a_limit);
  RUN(agents_have_their_clocks_again_after_a_run_in_one_system);
  RUN(booleans_are_numbers_in_memory_and_lists_are_texts);
  RUN(a_run_of_the_library_goes_backwards);
  RUN(inputs_from_a_file_have_notes_and_messages);
  RUN(a_run_of_the_library_starts_and_ends_where_it_is_told_to);
  RUN(errors_are_structured);
  RUN(a_wrong_setting_is_refused_and_can_be_mended);
  RUN(a_value_that_is_set_again_replaces_the_earlier_one);
  RUN(what_there_is_is_listed);
  RUN(a_run_gives_the_closed_form);
  RUN(dense_output_does_not_change_the_steps);
  RUN(output_takes_no_more_steps_than_a_call_may);
  RUN(values_may_be_written_on_the_way);
  RUN(what_jumps_by_a_write_happens_at_once);
  RUN(a_wrong_argument_does_not_end_a_run);
  RUN(agents_go_alike_whatever_the_limits_of_calls);
  RUN(runs_of_one_model_share_their_code);
  RUN(code_is_shared_only_where_settings_are_the_same);
  RUN(a_reset_run_is_a_fresh_run);
  RUN(clones_go_on_alike);
  RUN(agents_have_the_same_calls);
  RUN(an_observer_sees_before_and_after_and_may_stop);
  RUN(another_thread_cancels);
  RUN(imports_come_from_the_reader);
  RUN(imports_are_looked_for_in_the_import_path);
  RUN(inputs_follow_a_table);
  RUN(connected_inputs_are_read_by_their_names);
  RUN(what_is_kept_is_chosen_before_the_run);
  RUN(results_in_memory_are_those_of_a_file);
  RUN(a_report_is_a_page);
  RUN(a_failure_has_a_reason);
  return check_done();
}
