/* instance.c: a model whose callbacks run a flat system (see native.h and instance.h). */
#include "native/instance.h"

#include <math.h>
#include <string.h>

/* ---- the dynamics ---- */

static void run_program(brink_instance *instance, const brink_bound_program *program,
                        const brink_frame *frame) {
  for (size_t k = 0; k < program->count; k++)
    brink_instance_run(instance, &program->tasks[k], frame, 0, program->tasks[k].kernel->count);
}

void brink_instance_field(brink_instance *instance, double t, const double *x, const double *p,
                          const int *mode, const signed char *sgn, double *dx) {
  brink_frame frame = brink_instance_frame(instance, t, x, p, mode, sgn);
  frame.v = instance->v;
  frame.dx = dx;
  if (instance->native != NULL)
    instance->native->object->rhs(&frame, &instance->tables);
  else
    run_program(instance, &instance->rhs, &frame);
}

static int rhs(double t, const double *x, const brink_env *env, double *dx) {
  brink_instance *instance = env->user;
  brink_instance_look(instance, t);
  brink_instance_field(instance, t, x, env->p, env->mode, env->sgn, dx);
  if (instance->rest.any) brink_instance_hold(instance, dx);
  return brink_instance_functions_failed(instance) ? -1 : 0;
}

static int jacobian(double t, const double *x, const brink_env *env, double *values) {
  brink_instance *instance = env->user;
  brink_frame frame = brink_instance_frame(instance, t, x, env->p, env->mode, env->sgn);
  frame.out = values;
  if (instance->native != NULL && instance->native->object->jacobian != NULL)
    instance->native->object->jacobian(&frame, &instance->tables);
  else
    run_program(instance, &instance->jacobian, &frame);
  size_t entries = instance->rest.any ? instance->jacobian_starts[instance->system->nx] : 0;
  for (size_t k = 0; k < entries; k++) {
    if (instance->rest.state[instance->jacobian_rows[k]]) values[k] = 0.0;
  }
  return 0;
}

static int flow_jet(int order, double t, double unit, const double *x, const brink_env *env,
                    double *const *rows) {
  brink_instance *instance = env->user;
  if (order > instance->flow_order || instance->rest.any) return 1;
  brink_instance_look(instance, t);
  if (instance->system->nz > 0)
    return brink_instance_constrained_flow(instance, order, t, unit, x, env, rows);
  brink_frame frame = brink_instance_frame(instance, t, x, env->p, env->mode, env->sgn);
  const brink_native *native = instance->native;
  bool done = true;
  if (native == NULL || native->object->flow == NULL ||
      native->object->flow(&frame, &instance->tables, order, unit, rows, instance->flow_scratch) ==
          0)
    done = brink_flow_run_within(instance->flow, &frame, order, unit, rows, instance->flow_scratch,
                                 NULL, instance->step_patience);
  return done ? 0 : -1;
}

void brink_instance_heed(brink_instance *instance, brink_patience *patience) {
  instance->step_patience = patience;
}

/* ---- the definition ---- */

/* The names of guards and states, one after another in one text. */
typedef struct name_list {
  brink_text text;
  const char **names;
  size_t *starts;
  size_t count;
} name_list;

static bool begin_names(name_list *list, brink_arena *arena, size_t count) {
  *list = (name_list){.text.allocator = arena->allocator, .count = count};
  list->names = brink_arena_take(arena, count, sizeof *list->names);
  list->starts = brink_arena_take(arena, count, sizeof *list->starts);
  return !arena->failed;
}

static bool end_names(name_list *list) {
  if (list->text.failed) return false;
  for (size_t k = 0; k < list->count; k++) {
    if (list->starts[k] > 0) list->names[k] = list->text.data + list->starts[k] - 1;
  }
  return true;
}

/* Writes down where the next name begins (from 1; 0: there is none). */
static void begin_name(name_list *list, size_t k) {
  list->starts[k] = list->text.length + 1;
}

static void end_name(name_list *list) {
  brink_text_append(&list->text, "", 1);
}

static bool name_guards(const brink_instance *instance, brink_arena *arena, name_list *list) {
  const brink_system *system = instance->system;
  if (!begin_names(list, arena, system->nguards)) return false;
  for (size_t g = 0; g < system->nguards; g++) {
    begin_name(list, g);
    brink_system_flag_name(system, instance->places[g].flag, instance->places[g].index,
                           &list->text);
    end_name(list);
  }
  return end_names(list);
}

static bool name_states(const brink_instance *instance, brink_arena *arena, name_list *list) {
  const brink_system *system = instance->system;
  if (!begin_names(list, arena, system->nx)) return false;
  for (size_t k = 0; k < system->nvariables; k++) {
    const brink_variable *variable = &system->variables[k];
    size_t count = system->groups[variable->group].count * variable->length;
    bool named = variable->kind == BRINK_VARIABLE_STATE || variable->unknown;
    if (variable->space != BRINK_SPACE_X || !named) continue;
    for (size_t i = 0; i < count && variable->base + i < system->nx; i++) {
      begin_name(list, variable->base + i);
      brink_system_variable_name(system, (uint32_t)k, i, &list->text);
      end_name(list);
    }
  }
  return end_names(list);
}

static bool define_clocks(const brink_instance *instance, brink_arena *arena,
                          brink_model_def *def) {
  const brink_system *system = instance->system;
  brink_clock_def *clocks = brink_arena_take(arena, system->nclocks + 1, sizeof *clocks);
  if (clocks == NULL) return false;
  for (size_t k = 0; k < system->nclocks; k++) {
    const brink_sampled *clock = &system->clocks[k];
    clocks[k] = (brink_clock_def){.size = sizeof(brink_clock_def),
                                  .name = clock->name,
                                  .period = clock->period,
                                  .offset = clock->offset,
                                  .priority = clock->priority,
                                  .tick = brink_instance_on_tick};
  }
  def->clocks = clocks;
  def->nclocks = system->nclocks;
  if (brink_instance_input_clock(instance, &clocks[def->nclocks])) def->nclocks++;
  return true;
}

/* ---- what dynamics reads ---- */

static void note_reads(const brink_kernel *kernel, size_t count, bool *x, bool *p, bool *mode) {
  for (size_t r = 0; r < kernel->graph.nrefs; r++) {
    const brink_ref *ref = &kernel->graph.refs[r];
    bool *read = ref->space == BRINK_SPACE_X      ? x
                 : ref->space == BRINK_SPACE_P    ? p
                 : ref->space == BRINK_SPACE_MODE ? mode
                                                  : NULL;
    size_t extent = brink_ref_extent(ref);
    for (size_t k = 0; read != NULL && k < count * extent; k++)
      read[brink_ref_element(ref, k / extent, k % extent)] = true;
  }
}

static bool define_reads(const brink_instance *instance, brink_arena *arena, brink_model_def *def) {
  const brink_system *system = instance->system;
  bool *x = brink_arena_take(arena, system->nx, sizeof *x);
  bool *p = brink_arena_take(arena, system->np, sizeof *p);
  bool *mode = brink_arena_take(arena, system->nmodes, sizeof *mode);
  if (arena->failed) return false;
  for (size_t k = 0; k < system->rhs.nkernels; k++)
    note_reads(system->rhs.kernels[k], system->rhs.kernels[k]->count, x, p, mode);
  for (size_t f = 0; f < system->nflags; f++) {
    const brink_flag *flag = &system->flags[f];
    if (flag->value != NULL) note_reads(flag->value, flag->count, x, p, mode);
    if (flag->enabled != NULL) note_reads(flag->enabled, flag->count, x, p, mode);
  }
  for (size_t c = 0; c < system->nconstraints; c++) {
    const brink_constraint *constraint = &system->constraints[c];
    note_reads(constraint->residual, constraint->count, x, p, mode);
    if (constraint->active != NULL) note_reads(constraint->active, constraint->count, x, p, mode);
  }
  for (size_t d = 0; d < system->ndelays; d++) {
    const brink_delayed *delayed = &system->delays[d];
    note_reads(delayed->signal, delayed->count, x, p, mode);
    note_reads(delayed->lag, delayed->count, x, p, mode);
  }
  def->reads.x = x;
  def->reads.p = p;
  def->reads.mode = mode;
  return true;
}

static brink_model_def define(brink_instance *instance) {
  const brink_system *system = instance->system;
  brink_model_def def = brink_default_model();
  def.name = system->name;
  def.t0 = system->t0;
  def.nx = system->nx;
  def.np = system->np;
  def.nmodes = system->nmodes;
  def.x0 = instance->x0;
  def.p0 = instance->p0;
  def.mode0 = instance->mode0;
  def.rhs = rhs;
  def.rhs_tangent = brink_instance_rhs_tangent;
  def.start_tangent = brink_instance_start_tangent;
  def.strict_surfaces = true; /* counters and the like lead away from no surface */
  if (instance->flow != NULL) {
    def.flow_jet = flow_jet;
    def.flow_degrees = instance->flow_degrees;
  }
  def.flow_work = instance->flow_work;
  if (instance->jacobian_starts != NULL) {
    def.jacobian = jacobian;
    def.jacobian_pattern.starts = instance->jacobian_starts;
    def.jacobian_pattern.rows = instance->jacobian_rows;
  }
  bool ended =
      instance->ending != BRINK_ENDING_NONE; /* at the start: the rules' callback ends the run */
  def.zeno = brink_instance_on_zeno;
  def.rules = system->nrules > 0 || ended ? brink_instance_on_rules : NULL;
  def.user = instance;
  if (instance->delays != NULL) def.delays = &instance->delays->def;
  return def;
}

/* A parameter is not finite: said of p0[k], and here by its name and the line of its declaration. */
static void name_parameter(const brink_instance *instance, brink_diag *diag) {
  const brink_system *system = instance->system;
  if (diag == NULL || diag->reason != BRINK_REASON_DEFINITION || diag->state >= system->np) return;
  size_t slot = diag->state;
  double value = instance->p0[slot];
  for (uint32_t k = 0; !isfinite(value) && k < system->nvariables; k++) {
    const brink_variable *variable = &system->variables[k];
    size_t count = variable->length * system->groups[variable->group].count;
    if (variable->space != BRINK_SPACE_P || slot < variable->base || slot - variable->base >= count)
      continue;
    char name[BRINK_NAME];
    brink_instance_variable_name(instance, k, slot - variable->base, name);
    brink_diag_refuse(
        diag, BRINK_REASON_DEFINITION, "%s%s'%s' is %s at the start: it needs a finite value",
        variable->where != NULL ? variable->where : "", variable->where != NULL ? ": " : "", name,
        isnan(value) ? "not a number" : "infinite");
    return;
  }
}

/* The model copies its definition: what is made for it is given back at once. */
static brink_status make_model(brink_instance *instance, const char *cache, brink_diag *diag) {
  brink_arena arena;
  brink_arena_init(&arena, &instance->arena.allocator);
  name_list guards = {0}, states = {0};
  brink_model_def def = define(instance);
  brink_status status = BRINK_OK;
  if (!name_guards(instance, &arena, &guards) || !name_states(instance, &arena, &states) ||
      !define_clocks(instance, &arena, &def) || !define_reads(instance, &arena, &def) ||
      !brink_instance_define_constraints(instance, &arena, &def))
    status = brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the model");
  def.state_names = (const char *const *)states.names;
  if (status == BRINK_OK)
    status = brink_instance_define_guards(instance, &arena, (const char *const *)guards.names, &def,
                                          diag);
  if (status == BRINK_OK && !instance->options.interpret)
    status = brink_instance_compile(instance, cache, diag);
  if (status == BRINK_OK) {
    status = brink_model_create(&def, &instance->arena.allocator, diag, &instance->shared->model);
    if (status != BRINK_OK) name_parameter(instance, diag);
  }
  if (status == BRINK_OK) {
    instance->shared->model->backward = instance->system->backward;
    instance->shared->model->doubts = brink_instance_doubts;
    instance->shared->model->judge = brink_instance_judge;
  }
  brink_text_free(&guards.text);
  brink_text_free(&states.text);
  brink_arena_free(&arena);
  return status;
}

/* ---- the object ---- */

static bool take_start(brink_instance *instance) {
  const brink_system *system = instance->system;
  brink_arena *arena = &instance->arena;
  instance->x0 = brink_arena_copy(arena, system->x0, system->nx, sizeof(double));
  instance->p0 = brink_arena_copy(arena, system->p0, system->np, sizeof(double));
  instance->mode0 = brink_arena_copy(arena, system->mode0, system->nmodes, sizeof(int));
  if (arena->failed) return false;
  if (system->rtol_slot < system->np) instance->p0[system->rtol_slot] = instance->options.rtol;
  if (system->atol_slot < system->np) instance->p0[system->atol_slot] = instance->options.atol;
  brink_instance_first_inputs(instance);
  return true;
}

static void copy(void *to, const void *from, size_t count, size_t size) {
  if (count > 0) memcpy(to, from, count * size);
}

brink_status brink_instance_begin(brink_instance *instance, const double *x, double *p, int *mode,
                                  brink_diag *diag) {
  const brink_system *system = instance->system;
  if (system->rtol_slot < system->np) p[system->rtol_slot] = instance->options.rtol;
  if (system->atol_slot < system->np) p[system->atol_slot] = instance->options.atol;
  copy(instance->x0, x, system->nx, sizeof *x);
  copy(instance->p0, p, system->np, sizeof *p);
  copy(instance->mode0, mode, system->nmodes, sizeof *mode);
  brink_status status = brink_instance_first_outputs(instance, diag);
  if (status == BRINK_OK) brink_instance_check_start(instance);
  copy(p, instance->p0, system->np, sizeof *p);
  copy(mode, instance->mode0, system->nmodes, sizeof *mode);
  return status;
}

static brink_status build(brink_instance *instance, const char *cache, brink_diag *diag) {
  if (!take_start(instance)) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  brink_status status = brink_instance_bind(instance, diag);
  if (status != BRINK_OK) return status;
  if (!brink_instance_take_room(instance))
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  if (!instance->options.takes_turns) {
    /* Each may read the other. */
    for (int k = 0; k < 2 && status == BRINK_OK; k++) {
      if (!brink_instance_first_delays(instance))
        return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
      status = brink_instance_first_outputs(instance, diag);
      if (instance->delays == NULL) break;
    }
    if (status == BRINK_OK) brink_instance_check_start(instance);
  }
  if (status == BRINK_OK) status = make_model(instance, cache, diag);
  if (status == BRINK_OK && !brink_instance_finish(instance))
    status = brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  return status;
}

brink_status brink_instance_create(brink_system *system, const brink_instance_options *options,
                                   const brink_allocator *allocator, brink_diag *diag,
                                   brink_instance **instance) {
  brink_diag_clear(diag);
  if (instance != NULL) *instance = NULL;
  if (system == NULL || instance == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "system and instance must not be NULL");
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_instance *made = brink_arena_take(&arena, 1, sizeof *made);
  if (made == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  made->arena = arena;
  made->system = system;
  made->externals = system->externals;
  if (options != NULL) made->options = *options;
  made->options.cache = NULL; /* belongs to the caller */
  brink_status status = brink_instance_share(made, allocator)
                            ? build(made, options != NULL ? options->cache : NULL, diag)
                            : brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  if (status != BRINK_OK) {
    brink_instance_destroy(made);
    return status;
  }
  *instance = made;
  return BRINK_OK;
}

const brink_model *brink_instance_model(const brink_instance *instance) {
  return instance->model;
}

const brink_system *brink_instance_system(const brink_instance *instance) {
  return instance->system;
}

const char *brink_instance_reason(const brink_instance *instance) {
  if (instance->native != NULL) return "";
  if (instance->awaits && instance->shared->native->later != NULL)
    return brink_later_state(instance->shared->native->later);
  return instance->reason;
}

double brink_instance_native_from(const brink_instance *instance) {
  return brink_system_time(instance->system, instance->native_from);
}

const char *brink_instance_engine(const brink_instance *instance) {
  if (instance->native == NULL) return "interpreter";
  const brink_object *object = instance->native->object;
  return object->from_cache ? "cache" : object->compiler;
}

double brink_instance_compile_seconds(const brink_instance *instance) {
  return instance->compile_seconds;
}

void brink_instance_flag(const brink_instance *instance, size_t guard, uint32_t *flag,
                         size_t *index) {
  *flag = instance->places[guard].flag;
  *index = instance->places[guard].index;
}

const brink_note *brink_instance_notes(const brink_instance *instance, size_t *count) {
  *count = instance->notes.count;
  return instance->notes.notes;
}

brink_ending brink_instance_ending(const brink_instance *instance, const char **message) {
  if (message != NULL) *message = instance->message;
  return instance->ending;
}

const char *const *brink_instance_warnings(const brink_instance *instance, size_t *count) {
  *count = instance->nwarnings;
  return (const char *const *)instance->warning_texts;
}

/* ---- reading variables ---- */

static bool same(const void *a, const void *b, size_t count, size_t size) {
  return count == 0 || memcmp(a, b, count * size) == 0;
}

/* Many guards may ask for the same point, one after another. */
static bool is_seen(const brink_instance *instance, double t, const double *x, const double *p,
                    const int *mode, const signed char *sgn) {
  const brink_system *system = instance->system;
  return instance->seen.valid && instance->seen.t == t &&
         same(instance->seen.x, x, system->nx, sizeof *x) &&
         same(instance->seen.p, p, system->np, sizeof *p) &&
         same(instance->seen.mode, mode, system->nmodes, sizeof *mode) &&
         (sgn == NULL || same(instance->seen.sgn, sgn, system->nguards, 1));
}

void brink_instance_evaluate(brink_instance *instance, double t, const double *x, const double *p,
                             const int *mode, const signed char *sgn) {
  const brink_system *system = instance->system;
  if (is_seen(instance, t, x, p, mode, sgn)) return;
  instance->seen.valid = false; /* signs may come here again */
  if (system->nx > 0) memcpy(instance->seen.x, x, system->nx * sizeof *x);
  if (system->np > 0) memcpy(instance->seen.p, p, system->np * sizeof *p);
  if (system->nmodes > 0) memcpy(instance->seen.mode, mode, system->nmodes * sizeof *mode);
  if (sgn == NULL)
    brink_instance_signs(instance, t, x, p, mode, instance->seen.sgn);
  else if (system->nguards > 0)
    memmove(instance->seen.sgn, sgn, system->nguards);
  instance->seen.valid = true;
  instance->seen.t = t;
  brink_frame frame = brink_instance_frame(instance, t, instance->seen.x, instance->seen.p,
                                           instance->seen.mode, instance->seen.sgn);
  frame.v = instance->seen.v;
  frame.dx = instance->seen.dx;
  if (instance->native != NULL && instance->native->object->all != NULL)
    instance->native->object->all(&frame, &instance->tables);
  else
    run_program(instance, &instance->all, &frame);
}

double brink_instance_value(const brink_instance *instance, uint32_t variable, size_t element) {
  const brink_variable *declared = &instance->system->variables[variable];
  return brink_instance_slot(instance, declared->space, declared->base + element);
}

double brink_instance_slot(const brink_instance *instance, brink_space space, size_t slot) {
  switch (space) {
  case BRINK_SPACE_X:
  case BRINK_SPACE_PRE_X:
    return instance->seen.x[slot];
  case BRINK_SPACE_P:
  case BRINK_SPACE_PRE_P:
    return instance->seen.p[slot];
  case BRINK_SPACE_MODE:
  case BRINK_SPACE_PRE_MODE:
    return instance->seen.mode[slot];
  case BRINK_SPACE_SIGN:
    return instance->seen.sgn[slot];
  case BRINK_SPACE_V:
    return instance->seen.v[slot];
  case BRINK_SPACE_DX:
    return brink_system_time(instance->system, instance->seen.dx[slot]); /* d/dt, not d/ds */
  case BRINK_SPACE_K:
    return instance->system->k[slot];
  default:
    return 0.0;
  }
}
