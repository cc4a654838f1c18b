/* The Taylor method as a citizen of the library: it takes no memory while it steps, survives the failure
 * of any allocation while it is made, begins anew to the same bits, and is chosen by `auto` where the
 * model has series, for a reason that is told. */
#include "check.h"
#include "model/model.h"
#include "num/order.h"
#include "support/counting.h"
#include "support/hsml_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A little of everything: modes, a unilateral flag with a reset, a formula, a transcendental guard,
 * functions, a controller with samples, rules, a relay that slides. */
static const char rich[] =
    "ctc Plant is\n"
    "  interface input(u, real); output(y, signal); output(s, signal); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(h, real); state(v, real); state(r, real);\n"
    "      mode(phase, {\"free\", \"damped\"});\n"
    "      flag(floor, unilateral); flag(corner); flag(curve); flag(side);\n"
    "    end declarations;\n"
    "    initial h := 1.0; v := 0.0; r := 0.5; phase := \"free\"; end initial;\n"
    "    dynamics\n"
    "      h' = v;\n"
    "      v' = if phase = \"free\" then -2.0 + 0.1*sin(3.0*h) + u else -2.0 - 0.2*v*sqrt(1.0 + "
    "h^2) + u;\n"
    "      r' = -sgn(side) + 1.5*sin(time);\n"
    "      floor = h;\n"
    "      corner = (h >= 0.5) and (v >= 0.1);\n"
    "      curve = exp(-h) - 0.7;\n"
    "      side = r;\n"
    "    end dynamics;\n"
    "    output y = h; s = r; end output;\n"
    "    event(floor) negative-going v := 1.9; end negative-going; end event;\n"
    "    event(corner) positive-going phase := \"damped\"; end positive-going;\n"
    "      negative-going phase := \"free\"; end negative-going; end event;\n"
    "  end body;\n"
    "end Plant;\n"
    "dtc Control is\n"
    "  interface input(y, real); output(u, real); end interface;\n"
    "  body\n"
    "    declarations sample(0.13, 0.05); state(i, real); end declarations;\n"
    "    initial i := 0.0; end initial;\n"
    "    update i := i + 0.01*(0.4 - y); end update;\n"
    "    output u = 0.1*(0.4 - y) + i; end output;\n"
    "  end body;\n"
    "end Control;\n"
    "lbc Watch is\n"
    "  interface input(y, real); output(alarm, string, {\"off\", \"on\"}); end interface;\n"
    "  body\n"
    "    declarations mode(a, {\"off\", \"on\"}); end declarations;\n"
    "    initial a := \"off\"; end initial;\n"
    "    rules when y > 0.6 do a := \"on\"; end when; when y < 0.3 do a := \"off\"; end when; end "
    "rules;\n"
    "    output alarm = a; end output;\n"
    "  end body;\n"
    "end Watch;\n"
    "system Rich is\n"
    "  body\n"
    "    components plant : Plant; control : Control; watch : Watch; end components;\n"
    "    connections connect(plant.y, control.y); connect(control.u, plant.u);\n"
    "      connect(plant.y, watch.y); end connections;\n"
    "  end body;\n"
    "end Rich;\n";

static const char pendulum[] =
    HSML_MODEL("state(th, real); state(w, real); flag(wall);", "th := 1.0; w := 0.0;",
               "th' = w; w' = -sin(th); wall = th + 0.5;",
               "event(wall) negative-going w := -0.9*w; end negative-going; end event;");

static const char *const models[] = {rich, pendulum};

/* ---- memory ---- */

TEST(stepping_takes_no_memory) {
  for (size_t k = 0; k < COUNT(models); k++)
    for (int native = 0; native < 2; native++) {
      counting state = {0};
      brink_allocator allocator = counting_allocator(&state);
      hsml_wishes wishes = hsml_default(1e-9);
      wishes.allocator = &allocator;
      wishes.native = native == 1;
      hsml_run *run = hsml_open(models[k], &wishes);
      CHECK_INT(run->status, BRINK_OK);
      long calls = state.calls, bytes = state.bytes;
      hsml_go(run, 10.0);
      CHECK_MSG(run->status == BRINK_TIME_REACHED, "%s", run->diag.message);
      CHECK(run->nevents > 1 && run->nsteps > 10);
      double times[] = {10.5, 11.0, 11.5}, out[3 * HSML_STATES], x[HSML_STATES];
      CHECK_INT(brink_sim_sample(run->sim, times, 3, out, NULL, &run->diag), BRINK_TIME_REACHED);
      memcpy(x, brink_sim_state(run->sim), run->system->nx * sizeof *x);
      CHECK_INT(brink_sim_set_state(run->sim, x, &run->diag), BRINK_OK);
      CHECK(brink_sim_next_event(run->sim, 20.0, &run->diag) >= 0);
      CHECK_INT(brink_sim_reset(run->sim, &run->diag), BRINK_OK);
      CHECK(brink_sim_advance(run->sim, 1.0, &run->diag) >= 0);
      CHECK_MSG(state.calls == calls && state.bytes == bytes, "%ld allocations on the way",
                state.calls - calls);
      hsml_close(run);
      CHECK_INT(state.live, 0);
      CHECK_INT(state.mismatch, 0);
    }
}

/* Creates with the n-th allocation failing, for n = 1, 2, … until it succeeds. */
static void fail_sim(const brink_model *model, bool fail_on) {
  brink_options options = hsml_default(1e-9).options;
  for (long n = 1; n < 10000; n++) {
    counting state = {.fail_at = n, .fail_on = fail_on};
    brink_allocator allocator = counting_allocator(&state);
    brink_sim *sim = (brink_sim *)&state; /* must be overwritten */
    brink_status status = brink_sim_create(model, &options, &allocator, NULL, &sim);
    if (status == BRINK_OK) {
      CHECK(n > 1 && state.calls < n);
      brink_sim_destroy(sim);
      CHECK_MSG(state.live == 0 && state.mismatch == 0, "%ld blocks left", state.live);
      return;
    }
    CHECK_INT(status, BRINK_ERR_MEMORY);
    CHECK(sim == NULL);
    CHECK_MSG(state.live == 0 && state.bytes == 0 && state.mismatch == 0,
              "allocation %ld: %ld blocks left", n, state.live);
  }
  CHECK_MSG(false, "brink_sim_create never succeeded");
}

TEST(a_taylor_sim_survives_the_failure_of_any_allocation) {
  for (size_t k = 0; k < COUNT(models); k++) {
    hsml_wishes wishes = hsml_default(1e-9);
    hsml_run *run = hsml_open(models[k], &wishes);
    fail_sim(brink_instance_model(run->instance), false);
    fail_sim(brink_instance_model(run->instance), true);
    hsml_close(run);
  }
}

static void fail_instance(brink_system *system, const brink_instance_options *how, bool fail_on) {
  for (long n = 1; n < 100000; n++) {
    counting state = {.fail_at = n, .fail_on = fail_on};
    brink_allocator allocator = counting_allocator(&state);
    brink_instance *instance = (brink_instance *)&state;
    brink_diag diag;
    brink_status status = brink_instance_create(system, how, &allocator, &diag, &instance);
    if (status == BRINK_OK) {
      CHECK(n > 1 && state.calls < n);
      CHECK(brink_instance_model(instance)->def.flow_jet != NULL);
      brink_instance_destroy(instance);
      CHECK_MSG(state.live == 0 && state.mismatch == 0, "%ld blocks left", state.live);
      return;
    }
    CHECK_INT(status, BRINK_ERR_MEMORY);
    CHECK(instance == NULL);
    CHECK_MSG(state.live == 0 && state.bytes == 0 && state.mismatch == 0,
              "allocation %ld: %ld blocks left", n, state.live);
  }
  CHECK_MSG(false, "brink_instance_create never succeeded");
}

TEST(an_instance_with_series_survives_the_failure_of_any_allocation) {
  for (size_t k = 0; k < COUNT(models); k++)
    for (int native = 0; native < 2; native++) {
      hsml_wishes wishes = hsml_default(1e-9);
      wishes.native = native == 1;
      brink_unit *unit;
      brink_system *system = hsml_flatten(models[k], NULL, &unit);
      brink_instance_options how = hsml_instance_options(&wishes);
      fail_instance(system, &how, false);
      fail_instance(system, &how, true);
      brink_system_destroy(system);
      brink_unit_destroy(unit);
    }
}

/* ---- beginning anew ---- */

static uint64_t hash_of_a_run(hsml_run *run, double end) {
  hsml_forget(run);
  hsml_go(run, end);
  CHECK_MSG(run->status == BRINK_TIME_REACHED, "%s", run->diag.message);
  return run->hash;
}

/* Reset from the end, from an event, from the middle of a step, from a slide. */
TEST(a_reset_sim_does_the_same_to_the_last_bit) {
  static const double stops[] = {10.0, 1.0, 3.3, 4.02, 4.1};
  for (size_t k = 0; k < COUNT(models); k++)
    for (int native = 0; native < 2; native++) {
      hsml_wishes wishes = hsml_default(1e-9);
      wishes.native = native == 1;
      hsml_run *run = hsml_open(models[k], &wishes);
      uint64_t first = hash_of_a_run(run, 10.0);
      size_t events = run->nevents;
      CHECK(events > 1);
      for (size_t j = 0; j < COUNT(stops); j++) {
        CHECK_INT(brink_sim_reset(run->sim, &run->diag), BRINK_OK);
        CHECK(brink_sim_time(run->sim) == 0.0);
        CHECK_INT(hsml_stats(run)->steps, 0);
        hsml_go(run, stops[j]);
        if (j == 1) CHECK(brink_sim_next_event(run->sim, 10.0, &run->diag) >= 0);
        CHECK_INT(brink_sim_reset(run->sim, &run->diag), BRINK_OK);
        uint64_t again = hash_of_a_run(run, 10.0);
        CHECK_MSG(again == first && run->nevents == events,
                  "model %zu, reset at %g: another run (%zu events, %zu before)", k, stops[j],
                  run->nevents, events);
      }
      hsml_run *other = hsml_open(models[k], &wishes);
      CHECK(hash_of_a_run(other, 10.0) == first);
      hsml_close(other);
      hsml_close(run);
    }
}

/* Steps at a singular edge are short: what comes after a reset does not begin with them. */
TEST(a_sim_that_was_reset_at_a_singular_edge_does_the_same) {
  static const char edge[] = HSML_MODEL(
      "state(a, real); state(b, real); flag(stretched, unilateral);", "a := 0.18; b := 2.2653;",
      "a' = (0.3*cos(a + b) + 0.15*sin(a + b))/sin(b);"
      "b' = -(0.3*(cos(a) + 0.5*cos(a + b)) + 0.15*(sin(a) + 0.5*sin(a + b)))"
      "/(0.5*sin(b)); stretched = b;",
      "event(stretched) negative-going stop(\"edge\"); end negative-going; end event;");
  static const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
  for (size_t k = 0; k < COUNT(tolerances); k++) {
    hsml_wishes wishes = hsml_default(tolerances[k]);
    hsml_run *run = hsml_open(edge, &wishes);
    hsml_go(run, 10.0);
    uint64_t first = run->hash;
    CHECK_INT(run->status, BRINK_STOPPED);
    CHECK_INT(brink_sim_reset(run->sim, &run->diag), BRINK_OK);
    hsml_forget(run);
    hsml_go(run, 10.0);
    CHECK_MSG(run->hash == first, "another run at %g", tolerances[k]);
    hsml_close(run);
  }
}

/* Where a run is interrupted does not matter where no step is cut: at the events. */
TEST(a_run_from_event_to_event_has_the_events_of_a_run_in_one) {
  hsml_wishes wishes = hsml_default(1e-9);
  hsml_run *one = hsml_open(pendulum, &wishes), *many = hsml_open(pendulum, &wishes);
  hsml_go(one, 30.0);
  brink_status status = BRINK_OK;
  for (int k = 0; k < 1000 && status >= 0 && status != BRINK_TIME_REACHED; k++)
    status = brink_sim_next_event(many->sim, 30.0, &many->diag);
  CHECK_INT(status, BRINK_TIME_REACHED);
  CHECK(one->nevents == many->nevents && one->nevents > 5);
  CHECK(one->hash == many->hash);
  hsml_close(one);
  hsml_close(many);
}

/* ---- auto ---- */

static hsml_run *open_auto(const char *text, bool no_series) {
  hsml_wishes wishes = hsml_default(1e-6);
  wishes.options.method = BRINK_AUTO;
  wishes.no_series = no_series;
  return hsml_open(text, &wishes);
}

static void check_choice(hsml_run *run, brink_method method, const char *reason) {
  CHECK_INT(run->status, BRINK_OK);
  const brink_stats *stats = hsml_stats(run);
  CHECK_MSG(stats->method == method, "%s, because %s", brink_method_name(stats->method),
            stats->reason != NULL ? stats->reason : "(no reason)");
  CHECK(stats->reason != NULL);
  if (stats->reason != NULL) CHECK_CONTAINS(stats->reason, reason);
  hsml_go(run, 5.0);
  CHECK_MSG(run->status == BRINK_TIME_REACHED, "%s", run->diag.message);
  CHECK_INT(hsml_stats(run)->method, method); /* sliding or not */
  hsml_close(run);
}

TEST(auto_takes_taylor_where_the_model_has_series_and_says_why) {
  static const char stateless[] =
      HSML_MODEL("flag(ring);", "", "ring = time - 1.0;",
                 "event(ring) positive-going note(\"ring\"); end positive-going; end event;");
  static const char slides[] = HSML_MODEL("state(y, real); flag(side);", "y := 1.0;",
                                          "y' = -sgn(side) + 1.5*sin(time); side = y;", "");
  check_choice(open_auto(pendulum, false), BRINK_TAYLOR, "gives the Taylor series");
  check_choice(open_auto(rich, false), BRINK_TAYLOR, "gives the Taylor series");
  check_choice(open_auto(slides, false), BRINK_TAYLOR, "gives the Taylor series");
  check_choice(open_auto(pendulum, true), BRINK_ADAMS, "no Taylor series");
  check_choice(open_auto(stateless, false), BRINK_ADAMS, "no states");
}

static int decay(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -x[0];
  return 0;
}

static int decay_series(int order, double t, double unit, const double *x, const brink_env *env,
                        double *const *xj) {
  (void)t, (void)x, (void)env;
  for (int k = 0; k < order; k++) xj[0][k + 1] = -unit * xj[0][k] / (k + 1);
  return 0;
}

/* A model from C says what its series cost; taylor may still be asked for. */
TEST(auto_leaves_series_alone_that_cost_too_much) {
  static const double x0[] = {1.0};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = decay, def.flow_jet = decay_series;
  for (int k = 0; k < 3; k++) {
    def.flow_work = k == 0 ? 1.0 : 2.0 * BRINK_SERIES_WORTH;
    brink_model *model = NULL;
    brink_sim *sim = NULL;
    brink_options options = brink_default_options();
    if (k == 2) options.method = BRINK_TAYLOR;
    CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
    CHECK_INT(brink_sim_create(model, &options, NULL, NULL, &sim), BRINK_OK);
    const brink_stats *stats = brink_sim_stats(sim);
    CHECK_INT(stats->method, k == 1 ? BRINK_ADAMS : BRINK_TAYLOR);
    if (k == 1) CHECK_CONTAINS(stats->reason, "cost more than they save");
    CHECK_INT(brink_sim_run(sim, 1.0, NULL), BRINK_TIME_REACHED);
    CHECK_NEAR(brink_sim_state(sim)[0], 0.36787944117144233, 1e-5);
    brink_sim_destroy(sim);
    brink_model_destroy(model);
  }
}

/* Cars that follow each other (Treiber's intelligent-driver model), with bounded accelerations or without. */
static const char *cars(int count, bool bounded) {
  static char text[2048];
  snprintf(text, sizeof text,
           "ctc Cars is body\n"
           "  declarations state(x[%d], real); state(v[%d], real); end declarations;\n"
           "  initial for i in 1..%d loop x[i] := 0.5*sin(1.0*i) - 10.0*i; v[i] := 2.5; end loop;\n"
           "  end initial;\n"
           "  dynamics\n"
           "    x[1]' = v[1];\n"
           "    v[1]' = 0.2*cos(time);\n"
           "    for i in 2..%d loop\n"
           "      x[i]' = v[i];\n"
           "      v[i]' = %s1.0 - (v[i]/10.0)^4 - ((2.0 + 1.5*v[i] + v[i]*(v[i] - v[i-1])/2.8)/"
           "(x[i-1] - x[i] - 3.0))^2%s;\n"
           "    end loop;\n"
           "  end dynamics;\n"
           "end body; end Cars;\n",
           count, count, count, count, bounded ? "max(-1.0, min(0.5, " : "", bounded ? "))" : "");
  return text;
}

/* What a run to t = 20 costs, in multiplications: those of the right-hand sides, those of the series (p^2/2 for each
 * product, p being the order), and those of guards. A guard has the products of the equation that it bounds, and
 * the polynomials of the four states that it reads are followed to where it is looked at. */
static double multiplications(const char *text, brink_method method) {
  hsml_wishes wishes = hsml_default(1e-6);
  wishes.options.method = method;
  hsml_run *run = hsml_open(text, &wishes);
  CHECK_INT(run->status, BRINK_OK);
  hsml_go(run, 20.0);
  CHECK_INT(run->status, BRINK_TIME_REACHED);
  const brink_stats *stats = hsml_stats(run);
  const brink_model_def *def = &brink_instance_model(run->instance)->def;
  double p = brink_series_order(1e-6, 0, def->flow_work), products = def->flow_work;
  double series = method == BRINK_TAYLOR ? (double)stats->steps * products * p * p / 2.0 : 0.0;
  double each = 2.0 * products / (double)def->nx + 4.0 * p;
  double sum = series + (double)stats->rhs * products + (double)stats->guards * each;
  hsml_close(run);
  return sum;
}

static brink_method chosen(const char *text) {
  hsml_wishes wishes = hsml_default(1e-6);
  wishes.options.method = BRINK_AUTO;
  hsml_run *run = hsml_open(text, &wishes);
  CHECK_INT(run->status, BRINK_OK);
  brink_method method = hsml_stats(run)->method;
  hsml_close(run);
  return method;
}

/* Issue 14, item 11: limits make guards that are no polynomials, and those are what a step costs. */
TEST(auto_takes_the_method_that_multiplies_less_for_cars_that_follow_each_other) {
  static const struct {
    int count;
    bool bounded;
    brink_method method, other;
  } cases[] = {{60, true, BRINK_TAYLOR, BRINK_ADAMS},
               {60, false, BRINK_ADAMS, BRINK_TAYLOR},
               {200, true, BRINK_TAYLOR, BRINK_ADAMS},
               {200, false, BRINK_ADAMS, BRINK_TAYLOR}};
  for (size_t k = 0; k < COUNT(cases); k++) {
    const char *text = cars(cases[k].count, cases[k].bounded);
    CHECK_INT(chosen(text), cases[k].method);
    if (cases[k].count > 60) continue;
    double ours = multiplications(text, cases[k].method);
    double others = multiplications(text, cases[k].other);
    CHECK_MSG(ours < others, "%d cars, bounded %d: %g against %g", cases[k].count, cases[k].bounded,
              ours, others);
  }
}

TEST(a_method_that_was_asked_for_has_no_reason) {
  static const brink_method methods[] = {BRINK_TAYLOR, BRINK_ADAMS, BRINK_DOPRI};
  for (size_t k = 0; k < COUNT(methods); k++) {
    hsml_wishes wishes = hsml_default(1e-6);
    wishes.options.method = methods[k];
    hsml_run *run = hsml_open(pendulum, &wishes);
    CHECK_INT(run->status, BRINK_OK);
    CHECK_INT(hsml_stats(run)->method, methods[k]);
    CHECK(hsml_stats(run)->reason == NULL);
    hsml_close(run);
  }
}

TEST(taylor_is_refused_where_the_model_has_no_series) {
  hsml_wishes wishes = hsml_default(1e-6);
  wishes.no_series = true;
  hsml_run *run = hsml_open(pendulum, &wishes);
  CHECK_INT(run->status, BRINK_ERR_ARGUMENT);
  CHECK(run->sim == NULL);
  CHECK_CONTAINS(run->diag.message, "Taylor series");
  hsml_close(run);
}

TEST(a_model_without_states_may_ask_for_taylor) {
  static const char text[] =
      HSML_MODEL("flag(ring);", "", "ring = sin(time) - 0.5;",
                 "event(ring) positive-going note(\"ring\"); end positive-going; end event;");
  hsml_wishes wishes = hsml_default(1e-6);
  hsml_run *run = hsml_open(text, &wishes);
  CHECK_MSG(run->status == BRINK_OK, "%s", run->diag.message);
  hsml_go(run, 10.0);
  CHECK_INT(hsml_count(run, "ring"), 4); /* up and down, twice */
  CHECK_NEAR(hsml_time(run, "ring", 1), 0.52359877559829887307710723, 1e-14);
  hsml_close(run);
}

int main(void) {
  RUN(stepping_takes_no_memory);
  RUN(a_taylor_sim_survives_the_failure_of_any_allocation);
  RUN(an_instance_with_series_survives_the_failure_of_any_allocation);
  RUN(a_reset_sim_does_the_same_to_the_last_bit);
  RUN(a_sim_that_was_reset_at_a_singular_edge_does_the_same);
  RUN(a_run_from_event_to_event_has_the_events_of_a_run_in_one);
  RUN(auto_takes_taylor_where_the_model_has_series_and_says_why);
  RUN(auto_leaves_series_alone_that_cost_too_much);
  RUN(auto_takes_the_method_that_multiplies_less_for_cars_that_follow_each_other);
  RUN(a_method_that_was_asked_for_has_no_reason);
  RUN(taylor_is_refused_where_the_model_has_no_series);
  RUN(a_model_without_states_may_ask_for_taylor);
  return check_done();
}
