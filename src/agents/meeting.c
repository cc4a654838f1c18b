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
#include "brink/jet.h"

#define AT_SURFACE 64.0 /* units of rounding in the states within which a guard is on its surface */
#define AROUND                                                                                     \
  2.0 /* tolerances around a box: what comes that near may be a touch, in any direction … */
#define HIDDEN 0x1p-56  /* of a state: rounding hides it */
#define ROUGHLY 1e-4    /* of its size: how well the way of an agent is told, … */
#define ROUGH_BEND 0.05 /* … and of how far it bends */
#define ROUNDING 1e-13  /* … of a unilateral guard; for others rounding is enough */

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

#define AT_ONCE 4 /* divisions */
#define NEAR_START                                                                                 \
  0.0625 /* of a unit: the polynomial about its own origin is scaled badly for sums */

/* Leaves out the last terms, which are no more than eps together; *rest: how much was left out. */
static int cut(const double *row, int degree, double eps, double *rest) {
  while (degree > 0 && *rest + fabs(row[degree]) <= eps) *rest += fabs(row[degree--]);
  return degree;
}

/* Divides the polynomial d[k], d[k + 1], … by s - 1 four times: four remainders, and then the quotient. How large
 * that is where the powers of s are no more than these. */
static double divide(double *d, int k, int degree, const double *powers) {
  double first = 0.0, second = 0.0, third = 0.0, fourth = 0.0, size = 0.0;
  for (int j = degree; j >= k + AT_ONCE; j--) {
    first += d[j];
    second += first;
    third += second;
    d[j] = fourth += third;
    size += fabs(fourth) * powers[j - k - AT_ONCE];
  }
  first += d[k + 3], second += first, third += second;
  d[k + 3] = fourth + third;
  first += d[k + 2], second += first;
  d[k + 2] = third + second;
  first += d[k + 1];
  d[k + 1] = second + first;
  d[k] += first;
  return size;
}

/* A polynomial about s0, in units of `scale`, up to eps wherever |s - s0| <= scale: repeated synthetic division
 * of the polynomial in s/s0, which takes sums only (Shaw & Traub 1974), until the quotient is nothing. */
static int shift(const double *c, int degree, double s0, double scale, double eps, double *row,
                 double *rest) {
  double d[BRINK_PATH_DEGREE + 2 + AT_ONCE] = {0.0}, powers[BRINK_PATH_DEGREE + 2];
  double ratio = scale / s0, far = 1.0 + fabs(ratio), power = 1.0, most = 1.0, left = 0.0;
  for (int k = 0; k <= degree; k++, power *= s0, most *= far) {
    d[k] = c[k] * power;
    powers[k] = most;
  }
  double last = fabs(d[degree]) * powers[degree];
  for (; degree > 0 && left + last <= 0.5 * eps; last = fabs(d[degree]) * powers[degree]) {
    left += last;
    d[degree--] = 0.0;
  }
  power = 1.0;
  for (int k = 0; k <= degree; k += AT_ONCE) {
    double size = divide(d, k, degree, powers);
    for (int l = k; l < k + AT_ONCE && l <= degree; l++, power *= ratio) row[l] = d[l] * power;
    *rest = left + size * fabs(power);
    if (*rest <= eps && k + AT_ONCE <= degree) degree = k + AT_ONCE - 1;
  }
  return cut(row, degree, eps, rest);
}

/* The polynomial of a state about t, in units of s = (time - t)/h, into `row`, up to eps for |s| <= 1; its degree. */
static int expand(const brink_plan *plan, size_t state, double t, double h, double eps, double *row,
                  double *rest) {
  const double *c = plan->c + state * plan->length;
  double s0 = (t - plan->origin) / plan->unit, scale = h / plan->unit, power = 1.0;
  int degree = plan->degree;
  while (degree > 0 && c[degree] == 0.0) degree--;
  *rest = 0.0;
  if (fabs(s0) > NEAR_START * fabs(scale)) return shift(c, degree, s0, scale, eps, row, rest);
  if (s0 != 0.0)
    brink_jet_shift(degree, c, s0, row);
  else
    memcpy(row, c, ((size_t)degree + 1) * sizeof *row);
  for (int k = 1; k <= degree; k++) row[k] *= power *= scale;
  return cut(row, degree, eps, rest);
}

/* Terms that rounding of the state hides are left out: windows are shorter than plans. */
static int gather_path(brink_meeting *m, int side, const void *packed, double from, double h) {
  brink_plan plan = brink_packed_plan(&m->crew[side]->packing, packed);
  int most = 0;
  for (size_t j = 0; j < m->nneeded[side]; j++) {
    size_t i = m->needed[side][j], at = m->def.x[side][i];
    const double *c = plan.c + i * plan.length;
    double *row = m->rows + at * m->length, end = 0.0, rest;
    double size = fmax(fabs(c[0]), fabs(c[1] * (from - plan.origin) / plan.unit));
    int degree = expand(&plan, i, from, h, HIDDEN * size, row, &rest);
    for (size_t k = (size_t)degree + 1; k < m->length; k++) row[k] = 0.0;
    for (int k = degree; k > 0; k--) end += row[k];
    m->x0[at] = row[0];
    m->x1[at] = row[0] + end;
    most = degree > most ? degree : most;
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

/* ---- where to look ---- */

static double size_of(const brink_meeting *m, int side, const void *packed) {
  uint32_t at = m->def.size[side];
  if (at == UINT32_MAX) return m->def.size_value[side];
  return brink_packed_parameters(&m->crew[side]->packing, packed)[at];
}

/* How near the two have to come, in one direction: sizes, tolerances; `far`: how large the numbers are. */
static double nearness(const brink_meeting *m, int side, double size, double far) {
  const brink_options *options = &m->crew[side]->sim->options;
  double around = size + ROUNDING * far;
  if (m->touches) around += AROUND * (options->rtol * far + options->atol);
  return around;
}

#define PIECES 8

/* One agent, seen from the other: where it is between PIECES pieces of the time from `from` to `to`. */
typedef struct chords {
  double at[PIECES + 1][3];
  double off; /* how far it is from the straight lines between them at most */
  double near;
} chords;

static void draw_chords(const brink_meeting *m, const void *const packed[2], double from, double to,
                        chords *c) {
  double around[2] = {0.0}, off = 0.0;
  for (int d = 0; d < m->def.ndimensions; d++) {
    double row[2][BRINK_PATH_DEGREE + 2], bend = 0.0, left = 0.0;
    int degree[2], most;
    for (int side = 0; side < 2; side++) {
      brink_plan plan = brink_packed_plan(&m->crew[side]->packing, packed[side]);
      double size = size_of(m, side, packed[side]), far = 0.0, rest;
      degree[side] = expand(&plan, m->def.position[side][d], from, to - from, ROUGHLY * size,
                            row[side], &rest);
      for (int k = 0; k <= degree[side]; k++) far += fabs(row[side][k]);
      around[side] = fmax(around[side], nearness(m, side, size, far));
      left += rest;
    }
    most = degree[0] > degree[1] ? degree[0] : degree[1];
    for (int side = 0; side < 2; side++) {
      for (int k = degree[side] + 1; k <= most; k++) row[side][k] = 0.0;
    }
    for (int k = 0; k <= most; k++) row[0][k] -= row[1][k];
    for (int k = 2; k <= most; k++) bend += k * (k - 1) * fabs(row[0][k]);
    for (int j = 0; j <= PIECES; j++)
      c->at[j][d] = brink_jet_eval(most, row[0], (double)j / PIECES);
    left += bend / (8.0 * PIECES * PIECES);
    off += left * left;
  }
  c->off = sqrt(off);
  c->near = around[0] + around[1];
}

/* Does a straight line pass the origin farther away than this? */
static bool passes(const double *a, const double *b, int nd, double distance) {
  double along = 0.0, length = 0.0, sum = 0.0;
  for (int d = 0; d < nd; d++) {
    along -= a[d] * (b[d] - a[d]);
    length += (b[d] - a[d]) * (b[d] - a[d]);
  }
  double s = along <= 0.0 ? 0.0 : along >= length ? 1.0 : along / length;
  for (int d = 0; d < nd; d++) {
    double x = a[d] + s * (b[d] - a[d]);
    sum += x * x;
  }
  return sum > distance * distance;
}

/* The part of the time in which the two may come near each other: there only guards have to be searched. False: there
 * is none. */
static bool narrow(const brink_meeting *m, const void *a, const void *b, double *from, double *to) {
  chords c;
  if (m->def.ndimensions == 0) return true;
  draw_chords(m, (const void *const[2]){a, b}, *from, *to, &c);
  int first = 0, last = PIECES;
  double distance = c.near + c.off, h = *to - *from;
  while (first < last && passes(c.at[first], c.at[first + 1], m->def.ndimensions, distance))
    first++;
  while (last > first && passes(c.at[last - 1], c.at[last], m->def.ndimensions, distance)) last--;
  if (last < PIECES) *to = *from + h * last / PIECES;
  if (first > 0) *from += h * first / PIECES;
  return first < last;
}

brink_root_of_pair brink_meeting_search(brink_meeting *m, const void *a, const void *b, double from,
                                        double to, const brink_memory *memory) {
  brink_root_of_pair root = {.t = to};
  brink_detector *det = &m->detector;
  if (memory->old == NULL && !narrow(m, a, b, &from, &to)) return root;
  double h = to - from;
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
    if (brink_detector_active(det, guard)) brink_interpolate_guard(det, guard, &m->path, &found);
  }
  if (!found.event) return root;
  root = (brink_root_of_pair){.found = true,
                              .t = fmin(from + found.sigma * h, to),
                              .guard = det->hits[0].guard,
                              .direction = det->hits[0].direction,
                              .kind = det->hits[0].kind};
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

/* ---- boxes ---- */

uint32_t brink_meeting_number(const brink_meeting *m, int side, size_t agent) {
  bool second = side == 1 && m->crew[0] != m->crew[1];
  return (uint32_t)(second ? m->crew[0]->def.count + agent : agent);
}

/* A state over a window: x = middle + slope s, s from -1 to 1, up to `off`. */
typedef struct line {
  double middle, slope, off;
} line;

/* About the middle, where the powers of s are bounded best; s^2 is 1/2 +- 1/2. */
static line line_of(const brink_plan *plan, size_t state, double from, double to, double eps) {
  double row[BRINK_PATH_DEGREE + 2], rest, h = 0.5 * (to - from), scale = h / plan->unit;
  if (plan->degree > 1) eps += ROUGH_BEND * fabs(plan->c[state * plan->length + 2]) * scale * scale;
  int degree = expand(plan, state, 0.5 * (from + to), h, eps, row, &rest);
  line l = {.middle = row[0], .slope = degree > 0 ? row[1] : 0.0, .off = rest};
  if (degree < 2) return l;
  l.middle += 0.5 * row[2];
  l.off += 0.5 * fabs(row[2]);
  for (int k = 3; k <= degree; k++) l.off += fabs(row[k]);
  return l;
}

void brink_meeting_spot(const brink_meeting *m, int side, const void *packed, double from,
                        double to, brink_spot *spot) {
  brink_plan plan = brink_packed_plan(&m->crew[side]->packing, packed);
  brink_box *box = &spot->box;
  brink_track *track = &spot->track;
  double size = size_of(m, side, packed), off = 0.0, widest = 0.0, h = to - from;
  for (int d = 0; d < m->def.ndimensions; d++) {
    line l = line_of(&plan, m->def.position[side][d], from, to, ROUGHLY * size);
    double reach = fabs(l.slope) + l.off;
    double around = nearness(m, side, size, fabs(l.middle) + reach);
    box->low[d] = l.middle - reach - around;
    box->high[d] = l.middle + reach + around;
    track->at[d] = l.middle - l.slope;
    track->rate[d] = h > 0.0 ? 2.0 * l.slope / h : 0.0;
    off += l.off * l.off;
    widest = fmax(widest, around);
  }
  track->off = sqrt(off) + widest;
}

bool brink_meeting_may(const brink_meeting *m, const brink_track *one, const brink_track *other,
                       double since_a, double since_b, double h) {
  double near = one->off + other->off, apart[3], rate[3], closing = 0.0, speed = 0.0, sum = 0.0;
  for (int d = 0; d < m->def.ndimensions; d++) {
    apart[d] = one->at[d] + one->rate[d] * since_a - (other->at[d] + other->rate[d] * since_b);
    rate[d] = one->rate[d] - other->rate[d];
    closing -= apart[d] * rate[d];
    speed += rate[d] * rate[d];
  }
  double s = closing <= 0.0 ? 0.0 : closing >= speed * h ? h : closing / speed;
  for (int d = 0; d < m->def.ndimensions; d++) {
    double x = apart[d] + rate[d] * s;
    sum += x * x;
  }
  return sum <= near * near;
}

static double slope_at(const double *c, int degree, double s) {
  double slope = 0.0;
  for (int k = degree; k > 0; k--) slope = slope * s + k * c[k];
  return slope;
}

double brink_meeting_speed(const brink_meeting *m, int side, const void *packed, double t) {
  brink_plan plan = brink_packed_plan(&m->crew[side]->packing, packed);
  double sum = 0.0, s = (t - plan.origin) / plan.unit;
  for (int d = 0; d < m->def.ndimensions; d++) {
    const double *c = plan.c + m->def.position[side][d] * plan.length;
    double slope = plan.degree > 0 ? c[1] : 0.0;
    if (s != 0.0) slope = slope_at(c, plan.degree, s);
    sum += slope * slope;
  }
  return sqrt(sum) / plan.unit;
}
