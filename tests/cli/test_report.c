/* brink run --report: the data in the page are those of the run: values, events, approaches, agents.
 * (How the page shows them is tested in a browser: page/test.) */
#include "check.h"
#include "support/page_data.h"
#include "support/program.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char decay[] = "ctc Decay is\n"
                            "  body\n"
                            "    declarations\n"
                            "      state(x, real);\n"
                            "      mode(phase, {\"high\", \"low\"});\n"
                            "      flag(half);\n"
                            "    end declarations;\n"
                            "    initial x := 1.0; phase := \"high\"; end initial;\n"
                            "    dynamics x' = -x; half = x - 0.5; end dynamics;\n"
                            "    event(half)\n"
                            "      negative-going phase := \"low\"; end negative-going;\n"
                            "    end event;\n"
                            "  end body;\n"
                            "end Decay; % </script><b>\n";

static const char pucks[] =
    "ctc Puck is\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real); state(y, real); state(vx, real);\n"
    "      parameter(r, real, (0.0, 1.0));\n"
    "    end declarations;\n"
    "    initial x := 0.0; y := 0.5; vx := 0.0; end initial;\n"
    "    dynamics x' = vx; y' = 0.0; vx' = 0.0; end dynamics;\n"
    "    assignments r : 0.25; end assignments;\n"
    "  end body;\n"
    "end Puck;\n"
    "system Table is\n"
    "  body\n"
    "    components p[2] : Puck; end components;\n"
    "    initial p[1].vx := 1.0; p[2].x := 2.0; end initial;\n"
    "    agents\n"
    "      population(p);\n"
    "      pair(a, b) in p\n"
    "        declarations flag(touch, unilateral); end declarations;\n"
    "        dynamics touch = (b.x - a.x)^2 - (a.r + b.r)^2; end dynamics;\n"
    "        event(touch)\n"
    "          negative-going a.vx := 0.0; b.vx := 1.0; end negative-going;\n"
    "        end event;\n"
    "      end pair;\n"
    "    end agents;\n"
    "  end body;\n"
    "end Table;\n";

static const char spring[] = "ctc Spring is\n"
                             "  body\n"
                             "    declarations state(x, real); state(v, real); end declarations;\n"
                             "    initial x := 1.0; v := 0.0; end initial;\n"
                             "    dynamics x' = v; v' = -x; end dynamics;\n"
                             "  end body;\n"
                             "end Spring;\n";

/* Runs a model with these options and a report; its data, or NULL. */
static json *report_of(const char *model, const char *options) {
  write_file("m.hsml", model);
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --interpret --report r.html %s", options);
  CHECK_EXIT(o, 0);
  done(&o);
  char *page = read_all("r.html");
  json *data = page_data(page);
  CHECK(data != NULL);
  free(page);
  return data;
}

static double number_of(const json *object, const char *key) {
  const json *member = json_member(object, key);
  return member != NULL && member->kind == JSON_NUMBER ? member->number : (double)NAN;
}

static bool is_text(const json *object, const char *key, const char *text) {
  const json *member = json_member(object, key);
  return member != NULL && member->kind == JSON_STRING && strcmp(member->text, text) == 0;
}

TEST(rows_are_the_solution_and_are_dense_enough_to_draw) {
  json *data = report_of(decay, "--until 4 --tolerance 1e-10");
  size_t nt, nx;
  double *t = page_numbers(json_member(data, "time"), &nt);
  double *x = page_column(data, "x", &nx);
  CHECK(t != NULL && x != NULL && nt == nx && nt > 1000);
  size_t wrong = 0;
  double gap = 0.0;
  for (size_t k = 0; k < nt && k < nx; k++) {
    wrong += !(fabs(x[k] - exp(-t[k])) < 1e-9);
    if (k > 0) gap = fmax(gap, t[k] - t[k - 1]);
  }
  CHECK(wrong == 0);
  CHECK(gap < 0.01);
  CHECK(nt > 0 && t[0] == 0.0 && t[nt - 1] == 4.0);
  free(t);
  free(x);
  json_free(data);
}

TEST(modes_change_at_the_event_with_a_row_before_and_after) {
  json *data = report_of(decay, "--until 4 --tolerance 1e-10");
  size_t nt, np;
  double *t = page_numbers(json_member(data, "time"), &nt);
  double *phase = page_column(data, "phase", &np);
  const json *event = json_at(json_member(data, "events"), 0);
  CHECK_NEAR(number_of(event, "t"), log(2.0), 1e-9);
  CHECK(is_text(event, "flag", "half"));
  CHECK(is_text(event, "changes", "phase = low"));
  CHECK(is_text(event, "where", "m.hsml:6"));
  size_t jumps = 0;
  for (size_t k = 1; k < np && k < nt; k++) {
    if (phase[k] == phase[k - 1]) continue;
    jumps++;
    CHECK(t[k] == t[k - 1]);
    CHECK_NEAR(t[k], log(2.0), 1e-9);
  }
  CHECK(jumps == 1);
  free(t);
  free(phase);
  json_free(data);
}

TEST(the_guard_is_seen_on_its_way_to_the_event_and_from_it) {
  json *data = report_of(decay, "--until 4 --tolerance 1e-10");
  const json *approach = json_at(json_member(data, "approaches"), 0);
  CHECK(number_of(approach, "event") == 0.0);
  double t_event = number_of(approach, "t");
  size_t n, m;
  double *dt = page_numbers(json_member(json_member(approach, "along"), "dt"), &n);
  double *g = page_numbers(json_member(json_member(approach, "along"), "g"), &m);
  CHECK(n == m && n > 60);
  size_t before = 0, wrong = 0;
  for (size_t k = 0; k < n && k < m; k++) {
    before += dt[k] < 0.0;
    wrong += !(fabs(g[k] - (exp(-t_event - dt[k]) - 0.5)) < 1e-9);
    wrong += k > 0 && dt[k] <= dt[k - 1];
  }
  CHECK(wrong == 0);
  CHECK(before >= 30 && n - before >= 30);
  free(dt);
  free(g);
  json_free(data);
}

TEST(what_a_model_says_cannot_leave_the_data) {
  json *data = report_of(decay, "--until 1");
  CHECK(is_text(json_member(data, "source"), "text", decay));
  char *page = read_all("r.html");
  const char *place = strstr(page, "id=\"brink-data\"");
  CHECK(place != NULL && strstr(place, "</script><b>") == NULL);
  free(page);
  json_free(data);
}

TEST(provenance_names_program_model_hash_and_command) {
  json *data = report_of(decay, "--until 1 --set 'x=2'");
  const json *list = json_member(data, "provenance");
  size_t found = 0;
  for (size_t k = 0; json_at(list, k) != NULL; k++) {
    const char *name = json_at(json_at(list, k), 0)->text,
               *value = json_at(json_at(list, k), 1)->text;
    found += strcmp(name, "program") == 0 && strncmp(value, "brink ", 6) == 0;
    found += strcmp(name, "sha256") == 0 && strlen(value) == 64;
    found += strcmp(name, "command") == 0 && strstr(value, "--set x=2") != NULL;
    found += strcmp(name, "seed") == 0 && strcmp(value, "1") == 0;
  }
  CHECK(found == 4);
  json_free(data);
}

TEST(agents_have_frames_and_a_meeting) {
  json *data = report_of(pucks, "--until 4 --tolerance 1e-10");
  const json *population = json_at(json_member(data, "populations"), 0);
  CHECK(is_text(population, "name", "p"));
  CHECK(number_of(population, "count") == 2.0);
  size_t nt, nx, nr;
  double *t = page_numbers(json_member(population, "t"), &nt);
  double *x = page_numbers(json_member(population, "x"), &nx);
  double *r = page_numbers(json_member(population, "radius"), &nr);
  CHECK(nx == 2 * nt && nt > 100);
  size_t wrong = 0;
  for (size_t k = 0; 2 * k + 1 < nx; k++) {
    double first = fmin(t[k], 1.5), second = fmax(2.0, 0.5 + t[k]); /* they touch at t = 1.5 */
    wrong += !(fabs(x[2 * k] - first) < 1e-5 && fabs(x[2 * k + 1] - second) < 1e-5);
  }
  CHECK(wrong == 0);
  CHECK(nr == 2 && r[0] == 0.25 && r[1] == 0.25);
  const json *meeting = json_at(json_member(population, "meetings"), 0);
  CHECK_NEAR(number_of(meeting, "t"), 1.5, 1e-8);
  CHECK_NEAR(number_of(meeting, "x"), 1.75, 1e-8);
  CHECK(number_of(meeting, "a") == 0.0 && number_of(meeting, "b") == 1.0);
  const json *agents = json_member(json_at(json_member(data, "events"), 0), "agents");
  CHECK(json_at(agents, 1) != NULL && strcmp(json_at(agents, 1)->text, "p[2]") == 0);
  free(t);
  free(x);
  free(r);
  json_free(data);
}

TEST(a_long_run_is_thinned_and_keeps_its_extremes) {
  json *data = report_of(spring, "--until 60000 --hmax 0.5");
  CHECK(json_member(data, "thinned")->kind == JSON_TRUE);
  CHECK(number_of(json_member(data, "steps"), "count") >= 100000.0);
  size_t n;
  double *x = page_column(data, "x", &n);
  CHECK(n > 4000 && n <= 16384);
  size_t small = 0; /* two intervals are longer than a period, in which x goes from -1 to 1 */
  for (size_t k = 0; k + 4 <= n; k += 4) {
    double low = fmin(fmin(x[k], x[k + 1]), fmin(x[k + 2], x[k + 3]));
    double high = fmax(fmax(x[k], x[k + 1]), fmax(x[k + 2], x[k + 3]));
    small += !(high - low > 1.95);
  }
  CHECK_MSG(small == 0, "%zu of %zu", small, n / 4);
  struct stat status;
  CHECK(stat("r.html", &status) == 0 && status.st_size < 2000000);
  free(x);
  json_free(data);
}

TEST(a_report_that_cannot_be_written_is_said_before_the_run) {
  write_file("m.hsml", decay);
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until 1 --report nowhere/r.html");
  CHECK_EXIT(o, 5);
  CHECK(strstr(o.err, "nowhere/r.html") != NULL);
  CHECK(strstr(o.out, "event") == NULL);
  done(&o);
}

TEST(a_run_that_fails_still_has_a_report) {
  write_file("m.hsml", "ctc M is body declarations state(x, real, (0.0, 1.0)); end declarations;\n"
                       "initial x := 0.5; end initial; dynamics x' = 1.0; end dynamics;\n"
                       "end body; end M;\n");
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until 4 --report r.html");
  CHECK_EXIT(o, 1);
  done(&o);
  char *page = read_all("r.html");
  json *data = page_data(page);
  CHECK(is_text(json_member(data, "summary"), "status", "failed"));
  CHECK(is_text(json_member(data, "summary"), "reason", "range"));
  free(page);
  json_free(data);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(rows_are_the_solution_and_are_dense_enough_to_draw);
  RUN(modes_change_at_the_event_with_a_row_before_and_after);
  RUN(the_guard_is_seen_on_its_way_to_the_event_and_from_it);
  RUN(what_a_model_says_cannot_leave_the_data);
  RUN(provenance_names_program_model_hash_and_command);
  RUN(agents_have_frames_and_a_meeting);
  RUN(a_long_run_is_thinned_and_keeps_its_extremes);
  RUN(a_report_that_cannot_be_written_is_said_before_the_run);
  RUN(a_run_that_fails_still_has_a_report);
  program_leave(folder);
  return check_done();
}
