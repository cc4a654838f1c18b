/* flat_constraint.c: constraints sections: equations between formulas become residuals, and the branches that they
 * stand in conditions under which they hold.
 *
 * The conditions of an `if` are translated once, in a kernel with the loops around it: what it makes flags of is one
 * flag for all equations of all its branches, so that these change together. The equations inside, which may have more
 * loops around them, get copies: iteration i of such an equation is under iteration i / (its iterations for each of the
 * condition's) of the condition, since inner loops run fastest. */
#include "lang/flat.h"

/* What is around a statement. */
typedef struct surroundings {
  flat *f;
  flat_group *group;
  const brink_ast_statement *loops[FLAT_LOOPS];
  size_t nloops;
  const brink_kernel *when; /* the branch: `active` is a node of this kernel's graph */
  brink_node active;        /* BRINK_NO_NODE: always */
} surroundings;

/* ---- branches ---- */

/* A ref of an outer kernel, in an inner one. */
static brink_node spread_ref(brink_graph *to, const brink_graph *from, uint32_t ref, void *user) {
  flat *f = user;
  size_t inner = to->iterations / from->iterations;
  uint32_t *slots = brink_arena_pack(&f->scratch, to->iterations, sizeof *slots);
  if (slots == NULL) {
    flat_out_of_memory(f);
    return BRINK_NO_NODE;
  }
  for (size_t i = 0; i < to->iterations; i++)
    slots[i] = (uint32_t)brink_ref_slot(&from->refs[ref], i / inner);
  brink_ref made = flat_make_ref(f, from->refs[ref].space, slots, to->iterations);
  made.extent = from->refs[ref].extent;
  made.step = from->refs[ref].step;
  return brink_graph_ref(to, made);
}

/* A kernel inside all this, with its loops, and one more over the elements of vectors of this length (0: none).
 * False: it has no iterations, or it failed. */
static bool begin(const surroundings *around, flat_context *c, flat_shared *shared,
                  const char *name, brink_place place, size_t length) {
  flat *f = around->f;
  brink_kernel *kernel = flat_kernel(f, name, place, 0);
  if (kernel == NULL) return false;
  flat_begin(c, shared, f, around->group, kernel, FLAT_EQUATION);
  if (!flat_push_loops(c, around->loops, around->nloops)) return false;
  if (length > 0) {
    c->loop[c->nloops++] = (flat_loop){.count = length};
    c->element_loop = true;
  }
  flat_begin_graph(c);
  if (kernel->count > FLAT_LIMIT) {
    flat_error(f, BRINK_MSG_TOO_MANY_EQUATIONS, place, NULL, "more than %zu equations", FLAT_LIMIT);
    return false;
  }
  if (around->active != BRINK_NO_NODE)
    c->active = brink_graph_copy(c->graph, &around->when->graph, around->active, spread_ref, f);
  if (c->graph->failed) flat_out_of_memory(f);
  return !f->failed;
}

static brink_node both(brink_graph *graph, brink_node a, brink_node b) {
  return a == BRINK_NO_NODE ? b : brink_graph_op2(graph, BRINK_OP_AND, a, b);
}

static void make_block(const surroundings *around, const brink_ast_block *block);

static bool condition(flat_context *c, const brink_ast_expr *expr, brink_node *node) {
  *node = flat_expr(c, expr);
  if (c->f->arena->failed || c->f->scratch.failed) flat_out_of_memory(c->f);
  if (c->f->failed) return false;
  if (*node == BRINK_NO_NODE || c->graph->failed) {
    flat_error(c->f, BRINK_MSG_EQUATION_TOO_LARGE, expr->place, NULL, "this equation is too large");
    return false;
  }
  if (!flat_varies(c, *node)) return true;
  flat_error(c->f, BRINK_MSG_CONSTRAINT_CONDITION, expr->place,
             "write it without noevent: constraints change at located events",
             "this condition of constraints is not locked");
  return false;
}

static void make_if(const surroundings *around, const brink_ast_statement *s) {
  flat_shared shared;
  flat_context c;
  if (!begin(around, &c, &shared, "condition", s->place, 0)) return;
  brink_node otherwise = c.active;
  for (size_t k = 0; k < s->nblocks && !around->f->failed; k++) {
    surroundings inside = *around;
    inside.when = c.kernel;
    inside.active = otherwise;
    if (k < s->nconditions) {
      brink_node here;
      c.active = otherwise;
      if (!condition(&c, s->condition[k], &here)) return;
      inside.active = both(c.graph, otherwise, here);
      otherwise = both(c.graph, otherwise, brink_graph_op1(c.graph, BRINK_OP_NOT, here));
    }
    double known;
    if (brink_graph_is_constant(c.graph, inside.active, &known)) {
      if (known == 0.0) continue;
      inside.active = BRINK_NO_NODE;
    }
    make_block(&inside, &s->block[k]);
  }
}

/* ---- equations ---- */

/* How many elements an equation has; *vector: as a vector. 0: reported. */
static size_t equation_length(flat *f, flat_group *group, const brink_ast_statement *s,
                              bool *vector) {
  size_t a = flat_length(f, group, s->target), b = flat_length(f, group, s->expr);
  *vector = s->target->vector || s->expr->vector;
  if (f->failed || a == 0 || b == 0) return 0;
  if (a == b || b == 1) return a;
  if (a == 1) return b;
  flat_error(f, BRINK_MSG_CONSTRAINT_LENGTHS, s->place, "vectors are equal element by element",
             "the sides of this constraint have %zu and %zu elements", a, b);
  return 0;
}

static bool is_zero(const brink_graph *graph, brink_node node) {
  double value;
  return brink_graph_is_constant(graph, node, &value) && value == 0.0;
}

/* Left minus right; where one of them is 0, the other. */
static brink_node residual(flat_context *c, const brink_ast_statement *s) {
  brink_node a = flat_expr(c, s->target), b = flat_expr(c, s->expr);
  if (c->f->failed || is_zero(c->graph, b)) return a;
  return is_zero(c->graph, a) ? b : brink_graph_op2(c->graph, BRINK_OP_SUB, a, b);
}

static void add_constraint(flat_context *c, const brink_ast_statement *s) {
  flat *f = c->f;
  brink_node node = residual(c, s);
  if (f->arena->failed || f->scratch.failed) flat_out_of_memory(f);
  if (f->failed) return;
  if (c->graph->failed || node == BRINK_NO_NODE) {
    flat_error(f, BRINK_MSG_EQUATION_TOO_LARGE, s->place, NULL, "this equation is too large");
    return;
  }
  brink_kernel *value = flat_extract(c, s->place, node), *active = NULL;
  if (c->active != BRINK_NO_NODE) active = flat_extract(c, s->place, c->active);
  if (f->failed) return;
  brink_system *system = f->system;
  brink_constraint *made =
      flat_push(f, system->constraints, system->nconstraints, system->constraints_capacity);
  if (made == NULL) return;
  *made = (brink_constraint){.residual = value,
                             .active = active,
                             .where = value->where,
                             .place = s->place,
                             .group = c->group->id,
                             .count = value->count};
}

/* One constraint; of vectors, one for each element: a loop, unless a list gives each its own. */
static void make_equation(const surroundings *around, const brink_ast_statement *s) {
  flat *f = around->f;
  bool vector;
  size_t length = equation_length(f, around->group, s, &vector);
  if (length == 0) return;
  bool unroll = vector && (flat_has_vector_literal(s->target) || flat_has_vector_literal(s->expr));
  for (size_t k = 0; k < (unroll ? length : 1) && !f->failed; k++) {
    flat_shared shared;
    flat_context c;
    if (!begin(around, &c, &shared, "constraint", s->place, vector && !unroll ? length : 0)) return;
    if (unroll) c.element = k;
    add_constraint(&c, s);
  }
}

static void make_block(const surroundings *around, const brink_ast_block *block) {
  flat *f = around->f;
  for (size_t k = 0; k < block->count && !f->failed; k++) {
    const brink_ast_statement *s = block->statement[k];
    if (s->kind == BRINK_STATEMENT_EQUATION) {
      make_equation(around, s);
      flat_next(f);
    } else if (s->kind == BRINK_STATEMENT_IF) {
      make_if(around, s);
    } else if (s->kind == BRINK_STATEMENT_FOR) {
      surroundings inside = *around;
      if (inside.nloops + 1 >= FLAT_LOOPS) {
        flat_error(f, BRINK_MSG_LOOPS_TOO_DEEP, s->place, NULL,
                   "loops are nested more than %d deep", FLAT_LOOPS - 2);
        return;
      }
      inside.loops[inside.nloops++] = s;
      make_block(&inside, &s->block[0]);
    }
  }
}

/* ---- counting ---- */

/* Constraints of one instance, in every branch; FLAT_LIMIT: that many, or more. */
static size_t count_block(flat *f, flat_group *group, const brink_ast_block *block);

static size_t count_if(flat *f, flat_group *group, const brink_ast_statement *s) {
  size_t n = s->nconditions + 1; /* an else that is missing holds nothing */
  size_t *counts = brink_arena_pack(&f->scratch, n, sizeof *counts);
  bool same = true;
  if (counts == NULL) {
    flat_out_of_memory(f);
    return 0;
  }
  for (size_t k = 0; k < s->nblocks; k++) counts[k] = count_block(f, group, &s->block[k]);
  for (size_t k = 1; k < n; k++) same = same && counts[k] == counts[0];
  if (!same && !f->failed)
    flat_error(f, BRINK_MSG_CONSTRAINT_BRANCHES, s->place,
               "in every branch there are as many equations as unknowns",
               "the branches of this if hold %s equations",
               brink_constraint_branches_text(f->unit, counts, n));
  return counts[0];
}

static size_t count_statement(flat *f, flat_group *group, const brink_ast_statement *s) {
  bool vector;
  if (s->kind == BRINK_STATEMENT_EQUATION) return equation_length(f, group, s, &vector);
  if (s->kind == BRINK_STATEMENT_IF) return count_if(f, group, s);
  if (s->kind != BRINK_STATEMENT_FOR) return 0;
  flat_point point = {.group = group, .element = BRINK_NONE};
  int64_t lo, hi;
  if (!flat_bounds(f, &point, s, &lo, &hi)) {
    f->failed = true;
    return 0;
  }
  if (hi < lo) return 0;
  size_t inner = count_block(f, group, &s->block[0]), times = (size_t)(hi - lo + 1);
  return inner > 0 && times > FLAT_LIMIT / inner ? FLAT_LIMIT : inner * times;
}

static size_t count_block(flat *f, flat_group *group, const brink_ast_block *block) {
  size_t count = 0;
  for (size_t k = 0; k < block->count && !f->failed && count < FLAT_LIMIT; k++)
    count += count_statement(f, group, block->statement[k]);
  return count < FLAT_LIMIT ? count : FLAT_LIMIT;
}

/* ---- unknowns ---- */

/* Elements of a state, in one instance, without a derivative. */
static size_t count_missing(const flat_variable *variable) {
  size_t missing = 0;
  for (size_t k = 0; k < variable->length; k++)
    missing += variable->defined == NULL || !variable->defined[k];
  return missing;
}

static bool is_continuous_state(const flat_variable *variable) {
  return variable->symbol->kind == BRINK_SYMBOL_STATE && variable->space == BRINK_SPACE_X;
}

static void check_count(flat *f, flat_group *group) {
  const brink_ast_section *section = &group->component->section[BRINK_SECTION_CONSTRAINTS];
  size_t equations = count_block(f, group, &section->body), unknowns = 0, named = 0;
  const char *names = "";
  for (brink_symbol *s = group->component->symbols; s != NULL && !f->failed; s = s->next) {
    const flat_variable *variable = &group->variables[s->order];
    size_t here = s->unknown                      ? variable->length
                  : is_continuous_state(variable) ? count_missing(variable)
                                                  : 0;
    if (here == 0) continue;
    names = brink_constraint_unknown_text(f->unit, names, named++, s, variable->length);
    unknowns += here;
  }
  if (f->failed || equations == unknowns) return;
  const char *given = brink_constraint_equations_text(f->unit, equations);
  const char *wanted = brink_constraint_unknowns_text(f->unit, unknowns, names);
  if (unknowns > equations)
    flat_error(f, BRINK_MSG_TOO_FEW_CONSTRAINTS, section->place,
               "add a constraint, or define one of them in dynamics", "%s, but there %s", wanted,
               given);
  else
    flat_error(f, BRINK_MSG_TOO_MANY_CONSTRAINTS, section->place,
               "each needs a variable that dynamics does not define", "there %s for %s", given,
               wanted);
}

/* A derivative that is not given is an unknown, for `count` elements of each instance from element `first` on:
 * DX[state] = X[unknown]. */
static void add_derivative(flat *f, flat_variable *variable, size_t first, size_t count) {
  flat_group *group = variable->group;
  const brink_symbol *symbol = variable->symbol;
  const char *text = symbol->name;
  bool vector = symbol->size != NULL && count == variable->length;
  if (symbol->size != NULL && !vector) text = flat_format(f, "%s[%zu]", text, first + 1);
  const char *name = flat_format(f, "%s'", text);
  size_t total = group->count * count;
  brink_kernel *kernel = flat_kernel(f, flat_name_of(f, variable), symbol->place, total);
  uint32_t *slots = flat_take(f, total, sizeof *slots);
  if (kernel == NULL || slots == NULL) {
    flat_out_of_memory(f);
    return;
  }
  uint32_t base = flat_hidden(f, group, name, BRINK_SPACE_X, total, 0.0);
  if (base == BRINK_NO_INDEX) return;
  brink_variable *made = &f->system->variables[f->system->nvariables - 1];
  made->unknown = true;
  made->vector = vector;
  made->where = kernel->where;
  made->place = symbol->place;
  f->system->nz += total;
  for (size_t i = 0; i < total; i++)
    slots[i] = variable->base + (uint32_t)(i / count * variable->length + first + i % count);
  brink_ref target = flat_make_ref(f, BRINK_SPACE_DX, slots, total);
  brink_ref from = {.space = BRINK_SPACE_X, .base = base, .stride = total > 1 ? 1 : 0};
  brink_node node = brink_graph_ref(&kernel->graph, from);
  if (!f->failed && flat_add_output(f, kernel, target, node, BRINK_NO_NODE, variable->variable))
    flat_add_equation(f, kernel, symbol->place);
}

static void add_derivatives(flat *f, flat_variable *variable) {
  size_t missing = count_missing(variable);
  if (missing == variable->length) {
    add_derivative(f, variable, 0, missing);
    return;
  }
  for (size_t k = 0; k < variable->length && missing > 0 && !f->failed; k++)
    if (!variable->defined[k]) add_derivative(f, variable, k, 1);
}

void flat_constraints(flat *f, flat_group *group) {
  if (!flat_has_constraints(group)) return;
  check_count(f, group);
  if (f->failed || f->templates) return; /* agents with constraints have no templates */
  for (size_t k = 0; k < group->nvariables && !f->failed; k++) {
    flat_variable *variable = &group->variables[k];
    if (variable->symbol != NULL && is_continuous_state(variable)) add_derivatives(f, variable);
  }
  surroundings none = {.f = f, .group = group, .active = BRINK_NO_NODE};
  if (!f->failed) make_block(&none, &group->component->section[BRINK_SECTION_CONSTRAINTS].body);
}

bool flat_has_constraints(const flat_group *group) {
  return group->component != NULL && group->component->kind == BRINK_CTC &&
         group->component->section[BRINK_SECTION_CONSTRAINTS].present;
}

/* Constraints are evaluated by themselves: everything that they read of variables is written out. */
bool flat_check_written_out(flat *f, const brink_system *system) {
  if (system->arena.failed) flat_out_of_memory(f);
  for (size_t k = 0; k < system->nconstraints && !f->failed; k++) {
    const brink_constraint *constraint = &system->constraints[k];
    if (!constraint->residual->reads_v &&
        (constraint->active == NULL || !constraint->active->reads_v))
      continue;
    flat_error(f, BRINK_MSG_CONSTRAINT_NOT_WRITTEN_OUT, constraint->place,
               "make states or unknowns of some of the variables that it reads",
               "the variables of dynamics that this constraint reads cannot be written out in it");
  }
  return !f->failed;
}
