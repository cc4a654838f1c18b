/* provenance.c: where a result came from: what a reader needs to get it again. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/sha256.h"
#include "run/run.h"

enum { MOST_FACTS = 24, MOST_IMPORTS = 8 };

typedef struct fact_list {
  brink_arena *arena;
  brink_fact *facts;
  size_t count;
} fact_list;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
add(fact_list *list, const char *name, const char *format, ...) {
  if (list->count == MOST_FACTS) return;
  char value[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(value, sizeof value, format, arguments);
  va_end(arguments);
  char *kept = brink_arena_text(list->arena, value);
  if (kept != NULL) list->facts[list->count++] = (brink_fact){.name = name, .value = kept};
}

static void add_number(fact_list *list, const char *name, double value) {
  char buffer[BRINK_DOUBLE_TEXT];
  add(list, name, "%s", brink_double_text(value, buffer));
}

static void add_hash(fact_list *list, const char *name, const brink_file *file) {
  brink_sha256 hash;
  unsigned char digest[BRINK_SHA256_BYTES];
  char text[BRINK_SHA256_TEXT];
  brink_sha256_init(&hash);
  brink_sha256_add(&hash, file->text, file->length);
  brink_sha256_finish(&hash, digest);
  brink_sha256_text(digest, text);
  if (strcmp(name, "sha256") == 0)
    add(list, name, "%s", text);
  else
    add(list, name, "%s %s", file->path, text);
}

static void add_files(fact_list *list, const brink_unit *unit) {
  for (size_t k = 0; k < unit->nfiles && k <= MOST_IMPORTS; k++)
    add_hash(list, k == 0 ? "sha256" : "import", &unit->files[k]);
}

static void add_settings(fact_list *list, const brink_run *run) {
  const brink_options *options = &run->options.sim;
  add(list, "method", "%s", brink_method_name(options->method));
  add(list, "events", "%s", brink_events_name(options->events));
  add_number(list, "rtol", options->rtol);
  add_number(list, "atol", options->atol);
  add_number(list, "until", run->until);
  if (run->options.every > 0.0) add_number(list, "every", run->options.every);
  add(list, "seed", "%" PRIu64, run->options.seed);
}

/* One date for all that a run leaves behind: what is written twice is the same twice. */
static void add_date(fact_list *list, brink_run *run) {
  if (run->dated == 0) run->dated = time(NULL);
  struct tm parts;
  char text[32] = "";
  if (gmtime_r(&run->dated, &parts) != NULL)
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  add(list, "written", "%s", text);
}

const brink_fact *brink_run_facts(brink_run *run, size_t *count) {
  fact_list list = {.arena = &run->arena};
  list.facts = brink_arena_take(&run->arena, MOST_FACTS, sizeof *list.facts);
  *count = 0;
  if (list.facts == NULL) return NULL;
  add(&list, "program", "brink %s", brink_version());
  const brink_unit *unit = run->built->model->unit;
  add(&list, "model", "%s", run->choice.source != NULL ? run->choice.source : unit->files[0].path);
  add_files(&list, unit);
  if (run->choice.command != NULL) add(&list, "command", "%s", run->choice.command);
  add_settings(&list, run);
  add_date(&list, run);
  *count = list.count;
  return list.facts;
}
