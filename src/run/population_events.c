/* population_events.c: what happens to agents, to the journal, the results and the report. See population_run.h. */
#include <string.h>

#include "run/population_run.h"

/* ---- whose flag is it? ---- */

/* A flag of an agent, or of a pair, as one of the system of all. BRINK_NO_INDEX: nobody knows it. */
static uint32_t flag_of(const brink_population_run *self, const brink_agent_event *who,
                        size_t guard, size_t *index) {
  const brink_instance_set *actor = brink_population_run_actor(self, who);
  uint32_t flag;
  brink_instance_flag(actor->instance, guard, &flag, index);
  if (who->pair != BRINK_NONE) return self->tables->pairs[who->pair].flag[flag];
  *index += who->agent * actor->system->flags[flag].count;
  return self->tables->populations[who->population].flag[flag];
}

static brink_participants participants_of(const brink_population_run *self,
                                          const brink_agent_event *who) {
  const brink_agent_tables *tables = self->tables;
  if (who->pair == BRINK_NONE)
    return (brink_participants){.count = 1,
                                .group = {tables->populations[who->population].group},
                                .instance = {who->agent}};
  brink_participants both = {.count = 2};
  for (size_t side = 0; side < 2; side++) {
    both.group[side] = tables->populations[tables->pairs[who->pair].population[side]].group;
    both.instance[side] = who->partner[side];
  }
  return both;
}

/* ---- values before and after ---- */

/* One partner out of the arrays of two. */
static void put_partner(const brink_population_run *self, brink_view *view,
                        const brink_agent_event *who, int side, const double *x, const double *p,
                        const int *mode) {
  const brink_pair_table *pair = &self->tables->pairs[who->pair];
  const brink_system *one = self->tables->populations[pair->population[side]].one;
  for (size_t k = 0; k < one->nx; k++) self->x[k] = x[pair->x[side][k]];
  for (size_t k = 0; k < one->np; k++) self->p[k] = p[pair->p[side][k]];
  for (size_t k = 0; k < one->nmodes; k++) self->mode[k] = mode[pair->mode[side][k]];
  brink_view_put(self, view, pair->population[side], who->partner[side], self->x, self->p,
                 self->mode);
}

static void put_participants(brink_population_run *self, brink_view *view,
                             const brink_agent_event *who, const double *x, const double *p,
                             const int *mode) {
  if (who->pair == BRINK_NONE) {
    brink_view_put(self, view, who->population, who->agent, x, p, mode);
    return;
  }
  for (int side = 0; side < 2; side++) put_partner(self, view, who, side, x, p, mode);
}

/* Everybody at the time of the event if they are few; those concerned before it and after it. */
static brink_event_record look(brink_population_run *self, const brink_agent_event *event) {
  const brink_event_record *record = event->record;
  brink_view *before = &self->before, *after = &self->after;
  if (self->few) {
    brink_view_fill(self, before, record->event.t);
    brink_view_copy(self, after, before);
  }
  before->t = after->t = record->event.t;
  put_participants(self, before, event, record->x_before, record->p_before, record->mode_before);
  bool computes = self->computes;
  self->computes = brink_run_computes(self->run); /* it may be the end */
  put_participants(self, after, event, record->x_after, record->p_after, record->mode_after);
  self->computes = computes;
  brink_event_record made = {.event = record->event,
                             .x_before = before->x,
                             .x_after = after->x,
                             .p_before = before->p,
                             .p_after = after->p,
                             .mode_before = before->mode,
                             .mode_after = after->mode};
  return made;
}

/* ---- events ---- */

static void show(brink_population_run *self, const brink_event_input *input,
                 const brink_participants *participants) {
  brink_display *display = self->run->display;
  brink_moment before = brink_view_moment(&self->before);
  if (display == NULL) return;
  if (self->few) brink_display_row(display, &before);
  if (input->record->event.kind != BRINK_HELD)
    brink_display_pair_event(display, &before, input->flag, input->index, participants);
}

static int on_event(const brink_agent_event *event, void *user) {
  brink_population_run *self = user;
  brink_run *run = self->run;
  brink_event_input input = {0};
  brink_instance_set *actor = brink_population_run_actor(self, event);
  brink_population_run_warnings(self, event);
  self->last_action = *event;
  self->last_action.record = NULL;
  self->noting = actor;
  brink_instance_notes(actor->instance, &self->notes_seen);
  input.flag = flag_of(self, event, event->record->event.guard, &input.index);
  if (input.flag == BRINK_NO_INDEX ||
      !brink_journal_wants(self->tables->all, input.flag, event->record->event.direction))
    return 0;
  brink_event_record record = look(self, event);
  brink_participants participants = participants_of(self, event);
  input.record = &record;
  if (event->pair != BRINK_NONE || !self->few) input.participants = participants;
  input.nnotes = brink_run_take_notes(run, actor->instance, 0);
  input.notes = run->notes;
  if (self->few) brink_population_run_row(self, &self->before, false);
  if (run->results != NULL) input.row = brink_results_rows(run->results) - 1;
  if (record.event.kind != BRINK_HELD) brink_run_keep_event(run, &record, input.flag, input.index);
  brink_journal_event(&run->journal, &input);
  show(self, &input, &participants);
  self->happened = self->any = true;
  self->last_event = self->last_action;
  self->last_flag = input.flag;
  self->last_index = input.index;
  return 0;
}

/* ---- after the turn ---- */

/* Those who acted last: one, or two. */
static size_t actors_of(const brink_population_run *self, size_t population[2], size_t agent[2]) {
  const brink_agent_event *who = &self->last_event;
  if (who->pair == BRINK_NONE) {
    population[0] = who->population;
    agent[0] = who->agent;
    return 1;
  }
  for (size_t side = 0; side < 2; side++) {
    population[side] = self->tables->pairs[who->pair].population[side];
    agent[side] = who->partner[side];
  }
  return 2;
}

void brink_population_events_apply(brink_population_run *self) {
  size_t population[2], agent[2], count = actors_of(self, population, agent);
  for (size_t k = 0; k < count; k++)
    brink_view_copy_agent(self, &self->before, &self->after, population[k], agent[k]);
}

/* What rules and samples have made of them. */
static void look_again(brink_population_run *self) {
  size_t population[2], agent[2], count = actors_of(self, population, agent);
  for (size_t k = 0; k < count; k++) {
    const double *p;
    const int *mode;
    brink_agents_at(self->agents, population[k], agent[k], self->after.t, self->x, &p, &mode);
    brink_view_put(self, &self->after, population[k], agent[k], self->x, p, mode);
  }
}

void brink_population_events_settle(brink_population_run *self, bool goes_on) {
  brink_run *run = self->run;
  if (!self->happened) return;
  self->happened = false;
  if (goes_on) look_again(self);
  size_t count;
  brink_instance_notes(self->noting->instance, &count);
  size_t first = count >= self->notes_seen ? self->notes_seen : 0;
  size_t more = brink_run_take_notes(run, self->noting->instance, first);
  brink_run_settle(run, self->after.p, self->after.mode, more);
  brink_moment after = brink_view_moment(&self->after);
  if (self->few) brink_population_run_row(self, &self->after, true);
  if (self->few && run->display != NULL) brink_display_row(run->display, &after);
}

/* ---- near misses and slides ---- */

static bool is_named(const brink_population_run *self, size_t population, size_t agent,
                     size_t guard, uint32_t *flag, size_t *index) {
  brink_agent_event who = {.population = population, .agent = agent, .pair = BRINK_NONE};
  *flag = flag_of(self, &who, guard, index);
  return *flag != BRINK_NO_INDEX && brink_journal_wants(self->tables->all, *flag, BRINK_POSITIVE);
}

static int on_near_miss(size_t population, size_t agent, const brink_near_miss *miss, void *user) {
  brink_population_run *self = user;
  uint32_t flag;
  size_t index;
  if (is_named(self, population, agent, miss->guard, &flag, &index))
    brink_journal_miss(&self->run->journal, flag, index, miss);
  return 0;
}

static int on_slide(size_t population, size_t agent, const brink_slide_record *slide, void *user) {
  brink_population_run *self = user;
  uint32_t flag;
  size_t index;
  if (is_named(self, population, agent, slide->guard, &flag, &index))
    brink_journal_slide(&self->run->journal, flag, index, slide->from, slide->to);
  return 0;
}

void brink_population_events_slides(brink_population_run *self) {
  enum { MOST = 16 };
  brink_slide_record slides[MOST];
  for (size_t k = 0; k < self->tables->npopulations; k++) {
    for (size_t i = 0; i < self->populations[k].count; i++) {
      size_t count = brink_agents_slides(self->agents, k, i, slides, MOST);
      for (size_t s = 0; s < count && s < MOST; s++) on_slide(k, i, &slides[s], self);
    }
  }
}

bool brink_population_events_last(const brink_population_run *self, const char **name,
                                  const char **label) {
  const brink_system *all = self->tables->all;
  brink_text text = {0}, told = {0};
  if (self->any) {
    brink_system_flag_name(all, self->last_flag, self->last_index, &text);
    brink_system_flag_label(all, self->last_flag, self->last_index, &told);
  }
  *name = text.length > 0 ? brink_arena_text(&self->run->arena, text.data) : NULL;
  *label = told.length > 0 ? brink_arena_text(&self->run->arena, told.data) : NULL;
  brink_text_free(&text);
  brink_text_free(&told);
  return *name != NULL && *label != NULL;
}

void brink_population_events_begin(brink_population_run *self) {
  brink_agents_sink sink = {
      .event = on_event, .near_miss = on_near_miss, .slide = on_slide, .user = self};
  brink_agents_set_sink(self->agents, &sink);
}
