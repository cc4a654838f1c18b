/* order.h: up to which order a solution should be expanded. */
#ifndef BRINK_NUM_ORDER_H
#define BRINK_NUM_ORDER_H

/* The order at which steps to this relative tolerance cost least. degree: where the series end by
 * themselves, 0: not known. work: products that coefficient k takes, divided by k; 0: not known. */
int brink_series_order(double tolerance, int degree, double work);

/* Series that take more products than this for coefficient k, divided by k, cost more than they save:
 * steps are longer than those of a multistep method, but the products grow with the square of the order
 * (measured: 30 pendula, 60 products, about even at all tolerances; 5 bodies, 100, twice as slow). */
#define BRINK_SERIES_WORTH 64.0

#endif
