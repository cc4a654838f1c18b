/* facts.h: where a result came from: what a reader needs to get it again, as pairs of texts. */
#ifndef BRINK_RUN_FACTS_H
#define BRINK_RUN_FACTS_H

#include <time.h>

#include "lang/ast.h"
#include "record/record.h"

typedef struct brink_facts {
  brink_arena *arena;
  brink_fact *facts;
  size_t count;
} brink_facts;

/* The program and the model: its path, and the hashes of its files. False: out of memory. */
bool brink_facts_begin(brink_facts *list, brink_arena *arena, const char *path,
                       const brink_unit *unit);
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void brink_facts_add(brink_facts *list, const char *name, const char *format, ...);
void brink_facts_add_date(brink_facts *list, time_t when);

#endif
