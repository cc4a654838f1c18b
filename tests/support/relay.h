/* relay.h: runs that are handed over from clone to clone, compared with runs that are not.
 *
 * Everything that a simulation tells, records and the present after each call, is kept byte by byte. The memory of
 * each simulation comes from an allocator that knows what it gave, so that one can see whether a clone still leads
 * into the original; what is given back is overwritten first. */
#ifndef BRINK_TESTS_RELAY_H
#define BRINK_TESTS_RELAY_H

#include "model/model.h"

/* ---- memory ---- */

enum { TRACKED_BLOCKS = 1024 };

typedef struct tracked {
  struct {
    char *memory;
    size_t size;
  } blocks[TRACKED_BLOCKS];
  size_t count;
} tracked;

brink_allocator tracked_allocator(tracked *state);

/* How many words of the one are addresses in the other. */
size_t tracked_pointers(const tracked *from, const tracked *into);

/* ---- what a simulation told ---- */

typedef struct recording {
  const brink_model_def *def; /* sizes */
  unsigned char *data;
  size_t length, capacity;
} recording;

brink_sink recording_sink(recording *to);
void recording_free(recording *record);

/* ---- relays ---- */

enum { RELAY_PLACES = 5 };

typedef struct relay {
  const brink_model *model;
  brink_options options;
  double t_end;
  int calls; /* at most */

  /* The model of a clone, at a place, of a simulation at another: at each place there is one at a time. The first
   * is at place 0. NULL: one model for all. */
  const brink_model *(*model_at)(size_t place, size_t from, void *user);
  void *user;
  const tracked *old_model; /* clones lead here no more; NULL: nobody looks */
} relay;

/* What a run that nobody clones tells. OK, or the status with which the simulation could not be made. The recording
 * is the caller's to free. */
brink_status relay_alone(const relay *r, recording *record);

/* The same run, in which a clone takes over after each call and the one before it is destroyed. Returns NULL, or what
 * is different. */
const char *relay_handed_over(const relay *r, const recording *alone);

/* The same run, in which another simulation, just made, is read from the bytes of the one before it, wherever that can be
 * saved. `saved` (may be NULL) counts how often it could. */
const char *relay_saved(const relay *r, const recording *alone, size_t *saved);

/* The same run, with a clone after each call that goes on for some calls, or to the end, in turns with the
 * original, and is then destroyed. */
const char *relay_branched(const relay *r, const recording *alone);

#endif
