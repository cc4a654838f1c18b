/* Periods and lags that are too short for the length of a run: they are refused with words. Such runs would never end. */
#include "check.h"
#include "support/program.h"

#include <stdlib.h>

static void refused(const char *arguments, const char *words) {
  outcome o = program_run(BRINK_PROGRAM, "%s", arguments);
  CHECK_MSG(o.exit == 2, "%s: exit %d: %s", arguments, o.exit, o.err);
  CHECK_CONTAINS(o.err, words);
  done(&o);
}

/* Two samples or lags apart, at times where this can be told: such runs are made. */
static void made(const char *arguments) {
  outcome o = program_run(BRINK_PROGRAM, "%s", arguments);
  CHECK_MSG(o.exit == 0, "%s: exit %d: %s", arguments, o.exit, o.err);
  done(&o);
}

TEST(rows_below_the_resolution_of_time_are_refused) {
  write_file("ramp.hsml", "ctc Ramp is\n  body\n"
                          "    declarations state(x, real, (-1.0, 1.0)); end declarations;\n"
                          "    initial x := 0.0; end initial;\n"
                          "    dynamics x' = 0.0; end dynamics;\n  end body;\nend Ramp;\n");
  refused("run ramp.hsml --until 1 --every 1e-300 --out never.csv",
          "rows every 1e-300 are too close");
  refused("run ramp.hsml --from 1e9 --until 1000000001 --every 1e-9 --out never.csv",
          "rows every 1e-09 are too close");
  refused("run ramp.hsml --until inf --every 1e-300 --out never.csv",
          "rows every 1e-300 are too close");
}

TEST(steps_below_the_resolution_of_time_are_refused) {
  refused("run ramp.hsml --until 1 --hmax 1e-300", "steps of 1e-300 are too short");
  refused("run ramp.hsml --until 1 --method euler --step 1e-300", "steps of 1e-300 are too short");
  refused("run ramp.hsml --from 1e9 --until 1000000001 --method rk4 --step 1e-9",
          "steps of 1e-09 are too short");
  made("run ramp.hsml --until 1 --step 1e-300 --method dopri"); /* only the first one */
  made("run ramp.hsml --until 1 --method rk4 --step 1e-3");
}

/* A sampled part, alone and as an agent. */
static void write_sampled(const char *period) {
  char text[1024];
  static const char form[] =
      "dtc Clocked is\n  body\n    declarations sample(%s, 0.0); state(n, integer, (0, 9));\n"
      "    end declarations;\n    initial n := 0; end initial;\n"
      "    update n := 1 - n; end update;\n  end body;\nend Clocked;\n"
      "ctc Body is\n  body declarations state(x, real); end declarations;\n"
      "    initial x := 0.0; end initial; dynamics x' = 1.0; end dynamics;\n  end body;\nend "
      "Body;\n"
      "composite Car is\n  body components c : Clocked; b : Body; end components; end body;\nend "
      "Car;\n"
      "system Yard is\n  body components car[3] : Car; end components;\n"
      "    agents population(car); end agents;\n  end body;\nend Yard;\n";
  snprintf(text, sizeof text, form, period);
  write_file("clocked.hsml", text);
}

TEST(sample_periods_below_the_resolution_of_time_are_refused) {
  write_sampled("1e-300");
  static const char words[] = "the sample period 1e-300 is too short";
  refused("run clocked.hsml --top Clocked --until 1", words);
  refused("run clocked.hsml --top Clocked --until inf", words); /* the range could end it */
  refused("run clocked.hsml --until 1", words);
  refused("run clocked.hsml --until 1 --clocks one", words);
  made("run clocked.hsml --until 1e-299");
  write_sampled("1e-3");
  made("run clocked.hsml --until 0.01");
}

TEST(lags_below_the_resolution_of_time_are_refused) {
  write_file(
      "late.hsml",
      "ctc Late is\n"
      "  body\n"
      "    declarations state(x, real); state(y, real); parameter(lag, real); end declarations;\n"
      "    initial x := 1.0; y := 0.0; end initial;\n"
      "    dynamics x' = -x; y' = delay(x, lag); end dynamics;\n"
      "    assignments lag : 1.0; end assignments;\n"
      "  end body;\n"
      "end Late;\n");
  refused("run late.hsml --until 1 --set lag=1e-300", "the lag 1e-300 of a delay is too short");
  refused("run late.hsml --until 1 --set lag=1e-16", "the lag 1e-16 of a delay is too short");
  /* At a time where t - lag is t, or nearly so. */
  refused("run late.hsml --from 1e6 --until 1000000.0000001 --set lag=1e-9",
          "the lag 1e-09 of a delay is too short");
  made("run late.hsml --from 1e6 --until 1000000.0000001 --set lag=1e-8");
  made("run late.hsml --until 1e-299 --set lag=1e-300");
}

/* It is not known before the run: the run ends where the lag is too short, with a reason. */
TEST(a_lag_that_varies_ends_the_run_where_time_does_not_resolve_it) {
  write_file("varies.hsml", "ctc Varies is\n"
                            "  body\n"
                            "    declarations state(x, real); end declarations;\n"
                            "    initial x := 1.0; end initial;\n"
                            "    dynamics x' = -delay(x, 2e-9 + 0.0*x, 1e-3); end dynamics;\n"
                            "  end body;\n"
                            "end Varies;\n");
  outcome o = program_run(BRINK_PROGRAM, "run varies.hsml --from 1e6 --until 1000000.0000001");
  CHECK_EXIT(o, 4);
  CHECK_CONTAINS(o.err, "or the resolution of time, it counts as zero");
  done(&o);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(rows_below_the_resolution_of_time_are_refused);
  RUN(steps_below_the_resolution_of_time_are_refused);
  RUN(sample_periods_below_the_resolution_of_time_are_refused);
  RUN(lags_below_the_resolution_of_time_are_refused);
  RUN(a_lag_that_varies_ends_the_run_where_time_does_not_resolve_it);
  program_leave(folder);
  return check_done();
}
