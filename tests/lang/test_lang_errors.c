/* test_lang_errors.c: every diagnostic of the language has a model that provokes it.
 *
 * Each file in tests/lang/errors says what must be reported about it, in comments of its own:
 *
 *     % error: 7:3: there is no 'hight' here
 *     % warning: 4:13: no initial value
 *
 * line and column, and a part of the message; parts/a.hsml:7:3: … if it is in an imported file, 7: …
 * if the column does not matter.
 * Nothing else may be reported. A file without such lines must be silent. And every code, and every message that the
 * sources of src/lang can report, must have been seen, with its arguments. */
#include "check.h"
#include "lang/ast.h"
#include "lang/flatten.h"
#include "support/formats.h"

#include <stdlib.h>

/* Codes that no model provokes, and why. */
static const struct {
  brink_message code;
  const char *reason;
} exempt[] = {
    {BRINK_MSG_MODEL_TOO_LARGE, "would need gigabytes"},
    {BRINK_MSG_STRUCTURE_COUNT, "components are counted one by one, before"},
    {BRINK_MSG_ACTION_TOO_LARGE, "a limit on memory"},
    {BRINK_MSG_TOO_MANY_ASSIGNMENTS, "a limit on memory"},
    {BRINK_MSG_TOO_MANY_EQUATIONS, "a limit on memory"},
    {BRINK_MSG_EQUATION_TOO_LARGE, "a limit on memory"},
};

static format_list formats; /* every message of the sources; marked when a model got it */
static bool provoked[BRINK_MSG_COUNT]; /* every code */

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
  char *colon = strstr(place, ".hsml:"), *table = strstr(place, ".csv:");
  char *digits = place;
  if (table != NULL) {
    digits = table + 5;
    table[4] = '\0';
    snprintf(e->file, sizeof e->file, "%s", place);
  }
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

/* A diagnostic has the code of a message that exists, and the arguments that stand in it. */
static void check_item(const char *name, const brink_report_item *item) {
  const char *code = brink_message_code(item->code), *at = item->message;
  provoked[item->code] = true;
  CHECK_MSG(formats_see(&formats, code, item->message), "%s: %s is not a message of code %s", name,
            item->message, code);
  for (size_t k = item->setting != NULL ? 1 : 0; k < item->narguments; k++) {
    const char *found = strstr(at, item->arguments[k]);
    bool cut = strlen(item->message) > 600; /* long messages are cut */
    CHECK_MSG(found != NULL || cut, "%s: %s: argument %zu: %s", name, item->message, k,
              item->arguments[k]);
    if (found != NULL) at = found + strlen(item->arguments[k]);
  }
  for (size_t k = 0; k < formats.count; k++) {
    const message_format *format = &formats.item[k];
    if (strcmp(format->code, code) != 0) continue;
    size_t count = format_arguments(format) + (format->of_setting ? 1 : 0);
    CHECK_MSG(item->narguments == count, "%s: %s: %zu arguments, but %zu", name, item->message,
              item->narguments, count);
  }
}

static void compare(const char *name, const brink_unit *unit, expectation *expected, size_t count) {
  for (size_t k = 0; k < unit->nitems; k++) {
    const brink_report_item *item = &unit->items[k];
    const char *kind = item->severity == BRINK_ERROR ? "error" : "warning";
    size_t j = 0;
    while (j < count && !meets(unit, item, &expected[j])) j++;
    check_item(name, item);
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
  brink_unit_check(unit);
  if (unit->components != NULL || unit->nerrors == 0)
    brink_system_destroy(brink_flatten(unit, &options, NULL));
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

TEST(every_file_gets_exactly_its_diagnostics) {
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

/* One more component that extends the last than may be. */
static char *read_extensions(const char *path, size_t *length, const char **reason, void *user) {
  enum { COUNT = 101, ROOM = 64 };
  char *text = malloc((size_t)COUNT * ROOM);
  (void)path;
  (void)reason;
  (void)user;
  if (text == NULL) return NULL;
  size_t used = (size_t)snprintf(text, ROOM, "ctc A0 is end A0;\n");
  for (int k = 1; k < COUNT; k++)
    used += (size_t)snprintf(text + used, ROOM, "ctc A%d extends A%d is end A%d;\n", k, k - 1, k);
  *length = used;
  return text;
}

/* A model, and a table of so many knots that its pieces would take too much room. */
static char *read_large_table(const char *path, size_t *length, const char **reason, void *user) {
  enum { KNOTS = 1100 };
  size_t capacity = (size_t)KNOTS * KNOTS * 2 + (size_t)KNOTS * 16 + 512, used = 0;
  char *text = malloc(capacity);
  (void)reason;
  (void)user;
  if (text == NULL) return NULL;
  if (strstr(path, ".csv") == NULL) {
    *length = (size_t)snprintf(text, capacity,
                               "table f(u, v) = file(\"large.csv\", interpolation : \"cubic\");\n"
                               "ctc A is body declarations parameter(p, real); end declarations; "
                               "assignments p : f(1.0, 2.0); end assignments; end body; end A;\n");
    return text;
  }
  for (int row = 0; row <= KNOTS; row++) {
    used += (size_t)snprintf(text + used, capacity - used, "%d", row);
    for (int k = 1; k <= KNOTS; k++)
      used += (size_t)snprintf(text + used, capacity - used, row == 0 ? ",%d" : ",0", k);
    text[used++] = '\n';
  }
  *length = used;
  text[used] = '\0';
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
    check_item(message, &unit->items[k]);
  }
  brink_unit_destroy(unit);
}

TEST(chains_of_imports_and_functions_end_somewhere) {
  check_generated(&(brink_reader){.read = read_importer}, "imports are nested");
  check_generated(&(brink_reader){.read = read_functions}, "functions are nested too deeply");
  check_generated(&(brink_reader){.read = read_extensions}, "components extend one another");
  check_generated(&(brink_reader){.read = read_large_table}, "'large.csv' is too large");
}

/* ---- libraries ---- */

static char *read_given(const char *path, size_t *length, const char **reason, void *user) {
  char *text = malloc(strlen(user) + 1);
  (void)path;
  (void)reason;
  if (text == NULL) return NULL;
  *length = strlen(user);
  return strcpy(text, user);
}

static void check_library(const char *text, const char *message) {
  static const char *const directories[] = {BRINK_EXTERNAL_DIRECTORY};
  const brink_flatten_options options = {
      .seed = 1, .allow_external = true, .library_paths = directories, .nlibrary_paths = 1};
  bool unreadable = false;
  const char *reason = NULL;
  brink_reader reader = {.read = read_given, .user = (void *)(uintptr_t)text};
  brink_unit *unit = brink_unit_parse("0.hsml", &reader, NULL, &unreadable, &reason);
  CHECK(unit != NULL && !unreadable);
  if (unit == NULL) return;
  brink_unit_check(unit);
  brink_system_destroy(brink_flatten(unit, &options, NULL));
  CHECK_INT(unit->nerrors, 1);
  for (size_t k = 0; k < unit->nitems; k++) {
    CHECK_CONTAINS(unit->items[k].message, message);
    check_item(message, &unit->items[k]);
  }
  brink_unit_destroy(unit);
}

#define CALLS                                                                                      \
  "ctc A is body declarations state(x, real); variable(z, real); end declarations; "               \
  "initial x := 0.0; guess z := 1.0; end initial; dynamics x' = f(x) + z; end dynamics; "          \
  "constraints z = 1.0 + x; end constraints; end body; end A;\n"

TEST(libraries_that_were_allowed_must_hold_what_is_called) {
  check_library("function f(x) is external \"no-such-library\";\n" CALLS,
                "cannot load the library");
  check_library("function f(x) is external \"testlibrary\" symbol \"nothing\";\n" CALLS,
                "the library 'testlibrary' has no 'nothing'");
  check_library("constant c is external \"testlibrary\" symbol \"not_finite\";\n"
                "function f(x) = c*x;\n" CALLS,
                "is not a finite number");
  check_library("function f(x) is external \"testlibrary\" symbol \"drag\";\n" CALLS,
                "a model with constraints cannot call an external function here");
}

/* ---- settings of the caller ---- */

static const char yard[] =
    "ctc Tank is interface input(inflow, signal); input(gate, real); knob(area); knob(n); "
    "knob(open); end interface;\n"
    "body declarations state(h, real, (0.0, 10.0)); mode(m, {\"low\", \"high\"});\n"
    "parameter(area, real); parameter(n, integer); parameter(open, boolean);\n"
    "variable(z, real); end declarations; constraints 0 = z + z^3 - h; end constraints;\n"
    "initial h := 1.0; m := \"low\"; end initial; dynamics h' = inflow - h; end dynamics;\n"
    "assignments area : 1.0; n : 1; open : true; inflow : 0.0; gate : 0.0;\n"
    "end assignments; end body; end Tank;\n";

static char *read_yard(const char *path, size_t *length, const char **reason, void *user) {
  char *text = malloc(sizeof yard);
  (void)path;
  (void)reason;
  (void)user;
  if (text == NULL) return NULL;
  memcpy(text, yard, sizeof yard);
  *length = sizeof yard - 1;
  return text;
}

/* One setting that is wrong: code, what was given, hint (NULL: none). Then the same unit without it. */
static void check_setting(brink_unit *unit, const brink_flatten_options *options,
                          brink_origin origin, brink_message code, const char *setting,
                          const char *hint) {
  brink_report_entry entry;
  brink_system *system = brink_flatten(unit, options, NULL);
  CHECK(system == NULL && unit->nerrors == 0 && unit->nsettings == 1 && unit->nitems == 1);
  CHECK(brink_report_read(unit, 0, &entry) && !brink_report_read(unit, 1, &entry));
  CHECK_MSG(strcmp(entry.code, brink_message_code(code)) == 0, "%s: %s", setting, entry.code);
  CHECK(entry.severity == BRINK_ERROR && entry.origin == origin);
  CHECK(entry.file == NULL && entry.line == 0 && entry.column == 0);
  CHECK(entry.setting != NULL && strcmp(entry.setting, setting) == 0);
  CHECK(entry.narguments > 0 && strcmp(entry.arguments[0], setting) == 0);
  CHECK_MSG((entry.hint == NULL) == (hint == NULL) &&
                (hint == NULL || strcmp(entry.hint, hint) == 0),
            "%s: %s", setting, entry.hint != NULL ? entry.hint : "no hint");
  if (unit->nitems > 0) check_item(setting, &unit->items[0]);
  brink_system_destroy(system);
  system = brink_flatten(unit, &(brink_flatten_options){.seed = 1}, NULL);
  CHECK(system != NULL && unit->nsettings == 0 && unit->nitems == 0);
  brink_system_destroy(system);
}

static void check_set(brink_unit *unit, brink_message code, const char *set, const char *hint) {
  brink_flatten_options options = {.sets = &set, .nsets = 1, .seed = 1};
  check_setting(unit, &options, BRINK_ORIGIN_SET, code, set, hint);
}

/* An expression that is wrong: carets under these characters, from 1. */
static void check_caret(brink_unit *unit, const char *set, uint32_t column, uint32_t length,
                        const char *hint) {
  brink_flatten_options options = {.sets = &set, .nsets = 1, .seed = 1};
  brink_report_entry entry;
  brink_text text = {0};
  CHECK(brink_flatten(unit, &options, NULL) == NULL && unit->nsettings == 1);
  CHECK(brink_report_read(unit, 0, &entry));
  CHECK(strcmp(entry.code, "setting-expression") == 0);
  CHECK_MSG(entry.column == column && entry.length == length, "%s: %u, %u", set, entry.column,
            entry.length);
  CHECK((entry.hint == NULL) == (hint == NULL) && (hint == NULL || strcmp(entry.hint, hint) == 0));
  check_item(set, &unit->items[0]);
  brink_report_render(unit, &unit->items[0], &text);
  CHECK(text.data != NULL && strchr(text.data, '^') != NULL);
  brink_text_free(&text);
}

static int give_time(double t, double *u, void *user) {
  (void)user;
  *u = t;
  return 0;
}

static void check_function(brink_unit *unit, const char *name, const char *driven,
                           brink_message message, const char *hint) {
  brink_input_function function = {.name = name, .function = {.value = give_time}};
  brink_flatten_options options = {.functions = &function,
                                   .nfunctions = 1,
                                   .driven = &driven,
                                   .ndriven = driven != NULL ? 1 : 0,
                                   .seed = 1};
  check_setting(unit, &options, BRINK_ORIGIN_DRIVEN, message, name, hint);
}

TEST(wrong_settings_are_diagnostics_without_a_place) {
  bool unreadable = false;
  const char *reason = NULL, *driven = "inflw";
  const brink_reader reader = {.read = read_yard};
  brink_unit *unit = brink_unit_parse("yard.hsml", &reader, NULL, &unreadable, &reason);
  CHECK(unit != NULL);
  if (unit == NULL) return;
  brink_unit_check(unit);
  CHECK_INT(unit->nerrors, 0);
  check_set(unit, BRINK_MSG_UNKNOWN_SETTING, "aria=1", "did you mean area?");
  check_set(unit, BRINK_MSG_UNKNOWN_SETTING, "nobody=1", NULL);
  check_set(unit, BRINK_MSG_SETTING_WITHOUT_VALUE, "area", NULL);
  check_set(unit, BRINK_MSG_SETTING_NOT_A_NUMBER, "area=wide", NULL);
  check_set(unit, BRINK_MSG_SETTING_NOT_A_WHOLE_NUMBER, "n=1.5", NULL);
  check_set(unit, BRINK_MSG_SETTING_NOT_A_BOOLEAN, "open=yes", NULL);
  check_set(unit, BRINK_MSG_SETTING_NOT_IN_SET, "m=hgh", "did you mean high?");
  check_set(unit, BRINK_MSG_SETTING_OUT_OF_RANGE, "h=11", NULL);
  check_set(unit, BRINK_MSG_SETTING_LENGTH, "area=[1, 2]", NULL);
  check_set(unit, BRINK_MSG_SETTING_NOT_A_STRING, "m=[1]", NULL);
  check_set(unit, BRINK_MSG_SETTING_NOT_A_NUMBER, "area=", NULL);
  check_caret(unit, "area=2*(1 + x)", 13, 1, "numbers, pi and functions may stand here");
  check_caret(unit, "area=1 +", 9, 1, NULL);
  check_setting(unit, &(brink_flatten_options){.top = "Tonk", .seed = 1}, BRINK_ORIGIN_TOP,
                BRINK_MSG_UNKNOWN_COMPONENT, "Tonk", "did you mean Tank?");
  check_setting(unit, &(brink_flatten_options){.driven = &driven, .ndriven = 1, .seed = 1},
                BRINK_ORIGIN_DRIVEN, BRINK_MSG_UNKNOWN_INPUT, driven, "did you mean inflow?");
  check_function(unit, "inflw", NULL, BRINK_MSG_UNKNOWN_INPUT, "did you mean inflow?");
  check_function(unit, "gate", NULL, BRINK_MSG_INPUT_FUNCTION_HELD,
                 "declare it as a signal, or give its values as rows");
  check_function(unit, "inflow", "inflow", BRINK_MSG_INPUT_GIVEN_TWICE,
                 "leave out its rows, or the function");
  check_function(unit, "inflow", NULL, BRINK_MSG_INPUT_FUNCTION_IN_CONSTRAINTS,
                 "give its values as rows");
  brink_unit_destroy(unit);
}

/* ---- all of them ---- */

TEST(a_code_is_its_enumerator_in_lower_case) {
  static const char *const names[] = {
#define NAME(id, code) #id,
      BRINK_MESSAGE_LIST(NAME)
#undef NAME
  };
  for (int k = 0; k < BRINK_MSG_COUNT; k++) {
    const char *name = names[k], *code = brink_message_code((brink_message)k);
    bool same = strlen(name) == strlen(code);
    for (size_t i = 0; same && name[i] != '\0'; i++)
      same = code[i] == (name[i] == '_' ? '-' : (char)(name[i] - 'A' + 'a'));
    CHECK_MSG(same, "%s has the code %s", name, code);
  }
}

static bool is_exempt(const char *code) {
  for (size_t j = 0; j < sizeof exempt / sizeof *exempt; j++)
    if (strcmp(brink_message_code(exempt[j].code), code) == 0) return true;
  return false;
}

TEST(every_message_has_been_provoked) {
  for (size_t k = 0; k < formats.count; k++) {
    const message_format *format = &formats.item[k];
    CHECK_MSG(format->seen || is_exempt(format->code),
              "%s: no file in tests/lang/errors provokes \"%s\"", format->place, format->text);
  }
  for (int k = 0; k < BRINK_MSG_COUNT; k++) {
    const char *code = brink_message_code((brink_message)k);
    CHECK_MSG(provoked[k] || is_exempt(code), "no file in tests/lang/errors provokes %s", code);
  }
}

int main(void) {
  if (!formats_collect_lang(&formats, BRINK_SOURCE_DIR)) {
    printf("no sources below %s\n", BRINK_SOURCE_DIR);
    return 1;
  }
  RUN(every_file_gets_exactly_its_diagnostics);
  RUN(chains_of_imports_and_functions_end_somewhere);
  RUN(libraries_that_were_allowed_must_hold_what_is_called);
  RUN(wrong_settings_are_diagnostics_without_a_place);
  RUN(a_code_is_its_enumerator_in_lower_case);
  RUN(every_message_has_been_provoked);
  formats_free(&formats);
  return check_done();
}
