/* <brink/sweep.h> for cffi; what things mean is said there. */

typedef struct brink_sweep brink_sweep;

typedef struct brink_sweep_option {
  const char *name, *value;
  ...;
} brink_sweep_option;

typedef struct brink_sweep_progress {
  uint64_t done, runs;
  uint64_t kept;
  uint64_t failed;
  ...;
} brink_sweep_progress;

typedef struct brink_sweep_def {
  size_t size;
  const brink_hsml_def *model;
  const char *const *sets;
  size_t nsets;
  const char *inputs;
  bool inputs_hold;
  const brink_sweep_option *options;
  size_t noptions;
  bool interpret;
  const char *const *vary;
  size_t nvary;
  const char *design;
  uint64_t samples;
  uint64_t seed;
  bool indices;
  const char *const *measures;
  size_t nmeasures;
  const char *out;
  bool resume;
  const char *keep;
  bool keep_table;
  size_t jobs;
  double limit;
  int (*progress)(const brink_sweep_progress *progress, void *user);
  void *user;
  bool keep_reports;
  bool report;
  const char *command;
  const char *const *run_words;
  size_t nrun_words;
  size_t share, shares;
  size_t join;
  const char *keep_format;
  size_t lanes;
  ...;
} brink_sweep_def;

void brink_sweep_defaults(brink_sweep_def *def, size_t size);

brink_sweep_def brink_default_sweep(void);

brink_status brink_sweep_create(const brink_sweep_def *def, brink_diag *diag, brink_sweep **sweep);
void brink_sweep_destroy(brink_sweep *sweep);

uint64_t brink_sweep_runs(const brink_sweep *sweep);

brink_status brink_sweep_run(brink_sweep *sweep, brink_diag *diag);

void brink_sweep_cancel(brink_sweep *sweep);

brink_sweep_progress brink_sweep_result(const brink_sweep *sweep);

typedef enum brink_sweep_role {
  BRINK_SWEEP_RUN,
  BRINK_SWEEP_KNOB,
  BRINK_SWEEP_STATUS,
  BRINK_SWEEP_REASON,
  BRINK_SWEEP_MESSAGE,
  BRINK_SWEEP_END,
  BRINK_SWEEP_COUNT,
  BRINK_SWEEP_FIRST,
  BRINK_SWEEP_LAST,
  BRINK_SWEEP_MEASURE,
} brink_sweep_role;

typedef struct brink_sweep_column {
  const char *name;
  brink_sweep_role role;
  bool text;
  ...;
} brink_sweep_column;

typedef struct brink_sweep_table {
  uint64_t rows;
  size_t ncolumns;
  const brink_sweep_column *columns;
  const double *values;
  const char *const *texts;
  size_t ntexts;
  ...;
} brink_sweep_table;

size_t brink_sweep_lanes(const brink_sweep *sweep, const char **why);
brink_status brink_sweep_get_table(const brink_sweep *sweep, brink_sweep_table *table,
                                   brink_diag *diag);

brink_status brink_sweep_write_report(brink_sweep *sweep, const char *path, brink_diag *diag);

typedef struct brink_sweep_index {
  const char *measure, *knob;
  double first, first_lo, first_hi;
  double total, total_lo, total_hi;
  uint64_t samples;
  ...;
} brink_sweep_index;

brink_status brink_sweep_get_indices(brink_sweep *sweep, const brink_sweep_index **indices,
                                     size_t *count, brink_diag *diag);
