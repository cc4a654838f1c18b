/* vm.h: the code of the register machine, shared by vm.c (makes it), vm_run.c (runs it), and
 * vm_series.c (reads the same spaces). Nothing else includes this.
 *
 * A register holds one value, or a block of values of up to VM_LANES iterations. Registers are numbered so:
 *
 *   0 … nconstants - 1           constants, set before the first instruction
 *   … ninvariants - 1            what is the same in all iterations, computed by the prologue
 *   … nregisters - 1             the rest, reused as soon as a value is not needed any more
 */
#ifndef BRINK_NATIVE_VM_H
#define BRINK_NATIVE_VM_H

#include <limits.h>
#include <math.h>

#include "native/native.h"

enum { VM_LANES = 32 };

/* Fewer iterations than this are run one by one. */
enum { VM_LEAST_BLOCK = 4 };

/* Instructions are the operators of graph.h (but CONST and REF; b of a LOOKUP or FIND is a number of refs), and these. */
enum {
  VM_SLOT = BRINK_OP_COUNT, /* d = space a, slot b: a double */
  VM_SLOT_INT,              /* the same, an int: MODE or PRE_MODE */
  VM_SLOT_SIGN,             /* the same, SIGN */
  VM_REF,                   /* d = refs[a] of this iteration */
  VM_MULADD,                /* d = a*b + c, rounded twice */
  VM_MULSUB,                /* d = a*b - c */
  VM_SUBMUL,                /* d = c - a*b */
  VM_PUT,                   /* slot d of space a becomes b: a double, always, not added */
  VM_WRITE,                 /* write output a */
};

typedef struct vm_instruction {
  uint32_t op : 8;
  uint32_t d : 24; /* registers and outputs are fewer than nodes: BRINK_GRAPH_LIMIT */
  uint32_t a, b, c;
} vm_instruction;

#define VM_NO_REGISTER UINT32_MAX

/* A call of an external function (b of an EXTERNAL is its number): registers of the arguments. */
typedef struct vm_call {
  size_t code, count;
  uint32_t argument[BRINK_EXTERNAL_ARGUMENTS];
} vm_call;

/* One output, as registers. */
typedef struct vm_output {
  uint32_t value, when; /* when: VM_NO_REGISTER: always */
} vm_output;

struct brink_code {
  const brink_kernel *kernel;
  const vm_instruction *instructions;
  size_t prologue;  /* instructions that compute invariants */
  size_t computing; /* instructions before the first that writes */
  size_t ninstructions;
  const double *constants;
  size_t nconstants, ninvariants, nregisters;
  const vm_output *outputs;
  const vm_call *calls;
  bool blocks; /* worth running in blocks */
};

/* ---- operators that are not one C operator or libm function; as brink_op_apply ---- */

static inline double vm_min(double a, double b) {
  return a < b || a != a ? a : b;
}
static inline double vm_max(double a, double b) {
  return a > b || a != a ? a : b;
}
/* As the processor cuts: what does not fit is the smallest int. */
static inline int vm_to_int(double a) {
  return a > -2147483649.0 && a < 2147483648.0 ? (int)a : INT_MIN;
}

/* ---- spaces ---- */

/* Where the doubles of a space are read; NULL: not one of doubles. */
static inline const double *vm_doubles(const brink_frame *frame, uint32_t space) {
  switch (space) {
  case BRINK_SPACE_X:
    return frame->x;
  case BRINK_SPACE_P:
    return frame->p;
  case BRINK_SPACE_V:
    return frame->v;
  case BRINK_SPACE_DX:
    return frame->dx;
  case BRINK_SPACE_K:
    return frame->k;
  case BRINK_SPACE_PRE_X:
    return frame->pre_x;
  case BRINK_SPACE_PRE_P:
    return frame->pre_p;
  case BRINK_SPACE_LOCAL:
    return frame->local;
  default:
    return NULL;
  }
}

static inline const int *vm_ints(const brink_frame *frame, uint32_t space) {
  return space == BRINK_SPACE_MODE ? frame->mode : frame->pre_mode;
}

/* The doubles that a kernel may write. */
static inline double *vm_targets(const brink_frame *frame, uint32_t space) {
  switch (space) {
  case BRINK_SPACE_X:
    return frame->to_x;
  case BRINK_SPACE_P:
    return frame->to_p;
  case BRINK_SPACE_V:
    return frame->v;
  case BRINK_SPACE_DX:
    return frame->dx;
  case BRINK_SPACE_OUT:
    return frame->out;
  case BRINK_SPACE_LOCAL:
    return frame->local;
  default:
    return NULL;
  }
}

/* The slot of output j in one iteration. */
static inline size_t vm_target_slot(const brink_kernel *kernel, size_t j, size_t iteration) {
  const brink_ref *target = &kernel->outputs[j].target;
  if (target->space == BRINK_SPACE_OUT && target->map == NULL && target->stride == 0) return j;
  return brink_ref_slot(target, iteration);
}

double vm_read(const brink_frame *frame, const brink_ref *ref, size_t iteration);
/* Element `index` of an array. */
double vm_lookup(const brink_frame *frame, const brink_ref *array, size_t iteration, double index);
/* A LOOKUP or a FIND. */
double vm_array(brink_op op, const brink_frame *frame, const brink_ref *array, size_t iteration,
                double a);

#endif
