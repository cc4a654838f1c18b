/* phrases.h: random pieces of HSML that several kinds of models are made of. */
#ifndef BRINK_TESTS_JUDGE_PHRASES_H
#define BRINK_TESTS_JUDGE_PHRASES_H

#include "judge/generate.h"

/* Names that formulas may read. */
typedef struct words {
  const char *signal[6]; /* that move continuously, values of about -3 … 3 */
  int nsignals;
  const char *flag[4]; /* whose sgn may be read */
  int nflags;
  const char *mode[3], *mode_value[3]; /* m = "…" may be asked */
  int nmodes;
} words;

/* Drivers: p, q swing with two periods (states p, pv, q, qv); `s` falls slowly to 0.4. */
void say_driver_declarations(writer *w);
void say_driver_initial(writer *w);
void say_driver_dynamics(writer *w);
words driver_words(void);

void say_signal(writer *w, const words *in);               /* p, q, s or time */
void say_relation(writer *w, const words *in);             /* p > 0.35 */
void say_condition(writer *w, const words *in, int depth); /* relations with and, or, not */
void say_value(writer *w, const words *in, int depth);     /* a number that switches */

#endif
