/* taylor.c: a model described by expressions, so that the library can differentiate it.
 *
 * A star moves in the field of a galaxy (Hénon & Heiles 1964): x'' = -x - 2xy, y'' = -y - x² + y². We
 * note where it passes the plane x = 0: a Poincaré section. There is no formula for the answer, but two
 * things must hold. The energy does not change. And the motion is reversible: turn the star around and
 * it flies back through the same places at the same intervals, to where it started. */
#include <brink/build.h>
#include <math.h>
#include <stdio.h>

#define END 100.0
enum { X, Y, VX, VY, STATES, MOST = 128 };
static const double start[STATES] = {0.3, 0.0, 0.0, 0.2};

/* What the action notes down. */
typedef struct section {
  int count;
  double t[MOST], y[MOST], vy[MOST];
} section;

static int note(const brink_event *event, brink_now *now, void *user) {
  section *s = user;
  if (s->count == MOST) return BRINK_STOPPED;
  s->t[s->count] = event->t;
  s->y[s->count] = now->x[Y];
  s->vy[s->count++] = now->x[VY];
  return 0;
}

static brink_status describe(section *s, brink_diag *diag, brink_built **built) {
  brink_builder *b = NULL;
  *built = NULL;
  brink_status status = brink_builder_create("galaxy", NULL, diag, &b);
  if (status != BRINK_OK) return status;

  brink_ex x = brink_builder_state(b, "x", start[X]), y = brink_builder_state(b, "y", start[Y]);
  brink_ex vx = brink_builder_state(b, "vx", start[VX]),
           vy = brink_builder_state(b, "vy", start[VY]);
  brink_ex x2 = brink_ex_square(x), y2 = brink_ex_square(y);
  brink_builder_derivative(b, x, vx);
  brink_builder_derivative(b, y, vy);
  brink_builder_derivative(b, vx,
                           brink_ex_neg(brink_ex_add(x, brink_ex_scale(brink_ex_mul(x, y), 2.0))));
  brink_builder_derivative(b, vy, brink_ex_sub(brink_ex_sub(y2, x2), y));

  brink_guard_def plane = brink_default_guard("plane"); /* its value is the expression x */
  plane.action = note;
  brink_builder_guard(b, &plane, x);
  brink_model_def rest = brink_default_model(); /* everything that is not an expression */
  rest.user = s;
  brink_builder_callbacks(b, &rest);

  status = brink_builder_finish(b, NULL, diag, built); /* reports errors of the calls above, too */
  brink_builder_destroy(b);
  return status;
}

static double energy(const double *s) {
  double kinetic = 0.5 * (s[VX] * s[VX] + s[VY] * s[VY]);
  return kinetic + 0.5 * (s[X] * s[X] + s[Y] * s[Y]) + s[X] * s[X] * s[Y] -
         s[Y] * s[Y] * s[Y] / 3.0;
}

/* There, and back with the velocity reversed. */
static brink_status fly(brink_sim *sim, double *drift, brink_diag *diag) {
  brink_status status = brink_sim_run(sim, END, diag);
  if (status != BRINK_TIME_REACHED) return status;
  const double *s = brink_sim_state(sim);
  *drift = energy(s) - energy(start);
  const double back[STATES] = {s[X], s[Y], -s[VX], -s[VY]};
  status = brink_sim_set_state(sim, back, diag);
  return status == BRINK_OK ? brink_sim_run(sim, 2.0 * END, diag) : status;
}

/* Passages on the way back are those on the way there, in reverse. */
static double asymmetry(const section *s) {
  double worst = 0.0;
  for (int k = 0; k < s->count; k++) {
    int other = s->count - 1 - k;
    worst = fmax(worst, fabs(s->t[k] + s->t[other] - 2.0 * END));
    worst = fmax(worst, fabs(s->y[k] - s->y[other]));
  }
  return worst;
}

int main(void) {
  section s = {0};
  brink_built *built = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  double drift = 1.0, home = 0.0;
  brink_status status = describe(&s, &diag, &built);
  if (status == BRINK_OK) {
    brink_options options = brink_default_options();
    options.method = BRINK_TAYLOR; /* uses the series of the expressions; BRINK_ADAMS would not */
    options.rtol = options.atol = 1e-15;
    status = brink_sim_create(brink_built_model(built), &options, NULL, &diag, &sim);
  }
  if (status == BRINK_OK) status = fly(sim, &drift, &diag);
  if (status < 0) {
    fprintf(stderr, "taylor: %s\n", diag.message);
    brink_built_destroy(built);
    return 1;
  }
  for (int i = 0; i < STATES; i++)
    home = fmax(home, fabs(fabs(brink_sim_state(sim)[i]) - fabs(start[i])));
  for (int k = 0; k < s.count && k < 5; k++)
    printf("t = %17.13f   y = %16.13f   y' = %16.13f\n", s.t[k], s.y[k], s.vy[k]);
  const brink_stats *stats = brink_sim_stats(sim);
  printf(
      "%lld steps, %lld passages, run by %s; energy off by %.1e, passages by %.1e, home by %.1e\n",
      (long long)stats->steps, (long long)stats->events, brink_built_engine(built), drift,
      asymmetry(&s), home);
  bool right = s.count >= 20 && s.count % 2 == 0 && fabs(drift) < 1e-13 && asymmetry(&s) < 1e-11 &&
               home < 1e-12;
  brink_sim_destroy(sim);
  brink_built_destroy(built);
  return right ? 0 : 1;
}
