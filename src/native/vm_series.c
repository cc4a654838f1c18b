/* vm_series.c: series programs, interpreted (see expr/series_program.h).
 *
 * Register r of iteration i is a row of `length` coefficients; states and variables are read where
 * they are. Machine code (emit_series.c) does the same operations in the same order. */
#include "num/series_rules.h"

#include <string.h>

#include "native/series_run.h"
#include "native/vm.h"

/* The series that are known from outside, and where a kernel's registers are. */
typedef struct series_run {
  const brink_series_program *series;
  const brink_frame *frame;
  const double *t;        /* of time */
  const double *const *x; /* of the states */
  const double *v;        /* of the variables, `length` apart; NULL: they have none */
  double unit;            /* of s, in time: derivatives are taken with respect to time */
  size_t length, iteration;
  double *r; /* registers of this iteration */
} series_run;

static const double *row(const series_run *run, uint32_t reg) {
  const brink_series_instruction *i = &run->series->instructions[reg];
  if (i->rule == BRINK_RULE_TIME) return run->t;
  if (i->rule == BRINK_RULE_REF) {
    const brink_ref *ref = &run->series->kernel->graph.refs[i->a];
    size_t slot = brink_ref_slot(ref, run->iteration);
    if (ref->space == BRINK_SPACE_X) return run->x[slot];
    if (ref->space == BRINK_SPACE_V && run->v != NULL) return run->v + slot * run->length;
  }
  return run->r + reg * run->length;
}

static double lead_of(const series_run *run, uint32_t reg) {
  return reg == BRINK_NO_INDEX ? 0.0 : row(run, reg)[0];
}

/* A derivative that is read: (k + 1) x_{k+1}, in time. */
static double slope(const series_run *run, const brink_ref *ref, int k) {
  if (run->v == NULL) return k == 0 ? vm_read(run->frame, ref, run->iteration) : (double)NAN;
  return (k + 1) * run->x[brink_ref_slot(ref, run->iteration)][k + 1] / run->unit;
}

/* Coefficient 0. */
static double lead(const series_run *run, const brink_series_instruction *i) {
  if (i->op == BRINK_OP_CONST) return i->value;
  if (i->op == BRINK_OP_REF) {
    const brink_ref *ref = &run->series->kernel->graph.refs[i->a];
    if (ref->space == BRINK_SPACE_DX) return slope(run, ref, 0);
    if (ref->space == BRINK_SPACE_V && run->v != NULL)
      return run->v[brink_ref_slot(ref, run->iteration) * run->length];
    if (ref->space == BRINK_SPACE_X) return run->x[brink_ref_slot(ref, run->iteration)][0];
    return vm_read(run->frame, ref, run->iteration);
  }
  double x = lead_of(run, i->x), y = lead_of(run, i->y);
  if (i->secant) return 1.0 / (cosh(x) * cosh(x));
  if (i->op == BRINK_OP_RANDOM) return brink_random(run->frame->seed, x, y);
  if (brink_op_reads_array(i->op)) {
    const brink_series_program *series = run->series;
    const brink_ref *array = &series->kernel->graph.refs[series->instructions[i->y].a];
    return vm_array((brink_op)i->op, run->frame, array, run->iteration, x);
  }
  return brink_op_apply((brink_op)i->op, x, y, lead_of(run, i->z));
}

/* Coefficient k > 0. */
static double follow(const series_run *run, const brink_series_instruction *i, int k,
                     const double *out) {
  const brink_series_instruction *all = run->series->instructions;
  if (i->rule == BRINK_RULE_REF) return slope(run, &run->series->kernel->graph.refs[i->a], k);
  const double *a = row(run, i->a), *b = i->b == BRINK_NO_INDEX ? NULL : row(run, i->b);
  switch (i->rule) {
  case BRINK_RULE_ADD:
    if (k > all[i->a].degree) return b[k];
    return k > all[i->b].degree ? a[k] : a[k] + b[k];
  case BRINK_RULE_SUB:
    if (k > all[i->a].degree) return -b[k];
    return k > all[i->b].degree ? a[k] : a[k] - b[k];
  case BRINK_RULE_NEG:
    return -a[k];
  case BRINK_RULE_SCALE:
    return a[0] * b[k];
  case BRINK_RULE_SHRINK:
    return a[k] * (1.0 / b[0]);
  case BRINK_RULE_MUL:
    return series_mul(k, all[i->a].degree, all[i->b].degree, a, b);
  case BRINK_RULE_SQUARE:
    return series_pairs(k, 0, all[i->a].degree, a);
  case BRINK_RULE_DIV:
    return series_div(k, all[i->b].degree, a[k], b, out);
  case BRINK_RULE_INDEX:
    return k * a[k];
  case BRINK_RULE_INTEGRAL:
    return series_over(k, a[k]);
  case BRINK_RULE_CHAIN:
    return series_chain(k, all[i->a].degree, a, b);
  case BRINK_RULE_CHAIN_MINUS:
    return -series_chain(k, all[i->a].degree, a, b);
  case BRINK_RULE_SQRT:
    return series_sqrt(k, a[k], out);
  case BRINK_RULE_POWER:
    return series_power(k, all[i->a].degree, b[0], a, out);
  case BRINK_RULE_ABS:
    return series_abs(k, a);
  case BRINK_RULE_MIN:
    return series_least(k, 1.0, a, b);
  case BRINK_RULE_MAX:
    return series_least(k, -1.0, a, b);
  default: /* SELECT */
    return a[0] != 0.0 ? b[k] : row(run, i->c)[k];
  }
}

/* Is the register a row of its own (and not one that is given)? */
static bool is_own(const series_run *run, const brink_series_instruction *i) {
  if (i->rule == BRINK_RULE_TIME) return false;
  if (i->rule != BRINK_RULE_REF) return true;
  brink_space space = run->series->kernel->graph.refs[i->a].space;
  return space == BRINK_SPACE_DX || (space == BRINK_SPACE_V && run->v == NULL);
}

/* Round k of one iteration. Series that have ended stay zero, as the memory was before. */
static void run_round(const series_run *run, int k) {
  const brink_series_program *series = run->series;
  for (size_t n = 0; n < series->count; n++) {
    const brink_series_instruction *i = &series->instructions[n];
    double *out = run->r + n * run->length;
    if (!is_own(run, i)) continue;
    if (k == 0)
      out[0] = lead(run, i);
    else if (k <= i->degree)
      out[k] = follow(run, i, k, out);
  }
}

/* ---- guards ---- */

size_t brink_series_scratch(const brink_series_program *series, int order) {
  return series->count * (size_t)(order + 1);
}

void brink_series_run(const brink_series_program *series, const brink_frame *frame,
                      size_t iteration, int order, const double *t, const double *const *x,
                      double *g, double *scratch) {
  series_run run = {.series = series,
                    .frame = frame,
                    .t = t,
                    .x = x,
                    .unit = 1.0,
                    .length = (size_t)order + 1,
                    .iteration = iteration,
                    .r = scratch};
  memset(scratch, 0, brink_series_scratch(series, order) * sizeof *scratch);
  for (int k = 0; k <= order; k++) run_round(&run, k);
  memcpy(g, row(&run, series->outputs[0].value), run.length * sizeof *g);
}

/* ---- the solution ---- */

brink_flow *brink_flow_make(const brink_program *program, size_t nx, size_t nz, size_t nv,
                            brink_arena *arena) {
  brink_flow *flow = brink_arena_take(arena, 1, sizeof *flow);
  brink_series_program **series = brink_arena_take(arena, program->nkernels, sizeof *series);
  if (arena->failed || !brink_series_find_degrees(program, nx, nz, nv, arena, &flow->degrees))
    return NULL;
  *flow = (brink_flow){.program = program,
                       .series = (const brink_series_program *const *)series,
                       .nx = nx,
                       .nv = nv,
                       .degrees = flow->degrees,
                       .registers = nv + 1};
  for (size_t k = 0; k < program->nkernels; k++) {
    series[k] = brink_series_make(program->kernels[k], &flow->degrees, arena);
    if (series[k] == NULL) return NULL;
    flow->registers += series[k]->count * program->kernels[k]->count;
    flow->kinked = flow->kinked || series[k]->kinked;
    flow->work += 0.5 * (double)(series[k]->multiplications * program->kernels[k]->count);
  }
  for (size_t i = 0; i < nx; i++) {
    int degree = flow->degrees.x[i];
    flow->degree = degree > flow->degree ? degree : flow->degree;
  }
  return flow;
}

int brink_flow_degree(const brink_flow *flow) {
  return flow->degree < BRINK_SERIES_FULL && !flow->kinked ? flow->degree : 0;
}

size_t brink_flow_scratch(const brink_flow *flow, int order) {
  return flow->registers * (size_t)(order + 1);
}

/* Where coefficient k of an output goes; NULL: nowhere. */
static double *place(const series_run *run, size_t output, int k, double *const *rows, double *v) {
  const brink_kernel *kernel = run->series->kernel;
  brink_space space = kernel->outputs[output].target.space;
  size_t slot = vm_target_slot(kernel, output, run->iteration);
  if (space == BRINK_SPACE_DX) return &rows[slot][k + 1];
  return space == BRINK_SPACE_V ? &v[slot * run->length + (size_t)k] : NULL;
}

static void write_outputs(const series_run *run, int k, double *const *rows, double *v) {
  const brink_kernel *kernel = run->series->kernel;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_series_output *output = &run->series->outputs[j];
    double *to = place(run, j, k, rows, v);
    if (to == NULL) continue;
    if (output->when != BRINK_NO_INDEX && row(run, output->when)[0] == 0.0) continue;
    double value = row(run, output->value)[k];
    if (kernel->outputs[j].target.space == BRINK_SPACE_DX)
      value = series_state(k + 1, run->unit, value);
    *to = kernel->accumulate ? *to + value : value;
  }
}

static void clear_outputs(series_run *run, int k, double *const *rows, double *v) {
  const brink_kernel *kernel = run->series->kernel;
  for (run->iteration = 0; run->iteration < kernel->count; run->iteration++) {
    for (size_t j = 0; j < kernel->noutputs; j++) {
      double *to = place(run, j, k, rows, v);
      if (to != NULL) *to = 0.0;
    }
  }
}

/* Coefficient k of the unknowns: the rows are linear in it, so that their values without it tell it. */
static void solve_round(const series_run *run, const brink_flow_constraints *constraints, int k,
                        double *const *rows) {
  const brink_blocks *blocks = constraints->blocks;
  if (k > 0) {
    for (size_t i = 0; i < blocks->n; i++) rows[blocks->unknown[i]][k] = 0.0;
    run_round(run, k);
    for (size_t i = 0; i < blocks->n; i++)
      constraints->column[i] = -row(run, run->series->outputs[i].value)[k];
    brink_blocks_solve(blocks, constraints->values, constraints->column);
    for (size_t i = 0; i < blocks->n; i++) rows[blocks->unknown[i]][k] = constraints->column[i];
  }
  run_round(run, k);
}

/* Multiplications of one coefficient of all unknowns, about. */
static size_t work_of_round(const brink_flow_constraints *constraints, size_t length) {
  const brink_blocks *blocks = constraints->blocks;
  return 2 * constraints->series->count * length +
         brink_blocks_room(blocks->block, blocks->nblocks);
}

void brink_flow_run(const brink_flow *flow, const brink_frame *frame, int order, double unit,
                    double *const *rows, double *scratch,
                    const brink_flow_constraints *constraints) {
  brink_flow_run_within(flow, frame, order, unit, rows, scratch, constraints, NULL);
}

bool brink_flow_run_within(const brink_flow *flow, const brink_frame *frame, int order, double unit,
                           double *const *rows, double *scratch,
                           const brink_flow_constraints *constraints, brink_patience *patience) {
  size_t length = (size_t)order + 1;
  double *v = scratch, *t = v + flow->nv * length, *r = t + length;
  memset(scratch, 0, brink_flow_scratch(flow, order) * sizeof *scratch);
  t[0] = frame->t;
  if (order > 0) t[1] = unit;
  for (size_t i = 0; i < flow->nx; i++) memset(rows[i] + 1, 0, (size_t)order * sizeof *rows[i]);
  series_run unknowns = {
      .frame = frame, .t = t, .x = (const double *const *)rows, .unit = unit, .length = length};
  if (constraints != NULL) {
    unknowns.series = constraints->series;
    unknowns.r = constraints->registers;
    memset(unknowns.r, 0, constraints->series->count * length * sizeof *unknowns.r);
  }
  for (int k = 0; k <= order; k++) {
    double *next = r;
    if (constraints != NULL) {
      if (brink_patience_ends(patience, work_of_round(constraints, length))) return false;
      solve_round(&unknowns, constraints, k, rows);
    }
    if (k == order) break;
    for (size_t n = 0; n < flow->program->nkernels; n++) {
      const brink_series_program *series = flow->series[n];
      series_run run = {.series = series,
                        .frame = frame,
                        .t = t,
                        .x = (const double *const *)rows,
                        .v = v,
                        .unit = unit,
                        .length = length};
      if (series->kernel->accumulate) clear_outputs(&run, k, rows, v);
      for (run.iteration = 0; run.iteration < series->kernel->count; run.iteration++) {
        if (brink_patience_ends(patience, series->count * length)) return false;
        run.r = next;
        run_round(&run, k);
        write_outputs(&run, k, rows, v);
        next += series->count * length;
      }
    }
  }
  return true;
}
