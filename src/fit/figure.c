/* figure.c: figures and words of the pages of fits. See figure.h. */
#include "fit/figure.h"

#include <math.h>

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

void brink_page_head(brink_text *text) {
  brink_text_append(text, head, sizeof head - 1);
}

void brink_page_words(brink_text *text, const char *words) {
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

void brink_page_notes(brink_text *text, const brink_fit_result *r) {
  for (size_t k = 0; k < r->nnotes; k++) {
    brink_text_add(text, "<p class=\"note\">");
    brink_page_words(text, r->notes[k]);
    brink_text_add(text, "</p>\n");
  }
}

/* ---- figures ---- */

static double across(const brink_figure *f, double t) {
  return LEFT + (t - f->t0) / (f->t1 - f->t0) * (WIDTH - LEFT - RIGHT);
}

static double up(const brink_figure *f, double y) {
  return HEIGHT - BOTTOM - (y - f->y0) / (f->y1 - f->y0) * (HEIGHT - TOP - BOTTOM);
}

void brink_figure_see(brink_figure *f, double t, double y) {
  f->t0 = fmin(f->t0, t);
  f->t1 = fmax(f->t1, t);
  f->y0 = fmin(f->y0, y);
  f->y1 = fmax(f->y1, y);
}

brink_figure brink_figure_open(brink_text *text) {
  return (brink_figure){.text = text,
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

void brink_figure_begin(brink_figure *f) {
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

void brink_figure_datum(const brink_figure *f, double t, double y, double half) {
  if (half > 0.0)
    brink_text_add(f->text, "<line class=\"bar\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                   across(f, t), across(f, t), up(f, y - half), up(f, y + half));
  brink_text_add(f->text, "<circle class=\"datum\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n",
                 across(f, t), up(f, y));
}

void brink_figure_curve(const brink_figure *f, const double *t, const double *y, size_t count) {
  brink_text_add(f->text, "<polyline class=\"curve\" points=\"");
  for (size_t k = 0; k < count; k++)
    brink_text_add(f->text, "%.2f,%.2f ", across(f, t[k]), up(f, y[k]));
  brink_text_add(f->text, "\"/>\n");
}

void brink_figure_instant(const brink_figure *f, double t) {
  brink_text_add(f->text, "<line class=\"bar\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%g\" y2=\"%g\"/>\n",
                 across(f, t), across(f, t), TOP, HEIGHT - BOTTOM);
}

/* ---- curves ---- */

size_t brink_fit_trace(brink_fit *fit, const char *name, double from, double to, double *t,
                       double *y, brink_text *text) {
  brink_run *run = NULL;
  brink_diag diag;
  brink_value value = {0};
  size_t count = 0;
  brink_status status = brink_run_create(fit->model, &fit->options, NULL, &diag, &run);
  if (status == BRINK_OK) status = brink_run_find(run, name, &value, &diag);
  for (size_t k = 0; k < BRINK_TRACE_POINTS && status >= 0 && status != BRINK_STOPPED; k++) {
    double aim = from + (to - from) * (double)k / (double)(BRINK_TRACE_POINTS - 1);
    status = brink_run_to(run, aim, &diag);
    if (status < 0) break;
    t[count] = brink_run_time(run);
    y[count++] = brink_run_value(run, value);
  }
  brink_run_destroy(run);
  if (status == BRINK_ERR_MEMORY) text->failed = true;
  return count;
}
