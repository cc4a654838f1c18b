/* oracle_sensitivity.c: derivatives of runs, against differences of runs in 40 digits.
 *
 * The models of sensitivity_cases.h are run by exact_run.h, in which there is nothing of the library, with every
 * initial state and every knob a little larger and a little smaller. The differences of the times of all events,
 * of the states behind them and of the state at the end have at least 12 digits, which is checked with another step.
 * The library's sensitivities (<brink/sensitivity.h>) must agree with them to one part in a million: at rtol 1e-10, with
 * Taylor series and with Adams methods.
 *
 * The arguments, if given, are parts of names of cases: only these are run. */
#include "check.h"
#include "lang/knobs.h"
#include "sensitivity_cases.h"
#include "support/hsml_run.h"
#include <brink/sensitivity.h>

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

/* ------------------------------------------------------------------- the library's derivatives ---- */

/* One event as the library tells it: derivatives of its time, and of the state behind it. */
typedef struct told_event {
  double t[DIRECTIONS], x[EXACT_STATES][DIRECTIONS];
  unsigned limits;
} told_event;

/* A run of the library with sensitivities. Column d belongs to direction d of the oracle, and place[i] is where the
 * library keeps state i of the oracle: among the states, or, where it is held between samples, the parameters. */
typedef struct told {
  const oracle *o;
  hsml_run *run;
  size_t count, place[EXACT_STATES];
  bool held[EXACT_STATES];
  told_event events[EXACT_EVENTS];
  size_t nevents;
  double *x, *p; /* directions at the start */
  double worst;  /* error that was met, relative */
} told;

/* The slot of a state or a parameter; false: there is none of this name. */
static bool find_slot(const brink_system *system, brink_space space, const char *name,
                      size_t *slot) {
  for (uint32_t v = 0; v < system->nvariables; v++) {
    const brink_variable *variable = &system->variables[v];
    size_t elements = system->groups[variable->group].count * variable->length;
    for (size_t k = 0; variable->space == space && k < elements; k++) {
      brink_text text = {0};
      brink_system_variable_name(system, v, k, &text);
      bool same = text.data != NULL && strcmp(text.data, name) == 0;
      brink_text_free(&text);
      *slot = variable->base + k;
      if (same) return true;
    }
  }
  return false;
}

static void place_states(told *w) {
  const exact_machine *m = w->o->machine;
  for (int i = 0; i < m->states; i++) {
    size_t *slot = &w->place[i];
    w->held[i] = !find_slot(w->run->system, BRINK_SPACE_X, m->state[i], slot);
    if (w->held[i] && !find_slot(w->run->system, BRINK_SPACE_P, m->state[i], slot)) {
      CHECK_SAY("%s: the library has no %s", w->o->about->name, m->state[i]);
      *slot = 0;
    }
    double *start = w->held[i] ? w->p : w->x;
    start[*slot * w->count + (size_t)i] = 1.0;
  }
}

/* What a knob makes of the initial states and of the parameters, as the library knows. */
static void place_knobs(told *w) {
  const exact_machine *m = w->o->machine;
  const brink_flatten_options options = {.seed = 1};
  brink_knobs knobs;
  CHECK_INT(brink_knobs_find(w->run->unit, &options, w->run->system, 0, NULL, &knobs), BRINK_OK);
  for (int j = 0; j < m->knobs; j++) {
    size_t k = 0, column = (size_t)(m->states + j);
    while (k < knobs.count && strcmp(knobs.knobs[k].name, m->knob[j]) != 0) k++;
    if (k == knobs.count || knobs.knobs[k].x == NULL) {
      CHECK_SAY("%s: the library does not turn %s", w->o->about->name, m->knob[j]);
      continue;
    }
    brink_direction_fill(w->x, w->run->system->nx, w->count, column, knobs.knobs[k].x);
    brink_direction_fill(w->p, w->run->system->np, w->count, column, knobs.knobs[k].p);
  }
  brink_knobs_free(&knobs);
}

/* The state behind the event, as the event moves: the library tells it at a fixed time. */
static void keep_event(const brink_sensitivity_event *event, void *user) {
  told *w = user;
  if (w->nevents == EXACT_EVENTS) return;
  told_event *kept = &w->events[w->nevents++];
  kept->limits = event->limits;
  for (size_t d = 0; d < w->count; d++) {
    kept->t[d] = event->time[d];
    for (int i = 0; i < w->o->machine->states; i++) {
      if (w->held[i]) continue;
      kept->x[i][d] =
          event->after[w->place[i] * w->count + d] + event->f_after[w->place[i]] * event->time[d];
    }
  }
}

/* The largest derivative of a row of them, or what is small for all models: one that is 0 is compared with it. */
static double largest(const exact_slopes *slopes, int event, int states) {
  double size = event < slopes->count ? fmax(fabs(slopes->t[event]), 1e-3) : 1e-3;
  for (int i = 0; i < states; i++) size = fmax(size, fabs(slopes->x[event][i]));
  return size;
}

static void compare(told *w, const char *what, const char *where, int direction, double found,
                    double expected, double size) {
  double error = fabs(found - expected), unit = fabs(expected) + 1e-3 * size;
  CHECK_MSG(error <= 1e-6 * unit, "%s: d %s %s / d %s = %.12g, not %.12g (off by %.2g)",
            w->o->about->name, what, where, direction_name(w->o, direction), found, expected,
            error);
  if (error > 0.0) w->worst = fmax(w->worst, error / unit);
}

/* Derivatives of the nth event of the library, `event` of the oracle. */
static void compare_event(told *w, size_t nth, int event) {
  const oracle *o = w->o;
  const told_event *found = &w->events[nth];
  char where[64];
  snprintf(where, sizeof where, "at %s %zu", o->run->name[event], nth);
  CHECK_MSG(found->limits == 0, "%s: %s: limits %u", o->about->name, where, found->limits);
  for (int d = 0; d < directions(o); d++) {
    const exact_slopes *slopes = &o->slopes[d];
    double size = largest(slopes, event, o->machine->states);
    compare(w, "t", where, d, found->t[d], slopes->t[event], size);
    for (int i = 0; i < o->machine->states; i++)
      if (!w->held[i])
        compare(w, o->machine->state[i], where, d, found->x[i][d], slopes->x[event][i], size);
  }
}

static void compare_end(told *w, const brink_sensitivity *end) {
  const exact_machine *m = w->o->machine;
  int last = w->o->run->count;
  for (int i = 0; i < m->states; i++) {
    const double *row =
        w->held[i] ? brink_sensitivity_parameters(end) : brink_sensitivity_state(end);
    row += w->place[i] * w->count;
    for (int d = 0; d < directions(w->o); d++)
      compare(w, m->state[i], "at the end", d, row[d], w->o->slopes[d].x[last][i],
              largest(&w->o->slopes[d], last, m->states));
  }
}

static void compare_run(const oracle *o, const hsml_wishes *wishes) {
  told w = {.o = o, .run = hsml_open(o->about->hsml, wishes), .count = (size_t)directions(o)};
  brink_sensitivity_def def = brink_default_sensitivity();
  brink_sensitivity *sensitivity = NULL;
  w.x = calloc(w.run->system->nx * w.count, sizeof *w.x);
  w.p = calloc(w.run->system->np * w.count, sizeof *w.p);
  if (w.x == NULL || w.p == NULL) abort();
  place_states(&w);
  place_knobs(&w);
  def.count = w.count, def.x = w.x, def.p = w.p;
  def.event = keep_event, def.user = &w;
  CHECK_INT(brink_sensitivity_create(w.run->sim, &def, NULL, &w.run->diag, &sensitivity), BRINK_OK);
  hsml_go(w.run, strtod(o->about->exact.until, NULL));
  check_events(o, w.run);
  CHECK_INT(w.nevents, w.run->nevents);
  int event = shared_event(o, 0);
  for (size_t k = 0; k < w.nevents && event < o->run->count; k++) {
    compare_event(&w, k, event);
    event = shared_event(o, event + 1);
  }
  compare_end(&w, sensitivity);
  printf("%-24s %-8s %.1e\n", o->about->name, brink_method_name(wishes->options.method), w.worst);
  brink_sensitivity_destroy(sensitivity);
  hsml_close(w.run);
  free(w.x);
  free(w.p);
}

static void compare_all(brink_method method) {
  hsml_wishes wishes = hsml_default(1e-10);
  wishes.options.method = method;
  for (int k = 0; k < count; k++) compare_run(&oracles[k], &wishes);
}

TEST(sensitivities_along_series_are_differences) {
  compare_all(BRINK_TAYLOR);
}

TEST(sensitivities_along_adams_methods_are_differences) {
  compare_all(BRINK_ADAMS);
}

/* ------------------------------------------------------------------------ where roots end ---- */

/* At the surface the right-hand side ends, and its derivative, or itself, is infinite. No series gets there, but the
 * time is an integral dx/x', and closed forms of its derivatives to the initial state and to k are known. */
typedef struct edge_case {
  const char *name, *hsml;
  double dt[2];
} edge_case;

#define EDGE(start, edge, rate, k)                                                                 \
  CTC("k", STATE("x") PARAMETER("k") "mode(m, {\"on\", \"off\"}); flag(end_of_it, unilateral);",   \
      "x := " start "; m := \"on\";",                                                              \
      "x' = if m = \"on\" then " rate " else 0.0; end_of_it = x - " edge ";",                      \
      FALLS("end_of_it", "m := \"off\";"), "k : " k ";")

static const edge_case edges[] = {
    {"a root, crossed", EDGE("1.0", "0.0", "-k - sqrt(x)", "1.0"), {0.5, -0.38629436111989062}},
    {"a root, touched", EDGE("1.0", "0.0", "-k*sqrt(x)", "0.2"), {5.0, -50.0}},
    {"an infinite slope",
     EDGE("2.0", "1.0", "-k*x^2/sqrt(x^2 - 1.0)", "0.1"),
     {4.3301270189221932, -45.093249314037806}},
};

static void keep_times(const brink_sensitivity_event *event, void *user) {
  memcpy(user, event->time, event->count * sizeof *event->time);
}

static void check_edge(const edge_case *edge, brink_method method, double tolerance) {
  hsml_wishes wishes = hsml_default(1e-10);
  wishes.options.method = method;
  hsml_run *run = hsml_open(edge->hsml, &wishes);
  brink_sensitivity_def def = brink_default_sensitivity();
  brink_sensitivity *sensitivity = NULL;
  double x[2] = {1.0, 0.0}, *p = calloc(2 * run->system->np, sizeof *p);
  double found[2] = {(double)NAN, (double)NAN};
  size_t slot = 0;
  if (p == NULL) abort();
  CHECK(find_slot(run->system, BRINK_SPACE_P, "k", &slot));
  p[2 * slot + 1] = 1.0;
  def.count = 2, def.x = x, def.p = p;
  def.event = keep_times, def.user = found;
  CHECK_INT(brink_sensitivity_create(run->sim, &def, NULL, &run->diag, &sensitivity), BRINK_OK);
  hsml_go(run, 12.0);
  CHECK_INT(run->nevents, 1);
  for (int d = 0; d < 2; d++)
    CHECK_MSG(fabs(found[d] - edge->dt[d]) <= tolerance * fabs(edge->dt[d]),
              "%s, %s: d t / d %s = %.12g, not %.12g", edge->name, brink_method_name(method),
              d == 0 ? "x" : "k", found[d], edge->dt[d]);
  brink_sensitivity_destroy(sensitivity);
  hsml_close(run);
  free(p);
}

/* Adams methods come to an infinite slope in steps that know less of it: 2e-6 there. */
TEST(times_at_the_end_of_a_root_have_their_derivatives) {
  for (size_t k = 0; k < sizeof edges / sizeof edges[0]; k++) {
    check_edge(&edges[k], BRINK_TAYLOR, 1e-6);
    check_edge(&edges[k], BRINK_ADAMS, 1e-5);
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
  RUN(sensitivities_along_series_are_differences);
  RUN(sensitivities_along_adams_methods_are_differences);
  RUN(times_at_the_end_of_a_root_have_their_derivatives);
  for (int k = 0; k < count; k++) forget(&oracles[k]);
  flint_cleanup();
  return check_done();
}
