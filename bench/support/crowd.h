/* crowd.h: bumper cars and hard discs in any number, and who simulates them.
 *
 * A scene is N discs in a square box. Cars drive as unicycles: x = (x, y, heading), p = (speed, turning rate),
 * both constant between hits; a hit multiplies the normal velocity by minus the restitution, and the car turns
 * away from what it hit. Hard discs are cars that do not turn: a rate of 0, and a restitution of 1. The same
 * code of motion and of hits serves all simulators. */
#ifndef BRINK_BENCH_CROWD_H
#define BRINK_BENCH_CROWD_H

#include <brink/brink.h>

#define CROWD_RADIUS 0.1

typedef struct crowd_scene {
  size_t count;
  double size; /* of the box */
  double restitution;
  brink_side side; /* of contacts: bilateral, as all of CVODE's are */
  double *x, *p;   /* 3 and 2 for each */
} crowd_scene;

/* Deterministic: 20 cars in a box of 10 x 10, grown with the number at constant density. False: no memory. */
bool crowd_make_cars(crowd_scene *scene, size_t count, uint64_t seed);
/* Every `every`-th car turns `factor` times as fast. */
void crowd_quicken(crowd_scene *scene, size_t every, double factor);
/* Elastic discs that cover this part of the box. */
bool crowd_make_discs(crowd_scene *scene, size_t count, double cover, uint64_t seed);
void crowd_free(crowd_scene *scene);

/* ---- motion and hits ---- */

/* Wall 0, 1: low and high x; 2, 3: y. */
void crowd_hit_wall(double restitution, int wall, double x[3], double p[2]);
void crowd_hit_car(double restitution, double xa[3], double pa[2], double xb[3], double pb[2]);
/* Of hard discs as x, y, vx, vy. */
void crowd_hit_disc(double a[4], double b[4]);

/* ---- what is asked ---- */

typedef struct crowd_ask {
  double t_end;
  double tolerance;    /* rtol = atol */
  double log_until;    /* hits up to here are logged; 0: none */
  double watch_period; /* how often it is checked that no cars overlap; 0: never */
  const char *method;  /* "taylor", "adams", … */
  int threads;
  bool all_pairs; /* the engine without pruning */
} crowd_ask;

typedef struct crowd_hit {
  double t;
  size_t car, other; /* the lower number first, … */
  int wall;          /* … or a wall; -1: none */
} crowd_hit;

typedef struct crowd_answer {
  bool ok;
  double seconds; /* of the run, without setting it up and without watching */
  double setup;
  double hits, steps;
  double windows, searches, checks, bytes; /* of the engine */
  size_t through;                          /* collisions let through: see crowd_watch */
  double deepest;                          /* overlap */
  crowd_hit *log;
  size_t logged, room;
} crowd_answer;

void crowd_answer_free(crowd_answer *answer);
/* Seconds that this thread has worked: all simulators are single-threaded, and the machine may have other things to
 * do. With several threads: seconds that went by. */
double crowd_clock(int threads);
/* Adds a hit if it is before `log_until`. False: no memory. */
bool crowd_log(crowd_answer *answer, const crowd_ask *ask, double t, size_t a, size_t b, int wall);

/* Who simulates them. What fails says why on stderr. */
crowd_answer crowd_run_engine(const crowd_scene *scene, const crowd_ask *ask);
crowd_answer crowd_run_together(const crowd_scene *scene, const crowd_ask *ask); /* one brink_sim */
crowd_answer crowd_run_cvode(const crowd_scene *scene, const crowd_ask *ask);
/* From hit to hit in closed form, all pairs; the tolerance is not asked. */
crowd_answer crowd_run_exact(const crowd_scene *scene, const crowd_ask *ask);
/* Hard discs from hit to hit in closed form, with cells and a heap. */
crowd_answer crowd_run_cells(const crowd_scene *scene, const crowd_ask *ask);
/* Each car by itself in a brink_sim, one after another; no hits but with walls. */
crowd_answer crowd_run_alone(const crowd_scene *scene, const crowd_ask *ask);

/* ---- comparing ---- */

typedef struct crowd_difference {
  size_t missed, invented;
  double worst; /* largest error in the time of a hit that both have */
  double until; /* from here on they differ */
} crowd_difference;

/* Hits of `answer` against those of `exact`: the same if they are of the same cars and their times differ by no
 * more than `slack`. Those up to `until` are counted; of those that lie within `slack` of it nothing is required. */
crowd_difference crowd_compare(const crowd_answer *answer, const crowd_answer *exact, double until,
                               double slack);

/* ---- watching ---- */

/* Looks at positions at increasing times and counts collisions let through: how often two cars came to overlap by
 * more than a tolerance. */
typedef struct crowd_watch crowd_watch;
crowd_watch *crowd_watch_open(const crowd_scene *scene, const crowd_ask *ask);
/* The next time to look at; INFINITY for NULL. */
double crowd_watch_next(const crowd_watch *watch);
/* x: `stride` numbers for each car, position first. */
void crowd_watch_look(crowd_watch *watch, const double *x, size_t stride);
void crowd_watch_close(crowd_watch *watch, crowd_answer *answer);

/* ---- the model of one car and of two, for the engine and for running alone ---- */

typedef struct crowd_models {
  const crowd_scene *scene;
  brink_guard_def walls[4], touch;
  brink_model *car, *pair;
  double *x; /* states of hard discs; NULL: those of the scene */
} crowd_models;

bool crowd_models_make(crowd_models *models, const crowd_scene *scene, brink_diag *diag);
/* The same of hard discs: x, y, vx, vy, no parameters. */
bool crowd_discs_make(crowd_models *models, const crowd_scene *scene, brink_diag *diag);
void crowd_define_walls(crowd_models *models, brink_action_fn *action);
/* Positions and velocities of all discs; the caller frees them. NULL: no memory. */
double *crowd_disc_states(const crowd_scene *scene);
bool crowd_is_straight(const crowd_scene *scene);
void crowd_models_free(crowd_models *models);
bool crowd_method(const char *name, brink_method *method);

#endif
