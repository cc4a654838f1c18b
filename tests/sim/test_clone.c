/* A clone goes on bit for bit as the original, whatever the method, the model and the moment; neither knows of the
 * other, and nothing of a clone leads into the original. */
#include <brink/brink.h>
#include <brink/sensitivity.h>
#include <stdlib.h>

#include "check.h"
#include "problems/problems.h"
#include "support/counting.h"
#include "support/relay.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { CALLS = 60 };

/* ---- every problem, every method ---- */

static brink_model *model_of(const brink_model_def *def, tracked *memory) {
  brink_allocator allocator = tracked_allocator(memory);
  brink_model *model = NULL;
  brink_diag diag;
  brink_model_create(def, &allocator, &diag, &model);
  CHECK_MSG(model != NULL, "%s: %s", def->name, diag.message);
  return model;
}

static const brink_model *other_model(size_t place, size_t from, void *user) {
  (void)place, (void)from;
  return user;
}

/* By itself, from clone to clone, with branches, and on to a second model. */
static bool check_relays(const char *id, const brink_model_def *def, double t_end,
                         brink_options options) {
  tracked *memory = calloc(2, sizeof *memory);
  brink_model *model = model_of(def, &memory[0]), *second = model_of(def, &memory[1]);
  options.near_miss = 1e4;
  relay r = {.model = model, .options = options, .t_end = t_end, .calls = CALLS};
  recording alone;
  bool possible = relay_alone(&r, &alone) == BRINK_OK;
  if (possible) {
    const char *const results[] = {relay_handed_over(&r, &alone), relay_branched(&r, &alone),
                                   relay_saved(&r, &alone, NULL)};
    r.model_at = other_model;
    r.user = second;
    r.old_model = &memory[0];
    const char *moved = relay_branched(&r, &alone);
    for (size_t k = 0; k < COUNT(results); k++)
      CHECK_MSG(results[k] == NULL, "%s, %s, %s: %s", id, brink_method_name(options.method),
                brink_events_name(options.events), results[k]);
    CHECK_MSG(moved == NULL, "%s, %s, %s, other model: %s", id, brink_method_name(options.method),
              brink_events_name(options.events), moved);
  }
  recording_free(&alone);
  brink_model_destroy(model);
  brink_model_destroy(second);
  CHECK(memory[0].count + memory[1].count == 0);
  free(memory);
  return possible;
}

static brink_options options_for(brink_method method, double length) {
  brink_options options = brink_default_options();
  options.method = method;
  options.audit = true;
  options.zeno = BRINK_ZENO_CONTINUE;
  if (method >= BRINK_EULER) options.step = length / 97.3;
  return options;
}

static size_t all_problems(brink_options options) {
  size_t possible = 0;
  double step = options.step;
  for (size_t k = 0; k < problem_count(); k++) {
    const problem *p = problem_at(k);
    problem_probe probe = {.problem = p};
    brink_model_def def = problem_model(p, &probe);
    options.step = step * (p->t_end - def.t0);
    possible += check_relays(p->id, &def, p->t_end, options) ? 1 : 0;
  }
  return possible;
}

TEST(a_clone_goes_on_as_the_original_with_every_method) {
  for (int method = BRINK_AUTO; method <= BRINK_BDF; method++) {
    size_t possible = all_problems(options_for((brink_method)method, 1.0));
    bool series = method == BRINK_TAYLOR; /* test_clone_hsml.c: no problem of the table gives any */
    CHECK_MSG(possible > problem_count() / 2 || series, "%s: %zu problems only",
              brink_method_name((brink_method)method), possible);
  }
}

TEST(a_clone_goes_on_as_the_original_with_every_detector) {
  for (int events = BRINK_INTERPOLATE; events <= BRINK_MNM; events++) {
    brink_options options = options_for(BRINK_ADAMS, 1.0);
    options.events = (brink_events)events;
    CHECK(all_problems(options) > problem_count() / 2);
    options = options_for(BRINK_RK4, 1.0);
    options.events = (brink_events)events;
    CHECK(all_problems(options) > problem_count() / 2);
  }
}

TEST(a_clone_goes_on_as_the_original_with_other_options) {
  brink_options options = options_for(BRINK_ADAMS, 1.0);
  options.gain = BRINK_GAIN_PUBLISHED;
  CHECK(all_problems(options) > problem_count() / 2);
  options.gain = BRINK_GAIN_FIXED;
  CHECK(all_problems(options) > problem_count() / 2);
  options = options_for(BRINK_ADAMS, 1.0);
  options.order = 4, options.step = 0.01;
  CHECK(all_problems(options) > problem_count() / 2);
}

/* ---- one model, step by step ---- */

typedef struct fixture {
  problem_probe probe;
  brink_model_def def;
  brink_model *model;
  brink_sim *sim;
  double t_end;
} fixture;

/* Some steps on. */
static void open_problem(fixture *f, const char *id) {
  *f = (fixture){.probe = {.problem = problem_find(id)}};
  f->def = problem_model(f->probe.problem, &f->probe);
  f->t_end = f->probe.problem->t_end;
  brink_options options = options_for(BRINK_ADAMS, f->t_end);
  CHECK_INT(brink_model_create(&f->def, NULL, NULL, &f->model), BRINK_OK);
  CHECK_INT(brink_sim_create(f->model, &options, NULL, NULL, &f->sim), BRINK_OK);
  for (int k = 0; k < 25; k++) brink_sim_advance(f->sim, f->t_end, NULL);
}

static void close_problem(fixture *f) {
  brink_sim_destroy(f->sim);
  brink_model_destroy(f->model);
}

static bool same_present(const fixture *f, const brink_sim *a, const brink_sim *b) {
  const brink_model_def *def = &f->def;
  return brink_sim_time(a) == brink_sim_time(b) &&
         memcmp(brink_sim_state(a), brink_sim_state(b), def->nx * sizeof(double)) == 0 &&
         brink_sim_stats(a)->rhs == brink_sim_stats(b)->rhs &&
         brink_sim_stats(a)->guards == brink_sim_stats(b)->guards;
}

TEST(a_clone_that_is_changed_does_not_change_the_original) {
  fixture f;
  open_problem(&f, "M3");
  brink_sim *clone = NULL, *untouched = NULL;
  double x[PROBLEM_STATES];
  CHECK_INT(brink_sim_clone(f.sim, NULL, NULL, NULL, &clone), BRINK_OK);
  CHECK_INT(brink_sim_clone(f.sim, f.model, NULL, NULL, &untouched), BRINK_OK);
  for (size_t i = 0; i < f.def.nx; i++) x[i] = brink_sim_state(clone)[i] + 0.5;
  CHECK_INT(brink_sim_set_state(clone, x, NULL), BRINK_OK);
  brink_sim_run(clone, f.t_end, NULL);
  CHECK(same_present(&f, f.sim, untouched));
  brink_sim_run(f.sim, f.t_end, NULL);
  brink_sim_run(untouched, f.t_end, NULL);
  CHECK(same_present(&f, f.sim, untouched));
  CHECK(!same_present(&f, f.sim, clone));
  CHECK_INT(brink_sim_reset(clone, NULL), BRINK_OK);
  CHECK_INT(brink_sim_reset(f.sim, NULL), BRINK_OK);
  brink_sim_run(f.sim, f.t_end, NULL);
  brink_sim_run(clone, f.t_end, NULL);
  CHECK(same_present(&f, f.sim, clone));
  brink_sim_destroy(clone);
  brink_sim_destroy(untouched);
  close_problem(&f);
}

/* ---- who watches ---- */

static int count_step(const brink_step_record *record, void *user) {
  (void)record;
  ++*(int *)user;
  return 0;
}

TEST(a_clone_has_no_sink_until_it_is_given_one) {
  fixture f;
  open_problem(&f, "M3");
  int steps = 0;
  brink_sink sink = {.step = count_step, .user = &steps};
  brink_sim *clone = NULL;
  brink_sim_set_sink(f.sim, &sink);
  CHECK_INT(brink_sim_clone(f.sim, NULL, NULL, NULL, &clone), BRINK_OK);
  brink_sim_run(clone, f.t_end, NULL);
  CHECK_INT(steps, 0);
  brink_sim_run(f.sim, f.t_end, NULL);
  CHECK(steps > 0);
  brink_sim_destroy(clone);
  close_problem(&f);
}

TEST(sensitivities_stay_with_the_original) {
  fixture f;
  open_problem(&f, "M3");
  brink_sensitivity_def def = brink_default_sensitivity();
  brink_sensitivity *sensitivity = NULL;
  brink_sim *clone = NULL, *later = NULL;
  tracked memory = {0};
  brink_allocator allocator = tracked_allocator(&memory);
  double before[PROBLEM_STATES * PROBLEM_STATES];
  size_t bytes = f.def.nx * f.def.nx * sizeof(double);
  CHECK_INT(brink_sim_reset(f.sim, NULL), BRINK_OK);
  CHECK_INT(brink_sensitivity_create(f.sim, &def, &allocator, NULL, &sensitivity), BRINK_OK);
  for (int k = 0; k < 20; k++) brink_sim_advance(f.sim, f.t_end, NULL);
  memcpy(before, brink_sensitivity_state(sensitivity), bytes);
  CHECK_INT(brink_sim_clone(f.sim, NULL, NULL, NULL, &clone), BRINK_OK);
  CHECK_INT(brink_sim_clone(f.sim, NULL, NULL, NULL, &later), BRINK_OK);
  brink_sim_run(clone, f.t_end, NULL); /* through events */
  CHECK(memcmp(before, brink_sensitivity_state(sensitivity), bytes) == 0);
  brink_sim_run(f.sim, f.t_end, NULL);
  CHECK(memcmp(before, brink_sensitivity_state(sensitivity), bytes) != 0);
  brink_sensitivity_destroy(sensitivity); /* its memory is overwritten */
  brink_sim_run(later, f.t_end, NULL);
  CHECK(same_present(&f, f.sim, later));
  CHECK(same_present(&f, f.sim, clone));
  brink_sim_destroy(later);
  brink_sim_destroy(clone);
  close_problem(&f);
}

/* ---- what is refused ---- */

TEST(a_clone_survives_the_failure_of_any_allocation) {
  fixture f;
  open_problem(&f, "M3");
  for (long n = 1;; n++) {
    counting state = {.fail_at = n};
    brink_allocator allocator = counting_allocator(&state);
    brink_sim *clone = (brink_sim *)&state; /* must be overwritten */
    brink_diag diag;
    brink_status status = brink_sim_clone(f.sim, NULL, &allocator, &diag, &clone);
    if (status != BRINK_OK) {
      CHECK_INT(status, BRINK_ERR_MEMORY);
      CHECK_CONTAINS(diag.message, "memory");
      CHECK(clone == NULL && state.live == 0 && state.mismatch == 0);
      continue;
    }
    CHECK(n > 1);
    long calls = state.calls;
    brink_sim_run(clone, f.t_end, NULL);
    CHECK_INT(state.calls, calls); /* stepping takes no memory */
    brink_sim_destroy(clone);
    CHECK(state.live == 0 && state.mismatch == 0);
    break;
  }
  close_problem(&f);
}

static void check_unlike(const fixture *f, const brink_model_def *def, const char *why) {
  brink_model *other = NULL;
  brink_diag diag;
  brink_sim *clone = (brink_sim *)&diag;
  CHECK_INT(brink_model_create(def, NULL, &diag, &other), BRINK_OK);
  CHECK_INT(brink_sim_clone(f->sim, other, NULL, &diag, &clone), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, why);
  CHECK(clone == NULL);
  brink_model_destroy(other);
}

static int no_tick(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)now, (void)user;
  return 0;
}

static int no_rules(brink_now *now, bool *changed, void *user) {
  (void)now, (void)user;
  *changed = false;
  return 0;
}

TEST(a_model_that_is_not_alike_is_refused) {
  fixture f;
  open_problem(&f, "M3");
  double more_x[PROBLEM_STATES + 1] = {1.0, 1.0}, more_p[8] = {1.0, 1.0};
  static const int modes[8];
  brink_guard_def guards[8];
  brink_clock_def clock = brink_default_clock("clock");
  clock.period = 1.0, clock.tick = no_tick;
  brink_model_def def = f.def;
  def.nx++, def.x0 = more_x, def.state_names = NULL;
  check_unlike(&f, &def, "states");
  def = f.def, def.np++, def.p0 = more_p;
  check_unlike(&f, &def, "parameters");
  def = f.def, def.nmodes++, def.mode0 = modes;
  check_unlike(&f, &def, "modes");
  def = f.def, def.nclocks = 1, def.clocks = &clock;
  check_unlike(&f, &def, "clocks");
  def = f.def, def.rules = no_rules;
  check_unlike(&f, &def, "callbacks");
  def = f.def, def.flow_work = 7.0;
  check_unlike(&f, &def, "right-hand side");
  def = f.def, def.nguards = 0;
  check_unlike(&f, &def, "number of guards");
  for (size_t k = 0; k < f.def.nguards; k++) guards[k] = f.def.guards[k];
  guards[0].name = "another";
  def = f.def, def.guards = guards;
  check_unlike(&f, &def, "another guard");
  close_problem(&f);
}

TEST(without_a_sim_or_a_place_for_it_there_is_no_clone) {
  fixture f;
  open_problem(&f, "M3");
  brink_sim *clone = f.sim;
  CHECK_INT(brink_sim_clone(NULL, NULL, NULL, NULL, &clone), BRINK_ERR_ARGUMENT);
  CHECK(clone == NULL);
  CHECK_INT(brink_sim_clone(f.sim, NULL, NULL, NULL, NULL), BRINK_ERR_ARGUMENT);
  close_problem(&f);
}

int main(void) {
  RUN(a_clone_that_is_changed_does_not_change_the_original);
  RUN(a_clone_has_no_sink_until_it_is_given_one);
  RUN(sensitivities_stay_with_the_original);
  RUN(a_clone_survives_the_failure_of_any_allocation);
  RUN(a_model_that_is_not_alike_is_refused);
  RUN(without_a_sim_or_a_place_for_it_there_is_no_clone);
  RUN(a_clone_goes_on_as_the_original_with_every_method);
  RUN(a_clone_goes_on_as_the_original_with_every_detector);
  RUN(a_clone_goes_on_as_the_original_with_other_options);
  return check_done();
}
