/* evaluate.c: expressions, as they stand in the text.
 *
 * Whatever switches (a relation, abs, sign, min, max, floor, ceil, mod, a corner of a table) is a site: a node of the
 * syntax tree in a frame. The table says which decision holds there; every evaluation notes, too, which decision the
 * values would ask for (`open`) and how far they are from the next switch (`margin`). A branch that is not taken is
 * not evaluated. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/world.h"

/* ---- sites ---- */

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t z = a * 0x9e3779b97f4a7c15u + b;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* By where the node stands in the text: the same in every run. */
static uint64_t site_key(const judge_frame *frame, const brink_ast_expr *node, size_t element) {
  uint64_t place = (uint64_t)node->place.line << 40 | (uint64_t)node->place.column << 8 | node->op;
  uint64_t key = mix(mix(mix(place, node->place.file), frame->id), element);
  return key != 0 ? key : 1;
}

judge_site *judge_site_find(judge_table *table, uint64_t key) {
  if (table->capacity == 0) return NULL;
  for (size_t k = key & (table->capacity - 1);; k = (k + 1) & (table->capacity - 1)) {
    if (table->site[k].key == key) return &table->site[k];
    if (table->site[k].key == 0) return NULL;
  }
}

static void grow(judge *j, judge_table *table) {
  judge_table old = *table;
  table->capacity = old.capacity > 0 ? 2 * old.capacity : 64;
  table->site = calloc(table->capacity, sizeof *table->site);
  table->count = 0;
  if (table->site == NULL) {
    *table = old;
    judge_refuse(j, "no memory");
  }
  for (size_t k = 0; k < old.capacity; k++)
    if (old.site[k].key != 0) *judge_site_add(j, table, old.site[k].key) = old.site[k];
  free(old.site);
}

judge_site *judge_site_add(judge *j, judge_table *table, uint64_t key) {
  if (2 * table->count >= table->capacity) grow(j, table);
  size_t k = key & (table->capacity - 1);
  while (table->site[k].key != 0 && table->site[k].key != key) k = (k + 1) & (table->capacity - 1);
  if (table->site[k].key == 0) {
    table->count++;
    table->site[k] = (judge_site){.key = key};
  }
  return &table->site[k];
}

void judge_table_clear(judge_table *table) {
  if (table->capacity > 0) memset(table->site, 0, table->capacity * sizeof *table->site);
  table->count = 0;
}

/* What holds at a site, where the values ask for `open`. A site that is met for the first time takes that; or, on its
 * surface, what held there before the instant. */
static long decide(judge *j, uint64_t key, judge_site seen) {
  if (j->plain || !j->varies) return seen.open; /* what only instants change is as it stands */
  judge_site *site = judge_site_find(&j->table, key);
  if (site == NULL) {
    judge_site *before = seen.margin < JUDGE_BAND ? judge_site_find(&j->hint, key) : NULL;
    site = judge_site_add(j, &j->table, key);
    site->decision = before != NULL ? before->decision : seen.open;
  }
  site->open = seen.open;
  site->above = seen.above;
  site->margin = seen.margin;
  site->residual = seen.residual;
  site->stamp = j->stamp;
  return site->decision;
}

static double scale_of(double a, double b) {
  return 1.0 + fmax(fabs(a), fabs(b));
}

/* ---- operators that switch ---- */

static bool relation_holds(brink_ast_op op, double a, double b) {
  switch (op) {
  case BRINK_AST_LT:
    return a < b;
  case BRINK_AST_LE:
    return a <= b;
  case BRINK_AST_GT:
    return a > b;
  default:
    return a >= b;
  }
}

static double relation(judge *j, const judge_frame *frame, const brink_ast_expr *e, size_t k) {
  double a = judge_value(j, frame, e->arg[0], k), b = judge_value(j, frame, e->arg[1], k);
  if (e->op == BRINK_AST_EQ) return a == b;
  if (e->op == BRINK_AST_NE) return a != b;
  return (double)decide(j, site_key(frame, e, k),
                        (judge_site){.open = relation_holds(e->op, a, b),
                                     .above = e->op == BRINK_AST_GT || e->op == BRINK_AST_GE,
                                     .margin = fabs(a - b) / scale_of(a, b),
                                     .residual = a - b});
}

static long sign_site(judge *j, uint64_t key, double a) {
  return decide(j, key,
                (judge_site){.open = (a > 0.0) - (a < 0.0),
                             .above = 1,
                             .margin = fabs(a) / scale_of(a, 0.0),
                             .residual = a});
}

/* The whole number below a; held, it stays while a moves on. */
static double floor_site(judge *j, uint64_t key, double a) {
  if (!isfinite(a) || fabs(a) > 1e15) return NAN;
  double edge = nearbyint(a);
  return (double)decide(j, key,
                        (judge_site){.open = (long)floor(a),
                                     .above = (long)edge,
                                     .margin = fabs(a - edge) / scale_of(a, 0.0),
                                     .residual = a - edge});
}

static double extreme(judge *j, const judge_frame *frame, const brink_ast_expr *e, size_t k,
                      double direction) {
  size_t best = 0;
  double value[16], gap = INFINITY, scale = 1.0;
  if (e->nargs > 16) judge_refuse(j, "min or max of many");
  for (size_t i = 0; i < e->nargs; i++) {
    value[i] = judge_value(j, frame, e->arg[i], k);
    scale = fmax(scale, 1.0 + fabs(value[i]));
    if (direction * value[i] > direction * value[best]) best = i;
  }
  /* Arguments that are equal for a while are no switch: the one chosen stays. From one that is not the best any more,
   * what counts is how far it lies behind, not who else is as good. */
  const judge_site *site = j->plain ? NULL : judge_site_find(&j->table, site_key(frame, e, k));
  size_t now = site != NULL ? (size_t)site->decision : best;
  if (value[now] == value[best]) best = now;
  for (size_t i = 0; i < e->nargs; i++)
    if (value[i] != value[best] && (best == now || i == now))
      gap = fmin(gap, fabs(value[i] - value[best]));
  long chosen = decide(j, site_key(frame, e, k),
                       (judge_site){.open = (long)best, .margin = gap / scale, .residual = NAN});
  return value[chosen];
}

static double table(judge *j, const judge_frame *frame, const brink_ast_expr *e) {
  double u = judge_value(j, frame, e->arg[0], 0), gap = INFINITY;
  size_t n = judge_size(j, frame, e->arg[1]), piece = 0;
  if (n < 2) judge_refuse(j, "a table of one point");
  for (size_t i = 1; i + 1 < n; i++) {
    double x = judge_value(j, frame, e->arg[1], i);
    if (u > x) piece = i;
    gap = fmin(gap, fabs(u - x) / scale_of(u, x));
  }
  piece = (size_t)decide(j, site_key(frame, e, 0),
                         (judge_site){.open = (long)piece, .margin = gap, .residual = NAN});
  double x0 = judge_value(j, frame, e->arg[1], piece),
         x1 = judge_value(j, frame, e->arg[1], piece + 1);
  double y0 = judge_value(j, frame, e->arg[2], piece),
         y1 = judge_value(j, frame, e->arg[2], piece + 1);
  return y0 + (y1 - y0) * (u - x0) / (x1 - x0);
}

/* ---- functions ---- */

typedef struct function_row {
  const char *name;
  double (*one)(double);
  double (*two)(double, double);
} function_row;

static const function_row functions[] = {
    {"sin", sin, NULL},   {"cos", cos, NULL},     {"tan", tan, NULL},    {"asin", asin, NULL},
    {"acos", acos, NULL}, {"atan", atan, NULL},   {"sinh", sinh, NULL},  {"cosh", cosh, NULL},
    {"tanh", tanh, NULL}, {"exp", exp, NULL},     {"log", log, NULL},    {"log10", log10, NULL},
    {"sqrt", sqrt, NULL}, {"hypot", NULL, hypot}, {"atan2", NULL, atan2}};

static double over_elements(judge *j, const judge_frame *frame, const brink_ast_expr *e) {
  size_t n = judge_size(j, frame, e->arg[0]);
  if (e->nargs > 1 && judge_size(j, frame, e->arg[1]) > n) n = judge_size(j, frame, e->arg[1]);
  double sum = 0.0;
  for (size_t i = 0; i < (n > 0 ? n : 1); i++) {
    double a = judge_value(j, frame, e->arg[0], i);
    sum += e->text[0] == 's' ? a : a * (e->nargs > 1 ? judge_value(j, frame, e->arg[1], i) : a);
  }
  return e->text[0] == 'n' ? sqrt(sum) : sum;
}

/* A function of the model: its body, with its arguments bound. The frame's number comes from the call and from where
 * it stands, so that sites in the body are the same ones at every evaluation. */
static double user_function(judge *j, const judge_frame *frame, const brink_ast_expr *e, size_t k) {
  const brink_user_function *f = j->unit->functions;
  while (f != NULL && strcmp(f->name, e->text) != 0) f = f->next;
  if (f == NULL || f->narguments != e->nargs || e->nargs > 8)
    judge_refuse(j, "function %s", e->text);
  double value[8];
  judge_binding binding[8];
  judge_frame inside = {.scope = frame->scope, .id = site_key(frame, e, k)};
  for (size_t i = 0; i < e->nargs; i++) {
    j->varies = false;
    value[i] = judge_value(j, frame, e->arg[i], k);
    binding[i] = (judge_binding){.name = f->argument[i]->name,
                                 .value = &value[i],
                                 .count = 1,
                                 .varies = j->varies,
                                 .next = inside.bound};
    inside.bound = &binding[i];
  }
  return judge_value(j, &inside, f->body, 0);
}

static double sign_of_flag(judge *j, const judge_frame *frame, const brink_ast_expr *e, size_t k) {
  judge_cell *cell = judge_find(j, frame, e->arg[0], k);
  if (cell == NULL || cell->kind != JUDGE_FLAG) judge_refuse(j, "sgn of no flag");
  return (double)j->sgn[cell->slot];
}

static double call(judge *j, const judge_frame *frame, const brink_ast_expr *e, size_t k) {
  const char *name = e->text;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (strcmp(name, functions[i].name) != 0) continue;
    double a = judge_value(j, frame, e->arg[0], k);
    return functions[i].one != NULL ? functions[i].one(a)
                                    : functions[i].two(a, judge_value(j, frame, e->arg[1], k));
  }
  if (strcmp(name, "abs") == 0) {
    double a = judge_value(j, frame, e->arg[0], k);
    return sign_site(j, site_key(frame, e, k), a) < 0 ? -a : a;
  }
  if (strcmp(name, "sign") == 0)
    return (double)sign_site(j, site_key(frame, e, k), judge_value(j, frame, e->arg[0], k));
  if (strcmp(name, "min") == 0) return extreme(j, frame, e, k, -1.0);
  if (strcmp(name, "max") == 0) return extreme(j, frame, e, k, 1.0);
  if (strcmp(name, "floor") == 0)
    return floor_site(j, site_key(frame, e, k), judge_value(j, frame, e->arg[0], k));
  if (strcmp(name, "ceil") == 0)
    return -floor_site(j, site_key(frame, e, k), -judge_value(j, frame, e->arg[0], k));
  if (strcmp(name, "mod") == 0) {
    double a = judge_value(j, frame, e->arg[0], k), b = judge_value(j, frame, e->arg[1], k);
    return a - b * floor_site(j, site_key(frame, e, k), a / b);
  }
  if (strcmp(name, "sum") == 0 || strcmp(name, "dot") == 0 || strcmp(name, "norm") == 0)
    return over_elements(j, frame, e);
  if (strcmp(name, "table") == 0) return table(j, frame, e);
  if (strcmp(name, "sgn") == 0) return sign_of_flag(j, frame, e, k);
  if (strcmp(name, "pre") == 0 || strcmp(name, "noevent") == 0) {
    bool plain = j->plain, pre = j->pre;
    if (name[0] == 'p') j->pre = true;
    j->plain = true;
    double value = judge_value(j, frame, e->arg[0], k);
    j->plain = plain;
    j->pre = pre;
    return value;
  }
  return user_function(j, frame, e, k);
}

/* ---- names ---- */

static double name_value(judge *j, const judge_frame *frame, const brink_ast_expr *e, size_t k) {
  const char *name = e->part[0].name;
  if (e->nparts == 1) {
    for (const judge_binding *b = frame->bound; b != NULL; b = b->next) {
      if (strcmp(b->name, name) != 0) continue;
      size_t i = e->part[0].index != NULL ? (size_t)judge_value(j, frame, e->part[0].index, 0) - 1
                 : b->count > 1           ? k
                                          : 0;
      j->varies = j->varies || b->varies;
      return b->value[i];
    }
  }
  judge_cell *cell = judge_find(j, frame, e, k);
  if (cell != NULL) return judge_cell_value(j, cell);
  if (strcmp(name, "time") == 0 || strcmp(name, "t") == 0) {
    j->varies = true;
    return j->t;
  }
  if (strcmp(name, "true") == 0) return 1.0;
  if (strcmp(name, "false") == 0) return 0.0;
  if (strcmp(name, "pi") == 0) return 3.14159265358979323846;
  if (strcmp(name, "inf") == 0) return INFINITY;
  judge_refuse(j, "no name %s", name);
}

/* ---- expressions ---- */

static double value_of(judge *j, const judge_frame *frame, const brink_ast_expr *e, size_t k) {
  switch (e->op) {
  case BRINK_AST_NUMBER:
    return e->number;
  case BRINK_AST_TEXT:
    return (double)judge_string(j, e->text);
  case BRINK_AST_NAME:
    return name_value(j, frame, e, k);
  case BRINK_AST_PRIME:
    return judge_cell_rate(j, judge_find(j, frame, e->arg[0], k));
  case BRINK_AST_NEGATE:
    return -judge_value(j, frame, e->arg[0], k);
  case BRINK_AST_NOT:
    return judge_value(j, frame, e->arg[0], k) == 0.0;
  case BRINK_AST_ADD:
    return judge_value(j, frame, e->arg[0], k) + judge_value(j, frame, e->arg[1], k);
  case BRINK_AST_SUB:
    return judge_value(j, frame, e->arg[0], k) - judge_value(j, frame, e->arg[1], k);
  case BRINK_AST_MUL:
    return judge_value(j, frame, e->arg[0], k) * judge_value(j, frame, e->arg[1], k);
  case BRINK_AST_DIV:
    return judge_value(j, frame, e->arg[0], k) / judge_value(j, frame, e->arg[1], k);
  case BRINK_AST_POW:
    return pow(judge_value(j, frame, e->arg[0], k), judge_value(j, frame, e->arg[1], k));
  case BRINK_AST_LT:
  case BRINK_AST_LE:
  case BRINK_AST_GT:
  case BRINK_AST_GE:
  case BRINK_AST_EQ:
  case BRINK_AST_NE:
    return relation(j, frame, e, k);
  case BRINK_AST_AND: { /* both sides always: all their switches are watched */
    bool a = judge_truth(j, frame, e->arg[0]), b = judge_truth(j, frame, e->arg[1]);
    return a && b;
  }
  case BRINK_AST_OR: {
    bool a = judge_truth(j, frame, e->arg[0]), b = judge_truth(j, frame, e->arg[1]);
    return a || b;
  }
  case BRINK_AST_IF:
    return judge_value(j, frame, judge_truth(j, frame, e->arg[0]) ? e->arg[1] : e->arg[2], k);
  case BRINK_AST_CALL:
    return call(j, frame, e, k);
  case BRINK_AST_VECTOR:
    return judge_value(j, frame, e->arg[k], 0);
  case BRINK_AST_EACH: /* no model of the judge has these */
  case BRINK_AST_SLICE:
  case BRINK_AST_INDICES:
  case BRINK_AST_DAMAGED:
    break;
  }
  judge_refuse(j, "a damaged expression");
}

/* `varies` is about the operands of what is evaluated, and what contains it inherits it. */
double judge_value(judge *j, const judge_frame *frame, const brink_ast_expr *e, size_t k) {
  bool varies = j->varies;
  j->varies = false;
  double value = value_of(j, frame, e, k);
  j->varies = j->varies || varies;
  return value;
}

bool judge_truth(judge *j, const judge_frame *frame, const brink_ast_expr *expr) {
  return judge_value(j, frame, expr, 0) != 0.0;
}

/* ---- cells ---- */

static double definition_value(judge *j, const judge_definition *d) {
  while (d != NULL && d->choice != NULL) {
    const brink_ast_statement *s = d->choice;
    size_t b = 0;
    while (b < s->nconditions && !judge_truth(j, d->frame, s->condition[b])) b++;
    d = b < s->nblocks ? d->branch[b] : NULL;
  }
  if (d == NULL) judge_refuse(j, "a branch without an equation");
  return judge_value(j, d->frame, d->expr, d->element);
}

double judge_cell_value(judge *j, judge_cell *cell) {
  while (cell->source != NULL) cell = cell->source;
  if (cell->kind == JUDGE_STATE) {
    j->varies = true;
    return j->pre ? j->pre_x[cell->slot] : j->x[cell->slot];
  }
  if (cell->kind == JUDGE_HELD) return j->pre ? j->pre_held[cell->slot] : j->held[cell->slot];
  if (j->pre) judge_refuse(j, "pre of a formula");
  if (cell->stamp == j->stamp) {
    j->varies = j->varies || cell->varies;
    return cell->memo;
  }
  if (cell->value == NULL) judge_refuse(j, "%s has no value", cell->name);
  if (cell->busy) judge_refuse(j, "%s depends on itself", cell->name);
  bool plain = j->plain, varies = j->varies;
  j->varies = false;
  j->plain = cell->sampled;
  cell->busy = true;
  cell->memo = definition_value(j, cell->value);
  cell->busy = false;
  cell->stamp = j->stamp;
  cell->varies = j->varies;
  j->varies = j->varies || varies;
  j->plain = plain;
  return cell->memo;
}

/* On a surface with `on-event`, its equations replace others. */
static const brink_ast_expr *replaced(judge *j, const judge_cell *cell) {
  if (j->on_event == NULL || !j->override_active) return NULL;
  for (size_t k = 0; k < j->on_event->on.count; k++) {
    const brink_ast_statement *s = j->on_event->on.statement[k];
    if (s->kind != BRINK_STATEMENT_EQUATION || s->target->op != BRINK_AST_PRIME) continue;
    if (judge_find(j, j->on_frame, s->target->arg[0], 0) == cell) return s->expr;
  }
  return NULL;
}

double judge_cell_rate(judge *j, judge_cell *cell) {
  if (cell == NULL || cell->kind != JUDGE_STATE) judge_refuse(j, "a rate of no state");
  if (cell->rate_stamp == j->stamp) return cell->rate_memo;
  if (cell->rate == NULL) judge_refuse(j, "%s has no equation", cell->name);
  const brink_ast_expr *instead = replaced(j, cell);
  bool plain = j->plain;
  j->plain = false;
  cell->rate_memo =
      instead != NULL ? judge_value(j, j->on_frame, instead, 0) : definition_value(j, cell->rate);
  j->plain = plain;
  cell->rate_stamp = j->stamp;
  return cell->rate_memo;
}

void judge_at(judge *j, double t, const double *x) {
  j->stamp++;
  j->varies = false;
  j->t = t;
  if (x != j->x) memcpy(j->x, x, j->nx * sizeof *x);
}
