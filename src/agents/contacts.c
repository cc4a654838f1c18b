/* contacts.c: contacts: recorded signs of guards of pairs that are on their surface.
 *
 * The sign of a guard is that of its value, except for the few pairs that are on a surface or have just been there, where
 * rounding hides the value. Their signs are locked, as those of a single system are, and recorded here: for each guard of
 * each block, since a pair may have several. The record also says whether the guard is still to fire at an instant at which
 * another event comes first. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "agents/parts.h"

#define FEWEST 64 /* initial capacity, … */
#define SHARE 4   /* … and one more for so many agents */
#define A_WHILE                                                                                    \
  4096.0 /* units of rounding in time after an instant, in which rounding may still hide a value */

bool brink_contacts_init(brink_contacts *contacts, size_t n, brink_arena *arena) {
  *contacts = (brink_contacts){.arena = arena, .capacity = FEWEST + n / SHARE};
  contacts->first = brink_arena_take(arena, n, sizeof *contacts->first);
  contacts->items = brink_arena_take(arena, contacts->capacity, sizeof *contacts->items);
  if (arena->failed) return false;
  brink_contacts_clear(contacts, n);
  return true;
}

void brink_contacts_clear(brink_contacts *contacts, size_t n) {
  contacts->count = 0;
  contacts->free = BRINK_NOBODY;
  memset(contacts->first, 0xff, n * sizeof *contacts->first);
}

bool brink_contacts_copy(brink_contacts *to, const brink_contacts *from, size_t n) {
  if (to->capacity < from->count) {
    brink_contact *items = brink_arena_take(to->arena, from->capacity, sizeof *items);
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

static bool is_of(const brink_contact *contact, size_t block, size_t guard,
                  const uint32_t pair[2]) {
  return contact->pair[1] == pair[1] && contact->guard == guard && contact->block == block;
}

const brink_contact *brink_contacts_find(const brink_contacts *contacts, size_t block, size_t guard,
                                         const uint32_t pair[2]) {
  for (uint32_t k = contacts->first[pair[0]]; k != BRINK_NOBODY; k = contacts->items[k].next) {
    if (is_of(&contacts->items[k], block, guard, pair)) return &contacts->items[k];
  }
  return NULL;
}

bool brink_contacts_any(const brink_contacts *contacts, const uint32_t pair[2], double at) {
  for (uint32_t k = contacts->first[pair[0]]; k != BRINK_NOBODY; k = contacts->items[k].next) {
    if (contacts->items[k].pair[1] == pair[1] && contacts->items[k].at == at) return true;
  }
  return false;
}

/* An unused element; BRINK_NOBODY: out of memory. */
static uint32_t take(brink_contacts *contacts) {
  uint32_t unused = contacts->free;
  if (unused != BRINK_NOBODY) {
    contacts->free = contacts->items[unused].next;
    return unused;
  }
  const brink_contact *added =
      brink_arena_push(contacts->arena, contacts->items, contacts->count, contacts->capacity);
  return added != NULL ? (uint32_t)(contacts->count - 1) : BRINK_NOBODY;
}

/* Is the record of an instant that is over, also within rounding of time, and are the two not touching any more? */
static bool is_over(const brink_contact *contact, double now) {
  return contact->at + A_WHILE * DBL_EPSILON * fabs(now) < now &&
         !brink_contact_touching(contact, now);
}

/* The link to the record of this guard; records that are over are deleted on the way. */
static uint32_t *place_of(brink_contacts *contacts, const brink_contact *update, double now) {
  uint32_t *link = &contacts->first[update->pair[0]];
  while (*link != BRINK_NOBODY) {
    uint32_t k = *link;
    brink_contact *contact = &contacts->items[k];
    if (is_of(contact, update->block, update->guard, update->pair)) return link;
    if (is_over(contact, now)) {
      *link = contact->next;
      contact->next = contacts->free;
      contacts->free = k;
    } else {
      link = &contact->next;
    }
  }
  return link;
}

void brink_contacts_update(brink_contacts *contacts, const brink_contact *update, double now) {
  uint32_t *link = place_of(contacts, update, now), k = *link;
  if (update->removed) {
    if (k == BRINK_NOBODY) return;
    *link = contacts->items[k].next;
    contacts->items[k].next = contacts->free;
    contacts->free = k;
    return;
  }
  brink_contact made = *update;
  made.next = BRINK_NOBODY;
  if (k != BRINK_NOBODY) {
    made.next = contacts->items[k].next;
    contacts->items[k] = made;
    return;
  }
  k = take(contacts); /* may move all items */
  if (k == BRINK_NOBODY) return;
  made.next = contacts->first[update->pair[0]];
  contacts->items[k] = made;
  contacts->first[update->pair[0]] = k;
}

void brink_contacts_forget(brink_contacts *contacts, uint32_t agent) {
  uint32_t *link = &contacts->first[agent];
  while (*link != BRINK_NOBODY) {
    uint32_t k = *link;
    *link = contacts->items[k].next;
    contacts->items[k].next = contacts->free;
    contacts->free = k;
  }
}

bool brink_contacts_append(brink_contacts *contacts, uint32_t agent, const brink_contact *added) {
  uint32_t k = take(contacts); /* may move all items */
  if (k == BRINK_NOBODY) return false;
  uint32_t *link = &contacts->first[agent];
  while (*link != BRINK_NOBODY) link = &contacts->items[*link].next;
  contacts->items[k] = *added;
  contacts->items[k].next = BRINK_NOBODY;
  *link = k;
  return true;
}
