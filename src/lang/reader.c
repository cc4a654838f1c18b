/* reader.c: texts of models from files, or from standard input ("-"). */
#include "base/file.h"
#include "lang/ast.h"

static char *read_file(const char *path, size_t *length, const char **reason, void *user) {
  (void)user;
  return brink_file_read(path, BRINK_FILE_LIMIT, length, reason);
}

/* Only regular files are imported: a directory has no text, and reading a pipe would wait for ever. */
static brink_file_found look_for(const char *path, const char **reason, void *user) {
  bool missing;
  (void)user;
  if (brink_file_is_regular(path, reason, &missing)) return BRINK_FILE_FOUND;
  return missing ? BRINK_FILE_NOTHING : BRINK_FILE_NO_TEXT;
}

static bool is_same_file(const char *a, const char *b, void *user) {
  (void)user;
  return brink_file_is_same(a, b);
}

static bool is_inside(const char *path, const char *directory, void *user) {
  (void)user;
  return brink_file_is_inside(path, directory);
}

const brink_reader brink_file_reader = {
    .read = read_file, .look = look_for, .same = is_same_file, .inside = is_inside};
