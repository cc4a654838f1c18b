/* compare.h: runs of Brink, and what the judge says about them. */
#ifndef BRINK_TESTS_JUDGE_COMPARE_H
#define BRINK_TESTS_JUDGE_COMPARE_H

#include "judge/judge.h"

/* One way to run a model. */
typedef struct compare_way {
  const char *method; /* "auto", "adams", "dopri" */
  bool native;        /* machine code; else the interpreter */
  const char *clocks; /* of agents, by the program: "own", "one"; NULL: in this process */
} compare_way;

/* Where things are. */
typedef struct compare_place {
  const char *cache;   /* of compiled models */
  const char *program; /* NULL: there is none */
  const char *scratch; /* a file that may be written */
} compare_place;

#define COMPARE_TOLERANCE 1e-9 /* of the runs: rtol; atol is a thousandth of it */

/* Runs `text` and compares. True: it agrees; else `what` says how it differs. */
bool compare_run(const char *text, double until, const judge_verdict *verdict,
                 const compare_way *way, const compare_place *place, char *what, size_t size);

/* "auto interpreted", "adams native", "auto own clocks" */
const char *compare_way_name(const compare_way *way, char *buffer, size_t size);

#endif
