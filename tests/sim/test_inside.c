/* Calls of a simulation from inside its own callbacks: each is refused with a status, and the run is the same, bit by bit,
 * as the one whose callbacks keep still. */
#include <brink/history.h>
#include <brink/sensitivity.h>
#include <stdbool.h>

#include "check.h"

/* Who asks: at each place all calls are tried once. */
typedef enum place {
  IN_RHS,
  IN_GUARD,
  IN_ENABLED,
  IN_ACTION,
  IN_TICK,
  IN_RULES,
  IN_SINK_STEP,
  IN_SINK_EVENT,
  IN_SENSITIVITY,
  PLACES
} place;

static const char *const place_names[PLACES] = {"rhs",   "guard", "enabled",   "action",     "tick",
                                                "rules", "step",  "the event", "sensitivity"};

typedef struct meddler {
  brink_sim *sim; /* NULL: keeps still */
  brink_history *history;
  brink_sensitivity *sensitivity;
  bool tried[PLACES];
} meddler;

static void refused(place at, const char *call, brink_status status, const brink_diag *diag) {
  CHECK_MSG(status == BRINK_ERR_ARGUMENT, "%s in %s returned %d", call, place_names[at],
            (int)status);
  CHECK_CONTAINS(diag->message, "not from inside a callback");
}

static void try_everything(meddler *m, place at) {
  if (m->sim == NULL || m->tried[at]) return;
  m->tried[at] = true;
  static const double times[] = {1e6}, state[] = {7.0};
  double out[1], here = brink_sim_time(m->sim); /* reading is fine */
  brink_diag diag;
  brink_sim *clone;
  brink_history *history;
  brink_sensitivity *sensitivity;
#define REFUSED(call) refused(at, #call, call, &diag)
  REFUSED(brink_sim_run(m->sim, 1e6, &diag));
  REFUSED(brink_sim_advance(m->sim, 1e6, &diag));
  REFUSED(brink_sim_next_event(m->sim, 1e6, &diag));
  REFUSED(brink_sim_sample(m->sim, times, 1, out, NULL, &diag));
  REFUSED(brink_sim_reset(m->sim, &diag));
  REFUSED(brink_sim_set_state(m->sim, state, &diag));
  REFUSED(brink_sim_set_parameter(m->sim, 0, 7.0, &diag));
  REFUSED(brink_sim_set_mode(m->sim, 0, 7, &diag));
  REFUSED(brink_sim_clone(m->sim, NULL, NULL, &diag, &clone));
  REFUSED(brink_history_create(m->sim, NULL, NULL, &diag, &history));
  REFUSED(brink_sensitivity_create(m->sim, NULL, NULL, &diag, &sensitivity));
#undef REFUSED
  CHECK(clone == NULL && history == NULL && sensitivity == NULL);
  brink_sim_destroy(m->sim); /* these three do nothing here */
  brink_history_destroy(m->history);
  brink_sensitivity_reset(m->sensitivity);
  brink_sensitivity_destroy(m->sensitivity);
  CHECK(brink_sim_time(m->sim) == here);
}

/* ---- a model with all kinds of callbacks: x' = -p x from 1, back to 1 where it falls to 1/2 ---- */

static int rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  try_everything(env->user, IN_RHS);
  dx[0] = -env->p[0] * x[0];
  return 0;
}
static int half(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t;
  try_everything(env->user, IN_GUARD);
  *g = x[0] - 0.5;
  return 0;
}
static bool enabled(size_t guard, const brink_env *env) {
  (void)guard;
  try_everything(env->user, IN_ENABLED);
  return true;
}
static int refill(const brink_event *event, brink_now *now, void *user) {
  (void)event;
  try_everything(user, IN_ACTION);
  now->x[0] = 1.0;
  return 0;
}
static int tick(size_t clock, int64_t k, brink_now *now, void *user) {
  (void)clock, (void)k;
  try_everything(user, IN_TICK);
  now->p[0] *= 1.01;
  return 0;
}
static int rules(brink_now *now, bool *changed, void *user) {
  (void)now;
  try_everything(user, IN_RULES);
  *changed = false;
  return 0;
}
static int on_step(const brink_step_record *record, void *user) {
  (void)record;
  try_everything(user, IN_SINK_STEP);
  return 0;
}
static int on_event(const brink_event_record *record, void *user) {
  (void)record;
  try_everything(user, IN_SINK_EVENT);
  return 0;
}
static void on_derivative(const brink_sensitivity_event *event, void *user) {
  (void)event;
  try_everything(user, IN_SENSITIVITY);
}

/* The state at t = 3 and its derivative; `meddles`: every callback tries every call. */
static void run(bool meddles, double *x, double *slope, int64_t *calls) {
  static const double x0[] = {1.0}, p0[] = {1.0};
  meddler m = {0};
  brink_guard_def guard = brink_default_guard("half");
  guard.value = half, guard.action = refill, guard.direction = BRINK_NEGATIVE;
  brink_clock_def clock = brink_default_clock("clock");
  clock.period = 0.25, clock.tick = tick;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.np = 1, def.p0 = p0, def.nmodes = 1, def.rhs = rhs, def.user = &m;
  def.nguards = 1, def.guards = &guard, def.nclocks = 1, def.clocks = &clock;
  def.enabled = enabled, def.rules = rules;
  brink_model *model;
  brink_sim *sim;
  CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, NULL, &sim), BRINK_OK);
  brink_sink sink = {.step = on_step, .event = on_event, .user = &m};
  brink_sim_set_sink(sim, &sink);
  brink_sensitivity_def derivative = brink_default_sensitivity();
  derivative.event = on_derivative, derivative.user = &m;
  CHECK_INT(brink_history_create(sim, NULL, NULL, NULL, &m.history), BRINK_OK);
  CHECK_INT(brink_sensitivity_create(sim, &derivative, NULL, NULL, &m.sensitivity), BRINK_OK);
  if (meddles) m.sim = sim;
  CHECK_INT(brink_sim_run(sim, 3.0, NULL), BRINK_TIME_REACHED);
  *x = brink_sim_state(sim)[0];
  *slope = brink_sensitivity_state(m.sensitivity)[0];
  *calls = brink_sim_stats(sim)->rhs;
  for (int k = 0; meddles && k < PLACES; k++)
    CHECK_MSG(m.tried[k], "nothing was tried in %s", place_names[k]);
  /* Outside, everything goes again. */
  m.sim = NULL;
  CHECK_INT(brink_sim_set_mode(sim, 0, 1, NULL), BRINK_OK);
  CHECK_INT(brink_sim_reset(sim, NULL), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 1.0, NULL), BRINK_TIME_REACHED);
  brink_history_destroy(m.history);
  brink_sensitivity_destroy(m.sensitivity);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

TEST(calls_from_inside_callbacks_are_refused_and_change_nothing) {
  double x[2], slope[2];
  int64_t calls[2];
  for (int k = 0; k < 2; k++) run(k == 1, &x[k], &slope[k], &calls[k]);
  CHECK_NEAR(x[1], x[0], 0.0);
  CHECK_NEAR(slope[1], slope[0], 0.0);
  CHECK_INT(calls[1], calls[0]);
  CHECK(x[0] > 0.5 && x[0] < 1.0);
}

/* A slide ends where somebody writes, and the sink is told: it may not write again. */
static int on_slide(const brink_slide_record *record, void *user) {
  (void)record;
  meddler *m = user;
  brink_diag diag;
  static const double state[] = {3.0};
  m->tried[0] = true;
  refused(IN_SINK_STEP, "brink_sim_set_state", brink_sim_set_state(m->sim, state, &diag), &diag);
  return 0;
}
static int to_zero(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = -(double)env->sgn[0];
  return 0;
}

TEST(a_sink_that_hears_of_a_write_may_not_write) {
  static const double x0[] = {1.0}, one[] = {1.0}, other[] = {2.0};
  static const size_t first[] = {0};
  meddler m = {0};
  brink_guard_def guard = brink_default_guard("zero");
  guard.depends = first, guard.ndepends = 1, guard.coefficients = one;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = to_zero, def.nguards = 1, def.guards = &guard;
  brink_model *model;
  CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, NULL, &m.sim), BRINK_OK);
  brink_sink sink = {.slide = on_slide, .user = &m};
  brink_sim_set_sink(m.sim, &sink);
  CHECK_INT(brink_sim_run(m.sim, 2.0, NULL), BRINK_TIME_REACHED);
  CHECK(brink_sim_sliding(m.sim, &(brink_slide_record){0}));
  CHECK_INT(brink_sim_set_state(m.sim, other, NULL), BRINK_OK);
  CHECK(m.tried[0]);
  CHECK_NEAR(brink_sim_state(m.sim)[0], 2.0, 0.0);
  brink_sim_destroy(m.sim);
  brink_model_destroy(model);
}

int main(void) {
  RUN(calls_from_inside_callbacks_are_refused_and_change_nothing);
  RUN(a_sink_that_hears_of_a_write_may_not_write);
  return check_done();
}
