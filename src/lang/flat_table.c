/* flat_table.c: tables from files become graphs.
 *
 * A table is pieces of polynomials (num/table.h). Their numbers are constants of the system, and which piece is meant
 * is found at run time: code does not grow with the table. In equations the piece is locked. Its number is held, and
 * two guards say when the input leaves it, upwards and downwards, whatever the number of knots; at that instant the
 * right piece is found anew, however far the input has jumped. So the series of a step belong to one polynomial. At the
 * very surface, the locked signs give the side that the input is on (as for floor, flat_flag.c).
 *
 * Where things are evaluated as they stand (actions, updates, noevent), the piece is found on the spot. */
#include <math.h>
#include <string.h>

#include "lang/flat.h"

/* ---- constants ---- */

static bool store(flat *f, const double *values, size_t count, uint32_t *base) {
  if (!flat_room(f, BRINK_SPACE_K, count, base)) return false;
  memcpy(&f->system->k[*base], values, count * sizeof *values);
  return true;
}

/* Where a table is in K; it is put there once. NULL: no memory. */
static const struct flat_stored *stored(flat *f, const brink_gridded *table) {
  for (size_t k = 0; k < f->ntables; k++)
    if (f->tables[k].table == table) return &f->tables[k];
  struct flat_stored *s =
      flat_note(f, brink_arena_push(&f->scratch, f->tables, f->ntables, f->tables_capacity));
  if (s == NULL) return NULL;
  *s = (struct flat_stored){.table = table};
  size_t count = 1;
  for (int k = 0; k < table->inputs; k++) {
    const brink_table_axis *axis = &table->axis[k];
    if (!store(f, axis->bounds, axis->npieces + 1, &s->bounds[k]) ||
        !store(f, axis->origins, axis->npieces, &s->origins[k]))
      return NULL;
    count *= axis->npieces * table->terms;
  }
  return store(f, table->coefficients, count, &s->coefficients) ? s : NULL;
}

/* ---- one input ---- */

/* An input of a table where it is called. */
typedef struct input {
  flat_context *c;
  const brink_ast_expr *expr; /* the call */
  const brink_gridded *table;
  const brink_table_axis *axis;
  uint32_t bounds; /* in K */
  const char *name;
  brink_node u;
} input;

static brink_ref array(uint32_t base, size_t extent, size_t step) {
  return (brink_ref){
      .space = BRINK_SPACE_K, .base = base, .extent = (uint32_t)extent, .step = (uint32_t)step};
}

/* Bound `n` of the pieces, from 1: piece n lies between bounds n and n + 1. */
static brink_node bound(const input *in, brink_node n) {
  return brink_graph_lookup(in->c->graph, n, array(in->bounds, in->axis->npieces + 1, 1));
}

static brink_node found(const input *in) {
  return brink_graph_find(in->c->graph, in->u, array(in->bounds, in->axis->npieces + 1, 1));
}

static double end_knot(const input *in, bool upper) {
  return in->axis->x[upper ? in->axis->nknots - 1 : 0];
}

/* Is the input beyond the last knot, upwards or downwards? */
static brink_node beyond(const input *in, bool upper) {
  brink_graph *g = in->c->graph;
  brink_node end = brink_graph_constant(g, end_knot(in, upper));
  return upper ? brink_graph_op2(g, BRINK_OP_LT, end, in->u)
               : brink_graph_op2(g, BRINK_OP_LT, in->u, end);
}

/* Is its piece, n, the one beyond? */
static brink_node has_left(const input *in, bool upper, brink_node n) {
  brink_node outer = brink_graph_constant(in->c->graph, upper ? (double)in->axis->npieces : 1.0);
  return brink_graph_op2(in->c->graph, BRINK_OP_EQ, n, outer);
}

/* Where the run ends, if nothing may lie beyond the last knots: nodes of c's graph, BRINK_NO_NODE: never. */
typedef struct ends {
  brink_node above, below;
  uint32_t
      back; /* a flag: judged when the instant is over, unless the input stays on this one's knot: an end of a table
                  * belongs to it, and where the input turns back it has left the piece beyond by then */
} ends;

/* What the run ends with there: "eta: speed > 6000, the last knot of engine.csv". */
static bool add_failure(const input *in, brink_action *action, brink_kernel *kernel, bool upper,
                        const ends *fail) {
  flat *f = in->c->f;
  char number[BRINK_DOUBLE_TEXT];
  brink_node when = upper ? fail->above : fail->below;
  brink_node condition = brink_graph_copy(&kernel->graph, in->c->graph, when, NULL, NULL);
  brink_effect *effect = flat_push(f, action->effects, action->neffects, action->effects_capacity);
  if (effect == NULL || condition == BRINK_NO_NODE) return false;
  brink_text text = {.allocator = f->arena->allocator};
  brink_text_add(&text, "%s: %s %s %s, the %s knot of %s", in->expr->text, in->name,
                 upper ? ">" : "<", brink_double_text(end_knot(in, upper), number),
                 upper ? "last" : "first", in->expr->user->table->file);
  *effect = (brink_effect){.kind = BRINK_EFFECT_FAIL,
                           .when = condition,
                           .late = fail->back != BRINK_NO_INDEX,
                           .back = fail->back,
                           .text = text.failed ? NULL : brink_arena_text(f->arena, text.data)};
  brink_text_free(&text);
  if (effect->text == NULL) flat_out_of_memory(f);
  return effect->text != NULL;
}

/* held := node, for each iteration. */
static brink_action *hold(const input *in, brink_ref held, brink_node node, ends fail) {
  flat_context *c = in->c;
  brink_action *action = flat_new_action(c->f, c->kernel->count);
  if (action == NULL) return NULL;
  brink_kernel *kernel = flat_action_kernel(c->f, action, "table", in->expr->place, action->count);
  if (kernel == NULL) return NULL;
  brink_node copy = brink_graph_copy(&kernel->graph, c->graph, node, NULL, NULL);
  if (!flat_add_output(c->f, kernel, held, copy, BRINK_NO_NODE, BRINK_NO_INDEX)) return NULL;
  if (in->table->beyond != BRINK_BEYOND_ERROR) return action;
  if (fail.above != BRINK_NO_NODE && !add_failure(in, action, kernel, true, &fail)) return NULL;
  if (fail.below != BRINK_NO_NODE && !add_failure(in, action, kernel, false, &fail)) return NULL;
  return action;
}

static uint32_t leaving(const input *in, brink_node n) {
  flat_context *c = in->c;
  brink_node value = brink_graph_op2(c->graph, BRINK_OP_SUB, in->u, bound(in, n));
  return flat_new_flag(c, BRINK_FLAG_GENERATED, flat_place_name(c->f, in->expr->place),
                       in->expr->place, value);
}

/* In a branch of an if the input may lie anywhere while another one is taken: a flag falls when this one is taken, or is
 * already, and the piece is the one beyond. */
static bool watch_end(const input *in, brink_ref held, brink_node n, ends fail) {
  flat_context *c = in->c;
  flat *f = c->f;
  brink_graph *g = c->graph;
  brink_node left = fail.above != BRINK_NO_NODE ? fail.above : fail.below;
  brink_node wrong = brink_graph_op2(g, BRINK_OP_AND, c->active, left);
  brink_node right = flat_far(c, brink_graph_op1(g, BRINK_OP_NOT, wrong));
  uint32_t flag = flat_new_flag(c, BRINK_FLAG_GENERATED, flat_place_name(f, in->expr->place),
                                in->expr->place, right);
  if (fail.above != BRINK_NO_NODE)
    fail.above = wrong;
  else
    fail.below = wrong;
  brink_action *action = flag != BRINK_NO_INDEX ? hold(in, held, n, fail) : NULL;
  if (action == NULL) return false;
  brink_flag *made = &f->system->flags[flag];
  made->enabled = NULL; /* it knows when it matters */
  made->direction = BRINK_NEGATIVE;
  made->inside = 1;
  made->silent = true;
  made->negative = action;
  return true;
}

/* The number n of the piece is held; the input leaves it at located events. */
static brink_node locked(const input *in) {
  flat *f = in->c->f;
  brink_graph *g = in->c->graph;
  size_t count = in->c->kernel->count;
  uint32_t base = flat_hidden(f, in->c->group, "piece", BRINK_SPACE_P, count, 1.0);
  if (base == BRINK_NO_INDEX || in->u == BRINK_NO_NODE) return BRINK_NO_NODE;
  brink_ref held = {.space = BRINK_SPACE_P, .base = base, .stride = count > 1 ? 1 : 0};
  brink_node n = brink_graph_ref(g, held), one = brink_graph_constant(g, 1.0);
  brink_node next = brink_graph_op2(g, BRINK_OP_ADD, n, one);
  brink_node before = brink_graph_op2(g, BRINK_OP_SUB, n, one), now = found(in);
  uint32_t up = leaving(in, next), down = leaving(in, n);
  if (up == BRINK_NO_INDEX || down == BRINK_NO_INDEX) return BRINK_NO_NODE;
  /* found(u) may still be n where the event was located, a rounding error before the knot */
  ends above = {has_left(in, true, n), BRINK_NO_NODE, down};
  ends below = {BRINK_NO_NODE, has_left(in, false, n), up};
  const ends never = {BRINK_NO_NODE, BRINK_NO_NODE, BRINK_NO_INDEX};
  ends at_start = {beyond(in, true), beyond(in, false), BRINK_NO_INDEX};
  if (in->c->active != BRINK_NO_NODE) {
    if (in->table->beyond == BRINK_BEYOND_ERROR &&
        !(watch_end(in, held, n, above) && watch_end(in, held, n, below)))
      return BRINK_NO_NODE;
    above = below = never;
    at_start.above = brink_graph_op2(g, BRINK_OP_AND, in->c->active, at_start.above);
    at_start.below = brink_graph_op2(g, BRINK_OP_AND, in->c->active, at_start.below);
  }
  brink_action *rise = hold(in, held, brink_graph_op2(g, BRINK_OP_MAX, next, now), above);
  brink_action *fall = hold(in, held, brink_graph_op2(g, BRINK_OP_MIN, before, now), below);
  brink_action *start = hold(in, held, now, at_start);
  if (rise == NULL || fall == NULL || start == NULL || !flat_first_output(f, start)) {
    flat_out_of_memory(f);
    return BRINK_NO_NODE;
  }
  brink_flag *flags = f->system->flags;
  flags[up].silent = flags[down].silent = true;
  return flat_moved_number(in->c, n, (flat_mover){up, rise}, (flat_mover){down, fall});
}

/* The piece that the input is in, from 1. Calls of one table with one input share it. */
static brink_node piece_of(const input *in) {
  flat_context *c = in->c;
  flat_shared *shared = c->shared;
  if (!flat_locks(c, in->u)) return found(in);
  for (size_t k = 0; k < shared->npieces; k++) {
    const struct flat_piece *made = &shared->pieces[k];
    bool watched = made->active == BRINK_NO_NODE || made->active == c->active;
    if (made->input == in->u && made->bounds == in->bounds && watched) return made->piece;
  }
  brink_node piece = locked(in);
  if (piece == BRINK_NO_NODE) return BRINK_NO_NODE;
  struct flat_piece *added =
      flat_note(c->f, brink_arena_push(&c->f->scratch, shared->pieces, shared->npieces,
                                       shared->pieces_capacity));
  if (added == NULL) return BRINK_NO_NODE;
  *added = (struct flat_piece){in->u, in->bounds, piece, c->active};
  return piece;
}

/* ---- polynomials ---- */

/* terms[0] + d (terms[1] + d (…)), in the order of brink_table_value. */
static brink_node horner(brink_graph *g, const brink_node *terms, size_t count, brink_node d) {
  brink_node value = terms[count - 1];
  for (size_t k = count - 1; k-- > 0;)
    value = brink_graph_op2(g, BRINK_OP_ADD, terms[k], brink_graph_op2(g, BRINK_OP_MUL, d, value));
  return value;
}

static brink_node value_one(flat_context *c, const struct flat_stored *s, brink_node n,
                            brink_node d) {
  brink_node terms[4];
  const brink_gridded *t = s->table;
  for (size_t a = 0; a < t->terms; a++)
    terms[a] = brink_graph_lookup(
        c->graph, n, array(s->coefficients + (uint32_t)a, t->axis[0].npieces, t->terms));
  return horner(c->graph, terms, t->terms, d);
}

static brink_node value_two(flat_context *c, const struct flat_stored *s, const brink_node *n,
                            const brink_node *d) {
  brink_graph *g = c->graph;
  const brink_gridded *t = s->table;
  size_t across = t->axis[1].npieces, cells = t->axis[0].npieces * across;
  brink_node row = brink_graph_op2(g, BRINK_OP_SUB, n[0], brink_graph_constant(g, 1.0));
  brink_node cell = brink_graph_op2(
      g, BRINK_OP_ADD,
      brink_graph_op2(g, BRINK_OP_MUL, row, brink_graph_constant(g, (double)across)), n[1]);
  brink_node by_u[4], terms[4];
  for (size_t a = 0; a < t->terms; a++) {
    for (size_t b = 0; b < t->terms; b++)
      terms[b] = brink_graph_lookup(
          g, cell,
          array(s->coefficients + (uint32_t)(a * t->terms + b), cells, t->terms * t->terms));
    by_u[a] = horner(g, terms, t->terms, d[1]);
  }
  return horner(g, by_u, t->terms, d[0]);
}

/* Not a number beyond the last knots, where nothing watches for that: whoever takes it says so. */
static brink_node or_nothing(const input *in, brink_node value) {
  flat_context *c = in->c;
  if (in->table->beyond != BRINK_BEYOND_ERROR || flat_locks(c, in->u)) return value;
  brink_graph *g = c->graph;
  brink_node outside = brink_graph_op2(g, BRINK_OP_OR, beyond(in, true), beyond(in, false));
  return brink_graph_select(g, outside, brink_graph_constant(g, (double)NAN), value);
}

brink_node flat_table(flat_context *c, const brink_ast_expr *expr) {
  const brink_user_function *function = expr->user;
  const brink_gridded *table = &function->table->grid;
  if (function->damaged || table->coefficients == NULL || expr->nargs != function->narguments)
    return BRINK_NO_NODE; /* reported */
  const struct flat_stored *s = stored(c->f, table);
  if (s == NULL) return BRINK_NO_NODE;
  struct flat_stored kept = *s; /* the list may move */
  input in[2];
  brink_node n[2], d[2];
  for (int k = 0; k < table->inputs; k++) {
    in[k] = (input){.c = c,
                    .expr = expr,
                    .table = table,
                    .axis = &table->axis[k],
                    .bounds = kept.bounds[k],
                    .name = function->argument[k]->name,
                    .u = flat_expr(c, expr->arg[k])};
    n[k] = piece_of(&in[k]);
    brink_ref origins = array(kept.origins[k], table->axis[k].npieces, 1);
    d[k] = brink_graph_op2(c->graph, BRINK_OP_SUB, in[k].u,
                           brink_graph_lookup(c->graph, n[k], origins));
  }
  brink_node value =
      table->inputs == 1 ? value_one(c, &kept, n[0], d[0]) : value_two(c, &kept, n, d);
  for (int k = 0; k < table->inputs; k++) value = or_nothing(&in[k], value);
  return value;
}

/* ---- before the run ---- */

bool flat_table_value(flat *f, const flat_point *point, const brink_ast_expr *expr, double *value) {
  const brink_user_function *function = expr->user;
  const brink_gridded *table = &function->table->grid;
  double u[2] = {0.0, 0.0};
  if (function->damaged || table->coefficients == NULL || expr->nargs != function->narguments)
    return false; /* reported */
  for (int k = 0; k < table->inputs; k++) {
    const brink_table_axis *axis = &table->axis[k];
    char text[BRINK_DOUBLE_TEXT];
    if (!flat_value(f, point, expr->arg[k], &u[k])) return false;
    bool inside = u[k] >= axis->x[0] && u[k] <= axis->x[axis->nknots - 1];
    if (inside || table->beyond != BRINK_BEYOND_ERROR) continue;
    flat_error(f, BRINK_MSG_TABLE_OUTSIDE, expr->arg[k]->place, NULL,
               "'%s' has no value at %s = %s: it lies beyond its knots", expr->text,
               function->argument[k]->name, brink_double_text(u[k], text));
    return false;
  }
  *value = brink_table_value(table, u);
  return true;
}
