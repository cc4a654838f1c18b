/* values.c: values of a run by name: read at the present, inside the last step, before and after events; written. */
#include <math.h>
#include <string.h>

#include "lang/ast.h"
#include "run/population_run.h"
#include "run/run.h"
#include "sim/pack.h"

/* ---- finding ---- */

static brink_status no_such_name(const brink_run *run, const char *name, brink_diag *diag) {
  brink_text room = {0};
  const char *near = brink_system_nearest(run->system, name, &room);
  brink_status status = brink_diag_set(
      diag, BRINK_ERR_ARGUMENT, "there is no '%s' in %s%s%s%s", name, run->system->name,
      near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
  brink_text_free(&room);
  return status;
}

brink_status brink_run_find(const brink_run *run, const char *name, brink_value *value,
                            brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL || name == NULL || value == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run, name and value must not be NULL");
  uint32_t variable;
  size_t element;
  if (!brink_system_find_input(run->system, name, &variable, &element) &&
      !brink_system_find(run->system, name, &variable, &element))
    return no_such_name(run, name, diag);
  *value = (brink_value){.variable = variable,
                         .type = (uint32_t)run->system->variables[variable].type,
                         .element = element};
  return BRINK_OK;
}

/* ---- reading ---- */

static bool is_value(const brink_run *run, brink_value value) {
  const brink_system *system = run->system;
  if (value.variable >= system->nvariables) return false;
  const brink_variable *variable = &system->variables[value.variable];
  return value.element < system->groups[variable->group].count * variable->length;
}

static double held_value(const brink_variable *variable, size_t element,
                         const brink_moment *moment) {
  return brink_variable_held(variable, element, moment->x, moment->p, moment->mode);
}

static bool is_computed(const brink_variable *variable) {
  return variable->space != BRINK_SPACE_X && variable->space != BRINK_SPACE_P &&
         variable->space != BRINK_SPACE_MODE;
}

/* Of a single system, at a moment of it. */
static double value_at(brink_run *run, brink_value value, const brink_moment *moment) {
  const brink_variable *variable = &run->system->variables[value.variable];
  if (!is_computed(variable)) return held_value(variable, value.element, moment);
  if (brink_instance_asks(run->instance)) return (double)NAN;
  if (!run->computed)
    brink_instance_evaluate(run->instance, moment->t, moment->x, moment->p, moment->mode,
                            moment->sgn);
  run->computed = true;
  return brink_instance_value(run->instance, value.variable, value.element);
}

double brink_run_value(brink_run *run, brink_value value) {
  if (run == NULL || !is_value(run, value)) return (double)NAN;
  if (run->population_run != NULL)
    return brink_population_run_value(run->population_run, value.variable, value.element,
                                      brink_run_time(run));
  brink_moment now = brink_run_now(run);
  return value_at(run, value, &now);
}

brink_status brink_run_get(brink_run *run, const char *name, double *value, brink_diag *diag) {
  brink_value found;
  brink_status status = brink_run_find(run, name, &found, diag);
  if (status == BRINK_OK && value == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "value must not be NULL");
  if (status == BRINK_OK && run->instance != NULL && brink_instance_asks(run->instance))
    return brink_run_not_inside(diag);
  if (status == BRINK_OK) *value = brink_run_value(run, found);
  if (status == BRINK_OK && run->instance != NULL)
    status = brink_functions_judge(run->instance, brink_run_time(run), status, diag);
  return status;
}

const char *brink_run_text(const brink_run *run, double number) {
  const brink_system *system = run != NULL ? run->system : NULL;
  if (system == NULL || !(number >= 0.0) || number >= (double)system->nstrings) return NULL;
  return system->strings[(size_t)number];
}

const char *brink_run_get_text(brink_run *run, const char *name) {
  brink_value value = {0};
  if (brink_run_find(run, name, &value, NULL) != BRINK_OK) return NULL;
  run->text.length = 0;
  brink_value_text(run->system, (brink_value_type)value.type, brink_run_value(run, value),
                   &run->text);
  return run->text.data;
}

double brink_moment_value(const brink_run *run, const brink_moment *moment, brink_value value) {
  if (run == NULL || moment == NULL || !is_value(run, value)) return (double)NAN;
  return held_value(&run->system->variables[value.variable], value.element, moment);
}

/* The moment t inside the last step. */
static brink_status dense_moment(brink_run *run, double t, brink_moment *moment, brink_diag *diag) {
  const brink_system *system = run->system;
  *moment = brink_run_now(run);
  if (t == moment->t) return BRINK_OK;
  if (run->at_x == NULL) run->at_x = brink_arena_take(&run->arena, system->nx, sizeof(double));
  if (run->at_x == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  brink_status status = brink_sim_at(run->sim, t, run->at_x, diag);
  moment->t = t;
  moment->x = run->at_x;
  moment->sgn = NULL; /* an event at the end of the step may have changed them */
  moment->p = brink_sim_step_parameters(run->sim);
  moment->mode = brink_sim_step_modes(run->sim);
  return status;
}

brink_status brink_run_get_at(brink_run *run, double t, const brink_value *values, size_t count,
                              double *out, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL || (count > 0 && (values == NULL || out == NULL)))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run, values and out must not be NULL");
  if (run->instance != NULL && brink_instance_asks(run->instance))
    return brink_run_not_inside(diag);
  for (size_t k = 0; k < count; k++) {
    if (!is_value(run, values[k]))
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "values[%zu] is not one of this run", k);
  }
  if (run->population_run != NULL) {
    const brink_agents *agents = run->population_run->agents;
    if (!(t >= brink_agents_time(agents)) ||
        (t > brink_agents_time(agents) && t >= brink_agents_horizon(agents)))
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "t = %.17g is not between the last turn at %.17g and the next one", t,
                            brink_agents_time(agents));
    for (size_t k = 0; k < count; k++)
      out[k] =
          brink_population_run_value(run->population_run, values[k].variable, values[k].element, t);
    return BRINK_OK;
  }
  brink_moment moment;
  brink_status status = dense_moment(run, brink_run_turned(run, t), &moment, diag);
  if (status != BRINK_OK) return status;
  run->computed = false;
  for (size_t k = 0; k < count; k++) out[k] = value_at(run, values[k], &moment);
  run->computed = false;
  return BRINK_OK;
}

void brink_run_look(brink_run *run, double t, double t0, const brink_value *values, size_t count,
                    double *out) {
  const brink_system *system = run->system;
  brink_moment moment = brink_run_now(run);
  double at = brink_run_turned(run, t);
  if (run->at_x == NULL) run->at_x = brink_arena_take(&run->arena, system->nx, sizeof(double));
  if (run->at_x == NULL) {
    for (size_t k = 0; k < count; k++) out[k] = (double)NAN;
    return;
  }
  /* Time may have been set forward by a rounding error between two steps. */
  bool inside = brink_sim_at(run->sim, at, run->at_x, NULL) == BRINK_OK ||
                brink_sim_at(run->sim, brink_run_turned(run, t0), run->at_x, NULL) == BRINK_OK;
  moment.t = at;
  if (inside) moment.x = run->at_x;
  run->computed = false;
  for (size_t k = 0; k < count; k++) out[k] = value_at(run, values[k], &moment);
  run->computed = false;
}

/* ---- writing ---- */

static brink_status check_value(const brink_run *run, const char *name,
                                const brink_variable *variable, size_t element, double value,
                                brink_diag *diag) {
  if (!isfinite(value))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "'%s' cannot be %g", name, value);
  if (!brink_variable_allows(variable, element, value))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "'%s' = %g is outside its declared range", name,
                          value);
  if (variable->type != BRINK_VALUE_REAL && value != floor(value))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "'%s' = %g is not a whole number", name, value);
  if (run->phase > BRINK_RUN_BEGUN)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the run is over: reset it first");
  if (brink_run_is_busy(run)) return brink_run_not_inside(diag);
  return BRINK_OK;
}

/* While the run goes on: what jumps by the new value happens now, as after an action. */
static brink_status write_now(brink_run *run, brink_space space, size_t slot, double value,
                              brink_diag *diag) {
  brink_sim *sim = run->sim;
  run->moving = true;
  brink_run_sink_before_write(run);
  brink_sim_give_up_step(sim);
  if (run->slopes != NULL && space == BRINK_SPACE_X)
    brink_sensitivity_write_state(run->slopes, slot);
  if (run->slopes != NULL && space == BRINK_SPACE_P)
    brink_sensitivity_write_parameter(run->slopes, slot);
  if (space == BRINK_SPACE_X) sim->x[slot] = value;
  if (space == BRINK_SPACE_P) sim->eval.p[slot] = value;
  if (space == BRINK_SPACE_MODE) sim->eval.mode[slot] = (int)value;
  brink_run_sink_written(run);
  brink_status status = brink_sim_intervene(sim, diag);
  brink_run_sink_settle(run);
  run->moving = false;
  return status;
}

static brink_status write_state(brink_run *run, size_t slot, double value, brink_diag *diag) {
  size_t nx = run->system->nx;
  if (run->at_x == NULL) run->at_x = brink_arena_take(&run->arena, nx, sizeof(double));
  if (run->at_x == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  memcpy(run->at_x, brink_sim_state(run->sim), nx * sizeof(double));
  run->at_x[slot] = value;
  return brink_sim_set_state(run->sim, run->at_x, diag);
}

static brink_status taken_as_constant(const char *name, brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                        "'%s' is taken as constant in this run: create it with options.writable "
                        "that lets it be written, or set it in the model",
                        name);
}

/* What options.writable promises. */
static brink_status check_writable(const brink_run *run, const char *name,
                                   const brink_variable *variable, brink_diag *diag) {
  brink_writable writable = run->options.writable;
  bool parameter = variable->kind == BRINK_VARIABLE_PARAMETER;
  bool input = variable->kind == BRINK_VARIABLE_INPUT;
  bool refused = (parameter && writable != BRINK_WRITE_ALL) ||
                 (input && writable == BRINK_WRITE_STATES) || (parameter && variable->settled);
  return refused ? taken_as_constant(name, diag) : BRINK_OK;
}

/* What a run starts with is written again where it is repeated. */
static brink_status write_start(brink_run *run, const char *name, brink_value at, double value,
                                brink_diag *diag) {
  const brink_variable *variable = &run->system->variables[at.variable];
  size_t slot = variable->base + at.element;
  if (!brink_arena_reserve(&run->arena, run->written, run->nwritten, run->written_capacity))
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  brink_status status =
      run->population_run != NULL           ? brink_population_run_write(run->population_run, name,
                                                                         at.variable, at.element, value, diag)
      : variable->space == BRINK_SPACE_X    ? write_state(run, slot, value, diag)
      : variable->space == BRINK_SPACE_MODE ? brink_sim_set_mode(run->sim, slot, (int)value, diag)
                                            : brink_sim_set_parameter(run->sim, slot, value, diag);
  if (status >= 0)
    run->written[run->nwritten++] =
        (brink_written){.variable = at.variable, .element = at.element, .value = value};
  return status;
}

brink_status brink_run_write_again(brink_run *run, const brink_written *written, brink_diag *diag) {
  brink_value at = {.variable = written->variable, .element = written->element};
  return write_start(run, run->system->variables[written->variable].name, at, written->value, diag);
}

static brink_status write_on_the_way(brink_run *run, const char *name, brink_value at, double value,
                                     brink_diag *diag) {
  const brink_variable *variable = &run->system->variables[at.variable];
  run->changed = true;
  if (run->results != NULL) brink_results_written(run->results, at.variable, at.element);
  if (run->population_run == NULL)
    return write_now(run, variable->space, variable->base + at.element, value, diag);
  return brink_population_run_write(run->population_run, name, at.variable, at.element, value,
                                    diag);
}

/* By rows, or by functions. */
static bool is_driven(const brink_system *system, brink_value value) {
  bool driven = false;
  for (size_t k = 0; k < system->ndriven; k++)
    driven = driven || system->driven[k].variable == value.variable;
  for (size_t k = 0; k < system->nfollowed; k++)
    driven = driven || system->followed[k].variable == value.variable;
  return driven;
}

/* Can it be written at all? */
static brink_status check_target(const brink_run *run, const char *name, brink_value at,
                                 brink_diag *diag) {
  uint32_t source;
  size_t element;
  const brink_variable *variable = &run->system->variables[at.variable];
  if (brink_system_find_input(run->system, name, &source, &element))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "'%s' is connected: it has the value of what it is connected to", name);
  if (is_computed(variable))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "'%s' is %s: it cannot be written", name,
                          is_driven(run->system, at) ? "given over time" : "computed by equations");
  return BRINK_OK;
}

/* … in this run, at this time? */
static brink_status check_run(const brink_run *run, const char *name, brink_value at,
                              brink_diag *diag) {
  const brink_variable *variable = &run->system->variables[at.variable];
  brink_status status = BRINK_OK;
  if (run->phase == BRINK_RUN_BEGUN) status = check_writable(run, name, variable, diag);
  if (status != BRINK_OK || run->population_run != NULL) return status;
  if (variable->space != BRINK_SPACE_X &&
      !brink_instance_may_write(run->instance, variable->space, variable->base + at.element))
    return taken_as_constant(name, diag);
  return BRINK_OK;
}

static brink_status write_value(brink_run *run, const char *name, double value, brink_diag *diag) {
  brink_value found = {0};
  brink_status status = brink_run_find(run, name, &found, diag);
  if (status == BRINK_OK) status = check_target(run, name, found, diag);
  if (status == BRINK_OK)
    status =
        check_value(run, name, &run->system->variables[found.variable], found.element, value, diag);
  if (status == BRINK_OK) status = check_run(run, name, found, diag);
  if (status != BRINK_OK) return status;
  run->computed = false;
  return run->phase == BRINK_RUN_BEGUN ? write_on_the_way(run, name, found, value, diag)
                                       : write_start(run, name, found, value, diag);
}

brink_status brink_run_set(brink_run *run, const char *name, double value, brink_diag *diag) {
  brink_status status = write_value(run, name, value, diag);
  return status < 0 ? status : BRINK_OK;
}

brink_status brink_run_set_text(brink_run *run, const char *name, const char *text,
                                brink_diag *diag) {
  brink_value found;
  double number;
  brink_status status = brink_run_find(run, name, &found, diag);
  if (status != BRINK_OK) return status;
  if (text == NULL || !brink_system_string(run->system, text, &number))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "'%s' cannot be '%s'", name,
                          text != NULL ? text : "");
  return brink_run_set(run, name, number, diag);
}

/* ---- constraints ---- */

brink_status brink_run_get_structure(brink_run *run, brink_run_structure *structure,
                                     brink_diag *diag) {
  brink_structure_record now;
  brink_diag_clear(diag);
  if (run == NULL || structure == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run and structure must not be NULL");
  *structure = (brink_run_structure){0};
  if (run->system->nz == 0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the model has no constraints");
  if (!brink_sim_structure(run->sim, &now))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the run has not begun");
  const brink_model *model = brink_instance_model(run->instance);
  const brink_structure *of = now.structure;
  if (run->tied == NULL)
    run->tied = brink_arena_take(&run->arena, run->system->nx, sizeof *run->tied);
  if (run->tied == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  bool known = of->ngroups > 0 && of->group != NULL && of->tied != NULL;
  for (size_t k = 0; known && k < of->group[of->ngroups]; k++)
    run->tied[k] = brink_model_state_name(model, of->tied[k]);
  *structure = (brink_run_structure){.index = now.index,
                                     .nstates = now.nstates,
                                     .nfree = now.nfree,
                                     .ntied = known ? of->ngroups : 0,
                                     .tied = known ? of->group : NULL,
                                     .names = run->tied};
  return BRINK_OK;
}
