/* failure.c: the reasons of the core in the words of HSML: flags, not guards; actions and derivatives, not callbacks.
 *
 * The core says why a run failed by a reason and arguments (brink_diag). Where its own template (model/reason.c) speaks
 * of guards or callbacks, this table has another one; names and nouns come from the model's text. Two messages depend
 * on more than the diagnostic: what to do at an edge that may be declared already, and infinitely many events. */
#include "run/failure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/reason.h"
#include "sim/sim.h"

#define EDGE_PASSED "[; the unilateral flag {guard} is {value} there, past its surface]"

static const char *const forms[] = {
    [BRINK_REASON_PAST_GUARD] = "at t = {t} the state is past the unilateral flag {guard}: an "
                                "action or an initial value put it there",
    [BRINK_REASON_RHS_REFUSED] = "the right-hand side is not defined at t = {t}" EDGE_PASSED,
    [BRINK_REASON_RHS_NOT_FINITE] = "the right-hand side is not defined at t = {t}: the derivative "
                                    "of {state} is not finite" EDGE_PASSED,
    [BRINK_REASON_GUARD_UNDEFINED] = "{noun} has no value at t = {t}: it is not a number",
    [BRINK_REASON_STEP_UNDEFINED] = "at t = {t} no step above {limit} succeeds, {state} changes "
                                    "fastest: the right-hand side is not defined just ahead; ",
    [BRINK_REASON_STEP_SINGULAR] =
        "at t = {t} no step above {limit} succeeds, {state} changes fastest: the solution seems to "
        "have a singularity or a discontinuity here; ",
    [BRINK_REASON_STEP_RESOLUTION] =
        "at t = {t} no step above {limit} succeeds, {state} changes fastest: time is resolved to "
        "{value} here, and the step needed is shorter; let time start nearer to 0 (--from), or "
        "allow a larger error (--tolerance)",
    [BRINK_REASON_BLOCKED] =
        "at t = {t} the surface of the unilateral flag {guard} was reached, no action changed "
        "anything that dynamics reads, and the field still points past it: change a mode or a "
        "state in its event, or stop there",
    [BRINK_REASON_PAIR_BLOCKED] =
        "at t = {t} the surface of the unilateral flag {guard} of {pair} was reached, and nothing "
        "that its event changed leads away from it: their motion still points past the surface; "
        "change a mode or a state in its event, or stop there",
    [BRINK_REASON_TANGLED] =
        "at t = {t} the solution would slide on {first} and {second} at once: where two surfaces "
        "meet the sliding field is not unique; combine them into one flag, or give the model a "
        "mode for it",
    [BRINK_REASON_LAW_LEAVES] =
        "at t = {t} the law on the surface of {noun} leaves it: the flag changes at a rate of "
        "{value} along it[, mostly by the derivative of {state}], and must stay 0",
    [BRINK_REASON_SIGNS_LOOP] =
        "the rules and the signs of flags at t = {t} do not settle after {count} rounds",
};

static const char *form_of(brink_reason reason) {
  size_t count = sizeof forms / sizeof forms[0];
  const char *form = (size_t)reason < count ? forms[reason] : NULL;
  return form != NULL ? form : brink_reason_form(reason);
}

/* ---- names ---- */

static const brink_model *model_of(const brink_failure *failure) {
  return brink_instance_model(failure->instance);
}

static brink_flag_kind kind_of(const brink_failure *failure, size_t guard) {
  uint32_t flag;
  size_t index;
  brink_instance_flag(failure->instance, guard, &flag, &index);
  return failure->system->flags[flag].kind;
}

/* 'empty'; one that nobody named by its text: 'gap < -b' (plant@12:7). */
static void name_guard(const void *user, size_t guard, char *text, size_t size) {
  const brink_failure *failure = user;
  const char *name = brink_model_guard_name(model_of(failure), guard);
  uint32_t flag;
  size_t index;
  brink_instance_flag(failure->instance, guard, &flag, &index);
  const char *written = failure->system->flags[flag].text;
  if (written != NULL)
    snprintf(text, size, "'%s' (%s)", written, name);
  else
    snprintf(text, size, "'%s'", name);
}

/* A flag; one that nobody wrote; the variable whose range it is ('q@upper'). */
static void name_noun(const void *user, size_t guard, char *text, size_t size) {
  const brink_failure *failure = user;
  const char *name = brink_model_guard_name(model_of(failure), guard);
  brink_flag_kind kind = kind_of(failure, guard);
  char guard_name[BRINK_DIAG_MESSAGE];
  name_guard(user, guard, guard_name, sizeof guard_name);
  if (kind == BRINK_FLAG_RANGE)
    snprintf(text, size, "'%.*s'", (int)strcspn(name, "@"), name);
  else
    snprintf(text, size, "%s %s", kind == BRINK_FLAG_GENERATED ? "the generated flag" : "flag",
             guard_name);
}

static void name_state(const void *user, size_t state, char *text, size_t size) {
  const brink_failure *failure = user;
  snprintf(text, size, "'%s'", brink_model_state_name(model_of(failure), state));
}

static void name_clock(const void *user, size_t clock, char *text, size_t size) {
  const brink_failure *failure = user;
  snprintf(text, size, "'%s'", model_of(failure)->def.clocks[clock].name);
}

/* The variable that is kept in a parameter of the flat model. */
static void name_parameter(const void *user, size_t parameter, char *text, size_t size) {
  const brink_failure *failure = user;
  const brink_system *system = failure->system;
  brink_text name = {0};
  for (size_t k = 0; k < system->nvariables && name.length == 0; k++) {
    const brink_variable *variable = &system->variables[k];
    size_t count = system->groups[variable->group].count * variable->length;
    if (variable->space != BRINK_SPACE_P || parameter < variable->base ||
        parameter - variable->base >= count)
      continue;
    brink_system_variable_name(system, (uint32_t)k, parameter - variable->base, &name);
  }
  if (name.length > 0)
    snprintf(text, size, "'%s'", name.data);
  else
    snprintf(text, size, "parameter %zu", parameter);
  brink_text_free(&name);
}

static void name_population(const void *user, int side, char *text, size_t size) {
  const brink_failure *failure = user;
  size_t population = failure->diag->population[side];
  if (failure->populations != NULL && population != BRINK_NONE)
    snprintf(text, size, "'%s'", failure->populations[population]);
  else
    snprintf(text, size, "population %zu", population + 1);
}

/* ---- edges ---- */

static bool is_unilateral(const brink_failure *failure, size_t guard) {
  return guard != BRINK_NONE && model_of(failure)->guards[guard].def.side == BRINK_UNILATERAL;
}

static bool reads(const brink_guard_def *guard, size_t state) {
  for (size_t k = 0; k < guard->ndepends; k++) {
    if (guard->depends[k] == state) return true;
  }
  return false;
}

/* The declared edge of the model that a state is nearest to; BRINK_NONE: there is none. */
static size_t edge_of(const brink_failure *failure, size_t state) {
  brink_sim *sim = failure->sim;
  size_t nearest = BRINK_NONE;
  double least = (double)INFINITY;
  if (sim == NULL || state == BRINK_NONE) return nearest;
  for (size_t k = 0; k < sim->model->def.nguards; k++) {
    if (!is_unilateral(failure, k) || !reads(&sim->model->guards[k].def, state)) continue;
    double distance =
        fabs(brink_eval_peek(&sim->eval, k, sim->t, sim->x, sim->eval.p, sim->eval.mode));
    if (nearest != BRINK_NONE && !(distance < least)) continue;
    nearest = k;
    least = distance;
  }
  return nearest;
}

/* What to do about an edge that no step can pass: declare it, unless that has been done. */
static void advise(const brink_failure *failure, brink_text *message) {
  bool undefined = failure->diag->reason == BRINK_REASON_STEP_UNDEFINED;
  size_t edge = edge_of(failure, failure->diag->state);
  const char *name = edge != BRINK_NONE ? brink_model_guard_name(model_of(failure), edge) : NULL;
  if (name != NULL && failure->options->events != BRINK_EXTRAPOLATE)
    brink_text_add(
        message,
        "events %s looks past the surface of the unilateral flag '%s'; events extrapolate "
        "does not",
        brink_events_name(failure->options->events), name);
  else if (name != NULL && undefined)
    brink_text_add(message, "the unilateral flag '%s' must reach zero before that edge", name);
  else if (undefined)
    brink_text_add(message, "if the model ends there, declare the edge as a unilateral flag");
  else
    brink_text_add(message, "if it switches, declare a flag; if the model ends, a unilateral one");
}

/* ---- the whole ---- */

static void describe_accumulation(const brink_failure *failure, brink_text *message) {
  brink_text_add(message, "infinitely many events of ");
  for (size_t k = 0; k < failure->nflags; k++)
    brink_text_add(message, "%s'%s'", k > 0 ? ", " : "", failure->flags[k]);
  brink_text_add(message, " before t = %.10g: %s", failure->diag->t,
                 failure->options->zeno == BRINK_ZENO_CONTINUE
                     ? "the model needs a mode for the limit"
                     : "give the model a mode for the limit, or go on with zeno continue");
}

static void describe(const brink_failure *failure, brink_text *message) {
  const brink_diag *diag = failure->diag;
  const char *form = form_of(diag->reason);
  if (diag->status == BRINK_ERR_ZENO) {
    describe_accumulation(failure, message);
    return;
  }
  if (form == NULL || failure->instance == NULL) { /* refused, or before there was a model */
    const char *words = diag->message[0] != '\0' ? diag->message : brink_status_text(diag->status);
    brink_text_add(message, "%s", words);
    return;
  }
  char text[BRINK_DIAG_MESSAGE];
  brink_vocabulary words = {.guard = name_guard,
                            .noun = name_noun,
                            .state = name_state,
                            .parameter = name_parameter,
                            .clock = name_clock,
                            .population = name_population,
                            .user = failure};
  brink_reason_write(form, diag, &words, text, sizeof text);
  brink_text_add(message, "%s", text);
  if (diag->reason == BRINK_REASON_STEP_UNDEFINED || diag->reason == BRINK_REASON_STEP_SINGULAR)
    advise(failure, message);
}

/* What is wrong with a lag, a history or a delayed signal is said by the message itself. */
static bool is_of_delay(brink_reason reason) {
  return reason == BRINK_REASON_DELAY_RANGE || reason == BRINK_REASON_DELAY_HISTORY ||
         reason == BRINK_REASON_DELAY_VALUE || reason == BRINK_REASON_DELAY_MEMORY;
}

void brink_failure_describe(const brink_failure *failure, brink_text *message, brink_text *hint,
                            brink_failure_places *places) {
  const brink_diag *diag = failure->diag;
  places->count = 0;
  if (brink_failure_constraint(failure, message, hint, places)) return;
  describe(failure, message);
  if (diag->status == BRINK_ERR_LOOP)
    brink_text_add(hint, "an action that undoes what another one does never comes to rest: give "
                         "the model a mode that remembers what has been done");
  if (diag->status != BRINK_ERR_DOMAIN || diag->reason == BRINK_REASON_INPUT_UNDEFINED ||
      is_of_delay(diag->reason))
    return;
  brink_text_add(hint, "look at the initial values and at what the last action wrote");
  if (failure->sim == NULL || !is_unilateral(failure, diag->guard)) /* else that has been done */
    brink_text_add(hint, "; a unilateral flag keeps the dynamics from being evaluated past its "
                         "surface");
}
