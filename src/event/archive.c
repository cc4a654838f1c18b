/* archive.c: what a detector knows between two steps, to bytes and back (base/archive.h). What it found in an
 * attempted step is not part of it: there is none then. */
#include "event/detector.h"

#include <string.h>

void brink_located_archive(brink_located *located, size_t guards, brink_archive *a) {
  brink_archive_indices(a, &located->guard, 1, guards);
  located->kind =
      (brink_event_kind)brink_archive_enum(a, (int)located->kind, BRINK_CROSSED, BRINK_HELD);
  located->direction = (brink_direction)brink_archive_enum(a, (int)located->direction,
                                                           BRINK_NEGATIVE, BRINK_POSITIVE);
  brink_archive_double(a, &located->value);
  brink_archive_int(a, &located->priority, INT32_MIN, INT32_MAX);
  brink_archive_bool(a, &located->kept_inside);
  brink_archive_int(a, &located->sign_after, -1, 1);
  brink_archive_bool(a, &located->again);
  located->again_as =
      (brink_event_kind)brink_archive_enum(a, (int)located->again_as, BRINK_CROSSED, BRINK_HELD);
  brink_archive_bool(a, &located->pole);
}

void brink_reach_archive(brink_reach *reach, brink_archive *a) {
  const brink_model_def *def = &reach->eval->model->def;
  brink_archive_mark(a, "reach");
  brink_archive_double(a, &reach->weight);
  brink_archive_double(a, &reach->travelled);
  brink_archive_doubles(a, reach->safe, def->nguards);
  for (size_t c = 0; a->reads && c < brink_reach_chunks(reach); c++)
    reach->least[c] = -(double)INFINITY; /* found anew */
  brink_archive_doubles(a, reach->lipschitz, def->nguards);
  brink_archive_doubles(a, reach->slope, def->nguards);
  brink_archive_doubles(a, reach->curvature, def->nguards);
  brink_archive_signs(a, reach->sgn, def->nguards);
  brink_archive_doubles(a, reach->p, def->np);
  brink_archive_ints(a, reach->mode, def->nmodes);
  brink_archive_doubles(a, reach->moved, reach->eval->nx);
  brink_archive_double(a, &reach->moved_time);
  brink_archive_bool(a, &reach->exact);
  brink_archive_count(a, &reach->nnear, def->nguards);
  brink_archive_indices(a, reach->near, reach->nnear, def->nguards);
}

enum { NOWHERE, PRESENT, ELSEWHERE };

/* Where only some guards need to be asked (brink_eval.centre). */
static void archive_centre(brink_detector *det, const double *x, brink_archive *a) {
  brink_eval *eval = det->eval;
  brink_reach *reach = &det->reach;
  int where = eval->centre == NULL ? NOWHERE : eval->centre == x ? PRESENT : ELSEWHERE;
  brink_archive_int(a, &where, NOWHERE, ELSEWHERE);
  brink_archive_double(a, &eval->allow);
  brink_archive_count(a, &eval->nnear, reach->nnear);
  if (where == ELSEWHERE) {
    if (!a->reads && eval->nx > 0) memcpy(reach->centre, eval->centre, eval->nx * sizeof(double));
    brink_archive_doubles(a, reach->centre, eval->nx);
  }
  if (!a->reads) return;
  eval->centre = where == NOWHERE ? NULL : where == PRESENT ? x : reach->centre;
  eval->moved = reach->moved;
  eval->relevant = reach->relevant;
  eval->near = reach->near;
}

void brink_detector_archive(brink_detector *det, const double *x, brink_archive *a) {
  size_t count = det->eval->model->def.nguards;
  brink_archive_mark(a, "detector");
  double *const values[] = {det->g0,    det->g1,        det->tolerance, det->gap,
                            det->slope, det->slope_new, det->high};
  for (size_t k = 0; k < sizeof values / sizeof values[0]; k++)
    brink_archive_doubles(a, values[k], count);
  brink_archive_bool(a, &det->passed);
  brink_archive_double(a, &det->step_reach);
  brink_archive_double(a, &det->moved);
  brink_archive_double(a, &det->resolution);
  brink_archive_double(a, &det->longest);
  brink_archive_double(a, &det->horizon);
  brink_archive_bool(a, &det->looks_on);
  det->marked = det->marked || a->reads;
  brink_archive_int64s(a, det->seen, count);
  brink_archive_int64(a, &det->step);
  for (size_t k = 0; k < count; k++) brink_archive_int(a, &det->slow[k], 0, INT32_MAX);
  brink_archive_bools(a, det->touched, count);
  brink_archive_index(a, &det->undefined, count);
  if (a->reads) {
    det->nlocated = det->nqueue = det->nmisses = 0;
    det->whole = false;
  }
  brink_reach_archive(&det->reach, a);
  archive_centre(det, x, a);
}
