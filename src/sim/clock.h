/* clock.h: exact tick times. */
#ifndef BRINK_SIM_CLOCK_H
#define BRINK_SIM_CLOCK_H

#include "base/base.h"

/* offset + n*period with period and offset as exact decimals: (offset + n*period) * 10^-digits. */
typedef struct brink_ticks {
  bool exact; /* false: the decimals are too long; plain arithmetic is used */
  int digits;
  int64_t offset, period;
  double offset_double, period_double;
} brink_ticks;

brink_ticks brink_ticks_make(double period, double offset);

/* The time of tick n: the double nearest to the exact decimal. */
double brink_ticks_time(const brink_ticks *ticks, int64_t n);

#endif
