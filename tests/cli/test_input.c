/* brink run --input: inputs over time, against integrals that can be written down. */
#include "check.h"
#include "support/program.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const char integrator[] =
    "ctc Integrator is\n"
    "  interface\n"
    "    input(u, signal, (-10.0, 10.0), \"m/s\");\n"
    "    input(enable, boolean);\n"
    "    input(gear, integer, (0, 5));\n"
    "    input(state, string, {\"off\", \"on\"});\n"
    "    input(v[2], real); input(P[2, 2], real);\n"
    "    output(y, signal);\n"
    "  end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real); state(z, real); flag(level);\n"
    "    end declarations;\n"
    "    initial x := 0.0; z := u; end initial;\n"
    "    dynamics\n"
    "      x' = u;\n"
    "      if state = \"on\" and enable then z' = gear; else z' = 0.0; end if;\n"
    "      level = u - 0.5;\n"
    "    end dynamics;\n"
    "    output y = u; end output;\n"
    "    assignments u : 0.0; enable : true; gear : 0; state : \"off\"; v : 0.0; P : 0.0;\n"
    "    end assignments;\n"
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
    {"time,u\n0,0\n1,abc\n", 5, "u.csv:3:3: error: u = 'abc' is not a number"},
    {"time,u\n0,0\n1,\n", 5, "u.csv:3:3: error: u has no value here"},
    {"time,gear,u\n0,0,0\n1,, 3\n", 5, "u.csv:3:3: error: gear has no value here"},
    {"time,u\n0,0\n1,nan\n", 5, "u.csv:3:3: error: u = 'nan' is not a number"},
    {"time,u\n0,0\n1,11\n", 5, "u.csv:3:3: error: u = 11 is outside its declared range"},
    {"time,u\n0,11\n1,0\n", 5, "u.csv:2:3: error: u = 11 is outside its declared range"},
    {"time,gear\n0,6\n1,0\n", 5, "u.csv:2:3: error: gear = 6 is outside its declared range"},
    {"time,state\n0,maybe\n1,on\n", 5, "u.csv:2:3: error: state = maybe is outside its declared"},
    {"time,v\n0,0\n", 2,
     "--input v: the top component has no such input; v is a vector: v[1] to v[2]"},
    {"time,v[3]\n0,0\n", 2, "v is a vector: v[1] to v[2]"},
    {"time,v[1],v[01]\n0,0,1\n", 2, "--input v[01]: the top component has no such input"},
    {"time,u[1]\n0,0\n", 2, "u has no elements: name it without an index"},
    {"time,P[3]\n0,0\n", 2, "P is a matrix"},
    {"time,gear\n0,0\n1,1.5\n", 5, "u.csv:3:3: error: gear = 1.5 is not a whole number"},
    {"time,state\n0,on\n1,maybe\n", 5, "u.csv:3:3: error: state = 'maybe' is not a value"},
    {"time,enable\n0,1\n1,yes\n", 5,
     "u.csv:3:3: error: enable = 'yes' is not true or false, 1 or 0"},
    {"time,u\n0,0\n1\n", 5, "u.csv:3: error: 1 fields, but the first line has 2"},
    {"time,u\n0,0\n1,2,3\n", 5, "u.csv:3: error: 3 fields, but the first line has 2"},
    {"time,u\n0,0\n1,5,2,5\n", 5, "if these are decimal commas, separate the fields by ';'"},
    {"time;u\n0;0\n1,5;2.5,1\n", 5, "u.csv:3:5: error: u = '2.5,1' is not a number"},
    {"time,u\n1,0\n0,1\n", 5, "u.csv:3:1: error: time goes back, from 1 to 0"},
    {"u,time\n0,1\n1,0\n", 5, "u.csv:3:3: error: time goes back, from 1 to 0"},
    {"time,u\nx,0\n", 5, "u.csv:2:1: error: time 'x' is not a number"},
    {"time,u\nnan,0\n", 5, "u.csv:2:1: error: time 'nan' is not a number"},
    {"time,u,u\n0,0,1\n", 5, "u.csv:1:8: error: there are two columns 'u'"},
    {"time,Time,u\n0,0,1\n", 5,
     "u.csv:1:6: error: there are two columns of time, 'time' and 'Time'"},
    {"time,u [km/h]\n0,0\n", 5, "u.csv:1:6: error: 'u' is in km/h here, but declared in m/s"},
    {"time,u(km/h)\n0,0\n", 5, "u.csv:1:6: error: 'u' is in km/h here, but declared in m/s"},
    {"time,pressure,depth\n0,0,0\n", 5, "none of these is an input"},
    {"time\n0\n", 5, "u.csv:1: error: the first line names the columns"},
    {"time,u\n", 5, "there is no row of values"},
    {"0,1\n1,2\n", 5,
     "u.csv:1:1: error: the first line names the columns: time, then the inputs; here"},
    {"time,u\n0,\"1\n", 5, "u.csv:2:4: error: a quoted field is not closed"},
    {"\xff\xfet", 5, "u.csv:1:1: error: this is UTF-16"},
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

/* Tables as they come out of other programs: the same input, the same integral. */
TEST(a_table_is_read_as_people_write_it) {
  static const char *const tables[] = {
      "time,u,gear\n0,0,1\n1,1,2\n3,5,2\n",
      "Time,u [m/s],gear\n0,0,1\n1,1,2\n3,5,2\n",
      "\"Time [s]\",\"u (m/s)\",\"gear\"\r\n\"0\",\"0\",\"1\"\r\n1,1,2\r\n3,5,2\r\n",
      "gear,u[m/s],T (s)\n1,0,0\n2,1,1\n2,5,3\n",
      "\xef\xbb\xbftime;u;gear\n0;0;1\n1,0;1,00;2\n3;5;2\n",
      "t\tu\tgear\n0\t0\t1\n1\t1\t2\n3\t5\t2\n",
      "# measured on Monday\n\ntime,u,gear\n# begin\n0,0,1\n1,1,2\n\n# later\n3,5,2\n# end",
      "# time,u,gear\n0.0e+00,0,1\n1,1,2\n3,5,2\n",
      "seconds,u,gear\n0,0,1\n1,1,2\n3,5,2",
      "time,u,gear,\n0,0,1,\n1,1,2,\n3,5,2,\n",
      "time, u, \"gear\"\n0, 0, \"1\"\n1, 1, 2\n3, 5, 2\n",
      "time,room,u,gear,remark\n0,x,0,1,\"a, b\"\n1,,1,2,\n3,5,5,2,last\n",
  };
  write_file("m.hsml", integrator);
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
    write_file("u.csv", tables[k]);
    outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until 3 --input u.csv --json --interpret "
                                           "--set state=on");
    CHECK_EXIT(o, 0);
    CHECK_MSG(fabs(final_of(&o, "x") - (0.5 + 6.0)) < 1e-8, "table %zu: x = %.17g", k,
              final_of(&o, "x"));
    CHECK_MSG(fabs(final_of(&o, "z") - (1.0 + 4.0)) < 1e-8, "table %zu: z = %.17g", k,
              final_of(&o, "z"));
    bool extra = strstr(tables[k], "room") != NULL;
    CHECK(extra == (strstr(o.err, "u.csv:1:6: warning: the column 'room' is no input") != NULL));
    CHECK(extra == (strstr(o.err, "the column 'remark' is no input, and is ignored") != NULL));
    CHECK_MSG(extra || o.err[0] == '\0', "table %zu: %s", k, o.err);
    done(&o);
  }
}

/* Also in the first row, whose values the model is built with. */
TEST(whole_numbers_are_asked_for_where_they_stand) {
  write_file("n.hsml", "ctc A is interface input(n, integer); end interface; body declarations "
                       "state(x, real); end declarations; initial x := 0.0; end initial; dynamics "
                       "x' = n; end dynamics; end body; end A;\n");
  write_file("n.csv", "t,n\n0,1.5\n1,2\n");
  outcome o = program_run(BRINK_PROGRAM, "run n.hsml --until 2 --input n.csv --interpret");
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "n.csv:2:3: error: n = 1.5 is not a whole number");
  done(&o);
}

TEST(one_standard_input_is_not_enough_for_two) {
  outcome o = program_run(BRINK_PROGRAM, "run - --until 2 --input - --interpret < n.hsml");
  CHECK_EXIT(o, 2);
  CHECK_CONTAINS(o.err, "the model and --input cannot both be standard input");
  done(&o);
}

TEST(booleans_are_words_or_digits) {
  static const char *const tables[] = {"time,enable\n0,true\n1,false\n2,true\n",
                                       "time,enable\n0,1\n1,0\n2,1\n",
                                       "time,enable\n0,TRUE\n1,False\n2,True\n"};
  write_file("m.hsml", integrator);
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
    write_file("u.csv", tables[k]);
    outcome o =
        program_run(BRINK_PROGRAM, "run m.hsml --until 2.5 --input u.csv --json --interpret "
                                   "--set state=on --set gear=4");
    CHECK_EXIT(o, 0);
    CHECK_NEAR(final_of(&o, "z"), 4.0 + 2.0, 1e-8);
    done(&o);
  }
}

TEST(a_table_that_begins_late_or_ends_early_says_so) {
  write_file("m.hsml", integrator);
  write_file("u.csv", "time,u\n1,2\n2,4\n");
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until 4 --input u.csv --json --interpret");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.err,
                 "warning: the inputs of u.csv begin at t = 1: before that the first values hold");
  CHECK_CONTAINS(o.err,
                 "warning: the inputs of u.csv end at t = 2: from then on the last values hold");
  const json *warnings = json_member(o.summary, "warnings");
  CHECK(json_at(warnings, 1) != NULL && json_at(warnings, 2) == NULL);
  done(&o);
  o = program_run(BRINK_PROGRAM, "run m.hsml --from 1 --until 2 --input u.csv --json --interpret");
  CHECK_EXIT(o, 0);
  CHECK_MSG(o.err[0] == '\0', "%s", o.err);
  done(&o);
  write_file("u.csv", "time,u\n0,2\n"); /* a constant */
  o = program_run(BRINK_PROGRAM, "run m.hsml --until 2 --input u.csv --json --interpret");
  CHECK_MSG(o.err[0] == '\0', "%s", o.err);
  done(&o);
  write_file("u.csv", "time [h],u\n0,2\n2,3\n");
  o = program_run(BRINK_PROGRAM, "run m.hsml --until 2 --input u.csv --json --interpret");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.err, "u.csv:1:1: warning: time in h is read as the time of the model, as it is");
  done(&o);
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
  RUN(a_table_is_read_as_people_write_it);
  RUN(whole_numbers_are_asked_for_where_they_stand);
  RUN(one_standard_input_is_not_enough_for_two);
  RUN(booleans_are_words_or_digits);
  RUN(a_table_that_begins_late_or_ends_early_says_so);
  RUN(wrong_usage_is_said);
  program_leave(folder);
  return check_done();
}
