/* fuzz_build.c: models described by <brink/build.h>: any expressions, right and wrong, in any order; then runs of them.
 *
 * The input is a list of choices. Beside each expression goes its value at the start, computed by <math.h>, with a bound of
 * what rounding may have done to it. What is promised: a mistake is refused with words; what is accepted has, at its start,
 * derivatives and guards of these values; a model that is finished twice runs twice to the same bits. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/model.h"
#include <brink/build.h>

enum { POOL = 16, STATES = 6, GUARDS = 8, PARAMETERS = 8, MODES = 4, CALLS = 60, STEPS = 30 };

/* An expression with its value at the start; `off` is a bound of the rounding in it, INFINITY: nothing is known. */
typedef struct known {
  brink_ex ex;
  double value, off;
} known;

typedef struct world {
  fuzz_choices choices;
  bool wild; /* with mistakes: the first of them spoils all that follows */
  brink_builder *builder,
      *other; /* the other one's expressions are mistakes; NULL, if they are not made */
  known pool[POOL];
  size_t made; /* the next place in the pool */
  known states[STATES], slopes[STATES], guards[GUARDS];
  bool derived[STATES];
  size_t nstates, nguards, nparameters, nmodes;
  double t0;
} world;

/* ---- values ---- */

#define ONE_VALUE(id, value)                                                                       \
  static double one_##id(double a) {                                                               \
    return value;                                                                                  \
  }
#define TWO_VALUE(id, value)                                                                       \
  static double two_##id(double a, double b) {                                                     \
    return value;                                                                                  \
  }
ONE_VALUE(NEG, -a)
ONE_VALUE(ABS, fabs(a))
ONE_VALUE(SQRT, sqrt(a))
ONE_VALUE(EXP, exp(a))
ONE_VALUE(LOG, log(a))
ONE_VALUE(LOG10, log10(a))
ONE_VALUE(SIN, sin(a))
ONE_VALUE(COS, cos(a))
ONE_VALUE(TAN, tan(a))
ONE_VALUE(ASIN, asin(a))
ONE_VALUE(ACOS, acos(a))
ONE_VALUE(ATAN, atan(a))
ONE_VALUE(SINH, sinh(a))
ONE_VALUE(COSH, cosh(a))
ONE_VALUE(TANH, tanh(a))
ONE_VALUE(NOT, a == 0.0)
TWO_VALUE(ADD, a + b)
TWO_VALUE(SUB, a - b)
TWO_VALUE(MUL, a *b)
TWO_VALUE(DIV, a / b)
TWO_VALUE(POW, pow(a, b))
TWO_VALUE(ATAN2, atan2(a, b))
TWO_VALUE(HYPOT, hypot(a, b))
TWO_VALUE(MIN, a < b ? a : b)
TWO_VALUE(MAX, a > b ? a : b)
TWO_VALUE(LT, a < b)
TWO_VALUE(LE, a <= b)
TWO_VALUE(EQ, a == b)
TWO_VALUE(NE, a != b)
TWO_VALUE(AND, a != 0.0 && b != 0.0)
TWO_VALUE(OR, a != 0.0 || b != 0.0)

typedef struct one_function {
  brink_ex (*of)(brink_ex a);
  double (*value)(double a);
} one_function;
typedef struct two_function {
  brink_ex (*of)(brink_ex a, brink_ex b);
  double (*value)(double a, double b);
} two_function;
#define ONE_ROW(function, id, meaning) {function, one_##id},
#define TWO_ROW(function, id, meaning) {function, two_##id},
static const one_function ones[] = {BRINK_EX_ONE_LIST(ONE_ROW)};
static const two_function twos[] = {BRINK_EX_TWO_LIST(TWO_ROW)};

/* Simplified expressions are rounded elsewhere: both sides are taken to be right to a few roundings. Outside these numbers, and
 * where a neighbour is no number, nothing is said. */
static void settle(known *k, double around) {
  double size = fabs(k->value);
  k->off = 2.0 * around + 4.0 * DBL_EPSILON * size;
  if (!(size < 1e100) || !(k->off < 1e-3 * (1.0 + size)) || (size != 0.0 && size < 1e-100))
    k->off = INFINITY;
}

static known one(const one_function *f, known a) {
  known made = {.ex = f->of(a.ex), .value = f->value(a.value), .off = INFINITY};
  if (isfinite(a.off))
    settle(&made, fmax(fabs(f->value(a.value + a.off) - made.value),
                       fabs(f->value(a.value - a.off) - made.value)));
  return made;
}

static known two(const two_function *f, known a, known b) {
  known made = {.ex = f->of(a.ex, b.ex), .value = f->value(a.value, b.value), .off = INFINITY};
  double around = 0.0;
  if (!isfinite(a.off) || !isfinite(b.off)) return made;
  for (int k = 0; k < 4; k++) {
    double near = f->value(k & 1 ? a.value + a.off : a.value - a.off,
                           k & 2 ? b.value + b.off : b.value - b.off);
    if (isnan(near)) return made;
    around = fmax(around, fabs(near - made.value));
  }
  settle(&made, around);
  return made;
}

/* ---- descriptions ---- */

static known pick(world *w) {
  size_t from = fuzz_choose(&w->choices, w->wild ? POOL + 2 : POOL);
  if (from < POOL) return w->pool[from];
  return (known){.ex = from == POOL ? brink_builder_time(w->other) : (brink_ex){0},
                 .off = INFINITY};
}

static double number(world *w) {
  double chosen = fuzz_number(&w->choices);
  return isfinite(chosen) || w->wild ? chosen : 2.0;
}

static void put(world *w, known k) {
  w->pool[w->made++ % POOL] = k;
}

static known leaf(world *w) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "", "x y"};
  fuzz_choices *c = &w->choices;
  const char *name = names[fuzz_choose(c, w->wild ? 10 : 8)];
  double value = number(w);
  switch (fuzz_choose(c, 5)) {
  case 0:
    if (w->nstates == STATES) break;
    w->states[w->nstates] = (known){brink_builder_state(w->builder, name, value), value, 0.0};
    return w->states[w->nstates++];
  case 1:
    if (w->nparameters == PARAMETERS) break;
    w->nparameters++;
    return (known){brink_builder_parameter(w->builder, name, value), value, 0.0};
  case 2:
    if (w->nmodes == MODES || !(fabs(value) < 1e6)) break;
    w->nmodes++;
    return (known){brink_builder_mode(w->builder, name, (int)value), (int)value, 0.0};
  case 3:
    return (known){brink_builder_time(w->builder), w->t0, 0.0};
  default:
    break;
  }
  return (known){brink_builder_number(w->builder, value), value, 0.0};
}

static known select_one(world *w) {
  known condition = pick(w), yes = pick(w), no = pick(w);
  known made = condition.value != 0.0 ? yes : no;
  made.ex = brink_ex_select(condition.ex, yes.ex, no.ex);
  if (!isfinite(condition.off) || (condition.off > 0.0 && fabs(condition.value) <= condition.off))
    made.off = INFINITY;
  return made;
}

static known constants(world *w) {
  known a = pick(w), by = {.value = number(w)};
  static const two_function add = {brink_ex_add, two_ADD}, mul = {brink_ex_mul, two_MUL};
  brink_ex made;
  size_t which = fuzz_choose(&w->choices, 3);
  by.ex = brink_builder_number(w->builder, by.value);
  if (which == 0) {
    made = brink_ex_scale(a.ex, by.value);
    a = two(&mul, a, by);
  } else if (which == 1) {
    made = brink_ex_add_constant(a.ex, by.value);
    a = two(&add, a, by);
  } else {
    made = brink_ex_square(a.ex);
    a = two(&mul, a, a);
  }
  a.ex = made;
  return a;
}

static int bounce(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = -0.5 * now->x[0];
  return 0;
}

static void guard(world *w) {
  fuzz_choices *c = &w->choices;
  brink_guard_def def = brink_default_guard(w->wild && fuzz_choose(c, 16) == 15 ? NULL : "guard");
  int formula[4];
  def.side = (brink_side)fuzz_choose(c, 4);
  def.direction = (brink_direction)((int)fuzz_choose(c, 3) - 1);
  def.surface = (brink_surface)fuzz_choose(c, 2);
  def.action = fuzz_choose(c, 3) == 0 ? bounce : NULL;
  def.inside = (int)fuzz_choose(c, 3) - 1;
  if (w->wild && fuzz_choose(c, 16) == 15) def.leave_positive = fuzz_choose(c, GUARDS);
  bool is_formula = fuzz_choose(c, 4) == 0;
  if (is_formula) {
    def.formula = formula;
    def.formula_length = w->wild ? fuzz_choose(c, 5) : 3;
    for (size_t k = 0; k < def.formula_length; k++)
      formula[k] = (int)fuzz_choose(c, GUARDS + 4) - 4;
    if (!w->wild) { /* of two that are there */
      formula[0] = (int)fuzz_choose(c, w->nguards + 1);
      formula[1] = (int)fuzz_choose(c, w->nguards + 1);
      formula[2] = fuzz_choose(c, 2) == 0 ? BRINK_AND : BRINK_OR;
    }
  }
  known value = is_formula ? (known){.off = INFINITY} : pick(w);
  size_t at = is_formula ? brink_builder_formula(w->builder, &def)
                         : brink_builder_guard(w->builder, &def, value.ex);
  if (at == BRINK_NONE) return;
  if (at != w->nguards) abort();
  if (w->nguards < GUARDS) w->guards[w->nguards] = value;
  w->nguards++;
}

/* Two derivatives of a state, and one of what is no state, are mistakes. */
static void derive(world *w, size_t state, known slope) {
  bool fine = state < w->nstates && !w->derived[state];
  if (!fine && !w->wild) return;
  brink_builder_derivative(w->builder, state < w->nstates ? w->states[state].ex : pick(w).ex,
                           slope.ex);
  if (fine) w->slopes[state] = slope, w->derived[state] = true;
}

static void describe(world *w) {
  fuzz_choices *c = &w->choices;
  size_t what = fuzz_choose(c, 16);
  if (what < 4) put(w, leaf(w));
  if (what >= 4 && what < 7)
    put(w, one(&ones[fuzz_choose(c, sizeof ones / sizeof ones[0])], pick(w)));
  if (what >= 7 && what < 11) {
    const two_function *f = &twos[fuzz_choose(c, sizeof twos / sizeof twos[0])];
    known a = pick(w);
    put(w, two(f, a, pick(w)));
  }
  if (what == 11) put(w, constants(w));
  if (what == 12) put(w, select_one(w));
  if (what == 13 && w->nguards < GUARDS) guard(w);
  if (what == 14) {
    size_t of = fuzz_choose(c, GUARDS);
    if (of < w->nguards || w->wild)
      put(w, (known){.ex = brink_builder_sign(w->builder, of), .off = INFINITY});
  }
  if (what == 15) derive(w, fuzz_choose(c, STATES), pick(w));
}

/* ---- runs ---- */

static bool agrees(double value, known k) {
  return !isfinite(k.off) || fabs(value - k.value) <= 1e3 * (k.off + DBL_EPSILON * fabs(k.value));
}

/* Values at the start, asked of the callbacks that were made. */
static void check_values(const world *w, const brink_model *model, const brink_sim *sim) {
  const brink_model_def *def = &model->def;
  double dx[STATES], g;
  brink_env env = {.p = brink_sim_parameters(sim),
                   .mode = brink_sim_modes(sim),
                   .sgn = brink_sim_signs(sim),
                   .user = def->user};
  if (def->nx != w->nstates || brink_sim_time(sim) != w->t0) abort();
  if (def->rhs(w->t0, brink_sim_state(sim), &env, dx) == 0)
    for (size_t k = 0; k < def->nx; k++)
      if (!agrees(dx[k], w->slopes[k])) abort();
  for (size_t k = 0; k < def->nguards && k < GUARDS; k++)
    if (model->guards[k].def.value != NULL &&
        model->guards[k].def.value(k, w->t0, brink_sim_state(sim), &env, &g) == 0 &&
        !agrees(g, w->guards[k]))
      abort();
}

static brink_sim *start(const world *w, const brink_built *built, const brink_options *options) {
  brink_sim *sim = NULL;
  brink_diag diag = {0};
  brink_status status = brink_sim_create(brink_built_model(built), options, NULL, &diag, &sim);
  fuzz_check_refusal(status, &diag);
  if ((status == BRINK_OK) != (sim != NULL)) abort();
  if (sim != NULL) check_values(w, brink_built_model(built), sim);
  return sim;
}

static brink_built *finish(const world *w, const brink_build_options *how) {
  brink_built *built = NULL;
  brink_diag diag = {0};
  brink_status status = brink_builder_finish(w->builder, how, &diag, &built);
  fuzz_check_refusal(status, &diag);
  if ((status == BRINK_OK) != (built != NULL)) abort();
  return built;
}

static void run_both(world *w) {
  fuzz_choices *c = &w->choices;
  brink_options options = brink_default_options();
  brink_build_options how = brink_default_build();
  brink_diag diag = {0};
  options.method = (brink_method)fuzz_choose(c, 11);
  options.events = (brink_events)fuzz_choose(c, 5);
  options.rtol = 1e-5, options.atol = 1e-7, options.step = 0.125;
  options.audit = true;
  options.max_steps = STEPS;
  how.interpret = true;
  how.jacobian = fuzz_choose(c, 2) == 1;
  how.series = fuzz_choose(c, 4) > 0;
  double until = w->t0 + fuzz_number(c);
  brink_built *built[2] = {finish(w, &how), finish(w, &how)};
  if ((built[0] == NULL) != (built[1] == NULL)) abort();
  brink_sim *sims[2] = {NULL, NULL};
  for (int k = 0; k < 2 && built[k] != NULL; k++) sims[k] = start(w, built[k], &options);
  if ((sims[0] == NULL) != (sims[1] == NULL)) abort();
  if (sims[0] != NULL) {
    brink_status status = brink_sim_run(sims[0], until, &diag);
    fuzz_check_refusal(status, &diag);
    if (status < 0 && diag.reason == BRINK_REASON_GUARD_CONTRADICTS)
      abort(); /* an event was lost */
    if (brink_sim_run(sims[1], until, NULL) != status) abort();
    if (memcmp(brink_sim_state(sims[0]), brink_sim_state(sims[1]), w->nstates * sizeof(double)) !=
        0)
      abort();
  }
  for (int k = 0; k < 2; k++) {
    brink_sim_destroy(sims[k]);
    brink_built_destroy(built[k]);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  world w = {.choices = {data, data + size}};
  if (brink_builder_create("fuzz", NULL, NULL, &w.builder) != BRINK_OK) abort();
  size_t how = fuzz_choose(&w.choices, 8);
  w.wild = how == 7;
  if (w.wild && brink_builder_create("other", NULL, NULL, &w.other) != BRINK_OK) abort();
  w.t0 = how >= 5 ? ((double)how - 5.0) / 4.0 : 0.0;
  brink_model_def rest = brink_default_model();
  rest.t0 = w.t0;
  brink_builder_callbacks(w.builder, &rest);
  for (size_t k = 0; k < POOL; k++) { /* two states, and numbers */
    double value = (double)k / 4.0;
    known *made = &w.pool[k];
    made->value = value;
    if (k < 2) {
      made->ex = brink_builder_state(w.builder, k == 0 ? "x" : "y", value);
      w.states[w.nstates++] = *made;
    } else
      made->ex = brink_builder_number(w.builder, value);
  }
  for (int k = 0; k < CALLS && fuzz_more(&w.choices); k++) {
    if (fuzz_choose(&w.choices, 16) == 15)
      run_both(&w); /* and described further */
    else
      describe(&w);
  }
  for (size_t k = 0; k < w.nstates; k++) /* without one it would be refused */
    if (!w.derived[k]) derive(&w, k, w.pool[(w.made + k) % POOL]);
  run_both(&w);
  brink_builder_destroy(w.other);
  brink_builder_destroy(w.builder);
  return 0;
}
