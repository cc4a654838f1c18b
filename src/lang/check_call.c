/* check_call.c: calls of functions, predefined and the model's own.
 *
 * The body of a model's function is checked once by itself, with arguments of unknown types, and
 * once for each combination of argument types it is called with. Errors of the second kind belong
 * to the call. */
#include "lang/check.h"

#include <string.h>

/* How large a call may grow when all functions are inserted. */
static const double MOST_NODES = 1e6;

typedef struct signature {
  int least, most; /* most 0: any number */
} signature;

static const signature signatures[] = {
#define BRINK_FUNCTION_SIGNATURE(text, id, least, most) [BRINK_FN_##id] = {least, most},
    BRINK_FUNCTION_LIST(BRINK_FUNCTION_SIGNATURE)
#undef BRINK_FUNCTION_SIGNATURE
};

static const char *const function_texts[] = {
#define BRINK_FUNCTION_TEXT(text, id, least, most) [BRINK_FN_##id] = text,
    BRINK_FUNCTION_LIST(BRINK_FUNCTION_TEXT)
#undef BRINK_FUNCTION_TEXT
};

static brink_function find_function(const char *name) {
  for (int k = 0; k < (int)BRINK_FN_USER; k++)
    if (strcmp(function_texts[k], name) == 0) return (brink_function)k;
  return BRINK_FN_USER;
}

/* A call with a wrong number of arguments; `least`: more would be right, too. */
static void report_count(brink_checker *c, const brink_ast_expr *call, size_t count, bool least) {
  const char *wanted = brink_unit_format(c->unit, "%s%zu argument%s", least ? "at least " : "",
                                         count, count == 1 ? "" : "s");
  brink_check_error(c, BRINK_MSG_ARGUMENT_COUNT, call->place, NULL, "'%s' takes %s, not %zu",
                    call->text, wanted, call->nargs);
}

/* ---- predefined functions ---- */

static bool count_fits(brink_checker *c, const brink_ast_expr *call) {
  signature s = signatures[call->function];
  size_t least = (size_t)s.least, most = (size_t)s.most;
  if (call->nargs >= least && (most == 0 || call->nargs <= most)) return true;
  report_count(c, call, least, most == 0);
  return false;
}

/* All arguments are numbers; *type becomes the largest of their types. */
static bool numbers(brink_checker *c, const brink_ast_expr *call, brink_type *type, bool *vector) {
  *type = BRINK_TYPE_INTEGER;
  *vector = false;
  for (size_t k = 0; k < call->nargs; k++) {
    const brink_ast_expr *arg = call->arg[k];
    if (arg->type == BRINK_TYPE_UNKNOWN) return false;
    if (!brink_is_numeric(arg->type)) {
      brink_check_error(c, BRINK_MSG_ARGUMENT_NOT_A_NUMBER, arg->place, NULL,
                        "'%s' takes numbers, but this is %s", call->text, brink_a_type(arg->type));
      return false;
    }
    if (arg->type < *type) *type = arg->type;
    if (arg->vector) *vector = true;
  }
  return true;
}

static void result(brink_ast_expr *call, brink_type type, bool vector) {
  call->type = type;
  call->vector = vector;
}

/* dot, norm, sum: of vectors. */
static void type_reduction(brink_checker *c, brink_ast_expr *call, brink_type type) {
  for (size_t k = 0; k < call->nargs; k++) {
    if (call->arg[k]->vector) continue;
    brink_check_error(c, BRINK_MSG_ARGUMENT_NOT_A_VECTOR, call->arg[k]->place, NULL,
                      "'%s' takes vectors, but this is one number", call->text);
    return;
  }
  if (call->function == BRINK_FN_NORM && type == BRINK_TYPE_INTEGER) type = BRINK_TYPE_REAL;
  result(call, type, false);
}

static const brink_symbol *named(const brink_ast_expr *arg) {
  return arg->op == BRINK_AST_NAME && arg->nparts > 0 ? arg->part[arg->nparts - 1].symbol : NULL;
}

static void type_sgn(brink_checker *c, brink_ast_expr *call) {
  const brink_ast_expr *arg = call->arg[0];
  const brink_symbol *symbol = named(arg);
  if (arg->type == BRINK_TYPE_UNKNOWN && (symbol == NULL || symbol->kind != BRINK_SYMBOL_ARGUMENT))
    return;
  if (symbol == NULL || symbol->kind != BRINK_SYMBOL_FLAG) {
    brink_check_error(c, BRINK_MSG_SGN_OF_NO_FLAG, arg->place, "of anything else, take sign(...)",
                      "'sgn' takes a flag, but this is %s",
                      symbol == NULL ? "an expression" : brink_a_kind(symbol->kind));
    return;
  }
  result(call, BRINK_TYPE_INTEGER, arg->vector);
}

/* What has one value before the instant and another after it. */
static bool is_remembered(const brink_symbol *symbol) {
  if (symbol->kind == BRINK_SYMBOL_STATE || symbol->kind == BRINK_SYMBOL_MODE) return true;
  return (symbol->kind == BRINK_SYMBOL_INPUT || symbol->kind == BRINK_SYMBOL_OUTPUT) &&
         symbol->read_type != BRINK_TYPE_SIGNAL;
}

static void type_pre(brink_checker *c, brink_ast_expr *call) {
  const brink_ast_expr *arg = call->arg[0];
  const brink_symbol *symbol = named(arg);
  if (!brink_check_rule(c->context)->pre) {
    brink_check_error(c, BRINK_MSG_PRE_MISPLACED, call->place, NULL,
                      "'pre' belongs in events, update and rules, not in %s",
                      brink_check_rule(c->context)->name);
    return;
  }
  if (arg->type == BRINK_TYPE_UNKNOWN && (symbol == NULL || symbol->kind != BRINK_SYMBOL_ARGUMENT))
    return;
  if (symbol == NULL || !is_remembered(symbol)) {
    brink_check_error(c, BRINK_MSG_PRE_OF_NO_STATE, arg->place,
                      "write the expression with pre of the states in it",
                      "'pre' takes a state, a mode or a held value, but this is %s",
                      symbol == NULL ? "an expression" : brink_a_kind(symbol->kind));
    return;
  }
  result(call, arg->type, arg->vector);
}

static void type_random(brink_checker *c, brink_ast_expr *call, bool vector) {
  if (!brink_check_rule(c->context)->random) {
    brink_check_error(c, BRINK_MSG_RANDOM_MISPLACED, call->place, NULL,
                      "'%s' belongs in initial, assignments and events, not in %s", call->text,
                      brink_check_rule(c->context)->name);
    return;
  }
  result(call, BRINK_TYPE_REAL, vector);
}

/* table(u, [x1, x2, …], [y1, y2, …]): as many x as y, the x increasing. */
static void type_table(brink_checker *c, brink_ast_expr *call) {
  const brink_ast_expr *u = call->arg[0], *x = call->arg[1], *y = call->arg[2];
  if (!x->vector || !y->vector) {
    const brink_ast_expr *wrong = x->vector ? y : x;
    brink_check_error(c, BRINK_MSG_TABLE_WITHOUT_VECTORS, wrong->place,
                      "table(u, [x1, x2], [y1, y2])", "table takes its points as vectors");
    return;
  }
  if (x->op == BRINK_AST_VECTOR && y->op == BRINK_AST_VECTOR && x->nargs != y->nargs) {
    brink_check_error(c, BRINK_MSG_TABLE_LENGTHS, y->place, NULL,
                      "a table needs as many y as x: %zu x, %zu y", x->nargs, y->nargs);
    return;
  }
  for (size_t k = 0; x->op == BRINK_AST_VECTOR && k + 1 < x->nargs; k++) {
    const brink_ast_expr *a = x->arg[k], *b = x->arg[k + 1];
    if (!a->constant || !b->constant || a->number < b->number) continue;
    brink_check_error(c, BRINK_MSG_TABLE_ORDER, b->place, NULL,
                      "the x values of a table must increase");
    return;
  }
  result(call, u->type == BRINK_TYPE_INTEGER ? BRINK_TYPE_REAL : u->type, u->vector);
}

static void type_numeric_call(brink_checker *c, brink_ast_expr *call) {
  brink_type type;
  bool vector;
  if (!numbers(c, call, &type, &vector)) return;
  switch (call->function) {
  case BRINK_FN_ABS:
  case BRINK_FN_MIN:
  case BRINK_FN_MAX:
  case BRINK_FN_MOD:
    result(call, type, vector);
    return;
  case BRINK_FN_SIGN: /* whole numbers, whatever they are made of */
  case BRINK_FN_FLOOR:
  case BRINK_FN_CEIL:
    result(call, BRINK_TYPE_INTEGER, vector);
    return;
  case BRINK_FN_DOT:
  case BRINK_FN_NORM:
  case BRINK_FN_SUM:
    type_reduction(c, call, type);
    return;
  case BRINK_FN_UNIFORM:
  case BRINK_FN_NORMAL:
    type_random(c, call, vector);
    return;
  case BRINK_FN_TABLE:
    type_table(c, call);
    return;
  default:
    result(call, type == BRINK_TYPE_INTEGER ? BRINK_TYPE_REAL : type, vector);
    return;
  }
}

static void type_predefined_call(brink_checker *c, brink_ast_expr *call) {
  bool prime = c->prime;
  if (call->function == BRINK_FN_PRE || call->function == BRINK_FN_SGN) c->prime = false;
  for (size_t k = 0; k < call->nargs; k++) brink_check_expr(c, call->arg[k]);
  c->prime = prime;
  if (!count_fits(c, call)) return;
  if (call->function == BRINK_FN_SGN)
    type_sgn(c, call);
  else if (call->function == BRINK_FN_PRE)
    type_pre(c, call);
  else if (call->function == BRINK_FN_NOEVENT)
    result(call, call->arg[0]->type, call->arg[0]->vector);
  else
    type_numeric_call(c, call);
}

/* ---- the model's own functions ---- */

/* What a function gives for one combination of argument types. */
typedef struct outcome {
  brink_type type;
  bool vector;
} outcome;

/* "a3r…": the place and the types of the arguments as a key. */
static const char *call_key(brink_checker *c, const brink_ast_expr *call) {
  char *key = brink_unit_take(c->unit, call->nargs + 2, 1);
  if (key == NULL) return "";
  key[0] = (char)('a' + (int)c->context);
  for (size_t k = 0; k < call->nargs; k++)
    key[k + 1] = (char)((call->arg[k]->vector ? 'A' : 'a') + (int)call->arg[k]->type);
  return key;
}

/* Types the body with the arguments as they are. Only they are visible: the names of the caller belong
 * to another owner. */
static outcome type_body(brink_checker *c, brink_user_function *f) {
  const void *locals_of = c->locals_of;
  brink_user_function *outer = c->function;
  size_t mark = brink_check_open_scope(c);
  c->locals_of = f;
  c->function = f;
  for (size_t k = 0; k < f->narguments; k++) brink_check_declare_local(c, f->argument[k]);
  brink_check_expr(c, f->body);
  brink_check_close_scope(c, mark);
  c->function = outer;
  c->locals_of = locals_of;
  return (outcome){f->body->type, f->body->vector};
}

static outcome type_user_body(brink_checker *c, brink_ast_expr *call, brink_user_function *f) {
  for (size_t k = 0; k < f->narguments; k++) {
    f->argument[k]->read_type = call->arg[k]->type;
    f->argument[k]->vector = call->arg[k]->vector;
  }
  bool calling = c->calling;
  if (!calling) c->call_place = call->place;
  c->calling = true;
  outcome found = type_body(c, f);
  c->calling = calling;
  return found;
}

static bool user_arguments_fit(brink_checker *c, const brink_ast_expr *call,
                               const brink_user_function *f) {
  if (call->nargs != f->narguments) {
    report_count(c, call, f->narguments, false);
    return false;
  }
  for (size_t k = 0; k < call->nargs; k++)
    if (call->arg[k]->type == BRINK_TYPE_UNKNOWN) return false;
  return true;
}

static void check_function(brink_checker *c, brink_user_function *f);

static void type_user_call(brink_checker *c, brink_ast_expr *call) {
  brink_user_function *f = call->user;
  for (size_t k = 0; k < call->nargs; k++) brink_check_expr(c, call->arg[k]);
  if (f->visit == 1) {
    brink_check_error(c, BRINK_MSG_RECURSION, call->place, NULL, "'%s' calls itself", f->name);
    f->damaged = true;
    return;
  }
  if (f->visit == 0) check_function(c, f);
  if (!f->damaged) c->nodes += f->nodes;
  if (c->depth + f->depth > c->deepest) c->deepest = c->depth + f->depth;
  if (f->damaged || !user_arguments_fit(c, call, f)) return;
  if (c->depth + f->depth > BRINK_CHECK_DEEPEST) {
    brink_check_error(c, BRINK_MSG_FUNCTIONS_TOO_DEEP, call->place, NULL,
                      "functions are nested too deeply");
    return;
  }
  const char *key = call_key(c, call);
  outcome *known = brink_check_find(c, &f->visit, key);
  if (known == NULL) {
    known = brink_unit_take(c->unit, 1, sizeof *known);
    if (known == NULL) return;
    double nodes = c->nodes;
    size_t deepest = c->deepest;
    *known = type_user_body(c, call, f);
    c->nodes = nodes;
    c->deepest = deepest;
    brink_check_put(c, &f->visit, key, known);
  }
  result(call, known->type, known->vector);
}

/* The body by itself: names, recursion, how large it grows. */
static void check_function(brink_checker *c, brink_user_function *f) {
  brink_checker outer = *c;
  f->visit = 1;
  f->damaged = brink_check_on_damaged_line(c, f->place);
  c->component = NULL;
  c->pair = NULL;
  c->context = BRINK_IN_FUNCTION;
  c->prime = false;
  c->calling = false;
  c->nodes = 0.0;
  c->deepest = c->depth;
  c->body_has_error = false;
  for (size_t k = 0; k < f->narguments; k++) {
    brink_symbol *argument = f->argument[k];
    argument->read_type = BRINK_TYPE_UNKNOWN;
    argument->vector = false;
    for (size_t j = 0; j < k; j++)
      if (strcmp(f->argument[j]->name, argument->name) == 0)
        brink_check_error(c, BRINK_MSG_DECLARED_TWICE, argument->place, NULL,
                          "'%s' is declared twice", argument->name);
  }
  type_body(c, f);
  f->nodes = c->nodes;
  f->depth = c->deepest - c->depth;
  if (f->nodes > MOST_NODES) {
    brink_check_error(c, BRINK_MSG_FUNCTION_TOO_LARGE, f->place, NULL,
                      "'%s' expands to more than a million operations", f->name);
    f->damaged = true;
  }
  if (c->body_has_error) f->damaged = true;
  f->visit = 2;
  c->component = outer.component;
  c->pair = outer.pair;
  c->context = outer.context;
  c->prime = outer.prime;
  c->calling = outer.calling;
  c->nodes = outer.nodes;
  c->deepest = outer.deepest;
  c->body_has_error = outer.body_has_error;
}

void brink_check_functions(brink_checker *c) {
  for (brink_user_function *f = c->unit->functions; f != NULL; f = f->next)
    if (f->visit == 0) check_function(c, f);
}

/* ---- calls ---- */

static const char *nearest_function(const brink_checker *c, const char *name) {
  const char *best = NULL;
  for (int k = 0; k < (int)BRINK_FN_USER; k++) best = brink_nearest(name, function_texts[k], best);
  for (brink_user_function *f = c->unit->functions; f != NULL; f = f->next)
    best = brink_nearest(name, f->name, best);
  return best;
}

/* der(x), as Modelica has it, or a name that is nearly right. */
static const char *function_hint(brink_checker *c, const brink_ast_expr *expr) {
  bool der = strcmp(expr->text, "der") == 0 && expr->nargs == 1;
  if (der && expr->arg[0]->op == BRINK_AST_NAME)
    return brink_unit_format(c->unit, "the derivative of a state is written %s'",
                             brink_check_path_text(c, expr->arg[0], false));
  return brink_check_did_you_mean(c, nearest_function(c, expr->text));
}

/* A declared name hides functions; the model's functions hide predefined ones. */
void brink_check_call(brink_checker *c, brink_ast_expr *expr) {
  const brink_symbol *symbol = brink_check_lookup(c, expr->text);
  if (symbol != NULL && symbol != &c->poison) {
    const char *hint =
        symbol->vector ? brink_unit_format(c->unit, "elements are %s[1]", symbol->name) : NULL;
    brink_check_error(c, BRINK_MSG_NOT_A_FUNCTION, expr->place, hint,
                      "'%s' is %s here, not a function", symbol->name, brink_a_kind(symbol->kind));
    return;
  }
  expr->user = brink_check_find(c, &c->unit->functions, expr->text);
  expr->function = expr->user != NULL ? BRINK_FN_USER : find_function(expr->text);
  if (expr->user != NULL) {
    type_user_call(c, expr);
  } else if (expr->function != BRINK_FN_USER) {
    type_predefined_call(c, expr);
  } else {
    for (size_t k = 0; k < expr->nargs; k++) brink_check_expr(c, expr->arg[k]);
    if (c->components_uncertain) return;
    const char *hint = c->unit->too_many ? NULL : function_hint(c, expr);
    brink_check_error(c, BRINK_MSG_UNKNOWN_FUNCTION, expr->place, hint, "there is no function '%s'",
                      expr->text);
  }
}
