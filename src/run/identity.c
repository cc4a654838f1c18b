/* identity.c: whose checkpoint it is.
 *
 * A checkpoint is the middle of a run. It makes sense with the same model, values, inputs, options and recordings only:
 * each of them is written as a name and a text, and compared when it is read, so that a refusal can say what is different. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "run/run.h"

typedef struct identity {
  brink_archive *a;
  const char *different; /* the first that is; NULL: none */
  char is[160], was[160];
} identity;

/* One fact: written, or compared. */
static void compare(identity *id, const char *name, const char *value) {
  brink_archive *a = id->a;
  brink_text text = {0};
  if (!a->reads) brink_text_append(&text, value, strlen(value));
  brink_archive_text(a, &text);
  bool same = text.length == strlen(value) &&
              (text.length == 0 || memcmp(text.data, value, text.length) == 0);
  if (a->reads && !a->failed && !same && id->different == NULL) {
    id->different = name;
    snprintf(id->is, sizeof id->is, "%s", value);
    snprintf(id->was, sizeof id->was, "%s", text.data != NULL ? text.data : "");
  }
  brink_text_free(&text);
}

static void compare_number(identity *id, const char *name, double value) {
  char buffer[BRINK_DOUBLE_TEXT];
  compare(id, name, brink_double_text(value, buffer));
}

static void compare_count(identity *id, const char *name, int64_t value) {
  char buffer[32];
  snprintf(buffer, sizeof buffer, "%" PRId64, value);
  compare(id, name, buffer);
}

/* ---- by their hashes ---- */

static void compare_hash(identity *id, const char *name, brink_sha256 *hash) {
  char text[BRINK_SHA256_TEXT];
  brink_sha256_finish_text(hash, text);
  compare(id, name, text);
}

static void compare_texts(identity *id, const brink_unit *unit) {
  brink_sha256 hash;
  for (size_t k = 0; k < unit->nfiles; k++) {
    brink_sha256_init(&hash);
    brink_sha256_add(&hash, unit->files[k].text, unit->files[k].length);
    compare_hash(id, k == 0 ? "text of the model" : "text of an imported file", &hash);
  }
  compare_count(id, "number of imported files", (int64_t)unit->nfiles);
}

static void add_doubles(brink_sha256 *hash, const double *values, size_t count) {
  if (count > 0) brink_sha256_add(hash, values, count * sizeof *values);
}

/* Parameters, initial values, tables and other constants, as they are after all values were given. */
static void compare_values(identity *id, const brink_run *run) {
  const brink_system *system = run->system;
  const brink_flatten_options *options = &run->built->options;
  brink_sha256 hash;
  brink_text sets = {0};
  for (size_t k = 0; k < options->nsets; k++)
    brink_text_add(&sets, "%s%s", k > 0 ? ", " : "", options->sets[k]);
  compare(id, "list of values that are set", sets.data != NULL ? sets.data : "");
  brink_text_free(&sets);
  brink_sha256_init(&hash);
  add_doubles(&hash, system->x0, system->nx);
  add_doubles(&hash, system->p0, system->np);
  add_doubles(&hash, system->k, system->nk);
  if (system->nmodes > 0) brink_sha256_add(&hash, system->mode0, system->nmodes * sizeof(int));
  compare_hash(id, "initial values, parameters or tables", &hash);
}

static void compare_inputs(identity *id, const brink_run *run) {
  const brink_inputs *inputs = run->built->inputs;
  brink_sha256 hash;
  brink_sha256_init(&hash);
  if (inputs != NULL) {
    add_doubles(&hash, inputs->t, inputs->nrows);
    add_doubles(&hash, inputs->values,
                inputs->values != NULL ? inputs->nrows * inputs->ncolumns : 0);
    for (size_t k = 0; k < inputs->ncolumns; k++)
      brink_sha256_add(&hash, inputs->names[k], strlen(inputs->names[k]) + 1);
    brink_sha256_add(&hash, inputs->hold ? "hold" : "line", 4);
  }
  compare_hash(id, "table of inputs", &hash);
}

/* ---- options ---- */

static void compare_method(identity *id, const brink_run *run) {
  const brink_options *o = &run->options.sim;
  compare(id, "method", brink_method_name(o->method));
  compare(id, "events", brink_events_name(o->events));
  compare_number(id, "rtol", o->rtol);
  compare_number(id, "atol", o->atol);
  compare_count(id, "order", o->order);
  compare_count(id, "max_order", o->max_order);
  compare_number(id, "step", o->step);
  compare_number(id, "hmin", o->hmin);
  compare_number(id, "hmax", o->hmax);
  compare_count(id, "gain", (int64_t)o->gain);
  compare_number(id, "gamma", o->gamma);
  compare_number(id, "termination", o->termination);
  compare_count(id, "mnm_parts", o->mnm_parts);
  compare_number(id, "near_miss", o->near_miss);
  compare_count(id, "zeno", (int64_t)o->zeno);
  compare_count(id, "audit", o->audit);
  compare_count(id, "max_iterations", o->max_iterations);
}

static void compare_options(identity *id, const brink_run *run) {
  const brink_run_options *o = &run->options;
  compare_number(id, "from", o->from);
  compare_number(id, "until", o->until);
  compare_number(id, "every", o->every);
  compare_count(id, "seed", (int64_t)o->seed);
  compare_count(id, "range", o->range_warns);
  compare_count(id, "writable", (int64_t)o->writable);
  compare_count(id, "conditions", o->conditions);
  compare(id, "clocks", run->population_run != NULL ? "own" : "one");
}

/* The kind of file that is written; the file itself may have been moved. */
static const char *ending_of(const brink_record_choice *choice) {
  const char *dot = choice->path != NULL ? strrchr(choice->path, '.') : NULL;
  return dot != NULL ? dot : choice->path != NULL ? choice->path : "none";
}

static void compare_derivatives(identity *id, const brink_run *run) {
  brink_text names = {0};
  brink_run_slopes_names(run, &names);
  compare(id, "list of derivatives", names.data != NULL ? names.data : "");
  brink_text_free(&names);
}

static void compare_recordings(identity *id, const brink_run *run) {
  const brink_record_choice *choice = &run->choice;
  compare(id, "out", ending_of(choice));
  compare(id, "keep", choice->keep != NULL ? choice->keep : "");
  compare(id, "plot", choice->also != NULL ? choice->also : "");
  compare_count(id, "json", choice->json);
  compare_count(id, "json-states", choice->states);
  compare_count(id, "report", choice->display + choice->page);
  compare_count(id, "list of conditions", choice->conditions + choice->all_derivatives);
  compare_number(id, "against_step", choice->against_step);
  compare_count(id, "dense output", run->dense != NULL);
  compare_derivatives(id, run);
  compare_count(id, "trajectory", choice->trajectory);
  compare(id, "against", brink_method_name(choice->against));
}

brink_status brink_run_identify(const brink_run *run, brink_archive *a, brink_diag *diag) {
  identity id = {.a = a};
  brink_archive_mark(a, "identity");
  compare(&id, "version of brink", brink_version());
  compare(&id, "model", run->system->name);
  if (id.different == NULL) compare_texts(&id, run->built->model->unit);
  if (id.different == NULL) compare_values(&id, run);
  if (id.different == NULL) compare_inputs(&id, run);
  if (id.different == NULL) compare_method(&id, run);
  if (id.different == NULL) compare_options(&id, run);
  if (id.different == NULL) compare_recordings(&id, run);
  if (a->memory) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  if (a->failed) return brink_diag_set(diag, BRINK_ERR_FILE, "the checkpoint is damaged");
  if (id.different == NULL) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                        "the checkpoint belongs to another run: another %s ('%s', not '%s')",
                        id.different, id.was, id.is);
}
