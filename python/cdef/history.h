/* <brink/history.h> for cffi; what things mean is said there. */

typedef struct brink_history brink_history;

typedef struct brink_history_def {
  size_t size;
  bool dense;
  bool rows;
  ...;
} brink_history_def;

void brink_history_defaults(brink_history_def *def, size_t size);
brink_history_def brink_default_history(void);
brink_status brink_history_create(brink_sim *sim, const brink_history_def *def,
    const brink_allocator *allocator, brink_diag *diag, brink_history **history);
void brink_history_destroy(brink_history *history);
brink_status brink_history_at(const brink_history *history, const double *times, size_t count,
    double *out, brink_diag *diag);
size_t brink_history_steps(const brink_history *history, const double **ends);
size_t brink_history_rows(const brink_history *history, const double **values);
size_t brink_history_modes(const brink_history *history, const int **modes);
size_t brink_history_events(const brink_history *history, const brink_event **events,
    const double **before, const double **after);
