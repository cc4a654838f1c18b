/* flat_drive.c: inputs of the top component whose values come from a table.
 *
 * A signal is u = value + rate*(t - since) between two rows of the table, an equation like any other;
 * value, rate and since are numbers that the run changes at each row (native/instance_input.c). Held
 * quantities, and signals that are to be held, are changed themselves. */
#include "lang/flat.h"

#include <stdlib.h>
#include <string.h>

/* ---- which ones ---- */

/* "u" or "u[2]": the length of the name, and the element from 0. False: neither. */
static bool take_apart(const char *name, size_t *length, size_t *element) {
  *length = strcspn(name, "[");
  *element = 0;
  if (name[*length] == '\0') return true;
  char *end;
  unsigned long index = strtoul(name + *length + 1, &end, 10);
  *element = index - 1;
  return index > 0 && strcmp(end, "]") == 0;
}

static flat_variable *find_input(flat *f, const char *name, size_t *element) {
  size_t length;
  if (!take_apart(name, &length, element)) return NULL;
  for (size_t k = 0; k < f->nvariables; k++) {
    flat_variable *variable = f->variables[k];
    const brink_symbol *symbol = variable->symbol;
    if (variable->group != f->top || symbol->kind != BRINK_SYMBOL_INPUT) continue;
    if (strlen(symbol->name) != length || memcmp(symbol->name, name, length) != 0) continue;
    bool indexed = name[length] != '\0';
    return flat_size(f, variable) > *element && indexed == (symbol->size != NULL) ? variable : NULL;
  }
  return NULL;
}

static void unknown_input(flat *f, const char *name) {
  const char *near = NULL;
  for (size_t k = 0; k < f->nvariables; k++) {
    const flat_variable *variable = f->variables[k];
    if (variable->group == f->top && variable->symbol->kind == BRINK_SYMBOL_INPUT)
      near = brink_nearest(name, variable->symbol->name, near);
  }
  flat_setting_error(f, BRINK_MSG_UNKNOWN_INPUT, BRINK_ORIGIN_DRIVEN, name,
                     flat_did_you_mean(f, near), "the top component has no such input");
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
}

bool flat_is_ramp(const flat *f, const flat_variable *variable) {
  return variable->driven && !f->options->drive_holds &&
         variable->symbol->type == BRINK_TYPE_SIGNAL;
}

/* ---- their equations ---- */

static brink_node number(brink_kernel *kernel, uint32_t base, size_t count) {
  brink_ref ref = {.space = BRINK_SPACE_P, .base = base, .stride = count > 1 ? 1 : 0};
  return brink_graph_ref(&kernel->graph, ref);
}

/* u = value + rate*(t - since), for all elements; false: failed. */
static bool add_ramp(flat *f, flat_variable *variable, uint32_t value, uint32_t rate,
                     uint32_t since) {
  size_t count = variable->count;
  brink_place place = variable->symbol->place;
  brink_kernel *kernel = flat_kernel(f, flat_name_of(f, variable), place, count);
  if (kernel == NULL) return false;
  brink_graph *graph = &kernel->graph;
  brink_node elapsed =
      brink_graph_op2(graph, BRINK_OP_SUB, brink_graph_time(graph), number(kernel, since, 1));
  brink_node grown = brink_graph_op2(graph, BRINK_OP_MUL, number(kernel, rate, count), elapsed);
  brink_node sum = brink_graph_op2(graph, BRINK_OP_ADD, number(kernel, value, count), grown);
  brink_ref target = {.space = BRINK_SPACE_V, .base = variable->base, .stride = count > 1 ? 1 : 0};
  return flat_add_output(f, kernel, target, sum, BRINK_NO_NODE, variable->variable) &&
         flat_add_equation(f, kernel, place);
}

static void drive_ramp(flat *f, flat_variable *variable) {
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
  add_ramp(f, variable, value, rate, since);
}

void flat_drive(flat *f) {
  const brink_flatten_options *options = f->options;
  if (options->ndriven == 0) return;
  brink_driven *driven = flat_take(f, options->ndriven, sizeof *driven);
  for (size_t k = 0; driven != NULL && k < options->ndriven && !f->failed; k++) {
    size_t element;
    flat_variable *variable = find_input(f, options->driven[k], &element);
    bool ramp = flat_is_ramp(f, variable);
    if (ramp) drive_ramp(f, variable);
    f->system->variables[variable->variable].kind = BRINK_VARIABLE_OUTPUT; /* results show it */
    uint32_t base = ramp ? variable->value_base : variable->base;
    driven[k] =
        (brink_driven){.variable = variable->variable,
                       .element = element,
                       .space = ramp ? BRINK_SPACE_P : variable->space,
                       .value = base + (uint32_t)element,
                       .rate = ramp ? variable->rate_base + (uint32_t)element : BRINK_NO_INDEX,
                       .since = ramp ? variable->since_slot : BRINK_NO_INDEX};
  }
  f->system->driven = driven;
  f->system->ndriven = f->failed ? 0 : options->ndriven;
}
