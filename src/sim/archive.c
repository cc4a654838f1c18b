/* archive.c: a simulation between two calls, to bytes and back, so that it goes on bit for bit (base/archive.h).
 *
 * Read into a simulation of the same model and options that has just been made. Where a step was attempted and not
 * committed (BRINK_PHASE_INSIDE) there is more than this list has: brink_sim_can_archive says so, and a step later it is
 * over. */
#include "model/constraint.h"
#include "sim/delay.h"

#include <math.h>
#include <stdio.h>

/* ---- timers ---- */

/* A timer waits once: its place follows from the heap. */
static void archive_timers(brink_sim *sim, brink_archive *a) {
  brink_timers *timers = &sim->timers;
  size_t count = sim->model->ntimers;
  brink_archive_mark(a, "timers");
  brink_archive_doubles(a, timers->at, count);
  brink_archive_count(a, &timers->count, count);
  brink_archive_indices(a, timers->heap, timers->count, count);
  if (!a->reads) return;
  for (size_t k = 0; k < count; k++) timers->place[k] = SIZE_MAX;
  for (size_t k = 0; k < timers->count && !a->failed; k++) {
    size_t timer = timers->heap[k];
    if (brink_archive_check(a, timers->place[timer] == SIZE_MAX)) timers->place[timer] = k;
  }
}

/* ---- the last instant ---- */

static void archive_flags(brink_sim *sim, brink_archive *a) {
  brink_instant *in = &sim->instant;
  size_t guards = sim->model->def.nguards;
  bool *const flags[] = {&in->unmet,         &in->ended,         &in->changed, &in->passing,
                         &in->split,         &in->rewatched,     &in->altered, &in->shares,
                         &in->field_settled, &in->fired_settled, &in->rested};
  for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) brink_archive_bool(a, flags[k]);
  brink_archive_bools(a, in->fired, guards);
  brink_archive_bools(a, in->pending, guards);
  brink_archive_bools(a, in->was_enabled, guards);
  brink_archive_signs(a, in->read_sgn, guards);
  if (in->assigned != NULL) brink_archive_bools(a, in->assigned, sim->model->def.nx);
}

static void archive_instant(brink_sim *sim, brink_archive *a) {
  brink_instant *in = &sim->instant;
  const brink_model_def *def = &sim->model->def;
  brink_archive_mark(a, "instant");
  brink_archive_count(a, &in->count, SIZE_MAX / 4);
  brink_archive_count(a, &in->narrivals, def->nguards);
  for (size_t k = 0; k < in->narrivals; k++)
    brink_located_archive(&in->arrivals[k], def->nguards, a);
  archive_flags(sim, a);
  double *const states[] = {in->pre_x, in->before_x, in->shared, in->settled};
  for (size_t k = 0; k < sizeof states / sizeof states[0]; k++)
    brink_archive_doubles(a, states[k], def->nx);
  double *const parameters[] = {in->pre_p, in->before_p, in->locked_p};
  for (size_t k = 0; k < sizeof parameters / sizeof parameters[0]; k++)
    brink_archive_doubles(a, parameters[k], def->np);
  brink_archive_ints(a, in->pre_mode, def->nmodes);
  brink_archive_ints(a, in->before_mode, def->nmodes);
  brink_archive_ints(a, in->locked_mode, def->nmodes);
  brink_archive_double(a, &in->t);
  brink_archive_double(a, &in->jump);
  if (a->reads) in->nlocated = 0;
}

static void archive_events(brink_sim *sim, brink_archive *a) {
  brink_archive_mark(a, "events");
  brink_archive_count(a, &sim->nevents, sim->events_capacity);
  for (size_t k = 0; k < sim->nevents; k++) {
    brink_event *event = &sim->events[k];
    brink_archive_indices(a, &event->guard, 1, sim->model->def.nguards);
    brink_archive_double(a, &event->t);
    event->direction = (brink_direction)brink_archive_enum(a, (int)event->direction, BRINK_NEGATIVE,
                                                           BRINK_POSITIVE);
    event->kind =
        (brink_event_kind)brink_archive_enum(a, (int)event->kind, BRINK_CROSSED, BRINK_HELD);
    brink_archive_double(a, &event->value);
    brink_archive_int(a, &event->iteration, 0, INT32_MAX);
    if (a->failed) break;
    event->name = brink_model_guard_name(sim->model, event->guard);
  }
  if (a->failed && a->reads) sim->nevents = 0;
  brink_archive_int(a, &sim->zeno.count, 0, BRINK_ZENO_WINDOW);
  brink_archive_doubles(a, sim->zeno.t, (size_t)sim->zeno.count);
  brink_archive_indices(a, sim->zeno.guard, (size_t)sim->zeno.count, sim->model->def.nguards);
}

/* ---- constraints ---- */

/* The structure is that which holds now; it is asked for again. */
static void archive_structure(brink_sim *sim, brink_archive *a) {
  bool any = sim->structure != NULL;
  size_t nx = sim->model->def.nx;
  brink_archive_mark(a, "structs");
  brink_archive_bool(a, &any);
  brink_archive_bool(a, &sim->consistent);
  brink_archive_count(a, &sim->nchosen, nx);
  if (!brink_archive_check(a, !any || sim->eval.solver != NULL)) return;
  if (sim->chosen != NULL) {
    brink_archive_bools(a, sim->chosen, nx);
    brink_archive_bools(a, sim->frozen, nx);
    brink_archive_doubles(a, sim->impulse, sim->model->def.nz);
  }
  if (!a->reads || !any) return;
  if (brink_archive_check(a, brink_constraint_bind(&sim->eval) == BRINK_TRY_OK))
    sim->structure = sim->eval.solver->structure;
}

/* ---- the whole ---- */

bool brink_sim_can_archive(brink_sim *sim) {
  if (sim->phase == BRINK_PHASE_INSIDE || sim->leads.open) return false;
  if (sim->structure == NULL) return true;
  return brink_constraint_bind(&sim->eval) == BRINK_TRY_OK &&
         sim->eval.solver->structure == sim->structure;
}

static void archive_place(brink_sim *sim, brink_archive *a) {
  size_t guards = sim->model->def.nguards;
  brink_archive_mark(a, "place");
  brink_archive_double(a, &sim->t);
  brink_archive_double(a, &sim->limit);
  brink_archive_double(a, &sim->step.t);
  brink_archive_double(a, &sim->step.end);
  brink_archive_double(a, &sim->step.passed);
  brink_archive_bool(a, &sim->step.kept);
  brink_archive_double(a, &sim->next.h);
  brink_archive_double(a, &sim->next.end);
  brink_archive_bool(a, &sim->unseen);
  brink_archive_bool(a, &sim->keep);
  brink_archive_bool(a, &sim->led);
  brink_archive_double(a, &sim->flight.step);
  brink_archive_double(a, &sim->flight.end);
  brink_archive_int(a, &sim->detour, 0, INT32_MAX);
  brink_archive_int(a, &sim->stuck, 0, INT32_MAX - 1);
  brink_archive_index(a, &sim->blocked, guards);
  brink_archive_index(a, &sim->grazed, guards);
  brink_archive_doubles(a, sim->held_from, guards);
  brink_archive_double(a, &sim->last_end);
  brink_archive_check(a, isfinite(sim->t));
}

void brink_sim_archive(brink_sim *sim, brink_archive *a) {
  brink_archive_mark(a, "sim");
  sim->phase =
      (brink_phase)brink_archive_enum(a, (int)sim->phase, BRINK_PHASE_BEGIN, BRINK_PHASE_RUN);
  brink_eval_archive(&sim->eval, a);
  archive_structure(sim, a);
  if (a->failed) return;
  brink_stepper_archive(&sim->stepper, sim->phase == BRINK_PHASE_RUN, &sim->arena, a);
  brink_detector_archive(&sim->detector, sim->x, a);
  archive_place(sim, a);
  brink_archive_mark(a, "clocks");
  brink_schedule_archive(sim, sim->t, a);
  archive_timers(sim, a);
  archive_instant(sim, a);
  archive_events(sim, a);
  brink_stiff_archive(sim, a);
  brink_path_archive(&sim->last, sim->model->def.nx, sim->path_terms, sim->last_memory, a);
  brink_delay_archive(sim, a);
}
