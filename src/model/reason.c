/* reason.c: every way in which a run fails, in the words of the C API, and how messages are made of them.
 *
 * A reason has a template. The arguments that the template mentions are those that the diagnostic carries; all others
 * stay empty. Another surface (src/run/failure.c) has templates of its own for the same reasons and arguments. */
#include "model/reason.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the words of the C API ---- */

#define TEXT_ALONE "{text}"
#define NO_STEP "at t = {t} no step above {limit} succeeds, {state} changes fastest: "
#define EDGE_PASSED "[; the unilateral guard {guard} is {value} there, past its surface]"
#define ACCUMULATES "infinitely many events of {guards} before t = {t}: "

static const char *const forms[] = {
    [BRINK_REASON_TIME_NOT_FINITE] = "asked to go to t = {value}: give a finite time",
    [BRINK_REASON_TIME_BACKWARDS] =
        "asked to go to t = {value:17}, but the simulation is at {t} already: events and resets "
        "cannot be undone, so time runs forwards only; for a model without them, simulate x' = "
        "-f(-t, x)",

    [BRINK_REASON_STOP_TEXT] = TEXT_ALONE,
    [BRINK_REASON_ACTION_TEXT] = TEXT_ALONE,
    [BRINK_REASON_ACTION_FAILED] = "{actor} reported a fatal error ({count}) at t = {t}",
    [BRINK_REASON_ACTION_STATE] = "{actor} set state {state} to {value} at t = {t}",
    [BRINK_REASON_ACTION_PARAMETER] = "{actor} set {parameter} to {value} at t = {t}",
    [BRINK_REASON_ZENO_FAILED] =
        "the zeno action reported a fatal error ({count}), or left a state that is not finite, at "
        "t = {t}, the limit of events of {guard}",
    [BRINK_REASON_RHS_FAILED] = "the right-hand side reported a fatal error at t = {t}",
    [BRINK_REASON_GUARD_FAILED] = "{noun} reported a fatal error near t = {t}",
    [BRINK_REASON_GUARD_CONTRADICTS] =
        "{noun} is {value} at t = {t}, past its surface, and no event was found: it gives another "
        "value when it is asked again, or the degree or the bound that it declares is wrong",

    [BRINK_REASON_PAST_GUARD] = "at t = {t} the state is past the unilateral guard {guard}: an "
                                "action or an initial value put it there",
    [BRINK_REASON_RHS_REFUSED] =
        "the right-hand side is not defined at t = {t}: it refused" EDGE_PASSED,
    [BRINK_REASON_RHS_NOT_FINITE] =
        "the right-hand side is not defined at t = {t}: dx/dt of {state} is not finite" EDGE_PASSED,
    [BRINK_REASON_GUARD_UNDEFINED] =
        "{noun} has no value at t = {t}: it is NaN, or its callback refused",
    [BRINK_REASON_SIDE_UNDEFINED] =
        "at t = {t} a field beside the surface of {guard} is not defined",
    [BRINK_REASON_START_VALUE] = "{text} is {value} at the start",

    [BRINK_REASON_GUARD_ENDS] = "{noun} has no value just after t = {t}: define it further on, or "
                                "let the model end there",
    [BRINK_REASON_STEP_TOLERANCE] =
        NO_STEP "its tolerance is 0, as its value and its atol are; give it an atol above 0",
    [BRINK_REASON_STEP_OVERFLOW] =
        NO_STEP "it becomes larger than any number that can be represented",
    [BRINK_REASON_STEP_UNDEFINED] =
        NO_STEP "the right-hand side is not defined just ahead; if the model ends there, declare "
                "the edge as a unilateral guard",
    [BRINK_REASON_STEP_SINGULAR] =
        NO_STEP "the solution seems to have a singularity or a discontinuity here; if it switches, "
                "declare a guard; if the model ends, a unilateral one",

    [BRINK_REASON_STEP_RESOLUTION] =
        NO_STEP "time is resolved to {value} here, and the step needed is shorter; let time start "
                "nearer to 0, or allow a larger error",

    [BRINK_REASON_BLOCKED] =
        "at t = {t} the surface of the unilateral guard {guard} was reached, nothing that the "
        "right-hand side reads was changed, and it still points past the surface: change a mode or "
        "a state in the action, or return BRINK_STOPPED from it",
    [BRINK_REASON_PAIR_BLOCKED] =
        "at t = {t} the surface of the unilateral guard {guard} of {pair} was reached, and nothing "
        "that the action changed leads away from it: their motion still points past the surface; "
        "change a mode or a state in the action, or stop there",
    [BRINK_REASON_TANGLED] =
        "at t = {t} the solution would slide on {first} and {second} at once: where two surfaces "
        "meet the sliding field is not unique; combine them into one guard, or give the model a "
        "mode for it",
    [BRINK_REASON_LAW_LEAVES] =
        "at t = {t} the law on the surface of {noun} leaves it: the guard changes at a rate of "
        "{value} along it[, mostly by the derivative of {state}], and must stay 0",

    [BRINK_REASON_CONDITIONS_LOOP] = "the conditions of the equations at t = {t} contradict each "
                                     "other: they do not settle after {count} rounds",
    [BRINK_REASON_SIGNS_LOOP] =
        "the rules and the signs of guards at t = {t} do not settle after {count} rounds",
    [BRINK_REASON_EVENTS_LOOP] =
        "events at t = {t} do not settle after {count} rounds: {guards} keep firing",
    [BRINK_REASON_RULES_LOOP] = "the rules still change something after {count} rounds at t = {t}",
    [BRINK_REASON_TIMER_LOOP] = "timer {clock} is set to the present again and again at t = {t}: "
                                "set it to a later time",
    [BRINK_REASON_TIMER_PAST] =
        "timer {guard} was set to {value} at t = {t}: give the present, a later time, or infinity",
    [BRINK_REASON_STUCK] =
        "time does not move on from t = {t}: no step and no event leads away from it",
    [BRINK_REASON_STUCK_TIMER] =
        "time does not move on from t = {t}: a timer is set to the present again and again",
    [BRINK_REASON_STUCK_GUARD] = "time does not move on from t = {t}: {noun} fires again and again",
    [BRINK_REASON_STUCK_AGENT] =
        "time does not move on from t = {t}: something of {agent} happens again and again",
    [BRINK_REASON_STUCK_PAIR] =
        "time does not move on from t = {t}: {guard} of {pair} fires again and again",

    [BRINK_REASON_ZENO] = ACCUMULATES "give the model a mode for the limit, or a zeno action and "
                                      "BRINK_ZENO_CONTINUE",
    [BRINK_REASON_ZENO_LIMIT] =
        ACCUMULATES "give the model a zeno action that puts it into its limit mode",
    [BRINK_REASON_ZENO_AGENT] =
        "infinitely many events of {agent} before t = {t}: give the model a mode for the limit",
    [BRINK_REASON_ZENO_PAIR] = "infinitely many events of {guard} of {pair} before t = {t}: give "
                               "the model a mode for the limit",

    [BRINK_REASON_STRUCTURE] = "at t = {t} {text}",
    [BRINK_REASON_DEPENDENT] = "at t = {t} {equations} depend on each other: nothing determines "
                               "{states} separately",
    [BRINK_REASON_CONTRADICTED] =
        "the fixed initial values of {states} contradict {equations} by {value}",
    [BRINK_REASON_UNSOLVED] = "no values of {states} satisfy {equations} at t = {t}; what is left "
                              "where the search ended: {value}",
    [BRINK_REASON_OUT_OF_RANGE] =
        "at t = {t} the constraints give {states} the value {value}, outside its bound {limit}",
    [BRINK_REASON_NO_IMPULSE] = "at t = {t} {equations} is off by {value}, and no impulse of an "
                                "unknown moves {states} so that it holds",
    [BRINK_REASON_ASSIGNED] =
        "at t = {t} the assigned values of {states} contradict {equations} by {value}",
    [BRINK_REASON_IMPULSE] = "at t = {t} the impulse of {unknown} is not unique: dx/dt of {moved} "
                             "depends on {jumps}, which jumps; assign both",
    [BRINK_REASON_CONSTRAINT_UNDEFINED] = "at t = {t} a constraint has no value",
    [BRINK_REASON_STRUCTURES_LOOP] =
        "the constraints and what they cause at t = {t} do not settle after {count} rounds",

    [BRINK_REASON_DELAY_RANGE] =
        "at t = {t} the {text} is {value:17}, but it must be positive and at "
        "most {limit}; below a millionth of that, or the resolution of time, it counts as zero",
    [BRINK_REASON_DELAY_HISTORY] = "the value of the {text} before the start depends on itself: "
                                   "give its history",
    [BRINK_REASON_DELAY_VALUE] = "at t = {t} the signal of the {text} has no value",
    [BRINK_REASON_DELAY_MEMORY] = "out of memory for the history of delayed signals at t = {t}",

    [BRINK_REASON_INPUT_FAILED] =
        "the function of input '{text}' reported an error ({count}) at t = {t}",
    [BRINK_REASON_INPUT_UNDEFINED] =
        "the function of input '{text}' is {value} at t = {t}: it must "
        "have a finite value wherever the run comes to",

    [BRINK_REASON_MAX_STEPS] = "max_steps = {count} steps were taken up to t = {t}: raise the "
                               "limit, or look for what makes the steps small",
    [BRINK_REASON_MAX_TURNS] = "{count} turns of agents were taken up to t = {t}",
    [BRINK_REASON_MAX_SLIDES] =
        "an agent slides on {count} surfaces at once: at most {limit} are supported",
};

const char *brink_reason_form(brink_reason reason) {
  size_t count = sizeof forms / sizeof forms[0];
  return (size_t)reason < count ? forms[reason] : NULL;
}

/* ---- templates ---- */

typedef struct writer {
  const brink_diag *diag;
  const brink_vocabulary *words;
  char *text;
  size_t size, length;
} writer;

static void put(writer *w, const char *data, size_t length) {
  size_t room = w->size - 1 - w->length;
  if (length > room) length = room;
  memcpy(w->text + w->length, data, length);
  w->length += length;
  w->text[w->length] = '\0';
}

/* A number with so many digits. */
static void put_number(writer *w, double value, int digits) {
  char text[40];
  if (isnan(value)) value = fabs(value); /* its sign means nothing */
  int length = snprintf(text, sizeof text, "%.*g", digits, value);
  put(w, text, (size_t)length);
}

static void put_name(writer *w, void (*name)(const void *, size_t, char *, size_t), size_t index) {
  char text[BRINK_DIAG_MESSAGE];
  name(w->words->user, index, text, sizeof text);
  put(w, text, strlen(text));
}

static void put_guards(writer *w) {
  for (size_t k = 0; k < w->diag->nguards && k < BRINK_DIAG_GUARDS; k++) {
    if (k > 0) put(w, ", ", 2);
    put_name(w, w->words->guard, w->diag->guards[k]);
  }
  if (w->diag->nguards > BRINK_DIAG_GUARDS) put(w, ", …", 5);
}

/* Several clocks at one instant: what they did is looked at after the last of them. */
static void put_actor(writer *w) {
  const brink_diag *diag = w->diag;
  static const char rules[] = "a rule", action[] = "the action of ", clock[] = "clock ";
  static const char one_of[] = "one of the clocks that are due, the last is ";
  if (diag->guard == BRINK_NONE && diag->clock == BRINK_NONE) {
    put(w, rules, sizeof rules - 1);
  } else if (diag->guard != BRINK_NONE) {
    put(w, action, sizeof action - 1);
    put_name(w, w->words->noun, diag->guard);
  } else {
    bool many = diag->reason != BRINK_REASON_ACTION_FAILED && diag->count > 1;
    put(w, many ? one_of : action, (many ? sizeof one_of : sizeof action) - 1);
    if (!many) put(w, clock, sizeof clock - 1);
    put_name(w, w->words->clock, diag->clock);
    if (many) put(w, ",", 1);
  }
}

static void put_agents(writer *w, int count) {
  const brink_diag *diag = w->diag;
  bool same = count == 2 && diag->population[0] == diag->population[1];
  for (int k = 0; k < count; k++) {
    char text[BRINK_DIAG_MESSAGE], name[BRINK_DIAG_MESSAGE / 2];
    size_t number = diag->agent[k] + 1;
    w->words->population(w->words->user, k, name, sizeof name);
    if (!same)
      snprintf(text, sizeof text, "%sagent %zu of %s", k > 0 ? " and " : "", number, name);
    else if (k == 0)
      snprintf(text, sizeof text, "agents %zu and %zu of %s", number, diag->agent[1] + 1, name);
    if (k == 0 || !same) put(w, text, strlen(text));
  }
}

static void put_states(writer *w, size_t first, size_t end) {
  for (size_t k = first; k < end && k < w->diag->nstates; k++) {
    if (k > first) put(w, ", ", 2);
    put_name(w, w->words->state, w->diag->states[k]);
  }
}

static void name_equation(size_t equation, int order, char *text, size_t size) {
  if (equation == BRINK_NONE)
    snprintf(text, size, "a constraint");
  else if (order == 0)
    snprintf(text, size, "constraint %zu", equation);
  else
    snprintf(text, size, "constraint %zu (derivative %d)", equation, order);
}

static void put_equations(writer *w) {
  char text[BRINK_DIAG_MESSAGE];
  for (size_t k = 0; k < w->diag->nequations; k++) {
    if (k > 0) put(w, ", ", 2);
    if (w->words->equation != NULL)
      w->words->equation(w->words->user, w->diag->equations[k], w->diag->orders[k], text,
                         sizeof text);
    else
      name_equation(w->diag->equations[k], w->diag->orders[k], text, sizeof text);
    put(w, text, strlen(text));
  }
}

static bool is(const char *key, size_t length, const char *word) {
  return strlen(word) == length && strncmp(key, word, length) == 0;
}

static void put_names(writer *w, const char *key, size_t length) {
  const brink_diag *diag = w->diag;
  const brink_vocabulary *words = w->words;
  if (is(key, length, "guard")) put_name(w, words->guard, diag->guard);
  if (is(key, length, "noun")) put_name(w, words->noun, diag->guard);
  if (is(key, length, "guards")) put_guards(w);
  if (is(key, length, "first")) put_name(w, words->guard, diag->guards[0]);
  if (is(key, length, "second")) put_name(w, words->guard, diag->guards[1]);
  if (is(key, length, "state")) put_name(w, words->state, diag->state);
  if (is(key, length, "states")) put_states(w, 0, BRINK_DIAG_EQUATIONS);
  if (is(key, length, "unknown")) put_states(w, 0, 1);
  if (is(key, length, "moved")) put_states(w, 1, 2);
  if (is(key, length, "jumps")) put_states(w, diag->nstates > 2 ? 2 : 0, 3);
  if (is(key, length, "equations")) put_equations(w);
  if (is(key, length, "parameter")) put_name(w, words->parameter, diag->parameter);
  if (is(key, length, "clock")) put_name(w, words->clock, diag->clock);
  if (is(key, length, "actor")) put_actor(w);
  if (is(key, length, "agent")) put_agents(w, 1);
  if (is(key, length, "pair")) put_agents(w, 2);
  if (is(key, length, "text")) put(w, diag->text, strlen(diag->text));
}

static void put_argument(writer *w, const char *key, size_t length) {
  const brink_diag *diag = w->diag;
  if (is(key, length, "t")) put_number(w, diag->t, 17);
  if (is(key, length, "t:10")) put_number(w, diag->t, 10);
  if (is(key, length, "h")) put_number(w, diag->h, 3);
  if (is(key, length, "value")) put_number(w, diag->value, 6);
  if (is(key, length, "value:17")) put_number(w, diag->value, 17);
  if (is(key, length, "limit")) put_number(w, diag->limit, 3);
  if (is(key, length, "count")) put_number(w, (double)diag->count, 17);
  put_names(w, key, length);
}

/* Is what stands in brackets to be left out? */
static bool is_unset(const brink_diag *diag, const char *key, size_t length) {
  return (is(key, length, "guard") && diag->guard == BRINK_NONE) ||
         (is(key, length, "state") && diag->state == BRINK_NONE);
}

static bool lacks(const brink_diag *diag, const char *form, const char *end) {
  for (const char *at = form; (at = strchr(at, '{')) != NULL && at < end; at++) {
    if (is_unset(diag, at + 1, strcspn(at + 1, "}"))) return true;
  }
  return false;
}

void brink_reason_write(const char *form, const brink_diag *diag, const brink_vocabulary *words,
                        char *text, size_t size) {
  writer w = {.diag = diag, .words = words, .text = text, .size = size};
  text[0] = '\0';
  for (const char *at = form; *at != '\0';) {
    size_t length = strcspn(at, "{[]");
    put(&w, at, length);
    at += length;
    if (*at == '{') {
      length = strcspn(at, "}");
      put_argument(&w, at + 1, length - 1);
      at += length + 1;
    } else if (*at == '[') {
      const char *end = strchr(at, ']');
      at = lacks(diag, at, end) ? end + 1 : at + 1;
    } else if (*at == ']') {
      at++;
    }
  }
}

/* ---- a diagnostic ---- */

static bool mentions(const char *form, const char *key) {
  return strstr(form, key) != NULL;
}

typedef struct namer {
  const brink_model *model;
  const brink_arguments *arguments;
} namer;

static void name_guard(const void *user, size_t guard, char *text, size_t size) {
  const namer *names = user;
  snprintf(text, size, "'%s'", brink_model_guard_name(names->model, guard));
}

static void name_noun(const void *user, size_t guard, char *text, size_t size) {
  const namer *names = user;
  snprintf(text, size, "guard '%s'", brink_model_guard_name(names->model, guard));
}

static void name_state(const void *user, size_t state, char *text, size_t size) {
  const namer *names = user;
  snprintf(text, size, "'%s'", brink_model_state_name(names->model, state));
}

static void name_parameter(const void *user, size_t parameter, char *text, size_t size) {
  (void)user;
  snprintf(text, size, "parameter %zu", parameter);
}

static void name_clock(const void *user, size_t clock, char *text, size_t size) {
  const namer *names = user;
  snprintf(text, size, "'%s'", names->model->def.clocks[clock].name);
}

static void name_population(const void *user, int side, char *text, size_t size) {
  const namer *names = user;
  const char *name = names->arguments->population_name[side];
  snprintf(text, size, "'%s'", name != NULL ? name : "(no name)");
}

static void keep_text(char *to, size_t size, const char *text) {
  size_t length = text != NULL ? strlen(text) : 0;
  if (length >= size) length = size - 1;
  if (length > 0) memcpy(to, text, length);
  to[length] = '\0';
}

/* What the template mentions is kept. */
static void keep_arguments(brink_diag *diag, const char *form, const brink_arguments *from) {
  diag->t = from->t;
  diag->h = from->h;
  diag->count = from->count;
  if (strcmp(form, TEXT_ALONE) == 0) { /* runs that end many times a second end so */
    keep_text(diag->text, sizeof diag->text, from->text);
    return;
  }
  bool acts = mentions(form, "{actor}");
  if (mentions(form, "{state}")) diag->state = from->state;
  if (mentions(form, "{parameter}")) diag->parameter = from->parameter;
  if (acts || mentions(form, "{guard}") || mentions(form, "{noun}")) diag->guard = from->guard;
  if (acts || mentions(form, "{clock}")) diag->clock = from->clock;
  if (mentions(form, "{value")) diag->value = from->value;
  if (mentions(form, "{limit}")) diag->limit = from->limit;
  for (int k = 0; k < 2; k++) {
    if (!mentions(form, "{pair}") && (k == 1 || !mentions(form, "{agent}"))) continue;
    diag->population[k] = from->population[k];
    diag->agent[k] = from->agent[k];
  }
  if (mentions(form, "{text}")) keep_text(diag->text, sizeof diag->text, from->text);
  for (size_t k = 0; k < from->nequations && k < BRINK_DIAG_EQUATIONS; k++) {
    diag->equations[diag->nequations] = from->equations[k];
    diag->orders[diag->nequations++] = from->orders[k];
  }
  for (size_t k = 0; k < from->nstates && k < BRINK_DIAG_EQUATIONS; k++) {
    diag->values[diag->nstates] = from->values != NULL ? from->values[k] : 0.0;
    diag->states[diag->nstates++] = from->states[k];
  }
  if (!mentions(form, "{guards}") && !mentions(form, "{second}")) return;
  diag->nguards = from->nguards;
  for (size_t k = 0; k < from->nguards && k < BRINK_DIAG_GUARDS; k++)
    diag->guards[k] = from->guards[k];
  diag->guard = from->guard;
}

brink_status brink_fail(brink_diag *diag, const brink_model *model, brink_reason reason,
                        const brink_arguments *arguments) {
  brink_status status = brink_reason_status(reason);
  const char *form = brink_reason_form(reason);
  if (diag == NULL) return status;
  brink_diag_clear(diag);
  diag->status = status;
  diag->reason = reason;
  if (form == NULL) form = brink_status_text(status);
  brink_arguments outside = *arguments;
  if (model != NULL && model->backward) outside.t = 0.0 - outside.t;
  arguments = &outside;
  keep_arguments(diag, form, arguments);
  namer names = {model, arguments};
  brink_vocabulary words = {.guard = name_guard,
                            .noun = name_noun,
                            .state = name_state,
                            .parameter = name_parameter,
                            .clock = name_clock,
                            .population = name_population,
                            .user = &names};
  brink_reason_write(form, diag, &words, diag->message, sizeof diag->message);
  return status;
}
