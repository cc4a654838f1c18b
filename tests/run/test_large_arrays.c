/* test_large_arrays.c: what large arrays cost, in counts: right-hand sides and guards of an event, and generated code. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include <brink/hsml.h>

/* A row of them, each fed by the one before it. */
#define ROW                                                                                        \
  "system Row is\n"                                                                                \
  "  body\n"                                                                                       \
  "    declarations parameter(n, integer); end declarations;\n"                                    \
  "    components tank[n] : Tank; end components;\n"                                               \
  "    connections for i in 2..n loop connect(tank[i-1].outflow, tank[i].inflow); end loop; end "  \
  "connections;\n"                                                                                 \
  "    initial for i in 1..n loop tank[i].h := 0.25 + 0.7*mod(i*0.618, 1.0); end loop; end "       \
  "initial;\n"                                                                                     \
  "    assignments n : 50; end assignments;\n"                                                     \
  "  end body;\n"                                                                                  \
  "end Row;\n"

/* Tanks in a row. Those whose valve is shut stand exactly at their low level: a flag at rest for each. */
static const char *const tanks =
    "ctc Tank is\n"
    "  interface input(inflow, signal); output(outflow, signal); end interface;\n"
    "  body\n"
    "    declarations state(h, real); mode(valve, {\"open\", \"shut\"}); flag(high); flag(low); "
    "end declarations;\n"
    "    initial h := 0.5; valve := \"open\"; end initial;\n"
    "    dynamics h' = inflow - outflow; high = h - 1.0; low = h - 0.2; end dynamics;\n"
    "    output outflow = if valve = \"open\" then 0.3*sqrt(h) else 0.0; end output;\n"
    "    event(high) positive-going valve := \"open\"; end positive-going; end event;\n"
    "    event(low) negative-going valve := \"shut\"; end negative-going; end event;\n"
    "    assignments inflow : 0.1; end assignments;\n"
    "  end body;\n"
    "end Tank;\n" ROW;

/* A tank that is dry passes on what comes in: a chain through all of them. */
static const char *const chain =
    "ctc Tank is\n"
    "  interface input(inflow, signal); output(outflow, signal); end interface;\n"
    "  body\n"
    "    declarations state(h, real); mode(dry, {\"no\", \"yes\"}); variable(loss, real); end "
    "declarations;\n"
    "    initial h := 1.0; dry := \"no\"; end initial;\n"
    "    dynamics h' = inflow - outflow; loss = 0.01*inflow; end dynamics;\n"
    "    output outflow = (if dry = \"no\" then 0.3*sqrt(h) else inflow) - loss; end output;\n"
    "    assignments inflow : 0.1; end assignments;\n"
    "  end body;\n"
    "end Tank;\n" ROW;

typedef struct opened {
  brink_hsml *model;
  brink_run *run;
} opened;

static opened open_run(const char *text, double n, brink_method method) {
  opened made = {NULL, NULL};
  brink_diag diag;
  brink_run_options options = brink_default_run();
  brink_status status = brink_hsml_load_text(text, &diag, &made.model);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  status = brink_hsml_set(made.model, "n", n, &diag);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  options.interpret = true;
  options.sim.method = method;
  status = brink_run_create(made.model, &options, NULL, &diag, &made.run);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return made;
}

static void close_run(opened *made) {
  brink_run_destroy(made->run);
  brink_hsml_destroy(made->model);
}

static brink_stats stats_of(double n, brink_method method) {
  brink_diag diag;
  opened made = open_run(tanks, n, method);
  CHECK(brink_run_to(made.run, 60.0, &diag) == BRINK_TIME_REACHED);
  brink_stats stats = brink_run_information(made.run).stats;
  close_run(&made);
  return stats;
}

/* Events that set none of the flags at rest in motion ask all of them, but with one field. */
TEST(guards_at_rest_cost_no_fields_of_their_own) {
  static const brink_method methods[] = {BRINK_TAYLOR, BRINK_ADAMS};
  for (int k = 0; k < 2; k++) {
    brink_stats few = stats_of(50, methods[k]), many = stats_of(400, methods[k]);
    CHECK_INT(few.events, many.events);
    CHECK_MSG((double)many.rhs < 1.2 * (double)few.rhs, "%lld and %lld right-hand sides",
              (long long)few.rhs, (long long)many.rhs);
    CHECK_MSG((double)many.guards < 1.2 * 8.0 * (double)few.guards, "%lld and %lld guards",
              (long long)few.guards, (long long)many.guards);
  }
}

/* The first tanks do not know how many follow. */
TEST(the_number_of_tanks_changes_no_event_of_the_first) {
  double h[2];
  static const double numbers[] = {50, 400};
  for (int k = 0; k < 2; k++) {
    brink_diag diag;
    opened made = open_run(tanks, numbers[k], BRINK_TAYLOR);
    CHECK(brink_run_to(made.run, 60.0, &diag) == BRINK_TIME_REACHED);
    CHECK(brink_run_get(made.run, "tank[1].h", &h[k], &diag) == BRINK_OK);
    close_run(&made);
  }
  CHECK_NEAR(h[0], h[1], 1e-5);
}

/* A chain with more than one equation a member runs in its order, however long it is: the last tank loses one percent
 * of what passes each tank before it. */
TEST(a_chain_of_several_equations_runs_in_order) {
  static const double numbers[] = {5, 300};
  for (int k = 0; k < 2; k++) {
    brink_diag diag;
    double out = 0.0, expected = 0.1;
    opened made = open_run(chain, numbers[k], BRINK_TAYLOR);
    for (int i = 1; i <= (int)numbers[k]; i++) {
      char name[32];
      snprintf(name, sizeof name, "tank[%d].dry", i);
      CHECK(brink_run_set_text(made.run, name, "yes", &diag) == BRINK_OK);
      expected *= 0.99;
    }
    CHECK(brink_run_to(made.run, 1e-3, &diag) == BRINK_TIME_REACHED);
    char last[32];
    snprintf(last, sizeof last, "tank[%d].outflow", (int)numbers[k]);
    CHECK(brink_run_get(made.run, last, &out, &diag) == BRINK_OK);
    CHECK_NEAR(out, expected, 1e-14);
    close_run(&made);
  }
}

int main(void) {
  RUN(guards_at_rest_cost_no_fields_of_their_own);
  RUN(the_number_of_tanks_changes_no_event_of_the_first);
  RUN(a_chain_of_several_equations_runs_in_order);
  return check_done();
}
