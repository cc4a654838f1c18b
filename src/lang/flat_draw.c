/* flat_draw.c: random draws, in actions and samples (as graphs) and before the run (as values).
 *
 * Each place that draws has a number, counted from the draws that its instance has made so far; an action moves that
 * count on by the number of its places, whatever branches it took. So what a draw gives depends on the seed, the
 * instance and the history of the instance alone. A place inside loops that stay loops counts once for each iteration.
 *
 * uniform, exponential, poisson and choice take one number of the stream, normal two (Box and Muller 1958). Both ways
 * of evaluation do the same operations in the same order. */
#include <math.h>
#include <string.h>

#include "lang/flat.h"

static const double TURN = 6.28318530717958647692;

static bool draws(const brink_ast_expr *expr, void *user) {
  (void)user;
  return flat_draws(expr);
}

bool flat_draws(const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_CALL) {
    if (expr->function >= BRINK_FN_UNIFORM && expr->function <= BRINK_FN_CHOICE) return true;
    if (expr->function == BRINK_FN_USER && expr->user != NULL &&
        flat_any_in_function(expr->user, draws, NULL))
      return true;
  }
  for (size_t k = 0; k < expr->nargs; k++) {
    if (flat_draws(expr->arg[k])) return true;
  }
  return false;
}

/* ---- graphs ---- */

/* Slots of P for the counters and the streams of the group's instances. */
static bool open_counters(flat *f, flat_group *group) {
  if (group->draw_variable != BRINK_NO_INDEX) return true;
  uint32_t counters = flat_hidden(f, group, "draws", BRINK_SPACE_P, group->count, 0.0);
  uint32_t streams = flat_hidden(f, group, "stream", BRINK_SPACE_P, group->count, 0.0);
  if (counters == BRINK_NO_INDEX || streams == BRINK_NO_INDEX) return false;
  group->draw_variable = counters;
  group->draw_streams = streams;
  brink_group *made = &f->system->groups[group->id];
  made->actions_draw = true;
  made->draws_slot = counters;
  made->stream_slot = streams;
  for (size_t i = 0; i < group->count; i++) {
    f->system->p0[counters + i] = (double)group->draws[i];
    f->system->p0[streams + i] = (double)(group->stream + i);
  }
  return true;
}

static brink_node of_instance(flat_context *c, uint32_t base) {
  return brink_graph_ref(c->graph, flat_instance_ref(c, BRINK_SPACE_P, base));
}

/* The number of a new place, in each iteration of its loops. */
static brink_node new_place(flat_context *c) {
  size_t first = c->shared->sites;
  c->shared->sites += c->repeat;
  if (c->repeat == 1) return brink_graph_constant(c->graph, (double)first);
  uint32_t base, *slots = brink_arena_pack(&c->f->scratch, c->kernel->count, sizeof *slots);
  if (slots == NULL) flat_out_of_memory(c->f);
  if (slots == NULL || !flat_room(c->f, BRINK_SPACE_K, c->repeat, &base)) return BRINK_NO_NODE;
  for (size_t r = 0; r < c->repeat; r++) c->f->system->k[base + r] = (double)(first + r);
  for (size_t i = 0; i < c->kernel->count; i++) slots[i] = base + (uint32_t)(i % c->repeat);
  return brink_graph_ref(c->graph, flat_make_ref(c->f, BRINK_SPACE_K, slots, c->kernel->count));
}

/* In (0, 1). */
static brink_node draw(flat_context *c) {
  if (!open_counters(c->f, c->group)) return BRINK_NO_NODE;
  brink_node drawn = of_instance(c, c->group->draw_variable);
  return brink_graph_op2(c->graph, BRINK_OP_RANDOM, of_instance(c, c->group->draw_streams),
                         brink_graph_op2(c->graph, BRINK_OP_ADD, drawn, new_place(c)));
}

static brink_node standard_normal(flat_context *c) {
  brink_graph *g = c->graph;
  brink_node log_u = brink_graph_op1(g, BRINK_OP_LOG, draw(c));
  brink_node radius = brink_graph_op1(
      g, BRINK_OP_SQRT, brink_graph_op2(g, BRINK_OP_MUL, brink_graph_constant(g, -2.0), log_u));
  brink_node angle = brink_graph_op2(g, BRINK_OP_MUL, brink_graph_constant(g, TURN), draw(c));
  return brink_graph_op2(g, BRINK_OP_MUL, radius, brink_graph_op1(g, BRINK_OP_COS, angle));
}

/* value, or, where a number that has to be 0 or more is not, what is not a number. */
static brink_node unless_negative(brink_graph *g, brink_node number, brink_node value) {
  brink_node fits = brink_graph_op2(g, BRINK_OP_LE, brink_graph_constant(g, 0.0), number);
  return brink_graph_select(g, fits, value, brink_graph_constant(g, (double)NAN));
}

brink_node flat_random(flat_context *c, brink_function function, brink_node a, brink_node b) {
  brink_graph *g = c->graph;
  switch ((int)function) {
  case BRINK_FN_UNIFORM: {
    brink_node width = brink_graph_op2(g, BRINK_OP_SUB, b, a);
    return brink_graph_op2(g, BRINK_OP_ADD, a, brink_graph_op2(g, BRINK_OP_MUL, width, draw(c)));
  }
  case BRINK_FN_NORMAL:
    return brink_graph_op2(g, BRINK_OP_ADD, a,
                           brink_graph_op2(g, BRINK_OP_MUL, b, standard_normal(c)));
  case BRINK_FN_EXPONENTIAL: {
    brink_node log_u = brink_graph_op1(g, BRINK_OP_LOG, draw(c));
    brink_node times = brink_graph_op1(g, BRINK_OP_NEG, log_u);
    return unless_negative(g, a, brink_graph_op2(g, BRINK_OP_MUL, a, times));
  }
  default:
    return brink_graph_op2(g, BRINK_OP_POISSON, draw(c), a);
  }
}

/* The weights: choice(a, b, …) or choice(v). */
static size_t count_weights(flat_context *c, const brink_ast_expr *expr) {
  return expr->nargs > 1 ? expr->nargs : flat_vector_length(c, expr->arg[0]);
}

static brink_node weight(flat_context *c, const brink_ast_expr *expr, size_t k) {
  flat_context inner = *c;
  if (expr->nargs == 1) inner.element = k;
  return flat_expr(&inner, expr->arg[expr->nargs == 1 ? 0 : k]);
}

/* 1 + the number of partial sums that u times the sum of all has reached. */
brink_node flat_choice(flat_context *c, const brink_ast_expr *expr) {
  brink_graph *g = c->graph;
  size_t count = count_weights(c, expr);
  brink_node *sum = brink_arena_pack(&c->f->scratch, count, sizeof *sum);
  brink_node zero = brink_graph_constant(g, 0.0), fits = BRINK_NO_NODE;
  if (sum == NULL) {
    flat_out_of_memory(c->f);
    return BRINK_NO_NODE;
  }
  for (size_t k = 0; k < count && !c->f->failed; k++) {
    brink_node w = weight(c, expr, k), positive = brink_graph_op2(g, BRINK_OP_LE, zero, w);
    sum[k] = k == 0 ? w : brink_graph_op2(g, BRINK_OP_ADD, sum[k - 1], w);
    fits = k == 0 ? positive : brink_graph_op2(g, BRINK_OP_AND, fits, positive);
  }
  if (c->f->failed || count == 0) return BRINK_NO_NODE;
  brink_node total = sum[count - 1], reached = brink_graph_op2(g, BRINK_OP_MUL, draw(c), total);
  brink_node chosen = brink_graph_constant(g, 1.0);
  for (size_t k = 0; k + 1 < count; k++)
    chosen =
        brink_graph_op2(g, BRINK_OP_ADD, chosen, brink_graph_op2(g, BRINK_OP_LE, sum[k], reached));
  fits = brink_graph_op2(g, BRINK_OP_AND, fits, brink_graph_op2(g, BRINK_OP_LT, zero, total));
  fits = brink_graph_op2(
      g, BRINK_OP_AND, fits,
      brink_graph_op2(g, BRINK_OP_LT, total, brink_graph_constant(g, (double)INFINITY)));
  return brink_graph_select(g, fits, chosen, brink_graph_constant(g, (double)NAN));
}

/* The counter of draws moves on. */
void flat_count_draws(flat_context *c) {
  if (c->shared->sites == 0) return;
  if (!open_counters(c->f, c->group)) return;
  brink_ref counter = flat_instance_ref(c, BRINK_SPACE_P, c->group->draw_variable);
  brink_node more = brink_graph_op2(c->graph, BRINK_OP_ADD, brink_graph_ref(c->graph, counter),
                                    brink_graph_constant(c->graph, (double)c->shared->sites));
  flat_add_output(c->f, c->kernel, counter, more, BRINK_NO_NODE, BRINK_NO_INDEX);
}

/* ---- values ---- */

static double next(flat *f, const flat_point *point) {
  flat_group *group = point->group;
  if (f->seed_expr != NULL)
    flat_error(f, BRINK_MSG_SEED_DRAWN, f->seed_expr->place, "give the seed as a number",
               "the seed depends on a random number");
  return brink_random(f->seed, (double)(group->stream + point->instance),
                      (double)group->draws[point->instance]++);
}

double flat_random_value(flat *f, const flat_point *point, brink_function function, double a,
                         double b) {
  switch ((int)function) {
  case BRINK_FN_UNIFORM:
    return a + (b - a) * next(f, point);
  case BRINK_FN_NORMAL: {
    double u = next(f, point), v = next(f, point);
    return a + b * (sqrt(-2.0 * log(u)) * cos(TURN * v));
  }
  case BRINK_FN_EXPONENTIAL: {
    double times = -log(next(f, point));
    return a >= 0.0 ? a * times : (double)NAN;
  }
  default:
    return brink_poisson(next(f, point), a);
  }
}

bool flat_choice_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                       double *value) {
  size_t count = expr->nargs;
  if (count == 1) count = flat_bound_length(f, point->group, expr->arg[0], point->binding);
  double *sum = brink_arena_pack(&f->scratch, count, sizeof *sum);
  if (sum == NULL) flat_out_of_memory(f);
  if (sum == NULL || count == 0) return false;
  bool fits = true;
  for (size_t k = 0; k < count; k++) {
    flat_point inner = *point;
    double w;
    if (expr->nargs == 1) inner.element = k;
    if (!flat_value(f, &inner, expr->arg[expr->nargs == 1 ? 0 : k], &w)) return false;
    sum[k] = k == 0 ? w : sum[k - 1] + w;
    fits = fits && w >= 0.0;
  }
  double reached = next(f, point) * sum[count - 1];
  *value = 1.0;
  for (size_t k = 0; k + 1 < count; k++) *value += sum[k] <= reached ? 1.0 : 0.0;
  if (fits && sum[count - 1] > 0.0 && isfinite(sum[count - 1])) return true;
  flat_error(f, BRINK_MSG_CHOICE_WEIGHTS, expr->place, NULL,
             "weights of a choice are numbers from 0 on, and one of them is positive");
  return false;
}
