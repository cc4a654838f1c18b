/* test_constraints.c: constraints in runs, against closed forms and reference answers in 113 bits; what they keep at every
 * step; how they fail.
 *
 * The reference answers are those of tests/lang/dae, to more digits: minimal coordinates, elliptic functions, closed forms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "model/constraint.h"
#include "num/blocks.h"
#include "sim/sim.h"
#include "support/counting.h"
#include "support/hsml_run.h"

static char *read_model(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/tests/lang/dae/%s.hsml", BRINK_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    printf("cannot open %s\n", path);
    abort();
  }
  char *text = calloc(1, 1 << 16);
  if (text == NULL) abort();
  size_t length = fread(text, 1, (1 << 16) - 1, file);
  fclose(file);
  text[length] = '\0';
  return text;
}

static hsml_run *open_model(const char *name, brink_method method, double rtol) {
  hsml_wishes wishes = hsml_default(rtol);
  char *text = read_model(name);
  wishes.options.method = method;
  hsml_run *run = hsml_open(text, &wishes);
  CHECK_INT(run->status, BRINK_OK);
  free(text);
  return run;
}

static hsml_run *run_model(const char *name, brink_method method, double rtol, double until) {
  hsml_run *run = open_model(name, method, rtol);
  hsml_go(run, until);
  CHECK_MSG(run->status >= 0, "%s: %s", name, run->diag.message);
  return run;
}

/* ---- what holds at every step ---- */

typedef struct kept {
  double length, velocity, energy;
} kept;

static int look(const brink_step_record *record, void *user) {
  kept *most = user;
  const double *x = record->x;
  most->length = fmax(most->length, fabs(x[0] * x[0] + x[1] * x[1] - 1.0));
  most->velocity = fmax(most->velocity, fabs(x[0] * x[2] + x[1] * x[3]));
  most->energy = fmax(most->energy, fabs(0.5 * (x[2] * x[2] + x[3] * x[3]) + 9.81 * x[1]));
  return 0;
}

static kept swing(brink_method method, double rtol, double until, double *x, int64_t *steps) {
  kept most = {0};
  hsml_run *run = open_model("pendulum", method, rtol);
  brink_sink sink = {.step = look, .user = &most};
  brink_sim_set_sink(run->sim, &sink);
  CHECK_INT(brink_sim_run(run->sim, until, &run->diag), BRINK_TIME_REACHED);
  *x = hsml_final(run, "x");
  *steps = hsml_stats(run)->steps;
  hsml_close(run);
  return most;
}

TEST(a_pendulum_keeps_its_length_over_a_thousand_periods) {
  double x;
  int64_t steps;
  kept most = swing(BRINK_TAYLOR, 1e-10, 2368.0, &x, &steps);
  CHECK(most.length < 1e-12 && most.velocity < 1e-12);
  CHECK_MSG(most.energy < 1e-6, "energy %g", most.energy);
  CHECK_NEAR(x, 0.99251011209908558849, 1e-3);
  CHECK_MSG(steps <= 30000, "%lld steps", (long long)steps);
}

TEST(every_method_keeps_constraints_and_hidden_constraints_to_rounding) {
  static const struct {
    brink_method method;
    double rtol;
  } runs[] = {{BRINK_BDF, 1e-6}, {BRINK_BDF, 1e-9}, {BRINK_ADAMS, 1e-6}, {BRINK_DOPRI, 1e-6}};
  for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
    double x;
    int64_t steps;
    kept most = swing(runs[k].method, runs[k].rtol, 20.0, &x, &steps);
    CHECK_MSG(most.length < 1e-12 && most.velocity < 1e-12, "%s: %g, %g",
              brink_method_name(runs[k].method), most.length, most.velocity);
  }
}

/* ---- reference answers ---- */

typedef struct answer {
  const char *name;
  double value;
} answer;

static void check_answers(const hsml_run *run, const answer *answers, double within) {
  for (; answers->name != NULL; answers++)
    CHECK_MSG(fabs(hsml_final(run, answers->name) - answers->value) <= within,
              "%s = %.17g, off by %.3g", answers->name, hsml_final(run, answers->name),
              hsml_final(run, answers->name) - answers->value);
}

TEST(the_pendulum_takes_few_steps_and_meets_elliptic_functions) {
  static const answer end[] = {{"x", 0.27508746257611686005},  {"y", -0.96141920509912506427},
                               {"vx", -4.1755981009517288365}, {"vy", -1.1947490545604752716},
                               {"lam", 28.294567206067250641}, {NULL, 0.0}};
  hsml_run *run = run_model("pendulum", BRINK_TAYLOR, 1e-10, 10.0);
  check_answers(run, end, 1e-8);
  CHECK_MSG(hsml_stats(run)->steps <= 150, "%lld steps", (long long)hsml_stats(run)->steps);
  CHECK_NEAR(hsml_time(run, "bottom", 1), 0.59196048689405936233, 1e-11);
  hsml_close(run);
}

TEST(two_pendula_of_index_five) {
  static const answer end[] = {{"x", -0.5479028465791817512},
                               {"y", 0.83654197187614538962},
                               {"u", 0.18000275344629224534},
                               {"w", 1.0742580575025498786},
                               {"vx", -0.70832607070035171919},
                               {"vu", -0.78600472996264803852},
                               {"lam", 8.9234302323149588166},
                               {"kap", 8.7539032595035187457},
                               {NULL, 0.0}};
  hsml_run *run = run_model("two-pendula", BRINK_TAYLOR, 1e-10, 5.0);
  check_answers(run, end, 1e-8);
  CHECK_MSG(hsml_stats(run)->steps <= 80, "%lld steps", (long long)hsml_stats(run)->steps);
  CHECK_INT(run->sim->structure->index, 5);
  CHECK_INT(run->sim->structure->nh, 4);
  hsml_close(run);
}

TEST(the_slider_crank_starts_from_guesses) {
  static const answer end[] = {{"theta", -1.55055638282584079}, {"x", 0.886323084444147781},
                               {"y", -0.499897589663182357},    {"phi", 0.523480526363474568},
                               {"s", 1.75240760679109548},      {"w", 3.50095926013209754},
                               {"u", 3.54113881692524144},      {NULL, 0.0}};
  hsml_run *run = run_model("slider-crank", BRINK_TAYLOR, 1e-10, 5.0);
  check_answers(run, end, 1e-8);
  CHECK_NEAR(hsml_time(run, "centre", 7), 4.6316646756664372293, 1e-8);
  CHECK_NEAR(hsml_time(run, "rest", 3), 4.3442491373074830568, 1e-8);
  hsml_close(run);
}

TEST(the_clutch_locks_and_slips) {
  static const double slip[] = {5.4098835433881057194, 8.2258043673967702756,
                                11.367397020986563514};
  static const double torque[] = {6.8630145394158609333, 10.004607193005654172};
  hsml_run *run = run_model("clutch", BRINK_TAYLOR, 1e-10, 12.0);
  for (size_t k = 0; k < 3; k++) CHECK_NEAR(hsml_time(run, "slip", k + 1), slip[k], 1e-8);
  for (size_t k = 0; k < 2; k++) CHECK_NEAR(hsml_time(run, "torque", k + 1), torque[k], 1e-8);
  CHECK_INT(run->nevents, 5);
  CHECK_NEAR(hsml_final(run, "w1"), 11.909154325996336357, 1e-8);
  CHECK_NEAR(hsml_final(run, "w1") - hsml_final(run, "w2"), 0.0, 1e-14);
  hsml_close(run);
}

TEST(the_string_gets_slack_and_taut) {
  static const double slack[] = {0.49511704720553756939, 1.7966615770012843363,
                                 3.0119364622706213954, 4.2239615807925276357,
                                 5.4335855496203621292};
  static const double taut[] = {1.0319519996932307217, 2.1218529721103185929, 3.3223807131868556275,
                                4.5227373690006764082, 5.7227406629690861384};
  static const answer end[] = {{"x", 0.473389167015949461},
                               {"y", -0.880853391065701414},
                               {"vx", -3.81018231458439385},
                               {"vy", -2.04767223510123667},
                               {NULL, 0.0}};
  hsml_run *run = run_model("string-pendulum", BRINK_TAYLOR, 1e-10, 6.0);
  CHECK_INT(run->nevents, 10);
  for (size_t k = 0; k < 5; k++) {
    CHECK_NEAR(hsml_time(run, "slack", k + 1), slack[k], 1e-8);
    CHECK_NEAR(hsml_time(run, "taut", k + 1), taut[k], 1e-8);
  }
  check_answers(run, end, 1e-8);
  hsml_close(run);
}

TEST(the_pendulum_with_a_pin_exchanges_its_constraint) {
  static const double pin[] = {0.70345948576212758425, 1.1517797076382311514, 2.5904179874721316143,
                               2.9905290566081509149,  4.5427413901661379738, 4.8674877938645805571,
                               6.6487071380395709751,  6.7203841682892219885};
  hsml_run *run = run_model("constrained-pendulum", BRINK_TAYLOR, 1e-10, 10.0);
  CHECK_INT(run->nevents, 8);
  /* The last hit is slow: its time amplifies errors by 10. */
  for (size_t k = 0; k < 8; k++)
    CHECK_NEAR(hsml_time(run, "pin", k + 1), pin[k], k < 6 ? 1e-8 : 1e-7);
  CHECK_NEAR(hsml_final(run, "x"), 0.11940762182605069579, 1e-8);
  CHECK_NEAR(hsml_final(run, "vx"), -0.47044838456418032204, 1e-8);
  hsml_close(run);
}

TEST(the_amplifier_by_bdf_takes_as_many_steps_as_its_states_want) {
  hsml_run *run = run_model("amplifier", BRINK_BDF, 1e-8, 0.2);
  CHECK_NEAR(hsml_final(run, "y8"), 1.23699586809154755, 1e-6);
  CHECK_NEAR(hsml_final(run, "y1"), -0.00556214501226227444, 1e-6);
  CHECK_MSG(hsml_stats(run)->steps <= 4000, "%lld steps", (long long)hsml_stats(run)->steps);
  hsml_close(run);
}

TEST(a_diode_that_conducts_inside_a_step_is_seen) {
  /* The series of a blocked diode has no terms that tell of it. */
  hsml_run *run = run_model("diode-bridge", BRINK_TAYLOR, 5e-9, 0.0325588);
  CHECK_INT(hsml_count(run, "seven"), 1);
  CHECK_INT(hsml_count(run, "three"), 1);
  hsml_close(run);
}

TEST(a_string_that_goes_slack_does_not_get_taut_at_once) {
  /* A triple zero: what rounding makes of it decided, at some tolerances and end times. */
  hsml_run *run = run_model("string-pendulum", BRINK_TAYLOR, 1e-6, 15.0);
  CHECK_NEAR(hsml_time(run, "taut", 3), 3.3223807131868556275, 1e-4);
  CHECK_NEAR(hsml_time(run, "taut", 5), 5.7227406629690861384, 1e-4);
  hsml_close(run);
}

/* ---- impulses ---- */

typedef struct impulses {
  double value[4][2];
  size_t count;
} impulses;

static int note_impulse(const brink_transfer_record *record, void *user) {
  impulses *all = user;
  if (record->impulse == NULL || all->count == 4) return 0;
  memcpy(all->value[all->count++], record->impulse, 2 * sizeof(double));
  return 0;
}

TEST(an_impulse_brings_another_one_with_it) {
  impulses all = {0};
  hsml_run *run = open_model("landing", BRINK_TAYLOR, 1e-10);
  brink_sink sink = {.user = &all, .transfer = note_impulse};
  brink_sim_set_sink(run->sim, &sink);
  CHECK_INT(brink_sim_run(run->sim, 1.0, &run->diag), BRINK_TIME_REACHED);
  CHECK_INT(all.count, 1);
  CHECK_NEAR(all.value[0][0], 4.4294469180700201727, 1e-9);
  CHECK_NEAR(all.value[0][1], -0.88588938361400403454, 1e-9);
  hsml_close(run);
}

/* ---- failures ---- */

#define CONSTRAINED(declarations, initial, dynamics, constraints, rest)                            \
  HSML_MODEL(declarations, initial, dynamics, "constraints " constraints " end constraints; " rest)

static brink_diag fail(const char *text, brink_reason reason) {
  hsml_wishes wishes = hsml_default(1e-8);
  hsml_run *run = hsml_open(text, &wishes);
  CHECK_INT(run->status, BRINK_OK);
  if (run->status == BRINK_OK) hsml_go(run, 3.0);
  CHECK_MSG(run->diag.reason == reason, "%s: %s", brink_reason_name(run->diag.reason),
            run->diag.message);
  CHECK_INT(run->diag.status, BRINK_ERR_CONSTRAINT);
  brink_diag diag = run->diag;
  hsml_close(run);
  return diag;
}

#define PENDULUM(initial)                                                                          \
  CONSTRAINED("state(x, real); state(y, real); state(vx, real); state(vy, real); "                 \
              "variable(lam, real);",                                                              \
              initial, "x' = vx; y' = vy; vx' = -lam*x; vy' = -lam*y - 9.81;", "x^2 + y^2 = 1.0;", \
              "")

TEST(fixed_values_that_contradict_are_named_with_the_amount) {
  brink_diag diag =
      fail(PENDULUM("x := 1.0; y := 0.1; vx := 0.0; vy := 0.0;"), BRINK_REASON_CONTRADICTED);
  CHECK_NEAR(diag.value, 0.01, 1e-12);
  CHECK_INT(diag.orders[0], 0);
  CHECK_INT(diag.nstates, 2);
  diag = fail(PENDULUM("x := 1.0; y := 0.0; vx := 0.5; vy := 0.0;"), BRINK_REASON_CONTRADICTED);
  CHECK_NEAR(fabs(diag.value), 1.0, 1e-12);
  CHECK_INT(diag.orders[0], 1);
}

TEST(by_less_than_the_tolerance_fixed_values_are_moved) {
  hsml_wishes wishes = hsml_default(1e-6);
  hsml_run *run = hsml_open(PENDULUM("x := 1.0000001; y := 0.0; vx := 0.0; vy := 0.0;"), &wishes);
  hsml_go(run, 0.0);
  CHECK_MSG(run->status >= 0, "%s", run->diag.message);
  CHECK_NEAR(hsml_final(run, "x"), 1.0, 1e-15);
  hsml_close(run);
}

TEST(a_guess_is_only_where_to_look) {
  hsml_wishes wishes = hsml_default(1e-9);
  hsml_run *run =
      hsml_open(PENDULUM("x := 0.6; guess y := -0.5; vx := 2.0; guess vy := 0.0;"), &wishes);
  hsml_go(run, 0.0);
  CHECK_MSG(run->status >= 0, "%s", run->diag.message);
  CHECK_NEAR(hsml_final(run, "y"), -0.8, 1e-14);
  CHECK_NEAR(hsml_final(run, "vy"), 1.5, 1e-14);
  hsml_close(run);
}

TEST(a_fixed_unknown_determines_a_state) {
  /* lam = vx^2 + vy^2 - 9.81 y = 20 at the lowest point: vx^2 = 20 - 9.81. */
  hsml_wishes wishes = hsml_default(1e-9);
  hsml_run *run = hsml_open(
      PENDULUM("x := 0.0; guess y := -0.9; guess vx := 1.0; guess vy := 0.0; lam := 20.0;"),
      &wishes);
  hsml_go(run, 0.0);
  CHECK_MSG(run->status >= 0, "%s", run->diag.message);
  CHECK_NEAR(hsml_final(run, "y"), -1.0, 1e-13);
  CHECK_NEAR(hsml_final(run, "vx"), sqrt(20.0 - 9.81), 1e-12);
  CHECK_NEAR(hsml_final(run, "lam"), 20.0, 1e-11);
  hsml_close(run);
}

TEST(equations_without_a_solution_are_named) {
  brink_diag diag = fail(CONSTRAINED("state(x, real); variable(z, real);", "x := 1.0;", "x' = z;",
                                     "0 = z^2 + x^2 + 1.0;", ""),
                         BRINK_REASON_UNSOLVED);
  CHECK_INT(diag.nequations, 1);
  CHECK_INT(diag.states[0], 1);
}

TEST(equations_that_lose_their_solution_during_the_run_are_named) {
  /* z^2 = 1 - x has none from t = 1 on. */
  brink_diag diag =
      fail(CONSTRAINED("state(x, real); variable(z, real);", "x := 0.0; guess z := 1.0;",
                       "x' = 1.0;", "z^2 = 1.0 - x;", ""),
           BRINK_REASON_UNSOLVED);
  CHECK_NEAR(diag.t, 1.0, 1e-3);
}

TEST(equations_that_depend_on_each_other_are_named) {
  /* Structurally fine: the terms cancel. */
  brink_diag diag =
      fail(CONSTRAINED("state(x, real); variable(a, real); variable(b, real);", "x := 1.0;",
                       "x' = a;", "a + b = x; 2.0*a + 2.0*b = 2.0*x;", ""),
           BRINK_REASON_DEPENDENT);
  CHECK_INT(diag.nequations, 2);
  CHECK_INT(diag.nstates, 2);
}

TEST(a_start_outside_the_range_of_an_unknown_is_refused) {
  brink_diag diag = fail(CONSTRAINED("state(x, real); variable(z, real, (0.0, 1.0));", "x := 3.0;",
                                     "x' = -x;", "z = x;", ""),
                         BRINK_REASON_OUT_OF_RANGE);
  CHECK_NEAR(diag.value, 3.0, 1e-12);
}

#define SWITCHED(initial, dynamics, held, action)                                                  \
  CONSTRAINED("state(u, real); state(v, real); variable(f, real); "                                \
              "mode(m, {\"free\", \"held\"}); flag(late);",                                        \
              initial " m := \"free\";", dynamics " late = time - 1.0;",                           \
              "if m = \"free\" then 0 = f; else " held " end if;",                                 \
              "event(late) positive-going " action                                                 \
              " m := \"held\"; end positive-going; end event;")

TEST(a_position_does_not_jump_by_an_impulse) {
  brink_diag diag = fail(SWITCHED("u := 2.0; v := 0.0;", "u' = v; v' = f;", "0 = u - 1.0;", ""),
                         BRINK_REASON_NO_IMPULSE);
  CHECK_NEAR(diag.t, 1.0, 1e-12);
  CHECK_NEAR(diag.value, 1.0, 1e-9);
}

TEST(assigned_values_that_contradict_are_named) {
  brink_diag diag =
      fail(SWITCHED("u := 2.0; v := 0.0;", "u' = f; v' = -f;", "0 = u - v;", "u := 1.0; v := 0.5;"),
           BRINK_REASON_ASSIGNED);
  CHECK_NEAR(diag.value, 0.5, 1e-9);
}

TEST(an_impulse_that_is_not_unique_is_refused) {
  brink_diag diag = fail(SWITCHED("u := 2.0; v := 3.0;", "u' = -f*v; v' = -f;", "0 = u - 1.0;", ""),
                         BRINK_REASON_IMPULSE);
  CHECK_INT(diag.nstates, 3);
}

TEST(what_an_action_assigns_stays) {
  hsml_wishes wishes = hsml_default(1e-9);
  hsml_run *run = hsml_open(
      SWITCHED("u := 2.0; v := 1.0;", "u' = f; v' = -2.0*f;", "0 = u - v;", "u := 5.0;"), &wishes);
  hsml_go(run, 2.0);
  CHECK_MSG(run->status >= 0, "%s", run->diag.message);
  CHECK_NEAR(hsml_final(run, "u"), 5.0, 1e-12);
  CHECK_NEAR(hsml_final(run, "v"), 5.0, 1e-12);
  hsml_close(run);
}

/* u shares with v what they have: u' = f, v' = -f/2 conserves u + 2 v. */
TEST(what_unknowns_do_not_reach_is_conserved) {
  hsml_wishes wishes = hsml_default(1e-9);
  hsml_run *run =
      hsml_open(SWITCHED("u := 2.0; v := 0.5;", "u' = f; v' = -0.5*f;", "0 = u - v;", ""), &wishes);
  hsml_go(run, 2.0);
  CHECK_MSG(run->status >= 0, "%s", run->diag.message);
  CHECK_NEAR(hsml_final(run, "u"), 1.0, 1e-12);
  CHECK_NEAR(hsml_final(run, "v"), 1.0, 1e-12);
  hsml_close(run);
}

TEST(a_constraint_without_a_value_is_an_error) {
  fail(CONSTRAINED("state(x, real); variable(z, real);", "x := -1.0;", "x' = z;",
                   "0 = z - sqrt(x);", ""),
       BRINK_REASON_CONSTRAINT_UNDEFINED);
}

/* ---- memory ---- */

TEST(a_lack_of_memory_is_survived_anywhere) {
  char *text = read_model("two-pendula");
  bool fine = false;
  for (long n = 1; n < 100000 && !fine; n++) {
    counting state = {.fail_at = n};
    brink_allocator allocator = counting_allocator(&state);
    hsml_wishes wishes = hsml_default(1e-6);
    wishes.allocator = &allocator;
    hsml_run *run = hsml_open(text, &wishes);
    if (run->status == BRINK_OK) hsml_go(run, 0.1);
    fine = run->status >= 0;
    CHECK_MSG(fine || run->status == BRINK_ERR_MEMORY, "%ld: %s", n, run->diag.message);
    hsml_close(run);
    CHECK_INT(state.live, 0);
  }
  CHECK(fine);
  free(text);
}

/* ---- the linear algebra below ---- */

/* Three rows in two blocks: row 0 belongs to column 2, rows 1 and 2 to columns 0 and 1; column 3 is none of them. */
static const size_t unknown[] = {2, 0, 1}, block[] = {0, 1, 3};
static const size_t starts[] = {0, 2, 4, 6, 7}, rows[] = {1, 2, 1, 2, 0, 2, 1};

TEST(blocks_are_solved_one_after_another) {
  const double values[] = {1e-12, 3.0, 2e-12, 1.0, 4.0, 5.0, 7.0};
  double factors[5], scale[3], v[] = {8.0, 5e-12, 15.0};
  size_t pivots[3];
  brink_blocks b = {.n = 3,
                    .unknown = unknown,
                    .block = block,
                    .nblocks = 2,
                    .starts = starts,
                    .rows = rows,
                    .factors = factors,
                    .pivots = pivots,
                    .scale = scale};
  CHECK_INT(brink_blocks_room(block, 2), 5);
  CHECK(brink_blocks_factor_all(&b, values, NULL));
  brink_blocks_solve(&b, values, v);
  /* 4 c = 8; 1e-12 a + 2e-12 b = 5e-12; 3 a + b + 5 c = 15: c = 2, a = 1, b = 2 */
  CHECK_NEAR(v[0], 2.0, 1e-15);
  CHECK_NEAR(v[1], 1.0, 1e-14);
  CHECK_NEAR(v[2], 2.0, 1e-14);
}

TEST(null_vectors_name_rows_and_columns) {
  const double regular[] = {1e-9, 3.0, 2e-9, 1.0, 4.0, 0.0, 0.0};
  const double singular[] = {1e-9, 3.0, 2e-9, 6.0, 4.0, 0.0, 0.0};
  double left[3], right[3], room[2 * 4 + 2 * 2];
  brink_blocks b = {
      .n = 3, .unknown = unknown, .block = block, .nblocks = 2, .starts = starts, .rows = rows};
  CHECK(brink_blocks_condition(&b, regular, 1, 1e-13, left, right, room, NULL) > 0.1);
  CHECK(brink_blocks_condition(&b, singular, 1, 1e-13, left, right, room, NULL) < 1e-13);
  CHECK_NEAR(right[0] + 2.0 * right[1], 0.0, 1e-14); /* (2, -1) */
  CHECK(right[1] != 0.0 && left[0] != 0.0 && left[1] != 0.0);
}

static bool always(void *who) {
  (void)who;
  return true;
}

TEST(blocks_are_left_when_nobody_waits_for_them) {
  const double values[] = {1e-9, 3.0, 2e-9, 6.0, 4.0, 0.0, 0.0}; /* the second block is singular */
  double factors[5], scale[3], left[3], right[3], room[2 * 4 + 2 * 2];
  size_t pivots[3];
  brink_patience over = {.is_over = always, .work = BRINK_PATIENCE_WORK};
  brink_blocks b = {.n = 3,
                    .unknown = unknown,
                    .block = block,
                    .nblocks = 2,
                    .starts = starts,
                    .rows = rows,
                    .factors = factors,
                    .pivots = pivots,
                    .scale = scale};
  CHECK(brink_blocks_factor(&b, values, 0, NULL));
  CHECK(!brink_blocks_factor(&b, values, 0, &over));
  over.work = BRINK_PATIENCE_WORK;
  CHECK(isinf(brink_blocks_condition(&b, values, 1, 1e-13, left, right, room, &over)));
}

int main(void) {
  RUN(a_pendulum_keeps_its_length_over_a_thousand_periods);
  RUN(every_method_keeps_constraints_and_hidden_constraints_to_rounding);
  RUN(the_pendulum_takes_few_steps_and_meets_elliptic_functions);
  RUN(two_pendula_of_index_five);
  RUN(the_slider_crank_starts_from_guesses);
  RUN(the_clutch_locks_and_slips);
  RUN(the_string_gets_slack_and_taut);
  RUN(the_pendulum_with_a_pin_exchanges_its_constraint);
  RUN(the_amplifier_by_bdf_takes_as_many_steps_as_its_states_want);
  RUN(a_diode_that_conducts_inside_a_step_is_seen);
  RUN(a_string_that_goes_slack_does_not_get_taut_at_once);
  RUN(an_impulse_brings_another_one_with_it);
  RUN(fixed_values_that_contradict_are_named_with_the_amount);
  RUN(by_less_than_the_tolerance_fixed_values_are_moved);
  RUN(a_guess_is_only_where_to_look);
  RUN(a_fixed_unknown_determines_a_state);
  RUN(equations_without_a_solution_are_named);
  RUN(equations_that_lose_their_solution_during_the_run_are_named);
  RUN(equations_that_depend_on_each_other_are_named);
  RUN(a_start_outside_the_range_of_an_unknown_is_refused);
  RUN(a_position_does_not_jump_by_an_impulse);
  RUN(assigned_values_that_contradict_are_named);
  RUN(an_impulse_that_is_not_unique_is_refused);
  RUN(what_an_action_assigns_stays);
  RUN(what_unknowns_do_not_reach_is_conserved);
  RUN(a_constraint_without_a_value_is_an_error);
  RUN(a_lack_of_memory_is_survived_anywhere);
  RUN(blocks_are_solved_one_after_another);
  RUN(null_vectors_name_rows_and_columns);
  RUN(blocks_are_left_when_nobody_waits_for_them);
  return check_done();
}
