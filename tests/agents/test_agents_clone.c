/* Copies of runs, runs that begin again, and values that are written from outside: a clone and its original go on as if
 * there were only one of them, a run after a reset is a new run, both to the last bit; what is written does what
 * an event with the same effect does. */
#include "check.h"
#include "support/agents_random.h"
#include "support/counting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 6, MANY = 600 };

static brink_options options_of(uint64_t seed) {
  brink_options options = brink_default_options();
  options.method = seed % 2 == 0 ? BRINK_TAYLOR : BRINK_ADAMS;
  options.rtol = options.atol = seed % 3 == 0 ? 1e-6 : 1e-9;
  return options;
}

/* 50 bodies of several kinds; or so many of one kind that threads have something to do. */
static scene_recipe recipe_of(uint64_t seed, size_t threads) {
  static const scene_response responses[] = {SCENE_PASS, SCENE_BUMP, SCENE_ELASTIC, SCENE_VANISH};
  if (threads < 2) return scene_draw(seed, responses[seed % 4]);
  return (scene_recipe){.seed = seed * 7919,
                        .ndimensions = 2,
                        .count = {MANY},
                        .side = 40.0,
                        .radius = {0.05, 0.25},
                        .speed = {0.5, 1.5},
                        .walls = true,
                        .apart = true,
                        .t_end = 3.0,
                        .response = SCENE_ELASTIC};
}

/* A run and what it gives. */
typedef struct run {
  brink_agents *agents;
  scene_listener listener;
  scene_result result;
} run;

static void create(const scene *s, const brink_options *options, run *r) {
  brink_agents_def def = scene_def(s, options);
  brink_diag diag;
  CHECK_MSG(brink_agents_create(&def, NULL, &diag, &r->agents) == BRINK_OK, "%s", diag.message);
  scene_listen(s, r->agents, &r->listener, &r->result);
}

static void release(run *r) {
  scene_result_free(&r->result);
  brink_agents_destroy(r->agents);
}

static void check_same_counts(const scene_result *a, const scene_result *b) {
  CHECK_INT(memcmp(&a->stats.sum, &b->stats.sum, offsetof(brink_stats, method)), 0);
  CHECK_INT(a->stats.windows, b->stats.windows);
  CHECK_INT(a->stats.searches, b->stats.searches);
  CHECK_INT(a->stats.checks, b->stats.checks);
  CHECK_INT(a->stats.pair_events, b->stats.pair_events);
}

static void check_same(const scene_result *a, const scene_result *b, const char *what,
                       uint64_t seed) {
  char room[300];
  const char *difference = scene_difference(a, b, room);
  CHECK_MSG(difference == NULL, "%s, seed %llu: %s", what, (unsigned long long)seed, difference);
  check_same_counts(a, b);
}

/* ---- clones ---- */

/* The first `turns` turns, then a clone with so many threads; the clone goes to the end first. */
static void clone_and_go_on(scene *s, const brink_options *options, double t_end, int64_t turns,
                            size_t threads, uint64_t seed) {
  run whole, one, two;
  brink_diag diag;
  create(s, options, &whole);
  CHECK_INT(brink_agents_run(whole.agents, t_end, turns, &diag), BRINK_ERR_WORK);
  scene_result_free(&whole.result);
  scene_listen(s, whole.agents, &whole.listener, &whole.result);
  scene_finish(whole.agents, t_end, &whole.listener);

  create(s, options, &one);
  CHECK_INT(brink_agents_run(one.agents, t_end, turns, &diag), BRINK_ERR_WORK);
  scene_result_free(&one.result);
  s->threads = threads;
  brink_agents_def def = scene_def(s, options);
  CHECK_MSG(brink_agents_clone(one.agents, &def, NULL, &diag, &two.agents) == BRINK_OK, "%s",
            diag.message);
  CHECK(brink_agents_time(two.agents) == brink_agents_time(one.agents));
  CHECK(brink_agents_horizon(two.agents) == brink_agents_horizon(one.agents));
  scene_listen(s, two.agents, &two.listener, &two.result);
  scene_finish(two.agents, t_end, &two.listener);
  check_same(&whole.result, &two.result, "clone", seed);
  scene_listen(s, one.agents, &one.listener, &one.result);
  scene_finish(one.agents, t_end, &one.listener);
  check_same(&whole.result, &one.result, "original", seed);
  release(&whole);
  release(&one);
  release(&two);
}

static void clone_several(size_t threads) {
  for (uint64_t seed = 1; seed <= (threads < 2 ? SEEDS : 2); seed++) {
    scene_recipe recipe = recipe_of(seed, threads);
    brink_options options = options_of(seed);
    scene s;
    CHECK(scene_cook(&s, &recipe));
    s.threads = threads;
    clone_and_go_on(&s, &options, recipe.t_end, threads < 2 ? 100 : 1500, 1, seed);
    s.threads = threads;
    clone_and_go_on(&s, &options, recipe.t_end, threads < 2 ? 101 : 1600, 3, seed);
    scene_free(&s);
  }
}

TEST(clone_and_original_go_on_alike) {
  clone_several(1);
}
TEST(clones_of_runs_with_threads_go_on_alike) {
  clone_several(2);
}

TEST(clone_of_a_run_that_has_not_begun_and_of_one_that_has_ended) {
  scene_recipe recipe = recipe_of(2, 1);
  brink_options options = options_of(2);
  scene s;
  run one, two;
  CHECK(scene_cook(&s, &recipe));
  create(&s, &options, &one);
  brink_agents_def def = scene_def(&s, &options);
  CHECK_INT(brink_agents_clone(one.agents, &def, NULL, NULL, &two.agents), BRINK_OK);
  for (int half = 1; half <= 2; half++) {
    scene_listen(&s, one.agents, &one.listener, &one.result);
    scene_listen(&s, two.agents, &two.listener, &two.result);
    scene_finish(one.agents, 0.5 * half * recipe.t_end, &one.listener);
    scene_finish(two.agents, 0.5 * half * recipe.t_end, &two.listener);
    check_same(&one.result, &two.result, "clone", (uint64_t)half);
    release(&two);
    if (half == 1) {
      CHECK_INT(brink_agents_clone(one.agents, &def, NULL, NULL, &two.agents), BRINK_OK);
      scene_result_free(&one.result);
    }
  }
  release(&one);
  scene_free(&s);
}

TEST(clone_needs_the_same_populations) {
  scene_recipe recipe = recipe_of(2, 1), other = recipe;
  brink_options options = options_of(2);
  scene s, fewer;
  run one;
  brink_agents *none;
  brink_diag diag;
  other.count[0]++;
  CHECK(scene_cook(&s, &recipe));
  CHECK(scene_cook(&fewer, &other));
  create(&s, &options, &one);
  brink_agents_def def = scene_def(&fewer, &options);
  CHECK_INT(brink_agents_clone(one.agents, &def, NULL, &diag, &none), BRINK_ERR_ARGUMENT);
  CHECK(none == NULL);
  release(&one);
  scene_free(&s);
  scene_free(&fewer);
}

TEST(clone_without_memory_fails_and_frees_all) {
  scene_recipe recipe = recipe_of(1, 1);
  brink_options options = options_of(1);
  scene s;
  run one;
  CHECK(scene_cook(&s, &recipe));
  create(&s, &options, &one);
  CHECK_INT(brink_agents_run(one.agents, recipe.t_end, 300, NULL), BRINK_ERR_WORK);
  brink_agents_def def = scene_def(&s, &options);
  brink_status status = BRINK_ERR_MEMORY;
  for (long call = 1; status == BRINK_ERR_MEMORY; call++) {
    counting memory = {.fail_at = call};
    brink_allocator allocator = counting_allocator(&memory);
    brink_agents *two;
    status = brink_agents_clone(one.agents, &def, &allocator, NULL, &two);
    CHECK((two == NULL) == (status != BRINK_OK));
    brink_agents_destroy(two);
    CHECK(memory.live == 0 && memory.mismatch == 0);
  }
  CHECK_INT(status, BRINK_OK);
  release(&one);
  scene_free(&s);
}

/* ---- resets ---- */

static void reset_to(run *r, const scene *s) {
  brink_agents_start starts[SCENE_POPULATIONS];
  for (size_t k = 0; k < s->ncrowds; k++)
    starts[k] = (brink_agents_start){
        .x0 = s->crowds[k].x0, .p0 = s->crowds[k].p0, .mode0 = s->crowds[k].mode0};
  scene_result_free(&r->result);
  brink_agents_reset(r->agents, starts);
  scene_listen(s, r->agents, &r->listener, &r->result);
}

static void reset_several(size_t threads) {
  for (uint64_t seed = 1; seed <= (threads < 2 ? SEEDS : 2); seed++) {
    scene_recipe recipe[2] = {recipe_of(seed, threads), recipe_of(seed, threads)};
    brink_options options = options_of(seed);
    scene s[2];
    run fresh[2], again;
    recipe[1].seed += 1000;
    for (int k = 0; k < 2; k++) {
      CHECK(scene_cook(&s[k], &recipe[k]));
      memcpy(s[k].low, s[0].low, sizeof s[k].low); /* the models of both have the same walls */
      memcpy(s[k].high, s[0].high, sizeof s[k].high);
      s[k].threads = threads;
      create(&s[k], &options, &fresh[k]);
      scene_finish(fresh[k].agents, recipe[0].t_end, &fresh[k].listener);
    }
    create(&s[0], &options, &again);
    CHECK_INT(brink_agents_run(again.agents, recipe[0].t_end, 100, NULL), BRINK_ERR_WORK);
    for (int k = 1; k >= 0; k--) {
      reset_to(&again, &s[k]);
      scene_finish(again.agents, recipe[0].t_end, &again.listener);
      check_same(&fresh[k].result, &again.result, k == 1 ? "other start" : "same start", seed);
    }
    scene_result_free(&again.result);
    brink_agents_reset(again.agents, NULL);
    scene_listen(&s[0], again.agents, &again.listener, &again.result);
    scene_finish(again.agents, recipe[0].t_end, &again.listener);
    check_same(&fresh[0].result, &again.result, "last start", seed);
    release(&again);
    for (int k = 0; k < 2; k++) {
      release(&fresh[k]);
      scene_free(&s[k]);
    }
  }
}

TEST(run_after_a_reset_is_a_new_run) {
  reset_several(1);
}
TEST(run_after_a_reset_is_a_new_run_with_threads_too) {
  reset_several(2);
}

/* ---- writes ---- */

TEST(writing_what_is_there_changes_nothing) {
  scene_recipe recipe = recipe_of(4, 1);
  brink_options options = options_of(4);
  scene s;
  run one, two;
  CHECK(scene_cook(&s, &recipe));
  create(&s, &options, &one);
  create(&s, &options, &two);
  double half = 0.5 * recipe.t_end;
  CHECK_INT(brink_agents_run(one.agents, half, 0, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_agents_run(two.agents, half, 0, NULL), BRINK_TIME_REACHED);
  for (size_t c = 0; c < s.ncrowds; c++) {
    for (size_t i = 0; i < s.crowds[c].count; i++) {
      double x[SCENE_STATES];
      const double *p;
      const int *mode;
      brink_agents_at(two.agents, c, i, half, x, &p, &mode);
      CHECK_INT(brink_agents_write(two.agents, c, i, x, p, mode, NULL), BRINK_OK);
      CHECK_INT(brink_agents_write(two.agents, c, i, NULL, NULL, NULL, NULL), BRINK_OK);
    }
  }
  scene_finish(one.agents, recipe.t_end, &one.listener);
  scene_finish(two.agents, recipe.t_end, &two.listener);
  check_same(&one.result, &two.result, "written", 4);
  release(&one);
  release(&two);
  scene_free(&s);
}

/* Waiters among discs: at `when` they begin to move, and grow, so that some are inside others at once. */
static void make_waiters(scene *s, double when, scene_response response, double growth) {
  enum { WAITERS = 12, DISCS = 30 };
  scene_body waiters[WAITERS] = {0}, discs[DISCS] = {0};
  for (int k = 0; k < WAITERS; k++)
    waiters[k] = (scene_body){.position = {3.0 * (k % 4) + 0.1 * k, 3.0 * (k / 4), 0.0},
                              .velocity = {0.3 + 0.05 * k, -0.2 + 0.03 * k, 0.0},
                              .radius = 0.4,
                              .mass = 1.0 + 0.1 * k,
                              .start = when};
  for (int k = 0; k < DISCS; k++)
    discs[k] = (scene_body){.position = {1.4 + 1.9 * (k % 6), 1.3 + 1.7 * (k / 6), 0.0},
                            .velocity = {0.21 * (k % 3) - 0.2, 0.17 * (k % 5) - 0.3, 0.0},
                            .radius = 0.2,
                            .mass = 1.0};
  scene_init(s, 2);
  s->growth = growth;
  CHECK(scene_add(s, SCENE_WAITER, waiters, WAITERS));
  CHECK(scene_add(s, SCENE_DISC, discs, DISCS));
  CHECK(scene_meet(s, 0, 0, response));
  CHECK(scene_meet(s, 0, 1, response));
  CHECK(scene_meet(s, 1, 1, response));
}

/* What their own event would have done. */
static void write_start(const scene *s, run *r, double when) {
  for (size_t i = 0; i < s->crowds[0].count; i++) {
    double x[SCENE_STATES], p[SCENE_PARAMETERS];
    const double *before;
    const int *mode;
    brink_diag diag;
    brink_agents_at(r->agents, 0, i, when, x, &before, &mode);
    memcpy(p, before, sizeof p);
    p[SCENE_RADIUS] *= s->growth;
    int moves = mode[0] == SCENE_WAITS ? SCENE_MOVES : mode[0];
    CHECK_MSG(brink_agents_write(r->agents, 0, i, NULL, p, &moves, &diag) == BRINK_OK, "%s",
              diag.message);
  }
}

/* In the order of time, then of the partners: events of one instant need not come in the same order. */
static int by_time(const void *a, const void *b) {
  const scene_event *one = a, *other = b;
  if (fabs(one->t - other->t) > 1e-9) return one->t < other->t ? -1 : 1;
  if (one->pair != other->pair) return one->pair < other->pair ? -1 : 1;
  if (one->agent != other->agent) return one->agent < other->agent ? -1 : 1;
  return (one->other > other->other) - (one->other < other->other);
}

/* The events without those of agents' own; sorted. */
static size_t pair_events(scene_result *r) {
  size_t kept = 0;
  for (size_t k = 0; k < r->count; k++) {
    if (r->events[k].pair != BRINK_NONE) r->events[kept++] = r->events[k];
  }
  qsort(r->events, kept, sizeof *r->events, by_time);
  return kept;
}

static void write_against_event(scene_response response, double growth, brink_method method,
                                size_t least_jumps) {
  const double when = 1.25, t_end = 4.0;
  brink_options options = brink_default_options();
  options.method = method;
  options.rtol = options.atol = 1e-11;
  scene event, written;
  run one, two;
  make_waiters(&event, when, response, growth);
  make_waiters(&written, 1e6, response, growth);
  create(&event, &options, &one);
  create(&written, &options, &two);
  scene_finish(one.agents, t_end, &one.listener);
  CHECK_INT(brink_agents_run(two.agents, when, 0, NULL), BRINK_TIME_REACHED);
  write_start(&written, &two, when);
  scene_finish(two.agents, t_end, &two.listener);
  CHECK_INT(one.result.status, BRINK_TIME_REACHED);
  CHECK_MSG(two.result.status == BRINK_TIME_REACHED, "%s", two.result.diag.message);
  size_t count = pair_events(&one.result), jumps = 0;
  CHECK_INT(pair_events(&two.result), count);
  for (size_t k = 0; k < count; k++) {
    const scene_event *a = &one.result.events[k], *b = &two.result.events[k];
    CHECK_MSG(by_time(a, b) == 0 && a->kind == b->kind && a->direction == b->direction,
              "event %zu: t = %.17g, %.17g", k, a->t, b->t);
    jumps += a->kind == BRINK_JUMPED && a->t == when;
  }
  CHECK_MSG(jumps >= least_jumps && count > jumps, "%zu events, %zu jumps", count, jumps);
  for (size_t i = 0; i < one.result.nx; i++) CHECK_NEAR(two.result.x[i], one.result.x[i], 1e-7);
  release(&one);
  release(&two);
  scene_free(&event);
  scene_free(&written);
}

TEST(values_that_are_written_do_what_an_event_does) {
  write_against_event(SCENE_ELASTIC, 1.0, BRINK_TAYLOR, 0);
  write_against_event(SCENE_ELASTIC, 1.0, BRINK_ADAMS, 0);
}

TEST(guards_of_pairs_that_jump_by_a_write_fire) {
  write_against_event(SCENE_PASS, 3.0, BRINK_TAYLOR, 5);
  write_against_event(SCENE_PASS, 3.0, BRINK_ADAMS, 5);
}

/* One disc, put past a wall: its own guard fires at once, and turns it around. */
TEST(guards_of_an_agent_that_jump_by_a_write_fire_at_once) {
  const scene_body disc = {.velocity = {1.0, 0.0, 0.0}, .radius = 0.5, .mass = 1.0};
  brink_options options = brink_default_options();
  scene s;
  run one;
  scene_init(&s, 2);
  scene_walls(&s, (double[3]){-10.0, -10.0, 0.0}, (double[3]){10.0, 10.0, 0.0});
  CHECK(scene_add(&s, SCENE_DISC, &disc, 1));
  create(&s, &options, &one);
  CHECK_INT(brink_agents_write(one.agents, 0, 0, NULL, NULL, NULL, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_agents_run(one.agents, 1.0, 0, NULL), BRINK_TIME_REACHED);
  double x[4] = {9.75, 0.0, 1.0, 0.0};
  CHECK_INT(brink_agents_write(one.agents, 0, 1, x, NULL, NULL, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_agents_write(one.agents, 0, 0, (double[4]){(double)NAN}, NULL, NULL, NULL),
            BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_agents_write(one.agents, 0, 0, x, NULL, NULL, NULL), BRINK_OK);
  CHECK_INT(one.result.count, 1);
  CHECK(one.result.events[0].t == 1.0 && one.result.events[0].kind == BRINK_JUMPED);
  brink_agents_at(one.agents, 0, 0, 1.0, x, NULL, NULL);
  CHECK(x[0] == 9.75 && x[2] == -1.0);
  scene_finish(one.agents, 3.0, &one.listener);
  CHECK_NEAR(one.result.x[0], 7.75, 1e-12);
  CHECK_INT(one.result.count, 1);
  release(&one);
  scene_free(&s);
}

/* A disc that is put in the way of another one, between two calls that go on in the middle of things. */
TEST(window_of_a_partner_is_searched_again_after_a_write) {
  const scene_body discs[2] = {
      {.position = {0.0, 0.0, 0.0}, .velocity = {1.0, 0.0, 0.0}, .radius = 0.5, .mass = 1.0},
      {.position = {4.0, 50.0, 0.0}, .velocity = {0.0, 0.0, 0.0}, .radius = 0.5, .mass = 1.0}};
  brink_options options = brink_default_options();
  scene s;
  run one;
  scene_init(&s, 2);
  CHECK(scene_add(&s, SCENE_DISC, discs, 2));
  CHECK(scene_meet(&s, 0, 0, SCENE_ELASTIC));
  create(&s, &options, &one);
  CHECK_INT(brink_agents_begin(one.agents, 10.0, NULL), BRINK_OK);
  CHECK_INT(brink_agents_write(one.agents, 0, 1, (double[4]){4.0, 0.0, 0.0, 0.0}, NULL, NULL, NULL),
            BRINK_OK);
  scene_finish(one.agents, 10.0, &one.listener);
  CHECK_INT(one.result.count, 1);
  CHECK_NEAR(one.result.events[0].t, 3.0, 1e-9);
  CHECK_NEAR(one.result.x[0], 3.0, 1e-9);  /* it stands where it met the other one, */
  CHECK_NEAR(one.result.x[4], 11.0, 1e-9); /* which has taken its speed */
  release(&one);
  scene_free(&s);
}

int main(void) {
  RUN(clone_and_original_go_on_alike);
  RUN(clones_of_runs_with_threads_go_on_alike);
  RUN(clone_of_a_run_that_has_not_begun_and_of_one_that_has_ended);
  RUN(clone_needs_the_same_populations);
  RUN(clone_without_memory_fails_and_frees_all);
  RUN(run_after_a_reset_is_a_new_run);
  RUN(run_after_a_reset_is_a_new_run_with_threads_too);
  RUN(writing_what_is_there_changes_nothing);
  RUN(values_that_are_written_do_what_an_event_does);
  RUN(guards_of_pairs_that_jump_by_a_write_fire);
  RUN(guards_of_an_agent_that_jump_by_a_write_fire_at_once);
  RUN(window_of_a_partner_is_searched_again_after_a_write);
  return check_done();
}
