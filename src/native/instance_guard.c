/* instance_guard.c: flags become guards (see instance.h).
 *
 * A guard whose value is linear, with coefficients that are constant during a run, is given to the model as
 * numbers (a unilateral one also with its value, which then equals the formula to the bit). Every other guard has a
 * value, a gradient and, unless it is linear, a series. From its degree the model knows whether the series is exact. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "native/instance.h"

/* ---- gradients ---- */

brink_status brink_instance_bind_gradient(brink_instance *instance, uint32_t flag,
                                          brink_diag *diag) {
  const brink_kernel *value = instance->system->flags[flag].value;
  brink_bound_flag *bound = &instance->flags[flag];
  brink_node node = value->outputs[0].node;
  brink_kernel *gradient =
      brink_graph_degree(&value->graph, node, &bound->degree)
          ? brink_derive_gradient(&instance->shared->arena, value, &bound->refs, &bound->nrefs)
          : NULL;
  if (gradient != NULL) /* it is there already: this finds it */
    bound->root = brink_graph_copy(&gradient->graph, &value->graph, node, NULL, NULL);
  if (gradient == NULL || bound->root == BRINK_NO_NODE ||
      !brink_instance_task(instance, gradient, &bound->gradient))
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the gradient of flag '%s'",
                          instance->system->flags[flag].name);
  bound->gradient_kernel = gradient;
  return BRINK_OK;
}

/* ---- callbacks ---- */

static brink_frame env_frame(const brink_instance *instance, double t, const double *x,
                             const brink_env *env) {
  return brink_instance_frame(instance, t, x, env->p, env->mode, env->sgn);
}

static int guard_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  brink_instance *instance = env->user;
  brink_guard_place place = instance->places[guard];
  const brink_task *value = &instance->flags[place.flag].value;
  brink_instance_look(instance, t);
  brink_frame frame = env_frame(instance, t, x, env);
  brink_instance_prepare(instance, value, &frame);
  brink_instance_run(instance, value, &frame, place.index, 1);
  *g = instance->outputs[0];
  return brink_instance_functions_failed(instance) ? -1 : 0;
}

static int guard_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                          double *dt) {
  brink_instance *instance = env->user;
  brink_guard_place place = instance->places[guard];
  const brink_bound_flag *bound = &instance->flags[place.flag];
  brink_frame frame = env_frame(instance, t, x, env);
  brink_instance_run(instance, &bound->gradient, &frame, place.index, 1);
  *dt = instance->outputs[bound->nrefs];
  const uint32_t *merge = bound->merge != NULL ? bound->merge[place.index] : NULL;
  if (merge == NULL) {
    memcpy(dx, instance->outputs, bound->nrefs * sizeof *dx);
    return 0;
  }
  memset(dx, 0, instance->model->guards[guard].def.ndepends * sizeof *dx);
  for (size_t k = 0; k < bound->nrefs; k++) dx[merge[k]] += instance->outputs[k];
  return 0;
}

/* The gradient of a guard that reads what all equations compute: central differences. */
static int guard_differences(size_t guard, double t, const double *x, const brink_env *env,
                             double *dx, double *dt) {
  brink_instance *instance = env->user;
  size_t nx = instance->system->nx;
  double cube_root = 6.1e-6; /* of the rounding unit: balances truncation and rounding */
  double above, below, *probe = instance->probe;
  if (nx > 0) memcpy(probe, x, nx * sizeof *x);
  for (size_t i = 0; i < nx; i++) {
    double d = cube_root * fmax(fabs(x[i]), 1e-3);
    probe[i] = x[i] + d;
    guard_value(guard, t, probe, env, &above);
    probe[i] = x[i] - d;
    guard_value(guard, t, probe, env, &below);
    probe[i] = x[i];
    dx[i] = (above - below) / (2.0 * d);
  }
  /* Time has no natural size: its origin may be far away. */
  double d = fmax(cube_root * fmin(fmax(fabs(t), 1e-3), 1.0), 1e3 * DBL_EPSILON * fabs(t));
  guard_value(guard, t + d, x, env, &above);
  guard_value(guard, t - d, x, env, &below);
  *dt = (above - below) / (2.0 * d);
  return 0;
}

static int guard_jet(size_t guard, int order, const double *t, const double *const *x,
                     const brink_env *env, double *g) {
  brink_instance *instance = env->user;
  if (order > BRINK_JET_MAX_ORDER) return 1;
  brink_instance_look(instance, t[0]);
  brink_guard_place place = instance->places[guard];
  brink_frame frame = env_frame(instance, t[0], NULL, env);
  const brink_bound_flag *bound = &instance->flags[place.flag];
  if (instance->native != NULL && bound->jet != NULL)
    bound->jet(&frame, &instance->tables, place.index, order, t, x, g);
  else
    brink_series_run(bound->series, &frame, place.index, order, t, x, g, instance->jet_scratch);
  return 0;
}

static bool guard_enabled(size_t guard, const brink_env *env) {
  brink_instance *instance = env->user;
  brink_guard_place place = instance->places[guard];
  const brink_task *enabled = &instance->flags[place.flag].enabled;
  if (enabled->kernel == NULL) return true;
  brink_frame frame = env_frame(instance, 0.0, NULL, env);
  brink_instance_run(instance, enabled, &frame, place.index, 1);
  return instance->outputs[0] != 0.0;
}

/* ---- definitions ---- */

/* What the definition of all guards works with. */
typedef struct definer {
  brink_instance *instance;
  brink_arena *arena;
  brink_guard_def *guards;
  const char *const *names;
  bool *fixed_p, *fixed_mode; /* slots that no action writes */
  uint32_t *stamp, *place;    /* of each state: the guard that met it last, and where it put it */
  double *zero;               /* a state at the origin */
  double *room;               /* for bounds */
  bool *unbounded;            /* flags that have none */
  bool *read;                 /* guards whose signs the right-hand side reads */
} definer;

static bool find_read(definer *d) {
  const brink_program *rhs = &d->instance->system->rhs;
  d->read = brink_arena_take(d->arena, d->instance->system->nguards, sizeof *d->read);
  if (d->read == NULL) return false;
  for (size_t k = 0; k < rhs->nkernels; k++) {
    const brink_kernel *kernel = rhs->kernels[k];
    for (size_t r = 0; r < kernel->graph.nrefs; r++) {
      const brink_ref *ref = &kernel->graph.refs[r];
      if (ref->space != BRINK_SPACE_SIGN) continue;
      for (size_t i = 0; i < kernel->count; i++) d->read[brink_ref_slot(ref, i)] = true;
    }
  }
  return true;
}

/* Parameters that do not vary are constant during a run, and so are the tolerances. */
static bool find_fixed(definer *d) {
  const brink_system *system = d->instance->system;
  const brink_instance_options *options = &d->instance->options;
  d->fixed_p = brink_arena_take(d->arena, system->np, sizeof *d->fixed_p);
  d->fixed_mode = brink_arena_take(d->arena, system->nmodes, sizeof *d->fixed_mode);
  d->stamp = brink_arena_take(d->arena, system->nx, sizeof *d->stamp);
  d->place = brink_arena_take(d->arena, system->nx, sizeof *d->place);
  d->zero = brink_arena_take(d->arena, system->nx, sizeof *d->zero);
  if (d->arena->failed) return false;
  for (size_t k = 0; k < system->nvariables; k++) {
    const brink_variable *variable = &system->variables[k];
    if (variable->kind != BRINK_VARIABLE_PARAMETER || options->parameters_vary) continue;
    bool *fixed = variable->space == BRINK_SPACE_P      ? d->fixed_p
                  : variable->space == BRINK_SPACE_MODE ? d->fixed_mode
                                                        : NULL;
    const bool *varies =
        variable->space == BRINK_SPACE_P ? options->varies_p : options->varies_mode;
    size_t count = system->groups[variable->group].count * variable->length;
    for (size_t i = variable->base; fixed != NULL && i < variable->base + count; i++)
      fixed[i] = varies == NULL || !varies[i];
  }
  if (system->rtol_slot < system->np) d->fixed_p[system->rtol_slot] = true;
  if (system->atol_slot < system->np) d->fixed_p[system->atol_slot] = true;
  return true;
}

/* Does this instance of a flag read only states, and what stays the same? */
static bool is_fixed(const definer *d, const brink_graph *graph, size_t index) {
  for (size_t k = 0; k < graph->nrefs; k++) {
    const brink_ref *ref = &graph->refs[k];
    if (ref->space == BRINK_SPACE_X || ref->space == BRINK_SPACE_K) continue;
    if (ref->space != BRINK_SPACE_P && ref->space != BRINK_SPACE_MODE) return false;
    const bool *fixed = ref->space == BRINK_SPACE_P ? d->fixed_p : d->fixed_mode;
    for (size_t e = 0; e < brink_ref_extent(ref); e++)
      if (!fixed[brink_ref_element(ref, index, e)]) return false;
  }
  return true;
}

/* The states that one instance reads, each once. bound->merge: where several refs are the same state. */
static bool find_depends(definer *d, brink_bound_flag *bound, size_t count, size_t index,
                         uint32_t guard, brink_guard_def *def) {
  const brink_graph *graph = &bound->gradient.kernel->graph;
  size_t *depends = brink_arena_pack(d->arena, bound->nrefs, sizeof *depends);
  if (depends == NULL) return false;
  def->depends = depends;
  for (size_t k = 0; k < bound->nrefs; k++) {
    size_t slot = brink_ref_slot(&graph->refs[bound->refs[k]], index);
    if (d->stamp[slot] == guard + 1) continue;
    d->stamp[slot] = guard + 1;
    d->place[slot] = (uint32_t)def->ndepends;
    depends[def->ndepends++] = slot;
  }
  if (def->ndepends == bound->nrefs) return true;
  brink_arena *arena = &d->instance->shared->arena;
  if (bound->merge == NULL) {
    bound->merge = brink_arena_take(arena, count, sizeof *bound->merge);
    if (bound->merge == NULL) return false;
  }
  uint32_t *merge = brink_arena_pack(arena, bound->nrefs, sizeof *merge);
  if (merge == NULL) return false;
  for (size_t k = 0; k < bound->nrefs; k++)
    merge[k] = d->place[brink_ref_slot(&graph->refs[bound->refs[k]], index)];
  bound->merge[index] = merge;
  return true;
}

/* A linear guard by numbers: its value at the origin and its derivatives. Numbers that are not finite
 * leave it to the callbacks. False: out of memory. */
static bool find_numbers(definer *d, brink_bound_flag *bound, size_t index, brink_guard_def *def) {
  brink_instance *instance = d->instance;
  double *coefficients = brink_arena_pack(d->arena, def->ndepends, sizeof *coefficients);
  if (coefficients == NULL) return false;
  brink_frame frame =
      brink_instance_frame(instance, 0.0, d->zero, instance->p0, instance->mode0, NULL);
  brink_instance_run(instance, &bound->value, &frame, index, 1);
  double offset = instance->outputs[0];
  brink_instance_run(instance, &bound->gradient, &frame, index, 1);
  const uint32_t *merge = bound->merge != NULL ? bound->merge[index] : NULL;
  for (size_t k = 0; k < def->ndepends; k++) coefficients[k] = 0.0;
  for (size_t k = 0; k < bound->nrefs; k++)
    coefficients[merge != NULL ? merge[k] : k] += instance->outputs[k];
  double rate = instance->outputs[bound->nrefs];
  bool finite = isfinite(offset) && isfinite(rate);
  for (size_t k = 0; k < def->ndepends; k++) finite = finite && isfinite(coefficients[k]);
  if (!finite) return true;
  def->coefficients = coefficients;
  def->offset = offset;
  def->time_coefficient = rate;
  return true;
}

/* A state, a parameter, a number or the time, as it is. */
static bool is_leaf(const brink_graph *graph, brink_node node) {
  brink_op op = (brink_op)graph->nodes[node].op;
  return op == BRINK_OP_CONST || op == BRINK_OP_TIME || op == BRINK_OP_REF;
}

/* One rounding at most: the sum of the numbers is what the formula gives, to the bit. */
static bool is_short(const brink_graph *graph, brink_node node) {
  const brink_expr_node *top = &graph->nodes[node];
  if (is_leaf(graph, node)) return true;
  if (top->op == BRINK_OP_NEG) return is_leaf(graph, top->a);
  return (top->op == BRINK_OP_ADD || top->op == BRINK_OP_SUB) && is_leaf(graph, top->a) &&
         is_leaf(graph, top->b);
}

/* Where the side counts to the last bit, the guard is what the equations compute: an edge that is written there
 * once more must not be past zero while the sum of the numbers, added in another order, is not. */
static void keep_formula(brink_bound_flag *bound, const brink_flag *flag, brink_guard_def *def) {
  if (def->side != BRINK_UNILATERAL && def->side != BRINK_LEAF) return;
  if (is_short(&flag->value->graph, flag->value->outputs[0].node)) return;
  bound->asked = true;
  def->value = guard_value;
}

/* One bound for each state that the guard depends on. False: out of memory. */
static bool find_bounds(definer *d, uint32_t f, size_t index, brink_guard_def *def) {
  const brink_bound_flag *bound = &d->instance->flags[f];
  const double *slopes;
  if (d->unbounded[f]) return true;
  if (!brink_instance_lipschitz(d->instance, bound, index, d->fixed_p, d->fixed_mode, d->room,
                                &slopes)) {
    d->unbounded[f] = true;
    return true;
  }
  double *lipschitz = brink_arena_pack(d->arena, def->ndepends, sizeof *lipschitz);
  if (lipschitz == NULL) return false;
  const uint32_t *merge = bound->merge != NULL ? bound->merge[index] : NULL;
  for (size_t k = 0; k < bound->nrefs; k++) lipschitz[merge != NULL ? merge[k] : k] += slopes[k];
  def->lipschitz = lipschitz;
  def->lipschitz_time = slopes[bound->nrefs];
  return true;
}

static bool take_bounds_room(definer *d) {
  const brink_instance *instance = d->instance;
  size_t most = 0;
  d->unbounded = brink_arena_take(d->arena, instance->system->nflags, sizeof *d->unbounded);
  if (d->unbounded == NULL) return false;
  for (size_t f = 0; f < instance->system->nflags; f++) {
    if (instance->flags[f].gradient.kernel == NULL) continue;
    size_t size = brink_instance_bound_room(&instance->flags[f]);
    d->unbounded[f] = size == 0;
    if (size > most) most = size;
  }
  d->room = brink_arena_take(d->arena, most, sizeof *d->room);
  return d->room != NULL;
}

/* A guard of computed variables may depend on every state. Its gradient costs two evaluations for each of them, so
 * it is given only where the simulator needs one. */
static void define_computed(brink_guard_def *def) {
  def->value = guard_value;
  if (def->side == BRINK_UNILATERAL) def->gradient = guard_differences;
}

static bool define_value(definer *d, uint32_t f, size_t index, uint32_t guard,
                         brink_guard_def *def) {
  brink_bound_flag *bound = &d->instance->flags[f];
  size_t count = d->instance->system->flags[f].count;
  def->tangent = brink_instance_guard_tangent;
  if (bound->value.kernel->reads_v) {
    bound->asked = true;
    define_computed(def);
    return true;
  }
  def->rate_tangent = brink_instance_rate_tangent;
  if (!find_depends(d, bound, count, index, guard, def)) return false;
  bool linear = bound->degree == 0 || bound->degree == 1;
  if (linear && is_fixed(d, &bound->gradient.kernel->graph, index) &&
      !find_numbers(d, bound, index, def))
    return false;
  if (def->coefficients != NULL) {
    keep_formula(bound, &d->instance->system->flags[f], def);
    return true;
  }
  bound->asked = true;
  const brink_kernel *kernel = d->instance->system->flags[f].value;
  bool reads_time;
  if (!brink_graph_reads_time(&kernel->graph, kernel->outputs[0].node, &reads_time)) return false;
  def->timeless = !reads_time;
  bound->has_jet = bound->series != NULL;
  def->value = guard_value;
  def->gradient = guard_gradient;
  def->jet = bound->has_jet ? guard_jet : NULL;
  def->degree = linear ? 1 : bound->degree < 0 ? 0 : bound->degree;
  return find_bounds(d, f, index, def);
}

static bool define_formula(definer *d, const brink_flag *flag, size_t index, brink_guard_def *def) {
  int *formula = brink_arena_pack(d->arena, flag->formula_length, sizeof *formula);
  if (formula == NULL) return false;
  for (size_t k = 0; k < flag->formula_length; k++) {
    int32_t leaf = flag->formula[k];
    formula[k] = leaf < 0 ? (int)leaf : (int)d->instance->system->flags[leaf].guard[index];
  }
  def->formula = formula;
  def->formula_length = flag->formula_length;
  return true;
}

static bool define_timer(const brink_flag *flag, size_t index, brink_guard_def *def) {
  def->is_timer = true;
  def->timer = flag->time[index];
  return true;
}

static size_t guard_of(const brink_system *system, uint32_t flag, size_t index) {
  return flag == BRINK_NO_INDEX ? BRINK_NONE : system->flags[flag].guard[index];
}

static bool reads_space(const brink_kernel *kernel, brink_space space) {
  if (kernel->reads_v) return true; /* whatever its variables read */
  for (size_t r = 0; r < kernel->graph.nrefs; r++) {
    if (kernel->graph.refs[r].space == space) return true;
  }
  return false;
}

static brink_watched watched_how(const brink_flag *flag) {
  if (flag->enabled == NULL) return BRINK_WATCHED_ALWAYS;
  return reads_space(flag->enabled, BRINK_SPACE_SIGN) ? BRINK_WATCHED_ASKED
                                                      : BRINK_WATCHED_BY_MODES;
}

/* Everything but the value. */
static void define_rest(definer *d, uint32_t f, size_t index, brink_guard_def *def) {
  const brink_system *system = d->instance->system;
  const brink_flag *flag = &system->flags[f];
  bool range = flag->kind == BRINK_FLAG_RANGE;
  def->side = flag->side;
  if (range && d->instance->options.range_warns) def->side = BRINK_BILATERAL; /* nothing stops it */
  def->direction = flag->direction;
  def->priority = flag->priority;
  def->surface = flag->surface;
  def->inside = flag->inside;
  def->at_zero = flag->at_zero;
  def->condition = flag->kind == BRINK_FLAG_GENERATED;
  def->watched = watched_how(flag);
  def->reads_signs = flag->value != NULL && reads_space(flag->value, BRINK_SPACE_SIGN);
  bool noted = d->instance->notes.capacity > 0; /* every event forgets what the last one noted */
  if (range || noted || brink_action_does_something(flag->negative) ||
      brink_action_does_something(flag->positive))
    def->action = brink_instance_on_event;
  if (flag->on_surface != NULL) def->on_surface = brink_instance_on_surface;
  def->leave_positive = guard_of(system, flag->leave_positive, index);
  def->leave_negative = guard_of(system, flag->leave_negative, index);
}

/* Remembers which slots guards have taken as constant: their coefficients, their bounds and what surface they have
 * may come from them. */
static bool note_constants(const definer *d) {
  brink_instance *instance = d->instance;
  const brink_system *system = instance->system;
  brink_arena *arena = &instance->shared->arena;
  instance->constant_p = brink_arena_take(arena, system->np, sizeof *instance->constant_p);
  instance->constant_mode =
      brink_arena_take(arena, system->nmodes, sizeof *instance->constant_mode);
  if (arena->failed) return false;
  for (size_t f = 0; f < system->nflags; f++) {
    const brink_kernel *kernel = instance->flags[f].gradient.kernel;
    for (size_t r = 0; kernel != NULL && r < kernel->graph.nrefs; r++) {
      const brink_ref *ref = &kernel->graph.refs[r];
      size_t extent = brink_ref_extent(ref);
      for (size_t i = 0; i < system->flags[f].count * extent; i++) {
        size_t slot = brink_ref_element(ref, i / extent, i % extent);
        if (ref->space == BRINK_SPACE_P && d->fixed_p[slot]) instance->constant_p[slot] = true;
        if (ref->space == BRINK_SPACE_MODE && d->fixed_mode[slot])
          instance->constant_mode[slot] = true;
      }
    }
  }
  return true;
}

bool brink_instance_may_write(const brink_instance *instance, brink_space space, size_t slot) {
  const brink_system *system = instance->system;
  if (space == BRINK_SPACE_P) return slot < system->np && !instance->constant_p[slot];
  return space == BRINK_SPACE_MODE && slot < system->nmodes && !instance->constant_mode[slot];
}

brink_status brink_instance_define_guards(brink_instance *instance, brink_arena *arena,
                                          const char *const *names, brink_model_def *def,
                                          brink_diag *diag) {
  const brink_system *system = instance->system;
  definer d = {.instance = instance, .arena = arena, .names = names};
  d.guards = brink_arena_take(arena, system->nguards, sizeof *d.guards);
  bool made = d.guards != NULL && find_fixed(&d) && find_read(&d) && take_bounds_room(&d);
  for (size_t g = 0; made && g < system->nguards; g++) {
    brink_guard_place place = instance->places[g];
    const brink_flag *flag = &system->flags[place.flag];
    d.guards[g] = brink_default_guard(names[g]);
    define_rest(&d, place.flag, place.index, &d.guards[g]);
    d.guards[g].unread = !d.read[g];
    made = flag->kind == BRINK_FLAG_TIMER ? define_timer(flag, place.index, &d.guards[g])
           : flag->value != NULL
               ? define_value(&d, place.flag, place.index, (uint32_t)g, &d.guards[g])
               : define_formula(&d, flag, place.index, &d.guards[g]);
    if (flag->enabled != NULL) def->enabled = guard_enabled;
  }
  made = made && brink_instance_join_surfaces(instance, arena, d.fixed_p, d.guards) &&
         note_constants(&d);
  if (!made) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the guards");
  def->guards = d.guards;
  def->nguards = system->nguards;
  return BRINK_OK;
}

/* ---- other numbers ---- */

/* The numbers of a guard for the present p0 and mode0. False: out of memory. */
static bool find_again(definer *d, uint32_t f, size_t index, brink_guard_def *def) {
  brink_bound_flag *bound = &d->instance->flags[f];
  def->coefficients = def->lipschitz = NULL;
  def->offset = def->time_coefficient = def->lipschitz_time = 0.0;
  bool linear = bound->degree == 0 || bound->degree == 1;
  if (linear && is_fixed(d, &bound->gradient.kernel->graph, index) &&
      !find_numbers(d, bound, index, def))
    return false;
  return def->coefficients != NULL || find_bounds(d, f, index, def);
}

/* Are these numbers of the same kind, and as the model wants them? */
static bool is_same_kind(const brink_guard_def *def, const brink_guard_def *own) {
  bool valid = def->lipschitz_time >= 0.0;
  for (size_t k = 0; def->lipschitz != NULL && k < def->ndepends; k++)
    valid = valid && def->lipschitz[k] >= 0.0;
  return valid && (def->coefficients != NULL) == (own->coefficients != NULL) &&
         (def->lipschitz != NULL) == (own->lipschitz != NULL) && def->same_sign == own->same_sign &&
         (def->same_sign == 0 || def->same_as == own->same_as);
}

const brink_guard_def *brink_instance_guards_again(brink_instance *instance, brink_arena *arena) {
  const brink_system *system = instance->system;
  const brink_model *model = instance->shared->model;
  definer d = {.instance = instance, .arena = arena};
  d.guards = brink_arena_take(arena, system->nguards, sizeof *d.guards);
  if (d.guards == NULL || !find_fixed(&d) || !take_bounds_room(&d)) return NULL;
  for (size_t g = 0; g < system->nguards; g++) {
    brink_guard_place place = instance->places[g];
    const brink_flag *flag = &system->flags[place.flag];
    brink_guard_def *def = &d.guards[g];
    *def = model->guards[g].def;
    def->same_sign = 0;
    bool has_numbers =
        flag->kind != BRINK_FLAG_TIMER && flag->value != NULL && !flag->value->reads_v;
    if (has_numbers && !find_again(&d, place.flag, place.index, def)) return NULL;
  }
  if (!brink_instance_join_surfaces(instance, arena, d.fixed_p, d.guards)) return NULL;
  for (size_t g = 0; g < system->nguards; g++) {
    if (!is_same_kind(&d.guards[g], &model->guards[g].def)) return NULL;
  }
  return d.guards;
}

/* ---- signs at the start ---- */

static bool is_true(const brink_flag *flag, const brink_system *system, size_t index,
                    const signed char *sgn) {
  bool stack[BRINK_FORMULA_DEPTH + 1] = {true};
  size_t top = 0;
  for (size_t k = 0; k < flag->formula_length; k++) {
    int32_t op = flag->formula[k];
    if (op >= 0 && top < BRINK_FORMULA_DEPTH) {
      stack[top++] = sgn[system->flags[op].guard[index]] > 0;
    } else if (op == BRINK_NOT && top >= 1) {
      stack[top - 1] = !stack[top - 1];
    } else if (op < 0 && top >= 2) {
      top--;
      stack[top - 1] =
          op == BRINK_AND ? stack[top - 1] && stack[top] : stack[top - 1] || stack[top];
    }
  }
  return stack[0];
}

void brink_instance_signs(brink_instance *instance, double t, const double *x, const double *p,
                          const int *mode, signed char *sgn) {
  const brink_system *system = instance->system;
  brink_frame frame = brink_instance_frame(instance, t, x, p, mode, sgn);
  for (size_t g = 0; g < system->nguards; g++) {
    brink_guard_place place = instance->places[g];
    const brink_task *value = &instance->flags[place.flag].value;
    if (value->kernel == NULL) continue;
    if (frame.v == NULL) brink_instance_prepare(instance, value, &frame);
    brink_instance_run(instance, value, &frame, place.index, 1);
    double value_now = instance->outputs[0];
    int at_zero = system->flags[place.flag].at_zero;
    sgn[g] = value_now < 0.0 || (value_now == 0.0 && at_zero < 0) ? -1 : 1;
  }
  for (size_t g = 0; g < system->nguards; g++) {
    brink_guard_place place = instance->places[g];
    const brink_flag *flag = &system->flags[place.flag];
    if (flag->value == NULL && flag->kind != BRINK_FLAG_TIMER)
      sgn[g] = is_true(flag, system, place.index, sgn) ? 1 : -1;
  }
}

double brink_instance_flag_value(brink_instance *instance, uint32_t flag, size_t index) {
  const brink_flag *declared = &instance->system->flags[flag];
  const brink_task *value = &instance->flags[flag].value;
  if (value->kernel == NULL)
    return is_true(declared, instance->system, index, instance->seen.sgn) ? 1.0 : -1.0;
  brink_frame frame =
      brink_instance_frame(instance, instance->seen.t, instance->seen.x, instance->seen.p,
                           instance->seen.mode, instance->seen.sgn);
  brink_instance_prepare(instance, value, &frame);
  brink_instance_run(instance, value, &frame, index, 1);
  return instance->outputs[0];
}
