/* emit.c: the flat system as one C file.
 *
 * The file includes nothing and needs nothing but libm: it declares what it uses. It exports one
 * symbol, brink_entry. The text depends on the model alone, and not on sizes of arrays: these, the
 * slots where arrays start, and maps are handed over at run time (brink_tables), so that a model with
 * ten instances and one with ten thousand are one object. */
#include "native/emit.h"

#include <string.h>

/* ---- which kernels have been emitted ---- */

static size_t hash_pointer(const void *pointer) {
  uint64_t z = (uint64_t)(uintptr_t)pointer;
  z = (z ^ (z >> 33)) * UINT64_C(0xFF51AFD7ED558CCD);
  return (size_t)(z ^ (z >> 33));
}

static const uint32_t *find(const brink_emission *out, const brink_kernel *kernel, size_t *empty) {
  size_t mask = out->nbuckets - 1, k = hash_pointer(kernel) & mask;
  for (; out->nbuckets > 0 && out->buckets[k] != 0; k = (k + 1) & mask) {
    if (out->kernels[out->buckets[k] - 1] == kernel) return &out->buckets[k];
  }
  if (empty != NULL) *empty = k;
  return NULL;
}

uint32_t brink_emission_kernel(const brink_emission *emission, const brink_kernel *kernel) {
  const uint32_t *found = find(emission, kernel, NULL);
  return found == NULL ? BRINK_NO_INDEX : *found - 1;
}

static bool room_for_kernel(emitter *e) {
  brink_emission *out = e->out;
  if (!brink_arena_reserve(&out->arena, out->kernels, out->nkernels, e->kernels_capacity))
    return false;
  if (2 * (out->nkernels + 1) <= out->nbuckets) return true;
  size_t larger = out->nbuckets == 0 ? 64 : 2 * out->nbuckets, empty = 0;
  out->buckets = brink_arena_take(&out->arena, larger, sizeof *out->buckets);
  if (out->buckets == NULL) {
    out->nbuckets = 0;
    return false;
  }
  out->nbuckets = larger;
  for (size_t k = 0; k < out->nkernels; k++) {
    find(out, out->kernels[k], &empty);
    out->buckets[empty] = (uint32_t)k + 1;
  }
  return true;
}

/* Emits a kernel that was not there yet. */
static void add_kernel(emitter *e, const brink_kernel *kernel) {
  brink_emission *out = e->out;
  size_t empty = 0;
  if (e->failed || kernel == NULL || find(out, kernel, NULL) != NULL) return;
  if (!room_for_kernel(e)) {
    e->failed = true;
    return;
  }
  find(out, kernel, &empty);
  out->kernels[out->nkernels++] = kernel;
  out->buckets[empty] = (uint32_t)out->nkernels;
  emit_kernel(e, kernel, (uint32_t)out->nkernels - 1);
}

static void add_action(emitter *e, const brink_action *action) {
  for (size_t k = 0; action != NULL && k < action->nkernels; k++) {
    if (action->kernels[k]->noutputs > 0) add_kernel(e, action->kernels[k]);
  }
}

/* ---- what there is ---- */

static void add_program(emitter *e, const brink_program *program, const char *name) {
  if (program == NULL) return;
  for (size_t k = 0; k < program->nkernels; k++) add_kernel(e, program->kernels[k]);
  brink_text_add(&e->body, "static void %s(const frame *f, const tables *T) {\n", name);
  for (size_t k = 0; k < program->nkernels && !e->failed; k++) {
    const brink_kernel *kernel = program->kernels[k];
    uint32_t number = brink_emission_kernel(e->out, kernel);
    if (kernel->count == 1)
      brink_text_add(&e->body, "  k%u(f, T, 0, 1);\n", number);
    else
      brink_text_add(&e->body, "  k%u(f, T, 0, T->numbers[%u]);\n", number,
                     emit_number(e, kernel->count));
  }
  brink_text_add(&e->body, "}\n\n");
}

static void add_flags(emitter *e) {
  const brink_system *s = e->system;
  const brink_emit_options *o = e->options;
  for (size_t f = 0; f < s->nflags; f++) {
    const brink_flag *flag = &s->flags[f];
    if (o->guards) {
      add_kernel(e, flag->value);
      add_kernel(e, flag->enabled);
    }
    if (o->gradients && o->gradient_kernels != NULL) add_kernel(e, o->gradient_kernels[f]);
    if (!o->actions) continue;
    add_action(e, flag->negative);
    add_action(e, flag->positive);
    add_action(e, flag->on_surface);
  }
}

static void add_instants(emitter *e) {
  const brink_system *s = e->system;
  for (size_t c = 0; c < s->nclocks; c++) add_action(e, s->clocks[c].action);
  for (size_t r = 0; r < s->nrules; r++) {
    add_kernel(e, s->rules[r].condition);
    add_action(e, s->rules[r].body);
  }
  for (size_t a = 0; a < s->nfirst_outputs; a++) add_action(e, s->first_outputs[a]);
}

static void add_jets(emitter *e) {
  brink_emission *out = e->out;
  for (size_t f = 0; f < e->system->nflags && !e->failed; f++) {
    const brink_kernel *kernel = e->system->flags[f].value;
    if (kernel == NULL || brink_graph_calls_external(&kernel->graph)) continue;
    const brink_kernel **added =
        brink_arena_push(&out->arena, out->jets, out->njets, e->jets_capacity);
    if (added == NULL) {
      e->failed = true;
      return;
    }
    *added = kernel;
    emit_guard_series(e, kernel, (uint32_t)out->njets - 1);
  }
}

/* ---- declarations, as far as they are used ---- */

/* As brink_frame and brink_tables (native.h), and brink_entry (emit.h). */
static const char contract[] =
    "typedef unsigned int u32;\n"
    "typedef unsigned long long u64;\n"
    "typedef __SIZE_TYPE__ size;\n"
    "\n"
    "typedef struct frame {\n"
    "  double t;\n"
    "  const double *x, *p;\n"
    "  const int *mode;\n"
    "  const signed char *sgn;\n"
    "  const double *k, *pre_x, *pre_p;\n"
    "  const int *pre_mode;\n"
    "  double *v, *dx, *out, *to_x, *to_p;\n"
    "  int *to_mode;\n"
    "  double *local;\n"
    "  u64 seed;\n"
    "  const void *externals;\n"
    "} frame;\n"
    "\n"
    "typedef struct tables {\n"
    "  const u32 *const *maps;\n"
    "  const u32 *numbers;\n"
    "  double *scratch;\n"
    "  double (*random)(u64 seed, double stream, double draw);\n"
    "  double (*poisson)(double u, double mean);\n"
    "  double (*external)(const void *externals, size code, const double *x);\n"
    "} tables;\n"
    "\n"
    "typedef void program_fn(const frame *, const tables *);\n"
    "typedef void kernel_fn(const frame *, const tables *, size, size);\n"
    "typedef void jet_fn(const frame *, const tables *, size, int, const double *,\n"
    "                    const double *const *, double *);\n"
    "typedef int flow_fn(const frame *, const tables *, int, double, double *const *, double *);\n"
    "typedef void lanes_fn(const frame *const *, const double *, const double *, double *);\n"
    "\n";

static void declare_functions(const emitter *e, brink_text *text) {
  static const uint8_t libm[] = {BRINK_OP_POW,  BRINK_OP_SIN,   BRINK_OP_COS,  BRINK_OP_TAN,
                                 BRINK_OP_ASIN, BRINK_OP_ACOS,  BRINK_OP_ATAN, BRINK_OP_ATAN2,
                                 BRINK_OP_SINH, BRINK_OP_COSH,  BRINK_OP_TANH, BRINK_OP_EXP,
                                 BRINK_OP_LOG,  BRINK_OP_LOG10, BRINK_OP_HYPOT};
  for (size_t k = 0; k < sizeof libm; k++) {
    if ((e->ops >> libm[k] & 1u) == 0) continue;
    bool two = brink_op_operands((brink_op)libm[k]) > 1;
    brink_text_add(text, "double %s(double%s) __attribute__((const));\n",
                   brink_op_name((brink_op)libm[k]), two ? ", double" : "");
  }
  if (e->twins) brink_text_add(text, "void sincos(double, double *, double *);\n");
  /* Exact in any case; as builtins they are instructions. */
  static const uint8_t exact[] = {BRINK_OP_SQRT, BRINK_OP_ABS, BRINK_OP_FLOOR};
  for (size_t k = 0; k < sizeof exact; k++) {
    const char *name = brink_op_name((brink_op)exact[k]);
    if (e->ops >> exact[k] & 1u) brink_text_add(text, "#define %s __builtin_%s\n", name, name);
  }
  if (e->ops >> BRINK_OP_SIGN & 1u)
    brink_text_add(text, "static double sign(double a) {\n"
                         "  return a != a ? a : (double)((a > 0.0) - (a < 0.0));\n}\n");
  if (e->ops >> BRINK_OP_MIN & 1u)
    brink_text_add(
        text,
        "static double minimum(double a, double b) {\n  return a < b || a != a ? a : b;\n}\n");
  if (e->ops >> BRINK_OP_MAX & 1u)
    brink_text_add(
        text,
        "static double maximum(double a, double b) {\n  return a > b || a != a ? a : b;\n}\n");
  if (e->ops >> BRINK_OP_FIND & 1u) /* as brink_table_find, from 1 */
    brink_text_add(text, "static double find(const double *bounds, size n, double a) {\n"
                         "  size low = 0, high = n;\n"
                         "  while (high - low > 1) {\n"
                         "    size middle = low + (high - low)/2;\n"
                         "    if (a >= bounds[middle]) low = middle;\n"
                         "    else high = middle;\n"
                         "  }\n"
                         "  return (double)low + 1.0;\n}\n");
  if (e->ops >> BRINK_OP_LOOKUP & 1u) /* as brink_lookup_place */
    brink_text_add(text, "static size place(double index, size n) {\n  if (!(index >= 2.0)) return "
                         "0;\n  return index >= (double)n ? n - 1 : (size)index - 1;\n}\n");
  if (e->modes)
    brink_text_add(text, "static int whole(double a) {\n  return a > -2147483649.0 && a < "
                         "2147483648.0 ? (int)a : -2147483647 - 1;\n}\n");
}

static void write_head(const emitter *e, brink_text *text) {
  if (e->options->comments) {
    brink_text_add(text, "/* ");
    emit_comment_text(text, e->system->name == NULL ? "" : e->system->name);
    brink_text_add(
        text,
        ": generated by Brink %s.\n *\n"
        " * States x, held numbers p, modes, signs of flags sgn, variables v, derivatives dx.\n"
        " * Lengths, first slots of arrays and maps come in the tables T. */\n\n",
        brink_version());
  }
  brink_text_append(text, contract, sizeof contract - 1);
  declare_functions(e, text);
  emit_series_rules(e, text);
  brink_text_add(text, "\n");
}

static void write_list(brink_text *text, const char *type, const char *name, char letter,
                       size_t count) {
  brink_text_add(text, "static %s *const %s[] = {", type, name);
  for (size_t k = 0; k < count; k++)
    brink_text_add(text, "%s%c%zu,", k % 16 == 0 ? "\n  " : " ", letter, k);
  brink_text_add(text, "%s};\n", count == 0 ? "0" : "\n");
}

static void write_entry(const emitter *e, brink_text *text) {
  const brink_emit_options *o = e->options;
  write_list(text, "kernel_fn", "kernels", 'k', e->out->nkernels);
  write_list(text, "jet_fn", "series", 'J', e->out->njets);
  brink_text_add(text,
                 "\nconst struct {\n"
                 "  u32 abi, frame_size, tables_size, nkernels, njets;\n"
                 "  program_fn *rhs, *all, *jacobian;\n"
                 "  flow_fn *flow;\n"
                 "  u32 lanes, lanes_order;\n"
                 "  lanes_fn *lanes_flow;\n"
                 "  kernel_fn *const *kernels;\n"
                 "  jet_fn *const *jets;\n"
                 "} " BRINK_ENTRY " = {%u, sizeof(frame), sizeof(tables), %zu, %zu,\n"
                 "                 rhs, %s, %s, %s, %d, %d, %s, kernels, series};\n",
                 BRINK_ABI, e->out->nkernels, e->out->njets, o->all ? "all" : "0",
                 o->jacobian && o->jacobian_program != NULL ? "jacobian" : "0",
                 o->flow != NULL ? "flow" : "0", e->lanes, e->lanes > 0 ? o->flow_order : 0,
                 e->lanes > 0 ? "lanes_flow" : "0");
}

/* ---- the whole ---- */

static void emit_everything(emitter *e) {
  const brink_emit_options *o = e->options;
  brink_text *source = &e->out->source;
  if (o->comments && !emit_names_make(e)) {
    e->failed = true;
    return;
  }
  add_program(e, &e->system->rhs, "rhs");
  if (o->all) add_program(e, &e->system->all, "all");
  if (o->jacobian) add_program(e, o->jacobian_program, "jacobian");
  for (size_t k = 0; o->extra != NULL && k < o->extra->nkernels; k++)
    add_kernel(e, o->extra->kernels[k]);
  add_flags(e);
  if (o->actions) add_instants(e);
  if (o->flow != NULL)
    emit_flow(e); /* first: it is asked for most often, and written out if it can be */
  if (o->jets) add_jets(e);
  write_head(e, source);
  if (!e->body.failed && e->body.data != NULL)
    brink_text_append(source, e->body.data, e->body.length);
  write_entry(e, source);
}

bool brink_emit(const brink_system *system, const brink_emit_options *options,
                const brink_allocator *allocator, brink_emission *emission) {
  *emission = (brink_emission){0};
  emitter e = {.system = system, .options = options, .out = emission};
  brink_arena_init(&emission->arena, allocator);
  brink_arena_init(&e.work, allocator);
  emission->source.allocator = e.body.allocator = e.part.allocator = e.work.allocator;
  emit_everything(&e);
  bool ok = !e.failed && !e.body.failed && !e.part.failed && !emission->source.failed;
  brink_text_free(&e.body);
  brink_text_free(&e.part);
  brink_arena_free(&e.work);
  if (!ok) brink_emission_free(emission);
  return ok;
}

void brink_emission_free(brink_emission *emission) {
  brink_text_free(&emission->source);
  brink_arena_free(&emission->arena);
  *emission = (brink_emission){0};
}
