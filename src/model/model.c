/* model.c: definitions are checked and copied here, once, so that nothing later has to wonder. */
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *brink_model_state_name(const brink_model *model, size_t index) {
  return index < model->def.nx ? model->def.state_names[index] : "(no state)";
}

const char *brink_model_guard_name(const brink_model *model, size_t index) {
  return index < model->def.nguards ? model->guards[index].def.name : "(no guard)";
}

/* ---- checks ---- */

static brink_status check_finite(const double *values, size_t count, const char *what,
                                 brink_diag *diag) {
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(values[i])) {
      brink_status status = brink_diag_refuse(
          diag, BRINK_REASON_DEFINITION, "%s[%zu] is %g: give a finite number", what, i, values[i]);
      if (diag != NULL) diag->state = i;
      return status;
    }
  }
  return BRINK_OK;
}

#define REFUSE(...) return brink_diag_refuse(diag, BRINK_REASON_DEFINITION, __VA_ARGS__)

/* What can be looked at before there is a structure; model/constraint_check.c has the rest. */
static brink_status check_constraints(const brink_model_def *def, brink_diag *diag) {
  const brink_constraints_def *constraints = def->constraints;
  if (constraints->structure == NULL || constraints->residual == NULL)
    REFUSE("constraints needs structure and residual");
  if (constraints->nderived > def->nz)
    REFUSE("constraints: nderived is %zu, but nz is %zu", constraints->nderived, def->nz);
  for (size_t i = 0; constraints->start != NULL && i < def->nx; i++) {
    if (constraints->start[i] > BRINK_INITIAL_FIXED)
      REFUSE("constraints: start[%zu] is %d, not one of brink_initial", i,
             (int)constraints->start[i]);
  }
  for (size_t k = 0; k < def->nz; k++) {
    double lo = constraints->lo != NULL ? constraints->lo[k] : -(double)INFINITY;
    double hi = constraints->hi != NULL ? constraints->hi[k] : (double)INFINITY;
    if (!(lo <= hi))
      REFUSE("constraints: lo[%zu] is %g and hi[%zu] is %g: give lo <= hi", k, lo, k, hi);
  }
  return BRINK_OK;
}

static brink_status check_sizes(const brink_model_def *def, brink_diag *diag) {
  if (def->nx > 0 && def->rhs == NULL)
    REFUSE("rhs is NULL: give the right-hand side dx/dt = f(t, x)");
  if (def->nx > 0 && def->x0 == NULL) REFUSE("x0 is NULL: give nx initial states");
  if (!isfinite(def->t0)) REFUSE("t0 is %g: give a finite start time", def->t0);
  if (def->np > 0 && def->p0 == NULL) REFUSE("p0 is NULL, but np is %zu", def->np);
  if (def->nguards > 0 && def->guards == NULL)
    REFUSE("guards is NULL, but nguards is %zu", def->nguards);
  if (def->nclocks > 0 && def->clocks == NULL)
    REFUSE("clocks is NULL, but nclocks is %zu", def->nclocks);
  if (def->nz > def->nx) REFUSE("nz is %zu, but there are %zu components", def->nz, def->nx);
  if (def->nz > 0 && def->constraints == NULL)
    REFUSE("nz is %zu, but constraints is NULL: give what determines the unknowns", def->nz);
  brink_status status = def->nz > 0 ? check_constraints(def, diag) : BRINK_OK;
  return status == BRINK_OK ? check_finite(def->x0, def->nx, "x0", diag) : status;
}

static bool is_time(const brink_model_def *def, size_t parameter) {
  for (size_t k = 0; k < def->nguards; k++) {
    if (def->guards[k].is_timer && def->guards[k].timer == parameter) return true;
  }
  return false;
}

/* Times of timers may be infinite, everything else is finite. */
static brink_status check_parameters(const brink_model_def *def, brink_diag *diag) {
  size_t infinite = 0, off = 0;
  for (size_t i = 0; i < def->np; i++) infinite += isfinite(def->p0[i]) ? 0 : 1;
  for (size_t k = 0; k < def->nguards; k++) {
    if (def->guards[k].is_timer && isinf(def->p0[def->guards[k].timer])) off++;
  }
  for (size_t i = 0; infinite != off && i < def->np; i++) { /* the rule: they are the same */
    if (isfinite(def->p0[i]) || is_time(def, i)) continue;
    brink_status status = brink_diag_refuse(diag, BRINK_REASON_DEFINITION,
                                            "p0[%zu] is %g: give a finite number", i, def->p0[i]);
    if (diag != NULL) diag->state = i;
    return status;
  }
  return BRINK_OK;
}

static brink_status check_timer(const brink_model_def *def, const brink_guard_def *guard,
                                brink_diag *diag) {
  if (guard->coefficients != NULL || guard->value != NULL || guard->formula != NULL)
    REFUSE("guard '%s' is a timer: it has neither numbers nor a value nor a formula", guard->name);
  if (guard->timer >= def->np)
    REFUSE("timer '%s' is parameter %zu, but there are %zu parameters", guard->name, guard->timer,
           def->np);
  if (!(def->p0[guard->timer] >= def->t0))
    REFUSE("timer '%s' is set to %g at the start, which is %g: give a later time, or infinity",
           guard->name, def->p0[guard->timer], def->t0);
  return BRINK_OK;
}

static brink_status check_guard(const brink_model_def *def, size_t index, brink_diag *diag) {
  const brink_guard_def *guard = &def->guards[index];
  if (guard->name == NULL)
    REFUSE("guard %zu has no name: start from brink_default_guard(name)", index);
  if (guard->is_timer) return check_timer(def, guard, diag);
  bool plain = guard->coefficients != NULL || guard->value != NULL;
  if (plain == (guard->formula != NULL))
    REFUSE("guard '%s' needs exactly one of numbers or a value, and a formula; it has %s",
           guard->name, plain ? "both" : "neither");
  if (guard->side < BRINK_BILATERAL || guard->side > BRINK_LEAF)
    REFUSE("guard '%s': side %d is not one of brink_side", guard->name, (int)guard->side);
  if (guard->direction < BRINK_NEGATIVE || guard->direction > BRINK_POSITIVE)
    REFUSE("guard '%s': direction %d is not one of brink_direction", guard->name,
           (int)guard->direction);
  if (guard->surface < BRINK_SURFACE_FILIPPOV || guard->surface > BRINK_SURFACE_MODEL)
    REFUSE("guard '%s': surface %d is not one of brink_surface", guard->name, (int)guard->surface);
  if (!isfinite(guard->offset) || !isfinite(guard->time_coefficient))
    REFUSE("guard '%s': offset is %g and time_coefficient %g: give finite numbers", guard->name,
           guard->offset, guard->time_coefficient);
  if (!(guard->lipschitz_time >= 0.0))
    REFUSE("guard '%s': lipschitz_time is %g: give a bound of zero or more", guard->name,
           guard->lipschitz_time);
  if (guard->inside < -1 || guard->inside > 1)
    REFUSE("guard '%s': inside is %d: give -1, 0 or 1", guard->name, guard->inside);
  if (guard->degree < 0) REFUSE("guard '%s': degree %d is negative", guard->name, guard->degree);
  if (guard->degree == 1 && guard->value != NULL && guard->gradient == NULL)
    REFUSE("guard '%s' is said to be linear (degree 1), but has no gradient: give one, or use "
           "coefficients",
           guard->name);
  if (guard->degree > 1 && guard->jet == NULL)
    REFUSE("guard '%s' is said to be a polynomial of degree %d, but has no jet to compose it with "
           "the solution: give one, or set degree to 0",
           guard->name, guard->degree);
  if (guard->coefficients != NULL && guard->depends == NULL && guard->ndepends > def->nx)
    REFUSE("guard '%s': ndepends is %zu, but there are %zu states", guard->name, guard->ndepends,
           def->nx);
  for (size_t k = 0; guard->depends != NULL && k < guard->ndepends; k++) {
    if (guard->depends[k] >= def->nx)
      REFUSE("guard '%s' depends on state %zu, but there are %zu states", guard->name,
             guard->depends[k], def->nx);
  }
  size_t count = guard->depends != NULL ? guard->ndepends : def->nx;
  for (size_t k = 0; guard->coefficients != NULL && k < count; k++) {
    if (!isfinite(guard->coefficients[k]))
      REFUSE("guard '%s': coefficient %zu is %g", guard->name, k, guard->coefficients[k]);
  }
  for (size_t k = 0; guard->lipschitz != NULL && k < count; k++) {
    if (!(guard->lipschitz[k] >= 0.0))
      REFUSE("guard '%s': lipschitz[%zu] is %g: give a bound of zero or more", guard->name, k,
             guard->lipschitz[k]);
  }
  return BRINK_OK;
}

/* The guards that let go of a surface. */
static brink_status check_leave(const brink_model_def *def, size_t index, brink_diag *diag) {
  const brink_guard_def *guard = &def->guards[index];
  size_t leave[] = {guard->leave_positive, guard->leave_negative};
  if (guard->surface != BRINK_SURFACE_MODEL) return BRINK_OK; /* not asked for */
  if (leave[0] == leave[1] && leave[0] != BRINK_NONE)
    REFUSE("guard '%s': leave_positive and leave_negative are both %zu: give two guards, or "
           "BRINK_NONE (start from brink_default_guard)",
           guard->name, leave[0]);
  for (int side = 0; side < 2; side++) {
    if (leave[side] == BRINK_NONE) continue;
    if (leave[side] >= def->nguards || leave[side] == index)
      REFUSE("guard '%s' is left when guard %zu becomes positive: there is no such guard beside it",
             guard->name, leave[side]);
    const brink_guard_def *other = &def->guards[leave[side]];
    if (other->side == BRINK_LEAF || other->action != NULL || other->on_surface != NULL)
      REFUSE("guard '%s' lets go of '%s': it is watched for that alone, so give it another side "
             "than BRINK_LEAF, and no action",
             other->name, guard->name);
  }
  return BRINK_OK;
}

/* Guards that have one surface. */
static brink_status check_same(const brink_model_def *def, size_t index, brink_diag *diag) {
  const brink_guard_def *guard = &def->guards[index];
  if (guard->same_sign == 0) return BRINK_OK;
  if (guard->same_sign < -1 || guard->same_sign > 1)
    REFUSE("guard '%s': same_sign is %d: give -1, 0 or 1", guard->name, guard->same_sign);
  if (guard->same_as >= def->nguards || guard->same_as == index)
    REFUSE("guard '%s' has the surface of guard %zu: there is no such guard beside it", guard->name,
           guard->same_as);
  const brink_guard_def *other = &def->guards[guard->same_as];
  if (other->same_sign != 0)
    REFUSE("guard '%s' has the surface of '%s', which has that of another: name that one",
           guard->name, other->name);
  const brink_guard_def *both[] = {guard, other};
  for (int k = 0; k < 2; k++) {
    if (both[k]->side == BRINK_LEAF || both[k]->formula != NULL || both[k]->direction != BRINK_BOTH)
      REFUSE(
          "guards '%s' and '%s' have one surface: neither may be a leaf, a formula, or watch one "
          "direction",
          guard->name, other->name);
  }
  if (guard->surface != BRINK_SURFACE_FILIPPOV || guard->on_surface != NULL)
    REFUSE("guard '%s' has the surface of '%s': what holds on it is said by that one", guard->name,
           other->name);
  return BRINK_OK;
}

static brink_status check_clock(const brink_clock_def *clock, size_t index, double t0,
                                brink_diag *diag) {
  if (clock->name == NULL) REFUSE("clock %zu has no name", index);
  if (clock->tick == NULL) REFUSE("clock '%s' has no tick action", clock->name);
  if (!(clock->period >= 0.0) || isinf(clock->period))
    REFUSE("clock '%s': period %g: give a positive number, or 0 for a timer", clock->name,
           clock->period);
  if (isnan(clock->offset) || (clock->period > 0.0 && !isfinite(clock->offset)))
    REFUSE("clock '%s': offset is %g", clock->name, clock->offset);
  /* Ticks are counted in integers, and times are doubles: beyond 2^52 periods neither would do. */
  if (clock->period > 0.0 && fabs(t0 - clock->offset) / clock->period > 0x1p52)
    REFUSE("clock '%s': t0 = %g is more than 2^52 periods of %g from its offset: ticks there "
           "cannot be "
           "told apart",
           clock->name, t0, clock->period);
  return BRINK_OK;
}
#undef REFUSE

/* ---- which states a guard reads ---- */

/* A missing list of states means all of them: one list for all such guards. */
static bool list_states(brink_model *model) {
  size_t *every = brink_arena_take(&model->arena, model->def.nx, sizeof *every);
  for (size_t i = 0; every != NULL && i < model->def.nx; i++) every[i] = i;
  model->every_state = every;
  return every != NULL;
}

static bool copy_depends(brink_model *model, brink_guard_def *guard) {
  if (guard->depends == NULL) {
    guard->depends = model->every_state;
    guard->ndepends = model->def.nx;
    return true;
  }
  guard->depends = brink_arena_copy(&model->arena, guard->depends, guard->ndepends, sizeof(size_t));
  return guard->depends != NULL;
}

static int by_size(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

/* A formula depends on what its leaves depend on. */
static bool join_depends(brink_model *model, brink_guard *guard) {
  size_t total = 0, kept = 0;
  for (size_t k = 0; k < guard->formula_length; k++) {
    const brink_guard_def *leaf = &model->guards[guard->formula[k].leaf].def;
    if (guard->formula[k].op != 0) continue;
    if (leaf->depends == model->every_state) return true; /* as it is */
    total += leaf->ndepends;
  }
  size_t *joined = brink_arena_take(&model->arena, total, sizeof *joined);
  if (joined == NULL) return false;
  total = 0;
  for (size_t k = 0; k < guard->formula_length; k++) {
    const brink_guard_def *leaf = &model->guards[guard->formula[k].leaf].def;
    if (guard->formula[k].op != 0) continue;
    if (leaf->ndepends > 0) memcpy(joined + total, leaf->depends, leaf->ndepends * sizeof *joined);
    total += leaf->ndepends;
  }
  qsort(joined, total, sizeof *joined, by_size);
  for (size_t k = 0; k < total; k++) {
    if (kept == 0 || joined[kept - 1] != joined[k]) joined[kept++] = joined[k];
  }
  guard->def.depends = joined;
  guard->def.ndepends = kept;
  return true;
}

/* ---- formulas: postfix with NOT → postfix in negation normal form ---- */

typedef struct formula_reader {
  const brink_model_def *def;
  const brink_guard_def *guard;
  size_t position; /* of the next operator to read, from the end; counts down */
  brink_formula_op *out;
  size_t written;
  const char *problem;
} formula_reader;

/* operand := leaf | operand NOT | operand operand AND | operand operand OR, read backwards */
static void read_operand(formula_reader *reader, bool negate, int depth) {
  if (reader->problem != NULL) return;
  if (reader->position == 0) {
    reader->problem = "an operator lacks an operand";
    return;
  }
  if (depth >= BRINK_FORMULA_DEPTH) {
    reader->problem = "it is nested too deeply";
    return;
  }
  int op = reader->guard->formula[--reader->position];
  if (op == BRINK_NOT) {
    read_operand(reader, !negate, depth + 1);
  } else if (op == BRINK_AND || op == BRINK_OR) {
    read_operand(reader, negate, depth + 1);
    read_operand(reader, negate, depth + 1);
    if (reader->problem != NULL) return;
    int other = op == BRINK_AND ? BRINK_OR : BRINK_AND; /* De Morgan */
    reader->out[reader->written++] = (brink_formula_op){.op = negate ? other : op};
  } else if (op < 0 || (size_t)op >= reader->def->nguards) {
    reader->problem = "it names a guard that does not exist";
  } else if (reader->def->guards[op].is_timer) {
    reader->problem = "a timer is no part of formulas";
  } else if (reader->def->guards[op].formula != NULL) {
    reader->problem = "a leaf is itself a formula: write it out";
  } else {
    reader->out[reader->written++] =
        (brink_formula_op){.leaf = (size_t)op, .polarity = negate ? -1 : 1};
  }
}

static brink_status read_formula(brink_model *model, brink_guard *guard, brink_diag *diag) {
  size_t length = guard->def.formula_length;
  guard->formula = brink_arena_take(&model->arena, length, sizeof *guard->formula);
  if (guard->formula == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  formula_reader reader = {
      .def = &model->def, .guard = &guard->def, .position = length, .out = guard->formula};
  read_operand(&reader, false, 0);
  if (reader.problem == NULL && reader.position != 0)
    reader.problem = "operands are left over without an operator";
  if (reader.problem != NULL)
    return brink_diag_refuse(diag, BRINK_REASON_DEFINITION,
                             "the formula of guard '%s' is wrong: %s", guard->def.name,
                             reader.problem);
  guard->formula_length = reader.written;
  return join_depends(model, guard) ? BRINK_OK
                                    : brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

/* ---- copies ---- */

static bool copy_names(brink_model *model) {
  brink_model_def *def = &model->def;
  char **names = brink_arena_take(&model->arena, def->nx, sizeof *names);
  if (names == NULL) return false;
  for (size_t i = 0; i < def->nx; i++) {
    char buffer[32];
    const char *name = buffer;
    snprintf(buffer, sizeof buffer, "x[%zu]", i);
    if (def->state_names != NULL && def->state_names[i] != NULL) name = def->state_names[i];
    names[i] = brink_arena_text(&model->arena, name);
    if (names[i] == NULL) return false;
  }
  def->state_names = (const char *const *)names;
  def->name = brink_arena_text(&model->arena, def->name != NULL ? def->name : "model");
  return def->name != NULL;
}

static bool copy_reads(brink_model *model) {
  brink_model_def *def = &model->def;
  const bool **lists[] = {&def->reads.x, &def->reads.p, &def->reads.mode};
  size_t counts[] = {def->nx, def->np, def->nmodes};
  for (int k = 0; k < 3; k++) {
    if (*lists[k] == NULL) continue;
    *lists[k] = brink_arena_copy(&model->arena, *lists[k], counts[k], sizeof(bool));
    if (*lists[k] == NULL) return false;
  }
  return true;
}

static bool copy_guard(brink_model *model, size_t index) {
  brink_arena *arena = &model->arena;
  brink_guard *guard = &model->guards[index];
  guard->def = model->def.guards[index];
  guard->linear =
      guard->def.coefficients != NULL || (guard->def.degree == 1 && guard->def.gradient != NULL);
  guard->def.name = brink_arena_text(arena, guard->def.name);
  if (guard->def.is_timer) { /* nothing looks for it, and it belongs to nothing */
    guard->def.side = BRINK_LEAF;
    guard->def.direction = BRINK_POSITIVE;
    guard->def.depends = model->every_state;
    guard->def.ndepends = 0;
    guard->def.same_sign = 0;
    guard->def.watched = BRINK_WATCHED_ALWAYS;
    return guard->def.name != NULL;
  }
  if (guard->def.formula != NULL) guard->def.depends = NULL; /* its leaves know */
  if (guard->def.name == NULL || !copy_depends(model, &guard->def)) return false;
  size_t count = guard->def.ndepends;
  if (guard->def.coefficients != NULL) {
    guard->def.coefficients =
        brink_arena_copy(arena, guard->def.coefficients, count, sizeof(double));
    if (guard->def.coefficients == NULL) return false;
  }
  if (guard->def.lipschitz != NULL) {
    guard->def.lipschitz = brink_arena_copy(arena, guard->def.lipschitz, count, sizeof(double));
    if (guard->def.lipschitz == NULL) return false;
  }
  if (guard->def.formula != NULL) {
    guard->def.formula =
        brink_arena_copy(arena, guard->def.formula, guard->def.formula_length, sizeof(int));
    if (guard->def.formula == NULL) return false;
  }
  if (count > model->max_depends) model->max_depends = count;
  return true;
}

/* A guard may let go of one surface only; it does so when it becomes positive. */
static brink_status claim_leave_guards(brink_model *model, brink_diag *diag) {
  for (size_t k = 0; k < model->def.nguards; k++) {
    brink_guard_def *guard = &model->guards[k].def;
    if (guard->surface != BRINK_SURFACE_MODEL)
      guard->leave_positive = guard->leave_negative = BRINK_NONE;
    size_t leave[] = {guard->leave_positive, guard->leave_negative};
    for (int side = 0; side < 2; side++) {
      if (leave[side] == BRINK_NONE) continue;
      brink_guard *other = &model->guards[leave[side]];
      other->def.direction = BRINK_POSITIVE;
      if (other->lets_go)
        return brink_diag_refuse(diag, BRINK_REASON_DEFINITION,
                                 "guard '%s' lets go of two surfaces: give each a guard of its own",
                                 other->def.name);
      other->lets_go = true;
    }
  }
  return BRINK_OK;
}

static bool reads_signs(const brink_model *model, const brink_guard *guard) {
  if (guard->def.reads_signs || guard->formula == NULL) return guard->def.reads_signs;
  for (size_t k = 0; k < guard->formula_length; k++) {
    const brink_formula_op *op = &guard->formula[k];
    if (op->op == 0 && model->guards[op->leaf].def.reads_signs) return true;
  }
  return false;
}

/* Formulas read what their leaves read. */
static bool list_sign_readers(brink_model *model) {
  size_t count = model->def.nguards;
  for (size_t k = 0; k < count; k++) {
    brink_guard *guard = &model->guards[k];
    guard->def.reads_signs = reads_signs(model, guard);
    if (guard->def.reads_signs && guard->def.side != BRINK_LEAF) model->nsign_readers++;
  }
  model->sign_readers =
      brink_arena_take(&model->arena, model->nsign_readers, sizeof *model->sign_readers);
  if (model->sign_readers == NULL) return false;
  for (size_t k = 0, n = 0; k < count; k++) {
    const brink_guard_def *def = &model->guards[k].def;
    if (def->reads_signs && def->side != BRINK_LEAF) model->sign_readers[n++] = k;
  }
  return true;
}

static unsigned char traits_of(const brink_guard *guard) {
  return (unsigned char)((guard->def.side == BRINK_LEAF ? BRINK_TRAIT_LEAF : 0) |
                         (guard->def.condition ? BRINK_TRAIT_CONDITION : 0) |
                         (brink_guard_is_numbers(guard) ? BRINK_TRAIT_NUMBERS : 0) |
                         (guard->def.reads_signs ? BRINK_TRAIT_READS_SIGNS : 0));
}

static bool note_traits(brink_model *model) {
  size_t count = model->def.nguards;
  model->traits = brink_arena_take(&model->arena, count, sizeof *model->traits);
  if (model->traits == NULL) return false;
  for (size_t k = 0; k < count; k++) {
    model->traits[k] = traits_of(&model->guards[k]);
    model->nalterable += (model->traits[k] & BRINK_TRAIT_NUMBERS) == 0;
  }
  model->alterable = brink_arena_take(&model->arena, model->nalterable, sizeof *model->alterable);
  if (model->alterable == NULL) return false;
  for (size_t k = 0, n = 0; k < count; k++) {
    if ((model->traits[k] & BRINK_TRAIT_NUMBERS) == 0) model->alterable[n++] = k;
  }
  return true;
}

/* Guards on one surface as rings. */
static void join_surfaces(brink_model *model) {
  size_t count = model->def.nguards;
  for (size_t k = 0; k < count; k++) model->guards[k].next_same = model->guards[k].watched_as = k;
  for (size_t k = 0; k < count; k++) {
    brink_guard *guard = &model->guards[k];
    if (guard->def.same_sign == 0) continue;
    brink_guard *watched = &model->guards[guard->def.same_as];
    guard->watched_as = guard->def.same_as;
    guard->next_same = watched->next_same;
    watched->next_same = k;
    if (guard->def.watched == BRINK_WATCHED_ALWAYS) watched->def.watched = BRINK_WATCHED_ALWAYS;
  }
}

/* A guard is unread if all on its surface are, as they have one sign; and if that says nothing about what else is watched. */
static void note_unread(brink_model *model) {
  size_t count = model->def.nguards;
  for (size_t k = 0; k < count; k++) {
    const brink_guard *guard = &model->guards[k];
    bool read = !guard->def.unread || model->nests || model->def.nz > 0;
    if (read) model->guards[guard->watched_as].def.unread = false;
  }
  for (size_t k = 0; k < count; k++) {
    brink_guard *guard = &model->guards[k];
    guard->def.unread = model->guards[guard->watched_as].def.unread;
  }
}

/* What is asked for at an instant, in lists. */
static bool list_conditions(brink_model *model) {
  size_t count = model->def.nguards;
  join_surfaces(model);
  model->conditions = brink_arena_take(&model->arena, count, sizeof *model->conditions);
  model->asked = brink_arena_take(&model->arena, count, sizeof *model->asked);
  if (model->conditions == NULL || model->asked == NULL) return false;
  for (size_t k = 0; k < count; k++) {
    const brink_guard_def *def = &model->guards[k].def;
    if (model->guards[k].watched_as != k) continue;
    if (def->condition && def->side != BRINK_LEAF) model->conditions[model->nconditions++] = k;
    if (model->def.enabled == NULL || def->watched == BRINK_WATCHED_ALWAYS) continue;
    model->asked[model->nasked++] = k;
    model->nests = model->nests || def->watched == BRINK_WATCHED_ASKED;
  }
  note_unread(model);
  return true;
}

static bool list_timers(brink_model *model) {
  for (size_t k = 0; k < model->def.nguards; k++) model->ntimers += model->guards[k].def.is_timer;
  model->timers = brink_arena_take(&model->arena, model->ntimers, sizeof *model->timers);
  model->timer_slots = brink_arena_take(&model->arena, model->ntimers, sizeof *model->timer_slots);
  model->is_time = brink_arena_take(&model->arena, model->def.np, sizeof *model->is_time);
  if (model->timers == NULL || model->timer_slots == NULL || model->is_time == NULL) return false;
  for (size_t k = 0, n = 0; k < model->def.nguards; k++) {
    if (!model->guards[k].def.is_timer) continue;
    model->timer_slots[n] = model->guards[k].def.timer;
    model->timers[n++] = k;
    model->is_time[model->guards[k].def.timer] = true;
  }
  return true;
}

static bool copy_clocks(brink_model *model) {
  brink_model_def *def = &model->def;
  brink_clock_def *clocks =
      brink_arena_copy(&model->arena, def->clocks, def->nclocks, sizeof *clocks);
  if (clocks == NULL) return false;
  for (size_t k = 0; k < def->nclocks; k++) {
    clocks[k].name = brink_arena_text(&model->arena, clocks[k].name);
    if (clocks[k].name == NULL) return false;
  }
  def->clocks = clocks;
  return true;
}

static bool copy_pattern(brink_model *model) {
  brink_model_def *def = &model->def;
  if (def->jacobian == NULL || def->jacobian_pattern.starts == NULL) return true;
  size_t count = def->jacobian_pattern.starts[def->nx];
  def->jacobian_pattern.starts =
      brink_arena_copy(&model->arena, def->jacobian_pattern.starts, def->nx + 1, sizeof(size_t));
  def->jacobian_pattern.rows =
      brink_arena_copy(&model->arena, def->jacobian_pattern.rows, count, sizeof(size_t));
  return def->jacobian_pattern.starts != NULL && def->jacobian_pattern.rows != NULL;
}

/* Bounds of unknowns; NULL: `none` for each. */
static const double *copy_bounds(brink_arena *arena, const double *given, size_t count,
                                 double none) {
  double *bounds = brink_arena_take(arena, count, sizeof *bounds);
  for (size_t k = 0; bounds != NULL && k < count; k++) bounds[k] = given != NULL ? given[k] : none;
  return bounds;
}

/* Room for whatever a structure may need, where the definition does not say less: all states are tied, every row reads
 * everything, all unknowns are solved for together. */
static void fill_room(brink_constraints_def *constraints, size_t nx, size_t nz) {
  if (constraints->most_entries == 0) {
    if (constraints->most_invariants == 0) constraints->most_invariants = nx - nz;
    constraints->most_entries = (nz + constraints->most_invariants) * (nx + 1);
  }
  if (constraints->most_factors == 0) constraints->most_factors = nz * nz;
}

static bool copy_constraints(brink_model *model) {
  brink_model_def *def = &model->def;
  brink_arena *arena = &model->arena;
  if (def->nz == 0) return true;
  brink_constraints_def *copy = brink_arena_copy(arena, def->constraints, 1, sizeof *copy);
  if (copy == NULL) return false;
  if (copy->start != NULL) copy->start = brink_arena_copy(arena, copy->start, def->nx, 1);
  if (copy->lo != NULL || copy->hi != NULL) {
    copy->lo = copy_bounds(arena, copy->lo, def->nz, -(double)INFINITY);
    copy->hi = copy_bounds(arena, copy->hi, def->nz, (double)INFINITY);
  }
  fill_room(copy, def->nx, def->nz);
  def->constraints = copy;
  return !arena->failed;
}

static bool copy_arrays(brink_model *model) {
  brink_model_def *def = &model->def;
  brink_arena *arena = &model->arena;
  int *modes = brink_arena_copy(arena, def->mode0, def->nmodes, sizeof(int));
  def->x0 = brink_arena_copy(arena, def->x0, def->nx, sizeof(double));
  if (def->flow_degrees != NULL)
    def->flow_degrees = brink_arena_copy(arena, def->flow_degrees, def->nx, sizeof(int));
  def->p0 = brink_arena_copy(arena, def->p0, def->np, sizeof(double));
  def->mode0 = modes;
  model->guards = brink_arena_take(arena, def->nguards, sizeof *model->guards);
  if (modes == NULL || def->x0 == NULL || def->p0 == NULL || model->guards == NULL ||
      !list_states(model))
    return false;
  for (size_t k = 0; k < def->nguards; k++) {
    if (!copy_guard(model, k)) return false;
  }
  return copy_names(model) && copy_clocks(model) && copy_pattern(model) && copy_reads(model) &&
         copy_constraints(model);
}

static brink_status check_pattern(const brink_model_def *def, brink_diag *diag) {
  if (def->jacobian == NULL) return BRINK_OK;
  const brink_sparsity *pattern = &def->jacobian_pattern;
  if (pattern->starts == NULL || pattern->rows == NULL)
    return brink_diag_refuse(diag, BRINK_REASON_DEFINITION,
                             "jacobian is given without its pattern: set jacobian_pattern");
  bool ordered = pattern->starts[0] == 0;
  for (size_t j = 0; j < def->nx; j++)
    ordered = ordered && pattern->starts[j] <= pattern->starts[j + 1];
  if (!ordered)
    return brink_diag_refuse(diag, BRINK_REASON_DEFINITION,
                             "jacobian_pattern.starts must begin with 0 and not decrease");
  for (size_t k = 0; k < pattern->starts[def->nx]; k++) {
    if (pattern->rows[k] >= def->nx)
      return brink_diag_refuse(diag, BRINK_REASON_DEFINITION,
                               "jacobian_pattern: row %zu in rows[%zu], but there are %zu states",
                               pattern->rows[k], k, def->nx);
  }
  return BRINK_OK;
}

static brink_status check_definition(const brink_model_def *def, brink_diag *diag) {
  brink_status status = check_sizes(def, diag);
  for (size_t k = 0; status == BRINK_OK && k < def->nguards; k++) {
    status = check_guard(def, k, diag);
    if (status != BRINK_OK && diag != NULL) diag->guard = k;
  }
  if (status == BRINK_OK) status = check_parameters(def, diag);
  for (size_t k = 0; status == BRINK_OK && k < def->nguards; k++) {
    status = check_leave(def, k, diag);
    if (status == BRINK_OK) status = check_same(def, k, diag);
    if (status != BRINK_OK && diag != NULL) diag->guard = k;
  }
  for (size_t k = 0; status == BRINK_OK && k < def->nclocks; k++)
    status = check_clock(&def->clocks[k], k, def->t0, diag);
  return status == BRINK_OK ? check_pattern(def, diag) : status;
}

brink_status brink_model_create(const brink_model_def *given, const brink_allocator *allocator,
                                brink_diag *diag, brink_model **model) {
  brink_diag_clear(diag);
  if (model != NULL) *model = NULL;
  if (model == NULL || given == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "def and model must not be NULL");
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_model_def full;
  const brink_model_def *def = &full;
  brink_status status = brink_model_def_read(given, &arena, &full, diag);
  if (status == BRINK_OK) status = check_definition(def, diag);
  brink_model *made = status == BRINK_OK ? brink_arena_take(&arena, 1, sizeof *made) : NULL;
  if (made == NULL) {
    brink_arena_free(&arena);
    return status != BRINK_OK ? status : brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  }
  made->arena = arena;
  made->def = *def;
  if (!copy_arrays(made))
    status = brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for model '%s'",
                            def->name != NULL ? def->name : "model");
  if (status == BRINK_OK) status = claim_leave_guards(made, diag);
  for (size_t k = 0; status == BRINK_OK && k < def->nguards; k++) {
    if (made->guards[k].def.formula == NULL) continue;
    status = read_formula(made, &made->guards[k], diag);
    if (status != BRINK_OK && diag != NULL) diag->guard = k;
  }
  if (status == BRINK_OK && (!list_sign_readers(made) || !list_conditions(made) ||
                             !list_timers(made) || !note_traits(made)))
    status = brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for model '%s'", made->def.name);
  if (status != BRINK_OK) {
    brink_model_destroy(made);
    return status;
  }
  *model = made;
  return BRINK_OK;
}

/* ---- other values ---- */

/* Finite states and parameters, and timers that are not past: what brink_model_create would insist on. */
static bool may_start(const brink_model *model, const double *x0, const double *p0) {
  const brink_model_def *def = &model->def;
  for (size_t i = 0; i < def->nx; i++) {
    if (!isfinite(x0[i])) return false;
  }
  for (size_t i = 0; i < def->np; i++) {
    if (!isfinite(p0[i]) && !model->is_time[i]) return false;
  }
  for (size_t k = 0; k < model->ntimers; k++) {
    if (!(p0[model->guards[model->timers[k]].def.timer] >= def->t0)) return false;
  }
  return true;
}

static void write_over(const void *kept, const void *from, size_t count, size_t size) {
  if (count > 0) memcpy((void *)(uintptr_t)kept, from, count * size);
}

bool brink_model_renew(brink_model *model, const double *x0, const double *p0, const int *mode0,
                       const brink_guard_def *guards) {
  const brink_model_def *def = &model->def;
  if (!may_start(model, x0, p0)) return false;
  write_over(def->x0, x0, def->nx, sizeof *x0);
  write_over(def->p0, p0, def->np, sizeof *p0);
  write_over(def->mode0, mode0, def->nmodes, sizeof *mode0);
  for (size_t k = 0; k < def->nguards; k++) {
    brink_guard_def *own = &model->guards[k].def;
    const brink_guard_def *other = &guards[k];
    if (own->coefficients != NULL)
      write_over(own->coefficients, other->coefficients, own->ndepends, sizeof(double));
    if (own->lipschitz != NULL)
      write_over(own->lipschitz, other->lipschitz, own->ndepends, sizeof(double));
    own->offset = other->offset;
    own->time_coefficient = other->time_coefficient;
    own->lipschitz_time = other->lipschitz_time;
  }
  return true;
}

const brink_model *brink_model_for(const brink_model *like, void *user, brink_arena *arena) {
  brink_model *model = brink_arena_copy(arena, like, 1, sizeof *like);
  if (model == NULL) return NULL;
  model->arena = (brink_arena){0}; /* that of `like` */
  model->def.user = user;
  return model;
}

void brink_model_destroy(brink_model *model) {
  if (model == NULL) return;
  brink_arena arena = model->arena; /* the model itself lives in it */
  brink_arena_free(&arena);
}
