/* guard_lanes_avx512.c: guards of 8 runs at once, for processors with AVX-512. See guard_lanes.inc. */
#define BRINK_LANES 8
#include "event/guard_lanes.inc"

const brink_guard_kernels brink_guard_kernels_8 = {.survey = survey, .refine = refine};
