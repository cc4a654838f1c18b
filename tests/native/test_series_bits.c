/* Interpreter and machine code give the same bits of every coefficient of the solution's series, at random points: a sum in
 * another order, which a whole run may round away, is seen here. Arrays of one instance and of 90: sizes decide whether
 * series are written out or are loops (emit_flow.c). */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "model/model.h"
#include "support/expressions.h"
#include "support/hsml_run.h"

enum { ORDER = 14, LENGTH = ORDER + 1, MOST = 180, POINTS = 20 };

static const char *const rates[] = {
    "y[i]*(1.0 + x[i]^2)", "x[i]^2 - 0.3*y[i]",       "y[i]/(2.0 + x[i])",    "sin(x[i])*y[i]",
    "exp(-x[i]*y[i])",     "sqrt(1.0 + x[i] + y[i])", "(1.0 + x[i])^(-1.5)",  "(1.0 + y[i])^0.3",
    "tanh(x[i]) - y[i]",   "atan2(y[i], 2.0 + x[i])", "log(1.0 + x[i]*y[i])",
};
enum { RATES = sizeof rates / sizeof *rates };

/* x' is the rate numbered `rate`; RATES: the sum of all. */
static void write_model(char *text, size_t size, int count, int rate) {
  char sum[1024] = "";
  for (int k = 0; k < RATES; k++) {
    size_t used = strlen(sum);
    if (rate == RATES || rate == k)
      snprintf(sum + used, sizeof sum - used, "%s%s", used > 0 ? " + " : "", rates[k]);
  }
  snprintf(text, size,
           HSML_MODEL("state(x[%d], real); state(y[%d], real);",
                      "for i in 1..%d loop x[i] := 0.5; y[i] := 0.4; end loop;",
                      "for i in 1..%d loop x[i]' = %s; y[i]' = 0.7*x[i] - x[i]*y[i]; end loop;",
                      ""),
           count, count, count, count, sum);
}

static void expand(const hsml_run *run, size_t nx, double unit, const double *x, double *out) {
  const brink_model *model = brink_instance_model(run->instance);
  brink_env env = {.user = model->def.user};
  double *rows[MOST];
  for (size_t i = 0; i < nx; i++) {
    rows[i] = out + i * LENGTH;
    rows[i][0] = x[i];
  }
  CHECK_INT(model->def.flow_jet(ORDER, 0.3, unit, x, &env, rows), 0);
}

static void compare_engines(int count, int rate) {
  static double found[2][MOST * LENGTH];
  char text[4096];
  write_model(text, sizeof text, count, rate);
  hsml_run *runs[2];
  for (int native = 0; native < 2; native++) {
    hsml_wishes wishes = hsml_default(1e-9);
    wishes.native = native;
    wishes.options.order = ORDER;
    runs[native] = hsml_open(text, &wishes);
    CHECK_MSG(runs[native]->status == BRINK_OK, "%s", runs[native]->diag.message);
    bool interpreted = strcmp(brink_instance_engine(runs[native]->instance), "interpreter") == 0;
    CHECK(interpreted == !native);
  }
  uint64_t state = 7;
  size_t nx = 2 * (size_t)count, differ = 0;
  for (int n = 0; n < POINTS; n++) {
    double x[MOST], unit = random_uniform(&state, 0.1, 1.0);
    for (size_t i = 0; i < nx; i++) x[i] = random_uniform(&state, 0.1, 0.9);
    for (int k = 0; k < 2; k++) expand(runs[k], nx, unit, x, found[k]);
    for (size_t i = 0; i < nx * LENGTH; i++)
      differ += memcmp(&found[0][i], &found[1][i], sizeof(double)) != 0;
  }
  CHECK_MSG(differ == 0, "rate %d of %d: %zu coefficients differ", rate, count, differ);
  for (int k = 0; k < 2; k++) hsml_close(runs[k]);
}

TEST(every_coefficient_has_the_same_bits_in_both_engines) {
  static const int counts[] = {1, 90};
  for (size_t n = 0; n < 2; n++)
    for (int rate = 0; rate <= RATES; rate++) compare_engines(counts[n], rate);
}

int main(void) {
  RUN(every_coefficient_has_the_same_bits_in_both_engines);
  return check_done();
}
