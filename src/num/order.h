/* order.h: up to which order a solution should be expanded. */
#ifndef BRINK_NUM_ORDER_H
#define BRINK_NUM_ORDER_H

/* The order at which steps to this relative tolerance cost least. degree: where the series end by
 * themselves, 0: not known. work: products that coefficient k takes, divided by k; 0: not known. */
int brink_series_order(double tolerance, int degree, double work);

#endif
