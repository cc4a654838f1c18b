/* sensitivity_archive.c: derivatives of a run between two steps, to bytes and back (base/archive.h). Read into an object with
 * the same directions. */
#include <math.h>

#include "sim/sensitivity_parts.h"

static void archive_flow(brink_sensitivity *s, brink_archive *a) {
  size_t nx = s->sim->model->def.nx, entries = nx * s->count;
  brink_archive_bool(a, &s->gave_up);
  brink_archive_double(a, &s->h);
  brink_archive_double(a, &s->from_t);
  brink_archive_doubles(a, s->from_m, entries);
  brink_archive_doubles(a, s->tangent.size, nx);
  brink_archive_count(a, &s->nhistory, SIZE_MAX / 4);
  brink_archive_doubles(a, s->history_t, BRINK_SENSITIVITY_HISTORY);
  if (s->history != NULL)
    brink_archive_doubles(a, s->history, BRINK_SENSITIVITY_HISTORY * (nx + entries));
}

/* The last instant, for a run that ends with it. */
static void archive_instant(brink_sensitivity *s, brink_archive *a) {
  brink_archive_doubles(a, s->tau, s->count);
  brink_archive_doubles(a, s->carried_x, s->sim->model->def.nx * s->columns);
}

void brink_sensitivity_archive(brink_sensitivity *s, brink_archive *a) {
  const brink_model_def *def = &s->sim->model->def;
  brink_archive_mark(a, "slopes");
  brink_archive_same(a, s->count);
  brink_archive_same(a, s->columns);
  brink_archive_bool(a, &s->fresh);
  brink_archive_u32(a, &s->limits);
  brink_archive_u32(a, &s->calm);
  brink_archive_double(a, &s->t);
  brink_archive_doubles(a, s->m, def->nx * s->count);
  brink_archive_doubles(a, s->p, def->np * s->count);
  brink_archive_doubles(a, s->timer, def->nclocks * s->count);
  brink_archive_count(a, &s->reported, SIZE_MAX / 4);
  archive_flow(s, a);
  archive_instant(s, a);
  /* Derivatives are followed from there: a time that is none would never be over. */
  bool possible = isfinite(s->t) && s->t <= s->sim->t && isfinite(s->h) && s->h >= 0.0;
  brink_archive_check(a, possible);
}
