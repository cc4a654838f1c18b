/* test_lang_run.c: what HSML means. Each file in tests/lang/run makes one claim about the language
 * and says in its comments what must come out (support/expect.h); the answers are closed forms. Each
 * is run by the interpreter and by machine code. */
#include <stdlib.h>

#include "check.h"
#include "support/expect.h"
#include "support/formats.h"

#define DIRECTORY BRINK_SOURCE_DIR "/tests/lang/run"

/* In the directory of the test, to be used again. */
static const char cache[] = "expect-cache";

static void say(const char *text, void *user) {
  (void)user;
  CHECK_SAY("%s", text);
}

static void run_file(const char *name, const char *method) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", DIRECTORY, name);
  expect_source source = {.path = path};
  char *text = read_whole_file(path, &source.length);
  CHECK_MSG(text != NULL, "%s cannot be read", path);
  if (text == NULL) return;
  source.text = text;
  expect_report report = {.say = say, .method = method};
  expect_check(&source, 1, cache, &report);
  CHECK_MSG(report.expectations > 0, "%s expects nothing", name);
  CHECK_MSG(!report.known || report.complaints > 0, "%s is mended: remove its '%% known:'", name);
  if (report.known && report.complaints > 0) printf("known to fail: %s\n", name);
  free(text);
}

static void run_all(const char *method) {
  size_t count;
  char **names = list_directory(DIRECTORY, ".hsml", &count);
  CHECK(count >= 100);
  for (size_t k = 0; k < count; k++) {
    int before = check_failures_here;
    check_failures_here = 0; /* the first failures of every file are printed */
    run_file(names[k], method);
    check_failures_here += before;
    free(names[k]);
  }
  free(names);
}

TEST(every_model_does_what_it_says) {
  run_all(NULL);
}

TEST(no_model_means_something_else_to_another_method) {
  run_all("dopri");
}

int main(int argc, char **argv) {
  int failures = 0;
  for (int k = 1; k < argc; k++) { /* by name: those alone */
    check_failures_here = 0;
    run_file(argv[k], NULL);
    failures += check_failures_here;
  }
  if (argc > 1) return failures > 0;
  RUN(every_model_does_what_it_says);
  RUN(no_model_means_something_else_to_another_method);
  return check_done();
}
