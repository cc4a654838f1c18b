/* Guards that are timers: their events are exactly when they were set, in order, whatever sets them, and however many
 * there are; copies of a run go on with them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/trace.h"

enum { MANY = 10000, EACH = 3 };

/* ---- many of them ---- */

/* What the actions see: each event, and when it was to be. */
typedef struct crowd {
  size_t events, wrong;
  double last;
  double due[MANY];
  int count[MANY];
} crowd;

static crowd seen, twin;

/* Three events of each, at times that are scattered; each also puts off or stops another one, now and then. */
static double scattered(size_t timer, int n) {
  uint64_t z = (uint64_t)timer * 0x9E3779B97F4A7C15u + (uint64_t)n * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 29) * 0x94D049BB133111EBu;
  return (double)(z >> 11) * 0x1p-53;
}

static int fires(const brink_event *event, brink_now *now, void *user) {
  crowd *c = user;
  size_t k = event->guard;
  bool fine = now->t == c->due[k] && now->t >= c->last && isinf(now->p[k]);
  c->wrong += fine ? 0 : 1;
  c->events++;
  c->last = now->t;
  c->due[k] = INFINITY;
  if (++c->count[k] < EACH) now->p[k] = c->due[k] = now->t + 0.01 + scattered(k, c->count[k]);
  size_t other = (k * 7919 + 13) % MANY;
  if (k % 5 == 0 && other != k && isfinite(now->p[other]))
    now->p[other] = c->due[other] =
        c->count[other] % 2 == 0 ? now->t + scattered(other, 99) : (double)INFINITY;
  return 0;
}

static brink_guard_def guards[MANY];
static double times[MANY];

static brink_model_def crowd_model(crowd *user) {
  brink_model_def def = brink_default_model();
  *user = (crowd){.last = 0.0};
  for (size_t k = 0; k < MANY; k++) {
    guards[k] = brink_default_guard("timer");
    guards[k].is_timer = true;
    guards[k].timer = k;
    guards[k].action = fires;
    times[k] = user->due[k] = scattered(k, 0);
  }
  def.nguards = MANY, def.guards = guards;
  def.np = MANY, def.p0 = times;
  def.user = user;
  return def;
}

TEST(ten_thousand_timers_fire_in_order_and_at_their_times) {
  brink_model_def def = crowd_model(&seen);
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, &diag, &sim), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 10.0, &diag), BRINK_TIME_REACHED);
  CHECK_INT(seen.wrong, 0);
  CHECK(seen.events > 2 * MANY); /* some were stopped */
  size_t left = 0;
  for (size_t k = 0; k < MANY; k++) left += isfinite(seen.due[k]) ? 1 : 0;
  CHECK_INT(left, 0); /* none was forgotten */
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* A clone in the middle of the run has the same events, one by one. */
TEST(a_clone_goes_on_with_its_timers) {
  brink_model_def def = crowd_model(&seen);
  brink_model *model = NULL, *same = NULL;
  brink_sim *sim = NULL, *copy = NULL;
  brink_diag diag;
  CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, &diag, &sim), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 0.5, &diag), BRINK_TIME_REACHED);
  twin = seen;
  def.user = &twin;
  CHECK_INT(brink_model_create(&def, NULL, &diag, &same), BRINK_OK);
  CHECK_INT(brink_sim_clone(sim, same, NULL, &diag, &copy), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 10.0, &diag), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_run(copy, 10.0, &diag), BRINK_TIME_REACHED);
  CHECK_INT(twin.wrong, 0);
  CHECK(memcmp(&seen, &twin, sizeof seen) == 0);
  brink_sim_destroy(copy);
  brink_sim_destroy(sim);
  brink_model_destroy(same);
  brink_model_destroy(model);
}

/* ---- refusals ---- */

static brink_status create(brink_guard_def *guard, double p0, brink_diag *diag) {
  brink_model_def def = brink_default_model();
  brink_model *model = NULL;
  def.nguards = 1, def.guards = guard;
  def.np = 1, def.p0 = &p0;
  brink_status status = brink_model_create(&def, NULL, diag, &model);
  brink_model_destroy(model);
  return status;
}

TEST(a_wrong_timer_is_refused) {
  brink_diag diag;
  brink_guard_def guard = brink_default_guard("t1");
  static const double one[] = {1.0};
  guard.is_timer = true;
  CHECK_INT(create(&guard, INFINITY, &diag), BRINK_OK);
  CHECK_INT(create(&guard, -1.0, &diag), BRINK_ERR_ARGUMENT);
  CHECK(strstr(diag.message, "t1") != NULL);
  CHECK_INT(create(&guard, NAN, &diag), BRINK_ERR_ARGUMENT);
  guard.timer = 1;
  CHECK_INT(create(&guard, 0.0, &diag), BRINK_ERR_ARGUMENT);
  guard.timer = 0;
  guard.coefficients = one;
  CHECK_INT(create(&guard, 0.0, &diag), BRINK_ERR_ARGUMENT);
  guard = brink_default_guard("plain");
  guard.coefficients = one, guard.ndepends = 0;
  CHECK_INT(create(&guard, INFINITY, &diag), BRINK_ERR_ARGUMENT); /* not the time of a timer */
}

static int goes_back(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->p[0] = now->t - 0.25;
  return 0;
}

TEST(a_time_that_is_past_ends_the_run) {
  static const double start[] = {1.0};
  brink_guard_def guard = brink_default_guard("t1");
  brink_model_def def = brink_default_model();
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  guard.is_timer = true;
  guard.action = goes_back;
  def.nguards = 1, def.guards = &guard;
  def.np = 1, def.p0 = start;
  CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, &diag, &sim), BRINK_OK);
  CHECK_INT(brink_sim_set_parameter(sim, 0, -1.0, &diag), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_set_parameter(sim, 0, 2.0, &diag), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 5.0, &diag), BRINK_ERR_CALLBACK);
  CHECK_INT(diag.reason, BRINK_REASON_TIMER_PAST);
  CHECK(diag.t == 2.0 && diag.value == 1.75);
  CHECK(strstr(diag.message, "t1") != NULL);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

int main(void) {
  RUN(ten_thousand_timers_fire_in_order_and_at_their_times);
  RUN(a_clone_goes_on_with_its_timers);
  RUN(a_wrong_timer_is_refused);
  RUN(a_time_that_is_past_ends_the_run);
  return check_done();
}
