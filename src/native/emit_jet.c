/* emit_jet.c: the series of a kernel's first output, as calls of the program's own series functions:
 * the code of the register machine (vm.h), written out. */
#include "native/emit.h"
#include "native/vm.h"

#include <brink/jet.h>
#include <stdlib.h>

const brink_jet_table brink_jet_functions = {
    .constant = brink_jet_constant, .copy = brink_jet_copy, .apply = vm_jet_apply};

static const char *operator_name(uint32_t op) {
  static const char *const names[] = {
#define EMIT_JET_NAME(id, operands, name) #id,
      BRINK_OP_LIST(EMIT_JET_NAME)
#undef EMIT_JET_NAME
  };
  if (op == VM_MULADD) return "MULADD";
  if (op == VM_MULSUB) return "MULSUB";
  return op == VM_SUBMUL ? "SUBMUL" : names[op];
}

static void slot_index(emitter *e, const brink_kernel *kernel, const brink_ref *ref) {
  if (kernel->count == 1) {
    brink_text_add(&e->body, "%zu", brink_ref_slot(ref, 0));
  } else if (ref->map != NULL) {
    brink_text_add(&e->body, "T->maps[%u][i]", emit_map(e, ref->map));
  } else {
    brink_text_add(&e->body, "T->numbers[%u]", emit_number(e, ref->base));
    if (ref->stride != 0)
      brink_text_add(&e->body, " %c %lluu*i", ref->stride > 0 ? '+' : '-',
                     (unsigned long long)llabs((long long)ref->stride));
  }
}

/* States have series; V and DX, which guards do not read, have none that anybody knows. */
static void load(emitter *e, const brink_kernel *kernel, const brink_ref *ref, uint32_t d) {
  static const char *const members[BRINK_SPACE_COUNT] = {[BRINK_SPACE_P] = "p",
                                                         [BRINK_SPACE_MODE] = "mode",
                                                         [BRINK_SPACE_SIGN] = "sgn",
                                                         [BRINK_SPACE_V] = "v",
                                                         [BRINK_SPACE_DX] = "dx",
                                                         [BRINK_SPACE_K] = "k",
                                                         [BRINK_SPACE_PRE_X] = "pre_x",
                                                         [BRINK_SPACE_PRE_P] = "pre_p",
                                                         [BRINK_SPACE_PRE_MODE] = "pre_mode"};
  if (ref->space == BRINK_SPACE_X) {
    brink_text_add(&e->body, "  J->copy(p, x[");
    slot_index(e, kernel, ref);
    brink_text_add(&e->body, "], w + %u*n);", d);
  } else {
    brink_text_add(&e->body, "  J->constant(p, f->%s[", members[ref->space]);
    slot_index(e, kernel, ref);
    brink_text_add(&e->body, "], w + %u*n);", d);
  }
  if (ref->space == BRINK_SPACE_V || ref->space == BRINK_SPACE_DX)
    brink_text_add(&e->body, " for (size s = 1; s < n; s++) w[%u*n + s] = __builtin_nan(\"\");", d);
  if (e->options->comments) {
    brink_text_add(&e->body, " /* ");
    emit_slot_name(e, ref, kernel->count, &e->body);
    brink_text_add(&e->body, " */");
  }
  brink_text_add(&e->body, "\n");
}

static void instruction(emitter *e, const brink_code *code, const vm_instruction *i) {
  brink_ref ref = {.space = (brink_space)i->a, .base = i->b};
  switch (i->op) {
  case BRINK_OP_TIME:
    brink_text_add(&e->body, "  J->copy(p, t, w + %u*n);\n", i->d);
    break;
  case VM_REF:
    load(e, code->kernel, &code->kernel->graph.refs[i->a], i->d);
    break;
  case VM_SLOT:
  case VM_SLOT_INT:
  case VM_SLOT_SIGN:
    load(e, code->kernel, &ref, i->d);
    break;
  default:
    brink_text_add(&e->body,
                   "  J->apply(%s, p, w + %u*n, w + %u*n, w + %u*n, f->seed, w + %u*n);\n",
                   operator_name(i->op), i->a, i->b, i->c, i->d);
  }
}

void emit_jet(emitter *e, const brink_kernel *kernel, uint32_t number) {
  const brink_code *code = brink_code_make(kernel, &e->work);
  if (code == NULL) {
    e->failed = true;
    return;
  }
  size_t scratch = brink_code_jet_scratch(code, BRINK_JET_MAX_ORDER);
  if (scratch > e->out->scratch) e->out->scratch = scratch;
  brink_text_add(
      &e->body,
      "static void j%u(const frame *f, const tables *T, size i, int p, const double *t,\n"
      "               const double *const *x, double *g) {\n"
      "  const jets *J = T->jet;\n"
      "  const size n = (size)p + 1;\n"
      "  double *w = T->scratch;\n",
      number);
  for (size_t c = 0; c < code->nconstants; c++) {
    brink_text_add(&e->body, "  J->constant(p, ");
    emit_constant(&e->body, code->constants[c]);
    brink_text_add(&e->body, ", w + %zu*n);\n", c);
  }
  for (size_t k = 0; k < code->computing; k++) instruction(e, code, &code->instructions[k]);
  brink_text_add(&e->body, "  J->copy(p, w + %u*n, g);\n}\n\n", code->outputs[0].value);
}
