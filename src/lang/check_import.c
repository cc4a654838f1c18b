/* check_import.c: a component that is not here may be in a file beside the model, not imported. */
#include <stdlib.h>
#include <string.h>

#include "lang/check.h"

/* "Name is" somewhere in a text. */
static bool declares(const char *text, const char *name) {
  size_t length = strlen(name);
  for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name)) {
    const char *behind = at + length, *word = behind + strspn(behind, " \t\r\n");
    if (word > behind && (word[0] == 'i' || word[0] == 'I') && (word[1] == 's' || word[1] == 'S'))
      return true;
  }
  return false;
}

static bool is_read(const brink_unit *unit, const char *path) {
  for (size_t k = 0; k < unit->nfiles; k++) {
    if (strcmp(unit->files[k].path, path) == 0) return true;
  }
  return false;
}

/* Is there such a file, and does it hold the component? */
static bool holds_at(brink_unit *unit, const char *path, const char *class_name) {
  const char *reason;
  if (unit->out_of_memory || is_read(unit, path)) return false;
  if (unit->reader.look != NULL &&
      unit->reader.look(path, &reason, unit->reader.user) != BRINK_FILE_FOUND)
    return false;
  size_t length;
  char *text = unit->reader.read(path, &length, &reason, unit->reader.user);
  bool found = text != NULL && declares(text, class_name);
  free(text);
  return found;
}

/* Beside the file that names it, or in the search path. */
static bool holds(brink_checker *c, const char *file, const char *class_name, brink_place place) {
  brink_unit *unit = c->unit;
  const char *from = unit->files[place.file].path, *slash = strrchr(from, '/');
  int directory = slash != NULL ? (int)(slash - from) + 1 : 0;
  if (holds_at(unit, brink_unit_format(unit, "%.*s%s", directory, from, file), class_name))
    return true;
  for (size_t k = 0; k < unit->reader.ndirectories; k++)
    if (holds_at(unit, brink_unit_format(unit, "%s/%s", unit->reader.directories[k], file),
                 class_name))
      return true;
  return false;
}

const char *brink_check_import_hint(brink_checker *c, const char *class_name, brink_place place) {
  char lower[BRINK_NAME_LIMIT + 1];
  const char *name = class_name;
  size_t length = strlen(name);
  if (length > BRINK_NAME_LIMIT || c->unit->too_many) return NULL;
  for (size_t k = 0; k <= length; k++)
    lower[k] = name[k] >= 'A' && name[k] <= 'Z' ? (char)(name[k] - 'A' + 'a') : name[k];
  const char *const spellings[] = {lower, name};
  for (size_t k = 0; k < 2; k++) {
    if (k == 1 && strcmp(lower, name) == 0) break;
    const char *file = brink_unit_format(c->unit, "%s.hsml", spellings[k]);
    if (holds(c, file, class_name, place))
      return brink_unit_format(c->unit, "it is in a file that is not imported: import \"%s\";",
                               file);
  }
  return NULL;
}
