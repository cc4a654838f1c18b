/* sensitivity.c: derivatives of a run: the object, and what instants do to them (see sensitivity.h).
 *
 * At an instant more directions than those asked for are carried through the callbacks: the direction of
 * time, (1, f-, 0), in which the instant itself moves, and, for the saltation matrix, every single state. Let
 * A be what becomes of M and B of the direction of time. A direction with dT = tau ends as A + (B - f+) tau.
 * So infinite tau (a surface that is grazed) never meets the callbacks, and where B = f+ it does not matter.
 * Where the motion ends (sensitivity_edge.c), M and f- have no values, but M + f- tau has one: then this is
 * carried, together with the time. */

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/definition.h"
#include "sim/sensitivity_parts.h"

static const brink_sensitivity_def sensitivity_defaults = {.size = sizeof(brink_sensitivity_def)};

void brink_sensitivity_defaults(brink_sensitivity_def *def, size_t size) {
  brink_definition_fill(def, size, &sensitivity_defaults, sizeof sensitivity_defaults);
}

void brink_direction_fill(double *matrix, size_t rows, size_t count, size_t k,
                          const double *column) {
  for (size_t i = 0; column != NULL && i < rows; i++) matrix[i * count + k] = column[i];
}

/* ---- the object ---- */

static void copy(void *to, const void *from, size_t count, size_t size) {
  if (count > 0) memcpy(to, from, count * size);
}

static bool take(brink_sensitivity *s, double **vector, size_t rows, size_t columns) {
  *vector = NULL;
  if (columns > 0 && rows > SIZE_MAX / sizeof(double) / columns) return false;
  *vector = brink_arena_take(&s->arena, rows * columns, sizeof(double));
  return *vector != NULL;
}

static bool take_arrays(brink_sensitivity *s) {
  const brink_model_def *def = &s->sim->model->def;
  size_t n = s->count, c = s->columns, nx = def->nx, np = def->np, nt = def->nclocks;
  size_t history = nx * (1 + n); /* small enough not to overflow, where it is used */
  s->given_mode = brink_arena_take(&s->arena, def->nmodes, sizeof(int));
  if (n < BRINK_SENSITIVITY_MEMORY && nx < BRINK_SENSITIVITY_MEMORY &&
      history <= BRINK_SENSITIVITY_MEMORY / BRINK_SENSITIVITY_HISTORY &&
      !take(s, &s->history, BRINK_SENSITIVITY_HISTORY, history))
    return false;
  return s->given_mode != NULL && take(s, &s->m, nx, n) && take(s, &s->p, np, n) &&
         take(s, &s->timer, nt, n) && take(s, &s->start_x, nx, n) && take(s, &s->start_p, np, n) &&
         take(s, &s->zeros, 1, c) && take(s, &s->carried_t, 1, c) &&
         take(s, &s->carried_x, nx, c) && take(s, &s->carried_p, np, c) &&
         take(s, &s->carried_timer, nt, c) && take(s, &s->pre_x, nx, c) &&
         take(s, &s->pre_p, np, c) && take(s, &s->before, nx, n) && take(s, &s->tau, 1, n) &&
         take(s, &s->f_before, nx, 1) && take(s, &s->f_after, nx, 1) &&
         take(s, &s->saltation, s->def.saltation ? nx : 0, nx) &&
         take(s, &s->hit_tau, BRINK_SENSITIVITY_LOCATED, n) &&
         take(s, &s->hit_gradient, BRINK_SENSITIVITY_LOCATED, nx) && take(s, &s->given_x, nx, 1) &&
         take(s, &s->given_p, np, 1) && take(s, &s->given_timer, nt, 1) &&
         take(s, &s->moved, nx, n) && take(s, &s->edge_table, BRINK_EDGE_POINTS * (nx + 1), n) &&
         brink_sensitivity_take_flow(s) &&
         brink_tangent_init(&s->tangent, &s->sim->eval, c, &s->arena);
}

static void copy_directions(brink_sensitivity *s) {
  const brink_model_def *def = &s->sim->model->def;
  for (size_t i = 0; s->def.count == 0 && i < def->nx; i++) s->start_x[i * s->count + i] = 1.0;
  if (s->def.count > 0 && s->def.x != NULL)
    copy(s->start_x, s->def.x, def->nx * s->count, sizeof(double));
  if (s->def.count > 0 && s->def.p != NULL)
    copy(s->start_p, s->def.p, def->np * s->count, sizeof(double));
}

/* Initial parameters may follow from other initial values. */
static bool follow_start(brink_sensitivity *s) {
  const brink_model_def *def = &s->sim->model->def;
  char message[BRINK_DIAG_MESSAGE] = "";
  if (def->start_tangent == NULL) return true;
  copy(s->given_x, def->x0, def->nx, sizeof(double));
  copy(s->given_p, def->p0, def->np, sizeof(double));
  copy(s->given_mode, def->mode0, def->nmodes, sizeof(int));
  brink_carried carried = {.count = s->count,
                           .t = s->zeros,
                           .x = s->m,
                           .p = s->p,
                           .timer = s->timer,
                           .pre_x = s->start_x,
                           .pre_p = s->start_p};
  brink_now now = {.t = def->t0,
                   .x = s->given_x,
                   .p = s->given_p,
                   .mode = s->given_mode,
                   .timer = s->given_timer,
                   .pre_x = def->x0,
                   .pre_p = def->p0,
                   .pre_mode = def->mode0,
                   .sgn = s->sim->eval.sgn,
                   .message = message,
                   .carried = &carried};
  return def->start_tangent(&now, def->user) == 0;
}

static bool begin_anew(brink_sensitivity *s) {
  const brink_sim *sim = s->sim;
  const brink_model_def *def = &sim->model->def;
  s->t = def->t0;
  s->limits = s->calm = 0;
  s->fresh = true;
  s->h = 0.0;
  s->from_t = s->t;
  s->nhistory = 0;
  s->reported = s->nevents = s->nlocated = 0;
  s->open = false;
  copy(s->m, s->start_x, def->nx * s->count, sizeof(double));
  copy(s->p, s->start_p, def->np * s->count, sizeof(double));
  if (def->nclocks > 0) memset(s->timer, 0, def->nclocks * s->count * sizeof(double));
  double rtol = sim->options.rtol;
  for (size_t i = 0; i < def->nx; i++) {
    double floor = rtol > 0.0 ? sim->atol[i] / rtol : 1e-3;
    s->tangent.size[i] = fmax(fabs(def->x0[i]), floor > 0.0 ? floor : 1e-12);
  }
  return follow_start(s);
}

void brink_sensitivity_reset(brink_sensitivity *s) {
  if (s->sim->busy) return;
  if (!begin_anew(s)) s->limits |= BRINK_SENSITIVITY_UNDEFINED;
}

/* ---- looking without leaving a trace ---- */

typedef struct traces {
  brink_stats stats;
  size_t failed_guard, bad_state, outside_of;
} traces;

static traces look(const brink_sensitivity *s) {
  const brink_eval *eval = &s->sim->eval;
  return (traces){eval->stats, eval->failed_guard, eval->bad_state, eval->outside_of};
}

static void leave_no(brink_sensitivity *s, traces kept) {
  brink_eval *eval = &s->sim->eval;
  kept.stats.rhs_past_guard = eval->stats.rhs_past_guard; /* what was evaluated was evaluated */
  eval->stats = kept.stats;
  eval->failed_guard = kept.failed_guard;
  eval->bad_state = kept.bad_state;
  eval->outside_of = kept.outside_of;
}

/* Where the step that was taken began. */
static void remember_start(brink_sensitivity *s) {
  const brink_path *path = &s->sim->last;
  brink_path_eval(path, (s->t - path->t0) / path->h, s->x);
  brink_sensitivity_remember(s, s->x);
}

/* The field on one side of a surface, and the rate of its guard along it. */
static bool measure_side(brink_sensitivity *s, size_t guard, int sign, double *f, double *rate) {
  double one = 1.0;
  brink_tangents along = {.count = 1, .t = &one, .x = f};
  return brink_eval_sided(&s->sim->eval, guard, sign, s->t, s->x, f) == BRINK_TRY_OK &&
         brink_tangent_guard(&s->tangent, guard, s->t, s->x, &along, rate) == BRINK_TRY_OK;
}

/* A run that starts on a surface which holds the state (at s->x): who starts beside it comes to it at once. With f+ and f-
 * the fields beside it, r+ and r- the rates of its guard along them, and fs the field on it, arrival from either side makes
 * M - (f - fs) dg/r of M. For Filippov's field both sides give the same: (f - fs)/r is (f+ - f-)/(r+ - r-). Where they
 * differ, and where several surfaces hold the state, derivatives are one-sided. */
static void start_on_surface(brink_sensitivity *s) {
  brink_eval *eval = &s->sim->eval;
  size_t nx = s->sim->model->def.nx, guard = eval->held[0];
  double *plus = s->f_before, *minus = s->f_after, *on = s->given_x, rate[2];
  brink_tangents along = {.count = s->count, .t = s->zeros, .x = s->m, .p = s->p};
  if (brink_tangent_guard(&s->tangent, guard, s->t, s->x, &along, s->tau) != BRINK_TRY_OK ||
      brink_held_field(eval, s->t, s->x, on) != BRINK_TRY_OK ||
      !measure_side(s, guard, 1, plus, &rate[0]) || !measure_side(s, guard, -1, minus, &rate[1]) ||
      !(rate[0] < 0.0 && rate[1] > 0.0)) {
    s->limits |= BRINK_SENSITIVITY_UNDEFINED;
    return;
  }
  bool differ = eval->nheld > 1;
  for (size_t i = 0; i < nx; i++) {
    double above = (plus[i] - on[i]) / rate[0], below = (minus[i] - on[i]) / rate[1];
    differ = differ || fabs(above - below) > 1e-6 * (fabs(above) + fabs(below));
    for (size_t k = 0; k < s->count; k++) s->m[i * s->count + k] -= above * s->tau[k];
  }
  if (differ) s->limits |= BRINK_SENSITIVITY_SEVERAL;
}

static void moved(brink_observer *self, brink_sim *sim, double t0) {
  (void)t0;
  brink_sensitivity *s = (brink_sensitivity *)self;
  traces kept = look(s);
  s->from_t = s->t;
  if (sim->last.terms > 0 && s->t < sim->t) {
    remember_start(s);
    if (s->fresh && sim->eval.nheld > 0) start_on_surface(s);
    s->fresh = false;
  }
  copy(s->from_m, s->m, sim->model->def.nx * s->count, sizeof(double));
  brink_sensitivity_flow(s, sim->t);
  leave_no(s, kept);
}

/* ---- the time of an instant ---- */

double brink_sensitivity_quotient(double dg, double rate) {
  if (dg == 0.0) return 0.0;
  if (rate == 0.0) return dg > 0.0 ? -(double)INFINITY : (double)INFINITY;
  return -dg / rate;
}

/* Gradient and rate of a located guard; a rate that is nothing but rounding is 0. (The rate is a derivative in
 * the direction of time: exact even where the gradient is a difference.) */
static bool measure_located(brink_sensitivity *s, size_t guard, brink_moving_event *ev,
                            double *gradient) {
  brink_sim *sim = s->sim;
  brink_eval *eval = &sim->eval;
  int polarity;
  size_t leaf = brink_eval_deciding_leaf(eval, guard, sim->t, sim->x, &polarity);
  const brink_guard_def *def = &sim->model->guards[leaf].def;
  double dt;
  if (brink_eval_gradient(eval, leaf, sim->t, sim->x, eval->gradient, &dt) != BRINK_TRY_OK)
    return false;
  double one = 1.0, rate = 0.0, size = fabs(dt);
  brink_tangents along = {.count = 1, .t = &one, .x = s->f_before};
  if (brink_tangent_guard(&s->tangent, leaf, sim->t, sim->x, &along, &rate) != BRINK_TRY_OK)
    return false;
  if (sim->model->def.nx > 0) memset(gradient, 0, sim->model->def.nx * sizeof *gradient);
  for (size_t k = 0; k < def->ndepends; k++) {
    size += fabs(eval->gradient[k] * s->f_before[def->depends[k]]);
    gradient[def->depends[k]] += polarity * eval->gradient[k];
  }
  if (fabs(rate) <= 64.0 * DBL_EPSILON * size) rate = 0.0;
  *ev = (brink_moving_event){guard, polarity * rate, polarity * dt};
  return isfinite(rate);
}

static void add_located(brink_sensitivity *s, size_t guard, bool rough) {
  brink_sim *sim = s->sim;
  size_t k = s->nlocated, nx = sim->model->def.nx;
  if (k == BRINK_SENSITIVITY_LOCATED) return;
  double *tau = &s->hit_tau[k * s->count];
  brink_tangents along = {.count = s->count, .t = s->zeros, .x = s->m, .p = s->p};
  if (!measure_located(s, guard, &s->located[k], &s->hit_gradient[k * nx]) ||
      brink_tangent_guard(&s->tangent, guard, sim->t, sim->x, &along, tau) != BRINK_TRY_OK) {
    s->instant_limits |= BRINK_SENSITIVITY_UNDEFINED;
    return;
  }
  s->nlocated++;
  if (brink_sensitivity_edge(s, &s->located[k], rough, tau)) return;
  if (s->located[k].rate == 0.0) s->instant_limits |= BRINK_SENSITIVITY_GRAZING;
  for (size_t j = 0; j < s->count; j++)
    tau[j] = brink_sensitivity_quotient(tau[j], s->located[k].rate);
}

/* In the order in which the actions will run: by priority, then by index. */
static bool comes_before(const brink_sensitivity *s, size_t a, size_t b) {
  const brink_guard *guards = s->sim->model->guards;
  if (guards[a].def.priority != guards[b].def.priority)
    return guards[a].def.priority > guards[b].def.priority;
  return a < b;
}

static size_t choose_mover(const brink_sensitivity *s) {
  size_t mover = BRINK_NONE;
  for (size_t k = 0; k < s->nlocated; k++) {
    if (s->located[k].rate == 0.0 && s->nlocated > 1) continue; /* one that has a derivative */
    if (mover == BRINK_NONE || comes_before(s, s->located[k].guard, s->located[mover].guard))
      mover = k;
  }
  return mover == BRINK_NONE && s->nlocated > 0 ? 0 : mover;
}

static bool agree(const brink_sensitivity *s, const double *a, const double *b) {
  for (size_t k = 0; k < s->count; k++) {
    if (!(fabs(a[k] - b[k]) <= 1e-6 * (fabs(a[k]) + fabs(b[k])))) return false;
  }
  return true;
}

/* The timer that is due: its own time's derivative. (A clock with a period has none.) */
static const double *timer_row(const brink_sensitivity *s) {
  const brink_sim *sim = s->sim;
  size_t time = brink_timers_parameter(sim);
  if (time != BRINK_NONE) return &s->p[time * s->count];
  for (size_t k = 0; k < sim->schedule.ntimers; k++) {
    size_t clock = sim->schedule.timers[k];
    if (sim->schedule.timer[clock] <= sim->t) return &s->timer[clock * s->count];
  }
  return s->zeros;
}

/* dT of the instant. */
static void find_time(brink_sensitivity *s, bool rough) {
  brink_sim *sim = s->sim;
  bool clock = brink_sim_next_tick(sim) <= sim->t;
  for (size_t k = 0; brink_sim_has_begun(sim) && k < sim->instant.nlocated; k++) {
    if (sim->instant.located[k].kind != BRINK_JUMPED && !sim->instant.located[k].pole)
      add_located(s, sim->instant.located[k].guard, rough);
  }
  s->mover = choose_mover(s);
  const double *row = s->mover != BRINK_NONE ? &s->hit_tau[s->mover * s->count]
                      : clock                ? timer_row(s)
                                             : s->zeros;
  copy(s->tau, row, s->count, sizeof *row);
  for (size_t k = 0; k < s->nlocated; k++) {
    if (!agree(s, row, &s->hit_tau[k * s->count])) s->instant_limits |= BRINK_SENSITIVITY_SEVERAL;
  }
  if (s->mover != BRINK_NONE && clock && !agree(s, row, timer_row(s)))
    s->instant_limits |= BRINK_SENSITIVITY_SEVERAL;
}

/* ---- an instant ---- */

/* [directions | time | states] from rows of directions; `time` is the column of time (NULL: 0). */
static void widen(const brink_sensitivity *s, const double *rows, size_t n, const double *time,
                  bool identity, double *to) {
  size_t count = s->count, columns = s->columns;
  for (size_t i = 0; i < n; i++) {
    double *row = &to[i * columns];
    memset(row, 0, columns * sizeof *row);
    copy(row, &rows[i * count], count, sizeof *row);
    if (time != NULL) row[count] = time[i];
    if (identity && s->def.saltation) row[count + 1 + i] = 1.0;
  }
}

static brink_try field_now(brink_sensitivity *s, double *f) {
  const brink_sim *sim = s->sim;
  if ((sim->instant.ended && sim->instant.changed) ||
      !brink_eval_admit(&s->sim->eval, sim->t, sim->x))
    return BRINK_TRY_OUTSIDE;
  return brink_held_field(&s->sim->eval, sim->t, sim->x, f);
}

static void begins(brink_observer *self, brink_sim *sim) {
  brink_sensitivity *s = (brink_sensitivity *)self;
  const brink_model_def *def = &sim->model->def;
  traces kept = look(s);
  s->instant_limits = 0;
  s->nlocated = s->nevents = s->noted = 0;
  copy(s->before, s->m, def->nx * s->count, sizeof(double));
  bool moves =
      brink_sim_has_begun(sim) && (sim->instant.nlocated > 0 || brink_sim_next_tick(sim) <= sim->t);
  bool rough = moves && field_now(s, s->f_before) != BRINK_TRY_OK;
  s->moves = moves && (!rough || sim->last.terms > 0);
  s->edge = false;
  if (rough && s->moves) brink_sensitivity_path_field(s, s->f_before);
  if (moves && !s->moves) s->instant_limits |= BRINK_SENSITIVITY_UNDEFINED;
  memset(s->tau, 0, s->count * sizeof *s->tau);
  s->mover = BRINK_NONE;
  if (s->moves) find_time(s, rough);
  widen(s, s->edge ? s->moved : s->m, def->nx, s->moves && !s->edge ? s->f_before : NULL, true,
        s->carried_x);
  widen(s, s->p, def->np, NULL, false, s->carried_p);
  widen(s, s->timer, def->nclocks, NULL, false, s->carried_timer);
  copy(s->pre_x, s->carried_x, def->nx * s->columns, sizeof(double));
  copy(s->pre_p, s->carried_p, def->np * s->columns, sizeof(double));
  memset(s->carried_t, 0, s->columns * sizeof *s->carried_t);
  if (s->edge)
    copy(s->carried_t, s->tau, s->count, sizeof *s->tau);
  else
    s->carried_t[s->count] = 1.0;
  s->carried = (brink_carried){.count = s->columns,
                               .t = s->carried_t,
                               .x = s->carried_x,
                               .p = s->carried_p,
                               .timer = s->carried_timer,
                               .pre_x = s->pre_x,
                               .pre_p = s->pre_p};
  s->open = true;
  leave_no(s, kept);
}

/* A + b tau, where nothing times infinity is nothing, and b may be rounding of `size`. */
static double shifted(double a, double b, double size, double tau) {
  if (tau == 0.0 || fabs(b) <= 8.0 * DBL_EPSILON * size) return a;
  return a + b * tau;
}

/* Back to rows of directions, at a fixed time after the instant. */
static void narrow(const brink_sensitivity *s, const double *carried, size_t n, const double *f,
                   double *rows) {
  size_t count = s->count;
  for (size_t i = 0; i < n; i++) {
    const double *row = &carried[i * s->columns];
    double b = row[count] - (f != NULL ? f[i] : 0.0);
    double size = fabs(row[count]) + (f != NULL ? fabs(f[i]) : 0.0);
    for (size_t k = 0; k < count; k++)
      rows[i * count + k] = shifted(row[k], b, f != NULL ? size : 0.0, s->tau[k]);
  }
}

/* S = R_x - (B - f+) g_x / rate. */
static void find_saltation(brink_sensitivity *s) {
  size_t nx = s->sim->model->def.nx;
  const brink_moving_event *ev = &s->located[s->mover];
  const double *gradient = &s->hit_gradient[s->mover * nx];
  for (size_t i = 0; i < nx; i++) {
    const double *row = &s->carried_x[i * s->columns];
    double b = row[s->count] - s->f_after[i], size = fabs(row[s->count]) + fabs(s->f_after[i]);
    for (size_t j = 0; j < nx; j++)
      s->saltation[i * nx + j] = shifted(row[s->count + 1 + j], b, size,
                                         brink_sensitivity_quotient(gradient[j], ev->rate));
  }
}

static size_t find_located(const brink_sensitivity *s, const brink_event *event) {
  bool located = event->iteration == 0 && event->kind != BRINK_JUMPED && event->kind != BRINK_HELD;
  for (size_t k = 0; located && k < s->nlocated; k++) {
    if (s->located[k].guard == event->guard) return k;
  }
  return BRINK_NONE;
}

static void tell(brink_sensitivity *s, const brink_event *event) {
  size_t k = find_located(s, event), nx = s->sim->model->def.nx;
  bool salted = s->def.saltation && s->mover != BRINK_NONE && s->moves && !s->edge;
  brink_sensitivity_event record = {.event = event,
                                    .index = s->reported + (size_t)(event - s->events),
                                    .count = s->count,
                                    .time = k != BRINK_NONE ? &s->hit_tau[k * s->count] : s->tau,
                                    .before = s->before,
                                    .after = s->m,
                                    .f_before = s->f_before,
                                    .f_after = s->f_after,
                                    .gradient = k != BRINK_NONE ? &s->hit_gradient[k * nx] : NULL,
                                    .gradient_time =
                                        k != BRINK_NONE ? s->located[k].gradient_time : 0.0,
                                    .rate = k != BRINK_NONE ? s->located[k].rate : 0.0,
                                    .saltation = salted ? s->saltation : NULL,
                                    .limits = s->limits};
  if (s->def.event != NULL) s->def.event(&record, s->def.user);
}

static void all_nan(double *values, size_t count) {
  for (size_t k = 0; k < count; k++) values[k] = NAN;
}

static void ends(brink_observer *self, brink_sim *sim) {
  brink_sensitivity *s = (brink_sensitivity *)self;
  const brink_model_def *def = &sim->model->def;
  traces kept = look(s);
  bool after = !s->moves || field_now(s, s->f_after) == BRINK_TRY_OK;
  if (!after && !sim->instant.changed) {
    copy(s->f_after, s->f_before, def->nx, sizeof(double)); /* the model ends here */
  } else if (!after) {
    all_nan(s->f_after, def->nx);
    /* Where the run ends there is nothing after it, and nothing is missing. */
    if (!sim->instant.ended) s->instant_limits |= BRINK_SENSITIVITY_UNDEFINED;
  }
  narrow(s, s->carried_x, def->nx, s->moves ? s->f_after : NULL, s->m);
  narrow(s, s->carried_p, def->np, NULL, s->p);
  narrow(s, s->carried_timer, def->nclocks, NULL, s->timer);
  s->limits |= s->instant_limits;
  if (s->limits & BRINK_SENSITIVITY_ZENO) all_nan(s->m, def->nx * s->count);
  if (s->def.saltation && s->moves && s->mover != BRINK_NONE) find_saltation(s);
  s->open = false;
  s->nhistory = 0;
  s->calm = s->limits;
  leave_no(s, kept);
  s->t = sim->t;
  for (size_t k = 0; k < s->nevents; k++) tell(s, &s->events[k]);
  s->reported += s->noted;
}

void brink_sensitivity_note(brink_sensitivity *s, const brink_event *event) {
  size_t most = sizeof s->events / sizeof *s->events;
  if (s->nevents < most) s->events[s->nevents++] = *event;
  s->noted++;
}

void brink_sensitivity_lose(brink_sensitivity *s) {
  s->instant_limits |= BRINK_SENSITIVITY_ZENO;
}

void brink_sensitivity_write_state(brink_sensitivity *s, size_t slot) {
  memset(&s->m[slot * s->count], 0, s->count * sizeof *s->m);
}

void brink_sensitivity_write_parameter(brink_sensitivity *s, size_t slot) {
  memset(&s->p[slot * s->count], 0, s->count * sizeof *s->p);
}

/* What is written before anything has happened makes another start, with the directions that were given. */
static bool at_start(const brink_sensitivity *s) {
  return s->fresh && s->reported == 0 && s->t == s->sim->model->def.t0;
}

void brink_sensitivity_set_mode(brink_sensitivity *s) {
  s->fresh = true; /* signs are taken anew: a surface may hold the state from here on */
}

void brink_sensitivity_set_state(brink_sensitivity *s, const double *x) {
  const brink_sim *sim = s->sim;
  if (at_start(s)) return;
  for (size_t i = 0; i < sim->model->def.nx; i++) {
    if (x[i] != sim->x[i]) brink_sensitivity_write_state(s, i);
  }
  s->fresh = true;
}

void brink_sensitivity_set_parameter(brink_sensitivity *s, size_t slot) {
  if (at_start(s)) return;
  brink_sensitivity_write_parameter(s, slot);
  s->fresh = true;
}

const double *brink_sensitivity_moving(const brink_sensitivity *s, double *rows) {
  narrow(s, s->carried_x, s->sim->model->def.nx, NULL, rows);
  return s->tau;
}

/* ---- callbacks ---- */

brink_carried *brink_sensitivity_carried(brink_sensitivity *s) {
  return s->open ? &s->carried : NULL;
}

void brink_sensitivity_before(brink_sensitivity *s, const brink_now *now) {
  const brink_model_def *def = &s->sim->model->def;
  s->given = *now;
  copy(s->given_x, now->x, def->nx, sizeof(double));
  copy(s->given_p, now->p, def->np, sizeof(double));
  copy(s->given_timer, now->timer, def->nclocks, sizeof(double));
  copy(s->given_mode, now->mode, def->nmodes, sizeof(int));
  s->given.x = s->given_x;
  s->given.p = s->given_p;
  s->given.timer = s->given_timer;
  s->given.mode = s->given_mode;
  s->carried.done = false;
}

/* Did the callback change anything that has a direction? */
static bool changed(const brink_sensitivity *s) {
  const brink_sim *sim = s->sim;
  const brink_model_def *def = &sim->model->def;
  return memcmp(s->given_x, sim->x, def->nx * sizeof(double)) != 0 ||
         memcmp(s->given_p, sim->eval.p, def->np * sizeof(double)) != 0 ||
         memcmp(s->given_timer, sim->schedule.timer, def->nclocks * sizeof(double)) != 0;
}

void brink_sensitivity_after(brink_sensitivity *s, const brink_callback *callback) {
  const brink_model_def *def = &s->sim->model->def;
  if (!s->open || s->carried.done || !changed(s)) return;
  traces kept = look(s);
  s->instant_limits |= BRINK_SENSITIVITY_DIFFERENCES;
  if (!brink_tangent_callback(&s->tangent, callback, &s->given, &s->carried)) {
    s->instant_limits |= BRINK_SENSITIVITY_UNDEFINED;
    all_nan(s->carried_x, def->nx * s->columns);
  }
  leave_no(s, kept);
}

/* ---- making and asking ---- */

brink_status brink_sensitivity_create(brink_sim *sim, const brink_sensitivity_def *def,
                                      const brink_allocator *allocator, brink_diag *diag,
                                      brink_sensitivity **sensitivity) {
  brink_diag_clear(diag);
  if (sensitivity != NULL) *sensitivity = NULL;
  if (sim == NULL || sensitivity == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "sim and sensitivity must not be NULL");
  if (sim->busy) return brink_sim_not_inside(diag);
  if (sim->sensitivity != NULL || brink_sim_has_begun(sim) || sim->t != sim->model->def.t0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "sensitivities begin with the run, and one at a time: make the sim anew");
  if (sim->model->def.nz > 0)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                          "derivatives of a run are not worked out for models with constraints");
  if (sim->model->def.delays != NULL)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                          "derivatives of a run are not worked out for models with delays");
  brink_sensitivity_def chosen = sensitivity_defaults;
  brink_status status = BRINK_OK;
  if (def != NULL)
    status = brink_definition_read(&chosen, sizeof chosen, def, "brink_sensitivity_def", diag);
  if (status != BRINK_OK) return status;
  if (!(chosen.rtol >= 0.0) || isinf(chosen.rtol))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "rtol is %g: give zero or a positive number",
                          chosen.rtol);
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_sensitivity *made = brink_arena_take(&arena, 1, sizeof *made);
  if (made == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  size_t nx = sim->model->def.nx;
  made->arena = arena;
  made->sim = sim;
  made->def = chosen;
  made->count = chosen.count > 0 ? chosen.count : nx;
  made->columns = made->count + 1 + (chosen.saltation ? nx : 0);
  made->rtol = chosen.rtol > 0.0 ? chosen.rtol : fmin(fmax(0.1 * sim->options.rtol, 1e-12), 1e-6);
  bool taken = take_arrays(made);
  if (taken) copy_directions(made);
  if (!taken || !begin_anew(made)) {
    size_t count = made->count;
    brink_sensitivity_destroy(made);
    return brink_diag_set(diag, BRINK_ERR_MEMORY,
                          "out of memory for %zu directions of %zu states and %zu parameters",
                          count, nx, sim->model->def.np);
  }
  made->observer = (brink_observer){.moved = moved, .begins = begins, .ends = ends};
  brink_sim_watch(sim, &made->observer);
  sim->sensitivity = made;
  *sensitivity = made;
  return BRINK_OK;
}

void brink_sensitivity_destroy(brink_sensitivity *s) {
  if (s == NULL || s->sim->busy) return;
  if (s->sim->sensitivity == s) {
    s->sim->sensitivity = NULL;
    brink_sim_unwatch(s->sim, &s->observer);
  }
  brink_arena arena = s->arena; /* the object itself lives in it */
  brink_arena_free(&arena);
}

size_t brink_sensitivity_count(const brink_sensitivity *s) {
  return s->count;
}
const double *brink_sensitivity_state(const brink_sensitivity *s) {
  return s->m;
}
const double *brink_sensitivity_parameters(const brink_sensitivity *s) {
  return s->p;
}
unsigned brink_sensitivity_limits(const brink_sensitivity *s) {
  return s->limits;
}
