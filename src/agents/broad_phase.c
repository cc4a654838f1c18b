/* broad_phase.c: which agents come close enough for their guards to be searched: a hash grid of bounding boxes.
 *
 * Every box is stored in one cell, that of its lowest corner. The cells of a box are at least as large as the box: a
 * common size times a power of two (a hierarchical grid). So a box reaches at most into the next cell in each direction.
 * All levels share one hash table, by level and position of the cell; cells that are neighbours in the first direction are
 * neighbours in the table. Two cells with the same hash cost some comparisons of boxes, and what is found twice is sorted out. A query visits the
 * cells around its box on every level that is in use, or all boxes of a level, if these are fewer than the cells. So
 * slow agents in a crowd are in small cells, fast ones in large cells, wherever they are in space. */
#include "agents/parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NONE UINT32_MAX
#define SIZES 64
#define BOUNDLESS (SIZES - 1) /* the size of boxes that fit no cell */
#define SMALL_ENOUGH 0x1p60   /* smallest cells in a box: larger ones are BOUNDLESS */
#define USUAL 1.25            /* times the average width of a box: the smallest cells */
#define SHORT 24              /* lists that are sorted by insertion */
#define MISFIT 1.3 /* cells that are too large or too small by this factor are replaced */

/* A box in its cell: a cache line. */
typedef struct entry {
  brink_box box;
  uint32_t next, previous; /* others of the same bucket; NONE */
  uint32_t bucket;
  int16_t size; /* of the cell: 2^size times the smallest; -1: not in the grid */
} entry;

/* List of the agents whose boxes are in cells of the same size. */
typedef struct size_links {
  uint32_t next, previous;
} size_links;

struct brink_grid {
  size_t n, mask;
  int nd;
  entry *entries;          /* of each agent: a cache line each */
  size_links *links;       /* of each agent */
  uint32_t *bucket;        /* the first agent in each */
  uint32_t *first_of_size; /* first agent of each size */
  uint32_t *count_of_size; /* agents of each size */
  int low, high;           /* smallest and largest size in use so far */
  double per_unit;         /* smallest cells in a unit of length */
  double sum;              /* of the widths of boxes since the last adaptation, … */
  size_t count;            /* … and their number */
};

brink_grid *brink_grid_create(size_t n, int nd, brink_arena *arena) {
  size_t buckets = 16;
  while (buckets < 2 * n) buckets *= 2;
  brink_grid made = {.n = n, .mask = buckets - 1, .nd = nd};
  brink_grid *grid = brink_arena_take(arena, 1, sizeof *grid);
  made.entries = brink_arena_take(arena, n, sizeof *made.entries);
  made.links = brink_arena_take(arena, n, sizeof *made.links);
  made.bucket = brink_arena_take(arena, buckets, sizeof *made.bucket);
  made.first_of_size = brink_arena_take(arena, SIZES, sizeof *made.first_of_size);
  made.count_of_size = brink_arena_take(arena, SIZES, sizeof *made.count_of_size);
  if (arena->failed) return NULL;
  *grid = made;
  brink_grid_clear(grid);
  return grid;
}

void brink_grid_clear(brink_grid *grid) {
  grid->per_unit = 1.0;
  grid->low = SIZES;
  grid->high = -1;
  grid->sum = 0.0;
  grid->count = 0;
  for (size_t k = 0; k < grid->n; k++) grid->entries[k].size = -1;
  memset(grid->bucket, 0xff, (grid->mask + 1) * sizeof *grid->bucket);
  memset(grid->first_of_size, 0xff, SIZES * sizeof *grid->first_of_size);
  memset(grid->count_of_size, 0, SIZES * sizeof *grid->count_of_size);
}

void brink_grid_copy(brink_grid *to, const brink_grid *from) {
  to->per_unit = from->per_unit;
  to->low = from->low;
  to->high = from->high;
  to->sum = from->sum;
  to->count = from->count;
  memcpy(to->entries, from->entries, from->n * sizeof *to->entries);
  memcpy(to->links, from->links, from->n * sizeof *to->links);
  memcpy(to->bucket, from->bucket, (from->mask + 1) * sizeof *to->bucket);
  memcpy(to->first_of_size, from->first_of_size, SIZES * sizeof *to->first_of_size);
  memcpy(to->count_of_size, from->count_of_size, SIZES * sizeof *to->count_of_size);
}

static void place(brink_grid *grid, uint32_t agent, int size);
static int size_for(const brink_grid *grid, const brink_box *box);

/* Boxes: cells and lists follow from them. */
void brink_grid_archive(brink_grid *grid, brink_archive *a) {
  brink_archive_mark(a, "grid");
  if (a->reads) brink_grid_clear(grid);
  brink_archive_double(a, &grid->per_unit);
  for (uint32_t k = 0; k < grid->n && !a->failed; k++) {
    entry *p = &grid->entries[k];
    bool there = p->size >= 0;
    brink_archive_bool(a, &there);
    if (!there) continue;
    brink_archive_doubles(a, p->box.low, 3);
    brink_archive_doubles(a, p->box.high, 3);
    if (a->reads && !a->failed) place(grid, k, size_for(grid, &p->box));
  }
  brink_archive_double(a, &grid->sum);
  brink_archive_count(a, &grid->count, SIZE_MAX / 4);
}

size_t brink_grid_bytes(const brink_grid *grid) {
  return grid->n * (sizeof *grid->entries + sizeof *grid->links) +
         (grid->mask + 1) * sizeof *grid->bucket;
}

/* ---- cells ---- */

/* floor(x), clamped for huge numbers, without a call of a function. */
static int64_t floor_to_int(double x) {
  if (!(x > -4e18)) return INT64_MIN / 2;
  if (!(x < 4e18)) return INT64_MAX / 2;
  int64_t k = (int64_t)x;
  return k - ((double)k > x ? 1 : 0);
}

/* Hash of a row of cells: cells of a row are neighbours in the table. */
static uint64_t row_of(int size, int64_t y, int64_t z) {
  uint64_t h = (uint64_t)size * 0x9e3779b97f4a7c15u;
  h = (h ^ (uint64_t)y) * 0xbf58476d1ce4e5b9u;
  h = ((h ^ (h >> 32)) ^ (uint64_t)z) * 0x94d049bb133111ebu;
  return h ^ (h >> 30);
}

/* Cells of a size per unit of length. */
static double cells_per_unit(const brink_grid *grid, int size) {
  uint64_t bits = (uint64_t)(1023 - size) << 52; /* 2^-size */
  double power;
  memcpy(&power, &bits, sizeof power);
  return power * grid->per_unit;
}

/* The size of the cell for a box, such that the box reaches at most into the next cell in spite of rounding. Small
 * boxes share the smallest cells: fewer sizes in use, fewer cells for a query to visit. */
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
  int64_t x = floor_to_int(box->low[0] * unit),
          y = grid->nd > 1 ? floor_to_int(box->low[1] * unit) : 0;
  int64_t z = grid->nd > 2 ? floor_to_int(box->low[2] * unit) : 0;
  return (uint32_t)((row_of(size, y, z) + (uint64_t)x) & grid->mask);
}

/* ---- insertion and removal ---- */

static void leave_cell(brink_grid *grid, const entry *p) {
  if (p->previous != NONE)
    grid->entries[p->previous].next = p->next;
  else
    grid->bucket[p->bucket] = p->next;
  if (p->next != NONE) grid->entries[p->next].previous = p->previous;
}

static void enter_cell(brink_grid *grid, uint32_t agent, entry *p, uint32_t bucket) {
  uint32_t first = grid->bucket[bucket];
  p->bucket = bucket;
  p->previous = NONE;
  p->next = first;
  if (first != NONE) grid->entries[first].previous = agent;
  grid->bucket[bucket] = agent;
}

static void leave_size_list(brink_grid *grid, uint32_t agent, int size) {
  size_links own = grid->links[agent];
  if (own.previous != NONE)
    grid->links[own.previous].next = own.next;
  else
    grid->first_of_size[size] = own.next;
  if (own.next != NONE) grid->links[own.next].previous = own.previous;
  grid->count_of_size[size]--;
}

static void join_size_list(brink_grid *grid, uint32_t agent, int size) {
  uint32_t first = grid->first_of_size[size];
  grid->links[agent] = (size_links){.next = first, .previous = NONE};
  if (first != NONE) grid->links[first].previous = agent;
  grid->first_of_size[size] = agent;
  grid->count_of_size[size]++;
  if (size < grid->low) grid->low = size;
  if (size > grid->high) grid->high = size;
}

const brink_box *brink_grid_box(const brink_grid *grid, uint32_t agent) {
  return &grid->entries[agent].box;
}

/* Moves the agent to the list of its size and to its cell. */
static void place(brink_grid *grid, uint32_t agent, int size) {
  entry *p = &grid->entries[agent];
  int before = p->size;
  uint32_t bucket = bucket_of(grid, &p->box, size);
  p->size = (int16_t)size;
  if (before != size) {
    if (before >= 0) leave_size_list(grid, agent, before);
    join_size_list(grid, agent, size);
  }
  if (before >= 0 && p->bucket == bucket) return;
  if (before >= 0) leave_cell(grid, p);
  enter_cell(grid, agent, p, bucket);
}

/* Chooses a new cell size, if cells do not fit the boxes since the last call, and rebuilds the table. */
static void adapt(brink_grid *grid) {
  double average = grid->sum / (double)grid->count;
  grid->sum = 0.0;
  grid->count = 0;
  double fit = average * USUAL * grid->per_unit; /* 1: cells fit */
  if (!(average > 0.0) || !isfinite(1.0 / average) || !isfinite(average) ||
      (fit > 1.0 / MISFIT && fit < MISFIT))
    return;
  grid->per_unit = 1.0 / (USUAL * average);
  for (uint32_t k = 0; k < grid->n; k++) {
    if (grid->entries[k].size >= 0) place(grid, k, size_for(grid, &grid->entries[k].box));
  }
}

void brink_grid_update(brink_grid *grid, uint32_t agent, const brink_box *box) {
  double largest = 0.0;
  for (int d = 0; d < grid->nd; d++) largest = fmax(largest, box->high[d] - box->low[d]);
  if (isfinite(largest)) grid->sum += largest;
  if (++grid->count >= grid->n) adapt(grid);
  grid->entries[agent].box = *box;
  place(grid, agent, size_for(grid, box));
}

void brink_grid_remove(brink_grid *grid, uint32_t agent) {
  entry *p = &grid->entries[agent];
  if (p->size < 0) return;
  leave_size_list(grid, agent, p->size);
  leave_cell(grid, p);
  p->size = -1;
}

void brink_grid_prefetch(const brink_grid *grid, uint32_t agent) {
  brink_prefetch(&grid->entries[agent], 1);
}

void brink_grid_prefetch_around(const brink_grid *grid, uint32_t agent) {
  const brink_box *box = &grid->entries[agent].box;
  for (int size = grid->low; size <= grid->high; size++) {
    if (grid->count_of_size[size] == 0 || size == BOUNDLESS) continue;
    double unit = cells_per_unit(grid, size);
    int64_t x = floor_to_int(box->low[0] * unit),
            y = grid->nd > 1 ? floor_to_int(box->low[1] * unit) : 0;
    int64_t z = grid->nd > 2 ? floor_to_int(box->low[2] * unit) : 0;
    for (int64_t k = y - 1; k <= y + 1; k++)
      brink_prefetch(&grid->bucket[(row_of(size, k, z) + (uint64_t)x) & grid->mask], 1);
  }
}

/* ---- queries ---- */

/* Without branches: they could not be predicted. */
static unsigned apart_in(const brink_box *a, const brink_box *b, int d) {
  return (unsigned)(a->low[d] > b->high[d]) | (unsigned)(b->low[d] > a->high[d]);
}

bool brink_box_touches(const brink_box *a, const brink_box *b, int ndimensions) {
  unsigned apart = apart_in(a, b, 0);
  if (ndimensions > 1) apart |= apart_in(a, b, 1);
  if (ndimensions > 2) apart |= apart_in(a, b, 2);
  return apart == 0;
}

/* Shell sort; most lists are short. */
static void sort(uint32_t *list, size_t count) {
  static const size_t gaps[] = {16384, 4096, 1024, 301, 70, 20, 5, 1};
  size_t g = 0, last = sizeof gaps / sizeof *gaps - 1;
  while (g < last && gaps[g] >= count) g++;
  if (count <= SHORT) g = last;
  for (; g <= last; g++) {
    size_t gap = gaps[g];
    for (size_t k = gap; k < count; k++) {
      uint32_t item = list[k];
      size_t j = k;
      for (; j >= gap && list[j - gap] > item; j -= gap) list[j] = list[j - gap];
      list[j] = item;
    }
  }
}

/* Takes out of a sorted list what is there twice. */
static size_t keep_once(uint32_t *list, size_t count) {
  size_t kept = 0;
  for (size_t k = 0; k < count; k++) {
    if (kept == 0 || list[kept - 1] != list[k]) list[kept++] = list[k];
  }
  return kept;
}

#define PREFETCHED                                                                                 \
  32 /* first agents of cells, collected so that their memory is prefetched together */

/* A query: its box, its agent, its results. */
typedef struct query {
  const brink_grid *grid;
  brink_grid_results *results;
  const brink_box *box;
  uint32_t agent;
  int count;
  uint32_t heads[PREFETCHED];
} query;

/* Room for all agents is room enough once each is there once. */
static size_t compact(uint32_t *list, size_t count) {
  sort(list, count);
  return keep_once(list, count);
}

/* Adds an agent to the list of so many, if its box touches; returns how many there are then. */
static size_t add_touching(const query *q, uint32_t other, uint32_t *list, size_t count) {
  const brink_grid *grid = q->grid;
  if (!brink_box_touches(q->box, &grid->entries[other].box, grid->nd) || other == q->agent)
    return count;
  if (count == grid->n) count = compact(list, count);
  list[count++] = other;
  return count;
}

/* A bucket may hold boxes of other cells, too. They touch, or not, like all others; those that are found twice are sorted
 * out in the end. */
static void visit_heads(query *q) {
  const brink_grid *grid = q->grid;
  size_t count = q->results->count;
  for (int k = 0; k < q->count; k++) {
    for (uint32_t other = q->heads[k]; other != NONE; other = grid->entries[other].next)
      count = add_touching(q, other, q->results->list, count);
  }
  q->results->count = count;
  q->count = 0;
}

/* Cells of a size that may hold boxes that touch this one, in each direction. */
typedef struct cell_range {
  int64_t first[3], last[3];
} cell_range;

static void visit_cells(query *q, int size, const cell_range *range) {
  const brink_grid *grid = q->grid;
  for (int64_t z = range->first[2]; z <= range->last[2]; z++) {
    for (int64_t y = range->first[1]; y <= range->last[1]; y++) {
      uint64_t row = row_of(size, y, z);
      for (int64_t x = range->first[0]; x <= range->last[0]; x++) {
        uint32_t first = grid->bucket[(row + (uint64_t)x) & grid->mask];
        if (first == NONE) continue;
        if (q->count == PREFETCHED) visit_heads(q);
        q->heads[q->count++] = first;
        brink_prefetch(&grid->entries[first], 1);
      }
    }
  }
}

static void visit_size(query *q, int size) {
  const brink_grid *grid = q->grid;
  cell_range range = {{0}, {0}};
  double unit = cells_per_unit(grid, size), cells = 1.0;
  for (int d = 0; d < grid->nd; d++) {
    range.first[d] = floor_to_int(q->box->low[d] * unit) - 1;
    range.last[d] = floor_to_int(q->box->high[d] * unit);
    cells *= (double)range.last[d] - (double)range.first[d] + 1.0;
  }
  if (size != BOUNDLESS && cells <= 2.0 * (double)grid->count_of_size[size]) {
    visit_cells(q, size, &range);
    return;
  }
  size_t count = q->results->count;
  for (uint32_t other = grid->first_of_size[size]; other != NONE; other = grid->links[other].next)
    count = add_touching(q, other, q->results->list, count);
  q->results->count = count;
}

size_t brink_grid_query(const brink_grid *grid, brink_grid_results *results, uint32_t agent,
                        const brink_box *box) {
  query q;
  q.grid = grid;
  q.results = results;
  q.box = box;
  q.agent = agent;
  q.count = 0;
  results->count = 0;
  for (int size = grid->low; size <= grid->high; size++) {
    if (grid->count_of_size[size] > 0) visit_size(&q, size);
  }
  visit_heads(&q);
  results->count = compact(results->list, results->count);
  return results->count;
}
