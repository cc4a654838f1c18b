/* eval.h: the one door to the model's callbacks.
 *
 * Steppers, detectors and the hybrid loop evaluate the model through a `brink_eval`: it holds what
 * is locked during a step (parameters, modes, signs), counts, checks results for NaN, mixes fields
 * while sliding, supplies the derivatives of appended guard states z = g, and, before every call of
 * the right-hand side, answers the third question of the simulator: may it be evaluated here?
 * (brink_eval_may). Steppers therefore need not know detectors. */
#ifndef BRINK_MODEL_EVAL_H
#define BRINK_MODEL_EVAL_H

#include <stdatomic.h>

#include "base/archive.h"
#include "model/audit.h"
#include "model/model.h"
#include "num/patience.h"

/* What an evaluation, or an attempt at a step, came to. */
typedef enum brink_try {
  BRINK_TRY_OK,
  BRINK_TRY_ERROR,    /* the error test failed */
  BRINK_TRY_OUTSIDE,  /* the point lies past a unilateral surface: nothing was evaluated there */
  BRINK_TRY_REFUSED,  /* the callback refused, or gave NaN or infinity */
  BRINK_TRY_UNSOLVED, /* constraints: no values of the unknowns were found */
  BRINK_TRY_FATAL,    /* the callback reported a fatal error */
} brink_try;

#define BRINK_SLIDES 16 /* surfaces with Filippov's field that may be slid on at once */

/* A guard that goes with another, on whose surface the state is held. */
typedef struct brink_tie {
  size_t guard, to;
  int sign;
} brink_tie;

struct brink_solver;

typedef struct brink_eval {
  const brink_model *model;
  brink_env env; /* points at the arrays below */
  double *p;
  int *mode;
  signed char *sgn;
  brink_stats stats;
  unsigned read_signs; /* how often a sign was set that the right-hand side may read */
  bool
      restored; /* what is known about the guards comes from bytes: it is not asserted to be true */

  /* The state of each guard. */
  bool *enabled; /* in the present modes */
  double *slack; /* how far past the surface still counts as on it: what an event left over */
  double *value; /* scratch: values of leaves while a formula is evaluated */

  /* The third question. */
  bool checks_domain; /* before every call? (the detector is one-sided) */
  size_t *watch;      /* indices of unilateral guards */
  size_t nwatch;
  size_t outside_of; /* the guard past which the last refused point was */
  brink_audit audit; /* what happened in fact */
  /* Where only the guards in near[] need to be asked: |x - centre| <= moved + allow in the relevant
   * states. NULL: nowhere. */
  const double *centre, *moved;
  double allow;
  const bool *relevant;
  const size_t *near;
  size_t nnear;

  /* Guards with a gradient but without a polynomial or a jet: their values ride along as appended
   * states, dz/dt = g_x.f + g_t (Esposito & Kumar 2007, eq. 3). */
  size_t nx;                  /* states of the model */
  size_t n;                   /* with the appended ones */
  size_t *appended;           /* guard of each appended state */
  size_t *column;             /* appended state of each guard, or BRINK_NONE */
  double *gradient;           /* scratch, max_depends */
  double *probe;              /* scratch, a state */
  double *jet_memory, **jets; /* scratch: jets of order 1 of the states */

  /* Surfaces on which the state is held: it slides there, or rests by the model's own law. */
  size_t *held; /* their guards, in the order in which they were reached */
  size_t nheld;
  bool *is_held;
  bool *until_left; /* held until one of its leave guards lets go, not while the fields hold it */
  size_t *owner;    /* of a leave guard: the surface that it lets go of; else BRINK_NONE */
  /* Guards whose surfaces coincide where the state is held on one of them: they go with it, held by it, their
   * signs those of that one, or opposite. */
  brink_tie *ties;
  size_t nties;
  size_t filippov[BRINK_SLIDES]; /* those of the held where Filippov's field applies */
  size_t nfilippov, max_filippov;
  double *slide_base, *slide_change[BRINK_SLIDES]; /* scratch: the fields that are combined there */
  double *near_x, *near_f;  /* scratch: a point beside it, and a field there */
  double *f_plus, *f_minus; /* for others: fields on both sides of a surface */

  double h;                    /* of the step that is being tried: the stepper says so */
  struct brink_solver *solver; /* constraint.h; NULL: the model has no constraints */
  bool *constrained;           /* guards that constraints keep at zero: sign 0, and not watched */
  int *
      vanishing; /* of a guard that was one before this instant: so many derivatives, with its value, are zero */

  /* Evaluations end fatally once this has been true for a while (brink_eval_gives_up); NULL: nobody asks. */
  const atomic_bool *cancelled;
  double cancelled_at; /* when that was first seen, in seconds of a clock; 0: it was not */
  bool gave_up;
  brink_patience patience; /* brink_eval_patience */

  size_t exempt;       /* a guard on whose surface the point is known to be */
  size_t failed_guard; /* a guard whose callback reported a fatal error; BRINK_NONE */
  size_t bad_guard;    /* a guard that had no value along the last attempt; BRINK_NONE */
  size_t bad_state;    /* the component that was not finite, last time; BRINK_NONE: it refused */
} brink_eval;

/* Takes memory from the arena; false when there is none. `append` says whether guards that need it
 * get an appended state. */
/* From now on, somebody may cancel: a step that takes long then ends where it is, fatally. The state is that of its start, or
 * of an instant that is not complete: there is no going on. */
void brink_eval_heed(brink_eval *eval, const atomic_bool *cancelled);
/* Has it been cancelled, and the step gone on for too long after that? To be asked by what may take long. */
bool brink_eval_gives_up(brink_eval *eval);
/* The same for loops below that know no evaluator. */
brink_patience *brink_eval_patience(brink_eval *eval);

bool brink_eval_init(brink_eval *eval, const brink_model *model, brink_arena *arena, bool append);

/* The simulation that it belongs to is a copy of another, of this model, which is like the other's. */
void brink_eval_relocate(brink_eval *eval, const brink_model *model, brink_relocation *moved);

/* archive.c: all that it knows of a run, to bytes and back. Read into an evaluator of the same model and options. */
void brink_eval_archive(brink_eval *eval, brink_archive *a);
/* Of a model: states, or parameters and modes. */
void brink_stats_archive(brink_stats *stats, brink_archive *a);

/* May the right-hand side be evaluated here? No, if any enabled unilateral guard has the sign
 * opposite to its locked one, or has no value. The only place that answers this question. */
bool brink_eval_may(brink_eval *eval, double t, const double *x);

/* Would reaching this guard's surface from its present side be an event? Only then is it protected.
 */
bool brink_eval_protects(const brink_eval *eval, size_t guard);

/* dx/dt for all eval->n components, after the domain check. `x` has eval->nx states that count. */
brink_try brink_eval_rhs(brink_eval *eval, double t, const double *x, double *dx);

/* The Taylor coefficients of the solution through (t, x) up to `order`, in units of s = (time -
 * t)/unit, after the domain check; rows[i] has order + 1 places, the first of which is x[i]. The first
 * coefficients are finite, later ones need not be. Only where brink_eval_has_flow_jet. Counts as one evaluation. */
bool brink_eval_has_flow_jet(const brink_eval *eval);
brink_try brink_eval_flow_jet(brink_eval *eval, int order, double t, double unit, const double *x,
                              double *const *rows);

/* The same on one side of a guard's surface, as brink_eval_sided, in units of time. */
brink_try brink_eval_sided_flow_jet(brink_eval *eval, size_t guard, int sign, int order, double t,
                                    const double *x, double *const *rows);

/* The values of df/dx in the model's pattern, after the domain check. Only where brink_eval_has_jacobian.
 */
bool brink_eval_has_jacobian(const brink_eval *eval);
brink_try brink_eval_jacobian(brink_eval *eval, double t, const double *x, double *values);

/* ---- constraint.c: what implicit methods ask for, and where constraints hold ----
 *
 * Of the nx components of x the last nz are unknowns of constraints: no differential equation, and no error test, but
 * a place in paths, guards and records like that of a state. nz = 0: there are none. */

/* The system as it stands: r[i] = dx_i/dt for each state, then one constraint for each unknown, at x as it is: nothing
 * is solved for. nx values (appended guard states are not touched). After the domain check; an evaluation of the
 * right-hand side. */
brink_try brink_eval_system(brink_eval *eval, double t, const double *x, double *r);

/* Its derivatives by the nx components: the pattern, by columns, and values in it. The pattern stays while modes,
 * parameters and signs do. NULL: the model has none (take differences of brink_eval_system). */
const brink_sparsity *brink_eval_system_pattern(brink_eval *eval);
brink_try brink_eval_system_jacobian(brink_eval *eval, double t, const double *x, double *values);

/* A new point of the solution: unknowns are solved for, and states are moved onto the constraints that tie them by the
 * least change in units of their tolerances; x changes in place. `moved` (NULL: nobody asks): by how much each
 * component has changed. ERROR: by more than ten tolerances; UNSOLVED; OUTSIDE. Without constraints: OK, 0. */
brink_try brink_eval_settle(brink_eval *eval, double t, double *x, double *moved);

/* What rounding of a component is measured by. */
double brink_eval_size(brink_eval *eval, size_t component, double t, const double *x);

/* Is the component an unknown of constraints? What the tolerances of the states, and rounding, amount to in it. */
bool brink_eval_is_unknown(const brink_eval *eval, size_t component);
double brink_eval_unknown_tolerance(brink_eval *eval, size_t component, double t, const double *x);
/* The part of its size by which a path may be off an unknown. */
double brink_eval_unknown_part(const brink_eval *eval);

/* By how much a path may be off it, if it is of this size or was before: far more than a state, as it takes no part in
 * the error of the solution, but so that guards that read it are found; in a step of h so much, at least, as moves no
 * state by its tolerance. 0: nothing is known of its size. And a point
 * where it is what it should be. */
double brink_eval_unknown_weight(const brink_eval *eval, size_t component, double size, double h);
void brink_eval_note_unknowns(brink_eval *eval, const double *x);
double brink_eval_unknown_rounding(brink_eval *eval, size_t component, double t, const double *x);

/* dx/dt (nx states) with the sign of one guard replaced: the field on one side of its surface, for
 * points on it. After the domain check of all other guards; on the other surfaces where the state is held it
 * still is. */
brink_try brink_eval_sided(brink_eval *eval, size_t guard, int sign, double t, const double *x,
                           double *dx);

/* The state is held on this guard's surface from now on, or no longer (its sign is then 0: take one). */
void brink_eval_hold(brink_eval *eval, size_t guard, bool until_left);
void brink_eval_let_go(brink_eval *eval, size_t guard);
/* From now on a guard goes with one that is held; is it one that does? */
void brink_eval_tie(brink_eval *eval, brink_tie tie);
bool brink_eval_is_tied(const brink_eval *eval, size_t guard);

/* How firmly the fields hold the state on each of the surfaces in eval->filippov: grip[2i] = -L+ and
 * grip[2i+1] = L-, with L the rate of guard i along the fields on both sides of it, sliding on all
 * others. *unique becomes false where the field cannot be told from that of single surfaces, as the
 * signs do not enter it as a sum. After the domain check. */
brink_try brink_eval_grips(brink_eval *eval, double t, const double *x, double *grip, bool *unique);

/* The value of a guard (a formula: the minimum/maximum of its leaves), NaN where it has none. */
double brink_eval_guard(brink_eval *eval, size_t guard, double t, const double *x);

/* The same with other parameters and modes, for somebody who looks on: counts as nothing. */
double brink_eval_peek(brink_eval *eval, size_t guard, double t, const double *x, const double *p,
                       const int *mode);

/* dx/dt of the states (those of unknowns are not touched), for somebody who looks on: counts as nothing and changes
 * nothing. On the surfaces where the state is held now, it is the field there. NaN: it has none, or it is not known
 * (constraints, while the state slides by Filippov's field). sgn NULL: as they are. */
void brink_eval_peek_field(brink_eval *eval, double t, const double *x, const double *p,
                           const int *mode, const signed char *sgn, double *dx);

/* The gradient of a plain guard into dx (one for each of its depends) and dt. */
brink_try brink_eval_gradient(brink_eval *eval, size_t guard, double t, const double *x, double *dx,
                              double *dt);

/* The rate dg/dt along the field f; by differences of values where there is no gradient. Where several
 * leaves decide a formula at once, that of the one that will decide it in a moment. */
double brink_eval_rate(brink_eval *eval, size_t guard, double t, const double *x, const double *f);

/* The leaf that decides a formula's value at a point (the guard itself, if plain), and the sign
 * with which the leaf enters. */
size_t brink_eval_deciding_leaf(brink_eval *eval, size_t guard, double t, const double *x,
                                int *polarity);

/* A formula from leaf values that are already known: value[leaf] for each leaf. */
double brink_formula_value(const brink_guard *guard, const double *value);

/* How far the tolerances reach in this guard: sum |dg/dx_i| (rtol |x_i| + atol_i). */
double brink_eval_tolerance(brink_eval *eval, size_t guard, double t, const double *x, double rtol,
                            const double *atol);

/* Ask the model which guards are enabled in the present modes. Have some changed? */
bool brink_eval_update_enabled(brink_eval *eval);

/* Constraints keep this guard at zero from now on, or no longer. */
void brink_eval_constrain(brink_eval *eval, size_t guard, bool constrained);

/* A guard's locked sign, and that of all guards with the same surface. */
void brink_eval_set_sign(brink_eval *eval, size_t guard, int sign);

/* ---- between eval.c and held.c ---- */

/* Asks, and counts: what every call of the model's dynamics passes through. */
bool brink_eval_admit(brink_eval *eval, double t, const double *x);

/* The right-hand side itself, with the signs as they are. */
brink_try brink_eval_call(brink_eval *eval, double t, const double *x, double *dx);

/* The callback alone: dx/dt of the states, at unknowns as they are. */
brink_try brink_eval_call_states(brink_eval *eval, double t, const double *x, double *dx);

/* Memory for the fields that are combined; and which guards let go of which surface. */
bool brink_held_take(brink_eval *eval, brink_arena *arena);
void brink_held_find_owners(brink_eval *eval);

/* A point on surfaces with Filippov's field, where the model has constraints: unknowns are combined as the fields are. */
brink_try brink_held_system(brink_eval *eval, double t, const double *x, double *r);
brink_try brink_held_settle(brink_eval *eval, double t, double *x);

/* dx/dt on the surfaces where the state is held, or, if there are none, the model's. */
brink_try brink_held_field(brink_eval *eval, double t, const double *x, double *dx);

/* Filippov's field as a sum: f0 + sum_j alpha_j d_j, with f0 in eval->slide_base and d_j in slide_change;
 * rate and matrix are r and A of held.c. Only while nfilippov > 0. */
typedef struct brink_slide_sum {
  size_t count;
  double rate[BRINK_SLIDES]; /* r */
  double plus[BRINK_SLIDES]; /* of g_i along f0 + d_i */
  double
      matrix[BRINK_SLIDES * BRINK_SLIDES]; /* A by rows, then, for several surfaces, its factors */
  double alpha[BRINK_SLIDES];
  size_t pivots[BRINK_SLIDES];
} brink_slide_sum;
brink_try brink_held_sum(brink_eval *eval, double t, const double *x, brink_slide_sum *sum);
/* Solves A y = y for vectors of the same kind. */
void brink_held_solve(const brink_slide_sum *sum, double *y);

#endif
