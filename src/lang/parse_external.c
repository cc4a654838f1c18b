/* parse_external.c: functions and constants that are in a library of C.
 *
 *   function = "function" NAME "(" [NAME {"," NAME}] ")" "is" external
 *   constant = "constant" NAME "is" external
 *   external = "external" STRING ["symbol" STRING] ["derivative" STRING] ";" */
#include "lang/parser.h"

bool brink_parse_at_external(const brink_parser *p) {
  return p->token.kind == BRINK_TOKEN_IS && brink_token_is_word(&p->next, "external");
}

/* A word and a text behind it; NULL: it is not there. */
static const char *parse_clause(brink_parser *p, const char *word, brink_place *place) {
  if (!brink_parse_is(p, word)) return NULL;
  brink_parse_keyword(p);
  brink_token text = p->token;
  if (!brink_parse_expect(p, BRINK_TOKEN_STRING, "a name in quotes")) return NULL;
  *place = brink_token_place(p->file, &text);
  return brink_parse_string(p, &text);
}

void brink_parse_external(brink_parser *p, brink_user_function *function) {
  brink_ast_external *external = brink_unit_take(p->unit, 1, sizeof *external);
  if (external == NULL) {
    brink_parse_abandon(p);
    return;
  }
  function->external = external;
  brink_parse_keyword(p); /* is */
  external->library = parse_clause(p, "external", &external->library_place);
  external->symbol_place = function->place;
  const char *symbol = parse_clause(p, "symbol", &external->symbol_place);
  external->symbol = symbol != NULL ? symbol : function->name;
  external->derivative = parse_clause(p, "derivative", &external->derivative_place);
  if (function->narguments > BRINK_EXTERNAL_ARGUMENTS)
    brink_parse_error(p, BRINK_MSG_EXTERNAL_ARGUMENTS, function->argument[0]->place, NULL,
                      "an external function takes at most %d arguments, not %zu",
                      BRINK_EXTERNAL_ARGUMENTS, function->narguments);
}

void brink_parse_constant(brink_parser *p) {
  if (p->components != NULL)
    brink_parse_error(p, BRINK_MSG_CONSTANT_MISPLACED, brink_parse_place(p),
                      "move it to the top of the file", "constants come before the components");
  brink_user_function *function = brink_parse_definition(p, "the constant's name");
  if (function == NULL) return;
  if (!p->panic && !brink_parse_at_external(p))
    brink_parse_unexpected(p, "'is external \"…\"'");
  else if (!p->panic)
    brink_parse_external(p, function);
  if (function->external != NULL) function->external->is_constant = true;
  if (function->external != NULL && function->external->derivative != NULL)
    brink_parse_error(p, BRINK_MSG_CONSTANT_DERIVED, function->external->derivative_place,
                      "leave it out", "a constant has no derivative");
  brink_parse_finish(p);
  if (function->name != NULL && function->external != NULL) brink_parse_add_function(p, function);
}
