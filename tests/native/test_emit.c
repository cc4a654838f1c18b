/* test_emit.c: generated C, compiled, gives the bits of the interpreter; what it looks like. */
#include "check.h"
#include "native/series_run.h"
#include "support/counting.h"
#include "support/formats.h"
#include "support/kernels.h"

#include <brink/jet.h>
#include <stdlib.h>
#include <unistd.h>

/* Objects of this test go to a directory of their own; "" where there is none. */
static char cache[256];

static double *scratch_for(size_t doubles) {
  double *scratch = calloc(doubles, sizeof *scratch);
  if (scratch == NULL) abort();
  return scratch;
}

/* Code for the whole system, or NULL where there is no compiler (said once). */
static brink_native *compile(const brink_system *system, const brink_emit_options *options) {
  static bool said;
  char reason[BRINK_REASON];
  brink_native *native;
  brink_status status = brink_native_create(system, options, cache, NULL, NULL, &native, reason);
  if (status == BRINK_OK) return native;
  if (!said) printf("not compiled: %s\n", reason);
  said = true;
  CHECK_MSG(strncmp(reason, "no C compiler", 13) == 0, "%s", reason);
  return NULL;
}

static void add_flag(brink_system *system, brink_kernel *value) {
  void *flags = system->flags;
  if (!brink_arena_grow(&system->arena, &flags, system->nflags, &system->flags_capacity,
                        sizeof *system->flags))
    abort();
  system->flags = flags;
  brink_flag *flag = &system->flags[system->nflags++];
  *flag = (brink_flag){.name = "flag", .value = value, .count = value->count};
}

static void add_action(brink_system *system, const brink_kernel *kernel) {
  brink_action *action = brink_arena_take(&system->arena, 1, sizeof *action);
  if (action == NULL) abort();
  action->count = kernel->count;
  action->kernels = brink_arena_take(&system->arena, 1, sizeof *action->kernels);
  if (action->kernels == NULL) abort();
  action->kernels[action->nkernels++] = brink_arena_copy(&system->arena, kernel, 1, sizeof *kernel);
  system->flags[system->nflags - 1].negative = action;
}

/* ---- bits ---- */

static void compare_kernel(const brink_native *native, const brink_kernel *kernel, size_t first,
                           size_t count, uint64_t *state, brink_arena *arena) {
  static kernels_memory interpreted, compiled;
  char what[KERNELS_WHAT];
  brink_native_kernel_fn *run = brink_native_kernel(native, kernel);
  brink_code *code = brink_code_make(kernel, arena);
  CHECK(run != NULL && code != NULL);
  if (run == NULL || code == NULL) return;
  double *scratch = scratch_for(brink_code_scratch(code));
  kernels_fill(&interpreted, state);
  kernels_copy(&compiled, &interpreted);
  brink_code_run(code, &interpreted.frame, first, count, scratch);
  run(&compiled.frame, &native->tables, first, count);
  CHECK_MSG(kernels_same(&interpreted, &compiled, what), "%zu nodes, count %zu: %s",
            kernel->graph.nnodes, count, what);
  free(scratch);
}

static void compare_jet(const brink_native *native, const brink_kernel *kernel, size_t iteration,
                        uint64_t *state, brink_arena *arena) {
  enum { ORDER = 6 };
  static kernels_memory m;
  static double rows[KERNELS_X][ORDER + 1];
  const double *x[KERNELS_X];
  double t[ORDER + 1], interpreted[ORDER + 1], compiled[ORDER + 1];
  kernels_fill(&m, state);
  for (size_t i = 0; i < KERNELS_X; i++) {
    x[i] = rows[i];
    for (int k = 0; k <= ORDER; k++) rows[i][k] = kernels_uniform(state, -1.0, 1.0);
  }
  brink_jet_variable(ORDER, m.frame.t, t);
  static const brink_series_degrees unknown = {0};
  brink_series_program *series = brink_series_make(kernel, &unknown, arena);
  brink_native_jet_fn *jet = brink_native_jet(native, kernel);
  CHECK(series != NULL && jet != NULL);
  if (series == NULL || jet == NULL) return;
  double *scratch = scratch_for(brink_series_scratch(series, ORDER));
  brink_series_run(series, &m.frame, iteration, ORDER, t, x, interpreted, scratch);
  jet(&m.frame, &native->tables, iteration, ORDER, t, x, compiled);
  for (int k = 0; k <= ORDER; k++)
    CHECK(memcmp(&interpreted[k], &compiled[k], sizeof(double)) == 0 ||
          (isnan(interpreted[k]) && isnan(compiled[k])));
  free(scratch);
}

enum { EQUATIONS = 30, FLAGS = 20 };

/* A system of random kernels: equations in the program, guards with actions. */
static void random_system(brink_system *system, uint64_t *state, size_t size) {
  static const size_t counts[] = {1, 1, 2, 3, 5, 32, 33, 70};
  kernels_system(system, NULL);
  for (size_t k = 0; k < EQUATIONS; k++)
    kernels_add_to(&system->rhs, &system->arena,
                   kernels_random(&system->arena, state, KERNELS_EQUATION,
                                  counts[kernels_below(state, 8)], 3 + kernels_below(state, size)));
  for (size_t k = 0; k < FLAGS; k++) {
    size_t count = counts[kernels_below(state, 8)];
    add_flag(system, kernels_random(&system->arena, state, KERNELS_VALUE, count,
                                    3 + kernels_below(state, size)));
    add_action(system, kernels_random(&system->arena, state, KERNELS_ACTION, count,
                                      3 + kernels_below(state, size)));
  }
}

/* All coefficients of all states, as bits. */
static void compare_flow(const brink_native *native, const brink_flow *flow, int order,
                         uint64_t *state) {
  static kernels_memory m;
  static double rows[2][KERNELS_X][20];
  double *row[2][KERNELS_X], *scratch = scratch_for(brink_flow_scratch(flow, order));
  kernels_fill(&m, state);
  memset(rows, 0, sizeof rows);
  for (size_t i = 0; i < KERNELS_X; i++) {
    for (int n = 0; n < 2; n++) row[n][i] = rows[n][i];
    rows[0][i][0] = rows[1][i][0] = m.x[i];
  }
  brink_flow_run(flow, &m.frame, order, 0.25, row[0], scratch, NULL);
  int done = native->object->flow(&m.frame, &native->tables, order, 0.25, row[1], scratch);
  CHECK(done == 1 || order > 12);
  if (done == 0) brink_flow_run(flow, &m.frame, order, 0.25, row[1], scratch, NULL);
  for (size_t i = 0; i < flow->nx; i++) {
    for (int k = 0; k <= order; k++)
      CHECK_MSG(memcmp(&rows[0][i][k], &rows[1][i][k], sizeof(double)) == 0 ||
                    (isnan(rows[0][i][k]) && isnan(rows[1][i][k])),
                "state %zu, coefficient %d: %.17g interpreted, %.17g compiled", i, k, rows[0][i][k],
                rows[1][i][k]);
  }
  free(scratch);
}

static void compare_system(const brink_system *system, uint64_t *state) {
  brink_emit_options options = {.guards = true, .jets = true, .actions = true, .guard_order = 4};
  brink_arena arena;
  brink_native *native = compile(system, &options);
  if (native == NULL) return;
  brink_arena_init(&arena, NULL);
  for (size_t k = 0; k < system->rhs.nkernels; k++) {
    const brink_kernel *kernel = system->rhs.kernels[k];
    for (int r = 0; r < 4; r++) compare_kernel(native, kernel, 0, kernel->count, state, &arena);
  }
  for (size_t k = 0; k < system->nflags; k++) {
    const brink_flag *flag = &system->flags[k];
    for (int r = 0; r < 4; r++) {
      size_t i = kernels_below(state, flag->count);
      compare_kernel(native, flag->value, i, 1, state, &arena);
      compare_kernel(native, flag->negative->kernels[0], i, 1, state, &arena);
      compare_jet(native, flag->value, i, state, &arena);
    }
  }
  brink_arena_free(&arena);
  brink_native_destroy(native);
}

TEST(random_systems_give_the_same_bits_compiled_and_interpreted) {
  for (uint64_t seed = 1; seed <= 4; seed++) {
    uint64_t state = seed;
    brink_system system;
    random_system(&system, &state, 20u << (seed % 4));
    compare_system(&system, &state);
    brink_arena_free(&system.arena);
  }
}

/* Every operator once: v = op(1 + x/8, y/4), x' = v - x/3, with a variable on the way, for `count`
 * pairs of states each. */
static void flow_system(brink_system *system, brink_op op, uint32_t count) {
  kernels_system(system, NULL);
  brink_kernel *v = kernels_make(&system->arena, "v", count);
  brink_kernel *dx = kernels_make(&system->arena, "dx", count);
  brink_graph *g = &v->graph;
  brink_node x = kernels_ref(v, BRINK_SPACE_X, 0, 1), y = kernels_ref(v, BRINK_SPACE_X, count, 1);
  brink_node a =
      brink_graph_op2(g, BRINK_OP_ADD, brink_graph_constant(g, 0.75),
                      brink_graph_op2(g, BRINK_OP_MUL, x, brink_graph_constant(g, 0.03125)));
  brink_node b = brink_graph_op2(g, BRINK_OP_DIV, y, brink_graph_constant(g, 4.0));
  if (op == BRINK_OP_LOOKUP) { /* by 3a, which is 2 or 3 for a while */
    a = brink_graph_op2(g, BRINK_OP_MUL, brink_graph_constant(g, 3.0), a);
    b = brink_graph_ref(
        g, (brink_ref){.space = BRINK_SPACE_P, .base = 2, .stride = 1, .extent = 3, .step = 4});
  }
  kernels_output(v, BRINK_SPACE_V, 0, 1, brink_graph_op(g, op, a, b, x));
  g = &dx->graph;
  x = kernels_ref(dx, BRINK_SPACE_X, 0, 1);
  brink_node speed =
      brink_graph_op2(g, BRINK_OP_SUB, kernels_ref(dx, BRINK_SPACE_V, 0, 1),
                      brink_graph_op2(g, BRINK_OP_MUL, x, kernels_ref(dx, BRINK_SPACE_P, 0, 0)));
  kernels_output(dx, BRINK_SPACE_DX, 0, 1, speed);
  kernels_output(dx, BRINK_SPACE_DX, count, 1, brink_graph_time(g)); /* a parabola */
  kernels_add_to(&system->rhs, &system->arena, v);
  kernels_add_to(&system->rhs, &system->arena, dx);
}

TEST(the_series_of_the_solution_has_the_same_bits_compiled_and_interpreted) {
  uint64_t state = 5;
  for (int op = BRINK_OP_ADD; op < BRINK_OP_COUNT; op++) {
    if (op >= BRINK_OP_FIND) continue; /* test_external.c, table-*.hsml */
    for (uint32_t count = 1; count <= 3; count += 2) {
      brink_system system;
      flow_system(&system, (brink_op)op, count);
      brink_flow *flow = brink_flow_make(&system.rhs, 2 * count, 0, count, &system.arena);
      CHECK(flow != NULL && flow->degrees.x[count] == 2);
      brink_native *native =
          compile(&system, &(brink_emit_options){.flow = flow, .flow_order = 12});
      for (int order = 1; native != NULL && order <= 16; order += 5)
        compare_flow(native, flow, order, &state);
      brink_native_destroy(native);
      brink_arena_free(&system.arena);
    }
  }
}

TEST(long_kernels_are_split_and_give_the_same_bits) {
  uint64_t state = 100;
  brink_system system;
  kernels_system(&system, NULL);
  static const size_t counts[] = {1, 1, 3};
  for (size_t k = 0; k < 3; k++)
    kernels_add_to(&system.rhs, &system.arena,
                   kernels_random(&system.arena, &state, KERNELS_EQUATION, counts[k], 3000));
  add_flag(&system, kernels_random(&system.arena, &state, KERNELS_VALUE, 2, 3000));
  add_action(&system, kernels_random(&system.arena, &state, KERNELS_ACTION, 2, 3000));
  brink_emission emission;
  CHECK(brink_emit(&system, &(brink_emit_options){.guards = true}, NULL, &emission));
  CHECK_CONTAINS(emission.source.data, "k0_2(f, T, 0, w);");
  CHECK(emission.scratch > 0);
  brink_emission_free(&emission);
  compare_system(&system, &state);
  brink_arena_free(&system.arena);
}

TEST(programs_run_their_kernels_in_order) {
  uint64_t state = 11;
  brink_system system;
  kernels_system(&system, NULL);
  brink_kernel *first = kernels_make(&system.arena, "first", 40);
  brink_kernel *second = kernels_make(&system.arena, "second", 1);
  kernels_output(
      first, BRINK_SPACE_V, 0, 1,
      brink_graph_op1(&first->graph, BRINK_OP_SIN, kernels_ref(first, BRINK_SPACE_X, 0, 1)));
  kernels_output(second, BRINK_SPACE_DX, 3, 0, kernels_ref(second, BRINK_SPACE_V, 17, 0));
  kernels_add_to(&system.rhs, &system.arena, first);
  kernels_add_to(&system.rhs, &system.arena, second);
  kernels_add_to(&system.all, &system.arena, first);
  brink_program jacobian = {0};
  brink_kernel *entries = kernels_make(&system.arena, "jacobian", 5);
  kernels_output(entries, BRINK_SPACE_OUT, 1, 2, kernels_ref(entries, BRINK_SPACE_X, 0, 1));
  kernels_add_to(&jacobian, &system.arena, entries);
  brink_native *native = compile(
      &system, &(brink_emit_options){.all = true, .jacobian = true, .jacobian_program = &jacobian});
  if (native != NULL) {
    static kernels_memory m;
    kernels_fill(&m, &state);
    native->object->rhs(&m.frame, &native->tables);
    CHECK(m.dx[3] == sin(m.x[17]) && m.v[39] == sin(m.x[39]));
    m.v[5] = 0.0;
    native->object->all(&m.frame, &native->tables);
    CHECK(m.v[5] == sin(m.x[5]));
    native->object->jacobian(&m.frame, &native->tables);
    for (size_t i = 0; i < 5; i++) CHECK(m.out[1 + 2 * i] == m.x[i]);
    CHECK(brink_native_kernel(native, second) != NULL);
  }
  brink_native_destroy(native);
  brink_arena_free(&system.arena);
}

/* Generated code computes both at once. */
TEST(sine_and_cosine_of_one_angle_have_the_bits_of_each_alone) {
  uint64_t state = 14;
  brink_system system;
  kernels_system(&system, NULL);
  brink_kernel *kernel = kernels_make(&system.arena, "both", KERNELS_X);
  brink_node angle = kernels_ref(kernel, BRINK_SPACE_X, 0, 1);
  kernels_output(kernel, BRINK_SPACE_V, 0, 1, brink_graph_op1(&kernel->graph, BRINK_OP_SIN, angle));
  kernels_output(kernel, BRINK_SPACE_V, KERNELS_X, 1,
                 brink_graph_op1(&kernel->graph, BRINK_OP_COS, angle));
  kernels_add_to(&system.rhs, &system.arena, kernel);
  brink_native *native = compile(&system, &(brink_emit_options){0});
  static kernels_memory m;
  kernels_fill(&m, &state);
  for (int k = 0; native != NULL && k < 20000; k++) {
    double size = pow(10.0, kernels_uniform(&state, -10.0, 20.0));
    for (size_t i = 0; i < KERNELS_X; i++) m.x[i] = kernels_uniform(&state, -size, size);
    native->object->rhs(&m.frame, &native->tables);
    for (size_t i = 0; i < KERNELS_X; i++)
      CHECK(m.v[i] == sin(m.x[i]) && m.v[KERNELS_X + i] == cos(m.x[i]));
  }
  brink_native_destroy(native);
  brink_arena_free(&system.arena);
}

TEST(loops_may_be_empty) {
  uint64_t state = 15;
  brink_system system;
  brink_arena arena;
  kernels_system(&system, NULL);
  brink_kernel *kernel = kernels_make(&system.arena, "none", 0);
  static const uint32_t nowhere[1] = {0};
  kernels_output(kernel, BRINK_SPACE_V, 0, 1, kernels_ref(kernel, BRINK_SPACE_X, 0, 1));
  kernels_output(kernel, BRINK_SPACE_V, 0, 0, brink_graph_time(&kernel->graph))->target.map =
      nowhere;
  kernels_add_to(&system.rhs, &system.arena, kernel);
  brink_arena_init(&arena, NULL);
  brink_native *native = compile(&system, &(brink_emit_options){.comments = true});
  if (native != NULL) compare_kernel(native, kernel, 0, 0, &state, &arena);
  brink_native_destroy(native);
  brink_arena_free(&arena);
  brink_arena_free(&system.arena);
}

/* ---- text ---- */

static void emit_pendula(size_t count, brink_emission *emission, brink_system *system) {
  kernels_system(system, NULL);
  brink_kernel *kernel = kernels_make(&system->arena, "pendulum.w'", count);
  brink_node angle = kernels_ref(kernel, BRINK_SPACE_X, 0, 1);
  kernels_output(kernel, BRINK_SPACE_DX, 0, 1,
                 kernels_ref(kernel, BRINK_SPACE_X, (uint32_t)count, 1));
  kernels_output(kernel, BRINK_SPACE_DX, (uint32_t)count, 1,
                 brink_graph_op1(&kernel->graph, BRINK_OP_SIN, angle));
  kernels_add_to(&system->rhs, &system->arena, kernel);
  CHECK(brink_emit(system, &(brink_emit_options){0}, NULL, emission));
}

TEST(the_text_does_not_depend_on_the_sizes_of_arrays) {
  brink_emission small, large;
  brink_system systems[2];
  emit_pendula(10, &small, &systems[0]);
  emit_pendula(20000, &large, &systems[1]);
  CHECK(strcmp(small.source.data, large.source.data) == 0);
  CHECK(small.source.length < 4000);
  brink_emission_free(&small);
  brink_emission_free(&large);
  brink_arena_free(&systems[0].arena);
  brink_arena_free(&systems[1].arena);
}

TEST(the_same_system_gives_the_same_bytes) {
  const brink_emit_options options = {
      .guards = true, .jets = true, .actions = true, .comments = true};
  brink_emission emissions[2];
  for (int k = 0; k < 2; k++) {
    uint64_t state = 77;
    brink_system system;
    void *elsewhere = malloc(12345); /* so that nothing lies where it did */
    random_system(&system, &state, 60);
    CHECK(brink_emit(&system, &options, NULL, &emissions[k]));
    brink_arena_free(&system.arena);
    free(elsewhere);
  }
  CHECK(strcmp(emissions[0].source.data, emissions[1].source.data) == 0);
  brink_emission_free(&emissions[0]);
  brink_emission_free(&emissions[1]);
}

/* A tank, as the language would flatten it. */
static void tank(brink_system *system) {
  static const char *segments[] = {"plant"};
  static uint32_t dimensions[] = {0};
  static brink_group groups[] = {
      {.segment = segments, .dimension = dimensions, .nsegments = 1, .count = 1}};
  static brink_variable variables[] = {
      {.name = "h", .space = BRINK_SPACE_X, .base = 0, .length = 1},
      {.name = "double", .space = BRINK_SPACE_X, .base = 1, .length = 1},
      {.name = "area", .space = BRINK_SPACE_P, .base = 0, .length = 1},
      {.name = "k", .space = BRINK_SPACE_P, .base = 1, .length = 1},
      {.name = "phase", .space = BRINK_SPACE_MODE, .base = 0, .length = 1}};
  kernels_system(system, NULL);
  system->groups = groups;
  system->ngroups = 1;
  system->variables = variables;
  system->nvariables = 5;
  brink_kernel *k = kernels_make(&system->arena, "plant.h'", 1);
  k->where = "tank.hsml:23 */";
  brink_node h = kernels_ref(k, BRINK_SPACE_X, 0, 0),
             phase = kernels_ref(k, BRINK_SPACE_MODE, 0, 0);
  brink_node root = brink_graph_op1(&k->graph, BRINK_OP_SQRT, h);
  brink_node flow =
      brink_graph_op2(&k->graph, BRINK_OP_MUL, root, kernels_ref(k, BRINK_SPACE_P, 1, 0));
  brink_node rate = brink_graph_op2(
      &k->graph, BRINK_OP_DIV,
      brink_graph_op2(&k->graph, BRINK_OP_SUB, brink_graph_constant(&k->graph, 0.5), flow),
      kernels_ref(k, BRINK_SPACE_P, 0, 0));
  brink_node closed =
      brink_graph_op2(&k->graph, BRINK_OP_EQ, phase, brink_graph_constant(&k->graph, 1.0));
  kernels_output(k, BRINK_SPACE_DX, 0, 0,
                 brink_graph_select(&k->graph, closed, brink_graph_constant(&k->graph, 0.0), rate));
  kernels_output(k, BRINK_SPACE_DX, 1, 0, kernels_ref(k, BRINK_SPACE_X, 1, 0));
  kernels_add_to(&system->rhs, &system->arena, k);
}

TEST(with_comments_the_text_speaks_of_the_model) {
  brink_system system;
  brink_emission emission;
  tank(&system);
  CHECK(brink_emit(&system, &(brink_emit_options){.comments = true}, NULL, &emission));
  CHECK_CONTAINS(emission.source.data, "/* plant.h'  tank.hsml:23 * / */");
  CHECK_CONTAINS(emission.source.data, "const double plant_h = x[0];");
  CHECK_CONTAINS(emission.source.data, "dx[0] = plant_phase == 1.0 ? 0.0 : "
                                       "(0.5 - sqrt(plant_h)*plant_k)/plant_area;");
  CHECK_CONTAINS(emission.source.data, "dx[1] = plant_double;");
  brink_emission_free(&emission);
  brink_native *native = compile(&system, &(brink_emit_options){.comments = true});
  if (native != NULL) {
    uint64_t state = 12;
    static kernels_memory m;
    kernels_fill(&m, &state);
    m.mode[0] = 0;
    m.x[0] = 2.0;
    native->object->rhs(&m.frame, &native->tables);
    CHECK(m.dx[0] == (0.5 - m.p[1] * sqrt(2.0)) / m.p[0]);
  }
  brink_native_destroy(native);
  brink_arena_free(&system.arena);
}

TEST(emitting_survives_every_failed_allocation) {
  uint64_t state = 13;
  brink_system system;
  random_system(&system, &state, 60);
  const brink_emit_options options = {
      .guards = true, .jets = true, .actions = true, .comments = true};
  bool done = false;
  for (long fail = 1; !done; fail++) {
    counting count = {.fail_at = fail};
    brink_allocator allocator = counting_allocator(&count);
    brink_emission emission;
    done = brink_emit(&system, &options, &allocator, &emission);
    CHECK(done == (count.calls < fail));
    if (done) brink_emission_free(&emission);
    CHECK(count.live == 0 && count.mismatch == 0);
  }
  brink_arena_free(&system.arena);
}

/* "": the one that would be taken anyway. False: it is not here. */
static bool use_compiler(const char *name) {
  char command[64];
  setenv("BRINK_CC", name, 1);
  if (name[0] == '\0') return true;
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
  return system(command) == 0;
}

int main(void) {
  if (!make_temporary_folder(cache, sizeof cache)) return 1;
  static const char *const compilers[] = {"", "gcc", "clang"};
  for (size_t k = 0; k < 3; k++) {
    if (!use_compiler(compilers[k])) continue;
    RUN(programs_run_their_kernels_in_order);
    RUN(random_systems_give_the_same_bits_compiled_and_interpreted);
    RUN(the_series_of_the_solution_has_the_same_bits_compiled_and_interpreted);
    RUN(long_kernels_are_split_and_give_the_same_bits);
  }
  use_compiler("");
  RUN(sine_and_cosine_of_one_angle_have_the_bits_of_each_alone);
  RUN(loops_may_be_empty);
  RUN(the_text_does_not_depend_on_the_sizes_of_arrays);
  RUN(the_same_system_gives_the_same_bytes);
  RUN(with_comments_the_text_speaks_of_the_model);
  RUN(emitting_survives_every_failed_allocation);
  char command[300];
  snprintf(command, sizeof command, "rm -rf '%s'", cache);
  if (system(command) != 0) return 1;
  return check_done();
}
