/* crowd_view.c: all agents at one time, as if they were one system. See crowd.h. */
#include <string.h>

#include "cli/crowd.h"

/* ---- room ---- */

static bool take_view(cli_crowd *crowd, cli_view *view) {
  const brink_system *all = crowd->tables->all;
  brink_arena *arena = &crowd->run->arena;
  view->x = brink_arena_copy(arena, all->x0, all->nx, sizeof(double));
  view->p = brink_arena_copy(arena, all->p0, all->np, sizeof(double));
  view->mode = brink_arena_copy(arena, all->mode0, all->nmodes, sizeof(int));
  view->v = brink_arena_take(arena, all->nv, sizeof(double));
  return view->x != NULL && view->p != NULL && view->mode != NULL && view->v != NULL;
}

bool cli_view_create(cli_crowd *crowd) {
  size_t nx = 0, np = 0, nmodes = 0;
  brink_arena *arena = &crowd->run->arena;
  for (size_t k = 0; k < crowd->tables->npopulations; k++) {
    const brink_system *one = crowd->tables->populations[k].one;
    nx = one->nx > nx ? one->nx : nx;
    np = one->np > np ? one->np : np;
    nmodes = one->nmodes > nmodes ? one->nmodes : nmodes;
  }
  crowd->x = brink_arena_take(arena, nx, sizeof(double));
  crowd->p = brink_arena_take(arena, np, sizeof(double));
  crowd->mode = brink_arena_take(arena, nmodes, sizeof(int));
  return crowd->x != NULL && crowd->p != NULL && crowd->mode != NULL &&
         take_view(crowd, &crowd->before) && take_view(crowd, &crowd->after);
}

/* ---- agents into it ---- */

/* Equations are evaluated where everything that they read is at hand: hidden values are not in the view. */
static void put_computed(const cli_crowd *crowd, cli_view *view, size_t k, size_t agent,
                         const double *x, const double *p, const int *mode) {
  const brink_population_table *population = &crowd->tables->populations[k];
  brink_instance *instance = crowd->one[k].instance;
  brink_instance_evaluate(instance, view->t, x, p, mode, NULL);
  for (size_t s = 0; s < population->nslots; s++) {
    const brink_slot_range *range = &population->slots[s];
    if (range->space != BRINK_SPACE_V) continue;
    for (size_t e = 0; e < range->n; e++)
      view->v[range->all + agent * range->n + e] =
          brink_instance_value(instance, range->variable, e);
  }
}

void cli_view_put(const cli_crowd *crowd, cli_view *view, size_t k, size_t agent, const double *x,
                  const double *p, const int *mode) {
  const brink_population_table *population = &crowd->tables->populations[k];
  for (size_t s = 0; s < population->nslots; s++) {
    const brink_slot_range *range = &population->slots[s];
    size_t to = range->all + agent * range->n;
    if (range->space == BRINK_SPACE_X)
      memcpy(view->x + to, x + range->own, range->n * sizeof *x);
    else if (range->space == BRINK_SPACE_P)
      memcpy(view->p + to, p + range->own, range->n * sizeof *p);
    else if (range->space == BRINK_SPACE_MODE)
      memcpy(view->mode + to, mode + range->own, range->n * sizeof *mode);
  }
  if (crowd->computes) put_computed(crowd, view, k, agent, x, p, mode);
}

/* In its first instant an agent cannot read those that come after it: they are as they start. */
static bool may_be_read(const cli_crowd *crowd, size_t k, size_t agent) {
  if (crowd->begun) return true;
  brink_agent_event now = brink_agents_acting(crowd->agents);
  return k < now.population || (k == now.population && agent < now.agent);
}

void cli_view_fill(cli_crowd *crowd, cli_view *view, double t) {
  view->t = t;
  for (size_t k = 0; k < crowd->tables->npopulations; k++) {
    const brink_population_def *def = &crowd->populations[k];
    const brink_system *one = crowd->tables->populations[k].one;
    for (size_t i = 0; i < def->count; i++) {
      const double *x = def->x0 + i * one->nx, *p = def->p0 + i * one->np;
      const int *mode = def->mode0 + i * one->nmodes;
      if (may_be_read(crowd, k, i)) {
        brink_agents_at(crowd->agents, k, i, t, crowd->x, &p, &mode);
        x = crowd->x;
      }
      cli_view_put(crowd, view, k, i, x, p, mode);
    }
  }
}

void cli_view_adopt(const cli_crowd *crowd, cli_view *to, const cli_view *from, size_t k,
                    size_t agent) {
  const brink_population_table *population = &crowd->tables->populations[k];
  for (size_t s = 0; s < population->nslots; s++) {
    const brink_slot_range *range = &population->slots[s];
    size_t at = range->all + agent * range->n, size = range->n * sizeof(double);
    if (range->space == BRINK_SPACE_X) memcpy(to->x + at, from->x + at, size);
    if (range->space == BRINK_SPACE_P) memcpy(to->p + at, from->p + at, size);
    if (range->space == BRINK_SPACE_V) memcpy(to->v + at, from->v + at, size);
    if (range->space == BRINK_SPACE_MODE)
      memcpy(to->mode + at, from->mode + at, range->n * sizeof(int));
  }
}

void cli_view_copy(const cli_crowd *crowd, cli_view *to, const cli_view *from) {
  const brink_system *all = crowd->tables->all;
  to->t = from->t;
  memcpy(to->x, from->x, all->nx * sizeof(double));
  memcpy(to->p, from->p, all->np * sizeof(double));
  memcpy(to->mode, from->mode, all->nmodes * sizeof(int));
  memcpy(to->v, from->v, all->nv * sizeof(double));
}

/* ---- as the records want it ---- */

brink_moment cli_view_moment(const cli_view *view) {
  return (brink_moment){.t = view->t, .x = view->x, .p = view->p, .mode = view->mode};
}

static void evaluate(const brink_moment *moment, void *user) {
  cli_crowd *crowd = user;
  crowd->seen = moment->x == crowd->after.x ? &crowd->after : &crowd->before;
}

static double value(uint32_t variable, size_t element, void *user) {
  const cli_crowd *crowd = user;
  return crowd->seen->v[crowd->tables->all->variables[variable].base + element];
}

brink_computed cli_view_computed(cli_crowd *crowd) {
  return (brink_computed){.evaluate = evaluate, .value = value, .user = crowd};
}
