/* delay.h: the past of delayed signals, inside (model/delay.h says what the model sees of it).
 *
 *   delay_past.c    the past of one signal: polynomials, and where they do not join smoothly
 *   delay_start.c   what was before the run; memory; clones
 *   delay_record.c  what a step and an instant add to it
 *   delay_archive.c to bytes and back
 *   delay.c         windows: what the step to come reads of it */
#ifndef BRINK_SIM_DELAY_H
#define BRINK_SIM_DELAY_H

#include "model/delay.h"
#include "sim/sim.h"

/* A break of an order above this is followed no further: u and so many of its derivatives are continuous. */
#define BRINK_DELAY_ORDERS 6
/* A lag below this part of its bound counts as zero. */
#define BRINK_DELAY_LEAST 1e-6
/* So does one below this part of the time: its ends could not be told apart (twice brink_past_rounding). */
#define BRINK_DELAY_RESOLVED (32.0 * DBL_EPSILON)

/* u on [t0, t1], in s from -1 to 1; held: c[0]. */
typedef struct brink_delay_piece {
  double t0, t1;
  double c[BRINK_CHEBYSHEV_LENGTH];
} brink_delay_piece;

/* Derivative `order` of u jumps (0: u itself). */
typedef struct brink_delay_break {
  double t;
  int order;
} brink_delay_break;

/* The past of one delayed signal, and the window [from, to] of it that p describes now. */
typedef struct brink_past {
  brink_delay_piece *pieces; /* in order, without gaps, from the oldest that is needed */
  size_t first, count, capacity;
  brink_delay_break *breaks;
  size_t nbreaks, breaks_capacity;
  double lag, bound; /* the lag as last looked at */
  double first_lag;  /* what its formula gave at the last round of a start, lag or not */
  double from, to;
  double length;         /* of the last window that was fitted */
  bool begins, ends;     /* a break is at `from`, at `to` */
  int from_order, order; /* of these */
  double due;            /* constant lags: when the break at `to` is met; INFINITY: none is */
  int met;               /* at this instant a break of this order was met; -1: none */
  int side;              /* the argument has come to the break at this end: 1, -1; 0: to none */
  double rate;           /* of the argument in the last step */
  double argument, seen; /* the argument when last looked at, and the time of that */
} brink_past;

/* Of a simulation. */
typedef struct brink_delay_state {
  brink_past *pasts; /* one for each delay */
  size_t count;
  double next;      /* when the next break is met; INFINITY */
  bool begun;       /* there is a past */
  bool arrived;     /* an argument that varies has come to a break */
  bool strayed;     /* an argument has jumped out of its window */
  bool resumes;     /* the start is not the first: the past is kept */
  double atol;      /* of signals */
  double *values;   /* scratch: of all signals at the points of a piece, … */
  double *between;  /* … and between them */
  double *x;        /* scratch: a state */
  signed char *sgn; /* before the instant */
  bool *own;        /* slots of p that are filled in here */
  /* Something went wrong where nothing can be returned: reported before the next step. */
  brink_reason failure;
  size_t failed;
  double value, when;
} brink_delay_state;

/* ---- delay_past.c ---- */

/* What rounding of time amounts to in arguments of this past. */
double brink_past_rounding(const brink_past *past, double t);
/* One piece more, at the end. False: out of memory. */
bool brink_past_add(brink_past *past, const brink_allocator *allocator,
                    const brink_delay_piece *piece);
bool brink_past_break(brink_past *past, const brink_allocator *allocator, double t, int order);
/* Forgets what ended before t. */
void brink_past_drop(brink_past *past, double t);
/* u at a; where two pieces meet, of the one on the right, or on the left. */
double brink_past_value(const brink_past *past, double a, bool right);
/* The piece that a is in. */
const brink_delay_piece *brink_past_piece(const brink_past *past, double a, bool right);
double brink_past_end(const brink_past *past);
/* The last value, from before the present instant. */
double brink_past_last(const brink_past *past);

#define BRINK_DELAY_CHECKS 2

/* Values on [from, to]: at the points of a polynomial, and at two places between them. */
typedef struct brink_delay_fit {
  double from, to;
  const double *values, *between;
} brink_delay_fit;

/* The polynomial through the values. True: it is as good as `part` of the tolerances, and rounding, ask for: *allowed. */
bool brink_delay_fits(const brink_sim *sim, const brink_delay_fit *fit, double part, double *c,
                      double *allowed);
double brink_delay_between(int k);

/* ---- delay_start.c ---- */

bool brink_delay_init(brink_sim *sim);
void brink_delay_release(brink_sim *sim);
void brink_delay_relocate(brink_sim *sim, brink_relocation *moved);
/* The clone's past is a copy. False: out of memory; the clone then has none. */
bool brink_delay_clone(brink_sim *clone);
/* Back to the start. */
void brink_delay_forget(brink_sim *sim);
/* Before the first instant, and after somebody has intervened: *again: what was before the start is not what was
 * supposed, and signs may differ. `round` counts. */
brink_status brink_delay_begin(brink_sim *sim, size_t round, bool *again, brink_diag *diag);

/* ---- delay_archive.c ---- */

void brink_delay_archive(brink_sim *sim, brink_archive *a);

/* ---- delay_record.c ---- */

/* The state has moved along sim->last from t0 to the present. */
void brink_delay_record(brink_sim *sim, double t0);
/* An instant begins, is over. */
void brink_delay_instant(brink_sim *sim);
void brink_delay_instant_over(brink_sim *sim);
/* Gives back a failure that was noted. */
brink_status brink_delay_check(brink_sim *sim, brink_diag *diag);
void brink_delay_fail(brink_sim *sim, brink_reason reason, size_t delay, double value);

/* ---- delay.c ---- */

/* The window of a signal whose argument is a; `side`: to the right of a break, or to the left. */
void brink_delay_load(brink_sim *sim, size_t delay, double a, int side);
/* When the next breaks are met. */
void brink_delay_settle(brink_sim *sim);
/* The lag as its formula has it now. */
double brink_delay_lag(brink_sim *sim, size_t delay);
bool brink_past_is_lag(const brink_past *past, double lag, double t);
/* The least of the largest lags, by the values of now; INFINITY: there is no delay. */
double brink_delay_shortest(brink_sim *sim);
/* The lag is this from now on. */
void brink_delay_take(brink_sim *sim, size_t delay, double lag);
/* Takes the lag as it is now, if it is one; a failure if it is none. */
bool brink_delay_look(brink_sim *sim, size_t delay);

/* Before a step: windows that are used up are exchanged. */
brink_status brink_delay_refresh(brink_sim *sim, brink_diag *diag);
/* How far a step may go. */
double brink_delay_limit(const brink_sim *sim);
/* Where, up to `end`, the attempted step leaves what is known; above 1: nowhere. */
double brink_delay_exit(brink_sim *sim, const brink_path *path, double end);
/* At an instant: breaks that are met. True: something has changed. */
bool brink_delay_meet(brink_sim *sim);
/* At an instant: lags that have changed. True: something else has changed by that. */
bool brink_delay_follow(brink_sim *sim);
/* At the end of an instant, when all signs are settled: has a lag jumped, so that its argument is outside its window?
 * Then one more round meets that (brink_delay_meet). A lag that is none is a failure now. */
bool brink_delay_strays(brink_sim *sim);

#endif
