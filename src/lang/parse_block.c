/* parse_block.c: lists of statements, and the statements that hold them: if, for, when.
 *
 * Whatever is wrong with the head of such a statement, its block is read: its end must find its
 * beginning. */
#include <string.h>

#include "lang/parser.h"

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

static const char *opener_hint(const char *word) {
  if (word[0] == 'd') return "a rule is written 'when c do ... end when;'";
  return word[0] == 'l' ? "a loop is written 'for i in 1..n loop ... end loop;'" : NULL;
}

/* A block in the manner of C: reported, and read up to its '}'. */
static void open_brace(brink_parser *p, const char *word) {
  const char *hint = word[0] == 't'   ? "a block is written 'if c then ... end if;'"
                     : word[0] == 'd' ? "a rule is written 'when c do ... end when;'"
                                      : "a loop is written 'for i in 1..n loop ... end loop;'";
  brink_parse_error(p, BRINK_MSG_EXPECTED_WORD, brink_parse_place(p), hint,
                    "expected '%s', found %s", word, brink_parse_shown(p, &p->token));
  p->blocks->braced = true;
  brink_parse_advance(p);
}

/* The word that ends a header: then, loop, do. After a panic the block still follows: its end must
 * find its beginning. */
void brink_parse_opener(brink_parser *p, const char *word) {
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
  if (p->token.kind == BRINK_TOKEN_LBRACE) {
    open_brace(p, word);
    return;
  }
  bool right = strcmp(word, "then") == 0 ? p->token.kind == BRINK_TOKEN_THEN
                                         : brink_token_is_word(&p->token, word);
  /* A word after the header, alone: then, nearly. */
  bool nearly = p->token.kind == BRINK_TOKEN_NAME && !p->token.first &&
                (p->next.first || brink_nearest(brink_parse_name(p, &p->token), word, NULL));
  if (right || nearly || at_opener(p)) {
    if (!right)
      brink_parse_error(p, BRINK_MSG_EXPECTED_WORD, brink_parse_place(p), opener_hint(word),
                        "expected '%s', found %s", word, brink_parse_shown(p, &p->token));
    if (!right && word[0] == 'l') p->blocks->alias = "for"; /* for … do … end for; */
    brink_parse_keyword(p);
  } else if (p->token.first || !opener_ahead(p)) {
    brink_parse_error(p, BRINK_MSG_MISSING_OPENER, brink_parse_after(p),
                      p->token.kind == BRINK_TOKEN_COLON ? opener_hint(word) : NULL,
                      "expected '%s'", word);
    brink_parse_accept(p, BRINK_TOKEN_COLON);
  } else {
    brink_parse_unexpected(p, brink_unit_format(p->unit, "'%s'", word));
    brink_parse_opener(p, word);
  }
}

/* ---- blocks ---- */

/* `} else {` and `} elsif`: the '}' of a block in the manner of C goes on. */
static void skip_brace(brink_parser *p) {
  bool goes_on = p->next.kind == BRINK_TOKEN_ELSE || p->next.kind == BRINK_TOKEN_ELSIF;
  if (p->blocks != NULL && p->blocks->braced && p->token.kind == BRINK_TOKEN_RBRACE && goes_on)
    brink_parse_advance(p);
}

static bool at_branch(const brink_parser *p) {
  return (p->token.kind == BRINK_TOKEN_ELSE || p->token.kind == BRINK_TOKEN_ELSIF) &&
         p->next.kind != BRINK_TOKEN_ASSIGN && brink_parse_inside(p, "if");
}

bool brink_parse_repair_elsif(brink_parser *p) {
  static const char *const words[] = {"elseif", "elif", "else_if"};
  bool misspelt = false;
  for (size_t k = 0; k < 3; k++) misspelt = misspelt || brink_token_is_word(&p->token, words[k]);
  if (!misspelt || brink_token_is_defining(p->next.kind) || p->next.kind == BRINK_TOKEN_LBRACKET)
    return false;
  brink_parse_error(p, BRINK_MSG_FOREIGN_ELSIF, brink_parse_place(p), "write 'elsif'",
                    "there is no %s", brink_parse_shown(p, &p->token));
  p->token.kind = BRINK_TOKEN_ELSIF;
  return true;
}

/* elsewhen, of Modelica: the condition is read, and what follows counts as part of the rule before. */
static bool skip_elsewhen(brink_parser *p) {
  if (!brink_token_is_word(&p->token, "elsewhen") || !brink_parse_inside(p, "when") ||
      brink_token_is_defining(p->next.kind))
    return false;
  brink_parse_panic(p, BRINK_MSG_NOT_A_STATEMENT, brink_parse_place(p),
                    "write a rule of its own: end when; when ... do",
                    "%s does not begin a statement", brink_parse_shown(p, &p->token));
  brink_parse_opener(p, "do");
  return true;
}

/* {statement}, onto the list */
static void parse_list(brink_parser *p, unsigned may) {
  p->indent++;
  while (brink_parse_more(p) && !at_branch(p)) {
    if (skip_elsewhen(p)) continue;
    if (brink_parse_inside(p, "if") && brink_parse_repair_elsif(p)) break;
    const char *start = p->token.start;
    brink_ast_statement *statement = brink_parse_statement(p, may);
    for (; statement != NULL; statement = statement->also)
      brink_list_add(p, &statement, sizeof statement);
    if (p->token.start == start && !brink_parse_at_stop(p)) brink_parse_advance(p);
  }
  p->indent--;
  skip_brace(p);
}

void brink_parse_statements(brink_parser *p, unsigned may, brink_ast_block *block) {
  size_t begin = brink_list_begin(p);
  do parse_list(p, may);
  while (!brink_parse_close_block(p));
  block->statement = brink_list_take(p, begin, sizeof *block->statement, &block->count);
}

/* ---- if ---- */

typedef struct branch {
  brink_ast_expr *condition;
  brink_ast_block block;
} branch;

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
brink_ast_statement *brink_parse_if(brink_parser *p, unsigned may, bool headless) {
  brink_ast_statement *statement = brink_parse_new(p, BRINK_STATEMENT_IF, brink_parse_place(p));
  if (p->previous.kind == BRINK_TOKEN_ELSE && p->previous.line == p->token.line)
    p->blocks->hint = else_if_hint;
  brink_open_block open;
  brink_parse_open(p, &open, "if", BRINK_RANK_STATEMENT, &p->token);
  size_t begin = brink_list_begin(p);
  bool last = false; /* the else has been */
  bool misspelt = false;
  for (;;) {
    branch b = {.condition = NULL};
    bool otherwise = p->token.kind == BRINK_TOKEN_ELSE;
    if (last)
      brink_parse_error(p, BRINK_MSG_AFTER_ELSE, brink_parse_place(p),
                        "'else' comes last, and once", "%s after 'else'",
                        brink_parse_shown(p, &p->token));
    if (!headless) brink_parse_advance(p);
    if (!otherwise && !headless) {
      b.condition = brink_parse_expression(p);
      brink_parse_opener(p, "then");
    }
    if (otherwise && open.braced) brink_parse_accept(p, BRINK_TOKEN_LBRACE);
    headless = false;
    size_t statements = brink_list_begin(p);
    parse_list(p, may & ~(unsigned)BRINK_MAY_LEAVE);
    b.block.statement = brink_list_take(p, statements, sizeof *b.block.statement, &b.block.count);
    if (!last) brink_list_add(p, &b, sizeof b);
    last = last || otherwise;
    if (p->token.kind != BRINK_TOKEN_ELSE && p->token.kind != BRINK_TOKEN_ELSIF) break;
    misspelt =
        misspelt || (p->token.kind == BRINK_TOKEN_ELSIF && p->token.length != strlen("elsif"));
    brink_parse_line(p);
  }
  brink_parse_close_block(p);
  /* A missing else is reported when this error is gone. */
  if (misspelt && !last && (may & BRINK_MAY_EQUATE)) p->losses++;
  if (statement != NULL) take_branches(p, statement, begin);
  return statement;
}

/* ---- for, when ---- */

static void parse_for_range(brink_parser *p, brink_ast_statement *statement) {
  if (brink_parse_is(p, "in"))
    brink_parse_spaced_keyword(p);
  else if (!p->panic)
    brink_parse_panic(p, BRINK_MSG_EXPECTED_WORD, brink_parse_place(p),
                      "a loop is written 'for i in 1..3 loop'", "expected '%s', found %s", "in",
                      brink_parse_shown(p, &p->token));
  brink_ast_expr *lo = brink_parse_sum(p);
  if (!p->panic && lo->op == BRINK_AST_CALL && p->token.kind == BRINK_TOKEN_COLON) {
    brink_parse_panic(p, BRINK_MSG_EXPECTED_WORD, lo->place,
                      "a loop is written 'for i in 1..n loop ... end loop;'",
                      "expected '%s', found %s", "1..n",
                      brink_unit_format(p->unit, "'%s'", lo->text));
    p->blocks->implied = true; /* by indentation, in Python */
  }
  if (!p->panic && (p->token.kind == BRINK_TOKEN_COLON || brink_parse_is(p, "to"))) {
    brink_parse_error(p, BRINK_MSG_EXPECTED_WORD, brink_parse_place(p), "a range is written 1..3",
                      "expected '%s', found %s", "..", brink_parse_shown(p, &p->token));
    p->token.kind = BRINK_TOKEN_DOTDOT;
  }
  brink_parse_expect(p, BRINK_TOKEN_DOTDOT, "'..'");
  brink_ast_expr *hi = brink_parse_sum(p);
  statement->lo = lo;
  statement->hi = hi;
}

void brink_parse_for_head(brink_parser *p, brink_ast_statement *statement, brink_open_block *open) {
  brink_token name;
  brink_parse_open(p, open, "loop", BRINK_RANK_STATEMENT, &p->token);
  brink_parse_keyword(p);
  if (brink_parse_expect_name(p, "the name of the loop's variable", &name))
    statement->symbol = brink_parse_symbol(p, BRINK_SYMBOL_LOOP, &name);
  if (statement->symbol != NULL) statement->symbol->type = BRINK_TYPE_INTEGER;
  parse_for_range(p, statement);
  brink_parse_opener(p, "loop");
}

/* for = "for" NAME "in" sum ".." sum "loop" {statement} "end" "loop" ";" */
brink_ast_statement *brink_parse_for(brink_parser *p, unsigned may) {
  brink_ast_statement *statement = brink_parse_new(p, BRINK_STATEMENT_FOR, brink_parse_place(p));
  brink_ast_statement head = {.symbol = NULL};
  brink_open_block open;
  brink_parse_for_head(p, &head, &open);
  brink_ast_block block = {.count = 0};
  brink_parse_statements(p, may & ~(unsigned)BRINK_MAY_LEAVE, &block);
  if (statement == NULL || head.symbol == NULL) return NULL;
  statement->symbol = head.symbol;
  statement->lo = head.lo;
  statement->hi = head.hi;
  statement->block = brink_parse_single(p, &block, sizeof block);
  statement->nblocks = 1;
  return statement;
}

/* when = "when" expression "do" {statement} "end" "when" ";" */
brink_ast_statement *brink_parse_when(brink_parser *p) {
  brink_ast_statement *statement = brink_parse_new(p, BRINK_STATEMENT_WHEN, brink_parse_place(p));
  brink_open_block open;
  brink_parse_open(p, &open, "when", BRINK_RANK_STATEMENT, &p->token);
  brink_parse_spaced_keyword(p);
  brink_ast_expr *condition = brink_parse_expression(p);
  brink_parse_opener(p, "do");
  brink_ast_block block = {.count = 0};
  brink_parse_statements(p, BRINK_ACTION, &block);
  if (statement == NULL) return NULL;
  statement->condition = brink_parse_single(p, &condition, sizeof condition);
  statement->nconditions = 1;
  statement->block = brink_parse_single(p, &block, sizeof block);
  statement->nblocks = 1;
  return statement;
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
    brink_parse_if(p, may, true);
    return;
  }
  brink_open_block open;
  brink_ast_block unused = {.count = 0};
  brink_parse_open(p, &open, block, BRINK_RANK_STATEMENT, &p->token);
  brink_parse_advance(p);
  brink_parse_statements(p, block[0] == 'w' ? BRINK_ACTION : may, &unused);
}
