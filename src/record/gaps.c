/* gaps.c: where recorded values are not numbers: of each variable the first time, for the warnings of a run. */
#include <math.h>

#include "base/archive.h"
#include "record/record.h"

bool brink_gaps_begin(brink_gaps *gaps, const brink_system *system, brink_arena *arena) {
  if (gaps->of == NULL) gaps->of = brink_arena_take(arena, system->nvariables, sizeof *gaps->of);
  gaps->count = gaps->of != NULL ? system->nvariables : 0;
  for (size_t k = 0; k < gaps->count; k++) gaps->of[k] = (brink_gap){.t = (double)NAN};
  return gaps->of != NULL;
}

/* Derivatives and flags are left out: where a surface holds the state they may be unknown without anything being
 * wrong. */
void brink_gaps_value(brink_gaps *gaps, const brink_tracked *tracked, size_t element, double value,
                      double t) {
  if (!isnan(value) || gaps == NULL || tracked->look != BRINK_LOOK_VARIABLE) return;
  brink_gap *gap = &gaps->of[tracked->variable];
  if (!isnan(gap->t)) return;
  gap->t = t;
  gap->element = tracked->elements != NULL ? tracked->elements[element] : element;
}

void brink_gaps_values(brink_gaps *gaps, const brink_columns *columns, const double *values,
                       double t) {
  for (size_t k = 0; gaps != NULL && k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    for (size_t e = 0; e < tracked->count; e++)
      brink_gaps_value(gaps, tracked, e, values[tracked->first + e], t);
  }
}

void brink_gaps_look(brink_gaps *gaps, const brink_columns *columns, const brink_moment *moment) {
  if (gaps == NULL) return;
  double t = brink_system_time(columns->system, moment->t);
  brink_columns_visit(columns, moment);
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    for (size_t e = 0; e < tracked->count; e++)
      brink_gaps_value(gaps, tracked, e, brink_columns_value(columns, tracked, e, moment), t);
  }
}

void brink_gaps_archive(brink_gaps *gaps, brink_archive *a) {
  brink_archive_mark(a, "gaps");
  brink_archive_same(a, gaps->count);
  for (size_t k = 0; k < gaps->count && !a->failed; k++) {
    brink_archive_double(a, &gaps->of[k].t);
    brink_archive_count(a, &gaps->of[k].element, SIZE_MAX / 4);
  }
}
