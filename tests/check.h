/* check.h: the whole test harness. A test program is a list of functions with claims for names:
 *
 *     TEST(a_double_root_is_reported_once) { CHECK(...); CHECK_NEAR(x, 1.0, 1e-12); }
 *     int main(void) { RUN(a_double_root_is_reported_once); return check_done(); }
 *
 * A failed check prints its place and values and lets the test go on; the program's exit code is 1
 * if anything failed. */
#ifndef BRINK_TESTS_CHECK_H
#define BRINK_TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int check_tests_passed, check_tests_failed, check_failures_here;

#define TEST(name) static void name(void)

#define RUN(name)                                                                                  \
  do {                                                                                             \
    check_failures_here = 0;                                                                       \
    name();                                                                                        \
    if (check_failures_here == 0) {                                                                \
      check_tests_passed++;                                                                        \
    } else {                                                                                       \
      check_tests_failed++;                                                                        \
      printf("FAILED %s (%d checks)\n", #name, check_failures_here);                               \
    }                                                                                              \
  } while (0)

/* Only the first few failures of a test are printed: one cause rarely needs more. */
#define CHECK_SAY(...)                                                                             \
  do {                                                                                             \
    if (check_failures_here++ < 10) {                                                              \
      printf("%s:%d: ", __FILE__, __LINE__);                                                       \
      printf(__VA_ARGS__);                                                                         \
      printf("\n");                                                                                \
    }                                                                                              \
  } while (0)

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) CHECK_SAY("%s", #condition);                                                 \
  } while (0)

/* Like CHECK, with a message that says what was seen. */
#define CHECK_MSG(condition, ...)                                                                  \
  do {                                                                                             \
    if (!(condition)) CHECK_SAY(__VA_ARGS__);                                                      \
  } while (0)

#define CHECK_NEAR(actual, expected, tolerance)                                                    \
  do {                                                                                             \
    double check_a = (actual), check_e = (expected), check_t = (tolerance);                        \
    if (!(fabs(check_a - check_e) <= check_t))                                                     \
      CHECK_SAY("%s = %.17g, expected %.17g within %.3g (off by %.3g)", #actual, check_a, check_e, \
                check_t, check_a - check_e);                                                       \
  } while (0)

#define CHECK_INT(actual, expected)                                                                \
  do {                                                                                             \
    long long check_a = (long long)(actual), check_e = (long long)(expected);                      \
    if (check_a != check_e) CHECK_SAY("%s = %lld, expected %lld", #actual, check_a, check_e);      \
  } while (0)

#define CHECK_CONTAINS(text, part)                                                                 \
  do {                                                                                             \
    if (strstr((text), (part)) == NULL)                                                            \
      CHECK_SAY("\"%s\" does not contain \"%s\"", (text), (part));                                 \
  } while (0)

static inline int check_done(void) {
  printf("%d passed, %d failed\n", check_tests_passed, check_tests_failed);
  return check_tests_failed == 0 ? 0 : 1;
}

#endif
