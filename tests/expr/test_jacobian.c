/* test_jacobian.c: Jacobians and gradients of whole kernels, against differences and by hand. */
#include "check.h"
#include "expr/system.h"
#include "support/counting.h"
#include "support/expressions.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MAX_X = 64, MAX_OUT = 4096 };

static brink_arena arena;

/* ---- kernels by hand ---- */

static brink_kernel *new_kernel(size_t count) {
  brink_kernel *kernel = brink_arena_take(&arena, 1, sizeof *kernel);
  *kernel = (brink_kernel){.name = "test", .count = count};
  brink_graph_init(&kernel->graph, &arena, count);
  kernel->outputs = brink_arena_take(&arena, 4, sizeof *kernel->outputs);
  kernel->outputs_capacity = 4;
  return kernel;
}

static brink_node read(brink_kernel *kernel, brink_space space, uint32_t base, int32_t stride) {
  brink_ref ref = {.space = space, .base = base, .stride = stride};
  return brink_graph_ref(&kernel->graph, ref);
}

static brink_node read_map(brink_kernel *kernel, brink_space space, const uint32_t *map) {
  return brink_graph_ref(&kernel->graph, (brink_ref){.space = space, .map = map});
}

static void write(brink_kernel *kernel, brink_space space, uint32_t base, int32_t stride,
                  brink_node node) {
  kernel->outputs[kernel->noutputs++] =
      (brink_output){.target = {.space = space, .base = base, .stride = stride},
                     .node = node,
                     .when = BRINK_NO_NODE,
                     .variable = BRINK_NO_NODE};
}

#define OP1(op, a) brink_graph_op1(&kernel->graph, BRINK_OP_##op, a)
#define OP2(op, a, b) brink_graph_op2(&kernel->graph, BRINK_OP_##op, a, b)
#define NUMBER(value) brink_graph_constant(&kernel->graph, value)

/* ---- a reference interpreter ---- */

typedef struct memory {
  double t;
  double space[BRINK_SPACE_COUNT][MAX_OUT];
} memory;

static double leaf(const brink_graph *graph, const brink_expr_node *n, const memory *m, size_t i) {
  if (n->op == BRINK_OP_CONST) return n->value;
  if (n->op == BRINK_OP_TIME) return m->t;
  const brink_ref *ref = &graph->refs[n->a];
  return m->space[ref->space][brink_ref_slot(ref, i)];
}

static void evaluate(const brink_graph *graph, const memory *m, size_t iteration, double *values) {
  for (size_t i = 0; i < graph->nnodes; i++) {
    const brink_expr_node *n = &graph->nodes[i];
    int operands = brink_op_operands((brink_op)n->op);
    if (operands == 0)
      values[i] = leaf(graph, n, m, iteration);
    else
      values[i] = brink_op_apply((brink_op)n->op, values[n->a], operands > 1 ? values[n->b] : 0.0,
                                 operands > 2 ? values[n->c] : 0.0);
  }
}

static double *target_of(memory *m, const brink_output *output, size_t j, size_t iteration) {
  const brink_ref *target = &output->target;
  bool by_position = target->space == BRINK_SPACE_OUT && target->map == NULL && target->stride == 0;
  return &m->space[target->space][by_position ? j : brink_ref_slot(target, iteration)];
}

static void run_iteration(const brink_kernel *kernel, memory *m, size_t i) {
  double *values = calloc(kernel->graph.nnodes + 1, sizeof *values);
  if (values == NULL) return;
  evaluate(&kernel->graph, m, i, values);
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_output *output = &kernel->outputs[j];
    double *target = target_of(m, output, j, i);
    if (output->when != BRINK_NO_NODE && values[output->when] == 0.0) continue;
    *target = (kernel->accumulate ? *target : 0.0) + values[output->node];
  }
  free(values);
}

static void run(const brink_kernel *kernel, memory *m) {
  for (size_t j = 0; kernel->accumulate && j < kernel->noutputs; j++)
    for (size_t i = 0; i < kernel->count; i++) *target_of(m, &kernel->outputs[j], j, i) = 0.0;
  for (size_t i = 0; i < kernel->count; i++) run_iteration(kernel, m, i);
}

static void run_all(brink_kernel *const *kernels, size_t count, memory *m) {
  for (size_t k = 0; k < count; k++) run(kernels[k], m);
}

/* ---- the comparison ---- */

static memory *random_memory(uint64_t seed) {
  memory *m = calloc(1, sizeof *m);
  if (m == NULL) exit(2);
  m->t = 0.7;
  for (size_t k = 0; k < MAX_X; k++) {
    m->space[BRINK_SPACE_X][k] = random_uniform(&seed, 0.5, 2.0);
    m->space[BRINK_SPACE_P][k] = random_uniform(&seed, 0.5, 2.0);
  }
  for (size_t k = 0; k < MAX_OUT; k++) m->space[BRINK_SPACE_OUT][k] = 1e30; /* must be written */
  return m;
}

/* Column j by central differences of order 4. */
static void difference(brink_kernel *const *kernels, size_t count, memory *m, size_t nx, size_t j,
                       double *column) {
  static const double offset[] = {-2.0, -1.0, 1.0, 2.0}, weight[] = {1.0, -8.0, 8.0, -1.0};
  double *x = m->space[BRINK_SPACE_X], *dx = m->space[BRINK_SPACE_DX], at = x[j], h = 1e-3;
  for (size_t i = 0; i < nx; i++) column[i] = 0.0;
  for (size_t k = 0; k < COUNT(offset); k++) {
    x[j] = at + offset[k] * h;
    run_all(kernels, count, m);
    for (size_t i = 0; i < nx; i++) column[i] += weight[k] * dx[i] / (12.0 * h);
  }
  x[j] = at;
}

/* Makes the Jacobian of the kernels and compares it; the number of entries. */
static size_t check_jacobian(brink_kernel *const *kernels, size_t count, size_t nx, memory *m) {
  brink_program program;
  size_t *starts = NULL, *rows = NULL;
  bool ok = brink_derive_jacobian(&arena, nx, kernels, count, &program, &starts, &rows);
  CHECK(ok);
  if (!ok) return 0;
  run_all(program.kernels, program.nkernels, m);
  CHECK_INT(starts[0], 0);
  for (size_t j = 0; j < nx; j++) {
    double expected[MAX_X], dense[MAX_X] = {0};
    CHECK(starts[j] <= starts[j + 1]);
    for (size_t k = starts[j]; k < starts[j + 1]; k++) {
      if (k > starts[j]) CHECK(rows[k] > rows[k - 1]); /* in order, each once */
      CHECK(rows[k] < nx);
      dense[rows[k]] = m->space[BRINK_SPACE_OUT][k];
    }
    difference(kernels, count, m, nx, j, expected);
    for (size_t i = 0; i < nx; i++)
      CHECK_MSG(fabs(dense[i] - expected[i]) <= 1e-8 * (1.0 + fabs(expected[i])),
                "(%zu, %zu) = %.12g, expected %.12g", i, j, dense[i], expected[i]);
  }
  return starts[nx];
}

/* ---- Jacobians ---- */

TEST(a_scalar_system_has_its_textbook_jacobian) {
  brink_arena_init(&arena, NULL);
  memory *m = random_memory(1);
  brink_kernel *kernels[2], *kernel;
  kernel = kernels[0] = new_kernel(1); /* x' = y */
  write(kernel, BRINK_SPACE_DX, 0, 0, read(kernel, BRINK_SPACE_X, 1, 0));
  kernel = kernels[1] = new_kernel(1); /* y' = mu (1 - x^2) y - x */
  brink_node x = read(kernel, BRINK_SPACE_X, 0, 0), y = read(kernel, BRINK_SPACE_X, 1, 0);
  brink_node mu = read(kernel, BRINK_SPACE_P, 0, 0);
  brink_node damping = OP2(MUL, mu, OP2(SUB, NUMBER(1.0), OP2(MUL, x, x)));
  write(kernel, BRINK_SPACE_DX, 1, 0, OP2(SUB, OP2(MUL, damping, y), x));
  CHECK_INT(check_jacobian(kernels, 2, 2, m), 3);
  free(m);
  brink_arena_free(&arena);
}

/* n pendula: x at 0 … n - 1, v at n … 2n - 1; v' = -p sin(x) - v. */
TEST(an_array_of_pendula_keeps_its_loops) {
  enum { N = 10 };
  brink_arena_init(&arena, NULL);
  memory *m = random_memory(2);
  brink_kernel *kernels[2], *kernel;
  kernel = kernels[0] = new_kernel(N);
  write(kernel, BRINK_SPACE_DX, 0, 1, read(kernel, BRINK_SPACE_X, N, 1));
  kernel = kernels[1] = new_kernel(N);
  brink_node x = read(kernel, BRINK_SPACE_X, 0, 1), v = read(kernel, BRINK_SPACE_X, N, 1);
  brink_node pull = OP2(MUL, read(kernel, BRINK_SPACE_P, 0, 1), OP1(SIN, x));
  write(kernel, BRINK_SPACE_DX, N, 1, OP2(SUB, OP1(NEG, pull), v));
  CHECK_INT(check_jacobian(kernels, 2, 2 * N, m), 3 * N);
  brink_program program;
  size_t *starts, *rows;
  CHECK(brink_derive_jacobian(&arena, 2 * N, kernels, 2, &program, &starts, &rows));
  CHECK_INT(program.nkernels, 2);
  for (size_t k = 0; k < program.nkernels; k++) {
    CHECK_INT(program.kernels[k]->count, N);
    CHECK(!program.kernels[k]->accumulate);
    for (size_t j = 0; j < program.kernels[k]->noutputs; j++)
      CHECK(program.kernels[k]->outputs[j].target.map == NULL); /* patterns, not tables */
  }
  free(m);
  brink_arena_free(&arena);
}

/* A ring with a chord: neighbours through maps, which coincide in some iterations. */
TEST(refs_that_meet_in_one_iteration_add_up) {
  enum { N = 6 };
  static const uint32_t left[N] = {5, 0, 1, 2, 3, 4}, other[N] = {3, 1, 1, 0, 5, 5};
  brink_arena_init(&arena, NULL);
  memory *m = random_memory(3);
  brink_kernel *kernel = new_kernel(N);
  brink_node x = read(kernel, BRINK_SPACE_X, 0, 1), l = read_map(kernel, BRINK_SPACE_X, left);
  brink_node o = read_map(kernel, BRINK_SPACE_X, other);
  write(kernel, BRINK_SPACE_DX, 0, 1, OP2(ADD, OP2(MUL, x, OP1(EXP, l)), OP2(MUL, o, l)));
  brink_program program;
  size_t *starts, *rows;
  CHECK(brink_derive_jacobian(&arena, N, &kernel, 1, &program, &starts, &rows));
  CHECK(program.nkernels == 1 && program.kernels[0]->accumulate);
  /* 1 is itself; 2 is its left; 5 is itself: three places fewer than 18 */
  CHECK_INT(check_jacobian(&kernel, 1, N, m), 15);
  free(m);
  brink_arena_free(&arena);
}

TEST(one_state_may_drive_all_and_all_may_drive_one) {
  enum { N = 8 };
  brink_arena_init(&arena, NULL);
  memory *m = random_memory(4);
  brink_kernel *kernels[2], *kernel;
  kernel = kernels[0] = new_kernel(N); /* x_i' = z x_i */
  write(kernel, BRINK_SPACE_DX, 0, 1,
        OP2(MUL, read(kernel, BRINK_SPACE_X, N, 0), read(kernel, BRINK_SPACE_X, 0, 1)));
  kernel = kernels[1] = new_kernel(1); /* z' = sum of x_i^3, t */
  brink_node sum = brink_graph_time(&kernel->graph);
  for (uint32_t k = 0; k < N; k++)
    sum = OP2(ADD, sum, OP2(POW, read(kernel, BRINK_SPACE_X, k, 0), NUMBER(3.0)));
  write(kernel, BRINK_SPACE_DX, N, 0, sum);
  CHECK_INT(check_jacobian(kernels, 2, N + 1, m), 3 * N);
  free(m);
  brink_arena_free(&arena);
}

TEST(what_does_not_depend_on_a_state_has_no_entry) {
  brink_arena_init(&arena, NULL);
  memory *m = random_memory(5);
  brink_kernel *kernels[3], *kernel;
  kernel = kernels[0] = new_kernel(3);
  write(kernel, BRINK_SPACE_DX, 0, 1, OP1(FLOOR, read(kernel, BRINK_SPACE_X, 0, 1)));
  kernel = kernels[1] = new_kernel(2);
  write(kernel, BRINK_SPACE_DX, 3, 1, read(kernel, BRINK_SPACE_P, 0, 1));
  kernel = kernels[2] = new_kernel(0);
  write(kernel, BRINK_SPACE_DX, 3, 1, read(kernel, BRINK_SPACE_X, 0, 1));
  CHECK_INT(check_jacobian(kernels, 3, 5, m), 0);
  CHECK_INT(check_jacobian(kernels, 0, 5, m), 0);
  free(m);
  brink_arena_free(&arena);
}

/* Random couplings: several kernels with random maps and expressions over shared states. */
TEST(random_systems_agree_with_differences) {
  for (uint64_t seed = 100; seed < 160; seed++) {
    enum { N = 24 };
    static uint32_t maps[8][N];
    uint64_t state = seed;
    brink_arena_init(&arena, NULL);
    memory *m = random_memory(seed);
    for (size_t k = 0; k < 8; k++)
      for (size_t i = 0; i < N; i++) maps[k][i] = (uint32_t)random_uniform(&state, 0.0, 2 * N);
    brink_kernel *kernels[2], *kernel;
    for (size_t k = 0; k < 2; k++) {
      kernel = kernels[k] = new_kernel(N);
      brink_node a = read_map(kernel, BRINK_SPACE_X, maps[4 * k]);
      brink_node b = read_map(kernel, BRINK_SPACE_X, maps[4 * k + 1]);
      brink_node c = read(kernel, BRINK_SPACE_X, (uint32_t)k * N, 1);
      brink_node p = read_map(kernel, BRINK_SPACE_P, maps[4 * k + 2]);
      brink_node f = OP2(HYPOT, OP2(MUL, a, p), OP1(SIN, OP2(DIV, b, OP2(ADD, c, NUMBER(1.0)))));
      write(kernel, BRINK_SPACE_DX, (uint32_t)k * N, 1, OP2(SUB, f, OP2(MUL, a, c)));
    }
    size_t entries = check_jacobian(kernels, 2, 2 * N, m);
    CHECK(entries > 4 * N && entries <= 6 * N);
    free(m);
    brink_arena_free(&arena);
  }
}

TEST(a_large_array_takes_linear_time) {
  enum { N = 300000 };
  brink_arena_init(&arena, NULL);
  uint32_t *left = brink_arena_take(&arena, N, sizeof *left);
  for (uint32_t i = 0; i < N; i++) left[i] = i > 0 ? i - 1 : N - 1;
  brink_kernel *kernel = new_kernel(N);
  brink_node x = read(kernel, BRINK_SPACE_X, 0, 1), l = read_map(kernel, BRINK_SPACE_X, left);
  write(kernel, BRINK_SPACE_DX, 0, 1, OP2(SUB, OP2(MUL, l, l), x));
  brink_program program;
  size_t *starts, *rows;
  CHECK(brink_derive_jacobian(&arena, N, &kernel, 1, &program, &starts, &rows));
  CHECK_INT(starts[N], 2 * N);
  CHECK(program.kernels[0]->graph.nnodes < 20);
  brink_arena_free(&arena);
}

TEST(too_many_entries_are_refused) {
  enum { N = 6000 };
  brink_arena_init(&arena, NULL);
  brink_kernel *kernel = new_kernel(N);
  brink_node sum = NUMBER(0.0);
  for (uint32_t k = 0; k < N; k++) sum = OP2(ADD, sum, read(kernel, BRINK_SPACE_X, k, 0));
  write(kernel, BRINK_SPACE_DX, 0, 1, sum);
  brink_program program;
  size_t *starts, *rows;
  CHECK(!brink_derive_jacobian(&arena, N, &kernel, 1, &program, &starts, &rows));
  brink_arena_free(&arena);
}

/* ---- splitting ---- */

/* A rod with ends that differ: select(k == 0, left end, select(k == 2, right end, middle)). */
static brink_kernel *make_rod(size_t n, double *k, uint32_t *left, uint32_t *right) {
  for (size_t i = 0; i < n; i++) {
    k[i] = i == 0 ? 0.0 : i == n - 1 ? 2.0 : 1.0;
    left[i] = i > 0 ? (uint32_t)i - 1 : 0; /* places without a meaning at the ends */
    right[i] = i < n - 1 ? (uint32_t)i + 1 : 0;
  }
  brink_kernel *kernel = new_kernel(n);
  brink_graph *graph = &kernel->graph;
  brink_node kind = read(kernel, BRINK_SPACE_K, 0, 1), x = read(kernel, BRINK_SPACE_X, 0, 1);
  brink_node l = read_map(kernel, BRINK_SPACE_X, left), r = read_map(kernel, BRINK_SPACE_X, right);
  brink_node before = brink_graph_select(graph, OP2(EQ, kind, NUMBER(0.0)), NUMBER(1.0), l);
  brink_node after = brink_graph_select(graph, OP2(EQ, kind, NUMBER(2.0)), NUMBER(2.0), r);
  brink_node heat = OP2(SUB, OP2(ADD, before, after), OP2(MUL, NUMBER(2.0), OP1(SIN, x)));
  write(kernel, BRINK_SPACE_DX, 0, 1, OP2(ADD, heat, kind));
  return kernel;
}

TEST(ends_of_a_rod_become_kernels_of_their_own) {
  enum { N = 12 };
  brink_arena_init(&arena, NULL);
  memory *m = random_memory(6);
  uint32_t left[N], right[N];
  double whole[N];
  brink_kernel *kernel = make_rod(N, m->space[BRINK_SPACE_K], left, right);
  run(kernel, m);
  memcpy(whole, m->space[BRINK_SPACE_DX], sizeof whole);
  memset(m->space[BRINK_SPACE_DX], 0, sizeof whole);
  brink_program parts;
  CHECK(brink_split_kernel(&arena, m->space[BRINK_SPACE_K], kernel, &parts));
  CHECK_INT(parts.nkernels, 3);
  for (size_t k = 0; k < parts.nkernels; k++)
    for (size_t i = 0; i < parts.kernels[k]->graph.nnodes; i++)
      CHECK(parts.kernels[k]->graph.nodes[i].op != BRINK_OP_SELECT);
  run_all(parts.kernels, parts.nkernels, m);
  CHECK(memcmp(whole, m->space[BRINK_SPACE_DX], sizeof whole) == 0);
  CHECK_INT(check_jacobian(parts.kernels, parts.nkernels, N, m), 3 * N - 2);
  CHECK(check_jacobian(&kernel, 1, N, m) >= 3 * N - 2); /* whole: right, with zeros */
  free(m);
  brink_arena_free(&arena);
}

TEST(a_kernel_that_chooses_in_too_many_ways_or_not_at_all_stays_whole) {
  enum { N = 60 };
  brink_arena_init(&arena, NULL);
  memory *m = random_memory(7);
  brink_program parts;
  brink_kernel *kernel = new_kernel(N);
  brink_node kind = read(kernel, BRINK_SPACE_K, 0, 1), x = read(kernel, BRINK_SPACE_X, 0, 1);
  brink_node mode = read(kernel, BRINK_SPACE_MODE, 0, 0), f = x;
  for (uint32_t k = 0; k < N; k++) {
    m->space[BRINK_SPACE_K][k] = k;
    brink_node here = OP2(EQ, kind, NUMBER(k));
    f = brink_graph_select(&kernel->graph, here, OP2(MUL, NUMBER(k + 2.0), x), f);
  }
  write(kernel, BRINK_SPACE_DX, 0, 1, f);
  CHECK(brink_split_kernel(&arena, m->space[BRINK_SPACE_K], kernel, &parts));
  CHECK(parts.nkernels == 1 && parts.kernels[0] == kernel);
  kernel = new_kernel(N);
  x = read(kernel, BRINK_SPACE_X, 0, 1), mode = read(kernel, BRINK_SPACE_MODE, 0, 0);
  write(kernel, BRINK_SPACE_DX, 0, 1, brink_graph_select(&kernel->graph, mode, x, NUMBER(0.0)));
  CHECK(brink_split_kernel(&arena, m->space[BRINK_SPACE_K], kernel, &parts));
  CHECK(parts.nkernels == 1 && parts.kernels[0] == kernel);
  free(m);
  brink_arena_free(&arena);
}

/* ---- whole systems ---- */

/* Cells with fluxes between them: q_i = g(x_i, x_i+1) inside, q = p - x_0 at the left end, and none
 * at the right; x_i' = q_i-1 - q_i, where the q of the ends come from other equations. */
TEST(variables_are_written_out_before_they_are_derived) {
  enum { N = 9 };
  brink_system system = {.nx = N, .nv = N + 1};
  brink_arena_init(&arena, NULL);
  brink_arena_init(&system.arena, NULL);
  memory *m = random_memory(9);
  brink_kernel *kernels[4], *kernel;
  kernel = kernels[0] = new_kernel(N - 1); /* V: left end, inner fluxes, right end */
  brink_node a = read(kernel, BRINK_SPACE_X, 0, 1), b = read(kernel, BRINK_SPACE_X, 1, 1);
  write(kernel, BRINK_SPACE_V, 1, 1, OP2(MUL, OP2(SUB, a, b), OP1(EXP, OP2(MUL, a, b))));
  kernel = kernels[1] = new_kernel(1);
  write(kernel, BRINK_SPACE_V, 0, 0,
        OP2(SUB, read(kernel, BRINK_SPACE_P, 0, 0), read(kernel, BRINK_SPACE_X, 0, 0)));
  kernel = kernels[2] = new_kernel(1);
  write(kernel, BRINK_SPACE_V, N, 0, read(kernel, BRINK_SPACE_P, 1, 0));
  kernel = kernels[3] = new_kernel(N);
  write(kernel, BRINK_SPACE_DX, 0, 1,
        OP2(SUB, read(kernel, BRINK_SPACE_V, 0, 1), read(kernel, BRINK_SPACE_V, 1, 1)));
  system.equations = kernels, system.nequations = COUNT(kernels);
  CHECK(brink_system_index(&system));
  brink_program program;
  size_t *starts, *rows;
  CHECK(brink_system_jacobian(&system, &program, &starts, &rows));
  memcpy(m->space[BRINK_SPACE_K], system.k, system.nk * sizeof *system.k);
  CHECK_INT(starts[N], 3 * N - 2);
  run_all(program.kernels, program.nkernels, m);
  for (size_t j = 0; j < N; j++) {
    double expected[MAX_X];
    difference(kernels, COUNT(kernels), m, N, j, expected);
    for (size_t k = starts[j]; k < starts[j + 1]; k++)
      CHECK_NEAR(m->space[BRINK_SPACE_OUT][k], expected[rows[k]], 1e-8);
  }
  free(m);
  brink_arena_free(&system.arena);
  brink_arena_free(&arena);
}

/* x_i' = v_i with v_i = v_i-1 + x_i: a chain cannot be written out. */
TEST(a_chain_of_variables_has_no_jacobian) {
  enum { N = 5 };
  brink_system system = {.nx = N, .nv = N + 1};
  brink_arena_init(&arena, NULL);
  brink_arena_init(&system.arena, NULL);
  brink_kernel *kernels[3], *kernel;
  kernel = kernels[0] = new_kernel(1);
  write(kernel, BRINK_SPACE_V, 0, 0, NUMBER(1.0));
  kernel = kernels[1] = new_kernel(N);
  write(kernel, BRINK_SPACE_V, 1, 1,
        OP2(ADD, read(kernel, BRINK_SPACE_V, 0, 1), read(kernel, BRINK_SPACE_X, 0, 1)));
  kernel = kernels[2] = new_kernel(N);
  write(kernel, BRINK_SPACE_DX, 0, 1, read(kernel, BRINK_SPACE_V, 1, 1));
  system.equations = kernels, system.nequations = COUNT(kernels);
  CHECK(brink_system_index(&system));
  brink_program program;
  size_t *starts, *rows;
  CHECK(!brink_system_jacobian(&system, &program, &starts, &rows));
  brink_arena_free(&system.arena);
  brink_arena_free(&arena);
}

/* ---- gradients ---- */

/* Pairs of points: gap = hypot(x_a - x_b, y_a - y_b) - p t; pair 2 is a point with itself but for
 * y. */
TEST(the_gradient_of_a_pair_guard_agrees_with_differences) {
  enum { PAIRS = 3 };
  static const uint32_t xa[] = {0, 2, 4}, ya[] = {1, 3, 5}, xb[] = {2, 4, 4}, yb[] = {3, 5, 7};
  brink_arena_init(&arena, NULL);
  memory *m = random_memory(8);
  brink_kernel *kernel = new_kernel(PAIRS);
  brink_node dx =
      OP2(SUB, read_map(kernel, BRINK_SPACE_X, xa), read_map(kernel, BRINK_SPACE_X, xb));
  brink_node dy =
      OP2(SUB, read_map(kernel, BRINK_SPACE_X, ya), read_map(kernel, BRINK_SPACE_X, yb));
  brink_node size = OP2(MUL, read(kernel, BRINK_SPACE_P, 0, 1), brink_graph_time(&kernel->graph));
  brink_node steps = OP1(FLOOR, read(kernel, BRINK_SPACE_X, 9, 0)); /* read, derivative 0 */
  write(kernel, BRINK_SPACE_OUT, 0, 0, OP2(SUB, OP2(ADD, OP2(HYPOT, dx, dy), steps), size));
  uint32_t *refs;
  size_t nrefs;
  brink_kernel *gradient = brink_derive_gradient(&arena, kernel, &refs, &nrefs);
  CHECK(gradient != NULL && nrefs == 5 && gradient->noutputs == 6 && gradient->count == PAIRS);
  for (size_t i = 0; i < PAIRS; i++) {
    double full[MAX_X] = {0}, *x = m->space[BRINK_SPACE_X], *out = m->space[BRINK_SPACE_OUT];
    run_iteration(gradient, m, i);
    CHECK_NEAR(out[5], -m->space[BRINK_SPACE_P][i], 1e-15);
    for (size_t k = 0; k < nrefs; k++)
      full[brink_ref_slot(&gradient->graph.refs[refs[k]], i)] += out[k]; /* pair 2: x twice */
    for (size_t j = 0; j < 10; j++) {
      double at = x[j], g[2];
      for (int side = 0; side < 2; side++) {
        x[j] = at + (side == 0 ? -1e-6 : 1e-6);
        run_iteration(kernel, m, i);
        g[side] = out[0];
      }
      x[j] = at;
      CHECK_NEAR(full[j], (g[1] - g[0]) / 2e-6, 1e-8);
    }
  }
  free(m);
  brink_arena_free(&arena);
}

/* ---- memory ---- */

static bool derive_everything(brink_kernel *rod, const double *k) {
  brink_program parts, program;
  size_t *starts, *rows, nrefs;
  uint32_t *refs;
  return brink_split_kernel(rod->graph.arena, k, rod, &parts) &&
         brink_derive_jacobian(rod->graph.arena, 12, parts.kernels, parts.nkernels, &program,
                               &starts, &rows) &&
         brink_derive_gradient(rod->graph.arena, rod, &refs, &nrefs) != NULL;
}

TEST(every_failing_allocation_is_survived) {
  for (int on = 0; on < 2; on++)
    for (long n = 1; n < 10000; n++) {
      counting counter = {0};
      brink_allocator allocator = counting_allocator(&counter);
      uint32_t left[12], right[12];
      double k[12];
      brink_arena_init(&arena, &allocator);
      brink_kernel *rod = make_rod(12, k, left, right);
      counter.calls = 0, counter.fail_at = n, counter.fail_on = on == 1;
      bool ok = derive_everything(rod, k);
      bool reached = counter.calls >= n;
      brink_arena_free(&arena);
      CHECK_INT(counter.live, 0);
      CHECK_INT(counter.mismatch, 0);
      CHECK(ok || reached);
      if (!reached) {
        CHECK(n > 10);
        break;
      }
    }
}

int main(void) {
  RUN(a_scalar_system_has_its_textbook_jacobian);
  RUN(an_array_of_pendula_keeps_its_loops);
  RUN(refs_that_meet_in_one_iteration_add_up);
  RUN(one_state_may_drive_all_and_all_may_drive_one);
  RUN(what_does_not_depend_on_a_state_has_no_entry);
  RUN(random_systems_agree_with_differences);
  RUN(a_large_array_takes_linear_time);
  RUN(too_many_entries_are_refused);
  RUN(ends_of_a_rod_become_kernels_of_their_own);
  RUN(a_kernel_that_chooses_in_too_many_ways_or_not_at_all_stays_whole);
  RUN(variables_are_written_out_before_they_are_derived);
  RUN(a_chain_of_variables_has_no_jacobian);
  RUN(the_gradient_of_a_pair_guard_agrees_with_differences);
  RUN(every_failing_allocation_is_survived);
  return check_done();
}
