/* knob_table.c: a file of knobs: a line of names, then a line for each run. See design.h. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sweep/design.h"
#include "sweep/fields.h"

#define TABLE_LIMIT ((size_t)1 << 30)

/* All of a file, with a NUL behind it, in memory from malloc. */
static brink_status read_file(const char *path, char **text, size_t *length, brink_diag *diag) {
  const char *reason = NULL;
  size_t line, column;
  *text = brink_file_read(path, TABLE_LIMIT, length, &reason);
  if (*text == NULL)
    return brink_diag_set(diag, BRINK_ERR_FILE, "cannot read %s: %s", path, reason);
  if (brink_text_find_nul(*text, *length, &line, &column))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "%s:%zu:%zu: a NUL byte: this is not a text file", path, line, column);
  if (*length == 0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "%s is no table: give a line of names, then a "
                          "line of values for each run",
                          path);
  return BRINK_OK;
}

/* The next line, without its end; NULL: there is none. */
static char *next_line(char **at) {
  char *line = *at;
  if (*line == '\0') return NULL;
  char *end = line + strcspn(line, "\n");
  *at = *end == '\n' ? end + 1 : end;
  *end = '\0';
  if (end > line && end[-1] == '\r') end[-1] = '\0';
  return line;
}

static bool is_blank(const char *text) {
  return text[strspn(text, " \t")] == '\0';
}

static char *trimmed(char *text) {
  text += strspn(text, " \t");
  size_t length = strlen(text);
  while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) text[--length] = '\0';
  return text;
}

typedef struct reading {
  brink_arena *arena;
  const char *path;
  brink_vary *knobs;
  size_t nknobs;
  char **fields;
  const char ***words; /* of each column */
  size_t rows, most;
  brink_diag *diag;
} reading;

static brink_status wrong_line(const reading *r, size_t line, const char *why) {
  return brink_diag_set(r->diag, BRINK_ERR_ARGUMENT, "%s:%zu: %s", r->path, line, why);
}

static brink_status out_of_memory(const reading *r) {
  return brink_diag_set(r->diag, BRINK_ERR_MEMORY, "out of memory");
}

static brink_status read_names(reading *r, char *line) {
  size_t most = 1;
  if (strncmp(line, "\xef\xbb\xbf", 3) == 0) line += 3; /* a mark that some programs write */
  for (const char *c = line; *c != '\0'; c++) most += *c == ',';
  r->fields = brink_arena_take(r->arena, most + 1, sizeof *r->fields);
  r->knobs = brink_arena_take(r->arena, most, sizeof *r->knobs);
  r->words = brink_arena_take(r->arena, most, sizeof *r->words);
  if (r->arena->failed) return out_of_memory(r);
  r->nknobs = brink_fields_cut(line, r->fields, most);
  if (r->nknobs > most) return wrong_line(r, 1, "a quote is not closed");
  for (size_t k = 0; k < r->nknobs; k++) {
    r->knobs[k] = (brink_vary){.kind = BRINK_VARY_LIST, .numeric = true, .text = r->path};
    r->knobs[k].name = brink_arena_text(r->arena, trimmed(r->fields[k]));
    r->words[k] = brink_arena_take(r->arena, r->most, sizeof **r->words);
    if (is_blank(r->fields[k])) return wrong_line(r, 1, "a column has no name");
  }
  return r->arena->failed ? out_of_memory(r) : BRINK_OK;
}

static brink_status read_row(reading *r, char *line, size_t number) {
  double value;
  size_t count = brink_fields_cut(line, r->fields, r->nknobs + 1);
  if (count == BRINK_NONE) return wrong_line(r, number, "a quote is not closed");
  if (count != r->nknobs) {
    return brink_diag_set(r->diag, BRINK_ERR_ARGUMENT, "%s:%zu: %zu values for %zu names", r->path,
                          number, count, r->nknobs);
  }
  for (size_t k = 0; k < count; k++) {
    const char *word = trimmed(r->fields[k]);
    if (word[0] == '\0') return wrong_line(r, number, "a value is missing");
    r->knobs[k].numeric = r->knobs[k].numeric && brink_vary_number(word, &value);
    r->words[k][r->rows] = brink_arena_text(r->arena, word);
  }
  r->rows++;
  return r->arena->failed ? out_of_memory(r) : BRINK_OK;
}

brink_status brink_knob_table_read(brink_arena *arena, const char *path, brink_vary **knobs,
                                   size_t *nknobs, brink_diag *diag) {
  char *text = NULL;
  size_t length = 0;
  reading r = {.arena = arena, .path = path, .most = 1, .diag = diag};
  brink_status status = read_file(path, &text, &length, diag);
  for (size_t k = 0; status == BRINK_OK && k < length; k++) r.most += text[k] == '\n';
  char *at = text, *line = status == BRINK_OK ? next_line(&at) : NULL;
  if (line != NULL) status = read_names(&r, line);
  for (size_t number = 2; status == BRINK_OK && (line = next_line(&at)) != NULL; number++) {
    if (!is_blank(line)) status = read_row(&r, line, number);
  }
  free(text);
  if (status == BRINK_OK && r.rows == 0) status = wrong_line(&r, 2, "there is no line of values");
  for (size_t k = 0; k < r.nknobs && status == BRINK_OK; k++) {
    r.knobs[k].words = r.words[k];
    r.knobs[k].count = r.rows;
  }
  *knobs = r.knobs;
  *nknobs = r.nknobs;
  return status;
}
