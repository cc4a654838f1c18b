/* plot.c: --plot: names become columns before the run, and columns pictures after it. */
#include "cli/plot.h"
#include "base/show.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/colour.h"
#include "cli/picture.h"
#include "cli/terminal.h"

enum {
  MOST_CURVES = 64, /* in one picture */
  MOST_LABELS = 16,
  HEIGHT = 12,
  HEIGHT_AGAINST = 20,
  PROPOSED = 8, /* names, where none is near */
};

/* Columns that one name stands for. */
typedef struct selection {
  const char *name;
  size_t column[MOST_CURVES];
  size_t count, total; /* shown, and there */
  const brink_variable *variable;
} selection;

/* One picture: y over time, or y against x. */
typedef struct request {
  selection y, x;
  bool against;
} request;

struct cli_plot {
  brink_columns columns; /* like those of the display */
  request *requests;
  size_t count;
};

static int out_of_memory(void) {
  cli_say("out of memory");
  return CLI_NUMERICS;
}

/* ---- names ---- */

/* A column's name without indices, into `bare`. */
static void strip(const char *column, brink_text *bare) {
  bare->length = 0;
  while (*column != '\0') {
    size_t length = strcspn(column, "[");
    brink_text_append(bare, column, length);
    column += length + strcspn(column + length, "]");
    column += *column == ']';
  }
}

static void select_columns(selection *s, const brink_columns *columns) {
  size_t length = strlen(s->name);
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    for (size_t e = 0; e < tracked->count; e++) {
      const char *name = columns->name[tracked->first + e];
      if (!brink_pattern_means(s->name, length, columns, tracked, name)) continue;
      s->variable = tracked->as;
      if (s->count < MOST_CURVES) s->column[s->count++] = tracked->first + e;
      s->total++;
    }
  }
}

/* What was meant, into `best`: a name that is nearly this one, or one that only lacks where it is. */
static void find_nearest(const char *name, const brink_columns *columns, brink_text *best) {
  brink_text bare = {0};
  const char *dot = strrchr(name, '.'), *last = dot != NULL ? dot + 1 : name;
  bool near = false;
  for (size_t k = 0; k < columns->ntracked; k++) {
    strip(columns->name[columns->tracked[k].first], &bare);
    if (bare.data == NULL) continue;
    bool better = brink_nearest(name, bare.data, near ? best->data : NULL) == bare.data;
    const char *tail = strrchr(bare.data, '.');
    bool inner = best->length == 0 && tail != NULL && strcmp(tail + 1, last) == 0;
    if (!better && !inner) continue;
    near = near || better;
    best->length = 0;
    brink_text_add(best, "%s", bare.data);
  }
  brink_text_free(&bare);
}

/* "; there are a, b, c and 7 more" */
static void list_names(const brink_columns *columns, brink_text *text) {
  brink_text bare = {0};
  for (size_t k = 0; k < columns->ntracked && k < PROPOSED; k++) {
    strip(columns->name[columns->tracked[k].first], &bare);
    if (bare.data != NULL) brink_text_add(text, "%s%s", k == 0 ? "; there are " : ", ", bare.data);
  }
  if (columns->ntracked > PROPOSED)
    brink_text_add(text, " and %zu more", columns->ntracked - PROPOSED);
  brink_text_free(&bare);
}

static int tell_unknown(const cli_simulation *sim, const char *name) {
  brink_columns all;
  const brink_columns *columns = &all;
  brink_keeping keeping = brink_run_keeping(sim->run);
  keeping.all = true;
  if (brink_columns_init_kept(&all, sim->run->system, &keeping, NULL, NULL) != BRINK_OK)
    return out_of_memory();
  if (!brink_columns_names(&all)) {
    brink_columns_free(&all);
    return out_of_memory();
  }
  brink_text bare = {0}, best = {0}, text = {0};
  strip(name, &bare);
  if (bare.data != NULL) find_nearest(bare.data, columns, &best);
  if (best.length > 0)
    brink_text_add(&text, "; did you mean %s?", best.data);
  else
    list_names(columns, &text);
  int outcome = cli_misuse("run", "--plot %s: there is no such quantity%s", name,
                           text.data != NULL ? text.data : "");
  brink_text_free(&bare);
  brink_text_free(&best);
  brink_text_free(&text);
  brink_columns_free(&all);
  return outcome;
}

static int check_against(const request *r) {
  const selection *both[2] = {&r->y, &r->x};
  for (size_t k = 0; k < 2; k++) {
    if (both[k]->variable->type == BRINK_VALUE_STRING)
      return cli_misuse("run", "--plot %s:%s needs numbers: the values of %s are words", r->y.name,
                        r->x.name, both[k]->name);
  }
  if (r->x.total == r->y.total || r->x.total == 1) return CLI_OK;
  return cli_misuse("run", "--plot %s:%s: %zu and %zu elements cannot be paired", r->y.name,
                    r->x.name, r->y.total, r->x.total);
}

/* "y" or "y:x"; `word` is cut. */
static int read_request(const cli_simulation *sim, request *r, char *word,
                        const brink_columns *columns) {
  char *colon = strchr(word, ':');
  if (colon != NULL) *colon = '\0';
  r->against = colon != NULL;
  r->y.name = word;
  r->x.name = colon != NULL ? colon + 1 : "";
  if (word[0] == '\0' || (r->against && r->x.name[0] == '\0'))
    return cli_misuse("run", "--plot needs names: x,y over time, or y:x");
  select_columns(&r->y, columns);
  if (r->y.count == 0) return tell_unknown(sim, r->y.name);
  if (!r->against) return CLI_OK;
  select_columns(&r->x, columns);
  if (r->x.count == 0) return tell_unknown(sim, r->x.name);
  return check_against(r);
}

/* ---- before the run ---- */

static void want(cli_simulation *sim, const selection *s) {
  for (size_t k = 0; k < s->count; k++) sim->wanted[sim->nwanted++] = s->column[k];
}

/* The next comma outside of brackets; NULL: none. */
static char *find_comma(char *text) {
  bool inside = false;
  for (char *c = text; *c != '\0'; c++) {
    if (*c == '[' || *c == ']') inside = *c == '[';
    if (*c == ',' && !inside) return c;
  }
  return NULL;
}

static int read_requests(cli_simulation *sim, cli_plot *plot, const brink_columns *columns) {
  char *word = brink_arena_text(&sim->arena, sim->settings.plot);
  if (word == NULL) return out_of_memory();
  int outcome = CLI_OK;
  for (char *next = word; next != NULL && outcome == CLI_OK; word = next) {
    next = find_comma(word);
    if (next != NULL) *next++ = '\0';
    outcome = read_request(sim, &plot->requests[plot->count], word, columns);
    plot->count++;
  }
  if (outcome != CLI_OK) return outcome;
  size_t wanted = 0;
  for (size_t k = 0; k < plot->count; k++)
    wanted += plot->requests[k].y.count + plot->requests[k].x.count;
  sim->wanted = brink_arena_take(&sim->arena, wanted, sizeof *sim->wanted);
  if (sim->wanted == NULL) return out_of_memory();
  for (size_t k = 0; k < plot->count; k++) {
    want(sim, &plot->requests[k].y);
    want(sim, &plot->requests[k].x);
  }
  return CLI_OK;
}

int cli_plot_begin(cli_simulation *sim) {
  if (sim->settings.plot == NULL) return CLI_OK;
  size_t most = 1;
  for (const char *c = sim->settings.plot; *c != '\0'; c++) most += *c == ',';
  cli_plot *plot = brink_arena_take(&sim->arena, 1, sizeof *plot);
  if (plot == NULL) return out_of_memory();
  plot->requests = brink_arena_take(&sim->arena, most, sizeof *plot->requests);
  if (plot->requests == NULL) return out_of_memory();
  char *also = brink_arena_text(&sim->arena, sim->settings.plot);
  if (also == NULL) return out_of_memory();
  for (char *c = also; *c != '\0'; c++) *c = *c == ':' ? ',' : *c;
  /* The columns that the run is going to show. */
  brink_keeping keeping = brink_run_keeping(sim->run);
  keeping.also = sim->also = also;
  if (brink_columns_init_kept(&plot->columns, sim->run->system, &keeping, NULL, NULL) != BRINK_OK)
    return out_of_memory();
  sim->plot = plot;
  if (!brink_columns_names(&plot->columns)) return out_of_memory();
  return read_requests(sim, plot, &plot->columns);
}

void cli_plot_end(cli_simulation *sim) {
  if (sim->plot != NULL) brink_columns_free(&sim->plot->columns);
}

/* ---- after it ---- */

/* What a picture is made of. */
typedef struct sketch {
  const cli_simulation *sim;
  const brink_thinned *rows;
  const size_t *chosen;
  brink_arena arena;
  cli_picture picture;
  brink_text title, below;
} sketch;

/* The place of a column in a table of the display. */
static const double *values_of(const sketch *s, const brink_thinned *table, size_t column) {
  size_t k = 0;
  while (k < table->ncolumns && s->chosen[k] != column) k++;
  return k < table->ncolumns ? table->values + k : NULL;
}

static void put_name(brink_text *text, const selection *s) {
  brink_text_add(text, "%s", s->name);
  if (s->variable->unit != NULL && s->variable->unit[0] != '\0') {
    brink_text_add(text, " (");
    brink_text_show(text, s->variable->unit);
    brink_text_add(text, ")");
  }
  if (s->total > s->count)
    brink_text_add(text, ", the first %zu of %zu", s->count, s->total);
  else if (s->total > 1)
    brink_text_add(text, ", all %zu", s->total);
}

/* Words in place of numbers. Of a mode all that it can be, of other texts those that occur. False: out of
 * memory. */
static bool use_words(sketch *s, cli_curve *curve, const brink_variable *variable) {
  const brink_system *system = s->sim->model->built->system;
  const char **labels = brink_arena_take(&s->arena, MOST_LABELS, sizeof *labels);
  double *known = brink_arena_take(&s->arena, MOST_LABELS, sizeof *known);
  double *places = brink_arena_take(&s->arena, curve->count, sizeof *places);
  if (labels == NULL || known == NULL || places == NULL) return false;
  size_t count = 0;
  for (size_t k = 0; k < variable->nset && count < MOST_LABELS; k++)
    known[count++] = variable->set[k];
  for (size_t row = 0; row < curve->count; row++) {
    double value = curve->y[row * curve->y_stride];
    size_t k = 0;
    while (k < count && known[k] != value) k++;
    if (k == count && count < MOST_LABELS) known[count++] = value;
    places[row] = k < MOST_LABELS ? (double)k : (double)NAN;
  }
  for (size_t k = 0; k < count; k++) {
    bool string = known[k] >= 0.0 && known[k] < (double)system->nstrings;
    labels[k] = string ? system->strings[(size_t)known[k]] : "?";
  }
  curve->y = places;
  curve->y_stride = 1;
  s->picture.labels = labels;
  s->picture.nlabels = count;
  return true;
}

/* y:x of a long run: points that were seen together, not connected, since some are left out. */
static void use_points(sketch *s, const request *r, size_t k, cli_curve *curve) {
  const brink_thinned *points = brink_display_points(s->sim->run->display);
  curve->count = points->rows;
  curve->x = values_of(s, points, r->x.column[r->x.total > 1 ? k : 0]);
  curve->y = values_of(s, points, r->y.column[k]);
  s->picture.dots = true;
}

static bool make_curve(sketch *s, const request *r, size_t k, cli_curve *curve) {
  size_t stride = s->rows->ncolumns;
  *curve = (cli_curve){.x = s->rows->t, .count = s->rows->rows, .x_stride = 1, .y_stride = stride};
  curve->y = values_of(s, s->rows, r->y.column[k]);
  if (r->against) {
    curve->x = values_of(s, s->rows, r->x.column[r->x.total > 1 ? k : 0]);
    curve->x_stride = stride;
  }
  if (curve->x == NULL || curve->y == NULL) {
    curve->count = 0;
    return true;
  }
  if (r->against && s->rows->width > 0.0) use_points(s, r, k, curve);
  if (r->y.variable->type == BRINK_VALUE_STRING) return use_words(s, curve, r->y.variable);
  return true;
}

/* Values that only events, samples and rules change. */
static bool is_held(const brink_variable *variable) {
  return variable->type != BRINK_VALUE_REAL || variable->space == BRINK_SPACE_P;
}

static void use_booleans(cli_picture *picture) {
  static const char *const words[] = {"false", "true"};
  picture->labels = words;
  picture->nlabels = 2;
}

static bool make_picture(sketch *s, const request *r) {
  cli_picture *picture = &s->picture;
  cli_curve *curves = brink_arena_take(&s->arena, r->y.count, sizeof *curves);
  if (curves == NULL) return false;
  for (size_t k = 0; k < r->y.count; k++) {
    if (!make_curve(s, r, k, &curves[k])) return false;
  }
  picture->curves = curves;
  picture->ncurves = r->y.count;
  picture->height = r->against ? HEIGHT_AGAINST : HEIGHT;
  picture->steps = !r->against && is_held(r->y.variable);
  if (!r->against && r->y.variable->type == BRINK_VALUE_BOOLEAN) use_booleans(picture);
  if (picture->labels != NULL && picture->nlabels < 4) picture->height = 3 + 2 * picture->nlabels;
  if (!r->against) {
    const brink_thinned *events = brink_display_events(s->sim->run->display);
    picture->marks = events->t;
    picture->nmarks = events->rows;
  }
  put_name(&s->title, &r->y);
  if (r->against) {
    put_name(&s->below, &r->x);
    brink_text_add(&s->title, " against %s", s->below.data != NULL ? s->below.data : "");
  } else {
    brink_text_add(&s->below, "t");
  }
  picture->title = s->title.data;
  picture->below = s->below.data;
  return !s->title.failed && !s->below.failed;
}

static bool draw_request(const cli_simulation *sim, const request *r, const cli_picture *look,
                         brink_text *text) {
  sketch s = {.sim = sim, .picture = *look};
  brink_arena_init(&s.arena, NULL);
  s.rows = brink_display_rows(sim->run->display, &s.chosen);
  bool fine = make_picture(&s, r);
  if (fine) {
    brink_text_append(text, "\n", 1);
    cli_picture_draw(&s.picture, text);
  }
  brink_text_free(&s.title);
  brink_text_free(&s.below);
  brink_arena_free(&s.arena);
  return fine && !text->failed;
}

int cli_plot_print(const cli_simulation *sim) {
  const cli_settings *settings = &sim->settings;
  if (sim->plot == NULL || sim->run->display == NULL) return CLI_OK;
  bool taken = settings->json || (settings->out != NULL && strcmp(settings->out, "-") == 0);
  int file = taken ? STDERR_FILENO : STDOUT_FILENO;
  const cli_colours *colours = cli_colours_for(settings->color, file);
  cli_picture look = {.width = cli_terminal_width(file),
                      .utf8 = cli_utf8(),
                      .bold = colours->bold,
                      .plain = colours->plain};
  brink_text text = {0};
  bool fine = true;
  for (size_t k = 0; k < sim->plot->count && fine; k++)
    fine = draw_request(sim, &sim->plot->requests[k], &look, &text);
  int outcome = CLI_OK;
  if (!fine) {
    brink_text_free(&text);
    outcome = out_of_memory();
  } else if (taken) {
    fwrite(text.data, 1, text.length, stderr);
    brink_text_free(&text);
  } else {
    outcome = cli_print(&text);
  }
  return outcome;
}
