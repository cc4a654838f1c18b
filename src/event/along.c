/* along.c: guards along paths (see along.h).
 *
 * References: composition of a polynomial guard with the predictor, Esposito & Kumar 2007,
 * remark 2.3; the appended state z = g, eq. 3 there (with z reset to g at every step, as its drift
 * makes necessary); all roots of a guard along the dense output, Shampine, Gladwell & Brankin 1991;
 * exclusion before isolation, Park & Barton 1996. */
#include "event/along.h"

#include <brink/jet.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define FIT 1e-5        /* how well it has to fit between them, relative to its size */
#define SERIES_ORDER 20 /* of a guard's series on a piece, at least */
#define SERIES_FIT 1e-9 /* its last terms, of its size, … */
#define TAIL_FIT 1e-7   /* … and of its later terms, from a quarter of its order on */
#define SILENT_PIECE                                                                               \
  0.0625             /* of a path: a piece on which a series that knows nothing is compared */
#define AT_SEAM 1e-9 /* of a piece's size: too close to zero for its end */
#define BLUR 256.0   /* units of rounding in sigma that an expanded polynomial may be off */

bool brink_along_init(brink_along_space *space, brink_eval *eval, brink_arena *arena) {
  space->eval = eval;
  size_t stride = BRINK_POLY_MAX_DEGREE + 1;
  bool any_jet = false;
  for (size_t k = 0; k < eval->model->def.nguards; k++)
    any_jet = any_jet || eval->model->guards[k].def.jet != NULL;
  space->x = brink_arena_take(arena, eval->n, sizeof(double));
  space->jets = brink_arena_take(arena, eval->nx, sizeof(double *));
  space->jet_memory = brink_arena_take(arena, any_jet ? eval->nx * stride : 1, sizeof(double));
  space->expanded = brink_arena_take(arena, any_jet ? eval->nx : 1, sizeof(int64_t));
  space->rows = brink_arena_take(arena, any_jet ? eval->nx * BRINK_ALONG_ROW : 1, sizeof(double));
  if (arena->failed) return false;
  for (size_t i = 0; any_jet && i < eval->nx; i++) space->jets[i] = space->jet_memory + i * stride;
  return true;
}

void brink_along_relocate(brink_along_space *space, brink_relocation *moved) {
  BRINK_RELOCATE(moved, space->eval);
  BRINK_RELOCATE(moved, space->x);
  BRINK_RELOCATE(moved, space->jet_memory);
  BRINK_RELOCATE(moved, space->jets);
  BRINK_RELOCATE(moved, space->expanded);
  BRINK_RELOCATE(moved, space->rows);
  brink_relocate_rows(moved, space->jets, space->eval->nx);
}

void brink_along_hold(brink_along_space *space, const brink_path *path) {
  space->held = path;
  space->holds++;
}

void brink_along_release(brink_along_space *space) {
  space->held = NULL;
}

void brink_along_states(brink_along_space *space, size_t guard, const brink_path *path,
                        double sigma) {
  const brink_guard_def *def = &space->eval->model->guards[guard].def;
  double weights[BRINK_PATH_TERMS];
  brink_path_weights(path, sigma, weights);
  for (size_t k = 0; k < def->ndepends; k++) {
    size_t i = def->depends[k];
    space->x[i] = brink_path_component_at(path, i, weights);
  }
}

double brink_along_value(brink_along_space *space, size_t guard, const brink_path *path,
                         double sigma) {
  brink_along_states(space, guard, path, sigma);
  return brink_eval_guard(space->eval, guard, path->t0 + sigma * path->h, space->x);
}

/* ---- exclusion ---- */

static double linear_reach(const brink_guard_def *def, const brink_path *path) {
  double reach = fabs(def->time_coefficient * path->h);
  for (int l = 0; l < path->terms; l++) {
    double weight = 0.0;
    for (size_t k = 0; k < def->ndepends; k++)
      weight += def->coefficients[k] * brink_path_term(path, l, def->depends[k]);
    reach += fabs(weight) * path->bound[l];
  }
  return reach;
}

/* ---- polynomials ---- */

/* What a series leaves out is no more than this many times its last two terms, … */
#define TAIL 10.0
/* … if these are no more than this part of the two before them: a geometric series would allow 1. */
#define FALL 0.5
/* … and if the value at the end of the path is where the series leads, up to that and this, relative. */
#define ROUNDING 1e-12
#define CONSTANT 1e-6 /* of its value: a series that is off by less than this */

static double larger_of(double a, double b) {
  return fabs(a) > fabs(b) ? fabs(a) : fabs(b);
}

/* The largest of some coefficients, first … last. */
static double largest_of(const double *c, int first, int last) {
  double most = 0.0;
  for (int k = first; k <= last; k++) most = larger_of(c[k], most);
  return most;
}

/* Do the terms of a series fall, so that the last ones bound what it leaves out? Those of its last quarter are
 * compared with those of the one before: some may vanish (1/(1 + s^8)), but where all do, it is silent. */
static bool falls(const double *c, int order) {
  if (order < 8)
    return order < 3 ||
           larger_of(c[order], c[order - 1]) <= FALL * larger_of(c[order - 2], c[order - 3]);
  int middle = order / 2, late = order - order / 4;
  double before = largest_of(c, middle, late), after = largest_of(c, late + 1, order);
  return before > 0.0 && after <= FALL * FALL * before;
}

/* The highest power of sigma in the states that a guard reads. */
static int used_degree(const brink_guard_def *def, const brink_path *path) {
  int most = 1;
  for (size_t k = 0; k < def->ndepends && most < path->degree; k++) {
    int last = path->degree;
    while (path->powers && last > most && brink_path_term(path, last - 1, def->depends[k]) == 0.0)
      last--;
    most = last > most ? last : most;
  }
  return most;
}

/* The coefficients of a state along a path that is not one of powers, in sigma: in `own`, or where they are known already. */
static const double *expanded(brink_along_space *space, const brink_path *path, size_t i,
                              double *own) {
  double *row = space->rows + i * BRINK_ALONG_ROW;
  if (path != space->held || path->degree >= BRINK_ALONG_ROW) {
    brink_path_component(path, i, own);
    return own;
  }
  if (space->expanded[i] != space->holds) brink_path_component(path, i, row);
  space->expanded[i] = space->holds;
  return row;
}

/* A state along the path, expanded about sigma = from: the first coefficients into jet, zeros after them. */
static void expand_state(brink_along_space *space, const brink_path *path, size_t i, double from,
                         int degree, int order, double *jet) {
  double own[BRINK_PATH_DEGREE + 1];
  const double *c = own;
  int shared = degree < order ? degree : order;
  double *to = path->powers && from == 0.0 ? jet : own;
  int last = to == jet ? shared : degree;
  if (path->powers) {
    const double *row = degree > 0 ? brink_path_series(path, i) : NULL;
    to[0] = path->x0[i];
    for (int l = 0; l < last; l++) to[l + 1] = row[l] * path->scale[l];
  } else {
    c = expanded(space, path, i, own);
  }
  if (from > 0.0) {
    brink_jet_shift(degree, c, from, own);
    c = own;
  }
  if (to == own) memcpy(jet, c, (size_t)(shared + 1) * sizeof *jet);
  for (int l = shared + 1; l <= order; l++) jet[l] = 0.0;
}

/* The series of a guard along the path, about sigma = from, up to `order`; the states fill `degree`. */
static bool compose(brink_along_space *space, size_t guard, const brink_path *path, double from,
                    int degree, int order, double *out) {
  brink_eval *eval = space->eval;
  const brink_guard_def *def = &eval->model->guards[guard].def;
  double time[BRINK_POLY_MAX_DEGREE + 1];
  memset(time, 0, (size_t)(order + 1) * sizeof *time);
  time[0] = path->t0 + from * path->h;
  time[1] = path->h;
  for (size_t k = 0; k < def->ndepends; k++)
    expand_state(space, path, def->depends[k], from, degree, order, space->jets[def->depends[k]]);
  eval->stats.guards++;
  return def->jet(guard, order, time, (const double *const *)space->jets, &eval->env, out) == 0;
}

/* A guard's series that is as good as constant may know nothing of what comes. Is the guard where it says
 * at points on the way? */
static bool agrees_with_series(brink_along_space *space, size_t guard, const brink_path *path,
                               const double *c, int order, double off) {
  int points = off < CONSTANT * fabs(c[0]) ? 7 : 3;
  for (int k = 1; k <= points; k++) {
    double sigma = (double)k / (points + 1);
    double miss = brink_along_value(space, guard, path, sigma) - brink_poly_eval(c, order, sigma);
    if (!(fabs(miss) <= off)) return false;
  }
  return true;
}

bool brink_along_excluded(brink_along_space *space, size_t guard, const brink_path *path, double g0,
                          double g1, double distance) {
  const brink_guard *model_guard = &space->eval->model->guards[guard];
  const brink_guard_def *def = &model_guard->def;
  double c[BRINK_POLY_MAX_DEGREE + 1], reach = 0.0, end = g0;
  if (def->coefficients != NULL)
    return fabs(g0) > linear_reach(def, path) * (1.0 + 1e-12) + distance;
  if (!path->powers || model_guard->formula != NULL || model_guard->linear || def->jet == NULL)
    return false;
  int degree = used_degree(def, path), order = degree < 2 ? 2 : degree;
  if (def->degree == 0 && order < SERIES_ORDER) order = SERIES_ORDER;
  if (def->degree * degree > order && def->degree * degree <= SERIES_ORDER)
    order = def->degree * degree; /* all of it */
  if (!compose(space, guard, path, 0.0, degree, order, c)) return false;
  for (int k = 1; k <= order; k++) {
    reach += fabs(c[k]);
    end += c[k];
  }
  if (def->degree == 0 || def->degree * degree > order) { /* it is truncated */
    if (!falls(c, order)) return false;
    double tail = TAIL * (fabs(c[order]) + fabs(c[order - 1]));
    /* A step of the guard far ahead (tanh) does not show in its series: it shows at the end. */
    double off = tail + ROUNDING * (fabs(g0) + reach);
    if (!(fabs(end - g1) <= off) || !agrees_with_series(space, guard, path, c, order, off))
      return false;
    reach += tail;
  }
  return fabs(g0) > reach * (1.0 + 1e-12) + distance;
}

/* The largest change of any state that the guard reads by the powers of sigma above `kept`: the terms from there on, of a
 * path of powers. */
static double tail_of(brink_along_space *space, const brink_guard_def *def, const brink_path *path,
                      int kept, const brink_quadratic_bounds *at) {
  const double *known = path->powers && kept == at->head ? at->tails : NULL;
  double most = 0.0, own[BRINK_PATH_DEGREE + 1];
  for (size_t k = 0; k < def->ndepends && kept < path->degree; k++) {
    size_t i = def->depends[k];
    double sum = 0.0;
    if (known != NULL) {
      sum = known[i];
    } else if (path->powers) {
      brink_path_reach(path, i, kept, &sum);
    } else {
      const double *c = expanded(space, path, i, own);
      for (int l = kept + 1; l <= path->degree; l++) sum += fabs(c[l]);
    }
    most = sum > most || isnan(sum) ? sum : most;
  }
  return most;
}

/* How much of a quadratic guard a composition leaves out that does without such changes of its states. */
static double left_out_by(const brink_quadratic_bounds *at, double tail) {
  return tail * (at->slope + at->curvature * (at->radius + tail));
}

static double rounding_of(const brink_quadratic_bounds *at, const double *c, int degree) {
  return ROUNDING * (brink_poly_size(c, degree) + fabs(at->g0));
}

/* Composed with the first powers only. `share`: of the way to the surface, that the others may add. */
static bool excluded_by(brink_along_space *space, size_t guard, const brink_path *path,
                        const brink_quadratic_bounds *at, int kept, double tail, double share,
                        double distance) {
  double c[BRINK_POLY_MAX_DEGREE + 1], way = fmin(fabs(at->g0), fabs(at->g1)) - distance;
  double off = left_out_by(at, tail);
  if (!(off < share * way) || !compose(space, guard, path, 0.0, kept, 2 * kept, c)) return false;
  off += rounding_of(at, c, 2 * kept);
  return brink_poly_stays_above(c, 2 * kept, at->g0 > 0.0 ? 1 : -1, distance + off);
}

/* As many powers as are composed where a few do not tell: half of those that the guard reads. */
static int half_of(int degree) {
  int half = degree < 6 ? 3 : degree / 2;
  return half < degree ? half : degree;
}

bool brink_along_excluded_quadratic(brink_along_space *space, size_t guard, const brink_path *path,
                                    const brink_quadratic_bounds *at, double distance) {
  const brink_guard_def *def = &space->eval->model->guards[guard].def;
  double least = fmin(fabs(at->g0), fabs(at->g1));
  if (path->degree < 1 || !(at->g0 * at->g1 > 0.0) || !(least > distance)) return false;
  int degree = used_degree(def, path), half = half_of(degree);
  if (path->powers && at->head < half &&
      excluded_by(space, guard, path, at, at->head, tail_of(space, def, path, at->head, at), 0.5,
                  distance))
    return true;
  double tail = half < degree ? tail_of(space, def, path, half, at) : 0.0;
  return excluded_by(space, guard, path, at, half, tail, 1.0, distance);
}

double brink_along_floor_quadratic(brink_along_space *space, size_t guard, const brink_path *path,
                                   const brink_quadratic_bounds *at) {
  const brink_guard_def *def = &space->eval->model->guards[guard].def;
  double c[BRINK_POLY_MAX_DEGREE + 1], low, high;
  int degree = used_degree(def, path), half = half_of(degree);
  if (path->degree < 1 || !compose(space, guard, path, 0.0, half, 2 * half, c))
    return (double)-INFINITY;
  double tail = half < degree ? tail_of(space, def, path, half, at) : 0.0;
  brink_poly_range(c, 2 * half, &low, &high);
  return (at->g0 > 0.0 ? low : -high) - left_out_by(at, tail) - rounding_of(at, c, 2 * half);
}

static bool build_linear(brink_along_space *space, const brink_path *path, double g0,
                         brink_along *along) {
  brink_eval *eval = space->eval;
  const brink_guard_def *def = &eval->model->guards[along->guard].def;
  double rate;
  if (brink_eval_gradient(eval, along->guard, path->t0, path->x0, eval->gradient, &rate) !=
      BRINK_TRY_OK)
    return false;
  brink_path_combine(path, def->depends, eval->gradient, def->ndepends, along->c);
  along->c[0] = g0;
  along->c[1] += rate * path->h;
  along->degree = path->degree > 1 ? path->degree : 1;
  along->exact = true;
  return true;
}

/* Of the series of a guard that goes on, along states of this degree. */
static int truncated_order(int degree) {
  int order = degree + 6 > SERIES_ORDER ? degree + 6 : SERIES_ORDER;
  return order < BRINK_POLY_MAX_DEGREE ? order : BRINK_POLY_MAX_DEGREE;
}

static bool build_jet(brink_along_space *space, const brink_path *path, double g0,
                      brink_along *along) {
  const brink_guard_def *def = &space->eval->model->guards[along->guard].def;
  int degree = used_degree(def, path);
  int full = def->degree * degree; /* of the composition, if the guard is a polynomial */
  bool exact = def->degree > 0 && full <= BRINK_POLY_MAX_DEGREE;
  int order = exact ? full : truncated_order(degree);
  if (order < 1) order = 1;
  if (!compose(space, along->guard, path, 0.0, degree, order, along->c)) return false;
  along->c[0] = g0;
  along->degree = order;
  along->exact = exact;
  return true;
}

static double value_at(brink_along_space *space, const brink_along *along, double tau) {
  return brink_along_value(space, along->guard, along->path, along->from + along->width * tau);
}

/* An interpolant through the guard's own values. */
static bool build_samples(brink_along_space *space, brink_along *along) {
  double values[BRINK_POLY_SAMPLES];
  for (int k = 0; k < BRINK_POLY_SAMPLES; k++) {
    values[k] = value_at(space, along, brink_poly_sample[k]);
    if (!isfinite(values[k])) return false;
  }
  brink_poly_through(values, along->c);
  along->degree = BRINK_POLY_SAMPLES - 1;
  along->exact = false;
  return true;
}

static bool is_finite(const brink_along *along) {
  for (int k = 0; k <= along->degree; k++) {
    if (!isfinite(along->c[k])) return false;
  }
  return true;
}

static double largest_term(const brink_along *along) {
  double most = 0.0;
  for (int k = 0; k <= along->degree; k++) most = fmax(most, fabs(along->c[k]));
  return most;
}

/* What rounding may make of the guard's value at tau. What cancels inside its formula is seen at points so close
 * together that a smooth function is straight there. */
static double noise_at(brink_along_space *space, const brink_along *along, double tau) {
  enum { PLACES = 4 };
  double most = 0.0, centre = fmin(fmax(tau, 0.25), 0.75);
  for (int k = 1; k <= PLACES; k++) {
    double d = k * 0x1p-20;
    double bend = value_at(space, along, centre - d) - 2.0 * value_at(space, along, centre) +
                  value_at(space, along, centre + d);
    most = fmax(most, fabs(bend));
  }
  return 8.0 * most;
}

/* Is the polynomial as far from the guard as it may be, at most? */
static bool agrees(brink_along_space *space, const brink_along *along, double tau, double size) {
  double miss = fabs(brink_poly_eval(along->c, along->degree, tau) - value_at(space, along, tau));
  return miss <= FIT * size || miss <= noise_at(space, along, tau);
}

/* Does the interpolant hold between its samples? */
static bool fits(brink_along_space *space, const brink_along *along) {
  double size = largest_term(along);
  for (int k = 2; k < BRINK_POLY_SAMPLES - 1; k += 3) {
    double tau = 0.5 * (brink_poly_sample[k] + brink_poly_sample[k + 1]);
    if (!agrees(space, along, tau, size)) return false;
  }
  return true;
}

/* How much of its function a series shows, on a part of its path. */
typedef enum completeness {
  SERIES_WHOLE, /* its terms fall to nothing: what it leaves out is less */
  SERIES_SILENT, /* later terms all vanish: a polynomial, or the function is about to do what it does not show yet */
  SERIES_BROKEN /* its last terms count: it reaches less far */
} completeness;

/* Do the last six terms, on a part of the path, fall steadily, and does none of them vanish? Those beyond the degree of
 * the path show how the path was cut off, and may be larger than the ones before. */
static bool ends_falling(const double *c, int order, double width) {
  if (order < 8) return false;
  double ratio = FALL / (width * width), last = larger_of(c[order], c[order - 1]);
  double middle = larger_of(c[order - 2], c[order - 3]);
  return last > 0.0 && last <= ratio * middle &&
         middle <= ratio * larger_of(c[order - 4], c[order - 5]);
}

/* The size of the first terms says nothing: a pulse that is far away is in the later ones alone, however small
 * they are, and they grow. */
static completeness completeness_of(const double *c, int order, double width) {
  double size = 0.0, tail = 0.0, power = 1.0, last = 0.0, before = 0.0;
  for (int k = 0; k <= order; k++) {
    before = last;
    last = fabs(c[k]) * power;
    size = fmax(size, last);
    if (4 * k >= order) tail = fmax(tail, last);
    power *= width;
  }
  if (!(tail > DBL_MIN)) return SERIES_SILENT;
  bool small = last + before <= SERIES_FIT * size;
  bool falling = last + before <= TAIL_FIT * tail || ends_falling(c, order, width);
  return small && falling ? SERIES_WHOLE : SERIES_BROKEN;
}

/* The piece on which the guard's series, about its beginning, holds: its last terms are nothing. False:
 * the guard has no series there, or one that reaches no further than `shortest`. */
static bool fit_series(brink_along_space *space, const brink_path *path, double width,
                       double shortest, brink_along *along) {
  const brink_guard_def *def = &space->eval->model->guards[along->guard].def;
  int degree = used_degree(def, path), order = truncated_order(degree);
  if (!compose(space, along->guard, path, along->from, degree, order, along->c)) return false;
  for (int k = 0; k <= order; k++) {
    if (!isfinite(along->c[k])) return false;
  }
  completeness known = completeness_of(along->c, order, width);
  if (known == SERIES_SILENT) width = fmin(width, SILENT_PIECE);
  for (; known == SERIES_BROKEN && width > shortest;
       known = completeness_of(along->c, order, width))
    width *= 0.5;
  if (known == SERIES_BROKEN) return false;
  along->width = width;
  double power = 1.0;
  for (int k = 1; k <= order; k++) along->c[k] *= power *= width;
  along->degree = order;
  along->exact = false;
  return true;
}

/* A series vanishes together with the guard it is of, or where that underflows: points on the way tell. */
static bool series_holds(brink_along_space *space, const brink_along *along) {
  double size = largest_term(along);
  for (int k = 1; k <= 8; k++) {
    if (!agrees(space, along, 0.125 * k, size)) return false;
  }
  return true;
}

static bool fit_piece(brink_along_space *space, size_t guard, const brink_path *path, double from,
                      double width, double smallest, brink_along *along) {
  along->guard = guard;
  along->path = path;
  along->from = from;
  along->start = 0.0;
  along->until = 1.0;
  double shortest = 64.0 * DBL_EPSILON * fmax(fabs(path->t0 / path->h), 1.0);
  bool series = space->eval->model->guards[guard].def.jet != NULL;
  if (series && fit_series(space, path, width, shortest, along) && series_holds(space, along))
    return true;
  for (along->width = width;; along->width *= 0.5) {
    if (!build_samples(space, along)) return false;
    if (along->width <= smallest || fits(space, along)) return true;
  }
}

/* A zero at the seam between two pieces would belong to neither: the seam is put elsewhere. */
bool brink_along_fit(brink_along_space *space, size_t guard, const brink_path *path, double from,
                     double width, double smallest, brink_along *along) {
  for (int k = 0; k < 4; k++) {
    if (!fit_piece(space, guard, path, from, width, smallest, along)) return false;
    double size = largest_term(along);
    if (from + along->width >= 1.0 || fabs(value_at(space, along, 1.0)) > AT_SEAM * size) break;
    width = 0.83 * along->width;
  }
  return true;
}

double brink_along_left_out(const brink_along *along) {
  const double *c = along->c;
  int order = along->degree;
  double last = order > 0 ? fabs(c[order]) + fabs(c[order - 1]) : 0.0;
  if (completeness_of(c, order, 1.0) == SERIES_WHOLE) return last;
  bool bounded = order >= 8 && (falls(c, order) || ends_falling(c, order, 1.0));
  return bounded ? last / (1.0 - FALL) : (double)INFINITY;
}

bool brink_along_build(brink_along_space *space, size_t guard, const brink_path *path, double g0,
                       brink_along *along) {
  const brink_eval *eval = space->eval;
  const brink_guard *model_guard = &eval->model->guards[guard];
  along->guard = guard;
  along->path = path;
  along->from = 0.0;
  along->width = 1.0;
  along->start = 0.0;
  along->until = 1.0;
  bool built;
  if (model_guard->linear) {
    built = build_linear(space, path, g0, along);
  } else if (model_guard->def.jet != NULL) {
    built = build_jet(space, path, g0, along);
  } else if (eval->column[guard] != BRINK_NONE) {
    brink_path_component(path, eval->column[guard], along->c);
    along->c[0] = g0; /* z is reset to g at every step */
    along->degree = path->degree;
    along->exact = false;
    built = true;
  } else {
    built = build_samples(space, along);
  }
  built = built && is_finite(along);
  /* Where a series does not exist (the square root of a level that starts at 0) values may. */
  if (!built && model_guard->def.jet != NULL)
    built = build_samples(space, along) && is_finite(along);
  return built;
}

/* ---- roots ---- */

void brink_along_bracket(brink_along_space *space, size_t guard, const brink_path *path, double a,
                         double b, double *inside, double *outside) {
  double ga = brink_along_value(space, guard, path, a);
  double gb = brink_along_value(space, guard, path, b);
  double sign = ga > 0.0 || (ga == 0.0 && gb < 0.0) ? 1.0 : -1.0;
  int side = 0; /* Illinois: which end was kept last time */
  for (int k = 0; k < 100 && b - a > 2.0 * DBL_EPSILON * fmax(b, DBL_MIN); k++) {
    double s = a + (b - a) * (ga / (ga - gb));
    if (k % 4 == 3 || !(s > a && s < b)) s = 0.5 * (a + b);
    if (!(s > a && s < b)) break;
    double g = brink_along_value(space, guard, path, s);
    if (sign * g > 0.0) {
      a = s;
      ga = g;
      if (side == 1) gb *= 0.5;
      side = 1;
    } else {
      b = s;
      gb = g;
      if (side == -1) ga *= 0.5;
      side = -1;
      if (g == 0.0) { /* close in from the other side alone */
        gb = -sign * DBL_MIN;
      }
    }
  }
  *inside = a;
  *outside = b;
}

/* The extremum of the guard's own values near an approximate one, by parabolas through three
 * points. */
static double refine_extremum(brink_along_space *space, const brink_along *along, double tau,
                              double low, double high) {
  double d = fmin(0.05, 0.5 * fmin(tau - low, high - tau));
  if (!(d > 1e-9)) return tau;
  for (int k = 0; k < 4; k++) {
    double g0 = value_at(space, along, tau - d);
    double g1 = value_at(space, along, tau);
    double g2 = value_at(space, along, tau + d);
    double curvature = g0 - 2.0 * g1 + g2;
    double shift = curvature != 0.0 ? 0.5 * d * (g0 - g2) / curvature : 0.0;
    if (!(fabs(shift) <= d)) break;
    tau += shift;
    d = fmax(0.1 * d, fmin(0.5 * d, 4.0 * fabs(shift)));
    if (d < 1e-6) break; /* the value is flat here: rounding takes over */
  }
  return tau;
}

/* Points between which the guard is monotone, as far as its approximation can tell: 0, the
 * extrema, 1. Returns their number. */
static int critical_points(brink_along_space *space, const brink_along *along, double *points) {
  double slope[BRINK_POLY_MAX_DEGREE + 1];
  brink_root roots[BRINK_ALONG_ROOTS];
  brink_poly_derivative(along->c, along->degree, slope);
  int found = along->degree < 2 ? 0
                                : brink_poly_roots(slope, along->degree - 1, 0.0, 1.0, roots,
                                                   BRINK_ALONG_ROOTS - 2);
  int count = 0;
  points[count++] = 0.0;
  for (int k = 0; k < found; k++) {
    if (!(roots[k].s > 0.0 && roots[k].s < 1.0)) continue;
    double high = k + 1 < found ? roots[k + 1].s : 1.0;
    double s = along->exact ? roots[k].s
                            : refine_extremum(space, along, roots[k].s, points[count - 1], high);
    if (s > points[count - 1]) points[count++] = s;
  }
  points[count++] = 1.0;
  return count;
}

/* What has just fired may fly off and come back so low that its own values are rounding on all of the way:
 * then the polynomial, which knows slope and curvature, tells when. */
static bool comes_back_unseen(const brink_along *along, double noise, brink_root *root) {
  double c[BRINK_POLY_MAX_DEGREE + 1];
  if (!(fabs(along->c[0]) <= noise)) return false;
  memcpy(c, along->c, (size_t)(along->degree + 1) * sizeof *c);
  c[0] = 0.0;
  if (brink_poly_roots(c, along->degree, 0.0, 1.0, root, 1) != 1 || root->kind == BRINK_ROOT_TOUCH)
    return false;
  double middle = brink_poly_eval(c, along->degree, 0.5 * root->s);
  if (!(fabs(middle) <= noise)) return false;
  root->s = along->from + along->width * root->s;
  return true;
}

/* Roots of a guard whose polynomial is an approximation, from its own values. */
static int direct_roots(brink_along_space *space, const brink_along *along, brink_root *roots) {
  double points[BRINK_ALONG_ROOTS];
  int count = critical_points(space, along, points), found = 0;
  double before = along->c[0];
  double noise = 4.0 * DBL_EPSILON * largest_term(along); /* rounding of the guard's values */
  if (along->from == 0.0 && comes_back_unseen(along, noise, &roots[0])) return 1;
  for (int k = 1; k < count && found < BRINK_ALONG_ROOTS; k++) {
    double after = value_at(space, along, points[k]);
    if (isnan(after)) break;
    if (fabs(after) <= noise &&
        k + 1 < count) { /* an extremum on the surface: through, or to it? */
      double next = value_at(space, along, 0.5 * (points[k] + points[k + 1]));
      if (before * next > 0.0) {
        roots[found++] =
            (brink_root){.s = along->from + along->width * points[k], .kind = BRINK_ROOT_TOUCH};
        continue;
      }
    }
    if (before != 0.0 && (after == 0.0 || (before < 0.0) != (after < 0.0))) {
      double inside, outside, from = along->from, width = along->width;
      brink_along_bracket(space, along->guard, along->path, from + width * points[k - 1],
                          from + width * points[k], &inside, &outside);
      roots[found++] =
          (brink_root){.s = outside, .kind = before < 0.0 ? BRINK_ROOT_RISING : BRINK_ROOT_FALLING};
    }
    before = after;
  }
  return found;
}

/* A polynomial guard, expanded, has lost digits where it is small: its coefficients are large, and cancel.
 * Where that blurs a root, the guard's own values, as the model writes them, say where it is. */
void brink_along_polish(brink_along_space *space, const brink_along *along, brink_root *roots,
                        int count) {
  double slopes[BRINK_POLY_MAX_DEGREE + 1], size = 0.0, inside;
  if (count > 0 && along->degree > 0) brink_poly_derivative(along->c, along->degree, slopes);
  for (int k = 0; count > 0 && k <= along->degree; k++) size += fabs(along->c[k]);
  for (int k = 0; k < count; k++) {
    if (roots[k].kind == BRINK_ROOT_TOUCH) continue;
    double slope = brink_poly_eval(slopes, along->degree - 1, roots[k].s);
    double blur = 4.0 * (along->degree + 1) * DBL_EPSILON * size / fabs(slope);
    if (!(blur > BLUR * DBL_EPSILON)) continue;
    double low = fmax(roots[k].s - blur, k > 0 ? roots[k - 1].s : 0.0);
    double high = fmin(roots[k].s + blur, k + 1 < count ? roots[k + 1].s : 1.0);
    double before = brink_along_value(space, along->guard, along->path, low);
    double after = brink_along_value(space, along->guard, along->path, high);
    double sign = roots[k].kind == BRINK_ROOT_RISING ? 1.0 : -1.0;
    if (sign * before < 0.0 && sign * after > 0.0)
      brink_along_bracket(space, along->guard, along->path, low, high, &inside, &roots[k].s);
  }
}

/* On a long path the guard's value at the start may be below the rounding of what it becomes, and yet be
 * a value: a root right after the start is looked for on a piece that is as short as it takes. */
static int polynomial_roots(const brink_along *along, brink_root *roots) {
  const double *c = along->c;
  double size = brink_poly_size(c, along->degree), seam = 0.0;
  if (along->degree > 0 && c[0] * c[1] < 0.0 &&
      fabs(c[0]) <= BRINK_POLY_TAU * (along->degree + 1) * DBL_EPSILON * size)
    seam = fmin(4.0 * fabs(c[0] / c[1]), 0.5 * along->until);
  int count = 0, more;
  if (seam > 0.0) count = brink_poly_roots(c, along->degree, 0.0, seam, roots, BRINK_ALONG_ROOTS);
  if (count < 0) count = 0;
  more = brink_poly_roots(c, along->degree, seam, along->until, roots + count,
                          BRINK_ALONG_ROOTS - count);
  return more > 0 ? count + more : count;
}

/* Roots were found without along->start: with it, they are a little beside. */
static void put_back(const brink_along *along, brink_root *roots, int count) {
  double slopes[BRINK_POLY_MAX_DEGREE + 1];
  if (count > 0) brink_poly_derivative(along->c, along->degree, slopes);
  for (int k = 0; k < count; k++) {
    double slope = brink_poly_eval(slopes, along->degree - 1, roots[k].s);
    double s = roots[k].s - along->start / slope;
    if (roots[k].kind != BRINK_ROOT_TOUCH && s > (k > 0 ? roots[k - 1].s : 0.0) && s <= 1.0)
      roots[k].s = s;
  }
}

int brink_along_roots(brink_along_space *space, const brink_along *along, brink_root *roots) {
  space->eval->stats.roots++;
  if (!along->exact) return direct_roots(space, along, roots);
  int count = polynomial_roots(along, roots);
  if (along->start != 0.0) put_back(along, roots, count);
  if (!space->eval->model->guards[along->guard].linear)
    brink_along_polish(space, along, roots, count);
  return count > 0 ? count : 0; /* exact polynomials always begin where the path does */
}

bool brink_along_dip(brink_along_space *space, const brink_along *along, int sign, double limit,
                     brink_dip *dip) {
  double points[BRINK_ALONG_ROOTS];
  int count = critical_points(space, along, points);
  for (int k = 1; k + 1 < count; k++) {
    double value = along->exact ? brink_poly_eval(along->c, along->degree, points[k])
                                : value_at(space, along, points[k]);
    double y = sign * value;
    double before = brink_poly_eval(along->c, along->degree, 0.5 * (points[k - 1] + points[k]));
    double after = brink_poly_eval(along->c, along->degree, 0.5 * (points[k] + points[k + 1]));
    if (y > 0.0 && y <= limit && sign * before >= y && sign * after >= y) {
      *dip = (brink_dip){.sigma = along->from + along->width * points[k], .value = value};
      return true;
    }
  }
  return false;
}
