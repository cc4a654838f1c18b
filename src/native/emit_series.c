/* emit_series.c: series programs as C (see expr/series.h).
 *
 * The text starts with the rules of num/series_rules.h, the very ones that the interpreter uses.
 * Small programs are written out, round by round, with every index a number: the compiler then keeps
 * what it can in registers (three times as fast as loops at order 20). Larger ones keep their loops:
 * over the iterations of a kernel, and inside the rules. Both forms, and the interpreter, do the same
 * operations in the same order. */
#include "native/emit.h"

#include <stdio.h>
#include <stdlib.h>

#include "native/series.h"

/* Multiplications that are written out, at most: about 0.1 s of compiling. */
#define WRITTEN_OUT 2400
/* Above this many instructions rules are called, not inlined: compiling stays linear, and fast. */
#define CALLED 120

/* One program while it is written. */
typedef struct writer {
  emitter *e;
  brink_text *to;
  const brink_series *series;
  size_t kernel;        /* its number in the program: part of the names */
  int order;            /* written out up to here; -1: loops */
  const char *rules;    /* prefix of the rules */
  bool guard;           /* variables and derivatives have values, but no series that anybody knows */
  /* The solution, written out: */
  const brink_flow *flow;
  const uint32_t *home, *home_kernel; /* the register behind each slot of V, and its kernel */
} writer;

/* ---- the rules ---- */

typedef struct rule_text {
  const char *name, *code;
} rule_text;

static const rule_text rule_texts[] = {
#define SERIES_RULE(name, ...) {#name, #__VA_ARGS__},
#include "num/series_rules.h"
#undef SERIES_RULE
};

void emit_series_rules(const emitter *e, brink_text *to) {
  size_t count = sizeof rule_texts / sizeof *rule_texts;
  if (e->loops) {
    brink_text_add(to, "#define SERIES_UNROLL\n#define SERIES_INLINE static %s\n",
                   e->called ? "__attribute__((noinline))" : "inline");
    for (size_t k = 0; k < count; k++) brink_text_add(to, "%s\n", rule_texts[k].code);
    brink_text_add(to, "#undef SERIES_UNROLL\n#undef SERIES_INLINE\n");
  }
  if (!e->written_out) return;
  brink_text_add(to, "#define SERIES_UNROLL _Pragma(\"GCC unroll 64\")\n"
                     "#define SERIES_INLINE static inline __attribute__((always_inline))\n");
  for (size_t k = 0; k < count; k++)
    brink_text_add(to, "#define series_%s known_%s\n", rule_texts[k].name, rule_texts[k].name);
  for (size_t k = 0; k < count; k++) brink_text_add(to, "%s\n", rule_texts[k].code);
  for (size_t k = 0; k < count; k++) brink_text_add(to, "#undef series_%s\n", rule_texts[k].name);
}

/* ---- names ---- */

static const brink_ref *ref_of(const writer *w, const brink_series_instruction *i) {
  return &w->series->kernel->graph.refs[i->a];
}

static void slot(writer *w, const brink_ref *ref) {
  if (w->series->kernel->count == 1) {
    brink_text_add(w->to, "%zu", brink_ref_slot(ref, 0));
  } else if (ref->map != NULL) {
    brink_text_add(w->to, "T->maps[%u][i]", emit_map(w->e, ref->map));
  } else {
    brink_text_add(w->to, "T->numbers[%u]", emit_number(w->e, ref->base));
    if (ref->stride != 0)
      brink_text_add(w->to, " %c %lluu*i", ref->stride > 0 ? '+' : '-',
                     (unsigned long long)llabs((long long)ref->stride));
  }
}

/* Is the register a row that is given, and does it have a name of its own? */
static bool is_given(const writer *w, const brink_series_instruction *i) {
  if (i->rule == BRINK_RULE_TIME) return true;
  if (i->rule != BRINK_RULE_REF) return false;
  brink_space space = ref_of(w, i)->space;
  return space == BRINK_SPACE_X || (space == BRINK_SPACE_V && !w->guard);
}

static void row_in(writer *w, size_t kernel, uint32_t reg);

/* The row of a variable, written out: that of the register which defines it. */
static void home_row(writer *w, const brink_ref *ref) {
  size_t v = brink_ref_slot(ref, 0);
  row_in(w, w->home_kernel[v], w->home[v]);
}

/* The row of a register of a kernel: an array, or a pointer into memory. */
static void row_in(writer *w, size_t kernel, uint32_t reg) {
  const brink_series *series = w->flow != NULL ? w->flow->series[kernel] : w->series;
  const brink_series_instruction *i = &series->instructions[reg];
  const brink_ref *ref = i->rule == BRINK_RULE_REF ? &series->kernel->graph.refs[i->a] : NULL;
  if (i->rule == BRINK_RULE_TIME)
    brink_text_add(w->to, "t");
  else if (w->flow != NULL && ref != NULL && ref->space == BRINK_SPACE_X)
    brink_text_add(w->to, "x%zu", brink_ref_slot(ref, 0));
  else if (w->flow != NULL && ref != NULL && ref->space == BRINK_SPACE_V)
    home_row(w, ref);
  else
    brink_text_add(w->to, "r%zu_%u", kernel, reg);
}

static void row(writer *w, uint32_t reg) {
  row_in(w, w->kernel, reg);
}

static void at(writer *w, uint32_t reg, const char *k) {
  row(w, reg);
  brink_text_add(w->to, "[%s]", k);
}

/* ---- coefficient 0 ---- */

static void lead_ref(writer *w, const brink_ref *ref) {
  static const char *const members[BRINK_SPACE_COUNT] = {[BRINK_SPACE_P] = "p",
                                                         [BRINK_SPACE_MODE] = "mode",
                                                         [BRINK_SPACE_SIGN] = "sgn",
                                                         [BRINK_SPACE_V] = "v",
                                                         [BRINK_SPACE_DX] = "dx",
                                                         [BRINK_SPACE_K] = "k",
                                                         [BRINK_SPACE_PRE_X] = "pre_x",
                                                         [BRINK_SPACE_PRE_P] = "pre_p",
                                                         [BRINK_SPACE_PRE_MODE] = "pre_mode"};
  bool known = ref->space == BRINK_SPACE_X || !w->guard;
  switch (known ? ref->space : BRINK_SPACE_COUNT) {
  case BRINK_SPACE_X:
    brink_text_add(w->to, "x[");
    slot(w, ref);
    brink_text_add(w->to, "][0]");
    break;
  case BRINK_SPACE_V: /* one that does not vary */
    if (w->flow != NULL) {
      home_row(w, ref);
      brink_text_add(w->to, "[0]");
      break;
    }
    brink_text_add(w->to, "v[(");
    slot(w, ref);
    brink_text_add(w->to, ")*L]");
    break;
  case BRINK_SPACE_DX:
    brink_text_add(w->to, "x[");
    slot(w, ref);
    brink_text_add(w->to, "][1]/h");
    break;
  default:
    brink_text_add(w->to, "f->%s[", members[ref->space]);
    slot(w, ref);
    brink_text_add(w->to, "]");
  }
}

static const char *infix(uint8_t op) {
  switch (op) {
  case BRINK_OP_ADD:
    return " + ";
  case BRINK_OP_SUB:
    return " - ";
  case BRINK_OP_MUL:
    return "*";
  case BRINK_OP_DIV:
    return "/";
  case BRINK_OP_LT:
    return " < ";
  case BRINK_OP_LE:
    return " <= ";
  case BRINK_OP_EQ:
    return " == ";
  case BRINK_OP_NE:
    return " != ";
  default:
    return NULL;
  }
}

static void lead_infix(writer *w, const brink_series_instruction *i) {
  bool relation = i->op == BRINK_OP_LT || i->op == BRINK_OP_LE || i->op == BRINK_OP_EQ ||
                  i->op == BRINK_OP_NE;
  at(w, i->x, "0");
  brink_text_add(w->to, "%s", infix(i->op));
  at(w, i->y, "0");
  if (relation) brink_text_add(w->to, " ? 1.0 : 0.0");
}

static void lead_logical(writer *w, const brink_series_instruction *i) {
  if (i->op == BRINK_OP_NOT) {
    at(w, i->x, "0");
    brink_text_add(w->to, " == 0.0 ? 1.0 : 0.0");
    return;
  }
  at(w, i->x, "0");
  brink_text_add(w->to, " != 0.0 %s ", i->op == BRINK_OP_AND ? "&&" : "||");
  at(w, i->y, "0");
  brink_text_add(w->to, " != 0.0 ? 1.0 : 0.0");
}

static void lead_call(writer *w, const brink_series_instruction *i) {
  brink_text_add(w->to, "%s(", emit_function_name(i->op));
  at(w, i->x, "0");
  if (brink_op_operands((brink_op)i->op) > 1) {
    brink_text_add(w->to, ", ");
    at(w, i->y, "0");
  }
  brink_text_add(w->to, ")");
}

static void lead(writer *w, const brink_series_instruction *i) {
  w->e->ops |= UINT64_C(1) << (i->secant ? BRINK_OP_COSH : i->op);
  if (i->secant) {
    brink_text_add(w->to, "1.0/(cosh(");
    at(w, i->x, "0");
    brink_text_add(w->to, ")*cosh(");
    at(w, i->x, "0");
    brink_text_add(w->to, "))");
    return;
  }
  switch (i->op) {
  case BRINK_OP_CONST:
    emit_constant(w->to, i->value);
    break;
  case BRINK_OP_REF:
    lead_ref(w, ref_of(w, i));
    break;
  case BRINK_OP_NEG:
    brink_text_add(w->to, "-");
    at(w, i->x, "0");
    break;
  case BRINK_OP_SELECT:
    at(w, i->x, "0");
    brink_text_add(w->to, " != 0.0 ? ");
    at(w, i->y, "0");
    brink_text_add(w->to, " : ");
    at(w, i->z, "0");
    break;
  case BRINK_OP_RANDOM:
    brink_text_add(w->to, "T->random(f->seed, ");
    at(w, i->x, "0");
    brink_text_add(w->to, ", ");
    at(w, i->y, "0");
    brink_text_add(w->to, ")");
    break;
  case BRINK_OP_AND:
  case BRINK_OP_OR:
  case BRINK_OP_NOT:
    lead_logical(w, i);
    break;
  default:
    if (infix(i->op) != NULL)
      lead_infix(w, i);
    else
      lead_call(w, i);
  }
}

/* ---- coefficient k > 0 ---- */

static int degree(const writer *w, uint32_t reg) {
  return w->series->instructions[reg].degree;
}

/* Coefficient k, or a zero where that is known: its place may not exist. */
static void coefficient(writer *w, uint32_t reg, const char *k, int number) {
  if (number > degree(w, reg))
    brink_text_add(w->to, "0.0");
  else
    at(w, reg, k);
}

/* Is it known that the series has no coefficient here? Held ones have the first alone. */
static bool ended(const writer *w, uint32_t reg, int number) {
  return degree(w, reg) == 0 || number > degree(w, reg);
}

static void one_of_sum(writer *w, uint32_t reg, bool minus, const char *k) {
  if (minus) brink_text_add(w->to, "-");
  at(w, reg, k);
}

/* a + b or a - b; the other one, where one of them has ended. */
static void sum(writer *w, const brink_series_instruction *i, const char *k, int number) {
  bool minus = i->rule == BRINK_RULE_SUB;
  uint32_t operands[2] = {i->a, i->b};
  for (int n = 0; n < 2; n++) {
    uint32_t other = operands[1 - n];
    if (ended(w, operands[n], number)) {
      one_of_sum(w, other, minus && n == 0, k);
      return;
    }
  }
  for (int n = 0; number < 0 && n < 2; n++) { /* a loop finds out when it gets there */
    if (degree(w, operands[n]) == BRINK_SERIES_FULL) continue;
    brink_text_add(w->to, "k > %d ? ", degree(w, operands[n]));
    one_of_sum(w, operands[1 - n], minus && n == 0, k);
    brink_text_add(w->to, " : ");
  }
  at(w, i->a, k);
  brink_text_add(w->to, minus ? " - " : " + ");
  at(w, i->b, k);
}

static void call(writer *w, const char *rule, const char *k) {
  brink_text_add(w->to, "%s_%s(%s, ", w->rules, rule, k);
}

static void rows_of(writer *w, uint32_t a, uint32_t b) {
  row(w, a);
  brink_text_add(w->to, ", ");
  row(w, b);
  brink_text_add(w->to, ")");
}

static void follow_function(writer *w, const brink_series_instruction *i, uint32_t reg,
                            const char *k, int number) {
  switch (i->rule) {
  case BRINK_RULE_MUL:
    call(w, "mul", k);
    brink_text_add(w->to, "%d, %d, ", degree(w, i->a), degree(w, i->b));
    rows_of(w, i->a, i->b);
    break;
  case BRINK_RULE_SQUARE:
    call(w, "pairs", k);
    brink_text_add(w->to, "0, %d, ", degree(w, i->a));
    row(w, i->a);
    brink_text_add(w->to, ")");
    break;
  case BRINK_RULE_DIV:
    call(w, "div", k);
    brink_text_add(w->to, "%d, ", degree(w, i->b));
    coefficient(w, i->a, k, number);
    brink_text_add(w->to, ", ");
    rows_of(w, i->b, reg);
    break;
  case BRINK_RULE_RIDE:
  case BRINK_RULE_FALL:
    if (i->rule == BRINK_RULE_FALL) brink_text_add(w->to, "-");
    call(w, "ride", k);
    brink_text_add(w->to, "%d, ", degree(w, i->a));
    rows_of(w, i->a, i->b);
    break;
  case BRINK_RULE_SQRT:
    call(w, "sqrt", k);
    coefficient(w, i->a, k, number);
    brink_text_add(w->to, ", ");
    row(w, reg);
    brink_text_add(w->to, ")");
    break;
  case BRINK_RULE_POWER:
    call(w, "power", k);
    at(w, i->b, "0");
    brink_text_add(w->to, ", ");
    rows_of(w, i->a, reg);
    break;
  case BRINK_RULE_ABS:
    call(w, "abs", k);
    row(w, i->a);
    brink_text_add(w->to, ")");
    break;
  default: /* MIN, MAX */
    call(w, "least", k);
    brink_text_add(w->to, i->rule == BRINK_RULE_MIN ? "1.0, " : "-1.0, ");
    rows_of(w, i->a, i->b);
  }
}

static void follow(writer *w, const brink_series_instruction *i, uint32_t reg, const char *k,
                   int number) {
  switch (i->rule) {
  case BRINK_RULE_REF: /* a derivative */
    if (w->guard) {
      brink_text_add(w->to, "__builtin_nan(\"\")");
      break;
    }
    brink_text_add(w->to, "(%s + 1)*x[", k);
    slot(w, ref_of(w, i));
    brink_text_add(w->to, "][%s + 1]/h", k);
    break;
  case BRINK_RULE_ADD:
  case BRINK_RULE_SUB:
    sum(w, i, k, number);
    break;
  case BRINK_RULE_NEG:
    brink_text_add(w->to, "-");
    at(w, i->a, k);
    break;
  case BRINK_RULE_SCALE:
    at(w, i->a, "0");
    brink_text_add(w->to, "*");
    at(w, i->b, k);
    break;
  case BRINK_RULE_SHRINK:
    at(w, i->a, k);
    brink_text_add(w->to, "/");
    at(w, i->b, "0");
    break;
  case BRINK_RULE_INDEX:
    brink_text_add(w->to, "%s*", k);
    at(w, i->a, k);
    break;
  case BRINK_RULE_INTEGRAL:
    at(w, i->a, k);
    brink_text_add(w->to, "/%s", k);
    break;
  case BRINK_RULE_SELECT:
    at(w, i->a, "0");
    brink_text_add(w->to, " != 0.0 ? ");
    if (ended(w, i->b, number))
      brink_text_add(w->to, "0.0");
    else
      at(w, i->b, k);
    brink_text_add(w->to, " : ");
    if (ended(w, i->c, number))
      brink_text_add(w->to, "0.0");
    else
      at(w, i->c, k);
    break;
  default:
    follow_function(w, i, reg, k, number);
  }
}

/* Rules that look at whole rows need them to their full length. */
static bool needs_rows(const brink_series_instruction *i) {
  return i->rule == BRINK_RULE_ABS || i->rule == BRINK_RULE_MIN || i->rule == BRINK_RULE_MAX ||
         i->rule == BRINK_RULE_POWER;
}

/* ---- one round ---- */

/* Round `number` written out, or round k of a loop if number < 0: `text` is how k is written. */
static void round_of(writer *w, int number, const char *text) {
  for (size_t n = 0; n < w->series->count; n++) {
    const brink_series_instruction *i = &w->series->instructions[n];
    if (is_given(w, i) || (number != 0 && i->degree == 0) || number > i->degree) continue;
    brink_text_add(w->to, "  ");
    bool limited = number < 0 && i->degree < BRINK_SERIES_FULL;
    if (limited) brink_text_add(w->to, "if (k <= %d) ", i->degree);
    at(w, (uint32_t)n, text);
    brink_text_add(w->to, " = ");
    if (number == 0)
      lead(w, i);
    else
      follow(w, i, (uint32_t)n, text, number);
    brink_text_add(w->to, ";\n");
  }
}

/* Does the series fit the unrolled form? Rows that are looked at as a whole must not end early. */
static bool may_write_out(const brink_series *series) {
  for (size_t n = 0; n < series->count; n++) {
    const brink_series_instruction *i = &series->instructions[n];
    const brink_series_instruction *all = series->instructions;
    if (!needs_rows(i)) continue;
    if (all[i->a].degree < BRINK_SERIES_FULL) return false;
    if (i->rule != BRINK_RULE_POWER && i->rule != BRINK_RULE_ABS &&
        all[i->b].degree < BRINK_SERIES_FULL)
      return false;
  }
  return true;
}

static void declare_rows(writer *w, int order) {
  for (size_t n = 0; n < w->series->count; n++) {
    const brink_series_instruction *i = &w->series->instructions[n];
    if (is_given(w, i)) continue;
    int last = i->degree < order ? i->degree : order;
    brink_text_add(w->to, "  double r%zu_%zu[%d];\n", w->kernel, n, last + 1);
  }
}

/* Pointers to the rows of iteration i: those that are given, and, in loops, those in memory. */
static void point_at_rows(writer *w) {
  for (size_t n = 0; n < w->series->count; n++) {
    const brink_series_instruction *i = &w->series->instructions[n];
    if (i->rule == BRINK_RULE_TIME) continue;
    if (!is_given(w, i)) {
      if (w->order < 0)
        brink_text_add(w->to, "  double *r%zu_%zu = w + %zu*L;\n", w->kernel, n, n);
      continue;
    }
    bool state = ref_of(w, i)->space == BRINK_SPACE_X;
    brink_text_add(w->to, "  const double *r%zu_%zu = %s", w->kernel, n, state ? "x[" : "v + (");
    slot(w, ref_of(w, i));
    brink_text_add(w->to, state ? "];\n" : ")*L;\n");
  }
}

/* ---- guards ---- */

/* The order up to which the series of a guard is written out; -1: not at all. */
static int guard_order(const emitter *e, const brink_series *series) {
  int order = e->options->guard_order;
  if (order == 0 || !may_write_out(series) ||
      series->multiplications * (size_t)(order * order) > 2 * WRITTEN_OUT)
    return -1;
  return order;
}

static void guard_written_out(writer *w, uint32_t output) {
  declare_rows(w, w->order);
  point_at_rows(w);
  for (int k = 0; k <= w->order; k++) {
    char text[16];
    snprintf(text, sizeof text, "%d", k);
    round_of(w, k, text);
    brink_text_add(w->to, "  g[%d] = ", k);
    coefficient(w, output, text, k);
    brink_text_add(w->to, ";\n  if (p == %d) return;\n", k);
  }
}

static void guard_in_loops(writer *w, uint32_t output) {
  const brink_series *series = w->series;
  size_t scratch = series->count * (BRINK_SERIES_ORDER + 1);
  if (scratch > w->e->out->scratch) w->e->out->scratch = scratch;
  brink_text_add(w->to,
                 "  const size L = (size)p + 1;\n"
                 "  double *w = T->scratch;\n"
                 "  for (size n = 0; n < %zu*L; n++) w[n] = 0.0;\n",
                 series->count);
  point_at_rows(w);
  round_of(w, 0, "0");
  brink_text_add(w->to, "  for (int k = 1; k <= p; k++) {\n");
  round_of(w, -1, "k");
  brink_text_add(w->to, "  }\n  for (size k = 0; k < L; k++) g[k] = ");
  at(w, output, "k");
  brink_text_add(w->to, ";\n");
}

void emit_guard_series(emitter *e, const brink_kernel *kernel, uint32_t number) {
  static const brink_series_degrees unknown = {0};
  const brink_series *series = brink_series_make(kernel, &unknown, &e->work);
  if (series == NULL) {
    e->failed = true;
    return;
  }
  int order = guard_order(e, series);
  writer w = {.e = e,
              .to = &e->body,
              .series = series,
              .order = order,
              .rules = order >= 0 ? "known" : "series",
              .guard = true};
  e->ops |= UINT64_C(1) << BRINK_OP_POW;
  *(order >= 0 ? &e->written_out : &e->loops) = true;
  if (order < 0 && series->count > CALLED) e->called = true;
  brink_text_add(&e->body,
                 "static void %sj%u(const frame *f, const tables *T, size i, int p, const double *t,\n"
                 "               const double *const *x, double *g) {\n",
                 order >= 0 ? "known_" : "", number);
  if (order >= 0)
    guard_written_out(&w, series->outputs[0].value);
  else
    guard_in_loops(&w, series->outputs[0].value);
  brink_text_add(&e->body, "}\n\n");
  if (order < 0) return;
  /* Other orders, as those of a predictor, take the loops. */
  w.order = -1;
  w.rules = "series";
  e->loops = true;
  brink_text_add(&e->body,
                 "static void j%u(const frame *f, const tables *T, size i, int p, const double *t,\n"
                 "               const double *const *x, double *g) {\n"
                 "  if (p <= %d) {\n    known_j%u(f, T, i, p, t, x, g);\n    return;\n  }\n",
                 number, order, number);
  guard_in_loops(&w, series->outputs[0].value);
  brink_text_add(&e->body, "}\n\n");
}

/* ---- the solution ---- */

/* Written out? All kernels of one iteration, all outputs plain, not too much. */
static bool flow_fits(const brink_flow *flow, int order) {
  size_t work = 0;
  for (size_t n = 0; n < flow->program->nkernels; n++) {
    const brink_kernel *kernel = flow->program->kernels[n];
    if (kernel->count != 1 || kernel->accumulate || !may_write_out(flow->series[n])) return false;
    work += flow->series[n]->multiplications + flow->series[n]->count / 8;
    for (size_t j = 0; j < kernel->noutputs; j++) {
      if (flow->series[n]->outputs[j].when != BRINK_NO_INDEX) return false;
    }
  }
  return work * (size_t)(order * order) <= 2 * WRITTEN_OUT;
}

/* Which register defines each variable, and the rows of states. */
static bool find_homes(emitter *e, const brink_flow *flow, uint32_t **home, uint32_t **kernel) {
  *home = brink_arena_take(&e->work, flow->nv, sizeof **home);
  *kernel = brink_arena_take(&e->work, flow->nv, sizeof **kernel);
  if (*home == NULL || *kernel == NULL) return false;
  for (size_t n = 0; n < flow->program->nkernels; n++) {
    const brink_kernel *k = flow->program->kernels[n];
    for (size_t j = 0; j < k->noutputs; j++) {
      if (k->outputs[j].target.space != BRINK_SPACE_V) continue;
      size_t v = brink_ref_slot(&k->outputs[j].target, 0);
      (*home)[v] = flow->series[n]->outputs[j].value;
      (*kernel)[v] = (uint32_t)n;
    }
  }
  return true;
}

static void flow_outputs(writer *w, int k, const char *text) {
  const brink_kernel *kernel = w->series->kernel;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_ref *target = &kernel->outputs[j].target;
    if (target->space != BRINK_SPACE_DX) continue;
    size_t state = brink_ref_slot(target, 0);
    brink_text_add(w->to, "  x%zu[%d] = x[%zu][%d] = ", state, k + 1, state, k + 1);
    coefficient(w, w->series->outputs[j].value, text, k);
    brink_text_add(w->to, "*g%d;\n", k);
  }
}

static void flow_written_out(emitter *e, const brink_flow *flow, int order) {
  uint32_t *home, *home_kernel;
  if (!find_homes(e, flow, &home, &home_kernel)) {
    e->failed = true;
    return;
  }
  writer w = {.e = e,
              .to = &e->body,
              .order = order,
              .rules = "known",
              .flow = flow,
              .home = home,
              .home_kernel = home_kernel};
  e->written_out = true;
  brink_text_add(w.to,
                 "static void known_flow(const frame *f, const tables *T, int p, double h,\n"
                 "                 double *const *x) {\n  const double t[2] = {f->t, h};\n");
  for (size_t i = 0; i < flow->nx; i++)
    brink_text_add(w.to, "  double x%zu[%d];\n  x%zu[0] = x[%zu][0];\n", i, order + 1, i, i);
  for (w.kernel = 0; w.kernel < flow->program->nkernels; w.kernel++) {
    w.series = flow->series[w.kernel];
    declare_rows(&w, order);
  }
  for (int k = 0; k < order; k++) {
    char text[16];
    snprintf(text, sizeof text, "%d", k);
    brink_text_add(w.to, "  const double g%d = h/%d.0;\n", k, k + 1);
    for (w.kernel = 0; w.kernel < flow->program->nkernels; w.kernel++) {
      w.series = flow->series[w.kernel];
      round_of(&w, k, text);
      flow_outputs(&w, k, text);
    }
    if (k + 1 < order) brink_text_add(w.to, "  if (p == %d) return;\n", k + 1);
  }
  brink_text_add(w.to, "}\n\n");
}

/* Where output j of a loop goes. */
static void loop_target(writer *w, size_t j, bool clear) {
  const brink_kernel *kernel = w->series->kernel;
  const brink_ref *target = &kernel->outputs[j].target;
  bool derivative = target->space == BRINK_SPACE_DX;
  brink_text_add(w->to, derivative ? "x[" : "v[(");
  slot(w, target);
  brink_text_add(w->to, derivative ? "][k + 1]" : ")*L + (size)k]");
  brink_text_add(w->to, clear || !kernel->accumulate ? " = " : " += ");
}

static void loop_outputs(writer *w, const char *k) {
  const brink_kernel *kernel = w->series->kernel;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_series_output *output = &w->series->outputs[j];
    brink_space space = kernel->outputs[j].target.space;
    if (space != BRINK_SPACE_DX && space != BRINK_SPACE_V) continue;
    brink_text_add(w->to, "  ");
    if (output->when != BRINK_NO_INDEX) {
      brink_text_add(w->to, "if (");
      at(w, output->when, "0");
      brink_text_add(w->to, " != 0.0) ");
    }
    loop_target(w, j, false);
    bool held = w->series->instructions[output->value].degree == 0;
    if (held && k[0] == 'k')
      brink_text_add(w->to, "0.0");
    else
      at(w, output->value, k);
    brink_text_add(w->to, space == BRINK_SPACE_DX ? "*g;\n" : ";\n");
  }
}

static void begin_loop(writer *w) {
  brink_text_add(w->to, "  for (size i = 0; i < count; i++, w += %zu*L) {\n", w->series->count);
  point_at_rows(w);
}

/* One kernel: f<n>(…, k, …) does round k of all iterations. */
static void flow_kernel(writer *w) {
  const brink_kernel *kernel = w->series->kernel;
  brink_text_add(w->to,
                 "static void f%zu(const frame *f, const tables *T, size count, int k, size L, double h,\n"
                 "               double *const *x, double *v, const double *t, double *w) {\n"
                 "  const double g = h/(k + 1);\n",
                 w->kernel);
  if (kernel->accumulate) {
    brink_text_add(w->to, "  for (size i = 0; i < count; i++) {\n");
    for (size_t j = 0; j < kernel->noutputs; j++) {
      brink_text_add(w->to, "  ");
      loop_target(w, j, true);
      brink_text_add(w->to, "0.0;\n");
    }
    brink_text_add(w->to, "  }\n");
  }
  brink_text_add(w->to, "  if (k == 0) {\n");
  begin_loop(w);
  round_of(w, 0, "0");
  loop_outputs(w, "0");
  brink_text_add(w->to, "  }\n  return;\n  }\n");
  begin_loop(w);
  round_of(w, -1, "k");
  loop_outputs(w, "k");
  brink_text_add(w->to, "  }\n}\n\n");
}

static void flow_in_loops(emitter *e, const brink_flow *flow) {
  writer w = {.e = e, .to = &e->body, .order = -1, .rules = "series"};
  e->loops = true;
  for (w.kernel = 0; w.kernel < flow->program->nkernels; w.kernel++) {
    w.series = flow->series[w.kernel];
    if (w.series->count > CALLED) e->called = true;
    flow_kernel(&w);
  }
}

void emit_flow(emitter *e) {
  const brink_flow *flow = e->options->flow;
  int order = e->options->flow_order;
  bool known = flow_fits(flow, order);
  e->ops |= UINT64_C(1) << BRINK_OP_POW;
  if (known) flow_written_out(e, flow, order);
  flow_in_loops(e, flow);
  brink_text_add(&e->body,
                 "static void flow(const frame *f, const tables *T, int p, double h,\n"
                 "                 double *const *x, double *s) {\n");
  if (known)
    brink_text_add(&e->body, "  if (p <= %d) {\n    known_flow(f, T, p, h, x);\n    return;\n  }\n",
                   order);
  brink_text_add(&e->body,
                 "  const size L = (size)p + 1, all = T->numbers[%u]*L, nv = T->numbers[%u];\n"
                 "  double *v = s, *t = v + nv*L;\n"
                 "  for (size n = 0; n < all; n++) s[n] = 0.0;\n"
                 "  t[0] = f->t;\n  if (p > 0) t[1] = h;\n"
                 "  for (int k = 0; k < p; k++) {\n    double *w = t + L;\n",
                 emit_number(e, flow->registers), emit_number(e, flow->nv));
  for (size_t n = 0; n < flow->program->nkernels; n++) {
    uint32_t count = emit_number(e, flow->program->kernels[n]->count);
    brink_text_add(&e->body,
                   "    f%zu(f, T, T->numbers[%u], k, L, h, x, v, t, w);\n"
                   "    w += T->numbers[%u]*%zu*L;\n",
                   n, count, count, flow->series[n]->count);
  }
  brink_text_add(&e->body, "  }\n}\n\n");
}
