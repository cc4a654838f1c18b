/* test_structure.c: structures of constraints: counts against published ones, rows against formulas by hand and
 * against series of motions that are known. */
#include "check.h"
#include "expr/structure.h"
#include "support/counting.h"
#include "support/kernels.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MAX_X = 64, MAX_ROWS = 64, MAX_ENTRIES = 1024 };

/* ---- systems by hand ---- */

static brink_system sys;
static brink_kernel *kernel; /* that expressions are made in */

/* States, unknowns, booleans that are false at the start, guards. */
static void begin(size_t nstates, size_t nz, size_t nmodes, size_t nguards,
                  const brink_allocator *allocator) {
  sys = (brink_system){.name = "Test",
                       .nx = nstates + nz,
                       .nz = nz,
                       .nmodes = nmodes,
                       .nguards = nguards,
                       .np = 4,
                       .has_constraints = true};
  brink_arena_init(&sys.arena, allocator);
  sys.x0 = brink_arena_pack(&sys.arena, sys.nx, sizeof *sys.x0);
  sys.p0 = brink_arena_pack(&sys.arena, sys.np, sizeof *sys.p0);
  sys.mode0 = brink_arena_pack(&sys.arena, nmodes, sizeof *sys.mode0);
  sys.start = brink_arena_pack(&sys.arena, sys.nx, sizeof *sys.start);
  brink_group *group = brink_arena_push(&sys.arena, sys.groups, sys.ngroups, sys.groups_capacity);
  if (sys.arena.failed) abort();
  *group = (brink_group){.count = 1, .class_name = "Test"};
}

static void name(const char *text, brink_space space, uint32_t base, brink_value_type type) {
  brink_variable *v =
      brink_arena_push(&sys.arena, sys.variables, sys.nvariables, sys.variables_capacity);
  if (v == NULL) abort();
  *v = (brink_variable){.name = text, .space = space, .base = base, .length = 1, .type = type};
}

/* The next expression is one of `count` iterations. */
static void loop(size_t count) {
  kernel = kernels_make(&sys.arena, "test", count);
}

static brink_node x(uint32_t slot) {
  return kernels_ref(kernel, BRINK_SPACE_X, slot, 0);
}
static brink_node xs(uint32_t base, int32_t stride) {
  return kernels_ref(kernel, BRINK_SPACE_X, base, stride);
}
static brink_node number(double value) {
  return brink_graph_constant(&kernel->graph, value);
}
static brink_node now(void) {
  return brink_graph_time(&kernel->graph);
}
static brink_node add(brink_node a, brink_node b) {
  return brink_graph_op2(&kernel->graph, BRINK_OP_ADD, a, b);
}
static brink_node sub(brink_node a, brink_node b) {
  return brink_graph_op2(&kernel->graph, BRINK_OP_SUB, a, b);
}
static brink_node mul(brink_node a, brink_node b) {
  return brink_graph_op2(&kernel->graph, BRINK_OP_MUL, a, b);
}
static brink_node square(brink_node a) {
  return mul(a, a);
}
static brink_node neg(brink_node a) {
  return brink_graph_op1(&kernel->graph, BRINK_OP_NEG, a);
}
static brink_node sine(brink_node a) {
  return brink_graph_op1(&kernel->graph, BRINK_OP_SIN, a);
}
static brink_node cosine(brink_node a) {
  return brink_graph_op1(&kernel->graph, BRINK_OP_COS, a);
}

static void equation(brink_space space, uint32_t base, int32_t stride, brink_node node) {
  kernels_output(kernel, space, base, stride, node);
  brink_kernel **added =
      brink_arena_push(&sys.arena, sys.equations, sys.nequations, sys.equations_capacity);
  if (added == NULL) abort();
  *added = kernel;
  loop(1);
}

static void flow(uint32_t slot, brink_node node) {
  equation(BRINK_SPACE_DX, slot, 0, node);
}

static brink_constraint *constraint(brink_node node) {
  kernels_output(kernel, BRINK_SPACE_OUT, 0, 0, node);
  brink_constraint *c =
      brink_arena_push(&sys.arena, sys.constraints, sys.nconstraints, sys.constraints_capacity);
  if (c == NULL) abort();
  *c = (brink_constraint){.residual = kernel, .count = kernel->count, .where = "test"};
  c->place.line = 10 + (uint32_t)sys.nconstraints;
  loop(1);
  return c;
}

/* The last constraint holds where the slot has this value. */
static void when(brink_space space, uint32_t slot, double value) {
  brink_node here = kernels_ref(kernel, space, slot, 0);
  brink_node is = brink_graph_op2(&kernel->graph, BRINK_OP_EQ, here, number(value));
  kernels_output(kernel, BRINK_SPACE_OUT, 0, 0, is);
  sys.constraints[sys.nconstraints - 1].active = kernel;
  loop(1);
}

static bool finish(void) {
  brink_text path = {.allocator = sys.arena.allocator};
  size_t bad;
  bool ok = brink_system_finish(&sys, &path, &bad);
  brink_text_free(&path);
  return ok;
}

static brink_structure_fault fault;

static const brink_structure_plan *only_plan(void) {
  CHECK(finish());
  bool ok = brink_system_structures(&sys, &fault, NULL, NULL);
  CHECK_MSG(ok, "fault %d", (int)fault.kind);
  if (!ok) return NULL;
  CHECK_INT(sys.structures->count, 1);
  CHECK(sys.structures->complete);
  return sys.structures->plans[0];
}

static void end(void) {
  brink_arena_free(&sys.arena);
}

/* ---- values ---- */

static double out[MAX_ENTRIES];

static const double *run(brink_kernel *const *kernels, size_t count, double t, double *at) {
  brink_frame frame = {.t = t, .x = at, .p = sys.p0, .mode = sys.mode0, .out = out};
  for (size_t k = 0; k < count; k++) kernels_run_plainly(kernels[k], &frame, 0, 1);
  return out;
}

static void values(const brink_structure_plan *plan, double t, double *at, double *result) {
  memcpy(result, run(&plan->values, 1, t, at), (plan->ng + plan->nh) * sizeof *result);
}

static size_t row_of(const brink_structure_plan *plan, uint32_t c, int order) {
  for (size_t k = 0; k < plan->ng + plan->nh; k++)
    if (plan->rows[k].kind == BRINK_ROW_CONSTRAINT && plan->rows[k].constraint == c &&
        plan->rows[k].order == order)
      return k;
  CHECK_MSG(false, "no row of constraint %u, order %d", (unsigned)c, order);
  return 0;
}

static uint32_t slot_of(const brink_structure_plan *plan, uint32_t of, int order) {
  for (size_t k = 0; k < plan->ng; k++)
    if (plan->unknowns[k].of == of && plan->unknowns[k].order == order)
      return (uint32_t)(plan->nstates + k);
  CHECK_MSG(false, "derivative %d of slot %u has no slot", order, (unsigned)of);
  return 0;
}

/* Row c^(k+1) is the derivative of row c^(k) along the motion: by its Jacobian, x' = f and z^(k)' = z^(k+1). */
static void check_derivatives(const brink_structure_plan *plan, double t, double *at,
                              const double *jacobian) {
  size_t nx = plan->nstates + plan->ng, rows = plan->ng + plan->nh;
  double rate[MAX_X + 1] = {0}, v[8] = {0}, value[MAX_ROWS], total[MAX_ROWS] = {0},
                      size[MAX_ROWS] = {0};
  brink_frame frame = {.t = t, .x = at, .p = sys.p0, .mode = sys.mode0, .v = v, .dx = rate};
  for (size_t k = 0; k < sys.rhs.nkernels; k++)
    kernels_run_plainly(sys.rhs.kernels[k], &frame, 0, sys.rhs.kernels[k]->count);
  for (size_t j = 0; j < plan->ng; j++)
    for (size_t k = 0; k < plan->ng; k++)
      if (plan->unknowns[j].order >= 0 && plan->unknowns[j].of == plan->unknowns[k].of &&
          plan->unknowns[k].order == plan->unknowns[j].order + 1)
        rate[plan->nstates + j] = at[plan->nstates + k];
  for (size_t k = 0; k < plan->ng; k++) /* open states */
    if (plan->unknowns[k].order == 1 && plan->unknowns[k].of < plan->nstates)
      rate[plan->unknowns[k].of] = at[plan->nstates + k];
  rate[nx] = 1.0;
  values(plan, t, at, value);
  for (size_t j = 0; j <= nx; j++)
    for (size_t k = plan->starts[j]; k < plan->starts[j + 1]; k++) {
      total[plan->entries[k]] += jacobian[k] * rate[j];
      size[plan->entries[k]] += fabs(jacobian[k] * rate[j]);
    }
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < rows; k++)
      if (plan->rows[i].kind == BRINK_ROW_CONSTRAINT &&
          plan->rows[i].constraint == plan->rows[k].constraint &&
          plan->rows[i].iteration == plan->rows[k].iteration &&
          plan->rows[k].order == plan->rows[i].order + 1)
        CHECK_NEAR(value[k], total[i], 1e-12 * (1.0 + size[i]));
}

/* Jacobian against central differences of order 4; patterns are in order; blocks read what is solved. */
static void check_plan_of(const brink_structure_plan *plan, double t, double *at, bool motion_too) {
  size_t nx = plan->nstates + plan->ng, rows = plan->ng + plan->nh;
  static double jacobian[MAX_ENTRIES];
  static const double offset[] = {-2.0, -1.0, 1.0, 2.0}, weight[] = {1.0, -8.0, 8.0, -1.0};
  CHECK_INT(nx, sys.nx);
  CHECK_INT(plan->ng, sys.nz);
  memcpy(jacobian, run(plan->jacobian.kernels, plan->jacobian.nkernels, t, at), sizeof jacobian);
  if (motion_too) check_derivatives(plan, t, at, jacobian);
  for (size_t j = 0; j <= nx; j++) {
    double dense[MAX_ROWS] = {0}, expected[MAX_ROWS] = {0}, here[MAX_ROWS], h = 1e-3;
    for (size_t k = plan->starts[j]; k < plan->starts[j + 1]; k++) {
      if (k > plan->starts[j]) CHECK(plan->entries[k] > plan->entries[k - 1]);
      dense[plan->entries[k]] = jacobian[k];
    }
    for (size_t k = 0; k < COUNT(offset); k++) {
      double was = j < nx ? at[j] : 0.0;
      if (j < nx) at[j] += offset[k] * h;
      values(plan, j < nx ? t : t + offset[k] * h, at, here);
      if (j < nx) at[j] = was;
      for (size_t i = 0; i < rows; i++) expected[i] += weight[k] * here[i] / (12.0 * h);
    }
    for (size_t i = 0; i < rows; i++)
      CHECK_MSG(fabs(dense[i] - expected[i]) <= 1e-7 * (1.0 + fabs(expected[i])),
                "(%zu, %zu) = %.12g, expected %.12g", i, j, dense[i], expected[i]);
  }
  size_t solved[MAX_X];
  for (size_t j = 0; j < nx; j++) solved[j] = j < plan->nstates ? 0 : BRINK_NONE;
  CHECK_INT(plan->block[0], 0);
  CHECK_INT(plan->block[plan->nblocks], plan->ng);
  for (size_t b = 0; b < plan->nblocks; b++)
    for (size_t i = plan->block[b]; i < plan->block[b + 1]; i++) {
      CHECK(solved[plan->slot[i]] == BRINK_NONE); /* each once */
      solved[plan->slot[i]] = b;
    }
  for (size_t j = plan->nstates; j < nx; j++)
    for (size_t k = plan->starts[j]; k < plan->starts[j + 1]; k++)
      for (size_t b = 0; b < plan->nblocks; b++)
        if (plan->entries[k] >= plan->block[b] && plan->entries[k] < plan->block[b + 1])
          CHECK(solved[j] <= b);
}

static void check_plan(const brink_structure_plan *plan, double t, double *at) {
  check_plan_of(plan, t, at, true);
}

static void check_counts(const brink_structure_plan *plan, int index, size_t free, size_t nh) {
  CHECK_INT(plan->index, index);
  CHECK_INT(plan->free, free);
  CHECK_INT(plan->nh, nh);
}

static const char *row_text(const brink_structure_row *row) {
  static char buffer[128];
  brink_text text = {0};
  brink_structure_row_text(&sys, row, &text);
  snprintf(buffer, sizeof buffer, "%s", text.data != NULL ? text.data : "");
  brink_text_free(&text);
  return buffer;
}

static const char *unknown_text(const brink_structure_unknown *unknown) {
  static char buffer[128];
  brink_text text = {0};
  brink_structure_unknown_text(&sys, unknown, &text);
  snprintf(buffer, sizeof buffer, "%s", text.data != NULL ? text.data : "");
  brink_text_free(&text);
  return buffer;
}

#define CHECK_TEXT(actual, expected)                                                               \
  do {                                                                                             \
    const char *text_ = (actual);                                                                  \
    CHECK_MSG(strcmp(text_, expected) == 0, "\"%s\", expected \"%s\"", text_, expected);           \
  } while (0)

/* ---- pendulum, constant speed ---- */

/* x, y, vx, vy at `base`, lambda; gravity g along y. */
static void pendulum_flow(uint32_t base, uint32_t lambda, double g) {
  flow(base, x(base + 2));
  flow(base + 1, x(base + 3));
  flow(base + 2, neg(mul(x(lambda), x(base))));
  flow(base + 3, add(neg(mul(x(lambda), x(base + 1))), number(g)));
}

static void pendulum(const brink_allocator *allocator) {
  begin(4, 1, 0, 0, allocator);
  loop(1);
  name("lam", BRINK_SPACE_X, 4, BRINK_VALUE_REAL);
  pendulum_flow(0, 4, -9.81);
  constraint(sub(add(square(x(0)), square(x(1))), number(1.0)));
}

TEST(the_pendulum_has_index_3_and_2_free_states_of_4) {
  pendulum(NULL);
  const brink_structure_plan *plan = only_plan();
  if (plan == NULL) return;
  check_counts(plan, 3, 2, 2);
  CHECK_INT(sys.nx, 5);
  CHECK_INT(plan->nblocks, 1);
  CHECK_INT(plan->slot[0], 4);
  CHECK_TEXT(row_text(&plan->rows[0]), "2nd derivative of line 11");
  CHECK_TEXT(row_text(&plan->rows[1]), "line 11");
  CHECK_TEXT(row_text(&plan->rows[2]), "1st derivative of line 11");
  CHECK_INT(plan->ngroups, 1);
  CHECK_INT(plan->group[1], 4);
  double at[] = {0.3, -0.8, 1.1, 0.4, 5.0}, v[3];
  values(plan, 0.0, at, v);
  CHECK_NEAR(v[1], 0.3 * 0.3 + 0.8 * 0.8 - 1.0, 1e-15);
  CHECK_NEAR(v[2], 2.0 * (0.3 * 1.1 - 0.8 * 0.4), 1e-15);
  CHECK_NEAR(v[0], 2.0 * (1.1 * 1.1 + 0.4 * 0.4 - 5.0 * (0.3 * 0.3 + 0.8 * 0.8) + 0.8 * 9.81),
             1e-13);
  check_plan(plan, 0.0, at);
  end();
}

TEST(constant_speed_has_index_2_and_3_free_states_of_4) {
  begin(4, 1, 0, 0, NULL);
  loop(1);
  flow(0, x(2));
  flow(1, x(3));
  flow(2, mul(x(4), x(2)));
  flow(3, sub(mul(x(4), x(3)), number(9.81)));
  constraint(sub(add(square(x(2)), square(x(3))), number(100.0)));
  const brink_structure_plan *plan = only_plan();
  if (plan == NULL) return;
  check_counts(plan, 2, 3, 1);
  CHECK_INT(plan->ngroups, 1);
  CHECK_INT(plan->group[1], 2); /* vx, vy only */
  CHECK_INT(plan->tied[0], 2);
  CHECK_INT(plan->tied[1], 3);
  double at[] = {0.0, 0.0, 6.0, 8.0, 0.4}, v[2];
  values(plan, 0.0, at, v);
  CHECK_NEAR(v[0], 2.0 * (0.4 * 100.0 - 9.81 * 8.0), 1e-12);
  CHECK_NEAR(v[1], 0.0, 1e-13);
  check_plan(plan, 0.0, at);
  end();
}

/* ---- two pendula ---- */

enum { ORDERS = 8 };

/* Coefficients of a product. */
static double product(const double *a, const double *b, int k) {
  double sum = 0.0;
  for (int i = 0; i <= k; i++) sum += a[i] * b[k - i];
  return sum;
}

static const double factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040};

/* x, y, vx, vy: Taylor coefficients of x'' = -lam x, y'' = -lam y + g with a given lam(t). */
static void motion(double s[4][ORDERS], const double *lam) {
  for (int k = 0; k + 1 < ORDERS; k++) {
    s[0][k + 1] = s[2][k] / (k + 1);
    s[1][k + 1] = s[3][k] / (k + 1);
    s[2][k + 1] = -product(lam, s[0], k) / (k + 1);
    s[3][k + 1] = (-product(lam, s[1], k) + (k == 0 ? 9.81 : 0.0)) / (k + 1);
  }
}

TEST(two_pendula_have_index_5_and_4_free_states_of_8) {
  begin(8, 2, 0, 0, NULL);
  loop(1);
  name("lam", BRINK_SPACE_X, 8, BRINK_VALUE_REAL);
  name("kap", BRINK_SPACE_X, 9, BRINK_VALUE_REAL);
  pendulum_flow(0, 8, 9.81);
  pendulum_flow(4, 9, 9.81);
  constraint(sub(add(square(x(0)), square(x(1))), number(1.0)));
  constraint(
      sub(add(square(x(4)), square(x(5))), square(add(number(1.0), mul(number(0.01), x(8))))));
  const brink_structure_plan *plan = only_plan();
  if (plan == NULL) return;
  check_counts(plan, 5, 4, 4);
  CHECK_INT(sys.nx, 12);
  CHECK_INT(sys.nz, 4);
  CHECK_INT(plan->ng, 4);
  CHECK_INT(plan->nblocks, 4);
  CHECK_TEXT(unknown_text(&plan->unknowns[3]), "lam''");
  CHECK_INT(plan->ngroups, 1); /* the second length depends on the first pendulum */
  CHECK_INT(plan->group[1], 8);
  /* Motions with any forces lam(t), kap(t): row c^(k) is the k-th derivative of c along them. */
  double lam[ORDERS] = {3.0, -0.7, 0.4, 1.1, -0.3}, kap[ORDERS] = {5.0};
  double a[4][ORDERS] = {{0.6}, {0.8}, {0.2}, {-0.5}}, b[4][ORDERS] = {{0.1}, {1.2}, {1.0}, {0.3}};
  double at[12], v[8], c[2][ORDERS], stretched[ORDERS];
  motion(a, lam);
  motion(b, kap);
  for (int k = 0; k < ORDERS; k++) stretched[k] = 0.01 * lam[k] + (k == 0 ? 1.0 : 0.0);
  for (int k = 0; k < ORDERS; k++) {
    c[0][k] = product(a[0], a[0], k) + product(a[1], a[1], k) - (k == 0 ? 1.0 : 0.0);
    c[1][k] = product(b[0], b[0], k) + product(b[1], b[1], k) - product(stretched, stretched, k);
  }
  for (size_t k = 0; k < 4; k++) {
    at[k] = a[k][0];
    at[4 + k] = b[k][0];
  }
  at[9] = kap[0];
  for (int k = 0; k < 3; k++) at[slot_of(plan, 8, k)] = lam[k] * factorial[k];
  values(plan, 0.0, at, v);
  for (int k = 0; k <= 4; k++) CHECK_NEAR(v[row_of(plan, 0, k)], c[0][k] * factorial[k], 1e-11);
  for (int k = 0; k <= 2; k++) CHECK_NEAR(v[row_of(plan, 1, k)], c[1][k] * factorial[k], 1e-11);
  check_plan(plan, 0.0, at);
  end();
}

/* ---- slider-crank ---- */

TEST(the_slider_crank_has_index_3_and_2_free_states_of_10) {
  enum { TH, X_, Y_, PHI, S, W = 5, F = 10 };
  begin(10, 4, 0, 0, NULL);
  loop(1);
  for (uint32_t k = 0; k < 5; k++) flow(k, x(W + k));
  flow(W, mul(number(3.0), add(sub(mul(number(-4.905), cosine(x(TH))), mul(sine(x(TH)), x(F))),
                               mul(cosine(x(TH)), x(F + 1)))));
  flow(W + 1, sub(neg(x(F)), x(F + 2)));
  flow(W + 2, sub(sub(neg(x(F + 1)), x(F + 3)), number(9.81)));
  brink_node left = sub(mul(cosine(x(PHI)), x(F + 1)), mul(sine(x(PHI)), x(F)));
  brink_node right = sub(mul(sine(x(PHI)), x(F + 2)), mul(cosine(x(PHI)), x(F + 3)));
  flow(W + 3, mul(number(3.0), add(left, right)));
  flow(W + 4, x(F + 2));
  constraint(sub(sub(x(X_), cosine(x(PHI))), cosine(x(TH))));
  constraint(sub(sub(x(Y_), sine(x(PHI))), sine(x(TH))));
  constraint(sub(add(x(X_), cosine(x(PHI))), x(S)));
  constraint(add(x(Y_), sine(x(PHI))));
  const brink_structure_plan *plan = only_plan();
  if (plan == NULL) return;
  check_counts(plan, 3, 2, 8);
  CHECK_INT(plan->nblocks, 1);
  CHECK_INT(plan->ngroups, 1);
  CHECK_INT(plan->group[1], 10);
  double at[14] = {0.5, 0.7, 0.2, -0.3, 1.8, 0.4, 1.0, -1.0, 0.3, 0.6, 1.0, -2.0, 3.0, 0.5};
  check_plan(plan, 0.0, at);
  /* the published point: forces and velocities of t = 5 satisfy all twelve equations */
  double published[14] = {-1.55055638282584079, 0.886323084444147781,  -0.499897589663182357,
                          0.523480526363474568, 1.75240760679109548,   3.50095926013209754,
                          3.52069050411165451,  0.0354271906929755474, -0.0409050038176108293,
                          3.54113881692524144,  -1.169383498603533,    -10.30989363117694,
                          2.33904411940078,     -5.582368318429196};
  double v[12];
  values(plan, 5.0, published, v);
  for (size_t k = 0; k < COUNT(v); k++) CHECK_NEAR(v[k], 0.0, 1e-12);
  end();
}

/* ---- changing structure ---- */

/* w1, w2; Tc: 5 where not locked, else w1 = w2. The key is a boolean. */
static void clutch(const brink_allocator *allocator) {
  begin(2, 1, 1, 0, allocator);
  loop(1);
  name("locked", BRINK_SPACE_MODE, 0, BRINK_VALUE_BOOLEAN);
  name("Tc", BRINK_SPACE_X, 2, BRINK_VALUE_REAL);
  brink_node drive = add(number(4.0), mul(number(6.0), sine(mul(number(2.0), now()))));
  flow(0, sub(drive, x(2)));
  flow(1, mul(sub(x(2), number(2.0)), number(0.5)));
  constraint(sub(x(2), number(5.0)));
  when(BRINK_SPACE_MODE, 0, 0.0);
  constraint(sub(x(0), x(1)));
  when(BRINK_SPACE_MODE, 0, 1.0);
}

TEST(a_clutch_has_two_structures) {
  clutch(NULL);
  CHECK(finish());
  CHECK(brink_system_structures(&sys, &fault, NULL, NULL));
  const brink_structure_set *set = sys.structures;
  CHECK_INT(set->count, 2);
  CHECK(set->complete);
  CHECK_INT(set->nkey_modes, 1);
  check_counts(set->plans[0], 1, 2, 0);
  check_counts(set->plans[1], 2, 1, 1);
  CHECK_INT(set->plans[0]->ngroups, 0);
  CHECK_INT(set->plans[1]->ngroups, 1);
  CHECK_INT(set->plans[1]->group[1], 2);
  double at[] = {3.0, 2.0, 1.0}, v[2];
  values(set->plans[1], 0.3, at, v);
  CHECK_NEAR(v[0], 4.0 + 6.0 * sin(0.6) - 1.0 - (1.0 - 2.0) / 2.0, 1e-14);
  CHECK_NEAR(v[1], 1.0, 0.0);
  check_plan(set->plans[0], 0.3, at);
  check_plan(set->plans[1], 0.3, at);
  int mode = 1;
  CHECK(brink_structure_find(&sys, sys.p0, &mode, NULL, &fault) == set->plans[1]);
  mode = 0;
  CHECK(brink_structure_find(&sys, sys.p0, &mode, NULL, &fault) == set->plans[0]);
  CHECK_INT(set->count, 2);
  end();
}

/* The derivative of x depends on a sign that also chooses: it is read as a number. sgn < 0: z = 1; else x = 0. */
static void signed_system(void) {
  begin(1, 1, 0, 1, NULL);
  loop(1);
  brink_node sign = kernels_ref(kernel, BRINK_SPACE_SIGN, 0, 0);
  flow(0, brink_graph_select(&kernel->graph, sign, mul(sign, x(1)), sub(x(1), x(0))));
  constraint(sub(x(1), number(1.0)));
  when(BRINK_SPACE_SIGN, 0, -1.0);
  constraint(x(0));
  brink_node here = kernels_ref(kernel, BRINK_SPACE_SIGN, 0, 0);
  brink_node is = brink_graph_op2(&kernel->graph, BRINK_OP_NE, here, number(-1.0));
  kernels_output(kernel, BRINK_SPACE_OUT, 0, 0, is);
  sys.constraints[1].active = kernel;
}

TEST(signs_that_choose_are_numbers_in_the_equations) {
  signed_system();
  CHECK(finish());
  CHECK(brink_system_structures(&sys, &fault, NULL, NULL));
  const brink_structure_set *set = sys.structures;
  CHECK_INT(set->count, 3);
  check_counts(set->plans[0], 1, 1, 0);
  check_counts(set->plans[1], 2, 0, 1);
  check_counts(set->plans[2], 2, 0, 1);
  double at[] = {0.5, 3.0}, v[2];
  values(set->plans[1], 0.0, at, v); /* sign 0: x' = z - x */
  CHECK_NEAR(v[0], 2.5, 0.0);
  values(set->plans[2], 0.0, at, v); /* sign 1: x' = z */
  CHECK_NEAR(v[0], 3.0, 0.0);
  for (size_t k = 0; k < 3; k++) {
    signed char sgn = (signed char)((int)k - 1);
    CHECK(brink_structure_find(&sys, sys.p0, NULL, &sgn, &fault) == set->plans[k]);
  }
  end();
}

/* Modes that only exchange constraints that nobody reads otherwise: two booleans, four choices, `or`. */
TEST(choices_that_make_no_difference_are_one_structure) {
  begin(1, 1, 2, 0, NULL);
  loop(1);
  name("a", BRINK_SPACE_MODE, 0, BRINK_VALUE_BOOLEAN);
  name("b", BRINK_SPACE_MODE, 1, BRINK_VALUE_BOOLEAN);
  flow(0, x(1));
  for (int k = 0; k < 2; k++) {
    constraint(k == 0 ? x(1) : x(0));
    brink_node either =
        brink_graph_op2(&kernel->graph, BRINK_OP_OR, kernels_ref(kernel, BRINK_SPACE_MODE, 0, 0),
                        kernels_ref(kernel, BRINK_SPACE_MODE, 1, 0));
    if (k == 0) either = brink_graph_op1(&kernel->graph, BRINK_OP_NOT, either);
    kernels_output(kernel, BRINK_SPACE_OUT, 0, 0, either);
    sys.constraints[k].active = kernel;
    loop(1);
  }
  CHECK(finish());
  CHECK(brink_system_structures(&sys, &fault, NULL, NULL));
  CHECK_INT(sys.structures->count, 2);
  CHECK(sys.structures->complete);
  end();
}

/* One branch is the pendulum pair (two hidden slots), the other gives both forces. */
TEST(slots_that_a_structure_does_not_use_are_zero) {
  begin(8, 2, 1, 0, NULL);
  loop(1);
  name("lam", BRINK_SPACE_X, 8, BRINK_VALUE_REAL);
  name("kap", BRINK_SPACE_X, 9, BRINK_VALUE_REAL);
  name("tied", BRINK_SPACE_MODE, 0, BRINK_VALUE_BOOLEAN);
  pendulum_flow(0, 8, 9.81);
  pendulum_flow(4, 9, 9.81);
  constraint(sub(add(square(x(0)), square(x(1))), number(1.0)));
  when(BRINK_SPACE_MODE, 0, 1.0);
  constraint(
      sub(add(square(x(4)), square(x(5))), square(add(number(1.0), mul(number(0.01), x(8))))));
  when(BRINK_SPACE_MODE, 0, 1.0);
  constraint(sub(x(8), x(0)));
  when(BRINK_SPACE_MODE, 0, 0.0);
  constraint(sub(x(9), x(8)));
  when(BRINK_SPACE_MODE, 0, 0.0);
  CHECK(finish());
  CHECK(brink_system_structures(&sys, &fault, NULL, NULL));
  const brink_structure_set *set = sys.structures;
  CHECK_INT(set->count, 2);
  CHECK_INT(sys.nx, 12);
  check_counts(set->plans[0], 1, 8, 0);
  check_counts(set->plans[1], 5, 4, 4);
  CHECK_INT(set->plans[0]->ng, 4);
  CHECK_INT(set->plans[0]->rows[2].kind, BRINK_ROW_UNUSED);
  CHECK_INT(set->plans[0]->rows[3].slot, 11);
  CHECK_INT(set->plans[0]->unknowns[3].order, -1);
  double at[] = {0.6, 0.8, 0.1, 0.2, 0.3, 1.0, 0.4, 0.5, 2.0, 3.0, 0.7, 0.9}, v[4];
  values(set->plans[0], 0.0, at, v);
  CHECK_NEAR(v[2], 0.7, 0.0);
  CHECK_NEAR(v[3], 0.9, 0.0);
  check_plan(set->plans[0], 0.0, at);
  check_plan(set->plans[1], 0.0, at);
  CHECK_TEXT(sys.variables[sys.nvariables - 1].name, "lam''");
  CHECK_INT(sys.start[11], BRINK_INITIAL_FREE);
  end();
}

TEST(tanks_apart_spilling_and_joined) {
  static const double set_of[] = {0.0, 1.0, 2.0};
  begin(2, 1, 1, 0, NULL);
  loop(1);
  name("levels", BRINK_SPACE_MODE, 0, BRINK_VALUE_STRING);
  sys.variables[0].set = set_of;
  sys.variables[0].nset = 3;
  flow(0, sub(number(0.9), x(2)));
  brink_node outflow = mul(number(0.5), brink_graph_op1(&kernel->graph, BRINK_OP_SQRT, x(1)));
  flow(1, mul(number(0.5), sub(x(2), outflow)));
  constraint(x(2));
  when(BRINK_SPACE_MODE, 0, 0.0);
  constraint(sub(x(0), number(1.0)));
  when(BRINK_SPACE_MODE, 0, 1.0);
  constraint(sub(x(0), x(1)));
  when(BRINK_SPACE_MODE, 0, 2.0);
  CHECK(finish());
  CHECK(brink_system_structures(&sys, &fault, NULL, NULL));
  const brink_structure_set *set = sys.structures;
  CHECK_INT(set->count, 3);
  check_counts(set->plans[0], 1, 2, 0);
  check_counts(set->plans[1], 2, 1, 1);
  check_counts(set->plans[2], 2, 1, 1);
  CHECK_INT(set->plans[1]->group[1], 1);
  CHECK_INT(set->plans[2]->group[1], 2);
  end();
}

/* As the clutch, but a parameter chooses. */
static void by_parameter(const brink_allocator *allocator) {
  begin(2, 1, 0, 0, allocator);
  loop(1);
  flow(0, neg(x(2)));
  flow(1, x(2));
  constraint(sub(x(2), number(5.0)));
  when(BRINK_SPACE_P, 1, 0.0);
  constraint(sub(x(0), x(1)));
  when(BRINK_SPACE_P, 1, 1.0);
}

TEST(a_structure_that_a_parameter_chooses_is_analysed_when_it_is_met) {
  by_parameter(NULL);
  const brink_structure_plan *plan = only_plan();
  if (plan == NULL) return;
  check_counts(plan, 1, 2, 0);
  double p[4] = {0.0, 1.0};
  const brink_structure_plan *other = brink_structure_find(&sys, p, NULL, NULL, &fault);
  CHECK(other != NULL && other != plan && sys.structures->count == 2);
  if (other != NULL) check_counts(other, 2, 1, 1);
  CHECK(brink_structure_find(&sys, p, NULL, NULL, &fault) == other);
  CHECK(brink_structure_find(&sys, sys.p0, NULL, NULL, &fault) == plan);
  p[1] = 2.0;
  CHECK(brink_structure_find(&sys, p, NULL, NULL, &fault) == NULL);
  CHECK_INT(fault.kind, BRINK_FAULT_COUNT);
  end();
}

TEST(a_structure_that_could_not_be_made_for_lack_of_memory_is_made_later) {
  double p[4] = {0.0, 1.0};
  for (long n = 1; n < 10000; n++) {
    counting counter = {0};
    brink_allocator allocator = counting_allocator(&counter);
    by_parameter(&allocator);
    if (!finish() || !brink_system_structures(&sys, &fault, NULL, NULL)) abort();
    counter.calls = 0, counter.fail_at = n;
    const brink_structure_plan *plan = brink_structure_find(&sys, p, NULL, NULL, &fault);
    bool reached = counter.calls >= n;
    counter.fail_at = 0;
    CHECK(plan != NULL || (reached && fault.kind == BRINK_FAULT_MEMORY));
    plan = brink_structure_find(&sys, p, NULL, NULL, &fault);
    CHECK(plan != NULL && plan->index == 2 && sys.structures->count == 2);
    end();
    CHECK_INT(counter.live, 0);
    if (!reached) break;
  }
}

/* ---- blocks ---- */

/* z0 … z3: 0 = z2 + z3 - x, 0 = z2 z3 - 1 together; then z0 = z2; then z1 = z0 + z3. Given in another order, with
 * variables in between. */
TEST(index_1_is_solved_in_blocks) {
  begin(1, 4, 0, 0, NULL);
  sys.nv = 1;
  loop(1);
  flow(0, x(2));
  equation(BRINK_SPACE_V, 0, 0, add(x(1), x(4)));
  constraint(sub(x(2), kernels_ref(kernel, BRINK_SPACE_V, 0, 0)));
  constraint(sub(x(1), x(3)));
  constraint(sub(add(x(3), x(4)), x(0)));
  constraint(sub(mul(x(3), x(4)), number(1.0)));
  const brink_structure_plan *plan = only_plan();
  if (plan == NULL) return;
  check_counts(plan, 1, 1, 0);
  CHECK_INT(plan->nblocks, 3);
  CHECK_INT(plan->block[1], 2);
  CHECK_INT(plan->rows[0].constraint, 2);
  CHECK_INT(plan->rows[1].constraint, 3);
  CHECK_INT(plan->rows[2].constraint, 1);
  CHECK_INT(plan->rows[3].constraint, 0);
  CHECK_INT(plan->slot[2], 1);
  CHECK_INT(plan->slot[3], 2);
  double at[] = {2.5, 0.1, 0.2, 0.7, 1.9};
  check_plan(plan, 0.0, at);
  end();
}

/* Loops are written out: a row of n pendula, each with a force of its own. */
TEST(loops_are_written_out) {
  enum { N = 7 };
  begin(4 * N, N, 0, 0, NULL);
  for (uint32_t k = 0; k < 4; k++) {
    loop(N);
    brink_node f = k < 2 ? xs((k + 2) * N, 1) : neg(mul(xs(4 * N, 1), xs((k - 2) * N, 1)));
    equation(BRINK_SPACE_DX, k * N, 1, k == 3 ? sub(f, number(9.81)) : f);
  }
  loop(N);
  constraint(sub(add(square(xs(0, 1)), square(xs(N, 1))), number(1.0)));
  const brink_structure_plan *plan = only_plan();
  if (plan == NULL) return;
  check_counts(plan, 3, 2 * N, 2 * N);
  CHECK_INT(plan->nblocks, N);
  CHECK_INT(plan->ngroups, N);
  for (size_t g = 0; g <= N; g++) CHECK_INT(plan->group[g], 4 * g);
  double at[5 * N];
  for (size_t k = 0; k < 5 * N; k++) at[k] = 0.1 * (double)(k % 11) + 0.05;
  check_plan(plan, 0.0, at);
  end();
}

/* The smallest pivot of dg/dz, rows scaled, with complete pivoting. */
static double smallest_pivot(const brink_structure_plan *plan, double t, double *at) {
  size_t n = plan->ng;
  double m[MAX_ROWS][MAX_ROWS] = {{0}}, smallest = 1.0;
  run(plan->jacobian.kernels, plan->jacobian.nkernels, t, at);
  for (size_t j = 0; j < n; j++) {
    size_t column = plan->nstates + j;
    for (size_t k = plan->starts[column]; k < plan->starts[column + 1]; k++)
      if (plan->entries[k] < n) m[plan->entries[k]][j] = out[k];
  }
  for (size_t i = 0; i < n; i++) {
    double size = 0.0;
    for (size_t j = 0; j < n; j++) size = fmax(size, fabs(m[i][j]));
    for (size_t j = 0; j < n; j++) m[i][j] /= size > 0.0 ? size : 1.0;
  }
  for (size_t step = 0; step < n; step++) {
    size_t pi = step, pj = step;
    for (size_t i = step; i < n; i++)
      for (size_t j = step; j < n; j++)
        if (fabs(m[i][j]) > fabs(m[pi][pj])) pi = i, pj = j;
    smallest = fmin(smallest, fabs(m[pi][pj]));
    if (m[pi][pj] == 0.0) return 0.0;
    for (size_t j = 0; j < n; j++) {
      double swap = m[step][j];
      m[step][j] = m[pi][j], m[pi][j] = swap;
    }
    for (size_t i = 0; i < n; i++) {
      double swap = m[i][step];
      m[i][step] = m[i][pj], m[i][pj] = swap;
    }
    for (size_t i = step + 1; i < n; i++)
      for (size_t j = n; j-- > step;) m[i][j] -= m[i][step] / m[step][step] * m[step][j];
  }
  return smallest;
}

/* ---- random systems, against the definition ---- */

enum { MOST = 6, NEVER = -100 };

/* Order of the highest derivative of component j in equation i (x' = f first, then constraints); NEVER: none. */
typedef struct signature {
  size_t n;
  int sigma[MOST][MOST];
  size_t best[MOST], now[MOST];
  bool used[MOST];
  int value; /* of the best assignment; NEVER: there is none */
} signature;

static void try_all(signature *s, size_t row, int value) {
  if (row == s->n) {
    if (value <= s->value) return;
    s->value = value;
    memcpy(s->best, s->now, sizeof s->best);
    return;
  }
  for (size_t j = 0; j < s->n; j++) {
    if (s->used[j] || s->sigma[row][j] == NEVER) continue;
    s->used[j] = true;
    s->now[row] = j;
    try_all(s, row + 1, value + s->sigma[row][j]);
    s->used[j] = false;
  }
}

/* Pryce 2001, algorithm 3.1: smallest offsets; max c + [some d is 0]. */
static int index_of(const signature *s, int *c) {
  int d[MOST], largest = 0;
  bool changed = true, zero = false;
  for (size_t i = 0; i < s->n; i++) c[i] = 0;
  while (changed) {
    changed = false;
    for (size_t j = 0; j < s->n; j++) {
      d[j] = 0;
      for (size_t i = 0; i < s->n; i++)
        if (s->sigma[i][j] != NEVER && s->sigma[i][j] + c[i] > d[j]) d[j] = s->sigma[i][j] + c[i];
    }
    for (size_t i = 0; i < s->n; i++) {
      int next = d[s->best[i]] - s->sigma[i][s->best[i]];
      changed = changed || next != c[i];
      c[i] = next;
    }
  }
  for (size_t i = 0; i < s->n; i++) {
    if (c[i] > largest) largest = c[i];
    zero = zero || d[i] == 0;
  }
  return largest + (zero ? 1 : 0);
}

/* A function of one to three components, with numbers that do not cancel. */
static brink_node random_function(uint64_t *seed, size_t n, int *sigma) {
  size_t terms = 1 + kernels_below(seed, 3);
  brink_node sum = number(kernels_uniform(seed, -1.0, 1.0));
  for (size_t k = 0; k < terms; k++) {
    size_t a = kernels_below(seed, n), b = kernels_below(seed, n);
    brink_node scaled = mul(number(kernels_uniform(seed, 0.5, 1.5)), x((uint32_t)a)), term = scaled;
    size_t kind = kernels_below(seed, 4);
    if (kind == 1) term = sine(scaled);
    brink_node late = mul(number(kernels_uniform(seed, 0.5, 1.5)), now());
    if (kind == 2) term = mul(scaled, add(x((uint32_t)b), late)); /* no two products are alike */
    if (sigma[a] < 0) sigma[a] = 0;
    if (kind == 2 && sigma[b] < 0) sigma[b] = 0;
    sum = add(sum, term);
  }
  return sum;
}

static void random_system(uint64_t *seed, size_t nstates, size_t nz, signature *s) {
  *s = (signature){.n = nstates + nz, .value = NEVER};
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; j < s->n; j++) s->sigma[i][j] = NEVER;
  begin(nstates, nz, 0, 0, NULL);
  loop(1);
  for (size_t i = 0; i < s->n; i++) {
    brink_node node = random_function(seed, s->n, s->sigma[i]);
    if (i < nstates) {
      flow((uint32_t)i, node);
      s->sigma[i][i] = 1;
    } else {
      constraint(node);
    }
  }
}

TEST(random_systems_have_the_offsets_of_the_sigma_method) {
  size_t regular = 0, singular = 0, high = 0, open = 0;
  for (uint64_t k = 1; k <= 10000; k++) {
    uint64_t seed = k;
    size_t nz = 1 + kernels_below(&seed, 3), nstates = 1 + kernels_below(&seed, MOST - nz);
    signature s;
    int c[MOST];
    random_system(&seed, nstates, nz, &s);
    try_all(&s, 0, 0);
    if (!finish()) abort();
    bool ok = brink_system_structures(&sys, &fault, NULL, NULL);
    CHECK_MSG(ok == (s.value != NEVER), "seed %d", (int)k);
    if (ok && s.value != NEVER) {
      const brink_structure_plan *plan = sys.structures->plans[0];
      double at[MAX_X];
      CHECK_MSG(plan->free == (size_t)s.value, "seed %d: %zu free of %d", (int)k, plan->free,
                s.value);
      int index = index_of(&s, c);
      CHECK_MSG(plan->index == index, "seed %d: index %d of %d", (int)k, plan->index, index);
      for (size_t i = 0; i < nz; i++) {
        size_t orders = 0;
        for (size_t r = 0; r < plan->ng + plan->nh; r++) orders += plan->rows[r].constraint == i;
        CHECK_MSG(orders == (size_t)c[nstates + i] + 1, "seed %d, constraint %zu", (int)k, i);
      }
      for (size_t j = 0; j < MAX_X; j++) at[j] = kernels_uniform(&seed, 0.2, 1.2);
      if (index <= 4) check_plan(plan, 0.3, at);
      double pivot = smallest_pivot(plan, 0.3, at);
      CHECK_MSG(pivot > 1e-12, "seed %d: dg/dz has a pivot %g", (int)k, pivot);
      for (size_t j = 0; j < plan->ng; j++) open += plan->unknowns[j].of < nstates;
      regular++;
      high += index > 2;
    } else {
      singular++;
      CHECK(fault.kind == BRINK_FAULT_SINGULAR && fault.nonly + 1 == fault.nrows);
    }
    end();
  }
  CHECK(open > 0);
  CHECK_MSG(regular > 1000 && singular > 100 && high > 300, "%zu %zu %zu", regular, singular, high);
}

/* Constraints determine x1'' better than x1' = f1 does, which has both forces in it: x1' and x1'' are unknowns. */
TEST(a_state_that_is_prescribed_is_opened) {
  begin(4, 2, 0, 0, NULL);
  loop(1);
  name("x1", BRINK_SPACE_X, 1, BRINK_VALUE_REAL);
  flow(0, x(3));
  flow(1, add(x(3), add(x(5), mul(number(2.0), x(4)))));
  flow(2, add(x(1), mul(number(3.0), x(0))));
  flow(3, sub(x(4), x(0)));
  constraint(add(x(2), add(sine(x(1)), mul(number(2.0), x(0)))));
  constraint(sub(x(1), sine(now())));
  const brink_structure_plan *plan = only_plan();
  if (plan == NULL) return;
  check_counts(plan, 3, 1, 3);
  uint32_t rate = slot_of(plan, 1, 1), second = slot_of(plan, 1, 2);
  CHECK_TEXT(sys.variables[sys.nvariables - 1].name, "x1''");
  double at[8] = {0.3, 0.5, 0.7, 0.2, 1.1, -0.4}, v[9];
  at[rate] = 0.9;
  at[second] = -0.6;
  check_plan(plan, 0.4, at);
  CHECK(smallest_pivot(plan, 0.4, at) > 1e-3);
  values(plan, 0.4, at, v);
  CHECK_NEAR(v[row_of(plan, 1, 2)], -0.6 + sin(0.4), 1e-15);
  CHECK_NEAR(v[row_of(plan, 0, 2)],
             0.9 + 3.0 * 0.2 - sin(0.5) * 0.81 - cos(0.5) * 0.6 + 2.0 * (1.1 - 0.3), 1e-14);
  end();
}

/* ---- large ---- */

/* u_i' = u_{i-1} - 2 u_i, u_0' = z; the constraint holds u_0. Or the mean of all states. */
static void chain(uint32_t n, bool mean) {
  begin(n, 1, 0, 0, NULL);
  loop(1);
  flow(0, x(n));
  loop(n - 1);
  equation(BRINK_SPACE_DX, 1, 1, sub(xs(0, 1), mul(number(2.0), xs(1, 1))));
  brink_node sum = x(0);
  for (uint32_t k = 1; mean && k < n; k++) sum = add(sum, x(k));
  constraint(sub(sum, sine(now())));
}

TEST(what_a_few_constraints_do_not_read_costs_nothing) {
  enum { N = 100000 };
  chain(N, false);
  const brink_structure_plan *plan = only_plan();
  if (plan == NULL) return;
  check_counts(plan, 2, N - 1, 1);
  CHECK_INT(plan->starts[N + 2], 4); /* h: x, t; h': z, t */
  CHECK(plan->values->graph.nnodes < 20);
  CHECK_INT(plan->tied[0], 0);
  end();
}

TEST(a_sum_over_many_states_is_derived_term_by_term) {
  enum { N = 20000 };
  chain(N, true);
  const brink_structure_plan *plan = only_plan();
  if (plan == NULL) return;
  check_counts(plan, 2, N - 1, 1);
  CHECK_INT(plan->group[1], N);
  CHECK(plan->starts[N + 2] <= 2 * N + 4);
  CHECK(plan->jacobian.kernels[0]->graph.nnodes < 10 * N);
  end();
}

/* ---- faults ---- */

static bool refused(void) {
  CHECK(finish());
  bool ok = brink_system_structures(&sys, &fault, NULL, NULL);
  CHECK(!ok);
  return !ok;
}

TEST(two_constraints_on_one_state_leave_an_unknown_undetermined) {
  begin(1, 2, 0, 0, NULL);
  loop(1);
  name("x", BRINK_SPACE_X, 0, BRINK_VALUE_REAL);
  flow(0, x(1));
  constraint(sub(x(0), now()));
  constraint(add(mul(number(2.0), x(0)), now()));
  if (!refused()) return;
  CHECK_INT(fault.kind, BRINK_FAULT_SINGULAR);
  CHECK_INT(fault.nrows, 2);
  CHECK_INT(fault.rows[0].constraint, 0);
  CHECK_INT(fault.rows[1].constraint, 1);
  CHECK_INT(fault.nonly, 1);
  CHECK_INT(fault.only[0], 0);
  CHECK_INT(fault.nundetermined, 1);
  CHECK_INT(fault.undetermined[0], 2);
  end();
}

TEST(three_equations_for_two_components_are_named) {
  begin(1, 2, 0, 0, NULL);
  loop(1);
  name("x", BRINK_SPACE_X, 0, BRINK_VALUE_REAL);
  flow(0, neg(x(0)));
  constraint(sub(x(1), x(0)));
  constraint(sub(mul(x(0), x(1)), number(1.0)));
  if (!refused()) return;
  CHECK_INT(fault.kind, BRINK_FAULT_SINGULAR);
  CHECK_INT(fault.nrows, 3);
  CHECK_INT(fault.rows[2].kind, BRINK_ROW_STATE);
  CHECK_TEXT(row_text(&fault.rows[2]), "x'");
  CHECK_TEXT(row_text(&fault.rows[0]), "line 11");
  CHECK_INT(fault.nonly, 2);
  CHECK_INT(fault.only[0], 0);
  CHECK_INT(fault.only[1], 1);
  CHECK_INT(fault.nundetermined, 1);
  CHECK_INT(fault.undetermined[0], 2);
  end();
}

TEST(unknowns_that_only_a_sum_determines_are_undetermined_together) {
  begin(1, 2, 0, 0, NULL);
  loop(1);
  flow(0, add(x(1), x(2)));
  constraint(sub(x(0), now()));
  constraint(add(mul(number(2.0), x(0)), now()));
  if (!refused()) return;
  CHECK_INT(fault.nundetermined, 2);
  end();
}

TEST(a_branch_with_too_few_constraints_is_counted) {
  begin(2, 1, 1, 0, NULL);
  loop(1);
  name("locked", BRINK_SPACE_MODE, 0, BRINK_VALUE_BOOLEAN);
  flow(0, neg(x(2)));
  flow(1, x(2));
  constraint(sub(x(0), x(1)));
  when(BRINK_SPACE_MODE, 0, 0.0);
  CHECK(finish());
  int mode = 7;
  CHECK(!brink_system_structures(&sys, &fault, &mode, NULL));
  CHECK_INT(fault.kind, BRINK_FAULT_COUNT);
  CHECK_INT(fault.active, 0);
  CHECK_INT(fault.unknowns, 1);
  CHECK_INT(mode, 1);
  CHECK(sys.structures != NULL && sys.structures->count == 1 && !sys.structures->complete);
  mode = 1;
  CHECK(brink_structure_find(&sys, sys.p0, &mode, NULL, &fault) == NULL);
  CHECK_INT(fault.kind, BRINK_FAULT_COUNT);
  end();
}

/* x_1' = x_2, …, x_n' = z, 0 = x_1: index n + 1. */
static void integrators(uint32_t n) {
  begin(n, 1, 0, 0, NULL);
  loop(1);
  for (uint32_t k = 0; k < n; k++) flow(k, x(k + 1));
  constraint(sub(x(0), sine(now())));
}

TEST(an_index_beyond_the_limit_is_refused) {
  integrators(24);
  const brink_structure_plan *plan = only_plan();
  if (plan != NULL) check_counts(plan, 25, 0, 24);
  end();
  integrators(25);
  if (refused()) CHECK_INT(fault.kind, BRINK_FAULT_SIZE);
  end();
}

/* ---- memory ---- */

typedef void model_fn(const brink_allocator *allocator);

TEST(every_failing_allocation_is_survived) {
  static model_fn *const models[] = {pendulum, clutch};
  for (size_t m = 0; m < COUNT(models); m++)
    for (int on = 0; on < 2; on++)
      for (long n = 1; n < 10000; n++) {
        counting counter = {0};
        brink_allocator allocator = counting_allocator(&counter);
        models[m](&allocator);
        if (!finish()) abort();
        counter.calls = 0, counter.fail_at = n, counter.fail_on = on == 1;
        bool ok = brink_system_structures(&sys, &fault, NULL, NULL);
        bool reached = counter.calls >= n;
        CHECK(ok || (reached && fault.kind == BRINK_FAULT_MEMORY && sys.structures == NULL));
        brink_arena_free(&sys.arena);
        CHECK_INT(counter.live, 0);
        CHECK_INT(counter.mismatch, 0);
        if (!reached) {
          CHECK(n > 10);
          break;
        }
      }
}

int main(void) {
  RUN(the_pendulum_has_index_3_and_2_free_states_of_4);
  RUN(constant_speed_has_index_2_and_3_free_states_of_4);
  RUN(two_pendula_have_index_5_and_4_free_states_of_8);
  RUN(the_slider_crank_has_index_3_and_2_free_states_of_10);
  RUN(a_clutch_has_two_structures);
  RUN(signs_that_choose_are_numbers_in_the_equations);
  RUN(choices_that_make_no_difference_are_one_structure);
  RUN(slots_that_a_structure_does_not_use_are_zero);
  RUN(tanks_apart_spilling_and_joined);
  RUN(a_structure_that_a_parameter_chooses_is_analysed_when_it_is_met);
  RUN(a_structure_that_could_not_be_made_for_lack_of_memory_is_made_later);
  RUN(index_1_is_solved_in_blocks);
  RUN(loops_are_written_out);
  RUN(a_state_that_is_prescribed_is_opened);
  RUN(random_systems_have_the_offsets_of_the_sigma_method);
  RUN(what_a_few_constraints_do_not_read_costs_nothing);
  RUN(a_sum_over_many_states_is_derived_term_by_term);
  RUN(two_constraints_on_one_state_leave_an_unknown_undetermined);
  RUN(three_equations_for_two_components_are_named);
  RUN(unknowns_that_only_a_sum_determines_are_undetermined_together);
  RUN(a_branch_with_too_few_constraints_is_counted);
  RUN(an_index_beyond_the_limit_is_refused);
  RUN(every_failing_allocation_is_survived);
  return check_done();
}
