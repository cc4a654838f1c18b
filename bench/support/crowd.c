/* crowd.c: scenes, motion, hits, logs (see crowd.h). */
#include "support/crowd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double pi = 3.14159265358979323846;

/* ---- motion and hits ---- */

/* Heading and speed from the velocity, and a turn towards the normal n. */
static void drive_off(double x[3], double p[2], double vx, double vy, double nx, double ny) {
  x[2] = atan2(vy, vx);
  p[0] = sqrt(vx * vx + vy * vy);
  p[1] = vx * ny - vy * nx >= 0 ? fabs(p[1]) : -fabs(p[1]);
}

void crowd_hit_wall(double restitution, int wall, double x[3], double p[2]) {
  double vx = p[0] * cos(x[2]), vy = p[0] * sin(x[2]), inwards = wall % 2 == 0 ? 1 : -1;
  if (wall < 2)
    drive_off(x, p, -restitution * vx, vy, inwards, 0);
  else
    drive_off(x, p, vx, -restitution * vy, 0, inwards);
}

void crowd_hit_car(double restitution, double xa[3], double pa[2], double xb[3], double pb[2]) {
  double nx = xb[0] - xa[0], ny = xb[1] - xa[1], d = sqrt(nx * nx + ny * ny);
  double ax = pa[0] * cos(xa[2]), ay = pa[0] * sin(xa[2]);
  double bx = pb[0] * cos(xb[2]), by = pb[0] * sin(xb[2]);
  nx /= d;
  ny /= d;
  double impulse = 0.5 * (1 + restitution) * ((bx - ax) * nx + (by - ay) * ny);
  drive_off(xa, pa, ax + impulse * nx, ay + impulse * ny, -nx, -ny);
  drive_off(xb, pb, bx - impulse * nx, by - impulse * ny, nx, ny);
}

/* ---- scenes ---- */

/* splitmix64 */
static double uniform(uint64_t *state, double low, double high) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return low + (high - low) * ((double)(z >> 11) * 0x1p-53);
}

static bool take(crowd_scene *scene, size_t count) {
  *scene = (crowd_scene){.count = count, .restitution = 0.9, .side = BRINK_BILATERAL};
  scene->x = calloc(3 * count, sizeof *scene->x);
  scene->p = calloc(2 * count, sizeof *scene->p);
  return scene->x != NULL && scene->p != NULL;
}

void crowd_free(crowd_scene *scene) {
  free(scene->x);
  free(scene->p);
  *scene = (crowd_scene){0};
}

/* Squares, one car in each at most, so that the nearest are in the 25 around. */
typedef struct places {
  size_t across;
  uint32_t *car; /* number + 1; 0: none */
} places;

static size_t place_of(const places *at, double x, double y, double size) {
  size_t column = (size_t)(x / size * (double)at->across),
         row = (size_t)(y / size * (double)at->across);
  return row * at->across + column;
}

static bool is_free(const places *at, const crowd_scene *scene, const double *x, double gap) {
  size_t here = place_of(at, x[0], x[1], scene->size);
  size_t row = here / at->across, column = here % at->across;
  for (size_t r = row > 1 ? row - 2 : 0; r <= row + 2 && r < at->across; r++) {
    for (size_t c = column > 1 ? column - 2 : 0; c <= column + 2 && c < at->across; c++) {
      size_t car = at->car[r * at->across + c];
      if (car == 0) continue;
      const double *other = scene->x + 3 * (car - 1);
      if (hypot(other[0] - x[0], other[1] - x[1]) < gap) return false;
    }
  }
  return true;
}

/* Cars at random, no two closer than `gap`. */
static bool scatter(crowd_scene *scene, uint64_t *state, double gap, double margin) {
  /* Sides are at most gap/sqrt(2), so that two in one square are too close, and at least half of gap. */
  places at = {.across = (size_t)ceil(1.42 * scene->size / gap)};
  at.car = calloc(at.across * at.across, sizeof *at.car);
  if (at.car == NULL) return false;
  for (size_t i = 0; i < scene->count; i++) {
    double *x = scene->x + 3 * i;
    do {
      x[0] = uniform(state, margin, scene->size - margin);
      x[1] = uniform(state, margin, scene->size - margin);
    } while (!is_free(&at, scene, x, gap));
    at.car[place_of(&at, x[0], x[1], scene->size)] = (uint32_t)i + 1;
  }
  free(at.car);
  return true;
}

bool crowd_make_cars(crowd_scene *scene, size_t count, uint64_t seed) {
  uint64_t state = seed;
  if (!take(scene, count)) return false;
  scene->size = 10 * sqrt((double)count / 20);
  if (!scatter(scene, &state, 5 * CROWD_RADIUS, 5 * CROWD_RADIUS)) return false;
  for (size_t i = 0; i < count; i++) {
    scene->x[3 * i + 2] = uniform(&state, -pi, pi);
    scene->p[2 * i] = uniform(&state, 0.5, 1.5);
    double rate = uniform(&state, -0.4, 0.4);
    scene->p[2 * i + 1] = rate < 0 ? rate - 0.1 : rate + 0.1;
  }
  return true;
}

void crowd_quicken(crowd_scene *scene, size_t every, double factor) {
  for (size_t i = 0; i < scene->count; i += every) scene->p[2 * i + 1] *= factor;
}

/* On a lattice, displaced by up to two fifths of the room that it leaves. */
bool crowd_make_discs(crowd_scene *scene, size_t count, double cover, uint64_t seed) {
  uint64_t state = seed;
  if (!take(scene, count)) return false;
  scene->restitution = 1;
  scene->size = sqrt((double)count * pi * CROWD_RADIUS * CROWD_RADIUS / cover);
  size_t across = (size_t)ceil(sqrt((double)count));
  double pitch = scene->size / (double)across, room = 0.4 * (pitch - 2 * CROWD_RADIUS);
  for (size_t i = 0; i < count; i++) {
    scene->x[3 * i] = pitch * ((double)(i % across) + 0.5) + uniform(&state, -room, room);
    scene->x[3 * i + 1] = pitch * ((double)(i / across) + 0.5) + uniform(&state, -room, room);
    scene->x[3 * i + 2] = uniform(&state, -pi, pi);
    scene->p[2 * i] = uniform(&state, 0.5, 1.5);
  }
  return true;
}

/* ---- logs ---- */

double crowd_clock(int threads) {
  struct timespec now;
  clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void crowd_answer_free(crowd_answer *answer) {
  free(answer->log);
  *answer = (crowd_answer){0};
}

bool crowd_log(crowd_answer *answer, const crowd_ask *ask, double t, size_t a, size_t b, int wall) {
  answer->hits++;
  if (t > ask->log_until) return true;
  if (answer->logged == answer->room) {
    size_t room = answer->room == 0 ? 1024 : 2 * answer->room;
    crowd_hit *more = realloc(answer->log, room * sizeof *more);
    if (more == NULL) return false;
    answer->log = more;
    answer->room = room;
  }
  bool turn = wall < 0 && b < a;
  answer->log[answer->logged++] = (crowd_hit){t, turn ? b : a, turn ? a : b, wall};
  return true;
}

static int by_name(const void *left, const void *right) {
  const crowd_hit *a = left, *b = right;
  if (a->car != b->car) return a->car < b->car ? -1 : 1;
  if (a->wall != b->wall) return a->wall < b->wall ? -1 : 1;
  if (a->other != b->other) return a->other < b->other ? -1 : 1;
  return (a->t > b->t) - (a->t < b->t);
}

static bool same_name(const crowd_hit *a, const crowd_hit *b) {
  return a->car == b->car && a->wall == b->wall && a->other == b->other;
}

static crowd_hit *sorted(const crowd_answer *answer) {
  crowd_hit *copy = calloc(answer->logged + 1, sizeof *copy);
  if (copy == NULL) return NULL;
  if (answer->logged > 0) memcpy(copy, answer->log, answer->logged * sizeof *copy);
  qsort(copy, answer->logged, sizeof *copy, by_name);
  return copy;
}

static void count_one(const crowd_hit *hit, double limit, size_t *count, crowd_difference *found) {
  if (hit->t <= limit) ++*count;
  found->until = fmin(found->until, hit->t);
}

/* Both lists go by names and times: like a merge. */
static void merge(const crowd_hit *a, size_t na, const crowd_hit *b, size_t nb, double limit,
                  double slack, crowd_difference *found) {
  size_t i = 0, j = 0;
  while (i < na || j < nb) {
    bool both = i < na && j < nb && same_name(&a[i], &b[j]);
    if (both && fabs(a[i].t - b[j].t) <= slack) {
      if (a[i].t <= limit) found->worst = fmax(found->worst, fabs(a[i].t - b[j].t));
      i++, j++;
    } else if (j == nb || (i < na && by_name(&a[i], &b[j]) < 0)) {
      count_one(&a[i++], limit, &found->invented, found);
    } else {
      count_one(&b[j++], limit, &found->missed, found);
    }
  }
}

crowd_difference crowd_compare(const crowd_answer *answer, const crowd_answer *exact, double until,
                               double slack) {
  crowd_difference found = {.missed = SIZE_MAX, .worst = INFINITY};
  crowd_hit *a = sorted(answer), *b = sorted(exact);
  if (a != NULL && b != NULL) {
    found = (crowd_difference){.until = INFINITY};
    merge(a, answer->logged, b, exact->logged, until - slack, slack, &found);
  }
  free(a);
  free(b);
  return found;
}
