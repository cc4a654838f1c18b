/* What must hold of agents whatever the scene: runs repeat to the last bit, in one go or in pieces; the order of agents
 * does not matter; an agent alone is a simulation; methods agree; no memory is no crash. */
#include "check.h"
#include "support/agents_random.h"
#include "support/counting.h"

#include <stdlib.h>

enum { SEEDS = 8, EVENTS = 4096 };

static brink_options options_of(brink_method method) {
  brink_options options = brink_default_options();
  options.method = method;
  options.rtol = options.atol = 1e-11;
  return options;
}

static scene_recipe near_origin(uint64_t seed, scene_response response) {
  scene_recipe recipe = scene_draw(seed, response);
  recipe.offset = 0.0;
  return recipe;
}

/* All events of the second are those of the first, as far as `tolerance` tells. `number` says what agents of the
 * second are called in the first; NULL: the same. */
static void same_events(const scene *s, const scene_result *first, const scene_result *second,
                        const size_t *number, double tolerance, uint64_t seed) {
  static exact_collision list[EVENTS];
  size_t n = 0;
  CHECK(second->count <= EVENTS);
  for (size_t i = 0; i < second->count && i < EVENTS; i++) {
    exact_collision e = scene_as_exact(s, &second->events[i]);
    if (e.wall != BRINK_NONE && s->crowds[second->events[i].population].kind == SCENE_WAITER)
      continue;
    if (number != NULL) {
      size_t a = number[e.disc], b = e.other == BRINK_NONE ? BRINK_NONE : number[e.other];
      e.disc = a < b ? a : b;
      e.other = b == BRINK_NONE ? b : a < b ? b : a;
    }
    list[n++] = e;
  }
  scene_comparison c = scene_compare(s, first, list, n, list, n, true, tolerance, tolerance);
  CHECK_MSG(c.missed + c.invented + c.disordered == 0,
            "seed %llu: of %zu events %zu missed, %zu invented, %zu disordered; %s",
            (unsigned long long)seed, n, c.missed, c.invented, c.disordered, c.first);
}

/* ---- repeating ---- */

TEST(two_runs_give_the_same_bits) {
  static const scene_response responses[] = {SCENE_PASS, SCENE_BUMP, SCENE_ELASTIC, SCENE_VANISH};
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    scene_recipe recipe = scene_draw(seed, responses[seed % 4]);
    brink_options options = options_of(seed % 3 == 0 ? BRINK_ADAMS : BRINK_TAYLOR);
    scene s;
    scene_result run[2];
    CHECK(scene_cook(&s, &recipe));
    for (int k = 0; k < 2; k++) scene_run(&s, &options, false, recipe.t_end, &run[k]);
    CHECK_INT(run[0].status, BRINK_TIME_REACHED);
    CHECK_INT(run[0].count, run[1].count);
    CHECK_MSG(run[0].bits == run[1].bits, "seed %llu", (unsigned long long)seed);
    for (int k = 0; k < 2; k++) scene_result_free(&run[k]);
    scene_free(&s);
  }
}

typedef struct tally {
  size_t events;
  double t, last; /* sum of times: good enough to compare */
  size_t stop_at;
} tally;

static int count(const brink_agent_event *event, void *user) {
  tally *all = user;
  all->events++;
  all->t += event->record->event.t;
  CHECK(event->record->event.t >= all->last);
  all->last = event->record->event.t;
  return all->stop_at > 0 && all->events >= all->stop_at;
}

/* Runs a scene with at most `work` windows at a time and `pieces` ends. */
static brink_status run_pieces(const scene *s, const brink_options *options, double t_end,
                               int64_t work, int pieces, tally *all) {
  brink_agents *agents = NULL;
  brink_diag diag;
  brink_agents_def def = scene_def(s, options);
  brink_agents_sink sink = {.event = count, .user = all};
  brink_status status = brink_agents_create(&def, NULL, &diag, &agents);
  if (status != BRINK_OK) return status;
  brink_agents_set_sink(agents, &sink);
  for (int k = 1; k <= pieces; k++) {
    double until = k == pieces ? t_end : t_end * k / pieces;
    do status = brink_agents_run(agents, until, work, &diag);
    while (status == BRINK_ERR_WORK);
    CHECK_MSG(status == BRINK_TIME_REACHED || status == BRINK_STOPPED, "%s: %s",
              brink_status_text(status), diag.message);
    if (status != BRINK_TIME_REACHED) break;
    CHECK_NEAR(brink_agents_time(agents), until, 0.0);
  }
  brink_agents_destroy(agents);
  return status;
}

TEST(little_work_at_a_time_gives_the_same_bits) {
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    scene_recipe recipe = near_origin(seed, seed % 2 == 0 ? SCENE_PASS : SCENE_BUMP);
    brink_options options = options_of(seed % 3 == 0 ? BRINK_ADAMS : BRINK_TAYLOR);
    scene s;
    CHECK(scene_cook(&s, &recipe));
    tally whole = {0}, parts = {0};
    run_pieces(&s, &options, recipe.t_end, 0, 1, &whole);
    run_pieces(&s, &options, recipe.t_end, 7, 1, &parts);
    CHECK_INT(parts.events, whole.events);
    CHECK_NEAR(parts.t, whole.t, 0.0);
    scene_free(&s);
  }
}

TEST(a_run_in_pieces_has_the_same_events) {
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    scene_recipe recipe = near_origin(seed, seed % 2 == 0 ? SCENE_PASS : SCENE_VANISH);
    brink_options options = options_of(seed % 3 == 0 ? BRINK_ADAMS : BRINK_TAYLOR);
    scene s;
    CHECK(scene_cook(&s, &recipe));
    tally whole = {0}, parts = {0};
    run_pieces(&s, &options, recipe.t_end, 0, 1, &whole);
    run_pieces(&s, &options, recipe.t_end, 0, 13, &parts);
    CHECK_INT(parts.events, whole.events);
    CHECK_NEAR(parts.t, whole.t, 1e-6 * (double)(1 + whole.events));
    scene_free(&s);
  }
}

TEST(a_sink_may_stop_the_run) {
  scene_recipe recipe = near_origin(1, SCENE_ELASTIC);
  brink_options options = options_of(BRINK_TAYLOR);
  scene s;
  CHECK(scene_cook(&s, &recipe));
  tally all = {.stop_at = 5};
  CHECK_INT(run_pieces(&s, &options, recipe.t_end, 0, 1, &all), BRINK_STOPPED);
  CHECK_INT(all.events, 5);
  scene_free(&s);
}

/* ---- order ---- */

/* The agents of each population, in reverse. */
static void reverse(scene *s, size_t *number) {
  size_t first = 0;
  for (size_t c = 0; c < s->ncrowds; c++) {
    scene_crowd *crowd = &s->crowds[c];
    for (size_t i = 0; i < crowd->count; i++) number[first + i] = first + crowd->count - 1 - i;
    for (size_t i = 0; i < crowd->count / 2; i++) {
      size_t j = crowd->count - 1 - i;
      for (size_t k = 0; k < crowd->nx; k++) {
        double keep = crowd->x0[i * crowd->nx + k];
        crowd->x0[i * crowd->nx + k] = crowd->x0[j * crowd->nx + k];
        crowd->x0[j * crowd->nx + k] = keep;
      }
      for (size_t k = 0; k < SCENE_PARAMETERS; k++) {
        double keep = crowd->p0[i * SCENE_PARAMETERS + k];
        crowd->p0[i * SCENE_PARAMETERS + k] = crowd->p0[j * SCENE_PARAMETERS + k];
        crowd->p0[j * SCENE_PARAMETERS + k] = keep;
      }
    }
    first += crowd->count;
  }
}

TEST(the_order_of_agents_does_not_matter) {
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    scene_recipe recipe = near_origin(seed, seed % 2 == 0 ? SCENE_PASS : SCENE_VANISH);
    brink_options options = options_of(seed % 3 == 0 ? BRINK_ADAMS : BRINK_TAYLOR);
    scene s;
    scene_result run[2];
    size_t number[64];
    CHECK(scene_cook(&s, &recipe));
    scene_run(&s, &options, false, recipe.t_end, &run[0]);
    reverse(&s, number);
    scene_run(&s, &options, false, recipe.t_end, &run[1]);
    CHECK_INT(run[1].status, BRINK_TIME_REACHED);
    same_events(&s, &run[0], &run[1], number, 1e-7, seed);
    for (int k = 0; k < 2; k++) scene_result_free(&run[k]);
    scene_free(&s);
  }
}

/* ---- methods ---- */

TEST(adams_and_taylor_agree) {
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    scene_recipe recipe = near_origin(seed, seed % 2 == 0 ? SCENE_PASS : SCENE_HALT);
    brink_options adams = options_of(BRINK_ADAMS), taylor = options_of(BRINK_TAYLOR);
    scene s;
    scene_result run[2];
    CHECK(scene_cook(&s, &recipe));
    scene_run(&s, &adams, false, recipe.t_end, &run[0]);
    scene_run(&s, &taylor, false, recipe.t_end, &run[1]);
    CHECK_INT(run[0].status, BRINK_TIME_REACHED);
    CHECK_INT(run[1].status, BRINK_TIME_REACHED);
    same_events(&s, &run[0], &run[1], NULL, 1e-6, seed);
    for (int k = 0; k < 2; k++) scene_result_free(&run[k]);
    scene_free(&s);
  }
}

TEST(a_method_without_polynomials_is_refused) {
  scene_recipe recipe = near_origin(1, SCENE_PASS);
  brink_options options = options_of(BRINK_DOPRI);
  scene s;
  scene_result run;
  CHECK(scene_cook(&s, &recipe));
  scene_run(&s, &options, false, 1.0, &run);
  CHECK_INT(run.status, BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(run.diag.message, "dopri");
  scene_result_free(&run);
  scene_free(&s);
}

/* ---- alone ---- */

typedef struct diary {
  size_t count;
  double t[EVENTS];
  size_t guard[EVENTS];
} diary;

static int note(const brink_event_record *record, void *user) {
  diary *d = user;
  if (d->count < EVENTS) {
    d->t[d->count] = record->event.t;
    d->guard[d->count] = record->event.guard;
  }
  d->count++;
  return 0;
}

/* A car among walls has the events of its own simulation, and ends where that does. */
static void compare_alone(const scene *s, const brink_options *options, double t_end,
                          uint64_t seed) {
  static diary d;
  brink_sim *sim = NULL;
  brink_sink sink = {.event = note, .user = &d};
  scene_result run;
  d.count = 0;
  CHECK_INT(brink_sim_create(s->crowds[0].model, options, NULL, NULL, &sim), BRINK_OK);
  brink_sim_set_sink(sim, &sink);
  CHECK_INT(brink_sim_run(sim, t_end, NULL), BRINK_TIME_REACHED);
  scene_run(s, options, false, t_end, &run);
  CHECK_MSG(run.status == BRINK_TIME_REACHED, "%s: %s", brink_status_text(run.status),
            run.diag.message);
  CHECK_MSG(run.count == d.count, "seed %llu: %zu events, alone %zu", (unsigned long long)seed,
            run.count, d.count);
  for (size_t k = 0; k < run.count && k < d.count && k < EVENTS; k++) {
    CHECK_NEAR(run.events[k].t, d.t[k], 1e-7);
    CHECK_INT(run.events[k].guard, d.guard[k]);
  }
  for (size_t i = 0; i < run.nx; i++) CHECK_NEAR(run.x[i], brink_sim_state(sim)[i], 1e-7);
  brink_sim_destroy(sim);
  scene_result_free(&run);
}

TEST(an_agent_alone_is_a_simulation) {
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    scene_recipe recipe = near_origin(seed, SCENE_BUMP);
    brink_options options = options_of(seed % 2 == 0 ? BRINK_ADAMS : BRINK_TAYLOR);
    recipe.count[SCENE_CAR] = 1;
    recipe.side = 3.0;
    scene s;
    CHECK(scene_cook(&s, &recipe));
    for (size_t pairs = 0; pairs < 2; pairs++) { /* without pairs, then with nobody to meet */
      s.nlinks = pairs;
      compare_alone(&s, &options, 30.0, seed);
    }
    scene_free(&s);
  }
}

/* ---- making ---- */

TEST(every_allocation_may_fail) {
  scene_recipe recipe = near_origin(2, SCENE_PASS);
  brink_options options = options_of(BRINK_TAYLOR);
  scene s;
  CHECK(scene_cook(&s, &recipe));
  brink_agents_def def = scene_def(&s, &options);
  counting state = {0};
  brink_allocator allocator = counting_allocator(&state);
  for (int on = 0; on < 2; on++) {
    brink_status status = BRINK_ERR_MEMORY;
    for (long n = 1; n < 10000 && status != BRINK_OK; n++) {
      brink_agents *agents = NULL;
      brink_diag diag;
      state = (counting){.fail_at = n, .fail_on = on == 1};
      status = brink_agents_create(&def, &allocator, &diag, &agents);
      CHECK_MSG(status == BRINK_OK ? agents != NULL : status == BRINK_ERR_MEMORY && agents == NULL,
                "allocation %ld fails: %s", n, brink_status_text(status));
      CHECK(status == BRINK_OK || diag.status == BRINK_ERR_MEMORY);
      brink_agents_destroy(agents);
      CHECK_MSG(state.live == 0 && state.mismatch == 0, "allocation %ld fails: %ld blocks left", n,
                state.live);
    }
    CHECK_INT(status, BRINK_OK);
  }
  scene_free(&s);
}

TEST(running_takes_no_memory) {
  scene_recipe recipe = near_origin(3, SCENE_ELASTIC);
  brink_options options = options_of(BRINK_TAYLOR);
  scene s;
  CHECK(scene_cook(&s, &recipe));
  brink_agents_def def = scene_def(&s, &options);
  counting state = {0};
  brink_allocator allocator = counting_allocator(&state);
  brink_agents *agents = NULL;
  CHECK_INT(brink_agents_create(&def, &allocator, NULL, &agents), BRINK_OK);
  long calls = state.calls;
  CHECK_INT(brink_agents_run(agents, 20.0, 0, NULL), BRINK_TIME_REACHED);
  CHECK_INT(state.calls, calls);
  brink_agents_destroy(agents);
  CHECK_INT(state.live, 0);
  scene_free(&s);
}

TEST(wrong_definitions_are_refused) {
  scene_recipe recipe = near_origin(2, SCENE_PASS);
  brink_options options = options_of(BRINK_TAYLOR);
  brink_agents *agents = NULL;
  brink_diag diag;
  scene s;
  CHECK(scene_cook(&s, &recipe));
  brink_agents_def def = scene_def(&s, &options);
  def.npopulations = 0;
  CHECK_INT(brink_agents_create(&def, NULL, &diag, &agents), BRINK_ERR_ARGUMENT);
  def.npopulations = 1; /* pairs speak of others */
  CHECK_INT(brink_agents_create(&def, NULL, &diag, &agents), BRINK_ERR_ARGUMENT);
  def = scene_def(&s, &options);
  def.options.rtol = -1.0;
  CHECK_INT(brink_agents_create(&def, NULL, &diag, &agents), BRINK_ERR_ARGUMENT);
  CHECK(agents == NULL);
  scene_free(&s);
}

int main(void) {
  RUN(two_runs_give_the_same_bits);
  RUN(little_work_at_a_time_gives_the_same_bits);
  RUN(a_run_in_pieces_has_the_same_events);
  RUN(a_sink_may_stop_the_run);
  RUN(the_order_of_agents_does_not_matter);
  RUN(adams_and_taylor_agree);
  RUN(a_method_without_polynomials_is_refused);
  RUN(an_agent_alone_is_a_simulation);
  RUN(every_allocation_may_fail);
  RUN(running_takes_no_memory);
  RUN(wrong_definitions_are_refused);
  return check_done();
}
