/* lanes.c: memory for the steps of several runs, and how many the processor has lanes for. */
#include "num/lanes.h"

#include <stdint.h>

int brink_lanes_of_processor(void) {
#if defined __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return 8;
  if (__builtin_cpu_supports("avx2")) return 4;
#endif
  return 1;
}

double *brink_lane_vectors(brink_arena *arena, int width, size_t count) {
  const size_t bytes = 64;
  size_t doubles = (count + 1) * (size_t)width + bytes / sizeof(double);
  char *memory = brink_arena_take(arena, doubles, sizeof(double));
  if (memory == NULL) return NULL;
  return (double *)(memory + (bytes - (uintptr_t)memory % bytes) % bytes);
}

bool brink_lane_block_take(brink_lane_block *block, int width, size_t nx, int order,
                           brink_arena *arena) {
  size_t length = (size_t)order + 1;
  *block = (brink_lane_block){.width = width, .order = order, .nx = nx};
  block->c = brink_lane_vectors(arena, width, nx * length);
  block->scale = brink_lane_vectors(arena, width, length);
  block->terms = brink_lane_vectors(arena, width, nx * length);
  block->x_new = brink_lane_vectors(arena, width, nx);
  block->slope = brink_lane_vectors(arena, width, nx);
  block->next = brink_lane_vectors(arena, width, nx * length);
  block->work = brink_lane_vectors(arena, width, length + 1);
  block->poly = brink_lane_vectors(arena, width, length);
  return !arena->failed;
}
