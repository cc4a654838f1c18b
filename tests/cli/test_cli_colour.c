/* Who gets colours: terminals that have them, unless somebody does not want them. */
#define _XOPEN_SOURCE 700 /* pseudo-terminals */
#define _DEFAULT_SOURCE

#include "cli/colour.c"
#include "cli/terminal.c"

#include "check.h"

#include <fcntl.h>

static bool coloured(cli_when when, int file) {
  return cli_colours_for(when, file)->error[0] != '\0';
}

TEST(auto_asks_the_terminal_and_the_environment) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY), file = open("/dev/null", O_WRONLY);
  CHECK(terminal >= 0 && file >= 0);
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  CHECK(coloured(CLI_AUTO, terminal));
  CHECK(!coloured(CLI_AUTO, file));
  CHECK(!coloured(CLI_AUTO, -1));
  setenv("NO_COLOR", "", 1); /* empty is as if it were not set */
  CHECK(coloured(CLI_AUTO, terminal));
  setenv("NO_COLOR", "1", 1);
  CHECK(!coloured(CLI_AUTO, terminal));
  CHECK(coloured(CLI_ALWAYS, terminal) && coloured(CLI_ALWAYS, file));
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  CHECK(!coloured(CLI_AUTO, terminal));
  unsetenv("TERM");
  CHECK(!coloured(CLI_AUTO, terminal));
  setenv("TERM", "xterm", 1);
  CHECK(!coloured(CLI_NEVER, terminal));
  close(terminal);
  close(file);
}

TEST(without_colours_nothing_is_written) {
  const cli_colours *c = cli_colours_for(CLI_NEVER, 1);
  const char *const all[] = {c->bold,  c->dim,  c->error, c->warning, c->good,
                             c->caret, c->hint, c->name,  c->plain};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
    CHECK(all[k] != NULL && all[k][0] == '\0');
}

TEST(widths_are_those_of_the_terminal) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  struct winsize size = {.ws_row = 24, .ws_col = 123};
  CHECK(ioctl(terminal, TIOCSWINSZ, &size) == 0);
  CHECK_INT(cli_terminal_width(terminal), 123);
  size.ws_col = 0; /* nobody said */
  CHECK(ioctl(terminal, TIOCSWINSZ, &size) == 0);
  CHECK_INT(cli_terminal_width(terminal), 80);
  CHECK_INT(cli_terminal_width(-1), 80);
  close(terminal);
}

TEST(the_locale_tells_whether_there_is_utf8) {
  setenv("LC_ALL", "C", 1);
  CHECK(!cli_utf8());
  setenv("LC_ALL", "C.UTF-8", 1);
  CHECK(cli_utf8());
  setenv("LC_ALL", "no_SUCH.UTF-8", 1);
  CHECK(!cli_utf8());
}

int main(void) {
  RUN(auto_asks_the_terminal_and_the_environment);
  RUN(without_colours_nothing_is_written);
  RUN(widths_are_those_of_the_terminal);
  RUN(the_locale_tells_whether_there_is_utf8);
  return check_done();
}
