/* native.h: from the flat system to something that runs.
 *
 *   vm.c        the interpreter: kernels as code of a register machine; vm_series.c: series
 *   emit.c      kernels as C
 *   compile.c   C to a shared object, by the system's compiler; object.c loads it; later.c: in the background
 *   cache.c     where objects are kept, and which of them may be trusted
 *   instance.c  a brink_model whose callbacks run one or the other
 *
 * Interpreter and machine code give the same bits: the same operations in the same order, the same
 * libm, constants folded before, no contraction. */
#ifndef BRINK_NATIVE_NATIVE_H
#define BRINK_NATIVE_NATIVE_H

#include "base/archive.h"
#include "expr/system.h"
#include "num/patience.h"

/* ---- what kernels work on ---- */

typedef struct brink_frame {
  double t;
  const double *x;
  const double *p;
  const int *mode;
  const signed char *sgn;
  const double *k;
  const double *pre_x, *pre_p;
  const int *pre_mode;
  double *v;           /* read and written */
  double *dx;          /* read and written */
  double *out;         /* output j is written to out[j]; with a stride or a map, to out[slot] */
  double *to_x, *to_p; /* actions write here (may be the arrays read above) */
  int *to_mode;
  double *local; /* of the action that is run: read and written */
  uint64_t seed;
  const brink_external *externals; /* functions of libraries and of the caller */
} brink_frame;

/* ---- vm.c ---- */

typedef struct brink_code brink_code; /* constant once made; lives in the arena */

/* NULL: out of memory. The kernel must outlive it. */
brink_code *brink_code_make(const brink_kernel *kernel, brink_arena *arena);

/* Doubles of scratch that running needs. */
size_t brink_code_scratch(const brink_code *code);

/* Iterations first … first + count - 1. Outputs to space OUT go to out[j], j the output's position
 * (count should then be 1), unless the target has a stride or a map: then to out[slot]. Blocks of
 * iterations are run together where the kernel is not sequential. Accumulating kernels first set the
 * targets of these iterations to 0. Values for modes are cut to whole numbers (INT_MIN if they do not
 * fit). */
void brink_code_run(const brink_code *code, const brink_frame *frame, size_t first, size_t count,
                    double *scratch);

/* The values of single nodes at one iteration, after nothing was written: for the arguments of notes.
 * node i of the kernel's graph. */
double brink_code_node(const brink_code *code, const brink_frame *frame, size_t iteration,
                       brink_node node, double *scratch);

/* ---- series.h ---- */

typedef struct brink_flow brink_flow; /* the program for the series of the solution */

/* ---- emit.c ---- */

/* What of a system to compile: only what the run needs. dx/dt (system->rhs) is always there. */
typedef struct brink_emit_options {
  bool guards;    /* values of flags, and whether they are enabled */
  bool gradients; /* of flags: gradient_kernels */
  bool jets;      /* of flags */
  bool jacobian;  /* jacobian_program */
  bool actions;   /* of flags, clocks, rules; sampled conditions */
  bool comments;  /* names and source lines (brink emit); they do not enter the cache's key */
  bool all;       /* system->all: every variable and output */

  const brink_program *extra;  /* more kernels, each a function of its own; NULL: none */
  const brink_flow *flow;      /* the solution's series; NULL: not asked for */
  int flow_order, guard_order; /* orders that will be asked for: may be written out */
  int lanes; /* the solution's series of so many runs at once, too, if that is possible: 4 or 8; else 0 */

  /* One for each flag (NULL where there is none): outputs to OUT, whatever they mean to the caller. */
  brink_kernel *const *gradient_kernels;
  /* Outputs to OUT, or to any other space; an affine or mapped OUT is written at its slot. */
  const brink_program *jacobian_program;
} brink_emit_options;

/* What generated code is handed besides the frame. Maps, numbers of iterations and slots of arrays
 * are not in the source, so that one object serves all sizes of an array. */
typedef struct brink_tables {
  const uint32_t *const *maps;
  const uint32_t *numbers;
  double *scratch; /* written: a brink_tables belongs to one thread at a time */
  double (*random)(uint64_t seed, double stream, double draw);
  double (*poisson)(double u, double mean);
  double (*external)(const brink_external *externals, size_t code, const double *x);
} brink_tables;

typedef struct brink_emission {
  brink_text source;
  const uint32_t **maps;
  size_t nmaps;
  uint32_t *numbers;
  size_t nnumbers;
  size_t scratch;               /* doubles */
  const brink_kernel **kernels; /* that have a function of their own, in the order of the object */
  const brink_kernel **jets;    /* that have a series */
  size_t nkernels, njets;
  uint32_t *buckets; /* finds kernels */
  size_t nbuckets;
  brink_arena arena; /* holds all but the source */
} brink_emission;

/* Writes the C of a system. The same system gives the same bytes. False: out of memory (nothing to
 * free then). The emission points at the maps of the system's kernels. */
bool brink_emit(const brink_system *system, const brink_emit_options *options,
                const brink_allocator *allocator, brink_emission *emission);
void brink_emission_free(brink_emission *emission);
/* The place of a kernel in emission->kernels, or BRINK_NO_INDEX. */
uint32_t brink_emission_kernel(const brink_emission *emission, const brink_kernel *kernel);

/* ---- object.c ---- */

typedef void brink_native_program_fn(const brink_frame *frame, const brink_tables *tables);
/* Iterations first … first + count - 1 of a kernel, as brink_code_run. */
typedef void brink_native_kernel_fn(const brink_frame *frame, const brink_tables *tables,
                                    size_t first, size_t count);
/* As brink_series_run. */
typedef void brink_native_jet_fn(const brink_frame *frame, const brink_tables *tables,
                                 size_t iteration, int order, const double *t,
                                 const double *const *x, double *g);

/* As brink_flow_run; 0: this order was not compiled. */
typedef int brink_native_flow_fn(const brink_frame *frame, const brink_tables *tables, int order,
                                 double unit, double *const *rows, double *scratch);

/* The same of several runs at once: frames, times and units of each, and rows of vectors, one after another: coefficient k
 * of state i is at i*(order + 1) + k, the first of each row is given. */
typedef void brink_native_lanes_fn(const brink_frame *const *frames, const double *times,
                                   const double *units, double *rows);

/* A loaded object. Constant; may be shared by threads. */
typedef struct brink_object {
  brink_native_program_fn *rhs, *all, *jacobian; /* NULL: not compiled */
  brink_native_flow_fn *flow;                    /* likewise */
  brink_native_lanes_fn *lanes_flow;             /* likewise; … */
  int lanes, lanes_order;                        /* … of so many runs, to this order */
  brink_native_kernel_fn *const *kernels;        /* as brink_emission.kernels */
  brink_native_jet_fn *const *jets;              /* as brink_emission.jets */
  size_t nkernels, njets;
  char compiler[64]; /* "clang" */
  bool from_cache;
  double seconds; /* to find or make it, and to load it */
} brink_object;

#define BRINK_REASON 256

/* Compiles `source` (of brink_emit) or takes it from the cache, and loads it. `cache`: the directory;
 * NULL: $BRINK_CACHE, $XDG_CACHE_HOME/brink or ~/.cache/brink, and a private one, removed at once,
 * where none of these can be used. $BRINK_CC names the compiler: one program, no arguments, found in
 * PATH or given by its absolute path. By default it is the first of clang, cc, gcc in PATH; for short
 * sources cc and gcc, which start faster, come before clang.
 * A signal that ends the program, or has a handler, ends the compiler first: there is no object then.
 * Statuses: OK; UNSUPPORTED: there is no object, and `reason` (BRINK_REASON characters) says why: use
 * the interpreter; MEMORY. */
brink_status brink_object_load(const char *source, size_t length, const char *cache,
                               const brink_allocator *allocator, brink_object **object,
                               char *reason);
/* One use more of it, for brink_object_unload; any thread. */
brink_object *brink_object_share(brink_object *object);
void brink_object_unload(brink_object *object); /* NULL is fine */

/* ---- later.c: objects that are compiled while the interpreter runs ---- */

typedef enum brink_readiness { BRINK_NOT_YET, BRINK_READY, BRINK_NEVER } brink_readiness;

typedef struct brink_later brink_later;

/* As brink_object_load, but nobody waits: OK, and *object is there already, or *later is what to ask for it. */
brink_status brink_object_begin(const char *source, size_t length, const char *cache,
                                const brink_allocator *allocator, brink_object **object,
                                brink_later **later, char *reason);
/* Now and then, in any thread; some microseconds, but for the moments in which the compiler is started (after a while, when
 * compiling seems to pay) and its object is loaded. READY: *object, with a use more of it. NEVER: `reason` says why. */
brink_readiness brink_later_ask(brink_later *later, brink_object **object, char *reason);
/* Why there is no object yet, in a few words; constant text. */
const char *brink_later_state(brink_later *later);
/* A use more, and one less: the last one stops the compiler and removes its files. */
brink_later *brink_later_share(brink_later *later);
void brink_later_release(brink_later *later); /* NULL is fine */

/* object_store.c: the last few objects that were loaded. Belongs to one thread at a time; objects that were found in it
 * outlive it. */
typedef struct brink_object_store brink_object_store;
brink_object_store *
brink_object_store_create(const brink_allocator *allocator); /* NULL: no memory */
void brink_object_store_destroy(brink_object_store *store);  /* NULL is fine */
/* The object of this source in this cache, with a use more of it; NULL: it is not there. `later`: if it is under way,
 * what to ask for it, with a use more; NULL: that is not wanted. */
brink_object *brink_object_store_find(brink_object_store *store, const char *source, size_t length,
                                      const char *cache, brink_later **later);
/* One of both. Without memory for it, it is not stored. */
void brink_object_store_add(brink_object_store *store, brink_object *object, brink_later *later,
                            const char *source, size_t length, const char *cache);

/* ---- both together ---- */

/* A system's machine code with its tables: one for each thread that runs it. */
typedef struct brink_native {
  brink_allocator allocator;
  brink_emission emission;
  brink_object *object; /* NULL: it is under way */
  brink_later *later;   /* of which this knows more; else NULL */
  double seconds;       /* to find or make the object, and to load it; 0: it was in the store */
  brink_tables tables;
} brink_native;

/* brink_emit, brink_object_load, and the tables; statuses of brink_object_load. The system must
 * outlive it. `store`: where the object is looked for first, and put; NULL: nowhere. */
brink_status brink_native_create(const brink_system *system, const brink_emit_options *options,
                                 const char *cache, brink_object_store *store,
                                 const brink_allocator *allocator, brink_native **native,
                                 char *reason);
/* The same, but nobody waits for the compiler: the object may be missing, and is asked for now and then. Its functions are
 * there when the answer is READY. One thread asks at a time. */
brink_status brink_native_begin(const brink_system *system, const brink_emit_options *options,
                                const char *cache, brink_object_store *store,
                                const brink_allocator *allocator, brink_native **native,
                                char *reason);
brink_readiness brink_native_ask(brink_native *native, char *reason);
void brink_native_destroy(brink_native *native); /* NULL is fine */

/* The function of a kernel of the system; NULL: it was not compiled. A search: ask once. */
brink_native_kernel_fn *brink_native_kernel(const brink_native *native, const brink_kernel *kernel);
brink_native_jet_fn *brink_native_jet(const brink_native *native, const brink_kernel *kernel);

/* ---- instance.c ---- */

/* Values of inputs over time: row k holds those of system->driven at t[k]. Between rows signals are linear,
 * unless the system was flattened to hold them; before the first row and after the last one they stay. */
typedef struct brink_input_table {
  const double *t; /* increasing; two rows at one time: a jump */
  size_t nrows;
  const double *values; /* values[row*ndriven + k] */
} brink_input_table;

typedef struct brink_instance_options {
  bool interpret; /* never call a compiler */
  bool later; /* start in the interpreter; change over when the compiler is done. Not with lanes. */
  uint32_t
      change_at; /* for tests, with later: wait for the compiler, and change over at this call */
  const char *cache;           /* directory; NULL: the user's cache directory */
  brink_object_store *objects; /* of objects that are loaded; NULL: none. Used while it is made. */
  double rtol, atol;           /* displace range surfaces */
  uint64_t seed;
  const brink_input_table *inputs; /* must outlive the instance; NULL: inputs stay as they are */
  bool range_warns;                /* a value outside its range is a warning, not the end */
  bool wants_jacobian;             /* the method will ask for it */
  bool may_want_jacobian;          /* … perhaps: it is interpreted, and costs no compilation */
  /* Parameters are taken to stay as they are: guards may be made numbers with them. Not those that vary: the model
   * stands for many that differ in them, or the caller writes them during the run (brink_sim_set_parameter). */
  bool parameters_vary;               /* all of them */
  const bool *varies_p, *varies_mode; /* or these slots of P and MODE; NULL: none. Read once. */
  bool wants_flow_jet;
  bool only_if_worth; /* … unless it would cost more than it saves (num/order.h) */
  int flow_order;     /* the order that the method will ask for; 0: that of brink_series_order */
  int lanes; /* the series of so many runs at once, too, where that is possible: 4 or 8; else 0 */
  bool
      takes_turns; /* agents take turns in the instance: each one starts with brink_instance_begin */
} brink_instance_options;

typedef struct brink_instance brink_instance;

/* A model that simulates the system from its initial values, with everything its callbacks write to:
 * one instance a simulation. The system (finished: brink_system_finish) must outlive it. Falls back to the
 * interpreter where no compiler works: see brink_instance_engine. `options` NULL: zeroed. With
 * wants_jacobian, derivatives are added to the system's arena.
 * Statuses: ARGUMENT, DOMAIN (a first output is not a number), MEMORY, UNSUPPORTED (constraints). */
brink_status brink_instance_create(brink_system *system, const brink_instance_options *options,
                                   const brink_allocator *allocator, brink_diag *diag,
                                   brink_instance **instance);
void brink_instance_destroy(brink_instance *instance); /* NULL is fine */

/* The series that it is asked for end when this is over; it outlives them. NULL, as at first: they are waited for. */
void brink_instance_heed(brink_instance *instance, brink_patience *patience);

/* Another instance of the same system, with the same options, as `like` was when it was made. It shares the code, the
 * tables and the definition of the model with it, and has its own of everything that callbacks write to: it gives the
 * same bits and may be used in another thread. Nothing is translated, compiled or loaded. Any of them may be destroyed
 * first, in any thread; the last one gives back what they share, to the allocator of the first. `like` may be in use
 * meanwhile. Statuses: ARGUMENT, MEMORY. */
brink_status brink_instance_clone(const brink_instance *like, const brink_allocator *allocator,
                                  brink_diag *diag, brink_instance **copy);

/* instance_lanes.c: series of several runs at once. How many; 0: the code has none, and *why says so in a few words. Instances
 * with the same code may be in one group. */
int brink_instance_lanes(const brink_instance *instance, const char **why);
brink_native_lanes_fn *brink_instance_lanes_code(const brink_instance *instance);
/* The instance is going to be asked with this environment, whose arrays stay where they are. */
void brink_instance_begin_lanes(brink_instance *instance, const brink_env *env);
/* The series of the solutions of so many instances, to the order that they were made for; environments as of their
 * callbacks, rows as of brink_native_lanes_fn. A bit for each that has one. */
unsigned brink_instance_flow_lanes(const brink_env *const *envs, const double *times,
                                   const double *units, double *rows);

/* What an instance shares with its clones, by itself: an instance can be made of it when there is none any more. */
typedef struct brink_shared brink_shared;
brink_shared *brink_instance_share_more(const brink_instance *instance); /* a use more of it */
void brink_shared_release(brink_shared *shared);                         /* NULL is fine */
/* As brink_instance_clone. */
brink_status brink_shared_instance(brink_shared *shared, const brink_allocator *allocator,
                                   brink_diag *diag, brink_instance **instance);

/* The instance as it was when it was made: it forgets endings, warnings, notes and what came to rest. A simulation of
 * its model can be reset then, and runs as it did before. */
void brink_instance_reset(brink_instance *instance);

/* Starts from other values: those of `fresh`, a system like that of the instance (brink_system_like), and with this seed.
 * Gives the bits that a new instance of `fresh` would give, and costs next to nothing; the system of the instance has the
 * values of `fresh` then, and simulations are made anew. No clone may share the instance's code. False: it takes a new one, because
 * the values ask for guards of another kind, end the run at once, or are none; then this one can only be destroyed. */
bool brink_instance_renew(brink_instance *instance, const brink_system *fresh, uint64_t seed);

const brink_model *brink_instance_model(const brink_instance *instance);
const brink_system *brink_instance_system(const brink_instance *instance);

/* May the caller write this slot of P or MODE during a run? False: its value was taken as constant by a guard (ask
 * for another instance with varies_p), or there is no such slot. */
bool brink_instance_may_write(const brink_instance *instance, brink_space space, size_t slot);

/* An agent begins at x, p, mode: the tolerances and what its parts hold before their first sample are written into
 * p and mode; a value outside its range is the ending, or a warning. DOMAIN, MEMORY, or OK. */
brink_status brink_instance_begin(brink_instance *instance, const double *x, double *p, int *mode,
                                  brink_diag *diag);

/* A simulation of the one instance's model was cloned with the other's as its model: what callbacks remember of the
 * run so far is copied, too. Both are instances of one system with the same options. OK or ARGUMENT. */
brink_status brink_instance_copy_run(brink_instance *to, const brink_instance *from,
                                     brink_diag *diag);

/* The same to bytes and back, into an instance of the same system and options. Labels are copied. */
void brink_instance_archive(brink_instance *instance, brink_archive *a);

/* "clang", "cc", "cache", "interpreter", and the seconds that compiling took (0 for a clone). */
const char *brink_instance_engine(const brink_instance *instance);
/* Why there is no machine code; "" if there is, or was not wanted. */
const char *brink_instance_reason(const brink_instance *instance);
double brink_instance_compile_seconds(const brink_instance *instance);
/* The time at which the instance has changed over to machine code; NaN: it has not, or had it from the start. */
double brink_instance_native_from(const brink_instance *instance);

/* Reads any variable: evaluates all equations at a point, then look with brink_instance_value, before
 * the simulation goes on. sgn NULL: the signs that guards have there by their values. */
void brink_instance_evaluate(brink_instance *instance, double t, const double *x, const double *p,
                             const int *mode, const signed char *sgn);
double brink_instance_value(const brink_instance *instance, uint32_t variable, size_t element);
/* Derivatives of what equations compute, at a point, in directions: of slots[k] of V, a row of along->count. env->sgn
 * NULL: as above. False: out of memory. */
bool brink_instance_value_tangents(brink_instance *instance, double t, const double *x,
                                   const brink_env *env, const brink_tangents *along,
                                   const size_t *slots, size_t count, double *dv);
double brink_instance_slot(const brink_instance *instance, brink_space space, size_t slot);

/* After brink_instance_evaluate: the value of a flag of the system there; of a formula 1 (true) or -1. */
double brink_instance_flag_value(brink_instance *instance, uint32_t flag, size_t index);

/* Likewise: would the action of a flag for this direction, run there, change a value, or end the run? */
bool brink_instance_would_act(brink_instance *instance, uint32_t flag, size_t index,
                              brink_direction direction);

/* Which flag (and which of its instances) a guard of the model is. */
void brink_instance_flag(const brink_instance *instance, size_t guard, uint32_t *flag,
                         size_t *index);

/* Notes of the last event's action: call from the sink's event callback. What samples and rules note
 * after it is added, up to some limit, until the next event. */
typedef struct brink_note_value {
  brink_value_type type;
  double value;
} brink_note_value;
typedef struct brink_note {
  const char *label;
  const brink_note_value *values;
  size_t nvalues;
} brink_note;
const brink_note *brink_instance_notes(const brink_instance *instance, size_t *count);

/* Why the run ended, if an action ended it: stop, fail, range. (Outputs that are outside their ranges
 * at the start end the run when it begins.) */
typedef enum brink_ending {
  BRINK_ENDING_NONE,
  BRINK_ENDING_STOP,
  BRINK_ENDING_FAIL,
  BRINK_ENDING_RANGE,
  BRINK_ENDING_RULES, /* rules that never settle */
} brink_ending;
brink_ending brink_instance_ending(const brink_instance *instance, const char **message);

/* Input k that a function of the caller drives: its name, and what became of the calls; NULL: there are no more. */
const char *brink_instance_function(const brink_instance *instance, size_t k,
                                    const brink_time_calls **calls);
/* Is one of these functions being called? Then nothing may be evaluated: its caller is in the middle of that. */
bool brink_instance_asks(const brink_instance *instance);

/* Values outside their ranges, with range_warns: "plant.h = -0.1 at t = 3 is outside its range (0, 10)".
 */
const char *const *brink_instance_warnings(const brink_instance *instance, size_t *count);

#endif
