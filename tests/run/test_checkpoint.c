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
#include "sim/sim.h"
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

/* A report, the condition of events, derivatives and dense output are collected, too, where there are any. */
static bool collects;

static void collect(brink_run *run, bool conditions) {
  CHECK(brink_run_prepare_report(run, NULL) == BRINK_OK);
  run->choice.conditions = conditions;
  run->dated = 1; /* of all runs */
  if (run->population_run != NULL) return;
  brink_run_keep_sensitivity(run, NULL, 0, NULL); /* by its knobs, if it has some */
  CHECK(brink_run_keep_dense(run, NULL) == BRINK_OK);
}

static brink_run *make(brink_hsml *model, const brink_run_options *given) {
  brink_run *run = NULL;
  brink_run_options options = *given;
  options.conditions = collects;
  brink_status status = brink_run_create(model, &options, NULL, NULL, &run);
  if (collects && status == BRINK_ERR_UNSUPPORTED) { /* with constraints, or delays */
    options.conditions = false;
    status = brink_run_create(model, &options, NULL, NULL, &run);
  }
  if (status != BRINK_OK) return NULL;
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  CHECK(brink_run_prepare_summary(run, NULL) == BRINK_OK);
  if (collects) collect(run, options.conditions);
  return run;
}

/* ---- what a run leaves behind ---- */

typedef struct legacy {
  brink_run *run;
  brink_trajectory rows;
  brink_bytes summary, page;
} legacy;

/* Times that the machine needed, and who compiled, are left out. */
static void strip(brink_bytes *json) {
  char *cut = strstr(json->data, "\"engine\":");
  if (cut != NULL) *cut = '\0';
  json->length = strlen(json->data);
}

/* The same in a report, where more follows. */
static void strip_page(brink_bytes *page) {
  char *from = strstr(page->data, "\"engine\":"), *to = strstr(page->data, "\"wall_s\":");
  if (from != NULL && to != NULL) memset(from, ' ', (size_t)(to - from) + strcspn(to, "}"));
}

static legacy conclude(brink_run *run) {
  legacy left = {.run = run};
  brink_run_finish(run, NULL);
  if (collects && run->display != NULL) {
    CHECK(brink_run_report(run, &left.page, NULL) == BRINK_OK);
    strip_page(&left.page);
  }
  CHECK(brink_run_trajectory(run, &left.rows, NULL) == BRINK_OK);
  CHECK(brink_run_summary(run, &left.summary, NULL) == BRINK_OK);
  strip(&left.summary);
  return left;
}

static void drop(legacy *left) {
  brink_bytes_free(&left->summary);
  brink_bytes_free(&left->page);
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

/* Spaces stand for seconds, of which there may be more digits in one than in the other. */
static bool same_page(const brink_bytes *a, const brink_bytes *b) {
  const char *p = a->data, *q = b->data;
  while (p != NULL && q != NULL && *p != '\0' && *p == *q) {
    p += *p == ' ' ? strspn(p, " ") : 1;
    q += *q == ' ' ? strspn(q, " ") : 1;
  }
  return p == NULL || q == NULL ? p == q : *p == *q;
}

static bool same_numbers(const double *a, const double *b, size_t count) {
  return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

static bool same_slopes(const legacy *a, const legacy *b) {
  brink_run_sensitivity p, q;
  brink_status known = brink_run_get_sensitivity(a->run, &p, NULL);
  if (brink_run_get_sensitivity(b->run, &q, NULL) != known) return false;
  if (known != BRINK_OK) return true;
  size_t n = p.ndirections;
  return p.rows == q.rows && p.nevents == q.nevents && p.limits == q.limits &&
         same_numbers(p.t, q.t, p.rows) && same_numbers(p.dx, q.dx, p.rows * p.nstates * n) &&
         same_numbers(p.dy, q.dy, p.rows * p.noutputs * n) &&
         same_numbers(p.event_time, q.event_time, p.nevents * n) &&
         same_numbers(p.end, q.end, p.nstates * n) &&
         same_numbers(p.end_y, q.end_y, p.noutputs * n);
}

enum { LOOKS = 200 }; /* along a run */

static bool same_dense(const legacy *a, const legacy *b) {
  size_t columns = a->rows.ncolumns;
  if (a->run->dense == NULL || b->run->dense == NULL || a->rows.rows == 0) return true;
  double times[LOOKS], start = a->rows.values[0];
  double end = a->rows.values[(a->rows.rows - 1) * (columns + 1)];
  for (size_t k = 0; k < LOOKS; k++) times[k] = start + (end - start) * (double)k / (LOOKS - 1);
  double *room = calloc(2 * LOOKS * columns + 1, sizeof *room);
  bool same = room != NULL;
  for (size_t k = 0; same && k < 2; k++)
    same = brink_run_trajectory_at(k == 0 ? a->run : b->run, times, LOOKS, NULL, columns,
                                   room + k * LOOKS * columns, NULL) == BRINK_OK;
  same = same && same_numbers(room, room + LOOKS * columns, LOOKS * columns);
  free(room);
  return same;
}

static const char *difference(const legacy *a, const legacy *b) {
  const brink_trajectory *p = &a->rows, *q = &b->rows;
  if (p->rows != q->rows || p->ncolumns != q->ncolumns) return "another number of rows";
  if (p->rows > 0 &&
      memcmp(p->values, q->values, p->rows * (p->ncolumns + 1) * sizeof(double)) != 0)
    return "other rows";
  if (!same_events(p, q)) return "other events";
  if (!same_slopes(a, b)) return "other derivatives";
  if (!same_dense(a, b)) return "another dense output";
  if (!same_page(&a->page, &b->page)) return "another report";
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
  if (next->sim != NULL) next->sim->eval.restored = false; /* it is true: assertions hold */
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

TEST(what_runs_collect_on_their_way_goes_on_where_they_were_saved) {
  static const char *const models[] = {
      "thermostat",   "bouncing-ball", "sliding-mode",     "stick-slip", "sampled-thermostat",
      "three-agents", "mackey-glass",  "string-pendulum",  "timers",     "servo-cascade",
      "tangency",     "torricelli",    "square-root-edges"};
  size_t saved = 0, runs = 0, count = sizeof models / sizeof models[0];
  char path[1024];
  seed = 2463534242u;
  collects = true;
  for (size_t k = 0; k < 2 * count; k++) {
    snprintf(path, sizeof path, BRINK_SOURCE_DIR "/models/%s/model.hsml", models[k % count]);
    runs += check_file(path, k < count ? BRINK_AUTO : BRINK_DOPRI, &saved);
  }
  collects = false;
  CHECK_MSG(runs == 2 * count && saved > 2 * runs, "%zu runs, %zu times saved", runs, saved);
}

int main(void) {
  RUN(models_of_the_collection_go_on_where_they_were_saved);
  RUN(models_of_the_language_go_on_where_they_were_saved);
  RUN(models_at_their_edges_go_on_where_they_were_saved);
  RUN(what_runs_collect_on_their_way_goes_on_where_they_were_saved);
  return check_done();
}
