/* Derivatives of the models of this repository against differences of their runs: every initial state and
 * every knob (of larger models the first few), at the end and at every event. Differences of runs in double
 * precision are good to five or six digits; oracle_sensitivity.c has more of them, for fewer models. */
#include "lang/knobs.h"
#include "model/model.h"
#include "native/native.h"
#include <brink/sensitivity.h>

#include "check.h"

#include <stdlib.h>

enum { MAX_EVENTS = 400, MAX_STATES = 40, MAX_DIRECTIONS = 12 };

/* ---- one run ---- */

typedef struct outcome {
  bool made;
  brink_status status;
  size_t nx, nevents, count;
  double x[MAX_STATES], t[MAX_EVENTS], last;
  double m[MAX_STATES * MAX_DIRECTIONS], dt[MAX_EVENTS][MAX_DIRECTIONS];
  unsigned limits;
} outcome;

static int keep_event(const brink_event_record *record, void *user) {
  outcome *to = user;
  if (to->nevents < MAX_EVENTS) to->t[to->nevents] = record->event.t;
  to->nevents++;
  return 0;
}

static void keep_slopes(const brink_sensitivity_event *event, void *user) {
  outcome *to = user;
  if (event->index >= MAX_EVENTS) return;
  memcpy(to->dt[event->index], event->time, event->count * sizeof(double));
}

typedef struct plan {
  const char *path;
  double end, rtol;
  size_t ndirections;
  char names[MAX_DIRECTIONS][64];
  double values[MAX_DIRECTIONS];
} plan;

static brink_unit *parse(const char *path) {
  bool unreadable = false;
  const char *reason = NULL;
  brink_unit *unit = brink_unit_parse(path, &brink_file_reader, NULL, &unreadable, &reason);
  if (unit == NULL || unreadable) return NULL;
  brink_unit_check(unit);
  return unit;
}

/* Directions: the first states and the first knobs. */
static void fill_directions(plan *p, const brink_system *system, const brink_knobs *knobs,
                            double *x, double *q) {
  size_t states = system->nx < 6 ? system->nx : 6, count = states, column = states;
  for (size_t k = 0; k < knobs->count; k++) count += knobs->knobs[k].x != NULL;
  if (count > MAX_DIRECTIONS) count = MAX_DIRECTIONS;
  p->ndirections = count;
  for (size_t k = 0; k < knobs->count && column < count; k++) {
    const brink_knob *knob = &knobs->knobs[k];
    if (knob->x == NULL) continue;
    snprintf(p->names[column], sizeof p->names[column], "%s", knob->name);
    p->values[column] = knob->value;
    brink_direction_fill(x, system->nx, count, column, knob->x);
    brink_direction_fill(q, system->np, count, column++, knob->p);
  }
  for (uint32_t v = 0; v < system->nvariables; v++) {
    const brink_variable *variable = &system->variables[v];
    if (variable->space != BRINK_SPACE_X) continue;
    size_t n = system->groups[variable->group].count * variable->length;
    for (size_t e = 0; e < n && variable->base + e < states; e++) {
      size_t i = variable->base + e;
      brink_text text = {0};
      brink_system_variable_name(system, v, e, &text);
      snprintf(p->names[i], sizeof p->names[i], "%s", text.data);
      brink_text_free(&text);
      p->values[i] = system->x0[i];
      x[i * count + i] = 1.0;
    }
  }
}

/* Runs a model with one value set, or with derivatives (set NULL). */
static outcome *run_model(plan *p, const char *set) {
  outcome *out = calloc(1, sizeof *out);
  const char *sets[] = {set};
  brink_flatten_options options = {.sets = sets, .nsets = set != NULL, .seed = 1};
  brink_diag diag = {0};
  brink_unit *unit = parse(p->path);
  brink_system *system =
      unit != NULL && unit->nerrors == 0 ? brink_flatten(unit, &options, NULL) : NULL;
  brink_instance *instance = NULL;
  brink_sim *sim = NULL;
  brink_sensitivity *s = NULL;
  brink_knobs knobs = {0};
  double *x = NULL, *q = NULL;
  if (system == NULL || system->nx > MAX_STATES || system->nx == 0) goto cleanup;
  if (set == NULL) {
    CHECK(brink_knobs_find(unit, &options, system, 6, NULL, &knobs) == BRINK_OK);
    x = calloc(system->nx * MAX_DIRECTIONS, sizeof *x);
    q = calloc(system->np * MAX_DIRECTIONS + 1, sizeof *q);
    fill_directions(p, system, &knobs, x, q);
  }
  brink_instance_options how = {.interpret = true,
                                .rtol = p->rtol,
                                .atol = 1e-3 * p->rtol,
                                .seed = 1,
                                .wants_flow_jet = true};
  brink_options wishes = brink_default_options();
  wishes.rtol = p->rtol;
  wishes.atol = 1e-3 * p->rtol;
  if (brink_instance_create(system, &how, NULL, &diag, &instance) != BRINK_OK ||
      brink_sim_create(brink_instance_model(instance), &wishes, NULL, &diag, &sim) != BRINK_OK)
    goto cleanup;
  brink_sim_set_sink(sim, &(brink_sink){.event = keep_event, .user = out});
  brink_sensitivity_def def = brink_default_sensitivity();
  def.count = p->ndirections;
  def.x = x;
  def.p = q;
  def.event = keep_slopes;
  def.user = out;
  if (set == NULL && brink_sensitivity_create(sim, &def, NULL, &diag, &s) != BRINK_OK) goto cleanup;
  out->status = brink_sim_run(sim, p->end, &diag);
  out->made = true;
  out->nx = system->nx;
  out->last = brink_sim_time(sim);
  memcpy(out->x, brink_sim_state(sim), out->nx * sizeof(double));
  if (s != NULL) {
    out->limits = brink_sensitivity_limits(s);
    memcpy(out->m, brink_sensitivity_state(s), out->nx * p->ndirections * sizeof(double));
  }
cleanup:
  brink_sensitivity_destroy(s);
  brink_sim_destroy(sim);
  brink_instance_destroy(instance);
  brink_knobs_free(&knobs);
  brink_system_destroy(system);
  brink_unit_destroy(unit);
  free(x);
  free(q);
  return out;
}

/* ---- all of them ---- */

/* The difference of two runs is good to about the run's error over the increment, and the increment's square
 * times the third derivative: entries are as good as their neighbours. */
static bool near(double slope, double difference, double tolerance) {
  return fabs(slope - difference) <= tolerance * (fabs(difference) + 1e-2);
}

static void compare(const plan *p, size_t k, const outcome *exact, const outcome *above,
                    const outcome *below, double h, double tolerance) {
  for (size_t e = 0; e < exact->nevents && e < MAX_EVENTS; e++) {
    double difference = (above->t[e] - below->t[e]) / (2.0 * h);
    CHECK_MSG(near(exact->dt[e][k], difference, tolerance),
              "%s: event %zu at %g by %s: %.10g, difference %.10g", p->path, e, exact->t[e],
              p->names[k], exact->dt[e][k], difference);
  }
  if (exact->status == BRINK_STOPPED) return; /* the end moves */
  for (size_t i = 0; i < exact->nx; i++) {
    double difference = (above->x[i] - below->x[i]) / (2.0 * h);
    double slope = exact->m[i * p->ndirections + k];
    CHECK_MSG(near(slope, difference, tolerance), "%s: state %zu by %s: %.10g, difference %.10g",
              p->path, i, p->names[k], slope, difference);
  }
}

typedef struct row {
  const char *model;
  double end, tolerance;
  unsigned limits; /* that are met */
} row;

static const row rows[] = {
    {"backlash", 10.0, 1e-6, 0},
    {"balls-on-a-line", 8.0, 1e-6, 0},
    {"batch-reactor", 40.0, 1e-6, 0},
    {"billiard", 20.0, 1e-6, 0},
    {"bouncing-ball", 3.0, 1e-6, 0},
    {"buck-converter", 0.0017, 1e-4, 0},
    {"cascade", 4.5, 1e-6, 0},
    {"clutch", 9.0, 1e-6, 0},
    {"corridor", 6.0, 1e-4, 0},
    {"depletion", 5.0, 1e-6, BRINK_SENSITIVITY_INACCURATE},
    {"dry-friction", 20.0, 1e-6, 0},
    {"falling-body", 10.0, 1e-6, 0},
    {"garcia-linear", 6.0, 1e-6, 0},
    {"late-start", 20.0, 1e-6, 0},
    {"level-control", 20.0, 1e-6, 0},
    {"neurons", 11.0, 2e-6, 0},
    {"pendulum-wall", 21.0, 1e-6, 0},
    {"pump-hysteresis", 40.0, 1e-6, 0},
    {"relay", 10.0, 1e-6, 0},
    {"reservoir", 10.0, 1e-6, 0},
    {"sampled-thermostat", 24.0, 1e-6, 0},
    {"sawtooth", 10.5, 2e-6, 0},
    {"servo-cascade", 10.0, 1e-6, 0},
    {"simultaneous", 0.9, 1e-6, 0},
    {"sliding", 8.0, 1e-6, 0},
    {"sliding-mode", 5.0, 2e-6, 0},
    {"spirals", 12.0, 2e-6, 0},
    {"square-root-edges", 3.0, 1e-6, 0},
    {"stick-slip", 10.0, 1e-6, 0},
    {"supersonic", 15.0, 2e-6, 0},
    {"thermostat", 24.0, 1e-6, 0},
    {"three-agents", 9.5, 1e-6, 0},
    {"three-body", 7.0, 2e-6, 0},
    {"timers", 5.0, 1e-6, 0},
    {"torricelli", 20.0, 1e-6, 0},
    {"traction", 40.0, 1e-6, 0},
    {"transcendental-guards", 1.0, 1e-6, 0},
    {"two-link-arm", 3.0, 1e-5, 0},
    {"two-link-tracking", 10.0, 1e-6, 0},
    {"van-der-pol", 10.0, 1e-6, 0},
};

/* A perturbed run with other events, as where the model starts on a surface, says nothing. */
static size_t try_direction(plan *p, size_t k, const outcome *exact, double tolerance) {
  double h = 1e-5 * fmax(fabs(p->values[k]), 0.1);
  char up[128], down[128];
  snprintf(up, sizeof up, "%s=%.17g", p->names[k], p->values[k] + h);
  snprintf(down, sizeof down, "%s=%.17g", p->names[k], p->values[k] - h);
  outcome *above = run_model(p, up), *below = run_model(p, down);
  bool same = above->status == exact->status && below->status == exact->status &&
              above->nevents == exact->nevents && below->nevents == exact->nevents;
  if (same) compare(p, k, exact, above, below, h, tolerance);
  free(above);
  free(below);
  return same;
}

static void try_model(const row *r) {
  char path[512];
  snprintf(path, sizeof path, "%s/models/%s/model.hsml", BRINK_SOURCE_DIR, r->model);
  plan p = {.path = path, .end = r->end, .rtol = 1e-12};
  outcome *exact = run_model(&p, NULL);
  size_t compared = 0;
  CHECK_MSG(exact->made && exact->status >= 0, "%s does not run", path);
  CHECK_MSG(exact->limits == r->limits, "%s: limits %u", path, exact->limits);
  for (size_t k = 0; exact->made && k < p.ndirections; k++)
    compared += try_direction(&p, k, exact, r->tolerance);
  CHECK_MSG(compared > 0, "%s: nothing was compared", path);
  free(exact);
}

TEST(derivatives_of_the_models_agree_with_differences_of_their_runs) {
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) try_model(&rows[k]);
}

int main(void) {
  RUN(derivatives_of_the_models_agree_with_differences_of_their_runs);
  return check_done();
}
