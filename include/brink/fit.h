/* fit.h: knobs with which a model meets what was measured.
 *
 *     brink_fit_knob knobs[] = {{.name = "k", .lo = 0.1, .hi = 10}, {.name = "ball.h", .lo = 0.5, .hi = 2}};
 *     brink_fit_def def = brink_default_fit();
 *     def.model = model;
 *     def.knobs = knobs;
 *     def.nknobs = 2;
 *     brink_fit_create(&def, &diag, &fit);
 *     brink_fit_read_curves(fit, "measured.csv", &diag);
 *     brink_fit_read_events(fit, "bounces.csv", &diag);
 *     brink_fit_solve(fit, &diag);
 *     result = brink_fit_get(fit);
 *     brink_fit_destroy(fit);
 *
 * Minimised is the sum of the squares of (measured - model) / sigma over all cells of curves and all times of events. Its
 * derivatives by the knobs are those of the run, through events (<brink/sensitivity.h>). Where there are none, a search
 * without derivatives goes on, and the result says so. docs/fit.md has the method, and what the intervals mean.
 *
 * It takes two libraries, which are loaded when they are needed: CMINPACK (Levenberg-Marquardt) and NLopt. Without them,
 * brink_fit_create returns UNSUPPORTED.
 *
 * Instead of data a fit may have an objective, an outcome of the run that is made as small or as large as possible, and
 * conditions that must hold: a design (brink_fit_set_objective).
 *
 * A fit belongs to one thread at a time, and so does its model, on which it sets values. Runs are made in threads that it starts
 * (`jobs`). It uses the allocator of malloc. */
#ifndef BRINK_FIT_H
#define BRINK_FIT_H

#include <brink/record.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct brink_fit brink_fit;

/* What is looked for: a parameter, an input with a value of its own or, by the name of a state, an initial value. */
typedef struct brink_fit_knob {
  const char *name;
  double lo, hi; /* finite, lo < hi; it stays between them */
  bool log;      /* looked for in its logarithm; 0 < lo */
} brink_fit_knob;

typedef enum brink_fit_method {
  BRINK_FIT_AUTO,        /* derivatives; where there are none, without */
  BRINK_FIT_DERIVATIVES, /* Levenberg-Marquardt alone; of a design SLSQP */
  BRINK_FIT_SEARCH,      /* the search alone */
} brink_fit_method;

/* How far it is. */
typedef struct brink_fit_progress {
  size_t start, nstarts; /* starts that have come to their end; all */
  size_t runs;           /* so far, of this process */
  double best; /* sum of squares or, of a design, the objective; NaN: no run so far could be used */
} brink_fit_progress;

/* brink_default_fit() fills in the defaults given here. */
typedef struct brink_fit_def {
  size_t size;
  brink_hsml *model;                /* outlives the fit */
  const brink_run_options *options; /* copied; NULL: brink_hsml_options */
  const brink_fit_knob *knobs;      /* copied */
  size_t nknobs;
  brink_fit_method method; /* BRINK_FIT_AUTO */
  /* 5: the values of the model, then the best of ten times as many points that fill the box of the bounds evenly. */
  size_t starts;
  size_t max_runs;   /* for each start; 1000 */
  double confidence; /* of the intervals, 0 < confidence < 1; 0.95 */
  /* NULL; else called by brink_fit_solve, in its thread, about a hundred times a second. Returns 0 to go on, anything else to
   * stop: runs that are under way end at once, and the best so far is the result. */
  int (*progress)(const brink_fit_progress *progress, void *user);
  void *user;
  size_t
      jobs; /* threads that make runs; 0: as many as there are cores. The result does not depend on it. 1 */
} brink_fit_def;

BRINK_API void brink_fit_defaults(brink_fit_def *def, size_t size);

static inline brink_fit_def brink_default_fit(void) {
  brink_fit_def def;
  brink_fit_defaults(&def, sizeof def);
  return def;
}

/* Statuses: OK; ARGUMENT: a knob is not there, is no number, or has impossible bounds; UNSUPPORTED: a library is missing,
 * or time runs backwards; MEMORY; those of brink_hsml_build. */
BRINK_API brink_status brink_fit_create(const brink_fit_def *def, brink_diag *diag,
                                        brink_fit **fit);
BRINK_API void brink_fit_destroy(brink_fit *fit); /* NULL is fine */

/* ------------------------------------------------------------------------------- the data ----- */

/* Measured values of a real quantity of the model, state or computed: y[k] at t[k] (in any order; NaN: missing). sigma:
 * standard deviations, `n` of them; NULL, or NaN: not given. Copied. Statuses: OK, ARGUMENT, MEMORY. */
BRINK_API brink_status brink_fit_add_curve(brink_fit *fit, const char *name, const double *t,
                                           const double *y, const double *sigma, size_t n,
                                           brink_diag *diag);
/* The times of the first n events of a flag ("ball.bounce"). The k-th event of the run belongs to the k-th smallest time.
 * If the run has fewer, those that are missing count as if they came at its end. */
BRINK_API brink_status brink_fit_add_events(brink_fit *fit, const char *flag, const double *t,
                                            const double *sigma, size_t n, brink_diag *diag);
/* The same from CSV files (docs/fit.md). Curves: a column of time, columns named like quantities, "h.sigma" beside
 * "h"; cells may be empty. Events: columns flag, time and, if known, sigma. FILE: the message says what is wrong, and
 * where. */
BRINK_API brink_status brink_fit_read_curves(brink_fit *fit, const char *path, brink_diag *diag);
BRINK_API brink_status brink_fit_read_events(brink_fit *fit, const char *path, brink_diag *diag);
/* The standard deviation of all values of a quantity, or times of a flag, that have none of their own. Before or after
 * they are added. */
BRINK_API brink_status brink_fit_set_sigma(brink_fit *fit, const char *name, double sigma,
                                           brink_diag *diag);

/* -------------------------------------------------------------------------------- designs ----- */

/* What is to be as small or, with `maximize`, as large as possible: an expression of what a run gives, "max(plant.h)",
 * "last(empty) - first(full)", "mean(u^2)" (docs/fit.md, docs/sweep.md). Statuses: OK; ARGUMENT: the message says where it is
 * wrong; MEMORY. */
BRINK_API brink_status brink_fit_set_objective(brink_fit *fit, const char *expression,
                                               bool maximize, brink_diag *diag);
/* What must hold: two such expressions with <= or >= between them, "max(plant.h) <= 2". */
BRINK_API brink_status brink_fit_add_condition(brink_fit *fit, const char *condition,
                                               brink_diag *diag);

/* ------------------------------------------------------------------------------ the result ---- */

typedef struct brink_fit_condition {
  const char *text;
  double left, right; /* its sides, at the result */
  bool holds;         /* to a part in a million of the sides */
} brink_fit_condition;

typedef struct brink_fit_value {
  const char *name;
  double value;
  double standard_error; /* NaN: none (see at_bound and undetermined) */
  double lo, hi;         /* the confidence interval; NaN */
  bool at_bound;         /* it would leave its bounds if it could */
  bool undetermined;     /* the data do not say what it is */
} brink_fit_value;

typedef struct brink_fit_residual {
  const char *name;       /* of the quantity or the flag */
  bool event;             /* the time of an event */
  size_t occurrence;      /* of the event, from 1 */
  double t;               /* when it was measured; of an event: that time */
  double measured, model; /* values, or times */
  double sigma;           /* 1 where none is known */
  double residual;        /* (measured - model) / sigma */
  bool missing;           /* an event that the run does not have: `model` is where it ends */
} brink_fit_residual;

typedef struct brink_fit_start {
  const double *values; /* of the knobs, at the start … */
  const double *found;  /* … and at its end */
  double sum;           /* there; NaN: no run from here could be used */
  size_t runs;
  bool converged;
} brink_fit_start;

typedef struct brink_fit_result {
  size_t nknobs;
  const brink_fit_value *values;
  const double *correlation; /* nknobs × nknobs; NaN where a knob has no standard error */
  const double *covariance;  /* likewise */
  double sum;                /* of squares, weighted */
  size_t ndata, freedom;     /* cells and times; less the knobs that were determined */
  bool sigma_known;          /* for every datum; else estimated from the residuals */
  double scale; /* sqrt(sum / freedom): 1, if sigma is known and right; else the estimate of it */
  double probability; /* sigma known: of a sum at least as large by chance (chi square); else NaN */
  double confidence;
  size_t nresiduals;
  const brink_fit_residual *residuals;
  bool converged; /* no better knobs nearby */
  /* What found it: "Levenberg-Marquardt", "subplex", "subplex, then Levenberg-Marquardt"; of a design "SLSQP", "COBYLA",
   * "subplex", "SLSQP, then …"; "screening": it was stopped before the first start. */
  const char *method;
  bool
      derivatives; /* of the run exist at the result; else intervals are by differences. Of a design: it was found by them */
  size_t runs, derivative_runs; /* in all; of these with derivatives */
  size_t nstarts;
  const brink_fit_start *starts; /* as they were made; the best is [best] */
  size_t best;
  size_t nnotes;
  const char *const *notes; /* what a reader should know: sentences */
  /* Of a design; it has no data, and values have no intervals. `sum` of its starts is the objective. */
  const char *objective;    /* NULL: this is a fit to data */
  double outcome;           /* its value */
  bool maximized, feasible; /* all conditions hold */
  size_t nconditions;
  const brink_fit_condition *conditions;
} brink_fit_result;

/* Finds the knobs; the values of the model are then those found. Statuses: OK: there is a result, whether or not it
 * converged; CANCELLED: `progress` stopped it, and there is a result if a run could be used; ARGUMENT: no data, too few of
 * them, sigma is given for some and not for others, data and an objective, or conditions without one; UNSUPPORTED: derivatives are
 * wanted, and there are none; MEMORY; if no start gives a run, the failure of the first. */
BRINK_API brink_status brink_fit_solve(brink_fit *fit, brink_diag *diag);
/* NULL: there is none yet. Lives until the fit is solved again or destroyed. */
BRINK_API const brink_fit_result *brink_fit_get(const brink_fit *fit);
/* One JSON object (docs/fit.md). Free it with brink_bytes_free. */
BRINK_API brink_status brink_fit_json(const brink_fit *fit, brink_bytes *json, brink_diag *diag);
/* One page for a browser: knobs, correlations, curves with what was measured, residuals over time; of a design knobs, conditions,
 * starts, and what its expressions are of over time. Makes a run for each curve. ARGUMENT: there is no result; MEMORY. */
BRINK_API brink_status brink_fit_report(brink_fit *fit, brink_bytes *page, brink_diag *diag);

#ifdef __cplusplus
}
#endif

#endif
