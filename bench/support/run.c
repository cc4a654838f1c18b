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

typedef struct session {
  const bench_problem *problem;
  brink_model *model;
  brink_sim *sim;
  brink_diag diag;
} session;

static bool open_session(session *self, bench_subject subject, double tolerance) {
  bool bilateral = subject == BENCH_BILATERAL || subject == BENCH_REFERENCE;
  bool looks_ahead = subject == BENCH_BILATERAL || subject == BENCH_UNILATERAL;
  brink_options options = brink_default_options();
  options.rtol = options.atol = tolerance;
  options.events = looks_ahead ? BRINK_EXTRAPOLATE : BRINK_INTERPOLATE;
  options.method = subject == BENCH_REFERENCE ? BRINK_DOPRI : BRINK_ADAMS;
  self->model = make_model(self->problem, bilateral, &self->diag);
  return self->model != NULL &&
         brink_sim_create(self->model, &options, NULL, &self->diag, &self->sim) == BRINK_OK;
}

static void close_session(session *self, bench_run *run) {
  if (!run->ok) fprintf(stderr, "%s: brink: %s\n", self->problem->name, self->diag.message);
  if (self->sim != NULL) {
    const brink_stats *stats = brink_sim_stats(self->sim);
    run->steps = (double)stats->steps;
    run->rhs = (double)stats->rhs;
    run->guards = (double)stats->guards;
    run->events = (double)stats->events;
  }
  brink_sim_destroy(self->sim);
  brink_model_destroy(self->model);
}

static bench_run run_brink(const bench_problem *problem, bench_subject subject, double tolerance,
                           bench_trace *trace) {
  bench_run run = {.ok = false};
  session self = {.problem = problem};
  if (open_session(&self, subject, tolerance)) {
    if (trace != NULL)
      brink_sim_set_sink(self.sim, &(brink_sink){.event = trace_event, .user = trace});
    double start = bench_now();
    run.ok = brink_sim_run(self.sim, problem->t_end, &self.diag) >= 0;
    run.seconds = bench_now() - start;
    if (trace != NULL) {
      trace->t_final = brink_sim_time(self.sim);
      memcpy(trace->x_final, brink_sim_state(self.sim), problem->def->nx * sizeof(double));
    }
  }
  close_session(&self, &run);
  return run;
}

bench_run bench_run_pieces(const bench_problem *problem, bench_subject subject, double tolerance,
                           int pieces, double *seconds) {
  bench_run run = {.ok = false};
  session self = {.problem = problem};
  run.ok = open_session(&self, subject, tolerance);
  for (int k = 0; k < pieces && run.ok; k++) {
    double start = bench_now();
    run.ok = brink_sim_run(self.sim, problem->t_end * (k + 1) / pieces, &self.diag) >= 0;
    double piece = bench_now() - start;
    run.seconds += piece;
    seconds[k] = fmin(seconds[k], piece);
  }
  close_session(&self, &run);
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
