/* ways.h: one model, run in several ways that must not matter. */
#ifndef BRINK_FUZZ_WAYS_H
#define BRINK_FUZZ_WAYS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ways_result {
  bool ran;         /* false: it is no model, or no run of it can be made */
  bool agents;      /* some have clocks of their own */
  bool restored;    /* it was saved and restored on its way */
  bool swept;       /* its row in a sweep was compared */
  char wrong[256];  /* what must be the same to the last bit, and is not; "": nothing */
  char differ[256]; /* what agrees but for rounding as a rule, and does not; "": nothing */
} ways_result;

/* `path`: the file that the text was made of, for its imports. */
void ways_try(const char *text, const char *path, double until, ways_result *result);

#endif
