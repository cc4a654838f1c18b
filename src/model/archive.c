/* archive.c: what an evaluator knows of a run, to bytes and back (base/archive.h).
 *
 * Arrays that are filled before every use are left out. What is known of constraints is what a clone keeps: the
 * structure, and what was found at one point, are asked for again (constraint.c: brink_solver_relocate). */
#include "model/constraint.h"

#include <string.h>

void brink_stats_archive(brink_stats *stats, brink_archive *a) {
  int64_t *const counts[] = {&stats->steps,          &stats->rejected,   &stats->rhs,
                             &stats->guards,         &stats->roots,      &stats->refused_outside,
                             &stats->rhs_past_guard, &stats->events,     &stats->near_misses,
                             &stats->restarts,       &stats->newton,     &stats->jacobians,
                             &stats->factorisations, &stats->projections};
  for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) brink_archive_int64(a, counts[k]);
  brink_archive_double(a, &stats->largest_correction);
  stats->method = (brink_method)brink_archive_enum(a, (int)stats->method, BRINK_AUTO, BRINK_BDF);
}

void brink_audit_archive(brink_audit_side *side, brink_archive *a) {
  brink_archive_int(a, &side->inside, -1, 1);
  brink_archive_double(a, &side->t);
  brink_archive_double(a, &side->left);
  brink_archive_int64(a, &side->above);
  brink_archive_int64(a, &side->below);
}

static void archive_audit(brink_eval *eval, brink_archive *a) {
  brink_archive_same(a, eval->audit.sides != NULL ? eval->nwatch : 0);
  for (size_t k = 0; eval->audit.sides != NULL && k < eval->nwatch; k++)
    brink_audit_archive(&eval->audit.sides[k], a);
}

/* Those of Filippov's kind are listed once more, in the same order. */
static bool lists_agree(const brink_eval *eval) {
  size_t found = 0;
  for (size_t k = 0; k < eval->nheld; k++) {
    size_t guard = eval->held[k];
    if (!eval->is_held[guard]) return false;
    if (eval->model->guards[guard].def.surface != BRINK_SURFACE_FILIPPOV) continue;
    if (found == eval->nfilippov || eval->filippov[found++] != guard) return false;
  }
  return found == eval->nfilippov;
}

/* Surfaces that hold the state. A guard is held once. */
static void archive_held(brink_eval *eval, brink_archive *a) {
  size_t guards = eval->model->def.nguards;
  brink_archive_count(a, &eval->nheld, guards);
  brink_archive_indices(a, eval->held, eval->nheld, guards);
  brink_archive_bools(a, eval->is_held, guards);
  brink_archive_bools(a, eval->until_left, guards);
  brink_archive_count(a, &eval->nties, guards);
  for (size_t k = 0; k < eval->nties; k++) {
    brink_archive_indices(a, &eval->ties[k].guard, 1, guards);
    brink_archive_indices(a, &eval->ties[k].to, 1, guards);
    brink_archive_int(a, &eval->ties[k].sign, -1, 1);
  }
  brink_archive_count(a, &eval->nfilippov, eval->max_filippov);
  brink_archive_indices(a, eval->filippov, eval->nfilippov, guards);
  if (a->reads && !a->failed) brink_archive_check(a, lists_agree(eval));
}

static void archive_numbers(struct brink_solver *s, size_t nx, brink_archive *a) {
  double *const of_all[] = {s->y,         s->trial,       s->total,       s->field,  s->start_x,
                            s->sliding_x, s->start_guess, s->start_given, s->noise_x};
  double *const of_unknowns[] = {s->step,    s->z_kept,  s->column,     s->z_weight,    s->z_effect,
                                 s->z_scale, s->z_floor, s->z_rounding, s->blocks.scale};
  for (size_t k = 0; k < sizeof of_all / sizeof of_all[0]; k++)
    brink_archive_doubles(a, of_all[k], nx);
  for (size_t k = 0; k < sizeof of_unknowns / sizeof of_unknowns[0]; k++)
    brink_archive_doubles(a, of_unknowns[k], s->nz);
  brink_archive_doubles(a, s->x_scale, s->ns);
  brink_archive_doubles(a, s->weight, s->ns);
}

static void archive_solver(brink_eval *eval, brink_archive *a) {
  struct brink_solver *s = eval->solver;
  brink_archive_mark(a, "solver");
  brink_archive_same(a, s != NULL);
  if (s == NULL) return;
  const brink_constraints_def *def = eval->model->def.constraints;
  size_t rows = s->nz + def->most_invariants;
  archive_numbers(s, eval->nx, a);
  double *const of_rows[] = {s->r, s->r_trial, s->noise, s->noise_r};
  for (size_t k = 0; k < sizeof of_rows / sizeof of_rows[0]; k++)
    brink_archive_doubles(a, of_rows[k], rows);
  brink_archive_doubles(a, s->values, def->most_entries);
  brink_archive_doubles(a, s->blocks.factors, def->most_factors);
  brink_archive_indices(a, s->blocks.pivots, s->nz, s->nz);
  brink_archive_bool(a, &s->bounded);
  brink_archive_bool(a, &s->current);
  brink_archive_bool(a, &s->failed);
  brink_archive_int(a, &s->since_measured, 0, INT32_MAX);
  if (!a->reads) return;
  s->structure = NULL;
  memset(s->checked, 0, sizeof s->checked);
  s->pattern_of = NULL;
  s->pattern = (brink_sparsity){0};
  s->has_seen = false;
}

void brink_eval_archive(brink_eval *eval, brink_archive *a) {
  const brink_model_def *def = &eval->model->def;
  brink_archive_mark(a, "eval");
  if (a->reads) eval->restored = true;
  brink_archive_same(a, eval->n);
  brink_archive_doubles(a, eval->p, def->np);
  brink_archive_ints(a, eval->mode, def->nmodes);
  brink_archive_signs(a, eval->sgn, def->nguards);
  brink_stats_archive(&eval->stats, a);
  brink_archive_u32(a, &eval->read_signs);
  brink_archive_bools(a, eval->enabled, def->nguards);
  brink_archive_doubles(a, eval->slack, def->nguards);
  archive_audit(eval, a);
  archive_held(eval, a);
  brink_archive_double(a, &eval->h);
  brink_archive_bools(a, eval->constrained, def->nguards);
  for (size_t k = 0; k < def->nguards; k++) brink_archive_int(a, &eval->vanishing[k], 0, INT16_MAX);
  brink_archive_index(a, &eval->outside_of, def->nguards);
  brink_archive_index(a, &eval->exempt, def->nguards);
  brink_archive_index(a, &eval->failed_guard, def->nguards);
  brink_archive_index(a, &eval->bad_guard, def->nguards);
  brink_archive_index(a, &eval->bad_state, eval->n);
  archive_solver(eval, a);
}
