/* A clone goes on bit for bit as the original, whatever the method, the model and the moment; neither knows of the
 * other, and nothing of a clone leads into the original. */
#include <brink/brink.h>
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "support/counting.h"
#include "support/problems.h"
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
    const char *const results[] = {relay_handed_over(&r, &alone), relay_branched(&r, &alone)};
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
  for (int method = BRINK_AUTO; method <= BRINK_TRAPEZOID; method++) {
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

int main(void) {
  RUN(a_clone_goes_on_as_the_original_with_every_method);
  RUN(a_clone_goes_on_as_the_original_with_every_detector);
  RUN(a_clone_goes_on_as_the_original_with_other_options);
  return check_done();
}
