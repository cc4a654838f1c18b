/* outline.h: what a checked model declares: its components and, in each, parameters, inputs, outputs, states, modes,
 * variables, flags and parts, with types, units, ranges and default values.
 *
 * It is made of the syntax trees alone, without flattening: an editor or a form shows it while the model does not run
 * yet, even with errors in it. What depends on parameters (a size, a bound, a value) is left open. */
#ifndef BRINK_LANG_OUTLINE_H
#define BRINK_LANG_OUTLINE_H

#include "lang/ast.h"

/* One declaration. Texts are the unit's. */
typedef struct brink_declared {
  brink_symbol_kind kind; /* INPUT, OUTPUT, STATE, PARAMETER, VARIABLE, FLAG, MODE or INSTANCE */
  const char *name;
  brink_place place;
  brink_type type;        /* FLAG: REAL, or BOOLEAN for a formula; UNKNOWN: INSTANCE, or an error */
  bool knob, view;        /* named so in the interface */
  size_t pair;            /* it stands in this pair block of its component, from 1; 0: in none */
  bool vector;            /* it has elements, … */
  size_t length;          /* … so many; 0: that depends on parameters. 1 for scalars */
  const char *unit;       /* NULL: none given */
  const char *class_name; /* INSTANCE: the component that it is one of; else NULL */
  brink_side side;        /* FLAG */

  bool has_range; /* a range (lo, hi), closed … */
  double lo, hi;  /* … with these bounds; NaN: they depend on parameters */

  /* The set of its values; of a mode or a string texts, of an integer numbers. nset = 0: none given. */
  const char **texts; /* NULL: numbers */
  double *numbers;    /* NULL: texts; NaN: depends on parameters */
  size_t nset;

  /* PARAMETER, INPUT: the value in `assignments`; STATE, MODE: that in `initial`. */
  bool has_default;          /* one is given there for the whole of it … */
  brink_place default_place; /* … here */
  const char *default_text;  /* of a string; NULL: it is none, or not a literal */
  double *defaults;          /* one for all, or one for each element; booleans: 0, 1 … */
  size_t ndefaults;          /* … 0: not constant */
} brink_declared;

typedef struct brink_outlined {
  brink_component_kind kind;
  const char *name;
  brink_place place;        /* of its name; file 0 is the model's own */
  bool runs;                /* it runs unless the caller chooses another */
  bool damaged;             /* there are errors in it: some of this may be missing */
  brink_declared *declared; /* in the order of the text, pair blocks last */
  size_t ndeclared;
} brink_outlined;

typedef struct brink_outline {
  brink_arena arena;
  brink_outlined *components; /* imported ones first, in the order of the text */
  size_t ncomponents;
} brink_outline;

/* The outline of a unit that brink_unit_check has checked; the unit must live longer. Statuses: OK, MEMORY. Free it in
 * any case. */
brink_status brink_outline_make(brink_outline *outline, const brink_unit *unit,
                                const brink_allocator *allocator);
void brink_outline_free(brink_outline *outline);

#endif
