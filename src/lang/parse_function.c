/* parse_function.c: functions of several statements, and what receives several results.
 *
 *   function = "function" NAME "(" … ")" ["returns" "(" NAME {"," NAME} ")"] "is" {statement} "end" NAME ";"
 *   tuple    = ["let"] "(" path {"," path} ")" ("=" | ":=") NAME "(" … ")" ";"
 *
 * `(a, b) = f(x);` becomes one equation for each name, each with another result of the call; `(a, b) := f(x);` becomes
 * two local names and two assignments, so that all results are those of the values before it. */
#include <string.h>

#include "lang/parser.h"

/* ---- functions ---- */

bool brink_parse_at_function_body(const brink_parser *p) {
  return p->token.kind == BRINK_TOKEN_IS || brink_token_is_word(&p->token, "returns");
}

/* returns (r, phi) */
static void parse_results(brink_parser *p, brink_user_function *function) {
  brink_token open, name;
  brink_parse_spaced_keyword(p);
  open = p->token;
  size_t begin = brink_list_begin(p);
  if (brink_parse_expect(p, BRINK_TOKEN_LPAREN, "'(' and the names of the results")) {
    do {
      if (!brink_parse_expect_name(p, "the name of a result", &name)) break;
      brink_symbol *symbol = brink_parse_symbol(p, BRINK_SYMBOL_LET, &name);
      brink_ast_expr *expr = brink_parse_node(p, BRINK_AST_NAME, brink_token_place(p->file, &name));
      brink_ast_part part = {.name = brink_parse_name(p, &name), .place = expr->place};
      part.symbol = symbol;
      expr->part = brink_parse_single(p, &part, sizeof part);
      expr->nparts = 1;
      brink_list_add(p, &expr, sizeof expr);
    } while (brink_parse_accept(p, BRINK_TOKEN_COMMA));
  }
  function->results = brink_list_take(p, begin, sizeof *function->results, &function->nresults);
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
}

static void misplaced(brink_parser *p, const brink_ast_block *block) {
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    if (s->kind == BRINK_STATEMENT_RETURN)
      brink_parse_error(p, BRINK_MSG_RETURN_MISPLACED, s->place,
                        "keep the value in a local name, and return it at the end",
                        "'return' is the last statement of a function");
    for (size_t j = 0; j < s->nblocks; j++) misplaced(p, &s->block[j]);
  }
}

/* The last statement gives the result, unless the results have names. */
static void take_return(brink_parser *p, brink_user_function *function) {
  brink_ast_block *block = &function->statements;
  brink_ast_statement *last = block->count > 0 ? block->statement[block->count - 1] : NULL;
  if (last != NULL && last->kind == BRINK_STATEMENT_RETURN && function->nresults == 0) {
    function->body = last->expr;
    block->count--;
  } else if (function->nresults == 0 && !p->panic) {
    brink_parse_error(p, BRINK_MSG_RETURN_MISSING, function->place,
                      "end it with 'return ...;', or name its results: returns (r) is",
                      "'%s' returns nothing", function->name);
  }
  misplaced(p, block);
}

void brink_parse_function_body(brink_parser *p, brink_user_function *function) {
  brink_open_block open;
  size_t losses = p->losses;
  if (brink_token_is_word(&p->token, "returns")) parse_results(p, function);
  brink_parse_open(p, &open, function->name, BRINK_RANK_COMPONENT, &p->token);
  if (brink_parse_expect(p, BRINK_TOKEN_IS, "'is'")) {
    brink_parse_statements(
        p, BRINK_MAY_LET | BRINK_MAY_ASSIGN | BRINK_MAY_IF | BRINK_MAY_FOR | BRINK_MAY_RETURN,
        &function->statements);
    take_return(p, function);
  }
  if (p->losses != losses) function->incomplete = true;
}

/* ---- several results ---- */

/* "(" and a comma before it closes: looked for in the text, as the parser sees two tokens only. */
bool brink_parse_at_tuple(const brink_parser *p, const brink_token *token) {
  if (token->kind != BRINK_TOKEN_LPAREN) return false;
  const brink_file *file = &p->unit->files[p->file];
  int depth = 0;
  for (const char *at = token->start; at < file->text + file->length && *at != ';'; at++) {
    if (*at == '(' || *at == '[') depth++;
    if (*at == ')' || *at == ']') depth--;
    if (depth == 0) return false;
    if (*at == ',' && depth == 1) return true;
  }
  return false;
}

static brink_ast_expr *result_of(brink_parser *p, const brink_ast_expr *call, size_t k,
                                 size_t count) {
  brink_ast_expr *made = brink_unit_take(p->unit, 1, sizeof *made);
  if (made == NULL) return NULL;
  *made = *call;
  made->result = (uint32_t)k;
  made->wanted = (uint32_t)count;
  return made;
}

typedef struct tuple {
  brink_ast_expr **target;
  size_t count;
  brink_place place;
} tuple;

static tuple parse_targets(brink_parser *p) {
  tuple made = {.place = brink_parse_place(p)};
  brink_token open = p->token;
  size_t begin = brink_list_begin(p);
  brink_parse_advance(p);
  do {
    brink_ast_expr *target = brink_parse_expression(p);
    bool name = target->op == BRINK_AST_NAME || target->op == BRINK_AST_PRIME;
    if (!name && target->op != BRINK_AST_DAMAGED)
      brink_parse_error(p, BRINK_MSG_TUPLE_OF_NAMES, target->place, NULL,
                        "results are received by names");
    brink_list_add(p, &target, sizeof target);
  } while (!p->panic && brink_parse_accept(p, BRINK_TOKEN_COMMA));
  made.target = brink_list_take(p, begin, sizeof *made.target, &made.count);
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
  return made;
}

static void chain(brink_ast_statement ***end, brink_ast_statement *statement) {
  if (statement == NULL) return;
  **end = statement;
  *end = &statement->also;
}

static brink_ast_statement *let_of(brink_parser *p, brink_place place, const char *name,
                                   brink_ast_expr *expr) {
  brink_ast_statement *made = brink_parse_new(p, BRINK_STATEMENT_LET, place);
  brink_symbol *symbol = brink_unit_take(p->unit, 1, sizeof *symbol);
  if (made == NULL || symbol == NULL) return NULL;
  *symbol = (brink_symbol){.kind = BRINK_SYMBOL_LET, .name = name, .place = place};
  made->symbol = symbol;
  made->expr = expr;
  return made;
}

/* := by way of local names that no text can name. */
static void assign_all(brink_parser *p, const tuple *targets, const brink_ast_expr *call,
                       brink_ast_statement ***end) {
  brink_ast_statement **lets = brink_unit_take(p->unit, targets->count, sizeof(void *));
  if (lets == NULL) return;
  p->tuples++;
  for (size_t k = 0; k < targets->count; k++) {
    const char *name = brink_unit_format(p->unit, "%zu.%zu", p->tuples, k + 1);
    lets[k] = let_of(p, targets->place, name, result_of(p, call, k, targets->count));
    chain(end, lets[k]);
  }
  for (size_t k = 0; k < targets->count; k++) {
    brink_ast_statement *made = brink_parse_new(p, BRINK_STATEMENT_ASSIGN, targets->place);
    brink_ast_expr *name = brink_parse_node(p, BRINK_AST_NAME, call->place);
    if (made == NULL || lets[k] == NULL) return;
    brink_ast_part part = {.name = lets[k]->symbol->name, .place = call->place};
    name->part = brink_parse_single(p, &part, sizeof part);
    name->nparts = 1;
    made->target = targets->target[k];
    made->expr = name;
    chain(end, made);
  }
}

static void equate_all(brink_parser *p, const tuple *targets, const brink_ast_expr *call, bool let,
                       brink_ast_statement ***end) {
  for (size_t k = 0; k < targets->count; k++) {
    brink_ast_expr *target = targets->target[k], *expr = result_of(p, call, k, targets->count);
    if (let) {
      if (target->op == BRINK_AST_NAME && target->nparts == 1)
        chain(end, let_of(p, target->place, target->part[0].name, expr));
      continue;
    }
    brink_ast_statement *made = brink_parse_new(p, BRINK_STATEMENT_EQUATION, target->place);
    if (made == NULL) return;
    made->target = target;
    made->expr = expr;
    chain(end, made);
  }
}

brink_ast_statement *brink_parse_tuple(brink_parser *p, unsigned may, bool let) {
  brink_ast_statement *first = NULL, **end = &first;
  tuple targets = parse_targets(p);
  bool assigns = p->token.kind == BRINK_TOKEN_ASSIGN;
  if (!p->panic && (assigns ? let || !(may & BRINK_MAY_ASSIGN) : !let && !(may & BRINK_MAY_EQUATE)))
    brink_parse_unexpected(p, assigns ? "'='" : "':='");
  if (!p->panic && !assigns)
    brink_parse_expect(p, BRINK_TOKEN_EQ, "'='");
  else if (assigns)
    brink_parse_advance(p);
  brink_ast_expr *call = brink_parse_expression(p);
  brink_parse_finish(p);
  if (call->op == BRINK_AST_DAMAGED) return NULL;
  if (call->op != BRINK_AST_CALL) {
    brink_parse_error(p, BRINK_MSG_TUPLE_OF_A_CALL, call->place,
                      "write one statement for each name",
                      "several names receive the results of a function, and nothing else");
    return NULL;
  }
  if (assigns)
    assign_all(p, &targets, call, &end);
  else
    equate_all(p, &targets, call, let, &end);
  return first;
}
