/* Models in HSML, with all that the language brings: series of solutions and flags, rules, samples, laws on surfaces,
 * states at rest, ranges. A clone runs in an instance of its own, and goes on bit for bit as the original. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "native/instance.h"
#include "support/formats.h"
#include "support/hsml_run.h"
#include "support/relay.h"

/* Sanitizers take minutes for what is quick otherwise. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CALLS = 20 };
#else
enum { CALLS = 60 };
#endif

/* Models that take the mean of a hundred thousand events say no more here than the first thousand. */
static const double LONGEST = 1000.0;

static size_t restored; /* simulations that were read from what was saved of another */

/* ---- a system, and an instance for each place ---- */

typedef struct cast {
  brink_instance *instance[RELAY_PLACES];
} cast;

/* Is all that callbacks remember of the run the same? */
static void check_notes(const brink_instance *a, const brink_instance *b) {
  size_t counts[2];
  const brink_note *p = brink_instance_notes(a, &counts[0]),
                   *q = brink_instance_notes(b, &counts[1]);
  CHECK_INT(counts[0], counts[1]);
  CHECK(a->notes.nvalues == b->notes.nvalues);
  for (size_t k = 0; k < counts[0] && k < counts[1]; k++) {
    CHECK(p[k].label == q[k].label && p[k].nvalues == q[k].nvalues);
    CHECK(p[k].values != q[k].values || p[k].nvalues == 0);
    for (size_t j = 0; j < p[k].nvalues; j++) {
      CHECK(p[k].values[j].type == q[k].values[j].type);
      CHECK(memcmp(&p[k].values[j].value, &q[k].values[j].value, sizeof(double)) == 0);
    }
  }
}

static void check_warnings(const brink_instance *a, const brink_instance *b) {
  size_t counts[2];
  const char *const *p = brink_instance_warnings(a, &counts[0]);
  const char *const *q = brink_instance_warnings(b, &counts[1]);
  CHECK_INT(counts[0], counts[1]);
  CHECK(a->dropped_warnings == b->dropped_warnings);
  for (size_t k = 0; k < counts[0] && k < counts[1]; k++)
    CHECK(p[k] != q[k] && strcmp(p[k], q[k]) == 0);
  const char *messages[2];
  CHECK(brink_instance_ending(a, &messages[0]) == brink_instance_ending(b, &messages[1]));
  CHECK(strcmp(messages[0], messages[1]) == 0);
}

static void check_same_run(const brink_instance *a, const brink_instance *b) {
  const brink_system *system = a->system;
  check_notes(a, b);
  check_warnings(a, b);
  CHECK(memcmp(&a->rules_time, &b->rules_time, sizeof a->rules_time) == 0);
  CHECK(system->nclocks == 0 ||
        memcmp(a->tick_time, b->tick_time, system->nclocks * sizeof(double)) == 0);
  CHECK(a->room.fired == 0 || memcmp(a->fired, b->fired, a->room.fired * sizeof *a->fired) == 0);
}

/* What was evaluated for a reader at another point is not what is read here. */
static void evaluate_elsewhere(brink_instance *instance) {
  const brink_model_def *def = &brink_instance_model(instance)->def;
  brink_instance_evaluate(instance, 0.0, def->x0, def->p0, def->mode0, NULL);
}

static const brink_model *model_at(size_t place, size_t from, void *user) {
  cast *c = user;
  evaluate_elsewhere(c->instance[place]);
  CHECK_INT(brink_instance_copy_run(c->instance[place], c->instance[from], NULL), BRINK_OK);
  check_same_run(c->instance[place], c->instance[from]);
  CHECK(!c->instance[place]->seen.valid);
  return brink_instance_model(c->instance[place]);
}

static bool open_cast(brink_system *system, const hsml_wishes *wishes, cast *c) {
  brink_instance_options options = hsml_instance_options(wishes);
  options.range_warns = wishes->options.method == BRINK_TAYLOR; /* and else it is the end */
  *c = (cast){0};
  bool made = brink_instance_create(system, &options, NULL, NULL, &c->instance[0]) == BRINK_OK;
  for (size_t k = 1; made && k < RELAY_PLACES; k++)
    made = brink_instance_clone(c->instance[0], NULL, NULL, &c->instance[k]) == BRINK_OK;
  return made;
}

static void close_cast(cast *c) {
  for (size_t k = 0; k < RELAY_PLACES; k++) brink_instance_destroy(c->instance[k]);
}

/* ---- models ---- */

static size_t check_system(const char *name, brink_system *system, const hsml_wishes *wishes,
                           double t_end) {
  cast c;
  recording alone = {0};
  bool possible = open_cast(system, wishes, &c);
  relay r = {.options = wishes->options, .t_end = t_end, .calls = CALLS, .user = &c};
  if (possible) {
    r.model = brink_instance_model(c.instance[0]);
    possible = relay_alone(&r, &alone) == BRINK_OK;
  }
  close_cast(&c);
  for (int k = 0; k < 3 && possible; k++) {
    open_cast(system, wishes, &c);
    r.model = brink_instance_model(c.instance[0]);
    r.model_at = model_at;
    const char *wrong = k == 0   ? relay_handed_over(&r, &alone)
                        : k == 1 ? relay_branched(&r, &alone)
                                 : relay_saved(&r, &alone, &restored);
    CHECK_MSG(wrong == NULL, "%s, %s: %s", name, brink_method_name(wishes->options.method), wrong);
    close_cast(&c);
  }
  recording_free(&alone);
  return possible ? 1 : 0;
}

static hsml_wishes wishes_for(brink_method method, double t_end) {
  hsml_wishes wishes = hsml_default(1e-6);
  wishes.options.method = method;
  wishes.options.zeno = BRINK_ZENO_CONTINUE;
  wishes.options.near_miss = 1e4;
  wishes.no_series = method != BRINK_TAYLOR && method != BRINK_TAYLOR2;
  if (method >= BRINK_EULER) wishes.options.step = t_end / 97.3;
  return wishes;
}

/* Explicit methods would take millions of steps. */
static bool is_stiff(const char *name) {
  static const char *const stiff[] = {"switched-rectifier", "rod-thermostat", "melting-rod"};
  for (size_t k = 0; k < sizeof stiff / sizeof stiff[0]; k++) {
    if (strcmp(name, stiff[k]) == 0) return true;
  }
  return false;
}

/* Methods from first to last; how many runs there were. */
static size_t check_text(const char *name, char *text, brink_method first, brink_method last) {
  size_t runs = 0;
  if (is_stiff(name)) first = last = BRINK_BDF;
  brink_unit *unit = NULL;
  brink_system *system = hsml_try_flatten(text, NULL, &unit);
  double t_end = is_stiff(name) ? 0.05 : fmin(hsml_until(text, 5.0), LONGEST);
  for (int method = (int)first; system != NULL && method <= (int)last; method++) {
    hsml_wishes wishes = wishes_for((brink_method)method, t_end);
    runs += check_system(name, system, &wishes, t_end);
  }
  brink_system_destroy(system);
  brink_unit_destroy(unit);
  return runs;
}

static size_t check_folder(const char *folder, const char *ending, const char *file,
                           brink_method first, brink_method last) {
  size_t count, runs = 0;
  char path[1024];
  char **names = list_directory(folder, ending, &count);
  for (size_t k = 0; k < count; k++) {
    size_t length;
    snprintf(path, sizeof path, "%s/%s%s", folder, names[k], file);
    char *text = read_whole_file(path, &length);
    if (text != NULL) runs += check_text(names[k], text, first, last);
    free(text);
    free(names[k]);
  }
  free(names);
  return runs;
}

TEST(models_of_the_language_go_on_in_a_clone) {
  CHECK(check_folder(BRINK_SOURCE_DIR "/tests/lang/run", ".hsml", "", BRINK_ADAMS, BRINK_TAYLOR) >
        300);
}

TEST(models_at_their_edges_go_on_in_a_clone) {
  CHECK(check_folder(BRINK_SOURCE_DIR "/tests/witness", ".hsml", "", BRINK_ADAMS, BRINK_BDF) > 400);
}

TEST(models_of_the_collection_go_on_in_a_clone) {
  CHECK(check_folder(BRINK_SOURCE_DIR "/models", "", "/model.hsml", BRINK_ADAMS, BRINK_DOPRI) >
        100);
}

TEST(instances_of_other_systems_have_other_runs) {
  static char text[] = HSML_MODEL("state(x, real);", "x := 1.0;", "x' = -x;", "");
  brink_unit *units[2];
  brink_system *systems[] = {hsml_try_flatten(text, NULL, &units[0]),
                             hsml_try_flatten(text, NULL, &units[1])};
  brink_instance_options options = {.interpret = true},
                         warns = {.interpret = true, .range_warns = true};
  brink_instance *a = NULL, *b = NULL, *c = NULL;
  brink_diag diag;
  CHECK_INT(brink_instance_create(systems[0], &options, NULL, NULL, &a), BRINK_OK);
  CHECK_INT(brink_instance_create(systems[1], &options, NULL, NULL, &b), BRINK_OK);
  CHECK_INT(brink_instance_create(systems[0], &warns, NULL, NULL, &c), BRINK_OK);
  CHECK_INT(brink_instance_copy_run(a, b, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "one system");
  CHECK_INT(brink_instance_copy_run(a, c, &diag), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_instance_copy_run(NULL, a, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_instance_copy_run(a, NULL, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_instance_copy_run(a, a, NULL), BRINK_OK);
  b->dropped_warnings = 3; /* more than are kept */
  brink_instance *d = NULL;
  CHECK_INT(brink_instance_clone(b, NULL, NULL, &d), BRINK_OK);
  CHECK_INT(brink_instance_copy_run(d, b, NULL), BRINK_OK);
  CHECK_INT(d->dropped_warnings, 3);
  brink_instance_destroy(d);
  brink_instance_destroy(a);
  brink_instance_destroy(b);
  brink_instance_destroy(c);
  for (int k = 0; k < 2; k++) {
    brink_system_destroy(systems[k]);
    brink_unit_destroy(units[k]);
  }
}

int main(void) {
  RUN(instances_of_other_systems_have_other_runs);
  RUN(models_of_the_language_go_on_in_a_clone);
  RUN(models_at_their_edges_go_on_in_a_clone);
  RUN(models_of_the_collection_go_on_in_a_clone);
  return check_done();
}
