/* parse_instance.c: values by name, and the parts of a composite.
 *
 *   value    = name ":" expression
 *   instance = name ":" NAME ["(" [value {"," value}] ")"] ";"
 *            | "for" NAME "in" sum ".." sum "loop" {instance} "end" "loop" ";" */
#include <string.h>

#include "lang/parser.h"

bool brink_parse_value(brink_parser *p, brink_ast_value *value) {
  brink_token name;
  *value = (brink_ast_value){.name = ""};
  if (!p->panic && p->token.kind == BRINK_TOKEN_NUMBER)
    brink_parse_panic(p, BRINK_MSG_EXPECTED, brink_parse_place(p), "write 'name : value'",
                      "expected %s, found %s", "a name", brink_parse_shown(p, &p->token));
  if (!brink_parse_expect_name(p, "a name", &name)) return false;
  value->name = brink_parse_name(p, &name);
  value->place = brink_token_place(p->file, &name);
  if (brink_parse_accept(p, BRINK_TOKEN_DOT)) { /* a signal of a bundle: f.w */
    brink_token member;
    if (!brink_parse_expect_name(p, "a name", &member)) return false;
    const char *whole =
        brink_unit_format(p->unit, "%s.%s", value->name, brink_parse_name(p, &member));
    value->name = brink_parse_intern(p, whole, strlen(whole));
    value->place = brink_parse_span(p, &name);
  }
  brink_token open = p->token;
  if (brink_parse_accept(p, BRINK_TOKEN_LBRACKET)) {
    value->index = brink_parse_index(p);
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

/* tank[i], in a loop over i: the array has as many parts as the loop has turns. */
static void count_parts(brink_parser *p, brink_symbol *symbol, const brink_ast_statement *loop) {
  if (p->panic || symbol == NULL || loop->symbol == NULL) return;
  const brink_ast_expr *index = symbol->size;
  bool counted = index != NULL && index->op == BRINK_AST_NAME && index->nparts == 1 &&
                 index->part[0].index == NULL && index->part[0].name == loop->symbol->name;
  if (!counted)
    brink_parse_error(
        p, BRINK_MSG_PART_NOT_COUNTED, symbol->place,
        brink_unit_format(p->unit, "write %s[%s] : ...", symbol->name, loop->symbol->name),
        "the loop over '%s' does not number '%s'", loop->symbol->name, symbol->name);
  symbol->size = loop->hi;
  symbol->counter = loop->symbol;
}

/* instance = NAME ["[" expression "]"] ":" NAME ["(" [value {"," value}] ")"] ";"
 * `loop`: the statement around it; NULL: there is none. */
static void parse_instance(brink_parser *p, const brink_ast_statement *loop) {
  brink_token name;
  brink_parse_line(p);
  brink_symbol *symbol = brink_parse_declared_name(p, BRINK_SYMBOL_INSTANCE);
  if (loop != NULL) count_parts(p, symbol, loop);
  if (!p->panic && (p->token.kind == BRINK_TOKEN_EQ || p->token.kind == BRINK_TOKEN_ASSIGN)) {
    brink_parse_error(p, BRINK_MSG_PART_WITHOUT_COLON, brink_parse_place(p),
                      "write 'name : Component;'", "parts are named with ':' here");
    p->token.kind = BRINK_TOKEN_COLON;
  }
  if (!p->panic && symbol != NULL && p->token.kind == BRINK_TOKEN_NAME) /* Tank tank; */
    brink_parse_panic(
        p, BRINK_MSG_EXPECTED, brink_parse_place(p),
        brink_unit_format(p->unit, "write %s : %s;", brink_parse_name(p, &p->token), symbol->name),
        "expected %s, found %s", "':' and the name of a component",
        brink_parse_shown(p, &p->token));
  brink_parse_expect(p, BRINK_TOKEN_COLON, "':' and the name of a component");
  if (brink_parse_is(p, "new") && p->next.kind == BRINK_TOKEN_NAME) brink_parse_advance(p);
  if (brink_parse_expect_name(p, "the name of a component", &name) && symbol != NULL) {
    symbol->class_name = brink_parse_name(p, &name);
    symbol->class_place = brink_token_place(p->file, &name);
  }
  parse_instance_values(p, symbol);
  if (!p->panic && p->token.kind == BRINK_TOKEN_LBRACKET && symbol != NULL)
    brink_parse_panic(p, BRINK_MSG_UNEXPECTED, brink_parse_place(p),
                      brink_unit_format(p->unit, "an array is written %s[...] : %s;", symbol->name,
                                        symbol->class_name != NULL ? symbol->class_name : "Part"),
                      "%s is not expected here", brink_parse_shown(p, &p->token));
  if (!p->panic && p->token.kind == BRINK_TOKEN_LBRACE)
    brink_parse_panic(p, BRINK_MSG_UNEXPECTED, brink_parse_place(p),
                      "arguments stand in parentheses: (name : value)", "%s is not expected here",
                      brink_parse_shown(p, &p->token));
  brink_parse_finish(p);
  if (symbol != NULL && symbol->class_name != NULL) brink_parse_declare(p, symbol);
}

static void parse_instances(brink_parser *p, const brink_ast_statement *loop);

/* The parts of an array are numbered from 1. */
static void check_first(brink_parser *p, const brink_ast_statement *loop) {
  if (p->panic || loop->lo == NULL || loop->lo->op == BRINK_AST_DAMAGED) return;
  if (loop->lo->op == BRINK_AST_NUMBER && loop->lo->number == 1.0) return;
  brink_parse_error(p, BRINK_MSG_PARTS_FROM_ONE, loop->lo->place, "write 1..n",
                    "the parts of an array are numbered from 1");
}

/* "for" NAME "in" sum ".." sum "loop" {instance} "end" "loop" ";" */
static void parse_instance_loop(brink_parser *p, const brink_ast_statement *outer) {
  brink_open_block open;
  brink_ast_statement loop = {.kind = BRINK_STATEMENT_FOR, .place = brink_parse_place(p)};
  brink_parse_line(p);
  if (outer != NULL) {
    p->losses++;
    brink_parse_error(p, BRINK_MSG_NESTED_PART_LOOP, brink_parse_place(p),
                      "an array of arrays is an array of composites", "a loop in a loop of parts");
  }
  brink_parse_for_head(p, &loop, &open);
  check_first(p, &loop);
  parse_instances(p, &loop);
}

/* {instance | loop} and the end of the block around them */
static void parse_instances(brink_parser *p, const brink_ast_statement *loop) {
  do {
    p->indent++;
    while (brink_parse_more(p)) {
      const char *start = p->token.start;
      if (brink_token_is_word(&p->token, "for") && p->next.kind == BRINK_TOKEN_NAME)
        parse_instance_loop(p, loop);
      else
        parse_instance(p, loop);
      if (p->token.start == start && !brink_parse_at_stop(p)) brink_parse_advance(p);
    }
    p->indent--;
  } while (!brink_parse_close_block(p));
}

void brink_parse_instances(brink_parser *p) {
  parse_instances(p, NULL);
}
