/* intervals.c: intervals between the events of guards of pairs: for each agent, as the first partner, a short list.
 *
 * A list is in one piece of memory, since it is read at every event of its agent. It has room for the guards that fire in turn in a cluster of balls: in the plane a disc touches six others, and is
 * the first partner of some of them. If there are more, the one that fired longest ago is replaced. */
#include <string.h>

#include "agents/parts.h"

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

/* An unused piece for a list; BRINK_NOBODY: out of memory. */
static uint32_t take(brink_pair_interval_lists *lists) {
  uint32_t piece = lists->free;
  if (piece != BRINK_NOBODY) {
    lists->free = lists->items[piece].guard;
  } else {
    piece = (uint32_t)lists->count;
    for (int k = 0; k < BRINK_PAIR_INTERVALS; k++) {
      if (brink_arena_push(lists->arena, lists->items, lists->count, lists->capacity) == NULL)
        return BRINK_NOBODY;
    }
  }
  for (uint32_t k = 0; k < BRINK_PAIR_INTERVALS; k++)
    lists->items[piece + k] = (brink_pair_intervals){.partner = BRINK_NOBODY};
  return piece;
}

/* The list of an agent, made if it has none; NULL: out of memory. */
static brink_pair_intervals *list_of(brink_pair_interval_lists *lists, uint32_t agent) {
  if (lists->first[agent] == BRINK_NOBODY) lists->first[agent] = take(lists);
  return lists->first[agent] != BRINK_NOBODY ? &lists->items[lists->first[agent]] : NULL;
}

size_t brink_pair_intervals_count(const brink_pair_interval_lists *lists, uint32_t agent) {
  size_t count = 0;
  if (lists->first[agent] == BRINK_NOBODY) return 0;
  const brink_pair_intervals *list = &lists->items[lists->first[agent]];
  while (count < BRINK_PAIR_INTERVALS && list[count].partner != BRINK_NOBODY) count++;
  return count;
}

brink_event_intervals *brink_pair_intervals_of(brink_pair_interval_lists *lists,
                                               const uint32_t pair[2], size_t block, size_t guard,
                                               double start) {
  brink_pair_intervals *list = list_of(lists, pair[0]), *oldest = list;
  if (list == NULL) return NULL;
  for (int k = 0; k < BRINK_PAIR_INTERVALS; k++) {
    brink_pair_intervals *one = &list[k];
    if (one->partner == pair[1] && one->guard == guard && one->block == block)
      return &one->intervals;
    if (one->partner == BRINK_NOBODY) {
      oldest = one;
      break;
    }
    if (one->intervals.last < oldest->intervals.last) oldest = one;
  }
  *oldest = (brink_pair_intervals){.partner = pair[1],
                                   .guard = (uint32_t)guard,
                                   .block = (uint16_t)block,
                                   .intervals = {.last = start}};
  return &oldest->intervals;
}

void brink_pair_intervals_forget(brink_pair_interval_lists *lists, uint32_t agent) {
  uint32_t piece = lists->first[agent];
  if (piece == BRINK_NOBODY) return;
  lists->items[piece].guard = lists->free;
  lists->free = piece;
  lists->first[agent] = BRINK_NOBODY;
}

bool brink_pair_intervals_append(brink_pair_interval_lists *lists, uint32_t agent,
                                 const brink_pair_intervals *added) {
  brink_pair_intervals *list = list_of(lists, agent);
  size_t count = brink_pair_intervals_count(lists, agent);
  if (list == NULL || count == BRINK_PAIR_INTERVALS) return false;
  list[count] = *added;
  return true;
}
