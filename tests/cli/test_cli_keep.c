/* What is recorded: by default, by --keep, by the model; its values, compared with closed forms. */
#include "check.h"
#include "support/program.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)

/* x = exp(-2 t), w[i] = exp(-i t); the plant's input is sin(t); the clock counts twice a second. */
static const char loop_model[] =
    "ctc Plant is\n"
    "  interface input(u, signal); output(y, signal); knob(k); end interface;\n"
    "  body\n"
    "    declarations state(x, real); state(w[3], real); variable(q, real); variable(r[3], real);\n"
    "      parameter(k, real); mode(m, {\"low\", \"high\"}); flag(half); flag(small);\n"
    "    end declarations;\n"
    "    initial x := 1.0; m := \"low\"; for i in 1..3 loop w[i] := 1.0; end loop; end initial;\n"
    "    dynamics\n"
    "      q = k*x; x' = -q;\n"
    "      for i in 1..3 loop w[i]' = -i*w[i]; r[i] = w[i]^2; end loop;\n"
    "      half = x - 0.5; small = x < 0.5 and w[1] < 0.5;\n"
    "    end dynamics;\n"
    "    output y = u + x; end output;\n"
    "    event(half) negative-going m := \"high\"; end negative-going; end event;\n"
    "    assignments k : 2.0; end assignments;\n"
    "  end body;\n"
    "end Plant;\n"
    "ctc Source is interface output(s, signal); end interface;\n"
    "  body output s = sin(time); end output; end body;\n"
    "end Source;\n"
    "dtc Clock is interface output(n, integer); end interface;\n"
    "  body declarations state(count, integer); sample(0.5, 0.5); end declarations;\n"
    "  initial count := 0; end initial;\n"
    "  update count := count + 1; end update; output n = count; end output; end body;\n"
    "end Clock;\n"
    "system Loop is body\n"
    "  components p : Plant; c : Source; d : Clock; end components;\n"
    "  connections connect(c.s, p.u); end connections;\n"
    "  simulation until : 1.0; tolerance : 1e-10; every : 0.125;%s end simulation;\n"
    "end body; end Loop;\n";

static void write_loop(const char *setting) {
  char text[4096];
  snprintf(text, sizeof text, loop_model, setting);
  write_file("loop.hsml", text);
}

/* ---- a CSV file ---- */

typedef struct table {
  char *text, *name[64];
  size_t ncolumns;
} table;

static table open_table(const char *path) {
  table t = {.text = read_all(path)};
  for (char *c = strtok(t.text, "\n") != NULL ? t.text : NULL; c != NULL && t.ncolumns < 64;) {
    t.name[t.ncolumns++] = c;
    c = strchr(c, ',');
    if (c != NULL) *c++ = '\0';
  }
  return t;
}

/* The names after time, separated by spaces. */
static void check_names(const char *path, const char *expected) {
  table t = open_table(path);
  char found[2048] = "";
  for (size_t k = 1; k < t.ncolumns; k++) {
    size_t used = strlen(found);
    snprintf(found + used, sizeof found - used, "%s%s", k > 1 ? " " : "", t.name[k]);
  }
  CHECK_MSG(strcmp(found, expected) == 0, "'%s' instead of '%s'", found, expected);
  free(t.text);
}

/* Every row of the column `name`, against the function of time; how many there were. */
static size_t check_column(const char *path, const char *name, double (*exact)(double t)) {
  table t = open_table(path);
  size_t column = 0, rows = 0;
  while (column < t.ncolumns && strcmp(t.name[column], name) != 0) column++;
  CHECK_MSG(column < t.ncolumns, "no column %s", name);
  char *all = read_all(path);
  for (char *line = strchr(all, '\n'); line != NULL && line[1] != '\0' && column < t.ncolumns;
       line = strchr(line + 1, '\n'), rows++) {
    char *field = line + 1;
    double time = strtod(field, NULL);
    for (size_t k = 0; k < column; k++) field = strchr(field, ',') + 1;
    double value = strncmp(field, "true", 4) == 0 ? 1.0 : strtod(field, NULL);
    CHECK_MSG(fabs(value - exact(time)) < 1e-8, "%s at %g: %.12g, not %.12g", name, time, value,
              exact(time));
  }
  free(all);
  free(t.text);
  return rows;
}

static double exact_q(double t) {
  return 2.0 * exp(-2.0 * t);
}
static double exact_rate(double t) {
  return -2.0 * exp(-2.0 * t);
}
static double exact_rate_of_w3(double t) {
  return -3.0 * exp(-3.0 * t);
}
static double exact_r2(double t) {
  return exp(-4.0 * t);
}
static double exact_half(double t) {
  return exp(-2.0 * t) - 0.5;
}
static double exact_u(double t) {
  return sin(t);
}
static double exact_late(double t) { /* x = 1 - t until t = 1 */
  return t <= 1.0 ? -1.0 : t - 2.0;
}
static double exact_k(double t) {
  (void)t;
  return 2.0;
}

/* ---- what is there ---- */

TEST(everything_that_is_declared_and_changes_is_recorded) {
  write_loop("");
  outcome o = brink("run loop.hsml --interpret --out a.csv");
  CHECK_EXIT(o, 0);
  CHECK(strstr(o.out, "omitted") == NULL);
  done(&o);
  check_names("a.csv", "p.x p.w[1] p.w[2] p.w[3] d.count p.m p.y c.s d.n p.q p.r[1] p.r[2] p.r[3]");
  CHECK(check_column("a.csv", "p.q", exact_q) >= 9);
  check_column("a.csv", "p.r[2]", exact_r2);
}

TEST(names_and_patterns_choose) {
  write_loop("");
  const char *const choices[][2] = {
      {"p.*", "p.x p.w[1] p.w[2] p.w[3] p.m p.y p.u p.q p.r[1] p.r[2] p.r[3]"},
      {"*.x", "p.x"},
      {"p.w[2..3],p.r", "p.w[2] p.w[3] p.r[1] p.r[2] p.r[3]"},
      {"p.w[3]', p.x'", "p.x' p.w[3]'"},
      {"*'", "p.x' p.w[1]' p.w[2]' p.w[3]'"},
      {"p.half,p.small,d.*", "d.count d.n p.half p.small"},
      {"p.k,p.u", "p.u p.k"},
      {"p.q,*.q,p.q", "p.q"},
  };
  for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
    outcome o = brink("run loop.hsml --interpret --quiet --out a.csv --keep \"%s\"", choices[k][0]);
    CHECK_EXIT(o, 0);
    done(&o);
    check_names("a.csv", choices[k][1]);
  }
}

TEST(values_are_those_of_closed_forms) {
  write_loop("");
  for (int native = 0; native < 2; native++) {
    outcome o = brink("run loop.hsml %s --quiet --out a.csv --keep \"p.*,p.x',p.w',p.half,p.small,"
                      "p.k\"",
                      native ? "" : "--interpret");
    CHECK_EXIT(o, 0);
    done(&o);
    CHECK(check_column("a.csv", "p.q", exact_q) >= 9);
    check_column("a.csv", "p.x'", exact_rate);
    check_column("a.csv", "p.w[3]'", exact_rate_of_w3);
    check_column("a.csv", "p.half", exact_half);
    check_column("a.csv", "p.u", exact_u);
    check_column("a.csv", "p.k", exact_k);
  }
}

TEST(matrices_have_two_indices) {
  write_file("matrix.hsml",
             "ctc Matrix is body declarations state(P[2,3], real); end declarations;\n"
             "initial for i in 1..2 loop for j in 1..3 loop P[i, j] := 10*i + j;\n"
             "end loop; end loop; end initial; dynamics P' = -P; end dynamics;\n"
             "end body; end Matrix;\n");
  outcome o = brink("run matrix.hsml --until 1 --interpret --quiet --out a.csv "
                    "--keep \"P[2,*], P[1,2..3]'\"");
  CHECK_EXIT(o, 0);
  char *text = read_all("a.csv");
  static const char head[] = "time,\"P[2,1]\",\"P[2,2]\",\"P[2,3]\",\"P[1,2]'\",\"P[1,3]'\"\n"
                             "0,21,22,23,-12,-13\n";
  CHECK(strncmp(text, head, sizeof head - 1) == 0);
  free(text);
  done(&o);
}

TEST(a_formula_is_true_or_false) {
  write_loop("");
  outcome o = brink("run loop.hsml --interpret --quiet --out a.csv --keep p.small");
  char *text = read_all("a.csv");
  CHECK_EXIT(o, 0);
  done(&o);
  /* true from w[1] = 0.5 on, at log 2; the row before the event, and the one after it */
  CHECK(strstr(text, "\n0.625,false\n0.69314718") != NULL);
  CHECK(strstr(text, ",false\n0.69314718") != NULL && strstr(text, ",true\n0.75,true\n") != NULL);
  free(text);
}

TEST(derivatives_of_sliding_are_those_of_the_sliding_field) {
  write_file("slide.hsml",
             "ctc Slide is body\n"
             "declarations state(x, real); state(y, real); flag(s); end declarations;\n"
             "initial x := -1.0; y := 0.0; end initial;\n"
             "dynamics s = x; x' = if sgn(s) > 0 then -3.0 else 1.0;\n"
             "y' = if sgn(s) > 0 then 0.0 else 1.0; end dynamics;\n"
             "end body; end Slide;\n");
  const char *const methods[] = {"taylor", "adams", "dopri"};
  for (size_t k = 0; k < 3; k++) {
    outcome o = brink("run slide.hsml --until 3 --every 0.5 --out a.csv --quiet --method %s "
                      "--keep \"x',y'\"",
                      methods[k]);
    char *text = read_all("a.csv");
    CHECK_EXIT(o, 0);
    CHECK(strstr(text, "\n0.5,1,1\n") != NULL);
    CHECK(strstr(text, "\n1.5,0,0.75\n") != NULL && strstr(text, "\n3,0,0.75\n") != NULL);
    done(&o);
    free(text);
  }
}

TEST(derivatives_of_runs_backwards_and_of_delays_are_by_time) {
  write_file("back.hsml", "ctc Back is body declarations state(x, real); end declarations;\n"
                          "initial x := 1.0; end initial; dynamics x' = -2*x; end dynamics;\n"
                          "end body; end Back;\n");
  outcome o = brink("run back.hsml --until -1 --every 0.25 --tolerance 1e-12 --out a.csv --quiet "
                    "--interpret --keep \"x'\"");
  CHECK_EXIT(o, 0);
  done(&o);
  CHECK(check_column("a.csv", "x'", exact_rate) == 5);
  write_file("late.hsml", "ctc Late is body declarations state(x, real); end declarations;\n"
                          "initial x := 1.0; end initial; dynamics x' = -delay(x, 1.0);\n"
                          "end dynamics; end body; end Late;\n");
  o = brink("run late.hsml --until 2 --every 0.25 --out a.csv --quiet --interpret --keep \"x'\"");
  CHECK_EXIT(o, 0);
  done(&o);
  CHECK(check_column("a.csv", "x'", exact_late) >= 9);
}

TEST(recording_changes_nothing_of_a_run) {
  write_loop("");
  outcome plain = brink("run loop.hsml --json --interpret --keep p.x");
  outcome all = brink("run loop.hsml --json --interpret --out a.csv --audit "
                      "--keep \"*,*',p.half,p.small\"");
  outcome audited = brink("run loop.hsml --json --interpret --audit --keep p.x");
  CHECK_EXIT(all, 0);
  const json *a = json_member(plain.summary, "final"), *b = json_member(all.summary, "final");
  CHECK(json_member(a, "p.x")->number == json_member(b, "p.x")->number);
  const char *const counts[] = {"steps", "rhs", "guards", "roots", "rhs_past_guard"};
  for (size_t k = 0; k < 5; k++)
    CHECK_MSG(json_member(json_member(audited.summary, "stats"), counts[k])->number ==
                  json_member(json_member(all.summary, "stats"), counts[k])->number,
              "%s", counts[k]);
  done(&plain);
  done(&all);
  done(&audited);
}

/* ---- where else ---- */

TEST(the_summary_has_them_and_parameters_once) {
  write_loop("");
  outcome o = brink("run loop.hsml --json --interpret --keep \"p.x',p.half\"");
  CHECK_EXIT(o, 0);
  const json *final = json_member(o.summary, "final");
  CHECK_NEAR(json_member(final, "p.x'")->number, exact_rate(1.0), 1e-9);
  CHECK_NEAR(json_member(final, "p.half")->number, exact_half(1.0), 1e-9);
  CHECK_NEAR(json_member(final, "p.x")->number, exp(-2.0), 1e-9); /* always */
  CHECK_NEAR(json_member(json_member(o.summary, "parameters"), "p.k")->number, 2.0, 0.0);
  CHECK(json_member(final, "p.k") == NULL && json_member(final, "p.q") == NULL);
  done(&o);
}

TEST(the_model_may_say_it_and_the_command_line_wins) {
  write_loop(" keep : \"p.x, p.q\";");
  outcome o = brink("run loop.hsml --interpret --quiet --out a.csv");
  CHECK_EXIT(o, 0);
  done(&o);
  check_names("a.csv", "p.x p.q");
  o = brink("run loop.hsml --interpret --quiet --out a.csv --keep c.s");
  CHECK_EXIT(o, 0);
  done(&o);
  check_names("a.csv", "c.s");
  write_loop(" keep : \"p.xx\";");
  o = brink("run loop.hsml --interpret --quiet --out a.csv");
  CHECK_EXIT(o, 3);
  CHECK(strstr(o.err, "simulation: keep : p.xx: there is no 'p.xx'; did you mean 'p.x'?") != NULL);
  done(&o);
  write_loop(" keep : 3.0;");
  o = brink("check loop.hsml");
  CHECK_EXIT(o, 3);
  CHECK(strstr(o.err, "'keep' is a string, but this is a real") != NULL);
  CHECK(strstr(o.err, "hint: names between quotes") != NULL);
  done(&o);
}

TEST(what_is_not_there_is_told) {
  write_loop("");
  const char *const wrong[][2] = {
      {"p.xx", "there is no 'p.xx'; did you mean 'p.x'?"},
      {"x'", "there is no 'x''; did you mean 'p.x''?"},
      {"pp.*", "there is no 'pp.*'; did you mean 'p.*'?"},
      {"*.halff", "there is no '*.halff'; did you mean '*.half'?"},
      {"p.w[4]", "there is no 'p.w[4]'; did you mean 'p.w'?"},
      {"p.x,,p.q", "a name is missing"},
      {"p.m'", "there is no 'p.m''"},
      {"d.count'", "there is no 'd.count''"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    outcome o = brink("run loop.hsml --interpret --out a.csv --keep \"%s\"", wrong[k][0]);
    CHECK_EXIT(o, 2);
    CHECK_MSG(strstr(o.err, wrong[k][1]) != NULL, "%s: %s", wrong[k][0], o.err);
    done(&o);
  }
}

TEST(large_models_say_what_they_leave_out) {
  write_file("many.hsml", "ctc Tank is body declarations state(h, real); variable(q, real);\n"
                          "variable(p, real); end declarations; initial h := 1.0; end initial;\n"
                          "dynamics q = 2*h; p = h^2; h' = -q; end dynamics; end body; end Tank;\n"
                          "system Many is body components tank[400] : Tank; end components;\n"
                          "simulation until : 0.1; end simulation; end body; end Many;\n");
  outcome o = brink("run many.hsml --interpret --method dopri --out a.csv");
  CHECK_EXIT(o, 0);
  CHECK_MSG(strstr(o.out, "omitted 800 columns of tank.q, tank.p: --keep '*' records everything "
                          "that changes\n") != NULL,
            "%s", o.out);
  done(&o);
  o = brink("run many.hsml --interpret --method dopri --json");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(json_member(json_member(o.summary, "left_out"), "columns")->number, 800.0, 0.0);
  done(&o);
  o = brink("run many.hsml --interpret --method dopri --json --keep '*'");
  CHECK(json_member(o.summary, "left_out") == NULL);
  CHECK_NEAR(json_member(json_member(o.summary, "final"), "tank[400].p")->number, exp(-0.4), 1e-5);
  done(&o);
  o = brink("run many.hsml --interpret --method dopri --quiet --out a.csv --keep 'tank[7..8].*'");
  CHECK_EXIT(o, 0);
  done(&o);
  check_names("a.csv", "tank[7].h tank[8].h tank[7].q tank[8].q tank[7].p tank[8].p");
}

TEST(agents_keep_derivatives_and_refuse_flags) {
  write_file("balls.hsml", "ctc Ball is body declarations state(x, real); variable(e, real);\n"
                           "flag(low); end declarations; initial x := 1.0; end initial;\n"
                           "dynamics x' = -x; e = x^2; low = x - 0.75; end dynamics;\n"
                           "end body; end Ball;\n"
                           "system Balls is body components ball[3] : Ball; end components;\n"
                           "agents population(ball); end agents;\n"
                           "simulation until : 0.5; every : 0.125; tolerance : 1e-10;\n"
                           "end simulation; end body; end Balls;\n");
  outcome o =
      brink("run balls.hsml --interpret --quiet --out a.csv --keep \"ball[2].*,ball[2].x'\"");
  CHECK_EXIT(o, 0);
  done(&o);
  check_names("a.csv", "ball[2].x ball[2].e ball[2].x'");
  char *text = read_all("a.csv");
  const char *row = strstr(text, "\n0.5,");
  double x = 0.0, e = 0.0, rate = 0.0;
  CHECK(row != NULL && sscanf(row, " 0.5,%lf,%lf,%lf", &x, &e, &rate) == 3);
  CHECK_NEAR(x, exp(-0.5), 1e-8);
  CHECK_NEAR(e, exp(-1.0), 1e-8);
  CHECK_NEAR(rate, -exp(-0.5), 1e-8);
  free(text);
  o = brink("run balls.hsml --interpret --quiet --out a.csv --keep ball.low");
  CHECK_EXIT(o, 2);
  CHECK(strstr(o.err, "--clocks one") != NULL);
  done(&o);
  o = brink("run balls.hsml --interpret --quiet --out a.csv --clocks one --keep ball.low");
  CHECK_EXIT(o, 0);
  done(&o);
  check_names("a.csv", "ball[1].low ball[2].low ball[3].low");
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(everything_that_is_declared_and_changes_is_recorded);
  RUN(names_and_patterns_choose);
  RUN(values_are_those_of_closed_forms);
  RUN(matrices_have_two_indices);
  RUN(a_formula_is_true_or_false);
  RUN(derivatives_of_sliding_are_those_of_the_sliding_field);
  RUN(derivatives_of_runs_backwards_and_of_delays_are_by_time);
  RUN(recording_changes_nothing_of_a_run);
  RUN(the_summary_has_them_and_parameters_once);
  RUN(the_model_may_say_it_and_the_command_line_wins);
  RUN(what_is_not_there_is_told);
  RUN(large_models_say_what_they_leave_out);
  RUN(agents_keep_derivatives_and_refuse_flags);
  program_leave(folder);
  return check_done();
}
