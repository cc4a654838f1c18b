/* pair_signs.c: the sign of a guard of a pair.
 *
 * Away from the surface the sign is that of the value. On the surface, within rounding, the value has no meaning: the
 * sign is the recorded one (contacts.c), or else the one that the guard had shortly before, on the plans that led both
 * partners there. After an event, the sign is that of the first motion away from the surface (docs/hsml.md). */
#include <float.h>
#include <math.h>

#include "agents/parts.h"

#define AT_SURFACE 64.0 /* units of rounding in the states within which a guard is on its surface */
#define A_MOMENT 16.0   /* units of rounding in time: the first sample before the instant, … */
#define LONGER 8.0      /* … and the factor to the next one */
#define SAME_RATE                                                                                  \
  1e-6 /* relative difference of rates that count as equal, by the errors of plans of any method */

int brink_pair_inside(const brink_pair_guards *pg, size_t guard) {
  return brink_sign_inside(&pg->eval.model->guards[guard].def);
}

double brink_pair_band(brink_pair_guards *pg, size_t guard) {
  return brink_eval_tolerance(&pg->eval, guard, pg->path.t0, pg->x0, AT_SURFACE * DBL_EPSILON,
                              pg->time_rounding);
}

bool brink_contact_valid(const brink_contact *contact, const brink_pair_query *q) {
  if (contact->at != q->from) return false;
  for (int side = 0; side < 2; side++) {
    if (contact->origin[side] != q->from &&
        contact->origin[side] != brink_packed_time(q->previous[side]))
      return false;
  }
  return true;
}

bool brink_contact_touching(const brink_contact *contact, double from) {
  return contact->touching && from < contact->leaves_at;
}

brink_contact brink_contact_due(const brink_contact *contact, const brink_pair_query *q, double t,
                                brink_direction direction, brink_event_kind kind) {
  brink_contact due = *contact;
  due.at = t;
  for (int side = 0; side < 2; side++)
    due.origin[side] = t > q->from ? brink_packed_time(q->now[side]) : t;
  due.sign = (int8_t) - (int)direction;
  due.due = (int8_t)direction;
  due.kind = (uint8_t)kind;
  return due;
}

/* ---- before an instant ---- */

/* The sign shortly before the instant, on the previous plans. */
static int sign_of_previous(brink_pair_guards *pg, const brink_pair_query *q, size_t guard,
                            double band, const brink_contact *contact) {
  double since = fmax(brink_packed_time(q->previous[0]), brink_packed_time(q->previous[1]));
  if (contact != NULL && contact->at < q->from) since = fmax(since, contact->at);
  double ago = A_MOMENT * DBL_EPSILON * fmax(fabs(q->from), DBL_MIN);
  for (; ago <= q->from - since; ago *= LONGER) {
    double value = brink_pair_value(pg, q, guard, q->previous, q->from - ago);
    int sign = brink_sign_of(value, band);
    if (sign != 0) return sign;
  }
  return 0;
}

/* Have the two been on the same plans since the contact was recorded? */
static bool is_followed(const brink_contact *contact, const brink_pair_query *q) {
  return contact->at <= q->from && brink_packed_time(q->previous[0]) <= contact->at &&
         brink_packed_time(q->previous[1]) <= contact->at;
}

int brink_pair_sign_before(brink_pair_guards *pg, const brink_pair_query *q, size_t guard,
                           double value, double band, const brink_contact *contact) {
  if (contact != NULL && brink_contact_valid(contact, q)) return contact->sign;
  bool in_contact =
      contact != NULL && brink_contact_touching(contact, q->from) &&
      fabs(value) <= fmax(band, brink_detector_tolerance(&pg->detector, guard, q->from, pg->x0));
  if (in_contact && contact->sign != 0) return contact->sign;
  int sign = brink_sign_of(value, band);
  if (sign != 0 || q->first_instant) return sign;
  sign = sign_of_previous(pg, q, guard, band, contact);
  if (sign != 0 || contact == NULL || !is_followed(contact, q)) return sign;
  return contact->sign; /* rounding hides all that has happened since */
}

/* ---- after an instant ---- */

int brink_pair_sign_after(brink_pair_guards *pg, size_t guard, double band) {
  double g = brink_eval_guard(&pg->eval, guard, pg->path.t0, pg->x0);
  for (double sigma = 0x1p-40; sigma <= 0.25; sigma *= 16.0) {
    double moved = brink_along_value(&pg->detector.space, guard, &pg->path, sigma) - g;
    int sign = brink_sign_of(moved, band);
    if (sign != 0) return sign;
  }
  return 0;
}

static double slope_of(const brink_plan *plan, size_t state, double t) {
  const double *c = plan->c + state * plan->length;
  double s = (t - plan->origin) / plan->unit, slope = 0.0;
  for (int k = plan->degree; k > 0; k--) slope = slope * s + k * c[k];
  return slope / plan->unit;
}

/* The rates of the states that guards read, along the plans at t. */
static void rates_of(brink_pair_guards *pg, const void *const packed[2], double t, double *f) {
  for (size_t i = 0; i < pg->eval.nx; i++) f[i] = 0.0;
  for (int side = 0; side < 2; side++) {
    brink_plan plan = brink_packed_plan(&pg->population[side]->packing, packed[side]);
    for (size_t j = 0; j < pg->nneeded[side]; j++) {
      size_t i = pg->needed[side][j];
      f[pg->def.x[side][i]] = slope_of(&plan, i, t);
    }
  }
}

/* Does the rate of any state differ from before the action? Then the action has changed the motion. */
static bool moves_otherwise(const brink_pair_guards *pg, const brink_pair_query *q) {
  for (int side = 0; side < 2; side++) {
    const brink_packing *packing = &pg->population[side]->packing;
    brink_plan previous = brink_packed_plan(packing, q->previous[side]);
    brink_plan now = brink_packed_plan(packing, q->now[side]);
    for (size_t i = 0; i < packing->nx; i++) {
      double before = slope_of(&previous, i, q->from), after = slope_of(&now, i, q->from);
      if (fabs(after - before) > SAME_RATE * fmax(fabs(before), fabs(after))) return true;
    }
  }
  return false;
}

/* The rate of the guard along these plans; *size: the sum of the sizes of its terms. */
static double rate_of(brink_pair_guards *pg, const brink_pair_query *q, size_t guard,
                      const void *const packed[2], double *size) {
  double *f = pg->before_x;
  rates_of(pg, packed, q->from, f);
  double rate = brink_eval_rate(&pg->eval, guard, q->from, pg->x0, f);
  for (size_t i = 0; i < pg->eval.nx; i++) f[i] = fabs(f[i]);
  *size = brink_eval_tolerance(&pg->eval, guard, q->from, pg->x0, 0.0, f);
  return rate;
}

bool brink_pair_guard_moves(brink_pair_guards *pg, const brink_pair_query *q, size_t guard) {
  double size, rate = rate_of(pg, q, guard, q->now, &size);
  return fabs(rate) > SAME_RATE * size;
}

/* Does the guard return to this side before it is past its surface by more than the tolerance? */
static bool comes_back(brink_pair_guards *pg, size_t guard, int side, double tolerance) {
  for (double sigma = 0x1p-40; sigma <= 1.0; sigma *= 1.25) {
    double y = side * brink_along_value(&pg->detector.space, guard, &pg->path, sigma);
    if (!(y >= -tolerance)) return false;
    if (y > tolerance) return true;
  }
  return false;
}

/* The guard is on its surface and its motion leads past it: has the action left the motion unchanged, or stopped it on
 * the surface, with an acceleration that leads past it? */
static bool is_blocked(brink_pair_guards *pg, const brink_pair_query *q, size_t guard, bool acted) {
  double size, rate = rate_of(pg, q, guard, q->now, &size);
  bool stopped = fabs(rate) <= AT_SURFACE * DBL_EPSILON * size;
  return stopped || (!acted && !moves_otherwise(pg, q));
}

brink_pair_settled brink_pair_settle(brink_pair_guards *pg, const brink_pair_query *q,
                                     const brink_pair_root *root, double value, bool acted) {
  size_t guard = root->guard;
  int direction = (int)root->direction;
  bool unilateral = pg->eval.model->guards[guard].def.side == BRINK_UNILATERAL;
  brink_pair_settled closed;
  if (brink_quadratic_settle(pg, q, root, value, &closed)) return closed;
  brink_pair_build_path(pg, q);
  double g = brink_eval_guard(&pg->eval, guard, q->from, pg->x0), band = brink_pair_band(pg, guard);
  double tolerance = brink_detector_tolerance(&pg->detector, guard, q->from, pg->x0);
  brink_pair_settled settled = {.touching = fabs(g) <= fmax(tolerance, band)};
  settled.sign = brink_sign_moved(g, value, band, root->kind);
  if (settled.sign != 0) return settled;
  int motion = brink_pair_sign_after(pg, guard, band);
  settled.sign = motion;
  if (motion == 0 && unilateral) settled.sign = -direction;
  if (!unilateral || motion != direction) return settled;
  bool turns = root->kind == BRINK_TOUCHED || comes_back(pg, guard, -direction, tolerance);
  if (turns && !acted) { /* it has touched its surface, and may still waver */
    settled.sign = -direction;
    settled.slack = tolerance;
    return settled;
  }
  settled.blocked = is_blocked(pg, q, guard, acted);
  return settled;
}
