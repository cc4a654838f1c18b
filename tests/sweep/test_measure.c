/* What is measured of a run, against closed forms: inside the long steps of Taylor series, by all methods. */
#include "sweep/sweep_support.h"

#include <stdlib.h>

#include "support/hsml_run.h"
#include "sweep/measure.h"

#define OPTION(name, value)                                                                        \
  (brink_sweep_option) {                                                                           \
    name, value                                                                                    \
  }

/* x = a sin(w t), y = cos(w t); q = x^2 is computed. */
static const char wave[] = HSML_MODEL(
    "state(x, real); state(y, real); variable(q, real); parameter(a, real); parameter(w, real);",
    "x := 0.0; y := 1.0;", "x' = a*w*y; y' = -w*x/a; q = x*x;",
    "assignments a : 1.5; w : 2.0; end assignments;");

static const char *const wave_vary[] = {"w=2:3:2"};
static const char *const wave_measures[] = {"max(x)",
                                            "min(x)",
                                            "mean(x)",
                                            "mean(q)",
                                            "max(q)",
                                            "final(x) + 0*y",
                                            "x",
                                            "max(abs(y - 0.2))",
                                            "mean(x*y^2)",
                                            "initial(y)",
                                            "m = max(x, y)",
                                            "max(x)/min(x)",
                                            "mean(time)",
                                            "max(-x - 2*time)",
                                            "-2^2 + 3*(1 - 2)/2"};

/* Checks the run with this w. */
static void check_wave(const swept *s, uint64_t row, double w, double tolerance) {
  double T = 3.0, a = 1.5;
  CHECK_NEAR(sweep_value(s, row, "max(x)"), a, tolerance);
  CHECK_NEAR(sweep_value(s, row, "min(x)"), -a, tolerance); /* w T > 3 pi / 2 */
  CHECK_NEAR(sweep_value(s, row, "mean(x)"), a * (1.0 - cos(w * T)) / (w * T), tolerance);
  CHECK_NEAR(sweep_value(s, row, "mean(q)"), a * a * (0.5 - sin(2.0 * w * T) / (4.0 * w * T)),
             2.0 * tolerance);
  CHECK_NEAR(sweep_value(s, row, "max(q)"), a * a, 4.0 * tolerance);
  CHECK_NEAR(sweep_value(s, row, "x"), a * sin(w * T), tolerance);
  CHECK(sweep_value(s, row, "x") == sweep_value(s, row, "final(x) + 0*y"));
  CHECK_NEAR(sweep_value(s, row, "max(abs(y - 0.2))"), 1.2, tolerance);
  CHECK_NEAR(sweep_value(s, row, "mean(x*y^2)"), a * (1.0 - pow(cos(w * T), 3)) / (3.0 * w * T),
             2.0 * tolerance);
  CHECK(sweep_value(s, row, "initial(y)") == 1.0);
  CHECK(sweep_value(s, row, "m") == fmax(sweep_value(s, row, "x"), cos(w * T)) ||
        fabs(sweep_value(s, row, "m") - fmax(a * sin(w * T), cos(w * T))) < tolerance);
  CHECK_NEAR(sweep_value(s, row, "max(x)/min(x)"), -1.0, 2.0 * tolerance);
  CHECK_NEAR(sweep_value(s, row, "mean(time)"), 1.5, 1e-12);
  CHECK_NEAR(sweep_value(s, row, "-2^2 + 3*(1 - 2)/2"), -5.5, 0.0);
  /* -a sin(w t) - 2 t has its largest value where -a w cos(w t) = 2 */
  double best = 0.0;
  for (int k = 0; k < 4; k++) {
    double c = acos(-2.0 / (a * w)),
           t = ((k % 2 ? -c : c) + 2.0 * acos(-1.0) * (k / 2 + k % 2)) / w;
    if (t >= 0.0 && t <= T) best = fmax(best, -a * sin(w * t) - 2.0 * t);
  }
  CHECK_NEAR(sweep_value(s, row, "max(-x - 2*time)"), best, 2.0 * tolerance);
}

TEST(extremes_and_means_are_exact_by_all_methods) {
  static const struct {
    const char *method, *step;
    double tolerance;
  } by[] = {{"taylor", NULL, 1e-8},   {"adams", NULL, 1e-7},        {"dopri", NULL, 1e-7},
            {"bdf", NULL, 2e-5},      {"rk4", "0.005", 1e-7},       {"am3", "0.005", 1e-5},
            {"bdf3", "0.005", 1e-4},  {"trapezoid", "0.002", 1e-4}, {"taylor2", "0.002", 1e-4},
            {"euler", "0.0005", 2e-2}};
  for (size_t k = 0; k < sizeof by / sizeof by[0]; k++) {
    swept s = sweep_of(wave);
    brink_sweep_option options[] = {OPTION("until", "3"), OPTION("method", by[k].method),
                                    OPTION("tolerance", "1e-9"), OPTION("step", by[k].step)};
    sweep_vary(&s, wave_vary, 1);
    sweep_measure(&s, wave_measures, sizeof wave_measures / sizeof wave_measures[0]);
    s.def.options = options;
    s.def.noptions = by[k].step != NULL ? 4 : 3;
    SWEEP_FINE(&s);
    int before = check_failures_here;
    check_wave(&s, 0, 2.0, by[k].tolerance);
    check_wave(&s, 1, 3.0, by[k].tolerance);
    CHECK_MSG(check_failures_here == before, "by %s", by[k].method);
    sweep_end(&s);
  }
}

/* The peak is at one and the same value wherever steps end: their lengths change with the tolerance. */
TEST(extremes_do_not_depend_on_where_steps_end) {
  static const char *const words[] = {"1e-4", "3e-5", "1e-6", "3e-8", "1e-10", "1e-12"};
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
    static const char *const orders[] = {"6", "12", "20", "28"};
    for (size_t j = 0; j < sizeof orders / sizeof orders[0]; j++) {
      swept s = sweep_of(wave);
      brink_sweep_option options[] = {OPTION("until", "3"), OPTION("tolerance", words[k]),
                                      OPTION("method", "taylor"), OPTION("order", orders[j])};
      sweep_vary(&s, wave_vary, 1);
      sweep_measure(&s, wave_measures, 5);
      s.def.options = options;
      s.def.noptions = 4;
      SWEEP_FINE(&s);
      double allowed = 1e-11 + 20.0 * strtod(words[k], NULL);
      CHECK_NEAR(sweep_value(&s, 0, "max(x)"), 1.5, allowed);
      CHECK_NEAR(sweep_value(&s, 0, "min(x)"), -1.5, allowed);
      CHECK_NEAR(sweep_value(&s, 0, "mean(x)"), 1.5 * (1.0 - cos(6.0)) / 6.0, allowed);
      sweep_end(&s);
    }
  }
}

/* A ball: y = 1 - g t^2/2, then bounces with v := e sqrt(2 g). */
static const char ball[] = HSML_MODEL(
    "state(y, real); state(v, real); mode(m, {\"down\", \"up\"}); variable(energy, real); "
    "parameter(e, real, (0.0, 1.0)); flag(ground, unilateral); flag(top); flag(never);",
    "y := 1.0; v := 0.0; m := \"down\";",
    "y' = v; v' = -9.81; energy = 9.81*y + v*v/2.0; ground = y; top = v; never = y - 10.0;",
    "event(ground) negative-going v := -e*v; m := \"up\"; end negative-going; end event;"
    "event(top) negative-going m := \"down\"; end negative-going; end event;"
    "assignments e : 0.5; end assignments;");

TEST(events_are_measured_before_and_after) {
  swept s = sweep_of(ball);
  static const char *const vary[] = {"e=0.5,0.8"};
  static const char *const measures[] = {"at(ground, v)",
                                         "after(ground, v)",
                                         "at(ground, energy)",
                                         "after(ground, energy)",
                                         "time(ground)",
                                         "last(ground)",
                                         "count(ground)",
                                         "count(never)",
                                         "at(never, y)",
                                         "m",
                                         "condition(ground)",
                                         "max(y)",
                                         "min(y)",
                                         "mean(y)",
                                         "first(top)"};
  brink_sweep_option options[] = {OPTION("until", "0.8"), OPTION("tolerance", "1e-10")};
  s.def.jobs = 1; /* the second run is made of the parts of the first */
  s.def.options = options;
  s.def.noptions = 2;
  sweep_vary(&s, vary, 1);
  sweep_measure(&s, measures, sizeof measures / sizeof measures[0]);
  SWEEP_FINE(&s);
  double g = 9.81, down = sqrt(2.0 * g), t = sqrt(2.0 / g);
  for (uint64_t row = 0; row < 2; row++) {
    double e = row == 0 ? 0.5 : 0.8, left = 0.8 - t;
    CHECK_NEAR(sweep_value(&s, row, "at(ground, v)"), -down, 1e-8);
    CHECK_NEAR(sweep_value(&s, row, "after(ground, v)"), e * down, 1e-8);
    CHECK_NEAR(sweep_value(&s, row, "at(ground, energy)"), g, 1e-7);
    CHECK_NEAR(sweep_value(&s, row, "after(ground, energy)"), e * e * g, 1e-7);
    CHECK_NEAR(sweep_value(&s, row, "time(ground)"), t, 1e-9);
    CHECK(sweep_value(&s, row, "time(ground)") == sweep_value(&s, row, "first(ground)"));
    CHECK(sweep_value(&s, row, "count(ground)") == 1.0);
    CHECK(sweep_value(&s, row, "count(never)") == 0.0 &&
          isnan(sweep_value(&s, row, "at(never, y)")));
    /* v changes its sign in the impact, too */
    CHECK_NEAR(sweep_value(&s, row, "first(top)"), t, 1e-9);
    CHECK_NEAR(sweep_value(&s, row, "last(top)"), row == 0 ? t + e * t : t, 1e-8);
    CHECK(sweep_value(&s, row, "count(top)") == (row == 0 ? 2.0 : 1.0));
    CHECK(strcmp(sweep_text(&s, row, "m"), row == 0 ? "down" : "up") == 0);
    CHECK_NEAR(sweep_value(&s, row, "max(y)"), 1.0, 1e-12);
    CHECK_NEAR(sweep_value(&s, row, "min(y)"), 0.0, 1e-9);
    double area = 2.0 * t / 3.0 + e * down * left * left / 2.0 - g * pow(left, 3) / 6.0;
    CHECK_NEAR(sweep_value(&s, row, "mean(y)"), area / 0.8, 1e-8);
    CHECK(sweep_value(&s, row, "condition(ground)") >= 1.0);
  }
  sweep_end(&s);
}

/* What holds for a time is what was locked then: u is 0, 0, 1, 2, 3 for half a second each. */
TEST(held_values_are_those_of_each_step) {
  static const char text[] =
      "dtc Clock is interface output(n, integer); end interface;\n"
      "  body declarations state(k, integer); sample(0.5, 0.5); end declarations;\n"
      "  initial k := 0; end initial; update k := k + 1; end update; output n = k; end output; end "
      "body;\n"
      "end Clock;\n"
      "ctc Plant is interface input(u, integer); knob(c); end interface; body\n"
      "  declarations state(x, real); parameter(c, real); variable(r, real); end declarations;\n"
      "  initial x := 0.0; end initial; dynamics x' = c*u; r = c*u; end dynamics;\n"
      "  assignments c : 1.0; end assignments; end body; end Plant;\n"
      "system Loop is body components d : Clock; p : Plant; end components;\n"
      "  connections connect(d.n, p.u); end connections;\n"
      "  simulation until : 2.25; end simulation; end body; end Loop;\n";
  swept s = sweep_of(text);
  static const char *const vary[] = {"p.c=1,2"};
  static const char *const measures[] = {"mean(p.r)", "max(p.r)", "min(p.r)", "p.x"};
  sweep_vary(&s, vary, 1);
  sweep_measure(&s, measures, 4);
  SWEEP_FINE(&s);
  for (uint64_t row = 0; row < 2; row++) {
    double c = (double)(row + 1);
    CHECK_NEAR(sweep_value(&s, row, "mean(p.r)"), c * (0.5 * (0 + 0 + 1 + 2) + 0.25 * 3) / 2.25,
               1e-12);
    CHECK_NEAR(sweep_value(&s, row, "p.x"), 2.25 * sweep_value(&s, row, "mean(p.r)"), 1e-9);
    CHECK_NEAR(sweep_value(&s, row, "max(p.r)"), 3.0 * c, 0.0);
    CHECK_NEAR(sweep_value(&s, row, "min(p.r)"), 0.0, 0.0);
  }
  sweep_end(&s);
}

/* Backwards: the same wave from 3 to 0 starts at x(3) = 0. */
TEST(time_may_run_backwards) {
  swept s = sweep_of(wave);
  brink_sweep_option options[] = {OPTION("from", "3"), OPTION("until", "0"),
                                  OPTION("tolerance", "1e-9")};
  sweep_vary(&s, wave_vary, 1);
  sweep_measure(&s, wave_measures, 4);
  s.def.options = options;
  s.def.noptions = 3;
  SWEEP_FINE(&s);
  CHECK_NEAR(sweep_value(&s, 0, "max(x)"), 1.5, 1e-7);
  CHECK_NEAR(sweep_value(&s, 0, "mean(x)"), -1.5 * (1.0 - cos(6.0)) / 6.0, 1e-7);
  CHECK(sweep_value(&s, 0, "t") == 0.0);
  sweep_end(&s);
}

TEST(wrong_words_are_shown) {
  static const struct {
    const char *text, *word;
  } wrong[] = {{"", "name or a number"},
               {"max(", "name or a number"},
               {"max(x", "over time, or two"},
               {"x +", "name or a number"},
               {"x y", "left over"},
               {"median(x)", "no such function"},
               {"mean(max(x))", "inside"},
               {"at(ground)", "a flag and"},
               {"at(3, x)", "name of a flag"},
               {"count(ground, y)", "')'"},
               {"(x", "')'"},
               {"max(mean(x))", "or two numbers"},
               {"a = ", "name or a number"},
               {"min(x, )", "name or a number"},
               {"z", "there is no 'z'"},
               {"count(nobody)", "no flag 'nobody'"},
               {"max(m)", "is a text"},
               {"m + 1", "is a text"}};
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    swept s = sweep_of(ball);
    static const char *const vary[] = {"e=0.5,0.8"};
    const char *measures[] = {wrong[k].text};
    sweep_vary(&s, vary, 1);
    sweep_measure(&s, measures, 1);
    brink_sweep_option until = OPTION("until", "0.8");
    s.def.options = &until;
    s.def.noptions = 1;
    brink_status status = sweep_go(&s);
    CHECK_MSG(status == BRINK_ERR_ARGUMENT && strstr(s.diag.message, wrong[k].word) != NULL,
              "%s: '%s'", wrong[k].text, status == BRINK_OK ? "accepted" : s.diag.message);
    sweep_end(&s);
  }
}

TEST(a_deep_expression_is_refused) {
  static char text[5000];
  memset(text, '(', sizeof text - 1);
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_measures measures = {.arena = &arena};
  CHECK(brink_measures_add(&measures, text, NULL) == BRINK_ERR_ARGUMENT);
  memset(text, '-', sizeof text - 1);
  CHECK(brink_measures_add(&measures, text, NULL) == BRINK_ERR_ARGUMENT);
  brink_arena_free(&arena);
}

int main(void) {
  RUN(extremes_and_means_are_exact_by_all_methods);
  RUN(extremes_do_not_depend_on_where_steps_end);
  RUN(events_are_measured_before_and_after);
  RUN(held_values_are_those_of_each_step);
  RUN(time_may_run_backwards);
  RUN(wrong_words_are_shown);
  RUN(a_deep_expression_is_refused);
  return check_done();
}
