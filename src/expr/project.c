/* project.c: a part of a system as a system of its own. See project.h.
 *
 * Iterations of a kernel run over the instances of its group, the first instance first. So the iterations of the
 * instances that are kept are the first ones, and a kernel of the part is the same graph with fewer iterations, other
 * slots, and whatever becomes simpler by that. */
#include "expr/project.h"

#include <stdlib.h>
#include <string.h>

/* Slots `first` … `first + count - 1` of a space are kept, and become those from `base` on. */
typedef struct span {
  uint32_t first, count, base;
} span;

typedef struct projector {
  const brink_system *from;
  const size_t *keep;
  brink_projection *made;
  brink_system *to;
  brink_arena *arena; /* of the part */
  brink_arena scratch;
  span *spans[BRINK_SPACE_COUNT]; /* X, P, MODE, V: sorted, apart */
  size_t nspans[BRINK_SPACE_COUNT];
  uint32_t *group, *variable, *flag,
      *clock; /* of each of `from`: its number in `to`, or BRINK_NO_INDEX */
  uint32_t *guard, *k;
  bool outside; /* a slot is read that is not kept */
} projector;

static bool is_memory(brink_space space) {
  return space == BRINK_SPACE_X || space == BRINK_SPACE_P || space == BRINK_SPACE_MODE ||
         space == BRINK_SPACE_V;
}

static bool is_failed(const projector *p) {
  return p->arena->failed || p->scratch.failed || p->outside;
}

static uint32_t *take_numbers(projector *p, size_t count) {
  uint32_t *numbers = brink_arena_pack(&p->scratch, count, sizeof *numbers);
  if (numbers != NULL) memset(numbers, 0xff, count * sizeof *numbers);
  return numbers;
}

/* ---- which slots ---- */

static int compare_spans(const void *left, const void *right) {
  const span *a = left, *b = right;
  return a->first < b->first ? -1 : a->first > b->first;
}

/* Spans that overlap or touch become one; each gets its place. Returns the number of slots. */
static size_t join_spans(span *spans, size_t *count) {
  size_t n = 0, total = 0;
  if (*count > 1) qsort(spans, *count, sizeof *spans, compare_spans);
  for (size_t k = 0; k < *count; k++) {
    uint32_t end = spans[k].first + spans[k].count;
    span *last = n > 0 ? &spans[n - 1] : NULL;
    if (last != NULL && spans[k].first <= last->first + last->count) {
      if (end > last->first + last->count) last->count = end - last->first;
    } else {
      spans[n++] = spans[k];
    }
  }
  for (size_t k = 0; k < n; k++) {
    spans[k].base = (uint32_t)total;
    total += spans[k].count;
  }
  *count = n;
  return total;
}

static void find_spans(projector *p) {
  const brink_system *from = p->from;
  for (int s = 0; s < BRINK_SPACE_COUNT; s++) {
    if (is_memory((brink_space)s))
      p->spans[s] = brink_arena_pack(&p->scratch, from->nvariables, sizeof(span));
  }
  if (is_failed(p)) return;
  for (size_t v = 0; v < from->nvariables; v++) {
    const brink_variable *variable = &from->variables[v];
    size_t count = p->keep[variable->group] * variable->length;
    if (count == 0 || !is_memory(variable->space)) continue;
    p->spans[variable->space][p->nspans[variable->space]++] =
        (span){.first = variable->base, .count = (uint32_t)count};
  }
}

/* The space whose slots a ref has. */
static brink_space space_of(brink_space space) {
  return space == BRINK_SPACE_DX || space == BRINK_SPACE_PRE_X ? BRINK_SPACE_X
         : space == BRINK_SPACE_PRE_P                          ? BRINK_SPACE_P
         : space == BRINK_SPACE_PRE_MODE                       ? BRINK_SPACE_MODE
                                                               : space;
}

static uint32_t find_memory(const projector *p, brink_space space, size_t slot) {
  const span *spans = p->spans[space];
  size_t lo = 0, hi = p->nspans[space];
  while (lo < hi) { /* the first span that ends behind the slot */
    size_t middle = lo + (hi - lo) / 2;
    if ((size_t)spans[middle].first + spans[middle].count <= slot)
      lo = middle + 1;
    else
      hi = middle;
  }
  if (lo == p->nspans[space] || slot < spans[lo].first) return BRINK_NO_INDEX;
  return spans[lo].base + (uint32_t)(slot - spans[lo].first);
}

/* Numbers in K are taken over when they are first read. */
static uint32_t find_constant(projector *p, size_t slot) {
  brink_system *to = p->to;
  if (p->k[slot] != BRINK_NO_INDEX) return p->k[slot];
  double *k = brink_arena_push(p->arena, to->k, to->nk, to->k_capacity);
  if (k == NULL) return BRINK_NO_INDEX;
  *k = p->from->k[slot];
  return p->k[slot] = (uint32_t)(to->nk - 1);
}

/* The slot of the part; BRINK_NO_INDEX: not kept. */
static uint32_t find_slot(projector *p, brink_space space, size_t slot) {
  if (space == BRINK_SPACE_OUT || space == BRINK_SPACE_LOCAL) return (uint32_t)slot;
  if (space == BRINK_SPACE_K) return find_constant(p, slot);
  if (space == BRINK_SPACE_SIGN) return p->guard[slot];
  return find_memory(p, space_of(space), slot);
}

/* ---- memory and names ---- */

static uint32_t *list_slots(projector *p, brink_space space, size_t *count) {
  *count = join_spans(p->spans[space], &p->nspans[space]);
  uint32_t *slots = brink_arena_pack(p->arena, *count, sizeof *slots);
  for (size_t k = 0; slots != NULL && k < p->nspans[space]; k++) {
    const span *s = &p->spans[space][k];
    for (uint32_t i = 0; i < s->count; i++) slots[s->base + i] = s->first + i;
  }
  p->made->slot[space] = slots;
  return slots;
}

static void copy_memory(projector *p) {
  const brink_system *from = p->from;
  brink_system *to = p->to;
  find_spans(p);
  if (is_failed(p)) return;
  const uint32_t *x = list_slots(p, BRINK_SPACE_X, &to->nx);
  const uint32_t *held = list_slots(p, BRINK_SPACE_P, &to->np);
  const uint32_t *mode = list_slots(p, BRINK_SPACE_MODE, &to->nmodes);
  list_slots(p, BRINK_SPACE_V, &to->nv);
  to->nlocals = from->nlocals;
  to->x0 = brink_arena_pack(p->arena, to->nx, sizeof *to->x0);
  to->p0 = brink_arena_pack(p->arena, to->np, sizeof *to->p0);
  to->mode0 = brink_arena_pack(p->arena, to->nmodes, sizeof *to->mode0);
  if (is_failed(p)) return;
  for (size_t i = 0; i < to->nx; i++) to->x0[i] = from->x0[x[i]];
  for (size_t i = 0; i < to->np; i++) to->p0[i] = from->p0[held[i]];
  for (size_t i = 0; i < to->nmodes; i++) to->mode0[i] = from->mode0[mode[i]];
  to->externals = from->externals;
  to->nexternals = from->nexternals;
  to->rtol_slot = find_memory(p, BRINK_SPACE_P, from->rtol_slot);
  to->atol_slot = find_memory(p, BRINK_SPACE_P, from->atol_slot);
}

/* The number of instances is kept where a path begins: "car[2].wheel[4]" of 100 cars. */
static void copy_groups(projector *p) {
  const brink_system *from = p->from;
  brink_system *to = p->to;
  to->groups = brink_arena_pack(p->arena, from->ngroups, sizeof *to->groups);
  p->made->group = brink_arena_pack(p->arena, from->ngroups, sizeof(uint32_t));
  if (is_failed(p)) return;
  for (size_t g = 0; g < from->ngroups; g++) {
    if (p->keep[g] == 0) continue;
    brink_group group = from->groups[g];
    group.dimension =
        brink_arena_copy(p->arena, group.dimension, group.nsegments, sizeof *group.dimension);
    if (is_failed(p)) return;
    size_t below = 1;
    for (size_t s = 1; s < group.nsegments; s++)
      below *= group.dimension[s] > 0 ? group.dimension[s] : 1;
    if (group.nsegments > 0 && group.dimension[0] > 0)
      group.dimension[0] = (uint32_t)(p->keep[g] / below);
    group.count = p->keep[g];
    p->group[g] = (uint32_t)to->ngroups;
    p->made->group[to->ngroups] = (uint32_t)g;
    to->groups[to->ngroups++] = group;
  }
  to->groups_capacity = from->ngroups;
}

static void copy_variables(projector *p) {
  const brink_system *from = p->from;
  brink_system *to = p->to;
  to->variables = brink_arena_pack(p->arena, from->nvariables, sizeof *to->variables);
  p->made->variable = brink_arena_pack(p->arena, from->nvariables, sizeof(uint32_t));
  if (is_failed(p)) return;
  for (size_t v = 0; v < from->nvariables; v++) {
    brink_variable variable = from->variables[v];
    if (p->keep[variable.group] == 0) continue;
    variable.group = p->group[variable.group];
    variable.base = find_slot(p, variable.space, variable.base);
    p->variable[v] = (uint32_t)to->nvariables;
    p->made->variable[to->nvariables] = (uint32_t)v;
    to->variables[to->nvariables++] = variable;
  }
  to->variables_capacity = from->nvariables;
}

/* ---- kernels ---- */

typedef struct copier {
  projector *p;
  size_t count;    /* iterations that are kept */
  uint32_t *slots; /* room for as many */
} copier;

/* An array that is looked up stays in one piece: `count` numbers of K from `slot` on. */
static uint32_t find_constants(projector *p, size_t slot, size_t count) {
  bool together = p->k[slot] != BRINK_NO_INDEX;
  for (size_t j = 1; together && j < count; j++) together = p->k[slot + j] == p->k[slot] + j;
  for (size_t j = 0; !together && j < count; j++) {
    p->k[slot + j] = BRINK_NO_INDEX;
    if (find_constant(p, slot + j) == BRINK_NO_INDEX) return BRINK_NO_INDEX;
  }
  return p->k[slot];
}

/* The slot of the first element of an array; BRINK_NO_INDEX: not all of it is kept, or not in one piece. */
static uint32_t find_array(projector *p, const brink_ref *array, size_t iteration) {
  size_t first = brink_ref_slot(array, iteration), last = (array->extent - 1) * array->step;
  if (array->space == BRINK_SPACE_K) return find_constants(p, first, last + 1);
  uint32_t slot = find_slot(p, array->space, first);
  bool whole =
      slot != BRINK_NO_INDEX && find_slot(p, array->space, first + last) == (uint32_t)(slot + last);
  return whole ? slot : BRINK_NO_INDEX;
}

static bool project_ref(const copier *c, const brink_ref *from, brink_ref *to) {
  projector *p = c->p;
  for (size_t i = 0; i < c->count; i++) {
    c->slots[i] = from->extent > 1 ? find_array(p, from, i)
                                   : find_slot(p, from->space, brink_ref_slot(from, i));
    if (c->slots[i] == BRINK_NO_INDEX) p->outside = true;
  }
  if (is_failed(p) || !brink_ref_from_slots(p->arena, from->space, c->slots, c->count, to))
    return false;
  to->extent = from->extent;
  to->step = from->step;
  return true;
}

static brink_node project_node(brink_graph *to, const brink_graph *from, uint32_t ref, void *user) {
  brink_ref made;
  return project_ref(user, &from->refs[ref], &made) ? brink_graph_ref(to, made) : BRINK_NO_NODE;
}

/* The nodes in this list, and what they consist of. BRINK_NO_NODE stays. */
static void project_nodes(copier *c, const brink_graph *from, brink_graph *to, brink_node **nodes,
                          size_t count) {
  projector *p = c->p;
  brink_node *wanted = brink_arena_pack(&p->scratch, 2 * count, sizeof *wanted);
  size_t n = 0;
  if (wanted == NULL) return;
  brink_node *copies = wanted + count;
  for (size_t k = 0; k < count; k++) {
    if (*nodes[k] != BRINK_NO_NODE) wanted[n++] = *nodes[k];
  }
  if (n > 0 && !brink_graph_copy_all(to, from, wanted, n, copies, project_node, c)) {
    if (!p->outside) p->arena->failed = true;
    return;
  }
  n = 0;
  for (size_t k = 0; k < count; k++) {
    if (*nodes[k] != BRINK_NO_NODE) *nodes[k] = copies[n++];
  }
}

static size_t count_nodes(const brink_kernel *kernel, const brink_action *action) {
  size_t count = 2 * kernel->noutputs;
  for (size_t k = 0; action != NULL && k < action->neffects; k++)
    count += 1 + action->effects[k].nargs;
  return count;
}

/* The first `count` iterations of a kernel; of an action (or NULL), kernel `number`, and its effects, which are copied
 * already. */
static void project_kernel(projector *p, const brink_kernel *from, size_t count, brink_kernel *to,
                           brink_action *action, uint32_t number) {
  copier c = {.p = p, .count = count};
  *to = *from;
  to->count = count;
  to->outputs = brink_arena_copy(p->arena, from->outputs, from->noutputs, sizeof *to->outputs);
  to->outputs_capacity = from->noutputs;
  brink_graph_init(&to->graph, p->arena, count);
  size_t n = 0, room = count_nodes(from, action);
  brink_node **nodes = brink_arena_pack(&p->scratch, room, sizeof *nodes);
  c.slots = brink_arena_pack(&p->scratch, count, sizeof *c.slots);
  if (is_failed(p) || count == 0) return;
  for (size_t k = 0; k < to->noutputs; k++) {
    brink_output *output = &to->outputs[k];
    nodes[n++] = &output->node;
    nodes[n++] = &output->when;
    if (output->variable != BRINK_NO_INDEX) output->variable = p->variable[output->variable];
    if (!project_ref(&c, &from->outputs[k].target, &output->target)) return;
  }
  for (size_t k = 0; action != NULL && k < action->neffects; k++) {
    if (action->effects[k].kernel != number) continue;
    nodes[n++] = &action->effects[k].when;
    for (size_t j = 0; j < action->effects[k].nargs; j++) nodes[n++] = &action->effects[k].args[j];
  }
  project_nodes(&c, &from->graph, &to->graph, nodes, n);
}

static brink_kernel *copy_kernel(projector *p, const brink_kernel *from, size_t count) {
  if (from == NULL) return NULL;
  brink_kernel *to = brink_arena_pack(p->arena, 1, sizeof *to);
  if (to != NULL) project_kernel(p, from, count, to, NULL, 0);
  return to;
}

static brink_action *copy_action(projector *p, const brink_action *from, size_t count) {
  if (from == NULL) return NULL;
  brink_action *to = brink_arena_copy(p->arena, from, 1, sizeof *to);
  if (to == NULL) return NULL;
  to->effects = brink_arena_copy(p->arena, from->effects, from->neffects, sizeof *to->effects);
  to->effects_capacity = from->neffects;
  for (size_t k = 0; k < from->neffects && !is_failed(p); k++)
    to->effects[k].args = brink_arena_copy(p->arena, from->effects[k].args, from->effects[k].nargs,
                                           sizeof *to->effects[k].args);
  for (size_t k = 0; k < from->neffects && !is_failed(p); k++) {
    if (from->effects[k].late) to->effects[k].back = p->flag[from->effects[k].back];
  }
  to->count = count;
  to->kernels = brink_arena_pack(p->arena, from->nkernels, sizeof(brink_kernel *));
  to->kernels_capacity = from->nkernels;
  for (uint32_t k = 0; k < from->nkernels && !is_failed(p); k++) {
    size_t repeat = brink_action_repeat(from, from->kernels[k]);
    to->kernels[k] = brink_arena_pack(p->arena, 1, sizeof(brink_kernel));
    if (!is_failed(p)) project_kernel(p, from->kernels[k], count * repeat, to->kernels[k], to, k);
  }
  return to;
}

/* How many iterations write what is kept: the first ones. */
static size_t kept_iterations(projector *p, const brink_kernel *kernel) {
  const brink_ref *target = &kernel->outputs[0].target;
  size_t n = 0;
  while (n < kernel->count &&
         find_slot(p, target->space, brink_ref_slot(target, n)) != BRINK_NO_INDEX)
    n++;
  return n;
}

/* ---- equations, flags, clocks, rules ---- */

static void copy_equations(projector *p) {
  const brink_system *from = p->from;
  brink_system *to = p->to;
  to->equations = brink_arena_pack(p->arena, from->nequations, sizeof(brink_kernel *));
  p->made->equation = brink_arena_pack(p->arena, from->nequations, sizeof(uint32_t));
  for (size_t e = 0; e < from->nequations && !is_failed(p); e++) {
    size_t count = kept_iterations(p, from->equations[e]);
    if (count == 0) continue;
    p->made->equation[to->nequations] = (uint32_t)e;
    to->equations[to->nequations++] = copy_kernel(p, from->equations[e], count);
  }
  to->equations_capacity = from->nequations;
}

static size_t kept_flags(const projector *p, const brink_flag *flag) {
  return p->keep[flag->group] * (flag->per_instance > 0 ? flag->per_instance : 1);
}

/* Flags and guards get their numbers before anything is copied that refers to them. */
static void number_flags(projector *p) {
  const brink_system *from = p->from;
  brink_system *to = p->to;
  to->flags = brink_arena_pack(p->arena, from->nflags, sizeof *to->flags);
  p->made->flag = brink_arena_pack(p->arena, from->nflags, sizeof(uint32_t));
  if (is_failed(p)) return;
  for (size_t f = 0; f < from->nflags; f++) {
    const brink_flag *flag = &from->flags[f];
    size_t count = kept_flags(p, flag);
    if (count == 0) continue;
    p->flag[f] = (uint32_t)to->nflags;
    p->made->flag[to->nflags++] = (uint32_t)f;
    for (size_t i = 0; i < count; i++) p->guard[flag->guard[i]] = 0;
  }
  to->flags_capacity = from->nflags;
  for (size_t g = 0; g < from->nguards; g++) {
    if (p->guard[g] != BRINK_NO_INDEX) p->guard[g] = (uint32_t)to->nguards++;
  }
}

static uint32_t flag_number(const projector *p, uint32_t flag) {
  return flag != BRINK_NO_INDEX ? p->flag[flag] : BRINK_NO_INDEX;
}

static void copy_formula(projector *p, brink_flag *flag) {
  flag->formula =
      brink_arena_copy(p->arena, flag->formula, flag->formula_length, sizeof *flag->formula);
  for (size_t k = 0; flag->formula != NULL && k < flag->formula_length; k++) {
    if (flag->formula[k] >= 0) flag->formula[k] = (int32_t)p->flag[flag->formula[k]];
  }
}

/* An action runs once, or for each element of a vector, for each instance of the flag. */
static brink_action *copy_reaction(projector *p, const brink_flag *flag, size_t count,
                                   const brink_action *action) {
  if (action == NULL) return NULL;
  return copy_action(p, action, action->count * count / flag->count);
}

static void copy_flag(projector *p, const brink_flag *from, brink_flag *to) {
  size_t count = kept_flags(p, from);
  *to = *from;
  to->group = p->group[from->group];
  to->count = count;
  to->guard = brink_arena_copy(p->arena, from->guard, count, sizeof *to->guard);
  if (is_failed(p)) return;
  for (size_t i = 0; i < count; i++) to->guard[i] = p->guard[from->guard[i]];
  if (from->time != NULL)
    to->time = brink_arena_copy(p->arena, from->time, count, sizeof *to->time);
  if (is_failed(p)) return;
  for (size_t i = 0; from->time != NULL && i < count; i++)
    to->time[i] = find_slot(p, BRINK_SPACE_P, from->time[i]);
  to->value = copy_kernel(p, from->value, count);
  to->enabled = copy_kernel(p, from->enabled, count);
  if (from->formula != NULL) copy_formula(p, to);
  to->leave_positive = flag_number(p, from->leave_positive);
  to->leave_negative = flag_number(p, from->leave_negative);
  to->negative = copy_reaction(p, from, count, from->negative);
  to->positive = copy_reaction(p, from, count, from->positive);
  to->on_surface = copy_reaction(p, from, count, from->on_surface);
  if (from->variable != BRINK_NO_INDEX) to->variable = p->variable[from->variable];
  for (int side = 0; from->is_pair && side < 2; side++)
    to->partner_group[side] = p->group[from->partner_group[side]];
}

static void copy_clocks(projector *p) {
  const brink_system *from = p->from;
  brink_system *to = p->to;
  to->clocks = brink_arena_pack(p->arena, from->nclocks, sizeof *to->clocks);
  for (size_t k = 0; k < from->nclocks && !is_failed(p); k++) {
    brink_sampled clock = from->clocks[k];
    size_t keep = p->keep[clock.group];
    if (clock.first >= keep) continue;
    if (clock.count > keep - clock.first) clock.count = keep - clock.first;
    clock.group = p->group[clock.group];
    /* Clocks of one group share their action. */
    bool shared = k > 0 && clock.first > 0 && from->clocks[k - 1].action == clock.action;
    clock.action = shared ? to->clocks[to->nclocks - 1].action : copy_action(p, clock.action, keep);
    p->clock[k] = (uint32_t)to->nclocks;
    to->clocks[to->nclocks++] = clock;
  }
  to->clocks_capacity = from->nclocks;
}

static void copy_rules(projector *p) {
  const brink_system *from = p->from;
  brink_system *to = p->to;
  to->rules = brink_arena_pack(p->arena, from->nrules, sizeof *to->rules);
  for (size_t k = 0; k < from->nrules && !is_failed(p); k++) {
    brink_rule rule = from->rules[k];
    size_t keep = p->keep[rule.group];
    if (keep == 0) continue;
    rule.group = p->group[rule.group];
    rule.count = keep;
    rule.flag = flag_number(p, rule.flag);
    if (rule.clock != BRINK_NO_INDEX) rule.clock = p->clock[rule.clock];
    rule.condition = copy_kernel(p, rule.condition, keep);
    rule.was = find_slot(p, BRINK_SPACE_MODE, rule.was);
    rule.body = copy_action(p, rule.body, keep);
    to->rules[to->nrules++] = rule;
  }
  to->rules_capacity = from->nrules;
}

/* Its first kernel that writes tells how much of it is kept. */
static size_t kept_first(projector *p, const brink_action *action) {
  for (size_t k = 0; k < action->nkernels; k++) {
    const brink_kernel *kernel = action->kernels[k];
    size_t repeat = brink_action_repeat(action, kernel);
    if (kernel->noutputs > 0 && repeat > 0) return kept_iterations(p, kernel) / repeat;
  }
  return 0;
}

static void copy_first_outputs(projector *p) {
  const brink_system *from = p->from;
  brink_system *to = p->to;
  to->first_outputs = brink_arena_pack(p->arena, from->nfirst_outputs, sizeof(brink_action *));
  for (size_t k = 0; k < from->nfirst_outputs && !is_failed(p); k++) {
    const brink_action *action = from->first_outputs[k];
    size_t count = kept_first(p, action);
    if (count > 0) to->first_outputs[to->nfirst_outputs++] = copy_action(p, action, count);
  }
  to->first_outputs_capacity = from->nfirst_outputs;
}

/* ---- all of it ---- */

static void project(projector *p) {
  const brink_system *from = p->from;
  brink_system *to = p->to;
  p->group = take_numbers(p, from->ngroups);
  p->variable = take_numbers(p, from->nvariables);
  p->flag = take_numbers(p, from->nflags);
  p->clock = take_numbers(p, from->nclocks);
  p->guard = take_numbers(p, from->nguards);
  p->k = take_numbers(p, from->nk);
  if (!is_failed(p)) copy_memory(p);
  if (!is_failed(p)) copy_groups(p);
  if (!is_failed(p)) copy_variables(p);
  if (!is_failed(p)) number_flags(p);
  if (!is_failed(p)) copy_equations(p);
  for (size_t f = 0; f < to->nflags && !is_failed(p); f++)
    copy_flag(p, &from->flags[p->made->flag[f]], &to->flags[f]);
  if (!is_failed(p)) copy_clocks(p);
  if (!is_failed(p)) copy_rules(p);
  if (!is_failed(p)) copy_first_outputs(p);
}

brink_status brink_project(const brink_system *from, const size_t *keep,
                           const brink_allocator *allocator, brink_projection *made) {
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  *made = (brink_projection){.system = brink_arena_take(&arena, 1, sizeof *made->system)};
  if (made->system == NULL) {
    brink_arena_free(&arena);
    return BRINK_ERR_MEMORY;
  }
  *made->system = (brink_system){.arena = arena,
                                 .name = from->name,
                                 .strings = from->strings,
                                 .nstrings = from->nstrings,
                                 .t0 = from->t0,
                                 .settings = from->settings,
                                 .nsettings = from->nsettings,
                                 .has_constraints = from->has_constraints,
                                 .constraints_where = from->constraints_where};
  projector p = {.from = from, .keep = keep, .made = made, .to = made->system};
  p.arena = &made->system->arena;
  brink_arena_init(&p.scratch, allocator);
  project(&p);
  bool memory = p.arena->failed || p.scratch.failed;
  brink_arena_free(&p.scratch);
  return memory ? BRINK_ERR_MEMORY : p.outside ? BRINK_ERR_UNSUPPORTED : BRINK_OK;
}

void brink_projection_free(brink_projection *projection) {
  if (projection->system != NULL) {
    brink_arena arena = projection->system->arena;
    brink_arena_free(&arena);
  }
  *projection = (brink_projection){0};
}

uint32_t brink_projection_slot(const brink_projection *projection, brink_space space,
                               uint32_t slot) {
  const brink_system *system = projection->system;
  size_t lo = 0, hi = space == BRINK_SPACE_X      ? system->nx
                      : space == BRINK_SPACE_P    ? system->np
                      : space == BRINK_SPACE_MODE ? system->nmodes
                                                  : system->nv;
  size_t count = hi;
  const uint32_t *slots = projection->slot[space];
  while (lo < hi) {
    size_t middle = lo + (hi - lo) / 2;
    if (slots[middle] < slot)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo < count && slots[lo] == slot ? (uint32_t)lo : BRINK_NO_INDEX;
}
