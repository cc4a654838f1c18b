/* inputs.h: values of the top component's inputs over time. */
#ifndef BRINK_RUN_INPUTS_H
#define BRINK_RUN_INPUTS_H

#include "native/native.h"
#include <brink/hsml.h>

typedef struct brink_inputs {
  brink_arena arena;
  const char *path; /* of a file; NULL: they come from memory */
  bool hold;
  size_t ncolumns;
  const char **names; /* of the columns but the first, which is time */
  const char **cells; /* cells[row*ncolumns + column], as text: the model says what they mean */
  size_t *line;       /* of each row, for messages */
  double *t;
  size_t nrows;
  const char **sets; /* "name=value": what holds at the start */
  double *values;    /* as numbers: from memory, or of a system (brink_inputs_bind) */
  brink_input_table table;
} brink_inputs;

/* A CSV file. FILE: messages of the model say what is wrong; MEMORY. */
brink_status brink_inputs_read(brink_hsml *model, const char *path, bool hold, brink_diag *diag,
                               brink_inputs **inputs);
/* From memory. ARGUMENT, MEMORY. */
brink_status brink_inputs_copy(const brink_hsml_inputs *given, const brink_allocator *allocator,
                               brink_diag *diag, brink_inputs **inputs);
/* The table of a system that these inputs drive: numbers, each within its range. FILE, ARGUMENT, MEMORY. */
brink_status brink_inputs_bind(brink_hsml *model, const brink_inputs *inputs,
                               const brink_system *system, brink_diag *diag, brink_inputs **bound);
void brink_inputs_destroy(brink_inputs *inputs); /* NULL is fine */

#endif
