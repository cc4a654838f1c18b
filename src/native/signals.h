/* signals.h: signals that would end the program wait while something has to be tidied up; for compile.c. */
#ifndef BRINK_NATIVE_SIGNALS_H
#define BRINK_NATIVE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

typedef struct brink_signals {
  sigset_t before; /* what this thread held already */
} brink_signals;

/* From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT wait, as far as this thread gets them. */
void brink_signals_hold(brink_signals *signals);
/* Does one of them wait that nobody ignores, and that did not have to wait before? */
bool brink_signals_wait(const brink_signals *signals);
/* They do what they would have done: their handler is called, or the program ends. */
void brink_signals_release(const brink_signals *signals);

#endif
