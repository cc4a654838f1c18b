/* The words of --vary, and the values that they stand for. */
#include "check.h"
#include "sweep/vary.h"

static brink_arena arena;

static brink_vary read_words(const char *text) {
  brink_vary vary = {0};
  brink_diag diag;
  CHECK_MSG(brink_vary_read(&arena, text, &vary, &diag) == BRINK_OK, "%s: %s", text, diag.message);
  return vary;
}

TEST(a_grid_includes_both_ends) {
  brink_vary v = read_words("plant.area=1:10:100");
  CHECK(strcmp(v.name, "plant.area") == 0 && v.count == 100 && v.kind == BRINK_VARY_LINEAR);
  CHECK(brink_vary_at(&v, 0).number == 1.0 && brink_vary_at(&v, 99).number == 10.0);
  CHECK_NEAR(brink_vary_at(&v, 33).number, 4.0, 1e-14);
}

/* (k/99)*99 is not always k. */
TEST(whole_numbers_on_a_grid_are_whole) {
  for (size_t count = 2; count <= 300; count++) {
    char text[64];
    snprintf(text, sizeof text, "n=7:%zu:%zu", count + 6, count);
    brink_vary vary = read_words(text);
    for (size_t k = 0; k < count; k++)
      CHECK_MSG(brink_vary_at(&vary, k).number == (double)(7 + k), "%s: %.17g", text,
                brink_vary_at(&vary, k).number);
  }
}

TEST(a_logarithmic_grid_has_equal_ratios) {
  brink_vary v = read_words("k=log:0.1:10:51");
  CHECK(v.kind == BRINK_VARY_LOG && v.count == 51);
  CHECK(brink_vary_at(&v, 0).number == 0.1 && brink_vary_at(&v, 50).number == 10.0);
  for (size_t k = 0; k < 50; k++)
    CHECK_NEAR(brink_vary_at(&v, k + 1).number / brink_vary_at(&v, k).number, pow(100.0, 0.02),
               1e-14);
}

TEST(a_list_has_its_words_in_order) {
  brink_vary v = read_words("phase=low,high"), n = read_words("n=3,1.5,-2e3");
  CHECK(v.kind == BRINK_VARY_LIST && v.count == 2 && !v.numeric && n.numeric && n.count == 3);
  CHECK(strcmp(brink_vary_at(&v, 0).word, "low") == 0 &&
        strcmp(brink_vary_at(&v, 1).word, "high") == 0);
  CHECK(brink_vary_at(&n, 2).word == NULL && brink_vary_at(&n, 2).number == -2000.0);
  CHECK(brink_vary_quantile(&n, 0.2).number == 3.0 && brink_vary_quantile(&n, 0.9).number == -2e3);
}

TEST(ranges_without_a_count_are_distributions) {
  brink_vary v = read_words("k=2:4"), u = read_words("k=uniform(2, 4)"),
             l = read_words("k=loguniform(1,100)"), m = read_words("k=log:1:100");
  CHECK(v.count == 0 && u.count == 0 && v.kind == u.kind && l.kind == m.kind);
  CHECK_NEAR(brink_vary_quantile(&v, 0.25).number, 2.5, 1e-15);
  CHECK_NEAR(brink_vary_quantile(&u, 0.25).number, 2.5, 1e-15);
  CHECK_NEAR(brink_vary_quantile(&l, 0.5).number, 10.0, 1e-14);
  brink_vary n = read_words("k=normal(5,0.5)");
  CHECK_NEAR(brink_vary_quantile(&n, 0.5).number, 5.0, 0.0);
  CHECK_NEAR(brink_vary_quantile(&n, 0.975).number, 5.0 + 0.5 * 1.959963984540054, 1e-14);
}

/* The share below x is erfc(-x/sqrt(2))/2. */
TEST(normal_quantiles_invert_the_error_function) {
  for (double u = 1e-300; u < 0.5; u *= 1.7) {
    double x = brink_normal_quantile(u), share = 0.5 * erfc(-x * sqrt(0.5));
    CHECK_NEAR(share / u, 1.0, 1e-12 * (1.0 + x * x)); /* errors of x count x*x/2 times */
    if (u > 1e-10) CHECK_NEAR(brink_normal_quantile(1.0 - u), -x, 1e-4 * fabs(x));
  }
  CHECK_NEAR(brink_normal_quantile(0.3), -brink_normal_quantile(0.7), 1e-15);
}

TEST(what_is_wrong_is_told) {
  static const struct {
    const char *text, *word;
  } wrong[] = {{"k", "write NAME="},
               {"=1:2:3", "write NAME="},
               {"k=", "write NAME="},
               {"k=1:2:3:4", "write NAME="},
               {"k=1:b:3", "write NAME="},
               {"k=1:2:1", "from 2"},
               {"k=1:2:2.5", "whole number"},
               {"k=2:1:5", "below"},
               {"k=log:0:1:5", "above 0"},
               {"k=log:1:10:x", "COUNT"},
               {"k=uniform(1,2", "missing"},
               {"k=uniform(1)", "two numbers"},
               {"k=normal(1,0)", "deviation"},
               {"k=normal(1,inf)", "two"},
               {"k=a,,b", "write NAME="},
               {"k=1:nan:3", "write NAME="},
               {"k=1:1e999:3", "write NAME="},
               {"k=-1e308:1e308:3", "wide"},
               {"k=loguniform(-1,2)", "above 0"}};
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    brink_vary vary;
    brink_diag diag;
    brink_status status = brink_vary_read(&arena, wrong[k].text, &vary, &diag);
    CHECK_MSG(status == BRINK_ERR_ARGUMENT && strstr(diag.message, wrong[k].word) != NULL, "%s: %s",
              wrong[k].text, status == BRINK_OK ? "accepted" : diag.message);
  }
}

int main(void) {
  brink_arena_init(&arena, NULL);
  RUN(a_grid_includes_both_ends);
  RUN(whole_numbers_on_a_grid_are_whole);
  RUN(a_logarithmic_grid_has_equal_ratios);
  RUN(a_list_has_its_words_in_order);
  RUN(ranges_without_a_count_are_distributions);
  RUN(normal_quantiles_invert_the_error_function);
  RUN(what_is_wrong_is_told);
  brink_arena_free(&arena);
  return check_done();
}
