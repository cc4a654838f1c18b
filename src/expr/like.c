/* like.c: do two systems differ in their values alone?
 *
 * Problem: the same text, flattened with other values of its knobs, mostly gives the same equations with other numbers in
 * P, X and MODE. Where that is so, all that was made of the one system (code, derivatives, series) serves the other.
 * But a knob may also decide a size, a branch, a sample period, a range, a constant that was folded: so it is not asked
 * what a knob may change; what came of it is compared, all of it.
 *
 * Everything that is read after brink_system_finish is compared bit by bit, but for the values at the start, the seed and
 * numbers in the settings of the simulation. What follows from the equations alone is not: `writers`, and `jacobian`, which may have
 * added numbers to K of the system that has been in use. A new member of brink_system and its parts is compared here, or
 * stands in this list. */
#include <string.h>

#include "expr/system.h"

#define SAME(member) (a->member == b->member)

static bool same_bytes(const void *a, const void *b, size_t count, size_t size) {
  if (a == NULL || b == NULL) return a == b;
  return count == 0 || memcmp(a, b, count * size) == 0;
}

static bool same_text(const char *a, const char *b) {
  if (a == NULL || b == NULL) return a == b;
  return strcmp(a, b) == 0;
}

static bool same_place(brink_place a, brink_place b) {
  return a.file == b.file && a.line == b.line && a.column == b.column;
}

/* ---- kernels ---- */

static bool same_ref(const brink_ref *a, const brink_ref *b, size_t iterations) {
  return SAME(space) && SAME(base) && SAME(stride) && SAME(extent) && SAME(step) &&
         same_bytes(a->map, b->map, iterations, sizeof *a->map);
}

static bool same_graph(const brink_graph *a, const brink_graph *b) {
  if (!SAME(iterations) || !SAME(nnodes) || !SAME(nrefs)) return false;
  for (size_t k = 0; k < a->nnodes; k++) {
    const brink_expr_node *x = &a->nodes[k], *y = &b->nodes[k];
    if (x->op != y->op || x->a != y->a || x->b != y->b || x->c != y->c ||
        memcmp(&x->value, &y->value, sizeof x->value) != 0)
      return false;
  }
  for (size_t k = 0; k < a->nrefs; k++) {
    if (!same_ref(&a->refs[k], &b->refs[k], a->iterations)) return false;
  }
  return true;
}

/* NULL: there is none. */
static bool same_kernel(const brink_kernel *a, const brink_kernel *b) {
  if (a == NULL || b == NULL) return a == b;
  if (!SAME(count) || !SAME(accumulate) || !SAME(sequential) || !SAME(reads_v) || !SAME(reversed) ||
      !SAME(noutputs) || !same_graph(&a->graph, &b->graph))
    return false;
  for (size_t k = 0; k < a->noutputs; k++) {
    const brink_output *x = &a->outputs[k], *y = &b->outputs[k];
    if (x->node != y->node || x->when != y->when || x->variable != y->variable ||
        !same_ref(&x->target, &y->target, a->count))
      return false;
  }
  return same_text(a->name, b->name) && same_place(a->place, b->place);
}

static bool same_program(const brink_program *a, const brink_program *b) {
  if (!SAME(nkernels)) return false;
  for (size_t k = 0; k < a->nkernels; k++) {
    if (!same_kernel(a->kernels[k], b->kernels[k])) return false;
  }
  return true;
}

/* ---- actions ---- */

static bool same_effect(const brink_effect *a, const brink_effect *b) {
  return SAME(kind) && SAME(kernel) && SAME(when) && SAME(late) && SAME(back) && SAME(capacity) &&
         SAME(nargs) && same_text(a->text, b->text) &&
         same_bytes(a->args, b->args, a->nargs, sizeof *a->args) &&
         same_bytes(a->arg_types, b->arg_types, a->nargs, sizeof *a->arg_types);
}

static bool same_action(const brink_action *a, const brink_action *b) {
  if (a == NULL || b == NULL) return a == b;
  if (!SAME(count) || !SAME(nkernels) || !SAME(neffects) || !SAME(finished)) return false;
  for (size_t k = 0; k < a->nkernels; k++) {
    if (!same_kernel(a->kernels[k], b->kernels[k])) return false;
  }
  for (size_t k = 0; k < a->neffects; k++) {
    if (!same_effect(&a->effects[k], &b->effects[k])) return false;
  }
  return true;
}

/* ---- names ---- */

static bool same_group(const brink_group *a, const brink_group *b) {
  if (!SAME(nsegments) || !SAME(count) || !SAME(stream) || !SAME(actions_draw) ||
      !SAME(draws_slot) || !SAME(stream_slot) || !same_text(a->class_name, b->class_name) ||
      !same_bytes(a->dimension, b->dimension, a->nsegments, sizeof *a->dimension) ||
      !same_bytes(a->draws, b->draws, a->count, sizeof *a->draws))
    return false;
  for (size_t k = 0; k < a->nsegments; k++) {
    if (!same_text(a->segment[k], b->segment[k])) return false;
  }
  return true;
}

static bool same_variable(const brink_variable *a, const brink_variable *b, size_t instances) {
  return SAME(group) && SAME(kind) && SAME(type) && SAME(space) && SAME(base) && SAME(length) &&
         SAME(vector) && SAME(columns) && SAME(has_range) && SAME(nset) && SAME(knob) &&
         SAME(signal) && SAME(settled) && SAME(unknown) &&
         memcmp(&a->lo, &b->lo, sizeof a->lo) == 0 && memcmp(&a->hi, &b->hi, sizeof a->hi) == 0 &&
         same_bytes(a->bounds, b->bounds, 2 * instances, sizeof *a->bounds) &&
         same_bytes(a->set, b->set, a->nset, sizeof *a->set) && same_text(a->name, b->name) &&
         same_text(a->unit, b->unit) && same_place(a->place, b->place);
}

/* But for their numbers, which are values. */
static bool same_settings(const brink_system *a, const brink_system *b) {
  if (!SAME(nsettings)) return false;
  for (size_t k = 0; k < a->nsettings; k++) {
    const brink_setting *x = &a->settings[k], *y = &b->settings[k];
    if (x->is_text != y->is_text || !same_text(x->name, y->name) || !same_text(x->text, y->text))
      return false;
  }
  return true;
}

static bool same_names(const brink_system *a, const brink_system *b) {
  if (!same_text(a->name, b->name) || !same_settings(a, b) || !SAME(ngroups) || !SAME(nvariables) ||
      !SAME(naliases) || !SAME(nstrings))
    return false;
  for (size_t k = 0; k < a->ngroups; k++) {
    if (!same_group(&a->groups[k], &b->groups[k])) return false;
  }
  for (size_t k = 0; k < a->nvariables; k++) {
    const brink_variable *variable = &a->variables[k];
    if (!same_variable(variable, &b->variables[k], a->groups[variable->group].count)) return false;
  }
  for (size_t k = 0; k < a->naliases; k++) {
    const brink_alias *x = &a->aliases[k], *y = &b->aliases[k];
    size_t instances = x->as.group < a->ngroups ? a->groups[x->as.group].count : 1;
    if (!same_variable(&x->as, &y->as, instances) ||
        !same_bytes(x->slots, y->slots, instances * x->as.length, sizeof *x->slots))
      return false;
  }
  for (size_t k = 0; k < a->nstrings; k++) {
    if (!same_text(a->strings[k], b->strings[k])) return false;
  }
  return true;
}

/* ---- what happens ---- */

static bool same_pair(const brink_flag *a, const brink_flag *b) {
  if (!a->is_pair) return true;
  return SAME(partner_group[0]) && SAME(partner_group[1]) &&
         same_bytes(a->partner[0], b->partner[0], a->count, sizeof *a->partner[0]) &&
         same_bytes(a->partner[1], b->partner[1], a->count, sizeof *a->partner[1]);
}

static bool same_flag(const brink_flag *a, const brink_flag *b) {
  return SAME(kind) && SAME(group) && SAME(per_instance) && SAME(count) && SAME(side) &&
         SAME(direction) && SAME(priority) && SAME(silent) && SAME(inside) && SAME(at_zero) &&
         SAME(formula_length) && SAME(surface) && SAME(leave_positive) && SAME(leave_negative) &&
         SAME(variable) && SAME(upper) && SAME(late) && SAME(is_pair) &&
         same_bytes(a->guard, b->guard, a->count, sizeof *a->guard) &&
         same_bytes(a->element, b->element, a->per_instance, sizeof *a->element) &&
         same_bytes(a->formula, b->formula, a->formula_length, sizeof *a->formula) &&
         same_bytes(a->time, b->time, a->count, sizeof *a->time) && same_pair(a, b) &&
         same_kernel(a->value, b->value) && same_kernel(a->enabled, b->enabled) &&
         same_action(a->negative, b->negative) && same_action(a->positive, b->positive) &&
         same_action(a->on_surface, b->on_surface) && same_text(a->name, b->name) &&
         same_text(a->text, b->text) && same_place(a->place, b->place);
}

static bool same_clock(const brink_sampled *a, const brink_sampled *b) {
  return SAME(group) && SAME(priority) && SAME(first) && SAME(count) && SAME(rules) &&
         memcmp(&a->period, &b->period, sizeof a->period) == 0 &&
         memcmp(&a->offset, &b->offset, sizeof a->offset) == 0 &&
         same_action(a->action, b->action) && same_text(a->name, b->name);
}

static bool same_rule(const brink_rule *a, const brink_rule *b) {
  return SAME(group) && SAME(count) && SAME(flag) && SAME(clock) && SAME(was) && SAME(priority) &&
         same_kernel(a->condition, b->condition) && same_action(a->body, b->body) &&
         same_text(a->name, b->name);
}

static bool same_events(const brink_system *a, const brink_system *b) {
  if (!SAME(nflags) || !SAME(nguards) || !SAME(nclocks) || !SAME(nrules) || !SAME(nfirst_outputs))
    return false;
  for (size_t k = 0; k < a->nflags; k++) {
    if (!same_flag(&a->flags[k], &b->flags[k])) return false;
  }
  for (size_t k = 0; k < a->nclocks; k++) {
    if (!same_clock(&a->clocks[k], &b->clocks[k])) return false;
  }
  for (size_t k = 0; k < a->nrules; k++) {
    if (!same_rule(&a->rules[k], &b->rules[k])) return false;
  }
  for (size_t k = 0; k < a->nfirst_outputs; k++) {
    if (!same_action(a->first_outputs[k], b->first_outputs[k])) return false;
  }
  return true;
}

/* ---- functions of C ---- */

static bool same_external(const brink_external *a, const brink_external *b) {
  return SAME(narguments) && SAME(value) && SAME(gradient) && SAME(of_time) &&
         same_text(a->name, b->name);
}

static bool same_externals(const brink_system *a, const brink_system *b) {
  if (!SAME(nexternals)) return false;
  for (size_t k = 0; k < a->nexternals; k++) {
    if (!same_external(&a->externals[k], &b->externals[k])) return false;
  }
  return true;
}

/* ---- the system ---- */

/* Parts that are not compared: systems that have them are like no other. */
static bool has_more(const brink_system *system) {
  return system->templates != NULL || system->nz > 0 || system->has_constraints ||
         system->nconstraints > 0 || system->ndelays > 0 || system->ndriven > 0 ||
         system->nfollowed > 0;
}

static bool same_equations(const brink_system *a, const brink_system *b) {
  if (!SAME(nequations)) return false;
  for (size_t k = 0; k < a->nequations; k++) {
    if (!same_kernel(a->equations[k], b->equations[k])) return false;
  }
  return same_program(&a->rhs, &b->rhs) && same_program(&a->all, &b->all);
}

bool brink_system_like(const brink_system *used, const brink_system *fresh) {
  const brink_system *a = used, *b = fresh;
  return !has_more(a) && !has_more(b) && SAME(backward) &&
         memcmp(&a->t0, &b->t0, sizeof a->t0) == 0 && SAME(nx) && SAME(np) && SAME(nmodes) &&
         SAME(nv) && a->nk >= b->nk && SAME(nlocals) && SAME(rtol_slot) && SAME(atol_slot) &&
         (b->nk == 0 || memcmp(a->k, b->k, b->nk * sizeof *b->k) == 0) &&
         same_bytes(a->start, b->start, a->nx, sizeof *a->start) && same_equations(a, b) &&
         same_names(a, b) && same_events(a, b) && same_externals(a, b);
}
