/* library.c: a library of C for tests of external functions. Its values have closed forms. */
#include <math.h>

const double speed_of_sound = 343.25;
const double not_finite = INFINITY;

double drag(double v);
double drag(double v) {
  return 0.25 * v * v;
}

double sine_times(double x, double y);
double sine_times(double x, double y) {
  return sin(x) * y;
}

void sine_times_slopes(double x, double y, double *gradient);
void sine_times_slopes(double x, double y, double *gradient) {
  gradient[0] = cos(x) * y;
  gradient[1] = sin(x);
}

double weighted(double a, double b, double c, double d, double e, double f, double g, double h);
double weighted(double a, double b, double c, double d, double e, double f, double g, double h) {
  return a + 10.0 * b + 100.0 * c + 1e3 * d + 1e4 * e + 1e5 * f + 1e6 * g + 1e7 * h;
}

double seven(void);
double seven(void) {
  return 7.0;
}

/* Has no value above 2. */
double root_below_two(double x);
double root_below_two(double x) {
  return sqrt(2.0 - x);
}
