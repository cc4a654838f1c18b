/* <brink/fit.h> for cffi; what things mean is said there. */

typedef struct brink_fit brink_fit;
typedef struct brink_fit_knob {
  const char *name;
  double lo, hi;
  bool log;
  ...;
} brink_fit_knob;

typedef enum brink_fit_method {
  BRINK_FIT_AUTO, BRINK_FIT_DERIVATIVES, BRINK_FIT_SEARCH,
} brink_fit_method;

typedef struct brink_fit_progress {
  size_t start, nstarts;
  size_t runs;
  double best;
  ...;
} brink_fit_progress;

typedef struct brink_fit_def {
  size_t size;
  brink_hsml *model;
  const brink_run_options *options;
  const brink_fit_knob *knobs;
  size_t nknobs;
  brink_fit_method method;
  size_t starts;
  size_t max_runs;
  double confidence;
  int (*progress)(const brink_fit_progress *progress, void *user);
  void *user;
  size_t jobs;
  ...;
} brink_fit_def;

void brink_fit_defaults(brink_fit_def *def, size_t size);
brink_fit_def brink_default_fit(void);
brink_status brink_fit_create(const brink_fit_def *def, brink_diag *diag, brink_fit **fit);
void brink_fit_destroy(brink_fit *fit);
brink_status brink_fit_add_curve(brink_fit *fit, const char *name, const double *t,
    const double *y, const double *sigma, size_t n, brink_diag *diag);
brink_status brink_fit_add_events(brink_fit *fit, const char *flag, const double *t,
    const double *sigma, size_t n, brink_diag *diag);
brink_status brink_fit_read_curves(brink_fit *fit, const char *path, brink_diag *diag);
brink_status brink_fit_read_events(brink_fit *fit, const char *path, brink_diag *diag);
brink_status brink_fit_set_sigma(brink_fit *fit, const char *name, double sigma, brink_diag *diag);
brink_status brink_fit_set_objective(brink_fit *fit, const char *expression, bool maximize,
    brink_diag *diag);
brink_status brink_fit_add_condition(brink_fit *fit, const char *condition, brink_diag *diag);
typedef struct brink_fit_condition {
  const char *text;
  double left, right;
  bool holds;
  ...;
} brink_fit_condition;

typedef struct brink_fit_value {
  const char *name;
  double value;
  double standard_error;
  double lo, hi;
  bool at_bound;
  bool undetermined;
  ...;
} brink_fit_value;

typedef struct brink_fit_residual {
  const char *name;
  bool event;
  size_t occurrence;
  double t;
  double measured, model;
  double sigma;
  double residual;
  bool missing;
  ...;
} brink_fit_residual;

typedef struct brink_fit_start {
  const double *values;
  const double *found;
  double sum;
  size_t runs;
  bool converged;
  ...;
} brink_fit_start;

typedef struct brink_fit_result {
  size_t nknobs;
  const brink_fit_value *values;
  const double *correlation;
  const double *covariance;
  double sum;
  size_t ndata, freedom;
  bool sigma_known;
  double scale;
  double probability;
  double confidence;
  size_t nresiduals;
  const brink_fit_residual *residuals;
  bool converged;
  const char *method;
  bool derivatives;
  size_t runs, derivative_runs;
  size_t nstarts;
  const brink_fit_start *starts;
  size_t best;
  size_t nnotes;
  const char *const *notes;
  const char *objective;
  double outcome;
  bool maximized, feasible;
  size_t nconditions;
  const brink_fit_condition *conditions;
  ...;
} brink_fit_result;

brink_status brink_fit_solve(brink_fit *fit, brink_diag *diag);
const brink_fit_result *brink_fit_get(const brink_fit *fit);
brink_status brink_fit_json(const brink_fit *fit, brink_bytes *json, brink_diag *diag);
brink_status brink_fit_report(brink_fit *fit, brink_bytes *page, brink_diag *diag);
