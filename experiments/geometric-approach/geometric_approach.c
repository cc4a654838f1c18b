/* geometric_approach.c: figure 3 of Esposito & Kumar 2007. With the step of their eq. 12 the guard shrinks by the
 * gain at every step: as a function of time it goes its own way, as a function of the step's number it is
 * g_k = gamma^k g_0.
 *
 * Two systems: the vehicle of the corridor comes to the line y = -0.4 on its circle; the arm is stretched out,
 * where its field is infinite. Ratios g_{k+1}/g_k are taken where the guard limits the steps, not the integration
 * error: close to the surface. */
#include <math.h>
#include <stdio.h>

#include "experiments/experiment.h"
#include "problems/exact.h"

static const double start[] = {0, -0.089, -0.15};

typedef struct guarded {
  const char *name, *path;
  const char *sets[3];
  const char *state; /* g = level - state */
  double level;
  double limited; /* from this |g| on the guard limits the steps */
} guarded;

enum { CORRIDOR, ARM, SYSTEMS };

static const guarded systems[SYSTEMS] = {
    [CORRIDOR] = {"corridor",
                  "models/corridor/model.hsml",
                  {"car.y=-0.089", "car.theta=-0.15", NULL},
                  "car.y",
                  -0.4,
                  2e-3},
    [ARM] = {"arm", "models/two-link-arm/model.hsml", {NULL}, "arm.th2", 0, 0.02},
};

enum { STEPS = 4096 };

typedef struct approach {
  size_t state;
  double level;
  size_t count;
  double t[STEPS], g[STEPS]; /* g < 0 inside the mode */
} approach;

static int keep_step(const brink_step_record *record, void *user) {
  approach *a = user;
  if (a->count == STEPS) return 0;
  a->t[a->count] = record->t1;
  a->g[a->count++] = a->level - record->x[a->state];
  return 0;
}

static brink_status approach_surface(brink_lab *lab, const guarded *system, double gamma,
                                     double tolerance, approach *a, brink_diag *diag) {
  brink_options options = brink_default_options();
  options.method = BRINK_ADAMS;
  options.order = 4;
  options.rtol = tolerance;
  options.atol = tolerance / 1000;
  options.gain = BRINK_GAIN_FIXED;
  options.gamma = gamma;
  brink_lab_model *model = NULL;
  brink_status status = brink_lab_open(lab, system->path, system->sets, &options, diag, &model);
  if (status == BRINK_OK) status = brink_lab_begin(model, diag);
  if (status != BRINK_OK) return status;
  a->count = 0;
  a->level = system->level;
  a->state = brink_lab_state(model, system->state);
  brink_sim_set_sink(brink_lab_sim(model), &(brink_sink){.step = keep_step, .user = a});
  status = brink_sim_run(brink_lab_sim(model), 6, diag);
  brink_lab_close(model);
  return status < 0 ? status : BRINK_OK;
}

typedef struct ratios {
  size_t first, count; /* of the steps that the guard limits */
  double off;          /* the farthest that a ratio is from the gain */
  double mean;         /* geometric */
  bool one_sided;      /* g never became positive */
} ratios;

static ratios measure(const approach *a, double limited, double gamma) {
  ratios r = {.one_sided = true};
  for (size_t k = 0; k < a->count; k++) r.one_sided = r.one_sided && a->g[k] <= 0;
  while (r.first < a->count && !(fabs(a->g[r.first]) <= limited)) r.first++;
  for (size_t k = r.first; k + 1 < a->count; k++) {
    r.off = fmax(r.off, fabs(a->g[k + 1] / a->g[k] - gamma));
    r.count++;
  }
  if (r.count > 0) r.mean = pow(a->g[a->count - 1] / a->g[r.first], 1 / (double)r.count);
  return r;
}

/* ---- what is shown ---- */

typedef struct sheet {
  brink_lab *lab;
  brink_table *table;
  brink_figure *by_time, *by_number;
  bool one_sided;
} sheet;

static void draw_by_number(brink_figure *figure, const approach *a, const ratios *r, double gamma) {
  char name[32];
  snprintf(name, sizeof name, "gain %g", gamma);
  brink_series_program *points = brink_figure_series(figure, name, BRINK_SERIES_MARKED);
  for (size_t k = r->first; k < a->count && k < r->first + 60; k++)
    brink_series_add(points, (double)(k - r->first), -a->g[k]);
}

static void draw_by_time(brink_figure *figure, const approach *a) {
  brink_series_program *exact = brink_figure_series(figure, "exact", BRINK_SERIES_LINE);
  for (int k = 0; k <= 280; k++) {
    double x, y, t = 0.01 * k;
    brink_corridor_at(start, t, &x, &y);
    brink_series_add(exact, t, -0.4 - y);
  }
  brink_series_program *steps = brink_figure_series(figure, "steps, gain 1/2", BRINK_SERIES_POINTS);
  for (size_t k = 0; k < a->count; k++) brink_series_add(steps, a->t[k], a->g[k]);
}

static void add_row(sheet *s, const guarded *system, double gamma, double tolerance,
                    const approach *a, const ratios *r) {
  brink_table_cell(s->table, "%s", system->name);
  brink_table_cell(s->table, "%g", gamma);
  brink_table_cell(s->table, "%.0e", tolerance);
  brink_table_cell(s->table, "%zu", r->count);
  brink_table_cell(s->table, "%.6f", r->mean);
  brink_table_cell(s->table, "%.1e", r->off);
  brink_table_cell(s->table, "%.6f", a->count > 0 ? a->t[a->count - 1] : 0.0);
  s->one_sided = s->one_sided && r->one_sided;
}

static void compare_gain(sheet *s, double gamma, const ratios *r) {
  char what[64], published[32];
  snprintf(what, sizeof what, "g(k+1)/g(k) with gain %g", gamma);
  snprintf(published, sizeof published, "%g", gamma);
  brink_lab_compare(s->lab, what, published, brink_lab_holds(r->count > 0 && r->off < 1e-6),
                    "%.6f in %zu steps", r->mean, r->count);
}

static brink_status try_gain(sheet *s, int system, double gamma, approach *a, brink_diag *diag) {
  static const double tolerances[] = {1e-8, 1e-6, 1e-4};
  for (int j = 0; j < 3; j++) {
    brink_status status = approach_surface(s->lab, &systems[system], gamma, tolerances[j], a, diag);
    if (status != BRINK_OK) return status;
    ratios r = measure(a, systems[system].limited, gamma);
    add_row(s, &systems[system], gamma, tolerances[j], a, &r);
    if (j > 0) continue;
    if (system == ARM) {
      brink_lab_compare(s->lab, "the same where the arm is stretched out, gain 1/2", NULL,
                        BRINK_UNSTATED, "%.3f in %zu steps", r.mean, r.count);
      brink_lab_because(s->lab, "the field is infinite there, and the integration error requires "
                                "shorter steps than the guard, less so with a coarser tolerance");
      continue;
    }
    compare_gain(s, gamma, &r);
    draw_by_number(s->by_number, a, &r, gamma);
    if (gamma == 0.5) draw_by_time(s->by_time, a);
  }
  return BRINK_OK;
}

static void explain(brink_lab *lab) {
  brink_lab_say(
      lab,
      "The step is chosen so that the predicted guard is gamma times the present one. Published, "
      "as theorem "
      "2.1 and figure 3: g_k = gamma^k g_0 in the number of the step, without a change of sign.");
  brink_lab_note(lab, "Figure 3 is a sketch without a system. Ours is the vehicle of the corridor "
                      "on its way to y = -0.4 "
                      "from (0, -0.089, -0.15), Adams of order 4, tolerance 1e-8.");
}

static void prepare(sheet *s, brink_lab *lab) {
  static const char *const columns[] = {"system",      "gain",       "tolerance",
                                        "steps",       "mean ratio", "farthest from the gain",
                                        "last step at"};
  *s = (sheet){.lab = lab, .one_sided = true};
  s->table = brink_lab_table(lab, "g(k+1)/g(k) close to the surface", columns, 7);
  s->by_time =
      brink_lab_figure(lab, &(brink_figure_def){.title = "Figure 3, left: the guard against time",
                                                .x = {.label = "t"},
                                                .y = {.label = "g"}});
  s->by_number = brink_lab_figure(
      lab, &(brink_figure_def){
               .title = "Figure 3, right: the guard against the number of the step",
               .caption = "From |g| = 2e-3 on. What is straight on this scale is geometric.",
               .x = {.label = "k"},
               .y = {.label = "-g", .log = true}});
}

static brink_status run(brink_lab *lab, brink_diag *diag) {
  static const double gains[] = {0.1, 0.25, 0.5, 0.75, 0.9};
  sheet s;
  approach *a = brink_lab_take(lab, 1, sizeof *a);
  if (a == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  explain(lab);
  prepare(&s, lab);
  brink_status status = BRINK_OK;
  for (int i = 0; i < 5 && status == BRINK_OK; i++)
    status = try_gain(&s, CORRIDOR, gains[i], a, diag);
  if (status == BRINK_OK) status = try_gain(&s, ARM, 0.5, a, diag);
  if (status != BRINK_OK) return status;
  brink_lab_compare(lab, "does g change its sign?", "no", brink_lab_holds(s.one_sided), "%s",
                    s.one_sided ? "no" : "yes");
  return BRINK_OK;
}

const brink_experiment brink_experiment_geometric_approach = {
    "geometric-approach", "The guard shrinks by the gain at every step",
    "Esposito & Kumar 2007, theorem 2.1, figure 3", run};
