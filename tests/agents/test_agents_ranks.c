/* One population on many ranks gives what one rank gives: every event in its order, every state at the end and every
 * count, to the last bit. The ranks are threads. Random scenes: dense and sparse, of one population and of several, in one,
 * two and three dimensions, with jumps from wall to wall, balls in a row, clusters, ends of runs.
 *
 * The first argument is the number of scenes of each sort (1), the second the first seed (1). */
#include "agents/domain.h"
#include "check.h"
#include "support/agents_random.h"
#include "support/thread_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define T_END 2.0

static uint64_t scenes = 1, first_seed = 1;
static size_t events;
static int64_t rounds, refused;

/* ---- a run on ranks ---- */

typedef struct trial {
  const scene *scene;
  const brink_options *options;
  double t_end;
  double halo, length; /* at first; 0: as it chooses */
  size_t pauses;       /* times at which all agents are gathered, on the way */
  size_t dies;         /* a rank that is not heard of; 0: none */
  /* what came of it */
  scene_result result;
  brink_status status[8];
  brink_diag diag[8];
  bool alone; /* rank 0 went on by itself in the end */
  int64_t rounds, refused;
} trial;

static brink_status lead(trial *t, brink_domain *domain, brink_agents *whole,
                         const scene_listener *listener, brink_diag *diag) {
  brink_status status = BRINK_OK;
  for (size_t k = 1; k <= t->pauses + 1 && status != BRINK_STOPPED; k++) {
    double pause = t->t_end * (double)k / (double)(t->pauses + 1);
    do status = brink_domain_round(domain, k <= t->pauses ? pause : t->t_end, diag);
    while (status == BRINK_OK);
    if (status < 0) return status;
  }
  t->alone = status == BRINK_STOPPED;
  brink_domain_stats stats = brink_domain_statistics(domain);
  t->rounds = stats.rounds;
  t->refused = stats.refused;
  scene_finish(whole, t->t_end, listener);
  brink_domain_end(domain, NULL);
  return BRINK_OK;
}

static void part(brink_ranks *ranks, void *user) {
  trial *t = user;
  brink_diag *diag = &t->diag[ranks->rank];
  brink_agents *whole = NULL;
  brink_domain *domain = NULL;
  scene_listener listener;
  brink_agents_def agents = scene_def(t->scene, t->options);
  agents.threads = 0;
  brink_domain_def def = {.agents = &agents,
                          .ranks = ranks,
                          .patience = t->dies > 0 ? 0.5 : 60.0,
                          .halo = t->halo,
                          .length = t->length};
  brink_status status = brink_agents_create(&agents, NULL, diag, &whole);
  if (status == BRINK_OK && ranks->rank == 0) scene_listen(t->scene, whole, &listener, &t->result);
  if (status == BRINK_OK) status = brink_agents_begin(whole, t->t_end, diag);
  def.whole = whole;
  if (status == BRINK_OK) status = brink_domain_create(&def, NULL, diag, &domain);
  if (t->dies > 0 && ranks->rank == t->dies) {
    thread_ranks_die(ranks);
  } else if (status == BRINK_OK) {
    status = ranks->rank == 0 ? lead(t, domain, whole, &listener, diag)
                              : brink_domain_follow(domain, diag);
  }
  t->status[ranks->rank] = status;
  brink_domain_destroy(domain);
  brink_agents_destroy(whole);
}

/* ---- comparisons ---- */

static void same(const scene_result *a, const scene_result *b, size_t ranks, const char *what,
                 uint64_t seed) {
  char room[300];
  const char *difference = scene_difference(a, b, room);
  CHECK_MSG(difference == NULL, "%s, seed %llu, %zu ranks: %s", what, (unsigned long long)seed,
            ranks, difference);
  CHECK_MSG(memcmp(&a->stats.sum, &b->stats.sum, offsetof(brink_stats, reason)) == 0,
            "%s, seed %llu, %zu ranks: the counts differ: steps %lld, %lld; guards %lld, %lld",
            what, (unsigned long long)seed, ranks, (long long)a->stats.sum.steps,
            (long long)b->stats.sum.steps, (long long)a->stats.sum.guards,
            (long long)b->stats.sum.guards);
  CHECK_INT(b->stats.windows, a->stats.windows);
  CHECK_INT(b->stats.searches, a->stats.searches);
  CHECK_INT(b->stats.checks, a->stats.checks);
  CHECK_INT(b->stats.pair_events, a->stats.pair_events);
}

static void run_on(const trial *like, size_t ranks, trial *t) {
  *t = *like;
  thread_ranks_run(ranks, part, t);
  rounds += t->rounds;
  refused += t->refused;
}

static void compare(scene *s, const brink_options *options, double t_end, const trial *like,
                    const char *what, uint64_t seed) {
  static const size_t several[] = {2, 3, 4};
  scene_result alone = {0};
  s->threads = 1;
  scene_run(s, options, false, t_end, &alone);
  events += alone.count;
  for (size_t k = 0; k < 3; k++) {
    trial given = *like, t;
    given.scene = s;
    given.options = options;
    given.t_end = t_end;
    given.pauses = (seed + k) % 3;
    run_on(&given, several[k], &t);
    for (size_t r = 0; r < several[k]; r++)
      CHECK_MSG(t.status[r] == BRINK_OK, "%s, seed %llu, rank %zu of %zu: %s", what,
                (unsigned long long)seed, r, several[k], t.diag[r].message);
    same(&alone, &t.result, several[k], what, seed);
    scene_result_free(&t.result);
  }
  scene_result_free(&alone);
}

static void run(const scene_recipe *recipe, bool wraps, const trial *like, const char *what,
                uint64_t seed) {
  brink_options options = scene_options_by_seed(seed);
  scene s;
  CHECK(scene_cook(&s, recipe));
  s.wraps = wraps;
  compare(&s, &options, recipe->t_end, like, what, seed);
  scene_free(&s);
}

static const trial as_it_chooses;

static void run_several(scene_response response, bool mixed, const char *what) {
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = scene_recipe_by_seed(seed, response, T_END);
    bool cars = response == SCENE_BUMP;
    size_t each = mixed ? 200 : 0,
           discs = mixed  ? each
                   : cars ? 0
                          : 800,
           others = mixed ? each : 800 - discs;
    memcpy(recipe.count, (size_t[4]){discs, others, each, each}, sizeof recipe.count);
    if (mixed) recipe.walls = false; /* bodies on circles may start beyond them */
    run(&recipe, false, &as_it_chooses, what, seed);
  }
  CHECK_MSG(events > 20 * scenes, "%s: %zu events", what, events);
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
    run(&recipe, false, &as_it_chooses, "dimensions", seed);
  }
}

/* Rounds are refused where a body crosses all strips at once. */
TEST(bodies_that_jump_from_wall_to_wall) {
  int64_t before = refused;
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = scene_recipe_by_seed(seed, SCENE_PASS, T_END);
    recipe.count[0] = 700;
    recipe.side = 40.0;
    run(&recipe, true, &as_it_chooses, "jumps", seed);
  }
  CHECK_MSG(refused > before, "no round was refused");
}

/* Halos much too narrow and rounds much too long: nearly all rounds are wrong, and none of them counts. */
TEST(narrow_halos_are_refused) {
  int64_t before = refused;
  trial narrow = {.halo = 1e-3, .length = 1.0};
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = scene_recipe_by_seed(seed, SCENE_ELASTIC, T_END);
    recipe.count[0] = 800;
    recipe.side = 25.0;
    run(&recipe, false, &narrow, "narrow", seed);
  }
  CHECK_MSG(refused > before, "no round was refused");
}

/* ---- scenes by hand ---- */

enum { ROW = 60 };

static void compare_bodies(scene *s, double t_end, const char *what) {
  brink_options options = brink_default_options();
  options.method = BRINK_TAYLOR;
  compare(s, &options, t_end, &as_it_chooses, what, 0);
  scene_free(s);
}

/* A blow passes through the row, and all strips, at one instant. */
TEST(a_row_of_balls_in_contact) {
  scene_body bodies[ROW + 1];
  for (size_t k = 0; k <= ROW; k++)
    bodies[k] = (scene_body){.position = {(double)k}, .radius = 0.5, .mass = 1.0};
  bodies[0].position[0] = -1.5;
  bodies[0].velocity[0] = 1.0;
  scene s;
  scene_init(&s, 1);
  CHECK(scene_add(&s, SCENE_DISC, bodies, ROW + 1) && scene_meet(&s, 0, 0, SCENE_ELASTIC));
  int64_t before = refused;
  compare_bodies(&s, 4.0, "row");
  CHECK_MSG(refused > before, "no round was refused");
}

/* All start at the same time: events at one instant in all strips, which are told in the order of one rank. */
TEST(events_of_many_at_one_instant) {
  enum { SIDE = 14 };
  scene_body bodies[SIDE * SIDE];
  for (size_t k = 0; k < SIDE * SIDE; k++) {
    /* Numbers and places have nothing to do with each other. */
    size_t at = k * 61 % (SIDE * SIDE);
    bodies[k] = (scene_body){.position = {3.0 * (double)(at % SIDE), 3.0 * (double)(at / SIDE)},
                             .velocity = {at % 2 == 0 ? 1.0 : -1.0, 0.0},
                             .radius = 0.5,
                             .mass = 1.0,
                             .start = 1.0};
  }
  scene s;
  scene_init(&s, 2);
  CHECK(scene_add(&s, SCENE_WAITER, bodies, SIDE * SIDE) && scene_meet(&s, 0, 0, SCENE_PASS));
  compare_bodies(&s, 4.0, "instant");
}

/* Balls without mass: their first collision fails. Everything before it is told, and the failure, as on one rank. */
TEST(an_action_that_fails) {
  brink_options options = brink_default_options();
  size_t before = 0; /* events */
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) {
    scene_recipe recipe = scene_recipe_by_seed(seed, SCENE_ELASTIC, T_END);
    recipe.count[0] = 400;
    scene s;
    CHECK(scene_cook(&s, &recipe));
    double *massless = s.crowds[0].p0; /* two of them, somewhere: only their own collision fails */
    for (size_t k = 0; k < s.crowds[0].count; k += 3)
      massless[k * SCENE_PARAMETERS + SCENE_MASS] = 0.0;
    scene_result alone = {0};
    s.threads = 1;
    scene_run(&s, &options, false, 30.0, &alone);
    CHECK_MSG(alone.status < 0, "nothing failed: %s", brink_status_text(alone.status));
    before += alone.count;
    for (size_t ranks = 2; ranks <= 4; ranks++) {
      trial given = {.scene = &s, .options = &options, .t_end = 30.0}, t;
      run_on(&given, ranks, &t);
      CHECK_INT(t.status[0], BRINK_OK);
      CHECK(t.alone);
      CHECK_INT(t.result.status, alone.status);
      CHECK_MSG(strcmp(t.result.diag.message, alone.diag.message) == 0, "'%s', but alone '%s'",
                t.result.diag.message, alone.diag.message);
      CHECK_INT(t.result.count, alone.count);
      CHECK_INT(t.result.bits, alone.bits);
      CHECK_INT(t.result.stats.sum.guards, alone.stats.sum.guards);
      scene_result_free(&t.result);
    }
    scene_result_free(&alone);
    scene_free(&s);
  }
  CHECK_MSG(before > 0, "nothing happened before it");
}

/* ---- ranks that are lost ---- */

TEST(a_rank_that_is_not_heard_of_ends_the_run) {
  brink_options options = brink_default_options();
  scene_recipe recipe = scene_recipe_by_seed(1, SCENE_ELASTIC, T_END);
  recipe.count[0] = 300;
  scene s;
  CHECK(scene_cook(&s, &recipe));
  trial given = {.scene = &s, .options = &options, .t_end = 1.0, .dies = 2}, t;
  run_on(&given, 3, &t);
  CHECK_INT(t.status[0], BRINK_ERR_CALLBACK);
  CHECK_INT(t.status[1], BRINK_ERR_CALLBACK);
  CHECK_MSG(strstr(t.diag[0].message, "rank") != NULL, "%s", t.diag[0].message);
  scene_result_free(&t.result);
  scene_free(&s);
}

int main(int argc, char **argv) {
  if (argc > 1) scenes = strtoull(argv[1], NULL, 10);
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  RUN(discs_that_bounce);
  RUN(cars_that_bump);
  RUN(bodies_of_four_populations_that_pass);
  RUN(bodies_of_four_populations_that_halt);
  RUN(one_and_three_dimensions);
  RUN(bodies_that_jump_from_wall_to_wall);
  RUN(narrow_halos_are_refused);
  RUN(a_row_of_balls_in_contact);
  RUN(events_of_many_at_one_instant);
  RUN(an_action_that_fails);
  RUN(a_rank_that_is_not_heard_of_ends_the_run);
  printf("%lld rounds, %lld refused\n", (long long)rounds, (long long)refused);
  return check_done();
}
