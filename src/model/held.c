/* held.c: surfaces on which the state is held, and the field there (see eval.h).
 *
 * On a surface with BRINK_SURFACE_MODEL the field is the model's own, with sgn = 0; any number of them
 * may hold at once. On the others it is Filippov's.
 *
 * Several of these at once: let the signs s_j enter the field as a sum. With f0 for all s_j = -1 and d_j
 * the change when s_j becomes +1, a combination of all sides is
 *     f0 + sum_j alpha_j d_j,   0 <= alpha_j <= 1,
 * and it stays on every surface if  r_i + sum_j A_ij alpha_j = 0,  with r_i the rate of g_i along f0 and
 * A_ij the change of that rate by d_j (the equivalent control of Utkin 1992; Filippov 1988, section 4).
 * With one surface this is alpha = L-/(L- - L+), without any assumption. With several it is unique only
 * if the signs enter as a sum, which is checked, and A is regular. */
#include <math.h>
#include <string.h>

#include "model/constraint.h"
#include "num/linalg.h"

/* ---- which ---- */

/* As many fields as surfaces can ask for. */
bool brink_held_take(brink_eval *eval, brink_arena *arena) {
  const brink_model *model = eval->model;
  for (size_t k = 0; k < model->def.nguards && eval->max_filippov < BRINK_SLIDES; k++) {
    const brink_guard_def *guard = &model->guards[k].def;
    if (guard->surface != BRINK_SURFACE_FILIPPOV || guard->side == BRINK_LEAF) continue;
    double *change = brink_arena_take(arena, model->def.nx, sizeof(double));
    if (change == NULL) return false;
    eval->slide_change[eval->max_filippov++] = change;
  }
  return true;
}

/* The guards that let go of a surface are watched while the state is held on it. */
void brink_held_find_owners(brink_eval *eval) {
  const brink_model *model = eval->model;
  for (size_t k = 0; k < model->def.nguards; k++) eval->owner[k] = BRINK_NONE;
  for (size_t k = 0; k < model->def.nguards; k++) {
    const brink_guard_def *guard = &model->guards[k].def;
    size_t leave[] = {guard->leave_positive, guard->leave_negative};
    for (int side = 0; side < 2; side++) {
      if (leave[side] == BRINK_NONE) continue;
      eval->owner[leave[side]] = k;
      eval->enabled[leave[side]] = false;
    }
  }
}

/* Is the guard, or one with the same surface, asked for by the signs as they are? */
static bool is_asked_for(const brink_eval *eval, size_t guard) {
  const brink_model *model = eval->model;
  size_t k = guard;
  do {
    if (model->def.enabled(k, &eval->env)) return true;
    k = model->guards[k].next_same;
  } while (k != guard);
  return false;
}

#define HELD_SIDES 4 /* surfaces whose sides are taken in all combinations */

/* On a surface the fields of both its sides count, and so do the conditions inside them: asked for on any
 * side of the surfaces that hold the state. */
static bool is_asked_on_a_side(brink_eval *eval, size_t guard) {
  size_t count = eval->nheld < HELD_SIDES ? eval->nheld : HELD_SIDES;
  bool asked = is_asked_for(eval, guard);
  for (unsigned sides = 0; !asked && count > 0 && sides < 1u << count; sides++) {
    for (size_t j = 0; j < eval->nheld; j++) /* the others go with the last of these */
      brink_eval_set_sign(eval, eval->held[j], sides >> (j < count ? j : count - 1) & 1u ? 1 : -1);
    asked = is_asked_for(eval, guard);
  }
  for (size_t j = 0; j < eval->nheld; j++) brink_eval_set_sign(eval, eval->held[j], 0);
  return asked;
}

static bool update_one(brink_eval *eval, size_t guard) {
  const brink_model *model = eval->model;
  size_t owner = eval->owner[guard];
  bool before = eval->enabled[guard];
  brink_watched how = model->guards[guard].def.watched;
  bool watched = owner == BRINK_NONE || (eval->is_held[owner] && eval->until_left[owner]);
  if (watched && model->def.enabled != NULL && how != BRINK_WATCHED_ALWAYS)
    watched =
        how == BRINK_WATCHED_ASKED ? is_asked_on_a_side(eval, guard) : is_asked_for(eval, guard);
  eval->enabled[guard] = watched = watched && !eval->constrained[guard];
  return watched != before;
}

/* (Leave guards follow their surfaces, too.) */
bool brink_eval_update_enabled(brink_eval *eval) {
  bool changed = false;
  for (size_t k = 0; k < eval->model->nasked; k++)
    changed = update_one(eval, eval->model->asked[k]) || changed;
  return changed;
}

void brink_eval_constrain(brink_eval *eval, size_t guard, bool constrained) {
  eval->constrained[guard] = constrained;
  if (constrained) brink_eval_set_sign(eval, guard, 0);
  eval->slack[guard] = 0.0;
  update_one(eval, guard);
}

static void update_leave_guards(brink_eval *eval, size_t guard) {
  const brink_guard_def *def = &eval->model->guards[guard].def;
  if (def->leave_positive != BRINK_NONE) update_one(eval, def->leave_positive);
  if (def->leave_negative != BRINK_NONE) update_one(eval, def->leave_negative);
}

static size_t remove_from(size_t *list, size_t count, size_t guard) {
  size_t kept = 0;
  for (size_t k = 0; k < count; k++) {
    if (list[k] != guard) list[kept++] = list[k];
  }
  return kept;
}

void brink_eval_hold(brink_eval *eval, size_t guard, bool until_left) {
  eval->held[eval->nheld++] = guard;
  eval->is_held[guard] = true;
  eval->until_left[guard] = until_left;
  brink_eval_set_sign(eval, guard, 0);
  eval->slack[guard] = 0.0;
  if (eval->model->guards[guard].def.surface == BRINK_SURFACE_FILIPPOV)
    eval->filippov[eval->nfilippov++] = guard;
  update_leave_guards(eval, guard);
}

bool brink_eval_is_tied(const brink_eval *eval, size_t guard) {
  for (size_t k = 0; k < eval->nties; k++) {
    if (eval->ties[k].guard == guard) return true;
  }
  return false;
}

void brink_eval_tie(brink_eval *eval, brink_tie tie) {
  eval->ties[eval->nties++] = tie;
  eval->is_held[tie.guard] = true;
  eval->slack[tie.guard] = 0.0;
  brink_eval_set_sign(eval, tie.to, eval->sgn[tie.to]);
}

/* What went with it, or it with another, is free. */
static void untie(brink_eval *eval, size_t guard) {
  size_t kept = 0;
  for (size_t k = 0; k < eval->nties; k++) {
    brink_tie tie = eval->ties[k];
    if (tie.guard == guard || tie.to == guard)
      eval->is_held[tie.guard] = false;
    else
      eval->ties[kept++] = tie;
  }
  eval->nties = kept;
}

void brink_eval_let_go(brink_eval *eval, size_t guard) {
  untie(eval, guard);
  eval->nheld = remove_from(eval->held, eval->nheld, guard);
  eval->nfilippov = remove_from(eval->filippov, eval->nfilippov, guard);
  eval->is_held[guard] = false;
  update_leave_guards(eval, guard);
}

/* ---- the field ---- */

static void set_signs(brink_eval *eval, int sign) {
  for (size_t j = 0; j < eval->nfilippov; j++) brink_eval_set_sign(eval, eval->filippov[j], sign);
}

/* f0 and d_j into eval->slide_base and slide_change, r and A. */
static brink_try gather_fields(brink_eval *eval, double t, const double *x,
                               brink_slide_sum *slide) {
  size_t count = slide->count = eval->nfilippov;
  double *base = eval->slide_base;
  set_signs(eval, -1);
  brink_try outcome = brink_eval_call(eval, t, x, base);
  for (size_t j = 0; outcome == BRINK_TRY_OK && j < count; j++) {
    brink_eval_set_sign(eval, eval->filippov[j], 1);
    outcome = brink_eval_call(eval, t, x, eval->slide_change[j]);
    brink_eval_set_sign(eval, eval->filippov[j], -1);
  }
  set_signs(eval, 0);
  if (outcome != BRINK_TRY_OK) return outcome;
  for (size_t i = 0; i < count; i++) {
    size_t guard = eval->filippov[i];
    double rate = slide->rate[i] = brink_eval_rate(eval, guard, t, x, base);
    for (size_t j = 0; j < count; j++) {
      double plus = brink_eval_rate(eval, guard, t, x, eval->slide_change[j]);
      slide->matrix[i * count + j] = plus - rate;
      if (i == j) slide->plus[i] = plus;
    }
  }
  for (size_t j = 0; j < count; j++) {
    for (size_t i = 0; i < eval->nx; i++) eval->slide_change[j][i] -= base[i];
  }
  return BRINK_TRY_OK;
}

/* alpha; false where there is none. */
static bool solve_for_alpha(brink_slide_sum *slide) {
  if (slide->count == 1) {
    slide->alpha[0] = -slide->rate[0] / slide->matrix[0];
    return isfinite(slide->alpha[0]);
  }
  for (size_t i = 0; i < slide->count; i++) slide->alpha[i] = -slide->rate[i];
  if (brink_lu_factor(slide->count, slide->matrix, slide->pivots) != 0) return false;
  brink_lu_solve(slide->count, slide->matrix, slide->pivots, slide->alpha);
  for (size_t i = 0; i < slide->count; i++) {
    if (!isfinite(slide->alpha[i])) return false;
  }
  return true;
}

brink_try brink_held_sum(brink_eval *eval, double t, const double *x, brink_slide_sum *slide) {
  brink_try outcome = gather_fields(eval, t, x, slide);
  if (outcome != BRINK_TRY_OK) return outcome;
  return solve_for_alpha(slide) ? BRINK_TRY_OK : BRINK_TRY_REFUSED;
}

void brink_held_solve(const brink_slide_sum *slide, double *y) {
  if (slide->count == 1)
    y[0] /= slide->matrix[0];
  else
    brink_lu_solve(slide->count, slide->matrix, slide->pivots, y);
}

/* ---- both fields tangent ---- */

#define CUBE_ROOT 6.1e-6 /* of the rounding unit: balances truncation and rounding */

/* The rate of g on one side, a little further along the field of that side. */
static brink_try rate_after(brink_eval *eval, int sign, double d, double t, const double *x,
                            const double *f, double *rate) {
  size_t guard = eval->filippov[0];
  for (size_t i = 0; i < eval->nx; i++) eval->near_x[i] = x[i] + d * f[i];
  if (!brink_eval_admit(eval, t + d, eval->near_x)) return BRINK_TRY_OUTSIDE;
  brink_eval_set_sign(eval, guard, sign);
  brink_try outcome = brink_eval_call(eval, t + d, eval->near_x, eval->near_f);
  brink_eval_set_sign(eval, guard, 0);
  if (outcome == BRINK_TRY_OK)
    *rate = brink_eval_rate(eval, guard, t + d, eval->near_x, eval->near_f);
  return outcome;
}

/* How that rate changes with time: g'' along the field of one side. */
static brink_try second_rate(brink_eval *eval, int sign, double t, const double *x, const double *f,
                             double *second) {
  double speed = 0.0, ahead = 0.0, behind = 0.0;
  for (size_t i = 0; i < eval->nx; i++) speed = fmax(speed, fabs(f[i]) / fmax(fabs(x[i]), 1e-3));
  double d = speed > 0.0 ? CUBE_ROOT / speed : CUBE_ROOT;
  brink_try outcome = rate_after(eval, sign, d, t, x, f, &ahead);
  if (outcome == BRINK_TRY_OK) outcome = rate_after(eval, sign, -d, t, x, f, &behind);
  *second = (ahead - behind) / (2.0 * d);
  return outcome;
}

/* Where both fields are tangent to the surface every combination of them stays on it, to first order: the one
 * that keeps the rate at zero, too, stays (x'' = -sgn x at rest). If none between them does, the middle. */
static brink_try tangent_field(brink_eval *eval, double t, const double *x, double *dx) {
  double minus, plus;
  const double *base = eval->slide_base, *change = eval->slide_change[0];
  brink_try outcome = second_rate(eval, -1, t, x, base, &minus);
  if (outcome != BRINK_TRY_OK) return outcome;
  for (size_t i = 0; i < eval->nx; i++) dx[i] = base[i] + change[i];
  outcome = second_rate(eval, 1, t, x, dx, &plus);
  if (outcome != BRINK_TRY_OK) return outcome;
  double alpha = minus / (minus - plus);
  if (!(alpha >= 0.0 && alpha <= 1.0)) alpha = 0.5;
  for (size_t i = 0; i < eval->nx; i++) {
    double part = alpha * change[i], size = fabs(base[i]) + fabs(part);
    dx[i] = base[i] + part;
    /* rounding, and that of the differences, would lead off a state of rest */
    if (fabs(dx[i]) <= 1e-9 * size) dx[i] = 0.0;
  }
  return BRINK_TRY_OK;
}

static brink_try combined_field(brink_eval *eval, double t, const double *x, double *dx) {
  brink_slide_sum slide;
  brink_try outcome = gather_fields(eval, t, x, &slide);
  if (outcome != BRINK_TRY_OK) return outcome;
  if (slide.count == 1 && slide.rate[0] == 0.0 && slide.plus[0] == 0.0)
    return tangent_field(eval, t, x, dx);
  if (!solve_for_alpha(&slide)) return BRINK_TRY_REFUSED;
  memcpy(dx, eval->slide_base, eval->nx * sizeof *dx);
  for (size_t j = 0; j < slide.count; j++) {
    const double *change = eval->slide_change[j];
    for (size_t i = 0; i < eval->nx; i++) dx[i] += slide.alpha[j] * change[i];
  }
  return BRINK_TRY_OK;
}

/* ---- unknowns of constraints ---- */

/* They are combined as the fields are: z- + sum_j alpha_j (z+_j - z-), into the unknowns of y. */
static brink_try combine_unknowns(brink_eval *eval, double t, const double *x, double *y) {
  struct brink_solver *s = eval->solver;
  double *side = s->start_guess, *base = s->start_given;
  size_t bytes = eval->nx * sizeof *x;
  brink_slide_sum slide;
  brink_try outcome = gather_fields(eval, t, x, &slide);
  if (outcome != BRINK_TRY_OK) return outcome;
  bool tangent = slide.count == 1 && slide.rate[0] == 0.0 && slide.plus[0] == 0.0;
  if (tangent)
    slide.alpha[0] = 0.5;
  else if (!solve_for_alpha(&slide))
    return BRINK_TRY_REFUSED;
  set_signs(eval, -1);
  memcpy(base, x, bytes);
  outcome = brink_constraint_solve(eval, t, base);
  memcpy(y + s->ns, base + s->ns, s->nz * sizeof *y);
  for (size_t j = 0; j < slide.count && outcome == BRINK_TRY_OK; j++) {
    brink_eval_set_sign(eval, eval->filippov[j], 1);
    memcpy(side, x, bytes);
    outcome = brink_constraint_solve(eval, t, side);
    brink_eval_set_sign(eval, eval->filippov[j], -1);
    for (size_t k = s->ns; k < eval->nx; k++) y[k] += slide.alpha[j] * (side[k] - base[k]);
  }
  set_signs(eval, 0);
  return outcome;
}

/* How they change along the field: alpha does, too, so that differences are taken. */
static void find_rates(brink_eval *eval, double t, const double *x, double *dx) {
  struct brink_solver *s = eval->solver;
  double *here = s->start_x, *later = s->sliding_x, d = CUBE_ROOT * fmin(fmax(fabs(t), 1e-3), 1.0);
  for (size_t k = s->ns; k < eval->nx; k++) dx[k] = 0.0;
  memcpy(eval->near_x, x, eval->nx * sizeof *x);
  for (size_t i = 0; i < s->ns; i++) eval->near_x[i] += d * dx[i];
  if (!brink_eval_admit(eval, t + d, eval->near_x) ||
      combine_unknowns(eval, t, x, here) != BRINK_TRY_OK ||
      combine_unknowns(eval, t + d, eval->near_x, later) != BRINK_TRY_OK)
    return;
  for (size_t k = s->ns; k < eval->nx; k++) dx[k] = (later[k] - here[k]) / d;
}

brink_try brink_held_system(brink_eval *eval, double t, const double *x, double *r) {
  struct brink_solver *s = eval->solver;
  brink_try outcome = combined_field(eval, t, x, r);
  if (outcome == BRINK_TRY_OK) outcome = combine_unknowns(eval, t, x, s->sliding_x);
  for (size_t k = s->ns; k < eval->nx; k++) r[k] = s->sliding_x[k] - x[k];
  return outcome;
}

brink_try brink_held_settle(brink_eval *eval, double t, double *x) {
  struct brink_solver *s = eval->solver;
  double *y = s->y;
  memcpy(y, x, eval->nx * sizeof *y);
  set_signs(eval, 1); /* what ties states is the same on all sides */
  brink_try outcome = brink_constraint_project(eval, t, y, NULL);
  set_signs(eval, 0);
  if (outcome != BRINK_TRY_OK) return outcome;
  memcpy(s->sliding_x, y, eval->nx * sizeof *y); /* solving uses solver->y */
  outcome = combine_unknowns(eval, t, s->sliding_x, s->sliding_x);
  if (outcome == BRINK_TRY_OK) memcpy(x, s->sliding_x, eval->nx * sizeof *x);
  return outcome;
}

brink_try brink_held_field(brink_eval *eval, double t, const double *x, double *dx) {
  if (eval->nfilippov == 0)
    return brink_eval_call(eval, t, x, dx); /* the model's own, with sgn = 0 */
  brink_try outcome = combined_field(eval, t, x, dx);
  if (outcome == BRINK_TRY_OK && eval->solver != NULL) find_rates(eval, t, x, dx);
  return outcome;
}

/* Do the signs enter the field as a sum? Then all of them at once change it by what each does. */
static brink_try check_sum(brink_eval *eval, double t, const double *x, bool *adds_up) {
  set_signs(eval, 1);
  brink_try outcome = brink_eval_call(eval, t, x, eval->f_plus);
  set_signs(eval, 0);
  *adds_up = outcome == BRINK_TRY_OK;
  size_t states = eval->nx - eval->model->def.nz;
  for (size_t i = 0; *adds_up && i < states; i++) {
    double sum = eval->slide_base[i], size = fabs(sum);
    for (size_t j = 0; j < eval->nfilippov; j++) {
      sum += eval->slide_change[j][i];
      size += fabs(eval->slide_change[j][i]);
    }
    *adds_up = fabs(sum - eval->f_plus[i]) <= 1e-10 * size;
  }
  return outcome;
}

brink_try brink_eval_sided(brink_eval *eval, size_t index, int sign, double t, const double *x,
                           double *dx) {
  eval->exempt = index; /* the point is on its surface */
  bool admitted = brink_eval_admit(eval, t, x);
  eval->exempt = BRINK_NONE;
  if (!admitted) return BRINK_TRY_OUTSIDE;
  signed char kept = eval->sgn[index];
  size_t slides = eval->nfilippov, all[BRINK_SLIDES];
  memcpy(all, eval->filippov, sizeof all);
  eval->nfilippov = remove_from(eval->filippov, slides, index);
  brink_eval_set_sign(eval, index, sign);
  brink_try outcome = brink_held_field(eval, t, x, dx);
  brink_eval_set_sign(eval, index, kept);
  eval->nfilippov = slides;
  memcpy(eval->filippov, all, sizeof all);
  return outcome;
}

brink_try brink_eval_sided_flow_jet(brink_eval *eval, size_t index, int sign, int order, double t,
                                    const double *x, double *const *rows) {
  int kept = eval->sgn[index];
  brink_eval_set_sign(eval, index, sign);
  eval->exempt = index; /* the point is on its surface */
  brink_try outcome = brink_eval_flow_jet(eval, order, t, 1.0, x, rows);
  eval->exempt = BRINK_NONE;
  brink_eval_set_sign(eval, index, kept);
  return outcome;
}

/* With the others free to follow, the rate of g_i is S_i (alpha - alpha_i), S_i = 1/(A^-1)_ii. */
brink_try brink_eval_grips(brink_eval *eval, double t, const double *x, double *grip,
                           bool *unique) {
  brink_slide_sum slide;
  *unique = true;
  if (!brink_eval_admit(eval, t, x)) return BRINK_TRY_OUTSIDE;
  brink_try outcome = gather_fields(eval, t, x, &slide);
  if (outcome != BRINK_TRY_OK) return outcome;
  size_t count = slide.count;
  if (count == 1) {
    grip[0] = -slide.plus[0];
    grip[1] = slide.rate[0];
    return isnan(grip[0]) || isnan(grip[1]) ? BRINK_TRY_REFUSED : BRINK_TRY_OK;
  }
  outcome = check_sum(eval, t, x, unique);
  *unique = *unique && solve_for_alpha(&slide);
  for (size_t i = 0; *unique && i < count; i++) {
    double column[BRINK_SLIDES] = {0.0};
    column[i] = 1.0;
    brink_lu_solve(count, slide.matrix, slide.pivots, column);
    double response = 1.0 / column[i];
    grip[2 * i] = -response * (1.0 - slide.alpha[i]);
    grip[2 * i + 1] = -response * slide.alpha[i];
    *unique = isfinite(grip[2 * i]) && isfinite(grip[2 * i + 1]);
  }
  return outcome;
}
