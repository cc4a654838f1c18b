/* A run of HSML that several ranks make together leaves behind what one process does: rows, events with their notes, counts,
 * and what it says when it fails. The ranks are threads. tests/cluster/run.sh does the same with MPI. */
#include <brink/record.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "run/ranks.h"
#include "support/thread_ranks.h"

enum { RANKS = 3 };

static const char robots[] = BRINK_SOURCE_DIR "/tests/cluster/robots.hsml";

/* What a run leaves behind. */
typedef struct legacy {
  brink_status status;
  double *values;
  size_t nvalues, nevents;
  char *summary; /* up to the times that were measured */
} legacy;

static void free_legacy(legacy *l) {
  free(l->values);
  free(l->summary);
}

static brink_run *make(brink_hsml *model) {
  brink_diag diag;
  brink_run_options options;
  brink_run *run = NULL;
  CHECK_MSG(brink_hsml_options(model, &options, &diag) == BRINK_OK, "%s", diag.message);
  options.threads = 1;
  options.every = 0.25;
  options.until = 1.5;
  options.interpret = true;
  CHECK_MSG(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK, "%s", diag.message);
  return run;
}

/* To the end, as one process or as rank 0. */
static void go(brink_run *run, legacy *left) {
  brink_trajectory kept = {0};
  brink_bytes summary = {0};
  brink_diag diag;
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  run->choice.json = true;
  left->status = brink_run_to(run, 1.5, &diag);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK);
  CHECK(brink_run_trajectory(run, &kept, NULL) == BRINK_OK);
  left->nvalues = kept.rows * (kept.ncolumns + 1);
  left->nevents = kept.nevents;
  left->values = malloc((left->nvalues + 1) * sizeof *left->values);
  memcpy(left->values, kept.values, left->nvalues * sizeof *left->values);
  CHECK(brink_run_summary(run, &summary, NULL) == BRINK_OK);
  left->summary = calloc(summary.length + 1, 1);
  memcpy(left->summary, summary.data, summary.length);
  char *measured = strstr(left->summary, "\"engine\"");
  CHECK(measured != NULL);
  if (measured != NULL) *measured = '\0';
  brink_bytes_free(&summary);
}

/* ---- ranks ---- */

/* A knob of the model that is set. */
typedef struct change {
  const char *name; /* NULL: none is */
  double value;
} change;

typedef struct trial {
  change changed;
  legacy left;
  brink_status status[RANKS];
  const char *reason[RANKS];
  bool failed;
  int64_t rounds;
} trial;

static brink_hsml *load(const change *changed) {
  brink_diag diag;
  brink_hsml *model = NULL;
  CHECK_MSG(brink_hsml_load_file(robots, &diag, &model) == BRINK_OK, "%s", diag.message);
  if (changed->name != NULL)
    CHECK_MSG(brink_hsml_set(model, changed->name, changed->value, &diag) == BRINK_OK, "%s",
              diag.message);
  return model;
}

static void part(brink_ranks *ranks, void *user) {
  trial *t = user;
  brink_diag diag;
  brink_domain_stats stats = {0};
  brink_hsml *model = load(&t->changed);
  brink_run *run = make(model);
  t->status[ranks->rank] = brink_run_use_ranks(run, ranks, 60.0, &t->reason[ranks->rank], &diag);
  if (ranks->rank == 0) {
    go(run, &t->left);
    t->failed = brink_run_ranks_failed(run);
    if (brink_run_rank_statistics(run, &stats)) t->rounds = stats.rounds;
  } else {
    t->status[ranks->rank] = brink_run_follow(run, 1.5, &diag);
  }
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

static void compare(change changed, brink_status status) {
  legacy alone = {0};
  trial t = {.changed = changed};
  brink_hsml *model = load(&changed);
  brink_run *run = make(model);
  go(run, &alone);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  CHECK_INT(alone.status, status);
  CHECK(alone.nevents > 0);
  thread_ranks_run(RANKS, part, &t);
  for (size_t r = 0; r < RANKS; r++) {
    CHECK_MSG(t.reason[r] == NULL, "rank %zu: %s", r, t.reason[r]);
    CHECK_INT(t.status[r], BRINK_OK);
  }
  CHECK(!t.failed);
  CHECK(t.rounds > 0);
  CHECK_INT(t.left.status, alone.status);
  CHECK_INT(t.left.nevents, alone.nevents);
  CHECK_INT(t.left.nvalues, alone.nvalues);
  CHECK(t.left.nvalues == alone.nvalues &&
        memcmp(t.left.values, alone.values, alone.nvalues * sizeof *alone.values) == 0);
  CHECK(strcmp(t.left.summary, alone.summary) == 0);
  free_legacy(&alone);
  free_legacy(&t.left);
}

TEST(a_run_by_ranks_leaves_behind_what_one_process_does) {
  compare((change){0}, BRINK_TIME_REACHED);
}
TEST(an_action_ends_a_run_by_ranks) {
  compare((change){"last", 500.0}, BRINK_STOPPED);
}
TEST(an_action_fails_in_a_run_by_ranks) {
  compare((change){"worst", 300.0}, BRINK_ERR_CALLBACK);
}

int main(void) {
  RUN(a_run_by_ranks_leaves_behind_what_one_process_does);
  RUN(an_action_ends_a_run_by_ranks);
  RUN(an_action_fails_in_a_run_by_ranks);
  return check_done();
}
