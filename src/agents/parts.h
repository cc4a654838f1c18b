/* parts.h: the engine's rooms. Only for the files that agents.h names. */
#ifndef BRINK_AGENTS_PARTS_H
#define BRINK_AGENTS_PARTS_H

#include "agents/agents.h"
#include "sim/pack.h"

#define BRINK_NOBODY UINT32_MAX

/* Somebody will read this: memory is told. */
static inline void brink_fetch(const void *memory, size_t size) {
#if defined(__GNUC__)
  for (size_t k = 0; k < size; k += 64) __builtin_prefetch((const char *)memory + k);
#else
  (void)memory, (void)size;
#endif
}

/* ---- crew.c ---- */

/* A population as one worker sees it: a simulation of its own, in which the agents take turns. The agents, packed,
 * are those of all workers. */
typedef struct brink_crew {
  brink_population_def def;
  size_t first; /* number of its first agent among all */
  brink_sim *sim;
  brink_packing packing;
  char *packed;
} brink_crew;

/* Agent `agent` of the crew goes to work. */
void brink_crew_take(brink_crew *crew, size_t agent);
void *brink_crew_packed(const brink_crew *crew, size_t agent);
/* As the definition says it starts. */
void brink_crew_start(brink_crew *crew, size_t agent);

/* Who is at work goes to t, with all that happens there: STEPPED (nothing but steps), OK, STOPPED, a failure. */
brink_status brink_crew_move(brink_crew *crew, double t, double t_end, brink_diag *diag);

/* What who is at work will do from where it stands, packed with it. */
typedef struct brink_prospect {
  double stands, valid; /* from here to there */
} brink_prospect;
brink_status brink_crew_plan(brink_crew *crew, double t_end, void *packed, brink_prospect *prospect,
                             brink_diag *diag);

/* ---- queue.c ---- */

/* Agents by the ends of their windows; of equal ones the first in number. Each is in it once. */
typedef struct brink_queue_item {
  double key;
  uint32_t agent;
} brink_queue_item;

typedef struct brink_queue {
  brink_queue_item *heap;
  uint32_t *place;
  size_t count;
  uint32_t soon,
      later; /* who has just come near the first place: its turn comes soon, or a little later */
} brink_queue;

bool brink_queue_init(brink_queue *queue, size_t n, brink_arena *arena);
void brink_queue_add(brink_queue *queue, uint32_t agent, double key);
uint32_t brink_queue_first(const brink_queue *queue);
/* Its key is this now. */
void brink_queue_moved(brink_queue *queue, uint32_t agent, double key);
/* The first ones, in order: how many. `room` has BRINK_QUEUE_ROOM places for each that is asked for. */
#define BRINK_QUEUE_ROOM 4
size_t brink_queue_next(const brink_queue *queue, brink_queue_item *items, size_t most,
                        uint32_t *room);

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

/* Where an agent is in a window. */
typedef struct brink_spot {
  brink_box box;
  brink_track track;
} brink_spot;

bool brink_box_touches(const brink_box *a, const brink_box *b, int ndimensions);

typedef struct brink_grid brink_grid;

bool brink_grid_create(size_t n, int ndimensions, const brink_allocator *allocator,
                       brink_grid **grid);
void brink_grid_destroy(brink_grid *grid); /* NULL is fine */
size_t brink_grid_bytes(const brink_grid *grid);
/* The agent's box is this from now on. */
void brink_grid_put(brink_grid *grid, uint32_t agent, const brink_box *box);
const brink_box *brink_grid_box(const brink_grid *grid, uint32_t agent);
/* Somebody will ask for the agent's box, or will look around it: memory is told. */
void brink_grid_fetch(const brink_grid *grid, uint32_t agent);
void brink_grid_fetch_around(const brink_grid *grid, uint32_t agent);

/* Who looks around: room for a list. Several may look into one grid at the same time, while nobody puts. */
typedef struct brink_grid_reader {
  uint32_t *list;
  size_t count, room;
} brink_grid_reader;

bool brink_grid_reader_create(const brink_grid *grid, brink_grid_reader *reader);
void brink_grid_reader_destroy(const brink_grid *grid, brink_grid_reader *reader);
/* Agents whose boxes meet this one, in the order of their numbers, without `agent`; how many. They are the
 * reader's list, until its next call. */
size_t brink_grid_meet(const brink_grid *grid, brink_grid_reader *reader, uint32_t agent,
                       const brink_box *box);

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

/* The first event between a and b (of the two crews, packed) in [from, to]. */
brink_root_of_pair brink_meeting_search(brink_meeting *meeting, const void *a, const void *b,
                                        double from, double to, const brink_memory *memory);
/* What happens when they meet; *changed[k]: partner k is not as before. 0, BRINK_STOPPED, or a failure. */
int brink_meeting_act(brink_meeting *meeting, const void *a, const void *b,
                      const brink_root_of_pair *root, brink_event_record *record, bool changed[2]);
/* What the action left of a partner, into its simulation. */
void brink_meeting_scatter(brink_meeting *meeting, int side, brink_sim *sim);

/* The sides that agents of a crew are on; how many. Of one population, which is on both, the first. */
int brink_meeting_sides(const brink_meeting *meeting, const brink_crew *crew, int sides[2]);
/* Number of an agent in the grid: those of the first crew, then those of the second. */
uint32_t brink_meeting_number(const brink_meeting *meeting, int side, size_t agent);

/* ---- ways.c ---- */

/* A window of an agent's plan as a box and as a track, with its size and the tolerance around it. */
void brink_meeting_spot(const brink_meeting *meeting, int side, const void *packed, double from,
                        double to, brink_spot *spot);
/* Can the two come as near as their sizes and the tolerance, from the start of a's window on for the time h? How long
 * before that b's began. */
bool brink_meeting_may(const brink_meeting *meeting, const brink_track *a, const brink_track *b,
                       double since_b, double h);
/* How fast the agent goes at a time of its plan. */
double brink_meeting_speed(const brink_meeting *meeting, int side, const void *packed, double t);
/* The part of the time in which the two may come near each other: there only guards have to be searched. False: there
 * is none. */
bool brink_meeting_narrow(const brink_meeting *meeting, const void *a, const void *b, double *from,
                          double *to);

/* ---- worker.c ---- */

/* What one thread works with: a simulation for each population, room for each pair block. */
typedef struct brink_worker {
  brink_agents *agents;
  brink_crew *crews;
  brink_meeting *meetings;
  bool ahead; /* it tries what may not count: nobody hears of it */
  bool spoke; /* … but there was something to be told */
} brink_worker;

/* The first worker has the agents and the grids, the others look at them. `number` counts from 0. */
brink_status brink_worker_init(brink_worker *worker, brink_agents *agents, size_t number,
                               brink_diag *diag);
void brink_worker_free(brink_worker *worker, bool first);

/* What an agent's turn reads is on its way from now on: what it is; those around it. By its number alone. */
void brink_worker_fetch(const brink_worker *worker, uint32_t agent);
void brink_worker_fetch_around(const brink_worker *worker, uint32_t agent);

/* ---- window.c ---- */

typedef enum brink_ending_of_window {
  BRINK_WINDOW_ENDS, /* there is more of the plan */
  BRINK_PLAN_ENDS,   /* a step, or something of its own */
  BRINK_MEETS,       /* a partner */
  BRINK_FINISHED,
} brink_ending_of_window;

/* The part of an agent's plan that has been compared with those of all others. */
typedef struct brink_window {
  double start, end;
  /* MEETS: whom, in which block, at what. */
  uint32_t partner, guard;
  uint16_t block;
  uint8_t ending;
  int8_t direction;
  uint8_t kind;
} brink_window;

/* What there is to know of an agent, but for what is packed: a line of memory. */
typedef struct brink_member {
  brink_window window;
  double valid;     /* how far its plan is good */
  double met_at;    /* when it met somebody last, */
  uint32_t met;     /* whom; BRINK_NOBODY */
  uint32_t version; /* counts whatever changes its plan or its window */
  uint16_t crew;
  uint16_t slot;   /* proposals.c: its proposal, if there is one */
  uint16_t idle;   /* times in a row that it did not move */
  int8_t met_sign; /* on which side of the guard it went on from there; 0: where its motion leads */
  bool there;      /* it has a window */
} brink_member;

/* A partner that a window meets. */
typedef struct brink_cut {
  uint32_t partner;
  uint16_t block;
  brink_root_of_pair root;
} brink_cut;

/* An agent's next window, and what comes of it when it is compared with those of others. */
typedef struct brink_outlook {
  uint32_t agent;
  const void *packed; /* what it is then */
  const void *old;    /* what it was, if an action of its own has just changed it; else NULL */
  brink_window window;
  brink_spot *spots; /* for each block and side: 2*block + side */
  int64_t searches, checks;

  /* Of a proposal: what would be done, and whom it was compared with, in which version. */
  struct brink_proposal *proposal; /* NULL: it is done at once */
} brink_outlook;

/* Window and spots from `from` on, of a plan that is good up to `valid`. */
void brink_outlook_open(brink_agents *agents, brink_worker *worker, brink_outlook *outlook,
                        double from, double valid);
/* Compares it with all others. */
void brink_outlook_compare(brink_agents *agents, brink_worker *worker, brink_outlook *outlook);
/* The others see it at its new spots. */
void brink_outlook_settle(brink_agents *agents, const brink_outlook *outlook);
/* The partner's window ends where they meet. */
void brink_window_cut_partner(brink_agents *agents, uint32_t agent, const brink_cut *cut);

/* How an agent, of this side of the block, is seen by another one. */
typedef struct brink_stance {
  const brink_window *window;
  const void *packed;
  const brink_track *track; /* NULL: not known */
} brink_stance;

brink_stance brink_window_stance(const brink_agents *agents, const brink_meeting *meeting, int side,
                                 uint32_t agent);

/* ---- proposals.c: turns computed by several threads before they are due ---- */

typedef struct brink_seen {
  uint32_t agent, version;
} brink_seen;

#define BRINK_PROPOSAL_CUTS 16
#define BRINK_PROPOSAL_NEAR 128

typedef struct brink_proposal {
  brink_outlook outlook;
  double at; /* when its turn is */
  uint32_t version;
  bool fit;   /* it may be adopted */
  bool moved; /* a step is taken: `packed` */
  bool whole; /* compared with all */
  char *packed;
  brink_prospect prospect;
  brink_window window;           /* before it is compared: how those with later turns see it */
  brink_stats stepped, compared; /* what it cost */
  brink_cut cuts[BRINK_PROPOSAL_CUTS];
  size_t ncuts;
  brink_seen near[BRINK_PROPOSAL_NEAR];
  size_t nnear;
} brink_proposal;

typedef struct brink_proposals brink_proposals;

/* NULL in *made: agents are too few for it. */
brink_status brink_proposals_create(brink_agents *agents, brink_diag *diag, brink_proposals **made);
void brink_proposals_destroy(brink_proposals *ahead); /* NULL is fine */
/* What was proposed is void. */
void brink_proposals_forget(brink_proposals *ahead); /* NULL is fine */
/* The agent, whose turn it is, does what was proposed. False: nothing (good) was. */
bool brink_proposals_adopt(brink_proposals *ahead, uint32_t agent);
/* The agent took a turn that was not proposed. */
void brink_proposals_stray(brink_proposals *ahead, uint32_t agent); /* NULL is fine */

/* For proposals: whom an outlook is compared with, in the order of their numbers, from those that the grid knows … */
size_t brink_proposals_near(const brink_proposals *ahead, const brink_outlook *outlook,
                            size_t block, int side, const uint32_t *list, size_t count,
                            uint32_t *near);
/* … and how they will be then. */
brink_stance brink_proposals_stance(const brink_proposals *ahead, const brink_outlook *outlook,
                                    size_t block, int side, uint32_t agent);

/* ---- engine.c ---- */

/* Events of an agent's own: the last one, the time since the one before, how often in a row that has shrunk. */
typedef struct brink_gaps {
  double last;
  float gap;
  uint8_t shrunk;
} brink_gaps;

struct brink_agents {
  brink_arena arena;
  brink_agents_def def;
  brink_agents_sink sink;
  brink_agents_stats stats;
  brink_stats adopted;        /* what was done ahead, and counts */
  brink_worker worker;        /* of whoever runs the engine */
  brink_proposals *proposals; /* NULL: everything is done when it is due */
  size_t n;
  bool started;
  double now, t_end, begun;

  brink_member *members;
  brink_gaps *gaps;
  brink_spot *spots;   /* room for those of one agent */
  size_t largest;      /* of all packed agents */
  char *old;           /* room for one agent, packed: what it was before its turn */
  uint32_t acting;     /* the one whose simulation speaks to the sink, … */
  size_t acting_block; /* … or a pair, of this block; else BRINK_NONE */
  uint32_t acting_pair[2];

  brink_queue queue;
};

brink_crew *brink_worker_crew(const brink_worker *worker, uint32_t agent);
/* Number in its population. */
size_t brink_agents_member(const brink_agents *agents, uint32_t agent);
/* An agent as it is, packed. */
void *brink_agents_packed(const brink_agents *agents, uint32_t agent);
/* The window is the agent's from now on. */
void brink_agents_install(brink_agents *agents, const brink_outlook *outlook);
/* Counters that add up. */
void brink_stats_add(brink_stats *sum, const brink_stats *one);

#endif
