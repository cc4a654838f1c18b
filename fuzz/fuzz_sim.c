/* fuzz_sim.c: calls of <brink/brink.h>, <brink/history.h> and <brink/sensitivity.h> in any order, with arguments that are right
 * or wrong, on a model whose callbacks misbehave: they report errors, give values that are no numbers, refuse for ever, are
 * another function from some call on, or call the simulation that calls them.
 *
 * The input is a list of choices: first the model and its mischief, then one call after another. What is promised: a status,
 * never a crash, a leak, or work without an end; a failure has words; where it went on, the present has finite numbers; and no
 * callback can move the simulation that is under way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include <brink/brink.h>
#include <brink/history.h>
#include <brink/sensitivity.h>

enum {
  STATES = 3,
  PARAMETERS = 2,
  MODES = 2,
  GUARDS = 4,
  CLOCKS = 2,
  SIMS = 3,
  CALLS = 40,
  STEPS = 40,
  SLOPES = 3
};

typedef enum mischief {
  MISCHIEF_NONE,
  MISCHIEF_FATAL,    /* returns a negative number */
  MISCHIEF_REFUSES,  /* returns a positive number: once, … */
  MISCHIEF_ALWAYS,   /* … from then on */
  MISCHIEF_NAN,      /* gives no number */
  MISCHIEF_INFINITE, /* … */
  MISCHIEF_HUGE,
  MISCHIEF_OTHER,   /* is another function from then on */
  MISCHIEF_CALLS,   /* calls the simulation */
  MISCHIEF_NOTHING, /* leaves alone what it should write */
  MISCHIEF_COUNT
} mischief;

typedef enum kind {
  KIND_RHS,
  KIND_GUARD,
  KIND_ACTION,
  KIND_TICK,
  KIND_RULES,
  KIND_SINK,
  KIND_COUNT
} kind;

typedef struct slot {
  brink_sim *sim;
  brink_history *history;
  brink_sensitivity *sensitivity;
} slot;

typedef struct world {
  fuzz_choices choices;
  size_t field, reset; /* which right-hand side, which action */
  size_t nclocks;
  double offset[GUARDS];
  size_t guard[GUARDS]; /* which function */
  mischief what[KIND_COUNT];
  size_t when[KIND_COUNT], calls[KIND_COUNT];
  slot slots[SIMS];
  size_t busy; /* the slot whose sim is under way; SIMS: none */
  size_t
      slopes; /* moves with derivatives: by differences, along a stiff field, a step takes a million calls */
} world;

/* ---- mischief ---- */

/* A sim that is under way is read, and nothing else. */
static void call_inside(world *w) {
  if (w->busy >= SIMS) return;
  brink_sim *sim = w->slots[w->busy].sim, *clone = NULL;
  brink_history *history = NULL;
  brink_sensitivity *sensitivity = NULL;
  double x[STATES] = {1.0, 1.0, 1.0}, t = brink_sim_time(sim);
  if (brink_sim_run(sim, t + 1.0, NULL) != BRINK_ERR_ARGUMENT) abort();
  if (brink_sim_advance(sim, t + 1.0, NULL) != BRINK_ERR_ARGUMENT) abort();
  if (brink_sim_next_event(sim, t + 1.0, NULL) != BRINK_ERR_ARGUMENT) abort();
  if (brink_sim_set_state(sim, x, NULL) != BRINK_ERR_ARGUMENT) abort();
  if (brink_sim_set_parameter(sim, 0, 1.0, NULL) != BRINK_ERR_ARGUMENT) abort();
  if (brink_sim_set_mode(sim, 0, 1, NULL) != BRINK_ERR_ARGUMENT) abort();
  if (brink_sim_reset(sim, NULL) != BRINK_ERR_ARGUMENT) abort();
  if (brink_sim_clone(sim, NULL, NULL, NULL, &clone) != BRINK_ERR_ARGUMENT || clone != NULL)
    abort();
  if (brink_history_create(sim, NULL, NULL, NULL, &history) != BRINK_ERR_ARGUMENT) abort();
  if (brink_sensitivity_create(sim, NULL, NULL, NULL, &sensitivity) != BRINK_ERR_ARGUMENT) abort();
  brink_history_destroy(w->slots[w->busy].history); /* does nothing */
  brink_sim_destroy(sim);                           /* does nothing */
  brink_sim_events(sim, NULL);
  brink_sim_sliding(sim, &(brink_slide_record){0});
  brink_sim_at(sim, t, x, NULL);
}

/* Is it this call? `later`: or an earlier one. */
static mischief misbehave(world *w, kind of) {
  size_t call = w->calls[of]++;
  bool lasts = w->what[of] == MISCHIEF_ALWAYS || w->what[of] == MISCHIEF_OTHER;
  if (call < w->when[of] || (call > w->when[of] && !lasts)) return MISCHIEF_NONE;
  if (w->what[of] == MISCHIEF_CALLS) call_inside(w);
  return w->what[of];
}

static int outcome(mischief m) {
  return m == MISCHIEF_FATAL ? -7 : m == MISCHIEF_REFUSES || m == MISCHIEF_ALWAYS ? 1 : 0;
}

static double spoilt(mischief m, double value) {
  return m == MISCHIEF_NAN        ? (double)NAN
         : m == MISCHIEF_INFINITE ? (double)-INFINITY
         : m == MISCHIEF_HUGE     ? 1e300
                                  : value;
}

/* ---- the model ---- */

static int rhs(double t, const double *x, const brink_env *env, double *dx) {
  world *w = env->user;
  mischief m = misbehave(w, KIND_RHS);
  size_t field = w->field + (m == MISCHIEF_OTHER);
  double sign = env->sgn != NULL && env->sgn[0] != 0 ? (double)env->sgn[0] : 0.0;
  if (m == MISCHIEF_NOTHING) return 0;
  switch (field % 8) {
  case 0:
    dx[0] = x[1], dx[1] = -9.81;
    break;
  case 1:
    dx[0] = -x[0] + env->p[0], dx[1] = x[0];
    break;
  case 2:
    dx[0] = -sign, dx[1] = 0.3; /* slides on the first guard */
    break;
  case 3:
    dx[0] = x[0] * x[0], dx[1] = 1.0; /* has a pole */
    break;
  case 4:
    dx[0] = x[1], dx[1] = -100.0 * x[0];
    break;
  case 5:
    dx[0] = -1e6 * (x[0] - cos(t)), dx[1] = x[0]; /* stiff */
    break;
  case 6:
    dx[0] = sqrt(x[0]), dx[1] = (double)env->mode[0];
    break;
  default:
    dx[0] = 0.0, dx[1] = 0.0;
  }
  dx[2] = sin(t);
  dx[0] = spoilt(m, dx[0]);
  return outcome(m);
}

static int guard_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  world *w = env->user;
  mischief m = misbehave(w, KIND_GUARD);
  double offset = w->offset[guard];
  if (m == MISCHIEF_NOTHING) return 0;
  switch ((w->guard[guard] + (m == MISCHIEF_OTHER)) % 6) {
  case 0:
    *g = x[0] - offset;
    break;
  case 1:
    *g = x[1] * x[1] - offset;
    break;
  case 2:
    *g = t - offset;
    break;
  case 3:
    *g = sin(10.0 * t) - offset;
    break;
  case 4:
    *g = 0.0;
    break;
  default:
    *g = sqrt(x[0] - offset);
  }
  *g = spoilt(m, *g);
  return outcome(m);
}

static int gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                    double *dt) {
  const world *w = env->user;
  double offset = w->offset[guard];
  memset(dx, 0, STATES * sizeof *dx);
  *dt = 0.0;
  switch (w->guard[guard] % 6) {
  case 0:
    dx[0] = 1.0;
    break;
  case 1:
    dx[1] = 2.0 * x[1];
    break;
  case 2:
    *dt = 1.0;
    break;
  case 3:
    *dt = 10.0 * cos(10.0 * t);
    break;
  case 4:
    break;
  default:
    dx[0] = 0.5 / sqrt(x[0] - offset);
  }
  return 0;
}

static int change(world *w, kind of, brink_now *now) {
  mischief m = misbehave(w, of);
  switch ((w->reset + (m == MISCHIEF_OTHER)) % 8) {
  case 0:
    now->x[1] = -0.8 * now->x[1];
    break;
  case 1:
    now->mode[0] = 1 - now->mode[0];
    break;
  case 2:
    return BRINK_STOPPED;
  case 3:
    now->p[0] += 1.0;
    break;
  case 4:
    now->x[0] = -now->x[0];
    break;
  case 5:
    if (w->nclocks > 0) now->timer[0] = now->t;
    break;
  case 6:
    if (w->nclocks > 0) now->timer[0] = now->t - 1.0;
    break;
  default:
    break;
  }
  now->x[0] = spoilt(m, now->x[0]);
  if (m == MISCHIEF_FATAL) memset(now->message, '!', BRINK_DIAG_MESSAGE - 1);
  return outcome(m);
}

static int action(const brink_event *event, brink_now *now, void *user) {
  (void)event;
  return change(user, KIND_ACTION, now);
}

static int tick(size_t clock, int64_t number, brink_now *now, void *user) {
  (void)clock, (void)number;
  return change(user, KIND_TICK, now);
}

static int rules(brink_now *now, bool *changed, void *user) {
  world *w = user;
  mischief m = misbehave(w, KIND_RULES);
  *changed = m == MISCHIEF_OTHER;
  if (m == MISCHIEF_HUGE || m == MISCHIEF_NAN) now->p[1] = spoilt(m, 0.0);
  return outcome(m);
}

static int sink_step(const brink_step_record *record, void *user) {
  (void)record;
  return outcome(misbehave(user, KIND_SINK));
}

static int sink_event(const brink_event_record *record, void *user) {
  (void)record;
  return outcome(misbehave(user, KIND_SINK));
}

static void sensitive_event(const brink_sensitivity_event *event, void *user) {
  (void)event;
  misbehave(user, KIND_SINK);
}

static brink_model *make_model(world *w) {
  static const char *const names[GUARDS] = {"one", "two", "three", "four"};
  fuzz_choices *c = &w->choices;
  brink_guard_def guards[GUARDS];
  brink_clock_def clocks[CLOCKS];
  double x0[STATES] = {fuzz_number(c), fuzz_number(c), 0.0}, p0[PARAMETERS] = {fuzz_number(c), 0.0};
  brink_model_def def = brink_default_model();
  brink_model *model = NULL;
  brink_diag diag = {0};
  def.nx = STATES, def.x0 = x0, def.np = PARAMETERS, def.p0 = p0, def.nmodes = MODES;
  def.t0 = fuzz_choose(c, 4) == 0 ? fuzz_number(c) : 0.0;
  def.rhs = rhs, def.user = w;
  def.nguards = fuzz_choose(c, GUARDS + 1), def.guards = guards;
  def.nclocks = w->nclocks = fuzz_choose(c, CLOCKS + 1), def.clocks = clocks;
  for (size_t k = 0; k < def.nguards; k++) {
    guards[k] = brink_default_guard(names[k]);
    guards[k].side = (brink_side)fuzz_choose(c, 4);
    guards[k].direction = (brink_direction)((int)fuzz_choose(c, 3) - 1);
    guards[k].value = guard_value;
    guards[k].gradient = gradient;
    guards[k].action = fuzz_choose(c, 3) > 0 ? action : NULL;
    guards[k].surface = (brink_surface)fuzz_choose(c, 2);
    guards[k].on_surface = fuzz_choose(c, 8) == 7 ? action : NULL;
    guards[k].degree = (int)fuzz_choose(c, 3);
    w->guard[k] = fuzz_choose(c, 6);
    w->offset[k] = fuzz_number(c);
  }
  for (size_t k = 0; k < def.nclocks; k++) {
    clocks[k] = brink_default_clock("clock");
    clocks[k].period = fuzz_choose(c, 2) == 0 ? 0.0 : fabs(fuzz_number(c));
    clocks[k].offset = fuzz_number(c);
    clocks[k].tick = tick;
  }
  def.rules = fuzz_choose(c, 2) == 0 ? NULL : rules;
  brink_status status = brink_model_create(&def, NULL, &diag, &model);
  fuzz_check_refusal(status, &diag);
  if ((status == BRINK_OK) != (model != NULL)) abort();
  return model;
}

/* ---- calls ---- */

static brink_options choose_options(fuzz_choices *c) {
  static const double tolerances[] = {1e-3, 1e-6, 1e-9,  1e-4, 1e-12, 1e-5,
                                      1e-7, 0.0,  1e-14, NAN,  1.0};
  bool wild = fuzz_choose(c, 8) == 7;
  brink_options options = brink_default_options();
  options.method = (brink_method)fuzz_choose(c, 11);
  options.events = (brink_events)fuzz_choose(c, wild ? 6 : 5); /* the last there is not */
  options.rtol = tolerances[fuzz_choose(c, wild ? 11 : 7)];
  options.atol = tolerances[fuzz_choose(c, wild ? 11 : 7)];
  options.step = wild ? fuzz_number(c) : 0.125;
  options.order = wild ? (int)fuzz_choose(c, 20) - 2 : 0;
  options.gain = (brink_gain)fuzz_choose(c, 3);
  if (wild) options.hmax = fuzz_number(c);
  if (wild) options.gamma = fuzz_number(c);
  options.zeno = (brink_zeno_choice)fuzz_choose(c, 2);
  options.audit = true;
  options.max_steps = STEPS;
  options.max_iterations = 20;
  return options;
}

static void check_present(const brink_sim *sim) {
  const double *x = brink_sim_state(sim);
  if (!isfinite(brink_sim_time(sim))) abort();
  for (size_t i = 0; i < STATES; i++)
    if (!isfinite(x[i])) abort();
}

static void drop(slot *s) {
  brink_history_destroy(s->history);
  brink_sensitivity_destroy(s->sensitivity);
  brink_sim_destroy(s->sim);
  *s = (slot){0};
}

static void create(world *w, slot *s, const brink_model *model) {
  brink_options options = choose_options(&w->choices);
  brink_diag diag = {0};
  brink_status status = brink_sim_create(model, &options, NULL, &diag, &s->sim);
  fuzz_check_refusal(status, &diag);
  if ((status == BRINK_OK) != (s->sim != NULL)) abort();
}

static void follow(world *w, slot *s) {
  brink_diag diag = {0};
  brink_status status;
  if (fuzz_choose(&w->choices, 2) == 0) {
    brink_history_destroy(s->history);
    s->history = NULL;
    status = brink_history_create(s->sim, NULL, NULL, &diag, &s->history);
  } else {
    brink_sensitivity_def def = brink_default_sensitivity();
    def.saltation = true;
    def.event = sensitive_event;
    def.user = w;
    brink_sensitivity *made = NULL;
    status = brink_sensitivity_create(s->sim, &def, NULL, &diag, &made); /* one at a time */
    if (status == BRINK_OK && s->sensitivity != NULL) abort();
    if (status == BRINK_OK) s->sensitivity = made;
  }
  fuzz_check_refusal(status, &diag);
}

static void read(world *w, const slot *s) {
  double times[2] = {fuzz_number(&w->choices), brink_sim_time(s->sim)}, out[2 * STATES];
  brink_diag diag = {0};
  size_t count;
  fuzz_check_refusal(brink_sim_at(s->sim, times[0], out, &diag), &diag);
  if (s->history != NULL) {
    const double *rows;
    fuzz_check_refusal(brink_history_at(s->history, times, 2, out, &diag), &diag);
    brink_status status = brink_history_at(s->history, times + 1, 1, out, &diag);
    if (status == BRINK_OK && memcmp(out, brink_sim_state(s->sim), STATES * sizeof *out) != 0)
      abort();
    brink_history_rows(s->history, &rows);
    brink_history_steps(s->history, &rows);
    brink_history_events(s->history, NULL, NULL, NULL);
  }
  if (s->sensitivity != NULL) {
    brink_sensitivity_state(s->sensitivity);
    brink_sensitivity_limits(s->sensitivity);
  }
  brink_slide_record slides[2];
  brink_sim_slides(s->sim, slides, 2);
  brink_sim_events(s->sim, &count);
  brink_sim_looks_stiff(s->sim, &(brink_stiff_record){0});
}

static brink_status intervene(world *w, slot *s, brink_diag *diag) {
  fuzz_choices *c = &w->choices;
  double x[STATES] = {fuzz_number(c), fuzz_number(c), 0.0};
  switch (fuzz_choose(c, 4)) {
  case 0:
    return brink_sim_set_state(s->sim, x, diag);
  case 1:
    return brink_sim_set_parameter(s->sim, fuzz_choose(c, PARAMETERS + 1), x[0], diag);
  case 2:
    return brink_sim_set_mode(s->sim, fuzz_choose(c, MODES + 1), (int)fuzz_choose(c, 3), diag);
  default:
    if (s->sensitivity != NULL) brink_sensitivity_reset(s->sensitivity);
    return brink_sim_reset(s->sim, diag);
  }
}

static brink_status move(world *w, slot *s, brink_diag *diag) {
  fuzz_choices *c = &w->choices;
  if (s->sensitivity != NULL && ++w->slopes > SLOPES) {
    brink_sensitivity_destroy(s->sensitivity);
    s->sensitivity = NULL;
  }
  double t = brink_sim_time(s->sim), by = fuzz_number(c), out[3 * STATES];
  const double times[] = {t + 0.1 * by, t + 0.5 * by, t + by};
  switch (fuzz_choose(c, 4)) {
  case 0:
    return brink_sim_run(s->sim, t + by, diag);
  case 1:
    return brink_sim_advance(s->sim, t + by, diag);
  case 2:
    return brink_sim_next_event(s->sim, t + by, diag);
  default:
    return brink_sim_sample(s->sim, times, 3, out, NULL, diag);
  }
}

/* A clone goes on as its original does, to the last bit, as long as the callbacks have no mischief in them. */
static void clone(world *w, slot *from, slot *to) {
  brink_diag diag = {0};
  brink_status status = brink_sim_clone(from->sim, NULL, NULL, &diag, &to->sim);
  fuzz_check_refusal(status, &diag);
  if ((status == BRINK_OK) != (to->sim != NULL)) abort();
  for (kind k = 0; k < KIND_COUNT; k++)
    if (w->what[k] != MISCHIEF_NONE && w->what[k] != MISCHIEF_CALLS) return;
  if (to->sim == NULL || from->history != NULL || from->sensitivity != NULL) return;
  double t = brink_sim_time(from->sim) + 0.5;
  w->busy = SIMS; /* two of them move */
  brink_sim_set_sink(from->sim, NULL);
  if (brink_sim_run(from->sim, t, NULL) != brink_sim_run(to->sim, t, NULL)) abort();
  if (memcmp(brink_sim_state(from->sim), brink_sim_state(to->sim), STATES * sizeof(double)) != 0)
    abort();
}

static void call(world *w, const brink_model *model) {
  size_t what = fuzz_choose(&w->choices, 12), at = fuzz_choose(&w->choices, SIMS);
  slot *s = &w->slots[at];
  brink_diag diag = {0};
  brink_sink sink = {.step = sink_step, .event = sink_event, .user = w};
  if (s->sim == NULL) {
    create(w, s, model);
    return;
  }
  w->busy = at;
  brink_status status = BRINK_OK;
  switch (what) {
  case 0:
    drop(s);
    break;
  case 1:
    follow(w, s);
    break;
  case 2:
    read(w, s);
    break;
  case 3:
    status = intervene(w, s, &diag);
    break;
  case 4:
    brink_sim_set_sink(s->sim, fuzz_choose(&w->choices, 2) == 0 ? NULL : &sink);
    break;
  case 5: {
    slot *to = &w->slots[(at + 1) % SIMS];
    if (to->sim == NULL) clone(w, s, to);
    break;
  }
  default:
    status = move(w, s, &diag);
  }
  w->busy = SIMS;
  fuzz_check_refusal(status, &diag);
  if (s->sim != NULL && what > 5 && status >= 0) check_present(s->sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  world w = {.choices = {data, data + size}, .busy = SIMS};
  w.field = fuzz_choose(&w.choices, 8);
  w.reset = fuzz_choose(&w.choices, 8);
  for (kind k = 0; k < KIND_COUNT; k++) {
    size_t what = fuzz_choose(&w.choices, 3 * MISCHIEF_COUNT); /* most of them behave */
    w.what[k] = what < MISCHIEF_COUNT ? (mischief)what : MISCHIEF_NONE;
    w.when[k] = w.what[k] != MISCHIEF_NONE ? fuzz_choose(&w.choices, 100) : 0;
  }
  brink_model *model = make_model(&w);
  for (int k = 0; model != NULL && k < CALLS && fuzz_more(&w.choices); k++) call(&w, model);
  for (size_t k = 0; k < SIMS; k++) drop(&w.slots[k]);
  brink_model_destroy(model);
  return 0;
}
