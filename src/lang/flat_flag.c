/* flat_flag.c: flags, declared or made by the compiler, and the boolean formulas of them. */
#include <stdio.h>
#include <string.h>

#include "lang/flat.h"

/* A leaf of a formula that is no relation, but true or false for a while, is far from zero. */
#define FLAT_FAR 1e300

const char *flat_place_name(flat *f, brink_place place) {
  char text[40];
  snprintf(text, sizeof text, "@%u:%u", place.line, place.column);
  char *name = brink_arena_text(f->arena, text);
  if (name == NULL) flat_out_of_memory(f);
  return name != NULL ? name : "";
}

/* Several flags of one place (max of three, both sides of floor) are distinguished by a number: "@7:12", "@7:12.2". */
static const char *name_among(flat *f, const flat_group *group, const char *name) {
  size_t same = 1, length = strlen(name);
  for (size_t k = 0; k < f->system->nflags; k++) {
    const brink_flag *flag = &f->system->flags[k];
    bool begins = flag->group == group->id && strncmp(flag->name, name, length) == 0;
    if (begins && (flag->name[length] == '\0' || flag->name[length] == '.')) same++;
  }
  if (same == 1) return name;
  char text[64];
  snprintf(text, sizeof text, "%s.%zu", name, same);
  char *made = brink_arena_text(f->arena, text);
  if (made == NULL) flat_out_of_memory(f);
  return made != NULL ? made : name;
}

/* The partner of each instance of a flag: several of a pair where it is a vector. */
static uint32_t *partners(flat *f, flat_group *group, int side, size_t count) {
  size_t each = group->count > 0 ? count / group->count : 1;
  if (each <= 1) return group->partner[side];
  uint32_t *list = flat_take(f, count, sizeof *list);
  for (size_t i = 0; list != NULL && i < count; i++) list[i] = group->partner[side][i / each];
  return list;
}

uint32_t flat_add_flag(flat *f, flat_group *group, brink_flag_kind kind, const char *name,
                       brink_place place, size_t count) {
  brink_system *system = f->system;
  if (kind == BRINK_FLAG_GENERATED || kind == BRINK_FLAG_LEAVE) name = name_among(f, group, name);
  brink_flag *flag = flat_push(f, system->flags, system->nflags, system->flags_capacity);
  if (flag == NULL) return BRINK_NO_INDEX;
  *flag = (brink_flag){.kind = kind,
                       .name = name,
                       .where = flat_where(f, place),
                       .place = place,
                       .group = group->id,
                       .count = count,
                       .per_instance = group->count > 0 ? count / group->count : 1,
                       .leave_positive = BRINK_NO_INDEX,
                       .leave_negative = BRINK_NO_INDEX,
                       .variable = BRINK_NO_INDEX};
  if (group->pair != NULL) {
    flag->is_pair = true;
    for (int k = 0; k < 2; k++) {
      flag->partner_group[k] = group->partner_group[k]->id;
      flag->partner[k] = partners(f, group, k, count);
    }
  }
  return (uint32_t)system->nflags - 1;
}

bool flat_number_guards(flat *f, uint32_t flag) {
  brink_flag *made = &f->system->flags[flag];
  made->guard = flat_take(f, made->count, sizeof *made->guard);
  if (made->guard == NULL || f->system->nguards + made->count > UINT32_MAX / 4) {
    flat_out_of_memory(f);
    return false;
  }
  for (size_t i = 0; i < made->count; i++) made->guard[i] = (uint32_t)f->system->nguards++;
  return true;
}

/* A kernel of its own that computes one node of c's graph, in all iterations. */
brink_kernel *flat_extract(flat_context *c, brink_place place, brink_node node) {
  brink_kernel *kernel = flat_kernel(c->f, c->kernel->name, place, c->kernel->count);
  if (kernel == NULL) return NULL;
  brink_node copy = brink_graph_copy(&kernel->graph, c->graph, node, NULL, NULL);
  brink_ref out = {.space = BRINK_SPACE_OUT};
  if (kernel->graph.failed ||
      !flat_add_output(c->f, kernel, out, copy, BRINK_NO_NODE, BRINK_NO_INDEX)) {
    flat_out_of_memory(c->f);
    return NULL;
  }
  return kernel;
}

enum { FLAG_TEXT = 48 }; /* bytes: a line of the terminal has room for it */

/* "gap < -b": what a flag that the compiler makes is of. NULL: nothing that is written down. */
static const char *written(flat *f) {
  if (f->present == NULL) return NULL;
  brink_text text = {0};
  brink_expr_text(f->present, FLAG_TEXT, &text);
  const char *kept = text.length > 0 ? brink_arena_text(f->arena, text.data) : NULL;
  if (text.failed || (text.length > 0 && kept == NULL)) flat_out_of_memory(f);
  brink_text_free(&text);
  return kept;
}

uint32_t flat_new_flag(flat_context *c, brink_flag_kind kind, const char *name, brink_place place,
                       brink_node value) {
  if (value == BRINK_NO_NODE || c->f->failed) return BRINK_NO_INDEX;
  brink_kernel *kernel = flat_extract(c, place, value), *enabled = NULL;
  bool conditional = c->active != BRINK_NO_NODE && !flat_varies(c, c->active);
  if (kernel != NULL && conditional) enabled = flat_extract(c, place, c->active);
  if (c->f->failed) return BRINK_NO_INDEX;
  uint32_t flag = flat_add_flag(c->f, c->group, kind, name, place, c->kernel->count);
  if (flag == BRINK_NO_INDEX || !flat_number_guards(c->f, flag)) return BRINK_NO_INDEX;
  brink_flag *made = &c->f->system->flags[flag];
  made->value = kernel;
  made->enabled = enabled;
  if (kind == BRINK_FLAG_GENERATED) made->text = written(c->f);
  return flag;
}

brink_node flat_sign(flat_context *c, uint32_t flag) {
  if (flag == BRINK_NO_INDEX) return BRINK_NO_NODE;
  const brink_flag *made = &c->f->system->flags[flag];
  brink_ref ref = {
      .space = BRINK_SPACE_SIGN, .base = made->guard[0], .stride = made->count > 1 ? 1 : 0};
  return brink_graph_ref(c->graph, ref);
}

/* A flag is watched wherever its sign is read: in this branch, too. */
static void watch_here(flat_context *c, brink_place place, struct flat_made *made) {
  if (made->active == BRINK_NO_NODE || made->active == c->active) return;
  brink_flag *flag = &c->f->system->flags[made->flag];
  flag->enabled = NULL;
  if (c->active == BRINK_NO_NODE || flat_varies(c, c->active)) {
    made->active = BRINK_NO_NODE;
    return;
  }
  made->active = brink_graph_op2(c->graph, BRINK_OP_OR, made->active, c->active);
  flag->enabled = flat_extract(c, place, made->active);
}

brink_node flat_locked(flat_context *c, brink_place place, brink_node value) {
  flat_shared *shared = c->shared;
  if (value == BRINK_NO_NODE) return BRINK_NO_NODE;
  for (size_t k = 0; k < shared->nmade; k++) {
    if (shared->made[k].node != value) continue;
    watch_here(c, place, &shared->made[k]);
    return flat_sign(c, shared->made[k].flag);
  }
  uint32_t flag =
      flat_new_flag(c, BRINK_FLAG_GENERATED, flat_place_name(c->f, place), place, value);
  if (flag == BRINK_NO_INDEX) return BRINK_NO_NODE;
  struct flat_made *made = flat_note(
      c->f, brink_arena_push(&c->f->scratch, shared->made, shared->nmade, shared->made_capacity));
  if (made == NULL) return BRINK_NO_NODE;
  bool always = c->f->system->flags[flag].enabled == NULL;
  *made = (struct flat_made){value, flag, always ? BRINK_NO_NODE : c->active};
  return flat_sign(c, flag);
}

/* ---- floor ---- */

brink_action *flat_new_action(flat *f, size_t count) {
  brink_action *action = flat_take(f, 1, sizeof *action);
  if (action == NULL) return NULL;
  action->count = count;
  return action;
}

brink_kernel *flat_action_kernel(flat *f, brink_action *action, const char *name, brink_place place,
                                 size_t count) {
  brink_kernel *kernel = flat_kernel(f, name, place, count);
  if (kernel == NULL) return NULL;
  brink_kernel **added = flat_push(f, action->kernels, action->nkernels, action->kernels_capacity);
  if (added == NULL) return NULL;
  *added = kernel;
  return kernel;
}

bool flat_first_output(flat *f, brink_action *action) {
  brink_system *system = f->system;
  brink_action **first =
      flat_push(f, system->first_outputs, system->nfirst_outputs, system->first_outputs_capacity);
  if (first != NULL) *first = action;
  return first != NULL;
}

/* held := node, for each iteration of c. */
static brink_action *hold(flat_context *c, brink_place place, brink_ref held, brink_node node) {
  brink_action *action = flat_new_action(c->f, c->kernel->count);
  if (action == NULL) return NULL;
  brink_kernel *kernel = flat_action_kernel(c->f, action, "floor", place, action->count);
  if (kernel == NULL) return NULL;
  brink_node copy = brink_graph_copy(&kernel->graph, c->graph, node, NULL, NULL);
  if (!flat_add_output(c->f, kernel, held, copy, BRINK_NO_NODE, BRINK_NO_INDEX)) return NULL;
  return action;
}

brink_node flat_moved_number(flat_context *c, brink_node n, flat_mover up, flat_mover down) {
  brink_graph *g = c->graph;
  brink_flag *flags = c->f->system->flags;
  flags[up.flag].direction = BRINK_POSITIVE;
  flags[up.flag].inside = -1;
  flags[up.flag].positive = up.action;
  flags[down.flag].direction = BRINK_NEGATIVE;
  flags[down.flag].inside = 1;
  flags[down.flag].negative = down.action;
  brink_node zero = brink_graph_constant(g, 0.0);
  brink_node more = brink_graph_op2(g, BRINK_OP_LT, zero, flat_sign(c, up.flag));
  brink_node less = brink_graph_op2(g, BRINK_OP_LT, flat_sign(c, down.flag), zero);
  return brink_graph_op2(g, BRINK_OP_SUB, brink_graph_op2(g, BRINK_OP_ADD, n, more), less);
}

/* The whole number n below u is held; u leaves [n, n + 1) at located events. At the very surface, the
 * locked signs give the side that u is on:  floor(u) = n + (u > n+1) - (u < n). */
brink_node flat_locked_floor(flat_context *c, brink_place place, brink_node u) {
  flat *f = c->f;
  brink_graph *g = c->graph;
  size_t count = c->kernel->count;
  uint32_t base = flat_hidden(f, c->group, "floor", BRINK_SPACE_P, count, 0.0);
  if (base == BRINK_NO_INDEX || u == BRINK_NO_NODE) return BRINK_NO_NODE;
  brink_ref held = {.space = BRINK_SPACE_P, .base = base, .stride = count > 1 ? 1 : 0};
  brink_node n = brink_graph_ref(g, held), one = brink_graph_constant(g, 1.0);
  brink_node above = brink_graph_op2(g, BRINK_OP_ADD, n, one);
  brink_node below = brink_graph_op2(g, BRINK_OP_SUB, n, one);
  brink_node whole = brink_graph_op1(g, BRINK_OP_FLOOR, u);
  const char *name = flat_place_name(f, place);
  uint32_t up = flat_new_flag(c, BRINK_FLAG_GENERATED, name, place,
                              brink_graph_op2(g, BRINK_OP_SUB, u, above));
  uint32_t down =
      flat_new_flag(c, BRINK_FLAG_GENERATED, name, place, brink_graph_op2(g, BRINK_OP_SUB, u, n));
  if (up == BRINK_NO_INDEX || down == BRINK_NO_INDEX) return BRINK_NO_NODE;
  brink_action *rise = hold(c, place, held, brink_graph_op2(g, BRINK_OP_MAX, above, whole));
  brink_action *fall = hold(c, place, held, brink_graph_op2(g, BRINK_OP_MIN, below, whole));
  brink_action *start = hold(c, place, held, whole);
  if (rise == NULL || fall == NULL || start == NULL || !flat_first_output(f, start)) {
    flat_out_of_memory(f);
    return BRINK_NO_NODE;
  }
  return flat_moved_number(c, n, (flat_mover){up, rise}, (flat_mover){down, fall});
}

/* ---- formulas ---- */

typedef struct formula {
  flat_context *c;
  const char *name;
  bool one_sided; /* unilateral: the edge of a domain by itself */
  int32_t *ops;
  size_t nops, capacity;
} formula;

static bool put(formula *made, int32_t op) {
  int32_t *last = flat_push(made->c->f, made->ops, made->nops, made->capacity);
  if (last != NULL) *last = op;
  return last != NULL;
}

static bool put_leaf(formula *made, brink_place place, brink_node value, int at_zero) {
  uint32_t flag = flat_new_flag(made->c, BRINK_FLAG_LEAF, made->name, place, value);
  if (flag == BRINK_NO_INDEX) return false;
  made->c->f->system->flags[flag].side = BRINK_LEAF;
  made->c->f->system->flags[flag].at_zero = at_zero;
  return put(made, (int32_t)flag);
}

brink_node flat_far(flat_context *c, brink_node condition) {
  return brink_graph_select(c->graph, condition, brink_graph_constant(c->graph, FLAT_FAR),
                            brink_graph_constant(c->graph, -FLAT_FAR));
}

/* A relation of quantities that vary is a leaf by its difference; anything else is true or false
 * until the next instant. */
static bool leaf(formula *made, const brink_ast_expr *expr) {
  flat_context *c = made->c;
  brink_graph *g = c->graph;
  bool less = expr->op == BRINK_AST_LT || expr->op == BRINK_AST_LE;
  bool more = expr->op == BRINK_AST_GT || expr->op == BRINK_AST_GE;
  if (less || more) {
    brink_node a = flat_expr(c, expr->arg[0]), b = flat_expr(c, expr->arg[1]);
    if (flat_varies(c, a) || flat_varies(c, b))
      return put_leaf(made, expr->place,
                      brink_graph_op2(g, BRINK_OP_SUB, less ? b : a, less ? a : b),
                      expr->op == BRINK_AST_LT || expr->op == BRINK_AST_GT ? -1 : 1);
  }
  return put_leaf(made, expr->place, flat_far(c, flat_expr(c, expr)), 0);
}

static bool operand(formula *made, const brink_ast_expr *expr);

/* a and b and c …: the operands of one operator, however they are nested, as a balanced tree. */
static bool balanced(formula *made, const brink_ast_expr **list, size_t count, int32_t op) {
  if (count == 1) return operand(made, list[0]);
  return balanced(made, list, count / 2, op) &&
         balanced(made, list + count / 2, count - count / 2, op) && put(made, op);
}

static size_t gather(const brink_ast_expr *expr, brink_ast_op op, const brink_ast_expr **list,
                     size_t count) {
  if (expr->op != op) {
    if (list != NULL) list[count] = expr;
    return count + 1;
  }
  count = gather(expr->arg[0], op, list, count);
  return gather(expr->arg[1], op, list, count);
}

static bool operand(formula *made, const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_NOT) return operand(made, expr->arg[0]) && put(made, BRINK_NOT);
  if (expr->op != BRINK_AST_AND && expr->op != BRINK_AST_OR) return leaf(made, expr);
  size_t count = gather(expr, expr->op, NULL, 0);
  const brink_ast_expr **list = brink_arena_pack(&made->c->f->scratch, count, sizeof *list);
  if (list == NULL) {
    flat_out_of_memory(made->c->f);
    return false;
  }
  gather(expr, expr->op, list, 0);
  /* Leaves have to have values everywhere. Where one needs those before it, relations have flags of their own, each watched
   * where it is asked for, and the formula is what they say. */
  for (size_t k = 1; k < count && !made->one_sided; k++) {
    if (flat_may_fail(list[k]))
      return put_leaf(made, expr->place, flat_far(made->c, flat_expr(made->c, expr)), 0);
  }
  return balanced(made, list, count, expr->op == BRINK_AST_AND ? BRINK_AND : BRINK_OR);
}

bool flat_formula(flat_context *c, const brink_ast_expr *expr, uint32_t flag) {
  const brink_flag *declared = &c->f->system->flags[flag];
  formula made = {.c = c, .name = declared->name, .one_sided = declared->side == BRINK_UNILATERAL};
  if (!operand(&made, expr)) {
    c->f->failed = true;
    return false;
  }
  brink_flag *target = &c->f->system->flags[flag];
  target->formula = made.ops;
  target->formula_length = made.nops;
  return true;
}
