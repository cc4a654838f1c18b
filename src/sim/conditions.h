/* conditions.h: the condition of every event of a run, and the closest approaches that were none.
 *
 * An observer of a simulation. When an instant is over it reports the condition of each of
 * its events (event/condition.h); when the run is over, the closest approaches that no event followed. The
 * run does not depend on it: the same steps, the same events, the same statistics. */
#ifndef BRINK_SIM_CONDITIONS_H
#define BRINK_SIM_CONDITIONS_H

#include "event/condition.h"
#include "sim/sim.h"

typedef struct brink_conditions brink_conditions;

/* A local minimum of |g| that was no event, where a crossing would have been one. Those to which the
 * guard came down by less than the run's error do not count. */
typedef struct brink_closest_approach {
  double t, value;
  double distance; /* of the state from the surface, to first order: |g|/|g_x| */
  double relative; /* the same in units of the states' sizes */
  double
      certainty; /* |g| in units of what the run's tolerances amount to in it: at 1 or below, whether there
                       was an event is not known */
  double
      factor; /* in the published number: h |x(t_p) - x(t*)|/|g|, or, without an event, |g_x|/|g| */
  size_t state; /* the single state whose change would have made it an event with the least relative
                       change; BRINK_NONE: none */
  double change; /* that change */
} brink_closest_approach;

typedef struct brink_condition {
  const brink_event *event; /* NULL: there was none after these approaches */
  size_t index; /* of the event in the run: the order in which a sink receives them; from 0 */
  size_t guard;
  double transversality; /* NaN: not defined (sliding, caused) */
  double published;      /* with all closest approaches since the last event of this guard */
  double scaled;         /* dimensionless: the angles, or 1/relative of the closest approach */
  double angle_before, angle_after; /* factors of the scaled angles */
  double delay; /* |g_x|/|L-|, the change of t* for each unit of error in the state */
  double jump;  /* |S|_2, where no state was reset; else NaN */
  double
      depth; /* how far past zero the guard would have gone; INFINITY: it would not have turned */
  double vanish; /* the least relative change of a single state that makes the event vanish */
  size_t state;  /* that state, or BRINK_NONE */
  double change; /* that change */
  bool resets;   /* the instant changed a state */
  brink_posed posed;
  const brink_closest_approach *approaches;
  size_t napproaches;
  size_t nomitted; /* there were more, farther away ones */
} brink_condition;

typedef struct brink_conditions_def {
  double step;     /* h of the published number; 0: BRINK_CONDITION_STEP */
  bool approaches; /* look for closest approaches at every step */
  void (*report)(const brink_condition *condition,
                 void *user); /* pointers are valid during the call */
  void *user;
} brink_conditions_def;

/* For a simulation that has not moved yet. Destroy before it. Statuses: ARGUMENT, MEMORY. */
brink_status brink_conditions_create(brink_sim *sim, const brink_conditions_def *def,
                                     const brink_allocator *allocator, brink_diag *diag,
                                     brink_conditions **conditions);
void brink_conditions_destroy(brink_conditions *conditions); /* NULL is fine */

/* What it knows between two steps, into one that was made alike (base/archive.h). */
void brink_conditions_archive(brink_conditions *conditions, brink_archive *a);

/* The run is over: reports the closest approaches that no event followed. False: memory ran out on the way,
 * and something is missing. NULL is fine. */
bool brink_conditions_finish(brink_conditions *conditions);

#endif
