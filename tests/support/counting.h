/* counting.h: an allocator that counts, and fails when it is told to. */
#ifndef BRINK_TESTS_COUNTING_H
#define BRINK_TESTS_COUNTING_H

#include <brink/brink.h>

typedef struct counting {
  long calls;    /* of allocate, failed ones too */
  long live;     /* blocks given and not taken back */
  long bytes;    /* in them */
  long fail_at;  /* the call that fails, counted from 1; 0: none */
  bool fail_on;  /* and all that follow */
  long mismatch; /* blocks given back with another size, or that were never given */
} counting;

/* An allocator whose `user` is `state`. */
brink_allocator counting_allocator(counting *state);

#endif
