/* Runs that start in the interpreter and change over to machine code: at whichever call that happens, what they leave
 * behind is what interpreted runs leave, byte for byte. */
#include <brink/record.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "run/hsml.h"
#include "support/file_runs.h"

static char place[] = "/tmp/brink-change-XXXXXX";
static char cache[64], script[64];

/* ---- what a run leaves behind ---- */

typedef struct traces {
  brink_status status;
  brink_bytes half;    /* saved in the middle; empty: that is not possible there */
  double *values;      /* of all rows */
  size_t size, events; /* bytes of them */
  brink_stats stats;
  bool native; /* at the end */
} traces;

static traces trace(brink_hsml *model, const brink_run_options *options) {
  traces t = {0};
  brink_run *run = make(model, options);
  if (run == NULL) return t;
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  if (brink_run_to(run, 0.5 * options->until, NULL) >= 0) brink_run_save(run, &t.half, NULL);
  t.status = brink_run_to(run, options->until, NULL);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK);
  brink_trajectory all = {0};
  CHECK(brink_run_trajectory(run, &all, NULL) == BRINK_OK);
  t.size = all.rows * (all.ncolumns + 1) * sizeof(double);
  t.values = malloc(t.size);
  if (t.values != NULL) memcpy(t.values, all.values, t.size);
  t.events = all.nevents;
  t.stats = brink_run_information(run).stats;
  t.native = strcmp(brink_run_information(run).engine, "interpreter") != 0;
  brink_run_destroy(run);
  return t;
}

static void drop(traces *t) {
  brink_bytes_free(&t->half);
  free(t->values);
}

static bool alike(const traces *a, const traces *b) {
  return a->status == b->status && a->half.length == b->half.length &&
         (a->half.length == 0 || memcmp(a->half.data, b->half.data, a->half.length) == 0) &&
         a->size > 0 && a->size == b->size && memcmp(a->values, b->values, a->size) == 0 &&
         a->events == b->events && a->stats.steps == b->stats.steps &&
         a->stats.rhs == b->stats.rhs && a->stats.guards == b->stats.guards;
}

/* ---- at a call that is given ---- */

/* All of the first calls, then ever fewer, up to one that never comes. Returns how many runs have changed over. */
static size_t at_every_call(const char *path, const brink_run_options *like, double until) {
  brink_hsml *model = load_model(path);
  brink_run_options options = options_of(model);
  options.sim.method = like->sim.method;
  options.sim.step = like->sim.step;
  options.threads = like->threads;
  options.until = fmin(options.until, until);
  options.cache = cache;
  traces expected = trace(model, &options);
  size_t changed = 0;
  bool did = true;
  options.interpret = false;
  for (uint32_t k = 1; did && k < 1000000; k += k < 8 ? 1 : k / 2) {
    model->change_at = k;
    traces t = trace(model, &options);
    CHECK_MSG(alike(&t, &expected), "%s by %s: differs if it changes over at call %u", path,
              brink_method_name(options.sim.method), k);
    did = t.native;
    changed += did;
    drop(&t);
  }
  CHECK(!did); /* the last one was too late */
  drop(&expected);
  brink_hsml_destroy(model);
  return changed;
}

TEST(at_any_call_by_every_method) {
  static const char *const models[] = {MODEL("stick-slip"), MODEL("transcendental-guards")};
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
    for (int method = BRINK_AUTO; method <= BRINK_BDF; method++) {
      bool fixed = method >= BRINK_EULER && method <= BRINK_TRAPEZOID;
      brink_run_options options = {.sim = {.method = (brink_method)method}};
      options.sim.step = fixed ? 0.02 : 0.0;
      size_t changed = at_every_call(models[k], &options, 2.0);
      CHECK_MSG(changed > 2, "%s: %zu", models[k], changed);
    }
  }
}

/* Constraints, delays, arrays, infinitely many events. */
TEST(at_any_call_of_all_kinds_of_models) {
  static const char *const models[] = {MODEL("string-pendulum"), MODEL("mackey-glass"),
                                       MODEL("heat-rod"), MODEL("two-tank-zeno")};
  brink_run_options usual = {.sim = {.method = BRINK_AUTO}};
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++)
    CHECK_MSG(at_every_call(models[k], &usual, 3.0) > 2, "%s", models[k]);
}

/* Enough of them for threads. */
static const char crowd[] =
    "ctc Puck is\n"
    "  body\n"
    "    declarations state(x, real); state(y, real); state(vx, real); state(vy, real);\n"
    "      flag(edge); end declarations;\n"
    "    initial x := 0.0; y := 0.0; vx := 0.0; vy := 0.0; end initial;\n"
    "    dynamics x' = vx; y' = vy; vx' = -0.1*sin(vx); vy' = -0.1*sin(vy); edge = 30.0 - x;\n"
    "    end dynamics;\n"
    "    event(edge) negative-going vx := -vx; end negative-going; end event;\n"
    "  end body;\n"
    "end Puck;\n"
    "system Crowd is\n"
    "  body\n"
    "    components p[600] : Puck; end components;\n"
    "    initial for i in 1..600 loop\n"
    "      p[i].x := 1.5*(i - 25*floor((i - 1)/25)); p[i].y := 1.5*floor((i - 1)/25);\n"
    "      p[i].vx := uniform(-1.0, 1.0); p[i].vy := uniform(-1.0, 1.0);\n"
    "    end loop; end initial;\n"
    "    agents population(p);\n"
    "      pair(a, b) in p\n"
    "        declarations flag(contact, unilateral); end declarations;\n"
    "        dynamics contact = (a.x - b.x)^2 + (a.y - b.y)^2 - 1.0; end dynamics;\n"
    "        event(contact) negative-going\n"
    "          let s = (b.vx - a.vx)*(b.x - a.x) + (b.vy - a.vy)*(b.y - a.y);\n"
    "          a.vx := a.vx + s*(b.x - a.x); a.vy := a.vy + s*(b.y - a.y);\n"
    "          b.vx := b.vx - s*(b.x - a.x); b.vy := b.vy - s*(b.y - a.y);\n"
    "        end negative-going; end event;\n"
    "        reach(a.x, a.y, 0.5);\n"
    "      end pair;\n"
    "    end agents;\n"
    "  end body;\n"
    "end Crowd;\n";

/* Each instance in each thread changes over at a call of its own. */
TEST(agents_change_over_one_by_one) {
  char path[64];
  snprintf(path, sizeof path, "%s/crowd.hsml", place);
  FILE *file = fopen(path, "w");
  CHECK(file != NULL && fputs(crowd, file) >= 0 && fclose(file) == 0);
  const char *const models[] = {MODEL("bumper-cars"), MODEL("three-agents"), path};
  brink_run_options options = {.threads = 2, .sim = {.method = BRINK_AUTO}};
  for (size_t k = 0; k < 3; k++) {
    size_t changed = at_every_call(models[k], &options, k == 2 ? 0.5 : 3.0);
    CHECK_MSG(changed > 2, "%s: %zu", models[k], changed);
  }
}

/* ---- when the compiler is done ---- */

static const char swing[] = "ctc Swing is\n"
                            "  body\n"
                            "    declarations state(x, real); state(v, real); end declarations;\n"
                            "    initial x := 1.0; v := 0.0; end initial;\n"
                            "    dynamics x' = v; v' = -sin(x) - 0.01*v*cos(x); end dynamics;\n"
                            "  end body;\n"
                            "end Swing;\n";

static brink_hsml *load_swing(void) {
  brink_diag diag;
  brink_hsml *model = NULL;
  CHECK_MSG(brink_hsml_load_text(swing, &diag, &model) == BRINK_OK, "%s", diag.message);
  return model;
}

static brink_run_options swing_options(bool interpret) {
  brink_run_options options = brink_default_run();
  options.until = 1e9;
  options.interpret = interpret;
  options.cache = cache;
  options.sim.method = BRINK_ADAMS;
  return options;
}

static void empty_cache(void) {
  char command[200];
  snprintf(command, sizeof command, "rm -rf '%s'", cache);
  CHECK(system(command) == 0);
}

static size_t files(void) {
  size_t count = 0;
  DIR *list = opendir(cache);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;)
    count += entry->d_name[0] != '.';
  if (list != NULL) closedir(list);
  return count;
}

static bool is_native(brink_run *run) {
  return strcmp(brink_run_information(run).engine, "interpreter") != 0;
}

/* Steps until it is native, or not, or for so long. Returns their number. */
static size_t step_until(brink_run *run, bool (*is)(brink_run *), size_t most) {
  size_t steps = 0;
  while (!is(run) && steps < most) {
    CHECK(brink_run_step(run, 1e9, NULL) >= 0);
    steps++;
  }
  return steps;
}

TEST(a_run_changes_over_when_the_compiler_is_done) {
  brink_hsml *model = load_swing();
  brink_run_options options = swing_options(false), plain = swing_options(true);
  empty_cache();
  brink_run *run = make(model, &options), *other = make(model, &plain);
  CHECK(!is_native(run));
  CHECK(strstr(brink_run_information(run).engine_reason, "not worthwhile yet") != NULL);
  size_t steps = step_until(run, is_native, 50000000);
  CHECK_MSG(is_native(run) && steps > 10, "%zu steps", steps);
  CHECK(brink_run_information(run).compile_seconds > 0.0);
  CHECK_INT(files(), 2); /* the object, and when it was pruned */
  for (size_t k = 0; k < steps; k++) brink_run_step(other, 1e9, NULL);
  for (size_t k = 0; k < 1000; k++) {
    CHECK(brink_run_step(run, 1e9, NULL) == brink_run_step(other, 1e9, NULL));
    if (brink_run_time(run) == brink_run_time(other) &&
        brink_run_value(run, (brink_value){.variable = 0}) ==
            brink_run_value(other, (brink_value){.variable = 0}))
      continue;
    CHECK_MSG(false, "differs %zu steps after the change", k);
    break;
  }
  /* The next run has it from the start, and one of a new model too. */
  brink_run *next = make(model, &options);
  CHECK(is_native(next));
  brink_run_destroy(next);
  brink_run_destroy(run);
  brink_run_destroy(other);
  brink_hsml_destroy(model);
  model = load_swing();
  run = make(model, &options);
  CHECK(is_native(run) && strcmp(brink_run_information(run).engine, "cache") == 0);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* The compiler goes on for the next run of the model. */
TEST(short_runs_one_after_another_share_a_compilation) {
  brink_hsml *model = load_swing();
  brink_run_options options = swing_options(false);
  options.until = 20.0;
  empty_cache();
  size_t runs = 0;
  double first = NAN;
  bool native = false;
  for (; !native && runs < 100000; runs++) {
    options.sim.rtol = runs % 2 == 0 ? 1e-6 : 1e-7; /* instances are made anew */
    brink_run *run = make(model, &options);
    native = is_native(run); /* from the start */
    CHECK(brink_run_to(run, 20.0, NULL) == BRINK_TIME_REACHED);
    double x = brink_run_value(run, (brink_value){.variable = 0});
    if (runs == 0) first = x;
    CHECK(runs % 2 == 1 || x == first);
    brink_run_destroy(run);
  }
  CHECK_MSG(native && runs > 1, "%zu runs", runs);
  brink_hsml_destroy(model);
}

/* ---- compilers that do not do what they should ---- */

static void set_compiler(const char *lines) {
  FILE *file = fopen(script, "w");
  if (file == NULL) return;
  fprintf(file, "#!/bin/sh\n%s\n", lines);
  fclose(file);
  chmod(script, 0700);
  setenv("BRINK_CC", script, 1);
}

static bool has_failed(brink_run *run) {
  return strstr(brink_run_information(run).engine_reason, "exit code 3: bad luck") != NULL;
}

static bool compiler_runs(brink_run *run) {
  return strstr(brink_run_information(run).engine_reason, "not ready yet") != NULL;
}

TEST(where_the_compiler_fails_the_run_goes_on) {
  brink_hsml *model = load_swing();
  brink_run_options options = swing_options(false);
  empty_cache();
  set_compiler("echo bad luck; exit 3");
  brink_run *run = make(model, &options);
  step_until(run, has_failed, 50000000);
  CHECK_MSG(has_failed(run), "%s", brink_run_information(run).engine_reason);
  CHECK(brink_run_step(run, 1e9, NULL) >= 0 && !is_native(run));
  CHECK_INT(files(), 0);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  unsetenv("BRINK_CC");
}

TEST(a_run_that_ends_first_leaves_no_compiler_behind) {
  brink_hsml *model = load_swing();
  brink_run_options options = swing_options(false);
  empty_cache();
  set_compiler("sleep 30; exit 1");
  brink_run *run = make(model, &options);
  step_until(run, compiler_runs, 50000000);
  CHECK(compiler_runs(run) && !is_native(run));
  CHECK_INT(files(), 1);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  CHECK_INT(files(), 0);
  unsetenv("BRINK_CC");
}

TEST(options_that_exclude_each_other_are_refused) {
  brink_diag diag;
  brink_hsml *model = load_swing();
  brink_run_options options = swing_options(true);
  brink_run *run = NULL;
  options.native = true;
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_ERR_ARGUMENT && run == NULL);
  CHECK(strstr(diag.message, "native waits") != NULL);
  options.interpret = false;
  run = make(model, &options);
  CHECK(is_native(run)); /* before the first step */
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

int main(void) {
  if (mkdtemp(place) == NULL) return 1;
  snprintf(cache, sizeof cache, "%s/cache", place);
  snprintf(script, sizeof script, "%s/cc", place);
  RUN(at_any_call_by_every_method);
  RUN(at_any_call_of_all_kinds_of_models);
  RUN(agents_change_over_one_by_one);
  RUN(a_run_changes_over_when_the_compiler_is_done);
  RUN(short_runs_one_after_another_share_a_compilation);
  RUN(where_the_compiler_fails_the_run_goes_on);
  RUN(a_run_that_ends_first_leaves_no_compiler_behind);
  RUN(options_that_exclude_each_other_are_refused);
  char command[100];
  snprintf(command, sizeof command, "rm -rf '%s'", place);
  return system(command) == 0 ? check_done() : 1;
}
