/* condition.c: condition numbers of events (see condition.h).
 *
 * Reference: García 2004, "Singular event detection", eq. 5-7, with g arbitrary, absolute values, and angles
 * by the gradient instead of an appended state, which would make even an orthogonal crossing 2. */
#include "event/condition.h"

#include <brink/brink.h>
#include <float.h>
#include <math.h>

#define ROUNDING 64.0 /* units of it: a rate below that of its terms is zero */

static double size_of(const brink_slant *slant, size_t i) {
  return slant->size != NULL ? slant->size[i] : 1.0;
}

double brink_slant_rate(const brink_slant *slant) {
  double sum = slant->rate, terms = fabs(slant->rate);
  for (size_t i = 0; i < slant->n; i++) {
    sum += slant->g[i] * slant->f[i];
    terms += fabs(slant->g[i] * slant->f[i]);
  }
  return fabs(sum) <= ROUNDING * DBL_EPSILON * terms ? 0.0 : sum;
}

/* |D g_x| and |D^-1 f|, by hypot so that no unit overflows. */
static double gradient_norm(const brink_slant *slant) {
  double norm = 0.0;
  for (size_t i = 0; i < slant->n; i++) norm = hypot(norm, slant->g[i] * size_of(slant, i));
  return norm;
}

static double field_norm(const brink_slant *slant) {
  double norm = 0.0;
  for (size_t i = 0; i < slant->n; i++) {
    if (slant->part == NULL || slant->part[i]) norm = hypot(norm, slant->f[i] / size_of(slant, i));
  }
  return norm;
}

double brink_slant_factor(const brink_slant *slant) {
  double f = field_norm(slant), g = gradient_norm(slant), rate = fabs(brink_slant_rate(slant));
  bool timed = slant->rate != 0.0;
  if (!isfinite(f) || !isfinite(g) || (g == 0.0 && !timed)) return NAN;
  if (rate == 0.0) return f == 0.0 ? 1.0 : (double)INFINITY;
  double factor = f * g / rate;
  return timed || f == 0.0 ? fmax(factor, 1.0) : factor;
}

double brink_slant_delay(const brink_slant *slant) {
  double rate = fabs(brink_slant_rate(slant)), g = gradient_norm(slant);
  return rate > 0.0 ? g / rate : g > 0.0 ? (double)INFINITY : (double)NAN;
}

/* S^T S = I + u v^T + v u^T + |u|^2 v v^T with u = f+ - f-, v = g_x/L. Its largest eigenvalue is
 * 1 + v.w + |v||w|, w = u + |u|^2 v/2. */
double brink_jump_norm(const brink_slant *before, const double *f_after) {
  double rate = brink_slant_rate(before), uu = 0.0, uv = 0.0, vv = 0.0;
  if (rate == 0.0) return INFINITY;
  for (size_t i = 0; i < before->n; i++) {
    double u = f_after[i] - before->f[i], v = before->g[i] / rate;
    uu += u * u;
    uv += u * v;
    vv += v * v;
  }
  double vw = uv + 0.5 * uu * vv, ww = uu + uu * uv + 0.25 * uu * uu * vv;
  return sqrt(1.0 + vw + sqrt(vv * fmax(ww, 0.0)));
}

#define ROUNDS 200
#define SETTLED 1e-12

static double normalise(size_t n, double *v) {
  double norm = 0.0;
  for (size_t i = 0; i < n; i++) norm = hypot(norm, v[i]);
  for (size_t i = 0; i < n && norm > 0.0; i++) v[i] /= norm;
  return norm;
}

/* The power method on M^T M, from a vector that no coordinate plane contains. */
double brink_matrix_norm(size_t n, const double *matrix, double *room) {
  double *v = room, *w = room + n, norm = 0.0;
  for (size_t i = 0; i < n; i++) v[i] = 1.0 + 0.1 * (double)(i % 7);
  normalise(n, v);
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < n; i++) {
      w[i] = 0.0;
      for (size_t k = 0; k < n; k++) w[i] += matrix[i * n + k] * v[k];
      if (!isfinite(w[i])) return isnan(w[i]) ? (double)NAN : (double)INFINITY;
    }
    double before = norm;
    norm = normalise(n, w);
    for (size_t k = 0; k < n; k++) {
      v[k] = 0.0;
      for (size_t i = 0; i < n; i++) v[k] += matrix[i * n + k] * w[i];
    }
    if (normalise(n, v) == 0.0 || fabs(norm - before) <= SETTLED * norm) break;
  }
  return norm;
}

double brink_distance(size_t n, const double *x, const double *y, const double *size) {
  double norm = 0.0;
  for (size_t i = 0; i < n; i++) norm = hypot(norm, (x[i] - y[i]) / (size != NULL ? size[i] : 1.0));
  return norm;
}

double brink_surface_distance(const brink_slant *slant, double value) {
  double g = gradient_norm(slant);
  return g > 0.0 ? fabs(value) / g : (double)NAN;
}

size_t brink_cheapest_state(const brink_slant *slant, double amount, double *change) {
  size_t best = BRINK_NONE;
  double most = 0.0;
  for (size_t i = 0; i < slant->n; i++) {
    double reach = fabs(slant->g[i]) * size_of(slant, i);
    if (!(reach > most)) continue;
    most = reach;
    best = i;
  }
  if (best != BRINK_NONE) *change = fabs(amount / slant->g[best]);
  return best;
}

/* ---- in a word ---- */

static const char *const names[] = {
    [BRINK_WELL_POSED] = "well-posed", [BRINK_GRAZING] = "grazing", [BRINK_ILL_POSED] = "ill-posed",
    [BRINK_SLID] = "sliding",          [BRINK_CAUSED] = "caused",   [BRINK_UNJUDGED] = "not judged",
};

const char *brink_posed_name(brink_posed posed) {
  return names[posed];
}

/* The words, the worst first: which evidence, relative changes up to what, angle factors from what on. A
 * word applies if one of its two limits is met. */
static const struct {
  brink_posed word;
  double change; /* relative, … */
  double errors; /* … or so many relative accuracies of the run, whichever is more */
  double slant;  /* 1/|cos|; INFINITY: tangency */
} words[] = {
    /* A change that nobody can rule out: a millionth, or what a run's error may amount to. */
    {.word = BRINK_ILL_POSED, .change = 1e-6, .errors = BRINK_CONDITION_ERRORS, .slant = INFINITY},
    /* A change in the third digit, or less than three degrees from tangency. */
    {.word = BRINK_GRAZING, .change = 1e-3, .errors = 100.0, .slant = 20.0},
};

brink_posed brink_judge(const brink_evidence *evidence) {
  double least = fmin(evidence->vanish, evidence->appear); /* a NaN is no evidence */
  if (isnan(evidence->angle) && isnan(least)) return BRINK_UNJUDGED;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    double change = fmax(words[k].change, words[k].errors * evidence->accuracy);
    if (least <= change || evidence->angle >= words[k].slant) return words[k].word;
  }
  return BRINK_WELL_POSED;
}
