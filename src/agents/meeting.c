/* meeting.c: guards of pairs, searched along the plans of both at the same time.
 *
 * Two agents are looked at as one system: a path whose components are the states of the first, then those of
 * the second, over an interval in which both plans are good, expanded about its start. Guards along it are
 * searched like those of any step (event/interpolate.c): all roots, touches of unilateral ones, the right
 * side. Only states that the guards read are filled in.
 *
 * An instant has the same order as in a single system (sim/instant.c): first guards that others read the signs of, then
 * those; what is due, or has jumped to the other side, fires before time moves on. The signs themselves: signs.c. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "agents/parts.h"
#include "agents/plan_series.h"

#define OF_TIME 8.0    /* units of rounding in the time of an event */
#define NOTES 4        /* of a guard in one search: its sign, rest, parting, or that it is due */
#define HIDDEN 0x1p-56 /* of a state: rounding hides it */

/* ---- making ---- */

/* Which of its states does an agent bring to the guards? */
static bool find_needed(brink_meeting *m, int side, brink_arena *arena) {
  const brink_model *pair = m->eval.model;
  size_t nx = m->population[side]->sim->model->def.nx;
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
  size_t a = m->population[0]->packing.length, b = m->population[1]->packing.length;
  return a > b ? a : b;
}

bool brink_meeting_init(brink_meeting *m, const brink_pair_def *def,
                        brink_agent_population *populations, const brink_options *options,
                        brink_arena *arena) {
  const brink_model *model = def->model;
  size_t nx = model->def.nx;
  *m = (brink_meeting){.def = *def};
  for (int side = 0; side < 2; side++) m->population[side] = &populations[def->population[side]];
  m->length = longest(m);
  m->atol = brink_arena_take(arena, nx, sizeof(double));
  m->moves = brink_arena_take(arena, nx, sizeof(double));
  m->rows = brink_arena_take(arena, nx * m->length, sizeof(double));
  m->x0 = brink_arena_take(arena, nx, sizeof(double));
  m->x1 = brink_arena_take(arena, nx, sizeof(double));
  m->before_x = brink_arena_take(arena, nx, sizeof(double));
  m->before_p = brink_arena_take(arena, model->def.np, sizeof(double));
  m->before_mode = brink_arena_take(arena, model->def.nmodes, sizeof(int));
  m->timer = brink_arena_take(arena, model->def.nclocks, sizeof(double));
  m->before = brink_arena_take(arena, model->def.nguards, sizeof *m->before);
  m->notes = brink_arena_take(arena, NOTES * def->nguards, sizeof *m->notes);
  if (m->atol == NULL || m->moves == NULL || m->rows == NULL || m->x0 == NULL || m->x1 == NULL ||
      m->before_x == NULL || m->before_p == NULL || m->before_mode == NULL || m->timer == NULL ||
      m->before == NULL || m->notes == NULL)
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
  const brink_agent_population *pop = m->population[side];
  const brink_model_def *def = &pop->sim->model->def;
  const double *p = brink_packed_parameters(&pop->packing, packed);
  const int *mode = brink_packed_modes(&pop->packing, packed);
  for (size_t k = 0; k < def->np; k++) m->eval.p[m->def.p[side][k]] = p[k];
  for (size_t k = 0; k < def->nmodes; k++) m->eval.mode[m->def.mode[side][k]] = mode[k];
}

/* One state of the pair. */
static void set_row(brink_meeting *m, size_t at, const brink_plan_series *s, bool second) {
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
  double blur = OF_TIME * DBL_EPSILON * fabs(from) / h;
  brink_plan plan = brink_packed_plan(&m->population[side]->packing, packed);
  int most = 0;
  for (size_t j = 0; j < m->nneeded[side]; j += 2) {
    bool both = j + 1 < m->nneeded[side];
    size_t one = m->needed[side][j], other = m->needed[side][both ? j + 1 : j];
    brink_double2 size = {state_size(&plan, one, from), state_size(&plan, other, from)};
    brink_plan_series s;
    brink_plan_series_expand(&plan, one, other, from, h, brink_double2_scale(size, HIDDEN), &s);
    set_row(m, m->def.x[side][one], &s, false);
    if (both) set_row(m, m->def.x[side][other], &s, true);
    m->moves[m->def.x[side][one]] = s.degree > 0 ? blur * fabs(s.c[1].a) : 0.0;
    m->moves[m->def.x[side][other]] = s.degree > 0 ? blur * fabs(s.c[1].b) : 0.0;
    most = s.degree > most ? s.degree : most;
  }
  return most;
}

/* At an instant the path is as long as the shorter plan: how the two move is all that counts. */
void brink_meeting_set_out(brink_meeting *m, const brink_encounter *e) {
  double h = e->to - e->from;
  if (!(h > 0.0)) {
    h = fmin(brink_packed_plan(&m->population[0]->packing, e->now[0]).unit,
             brink_packed_plan(&m->population[1]->packing, e->now[1]).unit);
    if (!(h > 0.0)) h = 1.0;
  }
  gather_held(m, 0, e->now[0]);
  gather_held(m, 1, e->now[1]);
  int one = gather_path(m, 0, e->now[0], e->from, h);
  int other = gather_path(m, 1, e->now[1], e->from, h);
  brink_path_begin(&m->path, e->from, h, m->eval.nx, m->x0);
  int degree = one > other ? one : other;
  brink_path_powers(&m->path, m->rows, m->length, h, degree > 0 ? degree : 1);
}

double brink_meeting_value(brink_meeting *m, const brink_encounter *e, size_t guard,
                           const void *const packed[2], double t) {
  for (int side = 0; side < 2; side++) {
    brink_plan plan = brink_packed_plan(&m->population[side]->packing, packed[side]);
    for (size_t j = 0; j < m->nneeded[side]; j++) {
      size_t i = m->needed[side][j];
      m->before_x[m->def.x[side][i]] = brink_plan_at(&plan, i, t);
    }
    gather_held(m, side, packed[side]);
  }
  double value = brink_eval_guard(&m->eval, guard, t, m->before_x);
  for (int side = 0; side < 2; side++) gather_held(m, side, e->now[side]);
  return value;
}

/* ---- what is to be remembered ---- */

static const brink_contact *contact_of(const brink_encounter *e, size_t guard) {
  return brink_contacts_find(&e->agents->contacts, e->block, guard, e->pair);
}

/* As it is, or new. */
static brink_contact *note(brink_meeting *m, const brink_encounter *e, size_t guard,
                           const brink_contact *contact) {
  assert(m->nnotes < NOTES * m->def.nguards);
  brink_contact *made = &m->notes[m->nnotes++];
  if (contact != NULL)
    *made = *contact;
  else
    *made = (brink_contact){
        .pair = {e->pair[0], e->pair[1]}, .block = (uint16_t)e->block, .guard = (uint32_t)guard};
  return made;
}

/* The guard is on this side at the instant, whatever the plans are from now on. */
static void note_sign(brink_meeting *m, const brink_encounter *e, size_t guard,
                      const brink_contact *contact) {
  bool holds = contact != NULL && brink_contact_holds(contact, e);
  int sign = m->before[guard];
  if (holds && contact->origin[0] == e->from && contact->origin[1] == e->from &&
      contact->sign == sign)
    return; /* it is known */
  brink_contact *made = note(m, e, guard, contact);
  made->at = made->origin[0] = made->origin[1] = e->from;
  made->sign = (int8_t)sign;
  if (!holds) made->due = 0;
}

static void note_all(brink_meeting *m, const brink_encounter *e) {
  m->nnotes = 0;
  for (size_t k = 0; k < m->def.nguards; k++) {
    size_t guard = m->def.guards[k];
    if (m->eval.enabled[guard]) note_sign(m, e, guard, contact_of(e, guard));
  }
}

/* It stays on its surface: that is its side from now on. */
static void note_rest(brink_meeting *m, const brink_encounter *e, size_t guard) {
  brink_contact *made = note(m, e, guard, NULL);
  made->at = made->origin[0] = made->origin[1] = e->from;
  made->sign = m->before[guard];
  made->near = true;
  made->parted = (double)INFINITY;
}

/* Events at the same time as the one that was found: they are due then. */
static void note_others(brink_meeting *m, const brink_encounter *e, double t) {
  const brink_detector *det = &m->detector;
  for (size_t k = 1; k < det->nhits; k++) {
    const brink_hit *hit = &det->hits[k];
    brink_contact *made = note(m, e, hit->guard, contact_of(e, hit->guard));
    *made = brink_contact_due(made, e, t, hit->direction, hit->kind);
  }
}

/* What this search has noted of the guard, or else what is remembered. */
static const brink_contact *latest_of(const brink_meeting *m, const brink_encounter *e,
                                      size_t guard) {
  for (size_t k = m->nnotes; k-- > 0;) {
    if (m->notes[k].guard == guard) return &m->notes[k];
  }
  return contact_of(e, guard);
}

/* Two that leave the tolerance are where their values tell from then on; unless their plans change before. */
static void note_parting(brink_meeting *m, const brink_encounter *e) {
  for (size_t k = 0; k < m->def.nguards; k++) {
    size_t guard = m->def.guards[k];
    const brink_contact *contact = latest_of(m, e, guard);
    if (contact == NULL || !contact->near || !m->eval.enabled[guard]) continue;
    bool left =
        fabs(m->detector.g1[guard]) > brink_detector_tolerance(&m->detector, guard, e->to, m->x1);
    double parted = left ? e->to : (double)INFINITY;
    if (contact->parted == parted) continue;
    brink_contact *made = note(m, e, guard, contact);
    made->parted = parted;
    made->gone = contact->at < e->from && e->from >= contact->parted;
  }
}

/* ---- searching ---- */

static void prepare_one(brink_meeting *m, size_t guard, const brink_encounter *e) {
  brink_detector *det = &m->detector;
  det->g0[guard] = brink_eval_guard(&m->eval, guard, e->from, m->x0);
  det->g1[guard] = brink_eval_guard(&m->eval, guard, e->to, m->x1);
  det->slope[guard] = det->slope_new[guard] = 0.0;
  det->queued[guard] = false;
  det->tolerance[guard] = 0.0; /* of two others */
}

/* A guard, and what its formula is made of. */
static void prepare(brink_meeting *m, size_t guard, const brink_encounter *e) {
  const brink_guard *made = &m->eval.model->guards[guard];
  prepare_one(m, guard, e);
  for (size_t k = 0; k < made->formula_length; k++) {
    if (made->formula[k].op == 0) prepare_one(m, made->formula[k].leaf, e);
  }
}

/* Both stay where they are, seen from each other: what moves is rounding. In a short time all that moves is hidden by
 * it: then the rate tells. */
static bool rests(brink_meeting *m, const brink_encounter *e, size_t guard, double band) {
  brink_detector *det = &m->detector;
  if (fabs(det->g0[guard]) > band || fabs(det->g1[guard]) > band) return false;
  for (double sigma = 0.125; sigma < 1.0; sigma += 0.25) {
    if (fabs(brink_along_value(&det->space, guard, &m->path, sigma)) > band) return false;
  }
  return !brink_meeting_moves(m, e, guard);
}

/* Has it just fired, and does it go away from zero all along? */
static bool leaves(brink_meeting *m, size_t guard) {
  brink_along along;
  double bends = 0.0; /* back */
  if (m->eval.model->guards[guard].formula != NULL ||
      !brink_along_build(&m->detector.space, guard, &m->path, m->detector.g0[guard], &along) ||
      !along.exact)
    return false;
  int sign = m->eval.sgn[guard];
  for (int k = 2; k <= along.degree; k++) bends += k * fmax(-sign * along.c[k], 0.0);
  return sign * along.c[1] > bends;
}

/* Did the modes that the two had before watch the guard? */
static bool was_enabled(brink_meeting *m, const brink_encounter *e, size_t guard) {
  brink_enabled_fn *enabled = m->eval.model->def.enabled;
  if (enabled == NULL || !e->jumped) return true;
  for (int side = 0; side < 2; side++) gather_held(m, side, e->past[side]);
  bool was = enabled(guard, &m->eval.env);
  for (int side = 0; side < 2; side++) gather_held(m, side, e->now[side]);
  return was;
}

static void fire_at_once(const brink_encounter *e, size_t guard, brink_direction direction,
                         brink_event_kind kind, brink_root_of_pair *root) {
  if (root->found) return; /* one after another */
  *root = (brink_root_of_pair){
      .found = true, .t = e->from, .guard = guard, .direction = direction, .kind = kind};
}

/* A guard whose sign was `before` and whose value is off the surface now: did it jump there? */
static void check_jump(brink_meeting *m, const brink_encounter *e, size_t guard, int before,
                       bool watched, brink_root_of_pair *root) {
  const brink_guard_def *def = &m->eval.model->guards[guard].def;
  int sign = m->detector.g0[guard] > 0.0 ? 1 : -1;
  brink_direction direction = sign > 0 ? BRINK_POSITIVE : BRINK_NEGATIVE;
  bool event = before == -sign && brink_detector_wants(&m->detector, guard, direction);
  if (before == 0) event = brink_meeting_inside(m, guard) == -sign;
  if (!watched) event = (int)def->direction == sign; /* it is watched from now on */
  m->eval.sgn[guard] = (signed char)sign;
  m->eval.slack[guard] = 0.0;
  if (!event) return;
  /* What was carried so far has jumped, be it now or before another event of this instant. */
  double tolerance = brink_detector_tolerance(&m->detector, guard, e->from, m->x0);
  bool jumped = e->jumped || fabs(m->detector.g0[guard]) > tolerance;
  fire_at_once(e, guard, direction, jumped ? BRINK_JUMPED : BRINK_CROSSED, root);
}

/* The guard is on its surface, or counts as on the side where it was. */
static void keep_sign(brink_meeting *m, size_t guard, int before, double band,
                      const brink_contact *contact) {
  double g = m->detector.g0[guard], slack = 0.0;
  int sign = before;
  if (sign == 0) sign = brink_meeting_inside(m, guard);
  if (sign == 0) sign = brink_meeting_sign_after(m, guard, band);
  if (sign == 0) sign = 1;
  if (sign * g < 0.0) slack = fabs(g);
  if (contact != NULL && contact->near) slack = fmax(slack, contact->slack);
  m->eval.sgn[guard] = (signed char)sign;
  m->eval.slack[guard] = slack;
}

/* Two that are still together: rounding may have put them past the surface, by less than the tolerance. */
static bool is_together(brink_meeting *m, const brink_encounter *e, size_t guard,
                        const brink_contact *contact) {
  return contact != NULL &&
         (brink_contact_near(contact, e->from) || brink_contact_holds(contact, e)) &&
         fabs(m->detector.g0[guard]) <=
             brink_detector_tolerance(&m->detector, guard, e->from, m->x0);
}

/* The sign of the guard at the start, and what happens there. True: time may move on, and it has to be searched. */
static bool begin_guard(brink_meeting *m, const brink_encounter *e, size_t guard,
                        brink_root_of_pair *root) {
  const brink_contact *contact = contact_of(e, guard);
  prepare(m, guard, e);
  double g = m->detector.g0[guard], band = brink_meeting_band(m, guard);
  double value = e->jumped ? brink_meeting_value(m, e, guard, e->past, e->from) : g;
  bool watched = was_enabled(m, e, guard);
  int before = watched ? brink_meeting_sign_before(m, e, guard, value, band, contact) : 0;
  bool holds = contact != NULL && brink_contact_holds(contact, e);
  bool together = fabs(g - value) <= band && is_together(m, e, guard, contact);
  bool off = fabs(g) > band && !(together && before != 0);
  bool due = holds && contact->due != 0;
  m->before[guard] = (signed char)before;
  bool near = contact != NULL && brink_contact_near(contact, e->from);
  m->detector.touched[guard] = together && near;
  if (due)
    fire_at_once(e, guard, (brink_direction)contact->due, (brink_event_kind)contact->kind, root);
  if (off && !(before * g > 0.0))
    check_jump(m, e, guard, before, watched, root);
  else
    keep_sign(m, guard, before, band, off ? NULL : contact);
  if (due || (off ? before * g < 0.0 : !(together && near && !holds)))
    note_sign(m, e, guard, contact);
  if (!(e->to > e->from)) return false;
  if (!rests(m, e, guard, band)) return !(holds && leaves(m, guard));
  if (!near) note_rest(m, e, guard);
  return false;
}

static void begin_search(brink_meeting *m, const brink_encounter *e) {
  brink_detector *det = &m->detector;
  det->nhits = det->nmisses = det->nqueue = 0;
  det->horizon = 1.0;
  det->resolution = DBL_EPSILON * fmax(fabs(e->from) / m->path.h, DBL_MIN);
}

#ifndef NDEBUG
/* No guard is past its surface, by more than its tolerance, without having been noticed on the way. */
static void check_ends(brink_meeting *m, const brink_encounter *e) {
  brink_detector *det = &m->detector;
  for (size_t k = 0; k < m->def.nguards; k++) {
    size_t guard = m->def.guards[k];
    int sign = m->eval.sgn[guard];
    if (!m->eval.enabled[guard] || isnan(det->g1[guard]) ||
        m->eval.model->guards[guard].def.direction != BRINK_BOTH)
      continue;
    assert(sign * det->g1[guard] >=
           -brink_detector_tolerance(det, guard, e->to, m->x1) - 2.0 * m->eval.slack[guard]);
  }
}
#endif

/* *known becomes the time up to which the guards were followed. */
static brink_root_of_pair search(brink_meeting *m, const brink_encounter *e, double *known) {
  brink_root_of_pair root = {.t = e->to};
  *known = e->to;
  brink_detector *det = &m->detector;
  brink_enabled_fn *enabled = m->eval.model->def.enabled;
  brink_meeting_set_out(m, e);
  begin_search(m, e);
  brink_found found = {.sigma = 1.0, .undefined = BRINK_NONE};
  for (int readers = 0; readers < 2; readers++) { /* what others read the signs of comes first */
    for (size_t k = 0; k < m->def.nguards; k++) {
      size_t guard = m->def.guards[k];
      if (m->eval.model->guards[guard].def.reads_signs != (readers == 1)) continue;
      m->eval.enabled[guard] = enabled == NULL || enabled(guard, &m->eval.env);
      if (m->eval.enabled[guard] && begin_guard(m, e, guard, &root) && !root.found)
        brink_interpolate_guard(det, guard, &m->path, &found);
    }
  }
  if (root.found || e->tells_all) note_all(m, e);
  if (root.found || !(e->to > e->from)) return root;
  if (brink_detector_cut(det, &found, 0.0, m->path.h) > 0.0) {
    *known = e->from + found.cut * m->path.h;
    return root;
  }
  if (!found.event) {
#ifndef NDEBUG
    check_ends(m, e);
#endif
    note_parting(m, e);
    return root;
  }
  root = (brink_root_of_pair){.found = true,
                              .t = fmin(e->from + found.sigma * m->path.h, e->to),
                              .guard = det->hits[0].guard,
                              .direction = det->hits[0].direction,
                              .kind = det->hits[0].kind};
  note_others(m, e, root.t);
  return root;
}

brink_root_of_pair brink_meeting_search(brink_meeting *m, const brink_encounter *e) {
  brink_encounter part = *e;
  m->nnotes = 0;
  if (!e->leaps && e->to > e->from &&
      !brink_motion_clip(m, e->now[0], e->now[1], &part.from, &part.to))
    return (brink_root_of_pair){.t = e->to};
  if (part.from > e->from) part.begins = false; /* they have been apart since */
  double known;
  brink_root_of_pair root = search(m, &part, &known);
  while (!root.found && known < part.to) { /* a guard that goes up and down often: in parts */
    part.from = known;
    part.begins = false;
    root = search(m, &part, &known);
  }
  return root;
}

/* ---- acting ---- */

/* Where its plan leads at t. */
static void gather_state(brink_meeting *m, int side, const void *packed, double t) {
  const brink_agent_population *pop = m->population[side];
  brink_plan plan = brink_packed_plan(&pop->packing, packed);
  for (size_t i = 0; i < pop->packing.nx; i++)
    m->x1[m->def.x[side][i]] = brink_plan_at(&plan, i, t);
  gather_held(m, side, packed);
}

static bool differs(const brink_meeting *m, int side) {
  const brink_model_def *def = &m->population[side]->sim->model->def;
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

/* A mode that the action changed may lead a partner elsewhere; so may a motion that is another one (signs.c). */
static bool changes_mode(const brink_meeting *m) {
  size_t count = m->eval.model->def.nmodes;
  return memcmp(m->eval.mode, m->before_mode, count * sizeof(int)) != 0;
}

int brink_meeting_act(brink_meeting *m, const void *a, const void *b,
                      const brink_root_of_pair *root, brink_event_record *record, bool changed[2],
                      bool *acted) {
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
  *acted = changes_mode(m);
  return outcome;
}

void brink_meeting_scatter(brink_meeting *m, int side, brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  for (size_t i = 0; i < def->nx; i++) sim->x[i] = m->x1[m->def.x[side][i]];
  for (size_t k = 0; k < def->np; k++) sim->eval.p[k] = m->eval.p[m->def.p[side][k]];
  for (size_t k = 0; k < def->nmodes; k++) sim->eval.mode[k] = m->eval.mode[m->def.mode[side][k]];
}

int brink_meeting_sides(const brink_meeting *m, const brink_agent_population *pop, int sides[2]) {
  int count = 0;
  if (m->population[0] == pop) sides[count++] = 0;
  if (m->population[1] == pop && m->population[0] != pop) sides[count++] = 1;
  return count;
}

uint32_t brink_meeting_number(const brink_meeting *m, int side, size_t agent) {
  bool second = side == 1 && m->population[0] != m->population[1];
  return (uint32_t)(second ? m->population[0]->def.count + agent : agent);
}
