/* check.c: the passes of the checker, its reports, its table of names. */
#include "lang/check.h"

#include <stdarg.h>
#include <string.h>

/* ---- where things may stand ---- */

static const brink_context_rule rules[BRINK_CONTEXT_COUNT] = {
    [BRINK_IN_DECLARATIONS] = {.name = "declarations", .constant = true},
    [BRINK_IN_ASSIGNMENTS] = {.name = "assignments", .constant = true, .random = true},
    [BRINK_IN_ARGUMENTS] = {.name = "arguments", .constant = true, .random = true},
    [BRINK_IN_SIMULATION] = {.name = "simulation", .constant = true},
    [BRINK_IN_OPTION] = {.name = "an option", .constant = true},
    [BRINK_IN_FUNCTION] = {.name = "a function", .random = true, .pre = true},
    [BRINK_IN_INITIAL] = {.name = "initial", .random = true},
    [BRINK_IN_DYNAMICS] = {.name = "dynamics", .equations = true},
    [BRINK_IN_CONSTRAINTS] = {.name = "constraints"},
    [BRINK_IN_OUTPUT] = {.name = "output", .equations = true},
    [BRINK_IN_UPDATE] = {.name = "update", .random = true, .pre = true},
    [BRINK_IN_RULES] = {.name = "the condition of a when", .pre = true},
    [BRINK_IN_WHEN] = {.name = "a when", .random = true, .pre = true},
    [BRINK_IN_EVENT] = {.name = "an event", .random = true, .pre = true},
    [BRINK_IN_ON_EVENT] = {.name = "on-event", .random = true, .pre = true},
    [BRINK_IN_CONNECTIONS] = {.name = "connections"},
    [BRINK_IN_PAIR] = {.name = "a pair"},
};

const brink_context_rule *brink_check_rule(brink_context context) {
  return &rules[context];
}

/* ---- words ---- */

bool brink_is_numeric(brink_type type) {
  return type != BRINK_TYPE_BOOLEAN && type != BRINK_TYPE_STRING;
}

const char *brink_a_type(brink_type type) {
  switch (type) {
  case BRINK_TYPE_SIGNAL:
    return "a signal";
  case BRINK_TYPE_REAL:
    return "a real";
  case BRINK_TYPE_INTEGER:
    return "an integer";
  case BRINK_TYPE_BOOLEAN:
    return "a boolean";
  case BRINK_TYPE_STRING:
    return "a string";
  case BRINK_TYPE_UNKNOWN:
    break;
  }
  return "unknown";
}

const char *brink_a_kind(brink_symbol_kind kind) {
  static const char *const names[] = {
      [BRINK_SYMBOL_INPUT] = "an input",
      [BRINK_SYMBOL_OUTPUT] = "an output",
      [BRINK_SYMBOL_STATE] = "a state",
      [BRINK_SYMBOL_PARAMETER] = "a parameter",
      [BRINK_SYMBOL_VARIABLE] = "a variable",
      [BRINK_SYMBOL_FLAG] = "a flag",
      [BRINK_SYMBOL_MODE] = "a mode",
      [BRINK_SYMBOL_INSTANCE] = "a component",
      [BRINK_SYMBOL_LOOP] = "a loop's variable",
      [BRINK_SYMBOL_LET] = "a name given by let",
      [BRINK_SYMBOL_ARGUMENT] = "an argument",
      [BRINK_SYMBOL_PARTNER] = "a partner",
      [BRINK_SYMBOL_BUNDLE] = "a bundle",
      [BRINK_SYMBOL_QUEUE] = "a queue",
  };
  return names[kind];
}

const char *brink_a_component(brink_component_kind kind) {
  static const char *const names[] = {
      [BRINK_CTC] = "a ctc",       [BRINK_DTC] = "a dtc",
      [BRINK_LBC] = "an lbc",      [BRINK_COMPOSITE] = "a composite",
      [BRINK_SYSTEM] = "a system",
  };
  return names[kind];
}

/* ---- reports ---- */

bool brink_check_on_damaged_line(const brink_checker *c, brink_place place) {
  for (size_t k = 0; k < c->nsyntax && k < c->unit->nitems; k++) {
    brink_place syntax = c->unit->items[k].place;
    if (syntax.file == place.file && syntax.line == place.line) return true;
  }
  return false;
}

/* On a line with a syntax error, another error is a consequence of it: in a damaged section anywhere,
 * and elsewhere in front of it (where a missing bracket belongs is a guess). */
static bool is_consequence(const brink_checker *c, brink_place place) {
  if (c->damaged) return brink_check_on_damaged_line(c, place);
  for (size_t k = 0; k < c->nsyntax && k < c->unit->nitems; k++) {
    brink_place syntax = c->unit->items[k].place;
    if (syntax.file == place.file && syntax.line == place.line && syntax.column > place.column)
      return true;
  }
  return false;
}

void brink_check_error(brink_checker *c, brink_message code, brink_place place, const char *hint,
                       const char *format, ...) {
  if (c->component != NULL) c->component->damaged = true;
  if (c->function != NULL) c->body_has_error = true;
  if (c->calling) {
    hint = brink_unit_format(c->unit, "in the body of '%s', line %u, column %u", c->function->name,
                             (unsigned)place.line, (unsigned)place.column);
    place = c->call_place;
  }
  if (is_consequence(c, place)) return;
  va_list arguments;
  va_start(arguments, format);
  brink_report_list(c->unit, BRINK_ERROR, code, place, hint, format, arguments);
  va_end(arguments);
}

void brink_check_warning(brink_checker *c, brink_message code, brink_place place, const char *hint,
                         const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  brink_report_list(c->unit, BRINK_WARNING, code, place, hint, format, arguments);
  va_end(arguments);
}

/* ---- the table of names: (owner, name) -> value, open addressing ---- */

static size_t hash(const void *owner, const char *name) {
  uint64_t h = (uint64_t)(uintptr_t)owner * 0x9E3779B97F4A7C15u;
  for (const unsigned char *p = (const unsigned char *)name; *p != 0; p++)
    h = (h ^ *p) * 0x100000001B3u;
  return (size_t)(h ^ (h >> 29));
}

static brink_check_entry *slot(const brink_checker *c, const void *owner, const char *name) {
  size_t mask = c->table_size - 1;
  for (size_t k = hash(owner, name) & mask;; k = (k + 1) & mask) {
    brink_check_entry *entry = &c->table[k];
    if (entry->name == NULL) return entry;
    if (entry->owner == owner && strcmp(entry->name, name) == 0) return entry;
  }
}

void *brink_check_find(const brink_checker *c, const void *owner, const char *name) {
  return c->table_size == 0 ? NULL : slot(c, owner, name)->value;
}

static bool grow_table(brink_checker *c) {
  if (2 * c->table_count < c->table_size) return true;
  brink_check_entry *old = c->table;
  size_t count = c->table_size, larger = count == 0 ? 1024 : 2 * count;
  brink_check_entry *table = brink_unit_take(c->unit, larger, sizeof *table);
  if (table == NULL) return false;
  c->table = table;
  c->table_size = larger;
  for (size_t k = 0; k < count; k++)
    if (old[k].name != NULL) *slot(c, old[k].owner, old[k].name) = old[k];
  return true;
}

void *brink_check_put(brink_checker *c, const void *owner, const char *name, void *value) {
  if (!grow_table(c)) return NULL;
  brink_check_entry *entry = slot(c, owner, name);
  if (entry->name == NULL) c->table_count++;
  void *before = entry->value;
  *entry = (brink_check_entry){owner, name, value};
  return before;
}

/* ---- pass 1: names ---- */

/* What a name means where it is read. */
static brink_type read_type(const brink_component *component, const brink_symbol *symbol) {
  bool continuous = component->kind == BRINK_CTC;
  switch (symbol->kind) {
  case BRINK_SYMBOL_STATE:
    if (symbol->held || symbol->timer)
      return symbol->type == BRINK_TYPE_SIGNAL ? BRINK_TYPE_REAL : symbol->type;
    if (symbol->type == BRINK_TYPE_REAL && continuous) return BRINK_TYPE_SIGNAL;
    break;
  case BRINK_SYMBOL_VARIABLE:
  case BRINK_SYMBOL_OUTPUT: /* a ctc's, until its equation is known */
    if (symbol->type == BRINK_TYPE_REAL && continuous) return BRINK_TYPE_SIGNAL;
    break;
  case BRINK_SYMBOL_FLAG:
    return BRINK_TYPE_SIGNAL;
  case BRINK_SYMBOL_MODE:
    return BRINK_TYPE_STRING;
  case BRINK_SYMBOL_LOOP:
    return BRINK_TYPE_INTEGER;
  default:
    break;
  }
  if (symbol->type == BRINK_TYPE_SIGNAL && component->kind == BRINK_DTC) return BRINK_TYPE_REAL;
  return symbol->type;
}

const char *brink_check_line_text(brink_checker *c, brink_place place, brink_place here) {
  if (place.file == here.file) return brink_unit_format(c->unit, "line %u", (unsigned)place.line);
  return brink_unit_format(c->unit, "%s:%u", c->unit->files[place.file].path, (unsigned)place.line);
}

static void name_twice(brink_checker *c, brink_place place, const char *name, brink_place first) {
  const char *hint =
      brink_unit_format(c->unit, "first declared at %s", brink_check_line_text(c, first, place));
  brink_check_error(c, BRINK_MSG_DECLARED_TWICE, place, hint, "'%s' is declared twice", name);
}

static void collect_name(brink_checker *c, const void *owner, brink_symbol *symbol) {
  const brink_symbol *first = brink_check_find(c, owner, symbol->name);
  if (first == NULL)
    brink_check_put(c, owner, symbol->name, symbol);
  else
    name_twice(c, symbol->place, symbol->name, first->place);
}

static void collect_symbols(brink_checker *c, brink_component *component, const void *owner,
                            brink_symbol *symbols) {
  for (brink_symbol *symbol = symbols; symbol != NULL; symbol = symbol->next) {
    symbol->order = component->nsymbols++;
    symbol->read_type = read_type(component, symbol);
    if (owner != component && symbol->type == BRINK_TYPE_REAL &&
        symbol->kind == BRINK_SYMBOL_VARIABLE)
      symbol->read_type = BRINK_TYPE_SIGNAL; /* of a pair */
    symbol->vector = symbol->size != NULL && symbol->kind != BRINK_SYMBOL_QUEUE;
    symbol->rank = symbol->columns != NULL ? 2 : symbol->vector;
    collect_name(c, owner, symbol);
  }
}

/* A syntax error may have swallowed declarations. */
static bool may_miss_names(const brink_component *component) {
  const brink_ast_section *section = component->section;
  return component->holes || section[BRINK_SECTION_INTERFACE].damaged ||
         section[BRINK_SECTION_DECLARATIONS].damaged || section[BRINK_SECTION_COMPONENTS].damaged;
}

/* Was there a syntax error outside of all components? Then some of them may be missing. */
static bool may_miss_components(const brink_unit *unit) {
  for (size_t k = 0; k < unit->nitems; k++) {
    brink_place place = unit->items[k].place;
    const brink_component *around = NULL;
    for (const brink_component *c = unit->components; c != NULL; c = c->next)
      if (c->place.file == place.file && c->place.line <= place.line) around = c;
    if (around == NULL || !around->damaged) return true;
  }
  return unit->too_many;
}

static void collect_component(brink_checker *c, brink_component *component) {
  c->component = component;
  component->names_uncertain = may_miss_names(component);
  component->nsymbols = 0;
  brink_component *first = brink_check_find(c, c->unit, component->name);
  if (first == NULL)
    brink_check_put(c, c->unit, component->name, component);
  else
    name_twice(c, component->place, component->name, first->place);
  collect_symbols(c, component, component, component->symbols);
  for (brink_symbol *port = component->ports; port != NULL; port = port->next) {
    port->read_type = BRINK_TYPE_SIGNAL;
    port->vector = port->size != NULL;
    port->rank = port->columns != NULL ? 2 : port->size != NULL;
    collect_name(c, component, port);
  }
  for (brink_ast_pair *pair = component->pairs; pair != NULL; pair = pair->next) {
    for (size_t k = 0; k < 2; k++) collect_name(c, pair, pair->partner[k]);
    collect_symbols(c, component, pair, pair->symbols);
  }
}

static void collect_functions(brink_checker *c) {
  for (brink_user_function *f = c->unit->functions; f != NULL; f = f->next) {
    brink_user_function *first = brink_check_find(c, &c->unit->functions, f->name);
    if (first == NULL)
      brink_check_put(c, &c->unit->functions, f->name, f);
    else
      name_twice(c, f->place, f->name, first->place);
  }
}

const char *brink_check_nearest_component(const brink_checker *c, const char *name, bool *damaged) {
  const char *best = NULL;
  for (brink_component *other = c->unit->components; other != NULL; other = other->next) {
    const char *nearest = brink_nearest(name, other->name, best);
    if (nearest != best) *damaged = other->damaged;
    best = nearest;
  }
  return best;
}

/* The classes of instances: they must exist, and be something that can be a part. */
static void find_class(brink_checker *c, brink_symbol *instance) {
  if (instance->class_name == NULL) return;
  brink_component *class_ = brink_check_find(c, c->unit, instance->class_name);
  if (class_ == (void *)&c->poison) return;
  if (class_ == NULL && c->components_uncertain) return;
  if (class_ == NULL) {
    bool damaged = false; /* perhaps in its name */
    const char *nearest = brink_check_nearest_component(c, instance->class_name, &damaged);
    if (damaged) return;
    const char *hint = brink_check_import_hint(c, instance->class_name, instance->class_place);
    if (hint == NULL && nearest == NULL && brink_check_find(c, c->unit, instance->name) != NULL)
      hint = brink_unit_format(c->unit, "write %s : %s;", instance->class_name, instance->name);
    brink_check_error(c, BRINK_MSG_UNKNOWN_COMPONENT, instance->class_place,
                      hint != NULL ? hint : brink_check_did_you_mean(c, nearest),
                      "there is no component '%s'", instance->class_name);
    brink_check_put(c, c->unit, instance->class_name, &c->poison);
  } else if (class_->kind == BRINK_SYSTEM) {
    brink_check_error(c, BRINK_MSG_SYSTEM_AS_PART, instance->class_place, "make it a composite",
                      "'%s' is a system: it cannot be a part of another component", class_->name);
  } else if (class_->partial) {
    brink_check_error(c, BRINK_MSG_PARTIAL_AS_PART, instance->class_place,
                      "extend it, and take the component that does",
                      "'%s' is partial: it cannot be a part", class_->name);
  } else {
    instance->class_ = class_;
  }
}

static void find_classes(brink_checker *c) {
  for (brink_component *k = c->unit->components; k != NULL; k = k->next) {
    c->component = k;
    for (brink_symbol *symbol = k->symbols; symbol != NULL; symbol = symbol->next)
      if (symbol->kind == BRINK_SYMBOL_INSTANCE) find_class(c, symbol);
  }
}

/* ---- pass 2: no component contains itself ---- */

/* A component on the way down, and the instance that leads to it. */
typedef struct visit {
  brink_component *component;
  brink_symbol *instance;
} visit;

/* "A > B > A" of the components on the stack from `first`. */
static const char *cycle_text(brink_checker *c, const visit *stack, size_t first, size_t count) {
  enum { SHOWN = 8 };
  const char *text = stack[first].component->name;
  for (size_t k = first + 1; k < count && k < first + SHOWN; k++)
    text = brink_unit_format(c->unit, "%s > %s", text, stack[k].component->name);
  if (count > first + SHOWN) text = brink_unit_format(c->unit, "%s > ...", text);
  return brink_unit_format(c->unit, "%s > %s", text, stack[first].component->name);
}

/* An instance closes a cycle: reports it there, and clears its class. */
static void report_cycle(brink_checker *c, visit *stack, size_t count) {
  brink_symbol *instance = stack[count - 1].instance;
  size_t first = 0;
  while (stack[first].component != instance->class_) first++;
  c->component = stack[count - 1].component;
  brink_check_error(c, BRINK_MSG_CONTAINS_ITSELF, instance->class_place,
                    cycle_text(c, stack, first, count), "'%s' contains itself",
                    instance->class_->name);
  instance->class_ = NULL;
}

/* Depth first with a stack of its own: a file may nest ten thousand composites. */
static void visit_component(brink_checker *c, visit *stack, brink_component *root) {
  void *under_way = c, *done = c->unit; /* only their addresses matter */
  if (brink_check_find(c, root, "") != NULL) return;
  size_t count = 0;
  stack[count++] = (visit){root, root->symbols};
  brink_check_put(c, root, "", under_way);
  while (count > 0 && !c->unit->out_of_memory) {
    visit *top = &stack[count - 1];
    brink_symbol *instance = top->instance;
    while (instance != NULL && instance->class_ == NULL) instance = instance->next;
    top->instance = instance;
    if (instance == NULL) {
      brink_check_put(c, top->component, "", done);
      count--;
      if (count > 0) stack[count - 1].instance = stack[count - 1].instance->next;
      continue;
    }
    void *mark = brink_check_find(c, instance->class_, "");
    if (mark == under_way) report_cycle(c, stack, count);
    if (mark != NULL) {
      top->instance = instance->next;
    } else {
      brink_check_put(c, instance->class_, "", under_way);
      stack[count++] = (visit){instance->class_, instance->class_->symbols};
    }
  }
}

static void find_cycles(brink_checker *c) {
  size_t count = 0;
  for (brink_component *k = c->unit->components; k != NULL; k = k->next) count++;
  visit *stack = brink_unit_take(c->unit, count + 1, sizeof *stack);
  if (stack == NULL) return;
  for (brink_component *k = c->unit->components; k != NULL; k = k->next)
    visit_component(c, stack, k);
}

/* ---- pass 3 and 4: declarations, then bodies ---- */

static void check_interfaces(brink_checker *c) {
  for (brink_component *k = c->unit->components; k != NULL; k = k->next) {
    c->component = k;
    brink_check_declarations(c, k->symbols);
    brink_check_mentions(c);
    if (k->section[BRINK_SECTION_DYNAMICS].present)
      brink_check_formulas(c, &k->section[BRINK_SECTION_DYNAMICS].body);
    brink_check_unknowns(c);
    brink_check_partners(c);
  }
}

/* A ctc before a composite: connections need the kinds of outputs of their parts. */
static void check_bodies(brink_checker *c, bool composites) {
  for (brink_component *k = c->unit->components; k != NULL; k = k->next) {
    bool composite = k->kind == BRINK_COMPOSITE || k->kind == BRINK_SYSTEM;
    if (composite == composites && !c->unit->out_of_memory) brink_check_component(c, k);
  }
}

/* The component itself or one around it may set where a state starts, so this comes last.
 * It starts at zero, or as near to it as its range allows. */
static const char *start_text(brink_checker *c, const brink_symbol *symbol) {
  const brink_ast_range *range = &symbol->range;
  char buffer[BRINK_DOUBLE_TEXT];
  double start = 0.0;
  if (symbol->kind == BRINK_SYMBOL_MODE || symbol->type == BRINK_TYPE_STRING)
    return range->nitems == 0 ? "\"\"" : brink_unit_format(c->unit, "\"%s\"", range->item[0]->text);
  if (symbol->type == BRINK_TYPE_BOOLEAN) return "false";
  if (range->given && range->is_set) return "the value of its set nearest to 0";
  if (range->given && !(range->lo->constant && range->hi->constant))
    return "0, or at the bound nearest to 0";
  if (range->given && range->lo->number > 0.0) start = range->lo->number;
  if (range->given && range->hi->number < 0.0) start = range->hi->number;
  return brink_unit_format(c->unit, "%s", brink_double_text(start, buffer));
}

/* Constraints, also those of another component, may determine where a continuous state starts. */
static bool has_constraints(const brink_unit *unit) {
  for (const brink_component *k = unit->components; k != NULL; k = k->next)
    if (k->section[BRINK_SECTION_CONSTRAINTS].present) return true;
  return false;
}

static void warn_of_starts(brink_checker *c, brink_component *component, bool constrained) {
  if (component->damaged || component->section[BRINK_SECTION_INITIAL].damaged) return;
  if (component->partial) return; /* whoever extends it may set them */
  c->component = component;
  for (brink_symbol *symbol = component->symbols; symbol != NULL; symbol = symbol->next) {
    if (symbol->kind != BRINK_SYMBOL_STATE && symbol->kind != BRINK_SYMBOL_MODE) continue;
    if (symbol->has_initial || symbol->timer) continue; /* a timer starts as one that is off */
    if (constrained && symbol->read_type == BRINK_TYPE_SIGNAL) continue;
    const char *hint = brink_unit_format(c->unit, "set it in initial: %s := ...;", symbol->name);
    brink_check_warning(c, BRINK_MSG_NO_INITIAL_VALUE, symbol->place, hint,
                        "'%s' has no initial value: it starts at %s", symbol->name,
                        start_text(c, symbol));
  }
}

static void check_all(brink_checker *c) {
  brink_unit *unit = c->unit;
  c->components_uncertain = may_miss_components(unit);
  for (brink_component *k = unit->components; k != NULL; k = k->next) collect_component(c, k);
  c->component = NULL;
  collect_functions(c);
  brink_check_bases(c);
  find_classes(c);
  find_cycles(c);
  c->component = NULL;
  if (unit->out_of_memory) return;
  brink_check_functions(c);
  check_interfaces(c);
  check_bodies(c, false);
  check_bodies(c, true);
  bool constrained = has_constraints(unit);
  for (brink_component *k = unit->components; k != NULL; k = k->next)
    warn_of_starts(c, k, constrained);
}

void brink_unit_check(brink_unit *unit) {
  brink_checker checker = {
      .unit = unit, .nsyntax = unit->nitems, .scratch.allocator = unit->arena.allocator};
  checker.locals_of = &checker.local;
  check_all(&checker);
  brink_text_free(&checker.scratch);
}

void brink_unit_check_expression(brink_unit *unit, brink_ast_expr *expr) {
  brink_checker checker = {
      .unit = unit, .nsyntax = unit->nitems, .scratch.allocator = unit->arena.allocator};
  checker.locals_of = &checker.local;
  brink_check_expr_in(&checker, BRINK_IN_OPTION, expr);
  brink_text_free(&checker.scratch);
}
