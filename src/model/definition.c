/* definition.c: the defaults of models, guards, clocks and constraints, and definitions of callers that know less of them. */
#include <string.h>

#include "base/definition.h"
#include "model/model.h"

static const brink_model_def model_defaults = {.size = sizeof(brink_model_def), .name = "model"};

static const brink_guard_def guard_defaults = {.size = sizeof(brink_guard_def),
                                               .side = BRINK_BILATERAL,
                                               .direction = BRINK_BOTH,
                                               .leave_positive = BRINK_NONE,
                                               .leave_negative = BRINK_NONE};

static const brink_clock_def clock_defaults = {.size = sizeof(brink_clock_def)};

static const brink_constraints_def constraints_defaults = {.size = sizeof(brink_constraints_def)};

void brink_model_defaults(brink_model_def *def, size_t size) {
  brink_definition_fill(def, size, &model_defaults, sizeof model_defaults);
}

void brink_guard_defaults(brink_guard_def *def, size_t size) {
  brink_definition_fill(def, size, &guard_defaults, sizeof guard_defaults);
}

void brink_clock_defaults(brink_clock_def *def, size_t size) {
  brink_definition_fill(def, size, &clock_defaults, sizeof clock_defaults);
}

void brink_constraints_defaults(brink_constraints_def *def, size_t size) {
  brink_definition_fill(def, size, &constraints_defaults, sizeof constraints_defaults);
}

brink_status brink_guard_def_read(const brink_guard_def *given, brink_guard_def *full,
                                  brink_diag *diag) {
  *full = guard_defaults;
  return brink_definition_read(full, sizeof *full, given, "brink_guard_def", diag);
}

/* One kind of definition in an array. */
typedef struct kind {
  const char *name;
  const void *defaults;
  size_t known; /* bytes */
} kind;

/* The elements of an array lie as far apart as the first one says, and all must say the same. An array of elements as
 * we know them is used as it is; one of smaller elements is copied into the arena. */
static brink_status read_array(const kind *k, const void *given, size_t count, brink_arena *arena,
                               const void **full, brink_diag *diag) {
  *full = given;
  if (given == NULL || count == 0) return BRINK_OK;
  size_t stride = brink_definition_size(given);
  char *copy = NULL;
  if (stride != k->known) {
    bool smaller = stride >= sizeof stride && stride < k->known;
    if (!smaller) return brink_definition_read(NULL, k->known, given, k->name, diag);
    *full = copy = brink_arena_take(arena, count, k->known);
    if (copy == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  }
  for (size_t i = 0; i < count; i++) {
    const char *one = (const char *)given + i * stride;
    if (brink_definition_size(one) != stride)
      return brink_diag_refuse(diag, BRINK_REASON_DEFINITION,
                               "%s: size is %zu in element %zu of an array, but %zu in its first",
                               k->name, brink_definition_size(one), i, stride);
    if (copy == NULL) continue;
    memcpy(copy + i * k->known, k->defaults, k->known);
    brink_definition_read(copy + i * k->known, k->known, one, k->name, NULL);
  }
  return BRINK_OK;
}

/* Without unknowns nobody asks for constraints. */
static brink_status read_constraints(brink_model_def *model, brink_arena *arena, brink_diag *diag) {
  if (model->nz == 0 || model->constraints == NULL) return BRINK_OK;
  brink_constraints_def *full = brink_arena_copy(arena, &constraints_defaults, 1, sizeof *full);
  if (full == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  const brink_constraints_def *given = model->constraints;
  model->constraints = full;
  return brink_definition_read(full, sizeof *full, given, "brink_constraints_def", diag);
}

brink_status brink_model_def_read(const brink_model_def *given, brink_arena *arena,
                                  brink_model_def *full, brink_diag *diag) {
  static const kind guard = {"brink_guard_def", &guard_defaults, sizeof guard_defaults};
  static const kind clock = {"brink_clock_def", &clock_defaults, sizeof clock_defaults};
  const void *guards, *clocks;
  *full = model_defaults;
  brink_status status = brink_definition_read(full, sizeof *full, given, "brink_model_def", diag);
  if (status != BRINK_OK) return status;
  status = read_array(&guard, full->guards, full->nguards, arena, &guards, diag);
  if (status == BRINK_OK)
    status = read_array(&clock, full->clocks, full->nclocks, arena, &clocks, diag);
  if (status != BRINK_OK) return status;
  full->guards = guards;
  full->clocks = clocks;
  return read_constraints(full, arena, diag);
}
