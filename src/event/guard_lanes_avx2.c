/* guard_lanes_avx2.c: guards of 4 runs at once, for processors with AVX2. See guard_lanes.inc. */
#define BRINK_LANES 4
#include "event/guard_lanes.inc"

const brink_guard_kernels brink_guard_kernels_4 = {.survey = survey, .refine = refine};
