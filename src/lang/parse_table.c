/* parse_table.c: tables from files. The file itself is read by the checker (check_table.c).
 *
 *   table  = "table" NAME "(" NAME ["," NAME] ")" "=" "file" "(" STRING {"," option} ")" ";"
 *   option = ("column" | "interpolation" | "extrapolation") ":" STRING */
#include <string.h>

#include "lang/parser.h"

static const char *const kinds[] = {"linear", "cubic", "spline", "hold"}; /* brink_table_kind */
static const char *const beyonds[] = {"linear", "hold", "error"};         /* brink_table_beyond */
static const char *const options[] = {"column", "interpolation", "extrapolation"};
enum { COLUMN, INTERPOLATION, EXTRAPOLATION, OPTIONS };

static size_t find(const char *const *words, size_t count, const char *word) {
  size_t k = 0;
  while (k < count && strcmp(words[k], word) != 0) k++;
  return k;
}

/* One of the words in quotes; `count`: none of them, reported. */
static size_t choose(brink_parser *p, const char *const *words, size_t count, const char *option,
                     brink_place place, const char *word) {
  size_t k = find(words, count, word);
  if (k < count) return k;
  const char *best = NULL;
  for (size_t j = 0; j < count; j++) best = brink_nearest(word, words[j], best);
  const char *hint = brink_parse_did_you_mean(p, best);
  if (hint == NULL)
    hint = count == 4 ? "it is \"linear\", \"cubic\", \"spline\" or \"hold\""
                      : "it is \"linear\", \"hold\" or \"error\"";
  brink_parse_error(p, BRINK_MSG_TABLE_CHOICE, place, hint, "'%s' is no kind of %s", word, option);
  return count;
}

static void set_option(brink_parser *p, brink_ast_table *table, size_t option, brink_place place,
                       const char *text, bool *given) {
  if (option == COLUMN) {
    table->column = text;
    table->column_place = place;
    return;
  }
  bool inside = option == INTERPOLATION;
  size_t count = inside ? 4 : 3;
  size_t k = choose(p, inside ? kinds : beyonds, count, options[option], place, text);
  if (k == count) return;
  if (inside)
    table->grid.kind = (brink_table_kind)k;
  else
    table->grid.beyond = (brink_table_beyond)k;
  *given = *given || !inside;
}

static size_t find_option(brink_parser *p, const brink_token *name) {
  for (size_t k = 0; k < OPTIONS; k++)
    if (brink_token_is_word(name, options[k])) return k;
  const char *text = brink_parse_name(p, name), *best = NULL;
  for (size_t k = 0; k < OPTIONS; k++) best = brink_nearest(text, options[k], best);
  const char *hint = brink_parse_did_you_mean(p, best);
  brink_parse_error(p, BRINK_MSG_TABLE_OPTION, brink_token_place(p->file, name),
                    hint != NULL ? hint : "there are column, interpolation and extrapolation",
                    "a table has no option '%s'", text);
  return OPTIONS;
}

/* option = NAME ":" STRING */
static void parse_option(brink_parser *p, brink_ast_table *table, bool *set, bool *beyond_given) {
  brink_token name = p->token, value;
  if (p->panic || name.kind != BRINK_TOKEN_NAME) {
    brink_parse_unexpected(p, "an option of the table");
    return;
  }
  brink_parse_keyword(p);
  size_t option = find_option(p, &name);
  brink_parse_expect(p, BRINK_TOKEN_COLON, "':'");
  value = p->token;
  if (!brink_parse_expect(p, BRINK_TOKEN_STRING, "a text in quotes") || option == OPTIONS) return;
  if (set[option])
    brink_parse_error(p, BRINK_MSG_TABLE_OPTION_TWICE, brink_token_place(p->file, &name), NULL,
                      "'%s' is given twice", options[option]);
  set[option] = true;
  set_option(p, table, option, brink_token_place(p->file, &value), brink_parse_string(p, &value),
             beyond_given);
}

/* "file" "(" STRING {"," option} ")" */
static void parse_source(brink_parser *p, brink_ast_table *table) {
  bool set[OPTIONS] = {false}, beyond_given = false;
  if (!brink_parse_is(p, "file")) {
    brink_parse_unexpected(p, "'file(\"…\")'");
    return;
  }
  brink_parse_keyword(p);
  brink_token open = p->token, name;
  brink_parse_expect(p, BRINK_TOKEN_LPAREN, "'('");
  name = p->token;
  if (brink_parse_expect(p, BRINK_TOKEN_STRING, "a file name in quotes")) {
    table->file = brink_parse_string(p, &name);
    table->file_place = brink_token_place(p->file, &name);
  }
  while (brink_parse_accept(p, BRINK_TOKEN_COMMA)) parse_option(p, table, set, &beyond_given);
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
  /* Steps go on as steps. */
  if (!beyond_given && table->grid.kind == BRINK_TABLE_HOLD) table->grid.beyond = BRINK_BEYOND_HOLD;
}

void brink_parse_table(brink_parser *p) {
  brink_ast_table *table = brink_unit_take(p->unit, 1, sizeof *table);
  if (table == NULL) {
    brink_parse_abandon(p);
    return;
  }
  if (p->components != NULL)
    brink_parse_error(p, BRINK_MSG_TABLE_MISPLACED, brink_parse_place(p),
                      "move it to the top of the file", "tables come before the components");
  brink_user_function *function = brink_parse_definition(p, "the table's name");
  if (function == NULL) return;
  bool named = function->name != NULL;
  function->table = table;
  brink_parse_parameters(p, function);
  table->grid.inputs = (int)(function->narguments < 3 ? function->narguments : 3);
  if (!p->panic && (table->grid.inputs < 1 || table->grid.inputs > 2))
    brink_parse_error(p, BRINK_MSG_TABLE_INPUTS, function->place, NULL,
                      "a table has one input or two, not %zu", function->narguments);
  brink_parse_expect(p, BRINK_TOKEN_EQ, "'='");
  parse_source(p, table);
  brink_parse_finish(p);
  if (named) brink_parse_add_function(p, function);
}
