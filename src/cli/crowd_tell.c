/* crowd_tell.c: what agents tell, to the journal, the results and the report. See crowd.h. */
#include <string.h>

#include "cli/crowd.h"

/* ---- whose flag is it? ---- */

/* A flag of an agent, or of a pair, as one of the system of all. BRINK_NO_INDEX: nobody knows it. */
static uint32_t flag_of(const cli_crowd *crowd, const brink_agent_event *who, size_t guard,
                        size_t *index) {
  const cli_actor *actor = cli_crowd_actor(crowd, who);
  uint32_t flag;
  brink_instance_flag(actor->instance, guard, &flag, index);
  if (who->pair != BRINK_NONE) return crowd->tables->pairs[who->pair].flag[flag];
  *index += who->agent * actor->system->flags[flag].count;
  return crowd->tables->populations[who->population].flag[flag];
}

static brink_concerned concerned_by(const cli_crowd *crowd, const brink_agent_event *who) {
  const brink_agent_tables *tables = crowd->tables;
  if (who->pair == BRINK_NONE)
    return (brink_concerned){.count = 1,
                             .group = {tables->populations[who->population].group},
                             .instance = {who->agent}};
  brink_concerned both = {.count = 2};
  for (size_t side = 0; side < 2; side++) {
    both.group[side] = tables->populations[tables->pairs[who->pair].population[side]].group;
    both.instance[side] = who->partner[side];
  }
  return both;
}

/* ---- values before and after ---- */

/* One partner out of the arrays of two. */
static void put_partner(const cli_crowd *crowd, cli_view *view, const brink_agent_event *who,
                        int side, const double *x, const double *p, const int *mode) {
  const brink_pair_table *pair = &crowd->tables->pairs[who->pair];
  const brink_system *one = crowd->tables->populations[pair->population[side]].one;
  for (size_t k = 0; k < one->nx; k++) crowd->x[k] = x[pair->x[side][k]];
  for (size_t k = 0; k < one->np; k++) crowd->p[k] = p[pair->p[side][k]];
  for (size_t k = 0; k < one->nmodes; k++) crowd->mode[k] = mode[pair->mode[side][k]];
  cli_view_put(crowd, view, pair->population[side], who->partner[side], crowd->x, crowd->p,
               crowd->mode);
}

static void put_concerned(cli_crowd *crowd, cli_view *view, const brink_agent_event *who,
                          const double *x, const double *p, const int *mode) {
  if (who->pair == BRINK_NONE) {
    cli_view_put(crowd, view, who->population, who->agent, x, p, mode);
    return;
  }
  for (int side = 0; side < 2; side++) put_partner(crowd, view, who, side, x, p, mode);
}

/* Everybody at the time of the event if they are few; those concerned before it and after it. */
static brink_event_record look(cli_crowd *crowd, const brink_agent_event *event) {
  const brink_event_record *record = event->record;
  cli_view *before = &crowd->before, *after = &crowd->after;
  if (crowd->few) {
    cli_view_fill(crowd, before, record->event.t);
    cli_view_copy(crowd, after, before);
  }
  before->t = after->t = record->event.t;
  put_concerned(crowd, before, event, record->x_before, record->p_before, record->mode_before);
  bool computes = crowd->computes;
  crowd->computes = crowd->run->columns.computes; /* it may be the end */
  put_concerned(crowd, after, event, record->x_after, record->p_after, record->mode_after);
  crowd->computes = computes;
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

static void show(cli_crowd *crowd, const brink_happening *happening,
                 const brink_concerned *concerned) {
  brink_display *display = crowd->run->display;
  brink_moment before = cli_view_moment(&crowd->before);
  if (display == NULL) return;
  if (crowd->few) brink_display_row(display, &before);
  if (happening->record->event.kind != BRINK_HELD)
    brink_display_meeting(display, &before, happening->flag, happening->index, concerned);
}

static int on_event(const brink_agent_event *event, void *user) {
  cli_crowd *crowd = user;
  cli_simulation *run = crowd->run;
  brink_happening happening = {0};
  cli_actor *actor = cli_crowd_actor(crowd, event);
  cli_crowd_warnings(crowd, event);
  crowd->last_action = *event;
  crowd->last_action.record = NULL;
  crowd->speaker = actor;
  brink_instance_notes(actor->instance, &crowd->notes_told);
  happening.flag = flag_of(crowd, event, event->record->event.guard, &happening.index);
  if (happening.flag == BRINK_NO_INDEX ||
      !brink_journal_wants(crowd->tables->all, happening.flag, event->record->event.direction))
    return 0;
  brink_event_record record = look(crowd, event);
  brink_concerned concerned = concerned_by(crowd, event);
  happening.record = &record;
  if (event->pair != BRINK_NONE || !crowd->few) happening.concerned = concerned;
  happening.nremarks = cli_take_remarks(run, actor->instance, 0);
  happening.remarks = run->remarks;
  if (crowd->few) cli_crowd_row(crowd, &crowd->before, false);
  if (run->results != NULL) happening.row = brink_results_rows(run->results) - 1;
  brink_journal_event(&run->journal, &happening);
  show(crowd, &happening, &concerned);
  crowd->happened = crowd->any = true;
  crowd->last_event = crowd->last_action;
  crowd->last_flag = happening.flag;
  crowd->last_index = happening.index;
  return 0;
}

/* ---- after the turn ---- */

/* Those who acted last: one, or two. */
static size_t actors_of(const cli_crowd *crowd, size_t population[2], size_t agent[2]) {
  const brink_agent_event *who = &crowd->last_event;
  if (who->pair == BRINK_NONE) {
    population[0] = who->population;
    agent[0] = who->agent;
    return 1;
  }
  for (size_t side = 0; side < 2; side++) {
    population[side] = crowd->tables->pairs[who->pair].population[side];
    agent[side] = who->partner[side];
  }
  return 2;
}

void cli_tell_adopt(cli_crowd *crowd) {
  size_t population[2], agent[2], count = actors_of(crowd, population, agent);
  for (size_t k = 0; k < count; k++)
    cli_view_adopt(crowd, &crowd->before, &crowd->after, population[k], agent[k]);
}

/* What rules and samples have made of them. */
static void look_again(cli_crowd *crowd) {
  size_t population[2], agent[2], count = actors_of(crowd, population, agent);
  for (size_t k = 0; k < count; k++) {
    const double *p;
    const int *mode;
    brink_agents_at(crowd->agents, population[k], agent[k], crowd->after.t, crowd->x, &p, &mode);
    cli_view_put(crowd, &crowd->after, population[k], agent[k], crowd->x, p, mode);
  }
}

void cli_tell_settle(cli_crowd *crowd, bool goes_on) {
  cli_simulation *run = crowd->run;
  if (!crowd->happened) return;
  crowd->happened = false;
  if (goes_on) look_again(crowd);
  size_t count;
  brink_instance_notes(crowd->speaker->instance, &count);
  size_t first = count >= crowd->notes_told ? crowd->notes_told : 0;
  size_t more = cli_take_remarks(run, crowd->speaker->instance, first);
  brink_journal_settle(&run->journal, crowd->after.p, crowd->after.mode, run->remarks, more);
  brink_moment after = cli_view_moment(&crowd->after);
  if (crowd->few) cli_crowd_row(crowd, &crowd->after, true);
  if (crowd->few && run->display != NULL) brink_display_row(run->display, &after);
}

/* ---- near misses and slides ---- */

static bool is_named(const cli_crowd *crowd, size_t population, size_t agent, size_t guard,
                     uint32_t *flag, size_t *index) {
  brink_agent_event who = {.population = population, .agent = agent, .pair = BRINK_NONE};
  *flag = flag_of(crowd, &who, guard, index);
  return *flag != BRINK_NO_INDEX && brink_journal_wants(crowd->tables->all, *flag, BRINK_POSITIVE);
}

static int on_near_miss(size_t population, size_t agent, const brink_near_miss *miss, void *user) {
  cli_crowd *crowd = user;
  uint32_t flag;
  size_t index;
  if (is_named(crowd, population, agent, miss->guard, &flag, &index))
    brink_journal_miss(&crowd->run->journal, flag, index, miss);
  return 0;
}

static int on_slide(size_t population, size_t agent, const brink_slide_record *slide, void *user) {
  cli_crowd *crowd = user;
  uint32_t flag;
  size_t index;
  if (is_named(crowd, population, agent, slide->guard, &flag, &index))
    brink_journal_slide(&crowd->run->journal, flag, index, slide->from, slide->to);
  return 0;
}

void cli_tell_slides(cli_crowd *crowd) {
  enum { MOST = 16 };
  brink_slide_record slides[MOST];
  for (size_t k = 0; k < crowd->tables->npopulations; k++) {
    for (size_t i = 0; i < crowd->populations[k].count; i++) {
      size_t count = brink_agents_slides(crowd->agents, k, i, slides, MOST);
      for (size_t s = 0; s < count && s < MOST; s++) on_slide(k, i, &slides[s], crowd);
    }
  }
}

bool cli_tell_last(const cli_crowd *crowd, const char **name) {
  brink_text text = {0};
  if (crowd->any)
    brink_system_flag_name(crowd->tables->all, crowd->last_flag, crowd->last_index, &text);
  *name = text.length > 0 ? brink_arena_text(&crowd->run->arena, text.data) : NULL;
  brink_text_free(&text);
  return *name != NULL;
}

void cli_tell_begin(cli_crowd *crowd) {
  brink_agents_sink sink = {
      .event = on_event, .near_miss = on_near_miss, .slide = on_slide, .user = crowd};
  brink_agents_set_sink(crowd->agents, &sink);
}
