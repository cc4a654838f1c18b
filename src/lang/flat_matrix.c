/* flat_matrix.c: products and inverses of matrices, reductions of arrays, values for each i.
 *
 * An expression is asked for one of its elements: the same one in all iterations of a kernel, or another one in each
 * (flat_element_at). A product asks its operands for the elements of a row and of a column; nothing is written out but
 * the sum over the inner dimension.
 *
 * Linear equations are solved by elimination with the largest pivot of each column (Golub and Van Loan 2013,
 * Algorithm 3.4.1), written out. Rows are exchanged by choices between numbers. Whichever row is taken, the result is the
 * same function of the elements, so these choices are no events, and series and derivatives are those of the choice at
 * hand. A matrix that is singular leads to numbers that are not finite, which end the run. */
#include <math.h>
#include <string.h>

#include "lang/flat.h"

/* ---- other elements ---- */

/* Are there other elements in other iterations? */
static bool is_many(const flat_context *c) {
  return c->elements != NULL || (c->element == BRINK_NONE && c->element_loop);
}

/* Asks for element (e / width)*row + (e % width)*column + first where c is asked for element e. */
static bool move(const flat_context *c, size_t width, size_t row, size_t column, size_t first,
                 flat_context *to) {
  *to = *c;
  if (!is_many(c) || (row == 0 && column == 0)) {
    size_t e = c->element == BRINK_NONE || c->elements != NULL ? 0 : c->element;
    to->element = row == 0 && column == 0 ? first : e / width * row + e % width * column + first;
    to->elements = NULL;
    return true;
  }
  size_t count = c->kernel->count;
  uint32_t *elements = brink_arena_pack(&c->f->scratch, count, sizeof *elements);
  if (elements == NULL) {
    flat_out_of_memory(c->f);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    size_t e = flat_element_at(c, i);
    elements[i] = (uint32_t)(e / width * row + e % width * column + first);
  }
  to->element = BRINK_NONE;
  to->elements = elements;
  return true;
}

static brink_node at_element(const flat_context *c, const brink_ast_expr *expr, size_t element) {
  flat_context at = *c;
  at.element = element;
  at.elements = NULL;
  return flat_expr(&at, expr);
}

/* Where each element is made by itself: the one that is asked for, or a choice between all. */
typedef brink_node element_fn(flat_context *c, const brink_ast_expr *expr, size_t element,
                              void *user);

static brink_node choose(flat_context *c, const brink_ast_expr *expr, brink_node number,
                         size_t first, size_t last, element_fn *make, void *user) {
  if (last - first == 1) return make(c, expr, first, user);
  brink_graph *g = c->graph;
  size_t middle = first + (last - first + 1) / 2;
  brink_node less =
      brink_graph_op2(g, BRINK_OP_LT, number, brink_graph_constant(g, (double)middle));
  return brink_graph_select(g, less, choose(c, expr, number, first, middle, make, user),
                            choose(c, expr, number, middle, last, make, user));
}

static brink_node by_element(flat_context *c, const brink_ast_expr *expr, size_t length,
                             element_fn *make, void *user) {
  if (!is_many(c)) return make(c, expr, c->element == BRINK_NONE ? 0 : c->element, user);
  if (!flat_spend(c->f, expr->place, FLAT_MOVE_STEPS * (c->kernel->count + length)))
    return BRINK_NO_NODE;
  uint32_t *numbers = brink_arena_pack(&c->f->scratch, c->kernel->count, sizeof *numbers);
  if (numbers == NULL) {
    flat_out_of_memory(c->f);
    return BRINK_NO_NODE;
  }
  for (size_t i = 0; i < c->kernel->count; i++) numbers[i] = (uint32_t)flat_element_at(c, i);
  brink_node number = flat_numbers(c, numbers, length);
  return c->f->failed ? BRINK_NO_NODE : choose(c, expr, number, 0, length, make, user);
}

/* ---- products ---- */

bool flat_is_product(const flat_context *c, const brink_ast_expr *expr, flat_shape shapes[2]) {
  const brink_ast_expr *a = expr->arg[0], *b = expr->arg[1];
  /* In the body of a function the ranks are those of some call. */
  if (expr->op != BRINK_AST_MUL || (c->functions == 0 && a->rank < 2 && b->rank < 2)) return false;
  if (!flat_shape_of(c, a, &shapes[0]) || !flat_shape_of(c, b, &shapes[1])) {
    c->f->failed = true;
    return false;
  }
  return shapes[0].rank > 0 && shapes[1].rank > 0 && shapes[0].rank + shapes[1].rank > 2;
}

/* A product of matrices with n rows and columns takes the places of 2*n^3 elements, or as many nodes; one inside another n
 * times that. So it is paid for before any of it is made. */
static bool pay_for_product(flat_context *c, const brink_ast_expr *expr, size_t inner) {
  flat *f = c->f;
  double terms = (double)inner * (is_many(c) ? (double)c->kernel->count : 1.0);
  if (terms * FLAT_TERM_STEPS < (double)f->budget)
    return flat_spend(f, expr->place, (size_t)terms * FLAT_TERM_STEPS);
  if (f->budget > 0)
    flat_error(f, BRINK_MSG_PRODUCT_TOO_LARGE, expr->place,
               "let a variable be the product inside another product, so that it is made once",
               "products of matrices in this model have more than %zu terms",
               (size_t)FLAT_BUDGET / FLAT_TERM_STEPS / 1000000 * 1000000);
  f->budget = 0;
  f->failed = true;
  return false;
}

brink_node flat_product(flat_context *c, const brink_ast_expr *expr, const flat_shape shapes[2]) {
  flat_shape a = shapes[0], b = shapes[1];
  size_t inner = a.columns, width = b.rank == 1 ? 1 : b.columns;
  brink_node sum = BRINK_NO_NODE;
  if (!pay_for_product(c, expr, inner)) return BRINK_NO_NODE;
  for (size_t j = 0; j < inner && !c->f->failed; j++) {
    flat_context left, right;
    if (!move(c, width, a.rank == 1 ? 0 : inner, 0, j, &left) ||
        !move(c, width, 0, b.rank == 1 ? 0 : 1, j * width, &right))
      return BRINK_NO_NODE;
    brink_node term = brink_graph_op2(c->graph, BRINK_OP_MUL, flat_expr(&left, expr->arg[0]),
                                      flat_expr(&right, expr->arg[1]));
    sum = j == 0 ? term : brink_graph_op2(c->graph, BRINK_OP_ADD, sum, term);
  }
  return sum;
}

static brink_node transpose(flat_context *c, const brink_ast_expr *expr) {
  flat_shape of;
  flat_context at;
  if (!flat_shape_of(c, expr->arg[0], &of)) {
    c->f->failed = true;
    return BRINK_NO_NODE;
  }
  if (is_many(c) && !flat_spend(c->f, expr->place, FLAT_MOVE_STEPS * c->kernel->count))
    return BRINK_NO_NODE;
  return move(c, of.rows, 1, of.columns, 0, &at) ? flat_expr(&at, expr->arg[0]) : BRINK_NO_NODE;
}

static brink_node identity_element(flat_context *c, const brink_ast_expr *expr, size_t element,
                                   void *user) {
  size_t n = *(const size_t *)user;
  (void)expr;
  return brink_graph_constant(c->graph, element / n == element % n ? 1.0 : 0.0);
}

/* ---- elimination ---- */

/* n rows of A and, behind them, m columns of right-hand sides. */
typedef struct equations {
  size_t n, m;
  brink_node *at;
} equations;

static brink_node *entry(const equations *e, size_t row, size_t column) {
  return &e->at[row * (e->n + e->m) + column];
}

/* Puts the row with the larger entry in this column into `row`. */
static void exchange(brink_graph *g, const equations *e, size_t row, size_t other) {
  brink_node here = brink_graph_op1(g, BRINK_OP_ABS, *entry(e, row, row));
  brink_node there = brink_graph_op1(g, BRINK_OP_ABS, *entry(e, other, row));
  brink_node larger = brink_graph_op2(g, BRINK_OP_LT, here, there);
  for (size_t k = row; k < e->n + e->m; k++) {
    brink_node a = *entry(e, row, k), b = *entry(e, other, k);
    *entry(e, row, k) = brink_graph_select(g, larger, b, a);
    *entry(e, other, k) = brink_graph_select(g, larger, a, b);
  }
}

static void eliminate(brink_graph *g, const equations *e) {
  for (size_t row = 0; row < e->n && !g->failed; row++) {
    for (size_t other = row + 1; other < e->n; other++) exchange(g, e, row, other);
    for (size_t other = row + 1; other < e->n; other++) {
      brink_node factor =
          brink_graph_op2(g, BRINK_OP_DIV, *entry(e, other, row), *entry(e, row, row));
      for (size_t k = row + 1; k < e->n + e->m; k++)
        *entry(e, other, k) =
            brink_graph_op2(g, BRINK_OP_SUB, *entry(e, other, k),
                            brink_graph_op2(g, BRINK_OP_MUL, factor, *entry(e, row, k)));
    }
  }
}

static void substitute_back(brink_graph *g, const equations *e, size_t column) {
  for (size_t row = e->n; row-- > 0;) {
    brink_node *x = entry(e, row, e->n + column);
    for (size_t k = row + 1; k < e->n; k++)
      *x = brink_graph_op2(
          g, BRINK_OP_SUB, *x,
          brink_graph_op2(g, BRINK_OP_MUL, *entry(e, row, k), *entry(e, k, e->n + column)));
    *x = brink_graph_op2(g, BRINK_OP_DIV, *x, *entry(e, row, row));
  }
}

static brink_node solved_element(flat_context *c, const brink_ast_expr *expr, size_t element,
                                 void *user) {
  equations *e = user;
  bool inverse = expr->function == BRINK_FN_INVERSE;
  size_t n = e->n, m = inverse ? n : e->m;
  size_t column = m > 0 ? element % m : 0, row = m > 0 ? element / m : element;
  e->m = 1;
  for (size_t i = 0; i < n && !c->f->failed; i++) {
    for (size_t k = 0; k < n; k++) *entry(e, i, k) = at_element(c, expr->arg[0], i * n + k);
    *entry(e, i, n) = inverse ? brink_graph_constant(c->graph, i == column ? 1.0 : 0.0)
                              : at_element(c, expr->arg[1], m > 0 ? i * m + column : i);
  }
  if (c->f->failed || c->graph->failed) return BRINK_NO_NODE;
  eliminate(c->graph, e);
  substitute_back(c->graph, e, 0);
  brink_node node = *entry(e, row, n);
  e->m = m;
  return node;
}

/* inverse(A), solve(A, b); e.m is 0 where b is a vector. */
static brink_node solve(flat_context *c, const brink_ast_expr *expr) {
  flat_shape a, b = {0};
  bool ok = flat_shape_of(c, expr->arg[0], &a) && flat_shape_of(c, expr, &b);
  equations e = {.n = a.rows, .m = b.rank == 2 ? b.columns : 0};
  if (ok) e.at = brink_arena_pack(&c->f->scratch, e.n * (e.n + 1), sizeof *e.at);
  if (!ok || e.at == NULL) {
    if (ok) flat_out_of_memory(c->f);
    c->f->failed = true;
    return BRINK_NO_NODE;
  }
  return by_element(c, expr, b.rows * b.columns, solved_element, &e);
}

/* ---- values for each i ---- */

static brink_node each_element(flat_context *c, const brink_ast_expr *expr, size_t element,
                               void *user) {
  const int64_t *lo = user;
  size_t inner = (size_t)lo[1];
  /* in the arena: names that are translated later may refer to it */
  flat_binding *binding = brink_arena_pack(&c->f->scratch, 1, sizeof *binding);
  if (binding == NULL || !flat_spend(c->f, expr->place, FLAT_EACH_STEPS)) {
    if (binding == NULL) flat_out_of_memory(c->f);
    return BRINK_NO_NODE;
  }
  *binding = (flat_binding){.symbol = expr->loop,
                            .value = (double)(lo[0] + (int64_t)(element / inner)),
                            .outer = c->fixed};
  flat_context at = *c;
  at.fixed = binding;
  at.element = element % inner;
  at.elements = NULL;
  return flat_expr(&at, expr->arg[0]);
}

brink_node flat_each(flat_context *c, const brink_ast_expr *expr) {
  flat_shape shape;
  int64_t bounds[2], hi;
  flat_binding bindings[FLAT_BINDINGS];
  flat_point point = flat_point_at(c, 0, bindings);
  if (!flat_shape_of(c, expr, &shape) || !flat_each_bounds(c->f, &point, expr, &bounds[0], &hi)) {
    c->f->failed = true;
    return BRINK_NO_NODE;
  }
  for (size_t i = 1; i < c->kernel->count && !flat_same_bounds(c, expr); i++) {
    flat_binding others[FLAT_BINDINGS];
    flat_point other = flat_point_at(c, i, others);
    int64_t a, b;
    if (!flat_each_bounds(c->f, &other, expr, &a, &b)) {
      c->f->failed = true;
      return BRINK_NO_NODE;
    }
    if (a == bounds[0] && b == hi) continue;
    flat_error(c->f, BRINK_MSG_EACH_BOUNDS_DIFFER, expr->place,
               "run over all, and choose: sum(if j <= i then x[j] else 0.0 for j in 1..n)",
               "these bounds differ between the iterations of the loop around them");
    return BRINK_NO_NODE;
  }
  bounds[1] = shape.rank == 2 ? (int64_t)shape.columns : 1;
  return by_element(c, expr, shape.rows * shape.columns, each_element, bounds);
}

/* ---- reductions ---- */

/* argmin, argmax: the first of the least, of the greatest. */
typedef struct winner {
  brink_node place, value;
} winner;

/* Of elements first … last - 1, as a tournament (flat_call.c); of equal ones the first. */
static winner best_of(flat_context *c, const brink_ast_expr *expr, size_t first, size_t last) {
  brink_graph *g = c->graph;
  if (last - first == 1 || c->f->failed)
    return (winner){brink_graph_constant(g, (double)(first + 1)),
                    at_element(c, expr->arg[0], first)};
  brink_function better = expr->function == BRINK_FN_ARGMIN ? BRINK_FN_MIN : BRINK_FN_MAX;
  size_t middle = first + (last - first + 1) / 2;
  winner a = best_of(c, expr, first, middle), b = best_of(c, expr, middle, last);
  brink_node second = flat_comes_first(c, expr->place, better, b.value, a.value);
  return (winner){brink_graph_select(g, second, b.place, a.place),
                  brink_graph_select(g, second, b.value, a.value)};
}

static brink_node place_of_extreme(flat_context *c, const brink_ast_expr *expr, size_t length) {
  return length > 0 ? best_of(c, expr, 0, length).place : BRINK_NO_NODE;
}

static brink_node size_node(flat_context *c, const brink_ast_expr *expr) {
  flat_shape of;
  if (!flat_shape_of(c, expr->arg[0], &of)) {
    c->f->failed = true;
    return BRINK_NO_NODE;
  }
  return brink_graph_constant(c->graph, (double)flat_size_value(expr, of));
}

size_t flat_size_value(const brink_ast_expr *expr, flat_shape of) {
  bool rows = of.rank == 2 && expr->nargs == 2 && expr->arg[1]->number == 1.0;
  return rows ? of.rows : of.columns;
}

brink_node flat_matrix_call(flat_context *c, const brink_ast_expr *expr) {
  flat_shape of;
  size_t n;
  switch (expr->function) {
  case BRINK_FN_TRANSPOSE:
    return transpose(c, expr);
  case BRINK_FN_IDENTITY:
    if (!flat_shape_of(c, expr, &of)) {
      c->f->failed = true;
      return BRINK_NO_NODE;
    }
    n = of.rows;
    return by_element(c, expr, n * n, identity_element, &n);
  case BRINK_FN_SIZE:
    return size_node(c, expr);
  case BRINK_FN_ARGMIN:
  case BRINK_FN_ARGMAX:
    return place_of_extreme(c, expr, flat_vector_length(c, expr->arg[0]));
  default:
    return solve(c, expr);
  }
}
