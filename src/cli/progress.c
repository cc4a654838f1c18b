/* progress.c: a line on a terminal while a run is long; interruption. */
#include "cli/progress.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DELAY 1.0 /* seconds that are not long */

double cli_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- interruption ---- */

/* A signal handler can reach nothing else. */
static volatile sig_atomic_t noted;

static void note(int number) {
  noted = number;
}

/* A second signal of the kind finds the default action: the program ends at once. */
void cli_interrupt_watch(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = note;
  action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
  const int signals[] = {SIGINT, SIGTERM};
  for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++) {
    struct sigaction was;
    if (sigaction(signals[k], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
      sigaction(signals[k], &action, NULL);
  }
}

int cli_interrupt_signal(void) {
  return (int)noted;
}

/* ---- progress ---- */

cli_progress cli_progress_begin(cli_when when, bool quiet, double until) {
  cli_progress progress = {.terminal = isatty(STDERR_FILENO) != 0, .until = until};
  progress.shown = when == CLI_ALWAYS || (when == CLI_AUTO && progress.terminal && !quiet);
  progress.next = cli_seconds() + (when == CLI_ALWAYS ? 0.0 : DELAY);
  return progress;
}

void cli_progress_tell(cli_progress *progress, double t, const brink_stats *stats) {
  if (!progress->shown) return;
  double now = cli_seconds();
  if (now < progress->next) return;
  progress->next = now + (progress->terminal ? 0.2 : DELAY);
  progress->any = true;
  double share = progress->until > 0.0 ? 100.0 * t / progress->until : 100.0;
  fprintf(stderr, "%st = %.6g of %.6g (%.0f %%), %" PRId64 " steps, %" PRId64 " events%s",
          progress->terminal ? "\r" : "", t, progress->until, share, stats->steps, stats->events,
          progress->terminal ? "\033[K" : "\n");
  fflush(stderr);
}

void cli_progress_end(cli_progress *progress) {
  if (progress->any && progress->terminal) fputs("\r\033[K", stderr);
}
