/* flat_action.c: updates and rules become actions: what their statements become, flat_statement.c makes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/flat.h"

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
static void keep_inputs(flat_builder *b) {
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
static void hold_now(flat_builder *b, const flat_variable *variable) {
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
  flat_builder b;
  const brink_component *component = group->component;
  if (!flat_action_begin(&b, f, group, component->name, component->place, NULL, NULL)) return NULL;
  b.sequential = b.c.kernel->sequential = true;
  for (brink_symbol *s = component->symbols; s != NULL && !f->failed; s = s->next) {
    flat_variable *variable = flat_variable_of(group, s);
    if (variable != NULL && variable->sampled) hold_now(&b, variable);
  }
  if (update) flat_statements(&b, &component->section[BRINK_SECTION_UPDATE].body);
  if (update) keep_inputs(&b);
  flat_store_indices(&b.c);
  return flat_action_end(&b, update);
}

static void discrete_time(flat *f, flat_group *group) {
  brink_action *action = sample_action(f, group, true);
  if (action == NULL) return;
  add_clocks(f, group, action);
  if (f->failed) return;
  brink_action *first = sample_action(f, group, false);
  if (brink_action_does_something(first)) flat_first_output(f, first);
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
  flat_builder b;
  if (!flat_action_begin(&b, f, r->group, rule.name, s->place, NULL, r->fixed)) return;
  flat_statements(&b, &s->block[0]);
  rule.body = flat_action_end(&b, true);
  if (rule.body == NULL) return;
  rule.priority = r->priority;
  rule.was = flat_hidden(f, r->group, "rule", BRINK_SPACE_MODE, r->group->count, 0.0);
  if (rule.was == BRINK_NO_INDEX) return;
  brink_rule *added = flat_push(f, system->rules, system->nrules, system->rules_capacity);
  if (added != NULL) *added = rule;
}

enum { RULE_STEPS = 1000 }; /* of the budget */

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
      if (!flat_spend(r->f, s->place, RULE_STEPS)) return;
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
  const brink_ast_block *body = &group->component->section[BRINK_SECTION_RULES].body;
  flat_point first = {.group = group, .element = BRINK_NONE};
  if (!f->failed && read_priority(f, group, &r.priority) &&
      flat_foresee(f, &first, body, 1, RULE_STEPS))
    rule_block(&r, body);
}

/* In order of declaration each rule has a memory of its own, `was`, behind those before it. */
static int by_priority(const void *a, const void *b) {
  const brink_rule *one = a, *other = b;
  if (one->priority != other->priority) return one->priority > other->priority ? -1 : 1;
  return one->was < other->was ? -1 : one->was > other->was;
}

/* Larger priorities first, then in order of declaration. */
void flat_sort_rules(flat *f) {
  brink_system *system = f->system;
  if (system->nrules > 0) qsort(system->rules, system->nrules, sizeof *system->rules, by_priority);
}

void flat_discrete(flat *f, flat_group *group) {
  if (group->component == NULL) return;
  if (group->component->kind == BRINK_DTC) discrete_time(f, group);
  if (group->component->kind == BRINK_LBC) logic_based(f, group);
}
