/* agents_strips.h: one population in strips, as several ranks would compute it (docs/decisions/0023-ranks.md).
 *
 * Every rank is an engine of its own. It owns the agents in a strip of space and computes them together with copies of those
 * nearby, its halo. In a round all ranks take their turns up to a common time, without hearing of each other. What the
 * edge of a halo gets wrong spreads from neighbour to neighbour. The certificate says, from what the ranks have computed
 * themselves, whether it has reached an agent that somebody owns. If not, the round is that of one engine, to the last
 * bit; then every rank takes over its halo from those who own it. */
#ifndef BRINK_TESTS_AGENTS_STRIPS_H
#define BRINK_TESTS_AGENTS_STRIPS_H

#include "agents/parts.h"

enum { STRIPS_MOST = 16 };

/* What an agent has done in a round, as one rank computes it. */
typedef struct strips_sweep {
  double low, high; /* of all boxes it had, in the first direction of space */
  uint64_t hash;    /* of all its turns */
} strips_sweep;

/* A turn, and the bits of all events that it told. */
typedef struct strips_turn {
  double at;
  uint32_t agent;
  uint64_t bits;
} strips_turn;

typedef struct strips_log {
  const brink_agents *agents;
  strips_turn *list;
  size_t count, capacity;
  uint64_t bits; /* of the present turn */
} strips_log;

typedef struct strips_rank {
  brink_agents *agents;
  strips_log log;   /* of the turns of a watched round */
  double low, high; /* its strip */
  bool *active;     /* it computes these agents: its own, and the halo … */
  bool *comes;      /* … these as their owners have them … */
  bool *leaves;     /* … and these no more */
  strips_sweep *sweeps;
  uint32_t outsider; /* an agent that it does not compute; BRINK_NOBODY: there is none */
  size_t owned, computed, taken;
  int64_t windows; /* of the last round, also of the halo */
} strips_rank;

typedef struct strips {
  size_t n, nranks;
  double halo; /* width */
  uint8_t *owner;
  double *x; /* where the agents are */
  strips_rank ranks[STRIPS_MOST];
  brink_agents_stats owned; /* of watched rounds: what turns of owned agents have cost */
} strips;

/* Ranks in the state of `whole`, which has begun. All pairs must have `reach`. False: no memory. */
bool strips_open(strips *s, const brink_agents *whole, const brink_agents_def *def, size_t nranks,
                 double halo);
void strips_close(strips *s);

/* The next turn of an engine, if it is before `until`, into its log: ERR_WORK, TIME_REACHED, or a failure. The log must be
 * that of strips_listen, which is told the events. */
brink_status strips_take_turn(brink_agents *agents, strips_log *log, double until,
                              brink_diag *diag);
void strips_listen(brink_agents *agents, strips_log *log);

/* One rank takes its turns before `until`. Watched: turn by turn, for the certificate. TIME_REACHED, or a failure. */
brink_status strips_compute(strips *s, size_t rank, double until, bool watched, brink_diag *diag);
/* After a watched round of all ranks: have all owned agents done what they do in one engine? */
bool strips_certified(const strips *s);
/* After a certified round: the turns of all ranks in the order of one engine. False: no memory, or there is none. */
bool strips_merge(const strips *s, strips_log *merged);

/* After a round: where agents are; strips of equal work, if an agent of rank k costs weight[k]; who owns which. */
void strips_locate(strips *s);
void strips_divide(strips *s, const double *weight);
void strips_own(strips *s, uint8_t *old);
/* … which agents a rank needs; old owners are those before strips_own … */
void strips_find_halo(strips *s, size_t rank, const uint8_t *old);
/* … and takes over from them … */
void strips_take_over(strips *s, size_t rank, const uint8_t *old);
/* … and, when all have, forgets those that it does not compute any more. */
void strips_leave(strips *s, size_t rank);
/* After a round that is not certified: all ranks as `whole`. */
void strips_restart(strips *s, const brink_agents *whole);

/* Is the agent the same in both, to the last bit: its state, its plan, its window, its contacts? */
bool strips_same(const brink_agents *a, const brink_agents *b, uint32_t agent);

#endif
