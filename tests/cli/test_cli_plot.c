/* Pictures in the terminal show the data: dots are read back from the characters. And --plot finds what
 * it is asked for. */
#include "cli/picture.c"

#include "check.h"
#include "support/program.h"

#include <stdlib.h>

enum { POINTS = 500, LINES = 40, WIDE = 512 };

static double t[POINTS], v[POINTS], w[POINTS];

static void fill_data(void) {
  for (size_t k = 0; k < POINTS; k++) {
    t[k] = 10.0 * (double)k / (POINTS - 1);
    v[k] = exp(-0.2 * t[k]) * cos(3.0 * t[k]);
    w[k] = exp(-0.2 * t[k]) * sin(3.0 * t[k]);
  }
}

/* ---- reading a picture ---- */

typedef struct seen {
  char line[LINES][4 * WIDE];
  size_t nlines;
  bool dot[4 * LINES][2 * WIDE]; /* of the lines that have an axis on their left */
  size_t rows, width, margin;
} seen;

static unsigned code_at(const char **c) {
  const unsigned char *u = (const unsigned char *)*c;
  if (u[0] < 0x80) return *c += 1, u[0];
  *c += 3;
  return (unsigned)(u[0] & 0x0f) << 12 | (unsigned)(u[1] & 0x3f) << 6 | (u[2] & 0x3f);
}

static void read_row(seen *s, const char *c) {
  static const int row_of[8] = {0, 1, 2, 0, 1, 2, 3, 3}, column_of[8] = {0, 0, 0, 1, 1, 1, 0, 1};
  size_t margin = 0;
  unsigned code;
  do code = code_at(&c), margin++;
  while (code != 0x2524 && code != 0x2502 && *c != '\0');
  s->margin = margin;
  for (size_t x = 0; *c != '\0' && x < WIDE; x++) {
    code = code_at(&c);
    for (int bit = 0; code >= 0x2800 && code < 0x2900 && bit < 8; bit++) {
      if ((code - 0x2800) >> bit & 1u)
        s->dot[4 * s->rows + (size_t)row_of[bit]][2 * x + (size_t)column_of[bit]] = true;
    }
  }
  s->rows++;
}

static seen *look_at(const cli_picture *picture) {
  static seen s;
  memset(&s, 0, sizeof s);
  brink_text text = {0};
  cli_picture_draw(picture, &text);
  CHECK(!text.failed && text.data != NULL);
  for (char *line = text.data; line != NULL && *line != '\0' && s.nlines < LINES;) {
    char *end = strchr(line, '\n');
    CHECK(end != NULL);
    if (end == NULL) break;
    *end = '\0';
    snprintf(s.line[s.nlines++], sizeof s.line[0], "%s", line);
    line = end + 1;
  }
  brink_text_free(&text);
  for (size_t k = 1; k + 2 < s.nlines && picture->utf8; k++) read_row(&s, s.line[k]);
  s.width = columns_of(s.line[s.nlines - 2]) - s.margin;
  return &s;
}

static cli_picture picture_of(const cli_curve *curve) {
  return (cli_picture){.title = "plant.h (m)",
                       .below = "t",
                       .curves = curve,
                       .ncurves = 1,
                       .width = 80,
                       .height = 12,
                       .utf8 = true};
}

/* ---- what it shows ---- */

TEST(a_curve_has_its_dots_where_its_values_are) {
  cli_curve curve = {.x = t, .y = v, .count = POINTS, .x_stride = 1, .y_stride = 1};
  cli_picture picture = picture_of(&curve);
  const seen *s = look_at(&picture);
  CHECK_INT(s->nlines, 12);
  CHECK_INT(s->rows, 9);
  double lo = 1.0, hi = -1.0;
  for (size_t k = 0; k < POINTS; k++) lo = fmin(lo, v[k]), hi = fmax(hi, v[k]);
  size_t dots = 2 * s->width, rows = 4 * s->rows;
  for (size_t k = 0; k < POINTS; k++) {
    double x = t[k] / 10.0 * (double)(dots - 1), y = (hi - v[k]) / (hi - lo) * (double)(rows - 1);
    CHECK_MSG(s->dot[(size_t)(y + 0.5)][(size_t)(x + 0.5)], "no dot for point %zu", k);
  }
  /* and nowhere else: each dot is near the curve */
  for (size_t r = 0; r < rows; r++) {
    for (size_t x = 0; x < dots; x++) {
      if (!s->dot[r][x]) continue;
      double here = 10.0 * (double)x / (double)(dots - 1), near = 1e9;
      for (double d = -0.08; d <= 0.08; d += 0.004) {
        double value = exp(-0.2 * (here + d)) * cos(3.0 * (here + d));
        near = fmin(near, fabs((hi - value) / (hi - lo) * (double)(rows - 1) - (double)r));
      }
      CHECK_MSG(near < 1.5, "a dot at %zu, %zu: %g off", x, r, near);
    }
  }
}

TEST(axes_tell_the_range) {
  cli_curve curve = {.x = t, .y = v, .count = POINTS, .x_stride = 1, .y_stride = 1};
  cli_picture picture = picture_of(&curve);
  const double marks[] = {0.0, 5.0, 10.0, 11.0, (double)NAN};
  picture.marks = marks;
  picture.nmarks = 5;
  const seen *s = look_at(&picture);
  CHECK(strcmp(s->line[0], "plant.h (m)") == 0);
  CHECK(strncmp(s->line[1], "      1 \u2524", 11) == 0);
  CHECK_CONTAINS(s->line[9], "-0.8128 \u2524");
  const char *axis = s->line[10];
  size_t ticks = 0;
  for (const char *c = axis; (c = strstr(c, "\u252c")) != NULL; c++) ticks++;
  CHECK_INT(ticks, 3);
  CHECK_CONTAINS(axis, "\u2514\u252c\u2500");
  CHECK(strcmp(axis + strlen(axis) - 3, "\u252c") == 0);
  CHECK(strncmp(s->line[11], "         0 ", 11) == 0);
  CHECK(strcmp(s->line[11] + strlen(s->line[11]) - 3, " 10") == 0);
  CHECK_CONTAINS(s->line[11], " t ");
}

TEST(ends_that_look_alike_get_more_digits) {
  const double x[] = {0.0, 1.0}, y[] = {1000.0001, 1000.0002};
  cli_curve curve = {.x = x, .y = y, .count = 2, .x_stride = 1, .y_stride = 1};
  cli_picture picture = picture_of(&curve);
  const seen *s = look_at(&picture);
  CHECK_CONTAINS(s->line[1], "1000.0002");
  CHECK_CONTAINS(s->line[9], "1000.0001");
}

TEST(words_are_steps_at_their_labels) {
  const double x[] = {0.0, 1.0, 1.0, 2.0}, y[] = {0.0, 0.0, 1.0, 1.0};
  const char *const words[] = {"draining", "empty"};
  cli_curve curve = {.x = x, .y = y, .count = 4, .x_stride = 1, .y_stride = 1};
  cli_picture picture = picture_of(&curve);
  picture.labels = words;
  picture.nlabels = 2;
  picture.steps = true;
  picture.height = 7;
  const seen *s = look_at(&picture);
  CHECK_INT(s->rows, 4);
  CHECK_CONTAINS(s->line[1], "   empty \u2524");
  CHECK_CONTAINS(s->line[4], "draining \u2524");
  size_t dots = 2 * s->width;
  CHECK(s->dot[15][0] && s->dot[15][dots / 2 - 2] && !s->dot[15][dots / 2 + 2]);
  CHECK(s->dot[0][dots / 2 + 2] && s->dot[0][dots - 1] && !s->dot[0][0]);
}

TEST(values_hold_until_the_next_point) {
  const double x[] = {0.0, 1.0, 2.0}, y[] = {0.0, 1.0, 0.0};
  cli_curve curve = {.x = x, .y = y, .count = 3, .x_stride = 1, .y_stride = 1};
  cli_picture picture = picture_of(&curve);
  picture.steps = true;
  const seen *s = look_at(&picture);
  size_t dots = 2 * s->width, last = 4 * s->rows - 1;
  CHECK(s->dot[last][dots / 4] && s->dot[0][3 * dots / 4]);
  CHECK(!s->dot[last / 2][dots / 4] && !s->dot[last / 2][3 * dots / 4]);
}

TEST(what_is_not_finite_is_a_gap) {
  const double x[] = {0.0, 1.0, 2.0, 3.0, 4.0};
  const double y[] = {0.0, 0.0, (double)NAN, 1.0, (double)INFINITY};
  cli_curve curve = {.x = x, .y = y, .count = 5, .x_stride = 1, .y_stride = 1};
  cli_picture picture = picture_of(&curve);
  const seen *s = look_at(&picture);
  size_t dots = 2 * s->width, last = 4 * s->rows - 1;
  CHECK(s->dot[last][0] && s->dot[0][dots - 1]); /* points alone are points */
  for (size_t r = 0; r <= last; r++) CHECK(!s->dot[r][dots / 2 + 8]);
}

TEST(anything_can_be_drawn) {
  static const double wild[] = {-1.7e308, 1.7e308, 0.0, 5e-324, -0.0, (double)NAN, 1.0, 1.0};
  static const double same[] = {3.0, 3.0, 3.0};
  const double *const ys[] = {wild, same, wild, same}, *const xs[] = {wild, same, same, wild};
  const size_t counts[] = {8, 3, 3, 0};
  brink_text text = {0};
  for (size_t k = 0; k < 4; k++) {
    for (size_t width = 0; width < 500; width += width < 90 ? 1 : 37) {
      for (size_t height = 0; height < 130; height += 9) {
        cli_curve curve = {
            .x = xs[k], .y = ys[k], .count = counts[k], .x_stride = 1, .y_stride = 1};
        cli_picture picture = picture_of(&curve);
        picture.width = width;
        picture.height = height;
        picture.utf8 = (width & 1u) != 0;
        text.length = 0;
        cli_picture_draw(&picture, &text);
        CHECK(!text.failed && text.length > 0);
        for (char *line = strtok(text.data, "\n"); line != NULL; line = strtok(NULL, "\n"))
          CHECK_MSG(columns_of(line) <= (width < 24 ? 24 : width), "%zu: %s", width, line);
      }
    }
  }
  brink_text_free(&text);
  cli_picture nothing = {.title = "", .below = "", .width = 80, .height = 12};
  cli_picture_draw(&nothing, &text);
  CHECK(!text.failed);
  brink_text_free(&text);
}

TEST(ascii_is_all_that_other_locales_get) {
  cli_curve curves[2] = {{.x = t, .y = v, .count = POINTS, .x_stride = 1, .y_stride = 1},
                         {.x = t, .y = w, .count = POINTS, .x_stride = 1, .y_stride = 1}};
  cli_picture picture = picture_of(curves);
  picture.ncurves = 2;
  picture.utf8 = false;
  const seen *s = look_at(&picture);
  size_t marks = 0;
  for (size_t k = 0; k < s->nlines; k++) {
    for (const char *c = s->line[k]; *c != '\0'; c++) {
      CHECK((unsigned char)*c < 128);
      marks += strchr("'-.|", *c) != NULL;
    }
  }
  CHECK(marks > 100);
  CHECK_CONTAINS(s->line[10], "+----");
}

#ifdef BRINK_PROGRAM

/* ---- the program ---- */

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)

static const char plant[] =
    "ctc Plant is\n  interface\n    output(level, signal, (0.0, 10.0), \"m\");\n"
    "    output(low, boolean);\n  end interface;\n  body\n"
    "    declarations\n      state(h, real, (0.0, 10.0), \"m\");\n      state(z[2], real);\n"
    "      mode(phase, {\"draining\", \"empty\"});\n      flag(empty, unilateral);\n"
    "    end declarations;\n    initial\n      h := 4.0;\n      phase := \"draining\";\n"
    "      z[1] := 1.0;\n      z[2] := 0.0;\n    end initial;\n"
    "    dynamics\n      if phase = \"draining\" then\n        h' = -1.0;\n      else\n"
    "        h' = 0.0;\n      end if;\n      z[1]' = z[2];\n      z[2]' = -z[1];\n"
    "      empty = h;\n    end dynamics;\n"
    "    output\n      level = h;\n      low = h < 1.0;\n    end output;\n"
    "    event(empty)\n      negative-going\n        phase := \"empty\";\n"
    "      end negative-going;\n    end event;\n  end body;\nend Plant;\n"
    "system Yard is\n  body\n    components\n      tank[3] : Plant;\n    end components;\n"
    "    simulation\n      until : 8.0;\n    end simulation;\n  end body;\nend Yard;\n";

static size_t count_of(const char *text, const char *part) {
  size_t count = 0;
  for (; (text = strstr(text, part)) != NULL; text++) count++;
  return count;
}

TEST(names_without_an_index_are_all_elements) {
  outcome o = brink("run yard.hsml --interpret --quiet --plot 'tank.h,tank[2].phase,tank[1].z'");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "tank.h (m), all 3\n");
  CHECK_CONTAINS(o.out, "\ntank[2].phase\n");
  CHECK_CONTAINS(o.out, "draining \u2524");
  CHECK_CONTAINS(o.out, "   empty \u2524");
  CHECK_CONTAINS(o.out, "\ntank[1].z, all 2\n");
  CHECK_INT(count_of(o.out, "\u2514"), 3);
  CHECK_INT(count_of(o.out, "\u252c"), 6); /* low and empty, at t = 3 and 4 */
  CHECK(o.err[0] == '\0');
  done(&o);
  o = brink("run yard.hsml --interpret --quiet --plot tank.low,tank[3].z[2]:tank[3].z[1]");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, " true \u2524");
  CHECK_CONTAINS(o.out, "tank[3].z[2] against tank[3].z[1]");
  done(&o);
}

TEST(pictures_follow_the_summary_or_leave_its_place_to_the_data) {
  outcome o = brink("run yard.hsml --interpret --plot tank.h");
  const char *summary = strstr(o.out, "method "), *title = strstr(o.out, "tank.h (m)");
  CHECK(summary != NULL && title != NULL && summary < title);
  done(&o);
  o = brink("run yard.hsml --interpret --plot tank.h --json");
  CHECK_EXIT(o, 0);
  CHECK(o.summary != NULL);
  CHECK_CONTAINS(o.err, "tank.h (m)");
  done(&o);
  o = brink("run yard.hsml --interpret --plot tank.h --out -");
  CHECK(strncmp(o.out, "time,", 5) == 0 && strstr(o.out, "\u2502") == NULL);
  CHECK_CONTAINS(o.err, "tank.h (m)");
  done(&o);
  setenv("LC_ALL", "C", 1);
  o = brink("run yard.hsml --interpret --plot tank.h --quiet");
  for (const char *c = o.out; *c != '\0'; c++) CHECK((unsigned char)*c < 128);
  CHECK_CONTAINS(o.out, "+-----");
  done(&o);
  setenv("LC_ALL", "C.UTF-8", 1);
}

/* A circle stays one, however long it is followed. */
TEST(what_is_drawn_against_each_other_was_seen_together) {
  static const char *const until[] = {"8", "50000"};
  for (size_t k = 0; k < 2; k++) {
    outcome o = brink("run yard.hsml --interpret --quiet --until %s --plot "
                      "'tank[1].z[2]:tank[1].z[1]'",
                      until[k]);
    CHECK_EXIT(o, 0);
    static seen s;
    memset(&s, 0, sizeof s);
    for (const char *line = o.out; *line != '\0'; line += strcspn(line, "\n") + 1) {
      char row[1024];
      snprintf(row, sizeof row, "%.*s", (int)strcspn(line, "\n"), line);
      if (strstr(row, "\u2524") != NULL || strstr(row, "\u2502") != NULL) read_row(&s, row);
    }
    size_t dots = 0, width = 2 * (80 - s.margin), height = 4 * s.rows;
    for (size_t r = 0; r < height; r++) {
      for (size_t c = 0; c < width; c++) {
        double x = 2.0 * (double)c / (double)(width - 1) - 1.0;
        double y = 2.0 * (double)r / (double)(height - 1) - 1.0;
        if (!s.dot[r][c]) continue;
        CHECK_MSG(fabs(hypot(x, y) - 1.0) < 0.03, "a dot at radius %g", hypot(x, y));
        dots++;
      }
    }
    CHECK_MSG(dots > 150, "%zu dots", dots);
    done(&o);
  }
}

TEST(unknown_names_are_wrong_usage_before_the_run) {
  static const struct {
    const char *names, *says;
  } cases[] = {
      {"tank.hh", "did you mean tank.h?"},
      {"tnk.phase", "did you mean tank.phase?"},
      {"phase", "did you mean tank.phase?"},
      {"tank[7].h", "tank[7].h: there is no such quantity; did you mean tank.h?"},
      {"nobody", "there are tank.h, tank.z, tank.phase"},
      {"tank.h,tank.nothing_like_it", "tank.nothing_like_it"},
      {"tank.h:tank.hh", "did you mean tank.h?"},
      {"tank.h:tank.phase", "needs numbers"},
      {"tank[1].h:tank.h", "cannot be paired"},
      {"''", "needs names"},
      {"tank.h,", "needs names"},
      {":tank.h", "needs names"},
      {"tank.h:", "needs names"},
      {"tank[.h", "tank["},
      {"tank]", "tank]"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    outcome o = brink("run yard.hsml --plot %s --out never.csv", cases[k].names);
    CHECK_MSG(o.exit == 2, "--plot %s: exit %d", cases[k].names, o.exit);
    CHECK_MSG(strstr(o.err, cases[k].says) != NULL, "--plot %s: %s", cases[k].names, o.err);
    CHECK(o.out[0] == '\0');
    done(&o);
  }
  FILE *never = fopen("never.csv", "r");
  CHECK(never == NULL);
  if (never != NULL) fclose(never);
}

TEST(runs_that_fail_are_drawn_as_far_as_they_came) {
  write_file("fail.hsml",
             "ctc Ramp is\n  body\n    declarations\n      state(x, real, (-1.0, 3.0));\n"
             "    end declarations;\n    initial\n      x := 0.0;\n    end initial;\n"
             "    dynamics\n      x' = 1.0;\n    end dynamics;\n  end body;\nend Ramp;\n");
  outcome o = brink("run fail.hsml --interpret --until 9 --plot x --quiet");
  CHECK_EXIT(o, 1);
  CHECK_CONTAINS(o.out, "3 \u2524");
  done(&o);
}

static void run_program_tests(void) {
  char folder[16];
  program_enter(folder);
  write_file("yard.hsml", plant);
  setenv("LC_ALL", "C.UTF-8", 1);
  RUN(names_without_an_index_are_all_elements);
  RUN(pictures_follow_the_summary_or_leave_its_place_to_the_data);
  RUN(what_is_drawn_against_each_other_was_seen_together);
  RUN(unknown_names_are_wrong_usage_before_the_run);
  RUN(runs_that_fail_are_drawn_as_far_as_they_came);
  program_leave(folder);
}

#else

static void run_program_tests(void) {}

#endif

int main(void) {
  fill_data();
  RUN(a_curve_has_its_dots_where_its_values_are);
  RUN(axes_tell_the_range);
  RUN(ends_that_look_alike_get_more_digits);
  RUN(words_are_steps_at_their_labels);
  RUN(values_hold_until_the_next_point);
  RUN(what_is_not_finite_is_a_gap);
  RUN(anything_can_be_drawn);
  RUN(ascii_is_all_that_other_locales_get);
  run_program_tests();
  return check_done();
}
