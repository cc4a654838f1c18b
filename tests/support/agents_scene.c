/* agents_scene.c: see agents_scene.h. */
#include "support/agents_scene.h"

#include <brink/jet.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = BRINK_JET_MAX_ORDER + 1, X = 0, Y = 1, HEADING = 2 };

/* ---- motions ---- */

/* Straight lines: velocities of discs are states, those of waiters the parameters that others turn with. */
static int straight_rhs(double t, const double *x, const brink_env *env, double *dx) {
  const scene *s = env->user;
  (void)t;
  for (int k = 0; k < s->ndimensions; k++) {
    dx[k] = env->mode[0] == SCENE_MOVES ? x[s->ndimensions + k] : 0.0;
    dx[s->ndimensions + k] = 0.0;
  }
  return 0;
}

static int straight_series(int order, double t, double unit, const double *x, const brink_env *env,
                           double *const *xj) {
  const scene *s = env->user;
  (void)t;
  for (int k = 0; k < s->ndimensions; k++) {
    double v = env->mode[0] == SCENE_MOVES ? x[s->ndimensions + k] : 0.0;
    for (int j = 1; j <= order; j++) xj[k][j] = xj[s->ndimensions + k][j] = 0.0;
    if (order > 0) xj[k][1] = unit * v;
  }
  return 0;
}

static int car_rhs(double t, const double *x, const brink_env *env, double *dx) {
  double v = env->mode[0] == SCENE_MOVES ? env->p[SCENE_SPEED] : 0.0;
  (void)t;
  dx[X] = v * cos(x[HEADING]);
  dx[Y] = v * sin(x[HEADING]);
  dx[HEADING] = env->p[SCENE_TURN];
  return 0;
}

/* cos and sin of the heading grow with the rest: c' = -w s, s' = w c. */
static int car_series(int order, double t, double unit, const double *x, const brink_env *env,
                      double *const *xj) {
  double v = env->mode[0] == SCENE_MOVES ? env->p[SCENE_SPEED] : 0.0;
  double w = env->p[SCENE_TURN], c = cos(x[HEADING]), s = sin(x[HEADING]);
  (void)t;
  for (int k = 0; k < order; k++) {
    double factor = unit / (k + 1), next = -factor * w * s;
    xj[X][k + 1] = factor * v * c;
    xj[Y][k + 1] = factor * v * s;
    xj[HEADING][k + 1] = k == 0 ? unit * w : 0.0;
    s = factor * w * c;
    c = next;
  }
  return 0;
}

static int circle_rhs(double t, const double *x, const brink_env *env, double *dx) {
  double w = env->mode[0] == SCENE_MOVES ? env->p[SCENE_TURN] : 0.0;
  (void)t;
  dx[X] = -w * (x[Y] - env->p[SCENE_CENTRE + 1]);
  dx[Y] = w * (x[X] - env->p[SCENE_CENTRE]);
  return 0;
}

static int circle_series(int order, double t, double unit, const double *x, const brink_env *env,
                         double *const *xj) {
  double w = env->mode[0] == SCENE_MOVES ? env->p[SCENE_TURN] : 0.0;
  double dx = x[X] - env->p[SCENE_CENTRE], dy = x[Y] - env->p[SCENE_CENTRE + 1];
  (void)t;
  for (int k = 0; k < order; k++) {
    double factor = unit / (k + 1) * w, next = -factor * dy;
    dy = factor * dx;
    dx = next;
    xj[X][k + 1] = dx;
    xj[Y][k + 1] = dy;
  }
  return 0;
}

void scene_velocity(const scene *s, scene_kind kind, const double *x, const double *p, double *v) {
  switch (kind) {
  case SCENE_DISC:
  case SCENE_WAITER:
    memcpy(v, x + s->ndimensions, (size_t)s->ndimensions * sizeof *v);
    break;
  case SCENE_CAR:
    v[0] = p[SCENE_SPEED] * cos(x[HEADING]);
    v[1] = p[SCENE_SPEED] * sin(x[HEADING]);
    break;
  case SCENE_CIRCLE:
    v[0] = -p[SCENE_TURN] * (x[Y] - p[SCENE_CENTRE + 1]);
    v[1] = p[SCENE_TURN] * (x[X] - p[SCENE_CENTRE]);
    break;
  }
}

/* ---- walls ---- */

/* Guard 2k is the lower wall of dimension k, 2k + 1 the upper one. */
static int wall_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  const scene *s = env->user;
  size_t k = guard / 2;
  (void)t;
  *g = guard % 2 == 0 ? x[k] - (s->low[k] + env->p[SCENE_RADIUS])
                      : s->high[k] - env->p[SCENE_RADIUS] - x[k];
  return 0;
}

static int wall_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                         double *dt) {
  (void)t, (void)x, (void)env;
  dx[0] = guard % 2 == 0 ? 1.0 : -1.0;
  *dt = 0.0;
  return 0;
}

static int wall_jet(size_t guard, int order, const double *t, const double *const *x,
                    const brink_env *env, double *g) {
  const scene *s = env->user;
  size_t k = guard / 2;
  double r = env->p[SCENE_RADIUS];
  (void)t;
  brink_jet_scale(order, x[k], guard % 2 == 0 ? 1.0 : -1.0, g);
  brink_jet_add_constant(order, g, guard % 2 == 0 ? -(s->low[k] + r) : s->high[k] - r, g);
  return 0;
}

static int disc_wall(const brink_event *event, brink_now *now, void *user) {
  const scene *s = user;
  size_t k = event->guard / 2;
  double *v = now->x + s->ndimensions + k, room = s->high[k] - s->low[k];
  if (s->wraps) { /* to just before the other wall */
    double r = now->p[SCENE_RADIUS] + 1e-3 * room;
    now->x[k] = event->guard % 2 == 0 ? s->high[k] - r : s->low[k] + r;
    return 0;
  }
  *v = event->guard % 2 == 0 ? fabs(*v) : -fabs(*v);
  return 0;
}

/* Heading and speed of a velocity, turning towards `away`. */
static void steer(double *x, double *p, const double *v, const double *away) {
  double turn = fabs(p[SCENE_TURN]);
  p[SCENE_SPEED] = hypot(v[0], v[1]);
  p[SCENE_TURN] = v[0] * away[1] - v[1] * away[0] < 0.0 ? -turn : turn;
  x[HEADING] = atan2(v[1], v[0]);
}

static int car_wall(const brink_event *event, brink_now *now, void *user) {
  const scene *s = user;
  size_t k = event->guard / 2;
  double v[2], away[2] = {0.0, 0.0};
  away[k] = event->guard % 2 == 0 ? 1.0 : -1.0;
  scene_velocity(s, SCENE_CAR, now->x, now->p, v);
  v[k] = away[k] * s->restitution * fabs(v[k]);
  steer(now->x, now->p, v, away);
  return 0;
}

/* ---- waiting ---- */

static int start_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)x;
  *g = t - env->p[SCENE_START];
  return 0;
}

static int start_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                          double *dt) {
  (void)guard, (void)t, (void)x, (void)env, (void)dx;
  *dt = 1.0;
  return 0;
}

static int start_jet(size_t guard, int order, const double *t, const double *const *x,
                     const brink_env *env, double *g) {
  (void)guard, (void)x;
  brink_jet_add_constant(order, t, -env->p[SCENE_START], g);
  return 0;
}

static int start(const brink_event *event, brink_now *now, void *user) {
  const scene *s = user;
  (void)event;
  if (now->mode[0] == SCENE_WAITS) now->mode[0] = SCENE_MOVES;
  now->p[SCENE_RADIUS] *= s->growth;
  return 0;
}

/* ---- the model of a body ---- */

static const char *wall_names[] = {"left", "right", "bottom", "top", "front", "back"};
static const size_t dimension[] = {0, 1, 2};

static brink_guard_def wall_guard(size_t index, scene_kind kind) {
  brink_guard_def guard = brink_default_guard(wall_names[index]);
  guard.side = BRINK_UNILATERAL;
  guard.direction = BRINK_NEGATIVE;
  guard.depends = &dimension[index / 2];
  guard.ndepends = 1;
  guard.value = wall_value;
  guard.gradient = wall_gradient;
  guard.jet = wall_jet;
  guard.degree = 1;
  guard.action = kind == SCENE_CAR ? car_wall : disc_wall;
  return guard;
}

static brink_guard_def start_guard(void) {
  brink_guard_def guard = brink_default_guard("start");
  guard.direction = BRINK_POSITIVE;
  guard.depends = dimension;
  guard.ndepends = 0;
  guard.value = start_value;
  guard.gradient = start_gradient;
  guard.jet = start_jet;
  guard.degree = 1;
  guard.action = start;
  return guard;
}

static bool make_model(scene *s, scene_crowd *crowd) {
  static brink_rhs_fn *const rhs[] = {straight_rhs, car_rhs, circle_rhs, straight_rhs};
  static brink_flow_jet_fn *const series[] = {straight_series, car_series, circle_series,
                                              straight_series};
  static const char *names[] = {"disc", "car", "circle", "waiter"};
  static const int one[] = {1, 1, 1, 1, 1, 1};
  brink_guard_def guards[7];
  brink_model_def def = brink_default_model();
  def.name = names[crowd->kind];
  def.nx = crowd->nx;
  def.np = SCENE_PARAMETERS;
  def.nmodes = 1;
  def.x0 = crowd->x0;
  def.p0 = crowd->p0;
  def.mode0 = crowd->mode0;
  def.rhs = rhs[crowd->kind];
  def.flow_jet = series[crowd->kind];
  if (rhs[crowd->kind] == straight_rhs) def.flow_degrees = one;
  def.guards = guards;
  if (s->walls)
    for (; def.nguards < 2 * (size_t)s->ndimensions; def.nguards++)
      guards[def.nguards] = wall_guard(def.nguards, crowd->kind);
  if (crowd->kind == SCENE_WAITER) guards[def.nguards++] = start_guard();
  def.user = s;
  return brink_model_create(&def, NULL, NULL, &crowd->model) == BRINK_OK;
}

/* ---- the model of a pair ---- */

static double reach(const scene_link *link, const double *p) {
  return p[link->p[0][SCENE_RADIUS]] + p[link->p[1][SCENE_RADIUS]];
}

/* The square of the distance, less that of the sum of the radii. */
static int touch_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  const scene_link *link = env->user;
  double r = reach(link, env->p), sum = 0.0;
  (void)guard, (void)t;
  for (int k = 0; k < link->scene->ndimensions; k++) {
    double d = x[link->x[0][k]] - x[link->x[1][k]];
    sum += d * d;
  }
  *g = sum - r * r;
  return 0;
}

static int touch_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                          double *dt) {
  const scene_link *link = env->user;
  int n = link->scene->ndimensions;
  (void)guard, (void)t;
  for (int k = 0; k < n; k++) {
    dx[k] = 2.0 * (x[link->x[0][k]] - x[link->x[1][k]]);
    dx[n + k] = -dx[k];
  }
  *dt = 0.0;
  return 0;
}

static int touch_jet(size_t guard, int order, const double *t, const double *const *x,
                     const brink_env *env, double *g) {
  const scene_link *link = env->user;
  double r = reach(link, env->p), d[TERMS];
  (void)guard, (void)t;
  brink_jet_constant(order, -r * r, g);
  for (int k = 0; k < link->scene->ndimensions; k++) {
    brink_jet_sub(order, x[link->x[0][k]], x[link->x[1][k]], d);
    brink_jet_square(order, d, d);
    brink_jet_add(order, g, d, g);
  }
  return 0;
}

static bool present(size_t guard, const brink_env *env) {
  const scene_link *link = env->user;
  (void)guard;
  return env->mode[link->mode[0][0]] != SCENE_GONE && env->mode[link->mode[1][0]] != SCENE_GONE;
}

/* Nobody may ask how a pair moves. */
static int pair_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env, (void)dx;
  return -1;
}

/* ---- what happens at a touch ---- */

static int elastic(const brink_event *event, brink_now *now, void *user) {
  const scene_link *link = user;
  int n = link->scene->ndimensions;
  double *a = now->x + link->at[0], *b = now->x + link->at[1];
  double ma = now->p[link->p[0][SCENE_MASS]], mb = now->p[link->p[1][SCENE_MASS]];
  double square = 0.0, along = 0.0;
  (void)event;
  for (int k = 0; k < n; k++) {
    square += (b[k] - a[k]) * (b[k] - a[k]);
    along += (b[k] - a[k]) * (b[n + k] - a[n + k]);
  }
  double impulse = -2.0 * along / square * (ma * mb / (ma + mb));
  for (int k = 0; k < n; k++) {
    double push = impulse * (b[k] - a[k]);
    a[n + k] -= push / ma;
    b[n + k] += push / mb;
  }
  return 0;
}

static int bump(const brink_event *event, brink_now *now, void *user) {
  const scene_link *link = user;
  double *x[2], *p[2], v[2][2], normal[2], away[2];
  (void)event;
  for (int i = 0; i < 2; i++) {
    x[i] = now->x + link->at[i];
    p[i] = now->p + link->p[i][0];
    scene_velocity(link->scene, SCENE_CAR, x[i], p[i], v[i]);
  }
  double distance = hypot(x[1][0] - x[0][0], x[1][1] - x[0][1]);
  for (int k = 0; k < 2; k++) {
    normal[k] = (x[1][k] - x[0][k]) / distance;
    away[k] = -normal[k];
  }
  double ma = p[0][SCENE_MASS], mb = p[1][SCENE_MASS];
  double closing = (v[1][0] - v[0][0]) * normal[0] + (v[1][1] - v[0][1]) * normal[1];
  double impulse = -(1.0 + link->scene->restitution) * closing * (ma * mb / (ma + mb));
  for (int k = 0; k < 2; k++) {
    v[0][k] -= impulse / ma * normal[k];
    v[1][k] += impulse / mb * normal[k];
  }
  steer(x[0], p[0], v[0], away);
  steer(x[1], p[1], v[1], normal);
  return 0;
}

static int vanish(const brink_event *event, brink_now *now, void *user) {
  const scene_link *link = user;
  (void)event;
  for (int i = 0; i < 2; i++) now->mode[link->mode[i][0]] = SCENE_GONE;
  return 0;
}

static int halt(const brink_event *event, brink_now *now, void *user) {
  const scene_link *link = user;
  (void)event;
  for (int i = 0; i < 2; i++) {
    scene_kind kind = link->scene->crowds[link->population[i]].kind;
    double *v = now->x + link->at[i] + link->scene->ndimensions, *p = now->p + link->p[i][0];
    if (kind == SCENE_DISC || kind == SCENE_WAITER)
      for (int k = 0; k < link->scene->ndimensions; k++) v[k] = 0.0;
    p[SCENE_SPEED] = p[SCENE_TURN] = 0.0;
  }
  return 0;
}

static brink_guard_def touch_guard(scene_response response, const size_t *depends, int n) {
  static brink_action_fn *const actions[] = {NULL, elastic, bump, vanish, halt};
  brink_guard_def guard = brink_default_guard("touch");
  guard.side = response == SCENE_PASS ? BRINK_BILATERAL : BRINK_UNILATERAL;
  guard.direction = response == SCENE_PASS ? BRINK_BOTH : BRINK_NEGATIVE;
  guard.depends = depends;
  guard.ndepends = 2 * (size_t)n;
  guard.value = touch_value;
  guard.gradient = touch_gradient;
  guard.jet = touch_jet;
  guard.degree = 2;
  guard.action = actions[response];
  return guard;
}

static bool make_pair(scene_link *link) {
  static const double zeros[2 * SCENE_STATES + 2 * SCENE_PARAMETERS];
  const scene *s = link->scene;
  size_t depends[6];
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < s->ndimensions; k++) depends[i * s->ndimensions + k] = link->x[i][k];
  brink_guard_def guard = touch_guard(link->response, depends, s->ndimensions);
  brink_model_def def = brink_default_model();
  def.name = "pair";
  def.nx = s->crowds[link->population[0]].nx + s->crowds[link->population[1]].nx;
  def.np = 2 * SCENE_PARAMETERS;
  def.nmodes = 2;
  def.x0 = def.p0 = zeros;
  def.rhs = pair_rhs;
  def.nguards = 1;
  def.guards = &guard;
  if (link->response == SCENE_VANISH) def.enabled = present;
  def.user = link;
  return brink_model_create(&def, NULL, NULL, &link->model) == BRINK_OK;
}

/* ---- the scene ---- */

void scene_init(scene *s, int ndimensions) {
  memset(s, 0, sizeof *s);
  s->ndimensions = ndimensions;
  s->restitution = 0.9;
  s->growth = 1.0;
}

void scene_walls(scene *s, const double *low, const double *high) {
  s->walls = true;
  memcpy(s->low, low, (size_t)s->ndimensions * sizeof *low);
  memcpy(s->high, high, (size_t)s->ndimensions * sizeof *high);
}

static void place(const scene *s, const scene_crowd *crowd, size_t i, const scene_body *body) {
  double *x = crowd->x0 + i * crowd->nx, *p = crowd->p0 + i * SCENE_PARAMETERS;
  for (int k = 0; k < s->ndimensions; k++) x[k] = body->position[k];
  if (crowd->kind == SCENE_DISC || crowd->kind == SCENE_WAITER)
    for (int k = 0; k < s->ndimensions; k++) x[s->ndimensions + k] = body->velocity[k];
  if (crowd->kind == SCENE_CAR) x[HEADING] = atan2(body->velocity[1], body->velocity[0]);
  p[SCENE_RADIUS] = body->radius;
  p[SCENE_MASS] = body->mass;
  p[SCENE_SPEED] = hypot(body->velocity[0], body->velocity[1]);
  p[SCENE_TURN] = body->turn;
  p[SCENE_START] = body->start;
  if (crowd->kind == SCENE_CIRCLE) {
    p[SCENE_CENTRE] = body->position[0] - body->velocity[1] / body->turn;
    p[SCENE_CENTRE + 1] = body->position[1] + body->velocity[0] / body->turn;
  }
  crowd->mode0[i] = crowd->kind == SCENE_WAITER ? SCENE_WAITS : SCENE_MOVES;
}

bool scene_add(scene *s, scene_kind kind, const scene_body *bodies, size_t count) {
  scene_crowd *crowd = &s->crowds[s->ncrowds];
  size_t n = (size_t)s->ndimensions;
  crowd->kind = kind;
  crowd->count = count;
  crowd->nx = kind == SCENE_CAR ? 3 : kind == SCENE_CIRCLE ? 2 : 2 * n;
  crowd->x0 = calloc(count + 1, crowd->nx * sizeof *crowd->x0);
  crowd->p0 = calloc(count + 1, SCENE_PARAMETERS * sizeof *crowd->p0);
  crowd->mode0 = calloc(count + 1, sizeof *crowd->mode0);
  if (crowd->x0 == NULL || crowd->p0 == NULL || crowd->mode0 == NULL) return false;
  for (size_t i = 0; i < count; i++) place(s, crowd, i, &bodies[i]);
  static const char *names[SCENE_POPULATIONS] = {"first", "second", "third", "fourth"};
  if (!make_model(s, crowd)) return false;
  s->populations[s->ncrowds] = (brink_population_def){.name = names[s->ncrowds],
                                                      .model = crowd->model,
                                                      .count = count,
                                                      .x0 = crowd->x0,
                                                      .p0 = crowd->p0,
                                                      .mode0 = crowd->mode0};
  s->ncrowds++;
  return true;
}

bool scene_meet(scene *s, size_t a, size_t b, scene_response response) {
  static const size_t only[] = {0};
  scene_link *link = &s->links[s->nlinks];
  *link = (scene_link){.scene = s, .response = response, .population = {a, b}};
  link->at[1] = s->crowds[a].nx;
  for (uint32_t i = 0; i < 2; i++) {
    for (uint32_t k = 0; k < SCENE_STATES; k++) link->x[i][k] = (uint32_t)link->at[i] + k;
    for (uint32_t k = 0; k < SCENE_PARAMETERS; k++) link->p[i][k] = i * SCENE_PARAMETERS + k;
    link->mode[i][0] = i;
  }
  if (!make_pair(link)) return false;
  s->pairs[s->nlinks] = (brink_pair_def){.name = "touch",
                                         .population = {a, b},
                                         .model = link->model,
                                         .x = {link->x[0], link->x[1]},
                                         .p = {link->p[0], link->p[1]},
                                         .mode = {link->mode[0], link->mode[1]},
                                         .guards = only,
                                         .nguards = 1,
                                         .ndimensions = s->ndimensions,
                                         .position = {{0, 1, 2}, {0, 1, 2}},
                                         .size = {SCENE_RADIUS, SCENE_RADIUS}};
  s->nlinks++;
  return true;
}

void scene_free(scene *s) {
  for (size_t i = 0; i < SCENE_PAIRS; i++) brink_model_destroy(s->links[i].model);
  for (size_t i = 0; i < SCENE_POPULATIONS; i++) {
    brink_model_destroy(s->crowds[i].model);
    free(s->crowds[i].x0);
    free(s->crowds[i].p0);
    free(s->crowds[i].mode0);
  }
  memset(s, 0, sizeof *s);
}

brink_agents_def scene_def(const scene *s, const brink_options *options) {
  return (brink_agents_def){.populations = s->populations,
                            .npopulations = s->ncrowds,
                            .pairs = s->pairs,
                            .npairs = s->nlinks,
                            .options = *options,
                            .threads = s->threads};
}
