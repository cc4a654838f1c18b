/* flags.c: guards become the flags of a flat system (see builder.h).
 *
 * A flag has one guard, or, where there are many, all guards of one shape. Guards that formulas or
 * surfaces name stay alone, so that their flags can be named. */
#include "build/builder.h"

typedef struct writer {
  const brink_builder *builder;
  brink_system *system;
  brink_arena scratch;
  builder_shapes shapes;
  bool *named;     /* of each guard: another one names it, or it names others */
  uint32_t *flag;  /* of each guard */
  uint32_t *guard; /* of each candidate */
  builder_shape *shape;
  size_t ncandidates;
} writer;

/* ---- guards that stay alone ---- */

static void name_guard(writer *w, size_t guard) {
  if (guard < w->builder->nguards) w->named[guard] = true;
}

static void find_named(writer *w) {
  for (size_t g = 0; g < w->builder->nguards; g++) {
    const builder_guard *guard = &w->builder->guards[g];
    const brink_guard_def *def = &guard->def;
    bool formula = guard->value == BRINK_NO_NODE;
    for (size_t k = 0; formula && k < def->formula_length; k++) {
      if (def->formula[k] >= 0) name_guard(w, (size_t)def->formula[k]);
    }
    if (formula || def->surface == BRINK_SURFACE_MODEL) w->named[g] = true;
    if (def->surface != BRINK_SURFACE_MODEL) continue;
    name_guard(w, def->leave_positive);
    name_guard(w, def->leave_negative);
  }
}

/* What guards of one flag have in common besides their shape. */
static uint64_t key_of(const brink_guard_def *def) {
  uint64_t key = (uint32_t)def->priority;
  key = key << 8 | (uint8_t)def->side;
  key = key << 8 | (uint8_t)def->direction;
  key = key << 8 | (uint8_t)def->inside;
  return key << 8 | (uint8_t)def->surface;
}

/* ---- flags ---- */

/* Everything but the value. */
static brink_flag *add_flag(writer *w, const uint32_t *guards, size_t count) {
  brink_system *system = w->system;
  const brink_guard_def *def = &w->builder->guards[guards[0]].def;
  brink_flag *flag = &system->flags[system->nflags];
  *flag = (brink_flag){.kind = def->side == BRINK_LEAF ? BRINK_FLAG_LEAF : BRINK_FLAG_DECLARED,
                       .name = brink_arena_text(&system->arena, def->name),
                       .where = system->name,
                       .per_instance = count,
                       .count = count,
                       .guard = brink_arena_copy(&system->arena, guards, count, sizeof *guards),
                       .side = def->side,
                       .direction = def->direction,
                       .priority = def->priority,
                       .inside = def->inside,
                       .surface = def->surface,
                       .leave_positive = BRINK_NO_INDEX,
                       .leave_negative = BRINK_NO_INDEX,
                       .variable = BRINK_NO_INDEX};
  if (flag->name == NULL || flag->guard == NULL) return NULL;
  for (size_t i = 0; i < count; i++) w->flag[guards[i]] = (uint32_t)system->nflags;
  system->nflags++;
  return flag;
}

static bool write_values(writer *w) {
  size_t count = w->ncandidates, operators = 0;
  uint32_t *list = brink_arena_pack(&w->scratch, 3 * count, sizeof *list);
  if (list == NULL) return false;
  uint32_t *ends = list + count, *guards = ends + count;
  if (!builder_shapes_sort(&w->shapes, w->shape, count, list, ends)) return false;
  for (size_t k = 0; k < count; k++) operators += w->shape[k].operators;
  for (size_t k = 0, end; k < count; k = end) {
    bool together = operators > BUILDER_SMALL && !w->named[w->guard[list[k]]] &&
                    builder_worthwhile(&w->shape[list[k]], ends[k] - k);
    end = together ? ends[k] : k + 1;
    for (size_t i = k; i < end; i++) guards[i - k] = w->guard[list[i]];
    brink_flag *flag = add_flag(w, guards, end - k);
    if (flag == NULL) return false;
    for (size_t i = k; i < end; i++) guards[i - k] = 0; /* a value goes to the first place */
    flag->value = builder_shape_write(&w->shapes, w->shape, list + k, end - k, w->system,
                                      BRINK_SPACE_OUT, guards);
    if (flag->value == NULL) return false;
    flag->value->name = flag->name;
  }
  return true;
}

/* Shapes of all values; named guards differ from all others by their keys. */
static bool find_shapes(writer *w) {
  const builder_border nowhere = {0};
  for (size_t g = 0; g < w->builder->nguards; g++) {
    const builder_guard *guard = &w->builder->guards[g];
    if (guard->value == BRINK_NO_NODE) continue;
    uint64_t key = w->named[g] ? UINT64_MAX - g : key_of(&guard->def);
    if (!builder_shape_find(&w->shapes, guard->value, &nowhere, key, &w->shape[w->ncandidates]))
      return false;
    w->guard[w->ncandidates++] = (uint32_t)g;
  }
  return true;
}

static bool write_formulas(writer *w) {
  for (uint32_t g = 0; g < w->builder->nguards; g++) {
    const builder_guard *guard = &w->builder->guards[g];
    if (guard->value != BRINK_NO_NODE) continue;
    size_t length = guard->def.formula_length;
    int32_t *formula = brink_arena_take(&w->system->arena, length, sizeof *formula);
    brink_flag *flag = add_flag(w, &g, 1);
    if (flag == NULL || formula == NULL) return false;
    for (size_t k = 0; k < length; k++) {
      int leaf = guard->def.formula[k];
      formula[k] = leaf < 0 ? leaf : (int32_t)w->flag[leaf];
    }
    flag->formula = formula;
    flag->formula_length = length;
  }
  return true;
}

static void write_leaves(writer *w) {
  for (size_t g = 0; g < w->builder->nguards; g++) {
    const brink_guard_def *def = &w->builder->guards[g].def;
    brink_flag *flag = &w->system->flags[w->flag[g]];
    if (def->surface != BRINK_SURFACE_MODEL) continue;
    if (def->leave_positive != BRINK_NONE) flag->leave_positive = w->flag[def->leave_positive];
    if (def->leave_negative != BRINK_NONE) flag->leave_negative = w->flag[def->leave_negative];
  }
}

bool builder_write_guards(const brink_builder *builder, brink_system *system) {
  writer w = {.builder = builder, .system = system};
  size_t count = builder->nguards;
  brink_arena_init(&w.scratch, &system->arena.allocator);
  w.named = brink_arena_take(&w.scratch, count, sizeof *w.named);
  w.flag = brink_arena_take(&w.scratch, count, sizeof *w.flag);
  w.guard = brink_arena_take(&w.scratch, count, sizeof *w.guard);
  w.shape = brink_arena_take(&w.scratch, count, sizeof *w.shape);
  system->flags = brink_arena_take(&system->arena, count, sizeof *system->flags);
  system->nguards = system->flags_capacity = count;
  bool ok = system->flags != NULL && builder_shapes_init(&w.shapes, &w.scratch, &builder->graph);
  if (ok) find_named(&w);
  ok = ok && find_shapes(&w) && write_values(&w) && write_formulas(&w);
  if (ok) write_leaves(&w);
  brink_arena_free(&w.scratch);
  return ok;
}
