/* check_block.c: statements. */
#include "lang/check.h"

#include <string.h>

/* ---- what may stand on a left-hand side ---- */

static bool is_own(const brink_checker *c, const brink_ast_expr *path) {
  return path->nparts == 1 &&
         (c->pair == NULL || brink_check_find(c, c->pair, path->part[0].name) != NULL);
}

static void not_here(brink_checker *c, brink_place place, const brink_symbol *symbol,
                     const char *hint) {
  brink_check_error(c, BRINK_MSG_EQUATION_MISPLACED, place, hint,
                    "'%s' is %s: it has no equation in %s", symbol->name,
                    brink_a_kind(symbol->kind), brink_check_rule(c->context)->name);
}

/* x' = …: only in the dynamics of a ctc, only for continuous states. */
static bool derivative_fits(brink_checker *c, const brink_ast_expr *path,
                            const brink_symbol *symbol) {
  if (symbol->kind != BRINK_SYMBOL_STATE || path->nparts != 1) {
    brink_check_error(c, BRINK_MSG_DERIVATIVE_OF_NO_STATE, path->place, NULL,
                      "'%s' is %s: only states have derivatives", symbol->name,
                      path->nparts == 1 ? brink_a_kind(symbol->kind) : "in another component");
    return false;
  }
  if (symbol->read_type != BRINK_TYPE_SIGNAL && symbol->read_type != BRINK_TYPE_UNKNOWN) {
    const char *what = symbol->timer  ? "a timer"
                       : symbol->held ? "held"
                                      : brink_a_type(symbol->type);
    brink_check_error(c, BRINK_MSG_DERIVATIVE_OF_NO_REAL, path->place, "it changes at events",
                      "'%s' is %s: it has no derivative", symbol->name, what);
    return false;
  }
  if (c->context == BRINK_IN_OUTPUT) {
    brink_check_error(c, BRINK_MSG_DERIVATIVE_OUTSIDE_DYNAMICS, path->place, NULL,
                      "derivatives are defined in dynamics");
    return false;
  }
  return true;
}

static bool equation_fits(brink_checker *c, const brink_ast_expr *path,
                          const brink_symbol *symbol) {
  const char *hint = NULL;
  if (!is_own(c, path)) {
    brink_check_error(c, BRINK_MSG_DEFINED_ELSEWHERE, path->place, "define it in its own component",
                      "'%s' cannot be defined here", brink_check_path_text(c, path, false));
    return false;
  }
  switch (symbol->kind) {
  case BRINK_SYMBOL_VARIABLE:
    return true;
  case BRINK_SYMBOL_FLAG:
    if (c->context == BRINK_IN_DYNAMICS) return true;
    hint = "flags are defined in dynamics";
    break;
  case BRINK_SYMBOL_OUTPUT:
    if (c->context == BRINK_IN_OUTPUT) return true;
    hint = "outputs are defined in output";
    break;
  case BRINK_SYMBOL_STATE:
    if (c->context != BRINK_IN_OUTPUT && symbol->read_type == BRINK_TYPE_SIGNAL)
      hint = brink_unit_format(c->unit, "write its derivative: %s' = ...;", symbol->name);
    break;
  case BRINK_SYMBOL_PARAMETER:
    hint = brink_unit_format(c->unit, "give its value in assignments: %s : ...;", symbol->name);
    break;
  case BRINK_SYMBOL_INPUT:
    hint = "inputs come from outside";
    break;
  default:
    break;
  }
  not_here(c, path->place, symbol, hint);
  return false;
}

/* May this be assigned here? Own states and modes; in a composite's initial, those of its parts, and
 * their parameters; in a pair, those of its partners. */
static bool assignment_fits(brink_checker *c, const brink_ast_expr *path,
                            const brink_symbol *symbol) {
  bool inside = path->nparts > 1;
  bool changes = symbol->kind == BRINK_SYMBOL_STATE || symbol->kind == BRINK_SYMBOL_MODE ||
                 (symbol->unknown && c->context == BRINK_IN_INITIAL);
  if (inside && c->context == BRINK_IN_INITIAL)
    changes = changes || symbol->kind == BRINK_SYMBOL_PARAMETER;
  else if (inside && c->pair == NULL)
    changes = false;
  if (changes && (c->pair == NULL || inside)) return true;
  const char *hint = c->pair != NULL ? "a pair changes states and modes of its partners"
                     : c->context == BRINK_IN_INITIAL ? "only states and modes start somewhere"
                                                      : "only states and modes are assigned";
  brink_check_error(c, BRINK_MSG_NOT_ASSIGNABLE, path->place, hint,
                    "'%s' is %s: it cannot be assigned", brink_check_path_text(c, path, false),
                    brink_a_kind(symbol->kind));
  return false;
}

/* May this be guessed? What constraints may determine: states that vary continuously, and unknowns. */
static bool guess_fits(brink_checker *c, const brink_ast_expr *path, const brink_symbol *symbol) {
  bool continuous = symbol->kind == BRINK_SYMBOL_STATE && symbol->read_type == BRINK_TYPE_SIGNAL;
  if (continuous || symbol->unknown || symbol->read_type == BRINK_TYPE_UNKNOWN) return true;
  bool held = symbol->kind == BRINK_SYMBOL_STATE;
  bool starts = held || symbol->kind == BRINK_SYMBOL_MODE;
  brink_check_error(c, BRINK_MSG_NOT_GUESSABLE, path->place,
                    starts ? "write it without guess"
                           : "guesses are for states and for unknowns of constraints",
                    "'%s' is %s: it cannot be guessed", brink_check_path_text(c, path, false),
                    held ? "a held state" : brink_a_kind(symbol->kind));
  return false;
}

/* ---- equations and assignments ---- */

static brink_symbol *resolve_target(brink_checker *c, brink_ast_expr *path,
                                    brink_check_list *list) {
  brink_symbol *symbol = path->op == BRINK_AST_NAME ? brink_check_path(c, path) : NULL;
  if (symbol == NULL) {
    list->uncertain = c->lhs_uncertain = true;
    return NULL;
  }
  const brink_ast_expr *index = path->part[path->nparts - 1].index;
  path->type = symbol->read_type;
  path->rank = (uint8_t)(index != NULL ? brink_index_rank(index) : symbol->rank);
  path->vector = path->rank > 0;
  return symbol;
}

static void check_constraint(brink_checker *c, brink_ast_statement *s) {
  brink_check_expr(c, s->target);
  brink_check_expr(c, s->expr);
  const brink_ast_expr *sides[] = {s->target, s->expr};
  for (size_t k = 0; k < 2; k++) {
    if (brink_is_numeric(sides[k]->type)) continue;
    brink_check_error(c, BRINK_MSG_CONSTRAINT_NOT_A_NUMBER, sides[k]->place, NULL,
                      "a constraint is between numbers, but this is %s",
                      brink_a_type(sides[k]->type));
    return;
  }
}

/* A real output of a ctc or a composite is a signal exactly if its equation is one, in any branch. */
static void note_output_type(brink_symbol *symbol, const brink_ast_expr *expr) {
  if (symbol->kind != BRINK_SYMBOL_OUTPUT || symbol->type != BRINK_TYPE_REAL) return;
  brink_type type = expr->type == BRINK_TYPE_SIGNAL ? BRINK_TYPE_SIGNAL : BRINK_TYPE_REAL;
  if (!symbol->defined || type == BRINK_TYPE_SIGNAL) symbol->read_type = type;
}

/* A flag is a number in all its equations, or a formula in all of them. */
static void note_flag(brink_checker *c, brink_symbol *flag, brink_ast_expr *expr) {
  bool formula = expr->type == BRINK_TYPE_BOOLEAN;
  flag->definition = flag->defined ? NULL : expr;
  if (expr->type == BRINK_TYPE_UNKNOWN) return;
  if (flag->defined && formula != flag->boolean_flag)
    brink_check_error(c, BRINK_MSG_FORMULA_IN_ONE_BRANCH, expr->place, NULL,
                      "'%s' is a formula in one branch and a number in another", flag->name);
  if (flag->defined) return;
  flag->boolean_flag = formula;
  flag->read_type = formula ? BRINK_TYPE_BOOLEAN : BRINK_TYPE_SIGNAL;
}

static void check_equation(brink_checker *c, brink_ast_statement *s, brink_check_list *list) {
  if (c->context == BRINK_IN_CONSTRAINTS) {
    check_constraint(c, s);
    return;
  }
  bool prime = s->target->op == BRINK_AST_PRIME;
  brink_ast_expr *path = prime ? s->target->arg[0] : s->target;
  brink_symbol *symbol = resolve_target(c, path, list);
  c->prime = c->context == BRINK_IN_OUTPUT ||
             (symbol != NULL && !prime && symbol->kind == BRINK_SYMBOL_FLAG);
  brink_check_expr(c, s->expr);
  c->prime = false;
  if (symbol == NULL) return;
  if (!(prime ? derivative_fits(c, path, symbol) : equation_fits(c, path, symbol))) {
    list->uncertain = c->lhs_uncertain = true;
    return;
  }
  s->target->type = path->type;
  s->target->vector = path->vector;
  s->target->rank = path->rank;
  brink_check_define(c, list, s->target, symbol);
  bool composite = c->component->kind == BRINK_COMPOSITE || c->component->kind == BRINK_SYSTEM;
  if (c->component->kind == BRINK_CTC || composite) note_output_type(symbol, s->expr);
  if (composite && c->context == BRINK_IN_OUTPUT) symbol->by_equation = true;
  if (symbol->kind == BRINK_SYMBOL_FLAG) note_flag(c, symbol, s->expr);
  if (c->context != BRINK_IN_ON_EVENT) symbol->defined = true;
  if (c->context == BRINK_IN_ON_EVENT && !c->lhs_uncertain &&
      !brink_check_replaces(c, s->target, symbol))
    brink_check_error(c, BRINK_MSG_NOT_IN_DYNAMICS, path->place,
                      "on-event replaces equations of dynamics", "'%s' is not defined in dynamics",
                      prime ? brink_unit_format(c->unit, "%s'", symbol->name) : symbol->name);
  const brink_ast_part *last = &path->part[path->nparts - 1];
  brink_symbol derivative = {.kind = BRINK_SYMBOL_VARIABLE, .type = BRINK_TYPE_SIGNAL};
  if (prime) { /* has no range */
    derivative.name = brink_unit_format(c->unit, "%s'", symbol->name);
    derivative.vector = symbol->vector;
    derivative.rank = symbol->rank;
    derivative.size = symbol->size;
    derivative.columns = symbol->columns;
    symbol = &derivative;
  }
  brink_check_fits(c, symbol, last->index, s->expr);
}

/* A local name gets a new value at once; it keeps its type. */
static void assign_local(brink_checker *c, brink_ast_statement *s, brink_symbol *local) {
  brink_type type = s->expr->type;
  local->assigned = true;
  if (local->is_result && local->type == BRINK_TYPE_UNKNOWN && s->target->part[0].index == NULL) {
    local->type = local->read_type = type;
    local->vector = s->expr->vector;
    local->rank = s->expr->rank;
    return;
  }
  if (s->guess) {
    guess_fits(c, s->target, local);
    return;
  }
  if (local->type == BRINK_TYPE_INTEGER && (type == BRINK_TYPE_REAL || type == BRINK_TYPE_SIGNAL)) {
    brink_check_error(c, BRINK_MSG_LOCAL_IS_AN_INTEGER, s->expr->place,
                      brink_unit_format(c->unit, "begin with a real: let %s = 0.0;", local->name),
                      "'%s' is an integer, as it began; this is a real", local->name);
    return;
  }
  brink_check_fits(c, local, s->target->part[0].index, s->expr);
  if (type == BRINK_TYPE_SIGNAL && local->type == BRINK_TYPE_REAL)
    local->type = local->read_type = BRINK_TYPE_SIGNAL;
}

static void check_assign(brink_checker *c, brink_ast_statement *s, brink_check_list *list) {
  brink_symbol *symbol = resolve_target(c, s->target, list);
  brink_check_expr(c, s->expr);
  if (symbol == NULL) return;
  if (symbol->kind == BRINK_SYMBOL_LET) {
    assign_local(c, s, symbol);
    return;
  }
  if (c->context == BRINK_IN_INITIAL) symbol->has_initial = true; /* even if it does not fit */
  if (s->guess ? !guess_fits(c, s->target, symbol) : !assignment_fits(c, s->target, symbol)) return;
  brink_check_define(c, list, s->target, symbol);
  brink_check_fits(c, symbol, s->target->part[s->target->nparts - 1].index, s->expr);
}

/* ---- blocks ---- */

/* Equations need an else: without it, not all of what is defined is defined always. */
static bool lacks_else(brink_checker *c, const brink_ast_statement *s) {
  if (c->function != NULL || !brink_check_rule(c->context)->equations ||
      s->nconditions < s->nblocks || c->damaged)
    return false;
  for (size_t k = 0; k < s->nblocks; k++)
    if (s->block[k].count > 0) {
      brink_check_error(c, BRINK_MSG_EQUATIONS_WITHOUT_ELSE, s->place,
                        "all branches define the same left-hand sides",
                        "an if around equations needs an else");
      return true;
    }
  return false;
}

static void check_if(brink_checker *c, brink_ast_statement *s, brink_check_list *list) {
  brink_check_list *branch = brink_unit_take(c->unit, s->nblocks, sizeof *branch);
  if (branch == NULL) return;
  bool damaged = c->damaged;
  for (size_t k = 0; k < s->nconditions; k++) brink_check_condition(c, s->condition[k]);
  if (lacks_else(c, s)) c->damaged = true; /* a word may be missing: what follows is uncertain */
  for (size_t k = 0; k < s->nblocks; k++) {
    size_t mark = brink_check_open_scope(c);
    brink_check_block(c, &s->block[k], &branch[k]);
    brink_check_close_scope(c, mark);
  }
  brink_check_join(c, list, s, branch);
  c->damaged = damaged;
}

void brink_check_loop(brink_checker *c, brink_ast_statement *s) {
  brink_context outer = c->context;
  c->context = BRINK_IN_DECLARATIONS; /* known before the run */
  brink_check_whole(c, s->lo, "the bound of a loop");
  brink_check_whole(c, s->hi, "the bound of a loop");
  c->context = outer;
  s->symbol->type = s->symbol->read_type = BRINK_TYPE_INTEGER;
  brink_check_declare_local(c, s->symbol);
}

static void check_for(brink_checker *c, brink_ast_statement *s, brink_check_list *list) {
  size_t mark = brink_check_open_scope(c);
  brink_check_loop(c, s);
  brink_check_block(c, &s->block[0], list);
  brink_check_close_scope(c, mark);
}

static void check_let(brink_checker *c, brink_ast_statement *s) {
  brink_check_expr(c, s->expr);
  brink_symbol *before = brink_check_lookup(c, s->symbol->name);
  s->symbol->type = s->symbol->read_type = s->expr->type;
  s->symbol->vector = s->expr->vector;
  s->symbol->rank = s->expr->rank;
  s->symbol->definition = s->expr;
  if (before != NULL && before != &c->poison) {
    brink_check_error(c, BRINK_MSG_LET_TAKES_A_NAME, s->symbol->place, "choose another name",
                      "'%s' is %s already", s->symbol->name, brink_a_kind(before->kind));
    return;
  }
  brink_check_declare_local(c, s->symbol);
}

/* level > 9 where level never exceeds 9: can a relation with a bounded name ever hold? */
static bool never_holds(const brink_ast_expr *e) {
  if (e->op < BRINK_AST_LT || e->op > BRINK_AST_GE) return false;
  const brink_ast_expr *name = e->arg[0], *bound = e->arg[1];
  bool greater = e->op == BRINK_AST_GT || e->op == BRINK_AST_GE;
  if (bound->op == BRINK_AST_NAME && !bound->constant) {
    name = e->arg[1];
    bound = e->arg[0];
    greater = !greater;
  }
  if (name->op != BRINK_AST_NAME || name->constant || !bound->constant || name->nparts == 0)
    return false;
  const brink_symbol *symbol = name->part[name->nparts - 1].symbol;
  if (symbol == NULL || !symbol->range.given || symbol->range.is_set ||
      !symbol->range.lo->constant || !symbol->range.hi->constant)
    return false;
  bool strict = e->op == BRINK_AST_LT || e->op == BRINK_AST_GT;
  double lo = symbol->range.lo->number, hi = symbol->range.hi->number, b = bound->number;
  if (greater) return strict ? hi <= b : hi < b;
  return strict ? lo >= b : lo > b;
}

/* A condition that never changes never becomes true. */
static void check_alive(brink_checker *c, const brink_ast_expr *condition) {
  if (condition->type != BRINK_TYPE_BOOLEAN) return;
  if (condition->constant)
    brink_check_error(c, BRINK_MSG_CONSTANT_CONDITION, condition->place,
                      "a when runs when its condition becomes true", "this condition is always %s",
                      condition->number != 0.0 ? "true" : "false");
  else if (never_holds(condition))
    brink_check_error(c, BRINK_MSG_IMPOSSIBLE_CONDITION, condition->place,
                      "compare it with the declared range", "this condition can never become true");
}

static void check_new(brink_checker *c, brink_ast_expr *condition) {
  const void *owner = &c->component->section[BRINK_SECTION_RULES];
  const brink_ast_expr *first =
      brink_check_put(c, owner, brink_check_expr_text(c, condition), condition);
  if (first == NULL || condition->type != BRINK_TYPE_BOOLEAN) return;
  const char *hint = brink_unit_format(c->unit, "the one at line %u", (unsigned)first->place.line);
  brink_check_error(c, BRINK_MSG_CONDITION_TWICE, condition->place, hint,
                    "an earlier when has the same condition");
}

static void check_when(brink_checker *c, brink_ast_statement *s) {
  brink_check_list *list = brink_unit_take(c->unit, 1, sizeof *list);
  if (list == NULL) return;
  brink_check_condition(c, s->condition[0]);
  check_alive(c, s->condition[0]);
  check_new(c, s->condition[0]);
  size_t mark = brink_check_open_scope(c);
  c->context = BRINK_IN_WHEN;
  brink_check_block(c, &s->block[0], list);
  c->context = BRINK_IN_RULES;
  brink_check_close_scope(c, mark);
}

static void check_note(brink_checker *c, brink_ast_statement *s) {
  for (size_t k = 0; k < s->nargs; k++) brink_check_expr(c, s->arg[k]);
}

/* put(q, e): what the queue holds. */
static void check_put(brink_checker *c, brink_ast_statement *s) {
  const brink_symbol *queue = brink_check_queue(c, s->arg[0]);
  brink_check_expr(c, s->expr);
  if (queue != NULL) {
    brink_symbol one = *queue; /* one of them */
    one.size = NULL;
    brink_check_fits(c, &one, NULL, s->expr);
  }
}

/* take(q, x): x receives the first. */
static void check_take(brink_checker *c, brink_ast_statement *s, brink_check_list *list) {
  const brink_symbol *queue = brink_check_queue(c, s->arg[0]);
  brink_symbol *symbol = resolve_target(c, s->target, list);
  if (queue == NULL || symbol == NULL) return;
  if (symbol->kind == BRINK_SYMBOL_LET) {
    brink_check_error(c, BRINK_MSG_NOT_ASSIGNABLE, s->target->place,
                      brink_unit_format(c->unit,
                                        "'let %s = first(%s);' reads the first of the queue; "
                                        "'take' removes it, into a state",
                                        symbol->name, queue->name),
                      "'%s' is %s: 'take' needs a state", symbol->name, brink_a_kind(symbol->kind));
    return;
  }
  if (!assignment_fits(c, s->target, symbol)) return;
  brink_check_define(c, list, s->target, symbol);
  brink_ast_expr first = {.op = BRINK_AST_CALL, .place = s->target->place, .type = queue->type};
  brink_check_fits(c, symbol, s->target->part[s->target->nparts - 1].index, &first);
  if (symbol->timer || s->target->vector)
    brink_check_error(c, BRINK_MSG_NOT_ASSIGNABLE, s->target->place,
                      "take it into a state, and use that", "'%s' is %s: it cannot be assigned",
                      symbol->name, symbol->timer ? "a timer" : "a vector");
}

/* ---- statements ---- */

static void check_statement(brink_checker *c, brink_ast_statement *s, brink_check_list *list) {
  switch (s->kind) {
  case BRINK_STATEMENT_ASSIGN:
    if (c->context == BRINK_IN_ASSIGNMENTS && c->function == NULL)
      brink_check_assigned(c, s, list);
    else
      check_assign(c, s, list);
    return;
  case BRINK_STATEMENT_EQUATION:
    if (c->context != BRINK_IN_RULES) check_equation(c, s, list); /* else: reported by the parser */
    return;
  case BRINK_STATEMENT_IF:
    check_if(c, s, list);
    return;
  case BRINK_STATEMENT_FOR:
    check_for(c, s, list);
    return;
  case BRINK_STATEMENT_WHEN:
    check_when(c, s);
    return;
  case BRINK_STATEMENT_RETURN: /* reported */
    return;
  case BRINK_STATEMENT_LET:
    check_let(c, s);
    return;
  case BRINK_STATEMENT_NOTE:
    check_note(c, s);
    return;
  case BRINK_STATEMENT_PUT:
    check_put(c, s);
    return;
  case BRINK_STATEMENT_TAKE:
    check_take(c, s, list);
    return;
  case BRINK_STATEMENT_CONNECT:
    brink_check_connect(c, s, list);
    return;
  case BRINK_STATEMENT_LEAVE:
    brink_check_condition(c, s->condition[0]);
    return;
  case BRINK_STATEMENT_STOP:
  case BRINK_STATEMENT_FAIL:
  case BRINK_STATEMENT_REACH:
    return;
  }
}

void brink_check_block(brink_checker *c, brink_ast_block *block, brink_check_list *list) {
  for (size_t k = 0; k < block->count && !c->unit->out_of_memory; k++)
    check_statement(c, block->statement[k], list);
}

void brink_check_section(brink_checker *c, brink_context context, brink_ast_block *block,
                         bool damaged) {
  brink_check_list *list = c->equations;
  bool shared = brink_check_rule(context)->equations || context == BRINK_IN_CONNECTIONS;
  if (list == NULL || !shared) list = brink_unit_take(c->unit, 1, sizeof *list);
  if (list == NULL) return;
  c->context = context;
  c->prime = false;
  c->damaged = damaged;
  size_t mark = brink_check_open_scope(c);
  brink_check_block(c, block, list);
  brink_check_close_scope(c, mark);
  c->damaged = false;
}
