/* parse_statement.c: statements of one line, and which statement is which.
 *
 *   statement = if | for | when | let | leave | guess | call | definition
 *
 * The words that begin them are reserved nowhere else: `when = 2;` defines a variable. Which
 * statements a section may contain is in `may`; one that does not belong there is read,
 * reported and left out. */
#include <string.h>

#include "lang/parser.h"

brink_ast_statement *brink_parse_new(brink_parser *p, brink_ast_statement_kind kind,
                                     brink_place place) {
  brink_ast_statement *statement = brink_unit_take(p->unit, 1, sizeof *statement);
  if (statement == NULL) return NULL;
  statement->kind = kind;
  statement->place = place;
  brink_parse_count(p, place);
  return statement;
}

void *brink_parse_single(brink_parser *p, const void *item, size_t size) {
  void *list = brink_unit_take(p->unit, 1, size);
  if (list != NULL) memcpy(list, item, size);
  return list;
}

/* ---- statements of one line ---- */

/* return = "return" expression ";" */
static brink_ast_statement *parse_return(brink_parser *p) {
  brink_ast_statement *statement = brink_parse_new(p, BRINK_STATEMENT_RETURN, brink_parse_place(p));
  brink_parse_spaced_keyword(p);
  brink_ast_expr *expr = brink_parse_expression(p);
  brink_parse_finish(p);
  if (statement != NULL) statement->expr = expr;
  return statement;
}

/* let = "let" NAME "=" expression ";" */
static brink_ast_statement *parse_let(brink_parser *p, unsigned may) {
  if (brink_parse_at_tuple(p, &p->next)) {
    brink_parse_spaced_keyword(p);
    return brink_parse_tuple(p, may, true);
  }
  brink_ast_statement *statement = brink_parse_new(p, BRINK_STATEMENT_LET, brink_parse_place(p));
  brink_token name;
  brink_parse_keyword(p);
  if (brink_parse_expect_name(p, "a name", &name) && statement != NULL)
    statement->symbol = brink_parse_symbol(p, BRINK_SYMBOL_LET, &name);
  if (!p->panic && p->token.kind == BRINK_TOKEN_ASSIGN) {
    brink_parse_error(p, BRINK_MSG_LET_ASSIGNS, brink_parse_place(p), "write 'let n = ...'",
                      "'let' names a value, it does not assign");
    p->token.kind = BRINK_TOKEN_EQ;
  }
  brink_parse_expect(p, BRINK_TOKEN_EQ, "'='");
  brink_ast_expr *expr = brink_parse_expression(p);
  brink_parse_finish(p);
  if (statement == NULL || statement->symbol == NULL) return NULL;
  statement->expr = expr;
  return statement;
}

/* leave = "leave" ("positive-going" | "negative-going") "when" expression ";" */
static brink_ast_statement *parse_leave(brink_parser *p) {
  brink_ast_statement *statement = brink_parse_new(p, BRINK_STATEMENT_LEAVE, brink_parse_place(p));
  if (brink_token_is_action(p->token.kind))
    brink_parse_error(p, BRINK_MSG_MISSING_WORD_BEFORE, brink_parse_place(p), NULL,
                      "'%s' is missing before %s", "leave", brink_parse_shown(p, &p->token));
  else
    brink_parse_keyword(p);
  bool positive = p->token.kind == BRINK_TOKEN_POSITIVE_GOING;
  if (positive || p->token.kind == BRINK_TOKEN_NEGATIVE_GOING)
    brink_parse_keyword(p);
  else
    brink_parse_unexpected(p, "'positive-going' or 'negative-going'");
  if (brink_parse_is(p, "when"))
    brink_parse_spaced_keyword(p);
  else
    brink_parse_unexpected(p, "'when'");
  brink_ast_expr *condition = brink_parse_expression(p);
  brink_parse_finish(p);
  if (statement == NULL) return NULL;
  statement->direction = positive ? BRINK_POSITIVE : BRINK_NEGATIVE;
  statement->condition = brink_parse_single(p, &condition, sizeof condition);
  statement->nconditions = 1;
  return statement;
}

/* call = ("stop" | "fail") "(" STRING ")" ";" | "note" "(" STRING {"," expression} ")" ";" */
static brink_ast_statement *parse_message(brink_parser *p, brink_ast_statement_kind kind) {
  brink_ast_statement *statement = brink_parse_new(p, kind, brink_parse_place(p));
  const char *word = brink_parse_name(p, &p->token);
  brink_parse_keyword(p);
  brink_token open = p->token, text = {.length = 0};
  brink_parse_expect(p, BRINK_TOKEN_LPAREN, "'('");
  if (!p->panic && p->token.kind == BRINK_TOKEN_STRING) {
    text = p->token;
    brink_parse_advance(p);
  } else if (!p->panic) {
    brink_parse_panic(p, BRINK_MSG_EXPECTED_STRING, brink_parse_place(p),
                      brink_unit_format(p->unit, "write %s(\"...\"%s)", word,
                                        kind == BRINK_STATEMENT_NOTE ? ", ..." : ""),
                      "expected a string, found %s", brink_parse_shown(p, &p->token));
  }
  size_t begin = brink_list_begin(p);
  while (kind == BRINK_STATEMENT_NOTE && brink_parse_accept(p, BRINK_TOKEN_COMMA)) {
    brink_ast_expr *argument = brink_parse_expression(p);
    brink_list_add(p, &argument, sizeof argument);
  }
  size_t count = 0;
  brink_ast_expr **arguments = brink_list_take(p, begin, sizeof *arguments, &count);
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
  brink_parse_finish(p);
  if (statement == NULL) return NULL;
  statement->text = text.length > 0 ? brink_parse_string(p, &text) : "";
  statement->arg = arguments;
  statement->nargs = count;
  return statement;
}

/* queued = "put" "(" NAME "," expression ")" ";" | "take" "(" NAME "," path ")" ";" */
static brink_ast_statement *parse_queued(brink_parser *p, brink_ast_statement_kind kind,
                                         const char *word) {
  brink_ast_statement *statement = brink_parse_new(p, kind, brink_parse_place(p));
  size_t count = 0;
  brink_parse_keyword(p);
  brink_ast_expr **arg = brink_parse_arguments(p, &count);
  bool put = kind == BRINK_STATEMENT_PUT;
  bool wrong = count != 2 || arg[0]->op != BRINK_AST_NAME || (!put && arg[1]->op != BRINK_AST_NAME);
  if (!p->panic && wrong)
    brink_parse_panic(p, BRINK_MSG_QUEUE_ARGUMENTS, brink_parse_span(p, &p->previous),
                      put ? "write put(q, value);" : "write take(q, x); where x is a state",
                      "'%s' takes a queue and %s", word,
                      put ? "a value" : "what receives its first");
  brink_parse_finish(p);
  if (statement == NULL || wrong) return NULL;
  statement->arg = arg;
  statement->nargs = 1;
  if (put)
    statement->expr = arg[1];
  else
    statement->target = arg[1];
  return statement;
}

/* connect = "connect" "(" path "," path ")" ";" */
static brink_ast_statement *parse_connect(brink_parser *p) {
  brink_ast_statement *statement =
      brink_parse_new(p, BRINK_STATEMENT_CONNECT, brink_parse_place(p));
  size_t count = 0;
  brink_parse_keyword(p);
  brink_ast_expr **end = brink_parse_arguments(p, &count);
  if (!p->panic && count != 2)
    brink_parse_panic(p, BRINK_MSG_CONNECT_ARGUMENTS, brink_parse_span(p, &p->previous),
                      "write connect(from, to)", "'connect' takes two names");
  for (size_t i = 0; i < count && !p->panic; i++)
    if (end[i]->op != BRINK_AST_NAME && end[i]->op != BRINK_AST_DAMAGED)
      brink_parse_panic(p, BRINK_MSG_CONNECT_FORMULA, end[i]->place,
                        "give the formula to an output, and connect that",
                        "'connect' takes names, not expressions");
  bool whole = !p->panic;
  brink_parse_finish(p);
  if (statement == NULL || !whole) return NULL;
  statement->expr = end[0];
  statement->target = end[1];
  return statement;
}

/* reach = "reach" "(" expression {"," expression} ")" ";" */
static brink_ast_statement *parse_reach(brink_parser *p) {
  brink_ast_statement *statement = brink_parse_new(p, BRINK_STATEMENT_REACH, brink_parse_place(p));
  size_t count = 0;
  brink_parse_keyword(p);
  brink_ast_expr **arguments = brink_parse_arguments(p, &count);
  brink_parse_finish(p);
  if (statement == NULL) return NULL;
  statement->arg = arguments;
  statement->nargs = count;
  return statement;
}

/* ---- definitions ---- */

/* A sign that is not the one of this section: reported, and read as the right one. */
static brink_ast_statement_kind parse_defining_sign(brink_parser *p, unsigned may) {
  brink_token_kind sign = p->token.kind;
  bool assigns = sign == BRINK_TOKEN_ASSIGN;
  if (may & BRINK_MAY_VALUE) {
    if (sign != BRINK_TOKEN_COLON)
      brink_parse_error(p, BRINK_MSG_VALUE_WITHOUT_COLON, brink_parse_place(p),
                        "write 'name : value;'", "values are given with ':' here");
    assigns = true;
  } else if (may & BRINK_MAY_CONNECT) {
    brink_parse_panic(p, BRINK_MSG_NOT_A_STATEMENT, brink_parse_place(p),
                      "a connection is written connect(from, to)", "%s does not begin a statement",
                      "an equation");
    return BRINK_STATEMENT_EQUATION;
  } else if (sign == BRINK_TOKEN_COLON) {
    assigns = !(may & BRINK_MAY_EQUATE);
    brink_parse_error(p, BRINK_MSG_COLON_MISPLACED, brink_parse_place(p),
                      assigns ? "write ':='" : "write '='", "':' gives values to parameters only");
  } else if (assigns && !(may & BRINK_MAY_ASSIGN)) {
    brink_parse_error(p, BRINK_MSG_ASSIGNMENT_AS_EQUATION, brink_parse_place(p), "write '='",
                      "':=' assigns; an equation is written with '='");
    assigns = false;
  } else if (!assigns && !(may & BRINK_MAY_EQUATE)) {
    brink_parse_error(p, BRINK_MSG_EQUATION_AS_ASSIGNMENT, brink_parse_place(p), "write ':='",
                      "'=' states an equation; an assignment is written with ':='");
    assigns = true;
  }
  brink_parse_advance(p);
  return assigns ? BRINK_STATEMENT_ASSIGN : BRINK_STATEMENT_EQUATION;
}

/* der(h), dh/dt, as other languages have it. */
static const char *derivative_hint(brink_parser *p, const brink_ast_expr *target) {
  const char *state = p->panic ? NULL : brink_foreign_state(p->unit, target);
  return state != NULL ? brink_unit_format(p->unit, "write %s' = ...", state) : NULL;
}

/* What an assignment to something that is no name may have meant: v', x(0). */
static const char *assigned_hint(brink_parser *p, const brink_ast_expr *target) {
  if (target->op == BRINK_AST_PRIME) return "assign the state itself, without the '";
  if (target->op != BRINK_AST_CALL || target->text == NULL || p->panic) return NULL;
  return brink_unit_format(p->unit, "write %s := ...; an element is %s[1]", target->text,
                           target->text);
}

static void check_target(brink_parser *p, const brink_ast_statement *statement, unsigned may) {
  const brink_ast_expr *target = statement->target;
  if (target->op == BRINK_AST_NAME || target->op == BRINK_AST_DAMAGED) return;
  if (statement->kind == BRINK_STATEMENT_EQUATION) {
    if (target->op == BRINK_AST_PRIME || (may & BRINK_MAY_IMPLICIT)) return;
    const char *hint = derivative_hint(p, target);
    brink_parse_panic(p, BRINK_MSG_LEFT_SIDE_FORMULA, target->place,
                      hint != NULL ? hint
                                   : "equations between formulas belong in a 'constraints' section",
                      "the left-hand side must be a name or a derivative");
    return;
  }
  brink_parse_panic(p, BRINK_MSG_ASSIGNED_FORMULA, target->place, assigned_hint(p, target),
                    "only a name can be assigned to");
}

/* Neither '=' nor ':=' after what should be a left-hand side. */
static void report_no_definition(brink_parser *p, const brink_ast_expr *target) {
  if (p->panic) return;
  const char *word = target->op == BRINK_AST_CALL   ? target->text
                     : target->op == BRINK_AST_NAME ? target->part[0].name
                                                    : NULL;
  const char *hint = word != NULL ? brink_foreign_hint(BRINK_FOREIGN_STATEMENT, word) : NULL;
  if (target->op == BRINK_AST_CALL && target->text != NULL) {
    if (p->token.kind == BRINK_TOKEN_PRIME) /* x(t)' */
      hint = brink_unit_format(p->unit, "write %s' = ...", target->text);
    brink_parse_panic(p, BRINK_MSG_CALL_AS_STATEMENT, target->place,
                      hint != NULL ? hint
                                   : "statements of this form are stop, fail, note and connect",
                      "'%s(...)' is not a statement", target->text);
  } else if (hint != NULL && !brink_token_is_defining(p->token.kind))
    brink_parse_panic(p, BRINK_MSG_NOT_A_STATEMENT, target->place, hint,
                      "%s does not begin a statement", brink_unit_format(p->unit, "'%s'", word));
  else if (p->token.first || p->token.kind == BRINK_TOKEN_SEMICOLON)
    brink_parse_panic(p, BRINK_MSG_EXPRESSION_AS_STATEMENT, target->place, NULL,
                      "this is not a statement: it defines nothing");
  else if (p->token.kind == BRINK_TOKEN_LT && p->next.kind == BRINK_TOKEN_MINUS) /* x <- 3 */
    brink_parse_panic(p, BRINK_MSG_EXPECTED, brink_parse_place(p),
                      "an assignment is written x := ...;", "expected %s, found %s", "'=' or ':='",
                      "'<-'");
  else
    brink_parse_unexpected(p, "'=' or ':='");
}

/* definition = sum ("=" | ":=") expression ";" */
static brink_ast_statement *parse_definition(brink_parser *p, unsigned may) {
  brink_token first = p->token;
  size_t choices = p->choices;
  brink_ast_expr *target = brink_parse_sum(p);
  brink_ast_statement *statement =
      brink_parse_new(p, BRINK_STATEMENT_EQUATION, brink_parse_span(p, &first));
  bool signed_ =
      !p->panic && (p->token.kind == BRINK_TOKEN_EQ || p->token.kind == BRINK_TOKEN_ASSIGN ||
                    p->token.kind == BRINK_TOKEN_COLON);
  if (!signed_ || statement == NULL) {
    report_no_definition(p, target);
    brink_parse_headless(p, may, first.line);
    return NULL;
  }
  statement->target = target;
  statement->kind = parse_defining_sign(p, may);
  check_target(p, statement, may);
  bool usable = !p->panic;
  statement->expr = brink_parse_expression(p);
  if (p->choices == choices && !p->panic && p->token.kind == BRINK_TOKEN_THEN) {
    brink_parse_panic(p, BRINK_MSG_MISSING_WORD_BEFORE, brink_token_place(p->file, &first), NULL,
                      "'%s' is missing before %s", "if", "this");
    brink_parse_headless(p, may, first.line);
    return NULL;
  }
  brink_parse_finish(p);
  return usable ? statement : NULL;
}

/* guess = "guess" path ":=" expression ";" */
static brink_ast_statement *parse_guess(brink_parser *p) {
  brink_parse_keyword(p);
  brink_ast_statement *statement = parse_definition(p, BRINK_MAY_ASSIGN);
  if (statement != NULL) statement->guess = true;
  return statement;
}

/* ---- which statement ---- */

typedef struct opening {
  const char *word;
  unsigned may; /* what a section must allow */
  const char *where;
} opening;

enum {
  WORD_FOR,
  WORD_WHEN,
  WORD_LET,
  WORD_RETURN,
  WORD_LEAVE,
  WORD_GUESS,
  WORD_STOP,
  WORD_FAIL,
  WORD_NOTE,
  WORD_PUT,
  WORD_TAKE,
  WORD_CONNECT,
  WORD_REACH,
  WORD_IF,
  WORD_NONE
};

static const opening openings[WORD_NONE] = {
    [WORD_FOR] = {"for", BRINK_MAY_FOR, "a section with statements"},
    [WORD_WHEN] = {"when", BRINK_MAY_WHEN, "'rules'"},
    [WORD_LET] = {"let", BRINK_MAY_LET, "actions: events, rules, 'update', 'initial'"},
    [WORD_RETURN] = {"return", BRINK_MAY_RETURN, "a function, as its last statement"},
    [WORD_LEAVE] = {"leave", BRINK_MAY_LEAVE, "'on-event'"},
    [WORD_GUESS] = {"guess", BRINK_MAY_GUESS, "'initial'"},
    [WORD_STOP] = {"stop", BRINK_MAY_CALL, "actions: events, rules, 'update'"},
    [WORD_FAIL] = {"fail", BRINK_MAY_CALL, "actions: events, rules, 'update'"},
    [WORD_NOTE] = {"note", BRINK_MAY_CALL, "actions: events, rules, 'update'"},
    [WORD_PUT] = {"put", BRINK_MAY_CALL, "actions: events, rules, 'update'"},
    [WORD_TAKE] = {"take", BRINK_MAY_CALL, "actions: events, rules, 'update'"},
    [WORD_CONNECT] = {"connect", BRINK_MAY_CONNECT, "'connections'"},
    [WORD_REACH] = {"reach", BRINK_MAY_REACH, "a 'pair' of 'agents'"},
    [WORD_IF] = {"if", BRINK_MAY_IF, "equations and actions"},
};

/* Can this token follow the word at the beginning of such a statement? */
static bool fits(int word, brink_token_kind next) {
  switch (word) {
  case WORD_LET:
    return next == BRINK_TOKEN_NAME || next == BRINK_TOKEN_LPAREN;
  case WORD_FOR:
  case WORD_GUESS:
    return next == BRINK_TOKEN_NAME;
  case WORD_RETURN:
  case WORD_WHEN:
    return next != BRINK_TOKEN_EQ && next != BRINK_TOKEN_ASSIGN && next != BRINK_TOKEN_PRIME &&
           next != BRINK_TOKEN_DOT && next != BRINK_TOKEN_LBRACKET && next != BRINK_TOKEN_COLON &&
           next != BRINK_TOKEN_SEMICOLON;
  case WORD_LEAVE:
    return next == BRINK_TOKEN_POSITIVE_GOING || next == BRINK_TOKEN_NEGATIVE_GOING ||
           next == BRINK_TOKEN_NAME;
  default:
    return next == BRINK_TOKEN_LPAREN;
  }
}

static int find_opening(const brink_parser *p) {
  if (p->token.kind == BRINK_TOKEN_IF) return WORD_IF;
  if (brink_token_is_action(p->token.kind))
    return WORD_LEAVE; /* brink_parse_at_stop handles the rest */
  if (p->token.kind != BRINK_TOKEN_NAME) return WORD_NONE;
  for (int k = 0; k < WORD_IF; k++)
    if (brink_token_is_word(&p->token, openings[k].word) && fits(k, p->next.kind)) return k;
  return WORD_NONE;
}

bool brink_parse_at_opening(const brink_parser *p) {
  return find_opening(p) != WORD_NONE;
}

/* A word that is nearly one of the table, where only such a word can be. */
static int guess_opening(brink_parser *p) {
  if (p->token.kind == BRINK_TOKEN_NAME &&
      brink_foreign_hint(BRINK_FOREIGN_STATEMENT, brink_parse_name(p, &p->token)) != NULL)
    return WORD_NONE; /* reported with what to write instead */
  bool call = p->next.kind == BRINK_TOKEN_LPAREN;
  if (p->token.kind != BRINK_TOKEN_NAME || (p->next.kind != BRINK_TOKEN_NAME && !call))
    return WORD_NONE;
  const char *name = brink_parse_name(p, &p->token), *best = NULL;
  int guess = WORD_NONE;
  for (int k = 0; k < WORD_IF; k++) {
    if (call != (k >= WORD_STOP)) continue;
    const char *nearest = brink_nearest(name, openings[k].word, best);
    if (nearest != best) best = nearest, guess = k;
  }
  if (best != NULL)
    brink_parse_error(p, BRINK_MSG_UNKNOWN_STATEMENT, brink_parse_place(p),
                      brink_parse_did_you_mean(p, best), "unknown statement '%s'", name);
  return guess;
}

static brink_ast_statement *parse_opened(brink_parser *p, int word, unsigned may) {
  switch (word) {
  case WORD_IF:
    return brink_parse_if(p, may, false);
  case WORD_FOR:
    return brink_parse_for(p, may);
  case WORD_WHEN:
    return brink_parse_when(p);
  case WORD_LET:
    return parse_let(p, may);
  case WORD_RETURN:
    return parse_return(p);
  case WORD_LEAVE:
    return parse_leave(p);
  case WORD_GUESS:
    return parse_guess(p);
  case WORD_STOP:
    return parse_message(p, BRINK_STATEMENT_STOP);
  case WORD_FAIL:
    return parse_message(p, BRINK_STATEMENT_FAIL);
  case WORD_NOTE:
    return parse_message(p, BRINK_STATEMENT_NOTE);
  case WORD_PUT:
    return parse_queued(p, BRINK_STATEMENT_PUT, "put");
  case WORD_TAKE:
    return parse_queued(p, BRINK_STATEMENT_TAKE, "take");
  case WORD_CONNECT:
    return parse_connect(p);
  default:
    return parse_reach(p);
  }
}

/* What begins no statement at all. */
static void report_no_statement(brink_parser *p) {
  brink_token_kind kind = p->token.kind;
  brink_place place = brink_parse_place(p);
  if (kind == BRINK_TOKEN_SEMICOLON)
    brink_parse_error(p, BRINK_MSG_STRAY_SEMICOLON, place, "leave it out",
                      "a ';' that ends nothing");
  else if (kind == BRINK_TOKEN_ELSE || kind == BRINK_TOKEN_ELSIF)
    p->losses++, brink_parse_error(p, BRINK_MSG_WITHOUT_IF, place, NULL, "%s without 'if'",
                                   brink_parse_shown(p, &p->token));
  else if (brink_token_is_reserved(kind))
    brink_parse_panic(p, BRINK_MSG_RESERVED_WORD, place, "choose another name",
                      "%s is a reserved word and cannot be a name",
                      brink_parse_shown(p, &p->token));
  else
    brink_parse_panic(p, BRINK_MSG_NOT_A_STATEMENT, place, NULL, "%s does not begin a statement",
                      brink_parse_shown(p, &p->token));
  brink_parse_advance(p);
  if (kind == BRINK_TOKEN_ELSIF) {
    brink_parse_expression(p);
    brink_parse_opener(p, "then");
  } else if (p->panic) {
    brink_parse_sync(p);
  }
}

static bool begins_definition(brink_token_kind kind) {
  return kind == BRINK_TOKEN_NAME || kind == BRINK_TOKEN_NUMBER || kind == BRINK_TOKEN_STRING ||
         kind == BRINK_TOKEN_LPAREN || kind == BRINK_TOKEN_LBRACKET || kind == BRINK_TOKEN_MINUS;
}

/* Too many blocks one inside the other: what follows is skipped to the end of the section. */
static void skip_deep(brink_parser *p) {
  p->panic = false;
  while (p->token.kind != BRINK_TOKEN_EOF && !brink_parse_at_top(p)) {
    if (p->token.kind == BRINK_TOKEN_END && p->next.kind == BRINK_TOKEN_NAME)
      for (const brink_open_block *b = p->blocks; b != NULL; b = b->outer)
        if (b->rank > BRINK_RANK_STATEMENT && b->rank < BRINK_RANK_COMPONENT &&
            brink_token_is_word(&p->next, b->name)) {
          p->muted = p->token.start;
          return;
        }
    brink_parse_advance(p);
  }
  p->muted = p->token.start;
}

static const char *misplaced_hint(brink_parser *p, int word) {
  bool continuous = p->component != NULL && p->component->kind == BRINK_CTC;
  if (word == WORD_WHEN && continuous)
    return "in a ctc, declare a flag, and write event(flag) ... end event;";
  if (word == WORD_IF && brink_parse_inside(p, "rules"))
    return "a rule is written 'when c do ... end when;'";
  return brink_unit_format(p->unit, "it belongs in %s", openings[word].where);
}

/* (a, b) = f(x);  (a, b) := f(x); */
static bool receives_results(const brink_parser *p, unsigned may) {
  return (may & (BRINK_MAY_ASSIGN | BRINK_MAY_EQUATE)) != 0 && (may & BRINK_MAY_IMPLICIT) == 0 &&
         brink_parse_at_tuple(p, &p->token);
}

brink_ast_statement *brink_parse_statement(brink_parser *p, unsigned may) {
  brink_ast_statement *statement = NULL;
  int word = find_opening(p);
  brink_parse_line(p);
  if (word == WORD_NONE) word = guess_opening(p);
  if (word == WORD_NONE && !begins_definition(p->token.kind)) {
    report_no_statement(p);
    return NULL;
  }
  bool misplaced = word != WORD_NONE && !(openings[word].may & may);
  if (misplaced) {
    p->losses++;
    brink_parse_error(p, BRINK_MSG_STATEMENT_MISPLACED, brink_parse_place(p),
                      misplaced_hint(p, word), "'%s' is not allowed here", openings[word].word);
    p->quiet++; /* what is in it is left out, too */
  }
  if (!brink_parse_enter(p, BRINK_NESTING_LIMIT))
    skip_deep(p);
  else
    statement = word != WORD_NONE          ? parse_opened(p, word, may)
                : receives_results(p, may) ? brink_parse_tuple(p, may, false)
                                           : parse_definition(p, may);
  brink_parse_leave(p);
  if (misplaced) p->quiet--;
  return misplaced ? NULL : statement;
}
