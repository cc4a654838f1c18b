/* Pairs on their surfaces: several guards of one pair, several contacts at one instant, contacts that rest, collapse,
 * or are not acted on. The answers are exact: equal elastic balls on a line only exchange velocities, so that they end
 * up where free points would, in order. */
#include "check.h"
#include "support/program.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, LINES = 60 };

static const char *const methods[] = {"taylor", "adams"};

#define PAIR(flags, equations, events)                                                             \
  "pair(a, b) in ball declarations " flags " end declarations; dynamics " equations                \
  " end dynamics; " events " end pair;\n"
#define ON_GAP(action) "event(gap) negative-going " action " end negative-going; end event;"
#define GAP(side, action) PAIR("flag(gap, " side ");", "gap = b.x - a.x - 1.0;", ON_GAP(action))
#define EXCHANGE "a.v := b.v; b.v := a.v;"

/* Balls on a line, whose acceleration is g, and blocks of pairs. */
static void write_line(const double *x, const double *v, size_t count, const char *g,
                       const char *blocks) {
  char text[6000];
  size_t used = (size_t)snprintf(
      text, sizeof text,
      "ctc Ball is body declarations state(x, real); state(v, real); state(n, real); end "
      "declarations;\n dynamics x' = v; v' = %s; n' = 0.0; end dynamics; end body; end Ball;\n"
      "system Line is body components ball[%zu] : Ball; end components;\ninitial ",
      g, count);
  for (size_t i = 1; i <= count; i++)
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "ball[%zu].x := %.17g; ball[%zu].v := %.17g; ball[%zu].n := 0.0; ", i,
                             x[i - 1], i, v[i - 1], i);
  snprintf(text + used, sizeof text - used,
           "end initial; agents population(ball);\n%s end agents;\n"
           "simulation until : 5.0; tolerance : 1e-9; end simulation; end body; end Line;\n",
           blocks);
  write_file("line.hsml", text);
}

static outcome run_line(const char *clocks, const char *method, double until) {
  return program_run(BRINK_PROGRAM,
                     "run line.hsml --json --interpret --clocks %s --method %s --until %.17g",
                     clocks, method, until);
}

static double final_of(const outcome *o, size_t ball) {
  char name[40];
  snprintf(name, sizeof name, "ball[%zu].x", ball + 1);
  const json *value = json_member(json_member(o->summary, "final"), name);
  return value != NULL && value->kind == JSON_NUMBER ? value->number : (double)NAN;
}

static void expect_ends_in(const char *clocks, size_t count, double until, const double *ends) {
  for (int m = 0; m < 2; m++) {
    outcome o = run_line(clocks, methods[m], until);
    CHECK_EXIT(o, 0);
    for (size_t i = 0; i < count; i++)
      CHECK_MSG(fabs(final_of(&o, i) - ends[i]) <= 1e-7, "%s, %s: ball %zu at %g, expected %g",
                clocks, methods[m], i + 1, final_of(&o, i), ends[i]);
    done(&o);
  }
}

static void expect_ends(const double *x, const double *v, size_t count, const char *blocks,
                        double until, const double *ends) {
  write_line(x, v, count, "0.0", blocks);
  expect_ends_in("own", count, until, ends);
}

/* Flags and times of the events, in order. */
static void expect_events(const char *clocks, const char *method, double until, size_t count,
                          const char *const *flags, const double *times) {
  outcome o = run_line(clocks, method, until);
  CHECK_EXIT(o, 0);
  const json *event = json_at(json_member(o.summary, "events"), 0);
  size_t k = 0;
  for (; event != NULL; event = event->next, k++) {
    if (k >= count) continue;
    CHECK(strcmp(json_member(event, "flag")->text, flags[k]) == 0);
    CHECK_NEAR(json_member(event, "t")->number, times[k], 1e-9);
  }
  CHECK_MSG(k == count, "%s, %s: %zu events, expected %zu", clocks, method, k, count);
  done(&o);
}

/* ---- several guards of one pair ---- */

static void expect_near_and_far(const char *blocks) {
  static const char *const flags[] = {"far", "near", "near", "far"};
  const double x[] = {0, 5}, v[] = {1, 0}, times[] = {3, 3.5, 6.5, 7};
  write_line(x, v, 2, "0.0", blocks);
  for (int m = 0; m < 2; m++) {
    expect_events("own", methods[m], 10.0, 4, flags, times);
    expect_events("one", methods[m], 10.0, 4, flags, times);
  }
}

TEST(two_flags_of_a_pair_are_crossed_one_after_the_other) {
  expect_near_and_far(PAIR("flag(near); flag(far);",
                           "near = (b.x - a.x)^2 - 2.25; far = (b.x - a.x)^2 - 4.0;", ""));
}

TEST(two_blocks_over_the_same_pair_are_crossed_one_after_the_other) {
  expect_near_and_far(PAIR("flag(near);", "near = (b.x - a.x)^2 - 2.25;", "")
                          PAIR("flag(far);", "far = (b.x - a.x)^2 - 4.0;", ""));
}

/* Both at one instant, again and again by other signs: each fires once. */
TEST(two_flags_of_a_pair_at_one_instant_fire_once_each) {
  static const char *const flags[] = {"one", "two"};
  const double x[] = {0, 5}, v[] = {1, 0}, times[] = {4, 4};
  write_line(
      x, v, 2, "0.0",
      PAIR("flag(one); flag(two);", "one = b.x - a.x - 1.0; two = 3.0 - 3.0*(b.x - a.x);", ""));
  for (int m = 0; m < 2; m++) expect_events("own", methods[m], 8.0, 2, flags, times);
}

/* ---- several contacts at one instant ---- */

TEST(three_balls_that_meet_at_one_instant) {
  const double x[] = {0, 3, 6}, v[] = {1, 0, -1}, ends[] = {-1, 3, 7};
  expect_ends(x, v, 3, GAP("unilateral", EXCHANGE), 5.0, ends);
  expect_ends(x, v, 3, GAP("bilateral", EXCHANGE), 5.0, ends);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Equal elastic balls end up where free points would, in order; g is their acceleration. */
static void expect_free_points(const double *x, const double *v, size_t count, const char *side,
                               double g, double until) {
  double ends[MOST];
  char acceleration[40], blocks[600];
  for (size_t i = 0; i < count; i++) ends[i] = x[i] - (double)i + until * v[i];
  qsort(ends, count, sizeof *ends, by_size);
  for (size_t i = 0; i < count; i++) ends[i] += (double)i + 0.5 * g * until * until;
  snprintf(acceleration, sizeof acceleration, "%.17g", g);
  snprintf(blocks, sizeof blocks, GAP("%s", EXCHANGE), side);
  write_line(x, v, count, acceleration, blocks);
  expect_ends_in("own", count, until, ends);
  expect_ends_in("one", count, until, ends);
}

/* Whole places and speeds, so that three and more balls meet at one instant, or touch at the start. */
TEST(balls_on_a_line_end_up_where_free_points_would_in_order) {
  uint64_t state = 14;
  for (int line = 0; line < LINES; line++) {
    double x[MOST], v[MOST], at = 0.0;
    size_t count = 3 + (size_t)(line % 5);
    for (size_t i = 0; i < count; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      at += 1.0 + (double)((state >> 33) % 3);
      x[i] = at;
      v[i] = (double)((state >> 45) % 5) - 2.0;
    }
    expect_free_points(x, v, count, "unilateral", 0.0, 5.0);
  }
}

/* Bilateral gaps: nobody touches at the start, and no two speeds are equal, so that nobody comes to rest at another. */
TEST(a_gap_that_another_action_leads_through_zero_again_is_crossed_again) {
  const double between[] = {0, 2, 5, 9}, first[] = {2, 2, 1, 0};
  expect_free_points(between, first, 4, "bilateral", 0.0, 5.0);
  const double four[] = {2, 4, 6, 9}, of_four[] = {2, -3, 0, -2};
  expect_free_points(four, of_four, 4, "bilateral", -1.0, 4.3);
  /* two contacts some units of rounding in time apart */
  const double five[] = {2, 4, 6, 9, 11}, of_five[] = {2, 4, 3, -4, 0};
  expect_free_points(five, of_five, 5, "bilateral", 0.0, 6.3);
  const double six[] = {2, 6, 8, 11, 13, 15}, of_six[] = {-2, 4, 2, 0, -4, 3};
  expect_free_points(six, of_six, 6, "bilateral", 0.0, 4.3);
}

/* Balls that fall together, touching, are hit: each hands the blow on at the same instant. */
TEST(a_blow_goes_through_balls_at_rest_beside_each_other) {
  const double five[] = {1, 2, 3, 5.5, 7.5}, of_five[] = {0, 0, 0, 1, -2};
  expect_free_points(five, of_five, 5, "unilateral", -1.0, 5.0);
  const double three[] = {1, 4, 5}, of_three[] = {0, -2, -2};
  expect_free_points(three, of_three, 3, "unilateral", 0.0, 5.0);
  const double other[] = {3, 4, 8}, of_other[] = {1, 1, -2};
  expect_free_points(other, of_other, 3, "unilateral", 0.0, 4.0);
}

/* ---- contacts that last ---- */

/* Four balls with restitution 0.05 collapse to one cluster at rest, where momentum puts it; nobody is passed through. */
TEST(an_inelastic_collapse_lets_nobody_through) {
  const double x[] = {0, 2, 4, 6.5}, v[] = {1, 0, 0, -1};
  const double ends[] = {1.625, 2.625, 3.625, 4.625};
  expect_ends(x, v, 4,
              GAP("unilateral", "let u = b.v - a.v; let s = 0.5*(a.v + b.v);"
                                " a.v := s + 0.025*u; b.v := s - 0.025*u;"),
              20.0, ends);
}

TEST(a_contact_that_rests_is_one_event) {
  const double x[] = {0, 5}, v[] = {1, 0}, ends[] = {10, 11};
  expect_ends(x, v, 2, GAP("unilateral", "b.v := a.v;"), 10.0, ends);
}

/* ---- contacts that nothing leads away from ---- */

static void expect_blocked(const char *g, const char *action) {
  const double x[] = {0, 5}, v[] = {1, 0};
  char blocks[600];
  snprintf(blocks, sizeof blocks, GAP("unilateral", "%s"), action);
  write_line(x, v, 2, g, blocks);
  for (int m = 0; m < 2; m++) {
    outcome o = run_line("own", methods[m], 10.0);
    CHECK_EXIT(o, 4);
    CHECK(strcmp(json_member(o.summary, "reason")->text, "blocked") == 0);
    CHECK_NEAR(json_member(o.summary, "t")->number, 4.0, 1e-8);
    CHECK(strstr(o.err, "'gap' of agents 1 and 2 of 'ball'") != NULL);
    done(&o);
  }
}

TEST(a_unilateral_pair_without_an_effective_action_is_blocked) {
  expect_blocked("0.0", "note(\"met\");");
  expect_blocked("0.0", "a.n := a.n + 1.0;");
}

/* ---- jumps ---- */

/* The same events with clocks of their own and in one system. */
static void expect_same_events(const char *model, size_t count, const char *const *flags,
                               const double *times) {
  write_file("line.hsml", model);
  for (int m = 0; m < 2; m++) {
    expect_events("own", methods[m], 5.0, count, flags, times);
    expect_events("one", methods[m], 5.0, count, flags, times);
  }
}

#define WALLED(wall, at_wall, block)                                                               \
  "ctc Ball is body declarations state(x, real); state(v, real); flag(wall); end declarations;\n"  \
  " dynamics x' = v; v' = 0.0; wall = x - " wall "; end dynamics;\n"                               \
  " event(wall) positive-going " at_wall " end positive-going; end event; end body; end Ball;\n"   \
  "system Line is body components ball[2] : Ball; end components;\n"                               \
  " initial ball[1].x := 0.0; ball[1].v := 1.0; ball[2].x := 3.0; ball[2].v := 0.0; end "          \
  "initial;\n agents population(ball); " block " end agents;\n"                                    \
  " simulation until : 5.0; tolerance : 1e-9; end simulation; end body; end Line;\n"

TEST(an_agent_that_its_own_action_carries_across_a_pair_has_met) {
  static const char *const flags[] = {"gap", "ball[1].wall", "gap"};
  const double times[] = {3, 4.5, 4.5};
  expect_same_events(WALLED("4.5", "x := x - 4.0;", PAIR("flag(gap);", "gap = b.x - a.x;", "")), 3,
                     flags, times);
}

TEST(an_agent_that_a_pair_carries_across_its_own_flag_fires) {
  static const char *const flags[] = {"gap", "ball[2].wall"};
  const double times[] = {2, 2};
  expect_same_events(WALLED("6.0", "v := 0.5;", GAP("unilateral", "b.x := b.x + 5.0; a.v := 0.0;")),
                     2, flags, times);
}

/* ---- the end ---- */

TEST(a_meeting_at_the_end_of_the_run_counts) {
  static const char *const flags[] = {"gap"};
  const double x[] = {0, 3}, v[] = {1, -1}, times[] = {1};
  write_line(x, v, 2, "0.0", GAP("unilateral", EXCHANGE));
  for (int m = 0; m < 2; m++) {
    expect_events("own", methods[m], 1.0, 1, flags, times);
    expect_events("one", methods[m], 1.0, 1, flags, times);
  }
}

/* ---- words ---- */

TEST(the_summary_says_which_pair) {
  const double x[] = {0, 10, 13}, v[] = {0, 1, -1};
  write_line(x, v, 3, "0.0", GAP("unilateral", EXCHANGE));
  for (int k = 0; k < 2; k++) {
    outcome o =
        program_run(BRINK_PROGRAM, "run line.hsml --interpret --clocks %s", k == 0 ? "own" : "one");
    CHECK_MSG(strstr(o.out, "gap (ball[2], ball[3])") != NULL, "%s", o.out);
    done(&o);
  }
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(two_flags_of_a_pair_are_crossed_one_after_the_other);
  RUN(two_blocks_over_the_same_pair_are_crossed_one_after_the_other);
  RUN(two_flags_of_a_pair_at_one_instant_fire_once_each);
  RUN(three_balls_that_meet_at_one_instant);
  RUN(balls_on_a_line_end_up_where_free_points_would_in_order);
  RUN(a_gap_that_another_action_leads_through_zero_again_is_crossed_again);
  RUN(a_blow_goes_through_balls_at_rest_beside_each_other);
  RUN(an_inelastic_collapse_lets_nobody_through);
  RUN(a_contact_that_rests_is_one_event);
  RUN(a_unilateral_pair_without_an_effective_action_is_blocked);
  RUN(an_agent_that_its_own_action_carries_across_a_pair_has_met);
  RUN(an_agent_that_a_pair_carries_across_its_own_flag_fires);
  RUN(a_meeting_at_the_end_of_the_run_counts);
  RUN(the_summary_says_which_pair);
  program_leave(folder);
  return check_done();
}
