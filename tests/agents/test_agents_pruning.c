/* Looking only at pairs that can meet changes nothing: every event and every state at the end are the same, to the last
 * bit, as if all pairs were looked at. Random scenes: dense and sparse, fast and slow, near and far, in one, two and
 * three dimensions, of one population and of several.
 *
 * The first argument is the number of scenes of each sort (12), the second the first seed (1). */
#include "check.h"
#include "support/agents_random.h"

#include <stdlib.h>

static uint64_t scenes = 12, first_seed = 1;
static bool tell;
static size_t events;
static int64_t searched[2];

static brink_options options_of(uint64_t seed, double offset) {
  brink_options options = brink_default_options();
  options.method = seed % 2 == 0 ? BRINK_TAYLOR : BRINK_ADAMS;
  options.rtol = offset == 0.0 ? 1e-9 : 1e-14;
  return options;
}

static void prune(const scene *s, const brink_options *options, double t_end, const char *what,
                  uint64_t seed) {
  scene_result near = {0}, all = {0};
  scene_run(s, options, false, t_end, &near);
  scene_run(s, options, true, t_end, &all);
  char room[300];
  const char *difference = scene_difference(&near, &all, room);
  CHECK_MSG(difference == NULL, "%s, seed %llu: %s", what, (unsigned long long)seed, difference);
  CHECK(near.stats.searches <= all.stats.searches);
  events += near.count;
  searched[0] += near.stats.searches;
  searched[1] += all.stats.searches;
  scene_result_free(&near);
  scene_result_free(&all);
}

static void report(const char *what) {
  CHECK(events > scenes);
  CHECK(searched[0] < searched[1]);
  if (tell)
    printf("%s: %zu events, %lld of %lld pairs searched\n", what, events, (long long)searched[0],
           (long long)searched[1]);
  events = 0;
  searched[0] = searched[1] = 0;
}

static void prune_drawn(scene_response response, const char *what) {
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = scene_draw(seed, response);
    brink_options options = options_of(seed, recipe.offset);
    scene s;
    CHECK(scene_cook(&s, &recipe));
    prune(&s, &options, recipe.t_end, what, seed);
    scene_free(&s);
  }
  report(what);
}

TEST(bodies_that_pass_through_each_other) {
  prune_drawn(SCENE_PASS, "pass");
}
TEST(bodies_that_bounce) {
  prune_drawn(SCENE_ELASTIC, "elastic");
}
TEST(cars_that_bump) {
  prune_drawn(SCENE_BUMP, "bump");
}
TEST(bodies_that_vanish) {
  prune_drawn(SCENE_VANISH, "vanish");
}
TEST(bodies_that_halt) {
  prune_drawn(SCENE_HALT, "halt");
}

/* A discs' world of any dimension, with speeds over `range`. */
static scene_recipe world(uint64_t seed, int ndimensions, double side, double range) {
  return (scene_recipe){.seed = seed * 104729,
                        .ndimensions = ndimensions,
                        .count = {60},
                        .side = side,
                        .offset = seed % 3 == 0 ? 1e6 : 0.0,
                        .radius = {0.05, 0.25},
                        .speed = {1.0 / range, 1.0},
                        .walls = true,
                        .apart = true,
                        .response = SCENE_ELASTIC};
}

static void prune_world(int ndimensions, const double *sides, const char *what) {
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = world(seed, ndimensions, sides[seed % 2], seed % 4 < 2 ? 2.0 : 1e4);
    brink_options options = options_of(seed / 4, recipe.offset);
    scene s;
    CHECK(scene_cook(&s, &recipe));
    prune(&s, &options, 10.0, what, seed);
    scene_free(&s);
  }
  report(what);
}

TEST(one_dimension) {
  prune_world(1, (const double[]){40.0, 200.0}, "one dimension");
}
TEST(two_dimensions) {
  prune_world(2, (const double[]){5.0, 20.0}, "two dimensions");
}
TEST(three_dimensions) {
  prune_world(3, (const double[]){2.5, 6.0}, "three dimensions");
}

/* One body is as large as hundreds of the others together. */
TEST(bodies_of_very_different_sizes) {
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = world(seed, 2, 20.0, 10.0);
    brink_options options = options_of(seed, recipe.offset);
    recipe.radius[0] = recipe.radius[1] = 0.02;
    recipe.response = SCENE_PASS;
    scene s;
    CHECK(scene_cook(&s, &recipe));
    s.crowds[0].p0[SCENE_RADIUS] = 4.0; /* model and start have it */
    prune(&s, &options, 10.0, "sizes", seed);
    scene_free(&s);
  }
  report("sizes");
}

/* The size as a number that bounds all radii. */
TEST(a_common_size) {
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = world(seed, 2, 12.0, 10.0);
    brink_options options = options_of(seed, recipe.offset);
    scene s;
    CHECK(scene_cook(&s, &recipe));
    for (int side = 0; side < 2; side++) {
      s.pairs[0].size[side] = UINT32_MAX;
      s.pairs[0].size_value[side] = 0.25;
    }
    prune(&s, &options, 10.0, "common size", seed);
    scene_free(&s);
  }
  report("common size");
}

/* Discs that leave on one side and appear on the other; they are where nobody expected them. */
TEST(bodies_that_jump) {
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = world(seed, 2, 10.0, 10.0);
    brink_options options = options_of(seed, recipe.offset);
    recipe.response = SCENE_PASS;
    scene s;
    CHECK(scene_cook(&s, &recipe));
    s.wraps = true;
    prune(&s, &options, 20.0, "jumps", seed);
    scene_free(&s);
  }
  report("jumps");
}

/* Waiters that are three times as large once they go. */
TEST(bodies_that_grow) {
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = world(seed, 2, 15.0, 10.0);
    brink_options options = options_of(seed, recipe.offset);
    recipe.count[SCENE_WAITER] = 20;
    recipe.response = SCENE_PASS;
    recipe.walls = false;
    recipe.t_end = 10.0;
    scene s;
    CHECK(scene_cook(&s, &recipe));
    s.growth = 3.0;
    prune(&s, &options, 10.0, "growth", seed);
    scene_free(&s);
  }
  report("growth");
}

int main(int argc, char **argv) {
  if (argc > 1) scenes = strtoull(argv[1], NULL, 10);
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  tell = argc > 1;
  RUN(bodies_that_pass_through_each_other);
  RUN(bodies_that_bounce);
  RUN(cars_that_bump);
  RUN(bodies_that_vanish);
  RUN(bodies_that_halt);
  RUN(one_dimension);
  RUN(two_dimensions);
  RUN(three_dimensions);
  RUN(bodies_of_very_different_sizes);
  RUN(a_common_size);
  RUN(bodies_that_jump);
  RUN(bodies_that_grow);
  return check_done();
}
