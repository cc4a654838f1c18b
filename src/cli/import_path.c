/* import_path.c: where imports are looked for. */
#include "cli/import_path.h"

#include <stdlib.h>
#include <string.h>

static void add(cli_import_path *path, const char *text, size_t length) {
  if (length == 0) return;
  char *copy = brink_arena_take(&path->arena, length + 1, 1);
  const char **place =
      brink_arena_push(&path->arena, path->directories, path->count, path->capacity);
  if (copy == NULL || place == NULL) return;
  memcpy(copy, text, length);
  *place = copy;
}

bool cli_import_path_open(cli_import_path *path, const cli_arguments *arguments) {
  *path = (cli_import_path){0};
  brink_arena_init(&path->arena, NULL);
  for (size_t k = 0; k < arguments->ngiven; k++)
    if (arguments->given[k].id == CLI_IMPORT_PATH)
      add(path, arguments->given[k].value, strlen(arguments->given[k].value));
  const char *list = getenv("BRINK_PATH");
  while (list != NULL && *list != '\0') {
    size_t length = strcspn(list, ":");
    add(path, list, length);
    list += length + (list[length] == ':');
  }
  if (!path->arena.failed) return true;
  cli_say("out of memory");
  return false;
}

void cli_import_path_close(cli_import_path *path) {
  brink_arena_free(&path->arena);
}
