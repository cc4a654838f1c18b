/* order.h: up to which order a solution should be expanded. */
#ifndef BRINK_NUM_ORDER_H
#define BRINK_NUM_ORDER_H

#include <stdbool.h>
#include <stddef.h>

/* The order at which steps to this relative tolerance cost least. degree: where the series end by
 * themselves, 0: not known. work: products that coefficient k takes, divided by k; 0: not known. */
int brink_series_order(double tolerance, int degree, double work);

/* Do series save more than they cost? work: as above; guards: those that are no polynomials, and
 * have no bounds by which they are seldom looked at.
 *
 * Steps are longer than those of a multistep method, but the products grow with the square of the order: without
 * such guards, BRINK_SERIES_WORTH products are worth it, however many states there are (measured: 30 pendula, 60
 * products, about even at all tolerances; 60 cars, 90 products, 120 states, 1.5 to 2.5 times as slow; 5 bodies, 100,
 * twice as slow). A guard that is no polynomial is expanded or sampled in every step, which costs as much as
 * tens of products; the method that takes four times fewer steps saves that (measured: 60 cars with bounded
 * accelerations, 119 such guards, 206 products, 2 to 5 times as fast). */
#define BRINK_SERIES_WORTH 64.0
#define BRINK_SERIES_WORTH_GUARD 16.0
bool brink_series_worth(double work, size_t guards);

#endif
