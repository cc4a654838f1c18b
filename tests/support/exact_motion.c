/* exact_motion.c: see exact_motion.h.
 *
 * Roots. On an interval of half-width h about its middle, |f - f(mid)| <= |f'(mid)| h + B h^2/2 where B bounds f'':
 * if |f(mid)| is more than that, there is no root. If |f'(mid)| > B h the function is monotone: one root if
 * the signs at the ends differ, else none. Otherwise the interval is halved. */
#include "support/exact_motion.h"

#include <math.h>

enum { HALVINGS = 200 };

void exact_at(const exact_motion *m, real t, real *p, real *v) {
  real tau = t - m->t0, s = 0, c = 1, along = tau, across = 0;
  if (m->w != 0) {
    real sine = sinl(m->w * tau / 2), cosine = cosl(m->w * tau / 2);
    s = 2 * sine * cosine;
    c = 1 - 2 * sine * sine;
    along = s / m->w;
    across = 2 * sine * sine / m->w; /* (1 - c)/w without cancellation */
  }
  p[0] = m->p[0] + along * m->v[0] - across * m->v[1];
  p[1] = m->p[1] + along * m->v[1] + across * m->v[0];
  p[2] = m->p[2] + tau * m->v[2];
  if (v == NULL) return;
  v[0] = c * m->v[0] - s * m->v[1];
  v[1] = s * m->v[0] + c * m->v[1];
  v[2] = m->v[2];
}

real exact_speed(const exact_motion *m) {
  return sqrtl(m->v[0] * m->v[0] + m->v[1] * m->v[1] + m->v[2] * m->v[2]);
}

exact_motion exact_from(const exact_motion *m, real t) {
  exact_motion out = {.t0 = t, .w = m->w};
  exact_at(m, t, out.p, out.v);
  return out;
}

/* ---- roots ---- */

typedef struct search {
  exact_fn *fn;
  const void *user;
  real width;
  exact_root *roots;
  size_t capacity, count;
  bool first; /* that falls: no more is wanted */
  bool done;
} search;

static real value(const search *s, real t) {
  real f, slope, bend;
  s->fn(t, 0, s->user, &f, &slope, &bend);
  return f;
}

static void report(search *s, real t, int direction, bool unsure) {
  if (s->first && direction >= 0) return;
  if (s->count < s->capacity)
    s->roots[s->count] = (exact_root){.t = t, .direction = direction, .unsure = unsure};
  s->count++;
  s->done = s->first && direction < 0;
}

/* The one root of a monotone function between ends of different sign. */
static real bisect(const search *s, real a, real b, bool rising) {
  for (int n = 0; n < HALVINGS; n++) {
    real mid = a + (b - a) / 2;
    if (!(mid > a && mid < b)) break;
    if ((value(s, mid) >= 0) == rising)
      b = mid;
    else
      a = mid;
  }
  return b;
}

/* A root at the upper end belongs to this interval, one at the lower end to the one before. */
static void look(search *s, real a, real b) {
  real h = (b - a) / 2, mid = a + h, f, slope, bend;
  if (s->done) return;
  s->fn(mid, h, s->user, &f, &slope, &bend);
  if (fabsl(f) > fabsl(slope) * h + bend * h * h / 2) return;
  if (fabsl(slope) > bend * h) {
    bool rising = slope > 0;
    real fa = value(s, a), fb = value(s, b);
    bool before = rising ? fa < 0 : fa > 0, past = rising ? fb >= 0 : fb <= 0;
    if (before && past) report(s, bisect(s, a, b, rising), rising ? 1 : -1, false);
    return;
  }
  if (b - a < s->width) {
    report(s, mid, 0, true);
    return;
  }
  look(s, a, mid);
  look(s, mid, b);
}

size_t exact_roots(exact_fn *fn, const void *user, real a, real b, real width, exact_root *roots,
                   size_t capacity) {
  search s = {.fn = fn, .user = user, .width = width, .roots = roots, .capacity = capacity};
  if (b > a) look(&s, a, b);
  return s.count;
}

/* ---- what can be a root ---- */

typedef struct couple {
  const exact_motion *m1, *m2;
  real distance, speed, pull; /* bounds of |d'| and |d''| of the difference */
} couple;

static void square(real t, real h, const void *user, real *f, real *slope, real *bend) {
  const couple *c = user;
  real p1[3], v1[3], p2[3], v2[3], sum = 0, rate = 0;
  exact_at(c->m1, t, p1, v1);
  exact_at(c->m2, t, p2, v2);
  for (int k = 0; k < 3; k++) {
    sum += (p1[k] - p2[k]) * (p1[k] - p2[k]);
    rate += (p1[k] - p2[k]) * (v1[k] - v2[k]);
  }
  *f = sum - c->distance * c->distance;
  *slope = 2 * rate;
  *bend = 2 * (c->speed * c->speed + (sqrtl(sum) + c->speed * h) * c->pull);
}

static couple bring_together(const exact_motion *m1, const exact_motion *m2, real distance) {
  couple c = {.m1 = m1, .m2 = m2, .distance = distance};
  real v1 = exact_speed(m1), v2 = exact_speed(m2);
  c.speed = v1 + v2;
  c.pull = v1 * fabsl(m1->w) + v2 * fabsl(m2->w);
  if (m1->w == 0 && m2->w == 0) { /* a straight line, as seen from the other one */
    real square_sum = 0;
    for (int k = 0; k < 3; k++) square_sum += (m1->v[k] - m2->v[k]) * (m1->v[k] - m2->v[k]);
    c.speed = sqrtl(square_sum);
  }
  return c;
}

size_t exact_touches(const exact_motion *m1, const exact_motion *m2, real distance, real a, real b,
                     exact_root *roots, size_t capacity) {
  couple c = bring_together(m1, m2, distance);
  if (c.speed == 0) return 0;
  return exact_roots(square, &c, a, b, 1e-9L * distance / c.speed, roots, capacity);
}

real exact_first_touch(const exact_motion *m1, const exact_motion *m2, real distance, real a,
                       real b) {
  couple c = bring_together(m1, m2, distance);
  exact_root root = {.t = (real)INFINITY};
  search s = {.fn = square, .user = &c, .roots = &root, .capacity = 1, .first = true};
  if (c.speed == 0 || !(b > a)) return root.t;
  s.width = 1e-9L * distance / c.speed;
  look(&s, a, b);
  return root.t;
}

typedef struct wall {
  const exact_motion *m;
  int k;
  real place;
} wall;

static void gap(real t, real h, const void *user, real *f, real *slope, real *bend) {
  const wall *w = user;
  real p[3], v[3];
  (void)h;
  exact_at(w->m, t, p, v);
  *f = p[w->k] - w->place;
  *slope = v[w->k];
  *bend = exact_speed(w->m) * fabsl(w->m->w);
}

real exact_first_pass(const exact_motion *m, int k, real place, bool upper, real a, real b) {
  exact_motion mirrored = *m; /* at an upper wall: the gap must fall, so all is mirrored */
  if (upper) {
    for (int i = 0; i < 3; i++) mirrored.p[i] = -m->p[i], mirrored.v[i] = -m->v[i];
    place = -place;
  }
  wall w = {.m = &mirrored, .k = k, .place = place};
  exact_root root = {.t = (real)INFINITY};
  search s = {.fn = gap, .user = &w, .width = 1e-12L, .roots = &root, .capacity = 1, .first = true};
  if (b > a && exact_speed(m) > 0) look(&s, a, b);
  return root.t;
}

real exact_distance(const exact_motion *m1, const exact_motion *m2, real t) {
  real p1[3], p2[3], sum = 0;
  exact_at(m1, t, p1, NULL);
  exact_at(m2, t, p2, NULL);
  for (int k = 0; k < 3; k++) sum += (p1[k] - p2[k]) * (p1[k] - p2[k]);
  return sqrtl(sum);
}
