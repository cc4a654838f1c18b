/* constraint.c: models with constraints, and what implicit methods ask for (see eval.h). */
#include <string.h>

#include "model/eval.h"

brink_try brink_eval_system(brink_eval *eval, double t, const double *x, double *r) {
  if (!brink_eval_admit(eval, t, x)) return BRINK_TRY_OUTSIDE;
  return brink_held_field(eval, t, x, r);
}

const brink_sparsity *brink_eval_system_pattern(brink_eval *eval) {
  return brink_eval_has_jacobian(eval) ? &eval->model->def.jacobian_pattern : NULL;
}

brink_try brink_eval_system_jacobian(brink_eval *eval, double t, const double *x, double *values) {
  return brink_eval_jacobian(eval, t, x, values);
}

brink_try brink_eval_settle(brink_eval *eval, double t, double *x, double *moved) {
  (void)t;
  (void)x;
  if (moved != NULL) memset(moved, 0, eval->nx * sizeof *moved);
  return BRINK_TRY_OK;
}
