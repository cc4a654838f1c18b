/* --from, --until inf, and expressions as values of options: against closed forms. */
#include "check.h"
#include "support/program.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/* z falls through 0 at pi/2, 5 pi/2, 9 pi/2, … */
static const char swing[] =
    "ctc Swing is\n"
    "  body\n"
    "    declarations state(x, real); state(n, integer); flag(z); parameter(last, integer);\n"
    "    end declarations;\n"
    "    initial x := cos(time); n := 0; end initial;\n"
    "    dynamics x' = -sin(time); z = x; end dynamics;\n"
    "    event(z)\n"
    "      negative-going n := n + 1; if n + 1 >= last then stop(\"enough\"); end if; end "
    "negative-going;\n"
    "    end event;\n"
    "    assignments last : 3; end assignments;\n"
    "  end body;\n"
    "end Swing;\n";

/* Nothing can end it. */
static const char endless[] = "ctc Endless is\n"
                              "  body\n"
                              "    declarations state(x, real); flag(z); end declarations;\n"
                              "    initial x := 1.0; end initial;\n"
                              "    dynamics x' = -x; z = x - 0.5; end dynamics;\n"
                              "  end body;\n"
                              "end Endless;\n";

/* It could be ended, but never is. */
static const char still[] =
    "ctc Still is\n"
    "  body\n"
    "    declarations state(x, real); flag(z); end declarations;\n"
    "    initial x := 1.0; end initial;\n"
    "    dynamics x' = -x; z = x - 2.0; end dynamics;\n"
    "    event(z) positive-going stop(\"never\"); end positive-going; end event;\n"
    "  end body;\n"
    "end Still;\n";

/* Two balls on a line that meet head on, half way. */
static const char balls[] =
    "ctc Ball is\n"
    "  interface knob(v); end interface;\n"
    "  body\n"
    "    declarations state(x, real); parameter(v, real); state(born, real); end declarations;\n"
    "    initial x := 0.0; born := time; end initial;\n"
    "    dynamics x' = v; born' = 0.0; end dynamics;\n"
    "    assignments v : 1.0; end assignments;\n"
    "  end body;\n"
    "end Ball;\n"
    "system Line is\n"
    "  body\n"
    "    components b[2] : Ball; end components;\n"
    "    agents\n"
    "      population(b);\n"
    "      pair(p, q) in b\n"
    "        declarations flag(meet); end declarations;\n"
    "        dynamics meet = (p.x - q.x)^2 - 0.25; end dynamics;\n"
    "        event(meet) negative-going p.x := p.x; end negative-going; end event;\n"
    "      end pair;\n"
    "    end agents;\n"
    "  end body;\n"
    "end Line;\n";

static double number(const json *object, const char *name) {
  const json *value = json_member(object, name);
  return value != NULL ? value->number : (double)NAN;
}

static double final_of(const outcome *o, const char *name) {
  return number(json_member(o->summary, "final"), name);
}

static double event_time(const outcome *o, size_t k) {
  return number(json_at(json_member(o->summary, "events"), k), "t");
}

TEST(a_run_starts_where_it_is_told_to) {
  static const char *const methods[] = {"taylor", "adams", "dopri", "bdf"};
  write_file("m.hsml", swing);
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    outcome o =
        program_run(BRINK_PROGRAM,
                    "run m.hsml --from=-2*pi --until 3*pi/4 --set last=99 --json --interpret "
                    "--tolerance 10^-9 --method %s",
                    methods[k]);
    CHECK_EXIT(o, 0);
    CHECK_NEAR(event_time(&o, 0), -1.5 * PI, 1e-7);
    CHECK_NEAR(event_time(&o, 1), -0.5 * PI, 1e-7);
    CHECK_NEAR(event_time(&o, 2), 0.5 * PI, 1e-7);
    CHECK_NEAR(final_of(&o, "x"), -sqrt(0.5), 1e-7);
    CHECK_NEAR(number(o.summary, "t"), 0.75 * PI, 0.0);
    done(&o);
  }
}

TEST(rows_begin_at_the_start) {
  write_file("m.hsml", swing);
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --from 10 --until 11 --every 0.25 --out r.csv "
                                         "--set last=99 --interpret --quiet");
  CHECK_EXIT(o, 0);
  char *rows = read_all("r.csv");
  CHECK_CONTAINS(rows, "\n10,");
  CHECK_CONTAINS(rows, "\n10.25,");
  CHECK_CONTAINS(rows, "\n11,");
  CHECK(strstr(rows, "\n0,") == NULL);
  free(rows);
  done(&o);
}

TEST(inputs_are_read_from_the_start) {
  write_file("m.hsml", "ctc I is interface input(u, signal); input(v, real); end interface;\n"
                       "body declarations state(x, real); state(y, real); state(first, real);\n"
                       "end declarations;\n"
                       "initial x := 0.0; y := 0.0; first := v; end initial;\n"
                       "dynamics x' = u; y' = v; first' = 0.0; end dynamics;\n"
                       "assignments u : 0.0; v : 0.0; end assignments; end body; end I;\n");
  write_file("u.csv", "time,u,v\n0,0,1\n2,4,2\n4,0,5\n");
  /* u is 3 at 1.5, 4 at 2, 2 at 3; v is 1 until 2, then 2 */
  outcome o = program_run(BRINK_PROGRAM,
                          "run m.hsml --from 1.5 --until 3 --input u.csv --json --interpret");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(final_of(&o, "x"), 0.5 * 3.5 + 3.0, 1e-9);
  CHECK_NEAR(final_of(&o, "y"), 0.5 * 1.0 + 2.0, 1e-9);
  CHECK_NEAR(final_of(&o, "first"), 1.0, 0.0);
  done(&o);
  o = program_run(BRINK_PROGRAM,
                  "run m.hsml --from 4.5 --until 5 --input u.csv --json --interpret");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(final_of(&o, "x"), 0.0, 0.0);
  CHECK_NEAR(final_of(&o, "first"), 5.0, 0.0);
  done(&o);
}

TEST(agents_start_there_too) {
  write_file("m.hsml", balls);
  static const char *const clocks[] = {"own", "one"};
  for (size_t k = 0; k < 2; k++) {
    outcome o = program_run(BRINK_PROGRAM,
                            "run m.hsml --from=-8 --until -4.5 --set b.x=[0,4] --set b.v=[1,-1] "
                            "--json --interpret --clocks %s --every 1 --out r.csv",
                            clocks[k]);
    CHECK_EXIT(o, 0);
    CHECK_NEAR(event_time(&o, 0), -8.0 + 1.75, 1e-8);
    CHECK_NEAR(final_of(&o, "b[1].x"), 3.5, 1e-9);
    CHECK_NEAR(final_of(&o, "b[2].born"), -8.0, 0.0);
    char *rows = read_all("r.csv");
    CHECK_CONTAINS(rows, "\n-8,");
    CHECK_CONTAINS(rows, "\n-7,");
    CHECK_CONTAINS(rows, "\n-5,");
    free(rows);
    done(&o);
  }
}

TEST(the_model_ends_a_run_without_an_end) {
  write_file("m.hsml", swing);
  outcome o =
      program_run(BRINK_PROGRAM, "run m.hsml --until inf --json --interpret --tolerance 1e-9 "
                                 "--report r.html --plot x");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(number(o.summary, "t"), 4.5 * PI, 1e-7);
  done(&o);
  /* at any scale of time */
  static const double speeds[] = {1e-9, 1.0, 1e9};
  write_file("f.hsml",
             "ctc F is body declarations state(h, real); parameter(v, real); flag(floor);\n"
             "end declarations; initial h := 5.0; end initial;\n"
             "dynamics h' = -v; floor = h; end dynamics;\n"
             "event(floor) negative-going stop(\"down\"); end negative-going; end event;\n"
             "assignments v : 1.0; end assignments; end body; end F;\n");
  for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
    o = program_run(BRINK_PROGRAM, "run f.hsml --until inf --json --interpret --set v=%g",
                    speeds[k]);
    CHECK_EXIT(o, 0);
    CHECK_NEAR(number(o.summary, "t") * speeds[k], 5.0, 1e-8);
    done(&o);
  }
}

TEST(a_run_that_cannot_end_is_refused) {
  write_file("m.hsml", endless);
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until inf");
  CHECK_EXIT(o, 2);
  CHECK_CONTAINS(o.err, "would never end");
  done(&o);
  write_file("m.hsml", still);
  o = program_run(BRINK_PROGRAM, "run m.hsml --until inf --json --interpret");
  CHECK_EXIT(o, 4);
  CHECK_CONTAINS(o.err, "nothing has ended the run by t = ");
  CHECK(json_member(o.summary, "reason") != NULL);
  done(&o);
}

/* ---- backwards ---- */

static const char prey[] =
    "ctc Prey is\n"
    "  interface input(u, signal); input(v, real); output(rate, signal); end interface;\n"
    "  body\n"
    "    declarations state(x, real); state(y, real); state(c, real); state(d, real);\n"
    "      flag(many); flag(edge, unilateral);\n"
    "    end declarations;\n"
    "    initial x := 1.05; y := 0.5; c := 0.0; d := 0.0; end initial;\n"
    "    dynamics\n"
    "      x' = x*(1 - y) + 0.1*sin(time) + 0.01*u; y' = y*(x - 1);\n"
    "      c' = abs(x - 1) + floor(2*x); d' = sqrt(x) + v; many = x - 1.2; edge = x;\n"
    "    end dynamics;\n"
    "    output rate = x'; end output;\n"
    "    event(many) positive-going note(\"up\", x); end positive-going; end event;\n"
    "    assignments u : 0.0; v : 0.0; end assignments;\n"
    "  end body;\n"
    "end Prey;\n";

/* The events of a run backwards are those of the run forwards, in the opposite order; generated flags may be others of
 * the same expression. */
static void compare_events(const outcome *there, const outcome *back, const char *method) {
  size_t n = 0, m = 0;
  const json *a = json_member(there->summary, "events"), *b = json_member(back->summary, "events");
  while (json_at(a, n) != NULL) n++;
  while (json_at(b, m) != NULL) m++;
  CHECK_MSG(n == m && n >= 15, "%s: %zu events, and %zu backwards", method, n, m);
  for (size_t k = 0; k < n && n == m; k++) {
    const json *one = json_at(a, k), *other = json_at(b, n - 1 - k);
    const json *d1 = json_member(one, "direction"), *d2 = json_member(other, "direction");
    CHECK_MSG(fabs(number(one, "t") - number(other, "t")) < 1e-6, "%s: t = %.12g and %.12g", method,
              number(one, "t"), number(other, "t"));
    CHECK_MSG(strcmp(d1->text, d2->text) == 0, "%s: %s and %s at %g", method, d1->text, d2->text,
              number(one, "t"));
  }
}

TEST(forwards_and_backwards_leads_to_where_it_began) {
  static const char *const methods[] = {"taylor", "adams", "dopri", "bdf", "rk4 --step 1/512"};
  write_file("m.hsml", prey);
  write_file("u.csv", "time,u,v\n-1,0,1\n3,4,2\n3,1,-1\n7,0,5\n");
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    outcome there = program_run(BRINK_PROGRAM,
                                "run m.hsml --until 10 --tolerance 1e-10 --json --quiet "
                                "--input u.csv --method %s",
                                methods[k]);
    CHECK_EXIT(there, 0);
    outcome back = program_run(
        BRINK_PROGRAM,
        "run m.hsml --from 10 --until 0 --tolerance 1e-10 --json --audit --quiet --input u.csv "
        "--set x=%.17g --set y=%.17g --set c=%.17g --set d=%.17g --method %s",
        final_of(&there, "x"), final_of(&there, "y"), final_of(&there, "c"), final_of(&there, "d"),
        methods[k]);
    CHECK_EXIT(back, 0);
    CHECK_NEAR(final_of(&back, "x"), 1.05, 1e-7);
    CHECK_NEAR(final_of(&back, "y"), 0.5, 1e-7);
    CHECK_NEAR(final_of(&back, "c"), 0.0, 1e-6);
    CHECK_NEAR(final_of(&back, "d"), 0.0, 1e-6);
    CHECK_NEAR(final_of(&back, "rate"), 0.525 + 0.01, 1e-7); /* of the model's time; u is 1 at 0 */
    CHECK_NEAR(number(back.summary, "t"), 0.0, 0.0);
    CHECK_NEAR(number(json_member(back.summary, "stats"), "rhs_past_guard"), 0.0, 0.0);
    compare_events(&there, &back, methods[k]);
    done(&there);
    done(&back);
  }
}

TEST(rows_of_a_run_backwards_have_the_time_of_the_model) {
  write_file("m.hsml", prey);
  outcome o =
      program_run(BRINK_PROGRAM, "run m.hsml --from 2 --until 1 --every 0.25 --interpret --quiet "
                                 "--out r.csv --report r.html --plot x --progress always");
  CHECK_EXIT(o, 0);
  char *rows = read_all("r.csv");
  const char *first = strstr(rows, "\n2,"), *second = strstr(rows, "\n1.75,"),
             *last = strstr(rows, "\n1,");
  CHECK(first != NULL && second != NULL && last != NULL && first < second && second < last);
  free(rows);
  done(&o);
  o = program_run(BRINK_PROGRAM, "run m.hsml --from 2 --until 0 --interpret --quiet --out - "
                                 "--every 2 --keep \"rate,x',many\"");
  CHECK_EXIT(o, 0);
  const char *row = strstr(o.out, "\n2,"); /* x' = 1.05*0.5 + 0.1 sin(2), many = -0.15 */
  double rate = (double)NAN, derivative = (double)NAN, many = (double)NAN;
  CHECK(row != NULL && sscanf(row, "\n2,%lf,%lf,%lf", &rate, &derivative, &many) == 3);
  CHECK_NEAR(rate, 0.525 + 0.1 * sin(2.0), 1e-12);
  CHECK_NEAR(derivative, rate, 1e-15);
  CHECK_NEAR(many, -0.15, 1e-12);
  done(&o);
  o = program_run(BRINK_PROGRAM, "condition m.hsml --from 2 --until 1");
  CHECK_EXIT(o, 2);
  CHECK_CONTAINS(o.err, "not worked out backwards");
  done(&o);
}

TEST(agents_run_backwards_as_one_system) {
  write_file("m.hsml", balls);
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until -1 --interpret");
  CHECK_EXIT(o, 3); /* the pair's action assigns something */
  CHECK_CONTAINS(o.err, "cannot undo what this action of a pair does");
  done(&o);
}

TEST(what_cannot_be_undone_is_refused_with_its_place) {
  write_file("m.hsml", swing);
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until -1 --interpret");
  CHECK_EXIT(o, 3);
  CHECK_CONTAINS(o.err,
                 "m.hsml:8:22: error: a run backwards cannot undo what this action of Swing");
  done(&o);
  o = program_run(BRINK_PROGRAM, "run m.hsml --from 3 --until 3 --interpret --json");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(number(o.summary, "t"), 3.0, 0.0);
  done(&o);
}

/* ---- flags that are past at the start ---- */

static const char pump[] =
    "ctc Pump is\n"
    "  interface knob(level); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(h, real); mode(pump, {\"off\", \"on\"}); parameter(level, real);\n"
    "      flag(low); flag(both); flag(late); flag(armed);\n"
    "    end declarations;\n"
    "    initial h := level; pump := \"off\"; end initial;\n"
    "    dynamics\n"
    "      h' = if pump = \"on\" then 0.1 else -0.01;\n"
    "      low = h - 0.2; both = h - 0.2; late = time - 5.0; armed = h < 0.2 and pump = \"on\";\n"
    "    end dynamics;\n"
    "    event(low) negative-going pump := \"on\"; end negative-going; end event;\n"
    "    event(both)\n"
    "      negative-going pump := \"on\"; end negative-going;\n"
    "      positive-going pump := pump; end positive-going;\n"
    "    end event;\n"
    "    event(late) positive-going h := 0.0; end positive-going; end event;\n"
    "    event(armed) positive-going h := h + 1.0; end positive-going; end event;\n"
    "    assignments level : 0.1; end assignments;\n"
    "  end body;\n"
    "end Pump;\n"
    "system Yard is body components p[3] : Pump; end components; end body; end Yard;\n"
    "system Herd is body components p[3] : Pump; end components;\n"
    "  agents population(p); end agents; end body; end Herd;\n";

static void check_past(const char *arguments, size_t count, const char *words) {
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --json --interpret %s", arguments);
  CHECK_EXIT(o, 0);
  size_t warned = 0;
  const json *warnings = json_member(o.summary, "warnings");
  while (json_at(warnings, warned) != NULL) warned++;
  CHECK_MSG(warned == count, "%s: %zu warnings: %s", arguments, warned, o.err);
  if (count > 0) CHECK_CONTAINS(o.err, words);
  if (warned > 0) CHECK_CONTAINS(json_at(warnings, 0)->text, words);
  if (count == 0) CHECK_MSG(o.err[0] == '\0', "%s: %s", arguments, o.err);
  done(&o);
}

TEST(a_flag_that_is_past_at_the_start_is_told) {
  write_file("m.hsml", pump);
  check_past("--top Pump --until 1", 1,
             "'low' is -0.1 at the start: the negative-going event is behind it");
  check_past("--top Pump --until 1 --set level=0.3", 0, "");
  check_past("--top Pump --until 1 --set level=0.2", 0, ""); /* on the surface */
  check_past("--top Pump --until 1 --set level=0.3 --from 0.5", 0, "");
  check_past("--top Pump --until 11 --set level=0.3 --from 10", 1,
             "'late' is 5 at the start: the positive-going event is behind it");
  /* what initial has done already is not missing */
  check_past("--top Pump --until 1 --set pump=on", 1, "'armed' is true at the start");
  check_past("--top Yard --until 1 --set p.level=[0.3,0.1,0.15]", 1,
             "'p[2].low' is -0.1 at the start, and 1 more like it");
  check_past("--top Herd --until 1 --set p.level=[0.3,0.1,0.15]", 1,
             "'p[2].low' is -0.1 at the start, and 1 more like it");
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(a_run_starts_where_it_is_told_to);
  RUN(rows_begin_at_the_start);
  RUN(inputs_are_read_from_the_start);
  RUN(agents_start_there_too);
  RUN(the_model_ends_a_run_without_an_end);
  RUN(a_run_that_cannot_end_is_refused);
  RUN(forwards_and_backwards_leads_to_where_it_began);
  RUN(rows_of_a_run_backwards_have_the_time_of_the_model);
  RUN(agents_run_backwards_as_one_system);
  RUN(what_cannot_be_undone_is_refused_with_its_place);
  RUN(a_flag_that_is_past_at_the_start_is_told);
  program_leave(folder);
  return check_done();
}
