/* session.h: pages that show what one types and what comes back.
 *
 * A page in Markdown is played from the beginning to its end, in an empty directory:
 *
 *     ```hsml tank.hsml            a block with a second word is a file; it is written, or replaced
 *     ```console                   commands and what they print, on both standard streams:
 *     $ brink run tank.hsml        a command for the shell; `\` at its end continues it
 *     Tank finished at t = 10      what it printed
 *     …                            any number of lines
 *     $ echo $?                    the exit code of the command before
 *     ```
 *     <!-- needs: python3 -c 'import scipy' -->     the next block is left out where this fails
 *
 * Numbers are compared by their values: those with a point or an exponent to two units of the last
 * digit shown, one part in ten million, or 1e-9; whole numbers exactly. Where a line tells how the numerics went (it begins with
 * `steps`, `audit`, `near` or `runs`), numbers other than 0 may differ by a factor of two; of a line that
 * begins with `time`, and of anything in seconds, the number does not count. White space never does. */
#ifndef BRINK_TESTS_SESSION_H
#define BRINK_TESTS_SESSION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct session {
  const char *page;                          /* its name, for complaints */
  const char *directory;                     /* made empty first */
  const char *program;                       /* the path of brink; its folder comes first in PATH */
  void (*say)(const char *text, void *user); /* a complaint */
  void *user;
  size_t files, commands, lines; /* what was played: lines are those compared */
  size_t skipped, complaints;    /* commands left out; differences */
} session;

/* Plays a page. Where `renewed` is not NULL, *renewed becomes the page with what the commands print
 * now, from malloc. Of an output with `…` as many lines are kept before it as there were, and behind
 * it those that begin with the same words. */
void session_play(session *s, const char *text, char **renewed);

/* Does an output look as shown? */
bool session_same(const char *shown, const char *found);

#endif
