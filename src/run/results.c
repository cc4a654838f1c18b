/* results.c: rows and events of a run go to a result file, and to memory. */
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/population_run.h"
#include "run/run.h"
#include "sim/sim.h"

/* Between two writings of what a run has found so far, and values between two looks at the clock. */
#define SECONDS_AT_A_TIME 2.0
#define VALUES_AT_A_TIME 4096
/* Of one step, before brink_run_cancel may cut them off: the run cannot go on after that, so no step of usual length
 * is cut. */
#define ROWS_AT_LEAST 1024

static int on_row(const brink_moment *moment, void *user) {
  brink_run *run = user;
  if (!brink_results_row(run->results, moment)) return 1;
  run->values += run->kept.count + 1;
  if (run->values >= VALUES_AT_A_TIME) { /* a step may have many rows */
    brink_run_results_flush(run);
    run->values = 0;
  }
  run->cut = (++run->rows_of_step >= ROWS_AT_LEAST && brink_run_is_cancelled(run)) ||
             !brink_run_checkpoint_row(run, moment->t);
  return run->cut;
}

static double grid_time(int64_t k, void *user) {
  const brink_run *run = user;
  return brink_ticks_time(&run->grid, k);
}

static brink_status out_of_memory(brink_run *run) {
  return brink_diag_set(&run->diag, BRINK_ERR_MEMORY, "out of memory");
}

/* Results in memory are a file that has no name. */
static brink_status open_memory(brink_run *run, const char **path) {
  char name[64];
  run->memory_file = memfd_create("brink-results", MFD_CLOEXEC);
  if (run->memory_file < 0)
    return brink_diag_set(&run->diag, BRINK_ERR_FILE, "results cannot be kept in memory: %s",
                          strerror(errno));
  snprintf(name, sizeof name, "/proc/self/fd/%d", run->memory_file);
  *path = brink_arena_text(&run->arena, name);
  return *path != NULL ? BRINK_OK : out_of_memory(run);
}

static bool begin_trace(brink_run *run) {
  const brink_system *system = run->system;
  if (run->population_run != NULL) return true;
  if (!brink_trace_init(&run->trace, run->sim, system->nx, system->np, system->nmodes, &run->arena))
    return false;
  run->trace.row = on_row;
  run->trace.user = run;
  if (run->options.every > 0.0) {
    run->grid = brink_ticks_make(run->options.every, brink_sim_time(run->sim));
    run->trace.grid = grid_time;
  }
  return true;
}

brink_status brink_run_results_begin(brink_run *run) {
  const brink_record_choice *choice = &run->choice;
  brink_results_def def = {
      .path = choice->path, .format = choice->format, .columns = &run->kept, .gaps = &run->gaps};
  bool file = choice->path != NULL || choice->format != NULL;
  if (!file && !choice->trajectory) return BRINK_OK;
  if (!begin_trace(run) || !brink_columns_names(&run->kept)) return out_of_memory(run);
  brink_status status = choice->format != NULL ? open_memory(run, &def.path) : BRINK_OK;
  if (status != BRINK_OK) return status;
  if (file) def.facts = brink_run_facts(run, &def.nfacts);
  brink_moment start = brink_run_now(run);
  def.start = &start;
  def.keeps = choice->trajectory;
  def.saved = run->saved;
  run->flushed = brink_seconds();
  if (brink_results_open(&def, &run->arena.allocator, &run->diag, &run->results)) return BRINK_OK;
  return run->diag.status;
}

void brink_run_results_event(brink_run *run, const brink_logged_event *logged) {
  if (run->results != NULL) brink_results_event(run->results, logged, logged->row);
}

void brink_run_results_flush(brink_run *run) {
  if (run->results == NULL || brink_seconds() < run->flushed + SECONDS_AT_A_TIME) return;
  brink_results_flush(run->results);
  run->flushed = brink_seconds();
}

/* Cut inside a step, the file ends there: a row at the step's end would come after a gap. */
void brink_run_results_end(brink_run *run) {
  if (run->results != NULL && !run->cut) brink_trace_end(&run->trace);
}

brink_status brink_run_results_status(const brink_run *run) {
  return run->results != NULL ? brink_results_status(run->results) : BRINK_OK;
}

/* "cannot write to FILE: …; the rows up to t = 3 are there and readable" */
static void describe_loss(brink_run *run, brink_status status) {
  double t;
  const char *problem = brink_results_problem(run->results);
  if (status == BRINK_ERR_FILE && brink_results_kept(run->results, &t) > 0)
    brink_diag_set(&run->diag, status, "%s; the rows up to t = %.10g are there and readable",
                   problem, t);
  else
    brink_diag_set(&run->diag, status, "%s", problem);
}

void brink_run_results_close(brink_run *run) {
  const brink_summary *summary = &run->summary;
  if (run->results == NULL) return;
  const char *status = summary->reason != NULL ? summary->reason : summary->status;
  brink_results_close(run->results, status, summary->reason == NULL);
  brink_status lost = brink_run_results_status(run);
  if (lost == BRINK_OK) return;
  describe_loss(run, lost);
  brink_run_judge(run); /* it failed, whatever it was before */
}

/* ---- for callers ---- */

/* Recordings are chosen before the first step. */
static brink_status check_choice(const brink_run *run, const void *given, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL || given == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run and path must not be NULL");
  if (run->phase != BRINK_RUN_MADE)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "a recording begins with the run, which has begun already");
  return BRINK_OK;
}

brink_status brink_run_record(brink_run *run, const char *path, brink_diag *diag) {
  brink_status status = check_choice(run, path, diag);
  if (status != BRINK_OK) return status;
  if (!brink_results_knows(path))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "the ending decides what is written: %s; - is CSV on standard output",
                          BRINK_RESULTS_ENDINGS);
  run->choice.path = brink_arena_text(&run->arena, path);
  if (run->choice.path != NULL) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

brink_status brink_run_record_memory(brink_run *run, const char *format, brink_diag *diag) {
  char name[16];
  brink_status status = check_choice(run, format, diag);
  if (status != BRINK_OK) return status;
  snprintf(name, sizeof name, "x.%s", format);
  if (strlen(format) > 8 || !brink_results_knows(name))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "'%s' is not csv, mat or h5", format);
  run->choice.format = brink_arena_text(&run->arena, format);
  if (run->choice.format != NULL) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

brink_status brink_run_keep_trajectory(brink_run *run, brink_diag *diag) {
  brink_status status = check_choice(run, run, diag);
  if (status == BRINK_OK) run->choice.trajectory = true;
  return status;
}

brink_status brink_run_trajectory(brink_run *run, brink_trajectory *trajectory, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL || trajectory == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run and trajectory must not be NULL");
  *trajectory = (brink_trajectory){0};
  if (!run->choice.trajectory)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "no trajectory is kept: call brink_run_keep_trajectory before the run");
  if (run->results == NULL) return BRINK_OK;
  brink_results_trajectory(run->results, trajectory);
  bool whole = brink_run_results_status(run) != BRINK_ERR_MEMORY && !run->journal.failed;
  if (whole) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory: the trajectory is not complete");
}

void brink_bytes_free(brink_bytes *bytes) {
  if (bytes == NULL) return;
  free(bytes->data);
  *bytes = (brink_bytes){0};
}

/* All of a file from its beginning. False: it cannot be read, or memory is out. */
static bool read_all(int file, brink_bytes *bytes) {
  off_t size = lseek(file, 0, SEEK_END);
  bytes->data = size >= 0 ? malloc((size_t)size + 1) : NULL;
  if (bytes->data == NULL) return false;
  while (bytes->length < (size_t)size) {
    ssize_t got = pread(file, bytes->data + bytes->length, (size_t)size - bytes->length,
                        (off_t)bytes->length);
    if (got <= 0) break;
    bytes->length += (size_t)got;
  }
  bytes->data[bytes->length] = '\0';
  return bytes->length == (size_t)size;
}

brink_status brink_run_recorded(brink_run *run, brink_bytes *bytes, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL || bytes == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run and bytes must not be NULL");
  *bytes = (brink_bytes){0};
  if (run->phase != BRINK_RUN_FINISHED || run->memory_file < 0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "nothing was recorded to memory, or the run is not finished");
  if (read_all(run->memory_file, bytes)) return BRINK_OK;
  brink_bytes_free(bytes);
  return brink_diag_set(diag, BRINK_ERR_FILE, "what was recorded cannot be read back");
}
