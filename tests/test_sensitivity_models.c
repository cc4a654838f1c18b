/* Derivatives of the models of this repository against differences of their runs: every initial state and
 * every knob (of larger models the first few), at the end and at every event. Differences of runs in double
 * precision are good to five or six digits; oracle_sensitivity.c has more of them, for fewer models. */
#include "lang/knobs.h"
#include "model/model.h"
#include "native/native.h"
#include "sim/sensitivity.h"

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
  brink_event_kind kind[MAX_EVENTS];
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
  to->kind[event->index] = event->event->kind;
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
  brink_text usage = {0};
  brink_diag diag = {0};
  brink_unit *unit = parse(p->path);
  brink_system *system =
      unit != NULL && unit->nerrors == 0 ? brink_flatten(unit, &options, NULL, &usage) : NULL;
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
  brink_text_free(&usage);
  free(x);
  free(q);
  return out;
}

int main(int argc, char **argv) {
  for (int a = 1; a + 1 < argc; a += 2) {
    plan p = {.path = argv[a], .end = atof(argv[a + 1]), .rtol = 1e-12};
    outcome *exact = run_model(&p, NULL);
    printf("%s: made %d status %d events %zu limits %u\n", p.path, exact->made, exact->status,
           exact->nevents, exact->limits);
    for (size_t k = 0; exact->made && k < p.ndirections; k++) {
      double h = 1e-5 * fmax(fabs(p.values[k]), 0.1);
      char up[128], down[128];
      snprintf(up, sizeof up, "%s=%.17g", p.names[k], p.values[k] + h);
      snprintf(down, sizeof down, "%s=%.17g", p.names[k], p.values[k] - h);
      outcome *above = run_model(&p, up), *below = run_model(&p, down);
      if (!above->made || !below->made || above->nevents != exact->nevents ||
          below->nevents != exact->nevents) {
        printf("  %s: %d %d events %zu %zu %zu\n", p.names[k], above->made, below->made,
               above->nevents, exact->nevents, below->nevents);
      } else {
        double worst = 0, worst_t = 0;
        size_t wi = 0, we = 0;
        for (size_t i = 0; i < exact->nx; i++) {
          double d = (above->x[i] - below->x[i]) / (2 * h), m = exact->m[i * p.ndirections + k];
          double e = fabs(d - m) / (fabs(d) + 1e-2);
          if (!(e <= worst)) worst = e, wi = i;
        }
        for (size_t e = 0; e < exact->nevents && e < MAX_EVENTS; e++) {
          double d = (above->t[e] - below->t[e]) / (2 * h), m = exact->dt[e][k];
          double err = fabs(d - m) / (fabs(d) + 1e-2);
          if (!(err <= worst_t)) worst_t = err, we = e;
        }
        printf("  %-20s state %.1e", p.names[k], worst);
        if (worst > 1e-5)
          printf(" [%zu: %g, difference %g]", wi, exact->m[wi * p.ndirections + k],
                 (above->x[wi] - below->x[wi]) / (2 * h));
        printf(" time %.1e", worst_t);
        if (worst_t > 1e-5)
          printf(" [%zu at %g kind %d: %g, difference %g]", we, exact->t[we], exact->kind[we],
                 exact->dt[we][k], (above->t[we] - below->t[we]) / (2 * h));
        printf("\n");
      }
      free(above);
      free(below);
    }
    free(exact);
  }
  return check_done();
}
