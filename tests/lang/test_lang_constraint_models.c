/* test_lang_constraint_models.c: mechanisms, circuits, networks and clutches with constraints, by several methods.
 *
 * Each file in tests/lang/constraints says in its comments what must come out (support/expect.h): answers in minimal
 * coordinates by another solver at a far tighter tolerance, or closed forms. They were written from the documentation
 * alone. Interpreted: tests/lang/dae compares the interpreter with machine code. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "support/expect.h"
#include "support/formats.h"
#include "support/hsml_run.h"

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

/* ---- the same events, whatever the end, the tolerance and the method are ---- */

static unsigned drawn = 1;

static double draw(double from, double to) { /* Knuth's linear congruences: any numbers do */
  drawn = drawn * 1664525u + 1013904223u;
  return from + (to - from) * (double)(drawn >> 8) / (double)(1u << 24);
}

static hsml_run *simulate(const char *text, brink_method method, double rtol, double until) {
  hsml_wishes wishes = hsml_default(rtol);
  wishes.options.method = method;
  hsml_run *run = hsml_open(text, &wishes);
  hsml_go(run, until);
  return run;
}

/* How many events of a flag, in one direction, there are before a time. */
static size_t count_before(const hsml_run *run, const hsml_event *like, double limit) {
  size_t count = 0;
  for (size_t k = 0; k < run->nevents; k++) {
    const hsml_event *event = &run->events[k];
    count += event->t < limit && event->direction == like->direction &&
             strcmp(event->name, like->name) == 0;
  }
  return count;
}

static void compare(const char *name, const hsml_run *one, const hsml_run *other, double limit,
                    const char *how) {
  for (size_t k = 0; k < one->nevents; k++) {
    const hsml_event *event = &one->events[k];
    size_t a = count_before(one, event, limit), b = count_before(other, event, limit);
    CHECK_MSG(event->t >= limit || a == b, "%s, %s: %zu events of %s, and %zu", name, how, a,
              event->name, b);
  }
}

TEST(events_do_not_depend_on_the_end_the_tolerance_and_the_method) {
  static const brink_method methods[] = {BRINK_TAYLOR, BRINK_ADAMS, BRINK_DOPRI, BRINK_BDF};
  size_t count, length;
  char **names = list_directory(DIRECTORY, ".hsml", &count), path[1024], how[64];
  for (size_t k = 0; k < count; k++) {
    snprintf(path, sizeof path, "%s/%s", DIRECTORY, names[k]);
    char *text = read_whole_file(path, &length);
    const char *line = text != NULL ? strstr(text, "% run: until ") : NULL;
    double until = line != NULL ? strtod(line + strlen("% run: until "), NULL) : 0.0;
    hsml_run *exact = simulate(text, BRINK_TAYLOR, 1e-10, until);
    for (int trial = 0; trial < 2 && exact->status >= 0; trial++) {
      double end = until * draw(0.5, 1.0), rtol = pow(10.0, draw(-9.0, -5.0));
      brink_method method = methods[(int)draw(0.0, 4.0)];
      double limit = end - fmax(1e-3 * until, 1e4 * rtol);
      snprintf(how, sizeof how, "%s at %.3g to %.4g", brink_method_name(method), rtol, end);
      hsml_run *other = simulate(text, method, rtol, end);
      CHECK_MSG(other->status >= 0, "%s, %s: %s", names[k], how, other->diag.message);
      if (other->status >= 0) {
        compare(names[k], exact, other, limit, how);
        compare(names[k], other, exact, limit, how);
      }
      hsml_close(other);
    }
    CHECK_MSG(exact->status >= 0, "%s: %s", names[k], exact->diag.message);
    hsml_close(exact);
    free(text);
    free(names[k]);
  }
  free(names);
}

int main(void) {
  RUN(every_model_does_what_it_says);
  RUN(by_adams_too);
  RUN(by_bdf_too);
  RUN(events_do_not_depend_on_the_end_the_tolerance_and_the_method);
  return check_done();
}
