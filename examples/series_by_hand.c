/* series_by_hand.c: a model in C that gives the Taylor series of its own solution.
 *
 * A pendulum starts at rest from one radian, th'' = -sin th, and bounces off a wall at th = -1/2,
 * where it loses a tenth of its speed. Models in HSML, or built of expressions (taylor.c), give their
 * series by themselves; here it is written by hand, twice. The exact times of the impacts are
 * elliptic integrals. */
#include <brink/jet.h>
#include <math.h>
#include <stdio.h>

enum { TH, W, STATES, TERMS = BRINK_JET_MAX_ORDER + 1, IMPACTS = 3 };
static const double start[STATES] = {1.0, 0.0};
static const double exact[IMPACTS] = {2.22314362247528277, 6.73295558310312309,
                                      11.31758215365367238};

static int pendulum(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[TH] = x[W];
  dx[W] = -sin(x[TH]);
  return 0;
}

/* The short way: what is known of th gives as much of sin th, and that one coefficient more. */
static int short_way(int order, double t, double unit, const double *x, const brink_env *env,
                     double *const *xj) {
  double sine[TERMS];
  (void)t, (void)x, (void)env; /* xj[TH][0] and xj[W][0] are there */
  for (int k = 0; k < order; k++) {
    brink_jet_sin(k, xj[TH], sine);
    xj[TH][k + 1] = unit / (k + 1) * xj[W][k];
    xj[W][k + 1] = -unit / (k + 1) * sine[k];
  }
  return 0;
}

/* The quick way: brink_jet_sin begins anew in each round; but sine and cosine, too, may grow by one
 * coefficient a round. With ' for d/ds: sin(th)' = th' cos(th), cos(th)' = -th' sin(th). */
static int quick_way(int order, double t, double unit, const double *x, const brink_env *env,
                     double *const *xj) {
  double sine[TERMS], cosine[TERMS];
  (void)t, (void)env;
  sine[0] = sin(x[TH]);
  cosine[0] = cos(x[TH]);
  for (int k = 0; k < order; k++) {
    double rise = 0.0, fall = 0.0;
    for (int j = 1; j <= k; j++) {
      rise += j * xj[TH][j] * cosine[k - j];
      fall += j * xj[TH][j] * sine[k - j];
    }
    if (k > 0) sine[k] = rise / k;
    if (k > 0) cosine[k] = -fall / k;
    xj[TH][k + 1] = unit / (k + 1) * xj[W][k];
    xj[W][k + 1] = -unit / (k + 1) * sine[k];
  }
  return 0;
}

static int bounce(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[W] *= -0.9;
  return 0;
}

static brink_status make(brink_model **model, brink_diag *diag) {
  static const double one[] = {1.0};
  static const size_t angle[] = {TH};
  brink_guard_def wall = brink_default_guard("wall"); /* g = th + 1/2 */
  wall.depends = angle;
  wall.ndepends = 1;
  wall.coefficients = one;
  wall.offset = 0.5;
  wall.side = BRINK_UNILATERAL;
  wall.action = bounce;
  brink_model_def def = brink_default_model();
  def.name = "pendulum";
  def.nx = STATES;
  def.x0 = start;
  def.rhs = pendulum;
  def.flow_jet = quick_way;
  def.flow_work = 2; /* sums of k products for coefficient k: two. A hint for the order */
  def.nguards = 1;
  def.guards = &wall;
  return brink_model_create(&def, NULL, diag, model);
}

/* The first coefficients, and the largest difference between the two ways. */
static double compare(void) {
  enum { ORDER = 6 };
  double th[2][TERMS], w[2][TERMS], worst = 0.0;
  for (int n = 0; n < 2; n++) {
    double *rows[STATES] = {th[n], w[n]};
    th[n][0] = start[TH];
    w[n][0] = start[W];
    (n == 0 ? short_way : quick_way)(ORDER, 0.0, 1.0, start, NULL, rows);
  }
  printf("  k          th_k           w_k\n");
  for (int k = 0; k <= ORDER; k++) {
    printf("%3d  %12.8f  %12.8f\n", k, th[0][k] + 0.0, w[0][k] + 0.0);
    worst = fmax(worst, fmax(fabs(th[0][k] - th[1][k]), fabs(w[0][k] - w[1][k])));
  }
  double sine = sin(1.0), cosine = cos(1.0); /* by hand */
  return fmax(worst, fabs(th[0][4] - sine * cosine / 24.0));
}

/* By one method: how far off the impacts are. */
static double simulate(const brink_model *model, brink_method method, brink_diag *diag) {
  brink_options options = brink_default_options();
  options.method = method;
  options.rtol = options.atol = 1e-12;
  options.audit = true;
  brink_sim *sim = NULL;
  double worst = 0.0;
  if (brink_sim_create(model, &options, NULL, diag, &sim) != BRINK_OK) return 1.0;
  for (int n = 0; n < IMPACTS; n++) {
    if (brink_sim_next_event(sim, 20.0, diag) != BRINK_EVENT) worst = 1.0;
    worst = fmax(worst, fabs(brink_sim_time(sim) - exact[n]));
  }
  const brink_stats *stats = brink_sim_stats(sim);
  printf("%-7s %3lld steps, impacts off by %.0e%s%s\n", brink_method_name(stats->method),
         (long long)stats->steps, worst, stats->reason != NULL ? "; chosen: " : "",
         stats->reason != NULL ? stats->reason : "");
  if (stats->rhs_past_guard > 0) worst = 1.0;
  brink_sim_destroy(sim);
  return worst;
}

int main(void) {
  brink_model *model = NULL;
  brink_diag diag;
  bool right = compare() < 1e-16;
  brink_status status = make(&model, &diag);
  if (status == BRINK_OK) {
    right = simulate(model, BRINK_AUTO, &diag) < 1e-10 && right;
    right = simulate(model, BRINK_ADAMS, &diag) < 1e-9 && right;
  }
  if (diag.status < 0) fprintf(stderr, "series_by_hand: %s\n", diag.message);
  brink_model_destroy(model);
  return status == BRINK_OK && right ? 0 : 1;
}
