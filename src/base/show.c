/* show.c: texts that others wrote, as they may be shown. See show.h. */
#include "base/show.h"

#include <stdio.h>
#include <string.h>

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

void brink_text_show(brink_text *text, const char *foreign) {
  const char *end = foreign + strlen(foreign);
  while (foreign < end) {
    char shown[BRINK_SHOWN];
    foreign += brink_show_character(foreign, end, shown);
    brink_text_append(text, shown, strlen(shown));
  }
}

/* Where a line ends that another, indented one follows. */
static bool is_line_end(const char *at) {
  return at[0] == '\n' && at[1] == ' ' && at[2] == ' ';
}

void brink_text_show_lines(brink_text *text, const char *message) {
  const char *end = message + strlen(message);
  while (message < end) {
    char shown[BRINK_SHOWN] = "\n";
    message += is_line_end(message) ? 1 : brink_show_character(message, end, shown);
    brink_text_append(text, shown, strlen(shown));
  }
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
