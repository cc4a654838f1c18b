/* test_lang_dae.c: models with constraints, and stiff ones.
 *
 * Each file in tests/lang/dae says in its comments what must come out (support/expect.h). All are run by auto; those
 * with constraints also by every other method with a variable step. An expectation's tolerance is that of the method
 * which auto chooses: what others need more is in the table, in multiples of it (measured: taylor 0.05, adams 0.6, dopri
 * 0.8, bdf 6 at most, whose errors add up over thousands of steps). Each is run by the interpreter and by
 * machine code.
 *
 *     test_lang_dae --table [FILE...]      the differences, in tolerances of the expectations */
#include <stdlib.h>

#include "check.h"
#include "support/expect.h"
#include "support/formats.h"

#define DIRECTORY BRINK_SOURCE_DIR "/tests/lang/dae"

/* In the directory of the test, to be used again. */
static const char cache[] = "expect-cache";

enum { METHODS = 5 };
static const char *const methods[METHODS] = {"auto", "taylor", "adams", "dopri", "bdf"};

static const struct {
  const char *name;
  bool constraints;
  double widen[METHODS]; /* in the order of methods; 0: once */
} models[] = {
#define WITH true
#define WITHOUT false
    {"amplifier", WITH, {1, 1, 1, 1, 1}},
    {"clutch", WITH, {1, 1, 1, 1, 8}},
    {"clutch-hold", WITH, {1, 1, 1, 1, 8}},
    {"constant-speed", WITH, {1, 1, 1, 1, 1}},
    {"constrained-pendulum", WITH, {1, 1, 1, 1, 1}},
    {"diode-bridge", WITH, {1, 1, 1, 1, 1}},
    {"driveline", WITH, {1, 1, 1, 1, 8}},
    {"incline", WITH, {1, 1, 1, 1, 1}},
    {"landing", WITH, {1, 1, 1, 1, 1}},
    {"pendulum", WITH, {1, 1, 1, 1, 8}},
    {"slider-crank", WITH, {1, 1, 1, 1, 8}},
    {"stiff-edge", WITHOUT, {1}},
    {"stiff-kinetics", WITHOUT, {1}},
    {"stiff-melting", WITHOUT, {1}},
    {"stiff-rectifier", WITHOUT, {1}},
    {"stiff-rod", WITHOUT, {1}},
    {"string-pendulum", WITH, {1, 1, 1, 1, 1}},
    {"tanks", WITH, {1, 1, 1, 1, 1}},
    {"titration", WITH, {1, 1, 1, 1, 1}},
    {"two-pendula", WITH, {1, 1, 1, 1, 1}},
};

enum { MODELS = sizeof models / sizeof *models };

static void say(const char *text, void *user) {
  (void)user;
  CHECK_SAY("%s", text);
}

static void print(const char *text, void *user) {
  (void)user;
  printf("    %s\n", text);
}

static bool check_file(const char *name, expect_report *report) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.hsml", DIRECTORY, name);
  expect_source source = {.path = path};
  char *text = read_whole_file(path, &source.length);
  if (text == NULL) return false;
  source.text = text;
  expect_check(&source, 1, cache, report);
  free(text);
  return true;
}

static void run_model(size_t k, size_t method) {
  expect_report report = {.say = say, .method = methods[method], .widen = models[k].widen[method]};
  int before = check_failures_here;
  check_failures_here = 0; /* the first failures of every file are printed */
  bool read = check_file(models[k].name, &report);
  CHECK_MSG(read, "%s cannot be read", models[k].name);
  CHECK_MSG(report.expectations > 0, "%s expects nothing", models[k].name);
  if (report.complaints > 0) printf("    %s by %s\n", models[k].name, methods[method]);
  check_failures_here += before;
}

TEST(every_model_does_what_it_says) {
  for (size_t k = 0; k < MODELS; k++) run_model(k, 0);
}

TEST(constraints_are_met_by_every_method) {
  for (size_t k = 0; k < MODELS; k++) {
    for (size_t m = 1; m < METHODS && models[k].constraints; m++) run_model(k, m);
  }
}

TEST(every_model_is_in_the_table) {
  size_t count;
  char **names = list_directory(DIRECTORY, ".hsml", &count);
  CHECK_MSG(count == MODELS, "%zu files, %d in the table", count, (int)MODELS);
  for (size_t k = 0; k < count; k++) free(names[k]);
  free(names);
}

static void print_row(size_t k) {
  printf("%-22s", models[k].name);
  for (size_t m = 0; m < METHODS; m++) {
    expect_report report = {.say = print, .method = methods[m], .widen = 1e30};
    if (m > 0 && !models[k].constraints) break;
    check_file(models[k].name, &report);
    printf(" %9.3g%c", report.worst, report.complaints > 0 ? '!' : ' ');
    fflush(stdout);
  }
  printf("\n");
}

static int print_table(int argc, char **argv) {
  printf("%-22s", "");
  for (size_t m = 0; m < METHODS; m++) printf(" %9s ", methods[m]);
  printf("\n");
  for (size_t k = 0; k < MODELS; k++) {
    bool wanted = argc == 2;
    for (int a = 2; a < argc; a++) wanted = wanted || strcmp(argv[a], models[k].name) == 0;
    if (wanted) print_row(k);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1) return print_table(argc, argv);
  RUN(every_model_is_in_the_table);
  RUN(every_model_does_what_it_says);
  RUN(constraints_are_met_by_every_method);
  return check_done();
}
