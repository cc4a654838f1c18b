/* shim.h for cffi; what things mean is said there. */

enum { BRINKPY_INTERRUPTED = ... };

void brinkpy_set_main_thread(unsigned long ident);
int brinkpy_run_to(brink_run *run, double t_end, brink_diag *diag);
int brinkpy_run_step(brink_run *run, double t_limit, brink_diag *diag);
int brinkpy_run_next_event(brink_run *run, double t_limit, brink_diag *diag);
int brinkpy_run_output(brink_run *run, double t, double t_limit, brink_diag *diag);
int brinkpy_sim_run(brink_sim *sim, double t_end, bool stop_at_event, int64_t max_steps,
    brink_diag *diag);

/* The function of an input (brink_hsml_function.value): python/brink/_inputs.py. */
extern "Python" int brinkpy_input(double t, double *u, void *user);
