/* exchange.h: messages between ranks that take part in the same work, step by step: each knows from whom the next one comes.
 *
 * Nobody works on if one of them is lost: a rank that cannot go on says so to all others, and who waits in vain gives up. */
#ifndef BRINK_RANKS_EXCHANGE_H
#define BRINK_RANKS_EXCHANGE_H

#include "base/base.h"
#include "ranks/ranks.h"

typedef struct brink_exchange brink_exchange;

/* `patience`: seconds without a message from a rank that is waited for, after which it is given up. NULL: out of memory. */
brink_exchange *brink_exchange_create(const brink_ranks *ranks, double patience,
                                      const brink_allocator *allocator);
void brink_exchange_destroy(brink_exchange *exchange); /* NULL is fine */

/* Sends a copy. Statuses: OK; MEMORY; UNSUPPORTED: too large for one message. */
brink_status brink_exchange_send(brink_exchange *exchange, size_t to, const void *data, size_t size,
                                 brink_diag *diag);
/* The next message from this rank: waits for it. The data stay until the next call. Statuses: OK; MEMORY; CALLBACK: a
 * rank has given up, or nothing is heard of this one. */
brink_status brink_exchange_receive(brink_exchange *exchange, size_t from, const void **data,
                                    size_t *size, brink_diag *diag);
/* Seconds that were spent waiting for messages of a rank, so far. */
double brink_exchange_waited(const brink_exchange *exchange, size_t from);

/* This rank cannot go on: all others fail with these words. No exchange is needed. */
void brink_exchange_leave(const brink_ranks *ranks, const char *words);

#endif
