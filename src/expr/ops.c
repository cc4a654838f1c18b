/* ops.c: what an operator is called, how many operands it has, and what it gives.
 *
 * brink_op_apply is the one definition of every operator's value: the builder folds constants with
 * it and the interpreter runs it; generated C must make the same libm calls. */
#include "expr/graph.h"

#include <math.h>

int brink_op_operands(brink_op op) {
  static const signed char operands[BRINK_OP_COUNT] = {
#define BRINK_OP_OPERANDS(id, count, name) count,
      BRINK_OP_LIST(BRINK_OP_OPERANDS)
#undef BRINK_OP_OPERANDS
  };
  return (unsigned)op < BRINK_OP_COUNT ? operands[op] : 0;
}

const char *brink_op_name(brink_op op) {
  static const char *const names[BRINK_OP_COUNT] = {
#define BRINK_OP_NAME(id, count, name) name,
      BRINK_OP_LIST(BRINK_OP_NAME)
#undef BRINK_OP_NAME
  };
  return (unsigned)op < BRINK_OP_COUNT ? names[op] : "?";
}

bool brink_op_is_step(brink_op op) {
  switch ((int)op) {
  case BRINK_OP_SIGN:
  case BRINK_OP_FLOOR:
  case BRINK_OP_LT:
  case BRINK_OP_LE:
  case BRINK_OP_EQ:
  case BRINK_OP_NE:
  case BRINK_OP_AND:
  case BRINK_OP_OR:
  case BRINK_OP_NOT:
  case BRINK_OP_RANDOM:
  case BRINK_OP_POISSON:
  case BRINK_OP_LOOKUP:
  case BRINK_OP_FIND:
    return true;
  default:
    return false;
  }
}

bool brink_op_is_plain(brink_op op) {
  return op != BRINK_OP_RANDOM && op != BRINK_OP_EXTERNAL && !brink_op_reads_array(op);
}

static double apply_function(brink_op op, double a, double b) {
  switch ((int)op) {
  case BRINK_OP_POW:
    return pow(a, b);
  case BRINK_OP_SQRT:
    return sqrt(a);
  case BRINK_OP_SIN:
    return sin(a);
  case BRINK_OP_COS:
    return cos(a);
  case BRINK_OP_TAN:
    return tan(a);
  case BRINK_OP_ASIN:
    return asin(a);
  case BRINK_OP_ACOS:
    return acos(a);
  case BRINK_OP_ATAN:
    return atan(a);
  case BRINK_OP_ATAN2:
    return atan2(a, b);
  case BRINK_OP_SINH:
    return sinh(a);
  case BRINK_OP_COSH:
    return cosh(a);
  case BRINK_OP_TANH:
    return tanh(a);
  case BRINK_OP_EXP:
    return exp(a);
  case BRINK_OP_LOG:
    return log(a);
  case BRINK_OP_LOG10:
    return log10(a);
  case BRINK_OP_HYPOT:
    return hypot(a, b);
  case BRINK_OP_ABS:
    return fabs(a);
  case BRINK_OP_FLOOR:
    return floor(a);
  case BRINK_OP_POISSON:
    return brink_poisson(a, b);
  default:
    return (double)NAN;
  }
}

double brink_op_apply(brink_op op, double a, double b, double c) {
  switch ((int)op) {
  case BRINK_OP_ADD:
    return a + b;
  case BRINK_OP_SUB:
    return a - b;
  case BRINK_OP_MUL:
    return a * b;
  case BRINK_OP_DIV:
    return a / b;
  case BRINK_OP_NEG:
    return -a;
  case BRINK_OP_SIGN:
    return a != a ? a : (double)((a > 0.0) - (a < 0.0));
  case BRINK_OP_MIN:
    return a < b || a != a ? a : b; /* what is not a number stays one */
  case BRINK_OP_MAX:
    return a > b || a != a ? a : b;
  case BRINK_OP_LT:
    return a < b ? 1.0 : 0.0;
  case BRINK_OP_LE:
    return a <= b ? 1.0 : 0.0;
  case BRINK_OP_EQ:
    return a == b ? 1.0 : 0.0;
  case BRINK_OP_NE:
    return a != b ? 1.0 : 0.0;
  case BRINK_OP_AND:
    return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
  case BRINK_OP_OR:
    return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
  case BRINK_OP_NOT:
    return a != 0.0 ? 0.0 : 1.0;
  case BRINK_OP_ARGUMENT:
    return a;
  case BRINK_OP_SELECT:
    return a != 0.0 ? b : c;
  default:
    return apply_function(op, a, b);
  }
}
