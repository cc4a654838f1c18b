/* sim.h: the hybrid simulation, inside. */
#ifndef BRINK_SIM_SIM_H
#define BRINK_SIM_SIM_H

#include <math.h>
#include <stdatomic.h>

#include "event/detector.h"
#include "model/reason.h"
#include "model/tangent.h"
#include "ode/stepper.h"
#include "sim/clock.h"

#define BRINK_ZENO_WINDOW 32

/* The last instants with events, for the recognition of their accumulation. */
typedef struct brink_zeno_window {
  double t[BRINK_ZENO_WINDOW];
  size_t guard[BRINK_ZENO_WINDOW];
  int count;
} brink_zeno_window;

typedef struct brink_clock_heap {
  size_t *items;
  size_t count;
} brink_clock_heap;

/* Somebody in the library who observes a simulation, and changes nothing of it. Members may be
 * NULL. */
typedef struct brink_observer brink_observer;
struct brink_observer {
  /* The state has moved along sim->last from t0 to the present. Parameters, modes and signs are still those
   * of the step. */
  void (*moved)(brink_observer *self, brink_sim *sim, double t0);
  /* An instant begins: sim->instant.located are the located events, nothing has been changed yet. sim->last leads
   * here, and further, if the time has moved since the last instant. */
  void (*begins)(brink_observer *self, brink_sim *sim);
  /* It is over: sim->events are its events, if sim->instant.count is not 0; what held before is in
   * sim->instant.pre_x, pre_p, pre_mode. */
  void (*ends)(brink_observer *self, brink_sim *sim);
  /* A step from t0 is complete, with all that was made of its end; whatever happens there comes next. */
  void (*stepped)(brink_observer *self, brink_sim *sim, double t0);
  /* Time is about to go on to t without a step: the state stays as it is. */
  void (*skips)(brink_observer *self, brink_sim *sim, double t);
  /* An event and its action are over, as the sink is told. */
  void (*event)(brink_observer *self, brink_sim *sim, const brink_event_record *record);
  /* The simulation is back at its start. */
  void (*reset)(brink_observer *self, brink_sim *sim);
  brink_observer *next; /* set by brink_sim_watch */
};

/* Where a simulation is between two calls. What leads from one to another:
 *
 *   BEGIN    -> RESTART   the first instant is over
 *   RESTART  -> RUN       the method has started
 *   RUN      -> INSIDE    an event in the step has changed nothing
 *   INSIDE   -> RUN       the rest of the step was committed
 *   any but BEGIN -> RESTART   a state, a parameter, a mode, a sign has changed (brink_sim_restart)
 *   any      -> BEGIN     somebody has intervened; the limit of infinitely many events */
typedef enum brink_phase {
  BRINK_PHASE_BEGIN,   /* no guard has a sign: the first instant comes next */
  BRINK_PHASE_RESTART, /* signs are there, but the method has to start anew at the present */
  BRINK_PHASE_RUN,     /* the method goes on from the present */
  BRINK_PHASE_INSIDE, /* the present is inside an attempted step, behind events that changed nothing */
  BRINK_PHASE_COAST, /* packed only: RESTART, with a plan in closed form (coast.c) */
} brink_phase;

/* Clocks: those with a period wait in a heap, timers are few. */
typedef struct brink_schedule {
  brink_ticks *ticks; /* of each clock */
  int64_t *tick;      /* the next one */
  double *timer;      /* next firing of each clock; actions set those of timers */
  double *next_time;  /* next tick of each clock with a period */
  size_t *timers;     /* the clocks without one */
  size_t ntimers;
  brink_clock_heap waiting, due; /* the clocks with one: by time; by priority at the present */
} brink_schedule;

enum {
  BRINK_LEAD_ORDER = 8, /* derivatives of guards are looked at up to this one, … */
  BRINK_LEAD_POINTS = 3 /* … here, and beside the present on either side */
};

/* What many guards on their surfaces share while they are asked where the flow leads them (leads.c): the field, its
 * series and small steps along it. */
typedef struct brink_leads {
  bool open;        /* many are asked, and nothing changes meanwhile but signs … */
  unsigned signs;   /* … of which the field has not read any since: brink_eval.read_signs then */
  double *field;    /* NULL: nothing is shared */
  bool known;       /* field is here */
  double *after;    /* the states after steps of 1/8 and its halves … */
  unsigned stepped; /* … that were made */
  double *stages;   /* fields at the stages of another one … */
  unsigned staged;  /* … that were evaluated */
  double **rows[BRINK_LEAD_POINTS]; /* series of the states … */
  int series[BRINK_LEAD_POINTS];    /* … and how many coefficients are known; -1: not asked for */
} brink_leads;

/* Guards that are timers (timers.c): those that are running, by their times. */
typedef struct brink_timers {
  double *at;    /* of each timer: its time, as far as the heap knows */
  size_t *place; /* of each: where it is in the heap */
  size_t *heap;
  size_t count; /* that wait in it */
} brink_timers;

/* The instant that is being handled, or was handled last. */
typedef struct brink_instant {
  /* What happens. */
  brink_located *located; /* to be handled */
  size_t nlocated;
  size_t count;      /* events of this instant so far; sim->events keeps the last that had any */
  bool *fired;       /* guards that fired at this iteration */
  bool *pending;     /* signs that wait until another guard's event has brought the state back */
  bool *was_enabled; /* before the round */
  brink_located *arrivals; /* holds that began, whose on_surface has not run yet */
  size_t narrivals;
  signed char *read_sgn;            /* signs of the guards when the rules last ran */
  char message[BRINK_DIAG_MESSAGE]; /* brink_now.message */

  /* What was, before the instant and before an action. */
  double *pre_x, *pre_p;
  int *pre_mode;
  double *before_x, *before_p;
  int *before_mode;
  double t; /* when it began, or, where several follow at one time, the first of them: what … */
  double *locked_p; /* … was locked in the step that led here */
  int *locked_mode;

  /* What came of it. */
  bool unmet;     /* something has changed since the constraints were last met */
  bool *assigned; /* states that actions have assigned; NULL: there are no constraints */
  bool ended;     /* it ended the run */
  bool changed;   /* a state, a parameter or a mode */
  bool rested;    /* a singular field has led the state to its surface, where it rests */
  bool passing; /* it may turn out to change nothing: the detector learns of it later, if at all */
  bool split;   /* a guard had different fields on both sides */
  bool rewatched; /* other guards began to be watched */
  double jump;    /* how far the states have been from where they were before it, … */
  bool altered;   /* … and whether parameters or modes were others than then, at any round */

  /* Fields, while signs are settled. */
  double *field; /* f here */
  bool shares;   /* `shared` is the field on all sides of what fired */
  double *shared;
  bool field_settled; /* `settled` is the field after the last guard that settled its sign */
  double *settled;
  bool fired_settled;    /* what fired in this round has its sign, and nothing has changed since */
  signed char *sgn_kept; /* scratch */
  signed char *supposed_sgn; /* what holds, while something else is supposed */
  bool *supposed_enabled;
} brink_instant;

/* A step that was attempted and not committed: events that change nothing lie behind the present (pass.c). */
typedef struct brink_step_inside {
  double t, end;           /* its ends */
  double passed;           /* how far along it the present is */
  double *x;               /* the state at its start, while sim->x is the present one */
  bool kept;               /* sim->last is its dense output */
  brink_path rest;         /* what is left of it */
  double *rest_memory;     /* for its vectors, where it needs some */
  signed char *sgn_before; /* signs before the event */
  unsigned signs;          /* brink_eval.read_signs then */
} brink_step_inside;

/* A motion off a surface and back that no tolerance resolves (flight.c). */
typedef struct brink_flight {
  double step; /* the longest step … */
  double end;  /* … before this time */
} brink_flight;

/* The step that somebody looked ahead to, if nothing happens in it (look_ahead.c). */
typedef struct brink_next_step {
  double h; /* 0: there is none */
  double end;
} brink_next_step;

/* A change of the method, by BRINK_AUTO. */
typedef struct brink_method_change {
  double t;
  brink_method from, to;
  char why[160];
} brink_method_change;

enum { BRINK_STIFF_SAMPLES = 4 };

/* What is known of stiffness (stiff.c). */
typedef struct brink_stiffness {
  bool watches;
  bool may_change; /* the method; else what is seen is told, once */
  bool seen;       /* it was: `told` says what */
  brink_stiff_record told;
  double since;                  /* when the first of the windows began that say so */
  bool free;                     /* nothing but the method limits the planned step */
  int needed;                    /* windows in a row that say so before bdf is thought of, … */
  int said;                      /* … and how many have */
  int steps;                     /* of the present window, … */
  int cut;                       /* … and those of them that something else has limited */
  double begins;                 /* when it began */
  double t[BRINK_STIFF_SAMPLES]; /* samples in it */
  double *x[BRINK_STIFF_SAMPLES];
  double *direction; /* of the fastest motion, … */
  double rate;       /* … and its rate, when last asked for */
  double limit;      /* the step times the fastest rate, where an explicit method went no further */
  double hint;       /* the first step after a change; 0: none */
  double chosen_for; /* the rate at the last change to bdf */
  double restarted;  /* when the method was last started */
  double h;          /* mean step of the window before; 0: there is none since the last restart */
  int slow;          /* windows in a row in which bdf gained nothing, … */
  int gained;        /* … windows since the change in which it did, … */
  int restarts;      /* … and restarts since the last of them, as far as they are counted */
  brink_method_change *changes;
  size_t nchanges, capacity; /* the first ones only: BRINK_CHANGES */
  size_t total;
} brink_stiffness;

enum { BRINK_CHANGES = 1000 };

struct brink_sim {
  brink_arena arena;
  const brink_model *model;
  brink_options options;
  const brink_structure *structure; /* that x was last brought to; NULL: none, or no constraints */
  double *impulse;                  /* of the last change of structure: one for each unknown */
  bool consistent;                  /* the start has been made: what changes later is a change */
  bool *chosen;                     /* states that the start has chosen, … */
  bool *frozen;                     /* states that keep their values when constraints are met */
  size_t nchosen; /* … as so many were left open and more than constraints determine; 0: none */
  const char *reason; /* for the method, if it was chosen automatically */
  double *atol;       /* one for each state */
  brink_eval eval;
  brink_stepper stepper;
  brink_detector detector;
  brink_sink sink;
  brink_observer *observers;             /* NULL: nobody */
  struct brink_sensitivity *sensitivity; /* goes along; NULL: nobody does */

  bool busy;    /* a call is under way: callbacks may read, and nothing else */
  double limit; /* the call goes no further */
  /* brink_sim_run returns, as after max_steps, behind the step in which this becomes true; NULL: nobody asks. */
  const atomic_bool *cancelled;
  bool pauses;  /* brink_sim_run returns, as after max_steps, behind the first step that ends … */
  double pause; /* … here, or later */
  double t;
  double *x; /* = stepper.x: the present state */
  brink_phase phase;
  brink_schedule schedule;
  brink_timers timers;
  brink_instant instant;
  brink_step_inside step;
  brink_stiffness stiffness;
  brink_next_step next;
  bool unseen; /* the detector knows nothing of the present: it was unpacked, or looked ahead to */
  bool
      takes_turns; /* it is one agent after another: no doubt about one may wait for its next turn */
  bool keep;       /* keep the dense output of each step for brink_sim_at */
  brink_flight flight;
  int detour;     /* so many steps are left to a method that needs no series */
  int stuck;      /* calls in a row that did not move the time */
  size_t blocked; /* a unilateral guard that was reached, and past whose surface the field points */
  size_t grazed;  /* a unilateral guard that touches, and is to be carried over its dip */
  double *held_from; /* when the hold on each guard's surface began */
  double *event_x;   /* scratch */

  brink_path last;     /* dense output of the last step */
  double *last_memory; /* for its vectors, which the stepper has left behind */
  int path_terms;      /* of any path of this simulation: so many vectors have room */
  double last_end;     /* valid on [last.t0, last_end] */
  bool
      led; /* it is there whoever looks on, so that an instant may read it: the same run with and without observers */

  brink_event *events; /* of the last instant that had any */
  size_t nevents, events_capacity;
  double **lead_rows; /* series of the states, for derivatives of guards; NULL: there are none */
  brink_leads leads;
  brink_zeno_window zeno;
  struct brink_delay_state *delays; /* delay.h; NULL: the model has no delayed signals */
};

/* archive.c: a simulation that has just been made becomes one that was saved, of the same model and options (which the
 * caller makes sure of), and goes on like it bit for bit. Can it be saved where it is? Inside a step that events have not
 * changed it cannot: after the next call, perhaps. */
bool brink_sim_can_archive(brink_sim *sim);
void brink_sim_archive(brink_sim *sim, brink_archive *a);

/* Have guards their signs? */
static inline bool brink_sim_has_begun(const brink_sim *sim) {
  return sim->phase != BRINK_PHASE_BEGIN;
}

/* Has the method to start anew before the next step? */
static inline bool brink_sim_restarts(const brink_sim *sim) {
  return sim->phase <= BRINK_PHASE_RESTART;
}

/* Something has changed: the method starts anew. What is left of a step is given up. */
static inline void brink_sim_restart(brink_sim *sim) {
  if (sim->phase != BRINK_PHASE_BEGIN) sim->phase = BRINK_PHASE_RESTART;
}

/* sim.c: the beginning and the end of every public call that moves or changes a simulation, so that none of them is made
 * from inside another: ARGUMENT, there is no sim, or a callback of it asks. Enter clears the diagnostic; leave returns
 * the status. */
brink_status brink_sim_enter(brink_sim *sim, brink_diag *diag);
brink_status brink_sim_leave(brink_sim *sim, brink_status status);
brink_status brink_sim_not_inside(brink_diag *diag);

/* sim.c: from now on, or no longer. The observer must outlive the sim, or be taken away first. */
void brink_sim_watch(brink_sim *sim, brink_observer *observer);
void brink_sim_unwatch(brink_sim *sim, brink_observer *observer);

/* stiff.c: may its stability limit the steps of this method? Memory, where that is watched; a window ends, or the whole memory of stiffness; a step was
 * committed; the method could not start. */
bool brink_stiff_limits(const brink_options *options);
bool brink_stiff_init(brink_sim *sim);
void brink_stiff_interrupt(brink_sim *sim);
void brink_stiff_forget(brink_sim *sim);
void brink_stiff_note(brink_sim *sim);
bool brink_stiff_give_up(brink_sim *sim);
void brink_stiff_archive(brink_sim *sim, brink_archive *a); /* to bytes and back */
/* The changes of the method so far; *total may be more than are kept. */
const brink_method_change *brink_sim_method_changes(const brink_sim *sim, size_t *count,
                                                    size_t *total);

/* loop.c: everything that has to be done before a step is planned: the first instant, the start of the method,
 * the detector's. */
brink_status brink_sim_prepare(brink_sim *sim, brink_diag *diag);

/* instant.c: parameters and modes in the last step, which the instant at its end may have changed since. */
const double *brink_sim_step_parameters(const brink_sim *sim);
const int *brink_sim_step_modes(const brink_sim *sim);

/* sim.c: somebody has changed states, parameters or modes: signs are taken anew, the method starts anew. */
void brink_sim_changed(brink_sim *sim);

/* instant.c: everything that happens at one time: located events, clocks, rules, and what they
 * cause, until nothing changes. det->located holds the located events. */
brink_status brink_sim_instant(brink_sim *sim, brink_diag *diag);

/* constraints.c: a consistent start; is the path still near the constraints, where an event was found on it? the point of an event on the constraints, x, near sigma of the path (returns where);
 * a changed structure, or changed states, at an instant: *moved: x is another. What the solver's failure was. */
brink_status brink_sim_start_constraints(brink_sim *sim, brink_diag *diag);
void brink_sim_solve_unknowns(brink_sim *sim); /* at the present, before the method starts */
bool brink_sim_event_stands(brink_sim *sim, const brink_path *path, double sigma);
double brink_sim_settle_event(brink_sim *sim, const brink_path *path, double sigma, double *x);
brink_status brink_sim_meet_constraints(brink_sim *sim, bool *moved, brink_diag *diag);
brink_status brink_sim_unsolved(brink_sim *sim, brink_diag *diag);

/* The sign of a guard that has none yet. */
brink_status brink_sim_first_sign(brink_sim *sim, size_t guard, brink_diag *diag);

/* actions.c: the callbacks of one round: events, then clocks that are due; and rules, until they rest.
 * *changed: they changed a state, a parameter or a mode. OK, STOPPED or a failure. */
brink_status brink_sim_run_actions(brink_sim *sim, int iteration, bool *changed, bool *ran,
                                   brink_diag *diag);
brink_status brink_sim_run_rules(brink_sim *sim, bool *changed, brink_diag *diag);
/* An instant has come to rest: what is in doubt is judged, unless it is about to turn back; when time has moved on it is
 * `over`, and judged in any case. */
brink_status brink_sim_judge(brink_sim *sim, bool over, brink_diag *diag);

/* The action of a mere condition, without an event. */
brink_status brink_sim_run_condition(brink_sim *sim, size_t guard, brink_direction direction,
                                     bool *changed, brink_diag *diag);

/* What a callback is given at the present instant. */
brink_now brink_sim_now(brink_sim *sim);

/* Has the callback left a message? Then it becomes the diagnostic's. */
bool brink_sim_take_message(brink_sim *sim, brink_status status, size_t guard, brink_diag *diag);

/* Signs of all guards at a start: from their values, or from the flow where they are zero. */
brink_status brink_sim_start_signs(brink_sim *sim, brink_diag *diag);

/* Conditions inside a branch that a guard's sign chooses count on one side of its surface only. Between these
 * two calls they are watched, and have signs, as on that side. */
void brink_sim_suppose(brink_sim *sim, size_t guard, int side);
void brink_sim_suppose_no_more(brink_sim *sim);

/* Is there something to do at the present: a clock, signs that changed without an event and that the
 * rules have not read, a surface whose action has not run? */
bool brink_sim_due(const brink_sim *sim);

/* The detector gets to know how far the instant moved the states. */
void brink_sim_note_jump(brink_sim *sim);

/* schedule.c: the earliest pending clock or timer; the next of those that are due, BRINK_NONE if there are
 * none, which is then set to its next time. */
void brink_schedule_start(brink_sim *sim);
double brink_schedule_next(const brink_sim *sim);
static inline double brink_sim_next_tick(const brink_sim *sim) {
  const brink_schedule *s = &sim->schedule;
  bool none = s->waiting.count + s->due.count + s->ntimers + sim->timers.count == 0;
  return none && sim->delays == NULL ? (double)INFINITY : brink_schedule_next(sim);
}
size_t brink_schedule_take(brink_sim *sim, int64_t *tick);
/* To bytes and back; t: the present. */
void brink_schedule_archive(brink_sim *sim, double t, brink_archive *a);

/* timers.c: memory; everything anew, from the parameters; what a callback has set (TIMER_PAST: to an earlier time); the
 * time of the next one; the parameter that is the time of one that is due, or BRINK_NONE. Those that are due become
 * events of this round; is one of them, at its turn, still due? Then it is off. */
bool brink_timers_take(brink_sim *sim, brink_arena *arena);
void brink_timers_relocate(brink_sim *sim, brink_relocation *moved);
void brink_timers_reset(brink_sim *sim);
brink_status brink_timers_follow(brink_sim *sim, brink_diag *diag);
double brink_timers_next(const brink_sim *sim);
size_t brink_timers_parameter(const brink_sim *sim);
void brink_timers_collect(brink_sim *sim);
bool brink_timers_fire(brink_sim *sim, size_t guard);

/* Within this of zero, rounding decides the sign of a guard. */
double brink_sim_zero_band(brink_sim *sim, size_t guard, double t, const double *x);

/* arrive.c: how a step ends. */

/* What the run's tolerances amount to in a guard at a point. */
double brink_sim_tolerance(brink_sim *sim, size_t guard, double t, const double *x);

/* The smallest step that changes the time reliably. */
double brink_sim_smallest_step(const brink_sim *sim);
/* How fast the states change: the largest |x'_i| in units of its tolerance. */
double brink_sim_speed(const brink_sim *sim);
/* Is time so far from 0 that what it resolves may be felt? */
bool brink_sim_is_far(const brink_sim *sim);
bool brink_sim_time_is_coarse(const brink_sim *sim, double t_stop); /* … for the way to t_stop */
/* May a stop be reached without a step? It is as near as time can tell, and the states would hardly move. */
bool brink_sim_may_skip(const brink_sim *sim, double t_stop);

/* Calls the observers, before anything else is made of the step. */
void brink_sim_note_moved(brink_sim *sim, double t0);
/* The same before time goes on without a step. */
void brink_sim_note_skip(brink_sim *sim, double t);

/* The step from t0 to the present, and the near misses in it, to the sink; those at the present wait until its
 * instant is over, as they may turn out to be its events. OK or STOPPED. */
brink_status brink_sim_record_step(brink_sim *sim, double t0);
brink_status brink_sim_record_misses(brink_sim *sim, bool instant_over);

/* Keeps the path of the step, up to `end`, for brink_sim_at. */
void brink_sim_keep_dense(brink_sim *sim, const brink_path *path, double end);

/* The state moves along a path to sigma (chord: between its ends), and the instant there is
 * handled. sim->instant.located are the located events; t_end is the time at sigma = 1. */
brink_status brink_sim_arrive(brink_sim *sim, const brink_path *path, double sigma, bool chord,
                              double t_end, brink_diag *diag);

/* Along the predictor to a unilateral surface, or to the first other event on the way. */
brink_status brink_sim_arrive_on_predictor(brink_sim *sim, const brink_limit *limit,
                                           brink_diag *diag);

/* Adds to the located events the unilateral surfaces that are reached at a point, within rounding. */
void brink_sim_collect_reached(brink_sim *sim, double t, const double *x, const double *f,
                               size_t except);

/* At a start: does a guard come back to its surface before it is as far away as its tolerance? */
void brink_sim_note_flights(brink_sim *sim);
/* No longer than this while it does. */
double brink_sim_flight_limit(const brink_sim *sim);

/* The rate of a guard at the present state if it moves as a path does at sigma. */
double brink_sim_rate_along(brink_sim *sim, size_t guard, const brink_path *path, double sigma);
/* Does the call end there, or a clock tick? Then what happens there may look back along the step. */
bool brink_sim_ends_at_instant(const brink_sim *sim, double t);
/* Adds all that would be reached later than the present by no more than rounding. */
void brink_sim_collect_soon(brink_sim *sim);

/* The next steps are taken by a method that needs no series. False: there is none, or it is the present one. */
bool brink_sim_go_around(brink_sim *sim);
/* No step succeeds: an event, the stop time, or a failure with its reason. */
brink_status brink_sim_no_step_left(brink_sim *sim, brink_try reason, double t_stop,
                                    brink_diag *diag);

/* pass.c: events that change nothing. Arrives at sigma of the dense output like brink_sim_arrive; if
 * nothing comes of it, the step goes on (BRINK_PHASE_INSIDE). */
brink_status brink_sim_pass(brink_sim *sim, double sigma, double t_end, brink_diag *diag);
/* Keeps the dense output of such a step, up to t, for brink_sim_at. */
void brink_sim_keep_inside(brink_sim *sim, double t);
/* The present becomes the start of a new step: what was inside is given up. */
void brink_sim_give_up_step(brink_sim *sim);
/* The stepper takes the step to its end. False: it cannot; the present starts a new one. */
brink_try brink_sim_commit_rest(brink_sim *sim);

/* The side that counts as inside for a guard on its surface; 0: none does. */
int brink_sim_inside(const brink_sim *sim, size_t guard);

/* Does the motion lead from the guard's surface to that side? */
bool brink_slide_leads(brink_sim *sim, size_t guard, int side);

/* Which way the field of the guard's own side leads it, -1 or 1; 0: it stays. */
int brink_slide_way(brink_sim *sim, size_t guard);

/* A new sign; how far the state still is on the wrong side of it is allowed. */
void brink_slide_take_sign(brink_sim *sim, size_t guard, int sign);

/* slide.c: signs after an event, and surfaces that hold the state. */
brink_status brink_sim_settle_sign(brink_sim *sim, size_t guard, int sign_before, bool changed,
                                   brink_event_kind kind, brink_diag *diag);
/* A unilateral surface was reached (sim->blocked). Has the instant led away from it? Else BLOCKED. */
brink_status brink_slide_blocked(brink_sim *sim, brink_diag *diag);
/* Before the signs of many are settled: do they share one field? */
void brink_slide_share(brink_sim *sim);
/* Where in a step a field lets go of a surface. */
typedef struct brink_grip_loss {
  double sigma; /* > 1: nowhere */
  size_t guard;
  bool unique; /* false: there the field on several surfaces is not determined */
} brink_grip_loss;
/* The first release in the attempted step, up to `until`. */
brink_grip_loss brink_slide_release(brink_sim *sim, const brink_path *dense, double until);
/* The fields let go of this surface here, so do those of others that no longer hold. */
brink_status brink_slide_leave(brink_sim *sim, size_t guard, brink_diag *diag);
/* The hold ends, to the side of `sign`; the sink receives it. OK or STOPPED. */
brink_status brink_slide_end(brink_sim *sim, size_t guard, int sign);
/* Something changed: leave the surfaces that the state is off, or on which it is no longer held. */
brink_status brink_slide_check(brink_sim *sim, brink_diag *diag);
/* The field on several surfaces is not determined. */
brink_status brink_slide_tangled(brink_sim *sim, size_t guard, brink_diag *diag);
/* Undoes a hold that began at this instant; all of them, without a word. */
void brink_slide_undo(brink_sim *sim, size_t guard);
void brink_slide_forget(brink_sim *sim);
void brink_slide_project(brink_sim *sim);
brink_slide_record brink_slide_of(const brink_sim *sim, size_t guard);

/* signs.c: in audits, and in builds with assertions: has no guard passed its surface, in the step that ends here, without an
 * event? */
brink_status brink_sim_check_signs(brink_sim *sim, brink_diag *diag);

/* law.c: does the model's own law on each surface that holds the state stay on it? stepper.f is the field here.
 * OK or SLIDING. */
brink_status brink_sim_check_laws(brink_sim *sim, brink_diag *diag);

/* leads.c: which way the field of one side leads a guard that is on its surface: 1, -1, or 0 if it stays; f receives
 * the field. Along a given field. By its rate alone. */
int brink_leads_side(brink_sim *sim, size_t guard, int side, double *f);
int brink_leads_along(brink_sim *sim, size_t guard, int side, const double *f);
int brink_leads_rate(brink_sim *sim, size_t guard, const double *f);
/* Is one field that of both sides, whatever the sign? */
bool brink_leads_unread(const brink_sim *sim, size_t guard);
/* Is it on its surface, and does the flow of neither side lead away? Then a formula is what its relations say at
 * equality: 1, -1, or 0 where that is not known. */
bool brink_leads_rests(brink_sim *sim, size_t guard);
int brink_leads_rest_sign(brink_sim *sim, size_t guard);
/* From now on many guards are asked; until closed, the state, parameters and modes stay as they are. The state has
 * moved, after all: forget. */
void brink_leads_open(brink_sim *sim);
void brink_leads_close(brink_sim *sim);
void brink_leads_forget(brink_sim *sim);
/* May this one use what is shared? */
bool brink_leads_shared(brink_sim *sim, size_t guard);
bool brink_leads_init(brink_sim *sim);
void brink_leads_relocate(brink_sim *sim, brink_relocation *moved);

/* derivative.c: the sign of the first derivative of a guard on its surface that is not zero, along the field of one
 * side; 0: all that are looked at vanish; BRINK_LEADS_UNKNOWN: there is no series to tell. */
enum { BRINK_LEADS_UNKNOWN = 2 };
bool brink_derivative_init(brink_sim *sim);
void brink_derivative_relocate(brink_sim *sim, brink_relocation *moved);
int brink_derivative_sign(brink_sim *sim, size_t guard, int side);

/* edge.c: a state that rounding has put past the surface of a unilateral guard is moved to `side`, by units in the
 * last place. False: it is farther off. */
bool brink_edge_nudge(brink_sim *sim, size_t guard, int side, double *x);
/* The same for all unilateral guards, to the sides that they are on. */
void brink_edge_keep_inside(brink_sim *sim);
/* Has the instant changed a parameter or a mode that dynamics reads? Or a state, by more than rounding? */
bool brink_edge_other_field(brink_sim *sim, size_t guard);
bool brink_edge_other_motion(brink_sim *sim, size_t guard);
/* How far past its surface a guard on it is going to get before it turns back; INFINITY if it does not slow down. */
double brink_edge_depth(brink_sim *sim, size_t guard, int inside);
/* Does any guard but this one have another sign at (t, x)? */
bool brink_edge_crosses_another(brink_sim *sim, size_t guard, double t, const double *x);
/* A singular field ends at the surface that it has led to (h' = -sqrt(h) at h = 0): the state is put on it, and rests
 * there. False: this is none. */
bool brink_edge_rest(brink_sim *sim, size_t guard, int inside);
/* A step over the dip of sim->grazed, without an evaluation in it, not beyond t_stop. False: there is none to take, or
 * another guard is crossed on the way. */
bool brink_edge_hop(brink_sim *sim, double t_stop, brink_status *status, brink_diag *diag);

/* zeno.c: notes an instant with events; BRINK_ERR_ZENO when they accumulate (or continues, if
 * asked). */
brink_status brink_zeno_note(brink_sim *sim, brink_diag *diag);

/* sensitivity.c: what it has to know besides: an event of the instant; a callback is about to run, has run; after
 * infinitely many events nothing is known. */
void brink_sensitivity_note(struct brink_sensitivity *sensitivity, const brink_event *event);
void brink_sensitivity_before(struct brink_sensitivity *sensitivity, const brink_now *now);
void brink_sensitivity_after(struct brink_sensitivity *sensitivity, const brink_callback *callback);
void brink_sensitivity_lose(struct brink_sensitivity *sensitivity);
/* Somebody has written a value from outside: it depends on nothing any more. */
void brink_sensitivity_write_state(struct brink_sensitivity *sensitivity, size_t slot);
void brink_sensitivity_write_parameter(struct brink_sensitivity *sensitivity, size_t slot);
/* brink_sim_set_…: states are about to become x, a parameter or a mode something else. */
void brink_sensitivity_set_state(struct brink_sensitivity *sensitivity, const double *x);
void brink_sensitivity_set_parameter(struct brink_sensitivity *sensitivity, size_t slot);
void brink_sensitivity_set_mode(struct brink_sensitivity *sensitivity);
/* dx just after the last instant, moving with it: nx rows; and dT, by which it moves. Until the next step. */
const double *brink_sensitivity_moving(const struct brink_sensitivity *sensitivity, double *rows);
/* Directions for brink_now; NULL between instants. */
brink_carried *brink_sensitivity_carried(struct brink_sensitivity *sensitivity);

/* Fills a diagnostic, at the present time. Returns the status of the reason. */
brink_status brink_sim_fail(const brink_sim *sim, brink_diag *diag, brink_reason reason,
                            brink_arguments arguments);

#endif
