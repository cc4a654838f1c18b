/* Hard discs: the engine against an exact event-driven computation, and what must be conserved.
 *
 * Hard discs are chaotic: a difference grows by a factor of several with each collision of a disc. So the first 1,000
 * collisions are taken among 400 discs or more, and how much times may differ at each of them is measured:
 * by a second exact computation whose start is off by a rounding of the positions (support/agents_random.h).
 *
 * The first argument is the number of collisions of the long run (20000). */
#include "check.h"
#include "support/agents_random.h"
#include "support/exact_crowd.h"
#include "support/exact_discs.h"

#include <float.h>
#include <stdlib.h>
#include <time.h>

enum { FIRST = 1000 };

static size_t collisions = 20000;
static bool tell;

static scene_recipe discs(int ndimensions, size_t count, double side) {
  return (scene_recipe){.seed = 6,
                        .ndimensions = ndimensions,
                        .count = {count},
                        .side = side,
                        .radius = {0.1, 0.2},
                        .speed = {0.5, 2.0},
                        .walls = true,
                        .apart = true,
                        .response = SCENE_ELASTIC};
}

static brink_options options_of(brink_method method) {
  brink_options options = brink_default_options();
  options.method = method;
  options.rtol = options.atol = 1e-12;
  return options;
}

/* ---- the first collisions ---- */

static size_t compute(const scene *s, real disturb, exact_collision *out) {
  exact_crowd from; /* only for its reading of the scene */
  exact_disc *all = NULL;
  size_t done = 0;
  if (exact_crowd_init(&from, s, SCENE_ELASTIC, disturb, 3)) {
    all = calloc(from.n, sizeof *all);
    exact_box box = {.ndimensions = s->ndimensions, .n = from.n, .discs = all, .walls = s->walls};
    for (int k = 0; k < 3; k++) {
      box.low[k] = from.low[k];
      box.high[k] = from.high[k];
    }
    for (size_t i = 0; i < from.n && all != NULL; i++) {
      memcpy(all[i].x, from.bodies[i].motion.p, sizeof all[i].x);
      memcpy(all[i].v, from.bodies[i].motion.v, sizeof all[i].v);
      all[i].radius = from.bodies[i].radius;
      all[i].mass = from.bodies[i].mass;
    }
    if (all != NULL) done = exact_collide(&box, 1e9L, out, FIRST);
  }
  free(all);
  exact_crowd_free(&from);
  return done;
}

static void compare_first(const scene_recipe *recipe, brink_method method) {
  static exact_collision exact[FIRST], shaken[FIRST];
  brink_options options = options_of(method);
  scene s;
  scene_result run = {0};
  CHECK(scene_cook(&s, recipe));
  size_t n = compute(&s, 0, exact);
  size_t shaken_n = compute(&s, (real)recipe->side * (real)DBL_EPSILON, shaken);
  CHECK_INT(n, FIRST);
  scene_run(&s, &options, false, (double)exact[FIRST - 1].t + 1e-3, &run);
  CHECK_MSG(run.status == BRINK_TIME_REACHED, "%s: %s", brink_status_text(run.status),
            run.diag.message);
  scene_comparison c = scene_compare(&s, &run, exact, n, shaken, shaken_n, false, 1e-12, 1e-3);
  CHECK_MSG(c.missed + c.invented + c.disordered == 0,
            "%zu missed, %zu invented, %zu disordered; %s", c.missed, c.invented, c.disordered,
            c.first);
  CHECK_INT(c.compared, FIRST);
  if (tell)
    printf("%d dimensions, %s: %zu collisions in %.3f s, times off by %.2g of %.2g\n",
           recipe->ndimensions, brink_method_name(method), c.compared, (double)exact[n - 1].t,
           c.worst, c.tolerance);
  scene_result_free(&run);
  scene_free(&s);
}

TEST(the_first_thousand_collisions_of_discs_are_those_of_the_exact_computation) {
  scene_recipe dense = discs(2, 400, 12.0), sparse = discs(2, 2000, 90.0);
  for (brink_method method = BRINK_ADAMS; method <= BRINK_TAYLOR; method++) {
    compare_first(&dense, method);
    compare_first(&sparse, method);
  }
}

TEST(the_first_thousand_collisions_of_balls_are_those_of_the_exact_computation) {
  scene_recipe balls = discs(3, 400, 6.0);
  compare_first(&balls, BRINK_TAYLOR);
  compare_first(&balls, BRINK_ADAMS);
}

TEST(the_first_thousand_collisions_on_a_line_are_those_of_the_exact_computation) {
  scene_recipe line = discs(1, 200, 150.0);
  compare_first(&line, BRINK_TAYLOR);
  compare_first(&line, BRINK_ADAMS);
}

TEST(collisions_far_from_the_origin_are_those_of_the_exact_computation) {
  scene_recipe far = discs(2, 400, 40.0);
  far.offset = 1e6;
  static exact_collision exact[FIRST], shaken[FIRST];
  brink_options options = options_of(BRINK_TAYLOR);
  options.rtol = 1e-15;
  scene s;
  scene_result run = {0};
  CHECK(scene_cook(&s, &far));
  size_t n = compute(&s, 0, exact), shaken_n = compute(&s, 1e-10L, shaken);
  scene_run(&s, &options, false, (double)exact[FIRST - 1].t, &run);
  scene_comparison c = scene_compare(&s, &run, exact, n, shaken, shaken_n, false, 1e-8, 1e-2);
  CHECK_MSG(c.missed + c.invented + c.disordered == 0,
            "%zu missed, %zu invented, %zu disordered; %s", c.missed, c.invented, c.disordered,
            c.first);
  CHECK(c.compared > 400);
  if (tell)
    printf("far: %zu collisions, times off by %.2g of %.2g\n", c.compared, c.worst, c.tolerance);
  scene_result_free(&run);
  scene_free(&s);
}

/* ---- what is conserved ---- */

/* A sum that keeps what rounding takes away (Neumaier 1974). */
typedef struct sum {
  double s, c;
} sum;

static void add(sum *total, double term) {
  double t = total->s + term;
  total->c += fabs(total->s) >= fabs(term) ? total->s - t + term : term - t + total->s;
  total->s = t;
}

typedef struct ledger {
  const scene *scene;
  size_t pairs, walls, most;
  sum impulse[2];
  double deepest; /* overlap of two that meet */
} ledger;

static int account(const brink_agent_event *event, void *user) {
  ledger *l = user;
  const brink_event_record *r = event->record;
  if (event->pair != BRINK_NONE) {
    double value = r->event.value;
    l->deepest = fmin(l->deepest, value);
    l->pairs++;
  } else {
    double mass = r->p_before[SCENE_MASS];
    for (int k = 0; k < 2; k++)
      add(&l->impulse[k], mass * (r->x_after[2 + k] - r->x_before[2 + k]));
    l->walls++;
  }
  return l->pairs >= l->most;
}

/* Energy, momentum, and the sum of |m v|. */
static void measure(const scene *s, const brink_agents *agents, double *energy, double *momentum,
                    double *amount) {
  sum e = {0}, p[2] = {{0}}, a = {0};
  for (size_t i = 0; i < s->crowds[0].count; i++) {
    const double *q = s->crowds[0].p0 + i * SCENE_PARAMETERS;
    double x[4] = {0};
    if (agents != NULL)
      brink_agents_at(agents, 0, i, brink_agents_time(agents), x, &q, NULL);
    else
      memcpy(x, s->crowds[0].x0 + i * 4, sizeof x);
    double m = q[SCENE_MASS];
    add(&e, 0.5 * m * (x[2] * x[2] + x[3] * x[3]));
    for (int k = 0; k < 2; k++) add(&p[k], m * x[2 + k]);
    add(&a, m * hypot(x[2], x[3]));
  }
  *energy = e.s + e.c;
  *amount = a.s + a.c;
  for (int k = 0; k < 2; k++) momentum[k] = p[k].s + p[k].c;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

TEST(energy_and_momentum_with_the_wall_impulses_are_kept) {
  scene_recipe recipe = discs(2, 200, 10.0);
  brink_options options = options_of(BRINK_TAYLOR);
  brink_agents *agents = NULL;
  brink_diag diag;
  scene s;
  CHECK(scene_cook(&s, &recipe));
  ledger l = {.scene = &s, .most = collisions};
  double energy[2], momentum[2][2], amount, begin = seconds();
  brink_agents_def def = scene_def(&s, &options);
  brink_agents_sink sink = {.event = account, .user = &l};
  CHECK_INT(brink_agents_create(&def, NULL, &diag, &agents), BRINK_OK);
  if (agents == NULL) return;
  brink_agents_set_sink(agents, &sink);
  measure(&s, NULL, &energy[0], momentum[0], &amount);
  brink_status status = brink_agents_run(agents, 1e9, 0, &diag);
  CHECK_MSG(status == BRINK_STOPPED, "%s: %s", brink_status_text(status), diag.message);
  double took = seconds() - begin;
  measure(&s, agents, &energy[1], momentum[1], &amount);
  CHECK_INT(l.pairs, collisions);
  CHECK_NEAR(energy[1] / energy[0], 1.0, 1e-12);
  for (int k = 0; k < 2; k++)
    CHECK_NEAR((momentum[1][k] - momentum[0][k] - l.impulse[k].s - l.impulse[k].c) / amount, 0.0,
               1e-12);
  CHECK(l.deepest > -1e-10);
  if (tell)
    printf("%zu collisions, %zu wall hits up to t = %.1f in %.2f s: %.0f events/s; energy off by "
           "%.2g, momentum by %.2g, %.2g; deepest overlap (of squares) %.2g\n",
           l.pairs, l.walls, brink_agents_time(agents), took, (double)(l.pairs + l.walls) / took,
           energy[1] / energy[0] - 1.0,
           (momentum[1][0] - momentum[0][0] - l.impulse[0].s - l.impulse[0].c) / amount,
           (momentum[1][1] - momentum[0][1] - l.impulse[1].s - l.impulse[1].c) / amount, l.deepest);
  brink_agents_destroy(agents);
  scene_free(&s);
}

int main(int argc, char **argv) {
  if (argc > 1) collisions = (size_t)strtoul(argv[1], NULL, 10);
  tell = argc > 1;
  RUN(the_first_thousand_collisions_of_discs_are_those_of_the_exact_computation);
  RUN(the_first_thousand_collisions_of_balls_are_those_of_the_exact_computation);
  RUN(the_first_thousand_collisions_on_a_line_are_those_of_the_exact_computation);
  RUN(collisions_far_from_the_origin_are_those_of_the_exact_computation);
  RUN(energy_and_momentum_with_the_wall_impulses_are_kept);
  return check_done();
}
