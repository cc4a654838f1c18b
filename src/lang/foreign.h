/* foreign.h: words of Modelica, Simulink, MATLAB, Python and C, and how HSML says them. They are looked up where a name
 * means nothing: no word is reserved by being listed here. */
#ifndef BRINK_LANG_FOREIGN_H
#define BRINK_LANG_FOREIGN_H

#include "lang/ast.h"

/* Where the word stands. */
typedef enum brink_foreign_place {
  BRINK_FOREIGN_FUNCTION,
  BRINK_FOREIGN_NAME,
  BRINK_FOREIGN_STATEMENT,
  BRINK_FOREIGN_DECLARATION,
  BRINK_FOREIGN_SECTION,
  BRINK_FOREIGN_KIND, /* of a component */
  BRINK_FOREIGN_TOP,  /* between components */
} brink_foreign_place;

/* What to write instead, in any case of letters; NULL: the word is not listed. */
const char *brink_foreign_hint(brink_foreign_place place, const char *word);

/* Is it a word for a type, here or elsewhere: Real, int, float? */
bool brink_foreign_is_type(const char *word);

/* The state whose derivative a name or a quotient spells: "x" for x_dot, xdot, der_x, dx. Written into `state`, which
 * has room for BRINK_NAME_LIMIT + 1 characters. False: it spells none. */
bool brink_foreign_derivative(const char *name, char *state);

/* The state in der(x), ddt(x), diff(x, t), and in dx/dt, d(x)/dt; NULL: it is nothing of the kind. */
const char *brink_foreign_state(brink_unit *unit, const brink_ast_expr *expr);

#endif
