/* team.h: threads that do many small things together. */
#ifndef BRINK_AGENTS_TEAM_H
#define BRINK_AGENTS_TEAM_H

#include "base/base.h"

typedef struct brink_team brink_team;

/* Thing `item`, done by thread `worker`. */
typedef void brink_team_job(void *user, size_t item, size_t worker);

/* `threads` with that of the caller. Where no more can be started there are fewer. NULL: out of memory. */
brink_team *brink_team_create(size_t threads, const brink_allocator *allocator);
void brink_team_destroy(brink_team *team); /* NULL is fine */

/* All things, in any order, by any thread; returns when they are done. What the caller wrote before is seen by all, and
 * what they write by the caller. */
void brink_team_do(brink_team *team, size_t items, brink_team_job *job, void *user);

#endif
