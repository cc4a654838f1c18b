/* flatten.c: from checked components to the flat system: the order of things. */
#include "lang/flatten.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lang/flat.h"

/* ---- small things ---- */

void flat_out_of_memory(flat *f) {
  f->unit->out_of_memory = true;
  f->failed = true;
}

void flat_next(flat *f) {
  f->errors = f->errors || f->failed;
  f->failed = f->unit->out_of_memory || f->budget == 0;
}

bool flat_stop(flat *f) {
  flat_next(f);
  return f->errors || f->failed;
}

void *flat_take(flat *f, size_t count, size_t size) {
  return flat_note(f, brink_arena_pack(f->arena, count, size));
}

void *flat_note(flat *f, void *memory) {
  if (memory == NULL) flat_out_of_memory(f);
  return memory;
}

void flat_error(flat *f, brink_message code, brink_place place, const char *hint,
                const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  brink_report_list(f->unit, BRINK_ERROR, code, place, hint, format, arguments);
  va_end(arguments);
  f->failed = true;
}

/* The driven inputs come first, those with functions last (add_driven_sets). */
bool flat_is_of_table(const flat *f, const char *set) {
  size_t count = f->options->driven_sets != NULL ? f->options->ndriven : 0;
  for (size_t k = 0; f->sets != f->options->sets && k < count; k++)
    if (f->sets[k] == set) return true;
  return false;
}

static bool is_of_function(const flat *f, const char *set) {
  for (size_t k = 0; f->sets != f->options->sets && k < f->options->nfunctions; k++)
    if (f->sets[f->nsets - 1 - k] == set) return true;
  return false;
}

bool flat_setting_error(flat *f, brink_message code, brink_origin origin, const char *setting,
                        const char *hint, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (origin == BRINK_ORIGIN_SET && (flat_is_of_table(f, setting) || is_of_function(f, setting)))
    origin = BRINK_ORIGIN_DRIVEN;
  brink_report_setting(f->unit, origin, setting, code, hint, format, arguments);
  va_end(arguments);
  f->failed = true;
  return false;
}

const char *flat_did_you_mean(flat *f, const char *nearest) {
  return nearest != NULL ? brink_unit_format(f->unit, "did you mean %s?", nearest) : NULL;
}

const char *flat_where(flat *f, brink_place place) {
  const char *path = place.file < f->unit->nfiles ? f->unit->files[place.file].path : "";
  const char *slash = strrchr(path, '/');
  char text[256];
  snprintf(text, sizeof text, "%s:%u", slash != NULL ? slash + 1 : path, place.line);
  char *kept = brink_arena_text(f->arena, text);
  if (kept == NULL) flat_out_of_memory(f);
  return kept != NULL ? kept : "";
}

const char *flat_format(flat *f, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const char *text = brink_arena_format(f->arena, format, arguments);
  va_end(arguments);
  if (text == NULL) flat_out_of_memory(f);
  return text != NULL ? text : "";
}

/* For kernels and messages: the path of the group, without indices, and the name. */
const char *flat_name_of(flat *f, const flat_variable *variable) {
  const char *text = variable->symbol->name;
  for (const flat_group *g = variable->group; g != NULL; g = g->parent) {
    if (g->symbol != NULL) text = flat_format(f, "%s.%s", g->symbol->name, text);
  }
  return text;
}

brink_kernel *flat_kernel(flat *f, const char *name, brink_place place, size_t count) {
  brink_kernel *kernel = flat_take(f, 1, sizeof *kernel);
  char *kept = brink_arena_text(f->arena, name != NULL ? name : "");
  if (kernel == NULL || kept == NULL) {
    flat_out_of_memory(f);
    return NULL;
  }
  *kernel =
      (brink_kernel){.name = kept, .where = flat_where(f, place), .place = place, .count = count};
  brink_graph_init(&kernel->graph, f->arena, count);
  return kernel;
}

bool flat_add_output(flat *f, brink_kernel *kernel, brink_ref target, brink_node node,
                     brink_node when, uint32_t variable) {
  if (node == BRINK_NO_NODE) {
    f->failed = true; /* reported, or out of memory */
    if (kernel->graph.failed) flat_out_of_memory(f);
    return false;
  }
  brink_output *output = flat_push(f, kernel->outputs, kernel->noutputs, kernel->outputs_capacity);
  if (output == NULL) return false;
  *output = (brink_output){.target = target, .node = node, .when = when, .variable = variable};
  return true;
}

bool flat_add_equation(flat *f, brink_kernel *kernel, brink_place place) {
  brink_system *system = f->system;
  if (!brink_arena_reserve(f->arena, system->equations, system->nequations,
                           system->equations_capacity) ||
      !brink_arena_reserve(&f->scratch, f->places, system->nequations, f->places_capacity)) {
    flat_out_of_memory(f);
    return false;
  }
  f->places[system->nequations] = place;
  system->equations[system->nequations++] = kernel;
  return true;
}

/* ---- the top ---- */

static brink_component *find_component(const brink_unit *unit, const char *name) {
  for (brink_component *c = unit->components; c != NULL; c = c->next) {
    if (strcmp(c->name, name) == 0) return c;
  }
  return NULL;
}

static brink_component *find_top(flat *f) {
  const char *name = f->options->top;
  if (name == NULL) return f->unit->system != NULL ? f->unit->system : f->unit->last;
  brink_component *component = find_component(f->unit, name);
  if (component != NULL) return component;
  const char *near = NULL;
  for (brink_component *c = f->unit->components; c != NULL; c = c->next)
    near = brink_nearest(name, c->name, near);
  flat_setting_error(f, BRINK_MSG_UNKNOWN_COMPONENT, BRINK_ORIGIN_TOP, name,
                     flat_did_you_mean(f, near), "there is no such component");
  return NULL;
}

/* ---- settings of the simulation ---- */

/* Does an expression read something of a component inside? */
static bool reads_inside(const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_NAME && expr->nparts > 1) return true;
  for (size_t k = 0; k < expr->nargs; k++) {
    if (reads_inside(expr->arg[k])) return true;
  }
  return false;
}

/* The seed is known before the first draw: parameters and sizes may be drawn. */
void flat_read_seed(flat *f) {
  const brink_ast_section *section = &f->top->component->section[BRINK_SECTION_SIMULATION];
  f->system->seed = f->seed = f->options->seed;
  if (f->options->seed_given || f->structure) return;
  for (size_t k = 0; k < section->nvalues && !f->failed; k++) {
    const brink_ast_value *value = &section->values[k];
    if (strcmp(value->name, "seed") != 0 || value->expr->op == BRINK_AST_TEXT) continue;
    flat_point point = {.group = f->top, .element = BRINK_NONE};
    double seed = -1.0;
    if (reads_inside(value->expr)) {
      flat_error(f, BRINK_MSG_SEED_OF_A_PART, value->expr->place, "give the seed as a number",
                 "the seed is needed before there are any components");
      return;
    }
    f->seed_expr = value->expr;
    f->evaluating++; /* nothing is made with what it reads */
    if (!flat_value(f, &point, value->expr, &seed)) f->failed = true;
    f->evaluating--;
    f->seed_expr = NULL;
    if (seed >= 0.0 && seed < 0x1p64) f->system->seed = f->seed = (uint64_t)seed;
  }
}

/* What the caller sets, after what holds at the start of inputs that a table drives, and before that of inputs with a
 * function. */
static void add_driven_sets(flat *f) {
  const brink_flatten_options *options = f->options;
  size_t ndriven = options->driven_sets != NULL ? options->ndriven : 0, count = 0;
  if (ndriven + options->nfunctions == 0) return;
  const char *const *driven =
      ndriven > 0 ? options->driven_sets(f->system->t0, options->driven_user) : NULL;
  const char **sets =
      brink_arena_pack(&f->scratch, ndriven + options->nsets + options->nfunctions, sizeof *sets);
  if ((ndriven > 0 && driven == NULL) || sets == NULL) {
    flat_out_of_memory(f);
    return;
  }
  for (size_t k = 0; k < ndriven; k++) sets[count++] = driven[k];
  for (size_t k = 0; k < options->nsets; k++) sets[count++] = options->sets[k];
  for (size_t k = 0; k < options->nfunctions && !f->failed; k++)
    sets[count++] = flat_function_start(f, k);
  if (f->failed) return;
  f->sets = sets;
  f->nsets = count;
}

/* The start is known before initial values: they may read time, and inputs that are driven. */
void flat_read_start(flat *f) {
  const brink_ast_section *section = &f->top->component->section[BRINK_SECTION_SIMULATION];
  f->system->t0 = f->options->from;
  for (size_t k = 0; k < section->nvalues && !f->options->from_given && !f->structure; k++) {
    const brink_ast_value *value = &section->values[k];
    if (strcmp(value->name, "from") != 0 || value->expr->op == BRINK_AST_TEXT) continue;
    flat_point point = {.group = f->top, .element = BRINK_NONE};
    if (reads_inside(value->expr)) {
      flat_error(f, BRINK_MSG_START_OF_A_PART, value->expr->place,
                 "give it as a number, or by a parameter of this component",
                 "the start time is needed before there are any components");
      return;
    }
    f->evaluating++;
    if (!flat_value(f, &point, value->expr, &f->system->t0)) f->failed = true;
    f->evaluating--;
    if (f->failed || isfinite(f->system->t0)) continue;
    flat_error(f, BRINK_MSG_START_NOT_FINITE, value->expr->place, NULL,
               "the start time is not a finite number");
  }
  if (!f->failed) add_driven_sets(f);
}

static void read_settings(flat *f) {
  const brink_ast_section *section = &f->top->component->section[BRINK_SECTION_SIMULATION];
  brink_system *system = f->system;
  for (size_t k = 0; k < section->nvalues && !f->failed; k++) {
    const brink_ast_value *value = &section->values[k];
    brink_setting setting = {.name = brink_arena_text(f->arena, value->name)};
    setting.is_text = value->expr->op == BRINK_AST_TEXT;
    flat_point point = {.group = f->top, .element = BRINK_NONE};
    if (setting.is_text)
      setting.text = brink_arena_text(f->arena, value->expr->text);
    else if (!flat_value(f, &point, value->expr, &setting.number))
      f->failed = true;
    if (setting.name == NULL || (setting.is_text && setting.text == NULL) ||
        !brink_arena_reserve(f->arena, system->settings, system->nsettings,
                             system->settings_capacity)) {
      flat_out_of_memory(f);
      return;
    }
    system->settings[system->nsettings++] = setting;
  }
}

/* ---- in order ---- */

static void collect_equations(flat *f, flat_group *group) {
  flat_list list = {.end = &list.first};
  if (group->component != NULL) {
    const brink_ast_section *section = group->component->section;
    flat_collect(f, &section[BRINK_SECTION_DYNAMICS].body, &list);
    flat_collect(f, &section[BRINK_SECTION_OUTPUT].body, &list);
  } else if (group->pair != NULL) {
    flat_collect(f, &group->pair->dynamics.body, &list);
  }
  group->equations = list.first;
  if (group->component != NULL) flat_merge_on_event(f, group, group->component->events);
}

static void find_constraints(flat *f) {
  for (const flat_group *g = f->groups; g != NULL && !f->system->has_constraints; g = g->next) {
    if (!flat_has_constraints(g)) continue;
    f->system->has_constraints = true;
    f->system->constraints_where =
        flat_where(f, g->component->section[BRINK_SECTION_CONSTRAINTS].place);
  }
}

static bool mark_varying(flat *f) {
  f->v_known = f->system->nv;
  f->v_varies = brink_arena_pack(&f->scratch, f->system->nv, 1);
  if (f->v_varies == NULL) {
    flat_out_of_memory(f);
    return false;
  }
  for (size_t k = 0; k < f->nvariables; k++) {
    const flat_variable *variable = f->variables[k];
    if (variable->space != BRINK_SPACE_V || !variable->continuous) continue;
    for (size_t e = 0; e < variable->count; e++) {
      size_t slot = variable->slots != NULL ? variable->slots[e] : variable->base + e;
      f->v_varies[slot] = 1;
    }
  }
  return true;
}

static void warn_initial(flat *f) {
  for (size_t k = 0; k < f->nvariables; k++) {
    const flat_variable *variable = f->variables[k];
    const brink_symbol *symbol = variable->symbol;
    bool holds =
        (symbol->kind == BRINK_SYMBOL_STATE && !symbol->timer) || symbol->kind == BRINK_SYMBOL_MODE;
    if (!holds || variable->initialised || variable->count == 0) continue;
    const brink_system *system = f->system;
    /* constraints may determine it: the start of the run says what had to be chosen */
    if (system->has_constraints && variable->space == BRINK_SPACE_X) continue;
    char text[BRINK_DOUBLE_TEXT];
    const char *start;
    if (symbol->type == BRINK_TYPE_STRING) {
      start = brink_unit_format(f->unit, "\"%s\"",
                                system->strings[(size_t)system->mode0[variable->base]]);
    } else if (symbol->type == BRINK_TYPE_BOOLEAN) {
      start = "false";
    } else {
      const double *from = variable->space == BRINK_SPACE_X ? system->x0 : system->p0;
      start = brink_double_text(from[variable->base], text);
    }
    brink_report(f->unit, BRINK_WARNING, BRINK_MSG_NO_INITIAL_VALUE, symbol->place, NULL,
                 "'%s' has no initial value: it starts at %s", flat_name_of(f, variable), start);
  }
}

static bool reserve_tolerances(flat *f) {
  uint32_t rtol = flat_hidden(f, f->top, "rtol", BRINK_SPACE_P, 1, 0.0);
  uint32_t atol = flat_hidden(f, f->top, "atol", BRINK_SPACE_P, 1, 0.0);
  f->system->rtol_slot = rtol;
  f->system->atol_slot = atol;
  return rtol != BRINK_NO_INDEX && atol != BRINK_NO_INDEX;
}

/* Which random draws each instance has used up: agents go on from there. */
static void note_draws(flat *f) {
  for (flat_group *g = f->groups; g != NULL && f->templates; g = g->next) {
    f->system->groups[g->id].stream = g->stream;
    f->system->groups[g->id].draws = g->draws;
  }
}

/* Memory for everything, connections, values. */
static void lay_out(flat *f) {
  find_constraints(f);
  if (!reserve_tolerances(f)) return;
  flat_connect(f);
  if (flat_stop(f) || f->structure) return;
  if (!f->failed) flat_check_populations(f);
  f->evaluating++; /* what is read from here on is where something starts: nothing else is made with it */
  if (!f->failed) flat_initial(f, f->top);
  if (!f->failed) flat_apply_sets(f);
  if (!f->failed) flat_drive(f);
  if (!f->failed) warn_initial(f);
  if (!f->failed) read_settings(f);
  f->evaluating--;
  if (!f->failed) note_draws(f);
}

/* Equations, flags, actions. */
static void translate(flat *f) {
  for (flat_group *g = f->groups; g != NULL && !f->failed; g = g->next) collect_equations(f, g);
  if (f->failed) return;
  flat_variability(f);
  flat_check_held(f);
  if (f->failed || !mark_varying(f)) return;
  flat_number_flags(f, f->top);
  for (flat_group *g = f->groups; g != NULL && !f->failed; g = g->next) {
    if (g->pair != NULL) flat_number_flags(f, g);
  }
  for (flat_group *g = f->groups; g != NULL && !f->failed; g = g->next) flat_equations(f, g);
  if (flat_stop(f)) return;
  for (flat_group *g = f->groups; g != NULL && !f->failed; g = g->next) {
    flat_constraints(f, g);
    flat_next(f);
  }
  if (flat_stop(f)) return;
  for (flat_group *g = f->groups; g != NULL && !f->failed; g = g->next) {
    brink_ast_event *events = g->component != NULL ? g->component->events
                              : g->pair != NULL    ? g->pair->events
                                                   : NULL;
    flat_timers(f, g);
    if (!f->failed) flat_events(f, g, events);
    if (!f->failed) flat_discrete(f, g);
    if (!f->failed) flat_ranges(f, g);
    flat_next(f);
  }
  flat_sort_rules(f);
}

void flat_finish(flat *f, brink_system *system, const uint32_t *numbers) {
  brink_text path = {0};
  size_t equation = 0;
  if (!brink_system_finish(system, &path, &equation)) {
    if (path.length > 0)
      flat_error(f, BRINK_MSG_ALGEBRAIC_LOOP,
                 f->places[numbers != NULL ? numbers[equation] : equation],
                 "break the loop with a state, or solve it in a constraints section",
                 "algebraic loop: %s", path.data);
    else
      flat_out_of_memory(f);
  }
  brink_text_free(&path);
  if (!f->failed) flat_check_written_out(f, system);
  if (!f->failed && system->nz > 0) flat_check_external(f, system);
  if (!f->failed && system->nz > 0) flat_structures(f, system);
}

/* Time runs backwards. */
static void reverse(flat *f) {
  flat_check_backward(f);
  if (!f->failed && !brink_system_reverse(f->system)) flat_out_of_memory(f);
}

static void run(flat *f) {
  brink_component *top = find_top(f);
  if (top == NULL) {
    if (f->options->top == NULL)
      brink_report(f->unit, BRINK_ERROR, BRINK_MSG_EMPTY_FILE,
                   (brink_place){.line = 1, .column = 1, .length = 1}, NULL,
                   "there is no component in this file");
    f->failed = true;
    return;
  }
  if (top->partial) {
    flat_error(f, BRINK_MSG_PARTIAL_TOP, top->place, "run a component that extends it",
               "'%s' is partial: it does not run", top->name);
    return;
  }
  f->system->name = brink_arena_text(f->arena, top->name);
  if (f->system->name == NULL) flat_out_of_memory(f);
  flat_build_tree(f, top);
  if (!f->failed) lay_out(f);
  if (flat_stop(f) || f->structure) return;
  if (f->templates) flat_represent(f);
  if (!flat_stop(f)) translate(f);
  if (flat_stop(f)) return;
  if (!f->templates && f->system->nconstraints == 0) f->system->has_constraints = false;
  if (!f->system->has_constraints) f->system->start = NULL;
  flat_mark_settled(f);
  if (f->templates) {
    f->system->backward = flat_runs_backward(f); /* agents together, then: see its caller */
    flat_make_templates(f);
    return;
  }
  if (flat_runs_backward(f)) reverse(f);
  if (!f->failed) flat_finish(f, f->system, NULL);
}

/* No syntax error has taken anything away. */
static bool is_whole(const brink_unit *unit) {
  for (const brink_component *c = unit->components; c != NULL; c = c->next) {
    if (c->holes || c->names_uncertain) return false;
    for (int k = 0; k < BRINK_SECTION_COUNT; k++) {
      if (c->section[k].damaged) return false;
    }
    for (const brink_ast_pair *pair = c->pairs; pair != NULL; pair = pair->next) {
      if (pair->damaged) return false;
    }
  }
  return true;
}

brink_system *brink_flatten(brink_unit *unit, const brink_flatten_options *options,
                            const brink_allocator *allocator) {
  brink_arena arena;
  brink_report_forget_settings(unit);
  brink_arena_init(&arena, allocator);
  brink_system *system = brink_arena_take(&arena, 1, sizeof *system);
  if (system == NULL) {
    unit->out_of_memory = true;
    return NULL;
  }
  system->arena = arena;
  flat f = {.unit = unit,
            .system = system,
            .arena = &system->arena,
            .options = options,
            .sets = options->sets,
            .nsets = options->nsets,
            .groups_end = &f.groups,
            .budget = options->budget > 0 ? options->budget : FLAT_BUDGET};
  f.structure = unit->nerrors > 0;
  brink_arena_init(&f.scratch, allocator);
  if (!f.structure || is_whole(unit)) run(&f);
  brink_arena_free(&f.scratch);
  if (!flat_stop(&f) && unit->nerrors == 0 && !unit->out_of_memory) return system;
  brink_system_destroy(system);
  return NULL;
}

void brink_system_destroy(brink_system *system) {
  if (system == NULL) return;
  brink_templates *templates = system->templates;
  for (size_t k = 0; templates != NULL && k < templates->npopulations; k++)
    brink_projection_free(&templates->populations[k].one);
  for (size_t k = 0; templates != NULL && k < templates->npairs; k++)
    brink_projection_free(&templates->pairs[k].two);
  brink_arena arena = system->arena;
  brink_arena_free(&arena);
}
