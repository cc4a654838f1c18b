/* sensitivity.c: derivatives of a run: which directions it has, and what is kept of them on the way. One
 * brink_sensitivity serves all who want derivatives: its directions are those of the conditions of events (conditions.c),
 * then those that were asked for by name. See <brink/record.h>. */
#include <math.h>
#include <string.h>

#include "run/conditions.h"
#include "sim/sensitivity_parts.h"

/* What a run is differentiated by. */
typedef struct direction {
  brink_space space; /* X or P */
  size_t slot;       /* of its own value */
  const double *x,
      *p; /* dx(0) and dp by it; NULL: an initial value, on which nothing else depends */
} direction;

/* What has derivatives: where its value is. Of V: which of `computed`. */
typedef struct place {
  brink_space space;
  size_t slot;
} place;

typedef struct quantities {
  place *at;
  const char **names;
  size_t count;
} quantities;

/* Where and in which directions something is differentiated: matrices of all directions. */
typedef struct look {
  const double *t, *x, *p;
  const signed char *sgn; /* NULL: those of the values */
} look;

/* Rows of numbers. */
typedef struct rows {
  double *items;
  size_t count, capacity;
  size_t width; /* of a row */
} rows;

/* The time of an event of the present instant, which the journal has not completed yet. */
typedef struct open_event {
  uint32_t flag;
  size_t index;
  bool taken;
} open_event;

struct brink_sensitivity_record {
  brink_observer observer; /* first: it is found by its address */
  brink_run *run;
  brink_arena arena;
  direction *directions;
  const char **names; /* of the directions */
  size_t ndirections, directions_capacity, names_capacity;

  size_t first; /* of the directions among all that the run is followed in */
  quantities states, outputs;
  size_t *computed; /* slots of V that outputs read */
  size_t ncomputed;
  double *dv, *zeros; /* their derivatives by all directions; how time changes */

  rows t, dx, dy, times, end, end_y;
  rows beside; /* of each event: of the states just before and just after it, which move with it */
  open_event *open; /* of the instant at open_t … */
  rows open_times, open_beside;
  size_t nopen, open_capacity;
  double open_t;
  bool at_instant; /* the last thing that happened is an instant */
  bool failed;     /* out of memory: something is missing */
};

static brink_status out_of_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

/* A row more; NULL: out of memory. */
static double *push(rows *list) {
  void *items = list->items;
  size_t width = list->width > 0 ? list->width : 1;
  if (!brink_grow(NULL, &items, list->count, &list->capacity, width * sizeof(double))) return NULL;
  list->items = items;
  return &list->items[list->count++ * list->width];
}

static void empty(rows *list) {
  size_t width = list->width > 0 ? list->width : 1;
  brink_release(NULL, list->items, list->capacity, width * sizeof(double));
  *list = (rows){0};
}

/* ---- choosing directions ---- */

static brink_status refuse(const char *name, const char *reason, brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the run cannot be differentiated by '%s': %s",
                        name, reason);
}

static bool add(brink_sensitivity_record *record, const char *name, direction made) {
  char *kept = brink_arena_text(&record->arena, name);
  if (!brink_arena_reserve(&record->arena, record->directions, record->ndirections,
                           record->directions_capacity) ||
      !brink_arena_reserve(&record->arena, record->names, record->ndirections,
                           record->names_capacity) ||
      kept == NULL)
    return false;
  record->names[record->ndirections] = kept;
  record->directions[record->ndirections++] = made;
  return true;
}

static bool add_knob(brink_sensitivity_record *record, const brink_knob *knob) {
  const brink_system *system = record->run->system;
  direction made = {.space = BRINK_SPACE_P,
                    .slot = system->variables[knob->variable].base + knob->element,
                    .x = brink_arena_copy(&record->arena, knob->x, system->nx, sizeof(double)),
                    .p = brink_arena_copy(&record->arena, knob->p, system->np, sizeof(double))};
  return made.x != NULL && made.p != NULL && add(record, knob->name, made);
}

static brink_status add_parameter(brink_sensitivity_record *record, const char *name,
                                  uint32_t variable, size_t element, brink_diag *diag) {
  brink_knobs knobs;
  brink_status status = brink_built_knob(record->run->built, variable, element, &knobs);
  const char *reason = status == BRINK_OK ? knobs.knobs[0].reason : NULL;
  if (status == BRINK_OK && reason == NULL && !add_knob(record, &knobs.knobs[0]))
    status = BRINK_ERR_MEMORY;
  brink_knobs_free(&knobs);
  if (status != BRINK_OK) return out_of_memory(diag);
  return reason == NULL ? BRINK_OK : refuse(name, reason, diag);
}

/* Why nothing can be differentiated by a variable of this kind; NULL: that is not why. */
static const char *unfit(const brink_system *system, uint32_t variable) {
  const brink_variable *v = &system->variables[variable];
  for (size_t k = 0; k < system->ndriven; k++) {
    if (system->driven[k].variable == variable) return "it is given over time";
  }
  for (size_t k = 0; k < system->nfollowed; k++) {
    if (system->followed[k].variable == variable) return "it is given over time";
  }
  switch (v->kind) {
  case BRINK_VARIABLE_PARAMETER:
  case BRINK_VARIABLE_STATE:
  case BRINK_VARIABLE_INPUT:
    break;
  case BRINK_VARIABLE_MODE:
    return "it is a mode";
  case BRINK_VARIABLE_TIMER:
    return "it is a timer";
  default:
    return "equations compute it";
  }
  if (v->type == BRINK_VALUE_INTEGER) return "it is a whole number";
  return v->type != BRINK_VALUE_REAL ? "it is not a number" : NULL;
}

static brink_status add_name(brink_sensitivity_record *record, const char *name, brink_diag *diag) {
  const brink_system *system = record->run->system;
  brink_value found;
  uint32_t source;
  size_t element;
  for (size_t k = 0; k < record->ndirections; k++) {
    if (strcmp(record->names[k], name) == 0)
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "'%s' is named twice", name);
  }
  brink_status status = brink_run_find(record->run, name, &found, diag);
  if (status != BRINK_OK) return status;
  if (brink_system_find_input(system, name, &source, &element))
    return refuse(name, "it is connected, and has the value of what it is connected to", diag);
  const char *reason = unfit(system, found.variable);
  if (reason != NULL) return refuse(name, reason, diag);
  const brink_variable *variable = &system->variables[found.variable];
  if (variable->kind != BRINK_VARIABLE_STATE)
    return add_parameter(record, name, found.variable, found.element, diag);
  direction made = {.space = variable->space, .slot = variable->base + found.element};
  return add(record, name, made) ? BRINK_OK : out_of_memory(diag);
}

static brink_status add_all_knobs(brink_sensitivity_record *record, brink_diag *diag) {
  brink_knobs knobs;
  bool fine = brink_built_knobs(record->run->built, 0, &knobs) == BRINK_OK;
  for (size_t k = 0; fine && k < knobs.count; k++)
    fine = knobs.knobs[k].reason != NULL || add_knob(record, &knobs.knobs[k]);
  brink_knobs_free(&knobs);
  if (!fine) return out_of_memory(diag);
  if (record->ndirections > 0) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                        "%s has no knob that a run can be differentiated by: name parameters or "
                        "states (their initial values)",
                        record->run->system->name);
}

static brink_status check_keep(const brink_run *run, const char *const *names, size_t count,
                               brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run must not be NULL");
  if ((names == NULL) != (count == 0))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "give names, or NULL and 0 for all knobs");
  for (size_t k = 0; k < count; k++) {
    if (names[k] == NULL)
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "names[%zu] must not be NULL", k);
  }
  if (run->phase != BRINK_RUN_MADE || run->joined)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "derivatives begin with the run, which has begun already");
  const char *why = run->population_run != NULL
                        ? "for agents with clocks of their own: give them one clock"
                        : brink_run_no_conditions(run->system);
  if (why == NULL) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "derivatives of a run are not worked out %s",
                        why);
}

static void free_record(brink_sensitivity_record *record) {
  if (record == NULL) return;
  empty(&record->t);
  empty(&record->dx);
  empty(&record->dy);
  empty(&record->times);
  empty(&record->end);
  empty(&record->end_y);
  empty(&record->beside);
  empty(&record->open_times);
  empty(&record->open_beside);
  brink_arena arena = record->arena; /* holds the record itself */
  brink_arena_free(&arena);
}

brink_status brink_run_keep_sensitivity(brink_run *run, const char *const *names, size_t count,
                                        brink_diag *diag) {
  brink_status status = check_keep(run, names, count, diag);
  if (status != BRINK_OK) return status;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_sensitivity_record *record = brink_arena_take(&arena, 1, sizeof *record);
  if (record == NULL) return out_of_memory(diag);
  record->arena = arena;
  record->run = run;
  if (names == NULL) status = add_all_knobs(record, diag);
  for (size_t k = 0; k < count && status == BRINK_OK; k++)
    status = add_name(record, names[k], diag);
  if (status != BRINK_OK) {
    free_record(record);
    return status;
  }
  free_record(run->sensitivity);
  run->sensitivity = record;
  return BRINK_OK;
}

/* ---- what the directions are at the start ---- */

/* Was a value written into the run itself (brink_run_set)? Such values follow nothing. */
static bool is_written(const brink_run *run, brink_space space, size_t slot) {
  for (size_t k = 0; k < run->nwritten; k++) {
    const brink_variable *variable = &run->system->variables[run->written[k].variable];
    if (variable->space == space && variable->base + run->written[k].element == slot) return true;
  }
  return false;
}

/* One column of a matrix, without what was written. */
static void fill_column(const brink_run *run, brink_space space, double *matrix, size_t nrows,
                        size_t count, size_t k, const double *column) {
  brink_direction_fill(matrix, nrows, count, k, column);
  for (size_t j = 0; j < run->nwritten; j++) {
    const brink_variable *variable = &run->system->variables[run->written[j].variable];
    if (variable->space == space)
      matrix[(variable->base + run->written[j].element) * count + k] = 0.0;
  }
}

static void fill(const brink_sensitivity_record *record, double *x, double *p, size_t count) {
  const brink_run *run = record->run;
  for (size_t k = 0; k < record->ndirections; k++) {
    const direction *d = &record->directions[k];
    size_t column = record->first + k;
    if (!is_written(run, d->space, d->slot)) {
      fill_column(run, BRINK_SPACE_X, x, run->system->nx, count, column, d->x);
      fill_column(run, BRINK_SPACE_P, p, run->system->np, count, column, d->p);
    }
    (d->space == BRINK_SPACE_X ? x : p)[d->slot * count + column] = 1.0;
  }
}

/* Outputs that hold before the first sample follow from the values of the model, not from those of the run. */
static brink_status check_start(const brink_run *run, brink_diag *diag) {
  if (run->nwritten == 0 || run->system->nfirst_outputs == 0) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                        "derivatives of a run are not worked out where values were written into it "
                        "and outputs hold before their first sample: set the values in the model");
}

/* ---- rows ---- */

/* Derivatives of columns by the directions of the record. What is no number does not move: 0. */
static void pick(const brink_sensitivity_record *record, const quantities *list, const look *at,
                 double *to) {
  size_t count = brink_sensitivity_count(record->run->slopes), n = record->ndirections;
  for (size_t i = 0; i < list->count; i++) {
    brink_space space = list->at[i].space;
    const double *matrix = space == BRINK_SPACE_X   ? at->x
                           : space == BRINK_SPACE_P ? at->p
                           : space == BRINK_SPACE_V ? record->dv
                                                    : NULL;
    const double *row =
        matrix != NULL ? &matrix[list->at[i].slot * count + record->first] : record->zeros;
    memcpy(&to[i * n], row, n * sizeof *to);
  }
}

/* The same of all states and outputs, at the present. False: out of memory. */
static bool differentiate(brink_sensitivity_record *record, const look *at, double *dx,
                          double *dy) {
  brink_run *run = record->run;
  brink_moment now = brink_run_now(run);
  brink_env env = {.p = now.p, .mode = now.mode, .sgn = at->sgn};
  brink_tangents along = {
      .count = brink_sensitivity_count(run->slopes), .t = at->t, .x = at->x, .p = at->p};
  if (dx == NULL || dy == NULL) return false;
  if (record->ncomputed > 0 &&
      !brink_instance_value_tangents(run->instance, now.t, now.x, &env, &along, record->computed,
                                     record->ncomputed, record->dv))
    return false;
  pick(record, &record->states, at, dx);
  pick(record, &record->outputs, at, dy);
  return true;
}

static void add_row(brink_sensitivity_record *record, const signed char *sgn) {
  const brink_sensitivity *slopes = record->run->slopes;
  look now = {.t = record->zeros,
              .x = brink_sensitivity_state(slopes),
              .p = brink_sensitivity_parameters(slopes),
              .sgn = sgn};
  double *t = push(&record->t), *dx = push(&record->dx), *dy = push(&record->dy);
  if (record->failed || t == NULL || !differentiate(record, &now, dx, dy)) {
    record->failed = true;
    return;
  }
  *t = brink_run_time(record->run);
}

static void on_moved(brink_observer *self, brink_sim *sim, double t0) {
  (void)t0;
  brink_sensitivity_record *record = (brink_sensitivity_record *)self;
  record->at_instant = false;
  add_row(record, brink_sim_signs(sim));
}

static void on_ends(brink_observer *self, brink_sim *sim) {
  brink_sensitivity_record *record = (brink_sensitivity_record *)self;
  record->at_instant = true;
  add_row(record, brink_sim_signs(sim));
}

/* ---- events ---- */

/* M + f dT of all states. */
static void add_motion(const brink_sensitivity_record *record, const brink_sensitivity_event *event,
                       const double *m, const double *f, double *to) {
  size_t n = record->ndirections;
  for (size_t i = 0; i < record->states.count; i++) {
    size_t slot = record->states.at[i].slot;
    bool moves = record->states.at[i].space == BRINK_SPACE_X;
    for (size_t j = 0; j < n; j++)
      to[i * n + j] = moves ? m[slot * event->count + record->first + j] +
                                  f[slot] * event->time[record->first + j]
                            : (double)NAN;
  }
}

static void forget_open(brink_sensitivity_record *record) {
  record->nopen = record->open_times.count = record->open_beside.count = 0;
}

/* Several instants may have one time; the journal completes their events together. */
static void open_slopes(brink_sensitivity_record *record, const brink_sensitivity_event *event) {
  size_t n = record->ndirections;
  if (event->event->kind == BRINK_HELD) return; /* belongs to the event that led there */
  if (record->nopen > 0 && record->open_t != event->event->t) forget_open(record);
  record->open_t = event->event->t;
  double *times = push(&record->open_times), *beside = push(&record->open_beside);
  open_event *open =
      brink_arena_push(&record->arena, record->open, record->nopen, record->open_capacity);
  if (times == NULL || beside == NULL || open == NULL) {
    record->failed = true;
    forget_open(record);
    return;
  }
  brink_instance_flag(record->run->instance, event->event->guard, &open->flag, &open->index);
  open->taken = false;
  memcpy(times, event->time + record->first, n * sizeof *times);
  add_motion(record, event, event->before, event->f_before, beside);
  add_motion(record, event, event->after, event->f_after, beside + record->states.count * n);
}

/* Which of those that are open it is; BRINK_NONE: none. */
static size_t take_slopes(brink_sensitivity_record *record, const brink_logged_event *logged) {
  for (size_t k = 0; k < record->nopen && record->open_t == logged->t; k++) {
    open_event *open = &record->open[k];
    if (open->taken || open->flag != logged->flag || open->index != logged->index) continue;
    open->taken = true;
    return k;
  }
  return BRINK_NONE;
}

/* Row k of a list, or NaN, as one more row of another. */
static bool move_row(rows *to, const rows *from, size_t k) {
  double *made = push(to);
  if (made == NULL) return false;
  for (size_t j = 0; j < to->width; j++)
    made[j] = k != BRINK_NONE ? from->items[k * from->width + j] : (double)NAN;
  return true;
}

void brink_run_slopes_logged(brink_run *run, const brink_logged_event *logged) {
  brink_sensitivity_record *record = run->sensitivity;
  if (record == NULL) return;
  size_t k = take_slopes(record, logged);
  if (!move_row(&record->times, &record->open_times, k) ||
      !move_row(&record->beside, &record->open_beside, k))
    record->failed = true;
}

const double *brink_run_event_slopes(const brink_run *run, size_t event, bool after) {
  const brink_sensitivity_record *record = run->sensitivity;
  if (record == NULL || event >= record->beside.count) return NULL;
  const double *row = &record->beside.items[event * record->beside.width];
  return after ? row + record->states.count * record->ndirections : row;
}

static void on_slopes(const brink_sensitivity_event *event, void *user) {
  brink_run *run = user;
  if (run->conditions != NULL) brink_conditions_report_slopes(run->conditions, event);
  if (run->sensitivity != NULL) open_slopes(run->sensitivity, event);
}

/* ---- beginning and end ---- */

static bool add_column(brink_sensitivity_record *record, const brink_columns *of,
                       const brink_tracked *tracked, size_t k, brink_text *room, quantities *list) {
  size_t slot = tracked->as->base + (tracked->elements != NULL ? tracked->elements[k] : k);
  brink_space space = tracked->as->space;
  const char *name = brink_columns_name(of, tracked, k, room);
  if (space == BRINK_SPACE_V) record->computed[record->ncomputed] = slot;
  list->at[list->count] =
      (place){.space = space, .slot = space == BRINK_SPACE_V ? record->ncomputed++ : slot};
  list->names[list->count] = name != NULL ? brink_arena_text(&record->arena, name) : NULL;
  return list->names[list->count++] != NULL;
}

static bool is_state(const brink_tracked *tracked) {
  return tracked->look == BRINK_LOOK_VARIABLE && tracked->as->kind == BRINK_VARIABLE_STATE;
}

/* An output, or another variable that equations compute. */
static bool is_output(const brink_tracked *tracked) {
  brink_variable_kind kind = tracked->as->kind;
  brink_space space = tracked->as->space;
  return tracked->look == BRINK_LOOK_VARIABLE && tracked->as->type == BRINK_VALUE_REAL &&
         (kind == BRINK_VARIABLE_OUTPUT || kind == BRINK_VARIABLE_AUXILIARY) &&
         (space == BRINK_SPACE_X || space == BRINK_SPACE_P || space == BRINK_SPACE_V);
}

static bool list_columns(brink_sensitivity_record *record, const brink_columns *of,
                         bool (*wanted)(const brink_tracked *tracked), quantities *list) {
  brink_text room = {0};
  list->at = brink_arena_take(&record->arena, of->count, sizeof *list->at);
  list->names = brink_arena_take(&record->arena, of->count, sizeof *list->names);
  bool fine = !record->arena.failed;
  for (size_t k = 0; fine && k < of->ntracked; k++) {
    const brink_tracked *tracked = &of->tracked[k];
    for (size_t e = 0; fine && wanted(tracked) && e < tracked->count; e++)
      fine = add_column(record, of, tracked, e, &room, list);
  }
  brink_text_free(&room);
  return fine;
}

/* All states, and what else is recorded. */
static bool choose_columns(brink_sensitivity_record *record, size_t count) {
  const brink_run *run = record->run;
  record->computed = brink_arena_take(&record->arena, run->kept.count, sizeof *record->computed);
  if (!list_columns(record, &run->columns, is_state, &record->states) ||
      !list_columns(record, &run->kept, is_output, &record->outputs))
    return false;
  record->dv = brink_arena_take(&record->arena, record->ncomputed * count, sizeof(double));
  record->zeros = brink_arena_take(&record->arena, count, sizeof(double));
  return !record->arena.failed;
}

static void set_widths(brink_sensitivity_record *record) {
  record->t.width = 1;
  record->dx.width = record->end.width = record->states.count * record->ndirections;
  record->dy.width = record->end_y.width = record->outputs.count * record->ndirections;
  record->times.width = record->open_times.width = record->ndirections;
  record->beside.width = record->open_beside.width = 2 * record->dx.width;
}

static brink_status follow(brink_run *run, size_t of_conditions, size_t count) {
  const brink_model_def *model = &brink_instance_model(run->instance)->def;
  brink_arena arena; /* matrices are copied */
  brink_arena_init(&arena, NULL);
  double *x = brink_arena_take(&arena, model->nx * count, sizeof *x);
  double *p = brink_arena_take(&arena, model->np * count, sizeof *p);
  brink_status status = arena.failed ? out_of_memory(&run->diag) : BRINK_OK;
  if (status == BRINK_OK) {
    if (of_conditions > 0) brink_conditions_report_fill(run->conditions, x, p, count);
    if (run->sensitivity != NULL) fill(run->sensitivity, x, p, count);
    brink_sensitivity_def def = brink_default_sensitivity();
    def.count = count;
    def.x = x;
    def.p = p;
    def.saltation = of_conditions > 0;
    def.event = on_slopes;
    def.user = run;
    status = brink_sensitivity_create(run->sim, &def, NULL, &run->diag, &run->slopes);
  }
  brink_arena_free(&arena);
  return status;
}

brink_status brink_run_slopes_begin(brink_run *run) {
  brink_sensitivity_record *record = run->sensitivity;
  size_t of_conditions = run->conditions != NULL ? run->conditions->ndirections : 0;
  size_t count = of_conditions + (record != NULL ? record->ndirections : 0);
  if (count == 0) return BRINK_OK;
  if (record != NULL) {
    brink_status status = check_start(run, &run->diag);
    if (status != BRINK_OK) return status;
    record->first = of_conditions;
    if (!choose_columns(record, count)) return out_of_memory(&run->diag);
    set_widths(record);
    /* Before the derivatives: who comes last is called first. */
    record->observer = (brink_observer){.moved = on_moved, .ends = on_ends};
    brink_sim_watch(run->sim, &record->observer);
  }
  brink_status status = follow(run, of_conditions, count);
  if (status == BRINK_OK && record != NULL) add_row(record, NULL);
  return status;
}

void brink_run_slopes_free(brink_run *run) {
  brink_sensitivity_destroy(run->slopes);
  run->slopes = NULL;
  if (run->sensitivity != NULL) brink_sim_unwatch(run->sim, &run->sensitivity->observer);
  free_record(run->sensitivity);
  run->sensitivity = NULL;
}

/* ---- to bytes and back ---- */

void brink_run_slopes_names(const brink_run *run, brink_text *names) {
  const brink_sensitivity_record *record = run->sensitivity;
  for (size_t k = 0; record != NULL && k < record->ndirections; k++)
    brink_text_add(names, "%s%s", k > 0 ? ", " : "", record->names[k]);
}

static void archive_rows(rows *list, brink_archive *a) {
  size_t count = list->count, width = list->width;
  brink_archive_count(a, &count, SIZE_MAX / 4);
  if (!brink_archive_holds(a, a->reads ? count : 0, (width > 0 ? width : 1) * sizeof(double)))
    return;
  if (a->reads) list->count = 0;
  while (list->count < count) {
    if (push(list) == NULL) {
      brink_archive_no_memory(a);
      return;
    }
  }
  brink_archive_doubles(a, list->items, count * width);
}

static void archive_open(brink_sensitivity_record *record, brink_archive *a) {
  const brink_system *system = record->run->system;
  size_t count = record->nopen;
  archive_rows(&record->open_times, a);
  archive_rows(&record->open_beside, a);
  brink_archive_count(a, &count, record->open_times.count);
  brink_archive_double(a, &record->open_t);
  if (a->reads) record->nopen = 0;
  for (size_t k = 0; k < count && !a->failed; k++) {
    open_event *open = a->reads ? brink_arena_push(&record->arena, record->open, record->nopen,
                                                   record->open_capacity)
                                : &record->open[k];
    if (open == NULL) {
      brink_archive_no_memory(a);
      return;
    }
    brink_archive_u32(a, &open->flag);
    brink_archive_count(a, &open->index, SIZE_MAX / 4);
    brink_archive_bool(a, &open->taken);
    brink_archive_check(a, open->flag < system->nflags &&
                               open->index < system->flags[open->flag].count);
  }
  brink_archive_check(a, record->nopen == record->open_times.count &&
                             record->nopen == record->open_beside.count);
}

void brink_run_slopes_archive(brink_run *run, brink_archive *a) {
  brink_sensitivity_record *record = run->sensitivity;
  brink_archive_mark(a, "slopes");
  brink_archive_same(a, run->slopes != NULL);
  brink_archive_same(a, record != NULL ? 1 + record->ndirections : 0);
  if (run->slopes != NULL && !a->failed) brink_sensitivity_archive(run->slopes, a);
  if (record == NULL) return;
  archive_rows(&record->t, a);
  archive_rows(&record->dx, a);
  archive_rows(&record->dy, a);
  archive_rows(&record->times, a);
  archive_rows(&record->beside, a);
  archive_open(record, a);
  brink_archive_bool(a, &record->at_instant);
  brink_archive_bool(a, &record->failed);
  brink_archive_check(a, record->dx.count == record->t.count &&
                             record->dy.count == record->t.count &&
                             record->beside.count == record->times.count);
}

/* ---- asking ---- */

/* Did an event end the run? Then the state at its end moves with that. */
static bool event_ended(const brink_run *run) {
  bool by_itself = run->status == BRINK_STOPPED ? !run->stop_asked
                                                : run->status < 0 && run->status != BRINK_ERR_FILE;
  return run->phase >= BRINK_RUN_ENDED && by_itself && run->sensitivity->at_instant;
}

static bool find_end(brink_sensitivity_record *record) {
  const brink_run *run = record->run;
  const brink_sensitivity *slopes = run->slopes;
  size_t entries = run->system->nx * brink_sensitivity_count(slopes) + 1;
  double *moving = brink_allocate(NULL, entries, sizeof *moving);
  if (moving == NULL) return false;
  look at = {.t = record->zeros,
             .x = brink_sensitivity_state(slopes),
             .p = brink_sensitivity_parameters(slopes),
             .sgn = brink_sim_signs(run->sim)};
  if (event_ended(run)) {
    at.t = brink_sensitivity_moving(slopes, moving);
    at.x = moving;
  }
  record->end.count = record->end_y.count = 0;
  bool found = differentiate(record, &at, push(&record->end), push(&record->end_y));
  brink_release(NULL, moving, entries, sizeof *moving);
  return found;
}

brink_status brink_run_get_sensitivity(brink_run *run, brink_run_sensitivity *s, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL || s == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run and s must not be NULL");
  *s = (brink_run_sensitivity){0};
  brink_sensitivity_record *record = run->sensitivity;
  if (record == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "no derivatives were asked for before the first step: "
                          "brink_run_keep_sensitivity");
  if (run->slopes == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the run has not begun");
  if (!run->moving) brink_run_sink_settle(run); /* events of the last instant are complete */
  if (record->failed || !find_end(record)) return out_of_memory(diag);
  *s = (brink_run_sensitivity){.ndirections = record->ndirections,
                               .directions = record->names,
                               .nstates = record->states.count,
                               .states = record->states.names,
                               .rows = record->t.count,
                               .t = record->t.items,
                               .dx = record->dx.items,
                               .nevents = record->times.count,
                               .event_time = record->times.items,
                               .end = record->end.items,
                               .noutputs = record->outputs.count,
                               .outputs = record->outputs.names,
                               .dy = record->dy.items,
                               .end_y = record->end_y.items,
                               .limits = brink_sensitivity_limits(run->slopes)};
  return BRINK_OK;
}
