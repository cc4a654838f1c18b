/* flat_event.c: event sections become actions of flags, on-event replaces equations.
 *
 * The elements of a vector of flags that one event section is about share its actions: these have one iteration for
 * each of them, in each instance. Flags were made equation by equation; where a section is about some elements of one
 * of these only, the flag is split. */
#include <string.h>

#include "lang/flat.h"

/* ---- on-event ---- */

/* sgn(phi) = 0, as a tree. */
static brink_ast_expr *on_surface(flat *f, const brink_ast_event *event) {
  brink_place place = event->place;
  brink_ast_expr *e = brink_arena_pack(&f->scratch, 4, sizeof *e);
  brink_ast_part *part = brink_arena_pack(&f->scratch, 1, sizeof *part);
  brink_ast_expr **arg = brink_arena_pack(&f->scratch, 3, sizeof *arg);
  if (e == NULL || part == NULL || arg == NULL) {
    flat_out_of_memory(f);
    return NULL;
  }
  *part = (brink_ast_part){.name = event->flag->name, .place = place, .symbol = event->flag};
  if (event->element != NULL) *part = event->element->part[0];
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

/* The loops of an event and of an equation are one if their bounds are: then so are their variables. */
static bool same_loops(const flat_pending *p, const flat_pending *on) {
  if (p->nloops != on->nloops) return false;
  for (size_t k = 0; k < p->nloops; k++) {
    const brink_ast_statement *a = p->loops[k], *b = on->loops[k];
    if (!flat_same_expr(a->lo, b->lo) || !flat_same_expr(a->hi, b->hi)) return false;
    brink_symbol *mine = (brink_symbol *)(uintptr_t)flat_loop_symbol(b->symbol);
    const brink_symbol *other = flat_loop_symbol(a->symbol);
    if (mine != other) mine->same_as = (brink_symbol *)(uintptr_t)other;
  }
  return true;
}

static flat_pending *replaced(flat_group *group, const flat_pending *on) {
  flat_pending *p = group->equations;
  while (p != NULL && !(same_loops(p, on) && flat_same_expr(p->target, on->target))) p = p->next;
  return p;
}

void flat_merge_on_event(flat *f, flat_group *group, brink_ast_event *events) {
  for (brink_ast_event *event = events; event != NULL && !f->failed; event = event->next) {
    if (!event->has_on || event->flag == NULL) continue;
    flat_list list = {.end = &list.first};
    flat_pending around = {.nloops = event->nloops};
    for (size_t k = 0; k < event->nloops; k++) around.loops[k] = event->loops[k];
    flat_collect_in(f, &event->on, &list, &around);
    for (flat_pending *on = list.first; on != NULL && !f->failed; on = on->next) {
      flat_pending *p = replaced(group, on);
      if (p == NULL) {
        const brink_ast_expr *path =
            on->target->op == BRINK_AST_PRIME ? on->target->arg[0] : on->target;
        flat_error(f, BRINK_MSG_NOT_IN_DYNAMICS, path->place,
                   on->nloops > 0 ? "on-event replaces equations of dynamics that stand in the "
                                    "same loops"
                                  : "on-event replaces equations of dynamics",
                   "'%s' is not defined in dynamics", path->part[path->nparts - 1].name);
        return;
      }
      brink_ast_expr *condition = on_surface(f, event);
      if (condition == NULL) return;
      p->expr = flat_if(f, condition, on->expr, p->expr);
    }
  }
}

/* ---- one flag ---- */

/* leave positive-going when condition: a formula that is watched while the surface holds the state. */
static void leave(flat *f, flat_group *group, const brink_ast_statement *s, const flat_loop *loop,
                  uint32_t flag) {
  brink_kernel *kernel = flat_kernel(f, "leave", s->place, 0);
  flat_shared shared;
  flat_context c;
  if (kernel == NULL) return;
  flat_begin(&c, &shared, f, group, kernel, FLAT_EQUATION);
  if (loop != NULL) c.loop[c.nloops++] = *loop;
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

static brink_action *block_action(flat *f, flat_group *group, const brink_ast_event *event,
                                  const brink_ast_block *block, const flat_loop *loop,
                                  uint32_t flag) {
  flat_builder b;
  const char *name = f->system->flags[flag].name;
  if (!flat_action_begin(&b, f, group, name, event->place, loop, NULL)) return NULL;
  flat_statements(&b, block);
  return flat_action_end(&b, true);
}

/* `loop` (NULL: none): the values of the event's loops in each repetition of the flag. */
static void react(flat *f, flat_group *group, const brink_ast_event *event, const flat_loop *loop,
                  uint32_t flag) {
  brink_action *negative = NULL, *positive = NULL, *on = NULL;
  if (event->has_negative) negative = block_action(f, group, event, &event->negative, loop, flag);
  if (event->has_positive && !f->failed)
    positive = block_action(f, group, event, &event->positive, loop, flag);
  if (event->has_plain && !f->failed)
    positive = block_action(f, group, event, &event->plain, loop, flag);
  if (event->has_on && !f->failed) on = block_action(f, group, event, &event->on, loop, flag);
  for (size_t k = 0; event->has_on && k < event->on.count && !f->failed; k++) {
    if (event->on.statement[k]->kind == BRINK_STATEMENT_LEAVE)
      leave(f, group, event->on.statement[k], loop, flag);
  }
  brink_flag *made = &f->system->flags[flag];
  made->negative = negative;
  made->positive = positive;
  /* A contact with one side: resting on it, it is reached by whatever leads to the other. */
  if (made->side == BRINK_UNILATERAL && event->has_negative != event->has_positive)
    made->inside = event->has_negative ? 1 : -1;
  if (!event->has_on) return;
  made->surface = BRINK_SURFACE_MODEL;
  if (brink_action_does_something(on)) made->on_surface = on;
}

/* ---- which section is about which element? ---- */

typedef struct coverage {
  flat *f;
  flat_group *group;
  const flat_variable *variable;
  const brink_ast_event **by;        /* of each element: its section; NULL: none */
  double *values[BRINK_EVENT_LOOPS]; /* of each element: the variables of the loops */
} coverage;

static bool note_element(coverage *c, const flat_point *point, const brink_ast_event *event) {
  flat *f = c->f;
  int64_t index;
  const brink_ast_expr *expr = event->element->part[0].index;
  if (!flat_whole(f, point, expr, c->variable->symbol->name, 1, (int64_t)c->variable->length,
                  &index)) {
    f->failed = true;
    return false;
  }
  size_t element = (size_t)(index - 1);
  if (point->instance == 0 && c->by[element] != NULL) {
    flat_error(f, BRINK_MSG_EVENT_TWICE, event->flag_place, NULL, "'%s' has two event sections",
               brink_unit_format(f->unit, "%s[%zu]", c->variable->symbol->name, element + 1));
    return false;
  }
  const flat_binding *binding = point->binding;
  bool same = point->instance == 0 || c->by[element] == event;
  for (size_t k = event->nloops; k-- > 0; binding = binding->outer) {
    if (point->instance == 0) c->values[k][element] = binding->value;
    same = same && c->values[k][element] == binding->value;
  }
  if (!same)
    flat_error(f, BRINK_MSG_LOOP_BOUNDS_DIFFER, event->flag_place,
               "instances of one array share their equations",
               "the loop's bounds differ between the instances of an array");
  c->by[element] = event;
  return same;
}

/* The loops from `depth` on. */
static bool note_elements(coverage *c, const flat_point *point, const brink_ast_event *event,
                          size_t depth) {
  if (depth == event->nloops) return note_element(c, point, event);
  const brink_ast_statement *s = event->loops[depth];
  int64_t lo, hi;
  if (!flat_bounds(c->f, point, s, &lo, &hi)) {
    c->f->failed = true;
    return false;
  }
  for (int64_t i = lo; i <= hi; i++) {
    flat_binding binding = {.symbol = s->symbol, .value = (double)i, .outer = point->binding};
    flat_point inner = *point;
    inner.binding = &binding;
    if (!flat_spend(c->f, s->place, 10) || !note_elements(c, &inner, event, depth + 1))
      return false;
  }
  return true;
}

/* Made of numbers and loops alone: the same in all instances. */
static bool is_shared(const brink_ast_event *event) {
  bool shared = flat_only_loops(event->element->part[0].index);
  for (size_t k = 0; k < event->nloops; k++)
    shared = shared && flat_only_loops(event->loops[k]->lo) && flat_only_loops(event->loops[k]->hi);
  return shared;
}

static bool cover(coverage *c, brink_ast_event *events) {
  flat *f = c->f;
  size_t length = c->variable->length;
  c->by = brink_arena_take(&f->scratch, length, sizeof *c->by);
  if (c->by == NULL) flat_out_of_memory(f);
  for (size_t k = 0; k < BRINK_EVENT_LOOPS; k++) {
    c->values[k] = brink_arena_take(&f->scratch, length, sizeof(double));
    if (c->values[k] == NULL) flat_out_of_memory(f);
  }
  for (const brink_ast_event *event = events; event != NULL && !f->failed; event = event->next) {
    if (event->flag != c->variable->symbol) continue;
    size_t instances = is_shared(event) ? 1 : c->group->count;
    for (size_t i = 0; i < instances && !f->failed; i++) {
      flat_point point = {.group = c->group, .instance = i, .element = BRINK_NONE};
      note_elements(c, &point, event, 0);
    }
  }
  return !f->failed;
}

/* ---- parts of flags ---- */

/* Some repetitions of a kernel, in all instances. */
typedef struct picker {
  flat *f;
  size_t repeat;          /* of the kernel */
  const uint32_t *chosen; /* `count` of them */
  size_t count, instances;
} picker;

static brink_node pick_ref(brink_graph *to, const brink_graph *from, uint32_t ref, void *user) {
  const picker *p = user;
  uint32_t *slots = brink_arena_pack(&p->f->scratch, p->instances * p->count, sizeof *slots);
  if (slots == NULL) {
    flat_out_of_memory(p->f);
    return BRINK_NO_NODE;
  }
  for (size_t i = 0; i < p->instances; i++) {
    for (size_t k = 0; k < p->count; k++)
      slots[i * p->count + k] =
          (uint32_t)brink_ref_slot(&from->refs[ref], i * p->repeat + p->chosen[k]);
  }
  return brink_graph_ref(
      to, flat_make_ref(p->f, from->refs[ref].space, slots, p->instances * p->count));
}

static brink_kernel *pick_kernel(picker *p, const brink_kernel *from) {
  if (from == NULL) return NULL;
  brink_kernel *to = flat_kernel(p->f, from->name, from->place, p->instances * p->count);
  if (to == NULL) return NULL;
  brink_node node = brink_graph_copy(&to->graph, &from->graph, from->outputs[0].node, pick_ref, p);
  brink_ref out = {.space = BRINK_SPACE_OUT};
  return flat_add_output(p->f, to, out, node, BRINK_NO_NODE, BRINK_NO_INDEX) ? to : NULL;
}

/* A flag with some of the guards of another; its formula is that one's. */
static brink_flag pick(picker *p, const brink_flag *from) {
  flat *f = p->f;
  brink_flag made = *from;
  made.count = p->instances * p->count;
  made.per_instance = p->count;
  made.guard = flat_take(f, made.count, sizeof *made.guard);
  made.element = flat_take(f, p->count, sizeof *made.element);
  if (made.guard == NULL || made.element == NULL) return made;
  if (from->time != NULL) made.time = flat_take(f, made.count, sizeof *made.time);
  for (size_t k = 0; k < p->count; k++) {
    if (from->element != NULL) made.element[k] = from->element[p->chosen[k]];
    for (size_t i = 0; i < p->instances; i++) {
      made.guard[i * p->count + k] = from->guard[i * p->repeat + p->chosen[k]];
      if (made.time != NULL) made.time[i * p->count + k] = from->time[i * p->repeat + p->chosen[k]];
    }
  }
  if (from->element == NULL) made.element = NULL;
  made.value = pick_kernel(p, from->value);
  made.enabled = pick_kernel(p, from->enabled);
  return made;
}

/* As a flag of its own, with leaves of its own. Its number. */
static uint32_t add_picked(picker *p, uint32_t flag) {
  flat *f = p->f;
  brink_flag made = pick(p, &f->system->flags[flag]);
  if (made.formula != NULL && !f->failed) {
    int32_t *formula = flat_take(f, made.formula_length, sizeof *formula);
    for (size_t k = 0; formula != NULL && k < made.formula_length; k++) {
      formula[k] = made.formula[k];
      if (formula[k] >= 0) formula[k] = (int32_t)add_picked(p, (uint32_t)formula[k]);
    }
    made.formula = formula;
  }
  if (f->failed) return BRINK_NO_INDEX;
  brink_flag *added = flat_push(f, f->system->flags, f->system->nflags, f->system->flags_capacity);
  if (added == NULL) return BRINK_NO_INDEX;
  *added = made;
  return (uint32_t)f->system->nflags - 1;
}

/* In place of what it was. */
static void keep_picked(picker *p, uint32_t flag) {
  brink_flag made = pick(p, &p->f->system->flags[flag]);
  for (size_t k = 0; k < made.formula_length && !p->f->failed; k++) {
    if (made.formula[k] >= 0) keep_picked(p, (uint32_t)made.formula[k]);
  }
  if (!p->f->failed) p->f->system->flags[flag] = made;
}

/* ---- vectors of flags ---- */

/* The values of the loops around an event, for the elements of a flag. */
static bool loop_of(coverage *c, const brink_ast_event *event, const brink_flag *flag,
                    flat_loop *loop) {
  flat *f = c->f;
  flat_values *list = brink_arena_take(&f->scratch, event->nloops, sizeof *list);
  *loop = (flat_loop){.count = flag->per_instance};
  if (list == NULL) flat_out_of_memory(f);
  for (size_t k = 0; list != NULL && k < event->nloops; k++) {
    double *values = brink_arena_pack(&f->scratch, flag->per_instance, sizeof *values);
    if (values == NULL) {
      flat_out_of_memory(f);
      return false;
    }
    for (size_t r = 0; r < flag->per_instance; r++) values[r] = c->values[k][flag->element[r]];
    list[k] = (flat_values){.symbol = flat_loop_symbol(event->loops[k]->symbol),
                            .values = values,
                            .next = loop->values};
    loop->values = &list[k];
  }
  return !f->failed;
}

static void react_to_elements(coverage *c, uint32_t flag) {
  const brink_flag *made = &c->f->system->flags[flag];
  const brink_ast_event *event = c->by[made->element[0]];
  flat_loop loop;
  if (event != NULL && loop_of(c, event, made, &loop)) react(c->f, c->group, event, &loop, flag);
}

/* Elements that have another section than the first one, or none, become flags of their own. */
static void split(coverage *c, uint32_t flag) {
  flat *f = c->f;
  brink_flag *made = &f->system->flags[flag];
  size_t repeat = made->per_instance, nrest = 0, nsame = 0;
  const brink_ast_event *event = c->by[made->element[0]];
  uint32_t *chosen = brink_arena_pack(&f->scratch, 2 * repeat, sizeof *chosen);
  if (chosen == NULL) {
    flat_out_of_memory(f);
    return;
  }
  uint32_t *rest = chosen + repeat;
  for (uint32_t r = 0; r < repeat; r++) {
    if (c->by[made->element[r]] == event)
      chosen[nsame++] = r;
    else
      rest[nrest++] = r;
  }
  if (nrest == 0) return;
  picker others = {f, repeat, rest, nrest, c->group->count};
  picker same = {f, repeat, chosen, nsame, c->group->count};
  uint32_t other = add_picked(&others, flag);
  if (other == BRINK_NO_INDEX) return;
  keep_picked(&same, flag);
  if (!f->failed) split(c, other);
}

static void flags_of_vector(flat *f, flat_group *group, flat_variable *variable,
                            brink_ast_event *events) {
  coverage c = {.f = f, .group = group, .variable = variable};
  if (!cover(&c, events)) return;
  size_t before = f->system->nflags;
  for (int round = 0; round < 2; round++) {
    for (uint32_t k = 0; k < f->system->nflags && !f->failed; k++) {
      const brink_flag *flag = &f->system->flags[k];
      if ((flag->kind != BRINK_FLAG_DECLARED && flag->kind != BRINK_FLAG_TIMER) ||
          flag->group != group->id || strcmp(flag->name, variable->symbol->name) != 0)
        continue;
      if (round == 0 && k < before) split(&c, k);
      if (round == 1) react_to_elements(&c, k);
    }
  }
}

/* A timer is a flag whose events happen at the time that its slot holds. */
static void add_timer(flat *f, flat_group *group, flat_variable *timer) {
  const brink_symbol *symbol = timer->symbol;
  char *name = brink_arena_text(f->arena, symbol->name);
  uint32_t flag = flat_add_flag(f, group, BRINK_FLAG_TIMER, name, symbol->place, timer->count);
  uint32_t *time = flat_take(f, timer->count, sizeof *time);
  uint32_t *element = flat_take(f, timer->length, sizeof *element);
  if (name == NULL) flat_out_of_memory(f);
  if (f->failed || flag == BRINK_NO_INDEX) return;
  for (uint32_t k = 0; k < timer->length; k++) element[k] = k;
  for (size_t k = 0; k < timer->count; k++) time[k] = timer->base + (uint32_t)k;
  brink_flag *made = &f->system->flags[flag];
  made->guard = timer->guards;
  made->time = time;
  made->silent = symbol->silent;
  if (symbol->size != NULL) made->element = element;
  timer->flag = flag;
}

void flat_timers(flat *f, flat_group *group) {
  const brink_component *component = group->component;
  for (brink_symbol *s = component != NULL ? component->symbols : NULL; s != NULL && !f->failed;
       s = s->next) {
    flat_variable *timer = flat_variable_of(group, s);
    if (s->timer && timer != NULL && timer->guards != NULL) add_timer(f, group, timer);
  }
}

void flat_events(flat *f, flat_group *group, brink_ast_event *events) {
  for (brink_ast_event *event = events; event != NULL && !f->failed; event = event->next) {
    flat_variable *variable = flat_variable_of(group, event->flag);
    if (variable == NULL || variable->flag == BRINK_NO_INDEX) continue;
    if (variable->symbol->size == NULL) {
      react(f, group, event, NULL, variable->flag);
      continue;
    }
    bool done = false; /* with the first section that is about one of its elements */
    for (brink_ast_event *other = events; other != event; other = other->next)
      done = done || other->flag == event->flag;
    if (!done) flags_of_vector(f, group, variable, events);
  }
}
