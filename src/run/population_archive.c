/* population_archive.c: a run of agents to bytes and back (base/archive.h). See population_run.h. */
#include <string.h>

#include "run/population_run.h"

/* An agent, or a pair, that there is. */
static void archive_who(const brink_population_run *self, brink_agent_event *who,
                        brink_archive *a) {
  const brink_agent_tables *tables = self->tables;
  brink_archive_index(a, &who->pair, tables->npairs);
  if (who->pair == BRINK_NONE || (a->reads && a->failed)) {
    brink_archive_count(a, &who->population, tables->npopulations - 1);
    brink_archive_count(a, &who->agent, tables->populations[who->population].count - 1);
    return;
  }
  if (!brink_archive_check(a, who->pair < tables->npairs)) return;
  for (int side = 0; side < 2; side++) {
    size_t population = tables->pairs[who->pair].population[side];
    brink_archive_count(a, &who->partner[side], tables->populations[population].count - 1);
  }
}

static void archive_actor(brink_instance_set *actor, brink_archive *a) {
  brink_instance_archive(actor->instance, a);
  brink_archive_count(a, &actor->warnings, SIZE_MAX / 4);
}

/* Whose notes are told: of a population, of a block, or of nobody. */
static void archive_noting(brink_population_run *self, brink_archive *a) {
  size_t npopulations = self->tables->npopulations, npairs = self->tables->npairs;
  size_t number = BRINK_NONE;
  for (size_t k = 0; k < npopulations; k++)
    if (self->noting == &self->one[k]) number = k;
  for (size_t k = 0; k < npairs; k++)
    if (self->noting == &self->pair[k]) number = npopulations + k;
  brink_archive_index(a, &number, npopulations + npairs);
  brink_archive_count(a, &self->notes_seen, SIZE_MAX / 4);
  if (!a->reads) return;
  self->noting = number == BRINK_NONE    ? NULL
                 : number < npopulations ? &self->one[number]
                                         : &self->pair[number - npopulations];
}

static void archive_view(const brink_population_run *self, brink_view *view, brink_archive *a) {
  const brink_system *all = self->tables->all;
  brink_archive_double(a, &view->t);
  brink_archive_doubles(a, view->x, all->nx);
  brink_archive_doubles(a, view->p, all->np);
  brink_archive_doubles(a, view->v, all->nv);
  brink_archive_doubles(a, view->dx, all->nx);
  brink_archive_ints(a, view->mode, all->nmodes);
}

static void archive_warnings(brink_population_run *self, brink_archive *a) {
  size_t count = self->nwarnings;
  brink_arena *arena = &self->run->arena;
  brink_archive_count(a, &count, SIZE_MAX / 4);
  if (a->reads) self->nwarnings = 0;
  for (size_t k = 0; k < count && !a->failed; k++) {
    brink_text text = {0};
    if (!a->reads) brink_text_append(&text, self->warnings[k], strlen(self->warnings[k]));
    brink_archive_text(a, &text);
    const char *kept = a->reads && !a->failed ? brink_arena_text(arena, text.data) : NULL;
    const char **place = kept != NULL ? brink_arena_push(arena, self->warnings, self->nwarnings,
                                                         self->warnings_capacity)
                                      : NULL;
    if (place != NULL) *place = kept;
    if (a->reads && !a->failed && place == NULL) brink_archive_no_memory(a);
    brink_text_free(&text);
  }
}

static void archive_last(brink_population_run *self, brink_archive *a) {
  const brink_system *all = self->tables->all;
  brink_archive_bool(a, &self->any);
  if (self->any) archive_who(self, &self->last_event, a);
  if (self->noting != NULL) archive_who(self, &self->last_action, a);
  brink_archive_u32(a, &self->last_flag);
  brink_archive_count(a, &self->last_index, SIZE_MAX / 4);
  bool known =
      self->last_flag < all->nflags && self->last_index < all->flags[self->last_flag].count;
  brink_archive_check(a, !self->any || known);
}

/* Rows up to the last turn have been read: there would be no end of those before it. */
static void archive_grid(const brink_population_run *self, brink_grid *grid, brink_archive *a) {
  brink_archive_int64(a, &grid->next);
  if (!brink_archive_check(a, grid->next >= 0 && grid->next < INT64_MAX) || !a->reads) return;
  bool near = !grid->any || !(brink_ticks_time(&grid->ticks, grid->next + 1) < self->now);
  brink_archive_check(a, near);
}

void brink_population_run_archive(brink_population_run *self, brink_archive *a) {
  brink_archive_mark(a, "crowd");
  for (size_t k = 0; k < self->tables->npopulations; k++) archive_actor(&self->one[k], a);
  for (size_t k = 0; k < self->tables->npairs; k++) archive_actor(&self->pair[k], a);
  brink_archive_double(a, &self->end);
  brink_archive_double(a, &self->now);
  brink_archive_bool(a, &self->begun);
  archive_noting(self, a);
  archive_last(self, a);
  archive_view(self, &self->after, a);
  archive_grid(self, &self->rows, a);
  archive_grid(self, &self->frames, a);
  brink_archive_double(a, &self->last);
  brink_archive_bool(a, &self->logged);
  brink_archive_bool(a, &self->written);
  archive_warnings(self, a);
  if (!a->failed) brink_agents_archive(self->agents, a);
}
