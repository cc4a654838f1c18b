/* knobs.c: how the initial state depends on the knobs (see knobs.h). */
#include "lang/knobs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INCREMENT 1e-3 /* of the knob: rounding and the fifth derivative leave about 1e-12 */

/* Weights for derivatives at 0 from values at multiples of h (Fornberg 1988). */
enum { POINTS = 5 };
typedef struct formula {
  int at[POINTS];
  double weight[POINTS], rough[POINTS]; /* of order four; of lower order, to compare with */
} formula;

static const formula formulas[] = {
    {{-2, -1, 0, 1, 2}, {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12}, {0, -0.5, 0, 0.5, 0}},
    {{0, 1, 2, 3, 4}, {-25.0 / 12, 4, -3, 4.0 / 3, -0.25}, {-1.5, 2, -0.5, 0, 0}},
    {{0, -1, -2, -3, -4}, {25.0 / 12, -4, 3, -4.0 / 3, 0.25}, {1.5, -2, 0.5, 0, 0}},
};

typedef struct search {
  brink_unit *unit;
  const brink_flatten_options *options;
  const brink_system *system;
  const brink_allocator *allocator;
  brink_arena *arena;
  const char **sets; /* those of the options, and one more */
  double *x, *p;     /* rough derivatives */
} search;

/* ---- systems that differ in more than values ---- */

static bool same_graph(const brink_graph *a, const brink_graph *b) {
  if (a->nnodes != b->nnodes || a->nrefs != b->nrefs) return false;
  for (size_t i = 0; i < a->nnodes; i++) {
    const brink_expr_node *n = &a->nodes[i], *m = &b->nodes[i];
    if (n->op != m->op || n->a != m->a || n->b != m->b || n->c != m->c || n->value != m->value)
      return false;
  }
  return true;
}

static bool same_kernel(const brink_kernel *a, const brink_kernel *b) {
  if (a == NULL || b == NULL) return a == b;
  return a->count == b->count && a->noutputs == b->noutputs && same_graph(&a->graph, &b->graph);
}

static bool same_action(const brink_action *a, const brink_action *b) {
  if (a == NULL || b == NULL) return a == b;
  if (a->nkernels != b->nkernels) return false;
  for (size_t k = 0; k < a->nkernels; k++) {
    if (!same_kernel(a->kernels[k], b->kernels[k])) return false;
  }
  return true;
}

static bool same_programs(const brink_system *a, const brink_system *b) {
  if (a->rhs.nkernels != b->rhs.nkernels || a->nk != b->nk) return false;
  for (size_t k = 0; k < a->nk; k++) {
    if (a->k[k] != b->k[k]) return false;
  }
  for (size_t k = 0; k < a->rhs.nkernels; k++) {
    if (!same_kernel(a->rhs.kernels[k], b->rhs.kernels[k])) return false;
  }
  for (size_t k = 0; k < a->nrules; k++) {
    if (!same_action(a->rules[k].body, b->rules[k].body) ||
        !same_kernel(a->rules[k].condition, b->rules[k].condition))
      return false;
  }
  for (size_t k = 0; k < a->nclocks; k++) {
    if (!same_action(a->clocks[k].action, b->clocks[k].action)) return false;
  }
  for (size_t k = 0; k < a->nfirst_outputs; k++) {
    if (!same_action(a->first_outputs[k], b->first_outputs[k])) return false;
  }
  return true;
}

static bool same_flags(const brink_system *a, const brink_system *b) {
  for (size_t k = 0; k < a->nflags; k++) {
    const brink_flag *f = &a->flags[k], *g = &b->flags[k];
    if (!same_kernel(f->value, g->value) || !same_kernel(f->enabled, g->enabled) ||
        !same_action(f->negative, g->negative) || !same_action(f->positive, g->positive) ||
        !same_action(f->on_surface, g->on_surface))
      return false;
  }
  return true;
}

static bool same_clocks(const brink_system *a, const brink_system *b) {
  for (size_t k = 0; k < a->nclocks; k++) {
    if (a->clocks[k].period != b->clocks[k].period || a->clocks[k].offset != b->clocks[k].offset)
      return false;
  }
  return true;
}

static bool same_modes(const brink_system *a, const brink_system *b) {
  return a->nmodes == 0 || memcmp(a->mode0, b->mode0, a->nmodes * sizeof *a->mode0) == 0;
}

/* Why a knob has no derivatives; NULL: only values differ. */
static const char *difference(const brink_system *a, const brink_system *b) {
  if (a->nx != b->nx || a->np != b->np || a->nmodes != b->nmodes || a->nguards != b->nguards ||
      a->nflags != b->nflags || a->nclocks != b->nclocks || a->nrules != b->nrules ||
      a->nfirst_outputs != b->nfirst_outputs)
    return "the size of the model depends on it";
  if (a->t0 != b->t0) return "the time at the start depends on it";
  if (!same_clocks(a, b)) return "a sample period depends on it";
  if (!same_modes(a, b)) return "an initial mode depends on it";
  if (!same_programs(a, b)) return "its value is written into the equations";
  if (!same_flags(a, b)) return "its value is written into a flag or an action";
  return NULL;
}

/* ---- one knob ---- */

/* The system with another value of the knob; NULL: it cannot have it. */
static brink_system *turned(search *s, const char *name, double value) {
  char text[BRINK_DOUBLE_TEXT];
  brink_text set = {.allocator = *s->allocator};
  brink_unit *unit = s->unit;
  brink_report_mark before = brink_report_now(unit);
  brink_text_add(&set, "%s=%s", name, brink_double_text(value, text));
  brink_flatten_options options = *s->options;
  options.sets = s->sets;
  options.nsets = s->options->nsets + 1;
  s->sets[s->options->nsets] = set.data;
  brink_system *system = set.failed ? NULL : brink_flatten(unit, &options, s->allocator);
  brink_report_return(unit, &before); /* an error of this value is no error of the model */
  brink_text_free(&set);
  return system;
}

static void add(const brink_system *at, double weight, double *x, double *p) {
  if (weight == 0.0) return;
  for (size_t i = 0; i < at->nx; i++) x[i] += weight * at->x0[i];
  for (size_t i = 0; i < at->np; i++) {
    if (isfinite(at->p0[i])) p[i] += weight * at->p0[i];
  }
}

/* Values that do not change have rounding for a derivative: 0. Those that jump have none. */
static bool tidy(double *fine, const double *rough, const double *value, size_t n, double h) {
  for (size_t i = 0; i < n; i++) {
    double noise = 1e-14 * fabs(value[i]) / h;
    if (!isfinite(value[i]) || fabs(fine[i]) <= noise) fine[i] = 0.0;
    if (!(fabs(fine[i] - rough[i]) <= 1e-2 * fabs(fine[i]) + 10.0 * noise)) return false;
  }
  return true;
}

/* By one formula. False: a value that it asks for is not allowed. */
static bool derive(search *s, const formula *f, brink_knob *knob, double h, double *x, double *p) {
  const brink_system *system = s->system;
  memset(x, 0, system->nx * sizeof *x);
  memset(p, 0, system->np * sizeof *p);
  memset(s->x, 0, system->nx * sizeof *x);
  memset(s->p, 0, system->np * sizeof *p);
  for (int k = 0; k < POINTS; k++) {
    double at = knob->value + f->at[k] * h;
    brink_system *other = f->at[k] != 0 ? turned(s, knob->name, at) : NULL;
    if (f->at[k] != 0 && other == NULL) return false;
    const brink_system *there = other != NULL ? other : system;
    knob->reason = difference(system, there);
    if (knob->reason == NULL) {
      add(there, f->weight[k] / h, x, p);
      add(there, f->rough[k] / h, s->x, s->p);
    }
    brink_system_destroy(other);
    if (knob->reason != NULL) return true;
  }
  if (!tidy(x, s->x, system->x0, system->nx, h) || !tidy(p, s->p, system->p0, system->np, h))
    knob->reason = "initial values or parameters jump or bend where it is";
  return true;
}

static bool look_at(search *s, brink_knob *knob) {
  const brink_system *system = s->system;
  double h = knob->value != 0.0 ? INCREMENT * fabs(knob->value) : INCREMENT;
  h = ldexp(1.0, ilogb(h)); /* so that multiples of it are added exactly, mostly */
  double *x = brink_arena_take(s->arena, system->nx, sizeof *x);
  double *p = brink_arena_take(s->arena, system->np, sizeof *p);
  if (x == NULL || p == NULL) return false;
  for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
    if (!derive(s, &formulas[k], knob, h, x, p)) continue;
    if (s->unit->out_of_memory) return false;
    if (knob->reason != NULL) return true;
    p[system->variables[knob->variable].base + knob->element] = 1.0; /* to the last bit */
    knob->x = x;
    knob->p = p;
    return true;
  }
  knob->reason = "values nearby are not allowed";
  return !s->unit->out_of_memory;
}

/* ---- all of them ---- */

static bool is_knob(const brink_system *system, const brink_variable *variable) {
  return variable->knob && variable->kind == BRINK_VARIABLE_PARAMETER &&
         system->groups[variable->group].count == 1;
}

static const char *name_of(search *s, uint32_t variable, size_t element) {
  brink_text text = {.allocator = *s->allocator};
  brink_system_variable_name(s->system, variable, element, &text);
  char *name = text.failed || text.data == NULL ? NULL : brink_arena_text(s->arena, text.data);
  brink_text_free(&text);
  return name;
}

static bool add_knob(search *s, uint32_t v, size_t element, brink_knobs *knobs, size_t *capacity) {
  const brink_variable *variable = &s->system->variables[v];
  brink_knob *knob = brink_arena_push(s->arena, knobs->knobs, knobs->count, *capacity);
  if (knob == NULL) return false;
  *knob = (brink_knob){.name = name_of(s, v, element), .variable = v, .element = element};
  if (knob->name == NULL) return false;
  if (variable->type != BRINK_VALUE_REAL || variable->space != BRINK_SPACE_P) {
    knob->reason =
        variable->type == BRINK_VALUE_INTEGER ? "it is a whole number" : "it is not a number";
    return true;
  }
  knob->value = s->system->p0[variable->base + element];
  if (isfinite(knob->value)) return look_at(s, knob);
  knob->reason = "it is not finite";
  return true;
}

static bool add_knobs(search *s, uint32_t v, size_t most, brink_knobs *knobs, size_t *capacity) {
  for (size_t k = 0; k < s->system->variables[v].length; k++) {
    if (most > 0 && knobs->count >= most) return true;
    if (!add_knob(s, v, k, knobs, capacity)) return false;
  }
  return true;
}

static bool prepare(search *s) {
  size_t nsets = s->options->nsets;
  s->sets = brink_arena_take(s->arena, nsets + 1, sizeof *s->sets);
  s->x = brink_arena_take(s->arena, s->system->nx, sizeof(double));
  s->p = brink_arena_take(s->arena, s->system->np, sizeof(double));
  if (s->sets == NULL || s->x == NULL || s->p == NULL) return false;
  for (size_t k = 0; k < nsets; k++) s->sets[k] = s->options->sets[k];
  return true;
}

static bool find(search *s, size_t most, brink_knobs *knobs) {
  const brink_system *system = s->system;
  size_t capacity = 0;
  for (int parts = 0; parts < 2; parts++) {
    for (size_t v = 0; v < system->nvariables; v++) {
      const brink_variable *variable = &system->variables[v];
      bool part = system->groups[variable->group].nsegments > 0;
      if (!is_knob(system, variable) || part != (parts == 1)) continue;
      if (!add_knobs(s, (uint32_t)v, most, knobs, &capacity)) return false;
    }
  }
  return true;
}

static search begin(brink_unit *unit, const brink_flatten_options *options,
                    const brink_system *system, const brink_allocator *allocator,
                    brink_knobs *knobs) {
  *knobs = (brink_knobs){0};
  brink_arena_init(&knobs->arena, allocator);
  return (search){.unit = unit,
                  .options = options,
                  .system = system,
                  .allocator = &knobs->arena.allocator,
                  .arena = &knobs->arena};
}

brink_status brink_knobs_find(brink_unit *unit, const brink_flatten_options *options,
                              const brink_system *system, size_t most,
                              const brink_allocator *allocator, brink_knobs *knobs) {
  search s = begin(unit, options, system, allocator, knobs);
  return prepare(&s) && find(&s, most, knobs) ? BRINK_OK : BRINK_ERR_MEMORY;
}

brink_status brink_knobs_find_one(brink_unit *unit, const brink_flatten_options *options,
                                  const brink_system *system, uint32_t variable, size_t element,
                                  const brink_allocator *allocator, brink_knobs *knobs) {
  search s = begin(unit, options, system, allocator, knobs);
  size_t capacity = 0;
  bool found = prepare(&s) && add_knob(&s, variable, element, knobs, &capacity);
  return found ? BRINK_OK : BRINK_ERR_MEMORY;
}

void brink_knobs_free(brink_knobs *knobs) {
  brink_arena_free(&knobs->arena);
  *knobs = (brink_knobs){0};
}
