/* delay_start.c: delayed signals before the run; memory (see delay.h).
 *
 * Before the start a signal is what its history says, or what it is at the start. The latter may itself be computed from
 * delayed signals: values are passed on until they stay as they are, which ends after as many rounds as there are
 * delays unless a value depends on itself. */
#include "sim/delay.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define HISTORY_PART 0.002 /* of the tolerances: by so much a piece may be off the history */
#define HALVINGS 40        /* of the history, to find where it is not continuous … */
#define MOST_PIECES 4096   /* of a history that is continuous nowhere */
#define KINK_HALVINGS 14   /* … and where it may have a kink */
#define ROUNDS 4           /* more than there are delays: signs may change, too */

/* ---- memory ---- */

bool brink_delay_init(brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  const brink_delays *delays = def->delays;
  brink_arena *arena = &sim->arena;
  if (delays == NULL || delays->count == 0) return true;
  brink_delay_state *state = brink_arena_take(arena, 1, sizeof *state);
  if (state == NULL) return false;
  state->count = delays->count;
  state->pasts = brink_arena_take(arena, state->count, sizeof *state->pasts);
  state->values =
      brink_arena_take(arena, state->count * BRINK_CHEBYSHEV_LENGTH, sizeof *state->values);
  state->between =
      brink_arena_take(arena, state->count * BRINK_DELAY_CHECKS, sizeof *state->between);
  state->x = brink_arena_take(arena, sim->eval.n, sizeof *state->x);
  state->sgn = brink_arena_take(arena, def->nguards, sizeof *state->sgn);
  state->own = brink_arena_take(arena, def->np, sizeof *state->own);
  if (arena->failed) return false;
  for (size_t i = 0; i < state->count; i++) {
    const brink_delay *delay = &delays->delays[i];
    size_t numbers = delay->held ? 1 : BRINK_DELAY_NUMBERS;
    for (size_t j = 0; j < numbers; j++) state->own[delay->slot + j * delay->stride] = true;
  }
  state->atol = (double)INFINITY;
  for (size_t i = 0; i < def->nx - def->nz; i++) state->atol = fmin(state->atol, sim->atol[i]);
  if (isinf(state->atol)) state->atol = sim->options.atol;
  state->next = (double)INFINITY;
  sim->delays = state;
  return true;
}

void brink_delay_release(brink_sim *sim) {
  brink_delay_state *state = sim->delays;
  const brink_allocator *allocator = &sim->arena.allocator;
  for (size_t i = 0; state != NULL && i < state->count; i++) {
    brink_past *past = &state->pasts[i];
    brink_release(allocator, past->pieces, past->capacity, sizeof *past->pieces);
    brink_release(allocator, past->breaks, past->breaks_capacity, sizeof *past->breaks);
    *past = (brink_past){0};
  }
}

void brink_delay_relocate(brink_sim *sim, brink_relocation *moved) {
  BRINK_RELOCATE(moved, sim->delays);
  brink_delay_state *state = sim->delays;
  if (state == NULL) return;
  BRINK_RELOCATE(moved, state->pasts);
  BRINK_RELOCATE(moved, state->values);
  BRINK_RELOCATE(moved, state->between);
  BRINK_RELOCATE(moved, state->x);
  BRINK_RELOCATE(moved, state->sgn);
  BRINK_RELOCATE(moved, state->own);
}

/* What a past has outside the arena: the clone's is its own. */
static bool copy_past(brink_past *past, const brink_allocator *allocator) {
  const brink_past from = *past;
  past->pieces = NULL;
  past->breaks = NULL;
  past->capacity = past->breaks_capacity = 0;
  if (from.capacity > 0)
    past->pieces = brink_allocate(allocator, from.capacity, sizeof *past->pieces);
  if (past->pieces != NULL) past->capacity = from.capacity;
  if (from.breaks_capacity > 0)
    past->breaks = brink_allocate(allocator, from.breaks_capacity, sizeof *past->breaks);
  if (past->breaks != NULL) past->breaks_capacity = from.breaks_capacity;
  if (past->capacity != from.capacity || past->breaks_capacity != from.breaks_capacity)
    return false;
  if (from.count > 0) memcpy(past->pieces, from.pieces, from.count * sizeof *from.pieces);
  if (from.nbreaks > 0) memcpy(past->breaks, from.breaks, from.nbreaks * sizeof *from.breaks);
  return true;
}

bool brink_delay_clone(brink_sim *clone) {
  brink_delay_state *state = clone->delays;
  bool copied = true;
  for (size_t i = 0; state != NULL && i < state->count; i++) {
    if (!copied) { /* nothing of the original's may be given back */
      state->pasts[i].pieces = NULL;
      state->pasts[i].breaks = NULL;
      state->pasts[i].capacity = state->pasts[i].breaks_capacity = 0;
    } else {
      copied = copy_past(&state->pasts[i], &clone->arena.allocator);
    }
  }
  return copied;
}

void brink_delay_forget(brink_sim *sim) {
  brink_delay_state *state = sim->delays;
  if (state == NULL) return;
  state->begun = state->arrived = state->strayed = false;
  state->failure = BRINK_REASON_NONE;
  state->next = (double)INFINITY;
}

/* ---- history ---- */

static double history_at(brink_sim *sim, size_t delay, double t) {
  double u = sim->model->def.delays->history(delay, t, sim->x, &sim->eval.env);
  if (!isfinite(u)) brink_delay_fail(sim, BRINK_REASON_DELAY_VALUE, delay, u);
  return u;
}

/* A piece of the history. Does it follow it? */
static bool fit_history(brink_sim *sim, size_t delay, brink_delay_piece *piece) {
  double values[BRINK_CHEBYSHEV_LENGTH], between[BRINK_DELAY_CHECKS], allowed;
  double middle = 0.5 * (piece->t0 + piece->t1), half = 0.5 * (piece->t1 - piece->t0);
  bool same = true;
  for (int j = 0; j < BRINK_CHEBYSHEV_LENGTH; j++) {
    double t = middle + half * brink_chebyshev_point(j);
    values[j] = history_at(sim, delay, j == 0 ? piece->t1 : j == BRINK_CHEBYSHEV ? piece->t0 : t);
    same = same && values[j] == values[0];
  }
  for (int k = 0; k < BRINK_DELAY_CHECKS; k++) {
    between[k] = history_at(sim, delay, middle + half * brink_delay_between(k));
    same = same && between[k] == values[0];
  }
  if (sim->model->def.delays->delays[delay].held) {
    piece->c[0] = values[BRINK_CHEBYSHEV / 2];
    return same;
  }
  brink_delay_fit fit = {piece->t0, piece->t1, values, between};
  return brink_delay_fits(sim, &fit, HISTORY_PART, piece->c, &allowed);
}

/* Halves until it fits; where nothing fits, the history jumps, and where very little does, it may have a kink. */
static bool add_history(brink_sim *sim, size_t delay, double a, double b, int halvings) {
  brink_past *past = &sim->delays->pasts[delay];
  const brink_allocator *allocator = &sim->arena.allocator;
  brink_delay_piece piece = {.t0 = a, .t1 = b};
  bool fits = fit_history(sim, delay, &piece);
  double middle = a + 0.5 * (b - a);
  if (sim->delays->failure != BRINK_REASON_NONE) return true;
  if (!fits && halvings < HALVINGS && past->count < MOST_PIECES &&
      b - a > 4.0 * brink_past_rounding(past, a))
    return add_history(sim, delay, a, middle, halvings + 1) &&
           add_history(sim, delay, middle, b, halvings + 1);
  /* A jump, between two times that can hardly be told apart: one break, and the next piece begins there. */
  bool jump = !fits && past->count > past->first && b - a <= 8.0 * brink_past_rounding(past, a);
  if (jump) return brink_past_break(past, allocator, a, 0);
  bool rough = !fits || halvings >= KINK_HALVINGS;
  int order = fits ? 1 : 0;
  return (!rough || brink_past_break(past, allocator, a, order)) &&
         brink_past_add(past, allocator, &piece) &&
         (!rough || brink_past_break(past, allocator, b, order));
}

/* The past up to the start. *again: it is another than was supposed. False: out of memory. */
static bool begin_past(brink_sim *sim, size_t delay, size_t round, bool *again) {
  const brink_delays *delays = sim->model->def.delays;
  brink_past *past = &sim->delays->pasts[delay];
  const brink_allocator *allocator = &sim->arena.allocator;
  double u = delays->signal(delay, sim->t, sim->x, &sim->eval.env), start = sim->t;
  double before = past->count > 0 ? past->pieces[past->count - 1].c[0] : 0.0;
  past->first = past->count = past->nbreaks = 0;
  past->from = past->to = -(double)INFINITY;
  past->length = 0.0;
  if (!isfinite(u)) brink_delay_fail(sim, BRINK_REASON_DELAY_VALUE, delay, u);
  bool made;
  if (delays->delays[delay].has_history) {
    made = add_history(sim, delay, start - past->bound, start, 0);
  } else {
    brink_delay_piece piece = {.t0 = start - past->bound, .t1 = start, .c = {u}};
    made = brink_past_add(past, allocator, &piece);
    *again = *again || round == 0 || u != before;
  }
  if (!made || sim->delays->failure != BRINK_REASON_NONE) return made;
  double last = brink_past_last(past);
  bool jumps = !(fabs(u - last) <= 1e-9 * fmax(fabs(u), fabs(last)));
  if (delays->delays[delay].held && !jumps) return true;
  return brink_past_break(past, allocator, start, jumps ? 0 : 1);
}

/* ---- the start ---- */

/* The lag, by the signs that relations have so far: at the first look they have none that could be trusted, and later
 * ones may differ again. What is no lag is a failure only if another look gives the same. */
static bool first_lag(brink_sim *sim, size_t delay, size_t round, bool *again) {
  brink_past *past = &sim->delays->pasts[delay];
  if (sim->model->def.delays->delays[delay].constant) return brink_delay_look(sim, delay);
  double lag = brink_delay_lag(sim, delay), before = past->first_lag;
  bool same = lag == before || (isnan(lag) && isnan(before));
  past->first_lag = lag;
  if (round > 0 && same) return brink_delay_look(sim, delay);
  *again = true;
  bool good = brink_past_is_lag(past, lag, sim->t);
  brink_delay_take(sim, delay, good ? lag : past->bound);
  return true;
}

/* The bound, and the lag. */
static bool begin_lag(brink_sim *sim, size_t delay, size_t round, bool *again) {
  brink_past *past = &sim->delays->pasts[delay];
  double bound = sim->model->def.delays->bound(delay, sim->t, sim->x, &sim->eval.env);
  if (!sim->delays->begun) past->bound = bound;
  if (!(past->bound > 0.0) || !isfinite(past->bound)) {
    brink_delay_fail(sim, BRINK_REASON_DELAY_RANGE, delay, past->bound);
    return false;
  }
  past->seen = sim->t;
  past->rate = 1.0;
  past->side = 0;
  past->met = -1;
  return first_lag(sim, delay, round, again);
}

static void begin_anew(brink_sim *sim, size_t round, bool *again) {
  brink_delay_state *state = sim->delays;
  for (size_t i = 0; i < state->count && state->failure == BRINK_REASON_NONE; i++) {
    if (!begin_lag(sim, i, round, again)) return;
    if (!begin_past(sim, i, round, again)) brink_delay_fail(sim, BRINK_REASON_DELAY_MEMORY, i, 0.0);
    if (state->failure == BRINK_REASON_NONE)
      brink_delay_load(sim, i, sim->t - state->pasts[i].lag, 1);
  }
}

/* Somebody has changed states, parameters or modes: a break, and perhaps other lags. */
static void go_on(brink_sim *sim, size_t round, bool *again) {
  brink_delay_state *state = sim->delays;
  for (size_t i = 0; i < state->count && state->failure == BRINK_REASON_NONE; i++) {
    brink_past *past = &state->pasts[i];
    if (!begin_lag(sim, i, round, again)) return;
    double u = sim->model->def.delays->signal(i, sim->t, sim->x, &sim->eval.env);
    double last = brink_past_last(past);
    bool jumps = u != last, held = sim->model->def.delays->delays[i].held;
    if ((jumps || !held) && !brink_past_break(past, &sim->arena.allocator, sim->t, jumps ? 0 : 1))
      brink_delay_fail(sim, BRINK_REASON_DELAY_MEMORY, i, 0.0);
    past->to = past->from = -(double)INFINITY;
    brink_delay_load(sim, i, sim->t - past->lag, 1);
  }
}

brink_status brink_delay_begin(brink_sim *sim, size_t round, bool *again, brink_diag *diag) {
  brink_delay_state *state = sim->delays;
  *again = false;
  if (state == NULL) return BRINK_OK;
  if (round == 0) state->resumes = state->begun;
  if (state->resumes) {
    go_on(sim, round, again);
  } else {
    state->begun = false;
    begin_anew(sim, round, again);
    state->begun = true;
  }
  if (*again && round > state->count + ROUNDS)
    brink_delay_fail(sim, BRINK_REASON_DELAY_HISTORY, 0, 0.0);
  state->arrived = state->strayed = false;
  brink_delay_settle(sim);
  brink_reach_reset(&sim->detector.reach); /* p has changed */
  return brink_delay_check(sim, diag);
}
