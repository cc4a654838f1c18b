/* contact.h: the guard of two discs as a series, for every scene that has some. */
#ifndef BRINK_BENCH_CONTACT_H
#define BRINK_BENCH_CONTACT_H

#include <brink/jet.h>

/* (x2 - x1)^2 + (y2 - y1)^2 - reach^2, where on = {x1, y1, x2, y2} names the states. */
static inline void bench_contact(int order, const double *const *x, const size_t on[4],
                                 double reach, double *g) {
  double u[BRINK_JET_MAX_ORDER + 1], v[BRINK_JET_MAX_ORDER + 1];
  brink_jet_sub(order, x[on[2]], x[on[0]], u);
  brink_jet_sub(order, x[on[3]], x[on[1]], v);
  brink_jet_square(order, u, u);
  brink_jet_square(order, v, g);
  brink_jet_add(order, u, g, g);
  g[0] -= reach * reach;
}

#endif
