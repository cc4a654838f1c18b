/* journal_parts.h: events that are not complete. For src/record/journal*.c. */
#ifndef BRINK_RECORD_JOURNAL_PARTS_H
#define BRINK_RECORD_JOURNAL_PARTS_H

#include "record/record.h"

/* An event whose instant is not over. */
struct brink_entry {
  double t;
  int iteration;
  brink_direction direction;
  uint32_t flag;
  size_t index;
  brink_participants participants;
  int64_t row;
  bool headline;      /* for a person, too */
  bool detailed;      /* its changes are described */
  bool waits;         /* for what a rule does */
  brink_text name;    /* of the flag */
  brink_text head;    /* JSON before "state" */
  brink_text values;  /* JSON: "state", "after", "changed"; not yet there while it waits */
  brink_text notes;   /* elements of a JSON array */
  bool judged;        /* its condition is known */
  double condition;   /* NaN: it has none */
  brink_text details; /* of it: a JSON object; empty: none */
  brink_text changes; /* for a person; not yet there while it waits */
  double *x;          /* while it waits: states after the event */
  double *p;          /* … parameters and modes before it */
  int *mode;
  double *before_x; /* with constraints, which may move states later: those before it */
  double *was;      /* for JSON: the values that it concerns, as they were before it */
  size_t nwas, was_capacity;
};

/* How many values an event concerns. */
size_t brink_journal_concerns(brink_journal *journal, const brink_entry *entry);
/* One more of them, empty; NULL: out of memory. */
brink_entry *brink_journal_new_entry(brink_journal *journal);

#endif
