/* structure_text.c: structures in words: which equation is where, which modes and signs choose a structure. */
#include <string.h>

#include "expr/structure.h"

/* ---- places ---- */

const brink_constraint *brink_structure_equation(const brink_system *system, size_t number,
                                                 size_t *iteration) {
  for (size_t c = 0; c < system->nconstraints; c++) {
    const brink_constraint *constraint = &system->constraints[c];
    if (number < constraint->count) {
      if (iteration != NULL) *iteration = number;
      return constraint;
    }
    number -= constraint->count;
  }
  return NULL;
}

bool brink_structure_place(const brink_system *system, const brink_structure_row *row,
                           brink_place *place) {
  if (row->kind == BRINK_ROW_CONSTRAINT) {
    *place = system->constraints[row->constraint].place;
    return place->line > 0;
  }
  const uint32_t *equation = system->writers.equation[1];
  if (row->kind != BRINK_ROW_STATE || equation == NULL || equation[row->slot] == BRINK_NO_INDEX)
    return false;
  *place = system->equations[equation[row->slot]]->place;
  return place->line > 0;
}

/* ---- what chooses ---- */

static const brink_variable *mode_of(const brink_system *system, uint32_t slot) {
  for (size_t k = 0; k < system->nvariables; k++) {
    const brink_variable *v = &system->variables[k];
    size_t count = system->groups[v->group].count * v->length;
    if (v->space == BRINK_SPACE_MODE && slot >= v->base && slot - v->base < count) return v;
  }
  return NULL;
}

void brink_structure_mode_text(const brink_system *system, uint32_t slot, brink_text *text) {
  const brink_variable *v = mode_of(system, slot);
  if (v != NULL)
    brink_system_variable_name(system, (uint32_t)(v - system->variables), slot - v->base, text);
  else
    brink_text_add(text, "mode %u", (unsigned)slot + 1);
}

void brink_structure_mode_value_text(const brink_system *system, uint32_t slot, int value,
                                     brink_text *text) {
  const brink_variable *v = mode_of(system, slot);
  if (v != NULL && v->type == BRINK_VALUE_STRING && value >= 0 && (size_t)value < system->nstrings)
    brink_text_add(text, "\"%s\"", system->strings[value]);
  else if (v != NULL && v->type == BRINK_VALUE_BOOLEAN)
    brink_text_add(text, "%s", value != 0 ? "true" : "false");
  else
    brink_text_add(text, "%d", value);
}

void brink_structure_sign_text(const brink_system *system, uint32_t guard, brink_text *text) {
  for (uint32_t f = 0; f < system->nflags; f++) {
    const brink_flag *flag = &system->flags[f];
    for (size_t i = 0; i < flag->count; i++) {
      if (flag->guard[i] != guard) continue;
      brink_text_add(text, "sgn(");
      brink_system_flag_name(system, f, i, text);
      brink_text_add(text, ")");
      return;
    }
  }
  brink_text_add(text, "sgn(flag %u)", (unsigned)guard + 1);
}

/* ---- when a fault is there ---- */

enum { CONDITIONS = 4 }; /* of a fault: the first ones are told */

typedef struct conditions {
  brink_space space[CONDITIONS];
  uint32_t slot[CONDITIONS];
  size_t count, told;
} conditions;

static void add_condition(conditions *c, brink_space space, uint32_t slot) {
  for (size_t k = 0; k < c->told; k++)
    if (c->space[k] == space && c->slot[k] == slot) return;
  c->count++;
  if (c->told == CONDITIONS) return;
  c->space[c->told] = space;
  c->slot[c->told++] = slot;
}

void brink_structure_when_text(const brink_system *system, const brink_structure_fault *fault,
                               const int *modes, const signed char *signs, brink_text *text) {
  conditions c = {.count = 0};
  for (size_t k = 0; k < fault->nrows; k++) {
    const brink_structure_row *row = &fault->rows[k];
    const brink_kernel *active =
        row->kind == BRINK_ROW_CONSTRAINT ? system->constraints[row->constraint].active : NULL;
    for (size_t r = 0; active != NULL && r < active->graph.nrefs; r++) {
      const brink_ref *ref = &active->graph.refs[r];
      if (ref->space == BRINK_SPACE_MODE || ref->space == BRINK_SPACE_SIGN)
        add_condition(&c, ref->space, (uint32_t)brink_ref_slot(ref, row->iteration));
    }
  }
  for (size_t k = 0; k < c.told; k++) {
    brink_text_add(text, "%s", k == 0 ? "" : k + 1 == c.count ? " and " : ", ");
    if (c.space[k] == BRINK_SPACE_MODE) {
      brink_structure_mode_text(system, c.slot[k], text);
      brink_text_add(text, " = ");
      brink_structure_mode_value_text(system, c.slot[k], modes[c.slot[k]], text);
    } else {
      brink_structure_sign_text(system, c.slot[k], text);
      brink_text_add(text, " = %d", signs[c.slot[k]]);
    }
  }
  if (c.count > c.told) brink_text_add(text, ", …");
}

/* ---- all of them ---- */

enum { CHOICES = 4096, VALUES = 64, EXAMPLES = 3 };

/* A slot that chooses, and what it may be. */
typedef struct chooser {
  bool is_mode;
  uint32_t slot;
  int value[VALUES];
  size_t count;
} chooser;

typedef struct list {
  brink_system *system;
  brink_arena scratch;
  chooser *choosers;
  size_t nchoosers;
  size_t nchoices; /* 0: too many, or not known */
  size_t *plan_of; /* of each choice; BRINK_STRUCTURES: of none */
  int *mode;       /* all slots */
  signed char *sgn;
} list;

static void add_value(chooser *c, double value) {
  for (size_t k = 0; k < c->count; k++)
    if (c->value[k] == (int)value) return;
  if (c->count < VALUES) c->value[c->count++] = (int)value;
}

static void take_values(const brink_system *system, chooser *c) {
  const brink_variable *v = c->is_mode ? mode_of(system, c->slot) : NULL;
  if (!c->is_mode) {
    for (int sign = -1; sign <= 1; sign++) add_value(c, sign);
    return;
  }
  for (size_t k = 0; v != NULL && k < v->nset; k++) add_value(c, v->set[k]);
  if (v != NULL && v->type == BRINK_VALUE_BOOLEAN) add_value(c, 0.0), add_value(c, 1.0);
  for (double k = 0.0; v != NULL && v->nset == 0 && v->type == BRINK_VALUE_INTEGER &&
                       v->has_range && v->bounds == NULL && k <= v->hi - v->lo && k < VALUES;
       k += 1.0)
    add_value(c, v->lo + k);
  add_value(c, system->mode0[c->slot]);
}

/* Choice number n: its digits are the values of the choosers. */
static size_t digit(const list *l, size_t n, size_t which) {
  for (size_t k = 0; k < which; k++) n /= l->choosers[k].count;
  return n % l->choosers[which].count;
}

static void choose(list *l, size_t n) {
  for (size_t k = 0; k < l->nchoosers; k++) {
    const chooser *c = &l->choosers[k];
    int value = c->value[digit(l, n, k)];
    if (c->is_mode)
      l->mode[c->slot] = value;
    else
      l->sgn[c->slot] = (signed char)value;
  }
}

static bool begin_list(list *l) {
  const brink_structure_set *set = l->system->structures;
  brink_arena *arena = &l->scratch;
  l->nchoosers = set->nkey_modes + set->nkey_signs;
  l->choosers = brink_arena_take(arena, l->nchoosers, sizeof *l->choosers);
  l->mode = brink_arena_copy(arena, l->system->mode0, l->system->nmodes, sizeof *l->mode);
  l->sgn = brink_arena_take(arena, l->system->nguards, 1);
  if (arena->failed) return false;
  l->nchoices = set->complete ? 1 : 0;
  for (size_t k = 0; k < l->nchoosers; k++) {
    chooser *c = &l->choosers[k];
    c->is_mode = k < set->nkey_modes;
    c->slot = c->is_mode ? set->key[k] : set->key_signs[k - set->nkey_modes];
    take_values(l->system, c);
    l->nchoices = l->nchoices * c->count <= CHOICES ? l->nchoices * c->count : 0;
  }
  l->plan_of = brink_arena_take(arena, l->nchoices, sizeof *l->plan_of);
  return !arena->failed;
}

static size_t number_of(const brink_structure_set *set, const brink_structure_plan *plan) {
  size_t k = 0;
  while (k < set->count && set->plans[k] != plan) k++;
  return plan != NULL ? k : SIZE_MAX;
}

static void add_value_text(const list *l, const chooser *c, int value, brink_text *text) {
  if (c->is_mode)
    brink_structure_mode_value_text(l->system, c->slot, value, text);
  else
    brink_text_add(text, "%d", value);
}

static void add_chooser(const list *l, const chooser *c, brink_text *text) {
  if (c->is_mode)
    brink_structure_mode_text(l->system, c->slot, text);
  else
    brink_structure_sign_text(l->system, c->slot, text);
  brink_text_add(text, " = ");
}

/* "phase = "a" and sgn(slip) = 0" */
static void add_choice(const list *l, const int *values, brink_text *text) {
  for (size_t k = 0; k < l->nchoosers; k++) {
    if (k > 0) brink_text_add(text, " and ");
    add_chooser(l, &l->choosers[k], text);
    add_value_text(l, &l->choosers[k], values[k], text);
  }
}

/* Which values of each chooser occur in a structure; how many choices are in it; all combinations of these values? */
static bool is_product(const list *l, size_t plan, bool *seen, size_t *count) {
  size_t product = 1;
  *count = 0;
  memset(seen, 0, l->nchoosers * VALUES * sizeof *seen);
  for (size_t n = 0; n < l->nchoices; n++) {
    if (l->plan_of[n] != plan) continue;
    ++*count;
    for (size_t k = 0; k < l->nchoosers; k++) seen[k * VALUES + digit(l, n, k)] = true;
  }
  for (size_t k = 0; k < l->nchoosers; k++) {
    size_t values = 0;
    for (size_t v = 0; v < l->choosers[k].count; v++) values += seen[k * VALUES + v];
    product *= values;
  }
  return product == *count;
}

static void add_product(const list *l, const bool *seen, brink_text *text) {
  size_t told = 0;
  for (size_t k = 0; k < l->nchoosers; k++) {
    const chooser *c = &l->choosers[k];
    size_t values = 0;
    for (size_t v = 0; v < c->count; v++) values += seen[k * VALUES + v];
    if (values == c->count) continue; /* whatever it is */
    brink_text_add(text, "%s", told++ > 0 ? " and " : "");
    add_chooser(l, c, text);
    size_t written = 0;
    for (size_t v = 0; v < c->count; v++) {
      if (!seen[k * VALUES + v]) continue;
      brink_text_add(text, "%s", written++ > 0 ? " or " : "");
      add_value_text(l, c, c->value[v], text);
    }
  }
  if (told == 0) brink_text_add(text, "always");
}

static void add_when(list *l, size_t plan, brink_text *text) {
  const brink_structure_set *set = l->system->structures;
  int *values = brink_arena_take(&l->scratch, l->nchoosers, sizeof *values);
  bool *seen = brink_arena_take(&l->scratch, l->nchoosers * VALUES, sizeof *seen);
  size_t count = 0, told = 0;
  if (l->scratch.failed) return;
  if (l->nchoices > 0 && is_product(l, plan, seen, &count)) {
    add_product(l, seen, text);
    return;
  }
  if (l->nchoices == 0) { /* the choice with which it was met */
    for (size_t k = 0; k < l->nchoosers; k++)
      values[k] = k < set->nkey_modes ? set->modes[plan][k] : set->signs[plan][k - set->nkey_modes];
    add_choice(l, values, text);
    return;
  }
  for (size_t n = 0; n < l->nchoices && told < EXAMPLES; n++) {
    if (l->plan_of[n] != plan) continue;
    for (size_t k = 0; k < l->nchoosers; k++) values[k] = l->choosers[k].value[digit(l, n, k)];
    if (told++ > 0) brink_text_add(text, "; or ");
    add_choice(l, values, text);
  }
  if (count > told) brink_text_add(text, "; or %zu more", count - told);
}

/* ---- one of them ---- */

static void add_tied(const list *l, const brink_structure_plan *plan, brink_text *text) {
  for (size_t g = 0; g < plan->ngroups; g++) {
    brink_text_add(text, "%s", g == 0 ? "; tied: " : "; ");
    for (size_t k = plan->group[g]; k < plan->group[g + 1]; k++) {
      if (k > plan->group[g]) brink_text_add(text, ", ");
      brink_structure_slot_text(l->system, plan->tied[k], text);
    }
  }
}

static void add_block(const list *l, const brink_structure_plan *plan, size_t b, brink_text *text) {
  size_t first = plan->block[b], end = plan->block[b + 1];
  if (plan->rows[first].kind == BRINK_ROW_UNUSED) return;
  brink_text_add(text, "     ");
  for (size_t i = first; i < end; i++) {
    if (i > first) brink_text_add(text, ", ");
    brink_structure_unknown_text(l->system, &plan->unknowns[plan->slot[i] - plan->nstates], text);
  }
  brink_text_add(text, "%s from ", end - first > 1 ? " together" : "");
  for (size_t i = first; i < end; i++) {
    if (i > first) brink_text_add(text, ", ");
    brink_structure_row_text(l->system, &plan->rows[i], text);
  }
  brink_text_add(text, "\n");
}

static void add_plan(list *l, size_t number, brink_text *text) {
  const brink_structure_plan *plan = l->system->structures->plans[number];
  brink_text_add(text, "\n%3zu  ", number + 1);
  add_when(l, number, text);
  brink_text_add(text, "\n     index %d, %zu of %zu states free", plan->index, plan->free,
                 plan->nstates);
  add_tied(l, plan, text);
  brink_text_add(text, "\n");
  for (size_t b = 0; b < plan->nblocks; b++) add_block(l, plan, b, text);
  for (size_t i = plan->ng; i < plan->ng + plan->nh; i++) {
    brink_text_add(text, i == plan->ng ? "     the states satisfy " : ", ");
    brink_structure_row_text(l->system, &plan->rows[i], text);
  }
  if (plan->nh > 0) brink_text_add(text, "\n");
}

void brink_structure_list_text(brink_system *system, brink_text *text) {
  const brink_structure_set *set = system->structures;
  if (set == NULL || set->count == 0) {
    brink_text_add(text, "%s has no constraints\n", system->name);
    return;
  }
  list l = {.system = system};
  brink_arena_init(&l.scratch, &system->arena.allocator);
  if (!begin_list(&l)) text->failed = true;
  for (size_t n = 0; n < l.nchoices && !text->failed; n++) {
    brink_structure_fault fault = {0};
    choose(&l, n);
    l.plan_of[n] = number_of(set, brink_structure_find(system, system->p0, l.mode, l.sgn, &fault));
  }
  if (!text->failed) {
    size_t shown = set->count < BRINK_STRUCTURES ? set->count : BRINK_STRUCTURES;
    brink_text_add(text, "%s: %zu structure%s%s\n", system->name, shown, shown == 1 ? "" : "s",
                   set->complete ? "" : "; there are more, found while the model runs");
    for (size_t k = 0; k < shown; k++) add_plan(&l, k, text);
  }
  text->failed = text->failed || l.scratch.failed;
  brink_arena_free(&l.scratch);
}
