/* judge.h: a second simulator of HSML, deliberately plain, that answers for the language's text alone.
 *
 * It shares the parser with the library (lang/ast.h) and nothing that decides anything: no flags made by a
 * compiler, no veto, no error control, no polynomials. Equations are looked up by name and evaluated on demand
 * (world.c, evaluate.c). The classical Runge-Kutta method at a fixed step carries the state from one instant to the
 * next; conditions keep the truth that they had behind the last switch until one of them changes, which bisection
 * finds (integrate.c). At an instant (instant.c) the conditions settle first, then events, samples and rules follow
 * each other as sections 3, 4 and 6 of the language say. verdict.c runs it all at several steps and from a start
 * that was moved a little: it judges the judge. */
#ifndef BRINK_TESTS_JUDGE_H
#define BRINK_TESTS_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "lang/ast.h"

enum { JUDGE_EVENTS = 4000, JUDGE_NAME = 96 };

typedef struct judge_event {
  char flag[JUDGE_NAME]; /* "plant.empty"; of a pair: "gap car[1] car[2]" */
  int direction;         /* -1, 1 */
  double t;
  double slack; /* a unilateral edge with slope zero: its time is not known better */
} judge_event;

/* A state or mode at the end. */
typedef struct judge_final {
  char name[JUDGE_NAME];
  double value;
  const char *text; /* of a mode; NULL: a number */
} judge_final;

typedef enum judge_ending {
  JUDGE_FINISHED,
  JUDGE_STOPPED, /* by stop(...) */
  JUDGE_FAILED,  /* by fail(...) */
  JUDGE_RANGE,   /* a value left its range */
  JUDGE_BLOCKED, /* a unilateral surface, and nothing leads away */
  JUDGE_LOOP,    /* an instant that does not settle */
  JUDGE_UNSURE,  /* the judge gives up: `reason` */
} judge_ending;

typedef struct judge_run {
  judge_ending ending;
  char reason[160];
  double t;
  judge_event *events;
  size_t nevents;
  judge_final *finals;
  size_t nfinals;
  double fastest; /* the largest |x'| at an instant */
  long steps;
  bool slid;    /* on some surface, for a while */
  void *memory; /* holds texts of finals */
} judge_run;

/* One run at a fixed step. `moved`: how far initial values of states are moved, relative to 1 + |x|; 0: not at all. */
void judge_simulate(const brink_unit *unit, double until, double step, double moved,
                    judge_run *run);
void judge_run_free(judge_run *run);

/* ---- verdict.c: what the judge believes, and how firmly ---- */

typedef struct judge_verdict {
  bool apart; /* no verdict: `why` says, in one or two words, to be counted */
  const char *why;
  char reason[200];    /* at length */
  judge_run run;       /* times and values extrapolated */
  double *time_error;  /* of each event, own and by condition */
  double *final_error; /* of each final */
  double *time_gain;   /* how much a change of the start by 1 changes it */
  double *final_gain;
  bool any_partner; /* of several that meet at one instant, rounding may take another pair first */
  double
      rough; /* how much more than that the tolerance of a run may miss: where fields have no derivative at an edge */
} judge_verdict;

/* `exact`: the start lies on a surface by intention, and is not moved; gains are then taken to be 100. */
void judge_decide(const brink_unit *unit, double until, bool exact, judge_verdict *verdict);
void judge_verdict_free(judge_verdict *verdict);

const char *judge_ending_name(judge_ending ending);

#endif
