/* definition.h: definition structs of callers whose header is older than the library (VERSIONING.md).
 *
 * Every definition struct of the public headers begins with `size_t size`, its size as the caller's
 * compiler knew it. New members are only ever added at the end, so a smaller size says which members the
 * caller does not know: they take their defaults. */
#ifndef BRINK_BASE_DEFINITION_H
#define BRINK_BASE_DEFINITION_H

#include "base/base.h"

/* What a definition says of its own size. */
size_t brink_definition_size(const void *def);

/* Copies the defaults into a caller's definition of `size` bytes, and sets its size. `known` is the size of the
 * defaults; what the caller has beyond it becomes 0 (the definition will be refused). */
void brink_definition_fill(void *def, size_t size, const void *defaults, size_t known);

/* Copies a caller's definition over `full`, which holds the defaults and has `known` bytes. ARGUMENT if it has no
 * size, or one larger than `known`; `name` is the type's, for the message. */
brink_status brink_definition_read(void *full, size_t known, const void *given, const char *name,
                                   brink_diag *diag);

#endif
