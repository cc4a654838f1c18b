/* A program may have chosen a locale that writes 0,5. Models, tables, options and results have points all the same. The locale is
 * made here, by localedef; where that is not installed, nothing is tested. */
#include "check.h"
#include "sweep_support.h"

#include "base/base.h"
#include <brink/record.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

static const char definition[] =
    "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\n"
    "grouping -1\nEND LC_NUMERIC\nLC_CTYPE\ncopy \"POSIX\"\nEND LC_CTYPE\n";

static bool choose_comma(void) {
  FILE *file = fopen("comma.src", "w");
  if (file == NULL) return false;
  fputs(definition, file);
  fclose(file);
  int made = system("localedef -c -i ./comma.src -f ANSI_X3.4-1968 ./comma >/dev/null 2>&1");
  setenv("LOCPATH", ".", 1);
  if (made == -1 || setlocale(LC_ALL, "comma") == NULL) return false;
  char text[8];
  snprintf(text, sizeof text, "%.1f", 0.5);
  return strcmp(text, "0,5") == 0;
}

/* x' = -k x; tiny numbers are written by the C library. */
static const char model[] = "ctc M is\n"
                            "  interface input(u, signal); end interface;\n"
                            "  body\n"
                            "    declarations state(x, real); state(y, real); state(z, real); "
                            "parameter(k, real); end declarations;\n"
                            "    initial x := 1.5; y := 0.0; z := 0.0; end initial;\n"
                            "    dynamics x' = -k*x; y' = u; z' = 2.5e-20; end dynamics;\n"
                            "    assignments k : 0.25; u : 0.0; end assignments;\n"
                            "  end body;\n"
                            "end M;\n";

TEST(numbers_are_written_and_read_with_a_point) {
  static const double values[] = {0.5, 1.5e-300, 2.5e-20, 1.25e300, 1e17};
  static const char *const texts[] = {"0.5", "1.5e-300", "2.5e-20", "1.25e+300", "1e+17"};
  for (size_t k = 0; k < 5; k++) {
    char text[BRINK_DOUBLE_TEXT], *end;
    CHECK_MSG(strcmp(brink_double_text(values[k], text), texts[k]) == 0, "%s", text);
    CHECK(brink_read_double(texts[k], &end) == values[k] && *end == '\0');
  }
  brink_text text = {0};
  brink_text_add(&text, "%g", 0.25);
  CHECK(strcmp(text.data, "0.25") == 0);
  brink_text_free(&text);
  char own[8];
  snprintf(own, sizeof own, "%.1f", 0.5); /* the program's locale is as it was */
  CHECK(strcmp(own, "0,5") == 0);
}

TEST(a_run_has_the_same_results) {
  FILE *table = fopen("u.csv", "w");
  CHECK(table != NULL);
  fputs("time,u\n0,0.5\n1.25,1.5\n", table);
  fclose(table);
  for (int interpreted = 0; interpreted < 2; interpreted++) {
    brink_diag diag;
    brink_hsml *m = NULL;
    brink_run *run = NULL;
    brink_run_options options = brink_default_run();
    double x = 0.0, y = 0.0, z = 0.0;
    CHECK_INT(brink_hsml_load_text(model, &diag, &m), BRINK_OK);
    CHECK_INT(brink_hsml_set_text(m, "k", "0.75", &diag), BRINK_OK);
    CHECK_MSG(brink_hsml_read_inputs(m, "u.csv", false, &diag) == BRINK_OK, "%s", diag.message);
    CHECK_MSG(brink_run_option(&options, "until", "1.25", &diag) == BRINK_OK, "%s", diag.message);
    CHECK_INT(brink_run_option(&options, "tolerance", "2.5e-10", &diag), BRINK_OK);
    CHECK_NEAR(options.sim.atol, 2.5e-13, 1e-28);
    options.interpret = interpreted == 1;
    options.native = interpreted == 0;
    CHECK_INT(brink_run_create(m, &options, NULL, &diag, &run), BRINK_OK);
    CHECK_MSG(brink_run_to(run, 1.25, &diag) == BRINK_TIME_REACHED, "%s", diag.message);
    brink_run_get(run, "x", &x, &diag);
    brink_run_get(run, "y", &y, &diag);
    brink_run_get(run, "z", &z, &diag);
    CHECK_NEAR(x, 1.5 * exp(-0.75 * 1.25), 1e-9);
    CHECK_NEAR(y, 1.25, 1e-9); /* the mean of 0.5 and 1.5, for 1.25 */
    CHECK_NEAR(z, 2.5e-20 * 1.25, 1e-33);
    brink_run_destroy(run);
    brink_hsml_destroy(m);
  }
}

TEST(a_sweep_has_the_same_table) {
  static const char *const vary[] = {"k=0.25:1.25:3"}, *const measures[] = {"1.5*x", "z"};
  swept s = sweep_of(model);
  s.def.options = &(brink_sweep_option){"until", "1.5"};
  s.def.noptions = 1;
  sweep_vary(&s, vary, 1);
  sweep_measure(&s, measures, 2);
  SWEEP_FINE(&s);
  CHECK_INT(s.table.rows, 3);
  size_t k = sweep_column(&s, "k"), x = sweep_column(&s, "1.5*x"), z = sweep_column(&s, "z");
  for (size_t row = 0; row < s.table.rows; row++) {
    const double *values = s.table.values + row * s.table.ncolumns;
    CHECK_NEAR(values[k], 0.25 + 0.5 * (double)row, 0.0);
    CHECK_NEAR(values[x], 1.5 * 1.5 * exp(-values[k] * 1.5), 1e-5);
    CHECK_NEAR(values[z], 3.75e-20, 1e-33);
  }
  sweep_end(&s);
}

int main(void) {
  if (!choose_comma()) {
    puts("there is no locale with a decimal comma");
    return 0;
  }
  RUN(numbers_are_written_and_read_with_a_point);
  RUN(a_run_has_the_same_results);
  RUN(a_sweep_has_the_same_table);
  return check_done();
}
