/* figure.h: words and figures of the pages of fits and designs.
 *
 * A page is plain HTML with figures in SVG. It has no scripts and needs no network, and is written whether or not the page of
 * runs (page/) is part of the library. Figures follow the light or dark theme of the reader by their style sheet. */
#ifndef BRINK_FIT_FIGURE_H
#define BRINK_FIT_FIGURE_H

#include "fit/fit_parts.h"

void brink_page_head(brink_text *text);
/* Text of others, as HTML wants it. */
void brink_page_words(brink_text *text, const char *words);
void brink_page_notes(brink_text *text, const brink_fit_result *r);

typedef struct brink_figure {
  brink_text *text;
  double t0, t1, y0, y1; /* what is seen of the axes */
} brink_figure;

/* First all that is to be seen, then axes and ticks, then what is drawn; the caller closes </svg>. */
brink_figure brink_figure_open(brink_text *text);
void brink_figure_see(brink_figure *f, double t, double y);
void brink_figure_begin(brink_figure *f);
void brink_figure_curve(const brink_figure *f, const double *t, const double *y, size_t count);
/* A point with a bar of half a length on both sides; 0: none. */
void brink_figure_datum(const brink_figure *f, double t, double y, double half);
void brink_figure_instant(const brink_figure *f, double t); /* a line from top to bottom */

/* The run with the knobs that were found: values of a quantity, at equal distances, as far as the run goes; how many. Out of
 * memory: text->failed. */
enum { BRINK_TRACE_POINTS = 400 };
size_t brink_fit_trace(brink_fit *fit, const char *name, double from, double to, double *t,
                       double *y, brink_text *text);

/* page_design.c: all of the page of a design. */
void brink_page_design(brink_fit *fit, brink_text *text);

#endif
