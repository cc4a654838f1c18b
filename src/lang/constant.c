/* constant.c: values of options as constant expressions: the parser, the checker and the evaluator of the language, on a
 * text of one expression. */
#include "lang/constant.h"

#include <math.h>
#include <string.h>

#include "lang/check.h"
#include "lang/flat.h"
#include "lang/parser.h"

/* ---- what is wrong ---- */

static void complain(brink_constant *constant, size_t at, size_t length, const char *message) {
  constant->message = message;
  constant->at = at;
  constant->length = length > 0 ? length : 1;
}

/* The first thing that parser, checker or evaluator have reported. */
static bool take_report(brink_constant *constant) {
  brink_unit *unit = constant->unit;
  if (unit->nerrors == 0) return false;
  brink_report_sort(unit);
  for (size_t k = 0; k < unit->nitems; k++) {
    const brink_report_item *item = &unit->items[k];
    if (item->severity != BRINK_ERROR) continue;
    complain(constant, item->place.column > 0 ? item->place.column - 1 : 0, item->place.length,
             item->message);
    constant->hint = item->hint;
    if (item->code == BRINK_MSG_UNKNOWN_NAME && item->hint == NULL)
      constant->hint = "numbers, pi and functions may stand here";
    return true;
  }
  complain(constant, 0, 1, "this is no expression");
  return true;
}

/* ---- the value ---- */

static bool take_texts(brink_constant *constant, const brink_ast_expr *expr) {
  const brink_ast_expr *const one[] = {expr};
  bool list = expr->op == BRINK_AST_VECTOR;
  const brink_ast_expr *const *item = list ? (const brink_ast_expr *const *)expr->arg : one;
  constant->count = list ? expr->nargs : 1;
  constant->text = brink_unit_take(constant->unit, constant->count, sizeof *constant->text);
  for (size_t k = 0; constant->text != NULL && k < constant->count; k++) {
    constant->text[k] = item[k]->text;
    if (item[k]->op == BRINK_AST_TEXT) continue;
    complain(constant, item[k]->place.column - 1, item[k]->place.length, "this is no string");
    break;
  }
  return constant->text != NULL;
}

static bool take_numbers(brink_constant *constant, flat *f, const brink_ast_expr *expr) {
  brink_unit *unit = constant->unit;
  flat_shape shape = {0};
  bool shaped = flat_bound_shape(f, NULL, expr, NULL, &shape);
  constant->count = shaped ? shape.rows * shape.columns : 0;
  if (shaped && shape.rank == 2) {
    constant->rows = shape.rows;
    constant->columns = shape.columns;
  }
  constant->value = brink_unit_take(unit, constant->count + 1, sizeof *constant->value);
  if (constant->value == NULL) return false;
  for (size_t k = 0; k < constant->count; k++) {
    flat_point point = {.element = constant->list ? k : BRINK_NONE};
    bool known = flat_value(f, &point, expr, &constant->value[k]);
    if (unit->out_of_memory) return false;
    if (known && !isnan(constant->value[k])) continue;
    if (!take_report(constant))
      complain(constant, expr->place.column - 1, expr->place.length, "its value is not a number");
    return true;
  }
  if (constant->count == 0 && !take_report(constant))
    complain(constant, expr->place.column - 1, expr->place.length, "this list is empty");
  return true;
}

static bool evaluate(brink_constant *constant, brink_ast_expr *expr) {
  constant->type = expr->type;
  constant->list = expr->vector;
  if (expr->type == BRINK_TYPE_STRING) return take_texts(constant, expr);
  brink_system nowhere = {0}; /* names of strings that are compared */
  flat f = {.unit = constant->unit,
            .system = &nowhere,
            .arena = &constant->unit->arena,
            .budget = FLAT_BUDGET};
  brink_arena_init(&f.scratch, &constant->unit->arena.allocator);
  bool fine = take_numbers(constant, &f, expr);
  brink_arena_free(&f.scratch);
  return fine;
}

/* ---- the whole ---- */

bool brink_constant_read(const char *text, const brink_allocator *allocator,
                         brink_constant *constant) {
  brink_ast_expr *expr = NULL;
  *constant = (brink_constant){.unit = brink_unit_parse_expression(text, allocator, &expr)};
  if (constant->unit == NULL) return false;
  if (take_report(constant)) return true;
  brink_unit_check_expression(constant->unit, expr);
  if (constant->unit->out_of_memory) return false;
  if (take_report(constant)) return true;
  return evaluate(constant, expr) && !constant->unit->out_of_memory;
}

void brink_constant_free(brink_constant *constant) {
  brink_unit_destroy(constant->unit);
  *constant = (brink_constant){0};
}
