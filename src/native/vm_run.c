/* vm_run.c: runs the code of the register machine: one iteration, or blocks of up to VM_LANES
 * iterations an instruction, so that decoding costs little.
 *
 * Both give the same bits as the generated C: the same operations in the same order, each rounded to
 * double (the project is compiled without contraction), the same libm. */
#include "native/vm.h"

#include <string.h>

#include "num/table.h"

static double read_slot(const brink_frame *frame, brink_space space, size_t slot) {
  switch (space) {
  case BRINK_SPACE_MODE:
  case BRINK_SPACE_PRE_MODE:
    return (double)vm_ints(frame, space)[slot];
  case BRINK_SPACE_SIGN:
    return (double)frame->sgn[slot];
  default:
    return vm_doubles(frame, space)[slot];
  }
}

double vm_read(const brink_frame *frame, const brink_ref *ref, size_t iteration) {
  return read_slot(frame, ref->space, brink_ref_slot(ref, iteration));
}

double vm_lookup(const brink_frame *frame, const brink_ref *array, size_t iteration, double index) {
  size_t k = brink_lookup_place(index, array->extent);
  return read_slot(frame, array->space, brink_ref_element(array, iteration, k));
}

double vm_array(brink_op op, const brink_frame *frame, const brink_ref *array, size_t iteration,
                double a) {
  if (op == BRINK_OP_LOOKUP) return vm_lookup(frame, array, iteration, a);
  const double *from = vm_doubles(frame, array->space) + brink_ref_slot(array, iteration);
  return (double)brink_table_find(from, array->extent - 1, a) + 1.0;
}

static void write_output(const brink_code *code, const brink_frame *frame, size_t j,
                         size_t iteration, double value) {
  uint32_t space = code->kernel->outputs[j].target.space;
  size_t slot = vm_target_slot(code->kernel, j, iteration);
  if (space == BRINK_SPACE_MODE) {
    int old = code->kernel->accumulate ? frame->to_mode[slot] : 0;
    frame->to_mode[slot] = vm_to_int((double)old + value);
  } else {
    double *target = vm_targets(frame, space) + slot;
    *target = code->kernel->accumulate ? *target + value : value;
  }
}

/* ---- one iteration ---- */

typedef struct vm_context {
  const brink_code *code;
  const brink_frame *frame;
  const double *from[BRINK_SPACE_COUNT]; /* doubles that are read, by space */
  double *to[BRINK_SPACE_COUNT];         /* doubles that are written */
} vm_context;

static void open_context(vm_context *context, const brink_code *code, const brink_frame *frame) {
  context->code = code;
  context->frame = frame;
  for (uint32_t space = 0; space < BRINK_SPACE_COUNT; space++) {
    context->from[space] = vm_doubles(frame, space);
    context->to[space] = vm_targets(frame, space);
  }
}

static inline double truth(bool value) {
  return value ? 1.0 : 0.0;
}

static double call_external(const vm_context *c, const vm_instruction *i, const double *r,
                            size_t stride) {
  const vm_call *call = &c->code->calls[i->b];
  double x[BRINK_EXTERNAL_ARGUMENTS];
  for (size_t k = 0; k < call->count; k++) x[k] = r[call->argument[k] * stride];
  return brink_external_call(c->frame->externals, call->code, x);
}

/* What ends in a libm call, or is rare: not worth a place in the inner switch. */
static double call_function(const vm_instruction *i, const double *r, const brink_frame *frame) {
  double a = r[i->a];
  switch (i->op) {
  case BRINK_OP_SIN:
    return sin(a);
  case BRINK_OP_COS:
    return cos(a);
  case BRINK_OP_EXP:
    return exp(a);
  case BRINK_OP_POW:
    return pow(a, r[i->b]);
  case BRINK_OP_RANDOM:
    return brink_random(frame->seed, a, r[i->b]);
  default:
    return brink_op_apply((brink_op)i->op, a,
                          brink_op_operands((brink_op)i->op) > 1 ? r[i->b] : 0.0, 0.0);
  }
}

static void write_one(const vm_context *c, size_t j, size_t iteration, const double *r) {
  const vm_output *output = &c->code->outputs[j];
  if (output->when != VM_NO_REGISTER && r[output->when] == 0.0) return;
  write_output(c->code, c->frame, j, iteration, r[output->value]);
}

/* Instructions i … end - 1 for one iteration, on registers r. */
static void run_one(const vm_context *c, const vm_instruction *i, const vm_instruction *end,
                    size_t iteration, double *restrict r) {
  for (; i != end; i++) {
    uint32_t d = i->d;
    switch (i->op) {
    case BRINK_OP_TIME:
      r[d] = c->frame->t;
      break;
    case BRINK_OP_ADD:
      r[d] = r[i->a] + r[i->b];
      break;
    case BRINK_OP_SUB:
      r[d] = r[i->a] - r[i->b];
      break;
    case BRINK_OP_MUL:
      r[d] = r[i->a] * r[i->b];
      break;
    case BRINK_OP_DIV:
      r[d] = r[i->a] / r[i->b];
      break;
    case BRINK_OP_NEG:
      r[d] = -r[i->a];
      break;
    case BRINK_OP_SQRT:
      r[d] = sqrt(r[i->a]);
      break;
    case BRINK_OP_ABS:
      r[d] = fabs(r[i->a]);
      break;
    case BRINK_OP_MIN:
      r[d] = vm_min(r[i->a], r[i->b]);
      break;
    case BRINK_OP_MAX:
      r[d] = vm_max(r[i->a], r[i->b]);
      break;
    case BRINK_OP_LT:
      r[d] = truth(r[i->a] < r[i->b]);
      break;
    case BRINK_OP_LE:
      r[d] = truth(r[i->a] <= r[i->b]);
      break;
    case BRINK_OP_EQ:
      r[d] = truth(r[i->a] == r[i->b]);
      break;
    case BRINK_OP_NE:
      r[d] = truth(r[i->a] != r[i->b]);
      break;
    case BRINK_OP_AND:
      r[d] = truth(r[i->a] != 0.0 && r[i->b] != 0.0);
      break;
    case BRINK_OP_OR:
      r[d] = truth(r[i->a] != 0.0 || r[i->b] != 0.0);
      break;
    case BRINK_OP_NOT:
      r[d] = truth(r[i->a] == 0.0);
      break;
    case BRINK_OP_SELECT:
      r[d] = r[i->a] != 0.0 ? r[i->b] : r[i->c];
      break;
    case VM_SLOT:
      r[d] = c->from[i->a][i->b];
      break;
    case VM_SLOT_INT:
      r[d] = (double)vm_ints(c->frame, i->a)[i->b];
      break;
    case VM_SLOT_SIGN:
      r[d] = (double)c->frame->sgn[i->b];
      break;
    case VM_REF:
      r[d] = vm_read(c->frame, &c->code->kernel->graph.refs[i->a], iteration);
      break;
    case BRINK_OP_LOOKUP:
    case BRINK_OP_FIND:
      r[d] = vm_array((brink_op)i->op, c->frame, &c->code->kernel->graph.refs[i->b], iteration,
                      r[i->a]);
      break;
    case BRINK_OP_EXTERNAL:
      r[d] = call_external(c, i, r, 1);
      break;
    case VM_MULADD:
      r[d] = r[i->a] * r[i->b] + r[i->c];
      break;
    case VM_MULSUB:
      r[d] = r[i->a] * r[i->b] - r[i->c];
      break;
    case VM_SUBMUL:
      r[d] = r[i->c] - r[i->a] * r[i->b];
      break;
    case VM_PUT:
      c->to[i->a][d] = r[i->b];
      break;
    case VM_WRITE:
      write_one(c, i->a, iteration, r);
      break;
    default:
      r[d] = call_function(i, r, c->frame);
    }
  }
}

static void set_constants(const brink_code *code, double *r) {
  if (code->nconstants > 0) memcpy(r, code->constants, code->nconstants * sizeof *r);
}

static void run_one_by_one(const vm_context *c, size_t first, size_t count, double *r) {
  const vm_instruction *start = c->code->instructions;
  set_constants(c->code, r);
  run_one(c, start, start + c->code->prologue, first, r);
  for (size_t k = 0; k < count; k++)
    run_one(c, start + c->code->prologue, start + c->code->ninstructions, first + k, r);
}

/* ---- blocks ---- */

/* The values of a ref in n iterations. */
static void read_block(const brink_frame *frame, const brink_ref *ref, size_t first, size_t n,
                       double *restrict d) {
  const double *from = vm_doubles(frame, ref->space);
  if (from == NULL) {
    for (size_t k = 0; k < n; k++) d[k] = vm_read(frame, ref, first + k);
  } else if (ref->map != NULL) {
    const uint32_t *map = ref->map + first;
    for (size_t k = 0; k < n; k++) d[k] = from[map[k]];
  } else if (ref->stride == 1) {
    memcpy(d, from + ref->base + first, n * sizeof *d);
  } else {
    for (size_t k = 0; k < n; k++) d[k] = from[brink_ref_slot(ref, first + k)];
  }
}

static void functions_block(const vm_context *c, const vm_instruction *i, size_t n,
                            double *restrict d, const double *a, const double *b) {
  brink_op op = (brink_op)i->op;
  bool two = brink_op_operands(op) > 1;
  switch (op) {
  case BRINK_OP_SIN:
    for (size_t k = 0; k < n; k++) d[k] = sin(a[k]);
    break;
  case BRINK_OP_COS:
    for (size_t k = 0; k < n; k++) d[k] = cos(a[k]);
    break;
  case BRINK_OP_EXP:
    for (size_t k = 0; k < n; k++) d[k] = exp(a[k]);
    break;
  case BRINK_OP_RANDOM:
    for (size_t k = 0; k < n; k++) d[k] = brink_random(c->frame->seed, a[k], b[k]);
    break;
  default:
    for (size_t k = 0; k < n; k++) d[k] = brink_op_apply(op, a[k], two ? b[k] : 0.0, 0.0);
  }
}

#define LANES(expression)                                                                          \
  do {                                                                                             \
    for (size_t k = 0; k < n; k++) d[k] = (expression);                                            \
  } while (0)

/* One instruction for n iterations; register x is r[VM_LANES*x] … A result is never an operand. */
static void compute_block(const vm_context *c, const vm_instruction *i, size_t first, size_t n,
                          double *r) {
  double *restrict d = r + (size_t)i->d * VM_LANES;
  if (i->op == VM_REF) {
    read_block(c->frame, &c->code->kernel->graph.refs[i->a], first, n, d);
    return;
  }
  if (brink_op_reads_array(i->op)) {
    const brink_ref *array = &c->code->kernel->graph.refs[i->b];
    const double *index = r + (size_t)i->a * VM_LANES;
    for (size_t k = 0; k < n; k++)
      d[k] = vm_array((brink_op)i->op, c->frame, array, first + k, index[k]);
    return;
  }
  if (i->op == BRINK_OP_EXTERNAL) {
    for (size_t k = 0; k < n; k++) d[k] = call_external(c, i, r + k, VM_LANES);
    return;
  }
  const double *a = r + (size_t)i->a * VM_LANES, *b = r + (size_t)i->b * VM_LANES,
               *e = r + (size_t)i->c * VM_LANES;
  switch (i->op) {
  case BRINK_OP_ADD:
    LANES(a[k] + b[k]);
    break;
  case BRINK_OP_SUB:
    LANES(a[k] - b[k]);
    break;
  case BRINK_OP_MUL:
    LANES(a[k] * b[k]);
    break;
  case BRINK_OP_DIV:
    LANES(a[k] / b[k]);
    break;
  case BRINK_OP_NEG:
    LANES(-a[k]);
    break;
  case BRINK_OP_SQRT:
    LANES(sqrt(a[k]));
    break;
  case BRINK_OP_ABS:
    LANES(fabs(a[k]));
    break;
  case BRINK_OP_MIN:
    LANES(vm_min(a[k], b[k]));
    break;
  case BRINK_OP_MAX:
    LANES(vm_max(a[k], b[k]));
    break;
  case BRINK_OP_LT:
    LANES(truth(a[k] < b[k]));
    break;
  case BRINK_OP_LE:
    LANES(truth(a[k] <= b[k]));
    break;
  case BRINK_OP_EQ:
    LANES(truth(a[k] == b[k]));
    break;
  case BRINK_OP_NE:
    LANES(truth(a[k] != b[k]));
    break;
  case BRINK_OP_AND:
    LANES(truth((a[k] != 0.0) & (b[k] != 0.0)));
    break;
  case BRINK_OP_OR:
    LANES(truth((a[k] != 0.0) | (b[k] != 0.0)));
    break;
  case BRINK_OP_NOT:
    LANES(truth(a[k] == 0.0));
    break;
  case BRINK_OP_SELECT:
    LANES(a[k] != 0.0 ? b[k] : e[k]);
    break;
  case VM_MULADD:
    LANES(a[k] * b[k] + e[k]);
    break;
  case VM_MULSUB:
    LANES(a[k] * b[k] - e[k]);
    break;
  case VM_SUBMUL:
    LANES(e[k] - a[k] * b[k]);
    break;
  default:
    functions_block(c, i, n, d, a, b);
  }
}

/* All outputs of n iterations. What is added up is added iteration by iteration, as compiled code
 * does; other outputs do not meet, so each may be written at once. */
static void write_block(const vm_context *c, size_t first, size_t n, const double *r) {
  const brink_kernel *kernel = c->code->kernel;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_ref *target = &kernel->outputs[j].target;
    const vm_output *output = &c->code->outputs[j];
    const double *value = r + (size_t)output->value * VM_LANES;
    const double *when =
        output->when == VM_NO_REGISTER ? NULL : r + (size_t)output->when * VM_LANES;
    double *to = c->to[target->space];
    if (to != NULL && target->map == NULL && target->stride == 1 && when == NULL) {
      memcpy(to + target->base + first, value, n * sizeof *to);
      continue;
    }
    for (size_t k = 0; k < n; k++) {
      if (when == NULL || when[k] != 0.0) write_output(c->code, c->frame, j, first + k, value[k]);
    }
  }
}

static void add_block(const vm_context *c, size_t first, size_t n, const double *r) {
  for (size_t k = 0; k < n; k++) {
    for (size_t j = 0; j < c->code->kernel->noutputs; j++) {
      const vm_output *output = &c->code->outputs[j];
      if (output->when != VM_NO_REGISTER && r[(size_t)output->when * VM_LANES + k] == 0.0) continue;
      write_output(c->code, c->frame, j, first + k, r[(size_t)output->value * VM_LANES + k]);
    }
  }
}

/* The scratch holds the invariants as single values, then the blocks. */
static void run_blocks(const vm_context *c, size_t first, size_t count, double *scratch) {
  const brink_code *code = c->code;
  double *r = scratch + code->ninvariants;
  set_constants(code, scratch);
  run_one(c, code->instructions, code->instructions + code->prologue, first, scratch);
  for (size_t x = 0; x < code->ninvariants; x++) {
    for (size_t k = 0; k < VM_LANES; k++) r[x * VM_LANES + k] = scratch[x];
  }
  for (size_t done = 0; done < count; done += VM_LANES) {
    size_t n = count - done < VM_LANES ? count - done : VM_LANES;
    for (size_t i = code->prologue; i < code->computing; i++)
      compute_block(c, &code->instructions[i], first + done, n, r);
    if (code->kernel->accumulate)
      add_block(c, first + done, n, r);
    else
      write_block(c, first + done, n, r);
  }
}

/* ---- from outside ---- */

static void clear_targets(const brink_code *code, const brink_frame *frame, size_t first,
                          size_t count) {
  for (size_t j = 0; j < code->kernel->noutputs; j++) {
    uint32_t space = code->kernel->outputs[j].target.space;
    for (size_t k = first; k < first + count; k++) {
      size_t slot = vm_target_slot(code->kernel, j, k);
      if (space == BRINK_SPACE_MODE)
        frame->to_mode[slot] = 0;
      else
        vm_targets(frame, space)[slot] = 0.0;
    }
  }
}

void brink_code_run(const brink_code *code, const brink_frame *frame, size_t first, size_t count,
                    double *scratch) {
  vm_context context;
  open_context(&context, code, frame);
  if (code->kernel->accumulate) clear_targets(code, frame, first, count);
  if (code->blocks && count >= VM_LEAST_BLOCK)
    run_blocks(&context, first, count, scratch);
  else
    run_one_by_one(&context, first, count, scratch);
}

size_t brink_code_scratch(const brink_code *code) {
  size_t registers = code->nregisters;
  if (code->blocks) registers = code->ninvariants + code->nregisters * VM_LANES;
  size_t nodes = code->kernel->graph.nnodes; /* brink_code_node */
  return (registers > nodes ? registers : nodes) + 1;
}

static double external_node(const brink_graph *graph, const brink_frame *frame,
                            const brink_expr_node *node, const double *values) {
  brink_node of[BRINK_EXTERNAL_ARGUMENTS];
  double x[BRINK_EXTERNAL_ARGUMENTS];
  size_t code, count = brink_graph_arguments(graph, node, of, &code);
  for (size_t k = 0; k < count; k++) x[k] = values[of[k]];
  return brink_external_call(frame->externals, code, x);
}

/* Evaluates all nodes up to this one: notes are rare, and their nodes near the graph's start. */
double brink_code_node(const brink_code *code, const brink_frame *frame, size_t iteration,
                       brink_node node, double *scratch) {
  const brink_graph *graph = &code->kernel->graph;
  for (brink_node i = 0; i <= node; i++) {
    const brink_expr_node *n = &graph->nodes[i];
    int operands = n->op == BRINK_OP_REF ? 0 : brink_op_operands((brink_op)n->op);
    double a = operands > 0 ? scratch[n->a] : 0.0, b = operands > 1 ? scratch[n->b] : 0.0;
    if (n->op == BRINK_OP_CONST)
      scratch[i] = n->value;
    else if (n->op == BRINK_OP_TIME)
      scratch[i] = frame->t;
    else if (n->op == BRINK_OP_REF)
      scratch[i] = vm_read(frame, &graph->refs[n->a], iteration);
    else if (brink_op_reads_array(n->op))
      scratch[i] = vm_array((brink_op)n->op, frame, brink_graph_array(graph, n), iteration, a);
    else if (n->op == BRINK_OP_EXTERNAL)
      scratch[i] = external_node(graph, frame, n, scratch);
    else if (n->op == BRINK_OP_RANDOM)
      scratch[i] = brink_random(frame->seed, a, b);
    else
      scratch[i] = brink_op_apply((brink_op)n->op, a, b, operands > 2 ? scratch[n->c] : 0.0);
  }
  return scratch[node];
}
