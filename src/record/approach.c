/* approach.c: guards just before and after events, so that a reader sees from which side, and how
 * near, the surface was reached.
 *
 * Along the last step before an event and the first one after it the guard is read from the dense
 * output, at distances that halve; before that, at the ends of steps. The first few events of each flag
 * are enough. */
#include <math.h>
#include <string.h>

#include "record/display_parts.h"
#include "record/encode.h"

enum {
  MOST_APPROACHES = 120,
  MOST_OF_A_FLAG = 12,
};

bool brink_approaches_init(brink_approaches *all, const brink_display_def *def, size_t nx,
                           brink_arena *arena) {
  *all = (brink_approaches){.def = def, .nx = nx};
  all->text.allocator = arena->allocator;
  size_t kept = nx <= BRINK_DISPLAY_LARGE ? BRINK_APPROACH_STEPS : 0;
  size_t nflags = def->columns->system->nflags;
  all->recent_t = brink_arena_take(arena, kept, sizeof(double));
  all->recent_x = brink_arena_take(arena, kept * nx, sizeof(double));
  all->x = brink_arena_take(arena, nx, sizeof(double));
  all->open = brink_arena_take(arena, BRINK_APPROACH_OPEN, sizeof *all->open);
  all->logged = brink_arena_take(arena, nflags, sizeof *all->logged);
  return all->recent_t != NULL && all->recent_x != NULL && all->x != NULL && all->open != NULL &&
         all->logged != NULL;
}

void brink_approaches_free(brink_approaches *all) {
  if (all->def != NULL) brink_text_free(&all->text);
}

/* ---- points ---- */

static double value_at(const brink_approaches *all, size_t guard, const brink_moment *moment) {
  return all->def->guards.value(guard, moment, all->def->guards.user);
}

static void add_along(brink_approaches *all, brink_guard_approach *approach,
                      const brink_moment *like, double t) {
  if (brink_sim_at(all->def->sim, t, all->x, NULL) != BRINK_OK) return;
  brink_moment moment = *like;
  moment.t = t;
  moment.x = all->x;
  approach->along_dt[approach->nalong] = t - approach->t;
  approach->along_g[approach->nalong++] = value_at(all, approach->guard, &moment);
}

/* Distances h/2^k that time can resolve; on each of them a point, in the order of time. */
static void add_halving(brink_approaches *all, brink_guard_approach *approach,
                        const brink_moment *like, double h) {
  double finest = 8.0 * 2.3e-16 * fabs(approach->t);
  for (int k = 0; k < BRINK_APPROACH_POINTS; k++) {
    double distance = h < 0.0 ? ldexp(h, -k) : ldexp(h, k + 1 - BRINK_APPROACH_POINTS);
    if (fabs(distance) > finest) add_along(all, approach, like, approach->t + distance);
  }
}

static void add_steps(brink_approaches *all, brink_guard_approach *approach,
                      const brink_moment *like) {
  size_t count = all->recent < BRINK_APPROACH_STEPS ? all->recent : BRINK_APPROACH_STEPS;
  for (size_t k = all->recent - count; k < all->recent; k++) {
    size_t slot = k % BRINK_APPROACH_STEPS;
    if (all->recent_t[slot] >= approach->t) continue;
    brink_moment moment = *like;
    moment.t = all->recent_t[slot];
    moment.x = all->recent_x + slot * all->nx;
    approach->step_dt[approach->nsteps] = moment.t - approach->t;
    approach->step_g[approach->nsteps++] = value_at(all, approach->guard, &moment);
  }
}

/* ---- writing ---- */

static void write_points(brink_text *text, const char *key, const double *dt, const double *g,
                         size_t count) {
  brink_text_add(text, ",\"%s\":{\"dt\":", key);
  brink_encode_array(text, BRINK_ELEMENT_F8, dt, count, 1);
  brink_text_add(text, ",\"g\":");
  brink_encode_array(text, BRINK_ELEMENT_F8, g, count, 1);
  brink_text_add(text, "}");
}

static void write_approach(brink_approaches *all, const brink_guard_approach *approach) {
  brink_text *text = &all->text;
  brink_text name = {.allocator = text->allocator};
  brink_system_flag_name(all->def->columns->system, approach->flag, approach->index, &name);
  brink_text_add(text, "%s{\"event\":%zu,\"flag\":", text->length > 0 ? ",\n  " : "",
                 approach->event);
  brink_json_string(text, name.data != NULL ? name.data : "");
  text->failed = text->failed || name.failed;
  brink_text_free(&name);
  brink_text_add(text, ",\"t\":");
  brink_json_real(text, brink_system_time(all->def->columns->system, approach->t));
  brink_text_add(text, ",\"value\":");
  brink_json_real(text, approach->value);
  brink_text_add(text, ",\"tolerance\":");
  brink_json_real(text, approach->tolerance);
  write_points(text, "along", approach->along_dt, approach->along_g, approach->nalong);
  write_points(text, "steps", approach->step_dt, approach->step_g, approach->nsteps);
  brink_text_add(text, "}");
}

/* ---- events and steps ---- */

/* Distances in the time of the model, if that runs backwards. */
static void turn_distances(brink_guard_approach *approach) {
  for (size_t k = 0; k < approach->nalong; k++) approach->along_dt[k] = -approach->along_dt[k];
  for (size_t k = 0; k < approach->nsteps; k++) approach->step_dt[k] = -approach->step_dt[k];
}

static void close_open(brink_approaches *all) {
  for (size_t k = 0; k < all->nopen; k++) {
    if (all->def->columns->system->backward) turn_distances(&all->open[k]);
    write_approach(all, &all->open[k]);
  }
  all->nopen = 0;
}

/* The step after the events: the guards on the way out. */
static void finish_open(brink_approaches *all, const brink_step_record *record) {
  brink_moment like = {.p = brink_sim_parameters(all->def->sim),
                       .mode = record->mode,
                       .sgn = brink_sim_signs(all->def->sim)};
  for (size_t k = 0; k < all->nopen; k++) {
    brink_guard_approach *approach = &all->open[k];
    if (record->t0 != approach->t) continue;
    add_halving(all, approach, &like, record->t1 - record->t0);
    brink_moment end = like;
    end.t = record->t1;
    end.x = record->x;
    approach->step_dt[approach->nsteps] = record->t1 - approach->t;
    approach->step_g[approach->nsteps++] = value_at(all, approach->guard, &end);
  }
  close_open(all);
}

void brink_approaches_step(brink_approaches *all, const brink_step_record *record) {
  if (all->nopen > 0) finish_open(all, record);
  if (all->happened) all->recent = 0;
  all->happened = false;
  all->begun = record->t0;
  if (all->nx > BRINK_DISPLAY_LARGE) return;
  size_t slot = all->recent++ % BRINK_APPROACH_STEPS;
  all->recent_t[slot] = record->t1;
  memcpy(all->recent_x + slot * all->nx, record->x, all->nx * sizeof(double));
}

void brink_approaches_event(brink_approaches *all, const brink_event_record *record, uint32_t flag,
                            size_t index, size_t number) {
  const brink_event *event = &record->event;
  all->happened = true;
  bool enough = all->count >= MOST_APPROACHES || all->logged[flag] >= MOST_OF_A_FLAG ||
                all->nopen >= BRINK_APPROACH_OPEN;
  if (enough || event->iteration > 0) return;
  all->count++;
  all->logged[flag]++;
  brink_moment before = {.t = event->t,
                         .x = record->x_before,
                         .p = record->p_before,
                         .mode = record->mode_before,
                         .sgn = brink_sim_signs(all->def->sim)};
  brink_guard_approach *approach = &all->open[all->nopen++];
  *approach =
      (brink_guard_approach){.event = number, .guard = event->guard, .flag = flag, .index = index};
  approach->t = event->t;
  approach->value = event->value;
  approach->tolerance = all->def->guards.tolerance(event->guard, &before, all->def->guards.user);
  add_steps(all, approach, &before);
  if (all->begun < event->t) add_halving(all, approach, &before, all->begun - event->t);
}

void brink_approaches_end(brink_approaches *all) {
  close_open(all);
}
