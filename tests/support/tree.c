/* tree.c: see tree.h. */
#include "support/tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- models from texts ---- */

static char *read_memory(const char *path, size_t *length, const char **reason, void *user) {
  tree_files *files = user;
  for (size_t i = 0; i < files->count; i++) {
    const tree_file *file = &files->file[i];
    if (strcmp(file->path, path) != 0) continue;
    files->reads++;
    *length = file->length > 0 ? file->length : strlen(file->text);
    char *text = malloc(*length + 1);
    if (text == NULL) return NULL;
    memcpy(text, file->text, *length);
    text[*length] = '\0';
    return text;
  }
  *reason = "no such file";
  return NULL;
}

brink_unit *tree_parse_files(tree_files *files, const brink_allocator *allocator) {
  brink_reader reader = {.read = read_memory, .user = files};
  bool unreadable = false;
  const char *reason = NULL;
  brink_unit *unit =
      brink_unit_parse(files->file[0].path, &reader, allocator, &unreadable, &reason);
  if (!unreadable) return unit;
  brink_unit_destroy(unit);
  return NULL;
}

brink_unit *tree_parse_bytes(const char *text, size_t length, const brink_allocator *allocator) {
  tree_file file = {.path = "m.hsml", .text = text, .length = length};
  tree_files files = {.file = &file, .count = 1};
  return tree_parse_files(&files, allocator);
}

brink_unit *tree_parse(const char *text) {
  return tree_parse_bytes(text, 0, NULL);
}

void tree_diagnostics(brink_unit *unit, brink_text *text) {
  brink_report_sort(unit);
  brink_text_append(text, "", 0);
  for (size_t i = 0; i < unit->nitems; i++) brink_report_render(unit, &unit->items[i], text);
}

/* ---- expressions ---- */

static const char *operator_text(brink_ast_op op) {
  static const char *const texts[] = {
      [BRINK_AST_NEGATE] = "-", [BRINK_AST_NOT] = "not",  [BRINK_AST_ADD] = "+",
      [BRINK_AST_SUB] = "-",    [BRINK_AST_MUL] = "*",    [BRINK_AST_DIV] = "/",
      [BRINK_AST_POW] = "^",    [BRINK_AST_LT] = "<",     [BRINK_AST_LE] = "<=",
      [BRINK_AST_GT] = ">",     [BRINK_AST_GE] = ">=",    [BRINK_AST_EQ] = "=",
      [BRINK_AST_NE] = "/=",    [BRINK_AST_AND] = "and",  [BRINK_AST_OR] = "or",
      [BRINK_AST_IF] = "if",    [BRINK_AST_PRIME] = "'",  [BRINK_AST_VECTOR] = "vector",
      [BRINK_AST_EACH] = "for", [BRINK_AST_SLICE] = "..", [BRINK_AST_INDICES] = ",",
      [BRINK_AST_DAMAGED] = "?"};
  return texts[op];
}

static void dump_path(const brink_ast_expr *expr, brink_text *text) {
  for (size_t i = 0; i < expr->nparts; i++) {
    brink_text_add(text, "%s%s", i > 0 ? "." : "", expr->part[i].name);
    if (expr->part[i].index == NULL) continue;
    brink_text_add(text, "[");
    tree_dump_expression(expr->part[i].index, text);
    brink_text_add(text, "]");
  }
}

void tree_dump_expression(const brink_ast_expr *expr, brink_text *text) {
  if (expr == NULL) {
    brink_text_add(text, "none");
    return;
  }
  switch (expr->op) {
  case BRINK_AST_NUMBER:
    brink_text_add(text, "%.17g%s", expr->number, expr->whole ? "" : "r");
    return;
  case BRINK_AST_TEXT:
    brink_text_add(text, "\"%s\"", expr->text);
    return;
  case BRINK_AST_NAME:
    dump_path(expr, text);
    return;
  case BRINK_AST_DAMAGED:
    brink_text_add(text, "?");
    return;
  default:
    break;
  }
  bool call = expr->op == BRINK_AST_CALL;
  brink_text_add(text, "(%s", call ? expr->text : operator_text(expr->op));
  for (size_t i = 0; i < expr->nargs; i++) {
    brink_text_add(text, " ");
    tree_dump_expression(expr->arg[i], text);
  }
  brink_text_add(text, ")");
}

/* " word expression", or " expression" */
static void dump_labelled(const char *label, const brink_ast_expr *expr, brink_text *text) {
  if (expr == NULL) return;
  brink_text_add(text, " %s%s", label, label[0] != '\0' ? " " : "");
  tree_dump_expression(expr, text);
}

/* ---- statements ---- */

static void indent(size_t depth, brink_text *text) {
  for (size_t i = 0; i < depth; i++) brink_text_append(text, "  ", 2);
}

static void dump_block(const brink_ast_block *block, size_t depth, brink_text *text);

static void dump_arguments(const brink_ast_statement *s, brink_text *text) {
  for (size_t i = 0; i < s->nargs; i++) dump_labelled(",", s->arg[i], text);
}

static void dump_if(const brink_ast_statement *s, size_t depth, brink_text *text) {
  for (size_t i = 0; i < s->nblocks; i++) {
    if (i > 0) indent(depth, text);
    brink_text_add(text, i < s->nconditions ? "if" : "else");
    dump_labelled("", i < s->nconditions ? s->condition[i] : NULL, text);
    brink_text_add(text, "\n");
    dump_block(&s->block[i], depth + 1, text);
  }
}

static void dump_statement(const brink_ast_statement *s, size_t depth, brink_text *text) {
  static const char *const words[] = {
      [BRINK_STATEMENT_ASSIGN] = ":=",       [BRINK_STATEMENT_EQUATION] = "=",
      [BRINK_STATEMENT_FOR] = "for",         [BRINK_STATEMENT_WHEN] = "when",
      [BRINK_STATEMENT_LET] = "let",         [BRINK_STATEMENT_STOP] = "stop",
      [BRINK_STATEMENT_FAIL] = "fail",       [BRINK_STATEMENT_NOTE] = "note",
      [BRINK_STATEMENT_CONNECT] = "connect", [BRINK_STATEMENT_LEAVE] = "leave",
      [BRINK_STATEMENT_REACH] = "reach",     [BRINK_STATEMENT_RETURN] = "return",
      [BRINK_STATEMENT_PUT] = "put",         [BRINK_STATEMENT_TAKE] = "take",
  };
  indent(depth, text);
  if (s->kind == BRINK_STATEMENT_IF) {
    dump_if(s, depth, text);
    return;
  }
  if (s->guess) brink_text_add(text, "guess ");
  brink_text_add(text, "%s", words[s->kind]);
  if (s->symbol != NULL) brink_text_add(text, " %s", s->symbol->name);
  if (s->text != NULL) brink_text_add(text, " \"%s\"", s->text);
  if (s->kind == BRINK_STATEMENT_LEAVE) brink_text_add(text, " %d", (int)s->direction);
  dump_labelled("", s->target, text);
  dump_labelled("", s->expr, text);
  dump_labelled("", s->lo, text);
  dump_labelled("..", s->hi, text);
  if (s->nconditions > 0) dump_labelled("", s->condition[0], text);
  dump_arguments(s, text);
  brink_text_add(text, "\n");
  for (size_t i = 0; i < s->nblocks; i++) dump_block(&s->block[i], depth + 1, text);
}

static void dump_block(const brink_ast_block *block, size_t depth, brink_text *text) {
  for (size_t i = 0; i < block->count; i++) dump_statement(block->statement[i], depth, text);
}

/* ---- declarations ---- */

static void dump_values(const brink_ast_value *values, size_t count, size_t depth,
                        brink_text *text) {
  for (size_t i = 0; i < count; i++) {
    indent(depth, text);
    brink_text_add(text, "%s", values[i].name);
    dump_labelled("at", values[i].index, text);
    dump_labelled(":", values[i].expr, text);
    brink_text_add(text, "\n");
  }
}

static void dump_symbol(const brink_symbol *s, size_t depth, brink_text *text) {
  static const char *const kinds[] = {
      [BRINK_SYMBOL_INPUT] = "input",       [BRINK_SYMBOL_OUTPUT] = "output",
      [BRINK_SYMBOL_STATE] = "state",       [BRINK_SYMBOL_PARAMETER] = "parameter",
      [BRINK_SYMBOL_VARIABLE] = "variable", [BRINK_SYMBOL_FLAG] = "flag",
      [BRINK_SYMBOL_MODE] = "mode",         [BRINK_SYMBOL_INSTANCE] = "instance",
      [BRINK_SYMBOL_LOOP] = "loop",         [BRINK_SYMBOL_LET] = "let",
      [BRINK_SYMBOL_ARGUMENT] = "argument", [BRINK_SYMBOL_PARTNER] = "partner",
      [BRINK_SYMBOL_BUNDLE] = "bundle",     [BRINK_SYMBOL_QUEUE] = "queue"};
  indent(depth, text);
  brink_text_add(text, "%s %s", kinds[s->kind], s->name);
  dump_labelled("size", s->size, text);
  if (s->kind == BRINK_SYMBOL_FLAG) brink_text_add(text, " side %d", (int)s->side);
  if (s->kind == BRINK_SYMBOL_INSTANCE)
    brink_text_add(text, "%s%s of %s", s->counter != NULL ? " for " : "",
                   s->counter != NULL ? s->counter->name : "", s->class_name);
  else
    brink_text_add(text, " %s", brink_type_name(s->type));
  dump_labelled("from", s->range.lo, text);
  dump_labelled("to", s->range.hi, text);
  for (size_t i = 0; i < s->range.nitems; i++) dump_labelled("|", s->range.item[i], text);
  if (s->unit != NULL) brink_text_add(text, " unit \"%s\"", s->unit);
  brink_text_add(text, "\n");
  dump_values(s->values, s->nvalues, depth + 1, text);
}

/* ---- components ---- */

static void dump_section(const char *name, const brink_ast_section *s, size_t depth,
                         brink_text *text) {
  if (!s->present) return;
  indent(depth, text);
  brink_text_add(text, "%s%s\n", name, s->damaged ? " (damaged)" : "");
  dump_values(s->values, s->nvalues, depth + 1, text);
  dump_block(&s->body, depth + 1, text);
}

static void dump_action(const char *name, bool present, const brink_ast_block *block, size_t depth,
                        brink_text *text) {
  if (!present) return;
  indent(depth, text);
  brink_text_add(text, "%s\n", name);
  dump_block(block, depth + 1, text);
}

static void dump_events(const brink_ast_event *event, size_t depth, brink_text *text) {
  for (; event != NULL; event = event->next) {
    indent(depth, text);
    brink_text_add(text, "event %s%s\n", event->flag_name, event->damaged ? " (damaged)" : "");
    dump_action("negative", event->has_negative, &event->negative, depth + 1, text);
    dump_action("positive", event->has_positive, &event->positive, depth + 1, text);
    dump_action("on", event->has_on, &event->on, depth + 1, text);
  }
}

static void dump_pair(const brink_ast_pair *pair, brink_text *text) {
  const char *second = pair->population_name[1];
  brink_text_add(text, "  pair %s %s in %s%s%s%s\n", pair->partner[0]->name, pair->partner[1]->name,
                 pair->population_name[0], second != NULL ? ", " : "", second != NULL ? second : "",
                 pair->damaged ? " (damaged)" : "");
  for (const brink_symbol *s = pair->symbols; s != NULL; s = s->next) dump_symbol(s, 2, text);
  dump_section("dynamics", &pair->dynamics, 2, text);
  dump_section("assignments", &pair->assignments, 2, text);
  dump_events(pair->events, 2, text);
  dump_block(&pair->reach, 2, text);
}

static void dump_component(const brink_component *c, brink_text *text) {
  brink_text_add(text, "%s%s %s%s", c->partial ? "partial " : "",
                 brink_component_kind_name(c->kind), c->name, c->damaged ? " (damaged)" : "");
  if (c->base_name != NULL) brink_text_add(text, " extends %s", c->base_name);
  brink_text_add(text, "\n");
  for (const brink_symbol *s = c->symbols; s != NULL; s = s->next) dump_symbol(s, 1, text);
  for (size_t i = 0; i < c->nmentions; i++)
    brink_text_add(text, "  %s %s\n", c->mentions[i].is_knob ? "knob" : "view",
                   c->mentions[i].name);
  if (c->has_sample) {
    brink_text_add(text, "  sample");
    dump_labelled("", c->period, text);
    dump_labelled("from", c->offset, text);
    brink_text_add(text, "\n");
  }
  if (c->has_priority) {
    brink_text_add(text, "  priority");
    dump_labelled("", c->priority, text);
    brink_text_add(text, "\n");
  }
  for (int k = 0; k < BRINK_SECTION_COUNT; k++)
    dump_section(brink_section_name((brink_section_kind)k), &c->section[k], 1, text);
  dump_events(c->events, 1, text);
  for (size_t i = 0; i < c->npopulations; i++)
    brink_text_add(text, "  population %s\n", c->populations[i].name);
  for (const brink_ast_pair *pair = c->pairs; pair != NULL; pair = pair->next)
    dump_pair(pair, text);
}

void tree_dump(const brink_unit *unit, brink_text *text) {
  brink_text_append(text, "", 0);
  for (const brink_user_function *f = unit->functions; f != NULL; f = f->next) {
    brink_text_add(text, "function %s", f->name);
    for (size_t i = 0; i < f->narguments; i++) brink_text_add(text, " %s", f->argument[i]->name);
    dump_labelled("=", f->body, text);
    brink_text_add(text, "\n");
  }
  for (const brink_component *c = unit->components; c != NULL; c = c->next) dump_component(c, text);
}
