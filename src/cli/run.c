/* run.c: brink run and brink condition: simulate, record, sum up. */
#include "cli/run.h"

#include <math.h>
#include <string.h>

#include "base/show.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "run/conditions.h"
#include "run/ranks.h"

/* Steps between two looks at the progress. */
#define STEPS_AT_A_TIME 256

/* ---- what is recorded ---- */

/* The command line, for provenance. */
static const char *command_of(cli_simulation *sim) {
  brink_text text = {0};
  cli_command_line(sim->arguments, &text);
  const char *kept = text.failed ? NULL : brink_arena_text(&sim->arena, text.data);
  brink_text_free(&text);
  return kept; /* NULL: out of memory */
}

static bool is_condition(const cli_simulation *sim) {
  return sim->arguments->command == &cli_commands[CLI_COMMAND_CONDITION];
}

static int choose(cli_simulation *sim) {
  const cli_settings *settings = &sim->settings;
  sim->run->choice = (brink_record_choice){.path = settings->out,
                                           .keep = settings->keep,
                                           .also = sim->also,
                                           .json = settings->json,
                                           .states = settings->json_states,
                                           .display = settings->report != NULL || sim->plot != NULL,
                                           .page = settings->report != NULL,
                                           .conditions = is_condition(sim),
                                           .all_derivatives = settings->sensitivity,
                                           .wanted = sim->wanted,
                                           .nwanted = sim->nwanted,
                                           .source = sim->arguments->operands[0],
                                           .command = command_of(sim),
                                           .against = settings->against,
                                           .against_step = settings->against_step};
  if (sim->run->choice.command != NULL) return CLI_OK;
  cli_say("out of memory");
  return CLI_NUMERICS;
}

/* What is to be kept must be there: on the command line (--keep), or in the model (keep : …). */
static int check_kept(cli_simulation *sim) {
  brink_text problem = {0};
  brink_columns columns;
  const char *given = sim->run->choice.keep = sim->settings.keep;
  brink_keeping keeping = brink_run_keeping(sim->run);
  brink_status status =
      brink_columns_init_kept(&columns, sim->run->system, &keeping, NULL, &problem);
  const char *words = problem.data != NULL ? problem.data : "";
  int outcome = CLI_OK;
  if (status == BRINK_OK) {
    brink_columns_free(&columns);
  } else if (status == BRINK_ERR_MEMORY) {
    cli_say("out of memory");
    outcome = CLI_NUMERICS;
  } else if (given != NULL) {
    outcome = cli_misuse(sim->arguments->command->name, "--keep: %s", words);
  } else {
    cli_complain(sim->arguments->operands[0], "simulation: keep : %s: %s", keeping.patterns, words);
    outcome = CLI_MODEL_ERRORS;
  }
  brink_text_free(&problem);
  return outcome;
}

/* ---- ranks ---- */

/* Seconds without a word of a rank, after which the run fails. */
#define PATIENCE 600.0

/* If this is one of several ranks, the run is divided among them; or else rank 0 makes it alone. *idle: this one has nothing to do. */
static int divide(cli_simulation *sim, bool *idle) {
  brink_diag diag;
  const char *reason = NULL;
  *idle = false;
  if (!sim->ranks.joined) return CLI_OK;
  if (brink_run_use_ranks(sim->run, &sim->ranks.ranks, PATIENCE, &reason, &diag) != BRINK_OK) {
    cli_say("%s", diag.message);
    return CLI_NUMERICS;
  }
  if (reason == NULL) return CLI_OK;
  *idle = !sim->ranks.leads;
  sim->ranks.served = true; /* nobody waits for anybody */
  if (!sim->settings.quiet)
    cli_say("one of %zu processes makes the run: %s", sim->ranks.ranks.count, reason);
  return CLI_OK;
}

/* A rank other than 0 records nothing, and says nothing. */
static int follow(cli_simulation *sim) {
  brink_diag diag;
  brink_status status = brink_run_follow(sim->run, sim->settings.run.until, &diag);
  sim->ranks.served = true;
  if (status == BRINK_OK) return CLI_OK;
  cli_say("%s", diag.message); /* rank 0 knows, and ends all */
  return CLI_NUMERICS;
}

/* ---- simulating ---- */

/* What is odd about the run, each once; a line of progress makes room. */
static void show_warnings(cli_simulation *sim, cli_progress *progress) {
  const brink_run *run = sim->run;
  for (; sim->nshown < run->nstart_warnings; sim->nshown++) {
    const brink_start_warning *warning = &run->start_warnings[sim->nshown];
    brink_hsml_message message = {.severity = BRINK_WARNING, .rendered = warning->rendered};
    if (sim->settings.quiet) continue;
    if (progress != NULL) cli_progress_end(progress);
    if (message.rendered != NULL)
      cli_show_message(&message, sim->arguments);
    else
      cli_say("warning: %s", warning->text);
  }
}

static brink_status simulate(cli_simulation *sim, brink_diag *diag) {
  brink_run *run = sim->run;
  double until = sim->settings.run.until;
  cli_progress progress =
      cli_progress_begin(sim->settings.progress, sim->settings.quiet, brink_run_time(run), until);
  brink_status status;
  cli_interrupt_watch(run);
  cli_crash_watch(sim->settings.out);
  do {
    status = brink_run_to(run, until, diag);
    brink_stats stats = brink_run_information(run).stats;
    show_warnings(sim, &progress);
    cli_progress_show(&progress, brink_run_time(run), &stats);
  } while (status == BRINK_ERR_WORK);
  cli_progress_end(&progress);
  return status;
}

/* ---- checkpoints ---- */

/* Where checkpoints go; from where the run goes on. CLI_OK, or said. */
static int prepare_checkpoints(cli_simulation *sim) {
  const cli_settings *settings = &sim->settings;
  const char *to = settings->checkpoint != NULL ? settings->checkpoint : settings->resume;
  brink_diag diag;
  if (to == NULL) return CLI_OK;
  brink_status status = brink_run_checkpoint(sim->run, to, settings->checkpoint_every, &diag);
  const char *option = "--checkpoint", *name = to;
  if (status == BRINK_OK && settings->resume != NULL) {
    option = "--resume";
    name = settings->resume;
    status = brink_run_resume(sim->run, settings->resume, &diag);
  }
  if (status == BRINK_OK) return CLI_OK;
  cli_say("%s %s: %s", option, name, diag.message);
  bool usage = status == BRINK_ERR_ARGUMENT || status == BRINK_ERR_UNSUPPORTED;
  return usage ? CLI_USAGE : status == BRINK_ERR_FILE ? CLI_FILE : CLI_NUMERICS;
}

/* ---- what became of it ---- */

static void show_failure(const brink_run_outcome *outcome, const char *model,
                         const cli_arguments *arguments) {
  if (outcome->rendered != NULL) {
    brink_hsml_message message = {.severity = BRINK_ERROR, .rendered = outcome->rendered};
    cli_show_message(&message, arguments);
    return;
  }
  if (strstr(outcome->message, "t = ") != NULL) /* it says when by itself */
    cli_say("%s failed: %s", model, outcome->message);
  else
    cli_say("%s failed at t = %.10g: %s", model, outcome->t, outcome->message);
  brink_text hint = {0};
  if (outcome->hint != NULL) brink_text_show(&hint, outcome->hint);
  if (hint.data != NULL) fprintf(stderr, "hint: %s\n", hint.data);
  brink_text_free(&hint);
}

/* The exit code, and words on standard error. */
static int conclude(const cli_simulation *sim, const brink_diag *diag) {
  brink_run *run = sim->run;
  brink_run_outcome outcome = brink_run_result(run);
  double t;
  if (outcome.reason == NULL) return CLI_OK;
  if (strcmp(outcome.reason, "file") == 0) {
    cli_say("%s", diag->message);
    return CLI_FILE;
  }
  if (strcmp(outcome.reason, "interrupted") == 0) {
    cli_say("%s interrupted at t = %.10g", run->summary.model, outcome.t);
    if (run->results != NULL && brink_results_kept(run->results, &t) > 0)
      cli_say("%s holds the rows up to t = %.10g", sim->settings.out, t);
    return 128 + cli_interrupt_signal();
  }
  show_failure(&outcome, run->summary.model, sim->arguments);
  bool by_model = strcmp(outcome.reason, "range") == 0 || strcmp(outcome.reason, "fail") == 0;
  return by_model ? CLI_MODEL_FAILED : CLI_NUMERICS;
}

/* ---- writing ---- */

static int write_report(cli_simulation *sim) {
  brink_bytes page = {0};
  brink_diag diag;
  cli_output output;
  int outcome = CLI_FILE;
  if (sim->settings.report == NULL || sim->run->display == NULL) return CLI_OK;
  if (brink_run_report(sim->run, &page, &diag) != BRINK_OK) {
    cli_say("%s", diag.message);
  } else if (cli_output_open(&output, sim->settings.report)) {
    cli_output_write(page.data, page.length, &output);
    outcome = cli_output_close(&output);
    sim->reported = outcome == CLI_OK;
  }
  brink_bytes_free(&page);
  return outcome;
}

static int print(const cli_simulation *sim) {
  const cli_settings *settings = &sim->settings;
  bool csv_there = settings->out != NULL && strcmp(settings->out, "-") == 0;
  if (!settings->json && (settings->quiet || csv_there)) return CLI_OK;
  brink_text text = {0};
  brink_bytes json = {0};
  bool fine;
  if (settings->json) {
    fine = brink_run_summary(sim->run, &json, NULL) == BRINK_OK;
  } else {
    cli_summary(sim, &text);
    fine = !text.failed && !sim->run->journal.failed;
  }
  cli_output output;
  cli_output_open(&output, "-");
  if (!fine)
    cli_say("out of memory: the summary is not complete");
  else if (settings->json)
    cli_output_write(json.data, json.length, &output);
  else
    cli_output_write(text.data, text.length, &output);
  brink_text_free(&text);
  brink_bytes_free(&json);
  int outcome = cli_output_close(&output);
  return fine ? outcome : CLI_NUMERICS;
}

/* ---- the whole ---- */

/* The run cannot be made. What does not go with the model is wrong usage, as in cli_refuse: another command helps. */
static int refuse(const cli_simulation *sim, brink_status status, const brink_diag *diag) {
  const brink_options *options = &sim->settings.run.sim;
  const char *name = sim->model->built != NULL ? sim->model->built->system->name : "the model";
  brink_summary summary = {.model = name,
                           .status = "failed",
                           .reason = brink_run_reason(status),
                           .message = diag->message,
                           .seed = sim->settings.run.seed,
                           .method = brink_method_name(options->method),
                           .events_method = brink_events_name(options->events),
                           .rtol = options->rtol,
                           .atol = options->atol,
                           .engine = "none"};
  double from = isnan(sim->settings.run.from) ? 0.0 : sim->settings.run.from;
  cli_say("%s failed at t = %.10g: %s", name, from, diag->message);
  bool usage = status == BRINK_ERR_ARGUMENT || status == BRINK_ERR_UNSUPPORTED;
  int outcome = usage ? CLI_USAGE : CLI_NUMERICS;
  if (!sim->settings.json) return outcome;
  brink_text text = {0};
  brink_json_summary(&text, &summary, NULL, NULL);
  int printed = cli_print(&text);
  return printed != CLI_OK ? printed : outcome;
}

static int simulate_and_print(cli_simulation *sim) {
  brink_diag diag, closing;
  brink_run_options options = sim->settings.run;
  options.sim.max_steps = STEPS_AT_A_TIME;
  bool without = brink_run_no_conditions(sim->model->built->system) != NULL;
  options.conditions = is_condition(sim) || (sim->settings.report != NULL && !without);
  brink_status status = brink_run_create(sim->model, &options, NULL, &diag, &sim->run);
  if (status != BRINK_OK) return refuse(sim, status, &diag);
  cli_effects_show(sim);
  int outcome = check_kept(sim);
  if (outcome == CLI_OK) outcome = cli_plot_begin(sim);
  if (outcome == CLI_OK && sim->ranks.leads) outcome = choose(sim);
  if (outcome != CLI_OK) return outcome;
  if (sim->settings.report != NULL && !cli_output_is_writable(sim->settings.report))
    return CLI_FILE;
  outcome = prepare_checkpoints(sim);
  bool idle = false;
  if (outcome == CLI_OK) outcome = divide(sim, &idle);
  if (outcome != CLI_OK || idle) return outcome;
  if (!sim->ranks.leads) return follow(sim);
  status = simulate(sim, &diag);
  if (!brink_run_has_begun(sim->run) || (status == BRINK_ERR_FILE && sim->run->results == NULL)) {
    cli_say("%s", diag.message);
    if (status == BRINK_ERR_ARGUMENT) return CLI_USAGE;
    return status == BRINK_ERR_MEMORY ? CLI_NUMERICS : CLI_FILE;
  }
  brink_status closed = brink_run_finish(sim->run, &closing);
  brink_domain_stats ranks;
  sim->ranks.served = sim->ranks.served || brink_run_rank_statistics(sim->run, &ranks);
  sim->ranks.lost = brink_run_ranks_failed(sim->run) ? 1 : 0;
  show_warnings(sim, NULL);
  outcome = conclude(sim, closed == BRINK_ERR_FILE ? &closing : &diag);
  if (closed != BRINK_OK && closed != BRINK_ERR_FILE) {
    cli_say("--against %s: %s", brink_method_name(sim->settings.against), closing.message);
    if (outcome == CLI_OK) outcome = CLI_NUMERICS;
  }
  int reported = write_report(sim);
  int drawn = cli_waiting_draw(sim);
  int printed = print(sim);
  if (printed == CLI_OK) printed = drawn;
  int plotted = cli_plot_print(sim);
  if (printed == CLI_OK) printed = plotted;
  return outcome != CLI_OK ? outcome : reported != CLI_OK ? reported : printed;
}

/* What concerns the results is rank 0's. */
static void keep_quiet(cli_settings *settings) {
  settings->out = settings->report = settings->waiting = NULL;
  settings->json = false;
  settings->quiet = true;
}

/* What ranks that make one run together cannot do. */
static int check_ranks(const cli_simulation *sim) {
  const char *command = sim->arguments->command->name;
  if (!sim->ranks.joined) {
    if (sim->settings.waiting == NULL) return CLI_OK;
    return cli_misuse(command, "--waiting: one process waits for nobody; start several by mpirun");
  }
  if (strcmp(sim->arguments->operands[0], "-") == 0)
    return cli_misuse(command, "every rank reads the model: give a file");
  if (sim->settings.checkpoint != NULL || sim->settings.resume != NULL)
    return cli_misuse(command, "a run on several ranks has no checkpoints");
  return CLI_OK;
}

/* Alone, or as one of several ranks. */
static int run_with(cli_simulation *sim) {
  const cli_arguments *arguments = sim->arguments;
  bool whole = is_condition(sim);
  brink_arena_init(&sim->arena, NULL);
  int outcome = cli_settings_read(&sim->settings, arguments);
  if (outcome == CLI_OK) outcome = check_ranks(sim);
  if (!sim->ranks.leads) keep_quiet(&sim->settings);
  if (outcome == CLI_OK)
    outcome = cli_load(&sim->model, arguments, arguments->operands[0],
                       whole ? BRINK_BUILD_WHOLE : BRINK_BUILD_RUN);
  if (outcome == CLI_OK)
    outcome = cli_settings_combine(&sim->settings, arguments, sim->model->built->system);
  if (outcome == CLI_OK && isinf(sim->settings.run.until) &&
      !brink_built_can_end(sim->model->built, sim->settings.run.range_warns))
    outcome = cli_misuse(arguments->command->name, "--until inf: %s", BRINK_NEVER_ENDS);
  if (sim->ranks.joined) sim->settings.run.threads = 1; /* each rank has one */
  if (outcome == CLI_OK) outcome = simulate_and_print(sim);
  cli_plot_end(sim);
  brink_run_destroy(sim->run);
  brink_hsml_destroy(sim->model);
  brink_arena_free(&sim->arena);
  return outcome;
}

int cli_run(const cli_arguments *arguments) {
  cli_simulation sim = {.arguments = arguments, .ranks = {.leads = true}};
  int outcome = is_condition(&sim) ? CLI_OK : cli_ranks_open(&sim.ranks, true, false);
  sim.ranks.one_run = true;
  if (outcome != CLI_OK) return outcome;
  outcome = run_with(&sim);
  return cli_ranks_close(&sim.ranks, outcome);
}
