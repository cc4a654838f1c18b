/* warnings.c: what is odd about a run, in its warnings: at the start initial values that were chosen (chosen.c), inputs that
 * begin late or end early, flags that are past (past.c); on its way a model that looks stiff; at the end values
 * that were not numbers. */
#include <math.h>
#include <stdio.h>

#include "lang/report.h"
#include "run/run.h"

void brink_run_warn(brink_run *run, brink_place place, const char *text, const char *hint) {
  brink_text rendered = {0};
  brink_start_warning *warning = brink_arena_push(
      &run->arena, run->start_warnings, run->nstart_warnings, run->start_warnings_capacity);
  if (warning == NULL) {
    run->journal.failed = true;
    return;
  }
  *warning = (brink_start_warning){.text = brink_arena_text(&run->arena, text)};
  if (place.line > 0)
    brink_report_render_at(run->built->model->unit, BRINK_WARNING, &place, 1, text, hint,
                           &rendered);
  if (rendered.data != NULL) warning->rendered = brink_arena_text(&run->arena, rendered.data);
  if (rendered.failed || run->arena.failed) {
    run->journal.failed = true;
    run->nstart_warnings--;
  }
  brink_text_free(&rendered);
}

/* One that no place in the text has to do with. */
static void warn_of_inputs(brink_run *run, const char *what, double t, const char *then) {
  const brink_inputs *inputs = run->built->inputs;
  brink_text text = {0};
  brink_text_add(&text, "the inputs%s%s %s at t = %.10g: %s", inputs->path != NULL ? " of " : "",
                 inputs->path != NULL ? inputs->path : "", what, t, then);
  if (text.failed)
    run->journal.failed = true;
  else
    brink_run_warn(run, (brink_place){0}, text.data, NULL);
  brink_text_free(&text);
}

void brink_run_check_inputs(brink_run *run) {
  const brink_inputs *inputs = run->built->inputs;
  if (inputs == NULL || inputs->nrows < 2) return; /* one row: they are constant */
  double first = inputs->t[0], last = inputs->t[inputs->nrows - 1],
         from = brink_run_turned(run, run->system->t0);
  double lo = fmin(from, run->until), hi = fmax(from, run->until);
  if (first > lo) warn_of_inputs(run, "begin", first, "before that the first values hold");
  if (last < hi) warn_of_inputs(run, "end", last, "from then on the last values hold");
}

void brink_run_check_stiff(brink_run *run) {
  brink_stiff_record seen;
  if (run->told_stiff || run->sim == NULL || !brink_sim_looks_stiff(run->sim, &seen)) return;
  brink_text text = {0};
  run->told_stiff = true;
  brink_text_add(
      &text,
      "the model looks stiff since t = %.10g: in %d steps of about %.3g the solution was "
      "smooth, and %s can take no longer ones, as the fastest rate is %.3g. Try the "
      "method auto, which changes to bdf, or bdf",
      brink_run_turned(run, seen.since), seen.steps, seen.h,
      brink_method_name(brink_sim_stats(run->sim)->method), seen.rate);
  if (text.failed)
    run->journal.failed = true;
  else
    brink_run_warn(run, (brink_place){0}, text.data, NULL);
  brink_text_free(&text);
}

/* Warnings by name; more of them are counted. */
enum { GAPS_NAMED = 20 };

static void warn_of_gap(brink_run *run, uint32_t variable, const brink_gap *gap) {
  brink_text name = {0}, text = {0};
  brink_system_variable_name(run->system, variable, gap->element, &name);
  brink_text_add(&text, "%s is not a number (nan), first seen at t = %.10g",
                 name.data != NULL ? name.data : "", gap->t);
  if (text.failed || name.failed)
    run->journal.failed = true;
  else
    brink_run_warn(run, run->system->variables[variable].place, text.data, NULL);
  brink_text_free(&name);
  brink_text_free(&text);
}

/* A run that failed has said why: its last values are no news. */
void brink_run_check_gaps(brink_run *run) {
  char text[80];
  size_t found = 0;
  if (!brink_run_has_begun(run)) return;
  if (run->status >= 0) {
    brink_moment now = brink_run_now(run);
    brink_gaps_look(&run->gaps, &run->columns, &now);
    brink_gaps_look(&run->gaps, &run->kept, &now);
  }
  for (uint32_t k = 0; k < run->gaps.count; k++) {
    if (!isnan(run->gaps.of[k].t) && ++found <= GAPS_NAMED) warn_of_gap(run, k, &run->gaps.of[k]);
  }
  if (found <= GAPS_NAMED) return;
  snprintf(text, sizeof text, "%zu more variables are not numbers (nan) somewhere",
           found - GAPS_NAMED);
  brink_run_warn(run, (brink_place){0}, text, NULL);
}

void brink_run_list_warnings(brink_run *run) {
  brink_summary *summary = &run->summary;
  size_t count = 0, others = summary->nwarnings;
  summary->nstart = 0;
  if (run->nstart_warnings == 0) return;
  for (size_t k = 0; k < run->nstart_warnings + others; k++) {
    const char **next = brink_arena_push(&run->arena, run->warnings, count, run->warnings_capacity);
    if (next == NULL) return;
    *next = k < run->nstart_warnings ? run->start_warnings[k].text
                                     : summary->warnings[k - run->nstart_warnings];
  }
  summary->warnings = run->warnings;
  summary->nwarnings = count;
  summary->nstart = run->nstart_warnings;
}
