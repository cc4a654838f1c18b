/* What others wrote, as it is shown: what is long loses its middle, and nothing else. */
#include "check.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/show.h"

/* `before`, `count` times `unit`, `after`. */
static char *repeat(const char *before, const char *unit, size_t count, const char *after) {
  brink_text text = {0};
  brink_text_add(&text, "%s", before);
  for (size_t k = 0; k < count; k++) brink_text_add(&text, "%s", unit);
  brink_text_add(&text, "%s", after);
  return text.data;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
formatted(char *text, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  brink_format_short(text, size, format, arguments);
  va_end(arguments);
}

static bool ends_with(const char *text, const char *end) {
  return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* Every character of it is one. */
static bool is_utf8(const char *text) {
  const char *end = text + strlen(text);
  uint32_t code;
  for (size_t length; text < end; text += length) {
    length = brink_utf8_decode(text, end, &code);
    if (length == 0) return false;
  }
  return true;
}

TEST(a_long_message_keeps_its_beginning_and_its_end) {
  for (size_t count = 590; count < 660; count++) {
    char *message = repeat("--out ", "x", count, ": no space");
    brink_text shown = {0};
    brink_text_show_message(&shown, message);
    bool fits = strlen(message) <= BRINK_SHOWN_LINE;
    CHECK(strncmp(shown.data, "--out xxx", 9) == 0 && ends_with(shown.data, "xxx: no space"));
    CHECK_MSG(fits ? strcmp(shown.data, message) == 0 : shown.length == BRINK_SHOWN_LINE,
              "%zu: %zu", count, shown.length);
    CHECK(fits == (strstr(shown.data, " ... ") == NULL));
    brink_text_free(&shown);
    free(message);
  }
}

TEST(no_character_is_cut_in_the_middle) {
  static const char *const units[] = {"\u00e9", "\u2215", "\U0001f600"};
  for (size_t k = 0; k < 3; k++) {
    for (size_t shift = 0; shift < 4; shift++) {
      char *message = repeat(&"abcd"[4 - shift], units[k], 500, ".");
      brink_text shown = {0};
      char text[64];
      brink_text_show_message(&shown, message);
      CHECK(is_utf8(shown.data) && strstr(shown.data, "\\x") == NULL && ends_with(shown.data, "."));
      formatted(text, sizeof text, "%s", message);
      CHECK(is_utf8(text) && ends_with(text, "."));
      brink_text_free(&shown);
      free(message);
    }
  }
}

TEST(bytes_that_are_no_text_are_left_out_as_well) {
  char *message = repeat("", "\x80", 5000, "");
  brink_text shown = {0};
  char text[64];
  brink_text_show_message(&shown, message);
  CHECK(shown.length <= 4 * (size_t)BRINK_SHOWN_LINE);
  formatted(text, sizeof text, "%s", message);
  CHECK(strlen(text) < sizeof text);
  brink_text_free(&shown);
  free(message);
}

TEST(lines_that_show_a_place_are_shortened_one_by_one) {
  char *first = repeat("one ", "x", 1000, " end"), *second = repeat("\n  two ", "y", 1000, " end");
  char *message = repeat(first, "", 0, second);
  brink_text shown = {0};
  brink_text_show_lines(&shown, message);
  CHECK(strstr(shown.data, "x end\n  two y") != NULL && ends_with(shown.data, "y end"));
  CHECK(shown.length == 2 * (size_t)BRINK_SHOWN_LINE + 1);
  brink_text_free(&shown);
  free(first);
  free(second);
  free(message);
}

TEST(a_diagnostic_ends_with_its_reason) {
  char *path = repeat("/", "folder/", 1000, "file.csv");
  brink_diag diag;
  brink_diag_set(&diag, BRINK_ERR_FILE, "cannot read %s: no such file", path);
  CHECK(strncmp(diag.message, "cannot read /folder/", 20) == 0);
  CHECK_MSG(ends_with(diag.message, "folder/file.csv: no such file"), "%s", diag.message);
  CHECK(strstr(diag.message, " ... ") != NULL);
  free(path);
}

int main(void) {
  RUN(a_long_message_keeps_its_beginning_and_its_end);
  RUN(no_character_is_cut_in_the_middle);
  RUN(bytes_that_are_no_text_are_left_out_as_well);
  RUN(lines_that_show_a_place_are_shortened_one_by_one);
  RUN(a_diagnostic_ends_with_its_reason);
  return check_done();
}
