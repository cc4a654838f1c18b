/* crowd_discs.c: a hard disc and two hard discs as models, by hand in C (see crowd.h): x = (x, y, vx, vy). */
#include <math.h>
#include <stdlib.h>

#include "support/crowd.h"

static int disc_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = dx[3] = 0;
  return 0;
}

static int disc_flow(int order, double t, double unit, const double *x, const brink_env *env,
                     double *const *xj) {
  (void)t, (void)env;
  for (int k = 1; k <= order; k++) {
    for (int i = 0; i < 4; i++) xj[i][k] = k == 1 && i < 2 ? unit * x[i + 2] : 0;
  }
  return 0;
}

static int at_wall(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  now->x[2 + event->guard / 2] *= -1;
  return 0;
}

static int pair_rhs(double t, const double *x, const brink_env *env, double *dx) {
  disc_rhs(t, x, env, dx);
  return disc_rhs(t, x + 4, env, dx + 4);
}

static int pair_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  double u = x[4] - x[0], v = x[5] - x[1];
  *g = u * u + v * v - 4 * CROWD_RADIUS * CROWD_RADIUS;
  return 0;
}

static int pair_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                         double *dt) {
  (void)guard, (void)t, (void)env;
  dx[2] = 2 * (x[4] - x[0]);
  dx[3] = 2 * (x[5] - x[1]);
  dx[0] = -dx[2];
  dx[1] = -dx[3];
  *dt = 0;
  return 0;
}

/* The square of a series, by its definition: few terms are asked for. */
static int pair_jet(size_t guard, int order, const double *t, const double *const *x,
                    const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  for (int k = 0; k <= order; k++) {
    double sum = k == 0 ? -4 * CROWD_RADIUS * CROWD_RADIUS : 0;
    for (int j = 0; j <= k; j++)
      sum += (x[4][j] - x[0][j]) * (x[4][k - j] - x[0][k - j]) +
             (x[5][j] - x[1][j]) * (x[5][k - j] - x[1][k - j]);
    g[k] = sum;
  }
  return 0;
}

static int at_touch(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  crowd_hit_disc(now->x, now->x + 4);
  return 0;
}

void crowd_hit_disc(double a[4], double b[4]) {
  double nx = b[0] - a[0], ny = b[1] - a[1];
  double impulse = ((b[2] - a[2]) * nx + (b[3] - a[3]) * ny) / (nx * nx + ny * ny);
  a[2] += impulse * nx;
  a[3] += impulse * ny;
  b[2] -= impulse * nx;
  b[3] -= impulse * ny;
}

double *crowd_disc_states(const crowd_scene *scene) {
  double *all = calloc(4 * scene->count, sizeof *all);
  for (size_t i = 0; all != NULL && i < scene->count; i++) {
    const double *from = scene->x + 3 * i;
    double speed = scene->p[2 * i], *to = all + 4 * i;
    to[0] = from[0];
    to[1] = from[1];
    to[2] = speed * cos(from[2]);
    to[3] = speed * sin(from[2]);
  }
  return all;
}

bool crowd_discs_make(crowd_models *models, const crowd_scene *scene, brink_diag *diag) {
  static const size_t pair_states[] = {0, 1, 4, 5};
  static const int degrees[] = {1, 1, 1, 1};
  crowd_define_walls(models, at_wall);
  models->x = crowd_disc_states(scene);
  if (models->x == NULL) return false;
  models->touch = brink_default_guard("touch");
  models->touch.side = scene->side;
  models->touch.direction = BRINK_NEGATIVE;
  models->touch.depends = pair_states;
  models->touch.ndepends = 4;
  models->touch.value = pair_value;
  models->touch.gradient = pair_gradient;
  models->touch.jet = pair_jet;
  models->touch.degree = 2;
  models->touch.action = at_touch;
  brink_model_def disc = brink_default_model(), pair = brink_default_model();
  disc.name = "disc";
  disc.nx = 4;
  disc.x0 = models->x;
  disc.rhs = disc_rhs;
  disc.flow_jet = disc_flow;
  disc.flow_degrees = degrees;
  disc.flow_work = 1;
  disc.nguards = 4;
  disc.guards = models->walls;
  pair.name = "two discs";
  pair.nx = 8;
  pair.x0 = models->x;
  pair.rhs = pair_rhs;
  pair.nguards = 1;
  pair.guards = &models->touch;
  return brink_model_create(&disc, NULL, diag, &models->car) == BRINK_OK &&
         brink_model_create(&pair, NULL, diag, &models->pair) == BRINK_OK;
}
