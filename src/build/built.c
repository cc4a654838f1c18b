/* built.c: what was built: a flat system, its instance, and the model of both with the user's
 * callbacks (see builder.h).
 *
 * The instance makes a model of its own, whose user is the instance. Ours has the same definition, and
 * so the same functions for everything that is computed; only what happens at instants is added. These
 * callbacks find their way from the instance to its system, which is the first member of what was
 * built, and hand on the user's own pointer. */
#include <string.h>

#include "base/definition.h"
#include "build/builder.h"
#include "model/model.h"
#include "native/native.h"

typedef struct guard_actions {
  brink_action_fn *action, *on_surface;
} guard_actions;

struct brink_built {
  brink_system system; /* first: see above; its arena holds everything */
  brink_instance *instance;
  brink_model *model;
  guard_actions *actions; /* of each guard */
  brink_model_def rest;   /* the user's callbacks */
  brink_tick_fn **ticks;  /* of each clock */
};

static const brink_built *built_of(void *user) {
  const brink_instance *instance = user;
  return (const brink_built *)(const void *)brink_instance_system(instance);
}

/* ---- the user's callbacks ---- */

static int on_event(const brink_event *event, brink_now *now, void *user) {
  const brink_built *built = built_of(user);
  return built->actions[event->guard].action(event, now, built->rest.user);
}

static int on_surface(const brink_event *event, brink_now *now, void *user) {
  const brink_built *built = built_of(user);
  return built->actions[event->guard].on_surface(event, now, built->rest.user);
}

static int on_tick(size_t clock, int64_t tick, brink_now *now, void *user) {
  const brink_built *built = built_of(user);
  return built->ticks[clock](clock, tick, now, built->rest.user);
}

static int on_rules(brink_now *now, bool *changed, void *user) {
  const brink_built *built = built_of(user);
  return built->rest.rules(now, changed, built->rest.user);
}

static int on_zeno(const size_t *guards, size_t count, brink_now *now, void *user) {
  const brink_built *built = built_of(user);
  return built->rest.zeno(guards, count, now, built->rest.user);
}

static bool is_enabled(size_t guard, const brink_env *env) {
  const brink_built *built = built_of(env->user);
  brink_env theirs = *env;
  theirs.user = built->rest.user;
  return built->rest.enabled(guard, &theirs);
}

/* ---- the definition ---- */

static bool define_guards(brink_built *built, const brink_builder *builder, brink_arena *arena,
                          brink_model_def *def) {
  const brink_model *computed = brink_instance_model(built->instance);
  brink_guard_def *guards = brink_arena_take(arena, def->nguards, sizeof *guards);
  built->actions = brink_arena_take(&built->system.arena, def->nguards, sizeof *built->actions);
  if (guards == NULL || built->actions == NULL) return false;
  for (size_t g = 0; g < def->nguards; g++) {
    const brink_guard_def *theirs = &builder->guards[g].def;
    built->actions[g] = (guard_actions){theirs->action, theirs->on_surface};
    guards[g] = computed->guards[g].def;
    guards[g].name = theirs->name;
    guards[g].action = theirs->action != NULL ? on_event : NULL;
    guards[g].on_surface = theirs->on_surface != NULL ? on_surface : NULL;
  }
  def->guards = guards;
  return true;
}

static bool define_clocks(brink_built *built, brink_arena *arena, brink_model_def *def) {
  const brink_model_def *rest = &built->rest;
  brink_clock_def *clocks = brink_arena_copy(arena, rest->clocks, rest->nclocks, sizeof *clocks);
  built->ticks = brink_arena_take(&built->system.arena, rest->nclocks, sizeof *built->ticks);
  if (clocks == NULL || built->ticks == NULL) return false;
  for (size_t k = 0; k < rest->nclocks; k++) {
    built->ticks[k] = clocks[k].tick;
    if (clocks[k].tick != NULL) clocks[k].tick = on_tick; /* NULL is refused with the model */
  }
  def->nclocks = rest->nclocks;
  def->clocks = clocks;
  return true;
}

/* The model copies its definition: what is made for it is given back at once. */
static brink_status make_model(brink_built *built, const brink_builder *builder, brink_diag *diag) {
  const brink_model_def *rest = &built->rest;
  const brink_allocator *allocator = &built->system.arena.allocator;
  brink_model_def def = brink_instance_model(built->instance)->def;
  def.t0 = rest->t0;
  def.enabled = rest->enabled != NULL ? is_enabled : NULL;
  def.rules = rest->rules != NULL ? on_rules : NULL;
  def.zeno = rest->zeno != NULL ? on_zeno : NULL;
  def.strict_surfaces = rest->strict_surfaces;
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_status status = BRINK_OK;
  if (!define_guards(built, builder, &arena, &def) || !define_clocks(built, &arena, &def))
    status = brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the model");
  if (status == BRINK_OK) status = brink_model_create(&def, allocator, diag, &built->model);
  built->rest.clocks = NULL; /* the builder's */
  brink_arena_free(&arena);
  return status;
}

/* ---- the object ---- */

static const brink_build_options build_defaults = {.size = sizeof(brink_build_options),
                                                   .series = true};

void brink_build_defaults(brink_build_options *options, size_t size) {
  brink_definition_fill(options, size, &build_defaults, sizeof build_defaults);
}

static brink_status make(brink_built *built, const brink_builder *builder,
                         const brink_build_options *options, brink_diag *diag) {
  if (!(options->rtol >= 0.0 && options->rtol < 1.0))
    return brink_diag_refuse(diag, BRINK_REASON_OPTION,
                             "rtol is %g: give the tolerance of the runs, or 0", options->rtol);
  brink_status status = brink_builder_write(builder, options->jacobian, &built->system, diag);
  if (status != BRINK_OK) return status;
  brink_instance_options how = {.interpret = options->interpret,
                                .cache = options->cache,
                                .rtol = options->rtol,
                                .wants_jacobian = options->jacobian,
                                .wants_flow_jet = options->series};
  status = brink_instance_create(&built->system, &how, &built->system.arena.allocator, diag,
                                 &built->instance);
  return status == BRINK_OK ? make_model(built, builder, diag) : status;
}

brink_status brink_builder_finish(const brink_builder *builder, const brink_build_options *options,
                                  brink_diag *diag, brink_built **built) {
  brink_diag_clear(diag);
  if (built != NULL) *built = NULL;
  if (builder == NULL || built == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "builder and built must not be NULL");
  if (builder->problem.status != BRINK_OK) {
    if (diag != NULL) *diag = builder->problem;
    return builder->problem.status;
  }
  brink_build_options chosen = build_defaults;
  brink_status status = BRINK_OK;
  if (options != NULL)
    status = brink_definition_read(&chosen, sizeof chosen, options, "brink_build_options", diag);
  if (status != BRINK_OK) return status;
  brink_arena arena;
  brink_arena_init(&arena, &builder->arena.allocator);
  brink_built *made = brink_arena_take(&arena, 1, sizeof *made);
  if (made == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  made->system.arena = arena;
  made->rest = builder->rest;
  status = make(made, builder, &chosen, diag);
  if (status != BRINK_OK) {
    brink_built_destroy(made);
    return status;
  }
  *built = made;
  return BRINK_OK;
}

void brink_built_destroy(brink_built *built) {
  if (built == NULL) return;
  brink_model_destroy(built->model);
  brink_instance_destroy(built->instance);
  brink_arena arena = built->system.arena; /* what was built lives in it */
  brink_arena_free(&arena);
}

const brink_model *brink_built_model(const brink_built *built) {
  return built->model;
}

const char *brink_built_engine(const brink_built *built) {
  return brink_instance_engine(built->instance);
}

double brink_built_compile_seconds(const brink_built *built) {
  return brink_instance_compile_seconds(built->instance);
}
