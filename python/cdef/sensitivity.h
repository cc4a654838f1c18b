/* <brink/sensitivity.h> for cffi; what things mean is said there. */

typedef struct brink_sensitivity brink_sensitivity;

enum {
  BRINK_SENSITIVITY_SEVERAL = ..., BRINK_SENSITIVITY_ZENO = ...,
  BRINK_SENSITIVITY_GRAZING = ..., BRINK_SENSITIVITY_DIFFERENCES = ...,
  BRINK_SENSITIVITY_INACCURATE = ..., BRINK_SENSITIVITY_UNDEFINED = ...
};

typedef struct brink_sensitivity_event {
  const brink_event *event;
  size_t index;
  size_t count;
  const double *time;
  const double *before;
  const double *after;
  const double *f_before, *f_after;
  const double *gradient;
  double gradient_time;
  double rate;
  const double *saltation;
  unsigned limits;
  ...;
} brink_sensitivity_event;

typedef void brink_sensitivity_event_fn(const brink_sensitivity_event *event, void *user);

typedef struct brink_sensitivity_def {
  size_t size;
  size_t count;
  const double *x;
  const double *p;
  double rtol;
  bool saltation;
  brink_sensitivity_event_fn *event;
  void *user;
  ...;
} brink_sensitivity_def;

void brink_sensitivity_defaults(brink_sensitivity_def *def, size_t size);
brink_sensitivity_def brink_default_sensitivity(void);
brink_status brink_sensitivity_create(brink_sim *sim, const brink_sensitivity_def *def,
    const brink_allocator *allocator, brink_diag *diag, brink_sensitivity **sensitivity);
void brink_sensitivity_destroy(brink_sensitivity *sensitivity);
void brink_direction_fill(double *matrix, size_t rows, size_t count, size_t k,
    const double *column);
void brink_sensitivity_reset(brink_sensitivity *sensitivity);
size_t brink_sensitivity_count(const brink_sensitivity *sensitivity);
const double *brink_sensitivity_state(const brink_sensitivity *sensitivity);
const double *brink_sensitivity_parameters(const brink_sensitivity *sensitivity);
unsigned brink_sensitivity_limits(const brink_sensitivity *sensitivity);
