/* record.h: what a run leaves behind.
 *
 *   columns.c   the quantities of a system that are recorded, with their names
 *   trace.c     which rows a trajectory has: steps or a grid, events before and after
 *   results.h   rows as files, and in memory
 *   journal.c   events, slides and near misses, in order
 *   structures.c   which constraints held when, and their impulses
 *   json.c      the summary of a run as one JSON object
 *
 * Nothing here knows who simulates: values that equations compute are asked for through
 * brink_computed, and text leaves through brink_writer. */
#ifndef BRINK_RECORD_RECORD_H
#define BRINK_RECORD_RECORD_H

#include "base/archive.h"
#include "expr/system.h"

/* ---- moments ---- */

/* Everything that a value is read from. */
typedef struct brink_moment {
  double t;
  const double *x, *p;
  const int *mode;
  const signed char *sgn;
} brink_moment;

/* What equations compute: all of it at a moment first, then one by one. */
typedef struct brink_computed {
  void (*evaluate)(const brink_moment *moment, void *user);
  double (*slot)(brink_space space, size_t slot, void *user); /* of V and DX */
  double (*flag)(uint32_t flag, size_t index, void *user);    /* its value; NULL: flags have none */
  void *user;
} brink_computed;

/* Something to know about a run: where it came from. */
typedef struct brink_fact {
  const char *name, *value;
} brink_fact;

/* Takes text; anything but 0 is a failure, after which nothing more is written. */
typedef struct brink_writer {
  int (*write)(const char *text, size_t length, void *user);
  void *user;
} brink_writer;

/* ---- columns.c ---- */

/* What a column shows: a variable; an input that is connected; the derivative of a state; the value of a flag. */
typedef enum brink_look {
  BRINK_LOOK_VARIABLE,
  BRINK_LOOK_ALIAS,
  BRINK_LOOK_DERIVATIVE,
  BRINK_LOOK_FLAG,
} brink_look;

/* Something recorded: its elements, or some of them, are the columns first … first + count - 1. */
typedef struct brink_tracked {
  brink_look look;
  uint32_t variable;        /* its number; ALIAS: that of the alias, FLAG: that of the flag */
  const brink_variable *as; /* type, unit, labels, group */
  const uint32_t *elements; /* which; NULL: all, in order */
  size_t first, count;
} brink_tracked;

/* Columns in the order in which they were added; constants (parameters, inputs that nothing drives) are the last. */
typedef struct brink_columns {
  brink_arena arena;
  const brink_system *system;
  brink_computed computed;
  brink_tracked *tracked;
  size_t ntracked, tracked_capacity;
  size_t nheld; /* the first of `tracked`: states and modes, all of them; 0: others are there */
  size_t nvarying, varying; /* of `tracked`, and of the columns: before the constants */
  size_t left_out;          /* columns that would be there if the model were smaller … */
  const char *left_names;   /* … the first of their names; NULL: none */
  const char *
      *name; /* of each column: "car[3].x"; NULL: there are too many (brink_columns_names) */
  size_t count;
  bool computes; /* some column has to be computed by equations */
} brink_columns;

/* No columns so far. `system` must outlive them; `computed` may be NULL: values are not asked for. */
void brink_columns_begin(brink_columns *columns, const brink_system *system,
                         const brink_computed *computed, const brink_allocator *allocator);
/* One thing more: `count` of its elements, `elements` of them (which must outlive the columns) or, NULL, all. Constants
 * after everything else. False: out of memory. */
bool brink_columns_add(brink_columns *columns, brink_look look, uint32_t variable,
                       const uint32_t *elements, size_t count);
/* How many elements there are. */
size_t brink_columns_elements(const brink_system *system, brink_look look, uint32_t variable);
/* Does it hold still during a run? */
bool brink_variable_is_constant(const brink_system *system, uint32_t variable);
/* "state", "mode", "output", "input", "variable", "parameter", "derivative", "flag". */
const char *brink_tracked_kind(const brink_tracked *tracked);

/* States, then modes, then outputs, each in the order of the system. `system` must outlive the columns. MEMORY, or OK. */
brink_status brink_columns_init(brink_columns *columns, const brink_system *system,
                                const brink_computed *computed, const brink_allocator *allocator);
/* Parameters, then inputs with values of their own, instead: what holds still during a run. Read them
 * from a moment that has only p and mode. */
brink_status brink_columns_init_given(brink_columns *columns, const brink_system *system,
                                      const brink_allocator *allocator);
void brink_columns_free(brink_columns *columns);

/* The name of an element, added to the text. */
void brink_look_name(const brink_system *system, brink_look look, uint32_t variable, size_t element,
                     brink_text *text);
/* Makes the names, however many there are. False: out of memory. */
bool brink_columns_names(brink_columns *columns);
/* The name of one column; it may live in `room`, until that is used again. */
const char *brink_columns_name(const brink_columns *columns, const brink_tracked *tracked,
                               size_t element, brink_text *room);

/* Call before reading values at another moment. */
void brink_columns_visit(const brink_columns *columns, const brink_moment *moment);
double brink_columns_value(const brink_columns *columns, const brink_tracked *tracked,
                           size_t element, const brink_moment *moment);
/* All of them, which must not be computed by equations or have been visited there. */
void brink_columns_values(const brink_columns *columns, const brink_moment *moment, double *values);

/* ---- gaps.c ---- */

/* Where a variable is not a number for the first time, of those that anybody looked at. */
typedef struct brink_gap {
  double t; /* of the model; NaN: it always was one */
  size_t element;
} brink_gap;

typedef struct brink_gaps {
  brink_gap *of; /* each variable of the system */
  size_t count;
} brink_gaps;

/* None yet; the memory is taken once. False: out of memory. */
bool brink_gaps_begin(brink_gaps *gaps, const brink_system *system, brink_arena *arena);
/* One value, or all values of a row, at the time t of the model; gaps NULL: nobody asks. */
void brink_gaps_value(brink_gaps *gaps, const brink_tracked *tracked, size_t element, double value,
                      double t);
void brink_gaps_values(brink_gaps *gaps, const brink_columns *columns, const double *values,
                       double t);
/* The same of values that are not known yet: they are computed. */
void brink_gaps_look(brink_gaps *gaps, const brink_columns *columns, const brink_moment *moment);
void brink_gaps_archive(brink_gaps *gaps, brink_archive *a);

/* A value as a person or a spreadsheet reads it: 0.5, draining, true. */
void brink_value_text(const brink_system *system, brink_value_type type, double value,
                      brink_text *text);

/* Files without strings have numbers in their place: the texts that a variable may have, counted
 * (0: it is no string) and by number, and the number of a value (-1: none of them). */
size_t brink_labels(const brink_system *system, const brink_variable *variable);
const char *brink_label(const brink_system *system, const brink_variable *variable, size_t k);
double brink_label_code(const brink_variable *variable, double value);

/* "car[3].x" without its indices, instead of what is in the text: what the elements of a variable share. */
void brink_bare_name(const char *name, brink_text *text);

/* Does the variable belong to this instance of a group, or to a part of it? Then its elements are
 * first … first + count - 1. The top component (no segments) has everything. */
bool brink_variable_of(const brink_system *system, uint32_t variable, uint32_t group,
                       size_t instance, size_t *first, size_t *count);

/* ---- trace.c ---- */

/* Decides on rows. Between events: the end of each step, or the times of a grid, read from the dense
 * output; the start and the end of the run always. At an instant with n events there are n + 1 rows:
 * the values before each of them, and those after the instant. Times never decrease. */
typedef struct brink_trace {
  const brink_sim *sim;
  size_t nx, np, nmodes;
  double (*grid)(int64_t k, void *user); /* strictly increasing from the start; NULL: every step */
  /* With no grid: rows that a step is cut into; NULL: one, its end. */
  size_t (*parts)(const brink_step_record *record, void *user);
  int (*row)(const brink_moment *moment, void *user); /* not 0: stop */
  void *user;

  int64_t next; /* grid point */
  bool started;
  bool after_due; /* the values after an instant are still to come, … */
  bool written;   /* … those that somebody wrote */
  bool at_step;   /* the last row is the end of a step, with these parameters and modes … */
  bool at_rest;   /* … or holds the values after everything at its time */
  double last;    /* time of the last row */
  double *x;      /* room */
  double *rest_x; /* the state after the last event (or at the start), at rest_t */
  double rest_t;
  double *step_p;
  int *step_mode;
} brink_trace;

/* For a simulation that has not begun; nx, np, nmodes of its model. False: out of memory. */
bool brink_trace_init(brink_trace *trace, const brink_sim *sim, size_t nx, size_t np, size_t nmodes,
                      brink_arena *arena);

/* To bytes and back (base/archive.h), after brink_trace_init. */
void brink_trace_archive(brink_trace *trace, brink_archive *a);

/* Call these from the sink; they return what it returns. */
int brink_trace_step(brink_trace *trace, const brink_step_record *record);
int brink_trace_event(brink_trace *trace, const brink_event_record *record);
/* Constraints have moved the state, or found the first one. */
void brink_trace_moved(brink_trace *trace, double t, const double *x);
/* Somebody is going to write values at the present, or has: a row before, one after, for all that is written at a time. */
int brink_trace_before_write(brink_trace *trace);
void brink_trace_written(brink_trace *trace);
/* When the run is over, however it ended. */
int brink_trace_end(brink_trace *trace);

/* ---- journal.c ---- */

typedef struct brink_log_note {
  const char *label;
  const brink_value_type *types;
  const double *values;
  size_t nvalues;
} brink_log_note;

/* Whose values an event is about: agents, as instances of groups. */
typedef struct brink_participants {
  size_t count; /* 0: everybody's; 1; 2: the partners of a pair */
  uint32_t group[2];
  size_t instance[2];
} brink_participants;

/* Where all agents are in one system: the partners of a pair, else everybody. */
brink_participants brink_participants_of(const brink_flag *flag, size_t index);

/* An event that is complete, as a listener is told of it. */
typedef struct brink_logged_event {
  double t;
  uint32_t flag;
  size_t index; /* which of its instances */
  const brink_participants *participants;
  const char *name;
  brink_direction direction;
  int64_t row;           /* as it was told */
  const char *changes;   /* as in a headline; "" for all but the first `detailed` */
  const double *impulse; /* of each unknown at the instant, if this is its last event; NULL: none */
  double condition;      /* NaN: it has none, or nobody has worked it out */
} brink_logged_event;

/* One event as the journal is told of it. */
typedef struct brink_event_input {
  const brink_event_record *record;
  uint32_t flag;
  size_t index; /* which of its instances */
  brink_participants participants;
  int64_t row; /* of a trajectory: the values before it; for the listener */
  const brink_log_note *notes;
  size_t nnotes;
} brink_event_input;

/* What a person is shown of an event. */
typedef struct brink_headline {
  double t;
  brink_text flag;
  brink_direction direction;
  brink_text changes; /* "phase = empty, v = 3.2"; empty: nothing */
} brink_headline;

#define BRINK_HEADLINES 10

typedef struct brink_entry brink_entry;

/* From when to when constraints held. */
typedef struct brink_structure_span {
  double from, to;
  const brink_structure *structure;
  size_t nstates, nfree;
} brink_structure_span;

typedef struct brink_journal {
  const brink_columns *columns;
  bool json;       /* keep everything as JSON, too */
  bool states;     /* … with the whole state of every event, however large; set after init */
  size_t detailed; /* so many events have their changes told to the listener */
  size_t listed;   /* without json: so many slides and near misses are kept as JSON */
  void (*listen)(const brink_logged_event *logged, void *user); /* may be NULL; set after init */
  void *listener;
  size_t nx; /* of the model */
  size_t nevents, nslides, nmisses;
  brink_headline headline[BRINK_HEADLINES];
  size_t nheadlines;
  brink_text events, sliding, misses; /* elements of JSON arrays */
  brink_text closest;                 /* likewise: approaches that no event followed */
  brink_text slides, near;            /* lines for a person, the first few */
  brink_entry *open;                  /* events of the present instant */
  size_t nopen, open_capacity;
  brink_structure_span span[2]; /* the last two structures: an instant may take one back */
  size_t nspans;
  size_t nstructures;    /* that are over */
  brink_text structures; /* elements of a JSON array */
  brink_text indices;    /* words for a person, the first few */
  double *impulse;       /* of each unknown at the present instant; NULL: none so far */
  bool has_impulse;
  brink_text room; /* for names */
  bool failed;     /* out of memory: something is missing */
} brink_journal;

void brink_journal_init(brink_journal *journal, const brink_columns *columns, size_t nx, bool json);
void brink_journal_free(brink_journal *journal);

/* Is this flag (with this direction) something to tell? Range surfaces, leaves of formulas and
 * conditions of leaving are not; rules are when they become true. */
bool brink_journal_wants(const brink_system *system, uint32_t flag, brink_direction direction);

void brink_journal_event(brink_journal *journal, const brink_event_input *input);
/* The instant is over: p and mode are what holds after it. Rules act after its events, so that what
 * they changed, and remarked, is known only now; the remarks go to the last event. */
void brink_journal_settle(brink_journal *journal, const double *p, const int *mode,
                          const brink_log_note *notes, size_t nnotes);
void brink_journal_slide(brink_journal *journal, uint32_t flag, size_t index, double from,
                         double to);
void brink_journal_miss(brink_journal *journal, uint32_t flag, size_t index,
                        const brink_near_miss *miss);

/* Constraints have moved the state, after the events so far of this instant; p and mode are what holds now. */
void brink_journal_transfer(brink_journal *journal, const brink_transfer_record *record,
                            const double *p, const int *mode);

/* The condition number of an event of the present instant, the first of this flag that has none yet (NaN:
 * it has none), and more about it, as an object in JSON (NULL: nothing). */
void brink_journal_condition(brink_journal *journal, uint32_t flag, size_t index, double condition,
                             const char *details);
/* Closest approaches of a flag that no event followed, as members of an object in JSON. */
void brink_journal_closest(brink_journal *journal, uint32_t flag, size_t index,
                           const char *members);

/* ---- journal_archive.c ---- */

/* Can it be saved now? Not at an instant in which constraints have just changed. */
bool brink_journal_can_archive(const brink_journal *journal, double t);
/* To bytes and back (base/archive.h), into a journal that has just begun. `structure`: which constraints hold now. */
void brink_journal_archive(brink_journal *journal, const brink_structure *structure,
                           brink_archive *a);

/* ---- structures.c ---- */

/* The structure before the present one is written down: no instant can take the present one back any more. */
void brink_journal_write_structure(brink_journal *journal);

/* Other constraints hold. Two changes at one instant leave one structure, or none. */
void brink_journal_structure(brink_journal *journal, const brink_structure_record *record);
/* The run is over: so is the last structure. */
void brink_journal_end_structures(brink_journal *journal, double t);
/* {"tension":1.861}: the impulses that are not zero. */
void brink_journal_impulses(const brink_journal *journal, brink_text *text);

/* ---- json.c ---- */

void brink_json_string(brink_text *text, const char *string);
/* A real: always with a point or an exponent; not finite: a string. */
void brink_json_real(brink_text *text, double value);
void brink_json_value(brink_text *text, const brink_system *system, brink_value_type type,
                      double value);

/* ["car[3]","truck[7]"]: the partners of a pair. */
void brink_json_agents(brink_text *text, const brink_system *system,
                       const brink_participants *participants);

/* Agents with clocks of their own. */
typedef struct brink_agent_counts {
  size_t agents;
  int64_t windows;                         /* of their plans: compared with those of others */
  int64_t compared, searched, pair_events; /* pairs: their boxes; their flags; events */
} brink_agent_counts;

/* The method was changed in the run. */
typedef struct brink_change_note {
  double t;
  const char *from, *to, *why;
} brink_change_note;

typedef struct brink_summary {
  const char *model;
  const char *status;  /* finished, stopped, failed */
  const char *reason;  /* failed: range, fail, zeno, step, …; else NULL */
  const char *message; /* NULL: none */
  double t, from;      /* at the end, at the start */
  uint64_t seed;
  const char *method, *events_method;
  const char *engine_reason; /* why it is interpreted, if nobody asked for that; may be NULL */
  double rtol, atol;
  const char *const *warnings;
  size_t nwarnings;
  size_t nstart; /* the first of them: about the start; the others: values outside their ranges */
  bool zeno;
  double zeno_t;
  const char *const *zeno_flags;
  size_t nzeno_flags;
  brink_stats stats;
  bool constraints;                 /* the model has some */
  bool not_started;                 /* failed: there is no consistent start, and no final state */
  const brink_change_note *changes; /* of the method, by auto; the first ones */
  size_t nchanges, total_changes;
  const brink_columns *kept;        /* more final values, of what is recorded; NULL: none */
  const char *against;              /* an object in JSON: another method's events; NULL: none */
  const brink_agent_counts *agents; /* NULL: all is one system */
  const char *engine;
  bool changed_over;  /* to it, from the interpreter … */
  double native_from; /* … at this time */
  double compile_seconds, wall_seconds;
  bool
      brief; /* the object is written without events and near misses, and with the first final values */
} brink_summary;

/* `journal` and `final` may be NULL, where the run did not begin. */
void brink_json_summary(brink_text *text, const brink_summary *summary,
                        const brink_journal *journal, const brink_moment *final);

#endif
