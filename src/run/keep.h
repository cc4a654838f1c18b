/* keep.h: which quantities of a model are recorded. */
#ifndef BRINK_RUN_KEEP_H
#define BRINK_RUN_KEEP_H

#include "record/record.h"

/* What somebody wants to be kept. */
typedef struct brink_keeping {
  const char *patterns; /* "plant.*, car[1..5].x, x'"; NULL: the usual ones */
  const char *also;     /* more patterns; NULL: none */
  bool all;             /* whatever there is */
  bool agents;          /* with clocks of their own: flags have no values, … */
  bool
      switches; /* … and derivatives have none where the field of an agent reads signs: it may slide */
} brink_keeping;

/* Columns of what these patterns mean, in the order of the system: states, modes, outputs, inputs, variables,
 * derivatives, flags, and what holds still. ARGUMENT: a pattern means nothing, and `problem` says which, and what is near
 * it (problem NULL: that is fine). MEMORY. */
brink_status brink_columns_init_kept(brink_columns *columns, const brink_system *system,
                                     const brink_keeping *keeping, const brink_computed *computed,
                                     brink_text *problem);

/* Does a pattern of `length` characters match this name? Does it mean the column of this name? (A * means what
 * changes: neither parameters nor flags, and derivatives only if a ' ends it.) */
bool brink_pattern_matches(const char *pattern, size_t length, const char *name);
bool brink_pattern_means(const char *pattern, size_t length, const brink_columns *columns,
                         const brink_tracked *tracked, const char *name);

#endif
