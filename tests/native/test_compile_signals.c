/* Signals while the compiler runs: compiler, its children and its files are gone before the program is. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "native/native.h"

static char place[] = "/tmp/brink-signals-XXXXXX";
static char cache[64], script[64];

static const char source[] = "int nothing;\n";

static void nap(double seconds) {
  struct timespec pause = {.tv_sec = (time_t)seconds,
                           .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  while (nanosleep(&pause, &pause) != 0 && errno == EINTR) continue;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A compiler that has begun its object and has a child that works for `seconds`; it notes both numbers. */
static void make_compiler(double seconds, const char *more) {
  FILE *file = fopen(script, "w");
  if (file == NULL) exit(1);
  fprintf(file, "#!/bin/sh\n%s\nwhile [ \"$1\" != -o ]; do shift; done\necho half > \"$2\"\n",
          more);
  /* It may write in its own directory only. */
  fprintf(file, "sleep %g & echo $$ $! > numbers.new; mv numbers.new numbers; wait; exit 1\n",
          seconds);
  fclose(file);
  chmod(script, 0700);
}

/* What the compiler under way has noted, in its directory in the cache; NULL: nothing yet. */
static FILE *open_noted(void) {
  char path[400];
  FILE *file = NULL;
  DIR *list = opendir(cache);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL && file == NULL;) {
    if (strncmp(entry->d_name, "tmp-", 4) != 0) continue;
    snprintf(path, sizeof path, "%s/%s/numbers", cache, entry->d_name);
    file = fopen(path, "r");
  }
  if (list != NULL) closedir(list);
  return file;
}

static size_t remains(void) {
  size_t count = 0;
  DIR *list = opendir(cache);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;)
    count += strncmp(entry->d_name, "tmp-", 4) == 0;
  if (list != NULL) closedir(list);
  return count;
}

static brink_status load(char *reason) {
  brink_object *object;
  brink_status status = brink_object_load(source, sizeof source - 1, cache, NULL, &object, reason);
  brink_object_unload(object);
  return status;
}

/* Has the program told the kernel what becomes of the compiler when the program ends? That is the last thing that it does to
 * the leash, which is the compiler's number 3. */
static bool is_tied(int pid) {
  char path[64], line[128];
  unsigned flags = 0;
  snprintf(path, sizeof path, "/proc/%d/fdinfo/3", pid);
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "flags:", 6) == 0) flags = (unsigned)strtoul(line + 6, NULL, 8);
  if (file != NULL) fclose(file);
  return (flags & 020000) != 0; /* O_ASYNC */
}

/* Waits until the compiler runs. */
static void await_compiler(int pids[2]) {
  pids[0] = pids[1] = 0;
  FILE *file = open_noted();
  for (int k = 0; k < 2000 && file == NULL; k++) {
    nap(0.005);
    file = open_noted();
  }
  CHECK(file != NULL && fscanf(file, "%d %d", &pids[0], &pids[1]) == 2);
  if (file != NULL) fclose(file);
  CHECK(remains() >= 1);
  for (int k = 0; k < 2000 && !is_tied(pids[0]); k++) nap(0.005);
  CHECK(is_tied(pids[0]));
}

/* Starts a process that compiles, and waits until its compiler runs. */
static pid_t begin(void (*prepare)(void), int pids[2]) {
  fflush(stdout);
  pid_t process = fork();
  if (process == 0) {
    char reason[BRINK_REASON];
    if (prepare != NULL) prepare();
    load(reason);
    _exit(strstr(reason, "signal") != NULL ? 42 : 43);
  }
  await_compiler(pids);
  return process;
}

/* ---- in the background ---- */

static brink_later *begin_later(void) {
  char reason[BRINK_REASON];
  brink_object *object;
  brink_later *later;
  CHECK(brink_object_begin(source, sizeof source - 1, cache, NULL, &object, &later, reason) ==
        BRINK_OK);
  CHECK(object == NULL && later != NULL);
  return later;
}

static brink_readiness ask_for(brink_later *later, double seconds, char *reason) {
  brink_object *object = NULL;
  brink_readiness answer = BRINK_NOT_YET;
  double end = now() + seconds;
  while (answer == BRINK_NOT_YET && now() < end) {
    answer = brink_later_ask(later, &object, reason);
    nap(0.001);
  }
  brink_object_unload(object);
  return answer;
}

/* Starts a process that asks for an object until it is ended, or its parent does, and waits for the compiler. */
static pid_t begin_asking(int pids[2]) {
  fflush(stdout);
  pid_t process = fork();
  if (process == 0) {
    char reason[BRINK_REASON];
    ask_for(begin_later(), 30.0, reason);
    _exit(0);
  }
  await_compiler(pids);
  return process;
}

static void remove_remains(void) {
  char command[200];
  snprintf(command, sizeof command, "rm -rf '%s'/tmp-*", cache);
  CHECK(system(command) == 0);
}

/* Killed processes whose parent is gone may wait for a moment until somebody reaps them. */
static bool is_gone(int pid) {
  char path[64], state = 'Z', text[256];
  for (int k = 0; k < 200; k++) {
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) return true;
    const char *behind = fgets(text, sizeof text, file) != NULL ? strrchr(text, ')') : NULL;
    if (behind != NULL) state = behind[2];
    fclose(file);
    if (state == 'Z') return true;
    nap(0.01);
  }
  return false;
}

static void check_tidied(const int pids[2]) {
  CHECK_INT(remains(), 0);
  CHECK_MSG(is_gone(pids[0]), "the compiler, %d, still runs", pids[0]);
  CHECK_MSG(is_gone(pids[1]), "its child, %d, still runs", pids[1]);
}

TEST(a_signal_that_ends_the_program_ends_the_compiler_first) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) {
    int pids[2], status = 0;
    make_compiler(30.0, "");
    pid_t process = begin(NULL, pids);
    double sent = now();
    kill(process, signals[k]);
    CHECK(waitpid(process, &status, 0) == process);
    CHECK_MSG(WIFSIGNALED(status) && WTERMSIG(status) == signals[k], "signal %d: status %d",
              signals[k], status);
    CHECK_MSG(now() - sent < 5.0, "took %g s", now() - sent);
    check_tidied(pids);
  }
}

/* It is not asked twice. */
TEST(a_compiler_that_does_not_listen_is_killed) {
  int pids[2], status = 0;
  make_compiler(30.0, "trap '' TERM");
  pid_t process = begin(NULL, pids);
  kill(process, SIGTERM);
  CHECK(waitpid(process, &status, 0) == process);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  check_tidied(pids);
}

static volatile sig_atomic_t handled;
static void handle(int number) {
  handled = number;
}
static void set_handler(void) {
  signal(SIGINT, handle);
}

TEST(a_handler_of_the_program_is_called_and_there_is_no_object) {
  int pids[2], status = 0;
  make_compiler(30.0, "");
  pid_t process = begin(set_handler, pids);
  kill(process, SIGINT);
  CHECK(waitpid(process, &status, 0) == process);
  CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 42, "status %d", status);
  check_tidied(pids);
}

static void ignore(void) {
  signal(SIGHUP, SIG_IGN);
}

TEST(a_signal_that_is_ignored_does_not_end_the_compiler) {
  int pids[2], status = 0;
  make_compiler(0.3, "");
  pid_t process = begin(ignore, pids);
  kill(process, SIGHUP);
  CHECK(waitpid(process, &status, 0) == process);
  CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 43, "status %d", status); /* it failed */
  check_tidied(pids);
}

TEST(a_compiler_in_the_background_ends_with_its_last_user) {
  int pids[2];
  char reason[BRINK_REASON];
  make_compiler(30.0, "trap '' TERM");
  brink_later *later = begin_later(), *other = brink_later_share(later);
  double started = now();
  CHECK(strstr(brink_later_state(later), "not worthwhile") != NULL);
  CHECK_INT(remains(), 0); /* not before compiling seems to pay */
  while (strstr(brink_later_state(later), "not worthwhile") != NULL)
    CHECK(ask_for(later, 0.01, reason) == BRINK_NOT_YET);
  await_compiler(pids);
  CHECK(strstr(brink_later_state(later), "not ready") != NULL);
  brink_later_release(later);
  CHECK(ask_for(other, 0.01, reason) == BRINK_NOT_YET);
  CHECK(remains() > 0);
  brink_later_release(other);
  check_tidied(pids);
  CHECK_MSG(now() - started < 10.0, "took %g s", now() - started);
}

TEST(a_compiler_that_fails_in_the_background_has_a_reason_and_leaves_nothing) {
  char reason[BRINK_REASON];
  make_compiler(0.01, "");
  brink_later *later = begin_later();
  CHECK(ask_for(later, 20.0, reason) == BRINK_NEVER);
  CHECK_MSG(strstr(reason, "failed with exit code 1") != NULL, "%s", reason);
  CHECK_INT(remains(), 0);
  CHECK(ask_for(later, 1.0, reason) == BRINK_NEVER); /* and says so again */
  brink_later_release(later);
}

/* Its files stay, as nobody has time to remove them: see the next test. */
TEST(a_program_that_is_killed_takes_its_compiler_with_it) {
  static const int signals[] = {SIGKILL, SIGTERM, SIGHUP};
  for (size_t k = 0; k < 2 * sizeof signals / sizeof *signals; k++) {
    int pids[2], status = 0, number = signals[k / 2];
    bool waits = k % 2 == 0;
    if (waits && number != SIGKILL) continue; /* tests above */
    make_compiler(30.0, "trap '' TERM");
    pid_t process = waits ? begin(NULL, pids) : begin_asking(pids);
    kill(process, number);
    CHECK(waitpid(process, &status, 0) == process);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == number);
    CHECK_MSG(is_gone(pids[0]), "signal %d: the compiler still runs", number);
    CHECK_MSG(is_gone(pids[1]), "signal %d: its child still runs", number);
    remove_remains();
  }
}

/* A copy of the program has a copy of all that it knows of the compiler. */
TEST(a_copy_of_the_program_leaves_its_compiler_alone) {
  int pids[2], status = 0;
  char reason[BRINK_REASON];
  make_compiler(30.0, "");
  brink_later *later = begin_later();
  while (strstr(brink_later_state(later), "not worthwhile") != NULL)
    CHECK(ask_for(later, 0.01, reason) == BRINK_NOT_YET);
  await_compiler(pids);
  fflush(stdout);
  pid_t copy = fork();
  if (copy == 0) {
    bool never = ask_for(later, 1.0, reason) == BRINK_NEVER;
    brink_later_release(later);
    _exit(never ? 0 : 1);
  }
  CHECK(waitpid(copy, &status, 0) == copy && status == 0);
  CHECK(remains() > 0 && kill(pids[0], 0) == 0);
  CHECK(ask_for(later, 0.01, reason) == BRINK_NOT_YET);
  brink_later_release(later);
  check_tidied(pids);
}

/* SIGKILL leaves no time: the next compilation tidies up. */
TEST(remains_of_a_killed_program_go_with_the_next_compilation) {
  int pids[2], status = 0;
  char command[200], reason[BRINK_REASON];
  make_compiler(30.0, "");
  pid_t process = begin(NULL, pids);
  kill(process, SIGKILL);
  CHECK(waitpid(process, &status, 0) == process);
  CHECK(is_gone(pids[0]));
  CHECK(remains() > 0);
  unsetenv("BRINK_CC");                           /* a real one */
  CHECK_INT(load(reason), BRINK_ERR_UNSUPPORTED); /* the object has no entry */
  CHECK(remains() > 0);                           /* young: somebody may be at work */
  snprintf(command, sizeof command, "touch -d '10 minutes ago' '%s'/tmp-*", cache);
  CHECK(system(command) == 0);
  snprintf(command, sizeof command, "rm -f '%s'/[0-9a-f]*.so", cache);
  CHECK(system(command) == 0);
  load(reason);
  CHECK_INT(remains(), 0);
}

int main(void) {
  if (mkdtemp(place) == NULL) return 1;
  snprintf(cache, sizeof cache, "%s/cache", place);
  snprintf(script, sizeof script, "%s/cc", place);
  setenv("BRINK_CC", script, 1);
  RUN(a_signal_that_ends_the_program_ends_the_compiler_first);
  RUN(a_compiler_that_does_not_listen_is_killed);
  RUN(a_handler_of_the_program_is_called_and_there_is_no_object);
  RUN(a_signal_that_is_ignored_does_not_end_the_compiler);
  RUN(a_compiler_in_the_background_ends_with_its_last_user);
  RUN(a_compiler_that_fails_in_the_background_has_a_reason_and_leaves_nothing);
  RUN(a_program_that_is_killed_takes_its_compiler_with_it);
  RUN(a_copy_of_the_program_leaves_its_compiler_alone);
  RUN(remains_of_a_killed_program_go_with_the_next_compilation);
  char command[100];
  snprintf(command, sizeof command, "rm -rf '%s'", place);
  return system(command) == 0 ? check_done() : 1;
}
