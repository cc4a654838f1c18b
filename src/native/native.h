/* native.h: from the flat system to something that runs.
 *
 *   vm.c        the interpreter: kernels as code of a register machine
 *   emit.c      kernels as C
 *   compile.c   C to a shared object, by the system's compiler, with a cache
 *   instance.c  a brink_model whose callbacks run one or the other
 *
 * Interpreter and machine code give the same bits: the same operations in the same order, the same
 * libm, constants folded before, no contraction. */
#ifndef BRINK_NATIVE_NATIVE_H
#define BRINK_NATIVE_NATIVE_H

#include "expr/system.h"

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
  double *v;   /* read and written */
  double *dx;  /* read and written */
  double *out; /* written by position of the output: out[j] */
  double *to_x, *to_p; /* actions write here (may be the arrays read above) */
  int *to_mode;
  uint64_t seed;
} brink_frame;

/* ---- vm.c ---- */

typedef struct brink_code brink_code; /* constant once made; lives in the arena */

/* NULL: out of memory. The kernel must outlive it. */
brink_code *brink_code_make(const brink_kernel *kernel, brink_arena *arena);

/* Doubles of scratch that running or jets of this order need. */
size_t brink_code_scratch(const brink_code *code);
size_t brink_code_jet_scratch(const brink_code *code, int order);

/* Iterations first … first + count - 1. Outputs to space OUT go to out[j], j the output's position
 * (count must then be 1). Blocks of iterations are run together where the kernel is not sequential. */
void brink_code_run(const brink_code *code, const brink_frame *frame, size_t first, size_t count,
                    double *scratch);

/* The values of single nodes at one iteration, after nothing was written: for the arguments of notes.
 * node i of the kernel's graph. */
double brink_code_node(const brink_code *code, const brink_frame *frame, size_t iteration,
                       brink_node node, double *scratch);

/* The series of output `output` of one iteration, order + 1 coefficients into `g`, from the series of
 * time and of every state (see brink_guard_jet_fn). False: some coefficient does not exist (NaN). */
void brink_code_jet(const brink_code *code, const brink_frame *frame, size_t iteration,
                    size_t output, int order, const double *t, const double *const *x, double *g,
                    double *scratch);

/* The Taylor coefficients of the solution through (t, x): rows[i][0] = x[i] on entry. Runs a whole
 * program order by order. `workspace` holds brink_flow_jet_scratch doubles. */
size_t brink_flow_jet_scratch(const brink_code *const *codes, size_t ncodes, size_t nv, int order);
bool brink_flow_jet(const brink_code *const *codes, size_t ncodes, const brink_frame *frame,
                    size_t nx, size_t nv, int order, double *const *rows, double *workspace);

/* ---- emit.c ---- */

/* What of a system to compile: only what the run needs. */
typedef struct brink_emit_options {
  bool guards;    /* values */
  bool gradients;
  bool jets;
  bool jacobian;
  bool actions;
  bool comments; /* names and source lines (brink emit); they do not enter the cache's key */
} brink_emit_options;

/* ---- instance.c ---- */

typedef struct brink_instance_options {
  bool interpret;        /* never call a compiler */
  const char *cache;     /* directory; NULL: the user's cache directory */
  double rtol, atol;     /* displace range surfaces */
  uint64_t seed;
  bool range_warns;      /* a value outside its range is a warning, not the end */
  bool wants_jacobian;   /* the method will ask for it */
  bool wants_flow_jet;
} brink_instance_options;

typedef struct brink_instance brink_instance;

/* A model that simulates the system, with everything its callbacks write to: one instance a
 * simulation. The system must outlive it. `values` (NULL: the system's own) are x0, p0, mode0.
 * Falls back to the interpreter where no compiler works; brink_instance_engine tells. */
brink_status brink_instance_create(brink_system *system, const brink_instance_options *options,
                                   const brink_allocator *allocator, brink_diag *diag,
                                   brink_instance **instance);
void brink_instance_destroy(brink_instance *instance);

const brink_model *brink_instance_model(const brink_instance *instance);

/* "clang", "cc", "cache", "interpreter", and the seconds that compiling took. */
const char *brink_instance_engine(const brink_instance *instance);
double brink_instance_compile_seconds(const brink_instance *instance);

/* Reads any variable: evaluates all equations at a point, then look with brink_instance_value. */
void brink_instance_evaluate(brink_instance *instance, double t, const double *x, const double *p,
                             const int *mode, const signed char *sgn);
double brink_instance_value(const brink_instance *instance, uint32_t variable, size_t element);

/* Which flag (and which of its instances) a guard of the model is. */
void brink_instance_flag(const brink_instance *instance, size_t guard, uint32_t *flag,
                         size_t *index);

/* Notes of the last event's action: call from the sink's event callback. */
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

/* Why the run ended, if an action ended it: stop, fail, range. */
typedef enum brink_ending {
  BRINK_ENDING_NONE,
  BRINK_ENDING_STOP,
  BRINK_ENDING_FAIL,
  BRINK_ENDING_RANGE,
  BRINK_ENDING_RULES, /* rules that never settle */
} brink_ending;
brink_ending brink_instance_ending(const brink_instance *instance, const char **message);

/* Values outside their ranges, with range_warns: "plant.h = -0.1 at t = 3, outside (0, 10)". */
const char *const *brink_instance_warnings(const brink_instance *instance, size_t *count);

#endif
