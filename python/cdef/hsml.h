/* <brink/hsml.h> for cffi; what things mean is said there. */

typedef struct brink_hsml brink_hsml;

typedef struct brink_hsml_reader {
  int (*read)(const char *path, const char **text, size_t *length, const char **reason,
      void *user);
  void (*release)(const char *text, size_t length, void *user);
  void *user;
  ...;
} brink_hsml_reader;

typedef struct brink_hsml_def {
  size_t size;
  const char *path;
  const char *text;
  size_t length;
  const brink_hsml_reader *reader;
  const char *top;
  bool part;
  const char *const *import_path;
  size_t nimport_path;
  bool allow_external;
  const char *const *library_paths;
  size_t nlibrary_paths;
  ...;
} brink_hsml_def;

void brink_hsml_defaults(brink_hsml_def *def, size_t size);
brink_hsml_def brink_default_hsml(void);
brink_status brink_hsml_load(const brink_hsml_def *def, const brink_allocator *allocator,
    brink_diag *diag, brink_hsml **model);
brink_status brink_hsml_load_file(const char *path, brink_diag *diag, brink_hsml **model);
brink_status brink_hsml_load_text(const char *text, brink_diag *diag, brink_hsml **model);
void brink_hsml_destroy(brink_hsml *model);

typedef enum brink_severity { BRINK_WARNING = ..., BRINK_ERROR = ... } brink_severity;

typedef struct brink_hsml_message {
  const char *code;
  brink_severity severity;
  const char *file;
  uint32_t line, column, length;
  const char *const *arguments;
  size_t narguments;
  const char *text;
  const char *hint;
  const char *rendered;
  ...;
} brink_hsml_message;

size_t brink_hsml_messages(brink_hsml *model, const brink_hsml_message **messages);
brink_status brink_hsml_set(brink_hsml *model, const char *name, double value,
    brink_diag *diag);
brink_status brink_hsml_set_text(brink_hsml *model, const char *name, const char *value,
    brink_diag *diag);
void brink_hsml_unset(brink_hsml *model);

typedef struct brink_hsml_inputs {
  const char *const *names;
  size_t count;
  const double *t;
  size_t rows;
  const double *values;
  bool hold;
  ...;
} brink_hsml_inputs;

brink_status brink_hsml_set_inputs(brink_hsml *model, const brink_hsml_inputs *inputs,
    brink_diag *diag);
brink_status brink_hsml_read_inputs(brink_hsml *model, const char *path, bool hold,
    brink_diag *diag);

typedef struct brink_hsml_function {
  int (*value)(double t, double *u, void *user);
  void *user;
  const double *corners;
  size_t ncorners;
  ...;
} brink_hsml_function;

brink_status brink_hsml_set_function(brink_hsml *model, const char *name,
    const brink_hsml_function *function, brink_diag *diag);
brink_status brink_hsml_build(brink_hsml *model, brink_diag *diag);

typedef enum brink_hsml_kind {
  BRINK_HSML_PARAMETER = ..., BRINK_HSML_INPUT = ..., BRINK_HSML_OUTPUT = ...,
  BRINK_HSML_STATE = ..., BRINK_HSML_MODE = ..., BRINK_HSML_VARIABLE = ...,
  BRINK_HSML_FLAG = ..., BRINK_HSML_COMPONENT = ...
} brink_hsml_kind;

typedef enum brink_hsml_type {
  BRINK_HSML_REAL = ..., BRINK_HSML_INTEGER = ..., BRINK_HSML_BOOLEAN = ...,
  BRINK_HSML_STRING = ...
} brink_hsml_type;

typedef struct brink_hsml_item {
  brink_hsml_kind kind;
  const char *name;
  const char *component;
  size_t count;
  size_t length;
  brink_hsml_type type;
  bool knob;
  const char *unit;
  bool has_range;
  double lo, hi;
  size_t nchoices;
  double value;
  const char *text;
  const char *file;
  uint32_t line, column;
  size_t index;
  bool signal;
  ...;
} brink_hsml_item;

size_t brink_hsml_items(brink_hsml *model, brink_hsml_kind kind, const brink_hsml_item **items);
size_t brink_hsml_element_name(const brink_hsml *model, const brink_hsml_item *item,
    size_t element, char *name, size_t size);
double brink_hsml_choice(const brink_hsml *model, const brink_hsml_item *item, size_t k,
    const char **text);

typedef enum brink_clocks {
  BRINK_CLOCKS_AUTO = ..., BRINK_CLOCKS_OWN = ..., BRINK_CLOCKS_ONE = ...
} brink_clocks;

typedef enum brink_writable {
  BRINK_WRITE_STATES = ..., BRINK_WRITE_INPUTS = ..., BRINK_WRITE_ALL = ...
} brink_writable;

typedef struct brink_run_options {
  size_t size;
  double from;
  double until;
  double every;
  uint64_t seed;
  brink_clocks clocks;
  size_t threads;
  bool range_warns;
  bool interpret;
  bool native;
  const char *cache;
  brink_writable writable;
  bool conditions;
  brink_options sim;
  ...;
} brink_run_options;

void brink_run_defaults(brink_run_options *options, size_t size);
brink_run_options brink_default_run(void);
brink_status brink_hsml_fill_options(brink_hsml *model, brink_run_options *options, size_t size,
    brink_diag *diag);
brink_status brink_hsml_options(brink_hsml *model, brink_run_options *options,
    brink_diag *diag);
brink_status brink_run_option(brink_run_options *options, const char *name, const char *value,
    brink_diag *diag);

typedef struct brink_run brink_run;

brink_status brink_run_create(brink_hsml *model, const brink_run_options *options,
    const brink_allocator *allocator, brink_diag *diag, brink_run **run);
void brink_run_destroy(brink_run *run);
brink_status brink_run_step(brink_run *run, double t_limit, brink_diag *diag);
brink_status brink_run_next_event(brink_run *run, double t_limit, brink_diag *diag);
brink_status brink_run_to(brink_run *run, double t_end, brink_diag *diag);
brink_status brink_run_output(brink_run *run, double t, double t_limit, brink_diag *diag);
void brink_run_cancel(brink_run *run);
brink_status brink_run_reset(brink_run *run, brink_diag *diag);
brink_status brink_run_clone(const brink_run *run, brink_diag *diag, brink_run **clone);
double brink_run_time(const brink_run *run);

typedef struct brink_value {
  uint32_t variable;
  uint32_t type;
  size_t element;
  ...;
} brink_value;

brink_status brink_run_find(const brink_run *run, const char *name, brink_value *value,
    brink_diag *diag);
double brink_run_value(brink_run *run, brink_value value);
brink_status brink_run_get(brink_run *run, const char *name, double *value, brink_diag *diag);
const char *brink_run_get_text(brink_run *run, const char *name);
const char *brink_run_text(const brink_run *run, double number);
brink_status brink_run_get_at(brink_run *run, double t, const brink_value *values, size_t count,
    double *out, brink_diag *diag);
brink_status brink_run_set(brink_run *run, const char *name, double value, brink_diag *diag);
brink_status brink_run_set_text(brink_run *run, const char *name, const char *text,
    brink_diag *diag);

typedef struct brink_moment brink_moment;

typedef struct brink_run_impulse {
  const char *unknown;
  double value;
  ...;
} brink_run_impulse;

typedef struct brink_run_event {
  double t;
  const char *flag;
  brink_direction direction;
  bool generated;
  size_t nagents;
  const char *agents[2];
  const brink_moment *before, *after;
  size_t nimpulses;
  const brink_run_impulse *impulses;
  ...;
} brink_run_event;

typedef struct brink_run_observer {
  int (*event)(brink_run *run, const brink_run_event *event, void *user);
  int (*step)(brink_run *run, double t0, double t1, void *user);
  void *user;
  ...;
} brink_run_observer;

void brink_run_observe(brink_run *run, const brink_run_observer *observer);
double brink_moment_value(const brink_run *run, const brink_moment *moment, brink_value value);

typedef struct brink_run_structure {
  int index;
  size_t nstates, nfree;
  size_t ntied;
  const size_t *tied;
  const char *const *names;
  ...;
} brink_run_structure;

brink_status brink_run_get_structure(brink_run *run, brink_run_structure *structure,
    brink_diag *diag);

typedef struct brink_run_outcome {
  const char *status;
  const char *reason;
  const char *message;
  const char *hint;
  double t;
  size_t nwarnings;
  const char *const *warnings;
  const char *rendered;
  ...;
} brink_run_outcome;

brink_run_outcome brink_run_result(brink_run *run);

typedef struct brink_run_info {
  brink_stats stats;
  size_t agents;
  const char *engine;
  const char *engine_reason;
  double compile_seconds;
  ...;
} brink_run_info;

brink_run_info brink_run_information(brink_run *run);
