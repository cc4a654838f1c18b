/* grid.c: which agents can meet: boxes in cells.
 *
 * Every box is in one cell, that of its lowest corner, of a grid whose cells are at least as large as it is (a usual
 * size, times a power of two); so it reaches into the next cell in each direction, and no further. Boxes of all sizes share one table of
 * cells, found by a hash of size and place, in which cells side by side are neighbours; cells that share a place
 * in it only cost comparisons of boxes. A box is compared with those of its own size and with those of every
 * other size that there is; where it would touch more cells of a size than there are boxes of that size, with all
 * of these. So crowds of slow agents are seen in small cells, and fast ones among them in large ones, wherever they
 * are. */
#include "agents/parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NONE UINT32_MAX
#define SIZES 64
#define BOUNDLESS                                                                                  \
  (SIZES - 1) /* the size of boxes that have no bounds, as it were: they are in no cell */
#define SMALL_ENOUGH 0x1p60
#define USUAL 1.5  /* times the average is the usual size of a box */
#define MISFIT 1.3 /* times too large or too small: cells should be others */
#define LINE 64    /* bytes of memory that come together */

/* A box in its cell: a line of memory. */
typedef struct place {
  brink_box box;
  uint32_t next, previous; /* others of the same bucket; NONE */
  uint32_t bucket;
  int16_t size; /* of the cell: the smallest, or larger by this power of two; -1: not there */
} place;

/* Agents whose boxes are in cells of the same size. */
typedef struct peers {
  uint32_t next, previous;
} peers;

struct brink_grid {
  brink_allocator allocator;
  size_t n, mask;
  int nd;
  void *memory;         /* of the places */
  place *places;        /* of each agent */
  peers *peers;         /* of each agent */
  uint32_t *bucket;     /* the first agent in each */
  uint32_t *of_size;    /* first agent of each size */
  uint32_t *population; /* agents of each size */
  int low, high;        /* sizes that there may be */
  double per_unit;      /* smallest cells in a unit of length */
  double sum;           /* of the sizes of boxes that came lately, … */
  size_t count;         /* … and how many these are */
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
  while (buckets < 2 * n) buckets *= 2;
  *grid = (brink_grid){.allocator = grid->allocator,
                       .n = n,
                       .mask = buckets - 1,
                       .nd = nd,
                       .per_unit = 1.0,
                       .low = SIZES,
                       .high = -1};
  grid->memory = take(grid, n + 1, sizeof *grid->places);
  grid->peers = take(grid, n, sizeof *grid->peers);
  grid->bucket = take(grid, buckets, sizeof *grid->bucket);
  grid->of_size = take(grid, SIZES, sizeof *grid->of_size);
  grid->population = take(grid, SIZES, sizeof *grid->population);
  *made = grid;
  if (grid->memory == NULL || grid->peers == NULL || grid->bucket == NULL ||
      grid->of_size == NULL || grid->population == NULL) {
    brink_grid_destroy(grid);
    *made = NULL;
    return false;
  }
  uintptr_t start = ((uintptr_t)grid->memory + LINE - 1) / LINE * LINE;
  grid->places = (place *)start;
  for (size_t k = 0; k < n; k++) grid->places[k].size = -1;
  memset(grid->bucket, 0xff, buckets * sizeof *grid->bucket);
  memset(grid->of_size, 0xff, SIZES * sizeof *grid->of_size);
  return true;
}

void brink_grid_destroy(brink_grid *grid) {
  if (grid == NULL) return;
  brink_allocator allocator = grid->allocator;
  size_t n = grid->n;
  brink_release(&allocator, grid->memory, n + 1, sizeof *grid->places);
  brink_release(&allocator, grid->peers, n, sizeof *grid->peers);
  brink_release(&allocator, grid->bucket, grid->mask + 1, sizeof *grid->bucket);
  brink_release(&allocator, grid->of_size, SIZES, sizeof *grid->of_size);
  brink_release(&allocator, grid->population, SIZES, sizeof *grid->population);
  brink_release(&allocator, grid, 1, sizeof *grid);
}

size_t brink_grid_bytes(const brink_grid *grid) {
  return grid->n * (sizeof *grid->places + sizeof *grid->peers) +
         (grid->mask + 1) * sizeof *grid->bucket;
}

/* ---- cells ---- */

/* Below it for a number of any size, and without a call. */
static int64_t whole(double x) {
  if (!(x > -4e18)) return INT64_MIN / 2;
  if (!(x < 4e18)) return INT64_MAX / 2;
  int64_t k = (int64_t)x;
  return k - ((double)k > x ? 1 : 0);
}

/* Cells of a size lie side by side in the first direction. */
static uint64_t row_of(int size, int64_t y, int64_t z) {
  uint64_t h = (uint64_t)size * 0x9e3779b97f4a7c15u;
  h = (h ^ (uint64_t)y) * 0xbf58476d1ce4e5b9u;
  h = ((h ^ (h >> 32)) ^ (uint64_t)z) * 0x94d049bb133111ebu;
  return h ^ (h >> 30);
}

/* Cells of that size in a unit of length. */
static double cells_per_unit(const brink_grid *grid, int size) {
  uint64_t bits = (uint64_t)(1023 - size) << 52; /* 2^-size */
  double power;
  memcpy(&power, &bits, sizeof power);
  return power * grid->per_unit;
}

/* The size of the cell for a box, such that it reaches no further than into the next one, whatever rounding does to
 * its place. Small boxes are kept in cells for those of usual size: who looks at fewer sizes looks into fewer cells. */
static int size_for(const brink_grid *grid, const brink_box *box) {
  double largest = 0.0;
  for (int d = 0; d < grid->nd; d++) {
    double far = fmax(fabs(box->low[d]), fabs(box->high[d]));
    double width = box->high[d] - box->low[d] + 16.0 * DBL_EPSILON * far;
    if (!(width <= largest)) largest = width;
  }
  double cells = largest * grid->per_unit;
  if (cells < 1.0) return 0;
  return cells < SMALL_ENOUGH ? ilogb(cells) + 1 : BOUNDLESS;
}

static uint32_t bucket_of(const brink_grid *grid, const brink_box *box, int size) {
  double unit = cells_per_unit(grid, size);
  int64_t x = whole(box->low[0] * unit), y = grid->nd > 1 ? whole(box->low[1] * unit) : 0;
  int64_t z = grid->nd > 2 ? whole(box->low[2] * unit) : 0;
  return (uint32_t)((row_of(size, y, z) + (uint64_t)x) & grid->mask);
}

/* ---- in and out ---- */

static void leave_cell(brink_grid *grid, const place *p) {
  if (p->previous != NONE)
    grid->places[p->previous].next = p->next;
  else
    grid->bucket[p->bucket] = p->next;
  if (p->next != NONE) grid->places[p->next].previous = p->previous;
}

static void enter_cell(brink_grid *grid, uint32_t agent, place *p, uint32_t bucket) {
  uint32_t first = grid->bucket[bucket];
  p->bucket = bucket;
  p->previous = NONE;
  p->next = first;
  if (first != NONE) grid->places[first].previous = agent;
  grid->bucket[bucket] = agent;
}

static void leave_peers(brink_grid *grid, uint32_t agent, int size) {
  peers us = grid->peers[agent];
  if (us.previous != NONE)
    grid->peers[us.previous].next = us.next;
  else
    grid->of_size[size] = us.next;
  if (us.next != NONE) grid->peers[us.next].previous = us.previous;
  grid->population[size]--;
}

static void join_peers(brink_grid *grid, uint32_t agent, int size) {
  uint32_t first = grid->of_size[size];
  grid->peers[agent] = (peers){.next = first, .previous = NONE};
  if (first != NONE) grid->peers[first].previous = agent;
  grid->of_size[size] = agent;
  grid->population[size]++;
  if (size < grid->low) grid->low = size;
  if (size > grid->high) grid->high = size;
}

const brink_box *brink_grid_box(const brink_grid *grid, uint32_t agent) {
  return &grid->places[agent].box;
}

static void put(brink_grid *grid, uint32_t agent, int size) {
  place *p = &grid->places[agent];
  int before = p->size;
  uint32_t bucket = bucket_of(grid, &p->box, size);
  p->size = (int16_t)size;
  if (before != size) {
    if (before >= 0) leave_peers(grid, agent, before);
    join_peers(grid, agent, size);
  }
  if (before >= 0 && p->bucket == bucket) return;
  if (before >= 0) leave_cell(grid, p);
  enter_cell(grid, agent, p, bucket);
}

/* Cells fit the boxes of late, or all boxes find new ones. */
static void adapt(brink_grid *grid) {
  double average = grid->sum / (double)grid->count;
  grid->sum = 0.0;
  grid->count = 0;
  double fit = average * USUAL * grid->per_unit; /* 1: they do */
  if (!(average > 0.0) || !isfinite(1.0 / average) || !isfinite(average) ||
      (fit > 1.0 / MISFIT && fit < MISFIT))
    return;
  grid->per_unit = 1.0 / (USUAL * average);
  for (uint32_t k = 0; k < grid->n; k++) {
    if (grid->places[k].size >= 0) put(grid, k, size_for(grid, &grid->places[k].box));
  }
}

void brink_grid_put(brink_grid *grid, uint32_t agent, const brink_box *box) {
  double largest = 0.0;
  for (int d = 0; d < grid->nd; d++) largest = fmax(largest, box->high[d] - box->low[d]);
  if (isfinite(largest)) grid->sum += largest;
  if (++grid->count >= grid->n) adapt(grid);
  grid->places[agent].box = *box;
  put(grid, agent, size_for(grid, box));
}

void brink_grid_fetch(const brink_grid *grid, uint32_t agent) {
  brink_fetch(&grid->places[agent], 1);
}

void brink_grid_fetch_around(const brink_grid *grid, uint32_t agent) {
  const brink_box *box = &grid->places[agent].box;
  for (int size = grid->low; size <= grid->high; size++) {
    if (grid->population[size] == 0 || size == BOUNDLESS) continue;
    double unit = cells_per_unit(grid, size);
    int64_t x = whole(box->low[0] * unit), y = grid->nd > 1 ? whole(box->low[1] * unit) : 0;
    int64_t z = grid->nd > 2 ? whole(box->low[2] * unit) : 0;
    for (int64_t k = y - 1; k <= y + 1; k++)
      brink_fetch(&grid->bucket[(row_of(size, k, z) + (uint64_t)x) & grid->mask], 1);
  }
}

/* ---- who is near ---- */

/* Without a branch on the way, which nobody could foresee. */
bool brink_box_touches(const brink_box *a, const brink_box *b, int ndimensions) {
  unsigned apart = 0;
  for (int d = 0; d < ndimensions; d++)
    apart |= (unsigned)(a->low[d] > b->high[d]) | (unsigned)(b->low[d] > a->high[d]);
  return apart == 0;
}

static void sort(uint32_t *list, size_t count) {
  if (count < 2) return;
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

/* First agents of buckets that are to be looked at: they are found first, so that memory can fetch them all at once. */
typedef struct found {
  uint32_t agent;
  int size;
  int64_t x, y, z; /* the cell */
} found;

#define TOGETHER 32

static bool is_in(const brink_grid *grid, const brink_box *box, const found *f) {
  double unit = cells_per_unit(grid, f->size);
  return whole(box->low[0] * unit) == f->x && (grid->nd < 2 || whole(box->low[1] * unit) == f->y) &&
         (grid->nd < 3 || whole(box->low[2] * unit) == f->z);
}

/* A look around: the box, whose it is, and what comes of it. */
typedef struct view {
  const brink_grid *grid;
  brink_grid_reader *reader;
  const brink_box *box;
  uint32_t agent;
  int count;
  found found[TOGETHER];
} view;

static bool is_near(const view *v, uint32_t other, const place *p, int size) {
  return p->size == size && brink_box_touches(v->box, &p->box, v->grid->nd) && other != v->agent;
}

static void note(view *v, uint32_t other) {
  v->reader->list[v->reader->count++] = other;
}

static void look_at_found(view *v) {
  const brink_grid *grid = v->grid;
  for (int k = 0; k < v->count; k++) {
    const found *f = &v->found[k];
    const place *p;
    for (uint32_t other = f->agent; other != NONE; other = p->next) {
      p = &grid->places[other];
      /* Cells that share the bucket are looked at by themselves. */
      if (is_near(v, other, p, f->size) && is_in(grid, &p->box, f)) note(v, other);
    }
  }
  v->count = 0;
}

/* Which cells of a size may hold boxes that touch this one, in each direction. */
typedef struct cell_range {
  int64_t first[3], last[3];
} cell_range;

static void look_in_cells(view *v, int size, const cell_range *range) {
  const brink_grid *grid = v->grid;
  for (int64_t z = range->first[2]; z <= range->last[2]; z++) {
    for (int64_t y = range->first[1]; y <= range->last[1]; y++) {
      uint64_t row = row_of(size, y, z);
      for (int64_t x = range->first[0]; x <= range->last[0]; x++) {
        uint32_t first = grid->bucket[(row + (uint64_t)x) & grid->mask];
        if (first == NONE) continue;
        if (v->count == TOGETHER) look_at_found(v);
        v->found[v->count++] = (found){.agent = first, .size = size, .x = x, .y = y, .z = z};
        brink_fetch(&grid->places[first], 1);
      }
    }
  }
}

static void look_at_size(view *v, int size) {
  const brink_grid *grid = v->grid;
  cell_range range = {{0}, {0}};
  double unit = cells_per_unit(grid, size), cells = 1.0;
  for (int d = 0; d < grid->nd; d++) {
    range.first[d] = whole(v->box->low[d] * unit) - 1;
    range.last[d] = whole(v->box->high[d] * unit);
    cells *= (double)range.last[d] - (double)range.first[d] + 1.0;
  }
  if (size != BOUNDLESS && cells <= 2.0 * (double)grid->population[size]) {
    look_in_cells(v, size, &range);
    return;
  }
  for (uint32_t other = grid->of_size[size]; other != NONE; other = grid->peers[other].next) {
    if (is_near(v, other, &grid->places[other], size)) note(v, other);
  }
}

bool brink_grid_reader_create(const brink_grid *grid, brink_grid_reader *reader) {
  *reader = (brink_grid_reader){.room = grid->n};
  reader->list = brink_allocate(&grid->allocator, reader->room, sizeof *reader->list);
  return reader->list != NULL;
}

void brink_grid_reader_destroy(const brink_grid *grid, brink_grid_reader *reader) {
  brink_release(&grid->allocator, reader->list, reader->room, sizeof *reader->list);
  reader->list = NULL;
}

size_t brink_grid_meet(const brink_grid *grid, brink_grid_reader *reader, uint32_t agent,
                       const brink_box *box) {
  view v;
  v.grid = grid;
  v.reader = reader;
  v.box = box;
  v.agent = agent;
  v.count = 0;
  reader->count = 0;
  for (int size = grid->low; size <= grid->high; size++) {
    if (grid->population[size] > 0) look_at_size(&v, size);
  }
  look_at_found(&v);
  sort(reader->list, reader->count);
  return reader->count;
}
