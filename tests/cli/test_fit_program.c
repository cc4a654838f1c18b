/* brink fit, as a user meets it: the page about it, played; files as people have them; what is refused.
 *
 * `test_fit_program --renew` writes what the commands print now into the page. */
#include "check.h"
#include "support/program.h"
#include "support/session.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)

static const char page[] = "docs/fit.md";

/* x = a exp(-k t), y = 2 x. */
static const char decay[] =
    "ctc Decay is\n"
    "  interface knob(k); output(y, signal, (0.0, 9.0), \"m\"); end interface;\n"
    "  body\n"
    "    declarations state(x, real); parameter(k, real, (0.0, 9.0)); mode(m, {\"a\", \"b\"});\n"
    "      flag(half); end declarations;\n"
    "    initial x := 1.0; end initial;\n"
    "    dynamics x' = -k*x; half = x - 0.5; end dynamics;\n"
    "    output y = 2.0*x; end output;\n"
    "    assignments k : 1.0; end assignments;\n"
    "  end body;\n"
    "end Decay;\n";

static double value_of(const outcome *o, const char *knob) {
  const json *found = json_member(json_member(json_member(o->summary, "knobs"), knob), "value");
  return found != NULL && found->kind == JSON_NUMBER ? found->number : (double)NAN;
}

static void say(const char *text, void *user) {
  (void)user;
  CHECK_SAY("%s", text);
}

static bool renewing;

TEST(the_page_shows_what_happens) {
  char *text = read_all(BRINK_SOURCE_DIR "/docs/fit.md"), *renewed = NULL;
  session s = {.page = page, .directory = "fit-session", .program = BRINK_PROGRAM, .say = say};
  session_play(&s, text, renewing ? &renewed : NULL);
  if (renewing && renewed != NULL) write_file(BRINK_SOURCE_DIR "/docs/fit.md", renewed);
  CHECK(s.commands >= 3);
  free(renewed);
  free(text);
}

TEST(files_are_read_as_people_have_them) {
  static const char *const files[] = {
      "time,y\n0,2\n1,0.7357588823428847\n2,0.2706705664732254\n3,\n",
      ("\xef\xbb\xbf# a comment\r\nx y;t [s];y (m)\r\na;0;2\r\nb;1;0,7357588823428847\r\n"
       "c;2;0,2706705664732254\r\n"),
      "# t,y,remark\n2,0.2706705664732254,0\n0,2,0\n1,0.7357588823428847,0\n1.5,nan,0\n",
      "t\t\"y\"\ty.sigma\n0\t2\t0.1\n1\t0.7357588823428847\t0.2\n2\t0.2706705664732254\t0.1\n",
  };
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
    write_file("data.csv", files[k]);
    outcome o = brink("fit decay.hsml --data data.csv --vary k=0.1:5 --until 3 --json --interpret");
    CHECK_EXIT(o, 0);
    CHECK_NEAR(value_of(&o, "k"), 1.0, 1e-6);
    done(&o);
  }
}

TEST(times_of_events_are_matched_with_their_flags) {
  write_file("events.csv", "flag,time\nhalf,0.34657359027997264\n");
  outcome o = brink("fit decay.hsml --event-times events.csv --vary k=log:0.1:5 --json --until 3");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(value_of(&o, "k"), 2.0, 1e-6);
  done(&o);
}

TEST(a_design_finds_the_best_outcome_under_its_conditions) {
  outcome o = brink("fit decay.hsml --minimize x --subject-to '0.5 <= first(half)' --vary k=0.1:5 "
                    "--until 3 --json --interpret");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(value_of(&o, "k"), 1.3862943611198906, 1e-5); /* ln 2 / 0.5 */
  done(&o);
  o = brink("fit decay.hsml --minimize x --subject-to '2 <= x' --vary k=0.1:5 --until 3 "
            "--max-runs 50 --starts 1 --interpret");
  CHECK_EXIT(o, 4);
  CHECK_CONTAINS(o.err, "no knobs were found with which all conditions hold");
  CHECK_CONTAINS(o.out, "does not hold");
  done(&o);
}

TEST(a_minimum_that_is_not_reached_is_told_by_the_exit_code) {
  write_file("data.csv", "time,y\n0.5,1.3\n1,0.75\n2,0.27\n");
  outcome o = brink("fit decay.hsml --data data.csv --vary k=0.1:9 --vary x=0.1:9 --until 3 "
                    "--max-runs 2 --starts 1 --interpret");
  CHECK_EXIT(o, 4);
  CHECK_CONTAINS(o.err, "no minimum was reached");
  CHECK_CONTAINS(o.out, "not converged");
  done(&o);
}

static size_t occurrences(const char *text, const char *part) {
  size_t count = 0;
  for (const char *at = text; (at = strstr(at, part)) != NULL; at++) count++;
  return count;
}

TEST(a_report_shows_every_datum_and_its_residual) {
  write_file("data.csv", "time,y\n0.5,1.3\n1,0.75\n2,0.27\n");
  write_file("events.csv", "flag,time,sigma\nhalf,0.7,0.1\n");
  outcome o = brink("fit decay.hsml --data data.csv --event-times events.csv --sigma y=0.1 "
                    "--vary k=0.1:9 --vary x=0.1:9 --until 3 --report page.html --interpret");
  CHECK_EXIT(o, 0);
  char *text = read_all("page.html");
  CHECK_INT(occurrences(text, "<circle"),
            2 * 3 + 1); /* curve and residuals; the event's residual */
  CHECK_INT(occurrences(text, "<svg"), 3);
  CHECK_INT(occurrences(text, "</svg>"), 3);
  CHECK_INT(occurrences(text, "class=\"bar\""), 3);
  CHECK_CONTAINS(text, "<td>k</td>");
  CHECK(strstr(text, "<script") == NULL && strstr(text, "nan") == NULL);
  free(text);
  done(&o);
  o = brink("fit decay.hsml --data data.csv --vary k=0.1:9 --until 3 --report no/such/page.html");
  CHECK_EXIT(o, 5);
  done(&o);
}

TEST(the_report_of_a_design_shows_knobs_conditions_starts_and_the_run) {
  outcome o =
      brink("fit decay.hsml --minimize 'x + <5' --vary k=0.1:5 --until 3 --report page.html");
  CHECK_EXIT(o, 2);
  done(&o);
  o = brink("fit decay.hsml --minimize 'x^2 + 2*(k - 2)^2' --subject-to 'first(half) <= 1' "
            "--subject-to 'k >= 1' "
            "--vary k=0.1:5 --until 3 --starts 3 --report page.html --interpret --jobs 2");
  CHECK_EXIT(o, 0);
  char *text = read_all("page.html");
  CHECK_CONTAINS(text, "<h1>Design</h1>");
  CHECK_CONTAINS(text, "Smallest <b>x^2 + 2*(k - 2)^2 = ");
  CHECK_CONTAINS(text, "<td>first(half) &lt;= 1</td>");
  CHECK_INT(occurrences(text, "<td>holds</td>"), 2);
  CHECK_INT(occurrences(text, " → "), 3);  /* one knob, three starts */
  CHECK_INT(occurrences(text, "<svg"), 2); /* x and k over time … */
  CHECK_INT(occurrences(text, "</svg>"), 2);
  CHECK_INT(occurrences(text, "class=\"bar\""), 2); /* … with the event in each */
  CHECK(strstr(text, "<script") == NULL && strstr(text, "nan") == NULL);
  free(text);
  done(&o);
}

/* ---- interruption ---- */

/* x turns a billion times, so that a run takes hours; with k = 0, where the search starts, nothing moves. */
static const char endless[] =
    "ctc Endless is\n"
    "  interface knob(k); view(x); end interface;\n"
    "  body\n"
    "    declarations state(x, real); state(v, real); parameter(k, real, (0.0, 1e9)); end "
    "declarations;\n"
    "    initial x := 1.0; v := 0.0; end initial;\n"
    "    dynamics x' = v*k; v' = -k*x; end dynamics;\n"
    "    assignments k : 0.0; end assignments;\n"
    "  end body;\n"
    "end Endless;\n";

/* brink fit as a process of its own, interrupted when it shows that it has a run behind it and is in another one. */
static int interrupt(int number) {
  pid_t child = fork();
  if (child == 0) {
    int out = open("out.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int err = open("err.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execl(BRINK_PROGRAM, "brink", "fit", "endless.hsml", "--data", "turns.csv", "--vary", "k=0:1e9",
          "--starts", "1", "--derivatives", "never", "--interpret", "--progress", "always",
          (char *)NULL);
    _exit(127);
  }
  bool ready = false;
  for (int k = 0; k < 600 && !ready; k++) {
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
    char *said = read_all("err.txt");
    ready = said != NULL && strstr(said, "best so far 0.05") != NULL;
    free(said);
  }
  CHECK(ready);
  kill(child, number);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(an_interrupted_fit_ends_inside_a_long_run_and_shows_the_best_so_far) {
  write_file("endless.hsml", endless);
  write_file("turns.csv", "t,x\n0,1\n1,1.1\n2,1.2\n");
  CHECK_INT(interrupt(SIGINT), 130);
  char *text = read_all("out.txt");
  CHECK_CONTAINS(text, "Endless: 3 data, 1 knob, not converged");
  CHECK_CONTAINS(text, "sum of squares 0.05");
  free(text);
  text = read_all("err.txt");
  CHECK_CONTAINS(text, "interrupted: the best so far is shown");
  free(text);
  CHECK_INT(interrupt(SIGTERM), 143);
}

typedef struct refusal {
  const char *data, *arguments;
  int exit;
  const char *words;
} refusal;

TEST(what_is_wrong_is_refused_with_words) {
  static const refusal refusals[] = {
      {"time,y\n0,2\n", "--data data.csv", 2, "nothing is varied"},
      {"time,y\n0,2\n", "--vary k=0.1:5", 2, "there are no data"},
      {"time,y\n0,2\n", "--vary k=0.1:5:7 --data data.csv", 2, "between two bounds"},
      {"time,y\n0,2\n", "--vary k=5:0.1 --data data.csv", 2, "--vary k=5:0.1"},
      {"time,y\n0,2\n", "--vary kk=0.1:5 --data data.csv", 2, "kk"},
      {"time,y\n0,2\n", "--vary k=0.1:50 --data data.csv", 2, "'k' = 50: the value is outside"},
      {"time,y\n0,2\n", "--vary m=0.1:5 --data data.csv", 2, "not a real number"},
      {"time,y\n0,2\n", "--vary k=0.1:5 --vary x=0:1 --data data.csv", 2, "2 knobs"},
      {"time,y\n0,2\n", "--vary k=0.1:5 --data data.csv --sigma y", 2, "--sigma NAME=VALUE"},
      {"time,y\n0,2\n", "--vary k=0.1:5 --data data.csv --sigma y=0", 2, "positive"},
      {"time,y\n0,2\n", "--vary k=0.1:5 --data data.csv --sigma z=1", 2, "nothing was measured"},
      {"time,y\n0,2\n", "--vary k=0.1:5 --data data.csv --starts 0", 2, "whole number"},
      {"time,y\n0,2\n", "--vary k=0.1:5 --data data.csv --confidence 2", 2, "between 0 and 1"},
      {"time,y\n0,2\n", "--vary k=0.1:5 --data data.csv --minimize x", 2, "goes without them"},
      {"time,y\n0,2\n", "--vary k=0.1:5 --data data.csv --subject-to 'x<=1'", 2,
       "--subject-to needs"},
      {"time,y\n0,2\n", "--vary k=0.1:5 --minimize x --maximize x", 2, "not both"},
      {"time,y\n0,2\n", "--vary k=0.1:5 --minimize xx", 2, "xx"},
      {"time,y\n0,2\n", "--vary k=0.1:5 --minimize x --until inf", 2, "no end time"},
      {"time,y\n0,2\n", "--vary k=0.1:5 --minimize x --subject-to x=1", 2, "one <= or >="},
      {"time,y\n0,2\n", "--vary k=0.1:5 --data none.csv", 5, "no such file"},
      {"time,q\n0,2\n", "--vary k=0.1:5 --data data.csv", 5, "none of these is one"},
      {"time,y\n0,2\nx,3\n", "--vary k=0.1:5 --data data.csv", 5, "data.csv:3: time = 'x'"},
      {"time,y\n0,2\n1\n", "--vary k=0.1:5 --data data.csv", 5, "data.csv:3: 1 fields"},
      {"time,y\n0,two\n", "--vary k=0.1:5 --data data.csv", 5, "'two' is not a number"},
      {"time,y [cm]\n0,2\n", "--vary k=0.1:5 --data data.csv", 5, "declared in m"},
      {"time,y,y\n0,2,2\n", "--vary k=0.1:5 --data data.csv", 5, "two columns 'y'"},
      {"time,Y,y,y\n0,9,2,2\n", "--vary k=0.1:5 --data data.csv", 5, "two columns 'y'"},
      {"time,y,y.sigma\n0,2,-1\n", "--vary k=0.1:5 --data data.csv", 5, "positive"},
      {"0,2\n1,3\n", "--vary k=0.1:5 --data data.csv", 5, "names the columns"},
      {"time,m\n0,2\n", "--vary k=0.1:5 --data data.csv", 2, "not a real number"},
      {"flag,time\nhalf,-1\n", "--vary k=0.1:5 --event-times data.csv", 2, "runs begin at 0"},
      {"flag,time\nhlaf,1\n", "--vary k=0.1:5 --event-times data.csv", 2, "did you mean 'half'"},
      {"name,time\nhalf,1\n", "--vary k=0.1:5 --event-times data.csv", 5, "flag, time"},
  };
  for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++) {
    const refusal *r = &refusals[k];
    write_file("data.csv", r->data);
    outcome o = brink("fit decay.hsml --until 3 --interpret %s", r->arguments);
    CHECK_MSG(o.exit == r->exit && strstr(o.err, r->words) != NULL, "%s with '%s': exit %d, %s",
              r->arguments, r->data, o.exit, o.err);
    done(&o);
  }
}

int main(int argc, char **argv) {
  renewing = argc > 1 && strcmp(argv[1], "--renew") == 0;
  RUN(the_page_shows_what_happens);
  char folder[16];
  program_enter(folder);
  write_file("decay.hsml", decay);
  RUN(files_are_read_as_people_have_them);
  RUN(times_of_events_are_matched_with_their_flags);
  RUN(a_design_finds_the_best_outcome_under_its_conditions);
  RUN(a_minimum_that_is_not_reached_is_told_by_the_exit_code);
  RUN(a_report_shows_every_datum_and_its_residual);
  RUN(the_report_of_a_design_shows_knobs_conditions_starts_and_the_run);
  RUN(an_interrupted_fit_ends_inside_a_long_run_and_shows_the_best_so_far);
  RUN(what_is_wrong_is_refused_with_words);
  program_leave(folder);
  return check_done();
}
