/* expect_run.c: one run of a model, with everything that a model may speak of kept. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "record/record.h"
#include "support/expect.h"

enum { NAME = 200 };

/* ---- keeping things ---- */

static char *keep_text(expect_result *result, const char *text) {
  char *copy = brink_arena_text(&result->arena, text);
  static char none[] = "";
  return copy != NULL ? copy : none;
}

static bool grow(expect_result *result, void **items, size_t count, size_t *capacity, size_t size) {
  return brink_arena_grow(&result->arena, items, count, capacity, size);
}

static const char *flag_name(const expect_result *result, size_t guard, char buffer[NAME]) {
  uint32_t flag;
  size_t index;
  brink_text text = {0};
  brink_instance_flag(result->instance, guard, &flag, &index);
  brink_system_flag_name(result->system, flag, index, &text);
  snprintf(buffer, NAME, "%s", text.data != NULL ? text.data : "");
  brink_text_free(&text);
  return buffer;
}

static bool is_told(const expect_result *result, size_t guard, brink_direction direction) {
  uint32_t flag;
  size_t index;
  brink_instance_flag(result->instance, guard, &flag, &index);
  return brink_journal_wants(result->system, flag, direction);
}

static void keep_notes(expect_result *result, size_t first) {
  size_t count;
  const brink_note *notes = brink_instance_notes(result->instance, &count);
  for (size_t k = first; k < count; k++) {
    if (!grow(result, (void **)&result->notes, result->nnotes, &result->notes_capacity,
              sizeof *result->notes))
      return;
    expect_note *note = &result->notes[result->nnotes++];
    *note = (expect_note){.label = keep_text(result, notes[k].label), .nvalues = notes[k].nvalues};
    note->values = brink_arena_take(&result->arena, notes[k].nvalues + 1, sizeof(double));
    for (size_t j = 0; note->values != NULL && j < note->nvalues; j++)
      note->values[j] = notes[k].values[j].value;
  }
  result->notes_told = count;
}

/* Rules run behind the events of an instant: what they noted is there when the next step is. */
static void keep_late_notes(expect_result *result) {
  size_t count;
  brink_instance_notes(result->instance, &count);
  if (count > result->notes_told) keep_notes(result, result->notes_told);
}

/* ---- the sink ---- */

static int on_step(const brink_step_record *record, void *user) {
  (void)record;
  keep_late_notes(user);
  return 0;
}

/* Directions are those of the time of the model. */
static brink_direction turned(const brink_system *system, brink_direction direction) {
  if (!system->backward) return direction;
  return direction == BRINK_NEGATIVE ? BRINK_POSITIVE : BRINK_NEGATIVE;
}

static int on_event(const brink_event_record *record, void *user) {
  expect_result *result = user;
  char name[NAME];
  keep_notes(result, 0);
  if (!is_told(result, record->event.guard, record->event.direction)) return 0;
  if (!grow(result, (void **)&result->events, result->nevents, &result->events_capacity,
            sizeof *result->events))
    return 0;
  flag_name(result, record->event.guard, name);
  result->events[result->nevents++] =
      (expect_event){.name = keep_text(result, name),
                     .t = brink_system_time(result->system, record->event.t),
                     .direction = turned(result->system, record->event.direction)};
  return 0;
}

static int on_near_miss(const brink_near_miss *miss, void *user) {
  expect_result *result = user;
  char name[NAME];
  if (!is_told(result, miss->guard, BRINK_POSITIVE)) return 0;
  if (!grow(result, (void **)&result->misses, result->nmisses, &result->misses_capacity,
            sizeof *result->misses))
    return 0;
  flag_name(result, miss->guard, name);
  result->misses[result->nmisses++] =
      (expect_slide){.name = keep_text(result, name), .from = miss->t, .to = miss->t};
  return 0;
}

static int on_slide(const brink_slide_record *slide, void *user) {
  expect_result *result = user;
  char name[NAME];
  if (!grow(result, (void **)&result->slides, result->nslides, &result->slides_capacity,
            sizeof *result->slides))
    return 0;
  flag_name(result, slide->guard, name);
  result->slides[result->nslides++] =
      (expect_slide){.name = keep_text(result, name),
                     .from = brink_system_time(result->system, slide->from),
                     .to = brink_system_time(result->system, slide->to)};
  return 0;
}

/* Two changes at one instant leave one structure; one that ends where it began is none. */
static int on_structure(const brink_structure_record *record, void *user) {
  expect_result *result = user;
  expect_structure next = {.from = record->t,
                           .index = record->index,
                           .nfree = record->nfree,
                           .nstates = record->nstates};
  if (result->nstructures > 0 && result->structures[result->nstructures - 1].from == record->t)
    result->nstructures--;
  if (!grow(result, (void **)&result->structures, result->nstructures, &result->structures_capacity,
            sizeof *result->structures))
    return 0;
  result->structures[result->nstructures++] = next;
  return 0;
}

static int on_transfer(const brink_transfer_record *record, void *user) {
  expect_result *result = user;
  const brink_model *model = brink_instance_model(result->instance);
  size_t nz = model->def.nz, ns = model->def.nx - nz;
  for (size_t k = 0; record->impulse != NULL && k < nz; k++) {
    if (record->impulse[k] == 0.0) continue;
    if (!grow(result, (void **)&result->impulses, result->nimpulses, &result->impulses_capacity,
              sizeof *result->impulses))
      return 0;
    result->impulses[result->nimpulses++] =
        (expect_impulse){.name = keep_text(result, brink_model_state_name(model, ns + k)),
                         .value = record->impulse[k]};
  }
  return 0;
}

static void keep_open_slides(expect_result *result) {
  brink_slide_record slides[16];
  size_t count = brink_sim_slides(result->sim, slides, 16);
  for (size_t k = 0; k < count && k < 16; k++) on_slide(&slides[k], result);
}

/* An action that fails ends the run before its event is told. */
static void keep_last_event(expect_result *result) {
  size_t count;
  const brink_event *events = brink_sim_events(result->sim, &count);
  if (result->status >= 0 || count == 0) return;
  brink_event last = events[count - 1];
  if (result->nevents > 0 &&
      result->events[result->nevents - 1].t == brink_system_time(result->system, last.t)) {
    char name[NAME];
    flag_name(result, last.guard, name);
    if (strcmp(result->events[result->nevents - 1].name, name) == 0) return;
  }
  if (last.t != brink_sim_time(result->sim)) return;
  brink_event_record record = {.event = last};
  on_event(&record, result);
}

/* ---- running ---- */

void expect_simulate(brink_system *system, const expect_wishes *wishes, bool interpret,
                     const char *cache, expect_result *result) {
  *result = (expect_result){.system = system};
  brink_arena_init(&result->arena, NULL);
  brink_instance_options how = {.interpret = interpret,
                                .cache = cache,
                                .rtol = wishes->options.rtol,
                                .atol = wishes->options.atol,
                                .seed = wishes->seed,
                                .wants_flow_jet = true,
                                .wants_jacobian = wishes->options.method == BRINK_BDF,
                                .flow_order = wishes->options.order,
                                .range_warns = wishes->range_warns};
  brink_options options = wishes->options;
  options.audit = true;
  options.max_steps = 1000000; /* a model that hangs is a failure, not a test that hangs */
  result->status = brink_instance_create(system, &how, NULL, &result->diag, &result->instance);
  if (result->status != BRINK_OK) return;
  result->status = brink_sim_create(brink_instance_model(result->instance), &options, NULL,
                                    &result->diag, &result->sim);
  if (result->status != BRINK_OK) return;
  brink_sink sink = {.step = on_step,
                     .event = on_event,
                     .near_miss = on_near_miss,
                     .slide = on_slide,
                     .structure = on_structure,
                     .transfer = on_transfer,
                     .user = result};
  brink_sim_set_sink(result->sim, &sink);
  result->status =
      brink_sim_run(result->sim, brink_system_time(system, wishes->until), &result->diag);
  keep_late_notes(result);
  keep_last_event(result);
  keep_open_slides(result);
}

void expect_result_free(expect_result *result) {
  brink_sim_destroy(result->sim);
  brink_instance_destroy(result->instance);
  brink_arena_free(&result->arena);
  *result = (expect_result){0};
}

/* ---- looking ---- */

static size_t elements(const brink_system *system, const brink_variable *variable) {
  return system->groups[variable->group].count * variable->length;
}

bool expect_final(expect_result *result, const char *path, double *value, brink_value_type *type) {
  const brink_system *system = result->system;
  const brink_sim *sim = result->sim;
  brink_instance_evaluate(result->instance, brink_sim_time(sim), brink_sim_state(sim),
                          brink_sim_parameters(sim), brink_sim_modes(sim), brink_sim_signs(sim));
  for (uint32_t v = 0; v < system->nvariables; v++) {
    const brink_variable *variable = &system->variables[v];
    if (variable->kind == BRINK_VARIABLE_HIDDEN) continue;
    for (size_t e = 0; e < elements(system, variable); e++) {
      brink_text name = {0};
      brink_system_variable_name(system, v, e, &name);
      bool same = name.data != NULL && strcmp(name.data, path) == 0;
      brink_text_free(&name);
      if (!same) continue;
      *value = brink_instance_value(result->instance, v, e);
      *type = variable->type;
      return true;
    }
  }
  return false;
}

const char *expect_ending(const expect_result *result, const char **message) {
  static const struct {
    brink_status status;
    const char *word;
  } words[] = {{BRINK_ERR_BLOCKED, "blocked"}, {BRINK_ERR_LOOP, "loop"},
               {BRINK_ERR_ZENO, "zeno"},       {BRINK_ERR_STEP, "step"},
               {BRINK_ERR_DOMAIN, "domain"},   {BRINK_ERR_SLIDING, "sliding"},
               {BRINK_ERR_WORK, "work"},       {BRINK_ERR_UNSUPPORTED, "unsupported"},
               {BRINK_ERR_CALLBACK, "action"}, {BRINK_ERR_CONSTRAINT, "constraint"}};
  static const char *const endings[] = {[BRINK_ENDING_STOP] = "stopped",
                                        [BRINK_ENDING_FAIL] = "fail",
                                        [BRINK_ENDING_RANGE] = "range",
                                        [BRINK_ENDING_RULES] = "loop"};
  *message = result->diag.message;
  if (result->instance != NULL) {
    const char *said = NULL;
    brink_ending ending = brink_instance_ending(result->instance, &said);
    if (ending != BRINK_ENDING_NONE) {
      *message = said != NULL ? said : "";
      return endings[ending];
    }
  }
  if (result->status == BRINK_TIME_REACHED) return "finished";
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (words[k].status == result->status) return words[k].word;
  return "other";
}

/* ---- comparing ---- */

static bool same_double(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bool same_array(const double *a, const double *b, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (!same_double(a[k], b[k])) return false;
  return true;
}

static bool same_events(const expect_result *a, const expect_result *b) {
  if (a->nevents != b->nevents) return false;
  for (size_t k = 0; k < a->nevents; k++) {
    const expect_event *p = &a->events[k], *q = &b->events[k];
    if (strcmp(p->name, q->name) != 0 || !same_double(p->t, q->t) || p->direction != q->direction)
      return false;
  }
  return true;
}

bool expect_same(const expect_result *a, const expect_result *b, char *what, size_t size) {
  const brink_system *system = a->system;
  const char *difference = NULL;
  if (a->status != b->status || (a->sim == NULL) != (b->sim == NULL))
    difference = "how the run ended";
  else if (a->sim == NULL)
    return true;
  else if (!same_double(brink_sim_time(a->sim), brink_sim_time(b->sim)))
    difference = "the time of the end";
  else if (!same_events(a, b))
    difference = "the events";
  else if (!same_array(brink_sim_state(a->sim), brink_sim_state(b->sim), system->nx))
    difference = "the last states";
  else if (!same_array(brink_sim_parameters(a->sim), brink_sim_parameters(b->sim), system->np))
    difference = "the last held values";
  else if (memcmp(brink_sim_modes(a->sim), brink_sim_modes(b->sim), system->nmodes * sizeof(int)) !=
           0)
    difference = "the last modes";
  if (difference == NULL) return true;
  snprintf(what, size, "%s", difference);
  return false;
}
