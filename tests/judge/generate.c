/* generate.c: the random generator and the list of kinds. */
#include "judge/generate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* SplitMix64 (Steele, Lea, Flood 2014) of a counter: draw d of model n of seed s depends on nothing else. */
static uint64_t scramble(uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double draw(writer *w) {
  uint64_t bits = scramble(scramble(scramble(w->seed) ^ w->model) ^ w->draw++);
  return (double)(bits >> 11) * 0x1p-53;
}

int pick(writer *w, int n) {
  return (int)(draw(w) * n);
}

bool chance(writer *w, double p) {
  return draw(w) < p;
}

double decimal(writer *w, double lo, double hi, double unit) {
  double steps = floor((hi - lo) / unit + 1.5);
  return lo + unit * floor(draw(w) * steps);
}

void say(writer *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(w->text + w->length, sizeof w->text - w->length, format, arguments);
  va_end(arguments);
  if (n > 0) w->length += (size_t)n;
  if (w->length >= sizeof w->text) w->length = sizeof w->text - 1;
}

static const struct {
  const generate_kind *kind;
  const size_t *count;
} files[] = {{generate_switches, &generate_switches_count},
             {generate_events, &generate_events_count},
             {generate_parts, &generate_parts_count},
             {generate_edges, &generate_edges_count}};

size_t generate_kind_count(void) {
  size_t count = 0;
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) count += *files[k].count;
  return count;
}

const generate_kind *generate_kind_at(size_t index) {
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    if (index < *files[k].count) return &files[k].kind[index];
    index -= *files[k].count;
  }
  return NULL;
}

const generate_kind *generate_model(uint64_t seed, uint64_t model, writer *w) {
  *w = (writer){.seed = seed, .model = model, .until = 5.0};
  const generate_kind *kind = generate_kind_at((size_t)(model % generate_kind_count()));
  kind->write(w);
  return kind;
}
