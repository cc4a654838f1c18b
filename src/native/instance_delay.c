/* instance_delay.c: delayed signals of a system as the simulation asks for them (model/delay.h). */
#include "expr/delay_reach.h"
#include "native/instance.h"

#include <math.h>
#include <stdio.h>

/* ---- callbacks ---- */

/* Element k of all delays is one of its line. */
static double run(const brink_task *task, size_t index, double t, const double *x,
                  const brink_env *env) {
  brink_instance *instance = env->user;
  brink_frame frame = brink_instance_frame(instance, t, x, env->p, env->mode, env->sgn);
  brink_instance_prepare(instance, task, &frame);
  brink_instance_run(instance, task, &frame, index, 1);
  return instance->outputs[0];
}

static const brink_bound_delay *bound_of(const brink_env *env, size_t delay, size_t *index) {
  const brink_instance *instance = env->user;
  const brink_delay *def = &instance->delays->def.delays[delay];
  const brink_bound_delay *bound = &instance->delays->lines[def->line];
  *index = delay - bound->first;
  return bound;
}

static double signal(size_t delay, double t, const double *x, const brink_env *env) {
  size_t index;
  const brink_bound_delay *bound = bound_of(env, delay, &index);
  return run(&bound->signal, index, t, x, env);
}

static double lag(size_t delay, double t, const double *x, const brink_env *env) {
  size_t index;
  const brink_bound_delay *bound = bound_of(env, delay, &index);
  return run(&bound->lag, index, t, x, env);
}

static double largest(size_t delay, double t, const double *x, const brink_env *env) {
  size_t index;
  const brink_bound_delay *bound = bound_of(env, delay, &index);
  return run(&bound->bound, index, t, x, env);
}

static double history(size_t delay, double t, const double *x, const brink_env *env) {
  size_t index;
  const brink_bound_delay *bound = bound_of(env, delay, &index);
  return run(&bound->history, index, t, x, env);
}

/* ---- binding ---- */

/* Does the kernel read a number of this line? */
static bool reads(const brink_kernel *kernel, const brink_delayed *line) {
  size_t numbers = (line->held ? 1 : BRINK_DELAY_NUMBERS) * line->count;
  if (kernel->reads_v) return true; /* whatever its variables read */
  for (size_t r = 0; r < kernel->graph.nrefs; r++) {
    const brink_ref *ref = &kernel->graph.refs[r];
    if (ref->space != BRINK_SPACE_P) continue;
    for (size_t i = 0; i < kernel->count * brink_ref_extent(ref); i++) {
      size_t slot = brink_ref_element(ref, i / brink_ref_extent(ref), i % brink_ref_extent(ref));
      if (slot >= line->slot && slot < line->slot + numbers) return true;
    }
  }
  return false;
}

static bool reads_signs(const brink_kernel *kernel) {
  bool any = kernel->reads_v;
  for (size_t r = 0; r < kernel->graph.nrefs; r++)
    any = any || kernel->graph.refs[r].space == BRINK_SPACE_SIGN;
  return any;
}

/* One line, and its elements. */
static bool bind_line(brink_instance *instance, size_t line, brink_delay *elements) {
  const brink_delayed *delayed = &instance->system->delays[line];
  brink_bound_delay *bound = &instance->delays->lines[line];
  char text[160];
  snprintf(text, sizeof text, "delay at %s:%u", delayed->where, delayed->place.column);
  char *name = brink_arena_text(&instance->shared->arena, text);
  bool signs = reads_signs(delayed->signal);
  for (size_t i = 0; i < delayed->count; i++)
    elements[bound->first + i] = (brink_delay){.name = name,
                                               .line = line,
                                               .held = delayed->held,
                                               .constant = delayed->constant,
                                               .has_history = delayed->history != NULL,
                                               .reads_signs = signs,
                                               .slot = delayed->slot + i,
                                               .stride = delayed->count};
  return name != NULL && brink_instance_task(instance, delayed->signal, &bound->signal) &&
         brink_instance_task(instance, delayed->lag, &bound->lag) &&
         brink_instance_task(instance, delayed->bound, &bound->bound) &&
         brink_instance_task(instance, delayed->history, &bound->history);
}

bool brink_instance_bind_delays(brink_instance *instance) {
  const brink_system *system = instance->system;
  brink_arena *arena = &instance->shared->arena;
  size_t n = system->ndelays, count = 0;
  if (n == 0) return true;
  brink_bound_delays *delays = brink_arena_take(arena, 1, sizeof *delays);
  brink_bound_delay *lines = brink_arena_take(arena, n, sizeof *lines);
  bool *read = brink_arena_take(arena, n * n, sizeof *read);
  if (arena->failed) return false;
  for (size_t k = 0; k < n; k++) {
    lines[k].first = count;
    count += system->delays[k].count;
    for (size_t j = 0; j < n; j++)
      read[k * n + j] = reads(system->delays[k].signal, &system->delays[j]);
  }
  brink_delay *elements = brink_arena_take(arena, count, sizeof *elements);
  if (elements == NULL) return false;
  delays->lines = lines;
  delays->def = (brink_delays){.count = count,
                               .nlines = n,
                               .delays = elements,
                               .reads = read,
                               .reach = brink_system_delay_reach(system, arena),
                               .signal = signal,
                               .lag = lag,
                               .bound = largest,
                               .history = history};
  instance->delays = delays;
  for (size_t k = 0; k < n; k++) {
    if (!bind_line(instance, k, elements)) return false;
  }
  return true;
}

/* ---- the start ---- */

enum { ROUNDS = 4 }; /* more than there are delays */

/* The delayed signals at the start, in p0, as far as the present p0 and signs tell. True: one is another than before. */
static bool take_first(brink_instance *instance, signed char *sgn) {
  const brink_system *system = instance->system;
  const brink_delays *def = &instance->delays->def;
  double t = system->t0, *p = instance->p0;
  bool changed = false;
  brink_instance_signs(instance, t, instance->x0, p, instance->mode0, sgn);
  brink_env env = {.p = p, .mode = instance->mode0, .sgn = sgn, .user = instance};
  for (size_t i = 0; i < def->count; i++) {
    const brink_delay *delay = &def->delays[i];
    double before = p[delay->slot], since = t - lag(i, t, instance->x0, &env);
    double u = delay->has_history ? history(i, since, instance->x0, &env)
                                  : signal(i, t, instance->x0, &env);
    if (!isfinite(u) || !isfinite(since)) continue; /* the run says so */
    p[delay->slot] = u;
    if (!delay->held) p[delay->slot + BRINK_DELAY_CENTRE * delay->stride] = since;
    changed = changed || u != before;
  }
  return changed;
}

/* What reads delayed signals before the run begins (first outputs, ranges, flags that are past) reads their values. */
bool brink_instance_first_delays(brink_instance *instance) {
  if (instance->delays == NULL) return true;
  const brink_allocator *allocator = &instance->arena.allocator;
  size_t guards = instance->system->nguards + 1;
  signed char *sgn = brink_allocate(allocator, guards, sizeof *sgn);
  if (sgn == NULL) return false;
  for (size_t k = 0; k < instance->delays->def.count + ROUNDS; k++) {
    if (!take_first(instance, sgn)) break;
  }
  brink_release(allocator, sgn, guards, sizeof *sgn);
  return true;
}

/* ---- machine code ---- */

size_t brink_instance_delay_kernels(const brink_instance *instance, brink_kernel **kernels) {
  const brink_system *system = instance->system;
  size_t count = 0;
  for (size_t k = 0; k < system->ndelays; k++) {
    const brink_delayed *delayed = &system->delays[k];
    if (delayed->signal->reads_v) continue;
    if (kernels != NULL) kernels[count] = delayed->signal;
    count++;
  }
  return count;
}

void brink_instance_adopt_delays(const brink_instance *instance, const brink_native *native) {
  for (size_t k = 0; k < instance->system->ndelays; k++) {
    brink_task *task = &instance->delays->lines[k].signal;
    if (!task->kernel->reads_v) task->native = brink_native_kernel(native, task->kernel);
  }
}
