/* simulate.c: one run of the judge, from the start to its end. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/world.h"

/* Steps that lead nowhere, one after another: something switches without end. */
enum { STALLS = 200 };

/* Whether an event at the very end still counts is a matter of rounding. */
static void refuse_reached(judge *j) {
  for (size_t f = 0; f < j->nflags; f++)
    if (j->reached[f] != 0) judge_refuse(j, "an event at the very end");
}

static void look_beyond(judge *j) {
  double t = j->t, x[JUDGE_LIMIT];
  memcpy(x, j->x, j->nx * sizeof *x);
  judge_advance(j, t + 1e-7);
  refuse_reached(j);
  j->over = false;
  judge_at(j, t, x);
}

static void run_to_the_end(judge *j) {
  int stalls = 0;
  judge_start(j);
  while (!j->over && j->t < j->until) {
    long long sample = judge_next_sample(j);
    double next = sample < LLONG_MAX ? (double)sample / JUDGE_NANO : (double)INFINITY,
           before = j->t;
    bool samples = next <= j->until;
    judge_advance(j, samples ? next : j->until);
    stalls = j->t - before < 1e-12 ? stalls + 1 : 0;
    if (stalls > STALLS) judge_refuse(j, "time does not move on at t = %.9g", j->t);
    if (j->t >= j->until && !samples && !j->over) {
      refuse_reached(j);
      break;
    }
    if (!j->over) judge_instant(j);
  }
  if (!j->over) look_beyond(j);
}

static void keep_finals(judge *j) {
  judge_run *run = j->run;
  run->finals = calloc(j->nshown + 1, sizeof *run->finals);
  if (run->finals == NULL) judge_refuse(j, "no memory");
  judge_at(j, j->t, j->x);
  for (size_t k = 0; k < j->nshown; k++) {
    judge_final *final = &run->finals[run->nfinals++];
    memcpy(final->name, j->shown[k]->name, sizeof final->name);
    final->value = judge_cell_value(j, j->shown[k]);
    if (j->shown[k]->text && final->value < (double)j->nstrings)
      final->text = j->strings[(size_t) final->value];
  }
}

void judge_simulate(const brink_unit *unit, double until, double step, double moved,
                    judge_run *run) {
  *run = (judge_run){.ending = JUDGE_FINISHED};
  judge *j = calloc(1, sizeof *j);
  run->events = calloc(JUDGE_EVENTS, sizeof *run->events);
  if (j == NULL || run->events == NULL) abort();
  j->run = run;
  j->step = step;
  j->until = until;
  j->moved = moved;
  brink_arena_init(&j->arena, NULL);
  if (setjmp(j->give_up) == 0) {
    judge_build(j, unit);
    run_to_the_end(j);
    run->t = j->t;
    keep_finals(j);
  }
  free(j->table.site);
  free(j->hint.site);
  brink_arena_free(&j->arena);
  free(j);
}

void judge_run_free(judge_run *run) {
  free(run->events);
  free(run->finals);
  *run = (judge_run){0};
}

const char *judge_ending_name(judge_ending ending) {
  static const char *const names[] = {
      [JUDGE_FINISHED] = "finished", [JUDGE_STOPPED] = "stopped", [JUDGE_FAILED] = "fail",
      [JUDGE_RANGE] = "range",       [JUDGE_BLOCKED] = "blocked", [JUDGE_LOOP] = "loop",
      [JUDGE_UNSURE] = "unsure"};
  return names[ending];
}
