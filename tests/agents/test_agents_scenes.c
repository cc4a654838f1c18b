/* Random scenes of 50 agents with known collisions: none is missed, none invented, all in order.
 *
 * Bodies move in closed form (lines, circles, unicycles, and such as wait first). Scenes in which they pass through each
 * other have no chaos, and every touch of every pair is known: support/exact_motion.h finds them all, by bounds and
 * not by samples, in long double. A position of the run may be off by `error`, which follows from its tolerances; so
 * a touch must be reported between the times at which the distance is the touching one more and less that. A pair
 * that comes so close that these do not exist is too close to call: what is reported of it must be true to within
 * `error`, no more. Scenes in which touching has consequences are followed by support/exact_crowd.h as far as errors do not
 * grow too large; see support/agents_random.h.
 *
 * The first argument is the number of scenes of each sort (40), the second the first seed (1). */
#include "check.h"
#include "support/agents_random.h"
#include "support/exact_crowd.h"
#include "support/runner.h"

#include <stdlib.h>

enum { ROOTS = 64, EVENTS = 4096 };

static size_t scenes = 40;
static uint64_t first_seed = 1;
static size_t touches, close_calls; /* for the summary */
static bool tell;

/* ---- tolerances ---- */

/* Odd seeds by series, even ones by Adams methods. */
static brink_options options_of(const scene_recipe *recipe, uint64_t seed) {
  brink_options options = brink_default_options();
  options.method = seed % 2 == 1 ? BRINK_TAYLOR : BRINK_ADAMS;
  options.rtol = recipe->offset == 0.0 ? 1e-10 : 1e-14;
  options.atol = 1e-10;
  return options;
}

/* Errors of single steps add up, and the numbers themselves are not exact. */
static double error_of(const scene_recipe *recipe, const brink_options *options) {
  double size = fabs(recipe->offset) + 2.0 * recipe->side;
  return 1000.0 * (options->rtol * size + options->atol);
}

/* ---- everything that two bodies do ---- */

typedef struct course {
  size_t count;
  exact_root touch[ROOTS];
  bool unsure;
} course;

/* A waiter's course has two parts, that of a pair up to three. */
static exact_motion part_of(const exact_body *body, real t) {
  exact_motion m = body->motion;
  if (!body->waits || t < body->start) return m;
  for (int k = 0; k < 3; k++) m.v[k] = body->later[k];
  m.t0 = body->start;
  return m;
}

static course follow(const exact_body *a, const exact_body *b, real distance, real t_end) {
  course c = {0};
  real cut[4] = {0, a->waits ? a->start : 0, b->waits ? b->start : 0, t_end};
  if (cut[1] > cut[2]) {
    real keep = cut[1];
    cut[1] = cut[2];
    cut[2] = keep;
  }
  for (int k = 0; k < 3; k++) {
    exact_motion ma = part_of(a, cut[k]), mb = part_of(b, cut[k]);
    c.count += exact_touches(&ma, &mb, distance, cut[k], cut[k + 1], c.touch + c.count,
                             c.count < ROOTS ? ROOTS - c.count : 0);
  }
  for (size_t k = 0; k < c.count && k < ROOTS; k++) c.unsure = c.unsure || c.touch[k].unsure;
  return c;
}

/* ---- the judge ---- */

typedef struct judge {
  const scene *s;
  const scene_result *run;
  exact_crowd crowd;
  double error, t_end;
  uint64_t seed;
} judge;

static real distance_at(const exact_body *a, const exact_body *b, real t) {
  exact_motion ma = part_of(a, t), mb = part_of(b, t);
  return exact_distance(&ma, &mb, t);
}

static size_t number(const judge *j, size_t population, size_t agent) {
  size_t n = agent;
  for (size_t c = 0; c < population; c++) n += j->s->crowds[c].count;
  return n;
}

/* The events of one pair, in order. */
static size_t collect(const judge *j, size_t a, size_t b, const scene_event **events) {
  size_t count = 0;
  for (size_t i = 0; i < j->run->count; i++) {
    const scene_event *e = &j->run->events[i];
    if (e->pair == BRINK_NONE) continue;
    size_t first = number(j, e->population, e->agent);
    size_t second = number(j, j->s->links[e->pair].population[1], e->other);
    if (first != a || second != b) continue;
    if (count < ROOTS) events[count] = e;
    count++;
  }
  return count;
}

static void judge_sure(const judge *j, size_t a, size_t b, const course *c,
                       const scene_event **events, size_t count) {
  CHECK_MSG(count == c[1].count,
            "seed %llu: bodies %zu, %zu touch %zu times, not %zu; first at %.12Lg",
            (unsigned long long)j->seed, a, b, c[1].count, count,
            c[1].count > 0 ? c[1].touch[0].t : (real)events[0]->t);
  for (size_t k = 0; k < count && k < c[1].count && k < ROOTS; k++) {
    real low = c[0].touch[k].t, high = c[2].touch[k].t;
    real early = low < high ? low : high, late = low < high ? high : low;
    real t = (real)events[k]->t;
    CHECK_MSG(events[k]->direction == (brink_direction)c[1].touch[k].direction,
              "seed %llu: bodies %zu, %zu: direction of touch %zu", (unsigned long long)j->seed, a,
              b, k);
    CHECK_MSG(t >= early - 1e-12L && t <= late + 1e-12L,
              "seed %llu: bodies %zu, %zu touch at %.15Lg, not %.15Lg (off by %.2Lg of %.2Lg)",
              (unsigned long long)j->seed, a, b, c[1].touch[k].t, t, t - c[1].touch[k].t,
              late - early);
  }
}

static void judge_pair(const judge *j, size_t a, size_t b) {
  const exact_body *first = &j->crowd.bodies[a], *second = &j->crowd.bodies[b];
  const scene_event *events[ROOTS];
  real r = first->radius + second->radius, error = (real)j->error;
  size_t count = collect(j, a, b, events);
  course c[3];
  c[0] = follow(first, second, r + error, (real)j->t_end);
  if (c[0].count == 0 && count == 0) return;
  c[1] = follow(first, second, r, (real)j->t_end);
  c[2] = follow(first, second, r - error, (real)j->t_end);
  bool sure = c[0].count == c[1].count && c[1].count == c[2].count;
  sure = sure && !c[0].unsure && !c[1].unsure && !c[2].unsure && c[0].count <= ROOTS;
  touches += count;
  if (sure) {
    judge_sure(j, a, b, c, events, count);
    return;
  }
  close_calls++;
  for (size_t k = 0; k < count && k < ROOTS; k++) {
    real off = distance_at(first, second, (real)events[k]->t) - r;
    CHECK_MSG(fabsl(off) <= error, "seed %llu: bodies %zu, %zu do not touch at %.15g, by %.3Lg",
              (unsigned long long)j->seed, a, b, events[k]->t, off);
  }
}

static void judge_starts(const judge *j) {
  double last = 0.0;
  size_t starts = 0, waiters = 0;
  for (size_t i = 0; i < j->run->count; i++) {
    const scene_event *e = &j->run->events[i];
    CHECK_MSG(e->t >= last, "seed %llu: event %zu at %.17g after %.17g",
              (unsigned long long)j->seed, i, e->t, last);
    last = e->t;
    if (e->pair != BRINK_NONE) continue;
    starts++;
    const exact_body *body = &j->crowd.bodies[number(j, e->population, e->agent)];
    CHECK_NEAR(e->t, (double)body->start, 1e-14);
  }
  for (size_t i = 0; i < j->crowd.n; i++) waiters += j->crowd.bodies[i].waits;
  CHECK_INT(starts, waiters);
}

static void judge_passing(uint64_t seed) {
  scene_recipe recipe = scene_draw(seed, SCENE_PASS);
  brink_options options = options_of(&recipe, seed);
  scene s;
  scene_result run = {0};
  CHECK(scene_cook(&s, &recipe));
  scene_run(&s, &options, false, recipe.t_end, &run);
  CHECK_MSG(run.status == BRINK_TIME_REACHED, "seed %llu: %s: %s", (unsigned long long)seed,
            brink_status_text(run.status), run.diag.message);
  judge j = {.s = &s, .run = &run, .t_end = recipe.t_end, .seed = seed};
  j.error = error_of(&recipe, &options);
  if (run.status == BRINK_TIME_REACHED && exact_crowd_init(&j.crowd, &s, SCENE_PASS, 0, 0)) {
    for (size_t a = 0; a < j.crowd.n; a++)
      for (size_t b = a + 1; b < j.crowd.n; b++) judge_pair(&j, a, b);
    judge_starts(&j);
  }
  exact_crowd_free(&j.crowd);
  scene_result_free(&run);
  scene_free(&s);
}

TEST(every_touch_of_bodies_that_pass_through_each_other_is_reported) {
  touches = close_calls = 0;
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++) judge_passing(seed);
  CHECK(touches > 20 * scenes);
  CHECK(200 * close_calls < touches);
  if (tell) printf("passing: %zu touches, %zu pairs too close to call\n", touches, close_calls);
}

/* ---- close calls ---- */

enum { COUPLES = 25 };

/* The least distance of two bodies strictly between 0 and t_end; 0: none there. */
static real closest(const exact_motion *a, const exact_motion *b, real t_end) {
  enum { SAMPLES = 2000 };
  real best = exact_distance(a, b, 0);
  int at = 0;
  for (int k = 1; k <= SAMPLES; k++) {
    real d = exact_distance(a, b, t_end * k / SAMPLES);
    if (d < best) best = d, at = k;
  }
  if (at == 0 || at == SAMPLES) return 0;
  real low = t_end * (at - 1) / SAMPLES, high = t_end * (at + 1) / SAMPLES;
  for (int n = 0; n < 100; n++) {
    real left = low + (high - low) / 3, right = high - (high - low) / 3;
    if (exact_distance(a, b, left) < exact_distance(a, b, right))
      high = right;
    else
      low = left;
  }
  return exact_distance(a, b, low);
}

/* Two bodies in a place of their own, that touch by `depth`, or miss each other by as much. */
static bool place_couple(uint64_t *seed, scene_kind kind, size_t place, double depth,
                         scene_body *pair) {
  exact_motion m[2] = {{0}};
  for (int i = 0; i < 2; i++) {
    double angle = 6.28 * run_random(seed), speed = 0.2 + 1.8 * run_random(seed);
    pair[i] = (scene_body){.mass = 1.0};
    for (int k = 0; k < 2; k++) pair[i].position[k] = 5.0 * run_random(seed);
    pair[i].position[0] += 100.0 * (double)(place % 5);
    pair[i].position[1] += 100.0 * (double)(place / 5);
    pair[i].velocity[0] = speed * cos(angle);
    pair[i].velocity[1] = speed * sin(angle);
    if (kind != SCENE_DISC) pair[i].turn = 0.2 + run_random(seed);
    for (int k = 0; k < 2; k++) {
      m[i].p[k] = (real)pair[i].position[k];
      m[i].v[k] = (real)pair[i].velocity[k];
    }
    m[i].w = (real)pair[i].turn;
  }
  real least = closest(&m[0], &m[1], 10);
  for (int i = 0; i < 2; i++) pair[i].radius = (double)(least + (real)depth) / 2;
  return least > 0.1L;
}

static void judge_grazing(uint64_t seed, scene_kind kind) {
  scene_recipe recipe = {.side = 500.0};
  brink_options options = options_of(&recipe, seed);
  options.rtol = options.atol = 1e-13;
  scene_body bodies[2 * COUPLES];
  uint64_t dice = seed * 65537 + (uint64_t)kind;
  for (size_t n = 0; n < COUPLES; n++) {
    double depth = pow(10.0, -2.0 - 4.0 * run_random(&dice)) * (n % 2 == 0 ? 1.0 : -1.0);
    while (!place_couple(&dice, kind, n, depth, bodies + 2 * n)) {
    }
  }
  scene s;
  scene_result run = {0};
  scene_init(&s, 2);
  CHECK(scene_add(&s, kind, bodies, 2 * COUPLES) && scene_meet(&s, 0, 0, SCENE_PASS));
  scene_run(&s, &options, false, 10.0, &run);
  CHECK_INT(run.status, BRINK_TIME_REACHED);
  judge j = {.s = &s, .run = &run, .t_end = 10.0, .seed = seed};
  j.error = error_of(&recipe, &options);
  if (exact_crowd_init(&j.crowd, &s, SCENE_PASS, 0, 0))
    for (size_t n = 0; n < COUPLES; n++) judge_pair(&j, 2 * n, 2 * n + 1);
  exact_crowd_free(&j.crowd);
  scene_result_free(&run);
  scene_free(&s);
}

/* Depths from 1e-2 to 1e-6, of touches and of misses. */
TEST(touches_that_graze_are_reported_and_misses_are_not) {
  touches = close_calls = 0;
  for (uint64_t seed = first_seed; seed < first_seed + (scenes + 3) / 4; seed++) {
    judge_grazing(seed, SCENE_DISC);
    judge_grazing(seed, SCENE_CAR);
    judge_grazing(seed, SCENE_CIRCLE);
  }
  CHECK(touches > 15 * scenes);
  CHECK_INT(close_calls, 0);
  if (tell) printf("grazing: %zu touches, %zu pairs too close to call\n", touches, close_calls);
}

/* ---- scenes with consequences ---- */

static size_t exact_run(const scene *s, const scene_recipe *recipe, real disturb,
                        exact_collision *out) {
  exact_crowd crowd;
  size_t count = 0;
  if (exact_crowd_init(&crowd, s, recipe->response, disturb, recipe->seed))
    count = exact_crowd_run(&crowd, (real)recipe->t_end, out, EVENTS);
  exact_crowd_free(&crowd);
  return count;
}

static void judge_response(uint64_t seed, scene_response response) {
  static exact_collision exact[EVENTS], shaken[EVENTS];
  scene_recipe recipe = scene_draw(seed, response);
  brink_options options = options_of(&recipe, seed);
  double error = error_of(&recipe, &options) / 100.0;
  scene s;
  scene_result run = {0};
  CHECK(scene_cook(&s, &recipe));
  size_t nexact = exact_run(&s, &recipe, 0, exact);
  size_t nshaken = exact_run(&s, &recipe, (real)error, shaken);
  scene_run(&s, &options, false, recipe.t_end, &run);
  CHECK_MSG(run.status == BRINK_TIME_REACHED, "seed %llu, response %d: %s: %s",
            (unsigned long long)seed, response, brink_status_text(run.status), run.diag.message);
  scene_comparison c =
      scene_compare(&s, &run, exact, nexact, shaken, nshaken, true, 10.0 * error, 1e-2);
  CHECK_MSG(c.missed + c.invented + c.disordered == 0,
            "seed %llu, response %d: %zu missed, %zu invented, %zu disordered; %s",
            (unsigned long long)seed, response, c.missed, c.invented, c.disordered, c.first);
  touches += c.compared;
  scene_result_free(&run);
  scene_free(&s);
}

static void judge_responses(scene_response response, const char *name) {
  touches = 0;
  for (uint64_t seed = first_seed; seed < first_seed + scenes; seed++)
    judge_response(seed, response);
  CHECK(touches > scenes);
  if (tell) printf("%s: %zu events compared\n", name, touches);
}

/* ---- the references themselves ---- */

static exact_disc as_disc(const exact_body *body) {
  exact_disc disc = {.radius = body->radius, .mass = body->mass};
  memcpy(disc.x, body->motion.p, sizeof disc.x);
  memcpy(disc.v, body->motion.v, sizeof disc.v);
  return disc;
}

/* Quadratics and bisection give the same collisions of the same discs. */
TEST(the_two_exact_computations_agree) {
  static exact_collision arcs[EVENTS], lines[EVENTS];
  for (uint64_t seed = 1; seed <= 5; seed++) {
    scene_recipe recipe = scene_draw(seed, SCENE_ELASTIC);
    exact_disc discs[64];
    exact_crowd crowd;
    scene s;
    CHECK(scene_cook(&s, &recipe));
    size_t narcs = exact_run(&s, &recipe, 0, arcs);
    CHECK(exact_crowd_init(&crowd, &s, SCENE_ELASTIC, 0, 0));
    exact_box box = {.ndimensions = 2, .n = crowd.n, .discs = discs, .walls = true};
    for (size_t i = 0; i < crowd.n; i++) discs[i] = as_disc(&crowd.bodies[i]);
    for (int k = 0; k < 2; k++) {
      box.low[k] = crowd.low[k];
      box.high[k] = crowd.high[k];
    }
    size_t nlines = exact_collide(&box, (long double)recipe.t_end, lines, EVENTS);
    CHECK_INT(narcs, nlines);
    for (size_t k = 0; k < narcs && k < nlines; k++) {
      CHECK_INT(arcs[k].disc, lines[k].disc);
      CHECK_INT(arcs[k].other, lines[k].other);
      CHECK_INT(arcs[k].wall, lines[k].wall);
      CHECK_NEAR((double)(arcs[k].t - lines[k].t), 0.0, 1e-6);
    }
    exact_crowd_free(&crowd);
    scene_free(&s);
  }
}

/* Two cars on circles: centres (0, 0) and (3, 0), radii 1 and 2, both from the right, the first at rate 1, the second
 * at rate -1/2. The square of their distance is |exp(it) - 3 - 2 exp(-it/2)|^2 =
 * 14 - 6 cos t + 12 cos(t/2) - 4 cos(3t/2): a polynomial in c = cos(t/2), 20 + 24 c - 12 c^2 - 16 c^3. */
TEST(touches_of_circles_are_roots_of_a_polynomial) {
  exact_motion one = {.p = {1, 0}, .v = {0, 1}, .w = 1},
               two = {.p = {5, 0}, .v = {0, -1}, .w = -0.5L};
  exact_root roots[8];
  real period = 4 * acosl(-1.0L);
  for (real distance = 2; distance < 6; distance += 0.37L) {
    size_t n = exact_touches(&one, &two, distance, 0, period, roots, 8), sign_changes = 0;
    bool near = true;
    for (int k = 0; k <= 4000; k++) { /* the polynomial, on a grid */
      real c = cosl(period * k / 8000);
      bool now = 20 + 24 * c - 12 * c * c - 16 * c * c * c < distance * distance;
      if (k > 0 && now != near) sign_changes++;
      near = now;
    }
    CHECK_INT(n, sign_changes);
    for (size_t k = 0; k < n && k < 8; k++) {
      real c = cosl(roots[k].t / 2);
      CHECK(!roots[k].unsure);
      CHECK_NEAR((double)(20 + 24 * c - 12 * c * c - 16 * c * c * c - distance * distance), 0.0,
                 1e-16);
    }
  }
}

TEST(elastic_discs_meet_as_in_an_exact_computation) {
  judge_responses(SCENE_ELASTIC, "elastic");
}

TEST(bumper_cars_meet_as_in_an_exact_computation) {
  judge_responses(SCENE_BUMP, "bumpers");
}

TEST(bodies_that_vanish_at_a_touch_meet_as_in_an_exact_computation) {
  judge_responses(SCENE_VANISH, "vanishing");
}

TEST(bodies_that_halt_at_a_touch_meet_as_in_an_exact_computation) {
  judge_responses(SCENE_HALT, "halting");
}

int main(int argc, char **argv) {
  if (argc > 1) scenes = (size_t)strtoul(argv[1], NULL, 10);
  if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
  tell = argc > 1;
  RUN(the_two_exact_computations_agree);
  RUN(touches_of_circles_are_roots_of_a_polynomial);
  RUN(every_touch_of_bodies_that_pass_through_each_other_is_reported);
  RUN(touches_that_graze_are_reported_and_misses_are_not);
  RUN(elastic_discs_meet_as_in_an_exact_computation);
  RUN(bumper_cars_meet_as_in_an_exact_computation);
  RUN(bodies_that_vanish_at_a_touch_meet_as_in_an_exact_computation);
  RUN(bodies_that_halt_at_a_touch_meet_as_in_an_exact_computation);
  return check_done();
}
