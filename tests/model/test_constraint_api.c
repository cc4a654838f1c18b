/* Constraints that a program gives in C: definitions that are refused, members that may be missing, differences, and what
 * happens when somebody changes a state, a parameter or a mode in the middle of a run.
 *
 * The model is examples/pendulum_constraint.c with the length of the rod as a parameter, and a mode in which the rod is
 * cut: then 0 = lam, and the mass falls. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "support/counting.h"

#include <brink/brink.h>

enum { X, Y, VX, VY, LAM, NX };
enum { ROW_G, ROW_H0, ROW_H1, ROWS };
static const double G = 9.81;
static const double start[NX] = {1.0, 0.0, 0.0, 0.0, 0.0};
static const double length_of_rod[] = {1.0};

static int pendulum(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[X] = x[VX];
  dx[Y] = x[VY];
  dx[VX] = -x[LAM] * x[X];
  dx[VY] = -x[LAM] * x[Y] - G;
  dx[LAM] = (double)NAN; /* is not asked for */
  return 0;
}

static const size_t starts[NX + 2] = {0, 3, 6, 8, 10, 11, 11};
static const size_t rows[] = {ROW_H0, ROW_G,  ROW_H1, /* not sorted */
                              ROW_H1, ROW_H0, ROW_G,  /* y */
                              ROW_G,  ROW_H1,         /* vx */
                              ROW_H1, ROW_G,          /* vy */
                              ROW_G};                 /* lam */
enum { ENTRIES = sizeof rows / sizeof rows[0] };
static const size_t cut_starts[NX + 2] = {0, 0, 0, 0, 0, 1, 1};
static const size_t unknown[] = {LAM}, block[] = {0, 1};

/* What all callbacks read: the structures of one test. */
typedef struct shape {
  brink_structure rod, cut;
} shape;

static shape ordinary(void) {
  return (shape){.rod = {.index = 3,
                         .nh = 2,
                         .unknown = unknown,
                         .block = block,
                         .nblocks = 1,
                         .pattern = {.starts = starts, .rows = rows}},
                 .cut = {.index = 1,
                         .unknown = unknown,
                         .block = block,
                         .nblocks = 1,
                         .pattern = {.starts = cut_starts, .rows = rows + 1},
                         .choice = 1}};
}

static const brink_structure *structure(const brink_env *env, char *message) {
  const shape *of = env->user;
  (void)message;
  return env->mode[0] == 0 ? &of->rod : &of->cut;
}

static int residual(const brink_structure *s, double t, const double *x, const brink_env *env,
                    double *r) {
  (void)t;
  if (s->nh == 0) {
    r[ROW_G] = x[LAM];
    return 0;
  }
  double square = x[X] * x[X] + x[Y] * x[Y];
  r[ROW_G] = x[VX] * x[VX] + x[VY] * x[VY] - x[LAM] * square - G * x[Y];
  r[ROW_H0] = square - env->p[0] * env->p[0];
  r[ROW_H1] = x[X] * x[VX] + x[Y] * x[VY];
  return 0;
}

static int derivatives(const brink_structure *s, double t, const double *x, const brink_env *env,
                       double *values) {
  (void)t, (void)env;
  if (s->nh == 0) {
    values[0] = 1.0;
    return 0;
  }
  const double by_x[] = {2.0 * x[X], -2.0 * x[LAM] * x[X], x[VX]};
  const double by_y[] = {x[VY], 2.0 * x[Y], -2.0 * x[LAM] * x[Y] - G};
  const double by_v[] = {2.0 * x[VX], x[X], x[Y], 2.0 * x[VY]};
  memcpy(values, by_x, sizeof by_x);
  memcpy(values + 3, by_y, sizeof by_y);
  memcpy(values + 6, by_v, sizeof by_v);
  values[10] = -(x[X] * x[X] + x[Y] * x[Y]);
  return 0;
}

static brink_constraints_def given(void) {
  brink_constraints_def constraints = brink_default_constraints();
  constraints.structure = structure;
  constraints.residual = residual;
  constraints.derivatives = derivatives;
  return constraints;
}

static brink_status create(const brink_constraints_def *constraints, shape *of,
                           const brink_allocator *allocator, brink_diag *diag,
                           brink_model **model) {
  brink_model_def def = brink_default_model();
  def.nx = NX;
  def.nz = 1;
  def.np = 1;
  def.nmodes = 1;
  def.x0 = start;
  def.p0 = length_of_rod;
  def.rhs = pendulum;
  def.constraints = constraints;
  def.user = of;
  return brink_model_create(&def, allocator, diag, model);
}

typedef struct run {
  shape of;
  brink_model *model;
  brink_sim *sim;
  brink_diag diag;
} run;

static void open_run(run *r, const brink_constraints_def *constraints, brink_method method) {
  brink_options options = brink_default_options();
  options.method = method;
  options.rtol = options.atol = 1e-10;
  r->of = ordinary();
  CHECK_INT(create(constraints, &r->of, NULL, &r->diag, &r->model), BRINK_OK);
  CHECK_INT(brink_sim_create(r->model, &options, NULL, &r->diag, &r->sim), BRINK_OK);
}

static void close_run(run *r) {
  brink_sim_destroy(r->sim);
  brink_model_destroy(r->model);
}

/* Off the rod, sliding along it, and the force that it must have. */
static double faults_of(const double *x, double length) {
  double square = x[X] * x[X] + x[Y] * x[Y];
  double force = (x[VX] * x[VX] + x[VY] * x[VY] - G * x[Y]) / square;
  return fmax(fmax(fabs(square - length * length), fabs(x[X] * x[VX] + x[Y] * x[VY])),
              fabs(x[LAM] - force));
}

/* ---- definitions ---- */

static brink_status create_only(const brink_constraints_def *constraints, brink_diag *diag) {
  shape of = ordinary();
  brink_model *model;
  brink_status status = create(constraints, &of, NULL, diag, &model);
  brink_model_destroy(model);
  return status;
}

TEST(wrong_definitions_are_refused_with_words) {
  brink_diag diag;
  brink_constraints_def def = given();
  def.residual = NULL;
  CHECK_INT(create_only(&def, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "structure and residual");
  def = given();
  def.nderived = 2;
  CHECK_INT(create_only(&def, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "nderived is 2, but nz is 1");
  const unsigned char begins[NX] = {BRINK_INITIAL_FIXED, 7};
  def = given();
  def.start = begins;
  CHECK_INT(create_only(&def, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "start[1] is 7");
  const double lo[] = {2.0}, hi[] = {1.0};
  def = given();
  def.lo = lo;
  def.hi = hi;
  CHECK_INT(create_only(&def, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "lo[0] is 2 and hi[0] is 1");
}

TEST(constraints_of_older_and_newer_headers) {
  brink_diag diag;
  brink_constraints_def def = given();
  const double rubbish[] = {1e300};
  def.size = offsetof(brink_constraints_def, most_entries); /* what follows is not read */
  def.most_entries = 1;
  def.nderived = 1000;
  def.lo = rubbish;
  CHECK_INT(create_only(&def, &diag), BRINK_OK);
  def = given();
  def.size = 0;
  CHECK_INT(create_only(&def, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "brink_constraints_def: size is 0");
  def.size = sizeof def + 8;
  CHECK_INT(create_only(&def, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "brink_constraints_def");
}

static void make_and_free(const brink_allocator *allocator, bool may_fail) {
  brink_diag diag;
  shape of = ordinary();
  brink_constraints_def def = given();
  const double hi[] = {1e3};
  brink_model *model;
  def.hi = hi;
  brink_status status = create(&def, &of, allocator, &diag, &model);
  CHECK(status == BRINK_OK || (may_fail && status == BRINK_ERR_MEMORY));
  brink_model_destroy(model);
}

TEST(copies_survive_every_failed_allocation) {
  for (long n = 1; n < 40; n++) {
    counting heap = {.fail_at = n};
    brink_allocator allocator = counting_allocator(&heap);
    make_and_free(&allocator, true);
    CHECK_INT(heap.live, 0);
  }
}

/* ---- structures ---- */

/* Two unknowns: 0 = z1 - x, 0 = z2 - z1. */
static const size_t two_starts[] = {0, 1, 3, 4, 4}, two_rows[] = {0, 1, 0, 1};
static const size_t two_unknown[] = {1, 2}, two_blocks[] = {0, 1, 2};

typedef struct wrong {
  const char *says;
  brink_structure structure;
} wrong;

static const brink_structure *any_structure(const brink_env *env, char *message) {
  (void)message;
  return &((const wrong *)env->user)->structure;
}

static int two_values(const brink_structure *s, double t, const double *x, const brink_env *env,
                      double *r) {
  (void)s, (void)t, (void)env;
  r[0] = x[1] - x[0];
  r[1] = x[2] - x[1];
  return 0;
}

static int follow(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -x[2];
  return 0;
}

static brink_status run_two(wrong *of, size_t invariants, size_t entries, size_t factors,
                            double *end, brink_diag *diag) {
  const double begins[] = {1.0, 0.0, 0.0};
  brink_constraints_def constraints = brink_default_constraints();
  constraints.structure = any_structure;
  constraints.residual = two_values;
  constraints.most_invariants = invariants;
  constraints.most_entries = entries;
  constraints.most_factors = factors;
  brink_model_def def = brink_default_model();
  def.nx = 3;
  def.nz = 2;
  def.x0 = begins;
  def.rhs = follow;
  def.constraints = &constraints;
  def.user = of;
  brink_model *model;
  brink_sim *sim;
  CHECK_INT(brink_model_create(&def, NULL, diag, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, diag, &sim), BRINK_OK);
  brink_status status = brink_sim_run(sim, 1.0, diag);
  if (end != NULL) *end = brink_sim_state(sim)[0];
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return status;
}

static brink_structure right(void) {
  return (brink_structure){.index = 1,
                           .unknown = two_unknown,
                           .block = two_blocks,
                           .nblocks = 2,
                           .pattern = {.starts = two_starts, .rows = two_rows}};
}

TEST(wrong_structures_are_refused_with_words) {
  static const size_t states[] = {0, 1}, twice[] = {1, 1}, many[] = {0, 3}, empty[] = {0, 0, 2};
  static const size_t late[] = {2, 1}, down[] = {0, 3, 1, 4, 4}, from[] = {1, 1, 3, 4, 4};
  static const size_t beyond[] = {0, 9, 0, 1}, double_row[] = {0, 1, 1, 1};
  static const size_t no_state[] = {7}, one_group[] = {0, 1}, tied_many[] = {0, 9};
  static const int negative[] = {0, -1};
  wrong cases[24];
  size_t n = 0;
#define CASE(words, ...)                                                                           \
  do {                                                                                             \
    wrong *c = &cases[n++];                                                                        \
    *c = (wrong){.says = (words), .structure = right()};                                           \
    __VA_ARGS__;                                                                                   \
  } while (0)
  CASE("must not be NULL", c->structure.unknown = NULL);
  CASE("must not be NULL", c->structure.block = NULL);
  CASE("must not be NULL", c->structure.pattern.starts = NULL);
  CASE("must not be NULL", c->structure.pattern.rows = NULL);
  CASE("nh is 5, but there are 1 states", c->structure.nh = 5);
  CASE("nblocks is 0", c->structure.nblocks = 0);
  CASE("nblocks is 3", c->structure.nblocks = 3);
  CASE("end with nz = 2", c->structure.block = many; c->structure.nblocks = 1);
  CASE("they must increase", c->structure.block = empty);
  CASE("unknown[0] is 0: unknowns are components 1 to 2", c->structure.unknown = states);
  CASE("unknown[1] is 1, which another row determines", c->structure.unknown = twice);
  CASE("row 0 reads component 1, an unknown of a later block", c->structure.unknown = late);
  CASE("pattern.starts decreases at column 1", c->structure.pattern.starts = down);
  CASE("pattern.starts begins with 1", c->structure.pattern.starts = from);
  CASE("pattern.rows[1] is 9, but there are 2 rows", c->structure.pattern.rows = beyond);
  CASE("row 1 is twice in column 1", c->structure.pattern.rows = double_row);
  CASE("order[1] is -1", c->structure.order = negative);
  CASE("tied[0] is 7, but nx is 3", c->structure.tied = no_state; c->structure.group = one_group;
       c->structure.ngroups = 1);
  CASE("ends with 9", c->structure.tied = no_state; c->structure.group = tied_many;
       c->structure.ngroups = 1);
#undef CASE
  for (size_t k = 0; k < n; k++) {
    brink_diag diag;
    CHECK_INT(run_two(&cases[k], 0, 0, 0, NULL, &diag), BRINK_ERR_CONSTRAINT);
    CHECK_INT(diag.reason, BRINK_REASON_STRUCTURE);
    CHECK_CONTAINS(diag.message, "the structure of the constraints is wrong: ");
    CHECK_CONTAINS(diag.message, cases[k].says);
  }
}

TEST(structures_that_need_more_room_than_was_given_are_refused) {
  brink_diag diag;
  double end;
  wrong of = {.structure = right()};
  CHECK_INT(run_two(&of, 0, 4, 2, &end, &diag), BRINK_TIME_REACHED); /* just as many */
  CHECK(fabs(end - exp(-1.0)) < 1e-5);
  CHECK_INT(run_two(&of, 0, 3, 2, NULL, &diag), BRINK_ERR_CONSTRAINT);
  CHECK_CONTAINS(diag.message, "4 or more entries, but most_entries is 3");
  CHECK_INT(run_two(&of, 0, 4, 1, NULL, &diag), BRINK_ERR_CONSTRAINT);
  CHECK_CONTAINS(diag.message, "need 2 factors, but most_factors is 1");
  of.structure.nh = 1;
  CHECK_INT(run_two(&of, 0, 4, 2, NULL, &diag), BRINK_ERR_CONSTRAINT);
  CHECK_CONTAINS(diag.message, "nh is 1, but most_invariants is 0");
}

/* ---- members that are missing ---- */

static void swing(const brink_constraints_def *constraints, brink_method method, double *end) {
  run r;
  open_run(&r, constraints, method);
  CHECK_MSG(brink_sim_run(r.sim, 2.0, &r.diag) == BRINK_TIME_REACHED, "%s", r.diag.message);
  memcpy(end, brink_sim_state(r.sim), NX * sizeof *end);
  CHECK(faults_of(end, 1.0) < 1e-12);
  close_run(&r);
}

TEST(differences_give_what_derivatives_give) {
  static const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_BDF};
  for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
    double own[NX], by_differences[NX];
    brink_constraints_def def = given();
    swing(&def, methods[k], own);
    def.derivatives = NULL;
    swing(&def, methods[k], by_differences);
    for (size_t i = 0; i < NX; i++)
      CHECK_MSG(fabs(own[i] - by_differences[i]) < 2e-6, "%s, %zu: %g",
                brink_method_name(methods[k]), i, own[i] - by_differences[i]);
  }
}

/* 0 = z^2 - x with x > 0 unilateral: no row is asked for beyond it. */
static int root(const brink_structure *s, double t, const double *x, const brink_env *env,
                double *r) {
  (void)s, (void)t, (void)env;
  if (!(x[0] >= 0.0)) return -1;
  r[0] = x[1] - sqrt(x[0]);
  return 0;
}

static int shrink(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -x[1];
  return 0;
}

TEST(differences_stay_inside_the_domain) {
  static const size_t column[] = {0, 1, 2, 2}, row[] = {0, 0}, z[] = {1}, first[] = {0};
  static const double begins[] = {1.0, 1.0}, one[] = {1.0};
  wrong of = {.structure = {.index = 1,
                            .unknown = z,
                            .block = block,
                            .nblocks = 1,
                            .pattern = {.starts = column, .rows = row}}};
  brink_constraints_def constraints = brink_default_constraints();
  constraints.structure = any_structure;
  constraints.residual = root;
  brink_guard_def empty = brink_default_guard("empty");
  empty.side = BRINK_UNILATERAL;
  empty.depends = first;
  empty.ndepends = 1;
  empty.coefficients = one;
  brink_model_def def = brink_default_model();
  def.nx = 2;
  def.nz = 1;
  def.x0 = begins;
  def.rhs = shrink;
  def.guards = &empty;
  def.nguards = 1;
  def.constraints = &constraints;
  def.user = &of;
  brink_diag diag;
  brink_model *model;
  brink_sim *sim;
  CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, &diag, &sim), BRINK_OK);
  CHECK_MSG(brink_sim_run(sim, 1.999, &diag) == BRINK_TIME_REACHED, "%s", diag.message);
  CHECK(fabs(brink_sim_state(sim)[1] - 0.0005) < 1e-5); /* sqrt(x) = 1 - t/2 */
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* ---- changes in the middle of a run ---- */

static uint64_t bits(double value) {
  uint64_t b;
  memcpy(&b, &value, sizeof b);
  return b;
}

static void check_same(const brink_sim *a, const brink_sim *b) {
  CHECK(bits(brink_sim_time(a)) == bits(brink_sim_time(b)));
  for (size_t i = 0; i < NX; i++) CHECK(bits(brink_sim_state(a)[i]) == bits(brink_sim_state(b)[i]));
  CHECK_INT(brink_sim_stats(a)->steps, brink_sim_stats(b)->steps);
  CHECK_INT(brink_sim_stats(a)->rhs, brink_sim_stats(b)->rhs);
}

TEST(a_clone_goes_on_bit_for_bit) {
  static const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_BDF};
  for (size_t k = 0; k < 6; k++) {
    run r;
    brink_constraints_def def = given();
    if (k % 2 == 1) def.derivatives = NULL;
    open_run(&r, &def, methods[k / 2]);
    for (int step = 0; step < 100; step++) /* to somewhere between two outputs */
      CHECK_INT(brink_sim_advance(r.sim, 2.0, &r.diag), BRINK_STEPPED);
    brink_sim *clone;
    CHECK_INT(brink_sim_clone(r.sim, NULL, NULL, &r.diag, &clone), BRINK_OK);
    CHECK_INT(brink_sim_run(r.sim, 2.0, &r.diag), BRINK_TIME_REACHED);
    CHECK_INT(brink_sim_run(clone, 2.0, &r.diag), BRINK_TIME_REACHED);
    check_same(r.sim, clone);
    brink_sim_destroy(clone);
    close_run(&r);
  }
}

TEST(after_a_reset_a_run_is_the_first_one_again) {
  brink_constraints_def def = given();
  run one, two;
  open_run(&one, &def, BRINK_ADAMS);
  open_run(&two, &def, BRINK_ADAMS);
  CHECK_INT(brink_sim_run(one.sim, 5.0, &one.diag), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_reset(one.sim, &one.diag), BRINK_OK);
  CHECK(!brink_sim_structure(one.sim, NULL));
  CHECK_INT(brink_sim_run(one.sim, 2.0, &one.diag), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_run(two.sim, 2.0, &two.diag), BRINK_TIME_REACHED);
  check_same(one.sim, two.sim);
  close_run(&one);
  close_run(&two);
}

/* A longer rod: the position would have to jump. With a position that fits, the run goes on. */
TEST(a_parameter_that_constraints_read_needs_states_that_fit) {
  brink_constraints_def def = given();
  run r;
  double x[NX];
  open_run(&r, &def, BRINK_ADAMS);
  CHECK_INT(brink_sim_run(r.sim, 1.0, &r.diag), BRINK_TIME_REACHED);
  memcpy(x, brink_sim_state(r.sim), sizeof x);
  CHECK_INT(brink_sim_set_parameter(r.sim, 0, 2.0, &r.diag), BRINK_OK);
  CHECK_INT(brink_sim_run(r.sim, 2.0, &r.diag), BRINK_ERR_CONSTRAINT);
  CHECK_INT(r.diag.reason, BRINK_REASON_NO_IMPULSE);
  CHECK_CONTAINS(r.diag.message, "a constraint is off by -3, and no impulse");
  x[X] *= 2.0, x[Y] *= 2.0;
  CHECK_INT(brink_sim_set_state(r.sim, x, &r.diag), BRINK_OK);
  CHECK_MSG(brink_sim_run(r.sim, 2.0, &r.diag) == BRINK_TIME_REACHED, "%s", r.diag.message);
  CHECK(faults_of(brink_sim_state(r.sim), 2.0) < 1e-11);
  close_run(&r);
}

/* A velocity along the rod is taken by an impulse of its force: the rest stays. A position off it is refused. */
TEST(a_state_off_the_constraints_is_moved_by_an_impulse_or_refused) {
  brink_constraints_def def = given();
  run r;
  open_run(&r, &def, BRINK_ADAMS);
  CHECK_INT(brink_sim_run(r.sim, 0.5, &r.diag), BRINK_TIME_REACHED);
  double x[NX], across;
  memcpy(x, brink_sim_state(r.sim), sizeof x);
  across = x[X] * x[VY] - x[Y] * x[VX];
  x[VX] += 3.0 * x[X], x[VY] += 3.0 * x[Y];
  x[LAM] = 1e3; /* an unknown is solved for, whatever it was */
  CHECK_INT(brink_sim_set_state(r.sim, x, &r.diag), BRINK_OK);
  CHECK_INT(brink_sim_advance(r.sim, 0.5, &r.diag), BRINK_TIME_REACHED);
  const double *now = brink_sim_state(r.sim);
  CHECK(faults_of(now, 1.0) < 1e-12);
  CHECK(fabs(now[X] * now[VY] - now[Y] * now[VX] - across) < 1e-12);
  memcpy(x, now, sizeof x);
  x[X] *= 1.01;
  CHECK_INT(brink_sim_set_state(r.sim, x, &r.diag), BRINK_OK);
  CHECK_INT(brink_sim_run(r.sim, 1.0, &r.diag), BRINK_ERR_CONSTRAINT);
  CHECK_INT(r.diag.reason, BRINK_REASON_NO_IMPULSE);
  close_run(&r);
}

/* The rod is cut: the mass falls freely, and lam is 0. */
TEST(a_mode_that_is_set_chooses_another_structure) {
  brink_constraints_def def = given();
  run r;
  brink_structure_record record;
  open_run(&r, &def, BRINK_ADAMS);
  CHECK_INT(brink_sim_run(r.sim, 0.5, &r.diag), BRINK_TIME_REACHED);
  CHECK(brink_sim_structure(r.sim, &record));
  CHECK_INT(record.index, 3);
  CHECK_INT(record.nfree, 2);
  double x[NX];
  memcpy(x, brink_sim_state(r.sim), sizeof x);
  CHECK_INT(brink_sim_set_mode(r.sim, 0, 1, &r.diag), BRINK_OK);
  CHECK_MSG(brink_sim_run(r.sim, 1.5, &r.diag) == BRINK_TIME_REACHED, "%s", r.diag.message);
  CHECK(brink_sim_structure(r.sim, &record));
  CHECK_INT(record.index, 1);
  CHECK_INT(record.nfree, 4);
  const double *now = brink_sim_state(r.sim);
  CHECK(now[LAM] == 0.0);
  CHECK(fabs(now[X] - (x[X] + x[VX])) < 1e-8);
  CHECK(fabs(now[Y] - (x[Y] + x[VY] - G / 2.0)) < 1e-8);
  close_run(&r);
}

int main(void) {
  RUN(wrong_definitions_are_refused_with_words);
  RUN(constraints_of_older_and_newer_headers);
  RUN(copies_survive_every_failed_allocation);
  RUN(wrong_structures_are_refused_with_words);
  RUN(structures_that_need_more_room_than_was_given_are_refused);
  RUN(differences_give_what_derivatives_give);
  RUN(differences_stay_inside_the_domain);
  RUN(a_clone_goes_on_bit_for_bit);
  RUN(after_a_reset_a_run_is_the_first_one_again);
  RUN(a_parameter_that_constraints_read_needs_states_that_fit);
  RUN(a_state_off_the_constraints_is_moved_by_an_impulse_or_refused);
  RUN(a_mode_that_is_set_chooses_another_structure);
  return check_done();
}
