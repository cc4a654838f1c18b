/* parse_expr.c: expressions.
 *
 *   expression = disjunction | "if" expression "then" expression
 *                              {"elsif" expression "then" expression} "else" expression
 *   operators, loosest first:  or / and / not / relations (not chained) / + - / * / / unary - / ^
 *
 * One function climbs these levels (Pratt 1973); the table has the level of each operator. */
#include "lang/parser.h"

enum {
  LEVEL_OR = 1,
  LEVEL_AND,
  LEVEL_NOT,
  LEVEL_RELATION,
  LEVEL_SUM,
  LEVEL_PRODUCT,
  LEVEL_UNARY,
  LEVEL_POWER
};

typedef struct infix_rule {
  brink_ast_op op;
  int level; /* 0: no infix operator */
  int right; /* the loosest level of its right operand */
} infix_rule;

/* `^` takes a unary minus on its right, and itself: 2^-1, 2^3^2 = 2^(3^2). */
static const infix_rule infix[BRINK_TOKEN_COUNT] = {
    [BRINK_TOKEN_OR] = {BRINK_AST_OR, LEVEL_OR, LEVEL_AND},
    [BRINK_TOKEN_AND] = {BRINK_AST_AND, LEVEL_AND, LEVEL_NOT},
    [BRINK_TOKEN_LT] = {BRINK_AST_LT, LEVEL_RELATION, LEVEL_SUM},
    [BRINK_TOKEN_LE] = {BRINK_AST_LE, LEVEL_RELATION, LEVEL_SUM},
    [BRINK_TOKEN_GT] = {BRINK_AST_GT, LEVEL_RELATION, LEVEL_SUM},
    [BRINK_TOKEN_GE] = {BRINK_AST_GE, LEVEL_RELATION, LEVEL_SUM},
    [BRINK_TOKEN_EQ] = {BRINK_AST_EQ, LEVEL_RELATION, LEVEL_SUM},
    [BRINK_TOKEN_NE] = {BRINK_AST_NE, LEVEL_RELATION, LEVEL_SUM},
    [BRINK_TOKEN_PLUS] = {BRINK_AST_ADD, LEVEL_SUM, LEVEL_PRODUCT},
    [BRINK_TOKEN_MINUS] = {BRINK_AST_SUB, LEVEL_SUM, LEVEL_PRODUCT},
    [BRINK_TOKEN_STAR] = {BRINK_AST_MUL, LEVEL_PRODUCT, LEVEL_UNARY},
    [BRINK_TOKEN_SLASH] = {BRINK_AST_DIV, LEVEL_PRODUCT, LEVEL_UNARY},
    [BRINK_TOKEN_CARET] = {BRINK_AST_POW, LEVEL_POWER, LEVEL_UNARY},
};

static brink_ast_expr *parse_level(brink_parser *p, int level);

/* ---- nodes ---- */

static brink_ast_expr *damaged(brink_parser *p) {
  return brink_parse_node(p, BRINK_AST_DAMAGED, brink_parse_place(p));
}

/* Takes the operands; a tree that gets too high is reported, and cut off. */
static brink_ast_expr *with_operands(brink_parser *p, brink_ast_expr *expr, size_t begin) {
  expr->arg = brink_list_take(p, begin, sizeof *expr->arg, &expr->nargs);
  for (size_t i = 0; i < expr->nargs; i++)
    if (expr->arg[i]->height >= expr->height) expr->height = expr->arg[i]->height + 1;
  if (expr->height <= BRINK_EXPR_HEIGHT) return expr;
  brink_parse_panic(
      p, BRINK_MSG_EXPRESSION_TOO_DEEP, expr->place, "name a part of it with a variable",
      "an expression with more than %d operators one inside the other", BRINK_EXPR_HEIGHT);
  return damaged(p);
}

static brink_ast_expr *make(brink_parser *p, brink_ast_op op, brink_place place, brink_ast_expr *a,
                            brink_ast_expr *b, brink_ast_expr *c) {
  brink_ast_expr *expr = brink_parse_node(p, op, place);
  size_t begin = brink_list_begin(p);
  brink_list_add(p, &a, sizeof a);
  if (b != NULL) brink_list_add(p, &b, sizeof b);
  if (c != NULL) brink_list_add(p, &c, sizeof c);
  return with_operands(p, expr, begin);
}

/* ---- names and calls ---- */

/* index = ":" | expression [".." expression] */
static brink_ast_expr *parse_one_index(brink_parser *p) {
  brink_place place = brink_parse_place(p);
  if (brink_parse_accept(p, BRINK_TOKEN_COLON)) return brink_parse_node(p, BRINK_AST_SLICE, place);
  brink_ast_expr *lo = brink_parse_expression(p);
  place = brink_parse_place(p);
  if (p->panic || !brink_parse_accept(p, BRINK_TOKEN_DOTDOT)) return lo;
  return make(p, BRINK_AST_SLICE, place, lo, brink_parse_expression(p), NULL);
}

/* indices = index ["," index] */
brink_ast_expr *brink_parse_index(brink_parser *p) {
  p->indices++;
  brink_ast_expr *index = parse_one_index(p);
  if (!p->panic && brink_parse_accept(p, BRINK_TOKEN_COMMA))
    index = make(p, BRINK_AST_INDICES, index->place, index, parse_one_index(p), NULL);
  p->indices--;
  if (!p->panic && p->token.kind == BRINK_TOKEN_COMMA)
    brink_parse_panic(p, BRINK_MSG_SECOND_INDEX, brink_parse_place(p), NULL,
                      "there are one or two indices");
  return index;
}

/* "for" NAME "in" sum ".." sum, behind an expression: it for each i. */
static brink_ast_expr *parse_each(brink_parser *p, brink_ast_expr *body) {
  if (p->panic || !brink_token_is_word(&p->token, "for")) return body;
  brink_place place = brink_parse_place(p);
  brink_token name;
  brink_parse_spaced_keyword(p);
  if (!brink_parse_expect_name(p, "a name", &name)) return body;
  brink_symbol *symbol = brink_parse_symbol(p, BRINK_SYMBOL_LOOP, &name);
  if (brink_parse_is(p, "in"))
    brink_parse_spaced_keyword(p);
  else if (!p->panic)
    brink_parse_panic(p, BRINK_MSG_EXPECTED_WORD, brink_parse_place(p),
                      "values for each are written '... for i in 1..3'", "expected '%s', found %s",
                      "in", brink_parse_shown(p, &p->token));
  brink_ast_expr *lo = brink_parse_sum(p);
  brink_parse_expect(p, BRINK_TOKEN_DOTDOT, "'..'");
  brink_ast_expr *each = make(p, BRINK_AST_EACH, place, body, lo, brink_parse_sum(p));
  each->loop = symbol;
  return each;
}

/* part = NAME ["[" indices "]"] */
static bool parse_part(brink_parser *p, brink_ast_part *part) {
  brink_token name;
  *part = (brink_ast_part){.index = NULL};
  if (!brink_parse_expect_name(p, "a name", &name)) return false;
  part->name = brink_parse_name(p, &name);
  part->place = brink_token_place(p->file, &name);
  brink_token open = p->token;
  if (!brink_parse_accept(p, BRINK_TOKEN_LBRACKET)) return true;
  part->index = brink_parse_index(p);
  brink_parse_close(p, BRINK_TOKEN_RBRACKET, &open);
  return true;
}

/* math.sin(x): a function with the name of a library before it. */
static void prefixed_call(brink_parser *p, brink_ast_expr *path) {
  const char *name = path->part[path->nparts - 1].name;
  size_t count;
  brink_parse_error(p, BRINK_MSG_PREFIXED_FUNCTION, path->place,
                    brink_unit_format(p->unit, "write %s(...)", name),
                    "'%s' is no function: functions have no prefix",
                    brink_unit_format(p->unit, "%s.%s", path->part[path->nparts - 2].name, name));
  p->quiet++;
  brink_parse_arguments(p, &count);
  p->quiet--;
  path->op = BRINK_AST_DAMAGED;
}

/* path = part {"." part} ["'"] */
static brink_ast_expr *parse_path(brink_parser *p) {
  brink_token first = p->token;
  brink_ast_expr *expr = brink_parse_node(p, BRINK_AST_NAME, brink_parse_place(p));
  size_t begin = brink_list_begin(p);
  brink_ast_part part;
  do {
    if (!parse_part(p, &part)) break;
    if (part.index != NULL && part.index->height >= expr->height)
      expr->height = part.index->height + 1;
    brink_list_add(p, &part, sizeof part);
  } while (brink_parse_accept(p, BRINK_TOKEN_DOT));
  expr->part = brink_list_take(p, begin, sizeof *expr->part, &expr->nparts);
  expr->place = brink_parse_span(p, &first);
  if (expr->nparts == 0) expr->op = BRINK_AST_DAMAGED;
  bool adjacent = expr->nparts > 1 && p->token.start == p->previous.start + p->previous.length;
  if (adjacent && p->token.kind == BRINK_TOKEN_LPAREN && !p->panic) {
    prefixed_call(p, expr);
    return expr;
  }
  if (!brink_parse_accept(p, BRINK_TOKEN_PRIME)) return expr;
  if (!p->panic && p->token.kind == BRINK_TOKEN_PRIME) {
    brink_parse_error(p, BRINK_MSG_SECOND_DERIVATIVE, brink_parse_place(p),
                      "declare the first derivative as a state of its own: x' = v; v' = ...;",
                      "only first derivatives are allowed");
    while (brink_parse_accept(p, BRINK_TOKEN_PRIME)) continue;
  }
  return make(p, BRINK_AST_PRIME, brink_parse_span(p, &first), expr, NULL, NULL);
}

brink_ast_expr **brink_parse_arguments(brink_parser *p, size_t *count) {
  brink_token open = p->token;
  size_t begin = brink_list_begin(p);
  if (brink_parse_expect(p, BRINK_TOKEN_LPAREN, "'('") && p->token.kind != BRINK_TOKEN_RPAREN) {
    do {
      brink_ast_expr *argument = parse_each(p, brink_parse_expression(p));
      brink_list_add(p, &argument, sizeof argument);
    } while (brink_parse_accept(p, BRINK_TOKEN_COMMA));
  }
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
  return brink_list_take(p, begin, sizeof(brink_ast_expr *), count);
}

/* call = NAME "(" [expression {"," expression}] ")" */
static brink_ast_expr *parse_call(brink_parser *p) {
  brink_ast_expr *expr = brink_parse_node(p, BRINK_AST_CALL, brink_parse_place(p));
  expr->text = brink_parse_name(p, &p->token);
  brink_parse_advance(p);
  size_t count = 0;
  brink_ast_expr **arguments = brink_parse_arguments(p, &count);
  size_t begin = brink_list_begin(p);
  for (size_t i = 0; i < count; i++) brink_list_add(p, &arguments[i], sizeof arguments[i]);
  return with_operands(p, expr, begin);
}

/* ---- operands ---- */

/* vector = "[" expression {"," expression} "]" | "[" expression "for" NAME "in" sum ".." sum "]" */
static brink_ast_expr *parse_vector(brink_parser *p) {
  brink_token open = p->token;
  brink_ast_expr *expr = brink_parse_node(p, BRINK_AST_VECTOR, brink_parse_place(p));
  size_t begin = brink_list_begin(p);
  brink_parse_advance(p);
  brink_ast_expr *element, *each;
  do {
    element = brink_parse_expression(p);
    each = parse_each(p, element);
    brink_list_add(p, &each, sizeof each);
  } while (each == element && brink_parse_accept(p, BRINK_TOKEN_COMMA));
  brink_parse_close(p, BRINK_TOKEN_RBRACKET, &open);
  expr->place = brink_parse_span(p, &open);
  expr = with_operands(p, expr, begin);
  return each != element && expr->nargs == 1 ? each : expr;
}

/* "(" expression ")" */
static brink_ast_expr *parse_parentheses(brink_parser *p) {
  brink_token open = p->token;
  brink_parse_advance(p);
  brink_ast_expr *expr = brink_parse_expression(p);
  if (!p->panic && p->token.kind == BRINK_TOKEN_COMMA)
    brink_parse_panic(p, BRINK_MSG_COMMA_IN_PARENTHESES, brink_parse_place(p),
                      "a vector is written [a, b]", "a comma inside parentheses");
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
  expr->parenthesised = true;
  if (!p->panic && p->token.kind == BRINK_TOKEN_PRIME) {
    brink_parse_error(p, BRINK_MSG_DERIVATIVE_OF_NO_NAME, brink_parse_place(p),
                      "write it with the derivatives of its states: x' + y'",
                      "only names have derivatives");
    brink_parse_advance(p);
  }
  return expr;
}

/* if_expression = "if" expression "then" expression ("else" expression | "elsif" ...)
 * It reaches as far right as it can. */
static brink_ast_expr *parse_if(brink_parser *p) {
  brink_place place = brink_parse_place(p);
  p->choices++;
  brink_parse_advance(p);
  if (!brink_parse_enter(p, 2 * BRINK_NESTING_LIMIT)) {
    brink_parse_leave(p);
    return damaged(p);
  }
  brink_ast_expr *condition = brink_parse_expression(p);
  if (!p->panic && p->token.kind != BRINK_TOKEN_THEN && !p->token.first)
    brink_parse_panic(p, BRINK_MSG_EXPECTED, brink_parse_place(p),
                      "a choice is written 'if c then a else b'", "expected %s, found %s", "'then'",
                      brink_parse_shown(p, &p->token));
  brink_parse_expect(p, BRINK_TOKEN_THEN, "'then'");
  brink_ast_expr *yes = brink_parse_expression(p), *no;
  if (!p->panic && (p->token.kind == BRINK_TOKEN_ELSIF || brink_parse_repair_elsif(p))) {
    no = parse_if(p);
  } else {
    if (!p->panic && p->token.kind != BRINK_TOKEN_ELSE)
      brink_parse_panic(p, BRINK_MSG_MISSING_ELSE, brink_parse_after(p),
                        "every case must have a value: add 'else ...'",
                        "the 'else' of this 'if' is missing");
    if (p->panic && p->token.kind == BRINK_TOKEN_END && !p->token.first) { /* if c then a end */
      brink_parse_advance(p);
      if (p->token.kind == BRINK_TOKEN_IF) brink_parse_advance(p);
    }
    brink_parse_accept(p, BRINK_TOKEN_ELSE);
    no = brink_parse_expression(p);
  }
  brink_parse_leave(p);
  return make(p, BRINK_AST_IF, place, condition, yes, no);
}

/* Something that begins no operand. */
static brink_ast_expr *parse_nothing(brink_parser *p) {
  brink_ast_expr *expr = damaged(p);
  if (p->panic) return expr;
  brink_token_kind kind = p->token.kind;
  if (brink_token_is_reserved(kind) && !p->token.first &&
      (infix[p->next.kind].level >= LEVEL_RELATION || p->next.kind == BRINK_TOKEN_RPAREN ||
       p->next.kind == BRINK_TOKEN_COMMA || p->next.kind == BRINK_TOKEN_RBRACKET)) {
    brink_parse_error(p, BRINK_MSG_RESERVED_WORD, brink_parse_place(p), "choose another name",
                      "%s is a reserved word and cannot be a name",
                      brink_parse_shown(p, &p->token));
    brink_parse_advance(p);
    return expr;
  }
  bool closes =
      kind == BRINK_TOKEN_RPAREN || kind == BRINK_TOKEN_RBRACKET || kind == BRINK_TOKEN_RBRACE;
  if (closes && p->previous.kind == BRINK_TOKEN_COMMA) { /* [a, b,] */
    brink_parse_error(p, BRINK_MSG_EXPECTED, brink_token_place(p->file, &p->previous),
                      "leave out the ','", "expected %s, found %s", "an expression",
                      brink_parse_shown(p, &p->token));
    return expr;
  }
  if (kind == BRINK_TOKEN_LBRACE)
    brink_parse_panic(p, BRINK_MSG_SET_MISPLACED, brink_parse_place(p),
                      "a vector is written [a, b]", "sets are allowed in declarations only");
  else if (kind == BRINK_TOKEN_NEGATIVE_GOING || kind == BRINK_TOKEN_POSITIVE_GOING ||
           kind == BRINK_TOKEN_ON_EVENT)
    brink_parse_panic(p, BRINK_MSG_ONE_WORD, brink_parse_place(p),
                      "put spaces around the '-' of a difference", "%s is one word",
                      brink_parse_shown(p, &p->token));
  else
    brink_parse_unexpected(p, "an expression");
  return expr;
}

/* primary = NUMBER | STRING | path | call | vector | "(" expression ")" */
static brink_ast_expr *parse_primary(brink_parser *p) {
  brink_ast_expr *expr;
  if (p->panic) return damaged(p);
  switch (p->token.kind) {
  case BRINK_TOKEN_NUMBER:
    expr = brink_parse_node(p, p->token.damaged ? BRINK_AST_DAMAGED : BRINK_AST_NUMBER,
                            brink_parse_place(p));
    expr->number = p->token.number;
    expr->whole = p->token.whole;
    expr->text = brink_parse_name(p, &p->token);
    brink_parse_advance(p);
    return expr;
  case BRINK_TOKEN_STRING:
    expr = brink_parse_node(p, p->token.damaged ? BRINK_AST_DAMAGED : BRINK_AST_TEXT,
                            brink_parse_place(p));
    expr->text = brink_parse_string(p, &p->token);
    brink_parse_advance(p);
    return expr;
  case BRINK_TOKEN_NAME:
    return p->next.kind == BRINK_TOKEN_LPAREN ? parse_call(p) : parse_path(p);
  case BRINK_TOKEN_LPAREN:
    return parse_parentheses(p);
  case BRINK_TOKEN_LBRACKET:
    return parse_vector(p);
  default:
    return parse_nothing(p);
  }
}

/* operand = ["-"] operand | "not" operand | if_expression | primary */
static brink_ast_expr *parse_operand(brink_parser *p, int level) {
  brink_place place = brink_parse_place(p);
  if (p->panic) return damaged(p);
  switch (p->token.kind) {
  case BRINK_TOKEN_MINUS:
    brink_parse_advance(p);
    return make(p, BRINK_AST_NEGATE, place, parse_level(p, LEVEL_UNARY), NULL, NULL);
  case BRINK_TOKEN_PLUS:
    brink_parse_error(p, BRINK_MSG_UNARY_PLUS, place, "leave it out", "there is no unary '+'");
    brink_parse_advance(p);
    return parse_level(p, LEVEL_UNARY);
  case BRINK_TOKEN_NOT:
    if (level > LEVEL_NOT)
      brink_parse_error(p, BRINK_MSG_NOT_BINDS_LESS, place, "put 'not ...' into parentheses",
                        "'not' has a lower precedence than the operator before it");
    brink_parse_advance(p);
    return make(p, BRINK_AST_NOT, place, parse_level(p, LEVEL_NOT), NULL, NULL);
  case BRINK_TOKEN_IF:
    return parse_if(p);
  default:
    return parse_primary(p);
  }
}

static bool is_relation(const brink_ast_expr *expr) {
  return expr->op >= BRINK_AST_LT && expr->op <= BRINK_AST_NE && !expr->parenthesised;
}

/* ---- the climb ---- */

/* `:=` where only a comparison can be. */
static void repair_assign(brink_parser *p, int level) {
  if (p->token.kind != BRINK_TOKEN_ASSIGN || level > LEVEL_RELATION || p->indices > 0) return;
  brink_parse_error(p, BRINK_MSG_ASSIGNMENT_IN_EXPRESSION, brink_parse_place(p),
                    "a comparison is written '='", "':=' inside an expression");
  p->token.kind = BRINK_TOKEN_EQ;
}

/* Operators of this level and of tighter ones. */
static brink_ast_expr *parse_level(brink_parser *p, int level) {
  if (!brink_parse_enter(p, 2 * BRINK_NESTING_LIMIT)) {
    brink_parse_leave(p);
    return damaged(p);
  }
  brink_ast_expr *left = parse_operand(p, level);
  while (!p->panic) {
    repair_assign(p, level);
    infix_rule rule = infix[p->token.kind];
    if (rule.level == 0 || rule.level < level) break;
    brink_place place = brink_parse_place(p);
    bool chained = rule.level == LEVEL_RELATION && is_relation(left);
    if (chained)
      brink_parse_error(p, BRINK_MSG_CHAINED_RELATIONS, place,
                        "write 'a < b and b < c', or put one of them into parentheses",
                        "relations cannot be chained");
    brink_parse_advance(p);
    brink_ast_expr *right = parse_level(p, rule.right);
    left = make(p, rule.op, place, left, right, NULL);
    if (chained) left->op = BRINK_AST_DAMAGED, left->nargs = 0;
  }
  brink_parse_leave(p);
  return left;
}

void brink_parse_sizes(brink_parser *p, brink_symbol *symbol, brink_ast_expr *size,
                       brink_ast_expr *columns) {
  symbol->size = size;
  if (columns == NULL) return;
  symbol->rows = size;
  symbol->columns = columns;
  symbol->size = make(p, BRINK_AST_MUL, size->place, size, columns, NULL);
}

brink_ast_expr *brink_parse_expression(brink_parser *p) {
  return parse_level(p, LEVEL_OR);
}

brink_ast_expr *brink_parse_sum(brink_parser *p) {
  return parse_level(p, LEVEL_SUM);
}
