/* patience.h: loops that may take long ask, now and then, whether anybody still waits for what they compute. */
#ifndef BRINK_NUM_PATIENCE_H
#define BRINK_NUM_PATIENCE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct brink_patience {
  bool (*is_over)(void *who);
  void *who;
  size_t work; /* since that was last asked */
} brink_patience;

#define BRINK_PATIENCE_WORK 4000000 /* multiplications between two questions: a few milliseconds */

/* Before so many more multiplications: is it over? Then the result is not needed. NULL: it never is. */
static inline bool brink_patience_ends(brink_patience *patience, size_t work) {
  if (patience == NULL) return false;
  patience->work += work;
  if (patience->work < BRINK_PATIENCE_WORK) return false;
  patience->work = 0;
  return patience->is_over(patience->who);
}

#endif
