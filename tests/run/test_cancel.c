/* brink_run_cancel is heeded soon, also where a call is at one long piece of work: the first comparison of many agents with
 * each other, or one step of a field that takes long to evaluate. */
#include <brink/hsml.h>
#include <pthread.h>
#include <time.h>

#include "check.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Somebody else cancels after a while. */
typedef struct canceller {
  brink_run *run;
  double after, at;
} canceller;

static void *cancel(void *user) {
  canceller *c = user;
  struct timespec pause = {.tv_nsec = (long)(c->after * 1e9)};
  nanosleep(&pause, NULL);
  c->at = now();
  brink_run_cancel(c->run);
  return NULL;
}

static brink_run *make(const char *text, brink_hsml **model) {
  brink_diag diag;
  brink_run *run = NULL;
  CHECK_MSG(brink_hsml_load_text(text, &diag, model) == BRINK_OK, "%s", diag.message);
  brink_run_options options = brink_default_run();
  options.interpret = true;
  options.until = 10.0;
  const brink_hsml_message *messages = NULL;
  brink_status status = brink_run_create(*model, &options, NULL, &diag, &run);
  size_t count = brink_hsml_messages(*model, &messages);
  CHECK_MSG(status == BRINK_OK, "%s", count > 0 ? messages[0].rendered : diag.message);
  return run;
}

/* Balls on a line, without a reach: every pair is compared at the start. */
static const char crowd[] =
    "ctc Ball is\n"
    "  body\n"
    "    declarations state(x, real); state(v, real); end declarations;\n"
    "    initial x := 0.0; v := 1.0; end initial;\n"
    "    dynamics x' = v; v' = 0.0; end dynamics;\n"
    "  end body;\n"
    "end Ball;\n"
    "system Line is\n"
    "  body\n"
    "    components b[40000] : Ball; end components;\n"
    "    initial for i in 1..40000 loop b[i].x := 2.0*i; end loop; end initial;\n"
    "    agents\n"
    "      population(b);\n"
    "      pair(p, q) in b\n"
    "        declarations flag(meet); end declarations;\n"
    "        dynamics meet = (p.x - q.x)^2 - 0.25; end dynamics;\n"
    "        event(meet) negative-going p.v := q.v; end negative-going; end event;\n"
    "      end pair;\n"
    "    end agents;\n"
    "  end body;\n"
    "end Line;\n";

TEST(the_start_of_many_agents_can_be_cancelled) {
  brink_hsml *model = NULL;
  brink_run *run = make(crowd, &model);
  if (run == NULL) return;
  canceller c = {.run = run, .after = 0.2};
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, cancel, &c) == 0);
  CHECK_INT(brink_run_to(run, 10.0, NULL), BRINK_CANCELLED);
  double ended = now();
  pthread_join(thread, NULL);
  /* All of it takes a minute; the machine may be busy. */
  CHECK_MSG(ended - c.at < 20.0, "took %g s more", ended - c.at);
  /* It is over; where the machine was so busy that it had not begun, it is cancelled again. */
  brink_diag diag;
  brink_run_cancel(run);
  brink_status again = brink_run_to(run, 10.0, &diag);
  CHECK(again == BRINK_ERR_ARGUMENT || again == BRINK_CANCELLED);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* ---- inside a step ---- */

/* An input that takes long to tell, and cancels the run when it is asked for the so-manieth time. */
typedef struct slow_input {
  brink_run *run;
  int calls, cancels_at;
  double seconds;
} slow_input;

static int tell_slowly(double t, double *u, void *user) {
  slow_input *s = user;
  s->calls++;
  if (s->calls >= s->cancels_at) {
    struct timespec pause = {.tv_nsec = (long)(s->seconds * 1e9)};
    if (s->calls == s->cancels_at) brink_run_cancel(s->run);
    nanosleep(&pause, NULL);
  }
  *u = t;
  return 0;
}

static const char fed[] = "ctc Fed is\n"
                          "  interface input(u, signal); end interface;\n"
                          "  body\n"
                          "    declarations state(x, real); end declarations;\n"
                          "    initial x := 0.0; end initial;\n"
                          "    dynamics x' = u; end dynamics;\n"
                          "  end body;\n"
                          "end Fed;\n";

static brink_run *make_fed(slow_input *input, brink_hsml **model) {
  brink_hsml_function function = {.value = tell_slowly, .user = input};
  brink_run_options options = brink_default_run();
  options.interpret = true;
  options.sim.method = BRINK_DOPRI;
  CHECK_INT(brink_hsml_load_text(fed, NULL, model), BRINK_OK);
  CHECK_INT(brink_hsml_set_function(*model, "u", &function, NULL), BRINK_OK);
  CHECK_INT(brink_run_create(*model, &options, NULL, NULL, &input->run), BRINK_OK);
  input->calls = 0;
  return input->run;
}

static double value_of(brink_run *run, const char *name) {
  brink_value value;
  CHECK_INT(brink_run_find(run, name, &value, NULL), BRINK_OK);
  return brink_run_value(run, value);
}

/* Six evaluations make a step: whichever of them is under way, few others follow. */
TEST(a_long_step_is_given_up) {
  for (int at = 6; at < 12; at++) {
    slow_input input = {.cancels_at = at, .seconds = 0.06};
    brink_hsml *model = NULL;
    brink_run *run = make_fed(&input, &model);
    CHECK_INT(brink_run_to(run, 10.0, NULL), BRINK_CANCELLED);
    CHECK_MSG(input.calls <= at + 3, "%d calls after the one that cancelled", input.calls - at);
    /* It is over, or can go on if the step came to its end by itself. It can begin anew in any case: x = t^2/2. */
    input.cancels_at = 1 << 30;
    CHECK_INT(brink_run_reset(run, NULL), BRINK_OK);
    CHECK_INT(brink_run_to(run, 4.0, NULL), BRINK_TIME_REACHED);
    CHECK_NEAR(value_of(run, "x"), 8.0, 1e-6);
    brink_run_destroy(run);
    brink_hsml_destroy(model);
  }
}

/* A step that ends soon after it was cancelled is taken, and the run goes on as if nothing had happened. */
TEST(a_short_step_is_completed) {
  slow_input input = {.cancels_at = 8, .seconds = 1e-4};
  brink_hsml *model = NULL;
  brink_run *run = make_fed(&input, &model);
  CHECK_INT(brink_run_to(run, 10.0, NULL), BRINK_CANCELLED);
  CHECK(brink_run_time(run) < 10.0);
  CHECK_INT(brink_run_to(run, 10.0, NULL), BRINK_TIME_REACHED);
  CHECK_NEAR(value_of(run, "x"), 50.0, 1e-6);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* ---- inside a factorisation ---- */

/* 1500 unknowns that depend on each other: one block. To see at the start that it is regular takes 10^10 operations. */
static const char ring[] =
    "ctc Ring is\n"
    "  body\n"
    "    declarations state(s, real); variable(u[1500], real); end declarations;\n"
    "    initial s := 0.1; end initial;\n"
    "    dynamics s' = cos(time); end dynamics;\n"
    "    constraints\n"
    "      u[1] + 0.1*sin(u[1500]*u[2]) = s;\n"
    "      u[1500] + 0.1*sin(u[1]*u[1499]) = s;\n"
    "      for i in 2..1499 loop u[i] + 0.1*sin(u[i + 1]*u[i - 1]) = s; end loop;\n"
    "    end constraints;\n"
    "  end body;\n"
    "end Ring;\n";

static double processor(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

TEST(a_large_block_of_constraints_is_given_up) {
  brink_hsml *model = NULL;
  brink_run *run = make(ring, &model);
  if (run == NULL) return;
  canceller c = {.run = run, .after = 0.1};
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, cancel, &c) == 0);
  double start = processor();
  CHECK_INT(brink_run_to(run, 10.0, NULL), BRINK_CANCELLED);
  double taken = processor() - start;
  pthread_join(thread, NULL);
  /* Some seconds for all of it, however busy the machine is. */
  CHECK_MSG(taken < 1.0, "took %g s of the processor", taken);
  CHECK_NEAR(brink_run_time(run), 0.0, 0.0);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

int main(void) {
  RUN(a_long_step_is_given_up);
  RUN(a_short_step_is_completed);
  RUN(the_start_of_many_agents_can_be_cancelled);
  RUN(a_large_block_of_constraints_is_given_up);
  return check_done();
}
