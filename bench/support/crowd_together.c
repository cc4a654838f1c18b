/* crowd_together.c: all cars in one simulation, synchronous, with a guard for every pair; and every car by itself. */
#include <brink/jet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/contact.h"
#include "support/crowd.h"

typedef struct together {
  const crowd_scene *scene;
  const crowd_ask *ask;
  size_t npairs, nguards;
  size_t (*depends)[4];
  brink_guard_def *guards;
  brink_model *model;
  brink_sim *sim;
  crowd_answer *answer;
} together;

/* ---- the model ---- */

static int motion(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  const together *self = env->user;
  for (size_t i = 0; i < self->scene->count; i++) {
    double v = env->p[2 * i], heading = x[3 * i + 2];
    dx[3 * i] = v * cos(heading);
    dx[3 * i + 1] = v * sin(heading);
    dx[3 * i + 2] = env->p[2 * i + 1];
  }
  return 0;
}

static const size_t *cars_of(const brink_env *env, size_t guard) {
  const together *self = env->user;
  return self->depends[guard];
}

static int value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)t;
  const size_t *on = cars_of(env, guard);
  double u = x[on[2]] - x[on[0]], v = x[on[3]] - x[on[1]];
  *g = u * u + v * v - 4 * CROWD_RADIUS * CROWD_RADIUS;
  return 0;
}

static int gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                    double *dt) {
  (void)t;
  const size_t *on = cars_of(env, guard);
  dx[2] = 2 * (x[on[2]] - x[on[0]]);
  dx[3] = 2 * (x[on[3]] - x[on[1]]);
  dx[0] = -dx[2];
  dx[1] = -dx[3];
  *dt = 0;
  return 0;
}

static int series(size_t guard, int order, const double *t, const double *const *x,
                  const brink_env *env, double *g) {
  (void)t;
  bench_contact(order, x, cars_of(env, guard), 2 * CROWD_RADIUS, g);
  return 0;
}

static int hit(const brink_event *event, brink_now *now, void *user) {
  together *self = user;
  const size_t *on = self->depends[event->guard];
  double restitution = self->scene->restitution;
  size_t a = on[0] / 3, b = on[2] / 3;
  int wall = -1;
  if (event->guard < self->npairs) {
    crowd_hit_car(restitution, now->x + 3 * a, now->p + 2 * a, now->x + 3 * b, now->p + 2 * b);
  } else {
    wall = (int)((event->guard - self->npairs) % 4);
    crowd_hit_wall(restitution, wall, now->x + 3 * a, now->p + 2 * a);
  }
  return crowd_log(self->answer, self->ask, now->t, a, b, wall) ? 0 : -1;
}

static const double one[] = {1}, minus_one[] = {-1};

static void define_pairs(together *self) {
  size_t k = 0;
  for (size_t i = 0; i < self->scene->count; i++) {
    for (size_t j = i + 1; j < self->scene->count; j++, k++) {
      size_t *on = self->depends[k];
      on[0] = 3 * i;
      on[1] = 3 * i + 1;
      on[2] = 3 * j;
      on[3] = 3 * j + 1;
      self->guards[k] = (brink_guard_def){.size = sizeof(brink_guard_def),
                                          .name = "pair",
                                          .side = self->scene->side,
                                          .direction = BRINK_NEGATIVE,
                                          .depends = on,
                                          .ndepends = 4,
                                          .value = value,
                                          .gradient = gradient,
                                          .jet = series,
                                          .degree = 2,
                                          .action = hit};
    }
  }
}

static void define_walls(together *self) {
  for (size_t w = 0; w < 4 * self->scene->count; w++) {
    size_t k = self->npairs + w;
    bool low = w % 2 == 0;
    self->depends[k][0] = 3 * (w / 4) + (w % 4) / 2;
    self->guards[k] =
        (brink_guard_def){.size = sizeof(brink_guard_def),
                          .name = "wall",
                          .side = self->scene->side,
                          .direction = BRINK_NEGATIVE,
                          .depends = self->depends[k],
                          .ndepends = 1,
                          .coefficients = low ? one : minus_one,
                          .offset = low ? -CROWD_RADIUS : self->scene->size - CROWD_RADIUS,
                          .action = hit};
  }
}

static brink_options options_of(const crowd_ask *ask) {
  brink_options options = brink_default_options();
  options.rtol = options.atol = ask->tolerance;
  crowd_method(ask->method, &options.method);
  return options;
}

static bool create(together *self, brink_diag *diag) {
  size_t n = self->scene->count;
  self->npairs = n * (n - 1) / 2;
  self->nguards = self->npairs + 4 * n;
  self->depends = calloc(self->nguards, sizeof *self->depends);
  self->guards = calloc(self->nguards, sizeof *self->guards);
  if (self->depends == NULL || self->guards == NULL) return false;
  define_pairs(self);
  define_walls(self);
  brink_model_def def = {.size = sizeof(brink_model_def),
                         .name = "cars together",
                         .nx = 3 * n,
                         .np = 2 * n,
                         .x0 = self->scene->x,
                         .p0 = self->scene->p,
                         .rhs = motion,
                         .nguards = self->nguards,
                         .guards = self->guards,
                         .user = self};
  brink_options options = options_of(self->ask);
  return brink_model_create(&def, NULL, diag, &self->model) == BRINK_OK &&
         brink_sim_create(self->model, &options, NULL, diag, &self->sim) == BRINK_OK;
}

/* ---- the run ---- */

static double look(together *self, crowd_watch *watch, double *x) {
  double start = crowd_clock(1), t = brink_sim_time(self->sim);
  while (crowd_watch_next(watch) < t) {
    if (brink_sim_at(self->sim, crowd_watch_next(watch), x, NULL) != BRINK_OK) break;
    crowd_watch_look(watch, x, 3);
  }
  return crowd_clock(1) - start;
}

static void run(together *self, crowd_watch *watch, double *x, brink_diag *diag) {
  double start = crowd_clock(1), aside = 0;
  brink_status status = BRINK_OK;
  while (status >= 0 && status != BRINK_TIME_REACHED) {
    status = brink_sim_advance(self->sim, self->ask->t_end, diag);
    if (watch != NULL) aside += look(self, watch, x);
  }
  self->answer->seconds = crowd_clock(1) - start - aside;
  self->answer->ok = status == BRINK_TIME_REACHED;
  self->answer->steps = (double)brink_sim_stats(self->sim)->steps;
}

crowd_answer crowd_run_together(const crowd_scene *scene, const crowd_ask *ask) {
  crowd_answer answer = {.ok = false};
  together self = {.scene = scene, .ask = ask, .answer = &answer};
  brink_diag diag = {.message = ""};
  crowd_watch *watch = crowd_watch_open(scene, ask);
  double *x = calloc(3 * scene->count, sizeof *x), start = crowd_clock(1);
  if (x != NULL && create(&self, &diag)) {
    answer.setup = crowd_clock(1) - start;
    run(&self, watch, x, &diag);
  }
  if (!answer.ok) fprintf(stderr, "cars together: %s\n", diag.message);
  crowd_watch_close(watch, &answer);
  brink_sim_destroy(self.sim);
  brink_model_destroy(self.model);
  free(self.depends);
  free(self.guards);
  free(x);
  return answer;
}

/* ---- every car by itself ---- */

static bool run_one(brink_sim *sim, const crowd_scene *scene, size_t car, const crowd_ask *ask,
                    crowd_answer *answer, brink_diag *diag) {
  const double *p = scene->p + 2 * car;
  if (brink_sim_reset(sim, diag) != BRINK_OK ||
      brink_sim_set_parameter(sim, 0, p[0], diag) != BRINK_OK ||
      brink_sim_set_parameter(sim, 1, p[1], diag) != BRINK_OK ||
      brink_sim_set_state(sim, scene->x + 3 * car, diag) != BRINK_OK)
    return false;
  double start = crowd_clock(1);
  brink_status status = brink_sim_run(sim, ask->t_end, diag);
  answer->seconds += crowd_clock(1) - start;
  answer->steps += (double)brink_sim_stats(sim)->steps;
  answer->hits += (double)brink_sim_stats(sim)->events;
  return status == BRINK_TIME_REACHED;
}

crowd_answer crowd_run_alone(const crowd_scene *scene, const crowd_ask *ask) {
  crowd_answer answer = {.ok = false};
  crowd_models models;
  brink_diag diag = {.message = ""};
  brink_sim *sim = NULL;
  brink_options options = options_of(ask);
  answer.ok = crowd_models_make(&models, scene, &diag) &&
              brink_sim_create(models.car, &options, NULL, &diag, &sim) == BRINK_OK;
  for (size_t k = 0; answer.ok && k < scene->count; k++)
    answer.ok = run_one(sim, scene, k, ask, &answer, &diag);
  if (!answer.ok) fprintf(stderr, "cars alone: %s\n", diag.message);
  brink_sim_destroy(sim);
  crowd_models_free(&models);
  return answer;
}
