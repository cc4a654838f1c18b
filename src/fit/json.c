/* json.c: the result of a fit as one JSON object (docs/fit.md). */
#include <math.h>

#include "fit/fit_parts.h"
#include "record/record.h"

static void add_real(brink_text *text, const char *key, double value) {
  brink_text_add(text, "\"%s\":", key);
  if (isnan(value))
    brink_text_add(text, "null");
  else
    brink_json_real(text, value);
}

static const char *truth(bool value) {
  return value ? "true" : "false";
}

static void add_values(brink_text *text, const brink_fit_result *r) {
  brink_text_add(text, ",\"knobs\":{");
  for (size_t k = 0; k < r->nknobs; k++) {
    const brink_fit_value *v = &r->values[k];
    if (k > 0) brink_text_add(text, ",");
    brink_json_string(text, v->name);
    brink_text_add(text, ":{");
    add_real(text, "value", v->value);
    brink_text_add(text, ",");
    add_real(text, "standard_error", v->standard_error);
    brink_text_add(text, ",\"interval\":");
    if (isnan(v->lo)) {
      brink_text_add(text, "null");
    } else {
      brink_text_add(text, "[");
      brink_json_real(text, v->lo);
      brink_text_add(text, ",");
      brink_json_real(text, v->hi);
      brink_text_add(text, "]");
    }
    brink_text_add(text, ",\"at_bound\":%s,\"undetermined\":%s}", truth(v->at_bound),
                   truth(v->undetermined));
  }
  brink_text_add(text, "}");
}

static void add_matrix(brink_text *text, const char *key, const double *matrix, size_t n) {
  brink_text_add(text, ",\"%s\":[", key);
  for (size_t i = 0; i < n; i++) {
    brink_text_add(text, i > 0 ? ",[" : "[");
    for (size_t j = 0; j < n; j++) {
      if (j > 0) brink_text_add(text, ",");
      if (isnan(matrix[i * n + j]))
        brink_text_add(text, "null");
      else
        brink_json_real(text, matrix[i * n + j]);
    }
    brink_text_add(text, "]");
  }
  brink_text_add(text, "]");
}

static void add_residuals(brink_text *text, const brink_fit_result *r) {
  brink_text_add(text, ",\"residuals\":[");
  for (size_t k = 0; k < r->nresiduals; k++) {
    const brink_fit_residual *one = &r->residuals[k];
    brink_text_add(text, k > 0 ? ",{\"%s\":" : "{\"%s\":", one->event ? "flag" : "name");
    brink_json_string(text, one->name);
    if (one->event) brink_text_add(text, ",\"occurrence\":%zu", one->occurrence);
    brink_text_add(text, ",");
    add_real(text, "t", one->t);
    brink_text_add(text, ",");
    add_real(text, "measured", one->measured);
    brink_text_add(text, ",");
    add_real(text, "model", one->model);
    brink_text_add(text, ",");
    add_real(text, "sigma", one->sigma);
    brink_text_add(text, ",");
    add_real(text, "residual", one->residual);
    if (one->missing) brink_text_add(text, ",\"missing\":true");
    brink_text_add(text, "}");
  }
  brink_text_add(text, "]");
}

static void add_numbers(brink_text *text, const double *values, size_t n) {
  brink_text_add(text, "[");
  for (size_t k = 0; k < n; k++) {
    if (k > 0) brink_text_add(text, ",");
    brink_json_real(text, values[k]);
  }
  brink_text_add(text, "]");
}

static void add_starts(brink_text *text, const brink_fit_result *r) {
  brink_text_add(text, ",\"best_start\":%zu,\"starts\":[", r->best);
  for (size_t k = 0; k < r->nstarts; k++) {
    const brink_fit_start *s = &r->starts[k];
    brink_text_add(text, k > 0 ? ",{\"from\":" : "{\"from\":");
    add_numbers(text, s->values, r->nknobs);
    brink_text_add(text, ",\"to\":");
    add_numbers(text, s->found, r->nknobs);
    brink_text_add(text, ",");
    add_real(text, r->objective != NULL ? "outcome" : "sum", s->sum);
    brink_text_add(text, ",\"runs\":%zu,\"converged\":%s}", s->runs, truth(s->converged));
  }
  brink_text_add(text, "]");
}

static void add_notes(brink_text *text, const brink_fit_result *r) {
  brink_text_add(text, ",\"notes\":[");
  for (size_t k = 0; k < r->nnotes; k++) {
    if (k > 0) brink_text_add(text, ",");
    brink_json_string(text, r->notes[k]);
  }
  brink_text_add(text, "]}");
}

static void add_conditions(brink_text *text, const brink_fit_result *r) {
  brink_text_add(text, ",\"objective\":");
  brink_json_string(text, r->objective);
  brink_text_add(text, ",\"goal\":\"%s\",", r->maximized ? "maximize" : "minimize");
  add_real(text, "outcome", r->outcome);
  brink_text_add(text, ",\"feasible\":%s,\"conditions\":[", truth(r->feasible));
  for (size_t k = 0; k < r->nconditions; k++) {
    const brink_fit_condition *c = &r->conditions[k];
    brink_text_add(text, k > 0 ? ",{\"condition\":" : "{\"condition\":");
    brink_json_string(text, c->text);
    brink_text_add(text, ",");
    add_real(text, "left", c->left);
    brink_text_add(text, ",");
    add_real(text, "right", c->right);
    brink_text_add(text, ",\"holds\":%s}", truth(c->holds));
  }
  brink_text_add(text, "],\"runs\":%zu", r->runs);
}

static void add_fit(brink_text *text, const brink_fit_result *r) {
  add_matrix(text, "correlation", r->correlation, r->nknobs);
  add_matrix(text, "covariance", r->covariance, r->nknobs);
  brink_text_add(text, ",");
  add_real(text, "confidence", r->confidence);
  brink_text_add(text, ",");
  add_real(text, "sum", r->sum);
  brink_text_add(text, ",\"data\":%zu,\"freedom\":%zu,\"sigma_known\":%s,", r->ndata, r->freedom,
                 truth(r->sigma_known));
  add_real(text, "scale", r->scale);
  brink_text_add(text, ",");
  add_real(text, "probability", r->probability);
  brink_text_add(text, ",\"derivatives\":%s,\"runs\":%zu,\"derivative_runs\":%zu",
                 truth(r->derivatives), r->runs, r->derivative_runs);
  add_residuals(text, r);
}

brink_status brink_fit_json(const brink_fit *fit, brink_bytes *json, brink_diag *diag) {
  brink_diag_clear(diag);
  if (fit == NULL || json == NULL || !fit->solved)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "there is no result to write");
  const brink_fit_result *r = &fit->result;
  brink_text text = {0};
  *json = (brink_bytes){0};
  brink_text_add(&text, "{\"status\":\"%s\",\"method\":", r->converged ? "converged" : "stopped");
  brink_json_string(&text, r->method);
  add_values(&text, r);
  if (r->objective != NULL)
    add_conditions(&text, r);
  else
    add_fit(&text, r);
  add_starts(&text, r);
  add_notes(&text, r);
  if (text.failed) {
    brink_text_free(&text);
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  }
  *json = (brink_bytes){.data = text.data, .length = text.length};
  return BRINK_OK;
}
