/* flat_range.c: declared ranges, and whether a value that is known before the run is within. */
#include <math.h>

#include "lang/flat.h"

static bool in_set(flat *f, const brink_symbol *symbol, double value) {
  for (size_t k = 0; k < symbol->range.nitems; k++) {
    const brink_ast_expr *item = symbol->range.item[k];
    double allowed = item->op == BRINK_AST_TEXT ? (double)flat_string(f, item->text) : item->number;
    if (allowed == value) return true;
  }
  return false;
}

/* The bounds are evaluated in the instance. */
bool flat_range_bounds(flat *f, const flat_variable *variable, size_t instance, double *lo,
                       double *hi) {
  const brink_ast_range *range = &variable->symbol->range;
  flat_point point = {.group = variable->group, .instance = instance, .element = BRINK_NONE};
  if (!flat_value(f, &point, range->lo, lo) || !flat_value(f, &point, range->hi, hi)) return false;
  bool whole = variable->symbol->type == BRINK_TYPE_INTEGER;
  if (whole && *lo < -FLAT_WHOLE) *lo = -FLAT_WHOLE;
  if (whole && *hi > FLAT_WHOLE) *hi = FLAT_WHOLE;
  return true;
}

/* Is the value within the declared range? */
bool flat_in_range(flat *f, const flat_variable *variable, size_t instance, double value) {
  const brink_ast_range *range = &variable->symbol->range;
  double lo, hi;
  if (!range->given)
    return variable->symbol->type != BRINK_TYPE_INTEGER || !isfinite(value) ||
           fabs(value) <= FLAT_WHOLE;
  if (range->is_set) return in_set(f, variable->symbol, value);
  return !flat_range_bounds(f, variable, instance, &lo, &hi) || (value >= lo && value <= hi);
}

/* "(0.1, 100)", "{1, 2, 4}": the range that a value is outside of. */
const char *flat_range_text(flat *f, const flat_variable *variable, size_t instance) {
  enum { SHOWN = 12 };
  const brink_ast_range *range = &variable->symbol->range;
  char number[2][BRINK_DOUBLE_TEXT];
  double lo, hi;
  if (!range->given) /* of whole numbers */
    return brink_unit_format(f->unit, "(%.0f, %.0f)", -FLAT_WHOLE, FLAT_WHOLE);
  if (!range->is_set)
    return flat_range_bounds(f, variable, instance, &lo, &hi)
               ? brink_unit_format(f->unit, "(%s, %s)", brink_double_text(lo, number[0]),
                                   brink_double_text(hi, number[1]))
               : "";
  const char *text = "";
  for (size_t k = 0; k < range->nitems && k < SHOWN; k++) {
    const brink_ast_expr *item = range->item[k];
    bool is_text = item->op == BRINK_AST_TEXT;
    text = brink_unit_format(f->unit, "%s%s%s%s%s", text, k > 0 ? ", " : "", is_text ? "\"" : "",
                             is_text ? item->text : brink_double_text(item->number, number[0]),
                             is_text ? "\"" : "");
  }
  return brink_unit_format(f->unit, "{%s%s}", text, range->nitems > SHOWN ? ", ..." : "");
}

/* For errors about a value in the model. */
const char *flat_range_hint(flat *f, const flat_variable *variable, size_t instance) {
  const char *what = variable->symbol->range.given ? "the range is" : "integers are exact within";
  return brink_unit_format(f->unit, "%s %s", what, flat_range_text(f, variable, instance));
}

const char *flat_value_text(flat *f, const flat_variable *variable, double value, char *buffer) {
  if (variable->symbol->type == BRINK_TYPE_STRING && value >= 0.0 &&
      value < (double)f->system->nstrings)
    return f->system->strings[(size_t)value];
  if (variable->symbol->type == BRINK_TYPE_BOOLEAN) return value != 0.0 ? "true" : "false";
  return brink_double_text(value, buffer);
}
