/* Knobs from data: truths that are known, derivatives against differences, intervals, edges, bounds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fit/fit_parts.h"
#include "problems/fits.h"

enum { REPETITIONS = 8 };

typedef struct solved {
  brink_hsml *model;
  brink_fit *fit;
  const brink_fit_result *r;
} solved;

static void release(solved *s) {
  brink_fit_destroy(s->fit);
  brink_hsml_destroy(s->model);
}

/* The six models with noise of a seed. */
static solved solve_case(const fit_case *c, uint64_t seed, brink_fit_method method, size_t starts) {
  solved s = {0};
  brink_diag diag;
  fit_data exact, data;
  CHECK_MSG(fit_case_exact(c, &exact), "%s cannot be measured", c->name);
  fit_case_disturb(c, &exact, seed, &data);
  brink_status status = fit_case_make(c, &data, true, method, starts, &s.model, &s.fit, &diag);
  if (status == BRINK_OK) status = brink_fit_solve(s.fit, &diag);
  CHECK_MSG(status == BRINK_OK, "%s: %s", c->name, diag.message);
  s.r = brink_fit_get(s.fit);
  return s;
}

static bool has_note(const brink_fit_result *r, const char *words) {
  for (size_t k = 0; k < r->nnotes; k++)
    if (strstr(r->notes[k], words) != NULL) return true;
  return false;
}

/* A fit of a text that has no data yet. */
static solved make(const char *text, const brink_fit_knob *knobs, size_t n, size_t starts) {
  solved s = {0};
  brink_diag diag;
  brink_fit_def def = brink_default_fit();
  brink_run_options options = brink_default_run();
  options.interpret = true;
  options.sim.rtol = 1e-9;
  options.sim.atol = 1e-12;
  CHECK(brink_hsml_load_text(text, &diag, &s.model) == BRINK_OK);
  def.model = s.model;
  def.options = &options;
  def.knobs = knobs;
  def.nknobs = n;
  def.starts = starts;
  brink_status status = brink_fit_create(&def, &diag, &s.fit);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return s;
}

static void finish(solved *s) {
  brink_diag diag;
  brink_status status = brink_fit_solve(s->fit, &diag);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  s->r = brink_fit_get(s->fit);
}

/* ---- truths in closed form ---- */

TEST(a_tank_measured_without_noise_has_the_knobs_of_the_closed_form) {
  solved s = make(fit_cases[5].text, fit_cases[5].knobs, 2, 3);
  double t[20], y[20], empty = 2.0 * sqrt(0.8) / 0.25;
  brink_diag diag;
  for (int k = 0; k < 20; k++) {
    double root = fmax(sqrt(0.8) - 0.125 * (t[k] = 0.4 * k), 0.0);
    y[k] = root * root;
  }
  CHECK(brink_fit_add_curve(s.fit, "h", t, y, NULL, 20, &diag) == BRINK_OK);
  CHECK(brink_fit_add_events(s.fit, "empty", &empty, NULL, 1, &diag) == BRINK_OK);
  CHECK(brink_fit_set_sigma(s.fit, "h", 0.01, &diag) == BRINK_OK);
  CHECK(brink_fit_set_sigma(s.fit, "empty", 0.05, &diag) == BRINK_OK);
  finish(&s);
  CHECK_NEAR(s.r->values[0].value, 0.25, 1e-7);
  CHECK_NEAR(s.r->values[1].value, 0.8, 1e-7);
  CHECK(s.r->converged && s.r->derivatives);
  release(&s);
}

TEST(the_bounces_of_a_ball_give_its_restitution_and_gravity) {
  solved s = make(fit_cases[0].text, fit_cases[0].knobs, 2, 3);
  double t[5], e = 0.85, g = 9.81, fall = sqrt(2.0 / g), flight = 2.0 * fall;
  brink_diag diag;
  t[0] = fall;
  for (int k = 1; k < 5; k++) t[k] = t[k - 1] + (flight *= e);
  CHECK(brink_fit_add_events(s.fit, "ground", t, NULL, 5, &diag) == BRINK_OK);
  finish(&s);
  CHECK_NEAR(s.r->values[0].value, e, 1e-8);
  CHECK_NEAR(s.r->values[1].value, g, 1e-7);
  CHECK(!s.r->sigma_known && s.r->scale < 1e-8);
  release(&s);
}

TEST(the_line_through_points_has_the_standard_errors_of_linear_regression) {
  static const char line[] =
      "ctc Line is interface knob(a, b); output(y, signal); end interface; body declarations\n"
      "parameter(a, real); parameter(b, real); end declarations;\n"
      "output y = a + b*time; end output;\n"
      "assignments a : 0.0; b : 0.0; end assignments; end body; end Line;\n";
  static const brink_fit_knob knobs[] = {{.name = "a", .lo = -10, .hi = 10},
                                         {.name = "b", .lo = -10, .hi = 10}};
  static const double t[] = {0, 1, 2, 3, 4, 5}, y[] = {1.1, 2.9, 5.2, 6.8, 9.1, 11.2};
  solved s = make(line, knobs, 2, 1);
  brink_diag diag;
  CHECK(brink_fit_add_curve(s.fit, "y", t, y, NULL, 6, &diag) == BRINK_OK);
  finish(&s);
  /* The normal equations: Sxx = 17.5, mean t = 2.5. */
  double mean = 0, slope = 0, sum = 0;
  for (int k = 0; k < 6; k++) mean += y[k] / 6.0;
  for (int k = 0; k < 6; k++) slope += (t[k] - 2.5) * y[k] / 17.5;
  for (int k = 0; k < 6; k++) sum += pow(y[k] - mean - slope * (t[k] - 2.5), 2);
  double sd = sqrt(sum / 4.0), wide = 2.7764451051977987; /* t(0.975, 4) */
  CHECK_NEAR(s.r->values[0].value, mean - 2.5 * slope, 1e-6);
  CHECK_NEAR(s.r->values[1].value, slope, 1e-6);
  CHECK_NEAR(s.r->values[1].standard_error, sd / sqrt(17.5), 1e-7);
  CHECK_NEAR(s.r->values[0].standard_error, sd * sqrt(1.0 / 6.0 + 6.25 / 17.5), 1e-7);
  CHECK_NEAR(s.r->values[1].hi - s.r->values[1].value, wide * sd / sqrt(17.5), 1e-6);
  CHECK_NEAR(s.r->correlation[1], -2.5 / sqrt(55.0 / 6.0), 1e-7);
  CHECK_NEAR(s.r->sum, sum, 1e-9);
  CHECK_INT(s.r->freedom, 4);
  release(&s);
}

/* The closed form of the tank, fitted by scipy.optimize.least_squares (1.10, '3-point', tolerances 1e-14). */
TEST(a_curve_and_a_time_together_give_what_scipy_finds) {
  static const double t[] = {0, 1, 2, 3, 4, 6, 7, 8, 9};
  static const double y[] = {1.012, .792, .655, .478, .371, .149, .110, .031, -.007};
  double empty = 10.04, sigma = 0.05;
  solved s = make(fit_cases[5].text, fit_cases[5].knobs, 2, 2);
  brink_diag diag;
  CHECK(brink_fit_add_curve(s.fit, "h", t, y, NULL, 9, &diag) == BRINK_OK);
  CHECK(brink_fit_add_events(s.fit, "empty", &empty, &sigma, 1, &diag) == BRINK_OK);
  CHECK(brink_fit_set_sigma(s.fit, "h", 0.02, &diag) == BRINK_OK);
  finish(&s);
  CHECK_NEAR(s.r->values[0].value, 0.19933106, 1e-7);
  CHECK_NEAR(s.r->values[1].value, 1.00059113, 1e-7);
  CHECK_NEAR(s.r->values[0].standard_error, 0.00170219, 1e-7);
  CHECK_NEAR(s.r->values[1].standard_error, 0.01281969, 1e-7);
  CHECK_NEAR(s.r->correlation[1], 0.82535164, 1e-6);
  CHECK_NEAR(s.r->sum, 4.68063196, 1e-6);
  release(&s);
}

/* ---- derivatives ---- */

/* Against central differences of runs at a far tighter tolerance, away from the minimum. */
static void check_jacobian(const fit_case *c) {
  solved s = solve_case(c, 7, BRINK_FIT_DERIVATIVES, 1);
  brink_fit *fit = s.fit;
  brink_diag diag;
  double z[FIT_KNOBS], h[FIT_KNOBS];
  for (size_t j = 0; j < c->nknobs; j++) {
    z[j] = c->truth[j] * (j == 0 ? 1.02 : 0.985);
    h[j] = 1e-5 * z[j];
  }
  brink_fit_worker *worker = brink_fit_worker_open(fit, &diag);
  CHECK(worker != NULL);
  brink_fit_point *p = &worker->best;
  CHECK(brink_fit_evaluate(worker, z, true, p, &diag) == BRINK_OK && p->has_jacobian);
  fit->options.sim.rtol = 1e-13;
  fit->options.sim.atol = 1e-15;
  for (size_t j = 0; j < c->nknobs; j++) {
    double apart[2][2 * FIT_POINTS], largest = 0.0;
    for (int side = 0; side < 2; side++) {
      double kept = z[j];
      z[j] += side == 0 ? -h[j] : h[j];
      CHECK(brink_fit_evaluate(worker, z, false, &worker->work, &diag) == BRINK_OK);
      CHECK(worker->work.usable && worker->work.order == p->order);
      memcpy(apart[side], worker->work.r, fit->ndata * sizeof(double));
      z[j] = kept;
    }
    for (size_t k = 0; k < fit->ndata; k++)
      largest = fmax(largest, fabs(p->jacobian[k * fit->n + j]));
    for (size_t k = 0; k < fit->ndata; k++) {
      double difference = (apart[1][k] - apart[0][k]) / (2.0 * h[j]);
      double got = p->jacobian[k * fit->n + j];
      CHECK_MSG(fabs(got - difference) <= 1e-5 * largest,
                "%s: dr[%zu]/d%s = %.10g, difference %.10g", c->name, k, c->knobs[j].name, got,
                difference);
    }
  }
  brink_fit_worker_close(worker);
  release(&s);
}

TEST(derivatives_of_residuals_agree_with_differences_at_a_tighter_tolerance) {
  for (size_t k = 0; k < fit_ncases; k++) check_jacobian(&fit_cases[k]);
}

TEST(the_sum_is_the_same_function_with_and_without_derivatives) {
  for (size_t k = 0; k < fit_ncases; k++) {
    solved s = solve_case(&fit_cases[k], 3, BRINK_FIT_DERIVATIVES, 1);
    brink_diag diag;
    brink_fit_worker *worker = brink_fit_worker_open(s.fit, &diag);
    brink_fit_point *point = &worker->work;
    CHECK(brink_fit_evaluate(worker, fit_cases[k].truth, true, point, &diag) == BRINK_OK);
    double with = point->sum;
    CHECK(brink_fit_evaluate(worker, fit_cases[k].truth, false, point, &diag) == BRINK_OK);
    CHECK(with == point->sum);
    brink_fit_worker_close(worker);
    release(&s);
  }
}

/* ---- the six models ---- */

TEST(intervals_contain_the_truth_about_as_often_as_they_say) {
  size_t covered = 0, all = 0;
  for (size_t k = 0; k < fit_ncases; k++) {
    const fit_case *c = &fit_cases[k];
    for (uint64_t seed = 0; seed < REPETITIONS; seed++) {
      solved s = solve_case(c, 100 + seed, BRINK_FIT_AUTO, 5);
      CHECK_MSG(s.r->converged, "%s, seed %d", c->name, (int)seed);
      for (size_t j = 0; j < c->nknobs; j++) {
        const brink_fit_value *v = &s.r->values[j];
        covered += v->lo <= c->truth[j] && c->truth[j] <= v->hi;
        all++;
        CHECK_MSG(fabs(v->value - c->truth[j]) < 5.0 * v->standard_error,
                  "%s, seed %d: %s = %g +- %g", c->name, (int)seed, v->name, v->value,
                  v->standard_error);
      }
      release(&s);
    }
  }
  /* Of 96, 91.2 on average; outside of 86 … 96 once in 50 times. */
  CHECK_MSG(covered >= 86, "%zu of %zu intervals contain the truth", covered, all);
}

TEST(a_search_without_derivatives_finds_the_same_with_several_times_the_runs) {
  for (size_t k = 2; k < 4; k++) {
    solved with = solve_case(&fit_cases[k], 11, BRINK_FIT_DERIVATIVES, 1);
    solved without = solve_case(&fit_cases[k], 11, BRINK_FIT_SEARCH, 1);
    CHECK(strcmp(with.r->method, "Levenberg-Marquardt") == 0);
    CHECK(strcmp(without.r->method, "subplex") == 0);
    CHECK_NEAR(with.r->sum, without.r->sum, 1e-4 * with.r->sum);
    for (size_t j = 0; j < with.r->nknobs; j++)
      CHECK_NEAR(with.r->values[j].value, without.r->values[j].value,
                 0.01 * with.r->values[j].standard_error);
    CHECK_MSG(without.r->starts[0].runs > 4 * with.r->starts[0].runs, "%zu and %zu runs",
              without.r->starts[0].runs, with.r->starts[0].runs);
    release(&with);
    release(&without);
  }
}

TEST(a_fit_that_is_repeated_gives_the_same_numbers) {
  solved a = solve_case(&fit_cases[1], 5, BRINK_FIT_AUTO, 3);
  solved b = solve_case(&fit_cases[1], 5, BRINK_FIT_AUTO, 3);
  brink_bytes one, two;
  brink_diag diag;
  CHECK(brink_fit_solve(b.fit, &diag) == BRINK_OK); /* solved twice */
  CHECK(brink_fit_json(a.fit, &one, &diag) == BRINK_OK);
  CHECK(brink_fit_json(b.fit, &two, &diag) == BRINK_OK);
  CHECK(one.data != NULL && two.data != NULL && strcmp(one.data, two.data) == 0);
  brink_bytes_free(&one);
  brink_bytes_free(&two);
  release(&a);
  release(&b);
}

/* ---- edges and bounds ---- */

/* Above an amplitude of 1 the machine trips and stands still. */
static const char trip[] =
    "ctc Machine is interface knob(a); view(x); end interface; body declarations\n"
    "state(x, real); parameter(a, real); mode(state_, {\"runs\", \"tripped\"}); flag(over);\n"
    "end declarations;\n"
    "initial x := 0.0; end initial;\n"
    "dynamics x' = if state_ = \"runs\" then a*cos(time) else -5.0*x; over = x - 1.0; end "
    "dynamics;\n"
    "event(over) positive-going state_ := \"tripped\"; end positive-going; end event;\n"
    "assignments a : 0.5; end assignments; end body; end Machine;\n";

TEST(where_an_event_appears_the_search_goes_on_without_derivatives_and_says_so) {
  static const brink_fit_knob knobs[] = {{.name = "a", .lo = 0.1, .hi = 3}};
  solved s = make(trip, knobs, 1, 1);
  double t[25], y[25];
  brink_diag diag;
  /* Measured too large: with the amplitude that fits best the machine would trip. */
  for (int k = 0; k < 25; k++) y[k] = 1.05 * sin(t[k] = 0.25 * k);
  CHECK(brink_fit_add_curve(s.fit, "x", t, y, NULL, 25, &diag) == BRINK_OK);
  CHECK(brink_fit_set_sigma(s.fit, "x", 0.05, &diag) == BRINK_OK);
  finish(&s);
  CHECK(strncmp(s.r->method, "subplex", 7) == 0);
  CHECK_NEAR(s.r->values[0].value, 1.0, 1e-3);
  CHECK(s.r->values[0].value <= 1.0);
  CHECK(has_note(s.r, "With derivatives no minimum was reached"));
  CHECK(has_note(s.r, "an event appears or vanishes"));
  CHECK(has_note(s.r, "the number or the order of events changes"));
  release(&s);
}

TEST(events_that_the_run_does_not_have_are_told_and_cost_something) {
  static const brink_fit_knob knobs[] = {{.name = "a", .lo = 0.2, .hi = 0.9}};
  solved s = make(trip, knobs, 1, 1);
  double t = 1.5, at = 1.0, y = 0.8 * sin(1.0);
  brink_diag diag;
  CHECK(brink_fit_add_curve(s.fit, "x", &at, &y, NULL, 1, &diag) == BRINK_OK);
  CHECK(brink_fit_add_events(s.fit, "over", &t, NULL, 1, &diag) == BRINK_OK);
  CHECK(brink_fit_set_sigma(s.fit, "x", 0.01, &diag) == BRINK_OK);
  CHECK(brink_fit_set_sigma(s.fit, "over", 0.1, &diag) == BRINK_OK);
  finish(&s);
  CHECK_NEAR(s.r->values[0].value, 0.8, 1e-6);
  CHECK_INT(s.r->nresiduals, 2);
  CHECK(s.r->residuals[1].event && s.r->residuals[1].missing);
  CHECK_NEAR(s.r->residuals[1].residual, (1.5 - 1.65) / 0.1, 1e-9); /* a tenth of 1.5 later */
  CHECK(has_note(s.r, "1 of 1 measured events do not occur"));
  release(&s);
}

static const char decay[] =
    "ctc Decay is interface knob(k, a, b); view(x); end interface; body declarations\n"
    "state(x, real); parameter(k, real); parameter(a, real); parameter(b, real); end "
    "declarations;\n"
    "initial x := 1.0; end initial;\n"
    "dynamics x' = -k*a*b*x; end dynamics;\n"
    "assignments k : 1.0; a : 1.0; b : 1.0; end assignments; end body; end Decay;\n";

static void add_decay(const solved *s, double rate) {
  double t[12], y[12];
  brink_diag diag;
  for (int k = 0; k < 12; k++) y[k] = exp(-rate * (t[k] = 0.2 * k)) + 0.001 * (k % 3 - 1);
  CHECK(brink_fit_add_curve(s->fit, "x", t, y, NULL, 12, &diag) == BRINK_OK);
}

TEST(a_knob_that_would_leave_its_bounds_stays_at_one_and_has_no_interval) {
  static const brink_fit_knob knobs[] = {{.name = "k", .lo = 0.1, .hi = 1.5},
                                         {.name = "x", .lo = 0.5, .hi = 2}};
  solved s = make(decay, knobs, 2, 2);
  add_decay(&s, 2.0);
  finish(&s);
  CHECK(s.r->values[0].value == 1.5 && s.r->values[0].at_bound);
  CHECK(isnan(s.r->values[0].standard_error) && isnan(s.r->values[0].lo));
  CHECK(!s.r->values[1].at_bound && s.r->values[1].standard_error > 0.0);
  CHECK(s.r->converged && has_note(s.r, "k is at its bound"));
  CHECK_INT(s.r->freedom, 11);
  release(&s);
}

TEST(knobs_that_only_count_together_are_not_determined) {
  static const brink_fit_knob knobs[] = {{.name = "a", .lo = 0.1, .hi = 5},
                                         {.name = "b", .lo = 0.1, .hi = 5},
                                         {.name = "x", .lo = 0.5, .hi = 2}};
  solved s = make(decay, knobs, 3, 1);
  add_decay(&s, 2.0);
  finish(&s);
  CHECK_NEAR(s.r->values[0].value * s.r->values[1].value, 2.0, 0.01);
  CHECK(s.r->values[0].undetermined && s.r->values[1].undetermined);
  CHECK(!s.r->values[2].undetermined && s.r->values[2].standard_error > 0.0);
  CHECK(has_note(s.r, "a is not determined by these data"));
  release(&s);
}

TEST(standard_deviations_that_are_too_small_are_told) {
  static const brink_fit_knob knobs[] = {{.name = "k", .lo = 0.1, .hi = 5}};
  solved s = make(decay, knobs, 1, 1);
  brink_diag diag;
  add_decay(&s, 2.0);
  CHECK(brink_fit_set_sigma(s.fit, "x", 1e-5, &diag) == BRINK_OK);
  finish(&s);
  CHECK(s.r->probability < 1e-6 && has_note(s.r, "sigma is too small"));
  release(&s);
}

TEST(after_the_end_of_a_run_its_last_values_count_and_move_with_it) {
  static const char rising[] =
      "ctc Rising is interface knob(k, top); view(x); end interface; body declarations\n"
      "state(x, real); parameter(k, real); parameter(top, real); flag(full); end declarations;\n"
      "initial x := 0.0; end initial;\n"
      "dynamics x' = k; full = x - top; end dynamics;\n"
      "event(full) positive-going stop(\"full\"); end positive-going; end event;\n"
      "assignments k : 0.5; top : 1.0; end assignments; end body; end Rising;\n";
  static const brink_fit_knob knobs[] = {{.name = "k", .lo = 0.1, .hi = 2},
                                         {.name = "top", .lo = 0.5, .hi = 3}};
  static const double t[] = {0.5, 1.0, 4.0, 5.0}, y[] = {0.4, 0.8, 1.3, 1.3};
  solved s = make(rising, knobs, 2, 1);
  brink_diag diag;
  CHECK(brink_fit_add_curve(s.fit, "x", t, y, NULL, 4, &diag) == BRINK_OK);
  CHECK(brink_fit_set_sigma(s.fit, "x", 0.1, &diag) == BRINK_OK);
  finish(&s);
  CHECK_NEAR(s.r->values[0].value, 0.8, 1e-8);
  CHECK_NEAR(s.r->values[1].value, 1.3, 1e-8);
  /* By hand: k from t = 0.5 and 1, top from two values of it. */
  CHECK_NEAR(s.r->values[0].standard_error, 0.1 / sqrt(1.25), 1e-8);
  CHECK_NEAR(s.r->values[1].standard_error, 0.1 / sqrt(2.0), 1e-8);
  CHECK(has_note(s.r, "The run stops by itself at t = 1.625; 2 measured times are later"));
  release(&s);
}

/* ---- without derivatives ---- */

TEST(a_model_without_derivatives_is_searched_and_its_intervals_are_by_differences) {
  static const char delayed[] =
      "ctc Delayed is interface knob(k); view(x); end interface; body declarations\n"
      "state(x, real); parameter(k, real); end declarations;\n"
      "initial x := 1.0; end initial;\n"
      "dynamics x' = -k*delay(x, 0.5); end dynamics;\n"
      "assignments k : 0.5; end assignments; end body; end Delayed;\n";
  static const brink_fit_knob knobs[] = {{.name = "k", .lo = 0.1, .hi = 2}};
  solved s = make(delayed, knobs, 1, 1);
  /* Until 0.5 the past is 1, and x = 1 - k t; then, by parts, 1 - k t + k^2 (t - 0.5)^2 / 2. */
  double t[8], y[8], k = 0.8;
  brink_diag diag;
  for (int j = 0; j < 8; j++) {
    double late = fmax((t[j] = 0.12 * (j + 1)) - 0.5, 0.0);
    y[j] = 1.0 - k * t[j] + 0.5 * k * k * late * late;
  }
  CHECK(brink_fit_add_curve(s.fit, "x", t, y, NULL, 8, &diag) == BRINK_OK);
  CHECK(brink_fit_set_sigma(s.fit, "x", 0.01, &diag) == BRINK_OK);
  finish(&s);
  CHECK_NEAR(s.r->values[0].value, k, 1e-5);
  double information = 0.0;
  for (int j = 0; j < 8; j++) {
    double late = fmax(t[j] - 0.5, 0.0), slope = -t[j] + k * late * late;
    information += slope * slope / 1e-4;
  }
  CHECK_NEAR(s.r->values[0].standard_error, 1.0 / sqrt(information), 1e-4 / sqrt(information));
  CHECK(!s.r->derivatives && s.r->derivative_runs == 0);
  CHECK(has_note(s.r, "There are no derivatives of runs"));
  CHECK(has_note(s.r, "by differences"));
  release(&s);
}

/* ---- what is refused ---- */

static void refuse(brink_fit_knob knob, const char *words) {
  brink_diag diag;
  brink_hsml *model = NULL;
  brink_fit *fit = NULL;
  brink_fit_def def = brink_default_fit();
  CHECK(brink_hsml_load_text(decay, &diag, &model) == BRINK_OK);
  def.model = model;
  def.knobs = &knob;
  def.nknobs = 1;
  CHECK(brink_fit_create(&def, &diag, &fit) == BRINK_ERR_ARGUMENT && fit == NULL);
  CHECK_MSG(strstr(diag.message, words) != NULL, "%s", diag.message);
  brink_hsml_destroy(model);
}

TEST(impossible_knobs_are_refused_with_the_reason) {
  refuse((brink_fit_knob){.name = "kk", .lo = 0, .hi = 1}, "'kk'");
  refuse((brink_fit_knob){.name = "k", .lo = 1, .hi = 1}, "bounds");
  refuse((brink_fit_knob){.name = "k", .lo = 0, .hi = 1, .log = true}, "logarithm");
}

TEST(data_that_cannot_be_weighed_are_refused) {
  static const brink_fit_knob knobs[] = {{.name = "a", .lo = 0.2, .hi = 0.9}};
  static const double t[] = {1.0, 2.0}, wrong[] = {-1.0, 2.0};
  solved s = make(trip, knobs, 1, 1);
  brink_diag diag;
  CHECK(brink_fit_solve(s.fit, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(strstr(diag.message, "nothing was measured") != NULL);
  CHECK(brink_fit_add_curve(s.fit, "y", t, t, NULL, 2, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_fit_add_curve(s.fit, "state_", t, t, NULL, 2, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_fit_add_curve(s.fit, "x", wrong, t, NULL, 2, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_fit_add_curve(s.fit, "x", t, t, wrong, 2, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_fit_add_events(s.fit, "ower", t, NULL, 2, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_MSG(strstr(diag.message, "did you mean 'over'") != NULL, "%s", diag.message);
  CHECK(brink_fit_set_sigma(s.fit, "x", 0.0, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_fit_add_curve(s.fit, "x", t, t, NULL, 2, &diag) == BRINK_OK);
  CHECK(brink_fit_add_curve(s.fit, "x", t, t, NULL, 2, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_fit_add_events(s.fit, "over", t, NULL, 1, &diag) == BRINK_OK);
  CHECK(brink_fit_solve(s.fit, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_MSG(strstr(diag.message, "weighed against each other") != NULL, "%s", diag.message);
  CHECK(brink_fit_set_sigma(s.fit, "over", 0.1, &diag) == BRINK_OK);
  CHECK(brink_fit_solve(s.fit, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_MSG(strstr(diag.message, "--sigma x=") != NULL, "%s", diag.message);
  release(&s);
}

/* ---- distributions ---- */

TEST(quantiles_are_those_of_tables) {
  CHECK_NEAR(brink_student_quantile(0.975, (double)INFINITY), 1.959963984540054, 1e-12);
  CHECK_NEAR(brink_student_quantile(0.975, 1.0), 12.706204736174698, 1e-9);
  CHECK_NEAR(brink_student_quantile(0.975, 5.0), 2.5705818356363155, 1e-11);
  CHECK_NEAR(brink_student_quantile(0.95, 100.0), 1.6602343260853435, 1e-11);
  CHECK_NEAR(brink_student_quantile(0.025, 5.0), -2.5705818356363155, 1e-11);
  CHECK_NEAR(brink_chi_square_above(3.841458820694124, 1.0), 0.05, 1e-12);
  CHECK_NEAR(brink_chi_square_above(18.307038053275146, 10.0), 0.05, 1e-12);
  CHECK_NEAR(brink_chi_square_above(2.0, 2.0), exp(-1.0), 1e-14);
}

int main(void) {
  RUN(a_tank_measured_without_noise_has_the_knobs_of_the_closed_form);
  RUN(the_bounces_of_a_ball_give_its_restitution_and_gravity);
  RUN(the_line_through_points_has_the_standard_errors_of_linear_regression);
  RUN(a_curve_and_a_time_together_give_what_scipy_finds);
  RUN(derivatives_of_residuals_agree_with_differences_at_a_tighter_tolerance);
  RUN(the_sum_is_the_same_function_with_and_without_derivatives);
  RUN(intervals_contain_the_truth_about_as_often_as_they_say);
  RUN(a_search_without_derivatives_finds_the_same_with_several_times_the_runs);
  RUN(a_fit_that_is_repeated_gives_the_same_numbers);
  RUN(where_an_event_appears_the_search_goes_on_without_derivatives_and_says_so);
  RUN(events_that_the_run_does_not_have_are_told_and_cost_something);
  RUN(a_knob_that_would_leave_its_bounds_stays_at_one_and_has_no_interval);
  RUN(knobs_that_only_count_together_are_not_determined);
  RUN(standard_deviations_that_are_too_small_are_told);
  RUN(after_the_end_of_a_run_its_last_values_count_and_move_with_it);
  RUN(a_model_without_derivatives_is_searched_and_its_intervals_are_by_differences);
  RUN(impossible_knobs_are_refused_with_the_reason);
  RUN(data_that_cannot_be_weighed_are_refused);
  RUN(quantiles_are_those_of_tables);
  return check_done();
}
