/* speed_problems.c: the problems of bench/speed.c: those of bench/taylor.c, and larger ones. */
#include "support/speed_problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/taylor_models.h"

#define PI 3.14159265358979323846264338327950288L

/* ---- fields in long double ---- */

static void henon_field(size_t n, const long double *x, long double *dx) {
  (void)n;
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = -x[0] - 2 * x[0] * x[1];
  dx[3] = -x[1] - x[0] * x[0] + x[1] * x[1];
}

static void lorenz_field(size_t n, const long double *x, long double *dx) {
  (void)n;
  dx[0] = 10 * (x[1] - x[0]);
  dx[1] = x[0] * (28 - x[2]) - x[1];
  dx[2] = x[0] * x[1] - (long double)2.6666666666666665 * x[2];
}

static void ring_field(size_t nx, const long double *x, long double *dx) {
  size_t n = nx / 2;
  for (size_t i = 0; i < n; i++) {
    long double left = x[i] - x[(i + n - 1) % n], right = x[(i + 1) % n] - x[i];
    dx[i] = x[n + i];
    dx[n + i] = right + right * right * right - left - left * left * left;
  }
}

static void solar_field(size_t n, const long double *x, long double *dx) {
  enum { N = TAYLOR_BODIES };
  long double *a = dx + 3 * N;
  (void)n;
  memcpy(dx, x + 3 * N, 3 * N * sizeof *dx);
  for (int i = 0; i < 3 * N; i++) a[i] = 0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      if (j == i) continue;
      long double d[3], r2 = 0;
      for (int k = 0; k < 3; k++) d[k] = x[3 * j + k] - x[3 * i + k];
      for (int k = 0; k < 3; k++) r2 += d[k] * d[k];
      for (int k = 0; k < 3; k++) a[3 * i + k] += taylor_solar_masses[j] * d[k] / (r2 * sqrtl(r2));
    }
  }
}

/* ---- what all of them share ---- */

static bool take(speed_problem *made, size_t text, bool exact) {
  size_t nx = made->problem.nx;
  made->start = calloc(nx, sizeof(double));
  made->exact = exact ? calloc(nx, sizeof(double)) : NULL;
  made->text = text > 0 ? calloc(1, text) : NULL;
  made->problem.start = made->start;
  made->problem.exact = made->exact;
  made->problem.ncases = 1;
  made->cases[0] = (taylor_case){.event = (double)NAN};
  return made->start != NULL && (!exact || made->exact != NULL) &&
         (text == 0 || made->text != NULL);
}

/* ---- Hénon-Heiles, Kepler, Lorenz ---- */

static bool make_henon(bool section, speed_problem *made) {
  taylor_problem problem = taylor_henon(section, made->cases);
  made->judged = 100.0;
  made->exact = calloc(4, sizeof(double));
  made->problem = problem;
  made->problem.exact = made->exact;
  return made->exact != NULL &&
         speed_reference(henon_field, 4, made->judged, 4000, made->cases[0].x, made->exact);
}

/* Ten revolutions from the pericentre: but for the rounding of the start and of the end, the start. */
static bool make_kepler(bool apsides, speed_problem *made) {
  const double speed = 4.358898943540674, end = 62.83185307179586;
  made->problem =
      (taylor_problem){.name = apsides ? "kepler-apsides" : "kepler",
                       .kind = TAYLOR_KEPLER,
                       .model = apsides ? taylor_kepler_apsides_model : taylor_kepler_model,
                       .bare = !apsides,
                       .nx = 4,
                       .t_end = end};
  if (!take(made, 0, true)) return false;
  made->start[0] = made->exact[0] = 0.1;
  made->start[3] = made->exact[3] = speed;
  long double r = made->start[0], axis = 1 / (2 / r - (long double)speed * speed);
  long double late = end - 20 * PI * axis * sqrtl(axis);
  made->exact[1] = (double)(speed * late);
  made->exact[2] = (double)(-late / (r * r));
  return true;
}

static bool make_lorenz(bool section, speed_problem *made) {
  made->problem =
      (taylor_problem){.name = section ? "lorenz-section" : "lorenz",
                       .kind = TAYLOR_LORENZ,
                       .model = section ? taylor_lorenz_section_model : taylor_lorenz_model,
                       .bare = !section,
                       .nx = 3,
                       .t_end = 1000.0};
  if (!take(made, 0, true)) return false;
  memcpy(made->start, (const double[]){1.0, 1.0, 20.0}, 3 * sizeof(double));
  made->judged = 10.0;
  return speed_reference(lorenz_field, 3, made->judged, 2000, made->start, made->exact);
}

/* ---- the outer solar system: Hairer, Lubich & Wanner 2006, section I.2.4 ---- */

#define G 2.95912208286e-4
const double taylor_solar_masses[TAYLOR_BODIES] = {1.00000597682 * G,      0.000954786104043 * G,
                                                   0.000285583733151 * G,  0.0000437273164546 * G,
                                                   0.0000517759138449 * G, G / 1.3e8};

static const double solar_start[6 * TAYLOR_BODIES] = {
    0,          0,           0,           -3.5023653,  -3.8169847,  -1.5507963,
    9.0755314,  -3.0458353,  -1.6483708,  8.3101420,   -16.2901086, -7.2521278,
    11.4707666, -25.7294829, -10.8169456, -15.5387357, -25.2225594, -3.1902382,
    0,          0,           0,           0.00565429,  -0.00412490, -0.00190589,
    0.00168318, 0.00483525,  0.00192462,  0.00354178,  0.00137102,  0.00055029,
    0.00288930, 0.00114527,  0.00039677,  0.00276725,  -0.00170702, -0.00136504};

static void write_vectors(FILE *to, const char *letter, const double *values) {
  for (int i = 0; i < TAYLOR_BODIES; i++)
    fprintf(to, "%s%d := [%.17g, %.17g, %.17g];\n", letter, i, values[3 * i], values[3 * i + 1],
            values[3 * i + 2]);
}

static void write_pulls(FILE *to) {
  for (int i = 0; i < TAYLOR_BODIES; i++) {
    for (int j = i + 1; j < TAYLOR_BODIES; j++)
      fprintf(to, "d%d%d = r%d - r%d;\na%d%d = dot(d%d%d, d%d%d)^(-1.5)*d%d%d;\n", i, j, j, i, i, j,
              i, j, i, j, i, j);
  }
  for (int i = 0; i < TAYLOR_BODIES; i++) {
    fprintf(to, "r%d' = v%d;\nv%d' = ", i, i, i);
    for (int j = 0; j < TAYLOR_BODIES; j++) {
      if (j == i) continue;
      fprintf(to, "%s%.17g*a%d%d",
              i > j              ? " - "
              : j == 1 && i == 0 ? ""
                                 : " + ",
              taylor_solar_masses[j], i < j ? i : j, i < j ? j : i);
    }
    fprintf(to, ";\n");
  }
}

static void write_solar(FILE *to) {
  fprintf(to, "ctc Solar is\nbody\ndeclarations\n");
  for (int i = 0; i < TAYLOR_BODIES; i++) fprintf(to, "state(r%d[3], real);\n", i);
  for (int i = 0; i < TAYLOR_BODIES; i++) fprintf(to, "state(v%d[3], real);\n", i);
  for (int i = 0; i < TAYLOR_BODIES; i++) {
    for (int j = i + 1; j < TAYLOR_BODIES; j++)
      fprintf(to, "variable(d%d%d[3], real); variable(a%d%d[3], real);\n", i, j, i, j);
  }
  for (int i = 1; i < TAYLOR_BODIES; i++) fprintf(to, "flag(apsis%d);\n", i);
  fprintf(to, "end declarations;\ninitial\n");
  write_vectors(to, "r", solar_start);
  write_vectors(to, "v", solar_start + 3 * TAYLOR_BODIES);
  fprintf(to, "end initial;\ndynamics\n");
  write_pulls(to);
  for (int i = 1; i < TAYLOR_BODIES; i++)
    fprintf(to, "apsis%d = dot(r%d - r0, v%d - v0);\n", i, i, i);
  fprintf(to, "end dynamics;\n");
  for (int i = 1; i < TAYLOR_BODIES; i++)
    fprintf(to, "event(apsis%d) negative-going end negative-going; end event;\n", i);
  fprintf(to, "end body;\nend Solar;\n");
}

enum { SOLAR_TEXT = 20000, RING_TEXT = 1000 };

static bool make_solar(speed_problem *made) {
  made->problem = (taylor_problem){.name = "solar-apsides",
                                   .kind = TAYLOR_SOLAR,
                                   .nx = 6 * TAYLOR_BODIES,
                                   .nroots = TAYLOR_BODIES - 1,
                                   .t_end = 100000.0};
  FILE *to = take(made, SOLAR_TEXT, true) ? fmemopen(made->text, SOLAR_TEXT, "w") : NULL;
  if (to == NULL) return false;
  write_solar(to);
  bool fine = fclose(to) == 0;
  made->problem.model = made->text;
  memcpy(made->start, solar_start, sizeof solar_start);
  return fine && speed_reference(solar_field, 6 * TAYLOR_BODIES, made->problem.t_end, 3000,
                                 made->start, made->exact);
}

/* ---- a ring of n masses, n a multiple of 100: springs with a cubic term, a wave that repeats after 100 masses, and
 * so does the solution ---- */

enum { REPEATS = 100 };

static bool make_ring(size_t n, speed_problem *made) {
  double start[2 * REPEATS] = {0}, exact[2 * REPEATS];
  made->problem = (taylor_problem){
      .name = "ring", .kind = TAYLOR_RING, .nx = 2 * n, .bare = true, .t_end = 10.0};
  if (n % REPEATS != 0 || !take(made, RING_TEXT, true)) return false;
  snprintf(made->text, RING_TEXT,
           "ctc Ring is body declarations parameter(n, integer); state(x[n], real); state(v[n], "
           "real); end declarations; initial x := 0.0; v := 0.0; end initial; dynamics x' = v;\n"
           "v[1]' = x[2] - 2.0*x[1] + x[n] + (x[2] - x[1])^3 - (x[1] - x[n])^3;\n"
           "for i in 2..n - 1 loop\n"
           "v[i]' = x[i + 1] - 2.0*x[i] + x[i - 1] + (x[i + 1] - x[i])^3 - (x[i] - x[i - 1])^3;\n"
           "end loop;\n"
           "v[n]' = x[1] - 2.0*x[n] + x[n - 1] + (x[1] - x[n])^3 - (x[n] - x[n - 1])^3;\n"
           "end dynamics; assignments n : %zu; end assignments; end body; end Ring;\n",
           n);
  made->problem.model = made->text;
  made->problem.starts = true;
  for (size_t i = 0; i < REPEATS; i++)
    start[i] = sin(2 * (double)PI * 4.0 * (double)i / REPEATS) +
               0.3 * cos(2 * (double)PI * (double)i / REPEATS);
  if (!speed_reference(ring_field, (size_t)2 * REPEATS, made->problem.t_end, 100, start, exact))
    return false;
  for (size_t i = 0; i < 2 * n; i++) {
    size_t at = i % n % REPEATS + (i < n ? 0 : REPEATS);
    made->start[i] = start[at];
    made->exact[i] = exact[at];
  }
  return true;
}

/* ---- the unit circle and n straight lines: one in ten crosses it, at a distance of 0.1 to 0.9 from its centre, the
 * others pass it at 1.1 to 2 ---- */

static void make_lines(size_t n, double *lines) {
  for (size_t k = 0; k < n; k++, lines += 3) {
    double angle = 2.399963229728653 * (double)k, part = (double)(k % 97) / 97.0;
    lines[0] = cos(angle);
    lines[1] = sin(angle);
    lines[2] = k % 10 == 0 ? -(0.1 + 0.8 * part) : -(1.1 + 0.9 * part);
  }
}

static void write_lines(FILE *to, size_t n, const double *lines) {
  fprintf(to,
          "ctc Circle is body declarations state(x, real); state(y, real); flag(g[%zu]); "
          "end declarations; initial x := 1.0; y := 0.0; end initial; dynamics x' = y; y' = -x;\n",
          n);
  for (size_t k = 0; k < n; k++)
    fprintf(to, "g[%zu] = %.17g*x + %.17g*y + %.17g;\n", k + 1, lines[3 * k], lines[3 * k + 1],
            lines[3 * k + 2]);
  fprintf(to,
          "end dynamics; for i in 1..%zu loop event(g[i]) negative-going end negative-going; end "
          "event; end loop; end body; end Circle;\n",
          n);
}

static bool make_circle(size_t n, speed_problem *made) {
  made->problem =
      (taylor_problem){.name = "lines", .kind = TAYLOR_LINES, .nx = 2, .nroots = n, .t_end = 100.0};
  made->lines = calloc(3 * n, sizeof(double));
  size_t size = 100 * n + 1000;
  if (made->lines == NULL || !take(made, size, true)) return false;
  make_lines(n, made->lines);
  made->problem.lines = made->lines;
  FILE *to = fmemopen(made->text, size, "w");
  if (to == NULL) return false;
  write_lines(to, n, made->lines);
  made->problem.model = made->text;
  made->start[0] = 1.0;
  made->exact[0] = (double)cosl(100.0L);
  made->exact[1] = (double)-sinl(100.0L);
  return fclose(to) == 0;
}

/* ---- by name ---- */

static bool make_small(const char *name, speed_problem *made) {
  if (strcmp(name, "corridor") == 0)
    made->problem = taylor_corridor(1e-3, 0.02, made->cases);
  else if (strcmp(name, "arm") == 0)
    made->problem = taylor_arm(made->cases);
  else if (strcmp(name, "relay") == 0)
    made->problem = taylor_relay(made->cases);
  else if (strcmp(name, "garcia-linear") == 0)
    made->problem = taylor_garcia_linear(made->cases);
  else
    return false;
  return true;
}

static bool make_by_name(const char *name, size_t n, speed_problem *made) {
  if (strcmp(name, "henon") == 0) return make_henon(false, made);
  if (strcmp(name, "henon-section") == 0) return make_henon(true, made);
  if (strcmp(name, "kepler") == 0) return make_kepler(false, made);
  if (strcmp(name, "kepler-apsides") == 0) return make_kepler(true, made);
  if (strcmp(name, "lorenz") == 0) return make_lorenz(false, made);
  if (strcmp(name, "lorenz-section") == 0) return make_lorenz(true, made);
  if (strcmp(name, "solar-apsides") == 0) return make_solar(made);
  if (strcmp(name, "ring") == 0) return make_ring(n, made);
  if (strcmp(name, "lines") == 0) return make_circle(n, made);
  return make_small(name, made);
}

bool speed_make(const char *name, size_t n, speed_problem *made) {
  memset(made, 0, sizeof *made);
  bool fine = make_by_name(name, n, made);
  if (!fine) fprintf(stderr, "speed: '%s' cannot be made\n", name);
  made->problem.cases = made->cases;
  made->t_end = made->problem.t_end;
  if (made->judged == 0.0) made->judged = made->t_end;
  return fine;
}

void speed_free(speed_problem *made) {
  free(made->text);
  free(made->start);
  free(made->exact);
  free(made->lines);
}
