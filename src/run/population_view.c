/* population_view.c: all agents at one time, as if they were one system. See population_run.h. */
#include <math.h>
#include <string.h>

#include "run/population_run.h"

/* ---- room ---- */

static bool take_view(brink_population_run *self, brink_view *view) {
  const brink_system *all = self->tables->all;
  brink_arena *arena = &self->run->arena;
  view->x = brink_arena_copy(arena, all->x0, all->nx, sizeof(double));
  view->p = brink_arena_copy(arena, all->p0, all->np, sizeof(double));
  view->mode = brink_arena_copy(arena, all->mode0, all->nmodes, sizeof(int));
  view->v = brink_arena_take(arena, all->nv, sizeof(double));
  view->dx = brink_arena_take(arena, all->nx, sizeof(double));
  return view->x != NULL && view->p != NULL && view->mode != NULL && view->v != NULL &&
         view->dx != NULL;
}

bool brink_view_create(brink_population_run *self) {
  size_t nx = 0, np = 0, nmodes = 0;
  if (self->x != NULL) return true; /* of the run before a reset */
  brink_arena *arena = &self->run->arena;
  for (size_t k = 0; k < self->tables->npopulations; k++) {
    const brink_system *one = self->tables->populations[k].one;
    nx = one->nx > nx ? one->nx : nx;
    np = one->np > np ? one->np : np;
    nmodes = one->nmodes > nmodes ? one->nmodes : nmodes;
  }
  self->x = brink_arena_take(arena, nx, sizeof(double));
  self->p = brink_arena_take(arena, np, sizeof(double));
  self->mode = brink_arena_take(arena, nmodes, sizeof(int));
  return self->x != NULL && self->p != NULL && self->mode != NULL &&
         take_view(self, &self->before) && take_view(self, &self->after);
}

/* ---- agents into it ---- */

/* Equations are evaluated where everything that they read is at hand: hidden values are not in the view. */
static void put_computed(const brink_population_run *self, brink_view *view, size_t k, size_t agent,
                         const double *x, const double *p, const int *mode) {
  const brink_population_table *population = &self->tables->populations[k];
  brink_instance *instance = self->one[k].instance;
  brink_instance_evaluate(instance, view->t, x, p, mode, NULL);
  for (size_t s = 0; s < population->nslots; s++) {
    const brink_slot_range *range = &population->slots[s];
    size_t to = range->all + agent * range->n;
    for (size_t e = 0; range->space == BRINK_SPACE_V && e < range->n; e++)
      view->v[to + e] = brink_instance_slot(instance, BRINK_SPACE_V, range->own + e);
    for (size_t e = 0; range->space == BRINK_SPACE_X && e < range->n; e++)
      view->dx[to + e] = brink_instance_slot(instance, BRINK_SPACE_DX, range->own + e);
  }
}

void brink_view_put(const brink_population_run *self, brink_view *view, size_t k, size_t agent,
                    const double *x, const double *p, const int *mode) {
  const brink_population_table *population = &self->tables->populations[k];
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
  if (self->computes) put_computed(self, view, k, agent, x, p, mode);
}

/* In its first instant an agent cannot read those that come after it: they are as they start. */
static bool may_be_read(const brink_population_run *self, size_t k, size_t agent) {
  if (self->begun) return true;
  brink_agent_event now = brink_agents_acting(self->agents);
  return k < now.population || (k == now.population && agent < now.agent);
}

void brink_view_fill(brink_population_run *self, brink_view *view, double t) {
  view->t = t;
  for (size_t k = 0; k < self->tables->npopulations; k++) {
    const brink_population_def *def = &self->populations[k];
    const brink_system *one = self->tables->populations[k].one;
    for (size_t i = 0; i < def->count; i++) {
      const double *x = def->x0 + i * one->nx, *p = def->p0 + i * one->np;
      const int *mode = def->mode0 + i * one->nmodes;
      if (may_be_read(self, k, i)) {
        brink_agents_at(self->agents, k, i, t, self->x, &p, &mode);
        x = self->x;
      }
      brink_view_put(self, view, k, i, x, p, mode);
    }
  }
}

void brink_view_copy_agent(const brink_population_run *self, brink_view *to, const brink_view *from,
                           size_t k, size_t agent) {
  const brink_population_table *population = &self->tables->populations[k];
  for (size_t s = 0; s < population->nslots; s++) {
    const brink_slot_range *range = &population->slots[s];
    size_t at = range->all + agent * range->n, size = range->n * sizeof(double);
    if (range->space == BRINK_SPACE_X) memcpy(to->x + at, from->x + at, size);
    if (range->space == BRINK_SPACE_X) memcpy(to->dx + at, from->dx + at, size);
    if (range->space == BRINK_SPACE_P) memcpy(to->p + at, from->p + at, size);
    if (range->space == BRINK_SPACE_V) memcpy(to->v + at, from->v + at, size);
    if (range->space == BRINK_SPACE_MODE)
      memcpy(to->mode + at, from->mode + at, range->n * sizeof(int));
  }
}

void brink_view_copy(const brink_population_run *self, brink_view *to, const brink_view *from) {
  const brink_system *all = self->tables->all;
  to->t = from->t;
  memcpy(to->x, from->x, all->nx * sizeof(double));
  memcpy(to->p, from->p, all->np * sizeof(double));
  memcpy(to->mode, from->mode, all->nmodes * sizeof(int));
  memcpy(to->v, from->v, all->nv * sizeof(double));
  memcpy(to->dx, from->dx, all->nx * sizeof(double));
}

/* ---- one value ---- */

/* The agent, and the range of its variables, that a variable of all belongs to. NULL: it is nobody's. */
static const brink_slot_range *find_range(const brink_population_run *self, uint32_t variable,
                                          size_t element, size_t *population, size_t *agent) {
  const brink_variable *v = &self->tables->all->variables[variable];
  for (*population = 0; *population < self->tables->npopulations; ++*population) {
    const brink_population_table *p = &self->tables->populations[*population];
    for (size_t s = 0; s < p->nslots; s++) {
      const brink_slot_range *range = &p->slots[s];
      if (range->space != v->space || range->all != v->base || range->n == 0) continue;
      *agent = element / range->n;
      return range;
    }
  }
  return NULL;
}

/* An agent as it is at t, or as it starts. */
static void read_agent(brink_population_run *self, size_t k, size_t agent, double t,
                       const double **x, const double **p, const int **mode) {
  const brink_population_def *def = &self->populations[k];
  const brink_system *one = self->tables->populations[k].one;
  *x = def->x0 + agent * one->nx;
  *p = def->p0 + agent * one->np;
  *mode = def->mode0 + agent * one->nmodes;
  if (!self->begun) return;
  brink_agents_at(self->agents, k, agent, t, self->x, p, mode);
  *x = self->x;
}

double brink_population_run_value(brink_population_run *self, uint32_t variable, size_t element,
                                  double t) {
  const brink_system *all = self->tables->all;
  size_t k, agent;
  const brink_slot_range *range = find_range(self, variable, element, &k, &agent);
  if (range == NULL)
    return brink_variable_held(&all->variables[variable], element, all->x0, all->p0, all->mode0);
  const double *x, *p;
  const int *mode;
  size_t own = range->own + element % range->n;
  if (self->x == NULL && !brink_view_create(self)) return (double)NAN;
  read_agent(self, k, agent, t, &x, &p, &mode);
  if (range->space == BRINK_SPACE_X) return x[own];
  if (range->space == BRINK_SPACE_P) return p[own];
  if (range->space == BRINK_SPACE_MODE) return (double)mode[own];
  brink_instance *instance = self->one[k].instance;
  brink_instance_evaluate(instance, t, x, p, mode, NULL);
  return brink_instance_value(instance, range->variable, element % range->n);
}

/* Before the first instant: where the agent starts. */
static void write_start(brink_population_run *self, size_t k, size_t agent,
                        const brink_slot_range *range, size_t own, double value) {
  const brink_system *one = self->tables->populations[k].one;
  brink_start *start = &self->starts[k];
  if (range->space == BRINK_SPACE_X) start->x[agent * one->nx + own] = value;
  if (range->space == BRINK_SPACE_P) start->p[agent * one->np + own] = value;
  if (range->space == BRINK_SPACE_MODE) start->mode[agent * one->nmodes + own] = (int)value;
  self->restarts = true;
}

/* The agent with one value changed; the engine sees to what follows from it. */
static brink_status write_now(brink_population_run *self, size_t k, size_t agent,
                              const brink_slot_range *range, size_t own, double value,
                              brink_diag *diag) {
  const brink_system *one = self->tables->populations[k].one;
  const double *x, *p;
  const int *mode;
  if (self->now > brink_agents_time(self->agents))
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                          "agents have plans beyond the present, from a call with a later limit: "
                          "write values after a call that goes as far as any before it");
  brink_population_run_before_write(self);
  read_agent(self, k, agent, brink_agents_time(self->agents), &x, &p, &mode);
  if (one->np > 0) memcpy(self->p, p, one->np * sizeof *p);
  if (one->nmodes > 0) memcpy(self->mode, mode, one->nmodes * sizeof *mode);
  if (range->space == BRINK_SPACE_X) self->x[own] = value;
  if (range->space == BRINK_SPACE_P) self->p[own] = value;
  if (range->space == BRINK_SPACE_MODE) self->mode[own] = (int)value;
  brink_status status =
      brink_agents_write(self->agents, k, agent, self->x, self->p, self->mode, diag);
  brink_population_run_written(self);
  return status;
}

brink_status brink_population_run_write(brink_population_run *self, const char *name,
                                        uint32_t variable, size_t element, double value,
                                        brink_diag *diag) {
  size_t k, agent;
  const brink_slot_range *range = find_range(self, variable, element, &k, &agent);
  if (range == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "'%s' is common to all agents: set it in the model", name);
  size_t own = range->own + element % range->n;
  if (range->space == BRINK_SPACE_P &&
      !brink_instance_may_write(self->one[k].instance, BRINK_SPACE_P, own))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "'%s' is taken as constant in this run: set it in the model", name);
  if (self->begun) return write_now(self, k, agent, range, own, value, diag);
  write_start(self, k, agent, range, own, value);
  return BRINK_OK;
}

/* ---- as the records want it ---- */

brink_moment brink_view_moment(const brink_view *view) {
  return (brink_moment){.t = view->t, .x = view->x, .p = view->p, .mode = view->mode};
}

static void evaluate(const brink_moment *moment, void *user) {
  brink_population_run *self = user;
  self->seen = moment->x == self->after.x ? &self->after : &self->before;
}

static double slot_value(brink_space space, size_t slot, void *user) {
  const brink_population_run *self = user;
  return space == BRINK_SPACE_DX ? self->seen->dx[slot] : self->seen->v[slot];
}

brink_computed brink_view_computed(brink_population_run *self) {
  return (brink_computed){.evaluate = evaluate, .slot = slot_value, .user = self};
}
