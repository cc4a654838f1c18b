/* Inputs that are functions of the caller (brink_hsml_set_function): runs compared with closed forms and with the same
 * model in HSML alone; interpreted and compiled to the bit; corners; what goes wrong. */
#include <brink/record.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "expr/external.h"

/* ---- functions ---- */

/* Asked for how often, from when to when. */
typedef struct asked {
  size_t calls;
  double first, last;
  double until; /* an error after it */
  double amplitude;
} asked;

static asked ask(double amplitude) {
  return (asked){.first = INFINITY, .last = -INFINITY, .until = INFINITY, .amplitude = amplitude};
}

static int wave(double t, double *u, void *user) {
  asked *a = user;
  a->calls++;
  a->first = fmin(a->first, t);
  a->last = fmax(a->last, t);
  *u = a->amplitude * sin(t);
  return t > a->until ? 7 : 0;
}

static int sine(double t, double *u, void *user) {
  (void)user;
  *u = sin(t);
  return 0;
}

static int step_at_1(double t, double *u, void *user) {
  (void)user;
  *u = t < 1.0 ? 0.0 : 1.0;
  return 0;
}

static int kink_at_1(double t, double *u, void *user) {
  (void)user;
  *u = fabs(t - 1.0);
  return 0;
}

/* Defined up to *user. */
static int root(double t, double *u, void *user) {
  const double *end = user;
  *u = sqrt(*end - t);
  return 0;
}

/* ---- models ---- */

#define LINEAR                                                                                     \
  "ctc Linear is interface input(u, signal); output(y, signal); end interface; body\n"             \
  "declarations state(x, real); state(hit, real); flag(f, crossing); end declarations;\n"          \
  "initial x := 0.0; hit := 0.0; end initial;\n"                                                   \
  "dynamics x' = -x + u; hit' = 0.0; f = u - 0.5; end dynamics;\n"                                 \
  "output y = 2*u; end output;\n"                                                                  \
  "event(f) positive-going hit := time; end positive-going; end event;\n"                          \
  "end body; end Linear;\n"

/* x' = -x + sin t, x(0) = 0. */
static double linear_at(double t) {
  return 0.5 * (sin(t) - cos(t)) + 0.5 * exp(-t);
}

static brink_hsml *load(const char *text) {
  brink_diag diag;
  brink_hsml *model = NULL;
  brink_status status = brink_hsml_load_text(text, &diag, &model);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return model;
}

static void follow(brink_hsml *model, const char *name,
                   int (*value)(double t, double *u, void *user), void *user) {
  brink_diag diag;
  brink_hsml_function function = {.value = value, .user = user};
  brink_status status = brink_hsml_set_function(model, name, &function, &diag);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
}

static void follow_with_corner(brink_hsml *model, const char *name,
                               int (*value)(double t, double *u, void *user), double corner) {
  brink_diag diag;
  brink_hsml_function function = {.value = value, .corners = &corner, .ncorners = 1};
  CHECK(brink_hsml_set_function(model, name, &function, &diag) == BRINK_OK);
}

typedef struct way {
  brink_method method;
  bool compiled;
  brink_events events;
} way;

static brink_run *make(brink_hsml *model, way by) {
  brink_diag diag;
  brink_run *run = NULL;
  brink_run_options options = brink_default_run();
  options.interpret = !by.compiled;
  options.native = by.compiled;
  options.until = 2.0;
  options.sim.method = by.method;
  options.sim.events = by.events;
  options.sim.rtol = 1e-10;
  options.sim.atol = 1e-13;
  options.sim.step = 1e-3;
  options.sim.audit = true;
  brink_status status = brink_run_create(model, &options, NULL, &diag, &run);
  CHECK_MSG(status == BRINK_OK, "%s: %s", brink_method_name(by.method), diag.message);
  return run;
}

static brink_run *make_adams(brink_hsml *model) {
  return make(model, (way){.method = BRINK_ADAMS});
}

static void go(brink_run *run, double t) {
  brink_diag diag;
  brink_status status = brink_run_to(run, t, &diag);
  CHECK_MSG(status == BRINK_TIME_REACHED, "%s", diag.message);
}

static double get(brink_run *run, const char *name) {
  brink_diag diag;
  double value = NAN;
  brink_status status = brink_run_get(run, name, &value, &diag);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return value;
}

static void close_all(brink_run *run, brink_hsml *model) {
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* ---- closed forms ---- */

static const brink_method methods[] = {BRINK_AUTO, BRINK_ADAMS, BRINK_DOPRI, BRINK_BDF, BRINK_RK4};
enum { NMETHODS = sizeof methods / sizeof *methods };

TEST(runs_meet_the_closed_form_with_every_method_that_needs_no_series) {
  for (size_t k = 0; k < NMETHODS; k++) {
    brink_hsml *model = load(LINEAR);
    follow(model, "u", sine, NULL);
    brink_run *run = make(model, (way){.method = methods[k]});
    go(run, 2.0);
    CHECK_NEAR(get(run, "x"), linear_at(2.0), methods[k] == BRINK_BDF ? 1e-7 : 1e-9);
    CHECK_NEAR(get(run, "hit"), asin(0.5), 1e-9);
    CHECK(get(run, "u") == sin(2.0));
    CHECK(get(run, "y") == 2.0 * sin(2.0));
    close_all(run, model);
  }
}

TEST(auto_takes_a_method_without_series_and_taylor_is_refused) {
  brink_diag diag;
  brink_hsml *model = load(LINEAR);
  follow(model, "u", sine, NULL);
  brink_run *run = make(model, (way){.method = BRINK_AUTO});
  go(run, 2.0);
  CHECK(brink_run_information(run).stats.method == BRINK_ADAMS);
  brink_run_destroy(run);
  brink_run_options options = brink_default_run();
  options.sim.method = BRINK_TAYLOR;
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(diag.message, "the function of input 'u' has none");
  brink_hsml_destroy(model);
}

TEST(interpreted_and_compiled_runs_have_the_same_bits) {
  for (size_t k = 0; k < NMETHODS; k++) {
    double x[2], hit[2];
    for (int compiled = 0; compiled < 2; compiled++) {
      brink_hsml *model = load(LINEAR);
      follow(model, "u", sine, NULL);
      brink_run *run = make(model, (way){.method = methods[k], .compiled = compiled == 1});
      go(run, 2.0);
      x[compiled] = get(run, "x");
      hit[compiled] = get(run, "hit");
      close_all(run, model);
    }
    CHECK(x[0] == x[1] && hit[0] == hit[1]);
  }
}

/* The same with u = sin(time) in HSML. */
TEST(runs_agree_with_the_same_function_in_the_model) {
  static const char inside[] =
      "ctc Source is interface output(s, signal); end interface;\n"
      "body output s = sin(time); end output; end body; end Source;\n" LINEAR
      "composite Top is body components a : Source; b : Linear; end components;\n"
      "connections connect(a.s, b.u); end connections; end body; end Top;\n";
  brink_hsml *outer = load(LINEAR), *inner = load(inside);
  follow(outer, "u", sine, NULL);
  brink_run *one = make_adams(outer), *two = make_adams(inner);
  go(one, 2.0);
  go(two, 2.0);
  CHECK_NEAR(get(one, "x"), get(two, "b.x"), 1e-9);
  CHECK_NEAR(get(one, "hit"), get(two, "b.hit"), 1e-9);
  close_all(one, outer);
  close_all(two, inner);
}

/* Rows have the value itself, wherever they are. */
TEST(results_have_the_values_of_the_function) {
  brink_diag diag;
  brink_bytes bytes = {0};
  brink_hsml *model = load(LINEAR);
  follow(model, "u", sine, NULL);
  brink_run *run = make_adams(model);
  CHECK(brink_run_record_memory(run, "csv", &diag) == BRINK_OK);
  go(run, 2.0);
  CHECK(brink_run_finish(run, &diag) == BRINK_OK);
  CHECK(brink_run_recorded(run, &bytes, &diag) == BRINK_OK);
  size_t rows = 0;
  const char *line = memchr(bytes.data, '\n', bytes.length);
  CHECK_CONTAINS((const char *)bytes.data, "time,x,hit,u,y\n");
  for (; line != NULL && line[1] != '\0'; line = strchr(line + 1, '\n')) {
    double t, x, hit, u;
    if (sscanf(line + 1, "%lf,%lf,%lf,%lf", &t, &x, &hit, &u) != 4) break;
    CHECK(u == sin(t));
    rows++;
  }
  CHECK(rows > 10);
  brink_bytes_free(&bytes);
  close_all(run, model);
}

/* ---- where it is asked ---- */

TEST(functions_are_not_asked_outside_the_run) {
  static const brink_events events[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE};
  for (size_t k = 0; k < 2 * NMETHODS; k++) {
    asked by = ask(1.0);
    brink_hsml *model = load(LINEAR);
    follow(model, "u", wave, &by);
    brink_run *run = make(model, (way){.method = methods[k / 2], .events = events[k % 2]});
    go(run, 2.0);
    CHECK(by.calls > 10 && by.first == 0.0 && by.last == 2.0);
    close_all(run, model);
  }
}

/* x' = sqrt(0.9 - u) is not defined past the surface. */
TEST(dynamics_is_not_evaluated_past_a_unilateral_surface_of_an_input) {
  static const char edge[] =
      "ctc Edge is interface input(u, signal); end interface; body\n"
      "declarations state(x, real); flag(f, unilateral); mode(m, {\"on\", \"off\"});\n"
      "end declarations; initial x := 0.0; m := \"on\"; end initial;\n"
      "dynamics if m = \"on\" then x' = sqrt(0.9 - u); else x' = 0.0; end if; f = 0.9 - u;\n"
      "end dynamics;\n"
      "event(f) negative-going m := \"off\"; end negative-going; end event;\n"
      "end body; end Edge;\n";
  static const brink_method with[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_BDF};
  for (size_t k = 0; k < 3; k++) {
    brink_hsml *model = load(edge);
    follow(model, "u", sine, NULL);
    brink_run *run = make(model, (way){.method = with[k], .events = BRINK_EXTRAPOLATE});
    go(run, 2.0);
    CHECK(brink_run_information(run).stats.rhs_past_guard == 0);
    CHECK(strcmp(brink_run_get_text(run, "m"), "off") == 0);
    /* the integral of sqrt(0.9 - sin t) from 0 to asin(0.9), by quadrature */
    CHECK_NEAR(get(run, "x"), 0.65154498578, 1e-7);
    close_all(run, model);
  }
}

/* ---- corners ---- */

TEST(corners_are_met_to_the_last_bit) {
  for (size_t k = 0; k < NMETHODS; k++) {
    static const char integral[] =
        "ctc Integral is interface input(u, signal); end interface; body\n"
        "declarations state(x, real); state(n, real); flag(f, crossing); end declarations;\n"
        "initial x := 0.0; n := 0.0; end initial;\n"
        "dynamics x' = u; n' = 0.0; f = u - 0.5; end dynamics;\n"
        "event(f) positive-going n := n + 1; end positive-going; end event;\n"
        "end body; end Integral;\n";
    brink_hsml *model = load(integral);
    follow_with_corner(model, "u", step_at_1, 1.0);
    brink_run *run = make(model, (way){.method = methods[k]});
    go(run, 1.0);
    CHECK_NEAR(get(run, "x"), 0.0, 1e-15);
    CHECK(get(run, "u") == 1.0 && get(run, "n") == 1.0);
    go(run, 2.0);
    CHECK_NEAR(get(run, "x"), 1.0, 1e-12);
    brink_run_destroy(run);
    follow_with_corner(model, "u", kink_at_1, 1.0);
    run = make(model, (way){.method = methods[k]});
    go(run, 2.0);
    CHECK_NEAR(get(run, "x"), 1.0, methods[k] == BRINK_BDF ? 1e-9 : 1e-12); /* two triangles */
    CHECK(get(run, "n") == 1.0);
    close_all(run, model);
  }
}

static int count_event(brink_run *run, const brink_run_event *event, void *user) {
  (void)run, (void)event;
  ++*(size_t *)user;
  return 0;
}

TEST(corners_are_no_events) {
  size_t events = 0;
  brink_hsml *model = load(LINEAR);
  double corners[] = {0.1, 0.2, 0.3, 0.4};
  brink_hsml_function function = {.value = sine, .corners = corners, .ncorners = 4};
  CHECK(brink_hsml_set_function(model, "u", &function, NULL) == BRINK_OK);
  corners[0] = NAN; /* they were copied */
  brink_run *run = make_adams(model);
  brink_run_observe(run, &(brink_run_observer){.event = count_event, .user = &events});
  go(run, 2.0);
  CHECK(events == 1);
  CHECK_NEAR(get(run, "x"), linear_at(2.0), 1e-9);
  close_all(run, model);
}

TEST(rows_and_functions_may_drive_one_model) {
  static const char both[] =
      "ctc Both is interface input(u[3], signal); input(v, signal); end interface; body\n"
      "declarations state(x[3], real); state(z, real); end declarations;\n"
      "initial for i in 1..3 loop x[i] := 0.0; end loop; z := 0.0; end initial;\n"
      "dynamics for i in 1..3 loop x[i]' = u[i]; end loop; z' = v; end dynamics;\n"
      "end body; end Both;\n";
  const char *names[] = {"u[1]", "v"};
  double t[] = {0.0, 0.7, 1.4}, values[] = {1.0, 0.0, 2.0, 1.4, 2.0, 1.4};
  for (int hold = 0; hold < 2; hold++) {
    brink_hsml_inputs inputs = {
        .names = names, .count = 2, .t = t, .rows = 3, .values = values, .hold = hold == 1};
    brink_hsml *model = load(both);
    CHECK(brink_hsml_set_inputs(model, &inputs, NULL) == BRINK_OK);
    CHECK(brink_hsml_set(model, "u[3]", 0.25, NULL) == BRINK_OK);
    follow(model, "u[2]", sine, NULL);
    for (int compiled = 0; compiled < 2; compiled++) {
      brink_run *run = make(model, (way){.method = BRINK_DOPRI, .compiled = compiled == 1});
      go(run, 2.0);
      CHECK_NEAR(get(run, "x[1]"), hold == 1 ? 0.7 + 1.3 * 2.0 : 0.7 * 1.5 + 1.3 * 2.0, 1e-9);
      CHECK_NEAR(get(run, "x[2]"), 1.0 - cos(2.0), 1e-9);
      CHECK_NEAR(get(run, "x[3]"), 0.5, 1e-12);
      CHECK_NEAR(get(run, "z"), hold == 1 ? 1.3 * 1.4 : 0.7 * 0.7 + 1.3 * 1.4, 1e-9);
      brink_run_destroy(run);
    }
    brink_hsml_destroy(model);
  }
}

TEST(time_may_run_backwards) {
  brink_diag diag;
  brink_run *run = NULL;
  static const char integral[] = "ctc Integral is interface input(u, signal); end interface; body\n"
                                 "declarations state(x, real); end declarations;\n"
                                 "initial x := 0.0; end initial; dynamics x' = u; end dynamics;\n"
                                 "end body; end Integral;\n";
  brink_hsml *model = load(integral);
  for (int corner = 0; corner < 2; corner++) {
    if (corner == 1)
      follow_with_corner(model, "u", step_at_1, 1.0);
    else
      follow(model, "u", sine, NULL);
    brink_run_options options = brink_default_run();
    options.interpret = true;
    options.from = 3.0;
    options.until = 0.5;
    options.sim.rtol = 1e-10;
    CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK);
    go(run, 0.5);
    CHECK_NEAR(get(run, "x"), corner == 1 ? -2.0 : cos(3.0) - cos(0.5), 1e-8);
    brink_run_destroy(run);
  }
  brink_hsml_destroy(model);
}

/* ---- slopes ---- */

TEST(slopes_are_those_of_the_piece) {
  static const double corner = 1.0;
  brink_time_calls calls = {0};
  brink_time_function function = {.value = kink_at_1, .corners = &corner, .ncorners = 1};
  brink_external e = {.narguments = BRINK_TIME_ARGUMENTS, .of_time = &function, .calls = &calls};
  double begin, end;
  size_t first = brink_external_derivative(0, 0), second = brink_external_derivative(first, 0);
  brink_time_piece(&function, 0.0, 0.0, false, &begin, &end);
  CHECK(begin == 0.0 && end < 1.0 && nextafter(end, 2.0) == 1.0);
  static const double times[] = {0.0, 1e-6, 0.5, 1.0}; /* at the last one: before the corner */
  for (size_t k = 0; k < 4; k++) {
    double x[] = {times[k], begin, end};
    CHECK_NEAR(brink_external_call(&e, first, x), -1.0, 1e-10);
    CHECK_NEAR(brink_external_call(&e, second, x), 0.0, 1e-7);
    CHECK(brink_external_call(&e, brink_external_derivative(0, 1), x) == 0.0);
  }
  brink_time_piece(&function, 1.0, 0.0, false, &begin, &end);
  CHECK(begin == 1.0 && end > 1e300);
  CHECK_NEAR(brink_external_call(&e, first, (double[]){1.0, begin, end}), 1.0, 1e-10);
  brink_time_piece(&function, 1.0, 3.0, true, &begin, &end); /* into the piece before it */
  CHECK(begin < 1.0 && end < -1e300);
  CHECK_NEAR(brink_external_call(&e, first, (double[]){1.0, begin, end}), -1.0, 1e-10);
  function.value = sine;
  function.ncorners = 0;
  calls.known = false;
  for (double t = 0.0; t < 3.0; t += 0.37) {
    double x[] = {t, 0.0, 1e300};
    CHECK_NEAR(brink_external_call(&e, first, x), cos(t), 1e-9);
    CHECK_NEAR(brink_external_call(&e, second, x), -sin(t), 2e-3);
  }
}

TEST(conditions_of_events_know_the_slope) {
  brink_diag diag;
  brink_run *run = NULL;
  brink_hsml *model = load(LINEAR);
  follow(model, "u", sine, NULL);
  brink_run_options options = brink_default_run();
  options.interpret = options.conditions = true;
  options.until = 2.0;
  brink_status status = brink_run_create(model, &options, NULL, &diag, &run);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  go(run, 2.0);
  CHECK_NEAR(get(run, "hit"), asin(0.5), 1e-5);
  close_all(run, model);
}

/* ---- again, and twice ---- */

TEST(clones_resets_and_further_runs_share_the_function) {
  brink_diag diag;
  brink_run *clone = NULL, *other;
  brink_hsml *model = load(LINEAR);
  follow_with_corner(model, "u", kink_at_1, 1.0);
  brink_run *run = make_adams(model);
  go(run, 0.7);
  CHECK(brink_run_clone(run, &diag, &clone) == BRINK_OK);
  other = make_adams(model);
  follow(model, "u", sine, NULL); /* of the next run */
  brink_run *next = make_adams(model);
  brink_hsml_destroy(model);
  go(run, 2.0);
  go(clone, 2.0);
  go(other, 0.7);
  go(other, 2.0);
  go(next, 2.0);
  double x = get(run, "x");
  CHECK(x == get(clone, "x") && x == get(other, "x"));
  CHECK_NEAR(get(next, "x"), linear_at(2.0), 1e-9);
  CHECK(brink_run_reset(run, &diag) == BRINK_OK);
  go(run, 0.7);
  go(run, 2.0);
  CHECK(x == get(run, "x"));
  brink_run_destroy(run);
  brink_run_destroy(clone);
  brink_run_destroy(other);
  brink_run_destroy(next);
}

/* The model is changed meanwhile: the run keeps its function. */
TEST(a_run_is_repeated_and_differentiated_with_its_function) {
  static const char text[] =
      "ctc Linear is interface input(u, signal); knob(k); end interface; body\n"
      "declarations state(x, real); parameter(k, real); end declarations;\n"
      "initial x := 0.0; end initial; dynamics x' = -x + k*u; end dynamics;\n"
      "assignments k : 1.0; end assignments; end body; end Linear;\n";
  brink_diag diag;
  brink_run *again = NULL;
  brink_run_sensitivity s = {0};
  const char *names[] = {"k"};
  brink_hsml *model = load(text);
  follow(model, "u", sine, NULL);
  brink_run *run = make_adams(model);
  follow_with_corner(model, "u", kink_at_1, 1.0);
  brink_status status = brink_run_keep_sensitivity(run, names, 1, &diag);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  go(run, 2.0);
  CHECK(brink_run_repeat(run, false, &diag, &again) == BRINK_OK);
  go(again, 2.0);
  CHECK(get(run, "x") == get(again, "x"));
  status = brink_run_get_sensitivity(run, &s, &diag);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  if (status == BRINK_OK) CHECK_NEAR(s.end[0], linear_at(2.0), 1e-7); /* x is linear in k */
  brink_run_destroy(again);
  close_all(run, model);
}

static void *run_in_thread(void *user) {
  brink_run_to(user, 2.0, NULL);
  return NULL;
}

TEST(clones_may_run_in_threads) {
  enum { THREADS = 4 };
  brink_diag diag;
  brink_run *runs[THREADS];
  pthread_t threads[THREADS];
  brink_hsml *model = load(LINEAR);
  follow(model, "u", sine, NULL);
  runs[0] = make(model, (way){.method = BRINK_ADAMS, .compiled = true});
  for (size_t k = 1; k < THREADS; k++) CHECK(brink_run_clone(runs[0], &diag, &runs[k]) == BRINK_OK);
  for (size_t k = 0; k < THREADS; k++)
    CHECK(pthread_create(&threads[k], NULL, run_in_thread, runs[k]) == 0);
  for (size_t k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
  for (size_t k = 1; k < THREADS; k++) CHECK(get(runs[0], "x") == get(runs[k], "x"));
  CHECK_NEAR(get(runs[0], "x"), linear_at(2.0), 1e-9);
  for (size_t k = 0; k < THREADS; k++) brink_run_destroy(runs[k]);
  brink_hsml_destroy(model);
}

/* ---- names and values ---- */

TEST(a_later_function_wins_and_a_function_wins_over_a_value) {
  asked by = ask(2.0);
  brink_hsml *model = load(LINEAR);
  follow(model, "u", wave, &by);
  follow(model, "u", sine, NULL);
  CHECK(brink_hsml_set(model, "u", 100.0, NULL) == BRINK_OK);
  brink_run *run = make_adams(model);
  go(run, 2.0);
  CHECK_NEAR(get(run, "x"), linear_at(2.0), 1e-9);
  CHECK(by.calls == 0);
  brink_run_destroy(run);
  follow(model, "u", NULL, NULL); /* none again: the value holds */
  run = make_adams(model);
  go(run, 2.0);
  CHECK_NEAR(get(run, "x"), 100.0 * (1.0 - exp(-2.0)), 1e-6);
  close_all(run, model);
}

TEST(initial_values_may_read_the_input) {
  static const char text[] = "ctc Start is interface input(u, signal); end interface; body\n"
                             "declarations state(x, real); end declarations;\n"
                             "initial x := 10*u; end initial; dynamics x' = 0.0*u; end dynamics;\n"
                             "end body; end Start;\n";
  brink_diag diag;
  brink_run *run = NULL;
  brink_hsml *model = load(text);
  follow(model, "u", sine, NULL);
  brink_run_options options = brink_default_run();
  options.interpret = true;
  options.from = 1.0;
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK);
  CHECK(get(run, "x") == 10.0 * sin(1.0));
  close_all(run, model);
}

static brink_status build(brink_hsml *model, brink_diag *diag) {
  brink_status status = brink_hsml_build(model, diag);
  brink_hsml_destroy(model);
  return status;
}

TEST(wrong_names_and_functions_are_refused) {
  static const double wrong[3][2] = {{1.0, 1.0}, {2.0, 1.0}, {0.0, INFINITY}};
  const char *names[] = {"u"};
  double t[] = {0.0}, values[] = {1.0};
  brink_hsml_inputs rows = {.names = names, .count = 1, .t = t, .rows = 1, .values = values};
  brink_diag diag;
  brink_hsml *model = load(LINEAR);
  for (size_t k = 0; k < 3; k++) {
    brink_hsml_function function = {.value = sine, .corners = wrong[k], .ncorners = 2};
    CHECK(brink_hsml_set_function(model, "u", &function, &diag) == BRINK_ERR_ARGUMENT);
    CHECK_CONTAINS(diag.message, "u: corners[1] =");
  }
  CHECK(brink_hsml_set_function(model, "u", &(brink_hsml_function){.value = sine, .ncorners = 1},
                                &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_hsml_set_function(NULL, "u", NULL, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_hsml_set_function(model, NULL, NULL, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(brink_hsml_set_function(model, "nothing", NULL, &diag) == BRINK_OK);
  follow(model, "v", sine, NULL);
  CHECK(build(model, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "v: the top component has no such input");
  static const char *const others[] = {"u[1]", "u[", "x", "y", ""};
  for (size_t k = 0; k < 5; k++) {
    model = load(LINEAR);
    follow(model, others[k], sine, NULL);
    CHECK(build(model, &diag) == BRINK_ERR_ARGUMENT);
  }
  model = load(LINEAR);
  CHECK(brink_hsml_set_inputs(model, &rows, &diag) == BRINK_OK);
  follow(model, "u", sine, NULL);
  CHECK(build(model, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "u: it is given twice");
  model = load("ctc Held is interface input(u, real); end interface; body\n"
               "declarations state(x, real); end declarations;\n"
               "initial x := 0.0; end initial; dynamics x' = u; end dynamics;\n"
               "end body; end Held;\n");
  follow(model, "u", sine, NULL);
  CHECK(build(model, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "it is held");
}

TEST(a_run_cannot_write_the_input) {
  brink_diag diag;
  brink_hsml *model = load(LINEAR);
  follow(model, "u", sine, NULL);
  brink_run *run = make_adams(model);
  CHECK(brink_run_set(run, "u", 1.0, &diag) == BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "'u' is given over time: it cannot be written");
  close_all(run, model);
}

TEST(constraints_refuse_functions) {
  static const char text[] = "ctc Loop is interface input(u, signal); end interface; body\n"
                             "declarations state(x, real); variable(z, real); end declarations;\n"
                             "initial x := 0.0; end initial; dynamics x' = z; end dynamics;\n"
                             "constraints z + x = u; end constraints; end body; end Loop;\n";
  brink_diag diag;
  brink_hsml *model = load(text);
  follow(model, "u", sine, NULL);
  brink_status status = build(model, &diag);
  CHECK_MSG(status == BRINK_ERR_UNSUPPORTED, "%s", diag.message);
  CHECK_CONTAINS(diag.message, "u: a model with constraints cannot take a function");
}

/* ---- what goes wrong ---- */

TEST(an_error_of_the_function_ends_the_run) {
  for (size_t k = 0; k < 2 * NMETHODS; k++) {
    brink_diag diag;
    asked by = ask(1.0);
    by.until = 1.25;
    brink_hsml *model = load(LINEAR);
    follow(model, "u", wave, &by);
    brink_run *run = make(model, (way){.method = methods[k / 2], .compiled = k % 2 == 1});
    CHECK(brink_run_to(run, 2.0, &diag) == BRINK_ERR_CALLBACK);
    CHECK(diag.reason == BRINK_REASON_INPUT_FAILED && diag.count == 7 && diag.t > 1.25);
    CHECK_CONTAINS(diag.message, "the function of input 'u' reported an error (7) at t = 1.");
    brink_run_outcome outcome = brink_run_result(run);
    CHECK(strcmp(outcome.status, "failed") == 0 && strcmp(outcome.reason, "input") == 0);
    CHECK(strcmp(outcome.message, diag.message) == 0 && outcome.t <= 1.25);
    size_t calls = by.calls; /* it is not asked again */
    double u;
    brink_run_get(run, "u", &u, NULL);
    CHECK(by.calls == calls);
    by.until = INFINITY; /* a reset forgets it */
    CHECK(brink_run_reset(run, &diag) == BRINK_OK);
    go(run, 2.0);
    CHECK_NEAR(get(run, "x"), linear_at(2.0), methods[k / 2] == BRINK_BDF ? 1e-7 : 1e-9);
    close_all(run, model);
  }
}

TEST(a_value_that_is_not_finite_ends_the_run) {
  double end = 1.25;
  for (size_t k = 0; k < NMETHODS; k++) {
    brink_diag diag;
    brink_hsml *model = load(LINEAR);
    follow(model, "u", root, &end);
    brink_run *run = make(model, (way){.method = methods[k]});
    CHECK(brink_run_to(run, 2.0, &diag) == BRINK_ERR_DOMAIN);
    CHECK(diag.reason == BRINK_REASON_INPUT_UNDEFINED && diag.t >= 1.25);
    CHECK_CONTAINS(diag.message, "the function of input 'u' is ");
    CHECK(strcmp(brink_run_result(run).reason, "input") == 0);
    close_all(run, model);
  }
}

/* Nothing but an output, or a sample, reads it. */
TEST(nothing_undefined_goes_unseen) {
  static const char *const texts[] = {
      "ctc Shown is interface input(u, signal); output(y, signal); end interface; body\n"
      "declarations state(x, real); end declarations; initial x := 0.0; end initial;\n"
      "dynamics x' = 1.0; end dynamics; output y = u; end output; end body; end Shown;\n",
      "dtc Sampled is interface input(u, real); end interface; body\n"
      "declarations sample(0.1); state(n, real); end declarations; initial n := 0.0; end initial;\n"
      "update n := u; end update; end body; end Sampled;\n"
      "ctc Clock is body declarations state(x, real); end declarations; initial x := 0.0;\n"
      "end initial; dynamics x' = 1.0; end dynamics; end body; end Clock;\n"
      "composite Top is interface input(u, signal); end interface; body\n"
      "components s : Sampled; c : Clock; end components;\n"
      "connections connect(u, s.u); end connections; end body; end Top;\n"};
  double end = 1.25;
  for (size_t k = 0; k < 2; k++) {
    brink_diag diag;
    brink_hsml *model = load(texts[k]);
    follow(model, "u", root, &end);
    brink_run *run = make_adams(model);
    CHECK(brink_run_record_memory(run, "csv", &diag) == BRINK_OK);
    brink_status status = brink_run_to(run, 2.0, &diag);
    CHECK_MSG(status == BRINK_ERR_DOMAIN, "%zu: %d", k, status);
    CHECK_CONTAINS(diag.message, "the function of input 'u' is ");
    close_all(run, model);
  }
}

static int logarithm(double t, double *u, void *user) {
  (void)user;
  *u = log(t);
  return 0;
}

TEST(a_function_needs_a_value_at_the_start) {
  brink_diag diag;
  brink_run *run = NULL;
  brink_run_options options;
  asked by = ask(1.0);
  by.until = -1.0;
  brink_hsml *model = load(LINEAR);
  follow(model, "u", wave, &by);
  CHECK(brink_run_create(model, NULL, NULL, &diag, &run) == BRINK_ERR_CALLBACK && run == NULL);
  CHECK_CONTAINS(diag.message, "the function of input 'u' reported an error (7) at t = 0");
  follow(model, "u", logarithm, NULL);
  CHECK(brink_hsml_options(model, &options, &diag) == BRINK_OK); /* the start may be another one */
  options.interpret = true;
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_ERR_DOMAIN && run == NULL);
  CHECK_CONTAINS(diag.message, "the function of input 'u' is -inf at t = 0");
  options.from = 1.0;
  options.until = 2.0;
  CHECK(brink_run_create(model, &options, NULL, &diag, &run) == BRINK_OK);
  go(run, 2.0);
  CHECK(get(run, "u") == log(2.0));
  close_all(run, model);
}

TEST(the_range_of_the_input_is_watched) {
  static const char text[] =
      "ctc Narrow is interface input(u, signal, (-1.0, 0.5)); end interface;\n"
      "body declarations state(x, real); end declarations;\n"
      "initial x := 0.0; end initial; dynamics x' = u; end dynamics;\n"
      "end body; end Narrow;\n";
  brink_diag diag;
  brink_hsml *model = load(text);
  follow(model, "u", sine, NULL);
  brink_run *run = make_adams(model);
  CHECK(brink_run_to(run, 2.0, &diag) == BRINK_ERR_CALLBACK);
  CHECK_CONTAINS(diag.message, "is outside its range (-1, 0.5)");
  CHECK_NEAR(brink_run_time(run), asin(0.5), 1e-8);
  close_all(run, model);
}

/* ---- with the rest of the language ---- */

TEST(delays_and_agents_read_the_input) {
  static const char late[] = "ctc Late is interface input(u, signal); end interface; body\n"
                             "declarations state(x, real); end declarations; initial x := 0.0;\n"
                             "end initial; dynamics x' = delay(u, 0.5); end dynamics;\n"
                             "end body; end Late;\n";
  static const char agents[] =
      "ctc Car is interface input(u, signal); end interface; body\n"
      "declarations state(x, real); end declarations; initial x := 0.0; end initial;\n"
      "dynamics x' = u; end dynamics; end body; end Car;\n"
      "system Road is interface input(u, signal); end interface; body\n"
      "components car[3] : Car; end components;\n"
      "connections for i in 1..3 loop connect(u, car[i].u); end loop; end connections;\n"
      "end body; end Road;\n";
  brink_hsml *model = load(late);
  follow(model, "u", sine, NULL);
  brink_run *run = make_adams(model);
  go(run, 2.0);
  CHECK_NEAR(get(run, "x"), 1.0 - cos(1.5), 1e-8);
  close_all(run, model);
  model = load(agents);
  follow(model, "u", sine, NULL);
  run = make_adams(model);
  go(run, 2.0);
  CHECK_NEAR(get(run, "car[3].x"), 1.0 - cos(2.0), 1e-9);
  close_all(run, model);
}

int main(void) {
  RUN(runs_meet_the_closed_form_with_every_method_that_needs_no_series);
  RUN(auto_takes_a_method_without_series_and_taylor_is_refused);
  RUN(interpreted_and_compiled_runs_have_the_same_bits);
  RUN(runs_agree_with_the_same_function_in_the_model);
  RUN(results_have_the_values_of_the_function);
  RUN(functions_are_not_asked_outside_the_run);
  RUN(dynamics_is_not_evaluated_past_a_unilateral_surface_of_an_input);
  RUN(corners_are_met_to_the_last_bit);
  RUN(corners_are_no_events);
  RUN(rows_and_functions_may_drive_one_model);
  RUN(time_may_run_backwards);
  RUN(slopes_are_those_of_the_piece);
  RUN(conditions_of_events_know_the_slope);
  RUN(clones_resets_and_further_runs_share_the_function);
  RUN(a_run_is_repeated_and_differentiated_with_its_function);
  RUN(clones_may_run_in_threads);
  RUN(a_later_function_wins_and_a_function_wins_over_a_value);
  RUN(initial_values_may_read_the_input);
  RUN(wrong_names_and_functions_are_refused);
  RUN(a_run_cannot_write_the_input);
  RUN(constraints_refuse_functions);
  RUN(an_error_of_the_function_ends_the_run);
  RUN(a_value_that_is_not_finite_ends_the_run);
  RUN(nothing_undefined_goes_unseen);
  RUN(a_function_needs_a_value_at_the_start);
  RUN(the_range_of_the_input_is_watched);
  RUN(delays_and_agents_read_the_input);
  return check_done();
}
