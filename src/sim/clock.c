/* clock.c: exact tick times.
 *
 * A period of 0.1 is meant as the decimal 0.1, not as the double next to it: tick 3 of period 0.1
 * and tick 1 of period 0.3 are one instant, and after ten million ticks nothing has drifted. So
 * period and offset are read as the shortest decimals that denote their doubles, ticks are counted
 * in whole multiples of a power of ten, and each time is rounded once, at the end. */
#include "sim/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS 22 /* 10^22 is the largest power of ten that is a double */

/* value = mantissa * 10^-digits exactly as its shortest decimal says; false if it does not fit. */
static bool read_decimal(double value, int64_t *mantissa, int *digits) {
  char text[64];
  int precision = 1;
  do {
    snprintf(text, sizeof text, "%.*e", precision - 1, value);
  } while (strtod(text, NULL) != value && ++precision <= 17);
  int exponent = atoi(strchr(text, 'e') + 1);
  int64_t m = 0;
  for (const char *c = text; *c != 'e'; c++) {
    if (*c >= '0' && *c <= '9') m = m * 10 + (*c - '0');
  }
  *digits = precision - 1 - exponent;
  while (*digits > 0 && m % 10 == 0 && m != 0) {
    m /= 10;
    --*digits;
  }
  for (; *digits < 0; ++*digits) {
    if (m > INT64_MAX / 100) return false;
    m *= 10;
  }
  *mantissa = value < 0.0 ? -m : m;
  return *digits <= MAX_DIGITS;
}

static bool scale(int64_t *mantissa, int *digits, int wanted) {
  for (; *digits < wanted; ++*digits) {
    if (llabs(*mantissa) > INT64_MAX / 100) return false;
    *mantissa *= 10;
  }
  return true;
}

brink_ticks brink_ticks_make(double period, double offset) {
  brink_ticks ticks = {.offset_double = offset, .period_double = period};
  int offset_digits = 0;
  ticks.exact = read_decimal(period, &ticks.period, &ticks.digits) &&
                read_decimal(offset, &ticks.offset, &offset_digits);
  if (!ticks.exact) return ticks;
  int digits = ticks.digits > offset_digits ? ticks.digits : offset_digits;
  ticks.exact =
      scale(&ticks.period, &ticks.digits, digits) && scale(&ticks.offset, &offset_digits, digits);
  return ticks;
}

double brink_ticks_time(const brink_ticks *ticks, int64_t n) {
  int64_t product, total;
  if (!ticks->exact || __builtin_mul_overflow(n, ticks->period, &product) ||
      __builtin_add_overflow(product, ticks->offset, &total))
    return ticks->offset_double + (double)n * ticks->period_double;
  if (llabs(total) <= (int64_t)1 << 53) {
    double power = 1.0;
    for (int k = 0; k < ticks->digits; k++) power *= 10.0; /* exact up to 10^22 */
    return (double)total / power;                          /* one rounding */
  }
  char text[48];
  snprintf(text, sizeof text, "%llde-%d", (long long)total, ticks->digits);
  return strtod(text, NULL);
}
