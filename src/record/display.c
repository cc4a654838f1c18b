/* display.c: what a report shows, collected while the run goes on. See display.h. */
#include <math.h>
#include <string.h>

#include "record/display_parts.h"

enum {
  MOST_COLUMNS = 256,
  MOST_ROWS = 16384,
  FEWEST_ROWS = 1024,
  MOST_VALUES = 1200000, /* of all columns together: about 10 MB */
  MOST_STEPS = 8192,
  LISTED_EVENTS = 2000,
  PIXELS = 2000,       /* points that a smooth curve over the whole run gets at least */
  PARTS_AT_FIRST = 32, /* of a step, while there are few rows … */
  PARTS_LATER = 8,     /* … and while there is still room */
  MOST_PARTS = PIXELS,
  MOST_POINTS = 8192,
  MOST_TIMES = 4096, /* of events: many more than an axis has places for marks */
};

/* ---- which columns ---- */

static bool is_chosen(const brink_display *display, size_t column) {
  for (size_t k = 0; k < display->nchosen; k++) {
    if (display->chosen[k] == column) return true;
  }
  return false;
}

static void choose(brink_display *display, const brink_tracked *tracked, size_t element) {
  size_t column = tracked->first + element;
  if (is_chosen(display, column)) return;
  display->chosen[display->nchosen] = column;
  display->tracked[display->nchosen] = tracked;
  display->element[display->nchosen++] = element;
}

static void choose_wanted(brink_display *display) {
  const brink_columns *columns = display->def.columns;
  for (size_t w = 0; w < display->def.nwanted; w++) {
    for (size_t k = 0; k < columns->ntracked; k++) {
      const brink_tracked *tracked = &columns->tracked[k];
      size_t column = display->def.wanted[w];
      if (column >= tracked->first && column < tracked->first + tracked->count)
        choose(display, tracked, column - tracked->first);
    }
  }
}

/* All columns, or of a large model the first elements of each variable. */
static void choose_usual(brink_display *display) {
  const brink_columns *columns = display->def.columns;
  size_t each = columns->count <= MOST_COLUMNS ? SIZE_MAX : MOST_COLUMNS / columns->ntracked;
  if (each == 0) each = 1;
  size_t most = MOST_COLUMNS + display->def.nwanted;
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    for (size_t e = 0; e < tracked->count && e < each && display->nchosen < most; e++)
      choose(display, tracked, e);
  }
}

/* Columns appear in the order of the system. */
static void sort_chosen(brink_display *display) {
  for (size_t k = 1; k < display->nchosen; k++) {
    size_t column = display->chosen[k], element = display->element[k], j = k;
    const brink_tracked *tracked = display->tracked[k];
    for (; j > 0 && display->chosen[j - 1] > column; j--) {
      display->chosen[j] = display->chosen[j - 1];
      display->tracked[j] = display->tracked[j - 1];
      display->element[j] = display->element[j - 1];
    }
    display->chosen[j] = column;
    display->tracked[j] = tracked;
    display->element[j] = element;
  }
}

static bool choose_columns(brink_display *display) {
  size_t most = MOST_COLUMNS + display->def.nwanted;
  display->chosen = brink_arena_take(&display->arena, most, sizeof *display->chosen);
  display->tracked = brink_arena_take(&display->arena, most, sizeof *display->tracked);
  display->element = brink_arena_take(&display->arena, most, sizeof *display->element);
  if (display->chosen == NULL || display->tracked == NULL || display->element == NULL) return false;
  choose_wanted(display);
  choose_usual(display);
  sort_chosen(display);
  return true;
}

/* ---- rows ---- */

static int on_row(const brink_moment *moment, void *user) {
  brink_display *display = user;
  const brink_columns *columns = display->def.columns;
  brink_columns_visit(columns, moment);
  double *values = brink_thin_place(&display->rows);
  double t = brink_system_time(columns->system, moment->t);
  for (size_t k = 0; k < display->nchosen; k++) {
    values[k] = brink_columns_value(columns, display->tracked[k], display->element[k], moment);
    brink_gaps_value(display->def.gaps, display->tracked[k], display->element[k], values[k], t);
  }
  brink_thin_add(&display->points, moment->t, values);
  brink_thin_add(&display->rows, moment->t, values);
  brink_columns_visit(display->def.places, moment);
  brink_populations_frame(&display->populations, moment);
  return 0;
}

/* Steps of a good method are long: without points inside them curves would be polygons. */
static size_t parts_of(const brink_step_record *record, void *user) {
  brink_display *display = user;
  if (record->nx > BRINK_DISPLAY_LARGE) return 1;
  const brink_thinned *rows = &display->rows;
  size_t fewest = 1;
  if (rows->width == 0.0 && rows->rows < rows->capacity / 4) fewest = PARTS_LATER;
  if (rows->width == 0.0 && rows->rows < rows->capacity / 16) fewest = PARTS_AT_FIRST;
  double until = isfinite(display->def.until) ? display->def.until : record->t1;
  double pixel = (until - display->started) / PIXELS;
  double wanted = pixel > 0.0 ? ceil(record->h / pixel) : 1.0;
  if (!(wanted <= MOST_PARTS)) wanted = MOST_PARTS;
  size_t parts = wanted > (double)fewest ? (size_t)wanted : fewest;
  /* Periodic solutions have periodic steps: cut always alike, the same few points of the orbit would come
   * again and again. */
  if (rows->width > 0.0) display->turn = (display->turn + 1) % BRINK_DISPLAY_TURNS;
  return parts + display->turn;
}

void brink_display_step(brink_display *display, const brink_step_record *record) {
  double step[2] = {record->h, record->order};
  brink_thin_add(&display->steps, record->t1, step);
  display->nsteps++;
  brink_approaches_step(&display->approaches, record);
  brink_trace_step(&display->trace, record);
}

void brink_display_event(brink_display *display, const brink_event_record *record, uint32_t flag,
                         size_t index) {
  if (record->event.kind != BRINK_HELD) { /* that is not an event of its own */
    brink_moment before = {.t = record->event.t,
                           .x = record->x_before,
                           .p = record->p_before,
                           .mode = record->mode_before,
                           .sgn = brink_sim_signs(display->def.sim)};
    brink_participants participants =
        brink_participants_of(&display->def.columns->system->flags[flag], index);
    brink_approaches_event(&display->approaches, record, flag, index, display->nevents++);
    brink_populations_event(&display->populations, &before, flag, index, &participants);
  }
  brink_trace_event(&display->trace, record);
}

void brink_display_before_write(brink_display *display) {
  brink_trace_before_write(&display->trace);
}

void brink_display_written(brink_display *display) {
  brink_trace_written(&display->trace);
}

void brink_display_moved(brink_display *display, double t, const double *x) {
  brink_trace_moved(&display->trace, t, x);
}

void brink_display_row(brink_display *display, const brink_moment *moment) {
  on_row(moment, display);
}

void brink_display_pair_event(brink_display *display, const brink_moment *before, uint32_t flag,
                              size_t index, const brink_participants *participants) {
  display->nevents++;
  brink_populations_event(&display->populations, before, flag, index, participants);
}

/* A run backwards is shown in the time of the model, from left to right. */
static void turn(brink_display *display) {
  display->turned = true;
  brink_thin_turn(&display->rows);
  brink_thin_turn(&display->points);
  brink_thin_turn(&display->steps);
  if (display->populations.count > 0) brink_thin_turn(&display->populations.frames);
  double until = display->def.until;
  display->def.until = 0.0 - display->started;
  display->started = 0.0 - until;
}

void brink_display_end(brink_display *display) {
  if (display->def.sim == NULL) return;
  brink_approaches_end(&display->approaches);
  brink_trace_end(&display->trace);
  if (display->def.columns->system->backward && !display->turned) turn(display);
}

/* ---- events ---- */

void brink_display_logged(const brink_logged_event *logged, void *user) {
  brink_display *display = user;
  double nothing = 0.0;
  brink_thin_add(&display->times, logged->t, &nothing);
  if (display->ntold++ >= LISTED_EVENTS) return;
  const brink_system *system = display->def.columns->system;
  brink_text *text = &display->events;
  brink_text_add(text, "%s{\"t\":", text->length > 0 ? ",\n  " : "");
  brink_json_real(text, logged->t);
  brink_text_add(text, ",\"flag\":");
  brink_json_string(text, logged->name);
  brink_text_add(text, ",\"direction\":\"%s\",\"changes\":",
                 logged->direction == BRINK_NEGATIVE ? "negative" : "positive");
  brink_json_string(text, logged->changes);
  brink_text_add(text, ",\"where\":");
  brink_json_string(text, system->flags[logged->flag].where);
  brink_text_add(text, ",\"generated\":%s",
                 system->flags[logged->flag].kind == BRINK_FLAG_GENERATED ? "true" : "false");
  brink_text_add(text, ",\"text\":");
  if (system->flags[logged->flag].text != NULL)
    brink_json_string(text, system->flags[logged->flag].text);
  else
    brink_text_add(text, "null");
  brink_text_add(text, ",\"agents\":");
  if (system->flags[logged->flag].is_pair)
    brink_json_agents(text, system, logged->participants);
  else
    brink_text_add(text, "null");
  brink_text_add(text, "}");
}

/* ---- the object ---- */

static size_t row_capacity(size_t ncolumns, size_t most) {
  size_t rows = MOST_VALUES / (ncolumns + 1);
  if (rows > most) rows = most;
  return rows < FEWEST_ROWS ? FEWEST_ROWS : rows;
}

static bool make_parts(brink_display *display) {
  const brink_display_def *def = &display->def;
  const brink_system *system = def->columns->system;
  brink_arena *arena = &display->arena;
  if (!choose_columns(display)) return false;
  if (def->sim != NULL && (!brink_trace_init(&display->trace, def->sim, system->nx, system->np,
                                             system->nmodes, arena) ||
                           !brink_approaches_init(&display->approaches, def, system->nx, arena)))
    return false;
  display->trace.row = on_row;
  display->trace.parts = parts_of;
  display->trace.user = display;
  return brink_thin_init(&display->rows, BRINK_THIN_EXTREMES, display->nchosen,
                         row_capacity(display->nchosen, MOST_ROWS), arena) &&
         brink_thin_init(&display->points, BRINK_THIN_LAST, display->nchosen,
                         row_capacity(display->nchosen, MOST_POINTS), arena) &&
         brink_thin_init(&display->steps, BRINK_THIN_EXTREMES, 2, MOST_STEPS, arena) &&
         brink_thin_init(&display->times, BRINK_THIN_LAST, 1, MOST_TIMES, arena) &&
         brink_populations_init(&display->populations, def->places, arena);
}

brink_status brink_display_create(const brink_display_def *def, const brink_allocator *allocator,
                                  brink_display **result) {
  *result = NULL;
  brink_display *display = brink_allocate(allocator, 1, sizeof *display);
  if (display == NULL) return BRINK_ERR_MEMORY;
  brink_arena_init(&display->arena, allocator);
  display->def = *def;
  display->started = def->sim != NULL ? brink_sim_time(def->sim) : def->started;
  display->events.allocator = display->arena.allocator;
  if (!make_parts(display)) {
    brink_display_destroy(display);
    return BRINK_ERR_MEMORY;
  }
  *result = display;
  return BRINK_OK;
}

void brink_display_destroy(brink_display *display) {
  if (display == NULL) return;
  brink_approaches_free(&display->approaches);
  brink_populations_free(&display->populations);
  brink_text_free(&display->events);
  brink_allocator allocator = display->arena.allocator;
  brink_arena_free(&display->arena);
  brink_release(&allocator, display, 1, sizeof *display);
}

const brink_thinned *brink_display_rows(const brink_display *display, const size_t **chosen) {
  *chosen = display->chosen;
  return &display->rows;
}

const brink_thinned *brink_display_events(const brink_display *display) {
  return &display->times;
}

const brink_thinned *brink_display_points(const brink_display *display) {
  return &display->points;
}
