/* csv.c: the fields of CSV files. See csv.h. */
#include "base/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- fields ---- */

static size_t field_length(const brink_csv *csv, const char *at) {
  const char ends[] = {csv->separator, '\r', '\n', '\0'};
  return strcspn(at, ends);
}

/* A quoted field, from behind its first quote; doubled quotes become one. */
static char *take_quoted(brink_csv *csv) {
  char *field = csv->at, *to = csv->at;
  while (*csv->at != '\0') {
    if (*csv->at == '"' && csv->at[1] != '"') break;
    if (*csv->at == '"') csv->at++;
    if (*csv->at == '\n') csv->line++;
    *to++ = *csv->at++;
  }
  csv->unclosed = *csv->at == '\0';
  if (!csv->unclosed) csv->at++;
  csv->at += field_length(csv, csv->at);
  if (to != csv->at) *to = '\0';
  return field;
}

char *brink_csv_field(brink_csv *csv) {
  if (*csv->at == '\0') return NULL;
  if (csv->separator != '\t') csv->at += strspn(csv->at, " \t"); /* before a quote, too */
  bool quoted = *csv->at == '"';
  if (quoted) csv->at++;
  char *field = quoted ? take_quoted(csv) : csv->at;
  if (!quoted) csv->at += field_length(csv, csv->at);
  char last = *csv->at;
  csv->line_ends = last != csv->separator;
  *csv->at = '\0';
  if (last == '\r' && csv->at[1] == '\n') csv->at++;
  if (last != '\0') csv->at++;
  if (last == '\r' || last == '\n') csv->line++;
  return field;
}

char *brink_csv_trim(char *field) {
  field += strspn(field, " \t");
  size_t length = strlen(field);
  while (length > 0 && (field[length - 1] == ' ' || field[length - 1] == '\t')) length--;
  field[length] = '\0';
  return field;
}

size_t brink_csv_column(const brink_csv *csv, const char *field) {
  return (size_t)(field - csv->line_start) + 1;
}

/* ---- lines ---- */

static void next_line(brink_csv *csv) {
  csv->at += strcspn(csv->at, "\r\n");
  if (*csv->at == '\r' && csv->at[1] == '\n') csv->at++;
  if (*csv->at != '\0') csv->at++;
  csv->line++;
}

/* Over comments and empty lines; the last comment, or NULL. */
static char *skip_comments(brink_csv *csv, size_t *line) {
  char *comment = NULL;
  while (*csv->at != '\0') {
    char *first = csv->at + strspn(csv->at, " \t");
    if (*first == '#') {
      comment = first + 1;
      *line = csv->line;
    } else if (*first != '\r' && *first != '\n') {
      break;
    }
    next_line(csv);
  }
  return comment;
}

bool brink_csv_next_row(brink_csv *csv) {
  size_t ignored = 0;
  skip_comments(csv, &ignored);
  csv->line_start = csv->at;
  return *csv->at != '\0';
}

/* How often a character stands in a line, outside of quotes. */
static size_t occurrences(const char *line, char wanted) {
  size_t count = 0;
  bool quoted = false;
  for (; *line != '\0' && *line != '\n' && *line != '\r'; line++) {
    if (*line == '"') quoted = !quoted;
    count += !quoted && *line == wanted;
  }
  return count;
}

size_t brink_csv_fields(const brink_csv *csv) {
  return occurrences(csv->at, csv->separator) + 2;
}

size_t brink_csv_rows(const brink_csv *csv) {
  size_t rows = 2;
  for (const char *at = csv->at; *at != '\0'; at++) rows += *at == '\n' || *at == '\r';
  return rows;
}

static char separator_of(const char *line) {
  if (occurrences(line, ',') > 0) return ',';
  if (occurrences(line, ';') > 0) return ';';
  return occurrences(line, '\t') > 0 ? '\t' : ',';
}

/* Has the line nothing but numbers in it? Then it names no columns. */
static bool is_numeric(const char *line) {
  bool any = false;
  while (*line != '\0' && *line != '\n' && *line != '\r') {
    char *end;
    brink_read_double(line, &end);
    if (end == line) return false;
    any = true;
    line = end + strspn(end, " \t,;");
  }
  return any;
}

bool brink_csv_is_utf16(const char *text) {
  return strncmp(text, "\xff\xfe", 2) == 0 || strncmp(text, "\xfe\xff", 2) == 0;
}

brink_csv_start brink_csv_open(brink_csv *csv, char *text) {
  *csv = (brink_csv){.at = text, .line_start = text, .line = 1};
  if (brink_csv_is_utf16(text)) return BRINK_CSV_UTF16;
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) csv->at += 3; /* a byte order mark */
  size_t line = 0;
  char *comment = skip_comments(csv, &line);
  if (comment != NULL && is_numeric(csv->at)) { /* as NumPy writes it */
    csv->at = comment;
    csv->line = line;
  }
  csv->separator = separator_of(csv->at);
  csv->line_start = csv->at;
  return *csv->at != '\0' && is_numeric(csv->at) ? BRINK_CSV_NUMBERS : BRINK_CSV_NAMES;
}

/* ---- names and cells ---- */

char *brink_csv_unit(char *name, char **unit) {
  size_t length = strlen(name);
  char close = length > 0 ? name[length - 1] : '\0';
  *unit = NULL;
  if (close != ']' && close != ')') return name;
  char *open = strrchr(name, close == ']' ? '[' : '(');
  if (open == NULL || open == name) return name;
  size_t digits = strspn(open + 1, "0123456789, ");
  if (close == ']' && open + 1 + digits == name + length - 1) return name;
  name[length - 1] = *open = '\0';
  *unit = brink_csv_trim(open + 1);
  return brink_csv_trim(name);
}

/* By name, then from left to right. */
static int by_name(const void *a, const void *b) {
  const char *const *left = *(const char *const *const *)a;
  const char *const *right = *(const char *const *const *)b;
  int order = strcmp(*left, *right);
  return order != 0 ? order : (left > right) - (left < right);
}

bool brink_csv_mark_repeated(const char *const *names, size_t count, bool *again,
                             brink_arena *scratch) {
  const char *const **sorted = brink_arena_take(scratch, count, sizeof *sorted);
  size_t named = 0;
  if (sorted == NULL) return false;
  for (size_t k = 0; k < count; k++) {
    again[k] = false;
    if (names[k] != NULL) sorted[named++] = &names[k];
  }
  if (named > 0) qsort(sorted, named, sizeof *sorted, by_name);
  for (size_t k = 1; k < named; k++)
    again[sorted[k] - names] = strcmp(*sorted[k], *sorted[k - 1]) == 0;
  return true;
}

void brink_csv_mend(const brink_csv *csv, char *cell) {
  char *comma = strchr(cell, ',');
  if (csv->separator == ',' || comma == NULL) return;
  if (strchr(cell, '.') == NULL && strchr(comma + 1, ',') == NULL) *comma = '.';
}

bool brink_csv_number(const char *cell, double *value) {
  char *end;
  *value = brink_read_double(cell, &end);
  return end != cell && *end == '\0' && isfinite(*value);
}
