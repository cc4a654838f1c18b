/* instance_later.c: from the interpreter to machine code, during a run (see later.c and instance.h).
 *
 * Machine code gives the bits that the interpreter gives, kernel by kernel. So an instance may change over between any
 * two kernels, and what it computes does not depend on when it does. It asks at the start of the callbacks that run
 * often: those of dynamics, and of guards (the two of a pair of agents have no dynamics of their own).
 *
 * Clones run in other threads, and share the tasks. The instance that finds the object there writes the functions of all
 * tasks, then says that they are ready; the others, each at a call of its own, find that and read the functions from then on.
 * An instance that has not changed over does not read them. No thread waits for another. */
#include <string.h>
#include <time.h>

#include "native/instance.h"

/* Calls from one look at the clock to the next: a call that is interpreted takes from a tenth of a microsecond on, the clock
 * about a fortieth. */
enum { PATIENCE = 16 };

/* From one question to the next: the kernel is asked whether the compiler has ended. */
#define SECONDS_BETWEEN 1e-3

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static brink_readiness ask_object(brink_shared *shared) {
  double now = seconds_now();
  if (now - shared->asked < SECONDS_BETWEEN) return BRINK_NOT_YET;
  shared->asked = now;
  brink_readiness answer = brink_native_ask(shared->native, shared->reason);
  if (answer == BRINK_READY) brink_instance_adopt(shared->made, shared->native);
  return answer;
}

static brink_readiness ask(brink_shared *shared) {
  brink_readiness known = atomic_load_explicit(&shared->ready, memory_order_acquire);
  if (known != BRINK_NOT_YET || atomic_flag_test_and_set(&shared->asking)) return known;
  known = atomic_load_explicit(&shared->ready, memory_order_acquire); /* since then */
  if (known == BRINK_NOT_YET) {
    known = ask_object(shared);
    atomic_store_explicit(&shared->ready, known, memory_order_release);
  }
  atomic_flag_clear(&shared->asking);
  return known;
}

static void learn(brink_instance *instance, brink_readiness is) {
  instance->awaits = is == BRINK_NOT_YET;
  if (is == BRINK_READY) {
    instance->native = instance->shared->native;
    instance->compile_seconds = instance->native->seconds;
  } else if (is == BRINK_NEVER) {
    memcpy(instance->reason, instance->shared->reason, sizeof instance->reason);
  }
}

void brink_instance_ask(brink_instance *instance, double t) {
  instance->patience = PATIENCE;
  learn(instance, ask(instance->shared));
  if (instance->native != NULL) instance->native_from = t;
}

void brink_instance_begin_waiting(brink_instance *instance) {
  const brink_instance_options *options = &instance->options;
  brink_shared *shared = instance->shared;
  instance->native = NULL;
  if (options->later && options->change_at > 0) {
    instance->patience = options->change_at;
    instance->awaits = true;
    return;
  }
  instance->patience = PATIENCE;
  learn(instance, shared->made != NULL ? ask(shared) : atomic_load(&shared->ready));
}
