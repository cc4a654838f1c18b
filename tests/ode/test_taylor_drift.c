/* Rounding errors of the Taylor method do not add up in one direction: the energy of the Hénon-Heiles
 * system (Hénon & Heiles 1964) at 1e-15 makes a random walk, |E - E0| ~ sqrt(n) after n steps
 * (Brouwer 1937), not a drift ~ n.
 *
 * What a random walk would give: a step rounds four states of size 0.3, each by at most 2^-54 of
 * itself or so, and the energy, with gradients of size 0.3, by about 1e-17: 1e-17 sqrt(n), that is
 * 4.5e-15 at n = 2e5 and 1e-14 at n = 1e6. What a systematic error of 1e-17 a step would give: 2e-12
 * and 1e-11, with exponent 1. Factors 1/k that are rounded once and used at every step are such an
 * error (7e-20 a step here); truncation above rounding is another. The bounds below, exponent 0.7 and
 * 5e-17 sqrt(n), are passed by no drift of more than 1e-19 a step.
 *
 * The first argument, if given, is the number of steps: 1000000 for the full length. */
#include <stdlib.h>

#include "check.h"
#include "support/hsml_run.h"

static const char henon[] =
    HSML_MODEL("state(x, real); state(y, real); state(vx, real); state(vy, real);",
               "x := 0.1; y := 0.2; vx := 0.3; vy := 0.1;",
               "x' = vx; y' = vy; vx' = -x - 2.0*x*y; vy' = -y - x^2 + y^2;", "");

enum { STARTS = 12, SAMPLES = 24, AT_A_TIME = 500 };

static long wanted = 200000; /* steps */

static long double energy(const double *s) {
  long double x = s[0], y = s[1], u = s[2], v = s[3];
  return (u * u + v * v + x * x + y * y) / 2.0L + x * x * y - y * y * y / 3.0L;
}

/* Energies away from those of the start, after 1000, 2000, 4000, … steps. Returns how many. */
static size_t follow(hsml_run *run, const double *start, double *drift, long *steps) {
  size_t count = 0;
  long next = 2 * AT_A_TIME;
  long double before = energy(start);
  CHECK_INT(brink_sim_reset(run->sim, &run->diag), BRINK_OK);
  CHECK_INT(brink_sim_set_state(run->sim, start, &run->diag), BRINK_OK);
  for (long n = AT_A_TIME; n <= wanted; n += AT_A_TIME) {
    brink_status status = brink_sim_run(run->sim, 1e9, &run->diag);
    CHECK_INT(status, BRINK_ERR_WORK); /* so many steps were taken */
    if (status != BRINK_ERR_WORK) return 0;
    if (n < next && n + AT_A_TIME <= wanted) continue;
    drift[count] = (double)(energy(brink_sim_state(run->sim)) - before);
    steps[count++] = n;
    next *= 2;
  }
  return count;
}

static double fitted_exponent(const double *size, const long *steps, size_t count) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, m = (double)count;
  for (size_t k = 0; k < count; k++) {
    double x = log((double)steps[k]), y = log(size[k]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (m * sxy - sx * sy) / (m * sxx - sx * sx);
}

TEST(the_energy_of_henon_and_heiles_makes_a_random_walk) {
  hsml_wishes wishes = hsml_default(1e-15);
  wishes.options.atol = 1e-15;
  wishes.options.audit = false;
  wishes.options.max_steps = AT_A_TIME;
  wishes.native = true;
  hsml_run *run = hsml_open(henon, &wishes);
  brink_sim_set_sink(run->sim, NULL);
  double drift[SAMPLES], rms[SAMPLES] = {0}, mean = 0.0;
  long steps[SAMPLES];
  size_t count = 0;
  for (int k = 0; k < STARTS;
       k++) { /* energies of 0.06 to 0.08: far below 1/6, where orbits escape */
    double start[] = {0.1 + 0.01 * k, 0.2 - 0.013 * k, 0.3 - 0.007 * k, 0.1 + 0.005 * k};
    count = follow(run, start, drift, steps);
    for (size_t j = 0; j < count; j++) rms[j] += drift[j] * drift[j] / STARTS;
    if (count > 0) mean += drift[count - 1] / STARTS;
  }
  hsml_close(run);
  CHECK(count > 5);
  if (count == 0) return;
  for (size_t j = 0; j < count; j++) {
    rms[j] = sqrt(rms[j]);
    CHECK_MSG(
        rms[j] <= 5e-17 * sqrt((double)steps[j]),
        "after %ld steps the energy is off by %.3g (rms), that is %.3g a step, or %.3g sqrt(n)",
        steps[j], rms[j], rms[j] / (double)steps[j], rms[j] / sqrt((double)steps[j]));
  }
  double exponent = fitted_exponent(rms, steps, count);
  CHECK_MSG(exponent <= 0.7, "|E - E0| ~ n^%.2f", exponent);
  /* The mean of so many walks is smaller than each of them by sqrt(STARTS); four times that is not. */
  CHECK_MSG(fabs(mean) <= 4.0 / sqrt(STARTS) * rms[count - 1] || fabs(mean) < 1e-15,
            "on the average the energy is off by %.3g, %.3g of the rms", mean,
            mean / rms[count - 1]);
  printf("energy off by %.2g (rms of %d starts) after %ld steps, ~ n^%.2f\n", rms[count - 1],
         STARTS, steps[count - 1], exponent);
}

int main(int argc, char **argv) {
  if (argc > 1) wanted = strtol(argv[1], NULL, 10);
  RUN(the_energy_of_henon_and_heiles_makes_a_random_walk);
  return check_done();
}
