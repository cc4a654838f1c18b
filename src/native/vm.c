/* vm.c: kernels as code of a register machine.
 *
 * Nodes become instructions in the order of the graph, which is an order of evaluation. Those that are
 * the same in all iterations (constants, time, refs without a stride, and what is made of them) come
 * first and keep their registers; the others give theirs back after the last use. A register is never
 * the result and an operand of one instruction, so that blocks of values may be computed as vectors.
 *
 * A product that only a sum or difference needs is computed together with it (VM_MULADD and its kin):
 * one instruction less to decode, still two roundings. */
#include "native/vm.h"

#include <string.h>

#define NEVER UINT32_MAX

/* While code is made. Arrays by node. */
typedef struct maker {
  const brink_kernel *kernel;
  const brink_expr_node *nodes;
  size_t nnodes;
  uint32_t *reg;       /* VM_NO_REGISTER: none (yet) */
  uint32_t *last;      /* the last node that uses it; NEVER: it is kept to the end */
  uint32_t *uses;      /* how many operands refer to it; 0: not needed */
  uint8_t *invariant;  /* the same in all iterations */
  uint8_t *fused;      /* a product that is part of its only user */
  uint32_t *free_regs; /* a stack */
  size_t nfree;
  vm_instruction *instructions;
  size_t ninstructions;
  size_t nregisters;
  vm_call *calls; /* in the arena: as many as there are EXTERNAL nodes */
  size_t ncalls;
} maker;

enum { MOST_OPERANDS = BRINK_EXTERNAL_ARGUMENTS };

static int operands(const maker *m, const brink_expr_node *node, brink_node out[MOST_OPERANDS]) {
  if (node->op == BRINK_OP_EXTERNAL)
    return (int)brink_graph_arguments(&m->kernel->graph, node, out, NULL);
  int count = node->op == BRINK_OP_REF ? 0 : brink_op_operands((brink_op)node->op);
  if (brink_op_reads_array(node->op)) count = 1; /* the array is a place, not a value */
  if (count > 0) out[0] = node->a;
  if (count > 1) out[1] = node->b;
  if (count > 2) out[2] = node->c;
  return count;
}

/* ---- what is known about nodes ---- */

/* Counts the uses of all nodes that outputs need, from the end: users come after what they use. */
static void count_uses(maker *m) {
  for (size_t j = 0; j < m->kernel->noutputs; j++) {
    const brink_output *output = &m->kernel->outputs[j];
    m->uses[output->node] += 2; /* never fused */
    if (output->when != BRINK_NO_NODE) m->uses[output->when] += 2;
  }
  for (size_t i = m->nnodes; i-- > 0;) {
    brink_node of[MOST_OPERANDS];
    if (m->uses[i] == 0) continue;
    for (int k = operands(m, &m->nodes[i], of); k-- > 0;) m->uses[of[k]]++;
  }
}

/* A ref may be read before the first iteration, once for all. */
static bool ref_is_invariant(const brink_kernel *kernel, const brink_ref *ref) {
  return ref->map == NULL && ref->stride == 0 && !kernel->sequential && kernel->count > 1;
}

static void classify(maker *m) {
  for (size_t i = 0; i < m->nnodes; i++) {
    const brink_expr_node *node = &m->nodes[i];
    bool invariant = m->kernel->count > 1 || node->op == BRINK_OP_CONST;
    brink_node of[MOST_OPERANDS];
    if (node->op == BRINK_OP_REF)
      invariant = ref_is_invariant(m->kernel, &m->kernel->graph.refs[node->a]);
    if (brink_op_reads_array(node->op)) invariant = m->invariant[node->b];
    for (int k = operands(m, node, of); k-- > 0;) invariant = invariant && m->invariant[of[k]];
    m->invariant[i] = invariant;
  }
}

/* Is operand `of` a product that may become part of its user? */
static bool may_fuse(const maker *m, brink_node of) {
  const brink_expr_node *node = &m->nodes[of];
  return node->op == BRINK_OP_MUL && m->uses[of] == 1 && !m->invariant[of];
}

static void choose_fused(maker *m) {
  for (size_t i = 0; i < m->nnodes; i++) {
    const brink_expr_node *node = &m->nodes[i];
    if (m->uses[i] == 0 || m->invariant[i]) continue;
    if (node->op != BRINK_OP_ADD && node->op != BRINK_OP_SUB) continue;
    if (may_fuse(m, node->a))
      m->fused[node->a] = 1;
    else if (may_fuse(m, node->b))
      m->fused[node->b] = 1;
  }
}

static void find_last_uses(maker *m) {
  for (size_t i = 0; i < m->nnodes; i++) {
    brink_node of[MOST_OPERANDS];
    if (m->uses[i] == 0 || m->fused[i]) continue;
    for (int k = operands(m, &m->nodes[i], of); k-- > 0;) {
      m->last[of[k]] = (uint32_t)i;
      if (!m->fused[of[k]]) continue;
      m->last[m->nodes[of[k]].a] = (uint32_t)i;
      m->last[m->nodes[of[k]].b] = (uint32_t)i;
    }
  }
  for (size_t j = 0; j < m->kernel->noutputs; j++) {
    const brink_output *output = &m->kernel->outputs[j];
    m->last[output->node] = NEVER;
    if (output->when != BRINK_NO_NODE) m->last[output->when] = NEVER;
  }
}

/* ---- instructions ---- */

static void add(maker *m, vm_instruction instruction) {
  m->instructions[m->ninstructions++] = instruction;
}

static uint32_t take_register(maker *m, bool keep) {
  if (!keep && m->nfree > 0) return m->free_regs[--m->nfree];
  return (uint32_t)m->nregisters++;
}

static void give_back(maker *m, brink_node of, size_t user) {
  if (m->last[of] != user || m->invariant[of] || m->reg[of] == VM_NO_REGISTER) return;
  m->free_regs[m->nfree++] = m->reg[of];
  m->last[of] = NEVER; /* once, even if it is both operands */
}

/* The slot is known where there is one iteration, or where all read the same one. */
static vm_instruction load(const maker *m, uint32_t ref_index) {
  const brink_ref *ref = &m->kernel->graph.refs[ref_index];
  if (m->kernel->count != 1 && (ref->map != NULL || ref->stride != 0))
    return (vm_instruction){.op = VM_REF, .a = ref_index};
  uint32_t op = VM_SLOT;
  if (ref->space == BRINK_SPACE_SIGN) op = VM_SLOT_SIGN;
  if (ref->space == BRINK_SPACE_MODE || ref->space == BRINK_SPACE_PRE_MODE) op = VM_SLOT_INT;
  return (vm_instruction){
      .op = op & 255, .a = (uint32_t)ref->space, .b = (uint32_t)brink_ref_slot(ref, 0)};
}

/* a*b + c and its kin, where one operand of the sum was marked as part of it. */
static vm_instruction fuse(const maker *m, const brink_expr_node *sum) {
  bool first = m->fused[sum->a] != 0;
  const brink_expr_node *product = &m->nodes[first ? sum->a : sum->b];
  uint32_t op = VM_MULADD;
  if (sum->op == BRINK_OP_SUB) op = first ? VM_MULSUB : VM_SUBMUL;
  return (vm_instruction){.op = op & 255,
                          .a = m->reg[product->a],
                          .b = m->reg[product->b],
                          .c = m->reg[first ? sum->b : sum->a]};
}

static vm_instruction add_call(maker *m, const brink_expr_node *node) {
  brink_node of[MOST_OPERANDS];
  vm_call *call = &m->calls[m->ncalls++];
  call->count = brink_graph_arguments(&m->kernel->graph, node, of, &call->code);
  for (size_t k = 0; k < call->count; k++) call->argument[k] = m->reg[of[k]];
  return (vm_instruction){.op = BRINK_OP_EXTERNAL, .b = (uint32_t)m->ncalls - 1};
}

static vm_instruction translate(maker *m, const brink_expr_node *node) {
  if (node->op == BRINK_OP_REF) return load(m, node->a);
  if (node->op == BRINK_OP_EXTERNAL) return add_call(m, node);
  vm_instruction instruction = {.op = node->op};
  brink_node of[MOST_OPERANDS];
  int count = operands(m, node, of);
  if (brink_op_reads_array(node->op)) instruction.b = m->nodes[node->b].a;
  if (count == 2 && (m->fused[of[0]] || m->fused[of[1]])) return fuse(m, node);
  if (count > 0) instruction.a = m->reg[of[0]];
  if (count > 1) instruction.b = m->reg[of[1]];
  if (count > 2) instruction.c = m->reg[of[2]];
  return instruction;
}

static void add_node(maker *m, size_t i) {
  const brink_expr_node *node = &m->nodes[i];
  vm_instruction instruction = translate(m, node);
  m->reg[i] = take_register(m, m->invariant[i]);
  instruction.d = m->reg[i] & 0xFFFFFF;
  add(m, instruction);
  brink_node of[MOST_OPERANDS];
  for (int k = operands(m, node, of); k-- > 0;) {
    if (m->fused[of[k]]) {
      give_back(m, m->nodes[of[k]].a, i);
      give_back(m, m->nodes[of[k]].b, i);
    }
    give_back(m, of[k], i);
  }
}

/* Writes come last: all right-hand sides see the values from before. */
static void add_writes(maker *m) {
  const brink_kernel *kernel = m->kernel;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_output *output = &kernel->outputs[j];
    bool plain = kernel->count == 1 && !kernel->accumulate && output->when == BRINK_NO_NODE &&
                 output->target.space != BRINK_SPACE_MODE;
    size_t slot = plain ? vm_target_slot(kernel, j, 0) : SIZE_MAX;
    if (slot < (1u << 24)) {
      add(m, (vm_instruction){.op = VM_PUT,
                              .d = (uint32_t)slot & 0xFFFFFF,
                              .a = (uint32_t)output->target.space,
                              .b = m->reg[output->node]});
    } else {
      add(m, (vm_instruction){.op = VM_WRITE, .a = (uint32_t)j});
    }
  }
}

/* ---- putting it together ---- */

static bool copy_constants(maker *m, brink_code *code, brink_arena *arena) {
  size_t count = 0;
  for (size_t i = 0; i < m->nnodes; i++) {
    if (m->uses[i] != 0 && m->nodes[i].op == BRINK_OP_CONST) count++;
  }
  double *constants = brink_arena_pack(arena, count, sizeof *constants);
  if (constants == NULL) return false;
  for (size_t i = 0; i < m->nnodes; i++) {
    if (m->uses[i] == 0 || m->nodes[i].op != BRINK_OP_CONST) continue;
    constants[m->nregisters] = m->nodes[i].value;
    m->reg[i] = (uint32_t)m->nregisters++;
  }
  code->constants = constants;
  code->nconstants = count;
  return true;
}

static bool copy_outputs(const maker *m, brink_code *code, brink_arena *arena) {
  vm_output *outputs = brink_arena_pack(arena, m->kernel->noutputs, sizeof *outputs);
  if (outputs == NULL) return false;
  for (size_t j = 0; j < m->kernel->noutputs; j++) {
    const brink_output *output = &m->kernel->outputs[j];
    outputs[j].value = m->reg[output->node];
    outputs[j].when = output->when == BRINK_NO_NODE ? VM_NO_REGISTER : m->reg[output->when];
  }
  code->outputs = outputs;
  return true;
}

static void add_instructions(maker *m, brink_code *code) {
  for (int pass = 0; pass < 2; pass++) { /* the invariants, then the rest */
    for (size_t i = 0; i < m->nnodes; i++) {
      if (m->uses[i] == 0 || m->nodes[i].op == BRINK_OP_CONST || m->fused[i]) continue;
      if ((m->invariant[i] != 0) == (pass == 0)) add_node(m, i);
    }
    if (pass == 0) {
      code->prologue = m->ninstructions;
      code->ninvariants = m->nregisters;
    }
  }
  code->computing = m->ninstructions;
  add_writes(m);
}

static bool take_calls(maker *m, brink_code *code, brink_arena *arena) {
  size_t count = 0;
  for (size_t i = 0; i < m->nnodes; i++) count += m->nodes[i].op == BRINK_OP_EXTERNAL;
  if (count == 0) return true;
  code->calls = m->calls = brink_arena_pack(arena, count, sizeof *m->calls);
  return m->calls != NULL;
}

static bool make(maker *m, brink_code *code, brink_arena *arena) {
  if (!take_calls(m, code, arena)) return false;
  for (size_t i = 0; i < m->nnodes; i++) m->reg[i] = VM_NO_REGISTER;
  count_uses(m);
  classify(m);
  choose_fused(m);
  find_last_uses(m);
  if (!copy_constants(m, code, arena)) return false;
  add_instructions(m, code);
  code->instructions =
      brink_arena_copy(arena, m->instructions, m->ninstructions, sizeof *m->instructions);
  code->ninstructions = m->ninstructions;
  code->nregisters = m->nregisters;
  /* Very wide kernels would leave the caches: one iteration at a time is then no slower. */
  code->blocks =
      m->kernel->count >= VM_LEAST_BLOCK && !m->kernel->sequential && m->nregisters <= 4096;
  return code->instructions != NULL && copy_outputs(m, code, arena);
}

brink_code *brink_code_make(const brink_kernel *kernel, brink_arena *arena) {
  size_t n = kernel->graph.nnodes, room = n + kernel->noutputs;
  const brink_allocator *allocator = &arena->allocator;
  uint32_t *numbers = brink_allocate(allocator, 4 * n, sizeof *numbers);
  uint8_t *marks = brink_allocate(allocator, 2 * n, sizeof *marks);
  vm_instruction *instructions = brink_allocate(allocator, room, sizeof *instructions);
  brink_code *code = brink_arena_pack(arena, 1, sizeof *code);
  bool ok = numbers != NULL && marks != NULL && instructions != NULL && code != NULL;
  if (ok) {
    maker m = {.kernel = kernel,
               .nodes = kernel->graph.nodes,
               .nnodes = n,
               .reg = numbers,
               .last = numbers + n,
               .uses = numbers + 2 * n,
               .free_regs = numbers + 3 * n,
               .invariant = marks,
               .fused = marks + n,
               .instructions = instructions};
    memset(code, 0, sizeof *code);
    code->kernel = kernel;
    ok = make(&m, code, arena);
  }
  brink_release(allocator, numbers, 4 * n, sizeof *numbers);
  brink_release(allocator, marks, 2 * n, sizeof *marks);
  brink_release(allocator, instructions, room, sizeof *instructions);
  return ok ? code : NULL;
}
