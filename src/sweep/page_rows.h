/* page_rows.h: the runs that a report shows: all of them, or of very many an even choice. */
#ifndef BRINK_SWEEP_PAGE_ROWS_H
#define BRINK_SWEEP_PAGE_ROWS_H

#include "base/base.h"

enum {
  BRINK_PAGE_ROWS = 100000,    /* a browser draws these without a pause */
  BRINK_PAGE_VALUES = 4000000, /* of all columns together: 32 MB */
};

typedef struct brink_page_rows {
  bool wanted;
  size_t ncolumns;
  uint64_t every; /* one of so many runs is shown */
  double *values; /* values[k*ncolumns + j] */
  size_t count, capacity;
  const char **texts; /* what occurs in columns of texts, each once */
  size_t ntexts, texts_capacity;
  size_t *slots; /* where a text is: 1 + its number, by its hash; 0: free */
  size_t nslots;
  brink_arena arena;                  /* of the texts */
  uint64_t finished, stopped, failed; /* of all runs */
} brink_page_rows;

/* For a sweep of so many runs. False: out of memory. */
bool brink_page_rows_init(brink_page_rows *rows, size_t ncolumns, uint64_t runs);
void brink_page_rows_free(brink_page_rows *rows);

/* Is this run shown? One of each `every`; which one looks random, so that it does not go along with the grid. */
bool brink_page_rows_shows(const brink_page_rows *rows, uint64_t run);
/* Room for a run that is shown: ncolumns numbers; NULL: there is none. */
double *brink_page_rows_add(brink_page_rows *rows);
/* The number of a text; NaN: out of memory. */
double brink_page_rows_text(brink_page_rows *rows, const char *text);
/* A run has ended so: "finished", "stopped", "failed". */
void brink_page_rows_ended(brink_page_rows *rows, const char *status);

#endif
