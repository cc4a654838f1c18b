/* input.c: --input FILE.csv: values of the top component's inputs over time.
 *
 * The file is read as RFC 4180 says (fields may be quoted; lines end with LF or CRLF); the first line
 * has names, the first column is time. Cells stay text until the model says what they are. */
#include "cli/input.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lang/ast.h"

/* ---- what is wrong ---- */

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static int
wrong(const cli_input *input, size_t line, const char *format, ...) {
  char words[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s:%zu: error: %s\n", input->path, line, words);
  return CLI_FILE;
}

static int no_memory(void) {
  cli_say("out of memory");
  return CLI_NUMERICS;
}

/* ---- fields ---- */

typedef struct scanner {
  char *at;       /* in a text that fields are cut out of */
  size_t line;    /* of the next field */
  bool line_ends; /* the last field was the last of its line */
  bool unclosed;  /* a quote that nothing closes */
} scanner;

/* A quoted field, from behind its first quote; doubled quotes become one. */
static char *take_quoted(scanner *s) {
  char *field = s->at, *to = s->at;
  while (*s->at != '\0') {
    if (*s->at == '"' && s->at[1] != '"') break;
    if (*s->at == '"') s->at++;
    if (*s->at == '\n') s->line++;
    *to++ = *s->at++;
  }
  s->unclosed = *s->at == '\0';
  if (!s->unclosed) s->at++;
  s->at += strcspn(s->at, ",\r\n");
  char *end = s->at;
  if (to != end) *to = '\0';
  return field;
}

/* The next field, cut out; NULL: the text is over. */
static char *take_field(scanner *s) {
  if (*s->at == '\0') return NULL;
  bool quoted = *s->at == '"';
  if (quoted) s->at++;
  char *field = quoted ? take_quoted(s) : s->at;
  if (!quoted) s->at += strcspn(s->at, ",\r\n");
  char last = *s->at;
  s->line_ends = last != ',';
  *s->at = '\0';
  if (last == '\r' && s->at[1] == '\n') s->at++;
  if (last != '\0') s->at++;
  if (last == '\r' || last == '\n') s->line++;
  return field;
}

static char *trimmed(char *field) {
  field += strspn(field, " \t");
  size_t length = strlen(field);
  while (length > 0 && (field[length - 1] == ' ' || field[length - 1] == '\t')) length--;
  field[length] = '\0';
  return field;
}

/* ---- the file ---- */

static int read_names(cli_input *input, scanner *s, size_t capacity) {
  bool first = true;
  input->names = brink_arena_take(&input->arena, capacity, sizeof *input->names);
  if (input->names == NULL) return no_memory();
  for (char *field; (field = take_field(s)) != NULL; first = false) {
    char *name = trimmed(field);
    if (!first) input->names[input->ncolumns++] = name;
    for (size_t k = 0; !first && k + 1 < input->ncolumns; k++) {
      if (strcmp(input->names[k], name) == 0)
        return wrong(input, 1, "there are two columns '%s'", name);
    }
    if (s->line_ends) break;
  }
  if (input->ncolumns == 0)
    return wrong(input, 1, "the first line names the columns: time, then the inputs");
  return CLI_OK;
}

static bool read_number(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*value);
}

static int read_row(cli_input *input, scanner *s) {
  size_t row = input->nrows, line = s->line, count = 0;
  input->line[row] = line;
  for (char *field; (field = take_field(s)) != NULL; count++) {
    char *cell = trimmed(field);
    if (s->unclosed) return wrong(input, line, "a quoted field is not closed");
    if (count == 0 && s->line_ends && cell[0] == '\0') return CLI_OK; /* an empty line */
    if (count == 0 && !read_number(cell, &input->t[row]))
      return wrong(input, line, "time '%s' is not a number", cell);
    if (count > 0 && count <= input->ncolumns)
      input->cells[row * input->ncolumns + count - 1] = cell;
    if (s->line_ends) {
      count++;
      break;
    }
  }
  if (count != input->ncolumns + 1)
    return wrong(input, line, "%zu fields, but the first line has %zu", count, input->ncolumns + 1);
  if (row > 0 && input->t[row] < input->t[row - 1])
    return wrong(input, line, "time goes back, from %g to %g", input->t[row - 1], input->t[row]);
  input->nrows++;
  return CLI_OK;
}

static int read_rows(cli_input *input, scanner *s, size_t capacity) {
  brink_arena *arena = &input->arena;
  input->t = brink_arena_take(arena, capacity, sizeof *input->t);
  input->line = brink_arena_take(arena, capacity, sizeof *input->line);
  input->cells = brink_arena_take(arena, capacity * input->ncolumns, sizeof *input->cells);
  if (input->t == NULL || input->line == NULL || input->cells == NULL) return no_memory();
  int outcome = CLI_OK;
  while (outcome == CLI_OK && *s->at != '\0') outcome = read_row(input, s);
  if (outcome == CLI_OK && input->nrows == 0)
    outcome = wrong(input, s->line, "there is no row of values");
  return outcome;
}

static size_t occurrences(const char *text, const char *any) {
  size_t count = 0;
  for (text += strcspn(text, any); *text != '\0'; text += strcspn(text, any)) {
    count++;
    text++;
  }
  return count;
}

/* The whole file in the arena; NULL: said. */
static char *read_text(cli_input *input) {
  const char *reason = NULL;
  size_t length;
  char *text = brink_file_reader.read(input->path, &length, &reason, brink_file_reader.user);
  if (text == NULL) {
    cli_say("cannot read %s: %s", input->path, reason != NULL ? reason : "it cannot be read");
    return NULL;
  }
  char *kept = brink_arena_text(&input->arena, text);
  free(text);
  if (kept == NULL) no_memory();
  return kept;
}

/* ---- what holds at the start ---- */

/* The row that holds at t = 0: the last one until then, else the first. A line between two rows that has
 * begun before is taken up by the run itself. */
static size_t first_row(const cli_input *input) {
  size_t row = 0;
  while (row + 1 < input->nrows && input->t[row + 1] <= 0.0) row++;
  return row;
}

/* "name=value" for the compiler: the inputs have values, initial values may refer to them. */
static int make_sets(cli_input *input) {
  input->sets = brink_arena_take(&input->arena, input->ncolumns, sizeof *input->sets);
  brink_text text = {0};
  const char **cells = input->cells + first_row(input) * input->ncolumns;
  bool fine = input->sets != NULL;
  for (size_t k = 0; fine && k < input->ncolumns; k++) {
    text.length = 0;
    brink_text_add(&text, "%s=%s", input->names[k], cells[k]);
    input->sets[k] = text.failed ? NULL : brink_arena_text(&input->arena, text.data);
    fine = input->sets[k] != NULL;
  }
  brink_text_free(&text);
  return fine ? CLI_OK : no_memory();
}

static int refuse_sets(const cli_input *input, const cli_arguments *arguments) {
  for (size_t g = 0; g < arguments->ngiven; g++) {
    if (arguments->given[g].id != CLI_SET) continue;
    const char *set = arguments->given[g].value;
    size_t length = strcspn(set, "=");
    for (size_t k = 0; k < input->ncolumns; k++) {
      if (strlen(input->names[k]) == length && memcmp(input->names[k], set, length) == 0)
        return cli_misuse(arguments->command->name, "--set and --input both give '%s'",
                          input->names[k]);
    }
  }
  return CLI_OK;
}

int cli_input_read(cli_input *input, const cli_arguments *arguments) {
  *input = (cli_input){.path = cli_value(arguments, CLI_INPUT)};
  brink_arena_init(&input->arena, NULL);
  if (input->path == NULL)
    return cli_has(arguments, CLI_INPUT_HOLD)
               ? cli_misuse(arguments->command->name, "--input-hold needs --input FILE.csv")
               : CLI_OK;
  char *text = read_text(input);
  if (text == NULL) return CLI_FILE;
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* a byte order mark */
  size_t lines = occurrences(text, "\r\n") + 2, fields = occurrences(text, ",") + 2;
  scanner s = {.at = text, .line = 1};
  int outcome = read_names(input, &s, fields);
  if (outcome == CLI_OK) outcome = read_rows(input, &s, lines);
  if (outcome == CLI_OK) outcome = refuse_sets(input, arguments);
  return outcome == CLI_OK ? make_sets(input) : outcome;
}

void cli_input_free(cli_input *input) {
  brink_arena_free(&input->arena);
}

/* ---- as the model's values ---- */

static bool read_string(const brink_system *system, const char *cell, double *value) {
  for (size_t k = 0; k < system->nstrings; k++) {
    if (strcmp(system->strings[k], cell) != 0) continue;
    *value = (double)k;
    return true;
  }
  return false;
}

static bool read_boolean(const char *cell, double *value) {
  bool yes = strcmp(cell, "true") == 0 || strcmp(cell, "1") == 0;
  *value = yes ? 1.0 : 0.0;
  return yes || strcmp(cell, "false") == 0 || strcmp(cell, "0") == 0;
}

static bool is_allowed(const brink_variable *variable, double value) {
  if (variable->has_range && (value < variable->lo || value > variable->hi)) return false;
  for (size_t k = 0; k < variable->nset; k++) {
    if (variable->set[k] == value) return true;
  }
  return variable->nset == 0;
}

static int read_cell(const cli_input *input, const brink_system *system, size_t row, size_t column,
                     double *value) {
  const brink_variable *variable = &system->variables[system->driven[column].variable];
  const char *cell = input->cells[row * input->ncolumns + column], *name = input->names[column];
  size_t line = input->line[row];
  bool known = variable->type == BRINK_VALUE_STRING    ? read_string(system, cell, value)
               : variable->type == BRINK_VALUE_BOOLEAN ? read_boolean(cell, value)
                                                       : read_number(cell, value);
  if (!known)
    return wrong(input, line, "%s = '%s' is not %s", name, cell,
                 variable->type == BRINK_VALUE_STRING    ? "a value that the model knows"
                 : variable->type == BRINK_VALUE_BOOLEAN ? "true or false"
                                                         : "a number");
  if (variable->type == BRINK_VALUE_INTEGER && *value != floor(*value))
    return wrong(input, line, "%s = %s is not a whole number", name, cell);
  if (!is_allowed(variable, *value))
    return wrong(input, line, "%s = %s is outside its declared range", name, cell);
  return CLI_OK;
}

int cli_input_bind(cli_input *input, const brink_system *system) {
  if (input->path == NULL) return CLI_OK;
  double *values = brink_arena_take(&input->arena, input->nrows * input->ncolumns, sizeof *values);
  if (values == NULL) return no_memory();
  for (size_t row = 0; row < input->nrows; row++) {
    for (size_t k = 0; k < input->ncolumns; k++) {
      int outcome = read_cell(input, system, row, k, &values[row * input->ncolumns + k]);
      if (outcome != CLI_OK) return outcome;
    }
  }
  input->table = (brink_input_table){.t = input->t, .nrows = input->nrows, .values = values};
  return CLI_OK;
}
