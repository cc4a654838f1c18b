/* intervals.c: intervals between the events of guards of pairs: for each agent, as the first partner, a short list.
 *
 * A list has room for the guards that fire in turn in a cluster of balls: in the plane a disc touches six others, and is
 * the first partner of some of them. If there are more, the one that fired longest ago is replaced. */
#include <string.h>

#include "agents/parts.h"

#define LONGEST 8 /* of a list */
#define FEWEST 64 /* initial capacity */

bool brink_pair_intervals_init(brink_pair_interval_lists *lists, size_t n, brink_arena *arena) {
  *lists = (brink_pair_interval_lists){.arena = arena, .capacity = FEWEST};
  lists->first = brink_arena_take(arena, n, sizeof *lists->first);
  lists->items = brink_arena_take(arena, lists->capacity, sizeof *lists->items);
  if (arena->failed) return false;
  brink_pair_intervals_clear(lists, n);
  return true;
}

void brink_pair_intervals_clear(brink_pair_interval_lists *lists, size_t n) {
  lists->count = 0;
  lists->free = BRINK_NOBODY;
  memset(lists->first, 0xff, n * sizeof *lists->first);
}

bool brink_pair_intervals_copy(brink_pair_interval_lists *to, const brink_pair_interval_lists *from,
                               size_t n) {
  if (to->capacity < from->count) {
    brink_pair_intervals *items = brink_arena_take(to->arena, from->capacity, sizeof *items);
    if (items == NULL) return false;
    to->items = items;
    to->capacity = from->capacity;
  }
  memcpy(to->items, from->items, from->count * sizeof *to->items);
  memcpy(to->first, from->first, n * sizeof *to->first);
  to->count = from->count;
  to->free = from->free;
  return true;
}

/* An unused element; BRINK_NOBODY: out of memory. */
static uint32_t take(brink_pair_interval_lists *lists) {
  uint32_t unused = lists->free;
  if (unused != BRINK_NOBODY) {
    lists->free = lists->items[unused].next;
    return unused;
  }
  const brink_pair_intervals *added =
      brink_arena_push(lists->arena, lists->items, lists->count, lists->capacity);
  return added != NULL ? (uint32_t)(lists->count - 1) : BRINK_NOBODY;
}

brink_event_intervals *brink_pair_intervals_of(brink_pair_interval_lists *lists,
                                               const uint32_t pair[2], size_t block, size_t guard,
                                               double start) {
  uint32_t oldest = BRINK_NOBODY;
  size_t length = 0;
  for (uint32_t k = lists->first[pair[0]]; k != BRINK_NOBODY; k = lists->items[k].next, length++) {
    brink_pair_intervals *one = &lists->items[k];
    if (one->partner == pair[1] && one->guard == guard && one->block == block)
      return &one->intervals;
    if (oldest == BRINK_NOBODY || one->intervals.last < lists->items[oldest].intervals.last)
      oldest = k;
  }
  uint32_t at = length < LONGEST ? take(lists) : oldest;
  if (at == BRINK_NOBODY) return NULL;
  brink_pair_intervals *made = &lists->items[at];
  uint32_t next = length < LONGEST ? lists->first[pair[0]] : made->next;
  *made = (brink_pair_intervals){.partner = pair[1],
                                 .guard = (uint32_t)guard,
                                 .block = (uint16_t)block,
                                 .next = next,
                                 .intervals = {.last = start}};
  if (length < LONGEST) lists->first[pair[0]] = at;
  return &made->intervals;
}

void brink_pair_intervals_forget(brink_pair_interval_lists *lists, uint32_t agent) {
  uint32_t *link = &lists->first[agent];
  while (*link != BRINK_NOBODY) {
    uint32_t k = *link;
    *link = lists->items[k].next;
    lists->items[k].next = lists->free;
    lists->free = k;
  }
}

bool brink_pair_intervals_append(brink_pair_interval_lists *lists, uint32_t agent,
                                 const brink_pair_intervals *added) {
  uint32_t at = take(lists); /* may move all items */
  if (at == BRINK_NOBODY) return false;
  uint32_t *link = &lists->first[agent];
  while (*link != BRINK_NOBODY) link = &lists->items[*link].next;
  lists->items[at] = *added;
  lists->items[at].next = BRINK_NOBODY;
  *link = at;
  return true;
}
