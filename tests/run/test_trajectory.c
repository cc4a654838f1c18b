/* The trajectory in memory: the same numbers as in a file of the same run, the same events as in its summary. */
#include <brink/record.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/counting.h"
#include "support/file_runs.h"
#include "support/json.h"
#include "support/result_files.h"

/* Every kind of column, flag and clock; agents with clocks of their own; constraints; delays; random numbers. */
static const char *const models[] = {
    MODEL("thermostat"),         MODEL("bouncing-ball"),
    MODEL("bumper-cars"),        MODEL("three-agents"),
    MODEL("water-network"),      MODEL("sampled-thermostat"),
    MODEL("mmc-queue"),          MODEL("string-pendulum"),
    MODEL("diode-bridge"),       MODEL("delayed-relay"),
    MODEL("cartesian-pendulum"), MODEL("elevator"),
    MODEL("stick-slip"),         MODEL("timers"),
    MODEL("depletion"),          MODEL("corridor"),
    MODEL("simultaneous"),       MODEL("heat-rod"),
};
enum { MODELS = sizeof models / sizeof models[0] };

static brink_hsml *load(const char *text) {
  brink_diag diag;
  brink_hsml *model = NULL;
  CHECK_MSG(brink_hsml_load_text(text, &diag, &model) == BRINK_OK, "%s", diag.message);
  return model;
}

static brink_trajectory trajectory_of(brink_run *run) {
  brink_diag diag;
  brink_trajectory all;
  CHECK_MSG(brink_run_trajectory(run, &all, &diag) == BRINK_OK, "%s", diag.message);
  return all;
}

static size_t find_column(const brink_trajectory *all, const char *name) {
  for (size_t k = 0; k < all->ncolumns; k++) {
    if (strcmp(all->columns[k].name, name) == 0) return k;
  }
  return BRINK_NONE;
}

static double value_at(const brink_trajectory *all, size_t row, size_t column) {
  return all->values[row * (all->ncolumns + 1) + 1 + column];
}

static bool same_bits(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* ---- beside a file ---- */

/* The next field of a line of CSV, which ends there; quotes are taken off. */
static char *next_field(char **at) {
  char *begin = *at, *to = *at, *from = *at;
  bool quoted = *from == '"';
  if (quoted) from++;
  while (*from != '\0' && (quoted || (*from != ',' && *from != '\n'))) {
    if (quoted && *from == '"' && *++from != '"') {
      quoted = false;
      continue;
    }
    *to++ = *from++;
  }
  *at = *from != '\0' ? from + 1 : from;
  *to = '\0';
  return begin;
}

/* A field as the trajectory has it. */
static double number_of(const brink_column *column, const char *field) {
  if (column->type == BRINK_HSML_BOOLEAN) return strcmp(field, "true") == 0 ? 1.0 : 0.0;
  if (column->type != BRINK_HSML_STRING) return strtod(field, NULL);
  for (size_t k = 0; k < column->nlabels; k++) {
    if (strcmp(column->labels[k], field) == 0) return (double)k;
  }
  return NAN;
}

static void compare_with_csv(const char *path, const brink_trajectory *all, char *text) {
  size_t different = 0;
  CHECK(strcmp(next_field(&text), "time") == 0);
  for (size_t k = 0; k < all->ncolumns; k++)
    CHECK_MSG(strcmp(next_field(&text), all->columns[k].name) == 0, "%s: column %zu is %s", path, k,
              all->columns[k].name);
  for (size_t row = 0; row < all->rows && *text != '\0'; row++) {
    different +=
        !same_bits(strtod(next_field(&text), NULL), all->values[row * (all->ncolumns + 1)]);
    for (size_t k = 0; k < all->ncolumns; k++)
      different +=
          !same_bits(number_of(&all->columns[k], next_field(&text)), value_at(all, row, k));
  }
  CHECK_MSG(different == 0 && *text == '\0' && all->rows > 1, "%s: %zu differences in %zu rows",
            path, different, all->rows);
}

static void record_both(const char *path, double every) {
  brink_hsml *model = load_model(path);
  brink_run_options options = options_of(model);
  options.every = every;
  brink_run *run = make(model, &options);
  brink_bytes csv = {0};
  CHECK(brink_run_record_memory(run, "csv", NULL) == BRINK_OK);
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  brink_run_to(run, options.until, NULL);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK);
  CHECK(brink_run_recorded(run, &csv, NULL) == BRINK_OK);
  brink_trajectory all = trajectory_of(run);
  compare_with_csv(path, &all, csv.data);
  brink_bytes_free(&csv);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(rows_are_those_of_a_file) {
  for (size_t k = 0; k < MODELS; k++) record_both(models[k], 0.0);
  record_both(MODEL("thermostat"), 0.25);
  record_both(MODEL("bumper-cars"), 0.25);
}

/* ---- beside the summary ---- */

static bool same_text(const json *value, const char *text) {
  return value != NULL && value->text != NULL && strcmp(value->text, text) == 0;
}

/* The row of an event holds the values before it. */
static void compare_values(const char *path, const brink_trajectory *all,
                           const brink_trajectory_event *event, const json *state) {
  CHECK_MSG(all->values[(size_t)event->row * (all->ncolumns + 1)] == event->t, "%s: row of %g",
            path, event->t);
  for (const json *member = state->first; member != NULL; member = member->next) {
    size_t column = find_column(all, member->key);
    if (member->kind != JSON_NUMBER) continue;
    CHECK_MSG(column != BRINK_NONE && value_at(all, (size_t)event->row, column) == member->number,
              "%s: %s before t = %g", path, member->key, event->t);
  }
}

static void compare_event(const char *path, const brink_trajectory *all, size_t k,
                          const json *told) {
  const brink_trajectory_event *event = &all->events[k];
  const json *condition = json_member(told, "condition"), *agents = json_member(told, "agents");
  CHECK_MSG(same_text(json_member(told, "flag"), all->flags[event->flag]), "%s: event %zu is %s",
            path, k, all->flags[event->flag]);
  CHECK(json_member(told, "t")->number == event->t);
  CHECK(same_text(json_member(told, "direction"),
                  event->direction == BRINK_NEGATIVE ? "negative" : "positive"));
  CHECK((json_member(told, "generated") != NULL) == event->generated);
  CHECK_MSG(condition->kind == JSON_NUMBER ? condition->number == event->condition
                                           : isnan(event->condition) || isinf(event->condition),
            "%s: condition %g", path, event->condition);
  CHECK((agents != NULL) == (event->agents[0] != BRINK_NONE));
  for (size_t side = 0; agents != NULL && side < 2; side++)
    CHECK(same_text(json_at(agents, side), all->agents[event->agents[side]]));
  compare_values(path, all, event, json_member(told, "state"));
}

static size_t compare_events(const char *path) {
  brink_hsml *model = load_model(path);
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options);
  brink_bytes text = {0};
  const char *error;
  size_t offset;
  CHECK(brink_run_prepare_summary(run, NULL) == BRINK_OK);
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  brink_run_to(run, options.until, NULL);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK && brink_run_summary(run, &text, NULL) == BRINK_OK);
  brink_trajectory all = trajectory_of(run);
  json *summary = json_parse(text.data, &error, &offset);
  const json *events = json_member(summary, "events"), *told = events->first;
  size_t count = 0;
  for (; told != NULL && count < all.nevents; told = told->next, count++)
    compare_event(path, &all, count, told);
  CHECK_MSG(told == NULL && count == all.nevents, "%s: %zu events", path, all.nevents);
  json_free(summary);
  brink_bytes_free(&text);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  return count;
}

TEST(events_are_those_of_the_summary) {
  size_t count = 0;
  for (size_t k = 0; k < MODELS; k++) count += compare_events(models[k]);
  CHECK_MSG(count > 400, "%zu events", count);
}

/* ---- what is in it ---- */

static const char bag[] =
    "ctc Bag is\n"
    "  interface knob(k); input(u, signal); output(y, signal); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real, (-9.0, 9.0), \"m\"); state(n, integer);\n"
    "      parameter(k, real, (0.0, 10.0), \"1/s\"); parameter(on, boolean);\n"
    "      mode(phase, {\"high\", \"low\"}); flag(low, crossing);\n"
    "    end declarations;\n"
    "    initial x := 1.0; n := 0; phase := \"high\"; end initial;\n"
    "    dynamics x' = -k*x + u; low = x - 0.5; end dynamics;\n"
    "    output y = 2.0*x; end output;\n"
    "    event(low) negative-going phase := \"low\"; n := n + 1; end negative-going; end event;\n"
    "    assignments k : 1.0; on : true; u : 0.0; end assignments;\n"
    "  end body;\n"
    "end Bag;\n";

static const brink_column *constant(const brink_trajectory *all, const char *name, double *value) {
  for (size_t k = 0; k < all->nconstants; k++) {
    if (strcmp(all->constants[k].name, name) != 0) continue;
    *value = all->constant_values[k];
    return &all->constants[k];
  }
  return NULL;
}

TEST(columns_have_kinds_units_and_labels_and_constants_come_once) {
  brink_hsml *model = load(bag);
  brink_run_options options = options_of(model);
  options.sim.rtol = 1e-10;
  brink_run *run = make(model, &options);
  double value;
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  CHECK(brink_run_keep(run, "*, x', low, k", NULL) == BRINK_OK);
  CHECK(trajectory_of(run).rows == 0);
  CHECK(brink_run_to(run, 2.0, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK);
  brink_trajectory all = trajectory_of(run);
  size_t x = find_column(&all, "x"), slope = find_column(&all, "x'"), y = find_column(&all, "y"),
         phase = find_column(&all, "phase"), low = find_column(&all, "low");
  CHECK(all.ncolumns == 6 && find_column(&all, "k") == BRINK_NONE);
  CHECK(strcmp(all.columns[x].kind, "state") == 0 && strcmp(all.columns[x].unit, "m") == 0);
  CHECK(strcmp(all.columns[slope].kind, "derivative") == 0 && all.columns[slope].unit[0] == '\0');
  CHECK(strcmp(all.columns[low].kind, "flag") == 0 && strcmp(all.columns[y].kind, "output") == 0);
  CHECK(strcmp(all.columns[phase].kind, "mode") == 0 && all.columns[phase].nlabels == 2);
  CHECK(all.columns[phase].type == BRINK_HSML_STRING);
  CHECK(strcmp(all.columns[phase].labels[1], "low") == 0);
  CHECK(value_at(&all, 0, phase) == 0.0 && value_at(&all, all.rows - 1, phase) == 1.0);
  for (size_t row = 0; row < all.rows; row++) {
    double t = all.values[row * (all.ncolumns + 1)];
    CHECK_NEAR(value_at(&all, row, x), exp(-t), 1e-9);
    CHECK(value_at(&all, row, slope) == -value_at(&all, row, x));
  }
  CHECK(all.nevents == 1 && all.nflags == 1 && strcmp(all.flags[0], "low") == 0);
  CHECK_NEAR(all.events[0].t, log(2.0), 1e-9);
  CHECK(isnan(all.events[0].condition) && !all.events[0].generated);
  CHECK(strcmp(constant(&all, "k", &value)->unit, "1/s") == 0 && value == 1.0);
  CHECK(constant(&all, "on", &value)->type == BRINK_HSML_BOOLEAN && value == 1.0);
  CHECK(strcmp(constant(&all, "u", &value)->kind, "input") == 0 && value == 0.0);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(constants_are_those_of_the_start) {
  brink_hsml *model = load(bag);
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options);
  double value;
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  CHECK(brink_run_set(run, "u", 0.25, NULL) == BRINK_OK);
  brink_run_to(run, 1.0, NULL);
  brink_trajectory all = trajectory_of(run); /* in the middle */
  CHECK(all.rows > 1 && constant(&all, "u", &value) != NULL && value == 0.25);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(a_trajectory_is_asked_for_before_the_run) {
  brink_hsml *model = load(bag);
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options);
  brink_trajectory all;
  brink_diag diag;
  CHECK(brink_run_to(run, 1.0, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_keep_trajectory(run, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_trajectory(run, &all, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_keep_trajectory(NULL, NULL) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_trajectory(run, NULL, NULL) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_reset(run, NULL) == BRINK_OK); /* now it can be */
  CHECK(brink_run_keep_trajectory(run, &diag) == BRINK_OK);
  CHECK(brink_run_to(run, 1.0, NULL) == BRINK_TIME_REACHED);
  CHECK(trajectory_of(run).rows > 1);
  CHECK(brink_run_reset(run, NULL) == BRINK_OK); /* which forgets it */
  CHECK(brink_run_trajectory(run, &all, &diag) == BRINK_ERR_ARGUMENT);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(a_run_that_fails_or_is_cancelled_leaves_what_was_computed) {
  static const char edge[] =
      "ctc Edge is body declarations state(x, real, (0.0, 1.0)); end declarations;\n"
      "initial x := 0.5; end initial; dynamics x' = 1.0; end dynamics; end body; end Edge;\n";
  brink_hsml *model = load(edge);
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options);
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  brink_run_cancel(run);
  CHECK(brink_run_to(run, 2.0, NULL) == BRINK_CANCELLED);
  CHECK(brink_run_to(run, 2.0, NULL) < 0);
  brink_trajectory all = trajectory_of(run);
  CHECK(all.rows > 1 && fabs(value_at(&all, all.rows - 1, 0) - 1.0) < 1e-5);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* ---- values that are written on the way ---- */

/* Rows at a time, from the first one on. */
static size_t rows_at(const brink_trajectory *all, double t, size_t *first) {
  size_t count = 0;
  for (size_t row = 0; row < all->rows; row++) {
    if (all->values[row * (all->ncolumns + 1)] != t) continue;
    if (count++ == 0) *first = row;
  }
  return count;
}

/* The run stops at t = 1, where a value is written twice, and goes on. */
static void write_on_the_way(const char *path, const char *name, double value, double every,
                             bool goes_on) {
  brink_hsml *model = load_model(path);
  brink_run_options options = options_of(model);
  options.every = every;
  brink_run *run = make(model, &options);
  double before = NAN;
  size_t first = 0;
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  CHECK(brink_run_to(run, 1.0, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_get(run, name, &before, NULL) == BRINK_OK);
  CHECK(brink_run_set(run, name, 0.99 * value, NULL) == BRINK_OK);
  CHECK(brink_run_set(run, name, value, NULL) == BRINK_OK);
  if (goes_on) CHECK(brink_run_to(run, 2.0, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK);
  brink_trajectory all = trajectory_of(run);
  size_t column = find_column(&all, name), count = rows_at(&all, 1.0, &first);
  CHECK_MSG(count == 2, "%s: %zu rows at t = 1", path, count);
  CHECK(value_at(&all, first, column) == before && value_at(&all, first + 1, column) == value);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(what_is_written_on_the_way_has_rows_before_and_after) {
  for (int grid = 0; grid < 2; grid++) {
    for (int on = 0; on < 2; on++) {
      write_on_the_way(MODEL("thermostat"), "room.T", 19.5, 0.25 * grid, on == 1);
      write_on_the_way(MODEL("bumper-cars"), "car[3].theta", 2.0, 0.25 * grid, on == 1);
    }
  }
}

TEST(an_event_that_follows_from_a_write_comes_after_it) {
  brink_hsml *model = load(bag);
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options);
  size_t first = 0;
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  CHECK(brink_run_to(run, 0.5, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_set(run, "x", 0.25, NULL) == BRINK_OK);
  CHECK(brink_run_to(run, 1.0, NULL) == BRINK_TIME_REACHED);
  brink_trajectory all = trajectory_of(run);
  size_t x = find_column(&all, "x"), n = find_column(&all, "n");
  CHECK(rows_at(&all, 0.5, &first) == 3 && all.nevents == 1 && all.events[0].row == (int)first + 1);
  CHECK_NEAR(value_at(&all, first, x), exp(-0.5), 1e-5);
  CHECK(value_at(&all, first + 1, x) == 0.25 && value_at(&all, first + 1, n) == 0.0);
  CHECK(value_at(&all, first + 2, x) == 0.25 && value_at(&all, first + 2, n) == 1.0);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(what_was_written_on_the_way_is_no_constant) {
  brink_hsml *model = load(bag);
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options);
  double value;
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  brink_run_to(run, 1.0, NULL);
  CHECK(brink_run_set(run, "u", 0.25, NULL) == BRINK_OK);
  brink_trajectory all = trajectory_of(run);
  CHECK(all.nconstants == 2 && constant(&all, "u", &value) == NULL);
  CHECK(constant(&all, "k", &value) != NULL && value == 1.0);
  CHECK(constant(&all, "on", &value) != NULL && value == 1.0);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* However many calls a run takes to its end. */
TEST(a_grid_has_all_its_rows) {
  static const char *const names[] = {MODEL("thermostat"), MODEL("bumper-cars")};
  for (size_t k = 0; k < 2; k++) {
    brink_hsml *model = load_model(names[k]);
    brink_run_options options = options_of(model);
    options.every = 0.25;
    brink_run *run = make(model, &options);
    size_t first;
    CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
    for (int leg = 1; leg <= 5; leg++)
      CHECK(brink_run_to(run, 0.5 * leg, NULL) == BRINK_TIME_REACHED);
    CHECK(brink_run_finish(run, NULL) == BRINK_OK);
    brink_trajectory all = trajectory_of(run);
    for (int point = 0; point <= 10; point++)
      CHECK_MSG(rows_at(&all, 0.25 * point, &first) == 1, "%s: %zu rows at t = %g", names[k],
                rows_at(&all, 0.25 * point, &first), 0.25 * point);
    brink_run_destroy(run);
    brink_hsml_destroy(model);
  }
}

TEST(files_have_the_constants_of_the_start) {
  brink_hsml *model = load(bag);
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options);
  mat_file file;
  CHECK(brink_run_set(run, "u", 0.25, NULL) == BRINK_OK);
  CHECK(brink_run_record(run, "start.mat", NULL) == BRINK_OK);
  brink_run_to(run, 1.0, NULL);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK && mat_read("start.mat", &file));
  const mat_matrix *data = mat_find(&file, "data_1"); /* time, k, on, u */
  CHECK(data != NULL && data->rows == 4 && mat_number(data, 3, 0) == 0.25);
  mat_free(&file);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(hdf5_files_say_what_columns_are) {
  brink_hsml *model = load(bag);
  brink_run_options options = options_of(model);
  brink_run *run = make(model, &options);
  if (!h5dump_is_there() || brink_run_record(run, "kinds.h5", NULL) != BRINK_OK) {
    printf("HDF5 or h5dump is not installed: kinds of columns are not read back\n");
  } else {
    CHECK(brink_run_keep(run, "*, x', low", NULL) == BRINK_OK);
    brink_run_to(run, 1.0, NULL);
    CHECK(brink_run_finish(run, NULL) == BRINK_OK);
    CHECK(system("h5dump -a \"/trajectory/low/kind\" kinds.h5 | grep -q '\"flag\"'") == 0);
    CHECK(system("h5dump -a \"/trajectory/x'/kind\" kinds.h5 | grep -q '\"derivative\"'") == 0);
    CHECK(system("h5dump -a \"/trajectory/n/kind\" kinds.h5 | grep -q '\"state\"'") == 0);
  }
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

static int cancel_each_step(brink_run *run, double t0, double t1, void *user) {
  (void)t0, (void)t1;
  ++*(size_t *)user;
  brink_run_cancel(run);
  return 0;
}

TEST(a_run_that_is_cancelled_goes_on_and_has_the_same_rows) {
  static const char oscillator[] =
      "ctc Oscillator is body declarations state(x, real); state(v, real); flag(zero); end "
      "declarations;\n"
      "initial x := 1.0; v := 0.0; end initial; dynamics x' = v; v' = -x; zero = x; end dynamics;\n"
      "end body; end Oscillator;\n";
  static const double grids[] = {0.0, 0.01}; /* the second one with many rows in a step */
  brink_hsml *model = load(oscillator);
  for (size_t k = 0; k < 2; k++) {
    brink_run_options options = options_of(model);
    options.until = 100.0;
    options.every = grids[k];
    brink_run *plain = make(model, &options), *cancelled = make(model, &options);
    size_t steps = 0, calls = 0;
    CHECK(brink_run_keep_trajectory(plain, NULL) == BRINK_OK);
    CHECK(brink_run_keep_trajectory(cancelled, NULL) == BRINK_OK);
    brink_run_observe(cancelled, &(brink_run_observer){.step = cancel_each_step, .user = &steps});
    CHECK(brink_run_to(plain, 100.0, NULL) == BRINK_TIME_REACHED);
    brink_status status;
    do {
      status = brink_run_to(cancelled, 100.0, NULL);
      calls++;
    } while (status == BRINK_CANCELLED);
    CHECK(status == BRINK_TIME_REACHED && calls > 1 && steps > 10);
    brink_trajectory a = trajectory_of(plain), b = trajectory_of(cancelled);
    CHECK(a.rows == b.rows && a.ncolumns == b.ncolumns);
    CHECK(memcmp(a.values, b.values, a.rows * (a.ncolumns + 1) * sizeof(double)) == 0);
    brink_run_destroy(plain);
    brink_run_destroy(cancelled);
  }
  brink_hsml_destroy(model);
}

/* ---- memory ---- */

/* All that a run with a trajectory does; OK, or the first failure. */
static brink_status run_with(brink_hsml *model, const brink_run_options *options,
                             const brink_allocator *allocator, size_t *rows) {
  brink_run *run = NULL, *again = NULL;
  brink_trajectory all = {0};
  brink_diag diag = {0};
  brink_status status = brink_run_create(model, options, allocator, &diag, &run);
  if (status == BRINK_OK) status = brink_run_set(run, "x", 2.0, &diag);
  if (status == BRINK_OK) status = brink_run_keep_trajectory(run, &diag);
  if (status == BRINK_OK) status = brink_run_to(run, options->until, &diag);
  if (status == BRINK_TIME_REACHED) status = brink_run_finish(run, &diag);
  if (status < 0) CHECK_MSG(diag.message[0] != '\0', "status %d without a message", status);
  brink_status read = run != NULL && status != BRINK_ERR_ARGUMENT
                          ? brink_run_trajectory(run, &all, NULL)
                          : BRINK_OK;
  if (status == BRINK_OK) status = read;
  *rows = all.rows;
  if (status == BRINK_OK) status = brink_run_repeat(run, false, &diag, &again);
  brink_run_destroy(again);
  brink_run_destroy(run);
  return status;
}

TEST(every_failed_allocation_is_told) {
  brink_hsml *model = load(bag);
  brink_run_options options = options_of(model);
  options.until = 20.0;
  options.every = 0.05;
  size_t rows, whole, partly = 0;
  long needed = 0;
  CHECK(run_with(model, &options, NULL, &whole) == BRINK_OK && whole > 400);
  for (int on = 0; on < 2; on++) {
    needed = 0;
    for (long n = 1; n < 2000 && needed == 0; n++) {
      counting state = {.fail_at = n, .fail_on = on == 1};
      brink_allocator allocator = counting_allocator(&state);
      brink_status status = run_with(model, &options, &allocator, &rows);
      CHECK_MSG(status == BRINK_OK || status == BRINK_ERR_MEMORY, "call %ld: %d", n, status);
      CHECK_INT(state.live, 0);
      CHECK_INT(state.mismatch, 0);
      CHECK(status != BRINK_OK || rows == whole);
      partly += status != BRINK_OK && rows > 0 && rows < whole;
      if (state.calls < n) needed = n;
    }
    CHECK_MSG(needed > 10, "%ld", needed);
  }
  CHECK(partly > 0); /* what was kept until then is there */
  brink_hsml_destroy(model);
}

int main(void) {
  RUN(rows_are_those_of_a_file);
  RUN(events_are_those_of_the_summary);
  RUN(columns_have_kinds_units_and_labels_and_constants_come_once);
  RUN(constants_are_those_of_the_start);
  RUN(a_trajectory_is_asked_for_before_the_run);
  RUN(a_run_that_fails_or_is_cancelled_leaves_what_was_computed);
  RUN(what_is_written_on_the_way_has_rows_before_and_after);
  RUN(an_event_that_follows_from_a_write_comes_after_it);
  RUN(what_was_written_on_the_way_is_no_constant);
  RUN(a_grid_has_all_its_rows);
  RUN(files_have_the_constants_of_the_start);
  RUN(hdf5_files_say_what_columns_are);
  RUN(a_run_that_is_cancelled_goes_on_and_has_the_same_rows);
  RUN(every_failed_allocation_is_told);
  return check_done();
}
