#include "run/run.h"
brink_status brink_agents_clone(const brink_agents *f, const brink_agents_def *def,
                                const brink_allocator *a, brink_diag *d, brink_agents **to) {
  (void)f;
  (void)def;
  (void)a;
  (void)d;
  (void)to;
  return BRINK_ERR_UNSUPPORTED;
}
brink_status brink_agents_reset(brink_agents *a, const brink_population_def *p, brink_diag *d) {
  (void)a;
  (void)p;
  (void)d;
  return BRINK_ERR_UNSUPPORTED;
}
brink_status brink_agents_write(brink_agents *agents, size_t population, size_t agent,
                                const double *x, const double *p, const int *mode,
                                brink_diag *diag) {
  (void)agents;
  (void)population;
  (void)agent;
  (void)x;
  (void)p;
  (void)mode;
  (void)diag;
  return BRINK_ERR_UNSUPPORTED;
}
