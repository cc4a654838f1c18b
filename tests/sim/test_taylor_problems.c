/* Hybrid problems with exact answers, run by the Taylor method: relays, collisions, billiards, cascades,
 * timers, sliding. Between events most of them are polynomials of time: there the answers must be right
 * to rounding, whatever the tolerance is. */
#include "check.h"
#include "sim/sim.h"
#include "support/hsml_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double tolerances[] = {1e-4, 1e-6, 1e-9, 1e-12};

static hsml_run *simulate(const char *text, double tolerance, double end) {
  hsml_wishes wishes = hsml_default(tolerance);
  hsml_run *run = hsml_open(text, &wishes);
  hsml_go(run, end);
  CHECK_MSG(run->status >= 0, "at %g: %s", tolerance, run->diag.message);
  CHECK_INT(run->not_finite, 0);
  CHECK_INT(hsml_stats(run)->rhs_past_guard, 0);
  CHECK_INT(hsml_stats(run)->method, BRINK_TAYLOR);
  return run;
}

static void check_time(const hsml_run *run, const char *flag, size_t nth, long double exact,
                       double within) {
  double error = (double)(hsml_time(run, flag, nth) - exact);
  CHECK_MSG(fabs(error) <= within, "%s, event %zu of %zu: off by %.3g, allowed %.3g", flag, nth,
            hsml_count(run, flag), error, within);
}

/* ---- P5: the relay ---- */

#define RELAY(start)                                                                               \
  HSML_MODEL("state(x1, real); state(x2, real); flag(phi);", "x1 := " start "; x2 := 0.0;",        \
             "x1' = x2; x2' = -sgn(phi); phi = x1;", "")

TEST(the_relay_switches_71_times_in_100_seconds) {
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(RELAY("0.25"), tolerances[j], 100.0);
    CHECK_INT(run->nevents, 71);
    for (size_t n = 1; n <= 71; n++)
      check_time(run, "phi", n, (2.0L * (long double)n - 1.0L) / sqrtl(2.0L), 1e-12);
    double x1 = hsml_final(run, "x1"), x2 = hsml_final(run, "x2");
    CHECK_NEAR(fabs(x1) + 0.5 * x2 * x2, 0.25, 1e-13); /* the amplitude */
    hsml_close(run);
  }
}

/* Switches at 1/2, 3/2, …: a step of 1/4 ends at every one of them. */
TEST(a_relay_whose_switches_fall_on_the_mesh_loses_none) {
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_wishes wishes = hsml_default(tolerances[j]);
    wishes.options.hmax = 0.25;
    hsml_run *run = hsml_open(RELAY("0.125"), &wishes);
    hsml_go(run, 100.0);
    CHECK_INT(run->status, BRINK_TIME_REACHED);
    CHECK_INT(run->nevents, 100);
    for (size_t n = 1; n <= 100; n++) check_time(run, "phi", n, (long double)n - 0.5L, 1e-12);
    CHECK_NEAR(hsml_final(run, "x1"), 0.125, 1e-13);
    hsml_close(run);
  }
}

/* ---- P7: three agents ---- */

static const char agents[] =
    "ctc Puck is\n"
    "  body\n"
    "    declarations state(x, real); state(y, real); state(vx, real); state(vy, real);\n"
    "    end declarations;\n"
    "    initial x := 0.0; y := 0.0; vx := 0.0; vy := 0.0; end initial;\n"
    "    dynamics x' = vx; y' = vy; vx' = 0.0; vy' = 0.0; end dynamics;\n"
    "  end body;\n"
    "end Puck;\n"
    "system Three is\n"
    "  body\n"
    "    components p[3] : Puck; end components;\n"
    "    initial\n"
    "      p[1].x := -10.0; p[1].vx := 1.0;\n"
    "      p[2].y := -20.0; p[2].vy := 1.0;\n"
    "      p[3].y := -25.8; p[3].vy := 2.6;\n"
    "    end initial;\n"
    "    agents\n"
    "      population(p);\n"
    "      pair(a, b) in p\n"
    "        declarations flag(contact, unilateral); end declarations;\n"
    "        dynamics contact = hypot(a.x - b.x, a.y - b.y) - 1.0; end dynamics;\n"
    "        event(contact)\n"
    "          negative-going\n"
    "            let nx = b.x - a.x; let ny = b.y - a.y;\n"
    "            let s = (b.vx - a.vx)*nx + (b.vy - a.vy)*ny;\n"
    "            a.vx := a.vx + s*nx; a.vy := a.vy + s*ny;\n"
    "            b.vx := b.vx - s*nx; b.vy := b.vy - s*ny;\n"
    "          end negative-going;\n"
    "        end event;\n"
    "      end pair;\n"
    "    end agents;\n"
    "  end body;\n"
    "end Three;\n";

TEST(three_agents_collide_as_they_must) {
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(agents, tolerances[j], 9.5);
    CHECK_INT(run->nevents, 2);
    if (run->nevents == 2) {
      CHECK_NEAR(run->events[0].t, 3.0, 1e-13);
      CHECK_NEAR(run->events[1].t, 9.2739740956191614763994185914, 1e-13);
    }
    hsml_close(run);
  }
}

/* ---- M8: balls on a line ---- */

#define BALLS(masses, positions, speeds, walls)                                                    \
  HSML_MODEL("state(x[3], real); state(v[3], real); parameter(m[3], real);"                        \
             "flag(hit12, unilateral); flag(hit23, unilateral);"                                   \
             "flag(left, unilateral); flag(right, unilateral);",                                   \
             "x := " positions "; v := " speeds ";",                                               \
             "x' = v; v' = 0.0; hit12 = x[2] - x[1]; hit23 = x[3] - x[2];"                         \
             "left = x[1] + 1.0" walls "; right = 5.0" walls " - x[3];",                           \
             "event(hit12) negative-going"                                                         \
             "  let c = (m[1]*v[1] + m[2]*v[2])/(m[1] + m[2]);"                                    \
             "  v[1] := 2.0*c - v[1]; v[2] := 2.0*c - v[2];"                                       \
             "end negative-going; end event;"                                                      \
             "event(hit23) negative-going"                                                         \
             "  let c = (m[2]*v[2] + m[3]*v[3])/(m[2] + m[3]);"                                    \
             "  v[2] := 2.0*c - v[2]; v[3] := 2.0*c - v[3];"                                       \
             "end negative-going; end event;"                                                      \
             "event(left) negative-going v[1] := -v[1]; end negative-going; end event;"            \
             "event(right) negative-going v[3] := -v[3]; end negative-going; end event;"           \
             "assignments m : " masses "; end assignments;")

TEST(three_equal_balls_hand_their_speed_on) {
  static const char apart[] =
      BALLS("[1.0, 1.0, 1.0]", "[0.0, 1.0, 2.0]", "[1.0, 0.0, 0.0]", " + 100.0");
  static const char cradle[] =
      BALLS("[1.0, 1.0, 1.0]", "[0.0, 1.0, 1.0]", "[1.0, 0.0, 0.0]", " + 100.0");
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(apart, tolerances[j], 3.0);
    CHECK_INT(run->nevents, 2);
    check_time(run, "hit12", 1, 1.0L, 1e-15);
    check_time(run, "hit23", 1, 2.0L, 1e-15);
    CHECK(hsml_final(run, "v[1]") == 0.0 && hsml_final(run, "v[2]") == 0.0 &&
          hsml_final(run, "v[3]") == 1.0);
    hsml_close(run);
    run = simulate(cradle, tolerances[j], 3.0);
    CHECK_INT(run->nevents, 2); /* both at one instant */
    check_time(run, "hit12", 1, 1.0L, 1e-15);
    check_time(run, "hit23", 1, 1.0L, 1e-15);
    CHECK(hsml_final(run, "v[1]") == 0.0 && hsml_final(run, "v[2]") == 0.0 &&
          hsml_final(run, "v[3]") == 1.0);
    hsml_close(run);
  }
}

TEST(three_balls_of_different_mass_hit_at_rational_times) {
  static const char text[] = BALLS("[1.0, 2.0, 3.0]", "[0.0, 1.0, 3.0]", "[2.0, 0.0, -1.0]", "");
  static const struct {
    const char *flag;
    long double t;
  } expected[] = {{"hit12", 1.0L / 2.0L},     {"hit23", 8.0L / 7.0L},   {"hit12", 11.0L / 4.0L},
                  {"left", 79.0L / 26.0L},    {"hit12", 25.0L / 8.0L},  {"left", 263.0L / 82.0L},
                  {"hit12", 151.0L / 44.0L},  {"right", 62.0L / 13.0L}, {"hit23", 2006.0L / 319.0L},
                  {"right", 5234.0L / 691.0L}};
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(text, tolerances[j], 7.6);
    CHECK_INT(run->nevents, COUNT(expected));
    for (size_t k = 0; k < COUNT(expected) && k < run->nevents; k++) {
      CHECK_MSG(strcmp(run->events[k].name, expected[k].flag) == 0, "event %zu is of %s, not %s", k,
                run->events[k].name, expected[k].flag);
      CHECK_NEAR(run->events[k].t, (double)expected[k].t, 2e-14);
    }
    hsml_close(run);
  }
}

/* ---- M9: a billiard in the unit circle ---- */

TEST(a_thousand_hits_of_a_round_billiard_are_right_to_rounding) {
  static const char text[] =
      HSML_MODEL("state(p[2], real); state(v[2], real); flag(rim, unilateral);",
                 "p := [-0.5, 0.0]; v := [0.6, 0.8];", "p' = v; v' = 0.0; rim = 1.0 - dot(p, p);",
                 "event(rim) negative-going v := v - 2.0*dot(v, p)/dot(p, p)*p;"
                 "end negative-going; end event;");
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(text, tolerances[j], 1832.5);
    CHECK_INT(run->nevents, 1000);
    double worst = 0.0;
    for (size_t n = 1; n <= 1000; n++) {
      long double exact = 0.3L + (2.0L * (long double)n - 1.0L) * sqrtl(0.84L);
      worst = fmax(worst, fabs((double)(hsml_time(run, "rim", n) - exact)));
    }
    /* The game is integrable: roundings of direction add up like n, of 1e-16 each. */
    CHECK_MSG(worst <= 2e-10, "at %g: off by %.3g", tolerances[j], worst);
    double x = hsml_final(run, "p[1]"), y = hsml_final(run, "p[2]");
    CHECK_NEAR(x * hsml_final(run, "v[2]") - y * hsml_final(run, "v[1]"), -0.4, 1e-12);
    for (size_t n = 0; n < run->nevents; n++) {
      const double *at = run->events[n].before;
      CHECK(1.0 - (at[0] * at[0] + at[1] * at[1]) >= 0.0);
    }
    hsml_close(run);
  }
}

/* ---- M10: three discs in a box ---- */

static const char discs[] =
    "ctc Disc is\n"
    "  body\n"
    "    declarations state(x, real); state(y, real); state(vx, real); state(vy, real);\n"
    "      flag(west, unilateral); flag(east, unilateral);\n"
    "      flag(south, unilateral); flag(north, unilateral);\n"
    "    end declarations;\n"
    "    initial x := 0.0; y := 0.0; vx := 0.0; vy := 0.0; end initial;\n"
    "    dynamics x' = vx; y' = vy; vx' = 0.0; vy' = 0.0;\n"
    "      west = x - 0.1; east = 9.9 - x; south = y - 0.1; north = 9.9 - y;\n"
    "    end dynamics;\n"
    "    event(west) negative-going vx := -0.9*vx; end negative-going; end event;\n"
    "    event(east) negative-going vx := -0.9*vx; end negative-going; end event;\n"
    "    event(south) negative-going vy := -0.9*vy; end negative-going; end event;\n"
    "    event(north) negative-going vy := -0.9*vy; end negative-going; end event;\n"
    "  end body;\n"
    "end Disc;\n"
    "system Box is\n"
    "  body\n"
    "    components d[3] : Disc; end components;\n"
    "    initial\n"
    "      d[1].x := 1.0; d[1].y := 1.0; d[1].vx := 1.0; d[1].vy := 0.9;\n"
    "      d[2].x := 9.0; d[2].y := 8.5; d[2].vx := -1.1; d[2].vy := -0.8;\n"
    "      d[3].x := 5.0; d[3].y := 2.0; d[3].vx := 0.1; d[3].vy := 0.7;\n"
    "    end initial;\n"
    "    agents\n"
    "      population(d);\n"
    "      pair(a, b) in d\n"
    "        declarations flag(gap, unilateral); end declarations;\n"
    "        dynamics gap = hypot(a.x - b.x, a.y - b.y) - 0.2; end dynamics;\n"
    "        event(gap)\n"
    "          negative-going\n"
    "            let nx = (b.x - a.x)/hypot(b.x - a.x, b.y - a.y);\n"
    "            let ny = (b.y - a.y)/hypot(b.x - a.x, b.y - a.y);\n"
    "            let s = 0.95*((b.vx - a.vx)*nx + (b.vy - a.vy)*ny);\n"
    "            a.vx := a.vx + s*nx; a.vy := a.vy + s*ny;\n"
    "            b.vx := b.vx - s*nx; b.vy := b.vy - s*ny;\n"
    "          end negative-going;\n"
    "        end event;\n"
    "        reach(a.x, a.y, 0.1);\n"
    "      end pair;\n"
    "    end agents;\n"
    "  end body;\n"
    "end Box;\n";

TEST(three_discs_in_a_box_meet_walls_and_each_other_in_order) {
  static const struct {
    const char *flag;
    double t;
  } expected[] = {{"gap", 4.2883301954725921465797992753},
                  {"d[2].west", 8.09090909090909090909090909091},
                  {"d[3].north", 8.29110215797756524290000230054},
                  {"d[2].south", 10.5},
                  {"d[3].east", 11.5354610641443409135401974537},
                  {"d[1].east", 13.8354477485536470565315139342},
                  {"d[3].south", 17.1894762983651580543457155806},
                  {"d[1].north", 17.6830291881878237702415692683},
                  {"d[2].east", 17.9898989898989898989898989899},
                  {"gap", 21.868949394587848548276594665}};
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(discs, tolerances[j], 22.0);
    CHECK_INT(run->nevents, COUNT(expected));
    for (size_t k = 0; k < COUNT(expected) && k < run->nevents; k++) {
      CHECK_NEAR(run->events[k].t, expected[k].t, 1e-12);
      if (k == 0 || k == 9) CHECK_CONTAINS(run->events[k].name, "gap");
    }
    hsml_close(run);
  }
}

/* ---- S3, S4: several at one instant ---- */

TEST(three_guards_at_one_instant_are_three_events) {
  static const char text[] = HSML_MODEL(
      "state(x, real); state(y, real); state(z, real); flag(g1); flag(g2); flag(g3);"
      "mode(a, {\"on\", \"off\"}); mode(b, {\"on\", \"off\"}); mode(c, {\"on\", \"off\"});",
      "x := 0.0; y := 0.0; z := 1.0; a := \"on\"; b := \"on\"; c := \"on\";",
      "x' = if a = \"on\" then 1.0 else 0.0;"
      "y' = if b = \"on\" then 2.0*time else 0.0;"
      "z' = if c = \"on\" then z else 0.0;"
      "g1 = x - 1.0; g2 = y - 1.0; g3 = z - exp(1.0);",
      "event(g1) positive-going a := \"off\"; end positive-going; end event;"
      "event(g2) positive-going b := \"off\"; end positive-going; end event;"
      "event(g3) positive-going c := \"off\"; end positive-going; end event;");
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(text, tolerances[j], 2.0);
    CHECK_INT(run->nevents, 3);
    check_time(run, "g1", 1, 1.0L, 1e-14);
    check_time(run, "g2", 1, 1.0L, 1e-14);
    check_time(run, "g3", 1, 1.0L, 3.0 * tolerances[j]);
    CHECK_NEAR(hsml_final(run, "x"), 1.0, 1e-14);
    CHECK_NEAR(hsml_final(run, "y"), 1.0, 1e-14);
    CHECK_NEAR(hsml_final(run, "z"), 2.71828182845904523536028747135, 1e-14);
    hsml_close(run);
  }
}

TEST(a_cascade_runs_through_its_modes_at_one_instant) {
  static const char text[] =
      HSML_MODEL("state(x, real); mode(m, {\"zero\", \"one\", \"two\", \"three\"});"
                 "flag(first); flag(second); flag(third); flag(back);",
                 "x := 0.0; m := \"zero\";",
                 "x' = if m = \"three\" then -1.0 else 1.0;"
                 "first = (m = \"zero\") and (x >= 1.0); second = (m = \"one\") and (x >= 1.0);"
                 "third = (m = \"two\") and (x >= 1.0); back = (m = \"three\") and (x <= 0.0);",
                 "event(first) positive-going m := \"one\"; end positive-going; end event;"
                 "event(second) positive-going m := \"two\"; end positive-going; end event;"
                 "event(third) positive-going m := \"three\"; end positive-going; end event;"
                 "event(back) positive-going m := \"zero\"; end positive-going; end event;");
  static const char *const order[] = {"first", "second", "third", "back"};
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(text, tolerances[j], 4.5);
    size_t transitions = 0;
    for (size_t k = 0; k < run->nevents; k++) { /* conditions that become false fall, too */
      if (run->events[k].direction != BRINK_POSITIVE) continue;
      size_t n = transitions++;
      double t = (double)(n / 4 * 2) + (n % 4 == 3 ? 2.0 : 1.0);
      CHECK_MSG(strcmp(run->events[k].name, order[n % 4]) == 0, "transition %zu is %s", n,
                run->events[k].name);
      CHECK_NEAR(run->events[k].t, t, 1e-14);
    }
    CHECK_INT(transitions, 8);
    hsml_close(run);
  }
}

/* ---- S5: sliding ---- */

static const char sliding[] = HSML_MODEL("state(y, real); flag(side);", "y := 1.0;",
                                         "y' = -sgn(side) + 1.5*sin(time); side = y;", "");

TEST(sliding_is_entered_and_left_in_time) {
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    double within = 20.0 * tolerances[j] + 1e-12;
    hsml_run *run = simulate(sliding, tolerances[j], 8.0);
    CHECK_INT(run->nslides, 2);
    if (run->nslides == 2) {
      CHECK_NEAR(run->slides[0].from, 3.73964807128089795288946586677, within);
      CHECK_NEAR(run->slides[0].to, 3.87132030981675960191744004309, within);
      CHECK_NEAR(run->slides[1].from, 6.46470895726759609746016060425, within);
      CHECK_NEAR(run->slides[1].to, 7.01291296340655284038008342637, within);
    }
    hsml_close(run);
  }
}

/* The series of the model are of no use on a surface: there adams steps, and taylor afterwards. */
TEST(adams_takes_over_while_the_state_slides_and_hands_back) {
  hsml_wishes wishes = hsml_default(1e-9);
  hsml_run *run = hsml_open(sliding, &wishes);
  size_t slid = 0, free_steps = 0;
  for (int k = 0; k < 10000; k++) {
    bool before = brink_sim_slides(run->sim, NULL, 0) > 0;
    brink_status status = brink_sim_advance(run->sim, 8.0, &run->diag);
    CHECK_MSG(status >= 0, "%s", run->diag.message);
    if (status < 0 || status == BRINK_TIME_REACHED) break;
    if (status != BRINK_STEPPED || before != (brink_sim_slides(run->sim, NULL, 0) > 0)) continue;
    brink_method method = run->sim->stepper.ops->method;
    CHECK_MSG(method == (before ? BRINK_ADAMS : BRINK_TAYLOR), "t = %.17g: %s", run->sim->t,
              brink_method_name(method));
    slid += before;
    free_steps += !before;
  }
  CHECK(slid > 2);
  CHECK(free_steps > 2);
  CHECK_INT(hsml_stats(run)->method, BRINK_TAYLOR);
  hsml_close(run);
}

/* ---- S7, S9 ---- */

TEST(timers_that_depend_on_the_state_ring_in_time) {
  static const char text[] =
      HSML_MODEL("state(x, real); state(next, real); flag(ring);", "x := 1.0; next := 0.5;",
                 "x' = -x; next' = 0.0; ring = time - next;",
                 "event(ring) positive-going x := x + 1.0; next := time + 0.5*(x + 1.0);"
                 "end positive-going; end event;");
  static const long double expected[] = {0.5L,
                                         1.3032653298563167118018997675L,
                                         2.16301907378631517629035947665L,
                                         3.02692386107792625251465754947L,
                                         3.89107091325267349166469291442L,
                                         4.7552318491179356306883615028L};
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(text, tolerances[j], 5.0);
    CHECK_INT(run->nevents, 6);
    for (size_t n = 1; n <= 6; n++) {
      check_time(run, "ring", n, expected[n - 1], 5.0 * tolerances[j] + 1e-14);
      CHECK_NEAR(hsml_nth(run, "ring", n) != NULL ? hsml_nth(run, "ring", n)->direction : 0, 1, 0);
    }
    hsml_close(run);
  }
}

TEST(scales_of_1e6_and_1e_minus_6_are_located_to_rounding) {
  static const char text[] = HSML_MODEL(
      "state(fast, real); state(slow, real); state(late, real); mode(m, {\"wait\", \"go\"});"
      "flag(quick); flag(lazy); flag(start); flag(last);",
      "fast := 0.0; slow := 0.0; late := 0.0; m := \"wait\";",
      "fast' = 1e6; slow' = 1e-6; late' = if m = \"go\" then 1.0 else 0.0;"
      "quick = fast - 1.0; lazy = slow - 1e-6; start = time - 1e6; last = late - 1e-7;",
      "event(start) positive-going m := \"go\"; end positive-going; end event;");
  for (size_t j = 0; j < COUNT(tolerances); j++) {
    hsml_run *run = simulate(text, tolerances[j], 1000001.0);
    CHECK_INT(run->nevents, 4);
    check_time(run, "quick", 1, 1e-6L, 1e-20);
    check_time(run, "lazy", 1, 1.0L, 1e-15);
    check_time(run, "start", 1, 1e6L, 0.0);
    check_time(run, "last", 1, 1000000.0000001L, 1.2e-10);
    hsml_close(run);
  }
}

int main(void) {
  RUN(the_relay_switches_71_times_in_100_seconds);
  RUN(a_relay_whose_switches_fall_on_the_mesh_loses_none);
  RUN(three_agents_collide_as_they_must);
  RUN(three_equal_balls_hand_their_speed_on);
  RUN(three_balls_of_different_mass_hit_at_rational_times);
  RUN(a_thousand_hits_of_a_round_billiard_are_right_to_rounding);
  RUN(three_discs_in_a_box_meet_walls_and_each_other_in_order);
  RUN(three_guards_at_one_instant_are_three_events);
  RUN(a_cascade_runs_through_its_modes_at_one_instant);
  RUN(sliding_is_entered_and_left_in_time);
  RUN(adams_takes_over_while_the_state_slides_and_hands_back);
  RUN(timers_that_depend_on_the_state_ring_in_time);
  RUN(scales_of_1e6_and_1e_minus_6_are_located_to_rounding);
  return check_done();
}
