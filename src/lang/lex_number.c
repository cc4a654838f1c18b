/* lex_number.c: numbers.
 *
 *   number = digit {digit} ["." digit {digit}] [("e" | "E") ["+" | "-"] digit {digit}]
 *
 * The value is the double nearest to the decimal, in every locale. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/lex.h"

#define NUMBER_LENGTH ((size_t)256) /* characters of a number */
#define EXPONENT_LIMIT 100000       /* beyond it every number is zero or infinite */

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static const char *skip_digits(const char *at) {
  while (is_digit(*at)) at++;
  return at;
}

/* What the scanner saw: digits without the point, and the power of ten that goes with them. */
typedef struct decimal {
  char digits[NUMBER_LENGTH + 1];
  size_t count;
  long exponent;
} decimal;

static void add_digits(decimal *d, const char *from, const char *to) {
  for (; from < to && d->count < NUMBER_LENGTH; from++)
    if (d->count > 0 || *from != '0') d->digits[d->count++] = *from; /* no leading zeros */
}

/* Up to 15 digits and a power of ten up to 22 are exact doubles, so that one operation rounds
 * correctly (Clinger 1990); the rest is left to the C library, in a form without a point. */
static double value_of(const decimal *d) {
  static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (d->count == 0) return 0.0;
  if (d->count <= 15 && d->exponent >= -22 && d->exponent <= 22) {
    double mantissa = 0.0;
    for (size_t i = 0; i < d->count; i++) mantissa = 10.0 * mantissa + (d->digits[i] - '0');
    return d->exponent < 0 ? mantissa / power[-d->exponent] : mantissa * power[d->exponent];
  }
  char text[NUMBER_LENGTH + 32];
  snprintf(text, sizeof text, "%.*se%ld", (int)d->count, d->digits, d->exponent);
  return strtod(text, NULL);
}

/* Reads [e[+-]digits]. An exponent without digits is reported; true when there was one. */
static bool scan_exponent(brink_lexer *lexer, brink_token *token, decimal *d) {
  const char *at = lexer->at;
  if (*at != 'e' && *at != 'E') return false;
  const char *digits = at + (at[1] == '+' || at[1] == '-' ? 2 : 1);
  if (!is_digit(*digits)) {
    if (is_word(*digits)) return false; /* 2end: a number that runs into a word */
    lexer->at = digits;
    token->damaged = true;
    brink_lexer_error(lexer, BRINK_MSG_EMPTY_EXPONENT, token->start,
                      (size_t)(digits - token->start), "an exponent is written like 1e-3",
                      "the exponent of '%.*s' has no digits", (int)(digits - token->start),
                      token->start);
    return true;
  }
  long exponent = 0;
  for (; is_digit(*digits); digits++)
    if (exponent < EXPONENT_LIMIT) exponent = 10 * exponent + (*digits - '0');
  d->exponent += at[1] == '-' ? -exponent : exponent;
  lexer->at = digits;
  return true;
}

/* A letter, or a second point, right after the number. */
static void check_border(brink_lexer *lexer, brink_token *token) {
  const char *at = lexer->at, *start = at;
  if (*at == '.' && is_digit(at[1])) {
    while (is_word(*at) || (*at == '.' && is_digit(at[1]))) at++;
    lexer->at = at;
    token->damaged = true;
    brink_lexer_error(lexer, BRINK_MSG_SECOND_POINT, token->start, (size_t)(at - token->start),
                      NULL, "a number has at most one decimal point");
    return;
  }
  if (!is_word(*at)) return;
  while (is_word(*at)) at++;
  lexer->at = at;
  token->damaged = true;
  const char *hint = "put an operator or a space between them";
  bool grouped = *start == '_' && is_digit(start[1]); /* 1_000 */
  if (grouped)
    hint = "digits are written without a '_' between them";
  else if (lexer->unit != NULL && start - token->start < 40 && at - start < 40)
    hint = brink_unit_format(lexer->unit, "a product is written %.*s*%.*s",
                             (int)(start - token->start), token->start, (int)(at - start), start);
  brink_lexer_error(lexer, BRINK_MSG_NUMBER_BEFORE_NAME, token->start, (size_t)(at - token->start),
                    hint, "an operator is missing between a number and a name");
}

/* Reads ["." digits]. A point without digits on both sides is reported, and repaired. */
static void scan_fraction(brink_lexer *lexer, brink_token *token, decimal *d) {
  const char *at = lexer->at;
  if (*at != '.' || at[1] == '.') return; /* 1..3 */
  token->whole = false;
  const char *stop = skip_digits(at + 1);
  add_digits(d, at + 1, stop);
  d->exponent -= (long)(stop - (at + 1));
  lexer->at = stop;
  if (stop > at + 1) return;
  const char *hint = "write a zero after the point";
  if (lexer->unit != NULL && at - token->start < 40)
    hint = brink_unit_format(lexer->unit, "write %.*s.0", (int)(at - token->start), token->start);
  brink_lexer_error(lexer, BRINK_MSG_BARE_POINT, token->start, (size_t)(stop - token->start), hint,
                    "a decimal point needs a digit on both sides");
}

static void check_value(brink_lexer *lexer, brink_token *token, const decimal *d) {
  size_t length = (size_t)(lexer->at - token->start);
  bool too_long = length > NUMBER_LENGTH, too_large = isinf(token->number);
  bool too_small = d->count > 0 && token->number == 0.0;
  if (token->damaged || !(too_long || too_large || too_small)) return;
  const char *hint = "numbers lie between 5e-324 and 1.8e308";
  token->damaged = true;
  if (too_long)
    brink_lexer_error(lexer, BRINK_MSG_NUMBER_TOO_LONG, token->start, length, NULL,
                      "this number is too long");
  else if (too_large)
    brink_lexer_error(lexer, BRINK_MSG_NUMBER_TOO_LARGE, token->start, length, hint,
                      "this number is too large");
  else
    brink_lexer_error(lexer, BRINK_MSG_NUMBER_TOO_SMALL, token->start, length, hint,
                      "this number is too small: it would be zero");
}

void brink_lexer_number(brink_lexer *lexer, brink_token *token) {
  decimal d = {.count = 0};
  token->kind = BRINK_TOKEN_NUMBER;
  token->whole = true;
  lexer->at = skip_digits(token->start);
  add_digits(&d, token->start, lexer->at);
  if (lexer->at == token->start) {
    const char *hint = "write a zero before the point";
    const char *stop = skip_digits(lexer->at + 1);
    if (lexer->unit != NULL && stop - token->start < 40)
      hint =
          brink_unit_format(lexer->unit, "write 0%.*s", (int)(stop - token->start), token->start);
    brink_lexer_error(lexer, BRINK_MSG_BARE_POINT, token->start, (size_t)(stop - token->start),
                      hint, "a decimal point needs a digit on both sides");
  }
  scan_fraction(lexer, token, &d);
  if (scan_exponent(lexer, token, &d)) token->whole = false;
  check_border(lexer, token);
  if (lexer->at - token->start <= (ptrdiff_t)NUMBER_LENGTH) token->number = value_of(&d);
  check_value(lexer, token, &d);
}
