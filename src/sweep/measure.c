/* measure.c: what is measured of a run, read from its words. See measure.h.
 *
 *     measure = [ NAME "=" ] sum
 *     sum     = product { ( "+" | "-" ) product }
 *     product = sign { ( "*" | "/" ) sign }
 *     sign    = ( "-" | "+" ) sign | power
 *     power   = primary [ "^" sign ]
 *     primary = number | "(" sum ")" | path | function "(" [ sum { "," sum } ] ")" */
#include "sweep/measure.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 100, PATH_MOST = 256 };

typedef struct parser {
  brink_measures *measures;
  const char *text, *at;
  brink_diag *diag;
  brink_status status;
  int depth;
  bool inside; /* what is followed over time: nothing that is followed itself */
} parser;

static const brink_term *read_sum(parser *p);

/* ---- faults ---- */

static const brink_term *fail(parser *p, const char *why) {
  if (p->status == BRINK_OK)
    p->status = brink_diag_set(p->diag, BRINK_ERR_ARGUMENT, "--measure '%s': %s, at '%s'", p->text,
                               why, p->at[0] != '\0' ? p->at : "the end");
  return NULL;
}

static brink_term *new_term(parser *p, brink_term_op op) {
  brink_term *term = brink_arena_pack(p->measures->arena, 1, sizeof *term);
  if (term != NULL) {
    term->op = op;
  } else if (p->status == BRINK_OK) {
    p->status = brink_diag_set(p->diag, BRINK_ERR_MEMORY, "out of memory");
  }
  return term;
}

/* ---- words ---- */

static void skip(parser *p) {
  p->at += strspn(p->at, " \t");
}

static bool take(parser *p, char mark) {
  skip(p);
  if (*p->at != mark) return false;
  p->at++;
  return true;
}

/* "car[3].x", "v[2,1]": into `path`. */
static bool take_path(parser *p, char path[PATH_MOST]) {
  size_t n = 0;
  const char *c = p->at;
  for (bool more = true; more;) {
    if (!isalpha((unsigned char)*c) && *c != '_') return false;
    while ((isalnum((unsigned char)*c) || *c == '_') && n < PATH_MOST - 1) path[n++] = *c++;
    while (*c == '[') {
      size_t length = strcspn(c, "]");
      if (c[length] == '\0' || n + length + 1 >= PATH_MOST) return false;
      for (size_t k = 0; k <= length; k++, c++) {
        if (*c != ' ' && *c != '\t') path[n++] = *c;
      }
    }
    more = *c == '.';
    if (more && n < PATH_MOST - 1) path[n++] = *c++;
  }
  if (n >= PATH_MOST - 1) return false;
  path[n] = '\0';
  p->at = c;
  return true;
}

/* ---- lists ---- */

/* The number of a name in a list, which is added if it is new; BRINK_NONE: out of memory. */
static size_t listed(brink_arena *arena, const char ***list, size_t *count, size_t *capacity,
                     const char *name) {
  for (size_t k = 0; k < *count; k++) {
    if (strcmp((*list)[k], name) == 0) return k;
  }
  const char **entry = brink_arena_push(arena, *list, *count, *capacity);
  if (entry == NULL) return BRINK_NONE;
  *entry = brink_arena_text(arena, name);
  return *entry != NULL ? *count - 1 : BRINK_NONE;
}

size_t brink_measures_flag(brink_measures *m, const char *name) {
  return listed(m->arena, &m->flags, &m->nflags, &m->flags_capacity, name);
}

static const brink_term *new_read(parser *p, const char *path) {
  brink_measures *m = p->measures;
  brink_term *term = new_term(p, BRINK_TERM_READ);
  if (term == NULL) return NULL;
  term->index = listed(m->arena, &m->names, &m->nnames, &m->names_capacity, path);
  return term->index != BRINK_NONE ? term : fail(p, "out of memory");
}

static const brink_term *new_gauge(parser *p, brink_gauge gauge) {
  brink_measures *m = p->measures;
  brink_term *term = new_term(p, BRINK_TERM_GAUGE);
  brink_gauge *kept =
      term != NULL ? brink_arena_push(m->arena, m->gauges, m->ngauges, m->gauges_capacity) : NULL;
  if (kept == NULL) return fail(p, "out of memory");
  *kept = gauge;
  term->index = m->ngauges - 1;
  m->steps = m->steps || (gauge.kind >= BRINK_GAUGE_MIN && gauge.kind <= BRINK_GAUGE_AFTER);
  m->conditions = m->conditions || gauge.kind == BRINK_GAUGE_CONDITION;
  return term;
}

/* ---- functions ---- */

static const struct {
  const char *name;
  double (*function)(double);
} functions[] = {{"abs", fabs},    {"sqrt", sqrt}, {"exp", exp},     {"log", log},
                 {"log10", log10}, {"sin", sin},   {"cos", cos},     {"tan", tan},
                 {"asin", asin},   {"acos", acos}, {"atan", atan},   {"sinh", sinh},
                 {"cosh", cosh},   {"tanh", tanh}, {"floor", floor}, {"ceil", ceil}};

/* What is followed along a run, by the word for it. */
static const struct {
  const char *name;
  brink_gauge_kind kind;
} gauges[] = {{"final", BRINK_GAUGE_FINAL}, {"initial", BRINK_GAUGE_INITIAL},
              {"mean", BRINK_GAUGE_MEAN},   {"at", BRINK_GAUGE_AT},
              {"after", BRINK_GAUGE_AFTER}, {"first", BRINK_GAUGE_FIRST},
              {"time", BRINK_GAUGE_FIRST},  {"last", BRINK_GAUGE_LAST},
              {"count", BRINK_GAUGE_COUNT}, {"condition", BRINK_GAUGE_CONDITION}};

static bool is_of_flag(brink_gauge_kind kind) {
  return kind >= BRINK_GAUGE_AT;
}

/* An expression that is followed over time. */
static const brink_term *read_inner(parser *p) {
  p->inside = true;
  const brink_term *inner = read_sum(p);
  p->inside = false;
  return inner;
}

/* Behind "(": what a gauge is of. */
static const brink_term *read_gauge(parser *p, brink_gauge_kind kind) {
  brink_gauge gauge = {.kind = kind, .flag = BRINK_NONE};
  char path[PATH_MOST];
  if (p->inside) return fail(p, "an expression over time stands inside another one");
  skip(p);
  if (kind == BRINK_GAUGE_CONDITION && take(p, ')')) return new_gauge(p, gauge);
  if (is_of_flag(kind)) {
    if (!take_path(p, path)) return fail(p, "the name of a flag is missing");
    gauge.flag = brink_measures_flag(p->measures, path);
    if (gauge.flag == BRINK_NONE) return fail(p, "out of memory");
  }
  bool two = kind == BRINK_GAUGE_AT || kind == BRINK_GAUGE_AFTER;
  if (two && !take(p, ',')) return fail(p, "give a flag and an expression: at(flag, expression)");
  if (two || !is_of_flag(kind)) {
    gauge.inner = read_inner(p);
    if (gauge.inner == NULL) return NULL;
  }
  return take(p, ')') ? new_gauge(p, gauge) : fail(p, "a ')' is missing");
}

/* Behind "(": of one expression over time; the smaller or larger of two. */
static const brink_term *read_extreme(parser *p, bool largest) {
  bool was_inside = p->inside;
  p->inside = true; /* until a second expression shows that it is none */
  const char *start = p->at;
  const brink_term *a = read_sum(p);
  p->inside = was_inside;
  if (a != NULL && take(p, ')')) {
    if (was_inside) return fail(p, "an expression over time stands inside another one");
    return new_gauge(p, (brink_gauge){.kind = largest ? BRINK_GAUGE_MAX : BRINK_GAUGE_MIN,
                                      .inner = a,
                                      .flag = BRINK_NONE});
  }
  if (a == NULL && !was_inside) { /* max(max(a), 3) */
    p->at = start;
    p->status = BRINK_OK;
    a = read_sum(p);
  }
  if (a == NULL) return NULL;
  if (!take(p, ',')) return fail(p, "min and max have an expression over time, or two numbers");
  brink_term *term = new_term(p, largest ? BRINK_TERM_LARGEST : BRINK_TERM_LEAST);
  const brink_term *b = read_sum(p);
  if (term == NULL || b == NULL) return NULL;
  term->a = a;
  term->b = b;
  return take(p, ')') ? term : fail(p, "a ')' is missing");
}

static const brink_term *read_call(parser *p, const char *name) {
  for (size_t k = 0; k < sizeof gauges / sizeof gauges[0]; k++) {
    if (strcmp(name, gauges[k].name) == 0) return read_gauge(p, gauges[k].kind);
  }
  if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)
    return read_extreme(p, strcmp(name, "max") == 0);
  for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
    if (strcmp(name, functions[k].name) != 0) continue;
    brink_term *term = new_term(p, BRINK_TERM_CALL);
    const brink_term *a = read_sum(p);
    if (term == NULL || a == NULL) return NULL;
    term->function = functions[k].function;
    term->a = a;
    return take(p, ')') ? term : fail(p, "a ')' is missing");
  }
  return fail(p,
              "there is no such function (final, initial, min, max, mean, at, after, first, last, "
              "count, condition, abs, sqrt, exp, log, sin, …)");
}

/* ---- expressions ---- */

static const brink_term *read_number(parser *p) {
  char *end;
  brink_term *term = new_term(p, BRINK_TERM_NUMBER);
  if (term == NULL) return NULL;
  term->number = brink_read_double(p->at, &end);
  if (end == p->at) return fail(p, "a number is missing");
  p->at = end;
  return term;
}

static const brink_term *read_primary(parser *p) {
  char path[PATH_MOST];
  skip(p);
  if (isdigit((unsigned char)*p->at) || *p->at == '.') return read_number(p);
  if (take(p, '(')) {
    const brink_term *term = read_sum(p);
    return term == NULL || take(p, ')') ? term : fail(p, "a ')' is missing");
  }
  if (!take_path(p, path)) return fail(p, "a name or a number is missing");
  if (!take(p, '(')) {
    if (strcmp(path, "time") == 0) return new_term(p, BRINK_TERM_TIME);
    return new_read(p, path);
  }
  return read_call(p, path);
}

static const brink_term *join(parser *p, brink_term_op op, const brink_term *a,
                              const brink_term *b) {
  brink_term *term = a != NULL && b != NULL ? new_term(p, op) : NULL;
  if (term == NULL) return NULL;
  term->a = a;
  term->b = b;
  return term;
}

static const brink_term *read_sign(parser *p) {
  if (p->depth >= DEPTH_MOST) return fail(p, "the expression is too deep");
  p->depth++;
  const brink_term *term;
  if (take(p, '-')) {
    const brink_term *a = read_sign(p);
    brink_term *negated = a != NULL ? new_term(p, BRINK_TERM_NEGATE) : NULL;
    if (negated != NULL) negated->a = a;
    term = negated;
  } else if (take(p, '+')) {
    term = read_sign(p);
  } else {
    term = read_primary(p);
    if (term != NULL && take(p, '^')) term = join(p, BRINK_TERM_POWER, term, read_sign(p));
  }
  p->depth--;
  return term;
}

static const brink_term *read_product(parser *p) {
  const brink_term *term = read_sign(p);
  for (;;) {
    if (term != NULL && take(p, '*'))
      term = join(p, BRINK_TERM_MULTIPLY, term, read_sign(p));
    else if (term != NULL && take(p, '/'))
      term = join(p, BRINK_TERM_DIVIDE, term, read_sign(p));
    else
      return term;
  }
}

static const brink_term *read_sum(parser *p) {
  const brink_term *term = read_product(p);
  for (;;) {
    if (term != NULL && take(p, '+'))
      term = join(p, BRINK_TERM_ADD, term, read_product(p));
    else if (term != NULL && take(p, '-'))
      term = join(p, BRINK_TERM_SUBTRACT, term, read_product(p));
    else
      return term;
  }
}

/* "peak =", in front of the expression; else nothing. */
static const char *read_label(parser *p) {
  const char *c = p->at + strspn(p->at, " \t");
  size_t length = 0;
  while (isalnum((unsigned char)c[length]) || c[length] == '_') length++;
  const char *end = c + length + strspn(c + length, " \t");
  if (length == 0 || isdigit((unsigned char)*c) || *end != '=') return NULL;
  p->at = end + 1;
  char *label = brink_arena_copy(p->measures->arena, c, length + 1, 1);
  if (label != NULL) label[length] = '\0';
  return label;
}

brink_status brink_measures_add(brink_measures *m, const char *text, brink_diag *diag) {
  parser p = {.measures = m, .text = text, .at = text, .diag = diag};
  const char *label = read_label(&p);
  const brink_term *root = read_sum(&p);
  skip(&p);
  if (root != NULL && *p.at != '\0') root = fail(&p, "something is left over");
  if (root == NULL) return p.status;
  brink_measure *measure = brink_arena_push(m->arena, m->measures, m->count, m->capacity);
  if (label == NULL) label = brink_arena_text(m->arena, text);
  if (m->arena->failed || measure == NULL)
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  *measure = (brink_measure){.name = label, .root = root};
  return BRINK_OK;
}

/* ---- values ---- */

double brink_term_value(const brink_term *term, const double *reads, double t,
                        const double *gauge) {
  double a = term->a != NULL ? brink_term_value(term->a, reads, t, gauge) : 0.0;
  double b = term->b != NULL ? brink_term_value(term->b, reads, t, gauge) : 0.0;
  switch (term->op) {
  case BRINK_TERM_NUMBER:
    return term->number;
  case BRINK_TERM_READ:
    return reads[term->index];
  case BRINK_TERM_TIME:
    return t;
  case BRINK_TERM_GAUGE:
    return gauge[term->index];
  case BRINK_TERM_NEGATE:
    return -a;
  case BRINK_TERM_ADD:
    return a + b;
  case BRINK_TERM_SUBTRACT:
    return a - b;
  case BRINK_TERM_MULTIPLY:
    return a * b;
  case BRINK_TERM_DIVIDE:
    return a / b;
  case BRINK_TERM_POWER:
    return pow(a, b);
  case BRINK_TERM_LEAST:
    return isnan(a) || isnan(b) ? (double)NAN : fmin(a, b);
  case BRINK_TERM_LARGEST:
    return isnan(a) || isnan(b) ? (double)NAN : fmax(a, b);
  case BRINK_TERM_CALL:
    return term->function(a);
  }
  return (double)NAN;
}
