/* crowd_watch.c: are there cars that overlap?
 *
 * Positions go into squares of the size of a diameter; partners are in the same square or in one beside it. A pair
 * that overlaps now and did not at the look before counts once. */
#include <math.h>
#include <stdlib.h>

#include "support/crowd.h"

typedef struct couple {
  uint64_t name; /* both cars */
} couple;

struct crowd_watch {
  const crowd_scene *scene;
  double period, tolerance;
  int64_t look;
  size_t across, buckets;
  uint32_t *first, *next; /* number + 1; 0: none */
  couple *now, *before;   /* in order */
  size_t nnow, nbefore, room;
  size_t through;
  double deepest;
  bool failed;
};

crowd_watch *crowd_watch_open(const crowd_scene *scene, const crowd_ask *ask) {
  if (!(ask->watch_period > 0)) return NULL;
  crowd_watch *watch = calloc(1, sizeof *watch);
  if (watch == NULL) return NULL;
  *watch = (crowd_watch){.scene = scene, .period = ask->watch_period, .tolerance = ask->tolerance};
  watch->across = (size_t)(scene->size / (2 * CROWD_RADIUS)) + 3;
  watch->buckets = watch->across * watch->across;
  watch->first = calloc(watch->buckets, sizeof *watch->first);
  watch->next = calloc(scene->count, sizeof *watch->next);
  watch->room = scene->count + 16;
  watch->now = calloc(watch->room, sizeof *watch->now);
  watch->before = calloc(watch->room, sizeof *watch->before);
  watch->failed =
      watch->first == NULL || watch->next == NULL || watch->now == NULL || watch->before == NULL;
  return watch;
}

double crowd_watch_next(const crowd_watch *watch) {
  return watch != NULL ? watch->period * (double)(watch->look + 1) : (double)INFINITY;
}

/* One row and column of squares lies outside the box on each side. */
static size_t place(const crowd_watch *watch, double x) {
  double k = floor(x / (2 * CROWD_RADIUS)) + 1;
  return (size_t)fmin(fmax(k, 1), (double)watch->across - 2);
}

static int by_name(const void *left, const void *right) {
  const couple *a = left, *b = right;
  return (a->name > b->name) - (a->name < b->name);
}

static void meet(crowd_watch *watch, size_t a, size_t b, double overlap) {
  if (watch->nnow == watch->room) {
    watch->failed = true;
    return;
  }
  couple both = {(uint64_t)(a < b ? a : b) << 32 | (uint64_t)(a < b ? b : a)};
  watch->now[watch->nnow++] = both;
  watch->deepest = fmax(watch->deepest, overlap);
  if (bsearch(&both, watch->before, watch->nbefore, sizeof both, by_name) == NULL) watch->through++;
}

static void compare(crowd_watch *watch, size_t i, size_t square, const double *x, size_t stride) {
  for (size_t j = watch->first[square]; j != 0; j = watch->next[j - 1]) {
    const double *a = x + stride * i, *b = x + stride * (j - 1);
    double u = a[0] - b[0], v = a[1] - b[1], d2 = u * u + v * v;
    if (d2 >= 4 * CROWD_RADIUS * CROWD_RADIUS) continue;
    double overlap = 2 * CROWD_RADIUS - sqrt(d2);
    if (overlap > watch->tolerance) meet(watch, i, j - 1, overlap);
  }
}

/* Each is compared with those that were entered before it. */
void crowd_watch_look(crowd_watch *watch, const double *x, size_t stride) {
  watch->look++;
  if (watch->failed) return;
  for (size_t k = 0; k < watch->buckets; k++) watch->first[k] = 0;
  for (size_t i = 0; i < watch->scene->count; i++) {
    size_t column = place(watch, x[stride * i]), row = place(watch, x[stride * i + 1]);
    for (size_t r = row - 1; r <= row + 1; r++) {
      for (size_t c = column - 1; c <= column + 1; c++)
        compare(watch, i, r * watch->across + c, x, stride);
    }
    size_t square = row * watch->across + column;
    watch->next[i] = watch->first[square];
    watch->first[square] = (uint32_t)i + 1;
  }
  couple *swap = watch->before;
  watch->before = watch->now;
  watch->nbefore = watch->nnow;
  watch->now = swap;
  watch->nnow = 0;
  qsort(watch->before, watch->nbefore, sizeof *watch->before, by_name);
}

void crowd_watch_close(crowd_watch *watch, crowd_answer *answer) {
  if (watch == NULL) return;
  answer->through = watch->through;
  answer->deepest = watch->deepest;
  answer->ok = answer->ok && !watch->failed;
  free(watch->first);
  free(watch->next);
  free(watch->now);
  free(watch->before);
  free(watch);
}
