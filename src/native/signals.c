/* signals.c: signals that would end the program wait while something has to be tidied up.
 *
 * Problem: a compiler and its files should not outlive a program that a signal ends. The program, if it is not Brink's own,
 * says what signals do, and a library sets no handlers.
 *
 * Method: the mask of the thread that waits for the compiler holds them back; it asks now and then whether one has come. It
 * then gives up, tidies, and lets the signal through. Limits: a signal that another thread of the program takes ends the
 * program at once, as does SIGKILL; what these leave is removed by later compilations (brink_cache_prune). */
#include "native/signals.h"

#include <pthread.h>

static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { HELD = sizeof held / sizeof *held };

void brink_signals_hold(brink_signals *signals) {
  sigset_t set;
  sigemptyset(&set);
  for (int k = 0; k < HELD; k++) sigaddset(&set, held[k]);
  if (pthread_sigmask(SIG_BLOCK, &set, &signals->before) != 0) sigfillset(&signals->before);
}

bool brink_signals_wait(const brink_signals *signals) {
  sigset_t waiting;
  struct sigaction action;
  if (sigpending(&waiting) != 0) return false;
  for (int k = 0; k < HELD; k++) {
    if (sigismember(&waiting, held[k]) != 1 || sigismember(&signals->before, held[k]) != 0)
      continue;
    /* One that is ignored waits like others, as long as it is held. */
    if (sigaction(held[k], NULL, &action) == 0 && action.sa_handler != SIG_IGN) return true;
  }
  return false;
}

void brink_signals_release(const brink_signals *signals) {
  sigset_t set;
  sigemptyset(&set);
  for (int k = 0; k < HELD; k++)
    if (sigismember(&signals->before, held[k]) == 0) sigaddset(&set, held[k]);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
