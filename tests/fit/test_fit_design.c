/* test_fit_design.c: designs: derivatives of outcomes against differences of runs, optima against closed forms, and what is said where
 * derivatives do not do. */
#include "check.h"
#include "fit/design_parts.h"
#include "support/shot.h"

#include <math.h>
#include <string.h>

/* A shot with drag that bounces; it passes a post on its way, and has a discrete memory of how hard it hit. */
static const char bounce[] =
    "ctc Shot is\n"
    "  interface knob(angle, speed, drag); view(x, y); output(distance, signal); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real); state(y, real); state(vx, real); state(vy, real);\n"
    "      parameter(angle, real, (0.0, 1.6)); parameter(speed, real, (0.0, 100.0));\n"
    "      parameter(drag, real, (0.0, 1.0)); parameter(e, real, (0.0, 1.0));\n"
    "      flag(ground, unilateral); flag(post);\n"
    "    end declarations;\n"
    "    initial x := 0.0; y := 0.0; vx := speed*cos(angle); vy := speed*sin(angle); end initial;\n"
    "    dynamics x' = vx; y' = vy; vx' = -drag*vx; vy' = -9.81 - drag*vy;\n"
    "      ground = y; post = x - 5.0; end dynamics;\n"
    "    output distance = sqrt(x^2 + y^2); end output;\n"
    "    event(ground) negative-going vy := -e*vy; end negative-going; end event;\n"
    "    assignments angle : 0.9; speed : 11.0; drag : 0.1; e : 0.7; end assignments;\n"
    "  end body;\n"
    "end Shot;\n";

typedef struct design {
  brink_hsml *model;
  brink_fit *fit;
} design;

static design make(const char *text, const brink_fit_knob *knobs, size_t nknobs, double until,
                   const char *objective, bool maximize) {
  design d = {0};
  brink_diag diag;
  brink_run_options options = brink_default_run();
  brink_fit_def def = brink_default_fit();
  options.interpret = true;
  options.until = until;
  options.sim.rtol = 1e-11;
  options.sim.atol = 1e-13;
  CHECK(brink_hsml_load_text(text, &diag, &d.model) == BRINK_OK);
  def.model = d.model;
  def.options = &options;
  def.knobs = knobs;
  def.nknobs = nknobs;
  def.starts = 3;
  brink_status made = brink_fit_create(&def, &diag, &d.fit);
  CHECK_MSG(made == BRINK_OK, "%s", diag.message);
  made = brink_fit_set_objective(d.fit, objective, maximize, &diag);
  CHECK_MSG(made == BRINK_OK, "%s", diag.message);
  return d;
}

static void release(design *d) {
  brink_fit_destroy(d->fit);
  brink_hsml_destroy(d->model);
}

static const brink_fit_knob knobs[] = {{.name = "angle", .lo = 0.4, .hi = 1.4},
                                       {.name = "speed", .lo = 8.0, .hi = 20.0},
                                       {.name = "drag", .lo = 0.01, .hi = 0.5},
                                       {.name = "x", .lo = -1.0, .hi = 1.0}};

/* ---- derivatives ---- */

static double value_at(brink_designing *d, const double *z) {
  brink_diag diag;
  CHECK(brink_designing_visit(d, z, false, &diag) == BRINK_OK && d->here.usable);
  return d->here.value;
}

static void check_slopes(const char *text, double until, size_t nknobs, const char *expression) {
  design of = make(text, knobs, nknobs, until, expression, false);
  brink_diag diag;
  double z[4] = {0.83, 11.7, 0.13, 0.2};
  CHECK_MSG(brink_slopes_missing(of.fit) == NULL, "%s: %s", expression,
            brink_slopes_missing(of.fit));
  CHECK(brink_slopes_prepare(of.fit));
  brink_fit_worker *worker = brink_fit_worker_open(of.fit, &diag);
  CHECK(worker != NULL);
  brink_designing *d = worker->designing;
  CHECK(brink_designing_visit(d, z, true, &diag) == BRINK_OK);
  CHECK_MSG(d->here.usable && d->here.has_slopes, "%s", expression);
  double slopes[4], value = d->here.value;
  memcpy(slopes, d->here.slopes, nknobs * sizeof *slopes);
  CHECK_MSG(value_at(d, z) == value, "%s is another with derivatives", expression);
  for (size_t j = 0; j < nknobs; j++) {
    double kept = z[j], h = 1e-5;
    z[j] = kept + h;
    double above = value_at(d, z);
    z[j] = kept - h;
    double difference = (above - value_at(d, z)) / (2.0 * h);
    z[j] = kept;
    CHECK_MSG(fabs(slopes[j] - difference) <= 2e-5 * fmax(1.0, fabs(difference)),
              "d %s / d %s = %.9g, difference %.9g", expression, knobs[j].name, slopes[j],
              difference);
  }
  brink_fit_worker_close(worker);
  release(&of);
}

TEST(derivatives_of_outcomes_agree_with_differences_of_runs) {
  static const char *const expressions[] = {
      "x",
      "final(y)",
      "distance",
      "initial(vx) + initial(x*vy)",
      "first(ground)",
      "last(ground)",
      "first(post)*first(ground)",
      "at(post, y)",
      "at(ground, vy)",
      "after(ground, vy)",
      "after(ground, vy*vx) - at(ground, x^2 + y)",
      "at(post, time)",
      "at(post, y)*speed/drag",
      "sqrt(x) + exp(-y) + log(x)/log10(speed) + sin(x) - cos(y)*tan(angle) + abs(-x)",
      "asin(drag) + acos(drag) + atan(x) + sinh(y/10) + cosh(y/10) + tanh(vy)",
      "x^2 - 2^y + max(x, 3*y) + min(x, y) + time",
      "-(x - 1)^3/(speed^2)",
  };
  for (size_t k = 0; k < sizeof expressions / sizeof expressions[0]; k++)
    check_slopes(bounce, 3.5, 4, expressions[k]);
}

TEST(where_an_event_ends_the_run_values_at_the_end_move_with_it) {
  static const char *const expressions[] = {"x", "final(time)", "last(ground) + vy", "x*vx/speed"};
  for (size_t k = 0; k < sizeof expressions / sizeof expressions[0]; k++)
    check_slopes(shot, 10.0, 2, expressions[k]);
}

static void check_missing(const char *expression, const char *words) {
  design of = make(bounce, knobs, 3, 3.5, expression, false);
  const char *missing = brink_slopes_missing(of.fit);
  CHECK_MSG(missing != NULL && strstr(missing, words) != NULL, "%s: %s", expression,
            missing != NULL ? missing : "nothing is missing");
  of.fit->def.method = BRINK_FIT_DERIVATIVES;
  brink_diag diag;
  CHECK(brink_fit_solve(of.fit, &diag) == BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(diag.message, words);
  release(&of);
}

TEST(what_has_no_derivatives_is_said) {
  check_missing("max(y)", "corners");
  check_missing("x + min(y)", "corners");
  check_missing("mean(y)", "means");
  check_missing("count(ground)", "number of events");
  check_missing("floor(x)", "rounded");
  check_missing("at(post, distance)", "'distance' is computed");
  check_missing("x*e", "'e' is neither");
}

/* ---- optima ---- */

static const brink_fit_result *solve(design *d) {
  brink_diag diag;
  brink_status status = brink_fit_solve(d->fit, &diag);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return brink_fit_get(d->fit);
}

static bool has_note(const brink_fit_result *r, const char *words) {
  for (size_t k = 0; k < r->nnotes; k++)
    if (strstr(r->notes[k], words) != NULL) return true;
  return false;
}

TEST(with_derivatives_the_optimum_is_that_of_the_closed_form_with_fewer_runs) {
  design d = make(shot, knobs, 2, 10.0, "x", true);
  const brink_fit_result *r = solve(&d);
  CHECK_NEAR(r->outcome, 20.0 * 20.0 / 9.81, 1e-8);
  CHECK_NEAR(r->values[0].value, 0.7853981633974483, 1e-5);
  CHECK(r->values[1].at_bound && strcmp(r->method, "SLSQP") == 0 && r->derivatives);
  CHECK(r->derivative_runs > 0 && r->nnotes == 0);
  size_t runs = r->runs;
  release(&d);
  d = make(shot, knobs, 2, 10.0, "x", true);
  d.fit->def.method = BRINK_FIT_SEARCH;
  r = solve(&d);
  CHECK_NEAR(r->outcome, 20.0 * 20.0 / 9.81, 1e-6);
  CHECK(strcmp(r->method, "subplex") == 0 && r->derivative_runs == 0);
  CHECK_MSG(3 * runs < r->runs, "%zu and %zu runs", runs, r->runs);
  release(&d);
}

/* v sin(angle) = g/2 for a flight of a second, v cos(angle) = 10. */
TEST(conditions_hold_at_the_optimum_that_derivatives_find) {
  brink_diag diag;
  design d = make(shot, knobs, 2, 10.0, "speed", false);
  CHECK(brink_fit_add_condition(d.fit, "at(ground, x) >= 10", &diag) == BRINK_OK);
  CHECK(brink_fit_add_condition(d.fit, "first(ground) <= 1", &diag) == BRINK_OK);
  const brink_fit_result *r = solve(&d);
  CHECK(r->feasible && r->converged && strcmp(r->method, "SLSQP") == 0);
  CHECK_NEAR(r->outcome, sqrt(100.0 + 4.905 * 4.905), 1e-6);
  CHECK_NEAR(r->values[0].value, atan(0.4905), 1e-6);
  release(&d);
}

/* A ball on a table with an edge: the longer it rolls, the better, but beyond the edge it falls, and x at its end jumps. */
static const char edge[] =
    "ctc Table is\n"
    "  interface knob(push); view(x); end interface;\n"
    "  body\n"
    "    declarations state(x, real); state(v, real); parameter(push, real, (0.0, 9.0));\n"
    "      mode(m, {\"rolls\", \"falls\"}); flag(rim); end declarations;\n"
    "    initial x := 0.0; v := push; m := \"rolls\"; end initial;\n"
    "    dynamics x' = v; v' = -v; rim = x - 2.0; end dynamics;\n"
    "    event(rim) positive-going m := \"falls\"; v := -3.0; end positive-going; end event;\n"
    "    assignments push : 1.0; end assignments;\n"
    "  end body;\n"
    "end Table;\n";

TEST(where_an_event_appears_the_search_goes_on_and_says_so) {
  static const brink_fit_knob push = {.name = "push", .lo = 0.5, .hi = 5.0};
  design d = make(edge, &push, 1, 3.0, "x", true);
  const brink_fit_result *r = solve(&d);
  double best = 2.0 / (1.0 - exp(-3.0)); /* it comes to rest, as good as, at the rim */
  CHECK_NEAR(r->outcome, 2.0, 1e-4);
  CHECK_NEAR(r->values[0].value, best, 1e-4);
  CHECK_MSG(has_note(r, "went on from there"), "%s", r->method);
  CHECK_CONTAINS(r->method, "subplex");
  release(&d);
}

int main(void) {
  RUN(derivatives_of_outcomes_agree_with_differences_of_runs);
  RUN(where_an_event_ends_the_run_values_at_the_end_move_with_it);
  RUN(what_has_no_derivatives_is_said);
  RUN(with_derivatives_the_optimum_is_that_of_the_closed_form_with_fewer_runs);
  RUN(conditions_hold_at_the_optimum_that_derivatives_find);
  RUN(where_an_event_appears_the_search_goes_on_and_says_so);
  return check_done();
}
