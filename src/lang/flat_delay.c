/* flat_delay.c: delay(u, lag), delay(u, lag, bound), delay(u, lag, bound, history).
 *
 * What is delayed, the lag, its bound and the history become kernels of their own. The delayed signal itself is a
 * polynomial in its argument t - lag, with coefficients in hidden slots of P that the simulation fills in
 * (model/delay.h). So it reads nothing of what is delayed: it closes no algebraic loop, and has series and derivatives
 * like any polynomial. */
#include "lang/flat.h"
#include "model/delay.h"

/* ---- what may be read ---- */

/* Is it made of parameters, and perhaps of time, alone? */
static bool is_known(const brink_ast_expr *expr, bool with_time) {
  if (expr->op == BRINK_AST_PRIME) return false;
  if (expr->op == BRINK_AST_NAME) {
    if (expr->predefined == BRINK_PREDEFINED_TIME) return with_time;
    if (expr->predefined != BRINK_PREDEFINED_NOT) return true;
    const brink_symbol *symbol = expr->part[expr->nparts - 1].symbol;
    return symbol != NULL &&
           (symbol->kind == BRINK_SYMBOL_PARAMETER || symbol->kind == BRINK_SYMBOL_LOOP);
  }
  for (size_t k = 0; k < expr->nargs; k++) {
    if (!is_known(expr->arg[k], with_time)) return false;
  }
  return true;
}

static bool check_arguments(flat_context *c, const brink_ast_expr *expr, bool *constant) {
  *constant = is_known(expr->arg[1], false);
  if (!*constant && expr->nargs == 2) {
    flat_error(c->f, BRINK_MSG_DELAY_WITHOUT_BOUND, expr->arg[1]->place,
               "delay(u, lag, largest lag)", "a delay that varies needs a bound");
    return false;
  }
  if (expr->nargs > 2 && !is_known(expr->arg[2], false)) {
    flat_error(c->f, BRINK_MSG_DELAY_BOUND_VARIES, expr->arg[2]->place, NULL,
               "the bound of a delay is made of numbers and parameters");
    return false;
  }
  if (expr->nargs > 3 && !is_known(expr->arg[3], true)) {
    flat_error(c->f, BRINK_MSG_DELAY_HISTORY_READS, expr->arg[3]->place,
               "before the start there are no states and no inputs",
               "the history of a delay is made of time, numbers and parameters");
    return false;
  }
  return true;
}

/* ---- its numbers ---- */

static brink_node number(flat_context *c, const brink_delayed *delayed, size_t j) {
  brink_ref ref = {.space = BRINK_SPACE_P,
                   .base = (uint32_t)(delayed->slot + j * delayed->count),
                   .stride = delayed->count > 1 ? 1 : 0};
  return brink_graph_ref(c->graph, ref);
}

/* sum c_j s^j with s = (t - lag - centre)*scale, by Horner's rule. */
static brink_node polynomial(flat_context *c, const brink_delayed *delayed, brink_node lag) {
  brink_graph *g = c->graph;
  if (delayed->held) return number(c, delayed, 0);
  brink_node a = brink_graph_op2(g, BRINK_OP_SUB, brink_graph_time(g), lag);
  brink_node off = brink_graph_op2(g, BRINK_OP_SUB, a, number(c, delayed, BRINK_DELAY_CENTRE));
  brink_node s = brink_graph_op2(g, BRINK_OP_MUL, off, number(c, delayed, BRINK_DELAY_SCALE));
  brink_node u = number(c, delayed, BRINK_DELAY_LENGTH - 1);
  for (size_t j = BRINK_DELAY_LENGTH - 1; j-- > 0;)
    u = brink_graph_op2(g, BRINK_OP_ADD, brink_graph_op2(g, BRINK_OP_MUL, u, s),
                        number(c, delayed, j));
  return u;
}

/* ---- one delay, in all iterations of c ---- */

/* The same delay was written before in this equation. */
static const brink_delayed *find_same(const flat_context *c, brink_node u, brink_node lag,
                                      const brink_ast_expr *expr) {
  for (size_t k = 0; k < c->shared->ndelays; k++) {
    const struct flat_delay *known = &c->shared->delays[k];
    bool same = known->u == u && known->lag == lag && known->nargs == expr->nargs;
    for (size_t j = 2; same && j < expr->nargs; j++)
      same = flat_same_expr(known->arg[j], expr->arg[j]);
    if (same) return &c->f->system->delays[known->delay];
  }
  return NULL;
}

static bool remember(flat_context *c, brink_node u, brink_node lag, const brink_ast_expr *expr) {
  flat_shared *shared = c->shared;
  struct flat_delay *made =
      flat_note(c->f, brink_arena_push(&c->f->scratch, shared->delays, shared->ndelays,
                                       shared->delays_capacity));
  if (made == NULL) return false;
  *made = (struct flat_delay){.u = u,
                              .lag = lag,
                              .arg = expr->arg,
                              .nargs = expr->nargs,
                              .delay = (uint32_t)c->f->system->ndelays - 1};
  return true;
}

/* Nothing in it is watched: before the start there are no events. */
static brink_kernel *kernel_of(const flat_context *c, const brink_ast_expr *expr) {
  flat_context plain = *c;
  plain.plain = true;
  return flat_extract(&plain, expr->place, flat_expr(&plain, expr));
}

/* A real number that is held may have had a history that was not. */
static bool history_varies(const flat_context *c, const brink_ast_expr *expr) {
  bool real = expr->type == BRINK_TYPE_SIGNAL || expr->type == BRINK_TYPE_REAL;
  if (expr->nargs < 4 || !real) return false;
  flat_context plain = *c;
  plain.plain = true;
  return flat_varies(&plain, flat_expr(&plain, expr->arg[3]));
}

static const brink_delayed *make(flat_context *c, const brink_ast_expr *expr, brink_node u,
                                 brink_node lag, bool constant) {
  flat *f = c->f;
  brink_delayed made = {.where = flat_where(f, expr->place),
                        .place = expr->place,
                        .group = c->group->id,
                        .count = c->kernel->count,
                        .held = !flat_varies(c, u) && !history_varies(c, expr),
                        .constant = constant};
  size_t numbers = made.held ? 1 : BRINK_DELAY_NUMBERS;
  made.slot = flat_hidden(f, c->group, "delay", BRINK_SPACE_P, numbers * made.count, 0.0);
  if (made.slot == BRINK_NO_INDEX) return NULL;
  made.signal = flat_extract(c, expr->arg[0]->place, u);
  made.lag = flat_extract(c, expr->arg[1]->place, lag);
  made.bound = expr->nargs > 2 ? kernel_of(c, expr->arg[2]) : made.lag;
  made.history = expr->nargs > 3 ? kernel_of(c, expr->arg[3]) : NULL;
  if (f->failed) return NULL;
  brink_delayed *kept =
      flat_push(f, f->system->delays, f->system->ndelays, f->system->delays_capacity);
  if (kept == NULL) return NULL;
  *kept = made;
  return remember(c, u, lag, expr) ? kept : NULL;
}

brink_node flat_delay(flat_context *c, const brink_ast_expr *expr) {
  bool constant;
  if (!check_arguments(c, expr, &constant)) return BRINK_NO_NODE;
  /* The signal is recorded always, also while the branch that reads it is not active. */
  flat_context always = *c;
  always.active = BRINK_NO_NODE;
  brink_node u = flat_expr(&always, expr->arg[0]), lag = flat_expr(&always, expr->arg[1]);
  if (u == BRINK_NO_NODE || lag == BRINK_NO_NODE || c->f->failed) return BRINK_NO_NODE;
  bool discrete = expr->type != BRINK_TYPE_SIGNAL && expr->type != BRINK_TYPE_REAL;
  if (discrete && flat_varies(c, u)) {
    flat_error(c->f, BRINK_MSG_DELAY_WITHOUT_EVENTS, expr->arg[0]->place, "leave out noevent",
               "what is delayed here changes without events");
    return BRINK_NO_NODE;
  }
  const brink_delayed *delayed = find_same(c, u, lag, expr);
  if (delayed == NULL) delayed = make(&always, expr, u, lag, constant);
  return delayed != NULL ? polynomial(c, delayed, lag) : BRINK_NO_NODE;
}
