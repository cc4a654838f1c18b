/* mean.c: the integral of an expression over one step. See probe.h.
 *
 * Method: Gauss-Kronrod quadrature with 7 and 15 points (R. Piessens et al., QUADPACK, 1983) along the dense output; a step
 * in which the two differ is halved. Polynomials up to degree 22 are exact: with 15 points, most steps are not halved. */
#include <math.h>

#include "sweep/probe.h"

/* Nodes of the rule with 15 points, from the outermost; every second is one of the rule with 7. QUADPACK, QK15. */
static const double node[8] = {
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.586087235467691130294144691693829, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.0};
static const double kronrod[8] = {
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
static const double gauss[4] = {
    0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
    0.381830050505118944950369775488975, 0.417959183673469387755102040816327};

/* Relative; far below what the simulation itself is asked for. */
#define TOLERANCE 1e-11
enum { DEPTH = 12 };

typedef struct piece {
  brink_probe *probe;
  const brink_term *term;
  double t0; /* of the step */
} piece;

static double integrate(const piece *p, double a, double b, int depth) {
  double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  double at = brink_probe_at(p->probe, p->term, middle, p->t0);
  double fine = kronrod[7] * at, coarse = gauss[3] * at, size = kronrod[7] * fabs(at);
  for (size_t k = 0; k < 7; k++) {
    double left = brink_probe_at(p->probe, p->term, middle - half * node[k], p->t0);
    double right = brink_probe_at(p->probe, p->term, middle + half * node[k], p->t0);
    fine += kronrod[k] * (left + right);
    size += kronrod[k] * (fabs(left) + fabs(right));
    if (k % 2 == 1) coarse += gauss[k / 2] * (left + right);
  }
  if (depth == 0 || !(fabs(fine - coarse) > TOLERANCE * size)) return half * fine;
  return integrate(p, a, middle, depth - 1) + integrate(p, middle, b, depth - 1);
}

void brink_probe_integrate(brink_probe *probe, const brink_gauge *gauge, brink_gauge_state *state,
                           double t0, double t1) {
  piece p = {.probe = probe, .term = gauge->inner, .t0 = t0};
  /* Neumaier's sum: there may be millions of steps. */
  double part = integrate(&p, t0, t1, DEPTH), sum = state->sum + part;
  state->correction +=
      fabs(state->sum) >= fabs(part) ? (state->sum - sum) + part : (part - sum) + state->sum;
  state->sum = sum;
}
