/* emit_series.h: what emit_series.c (instructions) and emit_flow.c (functions) share. Nothing else includes
 * this. */
#ifndef BRINK_NATIVE_EMIT_SERIES_H
#define BRINK_NATIVE_EMIT_SERIES_H

#include "native/emit.h"
#include "native/series_run.h"

/* Where a variable comes from, where all is written out. */
typedef struct series_origin {
  uint32_t kernel, iteration, reg;
  bool sum; /* of many: it has a name of its own */
} series_origin;

/* One program while it is written. */
typedef struct series_writer {
  emitter *e;
  brink_text *to;
  const brink_series_program *series;
  size_t kernel, iteration; /* part of the names */
  bool written_out;         /* coefficients are variables; else rows in memory */
  bool unrolled;            /* rows in memory, and sums written out for one k */
  bool guard;               /* variables and derivatives have values, but no known series */
  bool
      lanes; /* written out for several runs at once: every number is a vector of them (emit_lanes.c) */
  const brink_flow *flow;
  const series_origin *origins; /* of the slots of V, where the solution is written out */
  /* Blocks of iterations (emit_blocks.c): coefficients of the round at hand are variables, … */
  bool block;
  int round;
  const uint32_t *stored; /* … those before are in the memory of the block, from here on */
} series_writer;

/* How the k of a round is written, and what it is: negative in loops. */
typedef struct series_place {
  const char *text;
  int number;
} series_place;

/* The slot of a ref; in loops over iterations, of iteration i. */
void emit_series_slot(series_writer *w, const brink_ref *ref);

/* The row of a register, in loops; coefficient 0; coefficient k > 0, or a zero where that is known. */
void emit_series_row(series_writer *w, uint32_t reg);
void emit_series_lead(series_writer *w, uint32_t reg);
void emit_series_coefficient(series_writer *w, uint32_t reg, series_place k);

/* Instructions from … to - 1 in round k. */
void emit_series_round(series_writer *w, series_place k, size_t from, size_t to);

/* All instructions in round k, in a block. */
void emit_series_block_round(series_writer *w, series_place k);

/* A pointer to the row of a register of iteration i: one that is given, or, in loops, one in memory. */
void emit_series_point(series_writer *w, size_t reg);

/* All rounds of the solution's series up to `order`, written out. False: out of memory. */
bool emit_flow_rounds(series_writer *w, int order);

/* emit_lanes.c: the solution's series of several runs at once, after it has been found to be small enough to be written
 * out; do all its operations exist there? */
bool emit_lanes_possible(const brink_flow *flow);
void emit_flow_lanes(emitter *e, const brink_flow *flow, int order);

/* emit_blocks.c: the solution's series with the iterations of each kernel side by side; false: that is not possible, or too
 * long. */
bool emit_flow_blocks(emitter *e, const brink_flow *flow, int order);
/* Where a lane of a block, or an iteration, is read. */
void emit_series_element(series_writer *w, const char *array, const brink_ref *ref);
/* Has the instruction a form for vectors? */
bool emit_series_has_lanes(const brink_series_instruction *i);

/* Products in round k. */
size_t emit_series_products(const brink_series_program *series, int k);

#endif
