/* brink sweep --report: the data in the page are those of the table, and its commands repeat the runs. (How the page shows
 * them is tested in a browser: page/test.) */
#include "check.h"
#include "support/page_data.h"
#include "support/program.h"
#include "sweep/sweep_support.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

/* x = x0 exp(-k t) falls through 1/2 at log(2 x0)/k; below 0.001 it is outside its range. */
static const char decay[] =
    "ctc Decay is\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real, (0.001, 10.0), \"m\");\n"
    "      parameter(k, real, (0.0, 100.0), \"1/s\");\n"
    "      parameter(kind, string, {\"slow\", \"</script><b>\"});\n"
    "      mode(phase, {\"high\", \"low\"});\n"
    "      flag(half);\n"
    "    end declarations;\n"
    "    initial x := 1.0; phase := \"high\"; end initial;\n"
    "    dynamics x' = -k*x; half = x - 0.5; end dynamics;\n"
    "    event(half) negative-going phase := \"low\"; end negative-going; end event;\n"
    "    assignments k : 1.0; kind : \"slow\"; end assignments;\n"
    "  end body;\n"
    "end Decay; % </script><b>\n";

static const char knobs[] = "--vary k=log:0.1:10:9 --vary 'kind=slow,</script><b>' "
                            "--measure 'max(x)' --measure phase --measure 'late = last(half)'";

/* The data of the page of a sweep, or NULL. */
static json *data_of(const char *path) {
  char *page = read_all(path);
  json *data = page != NULL ? page_data(page) : NULL;
  CHECK(data != NULL);
  free(page);
  return data;
}

static json *sweep_page(const char *options) {
  write_file("m.hsml", decay);
  outcome o = program_run(BRINK_PROGRAM,
                          "sweep m.hsml --until 2 --tolerance 1e-10 --interpret --out t.csv "
                          "--report r.html %s",
                          options);
  CHECK_EXIT(o, 0);
  done(&o);
  return data_of("r.html");
}

static double number_of(const json *object, const char *key) {
  const json *member = json_member(object, key);
  return member != NULL && member->kind == JSON_NUMBER ? member->number : (double)NAN;
}

static bool is_text(const json *object, const char *key, const char *text) {
  const json *member = json_member(object, key);
  return member != NULL && member->kind == JSON_STRING && strcmp(member->text, text) == 0;
}

static const json *column_named(const json *data, const char *name) {
  const json *columns = json_member(data, "columns");
  for (size_t k = 0; json_at(columns, k) != NULL; k++) {
    if (is_text(json_at(columns, k), "name", name)) return json_at(columns, k);
  }
  CHECK_MSG(false, "there is no column '%s'", name);
  return NULL;
}

TEST(columns_have_the_values_of_the_closed_form) {
  json *data = sweep_page(knobs);
  size_t n, m, r;
  double *k = page_column(data, "k", &n), *first = page_column(data, "first(half)", &m);
  double *run = page_numbers(json_member(data, "run"), &r);
  CHECK(n == 18 && m == 18 && r == 18);
  for (size_t row = 0; row < n && row < m && row < r; row++) {
    double t = log(2.0) / k[row];
    CHECK(run[row] == (double)row);
    CHECK_NEAR(k[row], 0.1 * pow(10.0, (double)(row / 2) / 4.0), 1e-12);
    CHECK(t > 2.0 ? isnan(first[row]) : fabs(first[row] - t) < 1e-8);
  }
  free(k);
  free(first);
  free(run);
  json_free(data);
}

TEST(columns_say_what_they_are) {
  json *data = sweep_page(knobs);
  CHECK(is_text(data, "kind", "sweep") && is_text(data, "model", "Decay") &&
        is_text(data, "design", "grid"));
  static const struct {
    const char *name, *kind, *type;
  } want[] = {{"k", "knob", "real"},
              {"kind", "knob", "string"},
              {"status", "status", "string"},
              {"message", "message", "string"},
              {"count(half)", "count", "real"},
              {"first(half)", "time", "real"},
              {"max(x)", "outcome", "real"},
              {"phase", "outcome", "string"},
              {"late", "time", "real"},
              {"t", "end", "real"}};
  for (size_t c = 0; c < sizeof want / sizeof want[0]; c++) {
    const json *column = column_named(data, want[c].name);
    CHECK_MSG(is_text(column, "kind", want[c].kind) && is_text(column, "type", want[c].type), "%s",
              want[c].name);
  }
  CHECK(is_text(column_named(data, "k"), "unit", "1/s") &&
        is_text(column_named(data, "k"), "scale", "log"));
  CHECK(is_text(column_named(data, "max(x)"), "unit", "m"));
  json_free(data);
}

TEST(failed_runs_are_counted_and_have_their_message) {
  json *data = sweep_page("--vary k=1,20");
  const json *counts = json_member(data, "counts");
  CHECK(number_of(counts, "finished") == 1.0 && number_of(counts, "failed") == 1.0);
  const json *labels = json_member(column_named(data, "message"), "labels");
  CHECK(json_at(labels, 1) != NULL);
  if (json_at(labels, 1) != NULL) CHECK_CONTAINS(json_at(labels, 1)->text, "outside its range");
  json_free(data);
}

TEST(what_a_model_says_cannot_leave_the_data) {
  json *data = sweep_page(knobs);
  CHECK(is_text(json_member(data, "source"), "text", decay));
  const json *labels = json_member(column_named(data, "kind"), "labels");
  CHECK(json_at(labels, 1) != NULL && strcmp(json_at(labels, 1)->text, "</script><b>") == 0);
  char *page = read_all("r.html");
  const char *place = strstr(page, "id=\"brink-data\"");
  CHECK(place != NULL && strstr(place, "</script><b>") == NULL);
  free(page);
  json_free(data);
}

/* The words in front, as the page has them; the page adds the knobs. */
TEST(the_command_of_a_run_repeats_it_to_the_last_bit) {
  json *data = sweep_page("--vary k=log:0.3:3:5 --set x=2 --measure 'final(x)'");
  const json *words = json_member(data, "command");
  size_t n, m;
  double *k = page_column(data, "k", &n), *last = page_column(data, "final(x)", &m);
  for (size_t row = 0; row < n && row < m; row++) {
    char line[1024] = "";
    for (size_t w = 1; json_at(words, w) != NULL; w++)
      snprintf(line + strlen(line), sizeof line - strlen(line), "%s ", json_at(words, w)->text);
    outcome o = program_run(BRINK_PROGRAM, "%s --set k=%.17g --json", line, k[row]);
    CHECK_EXIT(o, 0);
    CHECK(number_of(json_member(o.summary, "final"), "x") == last[row]);
    done(&o);
  }
  CHECK(n == 5 && m == 5);
  free(k);
  free(last);
  json_free(data);
}

/* Writing it changes no row. */
TEST(kept_reports_are_found_from_the_page) {
  mkdir("pages", 0777);
  write_file("m.hsml", decay);
  outcome plain =
      program_run(BRINK_PROGRAM, "sweep m.hsml --until 1 --interpret --vary k=1:2:2 --out -");
  CHECK_EXIT(plain, 0);
  outcome o = program_run(BRINK_PROGRAM,
                          "sweep m.hsml --until 1 --interpret --vary k=1:2:2 --out t.csv --keep "
                          "runs --keep-reports --report pages/r.html");
  CHECK_EXIT(o, 0);
  done(&o);
  char *table = read_all("t.csv");
  CHECK(strcmp(table, plain.out) == 0);
  free(table);
  done(&plain);
  json *data = data_of("pages/r.html");
  const json *kept = json_member(data, "kept");
  CHECK(is_text(json_at(kept, 0), "what", "report") &&
        is_text(json_at(kept, 0), "before", "../runs/run-") &&
        is_text(json_at(kept, 0), "after", ".html"));
  CHECK(is_text(json_at(kept, 1), "what", "trajectory"));
  json *one = data_of("pages/../runs/run-1.html");
  size_t nt, nx;
  double *t = page_numbers(json_member(one, "time"), &nt), *x = page_column(one, "x", &nx);
  CHECK(nt == nx && nt > 10);
  for (size_t i = 0; i < nt && i < nx; i++) CHECK_NEAR(x[i], exp(-2.0 * t[i]), 1e-5);
  free(t);
  free(x);
  json_free(one);
  json_free(data);
}

TEST(indices_are_those_of_the_file) {
  json *data = sweep_page("--samples 16 --vary k=0.1:2 --vary x=0.5:1 --measure 'final(x)' "
                          "--indices i.csv");
  char *file = read_all("i.csv");
  const json *measured = json_at(json_member(json_member(data, "indices"), "outcomes"), 0);
  CHECK(is_text(measured, "name", "final(x)") && number_of(measured, "samples") == 16.0);
  char *line = file;
  for (size_t k = 0; k < 2; k++) {
    const json *first = json_at(json_member(measured, "first"), k),
               *total = json_at(json_member(measured, "total"), k);
    double want[6];
    line = strchr(line, '\n') + 1;
    CHECK(sscanf(strchr(strchr(line, ',') + 1, ','), ",%lf,%lf,%lf,%lf,%lf,%lf", &want[0], &want[1],
                 &want[2], &want[3], &want[4], &want[5]) == 6);
    CHECK(number_of(first, "value") == want[0] && number_of(first, "low") == want[1] &&
          number_of(first, "high") == want[2]);
    CHECK(number_of(total, "value") == want[3] && number_of(total, "low") == want[4] &&
          number_of(total, "high") == want[5]);
  }
  free(file);
  json_free(data);
}

/* A sweep of 18 runs that has a report; slow ones take seconds each. */
static swept small_sweep(bool slow, bool resume) {
  static const char *const vary[] = {"k=0.1:1.8:18"};
  static const brink_sweep_option quickly[] = {{"until", "2"}},
                                  slowly[] = {{"until", "2"}, {"hmax", "1e-6"}};
  swept s = sweep_of(decay);
  sweep_vary(&s, vary, 1);
  s.def.options = slow ? slowly : quickly;
  s.def.noptions = slow ? 2 : 1;
  s.def.out = "t.csv";
  s.def.jobs = 1;
  s.def.report = true;
  s.def.resume = resume;
  return s;
}

/* Makes it, and ends it soon; its page is r.html. */
static void interrupt(swept *s) {
  s->def.model = &s->model;
  CHECK(brink_sweep_create(&s->def, &s->diag, &s->sweep) == BRINK_OK);
  CHECK(brink_sweep_write_report(s->sweep, "r.html", &s->diag) == BRINK_ERR_ARGUMENT);
  brink_sweep_cancel(s->sweep);
  CHECK(brink_sweep_run(s->sweep, &s->diag) == BRINK_CANCELLED);
  CHECK(brink_sweep_write_report(s->sweep, "r.html", &s->diag) == BRINK_OK);
  sweep_end(s);
}

TEST(a_sweep_that_was_interrupted_has_a_page_that_says_so) {
  swept s = small_sweep(true, false);
  interrupt(&s);
  json *data = data_of("r.html");
  CHECK(number_of(data, "unfinished") > 0.0);
  CHECK(number_of(data, "unfinished") + number_of(data, "runs") == 18.0);
  json_free(data);
}

static int ends_with_some_rows(const brink_sweep_progress *progress, void *user) {
  (void)user;
  return progress->done > 0;
}

/* Some rows are there; the page of the rest of the sweep has these, too. */
TEST(a_sweep_that_was_resumed_has_all_runs_in_its_page) {
  static const brink_sweep_option steps[] = {{"until", "2"}, {"hmax", "5e-5"}};
  swept stopped = small_sweep(false, false), again = small_sweep(false, true);
  stopped.def.options = again.def.options = steps;
  stopped.def.noptions = again.def.noptions = 2;
  stopped.def.progress = ends_with_some_rows;
  stopped.def.model = &stopped.model;
  CHECK(brink_sweep_create(&stopped.def, &stopped.diag, &stopped.sweep) == BRINK_OK);
  CHECK(brink_sweep_run(stopped.sweep, &stopped.diag) == BRINK_CANCELLED);
  sweep_end(&stopped);
  SWEEP_FINE(&again);
  uint64_t kept = brink_sweep_result(again.sweep).kept;
  CHECK_MSG(kept > 0 && kept < 18, "%llu rows were kept", (unsigned long long)kept);
  CHECK(brink_sweep_write_report(again.sweep, "r.html", &again.diag) == BRINK_OK);
  sweep_end(&again);
  json *data = data_of("r.html");
  CHECK(number_of(data, "runs") == 18.0 && number_of(data, "unfinished") == 0.0);
  CHECK(number_of(json_member(data, "counts"), "finished") == 18.0);
  size_t n;
  double *k = page_column(data, "k", &n);
  CHECK(n == 18);
  for (size_t row = 0; row < n; row++) CHECK_NEAR(k[row], 0.1 * (double)(row + 1), 1e-12);
  free(k);
  json_free(data);
}

TEST(a_sweep_that_keeps_nothing_for_it_has_no_report) {
  swept s = small_sweep(false, false);
  s.def.report = false;
  SWEEP_FINE(&s);
  CHECK(brink_sweep_write_report(s.sweep, "r.html", &s.diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_sweep_write_report(NULL, "r.html", &s.diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_sweep_write_report(s.sweep, NULL, NULL) == BRINK_ERR_ARGUMENT);
  sweep_end(&s);
}

TEST(what_cannot_be_done_is_said_before_the_runs) {
  write_file("m.hsml", decay);
  remove("t.csv");
  outcome o = program_run(BRINK_PROGRAM, "sweep m.hsml --until 1 --vary k=1:2:2 --out t.csv "
                                         "--report nowhere/r.html");
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "nowhere/r.html");
  done(&o);
  o = program_run(BRINK_PROGRAM,
                  "sweep m.hsml --until 1 --vary k=1:2:2 --out t.csv --keep-reports");
  CHECK_EXIT(o, 2);
  CHECK_CONTAINS(o.err, "give --keep DIR");
  done(&o);
  o = program_run(BRINK_PROGRAM,
                  "sweep m.hsml --until 1 --vary k=1:2:2 --out t.csv --report r.txt");
  CHECK_EXIT(o, 2);
  done(&o);
  struct stat about;
  CHECK(stat("t.csv", &about) != 0);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(columns_have_the_values_of_the_closed_form);
  RUN(columns_say_what_they_are);
  RUN(failed_runs_are_counted_and_have_their_message);
  RUN(what_a_model_says_cannot_leave_the_data);
  RUN(the_command_of_a_run_repeats_it_to_the_last_bit);
  RUN(kept_reports_are_found_from_the_page);
  RUN(indices_are_those_of_the_file);
  RUN(a_sweep_that_was_interrupted_has_a_page_that_says_so);
  RUN(a_sweep_that_was_resumed_has_all_runs_in_its_page);
  RUN(a_sweep_that_keeps_nothing_for_it_has_no_report);
  RUN(what_cannot_be_done_is_said_before_the_runs);
  program_leave(folder);
  return check_done();
}
