/* page.c: the result of a fit as one page: knobs, correlations, curves with what was measured, residuals over time. */
#include <math.h>

#include "fit/figure.h"

/* ---- tables ---- */

static void put_knobs(brink_text *text, const brink_fit_result *r) {
  brink_text_add(text,
                 "<h2>Knobs</h2>\n<table><tr><th>knob</th><th>value</th><th>standard error</th>"
                 "<th>%g %% interval</th></tr>\n",
                 100.0 * r->confidence);
  for (size_t k = 0; k < r->nknobs; k++) {
    const brink_fit_value *v = &r->values[k];
    brink_text_add(text, "<tr><td>");
    brink_page_words(text, v->name);
    brink_text_add(text, "</td><td>%.8g</td>", v->value);
    if (isnan(v->standard_error))
      brink_text_add(text, "<td>-</td><td>%s</td></tr>\n",
                     v->at_bound       ? "at its bound"
                     : v->undetermined ? "not determined"
                                       : "-");
    else
      brink_text_add(text, "<td>%.3g</td><td>%.6g … %.6g</td></tr>\n", v->standard_error, v->lo,
                     v->hi);
  }
  brink_text_add(text, "</table>\n");
}

static void put_correlation(brink_text *text, const brink_fit_result *r) {
  size_t n = r->nknobs;
  if (n < 2) return;
  brink_text_add(text, "<h2>Correlation</h2>\n<table><tr><th></th>");
  for (size_t k = 0; k < n; k++) {
    brink_text_add(text, "<th>");
    brink_page_words(text, r->values[k].name);
    brink_text_add(text, "</th>");
  }
  brink_text_add(text, "</tr>\n");
  for (size_t i = 0; i < n; i++) {
    brink_text_add(text, "<tr><td>");
    brink_page_words(text, r->values[i].name);
    brink_text_add(text, "</td>");
    for (size_t j = 0; j < n; j++) {
      double entry = r->correlation[i * n + j];
      if (isnan(entry))
        brink_text_add(text, "<td>-</td>");
      else
        brink_text_add(text, "<td style=\"background:rgba(%s,%.2f)\">%.3f</td>",
                       entry < 0.0 ? "194,65,12" : "34,102,187", 0.5 * fabs(entry), entry);
    }
    brink_text_add(text, "</tr>\n");
  }
  brink_text_add(text, "</table>\n");
}

/* ---- what is shown of one quantity or flag ---- */

static void put_curve(brink_fit *fit, size_t of, brink_text *text) {
  const brink_fit_result *r = &fit->result;
  const char *name = fit->measured[of].name;
  double t[BRINK_TRACE_POINTS], y[BRINK_TRACE_POINTS];
  double from = isnan(fit->options.from) ? 0.0 : fit->options.from, to = from;
  brink_figure f = brink_figure_open(text);
  for (size_t k = 0; k < r->nresiduals; k++) {
    const brink_fit_residual *one = &r->residuals[k];
    double half = r->sigma_known ? one->sigma : 0.0;
    if (fit->data[k].of != of) continue;
    brink_figure_see(&f, one->t, one->measured - half);
    brink_figure_see(&f, one->t, one->measured + half);
    brink_figure_see(&f, one->t, one->model);
    to = fmax(to, one->t);
  }
  size_t count = to > from ? brink_fit_trace(fit, name, from, to, t, y, text) : 0;
  for (size_t k = 0; k < count; k++) brink_figure_see(&f, t[k], y[k]);
  brink_figure_begin(&f);
  if (count > 0) brink_figure_curve(&f, t, y, count);
  for (size_t k = 0; k < r->nresiduals; k++)
    if (fit->data[k].of == of)
      brink_figure_datum(&f, r->residuals[k].t, r->residuals[k].measured,
                         r->sigma_known ? r->residuals[k].sigma : 0.0);
  brink_text_add(text, "</svg>\n");
}

static void put_residuals(const brink_fit *fit, size_t of, brink_text *text) {
  const brink_fit_result *r = &fit->result;
  brink_figure f = brink_figure_open(text);
  for (size_t k = 0; k < r->nresiduals; k++) {
    if (fit->data[k].of != of) continue;
    brink_figure_see(&f, r->residuals[k].t, r->residuals[k].residual);
    brink_figure_see(&f, r->residuals[k].t, 0.0);
  }
  brink_figure_begin(&f);
  for (size_t k = 0; k < r->nresiduals; k++)
    if (fit->data[k].of == of)
      brink_figure_datum(&f, r->residuals[k].t, r->residuals[k].residual, 0.0);
  brink_text_add(text, "</svg>\n");
}

static void put_measured(brink_fit *fit, size_t of, brink_text *text) {
  const brink_measured *measured = &fit->measured[of];
  if (measured->ndata == 0) return;
  brink_text_add(text, "<h2>");
  brink_page_words(text, measured->name);
  brink_text_add(text, "</h2>\n");
  if (!measured->event) {
    brink_text_add(text, "<p>Measured (points) and the model (line), over time.</p>\n");
    put_curve(fit, of, text);
  }
  brink_text_add(text, "<p>%s%s, over time.</p>\n",
                 measured->event ? "Residuals of the times of its events" : "Residuals",
                 fit->result.sigma_known ? ", in standard deviations" : "");
  put_residuals(fit, of, text);
}

/* ---- the page ---- */

static void put_fit(brink_fit *fit, brink_text *text) {
  const brink_fit_result *r = &fit->result;
  brink_text_add(
      text,
      "<h1>Fit</h1>\n<p>%zu data, %zu knobs, %s. %s; %zu runs, %zu of them with "
      "derivatives, from %zu starts.</p>\n<p>Sum of squares %.6g, %zu degrees of freedom",
      r->ndata, r->nknobs, r->converged ? "converged" : "not converged", r->method, r->runs,
      r->derivative_runs, r->nstarts, r->sum, r->freedom);
  if (r->sigma_known && r->freedom > 0)
    brink_text_add(text, "; residuals are %.3g times sigma (probability %.3g)", r->scale,
                   r->probability);
  brink_text_add(text, ".</p>\n");
  brink_page_notes(text, r);
  put_knobs(text, r);
  put_correlation(text, r);
  for (size_t k = 0; k < fit->nmeasured; k++) put_measured(fit, k, text);
}

brink_status brink_fit_report(brink_fit *fit, brink_bytes *page, brink_diag *diag) {
  brink_diag_clear(diag);
  if (fit == NULL || page == NULL || !fit->solved)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "there is no result to report");
  brink_text text = {0};
  *page = (brink_bytes){0};
  brink_page_head(&text);
  if (fit->result.objective != NULL)
    brink_page_design(fit, &text);
  else
    put_fit(fit, &text);
  brink_text_add(&text, "</body></html>\n");
  if (text.failed) {
    brink_text_free(&text);
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  }
  *page = (brink_bytes){.data = text.data, .length = text.length};
  return BRINK_OK;
}
