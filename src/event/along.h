/* along.h: a guard along a path: as a polynomial in sigma, its roots, its closest approaches.
 *
 * The state follows a polynomial path x(sigma), 0 <= sigma <= 1 (num/path.h). A linear guard along
 * it is again a polynomial, exactly; so is a polynomial guard, composed with the path by its jet.
 * Any other smooth guard gets a polynomial that approximates it: its truncated jet, or its appended
 * state z = g, or, with values only, an interpolant through samples. What is decided about such a
 * guard is decided on its own values along the path: the approximation only says where to look,
 * namely where its derivative vanishes, which is insensitive to small errors of the value. */
#ifndef BRINK_EVENT_ALONG_H
#define BRINK_EVENT_ALONG_H

#include "model/eval.h"
#include "num/path.h"
#include "num/poly.h"

/* A guard along a path, or along a piece of it: sigma = from + width*tau, 0 <= tau <= 1. */
typedef struct brink_along {
  size_t guard; /* a plain guard or leaf */
  const brink_path *path;
  double from, width;
  int degree;
  bool exact;                          /* the polynomial is the guard, to rounding */
  double c[BRINK_POLY_MAX_DEGREE + 1]; /* in tau */
  double until;                        /* roots beyond this tau are of no interest; 1 */
  double start; /* what was left out of c[0], because the root at the start is known; else 0 */
} brink_along;

/* Where the guard comes closest to zero without reaching it, inside the step. */
typedef struct brink_dip {
  double sigma, value;
} brink_dip;

#define BRINK_ALONG_ROOTS (BRINK_POLY_MAX_DEGREE + 2)

/* Scratch for all of this; made once. */
typedef struct brink_along_space {
  brink_eval *eval;
  double *x;          /* a state; only what a guard depends on is filled in */
  double *jet_memory; /* series of the states */
  double **jets;
  const brink_path *held; /* the path that many guards are being looked at along, or NULL */
  int64_t holds;          /* how many have been held */
  int64_t *expanded;      /* each state: for which of them its row is, … */
  double *rows;           /* … BRINK_ALONG_ROW coefficients in sigma */
} brink_along_space;

#define BRINK_ALONG_ROW (BRINK_PATH_LENGTH + 2) /* paths of powers need none */

bool brink_along_init(brink_along_space *space, brink_eval *eval, brink_arena *arena);
void brink_along_relocate(brink_along_space *space, brink_relocation *moved);

/* Until it is released, the path stays as it is: states along it are expanded once, for all guards. */
void brink_along_hold(brink_along_space *space, const brink_path *path);
void brink_along_release(brink_along_space *space);

/* The states on the path that a guard reads, in space->x; the others there are as they were. */
void brink_along_states(brink_along_space *space, size_t guard, const brink_path *path,
                        double sigma);
/* The guard's value on the path, by evaluating it. */
double brink_along_value(brink_along_space *space, size_t guard, const brink_path *path,
                         double sigma);

/* True if a guard with values g0 at the start and g1 at the end (NaN: not known) keeps farther than
 * `distance` from zero on the whole path, by the sum of its coefficients: a linear guard exactly, with a few multiplications; on paths of powers
 * also one with a series, of the path's own degree, whose last terms bound what it leaves out. */
bool brink_along_excluded(brink_along_space *space, size_t guard, const brink_path *path, double g0,
                          double g1, double distance);

/* What is known of a quadratic guard: its values at both ends of the path; where states and time are no farther than d from
 * the start of the step it changes by no more than slope + curvature*d times what the largest of them changes; the path
 * keeps within `radius`. */
typedef struct brink_quadratic_bounds {
  double g0, g1, slope, curvature, radius;
  int head;            /* of a path of powers: its first terms, and … */
  const double *tails; /* … how far the others may move each state; NULL: not known */
} brink_quadratic_bounds;

/* The same of a guard that is a quadratic polynomial: composed with the first powers of the path, a few or half of them, in
 * full. */
bool brink_along_excluded_quadratic(brink_along_space *space, size_t guard, const brink_path *path,
                                    const brink_quadratic_bounds *at, double distance);

/* How close such a guard comes to zero, seen from the side of g0, at least; it may be negative. g1 is not needed. */
double brink_along_floor_quadratic(brink_along_space *space, size_t guard, const brink_path *path,
                                   const brink_quadratic_bounds *at);

/* The polynomial on the whole path, given the value g0 at the start. False if the guard has none
 * (not finite). */
bool brink_along_build(brink_along_space *space, size_t guard, const brink_path *path, double g0,
                       brink_along *along);

/* An approximation on a piece of the path that was checked against the guard's own values: shortens
 * along->width (from what is asked for) until it fits. Samples that do not fit on a piece as short as
 * `smallest` are taken as they are; a series may be as short as time resolves. False if the guard is not finite
 * there. */
bool brink_along_fit(brink_along_space *space, size_t guard, const brink_path *path, double from,
                     double width, double smallest, brink_along *along);

/* What the truncated series on the whole path leaves out, by its own later terms: they are nothing, or they fall.
 * INFINITY: they do not, or they vanish, so that it does not know what the guard does on all of the path. */
double brink_along_left_out(const brink_along *along);

#define BRINK_ALONG_PART 0.0078 /* of a path: pieces for guards that have no series */
#define BRINK_ALONG_FINE 1e-6   /* … that have one, where it does not hold: at a branch point */

/* The roots on the piece, as sigmas in order; returns their number. */
int brink_along_roots(brink_along_space *space, const brink_along *along, brink_root *roots);

/* Roots of a polynomial that is the guard, brought to where the guard's own values have theirs. */
void brink_along_polish(brink_along_space *space, const brink_along *along, brink_root *roots,
                        int count);

/* The first local minimum of sign*g inside the piece with 0 < sign*g <= limit; false if none. */
bool brink_along_dip(brink_along_space *space, const brink_along *along, int sign, double limit,
                     brink_dip *dip);

/* A root between a and b, where the guard's own values have opposite signs (or are zero): narrowed
 * to adjacent sigmas as far as rounding allows. *inside is on the side of a, *outside of b. */
void brink_along_bracket(brink_along_space *space, size_t guard, const brink_path *path, double a,
                         double b, double *inside, double *outside);

#endif
