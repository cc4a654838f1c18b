/* history_archive.c: the dense output of a simulation, to bytes and back (base/archive.h).
 *
 * Pieces that follow one another share paths, bases and what was locked; each of these is written once, where it begins. */
#include <math.h>

#include "sim/history_parts.h"

/* What a piece shares with the one before it. */
typedef struct sharing {
  bool moves; /* it has a path */
  bool path, basis, locks;
  bool start; /* it begins where its path does */
} sharing;

static sharing compare(const brink_history_piece *p, const brink_history_piece *before) {
  sharing s = {.moves = p->of != NULL, .start = p->of != NULL && p->x == p->x0};
  if (before == NULL) return s;
  s.path = s.moves && p->a == before->a && p->x0 == before->x0;
  s.basis = s.moves && p->of == before->of;
  s.locks = p->locks == before->locks;
  return s;
}

static void archive_sharing(sharing *s, bool first, brink_archive *a) {
  brink_archive_bool(a, &s->moves);
  brink_archive_bool(a, &s->path);
  brink_archive_bool(a, &s->basis);
  brink_archive_bool(a, &s->locks);
  brink_archive_bool(a, &s->start);
  bool possible = s->moves || (!s->path && !s->basis && !s->start);
  brink_archive_check(a, possible && !(first && (s->path || s->basis || s->locks)));
}

/* Numbers that are kept with the history. */
static void archive_kept(brink_history *h, const double **values, size_t count, brink_archive *a) {
  double *room = (double *)*values;
  if (a->reads) {
    if (!brink_archive_holds(a, count, sizeof *room)) return;
    room = brink_arena_pack(&h->kept, count, sizeof *room);
    if (room == NULL) {
      brink_archive_no_memory(a);
      return;
    }
    *values = room;
  }
  brink_archive_doubles(a, room, count);
}

/* Lengths and number of coefficients, into the scratch; its numbers follow. */
static void archive_shape(brink_history_basis *shape, brink_archive *a) {
  brink_archive_int(a, &shape->terms, 1, shape->powers ? BRINK_PATH_TERMS : BRINK_PATH_ROWS);
  if (a->reads) shape->count = shape->powers ? (size_t)shape->terms : 0;
  for (int l = 0; !shape->powers && l < shape->terms; l++) {
    int length = shape->length[l];
    brink_archive_int(a, &length, 1, BRINK_PATH_LENGTH - 1);
    if (!a->reads) continue;
    shape->length[l] = (unsigned char)length;
    shape->count += (size_t)length;
  }
}

static void archive_basis(brink_history *h, const brink_history_basis **of, brink_archive *a) {
  brink_history_basis shape = {0};
  if (!a->reads) {
    shape.terms = (*of)->terms;
    shape.powers = (*of)->powers;
    shape.count = (*of)->count;
    for (int l = 0; l < BRINK_PATH_ROWS; l++) shape.length[l] = (*of)->length[l];
  }
  brink_archive_bool(a, &shape.powers);
  archive_shape(&shape, a);
  if (!a->reads) {
    brink_archive_doubles(a, (double *)(*of)->c, shape.count);
    return;
  }
  if (a->failed || !brink_archive_holds(a, shape.count, sizeof(double))) return;
  brink_history_basis *made =
      brink_arena_pack(&h->kept, 1, sizeof *made + shape.count * sizeof(double));
  if (made == NULL) {
    brink_archive_no_memory(a);
    return;
  }
  *made = shape;
  brink_archive_doubles(a, made->c, made->count);
  *of = h->last_basis = made;
}

static void archive_path(brink_history *h, brink_history_piece *p, const sharing *s,
                         const brink_history_piece *before, brink_archive *a) {
  if (a->reads && s->basis) p->of = before->of;
  if (!s->basis) archive_basis(h, &p->of, a);
  if (a->failed || !brink_archive_check(a, p->of != NULL)) return;
  brink_archive_double(a, &p->t0);
  brink_archive_double(a, &p->h);
  if (a->reads && s->path) {
    p->x0 = before->x0;
    p->a = before->a;
    brink_archive_check(a, p->of == before->of && p->a != NULL);
    return;
  }
  if (s->path) return;
  archive_kept(h, &p->x0, h->nx, a);
  archive_kept(h, &p->a, h->nx * (size_t)p->of->terms, a);
}

static void archive_piece(brink_history *h, brink_history_piece *p,
                          const brink_history_piece *before, brink_archive *a) {
  sharing s = {0};
  if (!a->reads) s = compare(p, before);
  archive_sharing(&s, before == NULL, a);
  if (a->failed) return;
  if (s.moves) archive_path(h, p, &s, before, a);
  if (a->reads && s.start) p->x = p->x0;
  if (!s.start) archive_kept(h, &p->x, h->nx, a);
  if (!h->keeps_locks) return;
  if (s.locks)
    p->locks = before->locks;
  else
    brink_lock_log_archive(&h->locks, &p->locks, &h->kept, a);
}

static bool room_for(brink_history *h, size_t count) {
  void *pieces = h->pieces, *knots = h->knots;
  bool fine = true;
  while (fine && h->pieces_capacity < count)
    fine = brink_grow(&h->arena.allocator, &pieces, h->pieces_capacity, &h->pieces_capacity,
                      sizeof *h->pieces);
  h->pieces = pieces;
  while (fine && h->knots_capacity < count + 1)
    fine = brink_grow(&h->arena.allocator, &knots, h->knots_capacity, &h->knots_capacity,
                      sizeof *h->knots);
  h->knots = knots;
  return fine;
}

/* Times at which something is looked for lie between knots that are in order. */
static bool is_in_order(const brink_history *h) {
  for (size_t k = 0; k <= h->npieces; k++) {
    if (!isfinite(h->knots[k]) || (k > 0 && !(h->knots[k] > h->knots[k - 1]))) return false;
  }
  return true;
}

void brink_history_archive(brink_history *h, brink_archive *a) {
  size_t count = h->npieces;
  brink_archive_mark(a, "history");
  brink_archive_bool(a, &h->failed);
  brink_archive_bool(a, &h->at_start);
  brink_archive_doubles(a, h->present_x, h->nx);
  brink_archive_count(a, &count, SIZE_MAX / 4);
  if (!brink_archive_holds(a, a->reads ? count : 0, sizeof(double))) return;
  if (a->reads && !room_for(h, count)) {
    brink_archive_no_memory(a);
    return;
  }
  if (a->reads) h->npieces = 0;
  brink_archive_doubles(a, h->knots, count + 1);
  for (size_t k = 0; k < count && !a->failed; k++) {
    if (a->reads) h->pieces[k] = (brink_history_piece){0};
    archive_piece(h, &h->pieces[k], k > 0 ? &h->pieces[k - 1] : NULL, a);
    if (a->reads && !a->failed) h->npieces = k + 1;
  }
  brink_archive_check(a, is_in_order(h));
  if (a->failed && a->reads) h->npieces = 0;
}
