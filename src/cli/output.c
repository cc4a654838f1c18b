/* output.c: files and standard output, whose failures are never lost. */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/show.h"

/* "brink: …" in one line, whatever the arguments hold; or with indented lines that show a place. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 0)))
#endif
static void
say(bool lines, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  char *words = length >= 0 ? malloc((size_t)length + 1) : NULL;
  brink_text shown = {0};
  if (words != NULL && vsnprintf(words, (size_t)length + 1, format, again) >= 0)
    (lines ? brink_text_show_lines : brink_text_show_message)(&shown, words);
  va_end(again);
  free(words);
  fprintf(stderr, "brink: %s", shown.data != NULL ? shown.data : "out of memory");
  brink_text_free(&shown);
}

void cli_say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(false, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

static int try_help(const char *command) {
  fprintf(stderr, "\nTry 'brink %s%s--help'.\n", command != NULL ? command : "",
          command != NULL ? " " : "");
  return CLI_USAGE;
}

int cli_misuse(const char *command, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(true, format, arguments);
  va_end(arguments);
  return try_help(command);
}

int cli_misuse_at(const char *command, const char *carets, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(true, format, arguments);
  va_end(arguments);
  fputs(carets, stderr);
  return try_help(command);
}

void cli_complain(const char *place, const char *format, ...) {
  brink_text shown = {0};
  va_list arguments;
  va_start(arguments, format);
  char words[1024];
  brink_format_short(words, sizeof words, format, arguments);
  va_end(arguments);
  brink_text_show_message(&shown, place);
  brink_text_add(&shown, ": error: ");
  brink_text_show_lines(&shown, words);
  fprintf(stderr, "%s\n", shown.data != NULL ? shown.data : "out of memory");
  brink_text_free(&shown);
}

int cli_refuse(const char *command, brink_status status, const brink_diag *diag) {
  if (status == BRINK_ERR_ARGUMENT || status == BRINK_ERR_UNSUPPORTED)
    return cli_misuse(command, "%s", diag->message);
  cli_say("%s", diag->message);
  return status == BRINK_ERR_MODEL  ? CLI_MODEL_ERRORS
         : status == BRINK_ERR_FILE ? CLI_FILE
                                    : CLI_NUMERICS;
}

static int fail(cli_output *output, const char *what) {
  if (!output->failed) cli_say("cannot %s %s: %s", what, output->name, strerror(errno));
  output->failed = true;
  return CLI_FILE;
}

static bool open_file(cli_output *output, const char *path, const char *how) {
  *output = (cli_output){.stream = fopen(path, how), .name = path};
  if (output->stream == NULL) fail(output, "write");
  return output->stream != NULL;
}

bool cli_output_open(cli_output *output, const char *path) {
  if (strcmp(path, "-") != 0) return open_file(output, path, "w");
  *output = (cli_output){.stream = stdout, .name = "standard output"};
  return true;
}

bool cli_output_append(cli_output *output, const char *path) {
  return open_file(output, path, "a");
}

bool cli_output_is_writable(const char *path) {
  cli_output output;
  bool is_there = access(path, F_OK) == 0;
  bool fine = cli_output_append(&output, path) && cli_output_close(&output) == CLI_OK;
  if (fine && !is_there) unlink(path);
  return fine;
}

int cli_output_write(const char *text, size_t length, void *user) {
  cli_output *output = user;
  if (output->failed) return CLI_FILE;
  errno = 0;
  bool written = fwrite(text, 1, length, output->stream) == length && fflush(output->stream) == 0;
  return written ? 0 : fail(output, "write to");
}

int cli_output_close(cli_output *output) {
  if (output->stream == NULL) return output->failed ? CLI_FILE : CLI_OK;
  errno = 0;
  if (fflush(output->stream) != 0 || ferror(output->stream) != 0) fail(output, "write to");
  if (output->stream != stdout && fclose(output->stream) != 0) fail(output, "write to");
  output->stream = NULL;
  return output->failed ? CLI_FILE : CLI_OK;
}

int cli_print(brink_text *text) {
  cli_output output;
  cli_output_open(&output, "-");
  if (text->failed)
    cli_say("out of memory");
  else
    cli_output_write(text->data, text->length, &output);
  bool failed = text->failed;
  brink_text_free(text);
  int outcome = cli_output_close(&output);
  return failed ? CLI_FILE : outcome;
}
