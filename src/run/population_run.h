/* population_run.h: a run of agents that have clocks of their own (src/agents), with the same side to its caller as that
 * of a single system.
 *
 *   templates.c              the systems of the model: all agents, one of each population, two for each pair
 *   population_run.c             their instances, the engine; names
 *   population_view.c            all agents at one time, as one system; values that equations compute
 *   population_events.c          events, slides, near misses to the journal and the results
 *   population_loop.c            turns; rows
 *   population_archive.c         to bytes and back
 *   population_ranks.c           several ranks make it together (ranks.h) */
#ifndef BRINK_RUN_POPULATION_RUN_H
#define BRINK_RUN_POPULATION_RUN_H

#include "agents/agents.h"
#include "run/run.h"

/* With more agents, an event is told with the values of those concerned, and has no rows of its own. */
enum { BRINK_FEW_AGENTS = 1000 };

/* All agents at one time, in the slots of the system of all. */
typedef struct brink_view {
  double t;
  double *x, *p, *v, *dx;
  int *mode;
} brink_view;

/* Rows at equal distances. */
typedef struct brink_grid {
  brink_ticks ticks;
  int64_t next;
  bool any;
} brink_grid;

/* An instance, and how many of its warnings are told; the same once more for each thread, as an instance belongs to
 * one. */
typedef struct brink_instance_set {
  brink_system *system;
  brink_instance *instance;
  brink_instance **others;
  const brink_model **models; /* of the others */
  size_t warnings;
} brink_instance_set;

/* Where the agents of a population start, one after another. */
typedef struct brink_start {
  double *x, *p;
  int *mode;
} brink_start;

typedef struct brink_population_ranks brink_population_ranks;

struct brink_population_run {
  brink_run *run;
  const brink_agent_tables *tables;
  brink_instance_set *one, *pair; /* for each population, for each block */
  brink_start *starts;            /* for each population */
  brink_agents_start *given;      /* … as the engine takes them, … */
  bool restarts;                  /* … which it has not yet */
  brink_population_def *populations;
  brink_pair_def *pairs;
  brink_agents *agents;
  brink_population_ranks *ranks; /* NULL: none */
  size_t threads;                /* that compute turns ahead; 0: none */
  brink_agent_counts counts;

  double end;    /* of the engine: no call has gone further */
  double now;    /* where a call ended that goes less far */
  bool begun;    /* all agents may be read */
  bool few;      /* events are told with the values of all */
  bool computes; /* rows have values that equations compute */
  brink_view before, after;
  const brink_view *seen; /* the one that values are read from */
  double *x, *p;          /* room for an agent */
  int *mode;
  bool over; /* `before` holds how it ended */

  /* The last event that was told; `after` holds what it left behind. */
  bool happened; /* in the present turn */
  bool any;      /* ever */
  brink_agent_event last_event;
  brink_agent_event last_action; /* also of flags that are not told */
  uint32_t last_flag;
  size_t last_index;
  brink_instance_set *noting; /* whose notes are told … */
  size_t notes_seen;          /* … so far */

  brink_grid rows, frames; /* of --every; of the report */
  double last;             /* time of the last row */
  bool logged;             /* … and it tells what holds after everything at that time */
  bool written;            /* what somebody wrote at the present has no row yet */

  const char **warnings;
  size_t nwarnings, warnings_capacity;
  bool ended; /* an agent ended the run before it began: `who` */
  brink_agent_event who;
};

/* population_run.c */

/* Instances and engine. UNSUPPORTED: everything must be in one system. */
brink_status brink_population_run_create(brink_run *run);
void brink_population_run_destroy(brink_population_run *self); /* NULL is fine */

/* Who ended the run, or failed. */
brink_agent_event brink_population_run_who(const brink_population_run *self);
brink_instance_set *brink_population_run_actor(const brink_population_run *self,
                                               const brink_agent_event *who);
/* "car[1]" in a message about an agent gets its number: copied into the arena of the run. */
const char *brink_population_run_rename(const brink_population_run *self,
                                        const brink_agent_event *who, const char *text);
/* New warnings of an actor are those of `who`. */
void brink_population_run_warnings(brink_population_run *self, const brink_agent_event *who);

/* Back to the start. */
brink_status brink_population_run_reset(brink_run *run);
/* The same agents at their start, for a second run. */
brink_status brink_population_run_again(const brink_run *from, brink_run *to, brink_diag *diag);
/* The same agents at the same point, for a second run. */
brink_status brink_population_run_clone(const brink_run *from, brink_run *to, brink_diag *diag);

/* A value of the system of all at a time at which agents may be read. */
double brink_population_run_value(brink_population_run *self, uint32_t variable, size_t element,
                                  double t);
/* Writes a value of an agent at the present. */
brink_status brink_population_run_write(brink_population_run *self, const char *name,
                                        uint32_t variable, size_t element, double value,
                                        brink_diag *diag);

void brink_population_run_summary(brink_population_run *self, brink_summary *summary);

/* population_archive.c: between two moves (base/archive.h), into a run that has begun and not moved. */
void brink_population_run_archive(brink_population_run *self, brink_archive *a);

/* population_ranks.c */

/* Do ranks take the next turns? */
bool brink_population_ranks_lead(const brink_population_run *self);
/* Has the run's own engine all agents as they are? */
bool brink_population_ranks_whole(const brink_population_run *self);
/* Turns of all ranks, up to `pause`, which may be the end: `last`. OK: there are more. TIME_REACHED: all agents may be read
 * at `pause`. */
brink_status brink_population_ranks_move(brink_run *run, double pause, bool last);
/* The run is over: all agents come together, and the other ranks return. */
void brink_population_ranks_end(brink_population_run *self);
void brink_population_ranks_destroy(brink_population_run *self);

/* population_view.c */

bool brink_view_create(brink_population_run *self); /* false: out of memory */
/* An agent as it is in these arrays. */
void brink_view_put(const brink_population_run *self, brink_view *view, size_t population,
                    size_t agent, const double *x, const double *p, const int *mode);
/* All agents at t, which must be one that they may be read at. */
void brink_view_fill(brink_population_run *self, brink_view *view, double t);
/* One agent of `from`. */
void brink_view_copy_agent(const brink_population_run *self, brink_view *to, const brink_view *from,
                           size_t population, size_t agent);
void brink_view_copy(const brink_population_run *self, brink_view *to, const brink_view *from);
brink_moment brink_view_moment(const brink_view *view);
/* For the columns of the system of all; user: the self. */
brink_computed brink_view_computed(brink_population_run *self);

/* population_events.c */

void brink_population_events_begin(brink_population_run *self);
/* The turn is over: what happened in it is complete. */
void brink_population_events_settle(brink_population_run *self, bool goes_on);
/* Slides that are under way; who acted last goes from `after` to `before`. */
void brink_population_events_slides(brink_population_run *self);
void brink_population_events_apply(brink_population_run *self);
/* The name of the flag that was told last, and how a person is told of it; false: there is none. */
bool brink_population_events_last(const brink_population_run *self, const char **name,
                                  const char **label);

/* population_loop.c */

brink_status brink_population_run_begin(brink_run *run);
/* The first instant of all agents, which plan up to `limit`. */
brink_status brink_population_run_first(brink_run *run, double limit);
/* A turn (`single`: no more than that), or several if nobody looks at each. STEPPED, ERR_WORK: there is more. */
brink_status brink_population_run_move(brink_run *run, bool single, double limit);
/* The engine may go as far as `limit`: then its next turn is known, and what may be read before it. Nothing moves. */
brink_status brink_population_run_open(brink_run *run, double limit);
/* After the last turn: rows and events are complete. */
void brink_population_run_end(brink_run *run);
/* The present: of the engine, or where a nearer limit left the run. */
double brink_population_run_time(const brink_population_run *self);
brink_moment brink_population_run_now(brink_population_run *self);
/* Values of the present are going to be written, or were: rows before and after. */
void brink_population_run_before_write(brink_population_run *self);
void brink_population_run_written(brink_population_run *self);
/* A row of the results, if it comes after the last one. */
void brink_population_run_row(brink_population_run *self, const brink_view *view, bool rests);

#endif
