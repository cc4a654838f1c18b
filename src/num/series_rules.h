/* series_rules.h: the rules of series_rules.inc as functions. */
#ifndef BRINK_NUM_SERIES_RULES_H
#define BRINK_NUM_SERIES_RULES_H

#include <math.h>

#define SERIES_INLINE static inline
#define SERIES_RULE(name, ...) __VA_ARGS__
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include "num/series_rules.inc"
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#undef SERIES_RULE
#undef SERIES_INLINE

#endif
