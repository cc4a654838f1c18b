/* parts.h: internals of the engine. Only for the files that agents.h names. */
#ifndef BRINK_AGENTS_PARTS_H
#define BRINK_AGENTS_PARTS_H

#include "agents/agents.h"
#include "sim/pack.h"

#define BRINK_NOBODY UINT32_MAX

/* Starts loading memory into the caches. */
static inline void brink_prefetch(const void *memory, size_t size) {
#if defined(__GNUC__)
  for (size_t k = 0; k < size; k += 64) __builtin_prefetch((const char *)memory + k);
#else
  (void)memory, (void)size;
#endif
}

/* ---- population.c ---- */

/* A population and the simulation in which one worker advances its agents, one at a time. The packed agents are shared by
 * all workers. */
typedef struct brink_agent_population {
  brink_population_def def;
  size_t first; /* number of its first agent among all */
  brink_sim *sim;
  brink_packing packing;
  char *packed;
  const void *loaded; /* the packed agent that was unpacked last */
} brink_agent_population;

/* Unpacks agent `agent` into the population's simulation. */
void brink_population_load(brink_agent_population *pop, size_t agent);
static inline void *brink_population_packed(const brink_agent_population *pop, size_t agent) {
  return pop->packed + agent * pop->packing.size;
}
/* Puts the agent's initial values into the simulation. */
void brink_population_start(brink_agent_population *pop, size_t agent);

/* Advances the loaded agent to t, including all events there: STEPPED (nothing but steps), OK, STOPPED, a failure. */
brink_status brink_population_advance(brink_agent_population *pop, double t, double t_end,
                                      brink_diag *diag);

/* An action of a pair has put new values into the simulation: the plan of the packed agent from t on, in closed form. False: it
 * takes a simulation. */
bool brink_population_coast(brink_agent_population *pop, size_t agent, double t, double t_end,
                            double *valid);

/* Computes the plan of the loaded agent from its present time on, and packs both. */
typedef struct brink_plan_interval {
  double start, valid;
} brink_plan_interval;
brink_status brink_population_plan(brink_agent_population *pop, double t_end, void *packed,
                                   brink_plan_interval *interval, brink_diag *diag);

/* ---- queue.c ---- */

/* A priority queue of agents by the ends of their windows; of equal ones the smaller number first. Each agent is in it
 * once. */
typedef struct brink_queue_item {
  double key;
  uint32_t agent;
} brink_queue_item;

typedef struct brink_queue {
  brink_queue_item *heap;
  uint32_t *place;
  size_t count;
  /* For prefetching: agents that were last moved close to the top, whose turns come soon, or a little later. */
  uint32_t soon, later;
} brink_queue;

bool brink_queue_init(brink_queue *queue, size_t n, brink_arena *arena);
void brink_queue_clear(brink_queue *queue);
void brink_queue_copy(brink_queue *to, const brink_queue *from); /* of the same n */
/* All n agents, or none. */
void brink_queue_archive(brink_queue *queue, size_t n, brink_archive *a);
void brink_queue_add(brink_queue *queue, uint32_t agent, double key);
uint32_t brink_queue_first(const brink_queue *queue);
/* Changes the key of an agent. */
void brink_queue_update(brink_queue *queue, uint32_t agent, double key);
/* The first `most` items, in order, without removing them; returns how many there are. `room`: workspace,
 * BRINK_QUEUE_ROOM * most elements. */
#define BRINK_QUEUE_ROOM 4
size_t brink_queue_next(const brink_queue *queue, brink_queue_item *items, size_t most,
                        uint32_t *room);

/* ---- broad_phase.c ---- */

typedef struct brink_box {
  double low[3], high[3];
} brink_box;

/* A straight line in space and time around the motion of an agent in a window, with a radius that includes the agent's
 * size and the tolerance. */
typedef struct brink_tube {
  double at[3], rate[3]; /* position at the start of the window; velocity */
  double radius;
} brink_tube;

/* Bounding volumes of the motion of an agent in a window. */
typedef struct brink_motion_bounds {
  brink_box box;
  brink_tube tube;
} brink_motion_bounds;

/* Makes `hull` contain the box. */
void brink_box_extend(brink_box *hull, const brink_box *box, int ndimensions);
bool brink_box_touches(const brink_box *a, const brink_box *b, int ndimensions);

/* The bounding boxes of all agents that a pair block concerns. */
typedef struct brink_grid brink_grid;

/* NULL: out of memory. */
brink_grid *brink_grid_create(size_t n, int ndimensions, brink_arena *arena);
void brink_grid_clear(brink_grid *grid);                      /* as it was created */
void brink_grid_copy(brink_grid *to, const brink_grid *from); /* of the same n and dimensions */
void brink_grid_archive(brink_grid *grid, brink_archive *a);
size_t brink_grid_bytes(const brink_grid *grid);
/* Inserts the agent's box, or replaces it. */
void brink_grid_update(brink_grid *grid, uint32_t agent, const brink_box *box);
/* Takes the agent's box out, if it is there. */
void brink_grid_remove(brink_grid *grid, uint32_t agent);
const brink_box *brink_grid_box(const brink_grid *grid, uint32_t agent);
/* Prefetch what brink_grid_box and brink_grid_query will read. */
void brink_grid_prefetch(const brink_grid *grid, uint32_t agent);
void brink_grid_prefetch_around(const brink_grid *grid, uint32_t agent);

/* Results of a query, with space for all agents of the grid. Several threads may query one grid at the same time, each
 * with its own results, while nobody updates it. */
typedef struct brink_grid_results {
  uint32_t *list;
  size_t count;
} brink_grid_results;

/* Agents whose boxes touch this one, in the order of their numbers, without `agent`, into results->list; returns how
 * many. */
size_t brink_grid_query(const brink_grid *grid, brink_grid_results *results, uint32_t agent,
                        const brink_box *box);

/* ---- contacts.c ---- */

/* The recorded state of a guard of a pair that is on its surface, or has just been there. The signs of all other guards
 * are those of their values. */
typedef struct brink_contact {
  uint32_t pair[2]; /* in the order of the block */
  uint32_t guard;
  uint32_t next; /* contacts of the same first partner; BRINK_NOBODY */
  double at;     /* the time for which it was recorded */
  /* It is valid while the partners are on the plans that begin at these times (or, if these are `at`, on any plans). */
  double origin[2];
  double slack;     /* past its surface by no more than this it keeps its sign */
  double leaves_at; /* `touching` ends at this time, on the present plans */
  double fired;     /* when it fired last, … */
  uint32_t times;   /* … and how often at that time; 0: never */
  uint16_t block;
  int8_t sign;   /* at that time; 0: it follows from the motion */
  int8_t due;    /* it is to fire at that time, in this direction; 0: it is not */
  uint8_t kind;  /* of that event */
  bool touching; /* it has stayed within its tolerance since, and keeps its sign */
  bool removed;  /* of an update: the record is to be deleted */
} brink_contact;

typedef struct brink_contacts {
  brink_arena *arena;
  brink_contact *items;
  size_t count, capacity;
  uint32_t free;   /* first element of the list of unused ones */
  uint32_t *first; /* first contact of each agent, as the first partner */
} brink_contacts;

/* False: out of memory. */
bool brink_contacts_init(brink_contacts *contacts, size_t n, brink_arena *arena);
void brink_contacts_clear(brink_contacts *contacts, size_t n);
/* False: out of memory. */
bool brink_contacts_copy(brink_contacts *to, const brink_contacts *from, size_t n);
/* NULL: nothing is recorded. */
const brink_contact *brink_contacts_find(const brink_contacts *contacts, size_t block, size_t guard,
                                         const uint32_t pair[2]);
/* Is anything recorded of the two at this time, in any block? */
bool brink_contacts_any(const brink_contacts *contacts, const uint32_t pair[2], double at);
/* Replaces the record of the guard, or deletes it. Where there is no memory, the arena has failed. */
void brink_contacts_update(brink_contacts *contacts, const brink_contact *update, double now);
/* Forgets the contacts of an agent, as the first partner; adds one at the end of its list (false: out of memory). */
void brink_contacts_forget(brink_contacts *contacts, uint32_t agent);
bool brink_contacts_append(brink_contacts *contacts, uint32_t agent, const brink_contact *added);

/* ---- narrow_phase.c ---- */

/* A pair block: its guards, and the workspace in which they are searched for two agents at a time. */
typedef struct brink_pair_guards {
  brink_pair_def def;
  brink_agent_population *population[2];
  brink_eval eval;
  brink_detector detector;
  double *atol;          /* tolerances of the pair's states */
  double *time_rounding; /* how far rounding of time moves each state */
  size_t length;         /* coefficients of a polynomial */
  double *rows;          /* the polynomials of all states of the pair */
  double *x0, *x1;       /* at both ends of the path */
  brink_path path;
  uint32_t *needed[2]; /* states of the agents that the guards read */
  size_t nneeded[2];
  double *before_x, *before_p; /* what an action reads as the state before it */
  int *before_mode;
  double *timer;
  char message[BRINK_DIAG_MESSAGE]; /* of an action that failed */
  brink_grid *grid;                 /* NULL: all pairs */
  brink_grid_results results;
  signed char *sign_before; /* signs of the guards before the instant */
  brink_contact *updates;   /* contacts that a search has to record */
  size_t nupdates;
  bool any_unilateral;  /* some guard is unilateral: within the tolerance is an event */
  double window_travel; /* distance that an agent travels in one window; of worker 0 */
  brink_tube *tube;     /* of each agent of both populations, by its number in the grid */
  bool quadratic;       /* guards are polynomials of low degree: closed forms (quadratic.c) */
  bool straight;        /* they are not, but `reach` bounds them (straight.c) */
  int guard_degree;     /* the highest of them */
  double *series, **series_rows; /* of the states, for them, … */
  double *gradient;              /* … and a gradient */
} brink_pair_guards;

typedef struct brink_pair_root {
  bool found;
  double t;
  size_t guard;
  brink_direction direction;
  brink_event_kind kind;
} brink_pair_root;

bool brink_pair_guards_init(brink_pair_guards *pg, const brink_pair_def *def,
                            brink_agent_population *populations, const brink_options *options,
                            brink_arena *arena);

/* A question to the narrow phase: two agents, in the order of the block, and a time interval. */
typedef struct brink_pair_query {
  const brink_agents *agents;
  size_t block;
  uint32_t pair[2];
  const void *now[2];      /* the two, packed, … */
  const void *previous[2]; /* … and as they were, with the plans that led them to `from` */
  double from,
      to;      /* the time in which they are compared; the same: only what is so at that instant */
  bool jumped; /* an action has changed one of them at `from`: guards may have jumped */
  bool
      displaced; /* … and moved it, or changed parameters or modes: they are searched wherever they are */
  bool first_instant; /* the run begins at `from`: there is no sign before it */
  bool record_all;    /* the signs of all guards are to be recorded in contacts */
} brink_pair_query;

/* The first event of the pair in [from, to]. Contacts that have to be recorded are in pg->updates afterwards. */
brink_pair_root brink_pair_search(brink_pair_guards *pg, const brink_pair_query *q);

/* ---- pair_signs.c ---- */

/* Is the contact valid at the start of the query? */
bool brink_contact_valid(const brink_contact *contact, const brink_pair_query *q);
/* Have the two stayed within the tolerance since the contact was recorded? */
bool brink_contact_touching(const brink_contact *contact, double from);
/* The contact of a guard that is found to fire at t, on the plans of the query. */
brink_contact brink_contact_due(const brink_contact *contact, const brink_pair_query *q, double t,
                                brink_direction direction, brink_event_kind kind);
/* The sign of a guard inside its domain, -1 or 1; 0: it has none (sim/instant.c). */
int brink_pair_inside(const brink_pair_guards *pg, size_t guard);
/* Rounding error of the guard at the start of the path, by rounding of states and of time. */
double brink_pair_band(brink_pair_guards *pg, size_t guard);
/* The sign of the guard just before the query; 0: on its surface. `value`: its value then, `band`: the rounding error of
 * that; `contact`: what is recorded of it, or NULL. */
int brink_pair_sign_before(brink_pair_guards *pg, const brink_pair_query *q, size_t guard,
                           double value, double band, const brink_contact *contact);
/* The sign that the motion gives the guard after the start of the path; 0: it does not move by more than `band`. */
int brink_pair_sign_after(brink_pair_guards *pg, size_t guard, double band);
/* Is the rate of the guard at the start larger than the error that plans leave? */
bool brink_pair_guard_moves(brink_pair_guards *pg, const brink_pair_query *q, size_t guard);

/* The sign of a guard after it has fired. */
typedef struct brink_pair_settled {
  int sign;      /* 0: on its surface */
  bool touching; /* within its tolerance */
  double slack;  /* past its surface by no more than this it keeps that sign */
  bool blocked;  /* a unilateral guard, whose motion still leads past its surface */
} brink_pair_settled;
/* `q`: from the instant on; `value`: of the guard before the action; `acted`: the action has changed a mode. */
brink_pair_settled brink_pair_settle(brink_pair_guards *pg, const brink_pair_query *q,
                                     const brink_pair_root *root, double value, bool acted);

/* Sets parameters, modes and the path of the pair from `from` to `to`. */
void brink_pair_build_path(brink_pair_guards *pg, const brink_pair_query *q);
/* The value of a guard for the two as packed here, on their plans at t. Parameters and modes of the query are restored. */
double brink_pair_value(brink_pair_guards *pg, const brink_pair_query *q, size_t guard,
                        const void *const packed[2], double t);

/* ---- quadratic.c ---- */

/* False: out of memory. */
bool brink_quadratic_init(brink_pair_guards *pg, brink_arena *arena);
/* What brink_pair_search does, in closed form. False: it has to be searched; nothing was recorded. */
bool brink_quadratic_search(brink_pair_guards *pg, const brink_pair_query *q,
                            brink_pair_root *root);
/* Likewise of brink_pair_settle. */
bool brink_quadratic_settle(brink_pair_guards *pg, const brink_pair_query *q,
                            const brink_pair_root *root, double value, brink_pair_settled *settled);

/* Parameters and modes of the two, and the series of the states that guards read, in seconds from the start: plans of
 * degree two at most. */
void brink_quadratic_expand(brink_pair_guards *pg, const brink_pair_query *q);
/* Of these the states that a guard reads at s, into pg->x1. */
void brink_quadratic_states(brink_pair_guards *pg, size_t guard, double s);
/* Are the states of a partner that has jumped the same as on its plan before? */
bool brink_quadratic_same_states(const brink_pair_guards *pg, const brink_pair_query *q);
/* A record of a contact that ends: its sign is that of the value from then on (narrow_phase.c, update_leaving). */
void brink_quadratic_end_contact(brink_pair_guards *pg, const brink_pair_query *q,
                                 const brink_contact *contact);

/* ---- straight.c ---- */

/* Can the block be searched in this way? */
bool brink_straight_suits(const brink_pair_guards *pg);
/* What brink_pair_search does, for straight plans and any guard. False: it has to be searched; nothing was recorded. */
bool brink_straight_search(brink_pair_guards *pg, const brink_pair_query *q, brink_pair_root *root);

/* ---- narrow_phase.c ---- */

/* Sets parameters and modes of one side. */
void brink_pair_gather_held(brink_pair_guards *pg, int side, const void *packed);
/* Runs the action of the guard. changed[k]: it changed partner k; *acted: it changed a mode. 0, BRINK_STOPPED, or a
 * failure. */
int brink_pair_run_action(brink_pair_guards *pg, const void *a, const void *b,
                          const brink_pair_root *root, brink_event_record *record, bool changed[2],
                          bool *acted);
/* Copies what the action made of a partner into its simulation. */
void brink_pair_scatter(brink_pair_guards *pg, int side, brink_sim *sim);

/* The sides of the pair that agents of a population can be on; how many. Where both sides are one population: only the
 * first. */
static inline int brink_pair_sides(const brink_pair_guards *pg, const brink_agent_population *pop,
                                   int sides[2]) {
  int count = 0;
  if (pg->population[0] == pop) sides[count++] = 0;
  if (pg->population[1] == pop && pg->population[0] != pop) sides[count++] = 1;
  return count;
}

/* Number of an agent in the grid: those of the first population, then those of the second. */
static inline uint32_t brink_pair_grid_index(const brink_pair_guards *pg, int side, size_t agent) {
  bool second = side == 1 && pg->population[0] != pg->population[1];
  return (uint32_t)(second ? pg->population[0]->def.count + agent : agent);
}

/* ---- motion_bounds.c ---- */

/* Bounding volumes of an agent's motion from `from` to `to`, with its size and the tolerance around it. */
void brink_motion_bounds_of(const brink_pair_guards *pg, int side, const void *packed, double from,
                            double to, brink_motion_bounds *bounds);
/* The size of an agent, and with it all around it in which something can happen, where its position is `far`. */
double brink_motion_size(const brink_pair_guards *pg, int side, const void *packed);
double brink_motion_margin(const brink_pair_guards *pg, int side, const void *packed, double far);
/* Do the tubes overlap at any time from the start of a's window on, for the time h? `since_b`: how long before that b's
 * window began. */
bool brink_tubes_may_touch(const brink_pair_guards *pg, const brink_tube *a, const brink_tube *b,
                           double since_b, double h);
/* Speed of the agent at a time of its plan. */
double brink_motion_speed(const brink_pair_guards *pg, int side, const void *packed, double t);
/* Clips the interval from `from` to `to` to the apply_action in which the two can come close: guards have to be searched only
 * there. False: there is none. */
bool brink_motion_clip(const brink_pair_guards *pg, const void *a, const void *b, double *from,
                       double *to);

/* ---- worker.c ---- */

/* The workspace of one thread: a simulation for each population, pair guards for each block. */
typedef struct brink_worker {
  brink_agents *agents;
  brink_agent_population *populations;
  brink_pair_guards *pair_guards;
  bool speculative; /* it computes speculative steps: nothing goes to the sink */
  bool reported;    /* something was reported */
} brink_worker;

/* Worker 0 owns the packed agents and the grids, which the others share. */
brink_status brink_worker_init(brink_worker *worker, brink_agents *agents, size_t number,
                               brink_diag *diag);
void brink_worker_free(brink_worker *worker);
/* What it knows comes from bytes (brink_eval.restored). */
void brink_worker_restored(brink_worker *worker);

/* The number of agents in the grid of a pair block. */
size_t brink_pair_agents(const brink_pair_guards *pg);
/* Sets the distance that agents travel in one window, by their initial positions and sizes. */
void brink_pair_set_travel(brink_pair_guards *pg);

/* Prefetch what an agent's turn reads: the agent itself; its neighbours. */
void brink_worker_prefetch(const brink_worker *worker, uint32_t agent);
void brink_worker_prefetch_around(const brink_worker *worker, uint32_t agent);

/* ---- window.c ---- */

typedef enum brink_window_ending {
  BRINK_ENDS_INSIDE_PLAN,   /* the plan goes on */
  BRINK_ENDS_WITH_PLAN,     /* a step, or an event of the agent's own */
  BRINK_ENDS_AT_PAIR_EVENT, /* an event with a partner */
  BRINK_ENDS_RUN,
} brink_window_ending;

/* The apply_action of an agent's plan that has been compared with the windows of all others. */
typedef struct brink_window {
  double start, end;
  /* AT_PAIR_EVENT: with whom, in which block, of which guard. */
  uint32_t partner, guard;
  uint16_t block;
  uint8_t ending;
  int8_t direction;
  uint8_t kind;
} brink_window;

/* What the engine keeps of an agent besides its packed simulation: a cache line. */
typedef struct brink_member {
  brink_window window;
  double valid;       /* end of its plan */
  double kept_box_at; /* last instant at which the grid got its old box and its new box together */
  uint32_t version;   /* counts changes of its plan and of its window */
  uint16_t population;
  uint16_t slot; /* of its speculative step, if there is one */
  uint16_t idle; /* turns in a row without progress in time */
  bool has_window;
} brink_member;

/* A pair event at which a window is cut. */
typedef struct brink_cut {
  uint32_t partner;
  uint16_t block;
  brink_pair_root root;
} brink_cut;

/* A candidate for an agent's next window, and the result of comparing it with the windows of others. */
typedef struct brink_candidate_window {
  uint32_t agent;
  const void *packed;   /* the agent at that time */
  const void *previous; /* … with the plan that led it there */
  bool jumped;          /* an action has just changed it */
  bool displaced; /* … its position, a parameter or a mode: the old neighbours are concerned */
  bool keeps_old_box;    /* displaced at this instant before: the grid has its old box, too */
  bool updated_contacts; /* contacts were recorded */
  brink_window window;
  brink_motion_bounds *bounds; /* of block b and side s: bounds[2*b + s] */
  int64_t searches, checks;

  /* Of a speculative step: where effects on others are recorded. NULL: they are applied at once. */
  struct brink_speculative_step *step;
} brink_candidate_window;

/* Sets the window and its bounds from `from` on, of a plan that ends at `valid`. */
void brink_candidate_open(brink_agents *agents, brink_worker *worker,
                          brink_candidate_window *candidate, double from, double valid);
/* Compares it with the windows of all others, which cuts it, and theirs, at pair events. */
void brink_candidate_compare(brink_agents *agents, brink_worker *worker,
                             brink_candidate_window *candidate);
/* Puts its bounds into the grids. */
void brink_candidate_update_grid(brink_agents *agents, const brink_candidate_window *candidate);
/* Cuts the partner's window at the pair event. */
void brink_window_cut_partner(brink_agents *agents, uint32_t agent, const brink_cut *cut);
/* Records the present signs of all guards between two agents, but this one, before an action changes the agents. */
void brink_window_record_signs(brink_agents *agents, const uint32_t pair[2], size_t block,
                               size_t guard);

/* What an agent reads of a partner on this side of the block. */
typedef struct brink_partner_view {
  const brink_window *window;
  const void *packed;     /* NULL: the agent as it is */
  const brink_tube *tube; /* NULL: without pruning */
} brink_partner_view;

brink_partner_view brink_window_view(const brink_agents *agents, const brink_pair_guards *pg,
                                     int side, uint32_t agent);

/* ---- speculation.c: turns computed by several threads before they are due ---- */

typedef struct brink_seen_version {
  uint32_t agent, version;
} brink_seen_version;

#define BRINK_SPECULATIVE_CUTS 16
#define BRINK_SPECULATIVE_UPDATES 8
#define BRINK_SPECULATIVE_NEIGHBOURS 128

typedef struct brink_speculative_step {
  brink_candidate_window candidate;
  double at; /* the time of its turn */
  uint32_t version;
  bool usable;   /* it can be committed */
  bool advanced; /* the simulation has advanced: the agent is in `packed` */
  bool complete; /* its window has been compared with all neighbours */
  char *packed;
  brink_plan_interval interval;
  brink_window window; /* before it is compared, as agents with later turns read it */
  brink_stats step_cost, search_cost; /* counters of its step and of its comparisons */
  brink_cut cuts[BRINK_SPECULATIVE_CUTS];
  size_t ncuts;
  brink_contact updates[BRINK_SPECULATIVE_UPDATES];
  size_t nupdates;
  brink_seen_version neighbours[BRINK_SPECULATIVE_NEIGHBOURS];
  size_t nneighbours;
} brink_speculative_step;

typedef struct brink_speculation brink_speculation;

/* *made is NULL for one thread, or few agents. */
brink_status brink_speculation_create(brink_agents *agents, brink_diag *diag,
                                      brink_speculation **made);
void brink_speculation_destroy(brink_speculation *spec); /* NULL is fine */
/* Discards all speculative steps. */
void brink_speculation_discard(brink_speculation *spec); /* NULL is fine */
/* The same, and what its workers know comes from bytes. */
void brink_speculation_restored(brink_speculation *spec);
/* Commits the speculative step of the agent, whose turn it is. False: there is none, or it is out of date. */
bool brink_speculation_commit(brink_speculation *spec, uint32_t agent);
/* The agent took a turn without a speculative step: steps that it concerns are out of date. */
void brink_speculation_invalidate(brink_speculation *spec, uint32_t agent); /* NULL is fine */

/* For a candidate of a speculative step: the agents that it is compared with, sorted, from those in the grid … */
size_t brink_speculation_neighbours(const brink_speculation *spec,
                                    const brink_candidate_window *candidate, size_t block, int side,
                                    const uint32_t *list, size_t count, uint32_t *near);
/* … and what it reads of one of them. */
brink_partner_view brink_speculation_view(const brink_speculation *spec,
                                          const brink_candidate_window *candidate, size_t block,
                                          int side, uint32_t agent);

/* ---- intervals.c ---- */

/* Intervals between the events of an agent, or of a guard of a pair, to detect an accumulation (Zeno): the last event, the
 * interval before it, how often in a row the interval has shrunk. */
typedef struct brink_event_intervals {
  double last;
  float interval;
  uint8_t shrinking;
} brink_event_intervals;

/* The same for a guard of a pair. */
typedef struct brink_pair_intervals {
  brink_event_intervals intervals;
  uint32_t partner; /* the second one; BRINK_NOBODY: unused, and so are those after it */
  uint32_t guard;
  uint16_t block;
} brink_pair_intervals;

#define BRINK_PAIR_INTERVALS 8 /* of one agent */

/* Those of guards that fired lately: for each agent, as the first partner, a short list. What is kept follows from the
 * events of that agent alone, so that it is the same whoever else there is (domain.h). */
typedef struct brink_pair_interval_lists {
  brink_arena *arena;
  brink_pair_intervals *items;
  size_t count, capacity;
  uint32_t free;   /* first of unused pieces, which `guard` links */
  uint32_t *first; /* of each agent: BRINK_PAIR_INTERVALS items; BRINK_NOBODY: it has none */
} brink_pair_interval_lists;

/* False: out of memory. */
bool brink_pair_intervals_init(brink_pair_interval_lists *lists, size_t n, brink_arena *arena);
void brink_pair_intervals_clear(brink_pair_interval_lists *lists, size_t n);
/* False: out of memory. */
bool brink_pair_intervals_copy(brink_pair_interval_lists *to, const brink_pair_interval_lists *from,
                               size_t n);
/* Those of the guard; if it has none, new ones that begin at `start`. NULL: out of memory. */
brink_event_intervals *brink_pair_intervals_of(brink_pair_interval_lists *lists,
                                               const uint32_t pair[2], size_t block, size_t guard,
                                               double start);
/* How many an agent has, from its first on. */
size_t brink_pair_intervals_count(const brink_pair_interval_lists *lists, uint32_t agent);
/* Forgets those of an agent; adds one at the end of its list (false: out of memory, or it is full). */
void brink_pair_intervals_forget(brink_pair_interval_lists *lists, uint32_t agent);
bool brink_pair_intervals_append(brink_pair_interval_lists *lists, uint32_t agent,
                                 const brink_pair_intervals *added);

/* ---- trail.c ---- */

/* What happens to agents in a round of a rank (domain.h). */
typedef struct brink_trail {
  uint64_t *hash;   /* of each agent: of all its plans, windows and contacts in the round */
  brink_box **hull; /* of each block, by number in its grid: around all boxes in the round */
  /* Of the present turn. */
  bool instant;     /* the simulation of its agent had events or ticks */
  bool fired;       /* it was a pair event: … */
  size_t block;     /* … of this block, … */
  uint32_t pair[2]; /* … between these, … */
  brink_pair_root root;
  signed char *sgn; /* … with these signs of all guards; room for any block */
} brink_trail;

/* False: out of memory. */
bool brink_trail_init(brink_trail *trail, const brink_agents *agents, brink_arena *arena);
/* A round begins: nothing has happened to the agent yet. */
void brink_trail_clear(brink_trail *trail, const brink_agents *agents, uint32_t agent);
/* What becomes of an agent cannot be known here: its hash is that of nobody else. */
void brink_trail_spoil(brink_trail *trail, uint32_t agent);
/* The agent has a new plan; a window that was opened, or cut; a contact of both was updated; a pair acts. */
void brink_trail_plan(brink_trail *trail, const brink_agents *agents, uint32_t agent);
void brink_trail_window(brink_trail *trail, const brink_agents *agents, uint32_t agent);
void brink_trail_contact(brink_trail *trail, const brink_contact *update, double now);
void brink_trail_action(brink_trail *trail, const brink_agents *agents, size_t block,
                        const uint32_t pair[2], const brink_pair_root *root);

/* ---- engine.c ---- */

struct brink_agents {
  brink_arena arena; /* of everything but the simulations */
  brink_agents_def def;
  brink_agents_sink sink;
  brink_agents_stats stats;
  brink_stats committed;          /* counters of speculative steps that were committed */
  brink_worker worker;            /* of the thread that runs the engine */
  brink_speculation *speculation; /* NULL: none */
  size_t n;
  bool started;
  const atomic_bool *cancelled; /* brink_agents_heed; NULL: nobody asks */
  double now, t_end, t_start;

  brink_member *members;
  brink_event_intervals *intervals;
  brink_pair_interval_lists pair_intervals;
  brink_contacts contacts;
  brink_motion_bounds *bounds; /* workspace, for one agent */
  size_t largest;              /* size of a packed agent */
  char *saved[2];              /* two agents, packed, as they were before the turn */
  uint32_t acting;             /* the agent whose simulation reports to the sink, … */
  size_t acting_block;         /* … or BRINK_NONE, … */
  uint32_t acting_pair[2];     /* … a pair of this block */

  brink_queue queue;
  brink_trail *trail;         /* NULL: nobody wants to know */
  brink_stats *kept_counters; /* room for those of all simulations and pair guards */
};

/* The agent whose turn is next, and when; BRINK_NOBODY: all have reached the end. */
uint32_t brink_agents_next(const brink_agents *agents, double *t);
/* Takes the next turn. TIME_REACHED: there is none. */
brink_status brink_agents_turn(brink_agents *agents, brink_diag *diag);

/* A turn that was taken elsewhere, of which the sink is to be told: the agents before and after it, packed. */
typedef struct brink_told_turn {
  double t;
  bool pair;         /* an event of two; else the step of one, with events of its own */
  uint32_t agent[2]; /* one, or two in the order of the block */
  const void *before[2], *after[2];
  double valid; /* one: the end of its plan */
  size_t block; /* two: … */
  brink_pair_root root;
  const signed char *sgn; /* … of all guards of the block */
} brink_told_turn;

/* Repeats of the turn what the sink is told. Afterwards the agents are as given, and counters as before. */
brink_status brink_agents_retell(brink_agents *agents, const brink_told_turn *turn,
                                 brink_diag *diag);

/* Copies the packed agent to agents->saved[which]. */
void brink_agents_save(brink_agents *agents, uint32_t agent, int which);
/* Records a contact. */
void brink_agents_update_contact(brink_agents *agents, const brink_contact *update);

static inline brink_agent_population *brink_worker_population(const brink_worker *worker,
                                                              uint32_t agent) {
  return &worker->populations[worker->agents->members[agent].population];
}

/* Number of the agent in its population. */
static inline size_t brink_agents_index(const brink_agents *agents, uint32_t agent) {
  return agent - brink_worker_population(&agents->worker, agent)->first;
}

/* The agent, packed. */
static inline void *brink_agents_packed(const brink_agents *agents, uint32_t agent) {
  const brink_agent_population *pop = brink_worker_population(&agents->worker, agent);
  return brink_population_packed(pop, agent - pop->first);
}

/* Makes the candidate the window of its agent. */
void brink_agents_install(brink_agents *agents, const brink_candidate_window *candidate);
/* Adds the counters. */
void brink_stats_add(brink_stats *sum, const brink_stats *one);

#endif
