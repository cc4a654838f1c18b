/* What the program says when a run goes wrong, in the words of somebody who wrote a model: flags, not
 * guards and callbacks; advice that fits; one thing in the singular. */
#include "check.h"
#include "support/program.h"

#include <stdbool.h>
#include <stdlib.h>

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)

static void write_ctc(const char *declarations, const char *initial, const char *rest) {
  char text[1024];
  snprintf(text, sizeof text,
           "ctc A is body declarations %s end declarations; initial %s end initial; %s end body; "
           "end A;\n",
           declarations, initial, rest);
  write_file("a.hsml", text);
}

/* The model fails (exit 4), says this, and does not say that. */
static void check_failure(const char *options, const char *says, const char *never) {
  outcome o = brink("run a.hsml --interpret --until 30 %s", options);
  CHECK_EXIT(o, 4);
  CHECK_CONTAINS(o.err, says);
  CHECK_MSG(strstr(o.err, never) == NULL, "%s", o.err);
  done(&o);
}

TEST(edges_that_are_declared_are_not_to_be_declared) {
  static const char tank[] = "dynamics h' = -0.2*sqrt(h); empty = h; end dynamics; event(empty) "
                             "negative-going stop(\"empty\"); end negative-going; end event;";
  write_ctc("state(h, real); flag(empty, unilateral);", "h := 4.0;", tank);
  check_failure("--method dopri --events endpoint",
                "events endpoint looks past the surface of the unilateral flag 'empty'; events "
                "extrapolate does not",
                "declare");
  write_ctc("state(h, real); flag(empty, unilateral); flag(high, unilateral);", "h := 4.0;",
            "dynamics h' = -0.2*sqrt(h); high = 5.0 - h; empty = h + 0.1; end dynamics;");
  check_failure("--method adams", "the unilateral flag 'empty' must reach zero before that edge",
                "declare");
  write_ctc("state(h, real);", "h := 4.0;", "dynamics h' = -0.2*sqrt(h); end dynamics;");
  check_failure("--method adams", "if the model ends there, declare the edge as a unilateral flag",
                "guard");
}

TEST(flags_are_called_flags) {
  write_ctc("state(guard, real); flag(f);", "guard := -1.0;",
            "dynamics guard' = 1.0; f = sqrt(guard); end dynamics;");
  check_failure("", "flag 'f' has no value at t = 0: it is not a number", "callback");
  write_ctc("state(guard, real);", "guard := -1.0;",
            "dynamics guard' = sqrt(guard); end dynamics;");
  check_failure("", "the derivative of 'guard' is not finite", "refused");
  write_ctc(
      "state(x, real); flag(f, unilateral);", "x := 1.0;",
      "dynamics x' = -1.0; f = x; end dynamics; event(f) negative-going x := log(0.0*x - 1.0); "
      "end negative-going; end event;");
  check_failure("", "the action of flag 'f' set state 'x' to", "guard");
}

TEST(delays_are_not_told_of_edges) {
  write_ctc("state(y, real);", "y := 0.0;",
            "dynamics y' = delay(y, 3.0 - time, 9.0); end dynamics;");
  check_failure("", "but it must be positive and at most 9", "unilateral");
  write_ctc("state(y, real); variable(a, real);", "y := 0.0;",
            "dynamics y' = delay(sqrt(2.0 - time), 1.0); a = 0.0; end dynamics;");
  check_failure("", "has no value", "initial values");
}

TEST(flags_that_nobody_wrote_are_explained) {
  write_ctc("state(x, real); state(y, real);", "x := 1.0; y := 2.0;",
            "dynamics x' = -1.0; y' = if sqrt(x) > 0.5 then 1.0 else 2.0; end dynamics;");
  check_failure("", "the generated flag 'sqrt(x) > 0.5' (@1:", "guard");
  write_ctc("state(x, real); variable(q, real, (-1.0, 9.0));", "x := 1.0;",
            "dynamics x' = -1.0; q = sqrt(x); end dynamics;");
  check_failure("", "'q' has no value just after t = ", "q@");
}

TEST(one_is_singular) {
  write_ctc("state(h, real); flag(f);", "h := 4.0;",
            "dynamics h' = -1.0; f = h - 3.5; end dynamics;");
  outcome o = brink("run a.hsml --interpret --until 1");
  CHECK_CONTAINS(o.out, ", 1 root search\n");
  CHECK(strstr(o.out, "1 right-hand sides") == NULL);
  done(&o);
}

TEST(settings_outside_a_range_are_told_the_range) {
  write_ctc(
      "state(h, real, (0.0, 10.0)); parameter(area, real, (0.1, 100.0)); parameter(n, integer, "
      "{1, 2, 4});",
      "h := 1.0;",
      "dynamics h' = area*n; end dynamics; assignments area : 1.0; n : 1; end assignments;");
  static const struct {
    const char *set, *says;
  } cases[] = {
      {"area=1000", "--set area=1000: the value is outside the declared range, (0.1, 100)"},
      {"h=11", "--set h=11: the value is outside the declared range, (0, 10)"},
      {"n=3", "--set n=3: the value is outside the declared range, {1, 2, 4}"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    outcome o = brink("run a.hsml --until 1 --set %s", cases[k].set);
    CHECK_EXIT(o, 2);
    CHECK_CONTAINS(o.err, cases[k].says);
    done(&o);
  }
}

TEST(a_part_is_checked_alone_but_not_run) {
  write_file("part.hsml",
             "ctc Part is interface input(u, signal); output(y, signal); end interface; "
             "body output y = 2.0*u; end output; end body; end Part;\n");
  outcome o = brink("check --part part.hsml");
  CHECK_EXIT(o, 0);
  CHECK(o.out[0] == '\0' && o.err[0] == '\0');
  done(&o);
  o = brink("run part.hsml --until 1");
  CHECK_EXIT(o, 3);
  CHECK_CONTAINS(o.err, "input 'u' is not connected and has no default");
  done(&o);
  o = brink("run part.hsml --until 1 --set u=1");
  CHECK_EXIT(o, 0);
  done(&o);
}

/* A rule whose condition comes to its surface and stays there has not fired: it is not listed. */
TEST(a_rule_that_did_not_run_is_not_listed) {
  outcome o = brink("run '" BRINK_SOURCE_DIR
                    "/tests/lang/run/rule-on-a-sliding-surface.hsml' --interpret --until 3 --json");
  CHECK_EXIT(o, 0);
  CHECK_MSG(strstr(o.out, "rule[1]") == NULL, "%s", o.out);
  done(&o);
}

/* x = 1 - t: its root and its logarithm are no numbers after t = 1. The run ends well, but not in silence. */
static void check_gaps(const char *options, const char *root, const char *logarithm) {
  outcome o = brink("run gap.hsml --interpret --until 1.1 --json %s", options);
  CHECK_EXIT(o, 0);
  const json *warnings = json_member(o.summary, "warnings");
  bool both = json_at(warnings, 1) != NULL && json_at(warnings, 2) == NULL;
  CHECK_MSG(both, "%s: %s", options, o.err);
  CHECK_CONTAINS(o.err, root);
  CHECK_CONTAINS(o.out, root);
  CHECK_CONTAINS(o.err, logarithm);
  CHECK_CONTAINS(o.out, logarithm);
  done(&o);
}

TEST(values_that_are_not_numbers_are_told) {
  write_file("gap.hsml",
             "ctc A is interface output(y, real); end interface; body declarations state(x, real); "
             "variable(w, real); end declarations; initial x := 1.0; end initial; dynamics x' = "
             "-1.0; w = log(x); end dynamics; output y = sqrt(x); end output; end body; end A;\n");
  check_gaps("", "y is not a number (nan), first seen at t = 1.1",
             "w is not a number (nan), first seen at t = 1.1");
  check_gaps("--keep '*' --out gap.csv --every 0.0625",
             "y is not a number (nan), first seen at t = 1.0625",
             "w is not a number (nan), first seen at t = 1.0625");
  outcome o = brink("run gap.hsml --interpret --until 1.1 --report gap.html");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.err, "warning: y is not a number (nan), first seen at t = 1.");
  done(&o);
  char *page = read_all("gap.html");
  CHECK(page != NULL && strstr(page, "y is not a number (nan), first seen at t = 1.") != NULL);
  free(page);
  o = brink("run gap.hsml --interpret --until 0.9 --keep '*'");
  CHECK_EXIT(o, 0);
  CHECK_MSG(strstr(o.err, "not a number") == NULL, "%s", o.err);
  done(&o);
}

TEST(a_tolerance_is_below_one) {
  write_ctc("state(x, real);", "x := 1.0;", "dynamics x' = -x; end dynamics;");
  static const char *const options[] = {"--rtol 1e5", "--tolerance 16", "--rtol 1"};
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
    outcome o = brink("run a.hsml --interpret --until 1 %s", options[k]);
    CHECK_EXIT(o, 2);
    CHECK_CONTAINS(o.err, "is no tolerance: it must be below 1");
    done(&o);
  }
}

/* The series is not made where it would take more than a gigabyte: that is the reason, and not that there is none. */
TEST(a_series_that_is_too_large_is_told_with_its_size) {
  char before[256] = "", after[64] = "", text[1024];
  for (int k = 0; k < 40; k++) {
    memcpy(before + 4 * (size_t)k, "sin(", 5);
    memcpy(after + k, ")", 2);
  }
  snprintf(text, sizeof text,
           "ctc Wide is\n  body\n    declarations state(x[100000], real); end declarations;\n"
           "    initial x := 1.0; end initial;\n"
           "    dynamics for i in 1..100000 loop x[i]' = %sx[i]%s; end loop; end dynamics;\n"
           "  end body;\nend Wide;\n",
           before, after);
  write_file("wide.hsml", text);
  outcome o =
      program_run(BRINK_PROGRAM, "run wide.hsml --until 1 --method taylor --order 30 --interpret");
  CHECK_EXIT(o, 2);
  CHECK_CONTAINS(o.err,
                 "the Taylor series of 100000 states would take 4.0 GB beside the simulation");
  CHECK_CONTAINS(o.err, "choose auto, adams, dopri or bdf");
  done(&o);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  setenv("BRINK_CACHE", "cache", 1);
  RUN(a_series_that_is_too_large_is_told_with_its_size);
  RUN(edges_that_are_declared_are_not_to_be_declared);
  RUN(flags_are_called_flags);
  RUN(delays_are_not_told_of_edges);
  RUN(flags_that_nobody_wrote_are_explained);
  RUN(one_is_singular);
  RUN(settings_outside_a_range_are_told_the_range);
  RUN(a_part_is_checked_alone_but_not_run);
  RUN(a_rule_that_did_not_run_is_not_listed);
  RUN(values_that_are_not_numbers_are_told);
  RUN(a_tolerance_is_below_one);
  program_leave(folder);
  return check_done();
}
