/* page_design.c: the result of a design as one page: the outcome, knobs, conditions, what the expressions are of over time, and
 * where the starts ended. */
#include <math.h>
#include <string.h>

#include "fit/figure.h"

static void put_cell(brink_text *text, const char *words) {
  brink_text_add(text, "<td>");
  brink_page_words(text, words);
  brink_text_add(text, "</td>");
}

static void put_summary(brink_text *text, const brink_fit_result *r) {
  brink_text_add(text, "<h1>Design</h1>\n<p>%s <b>", r->maximized ? "Largest" : "Smallest");
  brink_page_words(text, r->objective);
  brink_text_add(text, " = %.8g</b>, %s. %s; %zu runs", r->outcome,
                 r->converged  ? "converged"
                 : r->feasible ? "not converged"
                               : "but conditions do not hold",
                 r->method, r->runs);
  if (r->derivative_runs > 0)
    brink_text_add(text, ", %zu of them with derivatives", r->derivative_runs);
  brink_text_add(text, ", from %zu starts.</p>\n", r->nstarts);
}

static void put_knobs(brink_text *text, const brink_fit *fit) {
  const brink_fit_result *r = &fit->result;
  brink_text_add(text, "<h2>Knobs</h2>\n<table><tr><th>knob</th><th>value</th><th>bounds</th>"
                       "<th></th></tr>\n");
  for (size_t k = 0; k < r->nknobs; k++) {
    brink_text_add(text, "<tr>");
    put_cell(text, r->values[k].name);
    brink_text_add(text, "<td>%.8g</td><td>%g … %g%s</td><td>%s</td></tr>\n", r->values[k].value,
                   fit->knobs[k].lo, fit->knobs[k].hi, fit->knobs[k].log ? ", logarithmic" : "",
                   r->values[k].at_bound ? "at its bound" : "");
  }
  brink_text_add(text, "</table>\n");
}

static void put_conditions(brink_text *text, const brink_fit_result *r) {
  if (r->nconditions == 0) return;
  brink_text_add(text, "<h2>Conditions</h2>\n<table><tr><th>condition</th><th>left</th>"
                       "<th>right</th><th></th></tr>\n");
  for (size_t k = 0; k < r->nconditions; k++) {
    const brink_fit_condition *one = &r->conditions[k];
    brink_text_add(text, "<tr>");
    put_cell(text, one->text);
    brink_text_add(text, "<td>%.8g</td><td>%.8g</td><td>%s</td></tr>\n", one->left, one->right,
                   one->holds ? "holds" : "does not hold");
  }
  brink_text_add(text, "</table>\n");
}

/* ---- over time ---- */

typedef struct instants {
  const brink_measures *measures;
  brink_text *text; /* of doubles */
} instants;

/* Of flags that expressions name; "car.hit" is also car[3].hit. */
static bool is_named(const brink_measures *m, const char *flag) {
  for (size_t k = 0; k < m->nflags; k++) {
    const char *a = m->flags[k], *b = flag;
    while (*a != '\0' && *b != '\0') {
      if (*b == '[' && *a != '[') {
        b += strcspn(b, "]");
        if (*b == ']') b++;
      } else if (*a++ != *b++) {
        break;
      }
    }
    if (*a == '\0' && *b == '\0') return true;
  }
  return false;
}

static int on_event(brink_run *run, const brink_run_event *event, void *user) {
  const instants *i = user;
  (void)run;
  if (is_named(i->measures, event->flag))
    brink_text_append(i->text, (const char *)&event->t, sizeof event->t);
  return 0;
}

/* Times of the events that expressions name, as doubles in a text. */
static void find_instants(brink_fit *fit, brink_text *times) {
  brink_run *run = NULL;
  brink_diag diag;
  instants i = {.measures = &fit->measures, .text = times};
  brink_status status = brink_run_create(fit->model, &fit->options, NULL, &diag, &run);
  if (status == BRINK_OK) {
    brink_run_observe(run, &(brink_run_observer){.event = on_event, .user = &i});
    brink_run_to(run, fit->options.until, &diag);
    brink_run_finish(run, &diag);
  }
  brink_run_destroy(run);
}

static void put_quantity(brink_fit *fit, const char *name, const brink_text *times,
                         brink_text *text) {
  double t[BRINK_TRACE_POINTS], y[BRINK_TRACE_POINTS], at;
  double from = isnan(fit->options.from) ? 0.0 : fit->options.from;
  size_t count = brink_fit_trace(fit, name, from, fit->options.until, t, y, text);
  brink_figure f = brink_figure_open(text);
  for (size_t k = 0; k < count; k++)
    if (isfinite(y[k])) brink_figure_see(&f, t[k], y[k]);
  if (!(f.t1 > f.t0)) return; /* a text, or a run of no length */
  brink_text_add(text, "<h3>");
  brink_page_words(text, name);
  brink_text_add(text, "</h3>\n");
  brink_figure_begin(&f);
  for (size_t k = 0; k < times->length; k += sizeof at) {
    memcpy(&at, times->data + k, sizeof at);
    if (at >= f.t0 && at <= f.t1) brink_figure_instant(&f, at);
  }
  brink_figure_curve(&f, t, y, count);
  brink_text_add(text, "</svg>\n");
}

static void put_course(brink_fit *fit, brink_text *text) {
  const brink_measures *m = &fit->measures;
  brink_text times = {0};
  if (m->nnames == 0) return;
  find_instants(fit, &times);
  brink_text_add(text, "<h2>The run</h2>\n<p>What the expressions are of, over time%s.</p>\n",
                 m->nflags > 0 ? "; upright lines are events that they name" : "");
  for (size_t k = 0; k < m->nnames; k++) put_quantity(fit, m->names[k], &times, text);
  if (times.failed) text->failed = true;
  brink_text_free(&times);
}

/* ---- starts ---- */

static void put_starts(brink_text *text, const brink_fit_result *r) {
  brink_text_add(text, "<h2>Starts</h2>\n<table><tr><th>start</th>");
  for (size_t k = 0; k < r->nknobs; k++) {
    brink_text_add(text, "<th>");
    brink_page_words(text, r->values[k].name);
    brink_text_add(text, "</th>");
  }
  brink_text_add(text, "<th>outcome</th><th>runs</th></tr>\n");
  for (size_t s = 0; s < r->nstarts; s++) {
    const brink_fit_start *start = &r->starts[s];
    brink_text_add(text, "<tr><td>%zu%s</td>", s + 1, s == r->best ? ", the best" : "");
    for (size_t k = 0; k < r->nknobs; k++)
      brink_text_add(text, "<td>%.5g → %.5g</td>", start->values[k], start->found[k]);
    if (isnan(start->sum))
      brink_text_add(text, "<td>-</td>");
    else
      brink_text_add(text, "<td>%.8g</td>", start->sum);
    brink_text_add(text, "<td>%zu</td></tr>\n", start->runs);
  }
  brink_text_add(text, "</table>\n");
}

void brink_page_design(brink_fit *fit, brink_text *text) {
  const brink_fit_result *r = &fit->result;
  put_summary(text, r);
  brink_page_notes(text, r);
  put_knobs(text, fit);
  put_conditions(text, r);
  put_course(fit, text);
  put_starts(text, r);
}
