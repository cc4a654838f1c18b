/* taylor_lanes_avx512.c: steps of 8 runs at once, for processors with AVX-512. See taylor_lanes.inc. */
#define BRINK_LANES 8
#include "ode/taylor_lanes.inc"

const brink_taylor_kernels brink_taylor_kernels_8 = {
    .attempt = attempt, .judge = judge, .inside = inside, .spread = spread};
