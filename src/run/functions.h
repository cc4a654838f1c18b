/* functions.h: inputs of the top component that are functions of the caller. */
#ifndef BRINK_RUN_FUNCTIONS_H
#define BRINK_RUN_FUNCTIONS_H

#include <stdatomic.h>

#include "lang/flatten.h"
#include "native/native.h"
#include <brink/hsml.h>

typedef struct brink_functions {
  brink_arena arena;   /* of everything in it, and of itself */
  atomic_size_t users; /* brink_functions_destroy by the last of them frees it */
  brink_input_function *items;
  size_t count;
} brink_functions;

/* The same list with another function for an input; without `value` with none for it. NULL: an empty list. ARGUMENT,
 * MEMORY. */
brink_status brink_functions_change(const brink_functions *functions, const char *name,
                                    const brink_hsml_function *function,
                                    const brink_allocator *allocator, brink_diag *diag,
                                    brink_functions **changed);
/* One user more; NULL is fine. */
brink_functions *brink_functions_share(brink_functions *functions);
void brink_functions_destroy(brink_functions *functions); /* NULL is fine */

/* Do they have values at the start? CALLBACK, DOMAIN, OK. */
brink_status brink_functions_check_start(const brink_system *system, brink_diag *diag);
/* What a run's functions make of its status: CALLBACK if one of them has reported an error; DOMAIN if one was not finite
 * where the run has been, or where it failed; else the status. The diagnostic says which. */
brink_status brink_functions_judge(const brink_instance *instance, double now, brink_status status,
                                   brink_diag *diag);

#endif
