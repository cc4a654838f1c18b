/* ode.h and python_calls.h for cffi; what things mean is said there. */

enum {
  BRINKPY_NONE,
  BRINKPY_PYTHON,
  BRINKPY_SIMPLE,
  BRINKPY_ENV,
  BRINKPY_FIXED,
  BRINKPY_COLOUR,
};

typedef struct brinkpy_function {
  int form;
  void *callable;
  void (*code)(void);
  void *user;
} brinkpy_function;

typedef struct brinkpy_guard {
  brinkpy_function value, gradient, jet;
  const size_t *depends;
  size_t ndepends;
  void *enabled, *action, *on_surface;
  int64_t stop_after;
} brinkpy_guard;

typedef struct brinkpy_rows {
  double *values;
  size_t count, capacity, width;
} brinkpy_rows;

typedef struct brinkpy_ode {
  size_t nx, np, nmodes, nguards, entries;
  bool backward;
  brinkpy_function rhs, jacobian, series;
  brinkpy_guard *guards;
  void **ticks;
  void *rules, *zeno;
  double *x, *out, *matrix;
  double *p;
  int *mode;
  signed char *sgn;
  void *env;
  const size_t *starts, *rows, *colours;
  size_t ncolours;
  double *moved, *field, *moved_field;
  const double *scale;
  double *jets;
  const brink_structure *structure;
  brinkpy_function residual, derivatives;
  size_t nrows, nderivatives;
  double *derivative_values;
  void *slide, *near_miss;
  brink_sensitivity *sensitivity;
  size_t ndirections;
  brinkpy_rows tangents, event_tangents;
  bool out_of_memory;
  bool failed;
  int64_t calls;
} brinkpy_ode;

void brinkpy_ode_callbacks(brinkpy_ode *ode, brink_model_def *def, brink_guard_def *guards,
    brink_clock_def *clocks, brink_constraints_def *constraints);
void brinkpy_ode_sink(brinkpy_ode *ode, brink_sim *sim);
brink_status brinkpy_ode_differentiate(brinkpy_ode *ode, brink_sim *sim, size_t count,
    const double *x, const double *p, brink_diag *diag);
void brinkpy_ode_reset(brinkpy_ode *ode, brink_sim *sim);
void brinkpy_ode_written(brinkpy_ode *ode, brink_sim *sim);
void brinkpy_ode_release(brinkpy_ode *ode);

extern "Python+C" {
  int brinkpy_call(void *callable, double t);
  int brinkpy_expand(void *callable, int order, double t, double unit);
  int brinkpy_act(void *callable, const brink_event *event, int64_t count, brink_now *now);
  int brinkpy_apply_rules(void *callable, brink_now *now, bool *changed);
  int brinkpy_accumulate(void *callable, const size_t *guards, size_t count, brink_now *now);
  int brinkpy_note_near_miss(void *callable, const brink_near_miss *record);
  int brinkpy_note_slide(void *callable, const brink_slide_record *record);
}
