/* crash.c: last words. The HDF5 library does not survive it if it gets no memory; then the user learns at least which file it
 * was about. The signal keeps its effect: a crash is not made to look like anything else. */
#define _DEFAULT_SOURCE /* sigaltstack */
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/show.h"

/* A signal handler can reach nothing else. */
static char words[512];
static volatile sig_atomic_t length;
static char stack[32768]; /* its own: the crash may be that of a stack that is full */

static void speak(int number) {
  ssize_t ignored = write(STDERR_FILENO, words, (size_t)length);
  (void)ignored;
  raise(number); /* by its default action now */
}

void cli_crash_watch(const char *path) {
  size_t name = path != NULL ? strlen(path) : 0;
  if (name < 3 || strcmp(path + name - 3, ".h5") != 0) return;
  brink_text shown = {0};
  brink_text_show(&shown, path);
  int wrote = snprintf(
      words, sizeof words,
      "brink: the program has crashed while it wrote %.200s. The HDF5 library crashes where "
      "it gets no memory; the file holds what was flushed before.\n",
      shown.data != NULL ? shown.data : "a .h5 file");
  brink_text_free(&shown);
  if (wrote < 0) return;
  length = wrote < (int)sizeof words ? wrote : (int)sizeof words - 1;
  struct sigaction action, was;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = speak;
  action.sa_flags = (int)SA_RESETHAND | SA_ONSTACK;
  stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  if (sigaltstack(&own, NULL) != 0) return;
  const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE};
  for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++) /* not a sanitizer's */
    if (sigaction(signals[k], NULL, &was) == 0 && was.sa_handler == SIG_DFL)
      sigaction(signals[k], &action, NULL);
}
