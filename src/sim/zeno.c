/* zeno.c: infinitely many events in finite time.
 *
 * Instants with events are remembered. If the intervals between them shrink so fast that what is
 * left before their limit is no longer resolved by time itself, they accumulate: the limit is
 * estimated by Aitken's extrapolation over one period of the pattern of guards. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/sim.h"

/* Of time: what is left before the limit when it counts as reached. Intervals are still located
 * well down to here. */
#define RESOLUTION 1e-11
#define STEADY 0.3 /* how much the ratio of intervals may vary */
#define MAX_PERIOD 4

/* The period of the sequence of guards at its end: 1 … MAX_PERIOD, or 0. */
static int pattern_period(const brink_zeno_window *window) {
  int n = window->count;
  for (int period = 1; period <= MAX_PERIOD; period++) {
    bool repeats = true;
    for (int k = n - 1; k >= n - 3 * period && repeats; k--)
      repeats = k - period >= 0 && window->guard[k] == window->guard[k - period];
    if (repeats) return period;
  }
  return 0;
}

/* The limit of t_{n-3p}, …, t_n, if the intervals between them shrink at a steady ratio, or to nothing; else NaN. scale: of
 * time. */
static double accumulation(const brink_zeno_window *window, int period, double scale) {
  const double *t = window->t + window->count - 1;
  double first = t[-2 * period] - t[-3 * period], second = t[-period] - t[-2 * period];
  double third = t[0] - t[-period], before = second / first, now = third / second;
  bool shrink = third > 0.0 && now < 0.99 && before < 0.99;
  /* Intervals that time hardly resolves are not located well enough to be steady. */
  if (shrink && t[0] - t[-3 * period] <= RESOLUTION * scale) return t[0] + third;
  bool steady = third > 0.0 && now < 0.99 && fabs(now - before) <= STEADY * before;
  return steady ? t[0] + third * now / (1.0 - now) : (double)NAN;
}

/* A pattern of guards that came four times, and whose limit is closer than time can resolve. */
static bool accumulates(const brink_sim *sim, double *limit, int *period) {
  const brink_zeno_window *window = &sim->zeno;
  *period = pattern_period(window);
  if (*period == 0 || window->count < 4 * *period + 1) return false;
  double scale = fmax(fabs(sim->t), sim->t - sim->model->def.t0);
  *limit = accumulation(window, *period, scale);
  return *limit - sim->t <= RESOLUTION * scale;
}

static brink_status go_on(brink_sim *sim, double limit, int period, brink_diag *diag) {
  size_t guards[MAX_PERIOD];
  for (int k = 0; k < period; k++) guards[k] = sim->zeno.guard[sim->zeno.count - 1 - k];
  brink_sim_note_skip(sim, fmax(limit, sim->t));
  sim->t = sim->stepper.t = fmax(limit, sim->t);
  if (sim->sensitivity != NULL) brink_sensitivity_lose(sim->sensitivity);
  brink_now now = brink_sim_now(sim);
  int outcome = sim->model->def.zeno(guards, (size_t)period, &now, sim->model->def.user);
  sim->zeno.count = 0;
  brink_slide_forget(sim);
  for (size_t i = 0; i < sim->model->def.nx; i++) {
    if (!isfinite(sim->x[i])) outcome = -1;
  }
  sim->phase = BRINK_PHASE_BEGIN; /* signs are taken anew in the limit mode */
  if (outcome < 0 && brink_sim_take_message(sim, BRINK_ERR_CALLBACK, guards[0], diag))
    return BRINK_ERR_CALLBACK;
  if (outcome > 0) brink_sim_take_message(sim, BRINK_STOPPED, guards[0], diag);
  if (outcome < 0)
    return brink_sim_fail(sim, diag, BRINK_REASON_ZENO_FAILED,
                          (brink_arguments){.guard = guards[0], .count = outcome});
  return outcome == 0 ? BRINK_OK : BRINK_STOPPED;
}

static brink_status accumulated(brink_sim *sim, double limit, int period, brink_diag *diag) {
  const size_t *last = &sim->zeno.guard[sim->zeno.count - 1];
  size_t guards[MAX_PERIOD], count = 0;
  for (int k = 0; k < period; k++) {
    bool known = false;
    for (size_t j = 0; j < count; j++) known = known || guards[j] == last[-k];
    if (!known) guards[count++] = last[-k];
  }
  bool asked = sim->options.zeno == BRINK_ZENO_CONTINUE;
  return brink_fail(
      diag, sim->model, asked ? BRINK_REASON_ZENO_LIMIT : BRINK_REASON_ZENO,
      &(brink_arguments){
          .t = limit, .h = sim->stepper.h, .guard = *last, .guards = guards, .nguards = count});
}

brink_status brink_zeno_note(brink_sim *sim, brink_diag *diag) {
  brink_zeno_window *window = &sim->zeno;
  if (sim->model->guards[sim->events[0].guard].def.is_timer) return BRINK_OK; /* as it was set */
  if (window->count > 0 && window->t[window->count - 1] == sim->t) return BRINK_OK;
  if (window->count == BRINK_ZENO_WINDOW) {
    window->count--;
    memmove(window->t, window->t + 1, sizeof window->t - sizeof window->t[0]);
    memmove(window->guard, window->guard + 1, sizeof window->guard - sizeof window->guard[0]);
  }
  window->t[window->count] = sim->t;
  window->guard[window->count++] = sim->events[0].guard;
  double limit;
  int period;
  if (!accumulates(sim, &limit, &period)) return BRINK_OK;
  if (sim->options.zeno == BRINK_ZENO_CONTINUE && sim->model->def.zeno != NULL)
    return go_on(sim, limit, period, diag);
  return accumulated(sim, limit, period, diag);
}
