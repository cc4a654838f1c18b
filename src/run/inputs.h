/* inputs.h: values of the top component's inputs over time. */
#ifndef BRINK_RUN_INPUTS_H
#define BRINK_RUN_INPUTS_H

#include <stdatomic.h>

#include "native/native.h"
#include <brink/hsml.h>

typedef struct brink_inputs {
  brink_arena arena;
  atomic_size_t users; /* brink_inputs_destroy by the last of them frees it */
  const char *path;    /* of a file; NULL: they come from memory */
  bool hold;
  size_t ncolumns;
  const char **names; /* of the columns that are inputs */
  const char **cells; /* cells[row*ncolumns + column], as text: the model says what they mean */
  size_t *line;       /* of each row, for messages */
  const char **start; /* of each row's line in the text that `cells` are in; NULL: from memory */
  double *t;
  size_t nrows;
  brink_arena at_start;      /* of the last brink_inputs_sets */
  double *values;            /* as numbers: from memory, or of a system (brink_inputs_bind) */
  brink_hsml_message *notes; /* about the file: warnings */
  size_t nnotes, notes_capacity;
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
/* input_csv.c: what is in the text of a file, which it cuts into pieces. FILE: messages of the model say what is wrong;
 * MEMORY. */
brink_status brink_inputs_parse(brink_hsml *model, brink_inputs *inputs, char *text,
                                brink_diag *diag);
/* Something is wrong with them, at a line and a column (0: with all of it). Returns FILE; of inputs from memory ARGUMENT. */
#if defined(__GNUC__)
__attribute__((format(printf, 7, 8)))
#endif
brink_status
brink_inputs_wrong(brink_hsml *model, const brink_inputs *inputs, size_t line, size_t at,
                   brink_diag *diag, const char *code, const char *format, ...);
/* A warning about a file. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
void brink_inputs_note(brink_hsml *model, brink_inputs *inputs, size_t line, size_t at,
                       const char *code, const char *format, ...);
/* "name=value" for each column: what holds at t. `user` is the brink_inputs. NULL: out of memory. */
const char *const *brink_inputs_sets(double t, void *user);
/* One user more; NULL is fine. */
brink_inputs *brink_inputs_share(brink_inputs *inputs);
void brink_inputs_destroy(brink_inputs *inputs); /* NULL is fine */

#endif
