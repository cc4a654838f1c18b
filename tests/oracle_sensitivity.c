/* oracle_sensitivity.c: derivatives of runs, against differences of runs in 40 digits.
 *
 * The models of sensitivity_cases.h are run by exact_run.h, in which there is nothing of the library, with every
 * initial state and every knob a little larger and a little smaller. The differences of the times of all events,
 * of the states behind them and of the state at the end are good to more than 20 digits.
 *
 * The arguments, if given, are parts of names of cases: only these are run. */
#include "check.h"
#include "sensitivity_cases.h"
#include "support/hsml_run.h"

enum {
  DIRECTIONS = EXACT_STATES + EXACT_KNOBS,
  SHIFT = -50 /* differences over 2^-50 = 9e-16: their error is about its square */
};

/* What is known of a case. */
typedef struct oracle {
  const sensitivity_case *about;
  exact_machine *machine;
  exact_result *run;
  exact_slopes *slopes; /* one for each direction */
} oracle;

static oracle oracles[CASES];
static int count;

static int directions(const oracle *o) {
  return o->machine->states + o->machine->knobs;
}

static const char *direction_name(const oracle *o, int direction) {
  return direction < o->machine->states ? o->machine->state[direction]
                                        : o->machine->knob[direction - o->machine->states];
}

static void ask(const sensitivity_case *about) {
  oracle *o = &oracles[count++];
  *o = (oracle){.about = about, .machine = exact_open(&about->exact), .run = exact_result_open()};
  exact_go(o->machine, 0, 0, 0, o->run);
  o->slopes = calloc((size_t)directions(o), sizeof *o->slopes);
  if (o->slopes == NULL) abort();
}

static void forget(oracle *o) {
  exact_close(o->machine);
  exact_result_close(o->run);
  free(o->slopes);
}

/* -------------------------------------------------------------------- is the oracle right? ---- */

/* Answers are checked to the digits that they have; those with few are exact. */
static double last_digit(const char *number) {
  const char *point = strchr(number, '.');
  size_t places = point != NULL ? strlen(point + 1) : 0;
  return places < 20 ? 1e-38 : pow(10.0, -(double)places);
}

static void check_answer(const oracle *o, const known_answer *answer) {
  arb_t t, wanted;
  arb_init(t), arb_init(wanted);
  arb_set_str(wanted, answer->t, EXACT_PREC);
  arb_set(t, &o->run->t[answer->event]);
  if (answer->since != START) arb_sub(t, t, &o->run->t[answer->since], EXACT_PREC);
  arb_sub(t, t, wanted, EXACT_PREC);
  double error = exact_double(t);
  CHECK_MSG(answer->event < o->run->count && fabs(error) <= last_digit(answer->t),
            "%s: event %d: off by %.3g from %s", o->about->name, answer->event, error, answer->t);
  arb_clear(t), arb_clear(wanted);
}

TEST(exact_runs_have_all_digits_of_the_known_answers) {
  for (int k = 0; k < count; k++)
    for (int j = 0; j < CASE_ANSWERS && oracles[k].about->answers[j].t != NULL; j++)
      check_answer(&oracles[k], &oracles[k].about->answers[j]);
}

/* Differences of differences, relative, where there is anything: one that is 0 is so to 1e-20. */
static void check_alike(const oracle *o, int direction, const char *what, int event, double a,
                        double b) {
  CHECK_MSG(fabs(a - b) <= 1e-12 * fabs(a) + 1e-20,
            "%s: %s of event %d to %s: %.17g or %.17g, with another step", o->about->name, what,
            event, direction_name(o, direction), a, b);
}

TEST(differences_do_not_depend_on_their_step) {
  exact_slopes wide;
  for (int k = 0; k < count; k++) {
    const oracle *o = &oracles[k];
    for (int d = 0; d < directions(o); d++) {
      exact_slopes *slopes = &o->slopes[d];
      bool same = exact_differences(o->machine, d, SHIFT, slopes) &&
                  exact_differences(o->machine, d, SHIFT + 6, &wide) &&
                  slopes->count == o->run->count && wide.count == o->run->count;
      CHECK_MSG(same, "%s: events change with %s", o->about->name, direction_name(o, d));
      for (int e = 0; same && e <= slopes->count; e++) {
        if (e < slopes->count) check_alike(o, d, "the time", e, slopes->t[e], wide.t[e]);
        for (int i = 0; i < o->machine->states; i++)
          check_alike(o, d, o->machine->state[i], e, slopes->x[e][i], wide.x[e][i]);
      }
    }
  }
}

/* ---------------------------------------------------------------------- the library's runs ---- */

/* The next event from `event` on that the library has, too. */
static int shared_event(const oracle *o, int event) {
  while (event < o->run->count && o->run->name[event][0] == '-') event++;
  return event;
}

static void check_events(const oracle *o, const hsml_run *run) {
  int event = shared_event(o, 0);
  for (size_t k = 0; k < run->nevents; k++, event = shared_event(o, event + 1)) {
    CHECK_MSG(event < o->run->count && strcmp(run->events[k].name, o->run->name[event]) == 0,
              "%s: event %zu, %s, is none", o->about->name, k, run->events[k].name);
    if (event >= o->run->count) return;
    double t = exact_double(&o->run->t[event]);
    CHECK_MSG(fabs(run->events[k].t - t) <= 1e-8 * fmax(1.0, t), "%s: %s at %.17g, not at %.17g",
              o->about->name, run->events[k].name, run->events[k].t, t);
  }
  CHECK_MSG(event == o->run->count, "%s: %s at %.17g is missing", o->about->name,
            o->run->name[event], exact_double(&o->run->t[event]));
}

TEST(the_library_runs_the_same_models) {
  hsml_wishes wishes = hsml_default(1e-11);
  for (int k = 0; k < count; k++) {
    const oracle *o = &oracles[k];
    hsml_run *run = hsml_open(o->about->hsml, &wishes);
    hsml_go(run, strtod(o->about->exact.until, NULL));
    CHECK_MSG(run->status >= BRINK_OK, "%s: %s", o->about->name, run->diag.message);
    check_events(o, run);
    hsml_close(run);
  }
}

static bool wanted(const char *name, int argc, char **argv) {
  for (int k = 1; k < argc; k++)
    if (strstr(name, argv[k]) != NULL) return true;
  return argc == 1;
}

int main(int argc, char **argv) {
  for (int k = 0; k < CASES; k++)
    if (wanted(cases[k].name, argc, argv)) ask(&cases[k]);
  RUN(exact_runs_have_all_digits_of_the_known_answers);
  RUN(differences_do_not_depend_on_their_step);
  RUN(the_library_runs_the_same_models);
  for (int k = 0; k < count; k++) forget(&oracles[k]);
  flint_cleanup();
  return check_done();
}
