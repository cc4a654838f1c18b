/* domain_parts.h: internals of domain.h. Only for the files that it names. */
#ifndef BRINK_AGENTS_DOMAIN_PARTS_H
#define BRINK_AGENTS_DOMAIN_PARTS_H

#include "agents/domain.h"
#include "agents/parts.h"
#include "ranks/exchange.h"

enum { BRINK_DOMAIN_PIECES = 32, BRINK_DOMAIN_SPANS = 256 };

/* What rank 0 tells all ranks. */
typedef enum brink_domain_order {
  BRINK_ORDER_ROUND,  /* take turns up to `until` */
  BRINK_ORDER_GATHER, /* send all your agents to rank 0 */
  BRINK_ORDER_END,
} brink_domain_order;

typedef struct brink_domain_decision {
  brink_domain_order order;
  bool accepted;     /* the round before is certified */
  double until;      /* turns up to this time, this one included */
  uint64_t identity; /* of how all agents begin: the same on all ranks */
  double halo;
} brink_domain_decision; /* the ends of strips follow it in a message */

/* What a rank reports of a round. */
typedef struct brink_domain_report {
  bool certified;
  bool stops;             /* one of its turns has failed, or ended the run, … */
  double stopped;         /* … at this time */
  double first, next;     /* the time of its next turn: before the round, and after it */
  double low, high;       /* of all boxes, in the direction of strips */
  double depth;           /* how far errors came into its halo */
  double widest;          /* box of an agent, in the direction of strips */
  double computing;       /* seconds of the processor */
  double begun, computed; /* by the clock */
  size_t own, turns, halo_turns;
  size_t waited_for; /* after its turns */
  double
      piece[BRINK_DOMAIN_PIECES + 1]; /* ends of pieces of its strip with equal numbers of agents */
} brink_domain_report; /* seconds of waiting for each rank, turns and what was told follow it in a message */

/* A turn, in the order of a rank. */
typedef struct brink_domain_turn {
  double t;
  uint32_t agent;
  bool own;
  bool told; /* more about it is in the list of told turns */
} brink_domain_turn;

/* Rank 0's view of how it goes. */
typedef struct brink_domain_pace {
  double now;                   /* turns up to here are taken */
  double length;                /* of rounds */
  double halo, depth;           /* depth: how deep errors came lately */
  double next;                  /* first turn of all after `now` */
  double low, high;             /* of all agents */
  double *cost;                 /* of each rank: of one agent, averaged */
  brink_domain_report *reports; /* of the last round */
  int64_t since;                /* rounds since one was refused */
} brink_domain_pace;

struct brink_domain {
  brink_arena arena;
  brink_domain_def def;
  size_t rank, ranks;
  brink_exchange *exchange;
  brink_agents *own; /* the engine of this rank */
  brink_trail trail;
  uint16_t *owner;                       /* of each agent that is here; NOWHERE: it is not */
  bool *known;                           /* of each agent of the halo: computed as by its owner */
  double *ends;                          /* of strips: strip k is from ends[k] to ends[k + 1] */
  double halo;                           /* of the present round */
  brink_text *outs;                      /* a message to each rank */
  brink_text start;                      /* own agents as they were when the round began */
  brink_stats *counters, *turn_counters; /* … and what was counted; the same before a turn */
  brink_agents_stats counted, turn_counted;
  uint32_t **halo_of; /* own agents in the halo of each rank, … */
  size_t *nhalo_of, *halo_capacity;
  brink_box *slabs; /* of each rank and block: around the hulls of its agents */
  bool *slab_there; /* is there any agent? */
  brink_text turns; /* brink_domain_turn */
  brink_text told;
  double *waits;  /* workspace: one for each rank */
  double *places; /* workspace: one for each agent */
  /* Of rank 0. */
  brink_domain_pace pace;
  brink_text *heard;        /* the reports of all ranks */
  uint32_t *taken, *passed; /* turns of each agent; for each rank, of each agent */
  brink_stats *base;        /* counters of `whole` when the domain was created */
  brink_agents_stats base_counted;
  size_t *heard_at; /* where turns begin in them */
  bool accepted;    /* the last round */
  uint64_t identity;
  bool ended;
  double begun; /* the present round, by the clock */
  double created;
  double *computing, *waited;
  brink_domain_span *spans;
  int64_t rounds, refused, all_turns, all_halo_turns;
};

#define BRINK_NOWHERE UINT16_MAX

/* ---- domain_agents.c ---- */

/* Where an agent is, in the direction of strips: its box there. False: it meets nobody, and is nowhere. */
bool brink_domain_place(const brink_domain *domain, const brink_agents *agents, uint32_t agent,
                        double *low, double *high);
/* Which strip it belongs to. */
size_t brink_domain_strip(const brink_domain *domain, const brink_agents *agents, uint32_t agent);
/* Is it in the strip of this rank, or in its halo? */
bool brink_domain_near(const brink_domain *domain, const brink_agents *agents, uint32_t agent,
                       size_t rank);

/* An agent with all that the engine keeps of it. */
void brink_domain_put_agent(const brink_agents *agents, uint32_t agent, size_t owner,
                            brink_text *to);
/* The next agent of the bytes; it replaces the one that is there. False: damaged, or out of memory. */
typedef struct brink_domain_bytes {
  const char *data;
  size_t size, at;
} brink_domain_bytes;
bool brink_domain_get_agent(brink_agents *agents, brink_domain_bytes *from, uint32_t *agent,
                            size_t *owner);
bool brink_domain_get(brink_domain_bytes *from, void *to, size_t size);
/* The agent is not here any more. */
void brink_domain_forget_agent(brink_agents *agents, uint32_t agent);

/* Every agent goes to the rank of its strip, and to those whose halo it is in. A round can begin. */
brink_status brink_domain_distribute(brink_domain *domain, brink_diag *diag);
/* Own agents are as they were when the round began. */
brink_status brink_domain_go_back(brink_domain *domain, brink_diag *diag);
/* All own agents, and counters, to rank 0; there, into `whole`. */
brink_status brink_domain_collect(brink_domain *domain, brink_diag *diag);
/* Counters of all simulations and pair guards. */
void brink_domain_read_counters(const brink_agents *agents, brink_stats *counters);
void brink_domain_set_counters(brink_agents *agents, const brink_stats *counters);

/* ---- domain_certificate.c ---- */

/* With all ranks: are all own agents of this rank right? `depth`: how far errors came into the halo. */
brink_status brink_domain_certify(brink_domain *domain, bool *certified, double *depth,
                                  brink_diag *diag);

/* ---- domain_turns.c ---- */

/* Takes the turns of own agents and of the halo, up to this time. */
brink_status brink_domain_take_turns(brink_domain *domain, double until,
                                     brink_domain_report *report, brink_diag *diag);
/* Adds the list of turns to a message: those of known agents. */
void brink_domain_put_turns(const brink_domain *domain, brink_text *to);
/* Rank 0 tells what all ranks have reported: in the messages from `at` on. */
brink_status brink_domain_tell(brink_domain *domain, const size_t *at, brink_diag *diag);

/* ---- domain_pace.c ---- */

/* Where strips end at first: equal numbers of agents. The first length and halo. */
void brink_domain_pace_begin(brink_domain *domain);
/* A round was certified, or refused: what comes next. */
void brink_domain_pace_learn(brink_domain *domain, bool accepted);
/* The end of the next round. */
double brink_domain_pace_until(const brink_domain *domain, double pause);
/* The pieces of a rank's strip. */
void brink_domain_pace_pieces(brink_domain *domain, brink_domain_report *report);

#endif
