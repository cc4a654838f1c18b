/* draw.c: figures as SVG: axes with ticks, linear or logarithmic; lines, points, bars, labels.
 *
 * Coordinates are in pixels of a figure that is WIDTH wide and is scaled as a whole. Colours and fonts come from
 * the style sheet of the page, by class: "c0" … "c7" are the palette, so that figures follow light and dark. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "experiments/lab.h"

#define WIDTH 560.0
#define WIDE 1150.0
#define HEIGHT 340.0
#define LEFT 66.0
#define RIGHT 16.0
#define TOP 12.0
#define BOTTOM 48.0

enum { COLOURS = 8 };

typedef struct scale {
  double lo, hi; /* of the data, or of their logarithms */
  bool log;
  double from, to; /* pixels */
} scale;

typedef struct canvas {
  scale x, y;
  double width, height;
} canvas;

/* ---- scales ---- */

static double place(const scale *s, double value) {
  double v = s->log ? log10(value) : value;
  return s->from + (v - s->lo) / (s->hi - s->lo) * (s->to - s->from);
}

static bool shows(const scale *s, double value) {
  return isfinite(value) && (!s->log || value > 0.0);
}

static void include(scale *s, double value) {
  if (!shows(s, value)) return;
  double v = s->log ? log10(value) : value;
  s->lo = fmin(s->lo, v);
  s->hi = fmax(s->hi, v);
}

/* A little room on both sides; something to show where there is only one value, or none. */
static void pad(scale *s, const brink_axis *axis, bool from_zero) {
  if (s->lo > s->hi) s->lo = s->hi = 0.0;
  double span = s->hi - s->lo;
  if (!(span > 1e-12 * fmax(fabs(s->lo), fabs(s->hi)))) span = fmax(fabs(s->lo), 1.0);
  bool keep = from_zero && s->lo == 0.0;
  s->lo -= keep ? 0.0 : 0.04 * span;
  s->hi += 0.04 * span;
  if (axis->lo == 0.0 && axis->hi == 0.0) return;
  s->lo = s->log ? log10(axis->lo) : axis->lo;
  s->hi = s->log ? log10(axis->hi) : axis->hi;
}

static scale range_of(const brink_figure *figure, const brink_axis *axis, int which) {
  scale s = {.lo = DBL_MAX, .hi = -DBL_MAX, .log = axis->log};
  bool bars = false;
  for (size_t k = 0; k < figure->nseries; k++) {
    const brink_series_program *series = figure->series[k];
    if (series->style == BRINK_SERIES_BARS && series->npoints > 0) bars = true;
    for (size_t i = 0; i < series->npoints; i++) {
      const double *point = &series->points[2 * i];
      if (isfinite(point[0]) && isfinite(point[1])) include(&s, point[which]);
    }
  }
  if (bars && which == 1) include(&s, 0.0);
  if (bars && which == 0 && s.lo <= s.hi) { /* half a bar on both sides */
    double half = fmax(0.5, 0.02 * (s.hi - s.lo));
    s.lo -= half;
    s.hi += half;
  }
  pad(&s, axis, bars && which == 1);
  return s;
}

/* One unit is as long on both axes: the figure's height follows, or its width gets more than the data need. */
static void equalise(canvas *c) {
  double ratio = (c->y.hi - c->y.lo) / (c->x.hi - c->x.lo), width = c->x.to - c->x.from;
  double height = fmin(fmax(width * ratio, 120.0), 420.0);
  double more = width * ratio / height; /* of x, above 1; of y, below */
  scale *grows = more > 1.0 ? &c->x : &c->y;
  double middle = 0.5 * (grows->lo + grows->hi);
  double half = 0.5 * (grows->hi - grows->lo) * (more > 1.0 ? more : 1.0 / more);
  grows->lo = middle - half;
  grows->hi = middle + half;
  c->height = height + TOP + BOTTOM;
}

static canvas plan(const brink_figure *figure) {
  canvas c = {.x = range_of(figure, &figure->def.x, 0),
              .y = range_of(figure, &figure->def.y, 1),
              .width = figure->def.wide ? WIDE : WIDTH,
              .height = HEIGHT};
  c.x.from = LEFT;
  c.x.to = c.width - RIGHT;
  if (figure->def.equal && !c.x.log && !c.y.log) equalise(&c);
  c.y.from = c.height - BOTTOM;
  c.y.to = TOP;
  return c;
}

/* ---- ticks ---- */

/* m 10^k in figures: "2·10⁻⁵". */
static void add_power(brink_text *text, double mantissa, int k) {
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (mantissa != 1.0) brink_text_add(text, "%g·", mantissa);
  brink_text_add(text, "10%s", k < 0 ? "⁻" : "");
  int n = k < 0 ? -k : k;
  for (int place_value = n >= 100 ? 100 : n >= 10 ? 10 : 1; place_value > 0; place_value /= 10)
    brink_text_add(text, "%s", digits[n / place_value % 10]);
}

/* As a number, or, if it is large or small, with a power of ten; on an axis of many decades sooner. */
static void add_number(brink_text *text, double value, double step, bool powers) {
  if (fabs(value) < 1e-9 * step) value = 0.0;
  double size = fabs(value);
  if (value < 0.0) brink_text_add(text, "−");
  double small = powers ? 0.099 : 0.00099, large = powers ? 999.5 : 99999.5;
  if (size != 0.0 && (size >= large || size < small)) {
    int k = (int)floor(log10(size) + 1e-9);
    add_power(text, round(size / pow(10.0, k) * 1e4) / 1e4, k);
    return;
  }
  int decimals = step < 1.0 ? (int)ceil(-log10(step) - 1e-9) : 0;
  brink_text_add(text, "%.*f", decimals < 9 ? decimals : 9, size);
}

/* 1, 2 or 5 times a power of ten, at least `span`/`count`. */
static double nice_step(double span, double count) {
  double rough = span / count, power = pow(10.0, floor(log10(rough)));
  double m = rough / power;
  return power * (m <= 1.0 + 1e-9 ? 1.0 : m <= 2.0 + 1e-9 ? 2.0 : m <= 5.0 + 1e-9 ? 5.0 : 10.0);
}

static void draw_tick(const canvas *c, bool across, double value, const scale *s, double step,
                      brink_text *text) {
  double at = place(s, value);
  if (across) {
    brink_text_add(text, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", at, c->y.from, c->y.to);
    brink_text_add(text,
                   "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
                   "dominant-baseline=\"hanging\">",
                   at, c->y.from + 7.0);
  } else {
    brink_text_add(text, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", c->x.from, at, c->x.to);
    brink_text_add(text,
                   "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" "
                   "dominant-baseline=\"middle\">",
                   c->x.from - 7.0, at + 1.0);
  }
  add_number(text, value, step, s->log && s->hi - s->lo > 3.0);
  brink_text_add(text, "</text>\n");
}

static void draw_log_ticks(const canvas *c, bool across, const scale *s, double count,
                           brink_text *text) {
  static const double few[] = {1.0, 2.0, 5.0};
  double decades = s->hi - s->lo;
  int stride = (int)ceil(decades / count), each = decades < 2.5 ? 3 : 1;
  if (stride < 1) stride = 1;
  for (int k = (int)floor(s->lo); k <= (int)ceil(s->hi); k++) {
    if (k % stride != 0) continue;
    for (int i = 0; i < each; i++) {
      double value = few[i] * pow(10.0, k);
      double v = log10(value);
      if (v < s->lo - 1e-9 || v > s->hi + 1e-9) continue;
      draw_tick(c, across, value, s, fmin(value, 1.0), text);
    }
  }
}

static void draw_ticks(const canvas *c, bool across, brink_text *text) {
  const scale *s = across ? &c->x : &c->y;
  double length = fabs(s->to - s->from), count = fmax(length / (across ? 75.0 : 45.0), 2.0);
  if (s->log && s->hi - s->lo > 0.5) {
    draw_log_ticks(c, across, s, count, text);
    return;
  }
  double lo = s->log ? pow(10.0, s->lo) : s->lo, hi = s->log ? pow(10.0, s->hi) : s->hi;
  double step = nice_step(hi - lo, count);
  for (double k = ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; k += 1.0)
    draw_tick(c, across, k * step, s, step, text);
}

static void draw_axes(const canvas *c, const brink_figure_def *def, brink_text *text) {
  draw_ticks(c, true, text);
  draw_ticks(c, false, text);
  brink_text_add(text, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", c->x.from, c->y.to,
                 c->y.from, c->x.to);
  brink_text_add(text, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                 0.5 * (c->x.from + c->x.to), c->height - 9.0);
  brink_page_text(text, def->x.label);
  double middle = 0.5 * (c->y.from + c->y.to);
  brink_text_add(text,
                 "</text>\n<text class=\"label\" x=\"15\" y=\"%.1f\" text-anchor=\"middle\" "
                 "transform=\"rotate(-90 15 %.1f)\">",
                 middle, middle);
  brink_page_text(text, def->y.label);
  brink_text_add(text, "</text>\n");
}

/* ---- data ---- */

static bool is_shown(const canvas *c, const double *point) {
  return shows(&c->x, point[0]) && shows(&c->y, point[1]);
}

/* A pixel's value that no viewer chokes on, however far outside it is. */
static double tame(double pixel) {
  return fmin(fmax(pixel, -9999.0), 9999.0);
}

/* Points that nobody could tell from the last one drawn are left out, but for the last of each piece. */
static void draw_line(const canvas *c, const brink_series_program *series, size_t colour,
                      brink_text *text) {
  bool dashed = series->style == BRINK_SERIES_DASHED, begun = false;
  double last_x = 0.0, last_y = 0.0;
  brink_text_add(text, "<path class=\"line%s c%zu\" d=\"", dashed ? " dashed" : "",
                 colour % COLOURS);
  for (size_t i = 0; i < series->npoints; i++) {
    const double *point = &series->points[2 * i];
    if (!is_shown(c, point)) {
      begun = false;
      continue;
    }
    double x = tame(place(&c->x, point[0])), y = tame(place(&c->y, point[1]));
    bool ends = i + 1 == series->npoints || !is_shown(c, point + 2);
    if (begun && !ends && hypot(x - last_x, y - last_y) < 0.5) continue;
    brink_text_add(text, "%c%.1f %.1f", begun ? 'L' : 'M', x, y);
    begun = true;
    last_x = x;
    last_y = y;
  }
  brink_text_add(text, "\"/>\n");
}

static void draw_points(const canvas *c, const brink_series_program *series, size_t colour,
                        brink_text *text) {
  double last_x = -1.0, last_y = -1.0;
  double r = series->npoints > 400 ? 1.4 : series->npoints > 80 ? 2.0 : 2.8;
  brink_text_add(text, "<path class=\"points c%zu\" stroke-width=\"%.1f\" d=\"", colour % COLOURS,
                 2.0 * r);
  for (size_t i = 0; i < series->npoints; i++) {
    const double *point = &series->points[2 * i];
    if (!is_shown(c, point)) continue;
    double x = tame(place(&c->x, point[0])), y = tame(place(&c->y, point[1]));
    if (hypot(x - last_x, y - last_y) < 0.3) continue;
    brink_text_add(text, "M%.1f %.1fh0", x, y); /* nothing, with round ends */
    last_x = x;
    last_y = y;
  }
  brink_text_add(text, "\"/>\n");
}

/* The least distance of two neighbouring bars, in pixels. */
static double bar_spacing(const canvas *c, const brink_figure *figure) {
  double least = c->x.to - c->x.from;
  for (size_t k = 0; k < figure->nseries; k++) {
    const brink_series_program *series = figure->series[k];
    for (size_t i = 1; series->style == BRINK_SERIES_BARS && i < series->npoints; i++) {
      double gap =
          fabs(place(&c->x, series->points[2 * i]) - place(&c->x, series->points[2 * i - 2]));
      if (gap > 0.0) least = fmin(least, gap);
    }
  }
  return fmin(least, 90.0);
}

static void draw_bars(const canvas *c, const brink_figure *figure, size_t which, brink_text *text) {
  const brink_series_program *series = figure->series[which];
  size_t of = 0, mine = 0;
  for (size_t k = 0; k < figure->nseries; k++) {
    if (figure->series[k]->style != BRINK_SERIES_BARS) continue;
    if (k == which) mine = of;
    of++;
  }
  double each = 0.8 * bar_spacing(c, figure) / (double)of;
  double zero = c->y.log ? c->y.from : place(&c->y, fmax(c->y.lo, 0.0));
  for (size_t i = 0; i < series->npoints; i++) {
    const double *point = &series->points[2 * i];
    if (!is_shown(c, point)) continue;
    double x = place(&c->x, point[0]) + ((double)mine - 0.5 * (double)of) * each;
    double y = tame(place(&c->y, point[1]));
    brink_text_add(text,
                   "<rect class=\"bar c%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                   "height=\"%.1f\"/>",
                   which % COLOURS, x + 0.5, fmin(y, zero), fmax(each - 1.0, 0.5), fabs(zero - y));
  }
  brink_text_add(text, "\n");
}

/* Labels stand above their points, and inside the figure. */
static void draw_labels(const canvas *c, const brink_series_program *series, size_t colour,
                        brink_text *text) {
  for (size_t i = 0; i < series->nlabels; i++) {
    const brink_mark *label = &series->labels[i];
    if (!shows(&c->x, label->x) || !shows(&c->y, label->y)) continue;
    double x = tame(place(&c->x, label->x)), y = tame(place(&c->y, label->y)) - 8.0;
    if (y < c->y.to + 12.0) y += 24.0;
    const char *anchor = x > 0.75 * c->width ? "end" : x < 0.2 * c->width ? "start" : "middle";
    brink_text_add(text, "<text class=\"mark c%zu\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">",
                   colour % COLOURS, x, y, anchor);
    brink_page_text(text, label->text);
    brink_text_add(text, "</text>\n");
  }
}

void brink_figure_draw(const brink_figure *figure, size_t id, brink_text *text) {
  canvas c = plan(figure);
  brink_text_add(text, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", c.width,
                 c.height);
  brink_page_text(text, figure->def.title);
  brink_text_add(text,
                 "\">\n<clipPath id=\"clip%zu\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                 "height=\"%.1f\"/></clipPath>\n",
                 id, c.x.from - 2.0, c.y.to - 2.0, c.x.to - c.x.from + 4.0,
                 c.y.from - c.y.to + 4.0);
  draw_axes(&c, &figure->def, text);
  brink_text_add(text, "<g clip-path=\"url(#clip%zu)\">\n", id);
  for (size_t k = 0; k < figure->nseries; k++) {
    const brink_series_program *series = figure->series[k];
    brink_series_style style = series->style;
    if (style == BRINK_SERIES_BARS) draw_bars(&c, figure, k, text);
    if (style == BRINK_SERIES_LINE || style == BRINK_SERIES_DASHED || style == BRINK_SERIES_MARKED)
      draw_line(&c, series, k, text);
    if (style == BRINK_SERIES_POINTS || style == BRINK_SERIES_MARKED)
      draw_points(&c, series, k, text);
  }
  brink_text_add(text, "</g>\n");
  for (size_t k = 0; k < figure->nseries; k++) draw_labels(&c, figure->series[k], k, text);
  brink_text_add(text, "</svg>\n");
}

/* ---- the legend ---- */

static void draw_swatch(brink_series_style style, size_t colour, brink_text *text) {
  size_t c = colour % COLOURS;
  brink_text_add(text, "<svg class=\"swatch\" viewBox=\"0 0 26 12\" aria-hidden=\"true\">");
  if (style == BRINK_SERIES_BARS)
    brink_text_add(text, "<rect class=\"bar c%zu\" x=\"7\" y=\"0\" width=\"12\" height=\"12\"/>",
                   c);
  if (style == BRINK_SERIES_LINE || style == BRINK_SERIES_MARKED || style == BRINK_SERIES_DASHED)
    brink_text_add(text, "<path class=\"line%s c%zu\" d=\"M1 6H25\"/>",
                   style == BRINK_SERIES_DASHED ? " dashed" : "", c);
  if (style == BRINK_SERIES_POINTS || style == BRINK_SERIES_MARKED)
    brink_text_add(text, "<path class=\"points c%zu\" stroke-width=\"6\" d=\"M13 6h0\"/>", c);
  brink_text_add(text, "</svg>");
}

void brink_figure_legend(const brink_figure *figure, brink_text *text) {
  bool begun = false;
  for (size_t k = 0; k < figure->nseries; k++) {
    const brink_series_program *series = figure->series[k];
    if (series->name == NULL) continue;
    brink_text_add(text, "%s<li>", begun ? "" : "<ul class=\"legend\">");
    begun = true;
    draw_swatch(series->style, k, text);
    brink_page_text(text, series->name);
    brink_text_add(text, "</li>");
  }
  if (begun) brink_text_add(text, "</ul>\n");
}
