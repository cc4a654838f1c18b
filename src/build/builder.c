/* builder.c: the builder: variables, guards, callbacks, mistakes (see builder.h and <brink/build.h>). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "build/builder.h"
#include "model/model.h"

/* ---- mistakes ---- */

void brink_builder_problem(brink_builder *builder, brink_reason reason, const char *format, ...) {
  if (builder->problem.status != BRINK_OK) return;
  char message[BRINK_DIAG_MESSAGE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  brink_diag_refuse(&builder->problem, reason, "%s", message);
}

static void no_memory(brink_builder *builder) {
  brink_builder_problem(builder, BRINK_REASON_MEMORY, "out of memory for the description of '%s'",
                        builder->name);
}

brink_ex brink_builder_handle(brink_builder *builder, brink_node node) {
  if (node == BRINK_NO_NODE && builder->graph.nnodes >= BRINK_GRAPH_LIMIT)
    brink_builder_problem(builder, BRINK_REASON_DEFINITION,
                          "'%s' has more than %zu different expressions: describe many equal parts "
                          "in HSML, which keeps arrays as loops",
                          builder->name, BRINK_GRAPH_LIMIT);
  else if (node == BRINK_NO_NODE)
    no_memory(builder);
  return (brink_ex){.builder = builder, .node = node};
}

static brink_ex no_expression(brink_builder *builder) {
  return (brink_ex){.builder = builder, .node = BRINK_NO_NODE};
}

bool brink_builder_knows(brink_builder *builder, brink_ex ex, const char *whose) {
  const char *what = NULL;
  if (ex.builder == NULL)
    what = "no expression: it was never made";
  else if (ex.builder != builder)
    what = "an expression of another builder";
  else if (ex.node != BRINK_NO_NODE && ex.node >= builder->graph.nnodes)
    what = "no expression of this builder";
  if (what != NULL)
    brink_builder_problem(builder, BRINK_REASON_DEFINITION, "%s is %s", whose, what);
  return what == NULL && ex.node != BRINK_NO_NODE; /* what was no node is a mistake already */
}

/* ---- variables ---- */

/* A copy of the name; NULL: there is none, and that was remembered. */
static const char *copy_name(brink_builder *builder, const char *name, const char *kind,
                             size_t index) {
  if (name == NULL || name[0] == '\0') {
    brink_builder_problem(builder, BRINK_REASON_DEFINITION, "%s %zu has no name", kind, index);
    return NULL;
  }
  const char *copy = brink_arena_text(&builder->arena, name);
  if (copy == NULL) no_memory(builder);
  return copy;
}

static brink_ex add_variable(brink_builder *builder, builder_list *list, brink_space space,
                             const char *kind, const char *name, double start) {
  name = copy_name(builder, name, kind, list->count);
  if (name == NULL) return no_expression(builder);
  if (!isfinite(start))
    brink_builder_problem(builder, BRINK_REASON_DEFINITION,
                          "%s '%s' is %g at the start: give a number", kind, name, start);
  brink_ref ref = {.space = space, .base = (uint32_t)list->count};
  brink_node node = brink_graph_ref(&builder->graph, ref);
  builder_variable *added = node != BRINK_NO_NODE ? brink_arena_push(&builder->arena, list->items,
                                                                     list->count, list->capacity)
                                                  : NULL;
  if (added == NULL) return brink_builder_handle(builder, BRINK_NO_NODE);
  *added = (builder_variable){.name = name, .start = start, .derivative = BRINK_NO_NODE};
  return brink_builder_handle(builder, node);
}

brink_ex brink_builder_state(brink_builder *builder, const char *name, double start) {
  if (builder == NULL) return (brink_ex){0};
  return add_variable(builder, &builder->states, BRINK_SPACE_X, "state", name, start);
}

brink_ex brink_builder_parameter(brink_builder *builder, const char *name, double value) {
  if (builder == NULL) return (brink_ex){0};
  return add_variable(builder, &builder->parameters, BRINK_SPACE_P, "parameter", name, value);
}

brink_ex brink_builder_mode(brink_builder *builder, const char *name, int start) {
  if (builder == NULL) return (brink_ex){0};
  return add_variable(builder, &builder->modes, BRINK_SPACE_MODE, "mode", name, (double)start);
}

/* The state that an expression is; NULL: it is none. */
static builder_variable *state_of(brink_builder *builder, brink_ex ex) {
  const brink_graph *graph = &builder->graph;
  const brink_expr_node *node = &graph->nodes[ex.node];
  if (node->op != BRINK_OP_REF || graph->refs[node->a].space != BRINK_SPACE_X) return NULL;
  return &builder->states.items[graph->refs[node->a].base];
}

void brink_builder_derivative(brink_builder *builder, brink_ex state, brink_ex value) {
  if (builder == NULL ||
      !brink_builder_knows(builder, state, "the first argument of brink_builder_derivative"))
    return;
  builder_variable *variable = state_of(builder, state);
  if (variable == NULL) {
    brink_builder_problem(
        builder, BRINK_REASON_DEFINITION,
        "the first argument of brink_builder_derivative is not a state: give what "
        "brink_builder_state returned");
    return;
  }
  char whose[BRINK_DIAG_MESSAGE / 2];
  snprintf(whose, sizeof whose, "the derivative of state '%s'", variable->name);
  if (!brink_builder_knows(builder, value, whose)) return;
  if (variable->derivative != BRINK_NO_NODE)
    brink_builder_problem(builder, BRINK_REASON_DEFINITION, "state '%s' has two derivatives",
                          variable->name);
  variable->derivative = value.node;
}

/* ---- guards ---- */

/* The first field that describes the value, and is set; NULL: none. */
static const char *described(const brink_guard_def *def) {
#define UNSET(field)                                                                               \
  if (def->field != 0) return #field
  UNSET(depends);
  UNSET(ndepends);
  UNSET(coefficients);
  UNSET(offset);
  UNSET(time_coefficient);
  UNSET(value);
  UNSET(gradient);
  UNSET(jet);
  UNSET(degree);
  UNSET(lipschitz);
  UNSET(lipschitz_time);
  UNSET(reads_signs);
  UNSET(unread);
  UNSET(timeless);
#undef UNSET
  return NULL;
}

static size_t add_guard(brink_builder *builder, const brink_guard_def *def, brink_node value) {
  builder_guard made = {.def = *def, .value = value};
  made.def.name = copy_name(builder, def->name, "guard", builder->nguards);
  if (made.def.name == NULL) return BRINK_NONE;
  made.def.formula =
      brink_arena_copy(&builder->arena, def->formula, def->formula_length, sizeof(int));
  builder_guard *added = brink_arena_push(&builder->arena, builder->guards, builder->nguards,
                                          builder->guards_capacity);
  if (builder->arena.failed) {
    no_memory(builder);
    return BRINK_NONE;
  }
  *added = made;
  return builder->nguards - 1;
}

static const char *shown_name(const brink_guard_def *def) {
  return def->name != NULL ? def->name : "(no name)";
}

/* A guard's definition as we know it; false, and a problem of the builder, if it cannot be read. */
static bool read_guard(brink_builder *builder, const brink_guard_def *given,
                       brink_guard_def *full) {
  brink_diag diag;
  if (brink_guard_def_read(given, full, &diag) == BRINK_OK) return true;
  brink_builder_problem(builder, diag.reason, "%s", diag.message);
  return false;
}

size_t brink_builder_guard(brink_builder *builder, const brink_guard_def *given, brink_ex value) {
  brink_guard_def full;
  const brink_guard_def *def = &full;
  if (builder == NULL || given == NULL) {
    if (builder != NULL)
      brink_builder_problem(builder, BRINK_REASON_DEFINITION, "brink_builder_guard: def is NULL");
    return BRINK_NONE;
  }
  if (!read_guard(builder, given, &full)) return BRINK_NONE;
  char whose[BRINK_DIAG_MESSAGE / 2];
  snprintf(whose, sizeof whose, "the value of guard '%s'", shown_name(def));
  if (!brink_builder_knows(builder, value, whose)) return BRINK_NONE;
  const char *field = def->formula != NULL ? "formula" : described(def);
  if (field != NULL) {
    brink_builder_problem(
        builder, BRINK_REASON_DEFINITION,
        "guard '%s' is given by an expression: leave %s as brink_default_guard made it",
        shown_name(def), field);
    return BRINK_NONE;
  }
  return add_guard(builder, def, value.node);
}

size_t brink_builder_formula(brink_builder *builder, const brink_guard_def *given) {
  brink_guard_def full;
  const brink_guard_def *def = given != NULL ? &full : NULL;
  if (builder == NULL || (given != NULL && !read_guard(builder, given, &full))) return BRINK_NONE;
  const char *field = def != NULL ? described(def) : NULL;
  if (def == NULL || def->formula == NULL)
    brink_builder_problem(builder, BRINK_REASON_DEFINITION, "guard '%s' has no formula",
                          def != NULL ? shown_name(def) : "(NULL)");
  else if (field != NULL)
    brink_builder_problem(
        builder, BRINK_REASON_DEFINITION,
        "guard '%s' is given by a formula: leave %s as brink_default_guard made it",
        shown_name(def), field);
  else
    return add_guard(builder, def, BRINK_NO_NODE);
  return BRINK_NONE;
}

brink_ex brink_builder_sign(brink_builder *builder, size_t guard) {
  if (builder == NULL) return (brink_ex){0};
  if (guard >= builder->nguards) {
    brink_builder_problem(builder, BRINK_REASON_DEFINITION,
                          "brink_builder_sign: there is no guard %zu; %zu were made before", guard,
                          builder->nguards);
    return no_expression(builder);
  }
  brink_ref ref = {.space = BRINK_SPACE_SIGN, .base = (uint32_t)guard};
  return brink_builder_handle(builder, brink_graph_ref(&builder->graph, ref));
}

/* ---- callbacks ---- */

/* The first field that must not be set, and is; NULL: none. */
static const char *foreign_field(const brink_model_def *rest) {
#define UNSET(field)                                                                               \
  if (rest->field != 0) return #field
  UNSET(nx);
  UNSET(np);
  UNSET(nmodes);
  UNSET(x0);
  UNSET(p0);
  UNSET(mode0);
  UNSET(state_names);
  UNSET(rhs);
  UNSET(flow_jet);
  UNSET(flow_degrees);
  UNSET(flow_work);
  UNSET(jacobian);
  UNSET(jacobian_pattern.starts);
  UNSET(jacobian_pattern.rows);
  UNSET(nz);
  UNSET(constraints);
  UNSET(nguards);
  UNSET(guards);
#undef UNSET
  return NULL;
}

static const brink_clock_def *copy_clocks(brink_builder *builder, const brink_model_def *rest) {
  brink_clock_def *clocks =
      brink_arena_copy(&builder->arena, rest->clocks, rest->nclocks, sizeof *clocks);
  for (size_t k = 0; clocks != NULL && k < rest->nclocks; k++) {
    if (clocks[k].name == NULL) continue; /* refused when the model is made */
    clocks[k].name = brink_arena_text(&builder->arena, clocks[k].name);
  }
  return builder->arena.failed ? NULL : clocks;
}

void brink_builder_callbacks(brink_builder *builder, const brink_model_def *given) {
  brink_model_def full;
  brink_diag diag;
  const brink_model_def *rest = given != NULL ? &full : NULL;
  if (builder == NULL) return;
  if (given != NULL && brink_model_def_read(given, &builder->arena, &full, &diag) != BRINK_OK) {
    brink_builder_problem(builder, diag.reason, "%s", diag.message);
    return;
  }
  const char *field = rest != NULL ? foreign_field(rest) : NULL;
  if (rest == NULL || field != NULL) {
    brink_builder_problem(builder, BRINK_REASON_DEFINITION, "brink_builder_callbacks: %s is %s",
                          rest != NULL ? field : "rest",
                          rest != NULL ? "set, but comes from the expressions" : "NULL");
    return;
  }
  if (rest->nclocks > 0 && rest->clocks == NULL) {
    brink_builder_problem(builder, BRINK_REASON_DEFINITION,
                          "brink_builder_callbacks: clocks is NULL, but nclocks is %zu",
                          rest->nclocks);
    return;
  }
  const brink_clock_def *clocks = copy_clocks(builder, rest);
  if (clocks == NULL) {
    no_memory(builder);
    return;
  }
  builder->rest = *rest;
  builder->rest.clocks = clocks;
}

/* ---- the object ---- */

brink_status brink_builder_create(const char *name, const brink_allocator *allocator,
                                  brink_diag *diag, brink_builder **builder) {
  brink_diag_clear(diag);
  if (builder != NULL) *builder = NULL;
  if (builder == NULL || name == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "name and builder must not be NULL");
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_builder *made = brink_arena_take(&arena, 1, sizeof *made);
  const char *copy = made != NULL ? brink_arena_text(&arena, name) : NULL;
  if (copy == NULL) {
    brink_arena_free(&arena);
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for a builder");
  }
  made->arena = arena;
  made->name = copy;
  made->rest = brink_default_model();
  brink_diag_clear(&made->problem);
  brink_graph_init(&made->graph, &made->arena, 1);
  *builder = made;
  return BRINK_OK;
}

void brink_builder_destroy(brink_builder *builder) {
  if (builder == NULL) return;
  brink_arena arena = builder->arena; /* the builder itself lives in it */
  brink_arena_free(&arena);
}
