/* run.c: one run by Brink; errors. */
#include "support/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *bench_subject_name(bench_subject subject) {
  static const char *const names[BENCH_SUBJECTS] = {
      [BENCH_CVODE] = "cvode",           [BENCH_BILATERAL] = "bilateral",
      [BENCH_UNILATERAL] = "unilateral", [BENCH_INTERPOLATE] = "interpolate",
      [BENCH_REFERENCE] = "reference",
  };
  return names[subject];
}

bool bench_has_unilateral(const bench_problem *problem) {
  for (size_t k = 0; k < problem->def->nguards; k++) {
    if (problem->def->guards[k].side == BRINK_UNILATERAL) return true;
  }
  return false;
}

static int trace_event(const brink_event_record *record, void *user) {
  bench_trace *trace = user;
  if (record->event.kind == BRINK_JUMPED || trace->nevents == BENCH_MAX_EVENTS) return 0;
  trace->guard[trace->nevents] = record->event.guard;
  trace->t[trace->nevents++] = record->event.t;
  return 0;
}

static brink_model *make_model(const bench_problem *problem, bool bilateral, brink_diag *diag) {
  brink_model_def def = *problem->def;
  brink_guard_def *guards = calloc(def.nguards + 1, sizeof *guards);
  brink_model *model = NULL;
  if (guards == NULL) return NULL;
  if (def.nguards > 0) memcpy(guards, def.guards, def.nguards * sizeof *guards);
  for (size_t k = 0; bilateral && k < def.nguards; k++) guards[k].side = BRINK_BILATERAL;
  def.guards = guards;
  brink_model_create(&def, NULL, diag, &model);
  free(guards);
  return model;
}

static void finish(const brink_sim *sim, size_t nx, bench_run *run, bench_trace *trace) {
  const brink_stats *stats = brink_sim_stats(sim);
  run->steps = (double)stats->steps;
  run->rhs = (double)stats->rhs;
  run->guards = (double)stats->guards;
  run->events = (double)stats->events;
  if (trace == NULL) return;
  trace->t_final = brink_sim_time(sim);
  memcpy(trace->x_final, brink_sim_state(sim), nx * sizeof(double));
}

static bench_run run_brink(const bench_problem *problem, bench_subject subject, double tolerance,
                           bench_trace *trace) {
  bench_run run = {.ok = false};
  brink_diag diag;
  brink_sim *sim = NULL;
  bool bilateral = subject == BENCH_BILATERAL || subject == BENCH_REFERENCE;
  bool looks_ahead = subject == BENCH_BILATERAL || subject == BENCH_UNILATERAL;
  brink_options options = brink_default_options();
  options.rtol = options.atol = tolerance;
  options.events = looks_ahead ? BRINK_EXTRAPOLATE : BRINK_INTERPOLATE;
  options.method = subject == BENCH_REFERENCE ? BRINK_DOPRI : BRINK_ADAMS;
  brink_model *model = make_model(problem, bilateral, &diag);
  if (model == NULL || brink_sim_create(model, &options, NULL, &diag, &sim) != BRINK_OK)
    goto cleanup;
  if (trace != NULL) brink_sim_set_sink(sim, &(brink_sink){.event = trace_event, .user = trace});
  double start = bench_now();
  brink_status status = brink_sim_run(sim, problem->t_end, &diag);
  run.seconds = bench_now() - start;
  run.ok = status >= 0;
  finish(sim, problem->def->nx, &run, trace);
cleanup:
  if (!run.ok) fprintf(stderr, "%s: brink: %s\n", problem->name, diag.message);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return run;
}

bench_run bench_run_once(const bench_problem *problem, bench_subject subject, double tolerance,
                         bench_trace *trace) {
  if (trace != NULL) trace->nevents = 0;
  return subject == BENCH_CVODE ? bench_run_cvode(problem, tolerance, trace)
                                : run_brink(problem, subject, tolerance, trace);
}

double bench_error(const bench_problem *problem, const bench_trace *trace,
                   const bench_trace *reference) {
  double horizon = problem->horizon > 0 ? problem->horizon : (double)INFINITY, worst = 0;
  size_t count = reference->nevents > trace->nevents ? reference->nevents : trace->nevents;
  for (size_t k = 0; k < count; k++) {
    bool late = (k >= trace->nevents || trace->t[k] > horizon) &&
                (k >= reference->nevents || reference->t[k] > horizon);
    if (late && problem->horizon > 0) break;
    if (k >= trace->nevents || k >= reference->nevents || trace->guard[k] != reference->guard[k])
      return INFINITY;
    worst = fmax(worst, fabs(trace->t[k] - reference->t[k]) / problem->time_scale);
  }
  for (size_t i = 0; problem->horizon <= 0 && i < problem->def->nx; i++) {
    double x = reference->x_final[i];
    worst = fmax(worst, fabs(trace->x_final[i] - x) / (1 + fabs(x)));
  }
  return worst;
}
