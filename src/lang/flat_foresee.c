/* flat_foresee.c: how much work loops are going to be, before the first iteration.
 *
 * Three loops of 100,000 inside each other are refused, since they use up the budget of a model (flat_spend). That is
 * known as soon as their bounds are: nothing has to be run to find it out. What is counted here is a lower bound, so that
 * nothing is refused that would have come to an end: branches and bounds that only the run of the loop itself can tell
 * (they depend on a local name) count as nothing.
 *
 * Where bounds depend on a loop around them, its iterations are visited. That may become long, too, and is given up after
 * EFFORT of them; then the loops run, and the budget stops them. */
#include "lang/flat.h"

#define EFFORT 200000

typedef struct counting {
  flat *f;
  double pace; /* steps of the budget for an iteration */
  size_t effort;
} counting;

static double count_block(counting *c, const flat_point *point, const brink_ast_block *block);

/* ---- what can be known ---- */

static bool is_known(const flat_point *point, const brink_ast_expr *expr);

static bool all_known(const flat_point *point, const brink_ast_expr *expr) {
  for (size_t k = 0; k < expr->nargs; k++) {
    if (!is_known(point, expr->arg[k])) return false;
  }
  return true;
}

static bool is_known_name(const flat_point *point, const brink_ast_expr *name) {
  const brink_symbol *symbol = name->nparts == 1 ? name->part[0].symbol : NULL;
  if (symbol == NULL || name->part[0].index != NULL || symbol->assigned) return false;
  if (symbol->kind == BRINK_SYMBOL_PARAMETER) return true;
  const flat_binding *binding = point->binding;
  while (binding != NULL && binding->symbol != symbol) binding = binding->outer;
  if (binding == NULL) return false;
  if (symbol->kind == BRINK_SYMBOL_LOOP) return true;
  return symbol->kind == BRINK_SYMBOL_ARGUMENT && binding->values == NULL &&
         binding->expr != NULL && is_known(binding->point, binding->expr);
}

/* Numbers, parameters, loops and arguments, and arithmetic of these: the same whenever it is asked for. */
static bool is_known(const flat_point *point, const brink_ast_expr *expr) {
  switch (expr->op) {
  case BRINK_AST_NUMBER:
    return true;
  case BRINK_AST_NAME:
    return is_known_name(point, expr);
  case BRINK_AST_CALL:
    switch (expr->function) {
    case BRINK_FN_MIN:
    case BRINK_FN_MAX:
    case BRINK_FN_FLOOR:
    case BRINK_FN_CEIL:
    case BRINK_FN_ABS:
    case BRINK_FN_MOD:
    case BRINK_FN_DIV:
      return all_known(point, expr);
    default:
      return false;
    }
  case BRINK_AST_NEGATE:
  case BRINK_AST_NOT:
  case BRINK_AST_ADD:
  case BRINK_AST_SUB:
  case BRINK_AST_MUL:
  case BRINK_AST_DIV:
  case BRINK_AST_POW:
  case BRINK_AST_LT:
  case BRINK_AST_LE:
  case BRINK_AST_GT:
  case BRINK_AST_GE:
  case BRINK_AST_EQ:
  case BRINK_AST_NE:
  case BRINK_AST_AND:
  case BRINK_AST_OR:
    return all_known(point, expr);
  default:
    return false;
  }
}

/* ---- does the number of iterations inside depend on this loop? ---- */

static bool names(const brink_ast_expr *expr, const brink_symbol *symbol) {
  if (expr->op == BRINK_AST_NAME && expr->nparts == 1 && expr->part[0].symbol == symbol)
    return true;
  for (size_t k = 0; k < expr->nargs; k++) {
    if (names(expr->arg[k], symbol)) return true;
  }
  return false;
}

static bool is_called_with(const brink_ast_expr *expr, const brink_symbol *symbol) {
  bool function = expr->op == BRINK_AST_CALL && expr->function == BRINK_FN_USER;
  if ((function || expr->op == BRINK_AST_EACH) && names(expr, symbol)) return true;
  for (size_t k = 0; k < expr->nargs; k++) {
    if (is_called_with(expr->arg[k], symbol)) return true;
  }
  return false;
}

static bool follows(const brink_ast_block *block, const brink_symbol *symbol) {
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    bool loop = s->kind == BRINK_STATEMENT_FOR;
    if (loop && (names(s->lo, symbol) || names(s->hi, symbol))) return true;
    if (s->expr != NULL && is_called_with(s->expr, symbol)) return true;
    for (size_t j = 0; j < s->nconditions; j++) {
      if (names(s->condition[j], symbol)) return true;
    }
    for (size_t j = 0; j < s->nblocks; j++) {
      if (follows(&s->block[j], symbol)) return true;
    }
  }
  return false;
}

/* ---- counting ---- */

/* `count` for every value of a loop, or for one of them, times their number. From both ends: where loops inside grow or
 * shrink with this one, the longest are at an end. */
typedef double count_fn(counting *c, const flat_point *point, const void *of);

static double count_iterations(counting *c, const flat_point *point, const brink_symbol *symbol,
                               int64_t lo, int64_t hi, bool same, count_fn *count, const void *of) {
  double total = 0.0, times = same ? (double)(hi - lo + 1) : 1.0;
  int64_t visits = same ? 1 : hi - lo + 1;
  for (int64_t k = 0; k < visits; k++) {
    int64_t i = k % 2 == 0 ? lo + k / 2 : hi - k / 2;
    flat_binding binding = {.symbol = symbol, .value = (double)i, .outer = point->binding};
    flat_point inner = *point;
    inner.binding = &binding;
    total += times * (c->pace + count(c, &inner, of));
    if (c->f->failed || c->effort == 0 || total > (double)c->f->budget) break;
    c->effort--;
  }
  return total;
}

static double count_expr(counting *c, const flat_point *point, const void *of);

/* What statements of a function take: its arguments are those of the call. */
static double count_call(counting *c, const flat_point *point, const brink_ast_expr *call) {
  const brink_user_function *function = call->user;
  enum { ARGUMENTS = 16 };
  flat_binding bound[ARGUMENTS];
  if (call->nargs > ARGUMENTS || function->statements.count == 0) return 0.0;
  flat_point inner = *point;
  inner.binding = NULL;
  for (size_t k = 0; k < call->nargs; k++) {
    bound[k] = (flat_binding){.symbol = function->argument[k],
                              .expr = call->arg[k],
                              .point = point,
                              .outer = inner.binding};
    inner.binding = &bound[k];
  }
  return count_block(c, &inner, &function->statements);
}

/* sum(e for i in lo..hi): all elements are asked for. Of a vector by itself it may be one. */
static double count_each(counting *c, const flat_point *point, const brink_ast_expr *each) {
  int64_t lo, hi;
  if (!is_known(point, each->arg[1]) || !is_known(point, each->arg[2])) return 0.0;
  if (!flat_each_bounds(c->f, point, each, &lo, &hi)) return 0.0;
  bool same = !is_called_with(each->arg[0], each->loop);
  return count_iterations(c, point, each->loop, lo, hi, same, count_expr, each->arg[0]);
}

static double count_expr(counting *c, const flat_point *point, const void *of) {
  const brink_ast_expr *expr = of;
  double steps = 1.0;
  if (c->effort == 0 || c->f->failed) return 0.0;
  c->effort--;
  switch (expr->op) {
  case BRINK_AST_CALL:
    if (expr->function == BRINK_FN_USER) return 1.0 + count_call(c, point, expr);
    if (expr->function == BRINK_FN_SUM && expr->arg[0]->op == BRINK_AST_EACH)
      return 1.0 + count_each(c, point, expr->arg[0]);
    return steps; /* of draws and tables less than all arguments may be read */
  case BRINK_AST_NEGATE:
  case BRINK_AST_ADD:
  case BRINK_AST_SUB:
  case BRINK_AST_MUL:
  case BRINK_AST_DIV:
    if (expr->vector) return steps;
    for (size_t k = 0; k < expr->nargs; k++) steps += count_expr(c, point, expr->arg[k]);
    return steps;
  default:
    return steps;
  }
}

static double count_body(counting *c, const flat_point *point, const void *block) {
  return count_block(c, point, block);
}

static double count_loop(counting *c, const flat_point *point, const brink_ast_statement *s) {
  int64_t lo, hi;
  if (!is_known(point, s->lo) || !is_known(point, s->hi)) return 0.0;
  if (!flat_bounds(c->f, point, s, &lo, &hi)) return 0.0;
  bool same = !follows(&s->block[0], s->symbol);
  return hi < lo ? 0.0
                 : count_iterations(c, point, s->symbol, lo, hi, same, count_body, &s->block[0]);
}

/* The first branch whose condition holds, as long as they are known. */
static double count_if(counting *c, const flat_point *point, const brink_ast_statement *s) {
  for (size_t k = 0; k < s->nblocks; k++) {
    double yes = 1.0;
    if (k < s->nconditions && !is_known(point, s->condition[k])) return 0.0;
    if (k < s->nconditions && !flat_value(c->f, point, s->condition[k], &yes)) return 0.0;
    if (yes != 0.0) return count_block(c, point, &s->block[k]);
  }
  return 0.0;
}

static double count_block(counting *c, const flat_point *point, const brink_ast_block *block) {
  double steps = 0.0;
  for (size_t k = 0; k < block->count && !c->f->failed && c->effort > 0; k++) {
    const brink_ast_statement *s = block->statement[k];
    bool values = s->kind == BRINK_STATEMENT_ASSIGN || s->kind == BRINK_STATEMENT_LET;
    if (values && s->expr != NULL && point->only == NULL) steps += count_expr(c, point, s->expr);
    if (s->kind == BRINK_STATEMENT_FOR) steps += count_loop(c, point, s);
    if (s->kind == BRINK_STATEMENT_IF) steps += count_if(c, point, s);
    if (steps > (double)c->f->budget) break;
  }
  return steps;
}

/* ---- the answer ---- */

static bool is_enough(counting *c, double steps, brink_place place) {
  flat *f = c->f;
  if (f->failed) return false;
  if (steps <= (double)f->budget) return true;
  flat_spend(f, place, f->budget);
  f->failed = true;
  return false;
}

bool flat_foresee(flat *f, const flat_point *point, const brink_ast_block *block, size_t instances,
                  size_t pace) {
  if (f->foreseen || f->budget == 0) return !f->failed;
  counting c = {.f = f, .pace = (double)pace, .effort = EFFORT};
  flat_point at = *point;
  double steps = 0.0;
  for (size_t i = 0; i < instances && c.effort > 0 && !f->failed; i++) {
    at.instance = point->instance + i;
    for (size_t k = 0; k < block->count && !f->failed; k++) {
      brink_ast_statement *one = block->statement[k];
      brink_ast_block alone = {.statement = &one, .count = 1};
      steps += count_block(&c, &at, &alone);
      if (!is_enough(&c, steps, one->place)) return false;
    }
  }
  return !f->failed;
}

bool flat_foresee_each(flat *f, const flat_point *point, const brink_ast_expr *each, size_t pace) {
  if (f->foreseen || f->budget == 0) return !f->failed;
  counting c = {.f = f, .pace = (double)pace, .effort = EFFORT};
  return is_enough(&c, count_each(&c, point, each), each->place);
}
