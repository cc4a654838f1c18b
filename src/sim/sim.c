/* sim.c: making, asking and changing a simulation. The loop itself is in loop.c. */
#include "sim/sim.h"
#include "base/definition.h"
#include "model/constraint.h"
#include "num/order.h"
#include "sim/delay.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *brink_method_name(brink_method method) {
  switch (method) {
#define BRINK_METHOD_CASE(name, text)                                                              \
  case name:                                                                                       \
    return text;
    BRINK_METHOD_LIST(BRINK_METHOD_CASE)
#undef BRINK_METHOD_CASE
  }
  return "unknown";
}

const char *brink_events_name(brink_events events) {
  switch (events) {
#define BRINK_EVENTS_CASE(name, text)                                                              \
  case name:                                                                                       \
    return text;
    BRINK_EVENTS_LIST(BRINK_EVENTS_CASE)
#undef BRINK_EVENTS_CASE
  }
  return "unknown";
}

static const brink_options options_defaults = {
    .size = sizeof(brink_options),
    .method = BRINK_AUTO,
    .events = BRINK_EXTRAPOLATE,
    .rtol = 1e-6,
    .atol = 1e-9,
    .max_order = 12,
    .hmax = INFINITY,
    .gain = BRINK_GAIN_MARGIN,
    .gamma = 0.5,
    .mnm_parts = 10,
    .near_miss = 1000.0,
    .zeno = BRINK_ZENO_STOP,
    .max_iterations = 100,
};

void brink_options_defaults(brink_options *options, size_t size) {
  brink_definition_fill(options, size, &options_defaults, sizeof options_defaults);
}

brink_status brink_sim_fail(const brink_sim *sim, brink_diag *diag, brink_reason reason,
                            brink_arguments arguments) {
  arguments.t = sim->t;
  arguments.h = sim->stepper.h;
  return brink_fail(diag, sim->model, reason, &arguments);
}

/* ---- calls ---- */

brink_status brink_sim_not_inside(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                        "not from inside a callback: the simulation is under way, and may only be "
                        "read there. Actions change states through what they are given");
}

brink_status brink_sim_enter(brink_sim *sim, brink_diag *diag) {
  brink_diag_clear(diag);
  if (sim == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "sim must not be NULL");
  if (sim->busy) return brink_sim_not_inside(diag);
  sim->busy = true;
  return BRINK_OK;
}

brink_status brink_sim_leave(brink_sim *sim, brink_status status) {
  sim->busy = false;
  return status;
}

/* ---- options ---- */

#define REFUSE(...) return brink_diag_refuse(diag, BRINK_REASON_OPTION, __VA_ARGS__)

static brink_status check_tolerances(const brink_options *options, const brink_model *model,
                                     brink_diag *diag) {
  if (!(options->rtol >= 0.0) || isinf(options->rtol))
    REFUSE("rtol is %g: give zero or a positive number", options->rtol);
  if (!(options->atol >= 0.0) || isinf(options->atol))
    REFUSE("atol is %g: give zero or a positive number", options->atol);
  for (size_t i = 0; options->atols != NULL && i < model->def.nx; i++) {
    if (!(options->atols[i] >= 0.0) || isinf(options->atols[i]))
      REFUSE("atols[%zu] (for '%s') is %g: give zero or a positive number", i,
             brink_model_state_name(model, i), options->atols[i]);
    if (options->rtol == 0.0 && options->atols[i] == 0.0)
      REFUSE("rtol and atols[%zu] are both 0: no step could ever be accepted", i);
  }
  if (options->atols == NULL && options->rtol == 0.0 && options->atol == 0.0)
    REFUSE("rtol and atol are both 0: no step could ever be accepted");
  return BRINK_OK;
}

static brink_status check_steps(const brink_options *options, brink_diag *diag) {
  if (!(options->step >= 0.0) || isinf(options->step))
    REFUSE("step is %g: give a positive number, or 0 to have it chosen", options->step);
  if (brink_method_has_fixed_step(options->method) && options->step == 0.0)
    REFUSE("%s works at a fixed step: set options.step", brink_method_name(options->method));
  if (!(options->hmin >= 0.0) || isinf(options->hmin))
    REFUSE("hmin is %g: give zero or a positive number", options->hmin);
  if (!(options->hmax > 0.0)) REFUSE("hmax is %g: give a positive number", options->hmax);
  if (options->hmin > options->hmax)
    REFUSE("hmin (%g) is larger than hmax (%g)", options->hmin, options->hmax);
  int most = options->method == BRINK_TAYLOR ? BRINK_PATH_TERMS
             : options->method == BRINK_BDF  ? 5
                                             : 12;
  if (options->order < 0 || options->order > most || options->max_order < 0 ||
      options->max_order > 12)
    REFUSE("order %d, max_order %d: Adams methods have orders 1 to 12, BDF 1 to 5, Taylor series 1 "
           "to %d "
           "(0: automatic)",
           options->order, options->max_order, BRINK_PATH_TERMS);
  return BRINK_OK;
}

static brink_status check_options(const brink_options *options, const brink_model *model,
                                  brink_diag *diag) {
  if ((int)options->method < 0 || options->method > BRINK_BDF)
    REFUSE("method %d is not one of brink_method", (int)options->method);
  if (brink_detector_ops_for(options->events) == NULL)
    REFUSE("events %d is not one of brink_events", (int)options->events);
  if (options->gain < BRINK_GAIN_MARGIN || options->gain > BRINK_GAIN_FIXED)
    REFUSE("gain %d is not one of brink_gain", (int)options->gain);
  if (options->zeno < BRINK_ZENO_STOP || options->zeno > BRINK_ZENO_CONTINUE)
    REFUSE("zeno %d is not one of brink_zeno_choice", (int)options->zeno);
  if (!(options->gamma >= 0.0 && options->gamma < 1.0))
    REFUSE("gamma is %g: a gain is at least 0 and below 1", options->gamma);
  if (!(options->termination >= 0.0) || isinf(options->termination))
    REFUSE("termination is %g: give zero or a positive number", options->termination);
  if (options->mnm_parts < 2) REFUSE("mnm_parts is %d: give 2 or more", options->mnm_parts);
  if (!(options->near_miss >= 0.0)) REFUSE("near_miss is %g: give 0 or more", options->near_miss);
  if (options->max_iterations < 1)
    REFUSE("max_iterations is %d: give 1 or more", options->max_iterations);
  if (options->max_steps < 0) REFUSE("max_steps is negative: give 0 for no limit");
  if (options->method == BRINK_TAYLOR && model->def.nx > 0 && model->def.flow_jet == NULL)
    REFUSE("taylor needs the Taylor series of the solution, and '%s' gives none: set "
           "brink_model_def.flow_jet, build the model of expressions (<brink/build.h>), or choose "
           "BRINK_ADAMS",
           model->def.name);
  bool fixed = options->method >= BRINK_EULER && options->method <= BRINK_TRAPEZOID;
  if (model->def.delays != NULL && fixed)
    return brink_diag_refuse(
        diag, BRINK_REASON_UNSUPPORTED,
        "%s does not follow delayed signals: choose adams, taylor, dopri or bdf",
        brink_method_name(options->method));
  if (model->def.nz > 0 && fixed)
    return brink_diag_refuse(diag, BRINK_REASON_UNSUPPORTED,
                             "%s does not solve constraints: choose adams, taylor, dopri or bdf",
                             brink_method_name(options->method));
  brink_status status = check_tolerances(options, model, diag);
  return status == BRINK_OK ? check_steps(options, diag) : status;
}

/* What BRINK_AUTO stands for. */
/* Guards that are expanded or sampled in every step: no polynomials, and no bound keeps them away. */
static size_t count_dear_guards(const brink_model *model) {
  size_t count = 0;
  for (size_t k = 0; k < model->def.nguards; k++) {
    const brink_guard_def *guard = &model->guards[k].def;
    count += guard->value != NULL && guard->degree == 0 && guard->lipschitz == NULL;
  }
  return count;
}

static brink_method choose_method(const brink_model *model, const char **reason) {
  if (model->def.nx == 0) {
    *reason = "there are no states to integrate";
    return BRINK_ADAMS;
  }
  if (!brink_series_worth(model->def.flow_work, count_dear_guards(model))) {
    *reason = "Taylor series of a model with so many products cost more than they save";
    return BRINK_ADAMS;
  }
  if (model->def.flow_jet == NULL) {
    *reason = "the model gives no Taylor series of its solution";
    return BRINK_ADAMS;
  }
  *reason = "the model gives the Taylor series of its solution";
  return BRINK_TAYLOR;
}

/* A one-sided detector has to know which way a unilateral guard leans. */
static brink_status check_gradients(const brink_options *options, const brink_model *model,
                                    brink_diag *diag) {
  if (options->events != BRINK_EXTRAPOLATE) return BRINK_OK;
  for (size_t k = 0; k < model->def.nguards; k++) {
    const brink_guard *guard = &model->guards[k];
    if (guard->def.side != BRINK_UNILATERAL) continue;
    size_t length = guard->formula == NULL ? 1 : guard->formula_length;
    for (size_t j = 0; j < length; j++) {
      size_t leaf = guard->formula == NULL ? k : guard->formula[j].leaf;
      if (guard->formula != NULL && guard->formula[j].op != 0) continue;
      const brink_guard_def *def = &model->guards[leaf].def;
      if (def->value == NULL || def->coefficients != NULL || def->gradient != NULL ||
          def->jet != NULL)
        continue;
      brink_status status = brink_diag_refuse(
          diag, BRINK_REASON_DEFINITION,
          "guard '%s' is unilateral, and events are found by extrapolation: give it a gradient or "
          "a "
          "jet (or coefficients, if it is linear), or choose BRINK_INTERPOLATE and lose the "
          "one-sidedness",
          def->name);
      if (diag != NULL) diag->guard = leaf;
      return status;
    }
  }
  return BRINK_OK;
}
#undef REFUSE

/* ---- creation ---- */

/* Series have as many terms as their order; a method that stands in for them, or takes over, has rows. */
static int most_terms(const brink_sim *sim) {
  bool series = sim->options.method == BRINK_TAYLOR;
  int order = series ? sim->stepper.order : 0;
  return order > BRINK_PATH_ROWS ? order : BRINK_PATH_ROWS;
}

static bool take_arrays(brink_sim *sim) {
  brink_arena *arena = &sim->arena;
  const brink_model_def *def = &sim->model->def;
  size_t nx = def->nx, n = sim->eval.n, guards = def->nguards;
  sim->events_capacity = guards * 2 + 64;
  sim->path_terms = most_terms(sim);
  size_t vectors = (size_t)sim->path_terms + 1;
  sim->last_memory = brink_arena_take(arena, nx * vectors, sizeof(double));
  /* Only events divide a step. */
  sim->step.rest_memory = brink_arena_take(arena, guards > 0 ? n * vectors : 0, sizeof(double));
  sim->schedule.ticks = brink_arena_take(arena, def->nclocks, sizeof *sim->schedule.ticks);
  sim->schedule.tick = brink_arena_take(arena, def->nclocks, sizeof *sim->schedule.tick);
  sim->schedule.timer = brink_arena_take(arena, def->nclocks, sizeof *sim->schedule.timer);
  sim->schedule.next_time = brink_arena_take(arena, def->nclocks, sizeof *sim->schedule.next_time);
  sim->schedule.timers = brink_arena_take(arena, def->nclocks, sizeof *sim->schedule.timers);
  sim->schedule.waiting.items =
      brink_arena_take(arena, def->nclocks, sizeof *sim->schedule.waiting.items);
  sim->schedule.due.items = brink_arena_take(arena, def->nclocks, sizeof *sim->schedule.due.items);
  sim->instant.located = brink_arena_take(arena, guards, sizeof *sim->instant.located);
  sim->instant.fired = brink_arena_take(arena, guards, sizeof *sim->instant.fired);
  sim->instant.pending = brink_arena_take(arena, guards, sizeof *sim->instant.pending);
  sim->instant.was_enabled = brink_arena_take(arena, guards, sizeof *sim->instant.was_enabled);
  sim->instant.read_sgn = brink_arena_take(arena, guards, sizeof *sim->instant.read_sgn);
  sim->held_from = brink_arena_take(arena, guards, sizeof *sim->held_from);
  sim->instant.arrivals = brink_arena_take(arena, guards, sizeof *sim->instant.arrivals);
  sim->instant.pre_x = brink_arena_take(arena, nx, sizeof(double));
  sim->instant.before_x = brink_arena_take(arena, nx, sizeof(double));
  sim->instant.before_p = brink_arena_take(arena, def->np, sizeof(double));
  sim->instant.pre_p = brink_arena_take(arena, def->np, sizeof(double));
  sim->instant.pre_mode = brink_arena_take(arena, def->nmodes, sizeof(int));
  sim->instant.before_mode = brink_arena_take(arena, def->nmodes, sizeof(int));
  sim->instant.locked_p = brink_arena_take(arena, def->np, sizeof(double));
  sim->instant.locked_mode = brink_arena_take(arena, def->nmodes, sizeof(int));
  sim->instant.field = brink_arena_take(arena, n, sizeof(double));
  sim->instant.settled = brink_arena_take(arena, nx, sizeof(double));
  sim->step.x = brink_arena_take(arena, n, sizeof(double));
  sim->event_x = brink_arena_take(arena, n, sizeof(double));
  sim->instant.shared = brink_arena_take(arena, nx, sizeof(double));
  sim->instant.sgn_kept = brink_arena_take(arena, guards, sizeof *sim->instant.sgn_kept);
  sim->instant.supposed_sgn = brink_arena_take(arena, guards, sizeof *sim->instant.supposed_sgn);
  sim->instant.supposed_enabled =
      brink_arena_take(arena, guards, sizeof *sim->instant.supposed_enabled);
  sim->step.sgn_before = brink_arena_take(arena, guards, sizeof *sim->step.sgn_before);
  sim->events = brink_arena_take(arena, sim->events_capacity, sizeof *sim->events);
  if (def->nz > 0) {
    sim->instant.assigned = brink_arena_take(arena, nx, sizeof(bool));
    sim->chosen = brink_arena_take(arena, nx, sizeof(bool));
    sim->frozen = brink_arena_take(arena, nx, sizeof(bool));
    sim->impulse = brink_arena_take(arena, def->nz, sizeof(double));
  }
  return brink_timers_take(sim, arena);
}

static bool copy_tolerances(brink_sim *sim) {
  size_t nx = sim->model->def.nx;
  sim->atol = brink_arena_take(&sim->arena, nx, sizeof(double));
  if (sim->atol == NULL) return false;
  for (size_t i = 0; i < nx; i++)
    sim->atol[i] = i >= nx - sim->model->def.nz ? (double)INFINITY /* unknowns: no error test */
                   : sim->options.atols != NULL ? sim->options.atols[i]
                                                : sim->options.atol;
  sim->options.atols = sim->atol;
  return true;
}

/* Series begin in the unit of the last ones: not in that of another run. */
static void forget_unit(brink_stepper *st) {
  const brink_stepper_engine *chosen = &st->chosen;
  if (chosen->ops->series == NULL) return;
  size_t length;
  double *unit;
  int *degree;
  chosen->ops->series(chosen->method, &length, &unit, &degree);
  *unit = 1.0;
}

/* The model's initial values, and no guard has a sign yet. */
static void begin_anew(brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  brink_eval *eval = &sim->eval;
  if (def->nx > 0) memcpy(sim->x, def->x0, def->nx * sizeof(double));
  if (def->np > 0) memcpy(eval->p, def->p0, def->np * sizeof(double));
  if (def->nmodes > 0) memcpy(eval->mode, def->mode0, def->nmodes * sizeof(int));
  memset(eval->sgn, 0, def->nguards);
  memset(sim->instant.read_sgn, 0, def->nguards);
  memset(eval->slack, 0, def->nguards * sizeof(double));
  memset(sim->instant.pending, 0, def->nguards * sizeof(bool));
  memset(sim->detector.touched, 0, def->nguards * sizeof(bool));
  memset(sim->detector.high, 0, def->nguards * sizeof(double));
  eval->stats = (brink_stats){.method = sim->options.method, .reason = sim->reason};
  eval->failed_guard = BRINK_NONE;
  sim->t = sim->stepper.t = def->t0;
  sim->nevents = sim->instant.count = sim->instant.narrivals = 0;
  sim->zeno.count = sim->stuck = 0;
  sim->instant.t = (double)NAN;
  sim->phase = BRINK_PHASE_BEGIN;
  sim->grazed = BRINK_NONE;
  sim->flight = (brink_flight){0};
  sim->detour = 0;
  sim->consistent = false;
  sim->led = false;
  sim->last.terms = 0;
  brink_stiff_forget(sim);
  brink_solver_forget(eval->solver);
  forget_unit(&sim->stepper);
  brink_schedule_start(sim);
  brink_delay_forget(sim);
}

static bool build(brink_sim *sim) {
  const brink_detector_ops *ops = brink_detector_ops_for(sim->options.events);
  if (!copy_tolerances(sim) ||
      !brink_eval_init(&sim->eval, sim->model, &sim->arena,
                       ops->needs_paths && sim->options.method != BRINK_TAYLOR) ||
      !brink_stepper_create(&sim->stepper, &sim->options, sim->atol, &sim->eval, &sim->arena) ||
      !brink_detector_create(&sim->detector, &sim->options, sim->atol, &sim->eval, &sim->arena) ||
      (sim->options.audit && !brink_audit_init(&sim->eval, &sim->arena)) || !take_arrays(sim) ||
      !brink_leads_init(sim) || !brink_derivative_init(sim) || !brink_stiff_init(sim) ||
      !brink_delay_init(sim))
    return false;
  brink_solver_tolerances(&sim->eval, sim->options.rtol, sim->atol);
  sim->eval.checks_domain = ops->one_sided;
  sim->x = sim->stepper.x;
  begin_anew(sim);
  return true;
}

brink_status brink_sim_create(const brink_model *model, const brink_options *options,
                              const brink_allocator *allocator, brink_diag *diag, brink_sim **sim) {
  brink_diag_clear(diag);
  if (sim != NULL) *sim = NULL;
  if (sim == NULL || model == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "model and sim must not be NULL");
  brink_options chosen = options_defaults;
  const char *reason = NULL;
  brink_status status = BRINK_OK;
  if (options != NULL)
    status = brink_definition_read(&chosen, sizeof chosen, options, "brink_options", diag);
  if (status != BRINK_OK) return status;
  bool automatic = chosen.method == BRINK_AUTO;
  if (automatic) chosen.method = choose_method(model, &reason);
  status = check_options(&chosen, model, diag);
  if (status == BRINK_OK) status = check_gradients(&chosen, model, diag);
  if (status != BRINK_OK) return status;
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_sim *made = brink_arena_take(&arena, 1, sizeof *made);
  if (made == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  made->arena = arena;
  made->model = model;
  made->options = chosen;
  made->reason = reason;
  /* Whoever gives an order or a step has a method in mind. */
  made->stiffness.may_change = automatic && chosen.order == 0 && chosen.step == 0.0;
  made->stiffness.watches = model->def.nx > 0 && brink_stiff_limits(&chosen);
  if (!build(made)) {
    char what[BRINK_DIAG_MESSAGE / 2];
    snprintf(what, sizeof what, "a simulation of '%s' with %zu states", model->def.name,
             model->def.nx);
    status = brink_diag_no_memory(diag, &made->arena, what);
    brink_sim_destroy(made);
    return status;
  }
  *sim = made;
  return BRINK_OK;
}

void brink_sim_destroy(brink_sim *sim) {
  if (sim == NULL || sim->busy) return;
  brink_delay_release(sim);
  brink_stepper_release(&sim->stepper);
  brink_arena arena = sim->arena; /* the sim itself lives in it */
  brink_arena_free(&arena);
}

/* ---- asking ---- */

void brink_sim_watch(brink_sim *sim, brink_observer *observer) {
  observer->next = sim->observers;
  sim->observers = observer;
}

void brink_sim_unwatch(brink_sim *sim, brink_observer *observer) {
  brink_observer **link = &sim->observers;
  while (*link != NULL && *link != observer) link = &(*link)->next;
  if (*link != NULL) *link = observer->next;
}

void brink_sim_set_sink(brink_sim *sim, const brink_sink *sink) {
  sim->sink = sink != NULL ? *sink : (brink_sink){0};
  if (sim->sink.step != NULL) sim->keep = true; /* in a call that is under way, too */
}

double brink_sim_time(const brink_sim *sim) {
  return sim->t;
}
const double *brink_sim_state(const brink_sim *sim) {
  return sim->x;
}
const double *brink_sim_parameters(const brink_sim *sim) {
  return sim->eval.p;
}
const int *brink_sim_modes(const brink_sim *sim) {
  return sim->eval.mode;
}
const signed char *brink_sim_signs(const brink_sim *sim) {
  return sim->eval.sgn;
}
const brink_stats *brink_sim_stats(const brink_sim *sim) {
  return &sim->eval.stats;
}

const brink_event *brink_sim_events(const brink_sim *sim, size_t *count) {
  if (count != NULL) *count = sim->nevents;
  return sim->events;
}

brink_slide_record brink_slide_of(const brink_sim *sim, size_t guard) {
  return (brink_slide_record){.guard = guard,
                              .name = brink_model_guard_name(sim->model, guard),
                              .from = sim->held_from[guard],
                              .to = sim->t};
}

size_t brink_sim_slides(const brink_sim *sim, brink_slide_record *records, size_t capacity) {
  for (size_t k = 0; k < sim->eval.nheld && k < capacity; k++)
    records[k] = brink_slide_of(sim, sim->eval.held[k]);
  return sim->eval.nheld;
}

bool brink_sim_sliding(const brink_sim *sim, brink_slide_record *record) {
  return brink_sim_slides(sim, record, 1) > 0;
}

brink_status brink_sim_at(const brink_sim *sim, double t, double *x, brink_diag *diag) {
  brink_diag_clear(diag);
  if (x == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "x must not be NULL");
  if (t == sim->t) {
    memcpy(x, sim->x, sim->model->def.nx * sizeof *x);
    return BRINK_OK;
  }
  double round = 4.0 * DBL_EPSILON * fmax(fabs(sim->last.t0), fabs(sim->last_end));
  if (sim->last.terms == 0 || !(t >= sim->last.t0 - round && t <= sim->last_end + round))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "t = %.17g is outside the last step, [%.17g, %.17g]", t,
                          sim->last.terms == 0 ? sim->t : sim->last.t0,
                          sim->last.terms == 0 ? sim->t : sim->last_end);
  double weights[BRINK_PATH_TERMS];
  brink_path_weights(&sim->last, (t - sim->last.t0) / sim->last.h, weights);
  for (size_t i = 0; i < sim->model->def.nx; i++)
    x[i] = brink_path_component_at(&sim->last, i, weights);
  return BRINK_OK;
}

/* ---- changing ---- */

void brink_sim_changed(brink_sim *sim) {
  for (size_t k = 0; k < sim->eval.nheld;
       k++) { /* ends here; if it still holds, a new one begins */
    brink_slide_record slide = brink_slide_of(sim, sim->eval.held[k]);
    if (sim->sink.slide != NULL) sim->sink.slide(&slide, sim->sink.user);
  }
  brink_slide_forget(sim);
  sim->phase = BRINK_PHASE_BEGIN; /* signs are taken anew */
  brink_audit_event(&sim->eval, BRINK_NONE, sim->t, 0.0);
  sim->next.h = 0.0;
  brink_reach_reset(&sim->detector.reach);
  brink_timers_reset(sim);
  sim->grazed = BRINK_NONE;
  sim->led = false;
  sim->last.terms = 0;
}

brink_status brink_sim_reset(brink_sim *sim, brink_diag *diag) {
  brink_status status = brink_sim_enter(sim, diag);
  if (status != BRINK_OK) return status;
  brink_sim_changed(sim);
  begin_anew(sim);
  brink_reach_reset(&sim->detector.reach); /* of the parameters and modes that hold now */
  for (brink_observer *o = sim->observers; o != NULL; o = o->next) {
    if (o->reset != NULL) o->reset(o, sim);
  }
  return brink_sim_leave(sim, BRINK_OK);
}

static brink_status set_state(brink_sim *sim, const double *x, brink_diag *diag) {
  if (x == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "x must not be NULL");
  for (size_t i = 0; i < sim->model->def.nx; i++) {
    if (!isfinite(x[i])) {
      brink_diag_set(diag, BRINK_ERR_ARGUMENT, "state '%s' would become %g: give a finite number",
                     brink_model_state_name(sim->model, i), x[i]);
      if (diag != NULL) diag->state = i;
      return BRINK_ERR_ARGUMENT;
    }
  }
  if (sim->sensitivity != NULL) brink_sensitivity_set_state(sim->sensitivity, x);
  memmove(sim->x, x, sim->model->def.nx * sizeof *x);
  brink_sim_changed(sim);
  return BRINK_OK;
}

static brink_status set_parameter(brink_sim *sim, size_t index, double value, brink_diag *diag) {
  if (index >= sim->model->def.np)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "there is no parameter %zu: the model has %zu",
                          index, sim->model->def.np);
  if (sim->model->is_time[index] && !(value >= sim->t))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "parameter %zu is the time of a timer, and would become %g: give the "
                          "present, %g, or a later time",
                          index, value, sim->t);
  if (!isfinite(value) && !sim->model->is_time[index])
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "parameter %zu would become %g: give a finite number", index, value);
  if (sim->sensitivity != NULL) brink_sensitivity_set_parameter(sim->sensitivity, index);
  sim->eval.p[index] = value;
  brink_sim_changed(sim);
  return BRINK_OK;
}

static brink_status set_mode(brink_sim *sim, size_t index, int value, brink_diag *diag) {
  if (index >= sim->model->def.nmodes)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "there is no mode %zu: the model has %zu",
                          index, sim->model->def.nmodes);
  if (sim->sensitivity != NULL) brink_sensitivity_set_mode(sim->sensitivity);
  sim->eval.mode[index] = value;
  brink_sim_changed(sim);
  return BRINK_OK;
}

brink_status brink_sim_set_state(brink_sim *sim, const double *x, brink_diag *diag) {
  brink_status status = brink_sim_enter(sim, diag);
  return status == BRINK_OK ? brink_sim_leave(sim, set_state(sim, x, diag)) : status;
}

brink_status brink_sim_set_parameter(brink_sim *sim, size_t index, double value, brink_diag *diag) {
  brink_status status = brink_sim_enter(sim, diag);
  return status == BRINK_OK ? brink_sim_leave(sim, set_parameter(sim, index, value, diag)) : status;
}

brink_status brink_sim_set_mode(brink_sim *sim, size_t index, int value, brink_diag *diag) {
  brink_status status = brink_sim_enter(sim, diag);
  return status == BRINK_OK ? brink_sim_leave(sim, set_mode(sim, index, value, diag)) : status;
}
