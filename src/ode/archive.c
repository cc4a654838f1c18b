/* archive.c: a stepper between two steps, to bytes and back (base/archive.h). Predictor and dense output belong to a step,
 * and are made anew. */
#include "ode/stepper.h"

enum { CHOSEN, SUBSTITUTE, IMPLICIT };

static void archive_engine(brink_stepper *st, const brink_stepper_engine *engine, bool runs,
                           brink_archive *a) {
  brink_archive_same(a, engine->ops != NULL ? (size_t)engine->ops->method : SIZE_MAX);
  if (engine->ops != NULL && !a->failed)
    engine->ops->archive(st, engine->method, runs && st->method == engine->method, a);
}

/* The engine for stiff motion is made when it is first needed. */
static bool make_implicit(brink_stepper *st, brink_arena *arena, brink_archive *a) {
  bool made = st->implicit.ops != NULL;
  brink_archive_bool(a, &made);
  if (!a->reads || a->failed || !made || st->implicit.ops != NULL) return made;
  if (brink_stepper_add_implicit(st, arena)) return true;
  if (arena->failed)
    brink_archive_no_memory(a);
  else
    brink_archive_damaged(a);
  arena->failed = false;
  return false;
}

void brink_stepper_archive(brink_stepper *st, bool runs, brink_arena *arena, brink_archive *a) {
  const brink_stepper_engine *const engines[] = {&st->chosen, &st->substitute, &st->implicit};
  brink_archive_mark(a, "stepper");
  bool implicit = make_implicit(st, arena, a);
  int present = CHOSEN;
  while (present < IMPLICIT && engines[present]->method != st->method) present++;
  brink_archive_int(a, &present, CHOSEN, IMPLICIT);
  brink_archive_bool(a, &st->stiff);
  if (!brink_archive_check(a, engines[present]->ops != NULL && (implicit || !st->stiff))) return;
  st->ops = engines[present]->ops;
  st->method = engines[present]->method;
  brink_archive_double(a, &st->t);
  brink_archive_doubles(a, st->x, st->n);
  brink_archive_doubles(a, st->f, st->n);
  brink_archive_doubles(a, st->x_new, st->n);
  brink_archive_int(a, &st->age, 0, INT32_MAX);
  brink_archive_bool(a, &st->f_ready);
  brink_archive_int(a, &st->order, 0, BRINK_PATH_DEGREE);
  brink_archive_double(a, &st->h_plan);
  brink_archive_double(a, &st->h_next);
  brink_archive_double(a, &st->h);
  brink_archive_double(a, &st->error);
  for (int k = CHOSEN; k <= IMPLICIT; k++) archive_engine(st, engines[k], runs, a);
}
