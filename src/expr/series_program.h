/* series_program.h: kernels as programs on power series.
 *
 * A series program is a list of instructions, each of which defines one series (its register). It is
 * run in rounds: round k computes coefficient k of every register, from coefficients 0 ... k of earlier
 * registers, and 0 ... k - 1 of any (num/series_rules.inc). So the solution of x' = f(t, x) can be
 * expanded while it is computed: round k of f gives coefficient k + 1 of x, at O(k) a round and an
 * instruction.
 *
 * What does not vary along the path (parameters, modes, signs, and what is made of them) is held: it has
 * coefficient 0 only. Relations, sign and floor are taken at s = 0 and held, too: where they may switch,
 * the language has made flags of them, and steps end there. */
#ifndef BRINK_EXPR_SERIES_PROGRAM_H
#define BRINK_EXPR_SERIES_PROGRAM_H

#include "expr/system.h"

/* How coefficients k > 0 are made of the operands a, b, c; coefficient 0 is by `op`. */
typedef enum brink_series_rule {
  BRINK_RULE_HELD,        /* none */
  BRINK_RULE_TIME,        /* given */
  BRINK_RULE_REF,         /* refs[a] of the graph: a state, a variable, a derivative */
  BRINK_RULE_ADD,         /* a + b */
  BRINK_RULE_SUB,         /* a - b */
  BRINK_RULE_NEG,         /* -a */
  BRINK_RULE_SCALE,       /* a held, times b */
  BRINK_RULE_SHRINK,      /* a over b held */
  BRINK_RULE_MUL,         /* a b */
  BRINK_RULE_SQUARE,      /* a a */
  BRINK_RULE_DIV,         /* a / b */
  BRINK_RULE_INDEX,       /* k a_k: s times the derivative */
  BRINK_RULE_INTEGRAL,    /* a_k / k: the inverse of it; coefficient 0 by op */
  BRINK_RULE_CHAIN,       /* v' = u' b, where a = INDEX u; b may be a later register, or this one */
  BRINK_RULE_CHAIN_MINUS, /* v' = -u' b */
  BRINK_RULE_SQRT,        /* of a */
  BRINK_RULE_POWER,       /* a to the power b, which is held */
  BRINK_RULE_ABS,
  BRINK_RULE_MIN,
  BRINK_RULE_MAX,
  BRINK_RULE_SELECT, /* a held: b or c */
} brink_series_rule;

/* A series that may go on for ever; finite ones end at their degree: a falling body's path is a
 * parabola, and the series of its height needs no further terms. */
#define BRINK_SERIES_FULL 1000

typedef struct brink_series_instruction {
  uint8_t rule; /* brink_series_rule */
  uint8_t op;   /* brink_op: coefficient 0 is op(x_0, y_0, z_0), see brink_series_lead */
  bool secant;  /* coefficient 0 is 1/cosh(x_0)^2 instead */
  bool hidden;  /* not a node of the graph */
  int degree;   /* no coefficient beyond it */
  uint32_t a, b, c;
  uint32_t x, y, z;
  double value; /* CONST */
} brink_series_instruction;

typedef struct brink_series_output {
  uint32_t value; /* register */
  uint32_t when;  /* register, held; BRINK_NO_INDEX: always */
} brink_series_output;

typedef struct brink_series_program {
  const brink_kernel *kernel;
  brink_series_instruction *instructions;
  size_t count;
  brink_series_output *outputs; /* of the kernel, in order */
  size_t multiplications;       /* of a round k: about this many times k */
  bool
      kinked; /* something that varies may switch without an event: degrees hold only up to there */
} brink_series_program;

/* The degrees of the series of all slots; NULL members: nothing is known, all are full. */
typedef struct brink_series_degrees {
  int *x, *v;
} brink_series_degrees;

/* A program for the outputs of a kernel. NULL: out of memory. The kernel must outlive it. */
brink_series_program *brink_series_make(const brink_kernel *kernel,
                                        const brink_series_degrees *degrees, brink_arena *arena);

/* The degrees that the solution of x' = `program` has, whatever the parameters, modes and initial
 * values. The last nz slots of X are unknowns, whose series may go on for ever. False: out of memory. */
bool brink_series_find_degrees(const brink_program *program, size_t nx, size_t nz, size_t nv,
                               brink_arena *arena, brink_series_degrees *degrees);

#endif
