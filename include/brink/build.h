/* brink/build.h: describe a model by expressions, and leave its derivatives to the library.
 *
 * A callback computes numbers; nobody can look inside. An expression can be differentiated. So where
 * a model is built from expressions, the simulator has everything it could ask for, exact and without
 * another line from you: the Taylor series of the solution, the Jacobian, and of every guard the
 * gradient, the series, the degree and bounds of how fast it can change. And it runs as machine code.
 *
 *     brink_builder *b;
 *     brink_builder_create("oscillator", NULL, &diag, &b);
 *     brink_ex x = brink_builder_state(b, "x", 1.0), v = brink_builder_state(b, "v", 0.0);
 *     brink_ex k = brink_builder_parameter(b, "k", 4.0);
 *     brink_builder_derivative(b, x, v);                                       // x' = v
 *     brink_builder_derivative(b, v, brink_ex_neg(brink_ex_mul(k, x)));        // v' = -k x
 *     brink_guard_def centre = brink_default_guard("centre");
 *     brink_builder_guard(b, &centre, x);                                      // an event where x = 0
 *     brink_built *built;
 *     brink_builder_finish(b, NULL, &diag, &built);
 *     brink_sim_create(brink_built_model(built), &options, NULL, &diag, &sim);
 *
 * Conventions
 *   - Only brink_builder_create and brink_builder_finish return a status. Mistakes in between are
 *     remembered: brink_builder_finish reports the first one, by the name of what is concerned. A
 *     NULL builder is a mistake without a place to remember it: the calls do nothing.
 *   - States, parameters, modes and guards are numbered in the order of their creation, each kind
 *     from 0. By these numbers your actions find them: now->x[0], now->p[0], now->mode[0].
 *   - Names and definitions are copied.
 *   - A builder belongs to one thread at a time. */
#ifndef BRINK_BUILD_H
#define BRINK_BUILD_H

#include <brink/brink.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct brink_builder brink_builder;

/* `name` is the model's. All memory, also that of what is built, comes from `allocator`. Statuses:
 * ARGUMENT, MEMORY. */
BRINK_API brink_status brink_builder_create(const char *name, const brink_allocator *allocator,
                                            brink_diag *diag, brink_builder **builder);
/* What was built does not need its builder any more. NULL is fine. */
BRINK_API void brink_builder_destroy(brink_builder *builder);

/* ---------------------------------------------------------------------------- expressions ----- */

/* An expression: a small value, to be copied and forgotten at will, usable in any number of places
 * while its builder lives. Equal expressions are one, however often they are written: what they have in
 * common is computed once. Zeroed, it is no expression. */
typedef struct brink_ex {
  brink_builder *builder;
  uint32_t node;
} brink_ex;

/* A state and its first value. It needs one derivative. */
BRINK_API brink_ex brink_builder_state(brink_builder *builder, const char *name, double start);
BRINK_API void brink_builder_derivative(brink_builder *builder, brink_ex state, brink_ex value);

/* A number that actions and brink_sim_set_parameter may change. (What never changes is better a
 * number: a guard that is linear with coefficients of numbers is the cheapest there is.) */
BRINK_API brink_ex brink_builder_parameter(brink_builder *builder, const char *name, double value);

/* A mode, as a number. Like parameters it is constant during a step. */
BRINK_API brink_ex brink_builder_mode(brink_builder *builder, const char *name, int start);

BRINK_API brink_ex brink_builder_number(brink_builder *builder, double value);
BRINK_API brink_ex brink_builder_time(brink_builder *builder);

/* Functions of one and of two expressions: function, operator inside, meaning. They are those of
 * <math.h>, and undefined where those are: a step that would lead there is shortened. Relations are 1
 * where they hold and 0 where they do not; 0 is false, every other number true. */
#define BRINK_EX_ONE_LIST(X)                                                                       \
  X(brink_ex_neg, NEG, "-a")                                                                       \
  X(brink_ex_abs, ABS, "|a|")                                                                      \
  X(brink_ex_sqrt, SQRT, "sqrt(a)")                                                                \
  X(brink_ex_exp, EXP, "exp(a)")                                                                   \
  X(brink_ex_log, LOG, "log(a)")                                                                   \
  X(brink_ex_log10, LOG10, "log10(a)")                                                             \
  X(brink_ex_sin, SIN, "sin(a)")                                                                   \
  X(brink_ex_cos, COS, "cos(a)")                                                                   \
  X(brink_ex_tan, TAN, "tan(a)")                                                                   \
  X(brink_ex_asin, ASIN, "asin(a)")                                                                \
  X(brink_ex_acos, ACOS, "acos(a)")                                                                \
  X(brink_ex_atan, ATAN, "atan(a)")                                                                \
  X(brink_ex_sinh, SINH, "sinh(a)")                                                                \
  X(brink_ex_cosh, COSH, "cosh(a)")                                                                \
  X(brink_ex_tanh, TANH, "tanh(a)")                                                                \
  X(brink_ex_not, NOT, "not a")

#define BRINK_EX_TWO_LIST(X)                                                                       \
  X(brink_ex_add, ADD, "a + b")                                                                    \
  X(brink_ex_sub, SUB, "a - b")                                                                    \
  X(brink_ex_mul, MUL, "a b")                                                                      \
  X(brink_ex_div, DIV, "a / b")                                                                    \
  X(brink_ex_pow, POW, "a to the power b")                                                         \
  X(brink_ex_atan2, ATAN2, "the angle of the point (b, a)")                                        \
  X(brink_ex_hypot, HYPOT, "sqrt(a a + b b)")                                                      \
  X(brink_ex_min, MIN, "the smaller one")                                                          \
  X(brink_ex_max, MAX, "the larger one")                                                           \
  X(brink_ex_lt, LT, "a < b")                                                                      \
  X(brink_ex_le, LE, "a <= b")                                                                     \
  X(brink_ex_eq, EQ, "a == b")                                                                     \
  X(brink_ex_ne, NE, "a != b")                                                                     \
  X(brink_ex_and, AND, "a and b")                                                                  \
  X(brink_ex_or, OR, "a or b")

#define BRINK_EX_ONE(function, id, meaning) BRINK_API brink_ex function(brink_ex a);
#define BRINK_EX_TWO(function, id, meaning) BRINK_API brink_ex function(brink_ex a, brink_ex b);
BRINK_EX_ONE_LIST(BRINK_EX_ONE)
BRINK_EX_TWO_LIST(BRINK_EX_TWO)
#undef BRINK_EX_ONE
#undef BRINK_EX_TWO

/* factor a; a + value; a a. */
BRINK_API brink_ex brink_ex_scale(brink_ex a, double factor);
BRINK_API brink_ex brink_ex_add_constant(brink_ex a, double value);
BRINK_API brink_ex brink_ex_square(brink_ex a);

/* `yes` where the condition holds, else `no`; the other one may be undefined there.
 *
 * Expressions make no events of their own. A condition on modes and signs is constant during a step,
 * and always fine. One on time or states switches in the midst of a step, and so do abs, min and max:
 * there the derivative jumps, and a series that was made before the switch knows nothing of it. So give
 * such a place a guard, and let the condition read its sign: instead of select(lt(x, 0), a, b)
 *
 *     size_t g = brink_builder_guard(b, &kink, x);
 *     brink_ex_select(brink_ex_lt(brink_builder_sign(b, g), zero), a, c) */
BRINK_API brink_ex brink_ex_select(brink_ex condition, brink_ex yes, brink_ex no);

/* --------------------------------------------------------------------------------- guards ----- */

/* A guard whose value is an expression; returns its index (BRINK_NONE after a mistake). Of the
 * definition these are read: name, side, direction, priority, surface, action, on_surface,
 * leave_positive, leave_negative, inside. What describes the value (depends, coefficients, offset,
 * time_coefficient, value, gradient, jet, degree, lipschitz, lipschitz_time, formula, reads_signs) comes
 * from the expression: leave it as brink_default_guard made it. */
BRINK_API size_t brink_builder_guard(brink_builder *builder, const brink_guard_def *def,
                                     brink_ex value);

/* A guard that is a formula over others (def->formula; they may be created later). */
BRINK_API size_t brink_builder_formula(brink_builder *builder, const brink_guard_def *def);

/* The locked sign of a guard that exists: -1, 0 (on the surface) or 1, constant during a step. */
BRINK_API brink_ex brink_builder_sign(brink_builder *builder, size_t guard);

/* What else happens, as callbacks. Of `rest` (from brink_default_model) these are read: t0, enabled,
 * nclocks, clocks, rules, zeno, strict_surfaces, user. The name is the builder's, and everything else
 * must be unset: it comes from the expressions. The last call counts. `user` is also what the actions of
 * guards receive. */
BRINK_API void brink_builder_callbacks(brink_builder *builder, const brink_model_def *rest);

/* ------------------------------------------------------------------------------ the model ----- */

/* brink_default_build() fills in the defaults given here. */
typedef struct brink_build_options {
  size_t size;       /* sizeof(brink_build_options) */
  bool interpret;    /* no compiler is called: slower to run, ready at once; false */
  const char *cache; /* directory for machine code, kept for the next time; NULL: $BRINK_CACHE, or
                        brink in the user's cache directory */
  bool series;   /* the Taylor series of the solution, for BRINK_TAYLOR and BRINK_TAYLOR2; true */
  double rtol;   /* of the runs to come: machine code for series is shorter and faster if it is
                        known, but a run with a smaller one fails; 0: any */
  bool jacobian; /* df/dx, for implicit methods; without it they take differences; false */
} brink_build_options;

BRINK_API void brink_build_defaults(brink_build_options *options, size_t size);

static inline brink_build_options brink_default_build(void) {
  brink_build_options options;
  brink_build_defaults(&options, sizeof options);
  return options;
}

/* A model, and everything its callbacks work with. It belongs to one simulation at a time: for sims in
 * several threads, or several sims that take turns, finish the same builder several times. */
typedef struct brink_built brink_built;

/* Makes a model of what was described so far; `options` NULL: the defaults. The builder does not change:
 * it may be finished again, or described further, or destroyed. Where no compiler works the model is
 * interpreted: to the same bits, only slower.
 * Statuses: ARGUMENT, MEMORY. */
BRINK_API brink_status brink_builder_finish(const brink_builder *builder,
                                            const brink_build_options *options, brink_diag *diag,
                                            brink_built **built);
/* After all sims of its model. NULL is fine. */
BRINK_API void brink_built_destroy(brink_built *built);

/* Lives as long as `built`. */
BRINK_API const brink_model *brink_built_model(const brink_built *built);

/* What runs it: "interpreter", the compiler that was called ("cc"), or "cache"; and the seconds that
 * making or finding the machine code took. */
BRINK_API const char *brink_built_engine(const brink_built *built);
BRINK_API double brink_built_compile_seconds(const brink_built *built);

#ifdef __cplusplus
}
#endif

#endif
