/* checkpoint.c: a run saved and restored, and checkpoints on its way. See <brink/record.h>.
 *
 *     identity    what the run was made of (identity.c)
 *     head        how it was asked for; until when it goes; when its results were dated; how often it is saved
 *     results     where the result file ends
 *     the rest    archive.c
 *
 * The rest is the run between two steps. A step may be longer than the time from one checkpoint to the next, and have many
 * rows: the solution of x' = 1 is one step. A checkpoint inside it has the rest as it was the last time that the run was
 * between two steps, with the result file as it is now; who resumes it computes what lies between once more, and does not
 * record it twice (brink_results_save). So no step is ever cut for a checkpoint.
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

/* How the run was asked for: who resumes it does not become its author. */
static void archive_command(brink_run *run, brink_archive *a) {
  const char *given = run->choice.command;
  bool any = given != NULL;
  brink_text text = {0};
  brink_archive_bool(a, &any);
  if (!any) return;
  if (!a->reads) brink_text_append(&text, given, strlen(given));
  brink_archive_text(a, &text);
  if (a->reads && !a->failed && text.length > 0) {
    run->choice.command = brink_arena_text(&run->arena, text.data);
    if (run->choice.command == NULL) brink_archive_no_memory(a);
  }
  brink_text_free(&text);
}

static void archive_head(brink_run *run, brink_archive *a) {
  int64_t dated = (int64_t)run->dated;
  brink_archive_mark(a, "head");
  archive_command(run, a);
  brink_archive_double(a, &run->until);
  brink_archive_int64(a, &dated);
  brink_archive_double(a, &run->checkpoints.every);
  if (a->reads) run->dated = (time_t)dated;
}

/* The run between two steps is kept, for checkpoints inside the next one. */
static void keep_base(brink_run *run, brink_archive *a, size_t from) {
  brink_checkpointing *c = &run->checkpoints;
  if (c->path == NULL || run->results == NULL) return;
  c->base.length = 0;
  brink_text_append(&c->base, (a->reads ? a->bytes : a->text.data) + from,
                    (a->reads ? a->length : a->text.length) - from);
  if (c->base.failed) brink_archive_no_memory(a);
  c->since = brink_results_now(run->results);
}

/* `inside`: in the middle of a step, whose rows are being recorded. */
static brink_status save(brink_run *run, bool inside, brink_text *packed, brink_diag *diag) {
  brink_checkpointing *c = &run->checkpoints;
  brink_archive a;
  brink_archive_write(&a, NULL);
  brink_status status = brink_run_identify(run, &a, diag);
  archive_head(run, &a);
  bool recorded =
      run->results == NULL || brink_results_save(run->results, inside ? &c->since : NULL, &a);
  if (status == BRINK_OK && !recorded && !a.failed)
    status = brink_diag_set(diag, BRINK_ERR_FILE, "%s", brink_results_problem(run->results));
  size_t from = a.text.length;
  if (status == BRINK_OK && inside) brink_archive_bytes(&a, c->base.data, c->base.length);
  if (status == BRINK_OK && !inside) {
    brink_run_archive(run, &a);
    keep_base(run, &a, from);
  }
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
  status = save(run, false, &packed, diag);
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
  size_t from = a.at;
  brink_run_archive(run, &a);
  brink_archive_check(&a, a.at == a.length);
  if (!a.failed) keep_base(run, &a, from);
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
  double given = run->checkpoints.every;
  brink_status status = brink_checkpoint_unpack(data, length, &bytes, diag);
  if (status == BRINK_OK) status = restore(run, bytes.data, bytes.length, diag);
  brink_text_free(&bytes);
  if (given > 0.0) run->checkpoints.every = given;
  if (status != BRINK_OK) {
    run->phase = BRINK_RUN_SPOILT; /* it moves no more, writes nothing, and has nothing to tell */
    return status;
  }
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
  brink_run_checkpoint_end(run);
  run->checkpoints = (brink_checkpointing){.path = copy, .every = every, .next = (double)NAN};
  return BRINK_OK;
}

void brink_run_checkpoint_end(brink_run *run) {
  brink_text_free(&run->checkpoints.base);
  run->checkpoints = (brink_checkpointing){0};
}

/* The first multiple after t, from the start of the run. */
static double next_after(const brink_run *run, double t) {
  double start = run->system->t0, every = run->checkpoints.every;
  double next = start + (floor((t - start) / every) + 1.0) * every;
  return next > t ? next : t + every;
}

brink_status brink_run_checkpoint_begin(brink_run *run) {
  brink_checkpointing *c = &run->checkpoints;
  bool later;
  if (c->path == NULL || c->begun) return BRINK_OK;
  c->begun = true;
  brink_status possible = brink_checkpoint_probe(c->path, &run->diag);
  if (possible != BRINK_OK) return possible;
  if (c->base.length > 0 || run->results == NULL || brink_run_no_archive(run, &later) != NULL)
    return BRINK_OK;
  brink_archive a;
  brink_archive_write(&a, NULL);
  brink_run_archive(run, &a);
  if (!a.failed) keep_base(run, &a, 0);
  brink_status status = a.failed ? out_of_memory(&run->diag) : BRINK_OK;
  brink_archive_free(&a);
  return status;
}

static brink_status write_one(brink_run *run, bool inside, double t, brink_diag *diag) {
  brink_checkpointing *c = &run->checkpoints;
  brink_text packed = {0};
  brink_status status = save(run, inside, &packed, diag);
  if (status == BRINK_OK)
    status = brink_checkpoint_write(c->path, packed.data, packed.length, diag);
  brink_text_free(&packed);
  c->next = next_after(run, t);
  return status;
}

bool brink_run_checkpoint_row(brink_run *run, double t) {
  brink_checkpointing *c = &run->checkpoints;
  if (c->base.length == 0 || c->problem.status != BRINK_OK || !(c->every > 0.0))
    return c->problem.status == BRINK_OK;
  if (isnan(c->next)) c->next = next_after(run, t);
  /* If the step is over soon, the checkpoint is better off behind it. */
  if (t < c->next || c->chance < c->next + c->every) return true;
  return write_one(run, true, t, &c->problem) == BRINK_OK;
}

/* A run inside a step, behind events that changed nothing, is saved inside when it has been so for long. */
brink_status brink_run_checkpoint_due(brink_run *run) {
  brink_checkpointing *c = &run->checkpoints;
  bool later;
  if (c->problem.status != BRINK_OK) {
    run->diag = c->problem;
    return run->diag.status;
  }
  if (c->path == NULL || !(c->every > 0.0)) return BRINK_OK;
  double t = brink_run_turned(run, brink_run_time(run));
  if (isnan(c->next)) c->next = next_after(run, t);
  if (t < c->next) return BRINK_OK;
  bool inside = brink_run_no_archive(run, &later) != NULL;
  if (inside && (c->base.length == 0 || t < c->next + c->every)) return BRINK_OK;
  return write_one(run, inside, t, &run->diag);
}
