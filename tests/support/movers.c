#include "support/movers.h"

#include <brink/jet.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agents/agents.h"

/* ---- one agent ---- */

static int mover_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[MOVER_X] = x[MOVER_VX];
  dx[MOVER_Y] = x[MOVER_VY];
  dx[MOVER_VX] = -x[MOVER_W] * x[MOVER_VY];
  dx[MOVER_VY] = x[MOVER_W] * x[MOVER_VX];
  dx[MOVER_W] = 0.0;
  return 0;
}

static void wake_up(const mover *m, double *x) {
  x[MOVER_VX] = m->awake[0];
  x[MOVER_VY] = m->awake[1];
}

static int on_alarm(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick;
  const mover *m = user;
  wake_up(m, now->x);
  return 0;
}

static brink_model *make(const brink_model_def *def) {
  brink_model *model = NULL;
  brink_diag diag;
  if (brink_model_create(def, NULL, &diag, &model) != BRINK_OK) printf("%s\n", diag.message);
  return model;
}

/* With or without its own clock: the published algorithm has another way to be told. */
static brink_model *mover_model(mover *m, bool with_clock) {
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "alarm", .offset = m->wake, .tick = on_alarm};
  brink_model_def def = brink_default_model();
  def.name = "mover";
  def.nx = MOVER_STATES;
  def.x0 = m->x;
  def.rhs = mover_rhs;
  def.user = m;
  if (with_clock && m->wake > 0.0) {
    def.nclocks = 1;
    def.clocks = &clock;
  }
  return make(&def);
}

void mover_at(const mover *m, double t, double *x, double *y) {
  double half = 0.5 * m->x[MOVER_W] * t;
  /* int_0^t exp(i w s) ds = t exp(i w t/2) sin(w t/2)/(w t/2) */
  double along = half == 0.0 ? t : t * sin(half) / half;
  double c = along * cos(half), s = along * sin(half);
  *x = m->x[MOVER_X] + c * m->x[MOVER_VX] - s * m->x[MOVER_VY];
  *y = m->x[MOVER_Y] + s * m->x[MOVER_VX] + c * m->x[MOVER_VY];
}

static double gap_at(const mover *a, const mover *b, double radius, double t) {
  double xa, ya, xb, yb;
  mover_at(a, t, &xa, &ya);
  mover_at(b, t, &xb, &yb);
  return hypot(xa - xb, ya - yb) - radius;
}

double movers_meet(const mover *a, const mover *b, double radius, double t_end) {
  double speed = hypot(a->x[MOVER_VX], a->x[MOVER_VY]) + hypot(b->x[MOVER_VX], b->x[MOVER_VY]);
  double t = 0.0;
  for (int k = 0; k < 100000; k++) {
    double gap = gap_at(a, b, radius, t);
    if (gap <= 1e-13) return t;
    t += gap / speed;
    if (t >= t_end) return INFINITY;
  }
  return (double)NAN;
}

/* ---- two of them ---- */

static int gap_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t;
  double u = x[MOVER_X] - x[MOVER_STATES + MOVER_X], v = x[MOVER_Y] - x[MOVER_STATES + MOVER_Y];
  *g = u * u + v * v - env->p[0] * env->p[0];
  return 0;
}

static int gap_jet(size_t guard, int order, const double *t, const double *const *x,
                   const brink_env *env, double *g) {
  (void)guard, (void)t;
  double u[BRINK_JET_MAX_ORDER + 1], v[BRINK_JET_MAX_ORDER + 1];
  brink_jet_sub(order, x[MOVER_X], x[MOVER_STATES + MOVER_X], u);
  brink_jet_square(order, u, u);
  brink_jet_sub(order, x[MOVER_Y], x[MOVER_STATES + MOVER_Y], v);
  brink_jet_square(order, v, v);
  brink_jet_add(order, u, v, g);
  brink_jet_add_constant(order, g, -env->p[0] * env->p[0], g);
  return 0;
}

/* Equal masses, elastic: what the velocities have in the direction of the contact is exchanged. */
static void bounce(double *x1, double *x2) {
  double nx = x2[MOVER_X] - x1[MOVER_X], ny = x2[MOVER_Y] - x1[MOVER_Y], square = nx * nx + ny * ny;
  double v = (x2[MOVER_VX] - x1[MOVER_VX]) * nx + (x2[MOVER_VY] - x1[MOVER_VY]) * ny;
  double dx = v * nx / square, dy = v * ny / square;
  x1[MOVER_VX] += dx;
  x1[MOVER_VY] += dy;
  x2[MOVER_VX] -= dx;
  x2[MOVER_VY] -= dy;
}

static int on_gap(const brink_event *event, brink_now *now, void *user) {
  (void)event;
  const bool *stop = user;
  if (*stop) return BRINK_STOPPED;
  bounce(now->x, now->x + MOVER_STATES);
  return 0;
}

static brink_model *pair_model(const double *radius, bool *stop) {
  static const size_t depends[] = {MOVER_X, MOVER_Y, MOVER_STATES + MOVER_X,
                                   MOVER_STATES + MOVER_Y};
  static const double x0[2 * MOVER_STATES] = {0.0};
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
  def.nx = 2 * MOVER_STATES;
  def.np = 1;
  def.x0 = x0;
  def.p0 = radius;
  def.rhs = mover_rhs; /* not asked */
  def.nguards = 1;
  def.guards = &guard;
  def.user = stop;
  return make(&def);
}

static void note(meetings *found, double t, size_t a, size_t b) {
  if (found->count < MEETINGS) {
    found->t[found->count] = t;
    found->partner[found->count][0] = a;
    found->partner[found->count][1] = b;
  }
  found->count++;
}

/* ---- by the engine ---- */

typedef struct scene {
  brink_model *one[MOVERS], *two;
  brink_population_def populations[MOVERS];
  brink_pair_def pairs[MOVERS * MOVERS];
  brink_agents_def def;
  meetings found;
} scene;

static int on_event(const brink_agent_event *event, void *user) {
  scene *s = user;
  if (event->pair == BRINK_NONE) return 0; /* an alarm */
  const brink_pair_def *pair = &s->pairs[event->pair];
  note(&s->found, event->record->event.t, pair->population[0], pair->population[1]);
  return 0;
}

static void add_pair(scene *s, size_t a, size_t b, double radius) {
  static const uint32_t first[] = {0, 1, 2, 3, 4}, second[] = {5, 6, 7, 8, 9};
  static const size_t guard = 0;
  s->pairs[s->def.npairs++] = (brink_pair_def){.name = "gap",
                                               .population = {a, b},
                                               .model = s->two,
                                               .x = {first, second},
                                               .guards = &guard,
                                               .nguards = 1,
                                               .ndimensions = 2,
                                               .position = {{MOVER_X, MOVER_Y}, {MOVER_X, MOVER_Y}},
                                               .size = {UINT32_MAX, UINT32_MAX},
                                               .size_value = {0.5 * radius, 0.5 * radius}};
}

static bool build(scene *s, mover *movers, size_t count, const double *radius, bool *stop) {
  s->two = pair_model(radius, stop);
  s->def = (brink_agents_def){.populations = s->populations,
                              .npopulations = count,
                              .pairs = s->pairs,
                              .options = brink_default_options()};
  s->def.options.method = BRINK_ADAMS;
  s->def.options.rtol = s->def.options.atol = 1e-9;
  for (size_t i = 0; i < count; i++) {
    s->one[i] = mover_model(&movers[i], true);
    s->populations[i] = (brink_population_def){.name = "m", .model = s->one[i], .count = 1};
    if (s->two == NULL || s->one[i] == NULL) return false;
    for (size_t j = i + 1; j < count; j++) add_pair(s, i, j, *radius);
  }
  return true;
}

meetings movers_by_engine(const mover *movers, size_t count, double radius, bool stop,
                          double t_end) {
  scene s = {.found = {.status = BRINK_ERR_MEMORY}};
  brink_agents *agents = NULL;
  brink_diag diag = {.message = ""};
  mover copies[MOVERS];
  if (count <= MOVERS) memcpy(copies, movers, count * sizeof *movers);
  if (count <= MOVERS && build(&s, copies, count, &radius, &stop))
    s.found.status = brink_agents_create(&s.def, NULL, &diag, &agents);
  if (s.found.status == BRINK_OK) {
    brink_agents_sink sink = {.event = on_event, .user = &s};
    brink_agents_set_sink(agents, &sink);
    s.found.status = brink_agents_run(agents, t_end, 0, &diag);
  }
  if (s.found.status < 0) printf("engine: %s\n", diag.message);
  brink_agents_destroy(agents);
  brink_model_destroy(s.two);
  for (size_t i = 0; i < count && i < MOVERS; i++) brink_model_destroy(s.one[i]);
  return s.found;
}

/* ---- by the published algorithm ---- */

static void meet(brink_published *published, const size_t *agent) {
  double x[2][MOVER_STATES];
  for (int side = 0; side < 2; side++)
    memcpy(x[side], brink_published_state(published, agent[side]), sizeof x[side]);
  bounce(x[0], x[1]);
  for (int side = 0; side < 2; side++)
    brink_published_change(published, agent[side], x[side], INFINITY);
}

/* Alarms and meetings, until the end. */
static void follow(brink_published *published, const brink_published_guard *guards,
                   const mover *movers, bool stop, double t_end, meetings *found) {
  const brink_published_outcome *last = brink_published_last(published);
  for (;;) {
    brink_diag diag;
    found->status = brink_published_run(published, t_end, &diag);
    if (found->status < 0) printf("published: %s\n", diag.message);
    if (found->status == BRINK_STEPPED) {
      double x[MOVER_STATES];
      memcpy(x, brink_published_state(published, last->agent), sizeof x);
      wake_up(&movers[last->agent], x);
      brink_published_change(published, last->agent, x, INFINITY);
      continue;
    }
    if (found->status != BRINK_EVENT) return;
    const size_t *agent = guards[last->guard].agent;
    note(found, last->t, agent[0], agent[1]);
    if (stop || found->count >= MEETINGS) return;
    meet(published, agent);
  }
}

meetings movers_by_published(const mover *movers, size_t count, double radius,
                             const brink_published_def *settings, bool stop, double t_end) {
  meetings found = {.status = BRINK_ERR_MEMORY};
  mover any = {.x = {0.0}};
  brink_model *model = mover_model(&any, false);
  if (model == NULL || count > MOVERS) return found;
  brink_published_agent agents[MOVERS];
  brink_published_guard guards[MOVERS * MOVERS];
  brink_published_def def = *settings;
  def.agents = agents;
  def.nagents = count;
  def.guards = guards;
  def.nguards = 0;
  for (size_t i = 0; i < count; i++) {
    const mover *m = &movers[i];
    agents[i] = brink_default_published_agent(model);
    agents[i].x0 = m->x;
    agents[i].t0 = m->t0;
    if (m->h_max > 0.0) agents[i].h_max = agents[i].step = m->h_max;
    if (m->wake > 0.0) agents[i].alarm = m->wake;
    for (size_t j = i + 1; j < count; j++)
      guards[def.nguards++] =
          (brink_published_guard){.agent = {i, j},
                                  .ndimensions = 2,
                                  .position = {{MOVER_X, MOVER_Y}, {MOVER_X, MOVER_Y}},
                                  .radius = radius};
  }
  brink_diag diag;
  brink_published *published = NULL;
  found.status = brink_published_create(&def, NULL, &diag, &published);
  if (found.status != BRINK_OK) printf("published: %s\n", diag.message);
  if (found.status == BRINK_OK) follow(published, guards, movers, stop, t_end, &found);
  brink_published_destroy(published);
  brink_model_destroy(model);
  return found;
}
