/* shim.h: the C that Python needs besides libbrink: calls that Ctrl-C ends.
 *
 * While such a call goes on in Python's main thread, SIGINT ends it soon: after 64 steps at most. The handler that was
 * there is called, too, so that Python learns of the signal and, back in Python, raises KeyboardInterrupt (or does what
 * the user's own handler does). In other threads, and where SIGINT is ignored or ends the process, nothing is different. */
#ifndef BRINKPY_SHIM_H
#define BRINKPY_SHIM_H

#include <brink/brink.h>
#include <brink/hsml.h>

/* Instead of a status: SIGINT ended the call, which can go on. */
enum { BRINKPY_INTERRUPTED = 1000 };

/* Python's main thread: threading.main_thread().ident. */
void brinkpy_set_main_thread(unsigned long ident);

/* brink_run_to and its neighbours. They return a brink_status, or BRINKPY_INTERRUPTED. */
int brinkpy_run_to(brink_run *run, double t_end, brink_diag *diag);
int brinkpy_run_step(brink_run *run, double t_limit, brink_diag *diag);
int brinkpy_run_next_event(brink_run *run, double t_limit, brink_diag *diag);
int brinkpy_run_output(brink_run *run, double t, double t_limit, brink_diag *diag);

/* brink_sim_run, and brink_sim_next_event (stop_at_event). Both make at most max_steps steps (0: no limit), whatever
 * the options of the sim say: ERR_WORK. */
int brinkpy_sim_run(brink_sim *sim, double t_end, bool stop_at_event, int64_t max_steps,
                    brink_diag *diag);

#endif
