/* report.c: --report: what is collected while the run goes on becomes a page. */
#include <string.h>

#include "cli/run.h"
#include "record/page.h"
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

/* A report that cannot be written is better known before the run than after it. */
static bool is_writable(const char *path) {
  cli_output output;
  return cli_output_append(&output, path) && cli_output_close(&output) == CLI_OK;
}

bool cli_report_begin(cli_simulation *run) {
  if (run->settings.report == NULL && run->settings.plot == NULL) return true;
  if (run->settings.report != NULL && !is_writable(run->settings.report)) return false;
  brink_display_def def = {
      .sim = run->sim, /* NULL: agents tell rows and meetings themselves */
      .columns = &run->columns,
      .wanted = run->wanted,
      .nwanted = run->nwanted,
      .until = run->settings.until,
      .guards = {.value = guard_value, .tolerance = guard_tolerance, .user = run->sim}};
  if (brink_display_create(&def, NULL, &run->display) != BRINK_OK) {
    cli_say("out of memory");
    return false;
  }
  run->journal.detailed = run->journal.listed = LISTED;
  return true;
}

/* ---- writing ---- */

static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static bool make_data(cli_simulation *run, brink_text *data) {
  const brink_file *file = &run->loaded.unit->files[0];
  brink_moment final = cli_record_now(run);
  brink_display_context context = {.summary = &run->summary,
                                   .journal = &run->journal,
                                   .final = &final,
                                   .source_name = name_of(file->path),
                                   .source = file->text,
                                   .conditions = cli_judge_page(run)};
  context.facts = cli_facts(run, &context.nfacts);
  if (brink_display_data(run->display, &context, data)) return true;
  cli_say("out of memory: the report is not written");
  return false;
}

int cli_report_write(cli_simulation *run) {
  if (run->settings.report == NULL || run->display == NULL) return CLI_OK;
  brink_text data = {0};
  cli_output output;
  int outcome = CLI_FILE;
  if (make_data(run, &data) && cli_output_open(&output, run->settings.report)) {
    brink_writer writer = {.write = cli_output_write, .user = &output};
    brink_display_write((const char *)brink_page, brink_page_size, &data, &writer);
    outcome = cli_output_close(&output);
    run->reported = outcome == CLI_OK;
  }
  brink_text_free(&data);
  return outcome;
}
