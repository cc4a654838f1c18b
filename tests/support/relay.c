/* relay.c: see relay.h. */
#include "support/relay.h"

#include "sim/sim.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static void *allocate(size_t size, void *user) {
  tracked *state = user;
  if (state->count == TRACKED_BLOCKS) return NULL;
  char *memory = malloc(size);
  if (memory == NULL) return NULL;
  memset(memory, 0xa5, size);
  state->blocks[state->count].memory = memory;
  state->blocks[state->count++].size = size;
  return memory;
}

static void release(void *memory, size_t size, void *user) {
  tracked *state = user;
  memset(memory, 0xff, size); /* no numbers, and no addresses */
  for (size_t k = 0; k < state->count; k++) {
    if (state->blocks[k].memory != memory) continue;
    state->blocks[k] = state->blocks[--state->count];
    break;
  }
  free(memory);
}

brink_allocator tracked_allocator(tracked *state) {
  return (brink_allocator){.allocate = allocate, .release = release, .user = state};
}

static bool contains(const tracked *state, uintptr_t word) {
  for (size_t k = 0; k < state->count; k++) {
    uintptr_t begin = (uintptr_t)state->blocks[k].memory;
    if (word >= begin && word < begin + state->blocks[k].size) return true;
  }
  return false;
}

size_t tracked_pointers(const tracked *from, const tracked *into) {
  size_t found = 0;
  uintptr_t least = UINTPTR_MAX, most = 0, word;
  for (size_t k = 0; k < into->count; k++) {
    uintptr_t begin = (uintptr_t)into->blocks[k].memory;
    least = begin < least ? begin : least;
    most = begin + into->blocks[k].size > most ? begin + into->blocks[k].size : most;
  }
  for (size_t k = 0; k < from->count; k++) {
    const char *memory = from->blocks[k].memory;
    for (size_t at = 0; at + sizeof word <= from->blocks[k].size; at += sizeof word) {
      memcpy(&word, memory + at, sizeof word);
      found += word >= least && word < most && contains(into, word) ? 1 : 0;
    }
  }
  return found;
}

/* ---- what a simulation told ---- */

static void add(recording *to, const void *data, size_t size) {
  if (to->length + size > to->capacity) {
    to->capacity = 2 * (to->length + size);
    to->data = realloc(to->data, to->capacity);
    if (to->data == NULL) abort();
  }
  if (size > 0) memcpy(to->data + to->length, data, size);
  to->length += size;
}

static void add_number(recording *to, double value) {
  add(to, &value, sizeof value);
}
static void add_count(recording *to, int64_t value) {
  add(to, &value, sizeof value);
}
static void add_name(recording *to, const char *name) {
  add(to, name != NULL ? name : "", name != NULL ? strlen(name) + 1 : 1);
}

static int on_step(const brink_step_record *record, void *user) {
  recording *to = user;
  add_name(to, "step");
  add_number(to, record->t0);
  add_number(to, record->t1);
  add_number(to, record->h);
  add_count(to, record->order);
  add(to, record->x, to->def->nx * sizeof *record->x);
  add(to, record->mode, to->def->nmodes * sizeof *record->mode);
  return 0;
}

static void add_event(recording *to, const brink_event *event) {
  add_count(to, (int64_t)event->guard);
  add_name(to, event->name);
  add_number(to, event->t);
  add_count(to, event->direction);
  add_count(to, event->kind);
  add_number(to, event->value);
  add_count(to, event->iteration);
}

static int on_event(const brink_event_record *record, void *user) {
  recording *to = user;
  const brink_model_def *def = to->def;
  add_name(to, "event");
  add_event(to, &record->event);
  add(to, record->x_before, def->nx * sizeof(double));
  add(to, record->x_after, def->nx * sizeof(double));
  add(to, record->p_before, def->np * sizeof(double));
  add(to, record->p_after, def->np * sizeof(double));
  add(to, record->mode_before, def->nmodes * sizeof(int));
  add(to, record->mode_after, def->nmodes * sizeof(int));
  return 0;
}

static int on_near_miss(const brink_near_miss *record, void *user) {
  recording *to = user;
  add_name(to, "near miss");
  add_count(to, (int64_t)record->guard);
  add_name(to, record->name);
  add_number(to, record->t);
  add_number(to, record->value);
  add_number(to, record->tolerance);
  add_number(to, record->distance);
  return 0;
}

static void add_slide(recording *to, const brink_slide_record *record) {
  add_count(to, (int64_t)record->guard);
  add_name(to, record->name);
  add_number(to, record->from);
  add_number(to, record->to);
}

static int on_slide(const brink_slide_record *record, void *user) {
  add_name(user, "slide");
  add_slide(user, record);
  return 0;
}

brink_sink recording_sink(recording *to) {
  return (brink_sink){
      .step = on_step, .event = on_event, .near_miss = on_near_miss, .slide = on_slide, .user = to};
}

static void add_stats(recording *to, const brink_stats *stats) {
  int64_t counts[] = {stats->steps,          stats->rejected,        stats->rhs,    stats->guards,
                      stats->roots,          stats->refused_outside, stats->events, stats->restarts,
                      stats->rhs_past_guard, stats->near_misses,     stats->method};
  add(to, counts, sizeof counts);
  add_name(to, stats->reason);
}

/* The dense output of the last step, at places that are in it, or not. */
static void add_dense(recording *to, const brink_sim *sim, double from) {
  double x[64], t = brink_sim_time(sim);
  for (int k = 0; k < 5 && to->def->nx <= sizeof x / sizeof x[0]; k++) {
    brink_status status = brink_sim_at(sim, from + (t - from) * 0.24 * k, x, NULL);
    add_count(to, status);
    if (status == BRINK_OK) add(to, x, to->def->nx * sizeof *x);
  }
}

static void add_present(recording *to, const brink_sim *sim) {
  const brink_model_def *def = to->def;
  brink_slide_record slides[16];
  size_t count;
  const brink_event *events = brink_sim_events(sim, &count);
  add_number(to, brink_sim_time(sim));
  add(to, brink_sim_state(sim), def->nx * sizeof(double));
  add(to, brink_sim_parameters(sim), def->np * sizeof(double));
  add(to, brink_sim_modes(sim), def->nmodes * sizeof(int));
  add(to, brink_sim_signs(sim), def->nguards);
  for (size_t k = 0; k < count; k++) add_event(to, &events[k]);
  count = brink_sim_slides(sim, slides, 16);
  for (size_t k = 0; k < count && k < 16; k++) add_slide(to, &slides[k]);
  add_stats(to, brink_sim_stats(sim));
}

void recording_free(recording *record) {
  free(record->data);
  *record = (recording){0};
}

/* ---- relays ---- */

/* One call, of the kind that its number says. */
static brink_status call(const relay *r, brink_sim *sim, int number, recording *to) {
  double from = brink_sim_time(sim), left = r->t_end - from;
  brink_sink sink = recording_sink(to);
  brink_diag diag = {0};
  brink_status status = BRINK_OK;
  brink_sim_set_sink(sim, &sink);
  if (number % 19 == 18) { /* set what is there: the method starts anew */
    status = brink_sim_set_state(sim, brink_sim_state(sim), &diag);
  } else if (number % 5 == 2) {
    status = brink_sim_run(sim, from + 0.0137 * left, &diag);
  } else if (number % 5 == 4) {
    status = brink_sim_next_event(sim, from + 0.05 * left, &diag);
  } else {
    status = brink_sim_advance(sim, r->t_end, &diag);
  }
  brink_sim_set_sink(sim, NULL);
  add_name(to, "call");
  add_count(to, number);
  add_count(to, status);
  add_name(to, diag.message);
  add_present(to, sim);
  add_dense(to, sim, from);
  return status;
}

/* Was it not the last? */
static bool goes_on(const relay *r, const brink_sim *sim, int number, brink_status status) {
  return status >= 0 && status != BRINK_STOPPED && brink_sim_time(sim) < r->t_end &&
         number + 1 < r->calls;
}

static brink_status make(const relay *r, tracked *memory, brink_sim **sim) {
  brink_allocator allocator = tracked_allocator(memory);
  return brink_sim_create(r->model, &r->options, &allocator, NULL, sim);
}

static const brink_model *model_at(const relay *r, size_t place, size_t from) {
  return r->model_at != NULL ? r->model_at(place, from, r->user) : NULL;
}

/* NULL, or what is wrong with it. */
static const char *clone_of(const relay *r, const brink_sim *sim, const brink_model *model,
                            const tracked *from, tracked *to, brink_sim **clone) {
  brink_allocator allocator = tracked_allocator(to);
  if (brink_sim_clone(sim, model, &allocator, NULL, clone) != BRINK_OK) return "there is no clone";
  if (tracked_pointers(to, from) > 0) return "the clone leads into the original";
  if (r->old_model != NULL && tracked_pointers(to, r->old_model) > 0)
    return "the clone leads into the model of the original";
  return NULL;
}

brink_status relay_alone(const relay *r, recording *record) {
  tracked memory = {0};
  brink_sim *sim = NULL;
  *record = (recording){.def = &r->model->def};
  brink_status status = make(r, &memory, &sim);
  for (int number = 0; sim != NULL; number++) {
    if (!goes_on(r, sim, number, call(r, sim, number, record))) break;
  }
  brink_sim_destroy(sim);
  return status;
}

static bool same(const recording *a, const recording *b) {
  return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

const char *relay_handed_over(const relay *r, const recording *alone) {
  tracked memory[2] = {{.count = 0}};
  recording record = {.def = &r->model->def};
  brink_sim *sim = NULL;
  const char *wrong = make(r, &memory[0], &sim) == BRINK_OK ? NULL : "there is no simulation";
  int number = 0;
  for (bool more = true; wrong == NULL && more; number++) {
    brink_sim *clone = NULL;
    size_t from = (size_t)number % 2, to = 1 - from;
    wrong = clone_of(r, sim, model_at(r, to, from), &memory[from], &memory[to], &clone);
    brink_sim_destroy(sim);
    sim = clone;
    if (wrong == NULL) more = goes_on(r, sim, number, call(r, sim, number, &record));
  }
  brink_sim_destroy(sim);
  if (wrong == NULL && !same(&record, alone)) wrong = "handed over, the run is another";
  if (wrong == NULL && memory[0].count + memory[1].count > 0) wrong = "memory is left behind";
  recording_free(&record);
  return wrong;
}

/* NULL, or what is wrong with it; *copy stays NULL where it cannot be saved. */
static const char *restore(const relay *r, brink_sim *sim, const brink_model *model, tracked *to,
                           brink_sim **copy) {
  brink_allocator allocator = tracked_allocator(to);
  brink_archive out, in;
  if (!brink_sim_can_archive(sim)) return NULL;
  if (brink_sim_create(model != NULL ? model : r->model, &r->options, &allocator, NULL, copy) !=
      BRINK_OK)
    return "there is no second simulation";
  brink_archive_write(&out, NULL);
  brink_sim_archive(sim, &out);
  brink_archive_read(&in, out.text.data, out.text.length);
  brink_sim_archive(*copy, &in);
  bool whole = !out.failed && !in.failed && in.at == in.length;
  brink_archive_free(&out);
  return whole ? NULL : "what was saved cannot be read";
}

const char *relay_saved(const relay *r, const recording *alone, size_t *saved) {
  tracked memory[2] = {{.count = 0}};
  recording record = {.def = &r->model->def};
  brink_sim *sim = NULL;
  const char *wrong = make(r, &memory[0], &sim) == BRINK_OK ? NULL : "there is no simulation";
  size_t place = 0;
  int number = 0;
  for (bool more = true; wrong == NULL && more; number++) {
    brink_sim *copy = NULL;
    wrong = restore(r, sim, model_at(r, 1 - place, place), &memory[1 - place], &copy);
    if (copy != NULL) {
      brink_sim_destroy(sim);
      sim = copy;
      place = 1 - place;
      if (saved != NULL) ++*saved;
    }
    if (wrong == NULL) more = goes_on(r, sim, number, call(r, sim, number, &record));
  }
  brink_sim_destroy(sim);
  if (wrong == NULL && !same(&record, alone)) wrong = "saved and read, the run is another";
  if (wrong == NULL && memory[0].count + memory[1].count > 0) wrong = "memory is left behind";
  recording_free(&record);
  return wrong;
}

/* A clone that goes on for a while. `at` is where the record of what it does begins. */
enum { BRANCHES = RELAY_PLACES - 1 };

typedef struct branch {
  brink_sim *sim;
  tracked memory;
  recording record;
  size_t at;
  int until; /* calls */
} branch;

static const char *end_branch(branch *b, const recording *alone) {
  bool fits = b->at + b->record.length <= alone->length;
  bool equal = fits && memcmp(b->record.data, alone->data + b->at, b->record.length) == 0;
  brink_sim_destroy(b->sim);
  recording_free(&b->record);
  b->sim = NULL;
  if (b->memory.count > 0) return "memory of a branch is left behind";
  return equal ? NULL : "a branch is another run";
}

/* A new branch begins before each call, in one of the places in turn, if that is free; in the last one it goes on to
 * the end. */
static const char *begin_branch(const relay *r, const brink_sim *sim, const tracked *memory,
                                branch *branches, int number, size_t at) {
  bool to_the_end = number % 13 == 7;
  size_t k = to_the_end ? BRANCHES - 1 : (size_t)number % (BRANCHES - 1);
  branch *b = &branches[k];
  if (b->sim != NULL) return NULL;
  *b = (branch){.record = {.def = &r->model->def},
                .at = at,
                .until = to_the_end ? r->calls : number + BRANCHES - 1};
  return clone_of(r, sim, model_at(r, k + 1, 0), memory, &b->memory, &b->sim);
}

static const char *go_on(const relay *r, branch *branches, int number, const recording *alone) {
  const char *wrong = NULL;
  for (int k = 0; k < BRANCHES && wrong == NULL; k++) {
    branch *b = &branches[k];
    if (b->sim == NULL) continue;
    bool more = goes_on(r, b->sim, number, call(r, b->sim, number, &b->record));
    if (!more || number + 1 >= b->until) wrong = end_branch(b, alone);
  }
  return wrong;
}

/* A run that has ended can be cloned, too, and one that has failed can be inspected. */
static const char *after_the_end(const relay *r, brink_sim *sim, const tracked *memory, int number,
                                 bool failed) {
  tracked other = {0};
  recording records[2] = {{.def = &r->model->def}, {.def = &r->model->def}};
  brink_sim *clone = NULL;
  const char *wrong = clone_of(r, sim, model_at(r, 1, 0), memory, &other, &clone);
  brink_sim *const both[] = {sim, clone};
  for (int k = 0; k < 2 && wrong == NULL; k++) {
    add_present(&records[k], both[k]);
    add_dense(&records[k], both[k], 0.99 * brink_sim_time(both[k]));
    for (int j = 0; j < 3 && !failed; j++) call(r, both[k], number + j, &records[k]);
  }
  if (wrong == NULL && !same(&records[0], &records[1])) wrong = "after the end, a clone is another";
  brink_sim_destroy(clone);
  recording_free(&records[0]);
  recording_free(&records[1]);
  return wrong;
}

const char *relay_branched(const relay *r, const recording *alone) {
  static branch branches[BRANCHES];
  tracked memory = {0};
  recording record = {.def = &r->model->def};
  brink_sim *sim = NULL;
  const char *wrong = make(r, &memory, &sim) == BRINK_OK ? NULL : "there is no simulation";
  memset(branches, 0, sizeof branches);
  int number = 0;
  brink_status last = BRINK_OK;
  for (bool more = true; wrong == NULL && more; number++) {
    wrong = begin_branch(r, sim, &memory, branches, number, record.length);
    if (wrong == NULL && number % 2 == 0) wrong = go_on(r, branches, number, alone);
    if (wrong == NULL) last = call(r, sim, number, &record);
    more = goes_on(r, sim, number, last);
    if (wrong == NULL && number % 2 == 1) wrong = go_on(r, branches, number, alone);
  }
  if (wrong == NULL) wrong = after_the_end(r, sim, &memory, number, last < 0);
  brink_sim_destroy(sim); /* before those of its clones that are still there */
  for (int k = 0; k < BRANCHES; k++) {
    if (branches[k].sim == NULL) continue;
    const char *end = end_branch(&branches[k], alone);
    if (wrong == NULL) wrong = end;
  }
  if (wrong == NULL && !same(&record, alone)) wrong = "the original is another run";
  if (wrong == NULL && memory.count > 0) wrong = "memory is left behind";
  recording_free(&record);
  return wrong;
}
