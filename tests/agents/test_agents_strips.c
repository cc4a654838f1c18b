/* A turn depends on the agent and on those near it, and on nothing else: strips of space that are computed apart, each with
 * a halo around it, give the states, windows, contacts, events, their order and the counts of one engine, to the last bit,
 * from round to round. The certificate of a round (support/agents_strips.h) is true whenever it is given; where a halo is too
 * narrow, or something crosses it, it is refused. docs/decisions/0023-ranks.md builds on this.
 *
 * With an argument it prints what became of the rounds. */
#include "check.h"
#include "support/agents_random.h"
#include "support/agents_strips.h"

#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROUNDS 4
#else
#define ROUNDS 12
#endif

static bool tell;

/* ---- rounds, in strips and in one engine ---- */

typedef struct trial {
  size_t ranks;
  double halo, step;
  bool moves; /* strips of other widths from round to round */
} trial;

typedef struct outcome {
  size_t certified, refused;
  size_t differ; /* rounds in which an agent differs from the whole in the rank that owns it */
  size_t events, migrated;
} outcome;

typedef struct one_engine {
  brink_agents *agents;
  strips_log log, merged; /* its turns, and those of the ranks */
} one_engine;

static brink_status run_whole(one_engine *whole, double until, brink_diag *diag) {
  brink_status status = BRINK_ERR_WORK;
  whole->log.count = 0;
  while (status == BRINK_ERR_WORK)
    status = strips_take_turn(whole->agents, &whole->log, until, diag);
  return status;
}

static size_t count_events(const strips_log *log) {
  size_t count = 0;
  for (size_t k = 0; k < log->count; k++) count += log->list[k].bits != 0 ? 1 : 0;
  return count;
}

static bool same_turns(const strips_log *a, const strips_log *b) {
  bool same = a->count == b->count;
  for (size_t k = 0; same && k < a->count; k++)
    same = a->list[k].at == b->list[k].at && a->list[k].agent == b->list[k].agent &&
           a->list[k].bits == b->list[k].bits;
  return same;
}

static size_t count_differences(const strips *s, const brink_agents *whole) {
  size_t count = 0;
  for (uint32_t i = 0; i < s->n; i++)
    count += strips_same(s->ranks[s->owner[i]].agents, whole, i) ? 0 : 1;
  return count;
}

static bool same_counts(const brink_agents_stats *ranks, const brink_agents_stats *before,
                        const brink_agents_stats *after) {
  return ranks->windows == after->windows - before->windows &&
         ranks->searches == after->searches - before->searches &&
         ranks->checks == after->checks - before->checks &&
         ranks->pair_events == after->pair_events - before->pair_events;
}

/* The next round begins with what the ranks have, not with what the whole has. */
static void exchange(strips *s, bool moves, size_t round, outcome *o) {
  double weight[STRIPS_MOST];
  uint8_t *old = malloc(s->n);
  if (old == NULL) return;
  for (size_t k = 0; k < s->nranks; k++) weight[k] = (k + round) % 2 == 0 ? 1.0 : 1.5;
  strips_locate(s);
  if (moves) strips_divide(s, weight);
  strips_own(s, old);
  for (size_t i = 0; i < s->n; i++) o->migrated += old[i] != s->owner[i] ? 1 : 0;
  for (size_t k = 0; k < s->nranks; k++) strips_find_halo(s, k, old);
  for (size_t k = 0; k < s->nranks; k++) strips_take_over(s, k, old);
  for (size_t k = 0; k < s->nranks; k++) strips_leave(s, k);
  free(old);
}

/* Everything that a certified round has to have in common with one engine. */
static void check_certified(const strips *s, one_engine *whole, const brink_agents_stats *before,
                            const char *what) {
  size_t differences = count_differences(s, whole->agents);
  double now = whole->agents->now;
  CHECK_MSG(differences == 0, "%s, %zu ranks: certified, but %zu agents differ at t = %g", what,
            s->nranks, differences, now);
  CHECK_MSG(strips_merge(s, &whole->merged) && same_turns(&whole->merged, &whole->log),
            "%s, %zu ranks: other turns or events, or another order, at %g: %zu and %zu", what,
            s->nranks, now, whole->merged.count, whole->log.count);
  CHECK_MSG(same_counts(&s->owned, before, &whole->agents->stats), "%s, %zu ranks: other counts",
            what, s->nranks);
}

static void take_round(strips *s, one_engine *whole, const trial *t, size_t round, const char *what,
                       outcome *o) {
  double until = (double)(round + 1) * t->step;
  brink_diag diag = {.message = ""};
  bool fine = true;
  s->owned = (brink_agents_stats){0};
  for (size_t k = 0; k < s->nranks; k++)
    fine = strips_compute(s, k, until, true, &diag) == BRINK_TIME_REACHED && fine;
  brink_agents_stats before = whole->agents->stats;
  brink_status status = run_whole(whole, until, &diag);
  CHECK_MSG(status == BRINK_TIME_REACHED, "%s: %s", what, diag.message);
  o->events += count_events(&whole->log);
  o->differ += count_differences(s, whole->agents) > 0 ? 1 : 0;
  bool certified = fine && strips_certified(s);
  o->certified += certified ? 1 : 0;
  o->refused += certified ? 0 : 1;
  if (certified) {
    check_certified(s, whole, &before, what);
    exchange(s, t->moves, round, o);
  } else {
    strips_restart(s, whole->agents);
  }
}

static outcome try_strips(const scene *s, const brink_options *options, const trial *t,
                          const char *what) {
  outcome o = {0};
  one_engine whole = {0};
  brink_diag diag = {.message = ""};
  brink_agents_def def = scene_def(s, options);
  strips made = {0};
  bool ok = brink_agents_create(&def, NULL, &diag, &whole.agents) == BRINK_OK &&
            brink_agents_begin(whole.agents, 1e3, &diag) == BRINK_OK &&
            strips_open(&made, whole.agents, &def, t->ranks, t->halo);
  CHECK_MSG(ok, "%s: %s", what, diag.message);
  if (ok) strips_listen(whole.agents, &whole.log);
  for (size_t round = 0; ok && round < ROUNDS; round++)
    take_round(&made, &whole, t, round, what, &o);
  strips_close(&made);
  brink_agents_destroy(whole.agents);
  free(whole.log.list);
  free(whole.merged.list);
  return o;
}

static brink_options options_of(uint64_t seed) {
  brink_options options = brink_default_options();
  options.method = seed % 2 == 0 ? BRINK_TAYLOR : BRINK_ADAMS;
  options.rtol = 1e-6;
  return options;
}

static scene_recipe crowd(scene_response response, size_t discs, size_t cars, double side) {
  return (scene_recipe){.seed = 7919,
                        .ndimensions = 2,
                        .count = {discs, cars},
                        .side = side,
                        .radius = {0.05, 0.25},
                        .speed = {0.5, 1.5},
                        .walls = true,
                        .apart = true,
                        .t_end = 3.0,
                        .response = response};
}

/* By 1, 2 and 4 ranks, with both methods. At least half of the rounds must be certified. */
static void try_ranks(const scene_recipe *recipe, bool wraps, trial t, const char *what,
                      bool expected) {
  static const size_t ranks[] = {1, 2, 4};
  for (uint64_t k = 0; k < 3; k++) {
    scene s;
    brink_options options = options_of(k);
    CHECK(scene_cook(&s, recipe));
    s.wraps = wraps;
    t.ranks = ranks[k];
    outcome o = try_strips(&s, &options, &t, what);
    CHECK_MSG(o.events > 0, "%s: nothing happens", what);
    if (tell)
      printf(
          "%s, %zu ranks: %zu rounds certified, %zu refused, %zu differ; %zu events, %zu moved\n",
          what, t.ranks, o.certified, o.refused, o.differ, o.events, o.migrated);
    if (expected)
      CHECK_MSG(2 * o.certified >= ROUNDS, "%s, %zu ranks: only %zu of %d rounds", what, t.ranks,
                o.certified, ROUNDS);
    scene_free(&s);
  }
}

/* ---- claims ---- */

TEST(discs_that_bounce) {
  scene_recipe dense = crowd(SCENE_ELASTIC, 800, 0, 20.0),
               sparse = crowd(SCENE_ELASTIC, 800, 0, 90.0);
  try_ranks(&dense, false, (trial){.halo = 3.0, .step = 0.05}, "dense discs", true);
  try_ranks(&sparse, false, (trial){.halo = 12.0, .step = 0.3}, "sparse discs", true);
}

TEST(cars_that_bump) {
  scene_recipe cars = crowd(SCENE_BUMP, 0, 800, 30.0);
  try_ranks(&cars, false, (trial){.halo = 4.0, .step = 0.1}, "cars", true);
}

TEST(strips_whose_borders_move) {
  scene_recipe discs = crowd(SCENE_ELASTIC, 800, 0, 30.0);
  try_ranks(&discs, false, (trial){.halo = 4.0, .step = 0.1, .moves = true}, "moving", true);
}

TEST(bodies_of_four_populations) {
  scene_recipe pass = crowd(SCENE_PASS, 200, 200, 40.0), halt = crowd(SCENE_HALT, 200, 200, 40.0);
  pass.count[2] = pass.count[3] = halt.count[3] = 200;
  pass.walls = halt.walls = false; /* bodies on circles may start beyond them */
  try_ranks(&pass, false, (trial){.halo = 6.0, .step = 0.1}, "pass", true);
  try_ranks(&halt, false, (trial){.halo = 6.0, .step = 0.1}, "halt", true);
}

TEST(one_and_three_dimensions) {
  scene_recipe line = crowd(SCENE_ELASTIC, 400, 0, 2000.0),
               cube = crowd(SCENE_ELASTIC, 600, 0, 12.0);
  line.ndimensions = 1;
  cube.ndimensions = 3;
  try_ranks(&line, false, (trial){.halo = 60.0, .step = 1.0}, "line", true);
  try_ranks(&cube, false, (trial){.halo = 3.0, .step = 0.1}, "cube", true);
}

/* They reach any place in no time: no halo helps, and the certificate says so. */
TEST(bodies_that_jump) {
  scene_recipe discs = crowd(SCENE_PASS, 700, 0, 40.0);
  try_ranks(&discs, true, (trial){.halo = 4.0, .step = 0.1}, "jumps", false);
}

/* A blow that runs through balls in contact crosses all strips at one instant. */
TEST(a_row_of_balls_in_contact) {
  enum { BALLS = 80 };
  scene_body balls[BALLS + 1];
  memset(balls, 0, sizeof balls);
  for (int k = 0; k <= BALLS; k++) {
    balls[k].radius = 0.5;
    balls[k].mass = 1.0;
    balls[k].position[0] = k - (k == 0 ? 0.55 : 0.0);
  }
  balls[0].velocity[0] = 1.0;
  for (uint64_t seed = 0; seed < 2; seed++) {
    scene s;
    brink_options options = options_of(seed);
    scene_init(&s, 2);
    CHECK(scene_add(&s, SCENE_DISC, balls, BALLS + 1) && scene_meet(&s, 0, 0, SCENE_ELASTIC));
    trial t = {.ranks = 4, .halo = 5.0, .step = 0.2};
    outcome o = try_strips(&s, &options, &t, "a row");
    CHECK_MSG(o.events >= BALLS, "%zu events", o.events);
    CHECK_INT(o.differ, 1);
    CHECK_MSG(o.refused >= 1 && o.certified >= 1, "%zu refused, %zu certified", o.refused,
              o.certified);
    scene_free(&s);
  }
}

/* So that the claims above do not hold for any halo. */
TEST(a_halo_that_is_too_narrow) {
  scene_recipe dense = crowd(SCENE_ELASTIC, 800, 0, 20.0);
  brink_options options = options_of(0);
  scene s;
  CHECK(scene_cook(&s, &dense));
  trial t = {.ranks = 4, .halo = 0.2, .step = 0.3};
  outcome o = try_strips(&s, &options, &t, "narrow");
  CHECK_MSG(o.differ > 0, "no agent differs");
  CHECK_MSG(o.refused >= o.differ, "%zu rounds refused, %zu differ", o.refused, o.differ);
  scene_free(&s);
}

int main(int argc, char **argv) {
  (void)argv;
  tell = argc > 1;
  RUN(discs_that_bounce);
  RUN(cars_that_bump);
  RUN(strips_whose_borders_move);
  RUN(bodies_of_four_populations);
  RUN(one_and_three_dimensions);
  RUN(bodies_that_jump);
  RUN(a_row_of_balls_in_contact);
  RUN(a_halo_that_is_too_narrow);
  return check_done();
}
