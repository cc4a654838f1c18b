/* page_rows.c: the runs that a report shows. See page_rows.h. */
#include "sweep/page_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool brink_page_rows_init(brink_page_rows *rows, size_t ncolumns, uint64_t runs) {
  *rows = (brink_page_rows){.wanted = true, .ncolumns = ncolumns};
  brink_arena_init(&rows->arena, NULL);
  uint64_t most = BRINK_PAGE_VALUES / ncolumns;
  if (most > BRINK_PAGE_ROWS) most = BRINK_PAGE_ROWS;
  if (most < 1) most = 1;
  rows->every = runs > most ? (runs + most - 1) / most : 1;
  rows->capacity = (size_t)(runs / rows->every) + 1;
  rows->values = malloc(rows->capacity * ncolumns * sizeof *rows->values);
  return rows->values != NULL;
}

void brink_page_rows_free(brink_page_rows *rows) {
  if (!rows->wanted) return;
  free(rows->values);
  free(rows->slots);
  brink_arena_free(&rows->arena);
  *rows = (brink_page_rows){0};
}

/* ---- which runs ---- */

/* The generator SplitMix64 at its n-th step: G. L. Steele, D. Lea and C. H. Flood, OOPSLA 2014, fig. 15. */
static uint64_t scattered(uint64_t n) {
  uint64_t z = (n + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

bool brink_page_rows_shows(const brink_page_rows *rows, uint64_t run) {
  return run % rows->every == scattered(run / rows->every) % rows->every;
}

double *brink_page_rows_add(brink_page_rows *rows) {
  if (rows->count == rows->capacity) return NULL;
  return rows->values + rows->count++ * rows->ncolumns;
}

void brink_page_rows_ended(brink_page_rows *rows, const char *status) {
  if (strcmp(status, "failed") == 0)
    rows->failed++;
  else if (strcmp(status, "stopped") == 0)
    rows->stopped++;
  else
    rows->finished++;
}

/* ---- texts ---- */

/* FNV-1a: every failed run may have a message of its own. */
static uint64_t hash_of(const char *text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char *c = text; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
  return hash;
}

/* The slot of a text, or the free one where it belongs. */
static size_t *slot_of(const brink_page_rows *rows, const char *text) {
  size_t k = (size_t)hash_of(text) & (rows->nslots - 1);
  while (rows->slots[k] != 0 && strcmp(rows->texts[rows->slots[k] - 1], text) != 0)
    k = (k + 1) & (rows->nslots - 1);
  return &rows->slots[k];
}

/* At most half of the slots are used; their number is a power of two. */
static bool widen(brink_page_rows *rows) {
  if (2 * (rows->ntexts + 1) <= rows->nslots) return true;
  size_t nslots = rows->nslots > 0 ? 2 * rows->nslots : 64;
  size_t *slots = calloc(nslots, sizeof *slots);
  if (slots == NULL) rows->arena.failed = true;
  if (slots == NULL) return false;
  free(rows->slots);
  rows->slots = slots;
  rows->nslots = nslots;
  for (size_t k = 0; k < rows->ntexts; k++) *slot_of(rows, rows->texts[k]) = k + 1;
  return true;
}

double brink_page_rows_text(brink_page_rows *rows, const char *text) {
  if (!widen(rows)) return (double)NAN;
  size_t *slot = slot_of(rows, text);
  if (*slot == 0) {
    const char *copy = brink_arena_text(&rows->arena, text);
    const char **entry = copy != NULL ? brink_arena_push(&rows->arena, rows->texts, rows->ntexts,
                                                         rows->texts_capacity)
                                      : NULL;
    if (entry == NULL) return (double)NAN;
    *entry = copy;
    *slot = rows->ntexts;
  }
  return (double)(*slot - 1);
}
