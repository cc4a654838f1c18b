/* exact_discs.c: see exact_discs.h. */
#include "support/exact_discs.h"

#include <brink/brink.h>
#include <math.h>

static const long double never = (long double)INFINITY;

long double exact_place(const exact_disc *disc, int k, long double t) {
  return disc->x[k] + (t - disc->t) * disc->v[k];
}

/* |dx + dv tau| = R: the first root, by the form that does not cancel. Only what approaches can touch. */
static long double touch(const exact_box *box, const exact_disc *a, const exact_disc *b) {
  long double t = fmaxl(a->t, b->t), r = a->radius + b->radius;
  long double speed = 0, along = 0, square = 0;
  for (int k = 0; k < box->ndimensions; k++) {
    long double dx = exact_place(b, k, t) - exact_place(a, k, t), dv = b->v[k] - a->v[k];
    speed += dv * dv;
    along += dx * dv;
    square += dx * dx;
  }
  long double c = square - r * r, inside = along * along - speed * c;
  if (along >= 0 || inside < 0) return never;
  return t + fmaxl(0, c / (-along + sqrtl(inside)));
}

static long double arrive(const exact_box *box, const exact_disc *a, size_t wall) {
  size_t k = wall / 2;
  long double place = wall % 2 == 0 ? box->low[k] + a->radius : box->high[k] - a->radius;
  bool goes = wall % 2 == 0 ? a->v[k] < 0 : a->v[k] > 0;
  return goes ? a->t + fmaxl(0, (place - a->x[k]) / a->v[k]) : never;
}

static void consider(exact_disc *a, long double t, size_t with) {
  if (t >= a->next) return;
  a->next = t;
  a->with = with;
}

/* Everything that can happen to disc i; the others hear of it, too. */
static void foresee(exact_box *box, size_t i) {
  exact_disc *a = &box->discs[i];
  a->next = never;
  a->with = BRINK_NONE;
  for (size_t j = 0; j < box->n; j++) {
    if (j == i) continue;
    long double t = touch(box, a, &box->discs[j]);
    consider(a, t, j);
    consider(&box->discs[j], t, i);
  }
  if (!box->walls) return;
  for (size_t wall = 0; wall < 2 * (size_t)box->ndimensions; wall++)
    consider(a, arrive(box, a, wall), box->n + wall);
}

static void move(const exact_box *box, exact_disc *a, long double t) {
  for (int k = 0; k < box->ndimensions; k++) a->x[k] = exact_place(a, k, t);
  a->t = t;
}

static void collide(const exact_box *box, exact_disc *a, exact_disc *b) {
  long double square = 0, along = 0;
  for (int k = 0; k < box->ndimensions; k++) {
    square += (b->x[k] - a->x[k]) * (b->x[k] - a->x[k]);
    along += (b->x[k] - a->x[k]) * (b->v[k] - a->v[k]);
  }
  for (int k = 0; k < box->ndimensions; k++) {
    long double push = 2 * along / square * (b->x[k] - a->x[k]) / (a->mass + b->mass);
    a->v[k] += b->mass * push;
    b->v[k] -= a->mass * push;
  }
}

/* Those who expected to meet a disc that now flies elsewhere. */
static void renew(exact_box *box, size_t i, size_t j) {
  for (size_t k = 0; k < box->n; k++) {
    const exact_disc *a = &box->discs[k];
    bool waits = a->with == i || (j != BRINK_NONE && a->with == j);
    if (k != i && k != j && waits) foresee(box, k);
  }
  foresee(box, i);
  if (j != BRINK_NONE) foresee(box, j);
}

static exact_collision happen(exact_box *box, size_t i) {
  exact_disc *a = &box->discs[i];
  size_t with = a->with;
  exact_collision out = {.t = a->next, .disc = i, .other = BRINK_NONE, .wall = BRINK_NONE};
  move(box, a, out.t);
  if (with >= box->n) {
    out.wall = with - box->n;
    a->v[out.wall / 2] = -a->v[out.wall / 2];
    renew(box, i, BRINK_NONE);
    return out;
  }
  out.disc = with < i ? with : i;
  out.other = with < i ? i : with;
  move(box, &box->discs[with], out.t);
  collide(box, a, &box->discs[with]);
  renew(box, i, with);
  return out;
}

size_t exact_collide(exact_box *box, long double t_end, exact_collision *out, size_t count) {
  for (size_t i = 0; i < box->n; i++) box->discs[i].next = never;
  for (size_t i = 0; i < box->n; i++) foresee(box, i);
  for (size_t done = 0; done < count; done++) {
    size_t first = 0;
    for (size_t i = 1; i < box->n; i++)
      if (box->discs[i].next < box->discs[first].next) first = i;
    if (box->discs[first].next > t_end) return done;
    out[done] = happen(box, first);
  }
  return count;
}
