/* emit_series.c: series programs as C (see expr/series.h).
 *
 * The text starts with the rules of num/series_rules.inc, the very ones that the interpreter uses. Small
 * programs are written out besides, round by round, iteration by iteration, with a local variable for
 * every coefficient: the compiler then keeps what it can in registers (three times as fast as loops at
 * order 20). Larger ones have their loops only: over the iterations of a kernel, and inside the rules.
 * Both forms, and the interpreter, do the same operations in the same order. */
#include "native/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/series.h"

/* Products that are written out, at most: about 0.1 s of compiling. */
#define WRITTEN_OUT 3000
/* Above this many instructions rules are called, not inlined: compiling stays linear, and fast. */
#define CALLED 120
/* Instructions in one function. */
#define PART 96

/* Where a variable comes from, where all is written out. */
typedef struct origin {
  uint32_t kernel, iteration, reg;
  bool sum; /* of many: it has a name of its own */
} origin;

/* One program while it is written. */
typedef struct writer {
  emitter *e;
  brink_text *to;
  const brink_series *series;
  size_t kernel, iteration; /* part of the names */
  bool written_out;         /* coefficients are variables; else rows in memory */
  bool guard; /* variables and derivatives have values, but no series that anybody knows */
  const brink_flow *flow;
  const origin *origins; /* of the slots of V, where the solution is written out */
} writer;

/* ---- the rules ---- */

static const char *const rule_texts[] = {
#define SERIES_RULE(name, ...) #__VA_ARGS__,
#include "num/series_rules.inc"
#undef SERIES_RULE
};

void emit_series_rules(const emitter *e, brink_text *to) {
  if (!e->series) return;
  brink_text_add(to, "#define SERIES_INLINE static %s\n",
                 e->called ? "__attribute__((noinline))" : "inline");
  for (size_t k = 0; k < sizeof rule_texts / sizeof *rule_texts; k++)
    brink_text_add(to, "%s\n", rule_texts[k]);
}

/* ---- names ---- */

static const brink_ref *ref_of(const writer *w, const brink_series_instruction *i) {
  return &w->series->kernel->graph.refs[i->a];
}

static void slot(writer *w, const brink_ref *ref) {
  bool loop = w->series->kernel->count > 1 && (w->guard || !w->written_out);
  if (!loop) {
    brink_text_add(w->to, "%zu", brink_ref_slot(ref, w->iteration));
  } else if (ref->map != NULL) {
    brink_text_add(w->to, "T->maps[%u][i]", emit_map(w->e, ref->map));
  } else {
    brink_text_add(w->to, "T->numbers[%u]", emit_number(w->e, ref->base));
    if (ref->stride != 0)
      brink_text_add(w->to, " %c %lluu*i", ref->stride > 0 ? '+' : '-',
                     (unsigned long long)llabs((long long)ref->stride));
  }
}

/* Is the register a row that is given? */
static bool is_given(const writer *w, const brink_series_instruction *i) {
  if (i->rule == BRINK_RULE_TIME) return true;
  if (i->rule != BRINK_RULE_REF) return false;
  brink_space space = ref_of(w, i)->space;
  return space == BRINK_SPACE_X || (space == BRINK_SPACE_V && !w->guard);
}

/* Coefficient `number` of a state or variable, where the solution is written out. */
static void origin_of(writer *w, brink_space space, size_t place, int number) {
  if (space == BRINK_SPACE_X) {
    brink_text_add(w->to, "x%zu_%d", place, number);
    return;
  }
  const origin *from = &w->origins[place];
  const brink_series *series = w->flow->series[from->kernel];
  const brink_series_instruction *i = &series->instructions[from->reg];
  const brink_ref *ref = i->rule == BRINK_RULE_REF ? &series->kernel->graph.refs[i->a] : NULL;
  if (from->sum)
    brink_text_add(w->to, "v%zu_%d", place, number);
  else if (number > i->degree) /* other instances go on */
    brink_text_add(w->to, "0.0");
  else if (i->rule == BRINK_RULE_TIME)
    brink_text_add(w->to, number == 0 ? "f->t" : "h");
  else if (ref != NULL && ref->space != BRINK_SPACE_DX) /* it is another one */
    origin_of(w, ref->space, brink_ref_slot(ref, from->iteration), number);
  else
    brink_text_add(w->to, "r%u_%u_%u_%d", from->kernel, from->iteration, from->reg, number);
}

/* The row of a register, in loops. */
static void row(writer *w, uint32_t reg) {
  const brink_series_instruction *i = &w->series->instructions[reg];
  if (i->rule == BRINK_RULE_TIME)
    brink_text_add(w->to, "t");
  else
    brink_text_add(w->to, "r%u", reg);
}

/* Coefficient k of a register; `number` is k where that is known, `text` what it is called. */
static void at(writer *w, uint32_t reg, const char *text, int number) {
  const brink_series_instruction *i = &w->series->instructions[reg];
  bool given = is_given(w, i);
  if (!w->written_out || (given && w->guard)) {
    row(w, reg);
    brink_text_add(w->to, "[%s]", text);
  } else if (i->rule == BRINK_RULE_TIME) {
    brink_text_add(w->to, number == 0 ? "f->t" : "h");
  } else if (given) {
    const brink_ref *ref = ref_of(w, i);
    origin_of(w, ref->space, brink_ref_slot(ref, w->iteration), number);
  } else {
    brink_text_add(w->to, "r%zu_%zu_%u_%d", w->kernel, w->iteration, reg, number);
  }
}

static void lead_of(writer *w, uint32_t reg) {
  at(w, reg, "0", 0);
}

static void at_number(writer *w, uint32_t reg, int number) {
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  at(w, reg, text, number);
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
    if (w->written_out) {
      origin_of(w, BRINK_SPACE_V, brink_ref_slot(ref, w->iteration), 0);
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
  bool relation =
      i->op == BRINK_OP_LT || i->op == BRINK_OP_LE || i->op == BRINK_OP_EQ || i->op == BRINK_OP_NE;
  lead_of(w, i->x);
  brink_text_add(w->to, "%s", infix(i->op));
  lead_of(w, i->y);
  if (relation) brink_text_add(w->to, " ? 1.0 : 0.0");
}

static void lead_logical(writer *w, const brink_series_instruction *i) {
  if (i->op == BRINK_OP_NOT) {
    lead_of(w, i->x);
    brink_text_add(w->to, " == 0.0 ? 1.0 : 0.0");
    return;
  }
  lead_of(w, i->x);
  brink_text_add(w->to, " != 0.0 %s ", i->op == BRINK_OP_AND ? "&&" : "||");
  lead_of(w, i->y);
  brink_text_add(w->to, " != 0.0 ? 1.0 : 0.0");
}

static void lead_call(writer *w, const brink_series_instruction *i) {
  brink_text_add(w->to, "%s(", emit_function_name(i->op));
  lead_of(w, i->x);
  if (brink_op_operands((brink_op)i->op) > 1) {
    brink_text_add(w->to, ", ");
    lead_of(w, i->y);
  }
  brink_text_add(w->to, ")");
}

static void lead(writer *w, const brink_series_instruction *i) {
  w->e->ops |= UINT64_C(1) << (i->secant ? BRINK_OP_COSH : i->op);
  if (i->secant) {
    brink_text_add(w->to, "1.0/(cosh(");
    lead_of(w, i->x);
    brink_text_add(w->to, ")*cosh(");
    lead_of(w, i->x);
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
    lead_of(w, i->x);
    break;
  case BRINK_OP_SELECT:
    lead_of(w, i->x);
    brink_text_add(w->to, " != 0.0 ? ");
    lead_of(w, i->y);
    brink_text_add(w->to, " : ");
    lead_of(w, i->z);
    break;
  case BRINK_OP_RANDOM:
    brink_text_add(w->to, "T->random(f->seed, ");
    lead_of(w, i->x);
    brink_text_add(w->to, ", ");
    lead_of(w, i->y);
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

/* How the k of a round is written, and what it is: negative in loops. */
typedef struct place {
  const char *text;
  int number;
} place;

static int degree(const writer *w, uint32_t reg) {
  return w->series->instructions[reg].degree;
}

/* Is it known that the series has no coefficient here? Held ones have the first alone. */
static bool ended(const writer *w, uint32_t reg, place k) {
  return degree(w, reg) == 0 || k.number > degree(w, reg);
}

/* Coefficient k, or a zero where that is known. */
static void coefficient(writer *w, uint32_t reg, place k) {
  if (ended(w, reg, k))
    brink_text_add(w->to, "0.0");
  else
    at(w, reg, k.text, k.number);
}

static void one_of_sum(writer *w, uint32_t reg, bool minus, place k) {
  if (minus) brink_text_add(w->to, "-");
  at(w, reg, k.text, k.number);
}

/* a + b or a - b; the other one, where one of them has ended. */
static void sum(writer *w, const brink_series_instruction *i, place k) {
  bool minus = i->rule == BRINK_RULE_SUB;
  uint32_t operands[2] = {i->a, i->b};
  for (int n = 0; n < 2; n++) {
    uint32_t other = operands[1 - n];
    if (ended(w, operands[n], k)) {
      one_of_sum(w, other, minus && n == 0, k);
      return;
    }
  }
  for (int n = 0; k.number < 0 && n < 2; n++) { /* a loop finds out when it gets there */
    if (degree(w, operands[n]) == BRINK_SERIES_FULL) continue;
    brink_text_add(w->to, "k > %d ? ", degree(w, operands[n]));
    one_of_sum(w, operands[1 - n], minus && n == 0, k);
    brink_text_add(w->to, " : ");
  }
  at(w, i->a, k.text, k.number);
  brink_text_add(w->to, minus ? " - " : " + ");
  at(w, i->b, k.text, k.number);
}

/* ---- … by rules that are called ---- */

static void call(writer *w, const char *rule, place k) {
  brink_text_add(w->to, "series_%s(%s, ", rule, k.text);
}

static void rows_of(writer *w, uint32_t a, uint32_t b) {
  row(w, a);
  brink_text_add(w->to, ", ");
  row(w, b);
  brink_text_add(w->to, ")");
}

static void follow_by_rule(writer *w, const brink_series_instruction *i, uint32_t reg, place k) {
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
    coefficient(w, i->a, k);
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
    coefficient(w, i->a, k);
    brink_text_add(w->to, ", ");
    row(w, reg);
    brink_text_add(w->to, ")");
    break;
  case BRINK_RULE_POWER:
    call(w, "power", k);
    lead_of(w, i->b);
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

/* ---- … written out: the rules once more, with numbers for k ---- */

static void products(writer *w, int k, int from, int to, int step, uint32_t a, uint32_t b) {
  for (int j = from; step > 0 ? j <= to : j >= to; j += step) {
    if (j != from) brink_text_add(w->to, " + ");
    at_number(w, a, j);
    brink_text_add(w->to, "*");
    at_number(w, b, k - j);
  }
}

static void convolve(writer *w, int k, int low, int high, uint32_t a, uint32_t b) {
  int middle = (low + high) / 2;
  if (high < low) {
    brink_text_add(w->to, "0.0");
    return;
  }
  if (middle < high) brink_text_add(w->to, "(");
  products(w, k, middle, low, -1, a, b);
  if (middle == high) return;
  brink_text_add(w->to, ") + (");
  products(w, k, middle + 1, high, 1, a, b);
  brink_text_add(w->to, ")");
}

static int smaller(int a, int b) {
  return a < b ? a : b;
}

static void pairs(writer *w, int k, int low, int most, uint32_t a) {
  int first = k - most > low ? k - most : low, last = (k - 1) / 2;
  int middle = k % 2 == 0 && k / 2 >= first ? k / 2 : -1;
  if (first <= last && k > 0) {
    brink_text_add(w->to, "2.0*(");
    products(w, k, last, first, -1, a, a);
    brink_text_add(w->to, ")");
    if (middle >= 0) brink_text_add(w->to, " + ");
  } else if (middle < 0) {
    brink_text_add(w->to, "0.0");
  }
  if (middle >= 0) products(w, k, middle, middle, 1, a, a);
}

/* The coefficients of a register, up to `last`, as an array. */
static void array(writer *w, uint32_t reg, int last) {
  brink_text_add(w->to, "(const double[]){");
  for (int j = 0; j <= last; j++) {
    if (j > 0) brink_text_add(w->to, ", ");
    if (j > 0 && j > degree(w, reg))
      brink_text_add(w->to, "0.0");
    else
      at_number(w, reg, j);
  }
  brink_text_add(w->to, "}");
}

static void power(writer *w, const brink_series_instruction *i, uint32_t reg, int k) {
  lead_of(w, i->a);
  brink_text_add(w->to, " == 0.0 ? series_power_at_zero(%d, ", k);
  lead_of(w, i->b);
  brink_text_add(w->to, ", ");
  array(w, i->a, k);
  brink_text_add(w->to, ", ");
  array(w, reg, k - 1);
  brink_text_add(w->to, ") : (");
  for (int j = 1; j <= k; j++) {
    brink_text_add(w->to, j > 1 ? " + (" : "(");
    lead_of(w, i->b);
    if (j > 1) brink_text_add(w->to, "*%d", j);
    brink_text_add(w->to, " - %d)*", k - j);
    if (j > degree(w, i->a))
      brink_text_add(w->to, "0.0");
    else
      at_number(w, i->a, j);
    brink_text_add(w->to, "*");
    at_number(w, reg, k - j);
  }
  brink_text_add(w->to, ")/(%d*", k);
  lead_of(w, i->a);
  brink_text_add(w->to, ")");
}

static void root(writer *w, const brink_series_instruction *i, uint32_t reg, place k) {
  brink_text_add(w->to, "series_root(");
  coefficient(w, i->a, k);
  brink_text_add(w->to, " - (");
  pairs(w, k.number, 1, k.number, reg);
  brink_text_add(w->to, "), ");
  lead_of(w, reg);
  brink_text_add(w->to, ")");
}

static void follow_written_out(writer *w, const brink_series_instruction *i, uint32_t reg,
                               place k) {
  int n = k.number;
  switch (i->rule) {
  case BRINK_RULE_MUL:
    convolve(w, n, n > degree(w, i->b) ? n - degree(w, i->b) : 0, smaller(n, degree(w, i->a)), i->a,
             i->b);
    break;
  case BRINK_RULE_SQUARE:
    pairs(w, n, 0, degree(w, i->a), i->a);
    break;
  case BRINK_RULE_DIV:
    brink_text_add(w->to, "(");
    coefficient(w, i->a, k);
    brink_text_add(w->to, " - (");
    convolve(w, n, 1, smaller(n, degree(w, i->b)), i->b, reg);
    brink_text_add(w->to, "))*(1.0/");
    lead_of(w, i->b);
    brink_text_add(w->to, ")");
    break;
  case BRINK_RULE_RIDE:
  case BRINK_RULE_FALL:
    brink_text_add(w->to, i->rule == BRINK_RULE_FALL ? "-((" : "((");
    convolve(w, n, 1, smaller(n, degree(w, i->a)), i->a, i->b);
    brink_text_add(w->to, n < 8 ? ")/%d.0)" : ")*(1.0/%d))", n);
    break;
  case BRINK_RULE_SQRT:
    root(w, i, reg, k);
    break;
  case BRINK_RULE_POWER:
    power(w, i, reg, n);
    break;
  case BRINK_RULE_ABS:
    brink_text_add(w->to, "series_abs(%d, ", n);
    array(w, i->a, n);
    brink_text_add(w->to, ")");
    break;
  default: /* MIN, MAX */
    brink_text_add(w->to, "series_least(%d, %s, ", n, i->rule == BRINK_RULE_MIN ? "1.0" : "-1.0");
    array(w, i->a, n);
    brink_text_add(w->to, ", ");
    array(w, i->b, n);
    brink_text_add(w->to, ")");
  }
}

static void derivative(writer *w, const brink_ref *ref, place k) {
  if (w->guard) {
    brink_text_add(w->to, "__builtin_nan(\"\")");
    return;
  }
  brink_text_add(w->to, "(%s + 1)*x[", k.text);
  slot(w, ref);
  brink_text_add(w->to, "][%s + 1]/h", k.text);
}

static void follow(writer *w, const brink_series_instruction *i, uint32_t reg, place k) {
  switch (i->rule) {
  case BRINK_RULE_REF:
    derivative(w, ref_of(w, i), k);
    break;
  case BRINK_RULE_ADD:
  case BRINK_RULE_SUB:
    sum(w, i, k);
    break;
  case BRINK_RULE_NEG:
    brink_text_add(w->to, "-");
    at(w, i->a, k.text, k.number);
    break;
  case BRINK_RULE_SCALE:
    lead_of(w, i->a);
    brink_text_add(w->to, "*");
    at(w, i->b, k.text, k.number);
    break;
  case BRINK_RULE_SHRINK:
    at(w, i->a, k.text, k.number);
    brink_text_add(w->to, "*(1.0/");
    lead_of(w, i->b);
    brink_text_add(w->to, ")");
    break;
  case BRINK_RULE_INDEX:
    brink_text_add(w->to, "%s*", k.text);
    at(w, i->a, k.text, k.number);
    break;
  case BRINK_RULE_INTEGRAL:
    brink_text_add(w->to, "series_over(%s, ", k.text);
    at(w, i->a, k.text, k.number);
    brink_text_add(w->to, ")");
    break;
  case BRINK_RULE_SELECT:
    lead_of(w, i->a);
    brink_text_add(w->to, " != 0.0 ? ");
    coefficient(w, i->b, k);
    brink_text_add(w->to, " : ");
    coefficient(w, i->c, k);
    break;
  default:
    if (w->written_out)
      follow_written_out(w, i, reg, k);
    else
      follow_by_rule(w, i, reg, k);
  }
}

/* ---- one round ---- */

static void round_part(writer *w, place k, size_t from, size_t to) {
  for (size_t n = from; n < to; n++) {
    const brink_series_instruction *i = &w->series->instructions[n];
    uint32_t reg = (uint32_t)n;
    if (is_given(w, i) || (k.number != 0 && i->degree == 0) || k.number > i->degree) continue;
    brink_text_add(w->to, w->written_out ? "  const double " : "  ");
    bool limited = k.number < 0 && i->degree < BRINK_SERIES_FULL;
    if (limited) brink_text_add(w->to, "if (k <= %d) ", i->degree);
    at(w, reg, k.text, k.number);
    brink_text_add(w->to, " = ");
    if (k.number == 0)
      lead(w, i);
    else
      follow(w, i, reg, k);
    brink_text_add(w->to, ";\n");
  }
}

static void round_of(writer *w, place k) {
  round_part(w, k, 0, w->series->count);
}

/* Products in round k. */
static size_t products_of(const brink_series *series, int k) {
  size_t total = series->count / 8;
  for (size_t n = 0; n < series->count; n++) {
    const brink_series_instruction *i = &series->instructions[n], *all = series->instructions;
    int terms = 0;
    if (i->degree < k) continue;
    if (i->rule == BRINK_RULE_MUL)
      terms = smaller(k, all[i->a].degree) - (k > all[i->b].degree ? k - all[i->b].degree : 0) + 1;
    else if (i->rule == BRINK_RULE_SQUARE)
      terms = smaller(k, all[i->a].degree) / 2 + 1;
    else if (i->rule == BRINK_RULE_SQRT)
      terms = k / 2 + 1;
    else if (i->rule == BRINK_RULE_DIV)
      terms = smaller(k, all[i->b].degree);
    else if (i->rule == BRINK_RULE_RIDE || i->rule == BRINK_RULE_FALL)
      terms = smaller(k, all[i->a].degree);
    else if (i->rule == BRINK_RULE_POWER)
      terms = 4 * k;
    total += terms > 0 ? (size_t)terms : 0;
  }
  return total;
}

/* The row of one register of iteration i. */
static void point_at(writer *w, size_t n) {
  const brink_series_instruction *i = &w->series->instructions[n];
  if (i->rule == BRINK_RULE_TIME) return;
  if (!is_given(w, i)) {
    if (!w->written_out) brink_text_add(w->to, "  double *r%zu = w + %zu*L;\n", n, n);
    return;
  }
  bool state = ref_of(w, i)->space == BRINK_SPACE_X;
  brink_text_add(w->to, "  const double *r%zu = %s", n, state ? "x[" : "v + (");
  slot(w, ref_of(w, i));
  brink_text_add(w->to, state ? "];\n" : ")*L;\n");
}

/* Pointers to the rows of iteration i: those that are given, and, in loops, those in memory. */
static void point_at_rows(writer *w) {
  for (size_t n = 0; n < w->series->count; n++) point_at(w, n);
}

/* ---- guards ---- */

/* The order up to which the series of a guard is written out; 0: not at all. */
static int guard_order(emitter *e, const brink_series *series) {
  int order = e->options->guard_order;
  size_t work = 0;
  for (int k = 0; k <= order; k++) work += products_of(series, k);
  if (e->products + work > WRITTEN_OUT) return 0;
  e->products += work;
  return order;
}

static void guard_written_out(writer *w, uint32_t output, int order) {
  point_at_rows(w);
  for (int n = 0; n <= order; n++) {
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    place k = {.text = text, .number = n};
    round_of(w, k);
    brink_text_add(w->to, "  g[%d] = ", n);
    if (n == 0)
      lead_of(w, output);
    else
      coefficient(w, output, k);
    brink_text_add(w->to, ";\n  if (p == %d) return;\n", n);
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
  round_of(w, (place){.text = "0"});
  brink_text_add(w->to, "  for (int k = 1; k <= p; k++) {\n");
  round_of(w, (place){.text = "k", .number = -1});
  brink_text_add(w->to, "  }\n  for (size k = 0; k < L; k++) g[k] = ");
  row(w, output);
  brink_text_add(w->to, "[k];\n");
}

static void begin_guard(emitter *e, const char *prefix, uint32_t number) {
  brink_text_add(
      &e->body,
      "static void %sJ%u(const frame *f, const tables *T, size i, int p, const double *t,\n"
      "               const double *const *x, double *g) {\n",
      prefix, number);
}

void emit_guard_series(emitter *e, const brink_kernel *kernel, uint32_t number) {
  static const brink_series_degrees unknown = {0};
  const brink_series *series = brink_series_make(kernel, &unknown, &e->work);
  if (series == NULL) {
    e->failed = true;
    return;
  }
  int order = guard_order(e, series);
  writer w = {.e = e, .to = &e->body, .series = series, .written_out = true, .guard = true};
  e->ops |= UINT64_C(1) << BRINK_OP_POW;
  e->series = true;
  if (series->count > CALLED) e->called = true;
  if (order > 0) {
    begin_guard(e, "known_", number);
    guard_written_out(&w, series->outputs[0].value, order);
    brink_text_add(&e->body, "}\n\n");
  }
  begin_guard(e, "", number);
  if (order > 0)
    brink_text_add(&e->body,
                   "  if (p <= %d) {\n    known_J%u(f, T, i, p, t, x, g);\n    return;\n  }\n",
                   order, number);
  w.written_out = false;
  guard_in_loops(&w, series->outputs[0].value);
  brink_text_add(&e->body, "}\n\n");
}

/* ---- the solution ---- */

/* Written out? All outputs plain, not too much. */
static bool flow_fits(emitter *e, const brink_flow *flow, int order) {
  size_t work = 0;
  for (size_t n = 0; n < flow->program->nkernels; n++) {
    const brink_kernel *kernel = flow->program->kernels[n];
    for (size_t j = 0; j < kernel->noutputs; j++) {
      if (flow->series[n]->outputs[j].when != BRINK_NO_INDEX) return false;
    }
    for (int k = 0; k < order && work <= WRITTEN_OUT; k++)
      work += products_of(flow->series[n], k) * kernel->count;
  }
  if (work > WRITTEN_OUT) return false;
  e->products += work;
  return true;
}

static origin *find_origins(emitter *e, const brink_flow *flow) {
  origin *origins = brink_arena_take(&e->work, flow->nv, sizeof *origins);
  for (size_t n = 0; origins != NULL && n < flow->program->nkernels; n++) {
    const brink_kernel *k = flow->program->kernels[n];
    for (size_t j = 0; j < k->noutputs; j++) {
      if (k->outputs[j].target.space != BRINK_SPACE_V) continue;
      for (size_t i = 0; i < k->count; i++)
        origins[brink_ref_slot(&k->outputs[j].target, i)] =
            (origin){.kernel = (uint32_t)n,
                     .iteration = (uint32_t)i,
                     .reg = flow->series[n]->outputs[j].value,
                     .sum = k->accumulate};
    }
  }
  return origins;
}

/* The sums that a kernel adds to begin with nothing. */
static void begin_sums(writer *w, int k) {
  const brink_kernel *kernel = w->series->kernel;
  for (size_t v = 0; kernel->accumulate && v < w->flow->nv; v++) {
    if (w->origins[v].sum && w->origins[v].kernel == w->kernel)
      brink_text_add(w->to, "  double v%zu_%d = 0.0;\n", v, k);
  }
}

static void flow_outputs(writer *w, place k) {
  const brink_kernel *kernel = w->series->kernel;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_ref *target = &kernel->outputs[j].target;
    size_t to = brink_ref_slot(target, w->iteration);
    uint32_t value = w->series->outputs[j].value;
    bool derived = target->space == BRINK_SPACE_DX;
    if (!derived && !(target->space == BRINK_SPACE_V && kernel->accumulate)) continue;
    if (derived)
      brink_text_add(w->to, "  const double x%zu_%d = x[%zu][%d] = ", to, k.number + 1, to,
                     k.number + 1);
    else
      brink_text_add(w->to, "  v%zu_%d += ", to, k.number);
    if (k.number == 0)
      lead_of(w, value);
    else
      coefficient(w, value, k);
    if (derived) brink_text_add(w->to, k.number < 7 ? "*h/%d.0" : "*(h*(1.0/%d))", k.number + 1);
    brink_text_add(w->to, ";\n");
  }
}

static void flow_written_out(emitter *e, const brink_flow *flow, int order) {
  writer w = {.e = e, .to = &e->body, .written_out = true, .flow = flow};
  w.origins = find_origins(e, flow);
  if (w.origins == NULL) {
    e->failed = true;
    return;
  }
  brink_text_add(w.to, "static void known_flow(const frame *f, const tables *T, int p, double h,\n"
                       "                       double *const *x) {\n");
  for (size_t i = 0; i < flow->nx; i++)
    brink_text_add(w.to, "  const double x%zu_0 = x[%zu][0];\n", i, i);
  for (int n = 0; n < order; n++) {
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    place k = {.text = text, .number = n};
    for (w.kernel = 0; w.kernel < flow->program->nkernels; w.kernel++) {
      w.series = flow->series[w.kernel];
      begin_sums(&w, n);
      for (w.iteration = 0; w.iteration < w.series->kernel->count; w.iteration++) {
        round_of(&w, k);
        flow_outputs(&w, k);
      }
    }
    if (n + 1 < order) brink_text_add(w.to, "  if (p == %d) return;\n", n + 1);
  }
  brink_text_add(w.to, "}\n\n");
}

/* Where output j of a loop goes. */
static void loop_target(writer *w, size_t j, bool clear) {
  const brink_kernel *kernel = w->series->kernel;
  const brink_ref *target = &kernel->outputs[j].target;
  bool derived = target->space == BRINK_SPACE_DX;
  brink_text_add(w->to, derived ? "x[" : "v[(");
  slot(w, target);
  brink_text_add(w->to, derived ? "][k + 1]" : ")*L + (size)k]");
  brink_text_add(w->to, clear || !kernel->accumulate ? " = " : " += ");
}

static void loop_outputs(writer *w, place k) {
  const brink_kernel *kernel = w->series->kernel;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_series_output *output = &w->series->outputs[j];
    brink_space space = kernel->outputs[j].target.space;
    if (space != BRINK_SPACE_DX && space != BRINK_SPACE_V) continue;
    brink_text_add(w->to, "  ");
    if (output->when != BRINK_NO_INDEX) {
      brink_text_add(w->to, "if (");
      lead_of(w, output->when);
      brink_text_add(w->to, " != 0.0) ");
    }
    loop_target(w, j, false);
    if (space == BRINK_SPACE_DX) brink_text_add(w->to, "series_state(k + 1, h, ");
    if (k.number == 0)
      lead_of(w, output->value);
    else
      coefficient(w, output->value, k);
    brink_text_add(w->to, space == BRINK_SPACE_DX ? ");\n" : ";\n");
  }
}

/* The rows that the instructions from … to work on. */
static void point_at_part(writer *w, size_t from, size_t to, bool *used) {
  memset(used, 0, w->series->count * sizeof *used);
  for (size_t n = from; n < to; n++) {
    const brink_series_instruction *i = &w->series->instructions[n];
    const uint32_t operands[] = {i->a, i->b, i->c, i->x, i->y, i->z};
    bool leaf = i->op == BRINK_OP_REF || i->op == BRINK_OP_CONST || i->op == BRINK_OP_TIME;
    used[n] = true;
    for (size_t k = leaf ? 6 : 0; k < 6; k++) {
      if (operands[k] != BRINK_NO_INDEX) used[operands[k]] = true;
    }
  }
  for (size_t n = 0; n < w->series->count; n++) {
    if (used[n]) point_at(w, n);
  }
}

#define PART_ARGUMENTS                                                                             \
  "const frame *f, const tables *T, size i, int k, size L, double h,\n"                            \
  "               double *const *x, double *v, const double *t, double *w"

/* A long kernel is several functions, so that compiling takes a time in proportion. */
static void round_parts(writer *w, place k) {
  bool *used = brink_arena_take(&w->e->work, w->series->count, sizeof *used);
  if (used == NULL) w->e->failed = true;
  for (size_t from = 0; used != NULL && from < w->series->count; from += PART) {
    size_t to = from + PART < w->series->count ? from + PART : w->series->count;
    brink_text_add(w->to,
                   "static __attribute__((noinline)) void f%zu_%s%zu(" PART_ARGUMENTS ") {\n",
                   w->kernel, k.text, from / PART);
    point_at_part(w, from, to, used);
    round_part(w, k, from, to);
    brink_text_add(w->to, "}\n\n");
  }
}

static void point_at_outputs(writer *w, bool *used) {
  memset(used, 0, w->series->count * sizeof *used);
  for (size_t j = 0; j < w->series->kernel->noutputs; j++) {
    const brink_series_output *output = &w->series->outputs[j];
    used[output->value] = true;
    if (output->when != BRINK_NO_INDEX) used[output->when] = true;
  }
  for (size_t n = 0; n < w->series->count; n++) {
    if (used[n]) point_at(w, n);
  }
}

static void loop_round(writer *w, place k) {
  size_t count = w->series->count;
  bool *used = brink_arena_take(&w->e->work, count, sizeof *used);
  brink_text_add(w->to, "  for (size i = 0; i < count; i++, w += %zu*L) {\n", count);
  if (count <= PART) {
    point_at_rows(w);
    round_of(w, k);
  } else if (used != NULL) {
    for (size_t from = 0; from < count; from += PART)
      brink_text_add(w->to, "  f%zu_%s%zu(f, T, i, k, L, h, x, v, t, w);\n", w->kernel, k.text,
                     from / PART);
    point_at_outputs(w, used);
  } else {
    w->e->failed = true;
  }
  loop_outputs(w, k);
  brink_text_add(w->to, "  }\n");
}

/* One kernel: f<n>(…, k, …) does round k of all iterations. */
static void flow_kernel(writer *w) {
  const brink_kernel *kernel = w->series->kernel;
  place first = {.text = "0"}, other = {.text = "k", .number = -1};
  if (w->series->count > PART) {
    round_parts(w, first);
    round_parts(w, other);
  }
  brink_text_add(
      w->to,
      "static void f%zu(const frame *f, const tables *T, size count, int k, size L, double h,\n"
      "               double *const *x, double *v, const double *t, double *w) {\n",
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
  loop_round(w, first);
  brink_text_add(w->to, "  return;\n  }\n");
  loop_round(w, other);
  brink_text_add(w->to, "}\n\n");
}

static void flow_in_loops(emitter *e, const brink_flow *flow) {
  writer w = {.e = e, .to = &e->body, .flow = flow};
  for (w.kernel = 0; w.kernel < flow->program->nkernels; w.kernel++) {
    w.series = flow->series[w.kernel];
    if (w.series->count > CALLED) e->called = true;
    flow_kernel(&w);
  }
  brink_text_add(&e->body,
                 "static void loop_flow(const frame *f, const tables *T, int p, double h,\n"
                 "                      double *const *x, double *s) {\n"
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

/* Written out for the order that will be asked for, if it fits; other orders are then refused, and the
 * interpreter has them. Otherwise in loops. */
void emit_flow(emitter *e) {
  const brink_flow *flow = e->options->flow;
  int order = e->options->flow_order;
  bool fits = order > 0 && flow_fits(e, flow, order);
  e->ops |= UINT64_C(1) << BRINK_OP_POW;
  e->series = true;
  if (fits)
    flow_written_out(e, flow, order);
  else
    flow_in_loops(e, flow);
  brink_text_add(&e->body, "static int flow(const frame *f, const tables *T, int p, double h,\n"
                           "                double *const *x, double *s) {\n");
  if (fits)
    brink_text_add(&e->body, "  if (p > %d) return 0;\n  known_flow(f, T, p, h, x);\n", order);
  else
    brink_text_add(&e->body, "  loop_flow(f, T, p, h, x, s);\n");
  brink_text_add(&e->body, "  return 1;\n}\n\n");
}
