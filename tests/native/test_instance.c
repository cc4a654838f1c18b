/* Instances: flat systems bound to the simulator. Each system is written down by hand, as the language
 * would make it, and what comes out is compared with a closed form; once with the interpreter, once
 * with machine code, which must give the same bits.
 *
 * Here: events, guards, arrays, memory. test_instance_instants.c has the rest. */
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "support/counting.h"
#include "support/flat_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- events ---- */

/* A ball that falls from height 1, with a note of its speed at every bounce. */
static brink_system *make_ball(uint32_t *height, uint32_t *speed) {
  brink_system *s = toy_create("Ball");
  uint32_t x = toy_state(s, 0, "x", 1.0), v = toy_state(s, 0, "v", 0.0);
  uint32_t g = toy_parameter(s, 0, "g", 9.81), e = toy_parameter(s, 0, "e", 0.8);
  brink_kernel *k = toy_kernel(s, 0, "fall");
  toy_derivative(s, k, x, toy_get(s, k, v));
  toy_derivative(s, k, v, toy_apply(k, BRINK_OP_NEG, toy_get(s, k, g)));
  toy_equation(s, k, true);
  brink_kernel *value = toy_kernel(s, 0, "floor");
  toy_result(value, toy_get(s, value, x));
  uint32_t floor = toy_flag(s, 0, "floor", value, BRINK_UNILATERAL, BRINK_NEGATIVE);
  brink_action *bounce = toy_action(s, 0, "bounce");
  brink_kernel *b = bounce->kernels[0];
  brink_node before = toy_get(s, b, v);
  brink_node after = toy_apply(b, BRINK_OP_NEG, toy_op(b, BRINK_OP_MUL, toy_get(s, b, e), before));
  toy_assign(s, b, v, after, BRINK_NO_NODE);
  toy_effect(s, bounce, BRINK_EFFECT_NOTE, BRINK_NO_NODE, "speed", 1, &before);
  s->flags[floor].negative = bounce;
  *height = x, *speed = v;
  return s;
}

TEST(a_ball_bounces_at_the_times_of_the_closed_form) {
  uint32_t x, v;
  brink_system *s = make_ball(&x, &v);
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 3.0);
  CHECK_INT(r->status, BRINK_TIME_REACHED);
  double fall = sqrt(2.0 / 9.81), t = fall, speed = 9.81 * fall;
  CHECK(r->nevents >= 5);
  for (size_t k = 0; k < 5 && k < r->nevents; k++) {
    CHECK_NEAR(r->events[k].t, t, 1e-8);
    CHECK_NEAR(r->events[k].x[1], 0.8 * speed, 1e-7);
    CHECK_INT(r->events[k].nnotes, 1);
    CHECK_NEAR(r->events[k].note, -speed, 1e-7); /* the value before the bounce */
    CHECK(strcmp(r->events[k].label, "speed") == 0);
    CHECK(strcmp(r->events[k].name, "floor") == 0);
    speed *= 0.8;
    t += 2.0 * speed / 9.81;
  }
  CHECK(toy_guard(r, 0)->coefficients != NULL); /* a linear guard is handed over as numbers */
  CHECK_INT(toy_guard(r, 0)->ndepends, 1);
  CHECK(strcmp(brink_model_state_name(brink_instance_model(r->instance), 1), "v") == 0);
  if (!toy_native) CHECK(strcmp(brink_instance_engine(r->instance), "interpreter") == 0);
  FINISH(r, s);
}

/* h' = -k sqrt(h) while draining; at h = 1e-6 the tank is empty, and that is the end. */
TEST(a_tank_is_empty_when_torricelli_says_and_a_stop_ends_the_run_with_its_message) {
  brink_system *s = toy_create("Tank");
  uint32_t h = toy_state(s, 0, "h", 4.0), rate = toy_parameter(s, 0, "k", 1.0);
  int draining = (int)toy_string(s, "draining"), empty = (int)toy_string(s, "empty");
  uint32_t phase = toy_mode(s, 0, "phase", draining);
  uint32_t level = toy_output(s, 0, "level");
  brink_kernel *k = toy_kernel(s, 0, "h'");
  brink_node is = toy_op(k, BRINK_OP_EQ, toy_get(s, k, phase), toy_number(k, draining));
  brink_node flow =
      toy_op(k, BRINK_OP_MUL, toy_get(s, k, rate), toy_apply(k, BRINK_OP_SQRT, toy_get(s, k, h)));
  toy_derivative(
      s, k, h,
      brink_graph_select(&k->graph, is, toy_apply(k, BRINK_OP_NEG, flow), toy_number(k, 0.0)));
  toy_equation(s, k, true);
  brink_kernel *y = toy_kernel(s, 0, "level");
  toy_assign(s, y, level, toy_op(y, BRINK_OP_MUL, toy_number(y, 2.0), toy_get(s, y, h)),
             BRINK_NO_NODE);
  toy_equation(s, y, false);
  uint32_t flag = toy_level(s, h, "empty", 1e-6, 1.0, BRINK_NEGATIVE);
  s->flags[flag].side = BRINK_UNILATERAL;
  brink_action *dry = toy_action(s, 0, "dry");
  toy_assign(s, dry->kernels[0], phase, toy_number(dry->kernels[0], empty), BRINK_NO_NODE);
  toy_effect(s, dry, BRINK_EFFECT_STOP, BRINK_NO_NODE, "the tank is empty", 0, NULL);
  s->flags[flag].negative = dry;
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 10.0);
  CHECK_INT(r->status, BRINK_STOPPED);
  CHECK(strcmp(r->diag.message, "the tank is empty") == 0);
  const char *message;
  CHECK_INT(brink_instance_ending(r->instance, &message), BRINK_ENDING_STOP);
  CHECK(strcmp(message, "the tank is empty") == 0);
  CHECK_NEAR(brink_sim_time(r->sim), 2.0 * (sqrt(4.0) - sqrt(1e-6)), 1e-4);
  CHECK_NEAR(toy_final(r, level, 0), 2.0 * brink_sim_state(r->sim)[0], 0.0);
  CHECK_INT(toy_final(r, phase, 0), empty);
  FINISH(r, s);
}

/* x'' = -sgn(x): parabolas, a quarter of the period is sqrt(2). */
TEST(a_relay_switches_by_the_locked_sign_of_its_flag) {
  brink_system *s = toy_create("Relay");
  uint32_t x = toy_state(s, 0, "x", 1.0), v = toy_state(s, 0, "v", 0.0);
  brink_kernel *value = toy_kernel(s, 0, "x");
  toy_result(value, toy_get(s, value, x));
  uint32_t flag = toy_flag(s, 0, "@3:7", value, BRINK_BILATERAL, BRINK_BOTH);
  s->flags[flag].kind = BRINK_FLAG_GENERATED;
  brink_kernel *k = toy_kernel(s, 0, "motion");
  toy_derivative(s, k, x, toy_get(s, k, v));
  toy_derivative(s, k, v, toy_apply(k, BRINK_OP_NEG, toy_sign(s, k, flag)));
  toy_equation(s, k, true);
  uint32_t size = toy_output(s, 0, "size");
  k = toy_kernel(s, 0, "|x|");
  toy_assign(s, k, size, toy_op(k, BRINK_OP_MUL, toy_sign(s, k, flag), toy_get(s, k, x)),
             BRINK_NO_NODE);
  toy_equation(s, k, false);
  toy_run *r = toy_start(s, NULL);
  double quarter = sqrt(2.0);
  toy_go(r, 8.0 * quarter);
  CHECK_INT(r->status, BRINK_TIME_REACHED);
  CHECK_INT(r->nevents, 4);
  for (size_t n = 0; n < r->nevents; n++) {
    CHECK_NEAR(r->events[n].t, (double)(2 * n + 1) * quarter, 1e-8);
    CHECK(strcmp(r->events[n].name, "@3:7") == 0);
  }
  CHECK_NEAR(brink_sim_state(r->sim)[0], 1.0, 1e-7);
  /* Variables can be read at any point; without signs, by those that guards have there. */
  double at[2] = {-2.0, 5.0};
  signed char sign = 1;
  brink_instance_evaluate(r->instance, 0.0, at, NULL, NULL, &sign);
  CHECK_NEAR(brink_instance_value(r->instance, size, 0), -2.0, 0.0);
  at[0] = -3.0;
  brink_instance_evaluate(r->instance, 0.0, at, NULL, NULL, NULL);
  CHECK_NEAR(brink_instance_value(r->instance, size, 0), 3.0, 0.0);
  CHECK_NEAR(brink_instance_value(r->instance, v, 0), 5.0, 0.0);
  FINISH(r, s);
}

TEST(a_formula_of_leaves_fires_when_it_becomes_true) {
  brink_system *s = toy_create("Formula");
  uint32_t x = toy_ramp(s, "x", 0.0, 1.0), y = toy_ramp(s, "y", 0.0, 2.0);
  int32_t a = (int32_t)toy_level(s, x, "a", 3.0, 1.0, BRINK_BOTH);
  int32_t b = (int32_t)toy_level(s, y, "b", 5.0, -1.0, BRINK_BOTH); /* y <= 5 */
  int32_t c = (int32_t)toy_level(s, y, "c", 1.0, 1.0, BRINK_BOTH);
  for (int32_t k = a; k <= c; k++) {
    s->flags[k].side = BRINK_LEAF;
    s->flags[k].kind = BRINK_FLAG_LEAF;
  }
  /* (x >= 3) or ((y >= 1) and (y <= 5)): true in [0.5, 2.5] and from 3 on */
  uint32_t hit = toy_flag(s, 0, "hit", NULL, BRINK_BILATERAL, BRINK_BOTH);
  int32_t formula[] = {a, c, b, BRINK_AND, BRINK_OR};
  toy_formula(s, hit, formula, COUNT(formula));
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 4.0);
  const double times[] = {0.5, 2.5, 3.0};
  CHECK_INT(r->nevents, 3);
  for (size_t n = 0; n < 3 && n < r->nevents; n++) CHECK_NEAR(r->events[n].t, times[n], 1e-9);
  CHECK_INT(r->events[0].direction, BRINK_POSITIVE);
  CHECK_INT(r->events[1].direction, BRINK_NEGATIVE);
  FINISH(r, s);
}

TEST(a_flag_that_is_not_enabled_is_not_watched) {
  brink_system *s = toy_create("Enabled");
  uint32_t x = toy_ramp(s, "x", 0.0, 1.0), on = toy_mode(s, 0, "on", 0);
  uint32_t first = toy_level(s, x, "first", 1.0, 1.0, BRINK_POSITIVE);
  uint32_t gate = toy_level(s, x, "gate", 2.0, 1.0, BRINK_POSITIVE);
  uint32_t third = toy_level(s, x, "third", 3.0, 1.0, BRINK_POSITIVE);
  for (uint32_t f = first; f <= third; f += 2) {
    s->flags[f].enabled = toy_kernel(s, 0, "enabled");
    toy_result(s->flags[f].enabled, toy_get(s, s->flags[f].enabled, on));
  }
  brink_action *open = toy_action(s, 0, "open");
  toy_assign(s, open->kernels[0], on, toy_number(open->kernels[0], 1.0), BRINK_NO_NODE);
  s->flags[gate].positive = open;
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 4.0);
  /* At 2 `first` is enabled where it is positive already: that is an event, too. */
  CHECK_INT(r->nevents, 3);
  CHECK(strcmp(r->events[0].name, "gate") == 0);
  CHECK(strcmp(r->events[1].name, "first") == 0);
  CHECK(strcmp(r->events[2].name, "third") == 0);
  CHECK_NEAR(r->events[1].t, 2.0, 1e-9);
  FINISH(r, s);
}

/* v' = f - sgn(v) with f = t/2, and static friction of 1.5: stops at 2 - sqrt(2), lets go at 3. */
TEST(a_surface_holds_until_a_condition_lets_go) {
  brink_system *s = toy_create("Friction");
  uint32_t f = toy_ramp(s, "f", 0.0, 0.5), v = toy_state(s, 0, "v", 0.5);
  uint32_t stops = toy_held(s, 0, "stops", 0.0);
  brink_kernel *value = toy_kernel(s, 0, "v");
  toy_result(value, toy_get(s, value, v));
  uint32_t rest = toy_flag(s, 0, "rest", value, BRINK_BILATERAL, BRINK_BOTH);
  uint32_t leave = toy_level(s, f, "leave", 1.5, 1.0, BRINK_POSITIVE);
  s->flags[leave].kind = BRINK_FLAG_LEAVE;
  s->flags[rest].surface = BRINK_SURFACE_MODEL;
  s->flags[rest].leave_positive = leave;
  brink_action *stop = toy_action(s, 0, "stop");
  brink_kernel *a = stop->kernels[0];
  toy_assign(s, a, stops, toy_op(a, BRINK_OP_ADD, toy_get(s, a, stops), toy_number(a, 1.0)),
             BRINK_NO_NODE);
  toy_assign(s, a, v, toy_number(a, 0.0), BRINK_NO_NODE);
  s->flags[rest].on_surface = stop;
  brink_kernel *k = toy_kernel(s, 0, "v'");
  brink_node sign = toy_sign(s, k, rest);
  brink_node held = toy_op(k, BRINK_OP_EQ, sign, toy_number(k, 0.0));
  toy_derivative(s, k, v,
                 brink_graph_select(&k->graph, held, toy_number(k, 0.0),
                                    toy_op(k, BRINK_OP_SUB, toy_get(s, k, f), sign)));
  toy_equation(s, k, true);
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 2.0);
  brink_slide_record slide;
  CHECK(brink_sim_sliding(r->sim, &slide));
  CHECK_NEAR(slide.from, 2.0 - sqrt(2.0), 1e-8);
  CHECK_NEAR(toy_final(r, stops, 0), 1.0, 0.0);
  toy_go(r, 4.0);
  CHECK_INT(r->status, BRINK_TIME_REACHED);
  CHECK_NEAR(toy_final(r, v, 0), 0.25 * 7.0 - 1.0, 1e-7);
  FINISH(r, s);
}

/* A chain y[i] = y[i-1] + x[i]/2^i that nobody has written out: its end is a guard, and an action
 * reads it. */
TEST(guards_and_actions_may_read_what_all_equations_compute) {
  enum { N = 8 };
  for (int unilateral = 0; unilateral < 2; unilateral++) {
    brink_system *s = toy_create("Chain");
    uint32_t group = toy_group(s, "link", N), x = toy_state(s, group, "x", 0.0);
    uint32_t y = toy_output(s, group, "y"), w = toy_parameter(s, group, "w", 0.0);
    uint32_t seen = toy_held(s, 0, "seen", 0.0);
    for (int i = 0; i < N; i++) s->p0[i] = 1.0 / (double)(1 << i);
    brink_kernel *k = toy_kernel(s, group, "x'");
    toy_derivative(s, k, x, toy_number(k, 1.0));
    toy_equation(s, k, true);
    static uint32_t left[N];
    for (uint32_t i = 0; i < N; i++) left[i] = i == 0 ? 0 : i - 1;
    brink_kernel *chain = toy_kernel(s, group, "y");
    chain->sequential = true;
    brink_node own = toy_op(chain, BRINK_OP_MUL, toy_get(s, chain, x), toy_get(s, chain, w));
    brink_node first = toy_op(chain, BRINK_OP_EQ, toy_get(s, chain, w), toy_number(chain, 1.0));
    brink_node before =
        brink_graph_ref(&chain->graph, (brink_ref){.space = BRINK_SPACE_V, .map = left});
    toy_assign(s, chain, y,
               toy_op(chain, BRINK_OP_ADD, own,
                      brink_graph_select(&chain->graph, first, toy_number(chain, 0.0), before)),
               BRINK_NO_NODE);
    toy_equation(s, chain, false);
    brink_kernel *g = toy_kernel(s, 0, "end");
    brink_node end = brink_graph_ref(&g->graph, (brink_ref){.space = BRINK_SPACE_V, .base = N - 1});
    toy_result(g, toy_op(g, BRINK_OP_SUB, toy_number(g, 2.0), end));
    g->reads_v = true;
    uint32_t flag =
        toy_flag(s, 0, "end", g, unilateral ? BRINK_UNILATERAL : BRINK_BILATERAL, BRINK_NEGATIVE);
    brink_action *stop = toy_action(s, 0, "stop");
    stop->kernels[0]->reads_v = true;
    toy_assign(s, stop->kernels[0], seen,
               brink_graph_ref(&stop->kernels[0]->graph,
                               (brink_ref){.space = BRINK_SPACE_V, .base = N - 1}),
               BRINK_NO_NODE);
    toy_effect(s, stop, BRINK_EFFECT_STOP, BRINK_NO_NODE, "end", 0, NULL);
    s->flags[flag].negative = stop;
    toy_run *r = toy_start(s, NULL);
    toy_go(r, 5.0);
    CHECK_INT(r->status, BRINK_STOPPED);
    CHECK_NEAR(brink_sim_time(r->sim), 2.0 / (2.0 - 1.0 / 128.0), 1e-8);
    CHECK_NEAR(toy_final(r, seen, 0), 2.0, 1e-8);
    CHECK_NEAR(toy_final(r, y, N - 1), 2.0, 1e-8);
    FINISH(r, s);
  }
}

/* x' = x: the series of the exponential. */
TEST(the_series_of_the_solution_is_there_when_asked_for) {
  brink_system *s = toy_create("Growth");
  uint32_t x = toy_state(s, 0, "x", 2.0), v = toy_output(s, 0, "v");
  brink_kernel *k = toy_kernel(s, 0, "v");
  toy_assign(s, k, v, toy_get(s, k, x), BRINK_NO_NODE);
  toy_equation(s, k, true);
  k = toy_kernel(s, 0, "x'");
  toy_derivative(s, k, x, toy_get(s, k, v));
  toy_equation(s, k, true);
  brink_instance_options options = toy_options();
  options.wants_flow_jet = true;
  toy_run *r = toy_start(s, &options);
  brink_env env = toy_env(r);
  double row[11] = {2.0}, *rows[1] = {row}, factorial = 1.0;
  CHECK_INT(brink_instance_model(r->instance)->def.flow_jet(10, 0.0, 1.0, row, &env, rows), 0);
  for (int n = 0; n <= 10; n++) {
    CHECK_NEAR(row[n], 2.0 / factorial, 1e-15);
    factorial *= n + 1;
  }
  FINISH(r, s);
}

/* x' = v, v' = w(1 - x^2) v - x with w of each instance, and a variable between. */
TEST(the_jacobian_is_there_when_asked_for) {
  brink_system *s = toy_create("Oscillators");
  uint32_t group = toy_group(s, "o", 2);
  uint32_t x = toy_state(s, group, "x", 0.5), v = toy_state(s, group, "v", 2.0);
  uint32_t w = toy_parameter(s, group, "w", 3.0), f = toy_output(s, group, "f");
  s->p0[1] = 5.0;
  brink_kernel *k = toy_kernel(s, group, "f");
  brink_node gx = toy_get(s, k, x);
  brink_node damp = toy_op(k, BRINK_OP_SUB, toy_number(k, 1.0), toy_op(k, BRINK_OP_MUL, gx, gx));
  toy_assign(s, k, f, toy_op(k, BRINK_OP_MUL, toy_get(s, k, w), damp), BRINK_NO_NODE);
  toy_equation(s, k, true);
  k = toy_kernel(s, group, "x'");
  toy_derivative(s, k, x, toy_get(s, k, v));
  toy_equation(s, k, true);
  k = toy_kernel(s, group, "v'");
  toy_derivative(s, k, v,
                 toy_op(k, BRINK_OP_SUB,
                        toy_op(k, BRINK_OP_MUL, toy_get(s, k, f), toy_get(s, k, v)),
                        toy_get(s, k, x)));
  toy_equation(s, k, true);
  brink_text path = {0};
  size_t equation;
  CHECK(brink_system_finish(s, &path, &equation));
  brink_text_free(&path);
  brink_instance_options options = toy_options();
  options.wants_jacobian = true;
  toy_run *r = toy_start(s, &options);
  const brink_model_def *def = &brink_instance_model(r->instance)->def;
  CHECK(def->jacobian != NULL);
  double at[4] = {0.5, -1.0, 2.0, 3.0}, values[16] = {0}, dense[4][4] = {{0}};
  brink_env env = toy_env(r);
  if (def->jacobian != NULL) {
    CHECK_INT(def->jacobian(0.0, at, &env, values), 0);
    for (size_t j = 0; j < 4; j++) {
      for (size_t n = def->jacobian_pattern.starts[j]; n < def->jacobian_pattern.starts[j + 1]; n++)
        dense[def->jacobian_pattern.rows[n]][j] += values[n];
    }
  }
  for (size_t i = 0; i < 2; i++) {
    double rate = i == 0 ? 3.0 : 5.0;
    CHECK_NEAR(dense[i][2 + i], 1.0, 0.0);
    CHECK_NEAR(dense[2 + i][i], -2.0 * rate * at[i] * at[2 + i] - 1.0, 1e-14);
    CHECK_NEAR(dense[2 + i][2 + i], rate * (1.0 - at[i] * at[i]), 1e-14);
    CHECK_NEAR(dense[2 + i][1 - i] + dense[i][3 - i], 0.0, 0.0);
  }
  FINISH(r, s);
}

/* ---- guards as callbacks ---- */

TEST(polynomial_guards_have_gradient_series_and_degree) {
  brink_system *s = toy_create("Circle");
  uint32_t x = toy_ramp(s, "x", 0.1, 1.0), y = toy_ramp(s, "y", 0.2, 2.0);
  brink_kernel *k = toy_kernel(s, 0, "circle");
  brink_node gx = toy_get(s, k, x), gy = toy_get(s, k, y);
  brink_node sum =
      toy_op(k, BRINK_OP_ADD, toy_op(k, BRINK_OP_MUL, gx, gx), toy_op(k, BRINK_OP_MUL, gy, gy));
  toy_result(k, toy_op(k, BRINK_OP_SUB, sum, brink_graph_time(&k->graph)));
  toy_flag(s, 0, "circle", k, BRINK_BILATERAL, BRINK_BOTH);
  toy_run *r = toy_start(s, NULL);
  const brink_guard_def *guard = toy_guard(r, 0);
  CHECK_INT(guard->degree, 2);
  CHECK(guard->jet != NULL && guard->gradient != NULL && guard->coefficients == NULL);
  CHECK_INT(guard->ndepends, 2);
  brink_env env = toy_env(r);
  double at[2] = {3.0, -0.5}, g, dx[2], dt;
  CHECK_INT(guard->value(0, 2.0, at, &env, &g), 0);
  CHECK_NEAR(g, 9.25 - 2.0, 0.0);
  CHECK_INT(guard->gradient(0, 2.0, at, &env, dx, &dt), 0);
  CHECK_NEAR(dx[0] + dx[1], 6.0 - 1.0, 0.0);
  CHECK_NEAR(dt, -1.0, 0.0);
  double time[4] = {2.0, 1.0}, jx[4] = {3.0, 1.0}, jy[4] = {-0.5, 2.0, 1.0}, jet[4];
  const double *jets[2] = {jx, jy};
  CHECK_INT(guard->jet(0, 3, time, jets, &env, jet), 0);
  CHECK_NEAR(jet[0], 7.25, 1e-15);
  CHECK_NEAR(jet[1], 6.0 - 2.0 - 1.0, 1e-15);
  CHECK_NEAR(jet[2], 1.0 + 4.0 - 1.0, 1e-15);
  CHECK_NEAR(jet[3], 4.0, 1e-15);
  FINISH(r, s);
}

TEST(transcendental_guards_have_gradient_and_series_and_are_located) {
  brink_system *s = toy_create("Sine");
  uint32_t x = toy_ramp(s, "x", 0.0, 1.0);
  brink_kernel *k = toy_kernel(s, 0, "sine");
  toy_result(
      k, toy_op(k, BRINK_OP_SUB, toy_apply(k, BRINK_OP_SIN, toy_get(s, k, x)), toy_number(k, 0.5)));
  toy_flag(s, 0, "sine", k, BRINK_BILATERAL, BRINK_BOTH);
  toy_run *r = toy_start(s, NULL);
  CHECK_INT(toy_guard(r, 0)->degree, 0);
  CHECK(toy_guard(r, 0)->jet != NULL && toy_guard(r, 0)->gradient != NULL);
  toy_go(r, 7.0);
  const double pi = 3.14159265358979323846, times[] = {pi / 6.0, 5.0 * pi / 6.0, 13.0 * pi / 6.0};
  CHECK_INT(r->nevents, 3);
  for (size_t n = 0; n < 3 && n < r->nevents; n++) CHECK_NEAR(r->events[n].t, times[n], 1e-8);
  FINISH(r, s);
}

/* c*x with a held c is linear, but its coefficient may change. */
TEST(linear_guards_with_held_coefficients_are_asked_every_time) {
  brink_system *s = toy_create("Held");
  uint32_t x = toy_ramp(s, "x", 0.0, 1.0), level = toy_held(s, 0, "level", 1.0);
  brink_kernel *k = toy_kernel(s, 0, "reached");
  toy_result(k, toy_op(k, BRINK_OP_SUB, toy_get(s, k, x), toy_get(s, k, level)));
  uint32_t flag = toy_flag(s, 0, "reached", k, BRINK_BILATERAL, BRINK_POSITIVE);
  brink_action *raise = toy_action(s, 0, "raise");
  brink_kernel *a = raise->kernels[0];
  toy_assign(s, a, level, toy_op(a, BRINK_OP_MUL, toy_get(s, a, level), toy_number(a, 2.0)),
             BRINK_NO_NODE);
  s->flags[flag].positive = raise;
  toy_run *r = toy_start(s, NULL);
  CHECK(toy_guard(r, 0)->coefficients == NULL);
  CHECK_INT(toy_guard(r, 0)->degree, 1);
  toy_go(r, 10.0);
  CHECK_INT(r->nevents, 4); /* at 1, 2, 4, 8 */
  for (size_t n = 0; n < r->nevents; n++) CHECK_NEAR(r->events[n].t, (double)(1 << n), 1e-9);
  FINISH(r, s);
}

/* Two refs of a pair that meet in one state: (a - b)(a - b) + a with a = b is a. */
TEST(refs_that_meet_in_one_state_add_up_in_the_gradient) {
  brink_system *s = toy_create("Pair");
  toy_ramp(s, "x", 1.0, 1.0), toy_ramp(s, "y", 2.0, 1.0);
  uint32_t pair = toy_group(s, "pair", 2);
  static const uint32_t first[2] = {0, 1}, second[2] = {1, 1};
  brink_kernel *k = toy_kernel(s, pair, "pair");
  brink_node a = brink_graph_ref(&k->graph, (brink_ref){.space = BRINK_SPACE_X, .map = first});
  brink_node b = brink_graph_ref(&k->graph, (brink_ref){.space = BRINK_SPACE_X, .map = second});
  toy_result(k, toy_op(k, BRINK_OP_ADD, toy_op(k, BRINK_OP_MUL, a, b), b));
  toy_flag(s, pair, "gap", k, BRINK_BILATERAL, BRINK_BOTH);
  toy_run *r = toy_start(s, NULL);
  CHECK_INT(toy_guard(r, 0)->ndepends, 2);
  CHECK_INT(toy_guard(r, 1)->ndepends, 1);
  CHECK_INT(toy_guard(r, 1)->depends[0], 1);
  brink_env env = toy_env(r);
  double at[2] = {3.0, 5.0}, dx[2] = {0.0, 0.0}, dt;
  toy_guard(r, 0)->gradient(0, 0.0, at, &env, dx, &dt);
  CHECK_NEAR(dx[0], 5.0, 0.0);
  CHECK_NEAR(dx[1], 4.0, 0.0);
  toy_guard(r, 1)->gradient(1, 0.0, at, &env, dx, &dt);
  CHECK_NEAR(dx[0], 11.0, 0.0); /* d(y y + y)/dy */
  uint32_t flag;
  size_t index;
  brink_instance_flag(r->instance, 1, &flag, &index);
  CHECK(flag == 0 && index == 1);
  FINISH(r, s);
}

/* ---- how fast guards change ---- */

static double random_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53 * 8.0 - 4.0;
}

/* Checks what a guard promises at random pairs of points; returns false if it promises nothing. */
static bool keeps_its_bound(toy_run *r, size_t guard) {
  const brink_guard_def *def = toy_guard(r, guard);
  if (def->lipschitz == NULL) return false;
  brink_env env = toy_env(r);
  uint64_t state = 7;
  for (int trial = 0; trial < 2000; trial++) {
    double x[4], y[4], t = random_number(&state), later = random_number(&state), a, b;
    double most = def->lipschitz_time * fabs(t - later);
    for (size_t k = 0; k < def->ndepends; k++) {
      size_t i = def->depends[k];
      x[i] = random_number(&state);
      y[i] = x[i] + random_number(&state) * (trial % 2 == 0 ? 1.0 : 1e-4);
      most += def->lipschitz[k] * fabs(x[i] - y[i]);
    }
    def->value(guard, t, x, &env, &a);
    def->value(guard, later, y, &env, &b);
    CHECK_MSG(fabs(a - b) <= most, "|%g - %g| > %g", a, b, most);
  }
  return true;
}

TEST(distances_and_gentle_functions_have_bounds_that_hold) {
  brink_system *s = toy_create("Bounds");
  uint32_t x = toy_ramp(s, "x", 0.1, 1.0), y = toy_ramp(s, "y", 0.2, 2.0);
  uint32_t c = toy_parameter(s, 0, "c", -3.0), h = toy_held(s, 0, "h", 1.0);
  brink_kernel *k[6];
  brink_node a[6], b[6];
  for (int j = 0; j < 6; j++) {
    k[j] = toy_kernel(s, 0, "g");
    a[j] = toy_get(s, k[j], x), b[j] = toy_get(s, k[j], y);
  }
  toy_result(k[0], toy_op(k[0], BRINK_OP_SUB, toy_op(k[0], BRINK_OP_HYPOT, a[0], b[0]),
                          toy_get(s, k[0], h)));
  brink_node squares = toy_op(k[1], BRINK_OP_ADD, toy_op(k[1], BRINK_OP_MUL, a[1], a[1]),
                              toy_op(k[1], BRINK_OP_MUL, b[1], b[1]));
  brink_node root =
      toy_apply(k[1], BRINK_OP_SQRT, toy_op(k[1], BRINK_OP_ADD, squares, toy_number(k[1], 0.5)));
  toy_result(k[1], toy_op(k[1], BRINK_OP_MUL, root, toy_get(s, k[1], c)));
  brink_node wave = toy_op(k[2], BRINK_OP_MUL, toy_apply(k[2], BRINK_OP_SIN, a[2]),
                           toy_apply(k[2], BRINK_OP_COS, brink_graph_time(&k[2]->graph)));
  toy_result(k[2], toy_op(k[2], BRINK_OP_ADD, wave,
                          toy_op(k[2], BRINK_OP_DIV, toy_apply(k[2], BRINK_OP_ATAN, b[2]),
                                 toy_get(s, k[2], c))));
  toy_result(k[3], toy_op(k[3], BRINK_OP_MAX, toy_apply(k[3], BRINK_OP_ABS, a[3]),
                          toy_op(k[3], BRINK_OP_MUL, b[3], toy_number(k[3], 2.0))));
  toy_result(k[4], toy_op(k[4], BRINK_OP_MUL, a[4], b[4]));
  toy_result(k[5],
             toy_op(k[5], BRINK_OP_MUL, toy_apply(k[5], BRINK_OP_SIN, a[5]), toy_get(s, k[5], h)));
  for (int j = 0; j < 6; j++) toy_flag(s, 0, "g", k[j], BRINK_BILATERAL, BRINK_BOTH);
  toy_run *r = toy_start(s, NULL);
  for (size_t g = 0; g < 6; g++) CHECK_INT(keeps_its_bound(r, g), g < 4);
  if (toy_guard(r, 0)->lipschitz != NULL) CHECK_NEAR(toy_guard(r, 0)->lipschitz[0], 1.0, 1e-8);
  FINISH(r, s);
}

/* ---- arrays ---- */

/* The period of a pendulum of length g and amplitude a: 2 pi / agm(1, cos(a/2)). */
static double pendulum_period(double amplitude) {
  double a = 1.0, b = cos(0.5 * amplitude);
  for (int k = 0; k < 8; k++) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return 2.0 * 3.14159265358979323846 / a;
}

enum { PENDULA = 1000 };

TEST(a_thousand_pendula_are_one_kernel_and_pass_their_lowest_points_in_time) {
  brink_system *s = toy_create("Row");
  uint32_t group = toy_group(s, "row", PENDULA);
  uint32_t angle = toy_state(s, group, "angle", 0.0), rate = toy_state(s, group, "rate", 0.0);
  for (size_t i = 0; i < PENDULA; i++) s->x0[i] = 0.5 + 2.0 * (double)i / PENDULA;
  brink_kernel *k = toy_kernel(s, group, "swing");
  toy_derivative(s, k, angle, toy_get(s, k, rate));
  toy_derivative(s, k, rate,
                 toy_apply(k, BRINK_OP_NEG, toy_apply(k, BRINK_OP_SIN, toy_get(s, k, angle))));
  toy_equation(s, k, true);
  toy_level(s, angle, "low", 0.0, 1.0, BRINK_BOTH);
  toy_run *r = toy_start(s, NULL);
  toy_go(r, 3.5); /* the slowest quarter takes 3.2, the fastest passes again at 4.8 */
  CHECK_INT(r->status, BRINK_TIME_REACHED);
  size_t expected = 0;
  for (size_t i = 0; i < PENDULA; i++) expected += pendulum_period(s->x0[i]) < 4.0 * 3.5;
  CHECK_INT(r->nevents, expected);
  for (size_t n = 0; n < r->nevents; n++) {
    int number = 0;
    CHECK_INT(sscanf(r->events[n].name, "row[%d].low", &number), 1);
    double quarter = 0.25 * pendulum_period(s->x0[number - 1]);
    CHECK_NEAR(r->events[n].t, quarter, 1e-6);
  }
  const char *name = brink_model_state_name(brink_instance_model(r->instance), PENDULA + 6);
  CHECK(strcmp(name, "row[7].rate") == 0);
  CHECK_NEAR(toy_final(r, rate, 6), brink_sim_state(r->sim)[PENDULA + 6], 0.0);
  FINISH(r, s);
}

/* All pairs of 200 points, none of them linear: 19,900 guards. */
TEST(twenty_thousand_guards_are_made_in_well_under_a_second) {
  enum { POINTS = 200, PAIRS = POINTS * (POINTS - 1) / 2 };
  brink_system *s = toy_create("Crowd");
  uint32_t group = toy_group(s, "point", POINTS), pairs = toy_group(s, "pair", PAIRS);
  uint32_t x = toy_state(s, group, "x", 0.0), y = toy_state(s, group, "y", 0.0);
  for (size_t i = 0; i < POINTS; i++) s->x0[i] = (double)i, s->x0[POINTS + i] = (double)(i % 7);
  brink_kernel *k = toy_kernel(s, group, "drift");
  toy_derivative(s, k, x, toy_number(k, 1.0));
  toy_derivative(s, k, y, toy_number(k, 0.0));
  toy_equation(s, k, true);
  static uint32_t map[4][PAIRS];
  size_t n = 0;
  for (uint32_t a = 0; a < POINTS; a++) {
    for (uint32_t b = a + 1; b < POINTS; b++, n++)
      map[0][n] = a, map[1][n] = b, map[2][n] = POINTS + a, map[3][n] = POINTS + b;
  }
  brink_kernel *gap = toy_kernel(s, pairs, "gap");
  brink_node at[4];
  for (int j = 0; j < 4; j++)
    at[j] = brink_graph_ref(&gap->graph, (brink_ref){.space = BRINK_SPACE_X, .map = map[j]});
  brink_node distance =
      brink_graph_op2(&gap->graph, BRINK_OP_HYPOT, toy_op(gap, BRINK_OP_SUB, at[0], at[1]),
                      toy_op(gap, BRINK_OP_SUB, at[2], at[3]));
  toy_result(gap, toy_op(gap, BRINK_OP_SUB, distance, toy_number(gap, 0.1)));
  toy_flag(s, pairs, "gap", gap, BRINK_UNILATERAL, BRINK_NEGATIVE);
  clock_t before = clock();
  toy_run *r = toy_start(s, NULL);
  double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
  CHECK_MSG(toy_native || seconds < 0.5, "%g s", seconds);
  CHECK_INT(brink_instance_model(r->instance)->def.nguards, PAIRS);
  FINISH(r, s);
}

/* ---- refused ---- */

TEST(systems_that_make_no_sense_are_refused_with_a_reason) {
  brink_diag diag;
  brink_instance *instance;
  brink_instance_options options = toy_options();
  brink_system *s = toy_create("Odd");
  toy_state(s, 0, "x", 0.0);
  CHECK_INT(brink_instance_create(s, &options, NULL, &diag, &instance), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "no derivative");
  CHECK(instance == NULL);
  brink_kernel *k = toy_kernel(s, 0, "x'");
  brink_ref beyond = {.space = BRINK_SPACE_P, .base = 3};
  toy_derivative(s, k, 0, brink_graph_ref(&k->graph, beyond));
  toy_equation(s, k, true);
  CHECK_INT(brink_instance_create(s, &options, NULL, &diag, &instance), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "beyond");
  CHECK_INT(brink_instance_create(NULL, &options, NULL, &diag, &instance), BRINK_ERR_ARGUMENT);
  toy_destroy(s);
}

/* ---- memory ---- */

/* A little of everything. */
static brink_system *make_rich(void) {
  uint32_t x, v;
  brink_system *s = make_ball(&x, &v);
  toy_range(s, x, -1.0, 10.0);
  toy_range_flag(s, x, true);
  brink_kernel *k = toy_kernel(s, 0, "sine");
  toy_result(k, toy_apply(k, BRINK_OP_SIN, toy_get(s, k, x)));
  uint32_t sine = toy_flag(s, 0, "sine", k, BRINK_BILATERAL, BRINK_BOTH);
  s->flags[sine].enabled = toy_kernel(s, 0, "on");
  toy_result(s->flags[sine].enabled, toy_number(s->flags[sine].enabled, 1.0));
  uint32_t n = toy_held(s, 0, "n", 0.0);
  brink_action *count = toy_action(s, 0, "count");
  toy_assign(s, count->kernels[0], n,
             toy_op(count->kernels[0], BRINK_OP_ADD, toy_get(s, count->kernels[0], n),
                    toy_number(count->kernels[0], 1.0)),
             BRINK_NO_NODE);
  toy_clock(s, "tick", 0.5, 0.5, 0, count);
  toy_first_output(s, count);
  uint32_t low = toy_level(s, x, "rule[1]", 0.5, -1.0, BRINK_BOTH);
  toy_rule(s, 0, "rule[1]", low, BRINK_NO_INDEX, NULL, count);
  return s;
}

static void check_failures(bool fail_on) {
  brink_system *s = make_rich();
  brink_instance_options options = toy_options();
  options.range_warns = options.wants_flow_jet = true;
  for (long n = 1; n < 10000; n++) {
    counting state = {.fail_at = n, .fail_on = fail_on};
    brink_allocator allocator = counting_allocator(&state);
    brink_diag diag;
    brink_instance *instance = (brink_instance *)&state; /* must be overwritten */
    brink_status status = brink_instance_create(s, &options, &allocator, &diag, &instance);
    if (status == BRINK_OK) {
      CHECK(state.calls < n && n > 1);
      brink_instance_destroy(instance);
      CHECK_INT(state.live, 0);
      toy_destroy(s);
      return;
    }
    CHECK_INT(status, BRINK_ERR_MEMORY);
    CHECK_CONTAINS(diag.message, "memory");
    CHECK(instance == NULL);
    CHECK_MSG(state.live == 0 && state.mismatch == 0, "allocation %ld: %ld blocks left", n,
              state.live);
  }
  CHECK_MSG(false, "brink_instance_create never succeeded");
  toy_destroy(s);
}

TEST(an_instance_survives_the_failure_of_any_allocation) {
  check_failures(false);
  check_failures(true);
}

TEST(running_takes_no_memory) {
  brink_system *s = make_rich();
  counting state = {0};
  brink_allocator allocator = counting_allocator(&state);
  brink_instance_options options = toy_options();
  brink_options simulation = toy_sim_options();
  brink_instance *instance;
  brink_sim *sim;
  brink_diag diag;
  CHECK_INT(brink_instance_create(s, &options, &allocator, &diag, &instance), BRINK_OK);
  CHECK_INT(brink_sim_create(brink_instance_model(instance), &simulation, &allocator, &diag, &sim),
            BRINK_OK);
  long calls = state.calls;
  CHECK_INT(brink_sim_run(sim, 2.0, &diag), BRINK_TIME_REACHED);
  CHECK_INT(state.calls, calls);
  CHECK(brink_sim_stats(sim)->events > 0);
  brink_sim_destroy(sim);
  brink_instance_destroy(instance);
  CHECK_INT(state.live, 0);
  toy_destroy(s);
}

static void run_all(void) {
  RUN(a_ball_bounces_at_the_times_of_the_closed_form);
  RUN(a_tank_is_empty_when_torricelli_says_and_a_stop_ends_the_run_with_its_message);
  RUN(a_relay_switches_by_the_locked_sign_of_its_flag);
  RUN(a_formula_of_leaves_fires_when_it_becomes_true);
  RUN(a_flag_that_is_not_enabled_is_not_watched);
  RUN(distances_and_gentle_functions_have_bounds_that_hold);
  RUN(the_jacobian_is_there_when_asked_for);
  RUN(the_series_of_the_solution_is_there_when_asked_for);
  RUN(guards_and_actions_may_read_what_all_equations_compute);
  RUN(a_surface_holds_until_a_condition_lets_go);
  RUN(polynomial_guards_have_gradient_series_and_degree);
  RUN(transcendental_guards_have_gradient_and_series_and_are_located);
  RUN(linear_guards_with_held_coefficients_are_asked_every_time);
  RUN(refs_that_meet_in_one_state_add_up_in_the_gradient);
  RUN(a_thousand_pendula_are_one_kernel_and_pass_their_lowest_points_in_time);
  RUN(twenty_thousand_guards_are_made_in_well_under_a_second);
  RUN(systems_that_make_no_sense_are_refused_with_a_reason);
  RUN(an_instance_survives_the_failure_of_any_allocation);
  RUN(running_takes_no_memory);
}

int main(void) {
  run_all();
  toy_native = true;
  run_all();
  return check_done();
}
