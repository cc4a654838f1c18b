/* agents_scene_run.c: runs a scene and keeps what was told. See agents_scene.h. */
#include "support/agents_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a, a double at a time. */
static void mix(uint64_t *bits, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) *bits = (*bits ^ bytes[i]) * 0x100000001b3u;
}

static void mix_record(uint64_t *bits, const brink_event_record *record, size_t nx, size_t np,
                       size_t nmodes) {
  mix(bits, &record->event.t, sizeof record->event.t);
  mix(bits, &record->event.value, sizeof record->event.value);
  mix(bits, record->x_before, nx * sizeof(double));
  mix(bits, record->x_after, nx * sizeof(double));
  mix(bits, record->p_before, np * sizeof(double));
  mix(bits, record->p_after, np * sizeof(double));
  mix(bits, record->mode_before, nmodes * sizeof(int));
  mix(bits, record->mode_after, nmodes * sizeof(int));
}

static scene_event translate(const scene *s, const brink_agent_event *event) {
  const brink_event *e = &event->record->event;
  scene_event out = {.t = e->t,
                     .pair = event->pair,
                     .population = event->population,
                     .agent = event->agent,
                     .other = BRINK_NONE,
                     .guard = e->guard,
                     .direction = e->direction,
                     .kind = e->kind,
                     .bits = 0xcbf29ce484222325u};
  if (event->pair == BRINK_NONE) {
    mix_record(&out.bits, event->record, s->crowds[event->population].nx, SCENE_PARAMETERS, 1);
    return out;
  }
  const scene_link *link = &s->links[event->pair];
  size_t nx = s->crowds[link->population[0]].nx + s->crowds[link->population[1]].nx;
  bool swap = link->population[0] == link->population[1] && event->partner[0] > event->partner[1];
  out.population = link->population[0];
  out.agent = event->partner[swap];
  out.other = event->partner[!swap];
  mix_record(&out.bits, event->record, nx, (size_t)2 * SCENE_PARAMETERS, 2);
  return out;
}

static int listen(const brink_agent_event *event, void *user) {
  const scene_listener *l = user;
  scene_result *r = l->result;
  if (r->count == r->capacity) {
    size_t capacity = r->capacity == 0 ? 256 : 2 * r->capacity;
    scene_event *grown = realloc(r->events, capacity * sizeof *grown);
    if (grown == NULL) return 1;
    r->events = grown;
    r->capacity = capacity;
  }
  r->events[r->count] = translate(l->scene, event);
  mix(&r->bits, &r->events[r->count].bits, sizeof(uint64_t));
  r->count++;
  return 0;
}

static bool read_states(const scene *s, const brink_agents *agents, double t, scene_result *r) {
  size_t total = 0;
  for (size_t c = 0; c < s->ncrowds; c++) total += s->crowds[c].count * s->crowds[c].nx;
  r->x = calloc(total + 1, sizeof *r->x);
  if (r->x == NULL) return false;
  for (size_t c = 0; c < s->ncrowds; c++)
    for (size_t i = 0; i < s->crowds[c].count; i++) {
      const double *p;
      const int *mode;
      brink_agents_at(agents, c, i, t, r->x + r->nx, &p, &mode);
      r->nx += s->crowds[c].nx;
    }
  mix(&r->bits, r->x, r->nx * sizeof *r->x);
  return true;
}

void scene_listen(const scene *s, brink_agents *agents, scene_listener *listener,
                  scene_result *result) {
  *listener = (scene_listener){.scene = s, .result = result};
  memset(result, 0, sizeof *result);
  result->bits = 0xcbf29ce484222325u;
  brink_agents_sink sink = {.event = listen, .user = listener};
  brink_agents_set_sink(agents, &sink);
}

void scene_finish(brink_agents *agents, double t_end, const scene_listener *listener) {
  scene_result *result = listener->result;
  result->status = brink_agents_run(agents, t_end, 0, &result->diag);
  if (result->status == BRINK_TIME_REACHED && !read_states(listener->scene, agents, t_end, result))
    result->status = BRINK_ERR_MEMORY;
  result->stats = *brink_agents_statistics(agents);
}

void scene_run(const scene *s, const brink_options *options, bool all_pairs, double t_end,
               scene_result *result) {
  scene_listener listener;
  brink_agents *agents = NULL;
  memset(result, 0, sizeof *result);
  brink_agents_def def = scene_def(s, options);
  def.all_pairs = all_pairs;
  result->status = brink_agents_create(&def, NULL, &result->diag, &agents);
  if (result->status != BRINK_OK) return;
  scene_listen(s, agents, &listener, result);
  scene_finish(agents, t_end, &listener);
  brink_agents_destroy(agents);
}

void scene_result_free(scene_result *result) {
  free(result->events);
  free(result->x);
  memset(result, 0, sizeof *result);
}

const char *scene_difference(const scene_result *a, const scene_result *b, char room[300]) {
  if (a->status != BRINK_TIME_REACHED || b->status != a->status) {
    const scene_result *wrong = a->status != BRINK_TIME_REACHED ? a : b;
    snprintf(room, 300, "%s: %.200s", brink_status_text(wrong->status), wrong->diag.message);
    return room;
  }
  size_t k = 0;
  while (k < a->count && k < b->count && a->events[k].bits == b->events[k].bits) k++;
  if (k == a->count && k == b->count && a->bits == b->bits) return NULL;
  snprintf(room, 300, "%zu and %zu events, the first %zu equal; then at t = %.17g, %.17g", a->count,
           b->count, k, k < a->count ? a->events[k].t : (double)NAN,
           k < b->count ? b->events[k].t : (double)NAN);
  return room;
}
