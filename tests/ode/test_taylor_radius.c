/* Radius of convergence: steps that would leave it are recognised and cut, also where the terms of the
 * series say nothing: series with gaps, poles off the real axis, solutions that end at a pole, pulses.
 *
 * The answers: closed forms in long double; for the pulses adams, a hundred times as tight and with
 * small steps, or an integral that is known. */
#include "check.h"
#include "support/hsml_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double tolerances[] = {1e-4, 1e-6, 1e-9, 1e-12};

static hsml_run *simulate(const char *text, double tolerance, double end) {
  hsml_wishes wishes = hsml_default(tolerance);
  hsml_run *run = hsml_open(text, &wishes);
  hsml_go(run, end);
  CHECK_INT(run->not_finite, 0);
  CHECK_INT(hsml_stats(run)->rhs_past_guard, 0);
  return run;
}

/* ---- integrals with poles near the way ---- */

typedef struct integral {
  const char *name, *text;
  double end;
  long double value; /* of x at the end */
  double factor;     /* tolerances that the error may amount to: the number of steps, about */
} integral;

#define INTEGRAL(field) HSML_MODEL("state(x, real);", "x := 0.0;", "x' = " field ";", "")
/* The same as an autonomous system. */
#define RAMPED(start, field)                                                                       \
  HSML_MODEL("state(x, real); state(s, real);", "x := 0.0; s := " start ";",                       \
             "s' = 1.0; x' = " field ";", "")

/* Values by quadrature with 40 digits. */
static const integral integrals[] = {
    {"1/(1 + (t - 5)^8)", INTEGRAL("1.0/(1.0 + (time - 5.0)^8)"), 10.0, 2.052340648815573694258031L,
     30.0},
    {"1/(1 + (s - 5)^8)", RAMPED("0.0", "1.0/(1.0 + (s - 5.0)^8)"), 10.0,
     2.052340648815573694258031L, 30.0},
    /* from the middle of the gap: only every eighth coefficient is not zero */
    {"1/(1 + s^8) from 0", RAMPED("0.0", "1.0/(1.0 + s^8)"), 5.0, 1.026170324407786847129016L,
     30.0},
    {"1/(1 + t^8) from 0", INTEGRAL("1.0/(1.0 + time^8)"), 5.0, 1.026170324407786847129016L, 30.0},
    {"1/(1 + s^16) from 0", RAMPED("0.0", "1.0/(1.0 + s^16)"), 5.0, 1.006454542797379398702835L,
     30.0},
    {"1/(1 + s^24) from 0", RAMPED("0.0", "1.0/(1.0 + s^24)"), 5.0, 1.002861507511790790331303L,
     30.0},
    {"1/(1 + s^32) from 0", RAMPED("0.0", "1.0/(1.0 + s^32)"), 5.0, 1.00160818908397491443972L,
     30.0},
    {"sqrt(1 + s^20) - s^10 from 0", RAMPED("0.0", "sqrt(1.0 + s^20) - s^10"), 3.0,
     0.9827073031406904715229388L, 100.0},
    {"1/(1 + 25 s^2) from -1", RAMPED("-1.0", "1.0/(1.0 + 25.0*s^2)"), 2.0,
     0.5493603067780063443445088L, 30.0},
    {"tanh(20 (s - 1))", RAMPED("0.0", "tanh(20.0*(s - 1.0))"), 2.5, 0.4999999999999999997875823L,
     30.0},
    {"exp(-s^-2) from 0.05", RAMPED("0.05", "exp(-1.0/s^2)"), 1.95, 0.7077097280628786067035789L,
     30.0},
};

TEST(integrals_past_poles_and_over_gaps_are_as_good_as_the_tolerance) {
  for (size_t k = 0; k < COUNT(integrals); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      const integral *i = &integrals[k];
      hsml_run *run = simulate(i->text, tolerances[j], i->end);
      CHECK_MSG(run->status == BRINK_TIME_REACHED, "%s at %g: %s", i->name, tolerances[j],
                run->diag.message);
      double error = fabs((double)(hsml_final(run, "x") - i->value));
      CHECK_MSG(error <= i->factor * tolerances[j] * fmax(1.0, fabs((double)i->value)) + 1e-14,
                "%s at %g: off by %.3g, %.3g tolerances, in %zu steps", i->name, tolerances[j],
                error, error / tolerances[j], run->nsteps);
      CHECK_MSG(hsml_stats(run)->steps + hsml_stats(run)->rejected <= 400,
                "%s at %g: %lld steps, %lld rejected", i->name, tolerances[j],
                (long long)hsml_stats(run)->steps, (long long)hsml_stats(run)->rejected);
      hsml_close(run);
    }
}

/* ---- towards a pole ---- */

/* x' = x^2, x = 1/(1 - t): a unilateral guard before the pole is reached in time, and nothing else. */
TEST(a_guard_before_a_pole_is_reached_in_time) {
  static const struct {
    const char *text;
    long double t;
  } cases[] = {
      {HSML_MODEL("state(x, real); flag(top, unilateral);", "x := 1.0;", "x' = x^2; top = 1e3 - x;",
                  "event(top) negative-going stop(\"there\"); end negative-going; end event;"),
       1.0L - 1e-3L},
      {HSML_MODEL("state(x, real); flag(top, unilateral);", "x := 1.0;", "x' = x^2; top = 1e9 - x;",
                  "event(top) negative-going stop(\"there\"); end negative-going; end event;"),
       1.0L - 1e-9L},
      /* tan */
      {HSML_MODEL("state(x, real); flag(top, unilateral);", "x := 0.0;",
                  "x' = 1.0 + x^2; top = 1e4 - x;",
                  "event(top) negative-going stop(\"there\"); end negative-going; end event;"),
       1.57069632679522995256e0L},
      /* x' = exp(x), x = -log(1 - t) */
      {HSML_MODEL("state(x, real); flag(top, unilateral);", "x := 0.0;",
                  "x' = exp(x); top = 20.0 - x;",
                  "event(top) negative-going stop(\"there\"); end negative-going; end event;"),
       1.0L - 2.06115362243855782797e-9L},
  };
  for (size_t k = 0; k < COUNT(cases); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      hsml_run *run = simulate(cases[k].text, tolerances[j], 2.0);
      CHECK_MSG(run->status == BRINK_STOPPED, "case %zu at %g: %s", k, tolerances[j],
                run->diag.message);
      CHECK_INT(run->nevents, 1);
      double error = (double)(hsml_time(run, "top", 1) - cases[k].t);
      CHECK_MSG(fabs(error) <= 30.0 * tolerances[j] + 1e-14, "case %zu at %g: off by %.3g", k,
                tolerances[j], error);
      CHECK(run->nsteps < 400);
      hsml_close(run);
    }
}

/* Without one the run ends with an error, in a bounded number of steps, and before the pole or as close
 * to it as the tolerance tells. */
TEST(a_pole_without_a_guard_is_an_error) {
  static const char text[] = HSML_MODEL("state(x, real);", "x := 1.0;", "x' = x^2;", "");
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(text, tolerances[j], 2.0);
    CHECK_MSG(run->status < 0, "at %g: %s at t = %.17g, x = %.17g", tolerances[j],
              brink_status_text(run->status), brink_sim_time(run->sim), hsml_final(run, "x"));
    CHECK_NEAR(brink_sim_time(run->sim), 1.0, 30.0 * tolerances[j] + 1e-13);
    CHECK(hsml_final(run, "x") > 0.0);
    CHECK_MSG(hsml_stats(run)->steps + hsml_stats(run)->rejected <= 4000,
              "%lld steps, %lld rejected", (long long)hsml_stats(run)->steps,
              (long long)hsml_stats(run)->rejected);
    hsml_close(run);
  }
}

/* ---- pulses ---- */

/* A narrow pulse at an arbitrary time in a motion that is slow otherwise: without hmax, a step that
 * ends before it may be as long as the pulse is far; the pulse itself has poles at 1.234 -+ 0.01 i, which
 * every series before it knows. */
TEST(a_pulse_with_poles_is_not_stepped_over) {
  static const char text[] =
      HSML_MODEL("state(x, real); state(v, real);", "x := 0.0; v := 0.0;",
                 "v' = noevent(0.01/((time - 1.234)^2 + 1e-4)) - 0.1*x; x' = v;", "");
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(text, tolerances[j], 3.0);
    CHECK_INT(run->status, BRINK_TIME_REACHED);
    hsml_wishes tight = hsml_default(1e-2 * tolerances[j]);
    tight.options.method = BRINK_ADAMS;
    tight.options.hmax = 0.001;
    tight.no_series = true;
    hsml_run *reference = hsml_open(text, &tight);
    hsml_go(reference, 3.0);
    double within = 50.0 * tolerances[j] * 3.0 + 1e-13;
    CHECK_NEAR(hsml_final(run, "v"), hsml_final(reference, "v"), within);
    CHECK_NEAR(hsml_final(run, "x"), hsml_final(reference, "x"), within);
    hsml_close(reference);
    hsml_close(run);
  }
}

/* A smooth pulse, exp(-a (t - c)^2), that other methods see by default: far from it all terms of its
 * series are next to nothing, and beyond it f is as it was before. */
TEST(a_smooth_pulse_is_not_stepped_over) {
  static const struct {
    const char *text;
    double hmax, a;
  } cases[] = {
#define PULSE(a) "x' = exp(-" a "*(time - 1.2)^2); y' = -y;"
#define PULSED(a) HSML_MODEL("state(x, real); state(y, real);", "x := 0.0; y := 1.0;", PULSE(a), "")
      {PULSED("10.0"), 10.0, 10.0},
      {PULSED("100.0"), 10.0, 100.0},
      {PULSED("1000.0"), 10.0, 1000.0},
      {PULSED("1000.0"), 0.05, 1000.0},
      {PULSED("10000.0"), 0.01, 10000.0}};
  for (size_t k = 0; k < COUNT(cases); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      hsml_wishes wishes = hsml_default(tolerances[j]);
      wishes.options.hmax = cases[k].hmax;
      hsml_run *run = hsml_open(cases[k].text, &wishes);
      hsml_go(run, 3.0);
      CHECK_INT(run->status, BRINK_TIME_REACHED);
      double root = sqrt(cases[k].a), half = 0.88622692545275801364908374167057 / root;
      double exact = half * (erf(1.2 * root) + erf(1.8 * root));
      CHECK_MSG(fabs(hsml_final(run, "x") - exact) <= 30.0 * tolerances[j],
                "a = %g at %g, hmax %g: x = %.17g, off by %.3g, in %zu steps", cases[k].a,
                tolerances[j], cases[k].hmax, hsml_final(run, "x"), hsml_final(run, "x") - exact,
                run->nsteps);
      hsml_close(run);
    }
}

/* A plain switch inside noevent, and a pulse by min and max: not analytic, no series knows of it, be they
 * polynomials on either side. A step that ends on the other side is taken back by its defect. */
TEST(a_kink_without_a_flag_is_found_by_the_defect) {
  static const struct {
    const char *text;
    double hmax, value;
  } cases[] = {
      {INTEGRAL("noevent(max(0.0, time - 1.0))"), 10.0, 2.0},
      {INTEGRAL("noevent(max(0.0, time - 1.03))"), 0.2, 1.97 * 1.97 / 2.0},
      {RAMPED("0.0", "noevent(abs(s - 1.0))"), 10.0, 2.5},
      {RAMPED("0.0", "noevent(min(s, 2.0 - s)) + sin(s)"), 10.0, 1.0 - 0.5 + 1.9899924966004454},
      {INTEGRAL("noevent(if time > 1.03 then 1.0 else 0.0)"), 10.0, 1.97},
      {INTEGRAL("noevent(sign(time - 1.03))"), 10.0, 0.94},
      {RAMPED("0.0", "noevent(floor(s))"), 10.0, 3.0},
      /* a triangle of width 0.5 and height 1 at 2.01 */
      {RAMPED("0.0", "noevent(max(0.0, 1.0 - 4.0*abs(s - 2.01))) + 0.1*s"), 0.2, 0.25 + 0.45},
      {RAMPED("0.0", "noevent(max(0.0, 1.0 - 4.0*abs(s - 2.01))) + 0.1*sin(s)"), 0.2,
       0.25 + 0.19899924966004454},
  };
  for (size_t k = 0; k < COUNT(cases); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      hsml_wishes wishes = hsml_default(tolerances[j]);
      wishes.options.hmax = cases[k].hmax;
      hsml_run *run = hsml_open(cases[k].text, &wishes);
      hsml_go(run, 3.0);
      CHECK_MSG(run->status == BRINK_TIME_REACHED, "case %zu at %g: %s", k, tolerances[j],
                run->diag.message);
      CHECK_MSG(fabs(hsml_final(run, "x") - cases[k].value) <= 30.0 * tolerances[j],
                "case %zu at %g: x = %.17g, off by %.3g", k, tolerances[j], hsml_final(run, "x"),
                hsml_final(run, "x") - cases[k].value);
      hsml_close(run);
    }
}

/* ---- units ---- */

/* Steps of 1e-9 and of 1e9, states of 1e-200 and 1e200: coefficients neither overflow nor vanish. */
TEST(coefficients_survive_extreme_scales) {
  static const struct {
    const char *text;
    double end;
    long double value;
  } cases[] = {
      {HSML_MODEL("state(x, real);", "x := 1.0;", "x' = -1e9*x;", ""), 1e-9,
       0.367879441171442321596L},
      {HSML_MODEL("state(x, real);", "x := 1.0;", "x' = -1e-9*x;", ""), 1e9,
       0.367879441171442321596L},
      {HSML_MODEL("state(x, real);", "x := 1e200;", "x' = -x;", ""), 1.0,
       0.367879441171442321596e200L},
      {HSML_MODEL("state(x, real);", "x := 1.0;", "x' = -1e100*x;", ""), 1e-100,
       0.367879441171442321596L},
      {HSML_MODEL("state(x, real);", "x := 1e-3;", "x' = 1e9*(1.0 - x)*x;", ""), 2e-8,
       1.0L / (1.0L + 999.0L * 2.0611536224385578279659e-9L)},
  };
  for (size_t k = 0; k < COUNT(cases); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      hsml_run *run = simulate(cases[k].text, tolerances[j], cases[k].end);
      CHECK_MSG(run->status == BRINK_TIME_REACHED, "case %zu at %g: %s", k, tolerances[j],
                run->diag.message);
      double error = fabs((double)(hsml_final(run, "x") / cases[k].value - 1.0L));
      CHECK_MSG(error <= 10.0 * tolerances[j] + 1e-14, "case %zu at %g: off by %.3g", k,
                tolerances[j], error);
      hsml_close(run);
    }
}

int main(void) {
  RUN(integrals_past_poles_and_over_gaps_are_as_good_as_the_tolerance);
  RUN(a_guard_before_a_pole_is_reached_in_time);
  RUN(a_pole_without_a_guard_is_an_error);
  RUN(a_pulse_with_poles_is_not_stepped_over);
  RUN(a_smooth_pulse_is_not_stepped_over);
  RUN(a_kink_without_a_flag_is_found_by_the_defect);
  RUN(coefficients_survive_extreme_scales);
  return check_done();
}
