/* relay.c: Taylor 1995, section 6: a relay with and without state-event handling; and the extensions named at the
 * paper's end: several switching functions in one model, resets of the state, on-event. textbook.c has the
 * routines that the paper compares. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiments/experiment.h"
#include "experiments/relay/textbook.h"

#define AMPLITUDE 0.25
#define STEP 0.05 /* of trap_seh, as published */

enum { POINTS = 20000 };

static const double start[2] = {AMPLITUDE, 0.0};

/* ---- five ways ---- */

/* trap_seh, ode45, rk45 as the paper has them; Dormand-Prince without events; Brink. */
typedef enum way { TRAP_SEH, ODE45, RK45, DOPRI, BRINK, WAYS } way;

static const char *const way_names[WAYS] = {"trap_seh, step 0.05", "pair 4(5), 1e-6 (ode45)",
                                            "pair 4(5), 1e-3 (rk45)",
                                            "Dormand-Prince 5(4), 1e-6, no events", "Brink, 1e-6"};

static int on_step(const brink_step_record *record, void *user) {
  relay_accept(user, record->t1, record->x[0], record->x[1]);
  return 0;
}

static void take_stats(const brink_sim *sim, relay_run *run) {
  const brink_stats *stats = brink_sim_stats(sim);
  run->rejected = (long)stats->rejected;
  run->evaluations = (long)stats->rhs;
  run->events = (long)stats->events;
}

static int blind_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1];
  dx[1] = (double)((x[0] < 0.0) - (x[0] > 0.0));
  return 0;
}

/* A good pair that does not know of the relay. */
static brink_status run_blind(double t_end, relay_run *run, brink_diag *diag) {
  brink_model_def def = brink_default_model();
  def.name = "relay without events";
  def.nx = 2;
  def.x0 = start;
  def.rhs = blind_rhs;
  brink_options options = brink_default_options();
  options.method = BRINK_DOPRI;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_status status = brink_model_create(&def, NULL, diag, &model);
  if (status == BRINK_OK) status = brink_sim_create(model, &options, NULL, diag, &sim);
  if (status == BRINK_OK) {
    brink_sink sink = {.step = on_step, .user = run};
    relay_accept(run, 0.0, start[0], start[1]);
    run->steps = 0;
    brink_sim_set_sink(sim, &sink);
    status = brink_sim_run(sim, t_end, diag);
    take_stats(sim, run);
  }
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return status < 0 ? status : BRINK_OK;
}

static brink_status run_brink(brink_lab *lab, double t_end, relay_run *run, brink_diag *diag) {
  brink_lab_model *model = NULL;
  brink_status status = brink_lab_open(lab, "models/relay/model.hsml", NULL, NULL, diag, &model);
  if (status == BRINK_OK) status = brink_lab_begin(model, diag);
  if (status != BRINK_OK) return status;
  brink_sink sink = {.step = on_step, .user = run};
  brink_sim *sim = brink_lab_sim(model);
  relay_accept(run, 0.0, start[0], start[1]);
  run->steps = 0;
  brink_sim_set_sink(sim, &sink);
  status = brink_sim_run(sim, t_end, diag);
  take_stats(sim, run);
  brink_lab_close(model);
  return status < 0 ? status : BRINK_OK;
}

/* ode45: the first step is 1/128 of the interval, the largest 1/16. rk45: the settings of its dialogue. */
static brink_status run_way(brink_lab *lab, way which, double t_end, relay_run *run,
                            brink_diag *diag) {
  switch (which) {
  case TRAP_SEH:
    relay_by_trap_seh(start, t_end, STEP, RELAY_UNTIL_EPS, false, run);
    return BRINK_OK;
  case ODE45:
    relay_by_pair(start, t_end, 1e-6, t_end / 128.0, 0.0, t_end / 16.0, run);
    return BRINK_OK;
  case RK45:
    relay_by_pair(start, t_end, 1e-3, 10.0, 1e-4, 10.0, run);
    return BRINK_OK;
  case DOPRI:
    return run_blind(t_end, run, diag);
  default:
    return run_brink(lab, t_end, run, diag);
  }
}

static brink_status run_all(brink_lab *lab, double t_end, relay_run runs[WAYS], brink_diag *diag) {
  brink_status status = BRINK_OK;
  for (int k = 0; k < WAYS && status == BRINK_OK; k++) {
    runs[k] = (relay_run){.points = brink_lab_take(lab, POINTS, sizeof *runs[k].points),
                          .capacity = POINTS};
    if (runs[k].points == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
    status = run_way(lab, (way)k, t_end, &runs[k], diag);
  }
  return status;
}

/* How far the amplitude has been from what it should be. */
static double deviation(const relay_run *run) {
  return fmax(run->most - AMPLITUDE, AMPLITUDE - run->least);
}

/* ---- figure 2: ten seconds ---- */

static void draw_plane(brink_lab *lab, const relay_run runs[WAYS]) {
  static const way shown[] = {TRAP_SEH, ODE45, RK45};
  static const brink_series_style styles[] = {BRINK_SERIES_LINE, BRINK_SERIES_DASHED,
                                              BRINK_SERIES_MARKED};
  brink_figure *figure = brink_lab_figure(
      lab,
      &(brink_figure_def){.title = "Figure 2: ten seconds in the plane",
                          .caption = "As in the paper, the points of each routine are joined by "
                                     "straight lines: the dashed curve cuts the corners between "
                                     "long steps; the pair at 1e-3 misses the switches.",
                          .x.label = "x₁",
                          .y.label = "x₂"});
  for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
    const relay_run *run = &runs[shown[k]];
    brink_series_program *series = brink_figure_series(figure, way_names[shown[k]], styles[k]);
    for (size_t i = 0; i < run->npoints; i++)
      brink_series_add(series, run->points[i].x1, run->points[i].x2);
  }
}

static void draw_creeping(brink_lab *lab, const relay_run runs[WAYS]) {
  static const way shown[] = {ODE45, DOPRI, TRAP_SEH, BRINK};
  brink_figure *figure = brink_lab_figure(
      lab, &(brink_figure_def){
               .title = "Creeping: steps over ten seconds",
               .caption = "Without events, every switch is found by failing: the step falls by "
                          "orders of magnitude, and grows again.",
               .x.label = "t",
               .y = {.label = "step size", .log = true}});
  for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
    const relay_run *run = &runs[shown[k]];
    brink_series_program *series =
        brink_figure_series(figure, way_names[shown[k]], BRINK_SERIES_MARKED);
    for (size_t i = 1; i < run->npoints; i++)
      brink_series_add(series, run->points[i].t, run->points[i].t - run->points[i - 1].t);
  }
}

static brink_status ten_seconds(brink_lab *lab, brink_diag *diag) {
  relay_run runs[WAYS];
  brink_status status = run_all(lab, 10.0, runs, diag);
  if (status != BRINK_OK) return status;
  const relay_run *seh = &runs[TRAP_SEH], *ours = &runs[BRINK];
  double off = deviation(seh);
  bool best = true;
  for (int k = ODE45; k <= DOPRI; k++) best = best && off < deviation(&runs[k]);
  brink_lab_compare(lab, "trap_seh: a smooth, closed trajectory, |x₁| + x₂²/2 = 1/4 within",
                    "closed", brink_lab_holds(off < 1e-12), "%.0e", off);
  brink_lab_compare(lab, "… the most precise of the three", "yes", brink_lab_holds(best),
                    "%.0e, ode45 %.0e, rk45 %.0e", off, deviation(&runs[ODE45]),
                    deviation(&runs[RK45]));
  brink_lab_compare(lab, "switches in 10 s", NULL,
                    seh->events == 7 && ours->events == 7 ? BRINK_UNSTATED : BRINK_DIFFERS,
                    "%ld; Brink %ld; exactly 7", seh->events, ours->events);
  double exact = 13.0 / sqrt(2.0);
  brink_lab_compare(lab, "the last of them, 13/√2, within", NULL,
                    fabs(seh->last_event - exact) < 1e-12 ? BRINK_UNSTATED : BRINK_DIFFERS, "%.0e",
                    fabs(seh->last_event - exact));
  double turned = deviation(&runs[ODE45]);
  brink_lab_compare(lab, "ode45: steady amplitude", "steady", brink_lab_holds(turned < 1e-3),
                    "1/4 ± %.0e", turned);
  double longest = 0.0;
  for (size_t i = 1; i < runs[ODE45].npoints; i++)
    longest = fmax(longest, runs[ODE45].points[i].t - runs[ODE45].points[i - 1].t);
  brink_lab_compare(lab, "… that cuts the corners: its longest step", "much above 0.05",
                    brink_lab_holds(longest > 5.0 * STEP), "%.2f", longest);
  brink_lab_compare(lab, "rk45: misses the switching, the amplitude first increases", "increases",
                    BRINK_OPEN, "0.25 to %.2f", runs[RK45].most);
  brink_lab_because(lab,
                    "Its tolerance and first step are not printed, and decide: the table below "
                    "has others, with which it hardly increases.");
  brink_lab_compare(lab, "Brink: |x₁| + x₂²/2 = 1/4 within", NULL,
                    deviation(ours) < 1e-12 ? BRINK_UNSTATED : BRINK_DIFFERS, "%.0e",
                    deviation(ours));
  draw_plane(lab, runs);
  draw_creeping(lab, runs);
  return BRINK_OK;
}

/* ---- one hundred seconds ---- */

/* "36,949" */
static const char *grouped(long number, char text[32]) {
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%ld", number), to = 0;
  for (int k = 0; k < length; k++) {
    if (k > 0 && (length - k) % 3 == 0) text[to++] = ',';
    text[to++] = digits[k];
  }
  text[to] = '\0';
  return text;
}

static void draw_amplitudes(brink_lab *lab, const relay_run runs[WAYS]) {
  static const way shown[] = {TRAP_SEH, ODE45, RK45, DOPRI};
  brink_figure *figure = brink_lab_figure(
      lab, &(brink_figure_def){.title = "One hundred seconds: the amplitude |x₁| + x₂²/2",
                               .caption =
                                   "1/4 along every exact solution. What a step across the switch "
                                   "makes of it is decided by where the evaluations happen to be.",
                               .x.label = "t",
                               .y.label = "amplitude",
                               .wide = true});
  for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
    const relay_run *run = &runs[shown[k]];
    brink_series_program *series =
        brink_figure_series(figure, way_names[shown[k]], BRINK_SERIES_LINE);
    for (size_t i = 0; i < run->npoints; i++)
      brink_series_add(series, run->points[i].t,
                       relay_amplitude(run->points[i].x1, run->points[i].x2));
  }
}

static void tabulate(brink_lab *lab, const relay_run runs[WAYS]) {
  static const char *const columns[] = {"how",
                                        "steps",
                                        "rejected",
                                        "evaluations",
                                        "flops",
                                        "published flops",
                                        "switches",
                                        "amplitude at 100 s",
                                        "largest error of it"};
  static const char *const printed[WAYS] = {"36949", "1220204", "", "", ""};
  brink_table *table =
      brink_lab_table(lab, "One hundred seconds: work", columns, sizeof columns / sizeof *columns);
  for (int k = 0; k < WAYS; k++) {
    const relay_run *run = &runs[k];
    brink_table_cell(table, "%s", way_names[k]);
    brink_table_cell(table, "%ld", run->steps);
    brink_table_cell(table, "%ld", run->rejected);
    brink_table_cell(table, "%ld", run->evaluations);
    brink_table_cell(table, run->flops > 0 ? "%ld" : "—", run->flops);
    brink_table_cell(table, "%s", printed[k][0] != '\0' ? printed[k] : "—");
    brink_table_cell(table, run->events > 0 ? "%ld" : "—", run->events);
    brink_table_cell(table, "%.6f", relay_amplitude(run->end.x1, run->end.x2));
    brink_table_cell(table, "%.0e", deviation(run));
  }
}

/* What the settings that the paper does not print do to a pair without events. */
static void vary_pair(brink_lab *lab) {
  static const char *const columns[] = {"tolerance",        "first step", "largest in 10 s",
                                        "largest in 100 s", "at t",       "after 100 s"};
  static const double tolerances[] = {1e-2, 1e-3, 1e-4}, firsts[] = {10.0, 1.0, 0.1, 0.01};
  brink_table *table = brink_lab_table(
      lab, "rk45: the amplitude, with other tolerances and first steps (1/4 is right)", columns,
      sizeof columns / sizeof *columns);
  for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
    for (size_t j = 0; j < sizeof firsts / sizeof *firsts; j++) {
      relay_run brief = {0}, long_run = {0};
      relay_by_pair(start, 10.0, tolerances[i], firsts[j], 1e-4, 10.0, &brief);
      relay_by_pair(start, 100.0, tolerances[i], firsts[j], 1e-4, 10.0, &long_run);
      brink_table_cell(table, "%g", tolerances[i]);
      brink_table_cell(table, "%g", firsts[j]);
      brink_table_cell(table, "%.4f", brief.most);
      brink_table_cell(table, "%.4f", long_run.most);
      brink_table_cell(table, "%.1f", long_run.most_at);
      brink_table_cell(table, "%.4f", relay_amplitude(long_run.end.x1, long_run.end.x2));
    }
  }
}

static brink_status hundred_seconds(brink_lab *lab, brink_diag *diag) {
  relay_run runs[WAYS];
  brink_status status = run_all(lab, 100.0, runs, diag);
  if (status != BRINK_OK) return status;
  const relay_run *seh = &runs[TRAP_SEH], *pair = &runs[ODE45], *ours = &runs[BRINK];
  double ratio = (double)pair->flops / (double)seh->flops;
  double after = relay_amplitude(runs[RK45].end.x1, runs[RK45].end.x2);
  brink_lab_compare(lab, "rk45: … and then decays indefinitely; amplitude after 100 s", "decays",
                    BRINK_OPEN, "%.4f", after);
  brink_lab_because(lab,
                    "At 1e-3 it decays from every first step that was tried, at 1e-4 slowly, at "
                    "1e-2 it does not.");
  char number[32];
  long iterations = seh->evaluations - 2 * seh->steps;
  relay_run three = {0};
  relay_by_trap_seh(start, 100.0, STEP, RELAY_KKMAX, false, &three);
  brink_lab_compare(lab, "flops of trap_seh over 100 s, kkmax = 3", "36,949",
                    brink_lab_near((double)three.flops, 36949.0, 0.005 * 36949.0), "%s",
                    grouped(three.flops, number));
  brink_lab_because(lab,
                    "kkmax = 3 is in the listing; the zero solver that uses it is not. Until |phi| "
                    "<= eps, as the "
                    "listing's loop asks, ours takes %.1f iterations a switch, and %s flops.",
                    (double)iterations / (double)seh->events, grouped(seh->flops, number));
  brink_lab_compare(lab, "flops of ode45 over 100 s", "1,220,204", BRINK_OPEN, "%s",
                    grouped(pair->flops, number));
  brink_lab_because(lab,
                    "Tolerance and step limits are not printed; %ld steps, and %ld attempts that "
                    "failed.",
                    pair->steps, pair->rejected);
  brink_lab_compare(lab, "ode45 : trap_seh, in flops", "33 : 1", BRINK_OPEN, "%.0f : 1", ratio);
  brink_lab_because(lab, "By what is said of the two numbers.");
  brink_lab_compare(lab, "state-event handling takes much less work, by the creeping of ode45",
                    "less", brink_lab_holds(ratio > 2.0 && pair->rejected > pair->steps),
                    "%.0f times less; %.0f %% of the attempts of ode45 fail", ratio,
                    100.0 * (double)pair->rejected / (double)(pair->rejected + pair->steps));
  brink_lab_compare(lab, "Brink: evaluations over 100 s, and error of the amplitude", NULL,
                    ours->evaluations < pair->evaluations && deviation(ours) < 1e-11
                        ? BRINK_UNSTATED
                        : BRINK_DIFFERS,
                    "%ld (ode45 %ld, trap_seh %ld); %.0e", ours->evaluations, pair->evaluations,
                    seh->evaluations, deviation(ours));
  draw_amplitudes(lab, runs);
  tabulate(lab, runs);
  vary_pair(lab);
  return BRINK_OK;
}

/* ---- the listings to the letter ---- */

static brink_status try_listings(brink_lab *lab) {
  static const char *const columns[] = {"start",    "step",      "form",     "t",
                                        "switches", "amplitude", "should be"};
  static const struct {
    const char *name;
    double x0[2], step, t_end, exact;
  } cases[] = {{"(0, 1): on the surface", {0.0, 1.0}, 0.05, 5.0, 0.5},
               {"(1/8, 0): a switch on a mesh point", {0.125, 0.0}, 0.25, 10.0, 0.125}};
  brink_table *table = brink_lab_table(lab, "The listings as printed, and corrected", columns,
                                       sizeof columns / sizeof *columns);
  bool corrected_fine = true, printed_fails = true;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    for (int corrected = 0; corrected < 2; corrected++) {
      relay_run run = {0};
      relay_by_trap_seh(cases[k].x0, cases[k].t_end, cases[k].step, RELAY_UNTIL_EPS, corrected == 1,
                        &run);
      double amplitude = relay_amplitude(run.end.x1, run.end.x2);
      bool fine = fabs(amplitude - cases[k].exact) < 1e-12;
      if (corrected == 1)
        corrected_fine = corrected_fine && fine;
      else
        printed_fails = printed_fails && !fine;
      brink_table_cell(table, "%s", cases[k].name);
      brink_table_cell(table, "%g", cases[k].step);
      brink_table_cell(table, corrected == 1 ? "corrected" : "as printed");
      brink_table_cell(table, "%g", run.end.t);
      brink_table_cell(table, "%ld", run.events);
      brink_table_cell(table, "%.6g", amplitude);
      brink_table_cell(table, "%g", cases[k].exact);
    }
  }
  brink_lab_compare(lab, "a start on the surface, a switch on a mesh point", "handled",
                    corrected_fine && printed_fails ? BRINK_CORRECTED : BRINK_DIFFERS,
                    "lost as printed, found when corrected");
  brink_lab_because(
      lab,
      "The model overwrites its φ for mode 0; the test sign(φ) == −sign(φ_old) overlooks φ = 0.");
  return BRINK_OK;
}

/* ---- extensions ---- */

enum { MOMENTS = 64 };

typedef struct moments {
  double t[MOMENTS];
  size_t count;
  double from[MOMENTS], to[MOMENTS]; /* held on a surface */
  size_t nheld;
} moments;

static int on_event(const brink_event_record *record, void *user) {
  moments *m = user;
  if (record->event.kind != BRINK_HELD && m->count < MOMENTS) m->t[m->count++] = record->event.t;
  return 0;
}

static int on_slide(const brink_slide_record *record, void *user) {
  moments *m = user;
  if (m->nheld >= MOMENTS) return 0;
  m->from[m->nheld] = record->from;
  m->to[m->nheld++] = record->to;
  return 0;
}

static brink_status observe(brink_lab *lab, const char *path, double t_end, moments *m,
                            brink_diag *diag) {
  brink_options options = brink_default_options();
  options.rtol = 1e-10;
  options.atol = 1e-13;
  brink_lab_model *model = NULL;
  brink_status status = brink_lab_open(lab, path, NULL, &options, diag, &model);
  if (status == BRINK_OK) status = brink_lab_begin(model, diag);
  if (status != BRINK_OK) return status;
  brink_sink sink = {.event = on_event, .slide = on_slide, .user = m};
  brink_sim_set_sink(brink_lab_sim(model), &sink);
  status = brink_sim_run(brink_lab_sim(model), t_end, diag);
  brink_lab_close(model);
  return status < 0 ? status : BRINK_OK;
}

static double worst_of(const double *found, const double *exact, size_t count) {
  double worst = 0.0;
  for (size_t k = 0; k < count; k++) worst = fmax(worst, fabs(found[k] - exact[k]));
  return worst;
}

/* From rest at A: the relay against friction, 1 - k, to x1 = 0; then both against the motion, 1 + k, to rest. */
static size_t friction_times(double k, double t_end, double *t) {
  double now = 0.0, a = AMPLITUDE;
  for (size_t n = 0;; a *= (1.0 - k) / (1.0 + k)) {
    double v = sqrt(2.0 * a * (1.0 - k));
    for (int part = 0; part < 2; part++) {
      now += part == 0 ? v / (1.0 - k) : v / (1.0 + k);
      if (now > t_end || n == MOMENTS) return n;
      t[n++] = now;
    }
  }
}

/* At every switch the speed v becomes e v; the next one is 2 e v later. */
static size_t reset_times(double e, double t_end, double *t) {
  double v = sqrt(2.0 * AMPLITUDE), now = v;
  size_t n = 0;
  for (; now <= t_end && n < MOMENTS; v *= e) {
    t[n++] = now;
    now += 2.0 * e * v;
  }
  return n;
}

/* x = x0 + a (cos t0 - cos t) - s (t - t0), from x0 on side s, is zero between t0 + 1e-9 and `after`. */
static double conflict_return(double a, double s, double t0, double x0, double after) {
  double lo = t0 + 1e-9, hi = after;
  for (int k = 0; k < 200; k++) {
    double middle = 0.5 * (lo + hi);
    double x = x0 + a * (cos(t0) - cos(middle)) - s * (middle - t0);
    if (s * x > 0.0)
      lo = middle;
    else
      hi = middle;
  }
  return 0.5 * (lo + hi);
}

/* Held from where x reaches 0 until a |sin t| = 1; then it leaves, on the side of the sine, and comes back. */
static size_t conflict_times(double a, double *from, double *to) {
  double pi = acos(-1.0), leave = asin(1.0 / a);
  from[0] = conflict_return(a, 1.0, 0.0, 0.1, 0.5);
  to[0] = leave;
  from[1] = conflict_return(a, 1.0, leave, 0.0, pi);
  to[1] = pi + leave;
  return 2;
}

static void compare_times(brink_lab *lab, const char *what, size_t found, size_t wanted,
                          double worst) {
  brink_lab_compare(lab, what, "supported", brink_lab_holds(found == wanted && worst < 1e-9),
                    "%zu of %zu events, within %.0e", found, wanted, worst);
}

static brink_status extend(brink_lab *lab, brink_diag *diag) {
  double exact[MOMENTS], to[MOMENTS];
  moments m = {0};
  brink_status status = observe(lab, "experiments/relay/friction.hsml", 6.0, &m, diag);
  if (status != BRINK_OK) return status;
  size_t count = friction_times(0.2, 6.0, exact);
  compare_times(lab, "vector modes: a relay with dry friction, two switching functions", m.count,
                count, worst_of(m.t, exact, count < m.count ? count : m.count));
  m = (moments){0};
  status = observe(lab, "experiments/relay/reset.hsml", 10.0, &m, diag);
  if (status != BRINK_OK) return status;
  count = reset_times(0.9, 10.0, exact);
  compare_times(lab, "state reset: a loss of speed at every switch", m.count, count,
                worst_of(m.t, exact, count < m.count ? count : m.count));
  m = (moments){0};
  status = observe(lab, "experiments/relay/conflict.hsml", 5.0, &m, diag);
  if (status != BRINK_OK) return status;
  count = conflict_times(1.2, exact, to);
  bool all = m.nheld >= count;
  double worst =
      all ? fmax(worst_of(m.from, exact, count), worst_of(m.to, to, count)) : (double)INFINITY;
  brink_lab_compare(lab, "on-event: a vector-field conflict holds the state, and lets go",
                    "a section of HSML", brink_lab_holds(m.nheld == count && worst < 1e-9),
                    "%zu of %zu intervals, within %.0e", m.nheld, count, worst);
  return BRINK_OK;
}

/* ---- all of it ---- */

static brink_status run(brink_lab *lab, brink_diag *diag) {
  brink_lab_say(
      lab,
      "x₁' = x₂, x₂' = −sign(x₁), from (1/4, 0): the relay switches where x₁ = 0. The paper "
      "integrates it with ode45 and rk45, which know nothing of the switch, and with trap_seh, a "
      "trapezoidal rule at a fixed step that locks the mode, finds the switch, and goes on from "
      "there.");
  brink_lab_say(lab, "trap_seh is the paper's listing, copied exactly. ode45 and rk45 are the "
                     "pair 4(5) of Fehlberg with "
                     "the step-size rule of that time.");
  brink_lab_note(
      lab, "Tolerances: “the step size was unspecified” in ode45 and rk45. Ours are what we assume "
           "as the defaults of the two routines: 1e-6 with steps of at most 1/16 of the "
           "interval; 1e-3 with steps between 1e-4 and 10, the first of 10.");
  brink_lab_note(
      lab,
      "The inside of rk45 is not known: a pair at 1e-3 shows what the paper says of it, an "
      "increase and then a decay that goes on. The increase depends on the first step: of four, "
      "two give a quarter and more, two a few per cent.");
  brink_lab_note(
      lab,
      "The zero solver of trap_seh is “omitted for sake of space”. Ours is regula falsi with the "
      "Illinois modification; another one changes the flops by a tenth, and nothing else.");
  brink_lab_note(
      lab,
      "Seconds on a wrist-watch (32 for trap_seh, 140 for ode45) are not compared: flops are.");
  brink_lab_note(lab, "The extensions are named, not shown: “vector modes and switching "
                      "functions”, “state resetting at "
                      "state events”. The models and their exact solutions are ours.");
  brink_status status = ten_seconds(lab, diag);
  if (status == BRINK_OK) status = hundred_seconds(lab, diag);
  if (status == BRINK_OK) status = try_listings(lab);
  if (status == BRINK_OK) status = extend(lab, diag);
  return status;
}

const brink_experiment brink_experiment_relay = {"relay",
                                                 "A relay, with and without state-event handling",
                                                 "Taylor 1995, figure 2 and section 7", run};
