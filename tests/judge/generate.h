/* generate.h: random models in HSML. Model n of seed s is the same everywhere and for ever. */
#ifndef BRINK_TESTS_JUDGE_GENERATE_H
#define BRINK_TESTS_JUDGE_GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GENERATE_TEXT = 16384 };

/* A model that is being written. */
typedef struct writer {
  uint64_t seed, model, draw; /* counters of the random generator */
  char text[GENERATE_TEXT];
  size_t length;
  double until;
} writer;

typedef struct generate_kind {
  const char *name;
  void (*write)(writer *w);
  bool agents; /* run by the program, with both kinds of clocks */
  bool exact;  /* starts on surfaces by intention: see judge_decide */
  bool rough;  /* fields without a derivative at an edge: error tests do not hold there */
} generate_kind;

size_t generate_kind_count(void);
const generate_kind *generate_kind_at(size_t index);

/* Writes model `model` of `seed`; returns its kind. */
const generate_kind *generate_model(uint64_t seed, uint64_t model, writer *w);

/* ---- for the kinds ---- */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void say(writer *w, const char *format, ...);

double draw(writer *w);     /* in [0, 1) */
int pick(writer *w, int n); /* 0 … n-1 */
bool chance(writer *w, double p);
double decimal(writer *w, double lo, double hi, double unit); /* a multiple of unit */

/* The tables of the files of kinds. */
extern const generate_kind generate_switches[], generate_events[], generate_parts[],
    generate_edges[];
extern const size_t generate_switches_count, generate_events_count, generate_parts_count,
    generate_edges_count;

#endif
