/* messages.c: the codes of diagnostics, and the arguments of their messages as texts. */
#include "lang/messages.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/report.h"

const char *brink_message_code(brink_message message) {
  static const char *const codes[] = {
#define BRINK_MESSAGE_CODE(id, code) code,
      BRINK_MESSAGE_LIST(BRINK_MESSAGE_CODE)
#undef BRINK_MESSAGE_CODE
  };
  return (unsigned)message < BRINK_MSG_COUNT ? codes[message] : "";
}

/* One conversion of a printf format: %[0][width][.precision][length]letter. */
typedef struct conversion {
  int width, precision; /* precision -1: none given */
  bool precision_given; /* as an argument: %.*s */
  int longs;            /* how many l */
  bool is_size;         /* z */
  char letter;          /* '%': no argument */
} conversion;

/* Reads the conversion at `at` ('%'); returns what is behind it. */
static const char *read_conversion(const char *at, conversion *c) {
  *c = (conversion){.precision = -1};
  char *end = NULL;
  at++;
  c->width = (int)strtol(at, &end, 10);
  at = end;
  if (at[0] == '.' && at[1] == '*') {
    c->precision_given = true;
    at += 2;
  } else if (at[0] == '.') {
    c->precision = (int)strtol(at + 1, &end, 10);
    at = end;
  }
  for (; *at == 'l'; at++) c->longs++;
  if (*at == 'z') c->is_size = true, at++;
  c->letter = *at;
  return *at != '\0' ? at + 1 : at;
}

static const char *copy_string(brink_arena *arena, const char *text, int precision) {
  size_t length = 0;
  while ((precision < 0 || length < (size_t)precision) && text[length] != '\0') length++;
  char *copy = brink_arena_pack(arena, length + 1, 1);
  if (copy != NULL) memcpy(copy, text, length);
  return copy;
}

/* The next argument, as the format shows it. */
static const char *take_argument(brink_arena *arena, conversion c, va_list *list) {
  char text[400]; /* %.0f of the largest double has 309 digits */
  if (c.precision_given) c.precision = va_arg(*list, int);
  switch (c.letter) {
  case 's':
    return copy_string(arena, va_arg(*list, const char *), c.precision);
  case 'd':
    snprintf(text, sizeof text, "%lld",
             c.longs == 2 ? va_arg(*list, long long) : (long long)va_arg(*list, int));
    break;
  case 'u':
    snprintf(text, sizeof text, "%zu",
             c.is_size ? va_arg(*list, size_t) : (size_t)va_arg(*list, unsigned));
    break;
  case 'x':
    snprintf(text, sizeof text, "%0*x", c.width, va_arg(*list, unsigned));
    break;
  case 'f':
    snprintf(text, sizeof text, "%.*f", c.precision, va_arg(*list, double));
    break;
  case 'g':
    snprintf(text, sizeof text, "%.*g", c.precision, va_arg(*list, double));
    break;
  default:
    assert(!"a conversion that no message uses");
    return NULL;
  }
  return brink_arena_text(arena, text);
}

static size_t count_conversions(const char *format) {
  size_t count = 0;
  for (const char *at = strchr(format, '%'); at != NULL; at = strchr(at, '%')) {
    conversion c;
    at = read_conversion(at, &c);
    count += c.letter != '%';
  }
  return count;
}

bool brink_message_arguments(brink_report_item *item, brink_arena *arena, const char *format,
                             va_list list) {
  size_t wanted = count_conversions(format) + (item->setting != NULL ? 1 : 0), count = 0;
  const char **arguments = brink_arena_pack(arena, wanted + 1, sizeof *arguments);
  if (arguments == NULL) return false;
  if (item->setting != NULL) arguments[count++] = item->setting;
  va_list rest;
  va_copy(rest, list);
  for (const char *at = strchr(format, '%'); at != NULL; at = strchr(at, '%')) {
    conversion c;
    at = read_conversion(at, &c);
    if (c.letter == '%') continue;
    arguments[count] = take_argument(arena, c, &rest);
    if (arguments[count] == NULL) break;
    count++;
  }
  va_end(rest);
  item->arguments = arguments;
  item->narguments = count;
  return count == wanted;
}
