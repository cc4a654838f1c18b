/* cars.c: bumper cars (see cars.h). */
#include "support/cars.h"
#include "support/contact.h"

#include <brink/jet.h>
#include <math.h>

#define SIZE 10.0
#define RADIUS 0.1
#define RESTITUTION 0.9

static const double pi = 3.14159265358979323846;

/* ---- motion ---- */

static int cars_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  for (int i = 0; i < BENCH_CARS; i++) {
    double v = env->p[2 * i], heading = x[3 * i + 2];
    dx[3 * i] = v * cos(heading);
    dx[3 * i + 1] = v * sin(heading);
    dx[3 * i + 2] = env->p[2 * i + 1];
  }
  return 0;
}

/* ---- guards ---- */

/* Pairs in the order (0,1), (0,2), …, (1,2), …; given once as states by depends. */
static const bench_scene *scene_of(const brink_env *env) {
  return env->user;
}

static double square_of_distance(const double *x, const size_t *on) {
  double u = x[on[2]] - x[on[0]], v = x[on[3]] - x[on[1]];
  return u * u + v * v;
}

static int distance_value(size_t guard, double t, const double *x, const brink_env *env,
                          double *g) {
  (void)t;
  *g = sqrt(square_of_distance(x, scene_of(env)->depends[guard])) - 2 * RADIUS;
  return 0;
}

static int square_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)t;
  *g = square_of_distance(x, scene_of(env)->depends[guard]) - 4 * RADIUS * RADIUS;
  return 0;
}

static void fill_gradient(const double *x, const size_t *on, double scale, double *dx) {
  dx[2] = scale * (x[on[2]] - x[on[0]]);
  dx[3] = scale * (x[on[3]] - x[on[1]]);
  dx[0] = -dx[2];
  dx[1] = -dx[3];
}

static int distance_gradient(size_t guard, double t, const double *x, const brink_env *env,
                             double *dx, double *dt) {
  (void)t;
  const size_t *on = scene_of(env)->depends[guard];
  fill_gradient(x, on, 1 / sqrt(square_of_distance(x, on)), dx);
  *dt = 0;
  return 0;
}

static int square_gradient(size_t guard, double t, const double *x, const brink_env *env,
                           double *dx, double *dt) {
  (void)t;
  fill_gradient(x, scene_of(env)->depends[guard], 2, dx);
  *dt = 0;
  return 0;
}

static int distance_jet(size_t guard, int order, const double *t, const double *const *x,
                        const brink_env *env, double *g) {
  (void)t;
  const size_t *on = scene_of(env)->depends[guard];
  double u[BRINK_JET_MAX_ORDER + 1], v[BRINK_JET_MAX_ORDER + 1];
  brink_jet_sub(order, x[on[2]], x[on[0]], u);
  brink_jet_sub(order, x[on[3]], x[on[1]], v);
  brink_jet_hypot(order, u, v, g);
  g[0] -= 2 * RADIUS;
  return 0;
}

static int square_jet(size_t guard, int order, const double *t, const double *const *x,
                      const brink_env *env, double *g) {
  (void)t;
  bench_contact(order, x, scene_of(env)->depends[guard], 2 * RADIUS, g);
  return 0;
}

static void distance_roots(double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)env;
  for (int i = 0; i < BENCH_CARS; i++) {
    for (int j = i + 1; j < BENCH_CARS; j++) {
      double u = x[3 * j] - x[3 * i], v = x[3 * j + 1] - x[3 * i + 1];
      *g++ = sqrt(u * u + v * v) - 2 * RADIUS;
    }
  }
  for (int i = 0; i < BENCH_CARS; i++) {
    for (int axis = 0; axis < 2; axis++) {
      *g++ = x[3 * i + axis] - RADIUS;
      *g++ = SIZE - RADIUS - x[3 * i + axis];
    }
  }
}

/* ---- hits ---- */

/* Heading and speed from the velocity, and a turn towards the normal n. */
static void drive_off(brink_now *now, size_t car, double vx, double vy, double nx, double ny) {
  double speed = sqrt(vx * vx + vy * vy);
  now->x[3 * car + 2] = atan2(vy, vx);
  now->p[2 * car] = speed;
  double rate = fabs(now->p[2 * car + 1]);
  now->p[2 * car + 1] = vx * ny - vy * nx >= 0 ? rate : -rate;
}

static void velocity(const brink_now *now, size_t car, double *vx, double *vy) {
  double v = now->p[2 * car], heading = now->x[3 * car + 2];
  *vx = v * cos(heading);
  *vy = v * sin(heading);
}

static void hit_wall(brink_now *now, size_t car, int wall) {
  double vx, vy;
  velocity(now, car, &vx, &vy);
  double inwards = wall % 2 == 0 ? 1 : -1;
  if (wall < 2)
    drive_off(now, car, -RESTITUTION * vx, vy, inwards, 0);
  else
    drive_off(now, car, vx, -RESTITUTION * vy, 0, inwards);
}

static void hit_car(brink_now *now, size_t a, size_t b) {
  double nx = now->x[3 * b] - now->x[3 * a], ny = now->x[3 * b + 1] - now->x[3 * a + 1];
  double d = sqrt(nx * nx + ny * ny), ax, ay, bx, by;
  nx /= d;
  ny /= d;
  velocity(now, a, &ax, &ay);
  velocity(now, b, &bx, &by);
  double impulse = 0.5 * (1 + RESTITUTION) * ((bx - ax) * nx + (by - ay) * ny);
  drive_off(now, a, ax + impulse * nx, ay + impulse * ny, -nx, -ny);
  drive_off(now, b, bx - impulse * nx, by - impulse * ny, nx, ny);
}

static int hit(const brink_event *event, brink_now *now, void *user) {
  const bench_scene *scene = user;
  size_t k = event->guard;
  if (k >= BENCH_CAR_PAIRS) {
    size_t wall = k - BENCH_CAR_PAIRS;
    hit_wall(now, wall / 4, (int)(wall % 4));
  } else {
    hit_car(now, scene->depends[k][0] / 3, scene->depends[k][2] / 3);
  }
  return 0;
}

/* ---- the scene ---- */

/* splitmix64 */
static double uniform(uint64_t *state, double low, double high) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return low + (high - low) * ((double)(z >> 11) * 0x1p-53);
}

static bool is_free(const double *x, int car) {
  for (int k = 0; k < car; k++) {
    if (hypot(x[3 * k] - x[3 * car], x[3 * k + 1] - x[3 * car + 1]) < 5 * RADIUS) return false;
  }
  return true;
}

static void place_cars(bench_scene *scene, uint64_t seed) {
  uint64_t state = seed;
  for (int i = 0; i < BENCH_CARS; i++) {
    double *x = scene->x0 + 3 * i;
    do {
      x[0] = uniform(&state, 0.5, SIZE - 0.5);
      x[1] = uniform(&state, 0.5, SIZE - 0.5);
    } while (!is_free(scene->x0, i));
    x[2] = uniform(&state, -pi, pi);
    scene->p0[2 * i] = uniform(&state, 0.5, 1.5);
    double rate = uniform(&state, -0.4, 0.4);
    scene->p0[2 * i + 1] = rate < 0 ? rate - 0.1 : rate + 0.1;
  }
}

static const double ones[] = {1, 1, 1, 1}, minus_one[] = {-1};

static void add_pairs(bench_scene *scene, bench_cars_guard kind) {
  size_t k = 0;
  for (size_t i = 0; i < BENCH_CARS; i++) {
    for (size_t j = i + 1; j < BENCH_CARS; j++, k++) {
      size_t *on = scene->depends[k];
      on[0] = 3 * i;
      on[1] = 3 * i + 1;
      on[2] = 3 * j;
      on[3] = 3 * j + 1;
      bool square = kind == BENCH_CARS_SQUARE;
      scene->guards[k] = (brink_guard_def){.size = sizeof(brink_guard_def),
                                           .name = "pair",
                                           .side = BRINK_UNILATERAL,
                                           .direction = BRINK_NEGATIVE,
                                           .depends = on,
                                           .ndepends = 4,
                                           .value = square ? square_value : distance_value,
                                           .gradient = square ? square_gradient : distance_gradient,
                                           .jet = square ? square_jet : distance_jet,
                                           .degree = square ? 2 : 0,
                                           .lipschitz = square ? NULL : ones,
                                           .action = hit};
    }
  }
}

static void add_walls(bench_scene *scene) {
  for (size_t w = 0; w < 4 * BENCH_CARS; w++) {
    size_t k = BENCH_CAR_PAIRS + w;
    bool low = w % 2 == 0;
    scene->depends[k][0] = 3 * (w / 4) + (w % 4) / 2;
    scene->guards[k] = (brink_guard_def){.size = sizeof(brink_guard_def),
                                         .name = "wall",
                                         .side = BRINK_UNILATERAL,
                                         .direction = BRINK_NEGATIVE,
                                         .depends = scene->depends[k],
                                         .ndepends = 1,
                                         .coefficients = low ? ones : minus_one,
                                         .offset = low ? -RADIUS : SIZE - RADIUS,
                                         .action = hit};
  }
}

void bench_scene_make(bench_scene *scene, uint64_t seed, bench_cars_guard kind) {
  place_cars(scene, seed);
  add_pairs(scene, kind);
  add_walls(scene);
  scene->def = (brink_model_def){.size = sizeof(brink_model_def),
                                 .name = "bumper cars",
                                 .nx = 3 * BENCH_CARS,
                                 .np = 2 * BENCH_CARS,
                                 .x0 = scene->x0,
                                 .p0 = scene->p0,
                                 .rhs = cars_rhs,
                                 .nguards = BENCH_CAR_GUARDS,
                                 .guards = scene->guards,
                                 .user = scene};
  scene->problem = (bench_problem){.name = "20 bumper cars",
                                   .def = &scene->def,
                                   .roots = distance_roots,
                                   .t_end = 100,
                                   .time_scale = 1,
                                   .horizon = 10,
                                   .known_time = NAN};
}
