/* delay_reach.h: through how many integrations a delayed signal acts on what is delayed. */
#ifndef BRINK_EXPR_DELAY_REACH_H
#define BRINK_EXPR_DELAY_REACH_H

#include "expr/system.h"

#define BRINK_REACH_NEVER 255 /* … or through more than BRINK_REACH_MOST */
#define BRINK_REACH_MOST 8

/* reach[i*n + j], n delays in all, those of one line after another: 0: signal i is computed from delayed signal j; k: only
 * through k integrations. NULL: there are too many to tell, constraints tie everything to everything, or memory is out. */
const unsigned char *brink_system_delay_reach(const brink_system *system, brink_arena *arena);

#endif
