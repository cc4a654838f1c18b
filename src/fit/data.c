/* data.c: what was measured: curves and times of events, their standard deviations. See <brink/fit.h>. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/fit_parts.h"
#include "lang/ast.h"

static brink_status no_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

/* ---- names ---- */

/* The flags of the model; *near: the most similar one. */
static bool is_flag(brink_fit *fit, const char *name, const char **near) {
  const brink_hsml_item *items;
  size_t count = brink_hsml_items(fit->model, BRINK_HSML_FLAG, &items);
  char full[256];
  for (size_t k = 0; k < count; k++) {
    for (size_t e = 0; e < items[k].count; e++) {
      brink_hsml_element_name(fit->model, &items[k], e, full, sizeof full);
      if (strcmp(full, name) == 0) return true;
    }
    *near = brink_nearest(name, items[k].name, *near);
  }
  return false;
}

static brink_status check_flag(brink_fit *fit, const char *name, brink_diag *diag) {
  const char *near = NULL;
  if (is_flag(fit, name, &near)) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "there is no flag '%s'%s%s%s", name,
                        near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                        near != NULL ? "'?" : "");
}

static brink_status check_quantity(brink_fit *fit, const char *name, brink_diag *diag) {
  brink_run *run = NULL;
  brink_value value;
  brink_status status = brink_run_create(fit->model, &fit->options, NULL, diag, &run);
  if (status == BRINK_OK) status = brink_run_find(run, name, &value, diag);
  if (status == BRINK_OK && value.type != BRINK_HSML_REAL)
    status = brink_diag_set(diag, BRINK_ERR_ARGUMENT, "'%s' is not a real number", name);
  brink_run_destroy(run);
  return status;
}

/* ---- standard deviations ---- */

static double sigma_for(const brink_fit *fit, const char *name) {
  for (size_t k = 0; k < fit->nsigmas; k++)
    if (strcmp(fit->sigmas[k].name, name) == 0) return fit->sigmas[k].sigma;
  return (double)NAN;
}

brink_status brink_fit_set_sigma(brink_fit *fit, const char *name, double sigma, brink_diag *diag) {
  brink_diag_clear(diag);
  if (fit == NULL || name == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "fit and name must not be NULL");
  if (!(sigma > 0.0) || !isfinite(sigma))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "the standard deviation of '%s' is %g: give a positive number", name,
                          sigma);
  for (size_t k = 0; k < fit->nsigmas; k++) {
    if (strcmp(fit->sigmas[k].name, name) != 0) continue;
    fit->sigmas[k].sigma = sigma;
    return BRINK_OK;
  }
  const char *kept = brink_arena_text(&fit->arena, name);
  brink_sigma *made =
      kept != NULL ? brink_arena_push(&fit->arena, fit->sigmas, fit->nsigmas, fit->sigmas_capacity)
                   : NULL;
  if (made == NULL) return no_memory(diag);
  *made = (brink_sigma){.name = kept, .sigma = sigma};
  return BRINK_OK;
}

/* ---- adding ---- */

static brink_status check_given(const brink_fit *fit, const char *name, const double *t,
                                const double *sigma, size_t n, brink_diag *diag) {
  if (fit == NULL || name == NULL || (n > 0 && t == NULL))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "fit, name and values must not be NULL");
  for (size_t k = 0; k < fit->nmeasured; k++) {
    if (strcmp(fit->measured[k].name, name) == 0)
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "there are data of '%s' already", name);
  }
  double from = isnan(fit->options.from) ? 0.0 : fit->options.from;
  for (size_t k = 0; k < n; k++) {
    if (!isfinite(t[k]) || t[k] < from)
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "'%s' is measured at %g: runs begin at %g",
                            name, t[k], from);
    if (sigma != NULL && !isnan(sigma[k]) && (!(sigma[k] > 0.0) || !isfinite(sigma[k])))
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "the standard deviation of '%s' at %g is %g: it must be positive", name,
                            t[k], sigma[k]);
  }
  return BRINK_OK;
}

static brink_measured *add_measured(brink_fit *fit, const char *name, bool event) {
  const char *kept = brink_arena_text(&fit->arena, name);
  brink_measured *made = kept != NULL ? brink_arena_push(&fit->arena, fit->measured, fit->nmeasured,
                                                         fit->measured_capacity)
                                      : NULL;
  if (made != NULL) *made = (brink_measured){.name = kept, .event = event};
  return made;
}

static bool add_datum(brink_fit *fit, brink_datum datum) {
  brink_datum *made = brink_arena_push(&fit->arena, fit->data, fit->ndata, fit->data_capacity);
  if (made != NULL) *made = datum;
  return made != NULL;
}

brink_status brink_fit_add_curve(brink_fit *fit, const char *name, const double *t, const double *y,
                                 const double *sigma, size_t n, brink_diag *diag) {
  brink_diag_clear(diag);
  brink_status status = check_given(fit, name, t, sigma, n, diag);
  if (status != BRINK_OK) return status;
  if (n > 0 && y == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "fit, name and values must not be NULL");
  status = check_quantity(fit, name, diag);
  if (status != BRINK_OK) return status;
  brink_measured *made = add_measured(fit, name, false);
  for (size_t k = 0; k < n && made != NULL; k++) {
    if (isnan(y[k])) continue;
    if (!isfinite(y[k]))
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "'%s' at %g is not a number", name, t[k]);
    if (!add_datum(fit, (brink_datum){.of = fit->nmeasured - 1,
                                      .occurrence = BRINK_NONE,
                                      .t = t[k],
                                      .y = y[k],
                                      .given = sigma != NULL ? sigma[k] : (double)NAN}))
      made = NULL;
  }
  return made != NULL ? BRINK_OK : no_memory(diag);
}

brink_status brink_fit_add_events(brink_fit *fit, const char *flag, const double *t,
                                  const double *sigma, size_t n, brink_diag *diag) {
  brink_diag_clear(diag);
  brink_status status = check_given(fit, flag, t, sigma, n, diag);
  if (status == BRINK_OK) status = check_flag(fit, flag, diag);
  if (status != BRINK_OK) return status;
  brink_measured *made = add_measured(fit, flag, true);
  for (size_t k = 0; k < n && made != NULL; k++) {
    if (!add_datum(fit, (brink_datum){.of = fit->nmeasured - 1,
                                      .stop = BRINK_NONE,
                                      .t = t[k],
                                      .y = t[k],
                                      .given = sigma != NULL ? sigma[k] : (double)NAN}))
      made = NULL;
  }
  return made != NULL ? BRINK_OK : no_memory(diag);
}

/* ---- putting in order ---- */

static int by_time(const void *a, const void *b) {
  const brink_datum *x = a, *y = b;
  bool ex = x->stop == BRINK_NONE, ey = y->stop == BRINK_NONE; /* events come last */
  if (ex != ey) return ex ? 1 : -1;
  if (x->t != y->t) return x->t < y->t ? -1 : 1;
  if (x->of != y->of) return x->of < y->of ? -1 : 1;
  /* Repeated measurements: an order that does not depend on how qsort works, which depends on memory. */
  if (x->y != y->y) return x->y < y->y ? -1 : 1;
  return (x->given > y->given) - (x->given < y->given);
}

/* Where runs have to stop, and which datum belongs to which stop or occurrence. */
static void number(brink_fit *fit) {
  double last = -(double)INFINITY, from = isnan(fit->options.from) ? 0.0 : fit->options.from;
  fit->ntimes = 0;
  for (size_t k = 0; k < fit->nmeasured; k++) fit->measured[k].ndata = 0;
  for (size_t k = 0; k < fit->ndata; k++) {
    brink_datum *datum = &fit->data[k];
    brink_measured *measured = &fit->measured[datum->of];
    if (measured->event) {
      datum->occurrence = measured->ndata;
      last = datum->t;
    } else {
      if (fit->ntimes == 0 || fit->times[fit->ntimes - 1] != datum->t)
        fit->times[fit->ntimes++] = datum->t;
      datum->stop = fit->ntimes - 1;
    }
    measured->ndata++;
  }
  fit->last = last;
  if (!isfinite(last)) return;
  /* An event that is missing must cost something, also the last one: a tenth of all that was measured. */
  fit->last = last + 0.1 * (last - from);
  if (isfinite(fit->options.until)) fit->last = fmax(fit->last, fit->options.until);
  if (fit->ntimes > 0) fit->last = fmax(fit->last, fit->times[fit->ntimes - 1]);
}

/* Standard deviations for all data, or for none: 1 then, and estimated afterwards. */
static brink_status settle_sigmas(brink_fit *fit, brink_diag *diag) {
  const char *with = NULL, *without = NULL;
  for (size_t k = 0; k < fit->ndata; k++) {
    brink_datum *datum = &fit->data[k];
    const char *name = fit->measured[datum->of].name;
    datum->sigma = isnan(datum->given) ? sigma_for(fit, name) : datum->given;
    *(isnan(datum->sigma) ? &without : &with) = name;
  }
  fit->result.sigma_known = without == NULL;
  if (without != NULL && with != NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "'%s' has a standard deviation and '%s' has none: give one for each, "
                          "such as --sigma %s=0.1, or for none",
                          with, without, without);
  if (without != NULL && fit->nmeasured > 1)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "'%s' and '%s' are measured: how they are weighed against each other "
                          "follows from their standard deviations: give --sigma %s=… for each",
                          fit->measured[0].name, fit->measured[1].name, fit->measured[0].name);
  for (size_t k = 0; k < fit->ndata && without != NULL; k++) fit->data[k].sigma = 1.0;
  return BRINK_OK;
}

static brink_status check_sigma_names(const brink_fit *fit, brink_diag *diag) {
  for (size_t k = 0; k < fit->nsigmas; k++) {
    bool known = false;
    for (size_t j = 0; j < fit->nmeasured; j++)
      known = known || strcmp(fit->measured[j].name, fit->sigmas[k].name) == 0;
    if (!known)
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "'%s' has a standard deviation, but nothing was measured of it",
                            fit->sigmas[k].name);
  }
  return BRINK_OK;
}

/* The names of all curves, as brink_run_keep reads them. */
static bool list_names(brink_fit *fit) {
  brink_text text = {0};
  for (size_t k = 0; k < fit->nmeasured; k++) {
    if (!fit->measured[k].event)
      brink_text_add(&text, "%s%s", text.length > 0 ? ", " : "", fit->measured[k].name);
  }
  fit->keep = text.length > 0 ? brink_arena_text(&fit->solution, text.data) : NULL;
  bool fine = !text.failed && (text.length == 0 || fit->keep != NULL);
  brink_text_free(&text);
  return fine;
}

brink_status brink_fit_arrange(brink_fit *fit, brink_diag *diag) {
  if (fit->ndata == 0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "nothing was measured: there is no datum");
  if (fit->ndata < fit->n)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "%zu knobs cannot be found from %zu data: there must be as many at least",
                          fit->n, fit->ndata);
  qsort(fit->data, fit->ndata, sizeof *fit->data, by_time);
  fit->times = brink_arena_take(&fit->solution, fit->ndata, sizeof *fit->times);
  if (fit->times == NULL || !list_names(fit)) return no_memory(diag);
  number(fit);
  brink_status status = check_sigma_names(fit, diag);
  return status == BRINK_OK ? settle_sigmas(fit, diag) : status;
}
