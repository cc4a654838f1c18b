/* exact_crowd.c: see exact_crowd.h. */
#include "support/exact_crowd.h"

#include "support/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const real never = (real)INFINITY;

/* ---- the beginning ---- */

static void read_motion(const scene *s, const scene_crowd *from, const double *x, const double *p,
                        exact_motion *m) {
  int n = s->ndimensions;
  for (int k = 0; k < n; k++) m->p[k] = (real)x[k];
  if (from->kind == SCENE_DISC || from->kind == SCENE_WAITER)
    for (int k = 0; k < n; k++) m->v[k] = (real)x[n + k];
  if (from->kind == SCENE_CAR) {
    m->v[0] = (real)p[SCENE_SPEED] * cosl((real)x[2]);
    m->v[1] = (real)p[SCENE_SPEED] * sinl((real)x[2]);
  }
  if (from->kind == SCENE_CIRCLE) {
    m->v[0] = -(real)p[SCENE_TURN] * ((real)x[1] - (real)p[SCENE_CENTRE + 1]);
    m->v[1] = (real)p[SCENE_TURN] * ((real)x[0] - (real)p[SCENE_CENTRE]);
  }
  m->w = from->kind == SCENE_CAR || from->kind == SCENE_CIRCLE ? (real)p[SCENE_TURN] : 0;
}

static void read_body(const scene *s, size_t population, size_t agent, exact_body *body) {
  const scene_crowd *from = &s->crowds[population];
  const double *x = from->x0 + agent * from->nx, *p = from->p0 + agent * SCENE_PARAMETERS;
  *body = (exact_body){.population = population, .agent = agent};
  body->radius = (real)p[SCENE_RADIUS];
  body->mass = (real)p[SCENE_MASS];
  read_motion(s, from, x, p, &body->motion);
  if (from->kind != SCENE_WAITER) return;
  body->waits = true;
  body->start = (real)p[SCENE_START];
  memcpy(body->later, body->motion.v, sizeof body->later);
  memset(body->motion.v, 0, sizeof body->motion.v);
}

static void shake(const exact_crowd *crowd, exact_body *body, real disturb, uint64_t *seed) {
  for (int k = 0; k < crowd->ndimensions; k++) {
    body->motion.p[k] += disturb * (2 * (real)run_random(seed) - 1);
    body->later[k] += disturb * (2 * (real)run_random(seed) - 1);
    if (!body->waits) body->motion.v[k] += disturb * (2 * (real)run_random(seed) - 1);
  }
}

bool exact_crowd_init(exact_crowd *crowd, const scene *s, scene_response response, real disturb,
                      uint64_t seed) {
  *crowd = (exact_crowd){.ndimensions = s->ndimensions,
                         .walls = s->walls,
                         .restitution = (real)s->restitution,
                         .response = response};
  for (int k = 0; k < 3; k++) {
    crowd->low[k] = (real)s->low[k];
    crowd->high[k] = (real)s->high[k];
  }
  size_t total = 0;
  for (size_t c = 0; c < s->ncrowds; c++) total += s->crowds[c].count;
  crowd->bodies = calloc(total + 1, sizeof *crowd->bodies);
  if (crowd->bodies == NULL) return false;
  for (size_t c = 0; c < s->ncrowds; c++)
    for (size_t i = 0; i < s->crowds[c].count; i++) {
      read_body(s, c, i, &crowd->bodies[crowd->n]);
      if (disturb > 0) shake(crowd, &crowd->bodies[crowd->n], disturb, &seed);
      crowd->n++;
    }
  return true;
}

void exact_crowd_free(exact_crowd *crowd) {
  free(crowd->bodies);
  crowd->bodies = NULL;
}

/* ---- what comes ---- */

static void consider(exact_body *a, real t, size_t with) {
  if (t >= a->next) return;
  a->next = t;
  a->with = with;
}

static real wall_time(const exact_crowd *crowd, const exact_body *a, size_t wall, real t_end) {
  int k = (int)(wall / 2);
  bool upper = wall % 2 == 1;
  real place = upper ? crowd->high[k] - a->radius : crowd->low[k] + a->radius;
  return exact_first_pass(&a->motion, k, place, upper, a->motion.t0, t_end);
}

static void foresee(exact_crowd *crowd, size_t i, real t_end) {
  exact_body *a = &crowd->bodies[i];
  a->next = never;
  a->with = BRINK_NONE;
  if (a->gone) return;
  for (size_t j = 0; j < crowd->n; j++) {
    exact_body *b = &crowd->bodies[j];
    if (j == i || b->gone) continue;
    real from = fmaxl(a->motion.t0, b->motion.t0), until = fminl(t_end, fmaxl(a->next, b->next));
    real t = exact_first_touch(&a->motion, &b->motion, a->radius + b->radius, from, until);
    consider(a, t, j);
    consider(b, t, i);
  }
  if (a->waits) consider(a, a->start, crowd->n + EXACT_STARTS);
  if (!crowd->walls) return;
  for (size_t wall = 0; wall < 2 * (size_t)crowd->ndimensions; wall++)
    consider(a, wall_time(crowd, a, wall, t_end), crowd->n + wall);
}

/* ---- what happens ---- */

/* Turns to the side on which `away` is. */
static void turn_away(exact_motion *m, const real *away) {
  real side = m->v[0] * away[1] - m->v[1] * away[0];
  m->w = side < 0 ? -fabsl(m->w) : fabsl(m->w);
}

static void hit_wall(const exact_crowd *crowd, exact_body *a, size_t wall) {
  real away[3] = {0, 0, 0}, e = crowd->response == SCENE_BUMP ? crowd->restitution : 1;
  size_t k = wall / 2;
  away[k] = wall % 2 == 0 ? 1 : -1;
  a->motion.v[k] = away[k] * e * fabsl(a->motion.v[k]);
  if (crowd->response == SCENE_BUMP) turn_away(&a->motion, away);
}

static void push_apart(const exact_crowd *crowd, exact_body *a, exact_body *b) {
  real e = crowd->response == SCENE_BUMP ? crowd->restitution : 1;
  real n[3], minus[3], length = 0, closing = 0;
  for (int k = 0; k < 3; k++) {
    n[k] = b->motion.p[k] - a->motion.p[k];
    length += n[k] * n[k];
  }
  for (int k = 0; k < 3; k++) {
    n[k] /= sqrtl(length);
    minus[k] = -n[k];
    closing += n[k] * (a->motion.v[k] - b->motion.v[k]);
  }
  real impulse = (1 + e) * closing / (1 / a->mass + 1 / b->mass);
  for (int k = 0; k < 3; k++) {
    a->motion.v[k] -= impulse / a->mass * n[k];
    b->motion.v[k] += impulse / b->mass * n[k];
  }
  if (crowd->response != SCENE_BUMP) return;
  turn_away(&a->motion, minus);
  turn_away(&b->motion, n);
}

static void stand(exact_body *a, bool gone) {
  memset(a->motion.v, 0, sizeof a->motion.v);
  memset(a->later, 0, sizeof a->later);
  a->motion.w = 0;
  a->gone = gone;
}

static void meet(const exact_crowd *crowd, exact_body *a, exact_body *b) {
  if (crowd->response == SCENE_VANISH || crowd->response == SCENE_HALT) {
    stand(a, crowd->response == SCENE_VANISH);
    stand(b, crowd->response == SCENE_VANISH);
  } else {
    push_apart(crowd, a, b);
  }
}

static void renew(exact_crowd *crowd, size_t i, size_t j, real t_end) {
  for (size_t k = 0; k < crowd->n; k++) {
    size_t with = crowd->bodies[k].with;
    if (k != i && k != j && (with == i || (j != BRINK_NONE && with == j))) foresee(crowd, k, t_end);
  }
  foresee(crowd, i, t_end);
  if (j != BRINK_NONE) foresee(crowd, j, t_end);
}

static exact_collision happen(exact_crowd *crowd, size_t i, real t_end) {
  exact_body *a = &crowd->bodies[i];
  size_t with = a->with;
  exact_collision out = {.t = a->next, .disc = i, .other = BRINK_NONE, .wall = BRINK_NONE};
  a->motion = exact_from(&a->motion, out.t);
  if (with == crowd->n + EXACT_STARTS) {
    out.wall = EXACT_STARTS;
    memcpy(a->motion.v, a->later, sizeof a->later);
    a->waits = false;
  } else if (with >= crowd->n) {
    out.wall = with - crowd->n;
    hit_wall(crowd, a, out.wall);
  } else {
    exact_body *b = &crowd->bodies[with];
    out.disc = with < i ? with : i;
    out.other = with < i ? i : with;
    b->motion = exact_from(&b->motion, out.t);
    meet(crowd, a, b);
  }
  a->next = never;
  a->with = BRINK_NONE;
  size_t second = out.other == BRINK_NONE ? BRINK_NONE : with;
  renew(crowd, i, second, t_end);
  return out;
}

size_t exact_crowd_run(exact_crowd *crowd, real t_end, exact_collision *out, size_t count) {
  for (size_t i = 0; i < crowd->n; i++) crowd->bodies[i].next = never;
  for (size_t i = 0; i < crowd->n; i++) foresee(crowd, i, t_end);
  for (size_t done = 0; done < count; done++) {
    size_t first = 0;
    for (size_t i = 1; i < crowd->n; i++)
      if (crowd->bodies[i].next < crowd->bodies[first].next) first = i;
    if (crowd->bodies[first].next > t_end) return done;
    out[done] = happen(crowd, first, t_end);
  }
  return count;
}
