/* Every folder of models/ that has an expect.txt: the program gives the answers written there, with
 * generated code and with the interpreter, and the two agree to the last bit.
 *
 * models/README.md describes the lines of expect.txt. `test_models NAME…` runs some models only. */
#include "check.h"
#include "support/json.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 512, COMMAND = 2048 };

/* -------------------------------------------------------------- running the program ---- */

typedef struct outcome {
  int exit;
  json *summary; /* NULL: what was printed is no JSON */
} outcome;

/* Everything the command prints, to be freed. */
static char *capture(const char *command, int *exit) {
  size_t length = 0, room = 1 << 16;
  char *text = malloc(room);
  FILE *pipe = popen(command, "r");
  if (text == NULL || pipe == NULL) abort();
  for (size_t got; (got = fread(text + length, 1, room - length - 1, pipe)) > 0;) {
    length += got;
    if (room - length < 2 && (text = realloc(text, room *= 2)) == NULL) abort();
  }
  text[length] = '\0';
  int status = pclose(pipe);
  *exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return text;
}

static outcome run_program(const char *model, const char *options, const char *how) {
  char command[COMMAND];
  snprintf(command, sizeof command, "'%s' run '%s/%s/model.hsml' --json --audit%s %s 2>/dev/null",
           BRINK_PROGRAM, BRINK_MODELS, model, how, options);
  outcome o;
  const char *error;
  size_t offset;
  char *text = capture(command, &o.exit);
  o.summary = json_parse(text, &error, &offset);
  CHECK_MSG(o.summary != NULL, "exit %d, no JSON (%s at byte %zu): %s", o.exit, error, offset,
            command);
  free(text);
  return o;
}

/* ------------------------------------------------------------- one line of expect.txt ---- */

/* A line `path operator value [+- tolerance]`, taken apart; it points into its own copy. */
typedef struct expectation {
  char text[LINE];
  char *word[16]; /* the path */
  size_t words;
  char relation; /* '=', '<' or '>' (the latter with equality) */
  char *value;
  double tolerance;
} expectation;

static char *trim(char *text) {
  while (isspace((unsigned char)*text)) text++;
  for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
    *--end = '\0';
  return text;
}

static bool split(const char *line, expectation *e) {
  static const char *const relations[] = {" = ", " <= ", " >= "};
  memset(e, 0, sizeof *e);
  snprintf(e->text, sizeof e->text, "%s", line);
  char *at = NULL;
  for (size_t k = 0; k < 3 && at == NULL; k++)
    if ((at = strstr(e->text, relations[k])) != NULL) {
      e->relation = relations[k][1];
      e->value = at + strlen(relations[k]);
    }
  if (at == NULL) return false;
  *at = '\0';
  char *plus_minus = strstr(e->value, "+-");
  if (plus_minus != NULL) {
    *plus_minus = '\0';
    e->tolerance = strtod(plus_minus + 2, NULL);
  }
  e->value = trim(e->value);
  for (char *word = strtok(e->text, " \t"); word != NULL && e->words < 16;
       word = strtok(NULL, " \t"))
    e->word[e->words++] = word;
  return e->words > 0;
}

/* -------------------------------------------------------------- finding what it names ---- */

static bool is_event_of(const json *event, const char *flag) {
  const json *name = json_member(event, "flag");
  if (strcmp(flag, "*") == 0) return json_member(event, "generated") == NULL;
  return name != NULL && name->text != NULL && strcmp(name->text, flag) == 0;
}

static size_t count_events(const json *summary, const char *flag) {
  size_t count = 0;
  const json *events = json_member(summary, "events");
  for (const json *e = json_at(events, 0); e != NULL; e = e->next) count += is_event_of(e, flag);
  return count;
}

/* The nth, from 1, of the events of a flag; NULL if there are fewer. */
static const json *find_event(const json *summary, const char *flag, long nth) {
  const json *event = json_at(json_member(summary, "events"), 0);
  while (event != NULL && (!is_event_of(event, flag) || --nth > 0)) event = event->next;
  return event;
}

/* Follows words into a tree: keys of objects, numbers from 1 in arrays. */
static const json *follow(const json *value, char *const *word, size_t words) {
  for (size_t k = 0; k < words && value != NULL; k++)
    value = value->kind == JSON_ARRAY ? json_at(value, strtoul(word[k], NULL, 10) - 1)
                                      : json_member(value, word[k]);
  return value;
}

static const json *find(const outcome *o, const expectation *e, json *made) {
  *made = (json){.kind = JSON_NUMBER};
  if (strcmp(e->word[0], "exit") == 0 && e->words == 1) return made->number = o->exit, made;
  if (strcmp(e->word[0], "events") == 0 && e->words == 2)
    return made->number = (double)count_events(o->summary, e->word[1]), made;
  if (strcmp(e->word[0], "event") == 0 && e->words > 3)
    return follow(find_event(o->summary, e->word[1], strtol(e->word[2], NULL, 10)), e->word + 3,
                  e->words - 3);
  return follow(o->summary, e->word, e->words);
}

/* ------------------------------------------------------------------------- comparing ---- */

static bool holds(const json *found, const expectation *e) {
  static const char *const word[] = {"null", "false", "true"};
  if (found->kind == JSON_STRING || found->kind <= JSON_TRUE)
    return e->relation == '=' &&
           strcmp(found->kind == JSON_STRING ? found->text : word[found->kind], e->value) == 0;
  char *end;
  double expected = strtod(e->value, &end);
  if (found->kind != JSON_NUMBER || end == e->value || *end != '\0') return false;
  if (e->relation == '<') return found->number <= expected + e->tolerance;
  if (e->relation == '>') return found->number >= expected - e->tolerance;
  return fabs(found->number - expected) <= e->tolerance;
}

static void check_line(const char *place, const char *line, const outcome *o) {
  expectation e;
  json made;
  if (!split(line, &e)) {
    CHECK_SAY("%s: not understood: %s", place, line);
    return;
  }
  const json *found = find(o, &e, &made);
  if (found == NULL) {
    CHECK_SAY("%s: nothing of that name: %s", place, line);
  } else if (!holds(found, &e)) {
    if (found->kind == JSON_NUMBER)
      CHECK_SAY("%s: %s: found %.17g, off by %.3g", place, line, found->number,
                found->number - strtod(e.value, NULL));
    else
      CHECK_SAY("%s: %s: found %s", place, line, found->text != NULL ? found->text : "a list");
  }
}

/* Times of the clock on the wall differ from run to run, and who computed is the difference. */
static bool may_differ(const json *a) {
  static const char *const keys[] = {"compile_s", "wall_s", "engine"};
  for (size_t k = 0; a->key != NULL && k < 3; k++)
    if (strcmp(a->key, keys[k]) == 0) return true;
  return false;
}

/* The first value at which the trees differ, or NULL. Numbers are compared as they are written. */
static const json *difference(const json *a, const json *b) {
  for (; a != NULL && b != NULL; a = a->next, b = b->next) {
    if ((a->key == NULL) != (b->key == NULL) || a->kind != b->kind) return a;
    if (a->key != NULL && strcmp(a->key, b->key) != 0) return a;
    if (may_differ(a)) continue;
    if (a->text != NULL && strcmp(a->text, b->text) != 0) return a;
    const json *inside = difference(a->first, b->first);
    if (inside != NULL) return inside;
  }
  return a != NULL ? a : b;
}

/* ------------------------------------------------------------------------- one model ---- */

/* One run of a model: its options, and the lines of expect.txt from `first` to before `end`. */
typedef struct test_case {
  const char *model, *options;
  char *const *line;
  size_t first, end;
} test_case;

static void check_case(const test_case *c) {
  int before = check_failures_here;
  outcome native = run_program(c->model, c->options, " --native");
  outcome interpreted = run_program(c->model, c->options, " --interpret");
  if (native.summary != NULL && interpreted.summary != NULL) {
    const json *d = difference(native.summary, interpreted.summary);
    CHECK_MSG(d == NULL, "native and interpreted runs differ at %s %s",
              d->key != NULL ? d->key : "an item", d->text != NULL ? d->text : "");
    CHECK_INT(interpreted.exit, native.exit);
    check_line("every model", "stats rhs_past_guard = 0", &native);
    for (size_t k = c->first; k < c->end; k++) {
      char place[128];
      snprintf(place, sizeof place, "models/%s/expect.txt:%zu", c->model, k + 1);
      if (c->line[k][0] != '\0') check_line(place, c->line[k], &native);
    }
  }
  if (check_failures_here > before)
    printf("  brink run models/%s/model.hsml --json %s\n", c->model, c->options);
  json_free(native.summary);
  json_free(interpreted.summary);
}

/* The lines of a file, trimmed, without comments; the text holds them. NULL if it is not there. */
static char *read_lines(const char *path, char ***lines, size_t *count) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return NULL;
  size_t room = 1 << 18;
  char *text = calloc(room, 1);
  *lines = calloc(room / 2, sizeof **lines);
  *count = 0;
  if (text == NULL || *lines == NULL) abort();
  size_t length = fread(text, 1, room - 1, file);
  fclose(file);
  for (char *at = text; at < text + length;) {
    char *end = at + strcspn(at, "\n");
    *end = '\0';
    at[strcspn(at, "#")] = '\0';
    (*lines)[(*count)++] = trim(at);
    at = end + 1;
  }
  return text;
}

/* `brink VERB model.hsml` must succeed without a word: no diagnostics, and the canonical layout. */
static void check_silent(const char *verb, const char *model) {
  char command[COMMAND];
  int exit;
  snprintf(command, sizeof command, "'%s' %s '%s/%s/model.hsml' 2>&1", BRINK_PROGRAM, verb,
           BRINK_MODELS, model);
  char *text = capture(command, &exit);
  CHECK_MSG(exit == 0 && text[0] == '\0', "brink %s models/%s/model.hsml: exit %d\n%s", verb, model,
            exit, text);
  free(text);
}

static bool starts_run(const char *line) {
  return strncmp(line, "run", 3) == 0 && (line[3] == '\0' || line[3] == ' ');
}

/* False: no model there (parts/, README.md). */
static bool check_model(const char *model) {
  char path[COMMAND], **line;
  size_t lines;
  snprintf(path, sizeof path, "%s/%s/expect.txt", BRINK_MODELS, model);
  char *text = read_lines(path, &line, &lines);
  if (text == NULL) return false;
  check_silent("check", model);
  check_silent("fmt --check", model);
  test_case c = {.model = model, .options = "", .line = line};
  for (size_t k = 0; k <= lines; k++) {
    if (k < lines && !starts_run(line[k])) continue;
    c.end = k;
    bool empty = true;
    for (size_t i = c.first; i < k; i++) empty &= line[i][0] == '\0';
    if (!empty) check_case(&c);
    if (k < lines) c.options = line[k] + 3;
    c.first = k + 1;
  }
  free(line);
  free(text);
  return true;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The folders below models/, sorted. */
static size_t list_models(char **name, size_t most) {
  size_t count = 0;
  DIR *dir = opendir(BRINK_MODELS);
  for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
    if (entry->d_name[0] != '.' && count < most) name[count++] = strdup(entry->d_name);
  if (dir != NULL) closedir(dir);
  qsort(name, count, sizeof *name, by_name);
  return count;
}

static bool wanted(const char *model, int argc, char **argv) {
  for (int k = 1; k < argc; k++)
    if (strcmp(argv[k], model) == 0) return true;
  return argc < 2;
}

/* ------------------------------------------------------------------ the reader itself ---- */

TEST(the_reader_of_summaries_is_strict) {
  static const char *const bad[] = {
      "",    "{",      "[1,]",      "{\"a\":1,\"a\":2}", "01",    "1.", "nan",
      "1 2", "\"\t\"", "\"",        "{\"a\"}",           "[1 2]", "+1", "\"\\x\"",
      "tru", "{1:2}",  "[\"a\\\"]", "{\"a\":}",          "-",     "1e"};
  const char *error;
  size_t offset;
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    json *value = json_parse(bad[k], &error, &offset);
    CHECK_MSG(value == NULL && error != NULL, "accepted: %s", bad[k]);
    json_free(value);
  }
  json *value = json_parse(" {\"a\\u0062\" : [1e-3, \"x\\n\", null, {}, true]} ", &error, &offset);
  const json *list = json_member(value, "ab");
  CHECK(json_at(list, 0) != NULL && json_at(list, 0)->number == 1e-3);
  CHECK(json_at(list, 1) != NULL && strcmp(json_at(list, 1)->text, "x\n") == 0);
  CHECK(json_at(list, 4) != NULL && json_at(list, 4)->kind == JSON_TRUE);
  CHECK(json_at(list, 5) == NULL);
  json_free(value);
}

int main(int argc, char **argv) {
  enum { MOST = 512 };
  static char *name[MOST];
  char cache
      [COMMAND]; /* below the build, not in the user's home, where nothing else was asked for */
  if (getcwd(cache, sizeof cache - 16) != NULL) setenv("BRINK_CACHE", strcat(cache, "/cache"), 0);
  if (argc < 2) RUN(the_reader_of_summaries_is_strict);
  size_t count = list_models(name, MOST), run = 0;
  for (size_t k = 0; k < count; k++) {
    check_failures_here = 0;
    if (wanted(name[k], argc, argv) && check_model(name[k])) {
      run++;
      if (check_failures_here > 0)
        printf("FAILED models/%s (%d checks)\n", name[k], check_failures_here);
      *(check_failures_here > 0 ? &check_tests_failed : &check_tests_passed) += 1;
    }
    free(name[k]);
  }
  if (run == 0) {
    printf("no models below %s\n", BRINK_MODELS);
    return 1;
  }
  return check_done();
}
