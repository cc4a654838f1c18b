#include "ode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "python_calls.h"

/* ---- Python ---- */

/* What a callable returned: 0, or positive to refuse. If it has raised, the run ends. */
static int answer_of(const brinkpy_ode *ode, int returned) {
  return ode->failed ? -1 : returned;
}

static bool differs(const void *a, const void *b, size_t count, size_t size) {
  return count > 0 && memcmp(a, b, count * size) != 0;
}

static void keep(void *to, const void *from, size_t count, size_t size) {
  if (count > 0) memcpy(to, from, count * size);
}

/* Python's env is made anew when something of it has changed: at events, not in steps. */
static int show_env(brinkpy_ode *ode, const brink_env *env) {
  if (ode->env == NULL) return 0;
  if (!differs(ode->p, env->p, ode->np, sizeof(double)) &&
      !differs(ode->mode, env->mode, ode->nmodes, sizeof(int)) &&
      !differs(ode->sgn, env->sgn, ode->nguards, 1))
    return 0;
  keep(ode->p, env->p, ode->np, sizeof(double));
  keep(ode->mode, env->mode, ode->nmodes, sizeof(int));
  keep(ode->sgn, env->sgn, ode->nguards, 1);
  return answer_of(ode, brinkpy_call(ode->env, 0.0));
}

/* A callable of t, x and env that writes `count` numbers. */
static int call_python(brinkpy_ode *ode, void *callable, double t, const double *x,
                       const brink_env *env, double *out, size_t count) {
  if (ode->failed || show_env(ode, env) != 0) return -1;
  keep(ode->x, x, ode->nx, sizeof(double));
  int answer = answer_of(ode, brinkpy_call(callable, t));
  if (answer == 0) keep(out, ode->out, count, sizeof(double));
  return answer;
}

/* ---- functions ---- */

static double own_time(const brinkpy_ode *ode, double t) {
  return ode->backward ? -t : t;
}

static brink_env own_env(const brinkpy_function *function, const brink_env *env) {
  brink_env own = *env;
  own.user = function->user;
  return own;
}

static int right_hand_side(double t, const double *x, const brink_env *env, double *dx) {
  brinkpy_ode *ode = env->user;
  const brinkpy_function *f = &ode->rhs;
  int answer;
  ode->calls++;
  t = own_time(ode, t);
  if (f->form == BRINKPY_PYTHON) {
    answer = call_python(ode, f->callable, t, x, env, dx, ode->nx);
  } else if (f->form == BRINKPY_SIMPLE) {
    answer = ((brinkpy_simple_fn *)f->code)(t, x, dx, f->user);
  } else {
    brink_env own = own_env(f, env);
    answer = ((brink_rhs_fn *)f->code)(t, x, &own, dx);
  }
  if (ode->backward) {
    for (size_t i = 0; i < ode->nx; i++) dx[i] = -dx[i];
  }
  return answer;
}

static int guard_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  brinkpy_ode *ode = env->user;
  const brinkpy_function *f = &ode->guards[guard].value;
  t = own_time(ode, t);
  if (f->form == BRINKPY_PYTHON) return call_python(ode, f->callable, t, x, env, g, 1);
  if (f->form == BRINKPY_SIMPLE) return ((brinkpy_simple_fn *)f->code)(t, x, g, f->user);
  brink_env own = own_env(f, env);
  return ((brink_guard_fn *)f->code)(guard, t, x, &own, g);
}

static int guard_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                          double *dt) {
  brinkpy_ode *ode = env->user;
  const brinkpy_guard *own_guard = &ode->guards[guard];
  const brinkpy_function *f = &own_guard->gradient;
  if (f->form == BRINKPY_PYTHON) {
    int answer = call_python(ode, f->callable, t, x, env, dx, own_guard->ndepends);
    if (answer == 0) *dt = ode->out[own_guard->ndepends];
    return answer;
  }
  if (f->form == BRINKPY_SIMPLE)
    return ((brinkpy_simple_gradient_fn *)f->code)(t, x, dx, dt, f->user);
  brink_env own = own_env(f, env);
  return ((brink_gradient_fn *)f->code)(guard, t, x, &own, dx, dt);
}

/* ---- the Jacobian ---- */

/* All columns of one colour at once: no row has an entry in two of them (Curtis, Powell & Reid 1974). One-sided, with the
 * increments of the library's own differences. */
static int colour_differences(brinkpy_ode *ode, double t, const double *x, const brink_env *env,
                              double *values) {
  int answer = right_hand_side(t, x, env, ode->field);
  for (size_t colour = 0; answer == 0 && colour < ode->ncolours; colour++) {
    keep(ode->moved, x, ode->nx, sizeof(double));
    for (size_t j = 0; j < ode->nx; j++) {
      if (ode->colours[j] != colour) continue;
      double size = fmax(fabs(x[j]), ode->scale[j]);
      ode->moved[j] += (x[j] > 0.0 ? -0x1p-26 : 0x1p-26) * (size > 0.0 ? size : 1.0);
    }
    answer = right_hand_side(t, ode->moved, env, ode->moved_field);
    for (size_t j = 0; answer == 0 && j < ode->nx; j++) {
      if (ode->colours[j] != colour) continue;
      double d = ode->moved[j] - x[j]; /* what was really added */
      for (size_t e = ode->starts[j]; e < ode->starts[j + 1]; e++)
        values[e] = (ode->moved_field[ode->rows[e]] - ode->field[ode->rows[e]]) / d;
    }
  }
  return answer;
}

static int jacobian(double t, const double *x, const brink_env *env, double *values) {
  brinkpy_ode *ode = env->user;
  const brinkpy_function *f = &ode->jacobian;
  if (f->form == BRINKPY_COLOUR) return colour_differences(ode, t, x, env, values);
  int answer = 0;
  if (f->form == BRINKPY_PYTHON) {
    if (ode->failed || show_env(ode, env) != 0) return -1;
    keep(ode->x, x, ode->nx, sizeof(double));
    answer = answer_of(ode, brinkpy_call(f->callable, own_time(ode, t)));
  } else if (f->form == BRINKPY_SIMPLE) {
    answer = ((brinkpy_simple_fn *)f->code)(own_time(ode, t), x, values, f->user);
  } else if (f->form == BRINKPY_ENV) {
    brink_env own = own_env(f, env);
    answer = ((brink_jacobian_fn *)f->code)(own_time(ode, t), x, &own, values);
  }
  if (answer == 0 && (f->form == BRINKPY_PYTHON || f->form == BRINKPY_FIXED))
    keep(values, ode->matrix, ode->entries, sizeof(double));
  for (size_t e = 0; ode->backward && e < ode->entries; e++) values[e] = -values[e];
  return answer;
}

/* ---- series ---- */

static int series(int order, double t, double unit, const double *x, const brink_env *env,
                  double *const *xj) {
  brinkpy_ode *ode = env->user;
  const brinkpy_function *f = &ode->series;
  if (f->form == BRINKPY_ENV) {
    brink_env own = own_env(f, env);
    return ((brink_flow_jet_fn *)f->code)(order, t, unit, x, &own, xj);
  }
  if (ode->failed || show_env(ode, env) != 0) return -1;
  keep(ode->x, x, ode->nx, sizeof(double));
  int answer = answer_of(ode, brinkpy_expand(f->callable, order, t, unit));
  size_t width = (size_t)order + 1;
  for (size_t i = 0; answer == 0 && i < ode->nx; i++)
    keep(xj[i], ode->jets + i * width, width, sizeof(double));
  return answer;
}

/* States that the guard does not depend on have no series: Python sees zeros there. */
static int guard_jet(size_t guard, int order, const double *t, const double *const *x,
                     const brink_env *env, double *g) {
  brinkpy_ode *ode = env->user;
  const brinkpy_guard *own_guard = &ode->guards[guard];
  const brinkpy_function *f = &own_guard->jet;
  if (f->form == BRINKPY_ENV) {
    brink_env own = own_env(f, env);
    return ((brink_guard_jet_fn *)f->code)(guard, order, t, x, &own, g);
  }
  if (ode->failed || show_env(ode, env) != 0) return -1;
  size_t width = (size_t)order + 1;
  memset(ode->jets, 0, (1 + ode->nx) * width * sizeof(double));
  keep(ode->jets, t, width, sizeof(double));
  for (size_t k = 0; k < own_guard->ndepends; k++) {
    size_t i = own_guard->depends[k];
    keep(ode->jets + (1 + i) * width, x[i], width, sizeof(double));
  }
  int answer = answer_of(ode, brinkpy_expand(f->callable, order, t[0], 1.0));
  if (answer == 0) keep(g, ode->out, width, sizeof(double));
  return answer;
}

/* ---- constraints ---- */

static const brink_structure *structure(const brink_env *env, char *message) {
  (void)message;
  return ((const brinkpy_ode *)env->user)->structure;
}

static int residual(const brink_structure *s, double t, const double *x, const brink_env *env,
                    double *r) {
  brinkpy_ode *ode = env->user;
  const brinkpy_function *f = &ode->residual;
  (void)s;
  if (f->form == BRINKPY_PYTHON) return call_python(ode, f->callable, t, x, env, r, ode->nrows);
  return ((brinkpy_simple_fn *)f->code)(t, x, r, f->user);
}

static int derivatives(const brink_structure *s, double t, const double *x, const brink_env *env,
                       double *values) {
  brinkpy_ode *ode = env->user;
  const brinkpy_function *f = &ode->derivatives;
  (void)s;
  if (f->form == BRINKPY_SIMPLE) return ((brinkpy_simple_fn *)f->code)(t, x, values, f->user);
  if (ode->failed || show_env(ode, env) != 0) return -1;
  keep(ode->x, x, ode->nx, sizeof(double));
  int answer = answer_of(ode, brinkpy_call(f->callable, t));
  if (answer == 0) keep(values, ode->derivative_values, ode->nderivatives, sizeof(double));
  return answer;
}

/* ---- instants ---- */

static bool enabled(size_t guard, const brink_env *env) {
  brinkpy_ode *ode = env->user;
  void *callable = ode->guards[guard].enabled;
  if (callable == NULL) return true;
  if (ode->failed || show_env(ode, env) != 0) return false;
  return brinkpy_call(callable, 0.0) == 0;
}

static int action(const brink_event *event, brink_now *now, void *user) {
  brinkpy_ode *ode = user;
  if (ode->failed) return -1;
  return answer_of(ode, brinkpy_act(ode->guards[event->guard].action, event, 0, now));
}

static int on_surface(const brink_event *event, brink_now *now, void *user) {
  brinkpy_ode *ode = user;
  if (ode->failed) return -1;
  return answer_of(ode, brinkpy_act(ode->guards[event->guard].on_surface, event, 0, now));
}

static int tick(size_t clock, int64_t count, brink_now *now, void *user) {
  brinkpy_ode *ode = user;
  if (ode->failed) return -1;
  if (ode->ticks[clock] == NULL) return 0;
  return answer_of(ode, brinkpy_act(ode->ticks[clock], NULL, count, now));
}

static int rules(brink_now *now, bool *changed, void *user) {
  brinkpy_ode *ode = user;
  if (ode->failed) return -1;
  return answer_of(ode, brinkpy_apply_rules(ode->rules, now, changed));
}

static int zeno(const size_t *guards, size_t count, brink_now *now, void *user) {
  brinkpy_ode *ode = user;
  if (ode->failed) return -1;
  return answer_of(ode, brinkpy_accumulate(ode->zeno, guards, count, now));
}

void brinkpy_ode_callbacks(brinkpy_ode *ode, brink_model_def *def, brink_guard_def *guards,
                           brink_clock_def *clocks, brink_constraints_def *constraints) {
  def->user = ode;
  if (ode->rhs.form != BRINKPY_NONE) def->rhs = right_hand_side;
  if (ode->jacobian.form != BRINKPY_NONE) def->jacobian = jacobian;
  if (ode->series.form != BRINKPY_NONE) def->flow_jet = series;
  if (ode->structure != NULL) {
    constraints->structure = structure;
    constraints->residual = residual;
    if (ode->derivatives.form != BRINKPY_NONE) constraints->derivatives = derivatives;
    def->constraints = constraints;
  }
  if (ode->rules != NULL) def->rules = rules;
  if (ode->zeno != NULL) def->zeno = zeno;
  for (size_t k = 0; k < def->nguards; k++) {
    const brinkpy_guard *own = &ode->guards[k];
    if (own->value.form != BRINKPY_NONE) guards[k].value = guard_value;
    if (own->gradient.form != BRINKPY_NONE) guards[k].gradient = guard_gradient;
    if (own->jet.form != BRINKPY_NONE) guards[k].jet = guard_jet;
    if (own->action != NULL) guards[k].action = action;
    if (own->on_surface != NULL) guards[k].on_surface = on_surface;
    guards[k].watched = own->enabled != NULL ? BRINK_WATCHED_ASKED : BRINK_WATCHED_ALWAYS;
    if (own->enabled != NULL) def->enabled = enabled;
  }
  for (size_t k = 0; k < def->nclocks; k++) clocks[k].tick = tick;
}

/* ---- derivatives ---- */

/* Room for one more row; NULL: there is none, which ends the run. */
static double *new_row(brinkpy_ode *ode, brinkpy_rows *rows) {
  if (rows->count == rows->capacity) {
    size_t capacity = rows->capacity > 0 ? 2 * rows->capacity : 64;
    size_t row = rows->width * sizeof(double);
    double *grown = capacity <= SIZE_MAX / (row + 1) ? realloc(rows->values, capacity * row) : NULL;
    ode->out_of_memory = grown == NULL;
    if (grown == NULL) return NULL;
    rows->values = grown;
    rows->capacity = capacity;
  }
  return rows->values + rows->width * rows->count++;
}

static bool note_derivatives(brinkpy_ode *ode, double t, const double *dx) {
  double *row = new_row(ode, &ode->tangents);
  if (row == NULL) return false;
  row[0] = t;
  keep(row + 1, dx, ode->nx * ode->ndirections, sizeof(double));
  return true;
}

/* Of several events of an instant, all have the derivatives after it: one row will do. */
static bool is_noted(const brinkpy_ode *ode, double t, const double *dx) {
  const brinkpy_rows *rows = &ode->tangents;
  const double *last = rows->values + rows->width * (rows->count - 1);
  return rows->count > 0 && last[0] == t &&
         !differs(last + 1, dx, ode->nx * ode->ndirections, sizeof(double));
}

static void on_event_derivatives(const brink_sensitivity_event *event, void *user) {
  brinkpy_ode *ode = user;
  size_t count = ode->ndirections;
  if (!is_noted(ode, event->event->t, event->after) &&
      !note_derivatives(ode, event->event->t, event->after))
    return;
  double *row = new_row(ode, &ode->event_tangents);
  if (row == NULL) return;
  keep(row, event->time, count, sizeof(double));
  for (size_t i = 0; i < ode->nx; i++) {
    for (size_t k = 0; k < count; k++)
      row[count + i * count + k] = event->after[i * count + k] + event->f_after[i] * event->time[k];
  }
}

brink_status brinkpy_ode_differentiate(brinkpy_ode *ode, brink_sim *sim, size_t count,
                                       const double *x, const double *p, brink_diag *diag) {
  brink_sensitivity_def def = brink_default_sensitivity();
  def.count = count;
  def.x = x;
  def.p = p;
  def.event = on_event_derivatives;
  def.user = ode;
  ode->ndirections = count;
  ode->tangents.width = 1 + ode->nx * count;
  ode->event_tangents.width = count + ode->nx * count;
  brink_status status = brink_sensitivity_create(sim, &def, NULL, diag, &ode->sensitivity);
  if (status == BRINK_OK &&
      !note_derivatives(ode, brink_sim_time(sim), brink_sensitivity_state(ode->sensitivity)))
    status = BRINK_ERR_MEMORY;
  return status;
}

void brinkpy_ode_reset(brinkpy_ode *ode, brink_sim *sim) {
  if (ode->sensitivity == NULL) return;
  brink_sensitivity_reset(ode->sensitivity);
  ode->tangents.count = ode->event_tangents.count = 0;
  note_derivatives(ode, brink_sim_time(sim), brink_sensitivity_state(ode->sensitivity));
}

void brinkpy_ode_written(brinkpy_ode *ode, brink_sim *sim) {
  if (ode->sensitivity == NULL) return;
  const double *dx = brink_sensitivity_state(ode->sensitivity);
  if (!is_noted(ode, brink_sim_time(sim), dx)) note_derivatives(ode, brink_sim_time(sim), dx);
}

void brinkpy_ode_release(brinkpy_ode *ode) {
  brink_sensitivity_destroy(ode->sensitivity);
  free(ode->tangents.values);
  free(ode->event_tangents.values);
  ode->sensitivity = NULL;
  ode->tangents = ode->event_tangents = (brinkpy_rows){0};
}

/* ---- the sink ---- */

static int on_step(const brink_step_record *record, void *user) {
  brinkpy_ode *ode = user;
  return !note_derivatives(ode, record->t1, brink_sensitivity_state(ode->sensitivity));
}

static int on_event(const brink_event_record *record, void *user) {
  brinkpy_ode *ode = user;
  int64_t *left = &ode->guards[record->event.guard].stop_after;
  return *left > 0 && --*left == 0;
}

static int on_near_miss(const brink_near_miss *record, void *user) {
  brinkpy_ode *ode = user;
  return answer_of(ode, brinkpy_note_near_miss(ode->near_miss, record));
}

static int on_slide(const brink_slide_record *record, void *user) {
  brinkpy_ode *ode = user;
  return answer_of(ode, brinkpy_note_slide(ode->slide, record));
}

void brinkpy_ode_sink(brinkpy_ode *ode, brink_sim *sim) {
  brink_sink sink = {.user = ode};
  for (size_t k = 0; k < ode->nguards; k++) {
    if (ode->guards[k].stop_after > 0) sink.event = on_event;
  }
  if (ode->sensitivity != NULL) sink.step = on_step;
  if (ode->near_miss != NULL) sink.near_miss = on_near_miss;
  if (ode->slide != NULL) sink.slide = on_slide;
  brink_sim_set_sink(sim, &sink);
}
