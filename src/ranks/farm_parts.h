/* farm_parts.h: what the files of the farm share: its two queues and its messages. */
#ifndef BRINK_RANKS_FARM_PARTS_H
#define BRINK_RANKS_FARM_PARTS_H

#include <pthread.h>

#include "ranks/farm.h"

/* A message: this head, then what its kind says. All ranks are the same program on machines of the same kind; the greeting
 * checks that, and every length is checked before it is used. */
typedef enum brink_message_kind {
  BRINK_MESSAGE_HELLO,   /* to 0: the fingerprint; count: threads */
  BRINK_MESSAGE_RESULTS, /* to 0: count of: item, size, data */
  BRINK_MESSAGE_ALIVE,   /* both ways: nothing else to say */
  BRINK_MESSAGE_FAILED,  /* to 0: words */
  BRINK_MESSAGE_WORK,    /* from 0: count of: item, size, question */
  BRINK_MESSAGE_STOP,    /* from 0; count: ranks that were given up */
} brink_message_kind;

typedef struct brink_message {
  uint32_t kind, count;
} brink_message;

typedef struct brink_farm_item {
  uint64_t number;
  brink_text question;
} brink_farm_item;

typedef struct brink_farm_leader brink_farm_leader;

struct brink_farm {
  brink_farm_def def;
  brink_allocator allocator;
  brink_farm_leader *leader; /* on rank 0, from the first lead on; else NULL */
  size_t lost;

  pthread_mutex_t lock;
  pthread_cond_t filled, given; /* items, results */
  /* Under the lock. */
  brink_farm_item *items; /* for the threads of this rank; items_first … items_count - 1 */
  size_t items_first, items_count, items_capacity;
  brink_text results; /* as in a message: item, size, data */
  size_t nresults;
  bool closed;
};

/* More items for the threads of this rank: count of item, size, question. False: no memory. */
bool brink_farm_fill(brink_farm *farm, const char *data, size_t size);
/* Moves the results that there are to `results`, which is empty. */
size_t brink_farm_collect(brink_farm *farm, brink_text *results);
/* Until there are some, or for some seconds. */
void brink_farm_await(brink_farm *farm, double length);

/* A question or a result in the data of a message, and what is behind it; false: there is none. */
typedef struct brink_farm_part {
  uint64_t item;
  const char *data;
  size_t size;
} brink_farm_part;
void brink_farm_part_add(brink_text *message, uint64_t item, const void *data, size_t size);
bool brink_farm_part_next(const char **data, size_t *size, brink_farm_part *part);

bool brink_message_send(const brink_ranks *ranks, size_t to, brink_message_kind kind, size_t count,
                        const void *data, size_t size);
/* The next one that has arrived. A message without a head is as one of kind UINT32_MAX. */
bool brink_message_receive(const brink_ranks *ranks, size_t *from, brink_message *message,
                           const char **data, size_t *size);

/* Serving on other ranks than 0 (follow.c); rank 0 leads (hand_out.c). */
brink_status brink_farm_follow(brink_farm *farm, brink_diag *diag);

/* How long a rank that has nothing to do waits before it looks again: doubled each time, in seconds. The longest wait is what
 * a rank may lose before each of its runs, and how often an idle one wakes up for nothing. */
#define BRINK_FARM_NAP_FIRST 5e-5
#define BRINK_FARM_NAP_LONGEST 1e-3
/* The same of a process that has only its own threads to wait for, which wake it up. */
#define BRINK_FARM_NAP_ALONE 5e-3
/* A rank says that it is alive this often in the time after which it is given up. */
#define BRINK_FARM_BEATS 8

#endif
