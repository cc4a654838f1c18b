/* picture.c: curves as characters.
 *
 * A character in braille has 2 by 4 dots, so that a picture of 70 by 9 characters has 140 by 36 dots.
 * In ASCII the same dots become the character that looks most like them. */
#include "cli/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  NARROWEST = 24, /* of the whole */
  LOWEST = 6,
  WIDEST = 400,
  HIGHEST = 100,
  FRAME = 3,   /* lines that are no picture: title, axis, its ends */
  MARGIN = 24, /* the longest label beside it */
  LABEL = 48,
};

typedef struct canvas {
  unsigned char *cell;  /* dots of each character */
  size_t width, height; /* characters */
  double x_lo, x_hi, y_lo, y_hi;
} canvas;

/* ---- ranges ---- */

typedef struct range {
  double lo, hi;
} range;

static void extend(range *r, double value) {
  if (!isfinite(value)) return;
  if (!(value >= r->lo)) r->lo = value;
  if (!(value <= r->hi)) r->hi = value;
}

/* Of all points; 0 to 0 where there is none. */
static void find_ranges(const cli_picture *p, range *x, range *y) {
  *x = *y = (range){.lo = (double)NAN, .hi = (double)NAN};
  for (size_t c = 0; c < p->ncurves; c++) {
    const cli_curve *curve = &p->curves[c];
    for (size_t k = 0; k < curve->count; k++) {
      double a = curve->x[k * curve->x_stride], b = curve->y[k * curve->y_stride];
      if (!isfinite(a) || !isfinite(b)) continue;
      extend(x, a);
      extend(y, b);
    }
  }
  if (isnan(x->lo)) *x = *y = (range){0.0, 0.0};
  if (p->labels != NULL) *y = (range){0.0, p->nlabels > 1 ? (double)(p->nlabels - 1) : 0.0};
}

/* Where a value is between two others: 0 to 1. Halves, so that differences cannot overflow. */
static double fraction(double value, double lo, double hi) {
  double width = 0.5 * hi - 0.5 * lo;
  if (!(width > 0.0)) return 0.5;
  double f = (0.5 * value - 0.5 * lo) / width;
  return f < 0.0 ? 0.0 : f > 1.0 ? 1.0 : f;
}

/* ---- dots ---- */

static void set_dot(canvas *c, size_t x, size_t y) {
  static const unsigned char bits[4][2] = {
      {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}; /* as Unicode numbers them */
  if (x >= 2 * c->width || y >= 4 * c->height) return;
  c->cell[y / 4 * c->width + x / 2] |= bits[y % 4][x % 2];
}

static double dot_x(const canvas *c, double x) {
  return fraction(x, c->x_lo, c->x_hi) * (double)(2 * c->width - 1);
}

static double dot_y(const canvas *c, double y) {
  return (1.0 - fraction(y, c->y_lo, c->y_hi)) * (double)(4 * c->height - 1);
}

static void draw_line(canvas *c, double x0, double y0, double x1, double y1) {
  double longest = fmax(fabs(x1 - x0), fabs(y1 - y0));
  size_t parts = (size_t)ceil(longest);
  for (size_t k = 0; k <= parts; k++) {
    double share = parts > 0 ? (double)k / (double)parts : 0.0;
    set_dot(c, (size_t)(x0 + share * (x1 - x0) + 0.5), (size_t)(y0 + share * (y1 - y0) + 0.5));
  }
}

static void draw_curve(canvas *c, const cli_curve *curve, bool steps, bool dots) {
  bool pen = false;
  double x0 = 0.0, y0 = 0.0;
  for (size_t k = 0; k < curve->count; k++) {
    double x = curve->x[k * curve->x_stride], y = curve->y[k * curve->y_stride];
    bool there = isfinite(x) && isfinite(y);
    if (there) {
      double x1 = dot_x(c, x), y1 = dot_y(c, y);
      if (pen && steps) {
        draw_line(c, x0, y0, x1, y0);
        draw_line(c, x1, y0, x1, y1);
      } else {
        draw_line(c, pen ? x0 : x1, pen ? y0 : y1, x1, y1);
      }
      x0 = x1;
      y0 = y1;
    }
    pen = there && !dots;
  }
}

/* ---- characters ---- */

static void put_unicode(brink_text *text, unsigned code) {
  char bytes[3] = {(char)(0xe0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3f)),
                   (char)(0x80 | (code & 0x3f))};
  brink_text_append(text, bytes, sizeof bytes);
}

/* Which of the four rows of a character have dots. */
static char ascii_of(unsigned char dots) {
  bool top = (dots & 0x09) != 0, high = (dots & 0x12) != 0, low = (dots & 0x24) != 0,
       bottom = (dots & 0xc0) != 0;
  int rows = top + high + low + bottom;
  if (rows >= 3 || (top && bottom)) return '|';
  if (top) return '\'';
  if (bottom) return '.';
  return '-';
}

static void put_cells(brink_text *text, const canvas *c, size_t row, bool utf8) {
  const unsigned char *cell = c->cell + row * c->width;
  size_t width = c->width;
  while (width > 0 && cell[width - 1] == 0) width--;
  for (size_t k = 0; k < width; k++) {
    char plain = cell[k] == 0 ? ' ' : ascii_of(cell[k]);
    if (utf8 && cell[k] != 0)
      put_unicode(text, 0x2800u + cell[k]);
    else
      brink_text_append(text, &plain, 1);
  }
}

/* ---- labels ---- */

/* What the picture cannot tell from zero, people need not either. */
static double rounded(double value, double other) {
  return fabs(value) < 1e-9 * fabs(other) ? 0.0 : value;
}

/* Both ends with as few digits as tell them apart. */
static void put_ends(char lo_text[LABEL], char hi_text[LABEL], double from, double to) {
  double lo = rounded(from, to), hi = rounded(to, from);
  for (int digits = 4; digits <= 17; digits++) {
    snprintf(lo_text, LABEL, "%.*g", digits, lo);
    snprintf(hi_text, LABEL, "%.*g", digits, hi);
    if (lo == hi || strcmp(lo_text, hi_text) != 0) return;
  }
}

/* Characters of a text in UTF-8, of which one takes a column. */
static size_t columns_of(const char *text) {
  size_t count = 0;
  for (; *text != '\0'; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
  return count;
}

/* The label beside a row of characters; "": none. Numbers: at the ends; words: where they are. */
static const char *label_of(const cli_picture *p, const canvas *c, size_t row,
                            const char *const ends[2]) {
  if (p->labels == NULL) {
    if (c->y_lo == c->y_hi) return row == c->height / 2 ? ends[0] : "";
    return row == 0 ? ends[1] : row + 1 == c->height ? ends[0] : "";
  }
  for (size_t k = 0; k < p->nlabels; k++) {
    if ((size_t)(dot_y(c, (double)k) + 0.5) / 4 == row) return p->labels[k];
  }
  return "";
}

static size_t margin_of(const cli_picture *p, const char *const ends[2]) {
  size_t margin = 0;
  for (size_t k = 0; k < (p->labels != NULL ? p->nlabels : 2); k++) {
    size_t length = columns_of(p->labels != NULL ? p->labels[k] : ends[k]);
    if (length > margin) margin = length;
  }
  return margin < MARGIN ? margin : MARGIN;
}

/* A label on the right of its margin; too long, it is cut. */
static void put_label(brink_text *text, const char *label, size_t margin) {
  size_t length = columns_of(label);
  if (length <= margin) {
    brink_text_add(text, "%*s%s", (int)(margin - length), "", label);
    return;
  }
  for (size_t shown = 0; *label != '\0'; label++) {
    shown += ((unsigned char)*label & 0xc0) != 0x80;
    if (shown > margin) return;
    brink_text_append(text, label, 1);
  }
}

/* ---- the parts of a picture ---- */

static void put_axis(brink_text *text, const cli_picture *p, const canvas *c, size_t margin,
                     unsigned char *ticks) {
  memset(ticks, 0, c->width);
  for (size_t k = 0; k < p->nmarks; k++) {
    if (!(p->marks[k] >= c->x_lo && p->marks[k] <= c->x_hi)) continue;
    ticks[(size_t)(dot_x(c, p->marks[k]) + 0.5) / 2] = 1;
  }
  brink_text_add(text, "%*s%s", (int)margin + 1, "", p->utf8 ? "\u2514" : "+");
  for (size_t k = 0; k < c->width; k++) {
    if (p->utf8)
      brink_text_add(text, "%s", ticks[k] != 0 ? "\u252c" : "\u2500");
    else
      brink_text_append(text, ticks[k] != 0 ? "+" : "-", 1);
  }
  brink_text_append(text, "\n", 1);
}

/* "0        t        10" below the axis; where that is too short, what fits. */
static void put_below(brink_text *text, const cli_picture *p, const canvas *c, size_t margin) {
  char lo[LABEL], hi[LABEL];
  put_ends(lo, hi, c->x_lo, c->x_hi);
  size_t length = columns_of(p->below), left = strlen(lo), right = strlen(hi);
  size_t indent = margin + 2, whole = indent + c->width, at = indent + left;
  bool both = c->x_lo < c->x_hi && left + 1 + right <= whole;
  if (both && at + 1 + right > whole) {
    indent = whole - left - 1 - right;
    at = indent + left;
  }
  brink_text_add(text, "%*s%s", (int)indent, "", lo);
  size_t middle = margin + 2 + (c->width > length ? (c->width - length) / 2 : 0);
  if (middle > at && middle + length + 1 + right < whole) {
    brink_text_add(text, "%*s%s", (int)(middle - at), "", p->below);
    at = middle + length;
  }
  if (both) brink_text_add(text, "%*s%s", (int)(whole - right - at), "", hi);
  brink_text_append(text, "\n", 1);
}

static void put_all(const cli_picture *p, const canvas *c, const char *const ends[2], size_t margin,
                    brink_text *text, unsigned char *ticks) {
  brink_text_add(text, "%s%s%s\n", p->bold != NULL ? p->bold : "", p->title,
                 p->plain != NULL ? p->plain : "");
  for (size_t row = 0; row < c->height; row++) {
    const char *label = label_of(p, c, row, ends);
    put_label(text, label, margin);
    const char *tick = label[0] != '\0' ? "\u2524" : "\u2502";
    brink_text_add(text, " %s", p->utf8 ? tick : "|");
    put_cells(text, c, row, p->utf8);
    brink_text_append(text, "\n", 1);
  }
  put_axis(text, p, c, margin, ticks);
  put_below(text, p, c, margin);
}

static size_t within(size_t value, size_t least, size_t most) {
  return value < least ? least : value > most ? most : value;
}

void cli_picture_draw(const cli_picture *p, brink_text *text) {
  range x, y;
  char lo[LABEL], hi[LABEL];
  find_ranges(p, &x, &y);
  put_ends(lo, hi, y.lo, y.hi);
  const char *ends[2] = {lo, hi};
  size_t margin = margin_of(p, ends), width = within(p->width, NARROWEST, WIDEST);
  if (margin + 12 > width) margin = width - 12;
  canvas c = {.width = width - margin - 2,
              .height = within(p->height, LOWEST, HIGHEST) - FRAME,
              .x_lo = x.lo,
              .x_hi = x.hi,
              .y_lo = y.lo,
              .y_hi = y.hi};
  size_t cells = c.width * c.height;
  c.cell = brink_allocate(&text->allocator, cells + c.width, 1);
  if (c.cell == NULL) {
    text->failed = true;
    return;
  }
  for (size_t k = 0; k < p->ncurves; k++) draw_curve(&c, &p->curves[k], p->steps, p->dots);
  put_all(p, &c, ends, margin, text, c.cell + cells);
  brink_release(&text->allocator, c.cell, cells + c.width, 1);
}
