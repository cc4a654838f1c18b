/* flat_external.c: functions and constants of libraries in expressions. */
#include "lang/flat.h"

/* The number of the function in the system; BRINK_NO_INDEX: no memory. */
static uint32_t find_external(flat *f, const brink_external *function) {
  brink_system *system = f->system;
  for (size_t k = 0; k < system->nexternals; k++)
    if (system->externals[k].value == function->value &&
        system->externals[k].gradient == function->gradient &&
        system->externals[k].narguments == function->narguments)
      return (uint32_t)k;
  brink_external *added =
      flat_push(f, system->externals, system->nexternals, system->externals_capacity);
  if (added == NULL) return BRINK_NO_INDEX;
  *added = *function;
  added->name = flat_note(f, brink_arena_text(f->arena, function->name));
  return added->name != NULL ? (uint32_t)system->nexternals - 1 : BRINK_NO_INDEX;
}

brink_node flat_external(flat_context *c, const brink_ast_expr *expr) {
  const brink_user_function *function = expr->user;
  brink_node arguments[BRINK_EXTERNAL_ARGUMENTS];
  if (function->damaged || expr->nargs != function->narguments ||
      !flat_load_external(c->f, function))
    return BRINK_NO_NODE; /* reported */
  const brink_ast_external *external = function->external;
  if (external->is_constant) return brink_graph_constant(c->graph, external->value);
  uint32_t number = find_external(c->f, &external->function);
  if (number == BRINK_NO_INDEX) return BRINK_NO_NODE;
  for (size_t k = 0; k < expr->nargs; k++) arguments[k] = flat_expr(c, expr->arg[k]);
  return brink_graph_external(c->graph, number, arguments, expr->nargs);
}

bool flat_external_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                         double *value) {
  const brink_user_function *function = expr->user;
  double x[BRINK_EXTERNAL_ARGUMENTS];
  if (function->damaged || expr->nargs != function->narguments || !flat_load_external(f, function))
    return false; /* reported */
  for (size_t k = 0; k < expr->nargs; k++)
    if (!flat_value(f, point, expr->arg[k], &x[k])) return false;
  const brink_ast_external *external = function->external;
  *value = external->is_constant ? external->value : brink_external_value(&external->function, x);
  return true;
}

static void refuse(flat *f, const brink_system *system, const brink_graph *graph,
                   brink_place place) {
  uint32_t called = brink_graph_external_called(graph);
  if (called == BRINK_NO_INDEX) return;
  const brink_external *external = &system->externals[called];
  if (external->of_time != NULL && f->failed) return; /* said once: it has no place */
  if (external->of_time != NULL)
    flat_setting_error(f, BRINK_MSG_INPUT_FUNCTION_IN_CONSTRAINTS, BRINK_ORIGIN_DRIVEN,
                       external->name, "give its values as rows",
                       "a model with constraints cannot take a function for an input: it has no "
                       "expression that could be differentiated");
  else
    flat_error(f, BRINK_MSG_EXTERNAL_IN_CONSTRAINTS, place,
               "write the function in HSML, or as a table",
               "a model with constraints cannot call an external function here");
}

/* Constraints are differentiated, and with them the equations of what they constrain: that takes expressions. */
void flat_check_external(flat *f, const brink_system *system) {
  for (size_t k = 0; k < system->nconstraints; k++)
    refuse(f, system, &system->constraints[k].residual->graph, system->constraints[k].place);
  for (size_t k = 0; k < system->nequations; k++)
    refuse(f, system, &system->equations[k]->graph, system->equations[k]->place);
}
