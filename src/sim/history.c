/* history.c: a whole simulation, kept by an observer (see <brink/history.h>).
 *
 * Dense output. The time from the start to the present is cut into pieces by knots: one piece for each step. A piece is
 * the path of its step (num/path.h) as the sim kept it for brink_sim_at, so that the same sums of the same numbers give the
 * same bits. Of a path only what evaluation reads is kept: the state at its start, terms*nx coefficients, and the basis
 * polynomials, which are common to all components; steps in a row with the same basis share one (fixed steps,
 * Dormand-Prince always). An event that changes nothing divides a step into two pieces with one path (pass.c).
 *
 * At a knot the state is the one where the next piece begins, which is what the instant there has left behind; at the
 * present it is the sim's own.
 *
 * Where time goes on without a step, the piece has no terms: the state at its start holds.
 *
 * Coefficients never move, they are in an arena; what a caller reads as one array grows by doubling. */
#include <brink/history.h>

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/definition.h"
#include "num/table.h"
#include "sim/history_parts.h"

typedef brink_history_basis basis;
typedef brink_history_piece piece;

static const brink_history_def history_defaults = {
    .size = sizeof(brink_history_def), .dense = true, .rows = true};

void brink_history_defaults(brink_history_def *def, size_t size) {
  brink_definition_fill(def, size, &history_defaults, sizeof history_defaults);
}

/* ---- arrays that grow ---- */

/* Room for item `count` of an array of doubles, `width` each; where it is, or NULL. */
static double *room(brink_history *h, double **items, size_t count, size_t *capacity,
                    size_t width) {
  void *all = *items;
  bool fine = brink_grow(&h->arena.allocator, &all, count, capacity, width * sizeof(double));
  *items = all;
  return fine ? *items + count * width : NULL;
}

static bool room_for_modes(brink_history *h) {
  void *all = h->modes;
  bool fine = h->nmodes == 0 || brink_grow(&h->arena.allocator, &all, h->nrows, &h->modes_capacity,
                                           h->nmodes * sizeof(int));
  h->modes = all;
  return fine;
}

static bool room_for_event(brink_history *h) {
  void *all = h->events;
  bool fine =
      brink_grow(&h->arena.allocator, &all, h->nevents, &h->events_capacity, sizeof *h->events);
  h->events = all;
  return fine;
}

static bool room_for_piece(brink_history *h) {
  void *all = h->pieces;
  bool fine =
      brink_grow(&h->arena.allocator, &all, h->npieces, &h->pieces_capacity, sizeof *h->pieces);
  h->pieces = all;
  return fine && room(h, &h->knots, h->npieces + 1, &h->knots_capacity, 1) != NULL;
}

static void copy(void *to, const void *from, size_t count, size_t size) {
  if (count > 0) memcpy(to, from, count * size);
}

static double *keep(brink_history *h, const double *from, size_t count) {
  double *kept = brink_arena_pack(&h->kept, count, sizeof *kept);
  if (kept != NULL) copy(kept, from, count, sizeof *kept);
  return kept;
}

/* ---- pieces ---- */

static void read_basis(const brink_path *path, basis *into) {
  memset(into, 0, sizeof *into);
  into->terms = path->terms;
  into->powers = path->powers;
  for (int l = 0; l < path->terms; l++) {
    if (path->powers) {
      into->c[into->count++] = path->scale[l];
      continue;
    }
    int last = path->degree;
    assert(path->own[l][0] == 0.0);
    while (last > 1 && path->own[l][last] == 0.0) last--;
    into->length[l] = (unsigned char)last;
    for (int k = 1; k <= last; k++) into->c[into->count++] = path->own[l][k];
  }
}

/* That of the last piece, if it is the same; else one more. NULL: no memory. */
static const basis *keep_basis(brink_history *h, const brink_path *path) {
  basis *found = h->scratch;
  read_basis(path, found);
  size_t bytes = sizeof *found + found->count * sizeof(double);
  if (h->last_basis != NULL && h->last_basis->count == found->count &&
      memcmp(h->last_basis, found, bytes) == 0)
    return h->last_basis;
  basis *made = brink_arena_pack(&h->kept, 1, bytes);
  if (made != NULL) memcpy(made, found, bytes);
  return h->last_basis = made;
}

static const double *keep_coefficients(brink_history *h, const brink_path *path) {
  size_t terms = (size_t)path->terms;
  double *a = brink_arena_pack(&h->kept, h->nx * terms, sizeof *a);
  for (size_t i = 0; a != NULL && i < h->nx; i++) {
    for (size_t l = 0; l < terms; l++) a[i * terms + l] = brink_path_term(path, (int)l, i);
  }
  return a;
}

/* Does the last piece lie on the same path? It has its start and length, and the present is behind its start. */
static bool goes_on(const brink_history *h, const brink_path *path, double from) {
  if (h->npieces == 0 || !(path->t0 < from)) return false;
  const piece *before = &h->pieces[h->npieces - 1];
  return before->of != NULL && before->t0 == path->t0 && before->h == path->h &&
         before->of->terms == path->terms;
}

static bool follow_path(brink_history *h, const brink_path *path, double from, piece *p) {
  if (goes_on(h, path, from)) {
    *p = h->pieces[h->npieces - 1];
    p->x = keep(h, h->present_x, h->nx);
    return p->x != NULL;
  }
  p->t0 = path->t0;
  p->h = path->h;
  p->x0 = keep(h, path->x0, h->nx);
  p->x = path->t0 == from ? p->x0 : keep(h, h->present_x, h->nx);
  p->of = keep_basis(h, path);
  p->a = keep_coefficients(h, path);
  return p->x0 != NULL && p->x != NULL && p->of != NULL && p->a != NULL;
}

/* One more piece, to `to`; path NULL: along which nothing moves. */
static void add_piece(brink_history *h, const brink_path *path, double from, double to) {
  piece made = {0};
  if (h->failed || !h->def.dense || !(to > from)) return;
  /* Constraints may have moved an event back before the end of the last piece. */
  while (h->npieces > 0 && h->knots[h->npieces - 1] >= from) h->npieces--;
  bool fine = room_for_piece(h);
  if (path != NULL && path->terms > 0)
    fine = fine && follow_path(h, path, from, &made);
  else
    fine = fine && (made.x = keep(h, h->present_x, h->nx)) != NULL;
  if (fine && h->keeps_locks) {
    made.locks = brink_lock_log_note(&h->locks, &h->kept);
    fine = made.locks != NULL;
  }
  h->failed = !fine;
  if (!fine) return;
  h->knots[h->npieces] = from;
  h->pieces[h->npieces++] = made;
  h->knots[h->npieces] = to;
}

/* ---- rows ---- */

static void add_row(brink_history *h, double t) {
  const brink_sim *sim = h->sim;
  if (h->failed || !h->def.rows) return;
  double *row = room(h, &h->rows, h->nrows, &h->rows_capacity, 1 + h->nx);
  if (row == NULL || !room_for_modes(h)) {
    h->failed = true;
    return;
  }
  row[0] = t;
  copy(row + 1, sim->x, h->nx, sizeof *row);
  if (h->nmodes > 0)
    copy(h->modes + h->nrows * h->nmodes, sim->eval.mode, h->nmodes, sizeof *h->modes);
  h->nrows++;
}

static void note_present(brink_history *h) {
  const brink_eval *eval = &h->sim->eval;
  copy(h->present_x, h->sim->x, h->nx, sizeof *h->present_x);
  if (!h->def.rows) return; /* nobody asks for the rest */
  copy(h->present_p, eval->p, h->sim->model->def.np, sizeof *h->present_p);
  copy(h->present_mode, eval->mode, h->nmodes, sizeof *h->present_mode);
}

static bool same(const void *a, const void *b, size_t count, size_t size) {
  return count == 0 || memcmp(a, b, count * size) == 0;
}

/* Has anything changed since the last step or instant? */
static bool has_changed(const brink_history *h) {
  const brink_eval *eval = &h->sim->eval;
  return !same(h->present_x, h->sim->x, h->nx, sizeof(double)) ||
         !same(h->present_mode, eval->mode, h->nmodes, sizeof(int)) ||
         !same(h->present_p, eval->p, h->sim->model->def.np, sizeof(double));
}

/* ---- the observer ---- */

static void moved(brink_observer *self, brink_sim *sim, double t0) {
  brink_history *h = (brink_history *)self;
  assert(sim->last.terms > 0 || h->nx == 0);
  add_piece(h, &sim->last, t0, sim->t);
}

static void stepped(brink_observer *self, brink_sim *sim, double t0) {
  brink_history *h = (brink_history *)self;
  (void)t0;
  add_row(h, sim->t);
  note_present(h);
}

static void begins(brink_observer *self, brink_sim *sim) {
  brink_history *h = (brink_history *)self;
  h->in_instant = true;
  if (!h->at_start) return;
  /* The start is what the run begins with: values that were set before, and that meet the constraints. */
  h->at_start = false;
  h->nrows = 0;
  add_row(h, sim->t);
  note_present(h);
}

static void ends(brink_observer *self, brink_sim *sim) {
  brink_history *h = (brink_history *)self;
  h->in_instant = false;
  if (h->def.rows && (sim->instant.count > 0 || has_changed(h))) add_row(h, sim->t);
  note_present(h);
}

static void skips(brink_observer *self, brink_sim *sim, double t) {
  brink_history *h = (brink_history *)self;
  if (!(t > sim->t)) return;
  if (h->in_instant) add_row(h, sim->t);
  note_present(h);
  add_piece(h, NULL, sim->t, t);
  add_row(h, t);
}

static void event(brink_observer *self, brink_sim *sim, const brink_event_record *record) {
  brink_history *h = (brink_history *)self;
  (void)sim;
  if (h->failed || !h->def.rows) return;
  double *before = room(h, &h->before, h->nevents, &h->before_capacity, h->nx);
  double *after = room(h, &h->after, h->nevents, &h->after_capacity, h->nx);
  if (before == NULL || after == NULL || !room_for_event(h)) {
    h->failed = true;
    return;
  }
  copy(before, record->x_before, h->nx, sizeof *before);
  copy(after, record->x_after, h->nx, sizeof *after);
  h->events[h->nevents++] = record->event;
}

/* From the present of the sim on. */
static void begin(brink_observer *self, brink_sim *sim) {
  brink_history *h = (brink_history *)self;
  brink_arena_free(&h->kept);
  h->last_basis = NULL;
  brink_lock_log_forget(&h->locks);
  h->npieces = h->nrows = h->nevents = 0;
  h->failed = h->in_instant = false;
  h->at_start = !brink_sim_has_begun(sim);
  note_present(h);
  add_row(h, sim->t);
  double *start = room(h, &h->knots, 0, &h->knots_capacity, 1);
  h->failed = h->failed || start == NULL;
  if (start != NULL) *start = sim->t;
}

/* ---- the object ---- */

static bool take_memory(brink_history *h) {
  brink_arena *arena = &h->arena;
  enum { MOST = BRINK_PATH_ROWS * BRINK_PATH_LENGTH };
  static_assert(MOST >= BRINK_PATH_TERMS, "scales of powers have room, too");
  h->present_x = brink_arena_take(arena, h->nx, sizeof *h->present_x);
  h->present_p = brink_arena_take(arena, h->sim->model->def.np, sizeof *h->present_p);
  h->present_mode = brink_arena_take(arena, h->nmodes, sizeof *h->present_mode);
  h->scratch = brink_arena_take(arena, 1, sizeof(basis) + MOST * sizeof(double));
  return !arena->failed;
}

brink_status brink_history_create(brink_sim *sim, const brink_history_def *def,
                                  const brink_allocator *allocator, brink_diag *diag,
                                  brink_history **history) {
  brink_diag_clear(diag);
  if (history != NULL) *history = NULL;
  if (sim == NULL || history == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "sim and history must not be NULL");
  if (sim->busy) return brink_sim_not_inside(diag);
  brink_history_def chosen = history_defaults;
  if (def != NULL) {
    brink_status status =
        brink_definition_read(&chosen, sizeof chosen, def, "brink_history_def", diag);
    if (status != BRINK_OK) return status;
  }
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_history *h = brink_arena_take(&arena, 1, sizeof *h);
  if (h == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for a history");
  h->arena = arena;
  brink_arena_init(&h->kept, allocator);
  h->def = chosen;
  h->sim = sim;
  h->nx = sim->model->def.nx;
  h->nmodes = sim->model->def.nmodes;
  bool fine = take_memory(h);
  if (fine) begin(&h->observer, sim);
  if (!fine || h->failed) {
    brink_history_destroy(h);
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for a history");
  }
  h->observer = (brink_observer){.moved = chosen.dense ? moved : NULL,
                                 .stepped = stepped,
                                 .begins = begins,
                                 .ends = ends,
                                 .skips = skips,
                                 .event = event,
                                 .reset = begin};
  brink_sim_watch(sim, &h->observer);
  *history = h;
  return BRINK_OK;
}

void brink_history_destroy(brink_history *h) {
  if (h == NULL || h->sim->busy) return;
  const brink_allocator *allocator = &h->arena.allocator;
  brink_sim_unwatch(h->sim, &h->observer);
  brink_release(allocator, h->pieces, h->pieces_capacity, sizeof *h->pieces);
  brink_release(allocator, h->knots, h->knots_capacity, sizeof *h->knots);
  brink_release(allocator, h->rows, h->rows_capacity, (1 + h->nx) * sizeof *h->rows);
  brink_release(allocator, h->modes, h->modes_capacity, h->nmodes * sizeof *h->modes);
  brink_release(allocator, h->events, h->events_capacity, sizeof *h->events);
  brink_release(allocator, h->before, h->before_capacity, h->nx * sizeof *h->before);
  brink_release(allocator, h->after, h->after_capacity, h->nx * sizeof *h->after);
  brink_arena_free(&h->kept);
  brink_arena arena = h->arena; /* the history itself lives in it */
  brink_arena_free(&arena);
}

/* ---- asking ---- */

size_t brink_history_steps(const brink_history *h, const double **ends_of_steps) {
  if (ends_of_steps != NULL) *ends_of_steps = h->knots;
  return h->def.dense ? h->npieces + 1 : 0;
}

size_t brink_history_rows(const brink_history *h, const double **values) {
  if (values != NULL) *values = h->rows;
  return h->nrows;
}

size_t brink_history_modes(const brink_history *h, const int **modes) {
  if (modes != NULL) *modes = h->modes;
  return h->nrows;
}

size_t brink_history_events(const brink_history *h, const brink_event **events,
                            const double **before, const double **after) {
  if (events != NULL) *events = h->events;
  if (before != NULL) *before = h->before;
  if (after != NULL) *after = h->after;
  return h->nevents;
}

/* The path of a piece again, as far as evaluation reads it. */
static void restore_path(const brink_history *h, const piece *p, brink_path *path) {
  const double *c = p->of->c;
  brink_path_begin(path, p->t0, p->h, h->nx, p->x0);
  path->step = (size_t)p->of->terms;
  if (!p->of->powers) {
    for (int l = 0; l < p->of->terms; l++) {
      double polynomial[BRINK_PATH_LENGTH] = {0};
      memcpy(polynomial + 1, c, p->of->length[l] * sizeof *c);
      brink_path_add(path, p->a + l, polynomial, p->of->length[l] + 1);
      c += p->of->length[l];
    }
    return;
  }
  path->powers = true;
  path->terms = path->degree = p->of->terms;
  for (int l = 0; l < path->terms; l++) {
    path->a[l] = p->a + l;
    path->scale[l] = path->bound[l] = c[l];
  }
}

static void take_locks(const brink_history *h, const piece *p, brink_history_look *look) {
  if (look->room == NULL || look->set == p->locks) return;
  look->set = p->locks;
  if (p->locks != NULL) look->locks = brink_locks_read(&h->locks, p->locks, look->room);
}

bool brink_history_look_at(const brink_history *h, double t, brink_history_look *look, double *x) {
  if (t >= h->sim->t || h->npieces == 0) {
    copy(x, h->sim->x, h->nx, sizeof *x);
    return false;
  }
  size_t k = brink_table_find(h->knots, h->npieces, t);
  const piece *p = &h->pieces[k];
  take_locks(h, p, look);
  if (t <= h->knots[k] || p->of == NULL) {
    copy(x, p->x, h->nx, sizeof *x);
    return true;
  }
  if (k != look->piece) restore_path(h, p, &look->path);
  look->piece = k;
  brink_path_eval(&look->path, (t - p->t0) / p->h, x);
  return true;
}

brink_status brink_history_span(const brink_history *h, double *start, double *present,
                                brink_diag *diag) {
  *start = h->knots[0];
  *present = h->sim->t;
  if (!h->failed) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory: the history ended at t = %.17g",
                        h->knots[h->npieces]);
}

brink_status brink_history_at(const brink_history *h, const double *times, size_t count,
                              double *out, brink_diag *diag) {
  brink_diag_clear(diag);
  if (h == NULL || (count > 0 && (times == NULL || out == NULL)))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "history, times and out must not be NULL");
  if (!h->def.dense)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "this history is not dense: set brink_history_def.dense");
  double start, present;
  brink_status status = brink_history_span(h, &start, &present, diag);
  if (status != BRINK_OK) return status;
  double round = brink_history_rounding(start, present);
  brink_history_look look = {.piece = BRINK_NONE};
  for (size_t k = 0; k < count; k++) {
    if (!(times[k] >= start - round && times[k] <= present + round))
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "times[%zu] = %.17g is outside of what was simulated, [%.17g, %.17g]",
                            k, times[k], start, present);
    brink_history_look_at(h, times[k], &look, out + k * h->nx);
  }
  return BRINK_OK;
}

/* ---- locks ---- */

brink_status brink_history_keep_locks(brink_history *h, brink_diag *diag) {
  h->keeps_locks = brink_lock_log_init(&h->locks, &h->sim->eval, &h->arena);
  if (h->keeps_locks) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for a history");
}

size_t brink_history_room(const brink_history *h) {
  return h->locks.npages * BRINK_LOCK_PAGE;
}
