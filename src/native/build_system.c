/* build_system.c: a description becomes a flat system (see builder.h).
 *
 * Problem: the builder has one graph of everything. The flat system wants one equation for each state,
 * and gathers equations into kernels of a size that compilers like; what two kernels have in common
 * would be computed twice.
 * Method: every node belongs to the one equation that needs it. A node that two equations need becomes
 * an equation of its own, of a variable that both read. Nodes are visited from the last to the first,
 * so that all who need a node are known before it is: one pass, linear in the size of the graph. (In
 * terms of compilers: a node goes to its immediate dominator among the shared ones.) Where equations
 * end up in one kernel after all, the scheduler makes nodes of such variables again.
 *
 * Guards are evaluated by themselves: each has a copy of what it needs. */
#include <string.h>

#include "native/builder.h"

static brink_status no_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the equations");
}

/* ---- checks of the whole ---- */

static brink_status check_states(const brink_builder *builder, brink_diag *diag) {
  for (size_t i = 0; i < builder->states.count; i++) {
    const builder_variable *state = &builder->states.items[i];
    if (state->derivative != BRINK_NO_NODE) continue;
    brink_status status = brink_diag_set(
        diag, BRINK_ERR_ARGUMENT,
        "state '%s' has no derivative: give one with brink_builder_derivative", state->name);
    if (diag != NULL) diag->state = i;
    return status;
  }
  return BRINK_OK;
}

static brink_status check_guard(const brink_builder *builder, const brink_guard_def *def,
                                bool formula, brink_diag *diag) {
  size_t leave[] = {def->leave_positive, def->leave_negative}, count = builder->nguards;
  for (int side = 0; def->surface == BRINK_SURFACE_MODEL && side < 2; side++) {
    if (leave[side] != BRINK_NONE && leave[side] >= count)
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "guard '%s' is left when guard %zu becomes positive, but there are %zu",
                            def->name, leave[side], count);
  }
  for (size_t k = 0; formula && k < def->formula_length; k++) {
    int leaf = def->formula[k];
    if (leaf == BRINK_AND || leaf == BRINK_OR || leaf == BRINK_NOT) continue;
    if (leaf < 0 || (size_t)leaf >= count)
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "the formula of guard '%s' names guard %d, but there are %zu",
                            def->name, leaf, count);
  }
  return BRINK_OK;
}

static brink_status check(const brink_builder *builder, brink_diag *diag) {
  brink_status status = check_states(builder, diag);
  for (size_t g = 0; status == BRINK_OK && g < builder->nguards; g++) {
    const builder_guard *guard = &builder->guards[g];
    status = check_guard(builder, &guard->def, guard->value == BRINK_NO_NODE, diag);
    if (status != BRINK_OK && diag != NULL) diag->guard = g;
  }
  return status;
}

/* ---- variables ---- */

/* Parameters are held variables, not parameters: those of the flat system never change, and guards are
 * made numbers with them. */
static bool write_variables(const brink_builder *builder, brink_system *system) {
  const builder_list *lists[] = {&builder->states, &builder->parameters, &builder->modes};
  static const brink_space spaces[] = {BRINK_SPACE_X, BRINK_SPACE_P, BRINK_SPACE_MODE};
  size_t count = builder->states.count + builder->parameters.count + builder->modes.count;
  system->variables = brink_arena_take(&system->arena, count, sizeof *system->variables);
  if (system->variables == NULL) return false;
  for (int l = 0; l < 3; l++) {
    for (size_t i = 0; i < lists[l]->count; i++) {
      brink_variable *variable = &system->variables[system->nvariables++];
      bool mode = spaces[l] == BRINK_SPACE_MODE;
      *variable =
          (brink_variable){.name = brink_arena_text(&system->arena, lists[l]->items[i].name),
                           .kind = mode ? BRINK_VARIABLE_MODE : BRINK_VARIABLE_STATE,
                           .type = mode ? BRINK_VALUE_INTEGER : BRINK_VALUE_REAL,
                           .space = spaces[l],
                           .base = (uint32_t)i,
                           .length = 1};
      if (variable->name == NULL) return false;
    }
  }
  return true;
}

static bool write_starts(const brink_builder *builder, brink_system *system) {
  system->nx = builder->states.count;
  system->np = builder->parameters.count;
  system->nmodes = builder->modes.count;
  system->x0 = brink_arena_take(&system->arena, system->nx, sizeof *system->x0);
  system->p0 = brink_arena_take(&system->arena, system->np, sizeof *system->p0);
  system->mode0 = brink_arena_take(&system->arena, system->nmodes, sizeof *system->mode0);
  if (system->x0 == NULL || system->p0 == NULL || system->mode0 == NULL) return false;
  for (size_t i = 0; i < system->nx; i++) system->x0[i] = builder->states.items[i].start;
  for (size_t i = 0; i < system->np; i++) system->p0[i] = builder->parameters.items[i].start;
  for (size_t i = 0; i < system->nmodes; i++) system->mode0[i] = (int)builder->modes.items[i].start;
  return true;
}

/* One group: the top, with an empty path. */
static bool write_top(const brink_builder *builder, brink_system *system) {
  system->name = brink_arena_text(&system->arena, builder->name);
  system->groups = brink_arena_take(&system->arena, 1, sizeof *system->groups);
  if (system->name == NULL || system->groups == NULL) return false;
  system->groups[0] = (brink_group){.count = 1, .class_name = system->name};
  system->ngroups = 1;
  system->rtol_slot = system->atol_slot = BRINK_NO_INDEX;
  return write_variables(builder, system) && write_starts(builder, system);
}

/* ---- equations ---- */

/* Marks of nodes whose equation is not decided. */
#define UNUSED UINT32_MAX
#define SHARED (UINT32_MAX - 1)

/* Equation i < nx is the derivative of state i, those from nx on are shared nodes. */
typedef struct partition {
  const brink_graph *from;
  brink_system *to;
  uint32_t *owner;       /* of each node: its equation */
  brink_node *image;     /* of each node: in the graph of its equation */
  uint32_t *roots;       /* of the shared equations: the node */
  brink_kernel *kernels; /* of all equations */
  size_t nshared;
} partition;

static bool is_leaf(const brink_graph *graph, brink_node node) {
  return brink_op_operands((brink_op)graph->nodes[node].op) == 0;
}

/* Equation e needs the node. Leaves are cheap: whoever needs one has it. */
static void claim(partition *p, brink_node node, uint32_t e) {
  if (is_leaf(p->from, node)) return;
  if (p->owner[node] == UNUSED)
    p->owner[node] = e;
  else if (p->owner[node] != e)
    p->owner[node] = SHARED;
}

static void find_owners(partition *p, const builder_list *states) {
  const brink_graph *graph = p->from;
  for (size_t i = 0; i < graph->nnodes; i++) p->owner[i] = UNUSED;
  for (size_t i = 0; i < states->count; i++) claim(p, states->items[i].derivative, (uint32_t)i);
  for (size_t i = graph->nnodes; i-- > 0;) {
    if (p->owner[i] == UNUSED) continue;
    if (p->owner[i] == SHARED) {
      p->owner[i] = (uint32_t)(states->count + p->nshared);
      p->roots[p->nshared++] = (uint32_t)i;
    }
    const brink_expr_node *node = &graph->nodes[i];
    int operands = brink_op_operands((brink_op)node->op);
    if (operands > 0) claim(p, node->a, p->owner[i]);
    if (operands > 1) claim(p, node->b, p->owner[i]);
    if (operands > 2) claim(p, node->c, p->owner[i]);
  }
}

/* A node as equation e sees it. */
static brink_node seen_by(const partition *p, uint32_t e, brink_node node) {
  brink_graph *to = &p->kernels[e].graph;
  const brink_expr_node *n = &p->from->nodes[node];
  if (n->op == BRINK_OP_CONST) return brink_graph_constant(to, n->value);
  if (n->op == BRINK_OP_TIME) return brink_graph_time(to);
  if (n->op == BRINK_OP_REF) return brink_graph_ref(to, p->from->refs[n->a]);
  if (p->owner[node] == e) return p->image[node];
  uint32_t slot = p->owner[node] - (uint32_t)p->to->nx;
  return brink_graph_ref(to, (brink_ref){.space = BRINK_SPACE_V, .base = slot});
}

static bool copy_nodes(const partition *p) {
  for (size_t i = 0; i < p->from->nnodes; i++) {
    uint32_t e = p->owner[i];
    if (e == UNUSED) continue;
    const brink_expr_node *n = &p->from->nodes[i];
    int operands = brink_op_operands((brink_op)n->op);
    brink_node a = seen_by(p, e, n->a), b = 0, c = 0;
    if (operands > 1) b = seen_by(p, e, n->b);
    if (operands > 2) c = seen_by(p, e, n->c);
    p->image[i] = brink_graph_op(&p->kernels[e].graph, (brink_op)n->op, a, b, c);
    if (p->image[i] == BRINK_NO_NODE) return false;
  }
  return true;
}

static void init_kernel(brink_system *system, brink_kernel *kernel, const char *name) {
  *kernel = (brink_kernel){.name = name, .where = system->name, .count = 1};
  brink_graph_init(&kernel->graph, &system->arena, 1);
}

static bool set_output(brink_system *system, brink_kernel *kernel, brink_space space, size_t slot,
                       brink_node node, uint32_t variable) {
  if (node == BRINK_NO_NODE || kernel->graph.failed) return false;
  kernel->outputs = brink_arena_pack(&system->arena, 1, sizeof *kernel->outputs);
  if (kernel->outputs == NULL) return false;
  kernel->noutputs = kernel->outputs_capacity = 1;
  kernel->outputs[0] = (brink_output){.target = {.space = space, .base = (uint32_t)slot},
                                      .node = node,
                                      .when = BRINK_NO_NODE,
                                      .variable = variable};
  return true;
}

static bool set_outputs(const partition *p, const builder_list *states) {
  brink_system *system = p->to;
  for (size_t i = 0; i < system->nx; i++) {
    brink_node node = seen_by(p, (uint32_t)i, states->items[i].derivative);
    if (!set_output(system, &p->kernels[i], BRINK_SPACE_DX, i, node, (uint32_t)i)) return false;
  }
  for (size_t k = 0; k < p->nshared; k++) {
    brink_node node = p->image[p->roots[k]];
    if (!set_output(system, &p->kernels[system->nx + k], BRINK_SPACE_V, k, node, BRINK_NO_INDEX))
      return false;
  }
  return true;
}

static bool take_kernels(partition *p) {
  brink_system *system = p->to;
  size_t count = system->nx + p->nshared;
  p->kernels = brink_arena_take(&system->arena, count, sizeof *p->kernels);
  system->equations = brink_arena_take(&system->arena, count, sizeof *system->equations);
  if (p->kernels == NULL || system->equations == NULL) return false;
  for (size_t e = 0; e < count; e++) {
    init_kernel(system, &p->kernels[e],
                e < system->nx ? system->variables[e].name : "a shared expression");
    system->equations[e] = &p->kernels[e];
  }
  system->nequations = system->equations_capacity = count;
  system->nv = p->nshared;
  return true;
}

static bool write_equations(const brink_builder *builder, brink_system *system) {
  brink_arena scratch;
  brink_arena_init(&scratch, &system->arena.allocator);
  size_t nnodes = builder->graph.nnodes;
  partition p = {.from = &builder->graph,
                 .to = system,
                 .owner = brink_arena_pack(&scratch, nnodes, sizeof(uint32_t)),
                 .image = brink_arena_pack(&scratch, nnodes, sizeof(brink_node)),
                 .roots = brink_arena_pack(&scratch, nnodes, sizeof(uint32_t))};
  bool ok = p.owner != NULL && p.image != NULL && p.roots != NULL;
  if (ok) find_owners(&p, &builder->states);
  ok = ok && take_kernels(&p) && copy_nodes(&p) && set_outputs(&p, &builder->states);
  brink_arena_free(&scratch);
  return ok;
}

/* ---- guards ---- */

static uint32_t leave_flag(const brink_guard_def *def, size_t guard) {
  bool asked = def->surface == BRINK_SURFACE_MODEL && guard != BRINK_NONE;
  return asked ? (uint32_t)guard : BRINK_NO_INDEX;
}

static bool write_value(const brink_builder *builder, brink_system *system,
                        const builder_guard *guard, brink_flag *flag) {
  if (guard->value == BRINK_NO_NODE) {
    flag->formula_length = guard->def.formula_length;
    flag->formula = brink_arena_take(&system->arena, flag->formula_length, sizeof *flag->formula);
    for (size_t k = 0; flag->formula != NULL && k < flag->formula_length; k++)
      flag->formula[k] = guard->def.formula[k]; /* flags are numbered as guards are */
    return flag->formula != NULL;
  }
  flag->value = brink_arena_pack(&system->arena, 1, sizeof *flag->value);
  if (flag->value == NULL) return false;
  init_kernel(system, flag->value, flag->name);
  brink_node node =
      brink_graph_copy(&flag->value->graph, &builder->graph, guard->value, NULL, NULL);
  return set_output(system, flag->value, BRINK_SPACE_OUT, 0, node, BRINK_NO_INDEX);
}

static bool write_guard(const brink_builder *builder, brink_system *system, size_t g) {
  const builder_guard *guard = &builder->guards[g];
  const brink_guard_def *def = &guard->def;
  brink_flag *flag = &system->flags[g];
  *flag = (brink_flag){.kind = def->side == BRINK_LEAF ? BRINK_FLAG_LEAF : BRINK_FLAG_DECLARED,
                       .name = brink_arena_text(&system->arena, def->name),
                       .where = system->name,
                       .per_instance = 1,
                       .count = 1,
                       .guard = brink_arena_pack(&system->arena, 1, sizeof *flag->guard),
                       .side = def->side,
                       .direction = def->direction,
                       .priority = def->priority,
                       .inside = def->inside,
                       .surface = def->surface,
                       .leave_positive = leave_flag(def, def->leave_positive),
                       .leave_negative = leave_flag(def, def->leave_negative),
                       .variable = BRINK_NO_INDEX};
  if (flag->name == NULL || flag->guard == NULL) return false;
  flag->guard[0] = (uint32_t)g;
  return write_value(builder, system, guard, flag);
}

static bool write_guards(const brink_builder *builder, brink_system *system) {
  size_t count = builder->nguards;
  system->flags = brink_arena_take(&system->arena, count, sizeof *system->flags);
  if (system->flags == NULL) return false;
  system->nflags = system->nguards = system->flags_capacity = count;
  for (size_t g = 0; g < count; g++) {
    if (!write_guard(builder, system, g)) return false;
  }
  return true;
}

/* ---- the whole ---- */

/* Expressions cannot depend on themselves, so that only memory can be missing in the end. */
static bool finish(brink_system *system) {
  brink_text path = {.allocator = system->arena.allocator};
  size_t equation = 0;
  bool ok = brink_system_finish(system, &path, &equation);
  brink_text_free(&path);
  return ok;
}

brink_status brink_builder_write(const brink_builder *builder, brink_system *system,
                                 brink_diag *diag) {
  brink_status status = check(builder, diag);
  if (status != BRINK_OK) return status;
  bool ok = write_top(builder, system) && write_equations(builder, system) &&
            write_guards(builder, system) && finish(system);
  return ok ? BRINK_OK : no_memory(diag);
}
