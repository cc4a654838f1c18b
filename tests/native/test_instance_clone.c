/* Clones of instances, and instances that are reset: each runs as the first one did, to the bit, whatever happens to
 * the first one and in whatever thread. Parameters that vary may be written during a run. */
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "model/model.h"
#include "support/counting.h"
#include "support/hsml_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- runs, and all that they leave behind ---- */

typedef struct trace {
  const brink_instance *instance;
  size_t nx;
  uint64_t hash;
  size_t nevents;
} trace;

static void mix(trace *made, const void *data, size_t size) { /* FNV-1a */
  const unsigned char *bytes = data;
  for (size_t k = 0; k < size; k++) made->hash = (made->hash ^ bytes[k]) * UINT64_C(0x100000001B3);
}

static void mix_text(trace *made, const char *text) {
  if (text != NULL) mix(made, text, strlen(text));
}

static int on_step(const brink_step_record *record, void *user) {
  mix(user, &record->t1, sizeof record->t1);
  mix(user, record->x, record->nx * sizeof *record->x);
  return 0;
}

static int on_event(const brink_event_record *record, void *user) {
  trace *made = user;
  made->nevents++;
  mix_text(made, record->event.name);
  mix(made, &record->event.t, sizeof record->event.t);
  mix(made, record->x_after, made->nx * sizeof *record->x_after);
  size_t count;
  const brink_note *notes = brink_instance_notes(made->instance, &count);
  for (size_t k = 0; k < count; k++) {
    mix_text(made, notes[k].label);
    for (size_t i = 0; i < notes[k].nvalues; i++)
      mix(made, &notes[k].values[i].value, sizeof(double));
  }
  return 0;
}

static brink_options sim_options(void) {
  brink_options options = brink_default_options();
  options.rtol = 1e-8, options.atol = 1e-10;
  options.zeno = BRINK_ZENO_CONTINUE;
  return options;
}

static brink_instance_options instance_options(bool native) {
  return (brink_instance_options){.interpret = !native,
                                  .cache = "test_clone.cache",
                                  .rtol = 1e-8,
                                  .atol = 1e-10,
                                  .seed = 1,
                                  .range_warns = true,
                                  .wants_flow_jet = true,
                                  .only_if_worth = true};
}

/* The sim goes to t_end; how it ended is part of the trace. */
static trace run_sim(brink_instance *instance, brink_sim *sim, double t_end) {
  const brink_model *model = brink_instance_model(instance);
  trace made = {.instance = instance, .nx = model->def.nx, .hash = UINT64_C(0xCBF29CE484222325)};
  brink_sink sink = {.step = on_step, .event = on_event, .user = &made};
  brink_diag diag;
  brink_sim_set_sink(sim, &sink);
  brink_status status = brink_sim_run(sim, t_end, &diag);
  brink_sim_set_sink(sim, NULL);
  mix(&made, &status, sizeof status);
  mix(&made, brink_sim_parameters(sim), model->def.np * sizeof(double));
  mix(&made, brink_sim_modes(sim), model->def.nmodes * sizeof(int));
  const char *message;
  brink_ending ending = brink_instance_ending(instance, &message);
  mix(&made, &ending, sizeof ending);
  mix_text(&made, message);
  size_t count;
  const char *const *warnings = brink_instance_warnings(instance, &count);
  for (size_t k = 0; k < count; k++) mix_text(&made, warnings[k]);
  return made;
}

static brink_sim *make_sim(const brink_instance *instance) {
  brink_options options = sim_options();
  brink_sim *sim = NULL;
  brink_diag diag;
  CHECK_INT(brink_sim_create(brink_instance_model(instance), &options, NULL, &diag, &sim),
            BRINK_OK);
  return sim;
}

static trace run_all(brink_instance *instance, double t_end) {
  brink_sim *sim = make_sim(instance);
  trace made = run_sim(instance, sim, t_end);
  brink_sim_destroy(sim);
  return made;
}

/* ---- models of every kind ---- */

typedef struct scene {
  const char *model;
  double t_end;
} scene;

static const scene scenes[] = {
    {"corridor", 6.0},       {"two-tank-zeno", 4.0}, {"sampled-thermostat", 24.0},
    {"stick-slip", 8.0},     {"timers", 5.0},        {"relay", 3.0},
    {"batch-reactor", 10.0}, {"cascade", 4.5},       {"bouncing-ball", 5.0},
    {"house", 12.0},         {"heat-rod", 20.0},     {"bumper-cars", 3.0},
};

typedef struct loaded {
  brink_unit *unit;
  brink_system *system;
} loaded;

static loaded load(const char *model) {
  char path[512];
  snprintf(path, sizeof path, "%s/models/%s/model.hsml", BRINK_SOURCE_DIR, model);
  FILE *file = fopen(path, "rb");
  static char text[1 << 16];
  size_t length = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file != NULL) fclose(file);
  text[length] = '\0';
  loaded made = {0};
  made.system = hsml_flatten(text, NULL, &made.unit);
  return made;
}

static void unload(loaded *from) {
  brink_system_destroy(from->system);
  brink_unit_destroy(from->unit);
}

static brink_instance *make(brink_system *system, bool native) {
  brink_instance_options options = instance_options(native);
  brink_instance *made = NULL;
  brink_diag diag;
  brink_status status = brink_instance_create(system, &options, NULL, &diag, &made);
  CHECK_MSG(status == BRINK_OK, "%s: %s", system->name, diag.message);
  return made;
}

static brink_instance *clone(const brink_instance *like) {
  brink_instance *made = NULL;
  brink_diag diag;
  CHECK_INT(brink_instance_clone(like, NULL, &diag, &made), BRINK_OK);
  return made;
}

/* ---- claims ---- */

static void check_scene(const scene *s, bool native) {
  loaded from = load(s->model);
  brink_instance *first = make(from.system, native);
  brink_instance *before = clone(first);
  trace expected = run_all(first, s->t_end);
  bool clocks = brink_instance_model(first)->def.nclocks > 0;
  CHECK_MSG(clocks || expected.nevents > 0, "%s: nothing happens", s->model);
  brink_instance *after = clone(first); /* of one that has run */
  CHECK(strcmp(brink_instance_engine(first), brink_instance_engine(after)) == 0);
  CHECK(brink_instance_compile_seconds(after) == 0.0);
  brink_instance_destroy(first);
  brink_instance *second = clone(before); /* a clone of a clone, after the first is gone */
  brink_instance *clones[] = {before, after, second};
  for (size_t k = 0; k < COUNT(clones); k++) {
    trace found = run_all(clones[k], s->t_end);
    CHECK_MSG(found.hash == expected.hash && found.nevents == expected.nevents,
              "%s: clone %zu differs", s->model, k);
    brink_instance_destroy(clones[k]);
  }
  unload(&from);
}

TEST(a_clone_gives_the_same_bits_whatever_happens_to_the_first) {
  for (size_t k = 0; k < COUNT(scenes); k++) check_scene(&scenes[k], false);
  check_scene(&scenes[0], true);
  check_scene(&scenes[2], true);
}

TEST(an_instance_that_is_reset_runs_as_before) {
  for (size_t k = 0; k < COUNT(scenes); k++) {
    loaded from = load(scenes[k].model);
    brink_instance *instance = make(from.system, false);
    brink_sim *sim = make_sim(instance);
    trace expected = run_sim(instance, sim, scenes[k].t_end);
    for (int again = 0; again < 2; again++) {
      brink_instance_reset(instance);
      CHECK_INT(brink_sim_reset(sim, NULL), BRINK_OK);
      trace found = run_sim(instance, sim, scenes[k].t_end);
      CHECK_MSG(found.hash == expected.hash, "%s: another run", scenes[k].model);
    }
    brink_sim_destroy(sim);
    brink_instance_destroy(instance);
    unload(&from);
  }
}

/* ---- threads ---- */

typedef struct worker {
  pthread_t thread;
  const brink_instance *like;
  double t_end;
  trace made;
} worker;

/* Clones while others run and clone, too. */
static void *work(void *user) {
  worker *w = user;
  brink_instance *own = clone(w->like);
  w->made = run_all(own, w->t_end);
  brink_instance_destroy(own);
  return NULL;
}

static void check_threads(const scene *s, bool native) {
  enum { WORKERS = 4 };
  worker workers[WORKERS];
  loaded from = load(s->model);
  brink_instance *first = make(from.system, native);
  for (int k = 0; k < WORKERS; k++) {
    workers[k] = (worker){.like = first, .t_end = s->t_end};
    CHECK_INT(pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
  }
  trace expected = run_all(first, s->t_end);
  for (int k = 0; k < WORKERS; k++) {
    pthread_join(workers[k].thread, NULL);
    CHECK_MSG(workers[k].made.hash == expected.hash, "%s: thread %d differs", s->model, k);
  }
  brink_instance_destroy(first);
  unload(&from);
}

TEST(clones_run_in_threads_side_by_side) {
  check_threads(&scenes[2], true);
  check_threads(&scenes[3], false);
  check_threads(&scenes[6], false);
}

/* ---- what was found at the start ---- */

TEST(warnings_from_the_start_come_back) {
  brink_unit *unit;
  brink_system *system = hsml_flatten(HSML_MODEL("state(x, real); variable(y, real, (0.0, 1.0));",
                                                 "x := 2.0;", "x' = -1.0; y = x*x;", ""),
                                      NULL, &unit);
  brink_instance *first = make(system, false);
  brink_instance *copy = clone(first);
  brink_instance *both[] = {first, copy};
  for (size_t k = 0; k < COUNT(both); k++) {
    size_t count;
    brink_instance_warnings(both[k], &count);
    CHECK_INT(count, 1);
    run_all(both[k], 3.5); /* leaves the range once more, at x = -1 */
    brink_instance_warnings(both[k], &count);
    CHECK_INT(count, 2);
    brink_instance_reset(both[k]);
    const char *const *texts = brink_instance_warnings(both[k], &count);
    CHECK_INT(count, 1);
    CHECK(strncmp(texts[0], "y = 4 at t = 0", 14) == 0);
    brink_instance_destroy(both[k]);
  }
  brink_system_destroy(system);
  brink_unit_destroy(unit);
}

/* ---- memory ---- */

TEST(a_clone_survives_the_failure_of_any_allocation) {
  loaded from = load("sampled-thermostat");
  brink_instance *first = make(from.system, false);
  counting state = {0};
  brink_allocator allocator = counting_allocator(&state);
  brink_instance *copy = NULL;
  CHECK_INT(brink_instance_clone(first, &allocator, NULL, &copy), BRINK_OK);
  long calls = state.calls;
  brink_instance_destroy(copy);
  for (int on = 0; on < 2; on++) {
    for (long n = 1; n <= calls; n++) {
      state = (counting){.fail_at = n, .fail_on = on != 0};
      brink_diag diag;
      CHECK_INT(brink_instance_clone(first, &allocator, &diag, &copy), BRINK_ERR_MEMORY);
      CHECK(copy == NULL);
      CHECK_INT(state.live, 0);
      CHECK_INT(state.mismatch, 0);
    }
  }
  CHECK_INT(brink_instance_clone(NULL, NULL, NULL, &copy), BRINK_ERR_ARGUMENT);
  brink_instance_destroy(first);
  unload(&from);
}

/* ---- parameters that vary ---- */

/* Linear and curved surfaces, a distance, two flags with one surface, and a branch, all by parameters. */
#define SURFACES                                                                                   \
  "x' = rate; y' = -y;\n"                                                                          \
  "line = x - level; bound = x - level; curve = x*x - 4.0*level*y;\n"                              \
  "gap = sqrt((x - 3.0)^2 + (y - 1.0)^2) - level;\n"

static const char by_parameters[] =
    HSML_MODEL("state(x, real); state(y, real); parameter(level, real); parameter(rate, real);\n"
               "parameter(idle, real); flag(line, crossing); flag(bound, crossing);\n"
               "flag(curve, crossing); flag(gap, crossing);",
               "x := 0.0; y := 3.0;", SURFACES,
               "assignments level : 2.0; rate : 1.0; idle : 7.0; end assignments;");

/* The same, as states that an event sets at t = 1. */
static const char by_an_event[] = HSML_MODEL(
    "state(x, real); state(y, real); state(level, real); state(rate, real);\n"
    "flag(line, crossing); flag(bound, crossing); flag(curve, crossing);\n"
    "flag(gap, crossing); flag(write, crossing);",
    "x := 0.0; y := 3.0; level := 2.0; rate := 1.0;",
    SURFACES "level' = 0.0; rate' = 0.0; write = time - 1.0;",
    "event(write) positive-going level := 1.25; rate := 2.0; end positive-going; end event;");

static size_t slot_of(const brink_system *system, const char *name) {
  for (size_t k = 0; k < system->nvariables; k++) {
    if (strcmp(system->variables[k].name, name) == 0) return system->variables[k].base;
  }
  return BRINK_NONE;
}

typedef struct crossings {
  size_t count;
  double t[64];
  char name[64][16];
} crossings;

static int on_crossing(const brink_event_record *record, void *user) {
  crossings *list = user;
  if (strcmp(record->event.name, "write") == 0 || list->count == 64) return 0;
  list->t[list->count] = record->event.t;
  snprintf(list->name[list->count++], 16, "%s", record->event.name);
  return 0;
}

static brink_sim *watched_sim(const brink_instance *instance, crossings *list) {
  brink_sim *sim = make_sim(instance);
  brink_sink sink = {.event = on_crossing, .user = list};
  brink_sim_set_sink(sim, &sink);
  return sim;
}

static crossings run_event_model(void) {
  crossings list = {0};
  brink_unit *unit;
  brink_system *system = hsml_flatten(by_an_event, NULL, &unit);
  brink_instance *instance = make(system, false);
  brink_sim *sim = watched_sim(instance, &list);
  CHECK_INT(brink_sim_run(sim, 4.0, NULL), BRINK_TIME_REACHED);
  brink_sim_destroy(sim);
  brink_instance_destroy(instance);
  brink_system_destroy(system);
  brink_unit_destroy(unit);
  return list;
}

static void check_writing(bool native, bool all) {
  crossings expected = run_event_model(), found = {0};
  brink_unit *unit;
  brink_system *system = hsml_flatten(by_parameters, NULL, &unit);
  size_t level = slot_of(system, "level"), rate = slot_of(system, "rate");
  bool varies[8] = {false};
  varies[level] = true;
  brink_instance_options options = instance_options(native);
  options.varies_p = all ? NULL : varies;
  options.parameters_vary = all;
  brink_instance *instance = NULL;
  CHECK_INT(brink_instance_create(system, &options, NULL, NULL, &instance), BRINK_OK);
  CHECK(brink_instance_may_write(instance, BRINK_SPACE_P, level));
  CHECK(brink_instance_may_write(instance, BRINK_SPACE_P, rate));
  brink_sim *sim = watched_sim(instance, &found);
  CHECK_INT(brink_sim_run(sim, 1.0, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_set_parameter(sim, level, 1.25, NULL), BRINK_OK);
  CHECK_INT(brink_sim_set_parameter(sim, rate, 2.0, NULL), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 4.0, NULL), BRINK_TIME_REACHED);
  CHECK(found.count >= 5);
  CHECK_INT(found.count, expected.count);
  for (size_t k = 0; k < found.count && k < expected.count; k++) {
    CHECK_MSG(strcmp(found.name[k], expected.name[k]) == 0, "%s instead of %s", found.name[k],
              expected.name[k]);
    CHECK_NEAR(found.t[k], expected.t[k], 1e-7);
  }
  brink_sim_destroy(sim);
  brink_instance_destroy(instance);
  brink_system_destroy(system);
  brink_unit_destroy(unit);
}

TEST(a_parameter_that_varies_may_be_written_during_a_run) {
  check_writing(false, false);
  check_writing(false, true);
  check_writing(true, false);
}

TEST(what_guards_take_for_constant_may_not_be_written) {
  brink_unit *unit;
  brink_system *system = hsml_flatten(by_parameters, NULL, &unit);
  brink_instance *instance = make(system, false);
  CHECK(!brink_instance_may_write(instance, BRINK_SPACE_P, slot_of(system, "level")));
  CHECK(brink_instance_may_write(instance, BRINK_SPACE_P, slot_of(system, "rate")));
  CHECK(brink_instance_may_write(instance, BRINK_SPACE_P, slot_of(system, "idle")));
  CHECK(!brink_instance_may_write(instance, BRINK_SPACE_P, system->np));
  CHECK(!brink_instance_may_write(instance, BRINK_SPACE_MODE, system->nmodes));
  CHECK(!brink_instance_may_write(instance, BRINK_SPACE_X, 0));
  brink_instance_destroy(instance);
  brink_system_destroy(system);
  brink_unit_destroy(unit);
}

int main(void) {
  RUN(a_clone_gives_the_same_bits_whatever_happens_to_the_first);
  RUN(an_instance_that_is_reset_runs_as_before);
  RUN(clones_run_in_threads_side_by_side);
  RUN(warnings_from_the_start_come_back);
  RUN(a_clone_survives_the_failure_of_any_allocation);
  RUN(a_parameter_that_varies_may_be_written_during_a_run);
  RUN(what_guards_take_for_constant_may_not_be_written);
  return check_done();
}
