/* The lexer: every token, every mistake in one, and places that stay right across lines, tabs, CRLF
 * and UTF-8. */
#include "lang/lex.h"

#include <stdlib.h>

#include "check.h"

enum { TOKENS = 64 };

typedef struct lexed {
  brink_unit unit;
  brink_file file;
  brink_token token[TOKENS];
  size_t count; /* without the end of the file */
} lexed;

/* Reads at most TOKENS tokens. */
static void lex_bytes(lexed *l, const char *text, size_t length) {
  *l = (lexed){.count = 0};
  brink_arena_init(&l->unit.arena, NULL);
  l->file = (brink_file){.path = "m", .text = text, .length = length};
  l->unit.files = &l->file;
  l->unit.nfiles = 1;
  brink_lexer lexer;
  brink_lexer_init(&lexer, &l->unit, 0, text, length);
  for (; l->count < TOKENS; l->count++) {
    brink_lexer_next(&lexer, &l->token[l->count]);
    if (l->token[l->count].kind == BRINK_TOKEN_EOF) break;
  }
  brink_report_sort(&l->unit);
}

static void lex(lexed *l, const char *text) {
  lex_bytes(l, text, strlen(text));
}

static void lex_free(lexed *l) {
  brink_arena_free(&l->unit.arena);
}

/* The kinds of all tokens of a text. */
static void check_kinds(const char *text, const brink_token_kind *kinds, size_t count) {
  lexed l;
  lex(&l, text);
  CHECK_INT(l.unit.nerrors, 0);
  CHECK_INT(l.count, count);
  for (size_t i = 0; i < count && i < l.count; i++)
    CHECK_MSG(l.token[i].kind == kinds[i], "token %zu of \"%s\" is of kind %d, expected %d", i,
              text, (int)l.token[i].kind, (int)kinds[i]);
  lex_free(&l);
}
#define CHECK_KINDS(text, ...)                                                                     \
  do {                                                                                             \
    static const brink_token_kind expected[] = {__VA_ARGS__};                                      \
    check_kinds(text, expected, sizeof expected / sizeof expected[0]);                             \
  } while (0)

TEST(all_signs_are_read) {
  CHECK_KINDS("+ - * / ^ < <= > >= = /=", BRINK_TOKEN_PLUS, BRINK_TOKEN_MINUS, BRINK_TOKEN_STAR,
              BRINK_TOKEN_SLASH, BRINK_TOKEN_CARET, BRINK_TOKEN_LT, BRINK_TOKEN_LE, BRINK_TOKEN_GT,
              BRINK_TOKEN_GE, BRINK_TOKEN_EQ, BRINK_TOKEN_NE);
  CHECK_KINDS(":=:;,...()[]{}", BRINK_TOKEN_ASSIGN, BRINK_TOKEN_COLON, BRINK_TOKEN_SEMICOLON,
              BRINK_TOKEN_COMMA, BRINK_TOKEN_DOTDOT, BRINK_TOKEN_DOT, BRINK_TOKEN_LPAREN,
              BRINK_TOKEN_RPAREN, BRINK_TOKEN_LBRACKET, BRINK_TOKEN_RBRACKET, BRINK_TOKEN_LBRACE,
              BRINK_TOKEN_RBRACE);
  CHECK_KINDS("x'", BRINK_TOKEN_NAME, BRINK_TOKEN_PRIME);
  CHECK_KINDS("x[1]'=-y", BRINK_TOKEN_NAME, BRINK_TOKEN_LBRACKET, BRINK_TOKEN_NUMBER,
              BRINK_TOKEN_RBRACKET, BRINK_TOKEN_PRIME, BRINK_TOKEN_EQ, BRINK_TOKEN_MINUS,
              BRINK_TOKEN_NAME);
}

TEST(reserved_words_have_any_case_and_are_whole_words) {
  CHECK_KINDS("and OR Not if THEN elsif Else END iS", BRINK_TOKEN_AND, BRINK_TOKEN_OR,
              BRINK_TOKEN_NOT, BRINK_TOKEN_IF, BRINK_TOKEN_THEN, BRINK_TOKEN_ELSIF,
              BRINK_TOKEN_ELSE, BRINK_TOKEN_END, BRINK_TOKEN_IS);
  CHECK_KINDS("android ends island _if if_ loop event output", BRINK_TOKEN_NAME, BRINK_TOKEN_NAME,
              BRINK_TOKEN_NAME, BRINK_TOKEN_NAME, BRINK_TOKEN_NAME, BRINK_TOKEN_NAME,
              BRINK_TOKEN_NAME, BRINK_TOKEN_NAME);
}

TEST(three_words_have_hyphens_and_no_others) {
  CHECK_KINDS("negative-going Positive-Going ON-EVENT", BRINK_TOKEN_NEGATIVE_GOING,
              BRINK_TOKEN_POSITIVE_GOING, BRINK_TOKEN_ON_EVENT);
  CHECK_KINDS("negative-goings", BRINK_TOKEN_NAME, BRINK_TOKEN_MINUS, BRINK_TOKEN_NAME);
  CHECK_KINDS("negative -going", BRINK_TOKEN_NAME, BRINK_TOKEN_MINUS, BRINK_TOKEN_NAME);
  CHECK_KINDS("on-events", BRINK_TOKEN_NAME, BRINK_TOKEN_MINUS, BRINK_TOKEN_NAME);
  CHECK_KINDS("xon-event", BRINK_TOKEN_NAME, BRINK_TOKEN_MINUS, BRINK_TOKEN_NAME);
}

TEST(a_point_belongs_to_a_number_with_digits_on_both_sides) {
  CHECK_KINDS("1..3", BRINK_TOKEN_NUMBER, BRINK_TOKEN_DOTDOT, BRINK_TOKEN_NUMBER);
  CHECK_KINDS("1.5..2.5", BRINK_TOKEN_NUMBER, BRINK_TOKEN_DOTDOT, BRINK_TOKEN_NUMBER);
  CHECK_KINDS("1..n", BRINK_TOKEN_NUMBER, BRINK_TOKEN_DOTDOT, BRINK_TOKEN_NAME);
  CHECK_KINDS("a.b", BRINK_TOKEN_NAME, BRINK_TOKEN_DOT, BRINK_TOKEN_NAME);
}

/* ---- numbers ---- */

static void check_number(const char *text, bool whole) {
  lexed l;
  lex(&l, text);
  CHECK_MSG(l.unit.nerrors == 0 && l.count == 1, "%s: not one number", text);
  CHECK_MSG(l.token[0].number == strtod(text, NULL), "%s is read as %.17g", text,
            l.token[0].number);
  CHECK_MSG(l.token[0].whole == whole, "%s: whole is %d", text, (int)l.token[0].whole);
  CHECK_INT(l.token[0].length, strlen(text));
  lex_free(&l);
}

TEST(numbers_are_the_nearest_doubles) {
  check_number("0", true);
  check_number("007", true);
  check_number("9007199254740993", true);
  check_number("18446744073709551616", true);
  static const char *const reals[] = {"0.5",
                                      "1e-3",
                                      "1E+3",
                                      "3.14159265358979323846",
                                      "0.1",
                                      "1e22",
                                      "1e23",
                                      "123456e-30",
                                      "1.7976931348623157e308",
                                      "5e-324",
                                      "2.2250738585072011e-308",
                                      "0.000001",
                                      "8.5e0",
                                      "1e0000000000000000005",
                                      "0e999999999999999999999",
                                      "0.0"};
  for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) check_number(reals[i], false);
}

TEST(many_decimals_are_read_as_the_library_reads_them) {
  unsigned long state = 12345;
  char text[64];
  for (int i = 0; i < 20000; i++) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    unsigned long digits = state >> (i % 50 + 8);
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    int exponent = (int)(state >> 40 & 511) - 256;
    snprintf(text, sizeof text, "%lu.%lue%d", digits, state >> 50, exponent);
    check_number(text, false);
  }
}

/* ---- mistakes ---- */

/* One error at this column of the first line, with this part of the message; so many tokens. */
static void check_mistake(const char *text, unsigned column, const char *message, size_t count) {
  lexed l;
  lex(&l, text);
  CHECK_MSG(l.unit.nerrors == 1, "\"%s\": %zu errors", text, l.unit.nerrors);
  if (l.unit.nitems > 0) {
    CHECK_MSG(l.unit.items[0].place.column == column, "\"%s\": column %u, expected %u", text,
              (unsigned)l.unit.items[0].place.column, column);
    CHECK_CONTAINS(l.unit.items[0].message, message);
  }
  CHECK_MSG(l.count == count, "\"%s\": %zu tokens, expected %zu", text, l.count, count);
  lex_free(&l);
}

TEST(bad_numbers_are_reported_once_and_remain_numbers) {
  check_mistake("x 1. y", 3, "digit on both sides", 3);
  check_mistake("x .5 y", 3, "digit on both sides", 3);
  check_mistake("1e", 1, "no digits", 1);
  check_mistake("1e+ y", 1, "no digits", 2);
  check_mistake("1e999", 1, "too large", 1);
  check_mistake("1e-999", 1, "too small", 1);
  check_mistake("1e99999999999999999999999", 1, "too large", 1);
  check_mistake("1.2.3", 1, "one decimal point", 1);
  check_mistake("2x + 1", 1, "between a number and a name", 3);
  check_mistake("0x1F", 1, "between a number and a name", 1);
}

TEST(a_number_of_a_million_digits_is_too_long) {
  size_t length = 1000000;
  char *text = malloc(length + 1);
  memset(text, '7', length);
  text[length] = '\0';
  check_mistake(text, 1, "too long", 1);
  free(text);
}

TEST(signs_of_other_languages_are_understood) {
  check_mistake("a == b", 3, "'=='", 3);
  check_mistake("a != b", 3, "'!='", 3);
  check_mistake("a && b", 3, "'&&'", 3);
  check_mistake("a || b", 3, "'||'", 3);
  check_mistake("a ** b", 3, "'**'", 3);
  check_mistake("a <> b", 3, "'<>'", 3);
  check_mistake("! b", 1, "'!'", 2);
  check_mistake("a \u2264 b", 3, "\u2264", 3);
  check_mistake("a \u2212 b", 3, "\u2212", 3);
  check_mistake("a // b\nc", 3, "does not start a comment", 2);
  check_mistake("a # b\nc", 3, "does not start a comment", 2);
  check_mistake("a /* b\n\nc */ d", 3, "does not start a comment", 2);
}

TEST(stray_characters_are_reported_once) {
  check_mistake("a $ b", 3, "'$'", 3);
  check_mistake("a $$$@ b", 3, "'$'", 3);
  check_mistake("a \u2026 b", 3, "'\u2026'", 3);
  check_mistake("a \xff\xfe b", 3, "0xff", 3);
  check_mistake("a \x01 b", 3, "0x01", 3);
  check_mistake("gr\u00f6\u00dfe := 2", 3, "'\u00f6'", 3);
  check_mistake("a \u00a0 b", 3, "no-break space", 3);
}

TEST(strings_end_on_their_line) {
  check_mistake("\"abc", 1, "no closing quote", 1);
  check_mistake("\"abc\nd", 1, "no closing quote", 2);
  check_mistake("\"abc\r\nd", 1, "no closing quote", 2);
  check_mistake("\"a\\qb\" c", 3, "unknown escape", 2);
  check_mistake("\"a\xffz\" c", 3, "0xff", 2);
  check_mistake("x = 'abc' d", 5, "double quotes", 4);
  check_mistake("x = ' d", 5, "a stray '", 4);
  CHECK_KINDS("\"a\\\"b\" c", BRINK_TOKEN_STRING, BRINK_TOKEN_NAME);
  CHECK_KINDS("\"\u00e9 % no comment\"", BRINK_TOKEN_STRING);
}

TEST(a_nul_ends_a_file_that_is_no_text) {
  lexed l;
  lex_bytes(&l, "a \0 b c", 7);
  CHECK_INT(l.count, 1);
  CHECK_INT(l.unit.nerrors, 1);
  CHECK_CONTAINS(l.unit.items[0].message, "NUL");
  lex_free(&l);
}

TEST(places_count_bytes_lines_and_first_tokens) {
  lexed l;
  lex(&l, "\xef\xbb\xbf% comment\r\n\tx := \"\u00e9\" y;\r\n\r\n  z");
  CHECK_INT(l.unit.nerrors, 0);
  CHECK_INT(l.count, 6);
  static const unsigned lines[] = {2, 2, 2, 2, 2, 4}, columns[] = {2, 4, 7, 12, 13, 3};
  for (size_t i = 0; i < 6 && i < l.count; i++) {
    CHECK_INT(l.token[i].line, lines[i]);
    CHECK_INT(l.token[i].column, columns[i]);
    CHECK_INT(l.token[i].first, i == 0 || i == 5);
  }
  lex_free(&l);
}

TEST(any_bytes_end) {
  unsigned state = 7;
  char text[257];
  for (int round = 0; round < 2000; round++) {
    for (size_t i = 0; i < 256; i++) {
      state = state * 1664525u + 1013904223u;
      text[i] = (char)(state >> 24);
    }
    text[256] = '\0';
    lexed l = {.count = 0};
    brink_arena_init(&l.unit.arena, NULL);
    brink_lexer lexer;
    brink_token token;
    brink_lexer_init(&lexer, &l.unit, 0, text, 256);
    size_t count = 0;
    do brink_lexer_next(&lexer, &token);
    while (token.kind != BRINK_TOKEN_EOF && ++count <= 256);
    CHECK_MSG(count <= 256, "more tokens than bytes");
    CHECK(l.unit.nitems <= BRINK_REPORT_LIMIT);
    lex_free(&l);
  }
}

int main(void) {
  RUN(all_signs_are_read);
  RUN(reserved_words_have_any_case_and_are_whole_words);
  RUN(three_words_have_hyphens_and_no_others);
  RUN(a_point_belongs_to_a_number_with_digits_on_both_sides);
  RUN(numbers_are_the_nearest_doubles);
  RUN(many_decimals_are_read_as_the_library_reads_them);
  RUN(bad_numbers_are_reported_once_and_remain_numbers);
  RUN(a_number_of_a_million_digits_is_too_long);
  RUN(signs_of_other_languages_are_understood);
  RUN(stray_characters_are_reported_once);
  RUN(strings_end_on_their_line);
  RUN(a_nul_ends_a_file_that_is_no_text);
  RUN(places_count_bytes_lines_and_first_tokens);
  RUN(any_bytes_end);
  return check_done();
}
