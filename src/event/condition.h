/* condition.h: how well-posed an event is, in numbers and in a word.
 *
 * At an event the state goes through the surface g(t, x) = 0 with the field f- before it and leaves with f+.
 * Let L = g_x f + g_t be the rate of the guard along a field.
 *
 * published   The condition number of García 2004, eq. 7, corrected:
 *
 *                 |f-||g_x|/|L-|  *  |f+||g_x|/|L+|  *  prod_p  h |x(t_p) - x(t*)| / |g(t_p)|
 *
 *             over the closest approaches t_p that the guard made before the event; and where there is no
 *             event, prod_p |g_x|/|g(t_p)|. The first two factors, the `transversality`, are 1/|cos| of the
 *             angles between the fields and the normal of the surface: 1 for orthogonal crossings, whatever
 *             the speed, infinite for tangency.
 * scaled      The same angles, measured in states that are divided by their sizes, and only in those that the
 *             guard's rate follows from (influence.h): it does not change with the units of states or of
 *             time, nor with what else is in the same system. A closest approach is measured by its relative distance, the
 *             smallest relative change of the state that would have made it an event.
 *
 * Deviations from the paper, and why, are in docs/condition.md. Nothing here is allocated or shared. */
#ifndef BRINK_EVENT_CONDITION_H
#define BRINK_EVENT_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

/* h of the published number, where nobody says otherwise: the paper's. */
#define BRINK_CONDITION_STEP 0.01

/* A run's error, in its tolerances: those hold for each step, and errors add up. What lies within it cannot be
 * told from tangency. */
#define BRINK_CONDITION_ERRORS 10.0

/* A field at a surface: all arrays have n entries. */
typedef struct brink_slant {
  size_t n;
  const double *f;    /* dx/dt */
  const double *g;    /* dg/dx */
  double rate;        /* dg/dt at a fixed state */
  const double *size; /* of each state; NULL: 1 */
  const bool *part;   /* states of f that count; NULL: all */
} brink_slant;

/* L = g_x f + g_t; 0 where rounding decides its sign. */
double brink_slant_rate(const brink_slant *slant);

/* |f||g_x|/|L|. Infinite where the field is tangent to the surface. Where the guard reads time it may be less
 * than 1 (time itself has no error), and 1 is said: an event at a given time is as well-posed as they come. A
 * field that is zero has no angle: 1. NaN without a gradient. */
double brink_slant_factor(const brink_slant *slant);

/* |g_x|/|L|: the time of the event moves by at most this much for each unit of error in the state. */
double brink_slant_delay(const brink_slant *slant);

/* |S|_2 of S = I + (f+ - f-) g_x^T / L-, for an event that changes no state. */
double brink_jump_norm(const brink_slant *before, const double *f_after);

/* |M|_2 of an n by n matrix by rows, by iteration; `room` has 2n places. */
double brink_matrix_norm(size_t n, const double *matrix, double *room);

/* |x - y|, in units of size where that is not NULL. */
double brink_distance(size_t n, const double *x, const double *y, const double *size);

/* How far the surface is away where the guard has the value `value`, to first order: |value|/|g_x|, in
 * units of size where there are any. */
double brink_surface_distance(const brink_slant *slant, double value);

/* The single state whose change moves the guard by `amount` with the least change relative to its size;
 * *change is that change. BRINK_NONE: the guard depends on none. */
size_t brink_cheapest_state(const brink_slant *slant, double amount, double *change);

/* ---- in a word ---- */

typedef enum brink_posed {
  BRINK_WELL_POSED,
  BRINK_GRAZING, /* the state meets the surface at a small angle, or hardly gets through it */
  BRINK_ILL_POSED, /* a small change of something makes the event vanish, or another one happen before it */
  BRINK_SLID,     /* the state stays on the surface: no number */
  BRINK_CAUSED,   /* another event carried the guard across zero: its number is that one's */
  BRINK_UNJUDGED, /* there was no gradient, or no field */
} brink_posed;

/* "well-posed", … */
const char *brink_posed_name(brink_posed posed);

/* What the word is decided by. */
typedef struct brink_evidence {
  double angle; /* the factor of the field before the event, scaled; NaN: not known */
  double
      vanish; /* the least relative change that makes the event vanish; NaN or inf: not known, or none */
  double appear;   /* … that makes a closest approach before it an event */
  double accuracy; /* relative accuracy of the run: its rtol */
} brink_evidence;

brink_posed brink_judge(const brink_evidence *evidence);

#endif
