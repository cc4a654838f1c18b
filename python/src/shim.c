#include "shim.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

/* ---- SIGINT ---- */

/* A call that SIGINT ends. Calls nest: a callback of a run may move another run. */
typedef struct watch {
  struct watch *outer;
  brink_run *run; /* NULL: the call looks at `interrupted` itself */
  atomic_bool interrupted;
} watch;

/* A process has one disposition of SIGINT, so this is one for all. Only the main thread writes it; the handler, which may run in any
 * thread, reads. */
static _Atomic unsigned long main_thread;
static watch *_Atomic innermost;
static atomic_int handlers; /* that are at work */
static struct sigaction former;

void brinkpy_set_main_thread(unsigned long ident) {
  atomic_store(&main_thread, ident);
}

/* Python's name of the present thread. */
static unsigned long own_ident(void) {
  return (unsigned long)pthread_self();
}

/* Ends the innermost call and no other: what follows from that is for the Python code around it to say. */
static void handle(int number, siginfo_t *info, void *context) {
  atomic_fetch_add(&handlers, 1);
  watch *now = atomic_load(&innermost);
  if (now != NULL && !atomic_exchange(&now->interrupted, true) && now->run != NULL)
    brink_run_cancel(now->run);
  if (former.sa_flags & SA_SIGINFO) {
    former.sa_sigaction(number, info, context);
  } else {
    former.sa_handler(number);
  }
  atomic_fetch_sub(&handlers, 1);
}

static bool is_ours(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == handle;
}

/* Does SIGINT call a function? Python's, as a rule. */
static bool is_handler(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) ||
         (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

/* True: the call is watched, and unwatch must follow it. */
static bool begin_watch(watch *w, brink_run *run) {
  if (own_ident() != atomic_load_explicit(&main_thread, memory_order_relaxed)) return false;
  struct sigaction present;
  if (sigaction(SIGINT, NULL, &present) != 0 || !is_handler(&present)) return false;
  w->outer = atomic_load(&innermost);
  w->run = run;
  atomic_init(&w->interrupted, false);
  if (is_ours(&present)) {
    atomic_store(&innermost, w);
    return true;
  }
  former = present;
  struct sigaction action = {.sa_sigaction = handle,
                             .sa_mask = present.sa_mask,
                             .sa_flags = present.sa_flags | SA_SIGINFO};
  atomic_store(&innermost, w);
  if (sigaction(SIGINT, &action, NULL) == 0) return true;
  atomic_store(&innermost, w->outer);
  return false;
}

/* After it no handler touches w or its run any more. */
static void end_watch(watch *w) {
  atomic_store(&innermost, w->outer);
  if (w->outer == NULL) {
    struct sigaction present;
    /* Somebody may have set another handler meanwhile: that one stays. */
    if (sigaction(SIGINT, NULL, &present) == 0 && is_ours(&present))
      sigaction(SIGINT, &former, NULL);
  }
  while (atomic_load(&handlers) > 0) sched_yield();
}

/* ---- runs ---- */

typedef brink_status moves(brink_run *run, double t, double t_limit, brink_diag *diag);

/* A cancellation that came too late for this call would end the next one. */
static void drop_cancellation(brink_run *run) {
  brink_run_step(run, brink_run_time(run), NULL);
}

static int watched(brink_run *run, moves *move, double t, double t_limit, brink_diag *diag) {
  watch w;
  if (!begin_watch(&w, run)) return move(run, t, t_limit, diag);
  brink_status status = move(run, t, t_limit, diag);
  end_watch(&w);
  if (!atomic_load(&w.interrupted)) return status;
  if (status == BRINK_CANCELLED) return BRINKPY_INTERRUPTED;
  if (status >= 0 || status == BRINK_ERR_WORK) drop_cancellation(run);
  return status;
}

static brink_status to(brink_run *run, double t, double t_limit, brink_diag *diag) {
  (void)t_limit;
  return brink_run_to(run, t, diag);
}

static brink_status step(brink_run *run, double t, double t_limit, brink_diag *diag) {
  (void)t_limit;
  return brink_run_step(run, t, diag);
}

static brink_status next_event(brink_run *run, double t, double t_limit, brink_diag *diag) {
  (void)t_limit;
  return brink_run_next_event(run, t, diag);
}

int brinkpy_run_to(brink_run *run, double t_end, brink_diag *diag) {
  return watched(run, to, t_end, t_end, diag);
}

int brinkpy_run_step(brink_run *run, double t_limit, brink_diag *diag) {
  return watched(run, step, t_limit, t_limit, diag);
}

int brinkpy_run_next_event(brink_run *run, double t_limit, brink_diag *diag) {
  return watched(run, next_event, t_limit, t_limit, diag);
}

int brinkpy_run_output(brink_run *run, double t, double t_limit, brink_diag *diag) {
  return watched(run, brink_run_output, t, t_limit, diag);
}

/* ---- sims ---- */

static brink_status too_many_steps(const brink_sim *sim, int64_t max_steps, brink_diag *diag) {
  if (diag == NULL) return BRINK_ERR_WORK;
  diag->status = BRINK_ERR_WORK;
  diag->reason = BRINK_REASON_MAX_STEPS;
  diag->t = brink_sim_time(sim);
  diag->count = max_steps;
  snprintf(diag->message, sizeof diag->message,
           "the limit of %lld steps was reached at t = %g: raise max_steps", (long long)max_steps,
           diag->t);
  return BRINK_ERR_WORK;
}

/* The loop of brink_sim_run, with a look at SIGINT after every step. */
int brinkpy_sim_run(brink_sim *sim, double t_end, bool stop_at_event, int64_t max_steps,
                    brink_diag *diag) {
  watch w;
  bool watching = begin_watch(&w, NULL);
  bool interrupted = false;
  brink_status status = BRINK_STEPPED;
  for (int64_t steps = 0; status == BRINK_STEPPED || (status == BRINK_EVENT && !stop_at_event);) {
    interrupted = watching && atomic_load_explicit(&w.interrupted, memory_order_relaxed);
    if (interrupted) break;
    status = brink_sim_advance(sim, t_end, diag);
    bool more = status == BRINK_STEPPED || (status == BRINK_EVENT && !stop_at_event);
    if (more && max_steps > 0 && ++steps >= max_steps)
      status = too_many_steps(sim, max_steps, diag);
  }
  if (watching) end_watch(&w);
  return interrupted ? BRINKPY_INTERRUPTED : (int)status;
}
