/* The number of threads changes nothing: every event, every state at the end and every count are the same, to the last
 * bit. Random scenes: dense and sparse, fast and slow, of one population and of several, in one, two and three
 * dimensions, with jumps, with both methods.
 *
 * The first argument is the number of scenes of each sort (6, in sanitised builds 1), the second the first seed (1). */
#include "check.h"
#include "support/agents_random.h"

#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SCENES 1
#else
#define SCENES 6
#endif

#define T_END 3.0

static uint64_t scenes = SCENES, first_seed = 1;
static size_t events;

static void same(const scene_result *a, const scene_result *b, size_t threads, const char *what,
                 uint64_t seed) {
  char room[300];
  const char *difference = scene_difference(a, b, room);
  CHECK_MSG(difference == NULL, "%s, seed %llu, %zu threads: %s", what, (unsigned long long)seed,
            threads, difference);
  CHECK_MSG(memcmp(&a->stats.sum, &b->stats.sum, offsetof(brink_stats, method)) == 0,
            "%s, seed %llu, %zu threads: the counts differ: steps %lld, %lld; rejected %lld, %lld; "
            "evaluations %lld, %lld; guards %lld, %lld; roots %lld, %lld",
            what, (unsigned long long)seed, threads, (long long)a->stats.sum.steps,
            (long long)b->stats.sum.steps, (long long)a->stats.sum.rejected,
            (long long)b->stats.sum.rejected, (long long)a->stats.sum.rhs,
            (long long)b->stats.sum.rhs, (long long)a->stats.sum.guards,
            (long long)b->stats.sum.guards, (long long)a->stats.sum.roots,
            (long long)b->stats.sum.roots);
  CHECK_INT(b->stats.windows, a->stats.windows);
  CHECK_INT(b->stats.searches, a->stats.searches);
  CHECK_INT(b->stats.checks, a->stats.checks);
  CHECK_INT(b->stats.pair_events, a->stats.pair_events);
}

static void compare(scene *s, const brink_options *options, double t_end, const char *what,
                    uint64_t seed) {
  static const size_t several[] = {2, 3, 8};
  scene_result alone = {0};
  s->threads = 1;
  scene_run(s, options, false, t_end, &alone);
  events += alone.count;
  for (size_t k = 0; k < 3; k++) {
    scene_result together = {0};
    s->threads = several[k];
    scene_run(s, options, false, t_end, &together);
    same(&alone, &together, s->threads, what, seed);
    scene_result_free(&together);
  }
  scene_result_free(&alone);
}

static void run(const scene_recipe *recipe, bool wraps, const char *what, uint64_t seed) {
  brink_options options = scene_options_by_seed(seed);
  scene s;
  CHECK(scene_cook(&s, recipe));
  s.wraps = wraps;
  compare(&s, &options, recipe->t_end, what, seed);
  scene_free(&s);
}

static void run_several(scene_response response, bool mixed, const char *what) {
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = scene_recipe_by_seed(seed, response, T_END);
    size_t each = mixed ? 200 : 0;
    memcpy(recipe.count,
           (size_t[4]){mixed                    ? each
                       : response == SCENE_BUMP ? 0
                                                : 800,
                       mixed                    ? each
                       : response == SCENE_BUMP ? 800
                                                : 0,
                       each, each},
           sizeof recipe.count);
    if (mixed) recipe.walls = false; /* bodies on circles may start beyond them */
    run(&recipe, false, what, seed);
  }
  CHECK_MSG(events > 100 * scenes, "%s: %zu events", what, events);
  events = 0;
}

TEST(discs_that_bounce) {
  run_several(SCENE_ELASTIC, false, "elastic");
}
TEST(cars_that_bump) {
  run_several(SCENE_BUMP, false, "bump");
}
TEST(bodies_of_four_populations_that_pass) {
  run_several(SCENE_PASS, true, "pass");
}
TEST(bodies_of_four_populations_that_halt) {
  run_several(SCENE_HALT, true, "halt");
}

TEST(one_and_three_dimensions) {
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = scene_recipe_by_seed(seed, SCENE_ELASTIC, T_END);
    recipe.count[0] = 600;
    recipe.ndimensions = seed % 2 == 0 ? 1 : 3;
    recipe.side = seed % 2 == 0 ? 3000.0 : 12.0;
    run(&recipe, false, "dimensions", seed);
  }
  events = 0;
}

TEST(bodies_that_jump) {
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = scene_recipe_by_seed(seed, SCENE_PASS, T_END);
    recipe.count[0] = 700;
    recipe.side = 40.0;
    run(&recipe, true, "jumps", seed);
  }
  events = 0;
}

/* A crowd where few have much to do, and all are near each other now and then. */
TEST(one_in_a_hundred_is_a_thousand_times_faster) {
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = scene_recipe_by_seed(seed, SCENE_BUMP, T_END);
    brink_options options = scene_options_by_seed(seed);
    recipe.count[SCENE_CAR] = 700;
    recipe.side = 40.0;
    recipe.t_end = 1.0;
    scene s;
    CHECK(scene_cook(&s, &recipe));
    for (size_t k = 0; k < 700; k += 100) s.crowds[0].p0[k * SCENE_PARAMETERS + SCENE_TURN] = 300.0;
    compare(&s, &options, recipe.t_end, "mixed", seed);
    scene_free(&s);
  }
  events = 0;
}

int main(int argc, char **argv) {
  if (argc > 1) scenes = strtoull(argv[1], NULL, 10);
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  RUN(discs_that_bounce);
  RUN(cars_that_bump);
  RUN(bodies_of_four_populations_that_pass);
  RUN(bodies_of_four_populations_that_halt);
  RUN(one_and_three_dimensions);
  RUN(bodies_that_jump);
  RUN(one_in_a_hundred_is_a_thousand_times_faster);
  return check_done();
}
