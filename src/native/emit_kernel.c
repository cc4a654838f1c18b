/* emit_kernel.c: a kernel as C.
 *
 *   one iteration     straight code; slots are numbers
 *   more              a loop; bases, maps and the number of iterations come from the tables
 *   more than about   functions k3_0, k3_1, … of one iteration, that k3 calls
 *   200 statements
 *
 * All values are computed before any is written, unless nothing that is read is written: then each
 * output is written where it is known. */
#include "native/emit.h"

#include <string.h>

static const struct {
  const char *type, *name, *member;
} arrays[EMIT_ARRAYS] = {
    [BRINK_SPACE_X] = {"const double", "x", "x"},
    [BRINK_SPACE_P] = {"const double", "p", "p"},
    [BRINK_SPACE_MODE] = {"const int", "mode", "mode"},
    [BRINK_SPACE_SIGN] = {"const signed char", "sgn", "sgn"},
    [BRINK_SPACE_V] = {"double", "v", "v"},
    [BRINK_SPACE_DX] = {"double", "dx", "dx"},
    [BRINK_SPACE_K] = {"const double", "k", "k"},
    [BRINK_SPACE_PRE_X] = {"const double", "pre_x", "pre_x"},
    [BRINK_SPACE_PRE_P] = {"const double", "pre_p", "pre_p"},
    [BRINK_SPACE_PRE_MODE] = {"const int", "pre_mode", "pre_mode"},
    [BRINK_SPACE_OUT] = {"double", "out", "out"},
    [BRINK_SPACE_LOCAL] = {"double", "local", "local"},
    [EMIT_TO_X] = {"double", "to_x", "to_x"},
    [EMIT_TO_P] = {"double", "to_p", "to_p"},
    [EMIT_TO_MODE] = {"int", "to_mode", "to_mode"},
};

/* ---- tables ---- */

uint32_t emit_map(emitter *e, const uint32_t *map) {
  brink_emission *out = e->out;
  const uint32_t **added = brink_arena_push(&out->arena, out->maps, out->nmaps, e->maps_capacity);
  if (added == NULL) {
    e->failed = true;
    return 0;
  }
  *added = map;
  return (uint32_t)out->nmaps - 1;
}

uint32_t emit_number(emitter *e, size_t number) {
  brink_emission *out = e->out;
  uint32_t *added = brink_arena_push(&out->arena, out->numbers, out->nnumbers, e->numbers_capacity);
  if (added == NULL) {
    e->failed = true;
    return 0;
  }
  *added = (uint32_t)number;
  return (uint32_t)out->nnumbers - 1;
}

/* ---- slots ---- */

/* x[3]; in a loop x[T->numbers[2] + 3*i] or x[T->maps[1][i]]. */
static void open_element(emitter *e, emit_plan *p, uint32_t array, const brink_ref *ref) {
  p->spaces |= 1u << array;
  brink_text_add(&e->part, "%s[", arrays[array].name);
  if (!p->loop) {
    brink_text_add(&e->part, "%zu", brink_ref_slot(ref, 0));
  } else if (ref->map != NULL) {
    brink_text_add(&e->part, "T->maps[%u][i]", emit_map(e, ref->map));
  } else {
    brink_text_add(&e->part, "T->numbers[%u]", emit_number(e, ref->base));
    int64_t stride = ref->stride;
    if (stride == 1 || stride == -1)
      brink_text_add(&e->part, " %c i", stride > 0 ? '+' : '-');
    else if (stride != 0)
      brink_text_add(&e->part, " %c %lluu*i", stride > 0 ? '+' : '-',
                     (unsigned long long)(stride > 0 ? stride : -stride));
  }
}

void emit_open_element(emitter *e, emit_plan *p, const brink_ref *ref) {
  open_element(e, p, ref->space, ref);
}

static void element(emitter *e, emit_plan *p, uint32_t array, const brink_ref *ref) {
  open_element(e, p, array, ref);
  brink_text_add(&e->part, "]");
}

static uint32_t target_array(brink_space space) {
  switch (space) {
  case BRINK_SPACE_X:
    return EMIT_TO_X;
  case BRINK_SPACE_P:
    return EMIT_TO_P;
  case BRINK_SPACE_MODE:
    return EMIT_TO_MODE;
  default:
    return space;
  }
}

static void target(emitter *e, emit_plan *p, size_t j) {
  const brink_ref *ref = &p->kernel->outputs[j].target;
  uint32_t array = target_array(ref->space);
  if (ref->space == BRINK_SPACE_OUT && ref->map == NULL && ref->stride == 0) {
    p->spaces |= 1u << array;
    brink_text_add(&e->part, "out[%zu]", j);
  } else {
    element(e, p, array, ref);
  }
}

/* ---- statements ---- */

static void indent(emitter *e, const emit_plan *p, bool inside) {
  bool deeper = p->loop && p->nparts == 1 && inside;
  brink_text_append(&e->part, "    ", deeper ? 4 : 2);
}

static void declare(emitter *e, emit_plan *p, brink_node node, bool inside) {
  indent(e, p, inside);
  brink_text_add(&e->part, "const double ");
  emit_local_name(e, p, node);
  brink_text_add(&e->part, " = ");
}

static void load_ref(emitter *e, emit_plan *p, brink_node node, bool inside) {
  const brink_ref *ref = &p->kernel->graph.refs[p->nodes[node].a];
  declare(e, p, node, inside);
  element(e, p, ref->space, ref);
  brink_text_add(&e->part, ";\n");
  p->declared[node] = p->function;
}

/* Makes everything that the expression of a node names known in the function at hand. */
static void prepare(emitter *e, emit_plan *p, brink_node node, bool root, bool inside) {
  brink_node of[3];
  if (p->declared[node] == p->function) return;
  if (p->kind[node] == EMIT_REF) {
    load_ref(e, p, node, inside);
  } else if (p->kind[node] == EMIT_LOCAL && !root) {
    declare(e, p, node, inside);
    brink_text_add(&e->part, "w[%u];\n", p->cross[node]);
    p->declared[node] = p->function;
  } else {
    int count = emit_operands(&p->nodes[node], of);
    for (int k = 0; k < count; k++) prepare(e, p, of[k], false, inside);
  }
}

/* double s, c; sincos(angle, &s, &c); */
static void twins(emitter *e, emit_plan *p, brink_node node, bool inside) {
  bool sine_first = p->nodes[node].op == BRINK_OP_SIN;
  brink_node both[2] = {sine_first ? node : p->twin[node], sine_first ? p->twin[node] : node};
  e->twins = true;
  indent(e, p, inside);
  brink_text_add(&e->part, "double ");
  emit_local_name(e, p, both[0]);
  brink_text_add(&e->part, ", ");
  emit_local_name(e, p, both[1]);
  brink_text_add(&e->part, ";\n");
  indent(e, p, inside);
  brink_text_add(&e->part, "sincos(");
  emit_value(e, p, p->nodes[node].a);
  brink_text_add(&e->part, ", &");
  emit_local_name(e, p, both[0]);
  brink_text_add(&e->part, ", &");
  emit_local_name(e, p, both[1]);
  brink_text_add(&e->part, ");\n");
  p->declared[both[0]] = p->declared[both[1]] = p->function;
}

static void compute(emitter *e, emit_plan *p, brink_node node, bool inside) {
  prepare(e, p, node, true, inside);
  if (p->twin[node] != EMIT_NONE) {
    twins(e, p, node, inside);
    return;
  }
  declare(e, p, node, inside);
  emit_value(e, p, node);
  brink_text_add(&e->part, ";\n");
  p->declared[node] = p->function;
}

static void local(emitter *e, emit_plan *p, brink_node node, bool inside) {
  if (p->declared[node] != p->function) compute(e, p, node, inside);
  if (p->cross[node] == EMIT_NONE) return;
  indent(e, p, inside);
  brink_text_add(&e->part, "w[%u] = ", p->cross[node]);
  emit_value(e, p, node);
  brink_text_add(&e->part, ";\n");
}

/* plant.h'  tank.hsml:23 */
static void comment_output(emitter *e, emit_plan *p, size_t j) {
  if (!e->options->comments) return;
  indent(e, p, true);
  brink_text_add(&e->part, "/* ");
  const brink_ref *ref = &p->kernel->outputs[j].target;
  if (ref->space == BRINK_SPACE_OUT && p->kernel->name != NULL)
    emit_comment_text(&e->part, p->kernel->name);
  else
    emit_slot_name(e, ref, p->kernel->count, &e->part);
  if (p->kernel->where != NULL) {
    brink_text_add(&e->part, "  ");
    emit_comment_text(&e->part, p->kernel->where);
  }
  brink_text_add(&e->part, " */\n");
}

static void write_output(emitter *e, emit_plan *p, size_t j) {
  const brink_output *output = &p->kernel->outputs[j];
  prepare(e, p, output->node, false, true);
  if (output->when != BRINK_NO_NODE) prepare(e, p, output->when, false, true);
  comment_output(e, p, j);
  indent(e, p, true);
  if (output->when != BRINK_NO_NODE) {
    brink_text_add(&e->part, "if (");
    emit_truth(e, p, output->when);
    brink_text_add(&e->part, ") ");
  }
  bool whole = output->target.space == BRINK_SPACE_MODE;
  target(e, p, j);
  if (whole) {
    e->modes = true;
    brink_text_add(&e->part, " = whole(");
    if (p->kernel->accumulate) {
      target(e, p, j);
      brink_text_add(&e->part, " + (");
    }
    emit_value(e, p, output->node);
    brink_text_add(&e->part, p->kernel->accumulate ? "));\n" : ");\n");
  } else {
    brink_text_add(&e->part, p->kernel->accumulate ? " += " : " = ");
    emit_value(e, p, output->node);
    brink_text_add(&e->part, ";\n");
  }
}

/* ---- bodies ---- */

/* The statements of one part; `written` counts the outputs that were written early. */
static void statements(emitter *e, emit_plan *p, uint32_t part, size_t *next, size_t *written) {
  const brink_kernel *kernel = p->kernel;
  for (; *next < p->nnodes && p->part[*next] == part; ++*next) {
    size_t i = *next;
    if (p->kind[i] == EMIT_LOCAL && !p->invariant[i]) local(e, p, (brink_node)i, true);
    if (!p->early) continue;
    while (*written < kernel->noutputs) {
      const brink_output *output = &kernel->outputs[p->writes[*written]];
      bool waits = output->node > i || (output->when != BRINK_NO_NODE && output->when > i);
      if (waits) break;
      write_output(e, p, p->writes[(*written)++]);
    }
  }
  if (p->early || part + 1 != p->nparts) return;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_output *output = &kernel->outputs[j];
    prepare(e, p, output->node, false, true);
    if (output->when != BRINK_NO_NODE) prepare(e, p, output->when, false, true);
  }
  for (size_t j = 0; j < kernel->noutputs; j++) write_output(e, p, j);
}

static void before_the_loop(emitter *e, emit_plan *p) {
  for (size_t i = 0; i < p->nnodes; i++) {
    if (p->kind[i] == EMIT_REF && p->invariant[i]) load_ref(e, p, (brink_node)i, false);
  }
  for (size_t i = 0; i < p->nnodes; i++) {
    if (p->kind[i] == EMIT_LOCAL && p->invariant[i]) local(e, p, (brink_node)i, false);
  }
}

/* for (i …) target = 0.0; */
static void clear(emitter *e, emit_plan *p) {
  for (size_t j = 0; j < p->kernel->noutputs; j++) {
    brink_text_add(&e->part, p->loop ? "  for (size i = first; i < first + count; i++) " : "  ");
    target(e, p, j);
    brink_text_add(&e->part, " = 0;\n");
  }
}

/* ---- functions ---- */

static void begin_function(emitter *e, emit_plan *p) {
  e->part.length = 0;
  if (e->part.data != NULL) e->part.data[0] = '\0';
  p->function++;
  p->spaces = 0;
  p->time = false;
}

static void local_arrays(emitter *e, const emit_plan *p) {
  for (uint32_t a = 0; a < EMIT_ARRAYS; a++) {
    if ((p->spaces >> a & 1u) == 0) continue;
    brink_text_add(&e->body, "  %s *%s%s = f->%s;\n", arrays[a].type,
                   p->restrict_ ? "restrict " : "", arrays[a].name, arrays[a].member);
  }
  if (p->time) brink_text_add(&e->body, "  const double t = f->t;\n");
}

static void end_function(emitter *e, const emit_plan *p) {
  local_arrays(e, p);
  brink_text_append(&e->body, e->part.data, e->part.length);
  brink_text_add(&e->body, "}\n\n");
  if (e->part.failed) e->failed = true;
}

static void parts(emitter *e, emit_plan *p) {
  size_t next = 0, written = 0;
  for (uint32_t part = 0; part < p->nparts; part++) {
    begin_function(e, p);
    statements(e, p, part, &next, &written);
    brink_text_add(&e->body,
                   "static __attribute__((noinline)) void k%u_%u(const frame *f, const tables *T, "
                   "size i, double *w) {\n",
                   p->number, part);
    end_function(e, p);
  }
}

/* A loop is not inlined, nor is a long function: the caller would only become slow to compile. */
static void head(emitter *e, const emit_plan *p) {
  enum { SHORT = 40 };
  const brink_kernel *kernel = p->kernel;
  if (e->options->comments) {
    brink_text_add(&e->body, "/* ");
    emit_comment_text(&e->body, kernel->name == NULL ? "" : kernel->name);
    brink_text_add(&e->body, "  ");
    emit_comment_text(&e->body, kernel->where == NULL ? "" : kernel->where);
    brink_text_add(&e->body, " */\n");
  }
  bool small = !p->loop && p->nparts == 1 && p->nstatements <= SHORT;
  brink_text_add(&e->body,
                 "static %svoid k%u(const frame *f, const tables *T, size first, size count) {\n",
                 small ? "" : "__attribute__((noinline)) ", p->number);
}

static void body(emitter *e, emit_plan *p) {
  size_t next = 0, written = 0;
  const char *for_each = "  for (size i = first; i < first + count; i++) {\n";
  if (p->kernel->accumulate) clear(e, p);
  if (p->nparts > 1) {
    brink_text_add(&e->part, "  double *w = T->scratch;\n%s", p->loop ? for_each : "");
    for (size_t part = 0; part < p->nparts; part++)
      brink_text_add(&e->part, "  %sk%u_%zu(f, T, %s, w);\n", p->loop ? "  " : "", p->number, part,
                     p->loop ? "i" : "0");
  } else {
    if (p->loop) {
      before_the_loop(e, p);
      brink_text_add(&e->part, "%s", for_each);
    }
    statements(e, p, 0, &next, &written);
  }
  if (p->loop) brink_text_add(&e->part, "  }\n");
}

void emit_kernel(emitter *e, const brink_kernel *kernel, uint32_t number) {
  emit_plan p;
  if (!emit_plan_make(e, kernel, number, &p)) {
    e->failed = true;
    return;
  }
  if (e->options->comments) emit_names_of_kernel(e, &p);
  if (p.ncross > e->out->scratch) e->out->scratch = p.ncross;
  if (p.nparts > 1) parts(e, &p);
  begin_function(e, &p);
  body(e, &p);
  head(e, &p);
  end_function(e, &p);
}
