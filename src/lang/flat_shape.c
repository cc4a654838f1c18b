/* flat_shape.c: the shapes of expressions, and which elements an index names.
 *
 * Elements are numbered row by row. A vector of n elements is stored as one row; what is a row and what a column is
 * decided by its place in a product. Ranks are known to the checker, sizes only here: they may depend on parameters. */
#include "lang/flat.h"

/* Arguments of a function, by their expressions where it is called. */
typedef struct argument argument;

typedef struct view {
  flat *f;
  flat_group *group;
  const flat_binding *binding; /* values before the run, or … */
  const flat_context *c;       /* … expressions as graphs */
  argument *arguments;
} view;

struct argument {
  const brink_symbol *symbol;
  const brink_ast_expr *expr;
  const view *of;
  argument *outer;
  bool known; /* its shape, once it was asked for */
  flat_shape shape;
};

static const flat_shape one = {.rows = 1, .columns = 1};

static bool shape_of(const view *v, const brink_ast_expr *expr, flat_shape *shape);

const char *flat_shape_text(flat *f, flat_shape shape) {
  if (shape.rank == 2) return brink_unit_format(f->unit, "%zux%zu", shape.rows, shape.columns);
  return brink_unit_format(f->unit, "%zu", shape.columns);
}

const char *flat_element_name(flat *f, const flat_variable *variable, size_t element) {
  const char *name = variable->symbol->name;
  size_t width = variable->columns;
  return width > 0 ? brink_unit_format(f->unit, "%s[%zu,%zu]", name, element / width + 1,
                                       element % width + 1)
                   : brink_unit_format(f->unit, "%s[%zu]", name, element + 1);
}

/* ---- which elements an index names ---- */

static bool select_one(flat *f, const flat_point *point, const brink_ast_expr *index,
                       const char *name, size_t most, size_t *first, size_t *count) {
  int64_t lo = 1, hi = (int64_t)most;
  if (index->op != BRINK_AST_SLICE) {
    if (!flat_whole(f, point, index, name, 1, (int64_t)most, &lo)) return false;
    hi = lo;
  } else if (index->nargs == 2 &&
             (!flat_whole(f, point, index->arg[0], name, 1, (int64_t)most, &lo) ||
              !flat_whole(f, point, index->arg[1], name, 1, (int64_t)most, &hi))) {
    return false;
  }
  if (hi < lo) {
    flat_error(f, BRINK_MSG_EMPTY_SLICE, index->place, NULL,
               "the slice %lld..%lld of '%s' is empty", (long long)lo, (long long)hi, name);
    return false;
  }
  *first = (size_t)(lo - 1);
  *count = (size_t)(hi - lo + 1);
  return true;
}

bool flat_select(flat *f, const flat_point *point, const brink_ast_expr *index, const char *name,
                 flat_shape of, flat_selection *selection) {
  flat_selection *s = selection;
  *s = (flat_selection){.count = {of.rows, of.columns}, .width = of.columns};
  if (index == NULL) return true;
  if (index->op != BRINK_AST_INDICES)
    return select_one(f, point, index, name, of.columns, &s->first[1], &s->count[1]);
  return select_one(f, point, index->arg[0], name, of.rows, &s->first[0], &s->count[0]) &&
         select_one(f, point, index->arg[1], name, of.columns, &s->first[1], &s->count[1]);
}

size_t flat_selected(const flat_selection *s, size_t element) {
  size_t row = s->first[0] + element / s->count[1], column = s->first[1] + element % s->count[1];
  return row * s->width + column;
}

/* The shape of what an index leaves. */
static flat_shape selected_shape(const flat_selection *s, const brink_ast_expr *index) {
  flat_shape shape = {.rank = brink_index_rank(index), .rows = s->count[0], .columns = s->count[1]};
  if (shape.rank == 1 && index->op == BRINK_AST_INDICES &&
      index->arg[0]->op == BRINK_AST_SLICE) { /* a column */
    shape.columns = shape.rows;
    shape.rows = 1;
  }
  return shape;
}

flat_shape flat_variable_shape(flat *f, flat_variable *variable) {
  if (variable->symbol->size == NULL) return one;
  if (flat_size(f, variable) == 0) return (flat_shape){0};
  if (variable->symbol->columns == NULL) return (flat_shape){1, 1, variable->length};
  return (flat_shape){2, variable->length / variable->columns, variable->columns};
}

/* ---- numbers in functions ---- */

/* Where numbers of a view are evaluated. */
static flat_point point_in(const view *v, flat_binding *bindings) {
  if (v->c != NULL) return flat_point_at(v->c, 0, bindings);
  return (flat_point){.group = v->group, .element = BRINK_NONE, .binding = v->binding};
}

static brink_ast_expr *new_number(const view *v, const brink_ast_expr *like, double value) {
  brink_ast_expr *number = brink_arena_pack(&v->f->scratch, 1, sizeof *number);
  if (number == NULL) {
    flat_out_of_memory(v->f);
    return NULL;
  }
  *number = (brink_ast_expr){.op = BRINK_AST_NUMBER,
                             .number = value,
                             .whole = true,
                             .constant = true,
                             .type = BRINK_TYPE_INTEGER,
                             .place = like->place};
  return number;
}

static const brink_ast_expr *settled(const view *v, const brink_ast_expr *expr);

/* A copy whose operands are settled from number `first` on. */
static const brink_ast_expr *settled_from(const view *v, const brink_ast_expr *expr, size_t first) {
  brink_ast_expr *copy = brink_arena_pack(&v->f->scratch, 1, sizeof *copy);
  brink_ast_expr **arg = brink_arena_pack(&v->f->scratch, expr->nargs, sizeof *arg);
  if (copy == NULL || arg == NULL) {
    flat_out_of_memory(v->f);
    return NULL;
  }
  for (size_t k = 0; k < expr->nargs; k++) {
    arg[k] = k < first ? expr->arg[k] : (brink_ast_expr *)settled(v, expr->arg[k]);
    if (arg[k] == NULL) return NULL;
  }
  *copy = *expr;
  copy->arg = arg;
  return copy;
}

/* What an argument is where the function was called. */
static const brink_ast_expr *settled_argument(const view *v, const brink_ast_expr *expr) {
  for (const argument *a = v->arguments; a != NULL; a = a->outer) {
    if (a->symbol != expr->part[0].symbol) continue;
    const brink_ast_expr *given = settled(a->of, a->expr);
    flat_binding bindings[FLAT_BINDINGS];
    flat_point point = point_in(a->of, bindings);
    double value;
    if (given == NULL || !flat_value(v->f, &point, given, &value)) return NULL;
    return new_number(v, expr, value);
  }
  return expr;
}

/* An index or a bound in a function whose arguments are only known by their expressions: with numbers for sizes and
 * arguments. NULL: failed. */
static const brink_ast_expr *settled(const view *v, const brink_ast_expr *expr) {
  flat_shape shape;
  if (v->arguments == NULL) return expr;
  if (expr->op == BRINK_AST_CALL && expr->function == BRINK_FN_SIZE)
    return shape_of(v, expr->arg[0], &shape)
               ? new_number(v, expr, (double)flat_size_value(expr, shape))
               : NULL;
  if (expr->op == BRINK_AST_NAME && expr->nparts == 1 && expr->part[0].symbol != NULL &&
      expr->part[0].symbol->kind == BRINK_SYMBOL_ARGUMENT && expr->part[0].index == NULL)
    return settled_argument(v, expr);
  return expr->nargs > 0 ? settled_from(v, expr, 0) : expr;
}

/* ---- names ---- */

static bool index_shape(const view *v, const brink_ast_part *part, flat_shape of,
                        flat_shape *shape) {
  *shape = of;
  if (part->index == NULL) return true;
  *shape = one;
  if (brink_index_rank(part->index) == 0) return true;
  flat_binding bindings[FLAT_BINDINGS];
  flat_point point = point_in(v, bindings);
  /* A row or column that is chosen during the run is as long as any. */
  flat_selection s;
  brink_ast_expr fixed, *args[2],
      number = {.op = BRINK_AST_NUMBER,
                .number = 1.0,
                .whole = true,
                .type = BRINK_TYPE_INTEGER,
                .place = part->index->place};
  const brink_ast_expr *index = settled(v, part->index);
  if (index == NULL) return false;
  if (index->op == BRINK_AST_INDICES) {
    fixed = *index;
    fixed.arg = args;
    for (int k = 0; k < 2; k++) {
      args[k] = index->arg[k]->op == BRINK_AST_SLICE ? index->arg[k] : &number;
    }
    index = &fixed;
  }
  if (!flat_select(v->f, &point, index, part->name, of, &s)) return false;
  *shape = selected_shape(&s, index);
  return true;
}

static bool bound_shape(const view *v, const brink_symbol *symbol, flat_shape *shape) {
  for (argument *a = v->arguments; a != NULL; a = a->outer) {
    if (a->symbol != symbol) continue;
    if (!a->known && !shape_of(a->of, a->expr, &a->shape)) return false;
    a->known = true;
    *shape = a->shape;
    return true;
  }
  if (v->c != NULL) {
    flat_name *name = flat_find_name(v->c, symbol);
    *shape = one;
    if (name == NULL) return true;
    if (name->shape.columns > 0) {
      *shape = name->shape;
      return true;
    }
    flat_context scope = *name->scope;
    scope.names = name->scope_names;
    view inner = {.f = v->f, .group = v->group, .c = &scope};
    if (!shape_of(&inner, name->expr, shape)) return false;
    name->shape = *shape;
    return true;
  }
  const flat_binding *bound = flat_find_binding(v->binding, symbol);
  *shape = one;
  if (bound == NULL) return true;
  if (bound->expr == NULL) {
    if (bound->values != NULL) *shape = bound->shape;
    return true;
  }
  view inner = {.f = v->f, .group = bound->point->group, .binding = bound->point->binding};
  return shape_of(&inner, bound->expr, shape);
}

static bool name_shape(const view *v, const brink_ast_expr *expr, flat_shape *shape) {
  const brink_ast_part *part = &expr->part[expr->nparts - 1];
  const brink_symbol *symbol = part->symbol;
  flat_shape whole;
  *shape = one;
  if (expr->predefined != BRINK_PREDEFINED_NOT || symbol == NULL) return true;
  if (symbol->kind == BRINK_SYMBOL_LOOP || brink_names_element(part)) return true;
  if (symbol->kind == BRINK_SYMBOL_ARGUMENT || symbol->kind == BRINK_SYMBOL_LET)
    return bound_shape(v, symbol, &whole) && index_shape(v, part, whole, shape);
  flat_variable *variable = flat_find(v->f, v->group, expr);
  if (variable == NULL) return true;
  whole = flat_variable_shape(v->f, variable);
  return whole.columns > 0 && index_shape(v, part, whole, shape);
}

/* ---- operators ---- */

void flat_lengths_differ(flat *f, brink_place place, size_t a, size_t b) {
  flat_error(f, BRINK_MSG_VECTOR_LENGTHS, place, "vectors are combined element by element",
             "vectors of %zu and %zu elements cannot be combined", a, b);
}

static bool differ(flat *f, const brink_ast_expr *expr, const char *what, flat_shape a,
                   const char *word, flat_shape b) {
  if (a.rank == 1 && b.rank == 1)
    flat_lengths_differ(f, expr->place, a.columns, b.columns);
  else
    flat_error(f, BRINK_MSG_MATRIX_SHAPES, expr->place, NULL, "'%s': %s %s %s", what,
               flat_shape_text(f, a), word, flat_shape_text(f, b));
  return false;
}

static bool join(flat *f, const brink_ast_expr *expr, const char *what, flat_shape other,
                 flat_shape *shape) {
  if (other.rank == 0) return true;
  if (shape->rank == 0) {
    *shape = other;
    return true;
  }
  if (shape->rank == other.rank && shape->rows == other.rows && shape->columns == other.columns)
    return true;
  return differ(f, expr, what, *shape, "and", other);
}

static bool product_shape(const view *v, const brink_ast_expr *expr, flat_shape *shape) {
  flat_shape a, b;
  if (!shape_of(v, expr->arg[0], &a) || !shape_of(v, expr->arg[1], &b)) return false;
  *shape = a;
  if (a.rank == 0 || b.rank == 0 || (a.rank == 1 && b.rank == 1))
    return join(v->f, expr, "*", b, shape);
  size_t inner = b.rank == 1 ? b.columns : b.rows;
  if (a.columns != inner) return differ(v->f, expr, "*", a, "times", b);
  shape->rank = a.rank == 2 && b.rank == 2 ? 2 : 1;
  shape->rows = shape->rank == 2 ? a.rows : 1;
  shape->columns = b.rank == 1 ? a.rows : b.columns;
  return true;
}

static const char *operator_name(const brink_ast_expr *expr) {
  switch (expr->op) {
  case BRINK_AST_ADD:
    return "+";
  case BRINK_AST_SUB:
    return "-";
  case BRINK_AST_DIV:
    return "/";
  case BRINK_AST_CALL:
    return expr->text;
  default:
    return "if";
  }
}

static bool elementwise(const view *v, const brink_ast_expr *expr, size_t first, size_t count,
                        flat_shape *shape) {
  flat_shape other;
  *shape = one;
  for (size_t k = first; k < count; k++) {
    if (!shape_of(v, expr->arg[k], &other)) return false;
    if (!join(v->f, expr, operator_name(expr), other, shape)) return false;
  }
  return true;
}

/* Rows of single values, or of vectors of one length. */
static bool list_shape(const view *v, const brink_ast_expr *expr, flat_shape *shape) {
  flat_shape first = one, other;
  for (size_t k = 0; k < expr->nargs; k++) {
    if (!shape_of(v, expr->arg[k], k == 0 ? &first : &other)) return false;
    if (k > 0 && (first.rank != other.rank || first.columns != other.columns))
      return differ(v->f, expr->arg[k], "[...]", first, "and", other);
  }
  size_t count = expr->nargs > 0 ? expr->nargs : 1;
  *shape = first.rank == 0 ? (flat_shape){1, 1, count} : (flat_shape){2, count, first.columns};
  return first.rank < 2;
}

static bool each_bounds(const view *v, const brink_ast_expr *expr, int64_t *lo, int64_t *hi) {
  flat_binding bindings[FLAT_BINDINGS];
  flat_point point = point_in(v, bindings);
  if (v->arguments != NULL)
    expr = settled_from(v, expr, 1); /* what stands in it reads the loop's variable */
  return expr != NULL && flat_each_bounds(v->f, &point, expr, lo, hi);
}

static bool each_shape(const view *v, const brink_ast_expr *expr, flat_shape *shape) {
  int64_t lo, hi;
  flat_shape body;
  if (!each_bounds(v, expr, &lo, &hi)) return false;
  view inner = *v;
  flat_context at;
  flat_binding binding = {.symbol = expr->loop, .value = (double)lo, .outer = v->binding};
  inner.binding = &binding;
  if (v->c != NULL) {
    at = *v->c;
    binding.outer = at.fixed;
    at.fixed = &binding;
    inner.c = &at;
    inner.binding = NULL;
  }
  if (!shape_of(&inner, expr->arg[0], &body)) return false;
  size_t count = (size_t)(hi - lo + 1);
  *shape = body.rank == 0 ? (flat_shape){1, 1, count} : (flat_shape){2, count, body.columns};
  return body.rank < 2;
}

static bool square(flat *f, const brink_ast_expr *expr, flat_shape a) {
  if (a.rank == 2 && a.rows == a.columns && a.rows <= FLAT_SOLVE_LIMIT) return true;
  if (a.rows == a.columns)
    flat_error(f, BRINK_MSG_MATRIX_TOO_LARGE, expr->place, NULL,
               "'%s' takes matrices of up to %d rows, but this is %s", expr->text, FLAT_SOLVE_LIMIT,
               flat_shape_text(f, a));
  else
    flat_error(f, BRINK_MSG_MATRIX_NOT_SQUARE, expr->place, NULL,
               "'%s' takes a square matrix, but this is %s", expr->text, flat_shape_text(f, a));
  return false;
}

static bool user_shape(const view *v, const brink_ast_expr *expr, flat_shape *shape) {
  const brink_user_function *function = expr->user;
  *shape = one;
  if (!expr->vector && expr->rank == 0 && v->arguments == NULL && v->c == NULL) return true;
  if (function == NULL || (function->body == NULL && function->nresults == 0) ||
      function->narguments != expr->nargs)
    return elementwise(v, expr, 0, expr->nargs, shape);
  size_t named = function->statements.count + function->nresults;
  argument *list = brink_arena_pack(&v->f->scratch, expr->nargs + named + 1, sizeof *list);
  view *views = brink_arena_pack(&v->f->scratch, named + 1, sizeof *views);
  if (list == NULL || views == NULL) {
    flat_out_of_memory(v->f);
    return false;
  }
  view inner = {.f = v->f, .group = v->group};
  for (size_t k = 0; k < expr->nargs; k++) {
    list[k] = (argument){
        .symbol = function->argument[k], .expr = expr->arg[k], .of = v, .outer = inner.arguments};
    inner.arguments = &list[k];
  }
  for (size_t k = 0; k < named; k++) {
    const brink_symbol *symbol;
    const brink_ast_expr *begins = flat_begins_with(function, k, &symbol);
    views[k] = inner;
    if (begins == NULL) continue;
    list[expr->nargs + k] =
        (argument){.symbol = symbol, .expr = begins, .of = &views[k], .outer = inner.arguments};
    inner.arguments = &list[expr->nargs + k];
  }
  return flat_spend(v->f, expr->place, 1 + named) && shape_of(&inner, flat_result(expr), shape);
}

static bool call_shape(const view *v, const brink_ast_expr *expr, flat_shape *shape) {
  flat_shape a, b;
  int64_t n;
  *shape = one;
  switch (expr->function) {
  case BRINK_FN_USER:
    return user_shape(v, expr, shape);
  case BRINK_FN_DOT:
    return elementwise(v, expr, 0, 2, &a);
  case BRINK_FN_SUM:
  case BRINK_FN_NORM:
  case BRINK_FN_ARGMIN:
  case BRINK_FN_ARGMAX:
  case BRINK_FN_SIZE:
  case BRINK_FN_CHOICE:
  case BRINK_FN_LENGTH:
  case BRINK_FN_FIRST:
    return true;
  case BRINK_FN_MIN:
  case BRINK_FN_MAX:
    return expr->nargs == 1 || elementwise(v, expr, 0, expr->nargs, shape);
  case BRINK_FN_TABLE:
    return shape_of(v, expr->arg[0], shape);
  case BRINK_FN_IDENTITY: {
    flat_binding bindings[FLAT_BINDINGS];
    flat_point point = point_in(v, bindings);
    const brink_ast_expr *size = settled(v, expr->arg[0]);
    if (size == NULL || !flat_whole(v->f, &point, size, "identity", 1, 4096, &n)) return false;
    *shape = (flat_shape){2, (size_t)n, (size_t)n};
    return true;
  }
  case BRINK_FN_TRANSPOSE:
    if (!shape_of(v, expr->arg[0], &a)) return false;
    *shape = (flat_shape){2, a.columns, a.rows};
    return true;
  case BRINK_FN_INVERSE:
    return shape_of(v, expr->arg[0], shape) && square(v->f, expr, *shape);
  case BRINK_FN_SOLVE:
    if (!shape_of(v, expr->arg[0], &a) || !shape_of(v, expr->arg[1], &b)) return false;
    if (!square(v->f, expr, a)) return false;
    if ((b.rank == 1 ? b.columns : b.rows) != a.rows)
      return differ(v->f, expr, "solve", a, "and", b);
    *shape = b;
    return true;
  default:
    return elementwise(v, expr, 0, expr->nargs, shape);
  }
}

static bool shape_of(const view *v, const brink_ast_expr *expr, flat_shape *shape) {
  *shape = one;
  if (v->f->structure && expr->type == BRINK_TYPE_UNKNOWN) return true; /* reported */
  switch (expr->op) {
  case BRINK_AST_NAME:
    return name_shape(v, expr, shape);
  case BRINK_AST_PRIME:
    return name_shape(v, expr->arg[0], shape);
  case BRINK_AST_VECTOR:
    return list_shape(v, expr, shape);
  case BRINK_AST_EACH:
    return each_shape(v, expr, shape);
  case BRINK_AST_MUL:
    return product_shape(v, expr, shape);
  case BRINK_AST_IF:
    return elementwise(v, expr, 1, expr->nargs, shape);
  case BRINK_AST_CALL:
    return call_shape(v, expr, shape);
  default:
    return elementwise(v, expr, 0, expr->nargs, shape);
  }
}

/* ---- from outside ---- */

bool flat_bound_shape(flat *f, flat_group *group, const brink_ast_expr *expr,
                      const flat_binding *binding, flat_shape *shape) {
  view v = {.f = f, .group = group, .binding = binding};
  return shape_of(&v, expr, shape);
}

bool flat_shape_of(const flat_context *c, const brink_ast_expr *expr, flat_shape *shape) {
  view v = {.f = c->f, .group = c->group, .c = c};
  return shape_of(&v, expr, shape);
}

static size_t length_of(bool ok, flat_shape shape) {
  return ok ? shape.rows * shape.columns : 0;
}

size_t flat_bound_length(flat *f, flat_group *group, const brink_ast_expr *expr,
                         const flat_binding *binding) {
  flat_shape shape;
  return length_of(flat_bound_shape(f, group, expr, binding, &shape), shape);
}

size_t flat_length(flat *f, flat_group *group, const brink_ast_expr *expr) {
  return flat_bound_length(f, group, expr, NULL);
}

size_t flat_vector_length(flat_context *c, const brink_ast_expr *expr) {
  flat_shape shape;
  if (!flat_shape_of(c, expr, &shape)) {
    c->f->failed = true;
    return 1;
  }
  return shape.rows * shape.columns;
}
