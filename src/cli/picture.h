/* picture.h: curves as characters: a pure function from numbers to text. */
#ifndef BRINK_CLI_PICTURE_H
#define BRINK_CLI_PICTURE_H

#include "base/base.h"

/* Point k is at x[k*x_stride], y[k*y_stride]. What is not finite is a gap. */
typedef struct cli_curve {
  const double *x, *y;
  size_t count, x_stride, y_stride;
} cli_curve;

typedef struct cli_picture {
  const char *title; /* over it: "plant.h (m)" */
  const char *below; /* under the horizontal axis: "t" */
  const cli_curve *curves;
  size_t ncurves;
  bool steps;                /* values hold until the next point */
  bool dots;                 /* points, which no line connects */
  const char *const *labels; /* y is an index of one of these, from 0 on; NULL: y is a number */
  size_t nlabels;
  const double *marks; /* places on the horizontal axis that get a tick */
  size_t nmarks;
  size_t width, height;     /* of the whole, in characters; too little is made more */
  bool utf8;                /* braille, and lines for axes; else ASCII */
  const char *bold, *plain; /* around the title; "": nothing */
} cli_picture;

/* Out of memory: text->failed. */
void cli_picture_draw(const cli_picture *picture, brink_text *text);

#endif
