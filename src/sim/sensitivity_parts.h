/* sensitivity_parts.h: between the files of sensitivities, and what the loop calls. */
#ifndef BRINK_SIM_SENSITIVITY_PARTS_H
#define BRINK_SIM_SENSITIVITY_PARTS_H

#include "model/tangent.h"
#include <brink/sensitivity.h>

#include "sim/sim.h"

/* Rows of the extrapolation table: so many columns of it, two orders each. */
#define BRINK_SENSITIVITY_ROWS 9

/* Steps that are remembered, if they take no more doubles than this. */
#define BRINK_SENSITIVITY_HISTORY 64
#define BRINK_SENSITIVITY_MEMORY ((size_t)1 << 19)

/* Located events of one instant that get derivatives of their own. */
#define BRINK_SENSITIVITY_LOCATED 32

typedef struct brink_moving_event {
  size_t guard;
  double rate, gradient_time;
} brink_moving_event;

struct brink_sensitivity {
  brink_observer observer; /* first: it is found by its address */
  brink_arena arena;
  brink_sim *sim;
  brink_sensitivity_def def;
  size_t count;   /* directions */
  size_t columns; /* at instants: the directions, time, and, for S, every state */
  brink_tangent tangent;
  double rtol;
  unsigned limits;
  unsigned calm; /* limits, before the way to the present instant began */

  bool fresh;    /* the run has not moved yet, or not since a value was set from outside */
  double t;      /* of m */
  double *m;     /* nx rows of `count` */
  double *p;     /* np rows */
  double *timer; /* nclocks rows */
  double *start_x, *start_p;
  double *zeros; /* one row */

  /* Along a step. */
  bool gave_up; /* M could not be followed to the end of the last step */
  double h;     /* the last substep that succeeded; 0: none yet */
  double *x;
  double from_t, *from_m; /* where the last step began */
  /* Where earlier steps began, since the last instant: a ring of x and M. */
  double history_t[BRINK_SENSITIVITY_HISTORY], *history;
  size_t nhistory; /* all that began; the last of them are there */
  double *table[BRINK_SENSITIVITY_ROWS], *y0, *y1, *slope;

  /* At an instant. */
  bool open, moves; /* between begin and end; its time depends on directions, or S is asked for */
  bool first_known;
  unsigned instant_limits;
  brink_carried carried;
  double *carried_t, *carried_x, *carried_p, *carried_timer, *pre_x, *pre_p;
  double *before; /* m */
  double *tau;    /* of the instant */
  double *f_before, *f_after, *saltation;
  brink_moving_event located[BRINK_SENSITIVITY_LOCATED];
  size_t nlocated;
  bool edge;                      /* the motion ends: `moved` holds */
  double *moved;                  /* dx at the event, moving with it: nx rows */
  double *edge_table;             /* scratch: BRINK_EDGE_POINTS times 1 + nx rows */
  size_t mover;                   /* the event that the instant moves with; BRINK_NONE */
  double *hit_tau, *hit_gradient; /* a row for each */
  brink_event events[2 * BRINK_SENSITIVITY_LOCATED]; /* of the instant */
  size_t nevents, noted, reported;                   /* kept; all of them; of the whole run */

  /* Before a callback. */
  brink_now given;
  double *given_x, *given_p, *given_timer;
  int *given_mode;
};

/* sensitivity_archive.c: between two steps. The sim has been read before. */
void brink_sensitivity_archive(brink_sensitivity *s, brink_archive *a);

/* sensitivity_flow.c: from sensitivity->t to `end` along sim->last. */
void brink_sensitivity_flow(brink_sensitivity *s, double end);
bool brink_sensitivity_take_flow(brink_sensitivity *s);

/* sensitivity_edge.c: dT of a guard at which the motion itself ends, in place of `tau`, and in s->moved how the
 * state there moves with it; false: it does not. `rough`: the field has no value there. */
#define BRINK_EDGE_POINTS 7
bool brink_sensitivity_edge(brink_sensitivity *s, const brink_moving_event *ev, bool rough,
                            double *tau);
/* A step begins at s->t, where the state is x. */
void brink_sensitivity_remember(brink_sensitivity *s, const double *x);
/* dx/dt at the end of the last step, from its dense output. */
void brink_sensitivity_path_field(const brink_sensitivity *s, double *f);

/* -dg / rate, by the rules for a surface that is grazed. */
double brink_sensitivity_quotient(double dg, double rate);

#endif
