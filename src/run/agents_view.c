/* crowd_view.c: all agents at one time, as if they were one system. See crowd.h. */
#include <string.h>

#include "run/agents_run.h"

/* ---- room ---- */

static bool take_view(brink_agents_run *crowd, brink_view *view) {
  const brink_system *all = crowd->parts->all;
  brink_arena *arena = &crowd->run->arena;
  view->x = brink_arena_copy(arena, all->x0, all->nx, sizeof(double));
  view->p = brink_arena_copy(arena, all->p0, all->np, sizeof(double));
  view->mode = brink_arena_copy(arena, all->mode0, all->nmodes, sizeof(int));
  view->v = brink_arena_take(arena, all->nv, sizeof(double));
  return view->x != NULL && view->p != NULL && view->mode != NULL && view->v != NULL;
}

bool brink_view_create(brink_agents_run *crowd) {
  size_t nx = 0, np = 0, nmodes = 0;
  brink_arena *arena = &crowd->run->arena;
  for (size_t k = 0; k < crowd->parts->npopulations; k++) {
    const brink_system *one = crowd->parts->populations[k].one;
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
static void put_computed(const brink_agents_run *crowd, brink_view *view, size_t k, size_t agent,
                         const double *x, const double *p, const int *mode) {
  const cli_population *population = &crowd->parts->populations[k];
  brink_instance *instance = crowd->one[k].instance;
  brink_instance_evaluate(instance, view->t, x, p, mode, NULL);
  for (size_t s = 0; s < population->nshares; s++) {
    const cli_share *share = &population->shares[s];
    if (share->space != BRINK_SPACE_V) continue;
    for (size_t e = 0; e < share->n; e++)
      view->v[share->all + agent * share->n + e] =
          brink_instance_value(instance, share->variable, e);
  }
}

void brink_view_put(const brink_agents_run *crowd, brink_view *view, size_t k, size_t agent, const double *x,
                  const double *p, const int *mode) {
  const cli_population *population = &crowd->parts->populations[k];
  for (size_t s = 0; s < population->nshares; s++) {
    const cli_share *share = &population->shares[s];
    size_t to = share->all + agent * share->n;
    if (share->space == BRINK_SPACE_X)
      memcpy(view->x + to, x + share->own, share->n * sizeof *x);
    else if (share->space == BRINK_SPACE_P)
      memcpy(view->p + to, p + share->own, share->n * sizeof *p);
    else if (share->space == BRINK_SPACE_MODE)
      memcpy(view->mode + to, mode + share->own, share->n * sizeof *mode);
  }
  if (crowd->computes) put_computed(crowd, view, k, agent, x, p, mode);
}

/* In its first instant an agent cannot read those that come after it: they are as they start. */
static bool may_be_read(const brink_agents_run *crowd, size_t k, size_t agent) {
  if (crowd->begun) return true;
  brink_agent_event now = brink_agents_acting(crowd->agents);
  return k < now.population || (k == now.population && agent < now.agent);
}

void brink_view_fill(brink_agents_run *crowd, brink_view *view, double t) {
  view->t = t;
  for (size_t k = 0; k < crowd->parts->npopulations; k++) {
    const brink_population_def *def = &crowd->populations[k];
    const brink_system *one = crowd->parts->populations[k].one;
    for (size_t i = 0; i < def->count; i++) {
      const double *x = def->x0 + i * one->nx, *p = def->p0 + i * one->np;
      const int *mode = def->mode0 + i * one->nmodes;
      if (may_be_read(crowd, k, i)) {
        brink_agents_at(crowd->agents, k, i, t, crowd->x, &p, &mode);
        x = crowd->x;
      }
      brink_view_put(crowd, view, k, i, x, p, mode);
    }
  }
}

void brink_view_copy_agent(const brink_agents_run *crowd, brink_view *to, const brink_view *from, size_t k,
                    size_t agent) {
  const cli_population *population = &crowd->parts->populations[k];
  for (size_t s = 0; s < population->nshares; s++) {
    const cli_share *share = &population->shares[s];
    size_t at = share->all + agent * share->n, size = share->n * sizeof(double);
    if (share->space == BRINK_SPACE_X) memcpy(to->x + at, from->x + at, size);
    if (share->space == BRINK_SPACE_P) memcpy(to->p + at, from->p + at, size);
    if (share->space == BRINK_SPACE_V) memcpy(to->v + at, from->v + at, size);
    if (share->space == BRINK_SPACE_MODE)
      memcpy(to->mode + at, from->mode + at, share->n * sizeof(int));
  }
}

void brink_view_copy(const brink_agents_run *crowd, brink_view *to, const brink_view *from) {
  const brink_system *all = crowd->parts->all;
  to->t = from->t;
  memcpy(to->x, from->x, all->nx * sizeof(double));
  memcpy(to->p, from->p, all->np * sizeof(double));
  memcpy(to->mode, from->mode, all->nmodes * sizeof(int));
  memcpy(to->v, from->v, all->nv * sizeof(double));
}

/* ---- as the records want it ---- */

brink_moment brink_view_moment(const brink_view *view) {
  return (brink_moment){.t = view->t, .x = view->x, .p = view->p, .mode = view->mode};
}

static void evaluate(const brink_moment *moment, void *user) {
  brink_agents_run *crowd = user;
  crowd->seen = moment->x == crowd->after.x ? &crowd->after : &crowd->before;
}

static double value(uint32_t variable, size_t element, void *user) {
  const brink_agents_run *crowd = user;
  return crowd->seen->v[crowd->parts->all->variables[variable].base + element];
}

brink_computed brink_view_computed(brink_agents_run *crowd) {
  return (brink_computed){.evaluate = evaluate, .value = value, .user = crowd};
}
