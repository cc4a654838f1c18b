/* flat_set.c: the value of a setting of the caller: a word, a number, a constant expression, a list. Which variable a
 * setting means is found in flat_parameter.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lang/constant.h"
#include "lang/flat.h"

/* A string is written as it is, or in quotes. */
static bool read_string(flat *f, const char *text, double *value) {
  size_t length = strlen(text);
  if (length >= 2 && text[0] == '"' && text[length - 1] == '"') text++, length -= 2;
  char *copy = flat_take(f, length + 1, 1);
  if (copy == NULL) return false;
  memcpy(copy, text, length);
  *value = (double)flat_string(f, copy);
  return true;
}

/* A single word is no attempt at an expression. */
static bool is_word(const char *text) {
  return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] ==
         '\0';
}

/* What the reader of constants has found wrong, or what would be wrong for this variable. */
static bool refuse_constant(flat *f, const flat_variable *variable, const char *set,
                            const char *text, const brink_constant *constant) {
  brink_type type = variable->symbol->type;
  size_t at = (size_t)(text - set);
  if (constant->message != NULL && !is_word(text)) {
    bool first = f->unit->nsettings == 0;
    flat_setting_error(f, BRINK_MSG_SETTING_EXPRESSION, BRINK_ORIGIN_SET, set, constant->hint,
                       "it cannot be read: %s", constant->message);
    if (first) brink_report_setting_at(f->unit, at + constant->at, constant->length);
    return false;
  }
  if (type == BRINK_TYPE_STRING)
    return flat_setting_error(f, BRINK_MSG_SETTING_NOT_A_STRING, BRINK_ORIGIN_SET, set, NULL,
                              "give a string, or a list of strings");
  if (type == BRINK_TYPE_BOOLEAN)
    return flat_setting_error(f, BRINK_MSG_SETTING_NOT_A_BOOLEAN, BRINK_ORIGIN_SET, set, NULL,
                              "give true or false");
  return flat_setting_error(f, BRINK_MSG_SETTING_NOT_A_NUMBER, BRINK_ORIGIN_SET, set, NULL,
                            "give a number after the equals sign");
}

/* Do its values suit the variable? */
static bool constant_fits(const flat_variable *variable, const brink_constant *constant) {
  brink_type type = variable->symbol->type;
  if (constant->message != NULL) return false;
  if (type == BRINK_TYPE_STRING) return constant->type == BRINK_TYPE_STRING;
  if (constant->type == BRINK_TYPE_STRING) return false;
  if (type != BRINK_TYPE_BOOLEAN) return constant->type != BRINK_TYPE_BOOLEAN;
  for (size_t k = 0; k < constant->count; k++) { /* 0 and 1 are booleans, too */
    if (constant->value[k] != 0.0 && constant->value[k] != 1.0) return false;
  }
  return true;
}

/* An expression of constants. */
static bool read_constant(flat *f, const flat_variable *variable, const char *set, const char *text,
                          flat_given *given) {
  brink_constant constant;
  bool read = brink_constant_read(text, &f->unit->arena.allocator, &constant);
  bool fits = read && constant_fits(variable, &constant);
  if (!read) flat_out_of_memory(f);
  if (read && !fits) refuse_constant(f, variable, set, text, &constant);
  if (fits) {
    given->list = constant.list;
    given->count = constant.count;
    given->rows = constant.rows;
    given->columns = constant.columns;
    given->value = flat_take(f, constant.count, sizeof *given->value);
    fits = given->value != NULL;
  }
  for (size_t k = 0; fits && k < given->count; k++)
    given->value[k] =
        constant.text != NULL ? (double)flat_string(f, constant.text[k]) : constant.value[k];
  brink_constant_free(&constant);
  return fits && !f->failed;
}

/* A string, a number, or an expression of constants. */
bool flat_read_set(flat *f, const flat_variable *variable, const char *set, const char *text,
                   flat_given *given) {
  brink_type type = variable->symbol->type;
  *given = (flat_given){.value = &given->one, .count = 1};
  if (type == BRINK_TYPE_STRING && text[0] != '[') return read_string(f, text, &given->one);
  char *end;
  given->one = brink_read_double(text, &end);
  bool number = end != text && *end == '\0' && !isnan(given->one);
  if (text[strspn(text, " \t")] == '\0')
    return flat_setting_error(f, BRINK_MSG_SETTING_NOT_A_NUMBER, BRINK_ORIGIN_SET, set, NULL,
                              "give a number after the equals sign");
  if ((!number || type == BRINK_TYPE_BOOLEAN) && !read_constant(f, variable, set, text, given))
    return false;
  for (size_t k = 0; type == BRINK_TYPE_INTEGER && k < given->count; k++) {
    if (given->value[k] != floor(given->value[k]))
      return flat_setting_error(f, BRINK_MSG_SETTING_NOT_A_WHOLE_NUMBER, BRINK_ORIGIN_SET, set,
                                NULL, "give a whole number");
  }
  return true;
}

/* What a list is for: "4 values", "a matrix of 2x2", … */
static const char *meant_text(flat *f, const flat_variable *variable, bool one, size_t wanted,
                              bool matrix) {
  if (one) return "one element";
  if (variable->columns > 0)
    return brink_unit_format(f->unit, "a matrix of %zux%zu", wanted / variable->columns,
                             (size_t)variable->columns);
  if (matrix) return brink_unit_format(f->unit, "a vector of %zu", wanted);
  return wanted == 1 ? "one value" : brink_unit_format(f->unit, "%zu values", wanted);
}

bool flat_list_fits(flat *f, const flat_variable *variable, const char *set, bool one, bool all,
                    const flat_given *given) {
  const flat_group *group = variable->group;
  bool vector = variable->symbol->size != NULL && !one, spread = !vector && !one && all;
  if (!given->list) return true;
  size_t wanted = vector ? variable->length : spread ? group->dimension : 1;
  bool shaped = given->columns == (vector ? variable->columns : 0);
  if ((vector || spread) && shaped && given->count == wanted) return true;
  return flat_setting_error(f, BRINK_MSG_SETTING_LENGTH, BRINK_ORIGIN_SET, set, NULL,
                            "a list of %zu for %s", given->count,
                            meant_text(f, variable, one, wanted, given->columns > 0));
}

double flat_given_value(const flat_variable *variable, const flat_given *given, size_t element) {
  if (!given->list) return given->value[0];
  if (variable->symbol->size != NULL) return given->value[element % variable->length];
  return given->value[element / variable->length % variable->group->dimension];
}
