/* report.c: what is collected while a run goes on becomes a page. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/page.h"
#include "run/run.h"
#include "sim/sim.h"

enum { LISTED = 2000 }; /* events with their changes, slides, near misses */

/* ---- collecting ---- */

static double guard_value(size_t guard, const brink_moment *moment, void *user) {
  brink_sim *sim = user;
  return brink_eval_peek(&sim->eval, guard, moment->t, moment->x, moment->p, moment->mode);
}

static double guard_tolerance(size_t guard, const brink_moment *moment, void *user) {
  brink_sim *sim = user;
  int64_t counted = sim->eval.stats.guards;
  double tolerance =
      brink_eval_tolerance(&sim->eval, guard, moment->t, moment->x, sim->options.rtol, sim->atol);
  sim->eval.stats.guards = counted;
  return tolerance;
}

brink_status brink_run_display_begin(brink_run *run) {
  if (!run->choice.display) return BRINK_OK;
  brink_display_def def = {
      .sim = run->sim, /* NULL: agents report rows and meetings themselves */
      .columns = brink_run_shown(run),
      .places = &run->columns,
      .wanted = run->choice.wanted,
      .nwanted = run->choice.nwanted,
      .until = brink_run_turned(run, run->until),
      .gaps = &run->gaps,
      .guards = {.value = guard_value, .tolerance = guard_tolerance, .user = run->sim}};
  if (run->sim != NULL) def.guards.count = run->sim->model->def.nguards;
  brink_status status = brink_display_create(&def, NULL, &run->display);
  if (status != BRINK_OK) return brink_diag_set(&run->diag, status, "out of memory");
  run->journal.detailed = run->journal.listed = LISTED;
  return BRINK_OK;
}

brink_status brink_run_prepare_report(brink_run *run, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run must not be NULL");
  if (run->phase != BRINK_RUN_MADE)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "a report begins with the run, which has begun already");
  run->choice.display = run->choice.page = true;
  return BRINK_OK;
}

/* ---- writing ---- */

static bool make_data(brink_run *run, brink_text *data) {
  const brink_file *file = &run->built->model->unit->files[0];
  brink_moment final = brink_run_now(run);
  brink_display_context context = {.summary = &run->summary,
                                   .journal = &run->journal,
                                   .final = &final,
                                   .source_name = file->path,
                                   .source = file->text,
                                   .conditions = brink_conditions_report_page(run)};
  context.facts = brink_run_facts(run, &context.nfacts);
  return brink_display_data(run->display, &context, data);
}

static int append(const char *text, size_t length, void *user) {
  brink_text *page = user;
  brink_text_append(page, text, length);
  return page->failed ? -1 : 0;
}

static brink_status make_page(brink_run *run, brink_text *page, brink_diag *diag) {
  brink_text data = {0};
  brink_writer writer = {.write = append, .user = page};
  brink_diag_clear(diag);
  if (run == NULL || page == NULL || run->phase != BRINK_RUN_FINISHED || run->display == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "no report was prepared, or the run is not finished");
  bool fine = !run->journal.failed && make_data(run, &data) &&
              brink_display_write((const char *)brink_page, brink_page_size, &data, &writer) == 0;
  brink_text_free(&data);
  if (fine) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory: the report is not written");
}

brink_status brink_run_report(brink_run *run, brink_bytes *page, brink_diag *diag) {
  brink_text text = {0};
  if (page == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "page must not be NULL");
  brink_status status = make_page(run, &text, diag);
  if (status == BRINK_OK)
    *page = (brink_bytes){.data = text.data, .length = text.length};
  else
    brink_text_free(&text);
  return status;
}

brink_status brink_run_write_report(brink_run *run, const char *path, brink_diag *diag) {
  brink_bytes page = {0};
  if (path == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "path must not be NULL");
  brink_status status = brink_run_report(run, &page, diag);
  if (status != BRINK_OK) return status;
  FILE *file = fopen(path, "wb");
  bool written = file != NULL && fwrite(page.data, 1, page.length, file) == page.length;
  if (file != NULL && fclose(file) != 0) written = false;
  if (!written)
    status = brink_diag_set(diag, BRINK_ERR_FILE, "cannot write %s: %s", path, strerror(errno));
  brink_bytes_free(&page);
  return status;
}
