/* influence.h: which states the rate of a guard follows from.
 *
 * A guard reads some states; their derivatives read others, and so on. What is not among them (another car in the same
 * system) may move as it likes: it has no part in how the guard's surface is met. Without the pattern of the Jacobian all
 * states count. */
#ifndef BRINK_EVENT_INFLUENCE_H
#define BRINK_EVENT_INFLUENCE_H

#include "model/model.h"

typedef struct brink_influence {
  size_t nx;
  size_t *starts, *states; /* those that the derivative of each state reads; NULL: not known */
  size_t *queue;
  bool *part;
} brink_influence;

/* Takes memory from the arena; false when there is none. */
bool brink_influence_init(brink_influence *influence, const brink_model *model, brink_arena *arena);

/* The states that one with this gradient follows from: valid until the next call. NULL: all. */
const bool *brink_influence_of(brink_influence *influence, const double *gradient);

#endif
