/* emit_flow.c: series programs as functions in C: of guards, and of the solution (see expr/series_program.h).
 *
 * The text starts with the rules of num/series_rules.inc, the very ones that the interpreter uses. Small
 * programs are written out besides, round by round, iteration by iteration, with a local variable for
 * every coefficient: the compiler then keeps what it can in registers (three times as fast as loops at
 * order 20). The solution's series of larger models have iterations side by side (emit_blocks.c); very large ones have loops over
 * the iterations of a kernel, inside which sums are written out for each round, or loops inside the rules as well. */
#include <stdio.h>
#include <string.h>

#include "native/emit_series.h"

/* Products that are written out, at most: about 0.1 s of compiling. */
#define WRITTEN_OUT 3000
/* Instructions of the solution's series that are written out, at most, all rounds and iterations together: about 1 s. */
#define WRITTEN_LINES 4000
/* Products of one iteration that are written out in loops, at most: those of a kernel, and of all. */
#define UNROLLED_KERNEL 6000
#define UNROLLED 20000
/* Above this many instructions rules are called, not inlined: compiling stays linear, and fast. */
#define CALLED 120
/* Instructions in one function. */
#define PART 96

static void round_of(series_writer *w, series_place k) {
  emit_series_round(w, k, 0, w->series->count);
}

/* Pointers to the rows of iteration i: those that are given, and, in loops, those in memory. */
static void point_at_rows(series_writer *w) {
  for (size_t n = 0; n < w->series->count; n++) emit_series_point(w, n);
}

/* ---- guards ---- */

/* The order up to which the series of a guard is written out; 0: not at all. */
static int guard_order(emitter *e, const brink_series_program *series) {
  int order = e->options->guard_order;
  size_t work = 0;
  for (int k = 0; k <= order; k++) work += emit_series_products(series, k);
  if (e->products + work > WRITTEN_OUT) return 0;
  e->products += work;
  return order;
}

static void guard_written_out(series_writer *w, uint32_t output, int order) {
  point_at_rows(w);
  for (int n = 0; n <= order; n++) {
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    series_place k = {.text = text, .number = n};
    round_of(w, k);
    brink_text_add(w->to, "  g[%d] = ", n);
    if (n == 0)
      emit_series_lead(w, output);
    else
      emit_series_coefficient(w, output, k);
    brink_text_add(w->to, ";\n  if (p == %d) return;\n", n);
  }
}

static void guard_in_loops(series_writer *w, uint32_t output) {
  const brink_series_program *series = w->series;
  size_t scratch = series->count * (BRINK_SERIES_ORDER + 1);
  if (scratch > w->e->out->scratch) w->e->out->scratch = scratch;
  brink_text_add(w->to,
                 "  const size L = (size)p + 1;\n"
                 "  double *w = T->scratch;\n"
                 "  for (size n = 0; n < %zu*L; n++) w[n] = 0.0;\n",
                 series->count);
  point_at_rows(w);
  round_of(w, (series_place){.text = "0"});
  brink_text_add(w->to, "  for (int k = 1; k <= p; k++) {\n");
  round_of(w, (series_place){.text = "k", .number = -1});
  brink_text_add(w->to, "  }\n  for (size k = 0; k < L; k++) g[k] = ");
  emit_series_row(w, output);
  brink_text_add(w->to, "[k];\n");
}

static void begin_guard(emitter *e, const char *prefix, uint32_t number) {
  brink_text_add(
      &e->body,
      "static void %sJ%u(const frame *f, const tables *T, size i, int p, const double *t,\n"
      "               const double *const *x, double *g) {\n",
      prefix, number);
}

void emit_guard_series(emitter *e, const brink_kernel *kernel, uint32_t number) {
  static const brink_series_degrees unknown = {0};
  const brink_series_program *series = brink_series_make(kernel, &unknown, &e->work);
  if (series == NULL) {
    e->failed = true;
    return;
  }
  int order = guard_order(e, series);
  series_writer w = {.e = e, .to = &e->body, .series = series, .written_out = true, .guard = true};
  e->ops |= UINT64_C(1) << BRINK_OP_POW;
  e->series = true;
  if (series->count > CALLED) e->called = true;
  if (order > 0) {
    begin_guard(e, "known_", number);
    guard_written_out(&w, series->outputs[0].value, order);
    brink_text_add(&e->body, "}\n\n");
  }
  begin_guard(e, "", number);
  if (order > 0)
    brink_text_add(&e->body,
                   "  if (p <= %d) {\n    known_J%u(f, T, i, p, t, x, g);\n    return;\n  }\n",
                   order, number);
  w.written_out = false;
  guard_in_loops(&w, series->outputs[0].value);
  brink_text_add(&e->body, "}\n\n");
}

/* ---- the solution ---- */

/* Written out? All outputs plain, not too much. */
static bool flow_fits(emitter *e, const brink_flow *flow, int order) {
  size_t work = 0, lines = 0;
  for (size_t n = 0; n < flow->program->nkernels; n++) {
    const brink_kernel *kernel = flow->program->kernels[n];
    lines += flow->series[n]->count * kernel->count * (size_t)order;
    for (size_t j = 0; j < kernel->noutputs; j++) {
      if (flow->series[n]->outputs[j].when != BRINK_NO_INDEX) return false;
    }
    for (int k = 0; k < order && work <= WRITTEN_OUT; k++)
      work += emit_series_products(flow->series[n], k) * kernel->count;
  }
  if (work > WRITTEN_OUT || lines > WRITTEN_LINES) return false;
  e->products += work;
  return true;
}

static series_origin *find_origins(emitter *e, const brink_flow *flow) {
  series_origin *origins = brink_arena_take(&e->work, flow->nv, sizeof *origins);
  for (size_t n = 0; origins != NULL && n < flow->program->nkernels; n++) {
    const brink_kernel *k = flow->program->kernels[n];
    for (size_t j = 0; j < k->noutputs; j++) {
      if (k->outputs[j].target.space != BRINK_SPACE_V) continue;
      for (size_t i = 0; i < k->count; i++)
        origins[brink_ref_slot(&k->outputs[j].target, i)] =
            (series_origin){.kernel = (uint32_t)n,
                            .iteration = (uint32_t)i,
                            .reg = flow->series[n]->outputs[j].value,
                            .sum = k->accumulate};
    }
  }
  return origins;
}

/* The sums that a kernel adds to begin with nothing. */
static void begin_sums(series_writer *w, int k) {
  const brink_kernel *kernel = w->series->kernel;
  for (size_t v = 0; kernel->accumulate && v < w->flow->nv; v++) {
    if (w->origins[v].sum && w->origins[v].kernel == w->kernel)
      brink_text_add(w->to, w->lanes ? "  V v%zu_%d = zero;\n" : "  double v%zu_%d = 0.0;\n", v, k);
  }
}

static void flow_outputs(series_writer *w, series_place k) {
  const brink_kernel *kernel = w->series->kernel;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_ref *target = &kernel->outputs[j].target;
    size_t to = brink_ref_slot(target, w->iteration);
    uint32_t value = w->series->outputs[j].value;
    bool derived = target->space == BRINK_SPACE_DX;
    if (!derived && !(target->space == BRINK_SPACE_V && kernel->accumulate)) continue;
    if (derived && w->lanes)
      brink_text_add(w->to, "  const V x%zu_%d = x[%zu*L + %d] = ", to, k.number + 1, to,
                     k.number + 1);
    else if (derived)
      brink_text_add(w->to, "  const double x%zu_%d = x[%zu][%d] = ", to, k.number + 1, to,
                     k.number + 1);
    else
      brink_text_add(w->to, "  v%zu_%d += ", to, k.number);
    if (k.number == 0)
      emit_series_lead(w, value);
    else
      emit_series_coefficient(w, value, k);
    if (derived) brink_text_add(w->to, k.number < 7 ? "*h/%d.0" : "*(h*(1.0/%d))", k.number + 1);
    brink_text_add(w->to, ";\n");
  }
}

bool emit_flow_rounds(series_writer *w, int order) {
  const brink_flow *flow = w->flow;
  w->origins = find_origins(w->e, flow);
  if (w->origins == NULL) return false;
  for (int n = 0; n < order; n++) {
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    series_place k = {.text = text, .number = n};
    for (w->kernel = 0; w->kernel < flow->program->nkernels; w->kernel++) {
      w->series = flow->series[w->kernel];
      begin_sums(w, n);
      for (w->iteration = 0; w->iteration < w->series->kernel->count; w->iteration++) {
        round_of(w, k);
        flow_outputs(w, k);
      }
    }
    if (n + 1 < order && !w->lanes) brink_text_add(w->to, "  if (p == %d) return;\n", n + 1);
  }
  return true;
}

static void flow_written_out(emitter *e, const brink_flow *flow, int order) {
  series_writer w = {.e = e, .to = &e->body, .written_out = true, .flow = flow};
  brink_text_add(w.to, "static void known_flow(const frame *f, const tables *T, int p, double h,\n"
                       "                       double *const *x) {\n");
  for (size_t i = 0; i < flow->nx; i++)
    brink_text_add(w.to, "  const double x%zu_0 = x[%zu][0];\n", i, i);
  if (!emit_flow_rounds(&w, order)) e->failed = true;
  brink_text_add(w.to, "}\n\n");
}

/* Where output j of a loop goes. */
static void loop_target(series_writer *w, size_t j, bool clear) {
  const brink_kernel *kernel = w->series->kernel;
  const brink_ref *target = &kernel->outputs[j].target;
  bool derived = target->space == BRINK_SPACE_DX;
  brink_text_add(w->to, derived ? "x[" : "v[(");
  emit_series_slot(w, target);
  brink_text_add(w->to, derived ? "][k + 1]" : ")*L + (size)k]");
  brink_text_add(w->to, clear || !kernel->accumulate ? " = " : " += ");
}

static void loop_outputs(series_writer *w, series_place k) {
  const brink_kernel *kernel = w->series->kernel;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_series_output *output = &w->series->outputs[j];
    brink_space space = kernel->outputs[j].target.space;
    if (space != BRINK_SPACE_DX && space != BRINK_SPACE_V) continue;
    brink_text_add(w->to, "  ");
    if (output->when != BRINK_NO_INDEX) {
      brink_text_add(w->to, "if (");
      emit_series_lead(w, output->when);
      brink_text_add(w->to, " != 0.0) ");
    }
    loop_target(w, j, false);
    if (space == BRINK_SPACE_DX) brink_text_add(w->to, "series_state(k + 1, h, ");
    if (k.number == 0)
      emit_series_lead(w, output->value);
    else
      emit_series_coefficient(w, output->value, k);
    brink_text_add(w->to, space == BRINK_SPACE_DX ? ");\n" : ";\n");
  }
}

/* The rows that the instructions from … to work on. */
static void point_at_part(series_writer *w, size_t from, size_t to, bool *used) {
  memset(used, 0, w->series->count * sizeof *used);
  for (size_t n = from; n < to; n++) {
    const brink_series_instruction *i = &w->series->instructions[n];
    const uint32_t operands[] = {i->a, i->b, i->c, i->x, i->y, i->z};
    bool leaf = i->op == BRINK_OP_REF || i->op == BRINK_OP_CONST || i->op == BRINK_OP_TIME;
    used[n] = true;
    for (size_t k = leaf ? 6 : 0; k < 6; k++) {
      if (operands[k] != BRINK_NO_INDEX) used[operands[k]] = true;
    }
  }
  for (size_t n = 0; n < w->series->count; n++) {
    if (used[n]) emit_series_point(w, n);
  }
}

#define PART_ARGUMENTS                                                                             \
  "const frame *f, const tables *T, size i, int k, size L, double h,\n"                            \
  "               double *const *x, double *v, const double *t, double *w"

/* A long kernel is several functions, so that compiling takes a time in proportion. */
static void round_parts(series_writer *w, series_place k) {
  bool *used = brink_arena_take(&w->e->work, w->series->count, sizeof *used);
  if (used == NULL) w->e->failed = true;
  for (size_t from = 0; used != NULL && from < w->series->count; from += PART) {
    size_t to = from + PART < w->series->count ? from + PART : w->series->count;
    brink_text_add(w->to,
                   "static __attribute__((noinline)) void f%zu_%s%zu(" PART_ARGUMENTS ") {\n",
                   w->kernel, k.text, from / PART);
    point_at_part(w, from, to, used);
    emit_series_round(w, k, from, to);
    brink_text_add(w->to, "}\n\n");
  }
}

static void point_at_outputs(series_writer *w, bool *used) {
  memset(used, 0, w->series->count * sizeof *used);
  for (size_t j = 0; j < w->series->kernel->noutputs; j++) {
    const brink_series_output *output = &w->series->outputs[j];
    used[output->value] = true;
    if (output->when != BRINK_NO_INDEX) used[output->when] = true;
  }
  for (size_t n = 0; n < w->series->count; n++) {
    if (used[n]) emit_series_point(w, n);
  }
}

static void loop_round(series_writer *w, series_place k) {
  size_t count = w->series->count;
  bool *used = brink_arena_take(&w->e->work, count, sizeof *used);
  brink_text_add(w->to, "  for (size i = 0; i < count; i++, w += %zu*L) {\n", count);
  if (count <= PART) {
    point_at_rows(w);
    round_of(w, k);
  } else if (used != NULL) {
    for (size_t from = 0; from < count; from += PART)
      brink_text_add(w->to, "  f%zu_%s%zu(f, T, i, k, L, h, x, v, t, w);\n", w->kernel, k.text,
                     from / PART);
    point_at_outputs(w, used);
  } else {
    w->e->failed = true;
  }
  loop_outputs(w, k);
  brink_text_add(w->to, "  }\n");
}

#define KERNEL_ARGUMENTS                                                                           \
  "const frame *f, const tables *T, size count, size L, double h,\n"                               \
  "               double *const *x, double *v, const double *t, double *w"

/* The rounds up to which the sums of a kernel are written out in its loop; 0: none. */
static int unrolled_rounds(const series_writer *w) {
  int order = w->e->options->flow_order;
  size_t work = 0;
  if (w->series->count > PART || w->series->multiplications == 0) return 0;
  for (int k = 0; k < order; k++) work += emit_series_products(w->series, k);
  if (work > UNROLLED_KERNEL || w->e->unrolled + work > UNROLLED) return 0;
  w->e->unrolled += work;
  return order;
}

/* f<n>_r<k>: round k of all iterations, with a number for k. */
static void unrolled_round(series_writer *w, int number) {
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  brink_text_add(w->to, "static void f%zu_r%d(" KERNEL_ARGUMENTS ") {\n  enum { k = %d };\n",
                 w->kernel, number, number);
  w->unrolled = true;
  loop_round(w, (series_place){.text = text, .number = number});
  w->unrolled = false;
  brink_text_add(w->to, "}\n\n");
}

/* One kernel: f<n>(…, k, …) does round k of all iterations. */
static void flow_kernel(series_writer *w) {
  const brink_kernel *kernel = w->series->kernel;
  series_place first = {.text = "0"}, other = {.text = "k", .number = -1};
  if (w->series->count > PART) {
    round_parts(w, first);
    round_parts(w, other);
  }
  int rounds = unrolled_rounds(w);
  for (int k = 1; k < rounds; k++) unrolled_round(w, k);
  brink_text_add(
      w->to,
      "static void f%zu(const frame *f, const tables *T, size count, int k, size L, double h,\n"
      "               double *const *x, double *v, const double *t, double *w) {\n",
      w->kernel);
  if (kernel->accumulate) {
    brink_text_add(w->to, "  for (size i = 0; i < count; i++) {\n");
    for (size_t j = 0; j < kernel->noutputs; j++) {
      brink_text_add(w->to, "  ");
      loop_target(w, j, true);
      brink_text_add(w->to, "0.0;\n");
    }
    brink_text_add(w->to, "  }\n");
  }
  brink_text_add(w->to, "  if (k == 0) {\n");
  loop_round(w, first);
  brink_text_add(w->to, "  return;\n  }\n");
  if (rounds > 1) brink_text_add(w->to, "  switch (k) {\n");
  for (int k = 1; k < rounds; k++)
    brink_text_add(w->to, "  case %d: f%zu_r%d(f, T, count, L, h, x, v, t, w); return;\n", k,
                   w->kernel, k);
  if (rounds > 1) brink_text_add(w->to, "  }\n");
  loop_round(w, other);
  brink_text_add(w->to, "}\n\n");
}

static void flow_in_loops(emitter *e, const brink_flow *flow) {
  series_writer w = {.e = e, .to = &e->body, .flow = flow};
  for (w.kernel = 0; w.kernel < flow->program->nkernels; w.kernel++) {
    w.series = flow->series[w.kernel];
    if (w.series->count > CALLED) e->called = true;
    flow_kernel(&w);
  }
  brink_text_add(&e->body,
                 "static void loop_flow(const frame *f, const tables *T, int p, double h,\n"
                 "                      double *const *x, double *s) {\n"
                 "  const size L = (size)p + 1, all = T->numbers[%u]*L, nv = T->numbers[%u];\n"
                 "  double *v = s, *t = v + nv*L;\n"
                 "  for (size n = 0; n < all; n++) s[n] = 0.0;\n"
                 "  t[0] = f->t;\n  if (p > 0) t[1] = h;\n"
                 "  for (int k = 0; k < p; k++) {\n    double *w = t + L;\n",
                 emit_number(e, flow->registers), emit_number(e, flow->nv));
  for (size_t n = 0; n < flow->program->nkernels; n++) {
    uint32_t count = emit_number(e, flow->program->kernels[n]->count);
    brink_text_add(&e->body,
                   "    f%zu(f, T, T->numbers[%u], k, L, h, x, v, t, w);\n"
                   "    w += T->numbers[%u]*%zu*L;\n",
                   n, count, count, flow->series[n]->count);
  }
  brink_text_add(&e->body, "  }\n}\n\n");
}

/* Written out for the order that will be asked for, if it fits; other orders are then refused, and the
 * interpreter has them. Otherwise in loops. */
void emit_flow(emitter *e) {
  const brink_flow *flow = e->options->flow;
  int order = e->options->flow_order;
  bool fits = order > 0 && flow_fits(e, flow, order);
  e->ops |= UINT64_C(1) << BRINK_OP_POW;
  e->series = true;
  bool blocks = !fits && order > 0 && emit_flow_blocks(e, flow, order);
  if (fits)
    flow_written_out(e, flow, order);
  else if (!blocks)
    flow_in_loops(e, flow);
  brink_text_add(&e->body, "static int flow(const frame *f, const tables *T, int p, double h,\n"
                           "                double *const *x, double *s) {\n");
  if (fits)
    brink_text_add(&e->body, "  if (p > %d) return 0;\n  known_flow(f, T, p, h, x);\n", order);
  else if (blocks)
    brink_text_add(&e->body, "  if (p > %d) return 0;\n  block_flow(f, T, p, h, x, s);\n", order);
  else
    brink_text_add(&e->body, "  loop_flow(f, T, p, h, x, s);\n");
  brink_text_add(&e->body, "  return 1;\n}\n\n");
  if (fits && e->options->lanes > 1 && emit_lanes_possible(flow)) emit_flow_lanes(e, flow, order);
}
