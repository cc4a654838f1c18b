/* meeting.c: guards of pairs, searched along the plans of both at the same time.
 *
 * Two agents are looked at as one system: a path whose components are the states of the first, then those of
 * the second, over an interval in which both plans are good, expanded about its start. Guards along it are
 * searched like those of any step (event/interpolate.c): all roots, touches of unilateral ones, the right
 * side. Only states that the guards read are filled in.
 *
 * The sign of a guard is that of its value at the start, as nothing has been missed before. Within rounding
 * of the surface, and for two that have just met, it is that of the first motion (docs/hsml.md, after an
 * event). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "agents/parts.h"
#include "agents/series.h"

#define AT_SURFACE 64.0 /* units of rounding in the states within which a guard is on its surface */
#define HIDDEN 0x1p-56  /* of a state: rounding hides it */

/* ---- making ---- */

/* Which of its states does an agent bring to the guards? */
static bool find_needed(brink_meeting *m, int side, brink_arena *arena) {
  const brink_model *pair = m->eval.model;
  size_t nx = m->crew[side]->sim->model->def.nx;
  bool *reads = brink_arena_take(arena, pair->def.nx, sizeof *reads);
  m->needed[side] = brink_arena_take(arena, nx, sizeof *m->needed[side]);
  if (reads == NULL || m->needed[side] == NULL) return false;
  for (size_t g = 0; g < pair->def.nguards; g++) {
    const brink_guard_def *guard = &pair->guards[g].def;
    if (!m->eval.enabled[g]) continue;
    for (size_t k = 0; k < guard->ndepends; k++) reads[guard->depends[k]] = true;
  }
  for (size_t i = 0; i < nx; i++) {
    if (reads[m->def.x[side][i]]) m->needed[side][m->nneeded[side]++] = (uint32_t)i;
  }
  return true;
}

/* Only the pair's own guards, and what their formulas are made of. */
static void enable(brink_meeting *m) {
  const brink_model *model = m->eval.model;
  memset(m->eval.enabled, 0, model->def.nguards * sizeof(bool));
  for (size_t k = 0; k < m->def.nguards; k++) {
    const brink_guard *guard = &model->guards[m->def.guards[k]];
    m->eval.enabled[m->def.guards[k]] = true;
    m->touches = m->touches || guard->def.side == BRINK_UNILATERAL;
    for (size_t j = 0; j < guard->formula_length; j++) {
      if (guard->formula[j].op == 0) m->eval.enabled[guard->formula[j].leaf] = true;
    }
  }
}

static size_t longest(const brink_meeting *m) {
  size_t a = m->crew[0]->packing.length, b = m->crew[1]->packing.length;
  return a > b ? a : b;
}

bool brink_meeting_init(brink_meeting *m, const brink_pair_def *def, brink_crew *crews,
                        const brink_options *options, brink_arena *arena) {
  const brink_model *model = def->model;
  size_t nx = model->def.nx;
  *m = (brink_meeting){.def = *def};
  for (int side = 0; side < 2; side++) m->crew[side] = &crews[def->population[side]];
  m->length = longest(m);
  m->atol = brink_arena_take(arena, nx, sizeof(double));
  m->no_atol = brink_arena_take(arena, nx, sizeof(double));
  m->rows = brink_arena_take(arena, nx * m->length, sizeof(double));
  m->x0 = brink_arena_take(arena, nx, sizeof(double));
  m->x1 = brink_arena_take(arena, nx, sizeof(double));
  m->before_x = brink_arena_take(arena, nx, sizeof(double));
  m->before_p = brink_arena_take(arena, model->def.np, sizeof(double));
  m->before_mode = brink_arena_take(arena, model->def.nmodes, sizeof(int));
  m->timer = brink_arena_take(arena, model->def.nclocks, sizeof(double));
  if (m->atol == NULL || m->no_atol == NULL || m->rows == NULL || m->x0 == NULL || m->x1 == NULL ||
      m->before_x == NULL || m->before_p == NULL || m->before_mode == NULL || m->timer == NULL)
    return false;
  for (size_t i = 0; i < nx; i++) m->atol[i] = options->atol;
  if (!brink_eval_init(&m->eval, model, arena, false) ||
      !brink_detector_create(&m->detector, options, m->atol, &m->eval, arena))
    return false;
  memcpy(m->eval.p, model->def.p0, model->def.np * sizeof(double));
  memcpy(m->eval.mode, model->def.mode0, model->def.nmodes * sizeof(int));
  enable(m);
  return find_needed(m, 0, arena) && find_needed(m, 1, arena);
}

/* ---- two agents as one system ---- */

static void gather_held(brink_meeting *m, int side, const void *packed) {
  const brink_crew *crew = m->crew[side];
  const brink_model_def *def = &crew->sim->model->def;
  const double *p = brink_packed_parameters(&crew->packing, packed);
  const int *mode = brink_packed_modes(&crew->packing, packed);
  for (size_t k = 0; k < def->np; k++) m->eval.p[m->def.p[side][k]] = p[k];
  for (size_t k = 0; k < def->nmodes; k++) m->eval.mode[m->def.mode[side][k]] = mode[k];
}

/* One state of the pair. */
static void set_row(brink_meeting *m, size_t at, const brink_series *s, bool second) {
  double *row = m->rows + at * m->length, end = 0.0;
  for (int k = 0; k <= s->degree; k++) row[k] = second ? s->c[k].b : s->c[k].a;
  for (size_t k = (size_t)s->degree + 1; k < m->length; k++) row[k] = 0.0;
  for (int k = s->degree; k > 0; k--) end += row[k];
  m->x0[at] = row[0];
  m->x1[at] = row[0] + end;
}

/* How large a state is on the plan: what rounding hides is judged by that. */
static double state_size(const brink_plan *plan, size_t state, double t) {
  const double *c = plan->c + state * plan->length;
  return fmax(fabs(c[0]), fabs(c[1] * (t - plan->origin) / plan->unit));
}

/* Terms that rounding of the states hides are left out: windows are shorter than plans. */
static int gather_path(brink_meeting *m, int side, const void *packed, double from, double h) {
  brink_plan plan = brink_packed_plan(&m->crew[side]->packing, packed);
  int most = 0;
  for (size_t j = 0; j < m->nneeded[side]; j += 2) {
    bool both = j + 1 < m->nneeded[side];
    size_t one = m->needed[side][j], other = m->needed[side][both ? j + 1 : j];
    brink_two size = {state_size(&plan, one, from), state_size(&plan, other, from)};
    brink_series s;
    brink_series_expand(&plan, one, other, from, h, brink_two_times(size, HIDDEN), &s);
    set_row(m, m->def.x[side][one], &s, false);
    if (both) set_row(m, m->def.x[side][other], &s, true);
    most = s.degree > most ? s.degree : most;
  }
  return most;
}

/* ---- signs ---- */

/* The first motion of the guard away from where it starts: the sign of its values soon after. */
static int sign_of_motion(brink_meeting *m, size_t guard, double band) {
  for (double sigma = 0x1p-40; sigma <= 0.25; sigma *= 16.0) {
    double moved =
        brink_along_value(&m->detector.space, guard, &m->path, sigma) - m->detector.g0[guard];
    if (fabs(moved) > band) return moved > 0.0 ? 1 : -1;
  }
  return 1;
}

/* How far rounding in the states moves the guard, or the time of the last event did. */
static double surface_band(brink_meeting *m, size_t guard, double t) {
  double unit = AT_SURFACE * DBL_EPSILON;
  return brink_eval_tolerance(&m->eval, guard, t, m->x0, unit, m->no_atol);
}

static void take_sign(brink_meeting *m, size_t guard, double from, const brink_memory *memory) {
  double g = m->detector.g0[guard];
  bool fresh = memory->fresh;
  m->eval.slack[guard] = 0.0;
  /* Within the tolerance of where they met they have not left each other: no touch. */
  m->detector.touched[guard] =
      memory->met && fabs(g) <= brink_detector_tolerance(&m->detector, guard, from, m->x0);
  double band = surface_band(m, guard, from);
  bool near = fresh || fabs(g) <= band;
  if (!near) {
    m->eval.sgn[guard] = g > 0.0 ? 1 : -1;
    return;
  }
  int motion = fresh && memory->sign != 0 ? memory->sign : sign_of_motion(m, guard, band);
  const brink_guard_def *def = &m->eval.model->guards[guard].def;
  /* Two that touch and come closer meet now, if that is an event; two that have just met go where they go. */
  bool inside = def->side == BRINK_UNILATERAL && def->direction != BRINK_BOTH && !fresh;
  int side = def->direction == BRINK_NEGATIVE ? 1 : -1;
  if (!inside) side = fresh || memory->begins ? motion : -motion; /* they go through it now */
  m->eval.sgn[guard] = (signed char)side;
  m->eval.slack[guard] = fabs(g);
}

/* Both stay where they are, seen from each other: what moves is rounding. */
static bool rests(brink_meeting *m, size_t guard, double from, const brink_memory *memory) {
  double band = surface_band(m, guard, from);
  if (memory->fresh || fabs(m->detector.g0[guard]) > band || fabs(m->detector.g1[guard]) > band)
    return false;
  for (double sigma = 0.125; sigma < 1.0; sigma += 0.25) {
    if (fabs(brink_along_value(&m->detector.space, guard, &m->path, sigma)) > band) return false;
  }
  return true;
}

/* Have they just met, and does the guard go away from zero all along? */
static bool leaves(brink_meeting *m, size_t guard, const brink_memory *memory) {
  brink_along along;
  double bends = 0.0; /* back */
  if (!memory->fresh || m->eval.model->guards[guard].formula != NULL ||
      !brink_along_build(&m->detector.space, guard, &m->path, m->detector.g0[guard], &along) ||
      !along.exact)
    return false;
  int sign = m->eval.sgn[guard];
  for (int k = 2; k <= along.degree; k++) bends += k * fmax(-sign * along.c[k], 0.0);
  return sign * along.c[1] > bends;
}

/* ---- jumps ---- */

/* The guard before one of them jumped. Its new parameters are put back. */
static double value_before(brink_meeting *m, size_t guard, double t, const brink_memory *memory,
                           const void *packed) {
  const brink_crew *crew = m->crew[memory->jumper];
  brink_plan plan = brink_packed_plan(&crew->packing, memory->old);
  memcpy(m->before_x, m->x0, m->eval.nx * sizeof(double));
  for (size_t j = 0; j < m->nneeded[memory->jumper]; j++) {
    size_t i = m->needed[memory->jumper][j];
    m->before_x[m->def.x[memory->jumper][i]] = brink_plan_at(&plan, i, t);
  }
  gather_held(m, memory->jumper, memory->old);
  double value = brink_eval_guard(&m->eval, guard, t, m->before_x);
  gather_held(m, memory->jumper, packed);
  return value;
}

/* An agent that an action of its own has carried through the surface has met the other one, too. */
static bool jumps(brink_meeting *m, size_t guard, double t, const brink_memory *memory,
                  const void *packed, brink_root_of_pair *root) {
  double after = m->detector.g0[guard], before = value_before(m, guard, t, memory, packed);
  double band = surface_band(m, guard, t);
  brink_direction direction = after < before ? BRINK_NEGATIVE : BRINK_POSITIVE;
  if (fabs(before) <= band || fabs(after) <= band || (before > 0.0) == (after > 0.0) ||
      !brink_detector_wants(&m->detector, guard, direction))
    return false;
  *root = (brink_root_of_pair){
      .found = true, .t = t, .guard = guard, .direction = direction, .kind = BRINK_JUMPED};
  return true;
}

/* ---- searching ---- */

static void prepare(brink_meeting *m, size_t guard, double from, double to) {
  brink_detector *det = &m->detector;
  det->g0[guard] = brink_eval_guard(&m->eval, guard, from, m->x0);
  det->g1[guard] = brink_eval_guard(&m->eval, guard, to, m->x1);
  det->slope[guard] = det->slope_new[guard] = 0.0;
  det->queued[guard] = false;
  det->tolerance[guard] = 0.0; /* of two others */
}

/* *known becomes the time up to which the guards were followed. */
static brink_root_of_pair search(brink_meeting *m, const void *a, const void *b, double from,
                                 double to, const brink_memory *memory, double *known) {
  brink_root_of_pair root = {.t = to};
  brink_detector *det = &m->detector;
  double h = to - from;
  *known = to;
  gather_held(m, 0, a);
  gather_held(m, 1, b);
  int one = gather_path(m, 0, a, from, h), other = gather_path(m, 1, b, from, h);
  brink_path_begin(&m->path, from, h, m->eval.nx, m->x0);
  int degree = one > other ? one : other;
  brink_path_powers(&m->path, m->rows, m->length, h, degree > 0 ? degree : 1);
  brink_found found = {.sigma = 1.0, .undefined = BRINK_NONE};
  det->nhits = det->nmisses = det->nqueue = 0;
  det->horizon = 1.0;
  det->resolution = DBL_EPSILON * fmax(fabs(from) / h, DBL_MIN);
  for (size_t k = 0; k < m->def.nguards; k++) {
    size_t guard = m->def.guards[k];
    brink_enabled_fn *enabled = m->eval.model->def.enabled;
    m->eval.enabled[guard] = enabled == NULL || enabled(guard, &m->eval.env);
    if (!m->eval.enabled[guard]) continue;
    prepare(m, guard, from, to);
    if (memory->old != NULL && jumps(m, guard, from, memory, memory->jumper == 0 ? a : b, &root))
      return root;
    take_sign(m, guard, from, memory);
    if (rests(m, guard, from, memory)) continue;
    if (!brink_detector_active(det, guard) || leaves(m, guard, memory)) continue;
    brink_interpolate_guard(det, guard, &m->path, &found);
  }
  if (brink_detector_cut(det, &found, 0.0, h) > 0.0) {
    *known = from + found.cut * h;
    return root;
  }
  if (!found.event) return root;
  root = (brink_root_of_pair){.found = true,
                              .t = fmin(from + found.sigma * h, to),
                              .guard = det->hits[0].guard,
                              .direction = det->hits[0].direction,
                              .kind = det->hits[0].kind};
  return root;
}

brink_root_of_pair brink_meeting_search(brink_meeting *m, const void *a, const void *b, double from,
                                        double to, const brink_memory *memory) {
  brink_memory still = *memory;
  double start = from;
  if (memory->old == NULL && !brink_meeting_narrow(m, a, b, &from, &to))
    return (brink_root_of_pair){.t = to};
  if (from > start) still.met = still.fresh = still.begins = false; /* they have been apart since */
  double known;
  brink_root_of_pair root = search(m, a, b, from, to, &still, &known);
  while (!root.found &&
         known < to) { /* a guard that goes up and down so often is followed in parts */
    still = (brink_memory){.old = NULL, .jumper = memory->jumper};
    from = known;
    root = search(m, a, b, from, to, &still, &known);
  }
  return root;
}

/* ---- acting ---- */

/* Where its plan leads at t. */
static void gather_state(brink_meeting *m, int side, const void *packed, double t) {
  const brink_crew *crew = m->crew[side];
  brink_plan plan = brink_packed_plan(&crew->packing, packed);
  for (size_t i = 0; i < crew->packing.nx; i++)
    m->x1[m->def.x[side][i]] = brink_plan_at(&plan, i, t);
  gather_held(m, side, packed);
}

static bool differs(const brink_meeting *m, int side) {
  const brink_model_def *def = &m->crew[side]->sim->model->def;
  for (size_t i = 0; i < def->nx; i++) {
    if (m->x1[m->def.x[side][i]] != m->before_x[m->def.x[side][i]]) return true;
  }
  for (size_t k = 0; k < def->np; k++) {
    if (m->eval.p[m->def.p[side][k]] != m->before_p[m->def.p[side][k]]) return true;
  }
  for (size_t k = 0; k < def->nmodes; k++) {
    if (m->eval.mode[m->def.mode[side][k]] != m->before_mode[m->def.mode[side][k]]) return true;
  }
  return false;
}

int brink_meeting_act(brink_meeting *m, const void *a, const void *b,
                      const brink_root_of_pair *root, brink_event_record *record, bool changed[2]) {
  const brink_model *model = m->eval.model;
  const brink_guard_def *guard = &model->guards[root->guard].def;
  gather_state(m, 0, a, root->t);
  gather_state(m, 1, b, root->t);
  memcpy(m->before_x, m->x1, model->def.nx * sizeof(double));
  memcpy(m->before_p, m->eval.p, model->def.np * sizeof(double));
  memcpy(m->before_mode, m->eval.mode, model->def.nmodes * sizeof(int));
  brink_now now = {.t = root->t,
                   .x = m->x1,
                   .p = m->eval.p,
                   .mode = m->eval.mode,
                   .timer = m->timer,
                   .pre_x = m->before_x,
                   .pre_p = m->before_p,
                   .pre_mode = m->before_mode,
                   .sgn = m->eval.sgn,
                   .message = m->message};
  m->message[0] = '\0';
  *record = (brink_event_record){.event = {.guard = root->guard,
                                           .name = brink_model_guard_name(model, root->guard),
                                           .t = root->t,
                                           .direction = root->direction,
                                           .kind = root->kind},
                                 .x_before = m->before_x,
                                 .x_after = m->x1,
                                 .p_before = m->before_p,
                                 .p_after = m->eval.p,
                                 .mode_before = m->before_mode,
                                 .mode_after = m->eval.mode};
  record->event.value = brink_eval_guard(&m->eval, root->guard, root->t, m->x1);
  int outcome = guard->action != NULL ? guard->action(&record->event, &now, model->def.user) : 0;
  for (int side = 0; side < 2; side++) changed[side] = differs(m, side);
  return outcome;
}

void brink_meeting_scatter(brink_meeting *m, int side, brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  for (size_t i = 0; i < def->nx; i++) sim->x[i] = m->x1[m->def.x[side][i]];
  for (size_t k = 0; k < def->np; k++) sim->eval.p[k] = m->eval.p[m->def.p[side][k]];
  for (size_t k = 0; k < def->nmodes; k++) sim->eval.mode[k] = m->eval.mode[m->def.mode[side][k]];
}

int brink_meeting_sides(const brink_meeting *m, const brink_crew *crew, int sides[2]) {
  int count = 0;
  if (m->crew[0] == crew) sides[count++] = 0;
  if (m->crew[1] == crew && m->crew[0] != crew) sides[count++] = 1;
  return count;
}

uint32_t brink_meeting_number(const brink_meeting *m, int side, size_t agent) {
  bool second = side == 1 && m->crew[0] != m->crew[1];
  return (uint32_t)(second ? m->crew[0]->def.count + agent : agent);
}
