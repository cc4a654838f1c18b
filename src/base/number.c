/* number.c: numbers as text: the shortest decimal that reads back as the same double.
 *
 * What is wanted: the text of printf("%.15g"), or of "%.16g" or "%.17g" where fewer digits would read
 * back as another number. Trying them one after another costs a microsecond, and results are made of
 * numbers. For all values that people meet (1e-11 <= |v| < 1e17) a 128-bit integer holds everything
 * exactly:
 *
 *     v = m 2^e,   m < 2^53          v 10^p = m 5^p / 2^s,   s = -(e + p),   5^p < 2^63 for p <= 27
 *
 * With p = 16 - k, where 10^k <= v < 10^(k+1), the integer part of v 10^p has 17 digits, and what is
 * left says exactly how to round. A decimal reads back as v if it lies within half a unit in the last
 * place of it: with N = m 5^p, |C 2^s - N| <= 5^p / 2 (and less at the edges, see reads_back). */
#include "base/base.h"

#include <langinfo.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define TEN_16 10000000000000000u

/* v 10^p = n / 2^s */
typedef struct scaled {
  uint64_t m;
  int p, s;
  wide n;
  uint64_t five; /* 5^p */
} scaled;

static uint64_t power(uint64_t base, int exponent) {
  uint64_t product = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) product *= base;
    base *= base;
  }
  return product;
}

/* False: too large or too small for 128 bits. */
static bool scale(double value, int k, scaled *out) {
  int exponent;
  double fraction = frexp(value, &exponent);
  out->m = (uint64_t)ldexp(fraction, 53);
  out->p = 16 - k;
  if (out->p < 0 || out->p > 27) return false;
  out->five = power(5, out->p);
  out->n = (wide)out->m * out->five;
  out->s = -(exponent - 53 + out->p);
  if (out->s < 0) { /* a large integer: then p <= 4, and it fits */
    out->n <<= -out->s;
    out->five <<= -out->s;
    out->s = 0;
  }
  return out->s < 64;
}

/* n / 2^s / unit, rounded to the nearest integer, halves to even. */
static uint64_t rounded(const scaled *v, uint64_t unit) {
  uint64_t digits = (uint64_t)(v->n >> v->s) / unit;
  wide one = (wide)unit << v->s, rest = v->n - digits * one;
  bool up = 2 * rest > one || (2 * rest == one && (digits & 1) != 0);
  return digits + (up ? 1 : 0);
}

/* Does the decimal `c` 10^-p read back as v? The nearest double wins; halfway the even one. Below a
 * power of two the doubles are twice as dense. */
static bool reads_back(const scaled *v, uint64_t c) {
  wide at = (wide)c << v->s;
  bool below = at < v->n;
  wide distance = below ? v->n - at : at - v->n;
  bool dense = below && v->m == (uint64_t)1 << 52;
  wide reach = distance * (dense ? 4 : 2);
  return reach < v->five || (reach == v->five && (v->m & 1) == 0);
}

/* `digits` of them in d, the first of which stands for 10^k, as %.<digits>g writes them. */
static void write_digits(char *out, uint64_t d, int digits, int k) {
  char text[20];
  int count = digits;
  for (int i = digits - 1; i >= 0; i--, d /= 10) text[i] = (char)('0' + d % 10);
  while (count > 1 && text[count - 1] == '0') count--;
  if (k < -4 || k >= digits) {
    *out++ = text[0];
    if (count > 1) *out++ = '.';
    memcpy(out, text + 1, (size_t)(count - 1));
    out += count - 1;
    char exponent[] = {'e', k < 0 ? '-' : '+', (char)('0' + abs(k) / 10), (char)('0' + abs(k) % 10),
                       0};
    memcpy(out, exponent, sizeof exponent); /* |k| is at most 17 */
    return;
  }
  if (k < 0) {
    memcpy(out, "0.0000", 6);
    out += 1 - k;
    memcpy(out, text, (size_t)count);
    out[count] = '\0';
    return;
  }
  int before = k + 1; /* digits before the point */
  memcpy(out, text, (size_t)(count < before ? count : before));
  for (int i = count; i < before; i++) out[i] = '0';
  out += before;
  if (count > before) {
    *out++ = '.';
    memcpy(out, text + before, (size_t)(count - before));
    out += count - before;
  }
  *out = '\0';
}

/* False: not within reach of 128 bits. value > 0. */
static bool write_fast(double value, char *out) {
  int exponent;
  scaled v;
  frexp(value, &exponent);
  int k = (int)floor((exponent - 1) * 0.30102999566398120); /* or one more */
  if (!scale(value, k, &v)) return false;
  if ((v.n >> v.s) >= (wide)10 * TEN_16 && !scale(value, ++k, &v)) return false;
  for (int digits = 15; digits <= 17; digits++) {
    uint64_t unit = power(10, 17 - digits), d = rounded(&v, unit);
    if (digits < 17 && !reads_back(&v, d * unit)) continue;
    bool carried = d == power(10, digits); /* 9.99… became 10 */
    write_digits(out, carried ? d / 10 : d, digits, carried ? k + 1 : k);
    return true;
  }
  return false;
}

static void write_slowly(double value, char *out) {
  brink_plain plain = brink_plain_begin();
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, BRINK_DOUBLE_TEXT - 1, "%.*g", digits, value);
    if (strtod(out, NULL) == value) break;
  }
  brink_plain_end(&plain);
}

brink_plain brink_plain_begin(void) {
  brink_plain plain = {0};
  if (strcmp(nl_langinfo(RADIXCHAR), ".") == 0) return plain; /* nearly always */
  plain.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (plain.plain != (locale_t)0) plain.before = uselocale(plain.plain);
  return plain;
}

void brink_plain_end(const brink_plain *plain) {
  if (plain->plain == (locale_t)0) return;
  uselocale(plain->before);
  freelocale(plain->plain);
}

double brink_read_double(const char *text, char **end) {
  brink_plain plain = brink_plain_begin();
  double value = strtod(text, end);
  brink_plain_end(&plain);
  return value;
}

const char *brink_double_text(double value, char buffer[BRINK_DOUBLE_TEXT]) {
  char *out = buffer;
  double size = fabs(value);
  if (signbit(value) && !isnan(value)) *out++ = '-';
  if (size == 0.0)
    memcpy(out, "0", 2);
  else if (!(size >= 1e-11 && size < 1e17) || !write_fast(size, out))
    write_slowly(size, out);
  return buffer;
}
