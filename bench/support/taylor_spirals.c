/* taylor_spirals.c: two cars on logarithmic spirals that hit, graze or miss each other.
 *
 * Car i leaves radius r_i about its centre with speed v_i, and keeps the angle psi_i between radius and
 * heading. With a speed proportional to the radius,
 *
 *   z = c + r exp((a + i w) t + i phi),   a + i w = (v/r) exp(i psi),
 *
 * and with a steady one
 *
 *   z = c + s exp(i phi + i tan(psi) log(s/r)),   s = r + v cos(psi) t.
 *
 * Centres are 0 and d. Problem: d and the angle phi_1 such that the cars first touch at t = 9.66; and
 * d for which they come within 1e-3 of just touching, from both sides. Method: car 2 starts at angle 0;
 * phi_1 puts car 1 at t = 9.66 below car 2 by 0.8 R; the touch then fixes d. A smaller d moves car 1's
 * path past car 2 sideways, and bisection finds the closest approach that is wanted. */
#include <complex.h>
#include <math.h>

#include "support/taylor_models.h"
#include "support/taylor_problem.h"

#define PI 3.14159265358979323846264338327950288L
#define TOUCH 9.66L
#define R 0.2L

typedef struct car {
  long double r, v, psi, phi;
} car;

typedef struct pair {
  bool steady;
  car cars[2];
  long double d;
} pair;

/* Position relative to the centre, and velocity. */
static long double complex locate(const car *c, bool steady, long double t,
                                  long double complex *velocity) {
  long double complex z;
  if (steady) {
    long double s = c->r + c->v * cosl(c->psi) * t;
    z = s * cexpl(I * (c->phi + tanl(c->psi) * logl(s / c->r)));
    *velocity = c->v * z / s * cexpl(I * c->psi);
  } else {
    long double complex rate = c->v / c->r * cexpl(I * c->psi);
    z = c->r * cexpl(rate * t + I * c->phi);
    *velocity = rate * z;
  }
  return z;
}

/* The distance, and half the derivative of its square. */
static long double distance(const pair *p, long double t, long double *closing) {
  long double complex v1, v2;
  long double complex z = locate(&p->cars[0], p->steady, t, &v1) - p->d;
  z -= locate(&p->cars[1], p->steady, t, &v2);
  *closing = creall(z) * creall(v1 - v2) + cimagl(z) * cimagl(v1 - v2);
  return cabsl(z);
}

/* How long a car needs at most for a way of 5 R: around the touch there is one closest approach. */
static long double window(const pair *p) {
  long double complex v;
  locate(&p->cars[0], p->steady, TOUCH, &v);
  return 5 * R / cabsl(v);
}

static long double closest(const pair *p, long double *when) {
  long double a = TOUCH - window(p), b = TOUCH + window(p), closing;
  for (int k = 0; k < 100; k++) {
    long double m = a + (b - a) / 2;
    distance(p, m, &closing);
    if (closing < 0)
      a = m;
    else
      b = m;
  }
  *when = a;
  return distance(p, a, &closing);
}

static double first_touch(const pair *p) {
  long double b, closing;
  if (closest(p, &b) > R) return (double)NAN;
  long double a = TOUCH - window(p);
  for (int k = 0; k < 100; k++) {
    long double m = a + (b - a) / 2;
    if (distance(p, m, &closing) > R)
      a = m;
    else
      b = m;
  }
  return (double)a;
}

/* The distance of the centres, below d, at which the closest approach is this. */
static double centres_for(const pair *p, long double wanted) {
  pair q = *p;
  long double near = p->d, far = p->d - 2 * R, when;
  for (int k = 0; k < 100; k++) {
    q.d = near + (far - near) / 2;
    if (closest(&q, &when) < wanted)
      near = q.d;
    else
      far = q.d;
  }
  return (double)near;
}

static pair make_pair(bool steady) {
  pair p = {.steady = steady,
            .cars = {{.r = 1, .v = 5, .psi = 85 * PI / 180},
                     {.r = 0.5L, .v = 0.25L, .psi = 80 * PI / 180}}};
  long double complex v;
  long double complex z1 = locate(&p.cars[0], steady, TOUCH, &v);
  long double complex z2 = locate(&p.cars[1], steady, TOUCH, &v);
  long double height = cimagl(z2) - 0.8L * R;
  p.cars[0].phi = remainderl(asinl(height / cabsl(z1)) - cargl(z1), 2 * PI);
  z1 = locate(&p.cars[0], steady, TOUCH, &v);
  p.d = creall(z1 - z2) - 0.6L * R;
  return p;
}

static taylor_case make_case(pair p, double d) {
  taylor_case c = {.p = {0}};
  p.d = d;
  for (int k = 0; k < 2; k++) {
    const car *a = &p.cars[k];
    long double speed = p.steady ? a->v : a->v / a->r;
    c.x[3 * k] = (double)((k == 0 ? 0.0L : p.d) + a->r * cosl(a->phi));
    c.x[3 * k + 1] = (double)(a->r * sinl(a->phi));
    c.x[3 * k + 2] = (double)(a->phi + a->psi);
    c.p[2 * k] = (double)speed;
    c.p[2 * k + 1] = (double)(speed * sinl(a->psi));
  }
  c.p[4] = d;
  c.event = first_touch(&p);
  return c;
}

taylor_problem taylor_spirals(bool steady, taylor_case *cases) {
  static const char *const proportional[] = {"k1", "w1", "k2", "w2", "d"};
  static const char *const constant[] = {"v1", "s1", "v2", "s2", "d"};
  pair p = make_pair(steady);
  cases[0] = make_case(p, (double)p.d);
  cases[1] = make_case(p, centres_for(&p, R - 1e-3L));
  cases[2] = make_case(p, centres_for(&p, R + 1e-3L));
  return (taylor_problem){.name = steady ? "spirals-steady" : "spirals",
                          .kind = steady ? TAYLOR_SPIRALS_STEADY : TAYLOR_SPIRALS,
                          .model = steady ? taylor_spirals_steady_model : taylor_spirals_model,
                          .parameters = steady ? constant : proportional,
                          .nparameters = 5,
                          .starts = true,
                          .nx = 6,
                          .t_end = 10,
                          .goal_coarse = (double)NAN,
                          .goal_fine = 0.03,
                          .ncases = 3,
                          .cases = cases};
}
