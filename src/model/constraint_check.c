/* constraint_check.c: what a structure says about itself, looked at when it is first met.
 *
 * Everything later indexes arrays by it: components, rows, blocks. One pass over its pattern, so that a wrong definition
 * is refused in words. HSML's own structures pass here, too. */
#include <stdio.h>
#include <string.h>

#include "model/constraint.h"

typedef struct check {
  const brink_structure *of;
  size_t ns, nz, nx;
  size_t *block_of; /* nz: of each unknown */
  size_t *last;     /* rows: the last column, plus one, that had an entry in this row */
  char *text;
} check;

#define WRONG(...)                                                                                 \
  return snprintf(c->text, BRINK_DIAG_MESSAGE,                                                     \
                  "the structure of the constraints is wrong: " __VA_ARGS__),                      \
         false

static bool check_room(const check *c, const brink_constraints_def *def) {
  const brink_structure *of = c->of;
  if (of->unknown == NULL || of->block == NULL || of->pattern.starts == NULL ||
      of->pattern.rows == NULL)
    WRONG("unknown, block, pattern.starts and pattern.rows must not be NULL");
  if (of->nh > c->ns) WRONG("nh is %zu, but there are %zu states", of->nh, c->ns);
  if (of->nh > def->most_invariants)
    WRONG("nh is %zu, but most_invariants is %zu", of->nh, def->most_invariants);
  return true;
}

/* Each unknown is determined by one row, and each row is in one block. */
static bool check_blocks(const check *c, const brink_constraints_def *def) {
  const brink_structure *of = c->of;
  size_t factors = 0;
  if (of->nblocks == 0 || of->nblocks > c->nz)
    WRONG("nblocks is %zu: give 1 to nz = %zu", of->nblocks, c->nz);
  if (of->block[0] != 0 || of->block[of->nblocks] != c->nz)
    WRONG("blocks are rows %zu to %zu: begin with 0, end with nz = %zu", of->block[0],
          of->block[of->nblocks], c->nz);
  for (size_t b = 0; b < of->nblocks; b++) {
    if (of->block[b] >= of->block[b + 1])
      WRONG("block[%zu] is %zu and block[%zu] is %zu: they must increase", b, of->block[b], b + 1,
            of->block[b + 1]);
    size_t rows = of->block[b + 1] - of->block[b];
    factors += rows * rows;
  }
  if (factors > def->most_factors)
    WRONG("its blocks need %zu factors, but most_factors is %zu", factors, def->most_factors);
  for (size_t k = 0; k < c->nz; k++) c->block_of[k] = BRINK_NONE;
  for (size_t b = 0; b < of->nblocks; b++) {
    for (size_t i = of->block[b]; i < of->block[b + 1]; i++) {
      size_t u = of->unknown[i];
      if (u < c->ns || u >= c->nx)
        WRONG("unknown[%zu] is %zu: unknowns are components %zu to %zu", i, u, c->ns, c->nx - 1);
      if (c->block_of[u - c->ns] != BRINK_NONE)
        WRONG("unknown[%zu] is %zu, which another row determines", i, u);
      c->block_of[u - c->ns] = b;
    }
  }
  return true;
}

/* Rows in range, each once in a column; unknowns of later blocks are not read. */
static bool check_column(const check *c, size_t j) {
  const brink_structure *of = c->of;
  bool is_unknown = j >= c->ns && j < c->nx;
  for (size_t e = of->pattern.starts[j]; e < of->pattern.starts[j + 1]; e++) {
    size_t row = of->pattern.rows[e];
    if (row >= c->nz + of->nh)
      WRONG("pattern.rows[%zu] is %zu, but there are %zu rows", e, row, c->nz + of->nh);
    if (c->last[row] == j + 1) WRONG("row %zu is twice in column %zu of the pattern", row, j);
    c->last[row] = j + 1;
    if (is_unknown && row < of->block[c->block_of[j - c->ns]])
      WRONG("row %zu reads component %zu, an unknown of a later block: solve them together, or "
            "order the blocks",
            row, j);
  }
  return true;
}

static bool check_pattern(const check *c, const brink_constraints_def *def) {
  const size_t *starts = c->of->pattern.starts;
  if (starts[0] != 0) WRONG("pattern.starts begins with %zu: it must be 0", starts[0]);
  for (size_t j = 0; j <= c->nx; j++) {
    if (starts[j] > starts[j + 1])
      WRONG("pattern.starts decreases at column %zu; it has nx + 2 = %zu numbers", j, c->nx + 2);
    if (starts[j + 1] > def->most_entries)
      WRONG("its pattern has %zu or more entries, but most_entries is %zu", starts[j + 1],
            def->most_entries);
  }
  memset(c->last, 0, (c->nz + c->of->nh) * sizeof *c->last);
  for (size_t j = 0; j <= c->nx; j++) {
    if (!check_column(c, j)) return false;
  }
  return true;
}

static bool check_names(const check *c) {
  const brink_structure *of = c->of;
  for (size_t i = 0; of->order != NULL && i < c->nz + of->nh; i++) {
    if (of->order[i] < 0) WRONG("order[%zu] is %d", i, of->order[i]);
  }
  if (of->ngroups == 0 || of->group == NULL || of->tied == NULL) return true;
  for (size_t g = 0; g < of->ngroups; g++) {
    if (of->group[g] > of->group[g + 1]) WRONG("group decreases at %zu", g);
  }
  if (of->group[0] != 0 || of->group[of->ngroups] > c->nx)
    WRONG("group begins with %zu and ends with %zu: begin with 0, end with at most nx = %zu",
          of->group[0], of->group[of->ngroups], c->nx);
  for (size_t k = 0; k < of->group[of->ngroups]; k++) {
    if (of->tied[k] >= c->nx) WRONG("tied[%zu] is %zu, but nx is %zu", k, of->tied[k], c->nx);
  }
  return true;
}

bool brink_constraint_check(brink_eval *eval, const brink_structure *structure, char *text) {
  struct brink_solver *s = eval->solver;
  const brink_constraints_def *def = eval->model->def.constraints;
  const size_t ring = sizeof s->checked / sizeof *s->checked;
  for (size_t k = 0; k < ring; k++) {
    if (s->checked[k] == structure) return true;
  }
  check c = {.of = structure,
             .ns = s->ns,
             .nz = s->nz,
             .nx = eval->nx,
             .block_of = s->pivots,
             .last = s->columns,
             .text = text};
  if (!check_room(&c, def) || !check_blocks(&c, def) || !check_pattern(&c, def) || !check_names(&c))
    return false;
  s->checked[s->nchecked++ % ring] = structure;
  return true;
}
