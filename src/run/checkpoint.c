/* checkpoint.c: a run saved and restored, and checkpoints on its way. See <brink/record.h>.
 *
 *     identity    what the run was made of (identity.c)
 *     head        until when it goes; when its results were dated; how often it is saved
 *     results     where the result file ends
 *     the rest    archive.c
 *
 * To restore, a run of the same kind is made and begins: recordings are opened where they were, without cutting anything
 * off; then everything else is read; and when all of it was fine, the result file is cut back to what the checkpoint knew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/checkpoint_file.h"
#include "run/run.h"

static brink_status out_of_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

/* ---- saving ---- */

static void archive_head(brink_run *run, brink_archive *a) {
  int64_t dated = (int64_t)run->dated;
  brink_archive_mark(a, "head");
  brink_archive_double(a, &run->until);
  brink_archive_int64(a, &dated);
  brink_archive_double(a, &run->checkpoints.every);
  if (a->reads) run->dated = (time_t)dated;
}

static brink_status save(brink_run *run, brink_text *packed, brink_diag *diag) {
  brink_archive a;
  brink_archive_write(&a, NULL);
  brink_status status = brink_run_identify(run, &a, diag);
  archive_head(run, &a);
  bool recorded = run->results == NULL || brink_results_save(run->results, &a);
  if (status == BRINK_OK && !recorded && !a.failed)
    status = brink_diag_set(diag, BRINK_ERR_FILE, "%s", brink_results_problem(run->results));
  if (status == BRINK_OK) brink_run_archive(run, &a);
  if (status == BRINK_OK &&
      (a.failed || !brink_checkpoint_pack(a.text.data, a.text.length, packed)))
    status = out_of_memory(diag);
  brink_archive_free(&a);
  return status;
}

static brink_status check(brink_run *run, brink_diag *diag) {
  bool later;
  brink_diag_clear(diag);
  if (brink_run_is_busy(run)) return brink_run_not_inside(diag);
  if (run->phase > BRINK_RUN_BEGUN)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the run is over: there is nothing to save");
  const char *why = brink_run_no_archive(run, &later);
  return why == NULL ? BRINK_OK : brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "%s", why);
}

brink_status brink_run_save(brink_run *run, brink_bytes *bytes, brink_diag *diag) {
  brink_text packed = {0};
  if (bytes != NULL) *bytes = (brink_bytes){0};
  if (run == NULL || bytes == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run and bytes must not be NULL");
  brink_status status = check(run, diag);
  if (status != BRINK_OK) return status;
  if (run->phase == BRINK_RUN_MADE) run->until = run->options.until;
  status = brink_run_begin(run);
  if (status != BRINK_OK) {
    if (diag != NULL) *diag = run->diag;
    return status;
  }
  status = save(run, &packed, diag);
  if (status == BRINK_OK)
    *bytes = (brink_bytes){.data = packed.data, .length = packed.length};
  else
    brink_text_free(&packed);
  return status;
}

/* ---- restoring ---- */

static brink_status damaged(const brink_archive *a, brink_diag *diag) {
  if (a->memory) return out_of_memory(diag);
  return brink_diag_set(diag, BRINK_ERR_FILE, "the checkpoint is damaged: %s cannot be read",
                        a->part[0] != '\0' ? a->part : "its beginning");
}

/* Begins as the run that was saved did, with its recordings. */
static brink_status begin_again(brink_run *run, brink_archive *a, brink_diag *diag) {
  archive_head(run, a);
  if (a->failed) return damaged(a, diag);
  run->saved = a;
  brink_status status = brink_run_begin(run);
  run->saved = NULL;
  if (a->failed) return damaged(a, diag);
  if (status != BRINK_OK && diag != NULL) *diag = run->diag;
  return status;
}

static brink_status restore(brink_run *run, const void *bytes, size_t length, brink_diag *diag) {
  brink_archive a;
  brink_archive_read(&a, bytes, length);
  brink_status status = brink_run_identify(run, &a, diag);
  if (status == BRINK_OK) status = begin_again(run, &a, diag);
  if (status != BRINK_OK) return status;
  brink_run_archive(run, &a);
  brink_archive_check(&a, a.at == a.length);
  if (a.failed) return damaged(&a, diag);
  if (run->results != NULL && !brink_results_cut(run->results))
    return brink_diag_set(diag, BRINK_ERR_FILE, "%s", brink_results_problem(run->results));
  return BRINK_OK;
}

brink_status brink_run_restore(brink_run *run, const void *data, size_t length, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL || (data == NULL && length > 0))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run and data must not be NULL");
  if (brink_run_is_busy(run)) return brink_run_not_inside(diag);
  if (run->phase != BRINK_RUN_MADE)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "the run has begun already: restore into one that has just been made");
  bool later;
  const char *why = brink_run_no_archive(run, &later);
  if (why != NULL) return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "%s", why);
  brink_text bytes = {0};
  brink_checkpointing kept = run->checkpoints;
  brink_status status = brink_checkpoint_unpack(data, length, &bytes, diag);
  if (status == BRINK_OK) status = restore(run, bytes.data, bytes.length, diag);
  brink_text_free(&bytes);
  double every = run->checkpoints.every;
  run->checkpoints = kept;
  if (status != BRINK_OK) {
    run->phase = BRINK_RUN_FINISHED; /* half restored: it moves no more, and writes nothing */
    return status;
  }
  if (run->checkpoints.path != NULL && run->checkpoints.every == 0.0)
    run->checkpoints.every = every;
  run->checkpoints.next = (double)NAN;
  return BRINK_OK;
}

brink_status brink_run_resume(brink_run *run, const char *path, brink_diag *diag) {
  brink_text packed = {0};
  brink_diag_clear(diag);
  if (run == NULL || path == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run and path must not be NULL");
  brink_status status = brink_checkpoint_read(path, &packed, diag);
  if (status == BRINK_OK) status = brink_run_restore(run, packed.data, packed.length, diag);
  brink_text_free(&packed);
  return status;
}

/* ---- on the way ---- */

brink_status brink_run_checkpoint(brink_run *run, const char *path, double every,
                                  brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL || path == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run and path must not be NULL");
  if (!(every >= 0.0) || isinf(every))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "checkpoints every %g: give a positive time, or 0 for that of the run "
                          "that is resumed",
                          every);
  bool later;
  const char *why = brink_run_no_archive(run, &later);
  if (why != NULL && !later) return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "%s", why);
  char *copy = brink_arena_text(&run->arena, path);
  if (copy == NULL) return out_of_memory(diag);
  run->checkpoints = (brink_checkpointing){.path = copy, .every = every, .next = (double)NAN};
  return BRINK_OK;
}

/* The first multiple after t, from the start of the run. */
static double next_after(const brink_run *run, double t) {
  double start = run->system->t0, every = run->checkpoints.every;
  double next = start + (floor((t - start) / every) + 1.0) * every;
  return next > t ? next : t + every;
}

brink_status brink_run_checkpoint_due(brink_run *run) {
  brink_checkpointing *c = &run->checkpoints;
  bool later;
  if (c->path == NULL || !(c->every > 0.0)) return BRINK_OK;
  double t = brink_run_turned(run, brink_run_time(run));
  if (isnan(c->next)) c->next = next_after(run, t);
  if (t < c->next || brink_run_no_archive(run, &later) != NULL) return BRINK_OK;
  brink_text packed = {0};
  brink_status status = save(run, &packed, &run->diag);
  if (status == BRINK_OK)
    status = brink_checkpoint_write(c->path, packed.data, packed.length, &run->diag);
  brink_text_free(&packed);
  c->next = next_after(run, t);
  return status;
}
