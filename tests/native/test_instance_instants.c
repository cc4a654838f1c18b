/* Instances: flat systems bound to the simulator. Each system is written down by hand, as the language
 * would make it, and what comes out is compared with a closed form; once with the interpreter, once
 * with machine code, which must give the same bits.
 *
 * Here: what happens at instants: samples, rules, ends, notes. */
#include "check.h"
#include "support/flat_run.h"

/* Two events of one instant: the second sees what the first one wrote, and what was before both. */
TEST(actions_see_the_values_from_before_the_instant) {
  brink_system *s = toy_create("Pre");
  uint32_t x = toy_ramp(s, "x", 0.0, 1.0), n = toy_held(s, 0, "n", 5.0);
  uint32_t now = toy_held(s, 0, "now", 0.0), pre = toy_held(s, 0, "pre", 0.0);
  uint32_t pre_x = toy_held(s, 0, "pre_x", 0.0);
  uint32_t flag[2];
  for (int j = 0; j < 2; j++) flag[j] = toy_level(s, x, "f", 1.0, 1.0, BRINK_POSITIVE);
  brink_action *first = toy_action(s, 0, "first"), *second = toy_action(s, 0, "second");
  toy_assign(s, first->kernels[0], n, toy_number(first->kernels[0], 8.0), BRINK_NO_NODE);
  toy_assign(s, first->kernels[0], x, toy_number(first->kernels[0], 3.0), BRINK_NO_NODE);
  brink_kernel *k = second->kernels[0];
  toy_assign(s, k, now, toy_get(s, k, n), BRINK_NO_NODE);
  toy_assign(s, k, pre, toy_get_as(s, k, n, BRINK_SPACE_PRE_P), BRINK_NO_NODE);
  toy_assign(s, k, pre_x, toy_get_as(s, k, x, BRINK_SPACE_PRE_X), BRINK_NO_NODE);
  s->flags[flag[0]].positive = first;
  s->flags[flag[1]].positive = second;
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 2.0);
  CHECK_NEAR(toy_final(r, now, 0), 8.0, 0.0);
  CHECK_NEAR(toy_final(r, pre, 0), 5.0, 0.0);
  CHECK_NEAR(toy_final(r, pre_x, 0), 1.0, 1e-9);
  CHECK_NEAR(toy_final(r, x, 0), 4.0, 1e-8);
  FINISH(r, s);
}

static double draw(uint64_t seed) {
  brink_system *s = toy_create("Random");
  toy_ramp(s, "x", 0.0, 1.0);
  uint32_t n = toy_held(s, 0, "n", 0.0);
  brink_action *action = toy_action(s, 0, "draw");
  brink_kernel *k = action->kernels[0];
  toy_assign(s, k, n, toy_op(k, BRINK_OP_RANDOM, toy_number(k, 3.0), toy_number(k, 4.0)),
             BRINK_NO_NODE);
  toy_clock(s, "tick", 1.0, 0.0, 0, action);
  brink_instance_options options = toy_options();
  options.seed = seed;
  toy_run *r = toy_start(s, &options);
  toy_go(r, 0.5);
  double value = toy_final(r, n, 0);
  FINISH(r, s);
  return value;
}

TEST(draws_depend_on_the_seed_and_on_nothing_else) {
  CHECK_NEAR(draw(1), brink_random(1, 3.0, 4.0), 0.0);
  CHECK_NEAR(draw(99), brink_random(99, 3.0, 4.0), 0.0);
  CHECK(draw(1) != draw(99));
}

/* A lamp that a clock switches: nothing is continuous. */
TEST(a_system_without_states_runs) {
  brink_system *s = toy_create("Lamp");
  uint32_t on = toy_mode(s, 0, "on", 0);
  brink_action *toggle = toy_action(s, 0, "toggle");
  brink_kernel *k = toggle->kernels[0];
  toy_assign(s, k, on, toy_apply(k, BRINK_OP_NOT, toy_get(s, k, on)), BRINK_NO_NODE);
  toy_clock(s, "tick", 0.3, 0.0, 0, toggle);
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 1.0); /* at 0, 0.3, 0.6, 0.9 */
  CHECK_INT(r->status, BRINK_TIME_REACHED);
  CHECK_INT(toy_final(r, on, 0), 0);
  toy_go(r, 1.2);
  CHECK_INT(toy_final(r, on, 0), 1);
  FINISH(r, s);
}

/* ---- samples ---- */

/* x' = -x + u with a sampled PI controller: an exact recursion. */
TEST(a_sampled_controller_follows_its_recursion) {
  brink_system *s = toy_create("Loop");
  uint32_t x = toy_state(s, 0, "x", 0.0), u = toy_held(s, 0, "u", 0.0);
  uint32_t i = toy_held(s, 0, "i", 0.0);
  brink_kernel *k = toy_kernel(s, 0, "x'");
  toy_derivative(s, k, x, toy_op(k, BRINK_OP_SUB, toy_get(s, k, u), toy_get(s, k, x)));
  toy_equation(s, k, true);
  brink_action *pi = toy_action(s, 0, "pi");
  brink_kernel *a = pi->kernels[0];
  brink_node error = toy_op(a, BRINK_OP_SUB, toy_number(a, 1.0), toy_get(s, a, x));
  brink_node old = toy_get(s, a, i);
  toy_assign(s, a, u,
             toy_op(a, BRINK_OP_ADD, toy_op(a, BRINK_OP_MUL, toy_number(a, 2.0), error), old),
             BRINK_NO_NODE); /* from the state before the update */
  toy_assign(s, a, i,
             toy_op(a, BRINK_OP_ADD, old, toy_op(a, BRINK_OP_MUL, toy_number(a, 0.05), error)),
             BRINK_NO_NODE);
  toy_clock(s, "ctl", 0.1, 0.0, 0, pi);
  toy_run *r = toy_start(s, NULL);
  double level = 0.0, integral = 0.0, decay = exp(-0.1);
  for (int n = 0; n < 50; n++) {
    double control = 2.0 * (1.0 - level) + integral;
    integral += 0.05 * (1.0 - level);
    level = decay * level + (1.0 - decay) * control;
  }
  toy_go(r, 5.0);
  CHECK_NEAR(brink_sim_state(r->sim)[0], level, 1e-8);
  FINISH(r, s);
}

/* A chain of samples: each adds one to what its neighbour has written at this very tick. */
TEST(samples_of_an_array_run_in_order_and_see_what_was_written) {
  enum { N = 20 };
  brink_system *s = toy_create("Chain");
  toy_ramp(s, "x", 0.0, 1.0);
  uint32_t group = toy_group(s, "cell", N), v = toy_held(s, group, "v", 0.0);
  static uint32_t left[N];
  for (uint32_t n = 0; n < N; n++) left[n] = s->variables[v].base + (n == 0 ? N - 1 : n - 1);
  brink_action *step = toy_action(s, group, "step");
  brink_kernel *a = step->kernels[0];
  brink_node other = brink_graph_ref(&a->graph, (brink_ref){.space = BRINK_SPACE_P, .map = left});
  toy_assign(s, a, v, toy_op(a, BRINK_OP_ADD, other, toy_number(a, 1.0)), BRINK_NO_NODE);
  toy_clock(s, "tick", 1.0, 0.0, 0, step);
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 2.5);
  for (size_t n = 0; n < N; n++) CHECK_NEAR(toy_final(r, v, n), 2.0 * N + (double)n + 1.0, 0.0);
  FINISH(r, s);
}

TEST(first_outputs_hold_before_the_first_sample_and_see_signs) {
  brink_system *s = toy_create("First");
  uint32_t x = toy_ramp(s, "x", 0.5, 1.0), u = toy_held(s, 0, "u", 0.0);
  uint32_t w = toy_held(s, 0, "w", 0.0);
  uint32_t above = toy_level(s, x, "above", 1.0, 1.0, BRINK_BOTH);
  brink_action *second = toy_action(s, 0, "w"); /* reads what the other one gives */
  toy_assign(s, second->kernels[0], w,
             toy_op(second->kernels[0], BRINK_OP_MUL, toy_get(s, second->kernels[0], u),
                    toy_number(second->kernels[0], 3.0)),
             BRINK_NO_NODE);
  brink_action *first = toy_action(s, 0, "u");
  toy_assign(s, first->kernels[0], u,
             toy_op(first->kernels[0], BRINK_OP_ADD, toy_get(s, first->kernels[0], x),
                    toy_sign(s, first->kernels[0], above)),
             BRINK_NO_NODE);
  toy_first_output(s, second);
  toy_first_output(s, first);
  toy_run *r = toy_start(s, NULL);
  CHECK_NEAR(brink_sim_parameters(r->sim)[0], 0.5 - 1.0, 0.0);
  CHECK_NEAR(brink_sim_parameters(r->sim)[1], -1.5, 0.0);
  FINISH(r, s);
}

/* ---- rules ---- */

/* A saw tooth between 0 and 1 by two rules. */
TEST(rules_with_hysteresis_make_a_triangle) {
  brink_system *s = toy_create("Hysteresis");
  uint32_t x = toy_state(s, 0, "x", 0.0), up = toy_mode(s, 0, "up", 0);
  brink_kernel *k = toy_kernel(s, 0, "x'");
  toy_derivative(
      s, k, x,
      brink_graph_select(&k->graph, toy_get(s, k, up), toy_number(k, 1.0), toy_number(k, -1.0)));
  toy_equation(s, k, true);
  uint32_t high = toy_level(s, x, "rule[1]", 1.0, 1.0, BRINK_BOTH);
  uint32_t low = toy_level(s, x, "rule[2]", 0.25, -1.0, BRINK_BOTH);
  for (uint32_t f = high; f <= low; f++) s->flags[f].kind = BRINK_FLAG_RULE;
  brink_action *fall = toy_action(s, 0, "fall"), *rise = toy_action(s, 0, "rise");
  toy_assign(s, fall->kernels[0], up, toy_number(fall->kernels[0], 0.0), BRINK_NO_NODE);
  toy_assign(s, rise->kernels[0], up, toy_number(rise->kernels[0], 1.0), BRINK_NO_NODE);
  toy_rule(s, 0, "rule[1]", high, BRINK_NO_INDEX, NULL, fall);
  toy_rule(s, 0, "rule[2]", low, BRINK_NO_INDEX, NULL, rise); /* true at the start */
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 10.0);
  CHECK_INT(r->status, BRINK_TIME_REACHED);
  /* 0 to 1 in 1, then down and up by 0.75 each: turns at 1, 1.75, 2.5, … 10.0; up at 9.25 */
  double t = 1.0;
  for (size_t n = 0, turns = 0; n < r->nevents; n++) {
    bool rises = strcmp(r->events[n].name, "rule[1]") == 0;
    if (r->events[n].direction != BRINK_POSITIVE) continue;
    CHECK_NEAR(r->events[n].t, t, 1e-8);
    CHECK_INT(rises, turns % 2 == 0);
    turns++;
    t += 0.75;
  }
  CHECK_NEAR(t, 10.75, 1e-12);
  FINISH(r, s);
}

TEST(sampled_rules_run_at_their_clock_only) {
  brink_system *s = toy_create("Sampled");
  uint32_t x = toy_ramp(s, "x", 0.0, 1.0), n = toy_held(s, 0, "n", 0.0);
  uint32_t when = toy_held(s, 0, "when", -1.0);
  brink_kernel *condition = toy_kernel(s, 0, "x > 1.3");
  toy_result(condition,
             toy_op(condition, BRINK_OP_LT, toy_number(condition, 1.3), toy_get(s, condition, x)));
  brink_action *body = toy_action(s, 0, "body");
  brink_kernel *b = body->kernels[0];
  toy_assign(s, b, n, toy_op(b, BRINK_OP_ADD, toy_get(s, b, n), toy_number(b, 1.0)), BRINK_NO_NODE);
  toy_assign(s, b, when, brink_graph_time(&b->graph), BRINK_NO_NODE);
  uint32_t clock = toy_rule_clock(s, "lbc", 0.5);
  toy_rule(s, 0, "rule[1]", BRINK_NO_INDEX, clock, condition, body);
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 4.0);
  CHECK_NEAR(toy_final(r, n, 0), 1.0, 0.0); /* once, though it stays true */
  CHECK_NEAR(toy_final(r, when, 0), 1.5, 0.0);
  FINISH(r, s);
}

/* Two sampled rules that undo each other. */
TEST(rules_that_never_settle_are_named) {
  brink_system *s = toy_create("Cycle");
  toy_ramp(s, "x", 0.0, 1.0);
  uint32_t group = toy_group(s, "w", 2), m = toy_mode(s, group, "m", 0);
  uint32_t clock = toy_rule_clock(s, "lbc", 1.0);
  for (int value = 0; value < 2; value++) {
    brink_kernel *is = toy_kernel(s, group, "m = value");
    toy_result(is, toy_op(is, BRINK_OP_EQ, toy_get(s, is, m), toy_number(is, value)));
    brink_action *flip = toy_action(s, group, "flip");
    toy_assign(s, flip->kernels[0], m, toy_number(flip->kernels[0], 1 - value), BRINK_NO_NODE);
    toy_rule(s, group, value == 0 ? "rule[1]" : "rule[2]", BRINK_NO_INDEX, clock, is, flip);
  }
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 4.0);
  CHECK_INT(r->status, BRINK_ERR_CALLBACK);
  const char *message;
  CHECK_INT(brink_instance_ending(r->instance, &message), BRINK_ENDING_RULES);
  CHECK_CONTAINS(message, "w[1].rule[1]");
  CHECK_CONTAINS(message, "w[2].rule[2]");
  CHECK_CONTAINS(message, "t = 0");
  CHECK(strcmp(message, r->diag.message) == 0);
  FINISH(r, s);
}

/* The same by located conditions: each makes the other's guard jump. */
TEST(located_rules_that_never_settle_are_named) {
  brink_system *s = toy_create("Cycle");
  uint32_t x = toy_ramp(s, "x", 0.0, 1.0), m = toy_mode(s, 0, "m", 0);
  for (int value = 0; value < 2; value++) { /* x >= 2 and m = value */
    brink_kernel *k = toy_kernel(s, 0, "m = value");
    brink_node is = toy_op(k, BRINK_OP_EQ, toy_get(s, k, m), toy_number(k, value));
    toy_result(k, brink_graph_select(&k->graph, is,
                                     toy_op(k, BRINK_OP_SUB, toy_get(s, k, x), toy_number(k, 2.0)),
                                     toy_number(k, -1.0)));
    const char *name = value == 0 ? "rule[1]" : "rule[2]";
    uint32_t flag = toy_flag(s, 0, name, k, BRINK_CROSSING, BRINK_BOTH);
    s->flags[flag].kind = BRINK_FLAG_RULE;
    brink_action *flip = toy_action(s, 0, "flip");
    toy_assign(s, flip->kernels[0], m, toy_number(flip->kernels[0], 1 - value), BRINK_NO_NODE);
    toy_rule(s, 0, name, flag, BRINK_NO_INDEX, NULL, flip);
  }
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 4.0);
  CHECK(r->status < 0);
  CHECK_NEAR(brink_sim_time(r->sim), 2.0, 1e-6);
  CHECK_CONTAINS(r->diag.message, "rule[1]");
  CHECK_CONTAINS(r->diag.message, "rule[2]");
  FINISH(r, s);
}

/* ---- ends ---- */

TEST(a_failure_ends_the_run_with_its_message) {
  brink_system *s = toy_create("Fail");
  uint32_t x = toy_ramp(s, "x", 0.0, 1.0), n = toy_held(s, 0, "n", 0.0);
  uint32_t flag = toy_level(s, x, "late", 2.0, 1.0, BRINK_POSITIVE);
  brink_action *action = toy_action(s, 0, "give up");
  brink_kernel *a = action->kernels[0];
  brink_node never = toy_op(a, BRINK_OP_LT, toy_number(a, 5.0), toy_get(s, a, x));
  brink_node now = toy_op(a, BRINK_OP_LT, toy_number(a, 1.0), toy_get(s, a, x));
  toy_assign(s, a, n, toy_number(a, 7.0), BRINK_NO_NODE);
  toy_effect(s, action, BRINK_EFFECT_FAIL, never, "not this", 0, NULL);
  toy_effect(s, action, BRINK_EFFECT_STOP, now, "nor this", 0, NULL);
  toy_effect(s, action, BRINK_EFFECT_FAIL, now, "too late", 0, NULL);
  s->flags[flag].positive = action;
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 4.0);
  CHECK_INT(r->status, BRINK_ERR_CALLBACK);
  CHECK(strcmp(r->diag.message, "too late") == 0);
  CHECK_INT(brink_instance_ending(r->instance, NULL), BRINK_ENDING_FAIL);
  CHECK_NEAR(toy_final(r, n, 0), 7.0, 0.0);
  FINISH(r, s);
}

static brink_system *make_ramp_with_range(uint32_t *x) {
  brink_system *s = toy_create("Range");
  *x = toy_ramp(s, "x", 0.5, 1.0);
  toy_range(s, *x, 0.0, 2.0);
  toy_range_flag(s, *x, false);
  toy_range_flag(s, *x, true);
  return s;
}

TEST(a_state_that_leaves_its_range_ends_the_run) {
  uint32_t x;
  brink_system *s = make_ramp_with_range(&x);
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 4.0);
  CHECK_INT(r->status, BRINK_ERR_CALLBACK);
  const char *message;
  CHECK_INT(brink_instance_ending(r->instance, &message), BRINK_ENDING_RANGE);
  CHECK_NEAR(brink_sim_time(r->sim), 1.5, 1e-8);
  CHECK_CONTAINS(message, "x = 2.000000001");
  CHECK_CONTAINS(message, " at t = 1.500000001 is outside its range (0, 2)");
  FINISH(r, s);
}

TEST(with_warnings_a_state_may_leave_its_range) {
  uint32_t x;
  brink_system *s = make_ramp_with_range(&x);
  brink_instance_options options = toy_options();
  options.range_warns = true;
  toy_run *r = toy_start(s, &options);
  toy_go(r, 4.0);
  CHECK_INT(r->status, BRINK_TIME_REACHED);
  size_t count;
  const char *const *warnings = brink_instance_warnings(r->instance, &count);
  CHECK_INT(count, 1);
  if (count > 0) CHECK_CONTAINS(warnings[0], "is outside its range (0, 2)");
  CHECK_INT(brink_instance_ending(r->instance, NULL), BRINK_ENDING_NONE);
  FINISH(r, s);
}

/* A sample that counts 0, 4, 8, 12. */
static brink_system *make_counter(uint32_t *n) {
  brink_system *s = toy_create("Counter");
  toy_ramp(s, "x", 0.0, 1.0);
  uint32_t group = toy_group(s, "c", 2);
  *n = toy_held(s, group, "n", 0.0);
  toy_range(s, *n, 0.0, 10.0);
  brink_action *count = toy_action(s, group, "count");
  brink_kernel *a = count->kernels[0];
  brink_node more = toy_op(a, BRINK_OP_ADD, toy_get(s, a, *n), toy_number(a, 4.0));
  toy_assign(s, a, *n, more, toy_op(a, BRINK_OP_LT, more, toy_number(a, 20.0)));
  toy_clock(s, "tick", 1.0, 1.0, 0, count);
  return s;
}

TEST(a_held_value_that_is_written_outside_its_range_ends_the_run) {
  uint32_t n;
  brink_system *s = make_counter(&n);
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 10.0);
  CHECK_INT(r->status, BRINK_ERR_CALLBACK);
  CHECK(strcmp(r->diag.message, "c[1].n = 12 at t = 3 is outside its range (0, 10)") == 0);
  FINISH(r, s);
}

TEST(with_warnings_a_held_value_is_reported_once_when_it_leaves_its_range) {
  uint32_t n;
  brink_system *s = make_counter(&n);
  brink_instance_options options = toy_options();
  options.range_warns = true;
  toy_run *r = toy_start(s, &options);
  toy_go(r, 10.0);
  size_t count;
  const char *const *warnings = brink_instance_warnings(r->instance, &count);
  CHECK_INT(count, 2);
  if (count == 2)
    CHECK(strcmp(warnings[1], "c[2].n = 12 at t = 3 is outside its range (0, 10)") == 0);
  CHECK_NEAR(toy_final(r, n, 1), 16.0, 0.0);
  FINISH(r, s);
}

TEST(a_first_output_outside_its_range_ends_the_run_at_its_start) {
  brink_system *s = toy_create("First");
  uint32_t x = toy_ramp(s, "x", 12.0, 1.0), u = toy_held(s, 0, "u", 0.0);
  toy_range(s, u, 0.0, 10.0);
  brink_action *first = toy_action(s, 0, "u");
  toy_assign(s, first->kernels[0], u, toy_get(s, first->kernels[0], x), BRINK_NO_NODE);
  toy_first_output(s, first);
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 4.0);
  CHECK_INT(r->status, BRINK_ERR_CALLBACK);
  CHECK_NEAR(brink_sim_time(r->sim), 0.0, 0.0);
  CHECK(strcmp(r->diag.message, "u = 12 at t = 0 is outside its range (0, 10)") == 0);
  CHECK_INT(brink_instance_ending(r->instance, NULL), BRINK_ENDING_RANGE);
  FINISH(r, s);
}

/* y = 12 - t is in its range (0, 10) only from t = 2 on. */
TEST(a_computed_value_that_starts_outside_its_range_is_noticed) {
  for (int warns = 0; warns < 2; warns++) {
    brink_system *s = toy_create("Start");
    uint32_t x = toy_ramp(s, "x", 12.0, -1.0), y = toy_output(s, 0, "y");
    brink_kernel *k = toy_kernel(s, 0, "y");
    toy_assign(s, k, y, toy_get(s, k, x), BRINK_NO_NODE);
    toy_equation(s, k, false);
    toy_range(s, y, 0.0, 10.0);
    brink_kernel *inside = toy_kernel(s, 0, "y"); /* written out */
    toy_result(inside,
               toy_op(inside, BRINK_OP_SUB, toy_number(inside, 10.0), toy_get(s, inside, x)));
    uint32_t flag = toy_flag(s, 0, "y", inside, BRINK_BILATERAL, BRINK_NEGATIVE);
    s->flags[flag].kind = BRINK_FLAG_RANGE;
    s->flags[flag].variable = y;
    s->flags[flag].upper = true;
    brink_instance_options options = toy_options();
    options.range_warns = warns;
    toy_run *r = toy_start(s, &options);
    toy_go(r, 4.0);
    const char *message = "y = 12 at t = 0 is outside its range (0, 10)";
    size_t count;
    const char *const *warnings = brink_instance_warnings(r->instance, &count);
    CHECK_INT(r->status, warns ? BRINK_TIME_REACHED : BRINK_ERR_CALLBACK);
    CHECK_INT(count, warns);
    CHECK(strcmp(warns && count > 0 ? warnings[0] : r->diag.message, message) == 0);
    FINISH(r, s);
  }
}

TEST(a_mode_outside_its_set_is_named_with_its_text) {
  brink_system *s = toy_create("Set");
  uint32_t x = toy_ramp(s, "x", 0.0, 1.0);
  static double set[2];
  set[0] = toy_string(s, "low"), set[1] = toy_string(s, "high");
  double odd = toy_string(s, "odd");
  uint32_t m = toy_mode(s, 0, "m", (int)set[0]);
  s->variables[m].set = set;
  s->variables[m].nset = 2;
  uint32_t flag = toy_level(s, x, "f", 1.0, 1.0, BRINK_POSITIVE);
  brink_action *action = toy_action(s, 0, "set");
  toy_assign(s, action->kernels[0], m, toy_number(action->kernels[0], odd), BRINK_NO_NODE);
  s->flags[flag].positive = action;
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 2.0);
  CHECK_INT(brink_instance_ending(r->instance, NULL), BRINK_ENDING_RANGE);
  CHECK_CONTAINS(r->diag.message, "m = \"odd\" at t = 1");
  CHECK_CONTAINS(r->diag.message, "is not in its set {\"low\", \"high\"}");
  FINISH(r, s);
}

TEST(notes_are_forgotten_at_the_next_event) {
  brink_system *s = toy_create("Notes");
  uint32_t x = toy_ramp(s, "x", 0.0, 1.0);
  uint32_t noted = toy_level(s, x, "noted", 1.0, 1.0, BRINK_POSITIVE);
  toy_level(s, x, "silent", 2.0, 1.0, BRINK_POSITIVE);
  brink_action *action = toy_action(s, 0, "note");
  brink_kernel *a = action->kernels[0];
  brink_node args[2] = {toy_get(s, a, x), toy_number(a, 3.0)};
  toy_effect(s, action, BRINK_EFFECT_NOTE, BRINK_NO_NODE, "here", 2, args);
  toy_effect(s, action, BRINK_EFFECT_NOTE, toy_number(a, 0.0), "nowhere", 0, NULL);
  s->flags[noted].positive = action;
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 3.0);
  CHECK_INT(r->nevents, 2);
  CHECK_INT(r->events[0].nnotes, 1);
  CHECK_NEAR(r->events[0].note, 1.0, 1e-9);
  CHECK_INT(r->events[1].nnotes, 0);
  FINISH(r, s);
}

static void run_all(void) {
  RUN(a_system_without_states_runs);
  RUN(draws_depend_on_the_seed_and_on_nothing_else);
  RUN(actions_see_the_values_from_before_the_instant);
  RUN(a_sampled_controller_follows_its_recursion);
  RUN(samples_of_an_array_run_in_order_and_see_what_was_written);
  RUN(first_outputs_hold_before_the_first_sample_and_see_signs);
  RUN(rules_with_hysteresis_make_a_triangle);
  RUN(sampled_rules_run_at_their_clock_only);
  RUN(rules_that_never_settle_are_named);
  RUN(located_rules_that_never_settle_are_named);
  RUN(a_failure_ends_the_run_with_its_message);
  RUN(a_state_that_leaves_its_range_ends_the_run);
  RUN(with_warnings_a_state_may_leave_its_range);
  RUN(a_held_value_that_is_written_outside_its_range_ends_the_run);
  RUN(with_warnings_a_held_value_is_reported_once_when_it_leaves_its_range);
  RUN(a_first_output_outside_its_range_ends_the_run_at_its_start);
  RUN(a_computed_value_that_starts_outside_its_range_is_noticed);
  RUN(a_mode_outside_its_set_is_named_with_its_text);
  RUN(notes_are_forgotten_at_the_next_event);
}

int main(void) {
  run_all();
  toy_native = true;
  run_all();
  return check_done();
}
