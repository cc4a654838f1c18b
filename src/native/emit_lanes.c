/* emit_lanes.c: the solution's series of several runs at once.
 *
 * The same rounds as in emit_flow.c, with vectors in the place of numbers: lane l belongs to run l, and has the operations
 * of known_flow in the same order. So it has the same bits, as far as they are numbers: what is not finite, or rests on a
 * rule that lanes do not have, comes out as something that is not finite, and whoever asked computes that run by itself.
 * (Vector types are those of GCC and Clang. The target is named in the text: the compiler needs no flags for it.) */
#include "native/emit_series.h"

/* Rules and operators that lanes have. What draws, looks up in tables or asks somebody else is left to single runs, and so
 * are the rules that look for the first term that is not zero. */
bool emit_series_has_lanes(const brink_series_instruction *i) {
  switch (i->rule) {
  case BRINK_RULE_ABS:
  case BRINK_RULE_MIN:
  case BRINK_RULE_MAX:
    return false;
  default:
    break;
  }
  return i->op != BRINK_OP_RANDOM && i->op != BRINK_OP_POISSON && i->op != BRINK_OP_LOOKUP &&
         i->op != BRINK_OP_FIND;
}

bool emit_lanes_possible(const brink_flow *flow) {
  for (size_t n = 0; n < flow->program->nkernels; n++) {
    const brink_series_program *series = flow->series[n];
    for (size_t k = 0; k < series->count; k++) {
      if (!emit_series_has_lanes(&series->instructions[k])) return false;
    }
  }
  return true;
}

/* What the rounds are written with. */
static void helpers(brink_text *to, int width) {
  brink_text_add(
      to,
      "#define LANES %d\n"
      "#define TARGET __attribute__((target(\"%s\")))\n"
      "#define SMALL TARGET static inline __attribute__((always_inline))\n"
      "typedef double V __attribute__((vector_size(8*LANES), may_alias));\n"
      "typedef double U __attribute__((vector_size(8*LANES), may_alias, aligned(8)));\n"
      "typedef long long B __attribute__((vector_size(8*LANES)));\n"
      "#define OF_ALL(a) ({ V all_; for (int l = 0; l < LANES; l++) all_[l] = (a); all_; })\n"
      "SMALL V truth(B a) { return (V)(a & (B)(OF_ALL(1.0))); }\n"
      "SMALL V pick(B a, V b, V c) { return (V)((a & (B)b) | (~a & (B)c)); }\n"
      "SMALL V choose(V a, V b, V c) { return pick(a != OF_ALL(0.0), b, c); }\n"
      "SMALL V if_not_zero(V a, V b) { return choose(a, b, OF_ALL(__builtin_nan(\"\"))); }\n"
      "SMALL V root(V rest, V a) { return if_not_zero(a, rest*(0.5/a)); }\n\n",
      width, width == 8 ? "avx512f,avx512dq" : "avx2");
}

void emit_flow_lanes(emitter *e, const brink_flow *flow, int order) {
  series_writer w = {.e = e, .to = &e->body, .written_out = true, .lanes = true, .flow = flow};
  helpers(w.to, e->options->lanes);
  brink_text_add(w.to,
                 "TARGET static void lanes_flow(const frame *const *f, const double *times,\n"
                 "                              const double *units, double *rows) {\n"
                 "  enum { L = %d };\n"
                 "  const V t = *(const U *)times, h = *(const U *)units, zero = {0.0};\n"
                 "  V *x = (V *)rows;\n"
                 "  (void)f, (void)t, (void)zero;\n",
                 order + 1);
  for (size_t i = 0; i < flow->nx; i++)
    brink_text_add(w.to, "  const V x%zu_0 = x[%zu*L];\n", i, i);
  if (!emit_flow_rounds(&w, order)) e->failed = true;
  brink_text_add(w.to, "}\n\n");
  e->lanes = e->options->lanes;
}
