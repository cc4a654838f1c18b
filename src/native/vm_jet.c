/* vm_jet.c: the code of the register machine on truncated power series.
 *
 * Problem: the Taylor coefficients of guards along a given path, and of the solution itself.
 *
 * Method: a register holds a series; each instruction is one function of <brink/jet.h>. For the
 * solution of x' = f(t, x) coefficient k + 1 of x is coefficient k of f divided by k + 1, and
 * coefficient k of f depends on coefficients 0 … k of x only.
 *
 * Deviation: the usual way keeps the series of every register and appends one coefficient to each in
 * every round, O(p^2) operations a node in all. Here round k evaluates all series anew up to order k:
 * O(p^3) where the node is a product, at p^2 for sums. It is simple and uses no memory for nodes; a
 * method that takes its steps from these series will want the other way, which needs only a run_series
 * that starts at coefficient k and registers that are not reused.
 *
 * What does not vary along the path (modes, signs, parameters, and what is made of them) is computed
 * as a number. Relations, sign and floor are taken at s = 0 and held: where they may switch, the
 * language has made flags of them, and steps end there. A select takes the series of one branch; the
 * other may be NaN. */
#include <brink/jet.h>

#include "native/vm.h"

#include <string.h>

/* ---- operators ---- */

static bool is_constant(int order, const double *a) {
  for (int k = 1; k <= order; k++) {
    if (a[k] != 0.0) return false;
  }
  return true;
}

static void multiply(int order, const double *a, const double *b, double *out) {
  if (is_constant(order, a))
    brink_jet_scale(order, b, a[0], out);
  else if (is_constant(order, b))
    brink_jet_scale(order, a, b[0], out);
  else if (a == b)
    brink_jet_square(order, a, out);
  else
    brink_jet_mul(order, a, b, out);
}

static void divide(int order, const double *a, const double *b, double *out) {
  if (b[0] == 0.0 || !is_constant(order, b)) {
    brink_jet_div(order, a, b, out);
    return;
  }
  for (int k = 0; k <= order; k++) out[k] = a[k] / b[0];
}

/* Operators whose result is held at its value for s = 0. */
static bool is_step(uint32_t op) {
  switch (op) {
  case BRINK_OP_SIGN:
  case BRINK_OP_FLOOR:
  case BRINK_OP_LT:
  case BRINK_OP_LE:
  case BRINK_OP_EQ:
  case BRINK_OP_NE:
  case BRINK_OP_AND:
  case BRINK_OP_OR:
  case BRINK_OP_NOT:
    return true;
  default:
    return false;
  }
}

static void apply_one(uint32_t op, int order, const double *a, double *out) {
  switch (op) {
  case BRINK_OP_NEG:
    brink_jet_scale(order, a, -1.0, out);
    break;
  case BRINK_OP_SQRT:
    brink_jet_sqrt(order, a, out);
    break;
  case BRINK_OP_SIN:
    brink_jet_sin(order, a, out);
    break;
  case BRINK_OP_COS:
    brink_jet_cos(order, a, out);
    break;
  case BRINK_OP_TAN:
    brink_jet_tan(order, a, out);
    break;
  case BRINK_OP_ASIN:
    brink_jet_asin(order, a, out);
    break;
  case BRINK_OP_ACOS:
    brink_jet_acos(order, a, out);
    break;
  case BRINK_OP_ATAN:
    brink_jet_atan(order, a, out);
    break;
  case BRINK_OP_SINH:
    brink_jet_sinh(order, a, out);
    break;
  case BRINK_OP_COSH:
    brink_jet_cosh(order, a, out);
    break;
  case BRINK_OP_TANH:
    brink_jet_tanh(order, a, out);
    break;
  case BRINK_OP_EXP:
    brink_jet_exp(order, a, out);
    break;
  case BRINK_OP_LOG:
    brink_jet_log(order, a, out);
    break;
  case BRINK_OP_LOG10:
    brink_jet_log10(order, a, out);
    break;
  case BRINK_OP_ABS:
    brink_jet_abs(order, a, out);
    break;
  default:
    brink_jet_constant(order, (double)NAN, out);
  }
}

static void apply_two(uint32_t op, int order, const double *a, const double *b, double *out) {
  switch (op) {
  case BRINK_OP_ADD:
    brink_jet_add(order, a, b, out);
    break;
  case BRINK_OP_SUB:
    brink_jet_sub(order, a, b, out);
    break;
  case BRINK_OP_MUL:
    multiply(order, a, b, out);
    break;
  case BRINK_OP_DIV:
    divide(order, a, b, out);
    break;
  case BRINK_OP_POW:
    brink_jet_pow(order, a, b, out);
    break;
  case BRINK_OP_ATAN2:
    brink_jet_atan2(order, a, b, out);
    break;
  case BRINK_OP_HYPOT:
    brink_jet_hypot(order, a, b, out);
    break;
  case BRINK_OP_MIN:
    brink_jet_min(order, a, b, out);
    break;
  case BRINK_OP_MAX:
    brink_jet_max(order, a, b, out);
    break;
  default:
    brink_jet_constant(order, (double)NAN, out);
  }
}

/* The product first, then the sum in place. */
static void apply_fused(uint32_t op, int order, const double *a, const double *b, const double *c,
                        double *out) {
  multiply(order, a, b, out);
  if (op == VM_MULADD)
    brink_jet_add(order, out, c, out);
  else if (op == VM_MULSUB)
    brink_jet_sub(order, out, c, out);
  else
    brink_jet_sub(order, c, out, out);
}

void vm_jet_apply(uint32_t op, int order, const double *a, const double *b, const double *c,
                  uint64_t seed, double *out) {
  if (op == BRINK_OP_SELECT) {
    brink_jet_copy(order, a[0] != 0.0 ? b : c, out);
  } else if (op == BRINK_OP_RANDOM) {
    brink_jet_constant(order, brink_random(seed, a[0], b[0]), out);
  } else if (op >= BRINK_OP_COUNT) {
    apply_fused(op, order, a, b, c, out);
  } else {
    bool two = brink_op_operands((brink_op)op) > 1;
    if (is_step(op) || (is_constant(order, a) && (!two || is_constant(order, b))))
      brink_jet_constant(order, brink_op_apply((brink_op)op, a[0], two ? b[0] : 0.0, 0.0), out);
    else if (two)
      apply_two(op, order, a, b, out);
    else
      apply_one(op, order, a, out);
  }
}

/* ---- running ---- */

/* The series that are known from outside. */
typedef struct vm_series {
  const brink_frame *frame;
  int order;
  const double *t;
  const double *const *x;
  const double *v; /* slot s at v + s*length; NULL: V has no series */
  size_t length;
} vm_series;

static void read_series(const vm_series *s, const brink_ref *ref, size_t iteration, double *out) {
  size_t slot = brink_ref_slot(ref, iteration);
  size_t terms = (size_t)s->order + 1;
  if (ref->space == BRINK_SPACE_X) {
    memcpy(out, s->x[slot], terms * sizeof *out);
  } else if (ref->space == BRINK_SPACE_V && s->v != NULL) {
    memcpy(out, s->v + slot * s->length, terms * sizeof *out);
  } else if (ref->space == BRINK_SPACE_DX && s->v != NULL) {
    for (size_t k = 0; k < terms; k++) out[k] = (double)(k + 1) * s->x[slot][k + 1];
  } else {
    brink_jet_constant(s->order, vm_read(s->frame, ref, iteration), out);
    if (ref->space == BRINK_SPACE_V || ref->space == BRINK_SPACE_DX) /* nobody knows */
      for (size_t k = 1; k < terms; k++) out[k] = (double)NAN;
  }
}

static void read_slot(const vm_series *s, const vm_instruction *i, double *out) {
  brink_ref ref = {.space = (brink_space)i->a, .base = i->b};
  read_series(s, &ref, 0, out);
}

/* All instructions that compute; register x is r + x*(order + 1). */
static void run_series(const brink_code *code, const vm_series *s, size_t iteration, double *r) {
  size_t terms = (size_t)s->order + 1;
  for (size_t x = 0; x < code->nconstants; x++)
    brink_jet_constant(s->order, code->constants[x], r + x * terms);
  for (size_t n = 0; n < code->computing; n++) {
    const vm_instruction *i = &code->instructions[n];
    double *d = r + i->d * terms;
    if (i->op == BRINK_OP_TIME)
      brink_jet_copy(s->order, s->t, d);
    else if (i->op == VM_REF)
      read_series(s, &code->kernel->graph.refs[i->a], iteration, d);
    else if (i->op == VM_SLOT || i->op == VM_SLOT_INT || i->op == VM_SLOT_SIGN)
      read_slot(s, i, d);
    else
      vm_jet_apply(i->op, s->order, r + i->a * terms, r + i->b * terms, r + i->c * terms,
                   s->frame->seed, d);
  }
}

size_t brink_code_jet_scratch(const brink_code *code, int order) {
  return (code->nregisters + 1) * (size_t)(order + 1);
}

void brink_code_jet(const brink_code *code, const brink_frame *frame, size_t iteration,
                    size_t output, int order, const double *t, const double *const *x, double *g,
                    double *scratch) {
  const vm_series series = {.frame = frame, .order = order, .t = t, .x = x};
  run_series(code, &series, iteration, scratch);
  brink_jet_copy(order, scratch + code->outputs[output].value * (size_t)(order + 1), g);
}

/* ---- the solution ---- */

/* Where coefficient k of an output goes. Lower ones are there already, from earlier rounds. */
static double *coefficient(const brink_code *code, size_t output, size_t iteration, int k,
                           double *const *rows, double *v, size_t length) {
  brink_space space = code->kernel->outputs[output].target.space;
  size_t slot = vm_target_slot(code->kernel, output, iteration);
  if (space == BRINK_SPACE_DX) return &rows[slot][k + 1];
  return space == BRINK_SPACE_V ? &v[slot * length + (size_t)k] : NULL;
}

/* One kernel, all iterations: adds coefficient k of what it defines. */
static void extend(const brink_code *code, const vm_series *s, double *const *rows, double *v,
                   double *r) {
  const brink_kernel *kernel = code->kernel;
  size_t terms = (size_t)s->order + 1;
  for (size_t i = 0; kernel->accumulate && i < kernel->count; i++) {
    for (size_t j = 0; j < kernel->noutputs; j++) {
      double *to = coefficient(code, j, i, s->order, rows, v, s->length);
      if (to != NULL) *to = 0.0;
    }
  }
  for (size_t i = 0; i < kernel->count; i++) {
    run_series(code, s, i, r);
    for (size_t j = 0; j < kernel->noutputs; j++) {
      const vm_output *output = &code->outputs[j];
      double *to = coefficient(code, j, i, s->order, rows, v, s->length);
      if (to == NULL) continue;
      if (output->when != VM_NO_REGISTER && r[output->when * terms] == 0.0) continue;
      double value = r[output->value * terms + (size_t)s->order];
      if (kernel->outputs[j].target.space == BRINK_SPACE_DX) value /= s->order + 1;
      *to = kernel->accumulate ? *to + value : value;
    }
  }
}

/* The series of V and of time, and the registers. */
size_t brink_flow_jet_scratch(const brink_code *const *codes, size_t ncodes, size_t nv, int order) {
  size_t registers = 0;
  for (size_t n = 0; n < ncodes; n++) {
    size_t needed = brink_code_jet_scratch(codes[n], order);
    if (needed > registers) registers = needed;
  }
  return (nv + 1) * (size_t)(order + 1) + registers;
}

bool brink_flow_jet(const brink_code *const *codes, size_t ncodes, const brink_frame *frame,
                    size_t nx, size_t nv, int order, double *const *rows, double *workspace) {
  size_t length = (size_t)order + 1;
  double *v = workspace, *t = v + nv * length, *r = t + length;
  memset(workspace, 0, nv * length * sizeof *v);
  brink_jet_variable(order, frame->t, t);
  for (int k = 0; k < order; k++) {
    const vm_series series = {.frame = frame,
                              .order = k,
                              .t = t,
                              .x = (const double *const *)rows,
                              .v = v,
                              .length = length};
    for (size_t i = 0; i < nx; i++) rows[i][k + 1] = 0.0;
    for (size_t n = 0; n < ncodes; n++) extend(codes[n], &series, rows, v, r);
  }
  for (size_t i = 0; i < nx; i++) {
    for (size_t k = 0; k < length; k++) {
      if (!isfinite(rows[i][k])) return false;
    }
  }
  return true;
}
