/* system.h: the flat hybrid system: what is left of a model when instances, connections and names
 * are resolved. The language makes one (lang/flatten.c); native makes a brink_model of it.
 *
 * Instances of one component that come from one array (or from arrays inside arrays) are one group:
 * they share equations, and differ in slots. */
#ifndef BRINK_EXPR_SYSTEM_H
#define BRINK_EXPR_SYSTEM_H

#include "base/place.h"
#include "expr/graph.h"

/* ---- names ---- */

/* A path of instance names: "row[2].cell[5]". Instance k of `count` has the indices of k in the
 * dimensions, last fastest. The top component's path is empty. */
typedef struct brink_group {
  const char **segment;
  uint32_t *dimension; /* of each segment; 0: not an array */
  size_t nsegments;
  size_t count;
  const char *class_name;
  size_t stream;         /* of random draws, of instance 0; the others follow */
  const uint32_t *draws; /* of each instance, so far; NULL: not known */
  /* Actions draw, too: slots of P for the draws so far and the streams, one for each instance. */
  bool actions_draw;
  uint32_t draws_slot, stream_slot;
} brink_group;

typedef enum brink_variable_kind {
  BRINK_VARIABLE_STATE, /* continuous (space X), or held (P, MODE) */
  BRINK_VARIABLE_MODE,
  BRINK_VARIABLE_PARAMETER,
  BRINK_VARIABLE_OUTPUT,
  BRINK_VARIABLE_INPUT, /* only inputs with a value of their own: unconnected, default or set */
  BRINK_VARIABLE_AUXILIARY,
  BRINK_VARIABLE_TIMER,  /* held (P): the time of an event, infinity: off */
  BRINK_VARIABLE_HIDDEN, /* made by the compiler: draw counters, floor values, rule memories */
} brink_variable_kind;

typedef enum brink_value_type {
  BRINK_VALUE_REAL,
  BRINK_VALUE_INTEGER,
  BRINK_VALUE_BOOLEAN,
  BRINK_VALUE_STRING, /* index into brink_system.strings */
} brink_value_type;

/* A declared thing in all instances of its group: element k of instance i is at slot
 * base + i*length + k of its space. */
typedef struct brink_variable {
  const char *name;
  uint32_t group;
  brink_variable_kind kind;
  brink_value_type type;
  brink_space space;
  uint32_t base;
  uint32_t length;  /* 1 for scalars */
  bool vector;      /* shown with an index even if its length is 1 */
  uint32_t columns; /* of a matrix, shown with row and column; else 0 */
  const char *unit;
  const char *where;    /* of its declaration: "tank.hsml:12" */
  brink_place place;    /* the same; line 0: it has none */
  bool has_range;       /* closed */
  double lo, hi;        /* of the first instance */
  const double *bounds; /* lo, hi of each instance; NULL: all the same */
  const double *set;    /* allowed values (string indices, integers); NULL: none */
  size_t nset;
  bool knob;    /* a parameter that its component offers to be set */
  bool signal;  /* it may vary between events: declared as such */
  bool settled; /* agents: equations, sizes, ranges or clocks were made with its value */
  bool
      unknown; /* of constraints: a variable that no equation defines; kind STATE, in X, recorded like a state */
} brink_variable;

/* An input that is connected: another name for what it is connected to. Element k of instance i is slot
 * i*length + k of `slots`, in the space of `as`; NULL: as.base + i*length + k. */
typedef struct brink_alias {
  brink_variable as;
  const uint32_t *slots;
} brink_alias;

/* ---- guards ---- */

typedef enum brink_flag_kind {
  BRINK_FLAG_DECLARED,
  BRINK_FLAG_GENERATED, /* a relation, abs, min, … of continuous quantities */
  BRINK_FLAG_RULE,      /* the condition of a `when` */
  BRINK_FLAG_RANGE,     /* a declared range; `variable` and `upper` say which */
  BRINK_FLAG_LEAVE,     /* a `leave … when` */
  BRINK_FLAG_LEAF,      /* part of a formula */
  BRINK_FLAG_TIMER,     /* an event at the time that a slot of P holds: `time`; no value */
} brink_flag_kind;

/* PUT, TAKE: of a queue in P: slots [count, place of the first, the first itself (0: there is none), ring …]. args[0] is
 * a REF to its count; args[1] a REF to what is put (a slot of P that the kernel writes), or to what receives the first.
 * They happen in order, when all kernels have run. */
enum {
  BRINK_EFFECT_STOP,
  BRINK_EFFECT_FAIL,
  BRINK_EFFECT_NOTE,
  BRINK_EFFECT_PUT,
  BRINK_EFFECT_TAKE,
};
enum { BRINK_QUEUE_COUNT, BRINK_QUEUE_HEAD, BRINK_QUEUE_FIRST, BRINK_QUEUE_RING };

typedef struct brink_effect {
  int kind;
  uint32_t kernel; /* of the action: its nodes are of this graph */
  brink_node when; /* BRINK_NO_NODE: always */
  bool late;     /* FAIL: `when` is judged when the instant is over, not when the action runs … */
  uint32_t back; /* … unless this flag, in the same instance, is on its surface and stays there */
  const char *text;
  size_t capacity;  /* PUT, TAKE: of the queue */
  brink_node *args; /* NOTE, PUT, TAKE */
  brink_value_type *arg_types;
  size_t nargs;
} brink_effect;

/* What happens at an event, tick or rule: all right-hand sides are evaluated first, then written, in the order of the
 * kernels. Outputs go to X, P and MODE. A loop that stays one is a kernel with several iterations for one of the
 * action's: those of iteration i are i*repeat … (i + 1)*repeat - 1. */
typedef struct brink_action {
  size_t count; /* iterations: instances of what it belongs to */
  brink_kernel **kernels;
  size_t nkernels, kernels_capacity;
  brink_effect *effects; /* in the order of their kernels */
  size_t neffects, effects_capacity;
  bool finished; /* V and DX are written out */
} brink_action;

/* Iterations of a kernel of an action for one of the action's. */
static inline size_t brink_action_repeat(const brink_action *action, const brink_kernel *kernel) {
  return action->count > 0 ? kernel->count / action->count : 0;
}

/* Does it write or tell anything? NULL: no. */
static inline bool brink_action_does_something(const brink_action *action) {
  bool writes = false;
  for (size_t k = 0; action != NULL && k < action->nkernels; k++)
    writes = writes || action->kernels[k]->noutputs > 0;
  return writes || (action != NULL && action->neffects > 0);
}

/* One flag in all instances of its group (or all pairs of a pair block). */
typedef struct brink_flag {
  brink_flag_kind kind;
  const char *name; /* "empty"; RULE: "rule[1]"; GENERATED: "@12:7" */
  const char *text; /* GENERATED: the expression that it is of, "gap < -b"; else NULL */
  const char *where;
  brink_place place; /* line 0: it has none */
  uint32_t group;
  size_t per_instance; /* flags of one instance of the group (loops, vectors); 1 */
  size_t count;
  uint32_t *guard; /* index of the guard of each instance */
  uint32_t *
      element; /* DECLARED, of a vector: from 0, which element each of `per_instance` is; else NULL */
  brink_side side;
  brink_direction direction;
  int priority;
  bool silent; /* its events, near misses and conditions are not reported */
  int inside;  /* -1, 1: the side that counts as inside on the surface; 0: none */
  int at_zero; /* LEAF: the side that zero counts as, for a < b and a <= b; 0: none */

  brink_kernel *value; /* one output (space OUT); NULL: a formula */
  int32_t *formula;    /* postfix: flag indices and BRINK_AND, BRINK_OR, BRINK_NOT */
  size_t formula_length;
  brink_kernel *enabled; /* one output (OUT), reads modes, signs, P only; NULL: always watched */

  brink_surface surface;
  uint32_t leave_positive, leave_negative;        /* flags, or BRINK_NO_INDEX */
  brink_action *negative, *positive, *on_surface; /* NULL: nothing */

  uint32_t *time; /* TIMER: the slot of P of each instance */

  uint32_t variable; /* RANGE */
  bool upper;
  bool
      late; /* RANGE: judged when the instant is over: what jumps may jump back before time moves on */

  /* Pairs: the instance numbers of the partners in their groups. */
  bool is_pair;
  uint32_t partner_group[2];
  uint32_t *partner[2];
} brink_flag;

/* Samples `first` … `first + count - 1` of an action, at offset + n*period. */
typedef struct brink_sampled {
  const char *name;
  uint32_t group;
  double period, offset;
  int priority;
  brink_action *action;
  size_t first, count;
  bool rules; /* the action is not used: the rules with this clock are run */
} brink_sampled;

/* when condition do body: fires when the condition becomes true. */
typedef struct brink_rule {
  const char *name; /* "rule[1]" */
  const char *where;
  uint32_t group;
  size_t count;
  uint32_t flag;           /* its sign is the condition; BRINK_NO_INDEX: sampled */
  uint32_t clock;          /* sampled: index into brink_system.clocks */
  brink_kernel *condition; /* sampled: one output (OUT) */
  uint32_t was;            /* MODE slot of instance 0: was it true the last time? */
  brink_action *body;
  int priority; /* of its component: larger first */
} brink_rule;

/* ---- constraints ---- */

/* One equation 0 = residual of a `constraints` section, in all instances of its group (and in all iterations of the
 * loops around it, and elements). Branches of an `if` are equations of their own: exactly as many hold at a time as
 * there are unknowns. */
typedef struct brink_constraint {
  brink_kernel *
      residual; /* one output (OUT): left minus right; V and DX are written out (brink_system_finish) */
  brink_kernel *
      active; /* one output (OUT), of MODE, SIGN, P and K alone: does its branch hold? NULL: always */
  const char *where;
  brink_place place;
  uint32_t group;
  size_t count; /* iterations of both kernels */
} brink_constraint;

/* ---- delays ---- */

/* A delayed signal, in all instances of its group (and in all iterations of the loops around it, and elements): see
 * model/delay.h. Kernels have one output (OUT). */
typedef struct brink_delayed {
  brink_kernel *signal, *lag, *bound; /* `bound` may be `lag` */
  brink_kernel *history;              /* of time and P; NULL: as at the start */
  bool held;                          /* the signal is constant between events */
  bool constant;                      /* the lag is made of parameters */
  uint32_t slot;                      /* of P: number j of iteration i is at slot + j*count + i */
  uint32_t group;
  size_t count;
  const char *where;
  brink_place place;
} brink_delayed;

/* ---- inputs from outside ---- */

/* An input that a table drives: value + rate*(t - since), or, held, the value alone. */
typedef struct brink_driven {
  uint32_t variable;
  size_t element;
  brink_space space;           /* of `value`: P or MODE */
  uint32_t value, rate, since; /* slots; rate and since: of P, or BRINK_NO_INDEX */
} brink_driven;

/* An input that a function of the caller drives: externals[external] of time, and of P[begin] and P[end]. */
typedef struct brink_followed {
  uint32_t variable;
  size_t element;
  uint32_t external;
  uint32_t begin, end;
  bool no_start; /* it has no value at the start: it returned `code`, or `value` is not finite */
  int code;
  double value;
} brink_followed;

/* ---- the system ---- */

typedef struct brink_setting {
  const char *name;
  bool is_text;
  double number;
  const char *text;
} brink_setting;

/* Which equation, in which of its iterations, computes each slot of V and DX. */
typedef struct brink_writers {
  uint32_t *equation[2]; /* [0]: V, [1]: DX; BRINK_NO_INDEX: none */
  uint32_t *iteration[2];
} brink_writers;

typedef struct brink_system {
  brink_arena arena;
  const char *name; /* of the top component */
  uint64_t seed;    /* of its random draws */
  double t0;        /* time at the start */
  bool backward;    /* its time is that of the model with the other sign (brink_system_reverse) */

  brink_group *groups;
  size_t ngroups, groups_capacity;
  brink_variable *variables;
  size_t nvariables, variables_capacity;
  brink_alias *aliases;
  size_t naliases, aliases_capacity;
  const char **strings; /* all texts that modes and strings may be */
  size_t nstrings, strings_capacity;

  size_t nx, np, nmodes, nv, nk;
  size_t nlocals;  /* of the action that has most */
  double *x0, *p0; /* initial values; NaN-free */
  int *mode0;
  double *k;
  size_t k_capacity;

  /* Slots of P that hold the run's tolerances (range surfaces are displaced by rtol*|bound| + atol). */
  uint32_t rtol_slot, atol_slot;

  /* Equations as flattened: one output each, into V or DX (accumulating ones into V). */
  brink_kernel **equations;
  size_t nequations, equations_capacity;

  brink_writers writers;

  /* Scheduled (schedule.c): what dx/dt needs, in order, fused; and all of V and DX. */
  brink_program rhs, all;

  brink_flag *flags;
  size_t nflags, flags_capacity;
  size_t nguards;
  brink_sampled *clocks;
  size_t nclocks, clocks_capacity;
  brink_rule *rules;
  size_t nrules, rules_capacity;
  /* Outputs of dtcs from the initial state: run once at the start, in this order. */
  brink_action **first_outputs;
  size_t nfirst_outputs, first_outputs_capacity;

  brink_delayed *delays;
  size_t ndelays, delays_capacity;
  brink_external *externals; /* functions of libraries and of the caller, who outlive the system */
  size_t nexternals, externals_capacity;

  brink_driven *driven; /* in the order of brink_flatten_options.driven */
  size_t ndriven;
  brink_followed *followed; /* in the order of brink_flatten_options.functions */
  size_t nfollowed;

  struct brink_templates *templates; /* project.h; NULL: the equations of all instances are here */

  brink_setting *settings; /* the simulation section */
  size_t nsettings, settings_capacity;

  /* Unknowns are the last nz slots of X. They have no place in DX: constraints determine them. A declared state without
   * a derivative has an unknown for it (hidden), and an equation that says so. */
  size_t nz;
  unsigned char
      *start; /* brink_initial of each slot of X; NULL: there are no constraints, all are fixed */
  brink_constraint *constraints;
  size_t nconstraints, constraints_capacity;
  struct brink_structure_set *structures; /* structure.h; NULL: not analysed, or no constraints */
  bool has_constraints;
  const char *constraints_where;

  /* Of brink_system_jacobian: derived once, for all instances. */
  struct {
    bool known, exists;
    brink_program program;
    size_t *starts, *rows;
  } jacobian;
} brink_system;

/* names.c */

/* "car[3].x", "row[2].cell[5].v[1]" into the text; element = instance*length + k. */
void brink_system_variable_name(const brink_system *system, uint32_t variable, size_t element,
                                brink_text *text);
/* The same of a declaration that need not be one of the system's variables. */
void brink_variable_name(const brink_system *system, const brink_variable *variable, size_t element,
                         brink_text *text);
/* "car[3]"; "" for the top. */
void brink_system_instance_name(const brink_system *system, uint32_t group, size_t instance,
                                brink_text *text);
/* "plant.empty", "plant@12:7", "w.rule[1]", "gap". */
void brink_system_flag_name(const brink_system *system, uint32_t flag, size_t instance,
                            brink_text *text);

/* The same for a person: a flag that the compiler made by its text, "gap < -b (plant@12:7)". */
void brink_system_flag_label(const brink_system *system, uint32_t flag, size_t instance,
                             brink_text *text);

/* inline.c: after flattening: schedules the equations, and writes out V and DX in everything that is
 * evaluated instance by instance: flags, constraints, actions, rules. Where that is impossible the kernel keeps
 * them and is marked reads_v. False: an algebraic loop (`path` receives "a.y -> b.y -> a.y", *equation
 * its first member), or out of memory (path stays empty). */
bool brink_system_finish(brink_system *system, brink_text *path, size_t *equation);

/* like.c: two finished systems, one of which may have been in use: do they differ in x0, p0, mode0, the seed and settings
 * only? Then what was made of the first one serves the other, with its values. (False for systems with constraints, delays,
 * driven inputs or templates: these are not compared.) */
bool brink_system_like(const brink_system *used, const brink_system *fresh);

/* reverse.c: before brink_system_finish: the system in the time s = -t. For systems without clocks and rules whose
 * actions write nothing. False: out of memory. */
bool brink_system_reverse(brink_system *system);

/* The time of the model for a time of the system, and the other way round. */
static inline double brink_system_time(const brink_system *system, double t) {
  return system->backward ? 0.0 - t : t;
}

/* schedule.c: sorts and fuses the equations into `rhs` and `all`. */
bool brink_system_schedule(brink_system *system, brink_text *path, size_t *equation);

/* A copy of `kernel` in which no V and DX are read: their equations are written out.
 * Iterations that have different equations behind one ref choose between them by a number in K. NULL
 * where an equation leads back to itself in another iteration (chains), where it grows beyond a limit,
 * or where memory is out (system->arena.failed). Needs brink_system_finish (or _index) before. */
brink_kernel *brink_inline_kernel(brink_system *system, const brink_kernel *kernel);

bool brink_system_index(brink_system *system); /* fills system->writers */

/* derive_system.c: derivatives of whole kernels. Results live in the arena. */

/* d(dx/dt)/dx by columns: the pattern (starts: nx + 1, rows: starts[nx]), and a program that writes
 * the values to OUT, each at its place. False where an equation cannot be inlined, where there are too
 * many entries, or where memory is out: then there is no Jacobian. Needs brink_system_finish before. It is derived when it is first
 * asked for, and kept in the system. */
bool brink_system_jacobian(brink_system *system, brink_program *program, size_t **starts,
                           size_t **rows);

/* The same of given kernels, which write DX (each slot at most once) and read no V and DX. */
bool brink_derive_jacobian(brink_arena *arena, size_t nx, brink_kernel *const *inlined,
                           size_t count, brink_program *program, size_t **starts, size_t **rows);

/* The gradient of the first output of a kernel that reads no V and DX: a kernel as long with outputs
 * dg/d(state) for *nrefs refs to states, (*refs)[0], … of its graph (all that are read, also where
 * the derivative is 0), and dg/dt as the last. Refs that are the same state in some iteration stay
 * apart: the caller adds them up. NULL: out of memory. */
brink_kernel *brink_derive_gradient(brink_arena *arena, const brink_kernel *value, uint32_t **refs,
                                    size_t *nrefs);

/* split.c: the kernel, or several that together do the same, in which no select is left that depends
 * on K and numbers only (k: the values of K). False: out of memory. */
bool brink_split_kernel(brink_arena *arena, const double *k, brink_kernel *kernel,
                        brink_program *parts);

#endif
