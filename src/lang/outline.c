/* outline.c: what a checked model declares, from its syntax trees. */
#include "lang/outline.h"

#include <math.h>

/* ---- values ---- */

static double constant_of(const brink_ast_expr *expr) {
  return expr != NULL && expr->constant ? expr->number : (double)NAN;
}

/* What `name : expr;` or `name := expr;` gives to the whole of a symbol; NULL: nothing does, or only to elements. */
static const brink_ast_expr *find_value(const brink_ast_section *section,
                                        const brink_symbol *symbol, brink_place *place) {
  for (size_t k = 0; k < section->nvalues; k++) {
    const brink_ast_value *value = &section->values[k];
    if (value->symbol != symbol || value->index != NULL) continue;
    *place = value->expr->place;
    return value->expr;
  }
  for (size_t k = 0; k < section->body.count; k++) {
    const brink_ast_statement *s = section->body.statement[k];
    if (s->kind != BRINK_STATEMENT_ASSIGN || s->target->op != BRINK_AST_NAME) continue;
    const brink_ast_part *part = s->target->part;
    if (s->target->nparts != 1 || part->symbol != symbol || part->index != NULL) continue;
    *place = s->expr->place;
    return s->expr;
  }
  return NULL;
}

static bool all_constant(const brink_ast_expr *list) {
  for (size_t k = 0; k < list->nargs; k++)
    if (!list->arg[k]->constant) return false;
  return list->nargs > 0;
}

static void describe_default(brink_arena *arena, const brink_ast_section *section,
                             const brink_symbol *symbol, brink_declared *d) {
  const brink_ast_expr *expr = find_value(section, symbol, &d->default_place);
  if (expr == NULL || expr->op == BRINK_AST_DAMAGED) return;
  d->has_default = true;
  if (expr->op == BRINK_AST_TEXT) d->default_text = expr->text;
  bool list = expr->op == BRINK_AST_VECTOR;
  if (expr->op == BRINK_AST_TEXT || !(list ? all_constant(expr) : expr->constant)) return;
  size_t count = list ? expr->nargs : 1;
  d->defaults = brink_arena_pack(arena, count, sizeof *d->defaults);
  if (d->defaults == NULL) return;
  for (size_t k = 0; k < count; k++) d->defaults[k] = (list ? expr->arg[k] : expr)->number;
  d->ndefaults = count;
}

/* ---- ranges ---- */

static void describe_range(brink_arena *arena, const brink_ast_range *range, brink_declared *d) {
  if (!range->given) return;
  if (!range->is_set) {
    d->has_range = true;
    d->lo = constant_of(range->lo);
    d->hi = constant_of(range->hi);
    return;
  }
  bool texts = range->nitems > 0 && range->item[0]->op == BRINK_AST_TEXT;
  if (texts)
    d->texts = brink_arena_pack(arena, range->nitems, sizeof *d->texts);
  else
    d->numbers = brink_arena_pack(arena, range->nitems, sizeof *d->numbers);
  if (arena->failed) return;
  for (size_t k = 0; k < range->nitems; k++) {
    const brink_ast_expr *item = range->item[k];
    if (texts != (item->op == BRINK_AST_TEXT)) continue; /* an error was reported */
    if (texts)
      d->texts[d->nset++] = item->text;
    else
      d->numbers[d->nset++] = constant_of(item);
  }
}

/* ---- declarations ---- */

static void describe(brink_arena *arena, const brink_symbol *symbol, size_t pair,
                     const brink_ast_section *values, brink_declared *d) {
  double length = symbol->size == NULL ? 1.0 : constant_of(symbol->size);
  *d = (brink_declared){.kind = symbol->kind,
                        .name = symbol->name,
                        .place = symbol->place,
                        .type = symbol->boolean_flag ? BRINK_TYPE_BOOLEAN : symbol->type,
                        .knob = symbol->knob,
                        .view = symbol->view,
                        .pair = pair,
                        .vector = symbol->size != NULL,
                        .unit = symbol->unit,
                        .class_name = symbol->class_name,
                        .side = symbol->side};
  if (length >= 1.0 && length < 0x1p32) d->length = (size_t)length;
  describe_range(arena, &symbol->range, d);
  if (values != NULL) describe_default(arena, values, symbol, d);
}

/* Where the value of a symbol stands before the run. */
static const brink_ast_section *section_of(const brink_component *component,
                                           const brink_symbol *symbol) {
  switch (symbol->kind) {
  case BRINK_SYMBOL_PARAMETER:
  case BRINK_SYMBOL_INPUT:
    return &component->section[BRINK_SECTION_ASSIGNMENTS];
  case BRINK_SYMBOL_STATE:
  case BRINK_SYMBOL_MODE:
    return &component->section[BRINK_SECTION_INITIAL];
  default:
    return NULL;
  }
}

static size_t count_symbols(const brink_symbol *symbol) {
  size_t count = 0;
  for (; symbol != NULL; symbol = symbol->next) count++;
  return count;
}

static size_t count_declared(const brink_component *component) {
  size_t count = count_symbols(component->symbols);
  for (const brink_ast_pair *pair = component->pairs; pair != NULL; pair = pair->next)
    count += count_symbols(pair->symbols);
  return count;
}

static void outline_component(brink_arena *arena, const brink_component *component,
                              brink_outlined *o) {
  size_t count = count_declared(component), pair = 0;
  o->kind = component->kind;
  o->name = component->name;
  o->place = component->place;
  o->damaged = component->damaged || component->names_uncertain || component->holes;
  o->declared = brink_arena_pack(arena, count, sizeof *o->declared);
  if (arena->failed) return;
  for (const brink_symbol *s = component->symbols; s != NULL; s = s->next)
    describe(arena, s, 0, section_of(component, s), &o->declared[o->ndeclared++]);
  for (const brink_ast_pair *p = component->pairs; p != NULL; p = p->next) {
    pair++;
    for (const brink_symbol *s = p->symbols; s != NULL; s = s->next) {
      bool valued = s->kind == BRINK_SYMBOL_PARAMETER;
      describe(arena, s, pair, valued ? &p->assignments : NULL, &o->declared[o->ndeclared++]);
    }
  }
}

brink_status brink_outline_make(brink_outline *outline, const brink_unit *unit,
                                const brink_allocator *allocator) {
  size_t count = 0;
  *outline = (brink_outline){0};
  brink_arena *arena = &outline->arena;
  brink_arena_init(arena, allocator);
  for (const brink_component *c = unit->components; c != NULL; c = c->next) count++;
  outline->components = brink_arena_pack(arena, count, sizeof *outline->components);
  if (arena->failed) return BRINK_ERR_MEMORY;
  const brink_component *top = unit->system != NULL ? unit->system : unit->last;
  for (const brink_component *c = unit->components; c != NULL; c = c->next) {
    brink_outlined *o = &outline->components[outline->ncomponents++];
    outline_component(arena, c, o);
    o->runs = c == top;
  }
  return arena->failed ? BRINK_ERR_MEMORY : BRINK_OK;
}

void brink_outline_free(brink_outline *outline) {
  brink_arena_free(&outline->arena);
  outline->components = NULL;
  outline->ncomponents = 0;
}
