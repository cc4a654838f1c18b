/* exact_run.h: a simulator of small hybrid models in arbitrary precision, for oracles.
 *
 * It shares nothing with the library: formulas are read by a parser of its own (exact_formula.h), flows are Taylor
 * series in Arb's numbers, events are zeros of the guards' series, and all that the library finds out by itself
 * (which mode comes next, how it slides, when it lets go) is written down by hand in the model. Times and states are
 * good to about 40 digits: steps are cut to a truncation error of 1e-45, and zeros are polished by Newton's method
 * until they stand still.
 *
 * A model is text:
 *
 *     static const exact_model ball = {
 *       .states = "y v", .knobs = "g=9.81 e=0.8", .initial = "y = 1",
 *       .modes = {{.flow = "y' = v; v' = -g", .events = {{"ground", "y", FALLING, "v = -e*v", 0}}}},
 *       .until = "3.0"};
 *
 * A list of formulas defines states (in a flow: their derivatives), or names for the formulas behind them. What is
 * left out is 0 in a flow and in the initial values, and unchanged in an action. All formulas of an action read the
 * values before it. `time` is the time.
 *
 * Included by one file: all functions are static. A mistake in a model aborts, because the test itself is wrong. */
#ifndef BRINK_TESTS_EXACT_RUN_H
#define BRINK_TESTS_EXACT_RUN_H

#include "exact_formula.h"

#include <math.h>

enum {
  EXACT_KNOBS = 8,
  EXACT_MODES = 5,
  EXACT_EVENTS = 32, /* of a run */
  EXACT_SAMPLES = 8  /* of a guard in a step, to find its changes of sign */
};

typedef enum exact_direction { FALLING = -1, RISING = 1 } exact_direction;

typedef struct exact_switch {
  const char *name;
  const char *guard; /* a formula; NULL: no event */
  exact_direction direction;
  const char *action; /* "": changes no state */
  int to;             /* the mode that follows */
} exact_switch;

typedef struct exact_mode {
  const char *flow;
  exact_switch events[EXACT_SWITCHES];
} exact_mode;

typedef struct exact_model {
  const char *states, *knobs, *initial;
  exact_mode modes[EXACT_MODES];
  const char *period, *tick; /* what happens at 0, period, 2 period, … ; NULL: nothing */
  const char *until;
  double longest; /* step: a guard has at most one zero in an eighth of it; 0: 0.25 */
} exact_model;

/* -------------------------------------------------------------------------- a machine ---- */

typedef struct exact_machine {
  const exact_model *model;
  int states, knobs, modes;
  char state[EXACT_STATES][EXACT_NAME], knob[EXACT_KNOBS][EXACT_NAME];
  arb_ptr value; /* of the knobs */
  exact_tape initial, tick, flow[EXACT_MODES], action[EXACT_MODES][EXACT_SWITCHES];
} exact_machine;

/* What came of a run: times and states behind events, and the state at the end, behind them all. */
typedef struct exact_result {
  int count;
  const char *name[EXACT_EVENTS];
  arb_ptr t;                   /* count */
  arb_ptr x[EXACT_EVENTS + 1]; /* count + 1 */
} exact_result;

static void exact_tape_open(exact_tape *tape, const exact_machine *m) {
  *tape = (exact_tape){.states = m->states, .knobs = m->knobs};
  for (int i = 0; i < m->states; i++)
    exact_define(tape, m->state[i], strlen(m->state[i]), exact_push(tape, EXACT_LEAF, 0, 0));
  for (int j = 0; j < m->knobs; j++)
    exact_define(tape, m->knob[j], strlen(m->knob[j]), exact_push(tape, EXACT_LEAF, 0, 0));
  exact_define(tape, "time", 4, exact_push(tape, EXACT_LEAF, 0, 0));
}

static void exact_tape_close(exact_tape *tape) {
  for (int n = 0; n < tape->count; n++) {
    _arb_vec_clear(tape->nodes[n].c, EXACT_ORDER + 2);
    _arb_vec_clear(tape->nodes[n].d, EXACT_ORDER + 2);
  }
}

static void exact_names(exact_machine *m) {
  const char *at = m->model->states;
  for (; *at != '\0'; at += strspn(at, " ")) {
    if (m->states == EXACT_STATES) exact_wrong(m->model->states, "too many");
    snprintf(m->state[m->states++], EXACT_NAME, "%.*s", (int)exact_word(at), at);
    at += exact_word(at);
  }
  m->value = _arb_vec_init(EXACT_KNOBS);
  for (at = m->model->knobs; *at != '\0'; at += strspn(at, " ")) {
    char number[EXACT_NAME];
    if (m->knobs == EXACT_KNOBS) exact_wrong(m->model->knobs, "too many");
    snprintf(m->knob[m->knobs], EXACT_NAME, "%.*s", (int)exact_word(at), at);
    at += exact_word(at);
    if (*at++ != '=') exact_wrong(m->model->knobs, "name=value is wanted");
    snprintf(number, sizeof number, "%.*s", (int)strcspn(at, " "), at);
    arb_set_str(&m->value[m->knobs], number, EXACT_PREC);
    mag_zero(arb_radref(&m->value[m->knobs++]));
    at += strcspn(at, " ");
  }
}

static void exact_compile_mode(exact_machine *m, int mode) {
  const exact_mode *from = &m->model->modes[mode];
  exact_tape_open(&m->flow[mode], m);
  exact_list(&m->flow[mode], from->flow);
  for (int e = 0; e < EXACT_SWITCHES && from->events[e].guard != NULL; e++) {
    m->flow[mode].guard[e] = exact_guard(&m->flow[mode], from->events[e].guard);
    exact_tape_open(&m->action[mode][e], m);
    exact_list(&m->action[mode][e], from->events[e].action);
  }
}

static exact_machine *exact_open(const exact_model *model) {
  exact_machine *m = calloc(1, sizeof *m);
  if (m == NULL) exact_wrong(model->states, "out of memory");
  m->model = model;
  exact_names(m);
  exact_tape_open(&m->initial, m);
  exact_list(&m->initial, model->initial);
  if (model->period != NULL) {
    exact_tape_open(&m->tick, m);
    exact_list(&m->tick, model->tick);
  }
  for (; m->modes < EXACT_MODES && model->modes[m->modes].flow != NULL; m->modes++)
    exact_compile_mode(m, m->modes);
  return m;
}

static void exact_close(exact_machine *m) {
  exact_tape_close(&m->initial);
  exact_tape_close(&m->tick);
  for (int k = 0; k < m->modes; k++) {
    exact_tape_close(&m->flow[k]);
    for (int e = 0; e < EXACT_SWITCHES; e++) exact_tape_close(&m->action[k][e]);
  }
  _arb_vec_clear(m->value, EXACT_KNOBS);
  free(m);
}

static exact_result *exact_result_open(void) {
  exact_result *result = calloc(1, sizeof *result);
  if (result == NULL) exact_wrong("a result", "out of memory");
  result->t = _arb_vec_init(EXACT_EVENTS);
  for (int k = 0; k <= EXACT_EVENTS; k++) result->x[k] = _arb_vec_init(EXACT_STATES);
  return result;
}

static void exact_result_close(exact_result *result) {
  for (int k = 0; k <= EXACT_EVENTS; k++) _arb_vec_clear(result->x[k], EXACT_STATES);
  _arb_vec_clear(result->t, EXACT_EVENTS);
  free(result);
}

/* ------------------------------------------------------------------------------ a run ---- */

typedef struct exact_run {
  exact_machine *machine;
  int mode;
  arb_t t, h, s, limit, root; /* limit: of the present stretch; root: of the present search */
  arb_ptr x;
} exact_run;

/* The sign that a guard has just behind the beginning of a step: where it starts at zero, that of its first
 * derivative that is none. */
static int exact_sign(arb_srcptr g) {
  for (slong k = 0; k <= 3; k++)
    if (arf_cmpabs_2exp_si(arb_midref(&g[k]), -100) > 0) return arf_sgn(arb_midref(&g[k]));
  return 0;
}

/* The zero of a series between lo and hi, where its signs differ; `sign` is that at lo. Newton's method, and
 * bisection where it leaves the bracket. */
static void exact_zero(arb_t root, arb_srcptr g, int sign, arb_t lo, arb_t hi) {
  arb_t value, slope, next;
  arb_ptr derivative = _arb_vec_init(EXACT_ORDER + 1);
  arb_init(value), arb_init(slope), arb_init(next);
  _arb_poly_derivative(derivative, g, EXACT_ORDER + 1, EXACT_PREC);
  arb_add(root, lo, hi, EXACT_PREC);
  arb_mul_2exp_si(root, root, -1);
  for (int k = 0; k < 200; k++) {
    exact_at(value, g, root);
    if (arb_is_zero(value)) break;
    arb_set(arf_sgn(arb_midref(value)) == sign ? lo : hi, root);
    exact_at(slope, derivative, root);
    arb_div(next, value, slope, EXACT_PREC);
    arb_sub(next, root, next, EXACT_PREC);
    if (!arb_is_finite(next) || !arb_ge(next, lo) || !arb_le(next, hi)) {
      arb_add(next, lo, hi, EXACT_PREC);
      arb_mul_2exp_si(next, next, -1);
    }
    mag_zero(arb_radref(next));
    arb_sub(value, next, root, EXACT_PREC);
    arb_set(root, next);
    if (arf_cmpabs_2exp_si(arb_midref(value), EXACT_TRUNCATION - 10) < 0) break;
  }
  arb_clear(value), arb_clear(slope), arb_clear(next);
  _arb_vec_clear(derivative, EXACT_ORDER + 1);
}

/* The first crossing of a guard in a direction, in (0, h]; false: none. (A guard that only touches zero, and that at
 * a sample, would count: no model does.) */
static bool exact_crossing(exact_run *r, arb_srcptr g, exact_direction direction) {
  int sign = exact_sign(g);
  bool found = false;
  arb_t lo, hi, value;
  arb_init(lo), arb_init(hi), arb_init(value);
  for (int k = 1; k <= EXACT_SAMPLES && !found; k++) {
    arb_set(lo, hi);
    arb_mul_si(hi, r->h, k, EXACT_PREC);
    arb_div_si(hi, hi, EXACT_SAMPLES, EXACT_PREC);
    mag_zero(arb_radref(hi));
    exact_at(value, g, hi);
    int after = arf_sgn(arb_midref(value));
    found = sign == -(int)direction && after != sign;
    if (!found && after != 0) sign = after;
  }
  if (found) exact_zero(r->root, g, sign, lo, hi);
  arb_clear(lo), arb_clear(hi), arb_clear(value);
  return found;
}

/* r->h: as long as the series of states and guards can be trusted, and not past the limit. */
static void exact_choose(exact_run *r, const exact_tape *tape, int guards) {
  const exact_model *model = r->machine->model;
  double longest = log2(model->longest > 0.0 ? model->longest : 0.25);
  for (int i = 0; i < tape->states; i++) longest = exact_reach(tape->nodes[i].c, longest);
  for (int e = 0; e < guards; e++) longest = exact_reach(tape->nodes[tape->guard[e]].c, longest);
  arb_set_d(r->h, exp2(longest));
  arb_sub(r->s, r->limit, r->t, EXACT_PREC);
  mag_zero(arb_radref(r->s));
  if (arb_lt(r->s, r->h)) arb_set(r->h, r->s);
}

/* One step, or a part of one up to an event: which, or -1. */
static int exact_step(exact_run *r) {
  exact_tape *tape = &r->machine->flow[r->mode];
  const exact_switch *events = r->machine->model->modes[r->mode].events;
  int guards = 0, event = -1;
  while (guards < EXACT_SWITCHES && events[guards].guard != NULL) guards++;
  exact_series(tape, r->x, r->machine->value, r->t);
  exact_choose(r, tape, guards);
  arb_set(r->s, r->h);
  for (int e = 0; e < guards; e++) {
    if (!exact_crossing(r, tape->nodes[tape->guard[e]].c, events[e].direction)) continue;
    if (event >= 0 && arb_ge(r->root, r->s)) continue;
    event = e;
    arb_set(r->s, r->root);
  }
  for (int i = 0; i < tape->states; i++) exact_at(&r->x[i], tape->nodes[i].c, r->s);
  arb_add(r->t, r->t, r->s, EXACT_PREC);
  mag_zero(arb_radref(r->t));
  return event;
}

/* Replaces the states by the formulas of a tape. */
static void exact_act(exact_run *r, exact_tape *tape) {
  exact_start(tape, r->x, r->machine->value, r->t);
  for (int i = 0; i < tape->states; i++)
    if (tape->result[i] >= 0) arb_set(&r->x[i], &tape->nodes[tape->result[i]].c[0]);
}

/* Up to r->limit, through all events before it. */
static void exact_stretch(exact_run *r, exact_result *result) {
  while (arb_lt(r->t, r->limit)) {
    int e = exact_step(r);
    if (e < 0) continue;
    if (result->count == EXACT_EVENTS) exact_wrong("a run", "too many events");
    exact_act(r, &r->machine->action[r->mode][e]);
    result->name[result->count] = r->machine->model->modes[r->mode].events[e].name;
    arb_set(&result->t[result->count], r->t);
    _arb_vec_set(result->x[result->count++], r->x, r->machine->states);
    r->mode = r->machine->model->modes[r->mode].events[e].to;
  }
}

/* From the start to the end, through all ticks. */
static void exact_follow(exact_run *r, exact_result *result) {
  const exact_model *model = r->machine->model;
  arb_t end, period;
  arb_init(end), arb_init(period);
  arb_set_str(end, model->until, EXACT_PREC);
  mag_zero(arb_radref(end));
  if (model->period != NULL) arb_set_str(period, model->period, EXACT_PREC);
  for (slong n = 1; model->period != NULL; n++) {
    exact_act(r, &r->machine->tick);
    arb_mul_si(r->limit, period, n, EXACT_PREC);
    mag_zero(arb_radref(r->limit));
    if (arb_gt(r->limit, end)) break;
    exact_stretch(r, result);
  }
  arb_set(r->limit, end);
  exact_stretch(r, result);
  _arb_vec_set(result->x[result->count], r->x, r->machine->states);
  arb_clear(end), arb_clear(period);
}

/* Runs a model; direction (a state, or states + a knob) is changed by 2^shift at the start, in the direction of
 * `sign` (0: nothing is changed). */
static void exact_go(exact_machine *m, int direction, int sign, slong shift, exact_result *result) {
  exact_run r = {.machine = m, .x = _arb_vec_init(EXACT_STATES)};
  arb_t change, kept;
  arb_init(r.t), arb_init(r.h), arb_init(r.s), arb_init(r.limit), arb_init(r.root);
  arb_init(change), arb_init(kept);
  arf_set_si_2exp_si(arb_midref(change), sign, shift);
  arb_ptr knob = direction >= m->states ? &m->value[direction - m->states] : NULL;
  if (knob != NULL) {
    arb_set(kept, knob);
    arb_add(knob, knob, change, EXACT_PREC);
  }
  exact_act(&r, &m->initial);
  if (knob == NULL) arb_add(&r.x[direction], &r.x[direction], change, EXACT_PREC);
  result->count = 0;
  exact_follow(&r, result);
  if (knob != NULL) arb_set(knob, kept);
  arb_clear(r.t), arb_clear(r.h), arb_clear(r.s), arb_clear(r.limit), arb_clear(r.root);
  arb_clear(change), arb_clear(kept);
  _arb_vec_clear(r.x, EXACT_STATES);
}

/* ------------------------------------------------------------------------ differences ---- */

/* Derivatives with respect to one direction: of the times of events, and of the states behind them and at the
 * end. */
typedef struct exact_slopes {
  int count;
  double t[EXACT_EVENTS], x[EXACT_EVENTS + 1][EXACT_STATES];
} exact_slopes;

static double exact_double(const arb_t x) {
  return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

/* (up - down) / (2 2^shift) */
static double exact_quotient(const arb_t up, const arb_t down, slong shift) {
  arb_t difference;
  arb_init(difference);
  arb_sub(difference, up, down, EXACT_PREC);
  arb_mul_2exp_si(difference, difference, -shift - 1);
  double quotient = exact_double(difference);
  arb_clear(difference);
  return quotient;
}

/* Central differences; false: the runs have other events. */
static bool exact_differences(exact_machine *m, int direction, slong shift, exact_slopes *slopes) {
  exact_result *up = exact_result_open(), *down = exact_result_open();
  exact_go(m, direction, 1, shift, up);
  exact_go(m, direction, -1, shift, down);
  bool alike = up->count == down->count;
  slopes->count = up->count;
  for (int e = 0; alike && e < up->count; e++) {
    alike = up->name[e] == down->name[e];
    slopes->t[e] = exact_quotient(&up->t[e], &down->t[e], shift);
  }
  for (int e = 0; alike && e <= up->count; e++)
    for (int i = 0; i < m->states; i++)
      slopes->x[e][i] = exact_quotient(&up->x[e][i], &down->x[e][i], shift);
  exact_result_close(up);
  exact_result_close(down);
  return alike;
}

#endif
