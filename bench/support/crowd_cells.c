/* crowd_cells.c: hard discs by a program for nothing else: cells, closed forms, a heap.
 *
 * The textbook's event-driven molecular dynamics (Rapaport 1980, Lubachevsky 1991). Every disc has its own time and one
 * next event: a hit with another, with a wall, or that it enters another cell. A cell is at least as wide as a disc, so
 * that those that a disc can hit are in the nine cells around it. The next of all events is at the top of a heap with
 * one item for each disc. Who loses a partner looks again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/crowd.h"

#define NOBODY UINT32_MAX
#define DIAMETER (2 * CROWD_RADIUS)

typedef enum event_kind { HIT, WALL, CELL } event_kind;

typedef struct disc {
  double t, x[2], v[2];
  double at; /* of its next event */
  uint32_t partner, next, before, cell, place;
  uint8_t kind, side;
} disc;

typedef struct cells {
  disc *discs;
  uint32_t *heap, *first; /* first disc of each cell */
  uint32_t count, across;
  double width, size, t_end;
} cells;

/* ---- the heap ---- */

static void put(cells *all, uint32_t k, uint32_t who) {
  all->heap[k] = who;
  all->discs[who].place = k;
}

static void update(cells *all, uint32_t who) {
  uint32_t k = all->discs[who].place;
  double at = all->discs[who].at;
  for (; k > 0 && at < all->discs[all->heap[(k - 1) / 2]].at; k = (k - 1) / 2)
    put(all, k, all->heap[(k - 1) / 2]);
  for (uint32_t child; (child = 2 * k + 1) < all->count; k = child) {
    if (child + 1 < all->count &&
        all->discs[all->heap[child + 1]].at < all->discs[all->heap[child]].at)
      child++;
    if (!(all->discs[all->heap[child]].at < at)) break;
    put(all, k, all->heap[child]);
  }
  put(all, k, who);
}

/* ---- cells ---- */

static void enter(cells *all, uint32_t who, uint32_t cell) {
  disc *d = &all->discs[who];
  d->cell = cell;
  d->before = NOBODY;
  d->next = all->first[cell];
  if (d->next != NOBODY) all->discs[d->next].before = who;
  all->first[cell] = who;
}

static void leave(cells *all, uint32_t who) {
  const disc *d = &all->discs[who];
  if (d->next != NOBODY) all->discs[d->next].before = d->before;
  if (d->before != NOBODY)
    all->discs[d->before].next = d->next;
  else
    all->first[d->cell] = d->next;
}

/* ---- when ---- */

static void move(disc *d, double t) {
  for (int k = 0; k < 2; k++) d->x[k] += d->v[k] * (t - d->t);
  d->t = t;
}

/* The next wall or border of its cell. */
static void look_at_cell(const cells *all, disc *d) {
  uint32_t at[2] = {d->cell % all->across, d->cell / all->across};
  d->at = INFINITY;
  d->partner = NOBODY;
  for (int k = 0; k < 2; k++) {
    bool up = d->v[k] > 0, last = up ? at[k] + 1 == all->across : at[k] == 0;
    double border = up ? (last ? all->size - CROWD_RADIUS : (at[k] + 1) * all->width)
                       : (last ? CROWD_RADIUS : at[k] * all->width);
    double t = d->v[k] != 0 ? d->t + fmax(0, (border - d->x[k]) / d->v[k]) : (double)INFINITY;
    if (t >= d->at) continue;
    d->at = t;
    d->kind = last ? WALL : CELL;
    d->side = (uint8_t)(2 * k + up);
  }
}

/* When the two hit; INFINITY: not. a is at its own time, which is the present. */
static double contact(const disc *a, const disc *b) {
  double s = a->t - b->t, x[2], v[2];
  for (int k = 0; k < 2; k++) {
    x[k] = b->x[k] + b->v[k] * s - a->x[k];
    v[k] = b->v[k] - a->v[k];
  }
  double closing = x[0] * v[0] + x[1] * v[1], speed = v[0] * v[0] + v[1] * v[1];
  double apart = fmax(0, x[0] * x[0] + x[1] * x[1] - DIAMETER * DIAMETER);
  double square = closing * closing - speed * apart;
  if (closing >= 0 || square < 0) return INFINITY;
  return a->t + apart / (sqrt(square) - closing);
}

static void look_around(const cells *all, uint32_t who) {
  disc *d = &all->discs[who];
  uint32_t column = d->cell % all->across, row = d->cell / all->across, best = NOBODY;
  for (uint32_t r = row > 0 ? row - 1 : 0; r <= row + 1 && r < all->across; r++) {
    for (uint32_t c = column > 0 ? column - 1 : 0; c <= column + 1 && c < all->across; c++) {
      for (uint32_t k = all->first[r * all->across + c]; k != NOBODY; k = all->discs[k].next) {
        if (k == who) continue;
        double t = contact(d, &all->discs[k]);
        if (!(t < d->at && t < all->discs[k].at)) continue;
        d->at = t;
        best = k;
      }
    }
  }
  if (best == NOBODY) return;
  d->kind = HIT;
  d->partner = best;
}

/* The next event of a disc, and of those that lose their partners by it. All look at the present. */
static void look(cells *all, uint32_t who, double now) {
  while (who != NOBODY) {
    disc *d = &all->discs[who];
    move(d, now);
    look_at_cell(all, d);
    look_around(all, who);
    update(all, who);
    if (d->partner == NOBODY) return;
    disc *other = &all->discs[d->partner];
    uint32_t lost = other->partner;
    other->at = d->at;
    other->kind = HIT;
    other->partner = who;
    update(all, d->partner);
    if (lost == who) return;
    if (lost != NOBODY) all->discs[lost].partner = NOBODY;
    who = lost;
  }
}

/* ---- the run ---- */

static void cross(cells *all, uint32_t who) {
  disc *d = &all->discs[who];
  uint32_t step = d->side < 2 ? 1 : all->across,
           cell = d->side % 2 == 1 ? d->cell + step : d->cell - step;
  leave(all, who);
  enter(all, who, cell);
}

static void hit(cells *all, uint32_t who, uint32_t partner) {
  disc *d = &all->discs[who], *other = &all->discs[partner];
  double a[4] = {d->x[0], d->x[1], d->v[0], d->v[1]},
         b[4] = {other->x[0], other->x[1], other->v[0], other->v[1]};
  crowd_hit_disc(a, b);
  for (int k = 0; k < 2; k++) {
    d->v[k] = a[2 + k];
    other->v[k] = b[2 + k];
  }
}

static bool act(cells *all, crowd_answer *answer, const crowd_ask *ask) {
  uint32_t who = all->heap[0];
  disc *d = &all->discs[who];
  double now = d->at;
  uint32_t partner = d->kind == HIT ? d->partner : NOBODY;
  uint8_t kind = d->kind;
  move(d, now);
  d->partner = NOBODY;
  if (kind == CELL) {
    cross(all, who);
    look(all, who, now);
    return true;
  }
  if (kind == WALL) {
    d->v[d->side / 2] *= -1;
    bool fine = crowd_log(answer, ask, now, who, 0, d->side);
    look(all, who, now);
    return fine;
  }
  disc *other = &all->discs[partner];
  move(other, now);
  other->partner = NOBODY;
  hit(all, who, partner);
  /* Until its turn comes, the second one takes part in no search. */
  other->at = now;
  look(all, who, now);
  look(all, partner, now);
  return crowd_log(answer, ask, now, who, partner, -1);
}

static bool make(cells *all, const crowd_scene *scene) {
  double share = scene->size / sqrt((double)scene->count);
  all->size = scene->size;
  all->count = (uint32_t)scene->count;
  all->across = (uint32_t)fmax(1, floor(scene->size / fmax(share, 1.0001 * DIAMETER)));
  all->width = scene->size / all->across;
  all->discs = calloc(scene->count, sizeof *all->discs);
  all->heap = calloc(scene->count, sizeof *all->heap);
  all->first = calloc((size_t)all->across * all->across, sizeof *all->first);
  double *x = crowd_disc_states(scene);
  bool ok = all->discs != NULL && all->heap != NULL && all->first != NULL && x != NULL;
  for (size_t k = 0; ok && k < (size_t)all->across * all->across; k++) all->first[k] = NOBODY;
  for (uint32_t i = 0; ok && i < all->count; i++) {
    disc *d = &all->discs[i];
    *d = (disc){.x = {x[4 * i], x[4 * i + 1]},
                .v = {x[4 * i + 2], x[4 * i + 3]},
                .at = INFINITY,
                .partner = NOBODY};
    put(all, i, i);
    enter(all, i,
          (uint32_t)(d->x[1] / all->width) * all->across + (uint32_t)(d->x[0] / all->width));
  }
  free(x);
  return ok;
}

crowd_answer crowd_run_cells(const crowd_scene *scene, const crowd_ask *ask) {
  crowd_answer answer = {.ok = false};
  cells all = {.t_end = ask->t_end};
  if (make(&all, scene)) {
    double start = crowd_clock(1);
    answer.ok = true;
    for (uint32_t i = 0; i < all.count; i++) {
      if (all.discs[i].partner == NOBODY) look(&all, i, 0);
    }
    while (answer.ok && all.discs[all.heap[0]].at < all.t_end) answer.ok = act(&all, &answer, ask);
    answer.seconds = crowd_clock(1) - start;
  }
  free(all.discs);
  free(all.heap);
  free(all.first);
  return answer;
}
