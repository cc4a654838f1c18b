/* contacts.c: what is remembered of pairs: signs of guards that are on their surface.
 *
 * The sign of a guard is that of its value, as nothing is missed, but for the few pairs that are on a surface or have just
 * been there, where rounding hides the value. Their signs are locked, as those of a single system are, and kept here:
 * for each guard of each block, since a pair may have several. Of such a guard it is known, too, whether it is to
 * fire at an instant at which something else comes first. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "agents/parts.h"

#define FEWEST 64 /* contacts that there is room for from the beginning, … */
#define SHARE 4   /* … or one for so many agents */
#define A_WHILE                                                                                    \
  4096.0 /* units of rounding in time, in which a value may still be hidden by rounding */

bool brink_contacts_init(brink_contacts *book, size_t n, const brink_allocator *allocator,
                         brink_arena *arena) {
  *book = (brink_contacts){.free = BRINK_NOBODY};
  if (allocator != NULL) book->allocator = *allocator;
  book->first = brink_arena_take(arena, n, sizeof *book->first);
  if (book->first == NULL) return false;
  memset(book->first, 0xff, n * sizeof *book->first);
  book->room = FEWEST + n / SHARE;
  book->items = brink_allocate(&book->allocator, book->room, sizeof *book->items);
  return book->items != NULL;
}

void brink_contacts_free(brink_contacts *book) {
  if (book->items != NULL)
    brink_release(&book->allocator, book->items, book->room, sizeof *book->items);
  book->items = NULL;
}

static bool is_of(const brink_contact *contact, size_t block, size_t guard,
                  const uint32_t pair[2]) {
  return contact->pair[1] == pair[1] && contact->guard == guard && contact->block == block;
}

const brink_contact *brink_contacts_find(const brink_contacts *book, size_t block, size_t guard,
                                         const uint32_t pair[2]) {
  for (uint32_t k = book->first[pair[0]]; k != BRINK_NOBODY; k = book->items[k].next) {
    if (is_of(&book->items[k], block, guard, pair)) return &book->items[k];
  }
  return NULL;
}

bool brink_contacts_any(const brink_contacts *book, const uint32_t pair[2], double at) {
  for (uint32_t k = book->first[pair[0]]; k != BRINK_NOBODY; k = book->items[k].next) {
    if (book->items[k].pair[1] == pair[1] && book->items[k].at == at) return true;
  }
  return false;
}

static bool grow(brink_contacts *book) {
  size_t room = 2 * book->room;
  brink_contact *items = brink_allocate(&book->allocator, room, sizeof *items);
  if (items == NULL) return false;
  memcpy(items, book->items, book->count * sizeof *items);
  brink_release(&book->allocator, book->items, book->room, sizeof *items);
  book->items = items;
  book->room = room;
  return true;
}

/* A place that is not in use; BRINK_NOBODY: out of memory. */
static uint32_t take(brink_contacts *book) {
  uint32_t place = book->free;
  if (place != BRINK_NOBODY) {
    book->free = book->items[place].next;
    return place;
  }
  if (book->count == book->room && !grow(book)) return BRINK_NOBODY;
  return (uint32_t)book->count++;
}

/* Of an instant that is over, also by the rounding of time, and not of two that are still together. */
static bool is_over(const brink_contact *contact, double now) {
  return contact->at + A_WHILE * DBL_EPSILON * fabs(now) < now && !brink_contact_near(contact, now);
}

/* The place of the contact; on the way there, those that are over make room. */
static uint32_t *place_of(brink_contacts *book, const brink_contact *note, double now) {
  uint32_t *link = &book->first[note->pair[0]];
  while (*link != BRINK_NOBODY) {
    uint32_t k = *link;
    brink_contact *contact = &book->items[k];
    if (is_of(contact, note->block, note->guard, note->pair)) return link;
    if (is_over(contact, now)) {
      *link = contact->next;
      contact->next = book->free;
      book->free = k;
    } else {
      link = &contact->next;
    }
  }
  return link;
}

bool brink_contacts_note(brink_contacts *book, const brink_contact *note, double now) {
  uint32_t *link = place_of(book, note, now), k = *link;
  if (note->gone) {
    if (k == BRINK_NOBODY) return true;
    *link = book->items[k].next;
    book->items[k].next = book->free;
    book->free = k;
    return true;
  }
  brink_contact made = *note;
  made.next = BRINK_NOBODY;
  if (k != BRINK_NOBODY) {
    made.next = book->items[k].next;
    book->items[k] = made;
    return true;
  }
  k = take(book); /* may move them all */
  if (k == BRINK_NOBODY) return false;
  made.next = book->first[note->pair[0]];
  book->items[k] = made;
  book->first[note->pair[0]] = k;
  return true;
}
