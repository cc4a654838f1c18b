/* tour.c: the pieces of the C API that docs/c-api.md walks through, one function each.
 *
 * The document quotes this file between the lines marked [name] and [end]. */
#include <brink/brink.h>
#include <brink/jet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(bool holds, const char *claim) {
  if (holds) return;
  fprintf(stderr, "tour: this does not hold: %s\n", claim);
  failures++;
}

/* ---- a planet: x = (x, y, vx, vy), a circle of radius 1 with period 2 pi ---- */

/* [rhs] */
static int orbit(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  double r2 = x[0] * x[0] + x[1] * x[1];
  if (r2 == 0.0) return 1; /* refuse: no field here. Negative would end the run */
  double r3 = r2 * sqrt(r2);
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = -x[0] / r3;
  dx[3] = -x[1] / r3;
  return 0;
}
/* [end] */

/* [smooth] */
/* A smooth guard that is no polynomial: the distance to a beacon at (2, 0), less 2.5. */
static int beacon(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = hypot(x[0] - 2.0, x[1]) - 2.5;
  return 0;
}

static int beacon_jet(size_t guard, int order, const double *t, const double *const *x,
                      const brink_env *env, double *g) {
  double along[BRINK_JET_MAX_ORDER + 1];
  (void)guard, (void)t, (void)env;
  brink_jet_add_constant(order, x[0], -2.0, along);
  brink_jet_hypot(order, along, x[1], g);
  brink_jet_add_constant(order, g, -2.5, g);
  return 0;
}
/* [end] */

/* [sink] */
typedef struct log {
  int steps, events;
  double crossing[8];
} event_log;

static int note_step(const brink_step_record *record, void *user) {
  (void)record; /* t0, t1, order, states at t1 */
  ((event_log *)user)->steps++;
  return 0; /* anything else stops the run */
}

static int note_event(const brink_event_record *record, void *user) {
  event_log *log = user;
  if (log->events < 8) log->crossing[log->events++] = record->event.t;
  return 0;
}
/* [end] */

/* [guards] */
static brink_status make_planet(brink_model **model, brink_diag *diag) {
  static const double start[] = {1.0, 0.0, 0.0, 1.0}, one[] = {1.0};
  static const size_t height[] = {1}, place[] = {0, 1};
  enum { AXIS, BEACON, FAR_BELOW, GUARDS };
  static const int formula[] = {AXIS, BRINK_NOT, BEACON, BRINK_AND}; /* y < 0 and far away */
  brink_guard_def guards[GUARDS];

  guards[AXIS] = brink_default_guard("axis"); /* linear, by numbers: g = y */
  guards[AXIS].depends = height;
  guards[AXIS].ndepends = 1;
  guards[AXIS].coefficients = one;
  guards[AXIS].direction = BRINK_NEGATIVE; /* only when y falls through zero */

  guards[BEACON] = brink_default_guard("beacon"); /* by callbacks; no event of its own */
  guards[BEACON].side = BRINK_LEAF;
  guards[BEACON].depends = place;
  guards[BEACON].ndepends = 2;
  guards[BEACON].value = beacon;
  guards[BEACON].jet = beacon_jet;

  guards[FAR_BELOW] = brink_default_guard("far and below"); /* a formula over the others */
  guards[FAR_BELOW].formula = formula;
  guards[FAR_BELOW].formula_length = sizeof formula / sizeof formula[0];
  guards[FAR_BELOW].direction = BRINK_NEGATIVE; /* when it ceases to be true */

  brink_model_def def = brink_default_model();
  def.name = "planet";
  def.nx = 4;
  def.x0 = start;
  def.rhs = orbit;
  def.nguards = GUARDS;
  def.guards = guards;
  return brink_model_create(&def, NULL, diag, model);
}
/* [end] */

static void planet(void) {
  const double pi = 3.14159265358979323846;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  event_log log = {0};
  check(make_planet(&model, &diag) == BRINK_OK, diag.message);
  if (model == NULL) return;
  /* [run] */
  brink_options options = brink_default_options();
  options.rtol = 1e-9;
  options.atol = 1e-12;
  brink_status status = brink_sim_create(model, &options, NULL, &diag, &sim);
  if (status == BRINK_OK) {
    brink_sink sink = {.step = note_step, .event = note_event, .user = &log};
    brink_sim_set_sink(sim, &sink);
    status = brink_sim_run(sim, 6.0, &diag); /* TIME_REACHED, STOPPED, or negative */
  }
  /* [end] */
  /* y = sin t falls through 0 at pi; |z - 2| = 2.5 on the circle where cos t = (1 + 4 - 6.25)/4 */
  double exact = 2.0 * pi - acos(-0.3125);
  printf("planet: %s after %d steps\n", brink_status_text(status), log.steps);
  for (int k = 0; k < log.events; k++) printf("   event at t = %.12f\n", log.crossing[k]);
  check(status == BRINK_TIME_REACHED && log.events == 2, "two events before t = 6");
  check(fabs(log.crossing[0] - pi) < 1e-7, "the axis at pi");
  check(fabs(log.crossing[1] - exact) < 1e-7, "the beacon, below the axis");
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* ---- a lamp with a timer: on for 1 + x seconds, where x grows while it is on ---- */

/* [timer] */
static int glow(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = env->mode[0] == 1 ? 1.0 : -0.5;
  return 0;
}

static int toggle(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)tick, (void)user;
  now->mode[0] = 1 - now->mode[0];
  now->timer[clock] = now->t + 1.0 + now->x[0]; /* the next time; INFINITY would switch it off */
  return 0;
}

static const brink_clock_def timer = {
    .size = sizeof(brink_clock_def), .name = "lamp", .period = 0.0, .offset = 0.5, .tick = toggle};
/* [end] */

/* [memory] */
/* An allocator that counts what is in use. */
static void *take(size_t size, void *user) {
  *(size_t *)user += size;
  return malloc(size);
}
static void give_back(void *memory, size_t size, void *user) {
  *(size_t *)user -= size;
  free(memory);
}
/* [end] */

static void lamp(void) {
  static const double dark[] = {0.25};
  size_t in_use = 0;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  brink_model_def def = brink_default_model();
  def.nx = 1;
  def.x0 = dark;
  def.nmodes = 1;
  def.rhs = glow;
  def.nclocks = 1;
  def.clocks = &timer;
  /* [allocator] */
  brink_allocator allocator = {.allocate = take, .release = give_back, .user = &in_use};
  brink_status status = brink_model_create(&def, &allocator, &diag, &model);
  if (status == BRINK_OK) status = brink_sim_create(model, NULL, &allocator, &diag, &sim);
  size_t before = in_use;
  if (status == BRINK_OK) status = brink_sim_run(sim, 2.0, &diag);
  check(in_use == before, "running takes no memory");
  /* [end] */
  /* 0.25 - 0.25 = 0 at t = 0.5; on for 1 s: 1 at t = 1.5; then off: 0.75 at t = 2 */
  if (sim != NULL) printf("lamp: %.12f at t = %g\n", brink_sim_state(sim)[0], brink_sim_time(sim));
  check(status == BRINK_TIME_REACHED && fabs(brink_sim_state(sim)[0] - 0.75) < 1e-9, "the lamp");
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  check(in_use == 0, "everything was given back");
}

/* [errors] */
/* What a mistake looks like: a unilateral guard that cannot be extrapolated. */
static void mistake(void) {
  static const double start[] = {1.0, 0.0, 0.0, 1.0};
  brink_guard_def guard = brink_default_guard("edge");
  guard.side = BRINK_UNILATERAL;
  guard.value = beacon; /* neither gradient nor jet */
  brink_model_def def = brink_default_model();
  def.nx = 4;
  def.x0 = start;
  def.rhs = orbit;
  def.nguards = 1;
  def.guards = &guard;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  brink_status status = brink_model_create(&def, NULL, &diag, &model);
  if (status == BRINK_OK) status = brink_sim_create(model, NULL, NULL, &diag, &sim);
  printf("mistake: %s\n   %s\n", brink_status_text(status), diag.message);
  check(status == BRINK_ERR_ARGUMENT && diag.guard == 0 && sim == NULL, "it is refused");
  brink_model_destroy(model); /* NULL would be fine, too */
}
/* [end] */

int main(void) {
  planet();
  lamp();
  mistake();
  return failures > 0;
}
