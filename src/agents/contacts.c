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

bool brink_contacts_init(brink_contacts *contacts, size_t n, const brink_allocator *allocator,
                         brink_arena *arena) {
  *contacts = (brink_contacts){.free = BRINK_NOBODY};
  if (allocator != NULL) contacts->allocator = *allocator;
  contacts->first = brink_arena_take(arena, n, sizeof *contacts->first);
  if (contacts->first == NULL) return false;
  memset(contacts->first, 0xff, n * sizeof *contacts->first);
  contacts->room = FEWEST + n / SHARE;
  contacts->items = brink_allocate(&contacts->allocator, contacts->room, sizeof *contacts->items);
  return contacts->items != NULL;
}

void brink_contacts_free(brink_contacts *contacts) {
  if (contacts->items != NULL)
    brink_release(&contacts->allocator, contacts->items, contacts->room, sizeof *contacts->items);
  contacts->items = NULL;
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

static bool grow(brink_contacts *contacts) {
  size_t room = 2 * contacts->room;
  brink_contact *items = brink_allocate(&contacts->allocator, room, sizeof *items);
  if (items == NULL) return false;
  memcpy(items, contacts->items, contacts->count * sizeof *items);
  brink_release(&contacts->allocator, contacts->items, contacts->room, sizeof *items);
  contacts->items = items;
  contacts->room = room;
  return true;
}

/* An unused element; BRINK_NOBODY: out of memory. */
static uint32_t take(brink_contacts *contacts) {
  uint32_t place = contacts->free;
  if (place != BRINK_NOBODY) {
    contacts->free = contacts->items[place].next;
    return place;
  }
  if (contacts->count == contacts->room && !grow(contacts)) return BRINK_NOBODY;
  return (uint32_t)contacts->count++;
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

bool brink_contacts_update(brink_contacts *contacts, const brink_contact *update, double now) {
  uint32_t *link = place_of(contacts, update, now), k = *link;
  if (update->removed) {
    if (k == BRINK_NOBODY) return true;
    *link = contacts->items[k].next;
    contacts->items[k].next = contacts->free;
    contacts->free = k;
    return true;
  }
  brink_contact made = *update;
  made.next = BRINK_NOBODY;
  if (k != BRINK_NOBODY) {
    made.next = contacts->items[k].next;
    contacts->items[k] = made;
    return true;
  }
  k = take(contacts); /* may move all items */
  if (k == BRINK_NOBODY) return false;
  made.next = contacts->first[update->pair[0]];
  contacts->items[k] = made;
  contacts->first[update->pair[0]] = k;
  return true;
}
