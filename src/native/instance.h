/* instance.h: a flat system bound to the model contract, inside.
 *
 *   instance.c          the object; the right-hand side; reading variables
 *   instance_clone.c    what instances of one system share; memory of one instance; clones
 *   instance_bind.c     kernels become code, refs are checked
 *   instance_guard.c    flags become guards: their definitions and callbacks
 *   instance_surface.c  guards that have the same surface
 *   instance_native.c   machine code for what runs often; instance_later.c: changing over to it during a run
 *   instance_bound.c    how fast guards can change
 *   instance_action.c   events and ticks: effects, notes, writing
 *   instance_queue.c    queues
 *   instance_range.c    values outside their ranges, in words
 *   instance_input.c    inputs that a table or functions drive
 *   instance_delay.c    delayed signals
 *   instance_rest.c     what holds after infinitely many events
 *   instance_tangent.c  directional derivatives, for sensitivities
 *   instance_copy.c     what callbacks remember of a run, for another instance; instance_archive.c: to bytes and back
 *   instance_rule.c     rules, and the outputs that hold before the first sample
 *
 * All memory is taken when the instance is made: callbacks take none. What does not change after that is shared by
 * an instance and its clones, which may run in other threads. */
#ifndef BRINK_NATIVE_INSTANCE_H
#define BRINK_NATIVE_INSTANCE_H

#include <brink/jet.h>
#include <stdatomic.h>

#include "expr/structure.h"
#include "model/delay.h"
#include "model/model.h"
#include "native/series_run.h"
#include "num/blocks.h"

/* The largest order of the solution's series that any method asks for. */
#define BRINK_FLOW_ORDER 30

/* ---- kernels, ready to run ---- */

typedef struct brink_task {
  const brink_kernel *kernel; /* NULL: there is none */
  const brink_code *code;
  brink_native_kernel_fn *native; /* NULL: the code runs; read if the instance has machine code */
} brink_task;

typedef struct brink_bound_program {
  brink_task *tasks;
  const brink_code **codes; /* the same */
  size_t count;
} brink_bound_program;

/* An output of an action whose variable has a range or a set. */
typedef struct brink_checked_output {
  uint32_t kernel, output;
} brink_checked_output;

/* A put or a take that an action has come to: which of its effects, in which iteration of its kernel. */
typedef struct brink_queued {
  size_t effect, iteration;
} brink_queued;

typedef struct brink_bound_action {
  const brink_action *action; /* NULL: nothing happens */
  brink_task *tasks;          /* one for each kernel */
  size_t ntasks;
  bool
      buffered; /* more than one iteration of a kernel: nothing is written before all is evaluated */
  brink_checked_output *checked;
  size_t nchecked;
  uint32_t *
      taken; /* of each effect that takes from a queue: the variable it goes to; NULL: there are no queues */
} brink_bound_action;

typedef struct brink_bound_flag {
  brink_task value, gradient, enabled;
  uint32_t *refs; /* refs to states in the graph of `gradient`: its outputs, before that of time */
  size_t nrefs;
  brink_node root;  /* the value, in the same graph: everything before it is part of it */
  int degree;       /* of the value; -1: not a polynomial */
  uint32_t **merge; /* where refs of an instance meet in one state: place of each ref among the
                       states it depends on; NULL: nowhere */
  brink_kernel *gradient_kernel;
  bool asked, has_jet;                /* some instance is not plain numbers; has a series */
  const brink_series_program *series; /* where it has one */
  brink_native_jet_fn *jet;           /* as brink_task.native */
  brink_bound_action negative, positive, on_surface;
} brink_bound_flag;

typedef struct brink_bound_rule {
  brink_task condition;
  brink_bound_action body;
  size_t first; /* of its instances, in brink_instance.fired */
} brink_bound_rule;

/* A delayed signal in all its elements: of all delays of the system the first is number `first`. */
typedef struct brink_bound_delay {
  brink_task signal, lag, bound, history;
  size_t first;
} brink_bound_delay;

typedef struct brink_bound_delays {
  brink_delays def;
  brink_bound_delay *lines;
} brink_bound_delays;

/* Which flag a guard is, and which of its instances. */
typedef struct brink_guard_place {
  uint32_t flag, index;
} brink_guard_place;

/* ---- what a run leaves behind ---- */

enum {
  BRINK_SENTENCE = 320, /* characters of a warning */
  BRINK_WARNINGS = 200, /* kept; the last one then counts the rest */
};

typedef struct brink_warning {
  double t;
  uint32_t variable;
  size_t element;
  char text[BRINK_SENTENCE];
} brink_warning;

typedef struct brink_notebook {
  brink_note *notes;
  size_t count, capacity;
  brink_note_value *values;
  size_t nvalues, values_capacity;
} brink_notebook;

typedef struct brink_tangent_room brink_tangent_room;

/* Of any structure that can hold. */
typedef struct brink_constraint_room {
  size_t invariants, entries, factors; /* see brink_constraints_def */
  size_t series;                       /* registers */
} brink_constraint_room;

struct brink_bound_structure;
typedef struct brink_structure_store brink_structure_store;

/* The least order of the series that a model with constraints has: signs of flags ask for it (sim/derivative.c). */
#define BRINK_CONSTRAINT_ORDER 8

/* How much memory an instance needs: numbers of items. */
typedef struct brink_room {
  size_t scratch, outputs, checked; /* of the code that runs; to space OUT; values with ranges */
  size_t jet, flow;                 /* of guards' series, of the solution's */
  size_t fired;                     /* instances of rules */
  bool buffered;                    /* some action is */
  brink_constraint_room constraints;
} brink_room;

/* What an instance and its clones have in common. Constant once the first instance is made, but for the count, and for
 * machine code that comes later: functions of tasks are read by instances that have changed over alone. */
typedef struct brink_shared {
  brink_arena arena; /* of everything in it, and of itself */
  atomic_size_t users;
  brink_native *native; /* NULL: the interpreter runs everything */
  /* Machine code that is made while instances run (instance_later.c). */
  _Atomic(brink_readiness) ready; /* of `native`; READY: all tasks know their functions */
  atomic_flag asking;             /* some instance asks; what follows is its own */
  double asked;                   /* when, last */
  char reason[BRINK_REASON];      /* why it is NEVER; constant then */
  brink_model *model;             /* each instance has a copy of it, with itself as the user */
  /* The first instance as it was when it was made; only what is constant in it, and its ending, are used. */
  brink_instance *made;
  const brink_warning *warnings; /* from the start */
  brink_structure_store
      *store; /* structures of constraints; NULL: there are none. Locked by itself. */
} brink_shared;

struct brink_instance {
  brink_arena arena; /* of this instance alone */
  brink_shared *shared;

  /* Constant: arrays live in shared->arena. */
  brink_system *system;
  brink_instance_options options;
  char reason
      [BRINK_REASON]; /* why there is no machine code; empty: there is, or it was not asked for */
  brink_bound_program rhs, all, jacobian;
  brink_program jacobian_program;
  size_t *jacobian_starts, *jacobian_rows;
  brink_bound_flag *flags;
  brink_guard_place *places;   /* of each guard */
  brink_bound_action *samples; /* of each clock */
  brink_bound_rule *rules;
  brink_bound_action *first_outputs;
  brink_bound_delays *delays;       /* NULL: there are none */
  brink_flow *flow;                 /* the solution's series; NULL: not asked for, or too large */
  int flow_order;                   /* up to this order */
  double flow_work;                 /* what it costs, or would cost */
  int *flow_degrees;                /* where the series of each state ends; 0: nowhere */
  bool *constant_p, *constant_mode; /* slots that guards take for constant */
  bool some_vary; /* the caller chose slots that they do not (options.varies_p, varies_mode) */
  brink_room room;

  /* Of this instance alone. */
  const brink_model *model;
  const brink_native *native; /* NULL: the interpreter runs everything */
  brink_tables tables;        /* of the machine code */
  double compile_seconds;     /* 0 of a clone */
  bool awaits;                /* machine code that is under way … */
  uint32_t patience;          /* … and is asked for after so many calls */
  double native_from;         /* when it came; NaN: it was there from the start, or is not */

  const brink_external *externals; /* those of the system, where functions note their calls, … */
  brink_time_calls *calls;         /* … here; NULL: there are no functions of time */

  double *x0, *p0; /* where the run starts */
  int *mode0;

  /* Room for the callbacks. */
  double *scratch; /* of the code that runs */
  size_t scratch_size;
  brink_frame lane;    /* what series in lanes read, but for the time; brink_instance_begin_lanes */
  double *jet_scratch; /* of guards' series */
  double *flow_scratch;  /* of the solution's */
  double *probe;         /* a state */
  double *leaf_gradient; /* of a condition of a rule */
  double *outputs;       /* to space OUT */
  double *before;        /* values that an action may push out of their ranges */
  struct {
    double *x, *p;
    int *mode;
  } buffer;       /* what a buffered action will write */
  double *locals; /* of the action that is run */
  double *v, *dx; /* of the right-hand side */

  /* The point that brink_instance_evaluate was given, and what it found there. */
  struct {
    bool valid;
    double t;
    double *x, *p, *v, *dx;
    int *mode;
    signed char *sgn;
  } seen;

  /* States that are held after infinitely many events. */
  struct {
    bool any;
    bool *state;
    double *before, *after, *x; /* around an action */
  } rest;

  /* Constraints: the structure that held last, and by which values; room for its series. */
  struct {
    const struct brink_bound_structure *last;
    int *mode;
    signed char *sgn;
    double *p;
    double *values, *column, *registers;
    brink_blocks blocks;
  } constraints;

  brink_tangent_room *tangents;  /* NULL: no derivatives were needed yet */
  brink_patience *step_patience; /* of the evaluator that asks; NULL: it waits for everything */

  bool *doubted;     /* guards whose events are judged when the instant is over … */
  bool doubts;       /* … and there are some */
  double *tick_time; /* when each clock ticked last */
  uint32_t *fired;   /* how often each instance of a rule has fired at the instant … */
  double rules_time; /* … that this is */
  brink_notebook notes;
  struct {
    brink_queued *ops;
    size_t count, capacity;
  } queued; /* puts and takes of the action that runs */
  brink_ending ending;
  char message[BRINK_DIAG_MESSAGE];
  brink_warning *warnings;
  const char **warning_texts;
  size_t nwarnings, dropped_warnings;
};

/* ---- instance_clone.c ---- */

/* Makes instance->shared, empty. False: out of memory. */
bool brink_instance_share(brink_instance *instance, const brink_allocator *allocator);

/* Takes what the callbacks write to, after everything is bound. False: out of memory. */
bool brink_instance_take_room(brink_instance *instance);

/* Nothing has happened yet. */
void brink_instance_forget(brink_instance *instance);

/* The last step: clones and resets begin with the instance as it is now; it gets its model. */
bool brink_instance_finish(brink_instance *instance);

/* ---- instance_bind.c ---- */

/* Binds everything that the system holds; finds the room that running it needs. */
brink_status brink_instance_bind(brink_instance *instance, brink_diag *diag);

/* A task for a kernel; false: out of memory. A kernel of NULL gives a task that is none. */
bool brink_instance_task(brink_instance *instance, const brink_kernel *kernel, brink_task *task);

void brink_instance_run(brink_instance *instance, const brink_task *task, const brink_frame *frame,
                        size_t first, size_t count);

/* Computes V and DX for a kernel that reads them. */
void brink_instance_prepare(brink_instance *instance, const brink_task *task, brink_frame *frame);

/* A frame for what is constant during a step. */
brink_frame brink_instance_frame(const brink_instance *instance, double t, const double *x,
                                 const double *p, const int *mode, const signed char *sgn);

/* Where actions read and write. */
brink_frame brink_instance_now_frame(const brink_instance *instance, const brink_now *now);

/* ---- instance_guard.c ---- */

/* The derivatives of a flag's value, after `value` was bound. */
brink_status brink_instance_bind_gradient(brink_instance *instance, uint32_t flag,
                                          brink_diag *diag);

/* instance_surface.c: sets same_as of guards that have the same surface. False: out of memory. */
bool brink_instance_join_surfaces(const brink_instance *instance, brink_arena *arena,
                                  const bool *fixed_p, brink_guard_def *guards);

/* Fills in def->guards and def->enabled; their arrays live in `arena`, `names` holds their names. */
brink_status brink_instance_define_guards(brink_instance *instance, brink_arena *arena,
                                          const char *const *names, brink_model_def *def,
                                          brink_diag *diag);

/* The definitions of the model's guards, with the numbers that they have for the present p0 and mode0; they live in `arena`.
 * NULL: one would need another kind of definition than it has (or there is no memory). */
const brink_guard_def *brink_instance_guards_again(brink_instance *instance, brink_arena *arena);

/* The signs of all guards at a point, by their values alone; zero counts as positive. */
void brink_instance_signs(brink_instance *instance, double t, const double *x, const double *p,
                          const int *mode, signed char *sgn);

/* ---- instance_constraint.c: nothing of this where the system has no constraints ---- */

bool brink_instance_bind_constraints(brink_instance *instance);
bool brink_instance_take_constraint_room(brink_instance *instance);
bool brink_instance_define_constraints(brink_instance *instance, brink_arena *arena,
                                       brink_model_def *def);
void brink_instance_release_constraints(brink_shared *shared);

/* Kernels to be compiled: how many, and the first of them; and what came of it. */
size_t brink_instance_constraint_kernels(brink_instance *instance, brink_kernel **kernels,
                                         size_t capacity);
void brink_instance_adopt_constraints(const brink_instance *instance, const brink_native *native);

/* flow_jet where there are constraints. */
int brink_instance_constrained_flow(brink_instance *instance, int order, double t, double unit,
                                    const double *x, const brink_env *env, double *const *rows);

/* ---- instance_native.c ---- */

/* Compiles what runs often, once the guards are defined. Where no compiler works, nothing changes. */
brink_status brink_instance_compile(brink_instance *instance, const char *cache, brink_diag *diag);

/* All tasks of the instance and its clones learn their functions. */
void brink_instance_adopt(const brink_instance *instance, const brink_native *native);

/* ---- instance_later.c ---- */

/* A new instance: changes over at once if it can. */
void brink_instance_begin_waiting(brink_instance *instance);

/* Asks for machine code, and changes over to it; t: the present time. */
void brink_instance_ask(brink_instance *instance, double t);

/* At the start of callbacks that run often: dynamics and guards. */
static inline void brink_instance_look(brink_instance *instance, double t) {
  if (instance->awaits && --instance->patience == 0) brink_instance_ask(instance, t);
}

/* ---- instance_bound.c ---- */

/* Doubles that brink_instance_lipschitz needs for this flag; 0: it is too large. */
size_t brink_instance_bound_room(const brink_bound_flag *bound);

/* Bounds of the derivatives with respect to each of bound->refs, then time, that hold everywhere, for
 * one instance of a flag; into `room`. `fixed_…` mark slots that no action writes. False: none. */
bool brink_instance_lipschitz(const brink_instance *instance, const brink_bound_flag *bound,
                              size_t index, const bool *fixed_p, const bool *fixed_mode,
                              double *room, const double **slopes);

/* ---- instance_input.c ---- */

/* Functions of time, with what becomes of their calls in this instance; false: out of memory. */
bool brink_instance_take_functions(brink_instance *instance);
/* Has one of them reported an error? */
bool brink_instance_functions_failed(const brink_instance *instance);

/* What holds at the start; the timer that goes on from there, if there are rows or corners left. */
void brink_instance_first_inputs(brink_instance *instance);
bool brink_instance_input_clock(const brink_instance *instance, brink_clock_def *clock);

/* ---- instance_delay.c ---- */

bool brink_instance_bind_delays(brink_instance *instance);
/* p0 has the values at the start. False: out of memory. */
bool brink_instance_first_delays(brink_instance *instance);
/* Kernels to be compiled: how many, and, unless NULL, which; and what came of it. */
size_t brink_instance_delay_kernels(const brink_instance *instance, brink_kernel **kernels);
void brink_instance_adopt_delays(const brink_instance *instance, const brink_native *native);

/* ---- instance_action.c ---- */

bool brink_instance_bind_action(brink_instance *instance, const brink_action *action,
                                brink_bound_action *bound);

/* Runs one iteration: 0, BRINK_STOPPED or negative, as a callback returns them. */
int brink_instance_act(brink_instance *instance, const brink_bound_action *bound, size_t iteration,
                       brink_now *now);

/* Callbacks. */
int brink_instance_on_event(const brink_event *event, brink_now *now, void *user);
int brink_instance_on_surface(const brink_event *event, brink_now *now, void *user);
int brink_instance_on_tick(size_t clock, int64_t tick, brink_now *now, void *user);

/* ---- instance_queue.c ---- */

/* Room for the puts and takes of an action; false: out of memory. One that it has come to; all of them, in order: 0, or
 * negative, with a message. */
bool brink_instance_bind_queues(brink_instance *instance, const brink_action *action,
                                brink_bound_action *bound);
void brink_instance_note_queued(brink_instance *instance, size_t effect, size_t iteration);
int brink_instance_run_queued(brink_instance *instance, const brink_bound_action *bound,
                              brink_now *now);

/* ---- instance_range.c ---- */

bool brink_instance_outside(const brink_instance *instance, const brink_variable *variable,
                            size_t element, double value);

/* A value is outside: ends the run (returns negative), or is noted down (returns 0). */
int brink_instance_violation(brink_instance *instance, uint32_t variable, size_t element,
                             double value, brink_now *now);

/* Values that are outside when the run starts: no surface is crossed then. */
void brink_instance_check_start(brink_instance *instance);

/* The first way in which the run ended stays; `message` may be NULL: the present one. */
int brink_instance_end(brink_instance *instance, brink_ending ending, brink_now *now,
                       const char *message);

/* A name without taking memory: cut where it is too long. */
enum { BRINK_NAME = 160 };
const char *brink_instance_variable_name(const brink_instance *instance, uint32_t variable,
                                         size_t element, char buffer[BRINK_NAME]);
const char *brink_instance_rule_name(const brink_instance *instance, size_t rule, size_t index,
                                     char buffer[BRINK_NAME]);

/* ---- instance_tangent.c ---- */

/* Callbacks. */
int brink_instance_rhs_tangent(double t, const double *x, const brink_env *env,
                               const brink_tangents *along, double *df);
int brink_instance_guard_tangent(size_t guard, double t, const double *x, const brink_env *env,
                                 const brink_tangents *along, double *dg);
int brink_instance_rate_tangent(size_t guard, double t, const double *x, const brink_env *env,
                                const double *f, const brink_tangents *along, double *dr);
int brink_instance_start_tangent(brink_now *now, void *user);

/* What one iteration of an action does to the directions in now->carried: before it runs. */
void brink_instance_carry(brink_instance *instance, const brink_bound_action *bound,
                          size_t iteration, const brink_now *now);

/* A callback carries directions along by itself. */
static inline void brink_instance_carries(const brink_now *now) {
  if (now->carried != NULL) now->carried->done = true;
}

/* ---- instance_rest.c ---- */

void brink_instance_hold(const brink_instance *instance, double *dx);
int brink_instance_on_zeno(const size_t *guards, size_t count, brink_now *now, void *user);
/* An instant is over: what its events left in doubt (brink_model). */
bool brink_instance_doubts(void *user);
int brink_instance_judge(brink_now *now, brink_doubt *doubt, void *user);
void brink_instance_before_act(brink_instance *instance, const brink_now *now);
void brink_instance_after_act(brink_instance *instance, const brink_now *now);

/* instance.c: the right-hand side as the equations give it, whatever rests. */
void brink_instance_field(brink_instance *instance, double t, const double *x, const double *p,
                          const int *mode, const signed char *sgn, double *dx);

/* ---- instance_rule.c ---- */

bool brink_instance_bind_rules(brink_instance *instance);
int brink_instance_on_rules(brink_now *now, bool *changed, void *user);

/* Gives held outputs the values that they have before the first sample. */
brink_status brink_instance_first_outputs(brink_instance *instance, brink_diag *diag);

#endif
