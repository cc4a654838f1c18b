/* flat.c: flat systems by hand (see flat.h). */
#include "support/flat.h"

#include <stdlib.h>
#include <string.h>

static void *need(void *memory) {
  if (memory == NULL) abort(); /* a test without memory proves nothing */
  return memory;
}

static void *take(brink_system *system, size_t count, size_t size) {
  return need(brink_arena_take(&system->arena, count, size));
}

/* Room for one more. */
#define GROW(system, items, count, capacity)                                                       \
  do {                                                                                             \
    void *grown = (items);                                                                         \
    if (!brink_arena_grow(&(system)->arena, &grown, (count), &(capacity), sizeof *(items)))        \
      abort();                                                                                     \
    (items) = grown;                                                                               \
  } while (0)

brink_system *toy_create(const char *name) {
  brink_system *system = need(calloc(1, sizeof *system));
  brink_arena_init(&system->arena, NULL);
  system->name = name;
  system->rtol_slot = system->atol_slot = BRINK_NO_INDEX;
  GROW(system, system->groups, system->ngroups, system->groups_capacity);
  system->groups[system->ngroups++] = (brink_group){.count = 1, .class_name = name};
  return system;
}

void toy_destroy(brink_system *system) {
  brink_arena_free(&system->arena);
  free(system);
}

uint32_t toy_group(brink_system *system, const char *name, uint32_t count) {
  GROW(system, system->groups, system->ngroups, system->groups_capacity);
  brink_group *group = &system->groups[system->ngroups];
  *group = (brink_group){.nsegments = 1, .count = count, .class_name = name};
  group->segment = take(system, 1, sizeof *group->segment);
  group->dimension = take(system, 1, sizeof *group->dimension);
  group->segment[0] = name;
  group->dimension[0] = count;
  return (uint32_t)system->ngroups++;
}

/* ---- variables ---- */

static uint32_t add_variable(brink_system *system, uint32_t group, const char *name,
                             brink_variable_kind kind, brink_space space, size_t *slots) {
  GROW(system, system->variables, system->nvariables, system->variables_capacity);
  system->variables[system->nvariables] = (brink_variable){.name = name,
                                                           .group = group,
                                                           .kind = kind,
                                                           .space = space,
                                                           .base = (uint32_t)*slots,
                                                           .length = 1};
  *slots += system->groups[group].count;
  return (uint32_t)system->nvariables++;
}

static double *extend(brink_system *system, double *values, size_t from, size_t to, double value) {
  double *more = take(system, to, sizeof *more);
  if (from > 0) memcpy(more, values, from * sizeof *more);
  for (size_t i = from; i < to; i++) more[i] = value;
  return more;
}

uint32_t toy_state(brink_system *system, uint32_t group, const char *name, double start) {
  size_t before = system->nx;
  uint32_t variable =
      add_variable(system, group, name, BRINK_VARIABLE_STATE, BRINK_SPACE_X, &system->nx);
  system->x0 = extend(system, system->x0, before, system->nx, start);
  return variable;
}

static uint32_t add_held(brink_system *system, uint32_t group, const char *name,
                         brink_variable_kind kind, double start) {
  size_t before = system->np;
  uint32_t variable = add_variable(system, group, name, kind, BRINK_SPACE_P, &system->np);
  system->p0 = extend(system, system->p0, before, system->np, start);
  return variable;
}

uint32_t toy_parameter(brink_system *system, uint32_t group, const char *name, double value) {
  return add_held(system, group, name, BRINK_VARIABLE_PARAMETER, value);
}

uint32_t toy_held(brink_system *system, uint32_t group, const char *name, double start) {
  return add_held(system, group, name, BRINK_VARIABLE_STATE, start);
}

uint32_t toy_mode(brink_system *system, uint32_t group, const char *name, int start) {
  size_t before = system->nmodes;
  uint32_t variable =
      add_variable(system, group, name, BRINK_VARIABLE_MODE, BRINK_SPACE_MODE, &system->nmodes);
  system->variables[variable].type = BRINK_VALUE_STRING;
  int *modes = take(system, system->nmodes, sizeof *modes);
  if (before > 0) memcpy(modes, system->mode0, before * sizeof *modes);
  for (size_t i = before; i < system->nmodes; i++) modes[i] = start;
  system->mode0 = modes;
  return variable;
}

uint32_t toy_output(brink_system *system, uint32_t group, const char *name) {
  return add_variable(system, group, name, BRINK_VARIABLE_OUTPUT, BRINK_SPACE_V, &system->nv);
}

void toy_range(brink_system *system, uint32_t variable, double lo, double hi) {
  system->variables[variable].has_range = true;
  system->variables[variable].lo = lo;
  system->variables[variable].hi = hi;
}

double toy_string(brink_system *system, const char *text) {
  for (size_t k = 0; k < system->nstrings; k++) {
    if (strcmp(system->strings[k], text) == 0) return (double)k;
  }
  GROW(system, system->strings, system->nstrings, system->strings_capacity);
  system->strings[system->nstrings] = text;
  return (double)system->nstrings++;
}

/* ---- kernels ---- */

static void init_kernel(brink_system *system, brink_kernel *kernel, uint32_t group,
                        const char *name) {
  *kernel = (brink_kernel){.name = name, .where = "by hand", .count = system->groups[group].count};
  brink_graph_init(&kernel->graph, &system->arena, kernel->count);
}

brink_kernel *toy_kernel(brink_system *system, uint32_t group, const char *name) {
  brink_kernel *kernel = take(system, 1, sizeof *kernel);
  init_kernel(system, kernel, group, name);
  return kernel;
}

static brink_ref ref_to(const brink_system *system, uint32_t variable, brink_space space) {
  const brink_variable *v = &system->variables[variable];
  return (brink_ref){.space = space,
                     .base = v->base,
                     .stride = system->groups[v->group].count > 1 ? (int32_t)v->length : 0};
}

brink_node toy_get_as(brink_system *system, brink_kernel *kernel, uint32_t variable,
                      brink_space space) {
  return brink_graph_ref(&kernel->graph, ref_to(system, variable, space));
}

brink_node toy_get(brink_system *system, brink_kernel *kernel, uint32_t variable) {
  return toy_get_as(system, kernel, variable, system->variables[variable].space);
}

brink_node toy_sign(brink_system *system, brink_kernel *kernel, uint32_t flag) {
  const brink_flag *f = &system->flags[flag];
  brink_ref ref = {.space = BRINK_SPACE_SIGN, .base = f->guard[0], .stride = f->count > 1};
  return brink_graph_ref(&kernel->graph, ref);
}

brink_node toy_number(brink_kernel *kernel, double value) {
  return brink_graph_constant(&kernel->graph, value);
}

brink_node toy_op(brink_kernel *kernel, brink_op op, brink_node a, brink_node b) {
  return brink_graph_op2(&kernel->graph, op, a, b);
}

brink_node toy_apply(brink_kernel *kernel, brink_op op, brink_node a) {
  return brink_graph_op1(&kernel->graph, op, a);
}

static void add_output(brink_kernel *kernel, brink_ref target, brink_node node, brink_node when,
                       uint32_t variable) {
  void *outputs = kernel->outputs;
  if (!brink_arena_grow(kernel->graph.arena, &outputs, kernel->noutputs, &kernel->outputs_capacity,
                        sizeof *kernel->outputs))
    abort();
  kernel->outputs = outputs;
  kernel->outputs[kernel->noutputs++] =
      (brink_output){.target = target, .node = node, .when = when, .variable = variable};
}

void toy_derivative(brink_system *system, brink_kernel *kernel, uint32_t variable,
                    brink_node node) {
  add_output(kernel, ref_to(system, variable, BRINK_SPACE_DX), node, BRINK_NO_NODE, variable);
}

void toy_assign(brink_system *system, brink_kernel *kernel, uint32_t variable, brink_node node,
                brink_node when) {
  add_output(kernel, ref_to(system, variable, system->variables[variable].space), node, when,
             variable);
}

void toy_result(brink_kernel *kernel, brink_node node) {
  add_output(kernel, (brink_ref){.space = BRINK_SPACE_OUT}, node, BRINK_NO_NODE, BRINK_NO_NODE);
}

static void append(brink_system *system, brink_program *program, brink_kernel *kernel) {
  brink_kernel **kernels = take(system, program->nkernels + 1, sizeof *kernels);
  if (program->nkernels > 0)
    memcpy(kernels, program->kernels, program->nkernels * sizeof(brink_kernel *));
  kernels[program->nkernels++] = kernel;
  program->kernels = kernels;
}

void toy_equation(brink_system *system, brink_kernel *kernel, bool needed_by_rhs) {
  GROW(system, system->equations, system->nequations, system->equations_capacity);
  system->equations[system->nequations++] = kernel;
  append(system, &system->all, kernel);
  if (needed_by_rhs) append(system, &system->rhs, kernel);
}

/* ---- flags ---- */

uint32_t toy_flag(brink_system *system, uint32_t group, const char *name, brink_kernel *value,
                  brink_side side, brink_direction direction) {
  GROW(system, system->flags, system->nflags, system->flags_capacity);
  brink_flag *flag = &system->flags[system->nflags];
  *flag = (brink_flag){.kind = side == BRINK_LEAF ? BRINK_FLAG_LEAF : BRINK_FLAG_DECLARED,
                       .name = name,
                       .where = "by hand",
                       .group = group,
                       .count = system->groups[group].count,
                       .side = side,
                       .direction = direction,
                       .value = value,
                       .leave_positive = BRINK_NO_INDEX,
                       .leave_negative = BRINK_NO_INDEX,
                       .variable = BRINK_NO_INDEX};
  flag->guard = take(system, flag->count, sizeof *flag->guard);
  for (size_t i = 0; i < flag->count; i++) flag->guard[i] = (uint32_t)system->nguards++;
  return (uint32_t)system->nflags++;
}

void toy_formula(brink_system *system, uint32_t flag, const int32_t *formula, size_t length) {
  system->flags[flag].formula =
      need(brink_arena_copy(&system->arena, formula, length, sizeof *formula));
  system->flags[flag].formula_length = length;
}

void toy_range_flag(brink_system *system, uint32_t variable, bool upper) {
  const brink_variable *v = &system->variables[variable];
  uint32_t group = v->group;
  brink_kernel *value = toy_kernel(system, group, v->name);
  brink_node x = toy_get(system, value, variable);
  brink_node bound = toy_number(value, upper ? v->hi + 1e-9 : v->lo - 1e-9);
  toy_result(value, toy_op(value, BRINK_OP_SUB, upper ? bound : x, upper ? x : bound));
  uint32_t flag = toy_flag(system, group, v->name, value, BRINK_BILATERAL, BRINK_NEGATIVE);
  system->flags[flag].kind = BRINK_FLAG_RANGE;
  system->flags[flag].variable = variable;
  system->flags[flag].upper = upper;
}

/* ---- what happens ---- */

brink_action *toy_action(brink_system *system, uint32_t group, const char *name) {
  brink_action *action = take(system, 1, sizeof *action);
  action->count = system->groups[group].count;
  GROW(system, action->kernels, action->nkernels, action->kernels_capacity);
  action->kernels[action->nkernels++] = toy_kernel(system, group, name);
  return action;
}

void toy_effect(brink_system *system, brink_action *action, int kind, brink_node when,
                const char *text, size_t nargs, const brink_node *args) {
  GROW(system, action->effects, action->neffects, action->effects_capacity);
  brink_effect *effect = &action->effects[action->neffects++];
  *effect = (brink_effect){.kind = kind, .when = when, .text = text, .nargs = nargs};
  effect->args = need(brink_arena_copy(&system->arena, args, nargs, sizeof *args));
  effect->arg_types = take(system, nargs, sizeof *effect->arg_types);
}

uint32_t toy_clock(brink_system *system, const char *name, double period, double offset,
                   int priority, brink_action *action) {
  GROW(system, system->clocks, system->nclocks, system->clocks_capacity);
  system->clocks[system->nclocks] = (brink_sampled){.name = name,
                                                    .period = period,
                                                    .offset = offset,
                                                    .priority = priority,
                                                    .action = action,
                                                    .count = action != NULL ? action->count : 0};
  return (uint32_t)system->nclocks++;
}

uint32_t toy_rule_clock(brink_system *system, const char *name, double period) {
  uint32_t clock = toy_clock(system, name, period, 0.0, 0, NULL);
  system->clocks[clock].rules = true;
  return clock;
}

void toy_rule(brink_system *system, uint32_t group, const char *name, uint32_t flag, uint32_t clock,
              brink_kernel *condition, brink_action *body) {
  uint32_t was = toy_mode(system, group, "was", 0);
  system->variables[was].kind = BRINK_VARIABLE_HIDDEN;
  GROW(system, system->rules, system->nrules, system->rules_capacity);
  system->rules[system->nrules++] = (brink_rule){.name = name,
                                                 .where = "by hand",
                                                 .group = group,
                                                 .count = system->groups[group].count,
                                                 .flag = flag,
                                                 .clock = clock,
                                                 .condition = condition,
                                                 .was = system->variables[was].base,
                                                 .body = body};
}

void toy_first_output(brink_system *system, brink_action *action) {
  GROW(system, system->first_outputs, system->nfirst_outputs, system->first_outputs_capacity);
  system->first_outputs[system->nfirst_outputs++] = action;
}

/* ---- what many tests need ---- */

uint32_t toy_ramp(brink_system *system, const char *name, double from, double rate) {
  uint32_t x = toy_state(system, 0, name, from);
  brink_kernel *kernel = toy_kernel(system, 0, name);
  toy_derivative(system, kernel, x, toy_number(kernel, rate));
  toy_equation(system, kernel, true);
  return x;
}

uint32_t toy_level(brink_system *system, uint32_t variable, const char *name, double level,
                   double sign, brink_direction direction) {
  uint32_t group = system->variables[variable].group;
  brink_kernel *k = toy_kernel(system, group, name);
  brink_node x = toy_get(system, k, variable), c = toy_number(k, level);
  toy_result(k, toy_op(k, BRINK_OP_SUB, sign > 0.0 ? x : c, sign > 0.0 ? c : x));
  return toy_flag(system, group, name, k, BRINK_BILATERAL, direction);
}
