/* Delayed signals, from C: all methods against closed forms, convergence, memory, interventions, refusals. What the
 * language has to say about them is in tests/lang/run/delay-*.hsml. */
#include "check.h"
#include "num/chebyshev.h"
#include "sim/conditions.h"
#include "support/counting.h"
#include "support/hsml_run.h"

#include <brink/sensitivity.h>
#include <math.h>
#include <string.h>

static const brink_method methods[] = {BRINK_TAYLOR, BRINK_ADAMS, BRINK_DOPRI, BRINK_BDF};
enum { METHODS = 4 };

static hsml_wishes wishes_for(brink_method method, double rtol) {
  hsml_wishes wishes = hsml_default(rtol);
  wishes.options.method = method;
  return wishes;
}

/* y' = -y(t - tau), y = 1 up to 0: sum of (-1)^k (t - (k - 1) tau)^k/k! while the bracket is positive. */
static double steps(double t, double tau) {
  double sum = 0.0, factorial = 1.0;
  for (int k = 0; t - (k - 1) * tau >= 0.0; k++) {
    if (k > 0) factorial *= -k;
    sum += pow(t - (k - 1) * tau, k) / factorial;
  }
  return sum;
}

static const char steps_text[] =
    HSML_MODEL("state(y, real); parameter(tau, real);", "y := 1.0;", "y' = -delay(y, tau);",
               "assignments tau : 1.0; end assignments;");

/* ---- polynomials ---- */

TEST(a_polynomial_through_its_values_is_itself) {
  double values[BRINK_CHEBYSHEV_LENGTH], c[BRINK_CHEBYSHEV_LENGTH], powers[BRINK_CHEBYSHEV_LENGTH];
  for (int j = 0; j < BRINK_CHEBYSHEV_LENGTH; j++) {
    double s = brink_chebyshev_point(j);
    CHECK_NEAR(s, cos(acos(-1.0) * j / BRINK_CHEBYSHEV), 1e-15);
    values[j] = 1.0 - 2.0 * s + 3.0 * pow(s, 5) - pow(s, 12);
  }
  brink_chebyshev_fit(values, c);
  brink_chebyshev_powers(c, powers);
  for (int k = 0; k < BRINK_CHEBYSHEV_LENGTH; k++) {
    double exact = k == 0 ? 1.0 : k == 1 ? -2.0 : k == 5 ? 3.0 : k == 12 ? -1.0 : 0.0;
    CHECK_NEAR(powers[k], exact, 1e-12);
  }
  for (double s = -1.0; s <= 1.0; s += 0.125)
    CHECK_NEAR(brink_chebyshev_eval(c, s), 1.0 - 2.0 * s + 3.0 * pow(s, 5) - pow(s, 12), 1e-14);
}

TEST(the_tail_of_a_smooth_function_is_its_error) {
  double values[BRINK_CHEBYSHEV_LENGTH], c[BRINK_CHEBYSHEV_LENGTH], off = 0.0;
  for (int j = 0; j < BRINK_CHEBYSHEV_LENGTH; j++) values[j] = exp(2.0 * brink_chebyshev_point(j));
  brink_chebyshev_fit(values, c);
  for (double s = -1.0; s <= 1.0; s += 0.01)
    off = fmax(off, fabs(brink_chebyshev_eval(c, s) - exp(2.0 * s)));
  CHECK(off <= brink_chebyshev_tail(c));
  CHECK(brink_chebyshev_tail(c) < 1e-6);
}

/* ---- answers ---- */

TEST(every_method_follows_the_method_of_steps) {
  for (int k = 0; k < METHODS; k++) {
    hsml_wishes wishes = wishes_for(methods[k], 1e-9);
    hsml_run *run = hsml_open(steps_text, &wishes);
    for (double t = 0.75; t < 12.0; t += 0.75) {
      hsml_go(run, t);
      CHECK_INT(run->status, BRINK_TIME_REACHED);
      CHECK_NEAR(hsml_final(run, "y"), steps(t, 1.0), 3e-8);
    }
    CHECK(run->longest <= 1.0 + 1e-12); /* no step is longer than the lag */
    hsml_close(run);
  }
}

TEST(tolerances_decide_the_error) {
  static const char text[] =
      HSML_MODEL("state(x, real);", "x := 1.2;",
                 "x' = 0.2*delay(x, 17.0)/(1 + delay(x, 17.0)^10) - 0.1*x;", "");
  for (int k = 0; k < METHODS; k++) {
    double before = INFINITY;
    for (double rtol = 1e-5; rtol > 5e-10; rtol *= 1e-2) {
      hsml_wishes wishes = wishes_for(methods[k], rtol);
      hsml_run *run = hsml_open(text, &wishes);
      hsml_go(run, 170.0);
      double off =
          fabs(hsml_final(run, "x") - 0.65564046677415064601); /* 113 bits: see the model */
      CHECK_MSG(off <= 200.0 * rtol, "%s at %g: off by %g", brink_method_name(methods[k]), rtol,
                off);
      CHECK_MSG(off <= 0.5 * before, "%s at %g: %g after %g", brink_method_name(methods[k]), rtol,
                off, before);
      before = off;
      hsml_close(run);
    }
  }
}

/* Two lags that have no common multiple: the ends of old steps do not come back. */
TEST(two_lags_do_not_multiply_steps) {
  static const char text[] =
      HSML_MODEL("state(x, real);", "x := 0.5;",
                 "x' = 1.4*sin(delay(x, 1.0)) - delay(x, sqrt(2.0)) - 0.1*x;", "");
  for (int k = 0; k < METHODS; k++) {
    hsml_wishes wishes = wishes_for(methods[k], 1e-7);
    hsml_run *run = hsml_open(text, &wishes);
    hsml_go(run, 50.0);
    size_t first = run->nsteps;
    hsml_go(run, 200.0);
    CHECK_MSG((double)(run->nsteps - first) <= 4.0 * (double)first, "%s: %zu steps, then %zu",
              brink_method_name(methods[k]), first, run->nsteps - first);
    hsml_close(run);
  }
}

/* The argument 1 - (t - 2)^2 slows down towards the jump of s at 1, touches it and turns. y' is 0 throughout. */
TEST(an_argument_that_turns_at_a_jump_does_not_crawl) {
  static const char text[] =
      HSML_MODEL("state(s, real); state(y, real); timer(jump);", "s := 0.0; y := 0.0; jump := 1.0;",
                 "s' = 0.0; y' = delay(s, time - 1.0 + (time - 2.0)^2, 3.5, 0.0);",
                 "event(jump) s := 1.0; end event;");
  for (int k = 0; k < METHODS; k++) {
    hsml_wishes wishes = wishes_for(methods[k], 1e-7);
    hsml_run *run = hsml_open(text, &wishes);
    hsml_go(run, 3.0);
    CHECK_NEAR(hsml_final(run, "y"), 0.0, 1e-9);
    CHECK_MSG(run->nsteps < 1000, "%s: %zu steps", brink_method_name(methods[k]), run->nsteps);
    hsml_close(run);
  }
}

/* ---- memory ---- */

TEST(the_past_is_forgotten) {
  counting count = {0};
  brink_allocator allocator = counting_allocator(&count);
  hsml_wishes wishes = wishes_for(BRINK_DOPRI, 1e-9);
  wishes.allocator = &allocator;
  hsml_run *run = hsml_open(HSML_MODEL("state(x, real); state(y, real);", "x := 0.0; y := 1.0;",
                                       "x' = y; y' = -x + 0.0*delay(x*y, 2.0);", ""),
                            &wishes);
  hsml_go(run, 20.0);
  long bytes = count.bytes;
  hsml_go(run, 400.0);
  CHECK_INT(run->status, BRINK_TIME_REACHED);
  CHECK_MSG(count.bytes <= 2 * bytes, "%ld bytes, then %ld", bytes, count.bytes);
  hsml_close(run);
  CHECK_INT(count.live, 0);
  CHECK_INT(count.mismatch, 0);
}

TEST(memory_that_ends_ends_the_run) {
  counting count = {0};
  brink_allocator allocator = counting_allocator(&count);
  hsml_wishes wishes = wishes_for(BRINK_DOPRI, 1e-9);
  wishes.allocator = &allocator;
  hsml_run *run = hsml_open(steps_text, &wishes);
  hsml_go(run, 0.5);
  CHECK_INT(run->status, BRINK_TIME_REACHED);
  count.fail_at = count.calls + 1;
  count.fail_on = true;
  hsml_go(run, 20.0);
  CHECK_INT(run->status, BRINK_ERR_MEMORY);
  CHECK_INT(run->diag.reason, BRINK_REASON_DELAY_MEMORY);
  hsml_close(run);
  CHECK_INT(count.live, 0);
}

/* ---- interventions ---- */

TEST(a_reset_forgets_the_past) {
  hsml_wishes wishes = wishes_for(BRINK_TAYLOR, 1e-9);
  hsml_run *run = hsml_open(steps_text, &wishes);
  hsml_go(run, 3.3);
  double first = hsml_final(run, "y");
  CHECK_INT(brink_sim_reset(run->sim, NULL), BRINK_OK);
  hsml_go(run, 3.3);
  CHECK(memcmp(&first, brink_sim_state(run->sim), sizeof first) == 0);
  hsml_close(run);
}

/* y is set to y + 1 at 0.5: y' = -1 until 1.5, from where the new values come back. */
TEST(a_state_that_is_set_comes_back) {
  for (int k = 0; k < METHODS; k++) {
    hsml_wishes wishes = wishes_for(methods[k], 1e-9);
    hsml_run *run = hsml_open(steps_text, &wishes);
    hsml_go(run, 0.5);
    double y = brink_sim_state(run->sim)[0] + 1.0;
    CHECK_INT(brink_sim_set_state(run->sim, &y, NULL), BRINK_OK);
    hsml_go(run, 1.5);
    /* y(1) = 1, then y' = -(1 - (t - 1)) */
    CHECK_NEAR(hsml_final(run, "y"), 1.0 - 0.5 + 0.125, 1e-8);
    hsml_go(run, 2.0);
    /* y' = -(2 - (t - 1)) from 1.5 to 2 */
    CHECK_NEAR(hsml_final(run, "y"), 0.625 - 3.0 * 0.5 + 0.5 * (4.0 - 2.25), 1e-8);
    hsml_close(run);
  }
}

/* A lag that is shortened by hand; one that is lengthened needs a past that nobody has kept. */
TEST(a_lag_may_be_shortened) {
  hsml_wishes wishes = wishes_for(BRINK_TAYLOR, 1e-9);
  for (int k = 0; k < 2; k++) {
    hsml_run *run = hsml_open(steps_text, &wishes);
    size_t slot = BRINK_NONE;
    for (size_t v = 0; v < run->system->nvariables; v++)
      if (strcmp(run->system->variables[v].name, "tau") == 0) slot = run->system->variables[v].base;
    hsml_go(run, 2.0);
    CHECK_INT(brink_sim_set_parameter(run->sim, slot, k == 0 ? 0.5 : 2.0, NULL), BRINK_OK);
    hsml_go(run, 2.5);
    if (k ==
        0) { /* y' = -y(t - 0.5), y = (t - 2)^2/2 + 1 - t + … on [1.5, 2]: from the closed form */
      double y = steps(2.0, 1.0), n = 1000.0;
      for (int j = 0; j < 1000; j++) y -= 0.5 / n * steps(1.5 + 0.5 * (j + 0.5) / n, 1.0);
      CHECK_NEAR(hsml_final(run, "y"), y, 1e-7);
    } else {
      CHECK_INT(run->diag.reason, BRINK_REASON_DELAY_RANGE);
    }
    hsml_close(run);
  }
}

/* ---- refusals ---- */

TEST(what_does_not_know_delays_says_so) {
  static const brink_method fixed[] = {BRINK_EULER, BRINK_TAYLOR2, BRINK_RK4,
                                       BRINK_AM3,   BRINK_BDF3,    BRINK_TRAPEZOID};
  for (size_t k = 0; k < sizeof fixed / sizeof fixed[0]; k++) {
    hsml_wishes wishes = wishes_for(fixed[k], 1e-6);
    wishes.options.step = 0.1;
    hsml_run *run = hsml_open(steps_text, &wishes);
    CHECK_INT(run->status, BRINK_ERR_UNSUPPORTED);
    CHECK(strstr(run->diag.message, "delayed signals") != NULL);
    hsml_close(run);
  }
  hsml_wishes wishes = wishes_for(BRINK_TAYLOR, 1e-6);
  hsml_run *run = hsml_open(steps_text, &wishes);
  brink_sensitivity *sensitivity;
  brink_diag diag;
  CHECK_INT(brink_sensitivity_create(run->sim, NULL, NULL, &diag, &sensitivity),
            BRINK_ERR_UNSUPPORTED);
  CHECK(strstr(diag.message, "delays") != NULL);
  brink_conditions *conditions;
  brink_conditions_def def = {.step = 0.0};
  CHECK_INT(brink_conditions_create(run->sim, &def, NULL, &diag, &conditions),
            BRINK_ERR_UNSUPPORTED);
  CHECK(strstr(diag.message, "delays") != NULL);
  hsml_close(run);
}

int main(void) {
  RUN(a_polynomial_through_its_values_is_itself);
  RUN(the_tail_of_a_smooth_function_is_its_error);
  RUN(every_method_follows_the_method_of_steps);
  RUN(tolerances_decide_the_error);
  RUN(two_lags_do_not_multiply_steps);
  RUN(an_argument_that_turns_at_a_jump_does_not_crawl);
  RUN(the_past_is_forgotten);
  RUN(memory_that_ends_ends_the_run);
  RUN(a_reset_forgets_the_past);
  RUN(a_state_that_is_set_comes_back);
  RUN(a_lag_may_be_shortened);
  RUN(what_does_not_know_delays_says_so);
  return check_done();
}
