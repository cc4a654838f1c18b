/* pendulum_constraint.c: a model in C with a constraint, index 3, written by hand.
 *
 * A pendulum in Cartesian coordinates: x'' = -lam x, y'' = -lam y - g, 0 = x^2 + y^2 - 1. Nothing gives lam, the force
 * in the rod; it is the unknown. Models in HSML differentiate their constraints by themselves. Here it is done on paper,
 * until lam appears:
 *
 *     h0 = x^2 + y^2 - 1                                       ties the positions
 *     h1 = x vx + y vy                         half of h0'     ties the velocities
 *     g  = vx^2 + vy^2 - lam (x^2 + y^2) - G y         h1'     determines lam
 *
 * The library solves g for lam wherever it needs the right-hand side, and moves the states onto h0 and h1 after every
 * step. From rest at (1, 0) the motion is an elliptic function of time. */
#include <brink/brink.h>
#include <math.h>
#include <stdio.h>

enum { X, Y, VX, VY, LAM, COMPONENTS, UNKNOWNS = 1, INVARIANTS = 2 };
static const double G = 9.81, END = 10.0;
static const double start[COMPONENTS] = {1.0, 0.0, 0.0, 0.0, 0.0};

/* ---- the model ---- */

static int pendulum(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[X] = x[VX];
  dx[Y] = x[VY];
  dx[VX] = -x[LAM] * x[X];
  dx[VY] = -x[LAM] * x[Y] - G;
  return 0; /* dx[LAM] is not asked for */
}

/* Rows: g, then h0 and h1. Where each of them reads a component, column by column, with one more column for time. */
enum { ROW_G, ROW_H0, ROW_H1, ROWS };
static const size_t starts[COMPONENTS + 2] = {0, 3, 6, 8, 10, 11, 11};
static const size_t rows[] = {ROW_G, ROW_H0, ROW_H1, /* x */
                              ROW_G, ROW_H0, ROW_H1, /* y */
                              ROW_G, ROW_H1,         /* vx */
                              ROW_G, ROW_H1,         /* vy */
                              ROW_G};                /* lam */
enum { ENTRIES = sizeof rows / sizeof rows[0] };

static const size_t unknown[UNKNOWNS] = {LAM}; /* row 0 determines lam, … */
static const size_t block[] = {0, 1};          /* … and is solved by itself */
static const size_t equation[ROWS] = {0, 0, 0};
static const int order[ROWS] = {2, 0, 1};
static const size_t tied[] = {X, Y, VX, VY}, group[] = {0, 2, 4};
static const brink_structure rod = {.index = 3,
                                    .nh = INVARIANTS,
                                    .unknown = unknown,
                                    .block = block,
                                    .nblocks = 1,
                                    .pattern = {.starts = starts, .rows = rows},
                                    .equation = equation,
                                    .order = order,
                                    .tied = tied,
                                    .group = group,
                                    .ngroups = 2};

static const brink_structure *structure(const brink_env *env, char *message) {
  (void)env, (void)message; /* there is one, whatever modes and parameters are */
  return &rod;
}

static int residual(const brink_structure *s, double t, const double *x, const brink_env *env,
                    double *r) {
  (void)s, (void)t, (void)env;
  double length = x[X] * x[X] + x[Y] * x[Y];
  r[ROW_G] = x[VX] * x[VX] + x[VY] * x[VY] - x[LAM] * length - G * x[Y];
  r[ROW_H0] = length - 1.0;
  r[ROW_H1] = x[X] * x[VX] + x[Y] * x[VY];
  return 0;
}

/* In the order of `rows`. */
static int derivatives(const brink_structure *s, double t, const double *x, const brink_env *env,
                       double *values) {
  (void)s, (void)t, (void)env;
  const double v[ENTRIES] = {-2.0 * x[LAM] * x[X],
                             2.0 * x[X],
                             x[VX], /* by x */
                             -2.0 * x[LAM] * x[Y] - G,
                             2.0 * x[Y],
                             x[VY], /* by y */
                             2.0 * x[VX],
                             x[X], /* by vx */
                             2.0 * x[VY],
                             x[Y],                          /* by vy */
                             -(x[X] * x[X] + x[Y] * x[Y])}; /* by lam */
  for (size_t e = 0; e < ENTRIES; e++) values[e] = v[e];
  return 0;
}

static brink_status make(brink_model **model, brink_diag *diag) {
  static const char *const names[COMPONENTS] = {"x", "y", "vx", "vy", "lam"};
  static const double one[] = {1.0};
  static const size_t position[] = {X};
  brink_guard_def bottom = brink_default_guard("bottom"); /* g = x */
  bottom.depends = position;
  bottom.ndepends = 1;
  bottom.coefficients = one;
  brink_constraints_def constraints = brink_default_constraints();
  constraints.structure = structure;
  constraints.residual = residual;
  constraints.derivatives = derivatives;
  brink_model_def def = brink_default_model();
  def.name = "pendulum";
  def.nx = COMPONENTS;
  def.nz = UNKNOWNS; /* the last one */
  def.x0 = start;
  def.state_names = names;
  def.rhs = pendulum;
  def.nguards = 1;
  def.guards = &bottom;
  def.constraints = &constraints;
  return brink_model_create(&def, NULL, diag, model);
}

/* ---- the exact motion ---- */

enum {
  LANDEN = 6
}; /* steps of the arithmetic-geometric mean: it is exact to rounding after five */

/* The angle from the lowest point, th(0) = pi/2: sin(th/2) = k cn(u)/dn(u), k^2 = 1/2, u = sqrt(G) t (Abramowitz &
 * Stegun 1964, 16.4: Jacobi's functions by descending Landen steps). *period: 4 K(k)/sqrt(G). */
static double exact_angle(double t, double *period) {
  double a[LANDEN + 1] = {1.0}, c[LANDEN + 1] = {sqrt(0.5)}, b = sqrt(0.5);
  for (int n = 0; n < LANDEN; n++) {
    a[n + 1] = (a[n] + b) / 2.0;
    c[n + 1] = (a[n] - b) / 2.0;
    b = sqrt(a[n] * b);
  }
  double phi = ldexp(a[LANDEN] * sqrt(G) * t, LANDEN);
  for (int n = LANDEN; n > 0; n--) phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2.0;
  double sn = sin(phi);
  *period = 2.0 * acos(-1.0) / (a[LANDEN] * sqrt(G));
  return 2.0 * asin(sqrt(0.5) * cos(phi) / sqrt(1.0 - sn * sn / 2.0));
}

/* By one method: the largest error at the end and of the times at the bottom. */
static double simulate(const brink_model *model, brink_method method, brink_diag *diag) {
  brink_options options = brink_default_options();
  options.method = method;
  options.rtol = options.atol = 1e-10;
  brink_sim *sim = NULL;
  double period, angle = exact_angle(END, &period), worst = 0.0;
  if (brink_sim_create(model, &options, NULL, diag, &sim) != BRINK_OK) return 1.0;
  brink_status status = brink_sim_next_event(sim, END, diag);
  for (int n = 0; status == BRINK_EVENT; n++) {
    worst = fmax(worst, fabs(brink_sim_time(sim) - (2 * n + 1) * period / 4.0));
    status = brink_sim_next_event(sim, END, diag);
  }
  const double *x = brink_sim_state(sim);
  const brink_stats *stats = brink_sim_stats(sim);
  double length = fabs(x[X] * x[X] + x[Y] * x[Y] - 1.0), slip = fabs(x[X] * x[VX] + x[Y] * x[VY]);
  double force = x[VX] * x[VX] + x[VY] * x[VY] - G * x[Y]; /* what lam has to be */
  worst = fmax(worst, fmax(fabs(x[X] - sin(angle)), fabs(x[Y] + cos(angle))));
  printf("%-6s %4lld steps, %lld projections: error %.0e, constraint %.0e, its derivative %.0e\n",
         brink_method_name(stats->method), (long long)stats->steps, (long long)stats->projections,
         worst, length, slip);
  if (status < 0 || stats->events != 8 || length > 4e-16 || slip > 4e-15) worst = 1.0;
  if (fabs(x[LAM] - force) > 1e-12 * force) worst = 1.0;
  brink_sim_destroy(sim);
  return worst;
}

int main(void) {
  brink_model *model = NULL;
  brink_diag diag;
  bool right = true;
  brink_status status = make(&model, &diag);
  if (status == BRINK_OK) {
    right = simulate(model, BRINK_AUTO, &diag) < 1e-7 && right;
    right = simulate(model, BRINK_DOPRI, &diag) < 1e-7 && right;
    right = simulate(model, BRINK_BDF, &diag) < 1e-6 && right;
  }
  if (diag.status < 0) fprintf(stderr, "pendulum_constraint: %s\n", diag.message);
  brink_model_destroy(model);
  return status == BRINK_OK && right ? 0 : 1;
}
