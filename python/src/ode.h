/* ode.h: models of brink.ode, whose callbacks are Python callables or C functions of the user's.
 *
 * A brinkpy_ode is `user` of the model of one simulation. Each callback of that model is a trampoline of ode.c. For a
 * C function it calls that one, and Python is not entered. For a Python callable it copies what the callable reads into
 * buffers that Python knows as arrays, enters Python, and copies what it wrote. So nothing that Python keeps
 * points into the library. */
#ifndef BRINKPY_ODE_H
#define BRINKPY_ODE_H

#include <brink/brink.h>
#include <brink/sensitivity.h>

/* How a function of the user's is called. */
enum {
  BRINKPY_NONE,
  BRINKPY_PYTHON, /* `callable` is a handle of a Python callable */
  BRINKPY_SIMPLE, /* the forms below */
  BRINKPY_ENV,    /* the form of the C API, with env->user the function's own `user` */
  BRINKPY_FIXED,  /* jacobian: the values never change */
  BRINKPY_COLOUR, /* jacobian: differences, of columns of one colour at once */
};

/* Right-hand sides, values of guards (one number), jacobians (by columns of the pattern). */
typedef int brinkpy_simple_fn(double t, const double *x, double *out, void *user);
typedef int brinkpy_simple_gradient_fn(double t, const double *x, double *dx, double *dt,
                                       void *user);

typedef struct brinkpy_function {
  int form;
  void *callable;
  void (*code)(void);
  void *user;
} brinkpy_function;

typedef struct brinkpy_guard {
  brinkpy_function value, gradient, jet;
  const size_t *depends;
  size_t ndepends;
  void *enabled, *action, *on_surface; /* handles; NULL: none */
  int64_t stop_after;                  /* the run stops at so many events from now; 0: never */
} brinkpy_guard;

/* An array that grows. */
typedef struct brinkpy_rows {
  double *values;
  size_t count, capacity, width;
} brinkpy_rows;

typedef struct brinkpy_ode {
  size_t nx, np, nmodes, nguards, entries; /* entries: of the jacobian's pattern */
  bool backward; /* time of the user's functions is minus that of the library */
  brinkpy_function rhs, jacobian, series;
  brinkpy_guard *guards;
  void **ticks; /* of each clock */
  void *rules, *zeno;

  /* What Python's callables read and write. */
  double *x, *out, *matrix;
  /* The last env that they were shown. `env` is called when it has changed; NULL: nobody reads it. */
  double *p;
  int *mode;
  signed char *sgn;
  void *env;

  /* BRINKPY_COLOUR: the pattern, the colour of each column, room for three states, increments. */
  const size_t *starts, *rows, *colours;
  size_t ncolours;
  double *moved, *field, *moved_field;
  const double *scale;

  /* Series that Python's callables read and write: rows of order + 1 numbers, that of time (of a guard's jet) before those of the
   * states. */
  double *jets;

  /* Constraints: the one structure, g then h, their derivatives by columns of its pattern. */
  const brink_structure *structure;
  brinkpy_function residual, derivatives;
  size_t nrows, nderivatives;
  double *derivative_values;

  void *slide, *near_miss; /* handles for the sink; NULL: nobody asks */

  /* Derivatives, where they are asked for. Rows: time and dx, at the start, at the ends of steps, after events. Events: dT, and dx
   * of the state that moves with the event. */
  brink_sensitivity *sensitivity;
  size_t ndirections;
  brinkpy_rows tangents, event_tangents;
  bool out_of_memory; /* there was no room for a row */

  bool failed;   /* a Python callable has raised: its exception is kept */
  int64_t calls; /* of the right-hand side */
} brinkpy_ode;

/* Sets the trampolines of a definition and its guards and clocks, as the functions of `ode` are; and `user`. */
void brinkpy_ode_callbacks(brinkpy_ode *ode, brink_model_def *def, brink_guard_def *guards,
                           brink_clock_def *clocks, brink_constraints_def *constraints);

/* Stops the run at events of guards with stop_after; tells Python of slides and near misses, where it asks. */
void brinkpy_ode_sink(brinkpy_ode *ode, brink_sim *sim);

/* Goes along with the sim: `count` directions, x and p by rows as in brink_sensitivity_def. Before brinkpy_ode_sink. */
brink_status brinkpy_ode_differentiate(brinkpy_ode *ode, brink_sim *sim, size_t count,
                                       const double *x, const double *p, brink_diag *diag);

/* Back to the start, as the sim is: brink_sim_reset. */
void brinkpy_ode_reset(brinkpy_ode *ode, brink_sim *sim);

/* Somebody has set a value: the derivatives from here on, if they changed. */
void brinkpy_ode_written(brinkpy_ode *ode, brink_sim *sim);

/* Releases the sensitivity and its rows. Before the sim is destroyed. */
void brinkpy_ode_release(brinkpy_ode *ode);

#endif
