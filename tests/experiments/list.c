/* list.c: experiments for tests of brink reproduce: one for each way to end. */
#include "experiments/experiment.h"

static brink_status agree(brink_lab *lab, brink_diag *diag) {
  (void)diag;
  brink_lab_compare(lab, "a number", "7", brink_lab_near(7.001, 7.0, 0.01), "%g", 7.001);
  brink_lab_compare(lab, "a misprint", "1 + h", BRINK_CORRECTED, "1 + h/2");
  brink_lab_because(lab, "%s", "of <b>bold</b> letters");
  return BRINK_OK;
}

static brink_status disagree(brink_lab *lab, brink_diag *diag) {
  (void)diag;
  brink_lab_compare(lab, "another number", "7", brink_lab_near(7.1, 7.0, 0.01), "%g", 7.1);
  return BRINK_OK;
}

/* One thing comes out before it breaks. */
static brink_status break_down(brink_lab *lab, brink_diag *diag) {
  brink_lab_compare(lab, "before", NULL, BRINK_UNSTATED, "something");
  brink_lab_model *model = NULL;
  return brink_lab_open(lab, "models/no-such/model.hsml", NULL, NULL, diag, &model);
}

/* Random numbers and jobs: what depends on the seed alone. */
static brink_status job(size_t k, int worker, void *user) {
  (void)worker;
  double *squares = user;
  squares[k] = (double)(k * k);
  return BRINK_OK;
}

static brink_status draw(brink_lab *lab, brink_diag *diag) {
  (void)diag;
  size_t count = brink_lab_repetitions(lab, 100);
  double sum = 0.0, *squares = brink_lab_take(lab, count, sizeof *squares);
  if (squares == NULL) return BRINK_ERR_MEMORY;
  brink_status status = brink_lab_parallel(lab, count, job, squares);
  if (status != BRINK_OK) return status;
  for (size_t k = 0; k < count; k++) sum += squares[k];
  brink_lab_compare(lab, "repetitions", "100", BRINK_UNSTATED, "%zu, %g", count, sum);
  brink_lab_compare(lab, "random", NULL, BRINK_UNSTATED, "%.17g", brink_lab_random(lab, 3, 5));
  return BRINK_OK;
}

static const brink_experiment agreeing = {"agreeing", "As published", "Nobody 1900", agree},
                              differing = {"differing", "Not as published", "Nobody 1901",
                                           disagree},
                              breaking = {"breaking", "Cannot be run", "Nobody 1902", break_down},
                              drawing = {"drawing", "By chance", "Nobody 1903", draw};

const brink_experiment *const brink_experiments[] = {&agreeing, &differing, &breaking, &drawing,
                                                     NULL};
