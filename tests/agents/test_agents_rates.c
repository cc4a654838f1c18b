/* Mixed rates: one agent in a hundred is 1,000 times as fast as the rest. Nobody waits for it with smaller steps: all
 * together take at most twice the steps and evaluations that they take alone.
 *
 * Circles that turn slowly and circles that turn fast, all about places in one square, so that they meet. */
#include "check.h"
#include "support/agents_random.h"
#include "support/runner.h"

#include <stdlib.h>

enum { AGENTS = 300, FAST = 100 /* one in so many */ };
#define RATIO 1000.0
#define END 20.0

static scene_body draw_circle(uint64_t *seed, size_t i) {
  double turn = (0.5 + run_random(seed)) * 0.1 * (i % FAST == 0 ? RATIO : 1.0);
  double reach = 0.2 + run_random(seed), angle = 6.283185307179586 * run_random(seed);
  scene_body body = {.turn = turn, .radius = 0.05, .mass = 1.0};
  for (int k = 0; k < 2; k++) body.position[k] = 40.0 * run_random(seed);
  body.velocity[0] = turn * reach * cos(angle);
  body.velocity[1] = turn * reach * sin(angle);
  return body;
}

static brink_options options_of(brink_method method) {
  brink_options options = brink_default_options();
  options.method = method;
  options.rtol = options.atol = 1e-8;
  return options;
}

/* All agents, each alone. */
static brink_stats alone(const scene_body *bodies, const brink_options *options) {
  brink_stats total = {0};
  for (size_t i = 0; i < AGENTS; i++) {
    scene s;
    brink_sim *sim = NULL;
    scene_init(&s, 2);
    CHECK(scene_add(&s, SCENE_CIRCLE, &bodies[i], 1));
    CHECK_INT(brink_sim_create(s.crowds[0].model, options, NULL, NULL, &sim), BRINK_OK);
    CHECK_INT(brink_sim_run(sim, END, NULL), BRINK_TIME_REACHED);
    total.steps += brink_sim_stats(sim)->steps;
    total.rhs += brink_sim_stats(sim)->rhs;
    brink_sim_destroy(sim);
    scene_free(&s);
  }
  return total;
}

static void compare(brink_method method) {
  static scene_body bodies[AGENTS];
  brink_options options = options_of(method);
  uint64_t seed = 17;
  for (size_t i = 0; i < AGENTS; i++) bodies[i] = draw_circle(&seed, i);
  brink_stats each = alone(bodies, &options);
  scene s;
  scene_result run = {0};
  scene_init(&s, 2);
  CHECK(scene_add(&s, SCENE_CIRCLE, bodies, AGENTS));
  CHECK(scene_meet(&s, 0, 0, SCENE_PASS));
  scene_run(&s, &options, false, END, &run);
  CHECK_MSG(run.status == BRINK_TIME_REACHED, "%s: %s", brink_status_text(run.status),
            run.diag.message);
  CHECK(run.count > 100);
  CHECK_MSG(run.stats.sum.steps <= 2 * each.steps, "%s: %lld steps, %lld alone",
            brink_method_name(method), (long long)run.stats.sum.steps, (long long)each.steps);
  CHECK_MSG(run.stats.sum.rhs <= 2 * each.rhs, "%s: %lld evaluations, %lld alone",
            brink_method_name(method), (long long)run.stats.sum.rhs, (long long)each.rhs);
  if (getenv("RATES_VERBOSE") != NULL)
    printf("%s: %zu meetings, %lld windows, %lld searches; steps %lld (alone %lld), evaluations "
           "%lld (alone %lld)\n",
           brink_method_name(method), run.count, (long long)run.stats.windows,
           (long long)run.stats.searches, (long long)run.stats.sum.steps, (long long)each.steps,
           (long long)run.stats.sum.rhs, (long long)each.rhs);
  scene_result_free(&run);
  scene_free(&s);
}

TEST(a_few_fast_agents_make_no_work_for_the_slow_ones_by_series) {
  compare(BRINK_TAYLOR);
}
TEST(a_few_fast_agents_make_no_work_for_the_slow_ones_by_adams) {
  compare(BRINK_ADAMS);
}

int main(void) {
  RUN(a_few_fast_agents_make_no_work_for_the_slow_ones_by_series);
  RUN(a_few_fast_agents_make_no_work_for_the_slow_ones_by_adams);
  return check_done();
}
