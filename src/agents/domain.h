/* domain.h: one run of agents on many ranks: every rank computes the agents in a strip of space (docs/decisions/0023).
 *
 *   domain.c              rounds: who does what, in which order
 *   domain_agents.c       agents to bytes and back; who has which of them
 *   domain_certificate.c  has every rank computed what one rank would have computed?
 *   domain_turns.c        turns of all ranks in the order of one rank, told by rank 0
 *   domain_pace.c         how far a round goes, how wide halos are, where strips end
 *   trail.c               what happens to agents in a round
 *
 * All ranks have the same definition, and a run that has begun. From then on rank 0 leads:
 *
 *     rank 0:        brink_domain_round, again and again; brink_domain_end
 *     all others:    brink_domain_follow
 *
 * Rank 0's own run, `whole`, is told everything, in the order of one rank, with the same values to the last bit: its sink
 * is called as if it had taken the turns itself. */
#ifndef BRINK_AGENTS_DOMAIN_H
#define BRINK_AGENTS_DOMAIN_H

#include "agents/agents.h"
#include "ranks/ranks.h"

typedef struct brink_domain brink_domain;

typedef struct brink_domain_def {
  /* Has begun, with the same t_end on all ranks. Ranks other than 0 need it only to create the domain. */
  brink_agents *whole;
  /* Its definition, with models that may be called while those of `whole` are. */
  const brink_agents_def *agents;
  const brink_ranks *ranks;
  double patience; /* seconds of silence after which a rank is given up */
  /* On rank 0, after each turn that was told to the sink of `whole`; may be NULL. */
  void (*told)(void *user);
  void *user;

  /* For tests: 0, or how wide halos are at first, how long rounds are at first. */
  double halo, length;
} brink_domain_def;

/* Why a run of this definition cannot be divided among ranks, in words; NULL: it can. */
const char *brink_domain_refuses(const brink_agents_def *agents, size_t ranks);

/* Statuses: OK, MEMORY, UNSUPPORTED. */
brink_status brink_domain_create(const brink_domain_def *def, const brink_allocator *allocator,
                                 brink_diag *diag, brink_domain **domain);
void brink_domain_destroy(brink_domain *domain); /* NULL is fine */

/* On rank 0: all ranks take turns, up to `pause`, or less far. OK: there are more. TIME_REACHED: all turns up to `pause`
 * have been taken, and `whole` has all agents as they are then. STOPPED: `whole` has all agents, and must go on by itself:
 * the next turn ends the run, or ranks cannot help any more. Other statuses: a failure of the ranks, not of the run. */
brink_status brink_domain_round(brink_domain *domain, double pause, brink_diag *diag);
/* On rank 0: `whole` gets all agents as they are between two rounds. */
brink_status brink_domain_gather(brink_domain *domain, brink_diag *diag);
/* On rank 0: the others return. After a failure: `words` for them, else NULL. */
void brink_domain_end(brink_domain *domain, const char *words);
/* On other ranks: does its part until rank 0 has ended. */
brink_status brink_domain_follow(brink_domain *domain, brink_diag *diag);

/* ---- who waits for whom ---- */

/* A rank in one round. Times are in seconds since rank 0 created the domain; a round begins on all ranks when rank 0 says
 * so. */
typedef struct brink_domain_span {
  double begin, computed; /* the round; the end of its turns */
  double heard, told;     /* rank 0 has all reports; it has told them, and the round is over */
  double t;               /* the time of the simulation at the end of the round */
  size_t waited_for;      /* between `computed` and `heard`: the rank for which it waited longest */
  bool refused;           /* the round was computed in vain */
} brink_domain_span;

typedef struct brink_domain_stats {
  int64_t rounds, refused;
  int64_t turns, halo_turns; /* of agents that ranks own; of their halos */
  double halo;               /* at present */
  size_t ranks;
  const double *computing; /* seconds of each rank, of the processor */
  const double *waited;    /* by rank r for rank q: waited[r * ranks + q], seconds */
  /* Of the first rounds, as many as are kept: spans[round * ranks + rank]. */
  const brink_domain_span *spans;
  size_t nspans; /* rounds */
} brink_domain_stats;

/* On rank 0. */
brink_domain_stats brink_domain_statistics(const brink_domain *domain);

#endif
