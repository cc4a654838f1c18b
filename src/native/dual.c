/* dual.c: kernels with derivatives beside their values (see dual.h). */
#include "native/dual.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "num/table.h"

/* d(node)/d(operand); an operand whose slope is exactly 0 is left out, whatever its derivative is. */
typedef struct slopes {
  double a, b, c;
} slopes;

static slopes of_function(brink_op op, double a, double value) {
  switch ((int)op) {
  case BRINK_OP_NEG:
    return (slopes){.a = -1.0};
  case BRINK_OP_SQRT:
    return (slopes){.a = 0.5 / value};
  case BRINK_OP_SIN:
    return (slopes){.a = cos(a)};
  case BRINK_OP_COS:
    return (slopes){.a = -sin(a)};
  case BRINK_OP_TAN:
    return (slopes){.a = 1.0 + value * value};
  case BRINK_OP_ASIN:
    return (slopes){.a = 1.0 / sqrt((1.0 - a) * (1.0 + a))};
  case BRINK_OP_ACOS:
    return (slopes){.a = -1.0 / sqrt((1.0 - a) * (1.0 + a))};
  case BRINK_OP_ATAN:
    return (slopes){.a = 1.0 / (1.0 + a * a)};
  case BRINK_OP_SINH:
    return (slopes){.a = cosh(a)};
  case BRINK_OP_COSH:
    return (slopes){.a = sinh(a)};
  case BRINK_OP_TANH:
    return (slopes){.a = 1.0 / (cosh(a) * cosh(a))};
  case BRINK_OP_EXP:
    return (slopes){.a = value};
  case BRINK_OP_LOG:
    return (slopes){.a = 1.0 / a};
  case BRINK_OP_LOG10:
    return (slopes){.a = 1.0 / (a * log(10.0))};
  case BRINK_OP_ABS:
    return (slopes){.a = a < 0.0 ? -1.0 : 1.0};
  default: /* floor, sign, not: steps */
    return (slopes){0};
  }
}

static slopes of_power(double a, double b, double value) {
  return (slopes){.a = b == 0.0 ? 0.0 : b * pow(a, b - 1.0), .b = a == 0.0 ? 0.0 : value * log(a)};
}

static slopes slopes_of(brink_op op, double a, double b, double value) {
  double r;
  switch ((int)op) {
  case BRINK_OP_ADD:
    return (slopes){.a = 1.0, .b = 1.0};
  case BRINK_OP_SUB:
    return (slopes){.a = 1.0, .b = -1.0};
  case BRINK_OP_MUL:
    return (slopes){.a = b, .b = a};
  case BRINK_OP_DIV:
    return (slopes){.a = 1.0 / b, .b = -value / b};
  case BRINK_OP_POW:
    return of_power(a, b, value);
  case BRINK_OP_ATAN2:
    r = hypot(a, b);
    return (slopes){.a = b / r / r, .b = -(a / r) / r};
  case BRINK_OP_HYPOT:
    return (slopes){.a = a / value, .b = b / value};
  case BRINK_OP_MIN:
    return a < b ? (slopes){.a = 1.0} : (slopes){.b = 1.0};
  case BRINK_OP_MAX:
    return b < a ? (slopes){.a = 1.0} : (slopes){.b = 1.0};
  case BRINK_OP_SELECT:
    return a != 0.0 ? (slopes){.b = 1.0} : (slopes){.c = 1.0};
  default:
    return brink_op_operands(op) == 1 ? of_function(op, a, value) : (slopes){0};
  }
}

/* ---- leaves ---- */

static double read_value(const brink_frame *frame, const brink_ref *ref, size_t slot) {
  switch (ref->space) {
  case BRINK_SPACE_X:
    return frame->x[slot];
  case BRINK_SPACE_P:
    return frame->p[slot];
  case BRINK_SPACE_MODE:
    return (double)frame->mode[slot];
  case BRINK_SPACE_SIGN:
    return (double)frame->sgn[slot];
  case BRINK_SPACE_V:
    return frame->v[slot];
  case BRINK_SPACE_DX:
    return frame->dx[slot];
  case BRINK_SPACE_K:
    return frame->k[slot];
  case BRINK_SPACE_PRE_X:
    return frame->pre_x[slot];
  case BRINK_SPACE_PRE_P:
    return frame->pre_p[slot];
  case BRINK_SPACE_PRE_MODE:
    return (double)frame->pre_mode[slot];
  case BRINK_SPACE_LOCAL:
    return frame->local[slot];
  default:
    return NAN;
  }
}

/* The lanes of a slot, or NULL: 0. Those of V, DX and LOCAL are all there; *used says how many of others. */
static const double *lanes_of(const brink_dual *dual, brink_space space, size_t slot,
                              size_t *used) {
  const double *rows = NULL;
  *used = BRINK_LANES;
  if (space == BRINK_SPACE_V) return &dual->v[slot * BRINK_LANES];
  if (space == BRINK_SPACE_DX) return &dual->dx[slot * BRINK_LANES];
  if (space == BRINK_SPACE_LOCAL) return &dual->local[slot * BRINK_LANES];
  *used = dual->used;
  if (space == BRINK_SPACE_X) rows = dual->x;
  if (space == BRINK_SPACE_P) rows = dual->p;
  if (space == BRINK_SPACE_PRE_X) rows = dual->pre_x;
  if (space == BRINK_SPACE_PRE_P) rows = dual->pre_p;
  return rows != NULL ? &rows[slot * dual->stride + dual->first] : NULL;
}

static bool take_lanes(const double *from, size_t used, double *to) {
  bool live = false;
  for (size_t l = 0; l < BRINK_LANES; l++) {
    to[l] = from != NULL && l < used ? from[l] : 0.0;
    live = live || to[l] != 0.0;
  }
  return live;
}

/* ---- one iteration ---- */

/* Nothing times infinity is nothing: a direction in which nothing moves. */
static void add_scaled(double *to, double slope, const double *from) {
  if (isfinite(slope)) {
    for (size_t l = 0; l < BRINK_LANES; l++) to[l] += slope * from[l];
    return;
  }
  for (size_t l = 0; l < BRINK_LANES; l++) {
    if (from[l] != 0.0) to[l] += slope * from[l];
  }
}

/* An external function: its value, and what it becomes by each argument that moves. */
static void call_external(brink_dual *dual, const brink_graph *graph, const brink_frame *frame,
                          size_t i) {
  brink_node of[BRINK_EXTERNAL_ARGUMENTS];
  double x[BRINK_EXTERNAL_ARGUMENTS], *lanes = &dual->lanes[i * BRINK_LANES];
  size_t code, count = brink_graph_arguments(graph, &graph->nodes[i], of, &code);
  for (size_t k = 0; k < count; k++) x[k] = dual->value[of[k]];
  dual->value[i] = brink_external_call(frame->externals, code, x);
  dual->live[i] = false;
  memset(lanes, 0, BRINK_LANES * sizeof *lanes);
  for (size_t k = 0; k < count; k++) {
    if (!dual->live[of[k]]) continue;
    size_t derived = brink_external_derivative(code, k);
    double slope = derived == BRINK_EXTERNAL_NONE
                       ? (double)NAN
                       : brink_external_call(frame->externals, derived, x);
    if (slope == 0.0) continue;
    dual->live[i] = true;
    add_scaled(lanes, slope, &dual->lanes[of[k] * BRINK_LANES]);
  }
}

static void operate(brink_dual *dual, const brink_graph *graph, const brink_frame *frame,
                    size_t i) {
  const brink_expr_node *node = &graph->nodes[i];
  brink_op op = (brink_op)node->op;
  int operands = brink_op_operands(op);
  double a = dual->value[node->a], b = operands > 1 ? dual->value[node->b] : 0.0;
  double c = operands > 2 ? dual->value[node->c] : 0.0;
  bool la = dual->live[node->a], lb = operands > 1 && dual->live[node->b];
  bool lc = operands > 2 && dual->live[node->c];
  double value = dual->value[i] =
      op == BRINK_OP_RANDOM ? brink_random(frame->seed, a, b) : brink_op_apply(op, a, b, c);
  dual->live[i] = false;
  if (!la && !lb && !lc) return;
  slopes s = slopes_of(op, a, b, value);
  la = la && s.a != 0.0;
  lb = lb && s.b != 0.0;
  lc = lc && s.c != 0.0;
  dual->live[i] = la || lb || lc;
  if (!dual->live[i]) return;
  double *lanes = &dual->lanes[i * BRINK_LANES];
  memset(lanes, 0, BRINK_LANES * sizeof *lanes);
  if (la) add_scaled(lanes, s.a, &dual->lanes[node->a * BRINK_LANES]);
  if (lb) add_scaled(lanes, s.b, &dual->lanes[node->b * BRINK_LANES]);
  if (lc) add_scaled(lanes, s.c, &dual->lanes[node->c * BRINK_LANES]);
}

/* One element of an array: its value and its derivatives. */
static void look_up(brink_dual *dual, const brink_graph *graph, const brink_frame *frame, size_t i,
                    size_t iteration) {
  const brink_expr_node *node = &graph->nodes[i];
  const brink_ref *array = brink_graph_array(graph, node);
  size_t k = brink_lookup_place(dual->value[node->a], array->extent);
  size_t used, slot = brink_ref_element(array, iteration, k);
  dual->value[i] = read_value(frame, array, slot);
  const double *from = lanes_of(dual, array->space, slot, &used);
  dual->live[i] = take_lanes(from, used, &dual->lanes[i * BRINK_LANES]);
}

static double find(const brink_dual *dual, const brink_graph *graph, const brink_frame *frame,
                   const brink_expr_node *node, size_t iteration) {
  const brink_ref *array = brink_graph_array(graph, node);
  const double *from = array->space == BRINK_SPACE_K ? frame->k : frame->p;
  return (double)brink_table_find(&from[brink_ref_slot(array, iteration)], array->extent - 1,
                                  dual->value[node->a]) +
         1.0;
}

static void evaluate(brink_dual *dual, const brink_graph *graph, const brink_frame *frame,
                     size_t iteration) {
  for (size_t i = 0; i < graph->nnodes; i++) {
    if (!dual->needed[i]) continue;
    const brink_expr_node *node = &graph->nodes[i];
    double *lanes = &dual->lanes[i * BRINK_LANES];
    if (node->op == BRINK_OP_CONST) {
      dual->value[i] = node->value;
      dual->live[i] = false;
    } else if (node->op == BRINK_OP_TIME) {
      dual->value[i] = frame->t;
      const double *t = dual->t != NULL ? &dual->t[dual->first] : NULL;
      dual->live[i] = take_lanes(t, dual->used, lanes);
    } else if (node->op == BRINK_OP_REF) {
      const brink_ref *ref = &graph->refs[node->a];
      size_t used, slot = brink_ref_slot(ref, iteration);
      dual->value[i] = read_value(frame, ref, slot);
      const double *from = lanes_of(dual, ref->space, slot, &used);
      dual->live[i] = take_lanes(from, used, lanes);
    } else if (node->op == BRINK_OP_LOOKUP) {
      look_up(dual, graph, frame, i, iteration);
    } else if (node->op == BRINK_OP_FIND) { /* a step */
      dual->value[i] = find(dual, graph, frame, node, iteration);
      dual->live[i] = false;
    } else if (node->op == BRINK_OP_EXTERNAL) {
      call_external(dual, graph, frame, i);
    } else {
      operate(dual, graph, frame, i);
    }
  }
}

void brink_dual_open(brink_dual *dual, const brink_kernel *kernel) {
  const brink_graph *graph = &kernel->graph;
  memset(dual->needed, 0, graph->nnodes * sizeof *dual->needed);
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_output *output = &kernel->outputs[j];
    dual->needed[output->node] = true;
    if (output->when != BRINK_NO_NODE) dual->needed[output->when] = true;
  }
  for (size_t i = graph->nnodes; i-- > 0;) { /* operands come before */
    const brink_expr_node *node = &graph->nodes[i];
    int operands = dual->needed[i] ? brink_op_operands((brink_op)node->op) : 0;
    if (operands > 0) dual->needed[node->a] = true;
    if (operands > 1) dual->needed[node->b] = true;
    if (operands > 2) dual->needed[node->c] = true;
  }
}

void brink_dual_run(brink_dual *dual, const brink_kernel *kernel, const brink_frame *frame,
                    size_t iteration) {
  evaluate(dual, &kernel->graph, frame, iteration);
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_output *output = &kernel->outputs[j];
    double *out = &dual->out[j * BRINK_LANES];
    dual->written[j] = output->when == BRINK_NO_NODE || dual->value[output->when] != 0.0;
    const double *lanes = &dual->lanes[output->node * BRINK_LANES];
    take_lanes(dual->live[output->node] ? lanes : NULL, BRINK_LANES, out);
  }
}

/* ---- equations ---- */

static void clear_targets(brink_dual *dual, const brink_kernel *kernel, const brink_frame *frame) {
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_ref *target = &kernel->outputs[j].target;
    bool v = target->space == BRINK_SPACE_V;
    for (size_t i = 0; i < kernel->count; i++) {
      size_t slot = brink_ref_slot(target, i);
      (v ? frame->v : frame->dx)[slot] = 0.0;
      memset(&(v ? dual->v : dual->dx)[slot * BRINK_LANES], 0, BRINK_LANES * sizeof(double));
    }
  }
}

static void write_outputs(brink_dual *dual, const brink_kernel *kernel, const brink_frame *frame,
                          size_t iteration) {
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_ref *target = &kernel->outputs[j].target;
    if (!dual->written[j]) continue;
    bool v = target->space == BRINK_SPACE_V;
    size_t slot = brink_ref_slot(target, iteration);
    double *value = &(v ? frame->v : frame->dx)[slot];
    double *lanes = &(v ? dual->v : dual->dx)[slot * BRINK_LANES];
    double old = kernel->accumulate ? 1.0 : 0.0;
    if (!kernel->accumulate) *value = 0.0;
    *value += dual->value[kernel->outputs[j].node];
    for (size_t l = 0; l < BRINK_LANES; l++)
      lanes[l] = (old != 0.0 ? lanes[l] : 0.0) + dual->out[j * BRINK_LANES + l];
  }
}

void brink_dual_equation(brink_dual *dual, const brink_kernel *kernel, const brink_frame *frame) {
  brink_dual_open(dual, kernel);
  if (kernel->accumulate) clear_targets(dual, kernel, frame);
  for (size_t i = 0; i < kernel->count; i++) {
    brink_dual_run(dual, kernel, frame, i);
    write_outputs(dual, kernel, frame, i);
  }
}
