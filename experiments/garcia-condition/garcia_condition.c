/* garcia_condition.c: figures 5 to 9 of García 2004. The condition number of an event against the place of the
 * switching surface, through a tangency.
 *
 * Three numbers at each alpha: the closed form; the published procedure (Runge-Kutta, h = 0.01, everything inside a
 * step by chords); and what Brink says of its own run. Eq. 7 is taken as corrected: the product over the closest
 * approaches before the event, and the gradient of the guard in it. */
#include <math.h>
#include <stdio.h>

#include "experiments/experiment.h"
#include "problems/exact.h"
#include "sim/conditions.h"

static const double step = 0.01; /* h of eq. 7, and of the published runs */

/* ---- the published procedure ---- */

typedef struct watch {
  const brink_garcia *g;
  double x[2], rate;         /* at the last mesh point; rate of the guard there */
  bool approached, happened; /* closest approach, event */
  double nearest[2], event[2];
} watch;

static double rate_at(const brink_garcia *g, const double *x) {
  double f[2];
  brink_garcia_field(g, x, f);
  return f[1];
}

/* A closest approach: the guard's rate rises through zero between two mesh points. */
static int watch_step(const brink_step_record *record, void *user) {
  watch *w = user;
  if (w->happened) return 0;
  double rate = rate_at(w->g, record->x);
  if (w->rate < 0 && rate >= 0) {
    double along = w->rate / (w->rate - rate);
    for (int i = 0; i < 2; i++) w->nearest[i] = w->x[i] + along * (record->x[i] - w->x[i]);
    w->approached = true;
  }
  for (int i = 0; i < 2; i++) w->x[i] = record->x[i];
  w->rate = rate;
  return 0;
}

static int watch_event(const brink_event_record *record, void *user) {
  watch *w = user;
  if (w->happened) return 0;
  w->happened = true;
  for (int i = 0; i < 2; i++) w->event[i] = record->x_before[i];
  return 0;
}

/* NaN: neither an event nor a closest approach. */
static double watched_condition(const watch *w) {
  double near = w->nearest[1] + w->g->alpha, field[2];
  if (!w->happened) return w->approached ? 1 / near : (double)NAN;
  brink_garcia_field(w->g, w->event, field);
  double number = hypot(field[0], field[1]) / fabs(field[1]);
  if (w->approached)
    number *= step * hypot(w->nearest[0] - w->event[0], w->nearest[1] - w->event[1]) / near;
  return number;
}

/* ---- runs ---- */

typedef struct plant {
  brink_lab_model *published; /* Runge-Kutta, h = 0.01, chords */
  brink_lab_model *own;       /* Taylor series, tolerance 1e-12 */
  bool linear;
} plant;

static brink_status open_plant(brink_lab *lab, bool linear, plant *p, brink_diag *diag) {
  const char *path =
      linear ? "models/garcia-linear/model.hsml" : "models/garcia-nonlinear/model.hsml";
  brink_options options = brink_default_options();
  options.method = BRINK_RK4;
  options.step = step;
  options.events = BRINK_ZLM;
  p->linear = linear;
  brink_status status = brink_lab_open(lab, path, NULL, &options, diag, &p->published);
  if (status != BRINK_OK) return status;
  options = brink_default_options();
  options.method = BRINK_TAYLOR;
  options.rtol = 1e-12;
  options.atol = 1e-15;
  return brink_lab_open(lab, path, NULL, &options, diag, &p->own);
}

/* The end of the interval: past the far event, or before it. */
static double end_of(const brink_garcia *g, bool short_interval) {
  return g->linear ? (short_interval ? 4 : 6) : (short_interval ? 2.5 : 4) * g->beta;
}

static brink_status begin(brink_lab_model *model, const brink_garcia *g, brink_diag *diag) {
  brink_status status = brink_lab_set(model, "plant.alpha", g->alpha, diag);
  if (status == BRINK_OK && !g->linear) status = brink_lab_set(model, "plant.beta", g->beta, diag);
  if (status == BRINK_OK && !g->linear)
    status = brink_lab_set(model, "plant.x1", -2.5 * g->beta, diag);
  return status == BRINK_OK ? brink_lab_begin(model, diag) : status;
}

static brink_status run_published(const plant *p, const brink_garcia *g, bool short_interval,
                                  double *number, brink_diag *diag) {
  brink_status status = begin(p->published, g, diag);
  if (status != BRINK_OK) return status;
  brink_sim *sim = brink_lab_sim(p->published);
  watch w = {.g = g};
  for (int i = 0; i < 2; i++) w.x[i] = brink_sim_state(sim)[i];
  w.rate = rate_at(g, w.x);
  brink_sim_set_sink(sim, &(brink_sink){.step = watch_step, .event = watch_event, .user = &w});
  status = brink_sim_run(sim, end_of(g, short_interval), diag);
  brink_sim_set_sink(sim, NULL);
  *number = watched_condition(&w);
  return status < 0 ? status : BRINK_OK;
}

/* The number of the first event, or of the approaches that no event followed. */
static void keep_number(const brink_condition *condition, void *user) {
  double *number = user;
  if (isnan(*number)) *number = condition->published;
}

static brink_status run_own(const plant *p, const brink_garcia *g, bool short_interval,
                            double *number, brink_diag *diag) {
  brink_conditions *conditions = NULL;
  brink_conditions_def def = {
      .step = step, .approaches = true, .report = keep_number, .user = number};
  *number = (double)NAN;
  brink_sim *sim = brink_lab_sim(p->own);
  brink_status status = begin(p->own, g, diag);
  if (status == BRINK_OK) status = brink_conditions_create(sim, &def, NULL, diag, &conditions);
  if (status != BRINK_OK) return status;
  status = brink_sim_run(sim, end_of(g, short_interval), diag);
  brink_conditions_finish(conditions);
  brink_conditions_destroy(conditions);
  return status < 0 ? status : BRINK_OK;
}

/* ---- a curve over alpha ---- */

typedef struct curve {
  double peak_exact, peak_published; /* the alpha with the largest number */
  double off, off_at;                /* the largest relative error of the published procedure */
  double own_off;                    /* … of Brink's own run */
} curve;

typedef struct range {
  int first, last; /* hundredths of alpha */
} range;

static brink_status sweep(const plant *p, double beta, bool short_interval, range r,
                          brink_series_program *exact_series,
                          brink_series_program *published_series, curve *c, brink_diag *diag) {
  double top = 0, published_top = 0;
  *c = (curve){0};
  for (int k = r.first; k <= r.last; k++) {
    brink_garcia g = {p->linear, k / 100.0, beta};
    brink_garcia_answer answer = brink_garcia_solve(&g);
    double exact = brink_garcia_condition(&answer, step, short_interval), published, own;
    brink_status status = run_published(p, &g, short_interval, &published, diag);
    if (status == BRINK_OK) status = run_own(p, &g, short_interval, &own, diag);
    if (status != BRINK_OK) return status;
    double own_off = fabs(own / exact - 1);
    c->own_off = own_off <= c->own_off ? c->own_off : own_off; /* not a number stays */
    brink_series_add(exact_series, g.alpha, exact);
    brink_series_add(published_series, g.alpha, published);
    if (exact > top) {
      top = exact;
      c->peak_exact = g.alpha;
    }
    if (published > published_top) {
      published_top = published;
      c->peak_published = g.alpha;
    }
    double off = fabs(published / exact - 1);
    if (off > c->off) {
      c->off = off;
      c->off_at = g.alpha;
    }
  }
  return BRINK_OK;
}

/* The printed start had to be corrected in both examples. */
static void compare_peak(brink_lab *lab, const char *what, const char *published, double alpha,
                         double tangency, const curve *c) {
  bool agrees = fabs(c->peak_exact - alpha) < 0.0101 && fabs(c->peak_published - alpha) < 0.0101;
  brink_lab_compare(lab, what, published, agrees ? BRINK_CORRECTED : BRINK_DIFFERS,
                    "%.2f, by the published procedure %.2f", c->peak_exact, c->peak_published);
  brink_lab_because(lab,
                    "from the start that is meant. Exact: %.8f; alpha goes in steps of 0.01. The "
                    "procedure is off by at "
                    "most %.0f %%, at %.2f",
                    tangency, 100 * c->off, c->off_at);
}

/* ---- figures 5 and 7 ---- */

static brink_status draw_alpha(brink_lab *lab, const plant *p, const char *title, range r, curve *c,
                               brink_diag *diag) {
  brink_figure *figure = brink_lab_figure(
      lab,
      &(brink_figure_def){
          .title = title,
          .caption = "Long: the interval contains the event past the closest approach. Short: it "
                     "ends before, and the number is 1 over the distance.",
          .x = {.label = "alpha"},
          .y = {.label = "condition number", .log = true}});
  for (int k = 0; k < 2; k++) {
    bool is_short = k == 1;
    brink_series_program *exact =
        brink_figure_series(figure, is_short ? "closed form, short" : "closed form, long",
                            is_short ? BRINK_SERIES_DASHED : BRINK_SERIES_LINE);
    brink_series_program *published = brink_figure_series(
        figure, is_short ? "RK4, h = 0.01, short" : "RK4, h = 0.01, long", BRINK_SERIES_POINTS);
    curve of_interval;
    brink_status status = sweep(p, 1, is_short, r, exact, published, &of_interval, diag);
    if (status != BRINK_OK) return status;
    double worst = is_short ? fmax(c->own_off, of_interval.own_off) : of_interval.own_off;
    if (!is_short) *c = of_interval;
    c->own_off = worst;
  }
  return BRINK_OK;
}

static brink_status write_table(brink_lab *lab, const plant *p, const double *alphas, int count,
                                brink_diag *diag) {
  static const char *const columns[] = {"alpha",       "event at", "interval",
                                        "closed form", "Brink",    "RK4, h = 0.01"};
  brink_table *table = brink_lab_table(
      lab, p->linear ? "Linear example" : "Non-linear example, beta = 1", columns, 6);
  for (int k = 0; k < 2 * count; k++) {
    brink_garcia g = {p->linear, alphas[k / 2], 1};
    brink_garcia_answer answer = brink_garcia_solve(&g);
    bool is_short = k % 2 == 1;
    double published = 0, own = 0;
    if (is_short && answer.approach < 0) continue; /* the event is in both */
    brink_status status = run_published(p, &g, is_short, &published, diag);
    if (status == BRINK_OK) status = run_own(p, &g, is_short, &own, diag);
    if (status != BRINK_OK) return status;
    brink_table_cell(table, "%g", g.alpha);
    if (is_short)
      brink_table_cell(table, "none");
    else
      brink_table_cell(table, "%.6f", answer.event);
    brink_table_cell(table, "%s", answer.approach < 0 ? "both" : is_short ? "short" : "long");
    brink_table_cell(table, "%.9g", brink_garcia_condition(&answer, step, is_short));
    brink_table_cell(table, "%.9g", own);
    brink_table_cell(table, "%.6g", published);
  }
  return BRINK_OK;
}

static void compare_own(brink_lab *lab, const char *what, double off) {
  brink_lab_compare(lab, what, NULL, off <= 1e-6 ? BRINK_UNSTATED : BRINK_DIFFERS,
                    "off by at most %.0e of the closed form", fmax(off, 1e-15));
}

static brink_status linear_example(brink_lab *lab, brink_diag *diag) {
  static const double alphas[] = {9, 9.2, 9.4, 9.5, 9.6, 9.62, 9.63, 9.65, 9.7, 9.8, 9.9, 10};
  plant p;
  curve c;
  brink_status status = open_plant(lab, true, &p, diag);
  if (status == BRINK_OK)
    status = draw_alpha(lab, &p, "Figure 5: the linear example", (range){900, 1000}, &c, diag);
  if (status == BRINK_OK) status = write_table(lab, &p, alphas, 12, diag);
  if (status != BRINK_OK) return status;
  brink_garcia_answer answer = brink_garcia_solve(&(brink_garcia){true, 9, 1});
  compare_peak(lab, "figure 5: the linear example becomes ill-posed at alpha", "9.62", 9.62,
               answer.tangency, &c);
  compare_own(lab, "the linear example, both intervals: numbers of Brink's own run", c.own_off);
  return BRINK_OK;
}

/* ---- figure 6 ---- */

static void draw_figure_6(brink_lab *lab) {
  brink_figure *figure = brink_lab_figure(
      lab, &(brink_figure_def){.title = "Figure 6: solutions of the non-linear example",
                               .caption = "The minimum is at x2 = -5.35, whatever beta is.",
                               .x = {.label = "x1"},
                               .y = {.label = "x2", .lo = -10, .hi = 10}});
  for (int beta = 1; beta <= 4; beta *= 2) {
    char name[32];
    snprintf(name, sizeof name, "beta = %d", beta);
    brink_series_program *series = brink_figure_series(figure, name, BRINK_SERIES_LINE);
    brink_garcia g = {false, 0, beta};
    for (int k = 0; k <= 240; k++) {
      double x[2];
      brink_garcia_at(&g, beta * (1.2 + 0.01 * k), x);
      brink_series_add(series, x[0], x[1]);
    }
  }
}

/* ---- figures 8 and 9 ---- */

static const double betas[] = {1, 1.5, 2, 3, 4};
enum { BETAS = 5 };

static double exact_at(double alpha, double beta) {
  brink_garcia_answer answer = brink_garcia_solve(&(brink_garcia){false, alpha, beta});
  return brink_garcia_condition(&answer, step, false);
}

/* Does the number grow with beta at every alpha? */
static bool grows_with_beta(void) {
  for (int k = 400; k <= 800; k++) {
    for (int j = 1; j < BETAS; j++) {
      if (!(exact_at(k / 100.0, betas[j]) > exact_at(k / 100.0, betas[j - 1]))) return false;
    }
  }
  return true;
}

/* Figure 9 divides by the largest number. The slope of what is left beside the peak, between alpha = 5.4 and 8. */
static double slope_of(double beta) {
  return log(exact_at(5.4, beta) / exact_at(8, beta)) / (8 - 5.4);
}

static brink_status draw_beta(brink_lab *lab, const plant *p, double *own_off, brink_diag *diag) {
  brink_figure *figure8 = brink_lab_figure(
      lab, &(brink_figure_def){.title = "Figure 8: several beta",
                               .caption = "Lines: closed form, long interval. Around the peak, "
                                          "without the ends of the range.",
                               .x = {.label = "alpha", .lo = 5, .hi = 6.5},
                               .y = {.label = "condition number", .log = true}});
  brink_figure *figure9 = brink_lab_figure(
      lab,
      &(brink_figure_def){.title = "Figure 9: several beta, divided by the largest number",
                          .caption = "What lies beside the peak becomes steeper as beta grows.",
                          .x = {.label = "alpha"},
                          .y = {.label = "condition number / largest", .log = true}});
  brink_series_program *points = brink_figure_series(figure8, "RK4, h = 0.01", BRINK_SERIES_POINTS);
  for (int j = 0; j < BETAS; j++) {
    char name[32];
    snprintf(name, sizeof name, "beta = %g", betas[j]);
    brink_series_program *lines = brink_figure_series(figure8, name, BRINK_SERIES_LINE);
    brink_series_program *scaled = brink_figure_series(figure9, name, BRINK_SERIES_LINE);
    double top = exact_at(5.35, betas[j]);
    for (int k = 400; k <= 800; k++)
      brink_series_add(scaled, k / 100.0, exact_at(k / 100.0, betas[j]) / top);
    curve c;
    brink_status status = sweep(p, betas[j], false, (range){400, 800}, lines, points, &c, diag);
    if (status != BRINK_OK) return status;
    *own_off = c.own_off <= *own_off ? *own_off : c.own_off;
  }
  return BRINK_OK;
}

static void compare_beta(brink_lab *lab) {
  brink_lab_compare(lab, "figure 8: the number grows with beta", "yes",
                    brink_lab_holds(grows_with_beta()), "%.3g, %.3g, %.3g for beta = 1, 2, 4",
                    exact_at(5.36, 1), exact_at(5.36, 2), exact_at(5.36, 4));
  brink_lab_because(lab, "at alpha = 5.36; so it does at every alpha from 4 to 8");
  double slopes[] = {slope_of(1), slope_of(2), slope_of(4)};
  brink_lab_compare(lab, "figure 9: divided by the largest, the rest is steeper with beta", "yes",
                    brink_lab_holds(slopes[0] < slopes[1] && slopes[1] < slopes[2]),
                    "slope of the logarithm %.2f, %.2f, %.2f for beta = 1, 2, 4", slopes[0],
                    slopes[1], slopes[2]);
}

static brink_status nonlinear_example(brink_lab *lab, brink_diag *diag) {
  static const double alphas[] = {4, 4.5, 5, 5.2, 5.3, 5.34, 5.36, 5.4, 5.5, 6, 7, 8};
  plant p;
  curve c;
  brink_status status = open_plant(lab, false, &p, diag);
  draw_figure_6(lab);
  if (status == BRINK_OK)
    status = draw_alpha(lab, &p, "Figure 7: the non-linear example, beta = 1", (range){400, 800},
                        &c, diag);
  if (status == BRINK_OK) status = write_table(lab, &p, alphas, 12, diag);
  if (status == BRINK_OK) status = draw_beta(lab, &p, &c.own_off, diag);
  if (status != BRINK_OK) return status;
  brink_garcia_answer answer = brink_garcia_solve(&(brink_garcia){false, 4, 1});
  brink_lab_compare(lab, "figure 6: the non-linear example is tangent at x2", "-5.35",
                    brink_lab_near(answer.touch_x[1], -5.35, 0.005), "%.8f", answer.touch_x[1]);
  compare_peak(lab, "figure 7: the non-linear example becomes ill-posed at alpha", "5.35", 5.35,
               answer.tangency, &c);
  compare_beta(lab);
  compare_own(lab, "the non-linear example, all beta: numbers of Brink's own run", c.own_off);
  return BRINK_OK;
}

/* ---- the experiment ---- */

static void explain(brink_lab *lab) {
  brink_lab_say(lab, "The proposed condition number of an event is 1 for an orthogonal crossing, "
                     "grows as the crossing becomes "
                     "tangential, and past the tangency measures how close the path came before. "
                     "Published: curves over alpha whose "
                     "peaks are at the tangencies, 9.62 and 5.35, and which grow with beta.");
  brink_lab_note(lab, "The start of the linear example is printed as (-2, 2) where it was run, and "
                      "as (-2, -2) before. Only the second "
                      "gives the peak at 9.62. That of the non-linear one is printed with a lost "
                      "sign and the slope for the value; ours "
                      "lies on the published curve: (-2.5 beta, 951.5625).");
  brink_lab_note(lab, "The interval is not stated. If it contains the event that follows the "
                      "closest approach, the number past the "
                      "tangency is h |x(t_p) - x(t*)|/g(t_p) times that of the event; if it ends "
                      "before, it is 1/g(t_p). Both are drawn; "
                      "with the first, numbers fall below 1.");
  brink_lab_note(
      lab, "The values of beta in figures 8 and 9 are not stated; ours are 1, 1.5, 2, 3 and 4.");
}

static brink_status run(brink_lab *lab, brink_diag *diag) {
  explain(lab);
  brink_status status = linear_example(lab, diag);
  return status == BRINK_OK ? nonlinear_example(lab, diag) : status;
}

const brink_experiment brink_experiment_garcia_condition = {
    "garcia-condition", "The condition number of an event through a tangency",
    "García 2004, figures 5 to 9", run};
