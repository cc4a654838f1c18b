/* quadratic.c: guards of pairs that are quadratic polynomials in time, in closed form.
 *
 * The problem  Two agents on straight lines, or on parabolas with a linear guard, need no search: the guard along both plans is
 *              c0 + c1 s + c2 s^2, and its first root has a closed form.
 * The method   Polynomials of low degree come from the guard's own series (jet), so that what it measures need not be
 *              known. With its tolerance, and the rounding of all that is computed, in `far`, three cases are clear: the
 *              guard stays farther than that from zero; it goes through zero, to that distance on the other side; it
 *              has just fired, and leaves its surface up to that distance.
 * Why it is    All other cases (touches, rests, jumps, a root at the end of the path, signs that are not known)
 * safe         are left to the search (narrow_phase.c), which has to give the same answer in the clear ones: signs, kinds of events and
 *              records of contacts are the same, and times up to rounding. */
#include <float.h>
#include <math.h>

#include "agents/parts.h"

#define DEGREE 2        /* of guards along the plans */
#define FAR 4.0         /* tolerances of the guard */
#define AT_SURFACE 64.0 /* units of rounding in the states within which a guard is on its surface */
#define STEPS 60        /* back from a root, doubled each time: as in interpolate.c */

bool brink_quadratic_init(brink_pair_guards *pg, brink_arena *arena) {
  const brink_model *model = pg->eval.model;
  size_t nx = model->def.nx;
  pg->series = brink_arena_take(arena, nx * (DEGREE + 1), sizeof *pg->series);
  pg->series_rows = brink_arena_take(arena, nx, sizeof *pg->series_rows);
  pg->gradient = brink_arena_take(arena, model->max_depends, sizeof *pg->gradient);
  if (arena->failed) return false;
  for (size_t i = 0; i < nx; i++) pg->series_rows[i] = pg->series + i * (DEGREE + 1);
  pg->quadratic = model->def.enabled == NULL && pg->eval.solver == NULL;
  for (size_t k = 0; k < pg->def.nguards; k++) {
    const brink_guard *guard = &model->guards[pg->def.guards[k]];
    int degree = guard->linear ? 1 : guard->def.jet != NULL ? guard->def.degree : 0;
    if (guard->formula != NULL || degree < 1 || degree > DEGREE || guard->def.reads_signs ||
        guard->def.side == BRINK_CROSSING)
      pg->quadratic = false;
    else if (degree > pg->guard_degree)
      pg->guard_degree = degree;
  }
  pg->straight = !pg->quadratic && brink_straight_suits(pg);
  return true;
}

/* ---- one guard along both plans ---- */

/* A guard in seconds from the start, with the sign that it begins with, and what it has to be off zero to be clear. */
typedef struct approach {
  double c[DEGREE + 1], far, tolerance, band;
  double rate; /* by time itself */
} approach;

/* The series of the states of one side. */
static void expand_side(brink_pair_guards *pg, int side, const brink_plan *plan, double from) {
  double rate = 1.0 / plan->unit, s = (from - plan->origin) / plan->unit;
  for (size_t j = 0; j < pg->nneeded[side]; j++) {
    size_t i = pg->needed[side][j];
    const double *c = plan->c + i * plan->length;
    double *row = pg->series_rows[pg->def.x[side][i]];
    double b = plan->degree > 0 ? c[1] : 0.0, a = plan->degree > 1 ? c[2] : 0.0;
    row[0] = c[0] + (a * s + b) * s;
    row[1] = (2.0 * a * s + b) * rate;
    row[2] = a * rate * rate;
  }
}

void brink_quadratic_expand(brink_pair_guards *pg, const brink_pair_query *q) {
  for (int side = 0; side < 2; side++) {
    brink_plan plan = brink_packed_plan(&pg->population[side]->packing, q->now[side]);
    expand_side(pg, side, &plan, q->from);
    brink_pair_gather_held(pg, side, q->now[side]);
  }
}

/* False: guards along these plans are no polynomials of low degree. */
static bool expand(brink_pair_guards *pg, const brink_pair_query *q) {
  if (!pg->quadratic) return false;
  for (int side = 0; side < 2; side++) {
    int degree = brink_packed_plan(&pg->population[side]->packing, q->now[side]).degree;
    if (degree * pg->guard_degree > DEGREE) return false;
  }
  brink_quadratic_expand(pg, q);
  return true;
}

void brink_quadratic_states(brink_pair_guards *pg, size_t guard, double s) {
  const brink_guard_def *def = &pg->eval.model->guards[guard].def;
  for (size_t k = 0; k < def->ndepends; k++) {
    const double *row = pg->series_rows[def->depends[k]];
    pg->x1[def->depends[k]] = row[0] + (row[2] * s + row[1]) * s;
  }
}

/* Tolerance and rounding on the whole path: by the sizes of the states there, and the larger of the gradients at both
 * ends, between which they are linear in time. False: the model does not say. */
static bool bound(brink_pair_guards *pg, size_t guard, double from, double h, approach *y) {
  const brink_guard_def *def = &pg->eval.model->guards[guard].def;
  const double rtol = pg->detector.options->rtol, end = fabs(from + h), *other = pg->eval.gradient;
  double tolerance = 0.0, rate, *gradient = pg->gradient, other_rate = 0.0;
  brink_quadratic_states(pg, guard, 0.0);
  if (brink_eval_gradient(&pg->eval, guard, from, pg->x1, gradient, &rate) != BRINK_TRY_OK)
    return false;
  y->rate = rate;
  if (h > 0.0 && !pg->eval.model->guards[guard].linear) {
    brink_quadratic_states(pg, guard, h);
    if (brink_eval_gradient(&pg->eval, guard, from + h, pg->x1, pg->eval.gradient, &other_rate) !=
        BRINK_TRY_OK)
      return false;
  } else {
    other = gradient;
  }
  double band = (fabs(rate) + fabs(other_rate)) * end;
  for (size_t k = 0; k < def->ndepends; k++) {
    const double *row = pg->series_rows[def->depends[k]];
    double a = fabs(gradient[k]), b = fabs(other[k]), slope = a > b ? a : b;
    double bends = fabs(row[2]) * h, speed = fabs(row[1]) + bends, size = fabs(row[0]) + speed * h;
    tolerance += slope * (rtol * size + pg->atol[def->depends[k]]);
    band += slope * (size + (speed + bends) * end);
  }
  y->tolerance = tolerance;
  y->band = AT_SURFACE * DBL_EPSILON * band;
  y->far = FAR * (y->tolerance + y->band);
  return true;
}

/* The coefficients of a linear guard, whose gradient is known. */
static void compose_linear(brink_pair_guards *pg, size_t guard, double from, approach *y) {
  const brink_guard_def *def = &pg->eval.model->guards[guard].def;
  brink_quadratic_states(pg, guard, 0.0);
  y->c[0] = brink_eval_guard(&pg->eval, guard, from, pg->x1);
  y->c[1] = y->rate;
  y->c[2] = 0.0;
  for (size_t k = 0; k < def->ndepends; k++) {
    const double *row = pg->series_rows[def->depends[k]];
    y->c[1] += pg->gradient[k] * row[1];
    y->c[2] += pg->gradient[k] * row[2];
  }
}

static bool compose(brink_pair_guards *pg, size_t guard, double from, approach *y) {
  const brink_guard *made = &pg->eval.model->guards[guard];
  double time[DEGREE + 1] = {from, 1.0};
  if (made->linear) {
    compose_linear(pg, guard, from, y);
    return true;
  }
  pg->eval.stats.guards++;
  return made->def.jet(guard, DEGREE, time, (const double *const *)pg->series_rows, &pg->eval.env,
                       y->c) == 0;
}

/* Along the path of length h. False: the model does not say. */
static bool follow(brink_pair_guards *pg, size_t guard, const brink_pair_query *q, double h,
                   approach *y) {
  if (!bound(pg, guard, q->from, h, y) || !compose(pg, guard, q->from, y)) return false;
  return 0.0 * (y->far + y->c[0] + y->c[1] + y->c[2]) == 0.0; /* all are finite */
}

static double value_at(const approach *y, double s) {
  return y->c[0] + (y->c[2] * s + y->c[1]) * s;
}

/* The smallest value of sign*y on [0, h]. */
static double least_of(const approach *y, int sign, double h) {
  double a = sign * y->c[2], b = sign * y->c[1],
         least = fmin(sign * y->c[0], sign * value_at(y, h));
  if (a > 0.0 && b < 0.0 && -b < 2.0 * a * h) least = sign * y->c[0] - 0.25 * b * b / a;
  return least;
}

/* ---- what is found ---- */

typedef enum finding { UNCLEAR, NOTHING, CROSSES, LEAVES } finding;

bool brink_quadratic_same_states(const brink_pair_guards *pg, const brink_pair_query *q) {
  for (int side = 0; side < 2; side++) {
    if (q->previous[side] == q->now[side]) continue;
    brink_plan before = brink_packed_plan(&pg->population[side]->packing, q->previous[side]);
    for (size_t j = 0; j < pg->nneeded[side]; j++) {
      size_t i = pg->needed[side][j];
      if (brink_plan_at(&before, i, q->from) != pg->series_rows[pg->def.x[side][i]][0])
        return false;
    }
  }
  return true;
}

/* It has just fired, its sign is recorded, and it moves away from its surface all the time. */
static bool leaves(const brink_pair_guards *pg, const brink_pair_query *q, const approach *y,
                   double h, const brink_contact *contact) {
  int sign = contact->sign;
  double slope = sign * y->c[1], bend = fmin(2.0 * sign * y->c[2] * h, 0.0);
  return contact->origin[0] == q->from && contact->origin[1] == q->from && contact->due == 0 &&
         sign != 0 && fabs(y->c[0]) <= 0.5 * y->tolerance && slope + bend > 0.5 * slope &&
         slope * h > y->far && sign * value_at(y, h) > y->far && brink_quadratic_same_states(pg, q);
}

static finding examine(const brink_pair_guards *pg, const brink_pair_query *q, const approach *y,
                       double h, const brink_contact *contact) {
  if (contact != NULL && contact->at == q->from)
    return leaves(pg, q, y, h, contact) ? LEAVES : UNCLEAR;
  int sign = y->c[0] > 0.0 ? 1 : -1;
  if (!(fabs(y->c[0]) > y->far)) return UNCLEAR;
  double least = least_of(y, sign, h);
  if (least > y->far) return NOTHING;
  return least < -y->far ? CROSSES : UNCLEAR;
}

/* The first root, in seconds from the start: c[0] and what it becomes have different signs. */
static double first_root(const approach *y, int sign) {
  double a = sign * y->c[2], b = sign * y->c[1], c = sign * y->c[0];
  double root = sqrt(fmax(b * b - 4.0 * a * c, 0.0));
  return b < 0.0 ? 2.0 * c / (root - b) : (b + root) / (-2.0 * a);
}

/* A unilateral guard is on its own side at its event, by its own value. */
static double step_inside(brink_pair_guards *pg, size_t guard, double from, double s, int sign) {
  double step = 2.0 * DBL_EPSILON * s;
  for (int k = 0; k < STEPS && s > 0.0; k++, step *= 2.0) {
    brink_quadratic_states(pg, guard, s);
    if (sign * brink_eval_guard(&pg->eval, guard, from + s, pg->x1) >= 0.0) break;
    s = fmax(s - step, 0.0);
  }
  return s;
}

void brink_quadratic_end_contact(brink_pair_guards *pg, const brink_pair_query *q,
                                 const brink_contact *contact) {
  if (contact == NULL || !contact->touching || contact->leaves_at == q->to) return;
  brink_contact *made = &pg->updates[pg->nupdates++];
  *made = *contact;
  made->leaves_at = q->to;
  made->removed = contact->at < q->from && q->from >= contact->leaves_at;
}

/* False: the direction is not wanted, or the two are past the end. */
static bool fire(brink_pair_guards *pg, const brink_pair_query *q, size_t guard, const approach *y,
                 brink_pair_root *root) {
  const brink_guard_def *def = &pg->eval.model->guards[guard].def;
  int sign = y->c[0] > 0.0 ? 1 : -1;
  brink_direction direction = brink_leaving(sign);
  double s = first_root(y, sign);
  if (root->found || !brink_detector_wants(&pg->detector, guard, direction) ||
      !(s > 0.0 && s < q->to - q->from))
    return false;
  if (def->side == BRINK_UNILATERAL) s = step_inside(pg, guard, q->from, s, sign);
  *root = (brink_pair_root){.found = true,
                            .t = fmin(q->from + s, q->to),
                            .guard = guard,
                            .direction = direction,
                            .kind = BRINK_CROSSED};
  return root->t > q->from;
}

bool brink_quadratic_search(brink_pair_guards *pg, const brink_pair_query *q,
                            brink_pair_root *root) {
  double h = q->to - q->from;
  *root = (brink_pair_root){.t = q->to};
  if (!(h > 0.0) || q->displaced || q->record_all || !expand(pg, q)) return false;
  /* Without `reach` nobody has seen whether an action moved it. */
  if (q->jumped && !brink_quadratic_same_states(pg, q)) return false;
  for (size_t k = 0; k < pg->def.nguards; k++) {
    size_t guard = pg->def.guards[k];
    const brink_contact *contact =
        brink_contacts_find(&q->agents->contacts, q->block, guard, q->pair);
    approach y;
    finding found = follow(pg, guard, q, h, &y) ? examine(pg, q, &y, h, contact) : UNCLEAR;
    bool clear = found == CROSSES ? fire(pg, q, guard, &y, root) : found != UNCLEAR;
    if (!clear) {
      pg->nupdates = 0;
      return false;
    }
    if (found != CROSSES) brink_quadratic_end_contact(pg, q, contact);
  }
  if (root->found && pg->nupdates > 0) { /* contacts that end after the event */
    pg->nupdates = 0;
    return false;
  }
  return true;
}

/* ---- after an event ---- */

bool brink_quadratic_settle(brink_pair_guards *pg, const brink_pair_query *q,
                            const brink_pair_root *root, double value,
                            brink_pair_settled *settled) {
  const brink_guard_def *def = &pg->eval.model->guards[root->guard].def;
  approach y;
  if (root->kind != BRINK_CROSSED || !expand(pg, q) || !follow(pg, root->guard, q, 0.0, &y) ||
      !brink_quadratic_same_states(pg, q) ||
      !(fabs(y.c[0] - value) <= y.band && fabs(y.c[0]) <= 0.5 * y.tolerance))
    return false;
  /* After this time it is off its surface by more than rounding, if its slope lasts so long. */
  double soon = 4.0 * y.band / fabs(y.c[1]);
  int sign = y.c[1] > 0.0 ? 1 : -1;
  if (!(soon < (q->to - q->from) / 32.0) || fabs(y.c[2]) * soon > 0.25 * fabs(y.c[1]) ||
      (def->side == BRINK_UNILATERAL && sign == (int)root->direction))
    return false;
  *settled = (brink_pair_settled){.sign = sign, .touching = true};
  return true;
}
