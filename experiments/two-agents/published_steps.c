/* published_steps.c: the step selection of the published algorithm: eqs. 16, 17 and 20 of Esposito, Kumar &
 * Pappas (2001). The head of published.c states the method, what was corrected, and how it fails. */
#include "experiments/two-agents/published_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the extrapolation polynomial, eq. 17 ---- */

/* Polynomials in u, h^1 = u*unit. */
typedef struct pair_polynomial {
  double unit;
  int degree;
  double c[BRINK_POLY_MAX_DEGREE + 1];
} pair_polynomial;

/* c(a + b u) as a polynomial in u, in place: Horner's rule on polynomials. */
static void substitute(double *c, int degree, double a, double b) {
  for (int i = 0; i < degree; i++)
    for (int j = degree - 1; j >= i; j--) c[j] += a * c[j + 1];
  double power = 1.0;
  for (int j = 1; j <= degree; j++) c[j] *= power *= b;
}

/* Adds sum_k w[k]*(change of state index[k]) along an agent's predictor, for the step delay + unit*u. */
static void add_increment(const brink_stepper *st, const size_t *index, const double *w,
                          size_t count, double delay, double unit, double *sum) {
  const brink_path *path = &st->predictor;
  double c[BRINK_PATH_DEGREE + 1];
  brink_path_combine(path, index, w, count, c);
  substitute(c, path->degree, delay / path->h, unit / path->h);
  for (int j = 0; j <= path->degree; j++) sum[j] += c[j];
}

/* Which side of the guard an agent is on. */
static int side_of(const brink_published_guard *guard, size_t agent) {
  return guard->agent[0] == agent ? 0 : 1;
}

/* |x^1 + p^1 - x^2 - p^2|^2 - (R - gamma g_k)^2 */
static void distance_polynomial(const brink_published *pub, const brink_published_guard *guard,
                                const brink_suggestion *s, double delay, double g_k,
                                pair_polynomial *p) {
  const brink_stepper *lead = &pub->members[s->leader].stepper;
  const brink_stepper *lag = &pub->members[s->laggard].stepper;
  int degree = lead->predictor.degree > lag->predictor.degree ? lead->predictor.degree
                                                              : lag->predictor.degree;
  const double one = 1.0, minus = -1.0;
  double rho = guard->radius - pub->def.gamma * g_k;
  memset(p->c, 0, sizeof p->c);
  p->degree = 2 * degree;
  for (int d = 0; d < guard->ndimensions; d++) {
    const size_t *i = &guard->position[side_of(guard, s->leader)][d];
    const size_t *j = &guard->position[side_of(guard, s->laggard)][d];
    double c[BRINK_PATH_DEGREE + 1] = {lead->x[*i] - lag->x[*j]};
    add_increment(lead, i, &one, 1, 0.0, p->unit, c);
    add_increment(lag, j, &minus, 1, delay, p->unit, c);
    for (int a = 0; a <= degree; a++)
      for (int b = 0; b <= degree; b++) p->c[a + b] += c[a] * c[b];
  }
  p->c[0] -= rho * rho;
}

/* (1 - gamma) g_k + g_x1.p^1 + g_x2.p^2 */
static void linear_polynomial(brink_published *pub, const brink_published_guard *guard,
                              const brink_suggestion *s, double delay, double g_k,
                              pair_polynomial *p) {
  const brink_stepper *lead = &pub->members[s->leader].stepper;
  const brink_stepper *lag = &pub->members[s->laggard].stepper;
  guard->gradient(pub->members[guard->agent[0]].stepper.x, pub->members[guard->agent[1]].stepper.x,
                  pub->gradient[0], pub->gradient[1], guard->user);
  memset(p->c, 0, sizeof p->c);
  p->degree = lead->predictor.degree > lag->predictor.degree ? lead->predictor.degree
                                                             : lag->predictor.degree;
  add_increment(lead, pub->every_state, pub->gradient[side_of(guard, s->leader)], lead->nx, 0.0,
                p->unit, p->c);
  add_increment(lag, pub->every_state, pub->gradient[side_of(guard, s->laggard)], lag->nx, delay,
                p->unit, p->c);
  p->c[0] += (1.0 - pub->def.gamma) * g_k;
}

/* The step selection of one pair: h^1 from (17), h^2 from (16). */
static void suggest(brink_published *pub, size_t index) {
  const brink_published_guard *guard = &pub->def.guards[index];
  brink_suggestion *s = &pub->suggestions[index];
  size_t a = guard->agent[0], b = guard->agent[1];
  double ahead = pub->members[a].stepper.t - pub->members[b].stepper.t;
  bool first_lags = ahead < 0.0 || (ahead == 0.0 && a < b);
  s->leader = first_lags ? b : a;
  s->laggard = first_lags ? a : b;
  s->h1 = s->h2 = INFINITY;
  const brink_published_member *lead = &pub->members[s->leader], *lag = &pub->members[s->laggard];
  double tau = lag->stepper.t - lead->stepper.t, delay = (pub->def.gamma - 1.0) * tau;

  s->near = pub->def.moves == BRINK_MOVES_EXACTLY ? lag->allowed : lag->allowed - tau;

  /* Beyond this a root limits nothing; in the listing it still limits the leader. */
  double unit = s->near - delay;
  if (pub->def.moves == BRINK_MOVES_ALL) unit = fmax(unit, lead->allowed);
  if (!(unit > 0.0)) return;

  double g_k = brink_published_value(pub, index);
  pair_polynomial p = {.unit = unit};
  if (guard->ndimensions > 0)
    distance_polynomial(pub, guard, s, delay, g_k, &p);
  else
    linear_polynomial(pub, guard, s, delay, g_k, &p);
  brink_root root;
  if (!brink_poly_first_root(p.c, p.degree, 0.0, 1.0, &root)) return;
  s->h1 = root.s * unit;
  s->h2 = s->h1 + delay;
}

/* ---- who moves, and how far ---- */

double brink_published_resolution(const brink_published_member *m) {
  return 4.0 * DBL_EPSILON * fmax(fabs(m->stepper.t), DBL_MIN / DBL_EPSILON);
}

/* Predictors of all, and what limits their steps. */
static void plan(brink_published *pub, double t_end) {
  for (size_t i = 0; i < pub->def.nagents; i++) {
    brink_published_member *m = &pub->members[i];
    double end = fmin(t_end, m->def.alarm), left = end - m->stepper.t;
    /* At its end an agent waits, but the others still have to know where it is going. */
    double limit = m->def.h_max;
    if (isinf(limit)) limit = left > 0.0 ? left : 1.0;
    m->stepper.ops->plan(&m->stepper, limit);
    m->allowed = fmin(m->stepper.h_plan, fmax(left, 0.0));
    m->wanted = INFINITY;
  }
}

/* Everybody, by as much as the pairs and the error control allow (the listing). */
static void move_all(brink_published *pub) {
  for (size_t i = 0; i < pub->def.nagents; i++)
    pub->h[i] = fmin(pub->members[i].allowed, pub->members[i].wanted);
}

size_t brink_published_laggard(const brink_published *pub) {
  size_t laggard = 0;
  for (size_t i = 1; i < pub->def.nagents; i++)
    if (pub->members[i].stepper.t < pub->members[laggard].stepper.t) laggard = i;
  return laggard;
}

/* The laggard; and the leader of the pair that limits it, if their root is near. Returns that pair if both
 * follow (16) and (17) exactly, else BRINK_NONE. */
static size_t move_laggard(brink_published *pub) {
  size_t laggard = brink_published_laggard(pub);
  const brink_published_member *lag = &pub->members[laggard];
  pub->h[laggard] = fmin(lag->allowed, lag->wanted);
  for (size_t k = 0; k < pub->def.nguards; k++) {
    const brink_suggestion *s = &pub->suggestions[k];
    const brink_published_member *lead = &pub->members[s->leader];
    if (s->laggard != laggard || s->h2 > lag->wanted || s->h2 > s->near) continue;
    if (s->h1 > lead->allowed || s->h1 > lead->wanted) continue;
    pub->h[s->leader] = s->h1;
    return s->h2 <= lag->allowed ? k : BRINK_NONE;
  }
  return BRINK_NONE;
}

size_t brink_published_select(brink_published *pub, double t_end) {
  plan(pub, t_end);
  for (size_t k = 0; k < pub->def.nguards; k++) {
    suggest(pub, k);
    const brink_suggestion *s = &pub->suggestions[k];
    brink_published_member *lead = &pub->members[s->leader], *lag = &pub->members[s->laggard];
    lead->wanted = fmin(lead->wanted, s->h1); /* eq. 20 */
    lag->wanted = fmin(lag->wanted, s->h2);
  }
  memset(pub->h, 0, pub->def.nagents * sizeof *pub->h);
  size_t approach = BRINK_NONE;
  if (pub->def.moves == BRINK_MOVES_ALL)
    move_all(pub);
  else
    approach = move_laggard(pub);
  /* At least one agent must advance: the last one, by at least the resolution of its clock. */
  size_t laggard = brink_published_laggard(pub);
  double least = brink_published_resolution(&pub->members[laggard]);
  if (pub->h[laggard] < least) pub->h[laggard] = least;
  return approach;
}
