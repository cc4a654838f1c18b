/* slide.c: which side a flag is on after an event, and surfaces that hold the state.
 *
 * After an event its flag counts as zero and takes its sign from the flow: from the first non-zero
 * derivative of g along f. As f may read the flag's own locked sign, both sides are asked:
 *     L+ = dg/dt along f(sgn = +1),   L- = dg/dt along f(sgn = -1).
 * Both up: +. Both down: -. Away from each other: on the way it was going. At each other: neither
 * side can be entered, and the solution slides along the surface with Filippov's field (Filippov
 * 1988, section 4) or by the model's own law, which brink_eval_rhs forms, until one of the two fields
 * lets go. A surface that has guards to let go of it holds the state, whatever the fields say, until
 * one of these becomes positive. Several surfaces may hold at once (model/held.c). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/constraint.h"
#include "sim/sim.h"

int brink_slide_way(brink_sim *sim, size_t guard) {
  return brink_leads_side(sim, guard, sim->eval.sgn[guard], sim->eval.f_plus);
}

/* ---- one field for many ---- */

#define MANY 3

/* The field with the signs of all that fired by a pattern: those of event k by bit `bit` of k. */
static brink_try patterned(brink_sim *sim, int bit, bool invert, double *f) {
  brink_eval *eval = &sim->eval;
  for (size_t k = 0; k < sim->instant.nlocated; k++) {
    size_t guard = sim->instant.located[k].guard;
    bool up = (bit < 0 || (k >> bit & 1) != 0) != invert;
    if (sim->model->guards[guard].watched_as == guard)
      brink_eval_set_sign(eval, guard, up ? 1 : -1);
  }
  return brink_held_field(eval, sim->t, sim->x, f);
}

/* Is the field the same whatever these signs are? All up, all down, and patterns in which any two of
 * them differ at least once. */
static bool reads_none(brink_sim *sim) {
  size_t bytes = sim->eval.nx * sizeof(double);
  double *f = sim->eval.f_plus;
  if (patterned(sim, -1, false, sim->instant.shared) != BRINK_TRY_OK ||
      patterned(sim, -1, true, f) != BRINK_TRY_OK || memcmp(f, sim->instant.shared, bytes) != 0)
    return false;
  for (int bit = 0; (sim->instant.nlocated - 1) >> bit > 0; bit++) {
    if (patterned(sim, bit, false, f) != BRINK_TRY_OK || memcmp(f, sim->instant.shared, bytes) != 0)
      return false;
  }
  return true;
}

/* When many guards fire at once, to ask both sides of each would take as many fields as there are
 * guards. Mostly the right-hand side reads none of their signs: then one field is that of all sides. */
void brink_slide_share(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  sim->instant.shares = false;
  if (sim->instant.nlocated < MANY || sim->model->nests) return;
  memcpy(sim->instant.sgn_kept, eval->sgn, sim->model->def.nguards);
  for (size_t k = 0; k < sim->instant.nlocated; k++) {
    if (eval->is_held[sim->instant.located[k].guard]) return;
  }
  for (size_t k = 0; k < sim->instant.nlocated; k++) /* not protected */
    brink_eval_set_sign(eval, sim->model->guards[sim->instant.located[k].guard].watched_as, 0);
  bool admitted = brink_eval_admit(eval, sim->t, sim->x);
  sim->instant.shares = admitted && reads_none(sim);
  memcpy(eval->sgn, sim->instant.sgn_kept, sim->model->def.nguards);
}

/* ---- entering ---- */

static bool is_filippov(const brink_sim *sim, size_t guard) {
  return sim->model->guards[guard].def.surface == BRINK_SURFACE_FILIPPOV;
}

/* Do the surfaces of two plain guards coincide at the present: both are zero, and their gradients, with time as one
 * more state, are parallel? 1, or -1 if they are opposite; 0: they do not. One that has not fired is zero within rounding
 * only. */
static int coincide(brink_sim *sim, size_t guard, size_t other, bool fired) {
  brink_eval *eval = &sim->eval;
  const brink_guard *guards = sim->model->guards;
  if (guards[guard].formula != NULL || guards[other].formula != NULL) return 0;
  double g = brink_eval_guard(eval, other, sim->t, sim->x), slope[2];
  double near = 8.0 * brink_sim_zero_band(sim, other, sim->t, sim->x);
  if (fired) near = fmax(near, sim->detector.tolerance[other]);
  if (!(fabs(g) <= near)) return 0;
  double *one = eval->f_plus, *two = eval->f_minus; /* scratch: by state */
  size_t pair[] = {guard, other};
  for (int k = 0; k < 2; k++) {
    const brink_guard_def *def = &guards[pair[k]].def;
    double *row = k == 0 ? one : two;
    for (size_t i = 0; i < eval->nx; i++) row[i] = 0.0;
    if (brink_eval_gradient(eval, pair[k], sim->t, sim->x, eval->gradient, &slope[k]) !=
        BRINK_TRY_OK)
      return 0;
    for (size_t j = 0; j < def->ndepends; j++) row[def->depends[j]] += eval->gradient[j];
  }
  double dot = slope[0] * slope[1], first = slope[0] * slope[0], second = slope[1] * slope[1];
  for (size_t i = 0; i < eval->nx; i++) {
    dot += one[i] * two[i];
    first += one[i] * one[i];
    second += two[i] * two[i];
  }
  double product = sqrt(first) * sqrt(second);
  if (!(product > 0.0) || !(fabs(dot) >= (1.0 - 1e-13) * product)) return 0;
  return dot > 0.0 ? 1 : -1;
}

static bool has_fired(const brink_sim *sim, size_t guard) {
  for (size_t k = 0; k < sim->instant.nlocated; k++) {
    if (sim->instant.located[k].guard == guard) return true;
  }
  return false;
}

/* Surfaces of guards that read no state in common do not. */
static bool may_coincide(const brink_sim *sim, size_t guard, size_t other) {
  const brink_guard_def *one = &sim->model->guards[guard].def;
  const brink_guard_def *two = &sim->model->guards[other].def;
  for (size_t i = 0; i < one->ndepends; i++) {
    for (size_t j = 0; j < two->ndepends; j++) {
      if (one->depends[i] == two->depends[j]) return true;
    }
  }
  return one->ndepends == 0;
}

/* Surfaces that coincide with one that holds the state hold it together: they are one surface, in other words. Their
 * guards fired with it, or, of conditions, rounding has them fire a moment later, or they start on it. */
static void tie_others(brink_sim *sim, size_t guard) {
  brink_eval *eval = &sim->eval;
  const brink_guard *guards = sim->model->guards;
  for (size_t other = 0; other < sim->model->def.nguards; other++) {
    if (other == guard || guards[other].watched_as != other || eval->is_held[other] ||
        !eval->enabled[other] || !is_filippov(sim, other) || !may_coincide(sim, guard, other))
      continue;
    bool fired = has_fired(sim, other);
    int sign = fired || guards[other].def.condition ? coincide(sim, guard, other, fired) : 0;
    if (sign != 0) brink_eval_tie(eval, (brink_tie){.guard = other, .to = guard, .sign = sign});
  }
}

/* The state is held on the surface from now on. */
static brink_status enter(brink_sim *sim, size_t guard, int sign_before, bool until_left,
                          brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  const brink_guard_def *def = &sim->model->guards[guard].def;
  if (def->surface == BRINK_SURFACE_FILIPPOV && eval->nfilippov == BRINK_SLIDES)
    return brink_slide_tangled(sim, guard, diag);
  brink_eval_hold(eval, guard, until_left);
  if (is_filippov(sim, guard)) tie_others(sim, guard);
  sim->held_from[guard] = sim->t;
  sim->instant.field_settled = sim->instant.shares = false; /* the field may read that sign */
  if (def->on_surface != NULL)
    sim->instant.arrivals[sim->instant.narrivals++] = (brink_located){
        .guard = guard, .kind = BRINK_HELD, .direction = (brink_direction)-sign_before};
  return eval->nheld > 1 ? brink_slide_check(sim, diag) : BRINK_OK;
}

/* The state with the unknowns that it has on the surface. */
static const double *on_surface(brink_sim *sim, size_t guard) {
  brink_eval *eval = &sim->eval;
  double *x = sim->event_x;
  if (eval->solver == NULL) return sim->x;
  int kept = eval->sgn[guard];
  memcpy(x, sim->x, eval->nx * sizeof *x);
  brink_eval_set_sign(eval, guard, 0);
  brink_try outcome = brink_constraint_solve(eval, sim->t, x);
  brink_eval_set_sign(eval, guard, kept);
  return outcome == BRINK_TRY_OK ? x : sim->x;
}

/* Does one of the guards that let go of this surface hold back, so that the state rests on it? */
static bool rests(brink_sim *sim, size_t guard) {
  const brink_guard_def *def = &sim->model->guards[guard].def;
  brink_enabled_fn *enabled = sim->model->def.enabled;
  size_t leave[] = {def->leave_positive, def->leave_negative};
  if (leave[0] == BRINK_NONE && leave[1] == BRINK_NONE) return false;
  const double *x = on_surface(sim, guard);
  bool holds = true;
  int kept = sim->eval.sgn[guard];
  if (x != sim->x) brink_eval_set_sign(&sim->eval, guard, 0);
  for (int side = 0; side < 2; side++) {
    if (leave[side] == BRINK_NONE) continue;
    if (enabled != NULL && !enabled(leave[side], &sim->eval.env)) continue;
    if (brink_eval_guard(&sim->eval, leave[side], sim->t, x) > 0.0) holds = false;
  }
  if (x != sim->x) brink_eval_set_sign(&sim->eval, guard, kept);
  return holds;
}

/* The new sign, and how far the state still is on the wrong side of it. */
void brink_slide_take_sign(brink_sim *sim, size_t guard, int sign) {
  brink_eval *eval = &sim->eval;
  double g = brink_eval_guard(eval, guard, sim->t, sim->x);
  brink_eval_set_sign(eval, guard, sign);
  eval->slack[guard] = brink_sign_slack(sign, g);
}

static brink_status blocked_by(brink_sim *sim, size_t guard, brink_diag *diag) {
  return brink_sim_fail(sim, diag, BRINK_REASON_BLOCKED, (brink_arguments){.guard = guard});
}

/* Nothing that the instant changed makes another right-hand side of it, and the flow still leads past. */
brink_status brink_slide_blocked(brink_sim *sim, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  size_t guard = sim->blocked;
  int sign = eval->sgn[guard];
  double g = brink_eval_guard(eval, guard, sim->t, sim->x);
  bool on_surface = fabs(g) <= eval->slack[guard] ||
                    fabs(g) <= 8.0 * brink_sim_zero_band(sim, guard, sim->t, sim->x);
  if (!eval->enabled[guard] || sign == 0 || !on_surface || brink_edge_other_field(sim, guard) ||
      brink_eval_sided(eval, guard, sign, sim->t, sim->x, eval->f_plus) != BRINK_TRY_OK ||
      brink_leads_along(sim, guard, sign, eval->f_plus) != sign)
    return BRINK_OK;
  return blocked_by(sim, guard, diag);
}

bool brink_slide_leads(brink_sim *sim, size_t guard, int side) {
  brink_eval *eval = &sim->eval;
  return brink_eval_sided(eval, guard, side, sim->t, sim->x, eval->f_plus) == BRINK_TRY_OK &&
         brink_leads_rate(sim, guard, eval->f_plus) == side;
}

/* A touch within the tolerance need not have come closer than that: the guard is where it was before, and
 * if what the touch caused leads it through its surface after all, that is another event. */
static bool is_off_surface(brink_sim *sim, size_t guard, int sign_before) {
  double y = sign_before * brink_eval_guard(&sim->eval, guard, sim->t, sim->x);
  return y > 8.0 * brink_sim_zero_band(sim, guard, sim->t, sim->x);
}

/* The guard stays on the side it came from. It may turn out to go a little deeper as the solution goes
 * on: by its error, where points past the surface may be looked at, else by rounding. A dip that is known is not
 * gone through at all. */
static void turn_back(brink_sim *sim, size_t guard, int sign_before, double depth) {
  brink_eval *eval = &sim->eval;
  double give = sim->detector.tolerance[guard];
  if (eval->checks_domain) give = 8.0 * brink_sim_zero_band(sim, guard, sim->t, sim->x);
  bool dips = depth <= brink_sim_tolerance(sim, guard, sim->t, sim->x);
  if (dips && !eval->checks_domain) give = fmax(give, 4.0 * depth);
  if (eval->checks_domain && brink_edge_rest(sim, guard, sign_before))
    give = 0.0;
  else if (dips && eval->checks_domain && (depth > 0.0 || !is_off_surface(sim, guard, sign_before)))
    sim->grazed = guard; /* on the surface, too: a singular field may not lead off it */
  sim->detector.touched[guard] = true;
  brink_slide_take_sign(sim, guard, sign_before);
  eval->slack[guard] = fmax(eval->slack[guard], give);
}

brink_status brink_sim_settle_sign(brink_sim *sim, size_t guard, int sign_before, bool changed,
                                   brink_event_kind kind, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  bool strict = sim->model->def.strict_surfaces;
  /* 1. A touch: the guard turned back by itself. It keeps its side, unless an action has changed the motion. */
  if (kind == BRINK_TOUCHED && (!changed || (strict && !brink_edge_other_motion(sim, guard)))) {
    turn_back(sim, guard, sign_before, brink_edge_depth(sim, guard, sign_before));
    return BRINK_OK;
  }
  if (kind == BRINK_TOUCHED && is_off_surface(sim, guard, sign_before)) {
    brink_slide_take_sign(sim, guard, sign_before);
    return BRINK_OK;
  }
  if (kind == BRINK_TOUCHED &&
      eval->checks_domain) { /* what it changed leads to no more than a touch either */
    double depth = brink_edge_depth(sim, guard, sign_before);
    if (depth > 0.0 && depth <= brink_sim_tolerance(sim, guard, sim->t, sim->x)) {
      turn_back(sim, guard, sign_before, depth);
      return BRINK_OK;
    }
  }
  /* 2. Which way do the fields on both sides lead? Towards each other: the surface holds the state. */
  sim->instant.pending[guard] = false;
  if (rests(sim, guard)) return enter(sim, guard, sign_before, true, diag);
  bool one_field = sim->instant.shares || brink_leads_unread(sim, guard);
  int plus = sim->instant.shares ? brink_leads_along(sim, guard, 1, sim->instant.shared)
                                 : brink_leads_side(sim, guard, 1, eval->f_plus);
  int minus = one_field ? plus : brink_leads_side(sim, guard, -1, eval->f_minus);
  if (plus < 0 && minus > 0) return enter(sim, guard, sign_before, false, diag);
  /* 3. They agree: that side. One of them stays on the surface: the other decides. Both lead away: to the far side,
   * and from a start on the surface to the positive one. */
  int sign = plus;
  if (plus != minus) sign = plus == 0 ? minus : minus == 0 ? plus : -sign_before;
  if (plus > 0 && minus < 0 && sign_before == 0) sign = 1;
  if (plus == 0 && minus == 0 && !sim->instant.pending[guard])
    sign = brink_leads_rest_sign(sim, guard);
  bool unilateral = sim->model->guards[guard].def.side == BRINK_UNILATERAL;
  bool same_field =
      one_field || memcmp(eval->f_plus, eval->f_minus, eval->nx * sizeof(double)) == 0;
  brink_slide_take_sign(sim, guard, sign);
  sim->instant.split = sim->instant.split || !same_field;
  /* 4. A unilateral surface with one field on both sides, which leads past it: a touch within the tolerance, or a
   * surface that blocks, unless something at this instant leads away. */
  bool past = unilateral && same_field && sign_before != 0 && sign == -sign_before;
  if (past && (!changed || (strict && !brink_edge_other_motion(sim, guard)))) {
    double depth = brink_edge_depth(sim, guard, sign_before);
    if (depth <= brink_sim_tolerance(sim, guard, sim->t, sim->x)) { /* a touch after all */
      turn_back(sim, guard, sign_before, depth);
      return BRINK_OK;
    }
    if (!changed) return blocked_by(sim, guard, diag);
  }
  if (past && strict && sim->blocked == BRINK_NONE && !brink_edge_other_field(sim, guard))
    sim->blocked = guard; /* unless the instant leads away */
  /* Another right-hand side holds there: it begins on its own side. */
  bool moved = unilateral && sign != 0 && eval->slack[guard] > 0.0 && sim->blocked != guard &&
               brink_edge_nudge(sim, guard, sign, sim->x);
  if (moved) brink_leads_forget(sim);
  /* The field of the side taken is what the next step starts with, if nothing else happens here. */
  const double *f = sign > 0 || one_field ? eval->f_plus : eval->f_minus;
  bool known = sign != 0 && (sign > 0 ? plus : minus) != 0 && !sim->instant.shares && !moved;
  if (known && eval->n == eval->nx) memcpy(sim->instant.settled, f, eval->nx * sizeof *f);
  sim->instant.field_settled = known && eval->n == eval->nx;
  return BRINK_OK;
}

/* ---- while held ---- */

/* Surfaces whose grips are found together: all of Filippov's kind, or a single one of the model's. */
typedef struct grip_group {
  size_t count;
  const size_t *guards;
} grip_group;

/* How firmly the fields hold the state on each surface: -L+ and L-, both positive while they do. False
 * where the fields are not defined, or, with *unique false, not determined. */
static bool grips(brink_sim *sim, grip_group group, double t, const double *x, double *grip,
                  bool *unique) {
  brink_eval *eval = &sim->eval;
  size_t guard = group.guards[0];
  *unique = true;
  if (is_filippov(sim, guard))
    return brink_eval_grips(eval, t, x, grip, unique) == BRINK_TRY_OK && *unique;
  if (brink_eval_sided(eval, guard, 1, t, x, eval->f_plus) != BRINK_TRY_OK ||
      brink_eval_sided(eval, guard, -1, t, x, eval->f_minus) != BRINK_TRY_OK)
    return false;
  grip[0] = -brink_eval_rate(eval, guard, t, x, eval->f_plus);
  grip[1] = brink_eval_rate(eval, guard, t, x, eval->f_minus);
  return !isnan(grip[0]) && !isnan(grip[1]);
}

/* Of one surface, at the present. */
static bool grips_now(brink_sim *sim, size_t guard, double grip[2], bool *unique) {
  const brink_eval *eval = &sim->eval;
  double all[2 * BRINK_SLIDES];
  grip_group group = {1, &guard};
  if (is_filippov(sim, guard)) group = (grip_group){eval->nfilippov, eval->filippov};
  if (!grips(sim, group, sim->t, sim->x, all, unique)) return false;
  for (size_t k = 0; k < group.count; k++) {
    if (group.guards[k] != guard) continue;
    memcpy(grip, &all[2 * k], 2 * sizeof *grip);
    return true;
  }
  return false; /* it is not held */
}

static bool grips_along(brink_sim *sim, grip_group group, const brink_path *path, double sigma,
                        double *grip, bool *unique) {
  double *x = sim->detector.space.x;
  brink_path_eval(path, sigma, x);
  return grips(sim, group, path->t0 + sigma * path->h, x, grip, unique);
}

static bool holds_along(brink_sim *sim, grip_group group, size_t k, const brink_path *path,
                        double sigma) {
  double grip[2 * BRINK_SLIDES];
  bool unique;
  return grips_along(sim, group, path, sigma, grip, &unique) &&
         fmin(grip[2 * k], grip[2 * k + 1]) >= 0.0;
}

/* The instant in (low, high] at which the grip of surface k is lost, given that it is lost at high. */
static double narrow_release(brink_sim *sim, grip_group group, size_t k, const brink_path *path,
                             double low, double high) {
  while (high - low > 2.0 * DBL_EPSILON) {
    double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    if (holds_along(sim, group, k, path, middle))
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* The state may rest while the fields beside it change with time, so the step size says nothing
 * about them: they are sampled, interpolated, and the interpolant is checked between the samples;
 * where it does not fit, the interval is halved. */
#define GRIP_DEPTH 10 /* halvings at most */
#define GRIP_FIT 1e-7 /* how well the interpolant has to fit, relative to the grip */

/* Where an interpolated grip is lost, 0 … 1; 2: nowhere, -1: it does not fit. */
static double lost_at(const double *values, double middle, double there) {
  double c[BRINK_POLY_SAMPLES], size = 0.0;
  int degree = BRINK_POLY_SAMPLES - 1;
  brink_poly_through(values, c);
  for (int k = 0; k <= degree; k++) size = fmax(size, fabs(values[k]));
  if (fabs(brink_poly_eval(c, degree, middle) - there) > GRIP_FIT * size) return -1.0;
  if (values[0] < 0.0) return 0.0;
  brink_root root;
  bool lost = brink_poly_first_root(c, degree, 0.0, 1.0, &root) && root.kind == BRINK_ROOT_FALLING;
  return lost ? root.s : 2.0;
}

/* The first place in the interval where a grip is lost, by interpolants that fit, and of which surface of
 * the group; 2 if nowhere, or if the fields are not defined (a step that leads there is refused
 * anyway); -1 if they do not fit. */
static double release_within(brink_sim *sim, grip_group group, const brink_path *path, double low,
                             double width, size_t *which, bool *unique) {
  double values[2 * BRINK_SLIDES][BRINK_POLY_SAMPLES], grip[2 * BRINK_SLIDES];
  for (int k = 0; k < BRINK_POLY_SAMPLES; k++) {
    if (!grips_along(sim, group, path, low + width * brink_poly_sample[k], grip, unique))
      return 2.0;
    for (size_t j = 0; j < 2 * group.count; j++) values[j][k] = grip[j];
  }
  double first = 2.0, middle = 0.5 * (brink_poly_sample[3] + brink_poly_sample[4]);
  if (!grips_along(sim, group, path, low + width * middle, grip, unique)) return 2.0;
  for (size_t j = 0; j < 2 * group.count; j++) {
    double lost = lost_at(values[j], middle, grip[j]);
    if (lost < 0.0) return -1.0;
    if (lost >= first) continue;
    first = lost;
    *which = j / 2;
  }
  return first > 1.0 ? 2.0 : low + width * first;
}

/* An interpolant's root, narrowed on the grips themselves: from a little before it to the first place
 * after it where the grip is seen to be lost. */
static double refine_release(brink_sim *sim, grip_group group, size_t which,
                             const brink_path *dense, double at, double width, double until) {
  double past = fmin(until, at + 1e-6 * width);
  if (holds_along(sim, group, which, dense, past)) return at;
  return narrow_release(sim, group, which, dense, fmax(0.0, at - 1e-3 * width), past);
}

static brink_grip_loss release_of(brink_sim *sim, grip_group group, const brink_path *dense,
                                  double until) {
  double low = 0.0, width = until, smallest = ldexp(until, -GRIP_DEPTH);
  brink_grip_loss none = {.sigma = 2.0, .guard = group.guards[0], .unique = true};
  while (low < until) {
    size_t which = 0;
    double at = release_within(sim, group, dense, low, width, &which, &none.unique);
    if (at < 0.0 && width > smallest) {
      width *= 0.5;
      continue;
    }
    if (at >= 0.0 && at <= until)
      return (brink_grip_loss){.sigma = refine_release(sim, group, which, dense, at, width, until),
                               .guard = group.guards[which],
                               .unique = true};
    if (!none.unique) return none;
    low += width;
    width = fmin(2.0 * width, until - low);
  }
  return none;
}

brink_grip_loss brink_slide_release(brink_sim *sim, const brink_path *dense, double until) {
  const brink_eval *eval = &sim->eval;
  brink_grip_loss first = {.sigma = 2.0, .guard = BRINK_NONE, .unique = true};
  if (eval->nfilippov > 0)
    first = release_of(sim, (grip_group){eval->nfilippov, eval->filippov}, dense, until);
  for (size_t k = 0; k < eval->nheld; k++) {
    size_t guard = eval->held[k];
    if (is_filippov(sim, guard) || eval->until_left[guard]) continue;
    brink_grip_loss other =
        release_of(sim, (grip_group){1, &guard}, dense, fmin(until, first.sigma));
    if (other.sigma < first.sigma) first = (brink_grip_loss){other.sigma, guard, true};
  }
  return first;
}

/* ---- leaving ---- */

brink_status brink_slide_tangled(brink_sim *sim, size_t guard, brink_diag *diag) {
  const brink_eval *eval = &sim->eval;
  size_t other = eval->filippov[0] != guard ? eval->filippov[0] : eval->filippov[1];
  size_t guards[] = {other, guard};
  return brink_sim_fail(sim, diag, BRINK_REASON_TANGLED,
                        (brink_arguments){.guard = guard, .guards = guards, .nguards = 2});
}

void brink_slide_undo(brink_sim *sim, size_t guard) {
  size_t kept = 0;
  for (size_t k = 0; k < sim->instant.narrivals; k++) {
    if (sim->instant.arrivals[k].guard != guard)
      sim->instant.arrivals[kept++] = sim->instant.arrivals[k];
  }
  sim->instant.narrivals = kept;
  brink_eval_let_go(&sim->eval, guard);
}

void brink_slide_forget(brink_sim *sim) {
  while (sim->eval.nheld > 0) brink_slide_undo(sim, sim->eval.held[sim->eval.nheld - 1]);
}

brink_status brink_slide_end(brink_sim *sim, size_t guard, int sign) {
  brink_slide_record record = brink_slide_of(sim, guard);
  for (size_t k = 0; k < sim->eval.nties; k++) { /* their signs, once they are free */
    brink_tie tie = sim->eval.ties[k];
    if (tie.to == guard) brink_slide_take_sign(sim, tie.guard, tie.sign * sign);
  }
  brink_slide_undo(sim, guard);
  sim->instant.field_settled = false;
  brink_slide_take_sign(sim, guard, sign);
  brink_sim_restart(sim);
  if (sim->sink.slide == NULL || record.from == record.to) return BRINK_OK;
  return sim->sink.slide(&record, sim->sink.user) == 0 ? BRINK_OK : BRINK_STOPPED;
}

/* Back to the surface along its gradient: what a step's error took away from it. */
static void project_on(brink_sim *sim, size_t guard) {
  brink_eval *eval = &sim->eval;
  int polarity;
  size_t leaf = brink_eval_deciding_leaf(eval, guard, sim->t, sim->x, &polarity);
  const brink_guard_def *def = &sim->model->guards[leaf].def;
  double dt, norm = 0.0, g = brink_eval_guard(eval, leaf, sim->t, sim->x);
  if (brink_eval_gradient(eval, leaf, sim->t, sim->x, eval->gradient, &dt) != BRINK_TRY_OK) return;
  for (size_t k = 0; k < def->ndepends; k++) norm += eval->gradient[k] * eval->gradient[k];
  if (!(norm > 0.0) || !isfinite(g / norm)) return;
  for (size_t k = 0; k < def->ndepends; k++)
    sim->x[def->depends[k]] -= g / norm * eval->gradient[k];
}

/* Surfaces that share states disturb each other: what is left is of second order after two rounds, and
 * the next step's business. */
void brink_slide_project(brink_sim *sim) {
  for (int round = 0; round < (sim->eval.nheld > 1 ? 2 : 1); round++) {
    for (size_t k = 0; k < sim->eval.nheld; k++) project_on(sim, sim->eval.held[k]);
  }
}

/* The fields let go of this one. */
static brink_status leave_one(brink_sim *sim, size_t guard, brink_diag *diag) {
  double grip[2];
  bool unique;
  if (!grips_now(sim, guard, grip, &unique))
    return !unique ? brink_slide_tangled(sim, guard, diag)
                   : brink_sim_fail(sim, diag, BRINK_REASON_SIDE_UNDEFINED,
                                    (brink_arguments){.guard = guard});
  project_on(sim, guard);
  brink_status status = brink_slide_end(sim, guard, grip[0] <= grip[1] ? 1 : -1);
  /* The field taken is tangent to the surface here, and both fields are defined on it: errors
   * within the tolerance must not bring the guard back at once. */
  double give = brink_sim_tolerance(sim, guard, sim->t, sim->x);
  sim->eval.slack[guard] = fmax(sim->eval.slack[guard], give);
  return status;
}

brink_status brink_slide_leave(brink_sim *sim, size_t guard, brink_diag *diag) {
  brink_status status = leave_one(sim, guard, diag);
  return status == BRINK_OK && sim->eval.nheld > 0 ? brink_slide_check(sim, diag) : status;
}

static brink_status check_one(brink_sim *sim, size_t guard, brink_diag *diag) {
  double g = brink_eval_guard(&sim->eval, guard, sim->t, sim->x), grip[2];
  double near =
      fmax(8.0 * brink_sim_zero_band(sim, guard, sim->t, sim->x), sim->detector.tolerance[guard]);
  bool unique;
  if (!sim->eval.enabled[guard]) return brink_slide_end(sim, guard, 0);
  if (fabs(g) > near) return brink_slide_end(sim, guard, g > 0.0 ? 1 : -1);
  if (sim->eval.until_left[guard]) return BRINK_OK;
  bool held = grips_now(sim, guard, grip, &unique) && fmin(grip[0], grip[1]) >= 0.0;
  return held ? BRINK_OK : leave_one(sim, guard, diag);
}

brink_status brink_slide_check(brink_sim *sim, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  for (bool again = true; again;) { /* without one of them the others may not hold either */
    again = false;
    for (size_t k = 0; k < eval->nheld;) {
      size_t guard = eval->held[k];
      brink_status status = check_one(sim, guard, diag);
      if (status != BRINK_OK) return status;
      if (eval->is_held[guard])
        k++;
      else
        again = true;
    }
  }
  return BRINK_OK;
}
