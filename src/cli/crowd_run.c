/* crowd_run.c: the loop of a run of agents, and its rows. See crowd.h.
 *
 * Between two turns of the engine every agent may be read from the present to the time of the next turn: rows at
 * equal distances are read then. */
#include <math.h>

#include "cli/crowd.h"
#include "cli/progress.h"

enum {
  TURNS_AT_A_TIME = 256,  /* between two looks at the clock and at signals, if nobody watches */
  LOOK_EVERY = 64,        /* … if somebody does */
  MOST_FRAMES = 1000,     /* of the report, … */
  FEWEST_FRAMES = 60,     /* … of many agents */
  MOST_VALUES = 20000000, /* read for it */
};

/* ---- rows ---- */

void cli_crowd_row(cli_crowd *crowd, const cli_view *view, bool rests) {
  cli_simulation *run = crowd->run;
  if (run->results == NULL) return;
  brink_moment moment = cli_view_moment(view);
  brink_results_row(run->results, &moment);
  crowd->last = view->t;
  crowd->told = rests;
}

/* Samples before t, or, at the end of the run, up to it. */
static void read_rows(cli_crowd *crowd, double before, bool last) {
  cli_samples *rows = &crowd->rows;
  while (rows->any) {
    double t = brink_ticks_time(&rows->ticks, rows->next);
    if (last ? t > before : t >= before) return;
    rows->next++;
    if (t < crowd->last || (t == crowd->last && crowd->told)) continue;
    cli_view_fill(crowd, &crowd->before, t);
    cli_crowd_row(crowd, &crowd->before, true);
  }
}

static void read_frames(cli_crowd *crowd, double before, bool last) {
  cli_samples *frames = &crowd->frames;
  while (frames->any) {
    double t = brink_ticks_time(&frames->ticks, frames->next);
    if (last ? t > before : t >= before) return;
    frames->next++;
    cli_view_fill(crowd, &crowd->before, t);
    brink_moment moment = cli_view_moment(&crowd->before);
    brink_display_row(crowd->run->display, &moment);
  }
}

/* ---- begin ---- */

static size_t count_frames(const cli_crowd *crowd) {
  double numbers = (double)crowd->tables->all->nx + 1.0;
  double frames = fmin(fmax(MOST_VALUES / numbers, FEWEST_FRAMES), MOST_FRAMES);
  return (size_t)frames;
}

static void plan_samples(cli_crowd *crowd) {
  const cli_simulation *run = crowd->run;
  double t0 = brink_agents_time(crowd->agents), until = run->settings.until;
  crowd->rows.any = run->results != NULL && run->settings.every > 0.0;
  if (crowd->rows.any) crowd->rows.ticks = brink_ticks_make(run->settings.every, t0);
  crowd->frames.any = run->display != NULL && until > t0;
  if (crowd->frames.any)
    crowd->frames.ticks = brink_ticks_make((until - t0) / (double)count_frames(crowd), t0);
}

bool cli_crowd_begin(cli_simulation *run) {
  cli_crowd *crowd = run->crowd;
  const brink_system *all = crowd->tables->all;
  brink_computed computed = cli_view_computed(crowd);
  if (!cli_view_create(crowd) ||
      brink_columns_init(&run->columns, all, &computed, NULL) != BRINK_OK) {
    cli_say("out of memory");
    return false;
  }
  brink_journal_init(&run->journal, &run->columns, all->nx, run->settings.json);
  if (!cli_report_begin(run) || !cli_trajectory_begin(run)) return false;
  cli_record_listen(run);
  crowd->computes = run->columns.computes && (run->results != NULL || run->display != NULL);
  plan_samples(crowd);
  cli_tell_begin(crowd);
  return true;
}

/* ---- the loop ---- */

/* Does somebody look at every turn? Then one is taken at a time. */
static bool is_watched(const cli_crowd *crowd) {
  for (size_t k = 0; k < crowd->tables->npopulations; k++) {
    if (crowd->tables->populations[k].one->nrules > 0) return true;
  }
  return crowd->run->results != NULL || crowd->run->display != NULL;
}

static void first_row(cli_crowd *crowd) {
  cli_simulation *run = crowd->run;
  if (run->results == NULL) return;
  cli_view_fill(crowd, &crowd->before, brink_agents_time(crowd->agents));
  cli_crowd_row(crowd, &crowd->before, true);
}

static void last_row(cli_crowd *crowd) {
  cli_simulation *run = crowd->run;
  brink_moment now = cli_crowd_now(crowd);
  if (run->results != NULL && !(crowd->told && crowd->last == now.t))
    cli_crowd_row(crowd, &crowd->before, true);
  if (run->display != NULL) brink_display_row(run->display, &now);
}

static bool is_lost(const cli_simulation *run) {
  return run->results != NULL && brink_results_problem(run->results)[0] != '\0';
}

static brink_status take_turns(cli_crowd *crowd, cli_progress *progress) {
  cli_simulation *run = crowd->run;
  double until = run->settings.until;
  bool watched = is_watched(crowd);
  brink_status status = BRINK_ERR_WORK;
  for (int64_t k = 0; status == BRINK_ERR_WORK; k++) {
    double horizon = brink_agents_horizon(crowd->agents);
    read_rows(crowd, horizon, false);
    read_frames(crowd, horizon, false);
    status = brink_agents_run(crowd->agents, until, watched ? 1 : TURNS_AT_A_TIME, &run->diag);
    cli_tell_settle(crowd, status == BRINK_ERR_WORK || status == BRINK_TIME_REACHED);
    if (watched && k % LOOK_EVERY != 0) continue;
    cli_progress_tell(progress, brink_agents_time(crowd->agents),
                      &brink_agents_statistics(crowd->agents)->sum);
    cli_trajectory_tick(run);
    if (cli_interrupt_signal() != 0 || is_lost(run)) break;
  }
  return status == BRINK_ERR_WORK ? BRINK_STOPPED : status;
}

brink_status cli_crowd_simulate(cli_simulation *run) {
  cli_crowd *crowd = run->crowd;
  double t0 = brink_agents_time(crowd->agents);
  if (crowd->ended) return BRINK_ERR_CALLBACK;
  cli_progress progress =
      cli_progress_begin(run->settings.progress, run->settings.quiet, t0, run->settings.until);
  brink_status status = brink_agents_begin(crowd->agents, run->settings.until, &run->diag);
  crowd->begun = status == BRINK_OK;
  cli_tell_settle(crowd, status == BRINK_OK);
  if (status == BRINK_OK) {
    first_row(crowd);
    status = take_turns(crowd, &progress);
  }
  cli_progress_end(&progress);
  return status;
}

void cli_crowd_end(cli_simulation *run, brink_status status) {
  cli_crowd *crowd = run->crowd;
  if (crowd->begun) cli_tell_slides(crowd);
  if (status == BRINK_TIME_REACHED && !is_lost(run)) {
    read_rows(crowd, run->settings.until, true);
    read_frames(crowd, run->settings.until, true);
  }
  crowd->computes = run->columns.computes;
  cli_view_fill(crowd, &crowd->before, brink_agents_time(crowd->agents));
  /* Who ended the run is as that left it. */
  if (status != BRINK_TIME_REACHED && crowd->any && crowd->after.t == crowd->before.t)
    cli_tell_adopt(crowd);
  crowd->over = true;
  if (!is_lost(run)) last_row(crowd);
}

brink_moment cli_crowd_now(cli_crowd *crowd) {
  if (!crowd->over) cli_view_fill(crowd, &crowd->before, brink_agents_time(crowd->agents));
  return cli_view_moment(&crowd->before);
}
