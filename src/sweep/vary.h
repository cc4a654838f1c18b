/* vary.h: what is varied: the words of --vary, and the values that they stand for.
 *
 *     k=0.1:10:50        50 values from 0.1 to 10, both included, at equal distances
 *     k=log:0.1:10:50    the same at equal ratios
 *     k=0.1:10           all values between these: k=uniform(0.1,10)
 *     k=log:0.1:10       likewise, uniform in the logarithm: k=loguniform(0.1,10)
 *     k=normal(5,0.2)    a normal distribution: mean and standard deviation
 *     phase=low,high     these values */
#ifndef BRINK_SWEEP_VARY_H
#define BRINK_SWEEP_VARY_H

#include "base/base.h"

typedef enum brink_vary_kind {
  BRINK_VARY_LIST,   /* values as they are written */
  BRINK_VARY_LINEAR, /* from lo to hi */
  BRINK_VARY_LOG,    /* the same in the logarithm; 0 < lo */
  BRINK_VARY_NORMAL, /* lo: the mean, hi: the standard deviation */
} brink_vary_kind;

typedef struct brink_vary {
  const char *name; /* of the knob: "plant.area" */
  brink_vary_kind kind;
  double lo, hi;            /* lo < hi */
  size_t count;             /* of a list or a grid; 0: every value between lo and hi */
  const char *const *words; /* LIST: the values */
  bool numeric;             /* every value is a number */
  bool seed;                /* of the run's random draws, not a knob of the model: whole numbers */
  const char *text;         /* all of it, for messages */
} brink_vary;

/* The value of a knob in one run. */
typedef struct brink_vary_value {
  double number;    /* NaN: it is a word */
  const char *word; /* "high"; NULL: it is a number */
} brink_vary_value;

/* Reads "NAME=…". What it keeps is in the arena. Statuses: OK; ARGUMENT: the words are wrong, and the message says how to
 * write them; MEMORY. */
brink_status brink_vary_read(brink_arena *arena, const char *text, brink_vary *vary,
                             brink_diag *diag);

/* Value k of a list or a grid; k < count. The ends of a grid are exact, and so are whole numbers on it. */
brink_vary_value brink_vary_at(const brink_vary *vary, size_t k);

/* The value below which the share u of the distribution lies; 0 < u < 1. Of a list: its values are equally likely. Of a
 * grid: every value between its ends. Of seeds: every whole number from lo to hi is equally likely. */
brink_vary_value brink_vary_quantile(const brink_vary *vary, double u);

/* The standard normal distribution: where the share u lies below; 0 < u < 1. */
double brink_normal_quantile(double u);

/* A finite number, and nothing behind it, with or without spaces around it. */
bool brink_vary_number(const char *text, double *number);

#endif
