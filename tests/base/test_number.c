/* Numbers as text: the same as printf with the fewest digits, 15 to 17, that strtod reads back. What is no number has no
 * sign. */
#include "base/base.h"
#include "check.h"

#include <stdint.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252u;

static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static void check_value(double value) {
  char expected[40], found[BRINK_DOUBLE_TEXT];
  if (isnan(value)) value = fabs(value);
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(expected, sizeof expected, "%.*g", digits, value);
    if (strtod(expected, NULL) == value) break;
  }
  brink_double_text(value, found);
  CHECK_MSG(strcmp(expected, found) == 0, "%s instead of %s", found, expected);
}

static void check_around(double value) {
  check_value(value);
  check_value(-value);
  check_value(nextafter(value, 0.0));
  check_value(nextafter(value, (double)INFINITY));
}

TEST(any_bits_are_written_as_printf_would) {
  for (int k = 0; k < 100000; k++) {
    uint64_t bits = draw();
    double value;
    memcpy(&value, &bits, sizeof value);
    check_value(value);
    check_value(ldexp((double)(bits >> 11), (int)(draw() % 150) - 150));
  }
}

TEST(decimals_and_their_neighbours_are_written_as_printf_would) {
  static const double units[] = {1.0, 10.0, 1e3, 1e5, 1e6, 1e9, 3.0, 7.0};
  for (int k = 0; k < 50000; k++) check_around((double)(draw() % 1000000000) / units[draw() % 8]);
}

TEST(powers_of_two_and_ten_are_written_as_printf_would) {
  for (int k = -1074; k < 1024; k++) check_around(ldexp(1.0, k));
  for (int k = -320; k < 309; k++) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", k);
    check_around(strtod(text, NULL));
  }
}

TEST(special_values_have_names) {
  char text[BRINK_DOUBLE_TEXT];
  CHECK(strcmp(brink_double_text(0.0, text), "0") == 0);
  CHECK(strcmp(brink_double_text(-0.0, text), "-0") == 0);
  CHECK(strcmp(brink_double_text((double)INFINITY, text), "inf") == 0);
  CHECK(strcmp(brink_double_text(-(double)INFINITY, text), "-inf") == 0);
}

int main(void) {
  RUN(any_bits_are_written_as_printf_would);
  RUN(decimals_and_their_neighbours_are_written_as_printf_would);
  RUN(powers_of_two_and_ten_are_written_as_printf_would);
  RUN(special_values_have_names);
  return check_done();
}
