/* fits.h: six models, knobs whose true values are known, and what is measured of them with noise: for tests and tables of
 * fitting. Two have resets, one slides, one has a sampled controller, one switches modes, one ends at an edge. */
#ifndef BRINK_PROBLEMS_FITS_H
#define BRINK_PROBLEMS_FITS_H

#include <brink/fit.h>

enum { FIT_KNOBS = 3, FIT_POINTS = 64 };

typedef struct fit_case {
  const char *name;
  const char *kind; /* "resets", "sliding", … */
  const char *text; /* the model */
  size_t nknobs;
  brink_fit_knob knobs[FIT_KNOBS];
  double truth[FIT_KNOBS];
  const char *curve; /* NULL: none is measured */
  double first, apart, curve_sigma;
  size_t npoints;
  const char *flag; /* NULL: no times are measured */
  double flag_sigma;
  size_t nevents;
} fit_case;

/* What is measured of a case. */
typedef struct fit_data {
  double t[FIT_POINTS], y[FIT_POINTS]; /* of the curve */
  double times[FIT_POINTS];            /* of the flag */
} fit_data;

extern const fit_case fit_cases[];
extern const size_t fit_ncases;

/* What the model gives with its true knobs, at a tolerance of 1e-11. False: the run failed. */
bool fit_case_exact(const fit_case *c, fit_data *data);
/* The same with normally distributed noise, which follows from the seed. */
void fit_case_disturb(const fit_case *c, const fit_data *exact, uint64_t seed, fit_data *data);
/* A fit of these data, to be solved. `known`: the standard deviations are given (else only one kind of data may be measured).
 * Destroy both in any case. */
brink_status fit_case_make(const fit_case *c, const fit_data *data, bool known,
                           brink_fit_method method, size_t starts, brink_hsml **model,
                           brink_fit **fit, brink_diag *diag);

#endif
