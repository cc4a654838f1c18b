/* arm.c: figure 8 of Esposito & Kumar 2007. A hand is led out of its workspace; who asks the model for values
 * that do not exist?
 *
 * Lines start between 0.4 (or 0.7) and 1.2 away from the shoulder, in any direction, with speeds of 0.2 to 0.6. Those
 * are kept that stay clear of the hole around the shoulder and of the jump of atan2 at the negative x axis. A run
 * is right if it ends at the edge, when the exact line does, and asked for nothing past it. */
#include <math.h>
#include <stdio.h>

#include "experiments/experiment.h"
#include "problems/exact.h"

static const double pi = 3.14159265358979323846;

/* ---- two ways to write the arm ---- */

typedef struct arm {
  const char *name, *path;
  double l2;      /* the first link is 1 */
  bool tracks;    /* joints follow the reference with a gain; else they are where it is */
  double nearest; /* starts are at least this far from the shoulder */
  const char *th1, *th2, *vx, *vy;
} arm;

enum { TRACKING, JACOBIAN, ARMS };

static const arm arms[ARMS] = {
    [TRACKING] = {"tracking", "models/two-link-tracking/model.hsml", 0.8, true, 0.4, "arm.th1",
                  "arm.th2", "plan.vx", "plan.vy"},
    [JACOBIAN] = {"by its Jacobian", "models/two-link-arm/model.hsml", 0.5, false, 0.7, "arm.th1",
                  "arm.th2", "arm.vx", "arm.vy"},
};

/* ---- lines ---- */

typedef struct line {
  double x, y, vx, vy, th1, th2;
  double exit; /* when the point leaves the workspace */
} line;

/* Does the point stay 0.1 away from the hole, and on one branch of atan2? */
static bool is_clear(const arm *a, const line *l) {
  double along = l->x * l->vx + l->y * l->vy, v2 = l->vx * l->vx + l->vy * l->vy;
  double nearest = along < 0 ? fabs(l->x * l->vy - l->y * l->vx) / sqrt(v2) : hypot(l->x, l->y);
  double cut = -l->y / l->vy;
  bool jumps = cut > 0 && cut < l->exit && l->x + cut * l->vx < 0;
  return nearest > 1 - a->l2 + 0.1 && !jumps;
}

static line draw_line(const brink_lab *lab, const arm *a, size_t stream) {
  line l;
  for (size_t n = 0;; n += 4) {
    double u[4];
    for (size_t i = 0; i < 4; i++) u[i] = brink_lab_random(lab, stream, n + i);
    double r = a->nearest + (1.2 - a->nearest) * u[0], speed = 0.2 + 0.4 * u[1];
    l.x = r * cos(2 * pi * u[2]);
    l.y = r * sin(2 * pi * u[2]);
    l.vx = speed * cos(2 * pi * u[3]);
    l.vy = speed * sin(2 * pi * u[3]);
    l.exit = brink_arm_exit(1 + a->l2, l.x, l.y, l.vx, l.vy);
    if (is_clear(a, &l) && brink_arm_joints(a->l2, l.x, l.y, &l.th1, &l.th2)) return l;
  }
}

/* ---- ways to find the edge ---- */

typedef struct way {
  const char *name;
  brink_method method;
  brink_events events;
  brink_gain gain;
} way;

enum { PUBLISHED, HALF, MARGIN, TAYLOR, INTERPOLATE, INTERPOLATE_RK, WAYS };

static const way ways[WAYS] = {
    [PUBLISHED] = {"extrapolation, published gain", BRINK_ADAMS, BRINK_EXTRAPOLATE,
                   BRINK_GAIN_PUBLISHED},
    [HALF] = {"extrapolation, gain 1/2", BRINK_ADAMS, BRINK_EXTRAPOLATE, BRINK_GAIN_FIXED},
    [MARGIN] = {"extrapolation, margin of our own", BRINK_ADAMS, BRINK_EXTRAPOLATE,
                BRINK_GAIN_MARGIN},
    [TAYLOR] = {"extrapolation, Taylor series", BRINK_TAYLOR, BRINK_EXTRAPOLATE, BRINK_GAIN_MARGIN},
    [INTERPOLATE] = {"interpolation", BRINK_ADAMS, BRINK_INTERPOLATE, BRINK_GAIN_MARGIN},
    [INTERPOLATE_RK] = {"interpolation, Runge-Kutta", BRINK_DOPRI, BRINK_INTERPOLATE,
                        BRINK_GAIN_MARGIN},
};

typedef struct bench {
  brink_lab *lab;
  brink_lab_model *models[WAYS][BRINK_LAB_THREADS];
  const arm *arm;
} bench;

static brink_options options_of(const way *w) {
  brink_options options = brink_default_options();
  options.method = w->method;
  options.events = w->events;
  options.gain = w->gain;
  options.gamma = 0.5;
  options.rtol = 1e-4;
  options.atol = 1e-7;
  options.audit = true;
  if (w->method == BRINK_ADAMS) options.order = 4;
  return options;
}

static brink_status open_ways(bench *b, brink_diag *diag) {
  for (int w = 0; w < WAYS; w++) {
    brink_options options = options_of(&ways[w]);
    for (int k = 0; k < BRINK_LAB_THREADS; k++) {
      brink_status status =
          brink_lab_open(b->lab, b->arm->path, NULL, &options, diag, &b->models[w][k]);
      if (status != BRINK_OK) return status;
    }
  }
  return BRINK_OK;
}

static brink_status run_line(brink_lab_model *model, const arm *a, const line *l,
                             brink_diag *diag) {
  brink_status status = BRINK_OK;
  const struct {
    const char *name;
    double value;
  } wishes[] = {{a->th1, l->th1}, {a->th2, l->th2},  {a->vx, l->vx},
                {a->vy, l->vy},   {"plan.px", l->x}, {"plan.py", l->y}};
  for (int i = 0; i < (a->tracks ? 6 : 4) && status == BRINK_OK; i++)
    status = brink_lab_set(model, wishes[i].name, wishes[i].value, diag);
  if (status == BRINK_OK) status = brink_lab_begin(model, diag);
  return status == BRINK_OK ? brink_sim_run(brink_lab_sim(model), l->exit + 1, diag) : status;
}

/* ---- many lines ---- */

typedef struct outcome {
  brink_status status;
  double late; /* |t - exact| */
  long long past, steps;
} outcome;

typedef struct batch {
  const bench *bench;
  size_t first;
  outcome (*outcomes)[WAYS];
} batch;

static brink_status try_line(size_t k, int worker, void *user) {
  const batch *self = user;
  const bench *b = self->bench;
  line l = draw_line(b->lab, b->arm, self->first + k);
  for (int w = 0; w < WAYS; w++) {
    brink_lab_model *model = b->models[w][worker];
    brink_diag diag = {0};
    outcome *o = &self->outcomes[k][w];
    o->status = run_line(model, b->arm, &l, &diag);
    const brink_stats *stats = brink_sim_stats(brink_lab_sim(model));
    o->late = fabs(brink_sim_time(brink_lab_sim(model)) - l.exit);
    o->past = stats->rhs_past_guard;
    o->steps = stats->steps;
  }
  return BRINK_OK;
}

typedef struct score {
  size_t count;
  size_t right[WAYS];  /* stopped at the edge in time, and never asked past it */
  size_t asked[WAYS];  /* runs that asked past the edge */
  size_t failed[WAYS]; /* runs that could not go on, or went on without the event */
  long long past[WAYS], steps[WAYS];
  double late[WAYS]; /* the largest */
} score;

static score count_outcomes(outcome (*outcomes)[WAYS], size_t count) {
  score s = {.count = count};
  for (size_t k = 0; k < count; k++) {
    for (int w = 0; w < WAYS; w++) {
      const outcome *o = &outcomes[k][w];
      bool ended = o->status == BRINK_STOPPED && o->late < 0.1;
      s.right[w] += ended && o->past == 0;
      s.asked[w] += o->past > 0;
      s.failed[w] += !ended;
      s.past[w] += o->past;
      s.steps[w] += o->steps;
      if (ended) s.late[w] = fmax(s.late[w], o->late);
    }
  }
  return s;
}

/* ---- what is shown ---- */

static void write_table(const bench *b, const score *s) {
  static const char *const columns[] = {
      "method", "right", "runs past the edge", "times", "no event", "time off", "steps"};
  char title[96];
  snprintf(title, sizeof title, "Figure 8: the arm %s, %zu random lines", b->arm->name, s->count);
  brink_table *table = brink_lab_table(b->lab, title, columns, 7);
  for (int w = 0; w < WAYS; w++) {
    brink_table_cell(table, "%s", ways[w].name);
    brink_table_cell(table, "%zu", s->right[w]);
    brink_table_cell(table, "%zu", s->asked[w]);
    brink_table_cell(table, "%lld", s->past[w]);
    brink_table_cell(table, "%zu", s->failed[w]);
    brink_table_cell(table, "%.1e", s->late[w]);
    brink_table_cell(table, "%.0f", (double)s->steps[w] / (double)s->count);
  }
}

static void compare(const bench *b, const score *s) {
  brink_lab *lab = b->lab;
  char what[128];
  size_t n = s->count;
  snprintf(what, sizeof what, "arm %s: extrapolation ends at the edge", b->arm->name);
  bool all = s->right[PUBLISHED] == n && s->right[HALF] == n && s->right[MARGIN] == n &&
             s->right[TAYLOR] == n;
  brink_lab_compare(lab, what, "100 of 100", brink_lab_holds(all), "%zu, %zu, %zu, %zu of %zu",
                    s->right[PUBLISHED], s->right[HALF], s->right[MARGIN], s->right[TAYLOR], n);
  brink_lab_because(lab, "the published gain, gain 1/2, a margin of our own, Taylor series");
  snprintf(what, sizeof what, "arm %s: interpolation evaluates past it", b->arm->name);
  brink_lab_compare(lab, what, NULL, s->asked[INTERPOLATE] == n ? BRINK_UNSTATED : BRINK_DIFFERS,
                    "%zu of %zu", s->asked[INTERPOLATE], n);
  brink_lab_because(lab, "%lld times", s->past[INTERPOLATE]);
  snprintf(what, sizeof what, "arm %s: interpolation fails", b->arm->name);
  brink_lab_compare(lab, what, "100 of 100", BRINK_OPEN, "%zu of %zu", s->failed[INTERPOLATE], n);
  brink_lab_because(lab, "the published run ends at the first value that does not exist; ours "
                         "shortens the step and tries again, so that some runs reach the edge");
}

/* Figure 8: the reference point at every step of one line. */
typedef struct dots {
  brink_series_program *plane, *distance;
  double reach;
  size_t px, py;
  size_t count;
} dots;

static int add_step(const brink_step_record *record, void *user) {
  dots *d = user;
  double x = record->x[d->px], y = record->x[d->py];
  brink_series_add(d->plane, x, y);
  brink_series_add(d->distance, (double)++d->count, d->reach - hypot(x, y));
  return 0;
}

static void draw_workspace(brink_figure *figure, double reach) {
  brink_series_program *edge =
      brink_figure_series(figure, "edge of the workspace", BRINK_SERIES_LINE);
  for (int k = 0; k <= 120; k++)
    brink_series_add(edge, reach * cos(pi * k / 60), reach * sin(pi * k / 60));
}

static brink_figure *open_plane(const bench *b, const char *title) {
  brink_figure *figure = brink_lab_figure(
      b->lab,
      &(brink_figure_def){.title = title, .x = {.label = "x"}, .y = {.label = "y"}, .equal = true});
  draw_workspace(figure, 1 + b->arm->l2);
  return figure;
}

static void draw_line_of(const bench *b, int w, brink_figure *plane, brink_figure *distances) {
  brink_lab_model *model = b->models[w][0];
  brink_sim *sim = brink_lab_sim(model);
  line l = draw_line(b->lab, b->arm, 0);
  dots d = {.plane = brink_figure_series(plane, "steps", BRINK_SERIES_MARKED),
            .distance = brink_figure_series(distances, ways[w].name, BRINK_SERIES_MARKED),
            .reach = 1 + b->arm->l2,
            .px = brink_lab_state(model, "plan.px"),
            .py = brink_lab_state(model, "plan.py")};
  brink_series_add(d.plane, l.x, l.y);
  brink_sim_set_sink(sim, &(brink_sink){.step = add_step, .user = &d});
  brink_diag diag = {0};
  brink_status status = run_line(model, b->arm, &l, &diag);
  brink_sim_set_sink(sim, NULL);
  const double *x = brink_sim_state(sim);
  brink_series_label(d.plane, x[d.px], x[d.py], status == BRINK_STOPPED ? "event" : "gives up");
}

static void draw_figure_8(const bench *b) {
  brink_figure *left = open_plane(b, "Figure 8, left: interpolation");
  brink_figure *right = open_plane(b, "Figure 8, right: extrapolation, gain 1/2");
  brink_figure *distances = brink_lab_figure(
      b->lab, &(brink_figure_def){.title = "Figure 8: how far the edge is at every step",
                                  .caption = "The same line. Interpolation evaluates the model "
                                             "past the edge in every step that comes close.",
                                  .x = {.label = "step"},
                                  .y = {.label = "distance from the edge", .log = true}});
  draw_line_of(b, INTERPOLATE, left, distances);
  draw_line_of(b, HALF, right, distances);
  draw_line_of(b, PUBLISHED, NULL, distances);
  draw_line_of(b, MARGIN, NULL, distances);
}

/* ---- the experiment ---- */

static void explain(brink_lab *lab) {
  brink_lab_say(lab, "The reference point moves on a straight line out of the reach of a two-link "
                     "arm; past the edge the inverse "
                     "kinematics has no real value. Published: interpolation has to step over the "
                     "edge to find it, and cannot; "
                     "extrapolation takes shorter and shorter steps to it. Repeated 100 times with "
                     "random initial conditions, "
                     "with the same result each time.");
  brink_lab_note(lab, "Links, lines and speeds are not stated; nor is what moves the joints "
                      "(\"calculated accordingly\"). Two "
                      "readings are tried: joints that track the inverse kinematics of the point "
                      "with gain 5 (links 1 and 0.8), "
                      "and joints moved by the inverse Jacobian (links 1 and 0.5), whose field is "
                      "infinite at the edge. Lines "
                      "start 0.4 (0.7) to 1.2 away from the shoulder, in any direction, with "
                      "speeds of 0.2 to 0.6.");
  brink_lab_note(lab, "The guard of eq. 27 is put on the reference point (or on the second joint): "
                      "with the hand's own position "
                      "in it, as printed, it can never change its sign.");
  brink_lab_note(lab, "The published interpolation stops at the first value that does not exist. "
                      "Brink's shortens the step, and "
                      "tries again until the edge is within rounding: the table counts these "
                      "evaluations, and how many runs ended without the event.");
}

static brink_status run(brink_lab *lab, brink_diag *diag) {
  size_t count = brink_lab_repetitions(lab, 100);
  explain(lab);
  for (int k = 0; k < ARMS; k++) {
    bench b = {.lab = lab, .arm = &arms[k]};
    brink_status status = open_ways(&b, diag);
    if (status != BRINK_OK) return status;
    outcome(*outcomes)[WAYS] = brink_lab_take(lab, count, sizeof *outcomes);
    if (outcomes == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
    batch self = {&b, (size_t)k << 20, outcomes};
    brink_lab_parallel(lab, count, try_line, &self);
    score s = count_outcomes(outcomes, count);
    compare(&b, &s);
    write_table(&b, &s);
    if (k == TRACKING) draw_figure_8(&b);
  }
  return BRINK_OK;
}

const brink_experiment brink_experiment_arm = {"arm", "A two-link arm leaves its workspace",
                                               "Esposito & Kumar 2007, figure 8", run};
