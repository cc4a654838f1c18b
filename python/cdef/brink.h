/* <brink/brink.h> for cffi; what things mean is said there. */

#define BRINK_VERSION_NUMBER ...

const char *brink_version(void);

typedef enum brink_status {
  BRINK_OK = ..., BRINK_STEPPED = ..., BRINK_EVENT = ..., BRINK_TIME_REACHED = ...,
  BRINK_STOPPED = ..., BRINK_CANCELLED = ..., BRINK_ERR_ARGUMENT = ..., BRINK_ERR_MEMORY = ...,
  BRINK_ERR_CALLBACK = ..., BRINK_ERR_DOMAIN = ..., BRINK_ERR_STEP = ...,
  BRINK_ERR_BLOCKED = ..., BRINK_ERR_LOOP = ..., BRINK_ERR_ZENO = ..., BRINK_ERR_SLIDING = ...,
  BRINK_ERR_WORK = ..., BRINK_ERR_UNSUPPORTED = ..., BRINK_ERR_MODEL = ...,
  BRINK_ERR_FILE = ..., BRINK_ERR_CONSTRAINT = ...
} brink_status;

const char *brink_status_text(brink_status status);

#define BRINK_NONE ...
#define BRINK_DIAG_MESSAGE ...
#define BRINK_DIAG_GUARDS ...
#define BRINK_DIAG_EQUATIONS ...

typedef enum brink_reason { BRINK_REASON_NONE = ..., ... } brink_reason;

const char *brink_reason_name(brink_reason reason);
brink_status brink_reason_status(brink_reason reason);

typedef struct brink_diag {
  brink_status status;
  brink_reason reason;
  double t;
  double h;
  size_t state;
  size_t parameter;
  size_t guard;
  size_t guards[...];
  size_t nguards;
  size_t clock;
  double value, limit;
  int64_t count;
  size_t population[2];
  size_t agent[2];
  size_t equations[...], states[...];
  int orders[...];
  double values[...];
  size_t nequations, nstates;
  char text[...];
  char message[...];
  ...;
} brink_diag;

typedef struct brink_allocator {
  void *(*allocate)(size_t size, void *user);
  void (*release)(void *memory, size_t size, void *user);
  void *user;
  ...;
} brink_allocator;

typedef struct brink_env {
  const double *p;
  const int *mode;
  const signed char *sgn;
  void *user;
  ...;
} brink_env;

typedef struct brink_tangents {
  size_t count;
  const double *t;
  const double *x;
  const double *p;
  ...;
} brink_tangents;

typedef struct brink_carried {
  size_t count;
  const double *t;
  double *x, *p, *timer;
  const double *pre_x, *pre_p;
  bool done;
  ...;
} brink_carried;

typedef struct brink_now {
  double t;
  double *x;
  double *p;
  int *mode;
  double *timer;
  const double *pre_x;
  const int *pre_mode;
  const double *pre_p;
  const signed char *sgn;
  char *message;
  brink_carried *carried;
  bool *assigned;
  ...;
} brink_now;

typedef enum brink_direction {
  BRINK_NEGATIVE = ..., BRINK_BOTH = ..., BRINK_POSITIVE = ...
} brink_direction;

typedef enum brink_side {
  BRINK_BILATERAL = ..., BRINK_UNILATERAL = ..., BRINK_CROSSING = ..., BRINK_LEAF = ...
} brink_side;

typedef enum brink_surface {
  BRINK_SURFACE_FILIPPOV = ..., BRINK_SURFACE_MODEL = ...
} brink_surface;

typedef int brink_rhs_fn(double t, const double *x, const brink_env *env, double *dx);
typedef int brink_guard_fn(size_t guard, double t, const double *x, const brink_env *env,
    double *g);
typedef int brink_gradient_fn(size_t guard, double t, const double *x, const brink_env *env,
    double *dx, double *dt);
typedef int brink_guard_jet_fn(size_t guard, int order, const double *t, const double *const *x,
    const brink_env *env, double *g);
typedef int brink_flow_jet_fn(int order, double t, double unit, const double *x,
    const brink_env *env, double *const *xj);
typedef int brink_rhs_tangent_fn(double t, const double *x, const brink_env *env,
    const brink_tangents *along, double *df);
typedef int brink_guard_tangent_fn(size_t guard, double t, const double *x,
    const brink_env *env, const brink_tangents *along, double *dg);
typedef int brink_rate_tangent_fn(size_t guard, double t, const double *x, const brink_env *env,
    const double *f, const brink_tangents *along, double *dr);
typedef int brink_jacobian_fn(double t, const double *x, const brink_env *env, double *values);
typedef bool brink_enabled_fn(size_t guard, const brink_env *env);

typedef enum brink_event_kind {
  BRINK_CROSSED = ..., BRINK_TOUCHED = ..., BRINK_JUMPED = ..., BRINK_HELD = ...
} brink_event_kind;

typedef struct brink_event {
  size_t guard;
  const char *name;
  double t;
  brink_direction direction;
  brink_event_kind kind;
  double value;
  int iteration;
  ...;
} brink_event;

typedef int brink_action_fn(const brink_event *event, brink_now *now, void *user);
typedef int brink_tick_fn(size_t clock, int64_t tick, brink_now *now, void *user);
typedef int brink_rules_fn(brink_now *now, bool *changed, void *user);
typedef int brink_zeno_fn(const size_t *guards, size_t count, brink_now *now, void *user);
typedef int brink_start_tangent_fn(brink_now *now, void *user);

enum { BRINK_AND = ..., BRINK_OR = ..., BRINK_NOT = ... };

typedef enum brink_watched {
  BRINK_WATCHED_ASKED = ..., BRINK_WATCHED_BY_MODES = ..., BRINK_WATCHED_ALWAYS = ...
} brink_watched;

typedef struct brink_guard_def {
  size_t size;
  const char *name;
  brink_side side;
  brink_direction direction;
  int priority;
  const size_t *depends;
  size_t ndepends;
  const double *coefficients;
  double offset, time_coefficient;
  brink_guard_fn *value;
  brink_gradient_fn *gradient;
  brink_guard_jet_fn *jet;
  int degree;
  brink_guard_tangent_fn *tangent;
  brink_rate_tangent_fn *rate_tangent;
  const double *lipschitz;
  double lipschitz_time;
  const int *formula;
  size_t formula_length;
  brink_surface surface;
  brink_action_fn *action;
  brink_action_fn *on_surface;
  size_t leave_positive, leave_negative;
  int inside;
  bool reads_signs;
  bool condition;
  size_t same_as;
  int same_sign;
  brink_watched watched;
  bool unread;
  int at_zero;
  bool timeless;
  bool is_timer;
  size_t timer;
  ...;
} brink_guard_def;

void brink_guard_defaults(brink_guard_def *def, size_t size);
brink_guard_def brink_default_guard(const char *name);

typedef struct brink_clock_def {
  size_t size;
  const char *name;
  double period, offset;
  int priority;
  brink_tick_fn *tick;
  ...;
} brink_clock_def;

void brink_clock_defaults(brink_clock_def *def, size_t size);
brink_clock_def brink_default_clock(const char *name);

typedef struct brink_sparsity {
  const size_t *starts;
  const size_t *rows;
  ...;
} brink_sparsity;

typedef struct brink_structure {
  int index;
  size_t nh;
  const size_t *unknown;
  const size_t *block;
  size_t nblocks;
  brink_sparsity pattern;
  const size_t *equation;
  const int *order;
  size_t choice;
  const size_t *tied;
  const size_t *group;
  size_t ngroups;
  const void *user;
  ...;
} brink_structure;

typedef enum brink_initial {
  BRINK_INITIAL_FREE = ..., BRINK_INITIAL_GUESS = ..., BRINK_INITIAL_FIXED = ...
} brink_initial;

typedef struct brink_constraints_def {
  size_t size;
  const brink_structure *(*structure)(const brink_env *env, char *message);
  int (*residual)(const brink_structure *structure, double t, const double *x,
      const brink_env *env, double *r);
  int (*derivatives)(const brink_structure *structure, double t, const double *x,
      const brink_env *env, double *values);
  size_t most_invariants;
  size_t most_entries;
  size_t most_factors;
  size_t nderived;
  const unsigned char *start;
  const double *lo, *hi;
  ...;
} brink_constraints_def;

void brink_constraints_defaults(brink_constraints_def *def, size_t size);
brink_constraints_def brink_default_constraints(void);

typedef struct brink_model_def {
  size_t size;
  const char *name;
  double t0;
  size_t nx, np, nmodes;
  const double *x0;
  const double *p0;
  const int *mode0;
  const char *const *state_names;
  brink_rhs_fn *rhs;
  brink_flow_jet_fn *flow_jet;
  const int *flow_degrees;
  double flow_work;
  brink_jacobian_fn *jacobian;
  brink_sparsity jacobian_pattern;
  brink_rhs_tangent_fn *rhs_tangent;
  brink_start_tangent_fn *start_tangent;
  size_t nguards;
  const brink_guard_def *guards;
  brink_enabled_fn *enabled;
  size_t nclocks;
  const brink_clock_def *clocks;
  brink_rules_fn *rules;
  brink_zeno_fn *zeno;
  bool strict_surfaces;
  struct {
    const bool *x, *p, *mode;
  } reads;
  void *user;
  size_t nz;
  const brink_constraints_def *constraints;
  const struct brink_delays *delays;
  ...;
} brink_model_def;

void brink_model_defaults(brink_model_def *def, size_t size);
brink_model_def brink_default_model(void);

typedef struct brink_model brink_model;

brink_status brink_model_create(const brink_model_def *def, const brink_allocator *allocator,
    brink_diag *diag, brink_model **model);
void brink_model_destroy(brink_model *model);

typedef enum brink_method {
  BRINK_AUTO = ..., BRINK_ADAMS = ..., BRINK_TAYLOR = ..., BRINK_DOPRI = ..., BRINK_EULER = ...,
  BRINK_TAYLOR2 = ..., BRINK_RK4 = ..., BRINK_AM3 = ..., BRINK_BDF3 = ...,
  BRINK_TRAPEZOID = ..., BRINK_BDF = ...
} brink_method;

typedef enum brink_events {
  BRINK_EXTRAPOLATE = ..., BRINK_INTERPOLATE = ..., BRINK_ENDPOINT = ..., BRINK_ZLM = ...,
  BRINK_MNM = ...
} brink_events;

const char *brink_method_name(brink_method method);
const char *brink_events_name(brink_events events);

typedef enum brink_gain {
  BRINK_GAIN_MARGIN = ..., BRINK_GAIN_PUBLISHED = ..., BRINK_GAIN_FIXED = ...
} brink_gain;

typedef enum brink_zeno_choice {
  BRINK_ZENO_STOP = ..., BRINK_ZENO_CONTINUE = ...
} brink_zeno_choice;

typedef struct brink_options {
  size_t size;
  brink_method method;
  brink_events events;
  double rtol, atol;
  const double *atols;
  int order;
  int max_order;
  double step;
  double hmin, hmax;
  brink_gain gain;
  double gamma;
  double termination;
  int mnm_parts;
  double near_miss;
  brink_zeno_choice zeno;
  bool audit;
  int max_iterations;
  int64_t max_steps;
  ...;
} brink_options;

void brink_options_defaults(brink_options *options, size_t size);
brink_options brink_default_options(void);

typedef struct brink_stats {
  int64_t steps;
  int64_t rejected;
  int64_t rhs;
  int64_t guards;
  int64_t roots;
  int64_t refused_outside;
  int64_t rhs_past_guard;
  int64_t events;
  int64_t near_misses;
  int64_t restarts;
  brink_method method;
  const char *reason;
  int64_t newton;
  int64_t jacobians;
  int64_t factorisations;
  int64_t projections;
  double largest_correction;
  ...;
} brink_stats;

typedef struct brink_step_record {
  double t0, t1;
  double h;
  int order;
  const double *x;
  const int *mode;
  size_t nx;
  ...;
} brink_step_record;

typedef struct brink_event_record {
  brink_event event;
  const double *x_before, *x_after;
  const int *mode_before, *mode_after;
  const double *p_before, *p_after;
  ...;
} brink_event_record;

typedef struct brink_near_miss {
  size_t guard;
  const char *name;
  double t, value;
  double tolerance;
  double distance;
  ...;
} brink_near_miss;

typedef struct brink_slide_record {
  size_t guard;
  const char *name;
  double from, to;
  ...;
} brink_slide_record;

typedef struct brink_structure_record {
  double t;
  const brink_structure *structure;
  int index;
  size_t nstates, nfree;
  ...;
} brink_structure_record;

typedef struct brink_transfer_record {
  double t;
  const double *x_before, *x_after;
  const double *impulse;
  ...;
} brink_transfer_record;

typedef struct brink_sink {
  int (*step)(const brink_step_record *record, void *user);
  int (*event)(const brink_event_record *record, void *user);
  int (*near_miss)(const brink_near_miss *record, void *user);
  int (*slide)(const brink_slide_record *record, void *user);
  void *user;
  int (*structure)(const brink_structure_record *record, void *user);
  int (*transfer)(const brink_transfer_record *record, void *user);
  ...;
} brink_sink;

typedef struct brink_sim brink_sim;

brink_status brink_sim_create(const brink_model *model, const brink_options *options,
    const brink_allocator *allocator, brink_diag *diag, brink_sim **sim);
void brink_sim_destroy(brink_sim *sim);
brink_status brink_sim_reset(brink_sim *sim, brink_diag *diag);
brink_status brink_sim_clone(const brink_sim *sim, const brink_model *model,
    const brink_allocator *allocator, brink_diag *diag, brink_sim **clone);
void brink_sim_set_sink(brink_sim *sim, const brink_sink *sink);
brink_status brink_sim_run(brink_sim *sim, double t_end, brink_diag *diag);
brink_status brink_sim_advance(brink_sim *sim, double t_limit, brink_diag *diag);
brink_status brink_sim_next_event(brink_sim *sim, double t_limit, brink_diag *diag);
brink_status brink_sim_sample(brink_sim *sim, const double *times, size_t count, double *out,
    size_t *done, brink_diag *diag);
double brink_sim_time(const brink_sim *sim);
const double *brink_sim_state(const brink_sim *sim);
const double *brink_sim_parameters(const brink_sim *sim);
const int *brink_sim_modes(const brink_sim *sim);
const signed char *brink_sim_signs(const brink_sim *sim);
const brink_stats *brink_sim_stats(const brink_sim *sim);
const brink_event *brink_sim_events(const brink_sim *sim, size_t *count);
bool brink_sim_sliding(const brink_sim *sim, brink_slide_record *record);
size_t brink_sim_slides(const brink_sim *sim, brink_slide_record *records, size_t capacity);
typedef struct brink_stiff_record {
  double since;
  int steps;
  double h;
  double rate;
} brink_stiff_record;
bool brink_sim_looks_stiff(const brink_sim *sim, brink_stiff_record *record);
bool brink_sim_structure(const brink_sim *sim, brink_structure_record *record);
brink_status brink_sim_at(const brink_sim *sim, double t, double *x, brink_diag *diag);
brink_status brink_sim_set_state(brink_sim *sim, const double *x, brink_diag *diag);
brink_status brink_sim_set_parameter(brink_sim *sim, size_t index, double value,
    brink_diag *diag);
brink_status brink_sim_set_mode(brink_sim *sim, size_t index, int value, brink_diag *diag);
