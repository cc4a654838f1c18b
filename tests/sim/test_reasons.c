/* Every reason of a failure: provoked here, or by a test that is named, or listed with why nothing provokes it. The
 * reason decides; words are compared by other tests. */
#include "check.h"
#include "support/counting.h"
#include "support/trace.h"

#include <math.h>
#include <string.h>

static const double one[] = {1.0};
static trace run;

/* ---- right-hand sides and guards ---- */

static int falls(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = -1.0;
  return 0;
}

static int grows(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[0];
  return 0;
}

static int refuses(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = 0.0;
  return x[0] < 2.0 ? 1 : 0;
}

static int fails(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 0.0;
  return -1;
}

static int drains(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -sqrt(x[0]);
  return 0;
}

static int undefined_at_one(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = sqrt(x[0] - 2.0);
  return 0;
}

static int explodes(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -1.0 / x[0];
  return 0;
}

static int level(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[0] - 0.5;
  return 0;
}

static int root(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = sqrt(x[0] - 0.25) + 1.0;
  return 0;
}

static int no_number(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)x, (void)env;
  *g = (double)NAN;
  return 0;
}

static int broken(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[0];
  return x[0] < 0.8 ? -1 : 0;
}

/* ---- actions ---- */

static int stops(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  snprintf(now->message, BRINK_DIAG_MESSAGE, "enough");
  return BRINK_STOPPED;
}

static int complains(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  snprintf(now->message, BRINK_DIAG_MESSAGE, "too much");
  return -1;
}

static int gives_up(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)now, (void)user;
  return -7;
}

static int spoils_state(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = (double)INFINITY;
  return 0;
}

static int spoils_parameter(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->p[0] = (double)NAN;
  return 0;
}

static int never_rests(brink_now *now, bool *changed, void *user) {
  (void)user;
  now->p[0] += 1.0;
  *changed = true;
  return 0;
}

static int sets_itself(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)tick, (void)user;
  now->timer[clock] = now->t;
  return 0;
}

/* ---- models: the first argument says which reason is wanted ---- */

static brink_guard_def guard, guards[2];
static brink_clock_def timer_clock;

static brink_model_def falling(brink_rhs_fn *rhs) {
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = one, def.rhs = rhs;
  def.np = 1, def.p0 = one;
  return def;
}

static brink_model_def with_guard(brink_guard_fn *value, brink_action_fn *action) {
  brink_model_def def = falling(falls);
  guard = brink_default_guard("g");
  guard.value = value, guard.action = action;
  def.nguards = 1, def.guards = &guard;
  return def;
}

/* x falls to 0.5 and nothing happens there. */
static brink_model_def with_edge(void) {
  brink_model_def def = falling(falls);
  static const double coefficients[] = {1.0};
  guard = brink_default_guard("edge");
  guard.side = BRINK_UNILATERAL, guard.direction = BRINK_NEGATIVE;
  guard.coefficients = coefficients, guard.offset = -0.5;
  def.nguards = 1, def.guards = &guard;
  return def;
}

typedef struct provocation {
  brink_reason reason;
  brink_rhs_fn *rhs;
  brink_guard_fn *value;
  brink_action_fn *action;
  brink_rules_fn *rules;
  bool timer, edge;
  double t_end;
} provocation;

static const provocation provoked[] = {
    {.reason = BRINK_REASON_TIME_NOT_FINITE, .rhs = falls, .t_end = (double)INFINITY},
    {.reason = BRINK_REASON_TIME_BACKWARDS, .rhs = falls, .t_end = -1.0},
    {.reason = BRINK_REASON_STOP_TEXT, .value = level, .action = stops},
    {.reason = BRINK_REASON_ACTION_TEXT, .value = level, .action = complains},
    {.reason = BRINK_REASON_ACTION_FAILED, .value = level, .action = gives_up},
    {.reason = BRINK_REASON_ACTION_STATE, .value = level, .action = spoils_state},
    {.reason = BRINK_REASON_ACTION_PARAMETER, .value = level, .action = spoils_parameter},
    {.reason = BRINK_REASON_RHS_FAILED, .rhs = fails},
    {.reason = BRINK_REASON_GUARD_FAILED, .value = broken},
    {.reason = BRINK_REASON_RHS_REFUSED, .rhs = refuses},
    {.reason = BRINK_REASON_RHS_NOT_FINITE, .rhs = undefined_at_one},
    {.reason = BRINK_REASON_GUARD_UNDEFINED, .value = no_number},
    {.reason = BRINK_REASON_GUARD_ENDS, .value = root},
    {.reason = BRINK_REASON_STEP_UNDEFINED, .rhs = drains, .t_end = 30.0},
    {.reason = BRINK_REASON_STEP_SINGULAR, .rhs = explodes},
    {.reason = BRINK_REASON_BLOCKED, .edge = true},
    {.reason = BRINK_REASON_RULES_LOOP, .rhs = falls, .rules = never_rests},
    {.reason = BRINK_REASON_TIMER_LOOP, .rhs = falls, .timer = true},
};

static brink_status provoke(const provocation *p) {
  brink_model_def def = p->edge            ? with_edge()
                        : p->value != NULL ? with_guard(p->value, p->action)
                                           : falling(p->rhs);
  brink_options options = brink_default_options();
  options.max_steps = 10000;
  def.rules = p->rules;
  if (p->timer) {
    timer_clock = (brink_clock_def){
        .size = sizeof(brink_clock_def), .name = "again", .offset = 0.5, .tick = sets_itself};
    def.nclocks = 1, def.clocks = &timer_clock;
  }
  return trace_run(&def, &options, p->t_end != 0.0 ? p->t_end : 2.0, &run);
}

TEST(a_reason_says_what_failed) {
  for (size_t k = 0; k < sizeof provoked / sizeof provoked[0]; k++) {
    const provocation *p = &provoked[k];
    brink_status status = provoke(p);
    CHECK_MSG(run.diag.reason == p->reason, "%s instead of %s: %s",
              brink_reason_name(run.diag.reason), brink_reason_name(p->reason), run.diag.message);
    CHECK_INT(status, brink_reason_status(p->reason));
    CHECK_INT(run.diag.status, status);
    CHECK(run.diag.message[0] != '\0');
  }
}

TEST(arguments_come_with_the_reason) {
  static const provocation parameter = {
      .reason = BRINK_REASON_ACTION_PARAMETER, .value = level, .action = spoils_parameter};
  provoke(&parameter);
  CHECK_INT(run.diag.guard, 0);
  CHECK_INT(run.diag.parameter, 0);
  CHECK(isnan(run.diag.value));
  CHECK_NEAR(run.diag.t, 0.5, 1e-6);
  CHECK(run.diag.clock == BRINK_NONE && run.diag.state == BRINK_NONE);
  static const provocation failed = {
      .reason = BRINK_REASON_ACTION_FAILED, .value = level, .action = gives_up};
  provoke(&failed);
  CHECK_INT(run.diag.count, -7);
  static const provocation text = {
      .reason = BRINK_REASON_ACTION_TEXT, .value = level, .action = complains};
  provoke(&text);
  CHECK(strcmp(run.diag.text, "too much") == 0 && strcmp(run.diag.message, "too much") == 0);
  static const provocation timer = {.reason = BRINK_REASON_TIMER_LOOP, .rhs = falls, .timer = true};
  provoke(&timer);
  CHECK_INT(run.diag.clock, 0);
  CHECK(run.diag.guard == BRINK_NONE);
}

/* ---- what needs another setting ---- */

static brink_reason reason_of(const brink_model_def *def, const brink_options *options,
                              double t_end) {
  trace_run(def, options, t_end, &run);
  return run.diag.reason;
}

TEST(refusals_have_reasons) {
  brink_options options = brink_default_options();
  brink_model_def def = falling(NULL);
  CHECK_INT(reason_of(&def, &options, 1.0), BRINK_REASON_DEFINITION);
  def = falling(falls);
  options.rtol = -1.0;
  CHECK_INT(reason_of(&def, &options, 1.0), BRINK_REASON_OPTION);
  brink_diag diag;
  brink_sim_run(NULL, 1.0, &diag);
  CHECK_INT(diag.reason, BRINK_REASON_ARGUMENT);
  counting state = {.fail_at = 1, .fail_on = true};
  brink_allocator allocator = counting_allocator(&state);
  brink_model *model;
  brink_model_create(&def, &allocator, &diag, &model);
  CHECK_INT(diag.reason, BRINK_REASON_MEMORY);
}

TEST(steps_that_collapse_have_reasons) {
  static const double huge[] = {1e300};
  brink_options options = brink_default_options();
  brink_model_def def = falling(grows);
  def.x0 = huge;
  CHECK_INT(reason_of(&def, &options, 100.0), BRINK_REASON_STEP_OVERFLOW);
  def = falling(falls);
  options.max_steps = 1;
  CHECK_INT(reason_of(&def, &options, 1.0), BRINK_REASON_MAX_STEPS);
  CHECK_INT(run.diag.count, 1);
}

/* ---- instants without an end ---- */

/* Each guard's value is the sign of the other; one of them turns it. */
static int contradicts(size_t index, double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)x;
  *g = index == 0 ? -(double)env->sgn[1] : (double)env->sgn[0];
  if (*g == 0.0) *g = 1.0;
  return 0;
}

static int of_parameter(size_t index, double t, const double *x, const brink_env *env, double *g) {
  (void)index, (void)t, (void)x;
  *g = env->p[0];
  return 0;
}

static int turns(brink_now *now, bool *changed, void *user) {
  (void)user, (void)changed;
  now->p[0] = now->sgn[0] > 0 ? -1.0 : 1.0;
  return 0;
}

TEST(instants_without_an_end_have_reasons) {
  brink_options options = brink_default_options();
  brink_model_def def = falling(falls);
  for (int k = 0; k < 2; k++) {
    guards[k] = brink_default_guard(k == 0 ? "a" : "b");
    guards[k].value = contradicts, guards[k].condition = guards[k].reads_signs = true;
  }
  def.nguards = 2, def.guards = guards;
  CHECK_INT(reason_of(&def, &options, 1.0), BRINK_REASON_CONDITIONS_LOOP);
  CHECK_INT(run.diag.count, options.max_iterations);
  def = with_guard(of_parameter, NULL);
  guard.condition = true;
  def.rules = turns;
  CHECK_INT(reason_of(&def, &options, 1.0), BRINK_REASON_SIGNS_LOOP);
  guard.condition = false;
  CHECK_INT(reason_of(&def, &options, 1.0), BRINK_REASON_EVENTS_LOOP);
  CHECK_INT(run.diag.nguards, 1);
  CHECK_INT(run.diag.guards[0], 0);
}

/* ---- guards that contradict themselves ---- */

/* From the ninth time on it is asked, another function: one that is negative. */
static int turns_into_another(size_t guard_index, double t, const double *x, const brink_env *env,
                              double *g) {
  int *asked = env->user;
  (void)guard_index, (void)t;
  *g = ++*asked < 9 ? 1.0 + x[0] : -1.0 - x[0];
  return 0;
}

TEST(an_audit_finds_the_event_that_a_wrong_bound_has_lost) {
  static const double slow[] = {
      1e-3}; /* x - 0.5 is said to change by a thousandth of what it does */
  brink_options options = brink_default_options();
  brink_model_def def = with_guard(level, NULL);
  guard.lipschitz = slow;
  options.audit = true;
  CHECK_INT(reason_of(&def, &options, 2.0), BRINK_REASON_GUARD_CONTRADICTS);
  CHECK_INT(run.diag.status, BRINK_ERR_CALLBACK);
  CHECK_INT(run.diag.guard, 0);
  CHECK_NEAR(run.diag.value, 0.5 - run.diag.t, 1e-6); /* x = 1 - t */
  static const double right[] = {1.0};
  guard.lipschitz = right;
  CHECK_INT(reason_of(&def, &options, 2.0), BRINK_REASON_NONE);
}

TEST(a_guard_that_turns_into_another_function_is_no_crash) {
  for (int method = BRINK_ADAMS; method <= BRINK_BDF; method++) {
    int asked = 0;
    brink_options options = brink_default_options();
    brink_model_def def = with_guard(turns_into_another, NULL);
    def.user = &asked;
    options.audit = true;
    options.max_steps = 1000;
    options.method = (brink_method)method;
    brink_status status = trace_run(&def, &options, 2.0, &run);
    CHECK(status == BRINK_TIME_REACHED || run.diag.message[0] != '\0');
  }
}

/* ---- every one of them ---- */

/* Provoked above with other settings, or by the test that is named; or why by none. */
static const struct {
  brink_reason reason;
  const char *where;
} others[] = {
    {BRINK_REASON_NONE, "nothing failed"},
    {BRINK_REASON_ARGUMENT, "refusals_have_reasons"},
    {BRINK_REASON_DEFINITION, "refusals_have_reasons"},
    {BRINK_REASON_OPTION, "refusals_have_reasons"},
    {BRINK_REASON_MEMORY, "refusals_have_reasons"},
    {BRINK_REASON_UNSUPPORTED,
     "tests/agents/test_agents_properties.c: a method without polynomials"},
    {BRINK_REASON_STEP_TOLERANCE, "an error counts by the larger value at both ends of the step: "
                                  "takes a state that is 0 at both"},
    {BRINK_REASON_STEP_RESOLUTION, "tests/sim/test_resolution.c"},
    {BRINK_REASON_GUARD_CONTRADICTS, "an_audit_finds_the_event_that_a_wrong_bound_has_lost"},
    {BRINK_REASON_STEP_OVERFLOW, "steps_that_collapse_have_reasons"},
    {BRINK_REASON_MAX_STEPS, "steps_that_collapse_have_reasons"},
    {BRINK_REASON_CONDITIONS_LOOP, "instants_without_an_end_have_reasons"},
    {BRINK_REASON_SIGNS_LOOP, "instants_without_an_end_have_reasons"},
    {BRINK_REASON_EVENTS_LOOP, "instants_without_an_end_have_reasons"},
    {BRINK_REASON_ZENO, "tests/sim/test_hybrid.c: balls that bounce"},
    {BRINK_REASON_ZENO_LIMIT, "tests/sim/test_hybrid.c: asked to go on, and no zeno action"},
    {BRINK_REASON_ZENO_FAILED, "tests/sim/test_hybrid.c: a zeno action that fails"},
    {BRINK_REASON_TANGLED, "tests/sim/test_sliding.c: two surfaces, no unique field"},
    {BRINK_REASON_LAW_LEAVES, "tests/lang/run/on-event-law-that-leaves.hsml"},
    {BRINK_REASON_PAIR_BLOCKED, "tests/agents/test_agents_contacts.c: nothing leads away"},
    {BRINK_REASON_ZENO_AGENT, "tests/agents/test_agents_contacts.c: contacts that collapse"},
    {BRINK_REASON_MAX_TURNS, "tests/agents/test_agents_properties.c: a few turns at a time"},
    {BRINK_REASON_PAST_GUARD, "a state past a unilateral guard gives it its other sign at the next "
                              "instant: a net for callbacks that change it in between"},
    {BRINK_REASON_SIDE_UNDEFINED, "the domain check holds the state before such a place: a net"},
    {BRINK_REASON_START_VALUE, "of a flat system: parameters of its first outputs are checked "
                               "where they are computed, before this one"},
    {BRINK_REASON_STUCK, "every instant ends in a step, an event or another reason: a net"},
    {BRINK_REASON_STUCK_TIMER, "BRINK_REASON_TIMER_LOOP comes before it: a net"},
    {BRINK_REASON_STUCK_GUARD, "BRINK_REASON_EVENTS_LOOP comes before it: a net"},
    {BRINK_REASON_STUCK_AGENT, "the reasons of its simulation come before it: a net"},
    {BRINK_REASON_STUCK_PAIR, "takes a thousand events of one pair at one instant: a net"},
    {BRINK_REASON_ZENO_PAIR, "BRINK_REASON_ZENO_AGENT comes before it, unless other events of "
                             "both agents hide the pattern"},
    {BRINK_REASON_STRUCTURE,
     "structures that cannot be solved for are found before the run, unless "
     "there are more of them than are listed"},
    {BRINK_REASON_DEPENDENT, "tests/sim/test_constraints.c"},
    {BRINK_REASON_CONTRADICTED, "tests/sim/test_constraints.c"},
    {BRINK_REASON_UNSOLVED, "tests/sim/test_constraints.c"},
    {BRINK_REASON_NO_IMPULSE, "tests/sim/test_constraints.c"},
    {BRINK_REASON_ASSIGNED, "tests/sim/test_constraints.c"},
    {BRINK_REASON_IMPULSE, "tests/sim/test_constraints.c"},
    {BRINK_REASON_OUT_OF_RANGE, "tests/sim/test_constraints.c"},
    {BRINK_REASON_CONSTRAINT_UNDEFINED, "tests/sim/test_constraints.c"},
    {BRINK_REASON_STRUCTURES_LOOP, "tests/sim/test_constraints.c"},
    {BRINK_REASON_DELAY_RANGE, "tests/lang/run/delay-too-long.hsml, delay-vanishes.hsml"},
    {BRINK_REASON_DELAY_HISTORY, "tests/lang/run/delay-of-itself.hsml"},
    {BRINK_REASON_DELAY_VALUE, "tests/lang/run/delay-of-no-value.hsml"},
    {BRINK_REASON_DELAY_MEMORY, "tests/sim/test_delay.c: memory that ends"},
    {BRINK_REASON_TIMER_PAST, "tests/sim/test_timers.c: a time that is past"},
    {BRINK_REASON_INPUT_FAILED, "tests/run/test_input_functions.c"},
    {BRINK_REASON_INPUT_UNDEFINED, "tests/run/test_input_functions.c"},
    {BRINK_REASON_MAX_SLIDES, "takes an agent on more than four surfaces at once"},
};

TEST(every_reason_is_provoked_or_explained) {
#define COUNT_REASON(name, slug, status) +1
  enum { REASONS = 0 BRINK_REASON_LIST(COUNT_REASON) };
  int times[REASONS] = {0};
  for (size_t k = 0; k < sizeof provoked / sizeof provoked[0]; k++) times[provoked[k].reason]++;
  for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
    times[others[k].reason]++;
    CHECK(others[k].where[0] != '\0');
  }
  for (int k = 0; k < REASONS; k++)
    CHECK_MSG(times[k] == 1, "%s: in the tables %d times", brink_reason_name((brink_reason)k),
              times[k]);
}

TEST(slugs_are_different_and_plain) {
#define SLUG(name, slug, status) slug,
  static const char *const slugs[] = {BRINK_REASON_LIST(SLUG)};
  for (size_t k = 0; k < sizeof slugs / sizeof slugs[0]; k++) {
    CHECK_INT(strspn(slugs[k], "abcdefghijklmnopqrstuvwxyz-"), strlen(slugs[k]));
    for (size_t j = 0; j < k; j++) CHECK(strcmp(slugs[j], slugs[k]) != 0);
  }
}

int main(void) {
  RUN(a_reason_says_what_failed);
  RUN(arguments_come_with_the_reason);
  RUN(refusals_have_reasons);
  RUN(steps_that_collapse_have_reasons);
  RUN(instants_without_an_end_have_reasons);
  RUN(an_audit_finds_the_event_that_a_wrong_bound_has_lost);
  RUN(a_guard_that_turns_into_another_function_is_no_crash);
  RUN(every_reason_is_provoked_or_explained);
  RUN(slugs_are_different_and_plain);
  return check_done();
}
