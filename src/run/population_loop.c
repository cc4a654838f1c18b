/* population_loop.c: the turns of a run of agents, and its rows. See population_run.h.
 *
 * Between two turns of the engine every agent may be read from the present to the time of the next turn: rows at
 * equal distances are read then. */
#include <math.h>

#include "run/population_run.h"

enum {
  TURNS_AT_A_TIME = 256,  /* if nobody wants to see each of them */
  MOST_FRAMES = 1000,     /* of the report, … */
  FEWEST_FRAMES = 60,     /* … of many agents */
  MOST_VALUES = 20000000, /* read for it */
};

/* ---- rows ---- */

void brink_population_run_row(brink_population_run *self, const brink_view *view, bool rests) {
  brink_run *run = self->run;
  if (run->results == NULL) return;
  brink_moment moment = brink_view_moment(view);
  brink_results_row(run->results, &moment);
  self->last = view->t;
  self->logged = rests;
}

/* What holds at the present; with many agents, as with events, there is none. */
static void present_row(brink_population_run *self) {
  if (!self->few) return;
  brink_view_fill(self, &self->before, brink_population_run_time(self));
  brink_moment moment = brink_view_moment(&self->before);
  brink_population_run_row(self, &self->before, true);
  if (self->run->display != NULL) brink_display_row(self->run->display, &moment);
}

void brink_population_run_before_write(brink_population_run *self) {
  bool told = self->logged && self->last == brink_population_run_time(self);
  if (!self->written && !told) present_row(self);
}

/* Events that follow from it have rows of their own. */
void brink_population_run_written(brink_population_run *self) {
  self->written = !self->happened;
  self->logged = false;
  brink_population_events_settle(self, true);
}

/* Samples before t, or, at the end of the run, up to it. */
static void read_rows(brink_population_run *self, double before, bool last) {
  brink_grid *rows = &self->rows;
  while (rows->any) {
    double t = brink_ticks_time(&rows->ticks, rows->next);
    if (last ? t > before : t >= before) return;
    rows->next++;
    if (t < self->last || (t == self->last && self->logged)) continue;
    brink_view_fill(self, &self->before, t);
    brink_population_run_row(self, &self->before, true);
    self->run->checkpoints.chance = before;
    if (!last && !brink_run_checkpoint_row(self->run, t)) return;
  }
}

static void read_frames(brink_population_run *self, double before, bool last) {
  brink_grid *frames = &self->frames;
  while (frames->any) {
    double t = brink_ticks_time(&frames->ticks, frames->next);
    if (last ? t > before : t >= before) return;
    frames->next++;
    brink_view_fill(self, &self->before, t);
    brink_moment moment = brink_view_moment(&self->before);
    brink_display_row(self->run->display, &moment);
  }
}

/* ---- begin ---- */

static size_t count_frames(const brink_population_run *self) {
  double numbers = (double)self->tables->all->nx + 1.0;
  double frames = fmin(fmax(MOST_VALUES / numbers, FEWEST_FRAMES), MOST_FRAMES);
  return (size_t)frames;
}

static void plan_samples(brink_population_run *self) {
  const brink_run *run = self->run;
  double t0 = brink_agents_time(self->agents), until = run->until;
  self->rows.any = run->results != NULL && run->options.every > 0.0;
  if (self->rows.any) self->rows.ticks = brink_ticks_make(run->options.every, t0);
  self->frames.any = run->display != NULL && until > t0;
  if (self->frames.any)
    self->frames.ticks = brink_ticks_make((until - t0) / (double)count_frames(self), t0);
}

brink_status brink_population_run_begin(brink_run *run) {
  brink_population_run *self = run->population_run;
  const brink_system *all = self->tables->all;
  brink_computed computed = brink_view_computed(self);
  if (!brink_view_create(self))
    return brink_diag_set(&run->diag, BRINK_ERR_MEMORY, "out of memory");
  brink_status status = brink_run_columns_begin(run, &computed);
  if (status != BRINK_OK) return status;
  brink_journal_init(&run->journal, &run->columns, all->nx, run->choice.json);
  run->journal.states = run->choice.states;
  status = brink_run_display_begin(run);
  if (status == BRINK_OK) status = brink_run_results_begin(run);
  if (status != BRINK_OK) return status;
  brink_run_listen(run);
  self->computes = brink_run_computes(run) && (run->results != NULL || run->display != NULL);
  plan_samples(self);
  brink_population_events_begin(self);
  return BRINK_OK;
}

/* ---- turns ---- */

/* Does somebody look at every turn? Then one is taken at a time. */
static bool is_watched(const brink_population_run *self) {
  for (size_t k = 0; k < self->tables->npopulations; k++) {
    if (self->tables->populations[k].one->nrules > 0) return true;
  }
  return self->run->results != NULL || self->run->display != NULL ||
         self->run->observer.event != NULL;
}

static void first_row(brink_population_run *self) {
  brink_run *run = self->run;
  if (run->results == NULL) return;
  brink_view_fill(self, &self->before, brink_agents_time(self->agents));
  brink_population_run_row(self, &self->before, true);
}

static void last_row(brink_population_run *self) {
  brink_run *run = self->run;
  brink_moment now = brink_population_run_now(self);
  if (run->results != NULL && !(self->logged && self->last == now.t))
    brink_population_run_row(self, &self->before, true);
  if (run->display != NULL) brink_display_row(run->display, &now);
}

double brink_population_run_time(const brink_population_run *self) {
  return fmax(brink_agents_time(self->agents), self->now);
}

/* The first instant of every agent. */
static brink_status begin_agents(brink_population_run *self, double limit) {
  brink_run *run = self->run;
  if (self->ended) return BRINK_ERR_CALLBACK;
  if (self->restarts) brink_agents_reset(self->agents, self->given);
  self->restarts = false;
  brink_status status = brink_agents_begin(self->agents, limit, &run->diag);
  self->begun = status == BRINK_OK;
  brink_population_events_settle(self, self->begun);
  if (self->begun) first_row(self);
  return status;
}

brink_status brink_population_run_first(brink_run *run, double limit) {
  run->population_run->end = limit;
  return begin_agents(run->population_run, limit);
}

/* The same by ranks: up to the next sample, for which all agents come together. */
static brink_status move_by_ranks(brink_run *run, double limit) {
  brink_population_run *self = run->population_run;
  double pause = limit;
  if (limit != self->end)
    return brink_diag_set(&run->diag, BRINK_ERR_UNSUPPORTED,
                          "ranks make a run to one end: it was to t = %g", self->end);
  if (self->rows.any) pause = fmin(pause, brink_ticks_time(&self->rows.ticks, self->rows.next));
  if (self->frames.any)
    pause = fmin(pause, brink_ticks_time(&self->frames.ticks, self->frames.next));
  brink_status status = brink_population_ranks_move(run, pause, pause >= limit);
  run->work += TURNS_AT_A_TIME;
  if (status == BRINK_OK) return BRINK_ERR_WORK;
  if (status != BRINK_TIME_REACHED) return status;
  read_rows(self, pause, true);
  read_frames(self, pause, true);
  return pause < limit ? BRINK_ERR_WORK : BRINK_TIME_REACHED;
}

/* Turns of this piece of work. */
static int64_t turns_for(const brink_run *run, bool single, bool nearer) {
  int64_t most = run->options.sim.max_steps, turns = TURNS_AT_A_TIME;
  if (single || nearer || is_watched(run->population_run)) return 1;
  return most > 0 && most - run->work < turns ? most - run->work : turns;
}

brink_status brink_population_run_open(brink_run *run, double limit) {
  brink_population_run *self = run->population_run;
  if (!self->begun || limit <= self->end) return BRINK_OK;
  brink_agents_heed(self->agents, NULL); /* the run goes on after it */
  brink_status status = brink_agents_begin(self->agents, limit, &run->diag);
  if (status == BRINK_OK) self->end = limit;
  return status;
}

/* The engine's end never comes nearer: agents may have plans up to it. Where a call goes less far than one before, turns
 * are taken only while they are due before its limit. */
brink_status brink_population_run_move(brink_run *run, bool single, double limit) {
  brink_population_run *self = run->population_run;
  bool begins = !self->begun, nearer = self->begun && limit < self->end;
  brink_agents_heed(self->agents, &run->cancelled);
  if (!begins && brink_population_ranks_lead(self)) return move_by_ranks(run, limit);
  /* A later end opens windows anew: the next turn is known then, and with it what may be read before. */
  brink_status status = begins    ? begin_agents(self, limit)
                        : !nearer ? brink_agents_begin(self->agents, limit, &run->diag)
                                  : BRINK_OK;
  if (!nearer) self->end = limit;
  if (status != BRINK_OK) return status;
  if (begins && single) return BRINK_STEPPED;
  if (brink_population_ranks_lead(self)) return move_by_ranks(run, limit);
  if (self->written) present_row(self);
  self->written = false;
  int64_t turns = turns_for(run, single, nearer);
  double horizon = brink_agents_horizon(self->agents);
  read_rows(self, fmin(horizon, limit), false);
  read_frames(self, fmin(horizon, limit), false);
  if (nearer && horizon > limit) {
    self->now = limit;
    return BRINK_TIME_REACHED;
  }
  status = brink_agents_run(self->agents, self->end, turns, &run->diag);
  brink_population_events_settle(self, status == BRINK_ERR_WORK || status == BRINK_TIME_REACHED);
  if (status == BRINK_TIME_REACHED) { /* after another call it would be too late */
    read_rows(self, brink_population_run_time(self), true);
    read_frames(self, brink_population_run_time(self), true);
  }
  run->work += turns;
  return single && status == BRINK_ERR_WORK ? BRINK_STEPPED : status;
}

void brink_population_run_end(brink_run *run) {
  brink_population_run *self = run->population_run;
  if (!brink_run_has_begun(run)) return;
  brink_population_ranks_end(self);
  bool reached = run->status == BRINK_TIME_REACHED,
       lost = brink_run_results_status(run) != BRINK_OK;
  double t = brink_population_run_time(self);
  if (self->begun) brink_population_events_slides(self);
  if (reached && !lost) {
    read_rows(self, t, true);
    read_frames(self, t, true);
  }
  self->computes = brink_run_computes(run);
  brink_view_fill(self, &self->before, t);
  /* Who ended the run is as that left it. */
  if (!reached && self->any && self->after.t == self->before.t) brink_population_events_apply(self);
  self->over = true;
  if (!lost && brink_population_ranks_whole(self)) last_row(self);
}

brink_moment brink_population_run_now(brink_population_run *self) {
  if (!self->over) brink_view_fill(self, &self->before, brink_population_run_time(self));
  return brink_view_moment(&self->before);
}
