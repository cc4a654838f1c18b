/* emit_blocks.c: the solution's series with iterations side by side.
 *
 * Problem: written out as a whole, the series of a large model take too long to compile; in loops over iterations they take
 * too long to run, as each sum waits for itself, and all registers are rows in memory.
 *
 * Method: W iterations of a kernel are a block, and every number is a vector of them. Round k of a kernel is one function
 * with a loop over blocks; sums are written out in it. A block remembers what later rounds need: factors of products, and
 * what is held. All else are variables of the function. States and variables lie in the scratch by coefficients: coefficient
 * k of all slots, then k + 1. So neighbours in a loop are neighbours in memory; at the end the states' series are copied to
 * their rows. Kernels of one iteration, and those whose rules look at single numbers, have blocks of one.
 *
 * Each lane has the operations of the interpreter in the same order: the same bits. */
#include <stdio.h>
#include <string.h>

#include "native/emit_series.h"

/* Products that are written out, at most: those of a kernel in all rounds, and of all kernels. */
#define BLOCK_PRODUCTS 6000
#define BLOCK_ALL 20000
/* Instructions of a kernel, and of all kernels in all rounds. */
#define BLOCK_INSTRUCTIONS 400
#define BLOCK_LINES 8000

/* What a block remembers. */
typedef struct layout {
  uint32_t *stored; /* by register */
  uint32_t size;    /* numbers, or vectors of them */
} layout;

static bool has_lanes(const brink_series_program *series) {
  if (series->kernel->count == 1 || series->kernel->sequential) return false;
  for (size_t n = 0; n < series->count; n++) {
    if (!emit_series_has_lanes(&series->instructions[n])) return false;
  }
  return true;
}

static bool fits(const brink_flow *flow, int order) {
  size_t all = 0, lines = 0;
  for (size_t n = 0; n < flow->program->nkernels; n++) {
    const brink_series_program *series = flow->series[n];
    size_t work = 0;
    for (int k = 0; k < order; k++) work += emit_series_products(series, k);
    all += work;
    lines += series->count * (size_t)order;
    if (work > BLOCK_PRODUCTS || series->count > BLOCK_INSTRUCTIONS) return false;
  }
  return all <= BLOCK_ALL && lines <= BLOCK_LINES;
}

/* ---- what is remembered ---- */

/* Registers of which later rounds need coefficient 0, or all. */
static void mark_instruction(const brink_series_program *series, uint32_t n, bool *held,
                             bool *rows) {
  const brink_series_instruction *i = &series->instructions[n];
  switch (i->degree == 0 ? BRINK_RULE_HELD : i->rule) {
  case BRINK_RULE_SCALE:
  case BRINK_RULE_SELECT:
    held[i->a] = true;
    break;
  case BRINK_RULE_SHRINK:
    held[i->b] = true;
    break;
  case BRINK_RULE_MUL:
  case BRINK_RULE_CHAIN:
  case BRINK_RULE_CHAIN_MINUS:
  case BRINK_RULE_MIN:
  case BRINK_RULE_MAX:
    rows[i->a] = rows[i->b] = true;
    break;
  case BRINK_RULE_SQUARE:
  case BRINK_RULE_ABS:
    rows[i->a] = true;
    break;
  case BRINK_RULE_DIV:
    rows[i->b] = rows[n] = true;
    break;
  case BRINK_RULE_SQRT:
    rows[n] = true;
    break;
  case BRINK_RULE_POWER:
    rows[i->a] = rows[n] = held[i->b] = true;
    break;
  default:
    break;
  }
}

static bool make_layout(emitter *e, const brink_series_program *series, int order, layout *to) {
  bool *held = brink_arena_take(&e->work, series->count, sizeof *held);
  bool *rows = brink_arena_take(&e->work, series->count, sizeof *rows);
  to->stored = brink_arena_take(&e->work, series->count, sizeof *to->stored);
  if (e->work.failed) return false;
  to->size = 0;
  for (uint32_t n = 0; n < series->count; n++) mark_instruction(series, n, held, rows);
  for (size_t j = 0; j < series->kernel->noutputs; j++) {
    uint32_t when = series->outputs[j].when;
    if (when != BRINK_NO_INDEX) held[when] = true;
  }
  for (uint32_t n = 0; n < series->count; n++) {
    const brink_series_instruction *i = &series->instructions[n];
    bool known = i->rule == BRINK_RULE_TIME || i->op == BRINK_OP_CONST;
    int last = rows[n] ? (i->degree < order ? i->degree : order - 1) : 0;
    to->stored[n] = (held[n] || rows[n]) && !known ? to->size : BRINK_NO_INDEX;
    if (to->stored[n] != BRINK_NO_INDEX) to->size += (uint32_t)last + 1;
  }
  return true;
}

/* ---- outputs ---- */

static void target(series_writer *w, size_t j) {
  const brink_ref *to = &w->series->kernel->outputs[j].target;
  brink_text_add(w->to, to->space == BRINK_SPACE_DX ? "xn[" : "vk[");
  emit_series_slot(w, to);
  brink_text_add(w->to, "]");
}

/* What is written: `y`. */
static void output_value(series_writer *w, size_t j, series_place k) {
  bool derived = w->series->kernel->outputs[j].target.space == BRINK_SPACE_DX;
  brink_text_add(w->to, "  { const %s y = ", w->lanes ? "V" : "double");
  if (k.number == 0)
    emit_series_lead(w, w->series->outputs[j].value);
  else
    emit_series_coefficient(w, w->series->outputs[j].value, k);
  if (derived) brink_text_add(w->to, k.number < 7 ? "*h/%d.0" : "*(h*(1.0/%d))", k.number + 1);
  brink_text_add(w->to, ";\n");
}

/* A whole block, or what there is of the last one. */
static void write_lanes(series_writer *w, size_t j) {
  const brink_ref *to = &w->series->kernel->outputs[j].target;
  if (to->map != NULL) {
    brink_text_add(w->to, "  put_map(%s, T->maps[%u], y, i, n); }\n",
                   to->space == BRINK_SPACE_DX ? "xn" : "vk", emit_map(w->e, to->map));
    return;
  }
  brink_text_add(w->to, "  double *to = &");
  target(w, j);
  brink_text_add(w->to,
                 to->stride == 1 ? "; if (n == W) *(U *)to = y; else put_step(to, %d, y, n); }\n"
                                 : "; put_step(to, %d, y, n); }\n",
                 to->stride);
}

static void write_output(series_writer *w, size_t j) {
  const brink_kernel *kernel = w->series->kernel;
  uint32_t when = w->series->outputs[j].when;
  bool always = when == BRINK_NO_INDEX, sums = kernel->accumulate;
  if (w->lanes && always && !sums) {
    write_lanes(w, j);
    return;
  }
  brink_text_add(w->to, w->lanes ? "  ALL_LANES(" : "  ");
  if (!always) {
    brink_text_add(w->to, "if (");
    emit_series_lead(w, when);
    brink_text_add(w->to, w->lanes ? "[l] != 0.0) " : " != 0.0) ");
  }
  target(w, j);
  brink_text_add(w->to, " %s= %s }\n", sums ? "+" : "", w->lanes ? "y[l])" : "y;");
}

static void outputs(series_writer *w, series_place k) {
  const brink_kernel *kernel = w->series->kernel;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    brink_space space = kernel->outputs[j].target.space;
    if (space != BRINK_SPACE_DX && space != BRINK_SPACE_V) continue;
    output_value(w, j, k);
    write_output(w, j);
  }
}

static void clear_sums(series_writer *w) {
  const brink_kernel *kernel = w->series->kernel;
  if (!kernel->accumulate) return;
  brink_text_add(w->to, "  for (size i = 0; i < count; i++) {\n");
  for (size_t j = 0; j < kernel->noutputs; j++) {
    brink_text_add(w->to, "  ");
    target(w, j);
    brink_text_add(w->to, " = 0.0;\n");
  }
  brink_text_add(w->to, "  }\n");
}

/* ---- functions ---- */

#define BLOCK_ARGUMENTS                                                                            \
  "const frame *f, const tables *T, size from, size to, size count, double unit,\n"                \
  "               const double *restrict xk, double *restrict xn, double *restrict vk, double "    \
  "*memory"

/* b<n>_<k>: round k of kernel n, blocks from … to - 1. */
static void block_round(series_writer *w, uint32_t size, int number) {
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  series_place k = {.text = text, .number = number};
  brink_text_add(w->to, "CALLED void b%zu_%d(" BLOCK_ARGUMENTS ") {\n", w->kernel, number);
  clear_sums(w);
  if (w->lanes)
    brink_text_add(w->to,
                   "  V *restrict m = (V *)memory + from*%u;\n"
                   "  const V zero = {0.0}, h = SAME(unit), t = SAME(f->t);\n"
                   "#pragma nounroll\n"
                   "  for (size b = from; b < to; b++, m += %u) {\n"
                   "  const size i = b*W, last = count - 1, n = i + W <= count ? W : count - i;\n"
                   "  PLACES;\n",
                   size, size);
  else
    brink_text_add(w->to,
                   "  double *restrict m = memory + from*%u, h = unit;\n"
                   "  for (size i = from; i < to; i++, m += %u) {\n",
                   size, size);
  emit_series_block_round(w, k);
  outputs(w, k);
  brink_text_add(w->to, "  }\n}\n\n");
}

/* Lanes one by one, without loops: compilers take long to find out that they have none. */
#define FOUR_OF(part) part "(0, a), " part "(1, a), " part "(2, a), " part "(3, a)"
#define MORE_OF(part) part "(4, a), " part "(5, a), " part "(6, a), " part "(7, a)"
static const char lane_macros[] =
    "#define LANE(q, a) ({ enum { l = q }; (a); })\n"
    "#define AT(q, a) ({ const size i = e##q; (a); })\n"
    "#define WRITE(q, a) if (q < n) { enum { l = q }; const size i = e##q; a; }\n"
    "#define PLACE(q) (i + q < last ? i + q : last)\n"
    "#define TWO_PLACES const size e0 = i, e1 = PLACE(1)\n"
    "#define TWO_LANES(a) WRITE(0, a) WRITE(1, a)\n"
    "#if W == 2\n"
    "#define OF_ALL(a) ((V){LANE(0, a), LANE(1, a)})\n"
    "#define OF_EACH(a) ((V){AT(0, a), AT(1, a)})\n"
    "#define ANY(a) (LANE(0, a) | LANE(1, a))\n"
    "#define PLACES TWO_PLACES\n"
    "#define ALL_LANES(a) TWO_LANES(a)\n"
    "#else\n"
    "#define FOUR_ANY(a) (LANE(0, a) | LANE(1, a) | LANE(2, a) | LANE(3, a))\n"
    "#define FOUR_PLACES TWO_PLACES, e2 = PLACE(2), e3 = PLACE(3)\n"
    "#define FOUR_LANES(a) TWO_LANES(a) WRITE(2, a) WRITE(3, a)\n"
    "#if W == 4\n"
    "#define OF_ALL(a) ((V){" FOUR_OF(
        "LANE") "})\n"
                "#define OF_EACH(a) ((V){" FOUR_OF(
                    "AT") "})\n"
                          "#define ANY(a) FOUR_ANY(a)\n"
                          "#define PLACES FOUR_PLACES\n"
                          "#define ALL_LANES(a) FOUR_LANES(a)\n"
                          "#else\n"
                          "#define OF_ALL(a) ((V){" FOUR_OF("LANE") ", " MORE_OF(
                              "LANE") "})\n"
                                      "#define OF_EACH(a) ((V){" FOUR_OF("AT") ", " MORE_OF(
                                          "AT") "})\n"
                                                "#define ANY(a) (FOUR_ANY(a) | LANE(4, a) | "
                                                "LANE(5, a) | LANE(6, a) | LANE(7, a))\n"
                                                "#define PLACES FOUR_PLACES, e4 = PLACE(4), e5 = "
                                                "PLACE(5), e6 = PLACE(6), e7 = PLACE(7)\n"
                                                "#define ALL_LANES(a) FOUR_LANES(a) WRITE(4, a) "
                                                "WRITE(5, a) WRITE(6, a) WRITE(7, a)\n"
                                                "#endif\n"
                                                "#endif\n";

static void helpers(brink_text *to) {
  brink_text_add(to, "#if defined(__AVX512F__)\n#define W 8\n#elif defined(__AVX__)\n#define W 4\n"
                     "#else\n#define W 2\n#endif\n"
                     "typedef double V __attribute__((vector_size(8*W), may_alias));\n"
                     "typedef double U __attribute__((vector_size(8*W), may_alias, aligned(8)));\n"
                     "typedef long long B __attribute__((vector_size(8*W)));\n"
                     "#define SMALL static inline __attribute__((always_inline))\n"
                     "#define SAME(a) ((a) - (V){0.0})\n"); /* -0 stays what it is */
  brink_text_append(to, lane_macros, sizeof lane_macros - 1);
  brink_text_add(
      to,
      "SMALL V truth(B a) { return (V)(a & (B)SAME(1.0)); }\n"
      "SMALL V pick(B a, V b, V c) { return (V)((a & (B)b) | (~a & (B)c)); }\n"
      "SMALL V choose(V a, V b, V c) { return pick(a != (V){0.0}, b, c); }\n"
      "SMALL V root(V rest, V a) { return choose(a, rest*(0.5/a), SAME(__builtin_nan(\"\"))); }\n"
      "#define CALLED static __attribute__((noinline))\n"
      "CALLED V take_map(const double *a, const u32 *map, size i, size last) {\n"
      "  if (i + W <= last + 1) return OF_ALL(a[map[i + l]]);\n"
      "  PLACES;\n  return OF_EACH(a[map[i]]);\n}\n"
      "CALLED V take_step(const double *a, long step, size i, size last) {\n"
      "  a += (long)i*step;\n"
      "  if (i + W <= last + 1) return OF_ALL(a[(long)l*step]);\n"
      "  PLACES;\n  const size from = i;\n  return OF_EACH(a[(long)(i - from)*step]);\n}\n"
      "CALLED void put_map(double *to, const u32 *map, V y, size i, size n) {\n"
      "  for (size l = 0; l < n; l++) to[map[i + l]] = y[l];\n}\n"
      "CALLED void put_step(double *to, long step, V y, size n) {\n"
      "  for (size l = 0; l < n; l++) to[(long)l*step] = y[l];\n}\n"
      "CALLED V at_zero(int k, int da, V c, V r, const V *a, const V *v) "
      "{\n"
      "  double x[%d], y[%d];\n"
      "  for (int l = 0; l < W; l++) {\n"
      "    if (a[0][l] != 0.0) continue;\n"
      "    for (int j = 0; j <= k; j++) x[j] = j <= da ? a[j][l] : 0.0;\n"
      "    for (int j = 0; j < k; j++) y[j] = v[j][l];\n"
      "    c[l] = series_power_at_zero(k, r[l], x, y);\n"
      "  }\n"
      "  return c;\n}\n\n",
      BRINK_SERIES_ORDER + 1, BRINK_SERIES_ORDER + 1);
}

/* Is there a slot that nobody writes in some round? */
static bool leaves_gaps(const brink_flow *flow) {
  size_t written = 0;
  for (size_t n = 0; n < flow->program->nkernels; n++) {
    const brink_kernel *kernel = flow->program->kernels[n];
    for (size_t j = 0; j < kernel->noutputs; j++) {
      if (flow->series[n]->outputs[j].when != BRINK_NO_INDEX) return true;
      if (kernel->outputs[j].target.space == BRINK_SPACE_DX) written += kernel->count;
    }
  }
  return written != flow->nx;
}

/* The number of blocks of each kernel, and where its memory begins. */
static void place_kernels(emitter *e, const brink_flow *flow, const layout *layouts) {
  brink_text *to = &e->body;
  brink_text_add(to, "  double *m0 = v + nv*L;\n  m0 += -(size)m0/8 & 7;\n");
  for (size_t n = 0; n < flow->program->nkernels; n++) {
    bool lanes = has_lanes(flow->series[n]);
    brink_text_add(to, "  const size c%zu = T->numbers[%u], n%zu = ", n,
                   emit_number(e, flow->program->kernels[n]->count), n);
    brink_text_add(to, lanes ? "(c%zu + W - 1)/W;\n" : "c%zu;\n", n);
    brink_text_add(to, "  double *m%zu = m%zu + ", n + 1, n);
    brink_text_add(to, lanes ? "n%zu*(%u*W);\n" : "(n%zu*%u + 7 & -(size)8);\n", n,
                   layouts[n].size);
  }
}

static void call_rounds(emitter *e, const brink_flow *flow, int order) {
  brink_text *to = &e->body;
  brink_text_add(to, "  for (int k = 0; k < p; k++) {\n"
                     "    const double *xk = X + (size)k*nx;\n"
                     "    double *xn = X + (size)(k + 1)*nx, *vk = v + (size)k*nv;\n"
                     "    switch (k) {\n");
  for (int k = 0; k < order; k++) {
    brink_text_add(to, "    case %d:\n", k);
    for (size_t n = 0; n < flow->program->nkernels; n++)
      brink_text_add(to, "    b%zu_%d(f, T, 0, n%zu, c%zu, unit, xk, xn, vk, m%zu);\n", n, k, n, n,
                     n);
    brink_text_add(to, "    break;\n");
  }
  brink_text_add(to, "    }\n  }\n");
}

static void block_flow(emitter *e, const brink_flow *flow, const layout *layouts, int order) {
  brink_text *to = &e->body;
  brink_text_add(to,
                 "static void block_flow(const frame *f, const tables *T, int p, double unit,\n"
                 "                       double *const *x, double *s) {\n"
                 "  enum { L = %d };\n"
                 "  const size nx = T->numbers[%u], nv = T->numbers[%u];\n"
                 "  double *X = s + (-(size)s/8 & 7), *v = X + nx*(L + 1);\n",
                 order, emit_number(e, flow->nx), emit_number(e, flow->nv));
  place_kernels(e, flow, layouts);
  if (leaves_gaps(flow))
    brink_text_add(to, "  for (size n = 0; n < nx*(L + 1) + nv*L; n++) X[n] = 0.0;\n");
  brink_text_add(to, "  for (size n = 0; n < nx; n++) X[n] = x[n][0];\n");
  call_rounds(e, flow, order);
  brink_text_add(to, "  for (size n = 0; n < nx; n++) {\n"
                     "    double *row = x[n];\n"
                     "    for (int k = 1; k <= p; k++) row[k] = X[(size)k*nx + n];\n"
                     "  }\n}\n\n");
}

bool emit_flow_blocks(emitter *e, const brink_flow *flow, int order) {
  layout *layouts = brink_arena_take(&e->work, flow->program->nkernels, sizeof *layouts);
  series_writer w = {.e = e, .to = &e->body, .flow = flow, .block = true};
  if (!fits(flow, order)) return false;
  if (layouts == NULL) e->failed = true;
  if (!e->failed) helpers(w.to);
  for (w.kernel = 0; w.kernel < flow->program->nkernels && !e->failed; w.kernel++) {
    w.series = flow->series[w.kernel];
    w.lanes = has_lanes(w.series);
    if (!make_layout(e, w.series, order, &layouts[w.kernel])) e->failed = true;
    w.stored = layouts[w.kernel].stored;
    for (int k = 0; k < order && !e->failed; k++) block_round(&w, layouts[w.kernel].size, k);
  }
  if (!e->failed) block_flow(e, flow, layouts, order);
  return true;
}
