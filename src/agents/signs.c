/* signs.c: on which side of its surface a guard of a pair is.
 *
 * Away from the surface the value tells, as nothing has been missed. On it, within rounding, the value tells nothing:
 * the side is the one that is remembered (contacts.c), or else the one that the guard was on a moment ago, on the
 * plans that led both partners there. After it has fired, its sign is that of its first motion (docs/hsml.md). */
#include <float.h>
#include <math.h>

#include "agents/parts.h"

#define AT_SURFACE 64.0 /* units of rounding in the states within which a guard is on its surface */
#define A_MOMENT 16.0   /* units of rounding in time: the first look back, … */
#define LONGER 8.0      /* … and how much further the next one is */
#define SAME_RATE 1e-6  /* of itself: a rate that is still the same, by plans of any method */

int brink_meeting_inside(const brink_meeting *m, size_t guard) {
  const brink_guard_def *def = &m->eval.model->guards[guard].def;
  if (def->inside != 0) return def->inside;
  return def->side == BRINK_UNILATERAL ? -(int)def->direction : 0;
}

double brink_meeting_band(brink_meeting *m, size_t guard) {
  return brink_eval_tolerance(&m->eval, guard, m->path.t0, m->x0, AT_SURFACE * DBL_EPSILON,
                              m->moves);
}

bool brink_contact_holds(const brink_contact *contact, const brink_encounter *e) {
  if (contact->at != e->from) return false;
  for (int side = 0; side < 2; side++) {
    if (contact->origin[side] != e->from &&
        contact->origin[side] != brink_packed_time(e->past[side]))
      return false;
  }
  return true;
}

bool brink_contact_near(const brink_contact *contact, double from) {
  return contact->near && from < contact->parted;
}

brink_contact brink_contact_due(const brink_contact *contact, const brink_encounter *e, double t,
                                brink_direction direction, brink_event_kind kind) {
  brink_contact due = *contact;
  due.at = t;
  for (int side = 0; side < 2; side++)
    due.origin[side] = t > e->from ? brink_packed_time(e->now[side]) : t;
  due.sign = (int8_t) - (int)direction;
  due.due = (int8_t)direction;
  due.kind = (uint8_t)kind;
  return due;
}

/* ---- before ---- */

/* A moment ago. */
static int sign_of_past(brink_meeting *m, const brink_encounter *e, size_t guard, double band,
                        const brink_contact *contact) {
  double since = fmax(brink_packed_time(e->past[0]), brink_packed_time(e->past[1]));
  if (contact != NULL && contact->at < e->from) since = fmax(since, contact->at);
  double ago = A_MOMENT * DBL_EPSILON * fmax(fabs(e->from), DBL_MIN);
  for (; ago <= e->from - since; ago *= LONGER) {
    double value = brink_meeting_value(m, e, guard, e->past, e->from - ago);
    if (fabs(value) > band) return value > 0.0 ? 1 : -1;
  }
  return 0;
}

/* Have the two been on the same plans since, and no event was found? */
static bool is_followed(const brink_contact *contact, const brink_encounter *e) {
  return contact->at <= e->from && brink_packed_time(e->past[0]) <= contact->at &&
         brink_packed_time(e->past[1]) <= contact->at;
}

int brink_meeting_sign_before(brink_meeting *m, const brink_encounter *e, size_t guard,
                              double value, double band, const brink_contact *contact) {
  if (contact != NULL && brink_contact_holds(contact, e)) return contact->sign;
  bool together =
      contact != NULL && brink_contact_near(contact, e->from) &&
      fabs(value) <= fmax(band, brink_detector_tolerance(&m->detector, guard, e->from, m->x0));
  if (together && contact->sign != 0) return contact->sign;
  if (fabs(value) > band) return value > 0.0 ? 1 : -1;
  if (e->begins) return 0;
  int sign = sign_of_past(m, e, guard, band, contact);
  if (sign != 0 || contact == NULL || !is_followed(contact, e)) return sign;
  return contact->sign; /* all that came since is hidden by rounding */
}

/* ---- after ---- */

int brink_meeting_sign_after(brink_meeting *m, size_t guard, double band) {
  double g = brink_eval_guard(&m->eval, guard, m->path.t0, m->x0);
  for (double sigma = 0x1p-40; sigma <= 0.25; sigma *= 16.0) {
    double moved = brink_along_value(&m->detector.space, guard, &m->path, sigma) - g;
    if (fabs(moved) > band) return moved > 0.0 ? 1 : -1;
  }
  return 0;
}

static double slope_of(const brink_plan *plan, size_t state, double t) {
  const double *c = plan->c + state * plan->length;
  double s = (t - plan->origin) / plan->unit, slope = 0.0;
  for (int k = plan->degree; k > 0; k--) slope = slope * s + k * c[k];
  return slope / plan->unit;
}

/* How fast the states that guards read change along the plans at t. */
static void rates_of(brink_meeting *m, const void *const packed[2], double t, double *f) {
  for (size_t i = 0; i < m->eval.nx; i++) f[i] = 0.0;
  for (int side = 0; side < 2; side++) {
    brink_plan plan = brink_packed_plan(&m->population[side]->packing, packed[side]);
    for (size_t j = 0; j < m->nneeded[side]; j++) {
      size_t i = m->needed[side][j];
      f[m->def.x[side][i]] = slope_of(&plan, i, t);
    }
  }
}

/* Does any state of the two move as it did not before? Then the action has changed something that dynamics reads. */
static bool moves_otherwise(const brink_meeting *m, const brink_encounter *e) {
  for (int side = 0; side < 2; side++) {
    const brink_packing *packing = &m->population[side]->packing;
    brink_plan past = brink_packed_plan(packing, e->past[side]);
    brink_plan now = brink_packed_plan(packing, e->now[side]);
    for (size_t i = 0; i < packing->nx; i++) {
      double before = slope_of(&past, i, e->from), after = slope_of(&now, i, e->from);
      if (fabs(after - before) > SAME_RATE * fmax(fabs(before), fabs(after))) return true;
    }
  }
  return false;
}

/* Of the guard along these plans; *size: of what it is made of. */
static double rate_of(brink_meeting *m, const brink_encounter *e, size_t guard,
                      const void *const packed[2], double *size) {
  double *f = m->before_x;
  rates_of(m, packed, e->from, f);
  double rate = brink_eval_rate(&m->eval, guard, e->from, m->x0, f);
  for (size_t i = 0; i < m->eval.nx; i++) f[i] = fabs(f[i]);
  *size = brink_eval_tolerance(&m->eval, guard, e->from, m->x0, 0.0, f);
  return rate;
}

bool brink_meeting_moves(brink_meeting *m, const brink_encounter *e, size_t guard) {
  double size, rate = rate_of(m, e, guard, e->now, &size);
  return fabs(rate) > SAME_RATE * size;
}

/* Does it come back to the side before it is past the surface by more than this? */
static bool comes_back(brink_meeting *m, size_t guard, int side, double tolerance) {
  for (double sigma = 0x1p-40; sigma <= 1.0; sigma *= 1.25) {
    double y = side * brink_along_value(&m->detector.space, guard, &m->path, sigma);
    if (!(y >= -tolerance)) return false;
    if (y > tolerance) return true;
  }
  return false;
}

/* Where it is on the surface, going past: has the action left the motion as it was, or stopped it there only for it to be
 * pressed on? */
static bool is_blocked(brink_meeting *m, const brink_encounter *e, size_t guard, bool acted) {
  double size, rate = rate_of(m, e, guard, e->now, &size);
  bool stopped = fabs(rate) <= AT_SURFACE * DBL_EPSILON * size;
  return stopped || (!acted && !moves_otherwise(m, e));
}

brink_settled brink_meeting_settle(brink_meeting *m, const brink_encounter *e,
                                   const brink_root_of_pair *root, double value, bool acted) {
  size_t guard = root->guard;
  int direction = (int)root->direction;
  bool unilateral = m->eval.model->guards[guard].def.side == BRINK_UNILATERAL;
  brink_meeting_set_out(m, e);
  double g = brink_eval_guard(&m->eval, guard, e->from, m->x0), band = brink_meeting_band(m, guard);
  double tolerance = brink_detector_tolerance(&m->detector, guard, e->from, m->x0);
  brink_settled settled = {.near = fabs(g) <= fmax(tolerance, band)};
  bool moved = root->kind == BRINK_JUMPED || fabs(g - value) > band;
  if (fabs(g) > band && moved) {
    settled.sign = g > 0.0 ? 1 : -1;
    return settled;
  }
  int motion = brink_meeting_sign_after(m, guard, band);
  settled.sign = motion;
  if (motion == 0 && unilateral) settled.sign = -direction;
  if (!unilateral || motion != direction) return settled;
  bool turns = root->kind == BRINK_TOUCHED || comes_back(m, guard, -direction, tolerance);
  if (turns && !acted) { /* it has touched its surface, and may still waver */
    settled.sign = -direction;
    settled.slack = tolerance;
    return settled;
  }
  settled.blocked = is_blocked(m, e, guard, acted);
  return settled;
}
