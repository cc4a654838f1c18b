/* taylor_lanes_avx2.c: steps of 4 runs at once, for processors with AVX2. See taylor_lanes.inc. */
#define BRINK_LANES 4
#include "ode/taylor_lanes.inc"

const brink_taylor_kernels brink_taylor_kernels_4 = {
    .attempt = attempt, .judge = judge, .inside = inside, .spread = spread};
