/* The line that tells how far a run has come: as a function of what it is told, and on a terminal. */
#define _XOPEN_SOURCE 700 /* pseudo-terminals */
#define _DEFAULT_SOURCE

#include "cli/progress.c"
#include "cli/terminal.c"

#include "check.h"
#include "support/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

/* Columns that a line takes: characters, of which UTF-8 has one for each byte that is no continuation.
 */
static size_t columns_of(const char *line) {
  size_t count = 0;
  for (; *line != '\0'; line++) count += ((unsigned char)*line & 0xc0) != 0x80;
  return count;
}

static const cli_progress half_way = {
    .shown = true, .utf8 = true, .from = 0.0, .until = 10.0, .speed = 0.05};

static char *bar(const cli_progress *progress, double t, int64_t events, size_t width) {
  static brink_text text;
  text.length = 0;
  cli_progress_bar(progress, t, events, width, &text);
  if (text.length == 0) brink_text_append(&text, "", 0);
  return text.data;
}

TEST(the_bar_tells_everything_where_there_is_room) {
  const char *line = bar(&half_way, 5.0, 3, 100);
  CHECK_CONTAINS(line, "\u2588\u2588\u2588\u2588\u2588\u2591");
  CHECK_CONTAINS(line, " 50 %  t = 5 of 10  0.05 s/s  3 events  1:40 left");
  cli_progress plain = half_way;
  plain.utf8 = false;
  line = bar(&plain, 5.0, 1, 100);
  CHECK_CONTAINS(line, "[###############...............]   50 %");
  CHECK_CONTAINS(line, "1 event ");
  for (const char *c = line; *c != '\0'; c++) CHECK((unsigned char)*c < 128);
}

TEST(no_width_is_too_narrow) {
  for (size_t width = 0; width < 140; width++) {
    for (int utf8 = 0; utf8 < 2; utf8++) {
      cli_progress progress = half_way;
      progress.utf8 = utf8 != 0;
      const char *line = bar(&progress, 3.14159265, 1234567, width);
      CHECK_MSG(columns_of(line) < width || line[0] == '\0', "%zu: %s", width, line);
      if (width >= 8) CHECK_CONTAINS(line, "31 %");
      if (width >= 20) CHECK_CONTAINS(line, "left");
    }
  }
}

TEST(the_share_counts_from_the_start) {
  cli_progress late = half_way;
  late.from = 1000.0, late.until = 1010.0;
  CHECK_CONTAINS(bar(&late, 1002.5, 0, 100), " 25 %");
  late.until = 1000.0; /* nothing to do */
  CHECK_CONTAINS(bar(&late, 1000.0, 0, 100), "100 %");
  CHECK_CONTAINS(bar(&half_way, 9.9999999, 0, 100), " 99 %"); /* not done yet */
  CHECK_CONTAINS(bar(&half_way, -1.0, 0, 100), "  0 %");
}

TEST(a_run_without_an_end_has_no_share) {
  cli_progress endless = half_way;
  endless.until = (double)INFINITY;
  const char *line = bar(&endless, 5.0, 3, 100);
  CHECK(strcmp(line, "t = 5  0.05 s/s  3 events") == 0);
  endless.until = 1e300;
  line = bar(&endless, 5.0, 3, 100);
  CHECK_CONTAINS(line, "  0 %");
  CHECK_MSG(strstr(line, "left") == NULL, "%s", line); /* nobody would wait for it */
}

TEST(what_is_left_is_told_as_people_do) {
  cli_progress progress = half_way;
  progress.speed = 1.0;
  CHECK_CONTAINS(bar(&progress, 5.5, 0, 100), "5 s left");
  progress.until = 10000.0;
  CHECK_CONTAINS(bar(&progress, 0.0, 0, 100), "2:46:40 left");
  progress.speed = 0.0;
  CHECK(strstr(bar(&progress, 0.0, 0, 100), "left") == NULL);
}

TEST(speed_is_smoothed) {
  cli_progress progress = {.shown = true, .until = 1e6};
  measure(&progress, 1.0, 100.0);
  CHECK_NEAR(progress.speed, 100.0, 1e-9);
  measure(&progress, 1.1, 100.0); /* it stands still for a moment */
  CHECK(progress.speed > 90.0 && progress.speed < 100.0);
  for (int k = 0; k < 1000; k++) measure(&progress, 1.2 + 0.1 * k, 100.0 + k);
  CHECK_NEAR(progress.speed, 10.0, 1e-6);
}

#ifdef BRINK_PROGRAM

static const char endless[] =
    "ctc Wave is\n  body\n    declarations\n      state(x, real);\n      state(v, real);\n"
    "    end declarations;\n    initial\n      x := 1.0;\n      v := 0.0;\n"
    "    end initial;\n    dynamics\n      x' = v;\n      v' = -x;\n    end dynamics;\n"
    "  end body;\nend Wave;\n";

/* Runs the program with its standard error on a terminal of this width for a while, then interrupts
 * it. What the terminal was sent. */
static size_t watch(unsigned short width, const char *locale, char *said, size_t room) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return 0;
  int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  struct winsize size = {.ws_row = 24, .ws_col = width};
  ioctl(terminal, TIOCSWINSZ, &size);
  pid_t child = fork();
  if (child == 0) {
    dup2(open("out.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    dup2(other, STDERR_FILENO);
    setenv("LC_ALL", locale, 1);
    execl(BRINK_PROGRAM, "brink", "run", "endless.hsml", "--until", "1e12", "--interpret",
          (char *)NULL);
    _exit(127);
  }
  close(other);
  size_t used = 0;
  double began = brink_seconds();
  bool asked = false;
  for (;;) {
    struct pollfd wait = {.fd = terminal, .events = POLLIN};
    poll(&wait, 1, 50);
    ssize_t got = (wait.revents & POLLIN) != 0 ? read(terminal, said + used, room - used - 1) : 0;
    if (got < 0 || ((wait.revents & POLLHUP) != 0 && got == 0)) break;
    used += (size_t)got;
    if (!asked && (used > 600 || brink_seconds() > began + 20.0)) asked = kill(child, SIGINT) == 0;
    if (used + 1 >= room) break;
  }
  said[used] = '\0';
  int status;
  waitpid(child, &status, 0);
  close(terminal);
  return used;
}

static void check_drawings(char *said, size_t width, bool ascii) {
  size_t drawings = 0;
  CHECK(said[0] == '\r');
  for (char *line = strtok(said, "\r"); line != NULL; line = strtok(NULL, "\r")) {
    char *clear = strstr(line, "\033[K");
    CHECK_MSG(clear != NULL || strstr(line, "interrupted") != NULL || line[0] == '\n', "%s", line);
    if (clear == NULL) continue;
    *clear = '\0';
    CHECK_MSG(columns_of(line) < width, "%s", line);
    drawings += strstr(line, " %") != NULL;
    for (const char *c = line; ascii && *c != '\0'; c++) CHECK((unsigned char)*c < 128);
  }
  CHECK(drawings >= 2);
}

TEST(a_long_run_is_redrawn_in_place_and_cleared) {
  static char said[1 << 16];
  CHECK(watch(60, "C.UTF-8", said, sizeof said) > 0);
  CHECK_CONTAINS(said, "\u2591");
  CHECK_CONTAINS(said, "\r\033[Kbrink: Wave interrupted"); /* nothing of it stays */
  check_drawings(said, 60, false);
  CHECK(watch(24, "C", said, sizeof said) > 0);
  check_drawings(said, 24, true);
}

TEST(a_file_gets_lines) {
  outcome o = program_run(BRINK_PROGRAM,
                          "run endless.hsml --until 10 --interpret --progress always --quiet");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.err, "t = ");
  CHECK_CONTAINS(o.err, " of 10 (");
  CHECK_CONTAINS(o.err, "steps, 0 events");
  CHECK(strchr(o.err, '\r') == NULL && strchr(o.err, '\033') == NULL);
  CHECK(o.err[strlen(o.err) - 1] == '\n');
  done(&o);
  o = program_run(BRINK_PROGRAM, "run endless.hsml --until 10 --interpret --quiet");
  CHECK(o.err[0] == '\0');
  done(&o);
}

static void run_program_tests(void) {
  char folder[16];
  program_enter(folder);
  write_file("endless.hsml", endless);
  RUN(a_long_run_is_redrawn_in_place_and_cleared);
  RUN(a_file_gets_lines);
  program_leave(folder);
}

#else

static void run_program_tests(void) {}

#endif

int main(void) {
  RUN(the_bar_tells_everything_where_there_is_room);
  RUN(no_width_is_too_narrow);
  RUN(the_share_counts_from_the_start);
  RUN(a_run_without_an_end_has_no_share);
  RUN(what_is_left_is_told_as_people_do);
  RUN(speed_is_smoothed);
  run_program_tests();
  return check_done();
}
