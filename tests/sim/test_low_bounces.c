/* Bounces that are lower than the tolerance of the height. No error control resolves them, and yet each decides the next: a
 * ball on a floor does not fall through it, whatever the method. It falls from 1 with g = 9.81 and keeps the part e of its
 * speed: its bounces accumulate at sqrt(2/g) (1 + 2 e/(1 - e)). */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "support/hsml_run.h"

static const brink_method methods[] = {BRINK_TAYLOR, BRINK_ADAMS, BRINK_BDF, BRINK_DOPRI};
static const char *const sides[] = {"", ", crossing", ", unilateral"};

static hsml_run *drop(const char *side, double e, const char *drag, brink_method method,
                      double tolerance) {
  char text[1024];
  snprintf(text, sizeof text,
           HSML_MODEL("state(x, real); state(v, real); flag(floor%s);", "x := 1.0; v := 0.0;",
                      "x' = v; v' = -9.81%s; floor = x;",
                      "event(floor) negative-going v := -%.17g*v; end negative-going; end event;"),
           side, drag, e);
  hsml_wishes wishes = hsml_default(tolerance);
  wishes.options.method = method;
  hsml_run *run = hsml_open(text, &wishes);
  hsml_go(run, 40.0);
  return run;
}

TEST(bounces_lower_than_the_tolerance_accumulate_and_no_ball_falls_through_the_floor) {
  static const double kept[] = {0.1, 0.5, 0.9}, tolerances[] = {1e-3, 1e-6, 1e-9};
  for (int k = 0; k < 3 * 3 * 4 * 3; k++) {
    brink_method method = methods[k % 4];
    double e = kept[k / 4 % 3], tolerance = tolerances[k / 12 % 3];
    hsml_run *run = drop(sides[k / 36], e, "", method, tolerance);
    double limit = sqrt(2.0 / 9.81) * (1.0 + 2.0 * e / (1.0 - e));
    CHECK_MSG(run->status == BRINK_ERR_ZENO, "%s at %g, e = %g: %s", brink_method_name(method),
              tolerance, e, run->diag.message);
    /* A bounce of height H has its speed within tolerance/sqrt(H): the lowest are off by their own size. */
    CHECK_NEAR(brink_sim_time(run->sim), limit, 0.3 * limit * sqrt(tolerance));
    CHECK(fabs(hsml_final(run, "x")) <= 1e-9);
    hsml_close(run);
  }
}

/* Without a closed form: the methods agree. */
TEST(low_bounces_with_drag_accumulate_at_the_same_time_by_all_methods) {
  double first = 0.0;
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    hsml_run *run = drop("", 0.5, " - 0.3*v^3 - 0.2*v - x", methods[k], 1e-6);
    CHECK_INT(run->status, BRINK_ERR_ZENO);
    double t = brink_sim_time(run->sim);
    if (k == 0) first = t;
    CHECK_NEAR(t, first, 3e-4 * first);
    hsml_close(run);
  }
}

int main(void) {
  RUN(bounces_lower_than_the_tolerance_accumulate_and_no_ball_falls_through_the_floor);
  RUN(low_bounces_with_drag_accumulate_at_the_same_time_by_all_methods);
  return check_done();
}
