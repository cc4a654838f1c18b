/* check_function.c: the statements of a function, and what receives its results. */
#include <string.h>

#include "lang/check.h"

/* ---- results ---- */

/* Does every path through a block give this name a value? A loop may have no iterations. */
static bool gives_value(const brink_ast_block *block, const brink_symbol *symbol) {
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    bool whole = s->kind == BRINK_STATEMENT_ASSIGN && s->target->op == BRINK_AST_NAME &&
                 s->target->part[0].symbol == symbol && s->target->part[0].index == NULL;
    if (whole) return true;
    if (s->kind != BRINK_STATEMENT_IF || s->nblocks == s->nconditions) continue;
    bool all = true;
    for (size_t j = 0; j < s->nblocks; j++) all = all && gives_value(&s->block[j], symbol);
    if (all) return true;
  }
  return false;
}

void brink_check_function_statements(brink_checker *c, brink_user_function *f) {
  for (size_t k = 0; k < f->nresults; k++) {
    brink_symbol *symbol = f->results[k]->part[0].symbol;
    if (symbol == NULL) return;
    symbol->type = symbol->read_type = BRINK_TYPE_UNKNOWN;
    symbol->vector = false;
    symbol->rank = 0;
    symbol->is_result = symbol->assigned = true;
    brink_check_declare_local(c, symbol);
  }
  brink_check_list *list = brink_unit_take(c->unit, 1, sizeof *list);
  if (list == NULL) return;
  bool damaged = c->damaged;
  c->damaged = false;
  brink_check_block(c, &f->statements, list);
  c->damaged = damaged;
  for (size_t k = 0; k < f->nresults && !c->calling && !f->incomplete; k++) {
    const brink_symbol *symbol = f->results[k]->part[0].symbol;
    if (!gives_value(&f->statements, symbol))
      brink_check_error(c, BRINK_MSG_RESULT_WITHOUT_VALUE, symbol->place,
                        "assign it as a whole, in every branch", "'%s' may end without a value",
                        symbol->name);
  }
}

/* ---- calls ---- */

/* As many names as results? */
bool brink_check_result_count(brink_checker *c, const brink_ast_expr *call) {
  const brink_user_function *f = call->user;
  size_t gives = f->nresults > 0 ? f->nresults : 1, wanted = call->wanted > 0 ? call->wanted : 1;
  if (gives == wanted) return true;
  if (call->result > 0) return false; /* reported for the first */
  brink_check_error(c, BRINK_MSG_RESULT_COUNT, call->place,
                    gives > 1 ? brink_unit_format(c->unit, "(a, b, ...) = %s(...), with %zu names",
                                                  f->name, gives)
                              : NULL,
                    "'%s' has %zu %s, but %zu %s received", f->name, gives,
                    gives > 1 ? "results" : "result", wanted, wanted > 1 ? "are" : "is");
  return false;
}

/* f calls g calls f: the functions whose bodies are being checked. */
void brink_check_recursion(brink_checker *c, const brink_ast_expr *call) {
  const char *path = call->user->name;
  for (const brink_user_function *f = c->function; f != NULL && f != call->user; f = f->caller)
    path = brink_unit_format(c->unit, "%s -> %s", f->name, path);
  const char *hint = NULL;
  if (path != call->user->name)
    hint = brink_unit_format(c->unit, "the calls are %s -> %s", call->user->name, path);
  brink_check_error(c, BRINK_MSG_RECURSION, call->place, hint, "'%s' calls itself",
                    call->user->name);
}
