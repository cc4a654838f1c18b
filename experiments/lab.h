/* lab.h: what the lab keeps of an experiment, for those who show it: src/cli/reproduce.c and page.c. */
#ifndef BRINK_EXPERIMENTS_LAB_H
#define BRINK_EXPERIMENTS_LAB_H

#include "experiments/experiment.h"

typedef struct brink_comparison {
  const char *what, *published, *ours; /* published: "" if nothing was */
  const char *because;                 /* "": nothing to say */
  brink_verdict verdict;
} brink_comparison;

struct brink_table {
  brink_lab *lab;
  const char *title;
  const char **columns;
  size_t ncolumns;
  const char **cells; /* row by row */
  size_t ncells, capacity;
};

typedef struct brink_mark {
  double x, y;
  const char *text;
} brink_mark;

struct brink_series_program {
  brink_lab *lab;
  const char *name; /* NULL: not in the legend */
  brink_series_style style;
  double *points; /* x, y, x, y, … */
  size_t npoints, capacity;
  brink_mark *labels;
  size_t nlabels, labels_capacity;
};

struct brink_figure {
  brink_lab *lab;
  brink_figure_def def;
  brink_series_program **series;
  size_t nseries, capacity;
};

/* Texts, in order. */
typedef struct brink_texts {
  const char **items;
  size_t count, capacity;
} brink_texts;

struct brink_lab {
  const brink_experiment *experiment;
  brink_lab_options options;
  brink_arena arena;
  bool failed; /* memory ran out */
  brink_lab_model *models;

  brink_texts paragraphs, notes, sources;
  brink_comparison *comparisons;
  size_t ncomparisons, comparisons_capacity;
  brink_table **tables;
  size_t ntables, tables_capacity;
  brink_figure **figures;
  size_t nfigures, figures_capacity;
};

/* Runs an experiment. *lab is NULL only if there is no memory at all; what was found before a failure is in it,
 * too. Statuses: OK, MEMORY, and what the experiment returns. */
brink_status brink_lab_run(const brink_experiment *experiment, const brink_lab_options *options,
                           brink_diag *diag, brink_lab **lab);
void brink_lab_destroy(brink_lab *lab); /* NULL is fine */

/* How many comparisons have this verdict. */
size_t brink_lab_count(const brink_lab *lab, brink_verdict verdict);

/* model.c */
void brink_lab_close_models(brink_lab *lab);

/* carried.c, made by embed.cmake: the files that the program carries in itself. */
typedef struct brink_lab_file {
  const char *path;
  const unsigned char *text; /* NUL at the end */
  size_t length;             /* without it */
} brink_lab_file;
extern const brink_lab_file brink_lab_files[];
extern const size_t brink_lab_file_count;

/* draw.c: a figure as SVG, in colours that the page's style sheet gives. `id`: of what is named in it. */
void brink_figure_draw(const brink_figure *figure, size_t id, brink_text *text);
/* Its legend as HTML; nothing, if no series has a name. */
void brink_figure_legend(const brink_figure *figure, brink_text *text);

/* page.c: one page with all experiments. */
void brink_lab_page(brink_lab *const *labs, size_t count, const brink_lab_options *options,
                    brink_text *text);
/* Text with <, > and & written out. */
void brink_page_text(brink_text *text, const char *words);

#endif
