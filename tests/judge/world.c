/* world.c: instances and their cells, by name; equations and connections tied to the cells that they define. */
#include "judge/world.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- small things ---- */

static void *take(judge *j, size_t count, size_t size) {
  void *memory = brink_arena_take(&j->arena, count > 0 ? count : 1, size);
  if (memory == NULL) judge_refuse(j, "no memory");
  return memset(memory, 0, (count > 0 ? count : 1) * size);
}

void judge_refuse(judge *j, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(j->run->reason, sizeof j->run->reason, format, arguments);
  va_end(arguments);
  j->run->ending = JUDGE_UNSURE;
  longjmp(j->give_up, 1);
}

const char *judge_format(judge *j, const char *format, ...) {
  char text[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  char *copy = take(j, strlen(text) + 1, 1);
  return strcpy(copy, text);
}

size_t judge_string(judge *j, const char *text) {
  for (size_t k = 0; k < j->nstrings; k++)
    if (strcmp(j->strings[k], text) == 0) return k;
  if (j->nstrings == JUDGE_LIMIT) judge_refuse(j, "too many texts");
  j->strings[j->nstrings] = text;
  return j->nstrings++;
}

judge_frame *judge_frame_new(judge *j, judge_scope *scope, const judge_binding *bound) {
  judge_frame *frame = take(j, 1, sizeof *frame);
  *frame = (judge_frame){.scope = scope, .bound = bound, .id = ++j->frames};
  return frame;
}

const judge_frame *judge_bind(judge *j, const judge_frame *frame, const char *name,
                              const double *value, size_t count) {
  judge_binding *binding = take(j, 1, sizeof *binding);
  double *copy = take(j, count, sizeof *copy);
  memcpy(copy, value, count * sizeof *copy);
  *binding = (judge_binding){.name = name, .value = copy, .count = count, .next = frame->bound};
  return judge_frame_new(j, frame->scope, binding);
}

static judge_entity *find_entity(const judge_scope *scope, const char *name) {
  for (judge_entity *e = scope->entities; e != NULL; e = e->next)
    if (strcmp(e->name, name) == 0) return e;
  /* A pair sees the parameters of its system. */
  return scope->class_ == NULL && scope->outer != NULL ? find_entity(scope->outer, name) : NULL;
}

static size_t index_of(judge *j, const judge_frame *frame, const brink_ast_expr *index) {
  double value = judge_value(j, frame, index, 0);
  if (!(value >= 1.0) || value != floor(value)) judge_refuse(j, "an index is no number");
  return (size_t)value - 1;
}

/* ---- paths ---- */

/* The scope that all parts but the last lead to, and what the last one is there. */
static judge_entity *walk(judge *j, const judge_frame *frame, const brink_ast_expr *path) {
  judge_scope *scope = frame->scope;
  for (size_t k = 0; k + 1 < path->nparts; k++) {
    judge_entity *e = find_entity(scope, path->part[k].name);
    if (e == NULL || e->scopes == NULL) judge_refuse(j, "no part '%s'", path->part[k].name);
    size_t i = path->part[k].index != NULL ? index_of(j, frame, path->part[k].index) : 0;
    if (i >= (e->count > 0 ? e->count : 1)) judge_refuse(j, "index of %s", e->name);
    scope = e->scopes[i];
  }
  return find_entity(scope, path->part[path->nparts - 1].name);
}

judge_cell *judge_find(judge *j, const judge_frame *frame, const brink_ast_expr *path,
                       size_t element) {
  judge_entity *e = walk(j, frame, path);
  if (e == NULL || e->cells == NULL) return NULL;
  const brink_ast_expr *index = path->part[path->nparts - 1].index;
  size_t i = index != NULL ? index_of(j, frame, index) : e->count > 0 ? element : 0;
  if (i >= (e->count > 0 ? e->count : 1)) judge_refuse(j, "index of %s", e->name);
  return e->cells[i];
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

/* How many elements an expression has; 0: it is a scalar. */
size_t judge_size(judge *j, const judge_frame *frame, const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_VECTOR) return expr->nargs;
  if (expr->op == BRINK_AST_NAME) {
    const brink_ast_part *last = &expr->part[expr->nparts - 1];
    if (last->index != NULL) return 0;
    if (expr->nparts == 1)
      for (const judge_binding *b = frame->bound; b != NULL; b = b->next)
        if (strcmp(b->name, last->name) == 0) return b->count > 1 ? b->count : 0;
    const judge_entity *e = walk(j, frame, expr);
    return e != NULL ? e->count : 0;
  }
  if (expr->op == BRINK_AST_CALL &&
      (strcmp(expr->text, "dot") == 0 || strcmp(expr->text, "sum") == 0 ||
       strcmp(expr->text, "norm") == 0 || strcmp(expr->text, "table") == 0))
    return 0;
  size_t size = 0;
  for (size_t k = 0; k < expr->nargs; k++) size = larger(size, judge_size(j, frame, expr->arg[k]));
  return size;
}

/* ---- cells ---- */

static judge_kind kind_of(const judge_scope *scope, const brink_symbol *symbol) {
  brink_component_kind component = scope->class_ != NULL ? scope->class_->kind : BRINK_SYSTEM;
  switch (symbol->kind) {
  case BRINK_SYMBOL_STATE:
    return component == BRINK_CTC &&
                   (symbol->type == BRINK_TYPE_REAL || symbol->type == BRINK_TYPE_SIGNAL)
               ? JUDGE_STATE
               : JUDGE_HELD;
  case BRINK_SYMBOL_MODE:
    return JUDGE_HELD;
  case BRINK_SYMBOL_FLAG:
    return JUDGE_FLAG;
  case BRINK_SYMBOL_OUTPUT:
    return component == BRINK_DTC ? JUDGE_HELD : JUDGE_FORMULA;
  default:
    return JUDGE_FORMULA;
  }
}

static void add_range(judge *j, judge_cell *cell, const brink_symbol *symbol) {
  cell->lo = -INFINITY;
  cell->hi = INFINITY;
  if (!symbol->range.given || symbol->range.is_set || cell->kind != JUDGE_STATE) return;
  cell->lo = judge_value(j, cell->scope->frame, symbol->range.lo, 0);
  cell->hi = judge_value(j, cell->scope->frame, symbol->range.hi, 0);
}

static judge_cell *new_cell(judge *j, judge_scope *scope, const brink_symbol *symbol,
                            const char *name) {
  judge_cell *cell = take(j, 1, sizeof *cell);
  snprintf(cell->name, sizeof cell->name, "%s", name);
  cell->kind = kind_of(scope, symbol);
  cell->scope = scope;
  cell->range = &symbol->range;
  cell->text = symbol->type == BRINK_TYPE_STRING || symbol->kind == BRINK_SYMBOL_MODE;
  cell->sampled = scope->class_ != NULL && scope->class_->kind == BRINK_DTC;
  cell->shown = symbol->kind == BRINK_SYMBOL_STATE || symbol->kind == BRINK_SYMBOL_MODE;
  if (j->nx == JUDGE_LIMIT || j->nheld == JUDGE_LIMIT || j->nflags == JUDGE_LIMIT)
    judge_refuse(j, "the model is too large");
  if (cell->kind == JUDGE_STATE) {
    cell->slot = j->nx;
    j->state[j->nx++] = cell;
    add_range(j, cell, symbol);
  } else if (cell->kind == JUDGE_HELD) {
    cell->slot = j->nheld;
    j->held_cell[j->nheld] = cell;
    j->held[j->nheld++] = symbol->kind == BRINK_SYMBOL_MODE && symbol->range.nitems > 0
                              ? (double)judge_string(j, symbol->range.item[0]->text)
                              : 0.0;
  }
  if (cell->shown) j->shown[j->nshown++] = cell;
  return cell;
}

static judge_entity *add_entity(judge *j, judge_scope *scope, const brink_symbol *symbol) {
  judge_entity *e = take(j, 1, sizeof *e);
  e->name = symbol->name;
  e->symbol = symbol;
  if (symbol->size != NULL) e->count = (size_t)judge_value(j, scope->frame, symbol->size, 0);
  *scope->end = e;
  scope->end = &e->next;
  return e;
}

static void add_cells(judge *j, judge_scope *scope, judge_entity *e) {
  size_t n = e->count > 0 ? e->count : 1;
  const char *dot = scope->path[0] != '\0' ? "." : "";
  e->cells = take(j, n, sizeof(judge_cell *));
  for (size_t k = 0; k < n; k++) {
    const char *name = e->count > 0
                           ? judge_format(j, "%s%s%s[%zu]", scope->path, dot, e->name, k + 1)
                           : judge_format(j, "%s%s%s", scope->path, dot, e->name);
    e->cells[k] = new_cell(j, scope, e->symbol, name);
  }
}

/* ---- definitions ---- */

static judge_definition *leaf(judge *j, const judge_frame *frame, const brink_ast_expr *expr,
                              size_t element) {
  judge_definition *d = take(j, 1, sizeof *d);
  *d = (judge_definition){.frame = frame, .expr = expr, .element = element};
  return d;
}

/* Where the definition of a cell is to be kept. A branch of an if keeps its own first. */
typedef struct slot_list {
  judge_cell *cell;
  bool rate;
  judge_definition *definition;
} slot_list;

typedef struct collected {
  slot_list item[JUDGE_LIMIT];
  size_t count;
} collected;

static void collect(judge *j, collected *c, judge_cell *cell, bool rate, judge_definition *d) {
  if (c->count == JUDGE_LIMIT) judge_refuse(j, "too many equations in one block");
  c->item[c->count++] = (slot_list){cell, rate, d};
}

static void read_block(judge *j, const judge_frame *frame, const brink_ast_block *block,
                       collected *into);

static void read_choice(judge *j, const judge_frame *frame, const brink_ast_statement *s,
                        collected *into) {
  collected *branch = take(j, s->nblocks, sizeof *branch);
  for (size_t b = 0; b < s->nblocks; b++) read_block(j, frame, &s->block[b], &branch[b]);
  for (size_t b = 0; b < s->nblocks; b++) {
    for (size_t k = 0; k < branch[b].count; k++) {
      slot_list *item = &branch[b].item[k];
      if (item->definition == NULL) continue;
      judge_definition *d = take(j, 1, sizeof *d);
      *d = (judge_definition){.frame = frame, .choice = s};
      d->branch = take(j, s->nblocks, sizeof(judge_definition *));
      for (size_t c = b; c < s->nblocks; c++)
        for (size_t m = 0; m < branch[c].count; m++) {
          slot_list *other = &branch[c].item[m];
          if (other->cell != item->cell || other->rate != item->rate || other == item) continue;
          d->branch[c] = other->definition;
          other->definition = NULL;
        }
      d->branch[b] = item->definition;
      item->definition = NULL;
      collect(j, into, item->cell, item->rate, d);
    }
  }
}

static void read_equation(judge *j, const judge_frame *frame, const brink_ast_statement *s,
                          collected *into) {
  bool rate = s->target->op == BRINK_AST_PRIME;
  const brink_ast_expr *path = rate ? s->target->arg[0] : s->target;
  if (path->op != BRINK_AST_NAME) judge_refuse(j, "a constraint");
  size_t size = judge_size(j, frame, path);
  for (size_t k = 0; k < (size > 0 ? size : 1); k++) {
    judge_cell *cell = judge_find(j, frame, path, k);
    if (cell == NULL) judge_refuse(j, "nothing to define");
    collect(j, into, cell, rate, leaf(j, frame, s->expr, k));
  }
}

static void read_block(judge *j, const judge_frame *frame, const brink_ast_block *block,
                       collected *into) {
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    if (s->kind == BRINK_STATEMENT_EQUATION) {
      read_equation(j, frame, s, into);
    } else if (s->kind == BRINK_STATEMENT_IF) {
      read_choice(j, frame, s, into);
    } else if (s->kind == BRINK_STATEMENT_FOR) {
      double lo = judge_value(j, frame, s->lo, 0), hi = judge_value(j, frame, s->hi, 0);
      for (double i = lo; i <= hi; i++)
        read_block(j, judge_bind(j, frame, s->symbol->name, &i, 1), &s->block[0], into);
    }
  }
}

static void read_section(judge *j, const judge_frame *frame, const brink_ast_section *section) {
  collected *found = take(j, 1, sizeof *found);
  read_block(j, frame, &section->body, found);
  for (size_t k = 0; k < found->count; k++) {
    slot_list *item = &found->item[k];
    if (item->rate)
      item->cell->rate = item->definition;
    else
      item->cell->value = item->definition;
  }
}

/* name : expr;  `frame` is where expr is read. */
static void read_values(judge *j, judge_scope *scope, const judge_frame *frame,
                        const brink_ast_value *values, size_t count) {
  for (size_t k = 0; k < count; k++) {
    judge_entity *e = find_entity(scope, values[k].name);
    if (e == NULL || e->cells == NULL) judge_refuse(j, "no parameter %s", values[k].name);
    size_t n = e->count > 0 ? e->count : 1;
    size_t only = values[k].index != NULL ? index_of(j, frame, values[k].index) : n;
    for (size_t i = 0; i < n; i++)
      if (only == n || only == i) e->cells[i]->value = leaf(j, frame, values[k].expr, i);
  }
}

/* ---- connections ---- */

static void connect(judge *j, judge_cell *from, judge_cell *to) {
  if (from == NULL || to == NULL) judge_refuse(j, "a connection of nothing");
  to->source = from;
}

static void read_connections(judge *j, const judge_frame *frame, const brink_ast_block *block) {
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    if (s->kind == BRINK_STATEMENT_FOR) {
      double lo = judge_value(j, frame, s->lo, 0), hi = judge_value(j, frame, s->hi, 0);
      for (double i = lo; i <= hi; i++)
        read_connections(j, judge_bind(j, frame, s->symbol->name, &i, 1), &s->block[0]);
      continue;
    }
    size_t n = judge_size(j, frame, s->target);
    for (size_t i = 0; i < (n > 0 ? n : 1); i++)
      connect(j, judge_find(j, frame, s->expr, i), judge_find(j, frame, s->target, i));
  }
}

/* ---- flags, rules, devices ---- */

static bool is_boolean(const brink_ast_expr *e) {
  if (e->op == BRINK_AST_IF) return is_boolean(e->arg[1]);
  return e->op == BRINK_AST_NOT || (e->op >= BRINK_AST_LT && e->op <= BRINK_AST_OR);
}

static const brink_ast_expr *some_formula(const judge_definition *d) {
  while (d != NULL && d->choice != NULL) d = d->branch[0];
  return d != NULL ? d->expr : NULL;
}

static void add_flags(judge *j, judge_scope *scope, const brink_ast_event *events) {
  for (judge_entity *e = scope->entities; e != NULL; e = e->next) {
    if (e->symbol == NULL || e->symbol->kind != BRINK_SYMBOL_FLAG) continue;
    for (size_t k = 0; k < (e->count > 0 ? e->count : 1); k++) {
      if (j->nflags == JUDGE_LIMIT) judge_refuse(j, "too many flags");
      judge_cell *cell = e->cells[k];
      cell->slot = j->nflags;
      judge_flag *flag = &j->flag[j->nflags++];
      *flag = (judge_flag){.cell = cell, .frame = scope->frame, .side = e->symbol->side};
      for (const brink_ast_event *v = events; v != NULL; v = v->next)
        if (strcmp(v->flag_name, e->name) == 0) flag->event = v;
      const brink_ast_expr *formula = some_formula(cell->value);
      if (formula == NULL) judge_refuse(j, "flag %s has no formula", cell->name);
      flag->boolean = is_boolean(formula);
    }
  }
}

static long long nanoseconds(judge *j, double seconds) {
  double scaled = seconds * JUDGE_NANO;
  if (fabs(scaled - nearbyint(scaled)) > 1e-3) judge_refuse(j, "a sample time of many digits");
  return (long long)nearbyint(scaled);
}

static void add_device(judge *j, judge_scope *scope) {
  const brink_component *c = scope->class_;
  if (j->ndevices == JUDGE_LIMIT) judge_refuse(j, "too many devices");
  judge_device *device = &j->device[j->ndevices++];
  *device = (judge_device){.scope = scope, .logic = c->kind == BRINK_LBC, .samples = c->has_sample};
  if (c->has_sample) {
    device->period = nanoseconds(j, judge_value(j, scope->frame, c->period, 0));
    if (c->offset != NULL)
      device->offset = nanoseconds(j, judge_value(j, scope->frame, c->offset, 0));
    device->next = device->offset;
  }
  if (c->has_priority) device->priority = (int)judge_value(j, scope->frame, c->priority, 0);
}

static void add_rules(judge *j, const judge_frame *frame, const brink_ast_block *block) {
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    if (s->kind == BRINK_STATEMENT_FOR) {
      double lo = judge_value(j, frame, s->lo, 0), hi = judge_value(j, frame, s->hi, 0);
      for (double i = lo; i <= hi; i++)
        add_rules(j, judge_bind(j, frame, s->symbol->name, &i, 1), &s->block[0]);
    } else if (s->kind == BRINK_STATEMENT_WHEN) {
      if (j->nrules == JUDGE_LIMIT) judge_refuse(j, "too many rules");
      j->rule[j->nrules++] = (judge_rule){.when = s,
                                          .frame = frame,
                                          .device = j->ndevices - 1,
                                          .sampled = frame->scope->class_->has_sample};
    }
  }
}

/* ---- instances ---- */

static const brink_component *find_class(judge *j, const char *name) {
  for (const brink_component *c = j->unit->components; c != NULL; c = c->next)
    if (strcmp(c->name, name) == 0) return c;
  judge_refuse(j, "no component %s", name);
}

static judge_scope *new_scope(judge *j, judge_scope *outer, const brink_component *class_,
                              const char *path) {
  judge_scope *scope = take(j, 1, sizeof *scope);
  *scope = (judge_scope){.class_ = class_, .path = path, .outer = outer};
  scope->end = &scope->entities;
  scope->frame = judge_frame_new(j, scope, NULL);
  *j->scopes_end = scope;
  j->scopes_end = &scope->next;
  return scope;
}

static judge_scope *instantiate(judge *j, judge_scope *outer, const brink_component *class_,
                                const char *path);

static void add_instances(judge *j, judge_scope *scope, judge_entity *e) {
  const brink_symbol *symbol = e->symbol;
  size_t n = e->count > 0 ? e->count : 1;
  const char *dot = scope->path[0] != '\0' ? "." : "";
  const brink_component *class_ = find_class(j, symbol->class_name);
  e->scopes = take(j, n, sizeof(judge_scope *));
  for (size_t k = 0; k < n; k++) {
    const char *path = e->count > 0
                           ? judge_format(j, "%s%s%s[%zu]", scope->path, dot, e->name, k + 1)
                           : judge_format(j, "%s%s%s", scope->path, dot, e->name);
    e->scopes[k] = instantiate(j, scope, class_, path);
    read_values(j, e->scopes[k], scope->frame, symbol->values, symbol->nvalues);
  }
}

static judge_scope *instantiate(judge *j, judge_scope *outer, const brink_component *class_,
                                const char *path) {
  judge_scope *scope = new_scope(j, outer, class_, path);
  for (const brink_symbol *s = class_->symbols; s != NULL; s = s->next) {
    if (s->kind != BRINK_SYMBOL_PARAMETER) continue; /* sizes may need them */
    add_cells(j, scope, add_entity(j, scope, s));
  }
  const brink_ast_section *values = &class_->section[BRINK_SECTION_ASSIGNMENTS];
  for (size_t k = 0; k < values->nvalues; k++)
    if (find_entity(scope, values->values[k].name) != NULL)
      read_values(j, scope, scope->frame, &values->values[k], 1);
  for (const brink_symbol *s = class_->symbols; s != NULL; s = s->next) {
    if (s->kind == BRINK_SYMBOL_PARAMETER) continue;
    judge_entity *e = add_entity(j, scope, s);
    if (s->kind != BRINK_SYMBOL_INSTANCE) add_cells(j, scope, e);
  }
  for (judge_entity *e = scope->entities; e != NULL; e = e->next)
    if (e->symbol->kind == BRINK_SYMBOL_INSTANCE) add_instances(j, scope, e);
  read_values(j, scope, scope->frame, values->values, values->nvalues);
  return scope;
}

static void add_equations(judge *j, judge_scope *scope) {
  const brink_ast_section *section = scope->class_->section;
  if (section[BRINK_SECTION_CONSTRAINTS].present) judge_refuse(j, "constraints");
  read_section(j, scope->frame, &section[BRINK_SECTION_DYNAMICS]);
  read_section(j, scope->frame, &section[BRINK_SECTION_OUTPUT]);
  read_connections(j, scope->frame, &section[BRINK_SECTION_CONNECTIONS].body);
  if (scope->class_->kind == BRINK_DTC || scope->class_->kind == BRINK_LBC) {
    add_device(j, scope);
    add_rules(j, scope->frame, &section[BRINK_SECTION_RULES].body);
  }
}

/* Parts at the place where they are declared. */
static void add_flags_of(judge *j, judge_scope *scope) {
  if (scope->class_->kind == BRINK_CTC) add_flags(j, scope, scope->class_->events);
  for (judge_entity *e = scope->entities; e != NULL; e = e->next)
    for (size_t k = 0; e->scopes != NULL && k < (e->count > 0 ? e->count : 1); k++)
      add_flags_of(j, e->scopes[k]);
}

/* ---- pairs ---- */

static void add_partner(judge *j, judge_scope *scope, const brink_symbol *symbol,
                        judge_scope *agent) {
  judge_entity *e = take(j, 1, sizeof *e);
  *e = (judge_entity){.name = symbol->name, .scopes = take(j, 1, sizeof(judge_scope *))};
  e->scopes[0] = agent;
  *scope->end = e;
  scope->end = &e->next;
}

static void add_pair(judge *j, judge_scope *system, const brink_ast_pair *pair, judge_scope *a,
                     judge_scope *b) {
  judge_scope *scope = new_scope(j, system, NULL, "");
  add_partner(j, scope, pair->partner[0], a);
  add_partner(j, scope, pair->partner[1], b);
  for (const brink_symbol *s = pair->symbols; s != NULL; s = s->next) {
    judge_entity *e = add_entity(j, scope, s);
    add_cells(j, scope, e);
    for (size_t k = 0; k < (e->count > 0 ? e->count : 1); k++) {
      if (s->kind != BRINK_SYMBOL_FLAG) continue;
      snprintf(e->cells[k]->name, JUDGE_NAME, "%s %s %s", s->name, a->path, b->path);
    }
  }
  read_values(j, scope, scope->frame, pair->assignments.values, pair->assignments.nvalues);
  read_section(j, scope->frame, &pair->dynamics);
  add_flags(j, scope, pair->events);
}

static void add_pairs(judge *j, judge_scope *system) {
  for (const brink_ast_pair *pair = system->class_->pairs; pair != NULL; pair = pair->next) {
    judge_entity *first = find_entity(system, pair->population_name[0]);
    judge_entity *second =
        pair->population_name[1] != NULL ? find_entity(system, pair->population_name[1]) : first;
    if (first == NULL || second == NULL) judge_refuse(j, "no population");
    for (size_t a = 0; a < first->count; a++)
      for (size_t b = first == second ? a + 1 : 0; b < second->count; b++)
        add_pair(j, system, pair, first->scopes[a], second->scopes[b]);
  }
}

/* ---- the whole ---- */

void judge_build(judge *j, const brink_unit *unit) {
  j->unit = unit;
  j->scopes_end = &j->scopes;
  const brink_component *top = unit->system != NULL ? unit->system : unit->last;
  if (top == NULL) judge_refuse(j, "no component");
  j->top = instantiate(j, NULL, top, "");
  for (judge_scope *s = j->scopes; s != NULL; s = s->next) add_equations(j, s);
  add_flags_of(j, j->top);
  add_pairs(j, j->top);
}
