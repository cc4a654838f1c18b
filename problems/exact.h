/* exact.h: published problems whose answers are known: closed forms, for experiments, tests and benchmarks.
 *
 * Corridor and arm: Esposito & Kumar 2007, sections 3.1 and 3.2. Spiral and quintic: García 2004, section V.D,
 * with the misprints of the starts corrected. Answers are good to some units in the last place. */
#ifndef BRINK_PROBLEMS_EXACT_H
#define BRINK_PROBLEMS_EXACT_H

#include <stdbool.h>

/* ---- the corridor ---------------------------------------------------------------------------- */

/* From x0 = (x, y, theta) straight on to x = 1.75, then on a circle of radius 5 to the left. */
void brink_corridor_at(const double *x0, double t, double *x, double *y);

/* How far the path enters the inner corner {y <= -0.4, x <= 2.8}, and when it is deepest in it. Negative: how far
 * it stays away. Holds for starts near (0, -0.089, -0.15), whose paths come close to the corner once. */
double brink_corridor_depth(const double *x0, double *when);

/* When it first touches the corner, if it is deepest in it at `inside`. */
double brink_corridor_contact(const double *x0, double inside);

/* ---- the arm --------------------------------------------------------------------------------- */

/* Angles of the joints that put the hand of an arm with links 1 and l2 to (x, y), elbow down; false: out of
 * reach. */
bool brink_arm_joints(double l2, double x, double y, double *th1, double *th2);

/* When a point that starts at (x, y) with velocity (vx, vy) is `reach` away from the shoulder. */
double brink_arm_exit(double reach, double x, double y, double vx, double vy);

/* ---- García's examples ----------------------------------------------------------------------- */

typedef struct brink_garcia {
  bool linear;        /* the spiral from (-2, -2); else the quintic from (-2.5 beta, 951.5625) */
  double alpha, beta; /* g = x2 + alpha; beta is for the quintic only */
} brink_garcia;

/* The flow of mode "+" (g >= 0), and its field. */
void brink_garcia_at(const brink_garcia *g, double t, double x[2]);
void brink_garcia_field(const brink_garcia *g, const double x[2], double f[2]);

typedef struct brink_garcia_answer {
  double tangency;   /* the alpha at which the path touches the line */
  double touch;      /* when g has its first minimum */
  double touch_x[2]; /* there */
  double approach;   /* g there: negative if the event comes before */
  double event;      /* the time of the event, of the first or, past the tangency, of the far one */
  double x[2];       /* there */
  double transversality; /* |f+||f-|/|Lf+ Lf-| at the event */
} brink_garcia_answer;

brink_garcia_answer brink_garcia_solve(const brink_garcia *g);

/* The condition number as published (eq. 7, corrected), with step h: over an interval that contains the event,
 * or over one that ends after the closest approach and before the far event. */
double brink_garcia_condition(const brink_garcia_answer *answer, double h, bool short_interval);

#endif
