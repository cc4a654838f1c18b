/* Accuracy of the Taylor method: event times and final states of problems whose answers are known to
 * twenty digits and more (closed forms, or integration with 34 digits and more), at tolerances from
 * 1e-6 down to 1e-15; and the order of convergence at fixed orders and steps.
 *
 * The claim at a tolerance tol (rtol = tol, atol = tol/1000): no time and no state is off by more than
 * `factor` tol + `rounding`. The factor is what the problem makes of one tolerance per step: the
 * condition of its events (1/|dg/dt|, growth along the flow), given with it. And errors fall: at a
 * tolerance a thousand times smaller they are at least thirty times smaller, or at rounding. */
#include "check.h"
#include "support/hsml_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the problems ---- */

typedef struct expected {
  const char *name; /* of a flag, with its nth event; or of a state at the end: nth = 0 */
  size_t nth;
  long double value; /* time, or value of the state */
} expected;

#define LAST ((size_t)-1)

typedef struct problem {
  const char *name, *text;
  double t_end;
  size_t events; /* of the whole run */
  double factor, rounding;
  expected expect[12]; /* up to the first without a name */
} problem;

#define GARCIA_LINEAR(alpha)                                                                       \
  HSML_MODEL("state(x1, real); state(x2, real); flag(g);", "x1 := -2.0; x2 := -2.0;",              \
             "if sgn(g) >= 0 then x1' = x1 - x2; x2' = x1 + x2;"                                   \
             "else x1' = 0.0; x2' = -1.0; end if;"                                                 \
             "g = x2 + " alpha ";",                                                                \
             "")
#define GARCIA_NONLINEAR(alpha)                                                                    \
  HSML_MODEL("state(x1, real); state(x2, real); flag(g);", "x1 := -2.5; x2 := 951.5625;",          \
             "if sgn(g) >= 0 then x1' = 1.0; x2' = 10.0*(1.0 - 5.0*x1^4);"                         \
             "else x1' = 0.0; x2' = -1.0; end if;"                                                 \
             "g = x2 + " alpha ";",                                                                \
             "")
#define SPIRALS(distance)                                                                          \
  HSML_MODEL("state(x1, real); state(y1, real); state(h1, real);"                                  \
             "state(x2, real); state(y2, real); state(h2, real); flag(gap);",                      \
             "x1 := 1.0; y1 := 0.0; h1 := atan2(0.96, 0.06);"                                      \
             "x2 := -" distance "; y2 := 0.4; h2 := 0.5*pi + atan2(-0.25, 0.03);",                 \
             "x1' = hypot(0.06, 0.96)*hypot(x1, y1)*cos(h1);"                                      \
             "y1' = hypot(0.06, 0.96)*hypot(x1, y1)*sin(h1);"                                      \
             "h1' = 0.96;"                                                                         \
             "x2' = hypot(0.03, 0.25)*hypot(x2 + " distance ", y2)*cos(h2);"                       \
             "y2' = hypot(0.03, 0.25)*hypot(x2 + " distance ", y2)*sin(h2);"                       \
             "h2' = -0.25;"                                                                        \
             "gap = hypot(x1 - x2, y1 - y2) - 0.3;",                                               \
             "event(gap) negative-going stop(\"met\"); end negative-going; end event;")

static const problem problems[] = {
    {"P3, alpha = 9",
     GARCIA_LINEAR("9.0"),
     3.0,
     1,
     3.0,
     2e-14,
     {{"g", 1, 1.29137825252011736863330303116L},
      {"x1", 0, 4.98683572751470097116740409723L},
      {"x2", 0, -9.0L - 3.0L + 1.29137825252011736863330303116L}}},
    {"P3, alpha = 9.62, |dg/dt| = 0.19",
     GARCIA_LINEAR("9.62"),
     3.0,
     1,
     50.0,
     1e-12,
     {{"g", 1, 1.56080123929647450227374224288L}, {"x1", 0, 9.42959132711268668459462766387L}}},
    {"P3, alpha = 10",
     GARCIA_LINEAR("10.0"),
     6.0,
     1,
     200.0,
     2e-12,
     {{"g", 1, 5.51206329326052934074007649103L}, {"x1", 0, -700.421401752951694502925203538L}}},
    {"P4, alpha = 5",
     GARCIA_NONLINEAR("5.0"),
     3.0,
     1,
     0.0,
     1e-13,
     {{"g", 1, 1.73090029682210405643141136762L}, {"x1", 0, -0.769099703177895943568588632383L}}},
    {"P4, alpha = 5.34, |dg/dt| = 1.1",
     GARCIA_NONLINEAR("5.34"),
     3.0,
     1,
     0.0,
     3e-13,
     {{"g", 1, 1.81328805628002573189835203198L}}},
    {"M2",
     HSML_MODEL("state(y, real); state(v, real); flag(ground, unilateral);", "y := 10.0; v := 0.0;",
                "y' = v; v' = -9.81 - 0.5*v; ground = y;",
                "event(ground) negative-going stop(\"landed\"); end negative-going; end event;"),
     5.0,
     1,
     1.0,
     2e-14,
     {{"ground", 1, 1.61994211048723920299066763426L},
      {"v", 0, -10.8916321038798165813384494921L}}},
    {"M6",
     HSML_MODEL("state(th, real); state(w, real); flag(wall);", "th := 1.0; w := 0.0;",
                "th' = w; w' = -sin(th); wall = th + 0.5;",
                "event(wall) negative-going w := -0.9*w; end negative-going; end event;"),
     21.0,
     5,
     50.0,
     1e-13,
     {{"wall", 1, 2.22314362247528276946967843932L},
      {"wall", 2, 6.7329555831031230899830050172L},
      {"wall", 3, 11.3175821536536723787078079193L},
      {"wall", 4, 15.9856590930410122868197304616L},
      {"wall", 5, 20.7435218031714714730500200616L}}},
    {"M11",
     HSML_MODEL("state(x, real); state(y, real); state(vx, real); state(vy, real);"
                "flag(near); flag(far); flag(turn);",
                "x := -5.83333333333333333333333333333; y := -8.12232862067413658903201099992;"
                "vx := 0.726483157256778925372830330643; vy := 0.819891591749922888683363678535;",
                "x' = vx; y' = vy; vx' = -x/hypot(x, y)^3; vy' = -y/hypot(x, y)^3;"
                "near = x^2 + y^2 - 4.0; far = hypot(x, y) - 10.0; turn = x*vx + y*vy;",
                ""),
     17.0,
     0,
     20.0,
     1e-13,
     {{"near", 1, 6.93523321498535238062323911177L},
      {"turn", 1, 8.21635152941385161228936227672L},
      {"near", 2, 9.49746984384235084395548544167L},
      {"far", LAST, 16.4327030588277032245787245534L}}}, /* it starts there, within rounding */
    {"C1 b",
     HSML_MODEL("state(h, real); mode(valve, {\"shut\", \"open\"}); flag(low); flag(half);",
                "h := 1.0; valve := \"shut\";",
                "if valve = \"open\" then h' = 0.15 - 0.2*sqrt(h); else h' = -0.2*sqrt(h); end if;"
                "low = h - 0.25; half = h - 0.5;",
                "event(low) negative-going valve := \"open\"; end negative-going; end event;"),
     17.0,
     3,
     100.0,
     2e-13,
     {{"half", 1, 2.92893218813452475599155637895L},
      {"low", 1, 5.0L},
      {"half", 2, 16.1495359934276701344806962536L}}},
    {"C3",
     HSML_MODEL("state(h1, real); state(h2, real); mode(pump, {\"on\", \"off\"});"
                "flag(full); flag(low);",
                "h1 := 0.5; h2 := 0.1; pump := \"on\";",
                "h1' = (if pump = \"on\" then 0.12 else 0.0) - 0.2*sqrt(h1 - h2);"
                "h2' = 0.2*sqrt(h1 - h2) - 0.15*sqrt(h2);"
                "full = h2 - 0.4; low = h2 - 0.25;",
                "event(full) positive-going pump := \"off\"; end positive-going; end event;"
                "event(low) negative-going pump := \"on\"; end negative-going; end event;"),
     39.5,
     0,
     100.0,
     3e-13,
     {{"full", 1, 12.36571472234053795640825608L}, /* the level overshoots: it comes back, too */
      {"low", 2, 18.46957178432785811350000351L},
      {"full", 3, 32.98248533557209834405859507L},
      {"low", 4, 39.07791639747930589039666268L}}},
    {"C4",
     HSML_MODEL("state(T, real); mode(heat, {\"on\", \"off\"}); flag(warm); flag(cold);",
                "T := 20.0; heat := \"on\";",
                "if heat = \"on\" then T' = -0.1*(T - 30.0); else T' = -0.1*(T - 10.0); end if;"
                "warm = T - 22.0; cold = T - 18.0;",
                "event(warm) positive-going heat := \"off\"; end positive-going; end event;"
                "event(cold) negative-going heat := \"on\"; end negative-going; end event;"),
     23.0,
     6,
     30.0,
     1e-13,
     {{"warm", 1, 2.2314355131420975576629509031L},
      {"cold", 1, 6.28608659422374137744308205774L},
      {"warm", 2, 10.3407376753053851972232132124L},
      {"cold", 2, 14.395388756387029017003344367L},
      {"warm", 3, 18.4500398374686728367834755217L},
      {"cold", 3, 22.5046909185503166565636066763L}}},
    {"S8",
     HSML_MODEL("state(x, real); state(v, real); flag(zero); flag(turn);", "x := 2.0; v := 0.0;",
                "x' = v; v' = (1.0 - x^2)*v - x; zero = x; turn = v;", ""),
     10.0,
     6,
     10.0,
     3e-14,
     {{"zero", 1, 2.1616949938686778112983973L},
      {"turn", 1, 3.3202611519129317706117189L},
      {"zero", 2, 5.4931558427235185080901849L},
      {"turn", 2, 6.6515617168692608173096399L},
      {"zero", 3, 8.8247939137408786958449766L},
      {"turn", 3, 9.9831950854041028149158728L}}},
    {"P6, a collision",
     SPIRALS("2.3"),
     12.0,
     1,
     3.0,
     2e-14,
     {{"gap", 1, 9.91734725786805189338021029466L},
      {"x1", 0, -1.80477824834604031L},
      {"y1", 0, -0.173565986497424852L},
      {"x2", 0, -1.9688123651467014L},
      {"y2", 0, -0.424748805427038501L}}},
    {"P6, a grazing one, |dg/dt| = 0.10",
     SPIRALS("2.4"),
     12.0,
     1,
     30.0,
     1e-13,
     {{"gap", 1, 10.0225996038753330154384593836L}}},
    {"P6, a miss by 0.0093", SPIRALS("2.41"), 12.0, 0, 100.0, 1e-13, {{NULL, 0, 0.0L}}},
    {"C10 a",
     HSML_MODEL("state(v, real); flag(fire);", "v := 0.0;", "v' = 1.5 - v; fire = v - 1.0;",
                "event(fire) positive-going v := 0.0; end positive-going; end event;"),
     11.0,
     10,
     1.0,
     5e-14,
     {{"fire", 1, 1.09861228866810969139524523692L},
      {"fire", 10, 10.9861228866810969139524523692L}}},
    {"C10 b, c, d",
     HSML_MODEL("state(x, real); state(y, real); flag(dottie); flag(hump); flag(half);",
                "x := 0.0; y := 1.0;",
                "x' = 1.0; y' = -y; dottie = x - cos(x); hump = sin(x) - 0.5*x; half = 0.5 - y;",
                ""),
     2.0,
     3,
     0.01,
     2e-15,
     {{"dottie", 1, 0.739085133215160641655312087674L},
      {"hump", 1, 1.89549426703398094714403573809L},
      {"half", 1, 0.693147180559945309417232121458L}}},
};

/* ---- errors ---- */

/* The largest error of all that is expected. */
static double error_of(const problem *p, double tolerance) {
  hsml_wishes wishes = hsml_default(tolerance);
  hsml_run *run = hsml_open(p->text, &wishes);
  hsml_go(run, p->t_end);
  CHECK_MSG(run->status >= 0, "%s at %g: %s", p->name, tolerance, run->diag.message);
  CHECK_MSG(run->not_finite == 0, "%s at %g: %zu numbers are not finite", p->name, tolerance,
            run->not_finite);
  if (p->events > 0)
    CHECK_MSG(run->nevents == p->events, "%s at %g: %zu events, expected %zu", p->name, tolerance,
              run->nevents, p->events);
  double worst = 0.0;
  for (const expected *e = p->expect; e < p->expect + COUNT(p->expect) && e->name != NULL; e++) {
    size_t nth = e->nth == LAST ? hsml_count(run, e->name) : e->nth;
    double found = e->nth > 0 ? hsml_time(run, e->name, nth) : hsml_final(run, e->name);
    double error = (double)fabsl((long double)found - e->value);
    if (!(error <= worst)) worst = error;
  }
  CHECK_INT(hsml_stats(run)->rhs_past_guard, 0);
  CHECK_INT(hsml_stats(run)->method, BRINK_TAYLOR);
  hsml_close(run);
  return worst;
}

TEST(errors_are_a_small_multiple_of_the_tolerance_and_fall_with_it) {
  static const double tolerances[] = {1e-6, 1e-9, 1e-12, 1e-15};
  for (size_t k = 0; k < COUNT(problems); k++) {
    const problem *p = &problems[k];
    double before = (double)INFINITY;
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      double tolerance = tolerances[j], error = error_of(p, tolerance);
      double most = p->factor * tolerance + p->rounding;
      CHECK_MSG(error <= most, "%s at %g: off by %.3g, allowed %.3g", p->name, tolerance, error,
                most);
      CHECK_MSG(error <= fmax(before / 30.0, p->rounding), "%s at %g: off by %.3g, before %.3g",
                p->name, tolerance, error, before);
      before = error;
    }
  }
}

/* ---- order ---- */

/* x' = x cos t, x = exp(sin t); z'' = -64 z. */
static const char smooth[] =
    HSML_MODEL("state(x, real); state(z, real); state(w, real);", "x := 1.0; z := 1.0; w := 0.0;",
               "x' = x*cos(time); z' = w; w' = -64.0*z;", "");

/* Steps of T/n at a fixed order, whatever the tolerance: the error of the oscillator at T = 4, in its
 * plane. A step multiplies z + i w/8 by the truncated series of exp(i theta), theta = 8 h, whose error
 * is theta^(p+1)/(p+1)! (1 + O(theta^2/p^2)): clean powers at steps that are not small at all. */
static double fixed_step_error(int order, int n, double tolerance) {
  double end = 4.0;
  hsml_wishes wishes = hsml_default(tolerance);
  wishes.options.order = order;
  wishes.options.step = end / n;
  hsml_run *run = hsml_open(smooth, &wishes);
  hsml_go(run, end);
  CHECK_INT(run->status, BRINK_TIME_REACHED);
  CHECK_MSG((int)run->nsteps == n, "order %d, tolerance %g: %zu steps, asked for %d", order,
            tolerance, run->nsteps, n);
  CHECK_INT(run->order, order);
  long double z = hsml_final(run, "z") - cosl(32.0L), w = hsml_final(run, "w") / 8.0 + sinl(32.0L);
  hsml_close(run);
  return (double)hypotl(z, w);
}

/* The slope of log error over log h, by least squares. */
static double fitted_order(int order, const int *n, size_t count) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, m = (double)count;
  for (size_t k = 0; k < count; k++) {
    double x = -log((double)n[k]), y = log(fixed_step_error(order, n[k], 0.1));
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (m * sxy - sx * sy) / (m * sxx - sx * sx);
}

TEST(a_fixed_order_is_the_order_of_convergence) {
  static const int n4[] = {256, 512, 1024, 2048}, n6[] = {64, 128, 256, 512},
                   n8[] = {64, 96, 128, 192}, n12[] = {24, 32, 40, 50};
  CHECK_NEAR(fitted_order(4, n4, COUNT(n4)), 4.0, 0.2);
  CHECK_NEAR(fitted_order(6, n6, COUNT(n6)), 6.0, 0.2);
  CHECK_NEAR(fitted_order(8, n8, COUNT(n8)), 8.0, 0.2);
  CHECK_NEAR(fitted_order(12, n12, COUNT(n12)), 12.0, 0.2);
}

TEST(with_order_and_step_given_nothing_is_adapted) {
  for (int n = 40; n <= 100; n += 7) {
    double loose = fixed_step_error(4, n, 0.1), tight = fixed_step_error(4, n, 1e-12);
    CHECK_MSG(loose == tight, "%d steps: off by %.17g, and by %.17g at 1e-12", n, loose, tight);
  }
}

/* An order alone is kept, and steps are as long as the tolerance allows. */
TEST(an_order_alone_is_kept_and_the_tolerance_as_well) {
  for (int order = 4; order <= 20; order += 4) {
    hsml_wishes wishes = hsml_default(1e-9);
    wishes.options.order = order;
    hsml_run *run = hsml_open(smooth, &wishes);
    hsml_go(run, 4.0);
    CHECK_INT(run->status, BRINK_TIME_REACHED);
    CHECK_INT(run->order, order);
    CHECK_NEAR(hsml_final(run, "x"), (double)expl(sinl(4.0L)), 1e-8);
    CHECK_NEAR(hsml_final(run, "z"), (double)cosl(32.0L), 1e-7);
    hsml_close(run);
  }
}

int main(void) {
  RUN(errors_are_a_small_multiple_of_the_tolerance_and_fall_with_it);
  RUN(a_fixed_order_is_the_order_of_convergence);
  RUN(with_order_and_step_given_nothing_is_adapted);
  RUN(an_order_alone_is_kept_and_the_tolerance_as_well);
  return check_done();
}
