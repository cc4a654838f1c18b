/* parse_declare.c: declarations of the interface and the body, instances, values.
 *
 *   declaration = ("input" | "output" | "state" | "parameter" | "variable")
 *                   "(" name "," type ["," range] ["," STRING] ")" ";"
 *               | "flag" "(" name ["," side] ")" ";"
 *               | "mode" "(" name "," set ")" ";"
 *               | "sample" "(" expression ["," expression] ")" ";"
 *               | "priority" "(" expression ")" ";"
 *               | ("knob" | "view") "(" NAME {"," NAME} ")" ";"
 *   name  = NAME ["[" expression "]"]
 *   range = "(" expression "," expression ")" | set
 *   set   = "{" item {"," item} "}" */

#include "lang/parser.h"

typedef enum form {
  FORM_SYMBOL,
  FORM_FLAG,
  FORM_MODE,
  FORM_SAMPLE,
  FORM_PRIORITY,
  FORM_MENTION
} form;

typedef struct declaration {
  const char *word;
  form form;
  brink_symbol_kind kind;
  bool in_interface; /* it belongs in the interface */
} declaration;

static const declaration declarations[] = {
    {"input", FORM_SYMBOL, BRINK_SYMBOL_INPUT, true},
    {"output", FORM_SYMBOL, BRINK_SYMBOL_OUTPUT, true},
    {"knob", FORM_MENTION, BRINK_SYMBOL_PARAMETER, true},
    {"view", FORM_MENTION, BRINK_SYMBOL_STATE, true},
    {"state", FORM_SYMBOL, BRINK_SYMBOL_STATE, false},
    {"parameter", FORM_SYMBOL, BRINK_SYMBOL_PARAMETER, false},
    {"variable", FORM_SYMBOL, BRINK_SYMBOL_VARIABLE, false},
    {"flag", FORM_FLAG, BRINK_SYMBOL_FLAG, false},
    {"mode", FORM_MODE, BRINK_SYMBOL_MODE, false},
    {"sample", FORM_SAMPLE, BRINK_SYMBOL_VARIABLE, false},
    {"priority", FORM_PRIORITY, BRINK_SYMBOL_VARIABLE, false},
};
#define DECLARATIONS (sizeof declarations / sizeof declarations[0])

static const declaration *find_declaration(const brink_token *token) {
  for (size_t k = 0; k < DECLARATIONS; k++)
    if (brink_token_is_word(token, declarations[k].word)) return &declarations[k];
  return NULL;
}

bool brink_parse_at_declaration(const brink_parser *p) {
  return p->next.kind == BRINK_TOKEN_LPAREN && find_declaration(&p->token) != NULL;
}

bool brink_parse_at_interface(const brink_parser *p) {
  return brink_parse_at_declaration(p) && find_declaration(&p->token)->in_interface;
}

/* ---- names, types ---- */

/* name = NAME ["[" expression "]"] */
static brink_symbol *parse_declared_name(brink_parser *p, brink_symbol_kind kind) {
  brink_token name;
  if (!brink_parse_expect_name(p, "a name", &name)) return NULL;
  brink_symbol *symbol = brink_parse_symbol(p, kind, &name);
  brink_token open = p->token;
  if (brink_parse_accept(p, BRINK_TOKEN_LBRACKET)) {
    brink_ast_expr *size = brink_parse_expression(p);
    brink_parse_close(p, BRINK_TOKEN_RBRACKET, &open);
    if (symbol != NULL) symbol->size = size;
  }
  return symbol;
}

static const struct {
  const char *foreign;
  brink_type type;
} type_aliases[] = {
    {"int", BRINK_TYPE_INTEGER}, {"bool", BRINK_TYPE_BOOLEAN}, {"float", BRINK_TYPE_REAL},
    {"double", BRINK_TYPE_REAL}, {"number", BRINK_TYPE_REAL},  {"text", BRINK_TYPE_STRING},
    {"str", BRINK_TYPE_STRING},  {"char", BRINK_TYPE_STRING},  {"logical", BRINK_TYPE_BOOLEAN},
};

static brink_type find_type(const brink_token *token) {
  for (int type = BRINK_TYPE_SIGNAL; type <= BRINK_TYPE_STRING; type++)
    if (brink_token_is_word(token, brink_type_name((brink_type)type))) return (brink_type)type;
  return BRINK_TYPE_UNKNOWN;
}

static const char *type_hint(brink_parser *p, const brink_token *token) {
  const char *name = brink_parse_name(p, token), *best = NULL;
  for (size_t k = 0; k < sizeof type_aliases / sizeof type_aliases[0]; k++)
    if (brink_token_is_word(token, type_aliases[k].foreign))
      best = brink_type_name(type_aliases[k].type);
  for (int type = BRINK_TYPE_SIGNAL; type <= BRINK_TYPE_STRING && best == NULL; type++)
    best = brink_nearest(name, brink_type_name((brink_type)type), best);
  if (best != NULL) return brink_parse_did_you_mean(p, best);
  return "types are signal, real, integer, boolean and string";
}

/* type = "signal" | "real" | "integer" | "boolean" | "string" */
static void parse_type(brink_parser *p, brink_symbol *symbol) {
  if (p->panic) return;
  brink_place place = brink_parse_place(p);
  if (p->token.kind != BRINK_TOKEN_NAME) {
    brink_parse_panic(p, BRINK_MSG_EXPECTED_TYPE, place,
                      "types are signal, real, integer, boolean and string",
                      "expected a type, found %s", brink_parse_shown(p, &p->token));
    return;
  }
  brink_type type = find_type(&p->token);
  if (type == BRINK_TYPE_UNKNOWN)
    brink_parse_error(p, BRINK_MSG_UNKNOWN_TYPE, place, type_hint(p, &p->token), "unknown type %s",
                      brink_parse_shown(p, &p->token));
  brink_parse_keyword(p);
  if (symbol != NULL) symbol->type = type, symbol->type_place = place;
}

/* ---- ranges ---- */

/* item = STRING | ["-"] NUMBER */
static brink_ast_expr *parse_set_item(brink_parser *p, bool *reported) {
  brink_ast_expr *item = brink_parse_sum(p);
  if (p->panic || item->op == BRINK_AST_TEXT || item->op == BRINK_AST_NUMBER ||
      item->op == BRINK_AST_DAMAGED)
    return item;
  if (item->op == BRINK_AST_NEGATE && item->arg[0]->op == BRINK_AST_NUMBER) {
    brink_ast_expr *number = item->arg[0];
    number->number = -number->number;
    number->text = brink_unit_format(p->unit, "-%s", number->text);
    number->place = item->place;
    return number;
  }
  if (!*reported)
    brink_parse_error(p, BRINK_MSG_SET_ITEM_FORMULA, item->place,
                      "a set is written {\"low\", \"high\"} or {1, 2}",
                      "sets contain strings and numbers only");
  *reported = true;
  item->op = BRINK_AST_DAMAGED;
  item->nargs = 0;
  return item;
}

/* set = "{" item {"," item} "}" */
static void parse_set(brink_parser *p, brink_ast_range *range) {
  brink_token open = p->token;
  size_t begin = brink_list_begin(p);
  bool reported = false;
  brink_parse_advance(p);
  do {
    brink_ast_expr *item = parse_set_item(p, &reported);
    brink_list_add(p, &item, sizeof item);
  } while (brink_parse_accept(p, BRINK_TOKEN_COMMA));
  range->item = brink_list_take(p, begin, sizeof *range->item, &range->nitems);
  brink_parse_close(p, BRINK_TOKEN_RBRACE, &open);
  range->is_set = true;
  range->given = !p->panic;
  range->place = brink_parse_span(p, &open);
}

/* range = "(" expression "," expression ")" | set */
static void parse_range(brink_parser *p, brink_ast_range *range) {
  if (p->token.kind == BRINK_TOKEN_LBRACE) {
    parse_set(p, range);
    return;
  }
  brink_token open = p->token;
  brink_parse_advance(p);
  range->lo = brink_parse_expression(p);
  if (!p->panic && p->token.kind == BRINK_TOKEN_DOTDOT) {
    brink_parse_error(p, BRINK_MSG_DOTS_IN_RANGE, brink_parse_place(p),
                      "a range is written (0.0, 1.0)", "'..' belongs to loops");
    p->token.kind = BRINK_TOKEN_COMMA;
  }
  if (!p->panic && p->token.kind == BRINK_TOKEN_NUMBER && p->next.kind == BRINK_TOKEN_RPAREN)
    brink_parse_error(p, BRINK_MSG_MISSING_SIGN, brink_parse_after(p), NULL,
                      "a '%s' is missing here", ",");
  else
    brink_parse_expect(p, BRINK_TOKEN_COMMA, "',' and the upper bound");
  range->hi = brink_parse_expression(p);
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
  range->given = !p->panic;
  range->place = brink_parse_span(p, &open);
}

/* A comma, or what can only stand after one. */
static bool accept_comma(brink_parser *p) {
  if (p->panic) return false;
  if (p->token.kind == BRINK_TOKEN_LPAREN || p->token.kind == BRINK_TOKEN_LBRACE ||
      p->token.kind == BRINK_TOKEN_STRING) {
    brink_parse_error(p, BRINK_MSG_MISSING_SIGN, brink_parse_after(p), NULL,
                      "a '%s' is missing here", ",");
    return true;
  }
  return brink_parse_accept(p, BRINK_TOKEN_COMMA);
}

/* ["," range] ["," STRING] */
static void parse_range_and_unit(brink_parser *p, brink_symbol *symbol) {
  brink_ast_range range = {.given = false};
  const char *unit = NULL;
  bool more = accept_comma(p);
  if (more && (p->token.kind == BRINK_TOKEN_LPAREN || p->token.kind == BRINK_TOKEN_LBRACE)) {
    parse_range(p, &range);
    more = accept_comma(p);
  } else if (more && p->token.kind != BRINK_TOKEN_STRING) {
    brink_parse_panic(p, BRINK_MSG_EXPECTED_RANGE, brink_parse_place(p),
                      "ranges are written (0.0, 1.0) or {\"a\", \"b\"}",
                      "expected a range or a unit, found %s", brink_parse_shown(p, &p->token));
  }
  if (more && !p->panic && p->token.kind == BRINK_TOKEN_STRING) {
    unit = brink_parse_string(p, &p->token);
    brink_parse_advance(p);
  } else if (more) {
    brink_parse_unexpected(p, "a unit in quotes");
  }
  if (symbol != NULL) symbol->range = range, symbol->unit = unit;
}

/* ---- the forms ---- */

/* side = "unilateral" | "bilateral" | "crossing" */
static void parse_side(brink_parser *p, brink_symbol *symbol) {
  static const struct {
    const char *word;
    brink_side side;
  } sides[] = {{"unilateral", BRINK_UNILATERAL},
               {"bilateral", BRINK_BILATERAL},
               {"crossing", BRINK_CROSSING}};
  if (!brink_parse_accept(p, BRINK_TOKEN_COMMA)) return;
  const char *best = NULL;
  for (size_t k = 0; k < 3; k++) {
    if (brink_parse_is(p, sides[k].word)) {
      if (symbol != NULL) symbol->side = sides[k].side;
      brink_parse_keyword(p);
      return;
    }
    if (p->token.kind == BRINK_TOKEN_NAME)
      best = brink_nearest(brink_parse_name(p, &p->token), sides[k].word, best);
  }
  const char *hint = best != NULL ? brink_parse_did_you_mean(p, best)
                                  : "sides are unilateral, bilateral and crossing";
  if (p->token.kind == BRINK_TOKEN_NAME) {
    brink_parse_error(p, BRINK_MSG_UNKNOWN_SIDE, brink_parse_place(p), hint, "unknown side %s",
                      brink_parse_shown(p, &p->token));
    brink_parse_advance(p);
  } else {
    brink_parse_panic(p, BRINK_MSG_EXPECTED_SIDE, brink_parse_place(p), hint,
                      "expected a side, found %s", brink_parse_shown(p, &p->token));
  }
}

/* The part between the parentheses that follows the name. */
static void parse_rest(brink_parser *p, const declaration *d, brink_symbol *symbol) {
  if (d->form == FORM_FLAG) {
    if (symbol != NULL) symbol->type = BRINK_TYPE_REAL;
    parse_side(p, symbol);
    return;
  }
  if (d->form == FORM_MODE) {
    if (symbol != NULL) symbol->type = BRINK_TYPE_STRING;
    brink_parse_expect(p, BRINK_TOKEN_COMMA, "',' and the set of values");
    brink_ast_range range = {.given = false};
    if (!p->panic && p->token.kind != BRINK_TOKEN_LBRACE)
      brink_parse_panic(p, BRINK_MSG_EXPECTED_SET, brink_parse_place(p),
                        "a mode is written mode(m, {\"a\", \"b\"})", "expected a set, found %s",
                        brink_parse_shown(p, &p->token));
    else if (!p->panic)
      parse_set(p, &range);
    if (symbol != NULL) symbol->range = range;
    return;
  }
  if (brink_parse_expect(p, BRINK_TOKEN_COMMA, "',' and a type")) parse_type(p, symbol);
  parse_range_and_unit(p, symbol);
}

static void parse_sample(brink_parser *p, const brink_token *word) {
  brink_component *c = p->component;
  if (c->has_sample)
    brink_parse_error(p, BRINK_MSG_SECOND_DECLARATION, brink_token_place(p->file, word), NULL,
                      "a second '%s'", "sample");
  c->has_sample = true;
  c->sample_place = brink_token_place(p->file, word);
  c->period = brink_parse_expression(p);
  if (brink_parse_accept(p, BRINK_TOKEN_COMMA)) c->offset = brink_parse_expression(p);
}

static void parse_priority(brink_parser *p, const brink_token *word) {
  brink_component *c = p->component;
  if (c->has_priority)
    brink_parse_error(p, BRINK_MSG_SECOND_DECLARATION, brink_token_place(p->file, word), NULL,
                      "a second '%s'", "priority");
  c->has_priority = true;
  c->priority_place = brink_token_place(p->file, word);
  c->priority = brink_parse_expression(p);
}

/* NAME {"," NAME} of a knob or a view */
static void parse_mentions(brink_parser *p, bool is_knob) {
  brink_component *c = p->component;
  brink_token name;
  do {
    if (!brink_parse_expect_name(p, "a name", &name)) return;
    struct brink_ast_mention *mention =
        brink_unit_push(p->unit, c->mentions, c->nmentions, p->mentions_capacity);
    if (mention == NULL) return;
    *mention = (struct brink_ast_mention){.name = brink_parse_name(p, &name),
                                          .place = brink_token_place(p->file, &name),
                                          .is_knob = is_knob};
  } while (brink_parse_accept(p, BRINK_TOKEN_COMMA));
}

/* ---- one declaration ---- */

static const declaration *guess_declaration(brink_parser *p) {
  if (p->token.kind != BRINK_TOKEN_NAME) {
    brink_parse_panic(p, BRINK_MSG_EXPECTED_DECLARATION, brink_parse_place(p), NULL,
                      "expected a declaration, found %s", brink_parse_shown(p, &p->token));
    return NULL;
  }
  const char *name = brink_parse_name(p, &p->token), *best = NULL;
  const declaration *guess = NULL;
  for (size_t k = 0; k < DECLARATIONS; k++) {
    const char *nearest = brink_nearest(name, declarations[k].word, best);
    if (nearest != best) best = nearest, guess = &declarations[k];
  }
  if (best != NULL && p->next.kind == BRINK_TOKEN_LPAREN) {
    brink_parse_error(p, BRINK_MSG_UNKNOWN_DECLARATION, brink_parse_place(p),
                      brink_parse_did_you_mean(p, best), "unknown declaration '%s'", name);
    return guess;
  }
  brink_parse_panic(p, BRINK_MSG_NOT_A_DECLARATION, brink_parse_place(p),
                    "declarations are state, parameter, variable, flag, mode, sample and priority; "
                    "in the interface input, output, knob and view",
                    "'%s' does not begin a declaration", name);
  return NULL;
}

static void check_home(brink_parser *p, const declaration *d, bool in_interface) {
  if (d->in_interface == in_interface) return;
  brink_parse_error(p, BRINK_MSG_DECLARATION_MISPLACED, brink_parse_place(p), NULL,
                    "'%s' belongs in '%s'", d->word,
                    d->in_interface ? "interface" : "declarations");
}

void brink_parse_declaration(brink_parser *p, bool in_interface) {
  brink_token word = p->token;
  const declaration *d = find_declaration(&p->token);
  brink_parse_line(p);
  if (d == NULL) d = guess_declaration(p);
  if (d == NULL) {
    brink_parse_advance(p);
    brink_parse_finish(p);
    return;
  }
  check_home(p, d, in_interface);
  brink_parse_keyword(p);
  brink_token open = p->token;
  brink_symbol *symbol = NULL;
  brink_parse_expect(p, BRINK_TOKEN_LPAREN, "'('");
  if (d->form == FORM_SAMPLE) {
    parse_sample(p, &word);
  } else if (d->form == FORM_PRIORITY) {
    parse_priority(p, &word);
  } else if (d->form == FORM_MENTION) {
    parse_mentions(p, d->kind == BRINK_SYMBOL_PARAMETER);
  } else {
    symbol = parse_declared_name(p, d->kind);
    parse_rest(p, d, symbol);
  }
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
  brink_parse_finish(p);
  brink_parse_declare(p, symbol);
}

/* ---- values and instances ---- */

bool brink_parse_value(brink_parser *p, brink_ast_value *value) {
  brink_token name;
  *value = (brink_ast_value){.name = ""};
  if (!brink_parse_expect_name(p, "a name", &name)) return false;
  value->name = brink_parse_name(p, &name);
  value->place = brink_token_place(p->file, &name);
  brink_token open = p->token;
  if (brink_parse_accept(p, BRINK_TOKEN_LBRACKET)) {
    value->index = brink_parse_expression(p);
    brink_parse_close(p, BRINK_TOKEN_RBRACKET, &open);
  }
  if (!p->panic && (p->token.kind == BRINK_TOKEN_EQ || p->token.kind == BRINK_TOKEN_ASSIGN)) {
    brink_parse_error(p, BRINK_MSG_VALUE_WITHOUT_COLON, brink_parse_place(p),
                      "write 'name : value'", "values are given with ':' here");
    p->token.kind = BRINK_TOKEN_COLON;
  }
  brink_parse_expect(p, BRINK_TOKEN_COLON, "':'");
  value->expr = brink_parse_expression(p);
  return true;
}

/* Does a ')' come before the ';' that nothing on the way opens? */
static bool parenthesis_ahead(const brink_parser *p) {
  brink_lexer ahead = p->lexer;
  brink_token token = p->next;
  ahead.unit = NULL;
  for (int depth = 0; token.line == p->token.line; brink_lexer_next(&ahead, &token)) {
    if (token.kind == BRINK_TOKEN_SEMICOLON || token.kind == BRINK_TOKEN_EOF) break;
    if (token.kind == BRINK_TOKEN_LPAREN) depth++;
    if (token.kind == BRINK_TOKEN_RPAREN && depth-- == 0) return true;
  }
  return false;
}

/* "(" [value {"," value}] ")" */
static void parse_instance_values(brink_parser *p, brink_symbol *symbol) {
  brink_token open = p->token;
  bool forgotten = !p->panic && p->token.kind == BRINK_TOKEN_NAME && !p->token.first &&
                   p->next.kind == BRINK_TOKEN_COLON && parenthesis_ahead(p);
  if (forgotten)
    brink_parse_error(p, BRINK_MSG_MISSING_SIGN, brink_parse_after(p), NULL,
                      "a '%s' is missing here", "(");
  else if (!brink_parse_accept(p, BRINK_TOKEN_LPAREN))
    return;
  size_t begin = brink_list_begin(p), count = 0;
  brink_ast_value value;
  if (p->token.kind != BRINK_TOKEN_RPAREN) {
    do {
      if (!brink_parse_value(p, &value)) break;
      brink_list_add(p, &value, sizeof value);
    } while (brink_parse_accept(p, BRINK_TOKEN_COMMA));
  }
  brink_ast_value *values = brink_list_take(p, begin, sizeof value, &count);
  if (symbol != NULL) symbol->values = values, symbol->nvalues = count;
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
}

/* instance = NAME ["[" expression "]"] ":" NAME ["(" [value {"," value}] ")"] ";" */
void brink_parse_instance(brink_parser *p) {
  brink_token name;
  brink_parse_line(p);
  brink_symbol *symbol = parse_declared_name(p, BRINK_SYMBOL_INSTANCE);
  if (!p->panic && (p->token.kind == BRINK_TOKEN_EQ || p->token.kind == BRINK_TOKEN_ASSIGN)) {
    brink_parse_error(p, BRINK_MSG_PART_WITHOUT_COLON, brink_parse_place(p),
                      "write 'name : Component;'", "parts are named with ':' here");
    p->token.kind = BRINK_TOKEN_COLON;
  }
  brink_parse_expect(p, BRINK_TOKEN_COLON, "':' and the name of a component");
  if (brink_parse_expect_name(p, "the name of a component", &name) && symbol != NULL) {
    symbol->class_name = brink_parse_name(p, &name);
    symbol->class_place = brink_token_place(p->file, &name);
  }
  parse_instance_values(p, symbol);
  brink_parse_finish(p);
  if (symbol != NULL && symbol->class_name != NULL) brink_parse_declare(p, symbol);
}
