/* schedule.c: equations in any order become programs that can be run.
 *
 * Equations are sorted by what they read of each other, first as wholes: strongly connected components
 * of the graph of equations (Tarjan 1972) come out in order of dependence. Where an equation depends
 * on itself as a whole, but not element by element (a chain of components, v[i] = v[i-1] + …), its
 * iterations are put in an order that works: a long chain is a loop that runs in that order. Where there is none, the
 * loop is algebraic.
 *
 * Then equations with the same number of iterations are fused into one kernel, if what they read of
 * each other is of the same iteration: a class of components becomes one loop body with shared
 * subexpressions. Kernels are kept to a size that compilers handle in linear time. */
#include <stdlib.h>
#include <string.h>

#include "expr/system.h"

#define KERNEL_NODES 400 /* of fused kernels, about */

/* What equation `on` another one reads. */
typedef struct dependence {
  uint32_t on;
  bool aligned; /* always iteration i of i, with as many iterations */
} dependence;

typedef struct placed {
  brink_kernel *kernel; /* of the program being built */
  size_t count, nodes;  /* nodes: an estimate while it fills */
  uint32_t *equations;
  size_t nequations, capacity;
  uint32_t *subset; /* iterations of the only equation; NULL: all */
  bool closed, sequential;
} placed;

typedef struct scheduler {
  brink_system *system;
  brink_arena scratch;
  dependence **depends;
  size_t *ndepends;
  uint32_t *place; /* of each equation: the last of its kernels */
  placed *kernels;
  size_t nkernels, kernels_capacity;
  uint32_t *sorted; /* all equations in order of dependence */
  size_t nsorted;
  brink_text *path;
  size_t *equation;
  bool gave_up; /* a loop was found, or a graph could not be walked */
} scheduler;

static void *take(scheduler *s, size_t count, size_t size) {
  return brink_arena_pack(&s->scratch, count, size);
}

static bool has_failed(const scheduler *s) {
  return s->gave_up || s->scratch.failed;
}

/* ---- dependences ---- */

static int equation_space(const brink_ref *ref) {
  return ref->space == BRINK_SPACE_V ? 0 : ref->space == BRINK_SPACE_DX ? 1 : -1;
}

/* The refs that an equation's result needs. */
static bool *needed_refs(scheduler *s, const brink_kernel *kernel) {
  bool *marks = take(s, kernel->graph.nrefs, sizeof *marks);
  if (marks != NULL && !brink_graph_mark_refs(&kernel->graph, kernel->outputs[0].node, marks)) {
    s->gave_up = true;
    return NULL;
  }
  return marks;
}

static bool note_dependence(scheduler *s, size_t e, uint32_t on, bool aligned, size_t *capacity) {
  for (size_t k = 0; k < s->ndepends[e]; k++) {
    if (s->depends[e][k].on != on) continue;
    s->depends[e][k].aligned = s->depends[e][k].aligned && aligned;
    return true;
  }
  dependence *added = brink_arena_push(&s->scratch, s->depends[e], s->ndepends[e], *capacity);
  if (added == NULL) return false;
  *added = (dependence){.on = on, .aligned = aligned};
  return true;
}

static bool find_dependences(scheduler *s, size_t e) {
  const brink_system *system = s->system;
  const brink_kernel *kernel = system->equations[e];
  bool *marks = needed_refs(s, kernel);
  size_t capacity = 0;
  if (marks == NULL) return false;
  for (size_t r = 0; r < kernel->graph.nrefs; r++) {
    const brink_ref *ref = &kernel->graph.refs[r];
    int space = equation_space(ref);
    if (!marks[r] || space < 0) continue;
    uint32_t last = BRINK_NO_INDEX;
    bool aligned = true;
    for (size_t i = 0; i < kernel->count; i++) {
      size_t slot = brink_ref_slot(ref, i);
      uint32_t on = system->writers.equation[space][slot];
      if (on == BRINK_NO_INDEX) continue; /* an unknown of a constraint */
      if (on != last && last != BRINK_NO_INDEX) {
        if (!note_dependence(s, e, last, false, &capacity)) return false;
        aligned = false;
      }
      last = on;
      aligned = aligned && system->writers.iteration[space][slot] == i;
    }
    if (last == BRINK_NO_INDEX) continue;
    aligned = aligned && system->equations[last]->count == kernel->count;
    if (!note_dependence(s, e, last, aligned, &capacity)) return false;
  }
  return true;
}

/* ---- kernels of a program ---- */

static placed *add_kernel(scheduler *s, size_t count) {
  placed *added = brink_arena_push(&s->scratch, s->kernels, s->nkernels, s->kernels_capacity);
  if (added != NULL) added->count = count;
  return added;
}

static bool put(scheduler *s, placed *kernel, uint32_t e) {
  uint32_t *added =
      brink_arena_push(&s->scratch, kernel->equations, kernel->nequations, kernel->capacity);
  if (added == NULL) return false;
  *added = e;
  kernel->nodes += s->system->equations[e]->graph.nnodes;
  s->place[e] = (uint32_t)(kernel - s->kernels);
  return true;
}

/* Into the first open kernel of its size that comes late enough. */
static void place_equation(scheduler *s, uint32_t e) {
  size_t count = s->system->equations[e]->count, earliest = 0;
  for (size_t k = 0; k < s->ndepends[e]; k++) {
    const dependence *d = &s->depends[e][k];
    const placed *on = &s->kernels[s->place[d->on]];
    bool fits = d->aligned && !on->closed && on->count == count && on->nodes < KERNEL_NODES;
    size_t at = s->place[d->on] + (fits ? 0 : 1);
    if (at > earliest) earliest = at;
  }
  /* Only the last kernels are worth a look: older ones are full, or of other sizes. */
  size_t start = s->nkernels > earliest + 64 ? s->nkernels - 64 : earliest;
  placed *into = NULL;
  for (size_t k = start; k < s->nkernels && into == NULL; k++) {
    placed *kernel = &s->kernels[k];
    if (!kernel->closed && kernel->count == count && kernel->nodes < KERNEL_NODES) into = kernel;
  }
  if (into == NULL) into = add_kernel(s, count);
  if (into != NULL) put(s, into, e);
}

/* ---- chains: equations that depend on themselves, but not element by element ---- */

/* The equations of one component, and a number for each of their iterations. */
typedef struct chain {
  const uint32_t *equations;
  size_t nequations;
  size_t *first;   /* number of the first iteration of each; first[nequations]: all */
  uint32_t *local; /* of each equation of the system: its place here; BRINK_NO_INDEX: not here */
} chain;

/* Calls visit for every element of the chain that an element reads. */
typedef struct reader {
  const scheduler *s;
  const chain *c;
  size_t k, i; /* equation of the chain, iteration */
  size_t ref;
  bool **marks;
} reader;

/* The next element that (k, i) reads; false: no more. */
static bool next_read(reader *r, size_t *element) {
  const brink_system *system = r->s->system;
  const brink_kernel *kernel = system->equations[r->c->equations[r->k]];
  while (r->ref < kernel->graph.nrefs) {
    const brink_ref *ref = &kernel->graph.refs[r->ref];
    int space = equation_space(ref);
    if (!r->marks[r->k][r->ref++] || space < 0) continue;
    size_t slot = brink_ref_slot(ref, r->i);
    uint32_t on = system->writers.equation[space][slot];
    if (on == BRINK_NO_INDEX || r->c->local[on] == BRINK_NO_INDEX) continue;
    *element = r->c->first[r->c->local[on]] + system->writers.iteration[space][slot];
    return true;
  }
  return false;
}

static size_t equation_of(const chain *c, size_t element) {
  size_t low = 0, high = c->nequations;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (c->first[middle] <= element)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void name_element(scheduler *s, const chain *c, size_t element, brink_text *text) {
  size_t k = equation_of(c, element);
  const brink_kernel *kernel = s->system->equations[c->equations[k]];
  const brink_output *output = &kernel->outputs[0];
  if (output->variable == BRINK_NO_INDEX) {
    brink_text_add(text, "%s", kernel->name);
    return;
  }
  const brink_variable *variable = &s->system->variables[output->variable];
  size_t slot = brink_ref_slot(&output->target, element - c->first[k]);
  brink_system_variable_name(s->system, output->variable, slot - variable->base, text);
  if (output->target.space == BRINK_SPACE_DX) brink_text_add(text, "'");
}

/* From any element that was left over, along what it reads, until one comes again. */
static void report_cycle(scheduler *s, const chain *c, bool **marks, const char *done) {
  size_t total = c->first[c->nequations], at = 0;
  size_t *next = take(s, total, sizeof *next), *seen = take(s, total, sizeof *seen);
  s->gave_up = true;
  if (next == NULL || seen == NULL) return;
  while (at < total && done[at]) at++;
  if (at == total) return;
  size_t step = 1;
  while (seen[at] == 0) {
    seen[at] = step++;
    reader r = {.s = s, .c = c, .k = equation_of(c, at), .marks = marks};
    r.i = at - c->first[r.k];
    size_t element = at;
    while (next_read(&r, &element) && done[element]) continue;
    next[at] = element;
    at = element;
  }
  *s->equation = c->equations[equation_of(c, at)];
  size_t start = at, shown = 0;
  do {
    name_element(s, c, at, s->path);
    brink_text_add(s->path, " -> ");
    at = next[at];
  } while (at != start && ++shown < 20);
  if (at != start) brink_text_add(s->path, "… -> ");
  name_element(s, c, start, s->path);
}

/* Levels of elements: level 0 reads nothing of the chain, level n only lower ones. False: a cycle. */
static bool find_levels(scheduler *s, const chain *c, bool **marks, uint32_t *level,
                        uint32_t *deepest) {
  size_t total = c->first[c->nequations], head = 0, tail = 0, edges = 0, element;
  uint32_t *waits = take(s, total, sizeof *waits), *queue = take(s, total, sizeof *queue);
  size_t *start = take(s, total + 1, sizeof *start);
  char *done = take(s, total, 1);
  if (waits == NULL || queue == NULL || start == NULL || done == NULL) return false;
  for (int pass = 0; pass < 2; pass++) { /* count the readers of each element, then list them */
    uint32_t *readers = pass == 1 ? take(s, edges, sizeof *readers) : NULL;
    if (pass == 1 && readers == NULL) return false;
    for (size_t k = 0; k < c->nequations; k++) {
      size_t count = c->first[k + 1] - c->first[k];
      for (size_t i = 0; i < count; i++) {
        reader r = {.s = s, .c = c, .k = k, .i = i, .marks = marks};
        while (next_read(&r, &element)) {
          if (pass == 0) {
            start[element + 1]++;
            waits[c->first[k] + i]++;
            edges++;
          } else {
            readers[start[element]++] = (uint32_t)(c->first[k] + i);
          }
        }
      }
    }
    if (pass == 0) {
      for (size_t e = 0; e < total; e++) start[e + 1] += start[e];
      continue;
    }
    /* start[e] has moved to the end of e's readers, which is where those of e + 1 begin */
    for (size_t e = 0; e < total; e++) {
      if (waits[e] == 0) queue[tail++] = (uint32_t)e;
    }
    while (head < tail) {
      uint32_t e = queue[head++];
      done[e] = 1;
      if (level[e] > *deepest) *deepest = level[e];
      for (size_t k = e == 0 ? 0 : start[e - 1]; k < start[e]; k++) {
        uint32_t other = readers[k];
        if (level[other] < level[e] + 1) level[other] = level[e] + 1;
        if (--waits[other] == 0) queue[tail++] = other;
      }
    }
  }
  if (tail == total) return true;
  report_cycle(s, c, marks, done);
  return false;
}

/* One kernel for each level of each equation. */
static bool place_levels(scheduler *s, const chain *c, const uint32_t *level, uint32_t deepest) {
  for (size_t k = 0; k < c->nequations; k++) s->place[c->equations[k]] = 0;
  for (uint32_t n = 0; n <= deepest; n++) {
    for (size_t k = 0; k < c->nequations; k++) {
      size_t all = c->first[k + 1] - c->first[k], count = 0;
      for (size_t i = 0; i < all; i++) count += level[c->first[k] + i] == n;
      if (count == 0) continue;
      uint32_t *subset = take(s, count, sizeof *subset);
      placed *kernel = subset != NULL ? add_kernel(s, count) : NULL;
      if (kernel == NULL) return false;
      count = 0;
      for (size_t i = 0; i < all; i++) {
        if (level[c->first[k] + i] == n) subset[count++] = (uint32_t)i;
      }
      kernel->closed = true;
      kernel->subset = subset;
      if (!put(s, kernel, c->equations[k])) return false;
    }
  }
  return true;
}

/* The numbers 0 … count - 1 by their keys, which are at most `most`; equal ones stay in order. */
static bool sort_by(scheduler *s, const uint32_t *keys, size_t count, uint32_t most,
                    uint32_t *order) {
  uint32_t *start = take(s, (size_t)most + 2, sizeof *start);
  if (start == NULL) return false;
  for (size_t i = 0; i < count; i++) start[keys[i] + 1]++;
  for (uint32_t n = 0; n <= most; n++) start[n + 1] += start[n];
  for (size_t i = 0; i < count; i++) order[start[keys[i]]++] = (uint32_t)i;
  return true;
}

/* Does the chain have a loop body: the same number of iterations in all equations, and each ref reads either always
 * the iteration that it is in, or never? */
static bool has_body(scheduler *s, const chain *c, bool **marks) {
  const brink_system *system = s->system;
  size_t count = c->first[1];
  for (size_t k = 0; k < c->nequations; k++) {
    const brink_kernel *kernel = system->equations[c->equations[k]];
    if (kernel->count != count || kernel->accumulate) return false;
    for (size_t r = 0; r < kernel->graph.nrefs; r++) {
      const brink_ref *ref = &kernel->graph.refs[r];
      int space = equation_space(ref);
      size_t same = 0, other = 0;
      for (size_t i = 0; marks[k][r] && space >= 0 && i < count; i++) {
        size_t slot = brink_ref_slot(ref, i);
        uint32_t on = system->writers.equation[space][slot];
        if (on == BRINK_NO_INDEX || c->local[on] == BRINK_NO_INDEX) {
          other++;
          continue;
        }
        *(system->writers.iteration[space][slot] == i ? &same : &other) += 1;
      }
      if (same > 0 && other > 0) return false;
    }
  }
  return true;
}

/* Equations and iterations in order of their levels: an equation's is that of its middle iteration, an iteration's that of
 * its first equation. False: in that order something would be read before it is written. */
static bool sequence_order(scheduler *s, const chain *c, bool **marks, const uint32_t *level,
                           uint32_t deepest, uint32_t *equations, uint32_t *order) {
  size_t count = c->first[1], n = c->nequations, element;
  uint32_t *least = take(s, count, sizeof *least), *middle = take(s, n, sizeof *middle);
  uint32_t *rank = take(s, n, sizeof *rank), *place = take(s, count, sizeof *place);
  if (least == NULL || middle == NULL || rank == NULL || place == NULL) return false;
  for (size_t i = 0; i < count; i++) {
    least[i] = deepest;
    for (size_t k = 0; k < n; k++) {
      if (level[c->first[k] + i] < least[i]) least[i] = level[c->first[k] + i];
    }
  }
  for (size_t k = 0; k < n; k++) middle[k] = level[c->first[k] + count / 2];
  if (!sort_by(s, least, count, deepest, order) || !sort_by(s, middle, n, deepest, equations))
    return false;
  for (size_t k = 0; k < n; k++) rank[equations[k]] = (uint32_t)k;
  for (size_t i = 0; i < count; i++) place[order[i]] = (uint32_t)i;
  for (size_t k = 0; k < n; k++) {
    for (size_t i = 0; i < count; i++) {
      reader r = {.s = s, .c = c, .k = k, .i = i, .marks = marks};
      while (next_read(&r, &element)) {
        size_t on = equation_of(c, element), at = element - c->first[on];
        if (at == i ? rank[on] >= rank[k] : place[at] >= place[i]) return false;
      }
    }
  }
  return true;
}

/* A long chain: a loop that runs its iterations in order of their levels, with all equations in its body. False: it has
 * no such order, or memory is out. */
static bool place_sequence(scheduler *s, const chain *c, bool **marks, const uint32_t *level,
                           uint32_t deepest) {
  size_t count = c->first[1];
  if (!has_body(s, c, marks)) return false;
  uint32_t *order = take(s, count, sizeof *order);
  uint32_t *equations = take(s, c->nequations, sizeof *equations);
  if (order == NULL || equations == NULL ||
      !sequence_order(s, c, marks, level, deepest, equations, order))
    return false;
  placed *kernel = add_kernel(s, count);
  if (kernel == NULL) return false;
  kernel->closed = kernel->sequential = true;
  kernel->subset = order;
  for (size_t k = 0; k < c->nequations; k++) {
    if (!put(s, kernel, c->equations[equations[k]])) return false;
  }
  return true;
}

static void place_chain(scheduler *s, const uint32_t *equations, size_t count) {
  chain c = {.equations = equations, .nequations = count};
  c.first = take(s, count + 1, sizeof *c.first);
  c.local = take(s, s->system->nequations, sizeof *c.local);
  bool **marks = take(s, count, sizeof *marks);
  if (has_failed(s)) return;
  memset(c.local, 0xff, s->system->nequations * sizeof *c.local);
  for (size_t k = 0; k < count; k++) {
    c.local[equations[k]] = (uint32_t)k;
    c.first[k + 1] = c.first[k] + s->system->equations[equations[k]]->count;
    marks[k] = needed_refs(s, s->system->equations[equations[k]]);
  }
  uint32_t deepest = 0, *level = take(s, c.first[count], sizeof *level);
  if (has_failed(s) || !find_levels(s, &c, marks, level, &deepest)) return;
  if (deepest > 8 && place_sequence(s, &c, marks, level, deepest)) return;
  if (!has_failed(s)) place_levels(s, &c, level, deepest);
}

/* ---- the order of equations ---- */

typedef struct tarjan {
  uint32_t *number, *low, *stack, *calls;
  size_t *next;
  char *on_stack;
  uint32_t counter;
  size_t nstack, ncalls;
} tarjan;

static bool reads_itself(const scheduler *s, uint32_t e) {
  for (size_t k = 0; k < s->ndepends[e]; k++) {
    if (s->depends[e][k].on == e) return true;
  }
  return false;
}

static void component_found(scheduler *s, tarjan *t, uint32_t root) {
  size_t first = t->nstack;
  do {
    t->on_stack[t->stack[--first]] = 0;
  } while (t->stack[first] != root);
  size_t count = t->nstack - first;
  uint32_t *members = take(s, count, sizeof *members);
  if (members == NULL) return;
  memcpy(members, &t->stack[first], count * sizeof *members);
  t->nstack = first;
  for (size_t k = 0; k < count; k++) s->sorted[s->nsorted++] = members[k];
  if (count == 1 && !reads_itself(s, root))
    place_equation(s, root);
  else
    place_chain(s, members, count);
}

static void visit(tarjan *t, uint32_t e) {
  t->number[e] = t->low[e] = ++t->counter;
  t->stack[t->nstack++] = e;
  t->on_stack[e] = 1;
  t->calls[t->ncalls++] = e;
}

static void search_from(scheduler *s, tarjan *t, uint32_t root) {
  visit(t, root);
  while (t->ncalls > 0 && !has_failed(s)) {
    uint32_t e = t->calls[t->ncalls - 1];
    if (t->next[e] < s->ndepends[e]) {
      uint32_t on = s->depends[e][t->next[e]++].on;
      if (t->number[on] == 0)
        visit(t, on);
      else if (t->on_stack[on] && t->number[on] < t->low[e])
        t->low[e] = t->number[on];
      continue;
    }
    t->ncalls--;
    if (t->ncalls > 0) {
      uint32_t caller = t->calls[t->ncalls - 1];
      if (t->low[e] < t->low[caller]) t->low[caller] = t->low[e];
    }
    if (t->low[e] == t->number[e]) component_found(s, t, e);
  }
}

static void sort_equations(scheduler *s, const char *wanted) {
  size_t n = s->system->nequations;
  tarjan t = {.number = take(s, n, sizeof(uint32_t)),
              .low = take(s, n, sizeof(uint32_t)),
              .stack = take(s, n, sizeof(uint32_t)),
              .calls = take(s, n, sizeof(uint32_t)),
              .next = take(s, n, sizeof(size_t)),
              .on_stack = take(s, n, 1)};
  for (size_t e = 0; e < n && !has_failed(s); e++) {
    if (t.number[e] == 0 && wanted[e]) search_from(s, &t, (uint32_t)e);
  }
}

/* ---- fusing ---- */

typedef struct fusion {
  scheduler *s;
  const placed *from;
  const brink_node *result; /* of each equation that is in the kernel already */
  const char *inside;       /* equations whose results are nodes, not memory */
} fusion;

static brink_node fuse_ref(brink_graph *to, const brink_graph *from, uint32_t ref, void *user) {
  const fusion *f = user;
  const brink_ref *r = &from->refs[ref];
  const brink_system *system = f->s->system;
  int space = equation_space(r);
  const uint32_t *subset = f->from->subset;
  if (space >= 0 && from->iterations > 0) {
    size_t first = subset != NULL ? subset[0] : 0, slot = brink_ref_slot(r, first);
    uint32_t on = system->writers.equation[space][slot];
    if (on != BRINK_NO_INDEX && f->inside[on] && system->writers.iteration[space][slot] == first)
      return f->result[on];
  }
  if (subset == NULL) return brink_graph_ref(to, *r);
  brink_ref moved = *r;
  moved.base = (uint32_t)brink_ref_slot(r, subset[0]);
  moved.stride = 0;
  moved.map = NULL;
  if (f->from->count > 1) {
    uint32_t *map = brink_arena_pack(&f->s->system->arena, f->from->count, sizeof *map);
    if (map == NULL) return BRINK_NO_NODE;
    for (size_t i = 0; i < f->from->count; i++) map[i] = (uint32_t)brink_ref_slot(r, subset[i]);
    moved.map = map;
  }
  return brink_graph_ref(to, moved);
}

static bool move_target(const fusion *f, const brink_ref *target, brink_ref *moved) {
  *moved = *target;
  const uint32_t *subset = f->from->subset;
  if (subset == NULL) return true;
  uint32_t *map = brink_arena_pack(&f->s->system->arena, f->from->count, sizeof *map);
  if (map == NULL) return false;
  for (size_t i = 0; i < f->from->count; i++) map[i] = (uint32_t)brink_ref_slot(target, subset[i]);
  *moved =
      (brink_ref){.space = target->space, .base = map[0], .map = f->from->count > 1 ? map : NULL};
  return true;
}

/* Is an equation's result read outside its kernel? */
static void find_external(const scheduler *s, char *external) {
  for (size_t k = 0; k < s->nsorted; k++) {
    uint32_t e = s->sorted[k];
    for (size_t d = 0; d < s->ndepends[e]; d++) {
      uint32_t on = s->depends[e][d].on;
      if (s->place[on] != s->place[e] || s->kernels[s->place[on]].closed) external[on] = 1;
    }
  }
}

static bool fuse(scheduler *s, const placed *from, const char *external, bool keep_all,
                 brink_node *result, char *inside, brink_kernel *kernel) {
  brink_system *system = s->system;
  const brink_kernel *first = system->equations[from->equations[0]];
  *kernel = (brink_kernel){.name = first->name,
                           .where = first->where,
                           .count = from->count,
                           .sequential = from->sequential};
  brink_graph_init(&kernel->graph, &system->arena, from->count);
  fusion f = {.s = s, .from = from, .result = result, .inside = inside};
  for (size_t k = 0; k < from->nequations; k++) {
    uint32_t e = from->equations[k];
    const brink_kernel *equation = system->equations[e];
    const brink_output *output = &equation->outputs[0];
    brink_node node =
        brink_graph_copy(&kernel->graph, &equation->graph, output->node, fuse_ref, &f);
    if (node == BRINK_NO_NODE) return false;
    result[e] = node;
    inside[e] = !from->closed || from->sequential;
    bool needed = keep_all || external[e] || output->target.space == BRINK_SPACE_DX;
    if (!needed) continue;
    brink_output made = *output;
    made.node = node;
    if (!move_target(&f, &output->target, &made.target)) return false;
    brink_output *added = brink_arena_push(&system->arena, kernel->outputs, kernel->noutputs,
                                           kernel->outputs_capacity);
    if (added == NULL) return false;
    *added = made;
  }
  for (size_t k = 0; k < from->nequations; k++) inside[from->equations[k]] = 0;
  return true;
}

static bool write_program(scheduler *s, bool keep_all, brink_program *program) {
  brink_system *system = s->system;
  char *external = take(s, system->nequations, 1), *inside = take(s, system->nequations, 1);
  brink_node *result = take(s, system->nequations, sizeof *result);
  program->kernels = brink_arena_pack(&system->arena, s->nkernels, sizeof *program->kernels);
  program->nkernels = 0;
  if (has_failed(s) || program->kernels == NULL) return false;
  find_external(s, external);
  for (size_t k = 0; k < s->nkernels; k++) {
    brink_kernel *kernel = brink_arena_pack(&system->arena, 1, sizeof *kernel);
    if (kernel == NULL || !fuse(s, &s->kernels[k], external, keep_all, result, inside, kernel))
      return false;
    if (kernel->noutputs > 0) program->kernels[program->nkernels++] = kernel;
  }
  return true;
}

/* ---- programs ---- */

/* One program: the equations that `wanted` ones need. */
static bool make_program(brink_system *system, const char *wanted, bool keep_all,
                         brink_program *program, brink_text *path, size_t *equation) {
  scheduler s = {.system = system, .path = path, .equation = equation};
  brink_arena_init(&s.scratch, &system->arena.allocator);
  size_t n = system->nequations;
  s.depends = take(&s, n, sizeof *s.depends);
  s.ndepends = take(&s, n, sizeof *s.ndepends);
  s.place = take(&s, n, sizeof *s.place);
  s.sorted = take(&s, n, sizeof *s.sorted);
  bool ok = !has_failed(&s);
  for (size_t e = 0; ok && e < n; e++) ok = find_dependences(&s, e);
  if (ok) sort_equations(&s, wanted);
  ok = ok && !has_failed(&s) && write_program(&s, keep_all, program);
  brink_arena_free(&s.scratch);
  return ok;
}

bool brink_system_schedule(brink_system *system, brink_text *path, size_t *equation) {
  char *wanted = brink_arena_pack(&system->arena, system->nequations, 1);
  if (wanted == NULL) return false;
  memset(wanted, 1, system->nequations);
  if (!make_program(system, wanted, true, &system->all, path, equation)) return false;
  for (size_t e = 0; e < system->nequations; e++)
    wanted[e] = system->equations[e]->outputs[0].target.space == BRINK_SPACE_DX;
  return make_program(system, wanted, false, &system->rhs, path, equation);
}
