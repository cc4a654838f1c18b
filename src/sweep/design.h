/* design.h: which values the knobs have in each run. Every run by its number alone: nothing is kept of the others. */
#ifndef BRINK_SWEEP_DESIGN_H
#define BRINK_SWEEP_DESIGN_H

#include "sweep/sobol.h"
#include "sweep/vary.h"

typedef enum brink_design_kind {
  BRINK_DESIGN_GRID,   /* all combinations; the last knob varies fastest */
  BRINK_DESIGN_RANDOM, /* independent draws */
  BRINK_DESIGN_LHS, /* Latin hypercube: each knob has one value in each of `samples` parts of equal probability */
  BRINK_DESIGN_SOBOL, /* scrambled Sobol' points */
  BRINK_DESIGN_TABLE, /* the rows of a file */
} brink_design_kind;

/* What is asked for. */
typedef struct brink_design_wish {
  const char *const *vary; /* "k=1:10:100", … */
  size_t nvary;
  const char *
      design; /* "grid", "random", "lhs", "sobol", or a file of knobs; NULL: as the words of `vary` want it */
  uint64_t samples; /* 0: not given */
  uint64_t seed;
  bool indices; /* for Sobol' indices: each sample gives 2 + nknobs runs */
} brink_design_wish;

typedef struct brink_design {
  brink_design_kind kind;
  brink_vary *knobs; /* of a table: a list for each column */
  size_t nknobs;
  uint64_t runs, samples, seed;
  bool indices;
  size_t dimensions; /* of a sample: nknobs, or twice as many */
  brink_sobol sobol;
} brink_design;

/* In the arena. Statuses: OK; ARGUMENT: the words are wrong, or do not go together; FILE: the table cannot be read; MEMORY. */
brink_status brink_design_make(brink_design *design, brink_arena *arena,
                               const brink_design_wish *wish, brink_diag *diag);

/* The knobs of a run, from 0; nknobs values. */
void brink_design_at(const brink_design *design, uint64_t run, brink_vary_value *values);

const char *brink_design_name(brink_design_kind kind);

/* knob_table.c: a list for each column of a file. */
brink_status brink_knob_table_read(brink_arena *arena, const char *path, brink_vary **knobs,
                                   size_t *nknobs, brink_diag *diag);

#endif
