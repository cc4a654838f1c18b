/* test_lang_constraint_models.c: mechanisms, circuits, networks and clutches with constraints, by several methods.
 *
 * Each file in tests/lang/constraints says in its comments what must come out (support/expect.h): answers in minimal
 * coordinates by another solver at a far tighter tolerance, or closed forms. They were written from the documentation
 * alone. Interpreted: tests/lang/dae compares the interpreter with machine code. */
#include <stdlib.h>

#include "check.h"
#include "support/expect.h"
#include "support/formats.h"

#define DIRECTORY BRINK_SOURCE_DIR "/tests/lang/constraints"

static void say(const char *text, void *user) {
  (void)user;
  CHECK_SAY("%s", text);
}

static void run_file(const char *name, const char *method, double widen) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", DIRECTORY, name);
  expect_source source = {.path = path};
  char *text = read_whole_file(path, &source.length);
  CHECK_MSG(text != NULL, "%s cannot be read", path);
  if (text == NULL) return;
  source.text = text;
  expect_report report = {.say = say, .method = method, .widen = widen, .interpreted = true};
  expect_check(&source, 1, "expect-cache", &report);
  CHECK_MSG(report.expectations > 0, "%s expects nothing", name);
  free(text);
}

static void run_all(const char *method, double widen) {
  size_t count;
  char **names = list_directory(DIRECTORY, ".hsml", &count);
  CHECK(count >= 90);
  for (size_t k = 0; k < count; k++) {
    int before = check_failures_here;
    check_failures_here = 0; /* the first failures of every file are printed */
    run_file(names[k], method, widen);
    check_failures_here += before;
    free(names[k]);
  }
  free(names);
}

TEST(every_model_does_what_it_says) {
  run_all(NULL, 1.0);
}

TEST(by_adams_too) {
  run_all("adams", 1.0);
}

TEST(by_bdf_too) {
  run_all("bdf", 10.0); /* errors of its class */
}

int main(void) {
  RUN(every_model_does_what_it_says);
  RUN(by_adams_too);
  RUN(by_bdf_too);
  return check_done();
}
