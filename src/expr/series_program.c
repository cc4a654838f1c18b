/* series_program.c: from graphs to programs on power series (see series.h).
 *
 * Functions become what num/series_rules.inc has rules for, with a for the argument, t = s a' (INDEX):
 *
 *   exp      v' = a' v                        sin, cos    v' = a' w, w' = -a' v, as a pair
 *   tan      v' = a' w, w = 1 + v^2           sinh, cosh  v' = a' w, w' = a' v
 *   tanh     v' = a' w, w = 1 - v^2           log         v' = a' / a
 *   asin     v' = a' / sqrt((1 - a)(1 + a))   acos        v' = -a' / (the same)
 *   atan     v' = a' / (1 + a^2)              atan2(a, b) v' = (b a' - a b') / (a^2 + b^2)
 *   hypot    sqrt(a^2 + b^2)                  a^b         exp(b log a), or a power if b is held
 *
 * (1 - a)(1 + a) and not 1 - a^2, and 1/cosh^2 for the start of tanh's w: no cancellation near the edge
 * of the domain. Coefficient 0 is always the value that plain evaluation gives. */
#include "expr/series_program.h"

#include <math.h>
#include <string.h>

#define LARGEST_DEGREE 16 /* finite degrees above this are not followed */
#define MOST_PASSES 40    /* long chains of equations: their degrees are not worth the time */
#define NONE BRINK_NO_INDEX

typedef struct maker {
  brink_series_program *series;
  const brink_graph *graph;
  const brink_series_degrees *degrees;
  brink_arena *arena;
  size_t capacity;
  uint32_t *at;    /* register of each node */
  uint32_t *index; /* register of INDEX of each register, NONE before */
  uint32_t
      *pairs[2]; /* the sine of each node, and the hyperbolic one, NONE before; cosines follow */
  size_t index_capacity;
  bool failed;
} maker;

static int degree_of(const maker *m, uint32_t r) {
  return m->series->instructions[r].degree;
}

static bool is_held(const maker *m, uint32_t r) {
  return degree_of(m, r) == 0;
}

static int capped(int degree) {
  return degree > LARGEST_DEGREE ? BRINK_SERIES_FULL : degree;
}

static int larger(int a, int b) {
  return a > b ? a : b;
}

/* The degree of a result by that of its operands. */
static int resulting(const maker *m, const brink_series_instruction *i) {
  switch (i->rule) {
  case BRINK_RULE_HELD:
    return 0;
  case BRINK_RULE_TIME:
    return 1;
  case BRINK_RULE_NEG:
  case BRINK_RULE_INDEX:
  case BRINK_RULE_INTEGRAL:
  case BRINK_RULE_ABS:
  case BRINK_RULE_SHRINK:
    return degree_of(m, i->a);
  case BRINK_RULE_SCALE:
    return degree_of(m, i->b);
  case BRINK_RULE_ADD:
  case BRINK_RULE_SUB:
  case BRINK_RULE_MIN:
  case BRINK_RULE_MAX:
    return larger(degree_of(m, i->a), degree_of(m, i->b));
  case BRINK_RULE_SELECT:
    return larger(degree_of(m, i->b), degree_of(m, i->c));
  case BRINK_RULE_MUL:
    return capped(degree_of(m, i->a) + degree_of(m, i->b));
  case BRINK_RULE_SQUARE:
    return capped(2 * degree_of(m, i->a));
  default:
    return BRINK_SERIES_FULL;
  }
}

static size_t work_of(uint8_t rule) {
  switch (rule) {
  case BRINK_RULE_MUL:
  case BRINK_RULE_DIV:
  case BRINK_RULE_CHAIN:
  case BRINK_RULE_CHAIN_MINUS:
    return 2;
  case BRINK_RULE_POWER: /* its factors, too; and a higher order would be less accurate */
    return 5;
  case BRINK_RULE_SQUARE:
  case BRINK_RULE_SQRT:
    return 1;
  default:
    return 0;
  }
}

static uint32_t add(maker *m, brink_series_instruction i) {
  brink_series_program *s = m->series;
  if (!brink_arena_reserve(m->arena, s->instructions, s->count, m->capacity) ||
      !brink_arena_reserve(m->arena, m->index, s->count, m->index_capacity)) {
    m->failed = true;
    return 0;
  }
  i.degree = resulting(m, &i);
  m->index[s->count] = NONE;
  s->instructions[s->count] = i;
  s->multiplications += i.degree > 0 ? work_of(i.rule) : 0;
  return (uint32_t)s->count++;
}

/* An operator whose rule has the same operands. */
static uint32_t plain(maker *m, uint8_t rule, uint8_t op, uint32_t a, uint32_t b, uint32_t c) {
  return add(m, (brink_series_instruction){
                    .rule = rule, .op = op, .a = a, .b = b, .c = c, .x = a, .y = b, .z = c});
}

static uint32_t hidden(maker *m, uint8_t rule, uint8_t op, uint32_t a, uint32_t b) {
  uint32_t r = plain(m, rule, op, a, b, NONE);
  if (!m->failed) m->series->instructions[r].hidden = true;
  return r;
}

static uint32_t constant(maker *m, double value) {
  return add(m, (brink_series_instruction){.rule = BRINK_RULE_HELD,
                                           .op = BRINK_OP_CONST,
                                           .a = NONE,
                                           .b = NONE,
                                           .c = NONE,
                                           .x = NONE,
                                           .y = NONE,
                                           .z = NONE,
                                           .value = value,
                                           .hidden = true});
}

/* ---- building blocks ---- */

static uint32_t product(maker *m, uint32_t a, uint32_t b) {
  if (a == b) return hidden(m, BRINK_RULE_SQUARE, BRINK_OP_MUL, a, b);
  return hidden(m, BRINK_RULE_MUL, BRINK_OP_MUL, a, b);
}

/* k a_k; coefficient 0 is 0*a_0. */
static uint32_t index_of(maker *m, uint32_t a) {
  if (m->failed || m->index[a] != NONE) return m->failed ? 0 : m->index[a];
  uint32_t zero = constant(m, 0.0);
  uint32_t t = add(m, (brink_series_instruction){.rule = BRINK_RULE_INDEX,
                                                 .op = BRINK_OP_MUL,
                                                 .a = a,
                                                 .b = NONE,
                                                 .c = NONE,
                                                 .x = zero,
                                                 .y = a,
                                                 .z = NONE,
                                                 .hidden = true});
  if (!m->failed) m->index[a] = t;
  return t;
}

/* The integral of num/den, and op(x, y) for coefficient 0. */
static uint32_t integral(maker *m, uint8_t op, uint32_t x, uint32_t y, uint32_t num, uint32_t den) {
  uint32_t quotient = hidden(m, BRINK_RULE_DIV, BRINK_OP_DIV, num, den);
  return add(m, (brink_series_instruction){.rule = BRINK_RULE_INTEGRAL,
                                           .op = op,
                                           .a = quotient,
                                           .b = NONE,
                                           .c = NONE,
                                           .x = x,
                                           .y = y,
                                           .z = NONE});
}

/* v with v' = a' w; `w` may be a register still to come. */
static uint32_t chain(maker *m, uint8_t rule, uint8_t op, uint32_t a, uint32_t b, uint32_t w) {
  uint32_t t = index_of(m, a);
  return add(m, (brink_series_instruction){
                    .rule = rule, .op = op, .a = t, .b = w, .c = NONE, .x = a, .y = b, .z = NONE});
}

static uint32_t next_register(const maker *m) {
  return (uint32_t)m->series->count;
}

/* Sine and cosine (or their hyperbolic kin) of one argument, next to each other. */
static uint32_t pair(maker *m, brink_node argument, uint8_t op) {
  bool circular = op == BRINK_OP_SIN || op == BRINK_OP_COS;
  uint32_t *sine = &m->pairs[circular ? 0 : 1][argument], a = m->at[argument];
  if (*sine == NONE) {
    index_of(m, a);
    *sine = chain(m, BRINK_RULE_CHAIN, circular ? BRINK_OP_SIN : BRINK_OP_SINH, a, NONE,
                  next_register(m) + 1);
    chain(m, circular ? BRINK_RULE_CHAIN_MINUS : BRINK_RULE_CHAIN,
          circular ? BRINK_OP_COS : BRINK_OP_COSH, a, NONE, *sine);
  }
  return op == BRINK_OP_SIN || op == BRINK_OP_SINH ? *sine : *sine + 1;
}

/* v' = a' w, w = 1 + sign v^2. */
static uint32_t tangent(maker *m, uint8_t op, uint32_t a) {
  index_of(m, a);
  uint32_t one = constant(m, 1.0);
  uint32_t v = next_register(m);
  chain(m, BRINK_RULE_CHAIN, op, a, NONE, v + 2);
  uint32_t square = product(m, v, v);
  bool hyperbolic = op == BRINK_OP_TANH;
  uint32_t w = hidden(m, hyperbolic ? BRINK_RULE_SUB : BRINK_RULE_ADD,
                      hyperbolic ? BRINK_OP_SUB : BRINK_OP_ADD, one, square);
  if (m->failed) return 0;
  m->series->instructions[w].secant = hyperbolic;
  if (hyperbolic) m->series->instructions[w].x = a;
  return v;
}

static uint32_t arc(maker *m, uint8_t op, uint32_t a) {
  uint32_t t = index_of(m, a), one = constant(m, 1.0);
  if (op == BRINK_OP_ATAN)
    return integral(m, op, a, NONE, t,
                    hidden(m, BRINK_RULE_ADD, BRINK_OP_ADD, one, product(m, a, a)));
  uint32_t less = hidden(m, BRINK_RULE_SUB, BRINK_OP_SUB, one, a);
  uint32_t more = hidden(m, BRINK_RULE_ADD, BRINK_OP_ADD, one, a);
  uint32_t root = hidden(m, BRINK_RULE_SQRT, BRINK_OP_SQRT, product(m, less, more), NONE);
  if (op == BRINK_OP_ACOS) t = hidden(m, BRINK_RULE_NEG, BRINK_OP_NEG, t, NONE);
  return integral(m, op, a, NONE, t, root);
}

static uint32_t squares(maker *m, uint32_t a, uint32_t b) {
  uint32_t aa = product(m, a, a);
  return hidden(m, BRINK_RULE_ADD, BRINK_OP_ADD, aa, product(m, b, b));
}

static uint32_t angle(maker *m, uint32_t y, uint32_t x) {
  uint32_t ty = index_of(m, y), tx = index_of(m, x);
  uint32_t turn = product(m, x, ty);
  turn = hidden(m, BRINK_RULE_SUB, BRINK_OP_SUB, turn, product(m, y, tx));
  return integral(m, BRINK_OP_ATAN2, y, x, turn, squares(m, x, y));
}

static uint32_t logarithm(maker *m, uint8_t op, uint32_t a) {
  uint32_t t = index_of(m, a);
  if (op == BRINK_OP_LOG10) {
    uint32_t factor = constant(m, 0.43429448190325182765); /* 1 / ln 10 */
    t = hidden(m, BRINK_RULE_SCALE, BRINK_OP_MUL, factor, t);
  }
  return integral(m, op, a, NONE, t, a);
}

/* a^n, n > 0, by squaring. */
static uint32_t whole_power(maker *m, uint32_t a, int n) {
  uint32_t half = n > 1 ? whole_power(m, a, n / 2) : a;
  if (n == 1) return a;
  uint32_t even = product(m, half, half);
  return n % 2 == 0 ? even : product(m, even, a);
}

/* a^r for r = n/2 with small n: products, a root, a quotient, where that costs no more than the rule for powers; and
 * whole powers that are positive have series at a = 0. NONE: another exponent. */
static uint32_t simple_power(maker *m, uint32_t a, double r) {
  double size = fabs(r), twice = 2.0 * size;
  if (!(twice >= 1.0 && twice <= 32.0) || twice != floor(twice)) return NONE;
  if (r < -1.0 && r != -2.0) return NONE;
  int whole = (int)size;
  bool half = size != whole;
  uint32_t v = whole > 0 ? whole_power(m, a, whole) : NONE;
  if (half) {
    uint32_t root = hidden(m, BRINK_RULE_SQRT, BRINK_OP_SQRT, a, NONE);
    v = v == NONE ? root : product(m, v, root);
  }
  if (r < 0.0) {
    uint32_t one = constant(m, 1.0);
    v = hidden(m, BRINK_RULE_DIV, BRINK_OP_DIV, one, v);
  }
  return v;
}

/* The same series, with the value that pow gives as coefficient 0. */
static uint32_t with_lead(maker *m, uint32_t v, uint32_t a, uint32_t b) {
  brink_series_instruction *i = &m->series->instructions[v];
  if (m->failed || v == a) return v;
  i->op = BRINK_OP_POW;
  i->x = a;
  i->y = b;
  return v;
}

static uint32_t power(maker *m, uint32_t a, uint32_t b) {
  if (m->failed) return 0;
  const brink_series_instruction *exponent_of = &m->series->instructions[b];
  if (is_held(m, b) && exponent_of->op == BRINK_OP_CONST) {
    uint32_t v = simple_power(m, a, exponent_of->value);
    if (v != NONE) return with_lead(m, v, a, b);
  }
  if (is_held(m, b)) return plain(m, BRINK_RULE_POWER, BRINK_OP_POW, a, b, NONE);
  uint32_t exponent = product(m, b, logarithm(m, BRINK_OP_LOG, a));
  uint32_t t = index_of(m, exponent), v = next_register(m);
  return add(m, (brink_series_instruction){.rule = BRINK_RULE_CHAIN,
                                           .op = BRINK_OP_POW,
                                           .a = t,
                                           .b = v,
                                           .c = NONE,
                                           .x = a,
                                           .y = b,
                                           .z = NONE});
}

static uint32_t norm(maker *m, uint32_t a, uint32_t b) {
  uint32_t sum = squares(m, a, b);
  return add(m, (brink_series_instruction){.rule = BRINK_RULE_SQRT,
                                           .op = BRINK_OP_HYPOT,
                                           .a = sum,
                                           .b = NONE,
                                           .c = NONE,
                                           .x = a,
                                           .y = b,
                                           .z = NONE});
}

/* ---- nodes ---- */

static uint32_t two_operands(maker *m, uint8_t op, uint32_t a, uint32_t b) {
  switch (op) {
  case BRINK_OP_ADD:
    return plain(m, BRINK_RULE_ADD, op, a, b, NONE);
  case BRINK_OP_SUB:
    return plain(m, BRINK_RULE_SUB, op, a, b, NONE);
  case BRINK_OP_MUL:
    if (is_held(m, a)) return plain(m, BRINK_RULE_SCALE, op, a, b, NONE);
    if (is_held(m, b)) return plain(m, BRINK_RULE_SCALE, op, b, a, NONE);
    return plain(m, a == b ? BRINK_RULE_SQUARE : BRINK_RULE_MUL, op, a, b, NONE);
  case BRINK_OP_DIV:
    return plain(m, is_held(m, b) ? BRINK_RULE_SHRINK : BRINK_RULE_DIV, op, a, b, NONE);
  case BRINK_OP_POW:
    return power(m, a, b);
  case BRINK_OP_ATAN2:
    return angle(m, a, b);
  case BRINK_OP_HYPOT:
    return norm(m, a, b);
  case BRINK_OP_MIN:
    return plain(m, BRINK_RULE_MIN, op, a, b, NONE);
  default:
    return plain(m, BRINK_RULE_MAX, op, a, b, NONE);
  }
}

static uint32_t one_operand(maker *m, brink_node argument, uint8_t op) {
  uint32_t a = m->at[argument];
  switch (op) {
  case BRINK_OP_NEG:
    return plain(m, BRINK_RULE_NEG, op, a, NONE, NONE);
  case BRINK_OP_SQRT:
    return plain(m, BRINK_RULE_SQRT, op, a, NONE, NONE);
  case BRINK_OP_ABS:
    return plain(m, BRINK_RULE_ABS, op, a, NONE, NONE);
  case BRINK_OP_EXP:
    index_of(m, a);
    return chain(m, BRINK_RULE_CHAIN, op, a, NONE, next_register(m));
  case BRINK_OP_SIN:
  case BRINK_OP_COS:
  case BRINK_OP_SINH:
  case BRINK_OP_COSH:
    return pair(m, argument, op);
  case BRINK_OP_TAN:
  case BRINK_OP_TANH:
    return tangent(m, op, a);
  case BRINK_OP_LOG:
  case BRINK_OP_LOG10:
    return logarithm(m, op, a);
  default:
    return arc(m, op, a);
  }
}

static int ref_degree(const maker *m, const brink_ref *ref) {
  const int *known = ref->space == BRINK_SPACE_V ? m->degrees->v : m->degrees->x;
  bool varies =
      ref->space == BRINK_SPACE_X || ref->space == BRINK_SPACE_V || ref->space == BRINK_SPACE_DX;
  if (!varies) return 0;
  if (known == NULL) return BRINK_SERIES_FULL;
  int most = 0;
  for (size_t i = 0; i < m->graph->iterations && most < BRINK_SERIES_FULL; i++) {
    int degree = known[brink_ref_slot(ref, i)];
    if (ref->space == BRINK_SPACE_DX && degree > 0 && degree < BRINK_SERIES_FULL) degree--;
    most = larger(most, degree);
  }
  return most;
}

static uint32_t leaf(maker *m, const brink_expr_node *n) {
  brink_series_instruction i = {.op = n->op,
                                .a = n->a,
                                .b = NONE,
                                .c = NONE,
                                .x = NONE,
                                .y = NONE,
                                .z = NONE,
                                .value = n->value};
  if (n->op == BRINK_OP_TIME) i.rule = BRINK_RULE_TIME;
  if (n->op != BRINK_OP_REF) return add(m, i);
  int degree = ref_degree(m, &m->graph->refs[n->a]);
  i.rule = degree == 0 ? BRINK_RULE_HELD : BRINK_RULE_REF;
  uint32_t r = add(m, i);
  if (!m->failed) m->series->instructions[r].degree = degree;
  return r;
}

static uint32_t translate(maker *m, brink_node node) {
  const brink_expr_node *n = &m->graph->nodes[node];
  int operands = brink_op_operands((brink_op)n->op);
  if (operands == 0) return leaf(m, n);
  uint32_t a = m->at[n->a], b = operands > 1 ? m->at[n->b] : NONE;
  uint32_t c = operands > 2 ? m->at[n->c] : NONE;
  bool held = is_held(m, a) && (b == NONE || is_held(m, b)) && (c == NONE || is_held(m, c));
  bool switches = brink_op_is_step((brink_op)n->op) || n->op == BRINK_OP_ABS ||
                  n->op == BRINK_OP_MIN || n->op == BRINK_OP_MAX ||
                  (operands == 3 && !is_held(m, a));
  if (!held && switches) m->series->kinked = true;
  if (held || brink_op_is_step((brink_op)n->op)) return plain(m, BRINK_RULE_HELD, n->op, a, b, c);
  if (operands == 3) return plain(m, BRINK_RULE_SELECT, n->op, a, b, c);
  return operands == 2 ? two_operands(m, n->op, a, b) : one_operand(m, n->a, n->op);
}

/* ---- kernels ---- */

static bool mark_outputs(const brink_kernel *kernel, bool *used, brink_arena *arena) {
  brink_node *nodes = brink_arena_take(arena, 2 * kernel->noutputs, sizeof *nodes);
  size_t count = 0;
  if (nodes == NULL) return false;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    nodes[count++] = kernel->outputs[j].node;
    if (kernel->outputs[j].when != BRINK_NO_NODE) nodes[count++] = kernel->outputs[j].when;
  }
  return brink_graph_mark(&kernel->graph, nodes, count, used);
}

static bool make(maker *m, const brink_kernel *kernel) {
  size_t nodes = kernel->graph.nnodes;
  bool *used = brink_arena_take(m->arena, nodes, sizeof *used);
  m->at = brink_arena_take(m->arena, nodes, sizeof *m->at);
  for (int k = 0; k < 2; k++) m->pairs[k] = brink_arena_take(m->arena, nodes, sizeof *m->pairs[k]);
  m->series->outputs = brink_arena_take(m->arena, kernel->noutputs, sizeof *m->series->outputs);
  if (m->arena->failed || !mark_outputs(kernel, used, m->arena)) return false;
  for (int k = 0; k < 2; k++) memset(m->pairs[k], 0xff, nodes * sizeof *m->pairs[k]);
  for (size_t k = 0; k < nodes && !m->failed; k++) {
    if (used[k]) m->at[k] = translate(m, (brink_node)k);
  }
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_output *output = &kernel->outputs[j];
    m->series->outputs[j] =
        (brink_series_output){.value = m->at[output->node],
                              .when = output->when == BRINK_NO_NODE ? NONE : m->at[output->when]};
  }
  return !m->failed;
}

brink_series_program *brink_series_make(const brink_kernel *kernel,
                                        const brink_series_degrees *degrees, brink_arena *arena) {
  brink_series_program *series = brink_arena_take(arena, 1, sizeof *series);
  if (series == NULL) return NULL;
  series->kernel = kernel;
  maker m = {.series = series, .graph = &kernel->graph, .degrees = degrees, .arena = arena};
  return make(&m, kernel) ? series : NULL;
}

/* ---- degrees ---- */

/* What a kernel writes may have grown; true: it has. */
static bool raise(const brink_series_program *series, brink_series_degrees *degrees) {
  const brink_kernel *kernel = series->kernel;
  bool grown = false;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_ref *target = &kernel->outputs[j].target;
    const brink_series_instruction *i = &series->instructions[series->outputs[j].value];
    bool derivative = target->space == BRINK_SPACE_DX;
    if (!derivative && target->space != BRINK_SPACE_V) continue;
    bool zero = i->rule == BRINK_RULE_HELD && i->op == BRINK_OP_CONST && i->value == 0.0;
    int degree = derivative && !zero ? capped(i->degree + 1) : i->degree;
    int *known = derivative ? degrees->x : degrees->v;
    for (size_t k = 0; k < kernel->count; k++) {
      int *slot = &known[brink_ref_slot(target, k)];
      if (degree <= *slot) continue;
      *slot = degree;
      grown = true;
    }
  }
  return grown;
}

static void fill_up(brink_series_degrees *degrees, size_t nx, size_t nv) {
  for (size_t k = 0; k < nx; k++) degrees->x[k] = BRINK_SERIES_FULL;
  for (size_t k = 0; k < nv; k++) degrees->v[k] = BRINK_SERIES_FULL;
}

bool brink_series_find_degrees(const brink_program *program, size_t nx, size_t nz, size_t nv,
                               brink_arena *arena, brink_series_degrees *degrees) {
  degrees->x = brink_arena_take(arena, nx, sizeof(int));
  degrees->v = brink_arena_take(arena, nv, sizeof(int));
  if (arena->failed) return false;
  for (size_t k = nx - nz; k < nx; k++) degrees->x[k] = BRINK_SERIES_FULL;
  bool grown = true, ok = true;
  for (int pass = 0; grown && ok; pass++) { /* degrees only grow */
    grown = false;
    if (pass == MOST_PASSES) fill_up(degrees, nx, nv);
    brink_arena work;
    brink_arena_init(&work, &arena->allocator);
    for (size_t k = 0; k < program->nkernels && ok; k++) {
      const brink_series_program *series = brink_series_make(program->kernels[k], degrees, &work);
      ok = series != NULL;
      if (ok && raise(series, degrees)) grown = true;
    }
    brink_arena_free(&work);
  }
  return ok;
}
