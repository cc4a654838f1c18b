/* bouncing_ball.c: driving a simulation yourself, and getting past infinitely many events.
 *
 * A ball falls from 1 m and keeps 0.8 of its speed at every bounce. All bounces are over at
 * t = 9 sqrt(2/9.81) = 4.0637…: infinitely many in finite time, which is called Zeno behaviour.
 *
 *   1. step by step, reading the dense output at times of our own choosing
 *   2. from event to event, until Brink recognises the accumulation and stops
 *   3. the same with an action for the limit: the ball comes to rest and the run goes on
 *
 * Exact: t_1 = sqrt(2/g), t_n = t_1 (1 + 2 (e + … + e^(n-1))), t_inf = t_1 (1 + e)/(1 - e). */
#include <brink/brink.h>
#include <math.h>
#include <stdio.h>

#define GRAVITY 9.81
#define RESTITUTION 0.8

enum { FLYING, RESTING }; /* the values of mode 0 */

static int failures;

static void check(bool holds, const char *claim) {
  if (holds) return;
  fprintf(stderr, "bouncing_ball: this does not hold: %s\n", claim);
  failures++;
}

/* ---- the model: x = (height, velocity) ---- */

static int ball(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  bool flying = env->mode[0] == FLYING;
  dx[0] = flying ? x[1] : 0.0;
  dx[1] = flying ? -GRAVITY : 0.0;
  return 0;
}

/* An action changes what `now` points at. */
static int bounce(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] = -RESTITUTION * now->x[1];
  return 0;
}

/* The floor is watched only while the ball flies. */
static bool watched(size_t guard, const brink_env *env) {
  (void)guard;
  return env->mode[0] == FLYING;
}

/* What lies beyond infinitely many bounces. `now` holds the limit's time and the last state. */
static int come_to_rest(const size_t *guards, size_t count, brink_now *now, void *user) {
  (void)guards, (void)count, (void)user;
  now->x[0] = 0.0;
  now->x[1] = 0.0;
  now->mode[0] = RESTING;
  return 0;
}

static brink_status make_model(brink_model **model, brink_diag *diag) {
  static const double start[] = {1.0, 0.0}, height[] = {1.0};
  static const size_t only_height[] = {0};
  static const int flying[] = {FLYING};
  brink_guard_def floor = brink_default_guard("floor"); /* g = height */
  floor.side = BRINK_UNILATERAL;                        /* the ball is never below it */
  floor.direction = BRINK_NEGATIVE;                     /* falling to zero is the event */
  floor.depends = only_height;
  floor.ndepends = 1;
  floor.coefficients = height;
  floor.action = bounce;
  brink_model_def def = brink_default_model();
  def.name = "bouncing ball";
  def.nx = 2;
  def.x0 = start;
  def.nmodes = 1;
  def.mode0 = flying;
  def.rhs = ball;
  def.nguards = 1;
  def.guards = &floor; /* the definition is copied: locals are fine */
  def.enabled = watched;
  def.zeno = come_to_rest;
  return brink_model_create(&def, NULL, diag, model);
}

/* ---- 1. step by step ---- */

static void step_by_step(brink_sim *sim, brink_diag *diag) {
  double first = sqrt(2.0 / GRAVITY), next = 0.1, worst = 0.0;
  brink_status status;
  printf("1. Step by step to t = 1, heights at tenths by dense output:\n  ");
  do {
    status = brink_sim_advance(sim, 1.0, diag); /* one step, or an event, never past t = 1 */
    for (; next <= brink_sim_time(sim) && next < 1.05; next += 0.1) {
      double x[2];
      if (brink_sim_at(sim, next, x, diag) != BRINK_OK) break; /* only inside the last step */
      double s = next - first, speed = RESTITUTION * GRAVITY * first;
      double exact = s < 0.0 ? 1.0 - 0.5 * GRAVITY * next * next : s * (speed - 0.5 * GRAVITY * s);
      worst = fmax(worst, fabs(x[0] - exact));
      printf(" %.4f", x[0]);
    }
  } while (status == BRINK_STEPPED || status == BRINK_EVENT);
  printf("\n   largest error %.1e after %lld steps\n\n", worst,
         (long long)brink_sim_stats(sim)->steps);
  check(status == BRINK_TIME_REACHED && worst < 1e-8, "heights are right at every tenth");
}

/* ---- 2. from event to event ---- */

static void event_by_event(brink_sim *sim, brink_diag *diag) {
  double exact = sqrt(2.0 / GRAVITY), flight = 2.0 * exact, limit = 9.0 * exact, worst = 0.0;
  int n = 0;
  brink_status status;
  printf(
      "2. From event to event:\n     n          found at t               exact     speed after\n");
  while ((status = brink_sim_next_event(sim, 10.0, diag)) == BRINK_EVENT) {
    size_t count;
    const brink_event *events = brink_sim_events(sim, &count); /* all of this instant */
    worst = fmax(worst, fabs(events[0].t - exact));
    if (++n <= 5 || n % 10 == 0)
      printf("   %3d %19.14f %19.14f %15.6e\n", n, events[0].t, exact, brink_sim_state(sim)[1]);
    flight *= RESTITUTION;
    exact += flight;
  }
  printf("   after %d bounces: %s\n   \"%s\"\n", n, brink_status_text(status), diag->message);
  printf("   accumulation found at %.12f, exact %.12f\n\n", diag->t, limit);
  check(n > 30 && worst < 1e-8, "every bounce is where it belongs");
  check(status == BRINK_ERR_ZENO && fabs(diag->t - limit) < 1e-8, "the accumulation is recognised");
}

/* ---- 3. past the limit ---- */

static void past_the_limit(brink_sim *sim, brink_diag *diag) {
  brink_status status = brink_sim_run(sim, 10.0, diag);
  printf("3. With an action for the limit: %s at t = %g, %s, height %g, velocity %g,\n"
         "   after %lld bounces and %lld steps.\n",
         brink_status_text(status), brink_sim_time(sim),
         brink_sim_modes(sim)[0] == RESTING ? "resting" : "flying", brink_sim_state(sim)[0],
         brink_sim_state(sim)[1], (long long)brink_sim_stats(sim)->events,
         (long long)brink_sim_stats(sim)->steps);
  check(status == BRINK_TIME_REACHED && brink_sim_modes(sim)[0] == RESTING, "the ball rests");
  check(brink_sim_state(sim)[0] == 0.0, "on the floor");
}

int main(void) {
  static void (*const parts[])(brink_sim *, brink_diag *) = {step_by_step, event_by_event,
                                                             past_the_limit};
  brink_model *model = NULL;
  brink_diag diag;
  if (make_model(&model, &diag) != BRINK_OK) {
    fprintf(stderr, "bouncing_ball: %s\n", diag.message);
    return 1;
  }
  for (int k = 0; k < 3; k++) { /* one model, three simulations of it */
    brink_options options = brink_default_options();
    if (k == 2) options.zeno = BRINK_ZENO_CONTINUE;
    brink_sim *sim = NULL;
    check(brink_sim_create(model, &options, NULL, &diag, &sim) == BRINK_OK, "a simulation is made");
    if (sim != NULL) parts[k](sim, &diag);
    brink_sim_destroy(sim);
  }
  brink_model_destroy(model);
  return failures > 0;
}
