/* taylor_brink.c: Brink's side of bench/taylor.c: from the text of a model to machine code, as the
 * program does it, and the same simulation run over and over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "sim/sim.h"
#include "support/taylor_problem.h"

/* One instance of the model. */
typedef struct program {
  brink_run *run;
  brink_sim *sim; /* of the run: it is driven directly, without records */
} program;

/* What a Poincaré section leaves behind. */
enum { RECORDS = 4096 };
typedef struct record {
  double t, x[TAYLOR_STATES];
} record;

typedef struct side {
  taylor_solver solver; /* first: a side is a solver */
  brink_hsml *model;
  program *programs; /* one, or one for each case */
  size_t nprograms;
  const program *last;
  brink_status status;
  brink_diag diag;
  size_t nrecords;
  record records[RECORDS];
} side;

/* ---- methods ---- */

static bool find_method(const char *name, brink_method *method) {
  for (int k = 0; strcmp(brink_method_name((brink_method)k), "unknown") != 0; k++) {
    *method = (brink_method)k;
    if (strcmp(brink_method_name(*method), name) == 0) return true;
  }
  return false;
}

bool taylor_has_method(const char *method) {
  brink_method found;
  return find_method(method, &found);
}

/* ---- making it ---- */

static void report(brink_hsml *model) {
  const brink_hsml_message *messages;
  size_t count = model != NULL ? brink_hsml_messages(model, &messages) : 0;
  for (size_t k = 0; k < count; k++) fputs(messages[k].rendered, stderr);
}

static bool load(side *self) {
  brink_hsml_def def = brink_default_hsml();
  def.path = self->solver.problem->name;
  def.text = self->solver.problem->model;
  if (brink_hsml_load(&def, NULL, &self->diag, &self->model) == BRINK_OK) return true;
  report(self->model);
  return false;
}

static bool set_parameters(side *self, size_t which) {
  const taylor_problem *problem = self->solver.problem;
  bool fine = true;
  for (size_t k = 0; fine && k < problem->nparameters; k++)
    fine = brink_hsml_set(self->model, problem->parameters[k], problem->cases[which].p[k],
                          &self->diag) == BRINK_OK;
  return fine;
}

static int keep_event(const brink_event_record *event, void *user) {
  side *self = user;
  if (event->event.direction != BRINK_POSITIVE || self->nrecords == RECORDS) return 0;
  record *to = &self->records[self->nrecords++];
  to->t = event->event.t;
  memcpy(to->x, event->x_before, self->solver.problem->nx * sizeof(double));
  return 0;
}

static bool make_program(side *self, size_t which, brink_method method, const taylor_setup *setup) {
  program *made = &self->programs[which];
  brink_run_options options = brink_default_run();
  options.sim.method = method;
  options.sim.rtol = options.sim.atol = setup->tolerance;
  options.sim.audit = setup->audit;
  options.cache = setup->cache;
  options.native = true; /* nothing is measured before it is there */
  options.writable = BRINK_WRITE_STATES;
  options.clocks = BRINK_CLOCKS_ONE;
  if (!set_parameters(self, which) ||
      brink_run_create(self->model, &options, NULL, &self->diag, &made->run) != BRINK_OK) {
    report(self->model);
    return false;
  }
  made->sim = made->run->sim;
  made->sim->options.max_steps = 0;
  if (self->solver.problem->kind == TAYLOR_HENON)
    brink_sim_set_sink(made->sim, &(brink_sink){.event = keep_event, .user = self});
  brink_run_info info = brink_run_information(made->run);
  if (which == 0) self->solver.compile_seconds = info.compile_seconds;
  if (strcmp(info.engine, "interpreter") != 0) return true;
  fprintf(stderr, "%s: no compiler works, so there is nothing to compare\n",
          self->solver.problem->name);
  return false;
}

static void close_side(taylor_solver *solver) {
  side *self = (side *)solver;
  for (size_t k = 0; self->programs != NULL && k < self->nprograms; k++) {
    brink_run_destroy(self->programs[k].run);
  }
  brink_hsml_destroy(self->model);
  free(self->programs);
  free(self);
}

/* ---- running ---- */

static bool run(taylor_solver *solver, size_t which) {
  side *self = (side *)solver;
  const taylor_problem *problem = solver->problem;
  const program *p = &self->programs[self->nprograms > 1 ? which : 0];
  self->last = p;
  self->nrecords = 0;
  self->status = brink_sim_reset(p->sim, &self->diag);
  if (self->status >= 0 && problem->starts)
    self->status = brink_sim_set_state(
        p->sim, problem->start != NULL ? problem->start : problem->cases[which].x, &self->diag);
  if (self->status >= 0) self->status = brink_sim_run(p->sim, problem->t_end, &self->diag);
  return self->status >= 0;
}

static void answer_of(taylor_solver *solver, taylor_answer *answer) {
  side *self = (side *)solver;
  const brink_sim *sim = self->last->sim;
  const brink_stats *stats = brink_sim_stats(sim);
  *answer = (taylor_answer){.ok = self->status >= 0,
                            .ended = self->status == BRINK_STOPPED,
                            .t = brink_sim_time(sim),
                            .x = brink_sim_state(sim),
                            .method = brink_method_name(stats->method),
                            .steps = (long)stats->steps,
                            .rhs = (long)stats->rhs,
                            .events = (long)stats->events,
                            .past = (long)stats->rhs_past_guard};
  if (!answer->ok)
    fprintf(stderr, "%s: t = %.17g: %s\n", solver->problem->name, answer->t, self->diag.message);
}

taylor_solver *taylor_open_brink(const taylor_problem *problem, const char *method,
                                 const taylor_setup *setup) {
  brink_method found;
  if (!find_method(method, &found)) return NULL;
  side *self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->solver =
      (taylor_solver){.problem = problem, .run = run, .answer = answer_of, .close = close_side};
  self->nprograms = problem->nparameters > 0 ? problem->ncases : 1;
  self->programs = calloc(self->nprograms, sizeof *self->programs);
  bool ok = self->programs != NULL && load(self);
  for (size_t k = 0; ok && k < self->nprograms; k++) ok = make_program(self, k, found, setup);
  if (ok) return &self->solver;
  fprintf(stderr, "%s: %s cannot be set up: %s\n", problem->name, method, self->diag.message);
  close_side(&self->solver);
  return NULL;
}
