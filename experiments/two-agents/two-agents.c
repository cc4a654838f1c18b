/* two-agents.c: Esposito, Kumar & Pappas 2001, figures 2 to 5: two cars, each integrated at its own steps, that
 * collide, and that just miss each other. README.md says what the paper leaves open. */
#include <math.h>
#include <string.h>

#include "experiments/experiment.h"
#include "experiments/two-agents/cars.h"

#define COLLIDING 2.3
#define MISSING 2.41
#define T_END 12.0
#define H_MAX 1.0
#define T_COLLISION 9.91734725786805189     /* of the exact paths */
#define G_CLOSEST (-0.00929979524978744709) /* of the exact paths that miss, at t = 10.03 */

static brink_published_def published(double gamma, int order, double tolerance) {
  brink_published_def def = brink_default_published();
  def.gamma = gamma;
  def.order = order;
  def.rtol = def.atol = tolerance;
  return def;
}

/* ---- figures ---- */

/* Both cars where the algorithm has put them, with circles of half the sum of the radii at the end. */
static void draw_plane(brink_lab *lab, const cars_run *run, const char *title,
                       const char *caption) {
  static const char *const names[] = {"car 1, fast", "car 2, slow"};
  brink_figure *figure = brink_lab_figure(
      lab, &(brink_figure_def){
               .title = title, .caption = caption, .x.label = "x", .y.label = "y", .equal = true});
  for (int i = 0; i < CARS; i++) {
    brink_series_program *series = brink_figure_series(figure, names[i], BRINK_SERIES_LINE);
    for (size_t k = 0; k < run->nrows; k++)
      brink_series_add(series, run->rows[k].x[i], run->rows[k].y[i]);
    if (run->status != BRINK_EVENT) continue;
    const cars_row *last = &run->rows[run->nrows - 1];
    brink_series_add(series, (double)NAN, (double)NAN);
    for (int j = 0; j <= 48; j++) {
      double angle = j * acos(-1.0) / 24.0, r = 0.5 * CARS_RADIUS;
      brink_series_add(series, last->x[i] + r * cos(angle), last->y[i] + r * sin(angle));
    }
  }
}

static void draw_guard(brink_lab *lab, const cars_run *run, const char *title,
                       const char *caption) {
  brink_figure *figure = brink_lab_figure(
      lab, &(brink_figure_def){
               .title = title, .caption = caption, .x.label = "iteration", .y.label = "g"});
  brink_series_program *series = brink_figure_series(figure, NULL, BRINK_SERIES_LINE);
  for (size_t k = 0; k < run->nrows; k++) brink_series_add(series, (double)(k + 1), run->rows[k].g);
}

static void draw_steps(brink_lab *lab, const cars_run *run, const char *title,
                       const char *caption) {
  static const char *const names[] = {"h of car 1", "h of car 2"};
  brink_figure *figure =
      brink_lab_figure(lab, &(brink_figure_def){.title = title,
                                                .caption = caption,
                                                .x.label = "t of the car",
                                                .y = {.label = "step size", .log = true}});
  for (int i = 0; i < CARS; i++) {
    brink_series_program *series = brink_figure_series(figure, names[i], BRINK_SERIES_MARKED);
    for (size_t k = 0; k < run->nrows; k++) {
      const cars_row *row = &run->rows[k];
      if (row->h[i] > 0.0) brink_series_add(series, row->t[i], row->h[i]);
    }
  }
}

static void draw_lag(brink_lab *lab, const cars_run *run, const char *title, const char *caption) {
  brink_figure *figure = brink_lab_figure(
      lab, &(brink_figure_def){.title = title, .caption = caption, .x.label = "t", .y.label = "τ"});
  brink_series_program *series = brink_figure_series(figure, NULL, BRINK_SERIES_LINE);
  for (size_t k = 0; k < run->nrows; k++) {
    const cars_row *row = &run->rows[k];
    brink_series_add(series, fmax(row->t[0], row->t[1]), row->tau);
  }
}

/* What the linear scales of the paper's figures cannot show. */
static void draw_approach(brink_lab *lab, const cars_run *run, size_t from) {
  brink_figure *figure = brink_lab_figure(
      lab, &(brink_figure_def){.title = "The event phase of figures 2 and 3, in logarithms",
                               .caption = "Both fall by γ at each iteration, to the tolerance.",
                               .x.label = "iteration",
                               .y = {.label = "|g|, |τ|", .log = true},
                               .wide = true});
  brink_series_program *g = brink_figure_series(figure, "|g|", BRINK_SERIES_MARKED);
  brink_series_program *tau = brink_figure_series(figure, "|τ|", BRINK_SERIES_MARKED);
  for (size_t k = from > 6 ? from - 6 : 0; k < run->nrows; k++) {
    brink_series_add(g, (double)(k + 1), fabs(run->rows[k].g));
    brink_series_add(tau, (double)(k + 1), fabs(run->rows[k].tau));
  }
}

/* ---- the collision ---- */

/* The iteration, from 1, at which g peaks before t = 5. */
static size_t find_peak(const cars_run *run) {
  size_t peak = 0;
  for (size_t k = 0; k < run->nrows && run->rows[k].t[0] < 5.0; k++)
    if (run->rows[k].g > run->rows[peak].g) peak = k;
  return peak + 1;
}

/* Of iterations before the event phase: those in which one car moved and the other one waited. */
static double share_alone(const cars_run *run, size_t from) {
  size_t alone = 0;
  for (size_t k = 0; k < from; k++) alone += run->rows[k].h[0] == 0.0 || run->rows[k].h[1] == 0.0;
  return from > 0 ? (double)alone / (double)from : 0.0;
}

static double longest_step(const cars_run *run, int car, size_t to) {
  double h = 0.0;
  for (size_t k = 0; k < to; k++) h = fmax(h, run->rows[k].h[car]);
  return h;
}

/* The largest distance from gamma of the ratios of |g|, or of |tau|, over the last `count` iterations. */
static double ratio_error(const cars_run *run, size_t count, double gamma, bool of_tau) {
  double worst = 0.0;
  for (size_t k = run->nrows - count; k < run->nrows; k++) {
    const cars_row *a = &run->rows[k - 1], *b = &run->rows[k];
    double ratio = of_tau ? b->tau / a->tau : b->g / a->g;
    worst = fmax(worst, fabs(ratio - gamma));
  }
  return worst;
}

static void compare_collision(brink_lab *lab, const cars_run *run, size_t from) {
  static const char *const free_choice = "The paper prints neither the cars' data nor order, "
                                         "tolerance or γ: the table below has other orders and "
                                         "tolerances.";
  const cars_row *last = &run->rows[run->nrows - 1];
  size_t peak = find_peak(run), many = 10;
  double turns = 0.96 * run->rows[peak - 1].t[0] / acos(-1.0);
  bool enough = run->nrows > from + many;
  double g_off = enough ? ratio_error(run, many, 0.5, false) : (double)NAN;
  double tau_off = enough ? ratio_error(run, many, 0.5, true) : (double)NAN;
  brink_lab_compare(lab, "the cars collide (figure 2)", "yes",
                    brink_lab_holds(run->status == BRINK_EVENT), "at t = %.6f", run->t);
  brink_lab_compare(lab, "g first peaks after half a turn of car 1", "half a turn",
                    brink_lab_near(turns, 1.0, 0.15), "%.2f half turns", turns);
  brink_lab_compare(lab, "iteration of that peak", "about 70", BRINK_OPEN, "%zu", peak);
  brink_lab_because(lab, "In the paper the first of three half turns takes two thirds of the "
                         "iterations: its start must "
                         "have been slower than ours, which is of full order after four steps.");
  brink_lab_compare(lab, "iteration at which the event phase begins", "107", BRINK_OPEN, "%zu",
                    from + 1);
  brink_lab_because(lab, "%s", free_choice);
  brink_lab_compare(lab, "time at which the event phase begins", "about 9.8", BRINK_OPEN, "%.2f",
                    run->rows[from].t[0]);
  brink_lab_because(
      lab, "The cars are ours: chosen so that they meet halfway through the second turn of car 1.");
  brink_lab_compare(lab, "g goes to zero exponentially: gₖ₊₁/gₖ, last 10 iterations", "γ",
                    brink_lab_holds(g_off < 1e-5), "γ ± %.0e", g_off);
  brink_lab_compare(lab, "the clocks come together: τₖ₊₁/τₖ, last 10 iterations", "γ",
                    brink_lab_holds(tau_off < 1e-5), "γ ± %.0e", tau_off);
  brink_lab_compare(
      lab, "at the end: g and τ, not past zero", "0",
      brink_lab_holds(last->g <= 0.0 && last->g >= -1e-9 && last->tau <= 0.0 && last->tau >= -1e-9),
      "%.0e, %.0e", last->g, last->tau);
  double alone = share_alone(run, from), h1 = longest_step(run, 0, from),
         h2 = longest_step(run, 1, from);
  brink_lab_compare(lab, "steps are chosen independently before (figure 3)", "yes",
                    brink_lab_holds(alone > 0.9 && h2 > 2.0 * h1),
                    "%.0f %% by one car alone; largest h %.2f and %.2f", 100.0 * alone, h1, h2);
}

static brink_status collide(brink_lab *lab, cars_row *rows, brink_diag *diag) {
  car_path paths[CARS];
  brink_published_def def = published(0.5, 4, 1e-6);
  cars_run run = {.rows = rows};
  cars_paths(COLLIDING, paths);
  brink_status status = cars_by_published(paths, &def, H_MAX, T_END, &run, diag);
  if (status != BRINK_OK || run.nrows < 2) return status;
  size_t from = cars_approach(&run);
  if (from >= run.nrows) from = run.nrows - 1;
  compare_collision(lab, &run, from);
  draw_plane(lab, &run, "Figure 2, left: the cars in the plane",
             "Circles: the cars when they touch.");
  draw_guard(lab, &run, "Figure 2, right: the guard",
             "g of the present states, which belong to different times until the clocks meet.");
  draw_steps(lab, &run, "Figure 3, left: step sizes", "Independent; then both fall geometrically.");
  draw_lag(lab, &run, "Figure 3, right: difference of the clocks",
           "τ = t of the laggard − t of the leader.");
  draw_approach(lab, &run, from);
  return BRINK_OK;
}

/* ---- the near miss ---- */

/* What happens around the closest approach, at t = 10.03: steps of car 1, and the difference of the clocks. */
typedef struct passage {
  double h_before, h_least, h_after, lag_before, lag_least, lag_after, g_together;
} passage;

static passage pass_by(const cars_run *run) {
  passage p = {.h_least = INFINITY, .lag_least = INFINITY, .g_together = -INFINITY};
  for (size_t k = 0; k < run->nrows; k++) {
    const cars_row *row = &run->rows[k];
    double t = row->t[0], h = row->h[0], lag = -row->tau;
    bool there = t > 9.9 && t<10.15, before = t> 8.0 && t < 9.5;
    if (before) p.h_before = fmax(p.h_before, h);
    if (before) p.lag_before = fmax(p.lag_before, lag);
    if (t > 10.5) p.h_after = fmax(p.h_after, h);
    if (t > 10.5) p.lag_after = fmax(p.lag_after, lag);
    if (there && h > 0.0) p.h_least = fmin(p.h_least, h);
    if (there) p.lag_least = fmin(p.lag_least, lag);
    if (there && lag < 1e-2) p.g_together = fmax(p.g_together, row->g);
  }
  return p;
}

static brink_status miss(brink_lab *lab, cars_row *rows, brink_diag *diag) {
  car_path paths[CARS];
  brink_published_def def = published(0.8, 4, 1e-6);
  cars_run run = {.rows = rows};
  cars_paths(MISSING, paths);
  brink_status status = cars_by_published(paths, &def, H_MAX, T_END, &run, diag);
  if (status != BRINK_OK || run.nrows < 2) return status;
  passage p = pass_by(&run);
  brink_lab_compare(lab, "further apart, the cars do not collide (figure 4)", "yes",
                    brink_lab_holds(run.status == BRINK_TIME_REACHED), "%s",
                    run.status == BRINK_TIME_REACHED ? "no event" : "an event");
  brink_lab_compare(lab, "g comes very close to zero", "yes",
                    brink_lab_holds(p.g_together > 1.5 * G_CLOSEST && p.g_together < 0.0),
                    "%.4f (exact paths: %.4f)", p.g_together, G_CLOSEST);
  brink_lab_compare(lab, "steps of car 1 fall, and quickly recover (figure 5)", "yes",
                    brink_lab_holds(p.h_least < 0.4 * p.h_before && p.h_after > 0.8 * p.h_before),
                    "%.3f to %.3f, and %.3f", p.h_before, p.h_least, p.h_after);
  brink_lab_compare(
      lab, "|τ| falls, and increases again (figure 5)", "yes",
      brink_lab_holds(p.lag_least < 0.1 * p.lag_before && p.lag_after > 0.5 * p.lag_before),
      "%.2f to %.4f, and %.2f", p.lag_before, p.lag_least, p.lag_after);
  draw_plane(lab, &run, "Figure 4, left: the cars in the plane", NULL);
  draw_guard(lab, &run, "Figure 4, right: the guard", "Close to zero, and away again.");
  draw_steps(
      lab, &run, "Figure 5: step sizes",
      "They fall when an event is suspected, and recover once it is known that there is none.");
  draw_lag(lab, &run, "Figure 5: difference of the clocks", NULL);
  return BRINK_OK;
}

/* ---- how it depends on what is not printed, and what is claimed ---- */

static brink_status vary(brink_lab *lab, cars_row *rows, brink_diag *diag) {
  static const char *const columns[] = {"order",          "tolerance",  "g peaks at iteration",
                                        "event phase at", "its t",      "event at t",
                                        "error",          "evaluations"};
  brink_table *table = brink_lab_table(
      lab, "The collision by the published algorithm, at other orders and tolerances (γ = ½)",
      columns, sizeof columns / sizeof *columns);
  car_path paths[CARS];
  cars_paths(COLLIDING, paths);
  int missed = 0, runs = 0;
  for (int order = 3; order <= 6; order++) {
    for (int digits = 3; digits <= 8; digits++) {
      brink_published_def def = published(0.5, order, pow(10.0, -digits));
      cars_run run = {.rows = rows};
      brink_status status = cars_by_published(paths, &def, H_MAX, T_END, &run, diag);
      if (status != BRINK_OK) return status;
      size_t from = cars_approach(&run);
      bool found = run.status == BRINK_EVENT && from < run.nrows;
      /* In error by more than the tolerance explains: the car has been driven through. */
      bool lost = !found || fabs(run.t - T_COLLISION) > 0.1;
      runs++;
      missed += lost;
      brink_table_cell(table, "%d", order);
      brink_table_cell(table, "1e-%d", digits);
      brink_table_cell(table, "%zu", find_peak(&run));
      brink_table_cell(table, found ? "%zu" : "—", from + 1);
      brink_table_cell(table, found ? "%.2f" : "—", found ? run.rows[from].t[0] : 0.0);
      brink_table_cell(table, found ? "%.6f" : "none", run.t);
      brink_table_cell(table, found ? "%.0e" : "—", fabs(run.t - T_COLLISION));
      brink_table_cell(table, "%lld", (long long)run.stats.rhs);
    }
  }
  brink_lab_compare(lab, "“guaranteed to never miss or overshoot”, over orders and tolerances",
                    "never", missed > 0 ? BRINK_REFUTED : BRINK_MATCHES, "%d of %d runs miss it",
                    missed, runs);
  brink_lab_because(lab, "They find no event, or report the exit at t = 10.17: the motion of the "
                         "laggard between its own time and the leader's is not examined.");
  return BRINK_OK;
}

static brink_status follow_listing(brink_lab *lab, brink_diag *diag) {
  car_path paths[CARS];
  brink_published_def def = published(0.5, 4, 1e-8);
  def.moves = BRINK_MOVES_ALL;
  cars_run run = {0};
  cars_paths(COLLIDING, paths);
  brink_status status = cars_by_published(paths, &def, H_MAX, 60.0, &run, diag);
  if (status != BRINK_OK) return status;
  bool found = run.status == BRINK_EVENT;
  brink_lab_compare(lab, "the listing to the letter: both agents move at every iteration",
                    "finds the collision", found ? BRINK_MATCHES : BRINK_REFUTED,
                    found ? "found, lag up to %.0f" : "not found, lag up to %.0f", run.lag);
  brink_lab_because(
      lab, "Nothing keeps the clocks together. Everything above lets the agent that lags move "
           "alone, until its guard has a root within reach.");
  return BRINK_OK;
}

/* ---- Brink ---- */

static void add_row(brink_table *table, const char *how, double tolerance, double t,
                    int64_t evaluations) {
  brink_table_cell(table, "%s", how);
  brink_table_cell(table, "%.0e", tolerance);
  brink_table_cell(table, "%.9f", t);
  brink_table_cell(table, "%.0e", fabs(t - T_COLLISION));
  brink_table_cell(table, "%lld", (long long)evaluations);
}

/* models/spirals: both cars in one system, at one step size. */
static brink_status run_as_one(brink_lab *lab, double tolerance, double *t, int64_t *evaluations,
                               brink_diag *diag) {
  brink_options options = brink_default_options();
  options.method = BRINK_ADAMS;
  options.rtol = options.atol = tolerance;
  brink_lab_model *model = NULL;
  brink_status status =
      brink_lab_open(lab, "models/spirals/model.hsml", NULL, &options, diag, &model);
  if (status == BRINK_OK) status = brink_lab_begin(model, diag);
  if (status == BRINK_OK) status = brink_sim_run(brink_lab_sim(model), T_END, diag);
  if (status < 0) return status;
  *t = brink_sim_time(brink_lab_sim(model));
  *evaluations = brink_sim_stats(brink_lab_sim(model))->rhs;
  brink_lab_close(model);
  return BRINK_OK;
}

static brink_status compare_ways(brink_lab *lab, brink_diag *diag) {
  static const char *const columns[] = {"how", "tolerance", "event at t", "error",
                                        "evaluations of a car"};
  static const double tolerances[] = {1e-6, 1e-8, 1e-10};
  brink_table *table = brink_lab_table(lab, "Work to the collision, with Adams methods", columns,
                                       sizeof columns / sizeof *columns);
  car_path paths[CARS];
  cars_paths(COLLIDING, paths);
  double worst = 0.0;
  for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++) {
    double tolerance = tolerances[k], t = 0.0;
    int64_t evaluations = 0;
    brink_published_def def = published(0.5, 4, tolerance);
    cars_run by_paper = {0}, by_engine = {0};
    brink_status status = cars_by_published(paths, &def, H_MAX, T_END, &by_paper, diag);
    if (status == BRINK_OK) status = cars_by_engine(paths, tolerance, T_END, &by_engine, diag);
    if (status == BRINK_OK) status = run_as_one(lab, tolerance, &t, &evaluations, diag);
    if (status != BRINK_OK) return status;
    add_row(table, "published algorithm, order 4", tolerance, by_paper.t, by_paper.stats.rhs);
    add_row(table, "Brink, own clocks", tolerance, by_engine.t, by_engine.stats.rhs);
    add_row(table, "Brink, both in one system", tolerance, t, 2 * evaluations);
    worst = fmax(worst, fabs(by_engine.t - T_COLLISION) / tolerance);
  }
  brink_lab_compare(lab, "Brink finds the collision within", NULL,
                    worst < 100.0 ? BRINK_UNSTATED : BRINK_DIFFERS, "%.0f tolerances", worst);
  brink_lab_because(lab,
                    "Agents with clocks of their own, compared at the same time (docs/agents.md).");
  return BRINK_OK;
}

/* ---- all of it ---- */

static brink_status run(brink_lab *lab, brink_diag *diag) {
  cars_row *rows = brink_lab_take(lab, CAR_HISTORY, sizeof *rows);
  if (rows == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  brink_lab_say(
      lab,
      "Two cars drive on spirals, car 1 much faster than car 2. Each is integrated at its own step "
      "sizes. When the guard g = R − |z₁ − z₂| may reach zero, the algorithm chooses both steps so "
      "that g and the difference τ of the two clocks shrink by γ at each iteration.");
  brink_lab_say(
      lab,
      "The algorithm here is the published one with its formulas corrected (docs/agents.md has "
      "the list of misprints), and one rule that the listing lacks: the agent that lags moves.");
  brink_lab_note(
      lab,
      "The cars: the paper gives no numbers. Ours are zᵢ = cᵢ + rᵢ exp((aᵢ + iωᵢ)t + iφᵢ) with "
      "(r, a, ω, φ) = (1, 0.06, 0.96, 0) and (0.4, 0.03, −0.25, π/2), centres D apart, R = 0.3: "
      "they collide at t = 9.917 with D = 2.3, and miss each other by 0.0093 with D = 2.41.");
  brink_lab_note(
      lab, "Order, tolerance and γ: order 4 and 1e-6 are those at which the event phase begins at "
           "iteration 107, as published; γ = 0.5 for the collision, 0.8 for the near miss. With a "
           "smaller γ, "
           "steps before a near miss fall less.");
  brink_lab_note(
      lab, "How the event ends: “terminate?” is all that the listing says. Ours is g ≥ −1e-9 and "
           "|τ| ≤ 1e-9.");
  brink_status status = collide(lab, rows, diag);
  if (status == BRINK_OK) status = miss(lab, rows, diag);
  if (status == BRINK_OK) status = vary(lab, rows, diag);
  if (status == BRINK_OK) status = follow_listing(lab, diag);
  if (status == BRINK_OK) status = compare_ways(lab, diag);
  return status;
}

const brink_experiment brink_experiment_two_agents = {
    "two-agents", "Two cars with clocks of their own: a collision and a near miss",
    "Esposito, Kumar & Pappas 2001, figures 2 to 5", run};
