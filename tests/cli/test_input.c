/* brink run --input: inputs over time, against integrals that can be written down. */
#include "check.h"
#include "support/program.h"

#include <math.h>
#include <stdlib.h>

static const char integrator[] =
    "ctc Integrator is\n"
    "  interface\n"
    "    input(u, signal, (-10.0, 10.0));\n"
    "    input(gear, integer, (0, 5));\n"
    "    input(state, string, {\"off\", \"on\"});\n"
    "    output(y, signal);\n"
    "  end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real); state(z, real); flag(level);\n"
    "    end declarations;\n"
    "    initial x := 0.0; z := u; end initial;\n"
    "    dynamics\n"
    "      x' = u;\n"
    "      if state = \"on\" then z' = gear; else z' = 0.0; end if;\n"
    "      level = u - 0.5;\n"
    "    end dynamics;\n"
    "    output y = u; end output;\n"
    "    assignments u : 0.0; gear : 0; state : \"off\"; end assignments;\n"
    "  end body;\n"
    "end Integrator;\n";

/* A controller that samples the input once a second, at the times of the rows. */
static const char sampler[] = "dtc Sampler is\n"
                              "  interface input(u, real); output(y, real); end interface;\n"
                              "  body\n"
                              "    declarations sample(1.0); state(sum, real); end declarations;\n"
                              "    initial sum := 0.0; end initial;\n"
                              "    update sum := sum + u; end update; output y = u; end output;\n"
                              "    assignments u : 0.0; end assignments;\n"
                              "  end body;\n"
                              "end Sampler;\n";

static const char *const methods[] = {"taylor", "adams", "dopri"};
enum { METHODS = sizeof methods / sizeof methods[0] };

static double final_of(const outcome *o, const char *name) {
  const json *value = json_member(json_member(o->summary, "final"), name);
  return value != NULL ? value->number : (double)NAN;
}

static double event_time(const outcome *o, size_t k) {
  const json *t = json_member(json_at(json_member(o->summary, "events"), k), "t");
  return t != NULL ? t->number : (double)NAN;
}

TEST(signals_are_linear_between_rows_and_jump_where_two_rows_have_one_time) {
  write_file("m.hsml", integrator);
  write_file("u.csv", "time,u\n0,0\n1,1\n1,2\n3,0\n");
  for (size_t k = 0; k < METHODS; k++) {
    outcome o = program_run(BRINK_PROGRAM,
                            "run m.hsml --until 4 --input u.csv --json --interpret --method %s "
                            "--tolerance 1e-10",
                            methods[k]);
    CHECK_EXIT(o, 0);
    CHECK_NEAR(final_of(&o, "x"), 0.5 + 2.0, 1e-9);
    CHECK_NEAR(final_of(&o, "y"), 0.0, 1e-12);
    CHECK_NEAR(event_time(&o, 0), 0.5, 1e-9);
    CHECK_NEAR(event_time(&o, 1), 2.5, 1e-9);
    done(&o);
  }
}

TEST(held_inputs_stay_until_the_next_row) {
  write_file("m.hsml", integrator);
  write_file("u.csv", "time,u\n0,0\n1,1\n1,2\n3,0\n");
  outcome o = program_run(BRINK_PROGRAM,
                          "run m.hsml --until 4 --input u.csv --input-hold --json --interpret");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(final_of(&o, "x"), 4.0, 1e-8);
  done(&o);
}

TEST(a_table_that_begins_late_or_early_and_ends_early_keeps_its_ends) {
  write_file("m.hsml", integrator);
  write_file("late.csv", "time,u\n1,2\n2,4\n");
  outcome o =
      program_run(BRINK_PROGRAM, "run m.hsml --until 4 --input late.csv --json --interpret");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(final_of(&o, "x"), 2.0 + 3.0 + 8.0, 1e-8);
  CHECK_NEAR(final_of(&o, "z"), 2.0, 1e-12); /* the initial value refers to the input */
  done(&o);
  write_file("early.csv", "time,u\n-2,0\n2,4\n");
  o = program_run(BRINK_PROGRAM, "run m.hsml --until 2 --input early.csv --json --interpret");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(final_of(&o, "x"), 6.0, 1e-8);
  done(&o);
}

TEST(results_show_the_inputs_that_vary) {
  write_file("m.hsml", integrator);
  write_file("u.csv", "time,u,state\n0,0,off\n2,4,on\n");
  outcome o = program_run(BRINK_PROGRAM,
                          "run m.hsml --until 2 --every 1 --input u.csv --interpret --out -");
  CHECK_EXIT(o, 0);
  CHECK_MSG(strncmp(o.out, "time,x,z,u,state,y\n0,0,0,0,off,0\n", 33) == 0, "%s", o.out);
  CHECK(strstr(o.out, "\n1,1,0,2,off,2\n") != NULL);
  CHECK(strstr(o.out, "\n2,4,0,4,on,4\n") != NULL);
  done(&o);
}

TEST(integers_and_strings_are_held) {
  write_file("m.hsml", integrator);
  write_file("u.csv", "time,gear,state\r\n0,1,off\r\n1,2,\"on\"\r\n2,3,on\r\n\r\n");
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until 4 --input u.csv --json --interpret");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(final_of(&o, "z"), 2.0 + 6.0, 1e-8);
  done(&o);
}

TEST(a_sample_at_the_time_of_a_row_sees_that_row) {
  write_file("m.hsml", sampler);
  write_file("u.csv", "time,u\n0,1\n1,10\n2,100\n");
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until 2.5 --input u.csv --json --interpret");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(final_of(&o, "sum"), 111.0, 0.0);
  done(&o);
}

typedef struct mistake {
  const char *table;
  int exit;
  const char *words;
} mistake;

static const mistake mistakes[] = {
    {"time,geer\n0,0\n", 2,
     "--input geer: the top component has no such input; did you mean gear?"},
    {"time,u\n0,0\n1,abc\n", 5, "u.csv:3: error: u = 'abc' is not a number"},
    {"time,u\n0,0\n1,11\n", 5, "u.csv:3: error: u = 11 is outside its declared range"},
    {"time,gear\n0,0\n1,1.5\n", 5, "u.csv:3: error: gear = 1.5 is not a whole number"},
    {"time,state\n0,on\n1,maybe\n", 5, "u.csv:3: error: state = 'maybe' is not a value"},
    {"time,u\n0,0\n1\n", 5, "u.csv:3: error: 1 fields, but the first line has 2"},
    {"time,u\n0,0\n1,2,3\n", 5, "u.csv:3: error: 3 fields, but the first line has 2"},
    {"time,u\n1,0\n0,1\n", 5, "u.csv:3: error: time goes back, from 1 to 0"},
    {"time,u\nx,0\n", 5, "u.csv:2: error: time 'x' is not a number"},
    {"time,u\nnan,0\n", 5, "u.csv:2: error: time 'nan' is not a number"},
    {"time,u,u\n0,0,1\n", 5, "u.csv:1: error: there are two columns 'u'"},
    {"time\n0\n", 5, "u.csv:1: error: the first line names the columns"},
    {"time,u\n", 5, "there is no row of values"},
    {"time,u\n0,\"1\n", 5, "u.csv:2: error: a quoted field is not closed"},
    {"", 5, "u.csv:1: error: the first line names the columns"},
};

TEST(mistakes_in_a_table_are_told_with_their_line) {
  write_file("m.hsml", integrator);
  for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
    write_file("u.csv", mistakes[k].table);
    outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until 4 --input u.csv --interpret");
    CHECK_EXIT(o, mistakes[k].exit);
    CHECK_MSG(strstr(o.err, mistakes[k].words) != NULL, "'%s' gave: %s", mistakes[k].table, o.err);
    done(&o);
  }
}

TEST(wrong_usage_is_said) {
  write_file("m.hsml", integrator);
  write_file("u.csv", "time,u\n0,0\n");
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until 4 --input u.csv --set u=1");
  CHECK_EXIT(o, 2);
  CHECK(strstr(o.err, "--set and --input both give 'u'") != NULL);
  done(&o);
  o = program_run(BRINK_PROGRAM, "run m.hsml --until 4 --input-hold");
  CHECK_EXIT(o, 2);
  done(&o);
  o = program_run(BRINK_PROGRAM, "run m.hsml --until 4 --input nowhere.csv");
  CHECK_EXIT(o, 5);
  CHECK(strstr(o.err, "nowhere.csv") != NULL);
  done(&o);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(signals_are_linear_between_rows_and_jump_where_two_rows_have_one_time);
  RUN(held_inputs_stay_until_the_next_row);
  RUN(a_table_that_begins_late_or_early_and_ends_early_keeps_its_ends);
  RUN(results_show_the_inputs_that_vary);
  RUN(integers_and_strings_are_held);
  RUN(a_sample_at_the_time_of_a_row_sees_that_row);
  RUN(mistakes_in_a_table_are_told_with_their_line);
  RUN(wrong_usage_is_said);
  program_leave(folder);
  return check_done();
}
