/* closest.c: closest approaches of guards along paths (see closest.h).
 *
 * A guard whose polynomial along the path is exact has its extrema where the derivative vanishes. Any other
 * smooth guard is followed piece by piece along polynomials that were fitted to its values; these say where
 * to look, and the extremum is where its own rate g_x x' + g_t vanishes. A formula, the minimum or maximum of
 * its leaves, has minima at kinks, too: it is sampled, and its minima narrowed by golden section. */
#include "event/closest.h"

#include <math.h>

#define SAMPLES 24  /* of a formula on a path */
#define NARROWED 60 /* steps of golden section */
#define REFINED 60  /* bisections of a rate */
#define WINDOW 0.05 /* of a piece: how far an approximate extremum may be off */
#define GOLDEN 0.3819660112501051

/* dg/dsigma, by the guard's gradient and the path's own velocity. */
static double rate_at(brink_along_space *space, size_t guard, const brink_path *path,
                      double sigma) {
  brink_eval *eval = space->eval;
  const brink_guard_def *def = &eval->model->guards[guard].def;
  double c[BRINK_PATH_DEGREE + 1], rate;
  brink_along_value(space, guard, path, sigma); /* fills space->x */
  if (brink_eval_gradient(eval, guard, path->t0 + sigma * path->h, space->x, eval->gradient,
                          &rate) != BRINK_TRY_OK)
    return NAN;
  double sum = rate * path->h;
  for (size_t k = 0; k < def->ndepends; k++) {
    if (eval->gradient[k] == 0.0) continue;
    brink_path_component(path, def->depends[k], c);
    brink_poly_derivative(c, path->degree, c);
    sum +=
        eval->gradient[k] * (path->degree > 0 ? brink_poly_eval(c, path->degree - 1, sigma) : 0.0);
  }
  return sum;
}

/* The zero of the rate near sigma, where y turns from falling to rising; sigma itself if there is none. */
static double refine(brink_along_space *space, size_t guard, const brink_path *path, int sign,
                     double sigma, double low, double high) {
  if (!(sign * rate_at(space, guard, path, low) < 0.0) ||
      !(sign * rate_at(space, guard, path, high) > 0.0))
    return sigma;
  for (int k = 0; k < REFINED; k++) {
    double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    if (sign * rate_at(space, guard, path, middle) < 0.0)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

static void see(brink_course *course, double y) {
  course->last_peak = fmax(course->last_peak, y);
}

static void add_dip(brink_course *course, double sigma, double value, int sign) {
  if (!(sign * value > 0.0) || course->count == BRINK_CLOSEST) return;
  course->dip[course->count] = (brink_dip){.sigma = sigma, .value = value};
  course->peak[course->count++] = course->last_peak;
  course->last_peak = 0.0;
}

/* The extrema of one fitted piece, between from and to. */
static void scan(brink_along_space *space, const brink_along *along, double from, double to,
                 int sign, brink_course *course) {
  double slope[BRINK_POLY_MAX_DEGREE + 1];
  brink_root roots[BRINK_ALONG_ROOTS];
  if (along->degree < 2) return;
  brink_poly_derivative(along->c, along->degree, slope);
  double a = fmax((from - along->from) / along->width, 0.0);
  double b = fmin((to - along->from) / along->width, 1.0);
  if (!(a < b) || brink_poly_excludes_zero(slope, along->degree - 1)) return;
  int count = brink_poly_roots(slope, along->degree - 1, a, b, roots, BRINK_ALONG_ROOTS);
  for (int k = 0; k < count; k++) {
    double sigma = along->from + along->width * roots[k].s;
    if (roots[k].kind == BRINK_ROOT_TOUCH || !(sigma < to)) continue;
    bool minimum = roots[k].kind == (sign > 0 ? BRINK_ROOT_RISING : BRINK_ROOT_FALLING);
    if (minimum && !along->exact)
      sigma = refine(space, along->guard, along->path, sign, sigma,
                     fmax(from, sigma - WINDOW * along->width),
                     fmin(to, sigma + WINDOW * along->width));
    double value = brink_along_value(space, along->guard, along->path, sigma);
    if (minimum)
      add_dip(course, sigma, value, sign);
    else
      see(course, sign * value);
  }
}

static double narrow(brink_along_space *space, size_t guard, const brink_path *path, int sign,
                     double low, double high) {
  double a = low + GOLDEN * (high - low), b = high - GOLDEN * (high - low);
  double ya = sign * brink_along_value(space, guard, path, a);
  double yb = sign * brink_along_value(space, guard, path, b);
  for (int k = 0; k < NARROWED; k++) {
    if (ya < yb) {
      high = b;
      b = a;
      yb = ya;
      a = low + GOLDEN * (high - low);
      ya = sign * brink_along_value(space, guard, path, a);
    } else {
      low = a;
      a = b;
      ya = yb;
      b = high - GOLDEN * (high - low);
      yb = sign * brink_along_value(space, guard, path, b);
    }
  }
  return 0.5 * (low + high);
}

static void scan_formula(brink_along_space *space, size_t guard, const brink_path *path,
                         double from, double to, int sign, brink_course *course) {
  double width = (to - from) / SAMPLES, before = course->first, here = before;
  for (int k = 1; k <= SAMPLES; k++) {
    double sigma = k < SAMPLES ? from + k * width : to;
    double next = sign * brink_along_value(space, guard, path, sigma);
    see(course, here);
    if (k > 1 && here < before && here <= next) {
      double at = narrow(space, guard, path, sign, sigma - 2.0 * width, sigma);
      add_dip(course, at, brink_along_value(space, guard, path, at), sign);
    }
    before = here;
    here = next;
  }
}

static void end_slopes(brink_along_space *space, size_t guard, const brink_path *path, double from,
                       double to, int sign, brink_course *course) {
  double d = 1e-3 * (to - from); /* formulas have no gradient: differences have to do */
  if (space->eval->model->guards[guard].formula == NULL) {
    course->leaves = sign * rate_at(space, guard, path, from);
    course->arrives = sign * rate_at(space, guard, path, to);
    return;
  }
  double second = sign * brink_along_value(space, guard, path, from + d);
  double but_last = sign * brink_along_value(space, guard, path, to - d);
  course->leaves = (second - course->first) / d;
  course->arrives = (course->last - but_last) / d;
}

static bool scan_fitted(brink_along_space *space, size_t guard, const brink_path *path, double from,
                        double to, int sign, brink_course *course) {
  brink_along along;
  double at = from, width = to - from;
  while (at < to) {
    if (!brink_along_fit(space, guard, path, at, fmin(width, to - at), BRINK_ALONG_PART, &along))
      return false;
    double end = at + along.width;
    scan(space, &along, at, fmin(end, to), sign, course);
    at = end;
    width = 2.0 * along.width;
    if (at < to) see(course, sign * brink_along_value(space, guard, path, at));
  }
  return true;
}

/* Its polynomial, if that is the guard. A kept path has no appended states. */
static bool build_exact(brink_along_space *space, size_t guard, const brink_path *path,
                        brink_along *along) {
  if (space->eval->column[guard] != BRINK_NONE) return false;
  double g0 = brink_along_value(space, guard, path, 0.0);
  return brink_along_build(space, guard, path, g0, along) && along->exact;
}

bool brink_closest_course(brink_along_space *space, size_t guard, const brink_path *path,
                          double from, double to, int sign, brink_course *course) {
  *course = (brink_course){0};
  course->first = sign * brink_along_value(space, guard, path, from);
  course->last = sign * brink_along_value(space, guard, path, to);
  if (!isfinite(course->first) || !isfinite(course->last)) return false;
  end_slopes(space, guard, path, from, to, sign, course);
  see(course, course->first);
  brink_along along;
  bool fine = true;
  if (space->eval->model->guards[guard].formula != NULL)
    scan_formula(space, guard, path, from, to, sign, course);
  else if (build_exact(space, guard, path, &along))
    scan(space, &along, from, to, sign, course);
  else
    fine = scan_fitted(space, guard, path, from, to, sign, course);
  see(course, course->last);
  return fine;
}

/* ---- how far past zero ---- */

#define BESIDE 0.01 /* of a path: rates that tell a curvature */
#define SUDDEN 3.0  /* times the curvature at half the way: no parabola */

/* Where a field ends at a surface its curvature grows without bound towards it (h' = -1 - sqrt(h)), and what would be
 * past it is nothing that a polynomial could tell. */
static bool ends_here(const brink_along_space *space, size_t guard, double bend, double halfway) {
  const brink_guard_def *def = &space->eval->model->guards[guard].def;
  return def->side == BRINK_UNILATERAL && fabs(bend) > SUDDEN * fabs(halfway);
}

/* From sigma on, by value, slope and curvature there. */
static double turn(double value, double slope, double bend, double sigma, double *at) {
  if (!(slope * bend < 0.0)) return INFINITY;
  *at = sigma - slope / bend;
  return fabs(value - 0.5 * slope * slope / bend);
}

static double turn_of_polynomial(const double *c, int degree, double sigma, double *at) {
  double slope[BRINK_POLY_MAX_DEGREE + 1], bend[BRINK_POLY_MAX_DEGREE + 1];
  brink_root root;
  if (degree < 2) return INFINITY;
  brink_poly_derivative(c, degree, slope);
  if (sigma < 1.0 && brink_poly_first_root(slope, degree - 1, sigma, 1.0, &root) &&
      root.kind != BRINK_ROOT_TOUCH) {
    *at = root.s;
    return fabs(brink_poly_eval(c, degree, root.s));
  }
  brink_poly_derivative(slope, degree - 1, bend);
  double from = fmax(sigma, 1.0);
  return turn(brink_poly_eval(c, degree, from), brink_poly_eval(slope, degree - 1, from),
              brink_poly_eval(bend, degree - 2, from), from, at);
}

double brink_closest_depth(brink_along_space *space, size_t guard, const brink_path *path,
                           double sigma, double *at) {
  brink_along along;
  *at = NAN;
  if (space->eval->model->guards[guard].formula != NULL || path->terms == 0) return NAN;
  if (build_exact(space, guard, path, &along)) {
    double slope[BRINK_POLY_MAX_DEGREE + 1], bend[BRINK_POLY_MAX_DEGREE + 1];
    int left = along.degree - 2;
    brink_poly_derivative(along.c, along.degree, slope);
    if (left >= 0) brink_poly_derivative(slope, along.degree - 1, bend);
    bool ends = left >= 0 && ends_here(space, guard, brink_poly_eval(bend, left, sigma),
                                       brink_poly_eval(bend, left, 0.5 * sigma));
    return ends ? (double)NAN : turn_of_polynomial(along.c, along.degree, sigma, at);
  }
  double before = rate_at(space, guard, path, sigma - BESIDE);
  double after = rate_at(space, guard, path, sigma + BESIDE);
  double slope = rate_at(space, guard, path, sigma), bend = 0.5 * (after - before) / BESIDE;
  double halfway = 0.5 *
                   (rate_at(space, guard, path, 0.5 * sigma + BESIDE) -
                    rate_at(space, guard, path, 0.5 * sigma - BESIDE)) /
                   BESIDE;
  if (isnan(slope) || isnan(bend) || ends_here(space, guard, bend, halfway)) return NAN;
  return turn(brink_along_value(space, guard, path, sigma), slope, bend, sigma, at);
}
