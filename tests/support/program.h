/* program.h: the program as a user meets it: run by the shell, its exit code and its words read. */
#ifndef BRINK_TESTS_PROGRAM_H
#define BRINK_TESTS_PROGRAM_H

#include "support/json.h"

typedef struct outcome {
  int exit;
  char *out, *err;
  json *summary; /* of out, if it is JSON */
} outcome;

/* "PROGRAM ARGUMENTS" in the present directory, which keeps out.txt and err.txt. If the arguments
 * contain a '>', they say where the output goes. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
outcome
program_run(const char *program, const char *format, ...);
void done(outcome *o);

/* A whole file; "" if there is none. */
char *read_all(const char *path);
void write_file(const char *path, const char *text);

/* A new directory, entered; program_leave goes back and removes it. */
void program_enter(char folder[16]);
void program_leave(const char *folder);

#define CHECK_EXIT(o, code)                                                                        \
  CHECK_MSG((o).exit == (code), "exit %d, expected %d: %s", (o).exit, (code), (o).err)

#endif
