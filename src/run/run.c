/* run.c: one run of a model: making it, moving it on, ending it. See <brink/hsml.h>. */
#include "run/run.h"
#include "run/conditions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/definition.h"
#include "run/lanes.h"
#include "run/population_run.h"
#include "sim/lanes.h"

/* Steps between two looks at the clock and at brink_run_cancel. */
#define STEPS_AT_A_TIME 64

static brink_status out_of_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

/* A failure inside the run is kept for its outcome, and handed to the caller. */
static brink_status give(const brink_run *run, brink_status status, brink_diag *diag) {
  if (diag != NULL) *diag = run->diag;
  return status;
}

/* ---- making it ---- */

brink_instance_options brink_run_instance_options(const brink_run *run) {
  const brink_run_options *options = &run->options;
  const brink_inputs *inputs = run->built->inputs;
  return (brink_instance_options){.interpret = options->interpret,
                                  .later = !options->native,
                                  .change_at = run->built->model->change_at,
                                  .cache = options->cache,
                                  .rtol = options->sim.rtol,
                                  .atol = options->sim.atol,
                                  .seed = options->seed,
                                  .inputs = inputs != NULL ? &inputs->table : NULL,
                                  .range_warns = options->range_warns,
                                  .lanes = run->built->model->lanes,
                                  .wants_jacobian = options->sim.method == BRINK_BDF};
}

void brink_run_want_series(const brink_run *run, brink_instance_options *wishes) {
  const brink_options *sim = &run->options.sim;
  if (sim->method != BRINK_AUTO && sim->method != BRINK_TAYLOR) return;
  wishes->wants_flow_jet = true;
  wishes->only_if_worth = sim->method == BRINK_AUTO;
  wishes->flow_order = sim->order;
}

/* Slots of P and MODE that brink_run_set may write while the run goes on. False: out of memory. */
static bool list_writable(brink_run *run, brink_instance_options *wishes) {
  const brink_system *system = run->system;
  brink_writable writable = run->options.writable;
  if (writable == BRINK_WRITE_ALL) wishes->parameters_vary = true;
  if (writable != BRINK_WRITE_INPUTS) return true;
  bool *varies = NULL;
  for (size_t v = 0; v < system->nvariables; v++) {
    const brink_variable *variable = &system->variables[v];
    bool input = variable->kind == BRINK_VARIABLE_INPUT && variable->space == BRINK_SPACE_P;
    if (!input || system->groups[variable->group].nsegments > 0) continue;
    if (varies == NULL) varies = brink_arena_take(&run->arena, system->np, sizeof *varies);
    for (size_t k = 0; varies != NULL && k < variable->length; k++)
      varies[variable->base + k] = true;
  }
  wishes->varies_p = varies;
  return !run->arena.failed;
}

/* External functions and functions of inputs have values and slopes, but no series. */
static brink_status check_external(const brink_run *run, brink_diag *diag) {
  const brink_system *system = run->built->system;
  const brink_agent_tables *tables = run->built->tables;
  uint32_t called = brink_program_external_called(&system->rhs);
  for (size_t k = 0; tables != NULL && k < tables->npopulations && called == BRINK_NO_INDEX; k++)
    called = brink_program_external_called(&tables->populations[k].one->rhs);
  if (run->options.sim.method != BRINK_TAYLOR || called == BRINK_NO_INDEX) return BRINK_OK;
  const brink_external *external = &system->externals[called];
  return brink_diag_refuse(diag, BRINK_REASON_UNSUPPORTED,
                           "taylor needs the Taylor series of the solution, and the %s '%s' has "
                           "none: choose auto, adams, dopri or bdf",
                           external->of_time != NULL ? "function of input" : "external function",
                           external->name);
}

brink_status brink_run_create_sim(brink_run *run, brink_diag *diag) {
  brink_options sim = run->options.sim;
  sim.max_steps = STEPS_AT_A_TIME;
  return brink_sim_create(brink_instance_model(run->instance), &sim, NULL, diag, &run->sim);
}

static brink_status create_one(brink_run *run, brink_diag *diag) {
  brink_instance_options wishes = brink_run_instance_options(run);
  wishes.may_want_jacobian = run->options.sim.method == BRINK_AUTO;
  if (run->options.conditions) wishes.wants_jacobian = true; /* what an event depends on */
  if (!list_writable(run, &wishes)) return out_of_memory(diag);
  brink_run_want_series(run, &wishes);
  brink_status status = brink_built_instance(run->built, 0, run->built->system, &wishes,
                                             run->options.writable, diag, &run->instance);
  if (status != BRINK_OK) return status;
  return brink_run_create_sim(run, diag);
}

static const char *word_for(brink_clocks clocks) {
  return clocks == BRINK_CLOCKS_ONE ? "one" : "own";
}

/* What a model is built for, by the options of its run. */
static brink_build_hints hints_for(const brink_hsml *model, const brink_run_options *options) {
  brink_build_hints hints = {.purpose = model->hints.purpose,
                             .clocks = word_for(options->clocks),
                             .zeno = options->sim.zeno == BRINK_ZENO_STOP ? "stop" : "continue",
                             .method = brink_method_name(options->sim.method),
                             .events = brink_events_name(options->sim.events),
                             .from = options->from,
                             .until = options->until,
                             .has_seed = true,
                             .seed = options->seed};
  if (options->conditions || options->clocks == BRINK_CLOCKS_ONE || !isfinite(options->until))
    hints.purpose = BRINK_BUILD_WHOLE;
  return hints;
}

/* Agents that cannot have clocks of their own, after all, go into one system. */
static brink_status create_engine(brink_run *run, brink_hsml *model, brink_run *last,
                                  brink_diag *diag) {
  brink_status status = check_external(run, diag);
  if (status == BRINK_OK) status = brink_functions_check_start(run->built->system, diag);
  if (status != BRINK_OK) return status;
  if (last != NULL && brink_run_renew(last, run)) return brink_run_create_sim(run, diag);
  if (run->built->tables == NULL) return create_one(run, diag);
  status = brink_population_run_create(run);
  if (status != BRINK_ERR_UNSUPPORTED) return give(run, status, diag);
  brink_population_run_destroy(run->population_run);
  run->population_run = NULL;
  brink_build_hints hints = hints_for(model, &run->options);
  hints.purpose = BRINK_BUILD_WHOLE;
  brink_built_release(run->built);
  run->built = NULL;
  status = brink_hsml_build_for(model, &hints, diag, &run->built);
  if (status != BRINK_OK) return status;
  run->system = run->built->system;
  return create_one(run, diag);
}

static brink_status build_for(brink_run *run, brink_hsml *model, brink_diag *diag) {
  brink_build_hints hints = hints_for(model, &run->options);
  brink_status status = brink_hsml_build_for(model, &hints, diag, &run->built);
  if (status == BRINK_OK) run->system = run->built->system;
  return status;
}

static brink_run *new_run(const brink_run_options *options, const brink_allocator *allocator) {
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_run *run = brink_arena_take(&arena, 1, sizeof *run);
  if (run == NULL) return NULL;
  run->arena = arena;
  run->options = *options;
  run->memory_file = -1;
  atomic_init(&run->cancelled, false);
  if (options->cache != NULL) run->options.cache = brink_arena_text(&run->arena, options->cache);
  return run;
}

/* Tolerances of states, which belong to somebody else. False: out of memory. */
static bool keep_tolerances(brink_run *run) {
  const double **atols = &run->options.sim.atols;
  if (*atols != NULL)
    *atols = brink_arena_copy(&run->arena, *atols, run->system->nx, sizeof **atols);
  return !run->arena.failed;
}

brink_run *brink_run_another(const brink_run *run) {
  brink_run *made = new_run(&run->options, &run->arena.allocator);
  if (made == NULL) return NULL;
  atomic_fetch_add(&run->built->users, 1);
  made->built = run->built;
  made->system = run->system;
  if (keep_tolerances(made)) return made;
  brink_run_destroy(made);
  return NULL;
}

/* `last`: a run whose engine may be taken; NULL: none. */
static brink_status create(brink_hsml *model, const brink_run_options *given,
                           const brink_allocator *allocator, brink_run *last, brink_diag *diag,
                           brink_run **result) {
  brink_run_options options;
  brink_diag_clear(diag);
  if (model == NULL || result == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "model and run must not be NULL");
  *result = NULL;
  brink_status status = BRINK_OK;
  if (given == NULL) {
    status = brink_hsml_options(model, &options, diag);
  } else {
    options = brink_default_run();
    status = brink_definition_read(&options, sizeof options, given, "brink_run_options", diag);
  }
  if (status == BRINK_OK) status = brink_run_options_check(&options, diag);
  if (status != BRINK_OK) return status;
  brink_run *run = new_run(&options, allocator);
  if (run == NULL) return out_of_memory(diag);
  status = build_for(run, model, diag);
  const char *why = status == BRINK_OK ? brink_run_no_conditions(run->system) : NULL;
  if (status == BRINK_OK && run->options.conditions && why != NULL)
    status = brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                            "the condition of events is not worked out %s", why);
  if (status == BRINK_OK && isinf(options.until) &&
      !brink_built_can_end(run->built, options.range_warns))
    status = brink_diag_set(diag, BRINK_ERR_ARGUMENT, "until is inf: %s", BRINK_NEVER_ENDS);
  if (status == BRINK_OK) status = create_engine(run, model, last, diag);
  if (status == BRINK_OK && !keep_tolerances(run)) status = out_of_memory(diag);
  if (status == BRINK_OK)
    *result = run;
  else
    brink_run_destroy(run);
  return status;
}

brink_status brink_run_create(brink_hsml *model, const brink_run_options *given,
                              const brink_allocator *allocator, brink_diag *diag,
                              brink_run **result) {
  return create(model, given, allocator, NULL, diag, result);
}

brink_status brink_run_create_after(brink_run *last, brink_hsml *model,
                                    const brink_run_options *options, brink_diag *diag,
                                    brink_run **run) {
  brink_status status = create(model, options, NULL, last, diag, run);
  brink_run_destroy(last);
  return status;
}

void brink_run_stop_watching(brink_run *run) {
  brink_run_dense_free(run);
  brink_run_slopes_free(run);
  brink_conditions_report_free(run);
}

static void free_recordings(brink_run *run) {
  brink_run_stop_watching(run);
  brink_results_destroy(run->results);
  brink_display_destroy(run->display);
  brink_journal_free(&run->journal);
  brink_run_columns_end(run);
  brink_comparison_free(run);
  run->results = NULL;
  run->display = NULL;
  if (run->memory_file >= 0) close(run->memory_file);
  run->memory_file = -1;
}

void brink_run_destroy(brink_run *run) {
  if (run == NULL || brink_run_is_busy(run)) return;
  free_recordings(run);
  brink_population_run_destroy(run->population_run);
  brink_sim_destroy(run->sim);
  brink_instance_destroy(run->instance);
  brink_built_release(run->built);
  brink_text_free(&run->text);
  brink_run_checkpoint_end(run);
  brink_arena arena = run->arena;
  brink_arena_free(&arena);
}

/* ---- beginning and end ---- */

bool brink_run_has_begun(const brink_run *run) {
  return run->columns.system != NULL;
}

double brink_run_time(const brink_run *run) {
  if (run == NULL) return (double)NAN;
  return run->population_run != NULL ? brink_population_run_time(run->population_run)
                                     : brink_run_turned(run, brink_sim_time(run->sim));
}

brink_status brink_run_begin(brink_run *run) {
  if (run->phase != BRINK_RUN_MADE) return BRINK_OK;
  run->start = brink_seconds();
  run->phase = BRINK_RUN_BEGUN;
  brink_run_begin_summary(run);
  brink_status status =
      run->population_run != NULL ? brink_population_run_begin(run) : brink_run_sink_begin(run);
  if (status == BRINK_OK) brink_run_check_inputs(run);
  /* With constraints, values are known when these are met. */
  if (status == BRINK_OK && run->system->nz == 0) brink_run_check_flags(run);
  return status;
}

/* Rows and events are complete. */
static void end(brink_run *run) {
  if (run->phase != BRINK_RUN_BEGUN) return;
  run->phase = BRINK_RUN_ENDED;
  if (run->population_run != NULL)
    brink_population_run_end(run);
  else
    brink_run_sink_end(run);
}

/* Can it move on after this? */
static bool is_over(brink_status status) {
  return status == BRINK_STOPPED ||
         status == BRINK_CANCELLED /* while agents began, inside a step */ ||
         (status < 0 && status != BRINK_ERR_WORK);
}

/* ---- moving ---- */

typedef enum move_kind { MOVE_STEP, MOVE_EVENT, MOVE_TO } move_kind;

bool brink_run_is_cancelled(const brink_run *run) {
  return atomic_load_explicit(&run->cancelled, memory_order_relaxed);
}

void brink_run_cancel(brink_run *run) {
  if (run == NULL) return;
  atomic_store_explicit(&run->cancelled, true, memory_order_relaxed);
}

/* One piece of work of a single system: a step, or a few. */
static brink_status move_one(brink_run *run, move_kind kind, double limit) {
  bool several = kind == MOVE_TO && run->observer.event == NULL;
  int64_t left =
      run->options.sim.max_steps > 0 ? run->options.sim.max_steps - run->work : STEPS_AT_A_TIME;
  run->sim->options.max_steps = left < STEPS_AT_A_TIME ? left : STEPS_AT_A_TIME;
  run->sim->cancelled = &run->cancelled;
  brink_eval_heed(&run->sim->eval, &run->cancelled);
  if (run->instance != NULL)
    brink_instance_heed(run->instance, brink_eval_patience(&run->sim->eval));
  run->sim->pauses = run->checkpoints.path != NULL;
  run->sim->pause = run->checkpoints.next;
  if (run->sim->pauses && isnan(run->checkpoints.next)) run->sim->options.max_steps = 1;
  run->work += several ? run->sim->options.max_steps : 1;
  if (several) return brink_sim_run(run->sim, limit, &run->diag);
  /* An observer hears of an event before the next step. */
  brink_status status = brink_sim_advance(run->sim, limit, &run->diag);
  brink_run_sink_settle(run);
  bool more = status == BRINK_STEPPED || status == BRINK_EVENT;
  return kind == MOVE_TO && more ? BRINK_ERR_WORK : status;
}

/* A step that was cut off has failed for no other reason; one that has not failed may have done without something. */
static brink_status heed(const brink_run *run, brink_status status) {
  return run->sim != NULL && run->sim->eval.gave_up ? BRINK_CANCELLED : status;
}

/* The same for agents: a turn, or a few. STEPPED, EVENT: there is more. */
static brink_status move(brink_run *run, move_kind kind, double limit) {
  size_t events = run->journal.nevents;
  run->computed = false; /* values that equations compute are of a moment that has passed */
  brink_status status = run->population_run != NULL
                            ? brink_population_run_move(run, kind != MOVE_TO, limit)
                            : move_one(run, kind, limit);
  if (run->instance != NULL)
    status = brink_functions_judge(run->instance, brink_run_time(run), status, &run->diag);
  if (run->stop_asked && (status >= 0 || status == BRINK_ERR_WORK)) status = BRINK_STOPPED;
  status = heed(run, status);
  if (kind == MOVE_TO || (status != BRINK_STEPPED && status != BRINK_EVENT)) return status;
  return run->journal.nevents > events ? BRINK_EVENT : BRINK_STEPPED;
}

/* A run without an end goes in legs, each as long as all before it: no step is out of proportion to what is behind
 * it, as one to the end of time would be. */
static double next_leg(const brink_run *run) {
  double start = run->system->t0, length = 1.0, now = brink_run_turned(run, brink_run_time(run));
  while (!(start + length > now)) length *= 2.0;
  return start + length;
}

/* Nothing has happened for so long that nothing will. */
#define FOREVER 1e300

static brink_status never_ended(brink_run *run) {
  return brink_diag_set(&run->diag, BRINK_ERR_STEP,
                        "nothing has ended the run by t = %g: with until = inf it would never end",
                        brink_run_time(run));
}

/* What was to be recorded is lost: words for a file come when it is closed. */
static brink_status keep_loss(brink_run *run) {
  brink_status status = brink_run_results_status(run);
  if (status != BRINK_ERR_MEMORY) return status;
  return brink_diag_set(&run->diag, status, "%s", brink_results_problem(run->results));
}

/* A move has ended with this status. */
static brink_status conclude(brink_run *run, brink_status status, brink_diag *diag) {
  run->status = status;
  if (status == BRINK_CANCELLED) atomic_store(&run->cancelled, false);
  run->moving = true;
  if (is_over(status)) end(run);
  run->moving = false;
  brink_status given = give(run, status, diag);
  bool failed = status < 0 && status != BRINK_ERR_WORK && status != BRINK_ERR_FILE;
  if (!failed || diag == NULL || !brink_run_has_begun(run)) return given;
  brink_run_judge(run); /* the message in the words of the model */
  if (run->summary.message != NULL)
    snprintf(diag->message, sizeof diag->message, "%s", run->summary.message);
  return given;
}

/* The call has taken its share of steps: the run goes on with the next one. */
static brink_status out_of_work(brink_run *run, brink_diag *diag) {
  run->status = BRINK_ERR_WORK;
  return brink_diag_set(diag, BRINK_ERR_WORK, "max_steps = %lld steps were taken",
                        (long long)run->options.sim.max_steps);
}

/* Moves until the kind of move is complete. */
static brink_status drive(brink_run *run, move_kind kind, double limit, brink_diag *diag) {
  int64_t most = run->options.sim.max_steps;
  run->work = 0;
  run->until = !isnan(run->options.until) ? run->options.until : limit;
  run->moving = true;
  brink_status status = brink_run_begin(run);
  if (status == BRINK_OK) status = brink_run_checkpoint_begin(run);
  run->moving = false;
  bool leg_over = false;
  while (status == BRINK_OK || status == BRINK_ERR_WORK || status == BRINK_STEPPED || leg_over) {
    if (brink_run_is_cancelled(run)) {
      atomic_store(&run->cancelled, false);
      return run->status = BRINK_CANCELLED;
    }
    run->moving = true;
    status = move(run, kind, isinf(limit) ? next_leg(run) : brink_run_turned(run, limit));
    leg_over = isinf(limit) && status == BRINK_TIME_REACHED;
    if (leg_over && fabs(brink_run_time(run)) > FOREVER) {
      status = never_ended(run);
      leg_over = false;
    }
    run->moving = false;
    brink_run_check_stiff(run);
    brink_run_results_flush(run);
    bool more = status == BRINK_ERR_WORK || status == BRINK_STEPPED || leg_over;
    bool whole = more || status == BRINK_TIME_REACHED || run->checkpoints.problem.status < 0;
    brink_status written = whole ? brink_run_checkpoint_due(run) : BRINK_OK;
    if (written != BRINK_OK) status = written;
    if (brink_run_results_status(run) != BRINK_OK) status = keep_loss(run);
    if (kind == MOVE_STEP) break;
    more = status == BRINK_ERR_WORK || status == BRINK_STEPPED || leg_over;
    if (more && most > 0 && run->work >= most) return out_of_work(run, diag);
  }
  return conclude(run, status, diag);
}

bool brink_run_is_busy(const brink_run *run) {
  return run->moving || (run->instance != NULL && brink_instance_asks(run->instance));
}

brink_status brink_run_not_inside(brink_diag *diag) {
  return brink_diag_set(
      diag, BRINK_ERR_ARGUMENT,
      "not from an observer or from a function of an input: the run is under way");
}

/* Does the run come to a after b? */
static bool is_later(const brink_run *run, double a, double b) {
  return run->system->backward ? a < b : a > b;
}

static brink_status check_move(const brink_run *run, double limit, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run must not be NULL");
  if (brink_run_is_busy(run)) return brink_run_not_inside(diag);
  if (run->phase > BRINK_RUN_BEGUN)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "the run is over: reset it, or make another one");
  if (isnan(limit) || (isinf(limit) && run->population_run != NULL))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the time to go to, %g, is not finite", limit);
  if (is_later(run, brink_run_time(run), limit))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "asked to go to t = %.17g, but the run is at %.17g: time runs %s", limit,
                          brink_run_time(run), run->system->backward ? "backwards" : "forwards");
  return BRINK_OK;
}

/* Instants at a distance of `period`: can they be told apart, and counted, up to the end? */
static bool can_advance(const brink_run *run, double period, double end) {
  double t = brink_run_time(run), farthest = fmax(fabs(t), fabs(end));
  return !isfinite(end) || !(period > 0.0) ||
         (farthest + period > farthest && fabs(end - t) / period < 0x1p53);
}

/* As check_move, for moves that are over at their end only: with periods far below the resolution of time they never were. */
static brink_status check_long_move(const brink_run *run, double end, brink_diag *diag) {
  brink_status status = check_move(run, end, diag);
  const brink_system *system = status == BRINK_OK ? run->system : NULL;
  if (status != BRINK_OK || brink_run_time(run) == end) return status;
  bool rows = run->choice.path != NULL || run->choice.format != NULL || run->choice.trajectory;
  if (rows && !can_advance(run, run->options.every, end))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "rows every %g are too close for a run to t = %g: their times could not "
                          "be told apart, or not be counted",
                          run->options.every, end);
  for (size_t c = 0; c < system->nclocks; c++) {
    if (!can_advance(run, system->clocks[c].period, end))
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "the sample period %g is too short for a run to t = %g: samples could "
                            "not be told apart, or not be counted",
                            system->clocks[c].period, end);
  }
  return BRINK_OK;
}

brink_status brink_run_step(brink_run *run, double t_limit, brink_diag *diag) {
  brink_status status = check_move(run, t_limit, diag);
  return status == BRINK_OK ? drive(run, MOVE_STEP, t_limit, diag) : status;
}

brink_status brink_run_next_event(brink_run *run, double t_limit, brink_diag *diag) {
  brink_status status = check_long_move(run, t_limit, diag);
  return status == BRINK_OK ? drive(run, MOVE_EVENT, t_limit, diag) : status;
}

brink_status brink_run_to(brink_run *run, double t_end, brink_diag *diag) {
  brink_status status = check_long_move(run, t_end, diag);
  return status == BRINK_OK ? drive(run, MOVE_TO, t_end, diag) : status;
}

/* ---- … in turns ---- */

brink_status brink_run_turns_begin(brink_run *run, double t_end, brink_diag *diag) {
  brink_status status = check_long_move(run, t_end, diag);
  if (status != BRINK_OK) return status;
  run->work = 0;
  run->until = !isnan(run->options.until) ? run->options.until : t_end;
  status = brink_run_begin(run);
  return status == BRINK_OK ? status : conclude(run, status, diag);
}

/* A step of brink_run_to. */
static brink_status turn_once(brink_run *run, double limit) {
  run->computed = false;
  run->work++;
  run->moving = true;
  brink_status status;
  if (run->observer.event == NULL) {
    status = brink_sim_turn(run->sim, limit, &run->diag);
  } else {
    status = brink_sim_advance(run->sim, limit, &run->diag);
    brink_run_sink_settle(run);
  }
  status = brink_functions_judge(run->instance, brink_run_time(run), status, &run->diag);
  if (run->stop_asked && status >= 0) status = BRINK_STOPPED;
  run->moving = false;
  return status;
}

brink_status brink_run_turn(brink_run *run, double t_end, brink_diag *diag) {
  double limit = brink_run_turned(run, t_end);
  int rounds = 0;
  do {
    if (brink_run_is_cancelled(run)) {
      atomic_store(&run->cancelled, false);
      return run->status = BRINK_CANCELLED;
    }
    brink_status status = turn_once(run, limit);
    if (run->results != NULL) {
      brink_run_results_flush(run);
      if (brink_run_results_status(run) != BRINK_OK) status = keep_loss(run);
    }
    if (status != BRINK_STEPPED && status != BRINK_EVENT) return conclude(run, status, diag);
  } while (!brink_lanes_ready(run->sim) && ++rounds < STEPS_AT_A_TIME);
  return BRINK_STEPPED;
}

/* Can values be read at t? */
static bool covers(const brink_run *run, double t) {
  double now = brink_run_time(run);
  if (t == now) return true;
  if (run->phase == BRINK_RUN_MADE) return false;
  if (run->population_run == NULL) return is_later(run, now, t);
  return t > now && t < brink_agents_horizon(run->population_run->agents);
}

brink_status brink_run_output(brink_run *run, double t, double t_limit, brink_diag *diag) {
  brink_status status = check_move(run, t_limit, diag);
  if (status == BRINK_OK && !isfinite(t))
    status = brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the time of output, %g, is not finite", t);
  if (status == BRINK_OK && run->population_run != NULL && t < brink_run_time(run))
    status = brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "t = %.17g is before the last turn of the agents at %.17g", t,
                            brink_run_time(run));
  if (status == BRINK_OK && is_later(run, t, t_limit))
    status = brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the run comes to t = %g after t_limit = %g",
                            t, t_limit);
  if (status != BRINK_OK) return status;
  /* Else the next turn would be taken, which may be later than t. */
  if (run->population_run != NULL) status = brink_population_run_open(run, t_limit);
  if (status != BRINK_OK) return give(run, status, diag);
  int64_t most = run->options.sim.max_steps;
  for (int64_t taken = 0; !covers(run, t); taken++) {
    if (most > 0 && taken >= most) return out_of_work(run, diag);
    status = drive(run, MOVE_STEP, t_limit, diag);
    if (status != BRINK_STEPPED && status != BRINK_EVENT) return status;
  }
  return BRINK_TIME_REACHED;
}

/* ---- ending it ---- */

brink_status brink_run_finish(brink_run *run, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run must not be NULL");
  if (brink_run_is_busy(run)) return brink_run_not_inside(diag);
  if (run->phase >= BRINK_RUN_FINISHED) return BRINK_OK;
  run->moving = true;
  if (run->phase == BRINK_RUN_MADE) brink_run_begin(run);
  end(run);
  brink_run_check_gaps(run);
  brink_run_fill_summary(run);
  brink_status status = brink_comparison_run(run);
  brink_run_judge(run);
  brink_run_results_close(run);
  run->moving = false;
  run->phase = BRINK_RUN_FINISHED;
  brink_status lost = brink_run_results_status(run);
  if (status != BRINK_OK && diag != NULL) *diag = run->comparison_diag;
  if (status == BRINK_OK && lost != BRINK_OK) status = give(run, lost, diag);
  return status;
}

/* ---- again, and twice ---- */

brink_status brink_run_reset(brink_run *run, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run must not be NULL");
  if (brink_run_is_busy(run)) return brink_run_not_inside(diag);
  if (run->phase == BRINK_RUN_SPOILT)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "the run could not be restored: make another one");
  if (run->phase != BRINK_RUN_MADE) brink_run_finish(run, NULL);
  free_recordings(run);
  run->choice = (brink_record_choice){0};
  run->phase = BRINK_RUN_MADE;
  run->status = BRINK_OK;
  run->computed = run->stop_asked = run->cut = false;
  run->npending = run->notes_seen = 0;
  run->hint = run->rendered = NULL;
  run->nstart_warnings = 0;
  run->told_chosen = run->told_past = run->told_stiff = false;
  run->nwritten = 0;
  run->dated = 0;
  run->changed = run->joined = false;
  brink_run_checkpoint_end(run);
  run->subject = (brink_subject){0};
  atomic_store(&run->cancelled, false);
  brink_diag_clear(&run->diag);
  if (run->population_run != NULL) return give(run, brink_population_run_reset(run), diag);
  brink_instance_reset(run->instance);
  brink_status status = brink_sim_reset(run->sim, diag);
  return status < 0 ? status : BRINK_OK;
}

static brink_status clone_one(const brink_run *from, brink_run *to, brink_diag *diag) {
  brink_status status = brink_instance_clone(from->instance, NULL, diag, &to->instance);
  if (status != BRINK_OK) return status;
  status = brink_instance_copy_run(to->instance, from->instance, diag);
  if (status != BRINK_OK) return status;
  return brink_sim_clone(from->sim, brink_instance_model(to->instance), NULL, diag, &to->sim);
}

brink_status brink_run_clone(const brink_run *run, brink_diag *diag, brink_run **clone) {
  brink_diag_clear(diag);
  if (clone != NULL) *clone = NULL;
  if (run == NULL || clone == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run and clone must not be NULL");
  if (brink_run_is_busy(run)) return brink_run_not_inside(diag);
  if (run->phase > BRINK_RUN_BEGUN)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the run is over: it cannot go on twice");
  brink_run *made = brink_run_another(run);
  if (made == NULL) return out_of_memory(diag);
  made->joined = run->joined || run->phase != BRINK_RUN_MADE;
  brink_status status = !made->joined                 ? brink_run_start_like(run, made, diag)
                        : run->population_run != NULL ? brink_population_run_clone(run, made, diag)
                                                      : clone_one(run, made, diag);
  if (status == BRINK_OK)
    *clone = made;
  else
    brink_run_destroy(made);
  return status;
}

/* ---- asking ---- */

brink_moment brink_run_now(const brink_run *run) {
  if (run->population_run != NULL) return brink_population_run_now(run->population_run);
  const brink_sim *sim = run->sim;
  return (brink_moment){.t = brink_sim_time(sim),
                        .x = brink_sim_state(sim),
                        .p = brink_sim_parameters(sim),
                        .mode = brink_sim_modes(sim),
                        .sgn = brink_sim_signs(sim)};
}

void brink_run_observe(brink_run *run, const brink_run_observer *observer) {
  if (run == NULL) return;
  run->observer = observer != NULL ? *observer : (brink_run_observer){0};
  if (run->phase != BRINK_RUN_BEGUN) return;
  if (run->population_run != NULL)
    brink_run_listen(run);
  else
    brink_run_sink_install(run);
}

brink_run_info brink_run_information(brink_run *run) {
  if (run == NULL) return (brink_run_info){.engine = "none", .engine_reason = ""};
  brink_summary summary = {.engine = "none"};
  brink_summary kept = run->summary;
  run->summary = summary;
  brink_run_fill_summary(run);
  summary = run->summary;
  run->summary = kept;
  return (brink_run_info){.stats = summary.stats,
                          .agents = summary.agents != NULL ? summary.agents->agents : 0,
                          .engine = summary.engine,
                          .engine_reason =
                              summary.engine_reason != NULL ? summary.engine_reason : "",
                          .compile_seconds = summary.compile_seconds};
}

brink_run_outcome brink_run_result(brink_run *run) {
  if (run == NULL) return (brink_run_outcome){.status = "failed", .t = (double)NAN};
  if (run->phase == BRINK_RUN_SPOILT)
    return (brink_run_outcome){.status = "failed",
                               .reason = "file",
                               .message = "the run could not be restored from its checkpoint",
                               .t = brink_run_time(run)};
  if (run->phase == BRINK_RUN_ENDED) brink_run_judge(run);
  const brink_summary *summary = &run->summary;
  bool over = run->phase >= BRINK_RUN_ENDED;
  return (brink_run_outcome){.status = over ? summary->status : "running",
                             .reason = over ? summary->reason : NULL,
                             .message = over ? summary->message : NULL,
                             .hint = over ? run->hint : NULL,
                             .t = brink_run_time(run),
                             .nwarnings = summary->nwarnings,
                             .warnings = summary->warnings,
                             .rendered = over ? run->rendered : NULL};
}
