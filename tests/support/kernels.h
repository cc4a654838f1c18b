/* kernels.h: hand-made and random kernels, something for them to work on, and the plainest possible
 * evaluation of them to compare with. */
#ifndef BRINK_TESTS_KERNELS_H
#define BRINK_TESTS_KERNELS_H

#include "native/native.h"

/* ---- random numbers (splitmix64) ---- */

uint64_t kernels_bits(uint64_t *state);
double kernels_uniform(uint64_t *state, double lo, double hi);
size_t kernels_below(uint64_t *state, size_t n); /* 0 … n - 1 */

/* ---- memory for kernels ---- */

/* Sizes of the arrays. The lower half of V is only read, the upper half only written, except by
 * sequential kernels. */
enum {
  KERNELS_X = 64,
  KERNELS_P = 24,
  KERNELS_MODES = 16,
  KERNELS_SIGNS = 12,
  KERNELS_V = 2048,
  KERNELS_DX = 1024,
  KERNELS_K = 16,
  KERNELS_OUT = 1024,
};

enum { KERNELS_WHAT = 128 };

typedef struct kernels_memory {
  double x[KERNELS_X], p[KERNELS_P], k[KERNELS_K], pre_x[KERNELS_X], pre_p[KERNELS_P];
  int mode[KERNELS_MODES], pre_mode[KERNELS_MODES];
  signed char sgn[KERNELS_SIGNS];
  double v[KERNELS_V], dx[KERNELS_DX], out[KERNELS_OUT];
  brink_frame frame; /* points at the above */
} kernels_memory;

/* Fills everything with random values and sets the frame. */
void kernels_fill(kernels_memory *memory, uint64_t *state);
/* A copy whose frame points at itself. */
void kernels_copy(kernels_memory *to, const kernels_memory *from);
/* The first difference, as text into `what`; NaNs are equal. */
bool kernels_same(const kernels_memory *a, const kernels_memory *b, char what[KERNELS_WHAT]);

/* ---- kernels ---- */

brink_kernel *kernels_make(brink_arena *arena, const char *name, size_t count);
brink_node kernels_ref(brink_kernel *kernel, brink_space space, uint32_t base, int32_t stride);
brink_node kernels_mapped(brink_kernel *kernel, brink_space space, const uint32_t *map);
brink_output *kernels_output(brink_kernel *kernel, brink_space space, uint32_t base, int32_t stride,
                             brink_node node);

typedef enum kernels_style {
  KERNELS_EQUATION, /* writes V and DX */
  KERNELS_ACTION,   /* writes X, P and MODE */
  KERNELS_VALUE,    /* writes OUT */
} kernels_style;

/* A random kernel of about `size` nodes: all operators, all spaces, maps, conditions; sequential or
 * accumulating now and then. */
brink_kernel *kernels_random(brink_arena *arena, uint64_t *state, kernels_style style, size_t count,
                             size_t size);

/* Node by node, iteration by iteration. */
void kernels_run_plainly(const brink_kernel *kernel, const brink_frame *frame, size_t first,
                         size_t count);

/* An empty system with these sizes and one group, to hang kernels on. */
void kernels_system(brink_system *system, const brink_allocator *allocator);
void kernels_add_to(brink_program *program, brink_arena *arena, brink_kernel *kernel);

#endif
