/* Designs: every run by its number alone; shares, strata and elementary intervals are counted. */
#include "check.h"
#include "support/program.h"
#include "sweep/design.h"

#include <stdlib.h>

static brink_arena arena;

static brink_design make(const char *const *vary, size_t nvary, const char *kind, uint64_t samples,
                         uint64_t seed, bool indices) {
  brink_design design;
  brink_diag diag = {0};
  brink_design_wish wish = {.vary = vary,
                            .nvary = nvary,
                            .design = kind,
                            .samples = samples,
                            .seed = seed,
                            .indices = indices};
  CHECK_MSG(brink_design_make(&design, &arena, &wish, &diag) == BRINK_OK, "%s", diag.message);
  return design;
}

static const char *const cube[] = {"a=0:1", "b=uniform(0,1)", "c=0:1"};

TEST(a_grid_has_all_combinations_with_the_last_knob_fastest) {
  const char *vary[] = {"a=1:2:2", "b=x,y,z", "c=log:1:100:3"};
  brink_design d = make(vary, 3, NULL, 0, 1, false);
  brink_vary_value v[3];
  CHECK(d.runs == 18 && d.kind == BRINK_DESIGN_GRID);
  for (uint64_t run = 0; run < 18; run++) {
    static const char *const words[] = {"x", "y", "z"};
    static const double c[] = {1.0, 10.0, 100.0};
    brink_design_at(&d, run, v);
    CHECK(v[0].number == (run < 9 ? 1.0 : 2.0));
    CHECK(strcmp(v[1].word, words[run / 3 % 3]) == 0);
    CHECK_NEAR(v[2].number, c[run % 3], 1e-12);
  }
}

TEST(a_latin_hypercube_has_one_sample_in_each_part_of_each_knob) {
  for (size_t samples = 1; samples < 200; samples += 33) {
    brink_design d = make(cube, 3, "lhs", samples, 5, false);
    unsigned seen[3][200] = {{0}};
    for (uint64_t run = 0; run < samples; run++) {
      brink_vary_value v[3];
      brink_design_at(&d, run, v);
      for (size_t k = 0; k < 3; k++) seen[k][(size_t)(v[k].number * (double)samples)]++;
    }
    for (size_t k = 0; k < 3; k++) {
      for (size_t j = 0; j < samples; j++) CHECK(seen[k][j] == 1);
    }
  }
}

/* The first points of the sequence before it is scrambled: 1/2; 1/4, 3/4 in the first dimension, 3/4, 1/4 in the second
 * (Bratley and Fox 1988). */
TEST(direction_numbers_are_those_of_sobol) {
  uint32_t v[BRINK_SOBOL_BITS], w[BRINK_SOBOL_BITS];
  brink_sobol_directions(0, v);
  brink_sobol_directions(1, w);
  CHECK(v[0] == 0x80000000u && v[1] == 0x40000000u && w[0] == 0x80000000u && w[1] == 0xc0000000u);
  brink_sobol_directions(2, w);
  CHECK(w[0] == 0x80000000u && w[1] == 0xc0000000u && w[2] == 0x60000000u);
}

/* In one dimension 2^m points have one in each of 2^m parts; the first two dimensions together are a (0, m, 2)-net: one
 * in each box of 2^-j by 2^(j-m), scrambled or not. */
TEST(scrambled_sobol_points_have_one_in_each_elementary_interval) {
  enum { M = 8, N = 1 << M };
  for (uint64_t seed = 1; seed < 4; seed++) {
    brink_sobol sobol;
    CHECK(brink_sobol_init(&sobol, &arena, BRINK_SOBOL_DIMENSIONS, seed));
    for (size_t d = 0; d < BRINK_SOBOL_DIMENSIONS; d++) {
      unsigned seen[N] = {0};
      for (uint64_t k = 0; k < N; k++) seen[(size_t)(brink_sobol_at(&sobol, k, d) * N)]++;
      for (size_t k = 0; k < N; k++) CHECK_MSG(seen[k] == 1, "dimension %zu", d);
    }
    for (unsigned j = 0; j <= M; j++) {
      unsigned seen[N] = {0};
      for (uint64_t k = 0; k < N; k++) {
        size_t x = (size_t)(brink_sobol_at(&sobol, k, 0) * (double)(1u << j));
        size_t y = (size_t)(brink_sobol_at(&sobol, k, 1) * (double)(1u << (M - j)));
        seen[x << (M - j) | y]++;
      }
      for (size_t k = 0; k < N; k++) CHECK_MSG(seen[k] == 1, "boxes %u", j);
    }
  }
}

/* The mean of a product of all coordinates is 1/8; independent draws have an error of about 0.2/sqrt(N), the others less. */
TEST(means_converge_as_they_should) {
  static const char *const kinds[] = {"random", "lhs", "sobol"};
  static const double bounds[] = {5e-3, 5e-3, 2e-4};
  enum { N = 16384 };
  for (size_t j = 0; j < 3; j++) {
    brink_design d = make(cube, 3, kinds[j], N, 3, false);
    double sum = 0.0;
    for (uint64_t run = 0; run < N; run++) {
      brink_vary_value v[3];
      brink_design_at(&d, run, v);
      sum += v[0].number * v[1].number * v[2].number;
    }
    CHECK_NEAR(sum / N, 0.125, bounds[j]);
  }
}

TEST(normal_samples_have_their_mean_and_deviation) {
  const char *vary[] = {"k=normal(5,0.5)"};
  brink_design d = make(vary, 1, "random", 20000, 1, false);
  double sum = 0.0, squares = 0.0;
  for (uint64_t run = 0; run < 20000; run++) {
    brink_vary_value v;
    brink_design_at(&d, run, &v);
    sum += v.number - 5.0;
    squares += (v.number - 5.0) * (v.number - 5.0);
  }
  CHECK_NEAR(sum / 20000, 0.0, 4.0 * 0.5 / sqrt(20000.0));
  CHECK_NEAR(squares / 20000, 0.25, 4.0 * 0.25 * sqrt(2.0 / 20000.0));
}

TEST(seeds_give_other_samples_and_the_same_seed_the_same) {
  static const char *const kinds[] = {"random", "lhs", "sobol"};
  for (size_t j = 0; j < 3; j++) {
    brink_design a = make(cube, 3, kinds[j], 100, 1, false),
                 b = make(cube, 3, kinds[j], 100, 1, false),
                 c = make(cube, 3, kinds[j], 100, 2, false);
    size_t differ = 0;
    for (uint64_t run = 0; run < 100; run++) {
      brink_vary_value u[3], v[3], w[3];
      brink_design_at(&a, run, u);
      brink_design_at(&b, run, v);
      brink_design_at(&c, run, w);
      CHECK(u[0].number == v[0].number && u[2].number == v[2].number);
      differ += u[1].number != w[1].number;
    }
    CHECK_MSG(differ > 90, "%s: %zu of 100 differ", kinds[j], differ);
  }
}

TEST(samples_for_indices_change_one_knob_at_a_time) {
  brink_design d = make(cube, 3, "sobol", 50, 1, true);
  CHECK(d.runs == 250);
  for (uint64_t j = 0; j < 50; j++) {
    brink_vary_value a[3], b[3], one[3];
    brink_design_at(&d, 5 * j, a);
    brink_design_at(&d, 5 * j + 1, b);
    for (size_t i = 0; i < 3; i++) {
      brink_design_at(&d, 5 * j + 2 + i, one);
      for (size_t k = 0; k < 3; k++) CHECK(one[k].number == (k == i ? b[k].number : a[k].number));
    }
  }
}

TEST(a_table_of_knobs_is_read_line_by_line) {
  char folder[16];
  brink_vary_value v[3];
  program_enter(folder);
  write_file("knobs.csv", "k, phase ,n\r\n1.5,low,1\n\n2e3,\"a,b\",2\n");
  brink_design d = make(NULL, 0, "knobs.csv", 0, 1, false);
  CHECK(d.runs == 2 && d.nknobs == 3 && strcmp(d.knobs[1].name, "phase") == 0);
  brink_design_at(&d, 1, v);
  CHECK(v[0].number == 2000.0 && strcmp(v[1].word, "a,b") == 0 && v[2].number == 2.0);
  program_leave(folder);
}

TEST(what_does_not_go_together_is_refused) {
  static const char *const grid[] = {"a=1:2:3"}, *const open[] = {"a=1:2"},
                           *const twice[] = {"a=1,2", "a=3,4"};
  const struct {
    brink_design_wish wish;
    const char *word;
  } wrong[] = {{{.design = NULL}, "what is varied"},
               {{.vary = open, .nvary = 1}, "COUNT"},
               {{.vary = grid, .nvary = 1, .samples = 5}, "leave out"},
               {{.vary = grid, .nvary = 1, .design = "grid", .samples = 5}, "not for a grid"},
               {{.vary = open, .nvary = 1, .design = "lhs"}, "needs --samples"},
               {{.vary = open, .nvary = 1, .design = "latin"}, "grid, random, lhs"},
               {{.vary = twice, .nvary = 2}, "varied twice"},
               {{.vary = grid, .nvary = 1, .design = "k.csv"}, "leave out --vary"},
               {{.vary = grid, .nvary = 1, .indices = true}, "needs --samples"},
               {{.vary = grid, .nvary = 1, .design = "grid", .indices = true}, "--indices needs"}};
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    brink_design design;
    brink_diag diag = {0};
    brink_status status = brink_design_make(&design, &arena, &wrong[k].wish, &diag);
    CHECK_MSG(status == BRINK_ERR_ARGUMENT && strstr(diag.message, wrong[k].word) != NULL,
              "%zu: '%s'", k, diag.message);
  }
}

TEST(a_damaged_table_is_refused_with_its_line) {
  static const struct {
    const char *text, *word;
    brink_status status;
  } wrong[] = {{"", "no table", BRINK_ERR_ARGUMENT},
               {"k,n\n", "no line of values", BRINK_ERR_ARGUMENT},
               {"k,n\n1,2\n3\n", "knobs.csv:3: 1 values for 2 names", BRINK_ERR_ARGUMENT},
               {"k,n\n1,\n", "knobs.csv:2: a value is missing", BRINK_ERR_ARGUMENT},
               {"k,\n1,2\n", "no name", BRINK_ERR_ARGUMENT},
               {"k\n\"1\n", "quote", BRINK_ERR_ARGUMENT}};
  char folder[16];
  brink_design design;
  brink_diag diag = {0};
  brink_design_wish wish = {.design = "knobs.csv"};
  program_enter(folder);
  CHECK(brink_design_make(&design, &arena, &wish, &diag) == BRINK_ERR_FILE);
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    write_file("knobs.csv", wrong[k].text);
    brink_status status = brink_design_make(&design, &arena, &wish, &diag);
    CHECK_MSG(status == wrong[k].status && strstr(diag.message, wrong[k].word) != NULL, "%zu: '%s'",
              k, diag.message);
  }
  program_leave(folder);
}

int main(void) {
  brink_arena_init(&arena, NULL);
  RUN(a_grid_has_all_combinations_with_the_last_knob_fastest);
  RUN(a_latin_hypercube_has_one_sample_in_each_part_of_each_knob);
  RUN(direction_numbers_are_those_of_sobol);
  RUN(scrambled_sobol_points_have_one_in_each_elementary_interval);
  RUN(means_converge_as_they_should);
  RUN(normal_samples_have_their_mean_and_deviation);
  RUN(seeds_give_other_samples_and_the_same_seed_the_same);
  RUN(samples_for_indices_change_one_knob_at_a_time);
  RUN(a_table_of_knobs_is_read_line_by_line);
  RUN(what_does_not_go_together_is_refused);
  RUN(a_damaged_table_is_refused_with_its_line);
  brink_arena_free(&arena);
  return check_done();
}
