/* influence.c: which states the rate of a guard follows from. See influence.h. */
#include "event/influence.h"

#include <string.h>

/* The pattern is by columns: who reads a state. Turned round: whom a state's derivative reads. */
static void turn_round(brink_influence *in, const brink_sparsity *pattern, size_t *next) {
  size_t n = in->nx;
  for (size_t k = 0; k < pattern->starts[n]; k++) in->starts[pattern->rows[k] + 1]++;
  for (size_t i = 0; i < n; i++) in->starts[i + 1] += in->starts[i];
  memcpy(next, in->starts, n * sizeof *next);
  for (size_t j = 0; j < n; j++) {
    for (size_t k = pattern->starts[j]; k < pattern->starts[j + 1]; k++)
      in->states[next[pattern->rows[k]]++] = j;
  }
}

bool brink_influence_init(brink_influence *in, const brink_model *model, brink_arena *arena) {
  const brink_sparsity *pattern = &model->def.jacobian_pattern;
  *in = (brink_influence){.nx = model->def.nx};
  if (model->def.jacobian == NULL || pattern->starts == NULL) return true;
  in->starts = brink_arena_take(arena, in->nx + 1, sizeof *in->starts);
  in->states = brink_arena_take(arena, pattern->starts[in->nx], sizeof *in->states);
  in->queue = brink_arena_take(arena, in->nx, sizeof *in->queue);
  in->part = brink_arena_take(arena, in->nx, sizeof *in->part);
  if (in->starts == NULL || in->states == NULL || in->queue == NULL || in->part == NULL)
    return false;
  turn_round(in, pattern, in->queue);
  return true;
}

const bool *brink_influence_of(brink_influence *in, const double *gradient) {
  if (in->starts == NULL) return NULL;
  size_t count = 0;
  for (size_t i = 0; i < in->nx; i++) {
    in->part[i] = gradient[i] != 0.0;
    if (in->part[i]) in->queue[count++] = i;
  }
  for (size_t at = 0; at < count; at++) {
    size_t i = in->queue[at];
    for (size_t k = in->starts[i]; k < in->starts[i + 1]; k++) {
      size_t j = in->states[k];
      if (in->part[j]) continue;
      in->part[j] = true;
      in->queue[count++] = j;
    }
  }
  return in->part;
}
