/* fit_parts.h: a fit, inside. The public side is <brink/fit.h>.
 *
 *   fit.c           making it: knobs, their bounds
 *   data.c          what was measured; data_csv.c: from files
 *   evaluate.c      one run: residuals, and their derivatives by the knobs
 *   design.c        the best outcome under conditions, instead of data
 *   solve.c         the way to the best knobs: starts, Levenberg-Marquardt, the search
 *   statistics.c    intervals, correlations, what a reader should know; distribution.c: quantiles
 *   json.c          the result as JSON; page.c: as a page
 *   optimisers.c    CMINPACK and NLopt (optimisers.h) */
#ifndef BRINK_FIT_FIT_PARTS_H
#define BRINK_FIT_FIT_PARTS_H

#include "fit/optimisers.h"
#include "run/hsml.h"
#include "sweep/measure.h"
#include <brink/fit.h>

enum {
  BRINK_FIT_SCREENED = 10,    /* points are looked at for each start but the first */
  BRINK_FIT_STEPS = 10000000, /* a run of more steps is one that hangs */
};

/* A quantity or a flag that was measured. */
typedef struct brink_measured {
  const char *name;
  bool event;
  double sigma; /* of data that have none of their own; NaN: not given */
  size_t ndata; /* rows of a flag */
} brink_measured;

typedef struct brink_datum {
  size_t of;         /* which brink_measured */
  size_t occurrence; /* of an event, from 0 */
  size_t stop;       /* of a curve: which of the times */
  double t, y;       /* of an event both are its time */
  double given;      /* its own standard deviation; NaN: none */
  double sigma;      /* the one that counts */
} brink_datum;

/* A default of brink_fit_set_sigma for a name that nothing was measured of yet. */
typedef struct brink_sigma {
  const char *name;
  double sigma;
} brink_sigma;

/* left <= right is wanted, or left >= right; both are measures. */
typedef struct brink_wanted {
  const char *text;
  bool at_least;
} brink_wanted;

/* What one run gives. */
typedef struct brink_fit_point {
  double *z;        /* the knobs */
  double *model;    /* m values and times */
  double *r;        /* m residuals, weighted */
  double *jacobian; /* dr/dz, m rows of n; valid if has_jacobian */
  bool *absent;     /* m: the run does not have this event */
  double sum;
  bool usable;       /* the run got as far as it should */
  bool has_jacobian; /* and every derivative is a number */
  unsigned limits;   /* BRINK_SENSITIVITY_… */
  uint64_t order;    /* of the events: equal numbers, equal flags in equal order */
  size_t nevents;
  double end; /* where the run stopped by itself; else infinity */
} brink_fit_point;

struct brink_fit {
  brink_arena arena;
  brink_hsml *model;
  brink_run_options options;
  brink_fit_knob *knobs;
  const char **names; /* of the knobs */
  size_t n;
  double *initial; /* of the model, within the bounds */
  brink_fit_def def;
  brink_optimisers *optimisers;
  bool differentiable;       /* runs have derivatives by all knobs … */
  const char *not_different; /* … or this is why not */

  brink_measured *measured;
  size_t nmeasured, measured_capacity;
  brink_datum *data; /* curves in the order of time, then events */
  size_t ndata, data_capacity;
  brink_sigma *sigmas;
  size_t nsigmas, sigmas_capacity;
  const char **remarks; /* about the files */
  size_t nremarks, remarks_capacity;

  /* Of a design: the objective, then the sides of the conditions. None: data are fitted. */
  brink_measures measures;
  bool maximize;
  const char *objective;
  brink_wanted *wanted;
  size_t nwanted, wanted_capacity;

  /* Of brink_fit_solve. */
  brink_arena solution;
  double *times; /* where runs stop for curves, increasing */
  size_t ntimes;
  double last;      /* the time until which runs go on for events; -infinity: none were measured */
  const char *keep; /* names of the quantities, for brink_run_keep */
  brink_fit_point work; /* of the present run */
  brink_fit_point best; /* of all usable ones of this start */
  size_t runs, derivative_runs, start_runs, start;
  bool cancelled;
  brink_diag failure; /* of the last run that was not usable */
  bool solved;
  brink_fit_result result;
  const char **notes;
  size_t nnotes, notes_capacity;
};

/* data.c */

/* Puts the data in order, and looks whether they can be fitted. */
brink_status brink_fit_arrange(brink_fit *fit, brink_diag *diag);

/* evaluate.c */

/* Room for a point, in fit->solution. */
bool brink_fit_point_make(brink_fit *fit, brink_fit_point *point);
void brink_fit_point_copy(const brink_fit *fit, brink_fit_point *to, const brink_fit_point *from);
/* The run with knobs z. A run that fails is a point that is not usable, and fit->failure says why. Statuses: OK; MEMORY. */
brink_status brink_fit_evaluate(brink_fit *fit, const double *z, bool derivatives,
                                brink_fit_point *point, brink_diag *diag);
/* The Jacobian of a usable point by central differences of runs. *done: there is one. */
brink_status brink_fit_difference(brink_fit *fit, brink_fit_point *point, bool *done,
                                  brink_diag *diag);
/* Calls progress; false: it wants to stop. */
bool brink_fit_tell(brink_fit *fit, double best);

/* Knobs as shares of their bounds, 0 … 1, and back; dz/dw. */
double brink_fit_share(const brink_fit_knob *knob, double z);
double brink_fit_unshare(const brink_fit_knob *knob, double w);
double brink_fit_share_slope(const brink_fit_knob *knob, double w);

/* solve.c: point k of the sequence that fills the box of the bounds evenly, from 1 on; 0: its middle. */
void brink_fit_fill_box(const brink_fit *fit, size_t k, double *z);
/* The run with knobs z is going to be made. */
brink_status brink_fit_set_knobs(brink_fit *fit, const double *z, brink_diag *diag);

/* design.c: brink_fit_solve of a design. */
brink_status brink_fit_design(brink_fit *fit, brink_diag *diag);

/* statistics.c */

/* What the search leaves undone: the length of the Gauss-Newton step from a point with a Jacobian, in standard errors. Knobs
 * that are `fixed` do not move. */
double brink_fit_remaining(const brink_fit *fit, const brink_fit_point *point, const bool *fixed);
/* Fills values, intervals, correlations and notes of the result. */
bool brink_fit_judge(brink_fit *fit, const brink_fit_point *point, const bool *fixed);
bool brink_fit_has_effect(const brink_fit *fit, const brink_fit_point *point, size_t k);

/* fit.c: a sentence for the reader. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void brink_fit_note(brink_fit *fit, const char *format, ...);

/* distribution.c */
double brink_student_quantile(double p, double freedom); /* freedom infinite: the normal one */
double brink_chi_square_above(double x, double freedom); /* probability of more than x */

#endif
