/* flat_action.c: events, updates and rules become actions.
 *
 * All right-hand sides of an action read the values from before it, so an action is a set of
 * conditional assignments that are evaluated together and then written: its statements lose their
 * order, `if` becomes a condition of each assignment, loops are written out. */
#include <stdio.h>
#include <string.h>

#include "lang/flat.h"

#define ACTION_LIMIT 100000 /* assignments, loops written out */

typedef struct builder {
  flat_context c;
  flat_shared shared;
  brink_action *action;
  brink_node when; /* under which the present statement runs; BRINK_NO_NODE: always */
} builder;

static bool begin(builder *b, flat *f, flat_group *group, const char *name, brink_place place) {
  b->when = BRINK_NO_NODE;
  b->action = flat_new_action(f, name, place, group->count);
  if (b->action == NULL) return false;
  flat_begin(&b->c, &b->shared, f, group, &b->action->kernel, FLAT_INSTANT);
  return true;
}

/* Random draws move the instance's counter on. */
static brink_action *end(builder *b) {
  flat_context *c = &b->c;
  if (c->f->failed) return NULL;
  if (c->graph->failed) {
    flat_error(c->f, BRINK_MSG_ACTION_TOO_LARGE,
               c->group->component != NULL ? c->group->component->place : c->group->pair->place,
               NULL, "this action is too large");
    return NULL;
  }
  if (b->shared.sites > 0) {
    brink_ref counter = {.space = BRINK_SPACE_P,
                         .base = c->group->draw_variable,
                         .stride = c->group->count > 1 ? 1 : 0};
    brink_node more = brink_graph_op2(c->graph, BRINK_OP_ADD, brink_graph_ref(c->graph, counter),
                                      brink_graph_constant(c->graph, (double)b->shared.sites));
    flat_add_output(c->f, c->kernel, counter, more, BRINK_NO_NODE, BRINK_NO_INDEX);
  }
  return b->action;
}

static brink_node both(brink_graph *graph, brink_node a, brink_node b) {
  return a == BRINK_NO_NODE ? b : brink_graph_op2(graph, BRINK_OP_AND, a, b);
}

/* A loop may come to one name again. */
static bool assigned_once(builder *b, const brink_ast_expr *target, const brink_ref *ref) {
  const brink_kernel *kernel = b->c.kernel;
  if (!flat_spend(b->c.f, target->place, kernel->noutputs)) return false;
  for (size_t k = 0; k < kernel->noutputs; k++) {
    const brink_output *output = &kernel->outputs[k];
    if (output->target.space != ref->space || output->when != b->when ||
        brink_ref_slot(&output->target, 0) != brink_ref_slot(ref, 0))
      continue;
    flat_error(b->c.f, BRINK_MSG_ASSIGNED_TWICE, target->place, NULL, "'%s' is assigned twice",
               target->part[target->nparts - 1].name);
    return false;
  }
  return true;
}

/* target := expr, element by element. */
static void assign(builder *b, const brink_ast_expr *target, const brink_ast_expr *expr) {
  flat_context *c = &b->c;
  flat *f = c->f;
  flat_variable *variable = flat_find(f, c->group, target);
  if (variable == NULL || flat_size(f, variable) == 0) {
    f->failed = true;
    return;
  }
  bool vector = variable->symbol->size != NULL && target->part[target->nparts - 1].index == NULL;
  for (size_t k = 0; k < (vector ? variable->length : 1) && !f->failed; k++) {
    if (c->kernel->noutputs >= ACTION_LIMIT) {
      flat_error(f, BRINK_MSG_TOO_MANY_ASSIGNMENTS, target->place, NULL,
                 "this action makes more than %d assignments", ACTION_LIMIT);
      return;
    }
    flat_context at = *c;
    brink_ref ref;
    if (vector) at.element = k;
    if (!flat_target(&at, target, false, &ref, &variable)) return;
    if (c->fixed != NULL && !assigned_once(b, target, &ref)) return;
    brink_node node = flat_expr(&at, expr);
    if (!f->failed && !flat_add_output(f, c->kernel, ref, node, b->when, variable->variable))
      return;
  }
}

static brink_effect *add_effect(builder *b, int kind, const char *text) {
  flat *f = b->c.f;
  brink_action *action = b->action;
  brink_effect *effect = flat_push(f, action->effects, action->neffects, action->effects_capacity);
  if (effect == NULL) return NULL;
  *effect = (brink_effect){.kind = kind, .when = b->when, .text = brink_arena_text(f->arena, text)};
  if (effect->text == NULL) flat_out_of_memory(f);
  return effect;
}

static brink_value_type note_type(brink_type type) {
  switch (type) {
  case BRINK_TYPE_STRING:
    return BRINK_VALUE_STRING;
  case BRINK_TYPE_BOOLEAN:
    return BRINK_VALUE_BOOLEAN;
  case BRINK_TYPE_INTEGER:
    return BRINK_VALUE_INTEGER;
  default:
    return BRINK_VALUE_REAL;
  }
}

/* note("label", a, b, …): vectors element by element. */
static void note(builder *b, const brink_ast_statement *s) {
  flat *f = b->c.f;
  size_t count = 0;
  for (size_t k = 0; k < s->nargs; k++) count += flat_vector_length(&b->c, s->arg[k]);
  if (count > ACTION_LIMIT) {
    flat_error(f, BRINK_MSG_ACTION_TOO_LARGE, s->place, NULL, "this action is too large");
    return;
  }
  brink_node *args = flat_take(f, count, sizeof *args);
  brink_value_type *types = flat_take(f, count, sizeof *types);
  if (args == NULL || types == NULL) return;
  size_t n = 0;
  for (size_t k = 0; k < s->nargs; k++) {
    size_t length = flat_vector_length(&b->c, s->arg[k]);
    for (size_t e = 0; e < length; e++) {
      flat_context at = b->c;
      if (length > 1) at.element = e;
      args[n] = flat_expr(&at, s->arg[k]);
      types[n++] = note_type(s->arg[k]->type);
    }
  }
  brink_effect *effect = add_effect(b, BRINK_EFFECT_NOTE, s->text);
  if (effect == NULL) return;
  effect->args = args;
  effect->arg_types = types;
  effect->nargs = count;
}

static void statements(builder *b, const brink_ast_block *block);

static void conditional(builder *b, const brink_ast_statement *s) {
  brink_graph *graph = b->c.graph;
  brink_node outer = b->when, otherwise = outer;
  for (size_t k = 0; k < s->nblocks && !b->c.f->failed; k++) {
    b->when = otherwise;
    if (k < s->nconditions) {
      brink_node condition = flat_expr(&b->c, s->condition[k]);
      b->when = both(graph, otherwise, condition);
      otherwise = both(graph, otherwise, brink_graph_op1(graph, BRINK_OP_NOT, condition));
    }
    statements(b, &s->block[k]);
  }
  b->when = outer;
}

static void loop(builder *b, const brink_ast_statement *s) {
  flat_context *c = &b->c;
  flat_point point = {.group = c->group, .element = BRINK_NONE, .binding = c->fixed};
  int64_t lo, hi;
  if (!flat_bounds(c->f, &point, s, &lo, &hi)) {
    c->f->failed = true;
    return;
  }
  const flat_binding *outer = c->fixed;
  for (int64_t i = lo; i <= hi && !c->f->failed && !c->graph->failed; i++) {
    if (!flat_spend(c->f, s->place, 100)) return;
    /* in the arena: names that are translated later may refer to it */
    flat_binding *binding = brink_arena_pack(&c->f->scratch, 1, sizeof *binding);
    if (binding == NULL) {
      flat_out_of_memory(c->f);
      return;
    }
    *binding = (flat_binding){.symbol = s->symbol, .value = (double)i, .outer = outer};
    c->fixed = binding;
    statements(b, &s->block[0]);
  }
  c->fixed = outer;
}

static void let(builder *b, const brink_ast_statement *s) {
  flat_name *name = brink_arena_pack(&b->c.f->scratch, 1, sizeof *name);
  flat_context *scope = brink_arena_pack(&b->c.f->scratch, 1, sizeof *scope);
  if (name == NULL || scope == NULL) {
    flat_out_of_memory(b->c.f);
    return;
  }
  *scope = b->c;
  flat_push_name(&b->c, name, s->symbol, s->expr, scope);
}

static void statements(builder *b, const brink_ast_block *block) {
  flat_name *names = b->c.names;
  for (size_t k = 0; k < block->count && !b->c.f->failed; k++) {
    const brink_ast_statement *s = block->statement[k];
    switch (s->kind) {
    case BRINK_STATEMENT_ASSIGN:
      assign(b, s->target, s->expr);
      break;
    case BRINK_STATEMENT_IF:
      conditional(b, s);
      break;
    case BRINK_STATEMENT_FOR:
      loop(b, s);
      break;
    case BRINK_STATEMENT_LET:
      let(b, s);
      break;
    case BRINK_STATEMENT_STOP:
      add_effect(b, BRINK_EFFECT_STOP, s->text);
      break;
    case BRINK_STATEMENT_FAIL:
      add_effect(b, BRINK_EFFECT_FAIL, s->text);
      break;
    case BRINK_STATEMENT_NOTE:
      note(b, s);
      break;
    default: /* equations and leave of on-event */
      break;
    }
  }
  b->c.names = names;
}

static brink_action *block_action(flat *f, flat_group *group, const brink_ast_block *block,
                                  const char *name, brink_place place) {
  builder b;
  if (!begin(&b, f, group, name, place)) return NULL;
  flat_begin_graph(&b.c);
  statements(&b, block);
  return end(&b);
}

/* ---- events ---- */

/* sgn(phi) = 0, as a tree. */
static brink_ast_expr *on_surface(flat *f, brink_symbol *flag, brink_place place) {
  brink_ast_expr *e = brink_arena_pack(&f->scratch, 4, sizeof *e);
  brink_ast_part *part = brink_arena_pack(&f->scratch, 1, sizeof *part);
  brink_ast_expr **arg = brink_arena_pack(&f->scratch, 3, sizeof *arg);
  if (e == NULL || part == NULL || arg == NULL) {
    flat_out_of_memory(f);
    return NULL;
  }
  *part = (brink_ast_part){.name = flag->name, .place = place, .symbol = flag};
  e[0] = (brink_ast_expr){.op = BRINK_AST_NAME, .place = place, .part = part, .nparts = 1};
  e[1] = (brink_ast_expr){.op = BRINK_AST_CALL,
                          .place = place,
                          .text = "sgn",
                          .arg = arg,
                          .nargs = 1,
                          .function = BRINK_FN_SGN,
                          .type = BRINK_TYPE_INTEGER};
  e[2] = (brink_ast_expr){.op = BRINK_AST_NUMBER, .place = place, .type = BRINK_TYPE_INTEGER};
  arg[0] = &e[0];
  arg[1] = &e[1];
  arg[2] = &e[2];
  e[3] = (brink_ast_expr){
      .op = BRINK_AST_EQ, .place = place, .arg = &arg[1], .nargs = 2, .type = BRINK_TYPE_BOOLEAN};
  return &e[3];
}

void flat_merge_on_event(flat *f, flat_group *group, brink_ast_event *events) {
  for (brink_ast_event *event = events; event != NULL && !f->failed; event = event->next) {
    if (!event->has_on || event->flag == NULL) continue;
    flat_list list = {.end = &list.first};
    flat_collect(f, &event->on, &list);
    for (flat_pending *on = list.first; on != NULL && !f->failed; on = on->next) {
      flat_pending *p = group->equations;
      while (p != NULL && !flat_same_expr(p->target, on->target)) p = p->next;
      if (p == NULL) {
        const brink_ast_expr *path =
            on->target->op == BRINK_AST_PRIME ? on->target->arg[0] : on->target;
        flat_error(f, BRINK_MSG_NOT_IN_DYNAMICS, path->place,
                   "on-event replaces equations of dynamics", "'%s' is not defined in dynamics",
                   path->part[path->nparts - 1].name);
        return;
      }
      brink_ast_expr *condition = on_surface(f, event->flag, event->place);
      if (condition == NULL) return;
      p->expr = flat_if(f, condition, on->expr, p->expr);
    }
  }
}

/* leave positive-going when condition: a formula that is watched while the surface holds the state. */
static void leave(flat *f, flat_group *group, const brink_ast_statement *s, uint32_t flag) {
  brink_kernel *kernel = flat_kernel(f, "leave", s->place, 0);
  flat_shared shared;
  flat_context c;
  if (kernel == NULL) return;
  flat_begin(&c, &shared, f, group, kernel, FLAT_EQUATION);
  flat_begin_graph(&c);
  uint32_t made = flat_add_flag(f, group, BRINK_FLAG_LEAVE, flat_place_name(f, s->place), s->place,
                                kernel->count);
  if (made == BRINK_NO_INDEX || !flat_number_guards(f, made) ||
      !flat_formula(&c, s->condition[0], made))
    return;
  f->system->flags[made].direction = BRINK_POSITIVE;
  if (s->direction == BRINK_POSITIVE)
    f->system->flags[flag].leave_positive = made;
  else
    f->system->flags[flag].leave_negative = made;
}

void flat_events(flat *f, flat_group *group, brink_ast_event *events) {
  for (brink_ast_event *event = events; event != NULL && !f->failed; event = event->next) {
    flat_variable *variable = flat_variable_of(group, event->flag);
    if (variable == NULL || variable->flag == BRINK_NO_INDEX) continue;
    uint32_t flag = variable->flag;
    if (variable->symbol->size != NULL) {
      flat_error(f, BRINK_MSG_EVENT_OF_A_VECTOR, event->flag_place,
                 "declare one flag for each, or use sgn",
                 "'%s' is a vector: its elements have no event sections", variable->symbol->name);
      return;
    }
    const char *name = f->system->flags[flag].name;
    brink_action *negative = NULL, *positive = NULL, *on = NULL;
    if (event->has_negative)
      negative = block_action(f, group, &event->negative, name, event->place);
    if (event->has_positive && !f->failed)
      positive = block_action(f, group, &event->positive, name, event->place);
    if (event->has_on && !f->failed) on = block_action(f, group, &event->on, name, event->place);
    for (size_t k = 0; event->has_on && k < event->on.count && !f->failed; k++) {
      if (event->on.statement[k]->kind == BRINK_STATEMENT_LEAVE)
        leave(f, group, event->on.statement[k], flag);
    }
    brink_flag *made = &f->system->flags[flag];
    made->negative = negative;
    made->positive = positive;
    /* A contact with one side: resting on it, it is reached by whatever leads to the other. */
    if (made->side == BRINK_UNILATERAL && event->has_negative != event->has_positive)
      made->inside = event->has_negative ? 1 : -1;
    if (!event->has_on) continue;
    made->surface = BRINK_SURFACE_MODEL;
    if (on != NULL && (on->kernel.noutputs > 0 || on->neffects > 0)) made->on_surface = on;
  }
}

/* ---- dtc ---- */

typedef struct sampling {
  double period, offset;
  int priority;
} sampling;

static bool read_sampling(flat *f, flat_group *group, size_t instance, sampling *made) {
  const brink_component *component = group->component;
  flat_point point = {.group = group, .instance = instance, .element = BRINK_NONE};
  double priority = 0.0;
  *made = (sampling){0};
  bool ok =
      flat_value(f, &point, component->period, &made->period) &&
      (component->offset == NULL || flat_value(f, &point, component->offset, &made->offset)) &&
      (component->priority == NULL || flat_value(f, &point, component->priority, &priority));
  if (!ok) {
    f->failed = true;
    return false;
  }
  if (!(made->period > 0.0 && made->period < 1e300)) {
    char text[BRINK_DOUBLE_TEXT];
    flat_error(f, BRINK_MSG_SAMPLE_PERIOD_NOT_POSITIVE, component->period->place, NULL,
               "the sample period %s is not a positive number",
               brink_double_text(made->period, text));
    return false;
  }
  if (!(made->offset > -1e300 && made->offset < 1e300)) {
    flat_error(f, BRINK_MSG_SAMPLE_OFFSET_NOT_FINITE, component->offset->place, NULL,
               "the sample offset is not a finite number");
    return false;
  }
  if (!(priority >= -1e9 && priority <= 1e9)) {
    flat_error(f, BRINK_MSG_PRIORITY_TOO_LARGE, component->priority->place, NULL,
               "the priority is not a number of moderate size");
    return false;
  }
  made->priority = (int)priority;
  return true;
}

static bool add_clock(flat *f, flat_group *group, const sampling *how, brink_action *action,
                      size_t first, size_t count) {
  brink_system *system = f->system;
  if (!brink_arena_reserve(f->arena, system->clocks, system->nclocks, system->clocks_capacity)) {
    flat_out_of_memory(f);
    return false;
  }
  brink_text name = {0};
  brink_system_instance_name(system, group->id, first, &name);
  const char *kept = brink_arena_text(
      f->arena, name.data != NULL && name.length > 0 ? name.data : group->component->name);
  brink_text_free(&name);
  if (kept == NULL) {
    flat_out_of_memory(f);
    return false;
  }
  system->clocks[system->nclocks++] = (brink_sampled){.name = kept,
                                                      .group = group->id,
                                                      .period = how->period,
                                                      .offset = how->offset,
                                                      .priority = how->priority,
                                                      .action = action,
                                                      .first = first,
                                                      .count = count,
                                                      .rules = action == NULL};
  return true;
}

/* Instances that sample alike share a clock. */
static void add_clocks(flat *f, flat_group *group, brink_action *action) {
  sampling how, next;
  size_t first = 0;
  if (!read_sampling(f, group, 0, &how)) return;
  for (size_t i = 1; i <= group->count; i++) {
    if (i < group->count && !read_sampling(f, group, i, &next)) return;
    if (i < group->count && next.period == how.period && next.offset == how.offset &&
        next.priority == how.priority)
      continue;
    if (!add_clock(f, group, &how, action, first, i - first)) return;
    first = i;
    how = next;
  }
}

/* At a sample, an input with a range of its own is stored, so that its range is checked. */
static void keep_inputs(builder *b) {
  flat *f = b->c.f;
  flat_group *group = b->c.group;
  for (brink_symbol *s = group->component->symbols; s != NULL && !f->failed; s = s->next) {
    flat_variable *input = flat_variable_of(group, s);
    if (s->kind != BRINK_SYMBOL_INPUT || !s->range.given || !input->alias ||
        flat_sources_have_ranges(f, input))
      continue;
    flat_variable seen = *input;
    seen.space = BRINK_SPACE_P;
    if (!flat_room(f, BRINK_SPACE_P, seen.count, &seen.base) ||
        !flat_add_variable(f, &seen, BRINK_VARIABLE_HIDDEN))
      return;
    brink_ast_part part = {.name = s->name, .place = s->place, .symbol = s};
    brink_ast_expr name = {.op = BRINK_AST_NAME, .place = s->place, .part = &part, .nparts = 1};
    for (size_t k = 0; k < seen.length && !f->failed; k++) {
      flat_context at = b->c;
      at.element = k;
      brink_ref slot = {.space = BRINK_SPACE_P,
                        .base = seen.base + (uint32_t)k,
                        .stride = group->count > 1 ? (int32_t)seen.length : 0};
      brink_node node = flat_ref(&at, input, &name, input->space);
      flat_add_output(f, b->c.kernel, slot, node, BRINK_NO_NODE, seen.variable);
    }
  }
}

/* What the equations of an output or a variable give now is held from now on. */
static void hold_now(builder *b, const flat_variable *variable) {
  int32_t stride = b->c.group->count > 1 ? (int32_t)variable->length : 0;
  for (uint32_t k = 0; k < variable->length && !b->c.f->failed; k++) {
    brink_ref now = {.space = BRINK_SPACE_V, .base = variable->now_base + k, .stride = stride};
    brink_ref held = {.space = variable->space, .base = variable->base + k, .stride = stride};
    flat_add_output(b->c.f, b->c.kernel, held, brink_graph_ref(b->c.graph, now), BRINK_NO_NODE,
                    variable->variable);
  }
}

/* Outputs, then the new state, both from the values before. */
static brink_action *sample_action(flat *f, flat_group *group, bool update) {
  builder b;
  const brink_component *component = group->component;
  if (!begin(&b, f, group, component->name, component->place)) return NULL;
  flat_begin_graph(&b.c);
  for (brink_symbol *s = component->symbols; s != NULL && !f->failed; s = s->next) {
    flat_variable *variable = flat_variable_of(group, s);
    if (variable != NULL && variable->sampled) hold_now(&b, variable);
  }
  if (update) statements(&b, &component->section[BRINK_SECTION_UPDATE].body);
  if (update) keep_inputs(&b);
  b.action->kernel.sequential = true;
  return end(&b);
}

static void discrete_time(flat *f, flat_group *group) {
  brink_action *action = sample_action(f, group, true);
  if (action == NULL) return;
  add_clocks(f, group, action);
  if (f->failed) return;
  brink_action *first = sample_action(f, group, false);
  if (first != NULL && first->kernel.noutputs > 0) flat_first_output(f, first);
}

/* ---- lbc ---- */

typedef struct rules {
  flat *f;
  flat_group *group;
  const flat_binding *fixed;
  size_t count;   /* so far */
  uint32_t clock; /* of a sampled lbc */
  int priority;
} rules;

/* The condition as a flag, or, with samples, as it stands at each of them. */
static bool rule_condition(rules *r, const brink_ast_statement *s, brink_rule *rule) {
  flat *f = r->f;
  brink_kernel *kernel = flat_kernel(f, rule->name, s->place, 0);
  flat_shared shared;
  flat_context c;
  bool sampled = r->group->component->has_sample;
  if (kernel == NULL) return false;
  flat_begin(&c, &shared, f, r->group, kernel, sampled ? FLAT_INSTANT : FLAT_EQUATION);
  c.fixed = r->fixed;
  flat_begin_graph(&c);
  if (!sampled) {
    uint32_t flag =
        flat_add_flag(f, r->group, BRINK_FLAG_RULE, rule->name, s->place, kernel->count);
    if (flag == BRINK_NO_INDEX || !flat_number_guards(f, flag)) return false;
    rule->flag = flag;
    return flat_formula(&c, s->condition[0], flag);
  }
  brink_node node = flat_expr(&c, s->condition[0]);
  brink_ref out = {.space = BRINK_SPACE_OUT};
  rule->condition = kernel;
  rule->clock = r->clock;
  return !f->failed && flat_add_output(f, kernel, out, node, BRINK_NO_NODE, BRINK_NO_INDEX);
}

static void add_rule(rules *r, const brink_ast_statement *s) {
  flat *f = r->f;
  brink_system *system = f->system;
  char text[32];
  snprintf(text, sizeof text, "rule[%zu]", ++r->count);
  brink_rule rule = {.name = brink_arena_text(f->arena, text),
                     .where = flat_where(f, s->place),
                     .group = r->group->id,
                     .count = r->group->count,
                     .flag = BRINK_NO_INDEX,
                     .clock = BRINK_NO_INDEX};
  if (rule.name == NULL || !rule_condition(r, s, &rule)) {
    if (!f->failed) flat_out_of_memory(f);
    return;
  }
  builder b;
  if (!begin(&b, f, r->group, rule.name, s->place)) return;
  b.c.fixed = r->fixed;
  flat_begin_graph(&b.c);
  statements(&b, &s->block[0]);
  rule.body = end(&b);
  if (rule.body == NULL) return;
  rule.priority = r->priority;
  rule.was = flat_hidden(f, r->group, "rule", BRINK_SPACE_MODE, r->group->count, 0.0);
  if (rule.was == BRINK_NO_INDEX) return;
  brink_rule *added = flat_push(f, system->rules, system->nrules, system->rules_capacity);
  if (added != NULL) *added = rule;
}

static void rule_block(rules *r, const brink_ast_block *block) {
  for (size_t k = 0; k < block->count && !r->f->failed; k++) {
    const brink_ast_statement *s = block->statement[k];
    if (s->kind == BRINK_STATEMENT_WHEN) add_rule(r, s);
    if (s->kind != BRINK_STATEMENT_FOR) continue;
    flat_point point = {.group = r->group, .element = BRINK_NONE, .binding = r->fixed};
    int64_t lo, hi;
    if (!flat_bounds(r->f, &point, s, &lo, &hi)) return;
    const flat_binding *outer = r->fixed;
    for (int64_t i = lo; i <= hi && !r->f->failed; i++) {
      if (!flat_spend(r->f, s->place, 1000)) return;
      flat_binding binding = {.symbol = s->symbol, .value = (double)i, .outer = outer};
      r->fixed = &binding;
      rule_block(r, &s->block[0]);
      r->fixed = outer;
    }
  }
}

static bool read_priority(flat *f, flat_group *group, int *priority) {
  const brink_component *component = group->component;
  flat_point point = {.group = group, .element = BRINK_NONE};
  double value = 0.0;
  if (component->priority != NULL && !flat_value(f, &point, component->priority, &value)) {
    f->failed = true;
    return false;
  }
  *priority = value >= -1e9 && value <= 1e9 ? (int)value : 0;
  return true;
}

static void logic_based(flat *f, flat_group *group) {
  rules r = {.f = f, .group = group, .clock = BRINK_NO_INDEX};
  if (group->component->has_sample) {
    size_t before = f->system->nclocks;
    add_clocks(f, group, NULL);
    if (!f->failed && f->system->nclocks != before + 1) {
      flat_error(f, BRINK_MSG_SAMPLES_DIFFER, group->component->sample_place, NULL,
                 "instances of an array of lbcs must have the same sample");
      return;
    }
    r.clock = (uint32_t)before;
  }
  if (!f->failed && read_priority(f, group, &r.priority))
    rule_block(&r, &group->component->section[BRINK_SECTION_RULES].body);
}

/* Larger priorities first, then in order of declaration. */
void flat_sort_rules(flat *f) {
  brink_rule *list = f->system->rules;
  for (size_t k = 1; k < f->system->nrules; k++) {
    brink_rule rule = list[k];
    size_t j = k;
    for (; j > 0 && list[j - 1].priority < rule.priority; j--) list[j] = list[j - 1];
    list[j] = rule;
  }
}

void flat_discrete(flat *f, flat_group *group) {
  if (group->component == NULL) return;
  if (group->component->kind == BRINK_DTC) discrete_time(f, group);
  if (group->component->kind == BRINK_LBC) logic_based(f, group);
}
