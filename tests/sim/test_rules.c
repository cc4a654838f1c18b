/* Rules read the settled signs of guards: when they run at an instant, what they see there, and what
 * callbacks have to say when they end a run. Times are closed forms. */
#include "check.h"
#include "support/trace.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run;

static const brink_method variable[] = {BRINK_ADAMS, BRINK_DOPRI};
static const brink_events whole_step[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE};
static const size_t first[] = {0};
static const double one[] = {1.0}, minus_one[] = {-1.0};

static brink_options options_for(brink_method method, brink_events events) {
  brink_options options = brink_default_options();
  options.method = method;
  options.events = events;
  options.rtol = 1e-9;
  options.atol = 1e-12;
  return options;
}

static brink_guard_def guard_at(const char *name, const double *slope, double offset) {
  brink_guard_def guard = brink_default_guard(name);
  guard.depends = first, guard.ndepends = 1, guard.coefficients = slope, guard.offset = offset;
  return guard;
}

/* ---- a thermostat by rules ---- */

/* mode 0: heating; modes 1, 2: the conditions held when last looked at. */
enum { TOO_HOT, TOO_COLD, LEAF_HOT, LEAF_COLD };

static int room(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = (env->mode[0] ? 30.0 : 10.0) - x[0];
  return 0;
}

/* when too hot: off; when too cold: on. A rule acts when its condition becomes true. */
static int thermostat(brink_now *now, bool *changed, void *user) {
  int *runs = user;
  ++*runs;
  for (int k = 0; k < 2; k++) {
    bool holds = now->sgn[k] > 0;
    if (holds && !now->mode[1 + k]) {
      now->mode[0] = k;
      *changed = true;
    }
    now->mode[1 + k] = holds;
  }
  return 0;
}

TEST(a_rule_acts_at_the_located_instant_at_which_its_condition_becomes_true) {
  static const double x0[] = {20.0};
  static const int on[] = {1, 0, 0};
  static const int hot[] = {LEAF_HOT}, cold[] = {LEAF_COLD};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      brink_guard_def guards[4] = {brink_default_guard("too hot"), brink_default_guard("too cold"),
                                   guard_at("T - 21", one, -21.0),
                                   guard_at("19 - T", minus_one, 19.0)};
      guards[TOO_HOT].formula = hot, guards[TOO_HOT].formula_length = 1;
      guards[TOO_COLD].formula = cold, guards[TOO_COLD].formula_length = 1;
      guards[LEAF_HOT].side = guards[LEAF_COLD].side = BRINK_LEAF;
      int runs = 0;
      brink_model_def def = brink_default_model();
      def.nx = 1, def.x0 = x0, def.rhs = room, def.nmodes = 3, def.mode0 = on;
      def.nguards = 4, def.guards = guards, def.rules = thermostat, def.user = &runs;
      brink_options options = options_for(variable[m], whole_step[e]);
      double half = log(11.0 / 9.0), t = log(10.0 / 9.0);
      trace_run(&def, &options, t + 6.5 * half, &run);
      CHECK_INT(run.status, BRINK_TIME_REACHED);
      CHECK_INT(run.nevents, 7); /* one for each switch, none for what it switches back */
      for (size_t k = 0; k < run.nevents && k < 7; k++, t += half) {
        CHECK_NEAR(run.events[k].event.t, t, 1e-8);
        CHECK_INT(run.events[k].event.guard, k % 2 == 0 ? TOO_HOT : TOO_COLD);
        CHECK_INT(run.events[k].event.direction, BRINK_POSITIVE);
      }
      CHECK_INT(run.mode[0], 0);
      CHECK_INT(run.mode[1], 0); /* below 21 again: the rules were told */
      CHECK_MSG(runs < 40, "%d runs of the rules", runs);
    }
}

/* ---- order, and what is seen at an instant ---- */

static char story[200];

static void tell(const char *what, int sign) {
  size_t used = strlen(story);
  snprintf(story + used, sizeof story - used, "%s%+d ", what, sign);
}

static int moving(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0;
  return 0;
}
static int tell_event(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  tell("event", now->sgn[event->guard]);
  return 0;
}
static int tell_tick(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  tell("tick", now->sgn[0]);
  return 0;
}
static int tell_rules(brink_now *now, bool *changed, void *user) {
  (void)changed, (void)user;
  tell("rules", now->sgn[0]);
  return 0;
}

TEST(events_come_first_then_clocks_then_rules_which_see_the_new_sign) {
  static const double x0[] = {-1.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      brink_guard_def guard = guard_at("x", one, 0.0);
      guard.action = tell_event;
      brink_clock_def clock = {.size = sizeof(brink_clock_def),
                               .name = "clock",
                               .period = 5.0,
                               .offset = 1.0,
                               .tick = tell_tick};
      brink_model_def def = brink_default_model();
      def.nx = 1, def.x0 = x0, def.rhs = moving, def.nguards = 1, def.guards = &guard;
      def.nclocks = 1, def.clocks = &clock, def.rules = tell_rules;
      brink_options options = options_for(variable[m], whole_step[e]);
      story[0] = '\0';
      trace_run(&def, &options, 2.0, &run);
      CHECK_INT(run.status, BRINK_TIME_REACHED);
      CHECK_MSG(strcmp(story, "rules-1 event-1 tick-1 rules+1 ") == 0 ||
                    /* rounding may part the event from the clock */
                    strcmp(story, "rules-1 event-1 rules+1 tick+1 rules+1 ") == 0,
                "%s", story);
    }
}

/* A clock lifts p: the guard p - 1/2 jumps, and the rules run again with its new sign; so they do
 * when a guard's direction makes its crossing no event. */
static int p_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)x;
  *g = env->p[0] - 0.5;
  return 0;
}
static int lift_p(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  tell("tick", now->sgn[0]);
  now->p[0] = 1.0;
  return 0;
}

static void run_lift(brink_direction direction) {
  static const double x0[] = {-1.0}, p0[] = {0.0};
  brink_guard_def guard = brink_default_guard("p");
  guard.value = p_value, guard.direction = direction;
  brink_clock_def clock = {.size = sizeof(brink_clock_def),
                           .name = "clock",
                           .period = 5.0,
                           .offset = 1.0,
                           .tick = lift_p};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = moving, def.nguards = 1, def.guards = &guard;
  def.np = 1, def.p0 = p0, def.nclocks = 1, def.clocks = &clock, def.rules = tell_rules;
  brink_options options = options_for(BRINK_ADAMS, BRINK_EXTRAPOLATE);
  story[0] = '\0';
  trace_run(&def, &options, 2.0, &run);
  CHECK_INT(run.status, BRINK_TIME_REACHED);
}

TEST(a_guard_that_jumps_lets_the_rules_run_again_with_its_new_sign) {
  run_lift(BRINK_BOTH);
  CHECK_MSG(strcmp(story, "rules-1 tick-1 rules-1 rules+1 ") == 0, "%s", story);
  CHECK_INT(run.nevents, 1);
}

TEST(so_does_one_whose_jump_is_no_event) {
  run_lift(BRINK_NEGATIVE);
  CHECK_MSG(strcmp(story, "rules-1 tick-1 rules-1 rules+1 ") == 0, "%s", story);
  CHECK_INT(run.nevents, 0);
}

TEST(a_crossing_that_is_no_event_reaches_the_rules_at_the_end_of_its_step) {
  static const double x0[] = {-1.0};
  brink_guard_def guard = guard_at("x", one, 0.0);
  guard.direction = BRINK_NEGATIVE;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = moving, def.nguards = 1, def.guards = &guard;
  def.rules = tell_rules;
  brink_options options = options_for(BRINK_ADAMS, BRINK_EXTRAPOLATE);
  story[0] = '\0';
  trace_run(&def, &options, 2.0, &run);
  CHECK_INT(run.status, BRINK_TIME_REACHED);
  CHECK_INT(run.nevents, 0);
  CHECK_MSG(strcmp(story, "rules-1 rules+1 ") == 0, "%s", story);
}

/* A rule whose change starts another round: x jumps over the next surface, whose rule ends it. */
static int staircase(brink_now *now, bool *changed, void *user) {
  (void)user;
  for (int k = 0; k < 3; k++) {
    if (now->sgn[k] <= 0 || now->mode[0] > k) continue;
    now->mode[0] = k + 1;
    now->x[0] += 1.0;
    *changed = true;
    return 0;
  }
  return 0;
}

TEST(what_a_rule_changes_starts_another_round) {
  static const double x0[] = {-1.0};
  brink_guard_def guards[3] = {guard_at("a", one, 0.0), guard_at("b", one, -0.5),
                               guard_at("c", one, -1.5)};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = moving, def.nguards = 3, def.guards = guards;
  def.nmodes = 1, def.rules = staircase;
  brink_options options = options_for(BRINK_ADAMS, BRINK_EXTRAPOLATE);
  trace_run(&def, &options, 2.0, &run);
  CHECK_INT(run.status, BRINK_TIME_REACHED);
  CHECK_INT(run.mode[0], 3);
  CHECK_NEAR(run.x[0], 4.0, 1e-9);
  CHECK_INT(run.nevents, 3);
  for (size_t k = 0; k < 3 && k < run.nevents; k++) {
    CHECK_NEAR(run.events[k].event.t, 1.0, 1e-9);
    CHECK_INT(run.events[k].event.iteration, k);
  }
}

/* Two rules that undo each other through signs. */
static int see_saw(brink_now *now, bool *changed, void *user) {
  (void)changed, (void)user;
  if (now->sgn[0] > 0) now->p[0] = -1.0;
  if (now->sgn[0] < 0 && now->t > 0.5) now->p[0] = 1.0;
  return 0;
}

TEST(rules_that_chase_a_sign_for_ever_are_an_error) {
  static const double x0[] = {-1.0}, p0[] = {0.0};
  brink_guard_def guards[2] = {brink_default_guard("p"), guard_at("x", one, 0.0)};
  guards[0].value = p_value;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = moving, def.nguards = 2, def.guards = guards;
  def.np = 1, def.p0 = p0, def.rules = see_saw;
  brink_options options = options_for(BRINK_ADAMS, BRINK_EXTRAPOLATE);
  trace_run(&def, &options, 2.0, &run);
  CHECK_INT(run.status, BRINK_ERR_LOOP);
  CHECK_CONTAINS(run.diag.message, "do not settle");
  CHECK_NEAR(run.diag.t, 1.0, 1e-9);
}

/* A unilateral surface without an action blocks, unless a rule leads away from it. */
static int falling(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = env->mode[0] ? 1.0 : -1.0;
  return 0;
}
static int turn_back(brink_now *now, bool *changed, void *user) {
  (void)changed, (void)user;
  if (now->sgn[0] < 0) now->mode[0] = 1;
  return 0;
}

TEST(a_rule_may_lead_away_from_a_unilateral_surface) {
  static const double x0[] = {1.0};
  for (int ruled = 0; ruled < 2; ruled++) {
    brink_guard_def guard = guard_at("x", one, 0.0);
    guard.side = BRINK_UNILATERAL;
    brink_model_def def = brink_default_model();
    def.nx = 1, def.x0 = x0, def.rhs = falling, def.nguards = 1, def.guards = &guard;
    def.nmodes = 1, def.rules = ruled ? turn_back : NULL;
    brink_options options = options_for(BRINK_ADAMS, BRINK_EXTRAPOLATE);
    options.audit = true;
    trace_run(&def, &options, 2.0, &run);
    CHECK_INT(run.status, ruled ? BRINK_TIME_REACHED : BRINK_ERR_BLOCKED);
    if (ruled) CHECK_NEAR(run.x[0], 1.0, 1e-9);
    CHECK_INT(run.stats.rhs_past_guard, 0);
  }
}

/* An action that counts, and one that turns the field, by way of another guard's event. */
static int count_p(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->p[0] += 1.0;
  return 0;
}
static int turn_mode(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1;
  return 0;
}

TEST(strictly_an_action_leads_away_from_a_surface_only_if_it_changes_the_field) {
  static const double x0[] = {1.0}, p0[] = {0.0};
  for (int strict = 0; strict < 2; strict++)
    for (int turns = 0; turns < 2; turns++)
      for (size_t m = 0; m < COUNT(variable); m++) {
        brink_guard_def guards[2] = {guard_at("x", one, 0.0), brink_default_guard("p")};
        guards[0].side = BRINK_UNILATERAL, guards[0].action = count_p;
        guards[1].value = p_value, guards[1].action = turns ? turn_mode : NULL;
        brink_model_def def = brink_default_model();
        def.nx = 1, def.x0 = x0, def.rhs = falling, def.nguards = 2, def.guards = guards;
        def.nmodes = 1, def.np = 1, def.p0 = p0, def.strict_surfaces = strict;
        brink_options options = options_for(variable[m], BRINK_EXTRAPOLATE);
        trace_run(&def, &options, 2.0, &run);
        bool blocked = strict && !turns;
        CHECK_INT(run.status, blocked ? BRINK_ERR_BLOCKED : BRINK_TIME_REACHED);
        if (blocked) CHECK_CONTAINS(run.diag.message, "'x'");
        CHECK_NEAR(run.x[0], blocked ? 0.0 : turns ? 1.0 : -1.0, 1e-9);
      }
}

TEST(rules_run_at_the_start_with_the_signs_there) {
  static const double x0[] = {0.0}; /* on the surface: the sign is that of the flow */
  brink_guard_def guard = guard_at("x", one, 0.0);
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = moving, def.nguards = 1, def.guards = &guard;
  def.rules = tell_rules;
  brink_options options = options_for(BRINK_ADAMS, BRINK_EXTRAPOLATE);
  story[0] = '\0';
  trace_run(&def, &options, 1.0, &run);
  CHECK_MSG(strcmp(story, "rules+1 ") == 0, "%s", story);
}

/* ---- parameters before the instant, and in records ---- */

static double seen_pre_p[2];

static int double_p(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  seen_pre_p[event->guard] = now->pre_p[0];
  now->p[0] *= 2.0;
  return 0;
}
static int check_p(const brink_event_record *record, void *user) {
  (void)user;
  double before = record->event.guard == 0 ? 3.0 : 6.0;
  CHECK_NEAR(record->p_before[0], before, 0.0);
  CHECK_NEAR(record->p_after[0], 2.0 * before, 0.0);
  return 0;
}

TEST(parameters_before_the_instant_and_around_each_event_are_told) {
  static const double x0[] = {-1.0}, p0[] = {3.0};
  brink_guard_def guards[2] = {guard_at("first", one, 0.0), guard_at("second", one, 0.0)};
  guards[0].action = guards[1].action = double_p;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = moving, def.nguards = 2, def.guards = guards;
  def.np = 1, def.p0 = p0;
  brink_model *model;
  brink_sim *sim;
  CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, NULL, &sim), BRINK_OK);
  brink_sink sink = {.event = check_p};
  brink_sim_set_sink(sim, &sink);
  CHECK_INT(brink_sim_run(sim, 2.0, NULL), BRINK_TIME_REACHED);
  CHECK_NEAR(brink_sim_parameters(sim)[0], 12.0, 0.0);
  CHECK_NEAR(seen_pre_p[0], 3.0, 0.0);
  CHECK_NEAR(seen_pre_p[1], 3.0, 0.0);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* ---- messages ---- */

typedef struct words {
  const char *text;
  int outcome;
} words;

static int speak(brink_now *now, const words *say) {
  CHECK(now->message[0] == '\0');
  if (say->text != NULL) snprintf(now->message, BRINK_DIAG_MESSAGE, "%s", say->text);
  return say->outcome;
}
static int speak_event(const brink_event *event, brink_now *now, void *user) {
  (void)event;
  return speak(now, user);
}
static int speak_tick(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick;
  return speak(now, user);
}
static int speak_rules(brink_now *now, bool *changed, void *user) {
  (void)changed;
  return now->t < 0.5 ? 0 : speak(now, user);
}

static void run_speaker(int speaker, words *say) {
  static const double x0[] = {-1.0};
  brink_guard_def guard = guard_at("x", one, 0.0);
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "clock", .offset = 1.0, .tick = speak_tick};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = moving, def.user = say;
  def.nguards = speaker == 1 ? 0 : 1, def.guards = &guard;
  if (speaker == 0) guard.action = speak_event;
  if (speaker == 1) def.nclocks = 1, def.clocks = &clock;
  if (speaker == 2) def.rules = speak_rules;
  trace_run(&def, NULL, 2.0, &run);
  CHECK_NEAR(run.t, say->outcome == 0 ? 2.0 : 1.0, 1e-9);
}

TEST(callbacks_that_end_the_run_may_say_why) {
  for (int speaker = 0; speaker < 3; speaker++) {
    words fatal = {"the pump at 100 % is dry", -7}, plain = {NULL, -7};
    run_speaker(speaker, &fatal);
    CHECK_INT(run.status, BRINK_ERR_CALLBACK);
    CHECK_INT(run.diag.status, BRINK_ERR_CALLBACK);
    CHECK(strcmp(run.diag.message, fatal.text) == 0);
    CHECK_NEAR(run.diag.t, 1.0, 1e-9);
    run_speaker(speaker, &plain);
    CHECK_INT(run.status, BRINK_ERR_CALLBACK);
    CHECK_CONTAINS(run.diag.message, "fatal error (-7)");
    words stop = {"full", BRINK_STOPPED}, silent = {NULL, BRINK_STOPPED}, on = {"unheard", 0};
    run_speaker(speaker, &stop);
    CHECK_INT(run.status, BRINK_STOPPED);
    CHECK_INT(run.diag.status, BRINK_STOPPED);
    CHECK(strcmp(run.diag.message, "full") == 0);
    CHECK_NEAR(run.diag.t, 1.0, 1e-9);
    run_speaker(speaker, &silent);
    CHECK_INT(run.status, BRINK_STOPPED);
    CHECK(run.diag.message[0] == '\0');
    run_speaker(speaker, &on);
    CHECK_INT(run.status, BRINK_TIME_REACHED);
    CHECK(run.diag.message[0] == '\0');
  }
}

int main(void) {
  RUN(a_rule_acts_at_the_located_instant_at_which_its_condition_becomes_true);
  RUN(events_come_first_then_clocks_then_rules_which_see_the_new_sign);
  RUN(a_guard_that_jumps_lets_the_rules_run_again_with_its_new_sign);
  RUN(so_does_one_whose_jump_is_no_event);
  RUN(a_crossing_that_is_no_event_reaches_the_rules_at_the_end_of_its_step);
  RUN(what_a_rule_changes_starts_another_round);
  RUN(rules_that_chase_a_sign_for_ever_are_an_error);
  RUN(a_rule_may_lead_away_from_a_unilateral_surface);
  RUN(strictly_an_action_leads_away_from_a_surface_only_if_it_changes_the_field);
  RUN(rules_run_at_the_start_with_the_signs_there);
  RUN(parameters_before_the_instant_and_around_each_event_are_told);
  RUN(callbacks_that_end_the_run_may_say_why);
  return check_done();
}
