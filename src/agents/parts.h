/* parts.h: the engine's rooms. Only for the files that agents.h names. */
#ifndef BRINK_AGENTS_PARTS_H
#define BRINK_AGENTS_PARTS_H

#include "agents/agents.h"
#include "sim/pack.h"

#define BRINK_NOBODY UINT32_MAX

/* ---- crew.c ---- */

/* A population: one simulation, in which its agents take turns. */
typedef struct brink_crew {
  brink_population_def def;
  size_t first; /* number of its first agent among all */
  brink_sim *sim;
  brink_packing packing;
  char *packed;
  size_t at; /* the agent that is unpacked in the sim, or BRINK_NONE */
} brink_crew;

/* Agent `agent` of the crew goes to work; what it becomes is kept with brink_crew_keep. */
void brink_crew_take(brink_crew *crew, size_t agent);
void brink_crew_keep(brink_crew *crew, size_t agent);
void *brink_crew_packed(const brink_crew *crew, size_t agent);
/* As the definition says it starts. */
void brink_crew_start(brink_crew *crew, size_t agent);

/* ---- queue.c ---- */

/* Agents by the ends of their windows; of equal ones the first in number. Each is in it once. */
typedef struct brink_queue_item {
  double key;
  uint32_t agent;
} brink_queue_item;

typedef struct brink_queue {
  const double *key;
  brink_queue_item *heap;
  uint32_t *place;
  size_t count;
} brink_queue;

bool brink_queue_init(brink_queue *queue, const double *key, size_t n, brink_arena *arena);
void brink_queue_add(brink_queue *queue, uint32_t agent);
uint32_t brink_queue_first(const brink_queue *queue);
/* Its key has changed. */
void brink_queue_moved(brink_queue *queue, uint32_t agent);

/* ---- grid.c ---- */

/* Boxes around the windows of agents, in cells of a size that fits them. */
typedef struct brink_box {
  double low[3], high[3];
} brink_box;

/* A window of an agent as a line in space and time, and how far it is from it at most, with its size and the
 * tolerance around it. */
typedef struct brink_track {
  double at[3], rate[3]; /* at the start of the window, and per time */
  double off;
} brink_track;

typedef struct brink_grid brink_grid;

bool brink_grid_create(size_t n, int ndimensions, const brink_allocator *allocator,
                       brink_grid **grid);
void brink_grid_destroy(brink_grid *grid); /* NULL is fine */
size_t brink_grid_bytes(const brink_grid *grid);
/* The agent's box is this from now on. */
void brink_grid_put(brink_grid *grid, uint32_t agent, const brink_box *box);
const brink_box *brink_grid_box(const brink_grid *grid, uint32_t agent);

/* Who looks around: room for a list. Several may look into one grid at the same time, while nobody puts. */
typedef struct brink_grid_reader {
  uint32_t *list;
  size_t count, room;
} brink_grid_reader;

bool brink_grid_reader_create(const brink_grid *grid, brink_grid_reader *reader);
void brink_grid_reader_destroy(const brink_grid *grid, brink_grid_reader *reader);
/* Agents whose boxes meet this one, in the order of their numbers, without `agent`; how many. The list is the
 * reader's, until its next call. */
size_t brink_grid_meet(const brink_grid *grid, brink_grid_reader *reader, uint32_t agent,
                       const brink_box *box, const uint32_t **list, int64_t *checks);

/* ---- meeting.c ---- */

/* A pair block: room to look at two agents at a time. */
typedef struct brink_meeting {
  brink_pair_def def;
  brink_crew *crew[2];
  brink_eval eval;
  brink_detector detector;
  double *atol, *no_atol; /* of the run; zeros */
  size_t length;          /* coefficients of a polynomial */
  double *rows;           /* of all states of the pair */
  double *x0, *x1;        /* at both ends of the path */
  brink_path path;
  uint32_t *needed[2]; /* states of the agents that the guards read */
  size_t nneeded[2];
  double *before_x, *before_p; /* what an action finds */
  int *before_mode;
  double *timer;
  char message[BRINK_DIAG_MESSAGE]; /* that an action left */
  brink_grid *grid;                 /* NULL: all pairs */
  brink_grid_reader reader;
  bool touches;       /* some guard is unilateral: within the tolerance is an event */
  double sweep;       /* how far an agent goes in a window */
  brink_track *track; /* of each agent of both crews, if there is a grid */
} brink_meeting;

typedef struct brink_root_of_pair {
  bool found;
  double t;
  size_t guard;
  brink_direction direction;
  brink_event_kind kind;
} brink_root_of_pair;

bool brink_meeting_init(brink_meeting *meeting, const brink_pair_def *def, brink_crew *crews,
                        const brink_options *options, brink_arena *arena);
/* What two agents remember of each other. */
typedef struct brink_memory {
  bool met;        /* they have met, and nobody else since */
  bool fresh;      /* … just now */
  const void *old; /* what one of them was before it jumped, just now; NULL: nobody has */
  int jumper;      /* which side */
  bool begins;     /* this is the start of the run */
  int sign;        /* then: on which side of the guard they went on; 0: where their motion leads */
} brink_memory;

/* The first event between a and b (agents of the two crews) in [from, to]. */
brink_root_of_pair brink_meeting_search(brink_meeting *meeting, size_t a, size_t b, double from,
                                        double to, const brink_memory *memory);
/* What happens when they meet; *changed[k]: partner k is not as before. 0, BRINK_STOPPED, or a failure. */
int brink_meeting_act(brink_meeting *meeting, size_t a, size_t b, const brink_root_of_pair *root,
                      brink_event_record *record, bool changed[2]);
/* What the action left of a partner, into its simulation. */
void brink_meeting_scatter(brink_meeting *meeting, int side, brink_sim *sim);

/* A window of an agent's plan as a box, with its size and the tolerance around it. */
void brink_meeting_box(brink_meeting *meeting, int side, size_t agent, double from, double to,
                       brink_box *box);
/* Can the two come as near as their sizes and the tolerance, from `from` on for the time h? By numbers in the grid,
 * and how long before that their windows began. */
bool brink_meeting_may(const brink_meeting *meeting, uint32_t a, uint32_t b, double since_a,
                       double since_b, double h);
/* How fast the agent goes at a time of its plan. */
double brink_meeting_speed(const brink_meeting *meeting, int side, size_t agent, double t);

/* ---- engine.c ---- */

typedef enum brink_ending_of_window {
  BRINK_WINDOW_ENDS, /* there is more of the plan */
  BRINK_PLAN_ENDS,   /* a step, or something of its own */
  BRINK_MEETS,       /* a partner */
  BRINK_FINISHED,
} brink_ending_of_window;

struct brink_agents {
  brink_arena arena;
  brink_agents_def def;
  brink_agents_sink sink;
  brink_agents_stats stats;
  brink_crew *crews;
  brink_meeting *meetings;
  size_t n;
  bool started;
  double now, t_end, begun;

  /* Of each agent. */
  uint16_t *crew_of;
  double *start, *end; /* its window */
  double *valid;       /* how far its plan is good */
  uint8_t *ending;
  uint32_t *partner; /* MEETS; and with whom it met last, … */
  uint32_t *met;
  double *met_at;   /* … and when, */
  int8_t *met_sign; /* and on which side of the guard it went on; 0: where its motion leads */
  /* Events of its own: the last one, the time since the one before, how often in a row that has shrunk. */
  double *event_at;
  float *gap;
  uint8_t *shrunk;
  int *idle; /* times in a row that it did not move */
  /* MEETS: which pair, and the event. */
  uint16_t *block;
  uint32_t *guard;
  int8_t *direction;
  uint8_t *kind;
  bool *there;     /* it has a window */
  char *old;       /* room for one agent, packed: what it was before its turn */
  uint32_t jumper; /* the agent that an action of its own has changed, in this turn; BRINK_NOBODY */
  uint32_t acting; /* the one whose simulation speaks to the sink, … */
  size_t acting_block; /* … or a pair, of this block; else BRINK_NONE */
  uint32_t acting_pair[2];

  brink_queue queue;
};

#endif
