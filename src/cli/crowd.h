/* crowd.h: a run of agents that have clocks of their own (src/agents), as the rest of the program sees it.
 *
 *   run/templates.c          the systems of the model: all agents, one of each population, two for each pair
 *   crowd.c                  their instances, the engine; names
 *   crowd_view.c             all agents at one time, as one system; values that equations compute
 *   crowd_tell.c             events, slides, near misses to the journal and the results
 *   crowd_run.c              the loop; rows */
#ifndef BRINK_CLI_CROWD_H
#define BRINK_CLI_CROWD_H

#include "agents/agents.h"
#include "cli/run.h"

/* With more agents, an event is told with the values of those concerned, and has no rows of its own. */
enum { CLI_CROWD_FEW = 1000 };

/* All agents at one time, in the slots of the system of all. */
typedef struct cli_view {
  double t;
  double *x, *p, *v;
  int *mode;
} cli_view;

/* Rows at equal distances. */
typedef struct cli_samples {
  brink_ticks ticks;
  int64_t next;
  bool any;
} cli_samples;

/* An instance, and how many of its warnings are told; the same once more for each thread, as an instance belongs to
 * one. */
typedef struct cli_actor {
  brink_system *system;
  brink_instance *instance;
  brink_instance **others;
  const brink_model **models; /* of the others */
  size_t warnings;
} cli_actor;

struct cli_crowd {
  cli_simulation *run;
  const brink_agent_tables *tables;
  cli_actor *one, *pair; /* for each population, for each block */
  brink_population_def *populations;
  brink_pair_def *pairs;
  brink_agents *agents;
  size_t threads; /* that compute turns ahead; 0: none */
  brink_agent_counts counts;

  bool begun;    /* all agents may be read */
  bool few;      /* events are told with the values of all */
  bool computes; /* rows have values that equations compute */
  cli_view before, after;
  const cli_view *seen; /* the one that values are read from */
  double *x, *p;        /* room for an agent */
  int *mode;
  bool over; /* `before` holds how it ended */

  /* The last event that was told; `after` holds what it left behind. */
  bool happened; /* in the present turn */
  bool any;      /* ever */
  brink_agent_event last_event;
  brink_agent_event last_action; /* also of flags that are not told */
  uint32_t last_flag;
  size_t last_index;
  cli_actor *speaker; /* whose notes are told … */
  size_t notes_told;  /* … so far */

  cli_samples rows, frames; /* of --every; of the report */
  double last;              /* time of the last row */
  bool told;                /* … and it tells what holds after everything at that time */

  const char **warnings;
  size_t nwarnings, warnings_capacity;
  bool ended; /* an agent ended the run before it began: `who` */
  brink_agent_event who;
};

/* crowd.c */

/* Instances and engine. UNSUPPORTED: everything must be in one system. */
brink_status cli_crowd_create(cli_simulation *run);
void cli_crowd_destroy(cli_crowd *crowd); /* NULL is fine */

/* Who ended the run, or failed. */
brink_agent_event cli_crowd_who(const cli_crowd *crowd);
cli_actor *cli_crowd_actor(const cli_crowd *crowd, const brink_agent_event *who);
/* "car[1]" in a message about an agent gets its number: copied into the arena of the run. */
const char *cli_crowd_rename(const cli_crowd *crowd, const brink_agent_event *who,
                             const char *text);
/* New warnings of an actor are those of `who`. */
void cli_crowd_warnings(cli_crowd *crowd, const brink_agent_event *who);

void cli_crowd_summary(cli_crowd *crowd, brink_summary *summary);

/* crowd_view.c */

bool cli_view_create(cli_crowd *crowd); /* false: out of memory */
/* An agent as it is in these arrays. */
void cli_view_put(const cli_crowd *crowd, cli_view *view, size_t population, size_t agent,
                  const double *x, const double *p, const int *mode);
/* All agents at t, which must be one that they may be read at. */
void cli_view_fill(cli_crowd *crowd, cli_view *view, double t);
/* One agent of `from`. */
void cli_view_adopt(const cli_crowd *crowd, cli_view *to, const cli_view *from, size_t population,
                    size_t agent);
void cli_view_copy(const cli_crowd *crowd, cli_view *to, const cli_view *from);
brink_moment cli_view_moment(const cli_view *view);
/* For the columns of the system of all; user: the crowd. */
brink_computed cli_view_computed(cli_crowd *crowd);

/* crowd_tell.c */

void cli_tell_begin(cli_crowd *crowd);
/* The turn is over: what happened in it is complete. */
void cli_tell_settle(cli_crowd *crowd, bool goes_on);
/* Slides that are under way; who acted last goes from `after` to `before`. */
void cli_tell_slides(cli_crowd *crowd);
void cli_tell_adopt(cli_crowd *crowd);
/* The name of the flag that was told last; false: there is none. */
bool cli_tell_last(const cli_crowd *crowd, const char **name);

/* crowd_run.c */

bool cli_crowd_begin(cli_simulation *run); /* false: said */
brink_status cli_crowd_simulate(cli_simulation *run);
void cli_crowd_end(cli_simulation *run, brink_status status);
brink_moment cli_crowd_now(cli_crowd *crowd);
/* A row of the results, if it comes after the last one. */
void cli_crowd_row(cli_crowd *crowd, const cli_view *view, bool rests);

#endif
