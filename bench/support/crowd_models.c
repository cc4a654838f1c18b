/* crowd_models.c: one car and two cars as models, by hand in C (see crowd.h). */
#include <brink/jet.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/contact.h"
#include "support/crowd.h"

static int car_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = env->p[0] * cos(x[2]);
  dx[1] = env->p[0] * sin(x[2]);
  dx[2] = env->p[1];
  return 0;
}

/* cosine and sine of a heading that grows steadily: c_k+1 = -turn s_k/(k+1), s_k+1 = turn c_k/(k+1). */
static int car_flow(int order, double t, double unit, const double *x, const brink_env *env,
                    double *const *xj) {
  (void)t;
  double forth = env->p[0] * unit, turn = env->p[1] * unit, c = cos(x[2]), s = sin(x[2]);
  for (int k = 0; k < order; k++) {
    double part = 1.0 / (k + 1), next = -turn * s * part;
    xj[0][k + 1] = forth * c * part;
    xj[1][k + 1] = forth * s * part;
    xj[2][k + 1] = k == 0 ? turn : 0;
    s = turn * c * part;
    c = next;
  }
  return 0;
}

static int at_wall(const brink_event *event, brink_now *now, void *user) {
  const crowd_models *models = user;
  crowd_hit_wall(models->scene->restitution, (int)event->guard, now->x, now->p);
  return 0;
}

/* ---- two of them ---- */

static int pair_rhs(double t, const double *x, const brink_env *env, double *dx) {
  brink_env other = *env;
  other.p = env->p + 2;
  car_rhs(t, x, env, dx);
  return car_rhs(t, x + 3, &other, dx + 3);
}

static int pair_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  double u = x[3] - x[0], v = x[4] - x[1];
  *g = u * u + v * v - 4 * CROWD_RADIUS * CROWD_RADIUS;
  return 0;
}

static int pair_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                         double *dt) {
  (void)guard, (void)t, (void)env;
  dx[2] = 2 * (x[3] - x[0]);
  dx[3] = 2 * (x[4] - x[1]);
  dx[0] = -dx[2];
  dx[1] = -dx[3];
  *dt = 0;
  return 0;
}

static int pair_jet(size_t guard, int order, const double *t, const double *const *x,
                    const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  static const size_t on[4] = {0, 1, 3, 4};
  bench_contact(order, x, on, 2 * CROWD_RADIUS, g);
  return 0;
}

static int at_touch(const brink_event *event, brink_now *now, void *user) {
  (void)event;
  const crowd_models *models = user;
  crowd_hit_car(models->scene->restitution, now->x, now->p, now->x + 3, now->p + 2);
  return 0;
}

/* ---- definitions ---- */

static const double plus[] = {1}, minus[] = {-1};
static const size_t states[] = {0, 1}, pair_states[] = {0, 1, 3, 4};
/* The heading grows linearly. */
static const int car_degrees[] = {0, 0, 1};

bool crowd_is_straight(const crowd_scene *scene) {
  for (size_t i = 0; i < scene->count; i++) {
    if (scene->p[2 * i + 1] != 0) return false;
  }
  return true;
}

void crowd_define_walls(crowd_models *models, brink_action_fn *action) {
  for (int k = 0; k < 4; k++) {
    brink_guard_def *wall = &models->walls[k];
    *wall = brink_default_guard("wall");
    wall->side = models->scene->side;
    wall->direction = BRINK_NEGATIVE;
    wall->depends = &states[k / 2];
    wall->ndepends = 1;
    wall->coefficients = k % 2 == 0 ? plus : minus;
    wall->offset = k % 2 == 0 ? -CROWD_RADIUS : models->scene->size - CROWD_RADIUS;
    wall->action = action;
  }
}

static void define_touch(crowd_models *models) {
  models->touch = brink_default_guard("touch");
  models->touch.side = models->scene->side;
  models->touch.direction = BRINK_NEGATIVE;
  models->touch.depends = pair_states;
  models->touch.ndepends = 4;
  models->touch.value = pair_value;
  models->touch.gradient = pair_gradient;
  models->touch.jet = pair_jet;
  models->touch.degree = 2;
  models->touch.action = at_touch;
}

bool crowd_models_make(crowd_models *models, const crowd_scene *scene, brink_diag *diag) {
  *models = (crowd_models){.scene = scene};
  if (crowd_is_straight(scene)) return crowd_discs_make(models, scene, diag);
  crowd_define_walls(models, at_wall);
  define_touch(models);
  brink_model_def car = brink_default_model(), pair = brink_default_model();
  car.name = "car";
  car.nx = 3;
  car.np = 2;
  car.x0 = scene->x;
  car.p0 = scene->p;
  car.rhs = car_rhs;
  car.flow_jet = car_flow;
  car.flow_degrees = car_degrees;
  car.flow_work = 1;
  car.nguards = 4;
  car.guards = models->walls;
  car.user = models;
  pair.name = "two cars";
  pair.nx = 6;
  pair.np = 4;
  pair.x0 = scene->x;
  pair.p0 = scene->p;
  pair.rhs = pair_rhs;
  pair.nguards = 1;
  pair.guards = &models->touch;
  pair.user = models;
  return brink_model_create(&car, NULL, diag, &models->car) == BRINK_OK &&
         brink_model_create(&pair, NULL, diag, &models->pair) == BRINK_OK;
}

void crowd_models_free(crowd_models *models) {
  brink_model_destroy(models->car);
  brink_model_destroy(models->pair);
  free(models->x);
}

bool crowd_method(const char *name, brink_method *method) {
#define CROWD_METHOD(id, text)                                                                     \
  if (strcmp(name, text) == 0) {                                                                   \
    *method = id;                                                                                  \
    return true;                                                                                   \
  }
  BRINK_METHOD_LIST(CROWD_METHOD)
#undef CROWD_METHOD
  return false;
}
