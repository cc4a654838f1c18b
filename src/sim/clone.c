/* clone.c: a second simulation that goes on like the first, bit for bit.
 *
 * Problem: what a simulation does next depends on much more than time and state: the method's history, what the
 * detector knows of each guard, a step that has not come to its end. All of it has to be the same in the clone.
 *
 * Method: a simulation lives in one arena, with everything that it knows, and stepping takes no other memory. So
 * the arena is copied, byte by byte, and pointers in the copy are moved from the original's memory to its own: each
 * part of the simulation relocates those that it has. No value can be forgotten, and a pointer that is
 * leads into the original, which a test sees. Pointers to what is outside (tables of functions, texts)
 * stay; those to the model, and to names that it keeps, are taken from the clone's model.
 *
 * Not copied is who watches: sink, observers, sensitivities. */
#include "sim/delay.h"

/* ---- pointers ---- */

static void relocate_clocks(brink_sim *sim, brink_relocation *moved) {
  brink_timers_relocate(sim, moved);
  BRINK_RELOCATE(moved, sim->schedule.ticks);
  BRINK_RELOCATE(moved, sim->schedule.tick);
  BRINK_RELOCATE(moved, sim->schedule.timer);
  BRINK_RELOCATE(moved, sim->schedule.next_time);
  BRINK_RELOCATE(moved, sim->schedule.timers);
  BRINK_RELOCATE(moved, sim->schedule.waiting.items);
  BRINK_RELOCATE(moved, sim->schedule.due.items);
}

/* The last step, and one that is under way. */
static void relocate_steps(brink_sim *sim, brink_relocation *moved) {
  BRINK_RELOCATE(moved, sim->x);
  BRINK_RELOCATE(moved, sim->step.x);
  BRINK_RELOCATE(moved, sim->step.rest_memory);
  BRINK_RELOCATE(moved, sim->event_x);
  BRINK_RELOCATE(moved, sim->last_memory);
  brink_path_relocate(&sim->step.rest, moved);
  brink_path_relocate(&sim->last, moved);
}

static void relocate_instant(brink_sim *sim, brink_relocation *moved) {
  double **const vectors[] = {&sim->instant.pre_x,    &sim->instant.before_x, &sim->instant.pre_p,
                              &sim->instant.before_p, &sim->held_from,        &sim->instant.field,
                              &sim->instant.shared,   &sim->instant.settled};
  signed char **const signs[] = {&sim->step.sgn_before, &sim->instant.sgn_kept,
                                 &sim->instant.supposed_sgn, &sim->instant.read_sgn};
  bool **const flags[] = {&sim->instant.pending, &sim->instant.fired, &sim->instant.was_enabled,
                          &sim->instant.supposed_enabled};
  brink_relocate_vectors(moved, vectors, sizeof vectors / sizeof vectors[0]);
  for (size_t k = 0; k < sizeof signs / sizeof signs[0]; k++) BRINK_RELOCATE(moved, *signs[k]);
  for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) BRINK_RELOCATE(moved, *flags[k]);
  BRINK_RELOCATE(moved, sim->instant.located);
  BRINK_RELOCATE(moved, sim->instant.arrivals);
  BRINK_RELOCATE(moved, sim->instant.pre_mode);
  BRINK_RELOCATE(moved, sim->instant.before_mode);
  BRINK_RELOCATE(moved, sim->instant.locked_p);
  BRINK_RELOCATE(moved, sim->instant.locked_mode);
  brink_derivative_relocate(sim, moved);
  brink_leads_relocate(sim, moved);
}

static void relocate_events(brink_sim *sim, brink_relocation *moved) {
  BRINK_RELOCATE(moved, sim->events);
  for (size_t k = 0; k < sim->events_capacity; k++) {
    brink_event *event = &sim->events[k];
    if (event->name != NULL) event->name = brink_model_guard_name(sim->model, event->guard);
  }
}

static void relocate_stiffness(brink_sim *sim, brink_relocation *moved) {
  brink_relocate_rows(moved, sim->stiffness.x, BRINK_STIFF_SAMPLES);
  BRINK_RELOCATE(moved, sim->stiffness.direction);
  BRINK_RELOCATE(moved, sim->stiffness.changes);
}

static void relocate(brink_sim *sim, brink_relocation *moved) {
  BRINK_RELOCATE(moved, sim->atol);
  BRINK_RELOCATE(moved, sim->impulse);
  BRINK_RELOCATE(moved, sim->chosen);
  BRINK_RELOCATE(moved, sim->frozen);
  BRINK_RELOCATE(moved, sim->instant.assigned);
  BRINK_RELOCATE(moved, sim->options.atols);
  brink_eval_relocate(&sim->eval, sim->model, moved);
  brink_stepper_relocate(&sim->stepper, moved);
  brink_detector_relocate(&sim->detector, moved);
  relocate_clocks(sim, moved);
  relocate_steps(sim, moved);
  relocate_instant(sim, moved);
  relocate_events(sim, moved);
  relocate_stiffness(sim, moved);
  brink_delay_relocate(sim, moved);
}

/* ---- the clone ---- */

brink_status brink_sim_clone(const brink_sim *sim, const brink_model *model,
                             const brink_allocator *allocator, brink_diag *diag,
                             brink_sim **clone) {
  brink_diag_clear(diag);
  if (clone != NULL) *clone = NULL;
  if (sim == NULL || clone == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "sim and clone must not be NULL");
  if (sim->busy) return brink_sim_not_inside(diag);
  if (model == NULL) model = sim->model;
  brink_status status = brink_model_check_alike(sim->model, model, diag);
  if (status != BRINK_OK) return status;
  brink_arena arena;
  brink_relocation moved;
  brink_arena_init(&arena, allocator);
  if (!brink_arena_clone(&arena, &sim->arena, &moved))
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for a clone of '%s'",
                          model->def.name);
  brink_sim *made = brink_relocated(&moved, sim);
  made->arena = arena;
  made->model = model;
  made->sink = (brink_sink){0};
  made->cancelled = NULL;
  brink_eval_heed(&made->eval, NULL);
  made->observers = NULL;
  made->sensitivity = NULL;
  relocate(made, &moved);
  if (!brink_delay_clone(made)) {
    brink_sim_destroy(made);
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for a clone of '%s'",
                          model->def.name);
  }
  *clone = made;
  return BRINK_OK;
}
