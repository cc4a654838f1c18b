/* A run that is made of the parts of the last one gives the bits of a run that is made anew: whatever a knob changes, a
 * value or the structure of the model, and whatever became of the last run. */
#include <dirent.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run/run.h"
#include "sim/sim.h"
#include "support/file_runs.h"

/* Steps of one run, and elements of one item: enough to meet its first events. */
enum { STEPS = 120, ELEMENTS = 2 };

/* Seconds of the processor for one model: more knobs of the largest ones are more of the same. */
#define ENOUGH 0.3

static double seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

/* One model twice: the runs of the one follow each other, those of the other know nothing of each other. */
typedef struct twice {
  const char *path;
  brink_hsml *following, *fresh;
  brink_run *last; /* of `following` */
  bool interpret;
  double begin; /* seconds */
  size_t runs, renewed;
} twice;

static twice open_twice(const char *path, bool interpret) {
  return (twice){.path = path,
                 .following = load_model(path),
                 .fresh = load_model(path),
                 .interpret = interpret,
                 .begin = seconds()};
}

static void close_twice(twice *t) {
  brink_run_destroy(t->last);
  brink_hsml_destroy(t->following);
  brink_hsml_destroy(t->fresh);
}

static bool same(const void *a, const void *b, size_t count, size_t size) {
  return count == 0 || memcmp(a, b, count * size) == 0;
}

static void compare_sims(const twice *t, const char *knob, const brink_sim *a, const brink_sim *b) {
  const brink_model_def *def = &a->model->def;
  const brink_stats *p = brink_sim_stats(a), *q = brink_sim_stats(b);
  CHECK_MSG(def->nx == b->model->def.nx && def->np == b->model->def.np &&
                def->nmodes == b->model->def.nmodes && def->nguards == b->model->def.nguards,
            "%s, %s: sizes", t->path, knob);
  CHECK_MSG(same(a->x, b->x, def->nx, sizeof(double)), "%s, %s: states", t->path, knob);
  CHECK_MSG(same(a->eval.p, b->eval.p, def->np, sizeof(double)), "%s, %s: parameters", t->path,
            knob);
  CHECK_MSG(same(a->eval.mode, b->eval.mode, def->nmodes, sizeof(int)), "%s, %s: modes", t->path,
            knob);
  CHECK_MSG(same(a->eval.sgn, b->eval.sgn, def->nguards, 1), "%s, %s: signs", t->path, knob);
  CHECK_MSG(p->steps == q->steps && p->rejected == q->rejected && p->rhs == q->rhs &&
                p->guards == q->guards && p->roots == q->roots && p->events == q->events &&
                p->near_misses == q->near_misses && p->restarts == q->restarts &&
                p->method == q->method && p->jacobians == q->jacobians && p->newton == q->newton,
            "%s, %s: counts", t->path, knob);
}

static void compare_outcomes(const twice *t, const char *knob, brink_run *a, brink_run *b) {
  CHECK_MSG(brink_run_time(a) == brink_run_time(b), "%s, %s: %.17g and %.17g", t->path, knob,
            brink_run_time(a), brink_run_time(b));
  if (a->sim != NULL && b->sim != NULL) compare_sims(t, knob, a->sim, b->sim);
  brink_run_finish(a, NULL);
  brink_run_finish(b, NULL);
  brink_run_outcome p = brink_run_result(a), q = brink_run_result(b);
  CHECK_MSG(strcmp(p.status, q.status) == 0, "%s, %s: %s and %s", t->path, knob, p.status,
            q.status);
  CHECK_MSG((p.message == NULL) == (q.message == NULL) &&
                (p.message == NULL || strcmp(p.message, q.message) == 0),
            "%s, %s: messages", t->path, knob);
  CHECK_MSG(p.nwarnings == q.nwarnings, "%s, %s: warnings", t->path, knob);
  CHECK_MSG(a->journal.nevents == b->journal.nevents, "%s, %s: events", t->path, knob);
}

static brink_status options_for(const twice *t, brink_hsml *model, brink_run_options *options,
                                brink_diag *diag) {
  brink_status status = brink_hsml_options(model, options, diag);
  if (isnan(options->until)) options->until = 10.0;
  options->writable = BRINK_WRITE_STATES;
  options->interpret = t->interpret;
  options->native = !t->interpret;
  options->threads = 1;
  options->sim.max_steps = STEPS;
  return status;
}

/* Both with the values that they have. */
static void run_both(twice *t, const char *knob) {
  if (t->runs >= 2 && seconds() - t->begin > ENOUGH) return;
  brink_run_options options;
  brink_diag one, two;
  brink_run *after = NULL, *anew = NULL;
  brink_status a = options_for(t, t->following, &options, &one);
  if (a == BRINK_OK) {
    brink_run *last = t->last;
    t->last = NULL;
    a = brink_run_create_after(last, t->following, &options, &one, &after);
  }
  brink_status b = options_for(t, t->fresh, &options, &two);
  if (b == BRINK_OK) b = brink_run_create(t->fresh, &options, NULL, &two, &anew);
  CHECK_MSG(a == b && (a == BRINK_OK || strcmp(one.message, two.message) == 0), "%s, %s: %s|%s",
            t->path, knob, one.message, two.message);
  if (after != NULL && anew != NULL) {
    a = brink_run_to(after, options.until, &one);
    b = brink_run_to(anew, options.until, &two);
    CHECK_MSG(a == b, "%s, %s: %d and %d", t->path, knob, (int)a, (int)b);
    compare_outcomes(t, knob, after, anew);
    t->runs++;
    t->renewed += after->renewed;
  }
  brink_run_destroy(anew);
  if (after != NULL) t->last = after; /* else an earlier one stays, or there is none */
}

static void set_both(twice *t, const char *knob, double value) {
  CHECK(brink_hsml_set(t->following, knob, value, NULL) == BRINK_OK);
  CHECK(brink_hsml_set(t->fresh, knob, value, NULL) == BRINK_OK);
}

/* Beside its own value, and that again. */
static void vary(twice *t, const char *knob, double value, bool whole) {
  double others[] = {whole ? value + 1.0 : value * 1.03 + 0.01, whole ? value - 1.0 : value * 0.96};
  for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
    set_both(t, knob, others[k]);
    run_both(t, knob);
  }
  set_both(t, knob, value);
  run_both(t, knob);
}

typedef struct knob {
  char name[128];
  double value;
  bool whole;
} knob;

enum { KNOBS = 64 };

/* Items are lists of a model that is built: names and values are taken out of it. */
static size_t list_knobs(const char *path, knob knobs[KNOBS]) {
  static const brink_hsml_kind kinds[] = {BRINK_HSML_PARAMETER, BRINK_HSML_INPUT, BRINK_HSML_STATE};
  brink_hsml *model = load_model(path);
  size_t n = 0;
  for (size_t j = 0; j < sizeof kinds / sizeof kinds[0]; j++) {
    const brink_hsml_item *items;
    size_t count = brink_hsml_items(model, kinds[j], &items);
    for (size_t k = 0; k < count; k++) {
      bool number = items[k].type == BRINK_HSML_REAL || items[k].type == BRINK_HSML_INTEGER;
      for (size_t e = 0; number && isfinite(items[k].value) && e < items[k].count; e++) {
        if (e >= ELEMENTS || n >= KNOBS) break;
        knobs[n].value = items[k].value;
        knobs[n].whole = items[k].type == BRINK_HSML_INTEGER;
        brink_hsml_element_name(model, &items[k], e, knobs[n++].name, sizeof knobs[0].name);
      }
    }
  }
  brink_hsml_destroy(model);
  return n;
}

static void vary_all(const char *path, bool interpret, size_t *runs, size_t *renewed) {
  knob knobs[KNOBS];
  size_t n = list_knobs(path, knobs);
  twice t = open_twice(path, interpret);
  run_both(&t, "nothing");
  for (size_t k = 0; k < n; k++) vary(&t, knobs[k].name, knobs[k].value, knobs[k].whole);
  *runs += t.runs;
  *renewed += t.renewed;
  close_twice(&t);
}

TEST(renewed_runs_of_all_models_give_the_bits_of_fresh_ones) {
  DIR *directory = opendir(BRINK_SOURCE_DIR "/models");
  size_t models = 0, runs = 0, renewed = 0;
  for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
    char path[512];
    snprintf(path, sizeof path, BRINK_SOURCE_DIR "/models/%.200s/model.hsml", entry->d_name);
    if (access(path, R_OK) != 0) continue;
    models++;
    vary_all(path, true, &runs, &renewed);
  }
  if (directory != NULL) closedir(directory);
  CHECK_MSG(models > 50 && runs > 1000, "%zu models, %zu runs", models, runs);
  /* Else the test would say nothing. */
  CHECK_MSG(renewed * 2 > runs, "%zu of %zu runs were renewed", renewed, runs);
}

/* What is worked out at the start is interpreted in a new instance, and machine code in one that is renewed. */
TEST(machine_code_is_renewed_as_well) {
  static const char *const paths[] = {MODEL("bouncing-ball"), MODEL("sampled-thermostat"),
                                      MODEL("servo-cascade")};
  size_t runs = 0, renewed = 0;
  for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
    vary_all(paths[k], false, &runs, &renewed);
  }
  CHECK_MSG(renewed * 2 > runs && runs > 0, "%zu of %zu", renewed, runs);
}

TEST(whatever_a_knob_decides) {
  size_t runs = 0, renewed = 0;
  vary_all(BRINK_SOURCE_DIR "/tests/run/decisions.hsml", true, &runs, &renewed);
  vary_all(BRINK_SOURCE_DIR "/tests/run/decisions.hsml", false, &runs, &renewed);
  CHECK_MSG(renewed > 10 && renewed + 10 < runs, "%zu of %zu", renewed, runs);
}

int main(void) {
  RUN(renewed_runs_of_all_models_give_the_bits_of_fresh_ones);
  RUN(machine_code_is_renewed_as_well);
  RUN(whatever_a_knob_decides);
  return check_done();
}
