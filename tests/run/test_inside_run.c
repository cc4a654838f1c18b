/* Calls of a run from inside what it calls, observers and functions of inputs: refused with a status, and the run is the
 * same, bit by bit, as the one whose observers keep still. */
#include <brink/record.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"

static const char text[] =
    "ctc Plant is interface input(u, signal); output(y, signal); end interface; body\n"
    "declarations state(x, real); flag(f, crossing); end declarations;\n"
    "initial x := 1.0; end initial;\n"
    "dynamics x' = -x + u; f = x - 0.5; end dynamics;\n"
    "output y = 2*x + u; end output;\n"
    "event(f) negative-going x := 1.0; end negative-going; end event;\n"
    "end body; end Plant;\n";

typedef struct meddler {
  brink_run *run; /* NULL: keeps still */
  bool function, event, step;
} meddler;

static void refused(const char *where, const char *call, brink_status status,
                    const brink_diag *diag) {
  CHECK_MSG(status == BRINK_ERR_ARGUMENT, "%s in %s returned %d", call, where, (int)status);
  CHECK_CONTAINS(diag->message, "not from an observer or from a function of an input");
}

static void try_everything(brink_run *run, const char *where) {
  brink_diag diag;
  brink_run *clone;
  brink_bytes bytes;
#define REFUSED(call) refused(where, #call, call, &diag)
  REFUSED(brink_run_to(run, 100.0, &diag));
  REFUSED(brink_run_step(run, 100.0, &diag));
  REFUSED(brink_run_next_event(run, 100.0, &diag));
  REFUSED(brink_run_output(run, 50.0, 100.0, &diag));
  REFUSED(brink_run_reset(run, &diag));
  REFUSED(brink_run_clone(run, &diag, &clone));
  REFUSED(brink_run_set(run, "x", 0.75, &diag));
  REFUSED(brink_run_finish(run, &diag));
  REFUSED(brink_run_save(run, &bytes, &diag));
  REFUSED(brink_run_restore(run, "", 0, &diag));
#undef REFUSED
  brink_run_destroy(run); /* does nothing here */
}

static int wave(double t, double *u, void *user) {
  meddler *m = user;
  *u = 0.1 * sin(t);
  if (m->run == NULL || m->function) return 0;
  m->function = true;
  try_everything(m->run, "a function");
  /* What is computed by equations would need the function itself. */
  brink_diag diag;
  double y = 7.0;
  refused("a function", "brink_run_get", brink_run_get(m->run, "y", &y, &diag), &diag);
  CHECK_NEAR(y, 7.0, 0.0);
  brink_value value;
  CHECK_INT(brink_run_find(m->run, "y", &value, &diag), BRINK_OK);
  CHECK(isnan(brink_run_value(m->run, value)));
  refused("a function", "brink_run_get_at", brink_run_get_at(m->run, t, &value, 1, &y, &diag),
          &diag);
  return 0;
}

static int on_event(brink_run *run, const brink_run_event *event, void *user) {
  (void)event;
  meddler *m = user;
  if (m->run == NULL || m->event) return 0;
  m->event = true;
  try_everything(run, "an event");
  double y;
  CHECK_INT(brink_run_get(run, "y", &y, NULL), BRINK_OK); /* observers may read */
  return 0;
}

static int on_step(brink_run *run, double t0, double t1, void *user) {
  (void)t0, (void)t1;
  meddler *m = user;
  if (m->run == NULL || m->step) return 0;
  m->step = true;
  try_everything(run, "a step");
  return 0;
}

static brink_run *make(meddler *m, brink_hsml **model) {
  brink_run *run = NULL;
  brink_diag diag;
  CHECK_MSG(brink_hsml_load_text(text, &diag, model) == BRINK_OK, "%s", diag.message);
  brink_hsml_function function = {.value = wave, .user = m};
  CHECK_INT(brink_hsml_set_function(*model, "u", &function, NULL), BRINK_OK);
  CHECK_MSG(brink_run_create(*model, NULL, NULL, &diag, &run) == BRINK_OK, "%s", diag.message);
  brink_run_observe(run, &(brink_run_observer){.event = on_event, .step = on_step, .user = m});
  return run;
}

TEST(calls_from_observers_and_functions_are_refused_and_change_nothing) {
  double x[2];
  int64_t steps[2];
  for (int k = 0; k < 2; k++) {
    meddler m = {0};
    brink_hsml *model = NULL;
    brink_run *run = make(&m, &model);
    if (k == 1) m.run = run;
    CHECK_INT(brink_run_to(run, 3.0, NULL), BRINK_TIME_REACHED);
    CHECK_INT(brink_run_get(run, "x", &x[k], NULL), BRINK_OK);
    steps[k] = brink_run_information(run).stats.steps;
    if (k == 1) CHECK(m.function && m.event && m.step);
    m.run = NULL;
    CHECK_INT(brink_run_finish(run, NULL), BRINK_OK);
    brink_run_destroy(run);
    brink_hsml_destroy(model);
  }
  CHECK_NEAR(x[1], x[0], 0.0);
  CHECK_INT(steps[1], steps[0]);
  CHECK(x[0] > 0.5 && x[0] <= 1.0);
}

/* A value that is read makes equations ask for the input, which may not move the run. */
TEST(a_function_that_is_asked_by_a_reader_may_not_move_the_run) {
  meddler m = {0};
  brink_hsml *model = NULL;
  brink_run *run = make(&m, &model);
  double y;
  CHECK_INT(brink_run_to(run, 1.0, NULL), BRINK_TIME_REACHED);
  brink_run_observe(run, NULL);
  CHECK_INT(brink_run_set(run, "x", 0.875, NULL), BRINK_OK); /* values are evaluated anew */
  CHECK_INT(brink_run_to(run, 1.5, NULL), BRINK_TIME_REACHED);
  m.run = run;
  brink_value value;
  CHECK_INT(brink_run_find(run, "y", &value, NULL), BRINK_OK);
  CHECK_INT(brink_run_get_at(run, nextafter(1.5, 0.0), &value, 1, &y, NULL), BRINK_OK);
  CHECK(m.function);
  CHECK_NEAR(brink_run_time(run), 1.5, 0.0);
  m.run = NULL;
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

int main(void) {
  RUN(calls_from_observers_and_functions_are_refused_and_change_nothing);
  RUN(a_function_that_is_asked_by_a_reader_may_not_move_the_run);
  return check_done();
}
