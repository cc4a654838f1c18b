/* lanes.h: simulations side by side: what their next steps need is computed for several of them at once, in the lanes of
 * vectors (docs/decisions/0024-lanes.md).
 *
 * Each simulation is driven as ever, by whoever drives it, one step after another. Between two steps brink_lanes_look
 * computes ahead what the next step of each will ask for, as far as that can be told: the attempt, its guards, the commit.
 * The step finds that done. What it does not find it computes; so there is one loop, and the results are the same, bit by
 * bit, whoever sits beside whom, and when. */
#ifndef BRINK_SIM_LANES_H
#define BRINK_SIM_LANES_H

#include "ode/taylor_lanes.h"
#include "sim/sim.h"

typedef struct brink_lanes brink_lanes;

/* For simulations with as many states and guards, and series of the same order, as this one; `width` of them are computed at
 * once: 4 or 8, not more than brink_lanes_of_processor. flow: the series of so many of them. NULL: out of memory. */
brink_lanes *brink_lanes_create(const brink_sim *like, int width, size_t seats,
                                brink_flow_lanes_fn *flow);
void brink_lanes_destroy(brink_lanes *lanes); /* NULL is fine */

/* Why a simulation cannot be helped by lanes at all; NULL: it can. */
const char *brink_lanes_refuse(const brink_sim *sim);

/* The simulation takes this seat, which is free, or leaves it: before it is destroyed or changed from outside. False: it is
 * not like the others. Whoever seats it makes sure that flow is its series, too. */
bool brink_lanes_sit(brink_lanes *lanes, size_t seat, brink_sim *sim);
void brink_lanes_leave(brink_lanes *lanes, size_t seat);

/* After each step: is the simulation at a place where it helps to look ahead? If not, it may as well take its next step before
 * the others are looked at. False, too, if it has no seat. */
bool brink_lanes_ready(brink_sim *sim);
/* Looks ahead for all that are. */
void brink_lanes_look(brink_lanes *lanes);

/* The next step, as brink_sim_run takes it: STEPPED and EVENT, or how it ended. */
brink_status brink_sim_turn(brink_sim *sim, double t_end, brink_diag *diag);

#endif
