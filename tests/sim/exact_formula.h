/* exact_formula.h: formulas in arbitrary precision, and their power series in time, for exact_run.h.
 *
 * A list of formulas is read from text onto a tape of nodes. Coefficient k of a node follows from the coefficients
 * up to k of its arguments and its own before k, by the textbook recurrences (Jorba & Zou 2005, section 2); where
 * the list is a flow, coefficient k of a state's formula gives coefficient k + 1 of the state, and so on up to order 50.
 *
 *     list    = [name ["'"] "=" sum {";" name ["'"] "=" sum}]
 *     sum     = product {("+" | "-") product}
 *     product = primary {("*" | "/") primary}
 *     primary = number | name | function "(" sum ")" | "(" sum ")" | "-" primary
 *
 * Functions: sin, cos, exp, sqrt. Names may contain points and brackets.
 *
 * Balls are cut down to their midpoints: the radii would bound the rounding only, not the truncation, and cost
 * time. What the numbers are worth is shown by comparing with answers of 30 digits. */
#ifndef BRINK_TESTS_EXACT_FORMULA_H
#define BRINK_TESTS_EXACT_FORMULA_H

#include <arb.h>
#include <arb_poly.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  EXACT_PREC = 192, /* bits: 57 digits */
  EXACT_ORDER = 50,
  EXACT_TRUNCATION = -150, /* a step's last terms are below 2^-150 = 7e-46 */
  EXACT_STATES = 8,
  EXACT_SWITCHES = 4, /* events that a mode knows */
  EXACT_NODES = 96,
  EXACT_NAMES = 24,
  EXACT_NAME = 24
};

/* -------------------------------------------------------------------------- formulas ---- */

typedef enum exact_op {
  EXACT_LEAF,
  EXACT_ADD,
  EXACT_SUB,
  EXACT_MUL,
  EXACT_DIV,
  EXACT_SQRT,
  EXACT_EXP,
  EXACT_SIN, /* makes the node behind it, too */
  EXACT_COS
} exact_op;

/* A quantity as a series in time: c[k], and for the arguments of functions d[k] = (k + 1) c[k + 1]. */
typedef struct exact_node {
  exact_op op;
  int a, b;
  arb_ptr c, d;
} exact_node;

/* A list of formulas, made to be evaluated in order: states, knobs and the time come first. */
typedef struct exact_tape {
  exact_node nodes[EXACT_NODES];
  int count, states, knobs;
  int result[EXACT_STATES]; /* the nodes of the states' formulas; -1: none */
  int guard[EXACT_SWITCHES];
  char names[EXACT_NAMES][EXACT_NAME];
  int meaning[EXACT_NAMES], nnames; /* what names stand for */
} exact_tape;

typedef struct exact_reader {
  exact_tape *tape;
  const char *text, *at;
} exact_reader;

static _Noreturn void exact_wrong(const char *text, const char *why) {
  fprintf(stderr, "%s: %s\n", text, why);
  abort();
}

static int exact_push(exact_tape *tape, exact_op op, int a, int b) {
  if (tape->count == EXACT_NODES) exact_wrong("a formula", "too long");
  tape->nodes[tape->count] = (exact_node){.op = op,
                                          .a = a,
                                          .b = b,
                                          .c = _arb_vec_init(EXACT_ORDER + 2),
                                          .d = _arb_vec_init(EXACT_ORDER + 2)};
  return tape->count++;
}

static void exact_define(exact_tape *tape, const char *name, size_t length, int node) {
  if (tape->nnames == EXACT_NAMES || length >= EXACT_NAME) exact_wrong(name, "no room for names");
  memcpy(tape->names[tape->nnames], name, length);
  tape->names[tape->nnames][length] = '\0';
  tape->meaning[tape->nnames++] = node;
}

/* The node of a name, -1: none. */
static int exact_find(const exact_tape *tape, const char *name, size_t length) {
  for (int k = 0; k < tape->nnames; k++)
    if (strlen(tape->names[k]) == length && memcmp(tape->names[k], name, length) == 0)
      return tape->meaning[k];
  return -1;
}

static size_t exact_word(const char *at) {
  size_t length = 0;
  while (isalnum((unsigned char)at[length]) || (at[length] != '\0' && strchr("_.[]", at[length])))
    length++;
  return length;
}

static bool exact_take(exact_reader *r, char c) {
  while (isspace((unsigned char)*r->at)) r->at++;
  if (*r->at != c) return false;
  if (c != '\0') r->at++;
  return true;
}

static int exact_sum(exact_reader *r);

static int exact_number(exact_reader *r, const char *text, size_t length) {
  char digits[64];
  int node = exact_push(r->tape, EXACT_LEAF, 0, 0);
  snprintf(digits, sizeof digits, "%.*s", (int)length, text);
  if (arb_set_str(&r->tape->nodes[node].c[0], digits, EXACT_PREC) != 0)
    exact_wrong(r->text, "not a number");
  mag_zero(arb_radref(&r->tape->nodes[node].c[0]));
  return node;
}

static int exact_call(exact_reader *r, const char *name, size_t length) {
  static const struct {
    const char *name;
    exact_op op;
  } functions[] = {
      {"sqrt", EXACT_SQRT}, {"exp", EXACT_EXP}, {"sin", EXACT_SIN}, {"cos", EXACT_COS}};
  int argument = exact_sum(r);
  if (!exact_take(r, ')')) exact_wrong(r->text, "a parenthesis is missing");
  for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
    if (strlen(functions[k].name) != length || memcmp(functions[k].name, name, length) != 0)
      continue;
    if (functions[k].op < EXACT_SIN) return exact_push(r->tape, functions[k].op, argument, 0);
    int sine = exact_push(r->tape, EXACT_SIN, argument, 0);
    exact_push(r->tape, EXACT_COS, argument, 0);
    return functions[k].op == EXACT_SIN ? sine : sine + 1;
  }
  exact_wrong(r->text, "an unknown function");
}

/* primary = number | name | name "(" sum ")" | "(" sum ")" | "-" primary */
static int exact_primary(exact_reader *r) {
  if (exact_take(r, '(')) {
    int inner = exact_sum(r);
    if (!exact_take(r, ')')) exact_wrong(r->text, "a parenthesis is missing");
    return inner;
  }
  if (exact_take(r, '-'))
    return exact_push(r->tape, EXACT_SUB, exact_number(r, "0", 1), exact_primary(r));
  const char *word = r->at;
  size_t length = exact_word(word);
  r->at += length;
  if (length == 0) exact_wrong(r->text, "something is missing");
  if (isdigit((unsigned char)*word)) return exact_number(r, word, length);
  if (exact_take(r, '(')) return exact_call(r, word, length);
  int node = exact_find(r->tape, word, length);
  if (node < 0) exact_wrong(word, "an unknown name");
  return node;
}

/* product = primary {("*" | "/") primary} */
static int exact_product(exact_reader *r) {
  int left = exact_primary(r);
  for (;;) {
    if (exact_take(r, '*')) {
      left = exact_push(r->tape, EXACT_MUL, left, exact_primary(r));
    } else if (exact_take(r, '/')) {
      left = exact_push(r->tape, EXACT_DIV, left, exact_primary(r));
    } else {
      return left;
    }
  }
}

/* sum = product {("+" | "-") product} */
static int exact_sum(exact_reader *r) {
  int left = exact_product(r);
  for (;;) {
    if (exact_take(r, '+')) {
      left = exact_push(r->tape, EXACT_ADD, left, exact_product(r));
    } else if (exact_take(r, '-')) {
      left = exact_push(r->tape, EXACT_SUB, left, exact_product(r));
    } else {
      return left;
    }
  }
}

/* list = [name ["'"] "=" sum {";" name ["'"] "=" sum}] */
static void exact_list(exact_tape *tape, const char *text) {
  exact_reader r = {.tape = tape, .text = text, .at = text};
  for (int i = 0; i < tape->states; i++) tape->result[i] = -1;
  while (!exact_take(&r, '\0')) {
    const char *name = r.at;
    size_t length = exact_word(name);
    r.at += length;
    exact_take(&r, '\'');
    if (length == 0 || !exact_take(&r, '=')) exact_wrong(text, "name = formula is wanted");
    int known = exact_find(tape, name, length), node = exact_sum(&r);
    if (known >= 0 && known < tape->states) {
      tape->result[known] = node;
    } else {
      exact_define(tape, name, length, node);
    }
    if (!exact_take(&r, ';')) break;
  }
  if (!exact_take(&r, '\0')) exact_wrong(text, "more than a formula");
}

static int exact_guard(exact_tape *tape, const char *text) {
  exact_reader r = {.tape = tape, .text = text, .at = text};
  int node = exact_sum(&r);
  if (!exact_take(&r, '\0')) exact_wrong(text, "more than a formula");
  return node;
}

/* ----------------------------------------------------------------- series of formulas ---- */

/* Coefficient k of a node, from those of its arguments up to k and its own before k. */
static void exact_coefficient(exact_tape *tape, int index, slong k) {
  exact_node *n = &tape->nodes[index];
  const exact_node *a = &tape->nodes[n->a], *b = &tape->nodes[n->b];
  arb_ptr v = &n->c[k];
  switch (n->op) {
  case EXACT_LEAF:
    return;
  case EXACT_ADD:
    arb_add(v, &a->c[k], &b->c[k], EXACT_PREC);
    break;
  case EXACT_SUB:
    arb_sub(v, &a->c[k], &b->c[k], EXACT_PREC);
    break;
  case EXACT_MUL:
    arb_dot(v, NULL, 0, a->c, 1, &b->c[k], -1, k + 1, EXACT_PREC);
    break;
  case EXACT_DIV: /* b q = a */
    arb_dot(v, &a->c[k], 1, b->c + 1, 1, &n->c[k] - 1, -1, k, EXACT_PREC);
    arb_div(v, v, &b->c[0], EXACT_PREC);
    break;
  case EXACT_SQRT: /* q q = a */
    if (k == 0) {
      arb_sqrt(v, &a->c[0], EXACT_PREC);
    } else {
      arb_dot(v, &a->c[k], 1, n->c + 1, 1, &n->c[k] - 1, -1, k - 1, EXACT_PREC);
      arb_div(v, v, &n->c[0], EXACT_PREC);
      arb_mul_2exp_si(v, v, -1);
    }
    break;
  case EXACT_EXP: /* q' = a' q */
    if (k == 0) {
      arb_exp(v, &a->c[0], EXACT_PREC);
    } else {
      arb_mul_si(&n->d[k - 1], &a->c[k], k, EXACT_PREC);
      arb_dot(v, NULL, 0, n->d, 1, &n->c[k] - 1, -1, k, EXACT_PREC);
      arb_div_si(v, v, k, EXACT_PREC);
    }
    break;
  case EXACT_SIN: { /* s' = a' c, c' = -a' s */
    exact_node *cosine = n + 1;
    if (k == 0) {
      arb_sin_cos(v, &cosine->c[0], &a->c[0], EXACT_PREC);
    } else {
      arb_mul_si(&n->d[k - 1], &a->c[k], k, EXACT_PREC);
      arb_dot(v, NULL, 0, n->d, 1, &cosine->c[k] - 1, -1, k, EXACT_PREC);
      arb_div_si(v, v, k, EXACT_PREC);
      arb_dot(&cosine->c[k], NULL, 1, n->d, 1, &n->c[k] - 1, -1, k, EXACT_PREC);
      arb_div_si(&cosine->c[k], &cosine->c[k], k, EXACT_PREC);
    }
    break;
  }
  case EXACT_COS:
    break; /* with its sine */
  }
  mag_zero(arb_radref(v));
}

static void exact_start(exact_tape *tape, arb_srcptr x, arb_srcptr p, const arb_t t) {
  for (int i = 0; i < tape->states; i++) arb_set(&tape->nodes[i].c[0], &x[i]);
  for (int j = 0; j < tape->knobs; j++) arb_set(&tape->nodes[tape->states + j].c[0], &p[j]);
  arb_ptr time = tape->nodes[tape->states + tape->knobs].c;
  arb_set(&time[0], t);
  arb_one(&time[1]);
  for (int n = 0; n < tape->count; n++) exact_coefficient(tape, n, 0);
}

/* The series of the flow from (t, x), and those of everything else on the tape. */
static void exact_series(exact_tape *tape, arb_srcptr x, arb_srcptr p, const arb_t t) {
  exact_start(tape, x, p, t);
  for (slong k = 0; k < EXACT_ORDER; k++) {
    for (int i = 0; i < tape->states; i++) {
      arb_ptr next = &tape->nodes[i].c[k + 1];
      if (tape->result[i] < 0) continue;
      arb_div_si(next, &tape->nodes[tape->result[i]].c[k], k + 1, EXACT_PREC);
      mag_zero(arb_radref(next));
    }
    for (int n = 0; n < tape->count; n++) exact_coefficient(tape, n, k + 1);
  }
}

static void exact_at(arb_t value, arb_srcptr series, const arb_t s) {
  _arb_poly_evaluate(value, series, EXACT_ORDER + 1, s, EXACT_PREC);
  mag_zero(arb_radref(value));
}

/* log2 of the longest step at which the last two terms of a series are small enough. */
static double exact_reach(arb_srcptr series, double longest) {
  for (slong k = EXACT_ORDER - 1; k <= EXACT_ORDER; k++) {
    if (arb_is_zero(&series[k])) continue;
    double exponent = (double)fmpz_get_si(ARF_EXPREF(arb_midref(&series[k])));
    double reach = (EXACT_TRUNCATION - exponent) / (double)k;
    if (reach < longest) longest = reach;
  }
  return longest;
}

#endif
