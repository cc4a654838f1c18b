/* expr_text.c: an expression as a person would write it, for names of what the compiler makes of it. */
#include <string.h>

#include "lang/ast.h"

enum { DEPTH = 24, ARGUMENTS = 6 };

static const char *const infix[] = {
    [BRINK_AST_ADD] = " + ", [BRINK_AST_SUB] = " - ", [BRINK_AST_MUL] = "*",
    [BRINK_AST_DIV] = "/",   [BRINK_AST_POW] = "^",   [BRINK_AST_LT] = " < ",
    [BRINK_AST_LE] = " <= ", [BRINK_AST_GT] = " > ",  [BRINK_AST_GE] = " >= ",
    [BRINK_AST_EQ] = " = ",  [BRINK_AST_NE] = " /= ", [BRINK_AST_AND] = " and ",
    [BRINK_AST_OR] = " or ",
};

static void add(brink_text *text, const char *part) {
  brink_text_append(text, part, strlen(part));
}

static void write(const brink_ast_expr *expr, int depth, brink_text *text);

static void write_path(const brink_ast_expr *expr, int depth, brink_text *text) {
  for (size_t k = 0; k < expr->nparts; k++) {
    const brink_ast_part *part = &expr->part[k];
    if (k > 0) add(text, ".");
    add(text, part->name);
    if (part->index == NULL) continue;
    add(text, "[");
    write(part->index, depth + 1, text);
    add(text, "]");
  }
}

static void write_list(const brink_ast_expr *expr, const char *open, const char *close, int depth,
                       brink_text *text) {
  add(text, open);
  for (size_t k = 0; k < expr->nargs; k++) {
    if (k > 0) add(text, ", ");
    if (k == ARGUMENTS) {
      add(text, "…");
      break;
    }
    write(expr->arg[k], depth + 1, text);
  }
  add(text, close);
}

static void write_if(const brink_ast_expr *expr, int depth, brink_text *text) {
  add(text, "if ");
  write(expr->arg[0], depth + 1, text);
  add(text, " then ");
  write(expr->arg[1], depth + 1, text);
  add(text, " else ");
  write(expr->arg[2], depth + 1, text);
}

static void write_each(const brink_ast_expr *expr, int depth, brink_text *text) {
  write(expr->arg[0], depth + 1, text);
  brink_text_add(text, " for %s in ", expr->loop != NULL ? expr->loop->name : "?");
  write(expr->arg[1], depth + 1, text);
  add(text, "..");
  write(expr->arg[2], depth + 1, text);
}

static void write_bare(const brink_ast_expr *expr, int depth, brink_text *text) {
  switch (expr->op) {
  case BRINK_AST_NUMBER:
    if (expr->text != NULL)
      add(text, expr->text);
    else
      brink_text_add(text, "%.10g", expr->number);
    return;
  case BRINK_AST_TEXT:
    brink_text_add(text, "\"%s\"", expr->text);
    return;
  case BRINK_AST_NAME:
    write_path(expr, depth, text);
    return;
  case BRINK_AST_PRIME:
    write(expr->arg[0], depth + 1, text);
    add(text, "'");
    return;
  case BRINK_AST_NEGATE:
  case BRINK_AST_NOT:
    add(text, expr->op == BRINK_AST_NOT ? "not " : "-");
    write(expr->arg[0], depth + 1, text);
    return;
  case BRINK_AST_IF:
    write_if(expr, depth, text);
    return;
  case BRINK_AST_CALL:
    add(text, expr->text);
    if (expr->nargs == 1 && expr->arg[0]->op == BRINK_AST_EACH) { /* sum(e for i in 1..n) */
      add(text, "(");
      write_each(expr->arg[0], depth, text);
      add(text, ")");
      return;
    }
    write_list(expr, "(", ")", depth, text);
    return;
  case BRINK_AST_VECTOR:
    write_list(expr, "[", "]", depth, text);
    return;
  case BRINK_AST_EACH:
    add(text, "[");
    write_each(expr, depth, text);
    add(text, "]");
    return;
  case BRINK_AST_SLICE:
    if (expr->nargs == 2) write(expr->arg[0], depth + 1, text);
    add(text, expr->nargs == 2 ? ".." : ":");
    if (expr->nargs == 2) write(expr->arg[1], depth + 1, text);
    return;
  case BRINK_AST_INDICES:
    write_list(expr, "", "", depth, text);
    return;
  default:
    break;
  }
  size_t op = (size_t)expr->op;
  if (op >= sizeof infix / sizeof *infix || infix[op] == NULL || expr->nargs != 2) {
    add(text, "…");
    return;
  }
  write(expr->arg[0], depth + 1, text);
  add(text, infix[op]);
  write(expr->arg[1], depth + 1, text);
}

static void write(const brink_ast_expr *expr, int depth, brink_text *text) {
  if (depth > DEPTH) {
    add(text, "…");
    return;
  }
  if (expr->parenthesised) add(text, "(");
  write_bare(expr, depth, text);
  if (expr->parenthesised) add(text, ")");
}

/* Cut between characters: those that continue one begin with the bits 10. */
static void shorten(brink_text *text, size_t most) {
  if (text->data == NULL || text->length <= most) return;
  size_t length = most - strlen("…");
  while (length > 0 && ((unsigned char)text->data[length] & 0xc0) == 0x80) length--;
  while (length > 0 && text->data[length - 1] == ' ') length--;
  text->length = length;
  add(text, "…");
}

void brink_expr_text(const brink_ast_expr *expr, size_t most, brink_text *text) {
  if (expr->parenthesised) /* around the whole: says nothing */
    write_bare(expr, 0, text);
  else
    write(expr, 0, text);
  shorten(text, most);
}
