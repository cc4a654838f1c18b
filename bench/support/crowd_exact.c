/* crowd_exact.c: from hit to hit in closed form.
 *
 * Between hits a car is on a circle (or on a line), so its position is known at any time. The first contact of two
 * is found without stepping over one: let f = d^2 - (2R)^2, d the distance. With f'' = 2|V|^2 + 2 D.A, where the
 * relative velocity is at least the difference of the speeds and the relative acceleration at most the sum of
 * v|w|, the parabola f + f' s + c s^2, c = (va - vb)^2 - d_max (va|wa| + vb|wb|), lies below f for as long as d is
 * at most d_max. Up to its first root there is no contact. At a transversal contact the roots converge like
 * Newton's; past a near miss they go on.
 *
 * Every car knows its first hit, with a wall or with a partner that has the same hit as its first. Pairs are
 * searched up to what the two know; who loses its partner looks at all others again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/crowd.h"

typedef struct disc {
  double t, x[3], p[2]; /* as of its last hit */
  double cx, cy, r;     /* the circle, if it turns */
  double first;         /* hit */
  size_t partner;       /* BRINK_NONE: the wall */
  int wall;
} disc;

typedef struct exact {
  const crowd_scene *scene;
  disc *discs;
  double t_end;
} exact;

typedef struct motion {
  double x, y, vx, vy;
} motion;

static void set_circle(disc *d) {
  d->r = d->p[1] != 0 ? d->p[0] / d->p[1] : 0;
  d->cx = d->x[0] - d->r * sin(d->x[2]);
  d->cy = d->x[1] + d->r * cos(d->x[2]);
}

static motion motion_at(const disc *d, double t) {
  double s = t - d->t, heading = d->x[2] + d->p[1] * s;
  double sine = sin(heading), cosine = cos(heading);
  motion m = {.vx = d->p[0] * cosine, .vy = d->p[0] * sine};
  bool straight = d->p[1] == 0;
  m.x = straight ? d->x[0] + m.vx * s : d->cx + d->r * sine;
  m.y = straight ? d->x[1] + m.vy * s : d->cy - d->r * cosine;
  return m;
}

/* The first root of f + f1 s + c s^2 in (0, most]; most if there is none. f >= 0. */
static double safe_step(double f, double f1, double c, double most) {
  double square = f1 * f1 - 4 * c * f;
  if (square < 0) return most;
  /* 2f/(-f1 + sqrt(…)) is the smaller positive root while f1 < 0 or c < 0; no cancellation if f1 < 0 */
  double root = sqrt(square), s = INFINITY;
  if (f1 < 0)
    s = 2 * f / (root - f1);
  else if (c < 0)
    s = (f1 + root) / (-2 * c);
  return fmin(s, most);
}

/* The first contact of two discs after `from`; INFINITY: none before `limit`. */
static double contact(const disc *a, const disc *b, double from, double limit) {
  double closing = a->p[0] + b->p[0], slower = a->p[0] - b->p[0];
  double bend = a->p[0] * fabs(a->p[1]) + b->p[0] * fabs(b->p[1]);
  double t = from;
  for (int k = 0; k < 100000; k++) {
    motion m = motion_at(a, t), n = motion_at(b, t);
    double u = n.x - m.x, v = n.y - m.y, d = sqrt(u * u + v * v);
    if (d - 2 * CROWD_RADIUS > closing * (limit - t)) return INFINITY;
    double f = fmax(0, u * u + v * v - 4 * CROWD_RADIUS * CROWD_RADIUS);
    double f1 = 2 * (u * (n.vx - m.vx) + v * (n.vy - m.vy));
    double most = fmin(limit - t, fmax(d, CROWD_RADIUS) / closing);
    double c = slower * slower - (d + closing * most) * bend;
    double s = safe_step(f, f1, c, most);
    if (f1 < 0 && s <= 4e-16 * (1 + t)) return t;
    t += s;
    if (s == 0 || t >= limit) return INFINITY;
  }
  return t; /* creeping up: as good as there */
}

/* The same for a wall: f is the distance from it. */
static double wall_contact(const disc *d, int wall, double size, double from, double limit) {
  double inwards = wall % 2 == 0 ? 1 : -1, t = from;
  double plane = wall % 2 == 0 ? CROWD_RADIUS : size - CROWD_RADIUS;
  double c = -0.5 * d->p[0] * fabs(d->p[1]);
  for (int k = 0; k < 100000; k++) {
    motion m = motion_at(d, t);
    double f = inwards * ((wall < 2 ? m.x : m.y) - plane), f1 = inwards * (wall < 2 ? m.vx : m.vy);
    if (f > d->p[0] * (limit - t)) return INFINITY;
    double s = safe_step(fmax(f, 0), f1, c, limit - t);
    if (f1 < 0 && s <= 4e-16 * (1 + t)) return t;
    t += s;
    if (s == 0 || t >= limit) return INFINITY;
  }
  return t;
}

/* ---- who is next ---- */

static void look_at_walls(exact *all, disc *d, double now) {
  d->first = all->t_end;
  d->partner = BRINK_NONE;
  d->wall = -1;
  for (int wall = 0; wall < 4; wall++) {
    double t = wall_contact(d, wall, all->scene->size, now, d->first);
    if (t >= d->first) continue;
    d->first = t;
    d->wall = wall;
  }
}

/* Finds the first hit of a disc. Returns who lost a partner by it; BRINK_NONE: nobody. */
static size_t look(exact *all, size_t self, double now) {
  disc *d = &all->discs[self];
  look_at_walls(all, d, now);
  for (size_t k = 0; k < all->scene->count; k++) {
    if (k == self) continue;
    const disc *other = &all->discs[k];
    double limit = fmin(d->first, other->first);
    double t = contact(d, other, now, limit);
    if (t >= limit) continue;
    d->first = t;
    d->partner = k;
  }
  if (d->partner == BRINK_NONE) return BRINK_NONE;
  disc *partner = &all->discs[d->partner];
  size_t left = partner->partner;
  partner->first = d->first;
  partner->partner = self;
  return left;
}

static void look_on(exact *all, size_t self, double now) {
  while (self != BRINK_NONE) {
    size_t left = look(all, self, now);
    self = left == self ? BRINK_NONE : left;
  }
}

/* They are no partners any more. Until its turn comes, the second one takes part in no search. */
static void part(exact *all, size_t a, size_t b, double now) {
  all->discs[a].partner = all->discs[b].partner = BRINK_NONE;
  all->discs[b].first = now;
}

static size_t next_disc(const exact *all) {
  size_t best = 0;
  for (size_t k = 1; k < all->scene->count; k++) {
    if (all->discs[k].first < all->discs[best].first) best = k;
  }
  return best;
}

/* ---- the run ---- */

static void bring(disc *d, double t) {
  motion m = motion_at(d, t);
  d->x[0] = m.x;
  d->x[1] = m.y;
  d->x[2] += d->p[1] * (t - d->t);
  d->t = t;
}

static bool hit(exact *all, size_t self, crowd_answer *answer, const crowd_ask *ask) {
  disc *d = &all->discs[self];
  double t = d->first, restitution = all->scene->restitution;
  size_t partner = d->partner;
  bring(d, t);
  if (partner == BRINK_NONE) {
    crowd_hit_wall(restitution, d->wall, d->x, d->p);
    if (!crowd_log(answer, ask, t, self, 0, d->wall)) return false;
    set_circle(d);
    look_on(all, self, t);
    return true;
  }
  disc *other = &all->discs[partner];
  bring(other, t);
  crowd_hit_car(restitution, d->x, d->p, other->x, other->p);
  set_circle(d);
  set_circle(other);
  part(all, self, partner, t);
  look_on(all, self, t);
  look_on(all, partner, t);
  return crowd_log(answer, ask, t, self, partner, -1);
}

static void watch_until(const exact *all, crowd_watch *watch, double *x, double t) {
  while (crowd_watch_next(watch) <= t) {
    double when = crowd_watch_next(watch);
    for (size_t i = 0; i < all->scene->count; i++) {
      motion m = motion_at(&all->discs[i], when);
      x[2 * i] = m.x;
      x[2 * i + 1] = m.y;
    }
    crowd_watch_look(watch, x, 2);
  }
}

static void run(exact *all, const crowd_ask *ask, crowd_watch *watch, double *x,
                crowd_answer *answer) {
  double start = crowd_clock(1), aside = 0;
  for (size_t k = 0; k < all->scene->count; k++) {
    all->discs[k].first = all->t_end;
    all->discs[k].partner = BRINK_NONE;
    all->discs[k].wall = -1;
  }
  for (size_t k = 0; k < all->scene->count; k++) {
    size_t partner = all->discs[k].partner;
    if (partner != BRINK_NONE) part(all, k, partner, 0);
    look_on(all, k, 0);
    if (partner != BRINK_NONE) look_on(all, partner, 0);
  }
  answer->ok = true;
  while (answer->ok) {
    size_t next = next_disc(all);
    if (watch != NULL) {
      double pause = crowd_clock(1);
      watch_until(all, watch, x, fmin(all->discs[next].first, all->t_end));
      aside += crowd_clock(1) - pause;
    }
    if (all->discs[next].first >= all->t_end) break;
    answer->ok = hit(all, next, answer, ask);
  }
  answer->seconds = crowd_clock(1) - start - aside;
}

crowd_answer crowd_run_exact(const crowd_scene *scene, const crowd_ask *ask) {
  crowd_answer answer = {.ok = false};
  exact all = {.scene = scene, .t_end = ask->t_end};
  all.discs = calloc(scene->count, sizeof *all.discs);
  double *x = calloc(2 * scene->count, sizeof *x);
  crowd_watch *watch = crowd_watch_open(scene, ask);
  if (all.discs != NULL && x != NULL) {
    for (size_t i = 0; i < scene->count; i++) {
      disc *d = &all.discs[i];
      for (int k = 0; k < 3; k++) d->x[k] = scene->x[3 * i + (size_t)k];
      for (int k = 0; k < 2; k++) d->p[k] = scene->p[2 * i + (size_t)k];
      set_circle(d);
    }
    run(&all, ask, watch, x, &answer);
  }
  crowd_watch_close(watch, &answer);
  free(all.discs);
  free(x);
  return answer;
}
