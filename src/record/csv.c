/* csv.c: rows as text: names and values separated by commas, quoted where RFC 4180 asks for it, one
 * line each. A text that a program writes is read by programs: the decimal point is a point, numbers
 * read back as the same doubles, lines end with a line feed. */
#include "record/record.h"

#include <string.h>

#define BATCH ((size_t)1 << 16) /* written at once */

/* The text from `start` on as a field: in quotes, with quotes doubled, if it needs them. */
static void quote(brink_text *text, size_t start) {
  if (text->data == NULL || strpbrk(text->data + start, ",\"\r\n") == NULL) return;
  brink_text copy = {.allocator = text->allocator};
  brink_text_append(&copy, text->data + start, text->length - start);
  text->failed = text->failed || copy.failed;
  text->length = start;
  brink_text_append(text, "\"", 1);
  for (size_t k = 0; k < copy.length; k++)
    brink_text_append(text, copy.data[k] == '"' ? "\"\"" : copy.data + k,
                      copy.data[k] == '"' ? 2 : 1);
  brink_text_append(text, "\"", 1);
  brink_text_free(&copy);
}

int brink_csv_flush(brink_csv *csv) {
  if (csv->text.failed) return -1;
  if (csv->text.length == 0) return 0;
  size_t length = csv->text.length;
  csv->text.length = 0;
  return csv->writer.write(csv->text.data, length, csv->writer.user);
}

static int end_line(brink_csv *csv) {
  brink_text_append(&csv->text, "\n", 1);
  if (csv->text.failed) return -1;
  return csv->text.length >= BATCH ? brink_csv_flush(csv) : 0;
}

int brink_csv_begin(brink_csv *csv, const brink_columns *columns, const brink_writer *writer) {
  *csv = (brink_csv){.columns = columns, .writer = *writer};
  csv->text.allocator = columns->arena.allocator;
  brink_text_add(&csv->text, "time");
  for (size_t k = 0; k < columns->count; k++) {
    brink_text_append(&csv->text, ",", 1);
    size_t start = csv->text.length;
    brink_text_append(&csv->text, columns->name[k], strlen(columns->name[k]));
    quote(&csv->text, start);
  }
  return end_line(csv);
}

int brink_csv_row(brink_csv *csv, const brink_moment *moment) {
  const brink_columns *columns = csv->columns;
  brink_text *text = &csv->text;
  brink_columns_visit(columns, moment);
  brink_value_text(columns->system, BRINK_VALUE_REAL, moment->t, text);
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    brink_value_type type = columns->system->variables[tracked->variable].type;
    for (size_t e = 0; e < tracked->count; e++) {
      brink_text_append(text, ",", 1);
      size_t start = text->length;
      brink_value_text(columns->system, type, brink_columns_value(columns, tracked, e, moment),
                       text);
      if (type == BRINK_VALUE_STRING) quote(text, start);
    }
  }
  return end_line(csv);
}

void brink_csv_free(brink_csv *csv) {
  brink_text_free(&csv->text);
}
