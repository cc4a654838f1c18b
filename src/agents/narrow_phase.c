/* narrow_phase.c: the guards of two agents, searched for roots along both plans at the same time.
 *
 * Two agents are treated as one system: a path whose components are the states of the first, then those of the second,
 * over an interval in which both plans are valid, expanded about its start. Guards along it are searched as in
 * any step of a simulation (event/interpolate.c): all roots, touches of unilateral guards, the right direction. Only states
 * that the guards read are filled in.
 *
 * An instant has the same order as in a single system (sim/instant.c): first the guards whose signs others read, then
 * those others; what is due, or has jumped to the other side, fires before time moves on. The signs: pair_signs.c. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "agents/parts.h"
#include "agents/plan_series.h"

#define OF_TIME 8.0    /* units of rounding in the time of an event */
#define UPDATES 4      /* of the contact of one guard in one search: sign, rest, leaving, due */
#define HIDDEN 0x1p-56 /* of a state: rounding hides it */

/* ---- creation ---- */

/* Finds the states of the agents that the guards read; `reads` is workspace, zeroed, for the states of the pair. */
static void find_needed(brink_pair_guards *pg, bool *reads) {
  const brink_model *pair = pg->eval.model;
  for (size_t g = 0; g < pair->def.nguards; g++) {
    const brink_guard_def *guard = &pair->guards[g].def;
    if (!pg->eval.enabled[g]) continue;
    for (size_t k = 0; k < guard->ndepends; k++) reads[guard->depends[k]] = true;
  }
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < pg->population[side]->packing.nx; i++) {
      if (reads[pg->def.x[side][i]]) pg->needed[side][pg->nneeded[side]++] = (uint32_t)i;
    }
  }
}

/* Enables only the pair's own guards, and the guards in their formulas. */
static void enable(brink_pair_guards *pg) {
  const brink_model *model = pg->eval.model;
  memset(pg->eval.enabled, 0, model->def.nguards * sizeof(bool));
  for (size_t k = 0; k < pg->def.nguards; k++) {
    const brink_guard *guard = &model->guards[pg->def.guards[k]];
    pg->eval.enabled[pg->def.guards[k]] = true;
    pg->any_unilateral = pg->any_unilateral || guard->def.side == BRINK_UNILATERAL;
    for (size_t j = 0; j < guard->formula_length; j++) {
      if (guard->formula[j].op == 0) pg->eval.enabled[guard->formula[j].leaf] = true;
    }
  }
}

static size_t longest(const brink_pair_guards *pg) {
  size_t a = pg->population[0]->packing.length, b = pg->population[1]->packing.length;
  return a > b ? a : b;
}

bool brink_pair_guards_init(brink_pair_guards *pg, const brink_pair_def *def,
                            brink_agent_population *populations, const brink_options *options,
                            brink_arena *arena) {
  const brink_model *model = def->model;
  size_t nx = model->def.nx;
  *pg = (brink_pair_guards){.def = *def};
  for (int side = 0; side < 2; side++) pg->population[side] = &populations[def->population[side]];
  pg->length = longest(pg);
  pg->atol = brink_arena_take(arena, nx, sizeof(double));
  pg->time_rounding = brink_arena_take(arena, nx, sizeof(double));
  pg->rows = brink_arena_take(arena, nx * pg->length, sizeof(double));
  pg->x0 = brink_arena_take(arena, nx, sizeof(double));
  pg->x1 = brink_arena_take(arena, nx, sizeof(double));
  pg->before_x = brink_arena_take(arena, nx, sizeof(double));
  pg->before_p = brink_arena_take(arena, model->def.np, sizeof(double));
  pg->before_mode = brink_arena_take(arena, model->def.nmodes, sizeof(int));
  pg->timer = brink_arena_take(arena, model->def.nclocks, sizeof(double));
  pg->sign_before = brink_arena_take(arena, model->def.nguards, sizeof *pg->sign_before);
  pg->updates = brink_arena_take(arena, UPDATES * def->nguards, sizeof *pg->updates);
  bool *reads = brink_arena_take(arena, nx, sizeof *reads);
  for (int side = 0; side < 2; side++)
    pg->needed[side] =
        brink_arena_take(arena, pg->population[side]->packing.nx, sizeof *pg->needed[side]);
  if (arena->failed) return false;
  for (size_t i = 0; i < nx; i++) pg->atol[i] = options->atol;
  if (!brink_eval_init(&pg->eval, model, arena, false) ||
      !brink_detector_create(&pg->detector, options, pg->atol, &pg->eval, arena))
    return false;
  memcpy(pg->eval.p, model->def.p0, model->def.np * sizeof(double));
  memcpy(pg->eval.mode, model->def.mode0, model->def.nmodes * sizeof(int));
  enable(pg);
  find_needed(pg, reads);
  return brink_quadratic_init(pg, arena);
}

/* ---- two agents as one system ---- */

void brink_pair_gather_held(brink_pair_guards *pg, int side, const void *packed) {
  const brink_agent_population *pop = pg->population[side];
  const brink_model_def *def = &pop->sim->model->def;
  const double *p = brink_packed_parameters(&pop->packing, packed);
  const int *mode = brink_packed_modes(&pop->packing, packed);
  for (size_t k = 0; k < def->np; k++) pg->eval.p[pg->def.p[side][k]] = p[k];
  for (size_t k = 0; k < def->nmodes; k++) pg->eval.mode[pg->def.mode[side][k]] = mode[k];
}

/* Sets the polynomial of one state of the pair, and its values at both ends. */
static void set_row(brink_pair_guards *pg, size_t at, const brink_plan_series *s, bool second) {
  double *row = pg->rows + at * pg->length, end = 0.0;
  for (int k = 0; k <= s->degree; k++) row[k] = second ? s->c[k].b : s->c[k].a;
  for (size_t k = (size_t)s->degree + 1; k < pg->length; k++) row[k] = 0.0;
  for (int k = s->degree; k > 0; k--) end += row[k];
  pg->x0[at] = row[0];
  pg->x1[at] = row[0] + end;
}

/* Magnitude of a state on the plan: rounding is relative to it. */
static double state_size(const brink_plan *plan, size_t state, double t) {
  const double *c = plan->c + state * plan->length;
  return fmax(fabs(c[0]), fabs(c[1] * (t - plan->origin) / plan->unit));
}

/* The polynomials of one agent. Terms below the rounding of the states are truncated: windows are shorter than plans. */
static int gather_path(brink_pair_guards *pg, int side, const void *packed, double from, double h) {
  double blur = OF_TIME * DBL_EPSILON * fabs(from) / h;
  brink_plan plan = brink_packed_plan(&pg->population[side]->packing, packed);
  int most = 0;
  for (size_t j = 0; j < pg->nneeded[side]; j += 2) {
    bool both = j + 1 < pg->nneeded[side];
    size_t one = pg->needed[side][j], other = pg->needed[side][both ? j + 1 : j];
    brink_double2 size = {state_size(&plan, one, from), state_size(&plan, other, from)};
    brink_plan_series s;
    brink_plan_series_expand(&plan, one, other, from, h, brink_double2_scale(size, HIDDEN), &s);
    set_row(pg, pg->def.x[side][one], &s, false);
    if (both) set_row(pg, pg->def.x[side][other], &s, true);
    pg->time_rounding[pg->def.x[side][one]] = s.degree > 0 ? blur * fabs(s.c[1].a) : 0.0;
    pg->time_rounding[pg->def.x[side][other]] = s.degree > 0 ? blur * fabs(s.c[1].b) : 0.0;
    most = s.degree > most ? s.degree : most;
  }
  return most;
}

/* For an instant the path is as long as the shorter plan: only the direction of the motion counts. */
void brink_pair_build_path(brink_pair_guards *pg, const brink_pair_query *q) {
  double h = q->to - q->from;
  if (!(h > 0.0)) {
    h = fmin(brink_packed_plan(&pg->population[0]->packing, q->now[0]).unit,
             brink_packed_plan(&pg->population[1]->packing, q->now[1]).unit);
    if (!(h > 0.0)) h = 1.0;
  }
  brink_pair_gather_held(pg, 0, q->now[0]);
  brink_pair_gather_held(pg, 1, q->now[1]);
  int one = gather_path(pg, 0, q->now[0], q->from, h);
  int other = gather_path(pg, 1, q->now[1], q->from, h);
  brink_path_begin(&pg->path, q->from, h, pg->eval.nx, pg->x0);
  int degree = one > other ? one : other;
  brink_path_powers(&pg->path, pg->rows, pg->length, h, degree > 0 ? degree : 1);
}

double brink_pair_value(brink_pair_guards *pg, const brink_pair_query *q, size_t guard,
                        const void *const packed[2], double t) {
  for (int side = 0; side < 2; side++) {
    brink_plan plan = brink_packed_plan(&pg->population[side]->packing, packed[side]);
    for (size_t j = 0; j < pg->nneeded[side]; j++) {
      size_t i = pg->needed[side][j];
      pg->before_x[pg->def.x[side][i]] = brink_plan_at(&plan, i, t);
    }
    brink_pair_gather_held(pg, side, packed[side]);
  }
  double value = brink_eval_guard(&pg->eval, guard, t, pg->before_x);
  for (int side = 0; side < 2; side++) brink_pair_gather_held(pg, side, q->now[side]);
  return value;
}

/* ---- contacts that have to be recorded ---- */

static const brink_contact *contact_of(const brink_pair_query *q, size_t guard) {
  return brink_contacts_find(&q->agents->contacts, q->block, guard, q->pair);
}

/* A new update: a copy of the contact, or an empty one. */
static brink_contact *update(brink_pair_guards *pg, const brink_pair_query *q, size_t guard,
                             const brink_contact *contact) {
  assert(pg->nupdates < UPDATES * pg->def.nguards);
  brink_contact *made = &pg->updates[pg->nupdates++];
  if (contact != NULL)
    *made = *contact;
  else
    *made = (brink_contact){
        .pair = {q->pair[0], q->pair[1]}, .block = (uint16_t)q->block, .guard = (uint32_t)guard};
  return made;
}

/* Records the sign of the guard before the instant, for any plans from now on. */
static void update_sign(brink_pair_guards *pg, const brink_pair_query *q, size_t guard,
                        const brink_contact *contact) {
  bool holds = contact != NULL && brink_contact_valid(contact, q);
  int sign = pg->sign_before[guard];
  if (holds && contact->origin[0] == q->from && contact->origin[1] == q->from &&
      contact->sign == sign)
    return; /* it is recorded already */
  brink_contact *made = update(pg, q, guard, contact);
  made->at = made->origin[0] = made->origin[1] = q->from;
  made->sign = (int8_t)sign;
  if (!holds) made->due = 0;
}

static void update_all_signs(brink_pair_guards *pg, const brink_pair_query *q) {
  pg->nupdates = 0;
  for (size_t k = 0; k < pg->def.nguards; k++) {
    size_t guard = pg->def.guards[k];
    if (pg->eval.enabled[guard]) update_sign(pg, q, guard, contact_of(q, guard));
  }
}

/* The guard stays on its surface: it keeps its sign from now on. */
static void update_rest(brink_pair_guards *pg, const brink_pair_query *q, size_t guard) {
  brink_contact *made = update(pg, q, guard, NULL);
  made->at = made->origin[0] = made->origin[1] = q->from;
  made->sign = pg->sign_before[guard];
  made->touching = true;
  made->leaves_at = (double)INFINITY;
}

/* Other events at the same time as the one that was found: they are due then. */
static void mark_others_due(brink_pair_guards *pg, const brink_pair_query *q, double t) {
  const brink_detector *det = &pg->detector;
  for (size_t k = 1; k < det->nlocated; k++) {
    const brink_located *ev = &det->located[k];
    brink_contact *made = update(pg, q, ev->guard, contact_of(q, ev->guard));
    *made = brink_contact_due(made, q, t, ev->direction, ev->kind);
  }
}

/* The last update of this search, or else the record. */
static const brink_contact *latest_of(const brink_pair_guards *pg, const brink_pair_query *q,
                                      size_t guard) {
  for (size_t k = pg->nupdates; k-- > 0;) {
    if (pg->updates[k].guard == guard) return &pg->updates[k];
  }
  return contact_of(q, guard);
}

/* Guards that leave their tolerance have the signs of their values from then on, unless plans change before. */
static void update_leaving(brink_pair_guards *pg, const brink_pair_query *q) {
  for (size_t k = 0; k < pg->def.nguards; k++) {
    size_t guard = pg->def.guards[k];
    const brink_contact *contact = latest_of(pg, q, guard);
    if (contact == NULL || !contact->touching || !pg->eval.enabled[guard]) continue;
    bool left = fabs(pg->detector.g1[guard]) >
                brink_detector_tolerance(&pg->detector, guard, q->to, pg->x1);
    double leaves_at = left ? q->to : (double)INFINITY;
    if (contact->leaves_at == leaves_at) continue;
    brink_contact *made = update(pg, q, guard, contact);
    made->leaves_at = leaves_at;
    made->removed = contact->at < q->from && q->from >= contact->leaves_at;
  }
}

/* ---- searching ---- */

/* Values of a guard at both ends of the path. What the detector knows of it is of the pair before: it is forgotten. */
static void prepare_one(brink_pair_guards *pg, size_t guard, const brink_pair_query *q) {
  brink_detector *det = &pg->detector;
  det->g0[guard] = brink_eval_guard(&pg->eval, guard, q->from, pg->x0);
  det->g1[guard] = brink_eval_guard(&pg->eval, guard, q->to, pg->x1);
  det->slope[guard] = det->slope_new[guard] = 0.0;
  det->queued[guard] = false;
  det->tolerance[guard] = 0.0;
}

/* The values at both ends of a guard, and of the guards in its formula. */
static void prepare(brink_pair_guards *pg, size_t guard, const brink_pair_query *q) {
  const brink_guard *made = &pg->eval.model->guards[guard];
  prepare_one(pg, guard, q);
  for (size_t k = 0; k < made->formula_length; k++) {
    if (made->formula[k].op == 0) prepare_one(pg, made->formula[k].leaf, q);
  }
}

/* Does the guard stay on its surface? Its values do, within rounding. In a short time rounding hides any motion: then the
 * rate decides. */
static bool stays_on_surface(brink_pair_guards *pg, const brink_pair_query *q, size_t guard,
                             double band) {
  brink_detector *det = &pg->detector;
  if (fabs(det->g0[guard]) > band || fabs(det->g1[guard]) > band) return false;
  for (double sigma = 0.125; sigma < 1.0; sigma += 0.25) {
    if (fabs(brink_along_value(&det->space, guard, &pg->path, sigma)) > band) return false;
  }
  return !brink_pair_guard_moves(pg, q, guard);
}

/* Does a guard that has just fired move away from zero on the whole path? Then it need not be searched. */
static bool moves_away(brink_pair_guards *pg, size_t guard) {
  brink_along along;
  double bends = 0.0; /* back */
  if (pg->eval.model->guards[guard].formula != NULL ||
      !brink_along_build(&pg->detector.space, guard, &pg->path, pg->detector.g0[guard], &along) ||
      !along.exact)
    return false;
  int sign = pg->eval.sgn[guard];
  for (int k = 2; k <= along.degree; k++) bends += k * fmax(-sign * along.c[k], 0.0);
  return sign * along.c[1] > bends;
}

/* Was the guard enabled in the modes before the action? */
static bool was_enabled(brink_pair_guards *pg, const brink_pair_query *q, size_t guard) {
  brink_enabled_fn *enabled = pg->eval.model->def.enabled;
  if (enabled == NULL || !q->jumped) return true;
  for (int side = 0; side < 2; side++) brink_pair_gather_held(pg, side, q->previous[side]);
  bool was = enabled(guard, &pg->eval.env);
  for (int side = 0; side < 2; side++) brink_pair_gather_held(pg, side, q->now[side]);
  return was;
}

/* An event at the start. Only the first one is reported; others at the same time are found when it has been handled. */
static void fire_at_once(const brink_pair_query *q, size_t guard, brink_direction direction,
                         brink_event_kind kind, brink_pair_root *root) {
  if (root->found) return;
  *root = (brink_pair_root){
      .found = true, .t = q->from, .guard = guard, .direction = direction, .kind = kind};
}

/* A guard whose sign was `before` and whose value is off the surface now: did it jump there? */
static void check_jump(brink_pair_guards *pg, const brink_pair_query *q, size_t guard, int before,
                       bool watched, brink_pair_root *root) {
  const brink_guard_def *def = &pg->eval.model->guards[guard].def;
  int sign = pg->detector.g0[guard] > 0.0 ? 1 : -1;
  brink_direction direction = brink_arriving(sign);
  bool event = before == -sign && brink_detector_wants(&pg->detector, guard, direction);
  if (before == 0) event = brink_pair_inside(pg, guard) == -sign;
  if (!watched) event = (int)def->direction == sign; /* it is enabled from now on */
  pg->eval.sgn[guard] = (signed char)sign;
  pg->eval.slack[guard] = 0.0;
  if (!event) return;
  /* A guard this far from its surface has jumped, be it now or by an earlier event of this instant. */
  double tolerance = brink_detector_tolerance(&pg->detector, guard, q->from, pg->x0);
  bool jumped = q->jumped || fabs(pg->detector.g0[guard]) > tolerance;
  fire_at_once(q, guard, direction, jumped ? BRINK_JUMPED : BRINK_CROSSED, root);
}

/* The guard is on its surface, or keeps the sign that it had. */
static void keep_sign(brink_pair_guards *pg, size_t guard, int before, double band,
                      const brink_contact *contact) {
  double g = pg->detector.g0[guard];
  int sign = before;
  if (sign == 0) sign = brink_pair_inside(pg, guard);
  if (sign == 0) sign = brink_pair_sign_after(pg, guard, band);
  if (sign == 0) sign = 1;
  double slack = brink_sign_slack(sign, g);
  if (contact != NULL && contact->touching) slack = fmax(slack, contact->slack);
  pg->eval.sgn[guard] = (signed char)sign;
  pg->eval.slack[guard] = slack;
}

/* Are the two still in contact, within the tolerance? Rounding may have put them past the surface. */
static bool is_in_contact(brink_pair_guards *pg, const brink_pair_query *q, size_t guard,
                          const brink_contact *contact) {
  return contact != NULL &&
         (brink_contact_touching(contact, q->from) || brink_contact_valid(contact, q)) &&
         fabs(pg->detector.g0[guard]) <=
             brink_detector_tolerance(&pg->detector, guard, q->from, pg->x0);
}

/* Finds the sign of a guard at the start, and an event of it there. True: it has to be searched along the path. */
static bool begin_guard(brink_pair_guards *pg, const brink_pair_query *q, size_t guard,
                        brink_pair_root *root) {
  const brink_contact *contact = contact_of(q, guard);
  prepare(pg, guard, q);
  /* Its value now, its value before an action at this instant, and its sign before. */
  double g = pg->detector.g0[guard], band = brink_pair_band(pg, guard);
  double value = q->jumped ? brink_pair_value(pg, q, guard, q->previous, q->from) : g;
  bool watched = was_enabled(pg, q, guard);
  int before = watched ? brink_pair_sign_before(pg, q, guard, value, band, contact) : 0;
  /* Off its surface: by more than rounding, and not only by the rounding of two that stay in contact. */
  bool holds = contact != NULL && brink_contact_valid(contact, q);
  bool in_contact = fabs(g - value) <= band && is_in_contact(pg, q, guard, contact);
  bool off = fabs(g) > band && !(in_contact && before != 0);
  bool due = holds && contact->due != 0;
  pg->sign_before[guard] = (signed char)before;
  bool touching = contact != NULL && brink_contact_touching(contact, q->from);
  pg->detector.touched[guard] = in_contact && touching;
  /* An event that had to wait comes first; then one by a jump through the surface. Otherwise it keeps its sign. */
  if (due)
    fire_at_once(q, guard, (brink_direction)contact->due, (brink_event_kind)contact->kind, root);
  if (off && !(before * g > 0.0))
    check_jump(pg, q, guard, before, watched, root);
  else
    keep_sign(pg, guard, before, band, off ? NULL : contact);
  /* The sign before is recorded where the value alone does not give it. */
  if (due || (off ? before * g < 0.0 : !(in_contact && touching && !holds)))
    update_sign(pg, q, guard, contact);
  /* Along the path: a guard that rests on its surface, or leaves it after its event, need not be searched. */
  if (!(q->to > q->from)) return false;
  if (!stays_on_surface(pg, q, guard, band)) return !(holds && moves_away(pg, guard));
  if (!touching) update_rest(pg, q, guard);
  return false;
}

static void begin_search(brink_pair_guards *pg, const brink_pair_query *q) {
  brink_detector *det = &pg->detector;
  det->nlocated = det->nmisses = det->nqueue = 0;
  det->horizon = 1.0;
  det->resolution = DBL_EPSILON * fmax(fabs(q->from) / pg->path.h, DBL_MIN);
}

#ifndef NDEBUG
/* No guard may be past its surface by more than its tolerance without an event. */
static void check_ends(brink_pair_guards *pg, const brink_pair_query *q) {
  brink_detector *det = &pg->detector;
  brink_stats counted = pg->eval.stats; /* builds without assertions have the same counts */
  for (size_t k = 0; k < pg->def.nguards; k++) {
    size_t guard = pg->def.guards[k];
    int sign = pg->eval.sgn[guard];
    if (pg->eval.restored || !pg->eval.enabled[guard] || isnan(det->g1[guard]) ||
        pg->eval.model->guards[guard].def.direction != BRINK_BOTH)
      continue;
    assert(sign * det->g1[guard] >=
           -brink_detector_tolerance(det, guard, q->to, pg->x1) - 2.0 * pg->eval.slack[guard]);
  }
  pg->eval.stats = counted;
}
#endif

/* *known becomes the time up to which the guards were searched. */
static brink_pair_root search(brink_pair_guards *pg, const brink_pair_query *q, double *known) {
  brink_pair_root root = {.t = q->to};
  *known = q->to;
  brink_detector *det = &pg->detector;
  brink_enabled_fn *enabled = pg->eval.model->def.enabled;
  /* Signs and events at the start; roots along the path, unless there is an event at the start. */
  brink_pair_build_path(pg, q);
  begin_search(pg, q);
  brink_found found = {.sigma = 1.0, .undefined = BRINK_NONE};
  for (int readers = 0; readers < 2; readers++) { /* guards whose signs others read come first */
    for (size_t k = 0; k < pg->def.nguards; k++) {
      size_t guard = pg->def.guards[k];
      if (pg->eval.model->guards[guard].def.reads_signs != (readers == 1)) continue;
      pg->eval.enabled[guard] = enabled == NULL || enabled(guard, &pg->eval.env);
      if (pg->eval.enabled[guard] && begin_guard(pg, q, guard, &root) && !root.found)
        brink_interpolate_guard(det, guard, &pg->path, &found);
    }
  }
  /* An event at the start: its action may change what the signs follow from, so they are all recorded. */
  if (root.found || q->record_all) update_all_signs(pg, q);
  if (root.found || !(q->to > q->from)) return root;
  /* The detector could follow the guards only so far: the caller searches the rest. */
  if (brink_detector_cut(det, &found, 0.0, pg->path.h) > 0.0) {
    *known = q->from + found.cut * pg->path.h;
    return root;
  }
  /* No event: guards that leave their surface are known by their values from then on. */
  if (!found.event) {
#ifndef NDEBUG
    check_ends(pg, q);
#endif
    update_leaving(pg, q);
    return root;
  }
  /* The first event along the path; those at the same time are due then. */
  root = (brink_pair_root){.found = true,
                           .t = fmin(q->from + found.sigma * pg->path.h, q->to),
                           .guard = det->located[0].guard,
                           .direction = det->located[0].direction,
                           .kind = det->located[0].kind};
  mark_others_due(pg, q, root.t);
  return root;
}

brink_pair_root brink_pair_search(brink_pair_guards *pg, const brink_pair_query *q) {
  brink_pair_query part = *q;
  brink_pair_root closed;
  pg->nupdates = 0;
  if (brink_quadratic_search(pg, q, &closed) || brink_straight_search(pg, q, &closed))
    return closed;
  /* Only the part of the time in which the two can come close is searched, unless guards may have jumped anywhere. */
  if (!q->displaced && q->to > q->from &&
      !brink_motion_clip(pg, q->now[0], q->now[1], &part.from, &part.to))
    return (brink_pair_root){.t = q->to};
  if (part.from > q->from) part.first_instant = false; /* they have been apart since */
  double known;
  brink_pair_root root = search(pg, &part, &known);
  while (!root.found && known < part.to) { /* a guard that oscillates: it is searched in parts */
    part.from = known;
    part.first_instant = false;
    root = search(pg, &part, &known);
  }
  return root;
}

/* ---- actions ---- */

/* The whole state of an agent on its plan at t. */
static void gather_state(brink_pair_guards *pg, int side, const void *packed, double t) {
  const brink_agent_population *pop = pg->population[side];
  brink_plan plan = brink_packed_plan(&pop->packing, packed);
  for (size_t i = 0; i < pop->packing.nx; i++)
    pg->x1[pg->def.x[side][i]] = brink_plan_at(&plan, i, t);
  brink_pair_gather_held(pg, side, packed);
}

static bool differs(const brink_pair_guards *pg, int side) {
  const brink_model_def *def = &pg->population[side]->sim->model->def;
  for (size_t i = 0; i < def->nx; i++) {
    if (pg->x1[pg->def.x[side][i]] != pg->before_x[pg->def.x[side][i]]) return true;
  }
  for (size_t k = 0; k < def->np; k++) {
    if (pg->eval.p[pg->def.p[side][k]] != pg->before_p[pg->def.p[side][k]]) return true;
  }
  for (size_t k = 0; k < def->nmodes; k++) {
    if (pg->eval.mode[pg->def.mode[side][k]] != pg->before_mode[pg->def.mode[side][k]]) return true;
  }
  return false;
}

/* Has the action changed a mode? The motion may differ then. (Rates of states: pair_signs.c.) */
static bool changes_mode(const brink_pair_guards *pg) {
  size_t count = pg->eval.model->def.nmodes;
  return memcmp(pg->eval.mode, pg->before_mode, count * sizeof(int)) != 0;
}

int brink_pair_run_action(brink_pair_guards *pg, const void *a, const void *b,
                          const brink_pair_root *root, brink_event_record *record, bool changed[2],
                          bool *acted) {
  const brink_model *model = pg->eval.model;
  const brink_guard_def *guard = &model->guards[root->guard].def;
  /* The states of both on their plans at the time of the event, and a copy of them. */
  gather_state(pg, 0, a, root->t);
  gather_state(pg, 1, b, root->t);
  memcpy(pg->before_x, pg->x1, model->def.nx * sizeof(double));
  memcpy(pg->before_p, pg->eval.p, model->def.np * sizeof(double));
  memcpy(pg->before_mode, pg->eval.mode, model->def.nmodes * sizeof(int));
  brink_now now = {.t = root->t,
                   .x = pg->x1,
                   .p = pg->eval.p,
                   .mode = pg->eval.mode,
                   .timer = pg->timer,
                   .pre_x = pg->before_x,
                   .pre_p = pg->before_p,
                   .pre_mode = pg->before_mode,
                   .sgn = pg->eval.sgn,
                   .message = pg->message};
  pg->message[0] = '\0';
  *record = (brink_event_record){.event = {.guard = root->guard,
                                           .name = brink_model_guard_name(model, root->guard),
                                           .t = root->t,
                                           .direction = root->direction,
                                           .kind = root->kind},
                                 .x_before = pg->before_x,
                                 .x_after = pg->x1,
                                 .p_before = pg->before_p,
                                 .p_after = pg->eval.p,
                                 .mode_before = pg->before_mode,
                                 .mode_after = pg->eval.mode};
  record->event.value = brink_eval_guard(&pg->eval, root->guard, root->t, pg->x1);
  /* The action, and which of the two it has changed. */
  int outcome = guard->action != NULL ? guard->action(&record->event, &now, model->def.user) : 0;
  for (int side = 0; side < 2; side++) changed[side] = differs(pg, side);
  *acted = changes_mode(pg);
  return outcome;
}

void brink_pair_scatter(brink_pair_guards *pg, int side, brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  for (size_t i = 0; i < def->nx; i++) sim->x[i] = pg->x1[pg->def.x[side][i]];
  for (size_t k = 0; k < def->np; k++) sim->eval.p[k] = pg->eval.p[pg->def.p[side][k]];
  for (size_t k = 0; k < def->nmodes; k++) sim->eval.mode[k] = pg->eval.mode[pg->def.mode[side][k]];
}
