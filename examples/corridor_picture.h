/* corridor_picture.h: what corridor.c remembers of a journey, and how it draws it. */
#ifndef CORRIDOR_PICTURE_H
#define CORRIDOR_PICTURE_H

#include <brink/brink.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 8192, PER_STEP = 64, EVENTS = 8 };

typedef struct journey {
  brink_sim *sim;
  double point[POINTS][2]; /* the path; every PER_STEP-th is the end of a step */
  int npoints;
  brink_event event[EVENTS];
  int nevents;
  double t, x[4]; /* where it ended */
  size_t nx;
  brink_stats stats;
} journey;

/* A step was accepted: its path, by dense output. */
static int journey_step(const brink_step_record *record, void *user) {
  journey *j = user;
  double x[4];
  j->nx = record->nx;
  for (int k = 1; k <= PER_STEP && j->npoints < POINTS; k++) {
    double t = k < PER_STEP ? record->t0 + record->h * k / PER_STEP : record->t1;
    if (brink_sim_at(j->sim, t, x, NULL) != BRINK_OK) continue;
    j->point[j->npoints][0] = x[0];
    j->point[j->npoints++][1] = x[1];
  }
  return 0;
}

static int journey_event(const brink_event_record *record, void *user) {
  journey *j = user;
  if (j->nevents < EVENTS) j->event[j->nevents++] = record->event;
  return 0;
}

/* ---- in characters ---- */

static void sketch(const journey *j) {
  enum { WIDE = 74, HIGH_ROWS = 15 };
  char cell[HIGH_ROWS][WIDE + 1];
  for (int row = 0; row < HIGH_ROWS; row++) {
    for (int k = 0; k < WIDE; k++) {
      double x = (k + 0.5) * 3.7 / WIDE, y = 0.6 - (row + 0.5) * 1.2 / HIGH_ROWS;
      cell[row][k] = y > 0.5 || x > 3.5 || (y < -0.4 && x < 2.8) ? '#' : ' ';
    }
    cell[row][WIDE] = '\0';
  }
  for (int k = 0; k < j->npoints; k++) {
    int column = (int)(j->point[k][0] / 3.7 * WIDE);
    int row = (int)((0.6 - j->point[k][1]) / 1.2 * HIGH_ROWS);
    if (row < 0 || row >= HIGH_ROWS || column < 0 || column >= WIDE) continue;
    bool step = (k + 1) % PER_STEP == 0;
    if (step || cell[row][column] == ' ') cell[row][column] = step ? 'o' : '.';
    if (k + 1 == j->npoints) cell[row][column] = 'X';
  }
  for (int row = 0; row < HIGH_ROWS; row++) printf("   %s\n", cell[row]);
  printf("   o steps   X stopped   # wall\n");
}

/* ---- as SVG ---- */

/* A window of the plane and where it is drawn. */
typedef struct view {
  double x0, y0, x_scale, y_scale; /* pixel = origin + scale*(x - x0) */
  double left, bottom;
} view;

static double at_x(const view *v, double x) {
  return v->left + v->x_scale * (x - v->x0);
}
static double at_y(const view *v, double y) {
  return v->bottom - v->y_scale * (y - v->y0);
}

static void draw_path(FILE *file, const view *v, const journey *j, const char *style) {
  fprintf(file, "<polyline class=\"%s\" points=\"", style);
  for (int k = 0; k < j->npoints; k++)
    fprintf(file, "%.1f,%.1f ", at_x(v, j->point[k][0]), at_y(v, j->point[k][1]));
  fprintf(file, "\"/>\n");
}

static void draw_steps(FILE *file, const view *v, const journey *j, const char *style) {
  for (int k = PER_STEP - 1; k < j->npoints; k += PER_STEP)
    fprintf(file, "<circle class=\"%s\" cx=\"%.2f\" cy=\"%.2f\" r=\"3.5\"/>\n", style,
            at_x(v, j->point[k][0]), at_y(v, j->point[k][1]));
}

static void draw_hit(FILE *file, const view *v, const journey *j) {
  double x = at_x(v, j->x[0]), y = at_y(v, j->x[1]);
  fprintf(file, "<path class=\"hit\" d=\"M%.2f %.2fl14 14m0 -14l-14 14\"/>\n", x - 7, y - 7);
}

static void draw_wall(FILE *file, const view *v, double x0, double y0, double x1, double y1) {
  fprintf(file, "<rect class=\"wall\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
          at_x(v, x0), at_y(v, y1), v->x_scale * (x1 - x0), v->y_scale * (y1 - y0));
}

static void draw_text(FILE *file, double x, double y, const char *text) {
  fprintf(file, "<text x=\"%.0f\" y=\"%.0f\">%s</text>\n", x, y, text);
}

/* The whole corridor, and below it the corner, whose heights are drawn 60 times larger. */
static bool write_svg(const char *name, const journey *look, const journey *miss) {
  const view all = {0.0, -0.6, 200.0, 200.0, 10.0, 250.0};
  const view corner = {2.45, -0.4015, 1540.0, 92400.0, 10.0, 560.0};
  FILE *file = fopen(name, "w");
  if (file == NULL) return false;
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 625\" "
          "font-family=\"sans-serif\" font-size=\"14\">\n"
          "<title>A vehicle clips the inner corner of a corridor</title>\n"
          "<style>\n"
          "text{fill:#333}.wall{fill:#bbb}.frame{fill:none;stroke:#888}\n"
          ".path{fill:none;stroke:#0969da;stroke-width:2}.dot{fill:#0969da}\n"
          ".lost{fill:none;stroke:#c4451c;stroke-width:2;stroke-dasharray:6 4}\n"
          ".end{fill:none;stroke:#c4451c;stroke-width:1.5}\n"
          ".hit{fill:none;stroke:#111;stroke-width:3}\n"
          "@media (prefers-color-scheme:dark){text{fill:#ddd}.wall{fill:#555}\n"
          ".path{stroke:#58a6ff}.dot{fill:#58a6ff}.lost,.end{stroke:#ff8c61}.hit{stroke:#fff}}\n"
          "</style>\n"
          "<clipPath id=\"corner\"><rect x=\"10\" y=\"290\" width=\"740\" height=\"270\"/>"
          "</clipPath>\n");
  draw_wall(file, &all, 0.0, 0.5, 3.7, 0.6);
  draw_wall(file, &all, 3.5, -0.6, 3.7, 0.5);
  draw_wall(file, &all, 0.0, -0.6, 2.8, -0.4);
  draw_path(file, &all, miss, "lost");
  draw_steps(file, &all, miss, "end");
  draw_path(file, &all, look, "path");
  draw_steps(file, &all, look, "dot");
  draw_hit(file, &all, look);
  fprintf(file, "<rect class=\"frame\" x=\"%.2f\" y=\"%.2f\" width=\"96\" height=\"12\"/>\n",
          at_x(&all, 2.45), at_y(&all, -0.37));
  draw_text(file, 14, 278, "The corner, heights drawn 60 times larger than lengths:");
  fprintf(file, "<g clip-path=\"url(#corner)\">\n");
  draw_wall(file, &corner, 2.45, -0.41, 2.8, -0.4);
  draw_path(file, &corner, miss, "lost");
  draw_steps(file, &corner, miss, "end");
  draw_path(file, &corner, look, "path");
  draw_steps(file, &corner, look, "dot");
  draw_hit(file, &corner, look);
  fprintf(file, "</g>\n<rect class=\"frame\" x=\"10\" y=\"290\" width=\"740\" height=\"270\"/>\n");
  draw_text(
      file, 14, 584,
      "Solid: Brink. Every accepted step is a dot; the run ends at the cross, outside the wall.");
  draw_text(file, 14, 606,
            "Dashed: the same model with a sign test at the ends of the steps (circles), none of "
            "them in the wall.");
  bool good = fprintf(file, "</svg>\n") > 0;
  return fclose(file) == 0 && good;
}

#endif
