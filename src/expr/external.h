/* external.h: functions of C that expressions call: of libraries, and of the caller (inputs over time).
 *
 * A function of n arguments is  double f(double x1, …, double xn), and its derivative, if there is one,
 * void df(double x1, …, double xn, double gradient[n]). Both must be pure: the same arguments give the same
 * bits, in any thread. Without a derivative, slopes are central differences. */
#ifndef BRINK_EXPR_EXTERNAL_H
#define BRINK_EXPR_EXTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BRINK_EXTERNAL_ARGUMENTS 8

typedef void brink_external_fn(void); /* of any type: cast where it is called */

/* A function of time that the caller gives: any program, with data of its own, that may fail. It is smooth between
 * corners. */
typedef struct brink_time_function {
  int (*value)(double t, double *u, void *user); /* 0: it has a value */
  void *user;
  const double *corners; /* increasing */
  size_t ncorners;
} brink_time_function;

/* What became of the calls of such a function in one run. */
typedef struct brink_time_calls {
  bool asked; /* a call is under way: never true between two calls of a run */
  bool known; /* its value u at t: equations and flags ask for the same time again and again */
  double t, u;
  bool failed; /* it returned `code` at failed_t; then it is called no more */
  int code;
  double failed_t;
  bool undefined; /* its last value that was not finite */
  double undefined_t, undefined_u;
} brink_time_calls;

typedef struct brink_external {
  const char *name; /* in the model */
  size_t narguments;
  brink_external_fn *value;
  brink_external_fn *gradient; /* NULL: differences */
  /* An input instead. Its arguments are time, and where the smooth piece begins and ends in which the run is: values
   * and slopes are those of that piece, so that a function that jumps at a corner has both its values there. */
  const brink_time_function *of_time; /* NULL: a function of a library */
  brink_time_calls *calls;            /* of one run; NULL: nothing is noted */
} brink_external;

#define BRINK_TIME_ARGUMENTS                                                                       \
  3 /* t, begin, end; backwards in time the end is before the beginning */

/* What of which function: the value, the derivative by argument k, or by k and then by j. As a number, so that a
 * constant of a graph can say it. */
#define BRINK_EXTERNAL_VALUE 0
static inline size_t brink_external_code(size_t function, size_t part) {
  return function * 128 + part;
}
static inline size_t brink_external_function(size_t code) {
  return code / 128;
}
static inline size_t brink_external_part(size_t code) {
  return code % 128;
}
static inline size_t brink_external_first(size_t k) {
  return k + 1;
}
static inline size_t brink_external_second(size_t k, size_t j) {
  return 9 * (k + 1) + j + 1;
}

/* The smooth piece of a function of time in which a run is at t and just after it: from where it began, `start` if no
 * corner lies behind, to where it ends. A piece has its left corner, but not the right one. Never infinite. */
void brink_time_piece(const brink_time_function *function, double t, double start, bool backward,
                      double *begin, double *end);
/* The next corner of a run at t, backwards the last one before t; INFINITY, -INFINITY: there is none. */
double brink_time_corner(const brink_time_function *function, double t, bool backward);

/* What the code says, at x. NaN where an argument is NaN (nothing is called). */
double brink_external_call(const brink_external *externals, size_t code, const double *x);

/* The value of one function. */
double brink_external_value(const brink_external *external, const double *x);

/* The code of the derivative by argument `by` of what a code says; BRINK_EXTERNAL_NONE: no third derivatives. */
#define BRINK_EXTERNAL_NONE SIZE_MAX
size_t brink_external_derivative(size_t code, size_t by);

#endif
