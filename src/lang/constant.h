/* constant.h: a value outside of any model, in the words of the language: "1/6", "[1, 2, 3]", "2*pi", "true". */
#ifndef BRINK_LANG_CONSTANT_H
#define BRINK_LANG_CONSTANT_H

#include "lang/ast.h"

typedef struct brink_constant {
  brink_unit *unit; /* holds everything */
  brink_type type;
  bool list;            /* "[…]", or an expression of lists */
  size_t count;         /* 1, unless it is a list */
  size_t rows, columns; /* of a matrix, which comes row by row; else 0 */
  double *value;        /* booleans are 0 and 1; NULL: strings */
  const char **text;    /* of strings; NULL: they are none */
  /* What is wrong; NULL: nothing. */
  const char *message, *hint; /* hint NULL: there is none */
  size_t at, length;          /* which characters it is about, from 0 */
} brink_constant;

/* Reads it: see `message`. False: out of memory. Free it in any case. */
bool brink_constant_read(const char *text, const brink_allocator *allocator,
                         brink_constant *constant);
void brink_constant_free(brink_constant *constant);

#endif
