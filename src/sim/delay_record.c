/* delay_record.c: what a step and an instant add to the past of delayed signals (see delay.h).
 *
 * After a step every signal is evaluated at points of the dense output, and becomes a polynomial; where one polynomial
 * does not follow it, two do. After an instant it is known what has changed, and that gives a break of the past:
 *
 *   order 0    the signal has another value
 *   order q    nothing has changed but a delayed signal that it is computed from, which met a break of order q
 *   order q+1  the same, but the delayed signal only enters derivatives of states
 *   order 1    anything else: derivatives may have changed
 *
 * Orders are lower bounds: a break that turns out to be smoother than its order costs a restart of the method, and
 * nothing else. */
#include "sim/delay.h"

#include <math.h>
#include <string.h>

#define PIECE_PART 0.002 /* of the tolerances: by so much a piece may be off the signal */
#define HALVINGS 6       /* of a step */
#define BISECTIONS 60
#define JUMP 1e-9 /* of its size: a signal that differs by less has not jumped */

void brink_delay_fail(brink_sim *sim, brink_reason reason, size_t delay, double value) {
  brink_delay_state *state = sim->delays;
  if (state->failure != BRINK_REASON_NONE) return;
  state->failure = reason;
  state->failed = delay;
  state->value = value;
  state->when = sim->t;
}

brink_status brink_delay_check(brink_sim *sim, brink_diag *diag) {
  const brink_delay_state *state = sim->delays;
  if (state == NULL || state->failure == BRINK_REASON_NONE) return BRINK_OK;
  return brink_fail(diag, sim->model, state->failure,
                    &(brink_arguments){.t = state->when,
                                       .h = sim->stepper.h,
                                       .text = sim->model->def.delays->delays[state->failed].name,
                                       .value = state->value,
                                       .limit = state->pasts[state->failed].bound});
}

/* ---- steps ---- */

static const brink_allocator *allocator_of(const brink_sim *sim) {
  return &sim->arena.allocator;
}

/* All signals at one time of the last step. */
static void evaluate(brink_sim *sim, double t, double *values, size_t stride) {
  brink_delay_state *state = sim->delays;
  brink_path_eval(&sim->last, (t - sim->last.t0) / sim->last.h, state->x);
  for (size_t i = 0; i < state->count; i++) {
    double u = sim->model->def.delays->signal(i, t, state->x, &sim->eval.env);
    if (!isfinite(u)) {
      brink_delay_fail(sim, BRINK_REASON_DELAY_VALUE, i, u);
      state->when = t;
    }
    values[i * stride] = u;
  }
}

/* Does one polynomial do for each of the signals? */
static bool fit_all(brink_sim *sim, double a, double b) {
  brink_delay_state *state = sim->delays;
  double middle = a + 0.5 * (b - a), half = 0.5 * (b - a), c[BRINK_CHEBYSHEV_LENGTH], allowed;
  for (int j = 0; j < BRINK_CHEBYSHEV_LENGTH; j++) {
    double t = j == 0 ? b : j == BRINK_CHEBYSHEV ? a : middle + half * brink_chebyshev_point(j);
    evaluate(sim, t, state->values + j, BRINK_CHEBYSHEV_LENGTH);
  }
  for (int k = 0; k < BRINK_DELAY_CHECKS; k++)
    evaluate(sim, middle + half * brink_delay_between(k), state->between + k, BRINK_DELAY_CHECKS);
  for (size_t i = 0; i < state->count; i++) {
    brink_delay_fit fit = {a, b, state->values + i * BRINK_CHEBYSHEV_LENGTH,
                           state->between + i * BRINK_DELAY_CHECKS};
    if (!sim->model->def.delays->delays[i].held &&
        !brink_delay_fits(sim, &fit, PIECE_PART, c, &allowed))
      return false;
  }
  return true;
}

/* A held signal that keeps its value needs no other piece. */
static bool extends(brink_past *past, double value, double b) {
  if (past->count == past->first) return false;
  brink_delay_piece *last = &past->pieces[past->count - 1];
  bool broken = past->nbreaks > 0 && past->breaks[past->nbreaks - 1].t >= last->t1;
  if (broken || last->c[0] != value) return false;
  last->t1 = b;
  return true;
}

static bool add_piece(brink_sim *sim, size_t delay, double a, double b) {
  brink_delay_state *state = sim->delays;
  brink_past *past = &state->pasts[delay];
  const double *values = state->values + delay * BRINK_CHEBYSHEV_LENGTH;
  brink_delay_piece piece = {.t0 = a, .t1 = b};
  if (sim->model->def.delays->delays[delay].held) {
    piece.c[0] = values[BRINK_CHEBYSHEV];
    if (extends(past, piece.c[0], b)) return true;
  } else {
    brink_chebyshev_fit(values, piece.c);
  }
  return brink_past_add(past, allocator_of(sim), &piece);
}

/* The time from which on the signal that failed has no value, between a and where that was found. */
static void find_failure(brink_sim *sim, double a) {
  brink_delay_state *state = sim->delays;
  double known = a, unknown = state->when;
  for (int k = 0; k < BISECTIONS && state->failure == BRINK_REASON_DELAY_VALUE; k++) {
    double t = known + 0.5 * (unknown - known);
    brink_path_eval(&sim->last, (t - sim->last.t0) / sim->last.h, state->x);
    if (isfinite(sim->model->def.delays->signal(state->failed, t, state->x, &sim->eval.env)))
      known = t;
    else
      unknown = t;
  }
  state->when = unknown;
}

static void record(brink_sim *sim, double a, double b, int halvings) {
  brink_delay_state *state = sim->delays;
  bool fits = fit_all(sim, a, b);
  double middle = a + 0.5 * (b - a);
  if (state->failure != BRINK_REASON_NONE) {
    find_failure(sim, a);
    return;
  }
  if (!fits && halvings < HALVINGS && middle > a && middle < b) {
    record(sim, a, middle, halvings + 1);
    record(sim, middle, b, halvings + 1);
    return;
  }
  for (size_t i = 0; i < state->count; i++) {
    if (!add_piece(sim, i, a, b)) brink_delay_fail(sim, BRINK_REASON_DELAY_MEMORY, i, 0.0);
  }
}

void brink_delay_record(brink_sim *sim, double t0) {
  brink_delay_state *state = sim->delays;
  if (state == NULL || !(sim->t > t0) || state->failure != BRINK_REASON_NONE) return;
  record(sim, t0, sim->t, 0);
  for (size_t i = 0; i < state->count; i++) {
    brink_past *past = &state->pasts[i];
    double oldest = past->bound * (1.0 + 1e-6) + brink_past_rounding(past, sim->t);
    brink_past_drop(past, sim->t - oldest);
  }
}

/* ---- instants ---- */

void brink_delay_instant(brink_sim *sim) {
  brink_delay_state *state = sim->delays;
  if (state == NULL) return;
  memcpy(state->sgn, sim->eval.sgn, sim->model->def.nguards);
  for (size_t i = 0; i < state->count; i++) state->pasts[i].met = -1;
}

static bool differs(const bool *read, size_t k) {
  return read == NULL || read[k];
}

/* Has anything changed that equations read, besides delayed signals? */
static bool has_changed(const brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  const brink_delay_state *state = sim->delays;
  if (memcmp(sim->instant.pre_x, sim->x, def->nx * sizeof(double)) != 0 ||
      memcmp(state->sgn, sim->eval.sgn, def->nguards) != 0)
    return true;
  for (size_t k = 0; k < def->np; k++) {
    if (!state->own[k] && sim->instant.pre_p[k] != sim->eval.p[k] && differs(def->reads.p, k))
      return true;
  }
  for (size_t k = 0; k < def->nmodes; k++) {
    if (sim->instant.pre_mode[k] != sim->eval.mode[k] && differs(def->reads.mode, k)) return true;
  }
  return false;
}

/* What breaks that delayed signals have met make of this one; above BRINK_DELAY_ORDERS: nothing. */
static int passed_on(const brink_sim *sim, size_t delay) {
  const brink_delays *delays = sim->model->def.delays;
  const brink_delay_state *state = sim->delays;
  int least = BRINK_DELAY_ORDERS + 1;
  for (size_t j = 0; j < state->count; j++) {
    int met = state->pasts[j].met;
    if (met < 0) continue;
    bool reads =
        delays->reads[delays->delays[delay].line * delays->nlines + delays->delays[j].line];
    int order = reads ? met : met + 1;
    /* On a surface that holds the state everything may act on everything. */
    if (delays->reach != NULL && sim->eval.nheld == 0)
      order = met + delays->reach[delay * delays->count + j];
    if (order < least) least = order;
  }
  return least;
}

static int break_order(brink_sim *sim, size_t delay, bool changed) {
  const brink_delay *def = &sim->model->def.delays->delays[delay];
  const brink_past *past = &sim->delays->pasts[delay];
  double u = sim->model->def.delays->signal(delay, sim->t, sim->x, &sim->eval.env);
  double last = brink_past_last(past);
  if (!isfinite(u)) brink_delay_fail(sim, BRINK_REASON_DELAY_VALUE, delay, u);
  if (def->held) return u != last ? 0 : BRINK_DELAY_ORDERS + 1;
  if (!(fabs(u - last) <= JUMP * fmax(fabs(u), fabs(last)))) return 0;
  if (!changed) return passed_on(sim, delay);
  /* An event that changed nothing but signs, which the solution does not read. */
  bool passes = sim->instant.passing && !sim->instant.changed && !def->reads_signs;
  return passes ? BRINK_DELAY_ORDERS + 1 : 1;
}

void brink_delay_instant_over(brink_sim *sim) {
  brink_delay_state *state = sim->delays;
  if (state == NULL || !state->begun) return;
  bool changed = has_changed(sim);
  for (size_t i = 0; i < state->count; i++) {
    int order = break_order(sim, i, changed);
    if (order <= BRINK_DELAY_ORDERS &&
        !brink_past_break(&state->pasts[i], allocator_of(sim), sim->t, order))
      brink_delay_fail(sim, BRINK_REASON_DELAY_MEMORY, i, 0.0);
  }
  brink_delay_settle(sim);
}
