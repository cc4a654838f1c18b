/* check.c: is every value of every knob allowed? Before the first run. See sweep_parts.h. */
#include <math.h>
#include <string.h>

#include "sweep/sweep_parts.h"

typedef struct check {
  brink_sweep *sweep;
  brink_hsml *model;
  brink_vary_value *nominal;
  brink_diag *diag;
} check;

/* A seed is a whole number that a double can hold. */
static brink_status check_seeds(const check *c, const brink_vary *knob) {
  bool drawn = knob->kind != BRINK_VARY_LIST && knob->count == 0;
  if (!knob->numeric || knob->kind == BRINK_VARY_NORMAL || (drawn && knob->kind == BRINK_VARY_LOG))
    return brink_diag_set(c->diag, BRINK_ERR_ARGUMENT,
                          "%s: the seed is a whole number: seed=1:100:100, seed=7,8,9, or, with "
                          "--samples, seed=1:1000000",
                          knob->text);
  for (size_t j = 0; j < (drawn ? 2 : knob->count); j++) {
    double value = !drawn ? brink_vary_at(knob, j).number : j == 0 ? knob->lo : knob->hi;
    if (!(value >= 0.0 && value <= 0x1p53) || value != floor(value))
      return brink_diag_set(c->diag, BRINK_ERR_ARGUMENT,
                            "%s: the seed cannot be %.17g: it is a whole number from 0 on",
                            knob->text, value);
  }
  return BRINK_OK;
}

/* Builds the model with another value of knob k, as a run does it. */
static brink_status try_value(const check *c, size_t k, brink_vary_value value) {
  brink_vary_value was = c->nominal[k];
  c->nominal[k] = value;
  brink_status status = brink_sweep_turn(c->sweep, c->model, c->nominal, c->diag);
  if (status == BRINK_OK) status = brink_hsml_build(c->model, c->diag);
  c->nominal[k] = was;
  return status;
}

static brink_status refuse(const check *c, const brink_vary *knob, const char *why, double value) {
  return brink_diag_set(c->diag, BRINK_ERR_ARGUMENT, "%s: '%s' cannot be %.17g: %s", knob->text,
                        knob->name, value, why);
}

/* Numbers between those that were tried: the model says what they may be. */
static brink_status check_numbers(const check *c, size_t k) {
  const brink_vary *knob = &c->sweep->design.knobs[k];
  const brink_system *system = c->model->built->system;
  uint32_t variable;
  size_t element;
  if (!brink_system_find(system, knob->name, &variable, &element)) return BRINK_OK;
  const brink_variable *declared = &system->variables[variable];
  bool drawn = knob->kind != BRINK_VARY_LIST && knob->count == 0;
  if (drawn && declared->type != BRINK_VALUE_REAL)
    return brink_diag_set(c->diag, BRINK_ERR_ARGUMENT,
                          "%s: '%s' is no real number: give a list or a grid of its values",
                          knob->text, knob->name);
  for (size_t j = 0; j < knob->count; j++) {
    double value = brink_vary_at(knob, j).number;
    if (declared->type != BRINK_VALUE_REAL && value != floor(value))
      return refuse(c, knob, "it is a whole number", value);
    if (!brink_variable_allows(declared, element, value))
      return refuse(c, knob, "it is outside the declared range", value);
  }
  return BRINK_OK;
}

/* The values at which something is wrong first, if anything is. */
static brink_status check_ends(const check *c, size_t k) {
  const brink_vary *knob = &c->sweep->design.knobs[k];
  brink_status status = BRINK_OK;
  if (knob->kind == BRINK_VARY_NORMAL)
    return try_value(c, k, (brink_vary_value){.number = knob->lo});
  if (knob->kind != BRINK_VARY_LIST) {
    status = try_value(c, k, (brink_vary_value){.number = knob->lo});
    return status == BRINK_OK ? try_value(c, k, (brink_vary_value){.number = knob->hi}) : status;
  }
  /* Of a list of numbers one is enough here; the rest is compared with the declaration. */
  size_t count = knob->numeric ? 1 : knob->count;
  for (size_t j = 0; j < count && status == BRINK_OK; j++) {
    brink_vary_value value = brink_vary_at(knob, j);
    bool again = j > 0 && value.word != NULL && strcmp(value.word, knob->words[j - 1]) == 0;
    if (!again) status = try_value(c, k, value);
  }
  return status;
}

brink_status brink_sweep_check_knobs(brink_sweep *sweep, brink_hsml *model, brink_diag *diag) {
  size_t n = sweep->design.nknobs;
  check c = {.sweep = sweep, .model = model, .nominal = sweep->nominal, .diag = diag};
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < n && status == BRINK_OK; k++) {
    if (sweep->design.knobs[k].seed) {
      status = check_seeds(&c, &sweep->design.knobs[k]);
      continue;
    }
    status = check_ends(&c, k);
    if (status == BRINK_OK && sweep->design.knobs[k].numeric) status = check_numbers(&c, k);
  }
  return status == BRINK_OK ? try_value(&c, 0, c.nominal[0]) : status;
}
