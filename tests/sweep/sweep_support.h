/* sweep_support.h: sweeps of models given as text, with their tables in memory. */
#ifndef BRINK_TESTS_SWEEP_SUPPORT_H
#define BRINK_TESTS_SWEEP_SUPPORT_H

#include "check.h"

#include <brink/sweep.h>
#include <math.h>

typedef struct swept {
  brink_hsml_def model;
  brink_sweep_def def;
  brink_sweep *sweep;
  brink_sweep_table table;
  brink_diag diag;
} swept;

static inline swept sweep_of(const char *text) {
  swept s = {.model = brink_default_hsml(), .def = brink_default_sweep()};
  s.model.text = text;
  s.def.interpret = true;
  s.def.keep_table = true;
  s.def.jobs = 2;
  return s;
}

static inline void sweep_vary(swept *s, const char *const *vary, size_t count) {
  s->def.vary = vary;
  s->def.nvary = count;
}

static inline void sweep_measure(swept *s, const char *const *measures, size_t count) {
  s->def.measures = measures;
  s->def.nmeasures = count;
}

/* Makes it, runs it, and has the table. */
static inline brink_status sweep_go(swept *s) {
  s->def.model = &s->model;
  brink_status status = brink_sweep_create(&s->def, &s->diag, &s->sweep);
  if (status == BRINK_OK) status = brink_sweep_run(s->sweep, &s->diag);
  if (s->sweep != NULL && s->def.keep_table) brink_sweep_get_table(s->sweep, &s->table, NULL);
  return status;
}

#define SWEEP_FINE(s)                                                                              \
  do {                                                                                             \
    brink_status sweep_status = sweep_go(s);                                                       \
    CHECK_MSG(sweep_status == BRINK_OK, "%d: %s", (int)sweep_status, (s)->diag.message);           \
  } while (0)

static inline void sweep_end(swept *s) {
  brink_sweep_destroy(s->sweep);
  s->sweep = NULL;
}

/* A column by its name; BRINK_NONE: there is none. */
static inline size_t sweep_column(const swept *s, const char *name) {
  for (size_t k = 0; k < s->table.ncolumns; k++) {
    if (strcmp(s->table.columns[k].name, name) == 0) return k;
  }
  CHECK_MSG(false, "there is no column '%s'", name);
  return BRINK_NONE;
}

static inline double sweep_value(const swept *s, uint64_t row, const char *name) {
  size_t column = sweep_column(s, name);
  if (column == BRINK_NONE || row >= s->table.rows) return (double)NAN;
  return s->table.values[row * s->table.ncolumns + column];
}

static inline const char *sweep_text(const swept *s, uint64_t row, const char *name) {
  double number = sweep_value(s, row, name);
  return number >= 0.0 && number < (double)s->table.ntexts ? s->table.texts[(size_t)number] : "";
}

#endif
