/* test_vm.c: the interpreter against the plainest evaluation, and its series against closed forms. */
#include "check.h"
#include "native/series_run.h"
#include "support/counting.h"
#include "support/kernels.h"

#include <brink/jet.h>
#include <stdlib.h>

static double *scratch_for(size_t doubles) {
  double *scratch = calloc(doubles, sizeof *scratch);
  if (scratch == NULL) abort();
  return scratch;
}

/* ---- values ---- */

static void compare_random(kernels_style style, size_t count, size_t size, uint64_t *state) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_kernel *kernel = kernels_random(&arena, state, style, count, size);
  brink_code *code = brink_code_make(kernel, &arena);
  static kernels_memory start, plain, interpreted;
  char what[KERNELS_WHAT];
  CHECK(code != NULL);
  double *scratch = scratch_for(brink_code_scratch(code));
  kernels_fill(&start, state);
  kernels_copy(&plain, &start);
  kernels_copy(&interpreted, &start);
  size_t first = style == KERNELS_EQUATION ? 0 : kernels_below(state, count);
  size_t runs = style == KERNELS_EQUATION ? count : 1;
  kernels_run_plainly(kernel, &plain.frame, first, runs);
  brink_code_run(code, &interpreted.frame, first, runs, scratch);
  CHECK_MSG(kernels_same(&plain, &interpreted, what), "count %zu, size %zu: %s", count, size, what);
  free(scratch);
  brink_arena_free(&arena);
}

TEST(random_kernels_give_the_bits_of_plain_evaluation) {
  static const size_t counts[] = {1, 2, 3, 5, 31, 32, 33, 100};
  uint64_t state = 1;
  for (int k = 0; k < 3000; k++) {
    size_t count = counts[kernels_below(&state, 8)], size = 3 + kernels_below(&state, 120);
    compare_random((kernels_style)(k % 3), count, size, &state);
  }
}

TEST(large_kernels_reuse_registers) {
  uint64_t state = 7;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  for (int k = 0; k < 5; k++) compare_random(KERNELS_EQUATION, 1, 20000, &state);
  brink_kernel *kernel = kernels_make(&arena, "chain", 1);
  brink_node node = kernels_ref(kernel, BRINK_SPACE_X, 0, 0);
  for (int k = 0; k < 10000; k++) {
    brink_node x = kernels_ref(kernel, BRINK_SPACE_X, (uint32_t)k % KERNELS_X, 0);
    node = brink_graph_op1(&kernel->graph, BRINK_OP_SIN,
                           brink_graph_op2(&kernel->graph, BRINK_OP_MUL, node, x));
  }
  kernels_output(kernel, BRINK_SPACE_DX, 0, 0, node);
  brink_code *code = brink_code_make(kernel, &arena);
  CHECK(code != NULL && brink_code_scratch(code) < 100 * 256);
  brink_arena_free(&arena);
}

TEST(a_part_of_the_iterations_runs_as_in_the_whole) {
  uint64_t state = 3;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_kernel *kernel = kernels_make(&arena, "squares", 50);
  brink_node x = kernels_ref(kernel, BRINK_SPACE_X, 0, 1);
  kernels_output(kernel, BRINK_SPACE_DX, 0, 1, brink_graph_op2(&kernel->graph, BRINK_OP_MUL, x, x));
  brink_code *code = brink_code_make(kernel, &arena);
  static kernels_memory m;
  kernels_fill(&m, &state);
  double *scratch = scratch_for(brink_code_scratch(code)), before = m.dx[9], after = m.dx[47];
  brink_code_run(code, &m.frame, 10, 37, scratch);
  CHECK(m.dx[9] == before && m.dx[47] == after);
  for (size_t i = 10; i < 47; i++) CHECK(m.dx[i] == m.x[i] * m.x[i]);
  free(scratch);
  brink_arena_free(&arena);
}

TEST(all_right_hand_sides_are_evaluated_before_anything_is_written) {
  uint64_t state = 4;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_kernel *kernel = kernels_make(&arena, "swap", 1);
  brink_node a = kernels_ref(kernel, BRINK_SPACE_X, 0, 0),
             b = kernels_ref(kernel, BRINK_SPACE_X, 1, 0);
  kernels_output(kernel, BRINK_SPACE_X, 0, 0, b);
  kernels_output(kernel, BRINK_SPACE_X, 1, 0, a);
  brink_code *code = brink_code_make(kernel, &arena);
  static kernels_memory m;
  kernels_fill(&m, &state);
  double *scratch = scratch_for(brink_code_scratch(code)), x0 = m.x[0], x1 = m.x[1];
  brink_code_run(code, &m.frame, 0, 1, scratch);
  CHECK(m.x[0] == x1 && m.x[1] == x0);
  free(scratch);
  brink_arena_free(&arena);
}

TEST(single_nodes_can_be_looked_at) {
  uint64_t state = 5;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_kernel *kernel = kernels_make(&arena, "note", 8);
  brink_node x = kernels_ref(kernel, BRINK_SPACE_X, 2, 3);
  brink_node twice = brink_graph_op2(&kernel->graph, BRINK_OP_ADD, x, x);
  brink_node time = brink_graph_time(&kernel->graph);
  brink_node sum = brink_graph_op2(&kernel->graph, BRINK_OP_SUB, twice, time);
  brink_code *code = brink_code_make(kernel, &arena); /* no outputs at all */
  static kernels_memory m;
  kernels_fill(&m, &state);
  double *scratch = scratch_for(brink_code_scratch(code));
  CHECK(brink_code_node(code, &m.frame, 4, twice, scratch) == 2.0 * m.x[14]);
  CHECK(brink_code_node(code, &m.frame, 7, sum, scratch) == 2.0 * m.x[23] - m.frame.t);
  free(scratch);
  brink_arena_free(&arena);
}

TEST(making_code_survives_every_failed_allocation) {
  uint64_t state = 6;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_kernel *kernel = kernels_random(&arena, &state, KERNELS_EQUATION, 10, 400);
  for (long fail = 1; fail < 20; fail++) {
    counting count = {.fail_at = fail};
    brink_allocator allocator = counting_allocator(&count);
    brink_arena own;
    brink_arena_init(&own, &allocator);
    brink_code *code = brink_code_make(kernel, &own);
    CHECK(code != NULL || count.calls >= fail);
    brink_arena_free(&own);
    CHECK(count.live == 0 && count.mismatch == 0);
  }
  brink_arena_free(&arena);
}

/* ---- series ---- */

enum { ORDER = 12 };

/* g along x(s) by its series and by evaluation at s: they must meet as s^(ORDER + 1). */
static void check_series(brink_kernel *kernel, size_t iteration, kernels_memory *m,
                         uint64_t *state) {
  static double rows[KERNELS_X][ORDER + 1];
  const double *x[KERNELS_X];
  double t[ORDER + 1], g[ORDER + 1], h = 1e-3;
  for (size_t i = 0; i < KERNELS_X; i++) {
    x[i] = rows[i];
    rows[i][0] = m->x[i];
    for (int k = 1; k <= ORDER; k++) rows[i][k] = kernels_uniform(state, -1.0, 1.0);
  }
  brink_jet_variable(ORDER, m->frame.t, t);
  static const brink_series_degrees unknown = {0};
  brink_code *code = brink_code_make(kernel, kernel->graph.arena);
  brink_series_program *series = brink_series_make(kernel, &unknown, kernel->graph.arena);
  double *scratch = scratch_for(brink_series_scratch(series, ORDER) + brink_code_scratch(code));
  brink_series_run(series, &m->frame, iteration, ORDER, t, x, g, scratch);
  for (int part = 0; part < 3; part++) {
    double s = h * part, expected;
    static kernels_memory at;
    kernels_copy(&at, m);
    at.frame.t += s;
    for (size_t i = 0; i < KERNELS_X; i++) at.x[i] = brink_jet_eval(ORDER, rows[i], s);
    brink_code_run(code, &at.frame, iteration, 1, scratch);
    expected = at.out[0];
    double actual = brink_jet_eval(ORDER, g, s);
    if (part == 0) CHECK(actual == expected);
    CHECK_NEAR(actual, expected, 1e-12 * (1.0 + fabs(expected)));
  }
  free(scratch);
}

static brink_node op1(brink_kernel *kernel, brink_op op, brink_node a) {
  return brink_graph_op1(&kernel->graph, op, a);
}
static brink_node op2(brink_kernel *kernel, brink_op op, brink_node a, brink_node b) {
  return brink_graph_op2(&kernel->graph, op, a, b);
}

/* Every smooth operator with arguments well inside its domain: 2 + sin(x) for logs, and the like. */
TEST(series_of_all_operators_meet_their_values) {
  uint64_t state = 8;
  static kernels_memory m;
  for (int op = BRINK_OP_ADD; op < BRINK_OP_COUNT; op++) {
    if (op >= BRINK_OP_FIND) continue; /* test_external.c, table-*.hsml */
    brink_arena arena;
    brink_arena_init(&arena, NULL);
    brink_kernel *k = kernels_make(&arena, "op", 3);
    brink_node x = kernels_ref(k, BRINK_SPACE_X, 0, 5), y = kernels_ref(k, BRINK_SPACE_X, 1, 5);
    brink_node a =
        op2(k, BRINK_OP_MUL, op1(k, BRINK_OP_SIN, x), brink_graph_constant(&k->graph, 0.4));
    brink_node b =
        op2(k, BRINK_OP_ADD, op1(k, BRINK_OP_COS, y), brink_graph_constant(&k->graph, 2.0));
    if (op == BRINK_OP_LOG || op == BRINK_OP_LOG10 || op == BRINK_OP_SQRT || op == BRINK_OP_POW)
      a = op2(k, BRINK_OP_ADD, a, brink_graph_constant(&k->graph, 1.5));
    brink_ref array = {.space = BRINK_SPACE_P, .base = 1, .stride = 1, .extent = 4, .step = 2};
    brink_node result =
        op == BRINK_OP_LOOKUP
            ? brink_graph_lookup(&k->graph, kernels_ref(k, BRINK_SPACE_P, 0, 1), array)
        : op == BRINK_OP_SELECT
            ? brink_graph_select(&k->graph, kernels_ref(k, BRINK_SPACE_MODE, 0, 1), a, b)
        : brink_op_operands((brink_op)op) == 2 ? op2(k, (brink_op)op, a, b)
                                               : op1(k, (brink_op)op, a);
    /* Values of random draws jump from point to point: keep their arguments constant. */
    if (op == BRINK_OP_RANDOM)
      result = op2(k, BRINK_OP_RANDOM, kernels_ref(k, BRINK_SPACE_P, 0, 1),
                   brink_graph_constant(&k->graph, 3.0));
    kernels_output(k, BRINK_SPACE_OUT, 0, 0,
                   op2(k, BRINK_OP_ADD, op2(k, BRINK_OP_MUL, result, b), x));
    kernels_fill(&m, &state);
    for (size_t i = 0; i < KERNELS_X; i++) m.x[i] += 0.01; /* off the kinks */
    check_series(k, 1, &m, &state);
    brink_arena_free(&arena);
  }
}

TEST(a_branch_that_is_not_taken_may_be_nan) {
  uint64_t state = 9;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_kernel *k = kernels_make(&arena, "branch", 1);
  brink_node x = kernels_ref(k, BRINK_SPACE_X, 0, 0);
  brink_node mode = kernels_ref(k, BRINK_SPACE_MODE, 0, 0);
  brink_node root =
      op1(k, BRINK_OP_SQRT, op2(k, BRINK_OP_SUB, x, brink_graph_constant(&k->graph, 9.0)));
  kernels_output(k, BRINK_SPACE_OUT, 0, 0,
                 brink_graph_select(&k->graph, mode, root, op2(k, BRINK_OP_MUL, x, x)));
  static kernels_memory m;
  kernels_fill(&m, &state);
  m.mode[0] = 0;
  check_series(k, 0, &m, &state);
  brink_arena_free(&arena);
}

/* x' = y, y' = -sin(x)*k + acc, with y' through a variable and acc a sum over three terms t/3. */
TEST(the_flow_of_a_pendulum_meets_its_own_recurrence) {
  uint64_t state = 10;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_kernel *sum = kernels_make(&arena, "sum", 3);
  sum->accumulate = true;
  kernels_output(sum, BRINK_SPACE_V, 0, 0,
                 op2(sum, BRINK_OP_DIV, brink_graph_time(&sum->graph),
                     brink_graph_constant(&sum->graph, 3.0)));
  brink_kernel *force = kernels_make(&arena, "force", 4);
  brink_node torque =
      op2(force, BRINK_OP_MUL, op1(force, BRINK_OP_SIN, kernels_ref(force, BRINK_SPACE_X, 0, 1)),
          kernels_ref(force, BRINK_SPACE_P, 0, 1));
  kernels_output(force, BRINK_SPACE_V, 1, 1,
                 op2(force, BRINK_OP_SUB, kernels_ref(force, BRINK_SPACE_V, 0, 0), torque));
  brink_kernel *dx = kernels_make(&arena, "dx", 4);
  kernels_output(dx, BRINK_SPACE_DX, 0, 1, kernels_ref(dx, BRINK_SPACE_X, 4, 1));
  kernels_output(dx, BRINK_SPACE_DX, 4, 1, kernels_ref(dx, BRINK_SPACE_V, 1, 1));
  brink_kernel *all[3] = {sum, force, dx};
  const brink_program program = {.kernels = all, .nkernels = 3};
  brink_flow *flow = brink_flow_make(&program, 8, 0, 8, &arena);
  static kernels_memory m;
  kernels_fill(&m, &state);
  double rows[8][ORDER + 1], *row[8];
  for (size_t i = 0; i < 8; i++) {
    row[i] = rows[i];
    rows[i][0] = m.x[i];
  }
  double *workspace = scratch_for(brink_flow_scratch(flow, ORDER));
  brink_flow_run(flow, &m.frame, ORDER, 1.0, row, workspace, NULL);
  for (size_t i = 0; i < 4; i++) {
    double x[ORDER + 2] = {m.x[i]}, y[ORDER + 2] = {m.x[i + 4]}, sine[ORDER + 1];
    for (int k = 0; k < ORDER; k++) {
      brink_jet_sin(k, x, sine);
      double drive = k == 0 ? m.frame.t : k == 1 ? 1.0 : 0.0;
      x[k + 1] = y[k] / (k + 1);
      y[k + 1] = (drive - m.p[i] * sine[k]) / (k + 1);
    }
    for (int k = 0; k <= ORDER; k++) {
      CHECK_NEAR(rows[i][k], x[k], 1e-14 * (1.0 + fabs(x[k])));
      CHECK_NEAR(rows[i + 4][k], y[k], 1e-14 * (1.0 + fabs(y[k])));
    }
  }
  free(workspace);
  brink_arena_free(&arena);
}

/* x' = 1/x at 0 has no solution. */
TEST(a_flow_without_a_series_says_so) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_kernel *dx = kernels_make(&arena, "dx", 1);
  kernels_output(dx, BRINK_SPACE_DX, 0, 0,
                 op2(dx, BRINK_OP_DIV, brink_graph_constant(&dx->graph, 1.0),
                     kernels_ref(dx, BRINK_SPACE_X, 0, 0)));
  const brink_program program = {.kernels = &dx, .nkernels = 1};
  brink_flow *flow = brink_flow_make(&program, 1, 0, 0, &arena);
  double row[ORDER + 1] = {0.0}, *rows[1] = {row};
  brink_frame frame = {0};
  double *workspace = scratch_for(brink_flow_scratch(flow, ORDER));
  brink_flow_run(flow, &frame, ORDER, 1.0, rows, workspace, NULL);
  CHECK(!isfinite(row[1]) && !isfinite(row[2]));
  row[0] = 2.0; /* x = sqrt(4 + 2s) */
  brink_flow_run(flow, &frame, ORDER, 1.0, rows, workspace, NULL);
  CHECK_NEAR(row[1], 0.5, 1e-16);
  CHECK_NEAR(row[2], -0.0625, 1e-16);
  free(workspace);
  brink_arena_free(&arena);
}

int main(void) {
  RUN(random_kernels_give_the_bits_of_plain_evaluation);
  RUN(large_kernels_reuse_registers);
  RUN(a_part_of_the_iterations_runs_as_in_the_whole);
  RUN(all_right_hand_sides_are_evaluated_before_anything_is_written);
  RUN(single_nodes_can_be_looked_at);
  RUN(making_code_survives_every_failed_allocation);
  RUN(series_of_all_operators_meet_their_values);
  RUN(a_branch_that_is_not_taken_may_be_nan);
  RUN(the_flow_of_a_pendulum_meets_its_own_recurrence);
  RUN(a_flow_without_a_series_says_so);
  return check_done();
}
