/* provenance.c: where a result came from: what a reader needs to get it again. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/sha256.h"
#include "run/facts.h"
#include "run/run.h"

enum { MOST_FACTS = 24, MOST_IMPORTS = 8 };

void brink_facts_add(brink_facts *list, const char *name, const char *format, ...) {
  if (list->count == MOST_FACTS) return;
  char value[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(value, sizeof value, format, arguments);
  va_end(arguments);
  char *kept = brink_arena_text(list->arena, value);
  if (kept != NULL) list->facts[list->count++] = (brink_fact){.name = name, .value = kept};
}

static void add_number(brink_facts *list, const char *name, double value) {
  char buffer[BRINK_DOUBLE_TEXT];
  brink_facts_add(list, name, "%s", brink_double_text(value, buffer));
}

static void add_hash(brink_facts *list, const char *name, const brink_file *file) {
  brink_sha256 hash;
  char text[BRINK_SHA256_TEXT];
  brink_sha256_init(&hash);
  brink_sha256_add(&hash, file->text, file->length);
  brink_sha256_finish_text(&hash, text);
  if (strcmp(name, "sha256") == 0)
    brink_facts_add(list, name, "%s", text);
  else
    brink_facts_add(list, name, "%s %s", file->path, text);
}

static void add_files(brink_facts *list, const brink_unit *unit) {
  for (size_t k = 0; k < unit->nfiles && k <= MOST_IMPORTS; k++)
    add_hash(list, k == 0 ? "sha256" : "import", &unit->files[k]);
}

static void add_settings(brink_facts *list, const brink_run *run) {
  const brink_options *options = &run->options.sim;
  brink_facts_add(list, "method", "%s", brink_method_name(options->method));
  brink_facts_add(list, "events", "%s", brink_events_name(options->events));
  add_number(list, "rtol", options->rtol);
  add_number(list, "atol", options->atol);
  add_number(list, "until", run->until);
  if (run->options.every > 0.0) add_number(list, "every", run->options.every);
  brink_facts_add(list, "seed", "%" PRIu64, run->options.seed);
}

void brink_facts_add_date(brink_facts *list, time_t when) {
  struct tm parts;
  char text[32] = "";
  if (gmtime_r(&when, &parts) != NULL) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  brink_facts_add(list, "written", "%s", text);
}

bool brink_facts_begin(brink_facts *list, brink_arena *arena, const char *path,
                       const brink_unit *unit) {
  *list = (brink_facts){.arena = arena};
  list->facts = brink_arena_take(arena, MOST_FACTS, sizeof *list->facts);
  if (list->facts == NULL) return false;
  brink_facts_add(list, "program", "brink %s", brink_version());
  brink_facts_add(list, "model", "%s", path != NULL ? path : unit->files[0].path);
  add_files(list, unit);
  return true;
}

const brink_fact *brink_run_facts(brink_run *run, size_t *count) {
  brink_facts list;
  *count = 0;
  if (!brink_facts_begin(&list, &run->arena, run->choice.source, run->built->model->unit))
    return NULL;
  if (run->choice.command != NULL) brink_facts_add(&list, "command", "%s", run->choice.command);
  add_settings(&list, run);
  /* One date for all that a run leaves behind: what is written twice is the same twice. */
  if (run->dated == 0) run->dated = time(NULL);
  brink_facts_add_date(&list, run->dated);
  *count = list.count;
  return list.facts;
}
