/* Templates of agents: each is what a model of one agent, or of two, is by itself; and the tables say where everything
 * in it is among all agents. */
#include "run/templates.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "lang/flatten.h"
#include "support/counting.h"
#include "support/kernels.h"

/* ---- a model ---- */

/* An agent with parts: a vector, loops, a held floor, an output of what is inside, samples of an array, rules, draws. */
static const char parts[] =
    "ctc Plant is\n"
    "  interface input(u, real); output(y, signal); output(z[2], signal); knob(k); end interface;\n"
    "  body\n"
    "    declarations state(x, real); state(v, real); state(w[3], real); parameter(k, real);\n"
    "      flag(wall); flag(high); mode(side, {\"left\", \"right\"}); end declarations;\n"
    "    initial x := uniform(0.0, 1.0); v := 1.0; side := \"left\";\n"
    "      for i in 1..3 loop w[i] := i*k; end loop; end initial;\n"
    "    dynamics x' = v; v' = -k*v + u; wall = 1.5 - x; high = x > 1.0 and v > 0.5;\n"
    "      for i in 1..3 loop w[i]' = -i*w[i] + floor(2*x); end loop; end dynamics;\n"
    "    output y = abs(x) + 0.1*w[2]; z = [x, w[3]]; end output;\n"
    "    event(wall) negative-going\n"
    "      v := -uniform(0.5, 1.0)*v; side := \"right\"; note(\"hit\", x, v);\n"
    "    end negative-going; end event;\n"
    "    assignments k : 0.1; u : 0.0; end assignments;\n"
    "  end body;\n"
    "end Plant;\n"
    "dtc Control is\n"
    "  interface input(m, real); output(u, real); knob(period); end interface;\n"
    "  body\n"
    "    declarations sample(period, 0.0); state(i, real); parameter(kp, real);\n"
    "      parameter(period, real); end declarations;\n"
    "    initial i := 0.0; end initial;\n"
    "    update i := i + 0.01*m; end update;\n"
    "    output u = -kp*m - i; end output;\n"
    "    assignments kp : 0.5; period : 0.25; end assignments;\n"
    "  end body;\n"
    "end Control;\n"
    "lbc Watch is\n"
    "  interface input(m, real); output(alarm, string, {\"off\", \"on\"}); end interface;\n"
    "  body\n"
    "    declarations mode(a, {\"off\", \"on\"}); end declarations;\n"
    "    initial a := \"off\"; end initial;\n"
    "    rules when m > 1.2 do a := \"on\"; note(\"on\", m); end when;\n"
    "          when m < 0.2 do a := \"off\"; end when; end rules;\n"
    "    output alarm = a; end output;\n"
    "  end body;\n"
    "end Watch;\n"
    "composite Robot is\n"
    "  interface output(place[2], signal); end interface;\n"
    "  body\n"
    "    components plant : Plant; control[2] : Control(period : [0.25, 0.5]); watch : Watch;\n"
    "    end components;\n"
    "    connections connect(plant.y, control[1].m); connect(control[1].u, plant.u);\n"
    "      connect(plant.z[2], control[2].m); connect(plant.y, watch.m);\n"
    "      connect(plant.z, place); end connections;\n"
    "  end body;\n"
    "end Robot;\n"
    "ctc Ball is\n"
    "  interface knob(r); end interface;\n"
    "  body\n"
    "    declarations state(x, real, (-100.0, 100.0)); parameter(r, real); end declarations;\n"
    "    initial x := 5.0; end initial;\n"
    "    dynamics x' = -r*x; end dynamics;\n"
    "    assignments r : 1.0; end assignments;\n"
    "  end body;\n"
    "end Ball;\n";

static const char block_of_one[] =
    "      pair(a, b) in bot\n"
    "        declarations flag(near_); variable(d, real); parameter(dist, real); end "
    "declarations;\n"
    "        dynamics d = a.plant.x - b.plant.x; near_ = d^2 - dist*common; end dynamics;\n"
    "        event(near_) negative-going note(\"near\", a.plant.x, d);\n"
    "          a.plant.v := a.plant.v + 0.01*b.plant.k; end negative-going; end event;\n"
    "        reach(a.plant.x, 0.2);\n"
    "        assignments dist : 0.02; end assignments;\n"
    "      end pair;\n";

static const char block_of_two[] =
    "      pair(a, b) in bot, ball\n"
    "        declarations flag(far_, unilateral); end declarations;\n"
    "        dynamics far_ = b.x - a.plant.x - b.r; end dynamics;\n"
    "        event(far_) negative-going b.x := b.x + 1.0; a.plant.side := \"left\";\n"
    "        end negative-going; end event;\n"
    "      end pair;\n";

typedef struct wish {
  int bots, balls; /* 0: none */
  const char *block[2];
  const char *besides; /* in the system; NULL: nothing */
} wish;

static const char *write_model(const wish *w) {
  static char text[sizeof parts + 4000];
  char components[2][100] = {"", ""};
  if (w->bots > 0) snprintf(components[0], sizeof components[0], "bot[%d] : Robot;", w->bots);
  if (w->balls > 0) snprintf(components[1], sizeof components[1], "ball[%d] : Ball;", w->balls);
  snprintf(text, sizeof text,
           "%ssystem S is\n  body\n"
           "    declarations parameter(common, real); end declarations;\n"
           "    components %s %s end components;\n"
           "%s\n"
           "    agents\n      %s %s\n%s%s    end agents;\n"
           "    assignments common : 0.5; end assignments;\n"
           "    simulation until : 1.0; end simulation;\n"
           "  end body;\nend S;\n",
           parts, components[0], components[1], w->besides != NULL ? w->besides : "",
           w->bots > 0 ? "population(bot);" : "", w->balls > 0 ? "population(ball);" : "",
           w->block[0] != NULL ? w->block[0] : "", w->block[1] != NULL ? w->block[1] : "");
  return text;
}

/* ---- from text to a system ---- */

typedef struct loaded {
  brink_unit *unit;
  brink_system *system;
} loaded;

static char *read_text(const char *path, size_t *length, const char **reason, void *user) {
  (void)path, (void)reason;
  *length = strlen(user);
  char *copy = malloc(*length + 1);
  if (copy != NULL) memcpy(copy, user, *length + 1);
  return copy;
}

static loaded load_text(const char *text, const brink_flatten_options *options) {
  brink_reader reader = {.read = read_text, .user = (void *)(uintptr_t)text};
  bool unreadable = false;
  const char *reason = NULL;
  loaded made = {.unit = brink_unit_parse("model.hsml", &reader, NULL, &unreadable, &reason)};
  brink_unit_check(made.unit);
  made.system = brink_flatten(made.unit, options, NULL);
  for (size_t k = 0; k < made.unit->nitems; k++) {
    const brink_report_item *item = &made.unit->items[k];
    CHECK_MSG(item->severity != BRINK_ERROR, "%u:%u: %s", (unsigned)item->place.line,
              (unsigned)item->place.column, item->message);
  }
  CHECK(made.system != NULL && made.unit->nsettings == 0);
  if (made.system == NULL) exit(1);
  return made;
}

static loaded load(const wish *w, brink_flatten_agents agents) {
  brink_flatten_options options = {.agents = agents, .seed = 5};
  return load_text(write_model(w), &options);
}

static void unload(loaded *l) {
  brink_system_destroy(l->system);
  brink_unit_destroy(l->unit);
}

/* ---- comparing two systems ---- */

enum { MOST = 600 }; /* slots of a space */

/* Values for everything that kernels read and write. */
typedef struct memory {
  double x[MOST], p[MOST], v[MOST], dx[MOST], out[MOST], pre_x[MOST], pre_p[MOST];
  int mode[MOST], pre_mode[MOST];
  signed char sign[MOST];
} memory;

/* Two systems that should be the same, but for the numbers of slots: of each slot of a, that of b. */
typedef struct twins {
  const brink_system *a, *b;
  uint32_t slot[BRINK_SPACE_COUNT][MOST], sign[MOST];
  memory in_a, in_b;
} twins;

static const size_t *size_of(const brink_system *s, brink_space space) {
  return space == BRINK_SPACE_X      ? &s->nx
         : space == BRINK_SPACE_P    ? &s->np
         : space == BRINK_SPACE_MODE ? &s->nmodes
                                     : &s->nv;
}

static bool name_is(const brink_system *a, uint32_t v, const brink_system *b, uint32_t w) {
  brink_text left = {0}, right = {0};
  brink_system_variable_name(a, v, 0, &left);
  brink_system_variable_name(b, w, 0, &right);
  bool same = strcmp(left.data, right.data) == 0 && a->variables[v].kind == b->variables[w].kind &&
              a->variables[v].space == b->variables[w].space;
  brink_text_free(&left);
  brink_text_free(&right);
  return same;
}

/* The how-manyth of those with its name is v? That one of b. */
static uint32_t find_twin(const twins *t, uint32_t v) {
  size_t before = 0;
  for (uint32_t u = 0; u < v; u++) before += name_is(t->a, u, t->a, v);
  for (uint32_t w = 0; w < t->b->nvariables; w++) {
    if (name_is(t->a, v, t->b, w) && before-- == 0) return w;
  }
  return BRINK_NO_INDEX;
}

static void pair_variables(twins *t) {
  const brink_system *a = t->a, *b = t->b;
  CHECK_INT(b->nvariables, a->nvariables);
  for (uint32_t v = 0; v < a->nvariables; v++) {
    uint32_t w = find_twin(t, v);
    CHECK_MSG(w != BRINK_NO_INDEX, "%s has no twin", a->variables[v].name);
    if (w == BRINK_NO_INDEX) continue;
    const brink_variable *left = &a->variables[v], *right = &b->variables[w];
    size_t count = a->groups[left->group].count * left->length;
    CHECK_INT(b->groups[right->group].count * right->length, count);
    CHECK(left->has_range == right->has_range && left->lo == right->lo && left->hi == right->hi);
    for (uint32_t e = 0; e < count; e++) t->slot[left->space][left->base + e] = right->base + e;
  }
}

static void pair_flags(twins *t) {
  CHECK_INT(t->b->nflags, t->a->nflags);
  CHECK_INT(t->b->nguards, t->a->nguards);
  for (size_t f = 0; f < t->a->nflags && f < t->b->nflags; f++) {
    const brink_flag *left = &t->a->flags[f], *right = &t->b->flags[f];
    CHECK(strcmp(left->name, right->name) == 0);
    CHECK_INT(right->count, left->count);
    for (size_t i = 0; i < left->count; i++) t->sign[left->guard[i]] = right->guard[i];
  }
}

static void fill(twins *t) {
  uint64_t state = 3;
  for (int s = 0; s < BRINK_SPACE_COUNT; s++) {
    bool used =
        s == BRINK_SPACE_X || s == BRINK_SPACE_P || s == BRINK_SPACE_MODE || s == BRINK_SPACE_V;
    for (size_t k = 0; used && k < *size_of(t->a, (brink_space)s); k++) {
      uint32_t there = t->slot[s][k];
      double now = kernels_uniform(&state, -1.0, 2.0), before = kernels_uniform(&state, -1.0, 2.0);
      if (s == BRINK_SPACE_X) {
        t->in_a.x[k] = t->in_b.x[there] = now;
        t->in_a.pre_x[k] = t->in_b.pre_x[there] = before;
        t->in_a.dx[k] = t->in_b.dx[there] = now - before;
      }
      if (s == BRINK_SPACE_P) {
        t->in_a.p[k] = t->in_b.p[there] = now;
        t->in_a.pre_p[k] = t->in_b.pre_p[there] = before;
      }
      if (s == BRINK_SPACE_MODE) {
        t->in_a.mode[k] = t->in_b.mode[there] = now > 0.5;
        t->in_a.pre_mode[k] = t->in_b.pre_mode[there] = before > 0.5;
      }
      if (s == BRINK_SPACE_V) t->in_a.v[k] = t->in_b.v[there] = now;
    }
  }
  for (size_t g = 0; g < t->a->nguards; g++)
    t->in_a.sign[g] = t->in_b.sign[t->sign[g]] = (signed char)(kernels_below(&state, 3)) - 1;
}

static brink_frame frame_of(memory *m, const brink_system *system) {
  return (brink_frame){.t = 0.7,
                       .x = m->x,
                       .p = m->p,
                       .mode = m->mode,
                       .sgn = m->sign,
                       .k = system->k,
                       .pre_x = m->pre_x,
                       .pre_p = m->pre_p,
                       .pre_mode = m->pre_mode,
                       .v = m->v,
                       .dx = m->dx,
                       .out = m->out,
                       .to_x = m->x,
                       .to_p = m->p,
                       .to_mode = m->mode,
                       .seed = 9};
}

/* What the two kernels leave behind is the same, to the bit. */
static void compare_kernels(const twins *t, const char *what, const brink_kernel *a,
                            const brink_kernel *b) {
  static memory left, right;
  CHECK_MSG((a == NULL) == (b == NULL), "%s", what);
  if (a == NULL || b == NULL) return;
  CHECK_MSG(a->count == b->count && a->noutputs == b->noutputs, "%s: %zu and %zu iterations", what,
            a->count, b->count);
  left = t->in_a;
  right = t->in_b;
  brink_frame in_a = frame_of(&left, t->a), in_b = frame_of(&right, t->b);
  kernels_run_plainly(a, &in_a, 0, a->count);
  kernels_run_plainly(b, &in_b, 0, b->count);
  bool same = memcmp(left.out, right.out, sizeof left.out) == 0;
  for (size_t k = 0; k < t->a->nx; k++)
    same = same && left.x[k] == right.x[t->slot[BRINK_SPACE_X][k]] &&
           left.dx[k] == right.dx[t->slot[BRINK_SPACE_X][k]];
  for (size_t k = 0; k < t->a->np; k++)
    same = same && left.p[k] == right.p[t->slot[BRINK_SPACE_P][k]];
  for (size_t k = 0; k < t->a->nmodes; k++)
    same = same && left.mode[k] == right.mode[t->slot[BRINK_SPACE_MODE][k]];
  for (size_t k = 0; k < t->a->nv; k++)
    same = same && left.v[k] == right.v[t->slot[BRINK_SPACE_V][k]];
  CHECK_MSG(same, "%s: the values differ", what);
}

static void compare_actions(const twins *t, const char *what, const brink_action *a,
                            const brink_action *b) {
  CHECK((a == NULL) == (b == NULL));
  if (a == NULL || b == NULL) return;
  CHECK_INT(b->nkernels, a->nkernels);
  for (size_t k = 0; k < a->nkernels && k < b->nkernels; k++)
    compare_kernels(t, what, a->kernels[k], b->kernels[k]);
  CHECK_INT(b->neffects, a->neffects);
  for (size_t k = 0; k < a->neffects && k < b->neffects; k++) {
    /* What is noted is written down as results. */
    CHECK_INT(b->effects[k].kernel, a->effects[k].kernel);
    brink_kernel left = *a->kernels[a->effects[k].kernel],
                 right = *b->kernels[b->effects[k].kernel];
    brink_output of_a[8], of_b[8];
    size_t n = a->effects[k].nargs;
    CHECK(n <= 8 && b->effects[k].nargs == n);
    CHECK(strcmp(a->effects[k].text, b->effects[k].text) == 0);
    for (size_t j = 0; j < n && j < 8; j++) {
      brink_ref out = {.space = BRINK_SPACE_OUT, .base = (uint32_t)j};
      of_a[j] = (brink_output){out, a->effects[k].args[j], a->effects[k].when, BRINK_NO_INDEX};
      of_b[j] = (brink_output){out, b->effects[k].args[j], b->effects[k].when, BRINK_NO_INDEX};
    }
    left.outputs = of_a;
    right.outputs = of_b;
    left.noutputs = right.noutputs = n;
    compare_kernels(t, what, &left, &right);
  }
}

static void compare_programs(const twins *t, const brink_program *a, const brink_program *b) {
  CHECK_INT(b->nkernels, a->nkernels);
  for (size_t k = 0; k < a->nkernels && k < b->nkernels; k++)
    compare_kernels(t, a->kernels[k]->name, a->kernels[k], b->kernels[k]);
}

static void compare_flags(const twins *t) {
  for (size_t f = 0; f < t->a->nflags && f < t->b->nflags; f++) {
    const brink_flag *a = &t->a->flags[f], *b = &t->b->flags[f];
    compare_kernels(t, a->name, a->value, b->value);
    compare_kernels(t, a->name, a->enabled, b->enabled);
    compare_actions(t, a->name, a->negative, b->negative);
    compare_actions(t, a->name, a->positive, b->positive);
    compare_actions(t, a->name, a->on_surface, b->on_surface);
    CHECK_INT(b->formula_length, a->formula_length);
    CHECK(a->formula_length == 0 ||
          memcmp(a->formula, b->formula, a->formula_length * sizeof *a->formula) == 0);
    CHECK(a->side == b->side && a->direction == b->direction && a->inside == b->inside);
    CHECK(a->is_pair == b->is_pair && a->kind == b->kind && a->per_instance == b->per_instance);
  }
}

static void compare_instants(const twins *t) {
  const brink_system *a = t->a, *b = t->b;
  CHECK(a->nclocks == b->nclocks && a->nrules == b->nrules &&
        a->nfirst_outputs == b->nfirst_outputs);
  for (size_t k = 0; k < a->nclocks && k < b->nclocks; k++) {
    const brink_sampled *left = &a->clocks[k], *right = &b->clocks[k];
    CHECK(strcmp(left->name, right->name) == 0 && left->period == right->period);
    CHECK(left->first == right->first && left->count == right->count);
    compare_actions(t, left->name, left->action, right->action);
  }
  for (size_t k = 0; k < a->nrules && k < b->nrules; k++) {
    const brink_rule *left = &a->rules[k], *right = &b->rules[k];
    CHECK(left->flag == right->flag && left->clock == right->clock && left->count == right->count);
    CHECK_INT(right->was, t->slot[BRINK_SPACE_MODE][left->was]);
    compare_kernels(t, left->name, left->condition, right->condition);
    compare_actions(t, left->name, left->body, right->body);
  }
  for (size_t k = 0; k < a->nfirst_outputs && k < b->nfirst_outputs; k++)
    compare_actions(t, "first output", a->first_outputs[k], b->first_outputs[k]);
}

static void compare_systems(const brink_system *a, const brink_system *b) {
  static twins t;
  t = (twins){.a = a, .b = b};
  CHECK(a->nx == b->nx && a->np == b->np && a->nmodes == b->nmodes && a->nv == b->nv);
  CHECK(a->nk <= b->nk && a->nx < MOST && a->np < MOST && a->nv < MOST && a->nguards < MOST);
  pair_variables(&t);
  pair_flags(&t);
  fill(&t);
  CHECK_INT(b->nequations, a->nequations);
  for (size_t e = 0; e < a->nequations && e < b->nequations; e++)
    compare_kernels(&t, a->equations[e]->name, a->equations[e], b->equations[e]);
  compare_programs(&t, &a->rhs, &b->rhs);
  compare_programs(&t, &a->all, &b->all);
  compare_flags(&t);
  compare_instants(&t);
}

/* ---- templates are models of one agent, or of two ---- */

static const wish everything = {.bots = 4, .balls = 3, .block = {block_of_one, block_of_two}};

TEST(the_template_of_a_population_is_a_model_of_one_agent) {
  loaded all = load(&everything, BRINK_AGENTS_TEMPLATES);
  loaded bot = load(&(wish){.bots = 1}, BRINK_AGENTS_WHOLE);
  loaded ball = load(&(wish){.balls = 1}, BRINK_AGENTS_WHOLE);
  const brink_templates *templates = all.system->templates;
  CHECK(templates != NULL && templates->reason == NULL && templates->npopulations == 2);
  compare_systems(templates->populations[0].one.system, bot.system);
  compare_systems(templates->populations[1].one.system, ball.system);
  unload(&all);
  unload(&bot);
  unload(&ball);
}

TEST(the_template_of_a_pair_block_is_a_model_of_two_agents) {
  loaded all = load(&everything, BRINK_AGENTS_TEMPLATES);
  loaded one = load(&(wish){.bots = 2, .block = {block_of_one}}, BRINK_AGENTS_WHOLE);
  loaded two = load(&(wish){.bots = 1, .balls = 1, .block = {block_of_two}}, BRINK_AGENTS_WHOLE);
  const brink_templates *templates = all.system->templates;
  CHECK(templates != NULL && templates->npairs == 2);
  compare_systems(templates->pairs[0].two.system, one.system);
  compare_systems(templates->pairs[1].two.system, two.system);
  unload(&all);
  unload(&one);
  unload(&two);
}

TEST(a_population_of_one_agent_has_no_pairs) {
  loaded all = load(&(wish){.bots = 1, .balls = 2, .block = {block_of_one, block_of_two}},
                    BRINK_AGENTS_TEMPLATES);
  CHECK_INT(all.system->templates->npairs, 1);
  unload(&all);
}

TEST(what_is_not_made_of_populations_has_no_templates) {
  loaded all = load(&(wish){.bots = 2, .besides = ""}, BRINK_AGENTS_IF_TOO_MANY);
  CHECK(all.system->templates == NULL && all.system->nequations > 0);
  unload(&all);
  const char *alone = "system S is body components b : Ball; end components; end body; end S;";
  char text[sizeof parts + 200];
  snprintf(text, sizeof text, "%s%s", parts, alone);
  all = load_text(text, &(brink_flatten_options){.agents = BRINK_AGENTS_TEMPLATES});
  CHECK(all.system->templates == NULL && all.system->nequations > 0);
  unload(&all);
}

/* ---- where agents start ---- */

/* The variable of the whole system with this name, for the agent with this number. */
static uint32_t find_in_whole(const brink_system *whole, const brink_system *one, uint32_t v,
                              size_t place) {
  const brink_variable *own = &one->variables[v];
  for (uint32_t w = 0; w < whole->nvariables; w++) {
    const brink_variable *other = &whole->variables[w];
    if (name_is(one, v, whole, w) && other->kind == own->kind && place-- == 0) return w;
  }
  return BRINK_NO_INDEX;
}

static double value_at(const brink_system *s, brink_space space, size_t slot) {
  return space == BRINK_SPACE_X   ? s->x0[slot]
         : space == BRINK_SPACE_P ? s->p0[slot]
                                  : (double)s->mode0[slot];
}

static void compare_start(const brink_population_table *population, const brink_system *whole,
                          size_t agent, const double *x, const double *p, const int *mode) {
  const brink_system *one = population->one;
  for (uint32_t v = 0; v < one->nvariables; v++) {
    const brink_variable *own = &one->variables[v];
    if (own->space == BRINK_SPACE_V) continue;
    size_t place = 0, n = one->groups[own->group].count * own->length;
    for (uint32_t u = 0; u < v; u++) place += name_is(one, u, one, v);
    uint32_t w = find_in_whole(whole, one, v, place);
    CHECK(w != BRINK_NO_INDEX);
    size_t skip = one->groups[own->group].nsegments > 0 ? agent * n : 0;
    for (size_t e = 0; w != BRINK_NO_INDEX && e < n; e++) {
      size_t k = own->base + e;
      double here = own->space == BRINK_SPACE_X   ? x[k]
                    : own->space == BRINK_SPACE_P ? p[k]
                                                  : (double)mode[k];
      CHECK_MSG(here == value_at(whole, own->space, whole->variables[w].base + skip + e),
                "%s of agent %zu", own->name, agent);
    }
  }
}

/* The numbers of texts are the same in both, as far as values at the start have them. */
TEST(agents_start_as_they_do_in_one_system) {
  wish w = everything;
  w.besides = "    initial for i in 1..4 loop bot[i].plant.k := 0.3*i + uniform(0.0, 1.0);\n"
              "      end loop; ball[2].r := 0.5; end initial;";
  loaded own = load(&w, BRINK_AGENTS_TEMPLATES), whole = load(&w, BRINK_AGENTS_WHOLE);
  const char *reason;
  brink_agent_tables *tables = brink_agent_tables_make(own.system, &reason);
  CHECK(tables != NULL && reason == NULL);
  for (size_t k = 0; tables != NULL && k < tables->npopulations; k++) {
    const brink_population_table *population = &tables->populations[k];
    static double x[MOST], p[MOST];
    static int mode[MOST];
    for (size_t i = 0; i < population->count; i++) {
      brink_agent_tables_start(tables, population, i, x, p, mode);
      compare_start(population, whole.system, i, x, p, mode);
    }
  }
  brink_agent_tables_destroy(tables);
  unload(&own);
  unload(&whole);
}

TEST(slots_that_differ_between_agents_are_known) {
  wish w = everything;
  w.besides = "    initial ball[2].r := 0.5; end initial;";
  loaded own = load(&w, BRINK_AGENTS_TEMPLATES);
  const char *reason;
  brink_agent_tables *tables = brink_agent_tables_make(own.system, &reason);
  CHECK(tables != NULL);
  const brink_population_table *balls = &tables->populations[1];
  size_t differing = 0;
  for (size_t k = 0; k < balls->one->np; k++) differing += balls->differs_p[k];
  CHECK_INT(differing, 1);
  differing = 0;
  for (size_t k = 0; k < tables->pairs[1].two->np; k++) differing += tables->pairs[1].differs_p[k];
  CHECK_INT(differing, 1);
  brink_agent_tables_destroy(tables);
  unload(&own);
}

/* ---- reasons ---- */

static void check_reason(const wish *w, const char *expected) {
  loaded own = load(w, BRINK_AGENTS_TEMPLATES);
  const char *reason;
  brink_agent_tables *tables = brink_agent_tables_make(own.system, &reason);
  CHECK_MSG(tables == NULL && reason != NULL && strcmp(reason, expected) == 0, "%s",
            reason != NULL ? reason : "no reason");
  brink_agent_tables_destroy(tables);
  unload(&own);
}

TEST(the_reason_against_clocks_of_their_own_is_told) {
  static const char differ[] =
      "agents differ in a parameter that sizes, ranges, samples or loops are made with";
  wish w = everything;
  w.besides = "    initial bot[3].control[2].period := 0.125; end initial;";
  check_reason(&w, differ);
  wish draws = {.balls = 3,
                .block = {"      pair(a, b) in ball\n"
                          "        declarations flag(f); end declarations;\n"
                          "        dynamics f = a.x - b.x; end dynamics;\n"
                          "        event(f) negative-going a.x := uniform(0.0, 1.0);\n"
                          "        end negative-going; end event;\n"
                          "      end pair;\n"}};
  check_reason(&draws, "pairs draw random numbers");
  wish floors = {.balls = 3,
                 .block = {"      pair(a, b) in ball\n"
                           "        declarations flag(f); end declarations;\n"
                           "        dynamics f = floor(a.x - b.x) - 0.5; end dynamics;\n"
                           "      end pair;\n"}};
  check_reason(&floors, "a pair holds the whole number of a floor, or the piece of a table");
}

/* A value that all agents have from outside does not tell them apart. */
TEST(a_sample_period_that_all_agents_get_is_no_reason) {
  wish w = everything;
  w.besides = "    initial for i in 1..4 loop bot[i].control[2].period := 0.125; end loop;\n"
              "    end initial;";
  loaded own = load(&w, BRINK_AGENTS_TEMPLATES);
  const char *reason;
  brink_agent_tables *tables = brink_agent_tables_make(own.system, &reason);
  CHECK(tables != NULL);
  const brink_system *one = own.system->templates->populations[0].one.system;
  CHECK(one->nclocks == 2 && one->clocks[1].period == 0.125);
  brink_agent_tables_destroy(tables);
  unload(&own);
}

/* ---- memory ---- */

/* Flattens and makes the tables; false: no memory. */
static bool make_all(brink_unit *unit, const brink_allocator *allocator) {
  brink_flatten_options options = {.agents = BRINK_AGENTS_TEMPLATES, .seed = 5};
  const char *reason = NULL;
  brink_system *system = brink_flatten(unit, &options, allocator);
  brink_agent_tables *tables = system != NULL ? brink_agent_tables_make(system, &reason) : NULL;
  bool fine = tables != NULL;
  CHECK(reason == NULL);
  brink_agent_tables_destroy(tables);
  brink_system_destroy(system);
  unit->out_of_memory = false;
  return fine;
}

TEST(a_lack_of_memory_is_survived_anywhere) {
  loaded model = load(&everything, BRINK_AGENTS_TEMPLATES);
  counting state = {0};
  brink_allocator allocator = counting_allocator(&state);
  bool fine = false;
  for (long n = 1; !fine && n < 100000; n++) {
    state.calls = 0;
    state.fail_at = n;
    fine = make_all(model.unit, &allocator);
    CHECK_INT(state.live, 0);
  }
  CHECK(fine && state.mismatch == 0);
  unload(&model);
}

/* ---- the seed ---- */

static const char drawn[] =
    "ctc Ball is body\n"
    "  declarations state(x, real); parameter(m, real); end declarations;\n"
    "  initial x := uniform(0.0, 1.0); end initial;\n"
    "  dynamics x' = m; end dynamics;\n"
    "  assignments m : normal(0.0, 1.0); end assignments;\n"
    "end body; end Ball;\n"
    "system S is body\n"
    "  declarations parameter(n, integer); parameter(s, integer); end declarations;\n"
    "  components ball[n] : Ball; end components;\n"
    "  agents population(ball); end agents;\n"
    "  assignments n : floor(uniform(2.0, 9.0)); s : 20; end assignments;\n"
    "  simulation %s until : 1.0; end simulation;\n"
    "end body; end S;\n";

static loaded load_drawn(const char *setting, uint64_t seed, bool given) {
  char text[sizeof drawn + 100];
  snprintf(text, sizeof text, drawn, setting);
  brink_flatten_options options = {
      .agents = BRINK_AGENTS_TEMPLATES, .seed = seed, .seed_given = given};
  return load_text(text, &options);
}

static bool same_values(const loaded *a, const loaded *b) {
  return a->system->nx == b->system->nx && a->system->np == b->system->np &&
         memcmp(a->system->x0, b->system->x0, a->system->nx * sizeof(double)) == 0 &&
         memcmp(a->system->p0, b->system->p0, a->system->np * sizeof(double)) == 0;
}

TEST(the_models_seed_is_that_of_all_draws_unless_one_is_given) {
  loaded as_given = load_drawn("", 23, true), other = load_drawn("", 1, true);
  loaded in_model = load_drawn("seed : 23;", 1, false);
  loaded computed = load_drawn("seed : s + 3;", 1, false);
  loaded overruled = load_drawn("seed : 23;", 1, true);
  CHECK(same_values(&in_model, &as_given));
  CHECK(same_values(&computed, &as_given));
  CHECK(same_values(&overruled, &other));
  CHECK(!same_values(&other, &as_given));
  unload(&as_given);
  unload(&other);
  unload(&in_model);
  unload(&computed);
  unload(&overruled);
}

int main(void) {
  RUN(the_template_of_a_population_is_a_model_of_one_agent);
  RUN(the_template_of_a_pair_block_is_a_model_of_two_agents);
  RUN(a_population_of_one_agent_has_no_pairs);
  RUN(what_is_not_made_of_populations_has_no_templates);
  RUN(agents_start_as_they_do_in_one_system);
  RUN(slots_that_differ_between_agents_are_known);
  RUN(the_reason_against_clocks_of_their_own_is_told);
  RUN(a_sample_period_that_all_agents_get_is_no_reason);
  RUN(a_lack_of_memory_is_survived_anywhere);
  RUN(the_models_seed_is_that_of_all_draws_unless_one_is_given);
  return check_done();
}
