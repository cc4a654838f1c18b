/* main.c: the process; which command; help and version. */
#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the process ---- */

/* A file that is opened must not become standard output because that was closed: what is printed would end in it. So
 * something stands in for what is missing, opened the wrong way round: it gives an error and not nothing. */
static bool open_standard_streams(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) == fd) continue;
    cli_say("a standard stream is closed, and /dev/null cannot be opened in its place: %s",
            strerror(errno));
    return false;
  }
  return true;
}

/* Writing that fails is said, with its reason, and has an exit code: it does not end the program in the middle. */
static void ignore_write_signals(void) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

/* Does anybody still read what is printed? */
static bool reader_has_gone(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

/* ---- commands ---- */

static int print_help(const cli_command *command) {
  brink_text text = {0};
  cli_help(command, &text);
  return cli_print(&text);
}

static int print_version(void) {
  brink_text text = {0};
  brink_text_add(&text, "brink %s\n", brink_version());
  return cli_print(&text);
}

static int run_command(const cli_command *command, int argc, char **argv) {
  cli_arguments arguments = {.command = command};
  arguments.given = calloc(cli_arguments_room(argc, argv), sizeof *arguments.given);
  arguments.operands = calloc((size_t)argc, sizeof *arguments.operands);
  int outcome = CLI_NUMERICS;
  if (arguments.given == NULL || arguments.operands == NULL)
    cli_say("out of memory");
  else
    outcome = cli_arguments_parse(&arguments, argc, argv);
  if (outcome == -1)
    outcome = print_help(command);
  else if (outcome == CLI_OK && cli_has(&arguments, CLI_VERSION))
    outcome = print_version();
  else if (outcome == CLI_OK)
    outcome = command->run(&arguments);
  free(arguments.given);
  free(arguments.operands);
  return outcome;
}

static int obey(int argc, char **argv) {
  const char *word = argc > 1 ? argv[1] : "";
  if (argc < 2) return cli_misuse(NULL, "which command?");
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return print_help(NULL);
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return print_version();
  bool help = strcmp(word, "help") == 0;
  if (help && argc == 2) return print_help(NULL);
  const cli_command *command = cli_command_choose(help ? argv[2] : word);
  if (command == NULL) return CLI_USAGE;
  return help ? print_help(command) : run_command(command, argc - 1, argv + 1);
}

int main(int argc, char **argv) {
  if (!open_standard_streams()) return CLI_FILE;
  ignore_write_signals();
  int outcome = obey(argc, argv);
  return outcome == CLI_FILE && reader_has_gone() ? CLI_PIPE : outcome;
}
