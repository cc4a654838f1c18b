/* definition.c: definition structs of callers whose header is older than the library (VERSIONING.md). */
#include "base/definition.h"

#include <string.h>

size_t brink_definition_size(const void *def) {
  size_t size;
  memcpy(&size, def, sizeof size);
  return size;
}

void brink_definition_fill(void *def, size_t size, const void *defaults, size_t known) {
  if (def == NULL || size < sizeof size) return;
  memset(def, 0, size);
  memcpy(def, defaults, size < known ? size : known);
  memcpy(def, &size, sizeof size);
}

brink_status brink_definition_read(void *full, size_t known, const void *given, const char *name,
                                   brink_diag *diag) {
  size_t size = brink_definition_size(given);
  if (size < sizeof size)
    return brink_diag_refuse(diag, BRINK_REASON_DEFINITION,
                             "%s: size is %zu: begin with brink_default_…(), or with .size = "
                             "sizeof(%s)",
                             name, size, name);
  if (size > known)
    return brink_diag_refuse(
        diag, BRINK_REASON_DEFINITION,
        "%s: size is %zu, but this library, version %s, knows only %zu bytes of "
        "it: it is older than the header that the program was compiled with",
        name, size, brink_version(), known);
  memcpy(full, given, size);
  memcpy(full, &known, sizeof known);
  return BRINK_OK;
}
