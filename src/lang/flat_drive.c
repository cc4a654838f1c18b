/* flat_drive.c: inputs of the top component whose values come from a table, or from functions of the caller.
 *
 * A signal is u = value + rate*(t - since) between two rows of the table, an equation like any other;
 * value, rate and since are numbers that the run changes at each row (native/instance_input.c). Held
 * quantities, and signals that are to be held, are changed themselves.
 *
 * A function is u = f(t, begin, end), a call like that of a library's function (expr/external.h); begin and end are
 * numbers that the run changes at each corner. */
#include "lang/flat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which ones ---- */

/* "u" or "u[2]": the length of the name, and the element from 0. False: neither. Each element has one name: no "u[02]". */
static bool take_apart(const char *name, size_t *length, size_t *element) {
  *length = strcspn(name, "[");
  *element = 0;
  if (name[*length] == '\0') return true;
  const char *digits = name + *length + 1;
  char *end;
  unsigned long index = strtoul(digits, &end, 10);
  *element = index - 1;
  return digits[0] > '0' && digits[0] <= '9' && strcmp(end, "]") == 0;
}

static flat_variable *find_input(flat *f, const char *name, size_t *element) {
  size_t length;
  if (!take_apart(name, &length, element)) return NULL;
  flat_names names = flat_variables_of(f, name);
  for (size_t k; flat_next_named(&names, &k);) {
    flat_variable *variable = f->variables[k];
    const brink_symbol *symbol = variable->symbol;
    if (variable->group != f->top || symbol->kind != BRINK_SYMBOL_INPUT) continue;
    if (strlen(symbol->name) != length || memcmp(symbol->name, name, length) != 0) continue;
    bool indexed = name[length] != '\0';
    bool fits = indexed == (symbol->size != NULL) && variable->columns == 0;
    return fits && flat_size(f, variable) > *element ? variable : NULL;
  }
  return NULL;
}

/* An input of this name has other elements, or none. */
static const char *hint_of_elements(flat *f, flat_variable *variable) {
  const char *name = variable->symbol->name;
  size_t count = flat_size(f, variable);
  if (variable->symbol->size == NULL)
    return brink_unit_format(f->unit, "%s has no elements: name it without an index", name);
  if (variable->columns > 0)
    return brink_unit_format(f->unit,
                             "%s is a matrix: only scalars and elements of vectors can "
                             "vary over time",
                             name);
  return count == 1 ? flat_did_you_mean(f, brink_unit_format(f->unit, "%s[1]", name))
                    : brink_unit_format(f->unit, "%s is a vector: %s[1] to %s[%zu]", name, name,
                                        name, count);
}

static void unknown_input(flat *f, const char *name) {
  const char *near = NULL, *hint = NULL;
  size_t length = strcspn(name, "[");
  for (size_t k = 0; k < f->nvariables && hint == NULL; k++) {
    flat_variable *variable = f->variables[k];
    const char *own = variable->symbol->name;
    if (variable->group != f->top || variable->symbol->kind != BRINK_SYMBOL_INPUT) continue;
    near = brink_nearest(name, own, near);
    if (strncmp(own, name, length) == 0 && own[length] == '\0')
      hint = hint_of_elements(f, variable);
  }
  flat_setting_error(f, BRINK_MSG_UNKNOWN_INPUT, BRINK_ORIGIN_DRIVEN, name,
                     hint != NULL ? hint : flat_did_you_mean(f, near),
                     "the top component has no such input");
}

/* By rows, or by one of the first `count` functions. */
static bool is_given(flat *f, size_t count, const flat_variable *variable, size_t element) {
  const brink_flatten_options *options = f->options;
  for (size_t k = 0; k < count; k++) {
    size_t other;
    if (find_input(f, options->functions[k].name, &other) == variable && other == element)
      return true;
  }
  for (size_t k = 0; k < options->ndriven; k++) {
    size_t other;
    if (find_input(f, options->driven[k], &other) == variable && other == element) return true;
  }
  return false;
}

static void mark_followed(flat *f, size_t k) {
  const char *name = f->options->functions[k].name;
  size_t element;
  flat_variable *variable = find_input(f, name, &element);
  if (variable == NULL)
    unknown_input(f, name);
  else if (variable->symbol->type != BRINK_TYPE_SIGNAL)
    flat_setting_error(f, BRINK_MSG_INPUT_FUNCTION_HELD, BRINK_ORIGIN_DRIVEN, name,
                       "declare it as a signal, or give its values as rows",
                       "it is held, and a function of time may change at any time");
  else if (is_given(f, k, variable, element))
    flat_setting_error(f, BRINK_MSG_INPUT_GIVEN_TWICE, BRINK_ORIGIN_DRIVEN, name,
                       "leave out its rows, or the function", "it is given twice");
  else
    variable->driven = variable->followed = true;
}

void flat_mark_driven(flat *f) {
  const brink_flatten_options *options = f->options;
  for (size_t k = 0; k < options->ndriven && !f->failed; k++) {
    size_t element;
    flat_variable *variable = find_input(f, options->driven[k], &element);
    if (variable != NULL)
      variable->driven = true;
    else
      unknown_input(f, options->driven[k]);
  }
  for (size_t k = 0; k < options->nfunctions && !f->failed; k++) mark_followed(f, k);
}

bool flat_is_ramp(const flat *f, const flat_variable *variable) {
  bool varies = variable->followed || (variable->driven && !f->options->drive_holds);
  return varies && variable->symbol->type == BRINK_TYPE_SIGNAL;
}

const char *flat_function_start(flat *f, size_t k) {
  const brink_flatten_options *options = f->options;
  const brink_time_function *function = &options->functions[k].function;
  char number[BRINK_DOUBLE_TEXT];
  brink_system *system = f->system;
  if (system->followed == NULL)
    system->followed = flat_take(f, options->nfunctions, sizeof *system->followed);
  if (system->followed == NULL) return NULL;
  brink_followed *followed = &system->followed[k];
  *followed = (brink_followed){.value = (double)NAN};
  followed->code = function->value(system->t0, &followed->value, function->user);
  followed->no_start = followed->code != 0 || !isfinite(followed->value);
  return brink_unit_format(f->unit, "%s=%s", options->functions[k].name,
                           brink_double_text(followed->no_start ? 0.0 : followed->value, number));
}

/* ---- their equations ---- */

static brink_node number(brink_kernel *kernel, uint32_t base, size_t count) {
  brink_ref ref = {.space = BRINK_SPACE_P, .base = base, .stride = count > 1 ? 1 : 0};
  return brink_graph_ref(&kernel->graph, ref);
}

/* value + rate*(t - since), of `count` elements in slots that follow each other. */
static brink_node ramp(brink_kernel *kernel, uint32_t value, uint32_t rate, uint32_t since,
                       size_t count) {
  brink_graph *graph = &kernel->graph;
  brink_node elapsed =
      brink_graph_op2(graph, BRINK_OP_SUB, brink_graph_time(graph), number(kernel, since, 1));
  brink_node grown = brink_graph_op2(graph, BRINK_OP_MUL, number(kernel, rate, count), elapsed);
  return brink_graph_op2(graph, BRINK_OP_ADD, number(kernel, value, count), grown);
}

/* The function of an element; NULL: it has none. */
static const brink_followed *function_of(const flat *f, const flat_variable *variable,
                                         size_t element) {
  for (size_t k = 0; k < f->system->nfollowed; k++) {
    const brink_followed *followed = &f->system->followed[k];
    if (followed->variable == variable->variable && followed->element == element) return followed;
  }
  return NULL;
}

static brink_node call(brink_kernel *kernel, const brink_followed *followed) {
  brink_node arguments[BRINK_TIME_ARGUMENTS] = {brink_graph_time(&kernel->graph),
                                                number(kernel, followed->begin, 1),
                                                number(kernel, followed->end, 1)};
  return brink_graph_external(&kernel->graph, followed->external, arguments, BRINK_TIME_ARGUMENTS);
}

/* The equation of `count` elements from `first` on: one, if there are functions among them; false: failed. */
static bool add_equation(flat *f, flat_variable *variable, size_t first, size_t count) {
  brink_place place = variable->symbol->place;
  brink_kernel *kernel = flat_kernel(f, flat_name_of(f, variable), place, count);
  if (kernel == NULL) return false;
  uint32_t skip = (uint32_t)first;
  const brink_followed *followed = function_of(f, variable, first);
  brink_node value = followed != NULL
                         ? call(kernel, followed)
                         : ramp(kernel, variable->value_base + skip, variable->rate_base + skip,
                                variable->since_slot, count);
  brink_ref target = {
      .space = BRINK_SPACE_V, .base = variable->base + skip, .stride = count > 1 ? 1 : 0};
  return flat_add_output(f, kernel, target, value, BRINK_NO_NODE, variable->variable) &&
         flat_add_equation(f, kernel, place);
}

static void add_equations(flat *f, flat_variable *variable) {
  if (!variable->followed) {
    add_equation(f, variable, 0, variable->count);
    return;
  }
  for (size_t e = 0; e < variable->count && !f->failed; e++) add_equation(f, variable, e, 1);
}

static void drive_signal(flat *f, flat_variable *variable) {
  if (variable->value_base != BRINK_NO_INDEX || !flat_evaluate(f, variable)) return;
  size_t count = variable->count;
  uint32_t value = flat_hidden(f, f->top, "value", BRINK_SPACE_P, count, 0.0);
  uint32_t rate = flat_hidden(f, f->top, "rate", BRINK_SPACE_P, count, 0.0);
  uint32_t since = flat_hidden(f, f->top, "since", BRINK_SPACE_P, 1, 0.0);
  if (value == BRINK_NO_INDEX || rate == BRINK_NO_INDEX || since == BRINK_NO_INDEX) return;
  memcpy(f->system->p0 + value, variable->values, count * sizeof(double));
  variable->value_base = value;
  variable->rate_base = rate;
  variable->since_slot = since;
  add_equations(f, variable);
}

static void drive_by_table(flat *f) {
  const brink_flatten_options *options = f->options;
  if (options->ndriven == 0) return;
  brink_driven *driven = flat_take(f, options->ndriven, sizeof *driven);
  for (size_t k = 0; driven != NULL && k < options->ndriven && !f->failed; k++) {
    size_t element;
    flat_variable *variable = find_input(f, options->driven[k], &element);
    bool computed = flat_is_ramp(f, variable), ramp = computed && !options->drive_holds;
    if (computed) drive_signal(f, variable);
    f->system->variables[variable->variable].kind = BRINK_VARIABLE_OUTPUT; /* results show it */
    uint32_t base = computed ? variable->value_base : variable->base;
    driven[k] =
        (brink_driven){.variable = variable->variable,
                       .element = element,
                       .space = computed ? BRINK_SPACE_P : variable->space,
                       .value = base + (uint32_t)element,
                       .rate = ramp ? variable->rate_base + (uint32_t)element : BRINK_NO_INDEX,
                       .since = ramp ? variable->since_slot : BRINK_NO_INDEX};
  }
  f->system->driven = driven;
  f->system->ndriven = f->failed ? 0 : options->ndriven;
}

/* The function as a function of the system; BRINK_NO_INDEX: no memory. */
static uint32_t add_function(flat *f, const brink_input_function *given) {
  brink_system *system = f->system;
  brink_time_function *function = flat_take(f, 1, sizeof *function);
  brink_external *added =
      flat_push(f, system->externals, system->nexternals, system->externals_capacity);
  if (function == NULL || added == NULL) return BRINK_NO_INDEX;
  *function = given->function;
  function->corners = flat_note(
      f, brink_arena_copy(f->arena, function->corners, function->ncorners, sizeof(double)));
  *added = (brink_external){.name = flat_note(f, brink_arena_text(f->arena, given->name)),
                            .narguments = BRINK_TIME_ARGUMENTS,
                            .of_time = function};
  return f->failed ? BRINK_NO_INDEX : (uint32_t)system->nexternals - 1;
}

static void drive_by_functions(flat *f) {
  const brink_flatten_options *options = f->options;
  for (size_t k = 0; k < options->nfunctions && !f->failed; k++) {
    brink_followed *followed = &f->system->followed[k]; /* its start is known */
    const flat_variable *variable = find_input(f, options->functions[k].name, &followed->element);
    f->system->variables[variable->variable].kind = BRINK_VARIABLE_OUTPUT; /* results show it */
    followed->variable = variable->variable;
    followed->external = add_function(f, &options->functions[k]);
    followed->begin = flat_hidden(f, f->top, "begin", BRINK_SPACE_P, 1, 0.0);
    followed->end = flat_hidden(f, f->top, "end", BRINK_SPACE_P, 1, 0.0);
  }
  f->system->nfollowed = f->failed ? 0 : options->nfunctions;
  for (size_t k = 0; k < f->system->nfollowed && !f->failed; k++) {
    size_t element;
    drive_signal(f, find_input(f, options->functions[k].name, &element));
  }
}

void flat_drive(flat *f) {
  drive_by_functions(f);
  if (!f->failed) drive_by_table(f);
}
