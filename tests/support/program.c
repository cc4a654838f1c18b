/* program.c: running the program and reading what it says. */
#include "support/program.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

char *read_all(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return calloc(1, 1);
  size_t length = 0, room = 1 << 16;
  char *text = malloc(room);
  for (size_t got; text != NULL && (got = fread(text + length, 1, room - length - 1, file)) > 0;) {
    length += got;
    if (room - length < 2) text = realloc(text, room *= 2);
  }
  if (text == NULL) abort();
  text[length] = '\0';
  fclose(file);
  return text;
}

void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) abort();
}

outcome program_run(const char *program, const char *format, ...) {
  char arguments[4096], command[8192];
  va_list list;
  va_start(list, format);
  vsnprintf(arguments, sizeof arguments, format, list);
  va_end(list);
  bool redirected = strchr(arguments, '>') != NULL;
  snprintf(command, sizeof command, "'%s' %s %s 2>err.txt", program, arguments,
           redirected ? "" : ">out.txt");
  int status = system(command);
  outcome o = {.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1};
  o.out = redirected ? calloc(1, 1) : read_all("out.txt");
  o.err = read_all("err.txt");
  const char *error;
  size_t offset;
  if (o.out[0] == '{') o.summary = json_parse(o.out, &error, &offset);
  return o;
}

void done(outcome *o) {
  json_free(o->summary);
  free(o->out);
  free(o->err);
}

void program_enter(char folder[16]) {
  snprintf(folder, 16, "cli-XXXXXX");
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) abort();
}

void program_leave(const char *folder) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (chdir("..") != 0 || system(command) != 0) abort();
}
