/* flat_run.h: runs flat systems made by hand, and looks at what came out. */
#ifndef BRINK_TESTS_FLAT_RUN_H
#define BRINK_TESTS_FLAT_RUN_H

#include "model/model.h"
#include "native/native.h"
#include "support/flat.h"

enum { TOY_EVENTS = 4096 };

typedef struct toy_event {
  char name[48];
  double t, x[2]; /* after it */
  brink_direction direction;
  size_t nnotes;
  double note; /* the first value of the first note */
  char label[32];
} toy_event;

typedef struct toy_run {
  brink_instance *instance;
  brink_sim *sim;
  brink_status status;
  brink_diag diag;
  size_t nevents;
  toy_event events[TOY_EVENTS];
} toy_run;

/* Machine code? A test program runs everything with the interpreter first. */
extern bool toy_native;

brink_instance_options toy_options(void);
brink_options toy_sim_options(void);

/* NULL: toy_options. Aborts where the system cannot be run. */
toy_run *toy_start(brink_system *system, const brink_instance_options *options);
void toy_go(toy_run *run, double t_end);

/* Destroys everything. False: the run with machine code differs in some bit from the one with the
 * interpreter (runs come in the same order with both). */
bool toy_finish(toy_run *run, brink_system *system);
#define FINISH(run, system) CHECK_MSG(toy_finish(run, system), "engines differ")

double toy_final(toy_run *run, uint32_t variable, size_t element);
const brink_guard_def *toy_guard(const toy_run *run, size_t guard);

/* For calling the callbacks of a guard as the simulator does. */
brink_env toy_env(const toy_run *run);

#endif
