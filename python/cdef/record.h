/* <brink/record.h> for cffi; what things mean is said there. */

typedef struct brink_bytes {
  char *data;
  size_t length;
  ...;
} brink_bytes;

void brink_bytes_free(brink_bytes *bytes);
brink_status brink_run_record(brink_run *run, const char *path, brink_diag *diag);
brink_status brink_run_record_memory(brink_run *run, const char *format, brink_diag *diag);
brink_status brink_run_recorded(brink_run *run, brink_bytes *bytes, brink_diag *diag);
brink_status brink_run_save(brink_run *run, brink_bytes *bytes, brink_diag *diag);
brink_status brink_run_restore(brink_run *run, const void *data, size_t length, brink_diag *diag);
brink_status brink_run_checkpoint(brink_run *run, const char *path, double every, brink_diag *diag);
brink_status brink_run_resume(brink_run *run, const char *path, brink_diag *diag);
brink_status brink_run_keep(brink_run *run, const char *names, brink_diag *diag);

typedef struct brink_column {
  const char *name;
  const char *kind;
  const char *unit;
  brink_hsml_type type;
  const char *const *labels;
  size_t nlabels;
  ...;
} brink_column;

typedef struct brink_trajectory_event {
  double t;
  size_t flag;
  int64_t row;
  double condition;
  brink_direction direction;
  bool generated;
  size_t agents[2];
  ...;
} brink_trajectory_event;

typedef struct brink_trajectory {
  size_t rows, ncolumns;
  const double *values;
  const brink_column *columns;
  size_t nconstants;
  const brink_column *constants;
  const double *constant_values;
  size_t nevents;
  const brink_trajectory_event *events;
  const char *const *flags;
  size_t nflags;
  const char *const *agents;
  size_t nagents;
  ...;
} brink_trajectory;

brink_status brink_run_keep_trajectory(brink_run *run, brink_diag *diag);
brink_status brink_run_trajectory(brink_run *run, brink_trajectory *trajectory,
    brink_diag *diag);
brink_status brink_run_keep_dense(brink_run *run, brink_diag *diag);
brink_status brink_run_trajectory_at(brink_run *run, const double *times, size_t ntimes,
    const size_t *columns, size_t count, double *out, brink_diag *diag);
brink_status brink_run_prepare_report(brink_run *run, brink_diag *diag);
brink_status brink_run_prepare_summary(brink_run *run, brink_diag *diag);
brink_status brink_run_prepare_states(brink_run *run, brink_diag *diag);
brink_status brink_run_prepare_conditions(brink_run *run, brink_diag *diag);
brink_status brink_run_keep_sensitivity(brink_run *run, const char *const *names, size_t count,
    brink_diag *diag);

typedef struct brink_run_sensitivity {
  size_t ndirections;
  const char *const *directions;
  size_t nstates;
  const char *const *states;
  size_t rows;
  const double *t;
  const double *dx;
  size_t nevents;
  const double *event_time;
  const double *end;
  unsigned limits;
  size_t noutputs;
  const char *const *outputs;
  const double *dy;
  const double *end_y;
  ...;
} brink_run_sensitivity;

brink_status brink_run_get_sensitivity(brink_run *run, brink_run_sensitivity *sensitivity,
    brink_diag *diag);
brink_status brink_run_finish(brink_run *run, brink_diag *diag);
brink_status brink_run_repeat(const brink_run *run, bool conditions, brink_diag *diag,
    brink_run **again);
brink_status brink_run_write_report(brink_run *run, const char *path, brink_diag *diag);
brink_status brink_run_report(brink_run *run, brink_bytes *page, brink_diag *diag);
brink_status brink_run_summary(brink_run *run, brink_bytes *json, brink_diag *diag);
