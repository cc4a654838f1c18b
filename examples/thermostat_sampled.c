/* thermostat_sampled.c: a sampled controller, a relay that slides, and changes between calls.
 *
 * A room at T degrees loses heat to the outside and is heated at a rate u:
 *
 *     T' = (outside - T)/5 + u,        time in hours, u in degrees an hour, 0 <= u <= 8.
 *
 * First a digital controller measures T every 0.1 h and holds u = 2 (20 - T) in between. Then, by a
 * change of mode from outside, an ideal relay takes over: full heat below 20 degrees, none above.
 * On the surface both sides push the temperature back, so the room slides along T = 20 exactly,
 * with Filippov's mixture of the two. At last a parameter changes: it gets so cold outside that
 * even full heat cannot hold the room, and the temperature lets go of the surface.
 *
 * Results are read on a grid with brink_sim_sample and compared with closed forms. */
#include <brink/brink.h>
#include <math.h>
#include <stdio.h>

enum { OUTSIDE, HEAT, PARAMETERS };
enum { SAMPLED, RELAY }; /* the values of mode 0 */

#define SETPOINT 20.0
#define FULL_HEAT 8.0

static int failures;

static void check(bool holds, const char *claim) {
  if (holds) return;
  fprintf(stderr, "thermostat_sampled: this does not hold: %s\n", claim);
  failures++;
}

/* The signs of the guards are locked during a step: a relay reads its sign, not the temperature, so
 * the right-hand side is smooth inside every step. */
static int room(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  double heat = env->p[HEAT];
  if (env->mode[0] == RELAY) heat = env->sgn[0] < 0 ? FULL_HEAT : 0.0;
  dx[0] = (env->p[OUTSIDE] - x[0]) / 5.0 + heat;
  return 0;
}

static double control(double temperature) {
  return fmin(fmax(2.0 * (SETPOINT - temperature), 0.0), FULL_HEAT);
}

/* The digital controller: at 0, 0.1, 0.2, … exactly, without drift. */
static int measure(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->p[HEAT] = control(now->x[0]);
  return 0;
}

static bool watched(size_t guard, const brink_env *env) {
  (void)guard;
  return env->mode[0] == RELAY;
}

static brink_status make_model(brink_model **model, brink_diag *diag) {
  static const double start[] = {15.0}, parameters[PARAMETERS] = {[OUTSIDE] = 5.0};
  static const double factor[] = {1.0};
  static const int mode[] = {SAMPLED};
  static const char *const names[] = {"T"};
  brink_guard_def relay = brink_default_guard("relay"); /* g = T - 20 */
  relay.coefficients = factor;
  relay.offset = -SETPOINT;
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "controller", .period = 0.1, .tick = measure};
  brink_model_def def = brink_default_model();
  def.name = "thermostat";
  def.nx = 1;
  def.x0 = start;
  def.state_names = names;
  def.np = PARAMETERS;
  def.p0 = parameters;
  def.nmodes = 1;
  def.mode0 = mode;
  def.rhs = room;
  def.nguards = 1;
  def.guards = &relay;
  def.enabled = watched;
  def.nclocks = 1;
  def.clocks = &clock;
  return brink_model_create(&def, NULL, diag, model);
}

/* The room after `time` hours at constant heat. */
static double warmed(double from, double outside, double heat, double time) {
  double rest = outside + 5.0 * heat;
  return rest + (from - rest) * exp(-time / 5.0);
}

enum { PHASES = 3, PER_PHASE = 20 }; /* five hours each, a value every quarter of an hour */

static void exact_answers(double exact[PHASES][PER_PHASE]) {
  /* The sampled loop is a recurrence: `held` is T at the last measurement, tick n. */
  double held = 15.0;
  for (int k = 0, n = 0; k < PER_PHASE; k++) {
    double t = 0.25 * (k + 1);
    for (; 0.1 * (n + 1) < t + 1e-9; n++) held = warmed(held, 5.0, control(held), 0.1);
    exact[0][k] = warmed(held, 5.0, control(held), t - 0.1 * n);
  }
  /* The relay heats fully to the setpoint, and holds it there. At -25 outside full heat is only
   * good for 15 degrees. */
  for (int k = 0; k < PER_PHASE; k++) {
    double since = 0.25 * (k + 1);
    exact[1][k] = fmin(SETPOINT, warmed(exact[0][PER_PHASE - 1], 5.0, FULL_HEAT, since));
    exact[2][k] = warmed(SETPOINT, -25.0, FULL_HEAT, since);
  }
}

/* Five hours on the grid, printed hour by hour. */
static brink_status run_phase(brink_sim *sim, const char *title, const double *exact,
                              brink_diag *diag) {
  double start = brink_sim_time(sim), times[PER_PHASE], values[PER_PHASE], worst = 0.0;
  for (int k = 0; k < PER_PHASE; k++) times[k] = start + 0.25 * (k + 1);
  brink_status status = brink_sim_sample(sim, times, PER_PHASE, values, NULL, diag);
  if (status != BRINK_TIME_REACHED) return status;
  printf("%s\n", title);
  for (int k = 0; k < PER_PHASE; k++) {
    worst = fmax(worst, fabs(values[k] - exact[k]));
    if (k % 4 == 3) printf("   t = %4.1f h   T = %9.6f\n", times[k], values[k]);
  }
  printf("   largest error on the grid: %.1e\n\n", worst);
  check(worst < 1e-6, title);
  return BRINK_OK;
}

static brink_status simulate(brink_sim *sim, brink_diag *diag) {
  double exact[PHASES][PER_PHASE];
  exact_answers(exact);
  brink_status status = run_phase(sim, "Measured every 0.1 h, u held in between:", exact[0], diag);
  if (status == BRINK_OK) status = brink_sim_set_mode(sim, 0, RELAY, diag);
  if (status == BRINK_OK)
    status = run_phase(sim, "An ideal relay, sliding on T = 20:", exact[1], diag);
  check(brink_sim_signs(sim)[0] == 0, "the room is on the surface");
  if (status == BRINK_OK) status = brink_sim_set_parameter(sim, OUTSIDE, -25.0, diag);
  if (status == BRINK_OK)
    status = run_phase(sim, "Minus 25 outside, full heat is not enough:", exact[2], diag);
  check(brink_sim_signs(sim)[0] == -1, "the room has left the surface downwards");
  return status;
}

int main(void) {
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  brink_options options = brink_default_options();
  options.rtol = 1e-8;
  brink_status status = make_model(&model, &diag);
  if (status == BRINK_OK) status = brink_sim_create(model, &options, NULL, &diag, &sim);
  if (status == BRINK_OK) status = simulate(sim, &diag);
  check(status == BRINK_OK, diag.message);
  if (sim != NULL) {
    const brink_stats *stats = brink_sim_stats(sim);
    printf("%lld steps, %lld evaluations, %lld events.\n", (long long)stats->steps,
           (long long)stats->rhs, (long long)stats->events);
  }
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return failures > 0;
}
