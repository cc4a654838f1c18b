/* constraints.c: constraints in a run: its start, the points where events are, changes of structure.
 *
 * At an instant actions, clocks and rules act first, and read unknowns as they were. When these have come to rest, and
 * another structure holds, or a state or a value that constraints read has changed, states are moved to where the
 * constraints hold (model/constraint_transfer.c), unknowns are solved anew, and what has jumped by that is an event of
 * the same instant. Flags that constraints keep at zero have sign 0 and are not watched. */
#include "model/constraint.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/sim.h"

#define MOST_ROUNDS 20 /* in which signs and structure of a start settle */
#define POLISHES 6     /* of the time of an event, after its point was moved onto the constraints */

#define ELSEWHERE 3 /* points at which equations without a solution are looked at */

/* Equations that have no solution: do they depend on each other, whatever the unknowns are? Then that is the fault. */
static void look_at_rank(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  struct brink_solver *s = eval->solver;
  brink_constraint_fault found = s->fault;
  double *y = sim->instant.field;
  if (found.reason != BRINK_REASON_UNSOLVED || found.nequations < 2 || s->structure == NULL) return;
  memcpy(y, sim->x, eval->nx * sizeof *y);
  for (int point = 0; point < ELSEWHERE; point++) {
    for (size_t u = s->ns; u < eval->nx && point > 0; u++) /* any other values do */
      y[u] += 0.1 * (1.0 + fabs(y[u])) / (double)(1 + (u + (size_t)point) % 7);
    if (brink_eval_admit(eval, sim->t, y) && !brink_constraint_regular(eval, sim->t, y)) continue;
    s->fault = found;
    return;
  }
}

/* What the solver found, as a failure of the run. */
brink_status brink_sim_unsolved(brink_sim *sim, brink_diag *diag) {
  const brink_constraint_fault *fault = &sim->eval.solver->fault;
  look_at_rank(sim);
  brink_reason reason = fault->reason != BRINK_REASON_NONE ? fault->reason : BRINK_REASON_UNSOLVED;
  return brink_sim_fail(sim, diag, reason,
                        (brink_arguments){.equations = fault->equations,
                                          .orders = fault->orders,
                                          .nequations = fault->nequations,
                                          .states = fault->states,
                                          .values = fault->values,
                                          .nstates = fault->nstates,
                                          .value = fault->value,
                                          .limit = fault->limit,
                                          .text = fault->text});
}

static brink_status explain(brink_sim *sim, brink_try outcome, brink_diag *diag) {
  if (outcome == BRINK_TRY_FATAL)
    return brink_sim_fail(sim, diag, BRINK_REASON_RHS_FAILED, (brink_arguments){0});
  if (outcome == BRINK_TRY_OUTSIDE)
    return brink_sim_fail(sim, diag, BRINK_REASON_PAST_GUARD,
                          (brink_arguments){.guard = sim->eval.outside_of});
  if (outcome == BRINK_TRY_REFUSED)
    return brink_sim_fail(sim, diag, BRINK_REASON_CONSTRAINT_UNDEFINED, (brink_arguments){0});
  return brink_sim_unsolved(sim, diag);
}

/* ---- the start ---- */

/* Signs of all flags by their values at x; 0 where rounding decides. Has one changed? */
static bool take_signs(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  bool changed = false;
  for (size_t k = 0; k < sim->model->def.nguards; k++) {
    if (sim->model->guards[k].watched_as != k || sim->model->guards[k].def.side == BRINK_LEAF)
      continue;
    double g = brink_eval_guard(eval, k, sim->t, sim->x);
    int sign = brink_sign_of(g, brink_sim_zero_band(sim, k, sim->t, sim->x));
    if (sign == eval->sgn[k]) continue;
    brink_eval_set_sign(eval, k, sign);
    changed = true;
  }
  return changed;
}

/* Somebody has changed a state, a parameter or a mode in the middle of a run: nothing is fixed or guessed any more. The
 * unknowns follow; states are dealt with when the instant has come to rest, as after an action that assigned them. */
static brink_status resume(brink_sim *sim, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  for (size_t k = 0; k < sim->model->def.nguards; k++) {
    if (eval->constrained[k]) brink_eval_constrain(eval, k, false);
  }
  for (int round = 0; round < MOST_ROUNDS && (take_signs(sim) || round == 0); round++) {
    brink_try outcome = brink_constraint_solve(eval, sim->t, sim->x);
    if (outcome != BRINK_TRY_OK && outcome != BRINK_TRY_OUTSIDE) return explain(sim, outcome, diag);
  }
  sim->structure = NULL;
  return BRINK_OK;
}

brink_status brink_sim_start_constraints(brink_sim *sim, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  const brink_model_def *def = &sim->model->def;
  if (eval->solver == NULL) return BRINK_OK;
  if (sim->consistent) return resume(sim, diag);
  double *given = sim->instant.pre_x;
  memcpy(given, sim->x, def->nx * sizeof *given);
  sim->structure = NULL;
  sim->nchosen = 0;
  for (size_t k = 0; k < def->nguards; k++) {
    if (eval->constrained[k]) brink_eval_constrain(eval, k, false);
    eval->vanishing[k] = 0;
  }
  memset(eval->sgn, 0, def->nguards);
  bool checks = eval->checks_domain;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    bool first = round == 0;
    bool changed = take_signs(sim);
    if (!first && !changed) {
      sim->consistent = true;
      return BRINK_OK;
    }
    memcpy(sim->x, given, def->nx * sizeof *given);
    /* Signs are those of a guess: they say nothing yet about where the model is defined. */
    eval->checks_domain = checks && !first;
    brink_try outcome = brink_constraint_start(eval, sim->t, sim->x, sim->chosen, &sim->nchosen);
    if (outcome == BRINK_TRY_OUTSIDE) {
      eval->checks_domain = false;
      outcome = brink_constraint_start(eval, sim->t, sim->x, sim->chosen, &sim->nchosen);
    }
    eval->checks_domain = checks;
    if (outcome != BRINK_TRY_OK) return explain(sim, outcome, diag);
  }
  return brink_sim_fail(sim, diag, BRINK_REASON_STRUCTURES_LOOP,
                        (brink_arguments){.count = MOST_ROUNDS});
}

/* ---- points of events ---- */

/* The guard at sigma of a path, as it is and after the point was moved onto the constraints. */
static double settled_guard(brink_sim *sim, size_t guard, const brink_path *path, double sigma,
                            double *x) {
  brink_path_eval(path, sigma, x);
  double t = path->t0 + sigma * path->h;
  if (brink_eval_settle(&sim->eval, t, x, NULL) != BRINK_TRY_OK) return (double)NAN;
  return brink_eval_guard(&sim->eval, guard, t, x);
}

void brink_sim_solve_unknowns(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  double *x = sim->event_x;
  if (eval->solver == NULL || eval->nfilippov > 0) return;
  memcpy(x, sim->x, eval->nx * sizeof *x);
  if (brink_constraint_solve(eval, sim->t, x) == BRINK_TRY_OK)
    memcpy(sim->x, x, eval->nx * sizeof *x);
}

bool brink_sim_event_stands(brink_sim *sim, const brink_path *path, double sigma) {
  double *x = sim->instant.field;
  if (sim->eval.solver == NULL || sigma <= 0.0) return true;
  brink_path_eval(path, sigma, x);
  brink_try outcome = brink_eval_settle(&sim->eval, path->t0 + sigma * path->h, x, NULL);
  return outcome != BRINK_TRY_ERROR && outcome != BRINK_TRY_UNSOLVED;
}

double brink_sim_settle_event(brink_sim *sim, const brink_path *path, double sigma, double *x) {
  double *y = sim->instant.field, t = path->t0 + sigma * path->h;
  size_t bytes = sim->model->def.nx * sizeof *x;
  if (sim->eval.solver == NULL) return sigma;
  memcpy(y, x, bytes);
  if (brink_eval_settle(&sim->eval, t, y, NULL) != BRINK_TRY_OK) return sigma;
  /* Onto the constraints, as far as unilateral surfaces allow. */
  for (double part = 1.0; !brink_eval_may(&sim->eval, t, y); part *= 0.5) {
    if (part < 1e-3) return sigma;
    for (size_t i = 0; i < sim->model->def.nx - sim->model->def.nz; i++)
      y[i] = x[i] + 0.5 * (y[i] - x[i]);
  }
  memcpy(x, y, bytes);
  if (sim->instant.nlocated == 0 || sigma >= 1.0 || sigma <= 0.0) return sigma;
  size_t guard = sim->instant.located[0].guard;
  if (sim->model->guards[guard].def.side == BRINK_UNILATERAL ||
      sim->instant.located[0].kind != BRINK_CROSSED)
    return sigma;
  /* A secant from nearby: the time at which the guard is zero on the constraints. */
  double g = brink_eval_guard(&sim->eval, guard, t, x), best = sigma;
  double d = fmin(1e-4, 0.5 * fmin(sigma, 1.0 - sigma));
  double before = settled_guard(sim, guard, path, sigma - d, y), slope = (g - before) / d;
  for (int k = 0; k < POLISHES; k++) {
    double band = brink_sim_zero_band(sim, guard, path->t0 + best * path->h, x);
    if (!(fabs(g) > band) || !isfinite(slope) || slope == 0.0) break;
    double next = best - g / slope;
    if (!(next > 0.0 && next < 1.0) || fabs(next - sigma) > 0.05) break;
    double there = settled_guard(sim, guard, path, next, y);
    if (!(fabs(there) < 0.5 * fabs(g))) break;
    slope = next != best ? (there - g) / (next - best) : slope;
    best = next;
    g = there;
    memcpy(x, y, bytes);
  }
  return best;
}

/* ---- changes of structure ---- */

static brink_structure_record record_of(const brink_sim *sim, const brink_structure *structure) {
  const brink_model_def *def = &sim->model->def;
  return (brink_structure_record){.t = sim->t,
                                  .structure = structure,
                                  .index = structure->index,
                                  .nstates = def->nx - def->nz,
                                  .nfree = def->nx - def->nz - structure->nh};
}

bool brink_sim_structure(const brink_sim *sim, brink_structure_record *record) {
  if (sim == NULL || !brink_sim_has_begun(sim) || sim->structure == NULL) return false;
  if (record != NULL) *record = record_of(sim, sim->structure);
  return true;
}

static brink_status tell(brink_sim *sim, const brink_structure *structure) {
  if (sim->sink.structure == NULL) return BRINK_OK;
  brink_structure_record record = record_of(sim, structure);
  return sim->sink.structure(&record, sim->sink.user) == 0 ? BRINK_OK : BRINK_STOPPED;
}

static brink_status tell_impulse(brink_sim *sim) {
  if (sim->sink.transfer == NULL) return BRINK_OK;
  bool any = false;
  for (size_t k = 0; k < sim->model->def.nz; k++) any = any || sim->impulse[k] != 0.0;
  brink_transfer_record record = {.t = sim->t,
                                  .x_before = sim->instant.before_x,
                                  .x_after = sim->x,
                                  .impulse = any ? sim->impulse : NULL};
  return sim->sink.transfer(&record, sim->sink.user) == 0 ? BRINK_OK : BRINK_STOPPED;
}

/* Flags that the former constraints kept at zero, and these do not, take their signs as at a start: leaving zero in this
 * way is no event. Those that these keep have sign 0 from now on. */
static brink_status hold_flags(brink_sim *sim, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < sim->model->def.nguards && status == BRINK_OK; k++) {
    const brink_guard *guard = &sim->model->guards[k];
    bool is_flag =
        guard->watched_as == k && guard->def.side != BRINK_LEAF && guard->formula == NULL;
    if (!is_flag || eval->is_held[k] || eval->owner[k] != BRINK_NONE) continue;
    double g = brink_eval_guard(eval, k, sim->t, sim->x);
    double near = 64.0 * brink_sim_zero_band(sim, k, sim->t, sim->x) +
                  brink_sim_tolerance(sim, k, sim->t, sim->x);
    bool holds = (eval->enabled[k] || eval->constrained[k]) && fabs(g) <= near &&
                 brink_constraint_holds_guard(eval, k, sim->t, sim->x);
    if (holds && !eval->constrained[k]) brink_eval_constrain(eval, k, true);
    if (holds) eval->vanishing[k] = brink_constraint_vanishing(eval, k, sim->t, sim->x);
    if (holds || !eval->constrained[k]) continue;
    brink_eval_constrain(eval, k, false);
    sim->instant.was_enabled[k] =
        eval->enabled[k]; /* it has not begun to be watched: it always was */
    /* It is zero, whatever rounding says, unless it reads unknowns. */
    if (eval->enabled[k] && eval->vanishing[k] > 0)
      status = brink_sim_settle_sign(sim, k, 0, true, BRINK_CROSSED, diag);
    else if (eval->enabled[k])
      status = brink_sim_first_sign(sim, k, diag);
    /* It leaves its surface tangentially: what rounding makes of that must not bring it back at once. */
    bool unilateral = guard->def.side == BRINK_UNILATERAL;
    double give = unilateral ? 8.0 * brink_sim_zero_band(sim, k, sim->t, sim->x)
                             : brink_sim_tolerance(sim, k, sim->t, sim->x);
    eval->slack[k] = fmax(eval->slack[k], give);
    eval->vanishing[k] = 0;
  }
  return status;
}

/* States that a unilateral guard reads keep their values, too. */
static void freeze(brink_sim *sim, size_t guard) {
  const brink_guard_def *def = &sim->model->guards[guard].def;
  for (size_t k = 0; k < def->ndepends; k++) sim->frozen[def->depends[k]] = true;
}

#define ROUNDED 64.0 /* zero bands: a state so near to a surface is on it */

static void allow_rounding(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  for (size_t k = 0; k < eval->nwatch; k++) {
    size_t guard = eval->watch[k];
    double band = brink_sim_zero_band(sim, guard, sim->t, sim->x);
    if (brink_eval_protects(eval, guard) &&
        fabs(brink_eval_guard(eval, guard, sim->t, sim->x)) <= ROUNDED * band)
      eval->slack[guard] = fmax(eval->slack[guard], 2.0 * ROUNDED * band);
  }
}

/* To where the constraints hold. A state on a unilateral surface may be carried past it by what the event's location, or
 * rounding, has left over: then what the surface's guard reads stays where it is, and rounding is allowed for. */
static brink_try transfer(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  size_t nx = sim->model->def.nx;
  memset(sim->frozen, 0, nx * sizeof *sim->frozen);
  for (size_t k = 0;; k++) {
    memcpy(sim->x, sim->instant.before_x, nx * sizeof *sim->x);
    brink_try outcome = brink_constraint_transfer(eval, sim->t, sim->x, sim->instant.assigned,
                                                  sim->frozen, sim->impulse);
    if (outcome == BRINK_TRY_OK) brink_edge_keep_inside(sim);
    if (outcome != BRINK_TRY_OUTSIDE || k > eval->nwatch) return outcome;
    freeze(sim, eval->outside_of);
    if (k > 0) allow_rounding(sim);
  }
}

brink_status brink_sim_meet_constraints(brink_sim *sim, bool *moved, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  size_t bytes = sim->model->def.nx * sizeof *sim->x;
  *moved = false;
  if (eval->solver == NULL) return BRINK_OK;
  brink_try outcome = brink_constraint_bind(eval);
  if (outcome != BRINK_TRY_OK) return explain(sim, outcome, diag);
  const brink_structure *structure = eval->solver->structure;
  if (structure == sim->structure && !sim->instant.unmet) return BRINK_OK;
  memcpy(sim->instant.before_x, sim->x, bytes);
  outcome = transfer(sim);
  if (outcome != BRINK_TRY_OK) {
    memcpy(sim->x, sim->instant.before_x, bytes);
    return explain(sim, outcome, diag);
  }
  bool other = sim->structure == NULL || sim->structure->choice != structure->choice;
  sim->structure = structure;
  sim->instant.unmet = false;
  sim->instant.field_settled = false;
  *moved = memcmp(sim->x, sim->instant.before_x, bytes) != 0;
  brink_constraint_measure(eval, sim->t, sim->x);
  brink_eval_note_unknowns(eval, sim->x);
  brink_status status = hold_flags(sim, diag);
  if (status == BRINK_OK && *moved) status = tell_impulse(sim);
  if (status == BRINK_OK && other) status = tell(sim, structure);
  return status;
}
