/* later.c: an object that is compiled while the interpreter runs (see native.h).
 *
 * Nobody waits. Whoever has a use for the object asks now and then (brink_later_ask); each time this moves on:
 *
 *   WAITS   the run may be over before compiling pays: the compiler is not started yet
 *   RUNS    the compiler does
 *   DONE    the object is loaded, or there will be none
 *
 * When is the compiler started? A run of unknown length is like skis that are rented or bought: who has paid a share of the
 * price as rent, and buys then, never pays much more than the best choice would have cost. Here the compiler works on
 * another core, if there is one, and the price is small: so the share is small, too (SHARE).
 *
 * Several threads may ask: one at a time gets an answer, the others are told "not yet". The last user stops the compiler
 * and removes its files. A process that is a copy of this one (fork) leaves them alone: they are not its own. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "native/compile.h"
#include "native/signals.h"

/* The time that compiling takes, in seconds: a start, and so much for each byte (-O1 and -O2 differ by less than models do);
 * measured with gcc and clang on the models in models/. The share of it that a run has to last. */
#define FIRST_BYTE 0.05
#define EACH_BYTE 8e-6
#define SHARE 0.1

typedef enum phase { WAITS, RUNS, DONE } phase;

struct brink_later {
  brink_allocator allocator;
  atomic_size_t users;
  atomic_flag busy; /* somebody asks; all below is his */
  phase phase;
  brink_compile work;
  char *source, *cache; /* cache NULL: the user's */
  size_t length;
  pid_t owner;        /* the process that began */
  double due, begun;  /* when to start the compiler, and when it was */
  brink_object *made; /* loaded when DONE, unless there is a reason */
  char reason[BRINK_REASON];
};

static void free_source(brink_later *later) {
  brink_release(&later->allocator, later->source, later->length, 1);
  later->source = NULL;
}

static void destroy(brink_later *later) {
  brink_allocator allocator = later->allocator;
  if (later->owner == getpid())
    brink_compile_stop(&later->work);
  else
    brink_compile_abandon(&later->work);
  brink_object_unload(later->made);
  free_source(later);
  if (later->cache != NULL) brink_release(&allocator, later->cache, strlen(later->cache) + 1, 1);
  brink_release(&allocator, later, 1, sizeof *later);
}

static char *copy(const brink_allocator *allocator, const char *text, size_t length) {
  char *made = brink_allocate(allocator, length, 1);
  if (made != NULL) memcpy(made, text, length);
  return made;
}

static brink_later *create(const char *source, size_t length, const char *cache,
                           const brink_allocator *allocator) {
  brink_later *later = brink_allocate(allocator, 1, sizeof *later);
  if (later == NULL) return NULL;
  if (allocator != NULL) later->allocator = *allocator;
  atomic_init(&later->users, 1);
  atomic_flag_clear(&later->busy);
  later->owner = getpid();
  later->length = length;
  later->source = copy(allocator, source, length);
  if (cache != NULL) later->cache = copy(allocator, cache, strlen(cache) + 1);
  later->made = brink_object_prepare(allocator);
  if (later->source != NULL && later->made != NULL && (cache == NULL || later->cache != NULL))
    return later;
  destroy(later);
  return NULL;
}

brink_status brink_object_begin(const char *source, size_t length, const char *cache,
                                const brink_allocator *allocator, brink_object **object,
                                brink_later **later, char *reason) {
  double now = brink_compile_clock();
  *object = NULL;
  *later = NULL;
  brink_compile work;
  if (!brink_compile_prepare(&work, source, length, reason)) return BRINK_ERR_UNSUPPORTED;
  brink_later *made = create(source, length, cache, allocator);
  if (made == NULL) return BRINK_ERR_MEMORY;
  made->work = work;
  made->due = now + SHARE * (FIRST_BYTE + EACH_BYTE * (double)length);
  int fd = brink_compile_find(&work, cache);
  if (fd < 0 || !brink_object_open(made->made, fd, &work, reason)) {
    reason[0] = '\0';
    *later = made;
    return BRINK_OK;
  }
  made->made->from_cache = true;
  made->made->seconds = brink_compile_clock() - now;
  *object = brink_object_share(made->made);
  destroy(made);
  return BRINK_OK;
}

brink_later *brink_later_share(brink_later *later) {
  atomic_fetch_add(&later->users, 1);
  return later;
}

void brink_later_release(brink_later *later) {
  if (later != NULL && atomic_fetch_sub(&later->users, 1) == 1) destroy(later);
}

static void start(brink_later *later, double now) {
  brink_signals signals;
  brink_signals_hold(&signals); /* no workshop without a compiler that is known of */
  bool runs =
      brink_compile_start(&later->work, later->source, later->length, later->cache, later->reason);
  brink_signals_release(&signals);
  later->begun = now;
  later->phase = runs ? RUNS : DONE;
  free_source(later);
}

static void look(brink_later *later) {
  int fd;
  brink_readiness is = brink_compile_poll(&later->work, &fd, later->reason);
  if (is == BRINK_NOT_YET) return;
  later->phase = DONE;
  if (is == BRINK_READY && brink_object_open(later->made, fd, &later->work, later->reason))
    later->made->seconds = brink_compile_clock() - later->begun;
}

static brink_readiness ask(brink_later *later, brink_object **object, char *reason) {
  if (later->owner != getpid()) {
    snprintf(reason, BRINK_REASON, "the compiler works for the process that this one is a copy of");
    return BRINK_NEVER;
  }
  double now = brink_compile_clock();
  if (later->phase == WAITS && now >= later->due)
    start(later, now);
  else if (later->phase == RUNS)
    look(later);
  if (later->phase != DONE) return BRINK_NOT_YET;
  snprintf(reason, BRINK_REASON, "%s", later->reason);
  if (later->reason[0] != '\0') return BRINK_NEVER;
  *object = brink_object_share(later->made);
  return BRINK_READY;
}

brink_readiness brink_later_ask(brink_later *later, brink_object **object, char *reason) {
  *object = NULL;
  if (atomic_flag_test_and_set(&later->busy)) return BRINK_NOT_YET;
  brink_readiness answer = ask(later, object, reason);
  atomic_flag_clear(&later->busy);
  return answer;
}

const char *brink_later_state(brink_later *later) {
  if (atomic_flag_test_and_set(&later->busy)) return "the compiler was not ready yet";
  bool waits = later->phase == WAITS;
  atomic_flag_clear(&later->busy);
  return waits ? "compiling was not worthwhile yet" : "the compiler was not ready yet";
}
