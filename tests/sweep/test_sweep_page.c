/* docs/sweep.md, read as its reader does: every file is written, every command typed, every output compared with what the
 * page shows.
 *
 * `test_sweep_page --renew` writes what the commands print now into the page; look at the difference. */
#include "check.h"
#include "support/formats.h"
#include "support/session.h"

#include <stdlib.h>

static const char path[] = BRINK_SOURCE_DIR "/docs/sweep.md";

static void say(const char *text, void *user) {
  (void)user;
  CHECK_SAY("%s", text);
}

static void ignore(const char *text, void *user) {
  (void)text, (void)user;
}

static session play(char **renewed) {
  session s = {.page = "docs/sweep.md", .directory = "sweep-page", .program = BRINK_PROGRAM};
  s.say = renewed != NULL ? ignore : say;
  char *text = read_whole_file(path, NULL);
  CHECK(text != NULL);
  if (text != NULL) session_play(&s, text, renewed);
  free(text);
  return s;
}

TEST(the_page_shows_what_happens) {
  session s = play(NULL);
  CHECK_MSG(s.files >= 2 && s.commands >= 11 && s.lines >= 30, "%zu files, %zu commands, %zu lines",
            s.files, s.commands, s.lines);
}

TEST(the_page_shows_canonical_layout) {
  CHECK_INT(system("cd sweep-page && '" BRINK_PROGRAM "' fmt --check *.hsml"), 0);
}

static int renew(void) {
  char *renewed = NULL;
  session s = play(&renewed);
  FILE *file = renewed != NULL ? fopen(path, "w") : NULL;
  if (file == NULL || fputs(renewed, file) < 0 || fclose(file) != 0) return 1;
  printf("%zu outputs changed, %zu commands left out\n", s.complaints, s.skipped);
  free(renewed);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--renew") == 0) return renew();
  RUN(the_page_shows_what_happens);
  RUN(the_page_shows_canonical_layout);
  return check_done();
}
