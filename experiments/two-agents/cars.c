/* cars.c: two cars on spirals, by the published algorithm and by Brink's engine. */
#include "experiments/two-agents/cars.h"

#include <brink/jet.h>
#include <math.h>

#include "agents/agents.h"

/* ---- the cars ---- */

void cars_paths(double distance, car_path paths[CARS]) {
  paths[0] = (car_path){.c = 0.0, .r = 1.0, .a = 0.06, .w = 0.96, .phase = 0.0};
  paths[1] = (car_path){.c = -distance, .r = 0.4, .a = 0.03, .w = -0.25, .phase = 0.5 * acos(-1.0)};
}

void car_at(const car_path *path, double t, double *x, double *y) {
  double r = path->r * exp(path->a * t), angle = path->w * t + path->phase;
  *x = path->c + r * cos(angle);
  *y = r * sin(angle);
}

double cars_guard(const car_path paths[CARS], double t) {
  double x1, y1, x2, y2;
  car_at(&paths[0], t, &x1, &y1);
  car_at(&paths[1], t, &x2, &y2);
  return CARS_RADIUS - hypot(x1 - x2, y1 - y2);
}

/* Eq. 18, with v and omega so that the car stays on its spiral. */
static int drive(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  const double *p = env->p;
  double v = hypot(p[1], p[2]) * hypot(x[0] - p[0], x[1]);
  dx[0] = v * cos(x[2]);
  dx[1] = v * sin(x[2]);
  dx[2] = p[2];
  return 0;
}

static brink_status make_car(const car_path *path, brink_diag *diag, brink_model **model) {
  double x0[CAR_STATES] = {0.0, 0.0, path->phase + atan2(path->w, path->a)};
  double p0[] = {path->c, path->a, path->w};
  car_at(path, 0.0, &x0[0], &x0[1]);
  brink_model_def def = brink_default_model();
  def.name = "car";
  def.nx = CAR_STATES;
  def.np = 3;
  def.x0 = x0;
  def.p0 = p0;
  def.rhs = drive;
  return brink_model_create(&def, NULL, diag, model);
}

static brink_status make_cars(const car_path paths[CARS], brink_diag *diag,
                              brink_model *models[CARS]) {
  brink_status status = BRINK_OK;
  for (int i = 0; i < CARS; i++) models[i] = NULL;
  for (int i = 0; i < CARS && status == BRINK_OK; i++)
    status = make_car(&paths[i], diag, &models[i]);
  return status;
}

static void destroy_cars(brink_model *models[CARS]) {
  for (int i = 0; i < CARS; i++) brink_model_destroy(models[i]);
}

/* ---- the published algorithm ---- */

typedef struct observer {
  brink_published *published;
  cars_run *run;
} observer;

static void watch(const brink_published_record *r, void *user) {
  const observer *o = user;
  cars_run *run = o->run;
  run->lag = fmax(run->lag, -r->tau[0]);
  if (run->rows == NULL || run->nrows >= CAR_HISTORY) return;
  cars_row *row = &run->rows[run->nrows++];
  *row = (cars_row){.tau = r->tau[0], .g = r->g[0], .together = r->approach == 0};
  for (size_t i = 0; i < CARS; i++) {
    const double *x = brink_published_state(o->published, i);
    row->t[i] = r->t[i];
    row->h[i] = r->h[i];
    row->x[i] = x[0];
    row->y[i] = x[1];
  }
}

brink_status cars_by_published(const car_path paths[CARS], const brink_published_def *settings,
                               double h_max, double t_end, cars_run *run, brink_diag *diag) {
  static const brink_published_guard bumpers = {
      .agent = {0, 1}, .ndimensions = 2, .position = {{0, 1}, {0, 1}}, .radius = CARS_RADIUS};
  brink_model *models[CARS];
  brink_published_agent agents[CARS];
  observer o = {.run = run};
  brink_published_def def = *settings;
  brink_status status = make_cars(paths, diag, models);
  if (status == BRINK_OK) {
    for (int i = 0; i < CARS; i++) {
      agents[i] = brink_default_published_agent(models[i]);
      agents[i].h_max = h_max;
    }
    def.agents = agents;
    def.nagents = CARS;
    def.guards = &bumpers;
    def.nguards = 1;
    def.record = watch;
    def.user = &o;
    status = brink_published_create(&def, NULL, diag, &o.published);
  }
  if (status == BRINK_OK) {
    run->status = status = brink_published_run(o.published, t_end, diag);
    run->t = brink_published_last(o.published)->t;
    run->stats = brink_published_statistics(o.published);
  }
  brink_published_destroy(o.published);
  destroy_cars(models);
  return status < 0 ? status : BRINK_OK;
}

size_t cars_approach(const cars_run *run) {
  size_t k = run->nrows;
  while (k > 0 && run->rows[k - 1].together) k--;
  return k;
}

/* ---- the engine ---- */

/* The square of the distance, less that of the radius: the same zeros, and a polynomial. */
static int gap_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  double u = x[0] - x[CAR_STATES], v = x[1] - x[CAR_STATES + 1];
  *g = u * u + v * v - CARS_RADIUS * CARS_RADIUS;
  return 0;
}

static int gap_jet(size_t guard, int order, const double *t, const double *const *x,
                   const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  double u[BRINK_JET_MAX_ORDER + 1], v[BRINK_JET_MAX_ORDER + 1];
  brink_jet_sub(order, x[0], x[CAR_STATES], u);
  brink_jet_square(order, u, u);
  brink_jet_sub(order, x[1], x[CAR_STATES + 1], v);
  brink_jet_square(order, v, v);
  brink_jet_add(order, u, v, g);
  brink_jet_add_constant(order, g, -CARS_RADIUS * CARS_RADIUS, g);
  return 0;
}

static int on_gap(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)now, (void)user;
  return BRINK_STOPPED;
}

static brink_status make_pair(brink_diag *diag, brink_model **model) {
  static const size_t depends[] = {0, 1, CAR_STATES, CAR_STATES + 1};
  static const double x0[2 * CAR_STATES] = {0.0}, p0[6] = {0.0};
  brink_guard_def guard = brink_default_guard("gap");
  guard.side = BRINK_UNILATERAL;
  guard.direction = BRINK_NEGATIVE;
  guard.depends = depends;
  guard.ndepends = 4;
  guard.value = gap_value;
  guard.jet = gap_jet;
  guard.degree = 2;
  guard.action = on_gap;
  brink_model_def def = brink_default_model();
  def.name = "pair";
  def.nx = CARS * CAR_STATES;
  def.np = 6;
  def.x0 = x0;
  def.p0 = p0;
  def.rhs = drive; /* not asked */
  def.nguards = 1;
  def.guards = &guard;
  return brink_model_create(&def, NULL, diag, model);
}

static int on_meeting(const brink_agent_event *event, void *user) {
  cars_run *run = user;
  run->t = event->record->event.t;
  return 0;
}

static brink_status run_engine(const brink_agents_def *def, double t_end, cars_run *run,
                               brink_diag *diag) {
  brink_agents *agents = NULL;
  brink_status status = brink_agents_create(def, NULL, diag, &agents);
  if (status == BRINK_OK) {
    brink_agents_sink sink = {.event = on_meeting, .user = run};
    brink_agents_set_sink(agents, &sink);
    status = brink_agents_run(agents, t_end, 0, diag);
    run->status = status == BRINK_STOPPED ? BRINK_EVENT : status;
    run->stats = brink_agents_statistics(agents)->sum;
  }
  brink_agents_destroy(agents);
  return status < 0 ? status : BRINK_OK;
}

brink_status cars_by_engine(const car_path paths[CARS], double rtol, double t_end, cars_run *run,
                            brink_diag *diag) {
  static const uint32_t first[] = {0, 1, 2}, second[] = {3, 4, 5};
  static const size_t guard = 0;
  brink_model *models[CARS], *two = NULL;
  run->t = (double)NAN;
  brink_status status = make_cars(paths, diag, models);
  if (status == BRINK_OK) status = make_pair(diag, &two);
  if (status == BRINK_OK) {
    brink_population_def populations[CARS] = {{.name = "fast", .model = models[0], .count = 1},
                                              {.name = "slow", .model = models[1], .count = 1}};
    brink_pair_def pair = {.name = "gap",
                           .population = {0, 1},
                           .model = two,
                           .x = {first, second},
                           .p = {first, second},
                           .guards = &guard,
                           .nguards = 1,
                           .ndimensions = 2,
                           .position = {{0, 1}, {0, 1}},
                           .size = {UINT32_MAX, UINT32_MAX},
                           .size_value = {0.5 * CARS_RADIUS, 0.5 * CARS_RADIUS}};
    brink_agents_def def = {.populations = populations,
                            .npopulations = CARS,
                            .pairs = &pair,
                            .npairs = 1,
                            .options = brink_default_options()};
    def.options.method = BRINK_ADAMS;
    def.options.rtol = def.options.atol = rtol;
    status = run_engine(&def, t_end, run, diag);
  }
  brink_model_destroy(two);
  destroy_cars(models);
  return status;
}
