/* Events along the Taylor polynomial: all crossings, in order, to rounding; touches, hits and misses by
 * 1e-8 and 1e-10; excursions of a nanosecond. A falling body and a steady motion are polynomials, so
 * that the tolerance must not matter there: every claim is checked from 1e-4 to 1e-12. */
#include "check.h"
#include "support/hsml_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double tolerances[] = {1e-4, 1e-6, 1e-9, 1e-12};

static hsml_run *simulate(const char *text, double tolerance, const char *const *sets, double end) {
  hsml_wishes wishes = hsml_default(tolerance);
  wishes.sets = sets;
  hsml_run *run = hsml_open(text, &wishes);
  hsml_go(run, end);
  CHECK_MSG(run->status >= 0, "at %g: %s", tolerance, run->diag.message);
  CHECK_INT(run->not_finite, 0);
  CHECK_INT(hsml_stats(run)->rhs_past_guard, 0);
  return run;
}

static void check_time(const hsml_run *run, const char *flag, size_t nth, long double exact,
                       brink_direction direction, double within) {
  const hsml_event *event = hsml_nth(run, flag, nth);
  CHECK_MSG(event != NULL, "%s: there is no event %zu", flag, nth);
  if (event == NULL) return;
  double error = (double)(event->t - exact);
  CHECK_MSG(fabs(error) <= within, "%s, event %zu: t = %.17g is off by %.3g, allowed %.3g", flag,
            nth, event->t, error, within);
  CHECK_MSG(event->direction == direction, "%s, event %zu: direction %d", flag, nth,
            (int)event->direction);
}

/* ---- S1: several crossings in one step ---- */

TEST(all_crossings_of_polynomial_guards_are_found_in_one_step) {
  static const char text[] = HSML_MODEL("state(x, real); flag(hump); flag(triple);", "x := 0.0;",
                                        "x' = 1.0; hump = 1e-4 - (x - 1.0/3.0)^2;"
                                        "triple = (x - 0.499)*(x - 0.5)*(x - 0.501);",
                                        "");
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(text, tolerances[j], NULL, 1.0);
    CHECK_INT(run->nevents, 5);
    check_time(run, "hump", 1, 1.0L / 3.0L - 0.01L, BRINK_POSITIVE, 1e-12);
    check_time(run, "hump", 2, 1.0L / 3.0L + 0.01L, BRINK_NEGATIVE, 1e-12);
    check_time(run, "triple", 1, 0.499L, BRINK_POSITIVE, 1e-12);
    check_time(run, "triple", 2, 0.5L, BRINK_NEGATIVE, 1e-12);
    check_time(run, "triple", 3, 0.501L, BRINK_POSITIVE, 1e-12);
    hsml_close(run);
  }
}

/* Where sin t sin 2t = 2 c (1 - c^2), c = cos t, is equal to a level, on the way up (0 … pi/2) and down: by bisection. Its
 * largest value is 0.7698, at c = 0.577. */
static void level_times(long double level, long double times[2]) {
  for (int k = 0; k < 2; k++) {
    long double low = k == 0 ? 1.0L : 0.0L, high = 1.0L / sqrtl(3.0L);
    for (int n = 0; n < 100; n++) {
      long double c = 0.5L * (low + high);
      if (2.0L * c * (1.0L - c * c) < level)
        low = c;
      else
        high = c;
    }
    times[k] = acosl(low);
  }
}

/* The product of two states is past the highest of these levels for 0.04 s at a time, in steps of up to a second that begin and
 * end far from there. */
TEST(short_excursions_of_a_quadratic_guard_on_curved_solutions_are_found) {
  static const char text[] =
      HSML_MODEL("state(x, real); state(v, real); state(y, real); state(w, real);"
                 "flag(a); flag(b); flag(c); flag(d); flag(e);",
                 "x := 0.0; v := 1.0; y := 0.0; w := 2.0;",
                 "x' = v; v' = -x; y' = w; w' = -4.0*y;"
                 "a = x*y - 0.2; b = x*y - 0.5; c = x*y - 0.7; d = x*y - 0.76; e = x*y - 0.769;",
                 "");
  static const char *const flags[] = {"a", "b", "c", "d", "e"};
  static const long double levels[] = {0.2L, 0.5L, 0.7L, 0.76L, 0.769L};
  static const double all[] = {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 1e-15};
  const long double turn = 8.0L * atanl(1.0L);
  for (size_t j = 0; j < COUNT(all); j++) {
    hsml_run *run = simulate(text, all[j], NULL, 18.8); /* almost three turns */
    CHECK_INT(run->nevents, 12 * COUNT(flags));
    for (size_t f = 0; f < COUNT(flags); f++) {
      long double up[2];
      level_times(levels[f], up);
      const long double times[] = {up[0], up[1], turn - up[1], turn - up[0]};
      for (size_t n = 0; n < 12; n++)
        check_time(run, flags[f], n + 1, times[n % 4] + turn * (long double)(n / 4),
                   n % 2 == 0 ? BRINK_POSITIVE : BRINK_NEGATIVE, 1000.0 * all[j] + 1e-12);
    }
    hsml_close(run);
  }
}

TEST(both_crossings_near_the_top_of_a_sine_are_found) {
  static const char text[] =
      HSML_MODEL("state(x, real); state(v, real); flag(top);", "x := 0.0; v := 1.0;",
                 "x' = v; v' = -x; top = x - 0.9999;", "");
  static const double all[] = {1e-4, 1e-6, 1e-9, 1e-12, 1e-15};
  for (size_t j = 0; j < COUNT(all); j++) {
    hsml_run *run = simulate(text, all[j], NULL, 3.0);
    CHECK_INT(run->nevents, 2);
    double within = 3.0 * all[j] / 0.01414 + 1e-13; /* the slope at the crossings */
    if (all[j] > 1e-5) within = 0.01;               /* the hump is a tolerance high */
    check_time(run, "top", 1, 1.55665407331738374163508146582L, BRINK_POSITIVE, within);
    check_time(run, "top", 2, 1.58493858027240949682756191746L, BRINK_NEGATIVE, within);
    hsml_close(run);
  }
}

/* ---- S2: touch, hit, miss ---- */

#define THROWN(flags, guards, rest)                                                                \
  HSML_MODEL("state(y, real); state(v, real); parameter(c, real);" flags, "y := 0.0; v := 5.0;",   \
             "y' = v; v' = -9.81; " guards, rest " assignments c : 1.0; end assignments;")

/* The apex is at 25/19.62, at t = 5/9.81. */
static const long double apex = 25.0L / 19.62L, top = 5.0L / 9.81L;

typedef struct ceiling {
  char word[48];
  const char *sets[2];
  double at;
} ceiling;

static void set_ceiling(ceiling *c, long double below) {
  c->at = (double)(apex - below);
  snprintf(c->word, sizeof c->word, "c=%.17g", c->at);
  c->sets[0] = c->word, c->sets[1] = NULL;
}

static const char *const guard_names[] = {"linear", "square", "exponential", "sine", "norm"};
static const char bilateral[] =
    THROWN("flag(linear); flag(square); flag(exponential); flag(sine); flag(norm);",
           "linear = y - c; square = y^2 - c^2; exponential = exp(y) - exp(c);"
           "sine = sin(y) - sin(c); norm = hypot(y, 1.0) - hypot(c, 1.0);",
           "");

/* The ceiling is below the apex by d: two crossings, off by no more than a few roundings of y are
 * worth there; their distance is that of the parabola. */
TEST(a_hit_by_as_little_as_1e_minus_10_is_two_events) {
  static const double depths[] = {1e-6, 1e-8, 1e-10};
  for (size_t k = 0; k < COUNT(depths); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      ceiling c;
      set_ceiling(&c, depths[k]);
      hsml_run *run = simulate(bilateral, tolerances[j], c.sets, 1.0);
      long double depth = apex - c.at, half = sqrtl(2.0L * depth / 9.81L);
      double within = (double)(1e-14L / sqrtl(2.0L * 9.81L * depth)) + 1e-15;
      CHECK_MSG(run->nevents == 10, "hit by %g at %g: %zu events, expected 10", depths[k],
                tolerances[j], run->nevents);
      for (size_t n = 0; n < COUNT(guard_names); n++) {
        check_time(run, guard_names[n], 1, top - half, BRINK_POSITIVE, within);
        check_time(run, guard_names[n], 2, top + half, BRINK_NEGATIVE, within);
      }
      hsml_close(run);
    }
}

/* Above it: none, and a near miss where it is within a thousand tolerances. */
TEST(a_miss_by_as_little_as_1e_minus_10_is_no_event) {
  static const double heights[] = {1e-6, 1e-8, 1e-10};
  for (size_t k = 0; k < COUNT(heights); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      ceiling c;
      set_ceiling(&c, -heights[k]);
      hsml_run *run = simulate(bilateral, tolerances[j], c.sets, 1.0);
      CHECK_MSG(run->nevents == 0, "miss by %g at %g: %zu events", heights[k], tolerances[j],
                run->nevents);
      bool near = heights[k] < 1000.0 * tolerances[j];
      for (size_t n = 0; n < COUNT(guard_names); n++)
        CHECK_MSG(hsml_misses(run, guard_names[n]) == (near ? 1 : 0),
                  "%s, miss by %g at %g: %zu near misses", guard_names[n], heights[k],
                  tolerances[j], hsml_misses(run, guard_names[n]));
      hsml_close(run);
    }
}

/* y = 4 t - 4 t^2 reaches 1 at t = 1/2, in doubles, too. */
#define TOUCHING(flags, guards, rest)                                                              \
  HSML_MODEL("state(y, real); state(v, real);" flags, "y := 0.0; v := 4.0;",                       \
             "y' = v; v' = -8.0; " guards, rest)

TEST(a_touch_of_a_bilateral_polynomial_guard_is_a_near_miss) {
  static const char text[] =
      TOUCHING("flag(linear); flag(square);", "linear = 1.0 - y; square = 1.0 - y^2;", "");
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(text, tolerances[j], NULL, 1.0);
    CHECK_MSG(run->nevents == 0, "at %g: %zu events, the first of %s", tolerances[j], run->nevents,
              run->nevents > 0 ? run->events[0].name : "");
    CHECK_INT(run->nmisses, 2);
    for (size_t k = 0; k < run->nmisses; k++) {
      CHECK_NEAR(run->misses[k].t, 0.5, 1e-7);
      CHECK_NEAR(run->misses[k].value, 0.0, 1e-14);
    }
    hsml_close(run);
  }
}

/* exp and sin of 1 are rounded: whether they touch is left to rounding; if there is a crossing, there is
 * one back, where rounding can reach. */
TEST(a_touch_of_a_bilateral_transcendental_guard_is_a_near_miss_or_a_pair_of_crossings) {
  static const char *const texts[] = {TOUCHING("flag(g);", "g = exp(1.0) - exp(y);", ""),
                                      TOUCHING("flag(g);", "g = sin(1.0) - sin(y);", "")};
  for (size_t n = 0; n < COUNT(texts); n++)
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      hsml_run *run = simulate(texts[n], tolerances[j], NULL, 1.0);
      CHECK_MSG(run->nevents == 0 || run->nevents == 2, "at %g: %zu events", tolerances[j],
                run->nevents);
      for (size_t k = 0; k < run->nevents; k++) {
        CHECK_NEAR(run->events[k].t, 0.5, 3e-8);
        CHECK_INT(run->events[k].direction, k == 0 ? BRINK_NEGATIVE : BRINK_POSITIVE);
      }
      if (run->nevents == 0) CHECK_INT(run->nmisses, 1);
      hsml_close(run);
    }
}

TEST(a_touch_of_a_unilateral_guard_is_an_event) {
  static const char *const texts[] = {
      TOUCHING("flag(g, unilateral);", "g = 1.0 - y;", ""),
      TOUCHING("flag(g, unilateral);", "g = 1.0 - y^2;", ""),
      TOUCHING("flag(g, unilateral);", "g = exp(1.0) - exp(y);", ""),
      TOUCHING("flag(g, unilateral);", "g = sin(1.0) - sin(y);", "")};
  for (size_t k = 0; k < COUNT(texts); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      hsml_run *run = simulate(texts[k], tolerances[j], NULL, 1.0);
      CHECK_MSG(run->nevents == 1, "guard %zu at %g: %zu events", k, tolerances[j], run->nevents);
      CHECK_INT(run->status, BRINK_TIME_REACHED);
      const hsml_event *event = hsml_nth(run, "g", 1);
      if (event != NULL) {
        CHECK_INT(event->kind, BRINK_TOUCHED);
        CHECK(event->before[0] <= 1.0);
        CHECK_NEAR(event->t, 0.5, sqrt(2.0 * 1.001 * tolerances[j] / 8.0));
      }
      CHECK_NEAR(hsml_final(run, "y"), 0.0, 1e-14);
      hsml_close(run);
    }
}

/* A unilateral ceiling: what comes within the tolerance has touched it, what turns before has not, and
 * what would go past by more than the tolerance has hit it: there it bounces. */
TEST(unilateral_guards_tell_hits_touches_and_misses_by_their_tolerance) {
  static const char text[] =
      THROWN("flag(wall, unilateral);", "wall = exp(c) - exp(y);",
             "event(wall) negative-going v := -v; end negative-going; end event;");
  static const char plain[] =
      THROWN("flag(wall, unilateral);", "wall = c - y;",
             "event(wall) negative-going v := -v; end negative-going; end event;");
  static const double depths[] = {1e-6, 1e-8, 1e-10, -1e-10, -1e-8, -1e-6};
  for (size_t k = 0; k < COUNT(depths); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++)
      for (int form = 0; form < 2; form++) {
        ceiling c;
        set_ceiling(&c, depths[k]);
        hsml_run *run = simulate(form == 0 ? plain : text, tolerances[j], c.sets, 1.0);
        double tolerance =
            1.001 * tolerances[j] * c.at; /* of y; that of exp(y) is exp(y) times it */
        bool expected = -depths[k] < tolerance;
        CHECK_MSG(run->nevents == (expected ? 1 : 0), "form %d, hit by %g at %g: %zu events", form,
                  depths[k], tolerances[j], run->nevents);
        const hsml_event *event = hsml_nth(run, "wall", 1);
        if (event != NULL) {
          CHECK_MSG(event->before[0] <= c.at, "hit by %g at %g: %.3g outside", depths[k],
                    tolerances[j], event->before[0] - c.at);
          CHECK(event->before[0] >= c.at - tolerance);
          if (depths[k] > tolerance) {
            long double half = sqrtl(2.0L * (apex - c.at) / 9.81L);
            double within = (double)(1e-14L / (9.81L * half)) + 1e-15;
            check_time(run, "wall", 1, top - half, BRINK_NEGATIVE, within);
            CHECK_INT(event->kind, BRINK_CROSSED);
          }
        }
        hsml_close(run);
      }
}

/* The same on a solution that is no polynomial: cos t rises past 1 - d for a moment at t = 2 pi. */
TEST(grazing_at_1e_minus_10_is_right_on_curved_solutions_at_1e_minus_15) {
  static const char text[] =
      HSML_MODEL("state(x, real); state(v, real); parameter(c, real);"
                 "flag(linear); flag(exponential);",
                 "x := 1.0; v := 0.0;",
                 "x' = v; v' = -x; linear = x - c; exponential = exp(3.0*x) - exp(3.0*c);",
                 "assignments c : 1.0; end assignments;");
  static const double depths[] = {1e-8, 1e-10, -1e-10, -1e-8};
  for (size_t k = 0; k < COUNT(depths); k++) {
    char word[48];
    double c = 1.0 - depths[k];
    snprintf(word, sizeof word, "c=%.17g", c);
    const char *sets[] = {word, NULL};
    hsml_run *run = simulate(text, 1e-15, sets, 8.0);
    bool hit = depths[k] > 0.0;
    /* The start is above the line if there is one to be crossed: it leaves at acos(c). */
    CHECK_MSG(run->nevents == (hit ? 6 : 0), "grazing by %g: %zu events", depths[k], run->nevents);
    if (hit) {
      long double half = acosl(c), around = 6.28318530717958647692528676656L;
      double within = (double)(3e-14L / half);
      check_time(run, "linear", 1, half, BRINK_NEGATIVE, within);
      check_time(run, "linear", 2, around - half, BRINK_POSITIVE, within);
      check_time(run, "linear", 3, around + half, BRINK_NEGATIVE, within);
      check_time(run, "exponential", 2, around - half, BRINK_POSITIVE, within);
    }
    hsml_close(run);
  }
}

/* ---- García's examples: none is lost ---- */

#define GARCIA(start, field)                                                                       \
  HSML_MODEL("state(x1, real); state(x2, real); parameter(alpha, real); flag(g);", start,          \
             field "g = x2 + alpha;",                                                              \
             "event(g) negative-going stop(\"the line\"); end negative-going; end event;"          \
             "assignments alpha : 9.0; end assignments;")

static const char linear_field[] =
    GARCIA("x1 := -2.0; x2 := -2.0;", "x1' = x1 - x2; x2' = x1 + x2;");
static const char nonlinear_field[] =
    GARCIA("x1 := -2.5; x2 := 951.5625;", "x1' = 1.0; x2' = 10.0*(1.0 - 5.0*x1^4);");

static long double linear_line(long double t, long double alpha) {
  return alpha - 2.0L * expl(t) * (sinl(t) + cosl(t));
}
static long double nonlinear_line(long double t, long double alpha) {
  long double x = t - 2.5L;
  return alpha + 10.0L * (x - x * x * x * x * x);
}

/* The first crossing, between 0 and the place of the tangency, by bisection. */
static long double first_crossing(long double (*g)(long double, long double), long double alpha,
                                  long double tangency) {
  long double a = 0.0L, b = tangency;
  for (int k = 0; k < 200; k++) {
    long double middle = (a + b) / 2.0L;
    if (g(middle, alpha) > 0.0L)
      a = middle;
    else
      b = middle;
  }
  return b;
}

static void check_garcia(const char *text, long double (*g)(long double, long double), double alpha,
                         long double tangency, bool early, double tolerance, double within) {
  char word[48];
  snprintf(word, sizeof word, "alpha=%.17g", alpha);
  const char *sets[] = {word, NULL};
  hsml_run *run = simulate(text, tolerance, sets, 6.0);
  CHECK_INT(run->status, BRINK_STOPPED);
  double t = hsml_time(run, "g", 1);
  if (early) {
    long double exact = first_crossing(g, alpha, tangency);
    CHECK_MSG(fabs((double)(t - exact)) <= within, "alpha = %.17g: t = %.17g is off by %.3g", alpha,
              t, (double)(t - exact));
  } else {
    CHECK_MSG(t > (double)tangency + 0.1, "alpha = %.17g: an event at t = %.17g", alpha, t);
  }
  hsml_close(run);
}

static const long double linear_tangency = 1.57079632679489661923132169164L;
static const long double linear_critical = 9.62095476193070331094607133341L;
static const long double nonlinear_tangency = 2.5L - 0.668740304976422024003233073258L;
static const long double nonlinear_critical = 5.34992243981137619202586458607L;

TEST(none_of_the_198_events_below_the_tangency_is_lost_at_1e_minus_9) {
  int count = 0;
  for (int k = 900; k <= 1000; k++) {
    bool early = k / 100.0 < (double)linear_critical;
    check_garcia(linear_field, linear_line, k / 100.0, linear_tangency, early, 1e-9, 1e-5);
    count += early;
  }
  for (int k = 400; k <= 800; k++) {
    bool early = k / 100.0 < (double)nonlinear_critical;
    check_garcia(nonlinear_field, nonlinear_line, k / 100.0, nonlinear_tangency, early, 1e-9, 1e-5);
    count += early;
  }
  CHECK_INT(count, 198);
}

/* At 1e-15 the answer is right down to 1e-9 from the tangency, and a hundred times closer where the
 * solution is a polynomial. dt = dg/|dg/dt|, with |dg/dt| = sqrt(2 g'' d). */
TEST(no_event_is_lost_or_invented_1e_minus_9_from_the_tangency_at_1e_minus_15) {
  for (int k = 3; k <= 9; k++) {
    double d = pow(10.0, -k), within = 3e-13 / sqrt(d);
    check_garcia(linear_field, linear_line, (double)(linear_critical - d), linear_tangency, true,
                 1e-15, within);
    check_garcia(linear_field, linear_line, (double)(linear_critical + d), linear_tangency, false,
                 1e-15, 0.0);
    check_garcia(nonlinear_field, nonlinear_line, (double)(nonlinear_critical - d),
                 nonlinear_tangency, true, 1e-15, within);
    check_garcia(nonlinear_field, nonlinear_line, (double)(nonlinear_critical + d),
                 nonlinear_tangency, false, 1e-15, 0.0);
  }
}

/* ---- a nanosecond ---- */

/* Two walls a nanometre apart: two balls, two collisions. */
TEST(two_collisions_a_nanosecond_apart_are_two_events) {
  static const char text[] =
      HSML_MODEL("state(x, real); state(y, real); state(u, real); state(v, real);"
                 "flag(first, unilateral); flag(second, unilateral);",
                 "x := 0.0; y := 0.0; u := 1.0; v := 1.0;",
                 "x' = u; y' = v; u' = 0.0; v' = 0.0; first = 1.0 - x; second = 1.000000001 - y;",
                 "event(first) negative-going u := -u; end negative-going; end event;"
                 "event(second) negative-going v := -v; end negative-going; end event;");
  static const double ends[] = {2.0, 1e3, 1e7}; /* straight lines: the first step goes to the end */
  for (size_t k = 0; k < COUNT(ends); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      hsml_run *run = simulate(text, tolerances[j], NULL, ends[k]);
      CHECK_INT(run->nevents, 2);
      check_time(run, "first", 1, 1.0L, BRINK_NEGATIVE, 1e-15);
      check_time(run, "second", 1, 1.000000001L, BRINK_NEGATIVE, 1e-15);
      CHECK_NEAR(hsml_final(run, "x"), 2.0 - ends[k], 1e-14 * ends[k]);
      CHECK_NEAR(hsml_final(run, "y"), 2.000000002 - ends[k], 1e-14 * ends[k]);
      hsml_close(run);
    }
}

/* However long the step is, events are where they are, and inside: quadratic, transcendental, formula. */
TEST(location_does_not_get_worse_with_the_length_of_the_step) {
  static const char text[] =
      HSML_MODEL("state(x, real); state(y, real); state(u, real);"
                 "flag(wall, unilateral); flag(ring, unilateral); flag(curve); flag(both);",
                 "x := 0.0; y := 0.3; u := 1.0;",
                 "x' = u; y' = 0.5; u' = 0.0;"
                 "wall = 3.0 - x; ring = 4.0 - (y^2 + 0.25); curve = atan(y) - 1.0; both = (y >= "
                 "1.0) and (y >= 1.2);",
                 "event(wall) negative-going u := -u; end negative-going; end event;"
                 "event(ring) negative-going stop(\"there\"); end negative-going; end event;");
  static const double ends[] = {5.0, 1e3, 1e7};
  for (size_t k = 0; k < COUNT(ends); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      hsml_run *run = simulate(text, tolerances[j], NULL, ends[k]);
      CHECK_INT(run->status, BRINK_STOPPED);
      check_time(run, "both", 1, 1.8L, BRINK_POSITIVE, 2e-15);
      check_time(run, "curve", 1, 2.0L * (tanl(1.0L) - 0.3L), BRINK_POSITIVE, 3e-15);
      check_time(run, "wall", 1, 3.0L, BRINK_NEGATIVE, 2e-15);
      check_time(run, "ring", 1, 2.0L * (sqrtl(3.75L) - 0.3L), BRINK_NEGATIVE, 4e-15);
      const hsml_event *ring = hsml_nth(run, "ring", 1);
      if (ring != NULL) CHECK(4.0 - (ring->before[1] * ring->before[1] + 0.25) >= 0.0);
      hsml_close(run);
    }
}

/* One floor, and a ball that is back a nanosecond after its first bounce, having risen by 1e-13. Its
 * height at the first, 0 within rounding of 1, is worth 1e-12 of time with the speed of 4e-4. */
TEST(a_flag_that_fires_again_after_a_nanosecond_is_not_swallowed) {
  static const char *const texts[] = {
#define BALL(side)                                                                                 \
  HSML_MODEL("state(y, real); state(v, real); mode(n, {\"none\", \"one\", \"two\"});"              \
             "flag(floor" side ");",                                                               \
             "y := 1.0; v := 0.0; n := \"none\";", "y' = v; v' = -8e5; floor = y;",                \
             "event(floor) negative-going"                                                         \
             "  if n = \"none\" then v := 4e-4; n := \"one\";"                                     \
             "  else v := 1e3; n := \"two\"; end if;"                                              \
             "end negative-going; end event;")
      BALL(", unilateral"), BALL(""), BALL(", crossing")};
  static const double ends[] = {2e-3, 3.5e-3}; /* the next bounce is at 4.08e-3 */
  long double first = sqrtl(2.0L / 8e5L);
  for (size_t k = 0; k < COUNT(texts); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++)
      for (size_t n = 0; n < COUNT(ends); n++) {
        hsml_run *run = simulate(texts[k], tolerances[j], NULL, ends[n]);
        CHECK_MSG(run->nevents == 2, "ball %zu at %g: %zu events", k, tolerances[j], run->nevents);
        check_time(run, "floor", 1, first, BRINK_NEGATIVE, 1e-17);
        check_time(run, "floor", 2, first + 1e-9L, BRINK_NEGATIVE, 1e-11);
        hsml_close(run);
      }
}

TEST(a_flag_that_is_past_zero_for_a_nanosecond_makes_two_events) {
  static const char text[] = HSML_MODEL(
      "state(x, real); state(y, real); state(v, real); flag(slit); flag(hump); flag(near);",
      "x := 0.0; y := 0.0; v := 4.0e4;",
      "x' = 1.0; y' = v; v' = -8.0e8;"
      "slit = (x >= 0.7) and (x <= 0.700000001);" /* for a nanosecond */
      "hump = y - (1.0 - 1e-10);" /* y = 4 s - 4 s^2, s = 1e4 t: above for 1e-4*1e-5 */
      "near = exp(y) - exp(1.0 - 1e-10);",
      "");
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(text, tolerances[j], NULL, 1.0);
    CHECK_INT(hsml_count(run, "slit"), 2);
    CHECK_INT(hsml_count(run, "hump"), 2);
    CHECK_INT(hsml_count(run, "near"), 2);
    check_time(run, "slit", 1, 0.7L, BRINK_POSITIVE, 1e-15);
    check_time(run, "slit", 2, 0.700000001L, BRINK_NEGATIVE, 1e-15);
    check_time(run, "hump", 1, 0.5e-4L - 0.5e-9L, BRINK_POSITIVE, 1e-14);
    check_time(run, "hump", 2, 0.5e-4L + 0.5e-9L, BRINK_NEGATIVE, 1e-14);
    check_time(run, "near", 1, 0.5e-4L - 0.5e-9L, BRINK_POSITIVE, 1e-14);
    check_time(run, "near", 2, 0.5e-4L + 0.5e-9L, BRINK_NEGATIVE, 1e-14);
    hsml_close(run);
  }
}

/* Thirty crossings of one guard in one step: none is lost, none out of order. */
TEST(many_crossings_of_a_transcendental_guard_come_in_order) {
  static const char text[] =
      HSML_MODEL("state(x, real); flag(wave); flag(chirp);", "x := 0.0;",
                 "x' = 1.0; wave = sin(100.0*x + 1.0); chirp = sin(20.0*x^2 + 1.0);", "");
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(text, tolerances[j], NULL, 3.0);
    const long double pi = 3.14159265358979323846264338328L;
    size_t waves = (size_t)floorl(301.0L / pi), chirps = (size_t)floorl(181.0L / pi);
    CHECK_INT(hsml_count(run, "wave"), waves);
    CHECK_INT(hsml_count(run, "chirp"), chirps);
    for (size_t n = 1; n <= waves; n++)
      check_time(run, "wave", n, ((long double)n * pi - 1.0L) / 100.0L,
                 n % 2 == 1 ? BRINK_NEGATIVE : BRINK_POSITIVE, 1e-14);
    for (size_t n = 1; n <= chirps; n++)
      check_time(run, "chirp", n, sqrtl(((long double)n * pi - 1.0L) / 20.0L),
                 n % 2 == 1 ? BRINK_NEGATIVE : BRINK_POSITIVE, 1e-14);
    for (size_t n = 1; n < run->nevents; n++) CHECK(run->events[n].t >= run->events[n - 1].t);
    hsml_close(run);
  }
}

/* Bumps of width 0.1 and more in a step of 3: from far away their series are next to nothing (exp), or know
 * of poles (the quotient). */
TEST(bumps_of_transcendental_guards_are_not_lost_in_a_long_step) {
  static const struct {
    const char *text;
    double a;
  } cases[] = {
#define BUMPS(a)                                                                                   \
  HSML_MODEL("state(x, real); flag(bump); flag(pole);", "x := 0.0;",                               \
             "x' = 1.0; bump = exp(-" a "*(x - 1.2)^2) - 0.5;"                                     \
             "pole = 1.0/(1.0 + " a "*(x - 1.7)^2) - 0.5;",                                        \
             "")
      {BUMPS("10.0"), 10.0}, {BUMPS("30.0"), 30.0}, {BUMPS("100.0"), 100.0}};
  for (size_t k = 0; k < COUNT(cases); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      hsml_run *run = simulate(cases[k].text, tolerances[j], NULL, 3.0);
      long double half = sqrtl(logl(2.0L) / cases[k].a), other = sqrtl(1.0L / cases[k].a);
      CHECK_MSG(run->nevents == 4, "a = %g at %g: %zu events", cases[k].a, tolerances[j],
                run->nevents);
      check_time(run, "bump", 1, 1.2L - half, BRINK_POSITIVE, 1e-14);
      check_time(run, "bump", 2, 1.2L + half, BRINK_NEGATIVE, 1e-14);
      check_time(run, "pole", 1, 1.7L - other, BRINK_POSITIVE, 1e-14);
      check_time(run, "pole", 2, 1.7L + other, BRINK_NEGATIVE, 1e-14);
      hsml_close(run);
    }
}

int main(void) {
  RUN(all_crossings_of_polynomial_guards_are_found_in_one_step);
  RUN(short_excursions_of_a_quadratic_guard_on_curved_solutions_are_found);
  RUN(both_crossings_near_the_top_of_a_sine_are_found);
  RUN(a_hit_by_as_little_as_1e_minus_10_is_two_events);
  RUN(a_miss_by_as_little_as_1e_minus_10_is_no_event);
  RUN(a_touch_of_a_bilateral_polynomial_guard_is_a_near_miss);
  RUN(a_touch_of_a_bilateral_transcendental_guard_is_a_near_miss_or_a_pair_of_crossings);
  RUN(a_touch_of_a_unilateral_guard_is_an_event);
  RUN(unilateral_guards_tell_hits_touches_and_misses_by_their_tolerance);
  RUN(grazing_at_1e_minus_10_is_right_on_curved_solutions_at_1e_minus_15);
  RUN(none_of_the_198_events_below_the_tangency_is_lost_at_1e_minus_9);
  RUN(no_event_is_lost_or_invented_1e_minus_9_from_the_tangency_at_1e_minus_15);
  RUN(two_collisions_a_nanosecond_apart_are_two_events);
  RUN(location_does_not_get_worse_with_the_length_of_the_step);
  RUN(a_flag_that_fires_again_after_a_nanosecond_is_not_swallowed);
  RUN(a_flag_that_is_past_zero_for_a_nanosecond_makes_two_events);
  RUN(many_crossings_of_a_transcendental_guard_come_in_order);
  RUN(bumps_of_transcendental_guards_are_not_lost_in_a_long_step);
  return check_done();
}
