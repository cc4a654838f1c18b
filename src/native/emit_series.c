/* emit_series.c: instructions of series programs as C (see expr/series_program.h, and emit_flow.c for the whole).
 *
 * Where all is written out, coefficients are variables and indices numbers, and the rules of
 * num/series_rules.inc appear once more, in text; in loops they are called. Both forms, and the
 * interpreter, do the same operations in the same order. */
#include "native/emit_series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What is known to be zero. */
static const char *nothing(const series_writer *w) {
  return w->lanes ? "zero" : "0.0";
}

/* The time at which the series begin. */
static const char *begin_time(const series_writer *w) {
  return w->lanes ? "t" : "f->t";
}

static const brink_ref *ref_of(const series_writer *w, const brink_series_instruction *i) {
  return &w->series->kernel->graph.refs[i->a];
}

void emit_series_slot(series_writer *w, const brink_ref *ref) {
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
static bool is_given(const series_writer *w, const brink_series_instruction *i) {
  if (i->rule == BRINK_RULE_TIME) return true;
  if (i->rule != BRINK_RULE_REF) return false;
  brink_space space = ref_of(w, i)->space;
  return space == BRINK_SPACE_X || (space == BRINK_SPACE_V && !w->guard);
}

/* Coefficient `number` of a state or variable, where the solution is written out. */
static void origin_of(series_writer *w, brink_space space, size_t place, int number) {
  if (space == BRINK_SPACE_X) {
    brink_text_add(w->to, "x%zu_%d", place, number);
    return;
  }
  const series_origin *from = &w->origins[place];
  const brink_series_program *series = w->flow->series[from->kernel];
  const brink_series_instruction *i = &series->instructions[from->reg];
  const brink_ref *ref = i->rule == BRINK_RULE_REF ? &series->kernel->graph.refs[i->a] : NULL;
  if (from->sum)
    brink_text_add(w->to, "v%zu_%d", place, number);
  else if (number > i->degree) /* other instances go on */
    brink_text_add(w->to, "%s", nothing(w));
  else if (i->rule == BRINK_RULE_TIME)
    brink_text_add(w->to, "%s", number == 0 ? begin_time(w) : "h");
  else if (ref != NULL && ref->space != BRINK_SPACE_DX) /* it is another one */
    origin_of(w, ref->space, brink_ref_slot(ref, from->iteration), number);
  else
    brink_text_add(w->to, "r%u_%u_%u_%d", from->kernel, from->iteration, from->reg, number);
}

/* The row of a register, in loops. */
void emit_series_row(series_writer *w, uint32_t reg) {
  const brink_series_instruction *i = &w->series->instructions[reg];
  if (i->rule == BRINK_RULE_TIME)
    brink_text_add(w->to, "t");
  else
    brink_text_add(w->to, "r%u", reg);
}

/* The same in a block. */
static void at_block(series_writer *w, uint32_t reg, int number) {
  const brink_series_instruction *i = &w->series->instructions[reg];
  if (i->rule == BRINK_RULE_TIME)
    brink_text_add(w->to, "%s", number == 0 ? begin_time(w) : "h");
  else if (i->op == BRINK_OP_CONST && w->round > 0)
    emit_constant(w->to, i->value);
  else if (number == w->round)
    brink_text_add(w->to, "c%u", reg);
  else
    brink_text_add(w->to, "m[%u]", w->stored[reg] + (uint32_t)number);
}

/* Coefficient k of a register; `number` is k where that is known, `text` what it is called. */
static void at(series_writer *w, uint32_t reg, const char *text, int number) {
  const brink_series_instruction *i = &w->series->instructions[reg];
  bool given = is_given(w, i);
  if (w->block) {
    at_block(w, reg, number);
  } else if (!w->written_out || (given && w->guard)) {
    emit_series_row(w, reg);
    brink_text_add(w->to, "[%s]", text);
  } else if (i->rule == BRINK_RULE_TIME) {
    brink_text_add(w->to, "%s", number == 0 ? begin_time(w) : "h");
  } else if (given) {
    const brink_ref *ref = ref_of(w, i);
    origin_of(w, ref->space, brink_ref_slot(ref, w->iteration), number);
  } else {
    brink_text_add(w->to, "r%zu_%zu_%u_%d", w->kernel, w->iteration, reg, number);
  }
}

void emit_series_lead(series_writer *w, uint32_t reg) {
  const brink_series_instruction *i = &w->series->instructions[reg];
  if (i->op == BRINK_OP_CONST && w->unrolled) /* a number that the compiler can work with */
    emit_constant(w->to, i->value);
  else
    at(w, reg, "0", 0);
}

static void at_number(series_writer *w, uint32_t reg, int number) {
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  at(w, reg, text, number);
}

/* ---- coefficient 0 ---- */

void emit_series_element(series_writer *w, const char *array, const brink_ref *ref) {
  bool loop = w->lanes && w->series->kernel->count > 1, own = array[0] != 'f';
  bool alike = !loop || (ref->map == NULL && ref->stride == 0);
  if (own && !alike && ref->map != NULL) {
    brink_text_add(w->to, "take_map(%s, T->maps[%u], i, last)", array, emit_map(w->e, ref->map));
    return;
  }
  if (own && !alike && ref->stride != 1) {
    brink_text_add(w->to, "take_step(%s + T->numbers[%u], %d, i, last)", array,
                   emit_number(w->e, ref->base), ref->stride);
    return;
  }
  bool vector = own && !alike; /* there is memory beyond its end */
  if (w->lanes) brink_text_add(w->to, vector ? "*(const U *)&" : alike ? "SAME(" : "OF_EACH(");
  brink_text_add(w->to, "%s[", array);
  emit_series_slot(w, ref);
  brink_text_add(w->to, w->lanes && !vector ? "])" : "]");
}

/* Coefficient 0 of what a block reads. */
static void lead_ref_block(series_writer *w, const brink_ref *ref, const char *member) {
  char array[24];
  snprintf(array, sizeof array, "f->%s", member);
  switch (ref->space) {
  case BRINK_SPACE_X:
    emit_series_element(w, "xk", ref);
    break;
  case BRINK_SPACE_V:
    emit_series_element(w, "vk", ref);
    break;
  case BRINK_SPACE_DX:
    emit_series_element(w, "xn", ref);
    brink_text_add(w->to, "/h");
    break;
  default:
    emit_series_element(w, array, ref);
  }
}

static void lead_ref(series_writer *w, const brink_ref *ref) {
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
  if (w->block) {
    lead_ref_block(w, ref, members[ref->space]);
    return;
  }
  switch (known ? ref->space : BRINK_SPACE_COUNT) {
  case BRINK_SPACE_X:
    if (w->lanes) {
      brink_text_add(w->to, "x%zu_0", brink_ref_slot(ref, w->iteration));
      break;
    }
    brink_text_add(w->to, "x[");
    emit_series_slot(w, ref);
    brink_text_add(w->to, "][0]");
    break;
  case BRINK_SPACE_V: /* one that does not vary */
    if (w->written_out) {
      origin_of(w, BRINK_SPACE_V, brink_ref_slot(ref, w->iteration), 0);
      break;
    }
    brink_text_add(w->to, "v[(");
    emit_series_slot(w, ref);
    brink_text_add(w->to, ")*L]");
    break;
  case BRINK_SPACE_DX:
    if (w->lanes) {
      brink_text_add(w->to, "x%zu_1/h", brink_ref_slot(ref, w->iteration));
      break;
    }
    brink_text_add(w->to, "x[");
    emit_series_slot(w, ref);
    brink_text_add(w->to, "][1]/h");
    break;
  default:
    if (w->lanes) {
      brink_text_add(w->to, "OF_ALL(f[l]->%s[%zu])", members[ref->space],
                     brink_ref_slot(ref, w->iteration));
      break;
    }
    brink_text_add(w->to, "f->%s[", members[ref->space]);
    emit_series_slot(w, ref);
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
  default:
    return emit_relation(op);
  }
}

static void lead_infix(series_writer *w, const brink_series_instruction *i) {
  bool relation = emit_relation(i->op) != NULL;
  if (relation && w->lanes) brink_text_add(w->to, "truth(");
  emit_series_lead(w, i->x);
  brink_text_add(w->to, "%s", infix(i->op));
  emit_series_lead(w, i->y);
  if (relation) brink_text_add(w->to, w->lanes ? ")" : " ? 1.0 : 0.0");
}

static void lead_logical(series_writer *w, const brink_series_instruction *i) {
  if (w->lanes) {
    brink_text_add(w->to, "truth((");
    emit_series_lead(w, i->x);
    brink_text_add(w->to, i->op == BRINK_OP_NOT ? " == zero)" : " != zero)");
    if (i->op != BRINK_OP_NOT) {
      brink_text_add(w->to, " %c (", i->op == BRINK_OP_AND ? '&' : '|');
      emit_series_lead(w, i->y);
      brink_text_add(w->to, " != zero)");
    }
    brink_text_add(w->to, ")");
    return;
  }
  if (i->op == BRINK_OP_NOT) {
    emit_series_lead(w, i->x);
    brink_text_add(w->to, " == 0.0 ? 1.0 : 0.0");
    return;
  }
  emit_series_lead(w, i->x);
  brink_text_add(w->to, " != 0.0 %s ", i->op == BRINK_OP_AND ? "&&" : "||");
  emit_series_lead(w, i->y);
  brink_text_add(w->to, " != 0.0 ? 1.0 : 0.0");
}

/* Functions of the library take one number after another. */
static void lead_call(series_writer *w, const brink_series_instruction *i) {
  bool two = brink_op_operands((brink_op)i->op) > 1;
  const char *lane = w->lanes ? "[l]" : "";
  if (w->lanes) brink_text_add(w->to, "OF_ALL(");
  brink_text_add(w->to, "%s(", emit_function_name(i->op));
  emit_series_lead(w, i->x);
  brink_text_add(w->to, "%s", lane);
  if (two) {
    brink_text_add(w->to, ", ");
    emit_series_lead(w, i->y);
    brink_text_add(w->to, "%s", lane);
  }
  brink_text_add(w->to, w->lanes ? "))" : ")");
}

/* Arrays of P and K alone are looked up where there are series (flat_index.c). */
static void lead_lookup(series_writer *w, const brink_series_instruction *i) {
  const brink_series_program *series = w->series;
  const brink_ref *array = &series->kernel->graph.refs[series->instructions[i->y].a];
  bool find = i->op == BRINK_OP_FIND;
  brink_text_add(w->to, "%sf->%s[", find ? "find(&" : "",
                 array->space == BRINK_SPACE_K ? "k" : "p");
  emit_series_slot(w, array);
  if (find) {
    brink_text_add(w->to, "], %uu, ", array->extent - 1);
    emit_series_lead(w, i->x);
    brink_text_add(w->to, ")");
    return;
  }
  brink_text_add(w->to, " + %uu*place(", array->step);
  emit_series_lead(w, i->x);
  brink_text_add(w->to, ", %u)]", array->extent);
}

static void lead(series_writer *w, const brink_series_instruction *i) {
  w->e->ops |= UINT64_C(1) << (i->secant ? BRINK_OP_COSH : i->op);
  if (i->secant) {
    const char *lane = w->lanes ? "[l]" : "";
    brink_text_add(w->to, w->lanes ? "OF_ALL(1.0/(cosh(" : "1.0/(cosh(");
    emit_series_lead(w, i->x);
    brink_text_add(w->to, "%s)*cosh(", lane);
    emit_series_lead(w, i->x);
    brink_text_add(w->to, w->lanes ? "[l])))" : "))");
    return;
  }
  switch (i->op) {
  case BRINK_OP_CONST:
    if (w->lanes) brink_text_add(w->to, "OF_ALL(");
    emit_constant(w->to, i->value);
    if (w->lanes) brink_text_add(w->to, ")");
    break;
  case BRINK_OP_REF:
    lead_ref(w, ref_of(w, i));
    break;
  case BRINK_OP_NEG:
    brink_text_add(w->to, "-");
    emit_series_lead(w, i->x);
    break;
  case BRINK_OP_SELECT:
    if (w->lanes) brink_text_add(w->to, "choose(");
    emit_series_lead(w, i->x);
    brink_text_add(w->to, w->lanes ? ", " : " != 0.0 ? ");
    emit_series_lead(w, i->y);
    brink_text_add(w->to, w->lanes ? ", " : " : ");
    emit_series_lead(w, i->z);
    if (w->lanes) brink_text_add(w->to, ")");
    break;
  case BRINK_OP_RANDOM:
  case BRINK_OP_POISSON:
    brink_text_add(w->to, i->op == BRINK_OP_RANDOM ? "T->random(f->seed, " : "T->poisson(");
    emit_series_lead(w, i->x);
    brink_text_add(w->to, ", ");
    emit_series_lead(w, i->y);
    brink_text_add(w->to, ")");
    break;
  case BRINK_OP_LOOKUP:
  case BRINK_OP_FIND:
    lead_lookup(w, i);
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

static int degree(const series_writer *w, uint32_t reg) {
  return w->series->instructions[reg].degree;
}

/* Is it known that the series has no coefficient here? Held ones have the first alone. */
static bool ended(const series_writer *w, uint32_t reg, series_place k) {
  return degree(w, reg) == 0 || k.number > degree(w, reg);
}

/* Coefficient k, or a zero where that is known. */
void emit_series_coefficient(series_writer *w, uint32_t reg, series_place k) {
  if (ended(w, reg, k))
    brink_text_add(w->to, "%s", nothing(w));
  else
    at(w, reg, k.text, k.number);
}

static void one_of_sum(series_writer *w, uint32_t reg, bool minus, series_place k) {
  if (minus) brink_text_add(w->to, "-");
  at(w, reg, k.text, k.number);
}

/* a + b or a - b; the other one, where one of them has ended. */
static void sum(series_writer *w, const brink_series_instruction *i, series_place k) {
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

static void call(series_writer *w, const char *rule, series_place k) {
  brink_text_add(w->to, "series_%s(%s, ", rule, k.text);
}

static void rows_of(series_writer *w, uint32_t a, uint32_t b) {
  emit_series_row(w, a);
  brink_text_add(w->to, ", ");
  emit_series_row(w, b);
  brink_text_add(w->to, ")");
}

static void follow_by_rule(series_writer *w, const brink_series_instruction *i, uint32_t reg,
                           series_place k) {
  switch (i->rule) {
  case BRINK_RULE_MUL:
    call(w, "mul", k);
    brink_text_add(w->to, "%d, %d, ", degree(w, i->a), degree(w, i->b));
    rows_of(w, i->a, i->b);
    break;
  case BRINK_RULE_SQUARE:
    call(w, "pairs", k);
    brink_text_add(w->to, "0, %d, ", degree(w, i->a));
    emit_series_row(w, i->a);
    brink_text_add(w->to, ")");
    break;
  case BRINK_RULE_DIV:
    call(w, "div", k);
    brink_text_add(w->to, "%d, ", degree(w, i->b));
    emit_series_coefficient(w, i->a, k);
    brink_text_add(w->to, ", ");
    rows_of(w, i->b, reg);
    break;
  case BRINK_RULE_CHAIN:
  case BRINK_RULE_CHAIN_MINUS:
    if (i->rule == BRINK_RULE_CHAIN_MINUS) brink_text_add(w->to, "-");
    call(w, "chain", k);
    brink_text_add(w->to, "%d, ", degree(w, i->a));
    rows_of(w, i->a, i->b);
    break;
  case BRINK_RULE_SQRT:
    call(w, "sqrt", k);
    emit_series_coefficient(w, i->a, k);
    brink_text_add(w->to, ", ");
    emit_series_row(w, reg);
    brink_text_add(w->to, ")");
    break;
  case BRINK_RULE_POWER:
    call(w, "power", k);
    brink_text_add(w->to, "%d, ", degree(w, i->a));
    emit_series_lead(w, i->b);
    brink_text_add(w->to, ", ");
    rows_of(w, i->a, reg);
    break;
  case BRINK_RULE_ABS:
    call(w, "abs", k);
    emit_series_row(w, i->a);
    brink_text_add(w->to, ")");
    break;
  default: /* MIN, MAX */
    call(w, "least", k);
    brink_text_add(w->to, i->rule == BRINK_RULE_MIN ? "1.0, " : "-1.0, ");
    rows_of(w, i->a, i->b);
  }
}

/* ---- … written out: the rules once more, with numbers for k ---- */

static void products(series_writer *w, int k, int from, int to, int step, uint32_t a, uint32_t b) {
  for (int j = from; step > 0 ? j <= to : j >= to; j += step) {
    if (j != from) brink_text_add(w->to, " + ");
    at_number(w, a, j);
    brink_text_add(w->to, "*");
    at_number(w, b, k - j);
  }
}

static void convolve(series_writer *w, int k, int low, int high, uint32_t a, uint32_t b) {
  int middle = (low + high) / 2;
  if (high < low) {
    brink_text_add(w->to, "%s", nothing(w));
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

static void pairs(series_writer *w, int k, int low, int most, uint32_t a) {
  int first = k - most > low ? k - most : low, last = (k - 1) / 2;
  int middle = k % 2 == 0 && k / 2 >= first ? k / 2 : -1;
  if (first <= last && k > 0) {
    brink_text_add(w->to, "2.0*(");
    products(w, k, last, first, -1, a, a);
    brink_text_add(w->to, ")");
    if (middle >= 0) brink_text_add(w->to, " + ");
  } else if (middle < 0) {
    brink_text_add(w->to, "%s", nothing(w));
  }
  if (middle >= 0) products(w, k, middle, middle, 1, a, a);
}

/* The coefficients of a register, up to `last`, as an array. */
static void array(series_writer *w, uint32_t reg, int last) {
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

/* A power of what starts at zero; lanes leave it to runs by themselves. */
static void power_at_zero(series_writer *w, const brink_series_instruction *i, uint32_t reg,
                          int k) {
  if (w->lanes && w->block) { /* follow_block looks at zeros */
    brink_text_add(w->to, "((");
    return;
  }
  if (w->lanes) {
    brink_text_add(w->to, "if_not_zero(");
    emit_series_lead(w, i->a);
    brink_text_add(w->to, ", (");
    return;
  }
  emit_series_lead(w, i->a);
  brink_text_add(w->to, " == 0.0 ? series_power_at_zero(%d, ", k);
  emit_series_lead(w, i->b);
  brink_text_add(w->to, ", ");
  array(w, i->a, k);
  brink_text_add(w->to, ", ");
  array(w, reg, k - 1);
  brink_text_add(w->to, ") : (");
}

static void power_terms(series_writer *w, const brink_series_instruction *i, uint32_t reg, int k,
                        int from, int to) {
  const char *point = w->lanes ? ".0" : "";
  int step = from < to ? 1 : -1;
  for (int j = from; j != to + step; j += step) {
    brink_text_add(w->to, j != from ? " + (" : "(");
    emit_series_lead(w, i->b);
    if (j > 1) brink_text_add(w->to, "*%d%s", j, point);
    brink_text_add(w->to, " - %d%s)*", k - j, point);
    at_number(w, i->a, j);
    brink_text_add(w->to, "*");
    at_number(w, reg, k - j);
  }
}

static void power(series_writer *w, const brink_series_instruction *i, uint32_t reg, int k) {
  int high = smaller(k, degree(w, i->a)), middle = (1 + high) / 2;
  power_at_zero(w, i, reg, k);
  brink_text_add(w->to, "((");
  power_terms(w, i, reg, k, middle, 1);
  if (middle < high) {
    brink_text_add(w->to, ") + (");
    power_terms(w, i, reg, k, middle + 1, high);
  }
  brink_text_add(w->to, "))*(1.0/");
  emit_series_lead(w, i->a);
  brink_text_add(w->to, k < 8 ? "))/%d.0" : "))*(1.0/%d)", k);
  if (w->lanes) brink_text_add(w->to, ")");
}

static void root(series_writer *w, const brink_series_instruction *i, uint32_t reg,
                 series_place k) {
  brink_text_add(w->to, w->lanes ? "root(" : "series_root(");
  emit_series_coefficient(w, i->a, k);
  brink_text_add(w->to, " - (");
  pairs(w, k.number, 1, k.number, reg);
  brink_text_add(w->to, "), ");
  emit_series_lead(w, reg);
  brink_text_add(w->to, ")");
}

static void follow_written_out(series_writer *w, const brink_series_instruction *i, uint32_t reg,
                               series_place k) {
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
    emit_series_coefficient(w, i->a, k);
    brink_text_add(w->to, " - (");
    convolve(w, n, 1, smaller(n, degree(w, i->b)), i->b, reg);
    brink_text_add(w->to, "))*(1.0/");
    emit_series_lead(w, i->b);
    brink_text_add(w->to, ")");
    break;
  case BRINK_RULE_CHAIN:
  case BRINK_RULE_CHAIN_MINUS:
    brink_text_add(w->to, i->rule == BRINK_RULE_CHAIN_MINUS ? "-((" : "((");
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

static void derivative(series_writer *w, const brink_ref *ref, series_place k) {
  if (w->guard) {
    brink_text_add(w->to, "__builtin_nan(\"\")");
    return;
  }
  if (w->block) {
    brink_text_add(w->to, "%d.0*", k.number + 1);
    emit_series_element(w, "xn", ref);
    brink_text_add(w->to, "/h");
    return;
  }
  if (w->lanes) {
    brink_text_add(w->to, "%d.0*x%zu_%d/h", k.number + 1, brink_ref_slot(ref, w->iteration),
                   k.number + 1);
    return;
  }
  brink_text_add(w->to, "(%s + 1)*x[", k.text);
  emit_series_slot(w, ref);
  brink_text_add(w->to, "][%s + 1]/h", k.text);
}

static void follow(series_writer *w, const brink_series_instruction *i, uint32_t reg,
                   series_place k) {
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
    emit_series_lead(w, i->a);
    brink_text_add(w->to, "*");
    at(w, i->b, k.text, k.number);
    break;
  case BRINK_RULE_SHRINK:
    at(w, i->a, k.text, k.number);
    brink_text_add(w->to, "*(1.0/");
    emit_series_lead(w, i->b);
    brink_text_add(w->to, ")");
    break;
  case BRINK_RULE_INDEX:
    brink_text_add(w->to, w->lanes ? "%s.0*" : "%s*", k.text);
    at(w, i->a, k.text, k.number);
    break;
  case BRINK_RULE_INTEGRAL:
    if (w->lanes) {
      at(w, i->a, k.text, k.number);
      brink_text_add(w->to, k.number < 8 ? "/%d.0" : "*(1.0/%d)", k.number);
      break;
    }
    brink_text_add(w->to, "series_over(%s, ", k.text);
    at(w, i->a, k.text, k.number);
    brink_text_add(w->to, ")");
    break;
  case BRINK_RULE_SELECT:
    if (w->lanes) brink_text_add(w->to, "choose(");
    emit_series_lead(w, i->a);
    brink_text_add(w->to, w->lanes ? ", " : " != 0.0 ? ");
    emit_series_coefficient(w, i->b, k);
    brink_text_add(w->to, w->lanes ? ", " : " : ");
    emit_series_coefficient(w, i->c, k);
    if (w->lanes) brink_text_add(w->to, ")");
    break;
  default:
    if (w->written_out || w->unrolled || w->block)
      follow_written_out(w, i, reg, k);
    else
      follow_by_rule(w, i, reg, k);
  }
}

/* ---- one round ---- */

void emit_series_round(series_writer *w, series_place k, size_t from, size_t to) {
  for (size_t n = from; n < to; n++) {
    const brink_series_instruction *i = &w->series->instructions[n];
    uint32_t reg = (uint32_t)n;
    if (is_given(w, i) || (k.number != 0 && i->degree == 0) || k.number > i->degree) continue;
    brink_text_add(w->to, w->lanes ? "  const V " : w->written_out ? "  const double " : "  ");
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

/* A power of what starts at zero, in some of the lanes. */
static void mend_power(series_writer *w, const brink_series_instruction *i, uint32_t reg, int k) {
  brink_text_add(w->to, "  if (ANY((");
  emit_series_lead(w, i->a);
  brink_text_add(w->to, ")[l] == 0.0)) c%u = at_zero(%d, %d, c%u, (V){0.0} + ", reg, k,
                 smaller(k, degree(w, i->a)), reg);
  emit_series_lead(w, i->b);
  brink_text_add(w->to, ", m + %u, m + %u);\n", w->stored[i->a], w->stored[reg]);
}

void emit_series_block_round(series_writer *w, series_place k) {
  w->round = k.number;
  for (uint32_t n = 0; n < w->series->count; n++) {
    const brink_series_instruction *i = &w->series->instructions[n];
    if (i->rule == BRINK_RULE_TIME || (k.number != 0 && i->degree == 0) || k.number > i->degree)
      continue;
    bool power = i->rule == BRINK_RULE_POWER && w->lanes && k.number > 0;
    brink_text_add(w->to, "  %s%s c%u = ", power ? "" : "const ", w->lanes ? "V" : "double", n);
    if (is_given(w, i))
      emit_series_element(w, ref_of(w, i)->space == BRINK_SPACE_X ? "xk" : "vk", ref_of(w, i));
    else if (k.number == 0)
      lead(w, i);
    else
      follow(w, i, n, k);
    brink_text_add(w->to, ";\n");
    if (power) mend_power(w, i, n, k.number);
    if (w->stored[n] != BRINK_NO_INDEX)
      brink_text_add(w->to, "  m[%u] = c%u;\n", w->stored[n] + (uint32_t)k.number, n);
  }
}

/* Products in round k. */
size_t emit_series_products(const brink_series_program *series, int k) {
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
    else if (i->rule == BRINK_RULE_CHAIN || i->rule == BRINK_RULE_CHAIN_MINUS)
      terms = smaller(k, all[i->a].degree);
    else if (i->rule == BRINK_RULE_POWER)
      terms = 2 * smaller(k, all[i->a].degree);
    total += terms > 0 ? (size_t)terms : 0;
  }
  return total;
}

/* The row of one register of iteration i. */
void emit_series_point(series_writer *w, size_t n) {
  const brink_series_instruction *i = &w->series->instructions[n];
  if (i->rule == BRINK_RULE_TIME) return;
  if (!is_given(w, i)) {
    if (!w->written_out) brink_text_add(w->to, "  double *r%zu = w + %zu*L;\n", n, n);
    return;
  }
  bool state = ref_of(w, i)->space == BRINK_SPACE_X;
  brink_text_add(w->to, "  const double *r%zu = %s", n, state ? "x[" : "v + (");
  emit_series_slot(w, ref_of(w, i));
  brink_text_add(w->to, state ? "];\n" : ")*L;\n");
}
