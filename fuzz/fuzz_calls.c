/* fuzz_calls.c: calls of <brink/hsml.h>, <brink/record.h> and <brink/sweep.h> in any order, with arguments that are right or
 * wrong; observers and functions of inputs that misbehave: they stop the run, fail, give values that are no numbers, call the
 * run that calls them.
 *
 * The input is a list of choices: the model, then one call after another on one model and up to three runs of it (clones,
 * repetitions). What is promised: a status, never a crash, a leak, or work without an end; a failure has words; from inside,
 * a run is read and not moved; a clone goes on as its original does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include <brink/hsml.h>
#include <brink/record.h>
#include <brink/sweep.h>

enum { RUNS = 3, CALLS = 30, STEPS = 30, LIST = 8 };

#define COLLECTED(name) BRINK_SOURCE_DIR "/models/" name "/model.hsml"

static const char driven[] =
    "ctc Driven is\n"
    "  interface input(u, signal); input(on, boolean); knob(k); output(y, signal); end interface;\n"
    "  body\n"
    "    declarations state(x, real); state(v, real); parameter(k, real, (0.0, 9.0)); parameter(n, "
    "integer, (1, 3));\n"
    "      mode(m, {\"up\", \"down\"}); flag(floor, unilateral); flag(half); end declarations;\n"
    "    initial x := 1.0; v := 0.0; m := \"up\"; end initial;\n"
    "    dynamics x' = v; v' = -k + u + (if on then 0.1 else 0.0); floor = x; half = x - 0.5; end "
    "dynamics;\n"
    "    output y = x + n*u; end output;\n"
    "    event(floor) negative-going v := -0.8*v; m := \"down\"; end negative-going; end event;\n"
    "    assignments k : 1.0; n : 2; end assignments;\n"
    "  end body;\n"
    "end Driven;\n";

static const char *const files[] = {COLLECTED("thermostat"),      COLLECTED("bouncing-ball"),
                                    COLLECTED("three-agents"),    COLLECTED("mackey-glass"),
                                    COLLECTED("string-pendulum"), COLLECTED("timers"),
                                    COLLECTED("sliding-mode"),    COLLECTED("mmc-queue"),
                                    COLLECTED("bumper-discs"),    COLLECTED("van-der-pol")};
enum { FILES = sizeof files / sizeof files[0] };

/* Names that are there in some model, and some that are nowhere. */
static const char *const names[] = {"x",       "v",        "u",    "on",     "k",
                                    "n",       "y",        "m",    "floor",  "half",
                                    "room.T",  "h",        "time", "x[1]",   "p[1].x",
                                    "p[4].vx", "",         "x'",   "room.*", "room.outdoor",
                                    "ball.v",  "nothing",  "x[",   "*",      "x,v,y",
                                    "k k",     "p[*].x",   "x, x", "room.",  "p[1..2].y",
                                    "osc.x",   "disc[1].x"};
static const char *const words[] = {"1",    "0.5", "-3", "1e400", "true", "up",     "[1, 2]",
                                    "pi/6", "nan", "",   "k",     "99",   "\"up\"", "1/0"};
static const char *const option_names[] = {"rtol",  "method",  "until",     "events",
                                           "order", "step",    "every",     "clocks",
                                           "seed",  "nothing", "tolerance", "hmax"};
static const char *const option_words[] = {"1e-4", "adams",       "taylor", "bdf", "dopri",
                                           "2",    "inf",         "one",    "own", "0",
                                           "-1",   "interpolate", "mnm",    "rk4"};
#define ONE_OF(list) list[fuzz_choose(c, sizeof list / sizeof list[0])]

typedef struct world {
  fuzz_choices choices;
  brink_hsml *model;
  brink_run *runs[RUNS];
  size_t mischief, when, calls; /* of observers and functions of inputs */
  brink_run *busy;              /* that is under way */
} world;

/* ---- who is called ---- */

static void call_inside(brink_run *run) {
  brink_run *other = NULL;
  brink_bytes bytes = {0};
  double value;
  double t = brink_run_time(run);
  if (brink_run_to(run, t + 1.0, NULL) != BRINK_ERR_ARGUMENT) abort();
  if (brink_run_step(run, t + 1.0, NULL) != BRINK_ERR_ARGUMENT) abort();
  if (brink_run_set(run, "x", 1.0, NULL) != BRINK_ERR_ARGUMENT) abort();
  if (brink_run_reset(run, NULL) != BRINK_ERR_ARGUMENT) abort();
  if (brink_run_clone(run, NULL, &other) != BRINK_ERR_ARGUMENT || other != NULL) abort();
  if (brink_run_save(run, &bytes, NULL) != BRINK_ERR_ARGUMENT || bytes.data != NULL) abort();
  if (brink_run_finish(run, NULL) != BRINK_ERR_ARGUMENT) abort();
  brink_run_destroy(run); /* does nothing */
  brink_run_get(run, "x", &value, NULL);
  brink_run_get_text(run, "m");
}

static size_t misbehave(world *w) {
  size_t what = w->calls++ == w->when ? w->mischief : 0;
  if (what == 1 && w->busy != NULL) call_inside(w->busy);
  if (what == 2 && w->busy != NULL) brink_run_cancel(w->busy);
  return what;
}

static int on_event(brink_run *run, const brink_run_event *event, void *user) {
  brink_value value;
  if (event->flag == NULL || !isfinite(event->t)) abort();
  if (brink_run_find(run, "x", &value, NULL) == BRINK_OK)
    brink_moment_value(run, event->before, value);
  return misbehave(user) == 3;
}

static int on_step(brink_run *run, double t0, double t1, void *user) {
  (void)run;
  if (!isfinite(t0) || !isfinite(t1)) abort();
  return misbehave(user) == 3;
}

static int input_value(double t, double *u, void *user) {
  size_t what = misbehave(user);
  *u = what == 4 ? (double)NAN : what == 5 ? 1e300 : sin(t);
  return what == 3 ? -5 : 0;
}

static int read_text(const char *path, const char **text, size_t *length, const char **reason,
                     void *user) {
  (void)path, (void)text, (void)length, (void)user;
  *reason = "there is nothing here";
  return 1;
}

/* ---- models ---- */

static void load(world *w) {
  fuzz_choices *c = &w->choices;
  brink_hsml_def def = brink_default_hsml();
  brink_hsml_reader reader = {.read = read_text};
  brink_diag diag = {0};
  size_t which = fuzz_choose(c, 16);
  if (which < FILES)
    def.path = files[which];
  else
    def.text = driven;
  if (which == 15) def.reader = &reader, def.text = NULL, def.path = "nowhere";
  if (fuzz_choose(c, 8) == 7) def.top = ONE_OF(names);
  def.part = fuzz_choose(c, 2) == 1;
  brink_status status = brink_hsml_load(&def, NULL, &diag, &w->model);
  fuzz_check_refusal(status, &diag);
  if ((status == BRINK_OK || status == BRINK_ERR_MODEL) != (w->model != NULL)) abort();
}

static void change_model(world *w) {
  fuzz_choices *c = &w->choices;
  brink_diag diag = {0};
  brink_status status = BRINK_OK;
  double t[4] = {0.0, fuzz_number(c), fuzz_number(c), 3.0},
         values[4] = {fuzz_number(c), 1.0, -1.0, fuzz_number(c)};
  const char *name = ONE_OF(names);
  brink_hsml_inputs inputs = {.names = &name,
                              .count = 1,
                              .t = t,
                              .rows = 1 + fuzz_choose(c, 4),
                              .values = values,
                              .hold = fuzz_choose(c, 2) == 1};
  brink_hsml_function function = {
      .value = input_value, .user = w, .corners = t, .ncorners = fuzz_choose(c, 3)};
  const brink_hsml_item *items;
  const brink_hsml_message *messages;
  char text[16];
  switch (fuzz_choose(c, 8)) {
  case 0:
    status = brink_hsml_set(w->model, name, fuzz_number(c), &diag);
    break;
  case 1:
    status = brink_hsml_set_text(w->model, name, ONE_OF(words), &diag);
    break;
  case 2:
    brink_hsml_unset(w->model);
    break;
  case 3:
    status = brink_hsml_set_inputs(w->model, fuzz_choose(c, 4) == 0 ? NULL : &inputs, &diag);
    break;
  case 4:
    status = brink_hsml_set_function(w->model, fuzz_choose(c, 2) == 0 ? "u" : name,
                                     fuzz_choose(c, 4) == 0 ? NULL : &function, &diag);
    break;
  case 5:
    status = brink_hsml_build(w->model, &diag);
    break;
  case 6: {
    size_t count = brink_hsml_items(w->model, (brink_hsml_kind)fuzz_choose(c, 8), &items);
    for (size_t k = 0; k < count && k < LIST; k++)
      brink_hsml_element_name(w->model, &items[k], items[k].count - 1, text, sizeof text);
    break;
  }
  default:
    brink_hsml_messages(w->model, &messages);
  }
  fuzz_check_refusal(status, &diag);
}

/* ---- runs ---- */

static void create(world *w, brink_run **run) {
  fuzz_choices *c = &w->choices;
  brink_run_options options = brink_default_run();
  brink_diag diag = {0};
  brink_status status = brink_hsml_options(w->model, &options, &diag);
  fuzz_check_refusal(status, &diag);
  if (status != BRINK_OK) return;
  options.sim.rtol = 1e-4, options.sim.atol = 1e-6;
  for (size_t k = fuzz_choose(c, 3); k > 0; k--) {
    const char *name = ONE_OF(option_names);
    fuzz_check_refusal(brink_run_option(&options, name, ONE_OF(option_words), &diag), &diag);
  }
  options.interpret = true;
  options.threads = 1;
  options.writable = (brink_writable)fuzz_choose(c, 3);
  options.conditions = fuzz_choose(c, 4) == 0;
  options.sim.max_steps = STEPS;
  status = brink_run_create(w->model, &options, NULL, &diag, run);
  fuzz_check_refusal(status, &diag);
  if ((status == BRINK_OK) != (*run != NULL)) abort();
}

static brink_status prepare(world *w, brink_run *run, brink_diag *diag) {
  static const char *const formats[] = {"csv", "mat", "h5", "txt", ""};
  fuzz_choices *c = &w->choices;
  const char *list[2] = {ONE_OF(names), ONE_OF(names)};
  brink_run_observer observer = {.event = on_event, .step = on_step, .user = w};
  switch (fuzz_choose(c, 11)) {
  case 0:
    return brink_run_record_memory(run, ONE_OF(formats), diag);
  case 1:
    return brink_run_keep(run, ONE_OF(names), diag);
  case 2:
    return brink_run_keep_trajectory(run, diag);
  case 3:
    return brink_run_keep_dense(run, diag);
  case 4:
    return brink_run_prepare_report(run, diag);
  case 5:
    return brink_run_prepare_summary(run, diag);
  case 6:
    return brink_run_prepare_states(run, diag);
  case 7:
    return brink_run_prepare_conditions(run, diag);
  case 8:
    return brink_run_keep_sensitivity(run, list, fuzz_choose(c, 3), diag);
  default:
    brink_run_observe(run, fuzz_choose(c, 4) == 0 ? NULL : &observer);
    return BRINK_OK;
  }
}

static brink_status move(world *w, brink_run *run, brink_diag *diag) {
  fuzz_choices *c = &w->choices;
  double t = brink_run_time(run), by = fuzz_number(c);
  switch (fuzz_choose(c, 6)) {
  case 0:
    return brink_run_to(run, t + by, diag);
  case 1:
    return brink_run_step(run, t + by, diag);
  case 2:
    return brink_run_next_event(run, t + by, diag);
  case 3:
    return brink_run_output(run, t + 0.5 * by, t + by, diag);
  case 4:
    return brink_run_set(run, ONE_OF(names), fuzz_number(c), diag);
  default: {
    const char *name = ONE_OF(names);
    return brink_run_set_text(run, name, ONE_OF(words), diag);
  }
  }
}

static void read_values(world *w, brink_run *run) {
  fuzz_choices *c = &w->choices;
  brink_value value = {0};
  brink_diag diag = {0};
  brink_trajectory rows;
  brink_run_sensitivity slopes;
  brink_run_structure structure;
  double number, out[LIST], t = fuzz_choose(c, 2) == 0 ? brink_run_time(run) : fuzz_number(c);
  const char *name = ONE_OF(names);
  const size_t columns[2] = {0, fuzz_choose(c, LIST)};
  fuzz_check_refusal(brink_run_find(run, name, &value, &diag), &diag);
  brink_run_value(run, value);
  fuzz_check_refusal(brink_run_get(run, name, &number, &diag), &diag);
  brink_run_get_text(run, name);
  fuzz_check_refusal(brink_run_get_at(run, t, &value, 1, out, &diag), &diag);
  fuzz_check_refusal(brink_run_trajectory(run, &rows, &diag), &diag);
  fuzz_check_refusal(brink_run_trajectory_at(run, &t, 1, columns, 2, out, &diag), &diag);
  fuzz_check_refusal(brink_run_get_sensitivity(run, &slopes, &diag), &diag);
  fuzz_check_refusal(brink_run_get_structure(run, &structure, &diag), &diag);
  value.variable = (uint32_t)fuzz_choose(c, 65536);
  value.element = fuzz_choose(c, 65536);
  value.type = (uint32_t)fuzz_choose(c, 8);
  brink_run_value(run, value);
  fuzz_check_refusal(brink_run_get_at(run, t, &value, 1, out, &diag), &diag);
  brink_run_text(run, fuzz_number(c));
  brink_run_result(run);
  brink_run_information(run);
}

/* What is saved can be restored into a run of the same kind; into another it is refused, or not. */
static void hand_over(brink_run *from, brink_run *to) {
  brink_bytes bytes = {0};
  brink_diag diag = {0};
  fuzz_check_refusal(brink_run_save(from, &bytes, &diag), &diag);
  if (to != NULL) fuzz_check_refusal(brink_run_restore(to, bytes.data, bytes.length, &diag), &diag);
  brink_bytes_free(&bytes);
}

static void finish(world *w, brink_run *run) {
  brink_bytes bytes = {0};
  brink_diag diag = {0};
  if (fuzz_choose(&w->choices, 2) == 0) fuzz_check_refusal(brink_run_finish(run, &diag), &diag);
  fuzz_check_refusal(brink_run_recorded(run, &bytes, &diag), &diag);
  brink_bytes_free(&bytes);
  fuzz_check_refusal(brink_run_summary(run, &bytes, &diag), &diag);
  brink_bytes_free(&bytes);
  fuzz_check_refusal(brink_run_report(run, &bytes, &diag), &diag);
  brink_bytes_free(&bytes);
}

/* A clone goes on as its original does, to the last bit. */
static void go_on(brink_run *one, brink_run *two) {
  double t = brink_run_time(one) + 0.5, a, b;
  if (brink_run_time(two) + 0.5 != t) abort();
  if (brink_run_to(one, t, NULL) != brink_run_to(two, t, NULL)) abort();
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    brink_status status = brink_run_get(one, names[k], &a, NULL);
    if (brink_run_get(two, names[k], &b, NULL) != status) abort();
    if (status == BRINK_OK && memcmp(&a, &b, sizeof a) != 0) abort();
  }
}

static void copy(world *w, brink_run *from, brink_run **to) {
  brink_diag diag = {0};
  bool again = fuzz_choose(&w->choices, 2) == 0;
  brink_status status = again ? brink_run_repeat(from, fuzz_choose(&w->choices, 2) == 0, &diag, to)
                              : brink_run_clone(from, &diag, to);
  fuzz_check_refusal(status, &diag);
  if ((status == BRINK_OK) != (*to != NULL)) abort();
  if (!again && *to != NULL && w->mischief == 0) go_on(from, *to);
}

/* ---- sweeps ---- */

static int on_progress(const brink_sweep_progress *progress, void *user) {
  (void)progress;
  return misbehave(user) == 3;
}

static void sweep(world *w) {
  static const char *const vary[] = {"k=1:2:3",        "k=0,1",      "on=true,false", "n=1:3:3",
                                     "x=uniform(0,1)", "seed=1:3:3", "nothing=1:2:2", "k=-5:50:3"};
  static const char *const measures[] = {"max(x)",       "y",       "first(half)", "mean(v)",
                                         "count(floor)", "nothing", "min(x)/2"};
  static const char *const designs[] = {NULL, "grid", "random", "lhs", "sobol", "nowhere.csv"};
  fuzz_choices *c = &w->choices;
  brink_hsml_def model = brink_default_hsml();
  brink_sweep_def def = brink_default_sweep();
  const char *varied[3] = {ONE_OF(vary), ONE_OF(vary), ONE_OF(vary)},
             *measured[2] = {ONE_OF(measures), ONE_OF(measures)};
  const brink_sweep_option options[] = {
      {"until", "1.5"}, {"tolerance", "1e-4"}, {ONE_OF(option_names), ONE_OF(option_words)}};
  brink_sweep *made = NULL;
  brink_diag diag = {0};
  brink_sweep_table table;
  const brink_sweep_index *indices;
  size_t count;
  model.text = driven;
  def.model = &model;
  def.vary = varied, def.nvary = fuzz_choose(c, 4);
  def.measures = measured, def.nmeasures = fuzz_choose(c, 3);
  def.options = options, def.noptions = 2 + fuzz_choose(c, 2);
  def.design = ONE_OF(designs);
  def.samples = fuzz_choose(c, 4);
  def.indices = fuzz_choose(c, 4) == 0;
  def.interpret = true, def.keep_table = fuzz_choose(c, 4) > 0;
  def.jobs = 1 + fuzz_choose(c, 2);
  static const size_t lanes[] = {0, 1, 4, 8, 3};
  def.lanes = ONE_OF(lanes);
  def.report = fuzz_choose(c, 2) == 0;
  def.limit = 5.0;
  def.progress = on_progress, def.user = w;
  brink_status status = brink_sweep_create(&def, &diag, &made);
  fuzz_check_refusal(status, &diag);
  if ((status == BRINK_OK) != (made != NULL)) abort();
  if (made == NULL) return;
  if (fuzz_choose(c, 8) == 7) brink_sweep_cancel(made);
  if (brink_sweep_runs(made) <= 64) fuzz_check_refusal(brink_sweep_run(made, &diag), &diag);
  fuzz_check_refusal(brink_sweep_get_table(made, &table, &diag), &diag);
  fuzz_check_refusal(brink_sweep_get_indices(made, &indices, &count, &diag), &diag);
  brink_sweep_result(made);
  brink_sweep_lanes(made, NULL);
  brink_sweep_destroy(made);
}

/* ---- one call after another ---- */

static void call(world *w) {
  size_t what = fuzz_choose(&w->choices, 16), at = fuzz_choose(&w->choices, RUNS);
  brink_run **run = &w->runs[at], **next = &w->runs[(at + 1) % RUNS];
  brink_diag diag = {0};
  if (what == 0) change_model(w);
  if (what == 1 && fuzz_choose(&w->choices, 4) == 0) sweep(w);
  if (what <= 1) return;
  if (*run == NULL) {
    create(w, run);
    return;
  }
  w->busy = *run;
  switch (what) {
  case 2:
    brink_run_destroy(*run);
    *run = NULL;
    break;
  case 3:
    if (*next == NULL) copy(w, *run, next);
    break;
  case 4:
    read_values(w, *run);
    break;
  case 5:
    finish(w, *run);
    break;
  case 6:
    hand_over(*run, *next);
    break;
  case 7:
    fuzz_check_refusal(brink_run_reset(*run, &diag), &diag);
    break;
  case 8:
  case 9:
  case 10:
    fuzz_check_refusal(prepare(w, *run, &diag), &diag);
    break;
  case 11:
    brink_run_cancel(*run);
    break;
  default:
    fuzz_check_refusal(move(w, *run, &diag), &diag);
  }
  w->busy = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  world w = {.choices = {data, data + size}};
  load(&w);
  w.mischief = fuzz_choose(&w.choices, 6);
  w.when = fuzz_choose(&w.choices, 64);
  for (int k = 0; w.model != NULL && k < CALLS && fuzz_more(&w.choices); k++) call(&w);
  bool model_first =
      fuzz_choose(&w.choices, 2) == 0; /* a run outlives the model that it was made of */
  if (model_first) brink_hsml_destroy(w.model);
  for (size_t k = 0; k < RUNS; k++) brink_run_destroy(w.runs[k]);
  if (!model_first) brink_hsml_destroy(w.model);
  return 0;
}
