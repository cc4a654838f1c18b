/* condition.c: brink condition: tables of how far the events of a run can be trusted, and of what another method
 * finds. */
#include <math.h>
#include <string.h>

#include "cli/colour.h"
#include "cli/run.h"
#include "run/conditions.h"

enum { LINES = 20 }; /* differences that are shown */

int cli_condition(const cli_arguments *arguments) {
  return cli_run(arguments);
}

/* ---- conditions ---- */

static int widest(const brink_conditions_report *report) {
  size_t width = strlen("flag");
  for (size_t k = 0; k < report->nlines; k++) {
    size_t length = strlen(report->lines[k].flag);
    if (length > width) width = length;
  }
  return (int)width;
}

static const char *colour_of(brink_posed posed, const cli_colours *c) {
  return posed == BRINK_ILL_POSED    ? c->error
         : posed == BRINK_GRAZING    ? c->warning
         : posed == BRINK_WELL_POSED ? c->good
                                     : c->dim;
}

static void write_number(double value, brink_text *text) {
  if (isnan(value))
    brink_text_add(text, "%-11s  ", "-");
  else
    brink_text_add(text, "%-11.6g  ", value);
}

static void write_line(const brink_condition_line *line, int width, const cli_colours *c,
                       brink_text *text) {
  brink_text_add(text, "  %-14.10g  %s%-*s%s  ", line->t, c->name, width, line->flag, c->plain);
  write_number(line->published, text);
  write_number(line->scaled, text);
  brink_text_add(text, "%s%s%s\n%s", colour_of(line->posed, c), line->verdict, c->plain,
                 line->more);
}

static void write_table(const brink_conditions_report *report, bool events, const cli_colours *c,
                        brink_text *text) {
  int width = widest(report);
  brink_text_add(text, "  %s%-14s  %-*s  %-11s  %-11s  %s%s\n", c->dim, "t", width, "flag",
                 "published", "scaled", "verdict", c->plain);
  for (size_t k = 0; k < report->nlines; k++) {
    if (report->lines[k].event == events) write_line(&report->lines[k], width, c, text);
  }
}

void cli_conditions_show(const brink_run *run, const cli_colours *c, brink_text *text) {
  const brink_conditions_report *report = run->conditions;
  size_t silent = 0, shown = 0;
  for (size_t k = 0; k < report->nlines; k++) {
    silent += !report->lines[k].event;
    shown += report->lines[k].event;
  }
  brink_text_add(text, "\n%s%zu event%s%s", c->bold, report->nevents,
                 report->nevents == 1 ? "" : "s", c->plain);
  for (size_t k = 0; k <= BRINK_UNJUDGED; k++) {
    if (report->counts[k] > 0)
      brink_text_add(text, ", %zu %s", report->counts[k], brink_posed_name((brink_posed)k));
  }
  brink_text_add(text, "\n");
  if (shown > 0) write_table(report, true, c, text);
  if (report->nevents > shown)
    brink_text_add(text, "  and %zu more: --json has all of them\n", report->nevents - shown);
  if (silent == 0) return;
  brink_text_add(text, "\n%sapproaches that no event followed%s\n", c->bold, c->plain);
  write_table(report, false, c, text);
}

/* ---- another method ---- */

static void write_error(double error, const char *whose, brink_text *text) {
  if (isfinite(error))
    brink_text_add(text, "%.2g", error);
  else
    brink_text_add(text, "unknown (%s coarser run has no such event)", whose);
}

static void write_difference(const brink_run *run, const brink_disagreement *d, const char *method,
                             brink_text *text) {
  brink_text name = {0};
  brink_comparison_label(run, d, &name);
  brink_text_add(text, "  %s: ", name.data != NULL ? name.data : "");
  if (d->there == NULL)
    brink_text_add(text, "t = %.10g, which %s does not have\n", d->here->t, method);
  else if (d->here == NULL)
    brink_text_add(text, "%s alone has it, at t = %.10g\n", method, d->there->t);
  else {
    brink_text_add(text, "t = %.10g, by %s %.10g; errors ", d->here->t, method, d->there->t);
    write_error(d->error_here, "its", text);
    brink_text_add(text, " and ");
    write_error(d->error_there, "its", text);
    brink_text_add(text, ": at least one is off by %.2g\n", 0.5 * brink_comparison_distance(d));
  }
  text->failed = text->failed || name.failed;
  brink_text_free(&name);
}

void cli_comparison_show(const brink_run *run, const cli_colours *c, brink_text *text) {
  const brink_comparison *a = run->comparison;
  if (a == NULL) return;
  const char *method = brink_method_name(a->options.method);
  size_t n = a->ndifferences;
  brink_text_add(text, "\n%sagainst %s%s", c->bold, method, c->plain);
  if (a->options.step > 0.0) brink_text_add(text, ", step %g", a->options.step);
  brink_text_add(text, ": %zu event%s within both errors, %zu not\n", a->nagreeing,
                 a->nagreeing == 1 ? "" : "s", n);
  for (size_t k = 0; k < n && k < LINES; k++)
    write_difference(run, &a->differences[k], method, text);
  if (n > LINES) brink_text_add(text, "  and %zu more: --json has all of them\n", n - LINES);
  for (int k = 0; k < 2; k++) {
    if (!a->fine[k].complete)
      brink_text_add(text, "  compared until t = %.10g, where %s ends\n", a->fine[k].end,
                     k == 1 ? method : "the run");
  }
}
