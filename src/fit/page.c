/* page.c: the result of a fit as one page: knobs, correlations, curves with what was measured, residuals over time.
 *
 * The page is plain HTML with figures in SVG. It has no scripts and needs no network, and is written whether or not the page of
 * runs (page/) is part of the library. Figures follow the light or dark theme of the reader by their style sheet. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit/fit_parts.h"

enum { POINTS = 400 }; /* of a curve */

#define WIDTH 720.0
#define HEIGHT 220.0
#define LEFT 70.0
#define RIGHT 12.0
#define TOP 10.0
#define BOTTOM 30.0

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
    "<title>brink fit</title>\n<style>\n"
    ":root{color-scheme:light "
    "dark;--ink:#222;--dim:#777;--line:#2266bb;--mark:#c2410c;--grid:#ddd}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#ddd;--dim:#999;--line:#7ab0f0;--mark:#f0955a;"
    "--grid:#444}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);max-width:46rem;margin:2rem auto;"
    "padding:0 1rem}\n"
    "table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right;"
    "border-bottom:1px solid var(--grid)}td:first-child,th:first-child{text-align:left}\n"
    "svg{width:100%;height:auto}svg text{font-size:12px;fill:var(--dim)}\n"
    ".axis{stroke:var(--grid)}.zero{stroke:var(--dim)}.curve{fill:none;stroke:var(--line);"
    "stroke-width:1.5}\n"
    ".datum{fill:var(--mark)}.bar{stroke:var(--mark)}.note{border-left:3px solid var(--mark);"
    "padding-left:.8rem}\n"
    "</style></head><body>\n";

/* Text of others, as HTML wants it. */
static void put_words(brink_text *text, const char *words) {
  for (; *words != '\0'; words++) {
    const char *as = *words == '<'   ? "&lt;"
                     : *words == '>' ? "&gt;"
                     : *words == '&' ? "&amp;"
                     : *words == '"' ? "&quot;"
                                     : NULL;
    if (as != NULL)
      brink_text_add(text, "%s", as);
    else
      brink_text_append(text, words, 1);
  }
}

/* ---- tables ---- */

static void put_knobs(brink_text *text, const brink_fit_result *r) {
  brink_text_add(text,
                 "<h2>Knobs</h2>\n<table><tr><th>knob</th><th>value</th><th>standard error</th>"
                 "<th>%g %% interval</th></tr>\n",
                 100.0 * r->confidence);
  for (size_t k = 0; k < r->nknobs; k++) {
    const brink_fit_value *v = &r->values[k];
    brink_text_add(text, "<tr><td>");
    put_words(text, v->name);
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
    put_words(text, r->values[k].name);
    brink_text_add(text, "</th>");
  }
  brink_text_add(text, "</tr>\n");
  for (size_t i = 0; i < n; i++) {
    brink_text_add(text, "<tr><td>");
    put_words(text, r->values[i].name);
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

/* ---- figures ---- */

typedef struct figure {
  brink_text *text;
  double t0, t1, y0, y1; /* what is seen of the axes */
} figure;

static double across(const figure *f, double t) {
  return LEFT + (t - f->t0) / (f->t1 - f->t0) * (WIDTH - LEFT - RIGHT);
}

static double up(const figure *f, double y) {
  return HEIGHT - BOTTOM - (y - f->y0) / (f->y1 - f->y0) * (HEIGHT - TOP - BOTTOM);
}

static void see(figure *f, double t, double y) {
  f->t0 = fmin(f->t0, t);
  f->t1 = fmax(f->t1, t);
  f->y0 = fmin(f->y0, y);
  f->y1 = fmax(f->y1, y);
}

static figure open_figure(brink_text *text) {
  return (figure){.text = text,
                  .t0 = (double)INFINITY,
                  .t1 = -(double)INFINITY,
                  .y0 = (double)INFINITY,
                  .y1 = -(double)INFINITY};
}

/* About `count` round numbers between lo and hi: 1, 2 or 5 times a power of ten apart. */
static double tick_distance(double lo, double hi, double count) {
  double raw = (hi - lo) / count, power = pow(10.0, floor(log10(raw))), share = raw / power;
  return power * (share < 1.5 ? 1.0 : share < 3.5 ? 2.0 : share < 7.5 ? 5.0 : 10.0);
}

/* Axes and ticks, once everything has been seen. */
static void begin_figure(figure *f) {
  brink_text *text = f->text;
  double wide = f->t1 > f->t0 ? f->t1 - f->t0 : 1.0;
  double high = f->y1 > f->y0 ? f->y1 - f->y0 : fmax(fabs(f->y1), 1.0);
  f->t0 -= 0.02 * wide, f->t1 += 0.02 * wide;
  f->y0 -= 0.05 * high, f->y1 += 0.05 * high;
  brink_text_add(text, "<svg viewBox=\"0 0 %g %g\" role=\"img\">\n", WIDTH, HEIGHT);
  double dt = tick_distance(f->t0, f->t1, 8.0), dy = tick_distance(f->y0, f->y1, 5.0);
  for (double t = ceil(f->t0 / dt) * dt; t <= f->t1; t += dt)
    brink_text_add(text,
                   "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%g\" y2=\"%g\"/>"
                   "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%.5g</text>\n",
                   across(f, t), across(f, t), TOP, HEIGHT - BOTTOM, across(f, t), HEIGHT - 10.0,
                   fabs(t) < 1e-9 * dt ? 0.0 : t);
  for (double y = ceil(f->y0 / dy) * dy; y <= f->y1; y += dy)
    brink_text_add(text,
                   "<line class=\"%s\" x1=\"%g\" x2=\"%g\" y1=\"%.1f\" y2=\"%.1f\"/>"
                   "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%.5g</text>\n",
                   fabs(y) < 1e-9 * dy ? "zero" : "axis", LEFT, WIDTH - RIGHT, up(f, y), up(f, y),
                   LEFT - 6.0, up(f, y) + 4.0, fabs(y) < 1e-9 * dy ? 0.0 : y);
}

static void put_datum(const figure *f, double t, double y, double half) {
  if (half > 0.0)
    brink_text_add(f->text, "<line class=\"bar\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                   across(f, t), across(f, t), up(f, y - half), up(f, y + half));
  brink_text_add(f->text, "<circle class=\"datum\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n",
                 across(f, t), up(f, y));
}

/* ---- what is shown of one quantity or flag ---- */

/* The run with the knobs that were found: values of a quantity, at equal distances. False: there are none. */
static bool trace(brink_fit *fit, const char *name, double from, double to, double *t, double *y) {
  brink_run *run = NULL;
  brink_diag diag;
  brink_value value;
  brink_status status = brink_run_create(fit->model, &fit->options, NULL, &diag, &run);
  if (status == BRINK_OK) status = brink_run_find(run, name, &value, &diag);
  bool fine = status == BRINK_OK;
  for (size_t k = 0; k < POINTS && fine; k++) {
    t[k] = from + (to - from) * (double)k / (double)(POINTS - 1);
    fine = brink_run_to(run, t[k], &diag) >= 0;
    if (fine) y[k] = brink_run_value(run, value);
  }
  brink_run_destroy(run);
  return fine;
}

static void put_curve(brink_fit *fit, size_t of, brink_text *text) {
  const brink_fit_result *r = &fit->result;
  const char *name = fit->measured[of].name;
  double t[POINTS], y[POINTS], from = isnan(fit->options.from) ? 0.0 : fit->options.from, to = from;
  figure f = open_figure(text);
  for (size_t k = 0; k < r->nresiduals; k++) {
    const brink_fit_residual *one = &r->residuals[k];
    double half = r->sigma_known ? one->sigma : 0.0;
    if (fit->data[k].of != of) continue;
    see(&f, one->t, one->measured - half);
    see(&f, one->t, one->measured + half);
    see(&f, one->t, one->model);
    to = fmax(to, one->t);
  }
  bool drawn = to > from && trace(fit, name, from, to, t, y);
  for (size_t k = 0; k < POINTS && drawn; k++) see(&f, t[k], y[k]);
  begin_figure(&f);
  if (drawn) {
    brink_text_add(text, "<polyline class=\"curve\" points=\"");
    for (size_t k = 0; k < POINTS; k++)
      brink_text_add(text, "%.2f,%.2f ", across(&f, t[k]), up(&f, y[k]));
    brink_text_add(text, "\"/>\n");
  }
  for (size_t k = 0; k < r->nresiduals; k++)
    if (fit->data[k].of == of)
      put_datum(&f, r->residuals[k].t, r->residuals[k].measured,
                r->sigma_known ? r->residuals[k].sigma : 0.0);
  brink_text_add(text, "</svg>\n");
}

static void put_residuals(const brink_fit *fit, size_t of, brink_text *text) {
  const brink_fit_result *r = &fit->result;
  figure f = open_figure(text);
  for (size_t k = 0; k < r->nresiduals; k++) {
    if (fit->data[k].of != of) continue;
    see(&f, r->residuals[k].t, r->residuals[k].residual);
    see(&f, r->residuals[k].t, 0.0);
  }
  begin_figure(&f);
  for (size_t k = 0; k < r->nresiduals; k++)
    if (fit->data[k].of == of) put_datum(&f, r->residuals[k].t, r->residuals[k].residual, 0.0);
  brink_text_add(text, "</svg>\n");
}

static void put_measured(brink_fit *fit, size_t of, brink_text *text) {
  const brink_measured *measured = &fit->measured[of];
  if (measured->ndata == 0) return;
  brink_text_add(text, "<h2>");
  put_words(text, measured->name);
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

brink_status brink_fit_report(brink_fit *fit, brink_bytes *page, brink_diag *diag) {
  brink_diag_clear(diag);
  if (fit == NULL || page == NULL || !fit->solved || fit->result.objective != NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "there is no fit to data to report");
  const brink_fit_result *r = &fit->result;
  brink_text text = {0};
  *page = (brink_bytes){0};
  brink_text_append(&text, head, sizeof head - 1);
  brink_text_add(
      &text,
      "<h1>Fit</h1>\n<p>%zu data, %zu knobs, %s. %s; %zu runs, %zu of them with "
      "derivatives, from %zu starts.</p>\n<p>Sum of squares %.6g, %zu degrees of freedom",
      r->ndata, r->nknobs, r->converged ? "converged" : "not converged", r->method, r->runs,
      r->derivative_runs, r->nstarts, r->sum, r->freedom);
  if (r->sigma_known && r->freedom > 0)
    brink_text_add(&text, "; residuals are %.3g times sigma (probability %.3g)", r->scale,
                   r->probability);
  brink_text_add(&text, ".</p>\n");
  for (size_t k = 0; k < r->nnotes; k++) {
    brink_text_add(&text, "<p class=\"note\">");
    put_words(&text, r->notes[k]);
    brink_text_add(&text, "</p>\n");
  }
  put_knobs(&text, r);
  put_correlation(&text, r);
  for (size_t k = 0; k < fit->nmeasured; k++) put_measured(fit, k, &text);
  brink_text_add(&text, "</body></html>\n");
  if (text.failed) {
    brink_text_free(&text);
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  }
  *page = (brink_bytes){.data = text.data, .length = text.length};
  return BRINK_OK;
}
