/* delay_archive.c: the past of delayed signals, to bytes and back (base/archive.h). */
#include "sim/delay.h"

/* Room for `count` items, which replace those that are there. Each holds a double at least, with or without padding. */
static bool make_room(const brink_allocator *allocator, void **items, size_t *capacity,
                      size_t count, size_t size, brink_archive *a) {
  if (!brink_archive_holds(a, count, sizeof(double))) return false;
  if (count <= *capacity) return true;
  void *made = brink_allocate(allocator, count, size);
  if (made == NULL) {
    brink_archive_no_memory(a);
    return false;
  }
  brink_release(allocator, *items, *capacity, size);
  *items = made;
  *capacity = count;
  return true;
}

static void archive_pieces(brink_past *past, const brink_allocator *allocator, brink_archive *a) {
  size_t count = past->count - past->first;
  void *items = past->pieces;
  brink_archive_count(a, &count, SIZE_MAX / 4);
  if (a->reads) {
    past->first = past->count = 0;
    if (!make_room(allocator, &items, &past->capacity, count, sizeof *past->pieces, a)) return;
    past->pieces = items;
    past->count = count;
  }
  for (size_t k = past->first; k < past->count; k++) {
    brink_delay_piece *piece = &past->pieces[k];
    brink_archive_double(a, &piece->t0);
    brink_archive_double(a, &piece->t1);
    brink_archive_doubles(a, piece->c, BRINK_CHEBYSHEV_LENGTH);
  }
}

static void archive_breaks(brink_past *past, const brink_allocator *allocator, brink_archive *a) {
  size_t count = past->nbreaks;
  void *items = past->breaks;
  brink_archive_count(a, &count, SIZE_MAX / 4);
  if (a->reads) {
    past->nbreaks = 0;
    if (!make_room(allocator, &items, &past->breaks_capacity, count, sizeof *past->breaks, a))
      return;
    past->breaks = items;
    past->nbreaks = count;
  }
  for (size_t k = 0; k < past->nbreaks; k++) {
    brink_archive_double(a, &past->breaks[k].t);
    brink_archive_int(a, &past->breaks[k].order, 0, INT16_MAX);
  }
}

static void archive_past(brink_past *past, const brink_allocator *allocator, brink_archive *a) {
  double *const numbers[] = {&past->lag, &past->bound, &past->from,     &past->to,  &past->length,
                             &past->due, &past->rate,  &past->argument, &past->seen};
  archive_pieces(past, allocator, a);
  archive_breaks(past, allocator, a);
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
    brink_archive_double(a, numbers[k]);
  brink_archive_bool(a, &past->begins);
  brink_archive_bool(a, &past->ends);
  brink_archive_int(a, &past->from_order, 0, INT16_MAX);
  brink_archive_int(a, &past->order, 0, INT16_MAX);
  brink_archive_int(a, &past->met, -1, INT16_MAX);
  brink_archive_int(a, &past->side, -1, 1);
}

void brink_delay_archive(brink_sim *sim, brink_archive *a) {
  brink_delay_state *state = sim->delays;
  brink_archive_mark(a, "delays");
  brink_archive_same(a, state != NULL ? state->count : 0);
  if (state == NULL || a->failed) return;
  for (size_t k = 0; k < state->count && !a->failed; k++)
    archive_past(&state->pasts[k], &sim->arena.allocator, a);
  brink_archive_double(a, &state->next);
  brink_archive_bool(a, &state->begun);
  brink_archive_bool(a, &state->arrived);
  brink_archive_signs(a, state->sgn, sim->model->def.nguards);
  for (size_t k = 0; k < state->count; k++)
    brink_archive_check(a, !state->begun || state->pasts[k].count > state->pasts[k].first);
}
