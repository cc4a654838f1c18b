/* trajectory.c: --out: rows and events go to a result file. */
#include <signal.h>

#include "cli/progress.h"
#include "cli/run.h"
#include "sim/sim.h"

/* Between two writings of what a run has found so far, and values between two looks at the clock. */
#define SECONDS_AT_A_TIME 2.0
#define VALUES_AT_A_TIME 4096

static int on_row(const brink_moment *moment, void *user) {
  cli_simulation *run = user;
  if (!brink_results_row(run->results, moment)) return CLI_FILE;
  run->values += run->columns.count + 1;
  if (run->values >= VALUES_AT_A_TIME) { /* a step may have many rows */
    cli_trajectory_tick(run);
    run->values = 0;
  }
  run->cut = cli_interrupt_signal() != 0;
  return cli_interrupt_signal();
}

static double grid_time(int64_t k, void *user) {
  const cli_simulation *run = user;
  return brink_ticks_time(&run->grid, k);
}

bool cli_trajectory_begin(cli_simulation *run) {
  const brink_system *system = run->loaded.system;
  if (run->settings.out == NULL) return true;
  bool traced = run->crowd != NULL || brink_trace_init(&run->trace, run->sim, system->nx,
                                                       system->np, system->nmodes, &run->arena);
  if (!traced || !brink_columns_names(&run->columns)) {
    cli_say("out of memory");
    return false;
  }
  run->trace.row = on_row;
  run->trace.user = run;
  if (run->settings.every > 0.0 && run->crowd == NULL) {
    run->grid = brink_ticks_make(run->settings.every, brink_sim_time(run->sim));
    run->trace.grid = grid_time;
  }
  brink_results_def def = {.path = run->settings.out, .columns = &run->columns};
  def.facts = cli_facts(run, &def.nfacts);
  run->flushed = cli_seconds();
  signal(SIGXFSZ, SIG_IGN); /* a file as large as it may be is told like a full disk */
  if (brink_results_open(&def, NULL, &run->diag, &run->results)) return true;
  cli_say("%s", run->diag.message);
  return false;
}

void cli_trajectory_told(cli_simulation *run, const brink_told *told) {
  if (run->results != NULL) brink_results_event(run->results, told, told->row);
}

void cli_trajectory_tick(cli_simulation *run) {
  if (run->results == NULL || cli_seconds() < run->flushed + SECONDS_AT_A_TIME) return;
  brink_results_flush(run->results);
  run->flushed = cli_seconds();
}

/* Cut inside a step, the file ends there: a row at the step's end would come after a gap. */
void cli_trajectory_end(cli_simulation *run) {
  if (run->results != NULL && !run->cut) brink_trace_end(&run->trace);
}

static const char lost[] = "the results could not be written";

static void say_problem(const cli_simulation *run) {
  double t;
  const char *problem = brink_results_problem(run->results);
  if (brink_results_kept(run->results, &t) > 0)
    cli_say("%s; the rows up to t = %.10g are there and readable", problem, t);
  else
    cli_say("%s", problem);
}

const char *cli_trajectory_lost(const cli_simulation *run) {
  if (run->results == NULL || brink_results_problem(run->results)[0] == '\0') return NULL;
  say_problem(run);
  return lost;
}

int cli_trajectory_close(cli_simulation *run, int outcome) {
  brink_summary *summary = &run->summary;
  if (run->results == NULL || brink_results_problem(run->results)[0] != '\0') return outcome;
  const char *status = summary->reason != NULL ? summary->reason : summary->status;
  double t;
  if (!brink_results_close(run->results, status, summary->reason == NULL)) {
    say_problem(run);
    summary->status = "failed";
    summary->reason = "file";
    summary->message = lost;
    return outcome != CLI_OK ? outcome : CLI_FILE;
  }
  if (outcome > 128 && brink_results_kept(run->results, &t) > 0)
    cli_say("%s holds the rows up to t = %.10g", run->settings.out, t);
  return outcome;
}
