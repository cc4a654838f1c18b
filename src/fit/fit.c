/* fit.c: making a fit: its knobs, their bounds, and whether runs have derivatives by them. See <brink/fit.h>. */
#include <math.h>
#include <string.h>

#include "base/definition.h"
#include "fit/fit_parts.h"

void brink_fit_defaults(brink_fit_def *def, size_t size) {
  brink_fit_def defaults = {.size = sizeof defaults,
                            .method = BRINK_FIT_AUTO,
                            .starts = 5,
                            .max_runs = 1000,
                            .confidence = 0.95,
                            .jobs = 1};
  brink_definition_fill(def, size, &defaults, sizeof defaults);
}

static brink_status wrong(brink_diag *diag, const char *text) {
  return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "%s", text);
}

void brink_fit_note(brink_fit *fit, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const char *text = brink_arena_format(&fit->solution, format, arguments);
  va_end(arguments);
  const char **note =
      brink_arena_push(&fit->solution, fit->notes, fit->nnotes, fit->notes_capacity);
  if (note != NULL) *note = text;
}

void brink_fit_note_stop(brink_fit *fit) {
  brink_fit_note(fit, "%s",
                 atomic_load(&fit->cancelled)
                     ? "It was stopped: this is the best so far, not the best that there is."
                     : "This is the best that was found, not a minimum: allow more runs, or give "
                       "other bounds.");
}

/* ---- knobs ---- */

static brink_status check_knob(const brink_fit *fit, size_t k, brink_diag *diag) {
  const brink_fit_knob *knob = &fit->knobs[k];
  if (knob->name == NULL || knob->name[0] == '\0') return wrong(diag, "a knob has no name");
  if (!isfinite(knob->lo) || !isfinite(knob->hi) || !(knob->lo < knob->hi))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "the bounds of '%s' are %g and %g: give two numbers, the smaller first",
                          knob->name, knob->lo, knob->hi);
  if (knob->log && knob->lo <= 0.0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "'%s' from %g on has no logarithm: its bounds must be positive",
                          knob->name, knob->lo);
  for (size_t j = 0; j < k; j++) {
    if (strcmp(fit->knobs[j].name, knob->name) == 0)
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "'%s' is varied twice", knob->name);
  }
  return BRINK_OK;
}

static brink_status copy_knobs(brink_fit *fit, brink_diag *diag) {
  const brink_fit_def *def = &fit->def;
  fit->n = def->nknobs;
  fit->knobs = brink_arena_copy(&fit->arena, def->knobs, fit->n, sizeof *fit->knobs);
  fit->names = brink_arena_take(&fit->arena, fit->n, sizeof *fit->names);
  fit->initial = brink_arena_take(&fit->arena, fit->n, sizeof *fit->initial);
  if (fit->arena.failed) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  fit->def.knobs = fit->knobs;
  for (size_t k = 0; k < fit->n; k++) {
    brink_status status = check_knob(fit, k, diag);
    if (status != BRINK_OK) return status;
    fit->knobs[k].name = fit->names[k] = brink_arena_text(&fit->arena, fit->knobs[k].name);
    if (fit->names[k] == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  }
  return BRINK_OK;
}

/* What the model has to say about a value that was set: its first error. */
static brink_status explain(brink_fit *fit, size_t knob, double value, brink_status status,
                            brink_diag *diag) {
  const brink_hsml_message *messages;
  size_t count = brink_hsml_messages(fit->model, &messages);
  for (size_t k = 0; k < count; k++) {
    if (messages[k].severity == BRINK_ERROR && messages[k].file == NULL)
      return brink_diag_set(diag, status, "'%s' = %g: %s%s%s", fit->names[knob], value,
                            messages[k].text, messages[k].hint != NULL ? "; " : "",
                            messages[k].hint != NULL ? messages[k].hint : "");
  }
  return status;
}

/* The model with knob k at a value: can it have it? */
static brink_status try_value(brink_fit *fit, size_t k, double value, brink_diag *diag) {
  brink_status status = brink_hsml_set(fit->model, fit->names[k], value, diag);
  if (status == BRINK_OK) status = brink_hsml_build(fit->model, diag);
  return status == BRINK_OK ? status : explain(fit, k, value, status, diag);
}

/* Where the model starts by itself; both bounds must be possible. */
static brink_status read_knob(brink_fit *fit, size_t k, const brink_run *run, brink_diag *diag) {
  const brink_fit_knob *knob = &fit->knobs[k];
  brink_value found;
  brink_status status = brink_run_find(run, knob->name, &found, diag);
  if (status != BRINK_OK) return status;
  if (found.type != BRINK_HSML_REAL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "'%s' is not a real number: vary it with brink sweep", knob->name);
  double value = brink_run_value((brink_run *)(uintptr_t)run, found);
  fit->initial[k] =
      isfinite(value) ? fmin(fmax(value, knob->lo), knob->hi) : 0.5 * knob->lo + 0.5 * knob->hi;
  const double tried[] = {knob->lo, knob->hi, fit->initial[k]}; /* the last one stays */
  for (size_t j = 0; j < 3 && status == BRINK_OK; j++) status = try_value(fit, k, tried[j], diag);
  return status;
}

/* Have runs derivatives by the knobs? If not, that is no error: there is the search. */
static brink_status try_derivatives(brink_fit *fit, brink_diag *diag) {
  brink_run *run = NULL;
  brink_diag why;
  fit->differentiable = false;
  brink_status status = brink_run_create(fit->model, &fit->options, NULL, diag, &run);
  if (status != BRINK_OK) return status;
  status = brink_run_keep_sensitivity(run, fit->names, fit->n, &why);
  brink_run_destroy(run);
  if (status == BRINK_ERR_MEMORY) return brink_diag_set(diag, status, "out of memory");
  fit->differentiable = status == BRINK_OK;
  if (!fit->differentiable) fit->not_different = brink_arena_text(&fit->arena, why.message);
  return BRINK_OK;
}

static brink_status look_at_model(brink_fit *fit, brink_diag *diag) {
  brink_run *run = NULL;
  brink_status status = brink_run_create(fit->model, &fit->options, NULL, diag, &run);
  for (size_t k = 0; k < fit->n && status == BRINK_OK; k++) status = read_knob(fit, k, run, diag);
  brink_run_destroy(run);
  return status == BRINK_OK ? try_derivatives(fit, diag) : status;
}

/* ---- the fit ---- */

static brink_status check(const brink_fit *fit, brink_diag *diag) {
  const brink_fit_def *def = &fit->def;
  if (def->model == NULL) return wrong(diag, "model must not be NULL");
  if (def->nknobs == 0 || def->knobs == NULL) return wrong(diag, "there is nothing to vary");
  if (def->starts == 0) return wrong(diag, "starts is 0: give a positive number");
  if (def->max_runs == 0) return wrong(diag, "max_runs is 0: give a positive number");
  if (!(def->confidence > 0.0 && def->confidence < 1.0))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "confidence is %g: give a number between 0 and 1", def->confidence);
  return BRINK_OK;
}

static brink_status set_options(brink_fit *fit, brink_diag *diag) {
  const brink_run_options *given = fit->def.options;
  brink_status status = BRINK_OK;
  fit->options = brink_default_run();
  if (given == NULL)
    status = brink_hsml_options(fit->model, &fit->options, diag);
  else
    status =
        brink_definition_read(&fit->options, sizeof fit->options, given, "brink_run_options", diag);
  fit->def.options = NULL;
  /* Derivatives are of one system; nobody writes into a run. */
  fit->options.clocks = BRINK_CLOCKS_ONE;
  fit->options.writable = BRINK_WRITE_STATES;
  fit->options.conditions = false;
  fit->options.native = !fit->options.interpret; /* many runs share the code */
  double from = isnan(fit->options.from) ? 0.0 : fit->options.from;
  if (status == BRINK_OK && fit->options.until < from)
    status = brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "a run backwards in time is not fitted");
  return status;
}

brink_status brink_fit_create(const brink_fit_def *def, brink_diag *diag, brink_fit **fit) {
  brink_diag_clear(diag);
  if (def == NULL || fit == NULL) return wrong(diag, "def and fit must not be NULL");
  *fit = NULL;
  brink_fit *made = brink_allocate(NULL, 1, sizeof *made);
  if (made == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  brink_arena_init(&made->arena, NULL);
  brink_arena_init(&made->solution, NULL);
  pthread_mutex_init(&made->building, NULL);
  pthread_mutex_init(&made->telling, NULL);
  made->def = brink_default_fit();
  brink_status status =
      brink_definition_read(&made->def, sizeof made->def, def, "brink_fit_def", diag);
  if (status == BRINK_OK) status = check(made, diag);
  made->model = made->def.model;
  if (status == BRINK_OK) status = copy_knobs(made, diag);
  if (status == BRINK_OK) status = brink_optimisers_open(diag, &made->optimisers);
  if (status == BRINK_OK) status = set_options(made, diag);
  if (status == BRINK_OK) status = look_at_model(made, diag);
  if (status == BRINK_OK)
    *fit = made;
  else
    brink_fit_destroy(made);
  return status;
}

void brink_fit_destroy(brink_fit *fit) {
  if (fit == NULL) return;
  brink_optimisers_close(fit->optimisers);
  brink_arena_free(&fit->solution);
  brink_arena_free(&fit->arena);
  pthread_mutex_destroy(&fit->building);
  pthread_mutex_destroy(&fit->telling);
  brink_release(NULL, fit, 1, sizeof *fit);
}

const brink_fit_result *brink_fit_get(const brink_fit *fit) {
  return fit != NULL && fit->solved ? &fit->result : NULL;
}
