/* verdict.c: the judge judges itself. The model is run at one step, at half of it, at a quarter, … until two runs in a
 * row have the same events and nearly the same numbers; their difference is the error, and is extrapolated away. Then
 * it is run from starts that are moved a little: how much comes out of that is the condition of the model. A model
 * whose events change by it has no answer that a tolerance could decide, and is set apart. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

#define FIRST_STEP (1.0 / 16.0)
enum { HALVINGS = 6 };
#define CLOSE 1e-7 /* two runs agree to this: the better one is good */
#define MOVED 1e-7 /* how far the start is moved, relative to 1 + |x| */
#define GAIN 1e4   /* more than this is ill-posed */

/* The event of `b` that is the same occurrence of the same flag; NULL: none. */
static const judge_event *counterpart(const judge_run *a, size_t k, const judge_run *b) {
  size_t nth = 0;
  for (size_t i = 0; i < k; i++)
    if (strcmp(a->events[i].flag, a->events[k].flag) == 0) nth++;
  for (size_t i = 0; i < b->nevents; i++) {
    if (strcmp(b->events[i].flag, a->events[k].flag) != 0) continue;
    if (nth-- == 0) return &b->events[i];
  }
  return NULL;
}

/* Same ending, same events in the same directions, same modes. */
static bool same_story(const judge_run *a, const judge_run *b) {
  if (a->ending != b->ending || a->nevents != b->nevents || a->nfinals != b->nfinals) return false;
  for (size_t k = 0; k < a->nevents; k++) {
    const judge_event *other = counterpart(a, k, b);
    if (other == NULL || other->direction != a->events[k].direction) return false;
  }
  for (size_t k = 0; k < a->nfinals; k++)
    if (a->finals[k].text != NULL && a->finals[k].text != b->finals[k].text) return false;
  return true;
}

/* The largest difference of times and final numbers. */
static double distance(const judge_run *a, const judge_run *b) {
  double worst = 0.0;
  for (size_t k = 0; k < a->nevents; k++)
    worst = fmax(worst, fabs(a->events[k].t - counterpart(a, k, b)->t) - a->events[k].slack);
  for (size_t k = 0; k < a->nfinals; k++) {
    double size = 1.0 + fabs(a->finals[k].value);
    double difference = fabs(a->finals[k].value - b->finals[k].value) / size;
    if (a->finals[k].text == NULL)
      worst = isnan(difference) ? (double)INFINITY : fmax(worst, difference);
  }
  return worst;
}

static void set_apart(judge_verdict *v, const char *why, const char *reason) {
  v->apart = true;
  v->why = why;
  snprintf(v->reason, sizeof v->reason, "%s", reason);
}

/* Runs that are finer and finer; `v->run` is the last, `before` the one before it. */
static bool converge(const brink_unit *unit, double until, judge_verdict *v, judge_run *before,
                     double *step) {
  *step = FIRST_STEP;
  judge_simulate(unit, until, *step, 0.0, &v->run);
  for (int k = 0; k < HALVINGS; k++) {
    judge_run_free(before);
    *before = v->run;
    *step /= 2.0;
    judge_simulate(unit, until, *step, 0.0, &v->run);
    if (k < 1 || before->ending == JUDGE_UNSURE || v->run.ending == JUDGE_UNSURE) continue;
    if (same_story(before, &v->run) && distance(before, &v->run) < CLOSE) return true;
  }
  if (v->run.ending == JUDGE_UNSURE)
    set_apart(v, strncmp(v->run.reason, "silent", 6) == 0 ? "text is silent" : "judge gives up",
              v->run.reason);
  else
    set_apart(v, "steps differ", "the judge's own runs differ at the smallest step");
  return false;
}

/* Errors of order 4: what is left is a fifteenth of the difference. */
static void extrapolate(judge_verdict *v, const judge_run *before) {
  for (size_t k = 0; k < v->run.nevents; k++) {
    double difference = v->run.events[k].t - counterpart(&v->run, k, before)->t;
    v->time_error[k] = fabs(difference);
    v->run.events[k].t += difference / 15.0;
  }
  for (size_t k = 0; k < v->run.nfinals; k++) {
    double difference = v->run.finals[k].value - before->finals[k].value;
    if (v->run.finals[k].text != NULL) continue;
    v->final_error[k] = fabs(difference);
    v->run.finals[k].value += difference / 15.0;
  }
}

/* From a start that is moved. `last`: as the run at this step was, before it was extrapolated. */
static bool measure_gain(const brink_unit *unit, double until, double step, double moved,
                         const judge_run *last, judge_verdict *v) {
  judge_run run;
  judge_simulate(unit, until, step, moved, &run);
  bool same = run.ending != JUDGE_UNSURE && same_story(last, &run);
  double worst = 0.0;
  for (size_t k = 0; same && k < last->nevents; k++) {
    double gain = fabs(last->events[k].t - counterpart(last, k, &run)->t) / MOVED;
    v->time_gain[k] = fmax(v->time_gain[k], gain);
    worst = fmax(worst, gain);
  }
  for (size_t k = 0; same && k < last->nfinals; k++) {
    if (last->finals[k].text != NULL) continue;
    double gain = fabs(last->finals[k].value - run.finals[k].value) / MOVED;
    v->final_gain[k] = fmax(v->final_gain[k], gain);
    worst = fmax(worst, gain / (1.0 + fabs(last->finals[k].value)));
  }
  judge_run_free(&run);
  if (!same)
    set_apart(v, "start decides", "a start that is moved by 1e-7 has other events");
  else if (worst > GAIN)
    set_apart(v, "ill-conditioned", "a start that is moved changes the end too much");
  return !v->apart;
}

static void assume_gain(judge_verdict *v) {
  for (size_t k = 0; k < v->run.nevents; k++) v->time_gain[k] = 100.0;
  for (size_t k = 0; k < v->run.nfinals; k++) v->final_gain[k] = 100.0;
}

void judge_decide(const brink_unit *unit, double until, bool exact, judge_verdict *v) {
  judge_run before = {0};
  double step;
  *v = (judge_verdict){.why = "", .rough = 1.0};
  if (converge(unit, until, v, &before, &step)) {
    v->time_error = calloc(v->run.nevents + 1, sizeof(double));
    v->time_gain = calloc(v->run.nevents + 1, sizeof(double));
    v->final_error = calloc(v->run.nfinals + 1, sizeof(double));
    v->final_gain = calloc(v->run.nfinals + 1, sizeof(double));
    if (v->time_error == NULL || v->time_gain == NULL || v->final_error == NULL ||
        v->final_gain == NULL)
      abort();
    if (exact) assume_gain(v);
    if (exact || (measure_gain(unit, until, step, MOVED, &v->run, v) &&
                  measure_gain(unit, until, step, -MOVED, &v->run, v)))
      extrapolate(v, &before);
  }
  judge_run_free(&before);
}

void judge_verdict_free(judge_verdict *v) {
  judge_run_free(&v->run);
  free(v->time_error);
  free(v->time_gain);
  free(v->final_error);
  free(v->final_gain);
  *v = (judge_verdict){0};
}
