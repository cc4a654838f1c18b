/* alike.c: were two models made from equal definitions?
 *
 * What can be compared is: sizes, names, kinds, numbers. Callbacks may be other functions that compute the same
 * (code that was loaded twice): of them, only whether they are there. */
#include <string.h>

#include "model/model.h"

/* Both are there, or both are not. Function pointers, too. */
#define SAME_PRESENCE(a, b) (((a) != NULL) == ((b) != NULL))

static bool same_bytes(const void *a, const void *b, size_t count, size_t size) {
  if (a == NULL || b == NULL) return a == b;
  return count == 0 || memcmp(a, b, count * size) == 0;
}

static bool same_callbacks(const brink_guard_def *a, const brink_guard_def *b) {
  return SAME_PRESENCE(a->value, b->value) && SAME_PRESENCE(a->gradient, b->gradient) &&
         SAME_PRESENCE(a->jet, b->jet) && SAME_PRESENCE(a->action, b->action) &&
         SAME_PRESENCE(a->on_surface, b->on_surface);
}

static bool same_guard(const brink_guard *a, const brink_guard *b) {
  const brink_guard_def *p = &a->def, *q = &b->def;
  return strcmp(p->name, q->name) == 0 && p->side == q->side && p->direction == q->direction &&
         p->surface == q->surface && p->degree == q->degree && p->ndepends == q->ndepends &&
         a->formula_length == b->formula_length && a->linear == b->linear &&
         p->is_timer == q->is_timer && (!p->is_timer || p->timer == q->timer) &&
         a->watched_as == b->watched_as && a->next_same == b->next_same &&
         p->leave_positive == q->leave_positive && p->leave_negative == q->leave_negative &&
         same_callbacks(p, q) && same_bytes(p->depends, q->depends, p->ndepends, sizeof(size_t)) &&
         same_bytes(p->coefficients, q->coefficients, p->ndepends, sizeof(double)) &&
         same_bytes(p->lipschitz, q->lipschitz, p->ndepends, sizeof(double));
}

static bool same_clock(const brink_clock_def *a, const brink_clock_def *b) {
  return strcmp(a->name, b->name) == 0 && a->period == b->period && a->offset == b->offset &&
         a->priority == b->priority;
}

static bool same_flow(const brink_model_def *a, const brink_model_def *b) {
  if (!SAME_PRESENCE(a->flow_jet, b->flow_jet) || a->flow_work != b->flow_work ||
      !same_bytes(a->flow_degrees, b->flow_degrees, a->nx, sizeof(int)) ||
      !SAME_PRESENCE(a->jacobian, b->jacobian))
    return false;
  const brink_sparsity *p = &a->jacobian_pattern, *q = &b->jacobian_pattern;
  return a->jacobian == NULL || (same_bytes(p->starts, q->starts, a->nx + 1, sizeof(size_t)) &&
                                 same_bytes(p->rows, q->rows, p->starts[a->nx], sizeof(size_t)));
}

static bool same_hooks(const brink_model_def *a, const brink_model_def *b) {
  return SAME_PRESENCE(a->enabled, b->enabled) && SAME_PRESENCE(a->rules, b->rules) &&
         SAME_PRESENCE(a->zeno, b->zeno) && a->strict_surfaces == b->strict_surfaces;
}

static brink_status differs(const brink_model *a, const char *what, brink_diag *diag) {
  return brink_diag_set(
      diag, BRINK_ERR_ARGUMENT,
      "the other model is not like '%s': it was not made from an equal definition "
      "(%s)",
      a->def.name, what);
}

brink_status brink_model_check_alike(const brink_model *a, const brink_model *b, brink_diag *diag) {
  const brink_model_def *p = &a->def, *q = &b->def;
  if (a == b) return BRINK_OK;
  if (p->nx != q->nx) return differs(a, "another number of states", diag);
  if (p->np != q->np) return differs(a, "another number of parameters", diag);
  if (p->nmodes != q->nmodes) return differs(a, "another number of modes", diag);
  if (p->nguards != q->nguards) return differs(a, "another number of guards", diag);
  if (p->nclocks != q->nclocks) return differs(a, "another number of clocks", diag);
  if (!same_hooks(p, q)) return differs(a, "other callbacks", diag);
  if (!same_flow(p, q)) return differs(a, "another right-hand side", diag);
  for (size_t k = 0; k < p->nguards; k++) {
    if (same_guard(&a->guards[k], &b->guards[k])) continue;
    differs(a, "another guard", diag);
    if (diag != NULL) diag->guard = k;
    return BRINK_ERR_ARGUMENT;
  }
  for (size_t k = 0; k < p->nclocks; k++) {
    if (!same_clock(&p->clocks[k], &q->clocks[k])) return differs(a, "another clock", diag);
  }
  return BRINK_OK;
}
