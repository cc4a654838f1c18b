/* Sweeps as a whole: rows are what single runs give, to the last bit; the table is the same however many jobs make it,
 * and whether or not it was interrupted. */
#include "sweep/sweep_support.h"

#include <brink/record.h>
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/file_runs.h"
#include "support/hsml_run.h"
#include "support/program.h"

/* ---- the same as single runs ---- */

enum { STATES = 3 };

typedef struct single {
  char status[16];
  double t, values[STATES], events;
} single;

/* One run as `brink run --set` makes it. */
static single run_single(const char *path, const char *knob, double value, const char *const *names,
                         size_t nnames) {
  single one = {.events = 0.0};
  brink_trajectory trajectory;
  brink_hsml *model = load_model(path);
  CHECK(brink_hsml_set(model, knob, value, NULL) == BRINK_OK);
  brink_run_options options = options_of(model);
  options.writable = BRINK_WRITE_STATES;
  brink_run *run = make(model, &options);
  if (run != NULL && brink_run_keep_trajectory(run, NULL) == BRINK_OK) {
    brink_run_to(run, options.until, NULL);
    for (size_t k = 0; k < nnames; k++) brink_run_get(run, names[k], &one.values[k], NULL);
    one.t = brink_run_time(run);
    brink_run_finish(run, NULL);
    snprintf(one.status, sizeof one.status, "%s", brink_run_result(run).status);
    CHECK(brink_run_trajectory(run, &trajectory, NULL) == BRINK_OK);
    for (size_t k = 0; k < trajectory.nevents; k++)
      one.events += !trajectory.events[k].generated &&
                    strstr(trajectory.flags[trajectory.events[k].flag], "rule[") == NULL;
  }
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  return one;
}

/* A real parameter with room above its value, and some states. False: the model has none. */
static bool choose(const char *path, char knob[128], double *value, char names[STATES][128],
                   size_t *nnames, bool *ends) {
  brink_hsml *model = load_model(path);
  const brink_hsml_item *items;
  brink_run_options options;
  bool found = false;
  size_t count = brink_hsml_items(model, BRINK_HSML_PARAMETER, &items);
  for (size_t k = 0; k < count && !found; k++) {
    found = items[k].type == BRINK_HSML_REAL && items[k].count == 1 && items[k].nchoices == 0 &&
            isfinite(items[k].value) && items[k].value != 0.0 &&
            !(items[k].has_range &&
              (items[k].value * 1.01 > items[k].hi || items[k].value * 1.01 < items[k].lo));
    *value = items[k].value;
    if (found) brink_hsml_element_name(model, &items[k], 0, knob, 128);
  }
  *nnames = 0;
  count = brink_hsml_items(model, BRINK_HSML_STATE, &items);
  for (size_t k = 0; k < count && *nnames < STATES; k++) {
    if (items[k].type == BRINK_HSML_REAL)
      brink_hsml_element_name(model, &items[k], items[k].count - 1, names[(*nnames)++], 128);
  }
  CHECK(brink_hsml_options(model, &options, NULL) == BRINK_OK);
  *ends = !isnan(options.until);
  brink_hsml_destroy(model);
  return found;
}

static double sum_of_counts(const swept *s, uint64_t row) {
  double sum = 0.0;
  for (size_t k = 0; k < s->table.ncolumns; k++) {
    if (s->table.columns[k].role == BRINK_SWEEP_COUNT)
      sum += s->table.values[row * s->table.ncolumns + k];
  }
  return sum;
}

static bool compare_model(const char *path) {
  char knob[128], vary[256], names[STATES][128];
  double value;
  size_t n;
  bool ends;
  if (!choose(path, knob, &value, names, &n, &ends)) return false;
  const char *words[] = {vary}, *measures[STATES] = {names[0], names[1], names[2]};
  brink_sweep_option until = {"until", "10"};
  swept s = sweep_of(NULL);
  s.model.path = path;
  snprintf(vary, sizeof vary, "%s=%.17g,%.17g", knob, value, value * 1.01);
  sweep_vary(&s, words, 1);
  sweep_measure(&s, measures, n);
  s.def.options = &until;
  s.def.noptions = ends ? 0 : 1;
  SWEEP_FINE(&s);
  for (uint64_t row = 0; row < s.table.rows; row++) {
    single one = run_single(path, knob, sweep_value(&s, row, knob), measures, n);
    CHECK_MSG(strcmp(sweep_text(&s, row, "status"), one.status) == 0, "%s: status", path);
    CHECK_MSG(sweep_value(&s, row, "t") == one.t, "%s: %.17g and %.17g", path,
              sweep_value(&s, row, "t"), one.t);
    CHECK_MSG(sum_of_counts(&s, row) == one.events, "%s: %g and %g events", path,
              sum_of_counts(&s, row), one.events);
    for (size_t k = 0; k < n; k++) {
      double there = sweep_value(&s, row, names[k]);
      CHECK_MSG(there == one.values[k] || (isnan(there) && isnan(one.values[k])),
                "%s: %s: %.17g and %.17g", path, names[k], there, one.values[k]);
    }
  }
  sweep_end(&s);
  return true;
}

TEST(rows_are_what_single_runs_give_bit_for_bit) {
  DIR *directory = opendir(BRINK_SOURCE_DIR "/models");
  size_t count = 0;
  for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
    char path[512];
    snprintf(path, sizeof path, BRINK_SOURCE_DIR "/models/%.200s/model.hsml", entry->d_name);
    if (access(path, R_OK) == 0) count += compare_model(path);
  }
  if (directory != NULL) closedir(directory);
  CHECK_MSG(count > 50, "%zu models", count);
}

/* ---- a model with everything that a knob may decide ---- */

/* n tanks (a size), of which the first starts at h0 (an initial value); the guard is at `low`, the end at `last`. */
static const char tanks[] =
    "ctc Tank is interface knob(k); knob(h0); knob(low); view(h); end interface; body\n"
    "  declarations state(h, real); parameter(k, real, (0.0, 10.0)); parameter(h0, real);\n"
    "    parameter(low, real); mode(phase, {\"full\", \"low\"}); flag(empty); end declarations;\n"
    "  initial h := h0^2; phase := \"full\"; end initial;\n"
    "  dynamics h' = -k*h; empty = h - low; end dynamics;\n"
    "  event(empty) negative-going phase := \"low\"; end negative-going; end event;\n"
    "  assignments k : 1.0; h0 : 1.0; low : 0.5; end assignments;\n"
    "end body; end Tank;\n"
    "system Tanks is\n"
    "  interface knob(n); knob(last); end interface;\n"
    "  body declarations parameter(n, integer, (1, 9)); parameter(last, real); end declarations;\n"
    "  components t[n] : Tank; end components;\n"
    "  assignments n : 2; last : 2.0; end assignments;\n"
    "  simulation until : last; tolerance : 1e-9; end simulation;\n"
    "end body; end Tanks;\n";

TEST(sizes_initial_values_guards_and_options_follow_the_knobs) {
  swept s = sweep_of(tanks);
  static const char *const vary[] = {"n=1:3:3", "t[1].h0=1,2", "t[1].low=0.5,0.25", "last=1,2"};
  static const char *const measures[] = {"t[1].h", "count(t[1].empty)", "t[1].phase"};
  sweep_vary(&s, vary, 4);
  sweep_measure(&s, measures, 3);
  SWEEP_FINE(&s);
  CHECK(s.table.rows == 24);
  for (uint64_t row = 0; row < s.table.rows; row++) {
    double n = sweep_value(&s, row, "n"), h0 = sweep_value(&s, row, "t[1].h0"),
           low = sweep_value(&s, row, "t[1].low"), last = sweep_value(&s, row, "last");
    double when = log(h0 * h0 / low);
    CHECK(sweep_value(&s, row, "t") == last);
    CHECK_NEAR(sweep_value(&s, row, "t[1].h"), h0 * h0 * exp(-last), 1e-8);
    CHECK(sweep_value(&s, row, "count(t[1].empty)") == (when < last ? 1.0 : 0.0));
    CHECK(sweep_value(&s, row, "count(t.empty)") == (when < last) + (n - 1.0) * (log(2.0) < last));
    CHECK(strcmp(sweep_text(&s, row, "t[1].phase"), when < last ? "low" : "full") == 0);
  }
  sweep_end(&s);
}

TEST(bad_knobs_are_told_before_the_first_run) {
  static const struct {
    const char *vary, *word;
  } wrong[] = {{"t[1].q=1,2", "t[1].q"},
               {"t[1].k=1:11:3", "t[1].k"},
               {"t[1].k=-1:5:3", "t[1].k"},
               {"t[1].k=a,b", "t[1].k"},
               {"t[1].k=5,6,70,7", "outside the declared range"},
               {"n=1:2:3", "whole number"},
               {"n=1:3", "COUNT"},
               {"n=1,2,12", "n"},
               {"t[1].phase=low,middle", "t[1].phase"}};
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    swept s = sweep_of(tanks);
    sweep_vary(&s, &wrong[k].vary, 1);
    s.def.model = &s.model;
    brink_status status = brink_sweep_create(&s.def, &s.diag, &s.sweep);
    CHECK_MSG(status == BRINK_ERR_ARGUMENT && s.sweep == NULL &&
                  strstr(s.diag.message, wrong[k].word) != NULL,
              "%s: %d '%s'", wrong[k].vary, (int)status, s.diag.message);
  }
}

TEST(a_mode_may_be_varied) {
  swept s = sweep_of(tanks);
  static const char *const vary[] = {"t[1].phase=low,full"};
  static const char *const measures[] = {"initial(t[1].h)", "t[1].phase"};
  brink_sweep_option until = {"until", "0.1"};
  sweep_vary(&s, vary, 1);
  sweep_measure(&s, measures, 2);
  s.def.options = &until;
  s.def.noptions = 1;
  SWEEP_FINE(&s);
  CHECK(strcmp(sweep_text(&s, 0, "t[1].phase"), "low") == 0); /* the knob has the name, too */
  CHECK(s.table.columns[1].text && strcmp(sweep_text(&s, 1, "t[1].phase"), "full") == 0);
  sweep_end(&s);
}

/* ---- rows of runs that fail ---- */

/* x' = x^2 from 1 ends at t = 1; above a bound the model says fail, or leaves its range. */
static const char blow_up[] =
    HSML_MODEL("state(x, real, (0.0, 50.0)); parameter(bound, real); flag(high);", "x := 1.0;",
               "x' = x*x; high = x - bound;",
               "event(high) positive-going fail(\"too, high\"); end positive-going; end event;"
               "assignments bound : 10.0; end assignments;");

TEST(a_run_that_fails_is_a_row_with_its_reason) {
  swept s = sweep_of(blow_up);
  static const char *const numbers[] = {"bound=2,100,3"};
  brink_sweep_option until = {"until", "2"};
  sweep_vary(&s, numbers, 1);
  s.def.options = &until;
  s.def.noptions = 1;
  SWEEP_FINE(&s);
  CHECK(s.table.rows == 3 && brink_sweep_result(s.sweep).failed == 3);
  CHECK(strcmp(sweep_text(&s, 0, "status"), "failed") == 0 &&
        strcmp(sweep_text(&s, 0, "reason"), "fail") == 0);
  CHECK_MSG(strstr(sweep_text(&s, 0, "message"), "too, ") != NULL, "%s",
            sweep_text(&s, 0, "message"));
  CHECK_NEAR(sweep_value(&s, 0, "t"), 0.5, 1e-5);
  CHECK(strcmp(sweep_text(&s, 1, "reason"), "range") == 0);
  CHECK_NEAR(sweep_value(&s, 2, "t"), 2.0 / 3.0, 1e-5);
  sweep_end(&s);
}

TEST(a_sample_outside_the_range_is_a_row_with_its_reason) {
  swept s = sweep_of(tanks);
  static const char *const vary[] = {"t[1].k=normal(1,2)"};
  sweep_vary(&s, vary, 1);
  s.def.samples = 50;
  SWEEP_FINE(&s);
  size_t refused = 0;
  for (uint64_t row = 0; row < 50; row++) {
    bool outside = sweep_value(&s, row, "t[1].k") < 0.0;
    CHECK((strcmp(sweep_text(&s, row, "reason"), "value") == 0) == outside);
    CHECK(isnan(sweep_value(&s, row, "t")) == outside);
    refused += outside;
  }
  CHECK_MSG(refused > 5 && refused < 30, "%zu", refused);
  sweep_end(&s);
}

/* Steps of 1e-9: nobody waits for the end. */
TEST(a_run_over_the_limit_is_a_row_and_the_others_go_on) {
  static const char text[] =
      HSML_MODEL("state(x, real); parameter(slow, real); flag(f);", "x := 1.0;",
                 "x' = -slow*x; f = x - 0.1;", "assignments slow : 1.0; end assignments;");
  swept s = sweep_of(text);
  static const char *const vary[] = {"slow=1,2,3"};
  brink_sweep_option options[] = {{"until", "1e3"}, {"hmax", "1e-7"}};
  sweep_vary(&s, vary, 1);
  s.def.options = options;
  s.def.noptions = 2;
  s.def.limit = 0.2;
  SWEEP_FINE(&s);
  for (uint64_t row = 0; row < 3; row++) {
    CHECK(strcmp(sweep_text(&s, row, "reason"), "limit") == 0);
    CHECK(isnan(sweep_value(&s, row, "t")) && isnan(sweep_value(&s, row, "count(f)")));
  }
  sweep_end(&s);
}

/* ---- jobs, interruptions ---- */

static const char *const tank_vary[] = {"n=1,2", "t[1].k=0.5:2:60"};
static const char *const tank_measures[] = {"max(t[1].h)", "mean(t[1].h)",
                                            "at(t[1].empty, t[1].h)"};

static swept tank_sweep(const char *out, size_t jobs) {
  swept s = sweep_of(tanks);
  sweep_vary(&s, tank_vary, 2);
  sweep_measure(&s, tank_measures, 3);
  s.def.out = out;
  s.def.jobs = jobs;
  return s;
}

static bool same_files(const char *a, const char *b) {
  char *x = read_all(a), *y = read_all(b);
  bool same = x[0] != '\0' && strcmp(x, y) == 0;
  free(x);
  free(y);
  return same;
}

TEST(the_table_is_the_same_however_many_jobs_make_it) {
  char folder[16];
  program_enter(folder);
  static const size_t jobs[] = {1, 2, 4, 7};
  for (size_t k = 0; k < 4; k++) {
    char out[16];
    snprintf(out, sizeof out, "t%zu.csv", jobs[k]);
    swept s = tank_sweep(out, jobs[k]);
    SWEEP_FINE(&s);
    sweep_end(&s);
    CHECK_MSG(same_files("t1.csv", out), "with %zu jobs", jobs[k]);
    CHECK(access("t1.csv.resume", F_OK) != 0);
  }
  program_leave(folder);
}

/* The file as a kill leaves it: cut at any byte. */
TEST(a_table_that_was_cut_anywhere_is_completed_to_the_same_bytes) {
  char folder[16];
  program_enter(folder);
  swept whole = tank_sweep("whole.csv", 2);
  SWEEP_FINE(&whole);
  sweep_end(&whole);
  char *text = read_all("whole.csv");
  size_t length = strlen(text);
  for (size_t cut = 0; cut <= length; cut += length / 23) {
    swept s = tank_sweep("t.csv", 2);
    s.def.model = &s.model;
    /* Cancelled at once: the file beside the table is there. */
    CHECK(brink_sweep_create(&s.def, &s.diag, &s.sweep) == BRINK_OK);
    brink_sweep_cancel(s.sweep);
    brink_sweep_run(s.sweep, &s.diag);
    sweep_end(&s);
    FILE *file = fopen("t.csv", "w");
    CHECK(file != NULL && fwrite(text, 1, cut, file) == cut && fclose(file) == 0);
    CHECK(access("t.csv.resume", F_OK) == 0);
    swept again = tank_sweep("t.csv", 1);
    again.def.resume = true;
    SWEEP_FINE(&again);
    CHECK_MSG(same_files("t.csv", "whole.csv"), "cut at byte %zu", cut);
    CHECK(again.table.rows == 120 && sweep_value(&again, 119, "run") == 119.0);
    sweep_end(&again);
  }
  free(text);
  program_leave(folder);
}

static int stop_soon(const brink_sweep_progress *progress, void *user) {
  (void)user;
  return progress->done >= 20;
}

/* Slow enough to be stopped on its way. */
static swept slow_sweep(const char *out, size_t jobs) {
  static const brink_sweep_option slow = {"hmax", "1e-3"};
  swept s = tank_sweep(out, jobs);
  s.def.options = &slow;
  s.def.noptions = 1;
  return s;
}

/* Another digit at this byte of a file, or before it. */
static void alter(const char *path, size_t at) {
  char *text = read_all(path);
  size_t length = strlen(text);
  CHECK(at < length);
  while (at > 0 && (text[at] < '0' || text[at] > '9')) at--;
  text[at] = text[at] == '7' ? '8' : '7';
  write_file(path, text);
  free(text);
}

/* Whatever becomes of the table, what is kept of it is what was written. */
TEST(a_table_that_was_altered_is_not_continued) {
  char folder[16];
  program_enter(folder);
  swept whole = slow_sweep("whole.csv", 2);
  SWEEP_FINE(&whole);
  sweep_end(&whole);
  for (int k = 0; k < 3; k++) {
    swept s = slow_sweep("t.csv", 1);
    s.def.progress = stop_soon;
    CHECK(sweep_go(&s) == BRINK_CANCELLED);
    sweep_end(&s);
    char *text = read_all("t.csv");
    size_t length = strlen(text);
    CHECK(length > 1000);
    if (k == 0) alter("t.csv", length / 2);
    if (k == 1) alter("t.csv", length - 2);
    if (k == 2) { /* rows of somebody else behind it */
      char *more = malloc(2 * length + 1);
      snprintf(more, 2 * length + 1, "%s%s", text, strchr(text, '\n') + 1);
      write_file("t.csv", more);
      free(more);
    }
    free(text);
    swept again = slow_sweep("t.csv", 1);
    again.def.resume = true;
    brink_status status = sweep_go(&again);
    if (k < 2)
      CHECK_MSG(status == BRINK_ERR_FILE && strstr(again.diag.message, "was altered") != NULL,
                "%d '%s'", (int)status, again.diag.message);
    else
      CHECK(status == BRINK_OK && same_files("t.csv", "whole.csv"));
    sweep_end(&again);
  }
  program_leave(folder);
}

/* A sweep that is not complete, with the file beside it. */
static void interrupt(const char *out) {
  swept s = tank_sweep(out, 1);
  brink_sweep_option slow = {"hmax", "1e-4"};
  s.def.options = &slow;
  s.def.noptions = 1;
  s.def.model = &s.model;
  CHECK(brink_sweep_create(&s.def, &s.diag, &s.sweep) == BRINK_OK);
  brink_sweep_cancel(s.sweep);
  CHECK(brink_sweep_run(s.sweep, &s.diag) == BRINK_CANCELLED);
  sweep_end(&s);
}

TEST(another_sweep_is_not_continued) {
  char folder[16];
  program_enter(folder);
  interrupt("t.csv");
  brink_sweep_option slow = {"hmax", "1e-4"}, other = {"hmax", "1e-3"};
  static const char *const vary[] = {"n=1,2", "t[1].k=0.5:2:61"};
  static const char *const set[] = {"t[1].h0=2"};
  for (int k = 0; k < 6; k++) {
    swept s = tank_sweep("t.csv", 1);
    s.def.resume = true;
    s.def.options = k == 0 ? &other : &slow;
    s.def.noptions = 1;
    if (k == 1) sweep_vary(&s, vary, 2);
    if (k == 2) s.def.nmeasures = 2;
    if (k == 3) s.def.sets = set, s.def.nsets = 1;
    static const char *const bounds[] = {"bound=2,3"};
    brink_sweep_option until[] = {slow, {"until", "1"}};
    if (k == 4) {
      s.model.text = blow_up;
      sweep_vary(&s, bounds, 1);
      s.def.nmeasures = 0;
      s.def.options = until;
      s.def.noptions = 2;
    }
    if (k == 5) s.def.seed = 2;
    brink_status status = sweep_go(&s);
    CHECK_MSG(status == BRINK_ERR_ARGUMENT && strstr(s.diag.message, "cannot be continued") != NULL,
              "%d: %d '%s'", k, (int)status, s.diag.message);
    sweep_end(&s);
  }
  swept none = tank_sweep("other.csv", 1);
  none.def.resume = true;
  CHECK(sweep_go(&none) == BRINK_ERR_FILE);
  sweep_end(&none);
  program_leave(folder);
}

TEST(trajectories_are_kept_on_request) {
  char folder[16];
  program_enter(folder);
  swept s = tank_sweep(NULL, 2);
  brink_sweep_option every = {"every", "0.5"};
  s.def.options = &every;
  s.def.noptions = 1;
  s.def.keep = "runs";
  SWEEP_FINE(&s);
  char *text = read_all("runs/run-119.csv");
  CHECK_MSG(strncmp(text, "time,", 5) == 0 && strstr(text, "t[2].h") != NULL, "%.100s", text);
  free(text);
  CHECK(access("runs/run-0.csv", R_OK) == 0 && access("runs/run-120.csv", R_OK) != 0);
  sweep_end(&s);
  write_file("file", "");
  swept wrong = tank_sweep(NULL, 1);
  wrong.def.keep = "file";
  CHECK(sweep_go(&wrong) == BRINK_ERR_FILE);
  sweep_end(&wrong);
  program_leave(folder);
}

static int count_calls(const brink_sweep_progress *progress, void *user) {
  size_t *calls = user;
  CHECK(progress->done <= progress->runs && progress->runs == 120);
  return ++*calls == 0;
}

TEST(progress_is_reported_and_a_table_is_had_without_a_file) {
  size_t calls = 0;
  swept s = tank_sweep(NULL, 2);
  s.def.progress = count_calls;
  s.def.user = &calls;
  SWEEP_FINE(&s);
  CHECK(calls > 0 && s.table.rows == 120 && brink_sweep_result(s.sweep).done == 120);
  CHECK(brink_sweep_run(s.sweep, &s.diag) == BRINK_ERR_ARGUMENT); /* once */
  sweep_end(&s);
}

TEST(agents_with_clocks_of_their_own_need_one_clock_to_be_measured_over_time) {
  swept s = sweep_of(NULL);
  s.model.path = MODEL("bumper-cars");
  const brink_hsml_item *items;
  brink_hsml *model = load_model(s.model.path);
  char knob[128], vary[256], state[128], mean[160];
  CHECK(brink_hsml_items(model, BRINK_HSML_STATE, &items) > 0);
  brink_hsml_element_name(model, &items[0], 0, state, sizeof state);
  snprintf(mean, sizeof mean, "mean(%s)", state);
  snprintf(knob, sizeof knob, "%s", state);
  snprintf(vary, sizeof vary, "%s=%.17g", knob, items[0].value);
  const char *words[] = {vary}, *measures[] = {mean, state};
  brink_sweep_option options[] = {{"until", "1"}, {"clocks", "one"}};
  sweep_vary(&s, words, 1);
  sweep_measure(&s, measures, 1);
  s.def.options = options;
  s.def.noptions = 1;
  CHECK(sweep_go(&s) == BRINK_ERR_UNSUPPORTED && strstr(s.diag.message, "--clocks one") != NULL);
  sweep_end(&s);
  s.def.noptions = 2;
  SWEEP_FINE(&s);
  sweep_end(&s);
  s.def.noptions = 1;
  s.def.measures = measures + 1; /* what holds at the end is known */
  SWEEP_FINE(&s);
  sweep_end(&s);
  brink_hsml_destroy(model);
}

TEST(wrong_definitions_are_refused) {
  swept s = sweep_of(tanks);
  CHECK(brink_sweep_create(NULL, NULL, NULL) == BRINK_ERR_ARGUMENT);
  CHECK(brink_sweep_create(&s.def, &s.diag, &s.sweep) == BRINK_ERR_ARGUMENT); /* no model */
  s.def.limit = 0.0;
  sweep_vary(&s, tank_vary, 1);
  CHECK(sweep_go(&s) == BRINK_ERR_ARGUMENT && strstr(s.diag.message, "limit") != NULL);
  s.def.limit = 1.0;
  s.def.out = "t.mat";
  CHECK(sweep_go(&s) == BRINK_ERR_ARGUMENT && strstr(s.diag.message, ".csv or .h5") != NULL);
  sweep_end(&s);
  brink_sweep_destroy(NULL);
  brink_sweep_cancel(NULL);
  CHECK(brink_sweep_runs(NULL) == 0 && brink_sweep_run(NULL, NULL) == BRINK_ERR_ARGUMENT);
}

int main(void) {
  RUN(rows_are_what_single_runs_give_bit_for_bit);
  RUN(sizes_initial_values_guards_and_options_follow_the_knobs);
  RUN(bad_knobs_are_told_before_the_first_run);
  RUN(a_mode_may_be_varied);
  RUN(a_run_that_fails_is_a_row_with_its_reason);
  RUN(a_sample_outside_the_range_is_a_row_with_its_reason);
  RUN(a_run_over_the_limit_is_a_row_and_the_others_go_on);
  RUN(the_table_is_the_same_however_many_jobs_make_it);
  RUN(a_table_that_was_cut_anywhere_is_completed_to_the_same_bytes);
  RUN(a_table_that_was_altered_is_not_continued);
  RUN(another_sweep_is_not_continued);
  RUN(trajectories_are_kept_on_request);
  RUN(progress_is_reported_and_a_table_is_had_without_a_file);
  RUN(agents_with_clocks_of_their_own_need_one_clock_to_be_measured_over_time);
  RUN(wrong_definitions_are_refused);
  return check_done();
}
