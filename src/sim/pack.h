/* pack.h: a simulation in few bytes, and what it is going to do.
 *
 * A population has one simulation to work with and thousands of agents that take turns in it. What an
 * agent is, between two steps, is packed: time, states, parameters, modes, signs, clocks, what its method
 * knows, and the polynomials that it is going to follow. The rest of a simulation is room to work in, and
 * follows from these. */
#ifndef BRINK_SIM_PACK_H
#define BRINK_SIM_PACK_H

#include "sim/sim.h"

/* Surfaces that an agent may be held on at once. */
#define BRINK_PACKED_HOLDS 4

/* Where things are in a packed simulation: the same for all of one model with the same options. */
typedef struct brink_packing {
  size_t size;   /* bytes, a multiple of 8 */
  size_t nx;     /* states */
  size_t length; /* coefficients of each polynomial */
  size_t p_at, mode_at;
  size_t c_at, head_at; /* polynomials, and their brink_series_head */
  size_t x_at, slack_at, sgn_at, pending_at, touched_at;
  bool coasts; /* plans may have closed forms (coast.c) */
  double *c;   /* of methods that have no series: their polynomials, on the way in and out */
  double unit;
  int degree;
} brink_packing;

/* For a sim that was just made; adapts its options. UNSUPPORTED: its method cannot be packed; MEMORY. */
brink_status brink_packing_init(brink_packing *packing, brink_sim *sim, brink_diag *diag);

/* Not while something is left of a step: that is given up, and the method starts anew. Slides under way go on. */
void brink_pack(brink_packing *packing, brink_sim *sim, void *to);
void brink_unpack(brink_packing *packing, brink_sim *sim, const void *from);
/* As if it had been packed and unpacked: what only this simulation remembers is forgotten. */
void brink_packing_settle(brink_packing *packing, brink_sim *sim);

/* Somebody else has written into its states, parameters and modes at the present: what jumped by that fires, and all that
 * follows. OK, STOPPED, or a failure. */
brink_status brink_sim_intervene(brink_sim *sim, brink_diag *diag);

/* A packed simulation to bytes and back (base/archive.h), by way of the simulation, which is room: what it holds is lost. */
void brink_packing_archive(brink_packing *packing, brink_sim *sim, void *packed, brink_archive *a);

/* ---- ahead ---- */

/* What the next step will be, if nobody intervenes. */
typedef struct brink_look_ahead {
  const brink_path *path; /* from the present on; in the sim, until it moves. NULL: none */
  double end;             /* how far the path is good, and nothing happens before it */
  bool event;             /* something happens there */
} brink_look_ahead;

/* Looks ahead, at most to t_limit, and moves nothing: brink_sim_advance to `end`, or to any time before it, does
 * just this step. Where something is due at the present, `end` is the present. STEPPED, or a failure (or
 * STOPPED, where the first instant ends the run). */
brink_status brink_sim_look_ahead(brink_sim *sim, double t_limit, brink_look_ahead *ahead,
                                  brink_diag *diag);

/* The path of that step is what brink_pack will pack as the plan. */
void brink_packing_follow(brink_packing *packing, brink_sim *sim, const brink_path *path);

/* ---- plans in closed form ---- */

/* Can the model have such plans at all? (coast.c) */
bool brink_coast_suits(const brink_sim *sim);
/* An action has given the packed simulation, at the time t, the states, parameters and modes that are in `sim`, which is
 * room otherwise: its plan from there, at most to t_end, in closed form. Nothing happens before *valid; there the simulation
 * starts anew. False: it takes more than that, and nothing has changed. */
bool brink_coast(const brink_packing *packing, brink_sim *sim, void *packed, double t, double t_end,
                 double *valid);
/* Is its plan of this kind? Then to advance it is to follow the plan, and to start anew. */
bool brink_packed_coasts(const void *packed);

/* What is known of its guards. */
typedef struct brink_packed_signs {
  const signed char *sgn;
  const double *slack;
  const bool *touched, *pending;
} brink_packed_signs;
/* False: it has not begun, is held on a surface, or was led past one. */
bool brink_packed_is_plain(const brink_packing *packing, const void *packed,
                           brink_packed_signs *signs);
/* Writes the plan: the first `degree` + 1 of `width` coefficients for each state, in units of time. */
void brink_packed_coast(const brink_packing *packing, const brink_sim *sim, void *packed, double t,
                        const double *c, size_t width, int degree);

/* The polynomials of a packed simulation: state i is sum_k c[i*length + k] s^k, s = (t - origin)/unit, where
 * the origin is its time. */
typedef struct brink_plan {
  const double *c;
  size_t length;
  double origin, unit;
  int degree;
} brink_plan;

static inline double brink_packed_time(const void *packed) {
  return *(const double *)packed;
}

static inline brink_plan brink_packed_plan(const brink_packing *packing, const void *packed) {
  const char *at = packed;
  const brink_series_head *head = (const brink_series_head *)(const void *)(at + packing->head_at);
  return (brink_plan){.c = (const double *)(const void *)(at + packing->c_at),
                      .length = packing->length,
                      .origin = brink_packed_time(packed),
                      .unit = head->unit,
                      .degree = head->degree};
}

/* One state at a time of the plan. */
static inline double brink_plan_at(const brink_plan *plan, size_t state, double t) {
  const double *c = plan->c + state * plan->length;
  double s = (t - plan->origin) / plan->unit, sum = 0.0;
  for (int k = plan->degree; k > 0; k--) sum = (sum + c[k]) * s;
  return c[0] + sum;
}

static inline const double *brink_packed_parameters(const brink_packing *packing,
                                                    const void *packed) {
  return (const double *)(const void *)((const char *)packed + packing->p_at);
}

static inline const int *brink_packed_modes(const brink_packing *packing, const void *packed) {
  return (const int *)(const void *)((const char *)packed + packing->mode_at);
}

#endif
