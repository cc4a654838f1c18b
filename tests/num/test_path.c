/* Vector polynomials in time against their definition, evaluated term by term. */
#include "check.h"
#include "num/path.h"

enum { N = 5, PATHS = 200 };

static unsigned long long seed = 1979;
static double uniform(double low, double high) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

/* A random path of the given number of terms; its vectors live here. */
typedef struct sample {
  brink_path path;
  double x0[N], a[BRINK_PATH_ROWS][N], basis[BRINK_PATH_ROWS][BRINK_PATH_DEGREE + 1];
  int count[BRINK_PATH_ROWS];
} sample;

static void make(sample *s, int terms) {
  for (int i = 0; i < N; i++) s->x0[i] = uniform(-2.0, 2.0);
  brink_path_begin(&s->path, uniform(-5.0, 5.0), uniform(0.01, 2.0), N, s->x0);
  for (int l = 0; l < terms; l++) {
    s->count[l] = 2 + l % (BRINK_PATH_LENGTH - 1);
    s->basis[l][0] = 0.0; /* B_l(0) = 0 */
    for (int k = 1; k < s->count[l]; k++) s->basis[l][k] = uniform(-1.0, 1.0);
    for (int i = 0; i < N; i++) s->a[l][i] = uniform(-1.0, 1.0);
    brink_path_add(&s->path, s->a[l], s->basis[l], s->count[l]);
  }
  for (int k = 0; k <= BRINK_PATH_LENGTH; k++) s->path.margin[k] = k == 0 ? 0.0 : uniform(0.0, 1.0);
}

/* B_l(sigma) and x_i(sigma), by powers. */
static double basis_at(const sample *s, int l, double sigma) {
  double sum = 0.0;
  for (int k = 0; k < s->count[l]; k++) sum += s->basis[l][k] * pow(sigma, k);
  return sum;
}
static double component(const sample *s, int i, double sigma) {
  double sum = s->x0[i];
  for (int l = 0; l < s->path.terms; l++) sum += s->a[l][i] * basis_at(s, l, sigma);
  return sum;
}
static double polynomial(const double *c, int degree, double sigma) {
  double sum = 0.0;
  for (int k = degree; k >= 0; k--) sum = sum * sigma + c[k];
  return sum;
}

TEST(a_path_without_terms_stays_where_it_is) {
  sample s;
  make(&s, 0);
  double x[N];
  brink_path_eval(&s.path, 0.7, x);
  for (int i = 0; i < N; i++) CHECK(x[i] == s.x0[i]);
  CHECK_INT(s.path.degree, 0);
}

TEST(values_of_a_path_are_those_of_its_definition) {
  for (int n = 0; n < PATHS; n++) {
    sample s;
    make(&s, n % (BRINK_PATH_ROWS + 1));
    for (int j = 0; j <= 10; j++) {
      double sigma = 0.1 * j, x[N], weights[BRINK_PATH_ROWS];
      brink_path_eval(&s.path, sigma, x);
      brink_path_weights(&s.path, sigma, weights);
      for (int l = 0; l < s.path.terms; l++) CHECK_NEAR(weights[l], basis_at(&s, l, sigma), 1e-13);
      for (int i = 0; i < N; i++) {
        CHECK_NEAR(x[i], component(&s, i, sigma), 1e-12);
        CHECK(brink_path_component_at(&s.path, (size_t)i, weights) == x[i]);
      }
    }
  }
}

TEST(a_path_starts_exactly_at_its_start) {
  for (int n = 0; n < PATHS; n++) {
    sample s;
    make(&s, 1 + n % BRINK_PATH_ROWS);
    double x[N];
    brink_path_eval(&s.path, 0.0, x);
    for (int i = 0; i < N; i++) CHECK(x[i] == s.x0[i]);
  }
}

TEST(a_component_is_a_polynomial_with_the_same_values) {
  for (int n = 0; n < PATHS; n++) {
    sample s;
    make(&s, 1 + n % BRINK_PATH_ROWS);
    for (int i = 0; i < N; i++) {
      double c[BRINK_PATH_DEGREE + 1];
      brink_path_component(&s.path, (size_t)i, c);
      CHECK(c[0] == s.x0[i]);
      for (int j = 0; j <= 7; j++)
        CHECK_NEAR(polynomial(c, s.path.degree, j / 7.0), component(&s, i, j / 7.0), 1e-12);
    }
  }
}

TEST(a_combination_is_the_sum_of_its_components_without_the_start) {
  for (int n = 0; n < PATHS; n++) {
    sample s;
    make(&s, n % (BRINK_PATH_ROWS + 1));
    size_t index[3] = {4, 0, 2};
    double w[3] = {uniform(-2.0, 2.0), uniform(-2.0, 2.0), uniform(-2.0, 2.0)};
    double c[BRINK_PATH_DEGREE + 1];
    brink_path_combine(&s.path, index, w, 3, c);
    CHECK(c[0] == 0.0);
    for (int j = 0; j <= 7; j++) {
      double sigma = j / 7.0, expected = 0.0;
      for (int k = 0; k < 3; k++)
        expected += w[k] * (component(&s, (int)index[k], sigma) - s.x0[index[k]]);
      CHECK_NEAR(polynomial(c, s.path.degree, sigma), expected, 1e-11);
    }
  }
}

TEST(a_combination_of_nothing_is_zero) {
  sample s;
  make(&s, 3);
  double c[BRINK_PATH_DEGREE + 1];
  brink_path_combine(&s.path, NULL, NULL, 0, c);
  for (int k = 0; k <= s.path.degree; k++) CHECK(c[k] == 0.0);
}

TEST(the_spread_bounds_every_point_of_the_path) {
  for (int n = 0; n < PATHS; n++) {
    sample s;
    make(&s, 1 + n % BRINK_PATH_ROWS);
    for (int j = 0; j <= 200; j++) {
      double sigma = j / 200.0;
      for (int l = 0; l < s.path.terms; l++)
        CHECK(fabs(basis_at(&s, l, sigma)) <= s.path.bound[l] * (1.0 + 1e-14));
      for (int i = 0; i < N; i++)
        CHECK(fabs(component(&s, i, sigma) - s.x0[i]) <=
              brink_path_spread(&s.path, (size_t)i) + 1e-14); /* rounding of the sum with x0 */
    }
  }
}

/* A bound that is never reached would be useless: for one term with coefficients of one sign it is
 * the value at the end. */
TEST(the_spread_is_sharp_for_a_monotone_path) {
  static const double x0[1] = {1.0}, a[1] = {-3.0}, basis[] = {0.0, 1.0, 0.5};
  brink_path path;
  brink_path_begin(&path, 0.0, 1.0, 1, x0);
  brink_path_add(&path, a, basis, 3);
  CHECK_NEAR(brink_path_spread(&path, 0), 4.5, 1e-15);
}

TEST(the_rest_of_a_path_is_the_same_path_from_there_on) {
  for (int k = 0; k < PATHS; k++) {
    sample s;
    make(&s, 1 + k % BRINK_PATH_ROWS);
    brink_path rest;
    double from = uniform(0.0, 1.0), x[N], there[N], end[N];
    brink_path_eval(&s.path, from, x);
    double memory[8 * (BRINK_PATH_ROWS + 1)];
    brink_path_rest(&rest, &s.path, from, s.path.t0 + from * s.path.h, x, memory);
    CHECK_NEAR(rest.t0 + rest.h, s.path.t0 + s.path.h, 1e-14);
    for (double tau = 0.0; tau <= 1.0; tau += 0.125) {
      double sigma = from + (1.0 - from) * tau;
      brink_path_eval(&rest, tau, there);
      brink_path_eval(&s.path, sigma, end);
      for (size_t i = 0; i < N; i++) {
        CHECK_NEAR(there[i], end[i], 1e-10);
        CHECK(fabs(there[i] - x[i]) <= brink_path_spread(&rest, i) + 1e-12);
      }
    }
  }
}

TEST(a_rescaled_path_is_the_same_path_on_a_part_of_its_time) {
  static const double scales[] = {1.0, 0.5, 0.123, 1e-3, 1e-9, 1.5};
  for (int n = 0; n < PATHS; n++) {
    sample s;
    make(&s, 1 + n % BRINK_PATH_ROWS);
    s.path.e = s.x0; /* so that the margin counts */
    double scale = scales[n % 6], margin[BRINK_PATH_DEGREE + 2], whole[BRINK_PATH_DEGREE + 2];
    brink_path part = s.path;
    brink_path_rescale(&part, scale);
    brink_path_margin(&s.path, whole);
    brink_path_margin(&part, margin);
    CHECK_NEAR(part.h, s.path.h * scale, 1e-15 * s.path.h);
    CHECK(part.t0 == s.path.t0);
    CHECK_INT(part.degree, s.path.degree);
    for (int j = 0; j <= 10; j++) {
      double sigma = 0.1 * j, x[N], room = scale > 1.0 ? 1e4 : 1.0;
      brink_path_eval(&part, sigma, x);
      for (int i = 0; i < N; i++) {
        CHECK_NEAR(x[i], component(&s, i, scale * sigma), 1e-12 * room);
        CHECK(fabs(x[i] - s.x0[i]) <= brink_path_spread(&part, (size_t)i) * (1.0 + 1e-12) + 1e-15);
      }
      CHECK_NEAR(polynomial(margin, part.degree + 1, sigma),
                 polynomial(whole, part.degree + 1, scale * sigma), 1e-13 * room);
    }
  }
}

TEST(rescaling_twice_is_rescaling_once_by_the_product) {
  sample s;
  make(&s, 6);
  brink_path twice = s.path, once = s.path;
  brink_path_rescale(&twice, 0.5);
  brink_path_rescale(&twice, 0.25);
  brink_path_rescale(&once, 0.125);
  double x[N], y[N];
  brink_path_eval(&twice, 0.6, x);
  brink_path_eval(&once, 0.6, y);
  for (int i = 0; i < N; i++) CHECK(x[i] == y[i]); /* powers of two are exact */
}

/* ---- rows shared among paths ---- */

/* Row l is sigma^(l+1); worked out once, when somebody asks. */
static void powers(brink_path_rows *rows) {
  int *calls = rows->owner;
  ++*calls;
  memset(rows->c, 0, sizeof rows->c);
  for (int l = 0; l < BRINK_PATH_ROWS + 1; l++) rows->c[l][l + 1] = 1.0;
}

static void share_powers(brink_path *path, brink_path_rows *rows, const sample *s, int terms) {
  brink_path_begin(path, s->path.t0, s->path.h, N, s->x0);
  for (int l = 0; l < terms; l++)
    brink_path_share(path, rows, s->a[l], 1.0 / (l + 1), 1.0 / (l + 1), l + 1);
}

TEST(shared_rows_are_worked_out_once_and_give_the_same_path_as_own_ones) {
  static brink_path_rows rows;
  sample s;
  make(&s, 10);
  int calls = 0;
  rows = (brink_path_rows){.work_out = powers, .owner = &calls};
  brink_path shared, own;
  share_powers(&shared, &rows, &s, 10);
  brink_path_begin(&own, s.path.t0, s.path.h, N, s.x0);
  for (int l = 0; l < 10; l++) {
    double basis[BRINK_PATH_DEGREE + 1] = {0.0};
    basis[l + 1] = 1.0 / (l + 1);
    brink_path_add(&own, s.a[l], basis, l + 2);
  }
  for (size_t i = 0; i < N; i++)
    CHECK_NEAR(brink_path_spread(&shared, i), brink_path_spread(&own, i), 1e-14);
  CHECK_INT(calls, 0); /* bounds are known without */
  for (int j = 0; j <= 10; j++) {
    double x[N], y[N], c[BRINK_PATH_DEGREE + 1], d[BRINK_PATH_DEGREE + 1];
    brink_path_eval(&shared, 0.1 * j, x);
    brink_path_eval(&own, 0.1 * j, y);
    for (size_t i = 0; i < N; i++) {
      CHECK_NEAR(x[i], y[i], 1e-14);
      brink_path_component(&shared, i, c);
      brink_path_component(&own, i, d);
      for (int k = 0; k <= 10; k++) CHECK_NEAR(c[k], d[k], 1e-15);
    }
  }
  CHECK_INT(calls, 1);
}

TEST(rescaling_one_path_leaves_others_with_the_same_rows_alone) {
  static brink_path_rows rows;
  sample s;
  make(&s, 6);
  int calls = 0;
  rows = (brink_path_rows){.work_out = powers, .owner = &calls};
  brink_path one, other;
  share_powers(&one, &rows, &s, 6);
  share_powers(&other, &rows, &s, 6);
  double before[N], after[N], part[N], at[N];
  brink_path_eval(&other, 0.5, before);
  brink_path_rescale(&one, 0.25);
  brink_path_eval(&other, 0.5, after);
  for (int i = 0; i < N; i++) CHECK(before[i] == after[i]);
  brink_path_eval(&one, 1.0, part);
  brink_path_eval(&other, 0.25, at);
  for (int i = 0; i < N; i++) CHECK_NEAR(part[i], at[i], 1e-14);
}

TEST(a_copy_does_not_need_the_original_any_more) {
  static brink_path_rows rows;
  static double memory[3 * (BRINK_PATH_ROWS + 1)];
  for (int which = 0; which < 2; which++) {
    sample s;
    make(&s, 8);
    int calls = 0;
    rows = (brink_path_rows){.work_out = powers, .owner = &calls};
    brink_path shared, copy;
    share_powers(&shared, &rows, &s, 8);
    brink_path *from = which == 0 ? &s.path : &shared;
    double expected[11][N];
    for (int j = 0; j <= 10; j++) brink_path_eval(from, 0.1 * j, expected[j]);
    brink_path_copy(&copy, from, 3, memory);
    memset(s.a, 0x7f, sizeof s.a);
    memset(s.x0, 0x7f, sizeof s.x0);
    memset(&rows, 0x7f, sizeof rows);
    memset(from, 0x7f, sizeof *from);
    CHECK_INT(copy.n, 3);
    for (int j = 0; j <= 10; j++) {
      double x[3];
      brink_path_eval(&copy, 0.1 * j, x);
      for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], expected[j][i], 1e-14);
    }
  }
}

int main(void) {
  RUN(a_path_without_terms_stays_where_it_is);
  RUN(values_of_a_path_are_those_of_its_definition);
  RUN(a_path_starts_exactly_at_its_start);
  RUN(a_component_is_a_polynomial_with_the_same_values);
  RUN(a_combination_is_the_sum_of_its_components_without_the_start);
  RUN(a_combination_of_nothing_is_zero);
  RUN(the_spread_bounds_every_point_of_the_path);
  RUN(the_spread_is_sharp_for_a_monotone_path);
  RUN(the_rest_of_a_path_is_the_same_path_from_there_on);
  RUN(a_rescaled_path_is_the_same_path_on_a_part_of_its_time);
  RUN(rescaling_twice_is_rescaling_once_by_the_product);
  RUN(shared_rows_are_worked_out_once_and_give_the_same_path_as_own_ones);
  RUN(rescaling_one_path_leaves_others_with_the_same_rows_alone);
  RUN(a_copy_does_not_need_the_original_any_more);
  return check_done();
}
