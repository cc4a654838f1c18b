/* The tutorial, read as its reader does: every file is written, every command typed, every output
 * compared with what the page shows.
 *
 * `test_tutorial --renew` writes what the commands print now into the page; look at the difference. */
#include "check.h"
#include "support/formats.h"
#include "support/json.h"
#include "support/session.h"

#include <stdlib.h>

static const char page[] = "docs/tutorial.md";

static void say(const char *text, void *user) {
  (void)user;
  CHECK_SAY("%s", text);
}

TEST(numbers_are_compared_by_their_values) {
  CHECK(session_same("t = 20\n", "t = 20\n"));
  CHECK(!session_same("t = 20\n", "t = 21\n"));
  CHECK(session_same("t = 19.999752\n", "t = 19.999753\n"));
  CHECK(!session_same("t = 43.11225346\n", "t = 43.11224465\n"));
  CHECK(session_same("h = 4.2e-22\n", "h = 0\n"));
  CHECK(session_same("h = -1.5,\n", "h = -1.50000001,\n"));
  CHECK(!session_same("h = -1.5\n", "h = 1.5\n"));
  CHECK(!session_same("t = 43.11225346\n", "t = 43.11197008\n"));
  CHECK(session_same("20.5,1e-3\n", "20.5,0.001\n"));
  CHECK(!session_same("x2 = 1\n", "x3 = 1\n"));
  CHECK(!session_same("1\n", "1.5\n"));
}

TEST(white_space_and_times_do_not_count) {
  CHECK(session_same("a   b\n", "  a b \n"));
  CHECK(!session_same("ab\n", "a b\n"));
  CHECK(session_same("time    5.6e-05 s, native code\n", "time    0.01 s, interpreted\n"));
  CHECK(session_same("done in 0.3 s.\n", "done in 17 s.\n"));
  CHECK(!session_same("done in 0.3 m\n", "done in 17 m\n"));
}

TEST(what_the_numerics_did_is_compared_roughly) {
  CHECK(session_same("steps   16 (10 rejected)\n", "steps   20 (11 rejected)\n"));
  CHECK(!session_same("steps   16 (10 rejected)\n", "steps   160 (10 rejected)\n"));
  CHECK(session_same("runs 101\n", "runs 98\n") && !session_same("runs 101\n", "runs 10\n"));
  CHECK(!session_same("audit   0 evaluations\n", "audit   1 evaluations\n"));
  CHECK(!session_same("audit   91 evaluations\n", "audit   0 evaluations\n"));
  CHECK(!session_same("16 events\n", "17 events\n"));
}

TEST(dots_stand_for_lines) {
  CHECK(session_same("a\n…\nd\n", "a\nb\nc\nd\n"));
  CHECK(session_same("a\n…\n", "a\n"));
  CHECK(session_same("…\na\n…\nb\n", "x\na\ny\na\nb\n"));
  CHECK(!session_same("a\n…\nd\n", "a\nb\nc\n"));
  CHECK(!session_same("a\n", "a\nb\n"));
  CHECK(!session_same("a\nb\n", "a\n"));
}

#ifdef BRINK_PROGRAM

static void count(const char *text, void *user) {
  (void)text, (void)user;
}

static session play(const char *text, char **renewed) {
  session s = {.page = "page", .directory = "session", .program = BRINK_PROGRAM, .say = count};
  session_play(&s, text, renewed);
  return s;
}

/* A page that is wrong is told from one that is right. */
TEST(pages_are_played) {
  static const char right[] = "```text a.txt\none\ntwo\n```\n"
                              "```console\n$ cat a.txt\none\ntwo\n$ false\n$ echo $?\n1\n```\n";
  session s = play(right, NULL);
  CHECK_INT(s.complaints, 0);
  CHECK_INT(s.files, 1);
  CHECK_INT(s.commands, 3);
  static const char wrong[] =
      "```console\n$ echo one; \\\necho two; echo three\nten\n…\n```\nend\n";
  char *renewed;
  s = play(wrong, &renewed);
  CHECK_INT(s.complaints, 1);
  CHECK_CONTAINS(renewed, "```console\n$ echo one; \\\necho two; echo three\none\n…\n```\nend\n");
  free(renewed);
  s = play("<!-- needs: false -->\n```console\n$ echo one\ntwo\n```\n", NULL);
  CHECK_INT(s.complaints, 0);
  CHECK_INT(s.skipped, 1);
}

/* What a page starts must not depend on the user's home: Octave cannot write its history where none is. */
TEST(partner_programs_have_a_home_of_their_own) {
  static const char partner[] =
      "```sh partner.sh\n"
      "[ -z \"$(ls -A \"$HOME\")\" ] && echo 'no start-up files'\n"
      "mkdir -p \"${XDG_DATA_HOME:-$HOME/.local/share}/partner\" && echo quit "
      ">\"$OCTAVE_HISTFILE\" &&\n"
      "echo 'history written'\n"
      "```\n"
      "```console\n$ sh partner.sh\nno start-up files\nhistory written\n```\n";
  const char *home = getenv("HOME"), *data = getenv("XDG_DATA_HOME");
  char *kept = home != NULL ? strdup(home) : NULL, *kept_data = data != NULL ? strdup(data) : NULL;
  setenv("HOME", "/proc", 1); /* exists, and nobody can write there, not even root */
  setenv("XDG_DATA_HOME", "/proc/data", 1);
  session s = play(partner, NULL);
  CHECK_INT(s.complaints, 0);
  CHECK_INT(s.commands, 1);
  kept != NULL ? setenv("HOME", kept, 1) : unsetenv("HOME");
  kept_data != NULL ? setenv("XDG_DATA_HOME", kept_data, 1) : unsetenv("XDG_DATA_HOME");
  free(kept);
  free(kept_data);
}

/* Plays the tutorial; where `renewed` is given, differences are no mistakes. */
static session play_tutorial(char **renewed) {
  session s = {.page = page, .directory = "tutorial", .program = BRINK_PROGRAM};
  s.say = renewed != NULL ? count : say;
  char *text = read_whole_file(BRINK_SOURCE_DIR "/docs/tutorial.md", NULL);
  CHECK_MSG(text != NULL, "no %s", page);
  if (text != NULL) session_play(&s, text, renewed);
  free(text);
  return s;
}

TEST(the_tutorial_shows_what_happens) {
  session s = play_tutorial(NULL);
  CHECK_MSG(s.files >= 8, "%zu files", s.files);
  CHECK_MSG(s.commands >= 25, "%zu commands", s.commands);
  CHECK_MSG(s.lines >= 150, "%zu lines", s.lines);
  printf("%zu files, %zu commands, %zu lines of output compared, %zu commands left out\n", s.files,
         s.commands, s.lines, s.skipped);
}

TEST(the_tutorial_shows_canonical_layout) {
  CHECK_INT(system("cd tutorial && '" BRINK_PROGRAM "' fmt --check *.hsml"), 0);
}

/* The loop of step 8, solved without Brink. Between samples the inflow u is constant, and with s = √h
 *
 *     t(s) = -2 s/k - (2 u/k²) ln|u - k s| + constant,   or  s = s₀ - k t/2  where u = 0
 *
 * so that each sample and each event is the root of a formula; these were found by bisection. */
TEST(the_loop_of_the_tutorial_is_right) {
  static const double times[] = {8.90299891695, 28.9029989170, 43.1122534597, 43.1122534597, 43.5,
                                 50.1554447598, 70.1554447598, 84.6944140780, 84.6944140780, 85.0};
  int status = system("cd tutorial && '" BRINK_PROGRAM "' run cell.hsml --tolerance 1e-10 "
                      "--json >cell.json");
  CHECK_INT(status, 0);
  char *text = read_whole_file("tutorial/cell.json", NULL);
  const char *error = "no summary";
  size_t offset = 0;
  json *summary = text != NULL ? json_parse(text, &error, &offset) : NULL;
  CHECK_MSG(summary != NULL, "%s", error);
  const json *events = json_member(summary, "events");
  for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
    const json *t = json_member(json_at(events, k), "t");
    CHECK_NEAR(t != NULL ? t->number : (double)NAN, times[k], 2e-9);
  }
  CHECK(json_at(events, sizeof times / sizeof *times) == NULL);
  const json *h = json_member(json_member(summary, "final"), "tank.h");
  CHECK_NEAR(h != NULL ? h->number : (double)NAN, 1.60503926, 1e-8);
  json_free(summary);
  free(text);
}

static int renew(void) {
  char *renewed = NULL;
  session s = play_tutorial(&renewed);
  FILE *file = renewed != NULL ? fopen(BRINK_SOURCE_DIR "/docs/tutorial.md", "w") : NULL;
  if (file == NULL || fputs(renewed, file) < 0 || fclose(file) != 0) return 1;
  printf("%s: %zu outputs changed, %zu commands left out\n", page, s.complaints, s.skipped);
  free(renewed);
  return 0;
}

#endif

int main(int argc, char **argv) {
#ifdef BRINK_PROGRAM
  if (argc > 1 && strcmp(argv[1], "--renew") == 0) return renew();
#endif
  (void)argc, (void)argv;
  RUN(numbers_are_compared_by_their_values);
  RUN(white_space_and_times_do_not_count);
  RUN(what_the_numerics_did_is_compared_roughly);
  RUN(dots_stand_for_lines);
#ifdef BRINK_PROGRAM
  RUN(pages_are_played);
  RUN(partner_programs_have_a_home_of_their_own);
  RUN(the_tutorial_shows_what_happens);
  RUN(the_tutorial_shows_canonical_layout); /* these look at the files of the one before */
  RUN(the_loop_of_the_tutorial_is_right);
#endif
  return check_done();
}
