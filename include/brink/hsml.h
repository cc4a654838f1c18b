/* hsml.h: models written in HSML, from their text to a run.
 *
 *     brink_hsml *model;
 *     brink_run *run;
 *     brink_run_options options;
 *     brink_hsml_load_file("tank.hsml", &diag, &model);
 *     brink_hsml_set(model, "plant.area", 2.5, &diag);
 *     brink_hsml_options(model, &options, &diag);
 *     brink_run_create(model, &options, NULL, &diag, &run);
 *     brink_run_to(run, options.until, &diag);
 *     brink_run_get(run, "plant.h", &h, &diag);
 *
 * A `brink_hsml` is a model: its text, checked, and the values that were set by name. A `brink_run` is one simulation
 * of it. The same calls serve a single system and populations of agents with clocks of their own: the library
 * chooses the engine.
 *
 * Names are full paths: "h", "plant.h", "car[3].x", "v[2]". Strings, such as the values of modes, are texts; booleans
 * are 0 and 1.
 *
 * Conventions are those of <brink/brink.h>: statuses, a caller-owned diagnostic, allocators. A model belongs to one
 * thread at a time, and so does a run; runs of one model may go on in several threads at once. The model must
 * outlive the call that makes a run, not the run. */
#ifndef BRINK_HSML_H
#define BRINK_HSML_H

#include <brink/brink.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------- loading -------- */

typedef struct brink_hsml brink_hsml;

/* Where texts come from: the model's, if it is not in memory, and those of its imports. */
typedef struct brink_hsml_reader {
  /* Gives the text of a file and its length. The path of an import is relative to the importing file, as it is
   * written there; if there is no such text, it is asked for in the directories of the import path. Returns 0, or
   * anything else if there is no such text; *reason may then say why. */
  int (*read)(const char *path, const char **text, size_t *length, const char **reason, void *user);
  void (*release)(const char *text, size_t length, void *user); /* NULL: nothing is to be done */
  void *user;
} brink_hsml_reader;

/* brink_default_hsml() fills in the defaults given here. */
typedef struct brink_hsml_def {
  size_t size;      /* of this struct: set by brink_default_hsml() */
  const char *path; /* the file ("-": standard input); with `text`, its name in messages */
  const char *text; /* the model itself; NULL: it is read */
  size_t length;    /* of the text; 0: it ends with NUL */
  const brink_hsml_reader *reader; /* NULL: files */
  const char *top; /* the component that runs; NULL: the file's system, else its last component */
  bool part;       /* the top is a part of something: its inputs may be open; false */
  /* Directories in which imports are looked for that are not beside the importing file, in order. Copied. Without a
   * reader of your own, only files in the model's folder and in these directories, or below, may be imported. */
  const char *const *import_path;
  size_t nimport_path; /* 0 */
  /* May libraries of external functions be loaded? They can do whatever the caller can. They are looked for beside the
   * model, then in these directories; false, none */
  bool allow_external;
  const char *const *library_paths;
  size_t nlibrary_paths;
} brink_hsml_def;

/* Fills a definition of `size` bytes; brink_default_hsml() calls it. */
BRINK_API void brink_hsml_defaults(brink_hsml_def *def, size_t size);

static inline brink_hsml_def brink_default_hsml(void) {
  brink_hsml_def def;
  brink_hsml_defaults(&def, sizeof def);
  return def;
}

/* Reads, parses and checks. Statuses: OK; MODEL: the text has errors, and *model holds the messages; FILE: it
 * cannot be read; ARGUMENT, MEMORY. Except for MODEL, *model is NULL after a failure. */
BRINK_API brink_status brink_hsml_load(const brink_hsml_def *def, const brink_allocator *allocator,
                                       brink_diag *diag, brink_hsml **model);
BRINK_API brink_status brink_hsml_load_file(const char *path, brink_diag *diag, brink_hsml **model);
BRINK_API brink_status brink_hsml_load_text(const char *text, brink_diag *diag, brink_hsml **model);
BRINK_API void brink_hsml_destroy(brink_hsml *model); /* NULL is fine */

/* ----------------------------------------------------------------------------- messages ------- */

typedef enum brink_severity { BRINK_WARNING, BRINK_ERROR } brink_severity;

/* What the compiler says about a model. Texts live as long as the model, until it is changed or built again. */
typedef struct brink_hsml_message {
  const char *code; /* stable: "unknown-name"; docs/diagnostics.md lists them */
  brink_severity severity;
  const char *file;              /* NULL: it is about a value that was set, not about the text */
  uint32_t line, column, length; /* from 1, in bytes; 0: not known */
  const char *const *arguments;  /* what the message speaks of: names, types, numbers */
  size_t narguments;
  const char *text; /* one line */
  const char *hint; /* NULL: none */
  const char
      *rendered; /* as compilers show it: place, source line, carets, hint; lines end with \n */
} brink_hsml_message;

/* Messages in the order of the text. */
BRINK_API size_t brink_hsml_messages(brink_hsml *model, const brink_hsml_message **messages);

/* ------------------------------------------------------------------------- values by name ----- */

/* What a run starts with: a parameter, an initial value, an input of the top component. Everything that depends on
 * it follows. A later value wins. The name is looked up when the model is built (brink_hsml_build), where a name or a
 * value that is wrong is an error. Statuses: OK, ARGUMENT, MEMORY. */
BRINK_API brink_status brink_hsml_set(brink_hsml *model, const char *name, double value,
                                      brink_diag *diag);
/* The same in the words of the language: "2.5", "draining", "true", "pi/6", "[1, 2, 3]" for a vector. */
BRINK_API brink_status brink_hsml_set_text(brink_hsml *model, const char *name, const char *value,
                                           brink_diag *diag);
/* Forgets all values that were set. */
BRINK_API void brink_hsml_unset(brink_hsml *model);

/* Inputs of the top component over time. Row k: values[k*count + i] is that of names[i] at t[k]. Times do not
 * decrease; two rows at one time are a jump. Between rows inputs are linear, or held; before the first row and after
 * the last one they stay. Copied. NULL: none. */
typedef struct brink_hsml_inputs {
  const char *const *names;
  size_t count;
  const double *t;
  size_t rows;
  const double *values;
  bool hold;
} brink_hsml_inputs;

BRINK_API brink_status brink_hsml_set_inputs(brink_hsml *model, const brink_hsml_inputs *inputs,
                                             brink_diag *diag);
/* The same from a CSV file: a line of names, a column of time (by its name, or the first), columns of inputs. What is
 * wrong with it is a message, and so is what is ignored (a warning). docs/cli.md says what a file may look like. Statuses:
 * OK, FILE, ARGUMENT, MEMORY. */
BRINK_API brink_status brink_hsml_read_inputs(brink_hsml *model, const char *path, bool hold,
                                              brink_diag *diag);

/* An input of the top component as a function of time: a signal, or an element of one ("u", "v[2]"). It is called where
 * the method asks for it: equations, flags, samples and results have its value itself, not an interpolated one.
 *
 * The function must be defined on the whole run, and smooth except at `corners` (increasing times, copied). These are met
 * as instants, without an event; where the function jumps there, its value at a corner is that after it. It must give
 * the same value for the same time. It returns 0; anything else ends the run (CALLBACK), and so does a value that is not
 * finite (DOMAIN): the outcome's reason is "input". It has no Taylor series: auto takes another method, `taylor` is
 * UNSUPPORTED. So are constraints. Agents go into one system. A run that starts where the function has no value is
 * not created, for the same reasons.
 *
 * A later function for the same input wins; NULL, or no `value`: none again. It wins over a value that was set; rows and a
 * function for one input are an error of the build. brink_run_set refuses the input. Functions are called when a model
 * is built (at the start), and by all runs and clones of it, each from the thread that moves or reads the run: `user` must
 * outlive these. From inside a function its runs may not be moved, written, copied, destroyed, or asked for values that
 * equations compute: ARGUMENT (NaN from brink_run_value). A name is looked up when the model is built. Statuses: OK, ARGUMENT, MEMORY. */
typedef struct brink_hsml_function {
  int (*value)(double t, double *u, void *user);
  void *user;
  const double *corners;
  size_t ncorners;
} brink_hsml_function;

BRINK_API brink_status brink_hsml_set_function(brink_hsml *model, const char *name,
                                               const brink_hsml_function *function,
                                               brink_diag *diag);

/* Makes instances, connections and equations of the text with the values set. Others call it where it is needed.
 * Statuses: OK; MODEL: see the messages; ARGUMENT: a value that was set is wrong (messages, too); UNSUPPORTED: constraints
 * and functions of inputs; MEMORY. */
BRINK_API brink_status brink_hsml_build(brink_hsml *model, brink_diag *diag);

/* ---------------------------------------------------------------------- what there is --------- */

typedef enum brink_hsml_kind {
  BRINK_HSML_PARAMETER,
  BRINK_HSML_INPUT, /* of the top component, or without a connection */
  BRINK_HSML_OUTPUT,
  BRINK_HSML_STATE,
  BRINK_HSML_MODE,
  BRINK_HSML_VARIABLE, /* computed by equations, neither state nor output */
  BRINK_HSML_FLAG,
  BRINK_HSML_COMPONENT, /* an instance: "plant", "car" (an array of them) */
} brink_hsml_kind;

typedef enum brink_hsml_type {
  BRINK_HSML_REAL,
  BRINK_HSML_INTEGER,
  BRINK_HSML_BOOLEAN,
  BRINK_HSML_STRING,
} brink_hsml_type;

/* One declaration in all instances of its component: "car.x" of a hundred cars is one item of a hundred elements.
 * Texts live until the model is built again. */
typedef struct brink_hsml_item {
  brink_hsml_kind kind;
  const char *name;      /* without indices: "car.x" */
  const char *component; /* the class it is declared in; COMPONENT: its own class */
  size_t count;          /* elements: instances times length */
  size_t length;         /* of a vector; 1: a scalar */
  brink_hsml_type type;
  bool knob;        /* a parameter that its component offers to be set */
  const char *unit; /* "": none */
  bool has_range;
  double lo, hi;   /* of the first element */
  size_t nchoices; /* values that it may have, where they are listed; 0: any */
  double value; /* of the first element at the start: parameters, inputs, states, modes; else NaN */
  const char *text; /* STRING: the value; NULL */
  const char *file; /* where it is declared */
  uint32_t line, column;
  size_t index; /* of the library */
  bool signal;  /* declared as one: it may vary between events; an input that is none is held */
} brink_hsml_item;

/* All items of a kind, built first if that has not been done. NULL in *items and 0 where the model has errors. */
BRINK_API size_t brink_hsml_items(brink_hsml *model, brink_hsml_kind kind,
                                  const brink_hsml_item **items);
/* The full name of an element: "car[3].x". Writes at most `size` characters with the final NUL and returns the length
 * of the whole. */
BRINK_API size_t brink_hsml_element_name(const brink_hsml *model, const brink_hsml_item *item,
                                         size_t element, char *name, size_t size);
/* Choice k of an item: a number, or a text of a string. */
BRINK_API double brink_hsml_choice(const brink_hsml *model, const brink_hsml_item *item, size_t k,
                                   const char **text);

/* ------------------------------------------------------------------------------ options ------- */

typedef enum brink_clocks {
  BRINK_CLOCKS_AUTO, /* agents have clocks of their own, where the model and the options let them */
  BRINK_CLOCKS_OWN,  /* the same */
  BRINK_CLOCKS_ONE,  /* everything is one system */
} brink_clocks;

/* What brink_run_set may write while a run goes on. Less is faster: what is constant is computed once. */
typedef enum brink_writable {
  BRINK_WRITE_STATES, /* states and modes */
  BRINK_WRITE_INPUTS, /* and inputs of the top component */
  BRINK_WRITE_ALL,    /* and parameters */
} brink_writable;

/* brink_default_run() fills in the defaults given here; brink_hsml_options adds the model's simulation section. */
typedef struct brink_run_options {
  size_t size; /* of this struct: set by brink_default_run() */
  double from; /* time at the start; NaN: as the model says, or 0 */
  double
      until; /* end time; INFINITY: the model ends the run; before `from`: backwards; NaN: not given */
  double every;        /* output grid of recordings; 0: each step */
  uint64_t seed;       /* of all random draws; 1 */
  brink_clocks clocks; /* BRINK_CLOCKS_AUTO */
  size_t threads;      /* for agents; 0: as many as there are cores */
  bool range_warns;    /* a value outside its range is a warning, not the end of the run */
  bool interpret;      /* never call a C compiler */
  /* Wait for the C compiler before the first step. false: start in the interpreter, and change over to native code when it is
   * there, to the same bits. */
  bool native;
  const char *cache;       /* directory of compiled code; NULL: the user's */
  brink_writable writable; /* BRINK_WRITE_INPUTS */
  bool conditions; /* work out the condition of every event; false. UNSUPPORTED with constraints */
  brink_options
      sim; /* method, events, tolerances, …: brink_default_options(); stays the last member */
} brink_run_options;

/* Fills options of `size` bytes; brink_default_run() calls it. */
BRINK_API void brink_run_defaults(brink_run_options *options, size_t size);

static inline brink_run_options brink_default_run(void) {
  brink_run_options options;
  brink_run_defaults(&options, sizeof options);
  return options;
}

/* The defaults, then the simulation section of the model. Statuses: OK; MODEL: the section has an impossible value;
 * those of brink_hsml_build. */
BRINK_API brink_status brink_hsml_fill_options(brink_hsml *model, brink_run_options *options,
                                               size_t size, brink_diag *diag);

static inline brink_status brink_hsml_options(brink_hsml *model, brink_run_options *options,
                                              brink_diag *diag) {
  return brink_hsml_fill_options(model, options, sizeof *options, diag);
}
/* One option by its name in the simulation section ("rtol", "method", "until", …) and a word for its value. ARGUMENT:
 * there is no such option, or it cannot have this value. */
BRINK_API brink_status brink_run_option(brink_run_options *options, const char *name,
                                        const char *value, brink_diag *diag);

/* --------------------------------------------------------------------------------- runs ------- */

typedef struct brink_run brink_run;

/* A run from the values of the model. `options` NULL: brink_hsml_options. Statuses: OK; ARGUMENT, DOMAIN, MEMORY,
 * UNSUPPORTED; those of brink_hsml_build. */
BRINK_API brink_status brink_run_create(brink_hsml *model, const brink_run_options *options,
                                        const brink_allocator *allocator, brink_diag *diag,
                                        brink_run **run);
BRINK_API void
brink_run_destroy(brink_run *run); /* NULL is fine; does nothing from inside what the run calls */

/* Moves on. Never past t_limit, which may be INFINITY (not with agents that have clocks of their own), and never past
 * the end that the model or a failure gives the run.
 *   STEPPED, EVENT   there is more
 *   TIME_REACHED     t_limit is reached
 *   STOPPED          the model said stop(…), or an observer did
 *   CANCELLED        brink_run_cancel
 *   ERR_WORK         options.sim.max_steps steps were taken by this call: call it again
 * or a failure, of which brink_run_outcome says more. */

/* To the end of the next step, or to the event at its end. */
BRINK_API brink_status brink_run_step(brink_run *run, double t_limit, brink_diag *diag);
/* To the next event that an observer is told of. */
BRINK_API brink_status brink_run_next_event(brink_run *run, double t_limit, brink_diag *diag);
/* To t_end, past all events on the way. The last step ends there. Backwards in time, if options.until is before
 * options.from. */
BRINK_API brink_status brink_run_to(brink_run *run, double t_end, brink_diag *diag);
/* Until values at the time t can be read by brink_run_get_at. Steps are as long as they would be without it: the
 * present may then be later than t, but not later than t_limit. TIME_REACHED: they can. */
BRINK_API brink_status brink_run_output(brink_run *run, double t, double t_limit, brink_diag *diag);

/* Ends the call that is under way, in another thread or in this one, after the step or the turn that it is at; if none is, the
 * next one. May be called from a signal handler. The run can go on after it, unless that cut off the first comparison of
 * agents with each other, a step that had gone on for 0.1 s (CANCELLED), or more than a thousand rows of results in one step
 * (STOPPED): then it is over. */
BRINK_API void brink_run_cancel(brink_run *run);

/* Back to the start, with the values that the model had when the run was created; nothing is compiled or allocated anew. Recordings end before.
 * Values that brink_run_set writes before the first step are those that the run starts from. */
BRINK_API brink_status brink_run_reset(brink_run *run, brink_diag *diag);

/* A second run at the same point, if the run is not over: both go on independently, and alike. Recordings and observers are not copied; the
 * method restarts nowhere: a clone of a run takes the same steps. Compiled code is shared. */
BRINK_API brink_status brink_run_clone(const brink_run *run, brink_diag *diag, brink_run **clone);

/* -------------------------------------------------------------------------- values of a run --- */

BRINK_API double brink_run_time(const brink_run *run);

/* A value, found once by its name and read many times. */
typedef struct brink_value {
  uint32_t variable;
  uint32_t type; /* brink_hsml_type */
  size_t element;
} brink_value;

/* ARGUMENT: there is no such name; the message has the nearest one. */
BRINK_API brink_status brink_run_find(const brink_run *run, const char *name, brink_value *value,
                                      brink_diag *diag);
/* At the present. A string is the number of its text: brink_run_text. */
BRINK_API double brink_run_value(brink_run *run, brink_value value);
BRINK_API brink_status brink_run_get(brink_run *run, const char *name, double *value,
                                     brink_diag *diag);
/* Of strings, booleans and numbers alike, as the language writes them; lives until the next call. NULL: no such name. */
BRINK_API const char *brink_run_get_text(brink_run *run, const char *name);
BRINK_API const char *brink_run_text(const brink_run *run, double number);

/* Dense output: at a time inside the last step (agents: from the last turn to the next one). */
BRINK_API brink_status brink_run_get_at(brink_run *run, double t, const brink_value *values,
                                        size_t count, double *out, brink_diag *diag);

/* Writes a state, a mode, an input or a parameter at the present (see brink_writable); what jumps by it happens at
 * once. What depends on a parameter by its initial value does not follow: for that there is brink_hsml_set. A value that
 * the model was made with (a size, a period, a number in a guard) is refused. Not from an observer. */
BRINK_API brink_status brink_run_set(brink_run *run, const char *name, double value,
                                     brink_diag *diag);
BRINK_API brink_status brink_run_set_text(brink_run *run, const char *name, const char *text,
                                          brink_diag *diag);

/* ---------------------------------------------------------------------------- observers ------- */

typedef struct brink_moment brink_moment;

/* What an impulse of an unknown has done at an instant: states have jumped by dx'/dz times it. */
typedef struct brink_run_impulse {
  const char *unknown; /* "tension" */
  double value;
} brink_run_impulse;

/* An event that is complete: its instant is over. Pointers are valid during the call. */
typedef struct brink_run_event {
  double t;
  const char *flag; /* "plant.empty", "w.rule[1]", "plant@12:7" */
  brink_direction direction;
  bool generated;        /* the compiler made the flag: a corner of abs, a relation, … */
  size_t nagents;        /* of a pair: 2; else 0 */
  const char *agents[2]; /* "car[3]", "truck[7]" */
  const brink_moment *before, *after;
  size_t nimpulses; /* those of the instant, with its last event; else 0 */
  const brink_run_impulse *impulses;
} brink_run_event;

typedef struct brink_run_observer {
  /* Called before the next step. They may read the run, not move or write it. Return 0 to go on, anything else to stop
   * the run. */
  int (*event)(brink_run *run, const brink_run_event *event, void *user);
  int (*step)(brink_run *run, double t0, double t1, void *user); /* single systems only */
  void *user;
} brink_run_observer;

/* From now on; NULL: nobody. Copied. */
BRINK_API void brink_run_observe(brink_run *run, const brink_run_observer *observer);
/* A value before or after an event; states, modes, parameters and inputs. NaN: it is of an agent that the event does
 * not concern, in a run of many, or it is computed by equations. */
BRINK_API double brink_moment_value(const brink_run *run, const brink_moment *moment,
                                    brink_value value);

/* --------------------------------------------------------------------------- constraints ------ */

/* Which constraints hold. Pointers live until the run is moved, or asked again. */
typedef struct brink_run_structure {
  int index;             /* 1: they determine unknowns only; from 2 on they tie states */
  size_t nstates, nfree; /* declared; that may be chosen */
  size_t ntied;          /* groups of states that constraints tie together, */
  const size_t *tied; /* ntied + 1 of them: group k has the names tied[k] ... tied[k + 1] - 1 of */
  const char *const *names;
} brink_run_structure;

/* At the present; an observer may ask, too. ARGUMENT: the model has no constraints, or the run has not begun. All
 * structures of a run, with their times, are in its summary (brink_run_summary of <brink/record.h>). */
BRINK_API brink_status brink_run_get_structure(brink_run *run, brink_run_structure *structure,
                                               brink_diag *diag);

/* --------------------------------------------------------------------------- what became ------ */

typedef struct brink_run_outcome {
  const char *status;  /* "running", "finished", "stopped", "failed" */
  const char *reason;  /* failed: "range", "fail", "zeno", "step", …; else NULL */
  const char *message; /* in the words of the model; NULL: none */
  const char *hint;    /* what to try; NULL: none */
  double t;
  size_t nwarnings;
  const char *const *
      warnings; /* odd starts; a model that looks stiff; values that are not numbers; values outside their ranges */
  const char *
      rendered; /* a failure that places in the text have to do with: message, hint and these, as compilers
                           show them; lines end with \n. NULL: none */
} brink_run_outcome;

BRINK_API brink_run_outcome brink_run_result(brink_run *run);

typedef struct brink_run_info {
  brink_stats stats;         /* of all agents together */
  size_t agents;             /* with clocks of their own; 0: a single system */
  const char *engine;        /* "clang", "cc", "cache", "interpreter" */
  const char *engine_reason; /* why it is interpreted, if nobody asked for that; "" */
  double compile_seconds;
} brink_run_info;

BRINK_API brink_run_info brink_run_information(brink_run *run);

#ifdef __cplusplus
}
#endif

#endif
