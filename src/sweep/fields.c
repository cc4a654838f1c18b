/* fields.c: lines of comma-separated values. See fields.h. */
#include "sweep/fields.h"

#include <math.h>
#include <string.h>

void brink_fields_add(brink_text *line, const char *value) {
  if (value[strcspn(value, ",\"\r\n")] == '\0') {
    brink_text_append(line, value, strlen(value));
    return;
  }
  brink_text_append(line, "\"", 1);
  for (const char *c = value; *c != '\0'; c++) {
    bool breaks = *c == '\n' || *c == '\r';
    brink_text_append(line, breaks ? " " : c, 1);
    if (*c == '"') brink_text_append(line, c, 1);
  }
  brink_text_append(line, "\"", 1);
}

void brink_fields_add_number(brink_text *line, double value) {
  char text[BRINK_DOUBLE_TEXT];
  if (isnan(value)) return;
  brink_double_text(value, text);
  brink_text_append(line, text, strlen(text));
}

/* A value in quotes, from behind the first of them; NULL: it does not end well. */
static char *cut_quoted(char *from) {
  char *to = from;
  for (; *from != '\0'; *to++ = *from++) {
    if (*from != '"') continue;
    if (from[1] == '"') {
      from++;
      continue;
    }
    *to = '\0';
    return from + 1;
  }
  return NULL;
}

size_t brink_fields_cut(char *line, char **fields, size_t most) {
  size_t count = 0;
  for (;;) {
    bool quoted = *line == '"';
    if (count < most) fields[count] = quoted ? line + 1 : line;
    count++;
    char *end = quoted ? cut_quoted(line + 1) : line + strcspn(line, ",");
    if (end == NULL || (*end != '\0' && *end != ',')) return BRINK_NONE;
    bool last = *end == '\0';
    *end = '\0';
    if (last) return count;
    line = end + 1;
  }
}
