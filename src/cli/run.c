/* run.c: brink run: simulate, record, sum up. */
#include "cli/run.h"

#include <string.h>

#include "cli/crowd.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "sim/sim.h"

/* Between two looks at the clock and at signals. */
#define STEPS_AT_A_TIME 64

/* ---- making it ---- */

static brink_status create_one(cli_simulation *run) {
  const cli_settings *settings = &run->settings;
  brink_options options = settings->options;
  options.max_steps = STEPS_AT_A_TIME;
  brink_instance_options wishes = {
      .interpret = settings->interpret,
      .rtol = options.rtol,
      .atol = options.atol,
      .seed = settings->seed,
      .inputs = run->loaded.input.path != NULL ? &run->loaded.input.table : NULL,
      .range_warns = settings->range_warns,
      .wants_jacobian = cli_judge_is_full(run)}; /* its pattern tells what an event depends on */
  if (options.method == BRINK_AUTO || options.method == BRINK_TAYLOR) {
    wishes.wants_flow_jet = true;
    wishes.only_if_worth = options.method == BRINK_AUTO;
    wishes.flow_order = options.order;
  }
  brink_status status =
      brink_instance_create(run->loaded.system, &wishes, NULL, &run->diag, &run->instance);
  if (status != BRINK_OK) return status;
  return brink_sim_create(brink_instance_model(run->instance), &options, NULL, &run->diag,
                          &run->sim);
}

/* Agents that cannot have clocks of their own, after all, go into one system. */
static brink_status create(cli_simulation *run) {
  if (run->loaded.tables == NULL) return create_one(run);
  brink_status status = cli_crowd_create(run);
  if (status != BRINK_ERR_UNSUPPORTED) return status;
  cli_crowd_destroy(run->crowd);
  run->crowd = NULL;
  run->refused = cli_load_one(&run->loaded, run->arguments);
  return run->refused == CLI_OK ? create_one(run) : BRINK_ERR_UNSUPPORTED;
}

static void begin_summary(cli_simulation *run) {
  const cli_settings *settings = &run->settings;
  run->summary = (brink_summary){.model = run->loaded.system->name,
                                 .status = "failed",
                                 .seed = settings->seed,
                                 .method = brink_method_name(settings->options.method),
                                 .events_method = brink_events_name(settings->options.events),
                                 .rtol = settings->options.rtol,
                                 .atol = settings->options.atol,
                                 .engine = "none"};
}

static void fill_summary(cli_simulation *run) {
  brink_summary *summary = &run->summary;
  summary->wall_seconds = cli_seconds() - run->start;
  if (run->sim != NULL) {
    summary->stats = *brink_sim_stats(run->sim);
    summary->method = brink_method_name(summary->stats.method);
  }
  if (run->crowd != NULL) cli_crowd_summary(run->crowd, summary);
  if (run->instance == NULL) return;
  summary->engine = brink_instance_engine(run->instance);
  summary->engine_reason = brink_instance_reason(run->instance);
  summary->compile_seconds = brink_instance_compile_seconds(run->instance);
  summary->warnings = brink_instance_warnings(run->instance, &summary->nwarnings);
}

/* ---- simulating ---- */

static brink_status simulate(cli_simulation *run) {
  cli_progress progress = cli_progress_begin(run->settings.progress, run->settings.quiet,
                                             brink_sim_time(run->sim), run->settings.until);
  const brink_stats *stats = brink_sim_stats(run->sim);
  brink_status status;
  do {
    status = brink_sim_run(run->sim, run->settings.until, &run->diag);
    cli_progress_tell(&progress, brink_sim_time(run->sim), stats);
    cli_trajectory_tick(run);
  } while (status == BRINK_ERR_WORK && cli_interrupt_signal() == 0);
  cli_progress_end(&progress);
  return status == BRINK_ERR_WORK ? BRINK_STOPPED : status;
}

/* ---- telling ---- */

static int print(const cli_simulation *run) {
  const cli_settings *settings = &run->settings;
  bool csv_there = settings->out != NULL && strcmp(settings->out, "-") == 0;
  if (!settings->json && (settings->quiet || csv_there)) return CLI_OK;
  brink_text text = {0};
  if (settings->json) {
    bool begun = cli_record_begun(run);
    brink_moment now = begun ? cli_record_now(run) : (brink_moment){0};
    brink_json_summary(&text, &run->summary, begun ? &run->journal : NULL, begun ? &now : NULL);
  } else {
    cli_summary(run, &text);
  }
  cli_output output;
  cli_output_open(&output, "-");
  if (text.failed || run->journal.failed)
    cli_say("out of memory: the summary is not complete");
  else
    cli_output_write(text.data, text.length, &output);
  bool failed = text.failed || run->journal.failed;
  brink_text_free(&text);
  int outcome = cli_output_close(&output);
  return failed ? CLI_NUMERICS : outcome;
}

/* False: the other method cannot be run, which is said. */
static bool compare_with_another(cli_simulation *run) {
  if (cli_interrupt_signal() != 0 || !cli_record_begun(run)) return true;
  brink_status status = cli_against_run(run);
  if (status == BRINK_OK) return true;
  cli_say("--against %s: %s", brink_method_name(run->settings.against),
          status == BRINK_ERR_MEMORY ? "out of memory" : run->diag.message);
  return false;
}

static int simulate_and_tell(cli_simulation *run) {
  brink_status status = create(run);
  if (run->refused != CLI_OK) return run->refused;
  begin_summary(run);
  if (status == BRINK_OK) cli_effects_tell(run);
  run->start = cli_seconds();
  if (status == BRINK_OK && run->crowd != NULL) {
    if (!cli_crowd_begin(run)) return CLI_FILE;
    cli_interrupt_watch();
    status = cli_crowd_simulate(run);
    cli_crowd_end(run, status);
  } else if (status == BRINK_OK) {
    if (!cli_record_begin(run)) return CLI_FILE;
    cli_interrupt_watch();
    status = simulate(run);
    cli_record_end(run);
  }
  fill_summary(run);
  bool compared = compare_with_another(run);
  int outcome = cli_trajectory_close(run, cli_outcome(run, status));
  int reported = cli_report_write(run);
  int printed = print(run);
  int plotted = cli_plot_print(run);
  if (printed == CLI_OK) printed = plotted;
  if (outcome == CLI_OK && !compared) outcome = CLI_NUMERICS;
  return outcome != CLI_OK ? outcome : reported != CLI_OK ? reported : printed;
}

static void clean_up(cli_simulation *run) {
  brink_results_destroy(run->results);
  brink_display_destroy(run->display);
  brink_journal_free(&run->journal);
  brink_columns_free(&run->columns);
  cli_crowd_destroy(run->crowd);
  cli_judge_free(run);
  cli_against_free(run);
  brink_sim_destroy(run->sim);
  brink_instance_destroy(run->instance);
  cli_unload(&run->loaded);
  brink_arena_free(&run->arena);
}

int cli_run(const cli_arguments *arguments) {
  cli_simulation run = {.arguments = arguments};
  brink_arena_init(&run.arena, NULL);
  int outcome = cli_settings_read(&run.settings, arguments);
  if (outcome == CLI_OK) outcome = cli_load(&run.loaded, arguments, arguments->operands[0]);
  if (outcome == CLI_OK)
    outcome = cli_settings_combine(&run.settings, arguments, run.loaded.system);
  if (outcome == CLI_OK) outcome = cli_plot_begin(&run);
  if (outcome == CLI_OK) outcome = simulate_and_tell(&run);
  clean_up(&run);
  return outcome;
}
