/* A run that is saved at any point and restored into another goes on bit for bit: rows, events, the summary. What is
 * damaged, or belongs to another run, is refused with the reason, and nothing that is read is believed. */
#include <brink/record.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "record/checkpoint_file.h"
#include "run/run.h"
#include "support/formats.h"

enum { STEPS = 120 }; /* of a run, at most */

/* ---- models ---- */

/* xorshift: the same points in every run of the test. */
static uint64_t seed;

static size_t pick(size_t below) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (size_t)(seed % below);
}

/* NULL: it is no model that can be run. */
static brink_hsml *load(const char *path, brink_method method, brink_run_options *options) {
  brink_hsml *model = NULL;
  brink_hsml_def def = brink_default_hsml();
  def.path = path;
  bool fine = brink_hsml_load(&def, NULL, NULL, &model) == BRINK_OK &&
              brink_hsml_options(model, options, NULL) == BRINK_OK;
  options->interpret = true;
  options->threads = 1;
  options->sim.method = method;
  options->sim.near_miss = 1e4;
  if (!isfinite(options->until)) options->until = 5.0;
  if (method >= BRINK_EULER && method <= BRINK_TRAPEZOID)
    options->sim.step = fabs(options->until) / 97.3;
  if (fine) return model;
  brink_hsml_destroy(model);
  return NULL;
}

static brink_run *make(brink_hsml *model, const brink_run_options *options) {
  brink_run *run = NULL;
  if (brink_run_create(model, options, NULL, NULL, &run) != BRINK_OK) return NULL;
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  CHECK(brink_run_prepare_summary(run, NULL) == BRINK_OK);
  return run;
}

/* ---- what a run leaves behind ---- */

typedef struct legacy {
  brink_run *run;
  brink_trajectory rows;
  brink_bytes summary;
} legacy;

/* Times that the machine needed, and who compiled, are left out. */
static void strip(brink_bytes *json) {
  char *cut = strstr(json->data, "\"engine\":");
  if (cut != NULL) *cut = '\0';
  json->length = strlen(json->data);
}

static legacy conclude(brink_run *run) {
  legacy left = {.run = run};
  brink_run_finish(run, NULL);
  CHECK(brink_run_trajectory(run, &left.rows, NULL) == BRINK_OK);
  CHECK(brink_run_summary(run, &left.summary, NULL) == BRINK_OK);
  strip(&left.summary);
  return left;
}

static void drop(legacy *left) {
  brink_bytes_free(&left->summary);
  brink_run_destroy(left->run);
}

static bool same_events(const brink_trajectory *a, const brink_trajectory *b) {
  if (a->nevents != b->nevents) return false;
  for (size_t k = 0; k < a->nevents; k++) {
    const brink_trajectory_event *p = &a->events[k], *q = &b->events[k];
    if (p->t != q->t || p->row != q->row || p->direction != q->direction ||
        strcmp(a->flags[p->flag], b->flags[q->flag]) != 0)
      return false;
  }
  return true;
}

static const char *difference(const legacy *a, const legacy *b) {
  const brink_trajectory *p = &a->rows, *q = &b->rows;
  if (p->rows != q->rows || p->ncolumns != q->ncolumns) return "another number of rows";
  if (p->rows > 0 &&
      memcmp(p->values, q->values, p->rows * (p->ncolumns + 1) * sizeof(double)) != 0)
    return "other rows";
  if (!same_events(p, q)) return "other events";
  return strcmp(a->summary.data, b->summary.data) == 0 ? NULL : "another summary";
}

/* ---- handed from run to run ---- */

/* So many steps, or turns, at most. ERR_WORK: there is more. */
static brink_status go(brink_run *run, size_t steps, double until) {
  run->options.sim.max_steps = (int64_t)steps;
  return brink_run_to(run, until, NULL);
}

/* Saved, where it can be, and restored into a new one, which takes its place. */
static size_t hand_over(brink_hsml *model, const brink_run_options *options, brink_run **run) {
  brink_bytes bytes;
  brink_diag diag;
  brink_status status = brink_run_save(*run, &bytes, &diag);
  if (status != BRINK_OK) {
    CHECK_MSG(status == BRINK_ERR_UNSUPPORTED, "it cannot be saved: %s", diag.message);
    return 0;
  }
  brink_run *next = make(model, options);
  status = brink_run_restore(next, bytes.data, bytes.length, &diag);
  CHECK_MSG(status == BRINK_OK, "it cannot be restored: %s", diag.message);
  brink_bytes_free(&bytes);
  brink_run_destroy(*run);
  *run = next;
  return 1;
}

/* How often it was handed over; BRINK_NONE: it cannot be run. */
static size_t check_run(const char *name, brink_hsml *model, const brink_run_options *options) {
  brink_run *run = make(model, options);
  if (run == NULL) return BRINK_NONE;
  brink_status whole = go(run, STEPS, options->until), status = BRINK_ERR_WORK;
  legacy alone = conclude(run);
  size_t saved = 0, left = STEPS;
  run = make(model, options);
  while (status == BRINK_ERR_WORK && left > 0) {
    size_t steps = 1 + pick(pick(3) == 0 ? 4 : 30);
    if (steps > left) steps = left;
    left -= steps;
    status = go(run, steps, options->until);
    if (status == BRINK_ERR_WORK && left > 0) saved += hand_over(model, options, &run);
  }
  legacy handed = conclude(run);
  const char *wrong = status == whole ? difference(&alone, &handed) : "another end";
  CHECK_MSG(wrong == NULL, "%s, %s: %s", name, brink_method_name(options->sim.method), wrong);
  drop(&alone);
  drop(&handed);
  return saved;
}

/* "% run: until 10 …" */
static void read_until(const char *path, brink_run_options *options) {
  size_t length;
  char *text = read_whole_file(path, &length);
  const char *at = text != NULL ? strstr(text, "% run: until ") : NULL;
  double until = at != NULL ? strtod(at + strlen("% run: until "), NULL) : 0.0;
  if (until > 0.0) options->until = until;
  free(text);
}

static size_t check_file(const char *path, brink_method method, size_t *saved) {
  brink_run_options options;
  brink_hsml *model = load(path, method, &options);
  if (model == NULL) return 0;
  read_until(path, &options);
  size_t times = check_run(path, model, &options);
  brink_hsml_destroy(model);
  if (times == BRINK_NONE) return 0;
  *saved += times;
  return 1;
}

/* All of a folder with these methods; how many runs there were. */
static size_t check_folder(const char *folder, const char *ending, const char *file,
                           const brink_method *methods, size_t nmethods, size_t *saved) {
  size_t count, runs = 0;
  char path[1024];
  char **names = list_directory(folder, ending, &count);
  for (size_t k = 0; k < count; k++) {
    snprintf(path, sizeof path, "%s/%s%s", folder, names[k], file);
    seed = 0x9e3779b97f4a7c15u + k;
    for (size_t m = 0; m < nmethods; m++) runs += check_file(path, methods[m], saved);
    free(names[k]);
  }
  free(names);
  return runs;
}

TEST(models_of_the_collection_go_on_where_they_were_saved) {
  static const brink_method methods[] = {BRINK_AUTO, BRINK_ADAMS, BRINK_DOPRI, BRINK_BDF,
                                         BRINK_RK4};
  size_t saved = 0, runs = check_folder(BRINK_SOURCE_DIR "/models", "", "/model.hsml", methods,
                                        sizeof methods / sizeof methods[0], &saved);
  CHECK_MSG(runs > 250 && saved > 3 * runs, "%zu runs, %zu times saved", runs, saved);
}

TEST(models_of_the_language_go_on_where_they_were_saved) {
  static const brink_method methods[] = {BRINK_AUTO, BRINK_ADAMS};
  size_t saved = 0, runs = check_folder(BRINK_SOURCE_DIR "/tests/lang/run", ".hsml", "", methods,
                                        sizeof methods / sizeof methods[0], &saved);
  CHECK_MSG(runs > 300 && saved > runs, "%zu runs, %zu times saved", runs, saved);
}

TEST(models_at_their_edges_go_on_where_they_were_saved) {
  static const brink_method methods[] = {BRINK_TAYLOR, BRINK_EULER, BRINK_TAYLOR2,
                                         BRINK_AM3,    BRINK_BDF3,  BRINK_TRAPEZOID};
  size_t saved = 0, runs = check_folder(BRINK_SOURCE_DIR "/tests/witness", ".hsml", "", methods,
                                        sizeof methods / sizeof methods[0], &saved);
  CHECK_MSG(runs > 100 && saved > 2 * runs, "%zu runs, %zu times saved", runs, saved);
}

int main(void) {
  RUN(models_of_the_collection_go_on_where_they_were_saved);
  RUN(models_of_the_language_go_on_where_they_were_saved);
  RUN(models_at_their_edges_go_on_where_they_were_saved);
  return check_done();
}
