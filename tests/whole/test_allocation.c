/* Memory: every constructor survives the failure of any single allocation, and of all from one on,
 * without losing a byte; stepping takes nothing. Run under a sanitizer this is a search for leaks
 * and stray writes as well. */
#include <brink/jet.h>

#include "check.h"
#include "support/counting.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const brink_method all_methods[] = {BRINK_ADAMS,   BRINK_DOPRI,     BRINK_EULER,
                                           BRINK_TAYLOR2, BRINK_RK4,       BRINK_AM3,
                                           BRINK_BDF3,    BRINK_TRAPEZOID, BRINK_BDF};
static const brink_events all_events[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE, BRINK_ENDPOINT,
                                          BRINK_ZLM, BRINK_MNM};

/* ---- a model with a little of everything ---- */

static int rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = -env->p[0] * x[0] + 0.01 * env->mode[0];
  dx[2] = -x[2];
  return 0;
}
static int jacobian(double t, const double *x, const brink_env *env, double *values) {
  (void)t, (void)x;
  values[0] = -env->p[0], values[1] = 1.0, values[2] = -1.0;
  return 0;
}
static int square(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[0] * x[0] - 0.25;
  return 0;
}
static int square_gradient(size_t guard, double t, const double *x, const brink_env *env,
                           double *dx, double *dt) {
  (void)guard, (void)t, (void)env;
  dx[0] = 2.0 * x[0], *dt = 0.0;
  return 0;
}
static int square_jet(size_t guard, int order, const double *t, const double *const *x,
                      const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  brink_jet_square(order, x[0], g);
  g[0] -= 0.25;
  return 0;
}
static int switch_mode(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1 - now->mode[0];
  return 0;
}
static int bounce(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] = -now->x[1];
  return 0;
}
static int refill(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->x[2] = 1.0;
  return 0;
}
static int set_timer(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)tick, (void)user;
  now->timer[clock] = now->t + 0.37;
  return 0;
}
static int content(brink_now *now, bool *changed, void *user) {
  (void)now, (void)user;
  *changed = false;
  return 0;
}

enum { GUARDS = 8, CLOCKS = 2 };

typedef struct rich {
  brink_guard_def guards[GUARDS];
  brink_clock_def clocks[CLOCKS];
  brink_model_def def;
} rich;

static void fill_rich(rich *r) {
  static const double x0[] = {0.0, 1.0, 1.0}, p0[] = {1.0, 2.0}, one[] = {1.0}, two[] = {1.0, -1.0};
  static const int mode0[] = {0, 3};
  static const size_t first[] = {0}, third[] = {2}, both[] = {0, 2}, starts[] = {0, 1, 2, 3},
                      rows[] = {1, 0, 2};
  static const char *const states[] = {"position", "speed", "level"};
  static const int formula[] = {4, 5, BRINK_AND, BRINK_NOT, 4, BRINK_OR};
  static const char *const names[GUARDS] = {"polynomial", "smooth", "gradient", "value",
                                            "leaf",       "other",  "formula",  "wall"};
  for (size_t k = 0; k < GUARDS; k++) {
    r->guards[k] = brink_default_guard(names[k]);
    r->guards[k].depends = first, r->guards[k].ndepends = 1;
  }
  for (size_t k = 0; k < 4; k++) {
    r->guards[k].value = square;
    if (k < 3) r->guards[k].gradient = square_gradient;
    if (k < 2) r->guards[k].jet = square_jet;
  }
  r->guards[0].degree = 2;
  r->guards[0].action = switch_mode;
  r->guards[2].side = BRINK_CROSSING;
  r->guards[4].coefficients = one, r->guards[4].side = BRINK_LEAF, r->guards[4].lipschitz = one;
  r->guards[5].depends = both, r->guards[5].ndepends = 2, r->guards[5].coefficients = two;
  r->guards[5].side = BRINK_LEAF;
  r->guards[6].formula = formula, r->guards[6].formula_length = COUNT(formula);
  r->guards[6].depends = third;
  r->guards[7].coefficients = one, r->guards[7].offset = -0.9;
  r->guards[7].side = BRINK_UNILATERAL, r->guards[7].action = bounce;
  r->clocks[0] = (brink_clock_def){.size = sizeof(brink_clock_def),
                                   .name = "refill",
                                   .period = 0.7,
                                   .offset = 0.1,
                                   .tick = refill};
  r->clocks[1] = (brink_clock_def){
      .size = sizeof(brink_clock_def), .name = "timer", .offset = 0.2, .tick = set_timer};
  r->def = brink_default_model();
  r->def.name = "a little of everything";
  r->def.nx = 3, r->def.x0 = x0, r->def.np = 2, r->def.p0 = p0, r->def.nmodes = 2;
  r->def.mode0 = mode0, r->def.state_names = states, r->def.rhs = rhs;
  r->def.jacobian = jacobian;
  r->def.jacobian_pattern = (brink_sparsity){.starts = starts, .rows = rows};
  r->def.nguards = GUARDS, r->def.guards = r->guards;
  r->def.nclocks = CLOCKS, r->def.clocks = r->clocks, r->def.rules = content;
}

static brink_options options_for(brink_method method, brink_events events) {
  brink_options options = brink_default_options();
  options.method = method, options.events = events;
  options.step = method > BRINK_DOPRI ? 0.01 : 0.0;
  return options;
}

/* ---- constructors ---- */

/* Creates with the n-th allocation failing, for n = 1, 2, … until it succeeds. */
static void check_model_failures(bool fail_on) {
  rich r;
  fill_rich(&r);
  for (long n = 1; n < 10000; n++) {
    counting state = {.fail_at = n, .fail_on = fail_on};
    brink_allocator allocator = counting_allocator(&state);
    brink_diag diag;
    brink_model *model = (brink_model *)&state; /* must be overwritten */
    brink_status status = brink_model_create(&r.def, &allocator, n % 2 == 0 ? &diag : NULL, &model);
    if (status == BRINK_OK) {
      CHECK(state.calls < n); /* it never came to the failure */
      CHECK(n > 1);
      brink_model_destroy(model);
      CHECK_INT(state.live, 0);
      CHECK_INT(state.mismatch, 0);
      return;
    }
    CHECK_INT(status, BRINK_ERR_MEMORY);
    if (n % 2 == 0) CHECK_INT(diag.status, BRINK_ERR_MEMORY);
    if (n % 2 == 0) CHECK_CONTAINS(diag.message, "memory");
    CHECK(model == NULL);
    CHECK_MSG(state.live == 0 && state.bytes == 0 && state.mismatch == 0,
              "allocation %ld: %ld blocks left, %ld sizes wrong", n, state.live, state.mismatch);
  }
  CHECK_MSG(false, "brink_model_create never succeeded");
}

TEST(a_model_survives_the_failure_of_any_allocation) {
  check_model_failures(false);
  check_model_failures(true);
}

static void check_sim_failures(const brink_model *model, brink_method method, brink_events events,
                               bool fail_on) {
  brink_options options = options_for(method, events);
  for (long n = 1; n < 10000; n++) {
    counting state = {.fail_at = n, .fail_on = fail_on};
    brink_allocator allocator = counting_allocator(&state);
    brink_sim *sim = (brink_sim *)&state;
    brink_status status = brink_sim_create(model, &options, &allocator, NULL, &sim);
    if (status == BRINK_OK) {
      CHECK(state.calls < n);
      CHECK(n > 1);
      brink_sim_destroy(sim);
      CHECK_INT(state.live, 0);
      CHECK_INT(state.mismatch, 0);
      return;
    }
    CHECK_INT(status, BRINK_ERR_MEMORY);
    CHECK(sim == NULL);
    CHECK_MSG(state.live == 0 && state.bytes == 0 && state.mismatch == 0,
              "%s/%s, allocation %ld: %ld blocks left, %ld sizes wrong", brink_method_name(method),
              brink_events_name(events), n, state.live, state.mismatch);
  }
  CHECK_MSG(false, "brink_sim_create never succeeded");
}

TEST(a_sim_survives_the_failure_of_any_allocation_with_every_method_and_detector) {
  rich r;
  fill_rich(&r);
  brink_model *model = NULL;
  CHECK_INT(brink_model_create(&r.def, NULL, NULL, &model), BRINK_OK);
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(all_events); e++) {
      check_sim_failures(model, all_methods[m], all_events[e], false);
      check_sim_failures(model, all_methods[m], all_events[e], true);
    }
  brink_model_destroy(model);
}

/* A large model needs large blocks: the same with more states than one block of an arena holds. */
static int rest_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  for (size_t i = 0; i < 5000; i++) dx[i] = 0.0;
  return 0;
}

TEST(a_large_model_survives_the_failure_of_any_allocation) {
  static double x0[5000];
  brink_model_def def = brink_default_model();
  def.nx = 5000, def.x0 = x0, def.rhs = rest_rhs;
  for (long n = 1; n < 10000; n++) {
    counting state = {.fail_at = n};
    brink_allocator allocator = counting_allocator(&state);
    brink_model *model = NULL;
    brink_sim *sim = NULL;
    brink_status status = brink_model_create(&def, &allocator, NULL, &model);
    if (status == BRINK_OK) status = brink_sim_create(model, NULL, &allocator, NULL, &sim);
    if (status == BRINK_OK) CHECK_INT(brink_sim_run(sim, 1.0, NULL), BRINK_TIME_REACHED);
    brink_sim_destroy(sim);
    brink_model_destroy(model);
    CHECK_INT(state.live, 0);
    if (status == BRINK_OK) return;
    CHECK_INT(status, BRINK_ERR_MEMORY);
  }
  CHECK_MSG(false, "never succeeded");
}

TEST(a_refused_definition_leaves_nothing_behind) {
  rich r;
  fill_rich(&r);
  static const int wrong[] = {4, BRINK_AND};
  r.guards[6].formula = wrong, r.guards[6].formula_length = 2;
  counting state = {0};
  brink_allocator allocator = counting_allocator(&state);
  brink_model *model = NULL;
  CHECK_INT(brink_model_create(&r.def, &allocator, NULL, &model), BRINK_ERR_ARGUMENT);
  CHECK(model == NULL);
  CHECK_INT(state.live, 0);
  CHECK_INT(state.mismatch, 0);
}

TEST(null_may_be_destroyed) {
  brink_model_destroy(NULL);
  brink_sim_destroy(NULL);
}

/* ---- stepping ---- */

TEST(stepping_takes_no_memory_with_any_method_and_detector) {
  rich r;
  fill_rich(&r);
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(all_events); e++) {
      counting state = {0};
      brink_allocator allocator = counting_allocator(&state);
      brink_model *model = NULL;
      brink_sim *sim = NULL;
      brink_options options = options_for(all_methods[m], all_events[e]);
      brink_diag diag;
      CHECK_INT(brink_model_create(&r.def, &allocator, NULL, &model), BRINK_OK);
      CHECK_INT(brink_sim_create(model, &options, &allocator, NULL, &sim), BRINK_OK);
      long calls = state.calls, bytes = state.bytes;
      brink_status status = brink_sim_run(sim, 20.0, &diag);
      CHECK_MSG(status == BRINK_TIME_REACHED, "%s/%s: %s (%s)", brink_method_name(all_methods[m]),
                brink_events_name(all_events[e]), brink_status_text(status), diag.message);
      double x[3] = {0.1, 0.2, 0.3}, times[] = {21.0, 22.0}, out[6];
      CHECK_INT(brink_sim_set_state(sim, x, &diag), BRINK_OK);
      CHECK_INT(brink_sim_set_mode(sim, 1, 5, &diag), BRINK_OK);
      CHECK_INT(brink_sim_set_parameter(sim, 0, 1.5, &diag), BRINK_OK);
      status = brink_sim_sample(sim, times, 2, out, NULL, &diag);
      CHECK_MSG(status == BRINK_TIME_REACHED, "%s/%s: %s (%s)", brink_method_name(all_methods[m]),
                brink_events_name(all_events[e]), brink_status_text(status), diag.message);
      brink_sim_next_event(sim, 25.0, &diag);
      brink_sim_advance(sim, 30.0, &diag);
      CHECK(brink_sim_stats(sim)->events > 20);
      CHECK_MSG(state.calls == calls && state.bytes == bytes, "%s/%s: %ld allocations on the way",
                brink_method_name(all_methods[m]), brink_events_name(all_events[e]),
                state.calls - calls);
      brink_sim_destroy(sim);
      brink_model_destroy(model);
      CHECK_INT(state.live, 0);
      CHECK_INT(state.mismatch, 0);
    }
}

/* The definition is copied: nothing of it is needed after brink_model_create. */
TEST(a_model_keeps_copies_of_everything_it_was_given) {
  rich r;
  fill_rich(&r);
  char name[] = "a guard that will be overwritten";
  double coefficients[] = {1.0}, x0[] = {0.0, 1.0, 1.0}, p0[] = {1.0, 2.0};
  size_t depends[] = {0};
  int formula[] = {4, BRINK_NOT};
  char clock[] = "a clock";
  r.guards[7].name = name, r.guards[7].coefficients = coefficients, r.guards[7].depends = depends;
  r.guards[6].formula = formula, r.guards[6].formula_length = 2;
  r.clocks[0].name = clock;
  r.def.x0 = x0, r.def.p0 = p0;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  CHECK_INT(brink_model_create(&r.def, NULL, NULL, &model), BRINK_OK);
  memset(name, 'x', sizeof name - 1);
  memset(clock, 'x', sizeof clock - 1);
  coefficients[0] = x0[0] = x0[1] = p0[0] = (double)NAN;
  depends[0] = 99, formula[0] = 77;
  memset(&r, 0x5a, sizeof r);
  CHECK_INT(brink_sim_create(model, NULL, NULL, NULL, &sim), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 5.0, NULL), BRINK_TIME_REACHED);
  size_t count;
  const brink_event *events = brink_sim_events(sim, &count);
  for (size_t k = 0; k < count; k++) CHECK(strncmp(events[k].name, "xx", 2) != 0);
  CHECK(brink_sim_stats(sim)->events > 5);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

int main(void) {
  RUN(a_model_survives_the_failure_of_any_allocation);
  RUN(a_sim_survives_the_failure_of_any_allocation_with_every_method_and_detector);
  RUN(a_large_model_survives_the_failure_of_any_allocation);
  RUN(a_refused_definition_leaves_nothing_behind);
  RUN(null_may_be_destroyed);
  RUN(stepping_takes_no_memory_with_any_method_and_detector);
  RUN(a_model_keeps_copies_of_everything_it_was_given);
  return check_done();
}
