/* population.c: arrays of components with a position: frames of a film, and where they met.
 *
 * A component has a position if it has states or outputs x and y, or px and py, or a vector p, q, r or
 * pos of two numbers; on a line, if it has x alone. Elements of vectors x and y of one component count
 * as a population, too. A radius is a parameter r or radius, a heading a state theta, phi, psi or
 * heading. */
#include <math.h>
#include <string.h>

#include "record/display_parts.h"
#include "record/encode.h"

enum {
  MOST_AGENTS = 20000, /* shown */
  MOST_FRAMES = 1500,
  FEWEST_FRAMES = 60,
  MOST_NUMBERS = 1500000, /* of all frames together */
  MOST_PAIR_EVENTS = 4000,
};

static const char *const across[][2] = {{"x", "y"}, {"px", "py"}, {"X", "Y"}};
static const char *const places[] = {"pos", "position", "p", "q", "r"};
static const char *const headings[] = {"theta", "phi", "psi", "heading"};
static const char *const radii[] = {"r", "radius"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- finding ---- */

/* The recorded real variable of a group with this name and length (0: any). */
static const brink_tracked *find(const brink_columns *columns, uint32_t group, const char *name,
                                 size_t length) {
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_variable *variable = columns->tracked[k].as;
    if (variable->group == group && variable->type == BRINK_VALUE_REAL &&
        strcmp(variable->name, name) == 0 && (length == 0 || variable->length == length))
      return &columns->tracked[k];
  }
  return NULL;
}

static const brink_variable *find_radius(const brink_system *system, uint32_t group) {
  for (size_t r = 0; r < COUNT(radii); r++) {
    for (size_t v = 0; v < system->nvariables; v++) {
      const brink_variable *variable = &system->variables[v];
      if (variable->group == group && variable->kind == BRINK_VARIABLE_PARAMETER &&
          variable->type == BRINK_VALUE_REAL && variable->space == BRINK_SPACE_P &&
          strcmp(variable->name, radii[r]) == 0)
        return variable;
    }
  }
  return NULL;
}

/* Does the group (or a vector in it) have a position? */
static bool find_position(const brink_columns *columns, uint32_t group, brink_population *p) {
  for (size_t k = 0; k < COUNT(across) && p->x == NULL; k++) {
    p->x = find(columns, group, across[k][0], 0);
    p->y = find(columns, group, across[k][1], 0);
    if (p->x == NULL || p->y == NULL || p->x->count != p->y->count) p->x = p->y = NULL;
  }
  p->stride = 1;
  for (size_t k = 0; k < COUNT(places) && p->x == NULL; k++) {
    p->x = p->y = find(columns, group, places[k], 2);
    if (p->x != NULL) p->stride = 2;
  }
  if (p->x == NULL) p->x = find(columns, group, "x", 0); /* on a line */
  p->total = p->x != NULL ? p->x->count / p->stride : 0;
  return p->total > 1;
}

static const char *name_of(const brink_group *group) {
  return group->nsegments > 0 ? group->segment[group->nsegments - 1] : "x";
}

static void consider(brink_populations *all, uint32_t group) {
  const brink_columns *columns = all->columns;
  brink_population found = {.group = group, .name = name_of(&columns->system->groups[group])};
  if (!find_position(columns, group, &found)) return;
  for (size_t k = 0; k < COUNT(headings) && found.heading == NULL; k++) {
    found.heading = find(columns, group, headings[k], 0);
    if (found.heading != NULL && found.heading->count != found.total) found.heading = NULL;
  }
  found.radius = find_radius(columns->system, group);
  found.every = (found.total + MOST_AGENTS - 1) / MOST_AGENTS;
  found.count = (found.total + found.every - 1) / found.every;
  found.first = all->width;
  found.pair_events.allocator = columns->arena.allocator;
  size_t numbers = found.y != NULL ? 2 : 1;
  if (found.heading != NULL) numbers++;
  all->width += found.count * numbers;
  all->item[all->count++] = found;
}

bool brink_populations_init(brink_populations *all, const brink_columns *columns,
                            brink_arena *arena) {
  *all = (brink_populations){.columns = columns};
  size_t ngroups = columns->system->ngroups;
  all->item = brink_arena_take(arena, ngroups, sizeof *all->item);
  if (all->item == NULL) return false;
  for (size_t g = 0; g < ngroups; g++) consider(all, (uint32_t)g);
  if (all->count == 0) return true;
  size_t frames = MOST_NUMBERS / all->width;
  if (frames > MOST_FRAMES) frames = MOST_FRAMES;
  if (frames < FEWEST_FRAMES) frames = FEWEST_FRAMES;
  return brink_thin_init(&all->frames, BRINK_THIN_LAST, all->width, frames, arena);
}

void brink_populations_free(brink_populations *all) {
  for (size_t k = 0; k < all->count; k++) brink_text_free(&all->item[k].pair_events);
}

/* ---- frames ---- */

static double place_of(const brink_populations *all, const brink_population *p, int axis,
                       size_t agent, const brink_moment *moment) {
  const brink_tracked *tracked = axis == 0 ? p->x : p->y;
  if (tracked == NULL) return 0.0;
  size_t element = agent * p->stride + (p->stride == 2 ? (size_t)axis : 0);
  return brink_columns_value(all->columns, tracked, element, moment);
}

void brink_populations_frame(brink_populations *all, const brink_moment *moment) {
  if (all->count == 0) return;
  double *values = brink_thin_place(&all->frames);
  for (size_t k = 0; k < all->count; k++) {
    const brink_population *p = &all->item[k];
    double *to = values + p->first;
    for (int axis = 0; axis < (p->y != NULL ? 2 : 1); axis++, to += p->count) {
      for (size_t a = 0; a < p->count; a++) to[a] = place_of(all, p, axis, a * p->every, moment);
    }
    for (size_t a = 0; p->heading != NULL && a < p->count; a++)
      to[a] = brink_columns_value(all->columns, p->heading, a * p->every, moment);
  }
  brink_thin_add(&all->frames, moment->t, values);
}

/* ---- meetings ---- */

static brink_population *population_of(brink_populations *all, uint32_t group) {
  for (size_t k = 0; k < all->count; k++) {
    const brink_population *p = &all->item[k];
    if (p->group == group && p->total == all->columns->system->groups[group].count)
      return &all->item[k];
  }
  return NULL;
}

static void add_pair_event(brink_population *p, double t, const char *flag, const double at[2],
                           const size_t agent[2], bool pair) {
  if (p->npair_events++ >= MOST_PAIR_EVENTS) return;
  brink_text *text = &p->pair_events;
  brink_text_add(text, "%s{\"t\":", text->length > 0 ? ",\n   " : "");
  brink_json_real(text, t);
  brink_text_add(text, ",\"x\":");
  brink_json_real(text, at[0]);
  brink_text_add(text, ",\"y\":");
  brink_json_real(text, at[1]);
  brink_text_add(text, ",\"a\":%zu,\"b\":%lld,\"flag\":", agent[0] / p->every,
                 pair ? (long long)(agent[1] / p->every) : -1LL);
  brink_json_string(text, flag);
  brink_text_add(text, "}");
}

void brink_populations_event(brink_populations *all, const brink_moment *before, uint32_t flag_id,
                             size_t index, const brink_participants *participants) {
  const brink_flag *flag = &all->columns->system->flags[flag_id];
  brink_population *p[2] = {NULL, NULL};
  size_t agent[2] = {0, 0};
  if (flag->is_pair) {
    for (int side = 0; side < 2; side++) {
      p[side] = population_of(all, participants->group[side]);
      agent[side] = participants->instance[side];
    }
  } else {
    p[0] = population_of(all, flag->group);
    agent[0] = index / flag->per_instance;
  }
  if (p[0] == NULL || p[0]->npair_events >= MOST_PAIR_EVENTS || agent[0] >= p[0]->total) return;
  brink_columns_visit(all->columns, before);
  double at[2];
  for (int axis = 0; axis < 2; axis++) {
    at[axis] = place_of(all, p[0], axis, agent[0], before);
    if (p[1] != NULL) at[axis] = 0.5 * (at[axis] + place_of(all, p[1], axis, agent[1], before));
  }
  add_pair_event(p[0], before->t, flag->name, at, agent, p[1] == p[0]);
}

/* ---- writing ---- */

/* A block of the frames, frame by frame. */
static void write_block(const brink_populations *all, const brink_population *p, size_t first,
                        double *room, brink_text *text) {
  const brink_thinned *frames = &all->frames;
  for (size_t f = 0; f < frames->rows; f++)
    memcpy(room + f * p->count, frames->values + f * frames->ncolumns + first,
           p->count * sizeof(double));
  brink_encode_array(text, BRINK_ELEMENT_F4, room, frames->rows * p->count, 1);
}

static void write_radius(const brink_population *p, const brink_system *system, double *room,
                         brink_text *text) {
  brink_text_add(text, ",\n  \"radius\":");
  if (p->radius == NULL) {
    brink_text_add(text, "null");
    return;
  }
  size_t each =
      p->radius->length; /* of a vector that is a population: one of each, or one of all */
  for (size_t a = 0; a < p->count; a++) {
    size_t slot = a * p->every * (system->groups[p->group].count == p->total ? each : 1);
    size_t most = system->groups[p->group].count * each;
    room[a] = system->p0[p->radius->base + (slot < most ? slot : 0)];
  }
  brink_encode_array(text, BRINK_ELEMENT_F4, room, p->count, 1);
}

static void write_population(const brink_populations *all, const brink_population *p, double *room,
                             brink_text *text) {
  const brink_thinned *frames = &all->frames;
  brink_text_add(text, "{\"name\":");
  brink_json_string(text, p->name);
  brink_text_add(text, ",\"count\":%zu,\"total\":%zu,\"frames\":%zu,\n  \"t\":", p->count, p->total,
                 frames->rows);
  brink_encode_array(text, BRINK_ELEMENT_F8, frames->t, frames->rows, 1);
  brink_text_add(text, ",\n  \"x\":");
  write_block(all, p, p->first, room, text);
  brink_text_add(text, ",\n  \"y\":");
  if (p->y != NULL)
    write_block(all, p, p->first + p->count, room, text);
  else
    brink_text_add(text, "null");
  brink_text_add(text, ",\n  \"heading\":");
  if (p->heading != NULL)
    write_block(all, p, p->first + (p->y != NULL ? 2 : 1) * p->count, room, text);
  else
    brink_text_add(text, "null");
  write_radius(p, all->columns->system, room, text);
  brink_text_add(text, ",\n  \"meetings_total\":%zu,\"meetings\":[", p->npair_events);
  brink_text_append(text, p->pair_events.data, p->pair_events.length);
  text->failed = text->failed || p->pair_events.failed;
  brink_text_add(text, "]}");
}

void brink_populations_write(const brink_populations *all, brink_text *text) {
  for (size_t k = 0; k < all->count; k++) {
    const brink_population *p = &all->item[k];
    size_t size = (all->frames.rows + 1) * p->count;
    double *room = brink_allocate(&text->allocator, size, sizeof(double));
    if (k > 0) brink_text_add(text, ",\n ");
    if (room != NULL)
      write_population(all, p, room, text);
    else
      text->failed = true;
    brink_release(&text->allocator, room, size, sizeof(double));
  }
}
