/* structure.c: the structures of a system: which there are, which one holds, and the analysis of each.
 *
 * Problem: constraints of any index, which modes and signs exchange, have to become x' = f, 0 = g, 0 = h (structure.h)
 * before they can be integrated.
 * Method: for every choice of the modes and signs that conditions of constraints read, the constraints that hold are
 * written out element by element (structure_expand.c), matched and differentiated as often as need be (Pantelides 1988,
 * Pryce 2001: structure_match.c), and put in order of solution (structure_plan.c). No state is selected: invariants stay
 * as equations, and a run moves the states onto them.
 * Deviation from Pryce: f is written out for x', as it is explicit, and an equation x' = f is looked at only where a
 * constraint leads to it. So a model with many states and few constraints costs what its constraints read.
 *
 * Choices are listed like numbers, the start's first. Most of them are not new: the same constraints hold, and what
 * differs is not read by any of their equations. */
#include "expr/structure_parts.h"
#include "num/table.h"

#include <string.h>

#define LOOKED_AT 4096 /* choices before a run; each costs the conditions of all constraints */

/* ---- which constraints hold ---- */

static double read_ref(const brink_system *system, const brink_ref *ref, size_t iteration,
                       const double *p, const int *mode, const signed char *sgn) {
  size_t slot = brink_ref_slot(ref, iteration);
  switch ((int)ref->space) {
  case BRINK_SPACE_MODE:
    return mode[slot];
  case BRINK_SPACE_SIGN:
    return sgn[slot];
  case BRINK_SPACE_P:
    return p[slot];
  case BRINK_SPACE_K:
    return system->k[slot];
  default: /* conditions read nothing else */
    return 0.0;
  }
}

static double look_up(const brink_system *system, const brink_ref *array, size_t iteration,
                      double index, const double *p, const int *mode, const signed char *sgn) {
  size_t k = brink_lookup_place(index, array->extent);
  brink_ref element = {.space = array->space,
                       .base = (uint32_t)brink_ref_element(array, iteration, k)};
  return read_ref(system, &element, 0, p, mode, sgn);
}

static bool holds(const brink_system *system, const brink_kernel *active, size_t iteration,
                  const double *p, const int *mode, const signed char *sgn, double *values) {
  const brink_graph *graph = &active->graph;
  brink_node result = active->outputs[0].node;
  for (size_t k = 0; k <= result; k++) {
    const brink_expr_node *n = &graph->nodes[k];
    int operands = brink_op_operands((brink_op)n->op);
    if (n->op == BRINK_OP_REF)
      values[k] = read_ref(system, &graph->refs[n->a], iteration, p, mode, sgn);
    else if (n->op == BRINK_OP_LOOKUP)
      values[k] =
          look_up(system, brink_graph_array(graph, n), iteration, values[n->a], p, mode, sgn);
    else if (n->op == BRINK_OP_FIND) {
      const brink_ref *array = brink_graph_array(graph, n);
      const double *from = array->space == BRINK_SPACE_K ? system->k : p;
      values[k] = (double)brink_table_find(&from[brink_ref_slot(array, iteration)],
                                           array->extent - 1, values[n->a]) +
                  1.0;
    } else if (operands == 0)
      values[k] = n->value;
    else
      values[k] = brink_op_apply((brink_op)n->op, values[n->a], operands > 1 ? values[n->b] : 0.0,
                                 operands > 2 ? values[n->c] : 0.0);
  }
  return values[result] != 0.0;
}

/* Fills set->bits. */
static void find_bits(const brink_system *system, brink_structure_set *set, const double *p,
                      const int *mode, const signed char *sgn) {
  size_t at = 0;
  for (size_t c = 0; c < system->nconstraints; c++) {
    const brink_constraint *constraint = &system->constraints[c];
    for (size_t i = 0; i < constraint->count; i++)
      set->bits[at++] = constraint->active == NULL ||
                        holds(system, constraint->active, i, p, mode, sgn, set->values);
  }
}

/* ---- the slots that choose ---- */

static bool add_key(brink_system *system, uint32_t *key_of, structure_list *keys, size_t slot) {
  if (key_of[slot] != BRINK_NO_INDEX) return true;
  key_of[slot] = (uint32_t)keys->count;
  return structure_push(&system->arena, keys, (uint32_t)slot);
}

static bool find_keys(brink_system *system, brink_structure_set *set) {
  structure_list modes = {0}, signs = {0};
  size_t nodes = 1;
  for (size_t c = 0; c < system->nconstraints; c++) {
    const brink_constraint *constraint = &system->constraints[c];
    set->nbits += constraint->count;
    if (constraint->active == NULL) continue;
    const brink_graph *graph = &constraint->active->graph;
    if (graph->nnodes > nodes) nodes = graph->nnodes;
    for (size_t r = 0; r < graph->nrefs; r++) {
      const brink_ref *ref = &graph->refs[r];
      bool mode = ref->space == BRINK_SPACE_MODE;
      if (!mode && ref->space != BRINK_SPACE_SIGN) continue;
      for (size_t i = 0; i < constraint->count; i++)
        if (!add_key(system, mode ? set->mode_key : set->sign_key, mode ? &modes : &signs,
                     brink_ref_slot(ref, i)))
          return false;
    }
  }
  set->key = modes.items;
  set->nkey_modes = modes.count;
  set->key_signs = signs.items;
  set->nkey_signs = signs.count;
  set->bits = brink_arena_pack(&system->arena, set->nbits, sizeof *set->bits);
  set->values = brink_arena_pack(&system->arena, nodes, sizeof *set->values);
  return set->bits != NULL && set->values != NULL;
}

static brink_structure_set *new_set(brink_system *system) {
  brink_arena *arena = &system->arena;
  brink_structure_set *set = brink_arena_pack(arena, 1, sizeof *set);
  if (set == NULL) return NULL;
  set->declared = system->nz;
  set->nstates = system->nx - system->nz;
  set->mode_key = brink_arena_pack(arena, system->nmodes, sizeof *set->mode_key);
  set->sign_key = brink_arena_pack(arena, system->nguards, sizeof *set->sign_key);
  if (set->mode_key == NULL || set->sign_key == NULL) return NULL;
  if (system->nmodes > 0) memset(set->mode_key, 0xff, system->nmodes * sizeof *set->mode_key);
  if (system->nguards > 0) memset(set->sign_key, 0xff, system->nguards * sizeof *set->sign_key);
  return find_keys(system, set) ? set : NULL;
}

/* ---- the analysis of one ---- */

static bool list_equations(structure_analysis *a) {
  const brink_system *system = a->s.system;
  const brink_structure_set *set = a->s.set;
  brink_node *nodes =
      brink_arena_pack(&a->scratch, a->nequations, (STRUCTURE_ORDERS + 1) * sizeof(brink_node));
  a->equations = brink_arena_pack(&a->scratch, a->nequations, sizeof *a->equations);
  if (nodes == NULL || a->equations == NULL) return structure_give_up(a);
  size_t at = 0, n = 0;
  for (uint32_t c = 0; c < system->nconstraints; c++)
    for (uint32_t i = 0; i < system->constraints[c].count; i++) {
      if (!set->bits[at++]) continue;
      structure_equation *e = &a->equations[n];
      *e = (structure_equation){.constraint = c,
                                .iteration = i,
                                .unknown = BRINK_NO_INDEX,
                                .node = nodes + n * (STRUCTURE_ORDERS + 1)};
      e->node[0] = structure_residual(&a->s, c, i);
      if (e->node[0] == BRINK_NO_NODE) return structure_give_up(a);
      n++;
    }
  return true;
}

/* Of the constraints in set->bits, with these values of the keys. `reads`: which of the values it read. */
static bool analyse(brink_system *system, const brink_structure_set *set, const int *mode,
                    const signed char *sgn, structure_draft *draft, bool **reads,
                    brink_structure_fault *fault) {
  structure_analysis *a = brink_allocate(&system->arena.allocator, 1, sizeof *a);
  *fault = (brink_structure_fault){0};
  if (a == NULL) {
    fault->kind = BRINK_FAULT_MEMORY;
    return false;
  }
  a->fault = fault;
  for (size_t k = 0; k < set->nbits; k++) a->nequations += set->bits[k];
  brink_arena_init(&a->scratch, &system->arena.allocator);
  bool ok = structure_begin(&a->s, system, set, mode, sgn, &a->scratch) || structure_give_up(a);
  if (ok && a->nequations != set->declared) {
    *fault = (brink_structure_fault){
        .kind = BRINK_FAULT_COUNT, .active = a->nequations, .unknowns = set->declared};
    ok = false;
  }
  ok = ok && list_equations(a) && structure_check(a) && structure_reduce(a) &&
       structure_draft_make(a, draft);
  if (ok) {
    size_t keys = set->nkey_modes + set->nkey_signs;
    *reads = brink_arena_copy(&system->arena, a->s.reads, keys, sizeof **reads);
    draft->plan.active = brink_arena_copy(&system->arena, set->bits, set->nbits, sizeof *set->bits);
    draft->plan.nactive = set->nbits;
    ok = (*reads != NULL && draft->plan.active != NULL) || structure_give_up(a);
  }
  brink_arena_free(&a->scratch);
  brink_release(&system->arena.allocator, a, 1, sizeof *a);
  return ok;
}

/* ---- those that were met ---- */

static bool is_same(const brink_structure_set *set, size_t k, const bool *active, const int *mode,
                    const signed char *sgn) {
  if (memcmp(active, set->bits, set->nbits * sizeof *active) != 0) return false;
  for (size_t j = 0; j < set->nkey_modes; j++)
    if (set->reads[k][j] && set->modes[k][j] != mode[j]) return false;
  for (size_t j = 0; j < set->nkey_signs; j++)
    if (set->reads[k][set->nkey_modes + j] && set->signs[k][j] != sgn[j]) return false;
  return true;
}

/* Room for one more in all arrays, with the values of its keys. */
static bool remember(brink_system *system, brink_structure_set *set, const int *mode,
                     const signed char *sgn, const bool *reads) {
  brink_arena *arena = &system->arena;
  const int *modes = brink_arena_copy(arena, mode, set->nkey_modes, sizeof *modes);
  const signed char *signs = brink_arena_copy(arena, sgn, set->nkey_signs, sizeof *signs);
  if (modes == NULL || signs == NULL ||
      !brink_arena_reserve(arena, set->plans, set->count, set->capacity) ||
      !brink_arena_reserve(arena, set->modes, set->count, set->modes_capacity) ||
      !brink_arena_reserve(arena, set->signs, set->count, set->signs_capacity) ||
      !brink_arena_reserve(arena, set->reads, set->count, set->reads_capacity))
    return false;
  set->modes[set->count] = modes;
  set->signs[set->count] = signs;
  set->reads[set->count] = reads;
  return true;
}

static brink_structure_plan *no_memory(brink_structure_fault *fault) {
  *fault = (brink_structure_fault){.kind = BRINK_FAULT_MEMORY};
  return NULL;
}

const brink_structure_plan *brink_structure_find(brink_system *system, const double *p,
                                                 const int *mode, const signed char *sgn,
                                                 brink_structure_fault *fault) {
  brink_structure_set *set = system->structures;
  *fault = (brink_structure_fault){0};
  brink_arena scratch;
  brink_arena_init(&scratch, &system->arena.allocator);
  int *modes = brink_arena_pack(&scratch, set->nkey_modes, sizeof *modes);
  signed char *signs = brink_arena_pack(&scratch, set->nkey_signs, sizeof *signs);
  const brink_structure_plan *found = NULL;
  if (scratch.failed) {
    brink_arena_free(&scratch);
    return no_memory(fault);
  }
  for (size_t j = 0; j < set->nkey_modes; j++) modes[j] = mode[set->key[j]];
  for (size_t j = 0; j < set->nkey_signs; j++) signs[j] = sgn[set->key_signs[j]];
  find_bits(system, set, p, mode, sgn);
  for (size_t k = 0; k < set->count && found == NULL; k++)
    if (is_same(set, k, set->plans[k]->active, modes, signs)) found = set->plans[k];
  if (found == NULL) {
    structure_draft draft;
    bool *reads = NULL, failed = system->arena.failed;
    system->arena.failed = false; /* what was missing before is there, or will be missed again */
    if (!analyse(system, set, modes, signs, &draft, &reads, fault)) {
      /* fault says why */
    } else if (draft.ng > set->declared + set->hidden) {
      fault->kind = BRINK_FAULT_SIZE;
    } else {
      brink_structure_plan *plan = structure_plan_make(system, set, &draft);
      if (plan != NULL && remember(system, set, modes, signs, reads))
        found = set->plans[set->count++] = plan;
      else
        no_memory(fault);
    }
    system->arena.failed = system->arena.failed || failed;
  }
  brink_arena_free(&scratch);
  return found;
}

/* ---- all of them ---- */

static bool owns(const brink_system *system, const brink_variable *v, brink_space space,
                 uint32_t slot) {
  size_t length = v->length > 0 ? v->length : 1;
  return v->space == space && slot >= v->base &&
         slot - v->base < length * system->groups[v->group].count;
}

static const brink_variable *owner(const brink_system *system, brink_space space, uint32_t slot) {
  for (size_t k = 0; k < system->nvariables; k++)
    if (owns(system, &system->variables[k], space, slot)) return &system->variables[k];
  return NULL;
}

/* The choices: a number whose digits are the values of the keys. */
typedef struct lister {
  brink_system *system;
  brink_structure_set *set;
  brink_arena scratch;
  structure_list *values; /* of each key mode, as int; the start's first */
  size_t *digit;          /* of signs, then of modes: the first changes fastest */
  int *mode;              /* all slots */
  signed char *sgn;
  int *key_mode; /* of the keys */
  signed char *key_sign;
  structure_draft *drafts;
  size_t ndrafts, drafts_capacity, looked_at, tried;
  bool all_values; /* what modes may be is known */
} lister;

static bool add_value(lister *l, structure_list *values, double value) {
  for (size_t k = 0; k < values->count; k++)
    if ((int)values->items[k] == (int)value) return true;
  return structure_push(&l->scratch, values, (uint32_t)(int)value);
}

/* Sets of strings and numbers, booleans, ranges of integers; anything else may be what it is at the start, or not. */
static bool list_values(lister *l, size_t key) {
  uint32_t slot = l->set->key[key];
  structure_list *values = &l->values[key];
  const brink_variable *v = owner(l->system, BRINK_SPACE_MODE, slot);
  bool ok = add_value(l, values, l->system->mode0[slot]);
  if (v != NULL && v->nset > 0) {
    for (size_t k = 0; k < v->nset; k++) ok = ok && add_value(l, values, v->set[k]);
  } else if (v != NULL && v->type == BRINK_VALUE_BOOLEAN) {
    ok = ok && add_value(l, values, 0.0) && add_value(l, values, 1.0);
  } else if (v != NULL && v->type == BRINK_VALUE_INTEGER && v->has_range && v->bounds == NULL &&
             v->hi - v->lo <= LOOKED_AT) {
    for (double value = v->lo; value <= v->hi; value += 1.0) ok = ok && add_value(l, values, value);
  } else {
    l->all_values = false;
  }
  return ok;
}

static bool begin_list(lister *l) {
  const brink_structure_set *set = l->set;
  brink_arena *arena = &l->scratch;
  l->values = brink_arena_pack(arena, set->nkey_modes, sizeof *l->values);
  l->digit = brink_arena_pack(arena, set->nkey_modes + set->nkey_signs, sizeof *l->digit);
  l->mode = brink_arena_copy(arena, l->system->mode0, l->system->nmodes, sizeof *l->mode);
  l->sgn = brink_arena_pack(arena, l->system->nguards, sizeof *l->sgn);
  l->key_mode = brink_arena_pack(arena, set->nkey_modes, sizeof *l->key_mode);
  l->key_sign = brink_arena_pack(arena, set->nkey_signs, sizeof *l->key_sign);
  l->all_values = true;
  for (size_t k = 0; !arena->failed && k < set->nkey_modes; k++) list_values(l, k);
  return !arena->failed;
}

static void set_choice(lister *l) {
  const brink_structure_set *set = l->set;
  for (size_t k = 0; k < set->nkey_signs; k++)
    l->sgn[set->key_signs[k]] = l->key_sign[k] = (signed char)((int)l->digit[k] - 1);
  for (size_t k = 0; k < set->nkey_modes; k++)
    l->mode[set->key[k]] = l->key_mode[k] = (int)l->values[k].items[l->digit[set->nkey_signs + k]];
}

/* False: that was the last one. */
static bool next_choice(lister *l) {
  size_t signs = l->set->nkey_signs;
  for (size_t k = 0; k < signs + l->set->nkey_modes; k++) {
    size_t base = k < signs ? 3 : l->values[k - signs].count;
    if (++l->digit[k] < base) return true;
    l->digit[k] = 0;
  }
  return false;
}

static bool is_listed(const lister *l) {
  for (size_t k = 0; k < l->ndrafts; k++)
    if (is_same(l->set, k, l->drafts[k].plan.active, l->key_mode, l->key_sign)) return true;
  return false;
}

/* The structure of the present choice, if it is new. False: memory is out. */
static bool list_choice(lister *l, brink_structure_fault *fault, int *modes, signed char *signs) {
  brink_structure_set *set = l->set;
  set_choice(l);
  find_bits(l->system, set, l->system->p0, l->mode, l->sgn);
  if (is_listed(l)) return true;
  l->tried++;
  brink_structure_fault here;
  structure_draft draft;
  bool *reads = NULL;
  if (!analyse(l->system, set, l->key_mode, l->key_sign, &draft, &reads, &here)) {
    set->complete = false;
    if (here.kind != BRINK_FAULT_MEMORY && fault->kind != BRINK_FAULT_NONE) return true;
    *fault = here;
    if (modes != NULL) memcpy(modes, l->mode, l->system->nmodes * sizeof *modes);
    if (signs != NULL) memcpy(signs, l->sgn, l->system->nguards * sizeof *signs);
    return here.kind != BRINK_FAULT_MEMORY;
  }
  structure_draft *added = brink_arena_push(&l->scratch, l->drafts, l->ndrafts, l->drafts_capacity);
  if (added == NULL || !remember(l->system, set, l->key_mode, l->key_sign, reads)) return false;
  *added = draft;
  set->count++;
  if (draft.ng - set->declared > set->hidden) set->hidden = draft.ng - set->declared;
  return true;
}

/* ---- slots for derivatives of unknowns ---- */

static uint32_t top_group(brink_system *system) {
  for (size_t g = 0; g < system->ngroups; g++)
    if (system->groups[g].nsegments == 0 && system->groups[g].count == 1) return (uint32_t)g;
  brink_group *group =
      brink_arena_push(&system->arena, system->groups, system->ngroups, system->groups_capacity);
  if (group == NULL) return BRINK_NO_INDEX;
  *group = (brink_group){.count = 1, .class_name = ""};
  return (uint32_t)(system->ngroups - 1);
}

/* "lam'", if the slot is that in all structures that use it. */
static char *hidden_name(brink_system *system, const lister *l, size_t number) {
  const brink_structure_unknown *is = NULL;
  bool one = true;
  for (size_t k = 0; k < l->ndrafts; k++) {
    if (number >= l->drafts[k].ng) continue;
    const brink_structure_unknown *here = &l->drafts[k].plan.unknowns[number];
    if (is == NULL) is = here;
    one = one && here->of == is->of && here->order == is->order;
  }
  brink_text text = {.allocator = system->arena.allocator};
  if (one && is != NULL)
    brink_structure_unknown_text(system, is, &text);
  else
    brink_text_add(&text, "unknown%zu'", number - l->set->declared + 1);
  char *name = text.failed ? NULL : brink_arena_text(&system->arena, text.data);
  brink_text_free(&text);
  return name;
}

static void *longer(brink_arena *arena, const void *from, size_t count, size_t more, size_t size) {
  void *made = brink_arena_pack(arena, count + more, size);
  if (made != NULL && from != NULL && count > 0) memcpy(made, from, count * size);
  return made;
}

static bool extend_system(brink_system *system, const lister *l) {
  size_t nx = system->nx, more = l->set->hidden;
  brink_arena *arena = &system->arena;
  if (more == 0) return true;
  uint32_t group = top_group(system);
  double *x0 = longer(arena, system->x0, nx, more, sizeof *x0);
  unsigned char *start = longer(arena, system->start, nx, more, sizeof *start);
  uint32_t *equation = longer(arena, system->writers.equation[1], nx, more, sizeof *equation);
  uint32_t *iteration = longer(arena, system->writers.iteration[1], nx, more, sizeof *iteration);
  if (arena->failed || group == BRINK_NO_INDEX) return false;
  for (size_t k = 0; k < more; k++) {
    char *name = hidden_name(system, l, l->set->declared + k);
    brink_variable *v = name == NULL
                            ? NULL
                            : brink_arena_push(arena, system->variables, system->nvariables,
                                               system->variables_capacity);
    if (v == NULL) return false;
    *v = (brink_variable){.name = name,
                          .group = group,
                          .kind = BRINK_VARIABLE_HIDDEN,
                          .type = BRINK_VALUE_REAL,
                          .space = BRINK_SPACE_X,
                          .base = (uint32_t)(nx + k),
                          .length = 1,
                          .where = "",
                          .unknown = true};
    equation[nx + k] = BRINK_NO_INDEX;
    start[nx + k] = BRINK_INITIAL_FREE;
  }
  system->x0 = x0;
  if (system->start != NULL) system->start = start;
  system->writers.equation[1] = equation;
  system->writers.iteration[1] = iteration;
  system->nx += more;
  system->nz += more;
  return true;
}

static bool list_all(lister *l, brink_structure_fault *fault, int *modes, signed char *signs) {
  brink_structure_set *set = l->set;
  bool more = begin_list(l);
  if (!more) return false;
  set->complete = l->all_values;
  while (more && l->looked_at < LOOKED_AT && l->tried < BRINK_STRUCTURES) {
    if (!list_choice(l, fault, modes, signs)) return false;
    l->looked_at++;
    more = next_choice(l);
  }
  if (more) set->complete = false;
  if (!extend_system(l->system, l)) return false;
  for (size_t k = 0; k < l->ndrafts; k++) {
    set->plans[k] = structure_plan_make(l->system, set, &l->drafts[k]);
    if (set->plans[k] == NULL) return false;
  }
  return true;
}

bool brink_system_structures(brink_system *system, brink_structure_fault *fault, int *modes,
                             signed char *signs) {
  *fault = (brink_structure_fault){0};
  if (system->nconstraints == 0 && system->nz == 0) return true;
  lister l = {.system = system, .set = new_set(system)};
  brink_arena_init(&l.scratch, &system->arena.allocator);
  if (l.set == NULL || !list_all(&l, fault, modes, signs))
    no_memory(fault);
  else
    system->structures = l.set;
  brink_arena_free(&l.scratch);
  return fault->kind == BRINK_FAULT_NONE;
}

/* ---- names ---- */

void brink_structure_slot_text(const brink_system *system, uint32_t slot, brink_text *text) {
  const brink_variable *v = owner(system, BRINK_SPACE_X, slot);
  if (v != NULL)
    brink_system_variable_name(system, (uint32_t)(v - system->variables), slot - v->base, text);
  else
    brink_text_add(text, "x[%u]", (unsigned)slot + 1);
}

void brink_structure_unknown_text(const brink_system *system,
                                  const brink_structure_unknown *unknown, brink_text *text) {
  brink_structure_slot_text(system, unknown->of, text);
  if (unknown->order > 4) brink_text_add(text, "^(%d)", unknown->order);
  for (int k = 0; k < unknown->order && unknown->order <= 4; k++) brink_text_add(text, "'");
}

static void add_order(int order, brink_text *text) {
  static const char *const ending[] = {"th", "st", "nd", "rd"};
  int last = order % 10, tens = order / 10 % 10;
  if (order > 0)
    brink_text_add(text, "%d%s derivative of ", order, ending[last < 4 && tens != 1 ? last : 0]);
}

void brink_structure_row_text(const brink_system *system, const brink_structure_row *row,
                              brink_text *text) {
  if (row->kind != BRINK_ROW_CONSTRAINT) {
    add_order(row->order, text);
    brink_structure_slot_text(system, row->slot, text);
    brink_text_add(text, row->kind == BRINK_ROW_STATE ? "'" : " = 0");
    return;
  }
  const brink_constraint *c = &system->constraints[row->constraint];
  add_order(row->order, text);
  if (c->place.line > 0)
    brink_text_add(text, "line %u", (unsigned)c->place.line);
  else
    brink_text_add(text, "%s", c->where != NULL ? c->where : "a constraint");
  size_t instances = system->ngroups > c->group ? system->groups[c->group].count : 1;
  if (instances > 1 && c->count % instances == 0) {
    brink_text_add(text, " of ");
    brink_system_instance_name(system, c->group, row->iteration / (c->count / instances), text);
  }
}

static void add_names(const brink_system *system, const uint32_t *slots, size_t count,
                      brink_text *text) {
  for (size_t k = 0; k < count; k++) {
    if (k > 0) brink_text_add(text, ", ");
    brink_structure_slot_text(system, slots[k], text);
  }
}

void brink_structure_fault_text(const brink_system *system, const brink_structure_fault *fault,
                                brink_text *text) {
  if (fault == NULL || fault->kind == BRINK_FAULT_MEMORY || fault->kind == BRINK_FAULT_NONE) {
    brink_text_add(text, "there is no memory for another structure of constraints");
  } else if (fault->kind == BRINK_FAULT_SIZE) {
    brink_text_add(text, "the constraints that hold would have to be differentiated too often");
  } else if (fault->kind == BRINK_FAULT_COUNT) {
    brink_text_add(text, "%zu constraints hold, but there are %zu unknowns", fault->active,
                   fault->unknowns);
  } else {
    brink_text_add(text, "these %zu equations determine only ", fault->nrows);
    add_names(system, fault->only, fault->nonly, text);
    for (size_t k = 0; k < fault->nrows; k++) {
      brink_text_add(text, k == 0 ? ": " : ", ");
      brink_structure_row_text(system, &fault->rows[k], text);
    }
    if (fault->nundetermined > 0) brink_text_add(text, "; nothing determines ");
    add_names(system, fault->undetermined, fault->nundetermined, text);
  }
}
