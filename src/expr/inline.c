/* inline.c: what guards and actions read of variables is written out, so that each can be evaluated by
 * itself, differentiated, and expanded in series.
 *
 * Equations are kernels too: where iteration i of a kernel reads a slot of V that iteration j of an
 * equation computes, the equation's expression takes its place, with the slots of iteration j. */
#include <string.h>

#include "expr/system.h"

/* Equations within equations, and different ones behind one ref: more are evaluated by the programs. */
#define INLINE_DEPTH 400
#define INLINE_CASES 8
#define INLINE_NODES 20000

/* ---- which equation computes a slot ---- */

bool brink_system_index(brink_system *system) {
  brink_writers *w = &system->writers;
  size_t sizes[2] = {system->nv, system->nx};
  for (int s = 0; s < 2; s++) {
    w->equation[s] = brink_arena_pack(&system->arena, sizes[s], sizeof(uint32_t));
    w->iteration[s] = brink_arena_pack(&system->arena, sizes[s], sizeof(uint32_t));
    if (w->equation[s] == NULL || w->iteration[s] == NULL) return false;
    memset(w->equation[s], 0xff, sizes[s] * sizeof(uint32_t));
  }
  for (size_t e = 0; e < system->nequations; e++) {
    const brink_kernel *kernel = system->equations[e];
    const brink_ref *target = &kernel->outputs[0].target;
    int s = target->space == BRINK_SPACE_DX ? 1 : 0;
    for (size_t i = 0; i < kernel->count; i++) {
      size_t slot = brink_ref_slot(target, i);
      w->equation[s][slot] = (uint32_t)e;
      w->iteration[s][slot] = (uint32_t)i;
    }
  }
  return true;
}

/* ---- writing out ---- */

typedef struct memo {
  uint32_t equation;
  const uint32_t *iteration;
  brink_node node;
  struct memo *next;
} memo;

typedef struct inliner {
  brink_system *system;
  brink_arena scratch;
  brink_kernel *to;
  size_t count;
  memo *memos;
  char *active; /* equations being written out */
  int depth;
  bool failed;
} inliner;

/* One kernel being copied: iteration i of the result is iteration at[i] of it. */
typedef struct level {
  inliner *in;
  const uint32_t *at;
} level;

static brink_node fail(inliner *in) {
  in->failed = true;
  return BRINK_NO_NODE;
}

/* These slots, otherwise as `like`. */
static brink_node ref_to(inliner *in, brink_ref like, const uint32_t *slots) {
  brink_ref ref;
  if (!brink_ref_from_slots(&in->system->arena, like.space, slots, in->count, &ref))
    return fail(in);
  ref.extent = like.extent;
  ref.step = like.step;
  return brink_graph_ref(&in->to->graph, ref);
}

static brink_substitute_fn substitute;

static brink_node equation_node(inliner *in, uint32_t equation, const uint32_t *at) {
  for (const memo *m = in->memos; m != NULL; m = m->next) {
    if (m->equation == equation && memcmp(m->iteration, at, in->count * sizeof *at) == 0)
      return m->node;
  }
  if (in->active[equation] || ++in->depth > INLINE_DEPTH) return fail(in);
  in->active[equation] = 1;
  const brink_kernel *kernel = in->system->equations[equation];
  level inner = {.in = in, .at = at};
  brink_node node =
      brink_graph_copy(&in->to->graph, &kernel->graph, kernel->outputs[0].node, substitute, &inner);
  in->active[equation] = 0;
  in->depth--;
  memo *made = brink_arena_pack(&in->scratch, 1, sizeof *made);
  if (made == NULL || in->to->graph.nnodes > INLINE_NODES) return fail(in);
  *made = (memo){.equation = equation, .iteration = at, .node = node, .next = in->memos};
  in->memos = made;
  return node;
}

/* The equations behind one ref; if there are several, a number for each iteration selects one. */
static size_t list_cases(const inliner *in, const uint32_t *equations, uint32_t *cases) {
  size_t count = 0;
  for (size_t i = 0; i < in->count; i++) {
    size_t k = 0;
    while (k < count && cases[k] != equations[i]) k++;
    if (k < count) continue;
    if (count == INLINE_CASES) return 0;
    cases[count++] = equations[i];
  }
  return count;
}

static brink_node case_number(inliner *in, const uint32_t *equations, const uint32_t *cases,
                              size_t ncases) {
  brink_system *system = in->system;
  uint32_t base = (uint32_t)system->nk;
  double *k = brink_arena_pack(&system->arena, system->nk + ncases, sizeof *k);
  uint32_t *slots = brink_arena_pack(&in->scratch, in->count, sizeof *slots);
  if (k == NULL || slots == NULL) return fail(in);
  if (system->nk > 0) memcpy(k, system->k, system->nk * sizeof *k);
  for (size_t j = 0; j < ncases; j++) k[base + j] = (double)j;
  system->k = k;
  system->nk += ncases;
  for (size_t i = 0; i < in->count; i++) {
    uint32_t j = 0;
    while (cases[j] != equations[i]) j++;
    slots[i] = base + j;
  }
  return ref_to(in, (brink_ref){.space = BRINK_SPACE_K}, slots);
}

static brink_node choose(inliner *in, const uint32_t *equations, const uint32_t *iterations) {
  uint32_t cases[INLINE_CASES];
  size_t ncases = list_cases(in, equations, cases);
  if (ncases == 0) return fail(in);
  if (ncases == 1) return equation_node(in, cases[0], iterations);
  brink_node number = case_number(in, equations, cases, ncases), chosen = BRINK_NO_NODE;
  for (size_t j = 0; j < ncases && !in->failed; j++) {
    uint32_t *at = brink_arena_pack(&in->scratch, in->count, sizeof *at);
    if (at == NULL) return fail(in);
    /* where this equation is not meant, any of its iterations will do */
    for (size_t i = 0; i < in->count; i++) at[i] = equations[i] == cases[j] ? iterations[i] : 0;
    brink_node node = equation_node(in, cases[j], at);
    if (in->failed) return BRINK_NO_NODE;
    if (j == 0) {
      chosen = node;
      continue;
    }
    brink_node here = brink_graph_op2(&in->to->graph, BRINK_OP_EQ, number,
                                      brink_graph_constant(&in->to->graph, (double)j));
    chosen = brink_graph_select(&in->to->graph, here, node, chosen);
  }
  return chosen;
}

static brink_node substitute(brink_graph *to, const brink_graph *from, uint32_t ref, void *user) {
  const level *at = user;
  inliner *in = at->in;
  (void)to;
  if (in->failed) return BRINK_NO_NODE;
  const brink_ref *r = &from->refs[ref];
  uint32_t *slots = brink_arena_pack(&in->scratch, in->count, sizeof *slots);
  if (slots == NULL) return fail(in);
  for (size_t i = 0; i < in->count; i++) slots[i] = (uint32_t)brink_ref_slot(r, at->at[i]);
  if (r->space != BRINK_SPACE_V && r->space != BRINK_SPACE_DX) return ref_to(in, *r, slots);
  uint32_t *equations = brink_arena_pack(&in->scratch, in->count, sizeof *equations);
  if (equations == NULL) return fail(in);
  const brink_writers *w = &in->system->writers;
  int s = r->space == BRINK_SPACE_DX ? 1 : 0;
  for (size_t i = 0; i < in->count; i++) {
    equations[i] = w->equation[s][slots[i]];
    if (equations[i] == BRINK_NO_INDEX) return fail(in);
    slots[i] = w->iteration[s][slots[i]];
  }
  return choose(in, equations, slots);
}

static bool reads_equations(const brink_kernel *kernel) {
  for (size_t r = 0; r < kernel->graph.nrefs; r++) {
    brink_space space = kernel->graph.refs[r].space;
    if (space == BRINK_SPACE_V || space == BRINK_SPACE_DX) return true;
  }
  return false;
}

static bool copy_outputs(inliner *in, const brink_kernel *kernel, const level *whole) {
  brink_kernel *to = in->to;
  to->outputs =
      brink_arena_copy(&in->system->arena, kernel->outputs, kernel->noutputs, sizeof *to->outputs);
  to->noutputs = to->outputs_capacity = kernel->noutputs;
  if (to->outputs == NULL) return false;
  for (size_t k = 0; k < kernel->noutputs && !in->failed; k++) {
    brink_output *output = &to->outputs[k];
    level at = *whole;
    output->node =
        brink_graph_copy(&to->graph, &kernel->graph, kernel->outputs[k].node, substitute, &at);
    if (kernel->outputs[k].when != BRINK_NO_NODE)
      output->when =
          brink_graph_copy(&to->graph, &kernel->graph, kernel->outputs[k].when, substitute, &at);
  }
  return !in->failed && !to->graph.failed;
}

brink_kernel *brink_inline_kernel(brink_system *system, const brink_kernel *kernel) {
  inliner in = {.system = system, .count = kernel->count};
  brink_arena_init(&in.scratch, &system->arena.allocator);
  in.to = brink_arena_pack(&system->arena, 1, sizeof *in.to);
  uint32_t *identity = brink_arena_pack(&in.scratch, kernel->count, sizeof *identity);
  in.active = brink_arena_pack(&in.scratch, system->nequations, 1);
  bool ok = in.to != NULL && identity != NULL && in.active != NULL;
  if (ok) {
    for (size_t i = 0; i < kernel->count; i++) identity[i] = (uint32_t)i;
    *in.to = *kernel;
    in.to->outputs = NULL;
    brink_graph_init(&in.to->graph, &system->arena, kernel->count);
    level whole = {.in = &in, .at = identity};
    ok = copy_outputs(&in, kernel, &whole);
  }
  if (in.scratch.failed) system->arena.failed = true;
  brink_arena_free(&in.scratch);
  return ok ? in.to : NULL;
}

/* ---- everything that is evaluated by itself ---- */

static void finish_kernel(brink_system *system, brink_kernel *kernel) {
  if (kernel == NULL || !reads_equations(kernel)) return;
  brink_kernel *made = brink_inline_kernel(system, kernel);
  if (made != NULL)
    *kernel = *made;
  else
    kernel->reads_v = true;
}

/* The nodes of effects are copied as additional outputs that are not written. */
static bool finish_action_kernel(brink_system *system, brink_action *action, uint32_t number) {
  brink_kernel *kernel = action->kernels[number], with = *kernel;
  if (!reads_equations(&with)) return true;
  size_t extra = 0, own = with.noutputs;
  for (size_t k = 0; k < action->neffects; k++) extra += action->effects[k].nargs + 1;
  with.outputs = brink_arena_take(&system->arena, own + extra, sizeof *with.outputs);
  if (with.outputs == NULL) return false;
  if (own > 0) memcpy(with.outputs, kernel->outputs, own * sizeof *with.outputs);
  size_t n = own;
  for (size_t k = 0; k < action->neffects; k++) {
    const brink_effect *effect = &action->effects[k];
    if (effect->kernel != number) continue;
    with.outputs[n++] = (brink_output){.node = 0, .when = effect->when};
    for (size_t j = 0; j < effect->nargs; j++)
      with.outputs[n++] = (brink_output){.node = effect->args[j], .when = BRINK_NO_NODE};
  }
  with.noutputs = with.graph.nnodes > 0 ? n : own;
  brink_kernel *made = brink_inline_kernel(system, &with);
  if (made == NULL) {
    kernel->reads_v = true;
    return true;
  }
  n = own;
  for (size_t k = 0; k < action->neffects; k++) {
    brink_effect *effect = &action->effects[k];
    if (effect->kernel != number) continue;
    effect->when = made->outputs[n++].when;
    for (size_t j = 0; j < effect->nargs; j++) effect->args[j] = made->outputs[n++].node;
  }
  made->noutputs = own;
  *kernel = *made;
  return true;
}

static bool finish_action(brink_system *system, brink_action *action) {
  if (action == NULL || action->finished) return true;
  action->finished = true;
  for (uint32_t k = 0; k < action->nkernels; k++) {
    if (!finish_action_kernel(system, action, k)) return false;
  }
  return true;
}

bool brink_system_finish(brink_system *system, brink_text *path, size_t *equation) {
  if (!brink_system_index(system) || !brink_system_schedule(system, path, equation)) return false;
  bool ok = true;
  for (size_t k = 0; k < system->nflags; k++) {
    brink_flag *flag = &system->flags[k];
    finish_kernel(system, flag->value);
    finish_kernel(system, flag->enabled);
    ok = ok && finish_action(system, flag->negative) && finish_action(system, flag->positive) &&
         finish_action(system, flag->on_surface);
  }
  for (size_t k = 0; k < system->nconstraints; k++) {
    finish_kernel(system, system->constraints[k].residual);
    finish_kernel(system, system->constraints[k].active);
  }
  for (size_t k = 0; k < system->ndelays; k++) {
    finish_kernel(system, system->delays[k].signal);
    finish_kernel(system, system->delays[k].lag);
  }
  for (size_t k = 0; k < system->nclocks; k++)
    ok = ok && finish_action(system, system->clocks[k].action);
  for (size_t k = 0; k < system->nrules; k++) {
    finish_kernel(system, system->rules[k].condition);
    ok = ok && finish_action(system, system->rules[k].body);
  }
  for (size_t k = 0; k < system->nfirst_outputs; k++)
    ok = ok && finish_action(system, system->first_outputs[k]);
  return ok;
}
