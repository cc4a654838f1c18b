/* brink.h: simulate hybrid systems, and never look past a guard.
 *
 * A hybrid system is a set of differential equations that switch. You describe it once, as a
 * `brink_model`: a right-hand side, guards (functions of time and state whose zeros are events),
 * actions, clocks. A `brink_sim` then moves a state of your model through time:
 *
 *     brink_model_def def = brink_default_model();
 *     def.nx = 2;  def.x0 = x0;  def.rhs = rhs;
 *     def.nguards = 1;  def.guards = &floor;
 *     brink_model_create(&def, NULL, &diag, &model);
 *     brink_options options = brink_default_options();
 *     brink_sim_create(model, &options, NULL, &diag, &sim);
 *     brink_sim_run(sim, 10.0, &diag);
 *
 * Where a guard is `BRINK_UNILATERAL` and events are found by `BRINK_EXTRAPOLATE` (the default),
 * the right-hand side is never evaluated on the far side of it: not in a trial step, not in a
 * start-up step, not when the first step size is chosen, not when the event is located.
 *
 * Conventions
 *   - A model is const once made and may be shared by threads; a sim belongs to one thread at a
 * time.
 *   - Every function that can fail returns a status: 0 and positive are outcomes, negative is
 *     failure. `diag` is owned by the caller, may be NULL, and says what went wrong, where, and
 *     what to change.
 *   - Your callbacks return 0 for success, a positive number to refuse (the step is shortened and
 *     tried again), a negative number to end the run.
 *   - From inside a callback a sim may be read, and nothing else: calls that move, change or copy it, or that make
 *     something go along with it, return ARGUMENT, and those that destroy it or what goes along do nothing. What is read
 *     in a sink is the present; in other callbacks it is the state of the last accepted step. A callback
 *     returns: one that leaves by longjmp or by an exception leaves the sim under way, for ever.
 *   - A definition struct begins with its own size, so that a library can tell what a program knows that
 *     was compiled with an older header. brink_default_…() sets it, with the defaults of all members; a
 *     definition written out by hand begins with .size = sizeof(type). A size of 0, or one larger than
 *     the library knows, is refused.
 *   - Nothing in the library prints, exits, or keeps mutable global state. Memory is taken when
 *     objects are made; stepping takes none. */
#ifndef BRINK_BRINK_H
#define BRINK_BRINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define BRINK_API
#else
#define BRINK_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. BRINK_VERSION_NUMBER can be compared: #if BRINK_VERSION_NUMBER >= 300 for 0.3.0. */
#define BRINK_VERSION_MAJOR 0
#define BRINK_VERSION_MINOR 1
#define BRINK_VERSION_PATCH 0
#define BRINK_VERSION "0.1.0"
#define BRINK_VERSION_NUMBER                                                                       \
  (BRINK_VERSION_MAJOR * 10000 + BRINK_VERSION_MINOR * 100 + BRINK_VERSION_PATCH)

/* The version of the library that is linked: "0.1.0". It may be newer than the header (VERSIONING.md). */
BRINK_API const char *brink_version(void);

/* ---------------------------------------------------------------- statuses and diagnostics ---- */

/* name, value, what it means */
#define BRINK_STATUS_LIST(X)                                                                       \
  X(BRINK_OK, 0, "ok")                                                                             \
  X(BRINK_STEPPED, 1, "a step was accepted")                                                       \
  X(BRINK_EVENT, 2, "one or more events happened at the present time")                             \
  X(BRINK_TIME_REACHED, 3, "the time asked for was reached")                                       \
  X(BRINK_STOPPED, 4, "an action asked the run to stop")                                           \
  X(BRINK_CANCELLED, 5, "the run was cancelled from outside")                                      \
  X(BRINK_ERR_ARGUMENT, -1, "an argument or a definition is wrong")                                \
  X(BRINK_ERR_MEMORY, -2, "out of memory")                                                         \
  X(BRINK_ERR_CALLBACK, -3, "a callback reported a fatal error")                                   \
  X(BRINK_ERR_DOMAIN, -4, "the model is not defined at the present state")                         \
  X(BRINK_ERR_STEP, -5, "the step size fell below what time can resolve")                          \
  X(BRINK_ERR_BLOCKED, -6, "a unilateral surface was reached and nothing leads away from it")      \
  X(BRINK_ERR_LOOP, -7, "events at one instant do not settle")                                     \
  X(BRINK_ERR_ZENO, -8, "infinitely many events in finite time")                                   \
  X(BRINK_ERR_SLIDING, -9, "sliding on more than one surface at once")                             \
  X(BRINK_ERR_WORK, -10, "the step limit was reached")                                             \
  X(BRINK_ERR_UNSUPPORTED, -11, "this combination is not supported")                               \
  X(BRINK_ERR_MODEL, -12, "the text of the model has errors")                                      \
  X(BRINK_ERR_FILE, -13, "a file could not be read or written")                                    \
  X(BRINK_ERR_CONSTRAINT, -14, "the constraints have no solution, or more than one")

typedef enum brink_status {
#define BRINK_STATUS_ENUM(name, value, text) name = value,
  BRINK_STATUS_LIST(BRINK_STATUS_ENUM)
#undef BRINK_STATUS_ENUM
} brink_status;

/* The meaning of a status in words; never NULL. */
BRINK_API const char *brink_status_text(brink_status status);

#define BRINK_NONE ((size_t)-1)
#define BRINK_DIAG_MESSAGE 512
#define BRINK_DIAG_GUARDS 4
#define BRINK_DIAG_EQUATIONS 8

/* Why something failed: enumerator, a stable slug for programs, the status it belongs to. What each one carries is said
 * behind it, in the names of brink_diag; t and h come with every failure of a run. */
#define BRINK_REASON_LIST(X)                                                                       \
  X(BRINK_REASON_NONE, "none", BRINK_OK)                                                           \
  /* refused; the message says what and why */                                                     \
  X(BRINK_REASON_ARGUMENT, "bad-argument", BRINK_ERR_ARGUMENT)                                     \
  X(BRINK_REASON_DEFINITION, "bad-definition", BRINK_ERR_ARGUMENT)                                 \
  X(BRINK_REASON_OPTION, "bad-option", BRINK_ERR_ARGUMENT)                                         \
  X(BRINK_REASON_MEMORY, "out-of-memory", BRINK_ERR_MEMORY)                                        \
  X(BRINK_REASON_UNSUPPORTED, "unsupported", BRINK_ERR_UNSUPPORTED)                                \
  X(BRINK_REASON_TIME_NOT_FINITE, "time-not-finite", BRINK_ERR_ARGUMENT) /* value */               \
  X(BRINK_REASON_TIME_BACKWARDS, "time-backwards", BRINK_ERR_ARGUMENT)   /* value */               \
  /* callbacks; who: guard, clock, or neither (the rules) */                                       \
  X(BRINK_REASON_STOP_TEXT, "stop-text", BRINK_STOPPED)              /* text: its own */           \
  X(BRINK_REASON_ACTION_TEXT, "action-text", BRINK_ERR_CALLBACK)     /* text: its own */           \
  X(BRINK_REASON_ACTION_FAILED, "action-failed", BRINK_ERR_CALLBACK) /* who, count: returned */    \
  X(BRINK_REASON_ACTION_STATE, "action-state", BRINK_ERR_CALLBACK)   /* who, state, value */       \
  X(BRINK_REASON_ACTION_PARAMETER, "action-parameter", BRINK_ERR_CALLBACK) /* who, parameter */    \
  X(BRINK_REASON_ZENO_FAILED, "zeno-action-failed", BRINK_ERR_CALLBACK)    /* guard, count */      \
  X(BRINK_REASON_RHS_FAILED, "rhs-failed", BRINK_ERR_CALLBACK)                                     \
  X(BRINK_REASON_GUARD_FAILED, "guard-failed", BRINK_ERR_CALLBACK) /* guard */                     \
  /* where the model is not defined */                                                             \
  X(BRINK_REASON_PAST_GUARD, "past-guard", BRINK_ERR_DOMAIN)   /* guard */                         \
  X(BRINK_REASON_RHS_REFUSED, "rhs-refused", BRINK_ERR_DOMAIN) /* an edge passed: guard, value */  \
  X(BRINK_REASON_RHS_NOT_FINITE, "rhs-not-finite", BRINK_ERR_DOMAIN)   /* state; likewise */       \
  X(BRINK_REASON_GUARD_UNDEFINED, "guard-undefined", BRINK_ERR_DOMAIN) /* guard */                 \
  X(BRINK_REASON_SIDE_UNDEFINED, "side-undefined", BRINK_ERR_DOMAIN)   /* guard */                 \
  X(BRINK_REASON_START_VALUE, "start-value", BRINK_ERR_DOMAIN)         /* text: a name; value */   \
  /* no step is small enough */                                                                    \
  X(BRINK_REASON_GUARD_ENDS, "guard-ends", BRINK_ERR_STEP)         /* guard */                     \
  X(BRINK_REASON_STEP_TOLERANCE, "step-tolerance", BRINK_ERR_STEP) /* state, limit: of the step */ \
  X(BRINK_REASON_STEP_OVERFLOW, "step-overflow", BRINK_ERR_STEP)   /* likewise, as the next two */ \
  X(BRINK_REASON_STEP_UNDEFINED, "step-undefined", BRINK_ERR_STEP)                                 \
  X(BRINK_REASON_STEP_SINGULAR, "step-singular", BRINK_ERR_STEP)                                   \
  /* surfaces */                                                                                   \
  X(BRINK_REASON_BLOCKED, "blocked", BRINK_ERR_BLOCKED)           /* guard */                      \
  X(BRINK_REASON_PAIR_BLOCKED, "pair-blocked", BRINK_ERR_BLOCKED) /* guard, agents */              \
  X(BRINK_REASON_TANGLED, "sliding-tangled", BRINK_ERR_SLIDING)   /* guards: two */                \
  X(BRINK_REASON_LAW_LEAVES, "law-leaves", BRINK_ERR_SLIDING) /* guard, value: its rate, state */  \
  /* an instant without an end, infinitely many instants */                                        \
  X(BRINK_REASON_CONDITIONS_LOOP, "conditions-loop", BRINK_ERR_LOOP) /* count: rounds */           \
  X(BRINK_REASON_SIGNS_LOOP, "signs-loop", BRINK_ERR_LOOP)           /* count: rounds */           \
  X(BRINK_REASON_EVENTS_LOOP, "events-loop", BRINK_ERR_LOOP)         /* count: rounds; guards */   \
  X(BRINK_REASON_RULES_LOOP, "rules-loop", BRINK_ERR_LOOP)           /* count: rounds */           \
  X(BRINK_REASON_TIMER_LOOP, "timer-loop", BRINK_ERR_LOOP)           /* clock */                   \
  X(BRINK_REASON_STUCK, "stuck", BRINK_ERR_LOOP)                                                   \
  X(BRINK_REASON_STUCK_TIMER, "stuck-timer", BRINK_ERR_LOOP)                                       \
  X(BRINK_REASON_STUCK_GUARD, "stuck-guard", BRINK_ERR_LOOP)       /* guard */                     \
  X(BRINK_REASON_STUCK_AGENT, "stuck-agent", BRINK_ERR_LOOP)       /* agent */                     \
  X(BRINK_REASON_STUCK_PAIR, "stuck-pair", BRINK_ERR_LOOP)         /* guard, agents */             \
  X(BRINK_REASON_ZENO, "zeno", BRINK_ERR_ZENO)                     /* guards; t: the limit */      \
  X(BRINK_REASON_ZENO_LIMIT, "zeno-without-limit", BRINK_ERR_ZENO) /* likewise; asked to go on */  \
  X(BRINK_REASON_ZENO_AGENT, "zeno-agent", BRINK_ERR_ZENO)         /* agent */                     \
  X(BRINK_REASON_ZENO_PAIR, "zeno-pair", BRINK_ERR_ZENO)           /* guard, agents */             \
  /* constraints; equations: of these, states: components of x */                                  \
  X(BRINK_REASON_STRUCTURE, "structure", BRINK_ERR_CONSTRAINT) /* text: its own */                 \
  X(BRINK_REASON_DEPENDENT, "dependent", BRINK_ERR_CONSTRAINT) /* equations, states */             \
  X(BRINK_REASON_CONTRADICTED, "contradicted",                                                     \
    BRINK_ERR_CONSTRAINT) /* equations, states, value */                                           \
  X(BRINK_REASON_UNSOLVED, "unsolved",                                                             \
    BRINK_ERR_CONSTRAINT) /* equations, states, value: residual */                                 \
  X(BRINK_REASON_OUT_OF_RANGE, "out-of-range", BRINK_ERR_CONSTRAINT) /* states, value, limit */    \
  X(BRINK_REASON_NO_IMPULSE, "no-impulse", BRINK_ERR_CONSTRAINT) /* equations, states, value */    \
  X(BRINK_REASON_ASSIGNED, "assigned", BRINK_ERR_CONSTRAINT)     /* equations, states, value */    \
  X(BRINK_REASON_IMPULSE, "impulse", BRINK_ERR_CONSTRAINT) /* states: unknown, x', what jumps */   \
  X(BRINK_REASON_CONSTRAINT_UNDEFINED, "constraint-undefined", BRINK_ERR_CONSTRAINT)               \
  X(BRINK_REASON_STRUCTURES_LOOP, "structures-loop", BRINK_ERR_CONSTRAINT) /* count: rounds */     \
  /* limits */                                                                                     \
  X(BRINK_REASON_MAX_STEPS, "max-steps", BRINK_ERR_WORK)          /* count */                      \
  X(BRINK_REASON_MAX_TURNS, "max-turns", BRINK_ERR_WORK)          /* count, of agents */           \
  X(BRINK_REASON_MAX_SLIDES, "max-slides", BRINK_ERR_UNSUPPORTED) /* count, limit: of an agent */  \
  /* delayed signals; text: which one */                                                           \
  X(BRINK_REASON_DELAY_RANGE, "delay-range", BRINK_ERR_DOMAIN)     /* text, value: lag, limit */   \
  X(BRINK_REASON_DELAY_HISTORY, "delay-history", BRINK_ERR_DOMAIN) /* text */                      \
  X(BRINK_REASON_DELAY_VALUE, "delay-value", BRINK_ERR_DOMAIN)     /* text */                      \
  X(BRINK_REASON_DELAY_MEMORY, "delay-memory", BRINK_ERR_MEMORY)                                   \
  X(BRINK_REASON_TIMER_PAST, "timer-past", BRINK_ERR_CALLBACK) /* guard, value: its time */        \
  /* functions of inputs (brink_hsml_set_function); t: where they were asked; text: the input */   \
  X(BRINK_REASON_INPUT_FAILED, "input-failed", BRINK_ERR_CALLBACK)     /* text, count: returned */ \
  X(BRINK_REASON_INPUT_UNDEFINED, "input-undefined", BRINK_ERR_DOMAIN) /* text, value */           \
  /* no step that time resolves is small enough */                                                 \
  X(BRINK_REASON_STEP_RESOLUTION, "step-resolution", BRINK_ERR_STEP) /* state, limit, value=ulp */ \
  /* found by an audit: past its surface without an event; its callbacks contradict themselves */  \
  X(BRINK_REASON_GUARD_CONTRADICTS, "guard-contradicts", BRINK_ERR_CALLBACK) /* guard, value */

typedef enum brink_reason {
#define BRINK_REASON_ENUM(name, slug, status) name,
  BRINK_REASON_LIST(BRINK_REASON_ENUM)
#undef BRINK_REASON_ENUM
} brink_reason;

/* The slug of a reason, and the status that it belongs to; never NULL. */
BRINK_API const char *brink_reason_name(brink_reason reason);
BRINK_API brink_status brink_reason_status(brink_reason reason);

/* What went wrong, where, and what to change. Fields that do not apply are NaN, BRINK_NONE, 0 or empty. A program that
 * has words of its own for guards and callbacks makes its message of the reason and the fields. */
typedef struct brink_diag {
  brink_status status;
  brink_reason reason;
  double t;                         /* time */
  double h;                         /* step size */
  size_t state;                     /* index of the state concerned */
  size_t parameter;                 /* of the parameter */
  size_t guard;                     /* of the guard */
  size_t guards[BRINK_DIAG_GUARDS]; /* where several are concerned: the first of them */
  size_t nguards;
  size_t clock;         /* index of the clock concerned */
  double value, limit;  /* a number that was found; one that it is compared with */
  int64_t count;        /* rounds, steps, or what a callback returned */
  size_t population[2]; /* of agents: whose; the second where two meet */
  size_t agent[2];      /* index in the population */
  /* Constraints: their numbers, how often each was differentiated; components of x. The first of them. */
  size_t equations[BRINK_DIAG_EQUATIONS], states[BRINK_DIAG_EQUATIONS];
  int orders[BRINK_DIAG_EQUATIONS];
  double values[BRINK_DIAG_EQUATIONS]; /* BRINK_REASON_UNSOLVED: where the search for them ended */
  size_t nequations, nstates;
  char text[BRINK_DIAG_MESSAGE];    /* a callback's own words, or a name that has no index */
  char message[BRINK_DIAG_MESSAGE]; /* all of it in words */
} brink_diag;

/* Where memory comes from. NULL wherever one is asked for means malloc and free. `allocate` may
 * return NULL; `release` takes what `allocate` gave, and its size. */
typedef struct brink_allocator {
  void *(*allocate)(size_t size, void *user);
  void (*release)(void *memory, size_t size, void *user);
  void *user;
} brink_allocator;

/* --------------------------------------------------------------------------- the model -------- */

/* What is held constant during a step. Callbacks read it. */
typedef struct brink_env {
  const double *p;        /* parameters */
  const int *mode;        /* modes */
  const signed char *sgn; /* locked sign of each guard: -1, 0 (on the surface) or 1 */
  void *user;             /* brink_model_def.user */
} brink_env;

/* Directions in which something is differentiated, for sensitivities: column k of every matrix is one of
 * them. Matrices go by rows, one for each state, parameter or timer: entry (i, k) is at i*count + k. */
typedef struct brink_tangents {
  size_t count;
  const double *t; /* how time changes, for each direction */
  const double *x; /* how states do */
  const double *p; /* how parameters do; NULL: not at all */
} brink_tangents;

/* Directions that an instant carries along: a callback that changes a state, a parameter or a timer
 * changes its row to that of the new value, and says so in `done`. One that leaves `done` alone is called
 * again with values nearby, on copies of what `now` points at, and differences are taken. */
typedef struct brink_carried {
  size_t count;
  const double *t;
  double *x, *p, *timer;
  const double *pre_x, *pre_p; /* of the values before the first event of this instant */
  bool done;                   /* false before the call */
} brink_carried;

/* What an action may change, and the values from before the instant. */
typedef struct brink_now {
  double t;
  double *x;              /* states */
  double *p;              /* parameters */
  int *mode;              /* modes */
  double *timer;          /* next firing time of each clock without period; INFINITY: off */
  const double *pre_x;    /* states before the first event of this instant */
  const int *pre_mode;    /* modes, likewise */
  const double *pre_p;    /* parameters, likewise */
  const signed char *sgn; /* present locked sign of each guard: -1, 0 (on the surface) or 1 */
  char *
      message; /* BRINK_DIAG_MESSAGE characters, empty before the call: what a callback that returns
                    BRINK_STOPPED or a negative number writes here becomes the diagnostic's message */
  brink_carried *carried; /* directions to carry along; NULL: nobody asks */
  bool *
      assigned; /* with constraints: set for each state that is assigned, be it its old value; NULL: nobody asks */
} brink_now;

typedef enum brink_direction {
  BRINK_NEGATIVE = -1, /* the guard falls to zero, or through it */
  BRINK_BOTH = 0,
  BRINK_POSITIVE = 1, /* the guard rises to zero, or through it */
} brink_direction;

typedef enum brink_side {
  BRINK_BILATERAL,  /* stop as close to the surface as possible, on either side; a touch is no event
                     */
  BRINK_UNILATERAL, /* stop on the side the state came from; the right-hand side is never evaluated
                       past the surface; reaching it within the tolerance is an event */
  BRINK_CROSSING,   /* stop just past the surface */
  BRINK_LEAF,       /* no event of its own: a part of a formula */
} brink_side;

/* What holds while the fields on both sides point at the surface. Any number of surfaces may hold the
 * state at once by the model's own law; several of Filippov's kind only if their signs enter the
 * right-hand side as a sum, at most 16. */
typedef enum brink_surface {
  BRINK_SURFACE_FILIPPOV, /* the convex combination of both fields that stays on the surface */
  BRINK_SURFACE_MODEL,    /* the model's own right-hand side, called with sgn = 0 */
} brink_surface;

/* dx/dt = f(t, x). Writes nx values. */
typedef int brink_rhs_fn(double t, const double *x, const brink_env *env, double *dx);

/* The value of one guard. `guard` is its index, so that an array of guards may share a function. */
typedef int brink_guard_fn(size_t guard, double t, const double *x, const brink_env *env,
                           double *g);

/* The gradient of one guard: dx[k] = dg/dx[depends[k]] (all states where depends is NULL), dt =
 * dg/dt. */
typedef int brink_gradient_fn(size_t guard, double t, const double *x, const brink_env *env,
                              double *dx, double *dt);

/* The guard as a truncated power series (see <brink/jet.h>): given the series of t and of every
 * state (order + 1 coefficients each), writes that of g. Only the states it depends on are valid.
 */
typedef int brink_guard_jet_fn(size_t guard, int order, const double *t, const double *const *x,
                               const brink_env *env, double *g);

/* The Taylor series of the solution through (t, x), in units of s = (time - t)/unit: x_i(t + unit s) =
 * sum_k xj[i][k] s^k, k = 0…order. xj[i][0] is x[i] on entry. (With jets, <brink/jet.h>: the series of
 * time is {t, unit, 0, …}, and xj[i][k+1] = unit/(k+1) times coefficient k of dx_i/dt.) Coefficients that
 * do not exist are NaN. */
typedef int brink_flow_jet_fn(int order, double t, double unit, const double *x,
                              const brink_env *env, double *const *xj);

/* Directional derivatives of the right-hand side, row i for dx_i/dt: df/dt, df/dx and df/dp times the
 * directions. Optional, like the two below: without them central differences are taken where somebody asks
 * (sensitivities; nothing else does). */
typedef int brink_rhs_tangent_fn(double t, const double *x, const brink_env *env,
                                 const brink_tangents *along, double *df);

/* The same of a guard's value: one number for each direction. */
typedef int brink_guard_tangent_fn(size_t guard, double t, const double *x, const brink_env *env,
                                   const brink_tangents *along, double *dg);

/* The same of a guard's rate g_x f + g_t, for a field f that is held constant: mixed second derivatives of
 * g, which sliding asks for. */
typedef int brink_rate_tangent_fn(size_t guard, double t, const double *x, const brink_env *env,
                                  const double *f, const brink_tangents *along, double *dr);

/* df/dx as the values of a sparse matrix by columns, pattern as in brink_sparsity. */
typedef int brink_jacobian_fn(double t, const double *x, const brink_env *env, double *values);

/* Is this guard watched in the present modes? */
typedef bool brink_enabled_fn(size_t guard, const brink_env *env);

typedef enum brink_event_kind {
  BRINK_CROSSED, /* the guard reached its surface along the solution */
  BRINK_TOUCHED, /* a unilateral guard came within the tolerance and turned away */
  BRINK_JUMPED,  /* an action, a clock or a mode switch carried the guard across zero */
  BRINK_HELD,    /* the state is held on the surface from now on: on_surface ran */
} brink_event_kind;

typedef struct brink_event {
  size_t guard;
  const char *name;
  double t;
  brink_direction direction;
  brink_event_kind kind;
  double value;  /* of the guard, before any action of its round */
  int iteration; /* 0 for located events, 1, 2, … for those they caused at the same instant */
} brink_event;

/* An action: may change anything `now` points at. Returns 0, BRINK_STOPPED to end the run, negative
 * on a fatal error. */
typedef int brink_action_fn(const brink_event *event, brink_now *now, void *user);

/* A clock's action; `tick` counts from 0. */
typedef int brink_tick_fn(size_t clock, int64_t tick, brink_now *now, void *user);

/* Rules run after the events and clocks of an instant, until they report no change; and again
 * whenever a guard has taken another sign since, so that now->sgn is settled when they come to rest.
 * (A sign that they read should belong to a guard that watches both directions.) */
typedef int brink_rules_fn(brink_now *now, bool *changed, void *user);

/* Called when events accumulate and the run was asked to go on: t and x hold the limit. Put the
 * model into its limit mode. */
typedef int brink_zeno_fn(const size_t *guards, size_t count, brink_now *now, void *user);

/* Initial parameters that follow from other initial values: now->carried comes with the directions that
 * were asked for, and leaves with those that hold. */
typedef int brink_start_tangent_fn(brink_now *now, void *user);

/* Operators of a formula in postfix order; anything >= 0 is the index of a leaf ("leaf >= 0"). */
enum { BRINK_AND = -1, BRINK_OR = -2, BRINK_NOT = -3 };

/* When a guard is watched, where the model has an `enabled`. */
typedef enum brink_watched {
  BRINK_WATCHED_ASKED,    /* `enabled` is asked, and may read everything in its env */
  BRINK_WATCHED_BY_MODES, /* it is asked, and reads no signs */
  BRINK_WATCHED_ALWAYS,   /* it is not asked */
} brink_watched;

/* One guard. brink_default_guard() fills in the defaults given here. Three ways to say what it is:
 *
 *   numbers    coefficients, with offset and time_coefficient:
 *              g = offset + sum c_k x[depends[k]] + c_t t
 *              (a value besides, if the sum is not, bit for bit, what the right-hand side computes: the
 *              numbers then say where to look, the value where the guard is)
 *   callback   value, and as much of gradient, jet, degree as you have
 *   formula    a boolean combination of other guards; positive while it is true
 *
 * A guard that is zero at the start takes its sign from the flow; a unilateral one that watches a single
 * direction and goes out in it is reached at once. */
typedef struct brink_guard_def {
  size_t size;               /* sizeof(brink_guard_def); in an array all have the same */
  const char *name;          /* for messages and records; required */
  brink_side side;           /* BRINK_BILATERAL */
  brink_direction direction; /* which crossings are events; BRINK_BOTH */
  int priority;              /* at one instant, larger first, then by index; 0 */

  const size_t *depends; /* the states it reads; NULL: all */
  size_t ndepends;

  const double *coefficients; /* linear guard by numbers; one for each entry of depends */
  double offset, time_coefficient;

  brink_guard_fn *value;
  brink_gradient_fn *gradient; /* needed by BRINK_EXTRAPOLATE for a unilateral guard without jet */
  brink_guard_jet_fn *jet;
  int degree; /* of g as a polynomial in (t, x): 1 linear, 2 quadratic, …; 0: not a polynomial */
  brink_guard_tangent_fn *tangent;     /* NULL: differences (numbers: as they are) */
  brink_rate_tangent_fn *rate_tangent; /* likewise */

  /* Optional, for speed: |g(t,x) - g(s,y)| <= sum lipschitz[k] |x - y|[depends[k]] + lipschitz_time
   * |t - s| everywhere. A guard that cannot reach zero by these bounds is not even evaluated. */
  const double *lipschitz;
  double lipschitz_time;

  const int *formula; /* postfix: leaf indices and BRINK_AND, BRINK_OR, BRINK_NOT */
  size_t formula_length;

  brink_surface surface;   /* BRINK_SURFACE_FILIPPOV */
  brink_action_fn *action; /* NULL: the event is recorded, nothing changes */

  /* Runs once when the state comes to rest on the surface; an event of kind BRINK_HELD. NULL */
  brink_action_fn *on_surface;
  /* With BRINK_SURFACE_MODEL: guards that let go of the surface, to the side named, when they become
   * positive; BRINK_NONE. If one is given, the state is held at every crossing at which none of them is
   * positive, whatever the fields beside the surface say (static friction above kinetic). They are
   * watched only while the state is held, belong to one surface, and their firing is no event. */
  size_t leave_positive, leave_negative;

  /* The side, -1 or 1, that counts as inside where the guard starts or rests on its surface: leaving to
   * the other one is an event. 0: the flow decides the sign, without an event. A unilateral guard that
   * watches one direction has its inside by that. */
  int inside;

  /* Its value depends on signs of other guards (env->sgn): those are settled first, and it is looked at
   * again when one of them changes; false. */
  bool reads_signs;

  /* A mere condition of the equations, such as the corner of |x|: nothing but its sign is of interest. Where
   * an action carries it across zero, or it begins to be watched, its sign follows at once, before other
   * guards are looked at; that is no event. An action that it has only keeps up what its value is made of:
   * it runs then, too, without an event; false. */
  bool condition;

  /* Another guard that has the same surface: this one's value is a positive multiple of the other's
   * (same_sign 1) or of its negative (-1), everywhere; 0: there is none. The two have one sign, which changes
   * once, and an event of the other is one of this, too. Both watch both directions and are neither leaves
   * nor formulas; the other has no such guard itself, and this one neither a law nor an action on the
   * surface. */
  size_t same_as;
  int same_sign;

  brink_watched watched; /* BRINK_WATCHED_ASKED */

  /* Neither the right-hand side nor its series, nor a constraint, reads this guard's sign: then one field is that of
   * both sides, and the fields of many guards are one. Optional, for speed; false. */
  bool unread;
  /* A leaf of formulas: the side, -1 or 1, that zero counts as while the state rests there: -1 for a > b, 1 for
   * a >= b. 0: none, such a formula has sign 0. */
  int at_zero;
  /* Its value does not depend on time itself: it stands still while the states in `depends` do. Likewise. */
  bool timeless;

  /* A timer: its event happens exactly at the time that parameter `timer` holds, whatever the solution does; nothing
   * is searched for. It has neither numbers nor a value nor a formula, and is never watched. At its event, of kind
   * BRINK_CROSSED and positive direction, it is off (the parameter is INFINITY), and any action may set it: to the
   * present for an event of the next round of this instant, to INFINITY to stop it. An earlier time is an error.
   * false. */
  bool is_timer;
  size_t timer;
} brink_guard_def;

/* Writes the defaults into a definition of `size` bytes. Inline functions like the one below call it with the size that
 * the program was compiled with. */
BRINK_API void brink_guard_defaults(brink_guard_def *def, size_t size);

static inline brink_guard_def brink_default_guard(const char *name) {
  brink_guard_def def;
  brink_guard_defaults(&def, sizeof def);
  def.name = name;
  return def;
}

/* A clock. With a period it ticks at offset + n*period, n = 0, 1, 2, … exactly: period and offset
 * are read as the shortest decimals that denote them, so 3 x 0.1 and 1 x 0.3 are one instant.
 * Without (period 0) it is a timer that actions set through brink_now.timer, first to `offset`. */
typedef struct brink_clock_def {
  size_t size; /* sizeof(brink_clock_def); in an array all have the same */
  const char *name;
  double period, offset;
  int priority;
  brink_tick_fn *tick;
} brink_clock_def;

/* A timer that is set to 0, without an action. */
BRINK_API void brink_clock_defaults(brink_clock_def *def, size_t size);

static inline brink_clock_def brink_default_clock(const char *name) {
  brink_clock_def def;
  brink_clock_defaults(&def, sizeof def);
  def.name = name;
  return def;
}

/* A sparse pattern by columns: rows of column j are rows[starts[j]] … rows[starts[j+1]-1], in any order, each once. */
typedef struct brink_sparsity {
  const size_t *starts;
  const size_t *rows;
} brink_sparsity;

/* ---- constraints ----
 *
 * Of the nx components of x the last nz may be unknowns: constraints determine them, not differential equations. After
 * differentiation, where the constraints tie states, a model has the form
 *
 *     dx_i/dt = rhs_i(t, x)   for the nx - nz states,
 *     0 = g(t, x)             nz rows, which determine the unknowns: their derivatives by these are regular,
 *     0 = h(t, x)             nh rows: invariants, the constraints and derivatives of constraints that tie states.
 *
 * States are integrated, unknowns solved for, and after every step the states are moved onto the invariants by the
 * least change in units of their tolerances. Guards read unknowns like states. Which constraints hold may depend on
 * modes, parameters and signs: each such choice is a structure. HSML models come with all this.
 *
 * What a structure says is checked when a run first meets it: a wrong one ends the run with BRINK_ERR_CONSTRAINT and a
 * message. `equation`, `order`, `tied` and `group` may be NULL. Without `equation` messages do not name constraints,
 * and where states jump by an impulse of the unknowns, constraints that only determine unknowns do not restrict it. */
typedef struct brink_structure {
  int index;             /* 1: constraints determine unknowns only; from 2 on they tie states */
  size_t nh;             /* invariants */
  const size_t *unknown; /* the component of x that row i of g determines; nz of them */
  const size_t
      *block;     /* rows block[b] ... block[b+1]-1 of g are solved together: they read unknowns */
  size_t nblocks; /* of these and of earlier blocks only */
  brink_sparsity pattern; /* of the derivatives of g, then h: nx + 1 columns, the last for time */
  const size_t
      *equation;    /* of each row: the number of its constraint; BRINK_NONE: none of the model's */
  const int *order; /* of each row: how often it was differentiated */
  size_t choice;    /* structures in which the same constraints hold have the same number */
  const size_t *tied;  /* components of x that invariants tie together: tied[group[k]] ... */
  const size_t *group; /* ... tied[group[k+1]-1] */
  size_t ngroups;
  const void *user; /* the model's own */
} brink_structure;

/* How a component of x begins. */
typedef enum brink_initial {
  BRINK_INITIAL_FREE,  /* as the constraints want it; x0 is where the search begins */
  BRINK_INITIAL_GUESS, /* likewise */
  BRINK_INITIAL_FIXED, /* x0 is given */
} brink_initial;

typedef struct brink_constraints_def {
  size_t size; /* sizeof(brink_constraints_def) */
  /* The structure that holds; the pointer stays valid for the life of the model. NULL: it cannot be solved for, and
   * `message` (BRINK_DIAG_MESSAGE characters) says why. */
  const brink_structure *(*structure)(const brink_env *env, char *message);
  /* The values of g, then h. */
  int (*residual)(const brink_structure *structure, double t, const double *x, const brink_env *env,
                  double *r);
  /* Their derivatives in the pattern. NULL: central differences of `residual`, at points that unilateral guards admit;
   * slower, and equations that depend on each other are recognised less surely. */
  int (*derivatives)(const brink_structure *structure, double t, const double *x,
                     const brink_env *env, double *values);
  /* Room, which a run takes at its start; a structure that needs more is refused. All 0: for anything (memory grows with
   * the square of nx), so give them for large models. */
  size_t most_invariants; /* nh of any structure is at most this; counts if most_entries is given */
  size_t most_entries;    /* of its pattern; 0: each row may read everything */
  size_t most_factors;    /* sum of the squares of its blocks' sizes; 0: all may be one block */
  size_t nderived; /* the last of the unknowns are derivatives of others, as structures need them */
  const unsigned char
      *start; /* brink_initial of each component; NULL: states are fixed, unknowns free */
  const double *lo, *hi; /* bounds of each unknown at the start, nz of each; NULL: none */
} brink_constraints_def;

/* Everything is 0 and NULL but the size; structure and residual are required. */
BRINK_API void brink_constraints_defaults(brink_constraints_def *def, size_t size);

static inline brink_constraints_def brink_default_constraints(void) {
  brink_constraints_def def;
  brink_constraints_defaults(&def, sizeof def);
  return def;
}

/* The flat hybrid model. brink_default_model() zeroes everything else; only nx, x0 and rhs are required. With
 * nx = 0, a model of clocks, rules and guards on time alone, x0 and rhs may be NULL. */
typedef struct brink_model_def {
  size_t size; /* sizeof(brink_model_def) */
  const char *name;
  double t0;
  size_t nx, np, nmodes;
  const double *x0;               /* initial states */
  const double *p0;               /* parameters */
  const int *mode0;               /* initial modes; NULL: 0 */
  const char *const *state_names; /* NULL: "x[0]", … */

  brink_rhs_fn *rhs;           /* what it writes for unknowns is ignored */
  brink_flow_jet_fn *flow_jet; /* optional: Taylor coefficients of the solution */
  const int
      *flow_degrees; /* for each state: no coefficient of its series beyond this one, whatever the
                              state and the modes; 0: they go on. NULL: not known */
  double
      flow_work; /* products that coefficient k takes, divided by k; 0: not known. For the order and auto */
  brink_jacobian_fn *jacobian; /* optional, with its pattern */
  brink_sparsity jacobian_pattern;
  brink_rhs_tangent_fn *rhs_tangent; /* optional, for sensitivities */
  brink_start_tangent_fn
      *start_tangent; /* likewise; NULL: initial values do not depend on each other */

  size_t nguards;
  const brink_guard_def *guards;
  brink_enabled_fn *enabled; /* NULL: every guard, always */
  size_t nclocks;
  const brink_clock_def *clocks;
  brink_rules_fn *rules;
  brink_zeno_fn *zeno;

  /* When a unilateral surface is reached and the field still points past it: does an instant lead away
   * that changed something (false), or only one that changed the right-hand side, that is, a parameter or
   * a mode that it reads (true)? */
  bool strict_surfaces;
  struct {
    const bool *x, *p, *mode; /* what the right-hand side and the guards read; NULL: all */
  } reads;

  void *user; /* handed to every callback */

  size_t nz;                                /* unknowns: the last nz of the nx components */
  const brink_constraints_def *constraints; /* that determine them; required if nz > 0 */

  const struct brink_delays *delays; /* delayed signals of models in HSML; else NULL */
} brink_model_def;

BRINK_API void brink_model_defaults(brink_model_def *def, size_t size);

static inline brink_model_def brink_default_model(void) {
  brink_model_def def;
  brink_model_defaults(&def, sizeof def);
  return def;
}

typedef struct brink_model brink_model;

/* Checks a definition and copies it (arrays and names too; `user` is kept as a pointer). The model
 * is immutable: several sims, in several threads, may use it, provided your callbacks may be called
 * from several threads. Statuses: ARGUMENT, MEMORY. */
BRINK_API brink_status brink_model_create(const brink_model_def *def,
                                          const brink_allocator *allocator, brink_diag *diag,
                                          brink_model **model);
BRINK_API void brink_model_destroy(brink_model *model); /* NULL is fine */

/* ------------------------------------------------------------------------- the simulation ----- */

/* name, text */
#define BRINK_METHOD_LIST(X)                                                                       \
  X(BRINK_AUTO, "auto")     /* taylor where the model has series, else adams; see brink_stats */   \
  X(BRINK_ADAMS, "adams")   /* variable step, variable order 1-12, PECE */                         \
  X(BRINK_TAYLOR, "taylor") /* Taylor series of the solution, from brink_model_def.flow_jet */     \
  X(BRINK_DOPRI, "dopri")   /* Runge-Kutta pair 5(4) of Dormand and Prince */                      \
  X(BRINK_EULER, "euler")   /* up to trapezoid: textbook methods at a fixed step */                \
  X(BRINK_TAYLOR2, "taylor2")                                                                      \
  X(BRINK_RK4, "rk4")                                                                              \
  X(BRINK_AM3, "am3")                                                                              \
  X(BRINK_BDF3, "bdf3")                                                                            \
  X(BRINK_TRAPEZOID, "trapezoid")                                                                  \
  X(BRINK_BDF, "bdf") /* stiff: backward differentiation, variable step and order 1-5 */

typedef enum brink_method {
#define BRINK_METHOD_ENUM(name, text) name,
  BRINK_METHOD_LIST(BRINK_METHOD_ENUM)
#undef BRINK_METHOD_ENUM
} brink_method;

/* name, text */
#define BRINK_EVENTS_LIST(X)                                                                       \
  X(BRINK_EXTRAPOLATE, "extrapolate") /* look before the step; one-sided */                        \
  X(BRINK_INTERPOLATE, "interpolate") /* all roots along the dense output, after the step */       \
  X(BRINK_ENDPOINT, "endpoint")       /* sign check at the ends of the step */                     \
  X(BRINK_ZLM, "zlm")                 /* zero-location method: chord between the ends */           \
  X(BRINK_MNM, "mnm")                 /* minimum-neighbourhood method: repeated subdivision */

typedef enum brink_events {
#define BRINK_EVENTS_ENUM(name, text) name,
  BRINK_EVENTS_LIST(BRINK_EVENTS_ENUM)
#undef BRINK_EVENTS_ENUM
} brink_events;

BRINK_API const char *brink_method_name(brink_method method);
BRINK_API const char *brink_events_name(brink_events events);

/* How BRINK_EXTRAPOLATE keeps its distance. */
typedef enum brink_gain {
  BRINK_GAIN_MARGIN,    /* the predicted shift of the corrector: the gap squares at each step */
  BRINK_GAIN_PUBLISHED, /* Esposito & Kumar 2007, eq. 20, with the termination rule it needs */
  BRINK_GAIN_FIXED,     /* a gain of your own: the gap shrinks by options.gamma at each step */
} brink_gain;

typedef enum brink_zeno_choice { BRINK_ZENO_STOP, BRINK_ZENO_CONTINUE } brink_zeno_choice;

typedef struct brink_options {
  size_t size;         /* sizeof(brink_options) */
  brink_method method; /* BRINK_AUTO */
  brink_events events; /* BRINK_EXTRAPOLATE */
  double rtol, atol;   /* 1e-6, 1e-9: each step's error in x[i] is kept below rtol*|x[i]| + atol */
  const double *atols; /* one for each state, instead of atol; NULL */
  int order;           /* adams, taylor: fixed order; 0: chosen */
  int max_order;       /* adams: 12 */
  double
      step; /* fixed-step methods: the step (required); adams and taylor with a fixed order: fixed
                  too; others: the first step; 0: chosen */
  double hmin, hmax; /* limits of the step; 0: what time can resolve; INFINITY */
  brink_gain gain;   /* BRINK_GAIN_MARGIN */
  double gamma;      /* with BRINK_GAIN_FIXED: 0 <= gamma < 1; 0.5 */
  double
      termination; /* with other gains than MARGIN: a unilateral guard within this of zero counts as
                             reached; PUBLISHED: no less than its rule needs; 0: from the tolerances */
  int mnm_parts;   /* mnm: parts of each subdivision; 10 */
  double near_miss;       /* a closest approach within this many tolerances is reported; 1000 */
  brink_zeno_choice zeno; /* BRINK_ZENO_STOP */
  /* Count evaluations of the right-hand side past a unilateral surface; fail where a guard has passed its surface without an
   * event (its callbacks contradict themselves). */
  bool audit;
  int max_iterations; /* event iterations at one instant; 100 */
  int64_t max_steps;  /* of one call; 0: no limit */
} brink_options;

BRINK_API void brink_options_defaults(brink_options *options, size_t size);

static inline brink_options brink_default_options(void) {
  brink_options options;
  brink_options_defaults(&options, sizeof options);
  return options;
}

typedef struct brink_stats {
  int64_t steps;    /* accepted */
  int64_t rejected; /* attempts given up: error test, refusal, domain check */
  int64_t rhs;      /* evaluations of the right-hand side */
  int64_t guards;   /* evaluations of guard functions, gradients and jets */
  int64_t roots;    /* searches for roots that the exclusion test could not settle */
  int64_t
      refused_outside; /* evaluations that were asked for and refused: past a unilateral surface */
  int64_t rhs_past_guard; /* evaluations made past one; counted when auditing; 0 with extrapolate */
  int64_t events;
  int64_t near_misses;
  int64_t restarts;
  brink_method method; /* that is used: never BRINK_AUTO */
  const char *reason;  /* why, if it was chosen by BRINK_AUTO; else NULL */
  int64_t newton;      /* iterations of Newton's method */
  int64_t jacobians;   /* evaluated for them */
  int64_t factorisations;
  int64_t projections;       /* of the states onto constraints */
  double largest_correction; /* of a state by one of these, in units of its tolerance */
} brink_stats;

/* What a sink receives. Pointers are valid during the call only. Return 0 to go on, anything else
 * to stop the run (status BRINK_STOPPED). */
typedef struct brink_step_record {
  double t0, t1; /* the step */
  double h;
  int order;
  const double *x; /* states at t1 */
  const int *mode;
  size_t nx;
} brink_step_record;

typedef struct brink_event_record {
  brink_event event;
  const double *x_before, *x_after;
  const int *mode_before, *mode_after;
  const double *p_before, *p_after;
} brink_event_record;

/* The guard came close and turned away. */
typedef struct brink_near_miss {
  size_t guard;
  const char *name;
  double t, value;
  double tolerance; /* what the run's tolerances amount to in this guard */
  double
      distance; /* of the state from the surface, to first order: |g|/|dg/dx|; NaN: no gradient */
} brink_near_miss;

typedef struct brink_slide_record {
  size_t guard;
  const char *name;
  double from, to;
} brink_slide_record;

/* Other constraints hold from now on (at the start: the first ones). */
typedef struct brink_structure_record {
  double t;
  const brink_structure *structure;
  int index;
  size_t nstates, nfree; /* declared; that may be chosen */
} brink_structure_record;

/* After the events of an instant constraints have moved states, or given unknowns other values. */
typedef struct brink_transfer_record {
  double t;
  const double *x_before, *x_after;
  const double *impulse; /* of each of the nz unknowns; NULL: there was none */
} brink_transfer_record;

typedef struct brink_sink {
  int (*step)(const brink_step_record *record, void *user);
  int (*event)(const brink_event_record *record, void *user);
  int (*near_miss)(const brink_near_miss *record, void *user);
  int (*slide)(const brink_slide_record *record, void *user);
  void *user;
  int (*structure)(const brink_structure_record *record, void *user);
  int (*transfer)(const brink_transfer_record *record, void *user);
} brink_sink;

typedef struct brink_sim brink_sim;

/* A simulation of `model` from its initial values. `options` NULL means the defaults; the model
 * must outlive the sim. Statuses: ARGUMENT, MEMORY, UNSUPPORTED. */
BRINK_API brink_status brink_sim_create(const brink_model *model, const brink_options *options,
                                        const brink_allocator *allocator, brink_diag *diag,
                                        brink_sim **sim);
BRINK_API void brink_sim_destroy(brink_sim *sim); /* NULL is fine; not from inside a callback */

/* Back to the model's initial states, parameters and modes, at its t0; statistics count from 0. Options,
 * sink and memory stay: cheaper than a new sim where a model is run many times. */
BRINK_API brink_status brink_sim_reset(brink_sim *sim, brink_diag *diag);

/* A second simulation, at the same point as the first, that goes on bit for bit as the first would: time, states,
 * parameters, modes, signs, slides, clocks and timers, what the method and the search for events remember, a step
 * that is under way, the last step (brink_sim_at), the last events, statistics. The two are independent from
 * then on. Sink, observers and sensitivities are not copied; nor is what your callbacks keep in `user`.
 *
 * `model` is the clone's: NULL for the same as the sim's, or another one that was made from an equal definition, so
 * that the two may run in two threads even if callbacks of one model may not. It must outlive the clone; the sim need
 * not. Costs a copy of its memory, about as much as brink_sim_create. Not from inside a callback of this sim; several threads
 * may clone one sim at a time that nobody moves. Statuses: ARGUMENT, MEMORY. */
BRINK_API brink_status brink_sim_clone(const brink_sim *sim, const brink_model *model,
                                       const brink_allocator *allocator, brink_diag *diag,
                                       brink_sim **clone);

/* Where records go from now on (copied; NULL: nowhere). */
BRINK_API void brink_sim_set_sink(brink_sim *sim, const brink_sink *sink);

/* Runs to t_end. Returns TIME_REACHED, STOPPED, or a failure; the state is then the last accepted
 * one, or what a callback that failed has left, and the run may be inspected. Time runs forwards: t_end before the
 * present time is refused. While a state is no number, this and the next three return ARGUMENT: set it, or reset. */
BRINK_API brink_status brink_sim_run(brink_sim *sim, double t_end, brink_diag *diag);

/* One thing: to the next accepted step (STEPPED), or the event at its end (EVENT), never past
 * t_limit (TIME_REACHED). */
BRINK_API brink_status brink_sim_advance(brink_sim *sim, double t_limit, brink_diag *diag);

/* To the next event (EVENT), at most to t_limit (TIME_REACHED). */
BRINK_API brink_status brink_sim_next_event(brink_sim *sim, double t_limit, brink_diag *diag);

/* Runs through strictly increasing output times and writes the states at each, by dense output:
 * out[k*nx + i]. `done` (may be NULL) receives how many were reached. An output at an event's time
 * holds the values after it. */
BRINK_API brink_status brink_sim_sample(brink_sim *sim, const double *times, size_t count,
                                        double *out, size_t *done, brink_diag *diag);

/* The present. Pointers stay valid for the life of the sim; contents change as it moves. */
BRINK_API double brink_sim_time(const brink_sim *sim);
BRINK_API const double *brink_sim_state(const brink_sim *sim);
BRINK_API const double *brink_sim_parameters(const brink_sim *sim);
BRINK_API const int *brink_sim_modes(const brink_sim *sim);
BRINK_API const signed char *brink_sim_signs(const brink_sim *sim);
BRINK_API const brink_stats *brink_sim_stats(const brink_sim *sim);

/* The events of the last instant that had any, in order (at most the first 64 + 2*nguards of them; a
 * sink is told of all); count may be 0. */
BRINK_API const brink_event *brink_sim_events(const brink_sim *sim, size_t *count);

/* The slide under way, with `to` the present time; false if there is none. (The sink is told of a
 * slide when it ends.) If there are several, the one that began first. */
BRINK_API bool brink_sim_sliding(const brink_sim *sim, brink_slide_record *record);

/* All slides under way, in the order in which they began: writes up to `capacity` of them (records may
 * be NULL if that is 0) and returns how many there are. */
BRINK_API size_t brink_sim_slides(const brink_sim *sim, brink_slide_record *records,
                                  size_t capacity);

/* The steps of an explicit method are limited by its stability, not by its accuracy: the model is stiff. */
typedef struct brink_stiff_record {
  double since; /* when it was first noticed */
  int steps;    /* that were looked at: the solution was smooth in them, … */
  double h;     /* … of this length, … */
  double rate;  /* … longer than which the fastest rate of the model allows none */
} brink_stiff_record;

/* Does the model look stiff, and no stiff method takes over? Then BRINK_BDF, or BRINK_AUTO, which changes to it, takes fewer
 * steps. Noticed once, after some hundred steps of adams, taylor or dopri; never while auto may change to bdf. */
BRINK_API bool brink_sim_looks_stiff(const brink_sim *sim, brink_stiff_record *record);

/* Which constraints hold now, with `t` the present time; false: the model has none, or the run has not begun. */
BRINK_API bool brink_sim_structure(const brink_sim *sim, brink_structure_record *record);

/* The state at a time inside the last step, from its dense output. ARGUMENT outside it. */
BRINK_API brink_status brink_sim_at(const brink_sim *sim, double t, double *x, brink_diag *diag);

/* Change something and go on: guards take their signs anew, the method restarts. Non-finite values
 * and unknown indices are refused. Derivatives that go along (sensitivity.h) of what changes become 0: it depends on
 * nothing any more.
 *
 * With constraints: when the run goes on, unknowns are solved for. States that are off the constraints are moved onto
 * them: within their tolerances by the least change, and farther by an impulse of the unknowns, as in an event. If none
 * does it, because a position would have to jump, that call returns CONSTRAINT: set states with which the constraints hold. */
BRINK_API brink_status brink_sim_set_state(brink_sim *sim, const double *x, brink_diag *diag);
BRINK_API brink_status brink_sim_set_parameter(brink_sim *sim, size_t index, double value,
                                               brink_diag *diag);
BRINK_API brink_status brink_sim_set_mode(brink_sim *sim, size_t index, int value,
                                          brink_diag *diag);

#ifdef __cplusplus
}
#endif

#endif
