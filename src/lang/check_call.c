/* check_call.c: calls of functions, predefined and the model's own.
 *
 * The body of a model's function is checked once by itself, with arguments of unknown types, and
 * once for each combination of argument types it is called with. Errors of the second kind belong
 * to the call. */
#include "lang/check.h"

#include <string.h>

#include "lang/foreign.h"

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
  const char *hint =
      strcmp(call->text, "atan") == 0 && call->nargs == 2 ? "write atan2(y, x)" : NULL;
  brink_check_error(c, BRINK_MSG_ARGUMENT_COUNT, call->place, hint, "'%s' takes %s, not %zu",
                    call->text, wanted, call->nargs);
}

void brink_check_argument_count(brink_checker *c, const brink_ast_expr *call, size_t count) {
  report_count(c, call, count, false);
}

/* ---- predefined functions ---- */

static bool count_fits(brink_checker *c, const brink_ast_expr *call) {
  signature s = signatures[call->function];
  size_t least = (size_t)s.least, most = (size_t)s.most;
  if (call->nargs >= least && (most == 0 || call->nargs <= most)) return true;
  if (most > least) {
    brink_check_error(c, BRINK_MSG_ARGUMENT_COUNT, call->place, NULL, "'%s' takes %s, not %zu",
                      call->text, brink_unit_format(c->unit, "%zu to %zu arguments", least, most),
                      call->nargs);
    return false;
  }
  report_count(c, call, least, most == 0);
  return false;
}

/* All arguments are numbers; *type becomes the largest of their types. */
static bool numbers(brink_checker *c, const brink_ast_expr *call, brink_type *type, int *rank) {
  *type = BRINK_TYPE_INTEGER;
  *rank = 0;
  for (size_t k = 0; k < call->nargs; k++) {
    const brink_ast_expr *arg = call->arg[k];
    if (arg->type == BRINK_TYPE_UNKNOWN) return false;
    if (!brink_is_numeric(arg->type)) {
      brink_check_error(c, BRINK_MSG_ARGUMENT_NOT_A_NUMBER, arg->place, NULL,
                        "'%s' takes numbers, but this is %s", call->text, brink_a_type(arg->type));
      return false;
    }
    if (arg->type < *type) *type = arg->type;
    if (arg->rank > *rank) *rank = arg->rank;
  }
  return true;
}

static void result(brink_ast_expr *call, brink_type type, int rank) {
  call->type = type;
  call->rank = (uint8_t)rank;
  call->vector = rank > 0;
}

static void wants(brink_checker *c, const brink_ast_expr *call, const brink_ast_expr *arg,
                  const char *what) {
  static const char *const are[] = {"one number", "a vector", "a matrix"};
  brink_check_error(c, BRINK_MSG_ARGUMENT_RANK, arg->place, NULL, "'%s' takes %s, but this is %s",
                    call->text, what, are[arg->rank]);
}

/* transpose, inverse, solve, identity. */
static void type_matrix_call(brink_checker *c, brink_ast_expr *call, brink_type type) {
  const brink_ast_expr *first = call->arg[0];
  if (call->function == BRINK_FN_IDENTITY) {
    if (brink_check_whole(c, call->arg[0], "a size")) result(call, BRINK_TYPE_REAL, 2);
    return;
  }
  if (first->rank != 2) {
    wants(c, call, first, "a matrix");
    return;
  }
  if (call->function == BRINK_FN_TRANSPOSE) {
    result(call, type, 2);
    return;
  }
  if (call->function == BRINK_FN_SOLVE && call->arg[1]->rank == 0) {
    wants(c, call, call->arg[1], "a vector or a matrix on the right");
    return;
  }
  result(call, type == BRINK_TYPE_INTEGER ? BRINK_TYPE_REAL : type,
         call->function == BRINK_FN_SOLVE ? call->arg[1]->rank : 2);
}

/* Functions that combine their arguments element by element. */
static bool ranks_agree(brink_checker *c, const brink_ast_expr *call) {
  int rank = 0;
  for (size_t k = 0; k < call->nargs; k++) {
    int other = call->arg[k]->rank;
    if (rank > 0 && other > 0 && rank != other) {
      brink_check_error(c, BRINK_MSG_RANKS_COMBINED, call->place, NULL,
                        "a vector and a matrix cannot be combined by '%s'", call->text);
      return false;
    }
    if (other > rank) rank = other;
  }
  return true;
}

/* size(x), size(P, 1), size(P, 2) */
static void type_size(brink_checker *c, brink_ast_expr *call) {
  const brink_ast_expr *of = call->arg[0];
  if (of->rank == 0) {
    wants(c, call, of, "a vector or a matrix");
    return;
  }
  if (call->nargs == 2) {
    const brink_ast_expr *which = call->arg[1];
    bool fits = which->constant && which->number >= 1.0 && which->number <= of->rank;
    if (!fits || which->number != (double)(int)which->number) {
      brink_check_error(c, BRINK_MSG_SIZE_OF_WHAT, which->place, NULL,
                        "the size of %s is that of dimension %s",
                        of->rank == 2 ? "a matrix" : "a vector", of->rank == 2 ? "1 or 2" : "1");
      return;
    }
  } else if (of->rank == 2) {
    brink_check_error(c, BRINK_MSG_SIZE_OF_WHAT, call->place,
                      "write size(P, 1), the rows, or size(P, 2)",
                      "the size of %s is that of dimension %s", "a matrix", "1 or 2");
    return;
  }
  result(call, BRINK_TYPE_INTEGER, 0);
}

/* dot, norm, sum, min, max, argmin, argmax: of vectors; all but dot, argmin and argmax also of matrices. */
static void type_reduction(brink_checker *c, brink_ast_expr *call, brink_type type) {
  bool vectors = call->function == BRINK_FN_DOT || call->function == BRINK_FN_ARGMIN ||
                 call->function == BRINK_FN_ARGMAX;
  for (size_t k = 0; k < call->nargs; k++) {
    if (vectors && call->arg[k]->rank == 2) {
      wants(c, call, call->arg[k], "vectors");
      return;
    }
    if (call->arg[k]->vector) continue;
    brink_check_error(c, BRINK_MSG_ARGUMENT_NOT_A_VECTOR, call->arg[k]->place, NULL,
                      "'%s' takes vectors, but this is one number", call->text);
    return;
  }
  if (call->function == BRINK_FN_NORM && type == BRINK_TYPE_INTEGER) type = BRINK_TYPE_REAL;
  bool place = call->function == BRINK_FN_ARGMIN || call->function == BRINK_FN_ARGMAX;
  result(call, place ? BRINK_TYPE_INTEGER : type, 0);
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
  result(call, BRINK_TYPE_INTEGER, arg->rank);
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
  result(call, arg->type, arg->rank);
}

/* Where nothing may be drawn: what to do instead. */
static const char *draw_hint(const brink_checker *c) {
  switch ((int)c->context) {
  case BRINK_IN_RULES:
    return "draw in the body of a rule, or let a dtc draw, and read its output";
  case BRINK_IN_DYNAMICS:
  case BRINK_IN_CONSTRAINTS:
  case BRINK_IN_OUTPUT:
    return "what varies continuously has no instant to draw at: let a dtc draw, or an event";
  default:
    return NULL;
  }
}

/* The outputs of a dtc are computed at its samples. */
static bool may_draw(const brink_checker *c) {
  bool sampled = c->component != NULL && c->component->kind == BRINK_DTC;
  return brink_check_rule(c->context)->random || (sampled && c->context == BRINK_IN_OUTPUT);
}

/* choice(a, b, …) or choice(v): weights. */
static bool choice_fits(brink_checker *c, const brink_ast_expr *call, bool vector) {
  if (call->nargs == 1 ? vector : !vector) return true;
  brink_check_error(c, BRINK_MSG_CHOICE_WEIGHTS, call->place,
                    "choice(0.2, 0.8) is 1 or 2; choice(w), with a vector of weights, 1, 2, 3, …",
                    "'choice' takes two weights or more, or one vector of them");
  return false;
}

static void type_random(brink_checker *c, brink_ast_expr *call, int rank) {
  bool choice = call->function == BRINK_FN_CHOICE;
  if (!may_draw(c)) {
    brink_check_error(c, BRINK_MSG_RANDOM_MISPLACED, call->place, draw_hint(c),
                      "'%s' belongs in initial, assignments, events, update and rules, not in %s",
                      call->text, brink_check_rule(c->context)->name);
    return;
  }
  if (choice && !choice_fits(c, call, rank > 0)) return;
  bool whole = choice || call->function == BRINK_FN_POISSON;
  result(call, whole ? BRINK_TYPE_INTEGER : BRINK_TYPE_REAL, choice ? 0 : rank);
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
  result(call, u->type == BRINK_TYPE_INTEGER ? BRINK_TYPE_REAL : u->type, u->rank);
}

/* A delay is part of the equations of a continuous component. */
static bool delay_may_stand_here(brink_checker *c, const brink_ast_expr *call) {
  bool equation = c->context == BRINK_IN_DYNAMICS || c->context == BRINK_IN_OUTPUT ||
                  c->context == BRINK_IN_CONSTRAINTS;
  bool continuous = c->component != NULL && c->component->kind == BRINK_CTC && c->pair == NULL;
  if (equation && continuous) return true;
  brink_check_error(c, BRINK_MSG_DELAY_MISPLACED, call->place,
                    "give the delayed signal a name there: v = delay(u, lag);",
                    "'delay' belongs in dynamics, constraints and output of a ctc, not in %s",
                    c->context == BRINK_IN_FUNCTION ? "a function"
                    : c->pair != NULL               ? "a pair"
                    : equation                      ? brink_a_component(c->component->kind)
                                                    : brink_check_rule(c->context)->name);
  return false;
}

/* delay(u, lag, bound, history): u of any type, lag and bound numbers. */
static void type_delay(brink_checker *c, brink_ast_expr *call) {
  const brink_ast_expr *u = call->arg[0];
  if (!delay_may_stand_here(c, call)) return;
  for (size_t k = 0; k < call->nargs; k++)
    if (call->arg[k]->type == BRINK_TYPE_UNKNOWN) return;
  for (size_t k = 1; k < call->nargs && k < 3; k++) {
    const brink_ast_expr *lag = call->arg[k];
    if (!brink_is_numeric(lag->type) || lag->vector) {
      brink_check_error(c, BRINK_MSG_DELAY_NOT_A_NUMBER, lag->place,
                        "delay(u, lag, largest lag, history)",
                        "this is how long the delay is: a number, but this is %s",
                        lag->vector ? "a vector" : brink_a_type(lag->type));
      return;
    }
    if (lag->constant && !(lag->number > 0.0)) {
      brink_check_error(c, BRINK_MSG_DELAY_NOT_POSITIVE, lag->place, NULL, "a delay is positive");
      return;
    }
  }
  const brink_ast_expr *history = call->nargs > 3 ? call->arg[3] : NULL;
  bool numbers = brink_is_numeric(u->type);
  if (history != NULL &&
      (brink_is_numeric(history->type) != numbers || (!numbers && history->type != u->type) ||
       (u->type == BRINK_TYPE_INTEGER && history->type != BRINK_TYPE_INTEGER))) {
    brink_check_error(c, BRINK_MSG_DELAY_HISTORY_TYPE, history->place, NULL,
                      "the history of %s cannot be %s", brink_a_type(u->type),
                      brink_a_type(history->type));
    return;
  }
  result(call, u->type, u->vector);
}

static void type_numeric_call(brink_checker *c, brink_ast_expr *call) {
  brink_type type;
  int rank;
  if (!numbers(c, call, &type, &rank)) return;
  bool array =
      (call->function == BRINK_FN_MIN || call->function == BRINK_FN_MAX) && call->nargs == 1;
  bool elementwise = call->function != BRINK_FN_SOLVE && call->function != BRINK_FN_TABLE &&
                     call->function != BRINK_FN_SIZE && !array;
  if (elementwise && !ranks_agree(c, call)) return;
  switch (call->function) {
  case BRINK_FN_MIN:
  case BRINK_FN_MAX:
    if (array)
      type_reduction(c, call, type);
    else
      result(call, type, rank);
    return;
  case BRINK_FN_ABS:
  case BRINK_FN_MOD:
    result(call, type, rank);
    return;
  case BRINK_FN_DIV:
    if (type != BRINK_TYPE_INTEGER) {
      brink_check_error(c, BRINK_MSG_DIV_OF_REALS, call->place, "write floor(a/b)",
                        "'div' takes whole numbers");
      return;
    }
    result(call, type, rank);
    return;
  case BRINK_FN_TRANSPOSE:
  case BRINK_FN_IDENTITY:
  case BRINK_FN_INVERSE:
  case BRINK_FN_SOLVE:
    type_matrix_call(c, call, type);
    return;
  case BRINK_FN_SIZE:
    type_size(c, call);
    return;
  case BRINK_FN_SIGN: /* whole numbers, whatever they are made of */
  case BRINK_FN_FLOOR:
  case BRINK_FN_CEIL:
    result(call, BRINK_TYPE_INTEGER, rank);
    return;
  case BRINK_FN_DOT:
  case BRINK_FN_NORM:
  case BRINK_FN_SUM:
  case BRINK_FN_ARGMIN:
  case BRINK_FN_ARGMAX:
    type_reduction(c, call, type);
    return;
  case BRINK_FN_UNIFORM:
  case BRINK_FN_NORMAL:
  case BRINK_FN_EXPONENTIAL:
  case BRINK_FN_POISSON:
  case BRINK_FN_CHOICE:
    type_random(c, call, rank);
    return;
  case BRINK_FN_TABLE:
    type_table(c, call);
    return;
  default:
    result(call, type == BRINK_TYPE_INTEGER ? BRINK_TYPE_REAL : type, rank);
    return;
  }
}

brink_symbol *brink_check_queue(brink_checker *c, brink_ast_expr *name) {
  bool plain = name->op == BRINK_AST_NAME && name->nparts == 1 && name->part[0].index == NULL;
  brink_symbol *symbol = plain ? brink_check_path(c, name) : NULL;
  if (symbol != NULL && symbol->kind == BRINK_SYMBOL_QUEUE) return symbol;
  if (!plain || symbol != NULL)
    brink_check_error(c, BRINK_MSG_NOT_A_QUEUE, name->place,
                      "declare it: queue(q, real, 100); and name it here",
                      "this is %s, not a queue of this component",
                      symbol != NULL ? brink_a_kind(symbol->kind) : "an expression");
  return NULL;
}

/* length(q), first(q) */
static void type_queue_call(brink_checker *c, brink_ast_expr *call) {
  if (!count_fits(c, call)) return;
  const brink_symbol *queue = brink_check_queue(c, call->arg[0]);
  if (queue == NULL) return;
  if (brink_check_rule(c->context)->constant || c->context == BRINK_IN_INITIAL) {
    brink_check_error(c, BRINK_MSG_NOT_KNOWN_BEFORE_RUN, call->place,
                      "a queue is empty at the start", "'%s', %s, is not known before the run",
                      queue->name, brink_a_kind(queue->kind));
    return;
  }
  result(call, call->function == BRINK_FN_LENGTH ? BRINK_TYPE_INTEGER : queue->type, false);
}

static void type_predefined_call(brink_checker *c, brink_ast_expr *call) {
  if (call->function == BRINK_FN_LENGTH || call->function == BRINK_FN_FIRST) {
    type_queue_call(c, call);
    return;
  }
  bool prime = c->prime;
  if (call->function == BRINK_FN_PRE || call->function == BRINK_FN_SGN) c->prime = false;
  for (size_t k = 0; k < call->nargs; k++) brink_check_expr(c, call->arg[k]);
  c->prime = prime;
  if (!count_fits(c, call)) return;
  if (call->function == BRINK_FN_SGN)
    type_sgn(c, call);
  else if (call->function == BRINK_FN_PRE)
    type_pre(c, call);
  else if (call->function == BRINK_FN_DELAY)
    type_delay(c, call);
  else if (call->function == BRINK_FN_NOEVENT)
    result(call, call->arg[0]->type, call->arg[0]->rank);
  else
    type_numeric_call(c, call);
}

/* ---- the model's own functions ---- */

/* What a function gives for one combination of argument types. */
typedef struct outcome {
  brink_type type;
  uint8_t rank;
} outcome;

/* "a3r…": the place and the types of the arguments as a key. */
static const char *call_key(brink_checker *c, const brink_ast_expr *call) {
  char *key = brink_unit_take(c->unit, call->nargs + 3, 1);
  if (key == NULL) return "";
  key[0] = (char)('a' + (int)c->context);
  for (size_t k = 0; k < call->nargs; k++)
    key[k + 1] = (char)('a' + 8 * call->arg[k]->rank + (int)call->arg[k]->type);
  key[call->nargs + 1] = (char)('0' + (int)(call->result % 64));
  return key;
}

/* Types the body with the arguments as they are. Only they are visible: the names of the caller belong
 * to another owner. */
static outcome type_body(brink_checker *c, brink_user_function *f, size_t result_number) {
  const void *locals_of = c->locals_of;
  brink_user_function *outer = c->function;
  size_t mark = brink_check_open_scope(c);
  c->locals_of = f;
  c->function = f;
  for (size_t k = 0; k < f->narguments; k++) brink_check_declare_local(c, f->argument[k]);
  brink_ast_expr *value = f->nresults > 0 ? f->results[result_number] : f->body;
  brink_check_function_statements(c, f);
  for (size_t k = 0; k < f->nresults; k++) brink_check_expr(c, f->results[k]);
  if (f->nresults == 0) brink_check_expr(c, f->body);
  brink_check_close_scope(c, mark);
  c->function = outer;
  c->locals_of = locals_of;
  return (outcome){value->type, value->rank};
}

static outcome type_user_body(brink_checker *c, brink_ast_expr *call, brink_user_function *f) {
  for (size_t k = 0; k < f->narguments; k++) {
    f->argument[k]->read_type = call->arg[k]->type;
    f->argument[k]->vector = call->arg[k]->vector;
    f->argument[k]->rank = call->arg[k]->rank;
  }
  bool calling = c->calling;
  if (!calling) c->call_place = call->place;
  c->calling = true;
  outcome found = type_body(c, f, call->result);
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
  if (call->result == 0) /* calls for the other results share their arguments */
    for (size_t k = 0; k < call->nargs; k++) brink_check_expr(c, call->arg[k]);
  if (f->visit == 1) {
    brink_check_recursion(c, call);
    f->damaged = true;
    return;
  }
  if (!brink_check_result_count(c, call)) return;
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
  result(call, known->type, known->rank);
}

/* The body by itself: names, recursion, how large it grows. */
static void check_function(brink_checker *c, brink_user_function *f) {
  brink_checker outer = *c;
  f->visit = 1;
  f->caller = c->function;
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
    argument->rank = 0;
    for (size_t j = 0; j < k; j++)
      if (strcmp(f->argument[j]->name, argument->name) == 0)
        brink_check_error(c, BRINK_MSG_DECLARED_TWICE, argument->place, NULL,
                          "'%s' is declared twice", argument->name);
  }
  type_body(c, f, 0);
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
    if (f->body == NULL && f->nresults == 0) brink_check_plain_function(c, f);
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

/* pi(), der(x), a word of another language, or a name that is nearly right. */
static const char *function_hint(brink_checker *c, const brink_ast_expr *expr) {
  const char *state = brink_foreign_state(c->unit, expr);
  if (brink_check_predefined(expr->text) != BRINK_PREDEFINED_NOT)
    return brink_unit_format(c->unit, "write %s, without parentheses", expr->text);
  if (state != NULL)
    return brink_unit_format(c->unit, "the derivative of a state is written %s'", state);
  const char *other = brink_foreign_hint(BRINK_FOREIGN_FUNCTION, expr->text);
  if (other != NULL) return other;
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
  if (expr->user != NULL && expr->user->body == NULL && expr->user->nresults == 0) {
    expr->function = expr->user->table != NULL ? BRINK_FN_FILE_TABLE : BRINK_FN_EXTERNAL;
    brink_check_plain_call(c, expr);
  } else if (expr->user != NULL) {
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
