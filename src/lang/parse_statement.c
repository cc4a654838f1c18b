/* parse_statement.c: statements.
 *
 *   statement = if | for | when | let | leave | call | definition
 *
 * The words that begin them are reserved nowhere else: `when = 2;` defines a variable. Which
 * statements a section may hold is its own affair (`may`); one that does not belong there is read,
 * reported and left out. */
#include <string.h>

#include "lang/parser.h"

static brink_ast_statement *new_statement(brink_parser *p, brink_ast_statement_kind kind,
                                          brink_place place) {
  brink_ast_statement *statement = brink_unit_take(p->unit, 1, sizeof *statement);
  if (statement == NULL) return NULL;
  statement->kind = kind;
  statement->place = place;
  return statement;
}

/* One item as a list. */
static void *single(brink_parser *p, const void *item, size_t size) {
  void *list = brink_unit_take(p->unit, 1, size);
  if (list != NULL) memcpy(list, item, size);
  return list;
}

/* ---- headers ---- */

static bool at_opener(const brink_parser *p) {
  return p->token.kind == BRINK_TOKEN_THEN || brink_token_is_word(&p->token, "do") ||
         brink_token_is_word(&p->token, "loop");
}

/* Does the opener come later on this line? */
static bool opener_ahead(const brink_parser *p) {
  brink_parser q = {.lexer = p->lexer, .token = p->next};
  q.lexer.unit = NULL;
  while (q.token.line == p->token.line && q.token.kind != BRINK_TOKEN_EOF &&
         q.token.kind != BRINK_TOKEN_SEMICOLON) {
    if (at_opener(&q)) return true;
    brink_lexer_next(&q.lexer, &q.token);
  }
  return false;
}

/* The word that ends a header: then, loop, do. After a panic the block still follows: its end must
 * find its beginning. */
static void parse_opener(brink_parser *p, const char *word) {
  if (p->panic) {
    p->panic = false;
    while (!at_opener(p) && !p->token.first && p->token.kind != BRINK_TOKEN_SEMICOLON &&
           !brink_parse_at_stop(p))
      brink_parse_advance(p);
    if (at_opener(p))
      brink_parse_advance(p);
    else
      brink_parse_accept(p, BRINK_TOKEN_SEMICOLON);
    return;
  }
  bool right = strcmp(word, "then") == 0 ? p->token.kind == BRINK_TOKEN_THEN
                                         : brink_token_is_word(&p->token, word);
  /* A word behind the header, alone: then, nearly. */
  bool nearly = p->token.kind == BRINK_TOKEN_NAME && !p->token.first &&
                (p->next.first || brink_nearest(brink_parse_name(p, &p->token), word, NULL));
  if (right || nearly || at_opener(p)) {
    if (!right)
      brink_parse_mend(p, brink_parse_place(p), NULL, "expected '%s', found %s", word,
                       brink_parse_shown(p, &p->token));
    brink_parse_keyword(p);
  } else if (p->token.first || !opener_ahead(p)) {
    brink_parse_mend(p, brink_parse_behind(p), NULL, "expected '%s'", word);
  } else {
    brink_parse_unexpected(p, brink_unit_format(p->unit, "'%s'", word));
    parse_opener(p, word);
  }
}

/* ---- blocks ---- */

static bool at_branch(const brink_parser *p) {
  return (p->token.kind == BRINK_TOKEN_ELSE || p->token.kind == BRINK_TOKEN_ELSIF) &&
         p->next.kind != BRINK_TOKEN_ASSIGN && brink_parse_inside(p, "if");
}

static void parse_list(brink_parser *p, unsigned may) {
  p->indent++;
  while (brink_parse_more(p) && !at_branch(p)) {
    const char *start = p->token.start;
    brink_ast_statement *statement = brink_parse_statement(p, may);
    if (statement != NULL) brink_list_add(p, &statement, sizeof statement);
    if (p->token.start == start && !brink_parse_at_stop(p)) brink_parse_advance(p);
  }
  p->indent--;
}

void brink_parse_statements(brink_parser *p, unsigned may, brink_ast_block *block) {
  size_t begin = brink_list_begin(p);
  do parse_list(p, may);
  while (!brink_parse_close_block(p));
  block->statement = brink_list_take(p, begin, sizeof *block->statement, &block->count);
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

/* ---- if ---- */

typedef struct branch {
  brink_ast_expr *condition;
  brink_ast_block block;
} branch;

static bool is_misspelt_elsif(const brink_parser *p) {
  return (brink_token_is_word(&p->token, "elseif") || brink_token_is_word(&p->token, "elif")) &&
         p->next.kind != BRINK_TOKEN_ASSIGN && p->next.kind != BRINK_TOKEN_EQ &&
         p->next.kind != BRINK_TOKEN_PRIME && p->next.kind != BRINK_TOKEN_LBRACKET;
}

/* The statements of one branch, and what of them can only be a misspelt elsif. */
static void parse_branch_block(brink_parser *p, unsigned may, brink_ast_block *block) {
  size_t begin = brink_list_begin(p);
  p->indent++;
  while (brink_parse_more(p) && !at_branch(p)) {
    if (is_misspelt_elsif(p)) {
      brink_parse_mend(p, brink_parse_place(p), "write 'elsif'", "there is no %s",
                       brink_parse_shown(p, &p->token));
      p->token.kind = BRINK_TOKEN_ELSIF;
      break;
    }
    const char *start = p->token.start;
    brink_ast_statement *statement = brink_parse_statement(p, may);
    if (statement != NULL) brink_list_add(p, &statement, sizeof statement);
    if (p->token.start == start && !brink_parse_at_stop(p)) brink_parse_advance(p);
  }
  p->indent--;
  block->statement = brink_list_take(p, begin, sizeof *block->statement, &block->count);
}

static void take_branches(brink_parser *p, brink_ast_statement *statement, size_t begin) {
  size_t count = 0, conditions = 0;
  branch *branches = brink_list_take(p, begin, sizeof *branches, &count);
  statement->condition = brink_unit_take(p->unit, count, sizeof *statement->condition);
  statement->block = brink_unit_take(p->unit, count, sizeof *statement->block);
  if (p->unit->out_of_memory) return;
  for (size_t i = 0; i < count; i++) {
    if (branches[i].condition != NULL) statement->condition[conditions++] = branches[i].condition;
    statement->block[i] = branches[i].block;
  }
  statement->nconditions = conditions;
  statement->nblocks = count;
}

static const char else_if_hint[] =
    "'else if' begins another 'if', with an end of its own; 'elsif' goes on with the first";

/* if = "if" expression "then" {statement} {"elsif" expression "then" {statement}}
 *      ["else" {statement}] "end" "if" ";"
 * `headless`: the first condition has been read, in vain. */
static brink_ast_statement *parse_if(brink_parser *p, unsigned may, bool headless) {
  brink_ast_statement *statement = new_statement(p, BRINK_STATEMENT_IF, brink_parse_place(p));
  if (p->previous.kind == BRINK_TOKEN_ELSE && p->previous.line == p->token.line)
    p->blocks->hint = else_if_hint;
  brink_open_block open;
  brink_parse_open(p, &open, "if", BRINK_RANK_STATEMENT, &p->token);
  size_t begin = brink_list_begin(p);
  bool last = false; /* the else has been */
  for (;;) {
    branch b = {.condition = NULL};
    bool otherwise = p->token.kind == BRINK_TOKEN_ELSE;
    if (last)
      brink_parse_mend(p, brink_parse_place(p), "'else' comes last, and once", "%s behind 'else'",
                       brink_parse_shown(p, &p->token));
    if (!headless) brink_parse_advance(p);
    if (!otherwise && !headless) {
      b.condition = brink_parse_expression(p);
      parse_opener(p, "then");
    }
    headless = false;
    parse_branch_block(p, may & ~(unsigned)BRINK_MAY_LEAVE, &b.block);
    if (!last) brink_list_add(p, &b, sizeof b);
    last = last || otherwise;
    if (p->token.kind != BRINK_TOKEN_ELSE && p->token.kind != BRINK_TOKEN_ELSIF) break;
    brink_parse_line(p);
  }
  brink_parse_close_block(p);
  if (statement != NULL) take_branches(p, statement, begin);
  return statement;
}

/* ---- for, when ---- */

static void parse_for_range(brink_parser *p, brink_ast_statement *statement) {
  if (brink_parse_is(p, "in"))
    brink_parse_spaced_keyword(p);
  else if (!p->panic)
    brink_parse_panic(p, brink_parse_place(p), "a loop is written 'for i in 1..3 loop'",
                      "expected 'in', found %s", brink_parse_shown(p, &p->token));
  brink_ast_expr *lo = brink_parse_sum(p);
  if (!p->panic && (p->token.kind == BRINK_TOKEN_COLON || brink_parse_is(p, "to"))) {
    brink_parse_mend(p, brink_parse_place(p), "a range is written 1..3", "expected '..', found %s",
                     brink_parse_shown(p, &p->token));
    p->token.kind = BRINK_TOKEN_DOTDOT;
  }
  brink_parse_expect(p, BRINK_TOKEN_DOTDOT, "'..'");
  brink_ast_expr *hi = brink_parse_sum(p);
  if (statement != NULL) statement->lo = lo, statement->hi = hi;
}

/* for = "for" NAME "in" sum ".." sum "loop" {statement} "end" "loop" ";" */
static brink_ast_statement *parse_for(brink_parser *p, unsigned may) {
  brink_ast_statement *statement = new_statement(p, BRINK_STATEMENT_FOR, brink_parse_place(p));
  brink_open_block open;
  brink_parse_open(p, &open, "loop", BRINK_RANK_STATEMENT, &p->token);
  brink_parse_keyword(p);
  brink_token name;
  brink_symbol *symbol = NULL;
  if (brink_parse_expect_name(p, "the name of the loop's variable", &name))
    symbol = brink_parse_symbol(p, BRINK_SYMBOL_LOOP, &name);
  if (symbol != NULL) symbol->type = BRINK_TYPE_INTEGER;
  parse_for_range(p, statement);
  parse_opener(p, "loop");
  brink_ast_block block = {.count = 0};
  brink_parse_statements(p, may & ~(unsigned)BRINK_MAY_LEAVE, &block);
  if (statement == NULL || symbol == NULL) return NULL;
  statement->symbol = symbol;
  statement->block = single(p, &block, sizeof block);
  statement->nblocks = 1;
  return statement;
}

/* when = "when" expression "do" {statement} "end" "when" ";" */
static brink_ast_statement *parse_when(brink_parser *p) {
  brink_ast_statement *statement = new_statement(p, BRINK_STATEMENT_WHEN, brink_parse_place(p));
  brink_open_block open;
  brink_parse_open(p, &open, "when", BRINK_RANK_STATEMENT, &p->token);
  brink_parse_spaced_keyword(p);
  brink_ast_expr *condition = brink_parse_expression(p);
  parse_opener(p, "do");
  brink_ast_block block = {.count = 0};
  brink_parse_statements(p, BRINK_ACTION, &block);
  if (statement == NULL) return NULL;
  statement->condition = single(p, &condition, sizeof condition);
  statement->nconditions = 1;
  statement->block = single(p, &block, sizeof block);
  statement->nblocks = 1;
  return statement;
}

/* ---- statements of one line ---- */

/* let = "let" NAME "=" expression ";" */
static brink_ast_statement *parse_let(brink_parser *p) {
  brink_ast_statement *statement = new_statement(p, BRINK_STATEMENT_LET, brink_parse_place(p));
  brink_token name;
  brink_parse_keyword(p);
  if (brink_parse_expect_name(p, "a name", &name) && statement != NULL)
    statement->symbol = brink_parse_symbol(p, BRINK_SYMBOL_LET, &name);
  if (!p->panic && p->token.kind == BRINK_TOKEN_ASSIGN) {
    brink_parse_mend(p, brink_parse_place(p), "write 'let n = ...'",
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
  brink_ast_statement *statement = new_statement(p, BRINK_STATEMENT_LEAVE, brink_parse_place(p));
  if (brink_token_is_action(p->token.kind))
    brink_parse_mend(p, brink_parse_place(p), NULL, "'leave' is missing before %s",
                     brink_parse_shown(p, &p->token));
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
  statement->condition = single(p, &condition, sizeof condition);
  statement->nconditions = 1;
  return statement;
}

/* call = ("stop" | "fail") "(" STRING ")" ";" | "note" "(" STRING {"," expression} ")" ";" */
static brink_ast_statement *parse_message(brink_parser *p, brink_ast_statement_kind kind) {
  brink_ast_statement *statement = new_statement(p, kind, brink_parse_place(p));
  const char *word = brink_parse_name(p, &p->token);
  brink_parse_keyword(p);
  brink_token open = p->token, text = {.length = 0};
  brink_parse_expect(p, BRINK_TOKEN_LPAREN, "'('");
  if (!p->panic && p->token.kind == BRINK_TOKEN_STRING) {
    text = p->token;
    brink_parse_advance(p);
  } else if (!p->panic) {
    brink_parse_panic(p, brink_parse_place(p),
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

/* connect = "connect" "(" path "," path ")" ";" */
static brink_ast_statement *parse_connect(brink_parser *p) {
  brink_ast_statement *statement = new_statement(p, BRINK_STATEMENT_CONNECT, brink_parse_place(p));
  size_t count = 0;
  brink_parse_keyword(p);
  brink_ast_expr **end = brink_parse_arguments(p, &count);
  if (!p->panic && count != 2)
    brink_parse_panic(p, brink_parse_span(p, &p->previous), "write connect(from, to)",
                      "'connect' joins two names");
  for (size_t i = 0; i < count && !p->panic; i++)
    if (end[i]->op != BRINK_AST_NAME && end[i]->op != BRINK_AST_DAMAGED)
      brink_parse_panic(p, end[i]->place, "give the formula to an output, and connect that",
                        "'connect' joins names, not formulas");
  bool whole = !p->panic;
  brink_parse_finish(p);
  if (statement == NULL || !whole) return NULL;
  statement->expr = end[0];
  statement->target = end[1];
  return statement;
}

/* reach = "reach" "(" expression {"," expression} ")" ";" */
static brink_ast_statement *parse_reach(brink_parser *p) {
  brink_ast_statement *statement = new_statement(p, BRINK_STATEMENT_REACH, brink_parse_place(p));
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
      brink_parse_mend(p, brink_parse_place(p), "write 'name : value;'",
                       "values are given with ':' here");
    assigns = true;
  } else if (sign == BRINK_TOKEN_COLON) {
    assigns = !(may & BRINK_MAY_EQUATE);
    brink_parse_mend(p, brink_parse_place(p), assigns ? "write ':='" : "write '='",
                     "':' gives values to parameters only");
  } else if (assigns && !(may & BRINK_MAY_ASSIGN)) {
    brink_parse_mend(p, brink_parse_place(p), "write '='",
                     "':=' assigns; an equation is written with '='");
    assigns = false;
  } else if (!assigns && !(may & BRINK_MAY_EQUATE)) {
    brink_parse_mend(p, brink_parse_place(p), "write ':='",
                     "'=' states an equation; an assignment is written with ':='");
    assigns = true;
  }
  brink_parse_advance(p);
  return assigns ? BRINK_STATEMENT_ASSIGN : BRINK_STATEMENT_EQUATION;
}

static void check_target(brink_parser *p, const brink_ast_statement *statement, unsigned may) {
  const brink_ast_expr *target = statement->target;
  if (target->op == BRINK_AST_NAME || target->op == BRINK_AST_DAMAGED) return;
  if (statement->kind == BRINK_STATEMENT_EQUATION) {
    if (target->op == BRINK_AST_PRIME || (may & BRINK_MAY_IMPLICIT)) return;
    brink_parse_panic(p, target->place,
                      "equations between formulas belong into a 'constraints' section",
                      "the left-hand side must be a name or a derivative");
    return;
  }
  brink_parse_panic(p, target->place,
                    target->op == BRINK_AST_PRIME ? "assign the state itself, without the '" : NULL,
                    "only a name can be assigned to");
}

/* Neither '=' nor ':=' behind what should be a left-hand side. */
static void report_no_definition(brink_parser *p, const brink_ast_expr *target) {
  if (p->panic) return;
  if (target->op == BRINK_AST_CALL && target->text != NULL)
    brink_parse_panic(p, target->place, "statements of this form are stop, fail, note and connect",
                      "'%s(...)' is not a statement", target->text);
  else if (p->token.first || p->token.kind == BRINK_TOKEN_SEMICOLON)
    brink_parse_panic(p, target->place, NULL, "this is not a statement: nothing is defined by it");
  else
    brink_parse_unexpected(p, "'=' or ':='");
}

/* definition = sum ("=" | ":=") expression ";" */
static brink_ast_statement *parse_definition(brink_parser *p, unsigned may) {
  brink_token first = p->token;
  size_t choices = p->choices;
  brink_ast_expr *target = brink_parse_sum(p);
  brink_ast_statement *statement =
      new_statement(p, BRINK_STATEMENT_EQUATION, brink_parse_span(p, &first));
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
    brink_parse_panic(p, brink_token_place(p->file, &first), NULL, "'if' is missing before this");
    brink_parse_headless(p, may, first.line);
    return NULL;
  }
  brink_parse_finish(p);
  return usable ? statement : NULL;
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
  WORD_LEAVE,
  WORD_STOP,
  WORD_FAIL,
  WORD_NOTE,
  WORD_CONNECT,
  WORD_REACH,
  WORD_IF,
  WORD_NONE
};

static const opening openings[WORD_NONE] = {
    [WORD_FOR] = {"for", BRINK_MAY_FOR, "a section with statements"},
    [WORD_WHEN] = {"when", BRINK_MAY_WHEN, "'rules'"},
    [WORD_LET] = {"let", BRINK_MAY_LET, "actions: events, rules, 'update', 'initial'"},
    [WORD_LEAVE] = {"leave", BRINK_MAY_LEAVE, "'on-event'"},
    [WORD_STOP] = {"stop", BRINK_MAY_CALL, "actions: events, rules, 'update'"},
    [WORD_FAIL] = {"fail", BRINK_MAY_CALL, "actions: events, rules, 'update'"},
    [WORD_NOTE] = {"note", BRINK_MAY_CALL, "actions: events, rules, 'update'"},
    [WORD_CONNECT] = {"connect", BRINK_MAY_CONNECT, "'connections'"},
    [WORD_REACH] = {"reach", BRINK_MAY_REACH, "a 'pair' of 'agents'"},
    [WORD_IF] = {"if", BRINK_MAY_IF, "equations and actions"},
};

/* Can this token follow the word at the beginning of such a statement? */
static bool fits(int word, brink_token_kind next) {
  switch (word) {
  case WORD_FOR:
  case WORD_LET:
    return next == BRINK_TOKEN_NAME;
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
  if (brink_token_is_action(p->token.kind)) return WORD_LEAVE; /* at_stop has seen the rest */
  if (p->token.kind != BRINK_TOKEN_NAME) return WORD_NONE;
  for (int k = 0; k < WORD_IF; k++)
    if (brink_token_is_word(&p->token, openings[k].word) && fits(k, p->next.kind)) return k;
  return WORD_NONE;
}

bool brink_parse_at_opening(const brink_parser *p) {
  return find_opening(p) != WORD_NONE;
}

/* A word that is nearly one of ours, where nothing but a statement's word can be. */
static int guess_opening(brink_parser *p) {
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
    brink_parse_mend(p, brink_parse_place(p), brink_parse_did_you_mean(p, best),
                     "unknown statement '%s'", name);
  return guess;
}

static brink_ast_statement *parse_opened(brink_parser *p, int word, unsigned may) {
  switch (word) {
  case WORD_IF:
    return parse_if(p, may, false);
  case WORD_FOR:
    return parse_for(p, may);
  case WORD_WHEN:
    return parse_when(p);
  case WORD_LET:
    return parse_let(p);
  case WORD_LEAVE:
    return parse_leave(p);
  case WORD_STOP:
    return parse_message(p, BRINK_STATEMENT_STOP);
  case WORD_FAIL:
    return parse_message(p, BRINK_STATEMENT_FAIL);
  case WORD_NOTE:
    return parse_message(p, BRINK_STATEMENT_NOTE);
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
    brink_parse_mend(p, place, "leave it out", "a ';' that ends nothing");
  else if (kind == BRINK_TOKEN_ELSE || kind == BRINK_TOKEN_ELSIF)
    p->losses++,
        brink_parse_mend(p, place, NULL, "%s without 'if'", brink_parse_shown(p, &p->token));
  else if (brink_token_is_reserved(kind))
    brink_parse_panic(p, place, "choose another name", "%s is a reserved word and cannot be a name",
                      brink_parse_shown(p, &p->token));
  else
    brink_parse_panic(p, place, NULL, "%s does not begin a statement",
                      brink_parse_shown(p, &p->token));
  brink_parse_advance(p);
  if (kind == BRINK_TOKEN_ELSIF) {
    brink_parse_expression(p);
    parse_opener(p, "then");
  } else if (p->panic) {
    brink_parse_sync(p);
  }
}

void brink_parse_headless(brink_parser *p, unsigned may, uint32_t line) {
  if (!p->panic) {
    brink_parse_finish(p);
    return;
  }
  p->panic = false;
  size_t choices = 0;
  while (p->token.line == line && !at_opener(p) && p->token.kind != BRINK_TOKEN_SEMICOLON &&
         !brink_parse_at_stop(p)) {
    choices += p->token.kind == BRINK_TOKEN_IF;
    brink_parse_advance(p);
  }
  if (p->token.line != line || !at_opener(p) || choices > 0) {
    brink_parse_sync(p);
    return;
  }
  const char *block = p->token.kind == BRINK_TOKEN_THEN        ? "if"
                      : brink_token_is_word(&p->token, "loop") ? "loop"
                                                               : "when";
  if (block[0] == 'i') {
    brink_parse_advance(p);
    parse_if(p, may, true);
    return;
  }
  brink_open_block open;
  brink_ast_block unused = {.count = 0};
  brink_parse_open(p, &open, block, BRINK_RANK_STATEMENT, &p->token);
  brink_parse_advance(p);
  brink_parse_statements(p, block[0] == 'w' ? BRINK_ACTION : may, &unused);
}

static bool begins_definition(brink_token_kind kind) {
  return kind == BRINK_TOKEN_NAME || kind == BRINK_TOKEN_NUMBER || kind == BRINK_TOKEN_STRING ||
         kind == BRINK_TOKEN_LPAREN || kind == BRINK_TOKEN_LBRACKET || kind == BRINK_TOKEN_MINUS;
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
    brink_parse_mend(p, brink_parse_place(p),
                     brink_unit_format(p->unit, "it belongs into %s", openings[word].where),
                     "'%s' cannot stand here", openings[word].word);
  }
  if (!brink_parse_enter(p, BRINK_NESTING_LIMIT))
    skip_deep(p);
  else
    statement = word != WORD_NONE ? parse_opened(p, word, may) : parse_definition(p, may);
  brink_parse_leave(p);
  return misplaced ? NULL : statement;
}
