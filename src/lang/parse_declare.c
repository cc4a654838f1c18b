/* parse_declare.c: declarations of the interface and the body.
 *
 *   declaration = ("input" | "output" | "state" | "parameter" | "variable")
 *                   "(" name "," type ["," range] ["," STRING] ")" ";"
 *               | "held" "(" name "," type ["," range] ["," STRING] ")" ";"
 *               | "flag" "(" name ["," side] ["," "silent"] ")" ";"
 *               | "timer" "(" name ["," "silent"] ")" ";"
 *               | "queue" "(" NAME "," type "," expression ")" ";"
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
  FORM_HELD,
  FORM_FLAG,
  FORM_TIMER,
  FORM_QUEUE,
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
    {"held", FORM_HELD, BRINK_SYMBOL_STATE, false},
    {"flag", FORM_FLAG, BRINK_SYMBOL_FLAG, false},
    {"timer", FORM_TIMER, BRINK_SYMBOL_STATE, false},
    {"queue", FORM_QUEUE, BRINK_SYMBOL_QUEUE, false},
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

/* name = NAME ["[" expression ["," expression] "]"] */
brink_symbol *brink_parse_declared_name(brink_parser *p, brink_symbol_kind kind) {
  brink_token name;
  if (!brink_parse_expect_name(p, "a name", &name)) return NULL;
  brink_symbol *symbol = brink_parse_symbol(p, kind, &name);
  brink_token open = p->token;
  if (brink_parse_accept(p, BRINK_TOKEN_LBRACKET)) {
    brink_ast_expr *size = brink_parse_expression(p), *columns = NULL;
    if (!p->panic && brink_parse_accept(p, BRINK_TOKEN_COMMA)) columns = brink_parse_expression(p);
    brink_parse_close(p, BRINK_TOKEN_RBRACKET, &open);
    if (symbol != NULL) brink_parse_sizes(p, symbol, size, columns);
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
  if (brink_token_is_word(token, "vector") || brink_token_is_word(token, "matrix") ||
      brink_token_is_word(token, "array"))
    return "a vector is declared with its size: state(x[3], real)";
  return "types are signal, real, integer, boolean and string";
}

/* state(a, b, real): is there one more name, and then a type? */
static bool names_ahead(const brink_parser *p) {
  brink_lexer ahead = p->lexer;
  brink_token third;
  ahead.unit = NULL;
  if (p->next.kind != BRINK_TOKEN_COMMA) return false;
  brink_lexer_next(&ahead, &third);
  return third.kind == BRINK_TOKEN_NAME;
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
  bool port = symbol != NULL &&
              (symbol->kind == BRINK_SYMBOL_INPUT || symbol->kind == BRINK_SYMBOL_OUTPUT) &&
              !names_ahead(p);
  if (type == BRINK_TYPE_UNKNOWN && port) { /* perhaps a bundle: all files must have been read */
    symbol->bundle_name = brink_parse_name(p, &p->token);
    symbol->type_hint = type_hint(p, &p->token);
  } else if (type == BRINK_TYPE_UNKNOWN)
    brink_parse_error(p, BRINK_MSG_UNKNOWN_TYPE, place,
                      names_ahead(p) ? "one name each: state(a, real); state(b, real);"
                                     : type_hint(p, &p->token),
                      "unknown type %s", brink_parse_shown(p, &p->token));
  if (type == BRINK_TYPE_UNKNOWN && names_ahead(p)) p->losses++, p->panic = true;
  if (type != BRINK_TYPE_UNKNOWN)
    brink_parse_keyword(p);
  else
    brink_parse_advance(p); /* a bundle's name keeps its case */
  if (p->token.kind == BRINK_TOKEN_LBRACKET && !p->panic && symbol != NULL)
    brink_parse_panic(
        p, BRINK_MSG_EXPECTED_WORD, brink_parse_place(p),
        brink_unit_format(p->unit, "the size stands behind the name: %s[...]", symbol->name),
        "expected '%s', found %s", ")", brink_parse_shown(p, &p->token));
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

/* [0, 1], [m], start = 1 */
static const char *range_hint(brink_parser *p, const brink_symbol *symbol) {
  if (p->token.kind == BRINK_TOKEN_LBRACKET)
    return "ranges are written (0.0, 1.0), units in quotes: \"m\"";
  bool start = brink_token_is_word(&p->token, "start") || brink_token_is_word(&p->token, "initial");
  if (start && symbol != NULL)
    return brink_unit_format(p->unit, "where it starts stands in 'initial': %s := ...;",
                             symbol->name);
  return "ranges are written (0.0, 1.0) or {\"a\", \"b\"}";
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
    brink_parse_panic(p, BRINK_MSG_EXPECTED_RANGE, brink_parse_place(p), range_hint(p, symbol),
                      "expected a range or a unit, found %s", brink_parse_shown(p, &p->token));
  }
  if (more && !p->panic && p->token.kind == BRINK_TOKEN_STRING) {
    unit = brink_parse_string(p, &p->token);
    brink_parse_advance(p);
  } else if (more) {
    brink_parse_panic(p, BRINK_MSG_EXPECTED, brink_parse_place(p), "a unit is written \"m/s\"",
                      "expected %s, found %s", "a unit in quotes", brink_parse_shown(p, &p->token));
  }
  if (symbol != NULL) symbol->range = range, symbol->unit = unit;
}

/* ---- the forms ---- */

/* [ "," "silent" ] */
static bool accept_silent(brink_parser *p, brink_symbol *symbol) {
  if (!brink_parse_is(p, "silent")) return false;
  if (symbol != NULL) symbol->silent = true;
  brink_parse_keyword(p);
  return true;
}

/* side = "unilateral" | "bilateral" | "crossing" */
static void parse_side(brink_parser *p, brink_symbol *symbol) {
  static const struct {
    const char *word;
    brink_side side;
  } sides[] = {{"unilateral", BRINK_UNILATERAL},
               {"bilateral", BRINK_BILATERAL},
               {"crossing", BRINK_CROSSING}};
  if (!brink_parse_accept(p, BRINK_TOKEN_COMMA) || accept_silent(p, symbol)) return;
  const char *best = NULL;
  for (size_t k = 0; k < 3; k++) {
    if (brink_parse_is(p, sides[k].word)) {
      if (symbol != NULL) symbol->side = sides[k].side;
      brink_parse_keyword(p);
      if (brink_parse_accept(p, BRINK_TOKEN_COMMA) && !accept_silent(p, symbol))
        brink_parse_unexpected(p, "'silent'");
      return;
    }
    if (p->token.kind == BRINK_TOKEN_NAME)
      best = brink_nearest(brink_parse_name(p, &p->token), sides[k].word, best);
  }
  const char *hint = best != NULL
                         ? brink_parse_did_you_mean(p, best)
                         : "sides are unilateral, bilateral and crossing; behind them, silent";
  if (p->token.kind == BRINK_TOKEN_NAME) {
    brink_parse_error(p, BRINK_MSG_UNKNOWN_SIDE, brink_parse_place(p), hint, "unknown side %s",
                      brink_parse_shown(p, &p->token));
    brink_parse_advance(p);
  } else {
    brink_parse_panic(p, BRINK_MSG_EXPECTED_SIDE, brink_parse_place(p), hint,
                      "expected a side, found %s", brink_parse_shown(p, &p->token));
  }
}

/* state(z), state(z : real), state(z(3), real) */
static const char *symbol_hint(brink_parser *p, const declaration *d, const brink_symbol *symbol) {
  if (symbol == NULL) return NULL;
  return brink_unit_format(p->unit, "write %s(%s%s, real);", d->word, symbol->name,
                           p->token.kind == BRINK_TOKEN_LPAREN ? "[...]" : "");
}

/* "," type "," expression */
static void parse_queue(brink_parser *p, brink_symbol *symbol) {
  if (!p->panic && symbol != NULL && symbol->size != NULL)
    brink_parse_error(p, BRINK_MSG_QUEUE_ELEMENTS, symbol->place,
                      "queue(q, real, 100) holds up to 100 numbers",
                      "a queue has no elements: '%s' is one queue", symbol->name);
  brink_parse_expect(p, BRINK_TOKEN_COMMA, "',' and a type");
  if (!p->panic) parse_type(p, symbol);
  brink_parse_expect(p, BRINK_TOKEN_COMMA, "',' and how many it holds");
  brink_ast_expr *capacity = p->panic ? NULL : brink_parse_expression(p);
  if (symbol != NULL) symbol->size = capacity;
}

/* The part between the parentheses that follows the name. */
static void parse_rest(brink_parser *p, const declaration *d, brink_symbol *symbol) {
  if (d->form == FORM_FLAG) {
    if (symbol != NULL) symbol->type = BRINK_TYPE_REAL;
    parse_side(p, symbol);
    return;
  }
  if (d->form == FORM_TIMER) {
    if (symbol != NULL) symbol->type = BRINK_TYPE_REAL, symbol->timer = true;
    if (brink_parse_accept(p, BRINK_TOKEN_COMMA) && !accept_silent(p, symbol))
      brink_parse_unexpected(p, "'silent'");
    return;
  }
  if (d->form == FORM_QUEUE) {
    parse_queue(p, symbol);
    return;
  }
  if (symbol != NULL) symbol->held = d->form == FORM_HELD;
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
  if (!p->panic && p->token.kind != BRINK_TOKEN_COMMA)
    brink_parse_panic(p, BRINK_MSG_EXPECTED, brink_parse_place(p), symbol_hint(p, d, symbol),
                      "expected %s, found %s", "',' and a type", brink_parse_shown(p, &p->token));
  if (brink_parse_accept(p, BRINK_TOKEN_COMMA)) parse_type(p, symbol);
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

/* Real z; as other languages declare, with the name that follows. */
static const char *foreign_hint(brink_parser *p, const char *word) {
  if (brink_foreign_is_type(word) && p->next.kind == BRINK_TOKEN_NAME) {
    const char *name = brink_parse_name(p, &p->next);
    return brink_unit_format(p->unit,
                             "write state(%s, real); variable(%s, real); or parameter(%s, real);",
                             name, name, name);
  }
  return brink_foreign_hint(BRINK_FOREIGN_DECLARATION, word);
}

/* parameter Real z = 1; state z; */
static void expect_parenthesis(brink_parser *p, const declaration *d) {
  if (p->panic || brink_parse_accept(p, BRINK_TOKEN_LPAREN)) return;
  const brink_token *name =
      p->token.kind == BRINK_TOKEN_NAME && p->next.kind == BRINK_TOKEN_NAME ? &p->next : &p->token;
  const char *hint = NULL;
  if ((d->form == FORM_SYMBOL || d->form == FORM_HELD) && name->kind == BRINK_TOKEN_NAME)
    hint = brink_unit_format(p->unit, "write %s(%s, real);", d->word, brink_parse_name(p, name));
  brink_parse_panic(p, BRINK_MSG_EXPECTED, brink_parse_place(p), hint, "expected %s, found %s",
                    "'('", brink_parse_shown(p, &p->token));
}

/* state(z, real) = 3; */
static void check_value(brink_parser *p, const declaration *d, const brink_symbol *symbol) {
  if (p->panic || symbol == NULL ||
      (p->token.kind != BRINK_TOKEN_EQ && p->token.kind != BRINK_TOKEN_ASSIGN))
    return;
  const char *hint =
      d->kind == BRINK_SYMBOL_STATE
          ? brink_unit_format(p->unit, "where it starts stands in 'initial': %s := ...;",
                              symbol->name)
      : d->kind == BRINK_SYMBOL_PARAMETER || d->kind == BRINK_SYMBOL_INPUT
          ? brink_unit_format(p->unit, "its value stands in 'assignments': %s : ...;", symbol->name)
          : brink_unit_format(p->unit, "its equation stands in 'dynamics' or 'output': %s = ...;",
                              symbol->name);
  brink_parse_panic(p, BRINK_MSG_UNEXPECTED, brink_parse_place(p), hint, "%s is not expected here",
                    brink_parse_shown(p, &p->token));
}

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
  const char *hint = foreign_hint(p, name);
  brink_parse_panic(p, BRINK_MSG_NOT_A_DECLARATION, brink_parse_place(p),
                    hint != NULL ? hint
                                 : "declarations are state, held, parameter, variable, flag, "
                                   "timer, queue, mode, sample and priority; "
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
  bool signal = d->kind == BRINK_SYMBOL_INPUT || d->kind == BRINK_SYMBOL_OUTPUT;
  if (p->component == NULL && !signal) { /* in a bundle */
    brink_parse_panic(p, BRINK_MSG_BUNDLE_MEMBER, brink_parse_place(p),
                      "what goes with the connection is an output, what comes back an input",
                      "a bundle has inputs and outputs only");
    brink_parse_advance(p);
    brink_parse_finish(p);
    return;
  }
  check_home(p, d, in_interface);
  brink_parse_keyword(p);
  brink_token open = p->token;
  brink_symbol *symbol = NULL;
  expect_parenthesis(p, d);
  if (d->form == FORM_SAMPLE) {
    parse_sample(p, &word);
  } else if (d->form == FORM_PRIORITY) {
    parse_priority(p, &word);
  } else if (d->form == FORM_MENTION) {
    parse_mentions(p, d->kind == BRINK_SYMBOL_PARAMETER);
  } else {
    symbol = brink_parse_declared_name(p, d->kind);
    parse_rest(p, d, symbol);
  }
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
  check_value(p, d, symbol);
  brink_parse_finish(p);
  brink_parse_declare(p, symbol);
}
