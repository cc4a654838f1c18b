/* Derivatives of whole runs (brink_run_keep_sensitivity): against closed forms, against differences of runs, and that a
 * run is the same with and without them. */
#include <brink/record.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* y(0) = h: from rest, or as the initial value says; `stop` ends the run at the bounce of that number. */
static const char ball[] =
    "ctc Ball is\n"
    "  interface knob(e, h, last); output(falling, signal); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(y, real); state(v, real); held(bounces, integer);\n"
    "      parameter(g, real); parameter(e, real, (0.0, 1.0)); parameter(h, real);\n"
    "      parameter(last, integer); parameter(twice, real); parameter(name, string);\n"
    "      mode(phase, {\"up\", \"down\"}); variable(energy, real);\n"
    "      flag(ground, unilateral);\n"
    "    end declarations;\n"
    "    initial y := 0.5*twice; v := 0.0; bounces := 0; phase := \"up\"; end initial;\n"
    "    dynamics y' = v; v' = -g; energy = 0.5*v^2 + g*y; ground = y; end dynamics;\n"
    "    output falling = -2.0*v; end output;\n"
    "    event(ground) negative-going\n"
    "      v := -e*v; bounces := bounces + 1;\n"
    "      if bounces + 1 = last then stop(\"enough\"); end if;\n"
    "    end negative-going; end event;\n"
    "    assignments g : 9.81; e : 0.8; h : 1.0; twice : 2.0*h; last : 1000; name : \"b\";\n"
    "    end assignments;\n"
    "  end body;\n"
    "end Ball;\n";

static brink_hsml *load(const char *text) {
  brink_diag diag;
  brink_hsml *model = NULL;
  brink_status status = brink_hsml_load_text(text, &diag, &model);
  const brink_hsml_message *messages;
  if (status == BRINK_ERR_MODEL && brink_hsml_messages(model, &messages) > 0)
    printf("%s", messages[0].rendered);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return model;
}

static brink_run *make(brink_hsml *model) {
  brink_diag diag;
  brink_run *run = NULL;
  brink_run_options options;
  CHECK(brink_hsml_options(model, &options, &diag) == BRINK_OK);
  options.interpret = true;
  options.sim.rtol = 1e-11;
  options.sim.atol = 1e-13;
  brink_status status = brink_run_create(model, &options, NULL, &diag, &run);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return run;
}

static brink_run *load_run(const char *text) {
  brink_hsml *model = load(text);
  brink_run *run = make(model);
  brink_hsml_destroy(model);
  return run;
}

static void keep(brink_run *run, const char *const *names, size_t count) {
  brink_diag diag;
  brink_status status = brink_run_keep_sensitivity(run, names, count, &diag);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
}

static brink_run_sensitivity get(brink_run *run) {
  brink_diag diag;
  brink_run_sensitivity s;
  brink_status status = brink_run_get_sensitivity(run, &s, &diag);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return s;
}

/* dx of a row, by names. */
static double at(const brink_run_sensitivity *s, const double *matrix, const char *state,
                 const char *direction) {
  for (size_t i = 0; i < s->nstates; i++) {
    for (size_t k = 0; k < s->ndirections; k++) {
      if (strcmp(s->states[i], state) == 0 && strcmp(s->directions[k], direction) == 0)
        return matrix[i * s->ndirections + k];
    }
  }
  CHECK_MSG(false, "there is no d%s/d%s", state, direction);
  return NAN;
}

/* ---- the ball ---- */

/* After n bounces: its time T, its speed v, and their derivatives by e. */
typedef struct flight {
  double t, v, dt, dv;
} flight;

static flight after_bounces(int n, double g, double e, double h) {
  double sum = 1.0, slope = 0.0, first = sqrt(2.0 * h / g), v = sqrt(2.0 * g * h);
  for (int k = 1; k < n; k++) {
    sum += 2.0 * pow(e, k);
    slope += 2.0 * k * pow(e, k - 1);
  }
  return (flight){first * sum, pow(e, n) * v, first * slope, n * pow(e, n - 1) * v};
}

TEST(the_bounces_of_a_ball_have_the_derivatives_of_the_closed_form) {
  static const char *const names[] = {"e", "g", "y", "h"};
  const double g = 9.81, e = 0.8, h = 1.0;
  brink_run *run = load_run(ball);
  keep(run, names, 4);
  CHECK(brink_run_to(run, 2.7, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK);
  brink_run_sensitivity s = get(run);
  CHECK_INT(s.ndirections, 4);
  CHECK_INT(s.nstates, 3);
  CHECK(strcmp(s.states[0], "y") == 0 && strcmp(s.states[1], "v") == 0);
  CHECK_INT(s.nevents, 5);
  CHECK_INT(s.limits, 0);
  for (int n = 1; n <= 5; n++) {
    const double *dt = &s.event_time[(size_t)(n - 1) * 4];
    flight f = after_bounces(n, g, e, h);
    CHECK_NEAR(dt[0], f.dt, 1e-9);
    CHECK_NEAR(dt[1], -f.t / (2.0 * g), 1e-9);
    CHECK_NEAR(dt[2], f.t / (2.0 * h), 1e-9);
    CHECK_NEAR(dt[3], dt[2], 1e-9); /* h is what y starts from */
  }
  flight f = after_bounces(5, g, e, h);
  double since = 2.7 - f.t;
  CHECK_NEAR(at(&s, s.end, "y", "e"), f.dv * since - (f.v - g * since) * f.dt, 1e-8);
  CHECK_NEAR(at(&s, s.end, "v", "e"), f.dv + g * f.dt, 1e-8);
  CHECK(at(&s, s.end, "bounces", "e") == 0.0);
  brink_run_destroy(run);
}

/* Every row, before and after bounces alike: by e, the number of bounces that were is the same at both. */
TEST(rows_hold_the_start_the_ends_of_steps_and_both_sides_of_instants) {
  static const char *const names[] = {"e", "y"};
  const double g = 9.81, e = 0.8, h = 1.0;
  brink_run *run = load_run(ball);
  keep(run, names, 2);
  CHECK(brink_run_to(run, 1.4, NULL) == BRINK_TIME_REACHED); /* after two bounces */
  brink_run_sensitivity s = get(run);                        /* the run is not over */
  int bounces = 0, twice = 0;
  CHECK(s.rows > 6 && s.t[0] == 0.0 && s.t[s.rows - 1] == 1.4);
  CHECK(at(&s, s.dx, "y", "y") == 1.0 && at(&s, s.dx, "v", "y") == 0.0);
  for (size_t row = 0; row < s.rows; row++) {
    double t = s.t[row];
    CHECK(row == 0 || t >= s.t[row - 1]);
    bool second = row > 0 && t == s.t[row - 1];
    twice += second;
    bounces += second && fabs(t - after_bounces(bounces + 1, g, e, h).t) < 1e-6;
    flight f = after_bounces(bounces, g, e, h);
    const double *dx = &s.dx[row * s.nstates * 2];
    double since = bounces > 0 ? t - f.t : 0.0;
    double dy = bounces > 0 ? f.dv * since - (f.v - g * since) * f.dt : 0.0;
    CHECK_NEAR(at(&s, dx, "y", "e"), dy, 1e-8);
    CHECK_NEAR(at(&s, dx, "v", "e"), bounces > 0 ? f.dv + g * f.dt : 0.0, 1e-8);
    /* By h: v0 and all times scale with its root. */
    double by_h = bounces > 0 ? (f.v * since - (f.v - g * since) * f.t) / (2.0 * h) : 1.0;
    CHECK_NEAR(at(&s, dx, "y", "y"), by_h, 1e-8);
  }
  CHECK_INT(bounces, 2);
  CHECK_INT(twice, 3); /* and the start */
  for (size_t k = 0; k < s.nstates * 2; k++)
    CHECK(s.end[k] == s.dx[(s.rows - 1) * s.nstates * 2 + k]);
  brink_run_destroy(run);
}

/* Where the third bounce stops the run, the state there is y = 0, v = e^3 v0, whatever the time is. */
TEST(the_state_at_the_end_moves_with_the_event_that_ends_the_run) {
  static const char *const names[] = {"e", "g", "y"};
  const double g = 9.81, e = 0.8, h = 1.0;
  brink_hsml *model = load(ball);
  brink_hsml_set(model, "last", 3.0, NULL);
  brink_run *run = make(model);
  keep(run, names, 3);
  CHECK(brink_run_to(run, 10.0, NULL) == BRINK_STOPPED);
  brink_run_sensitivity s = get(run);
  flight f = after_bounces(3, g, e, h);
  CHECK_NEAR(brink_run_time(run), f.t, 1e-9);
  CHECK_INT(s.nevents, 3);
  CHECK_NEAR(s.event_time[6], f.dt, 1e-9);
  for (size_t k = 0; k < 3; k++) CHECK_NEAR(s.end[k], 0.0, 1e-9);
  CHECK_INT(s.limits, 0);
  CHECK(isnan(at(&s, &s.dx[(s.rows - 1) * s.nstates * 3], "v", "e"))); /* there is no later time */
  CHECK_NEAR(at(&s, s.end, "v", "e"), f.dv, 1e-8);
  CHECK_NEAR(at(&s, s.end, "v", "g"), f.v / (2.0 * g), 1e-8);
  CHECK_NEAR(at(&s, s.end, "v", "y"), f.v / (2.0 * h), 1e-8);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* The energy after n bounces is e^(2n) g h, at all times, and where the run stops. */
TEST(outputs_and_variables_that_are_recorded_have_derivatives) {
  static const char *const names[] = {"e", "g"};
  const double g = 9.81, e = 0.8;
  for (int stops = 0; stops < 2; stops++) {
    brink_hsml *model = load(ball);
    brink_hsml_set(model, "last", stops == 1 ? 3.0 : 1000.0, NULL);
    brink_run *run = make(model);
    keep(run, names, 2);
    CHECK(brink_run_keep(run, "v, energy, falling, y'", NULL) ==
          BRINK_OK); /* after the names: that counts, too */
    CHECK(brink_run_to(run, stops == 1 ? 10.0 : 2.0, NULL) >= 0);
    brink_run_sensitivity s = get(run);
    CHECK_INT(s.noutputs, 2);
    CHECK(strcmp(s.outputs[0], "falling") == 0 && strcmp(s.outputs[1], "energy") == 0);
    CHECK_INT(s.nstates, 3); /* all of them */
    int n = 0;
    for (size_t row = 0; row < s.rows; row++) {
      bool second = row > 0 && s.t[row] == s.t[row - 1];
      n += second && fabs(s.t[row] - after_bounces(n + 1, g, e, 1.0).t) < 1e-6;
      const double *dy = &s.dy[row * 4], *dx = &s.dx[row * 6];
      if (stops == 1 && n == 3) break; /* there is no time after the stop */
      CHECK_NEAR(dy[2], 2 * n * pow(e, 2 * n - 1) * g, 1e-8);
      CHECK_NEAR(dy[3], pow(e, 2 * n), 1e-8);
      CHECK_NEAR(dy[0], -2.0 * at(&s, dx, "v", "e"), 1e-12);
    }
    CHECK_INT(n, 3);
    CHECK_NEAR(s.end_y[2], 6.0 * pow(e, 5) * g, 1e-8);
    CHECK_NEAR(s.end_y[3], pow(e, 6), 1e-8);
    brink_run_destroy(run);
    brink_hsml_destroy(model);
  }
}

/* The same without an action that changes anything, and by a range. */
TEST(a_range_that_is_left_ends_a_run_as_an_event_does) {
  static const char falling[] =
      "ctc Fall is body declarations state(y, real, (0.0, 10.0)); state(v, real); parameter(g, "
      "real); "
      "end declarations; initial y := 2.0; v := 0.0; end initial;\n"
      "dynamics y' = v; v' = -g; end dynamics; assignments g : 8.0; end assignments;\n"
      "end body; end Fall;\n";
  static const char *const names[] = {"g", "y"};
  brink_run *run = load_run(falling);
  keep(run, names, 2);
  CHECK(brink_run_to(run, 10.0, NULL) < 0);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK);
  brink_run_sensitivity s = get(run);
  CHECK_NEAR(at(&s, s.end, "y", "g"), 0.0, 1e-8);
  CHECK_NEAR(at(&s, s.end, "v", "g"), -sqrt(2.0 / (2.0 * 8.0)), 1e-7);
  CHECK_NEAR(at(&s, s.end, "v", "y"), -sqrt(8.0 / (2.0 * 2.0)), 1e-7);
  brink_run_destroy(run);
}

/* x = (1 - t)^2 is c at 1 -+ sqrt(c): the smaller c, the larger the derivatives. */
TEST(events_that_are_nearly_grazing_have_large_derivatives) {
  static const char touching[] = "ctc Touch is interface knob(c); end interface; body\n"
                                 "declarations state(x, real); state(v, real); parameter(c, real); "
                                 "flag(g); end declarations;\n"
                                 "initial x := 1.0; v := -2.0; end initial;\n"
                                 "dynamics x' = v; v' = 2.0; g = x - c; end dynamics;\n"
                                 "assignments c : 1e-6; end assignments; end body; end Touch;\n";
  brink_run *run = load_run(touching);
  keep(run, NULL, 0);
  CHECK(brink_run_to(run, 2.0, NULL) == BRINK_TIME_REACHED);
  brink_run_sensitivity s = get(run);
  CHECK_INT(s.nevents, 2);
  CHECK_NEAR(s.event_time[0], -500.0, 0.1);
  CHECK_NEAR(s.event_time[1], 500.0, 0.1);
  brink_run_destroy(run);
}

TEST(after_infinitely_many_events_nothing_is_known) {
  brink_run *run = NULL;
  brink_run_sensitivity s;
  brink_hsml *model = load(ball);
  brink_run_options options;
  CHECK(brink_hsml_options(model, &options, NULL) == BRINK_OK);
  options.interpret = true;
  options.sim.zeno = BRINK_ZENO_CONTINUE;
  CHECK(brink_run_create(model, &options, NULL, NULL, &run) == BRINK_OK);
  keep(run, NULL, 0);
  CHECK(brink_run_to(run, 6.0, NULL) == BRINK_TIME_REACHED);
  s = get(run);
  CHECK((s.limits & BRINK_SENSITIVITY_ZENO) != 0);
  CHECK(isnan(at(&s, s.end, "y", "e")) && !isnan(s.dx[0]));
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* ---- names ---- */

static void refused(const char *text, const char *name, const char *why) {
  brink_diag diag;
  brink_run *run = load_run(text);
  CHECK(brink_run_keep_sensitivity(run, &name, 1, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, why);
  CHECK_CONTAINS(diag.message, name);
  brink_run_sensitivity s;
  CHECK(brink_run_get_sensitivity(run, &s, &diag) == BRINK_ERR_ARGUMENT); /* nothing is kept */
  brink_run_destroy(run);
}

static const char parts[] =
    "ctc Source is interface output(y, signal); end interface; body\n"
    "  declarations state(x, real); parameter(k, real); end declarations;\n"
    "  initial x := 1.0; end initial; dynamics x' = -k*x; end dynamics;\n"
    "  output y = x; end output; assignments k : 1.0; end assignments; end body; end Source;\n"
    "ctc Sink is interface input(u, signal); end interface; body\n"
    "  declarations state(w[2], real); parameter(m, real); end declarations;\n"
    "  initial w[1] := 3.0*m; w[2] := 0.0; end initial;\n"
    "  dynamics w[1]' = m*u; w[2]' = -m*w[2]; end dynamics;\n"
    "  assignments m : 2.0; end assignments; end body; end Sink;\n"
    "dtc Held is interface input(u, signal); output(y, signal); end interface; body\n"
    "  declarations parameter(T, real); parameter(gain, real); sample(T, 0.0); state(sum, real);\n"
    "  end declarations;\n"
    "  initial sum := 0.25; end initial; update sum := sum + gain*u; end update;\n"
    "  output y = sum; end output; assignments T : 0.5; gain : 2.0; end assignments;\n"
    "  end body; end Held;\n"
    "system Parts is body\n"
    "  components source : Source; sink[3] : Sink; held : Held; end components;\n"
    "  connections\n"
    "    connect(source.y, held.u);\n"
    "    for i in 1..3 loop connect(source.y, sink[i].u); end loop;\n"
    "  end connections; end body; end Parts;\n";

TEST(names_that_nothing_can_be_differentiated_by_are_refused_with_the_reason) {
  refused(ball, "last", "whole number");
  refused(ball, "name", "not a number");
  refused(ball, "phase", "mode");
  refused(ball, "bounces", "whole number");
  refused(ball, "energy", "equations compute it");
  refused(ball, "heigth", "there is no");
  refused(ball, "twicee", "did you mean 'twice'");
  refused(parts, "held.T", "sample period");
  refused(parts, "held.u", "connected");
  refused(parts, "sink[4].m", "there is no");
  brink_run *run = load_run(ball);
  brink_diag diag;
  static const char *const twice[] = {"e", "g", "e"}, *const hole[] = {"e", NULL};
  CHECK(brink_run_keep_sensitivity(run, twice, 3, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "twice");
  CHECK(brink_run_keep_sensitivity(run, hole, 2, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_keep_sensitivity(run, NULL, 2, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_keep_sensitivity(run, twice, 0, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_keep_sensitivity(NULL, NULL, 0, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_run_step(run, 1.0, NULL) >= 0);
  CHECK(brink_run_keep_sensitivity(run, NULL, 0, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "begun");
  brink_run_destroy(run);
}

TEST(without_names_all_knobs_are_taken_that_have_derivatives) {
  brink_diag diag;
  brink_run *run = load_run(ball);
  brink_run_sensitivity s;
  keep(run, NULL, 0);
  CHECK(brink_run_get_sensitivity(run, &s, &diag) == BRINK_ERR_ARGUMENT); /* it has not begun */
  CHECK(brink_run_to(run, 0.1, NULL) == BRINK_TIME_REACHED);
  s = get(run);
  CHECK_INT(s.ndirections, 2);
  CHECK(strcmp(s.directions[0], "e") == 0 && strcmp(s.directions[1], "h") == 0);
  brink_run_destroy(run);
  run = load_run(parts); /* it has none */
  CHECK(brink_run_keep_sensitivity(run, NULL, 0, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "no knob");
  brink_run_destroy(run);
}

/* x = exp(-k t); w1 = 3 m + m (1 - exp(-k t))/k; the sum is taken at 0, 0.5, 1. */
TEST(parts_elements_and_held_states_have_names) {
  static const char *const names[] = {"sink[2].m", "source.k", "sink[3].w[2]", "held.gain",
                                      "held.sum"};
  brink_run *run = load_run(parts);
  keep(run, names, 5);
  CHECK(brink_run_to(run, 1.25, NULL) == BRINK_TIME_REACHED);
  brink_run_sensitivity s = get(run);
  double fall = exp(-1.25), m = 2.0;
  CHECK_NEAR(at(&s, s.end, "sink[2].w[1]", "sink[2].m"), 3.0 + 1.0 - fall, 1e-8);
  CHECK(at(&s, s.end, "sink[1].w[1]", "sink[2].m") == 0.0);
  CHECK_NEAR(at(&s, s.end, "source.x", "source.k"), -1.25 * fall, 1e-8);
  CHECK_NEAR(at(&s, s.end, "sink[1].w[1]", "source.k"), m * (1.25 * fall - (1.0 - fall)), 1e-8);
  CHECK_NEAR(at(&s, s.end, "sink[3].w[2]", "sink[3].w[2]"), exp(-m * 1.25), 1e-8);
  double sum = 1.0 + exp(-0.5) + exp(-1.0), slope = -0.5 * exp(-0.5) - exp(-1.0);
  CHECK_NEAR(at(&s, s.end, "held.sum", "held.gain"), sum, 1e-8);
  CHECK_NEAR(at(&s, s.end, "held.sum", "source.k"), 2.0 * slope, 1e-8);
  CHECK(at(&s, s.end, "held.sum", "held.sum") == 1.0);
  brink_run_destroy(run);
}

TEST(an_input_with_a_value_of_its_own_is_a_direction) {
  static const char driven[] =
      "ctc Heat is interface input(u, signal); end interface; body\n"
      "declarations state(T, real); end declarations; initial T := 0.0; end initial;\n"
      "dynamics T' = u - T; end dynamics; end body; end Heat;\n";
  static const char *const names[] = {"u"};
  brink_hsml *model = load(driven);
  brink_diag diag;
  brink_hsml_set(model, "u", 3.0, NULL);
  brink_run *run = make(model);
  keep(run, names, 1);
  CHECK(brink_run_to(run, 1.0, NULL) == BRINK_TIME_REACHED);
  brink_run_sensitivity s = get(run);
  CHECK_NEAR(s.end[0], 1.0 - exp(-1.0), 1e-9);
  brink_run_destroy(run);
  double t[] = {0.0, 1.0}, u[] = {0.0, 1.0};
  brink_hsml_inputs table = {.names = names, .count = 1, .t = t, .rows = 2, .values = u};
  CHECK(brink_hsml_set_inputs(model, &table, &diag) == BRINK_OK);
  run = make(model);
  CHECK(brink_run_keep_sensitivity(run, names, 1, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "given over time");
  /* The run has its inputs still, when the model has lost them: what is made for differences has them, too. */
  static const char *const state[] = {"T"};
  CHECK(brink_hsml_set_inputs(model, NULL, &diag) == BRINK_OK);
  keep(run, state, 1);
  CHECK(brink_run_to(run, 1.0, NULL) == BRINK_TIME_REACHED);
  s = get(run);
  CHECK_NEAR(s.end[0], exp(-1.0), 1e-9);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

static int sine(double t, double *u, void *user) {
  (void)user;
  *u = sin(t);
  return 0;
}

/* T = a (sin t - cos t + exp(-t))/2, also when the model has lost the function. */
TEST(inputs_may_be_functions_of_the_caller) {
  static const char driven[] =
      "ctc Heat is interface input(u, signal); end interface; body\n"
      "declarations state(T, real); parameter(a, real); flag(g); end declarations;\n"
      "initial T := 0.0; end initial; dynamics T' = a*u - T; g = u - 0.5; end dynamics;\n"
      "assignments a : 2.0; end assignments; end body; end Heat;\n";
  static const char *const names[] = {"a"}, *const input[] = {"u"};
  brink_hsml *model = load(driven);
  brink_hsml_function function = {.value = sine};
  brink_diag diag;
  CHECK(brink_hsml_set_function(model, "u", &function, &diag) == BRINK_OK);
  brink_run *run = make(model);
  CHECK(brink_hsml_set_function(model, "u", NULL, &diag) == BRINK_OK);
  CHECK(brink_run_keep_sensitivity(run, input, 1, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "given over time");
  keep(run, names, 1);
  CHECK(brink_run_to(run, 2.0, NULL) == BRINK_TIME_REACHED);
  brink_run_sensitivity s = get(run);
  CHECK_NEAR(s.end[0], 0.5 * (sin(2.0) - cos(2.0) + exp(-2.0)), 1e-9);
  CHECK(s.nevents == 1 && s.event_time[0] == 0.0);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

TEST(what_cannot_be_followed_is_unsupported) {
  static const char delayed[] =
      "ctc D is body declarations state(x, real); parameter(k, real); end declarations;\n"
      "initial x := 1.0; end initial; dynamics x' = -k*delay(x, 0.5); end dynamics;\n"
      "assignments k : 1.0; end assignments; end body; end D;\n";
  static const char tied[] =
      "ctc C is body declarations state(x, real); variable(z, real); end declarations;\n"
      "initial x := 1.0; end initial; dynamics x' = z; end dynamics;\n"
      "constraints z + x = 0.0; end constraints; end body; end C;\n";
  static const char *const names[] = {"x"};
  brink_diag diag;
  brink_run *run = load_run(delayed);
  CHECK(brink_run_keep_sensitivity(run, names, 1, &diag) == BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(diag.message, "delays");
  brink_run_destroy(run);
  run = load_run(tied);
  CHECK(brink_run_keep_sensitivity(run, names, 1, &diag) == BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(diag.message, "constraints");
  brink_run_destroy(run);
  brink_hsml *model = NULL;
  CHECK(brink_hsml_load_file(BRINK_SOURCE_DIR "/models/bumper-cars/model.hsml", &diag, &model) ==
        BRINK_OK);
  run = make(model);
  CHECK(brink_run_keep_sensitivity(run, NULL, 0, &diag) == BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(diag.message, "clocks of their own");
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* ---- values that are written ---- */

/* Everything is as if the values of the model were those of the run, except that what was written stays. */
TEST(values_written_before_the_start_follow_nothing) {
  static const char *const names[] = {"h", "y"};
  brink_run *run = load_run(ball);
  keep(run, names, 2);
  CHECK(brink_run_set(run, "y", 2.0, NULL) == BRINK_OK);
  CHECK(brink_run_to(run, 0.5, NULL) == BRINK_TIME_REACHED);
  brink_run_sensitivity s = get(run);
  CHECK(at(&s, s.end, "y", "h") == 0.0); /* y does not start from h any more */
  CHECK_NEAR(at(&s, s.end, "y", "y"), 1.0, 1e-12);
  brink_run_destroy(run);
}

/* Written with the value that it has: it stays there all the same. A repeated run starts with it, too. */
TEST(a_repeated_run_has_the_same_derivatives) {
  static const char *const names[] = {"h", "y", "e"};
  brink_diag diag;
  brink_run *run = load_run(ball), *again = NULL, *clone = NULL;
  keep(run, names, 3);
  CHECK(brink_run_set(run, "y", 1.0, NULL) == BRINK_OK);
  CHECK(brink_run_to(run, 1.4, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_clone(run, &diag, &clone) == BRINK_OK);
  CHECK(brink_run_keep_sensitivity(clone, names, 3, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "begun");
  CHECK(brink_run_repeat(run, false, &diag, &again) == BRINK_OK);
  keep(again, names, 3);
  CHECK(brink_run_to(again, 1.4, NULL) == BRINK_TIME_REACHED);
  brink_run_sensitivity s = get(run), r = get(again);
  CHECK(at(&s, s.end, "y", "h") == 0.0 && at(&s, s.end, "y", "y") != 0.0);
  CHECK(s.rows == r.rows && memcmp(s.t, r.t, s.rows * sizeof *s.t) == 0);
  CHECK(memcmp(s.dx, r.dx, s.rows * s.nstates * s.ndirections * sizeof *s.dx) == 0);
  CHECK(s.nevents == r.nevents);
  brink_run_destroy(clone);
  brink_run_destroy(again);
  brink_run_destroy(run);
}

TEST(values_written_on_the_way_depend_on_nothing) {
  static const char *const names[] = {"y", "v", "g"};
  brink_run *run = load_run(ball);
  keep(run, names, 3);
  CHECK(brink_run_to(run, 0.2, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_set(run, "v", 1.0, NULL) == BRINK_OK);
  CHECK(brink_run_to(run, 0.4, NULL) == BRINK_TIME_REACHED);
  brink_run_sensitivity s = get(run);
  CHECK_NEAR(at(&s, s.end, "y", "y"), 1.0, 1e-12);
  CHECK_NEAR(at(&s, s.end, "y", "v"), 0.2, 1e-9); /* v of 0 … 0.2 alone */
  CHECK(at(&s, s.end, "v", "v") == 0.0);
  CHECK_NEAR(at(&s, s.end, "v", "g"), -0.2, 1e-9);
  CHECK_NEAR(at(&s, s.end, "y", "g"), -0.5 * 0.04 - 0.5 * 0.04, 1e-9);
  brink_run_destroy(run);
}

/* What was set in the model when the run was made counts, not what is set there later. */
TEST(a_model_that_was_changed_since_does_not_matter) {
  static const char *const names[] = {"h"};
  brink_hsml *model = load(ball);
  brink_hsml_set(model, "twice", 6.0, NULL); /* so that y does not depend on h */
  brink_run *run = make(model);
  brink_hsml_unset(model);
  keep(run, names, 1);
  brink_hsml_destroy(model);
  CHECK(brink_run_to(run, 0.5, NULL) == BRINK_TIME_REACHED);
  brink_run_sensitivity s = get(run);
  CHECK(at(&s, s.end, "y", "h") == 0.0);
  brink_run_destroy(run);
}

TEST(a_run_that_is_reset_can_be_asked_again) {
  static const char *const names[] = {"e"};
  brink_diag diag;
  brink_run *run = load_run(ball);
  brink_run_sensitivity s;
  keep(run, names, 1);
  CHECK(brink_run_to(run, 1.4, NULL) == BRINK_TIME_REACHED);
  s = get(run);
  double first = at(&s, s.end, "y", "e");
  CHECK(brink_run_reset(run, NULL) == BRINK_OK);
  CHECK(brink_run_get_sensitivity(run, &s, &diag) == BRINK_ERR_ARGUMENT);
  keep(run, names, 1);
  keep(run, names, 1); /* the last call counts */
  CHECK(brink_run_to(run, 1.4, NULL) == BRINK_TIME_REACHED);
  s = get(run);
  CHECK(at(&s, s.end, "y", "e") == first);
  brink_run_destroy(run);
}

/* ---- threads ---- */

static void *differentiate(void *user) {
  static const char *const names[] = {"h", "e", "g"};
  brink_run *run = user;
  brink_run_keep_sensitivity(run, names, 3, NULL);
  brink_run_to(run, 1.4, NULL);
  return NULL;
}

/* Looking for what depends on a parameter reads the model, which its owner may change meanwhile. */
TEST(runs_of_one_model_find_their_derivatives_in_several_threads) {
  enum { THREADS = 4 };
  brink_hsml *model = load(ball);
  brink_run *runs[THREADS];
  pthread_t threads[THREADS];
  for (size_t k = 0; k < THREADS; k++) runs[k] = make(model);
  for (size_t k = 0; k < THREADS; k++)
    CHECK(pthread_create(&threads[k], NULL, differentiate, runs[k]) == 0);
  for (int k = 0; k < 10; k++) {
    const brink_hsml_message *messages;
    brink_hsml_set(model, "h", 2.0 + k, NULL);
    CHECK(brink_hsml_build(model, NULL) == BRINK_OK);
    brink_hsml_messages(model, &messages);
  }
  for (size_t k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
  brink_run_sensitivity first = get(runs[0]);
  CHECK_NEAR(first.event_time[1 * 3 + 1], after_bounces(2, 9.81, 0.8, 1.0).dt, 1e-9);
  for (size_t k = 1; k < THREADS; k++) {
    brink_run_sensitivity s = get(runs[k]);
    CHECK(s.nstates == first.nstates &&
          memcmp(s.end, first.end, s.nstates * s.ndirections * sizeof *s.end) == 0);
  }
  for (size_t k = 0; k < THREADS; k++) brink_run_destroy(runs[k]);
  brink_hsml_destroy(model);
}

/* ---- models of the repository ---- */

typedef struct example {
  const char *model;
  double end, tolerance;
  size_t compared;      /* directions: with the others, runs nearby have other events */
  const char *names[4]; /* none: all states and parameters */
} example;

/* Resets, sliding, sampled controllers, hysteresis, friction, timers, collisions, several parts. */
static const example examples[] = {
    {"bouncing-ball", 3.0, 1e-6, 3, {"ball.e", "ball.g", "ball.y"}},
    {"thermostat", 24.0, 1e-6, 2, {"room.outdoor", "room.T"}},
    {"sampled-thermostat", 24.0, 1e-6, 1, {"room.T"}},
    {"sliding-mode", 5.0, 1e-5, 3, {NULL}},
    {"stick-slip", 10.0, 1e-6, 3, {NULL}},
    {"level-control", 20.0, 1e-6, 7, {NULL}},
    {"servo-cascade", 10.0, 1e-6, 3, {NULL}},
    {"clutch", 9.0, 1e-6, 6, {NULL}},
    {"balls-on-a-line", 8.0, 1e-6, 11, {NULL}},
    {"pump-hysteresis", 40.0, 1e-6, 2, {NULL}},
    {"timers", 5.0, 1e-6, 2, {NULL}},
    {"torricelli", 20.0, 1e-6, 2, {NULL}},
    {"backlash", 10.0, 1e-6, 2, {NULL}},
    {"sliding", 8.0, 1e-6, 1, {NULL}},
    {"relay", 10.0, 1e-6, 2, {NULL}},
    {"dry-friction", 20.0, 1e-6, 2, {NULL}},
    {"pendulum-wall", 21.0, 1e-6, 4, {NULL}},
    {"square-root-edges", 3.0, 1e-6, 2, {NULL}},
    {"billiard", 20.0, 1e-6, 4, {NULL}},
    {"batch-reactor", 40.0, 1e-6, 2, {NULL}},
    {"traction", 40.0, 1e-6, 2, {NULL}},
    {"three-agents", 9.5, 1e-6, 12, {NULL}},
    {"corridor", 6.0, 1e-4, 4, {NULL}},
    {"neurons", 11.0, 2e-6, 12, {NULL}},
};
enum { NEXAMPLES = sizeof examples / sizeof *examples, MOST = 600 };

typedef struct outcome {
  brink_status status;
  double t[MOST], end[MOST], end_y[MOST];
  size_t nevents;
} outcome;

static brink_hsml *load_example(const example *e) {
  char path[512];
  brink_diag diag;
  brink_hsml *model = NULL;
  snprintf(path, sizeof path, "%s/models/%s/model.hsml", BRINK_SOURCE_DIR, e->model);
  CHECK_MSG(brink_hsml_load_file(path, &diag, &model) == BRINK_OK, "%s", diag.message);
  return model;
}

static brink_run *make_example(brink_hsml *model, double rtol) {
  brink_diag diag;
  brink_run *run = NULL;
  brink_run_options options;
  CHECK(brink_hsml_options(model, &options, &diag) == BRINK_OK);
  options.interpret = true;
  options.clocks = BRINK_CLOCKS_ONE;
  options.every = 0.0;
  if (rtol > 0.0) {
    options.sim.rtol = rtol;
    options.sim.atol = 1e-3 * rtol;
  }
  brink_status status = brink_run_create(model, &options, NULL, &diag, &run);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return run;
}

static int note_event(brink_run *run, const brink_run_event *event, void *user) {
  (void)run;
  outcome *o = user;
  if (o->nevents < MOST) o->t[o->nevents] = event->t;
  o->nevents++;
  return 0;
}

/* One run with a value set. */
static outcome *run_with(const example *e, const brink_run_sensitivity *s, const char *name,
                         double value) {
  outcome *o = calloc(1, sizeof *o);
  brink_hsml *model = load_example(e);
  brink_hsml_set(model, name, value, NULL);
  brink_run *run = make_example(model, 1e-12);
  brink_run_observe(run, &(brink_run_observer){.event = note_event, .user = o});
  o->status = brink_run_to(run, e->end, NULL);
  for (size_t i = 0; i < s->nstates && i < MOST; i++)
    brink_run_get(run, s->states[i], &o->end[i], NULL);
  for (size_t i = 0; i < s->noutputs && i < MOST; i++)
    brink_run_get(run, s->outputs[i], &o->end_y[i], NULL);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  return o;
}

static bool near(double slope, double difference, double tolerance) {
  return fabs(slope - difference) <= tolerance * (fabs(difference) + 1e-2);
}

/* Compares all derivatives by one name; false: the other runs have other events, and say nothing. */
static bool compare(const example *e, const brink_run_sensitivity *s, size_t k, double value,
                    brink_status status) {
  double h = 1e-5 * fmax(fabs(value), 0.1);
  const char *name = s->directions[k];
  outcome *above = run_with(e, s, name, value + h), *below = run_with(e, s, name, value - h);
  bool same = above->status == status && below->status == status && above->nevents == s->nevents &&
              below->nevents == s->nevents;
  for (size_t j = 0; same && j < s->nevents && j < MOST; j++) {
    double difference = (above->t[j] - below->t[j]) / (2.0 * h);
    double slope = s->event_time[j * s->ndirections + k];
    CHECK_MSG(near(slope, difference, e->tolerance), "%s: event %zu by %s: %.10g, %.10g", e->model,
              j, name, slope, difference);
  }
  for (size_t i = 0; same && i < s->nstates && i < MOST; i++) {
    double difference = (above->end[i] - below->end[i]) / (2.0 * h);
    double slope = s->end[i * s->ndirections + k];
    CHECK_MSG(near(slope, difference, e->tolerance), "%s: %s by %s: %.10g, %.10g", e->model,
              s->states[i], name, slope, difference);
  }
  for (size_t i = 0; same && i < s->noutputs && i < MOST; i++) {
    double difference = (above->end_y[i] - below->end_y[i]) / (2.0 * h);
    double slope = s->end_y[i * s->ndirections + k];
    CHECK_MSG(near(slope, difference, e->tolerance), "%s: %s by %s: %.10g, %.10g", e->model,
              s->outputs[i], name, slope, difference);
  }
  free(above);
  free(below);
  return same;
}

/* The names of the example, or all states and all knobs. */
static void keep_for(const example *e, brink_hsml *model, brink_run *run) {
  const char *names[64];
  char room[64][64];
  size_t count = 0;
  brink_diag diag;
  for (size_t k = 0; k < 4 && e->names[k] != NULL; k++) names[count++] = e->names[k];
  brink_hsml_kind kinds[] = {BRINK_HSML_STATE, BRINK_HSML_PARAMETER};
  for (size_t j = 0; e->names[0] == NULL && j < 2; j++) {
    const brink_hsml_item *items;
    size_t n = brink_hsml_items(model, kinds[j], &items);
    for (size_t i = 0; i < n; i++) {
      for (size_t element = 0; element < items[i].count && count < 12; element++) {
        brink_hsml_element_name(model, &items[i], element, room[count], sizeof room[count]);
        names[count] = room[count];
        if (brink_run_keep_sensitivity(run, &names[count], 1, &diag) == BRINK_OK) count++;
      }
    }
  }
  keep(run, names, count);
}

static void try_example(const example *e) {
  brink_hsml *model = load_example(e);
  brink_run *run = make_example(model, 1e-12);
  double values[64] = {0.0};
  outcome *exact = calloc(1, sizeof *exact);
  keep_for(e, model, run);
  brink_run_observe(run, &(brink_run_observer){.event = note_event, .user = exact});
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  brink_run *start = make_example(model, 1e-12);
  brink_status status = brink_run_to(run, e->end, NULL);
  brink_run_sensitivity s = get(run);
  brink_trajectory trajectory;
  CHECK_INT(s.nevents, exact->nevents);
  CHECK(brink_run_trajectory(run, &trajectory, NULL) == BRINK_OK);
  CHECK_INT(s.nevents, trajectory.nevents);
  for (size_t k = 0, i = 0; k < trajectory.ncolumns; k++) {
    if (strcmp(trajectory.columns[k].kind, "state") == 0)
      CHECK(i < s.nstates && strcmp(s.states[i++], trajectory.columns[k].name) == 0);
  }
  size_t compared = 0;
  for (size_t k = 0; k < s.ndirections && k < 64; k++) {
    brink_run_get(start, s.directions[k], &values[k], NULL);
    compared += compare(e, &s, k, values[k], status);
  }
  CHECK_MSG(compared == e->compared, "%s: %zu directions were compared", e->model, compared);
  brink_run_destroy(start);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  free(exact);
}

TEST(derivatives_of_models_agree_with_differences_of_their_runs) {
  for (size_t k = 0; k < NEXAMPLES; k++) try_example(&examples[k]);
}

/* Everything that a run leaves in a file, with or without derivatives. */
static brink_bytes record(const example *e, bool derivatives, brink_stats *stats) {
  brink_bytes bytes = {0};
  brink_hsml *model = load_example(e);
  brink_run *run = make_example(model, 0.0);
  CHECK(brink_run_record_memory(run, "csv", NULL) == BRINK_OK);
  if (derivatives) keep_for(e, model, run);
  brink_run_to(run, e->end, NULL);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK);
  CHECK(brink_run_recorded(run, &bytes, NULL) == BRINK_OK);
  *stats = brink_run_information(run).stats;
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  return bytes;
}

TEST(a_run_is_the_same_with_and_without_derivatives) {
  for (size_t k = 0; k < NEXAMPLES; k++) {
    brink_stats with, without;
    brink_bytes a = record(&examples[k], true, &with), b = record(&examples[k], false, &without);
    CHECK_MSG(a.length == b.length && a.length > 0 && memcmp(a.data, b.data, a.length) == 0,
              "%s: results differ", examples[k].model);
    CHECK_MSG(with.steps == without.steps && with.rejected == without.rejected &&
                  with.rhs == without.rhs,
              "%s: statistics differ", examples[k].model);
    brink_bytes_free(&a);
    brink_bytes_free(&b);
  }
}

/* ---- together with conditions ---- */

/* Summary and derivatives of a run with the condition of its events. */
static brink_bytes conditions_of(bool derivatives, bool conditions, double *dy) {
  static const char *const names[] = {"h", "e"};
  brink_hsml *model = load(ball);
  brink_run_options options;
  brink_run *run = NULL;
  brink_bytes json = {0};
  CHECK(brink_hsml_options(model, &options, NULL) == BRINK_OK);
  options.interpret = true;
  options.sim.rtol = 1e-11;
  options.conditions = conditions;
  CHECK(brink_run_create(model, &options, NULL, NULL, &run) == BRINK_OK);
  CHECK(!conditions || brink_run_prepare_conditions(run, NULL) == BRINK_OK);
  if (derivatives) keep(run, names, 2);
  CHECK(brink_run_to(run, 1.4, NULL) == BRINK_TIME_REACHED);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK);
  CHECK(brink_run_summary(run, &json, NULL) == BRINK_OK);
  if (derivatives) {
    brink_run_sensitivity s = get(run);
    CHECK_INT(s.ndirections, 2);
    CHECK_NEAR(s.event_time[1 * 2 + 1], after_bounces(2, 9.81, 0.8, 1.0).dt, 1e-9);
    for (size_t k = 0; k < 2; k++) dy[k] = at(&s, s.end, "y", names[k]);
  }
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  return json;
}

/* Do two texts differ in nothing but the last digits of numbers? */
static bool alike(const char *a, const char *b, const char *end) {
  while (a < end && *a != '\0' && *b != '\0') {
    char *past_a, *past_b;
    double x = strtod(a, &past_a), y = strtod(b, &past_b);
    if (past_a == a && past_b == b && *a == *b) {
      a++, b++;
      continue;
    }
    if (past_a == a || past_b == b || fabs(x - y) > 1e-7 * (1.0 + fabs(x))) return false;
    a = past_a;
    b = past_b;
  }
  return a >= end;
}

TEST(the_condition_of_events_and_derivatives_may_be_asked_for_in_one_run) {
  double both[2], alone[2], none[2];
  brink_bytes a = conditions_of(true, true, both), b = conditions_of(false, true, none);
  brink_bytes c = conditions_of(true, false, alone);
  const char *from = strstr(a.data, "\"events\""), *of = strstr(b.data, "\"events\"");
  const char *last = strstr(a.data, "\"sensitivity\"");
  CHECK(from != NULL && of != NULL && last != NULL);
  for (const char *next = last; next != NULL; next = strstr(last + 1, "\"sensitivity\""))
    last = next;
  CHECK(from != NULL && of != NULL && last != NULL && alike(from, of, strchr(last, '}')));
  for (size_t k = 0; k < 2; k++) CHECK_NEAR(both[k], alone[k], 1e-9);
  brink_bytes_free(&a);
  brink_bytes_free(&b);
  brink_bytes_free(&c);
}

/* h' = -c sqrt(h) is empty at T = 2 sqrt(h0)/c. A step of Taylor series goes there at once, or nearly. */
static const char emptying[] =
    "ctc Tank is interface knob(c); end interface; body declarations\n"
    "state(h, real, (-1.0, 10.0)); parameter(c, real, (0.0, 5.0)); mode(phase, {\"wet\", "
    "\"dry\"});\n"
    "flag(empty, unilateral); end declarations;\n"
    "initial h := 1.0; phase := \"wet\"; end initial;\n"
    "dynamics if phase = \"dry\" then h' = 0.0; else h' = -c*sqrt(h); end if; empty = h;\n"
    "end dynamics;\n"
    "event(empty) negative-going phase := \"dry\"; end negative-going; end event;\n"
    "assignments c : 0.2; end assignments; end body; end Tank;\n";

static void check_emptying(brink_hsml *model, double c, double h, double rtol) {
  static const char *const names[] = {"c", "h"};
  brink_diag diag;
  brink_run *run = NULL;
  brink_run_options options = brink_default_run();
  options.interpret = true;
  options.sim.rtol = rtol;
  options.sim.atol = 1e-3 * rtol;
  CHECK(brink_hsml_set(model, "c", c, &diag) == BRINK_OK);
  CHECK(brink_hsml_set(model, "h", h, &diag) == BRINK_OK);
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK);
  keep(run, names, 2);
  brink_run_to(run, 3.0 * sqrt(h) / c, &diag);
  brink_run_sensitivity s = get(run);
  CHECK_INT(s.nevents, 1);
  double by_c = -2.0 * sqrt(h) / (c * c), by_h = 1.0 / (c * sqrt(h));
  if (s.nevents == 1) {
    CHECK_NEAR(s.event_time[0], by_c, 1e-5 * fabs(by_c));
    CHECK_NEAR(s.event_time[1], by_h, 1e-5 * fabs(by_h));
  }
  brink_run_destroy(run);
}

TEST(the_time_at_which_a_tank_runs_empty_has_derivatives_however_long_the_last_step_is) {
  brink_hsml *model = load(emptying);
  for (int k = 0; k < 60; k++) {
    double c = 0.05 + 0.017 * k, h = 0.3 + 0.045 * ((k * 7) % 60);
    check_emptying(model, c, h, pow(10.0, -4.0 - k % 7));
  }
  check_emptying(model, 0.2, 1.01, 1e-6);
  brink_hsml_destroy(model);
}

int main(void) {
  RUN(the_bounces_of_a_ball_have_the_derivatives_of_the_closed_form);
  RUN(rows_hold_the_start_the_ends_of_steps_and_both_sides_of_instants);
  RUN(the_state_at_the_end_moves_with_the_event_that_ends_the_run);
  RUN(outputs_and_variables_that_are_recorded_have_derivatives);
  RUN(a_range_that_is_left_ends_a_run_as_an_event_does);
  RUN(events_that_are_nearly_grazing_have_large_derivatives);
  RUN(after_infinitely_many_events_nothing_is_known);
  RUN(names_that_nothing_can_be_differentiated_by_are_refused_with_the_reason);
  RUN(without_names_all_knobs_are_taken_that_have_derivatives);
  RUN(parts_elements_and_held_states_have_names);
  RUN(an_input_with_a_value_of_its_own_is_a_direction);
  RUN(inputs_may_be_functions_of_the_caller);
  RUN(what_cannot_be_followed_is_unsupported);
  RUN(values_written_before_the_start_follow_nothing);
  RUN(a_repeated_run_has_the_same_derivatives);
  RUN(values_written_on_the_way_depend_on_nothing);
  RUN(a_model_that_was_changed_since_does_not_matter);
  RUN(a_run_that_is_reset_can_be_asked_again);
  RUN(runs_of_one_model_find_their_derivatives_in_several_threads);
  RUN(derivatives_of_models_agree_with_differences_of_their_runs);
  RUN(a_run_is_the_same_with_and_without_derivatives);
  RUN(the_condition_of_events_and_derivatives_may_be_asked_for_in_one_run);
  RUN(the_time_at_which_a_tank_runs_empty_has_derivatives_however_long_the_last_step_is);
  return check_done();
}
