/* lanes.h: runs side by side: what the next step of each needs is computed for several of them at once (sim/lanes.h). */
#ifndef BRINK_RUN_LANES_H
#define BRINK_RUN_LANES_H

#include "run/run.h"

typedef struct brink_run_lanes brink_run_lanes;

/* For runs of the same model, with so many seats. NULL: the first of them cannot be helped (or there is no memory), and *why
 * says in a few words why. The model's code has lanes if model->lanes was set to their number before it was built. */
brink_run_lanes *brink_run_lanes_create(const brink_run *like, size_t seats, const char **why);
void brink_run_lanes_destroy(brink_run_lanes *lanes); /* NULL is fine */

/* The run takes a free seat. False: it is not like the others, and has to be driven by itself. */
bool brink_run_lanes_sit(brink_run_lanes *lanes, size_t seat, brink_run *run);
void brink_run_lanes_leave(brink_run_lanes *lanes, size_t seat);

/* Before each turn of all that are seated. */
void brink_run_lanes_look(brink_run_lanes *lanes);

/* run.c: as brink_run_to, in parts. First begin; then turns, as long as they give STEPPED. Everything else ends the run, with
 * the status and the diagnostic that brink_run_to would have given (but for ERR_WORK: turns are not counted). A turn is a
 * step, or a few, to where lanes help with the next one. */
brink_status brink_run_turns_begin(brink_run *run, double t_end, brink_diag *diag);
brink_status brink_run_turn(brink_run *run, double t_end, brink_diag *diag);

#endif
