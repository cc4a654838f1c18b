/* questions.c: what is asked of workers, and what they answer, as bytes that cross from one process to another. The same list
 * writes and reads (base/archive.h). */
#include <string.h>

#include "fit/fit_parts.h"

bool brink_fit_answer_make(const brink_fit *fit, brink_arena *arena, brink_fit_answer *answer) {
  *answer = (brink_fit_answer){.fixed = brink_arena_take(arena, fit->n, sizeof(bool))};
  return brink_fit_point_make(fit, arena, &answer->point) && !arena->failed;
}

static void archive_point(const brink_fit *fit, brink_fit_point *p, brink_archive *a) {
  int64_t order = (int64_t)p->order;
  brink_archive_mark(a, "point");
  brink_archive_doubles(a, p->z, fit->n);
  brink_archive_bool(a, &p->usable);
  brink_archive_bool(a, &p->has_jacobian);
  brink_archive_double(a, &p->sum);
  brink_archive_double(a, &p->end);
  brink_archive_u32(a, &p->limits);
  brink_archive_int64(a, &order);
  brink_archive_count(a, &p->nevents, SIZE_MAX);
  p->order = (uint64_t)order;
  if (!p->usable) return; /* the rest was never worked out */
  brink_archive_doubles(a, p->model, fit->ndata);
  brink_archive_doubles(a, p->r, fit->ndata);
  brink_archive_bools(a, p->absent, fit->ndata);
  if (p->has_jacobian) brink_archive_doubles(a, p->jacobian, fit->ndata * fit->n);
}

void brink_fit_archive_question(const brink_fit *fit, brink_fit_task *task, brink_fit_point *point,
                                brink_archive *a) {
  brink_archive_mark(a, "question");
  *task = (brink_fit_task)brink_archive_enum(a, (int)*task, BRINK_TASK_RUN, BRINK_TASK_GO_ON);
  if (*task == BRINK_TASK_GO_ON)
    archive_point(fit, point, a);
  else
    brink_archive_doubles(a, point->z, fit->n);
}

void brink_fit_archive_failure(brink_status *status, brink_diag *failure, brink_archive *a) {
  int number = (int)*status;
  brink_archive_ints(a, &number, 1);
  *status = (brink_status)number;
  /* Ranks are processes of one program: the bytes of a struct are the same for all. */
  brink_archive_bytes(a, failure, sizeof *failure);
  failure->text[sizeof failure->text - 1] = '\0';
  failure->message[sizeof failure->message - 1] = '\0';
}

void brink_fit_archive_answer(const brink_fit *fit, brink_fit_answer *answer, brink_archive *a) {
  brink_archive_mark(a, "answer");
  brink_fit_archive_failure(&answer->status, &answer->failure, a);
  brink_archive_count(a, &answer->runs, SIZE_MAX);
  brink_archive_count(a, &answer->derivative_runs, SIZE_MAX);
  brink_archive_bool(a, &answer->converged);
  brink_archive_bool(a, &answer->downhill_again);
  brink_archive_bool(a, &answer->smooth);
  brink_archive_bools(a, answer->fixed, fit->n);
  archive_point(fit, &answer->point, a);
}
