/* Singular edges under the Taylor method: where derivatives blow up at the surface itself, the series
 * converge only up to it, and the steps shrink geometrically. At every tolerance from 1e-4 to 1e-12 the
 * event is reported, within what the tolerance implies; the state stays inside; nothing is evaluated
 * past the surface; nothing is ever no number; and the number of steps is bounded.
 *
 * What the tolerance implies (reference: section 5 of the problem collection): a state that counts as
 * arrived at a distance eta = rtol |x| + atol of its edge is early by what the exact solution takes for
 * the rest of the way, and an error E of the state at the edge shifts the time by as much as E is worth
 * there: 2 sqrt(E)/k where h' = -k sqrt(h), E^2/c^2 where th ~ c sqrt(t* - t), E^(3/2) 2 sqrt(2)/(3 k)
 * at the speed of sound, 3/2 E^(2/3) where c' = -c^(1/3). */
#include "check.h"
#include "support/hsml_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double tolerances[] = {1e-4, 1e-5, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12};

/* Ratios of steps towards an edge are about 1 - tol^(1/p): no more than this many to 1e-15 of the way. */
enum { STEPS = 400 };

typedef struct edge {
  const char *name, *text;
  const char *flag, *state;
  double t_end, t;
  double surface;      /* value of the state there */
  double worth, power; /* a distance E from the surface is worth `worth` E^power in time */
  double before; /* an error of the solution before the edge shifts it by so many tolerances */
  bool rises;    /* to the surface */
} edge;

static const char torricelli[] =
    HSML_MODEL("state(h, real); mode(phase, {\"wet\", \"dry\"}); flag(empty, unilateral);",
               "h := 1.0; phase := \"wet\";",
               "if phase = \"wet\" then h' = -0.2*sqrt(h); else h' = 0.0; end if; empty = h;",
               "event(empty) negative-going phase := \"dry\"; end negative-going; end event;");

static const char supersonic[] = HSML_MODEL(
    "state(M, real); mode(regime, {\"above\", \"below\"}); flag(sonic, unilateral); flag(half);",
    "M := 2.0; regime := \"above\";",
    "if regime = \"above\" then M' = -0.1*M^2/sqrt(M^2 - 1.0); else M' = -0.1*M^2; end if;"
    "sonic = M - 1.0; half = M - 0.5;",
    "event(sonic) negative-going regime := \"below\"; end negative-going; end event;");

static const char grain[] =
    HSML_MODEL("state(c, real); mode(phase, {\"left\", \"gone\"}); flag(gone, unilateral);",
               "c := 8.0; phase := \"left\";",
               "if phase = \"left\" then c' = -c^(1.0/3.0); else c' = 0.0; end if; gone = c;",
               "event(gone) negative-going phase := \"gone\"; end negative-going; end event;");

static const char arm[] = HSML_MODEL(
    "state(th1, real); state(th2, real); flag(stretched, unilateral);",
    "th1 := 0.180465720247468502636584409829; th2 := 2.26529459242145260707012100669;",
    "th1' = (0.3*cos(th1 + th2) + 0.15*sin(th1 + th2))/sin(th2);"
    "th2' = -(0.3*(cos(th1) + 0.5*cos(th1 + th2)) + 0.15*(sin(th1) + 0.5*sin(th1 + th2)))"
    "/(0.5*sin(th2));"
    "stretched = th2;",
    "event(stretched) negative-going stop(\"stretched\"); end negative-going; end event;");

#define FALLING(name, start, field)                                                                \
  HSML_MODEL("state(x, real); mode(phase, {\"moving\", \"ended\"}); flag(edge, unilateral);",      \
             "x := " start "; phase := \"moving\";",                                               \
             "if phase = \"moving\" then x' = " field "; else x' = 0.0; end if; edge = " name ";", \
             "event(edge) negative-going phase := \"ended\"; end negative-going; end event;")

static const edge edges[] = {
    {"C1 a", torricelli, "empty", "h", 12.0, 10.0, 0.0, 10.0, 0.5, 0.0, false},
    {"C11, steep", FALLING("x", "1.0", "-1.0 - sqrt(x)"), "edge", "x", 1.0,
     0.613705638880109381165535757084, 0.0, 1.0, 1.0, 4.0, false},
    {"C11, flat", FALLING("x", "1.0", "-sqrt(x)"), "edge", "x", 3.0, 2.0, 0.0, 2.0, 0.5, 0.0,
     false},
    {"C6", supersonic, "sonic", "M", 15.0, 4.50932493140378061861323176555, 1.0, 9.43, 1.5, 100.0,
     false},
    {"C7, c' = -c^(1/3)", grain, "gone", "c", 8.0, 6.0, 0.0, 1.5, 2.0 / 3.0, 10.0, false},
    {"P2", arm, "stretched", "th2", 3.0, 2.1735535480924566914185734816, 0.0, 0.5, 2.0, 10.0,
     false},
    /* x = (1 - t/10)^10: a zero of order ten, which is within the tolerance long before */
    {"x' = -x^0.9", FALLING("x", "1.0", "-x^0.9"), "edge", "x", 11.0, 10.0, 0.0, 10.0, 0.1, 10.0,
     false},
    {"x' = -1/x", FALLING("x", "1.0", "-1.0/x"), "edge", "x", 1.0, 0.5, 0.0, 0.5, 2.0, 10.0, false},
    {"x' = -x^-3", FALLING("x", "1.0", "-x^(-3.0)"), "edge", "x", 1.0, 0.25, 0.0, 0.25, 4.0, 10.0,
     false},
    /* t* = -li(1/2) */
    {"x' = log x", FALLING("x", "0.5", "log(x)"), "edge", "x", 1.0,
     0.378671043061087976727207184637, 0.0, 1.0, 1.0, 4.0, false},
    /* x = cos u, t = Si(pi/2) - Si(u), 1 - x = u^2/2 */
    {"x' = acos x", FALLING("1.0 - x", "0.0", "acos(x)"), "edge", "x", 2.0,
     1.37076216815448848006967828838, 1.0, 1.5, 0.5, 10.0, true},
    {"x' = 1/acos x", FALLING("1.0 - x", "0.0", "1.0/acos(x)"), "edge", "x", 2.0, 1.0, 1.0, 1.0,
     1.5, 10.0, true},
};

/* All that holds for every run that meets an edge. */
static void check_run(const hsml_run *run, const char *name, double tolerance) {
  const brink_stats *stats = hsml_stats(run);
  CHECK_MSG(run->status >= 0, "%s at %g: %s", name, tolerance, run->diag.message);
  CHECK_MSG(run->not_finite == 0, "%s at %g: %zu numbers are not finite", name, tolerance,
            run->not_finite);
  CHECK_MSG(stats->rhs_past_guard == 0, "%s at %g: %lld evaluations past the surface", name,
            tolerance, (long long)stats->rhs_past_guard);
  CHECK_MSG(stats->steps + stats->rejected <= STEPS, "%s at %g: %lld steps, %lld rejected", name,
            tolerance, (long long)stats->steps, (long long)stats->rejected);
}

/* The event, if there was one: on its side, as close as the tolerance (or time) tells, in time. */
static void check_arrival(const edge *e, const hsml_run *run, double tolerance) {
  const hsml_event *event = hsml_nth(run, e->flag, 1);
  CHECK_MSG(hsml_count(run, e->flag) == 1, "%s at %g: %zu events, expected 1", e->name, tolerance,
            hsml_count(run, e->flag));
  if (event == NULL) return;
  double side = e->rises ? -1.0 : 1.0;
  double gap = side * (event->before[hsml_state(run, e->state)] - e->surface);
  double eta = tolerance * fabs(e->surface) + 1e-3 * tolerance;
  bool near = gap <= eta || e->worth * pow(gap, e->power) <= 64.0 * 0x1p-52 * e->t;
  CHECK_MSG(gap >= 0.0, "%s at %g: %s is %.3g outside", e->name, tolerance, e->state, -gap);
  CHECK_MSG(near, "%s at %g: %s is %.3g from the surface, tolerance %.3g", e->name, tolerance,
            e->state, gap, eta);
  /* Steps from 1 to the edge may be off by a tolerance; rounding by 4e-16. */
  double slack = e->worth * (pow(tolerance + eta, e->power) + pow(4e-16, e->power)) +
                 e->before * tolerance + 1e-14;
  CHECK_MSG(fabs(event->t - e->t) <= slack, "%s at %g: t off by %.3g, allowed %.3g", e->name,
            tolerance, event->t - e->t, slack);
  CHECK_INT(event->direction, BRINK_NEGATIVE);
}

static void check_edge(const edge *e, double tolerance) {
  hsml_wishes wishes = hsml_default(tolerance);
  hsml_run *run = hsml_open(e->text, &wishes);
  hsml_go(run, e->t_end);
  check_run(run, e->name, tolerance);
  check_arrival(e, run, tolerance);
  double side = e->rises ? -1.0 : 1.0, end = hsml_final(run, e->state);
  if (strcmp(e->flag, "sonic") != 0) /* there it goes on below */
    CHECK_MSG(side * (end - e->surface) >= 0.0, "%s at %g: ends at %.17g", e->name, tolerance, end);
  hsml_close(run);
}

TEST(singular_edges_are_reached_from_inside_at_every_tolerance) {
  for (size_t k = 0; k < COUNT(edges); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++) check_edge(&edges[k], tolerances[j]);
}

/* C6: from the speed of sound to half of it takes 10. */
TEST(what_comes_after_the_speed_of_sound_is_late_by_as_much) {
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_wishes wishes = hsml_default(tolerances[j]);
    hsml_run *run = hsml_open(supersonic, &wishes);
    hsml_go(run, 15.0);
    CHECK_INT(run->status, BRINK_TIME_REACHED);
    CHECK_INT(hsml_count(run, NULL), 2);
    double between = hsml_time(run, "half", 1) - hsml_time(run, "sonic", 1);
    CHECK_NEAR(between, 10.0, 100.0 * tolerances[j] + 1e-13);
    hsml_close(run);
  }
}

/* ---- C7: starts on a boundary ---- */

static const char depletion[] =
    HSML_MODEL("state(A, real); state(B, real); mode(a, {\"left\", \"spent\"}); mode(b, {\"left\", "
               "\"spent\"});"
               "flag(a_gone, unilateral); flag(b_gone, unilateral);",
               "A := 2.0; B := 0.0; a := \"left\"; b := \"left\";",
               "if a = \"left\" then A' = -0.3*sqrt(A); B' = 0.3*sqrt(A) - 0.2*sqrt(B);"
               "elsif b = \"left\" then A' = 0.0; B' = -0.2*sqrt(B);"
               "else A' = 0.0; B' = 0.0; end if;"
               "a_gone = A; b_gone = B;",
               "event(a_gone) negative-going a := \"spent\"; end negative-going; end event;"
               "event(b_gone) negative-going b := \"spent\"; end negative-going; end event;");

TEST(a_start_on_a_singular_boundary_is_no_event_and_no_obstacle) {
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    double tolerance = tolerances[j], eta = 1e-3 * tolerance;
    hsml_wishes wishes = hsml_default(tolerance);
    hsml_run *run = hsml_open(depletion, &wishes);
    hsml_go(run, 20.0);
    check_run(run, "C7", tolerance);
    CHECK_INT(hsml_count(run, "a_gone"), 1);
    CHECK_INT(hsml_count(run, "b_gone"), 1);
    const hsml_event *a = hsml_nth(run, "a_gone", 1), *b = hsml_nth(run, "b_gone", 1);
    if (a != NULL && b != NULL) {
      double early = 2.0 * sqrt(eta) / 0.3 + 2e-7, late = 10.0 * tolerance;
      CHECK_NEAR(a->t, 9.42809041582063365867792482806, 2.0 * early + late);
      CHECK_NEAR(a->before[1], 0.517951051090411953887938801267, 0.2 * early + late);
      CHECK_NEAR(b->t, 16.6249720397631308379806042654, 4.0 * early + 10.0 * late);
      CHECK(a->before[0] >= 0.0 && a->before[0] <= eta);
      CHECK(b->before[1] >= 0.0 && b->before[1] <= eta);
    }
    hsml_close(run);
  }
}

/* h' = 0.15 - 0.2 sqrt(h) from h = 0: s = sqrt(h), t = -10 s - 7.5 ln(1 - s/0.75). */
TEST(a_tank_that_fills_from_empty_is_not_reported_empty) {
  static const char text[] =
      HSML_MODEL("state(h, real); flag(empty, unilateral); flag(quarter);", "h := 0.0;",
                 "h' = 0.15 - 0.2*sqrt(h); empty = h; quarter = h - 0.25;", "");
  double exact = (double)(-5.0L - 7.5L * logl(1.0L / 3.0L));
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_wishes wishes = hsml_default(tolerances[j]);
    hsml_run *run = hsml_open(text, &wishes);
    hsml_go(run, 5.0);
    check_run(run, "filling", tolerances[j]);
    CHECK_INT(hsml_count(run, "empty"), 0);
    CHECK_NEAR(hsml_time(run, "quarter", 1), exact, 100.0 * tolerances[j]);
    hsml_close(run);
  }
}

/* ---- nothing comes back from behind an edge ---- */

/* h = (1 - t/10)^2 up to t = 10; the same polynomial beyond is no solution: h' > 0 there. */
TEST(a_tank_without_an_action_is_never_refilled) {
  static const char text[] = HSML_MODEL("state(h, real); flag(empty, unilateral);", "h := 1.0;",
                                        "h' = -0.2*sqrt(h); empty = h;", "");
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    double tolerance = tolerances[j];
    hsml_wishes wishes = hsml_default(tolerance);
    hsml_run *run = hsml_open(text, &wishes);
    hsml_go(run, 12.0);
    double h = hsml_final(run, "h");
    CHECK_MSG(h >= 0.0 && h <= 1e-3 * tolerance, "at %g: %s, h = %.3g at t = %.17g", tolerance,
              brink_status_text(run->status), h, brink_sim_time(run->sim));
    CHECK(hsml_count(run, "empty") >= 1);
    CHECK_NEAR(hsml_time(run, "empty", 1), 10.0, 20.0 * sqrt(1e-3 * tolerance) + 4e-7);
    CHECK_INT(hsml_stats(run)->rhs_past_guard, 0);
    hsml_close(run);
  }
}

/* Without a flag the model just ends there: an error, and no numbers from behind it. */
TEST(a_series_that_ends_by_accident_is_not_followed_past_a_branch_point) {
  static const char text[] = HSML_MODEL("state(h, real);", "h := 1.0;", "h' = -0.2*sqrt(h);", "");
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_wishes wishes = hsml_default(tolerances[j]);
    hsml_run *run = hsml_open(text, &wishes);
    hsml_go(run, 12.0);
    CHECK_MSG(hsml_final(run, "h") <= 10.0 * tolerances[j], "at %g: %s, h = %.3g at t = %.17g",
              tolerances[j], brink_status_text(run->status), hsml_final(run, "h"),
              brink_sim_time(run->sim));
    hsml_close(run);
  }
}

/* ---- arms ---- */

/* P2 with the reach by forward kinematics: it touches l1 + l2 and never passes it. */
TEST(an_arm_whose_guard_only_touches_is_stopped_all_the_same) {
  static const char text[] = HSML_MODEL(
      "state(th1, real); state(th2, real); flag(out, unilateral);",
      "th1 := 0.180465720247468502636584409829; th2 := 2.26529459242145260707012100669;",
      "th1' = (0.3*cos(th1 + th2) + 0.15*sin(th1 + th2))/sin(th2);"
      "th2' = -(0.3*(cos(th1) + 0.5*cos(th1 + th2)) + 0.15*(sin(th1) + 0.5*sin(th1 + th2)))"
      "/(0.5*sin(th2));"
      "out = 1.5 - hypot(cos(th1) + 0.5*cos(th1 + th2), sin(th1) + 0.5*sin(th1 + th2));",
      "event(out) negative-going stop(\"stretched\"); end negative-going; end event;");
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    double tolerance = tolerances[j];
    hsml_wishes wishes = hsml_default(tolerance);
    hsml_run *run = hsml_open(text, &wishes);
    hsml_go(run, 3.0);
    check_run(run, "P2, forward kinematics", tolerance);
    CHECK_INT(hsml_count(run, "out"), 1);
    /* 1.5 - rho = th2^2/6: within the tolerance at th2 ~ sqrt(tolerance), t* - t ~ tolerance. */
    CHECK_NEAR(hsml_time(run, "out", 1), 2.1735535480924566914185734816, 30.0 * tolerance + 1e-12);
    CHECK(hsml_final(run, "th2") >= 0.0);
    hsml_close(run);
  }
}

/* The arm of the benchmark: joints that track the inverse kinematics of a point on a line out of the
 * workspace; acos has an infinite slope where the guard is zero. */
static const char tracking[] =
    HSML_MODEL("state(x, real); state(y, real); state(th1, real); state(th2, real);"
               "parameter(x0, real); parameter(y0, real); parameter(vx, real); parameter(vy, real);"
               "variable(goal1, real); variable(goal2, real); flag(out, unilateral);",
               "x := x0; y := y0; th1 := 0.0; th2 := 0.0;",
               "x' = vx; y' = vy;"
               "goal1 = atan2(y, x) - acos((x^2 + y^2 + 1.0 - 0.64)/(2.0*sqrt(x^2 + y^2)));"
               "goal2 = atan2(y - sin(goal1), x - cos(goal1)) - goal1;"
               "th1' = 5.0*(goal1 - th1); th2' = 5.0*(goal2 - th2);"
               "out = x^2 + y^2 - 3.24;",
               "event(out) positive-going stop(\"out of reach\"); end positive-going; end event;"
               "assignments x0 : 0.6; y0 : 0.5; vx : 0.3; vy : 0.15; end assignments;");

static void check_line(int k, double tolerance) {
  /* Starts on a ring of radius 0.5 to 0.9, directions outwards within 60 degrees, all to the right: the
   * cut of atan2 is on the left. */
  double angle = -1.5 + 0.03 * k, r = 0.5 + 0.4 * (k % 5) / 4.0,
         off = angle + 1.0 * ((k % 7) - 3) / 3.0;
  double x = r * cos(angle), y = r * sin(angle), vx = 0.3 * cos(off), vy = 0.3 * sin(off);
  char words[4][48];
  snprintf(words[0], sizeof words[0], "x0=%.17g", x);
  snprintf(words[1], sizeof words[1], "y0=%.17g", y);
  snprintf(words[2], sizeof words[2], "vx=%.17g", vx);
  snprintf(words[3], sizeof words[3], "vy=%.17g", vy);
  const char *sets[] = {words[0], words[1], words[2], words[3], NULL};
  hsml_wishes wishes = hsml_default(tolerance);
  wishes.sets = sets;
  hsml_run *run = hsml_open(tracking, &wishes);
  hsml_go(run, 20.0);
  check_run(run, "arm", tolerance);
  long double a = (long double)vx * vx + (long double)vy * vy,
              b = (long double)x * vx + (long double)y * vy,
              c = (long double)x * x + (long double)y * y - 3.24L;
  double exact = (double)((-b + sqrtl(b * b - a * c)) / a);
  CHECK_INT(run->status, BRINK_STOPPED);
  CHECK_INT(hsml_count(run, "out"), 1);
  CHECK_MSG(fabs(hsml_time(run, "out", 1) - exact) <= 1e-13 * 20.0, "line %d at %g: off by %.3g", k,
            tolerance, hsml_time(run, "out", 1) - exact);
  double hx = hsml_final(run, "x"), hy = hsml_final(run, "y");
  CHECK_MSG(hx * hx + hy * hy - 3.24 <= 0.0, "line %d at %g: %.3g outside", k, tolerance,
            hx * hx + hy * hy - 3.24);
  hsml_close(run);
}

TEST(arms_stop_at_the_edge_of_their_workspace_on_all_lines) {
  for (int k = 0; k < 100; k++) {
    check_line(k, 1e-4);
    check_line(k, 1e-9);
  }
}

/* Where the state rests on a point without series, the rest of the model goes on at its own pace: y = t in all of them. The
 * coefficient that does not exist is the second, the third, or one behind another state. */
TEST(a_state_that_rests_on_a_singular_point_does_not_hold_up_the_others) {
  static const char *const fields[] = {"x' = -sqrt(x); v' = 0.0;", "x' = -x^1.5; v' = 0.0;",
                                       "x' = v; v' = -sqrt(x);"};
  for (size_t k = 0; k < COUNT(fields); k++) {
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      char text[512];
      snprintf(text, sizeof text,
               HSML_MODEL("state(x, real); state(v, real); state(y, real);",
                          "x := 0.0; v := 0.0; y := 0.0;", "%s y' = 1.0;", ""),
               fields[k]);
      hsml_wishes wishes = hsml_default(tolerances[j]);
      hsml_run *run = hsml_open(text, &wishes);
      hsml_go(run, 10.0);
      CHECK_MSG(run->status == BRINK_TIME_REACHED, "%s at %g: %s", fields[k], tolerances[j],
                run->diag.message);
      CHECK_MSG(run->nsteps < STEPS, "%s at %g: %zu steps", fields[k], tolerances[j], run->nsteps);
      CHECK_NEAR(hsml_final(run, "y"), 10.0, 1e-9);
      CHECK(hsml_final(run, "x") == 0.0);
      hsml_close(run);
    }
  }
}

int main(void) {
  RUN(singular_edges_are_reached_from_inside_at_every_tolerance);
  RUN(what_comes_after_the_speed_of_sound_is_late_by_as_much);
  RUN(a_start_on_a_singular_boundary_is_no_event_and_no_obstacle);
  RUN(a_tank_that_fills_from_empty_is_not_reported_empty);
  RUN(a_tank_without_an_action_is_never_refilled);
  RUN(a_series_that_ends_by_accident_is_not_followed_past_a_branch_point);
  RUN(an_arm_whose_guard_only_touches_is_stopped_all_the_same);
  RUN(arms_stop_at_the_edge_of_their_workspace_on_all_lines);
  RUN(a_state_that_rests_on_a_singular_point_does_not_hold_up_the_others);
  return check_done();
}
