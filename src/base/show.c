/* show.c: texts that others wrote, as they may be shown. See show.h. */
#include "base/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEFT_OUT " ... "

size_t brink_utf8_decode(const char *at, const char *end, uint32_t *code) {
  unsigned char c = (unsigned char)*at;
  size_t length = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : 4;
  if ((c >= 0x80 && c < 0xc2) || c > 0xf4 || (size_t)(end - at) < length) return 0;
  static const unsigned char mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t value = c & mask[length];
  for (size_t i = 1; i < length; i++) {
    unsigned char next = (unsigned char)at[i];
    if ((next & 0xc0) != 0x80) return 0;
    value = value << 6 | (next & 0x3f);
  }
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 0;
  *code = value;
  return length;
}

bool brink_is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x206f) || code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb);
}

size_t brink_show_character(const char *at, const char *end, char shown[BRINK_SHOWN]) {
  uint32_t code = 0;
  size_t length = brink_utf8_decode(at, end, &code);
  if (length == 0)
    snprintf(shown, BRINK_SHOWN, "\\x%02x", (unsigned)(unsigned char)*at);
  else if (code == '\n' || code == '\t' || code == '\r')
    snprintf(shown, BRINK_SHOWN, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
  else if (brink_is_control(code))
    snprintf(shown, BRINK_SHOWN, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code & 0xffffu);
  else
    snprintf(shown, BRINK_SHOWN, "%.*s", (int)length, at);
  return length > 0 ? length : 1;
}

static void show_part(brink_text *text, const char *at, const char *end) {
  while (at < end) {
    char shown[BRINK_SHOWN];
    at += brink_show_character(at, end, shown);
    brink_text_append(text, shown, strlen(shown));
  }
}

void brink_text_show(brink_text *text, const char *foreign) {
  show_part(text, foreign, foreign + strlen(foreign));
}

/* ---- the middle of what is long ---- */

static bool is_continuation(char c) {
  return ((unsigned char)c & 0xc0) == 0x80;
}

/* Of a text of `length` bytes, `most` of which may stay: where its beginning ends, and its end begins. Messages begin with
 * what they are about, and end with the reason: more is left of the beginning. No character is cut. */
static void find_middle(const char *text, size_t length, size_t most, size_t *first, size_t *last) {
  size_t room = most - (sizeof LEFT_OUT - 1);
  *first = room - room / 3;
  *last = length - room / 3;
  for (int k = 0; k < 3 && *first > 0 && is_continuation(text[*first]); k++) --*first;
  for (int k = 0; k < 3 && *last < length && is_continuation(text[*last]); k++) ++*last;
}

static void show_line(brink_text *text, const char *line, size_t length) {
  size_t first, last;
  if (length <= BRINK_SHOWN_LINE) {
    show_part(text, line, line + length);
    return;
  }
  find_middle(line, length, BRINK_SHOWN_LINE, &first, &last);
  show_part(text, line, line + first);
  brink_text_append(text, LEFT_OUT, sizeof LEFT_OUT - 1);
  show_part(text, line + last, line + length);
}

void brink_text_show_message(brink_text *text, const char *message) {
  show_line(text, message, strlen(message));
}

/* Where a line ends that another, indented one follows. */
static bool is_line_end(const char *at) {
  return at[0] == '\n' && at[1] == ' ' && at[2] == ' ';
}

void brink_text_show_lines(brink_text *text, const char *message) {
  while (*message != '\0') {
    size_t length = 0;
    while (message[length] != '\0' && !is_line_end(message + length)) length++;
    show_line(text, message, length);
    message += length;
    if (*message == '\0') return;
    brink_text_append(text, "\n", 1);
    message++;
  }
}

void brink_format_short(char *text, size_t size, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  brink_plain plain = brink_plain_begin();
  int length = vsnprintf(text, size, format, arguments);
  char *whole = length >= 0 && (size_t)length >= size ? malloc((size_t)length + 1) : NULL;
  if (whole != NULL && vsnprintf(whole, (size_t)length + 1, format, again) == length) {
    size_t first, last;
    find_middle(whole, (size_t)length, size - 1, &first, &last);
    snprintf(text, size, "%.*s" LEFT_OUT "%s", (int)first, whole, whole + last);
  }
  brink_plain_end(&plain);
  va_end(again);
  free(whole);
}

/* A text that fills its buffer may have been cut inside a character. */
static void cut_cleanly(char *text, size_t size) {
  size_t length = strlen(text), start = length;
  uint32_t code;
  if (length + 1 < size) return;
  while (start > 0 && ((unsigned char)text[start - 1] & 0xc0) == 0x80) start--;
  if (start > 0 && (unsigned char)text[start - 1] >= 0xc0) start--;
  if (start < length && brink_utf8_decode(text + start, text + length, &code) == 0)
    text[start] = '\0';
}

void brink_show_in_place(char *text, size_t size) {
  brink_text copy = {0};
  uint32_t code;
  cut_cleanly(text, size);
  const char *at = text, *end = text + strlen(text);
  for (size_t length; at < end; at += length) {
    length = brink_utf8_decode(at, end, &code);
    if (length == 0 || (brink_is_control(code) && !is_line_end(at))) break;
  }
  if (at == end) return; /* nearly always */
  brink_text_show_lines(&copy, text);
  if (copy.failed || copy.data == NULL) { /* without memory: what is foreign is only hidden */
    for (char *c = text; *c != '\0'; c++)
      if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
  } else {
    snprintf(text, size, "%s", copy.data);
  }
  brink_text_free(&copy);
}
