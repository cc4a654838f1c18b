/* native.c: what generated code costs.
 *
 *   native          right-hand sides: by hand in C, generated and compiled, interpreted; then what
 *                   compiling takes for 10 to 10000 states
 *
 * Goals: compiled at most 1.2 times the time of the function by hand, interpreted at most 30 times;
 * 100 states compiled in 0.3 s, found in the cache in 0.02 s. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "native/native.h"
#include "support/run.h"

enum { STATES = 128, CELLS = STATES / 2 };

static const char *cache; /* a directory of this run */

/* ---- the same functions, by hand ---- */

typedef void hand_fn(double t, const double *restrict x, const double *restrict p,
                     double *restrict dx, size_t n);

/* Heat along a bar that loses some to the air: x_i' = a (x_(i-1) - 2 x_i + x_(i+1)) - b x_i^3, warmed
 * at the left end. Arithmetic only. */
static void bar(double t, const double *restrict x, const double *restrict p, double *restrict dx,
                size_t n) {
  double a = p[0], b = p[1];
  for (size_t i = 0; i < n; i++) {
    double left = i > 0 ? x[i - 1] : t, right = i + 1 < n ? x[i + 1] : 0.0;
    dx[i] = a * ((left - 2.0 * x[i]) + right) - b * ((x[i] * x[i]) * x[i]);
  }
}

/* Pendula whose pivots are springs, each with parameters of its own: sine and cosine. */
static void pendula(double t, const double *restrict x, const double *restrict p,
                    double *restrict dx, size_t n) {
  size_t m = n / 2;
  for (size_t i = 0; i < m; i++) {
    double angle = x[i], speed = x[m + i];
    dx[i] = speed;
    dx[m + i] = (cos(angle) * cos(t) - p[i] * sin(angle)) - p[m + i] * speed;
  }
}

/* ---- as systems ---- */

static void check(bool ok) {
  if (ok) return;
  fprintf(stderr, "out of memory\n");
  exit(1);
}

static brink_kernel *add_kernel(brink_system *system, size_t count) {
  brink_kernel *kernel = brink_arena_take(&system->arena, 1, sizeof *kernel);
  brink_kernel **kernels =
      brink_arena_pack(&system->arena, system->rhs.nkernels + 1, sizeof *kernels);
  check(kernel != NULL && kernels != NULL);
  if (system->rhs.nkernels > 0)
    memcpy(kernels, system->rhs.kernels, system->rhs.nkernels * sizeof *kernels);
  kernels[system->rhs.nkernels++] = kernel;
  system->rhs.kernels = kernels;
  kernel->count = count;
  brink_graph_init(&kernel->graph, &system->arena, count);
  return kernel;
}

static brink_node ref(brink_kernel *k, brink_space space, size_t base, int stride) {
  return brink_graph_ref(
      &k->graph,
      (brink_ref){.space = space, .base = (uint32_t)base, .stride = k->count > 1 ? stride : 0});
}

static void output(brink_kernel *k, size_t base, brink_node node) {
  void *outputs = k->outputs;
  check(brink_arena_grow(k->graph.arena, &outputs, k->noutputs, &k->outputs_capacity,
                         sizeof *k->outputs));
  k->outputs = outputs;
  k->outputs[k->noutputs++] = (brink_output){
      .target = {.space = BRINK_SPACE_DX, .base = (uint32_t)base, .stride = k->count > 1 ? 1 : 0},
      .node = node,
      .when = BRINK_NO_NODE,
      .variable = BRINK_NO_NODE};
}

static brink_node op(brink_kernel *k, brink_op o, brink_node a, brink_node b) {
  return brink_graph_op2(&k->graph, o, a, b);
}
static brink_node constant(brink_kernel *k, double value) {
  return brink_graph_constant(&k->graph, value);
}

/* Cell i (or cells from i on, in a loop) of the bar. */
static void bar_cells(brink_kernel *k, size_t i, brink_node left, brink_node right) {
  brink_node x = ref(k, BRINK_SPACE_X, i, 1), a = ref(k, BRINK_SPACE_P, 0, 0),
             b = ref(k, BRINK_SPACE_P, 1, 0);
  brink_node bend = op(k, BRINK_OP_SUB, left, op(k, BRINK_OP_MUL, constant(k, 2.0), x));
  brink_node cube = op(k, BRINK_OP_MUL, op(k, BRINK_OP_MUL, x, x), x);
  output(k, i,
         op(k, BRINK_OP_SUB, op(k, BRINK_OP_MUL, a, op(k, BRINK_OP_ADD, bend, right)),
            op(k, BRINK_OP_MUL, b, cube)));
}

static void bar_system(brink_system *system, size_t n, bool loops) {
  brink_kernel *k = add_kernel(system, 1);
  brink_node time = brink_graph_time(&k->graph);
  bar_cells(k, 0, time, ref(k, BRINK_SPACE_X, 1, 0));
  for (size_t i = 1; !loops && i + 1 < n; i++)
    bar_cells(k, i, ref(k, BRINK_SPACE_X, i - 1, 0), ref(k, BRINK_SPACE_X, i + 1, 0));
  bar_cells(k, n - 1, ref(k, BRINK_SPACE_X, n - 2, 0), constant(k, 0.0));
  if (!loops) return;
  k = add_kernel(system, n - 2);
  bar_cells(k, 1, ref(k, BRINK_SPACE_X, 0, 1), ref(k, BRINK_SPACE_X, 2, 1));
}

static void pendulum(brink_kernel *k, size_t i, size_t m) {
  brink_node angle = ref(k, BRINK_SPACE_X, i, 1), speed = ref(k, BRINK_SPACE_X, m + i, 1);
  brink_node drive = op(k, BRINK_OP_MUL, brink_graph_op1(&k->graph, BRINK_OP_COS, angle),
                        brink_graph_op1(&k->graph, BRINK_OP_COS, brink_graph_time(&k->graph)));
  brink_node weight = op(k, BRINK_OP_MUL, ref(k, BRINK_SPACE_P, i, 1),
                         brink_graph_op1(&k->graph, BRINK_OP_SIN, angle));
  brink_node drag = op(k, BRINK_OP_MUL, ref(k, BRINK_SPACE_P, m + i, 1), speed);
  output(k, i, speed);
  output(k, m + i, op(k, BRINK_OP_SUB, op(k, BRINK_OP_SUB, drive, weight), drag));
}

static void pendula_system(brink_system *system, size_t n, bool loops) {
  brink_kernel *k = add_kernel(system, loops ? n / 2 : 1);
  for (size_t i = 0; i < (loops ? 1 : n / 2); i++) pendulum(k, i, n / 2);
}

typedef void system_fn(brink_system *system, size_t n, bool loops);

/* ---- speed ---- */

typedef struct point {
  double x[STATES], p[STATES], dx[STATES];
  brink_frame frame;
} point;

static void set_point(point *at) {
  *at = (point){0};
  for (size_t i = 0; i < STATES; i++) {
    at->x[i] = sin(1.0 + (double)i);
    at->p[i] = 0.5 + 0.001 * (double)i;
  }
  at->frame = (brink_frame){.t = 0.25, .x = at->x, .p = at->p, .dx = at->dx};
}

typedef struct subject {
  hand_fn *hand;
  const brink_native *native;
  const brink_program *program; /* interpreted */
  brink_code **codes;
  double *scratch;
} subject;

static void evaluate(const subject *s, point *at) {
  if (s->hand != NULL) {
    s->hand(at->frame.t, at->x, at->p, at->dx, STATES);
  } else if (s->native != NULL) {
    s->native->object->rhs(&at->frame, &s->native->tables);
  } else {
    for (size_t k = 0; k < s->program->nkernels; k++)
      brink_code_run(s->codes[k], &at->frame, 0, s->program->kernels[k]->count, s->scratch);
  }
}

/* Nanoseconds of one evaluation: the best of short series, which are as many as fit into a while. */
static double nanoseconds(const subject *s, point *at) {
  enum { CALLS = 200 };
  double best = INFINITY, end = bench_now() + 0.4;
  while (bench_now() < end) {
    double start = bench_now();
    for (int k = 0; k < CALLS; k++) {
      at->x[k % STATES] += 1e-9;
      evaluate(s, at);
    }
    best = fmin(best, (bench_now() - start) / CALLS);
  }
  return 1e9 * best;
}

static void interpret(brink_system *system, subject *s) {
  size_t n = system->rhs.nkernels, room = 0;
  *s = (subject){.program = &system->rhs,
                 .codes = brink_arena_take(&system->arena, n, sizeof *s->codes)};
  check(s->codes != NULL);
  for (size_t k = 0; k < n; k++) {
    s->codes[k] = brink_code_make(system->rhs.kernels[k], &system->arena);
    check(s->codes[k] != NULL);
    if (brink_code_scratch(s->codes[k]) > room) room = brink_code_scratch(s->codes[k]);
  }
  s->scratch = brink_arena_take(&system->arena, room, sizeof *s->scratch);
  check(s->scratch != NULL);
}

static brink_native *compile(const brink_system *system) {
  char reason[BRINK_REASON];
  brink_native *native;
  if (brink_native_create(system, &(brink_emit_options){0}, cache, NULL, NULL, &native, reason) !=
      BRINK_OK) {
    fprintf(stderr, "not compiled: %s\n", reason);
    exit(1);
  }
  return native;
}

/* Do both give the bits of the function by hand? (It may be compiled with sincos or vectors.) */
static double difference(const point *a, const point *b) {
  double largest = 0.0;
  for (size_t i = 0; i < STATES; i++) largest = fmax(largest, fabs(a->dx[i] - b->dx[i]));
  return largest;
}

static void compare_speed(const char *name, hand_fn *hand, system_fn *make, bool loops) {
  brink_system system = {.name = name, .nx = STATES, .np = STATES};
  static point by_hand, at;
  subject interpreted;
  brink_arena_init(&system.arena, NULL);
  make(&system, STATES, loops);
  brink_native *native = compile(&system);
  interpret(&system, &interpreted);
  subject subjects[3] = {{.hand = hand}, {.native = native}, interpreted};
  double times[3], off = 0.0;
  set_point(&by_hand);
  evaluate(&subjects[0], &by_hand);
  for (int k = 0; k < 3; k++) {
    set_point(&at);
    evaluate(&subjects[k], &at);
    off = fmax(off, difference(&by_hand, &at));
    times[k] = nanoseconds(&subjects[k], &at);
  }
  printf("%-10s %-9s %9.0f %9.0f %9.0f %9.2f %9.1f %10.1g\n", name, loops ? "loop" : "straight",
         times[0], times[1], times[2], times[1] / times[0], times[2] / times[0], off);
  brink_native_destroy(native);
  brink_arena_free(&system.arena);
}

/* ---- compiling ---- */

static void measure_compiling(const char *name, system_fn *make, size_t n, bool loops) {
  brink_system system = {.name = name, .nx = n, .np = n};
  brink_emission emission;
  brink_object *object;
  char reason[BRINK_REASON], compiler[80];
  brink_arena_init(&system.arena, NULL);
  make(&system, n, loops);
  double start = bench_now();
  check(brink_emit(&system, &(brink_emit_options){0}, NULL, &emission));
  double emitting = bench_now() - start, seconds[2];
  for (int k = 0; k < 2; k++) {
    if (brink_object_load(emission.source.data, emission.source.length, cache, NULL, &object,
                          reason) != BRINK_OK) {
      printf("%-10s %-9s %7zu: %s\n", name, loops ? "loop" : "straight", n, reason);
      return;
    }
    seconds[k] = object->seconds;
    if (k == 0)
      snprintf(compiler, sizeof compiler, "%s%s", object->compiler,
               object->from_cache ? ", cached" : "");
    brink_object_unload(object);
  }
  printf("%-10s %-9s %7zu %9zu %9.4f %9.3f %9.4f  %s\n", name, loops ? "loop" : "straight", n,
         emission.source.length / 1024, emitting, seconds[0], seconds[1], compiler);
  fflush(stdout);
  brink_emission_free(&emission);
  brink_arena_free(&system.arena);
}

int main(void) {
  char place[] = "/tmp/brink-bench-XXXXXX", command[64];
  static const size_t sizes[] = {10, 100, 1000, 10000};
  cache = mkdtemp(place);
  if (cache == NULL) return 1;
  printf("%d states, ns an evaluation\n%-10s %-9s %9s %9s %9s %9s %9s %10s\n", STATES, "", "",
         "by hand", "compiled", "interpr.", "c/hand", "i/hand", "off by");
  for (int loops = 1; loops >= 0; loops--) {
    compare_speed("bar", bar, bar_system, loops != 0);
    compare_speed("pendula", pendula, pendula_system, loops != 0);
  }
  printf("\n%-10s %-9s %7s %9s %9s %9s %9s\n", "compiling", "", "states", "kB", "emit s", "cold s",
         "warm s");
  for (int loops = 1; loops >= 0; loops--) {
    /* Sizes of loops are not in the source: the second to ask finds what the first made. */
    for (size_t k = 0; k < 4; k++) measure_compiling("bar", bar_system, sizes[k], loops != 0);
    for (size_t k = 0; k < 4; k++)
      measure_compiling("pendula", pendula_system, sizes[k], loops != 0);
  }
  snprintf(command, sizeof command, "rm -rf %s", place);
  return system(command) == 0 ? 0 : 1;
}
