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

/* Of a box in a cell. */
typedef struct entry {
  uint32_t next, previous, home; /* entries of the same place in the table; that place, or NONE */
} entry;

struct brink_grid {
  brink_allocator allocator;
  size_t n, mask;
  int nd;
  size_t corners;    /* 2^nd: entries of a box */
  brink_box *box;    /* of each agent */
  int16_t *size;     /* cell size of each agent: its power of two, from SMALLEST; -1: not there */
  uint32_t *bucket;  /* first entry of each place in the table */
  entry *entries;    /* agent*corners + k */
  uint32_t *of_size; /* first agent of each size */
  uint32_t *size_next, *size_previous;
  uint32_t *population; /* agents of each size */
  int low, high;        /* sizes that there may be */
  double sum;           /* of the sizes of boxes that came lately, … */
  size_t count;         /* … and how many these are */
  int least;            /* no cells smaller than this: such as boxes are on average */
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
  grid->entries = take(grid, entries, sizeof *grid->entries);
  grid->of_size = take(grid, SIZES, sizeof *grid->of_size);
  grid->size_next = take(grid, n, sizeof *grid->size_next);
  grid->size_previous = take(grid, n, sizeof *grid->size_previous);
  grid->population = take(grid, SIZES, sizeof *grid->population);
  *made = grid;
  if (grid->box == NULL || grid->size == NULL || grid->bucket == NULL || grid->entries == NULL ||
      grid->of_size == NULL || grid->size_next == NULL || grid->size_previous == NULL ||
      grid->population == NULL) {
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
  brink_release(&allocator, grid->entries, entries, sizeof *grid->entries);
  brink_release(&allocator, grid->of_size, SIZES, sizeof *grid->of_size);
  brink_release(&allocator, grid->size_next, n, sizeof *grid->size_next);
  brink_release(&allocator, grid->size_previous, n, sizeof *grid->size_previous);
  brink_release(&allocator, grid->population, SIZES, sizeof *grid->population);
  brink_release(&allocator, grid, 1, sizeof *grid);
}

size_t brink_grid_bytes(const brink_grid *grid) {
  size_t each = sizeof *grid->box + sizeof *grid->size + 2 * sizeof(uint32_t);
  return grid->n * (each + grid->corners * sizeof *grid->entries) +
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

/* The power of two that is not smaller than this. */
static int size_above(double length) {
  int size = ilogb(length) + 1 - SMALLEST;
  return size < 0 ? 0 : size >= SIZES ? SIZES - 1 : size;
}

/* Small boxes are kept in cells for those of average size: who looks at fewer sizes looks into fewer cells. */
static int size_of(brink_grid *grid, const brink_box *box) {
  double largest = 0.0;
  for (int d = 0; d < grid->nd; d++) largest = fmax(largest, box->high[d] - box->low[d]);
  if (!(largest > 0.0) || !isfinite(largest)) largest = 1.0;
  grid->sum += largest;
  if (++grid->count >= grid->n) {
    double average = grid->sum / (double)grid->count;
    grid->least = isfinite(average) ? size_above(average) : 0;
    grid->sum = 0.0;
    grid->count = 0;
  }
  int size = size_above(largest);
  return size > grid->least ? size : grid->least;
}

/* ---- in and out ---- */

static void leave(brink_grid *grid, uint32_t agent) {
  for (size_t k = 0; k < grid->corners; k++) {
    size_t e = agent * grid->corners + k;
    if (grid->entries[e].home == NONE) continue;
    if (grid->entries[e].previous != NONE)
      grid->entries[grid->entries[e].previous].next = grid->entries[e].next;
    else
      grid->bucket[grid->entries[e].home] = grid->entries[e].next;
    if (grid->entries[e].next != NONE)
      grid->entries[grid->entries[e].next].previous = grid->entries[e].previous;
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
  grid->entries[e].home = bucket;
  grid->entries[e].previous = NONE;
  grid->entries[e].next = first;
  if (first != NONE) grid->entries[first].previous = e;
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
  for (; k < grid->corners; k++) grid->entries[agent * grid->corners + k].home = NONE;
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

bool brink_box_touches(const brink_box *a, const brink_box *b, int ndimensions) {
  for (int d = 0; d < ndimensions; d++) {
    if (a->low[d] > b->high[d] || b->low[d] > a->high[d]) return false;
  }
  return true;
}

/* Whoever is in several cells is found as often; the list is made a set when it is full, and at the end. */
static void sort(uint32_t *list, size_t count) {
  static const size_t gaps[] = {16384, 4096, 1024, 301, 70, 20, 5, 1};
  for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
    size_t gap = gaps[g];
    for (size_t k = gap; k < count; k++) {
      uint32_t item = list[k];
      size_t j = k;
      for (; j >= gap && list[j - gap] > item; j -= gap) list[j] = list[j - gap];
      list[j] = item;
    }
  }
}

static void make_set(brink_grid_reader *reader) {
  if (reader->count == 0) return;
  sort(reader->list, reader->count);
  size_t kept = 1;
  for (size_t k = 1; k < reader->count; k++) {
    if (reader->list[k] != reader->list[kept - 1]) reader->list[kept++] = reader->list[k];
  }
  reader->count = kept;
}

/* A look around: the box, whose it is, and what comes of it. */
typedef struct view {
  const brink_grid *grid;
  brink_grid_reader *reader;
  const brink_box *box;
  uint32_t agent;
} view;

static void look(view *v, uint32_t other) {
  brink_grid_reader *reader = v->reader;
  if (!brink_box_touches(v->box, &v->grid->box[other], v->grid->nd) || other == v->agent) return;
  if (reader->count == reader->room) make_set(reader);
  reader->list[reader->count++] = other;
}

static void look_in_cells(view *v, int size, const cell_range *range) {
  const brink_grid *grid = v->grid;
  for (int64_t x = range->first[0]; x <= range->last[0]; x++) {
    for (int64_t y = range->first[1]; y <= range->last[1]; y++) {
      for (int64_t z = range->first[2]; z <= range->last[2]; z++) {
        uint32_t e = grid->bucket[hash(grid, size, x, y, z)];
        for (; e != NONE; e = grid->entries[e].next) look(v, (uint32_t)(e / grid->corners));
      }
    }
  }
}

static void look_at_size(view *v, int size) {
  const brink_grid *grid = v->grid;
  cell_range range = cells_of(grid, v->box, size);
  double cells = 1.0;
  for (int d = 0; d < grid->nd; d++) cells *= (double)range.last[d] - (double)range.first[d] + 1.0;
  if (cells <= (double)grid->population[size]) {
    look_in_cells(v, size, &range);
    return;
  }
  for (uint32_t other = grid->of_size[size]; other != NONE; other = grid->size_next[other])
    look(v, other);
}

bool brink_grid_reader_create(const brink_grid *grid, brink_grid_reader *reader) {
  /* As many again as there can be different ones: a full list halves when it becomes a set. */
  *reader = (brink_grid_reader){.room = 2 * grid->n};
  reader->list = brink_allocate(&grid->allocator, reader->room, sizeof *reader->list);
  return reader->list != NULL;
}

void brink_grid_reader_destroy(const brink_grid *grid, brink_grid_reader *reader) {
  brink_release(&grid->allocator, reader->list, reader->room, sizeof *reader->list);
  reader->list = NULL;
}

size_t brink_grid_meet(const brink_grid *grid, brink_grid_reader *reader, uint32_t agent,
                       const brink_box *box) {
  view v = {.grid = grid, .reader = reader, .box = box, .agent = agent};
  reader->count = 0;
  for (int size = grid->low; size <= grid->high; size++) {
    if (grid->population[size] > 0) look_at_size(&v, size);
  }
  make_set(reader);
  return reader->count;
}
