/* Sobol' indices of functions for which they are known in closed form, as models. */
#include "sweep/sweep_support.h"

#include "support/hsml_run.h"

/* Ishigami and Homma 1990: y = sin(a) + 7 sin(b)^2 + 0.1 c^4 sin(a), a, b, c uniform in (-pi, pi); z is its integral
 * over one second. */
static const char ishigami[] =
    HSML_MODEL("state(z, real); parameter(a, real); parameter(b, real); parameter(c, real);",
               "z := 0.0;", "z' = sin(a) + 7.0*sin(b)^2 + 0.1*c^4*sin(a);",
               "assignments a : 0.0; b : 0.0; c : 0.0; end assignments;");

static const char *const angles[] = {"a=-3.14159265358979:3.14159265358979",
                                     "b=-3.14159265358979:3.14159265358979",
                                     "c=uniform(-3.14159265358979,3.14159265358979)"};

/* Sobol' 1993: the product of (|4 k_i - 2| + a_i)/(1 + a_i), k_i uniform in (0, 1), as an initial value. */
static const char g_function[] =
    HSML_MODEL("state(z, real); parameter(a, real); parameter(b, real); parameter(c, real);",
               "z := abs(4.0*a - 2.0)*(abs(4.0*b - 2.0) + 1.0)/2.0*(abs(4.0*c - 2.0) + 4.5)/5.5;",
               "z' = 0.0;", "assignments a : 0.5; b : 0.5; c : 0.5; end assignments;");

static const char *const unit[] = {"a=0:1", "b=0:1", "c=0:1"};

typedef struct exact {
  double first[3], total[3];
} exact;

static exact of_ishigami(void) {
  double pi = acos(-1.0), a = 7.0, b = 0.1, p4 = pow(pi, 4);
  double v1 = 0.5 * pow(1.0 + b * p4 / 5.0, 2), v2 = a * a / 8.0;
  double v13 = b * b * p4 * p4 * (1.0 / 18.0 - 1.0 / 50.0), v = v1 + v2 + v13;
  return (exact){{v1 / v, v2 / v, 0.0}, {(v1 + v13) / v, v2 / v, v13 / v}};
}

static exact of_g(void) {
  static const double a[] = {0.0, 1.0, 4.5};
  double part[3], all = 1.0;
  exact e;
  for (int k = 0; k < 3; k++) {
    part[k] = 1.0 / (3.0 * (1.0 + a[k]) * (1.0 + a[k]));
    all *= 1.0 + part[k];
  }
  for (int k = 0; k < 3; k++) {
    e.first[k] = part[k] / (all - 1.0);
    e.total[k] = part[k] * all / (1.0 + part[k]) / (all - 1.0);
  }
  return e;
}

static swept indices_of(const char *text, const char *const *vary, const char *design,
                        uint64_t samples, uint64_t seed) {
  static const char *const measures[] = {"z"};
  static const brink_sweep_option until = {"until", "1"};
  swept s = sweep_of(text);
  sweep_vary(&s, vary, 3);
  sweep_measure(&s, measures, 1);
  s.def.options = &until;
  s.def.noptions = 1;
  s.def.design = design;
  s.def.samples = samples;
  s.def.seed = seed;
  s.def.indices = true;
  return s;
}

static void check_indices(swept *s, const exact *e, double tolerance) {
  const brink_sweep_index *indices = NULL;
  size_t count = 0;
  SWEEP_FINE(s);
  CHECK(brink_sweep_get_indices(s->sweep, &indices, &count, NULL) == BRINK_OK && count == 3);
  for (size_t k = 0; k < count; k++) {
    CHECK_NEAR(indices[k].first, e->first[k], tolerance);
    CHECK_NEAR(indices[k].total, e->total[k], tolerance);
    CHECK(indices[k].first_lo <= indices[k].first && indices[k].first <= indices[k].first_hi);
    CHECK(indices[k].total_lo <= indices[k].total && indices[k].total <= indices[k].total_hi);
    CHECK(indices[k].samples == s->def.samples);
  }
}

TEST(indices_of_the_ishigami_function) {
  exact e = of_ishigami();
  swept s = indices_of(ishigami, angles, NULL, 2048, 1),
        r = indices_of(ishigami, angles, "random", 2048, 1);
  check_indices(&s, &e, 0.01);
  sweep_end(&s);
  check_indices(&r, &e, 0.14); /* four times the spread of such estimates */
  sweep_end(&r);
}

TEST(indices_of_the_g_function) {
  exact e = of_g();
  swept s = indices_of(g_function, unit, "sobol", 2048, 1),
        l = indices_of(g_function, unit, "lhs", 2048, 3);
  check_indices(&s, &e, 0.01);
  sweep_end(&s);
  check_indices(&l, &e, 0.08);
  sweep_end(&l);
}

/* Of 40 repetitions with 6 intervals each, 95 % are right: 228 of 240. That 210 or fewer are has a probability below 1e-4,
 * even though the six are not independent. */
TEST(confidence_intervals_hold_the_truth_as_often_as_they_say) {
  exact e = of_g();
  size_t right = 0, all = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    const brink_sweep_index *indices;
    size_t count;
    swept s = indices_of(g_function, unit, "random", 300, seed);
    SWEEP_FINE(&s);
    CHECK(brink_sweep_get_indices(s.sweep, &indices, &count, NULL) == BRINK_OK);
    for (size_t k = 0; k < count; k++, all += 2) {
      right += indices[k].first_lo <= e.first[k] && e.first[k] <= indices[k].first_hi;
      right += indices[k].total_lo <= e.total[k] && e.total[k] <= indices[k].total_hi;
    }
    sweep_end(&s);
  }
  CHECK_MSG(all == 240 && right > 210, "%zu of %zu", right, all);
}

/* Runs fail where a is above 2.9: their samples are left out, and counted. */
TEST(samples_with_a_run_that_failed_are_left_out) {
  static const char text[] = HSML_MODEL(
      "state(z, real, (0.0, 2.9)); parameter(a, real); parameter(b, real); parameter(c, real);",
      "z := 0.0;", "z' = a + 0.0*b + 0.0*c;",
      "assignments a : 0.0; b : 0.0; c : 0.0; end assignments;");
  static const char *const vary[] = {"a=0:3.1", "b=0:1", "c=0:1"};
  const brink_sweep_index *indices;
  size_t count;
  swept s = indices_of(text, vary, NULL, 256, 1);
  SWEEP_FINE(&s);
  CHECK(brink_sweep_get_indices(s.sweep, &indices, &count, NULL) == BRINK_OK && count == 3);
  CHECK(brink_sweep_result(s.sweep).failed > 10);
  CHECK(indices[0].samples > 180 && indices[0].samples < 256);
  CHECK_NEAR(indices[0].total, 1.0, 0.1);
  CHECK(indices[1].total == 0.0 && indices[1].first == 0.0);
  sweep_end(&s);
}

TEST(indices_need_a_measure_and_a_complete_sweep) {
  const brink_sweep_index *indices;
  size_t count;
  swept s = indices_of(g_function, unit, NULL, 16, 1);
  s.def.nmeasures = 0;
  CHECK(sweep_go(&s) == BRINK_ERR_ARGUMENT && strstr(s.diag.message, "--measure") != NULL);
  s.def.nmeasures = 1;
  s.def.model = &s.model;
  CHECK(brink_sweep_create(&s.def, &s.diag, &s.sweep) == BRINK_OK);
  CHECK(brink_sweep_get_indices(s.sweep, &indices, &count, NULL) == BRINK_ERR_ARGUMENT);
  sweep_end(&s);
  s.def.indices = false;
  SWEEP_FINE(&s);
  CHECK(brink_sweep_get_indices(s.sweep, &indices, &count, NULL) == BRINK_ERR_ARGUMENT);
  sweep_end(&s);
}

int main(void) {
  RUN(indices_of_the_ishigami_function);
  RUN(indices_of_the_g_function);
  RUN(confidence_intervals_hold_the_truth_as_often_as_they_say);
  RUN(samples_with_a_run_that_failed_are_left_out);
  RUN(indices_need_a_measure_and_a_complete_sweep);
  return check_done();
}
