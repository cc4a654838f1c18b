/* trajectory.c: the rows and events of a run in memory, as numbers: one table of doubles, row by row, that a caller may read
 * as it is. Strings are numbers of labels, as in files without strings. */
#include <math.h>
#include <string.h>

#include "record/results_parts.h"

/* Texts that occur, each once, numbered in the order in which they came. */
typedef struct names {
  const char **text;
  size_t count, capacity;
  size_t *slots; /* a hash table: the number of a text, from 1; 0: free */
  size_t nslots; /* a power of two, at least twice the count */
} names;

struct brink_trajectory_store {
  brink_arena arena;
  const brink_system *system;
  const brink_columns *kept; /* with constants, which are not in the rows */
  brink_columns given;       /* parameters, and inputs that nothing drives */
  double *values;            /* rows of `width` */
  size_t width, rows, capacity;
  brink_column *columns, *constants;
  size_t ncolumns, nconstants;
  double *constant_values;
  brink_trajectory_event *events;
  size_t nevents, events_capacity;
  names flags, agents;
  brink_text name; /* room */
};

/* ---- names ---- */

/* FNV-1a. */
static size_t hash_of(const char *text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char *c = text; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
  return (size_t)(hash ^ (hash >> 32));
}

/* The slot of a text, or a free one. */
static size_t *slot_of(const names *list, const char *text) {
  size_t k = hash_of(text) & (list->nslots - 1);
  while (list->slots[k] != 0 && strcmp(list->text[list->slots[k] - 1], text) != 0)
    k = (k + 1) & (list->nslots - 1);
  return &list->slots[k];
}

static bool room_for_name(brink_arena *arena, names *list) {
  if (list->nslots >= 2 * (list->count + 1)) return true;
  size_t larger = list->nslots == 0 ? 16 : 2 * list->nslots;
  size_t *slots = brink_arena_take(arena, larger, sizeof *slots);
  if (slots == NULL) return false;
  list->slots = slots;
  list->nslots = larger;
  for (size_t k = 0; k < list->count; k++) *slot_of(list, list->text[k]) = k + 1;
  return true;
}

/* The number of a text; BRINK_NONE: out of memory. */
static size_t number_of(brink_arena *arena, names *list, const char *text) {
  if (!room_for_name(arena, list)) return BRINK_NONE;
  size_t *slot = slot_of(list, text);
  if (*slot != 0) return *slot - 1;
  char *copy = brink_arena_text(arena, text);
  const char **place =
      copy != NULL ? brink_arena_push(arena, list->text, list->count, list->capacity) : NULL;
  if (place == NULL) return BRINK_NONE;
  *place = copy;
  *slot = list->count;
  return list->count - 1;
}

/* ---- columns ---- */

/* The texts of a string, by number; NULL: out of memory. */
static const char *const *labels_of(brink_arena *arena, const brink_system *system,
                                    const brink_variable *variable) {
  if (variable->nset == 0) return system->strings;
  const char **labels = brink_arena_take(arena, variable->nset, sizeof *labels);
  for (size_t k = 0; labels != NULL && k < variable->nset; k++)
    labels[k] = brink_label(system, variable, k);
  return labels;
}

/* What columns of one thing are like, but for their names. */
static brink_column describe(brink_arena *arena, const brink_system *system,
                             const brink_tracked *tracked) {
  const brink_variable *as = tracked->as;
  brink_column column = {.kind = brink_tracked_kind(tracked),
                         .unit = as->unit != NULL ? as->unit : "",
                         .type = (brink_hsml_type)as->type,
                         .nlabels = brink_labels(system, as)};
  if (column.nlabels > 0) column.labels = labels_of(arena, system, as);
  return column;
}

/* The first `count` of them, with names; NULL: out of memory. */
static brink_column *describe_all(brink_arena *arena, const brink_columns *columns, size_t count) {
  brink_column *made = brink_arena_take(arena, count, sizeof *made);
  for (size_t k = 0; made != NULL && k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    if (tracked->first >= count) break;
    brink_column column = describe(arena, columns->system, tracked);
    for (size_t e = 0; e < tracked->count; e++) {
      column.name = columns->name[tracked->first + e];
      made[tracked->first + e] = column;
    }
  }
  return made;
}

/* Strings as numbers of labels: `values` are those of columns. */
static void encode(const brink_columns *columns, size_t count, double *values) {
  for (size_t k = 0; k < columns->ntracked && columns->tracked[k].first < count; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    if (tracked->as->type != BRINK_VALUE_STRING) continue;
    for (size_t e = tracked->first; e < tracked->first + tracked->count; e++)
      values[e] = brink_label_code(tracked->as, values[e]);
  }
}

static bool take_constants(brink_trajectory_store *store, const brink_moment *start) {
  brink_columns *given = &store->given;
  brink_arena *arena = &store->arena;
  if (brink_columns_init_given(given, store->system, &arena->allocator) != BRINK_OK ||
      !brink_columns_names(given))
    return false;
  store->nconstants = given->count;
  store->constants = describe_all(arena, given, given->count);
  store->constant_values = brink_arena_take(arena, given->count, sizeof(double));
  if (arena->failed) return false;
  brink_columns_values(given, start, store->constant_values);
  encode(given, given->count, store->constant_values);
  return true;
}

void brink_trajectory_store_forget(brink_trajectory_store *store, uint32_t variable,
                                   size_t element) {
  const brink_columns *given = &store->given;
  const char *name = NULL;
  for (size_t k = 0; k < given->ntracked; k++) {
    const brink_tracked *tracked = &given->tracked[k];
    if (tracked->variable == variable) name = given->name[tracked->first + element];
  }
  size_t kept = 0;
  for (size_t k = 0; k < store->nconstants; k++) {
    if (store->constants[k].name == name) continue;
    store->constants[kept] = store->constants[k];
    store->constant_values[kept++] = store->constant_values[k];
  }
  store->nconstants = kept;
}

/* ---- the object ---- */

brink_trajectory_store *brink_trajectory_store_create(const brink_columns *columns,
                                                      const brink_moment *start,
                                                      const brink_allocator *allocator) {
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_trajectory_store *store = brink_arena_take(&arena, 1, sizeof *store);
  if (store == NULL) return NULL;
  *store = (brink_trajectory_store){.arena = arena,
                                    .system = columns->system,
                                    .kept = columns,
                                    .ncolumns = columns->varying,
                                    .width = columns->varying + 1};
  store->name.allocator = arena.allocator;
  store->columns = describe_all(&store->arena, columns, store->ncolumns);
  if (!store->arena.failed && take_constants(store, start)) return store;
  brink_trajectory_store_destroy(store);
  return NULL;
}

void brink_trajectory_store_destroy(brink_trajectory_store *store) {
  if (store == NULL) return;
  brink_release(&store->arena.allocator, store->values, store->capacity,
                store->width * sizeof(double));
  brink_text_free(&store->name);
  brink_columns_free(&store->given);
  brink_arena arena = store->arena; /* it lives there */
  brink_arena_free(&arena);
}

/* ---- rows ---- */

/* Not in the arena, which gives nothing back: a trajectory may be the largest thing that there is. */
static bool room_for_row(brink_trajectory_store *store) {
  void *values = store->values;
  bool fine = brink_grow(&store->arena.allocator, &values, store->rows, &store->capacity,
                         store->width * sizeof(double));
  store->values = values;
  return fine;
}

bool brink_trajectory_store_row(brink_trajectory_store *store, const double *row) {
  if (!room_for_row(store)) return false;
  double *to = store->values + store->rows * store->width;
  memcpy(to, row, store->width * sizeof(double));
  encode(store->kept, store->ncolumns, to + 1);
  store->rows++;
  return true;
}

/* ---- events ---- */

/* The numbers of both partners of a pair. False: out of memory. */
static bool number_agents(brink_trajectory_store *store, const brink_participants *both,
                          size_t agents[2]) {
  for (size_t side = 0; side < 2; side++) {
    store->name.length = 0;
    brink_system_instance_name(store->system, both->group[side], both->instance[side],
                               &store->name);
    if (store->name.failed || store->name.data == NULL) return false;
    agents[side] = number_of(&store->arena, &store->agents, store->name.data);
    if (agents[side] == BRINK_NONE) return false;
  }
  return true;
}

bool brink_trajectory_store_event(brink_trajectory_store *store, const brink_logged_event *logged,
                                  int64_t row) {
  const brink_flag *flag = &store->system->flags[logged->flag];
  brink_trajectory_event event = {.t = logged->t,
                                  .row = row,
                                  .condition = logged->condition,
                                  .direction = logged->direction,
                                  .generated = flag->kind == BRINK_FLAG_GENERATED,
                                  .agents = {BRINK_NONE, BRINK_NONE}};
  event.flag = number_of(&store->arena, &store->flags, logged->name);
  if (event.flag == BRINK_NONE) return false;
  bool pair = flag->is_pair && logged->participants->count == 2;
  if (pair && !number_agents(store, logged->participants, event.agents)) return false;
  brink_trajectory_event *place =
      brink_arena_push(&store->arena, store->events, store->nevents, store->events_capacity);
  if (place != NULL) *place = event;
  return place != NULL;
}

brink_trajectory brink_trajectory_store_read(const brink_trajectory_store *store) {
  return (brink_trajectory){.rows = store->rows,
                            .ncolumns = store->ncolumns,
                            .values = store->values,
                            .columns = store->columns,
                            .nconstants = store->nconstants,
                            .constants = store->constants,
                            .constant_values = store->constant_values,
                            .nevents = store->nevents,
                            .events = store->events,
                            .flags = store->flags.text,
                            .nflags = store->flags.count,
                            .agents = store->agents.text,
                            .nagents = store->agents.count};
}

/* ---- to bytes and back ---- */

static void archive_names(brink_trajectory_store *store, names *list, brink_archive *a) {
  size_t count = list->count;
  brink_archive_count(a, &count, SIZE_MAX / 4);
  for (size_t k = 0; k < count && !a->failed; k++) {
    brink_text text = {.allocator = store->arena.allocator};
    if (!a->reads) brink_text_append(&text, list->text[k], strlen(list->text[k]));
    brink_archive_text(a, &text);
    size_t number = a->reads && !a->failed ? number_of(&store->arena, list, text.data) : k;
    if (number == BRINK_NONE) brink_archive_no_memory(a);
    brink_archive_check(a, number == k); /* each once */
    brink_text_free(&text);
  }
}

static void archive_event(brink_trajectory_store *store, brink_trajectory_event *event,
                          brink_archive *a) {
  brink_archive_double(a, &event->t);
  brink_archive_indices(a, &event->flag, 1, store->flags.count);
  brink_archive_int64(a, &event->row);
  brink_archive_double(a, &event->condition);
  event->direction =
      (brink_direction)brink_archive_enum(a, (int)event->direction, BRINK_NEGATIVE, BRINK_POSITIVE);
  brink_archive_bool(a, &event->generated);
  for (int side = 0; side < 2; side++)
    brink_archive_index(a, &event->agents[side], store->agents.count);
}

static void archive_events(brink_trajectory_store *store, brink_archive *a) {
  size_t count = store->nevents;
  brink_archive_count(a, &count, SIZE_MAX / 4);
  if (a->reads) store->nevents = 0;
  for (size_t k = 0; k < count && !a->failed; k++) {
    brink_trajectory_event *event =
        a->reads
            ? brink_arena_push(&store->arena, store->events, store->nevents, store->events_capacity)
            : &store->events[k];
    if (event == NULL)
      brink_archive_no_memory(a);
    else
      archive_event(store, event, a);
  }
}

/* What was written on the way is no constant any more. */
static void archive_constants(brink_trajectory_store *store, brink_archive *a) {
  size_t kept = 0;
  for (size_t k = 0; k < store->given.count; k++) {
    const char *name = store->given.name[k];
    bool there = !a->reads && kept < store->nconstants && store->constants[kept].name == name;
    brink_archive_bool(a, &there);
    if (!there) continue;
    if (a->reads) store->constants[kept] = store->constants[k];
    kept++;
  }
  if (a->reads) store->nconstants = kept;
  brink_archive_doubles(a, store->constant_values, store->nconstants);
}

void brink_trajectory_store_archive(brink_trajectory_store *store, brink_archive *a) {
  size_t rows = store->rows;
  brink_archive_mark(a, "rows");
  brink_archive_same(a, store->width);
  brink_archive_count(a, &rows, SIZE_MAX / 4);
  if (a->reads && brink_archive_holds(a, rows, store->width * sizeof(double))) {
    store->values =
        brink_allocate(&store->arena.allocator, rows + 1, store->width * sizeof(double));
    store->capacity = store->values != NULL ? rows + 1 : 0;
    store->rows = store->values != NULL ? rows : 0;
    if (store->values == NULL) brink_archive_no_memory(a);
  }
  if (!a->failed) brink_archive_doubles(a, store->values, store->rows * store->width);
  archive_names(store, &store->flags, a);
  archive_names(store, &store->agents, a);
  archive_events(store, a);
  archive_constants(store, a);
}
