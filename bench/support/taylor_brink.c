/* taylor_brink.c: Brink's side of bench/taylor.c: from the text of a model to machine code, as the
 * program does it, and the same simulation run over and over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/flatten.h"
#include "native/native.h"
#include "support/taylor_problem.h"

/* One instance of the model. */
typedef struct program {
  brink_system *system;
  brink_instance *instance;
  brink_sim *sim;
} program;

/* What a Poincaré section leaves behind. */
enum { RECORDS = 4096 };
typedef struct record {
  double t, x[TAYLOR_STATES];
} record;

typedef struct side {
  taylor_solver solver; /* first: a side is a solver */
  brink_unit *unit;
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

static char *read_text(const char *path, size_t *length, const char **reason, void *user) {
  const char *text = ((const side *)user)->solver.problem->model;
  (void)path;
  *length = strlen(text);
  char *copy = malloc(*length + 1);
  if (copy == NULL)
    *reason = "out of memory";
  else
    memcpy(copy, text, *length + 1);
  return copy;
}

static void report(brink_unit *unit) {
  brink_text text = {0};
  brink_report_sort(unit);
  for (size_t k = 0; k < unit->nitems; k++) brink_report_render(unit, &unit->items[k], &text);
  if (text.data != NULL) fputs(text.data, stderr);
  brink_text_free(&text);
}

static bool parse(side *self) {
  brink_reader reader = {.read = read_text, .user = self};
  bool unreadable = false;
  const char *reason = NULL;
  self->unit = brink_unit_parse(self->solver.problem->name, &reader, NULL, &unreadable, &reason);
  if (self->unit == NULL || unreadable) return false;
  brink_unit_check(self->unit);
  if (self->unit->nerrors == 0) return true;
  report(self->unit);
  return false;
}

static bool flatten(side *self, size_t which, program *made) {
  const taylor_problem *problem = self->solver.problem;
  char words[TAYLOR_PARAMETERS][64];
  const char *sets[TAYLOR_PARAMETERS];
  for (size_t k = 0; k < problem->nparameters; k++) {
    snprintf(words[k], sizeof words[k], "%s=%.17g", problem->parameters[k],
             problem->cases[which].p[k]);
    sets[k] = words[k];
  }
  made->system = brink_flatten(
      self->unit, &(brink_flatten_options){.sets = sets, .nsets = problem->nparameters, .seed = 1},
      NULL);
  if (made->system == NULL) report(self->unit);
  return made->system != NULL;
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
  brink_options options = brink_default_options();
  options.method = method;
  options.rtol = options.atol = setup->tolerance;
  options.audit = setup->audit;
  brink_instance_options wishes = {.cache = setup->cache,
                                   .rtol = setup->tolerance,
                                   .atol = setup->tolerance,
                                   .seed = 1,
                                   .wants_flow_jet = method != BRINK_ADAMS};
  if (!flatten(self, which, made) ||
      brink_instance_create(made->system, &wishes, NULL, &self->diag, &made->instance) !=
          BRINK_OK ||
      brink_sim_create(brink_instance_model(made->instance), &options, NULL, &self->diag,
                       &made->sim) != BRINK_OK)
    return false;
  if (self->solver.problem->kind == TAYLOR_HENON)
    brink_sim_set_sink(made->sim, &(brink_sink){.event = keep_event, .user = self});
  if (which == 0) self->solver.compile_seconds = brink_instance_compile_seconds(made->instance);
  if (strcmp(brink_instance_engine(made->instance), "interpreter") != 0) return true;
  fprintf(stderr, "%s: no compiler works, so there is nothing to compare\n",
          self->solver.problem->name);
  return false;
}

static void close_side(taylor_solver *solver) {
  side *self = (side *)solver;
  for (size_t k = 0; self->programs != NULL && k < self->nprograms; k++) {
    brink_sim_destroy(self->programs[k].sim);
    brink_instance_destroy(self->programs[k].instance);
    brink_system_destroy(self->programs[k].system);
  }
  brink_unit_destroy(self->unit);
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
    self->status = brink_sim_set_state(p->sim, problem->cases[which].x, &self->diag);
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
                            .steps = (long)stats->steps,
                            .rhs = (long)stats->rhs,
                            .events = (long)stats->events,
                            .past = (long)stats->rhs_past_guard};
  memcpy(answer->x, brink_sim_state(sim), solver->problem->nx * sizeof(double));
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
  bool ok = self->programs != NULL && parse(self);
  for (size_t k = 0; ok && k < self->nprograms; k++) ok = make_program(self, k, found, setup);
  if (ok) return &self->solver;
  fprintf(stderr, "%s: %s cannot be set up: %s\n", problem->name, method, self->diag.message);
  close_side(&self->solver);
  return NULL;
}
