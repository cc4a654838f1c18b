/* locks.c: what is locked during a step, kept (see locks.h). */
#include "sim/locks.h"

#include <string.h>

struct brink_lock_set {
  const unsigned char *page[1]; /* as many as there are */
};

/* Where the parts of a set are in its bytes: those with the strictest alignment first. */
typedef struct layout {
  size_t filippov, nties, ties, mode, sgn, end;
} layout;

static layout layout_of(const brink_model_def *def) {
  layout at;
  at.filippov = def->np * sizeof(double);
  at.nties = at.filippov + (1 + BRINK_SLIDES) * sizeof(size_t);
  at.ties = at.nties + sizeof(size_t);
  at.mode = at.ties + def->nguards * sizeof(brink_tie);
  at.sgn = at.mode + def->nmodes * sizeof(int);
  at.end = at.sgn + def->nguards;
  return at;
}

static brink_locks parts_of(const brink_eval *eval, unsigned char *bytes) {
  layout at = layout_of(&eval->model->def);
  return (brink_locks){.p = (double *)(void *)bytes,
                       .filippov = (size_t *)(void *)(bytes + at.filippov),
                       .nties = (size_t *)(void *)(bytes + at.nties),
                       .ties = (brink_tie *)(void *)(bytes + at.ties),
                       .mode = (int *)(void *)(bytes + at.mode),
                       .sgn = (signed char *)(bytes + at.sgn)};
}

static void copy(void *to, const void *from, size_t count, size_t size) {
  if (count > 0) memcpy(to, from, count * size);
}

static void gather(const brink_eval *eval, unsigned char *bytes) {
  const brink_model_def *def = &eval->model->def;
  brink_locks parts = parts_of(eval, bytes);
  copy(parts.p, eval->p, def->np, sizeof *eval->p);
  copy(parts.mode, eval->mode, def->nmodes, sizeof *eval->mode);
  copy(parts.sgn, eval->sgn, def->nguards, 1);
  parts.filippov[0] = eval->nfilippov;
  copy(parts.filippov + 1, eval->filippov, eval->nfilippov, sizeof *eval->filippov);
  *parts.nties = eval->nties;
  for (size_t k = 0; k < eval->nties; k++) { /* member by member: padding has no value */
    parts.ties[k].guard = eval->ties[k].guard;
    parts.ties[k].to = eval->ties[k].to;
    parts.ties[k].sign = eval->ties[k].sign;
  }
}

bool brink_lock_log_init(brink_lock_log *log, const brink_eval *eval, brink_arena *arena) {
  *log = (brink_lock_log){.eval = eval, .size = layout_of(&eval->model->def).end};
  log->npages = (log->size + BRINK_LOCK_PAGE - 1) / BRINK_LOCK_PAGE;
  log->now = brink_arena_take(arena, log->npages, BRINK_LOCK_PAGE);
  log->before = brink_arena_take(arena, log->npages, BRINK_LOCK_PAGE);
  return !arena->failed;
}

void brink_lock_log_forget(brink_lock_log *log) {
  log->last = NULL;
}

/* What is in log->now. */
static const brink_lock_set *keep(brink_lock_log *log, brink_arena *arena) {
  const brink_lock_set *last = log->last;
  if (last != NULL && memcmp(log->now, log->before, log->size) == 0) return last;
  const unsigned char **pages = brink_arena_pack(arena, log->npages, sizeof *pages);
  if (pages == NULL) return NULL;
  const brink_lock_set *made = (const brink_lock_set *)(const void *)pages;
  for (size_t k = 0; k < log->npages; k++) {
    const unsigned char *now = log->now + k * BRINK_LOCK_PAGE;
    size_t left = log->size - k * BRINK_LOCK_PAGE;
    size_t bytes = left < BRINK_LOCK_PAGE ? left : BRINK_LOCK_PAGE;
    bool same = last != NULL && memcmp(now, log->before + k * BRINK_LOCK_PAGE, bytes) == 0;
    unsigned char *page = same ? NULL : brink_arena_pack(arena, 1, bytes);
    if (!same && page == NULL) return NULL;
    if (!same) memcpy(page, now, bytes);
    pages[k] = same ? last->page[k] : page;
  }
  memcpy(log->before, log->now, log->size);
  return log->last = made;
}

const brink_lock_set *brink_lock_log_note(brink_lock_log *log, brink_arena *arena) {
  gather(log->eval, log->now);
  return keep(log, arena);
}

static void archive_surfaces(const brink_eval *eval, brink_locks *parts, brink_archive *a) {
  size_t guards = eval->model->def.nguards;
  brink_archive_count(a, parts->filippov, BRINK_SLIDES);
  brink_archive_indices(a, parts->filippov + 1, parts->filippov[0], guards);
  brink_archive_count(a, parts->nties, eval->ties != NULL ? guards : 0);
  for (size_t k = 0; k < *parts->nties; k++) {
    brink_archive_indices(a, &parts->ties[k].guard, 1, guards);
    brink_archive_indices(a, &parts->ties[k].to, 1, guards);
    brink_archive_int(a, &parts->ties[k].sign, -1, 1);
  }
}

void brink_lock_log_archive(brink_lock_log *log, const brink_lock_set **set, brink_arena *arena,
                            brink_archive *a) {
  const brink_model_def *def = &log->eval->model->def;
  if (a->reads) memset(log->now, 0, log->size);
  brink_locks parts =
      a->reads ? parts_of(log->eval, log->now) : brink_locks_read(log, *set, log->now);
  brink_archive_doubles(a, parts.p, def->np);
  archive_surfaces(log->eval, &parts, a);
  brink_archive_ints(a, parts.mode, def->nmodes);
  brink_archive_signs(a, parts.sgn, def->nguards);
  if (!a->reads || a->failed) return;
  *set = keep(log, arena);
  if (*set == NULL) brink_archive_no_memory(a);
}

brink_locks brink_locks_read(const brink_lock_log *log, const brink_lock_set *set, void *room) {
  unsigned char *bytes = room;
  for (size_t k = 0; k < log->npages; k++) {
    size_t left = log->size - k * BRINK_LOCK_PAGE;
    memcpy(bytes + k * BRINK_LOCK_PAGE, set->page[k],
           left < BRINK_LOCK_PAGE ? left : BRINK_LOCK_PAGE);
  }
  return parts_of(log->eval, bytes);
}

static void exchange(void *a, void *b, size_t bytes) {
  unsigned char *first = a, *second = b;
  for (size_t k = 0; k < bytes; k++) {
    unsigned char kept = first[k];
    first[k] = second[k];
    second[k] = kept;
  }
}

void brink_locks_exchange(brink_eval *eval, brink_locks *locks) {
  size_t guards = eval->model->def.nguards;
  exchange(eval->sgn, locks->sgn, guards);
  exchange(&eval->nfilippov, locks->filippov, sizeof eval->nfilippov);
  exchange(eval->filippov, locks->filippov + 1, sizeof eval->filippov);
  exchange(&eval->nties, locks->nties, sizeof eval->nties);
  if (eval->ties != NULL) exchange(eval->ties, locks->ties, guards * sizeof *eval->ties);
}
