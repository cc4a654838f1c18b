/* fit_parts.h: a fit, inside. The public side is <brink/fit.h>.
 *
 *   fit.c           making it: knobs, their bounds
 *   data.c          what was measured; data_csv.c: from files
 *   evaluate.c      one run: residuals, and their derivatives by the knobs
 *   descend.c       from one start downhill: Levenberg-Marquardt, the search
 *   solve.c         the whole way: starts, the best of them, the result
 *   workers.c       who makes the runs: threads, of one process or of several ranks
 *   questions.c     what is asked of them, and what they answer, as bytes
 *   design.c        the best outcome under conditions, instead of data (design_parts.h)
 *   statistics.c    intervals, correlations, what a reader should know; distribution.c: quantiles
 *   json.c          the result as JSON; page.c, page_design.c, figure.c: as a page
 *   optimisers.c    CMINPACK and NLopt (optimisers.h) */
#ifndef BRINK_FIT_FIT_PARTS_H
#define BRINK_FIT_FIT_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/archive.h"
#include "fit/optimisers.h"
#include "ranks/crew.h"
#include "run/hsml.h"
#include "sweep/measure.h"
#include <brink/fit.h>
#include <brink/sensitivity.h>

/* Derivatives that are not those of the run. */
#define BRINK_FIT_UNSOUND                                                                          \
  (BRINK_SENSITIVITY_SEVERAL | BRINK_SENSITIVITY_ZENO | BRINK_SENSITIVITY_GRAZING |                \
   BRINK_SENSITIVITY_UNDEFINED)

enum {
  BRINK_FIT_SCREENED = 10,    /* points are looked at for each start but the first */
  BRINK_FIT_STEPS = 10000000, /* a run of more steps is one that hangs */
};

/* A quantity or a flag that was measured. */
typedef struct brink_measured {
  const char *name;
  bool event;
  double sigma; /* of data that have none of their own; NaN: not given */
  size_t ndata; /* rows of a flag */
} brink_measured;

typedef struct brink_datum {
  size_t of;         /* which brink_measured */
  size_t occurrence; /* of an event, from 0 */
  size_t stop;       /* of a curve: which of the times */
  double t, y;       /* of an event both are its time */
  double given;      /* its own standard deviation; NaN: none */
  double sigma;      /* the one that counts */
} brink_datum;

/* A default of brink_fit_set_sigma for a name that nothing was measured of yet. */
typedef struct brink_sigma {
  const char *name;
  double sigma;
} brink_sigma;

/* left <= right is wanted, or left >= right; both are measures. */
typedef struct brink_wanted {
  const char *text;
  bool at_least;
} brink_wanted;

/* What one run gives. */
typedef struct brink_fit_point {
  double *z;        /* the knobs */
  double *model;    /* m values and times */
  double *r;        /* m residuals, weighted */
  double *jacobian; /* dr/dz, m rows of n; valid if has_jacobian */
  bool *absent;     /* m: the run does not have this event */
  double sum;
  bool usable;       /* the run got as far as it should */
  bool has_jacobian; /* and every derivative is a number */
  uint32_t limits;   /* BRINK_SENSITIVITY_… */
  uint64_t order;    /* of the events: equal numbers, equal flags in equal order */
  size_t nevents;
  double end; /* where the run stopped by itself; else infinity */
} brink_fit_point;

struct brink_fit {
  brink_arena arena;
  brink_hsml *model;
  brink_run_options options;
  brink_fit_knob *knobs;
  const char **names; /* of the knobs */
  size_t n;
  double *initial; /* of the model, within the bounds */
  brink_fit_def def;
  brink_optimisers *optimisers;
  bool differentiable;       /* runs have derivatives by all knobs … */
  const char *not_different; /* … or this is why not */

  brink_measured *measured;
  size_t nmeasured, measured_capacity;
  brink_datum *data; /* curves in the order of time, then events */
  size_t ndata, data_capacity;
  brink_sigma *sigmas;
  size_t nsigmas, sigmas_capacity;
  const char **remarks; /* about the files */
  size_t nremarks, remarks_capacity;

  /* Of a design: the objective, then the sides of the conditions. None: data are fitted. */
  brink_measures measures;
  bool maximize;
  const char *objective;
  bool smooth; /* the way goes by derivatives of the outcome */
  brink_wanted *wanted;
  size_t nwanted, wanted_capacity;

  /* Who makes the runs. */
  const brink_ranks *ranks; /* NULL: this process alone */
  double patience;          /* with them, in seconds */
  size_t lost;              /* ranks that were given up */
  pthread_mutex_t building; /* the model has values, and is built, for one run at a time */
  pthread_mutex_t telling;
  brink_fit_progress told; /* under `telling` */
  atomic_bool cancelled;

  /* Of brink_fit_solve. */
  brink_arena solution;
  brink_crew *crew;
  brink_ranks here;           /* the ranks, or this process alone */
  double looked, interrupted; /* when; 0: never */
  double *times;              /* where runs stop for curves, increasing */
  size_t ntimes;
  double last;      /* the time until which runs go on for events; -infinity: none were measured */
  const char *keep; /* names of the quantities, for brink_run_keep */
  size_t runs, derivative_runs;
  bool solved;
  brink_fit_result result;
  const char **notes;
  size_t nnotes, notes_capacity;
};

/* Who makes runs: one in each thread. */
typedef struct brink_fit_worker {
  brink_fit *fit;
  brink_arena arena;
  size_t runs, derivative_runs; /* for the present answer */
  brink_diag failure;           /* of the last run that was not usable */
  /* Fits to data. */
  brink_fit_point work;              /* the present run */
  brink_fit_point best;              /* of all usable ones of this answer */
  bool *fixed;                       /* knobs that are at a bound */
  struct brink_designing *designing; /* NULL: data are fitted */
  pthread_mutex_t lock;
  brink_run *running; /* under the lock, which who wants to stop it takes */
} brink_fit_worker;

/* What is asked of a worker. */
typedef enum brink_fit_task {
  BRINK_TASK_RUN,   /* one run */
  BRINK_TASK_START, /* the way downhill from a start */
  BRINK_TASK_GO_ON, /* on from the best point, where derivatives did not do */
} brink_fit_task;

typedef struct brink_fit_answer {
  brink_status status; /* OK; else `failure` says more: nobody can go on */
  brink_diag failure;  /* also of the last run, if the point is not usable */
  size_t runs, derivative_runs;
  bool converged;
  bool downhill_again; /* after a search, with derivatives: it got better, or it is a minimum */
  bool smooth;         /* there */
  bool *fixed;
  brink_fit_point point;
} brink_fit_answer;

/* data.c */

/* Puts the data in order, and looks whether they can be fitted. */
brink_status brink_fit_arrange(brink_fit *fit, brink_diag *diag);

/* evaluate.c */

/* Room for a point. */
bool brink_fit_point_make(const brink_fit *fit, brink_arena *arena, brink_fit_point *point);
void brink_fit_point_copy(const brink_fit *fit, brink_fit_point *to, const brink_fit_point *from);
/* The run with knobs z. A run that fails is a point that is not usable, and worker->failure says why. Statuses: OK; MEMORY. */
brink_status brink_fit_evaluate(brink_fit_worker *worker, const double *z, bool derivatives,
                                brink_fit_point *point, brink_diag *diag);

/* Knobs as shares of their bounds, 0 … 1, and back; dz/dw. */
double brink_fit_share(const brink_fit_knob *knob, double z);
double brink_fit_unshare(const brink_fit_knob *knob, double w);
double brink_fit_share_slope(const brink_fit_knob *knob, double w);

/* Point k of the sequence that fills the box of the bounds evenly, from 1 on; 0: its middle. */
void brink_fit_fill_box(const brink_fit *fit, size_t k, double *z);

/* descend.c */

/* From a start, or on from worker->best. The answer has the best point, unless no run could be used. OK; MEMORY. */
brink_status brink_fit_descend(brink_fit_worker *worker, const double *z, brink_fit_answer *answer,
                               brink_diag *diag);
brink_status brink_fit_go_on(brink_fit_worker *worker, brink_fit_answer *answer, brink_diag *diag);

/* questions.c */

bool brink_fit_answer_make(const brink_fit *fit, brink_arena *arena, brink_fit_answer *answer);
/* Written, or read: `point` is where the task begins; of GO_ON all of it is known, of others the knobs only. */
void brink_fit_archive_question(const brink_fit *fit, brink_fit_task *task, brink_fit_point *point,
                                brink_archive *a);
void brink_fit_archive_answer(const brink_fit *fit, brink_fit_answer *answer, brink_archive *a);
/* What all answers have. */
void brink_fit_archive_failure(brink_status *status, brink_diag *failure, brink_archive *a);

/* workers.c */

/* Before the first and after the last question. On ranks other than 0 all the work is done between the two. OK; MEMORY; of a
 * crew. */
brink_status brink_fit_crew_start(brink_fit *fit, brink_diag *diag);
void brink_fit_crew_end(brink_fit *fit);
/* A brink_fit_worker of a fit that is ready to be solved. NULL: `diag` says why. */
void *brink_fit_worker_open(void *fit, brink_diag *diag);
void brink_fit_worker_close(void *worker);
/* `put` writes question k, `take` reads its answer; answers are taken in order. Of a fit that was cancelled, only those that
 * there are. OK; that of `take`; of a crew. */
typedef struct brink_fit_survey {
  size_t count;
  void (*put)(brink_fit *fit, size_t k, brink_archive *question, void *user);
  brink_status (*take)(brink_fit *fit, size_t k, brink_archive *answer, void *user,
                       brink_diag *diag);
  void *user;
} brink_fit_survey;
brink_status brink_fit_ask(brink_fit *fit, const brink_fit_survey *survey, brink_diag *diag);

/* A run with knobs z, which can be stopped from now on; `prepare` chooses what is recorded of it. Statuses of brink_run_create
 * and of `prepare`, in worker->failure. End the run in any case. */
typedef brink_status brink_fit_prepare(brink_run *run, void *user, brink_diag *diag);
brink_status brink_fit_run_begin(brink_fit_worker *worker, const double *z,
                                 const brink_run_options *options, brink_fit_prepare *prepare,
                                 void *user, brink_run **run);
void brink_fit_run_end(brink_fit_worker *worker, brink_run *run); /* NULL is fine */
/* A run was made; the best so far, NaN: none. */
void brink_fit_tell(brink_fit *fit, double best);
void brink_fit_tell_end(brink_fit *fit); /* of a start */
bool brink_fit_is_spent(const brink_fit_worker *worker);

/* design.c: brink_fit_solve of a design. */
brink_status brink_fit_design(brink_fit *fit, brink_diag *diag);

/* statistics.c */

/* What the search leaves undone: the length of the Gauss-Newton step from a point with a Jacobian, in standard errors. Knobs
 * that are `fixed` do not move. Negative: out of memory. */
double brink_fit_remaining(const brink_fit *fit, const brink_fit_point *point, const bool *fixed);
/* Fills values, intervals, correlations and notes of the result. */
bool brink_fit_judge(brink_fit *fit, const brink_fit_point *point, const bool *fixed);
bool brink_fit_has_effect(const brink_fit *fit, const brink_fit_point *point, size_t k);

/* fit.c: a sentence for the reader. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void brink_fit_note(brink_fit *fit, const char *format, ...);
/* … about a result that is no minimum. */
void brink_fit_note_stop(brink_fit *fit);

/* distribution.c */
double brink_student_quantile(double p, double freedom); /* freedom infinite: the normal one */
double brink_chi_square_above(double x, double freedom); /* probability of more than x */

#endif
