/* stiff.c: BRINK_AUTO changes to an implicit method where the motion is stiff, and back. Where the caller has chosen an
 * explicit method, the same signs are told once, and nothing changes.
 *
 * Problem   An explicit method on a stiff model takes steps that its stability limits, not its accuracy: many more than
 *           the solution asks for. Nobody should have to know that before a run.
 * Method    Two signs, both of which are needed. In several windows of 32 steps in a row, limited by nothing but the method:
 *             smooth    the cubic through the states after 16, 20, 24 and 28 steps leads to the state after 32, within
 *                       SMOOTH tolerances. A method of high order that is limited by accuracy would have gone that far
 *                       in a step or two.
 *             fast      h rho is near the limit of stability: rho, the fastest rate of the model, by the power
 *                       iteration on differences of the field (Sommeijer, Shampine & Verwer 1998, RKC, section 3.3).
 *           The first costs a comparison of states in a window, and nothing in a step; only where it is given the
 *           second takes a few evaluations. Then bdf takes over, at a step boundary, by a restart.
 *           Back, when in two windows of bdf its steps were not longer than an explicit method's would be:
 *           less than GAIN times what it took at the change (`limit`/rho).
 *           After a restart steps are short for another reason: the order is built up, and what has changed decays in
 *           a layer that has to be resolved. While the fastest rate is about that for which bdf was chosen, windows do not
 *           count in the first LAYER/rho, nor later while steps grow. That holds for PATIENCE restarts without
 *           a window that gained.
 *           A change that did not pay makes the next window longer, so that changes do not follow each other.
 * Neither   on surfaces that hold the state by Filippov's field (it has no Jacobian), for agents that take turns in one
 *           simulation, and at steps of fixed length. Where the caller of auto gives an order or a first step, it tells. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/sim.h"

#define WINDOW 32 /* steps */
#define APART 4   /* steps from one sample to the next: a few, so that bdf has much longer ones */
#define SAMPLES BRINK_STIFF_SAMPLES
#define FIRST                                                                                      \
  8 /* windows before bdf is thought of: 256 steps; its start costs about a tenth of that */
#define KNOWN 2   /* … where the model has shown to be stiff before */
#define MOST 2048 /* … where it did not pay */
#define SMOOTH                                                                                     \
  10.0 /* tolerances: the states themselves are known within one, times 15 at most by extrapolation */
#define MOSTLY 8        /* at most one step in so many was limited by something else */
#define NEAR_ADAMS 0.3  /* h rho at the limit of stability: at least this for adams, … */
#define NEAR_TAYLOR 0.5 /* … and for series of order p this part of 1.3 + 0.375 p */
#define NEAR_DOPRI 1.6  /* … and for dopri half of 3.3 */
#define GAIN 2.0
#define PAID 2     /* windows of bdf that gained: the change was worth it */
#define STILL 0.5  /* of the rate for which bdf was chosen: the model is as stiff as it was */
#define GROWS 1.25 /* a window's steps, over those of the window before */
#define LAYER 30.0 /* times 1/rho: e^-30 of what decays is left */
#define PATIENCE 4 /* restarts in a row that are waited for */
#define ITERATIONS 8
#define SETTLED 0.1 /* relative change of rho */
#define MOVE 1e-7   /* of a state: what its rate is found from; between rounding and curvature */

bool brink_stiff_limits(const brink_options *options) {
  bool variable = options->method == BRINK_ADAMS || options->method == BRINK_TAYLOR
                      ? options->order == 0 || options->step == 0.0
                      : options->method == BRINK_DOPRI;
  return variable;
}

bool brink_stiff_init(brink_sim *sim) {
  brink_stiffness *s = &sim->stiffness;
  if (!s->watches) return true;
  size_t nx = sim->eval.nx;
  for (int k = 0; k < SAMPLES; k++) s->x[k] = brink_arena_take(&sim->arena, nx, sizeof(double));
  s->direction = brink_arena_take(&sim->arena, nx, sizeof(double));
  return !sim->arena.failed;
}

static void begin_window(brink_sim *sim) {
  sim->stiffness.steps = sim->stiffness.cut = sim->stiffness.said = 0;
  sim->stiffness.begins = sim->t;
}

void brink_stiff_interrupt(brink_sim *sim) {
  brink_stiffness *s = &sim->stiffness;
  begin_window(sim);
  s->h = 0.0;
  s->restarted = sim->t;
  if (s->restarts <= PATIENCE) s->restarts++;
}

void brink_stiff_forget(brink_sim *sim) {
  brink_stiffness *s = &sim->stiffness;
  brink_stiff_interrupt(sim);
  s->needed = FIRST;
  s->rate = s->chosen_for = 0.0;
  s->nchanges = s->total = 0;
  s->hint = s->since = 0.0;
  s->slow = s->gained = s->restarts = 0;
  s->seen = false;
  s->told = (brink_stiff_record){0};
  sim->stepper.stiff = false;
  for (size_t i = 0; s->direction != NULL && i < sim->eval.nx; i++)
    s->direction[i] = (i * 2654435761U >> 13 & 1) != 0 ? 1.0 : -1.0; /* any: no state is favoured */
}

bool brink_sim_looks_stiff(const brink_sim *sim, brink_stiff_record *record) {
  if (sim->stiffness.seen && record != NULL) *record = sim->stiffness.told;
  return sim->stiffness.seen;
}

const brink_method_change *brink_sim_method_changes(const brink_sim *sim, size_t *count,
                                                    size_t *total) {
  *count = sim->stiffness.nchanges;
  *total = sim->stiffness.total;
  return sim->stiffness.changes;
}

/* ---- smooth ---- */

/* Does the cubic through the four samples lead here? */
static bool is_smooth(const brink_sim *sim) {
  const brink_stiffness *s = &sim->stiffness;
  double w[SAMPLES];
  for (int j = 0; j < SAMPLES; j++) {
    w[j] = 1.0;
    for (int m = 0; m < SAMPLES; m++)
      if (m != j) w[j] *= (sim->t - s->t[m]) / (s->t[j] - s->t[m]);
  }
  for (size_t i = 0; i < sim->eval.nx; i++) {
    double guess = 0.0;
    for (int j = 0; j < SAMPLES; j++) guess += w[j] * s->x[j][i];
    double off = fabs(sim->x[i] - guess);
    if (!(off <= SMOOTH * (sim->options.rtol * fabs(sim->x[i]) + sim->atol[i]))) return false;
  }
  return true;
}

/* ---- fast ---- */

/* Unknowns of constraints follow from the states: the rates are those of the states alone. */
static size_t count_states(const brink_sim *sim) {
  return sim->eval.nx - sim->model->def.nz;
}

/* What is a little of a state. */
static double size_of(const brink_sim *sim, size_t i) {
  double size = fabs(sim->x[i]);
  if (sim->options.rtol > 0.0) size += sim->atol[i] / sim->options.rtol;
  return size > 0.0 ? size : 1.0;
}

/* The field a little off the present state, in the present direction or its opposite; 0: neither is allowed. */
static double field_beside(brink_sim *sim, double *f) {
  const brink_stiffness *s = &sim->stiffness;
  double *x = sim->event_x;
  static const double moves[] = {MOVE, -MOVE};
  for (int k = 0; k < 2; k++) {
    memcpy(x, sim->x, sim->eval.n * sizeof *x);
    for (size_t i = 0; i < count_states(sim); i++)
      x[i] += moves[k] * size_of(sim, i) * s->direction[i];
    if (brink_eval_rhs(&sim->eval, sim->t, x, f) == BRINK_TRY_OK) return moves[k];
  }
  return 0.0;
}

/* The largest rate, in the scale of the states; NaN: not known. Leaves the direction that has it for the next time. */
static double fastest_rate(brink_sim *sim) {
  double *here = sim->instant.field, *beside = sim->stepper.x_new, rate = sim->stiffness.rate;
  double *direction = sim->stiffness.direction;
  if (brink_eval_rhs(&sim->eval, sim->t, sim->x, here) != BRINK_TRY_OK) return NAN;
  for (int k = 0; k < ITERATIONS; k++) {
    double move = field_beside(sim, beside), last = rate;
    if (move == 0.0) return NAN;
    rate = 0.0;
    for (size_t i = 0; i < count_states(sim); i++) {
      beside[i] = (beside[i] - here[i]) / (move * size_of(sim, i));
      rate = fmax(rate, fabs(beside[i]));
    }
    if (!(rate > 0.0) || !isfinite(rate)) return rate;
    for (size_t i = 0; i < count_states(sim); i++) direction[i] = beside[i] / rate;
    if (fabs(rate - last) <= SETTLED * rate) break;
  }
  sim->stiffness.rate = rate;
  return rate;
}

/* ---- changing ---- */

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void
change(brink_sim *sim, bool stiff, double hint, const char *format, ...) {
  brink_stiffness *s = &sim->stiffness;
  brink_method explicit = sim->stepper.chosen.ops->method;
  brink_method_change *noted =
      s->nchanges < BRINK_CHANGES
          ? brink_arena_push(&sim->arena, s->changes, s->nchanges, s->capacity)
          : NULL;
  s->total++;
  if (noted != NULL) {
    *noted = (brink_method_change){
        .t = sim->t, .from = stiff ? explicit : BRINK_BDF, .to = stiff ? BRINK_BDF : explicit};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(noted->why, sizeof noted->why, format, arguments);
    va_end(arguments);
  }
  sim->arena.failed = false; /* the note is lost, nothing else */
  sim->stepper.stiff = stiff;
  s->slow = s->gained = s->restarts = 0;
  s->hint = hint;
  brink_sim_restart(sim);
}

static double near_limit(const brink_sim *sim) {
  if (sim->stepper.ops->method == BRINK_DOPRI) return NEAR_DOPRI;
  if (sim->stepper.ops->method != BRINK_TAYLOR) return NEAR_ADAMS;
  return NEAR_TAYLOR * (1.3 + 0.375 * sim->stepper.order);
}

/* A change would not pay, or did not: the next one has to be better founded. */
static void wait_longer(brink_stiffness *s, int factor) {
  s->needed = factor * s->needed < MOST ? factor * s->needed : MOST;
}

/* A window of an explicit method is over. */
static void judge_explicit(brink_sim *sim) {
  brink_stiffness *s = &sim->stiffness;
  double h = (sim->t - s->begins) / WINDOW;
  bool stiff =
      s->cut * MOSTLY <= WINDOW && sim->eval.nfilippov == 0 && sim->detour == 0 && is_smooth(sim);
  int said = stiff ? s->said + 1 : 0;
  if (said == 1) s->since = s->begins;
  begin_window(sim);
  s->said = said;
  if (said < s->needed) return;
  s->said = 0;
  double rate = fastest_rate(sim);
  if (!(h * rate >= near_limit(sim))) {
    wait_longer(s, 2);
    return;
  }
  if (!s->may_change) {
    s->seen = true;
    s->told =
        (brink_stiff_record){.since = s->since, .steps = s->needed * WINDOW, .h = h, .rate = rate};
    return;
  }
  if (!brink_stepper_add_implicit(&sim->stepper, &sim->arena)) {
    sim->arena.failed = false;
    s->watches = false;
    return;
  }
  s->limit = h * rate;
  s->chosen_for = rate;
  change(sim, true, h,
         "stiff: in %d steps of about %.3g the solution was smooth, and the fastest rate, %.3g, "
         "allows no longer ones",
         s->needed * WINDOW, h, rate);
}

/* Are steps of h short because of a restart that is not long ago? `before`: those of the window before it; 0: it is the
 * first. */
static bool settles(const brink_sim *sim, double h, double before, double rate) {
  const brink_stiffness *s = &sim->stiffness;
  if (s->restarts == 0 || s->restarts > PATIENCE || rate < STILL * s->chosen_for) return false;
  return h >= GROWS * before || (sim->t - s->restarted) * rate < LAYER;
}

/* A window of bdf is over. */
static void judge_implicit(brink_sim *sim) {
  brink_stiffness *s = &sim->stiffness;
  double h = (sim->t - s->begins) / WINDOW, before = s->h;
  bool limited = s->cut * MOSTLY > WINDOW;
  begin_window(sim);
  s->h = h;
  if (limited) return;
  double rate = fastest_rate(sim);
  if (isnan(rate) || h * rate >= GAIN * s->limit) {
    s->slow = s->restarts = 0;
    s->gained++;
    return;
  }
  s->slow = settles(sim, h, before, rate) ? 0 : s->slow + 1;
  if (s->slow < 2) return;
  if (s->gained >= PAID)
    s->needed = KNOWN;
  else
    wait_longer(s, 4);
  change(sim, false, 0.0, "no longer stiff: steps of %.3g are short for the fastest rate, %.3g", h,
         rate);
}

void brink_stiff_note(brink_sim *sim) {
  brink_stiffness *s = &sim->stiffness;
  if (sim->phase != BRINK_PHASE_RUN) return;
  s->steps++;
  if (!s->free) s->cut++;
  if (sim->stepper.stiff) {
    if (s->steps == WINDOW) judge_implicit(sim);
    return;
  }
  int last = WINDOW - s->steps;
  if (last == 0) {
    judge_explicit(sim);
    return;
  }
  if (last % APART != 0 || last > SAMPLES * APART) return;
  int sample = SAMPLES - last / APART;
  s->t[sample] = sim->t;
  memcpy(s->x[sample], sim->x, sim->eval.nx * sizeof(double));
}

bool brink_stiff_give_up(brink_sim *sim) {
  if (!sim->stepper.stiff) return false;
  sim->stiffness.watches = false;
  change(sim, false, 0.0, "bdf cannot start here");
  brink_stepper_choose(&sim->stepper);
  return true;
}

/* ---- to bytes and back ---- */

static void archive_change(brink_method_change *change, brink_archive *a) {
  brink_archive_double(a, &change->t);
  change->from = (brink_method)brink_archive_enum(a, (int)change->from, BRINK_AUTO, BRINK_BDF);
  change->to = (brink_method)brink_archive_enum(a, (int)change->to, BRINK_AUTO, BRINK_BDF);
  brink_archive_chars(a, change->why, sizeof change->why);
}

static void archive_changes(brink_sim *sim, brink_archive *a) {
  brink_stiffness *s = &sim->stiffness;
  size_t count = s->nchanges;
  brink_archive_count(a, &count, BRINK_CHANGES);
  brink_archive_count(a, &s->total, SIZE_MAX / 4);
  if (a->reads) s->nchanges = 0;
  for (size_t k = 0; k < count && !a->failed; k++) {
    brink_method_change *change =
        a->reads ? brink_arena_push(&sim->arena, s->changes, s->nchanges, s->capacity)
                 : &s->changes[k];
    if (change == NULL) {
      brink_archive_no_memory(a);
      sim->arena.failed = false;
    } else {
      archive_change(change, a);
    }
  }
}

void brink_stiff_archive(brink_sim *sim, brink_archive *a) {
  brink_stiffness *s = &sim->stiffness;
  int *const counts[] = {&s->needed, &s->said, &s->cut, &s->slow, &s->gained, &s->restarts};
  double *const numbers[] = {&s->begins,     &s->rate,      &s->limit,    &s->hint,
                             &s->chosen_for, &s->restarted, &s->h,        &s->since,
                             &s->told.since, &s->told.h,    &s->told.rate};
  brink_archive_mark(a, "stiff");
  brink_archive_bool(a, &s->watches);
  brink_archive_bool(a, &s->free);
  brink_archive_bool(a, &s->seen);
  brink_archive_int(a, &s->told.steps, 0, INT32_MAX);
  brink_archive_int(a, &s->steps, 0, WINDOW - 1);
  for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
    brink_archive_int(a, counts[k], 0, INT32_MAX / 8);
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
    brink_archive_double(a, numbers[k]);
  archive_changes(sim, a);
  if (!brink_archive_check(a, !s->watches || s->direction != NULL) || s->direction == NULL) return;
  brink_archive_doubles(a, s->t, BRINK_STIFF_SAMPLES);
  for (size_t k = 0; k < BRINK_STIFF_SAMPLES; k++) brink_archive_doubles(a, s->x[k], sim->eval.nx);
  brink_archive_doubles(a, s->direction, sim->eval.nx);
}
