/* test_lang_errors.c: every diagnostic of the language has a model that provokes it.
 *
 * Each file in tests/lang/errors says what must be reported about it, in comments of its own:
 *
 *     % error: 7:3: there is no 'hight' here
 *     % warning: 4:13: no initial value
 *
 * line and column, and a part of the message; parts/a.hsml:7:3: … if it is in an imported file, 7: …
 * if the column does not matter.
 * Nothing else may be reported. A file without such lines must be silent. And every message that the
 * sources of src/lang can print must have been seen. */
#include "check.h"
#include "lang/ast.h"
#include "lang/flatten.h"
#include "support/formats.h"

#include <stdlib.h>

static const reporter reporters[] = {
    {"brink_check_error", 3}, {"brink_check_warning", 3}, {"brink_parse_mend", 3},
    {"brink_parse_panic", 3}, {"brink_report", 4},        {"brink_lexer_error", 4},
    {"flat_error", 3},
};

/* Formats that no model provokes, and why. */
static const struct {
  const char *format, *reason;
} exempt[] = {
    {"%s", "passes on what others say"},
    {"this model is too large: more than %zu operations", "would need gigabytes"},
    /* The flattener's own limits. */
    {"this action is too large", "a limit on memory"},
    {"this action makes more than %d assignments", "a limit on memory"},
    {"more than %zu equations", "a limit on memory"},
    {"this equation is too large", "a limit on memory"},
    /* What the flattener relies on, should the checker ever let it through. */
    {"on-event replaces an equation, but there is none with this left-hand side", "checked"},
    {"pre(%s): only states, modes and held values are remembered", "checked"},
    {"'%s' is an array of %zu components", "checked"},
    {"%s: %s is not a whole number", "checked"},
    {"'%s' has no equation", "checked"},
};

static format_list formats;

/* ---- expectations ---- */

typedef struct expectation {
  brink_severity severity;
  char file[256]; /* "": the file itself */
  unsigned line, column;
  char text[256];
  bool met;
} expectation;

enum { MOST = 128 };

/* "% error: [file:]line:column: text" at p? */
static bool read_expectation(const char *p, expectation *e) {
  *e = (expectation){.severity = BRINK_ERROR};
  if (strncmp(p, "% warning: ", 11) == 0) {
    e->severity = BRINK_WARNING;
    p += 11;
  } else if (strncmp(p, "% error: ", 9) == 0) {
    p += 9;
  } else {
    return false;
  }
  char place[256], *behind;
  size_t length = strcspn(p, " \n");
  snprintf(place, sizeof place, "%.*s", (int)length, p);
  char *colon = strstr(place, ".hsml:");
  char *digits = place;
  if (colon != NULL) {
    digits = colon + 6;
    colon[5] = '\0';
    snprintf(e->file, sizeof e->file, "%s", place);
  }
  e->line = (unsigned)strtoul(digits, &behind, 10);
  if (*behind == ':') e->column = (unsigned)strtoul(behind + 1, NULL, 10);
  p += length;
  while (*p == ' ') p++;
  length = strcspn(p, "\n");
  while (length > 0 && p[length - 1] == ' ') length--;
  snprintf(e->text, sizeof e->text, "%.*s", (int)length, p);
  return true;
}

static size_t read_expectations(const char *text, expectation *list) {
  size_t count = 0;
  for (const char *p = strstr(text, "% "); p != NULL && count < MOST; p = strstr(p + 1, "% "))
    if (read_expectation(p, &list[count])) count++;
  return count;
}

/* ---- one file ---- */

static bool meets(const brink_unit *unit, const brink_report_item *item, const expectation *e) {
  if (e->met || e->severity != item->severity) return false;
  if (e->line != item->place.line) return false;
  if (e->column != 0 && e->column != item->place.column) return false;
  if (strstr(item->message, e->text) == NULL) return false;
  const char *path = unit->files[item->place.file].path;
  size_t n = strlen(path), m = strlen(e->file);
  if (m == 0) return item->place.file == 0;
  return n >= m && strcmp(path + n - m, e->file) == 0;
}

static void compare(const char *name, const brink_unit *unit, expectation *expected, size_t count) {
  for (size_t k = 0; k < unit->nitems; k++) {
    const brink_report_item *item = &unit->items[k];
    const char *kind = item->severity == BRINK_ERROR ? "error" : "warning";
    size_t j = 0;
    while (j < count && !meets(unit, item, &expected[j])) j++;
    formats_see(&formats, item->message);
    if (j < count)
      expected[j].met = true;
    else
      CHECK_SAY("%s: not expected: %% %s: %u:%u: %s", name, kind, (unsigned)item->place.line,
                (unsigned)item->place.column, item->message);
  }
  for (size_t j = 0; j < count; j++)
    CHECK_MSG(expected[j].met, "%s: not reported: %u:%u: %s", name, expected[j].line,
              expected[j].column, expected[j].text);
}

/* Everything that looks at a model before it runs; each asks no more than that what came before it
 * found no errors where it needs none. */
static void look_at(brink_unit *unit) {
  const brink_flatten_options options = {.seed = 1};
  brink_text usage = {0};
  brink_unit_check(unit);
  if (unit->components != NULL) brink_system_destroy(brink_flatten(unit, &options, NULL, &usage));
  brink_text_free(&usage);
  brink_report_sort(unit);
}

static void check_file(const char *name) {
  static expectation expected[MOST];
  char path[1024];
  snprintf(path, sizeof path, "%s/tests/lang/errors/%s", BRINK_SOURCE_DIR, name);
  char *text = read_whole_file(path, NULL);
  bool unreadable = false;
  const char *reason = NULL;
  brink_unit *unit = brink_unit_parse(path, &brink_file_reader, NULL, &unreadable, &reason);
  CHECK_MSG(text != NULL && unit != NULL && !unreadable, "%s cannot be read", name);
  if (text != NULL && unit != NULL && !unreadable) {
    size_t count = read_expectations(text, expected);
    look_at(unit);
    compare(name, unit, expected, count);
  }
  brink_unit_destroy(unit);
  free(text);
}

TEST(every_file_is_told_exactly_what_is_wrong_with_it) {
  size_t count;
  char **files = list_directory(BRINK_SOURCE_DIR "/tests/lang/errors", ".hsml", &count);
  CHECK(count > 0);
  for (size_t k = 0; k < count; k++) {
    int before = check_failures_here;
    check_failures_here = 0; /* the first failures of every file are printed */
    check_file(files[k]);
    check_failures_here += before;
    free(files[k]);
  }
  free(files);
}

/* ---- models too large to be files ---- */

/* "0.hsml" imports "1.hsml" imports … */
static char *read_importer(const char *path, size_t *length, const char **reason, void *user) {
  char *text = malloc(64);
  (void)reason;
  (void)user;
  if (text != NULL) *length = (size_t)snprintf(text, 64, "import \"%d.hsml\";\n", atoi(path) + 1);
  return text;
}

enum { DEEP = 1500 };

/* A chain of functions, each calling the one before it; then they are used. */
static char *read_functions(const char *path, size_t *length, const char **reason, void *user) {
  size_t capacity = (size_t)DEEP * 48 + 512, used = 0;
  char *text = malloc(capacity);
  (void)path;
  (void)reason;
  (void)user;
  if (text == NULL) return NULL;
  used += (size_t)snprintf(text, capacity, "function f0(a) = a;\n");
  for (int k = 1; k < DEEP; k++)
    used +=
        (size_t)snprintf(text + used, capacity - used, "function f%d(a) = 1 + f%d(a);\n", k, k - 1);
  used += (size_t)snprintf(text + used, capacity - used,
                           "ctc A is body declarations parameter(p, real); end declarations; "
                           "assignments p : f%d(1.0); end assignments; end body; end A;\n",
                           DEEP - 1);
  *length = used;
  return text;
}

static void check_generated(const brink_reader *reader, const char *message) {
  bool unreadable = false;
  const char *reason = NULL;
  brink_unit *unit = brink_unit_parse("0.hsml", reader, NULL, &unreadable, &reason);
  CHECK(unit != NULL && !unreadable);
  if (unit == NULL) return;
  look_at(unit);
  CHECK_INT(unit->nerrors, 1);
  for (size_t k = 0; k < unit->nitems; k++) {
    CHECK_CONTAINS(unit->items[k].message, message);
    formats_see(&formats, unit->items[k].message);
  }
  brink_unit_destroy(unit);
}

TEST(chains_of_imports_and_functions_end_somewhere) {
  check_generated(&(brink_reader){.read = read_importer}, "imports are nested");
  check_generated(&(brink_reader){.read = read_functions}, "functions are nested too deeply");
}

TEST(every_message_has_been_provoked) {
  for (size_t k = 0; k < formats.count; k++) {
    const message_format *format = &formats.item[k];
    bool spared = false;
    for (size_t j = 0; j < sizeof exempt / sizeof *exempt; j++)
      if (strcmp(exempt[j].format, format->text) == 0) spared = true;
    CHECK_MSG(format->seen || spared, "%s: no file in tests/lang/errors provokes \"%s\"",
              format->place, format->text);
  }
}

int main(void) {
  if (!formats_collect(&formats, BRINK_SOURCE_DIR "/src/lang", reporters,
                       sizeof reporters / sizeof *reporters)) {
    printf("no sources below %s\n", BRINK_SOURCE_DIR);
    return 1;
  }
  RUN(every_file_is_told_exactly_what_is_wrong_with_it);
  RUN(chains_of_imports_and_functions_end_somewhere);
  RUN(every_message_has_been_provoked);
  formats_free(&formats);
  return check_done();
}
