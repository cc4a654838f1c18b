/* test_fit_workers.c: who makes the runs of a fit: the same result whoever they are, and whatever becomes of them. The ranks are
 * threads. */
#include "check.h"
#include "fit/by_ranks.h"
#include "fit/fit_parts.h"
#include "problems/fits.h"
#include "support/shot.h"
#include "support/thread_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All that can be told of a result. */
static char *tell(brink_fit *fit) {
  brink_bytes json = {0}, page = {0};
  brink_diag diag;
  brink_text text = {0};
  CHECK(brink_fit_json(fit, &json, &diag) == BRINK_OK);
  brink_text_append(&text, json.data, json.length);
  CHECK(brink_fit_report(fit, &page, &diag) == BRINK_OK);
  brink_text_append(&text, page.data, page.length);
  brink_bytes_free(&json);
  brink_bytes_free(&page);
  return text.data;
}

/* ---- fits, each with something of its own ---- */

typedef struct job {
  brink_hsml *model;
  brink_fit *fit;
} job;

static job make_case(size_t k, brink_fit_method method) {
  fit_data exact, data;
  brink_diag diag;
  job j;
  CHECK(fit_case_exact(&fit_cases[k], &exact));
  fit_case_disturb(&fit_cases[k], &exact, 17 + k, &data);
  CHECK(fit_case_make(&fit_cases[k], &data, true, method, 4, &j.model, &j.fit, &diag) == BRINK_OK);
  return j;
}

static job make_design(const char *objective, const char *condition) {
  static const brink_fit_knob knobs[] = {{.name = "angle", .lo = 0.1, .hi = 1.5},
                                         {.name = "speed", .lo = 5.0, .hi = 20.0}};
  brink_run_options options = brink_default_run();
  brink_fit_def def = brink_default_fit();
  brink_diag diag;
  job j = {0};
  options.interpret = true;
  options.until = 10.0;
  CHECK(brink_hsml_load_text(shot, &diag, &j.model) == BRINK_OK);
  def.model = j.model;
  def.options = &options;
  def.knobs = knobs;
  def.nknobs = 2;
  def.starts = 3;
  CHECK(brink_fit_create(&def, &diag, &j.fit) == BRINK_OK);
  CHECK(brink_fit_set_objective(j.fit, objective, true, &diag) == BRINK_OK);
  if (condition != NULL) CHECK(brink_fit_add_condition(j.fit, condition, &diag) == BRINK_OK);
  return j;
}

enum { KINDS = 6 };

static job make(size_t kind) {
  switch (kind) {
  case 0:
    return make_case(0, BRINK_FIT_AUTO);
  case 1:
    return make_case(3, BRINK_FIT_SEARCH); /* differences of runs give the intervals */
  case 2:
    return make_case(4, BRINK_FIT_AUTO);
  case 3:
    return make_case(5, BRINK_FIT_DERIVATIVES);
  case 4:
    return make_design("x", "max(y) <= 3");
  default:
    return make_design("x", NULL);
  }
}

static void release(job *j) {
  brink_fit_destroy(j->fit);
  brink_hsml_destroy(j->model);
}

static char *solve_with(size_t kind, size_t jobs) {
  brink_diag diag;
  job j = make(kind);
  j.fit->def.jobs = jobs;
  brink_status status = brink_fit_solve(j.fit, &diag);
  CHECK_MSG(status == BRINK_OK, "kind %zu: %s", kind, diag.message);
  char *told = tell(j.fit);
  release(&j);
  return told;
}

TEST(the_result_is_the_same_with_one_two_and_four_threads) {
  for (size_t kind = 0; kind < KINDS; kind++) {
    char *one = solve_with(kind, 1);
    CHECK(one != NULL && strlen(one) > 1000);
    for (size_t jobs = 2; jobs <= 4; jobs += 2) {
      char *several = solve_with(kind, jobs);
      CHECK_MSG(several != NULL && strcmp(one, several) == 0, "kind %zu with %zu threads", kind,
                jobs);
      free(several);
    }
    free(one);
  }
}

/* ---- ranks ---- */

typedef struct fleet {
  size_t kind, mortal; /* rank that dies on its way; 0: none */
  bool other;          /* rank 1 has other knobs */
  brink_status status[4];
  brink_diag diag[4];
  char *told;
  size_t lost;
} fleet;

static void rank_main(brink_ranks *ranks, void *user) {
  fleet *f = user;
  size_t rank = ranks->rank;
  job j = make(f->kind);
  j.fit->def.jobs = rank == 1 ? 2 : 1;
  if (f->other && rank == 1) j.fit->knobs[0].hi *= 1.5;
  /* All others have said that they are there, before the work begins. */
  if ((f->other || f->mortal > 0) && rank == 0) thread_ranks_await(ranks, ranks->count - 1);
  if (f->mortal > 0 && rank == f->mortal) thread_ranks_die_at(ranks, 2); /* its first answer */
  brink_fit_use_ranks(j.fit, ranks, f->mortal > 0 ? 0.3 : 30.0);
  f->status[rank] = brink_fit_solve(j.fit, &f->diag[rank]);
  if (rank == 0 && f->status[0] == BRINK_OK) f->told = tell(j.fit);
  if (rank == 0) f->lost = brink_fit_lost_ranks(j.fit);
  release(&j);
}

TEST(the_result_is_the_same_with_one_two_and_four_ranks) {
  for (size_t kind = 0; kind < KINDS; kind++) {
    char *one = solve_with(kind, 1);
    for (size_t count = 1; count <= 4; count *= 2) {
      fleet f = {.kind = kind};
      thread_ranks_run(count, rank_main, &f);
      for (size_t k = 0; k < count; k++)
        CHECK_MSG(f.status[k] == BRINK_OK, "rank %zu: %s", k, f.diag[k].message);
      CHECK_MSG(f.told != NULL && strcmp(one, f.told) == 0, "kind %zu with %zu ranks", kind, count);
      CHECK(f.lost == 0);
      free(f.told);
    }
    free(one);
  }
}

TEST(a_rank_that_dies_costs_its_work_and_nothing_else) {
  char *one = solve_with(0, 1);
  fleet f = {.kind = 0, .mortal = 2};
  thread_ranks_run(3, rank_main, &f);
  CHECK_MSG(f.status[0] == BRINK_OK, "%s", f.diag[0].message);
  CHECK(f.told != NULL && strcmp(one, f.told) == 0);
  CHECK(f.lost == 1);
  free(f.told);
  free(one);
}

TEST(a_rank_with_another_problem_ends_the_fit) {
  fleet f = {.kind = 0, .other = true};
  thread_ranks_run(2, rank_main, &f);
  CHECK(f.status[0] == BRINK_ERR_UNSUPPORTED && f.told == NULL);
  CHECK_MSG(strstr(f.diag[0].message, "other work") != NULL, "%s", f.diag[0].message);
}

/* ---- stopping ---- */

/* x turns a billion times; the model of a single run takes hours. With k = 0, where it starts, nothing moves. */
static const char endless[] = "ctc Endless is\n"
                              "  interface knob(k); view(x); end interface;\n"
                              "  body\n"
                              "    declarations state(x, real); state(v, real); parameter(k, real, "
                              "(0.0, 1e9)); end declarations;\n"
                              "    initial x := 1.0; v := 0.0; end initial;\n"
                              "    dynamics x' = v*k; v' = -k*x; end dynamics;\n"
                              "    assignments k : 0.0; end assignments;\n"
                              "  end body;\n"
                              "end Endless;\n";

typedef struct stopping {
  size_t calls;
  double best;
} stopping;

/* As soon as there is a first run, and a good while later than that: the second one is under way. */
static int stop_later(const brink_fit_progress *progress, void *user) {
  stopping *s = user;
  s->best = progress->best;
  return !isnan(progress->best) && ++s->calls > 20;
}

static void check_stop(size_t starts, size_t jobs) {
  static const brink_fit_knob knob = {.name = "k", .lo = 0.0, .hi = 1e9};
  const double t[] = {0.0, 1.0, 2.0}, y[] = {1.0, 1.1, 1.2};
  brink_hsml *model = NULL;
  brink_fit *fit = NULL;
  brink_diag diag;
  stopping s = {0};
  brink_run_options options = brink_default_run();
  brink_fit_def def = brink_default_fit();
  options.interpret = true;
  CHECK(brink_hsml_load_text(endless, &diag, &model) == BRINK_OK);
  def.model = model;
  def.options = &options;
  def.knobs = &knob;
  def.nknobs = 1;
  def.starts = starts;
  def.jobs = jobs;
  def.method = BRINK_FIT_SEARCH;
  def.progress = stop_later;
  def.user = &s;
  brink_status made = brink_fit_create(&def, &diag, &fit);
  CHECK_MSG(made == BRINK_OK, "%s", diag.message);
  CHECK(brink_fit_add_curve(fit, "x", t, y, NULL, 3, &diag) == BRINK_OK);
  CHECK(brink_fit_solve(fit, &diag) == BRINK_CANCELLED);
  const brink_fit_result *r = brink_fit_get(fit);
  CHECK(r != NULL && !r->converged);
  if (r != NULL) {
    CHECK_NEAR(r->values[0].value, 0.0, 0.0);
    CHECK_NEAR(r->sum, 0.01 + 0.04, 1e-12);
    CHECK_NEAR(s.best, r->sum, 1e-12);
    CHECK(r->runs >= 1 && r->nnotes == 1 && strstr(r->notes[0], "It was stopped") != NULL);
    CHECK(!r->values[0].undetermined); /* nobody has looked */
  }
  brink_fit_destroy(fit);
  brink_hsml_destroy(model);
}

TEST(a_fit_is_stopped_inside_a_long_run_and_has_the_best_so_far) {
  check_stop(1, 1);
  check_stop(1, 3);
}

static int stop_at_once(const brink_fit_progress *progress, void *user) {
  (void)progress, (void)user;
  return 1;
}

TEST(a_design_is_stopped_too) {
  brink_diag diag;
  job j = make_design("x", NULL);
  j.fit->def.progress = stop_at_once;
  CHECK(brink_fit_solve(j.fit, &diag) == BRINK_CANCELLED);
  j.fit->def.progress = NULL;
  CHECK(brink_fit_solve(j.fit, &diag) == BRINK_OK); /* and can be solved later */
  CHECK(brink_fit_get(j.fit)->converged);
  release(&j);
}

int main(void) {
  RUN(the_result_is_the_same_with_one_two_and_four_threads);
  RUN(the_result_is_the_same_with_one_two_and_four_ranks);
  RUN(a_rank_that_dies_costs_its_work_and_nothing_else);
  RUN(a_rank_with_another_problem_ends_the_fit);
  RUN(a_fit_is_stopped_inside_a_long_run_and_has_the_best_so_far);
  RUN(a_design_is_stopped_too);
  return check_done();
}
