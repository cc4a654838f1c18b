/* grid.c: which agents can meet: boxes in cells.
 *
 * Every box is in the cells that it touches, of a grid whose cells are as large as it is (a power of two): at
 * most two in each direction. Boxes of all sizes share one table of cells, found by a hash of size and
 * place; cells that share a place in it only cost comparisons of boxes. A box is compared with those of its own
 * size and with those of every other size that there is; where it would touch more cells of a size than
 * there are boxes of that size, with all of these. So crowds of slow agents are seen in small cells, and fast ones
 * among them in large ones, wherever they are. */
#include "agents/parts.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX
#define SIZES 2200 /* powers of two that a double may have */
#define SMALLEST (-1100)

struct brink_grid {
  brink_allocator allocator;
  size_t n, mask;
  int nd;
  size_t corners;   /* 2^nd: entries of a box */
  brink_box *box;   /* of each agent */
  int16_t *size;    /* cell size of each agent: its power of two, from SMALLEST; -1: not there */
  uint32_t *bucket; /* first entry of each place in the table */
  uint32_t *next, *previous, *home; /* of each entry: agent*corners + k; home: its bucket */
  uint32_t *of_size;                /* first agent of each size */
  uint32_t *size_next, *size_previous;
  uint32_t *population; /* agents of each size */
  int low, high;        /* sizes that there may be */
  uint32_t *seen, stamp;
  uint32_t *list;
  size_t nlist;
};

static void *take(brink_grid *grid, size_t count, size_t size) {
  return brink_allocate(&grid->allocator, count, size);
}

bool brink_grid_create(size_t n, int nd, const brink_allocator *allocator, brink_grid **made) {
  *made = NULL;
  brink_grid *grid = brink_allocate(allocator, 1, sizeof *grid);
  if (grid == NULL) return false;
  if (allocator != NULL) grid->allocator = *allocator;
  size_t buckets = 16;
  while (buckets < 4 * n) buckets *= 2;
  *grid = (brink_grid){.allocator = grid->allocator,
                       .n = n,
                       .mask = buckets - 1,
                       .nd = nd,
                       .corners = (size_t)1 << nd,
                       .low = SIZES,
                       .high = -1};
  size_t entries = n * grid->corners;
  grid->box = take(grid, n, sizeof *grid->box);
  grid->size = take(grid, n, sizeof *grid->size);
  grid->bucket = take(grid, buckets, sizeof *grid->bucket);
  grid->next = take(grid, entries, sizeof *grid->next);
  grid->previous = take(grid, entries, sizeof *grid->previous);
  grid->home = take(grid, entries, sizeof *grid->home);
  grid->of_size = take(grid, SIZES, sizeof *grid->of_size);
  grid->size_next = take(grid, n, sizeof *grid->size_next);
  grid->size_previous = take(grid, n, sizeof *grid->size_previous);
  grid->population = take(grid, SIZES, sizeof *grid->population);
  grid->seen = take(grid, n, sizeof *grid->seen);
  grid->list = take(grid, n, sizeof *grid->list);
  *made = grid;
  if (grid->box == NULL || grid->size == NULL || grid->bucket == NULL || grid->next == NULL ||
      grid->previous == NULL || grid->home == NULL || grid->of_size == NULL ||
      grid->size_next == NULL || grid->size_previous == NULL || grid->population == NULL ||
      grid->seen == NULL || grid->list == NULL) {
    brink_grid_destroy(grid);
    *made = NULL;
    return false;
  }
  memset(grid->bucket, 0xff, buckets * sizeof *grid->bucket);
  memset(grid->of_size, 0xff, SIZES * sizeof *grid->of_size);
  memset(grid->size, 0xff, n * sizeof *grid->size);
  return true;
}

void brink_grid_destroy(brink_grid *grid) {
  if (grid == NULL) return;
  brink_allocator allocator = grid->allocator;
  size_t n = grid->n, entries = n * grid->corners;
  brink_release(&allocator, grid->box, n, sizeof *grid->box);
  brink_release(&allocator, grid->size, n, sizeof *grid->size);
  brink_release(&allocator, grid->bucket, grid->mask + 1, sizeof *grid->bucket);
  brink_release(&allocator, grid->next, entries, sizeof *grid->next);
  brink_release(&allocator, grid->previous, entries, sizeof *grid->previous);
  brink_release(&allocator, grid->home, entries, sizeof *grid->home);
  brink_release(&allocator, grid->of_size, SIZES, sizeof *grid->of_size);
  brink_release(&allocator, grid->size_next, n, sizeof *grid->size_next);
  brink_release(&allocator, grid->size_previous, n, sizeof *grid->size_previous);
  brink_release(&allocator, grid->population, SIZES, sizeof *grid->population);
  brink_release(&allocator, grid->seen, n, sizeof *grid->seen);
  brink_release(&allocator, grid->list, n, sizeof *grid->list);
  brink_release(&allocator, grid, 1, sizeof *grid);
}

size_t brink_grid_bytes(const brink_grid *grid) {
  size_t each = sizeof *grid->box + sizeof *grid->size + 4 * sizeof(uint32_t);
  return grid->n * (each + 3 * grid->corners * sizeof(uint32_t)) +
         (grid->mask + 1) * sizeof *grid->bucket;
}

/* ---- cells ---- */

/* Which cells of a size a box touches, in each direction. */
typedef struct cell_range {
  int64_t first[3], last[3];
} cell_range;

static int64_t cell_of(double x, double cell) {
  double k = floor(x / cell);
  return k < -4e18 ? INT64_MIN / 2 : k > 4e18 ? INT64_MAX / 2 : (int64_t)k;
}

static cell_range cells_of(const brink_grid *grid, const brink_box *box, int size) {
  cell_range range = {{0}, {0}};
  double cell = ldexp(1.0, size + SMALLEST);
  for (int d = 0; d < grid->nd; d++) {
    range.first[d] = cell_of(box->low[d], cell);
    range.last[d] = cell_of(box->high[d], cell);
  }
  return range;
}

static uint32_t hash(const brink_grid *grid, int size, int64_t x, int64_t y, int64_t z) {
  uint64_t h = (uint64_t)size * 0x9e3779b97f4a7c15u;
  h = (h ^ (uint64_t)x) * 0xbf58476d1ce4e5b9u;
  h = ((h ^ (h >> 29)) ^ (uint64_t)y) * 0x94d049bb133111ebu;
  h = ((h ^ (h >> 32)) ^ (uint64_t)z) * 0x9e3779b97f4a7c15u;
  return (uint32_t)((h ^ (h >> 30)) & grid->mask);
}

/* The power of two that is not smaller than the box. */
static int size_of(const brink_grid *grid, const brink_box *box) {
  double largest = 0.0;
  for (int d = 0; d < grid->nd; d++) largest = fmax(largest, box->high[d] - box->low[d]);
  if (!(largest > 0.0) || !isfinite(largest)) largest = 1.0;
  int size = ilogb(largest) + 1 - SMALLEST;
  return size < 0 ? 0 : size >= SIZES ? SIZES - 1 : size;
}

/* ---- in and out ---- */

static void leave(brink_grid *grid, uint32_t agent) {
  for (size_t k = 0; k < grid->corners; k++) {
    size_t e = agent * grid->corners + k;
    if (grid->home[e] == NONE) continue;
    if (grid->previous[e] != NONE)
      grid->next[grid->previous[e]] = grid->next[e];
    else
      grid->bucket[grid->home[e]] = grid->next[e];
    if (grid->next[e] != NONE) grid->previous[grid->next[e]] = grid->previous[e];
  }
  int size = grid->size[agent];
  uint32_t before = grid->size_previous[agent], after = grid->size_next[agent];
  if (before != NONE)
    grid->size_next[before] = after;
  else
    grid->of_size[size] = after;
  if (after != NONE) grid->size_previous[after] = before;
  grid->population[size]--;
}

static void enter_cell(brink_grid *grid, uint32_t agent, size_t k, uint32_t bucket) {
  uint32_t e = (uint32_t)(agent * grid->corners + k), first = grid->bucket[bucket];
  grid->home[e] = bucket;
  grid->previous[e] = NONE;
  grid->next[e] = first;
  if (first != NONE) grid->previous[first] = e;
  grid->bucket[bucket] = e;
}

static void enter(brink_grid *grid, uint32_t agent, int size) {
  cell_range range = cells_of(grid, &grid->box[agent], size);
  size_t k = 0;
  for (int64_t x = range.first[0]; x <= range.last[0]; x++) {
    for (int64_t y = range.first[1]; y <= range.last[1]; y++) {
      for (int64_t z = range.first[2]; z <= range.last[2] && k < grid->corners; z++)
        enter_cell(grid, agent, k++, hash(grid, size, x, y, z));
    }
  }
  for (; k < grid->corners; k++) grid->home[agent * grid->corners + k] = NONE;
  uint32_t first = grid->of_size[size];
  grid->size[agent] = (int16_t)size;
  grid->size_previous[agent] = NONE;
  grid->size_next[agent] = first;
  if (first != NONE) grid->size_previous[first] = agent;
  grid->of_size[size] = agent;
  grid->population[size]++;
  if (size < grid->low) grid->low = size;
  if (size > grid->high) grid->high = size;
}

const brink_box *brink_grid_box(const brink_grid *grid, uint32_t agent) {
  return &grid->box[agent];
}

void brink_grid_put(brink_grid *grid, uint32_t agent, const brink_box *box) {
  if (grid->size[agent] >= 0) leave(grid, agent);
  grid->box[agent] = *box;
  enter(grid, agent, size_of(grid, box));
}

/* ---- who is near ---- */

static bool touch(const brink_grid *grid, const brink_box *a, const brink_box *b) {
  for (int d = 0; d < grid->nd; d++) {
    if (a->low[d] > b->high[d] || b->low[d] > a->high[d]) return false;
  }
  return true;
}

static void look(brink_grid *grid, const brink_box *box, uint32_t other, int64_t *checks) {
  if (grid->seen[other] == grid->stamp) return;
  grid->seen[other] = grid->stamp;
  ++*checks;
  if (touch(grid, box, &grid->box[other])) grid->list[grid->nlist++] = other;
}

static void look_in_cells(brink_grid *grid, const brink_box *box, int size, const cell_range *range,
                          int64_t *checks) {
  for (int64_t x = range->first[0]; x <= range->last[0]; x++) {
    for (int64_t y = range->first[1]; y <= range->last[1]; y++) {
      for (int64_t z = range->first[2]; z <= range->last[2]; z++) {
        uint32_t e = grid->bucket[hash(grid, size, x, y, z)];
        for (; e != NONE; e = grid->next[e]) look(grid, box, (uint32_t)(e / grid->corners), checks);
      }
    }
  }
}

static void look_at_size(brink_grid *grid, const brink_box *box, int size, int64_t *checks) {
  cell_range range = cells_of(grid, box, size);
  double cells = 1.0;
  for (int d = 0; d < grid->nd; d++) cells *= (double)range.last[d] - (double)range.first[d] + 1.0;
  if (cells <= (double)grid->population[size]) {
    look_in_cells(grid, box, size, &range, checks);
    return;
  }
  for (uint32_t other = grid->of_size[size]; other != NONE; other = grid->size_next[other])
    look(grid, box, other, checks);
}

static void sort(uint32_t *list, size_t count) {
  for (size_t k = 1; k < count; k++) {
    uint32_t item = list[k];
    size_t j = k;
    for (; j > 0 && list[j - 1] > item; j--) list[j] = list[j - 1];
    list[j] = item;
  }
}

size_t brink_grid_meet(brink_grid *grid, uint32_t agent, const brink_box *box,
                       const uint32_t **list, int64_t *checks) {
  if (++grid->stamp == 0) { /* once in four thousand million */
    memset(grid->seen, 0, grid->n * sizeof *grid->seen);
    grid->stamp = 1;
  }
  grid->nlist = 0;
  grid->seen[agent] = grid->stamp;
  for (int size = grid->low; size <= grid->high; size++) {
    if (grid->population[size] > 0) look_at_size(grid, box, size, checks);
  }
  sort(grid->list, grid->nlist);
  *list = grid->list;
  return grid->nlist;
}
