/* stepper.h: one interface to all integration methods.
 *
 * The hybrid loop drives a stepper like this:
 *
 *     start(st)                  from st->t, st->x: evaluate f there, forget all history
 *     plan(st, h_limit)          say which step it would like (st->h_plan <= h_limit) and where the
 *                                state would go: st->predictor, valid on [t, t + h_plan]
 *     attempt(st, h)             try a step of h <= h_plan: st->x_new and st->dense on [t, t + h];
 *                                nothing of the history changes, so it may be tried again
 *     commit(st)                 make the attempt the present: t, x, history, next step size
 *
 * The predictor is valid until the next attempt, the dense output until the commit.
 *
 * All evaluations of the model go through brink_eval_rhs, which may refuse a point (the domain check); a refused attempt
 * is tried again with a smaller h. A stepper never looks at guards. */
#ifndef BRINK_ODE_STEPPER_H
#define BRINK_ODE_STEPPER_H

#include "model/eval.h"
#include "num/path.h"

typedef struct brink_stepper brink_stepper;

/* Goes through what a method must remember between two steps, region by region: to measure it, to keep it,
 * to bring it back. */
typedef struct brink_visitor brink_visitor;
struct brink_visitor {
  void (*region)(brink_visitor *visitor, void *live, size_t size);
  char *packed;
  size_t at;
};

typedef struct brink_stepper_ops {
  brink_method method;
  bool
      is_free; /* an attempt evaluates nothing of the model: the step is known before it is taken */
  bool
      starts_slowly; /* a start costs many steps: none is made after an event that changed nothing */
  bool settles;      /* its commit moves the new point onto the constraints by itself */
  /* Workspace from the arena; false when there is none. */
  bool (*create)(brink_stepper *st, brink_arena *arena);
  brink_try (*start)(brink_stepper *st);
  void (*plan)(brink_stepper *st, double h_limit);
  brink_try (*attempt)(brink_stepper *st, double h);
  brink_try (*commit)(brink_stepper *st);
  /* Attempt and commit of a step that was attempted before, from the same point, and found good: x_new is what it
   * was then; there is no dense output. NULL: it takes both. */
  brink_try (*retake)(brink_stepper *st, double h);
  /* Is the attempt good enough to be followed to an event at sigma? NULL: it was tested when it was made.
   * False: try again with h_next. */
  bool (*vouches)(brink_stepper *st, double sigma);
  /* The state at sigma of the attempt, as brink_path_eval gives it; it may be known already. NULL: ask that. */
  void (*inside)(brink_stepper *st, double sigma, double *x);
  /* All that start and commit leave behind, besides t, x, order and h_next, in `method` (which need not be
   * the present one). NULL: the method cannot be packed. */
  void (*visit)(brink_stepper *st, void *method, brink_visitor *visitor);
  /* Where the series of the solution are kept, rows of *length coefficients in units of time of **unit. They
   * are what `visit` comes to first, and a brink_series_head next. NULL: there are none. */
  double *(*series)(void *method, size_t *length, double **unit, int **degree);
  /* The simulation is a copy of another: all pointers in `method` lead into its own memory from now on. */
  void (*relocate)(const brink_stepper *st, void *method, brink_relocation *moved);
  /* All that is kept between two steps, to bytes and back (base/archive.h); `runs`: the method is the present one and
   * goes on without a start. */
  void (*archive)(brink_stepper *st, void *method, bool runs, brink_archive *a);
  /* Gives back what the method has that is not in the arena. NULL: nothing. */
  void (*release)(void *method);
} brink_stepper_ops;

typedef struct brink_series_head {
  double unit, h;
  int degree;
  bool ends;
} brink_series_head;

/* A method with its workspace. */
typedef struct brink_stepper_engine {
  const brink_stepper_ops *ops;
  void *method;
} brink_stepper_engine;

struct brink_stepper {
  const brink_stepper_ops *ops;
  brink_stepper_engine chosen, substitute; /* the second where the first cannot start (sliding) */
  brink_stepper_engine implicit;           /* made when stiffness is first met */
  bool stiff;                              /* … and used while it lasts */
  brink_eval *eval;
  const brink_options *options;
  const double *atol; /* one for each of the nx states */
  size_t n;           /* components: states and appended guard states */
  size_t nx;          /* components of the model: states, and unknowns of constraints, … */
  size_t ntested;     /* … the first of which are states: the error test looks at these */

  double t;
  double *x;    /* n */
  double *f;    /* n: f(t, x), valid after start and commit */
  int age;      /* steps since the last start */
  bool f_ready; /* start: f is there already, somebody just had to evaluate it */
  bool stalls;  /* commit: the method makes no way here; a method that needs no series might */
  int order;

  double h_plan; /* plan: the step it would like, after all limits */
  double h_next; /* the step the error control would like next; 0: not known yet */
  brink_path predictor;

  double h;      /* attempt: the step tried */
  double *x_new; /* n */
  double error;  /* of the attempt, in units of the tolerance; fixed-step methods: 0 */
  brink_path dense;

  void *method; /* private to the method */
  struct brink_foreseen *
      foreseen; /* of runs in lanes (taylor_lanes.h): the next step, computed ahead; NULL: they are none */
};

/* The methods, one file each. */
extern const brink_stepper_ops brink_stepper_adams;
extern const brink_stepper_ops brink_stepper_taylor;
extern const brink_stepper_ops brink_stepper_bdf;
extern const brink_stepper_ops brink_stepper_dopri;
extern const brink_stepper_ops brink_stepper_euler;
extern const brink_stepper_ops brink_stepper_taylor2;
extern const brink_stepper_ops brink_stepper_rk4;
extern const brink_stepper_ops brink_stepper_am3;
extern const brink_stepper_ops brink_stepper_bdf3;
extern const brink_stepper_ops brink_stepper_trapezoid;

/* A stepper for options->method; false when there is no memory. */
bool brink_stepper_create(brink_stepper *st, const brink_options *options, const double *atol,
                          brink_eval *eval, brink_arena *arena);

/* Gives back what is not in the arena. */
void brink_stepper_release(brink_stepper *st);

/* The simulation that it belongs to is a copy of another. */
void brink_stepper_relocate(brink_stepper *st, brink_relocation *moved);

/* Everything between two steps, to bytes and back, after its evaluator; `runs`: the method goes on without a start. The
 * engine for stiff motion is made where there was one. */
void brink_stepper_archive(brink_stepper *st, bool runs, brink_arena *arena, brink_archive *a);

/* ops->attempt, and a step that leads to a state that is no finite number is refused (eval->bad_state). */
brink_try brink_stepper_attempt(brink_stepper *st, double h);

/* ops->commit, after the new point was moved onto the constraints, where there are some. */
brink_try brink_stepper_commit(brink_stepper *st);
/* Makes the engine for stiff motion. False: no memory, or the matrix would be too large. */
bool brink_stepper_add_implicit(brink_stepper *st, brink_arena *arena);

/* Before a start: the method for what holds now. */
void brink_stepper_choose(brink_stepper *st);
/* The start was refused. Is there another method? It is the present one, then. */
bool brink_stepper_has_substitute(const brink_stepper *st);
bool brink_stepper_substitute(brink_stepper *st);

/* The weighted maximum norm max_i |v_i| / (rtol*max(|x_i|, |y_i|) + atol_i) over the states. */
double brink_stepper_norm(const brink_stepper *st, const double *v, const double *x,
                          const double *y);

/* What start begins with: f at (t, x), evaluated unless it is there. */
brink_try brink_stepper_begin(brink_stepper *st);

/* A first step from f alone, without a further evaluation: the step over which an Euler step would
 * make an error of the order of the tolerance (Shampine & Gordon 1975, ch. 7), at most a tenth of
 * h_limit, and a thousandth where f is zero and says nothing; h_limit where there are no states. */
double brink_stepper_first_step(const brink_stepper *st, double h_limit);

#endif
