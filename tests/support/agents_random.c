/* agents_random.c: see agents_random.h. */
#include "support/agents_random.h"

#include "support/exact_crowd.h"
#include "support/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 10000, KINDS = 4 };

static double between(uint64_t *seed, double low, double high) {
  return low + (high - low) * run_random(seed);
}

static double log_between(uint64_t *seed, double low, double high) {
  return low * exp(run_random(seed) * log(high / low));
}

/* ---- cooking ---- */

static void draw_velocity(uint64_t *seed, const scene_recipe *recipe, scene_body *body) {
  double speed = log_between(seed, recipe->speed[0], recipe->speed[1]), length = 0.0;
  while (length < 0.1 || length > 1.0) {
    length = 0.0;
    for (int k = 0; k < recipe->ndimensions; k++) {
      body->velocity[k] = between(seed, -1.0, 1.0);
      length += body->velocity[k] * body->velocity[k];
    }
  }
  for (int k = 0; k < recipe->ndimensions; k++) body->velocity[k] *= speed / sqrt(length);
}

static void draw_body(uint64_t *seed, const scene_recipe *recipe, scene_kind kind,
                      scene_body *body) {
  memset(body, 0, sizeof *body);
  body->radius = between(seed, recipe->radius[0], recipe->radius[1]);
  body->mass = between(seed, 0.5, 2.0);
  double half = 0.5 * recipe->side - body->radius;
  for (int k = 0; k < recipe->ndimensions; k++)
    body->position[k] = recipe->offset + between(seed, -half, half);
  draw_velocity(seed, recipe, body);
  double speed = hypot(body->velocity[0], body->velocity[1]);
  if (kind == SCENE_CAR) body->turn = between(seed, 0.1, 0.5);
  if (kind == SCENE_CIRCLE) body->turn = speed / (recipe->side * between(seed, 0.05, 0.3));
  if (run_random(seed) < 0.5) body->turn = -body->turn;
  body->start = between(seed, 0.0, 0.5 * recipe->t_end);
}

static bool overlaps(const scene_recipe *recipe, const scene_body *a, const scene_body *b) {
  double square = 0.0, r = a->radius + b->radius + 1e-3 * recipe->side;
  for (int k = 0; k < recipe->ndimensions; k++)
    square += (a->position[k] - b->position[k]) * (a->position[k] - b->position[k]);
  return square < r * r;
}

static bool draw_bodies(const scene_recipe *recipe, scene_body *bodies) {
  uint64_t seed = recipe->seed;
  size_t n = 0;
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t i = 0; i < recipe->count[kind]; i++, n++) {
      bool placed = false;
      for (int tries = 0; tries < TRIES && !placed; tries++) {
        draw_body(&seed, recipe, (scene_kind)kind, &bodies[n]);
        placed = true;
        for (size_t j = 0; recipe->apart && j < n && placed; j++)
          placed = !overlaps(recipe, &bodies[n], &bodies[j]);
      }
      if (!placed) return false;
    }
  return true;
}

bool scene_cook(scene *s, const scene_recipe *recipe) {
  scene_init(s, recipe->ndimensions);
  size_t total = 0;
  for (int kind = 0; kind < KINDS; kind++) total += recipe->count[kind];
  scene_body *bodies = calloc(total + 1, sizeof *bodies);
  bool ok = bodies != NULL && draw_bodies(recipe, bodies);
  double low[3], high[3];
  for (int k = 0; k < 3; k++) {
    low[k] = recipe->offset - 0.5 * recipe->side;
    high[k] = recipe->offset + 0.5 * recipe->side;
  }
  if (recipe->walls) scene_walls(s, low, high);
  size_t n = 0;
  for (int kind = 0; kind < KINDS && ok; kind++) {
    if (recipe->count[kind] > 0)
      ok = scene_add(s, (scene_kind)kind, bodies + n, recipe->count[kind]);
    n += recipe->count[kind];
  }
  for (size_t a = 0; a < s->ncrowds && ok; a++)
    for (size_t b = a; b < s->ncrowds && ok; b++) ok = scene_meet(s, a, b, recipe->response);
  free(bodies);
  return ok;
}

scene_recipe scene_draw(uint64_t seed, scene_response response) {
  scene_recipe recipe = {.seed = seed * 7919 + 1, .ndimensions = 2, .response = response};
  uint64_t *dice = &recipe.seed;
  double share[KINDS], sum = 0.0, most = 50.0;
  for (int kind = 0; kind < KINDS; kind++) {
    bool suits = response == SCENE_BUMP      ? kind == SCENE_CAR
                 : response == SCENE_ELASTIC ? kind == SCENE_DISC
                 : response == SCENE_HALT    ? kind != SCENE_CIRCLE
                                             : true;
    share[kind] = suits ? run_random(dice) : 0.0;
    sum += share[kind];
  }
  for (int kind = 0; kind < KINDS; kind++)
    recipe.count[kind] = (size_t)floor(most * share[kind] / sum);
  while (recipe.count[0] + recipe.count[1] + recipe.count[2] + recipe.count[3] < 50)
    recipe.count[response == SCENE_BUMP ? SCENE_CAR : SCENE_DISC]++;
  recipe.side = log_between(dice, 10.0, 60.0); /* dense to sparse */
  recipe.radius[0] = 0.1;
  recipe.radius[1] = run_random(dice) < 0.5 ? 0.2 : 0.5;
  recipe.speed[0] = run_random(dice) < 0.5 ? 0.5 : 0.01; /* of one sort, or fast and slow */
  recipe.speed[1] = 2.0;
  double place = run_random(dice);
  recipe.offset = place < 0.6 ? 0.0 : place < 0.8 ? 1e6 : -1e6;
  recipe.walls = response == SCENE_BUMP || response == SCENE_ELASTIC;
  recipe.apart = response != SCENE_PASS;
  recipe.t_end = 20.0;
  return recipe;
}

/* ---- comparing ---- */

exact_collision scene_as_exact(const scene *s, const scene_event *event) {
  size_t first[SCENE_POPULATIONS + 1] = {0};
  for (size_t c = 0; c < s->ncrowds; c++) first[c + 1] = first[c] + s->crowds[c].count;
  exact_collision out = {.t = (long double)event->t, .other = BRINK_NONE, .wall = BRINK_NONE};
  out.disc = first[event->population] + event->agent;
  if (event->pair == BRINK_NONE) {
    bool waiter = s->crowds[event->population].kind == SCENE_WAITER;
    bool starts = waiter && event->guard == (s->walls ? 2 * (size_t)s->ndimensions : 0);
    out.wall = starts ? EXACT_STARTS : event->guard;
    return out;
  }
  size_t other = first[s->links[event->pair].population[1]] + event->other;
  out.other = out.disc < other ? other : out.disc;
  out.disc = out.disc < other ? out.disc : other;
  return out;
}

static bool same(const exact_collision *a, const exact_collision *b) {
  return a->disc == b->disc && a->other == b->other && a->wall == b->wall;
}

static void complain(scene_comparison *c, const char *what, const exact_collision *e) {
  if (c->first[0] != '\0') return;
  snprintf(c->first, sizeof c->first, "%s: body %zu, %s %zu at t = %.15Lg", what, e->disc,
           e->other == BRINK_NONE ? "wall" : "body", e->other == BRINK_NONE ? e->wall : e->other,
           e->t);
}

/* How many of the exact events can be compared; allowed[k] is what the run may be off. */
static size_t allow(const exact_collision *exact, size_t nexact, const exact_collision *shaken,
                    size_t nshaken, double least, double most, double *allowed) {
  double worst = least;
  size_t k = 0;
  for (; k < nexact && k < nshaken; k++) {
    if (!same(&exact[k], &shaken[k])) break;
    worst = fmax(worst, 100.0 * (double)fabsl(exact[k].t - shaken[k].t));
    if (worst > most) break;
    allowed[k] = worst;
  }
  return k;
}

static size_t find(const exact_collision *exact, const double *allowed, const bool *found, size_t n,
                   const exact_collision *e) {
  for (size_t k = 0; k < n; k++)
    if (!found[k] && same(&exact[k], e) && fabsl(exact[k].t - e->t) <= (long double)allowed[k])
      return k;
  return BRINK_NONE;
}

/* Events after `until` may or may not be among the n exact ones. */
static void match(const scene *s, const scene_result *run, const exact_collision *exact, size_t n,
                  double until, const double *allowed, bool *found, scene_comparison *c) {
  double last = 0.0;
  for (size_t i = 0; i < run->count; i++) {
    if (run->events[i].t < last) c->disordered++;
    last = run->events[i].t;
    exact_collision e = scene_as_exact(s, &run->events[i]);
    if (e.wall == EXACT_STARTS) continue;
    size_t k = find(exact, allowed, found, n, &e);
    if (k != BRINK_NONE) {
      found[k] = true;
      c->compared++;
      c->worst = fmax(c->worst, (double)fabsl(exact[k].t - e.t) / allowed[k]);
    } else if (last < until) {
      c->invented++;
      complain(c, "invented", &e);
    }
  }
  for (size_t k = 0; k < n; k++)
    if (!found[k] && exact[k].wall != EXACT_STARTS) {
      c->missed++;
      complain(c, "missed", &exact[k]);
    }
}

scene_comparison scene_compare(const scene *s, const scene_result *run,
                               const exact_collision *exact, size_t nexact,
                               const exact_collision *shaken, size_t nshaken, bool complete,
                               double least, double most) {
  scene_comparison c = {.tolerance = least};
  double *allowed = calloc(nexact + 1, sizeof *allowed);
  bool *found = calloc(nexact + 1, sizeof *found);
  if (allowed != NULL && found != NULL) {
    size_t n = allow(exact, nexact, shaken, nshaken, least, most, allowed);
    double until = n > 0 ? (double)exact[n - 1].t - 2.0 * allowed[n - 1] : 0.0;
    if (complete && n == nexact && n == nshaken) until = (double)INFINITY;
    if (n > 0) c.tolerance = allowed[n - 1];
    match(s, run, exact, n, until, allowed, found, &c);
  } else {
    c.missed = nexact;
  }
  free(allowed);
  free(found);
  return c;
}

scene_recipe scene_recipe_by_seed(uint64_t seed, scene_response response, double t_end) {
  return (scene_recipe){.seed = seed * 7919,
                        .ndimensions = 2,
                        .side = seed % 2 == 0 ? 30.0 : 90.0,
                        .offset = seed % 3 == 0 ? 1e3 : 0.0,
                        .radius = {0.05, 0.25},
                        .speed = {seed % 4 < 2 ? 0.5 : 1e-3, 1.5},
                        .walls = true,
                        .apart = true,
                        .t_end = t_end,
                        .response = response};
}

brink_options scene_options_by_seed(uint64_t seed) {
  brink_options options = brink_default_options();
  options.method = seed % 2 == 0 ? BRINK_TAYLOR : BRINK_ADAMS;
  options.rtol = seed % 3 == 0 ? 1e-4 : 1e-9;
  return options;
}
