/* journal_archive.c: a journal to bytes and back (base/archive.h). */
#include "record/journal_parts.h"

static const brink_allocator *allocator_of(const brink_journal *journal) {
  return &journal->columns->arena.allocator;
}

/* ---- events that are not complete ---- */

static void archive_participants(brink_participants *both, const brink_system *system,
                                 brink_archive *a) {
  brink_archive_count(a, &both->count, 2);
  for (size_t side = 0; side < both->count; side++) {
    brink_archive_u32(a, &both->group[side]);
    brink_archive_count(a, &both->instance[side], SIZE_MAX / 4);
    brink_archive_check(a, both->group[side] < system->ngroups &&
                               both->instance[side] < system->groups[both->group[side]].count);
  }
}

/* An array that may not be there; it is the entry's. */
static void *room(brink_journal *journal, void *there, bool is_there, size_t count, size_t size,
                  brink_archive *a) {
  if (!a->reads || !is_there || there != NULL || a->failed) return there;
  void *made = brink_allocate(allocator_of(journal), count, size);
  if (made == NULL) brink_archive_no_memory(a);
  return made;
}

static void archive_doubles(brink_journal *journal, double **values, size_t count,
                            brink_archive *a) {
  bool is_there = *values != NULL;
  brink_archive_bool(a, &is_there);
  *values = room(journal, *values, is_there, count, sizeof **values, a);
  if (is_there && !a->failed) brink_archive_doubles(a, *values, count);
}

static void archive_mode(brink_journal *journal, brink_entry *entry, brink_archive *a) {
  size_t count = journal->columns->system->nmodes;
  bool is_there = entry->mode != NULL;
  brink_archive_bool(a, &is_there);
  entry->mode = room(journal, entry->mode, is_there, count, sizeof *entry->mode, a);
  if (is_there && !a->failed) brink_archive_ints(a, entry->mode, count);
}

/* The values that it concerns: the participants say how many. */
static void archive_was(brink_journal *journal, brink_entry *entry, brink_archive *a) {
  if (!journal->json || a->failed) return;
  brink_archive_count(a, &entry->nwas, SIZE_MAX / 4);
  if (!brink_archive_check(a, entry->nwas == brink_journal_concerns(journal, entry)) ||
      !brink_archive_holds(a, a->reads ? entry->nwas : 0, sizeof(double)))
    return;
  if (a->reads && entry->nwas > entry->was_capacity) {
    brink_release(allocator_of(journal), entry->was, entry->was_capacity, sizeof(double));
    entry->was = brink_allocate(allocator_of(journal), entry->nwas, sizeof(double));
    entry->was_capacity = entry->was != NULL ? entry->nwas : 0;
    if (entry->was == NULL) brink_archive_no_memory(a);
  }
  if (!a->failed) brink_archive_doubles(a, entry->was, entry->nwas);
}

static void archive_about(brink_journal *journal, brink_entry *entry, brink_archive *a) {
  const brink_system *system = journal->columns->system;
  brink_archive_double(a, &entry->t);
  brink_archive_int(a, &entry->iteration, 0, INT32_MAX);
  entry->direction =
      (brink_direction)brink_archive_enum(a, (int)entry->direction, BRINK_NEGATIVE, BRINK_POSITIVE);
  brink_archive_u32(a, &entry->flag);
  brink_archive_count(a, &entry->index, SIZE_MAX / 4);
  brink_archive_check(a, entry->flag < system->nflags &&
                             entry->index < system->flags[entry->flag].count);
  archive_participants(&entry->participants, system, a);
  brink_archive_int64(a, &entry->row);
  brink_archive_bool(a, &entry->headline);
  brink_archive_bool(a, &entry->detailed);
  brink_archive_bool(a, &entry->waits);
  brink_archive_bool(a, &entry->judged);
  brink_archive_double(a, &entry->condition);
}

static void archive_entry(brink_journal *journal, brink_entry *entry, brink_archive *a) {
  brink_text *const texts[] = {&entry->name,  &entry->head,    &entry->values,
                               &entry->notes, &entry->details, &entry->changes};
  const brink_system *system = journal->columns->system;
  archive_about(journal, entry, a);
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) brink_archive_text(a, texts[k]);
  archive_doubles(journal, &entry->x, journal->nx, a);
  archive_doubles(journal, &entry->p, system->np, a);
  archive_mode(journal, entry, a);
  archive_doubles(journal, &entry->before_x, journal->nx, a);
  archive_was(journal, entry, a);
  bool whole = entry->p != NULL && entry->mode != NULL && entry->x != NULL;
  brink_archive_check(a, !entry->waits || whole);
  brink_archive_check(a, entry->before_x == NULL || (entry->p != NULL && entry->mode != NULL));
}

static void archive_open(brink_journal *journal, brink_archive *a) {
  size_t count = journal->nopen;
  brink_archive_count(a, &count, SIZE_MAX / 4);
  if (a->reads) journal->nopen = 0;
  for (size_t k = 0; k < count && !a->failed; k++) {
    brink_entry *entry = a->reads ? brink_journal_new_entry(journal) : &journal->open[k];
    if (entry == NULL)
      brink_archive_no_memory(a);
    else
      archive_entry(journal, entry, a);
  }
  if (a->failed && a->reads) journal->nopen = 0;
}

/* ---- the whole ---- */

static void archive_headlines(brink_journal *journal, brink_archive *a) {
  size_t count = journal->nheadlines;
  brink_archive_count(a, &count, BRINK_HEADLINES);
  for (size_t k = 0; k < count && !a->failed; k++) {
    brink_headline *headline = &journal->headline[k];
    if (a->reads && k >= journal->nheadlines) {
      *headline = (brink_headline){0};
      headline->flag.allocator = headline->changes.allocator = *allocator_of(journal);
      journal->nheadlines = k + 1;
    }
    brink_archive_double(a, &headline->t);
    brink_archive_text(a, &headline->flag);
    headline->direction = (brink_direction)brink_archive_enum(a, (int)headline->direction,
                                                              BRINK_NEGATIVE, BRINK_POSITIVE);
    brink_archive_text(a, &headline->changes);
  }
}

static void archive_spans(brink_journal *journal, const brink_structure *structure,
                          brink_archive *a) {
  brink_structure_span *span = &journal->span[0];
  brink_archive_count(a, &journal->nspans, 1);
  brink_archive_count(a, &journal->nstructures, SIZE_MAX / 4);
  if (journal->nspans == 0) return;
  brink_archive_double(a, &span->from);
  brink_archive_double(a, &span->to);
  brink_archive_count(a, &span->nstates, SIZE_MAX / 4);
  brink_archive_count(a, &span->nfree, SIZE_MAX / 4);
  if (a->reads) span->structure = structure;
  if (!brink_archive_check(a, structure != NULL) && a->reads) journal->nspans = 0;
}

bool brink_journal_can_archive(const brink_journal *journal, double t) {
  return journal->nspans < 2 || journal->span[1].from < t;
}

void brink_journal_archive(brink_journal *journal, const brink_structure *structure,
                           brink_archive *a) {
  brink_text *const texts[] = {&journal->events,     &journal->sliding, &journal->misses,
                               &journal->closest,    &journal->slides,  &journal->near,
                               &journal->structures, &journal->indices};
  brink_archive_mark(a, "journal");
  if (!a->reads) brink_journal_write_structure(journal);
  brink_archive_count(a, &journal->nevents, SIZE_MAX / 4);
  brink_archive_count(a, &journal->nslides, SIZE_MAX / 4);
  brink_archive_count(a, &journal->nmisses, SIZE_MAX / 4);
  brink_archive_bool(a, &journal->failed);
  archive_headlines(journal, a);
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) brink_archive_text(a, texts[k]);
  archive_spans(journal, structure, a);
  archive_doubles(journal, &journal->impulse, journal->columns->system->nz, a);
  brink_archive_bool(a, &journal->has_impulse);
  brink_archive_check(a, !journal->has_impulse || journal->impulse != NULL);
  archive_open(journal, a);
}
