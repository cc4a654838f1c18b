/* Where solutions and guards meet in awkward places: starts on a surface, returns to it however
 * small, several guards at one instant, zeros on mesh points and at the end of a run. */
#include "check.h"
#include "support/trace.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run;

static const brink_method all_methods[] = {BRINK_ADAMS,   BRINK_DOPRI,     BRINK_EULER,
                                           BRINK_TAYLOR2, BRINK_RK4,       BRINK_AM3,
                                           BRINK_BDF3,    BRINK_TRAPEZOID, BRINK_BDF};
static const brink_method exact_here[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_RK4, BRINK_TAYLOR2};
static const brink_events whole_step[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE};
static const brink_events all_events[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE, BRINK_ENDPOINT,
                                          BRINK_ZLM, BRINK_MNM};
static const brink_side sides[] = {BRINK_BILATERAL, BRINK_UNILATERAL, BRINK_CROSSING};
static const char *const side_names[] = {"bilateral", "unilateral", "crossing"};

static brink_options options_for(brink_method method, brink_events events, double rtol) {
  brink_options options = brink_default_options();
  options.method = method;
  options.events = events;
  options.rtol = rtol;
  options.atol = 1e-3 * rtol;
  options.audit = true;
  return options;
}

static int unit_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0;
  return 0;
}

/* x'' = -p[0]: a parabola. */
static int parabola_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = -env->p[0];
  return 0;
}

/* ---- on the surface at the start, and after a reset ---- */

/* A ball thrown up from the floor; M4 of the reference problems. */
static int bounce_half(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = 0.0;
  now->x[1] = -0.5 * now->x[1];
  return 0;
}

static brink_model_def ball(const double *x0, brink_guard_def *floor_guard, brink_side side,
                            brink_action_fn *action) {
  static const double gravity[] = {9.81}, down[] = {-1.0};
  static const size_t first[] = {0};
  *floor_guard = brink_default_guard("floor");
  floor_guard->side = side;
  floor_guard->depends = first, floor_guard->ndepends = 1, floor_guard->coefficients = down;
  floor_guard->action = action;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.np = 1, def.p0 = gravity, def.rhs = parabola_rhs;
  def.nguards = 1, def.guards = floor_guard;
  return def;
}

TEST(a_guard_that_leaves_its_surface_at_the_start_fires_on_return_only) {
  static const double x0[] = {0.0, 5.0};
  static const double times[] = {1.01936799184505606524, 1.52905198776758409786,
                                 1.78389398572884811417};
  for (size_t m = 0; m < COUNT(exact_here); m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guard;
        brink_model_def def = ball(x0, &guard, sides[s], bounce_half);
        brink_options options = options_for(exact_here[m], all_events[e], 1e-9);
        options.step = exact_here[m] > BRINK_DOPRI ? 0.01 : 0.0;
        options.hmax = all_events[e] == BRINK_ZLM ? 1e-3 : (double)INFINITY;
        if (all_events[e] == BRINK_ZLM && exact_here[m] > BRINK_DOPRI) options.step = 1e-3;
        trace_run(&def, &options, 1.8, &run);
        double bound = all_events[e] == BRINK_ZLM ? 1e-5 : 1e-7;
        CHECK_MSG(run.nevents == 3, "%s/%s %s: %zu events, first at %.12g (%s)",
                  brink_method_name(exact_here[m]), brink_events_name(all_events[e]), side_names[s],
                  run.nevents, run.nevents > 0 ? run.events[0].event.t : -1.0, run.diag.message);
        for (size_t k = 0; k < 3 && k < run.nevents; k++) {
          CHECK_NEAR(run.events[k].event.t, times[k], bound);
          CHECK_INT(run.events[k].event.direction, BRINK_POSITIVE);
        }
      }
}

/* x''' = 6 from rest at 0: x = t^3; only the third derivative says where it goes. */
static int cube_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1], dx[1] = x[2], dx[2] = 6.0;
  return 0;
}

/* The same for the second derivative, with x'' = -1 from rest at 0. */
TEST(a_flag_that_is_zero_at_the_start_takes_its_sign_from_the_first_derivative_that_is_not) {
  static const double one[] = {1.0};
  static const size_t first[] = {0};
  for (size_t s = 0; s < COUNT(sides); s++) {
    brink_guard_def guard = brink_default_guard("g");
    guard.depends = first, guard.ndepends = 1, guard.coefficients = one, guard.side = sides[s];
    static const double zero[3] = {0.0, 0.0, 0.0}, unit[] = {1.0};
    brink_model_def def = brink_default_model();
    def.nx = 2, def.x0 = zero, def.np = 1, def.p0 = unit, def.rhs = parabola_rhs;
    def.nguards = 1, def.guards = &guard;
    brink_model *model = NULL;
    brink_sim *sim = NULL;
    CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
    CHECK_INT(brink_sim_create(model, NULL, NULL, NULL, &sim), BRINK_OK);
    CHECK_INT(brink_sim_advance(sim, 1.0, NULL), BRINK_STEPPED);
    CHECK_INT(brink_sim_signs(sim)[0], -1);
    CHECK_INT(brink_sim_run(sim, 1.0, NULL), BRINK_TIME_REACHED);
    CHECK_INT(brink_sim_stats(sim)->events, 0);
    brink_sim_destroy(sim);
    brink_model_destroy(model);

    def.nx = 3, def.rhs = cube_rhs;
    CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
    CHECK_INT(brink_sim_create(model, NULL, NULL, NULL, &sim), BRINK_OK);
    CHECK_INT(brink_sim_advance(sim, 1.0, NULL), BRINK_STEPPED);
    CHECK_INT(brink_sim_signs(sim)[0], 1);
    CHECK_INT(brink_sim_run(sim, 1.0, NULL), BRINK_TIME_REACHED);
    CHECK_INT(brink_sim_stats(sim)->events, 0);
    brink_sim_destroy(sim);
    brink_model_destroy(model);
  }
}

/* Thrown up again and again so slowly that it rises less than the tolerance. */
static int throw_slowly(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] = 1e-4;
  return 0;
}

TEST(every_return_to_the_surface_is_an_event_however_small_the_excursion) {
  static const double x0[] = {0.5, 0.0};
  double first = sqrt(2.0 * 0.5 / 9.81), period = 2.0 * 1e-4 / 9.81;
  for (size_t e = 0; e < COUNT(whole_step); e++)
    for (size_t s = 0; s < COUNT(sides); s++) {
      brink_guard_def guard;
      brink_model_def def = ball(x0, &guard, sides[s], throw_slowly);
      brink_options options = options_for(BRINK_ADAMS, whole_step[e], 1e-6);
      trace_run(&def, &options, first + 50.5 * period, &run);
      CHECK_MSG(run.status == BRINK_TIME_REACHED && run.nevents >= 50 && run.nevents <= 52,
                "%s, %s: %s, %zu events (%s)", brink_events_name(whole_step[e]), side_names[s],
                brink_status_text(run.status), run.nevents, run.diag.message);
      for (size_t k = 1; k < run.nevents && k < 50; k++)
        CHECK_NEAR(run.events[k].event.t - run.events[k - 1].event.t, period,
                   (sides[s] == BRINK_UNILATERAL ? 0.05 : 1e-3) * period);
    }
}

/* ---- several guards at one instant ---- */

/* x' = 1, y' = 2t, z' = z: all guards are zero at t = 1; a guard's action freezes its component. */
static int three_rhs(double t, const double *x, const brink_env *env, double *dx) {
  dx[0] = env->mode[0] ? 0.0 : 1.0;
  dx[1] = env->mode[1] ? 0.0 : 2.0 * t;
  dx[2] = env->mode[2] ? 0.0 : x[2];
  return 0;
}
static int freeze(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  now->mode[event->guard] = 1;
  return 0;
}

TEST(three_guards_at_one_time_all_fire_once) {
  static const double x0[] = {0.0, 0.0, 1.0}, one[] = {1.0};
  static const size_t index[] = {0, 1, 2};
  static const double limit[] = {-1.0, -1.0, -2.71828182845904523536};
  for (size_t e = 0; e < COUNT(whole_step); e++)
    for (size_t s = 0; s < COUNT(sides); s++) {
      brink_guard_def guards[3];
      for (size_t k = 0; k < 3; k++) {
        guards[k] = brink_default_guard("g");
        guards[k].side = sides[s];
        guards[k].depends = &index[k], guards[k].ndepends = 1;
        guards[k].coefficients = one, guards[k].offset = limit[k], guards[k].action = freeze;
      }
      brink_model_def def = brink_default_model();
      def.nx = 3, def.x0 = x0, def.nmodes = 3, def.rhs = three_rhs;
      def.nguards = 3, def.guards = guards;
      brink_options options = options_for(BRINK_ADAMS, whole_step[e], 1e-9);
      trace_run(&def, &options, 2.0, &run);
      CHECK_MSG(run.nevents == 3 && run.status == BRINK_TIME_REACHED, "%s, %s: %zu events (%s)",
                brink_events_name(whole_step[e]), side_names[s], run.nevents, run.diag.message);
      for (size_t k = 0; k < 3; k++) {
        if (k < run.nevents) CHECK_NEAR(run.events[k].event.t, 1.0, 1e-8);
        CHECK_NEAR(run.x[k], -limit[k], 1e-8);
      }
    }
}

/* Guards with the same surface: multiples of x - 1, by priority, then by index. */
static void check_order(brink_side side, brink_method method, brink_events events,
                        const int *priority, const size_t *expected, size_t count) {
  static const double x0[] = {0.0};
  double factors[] = {1.0, 4.0, 0.5};
  brink_guard_def guards[3];
  for (size_t k = 0; k < count; k++) {
    guards[k] = brink_default_guard("g");
    guards[k].side = side, guards[k].priority = priority[k];
    guards[k].coefficients = &factors[k], guards[k].offset = -factors[k];
    guards[k].action = freeze;
  }
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.nmodes = 3, def.rhs = unit_rhs;
  def.nguards = count, def.guards = guards;
  brink_options options = options_for(method, events, 1e-6);
  options.step = method > BRINK_DOPRI ? 0.3 : 0.0;
  trace_run(&def, &options, 2.0, &run);
  CHECK_MSG(run.nevents == count, "%s, %s/%s: %zu events of %zu (%s)", side_names[side],
            brink_method_name(method), brink_events_name(events), run.nevents, count,
            run.diag.message);
  if (run.nevents != count) return;
  for (size_t k = 0; k < count; k++) {
    CHECK_NEAR(run.events[k].event.t, 1.0, side == BRINK_UNILATERAL ? 1.1e-6 : 1e-12);
    CHECK_NEAR(run.events[k].event.t, run.events[0].event.t, 1e-15); /* one instant */
    CHECK_MSG(run.events[k].event.guard == expected[k],
              "%s, %s/%s: event %zu is guard %zu, expected %zu", side_names[side],
              brink_method_name(method), brink_events_name(events), k, run.events[k].event.guard,
              expected[k]);
  }
}

TEST(guards_at_one_instant_fire_by_priority_and_then_by_index) {
  static const int two[] = {0, 3}, same[] = {0, 0, 0}, mixed[] = {1, 5, 1}, rising[] = {1, 2, 3};
  static const size_t by_two[] = {1, 0}, by_same[] = {0, 1, 2}, by_mixed[] = {1, 0, 2},
                      by_rising[] = {2, 1, 0};
  static const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_RK4};
  for (size_t s = 0; s < COUNT(sides); s++)
    for (size_t m = 0; m < COUNT(methods); m++)
      for (size_t e = 0; e < COUNT(all_events); e++) {
        check_order(sides[s], methods[m], all_events[e], two, by_two, 2);
        check_order(sides[s], methods[m], all_events[e], same, by_same, 3);
        check_order(sides[s], methods[m], all_events[e], mixed, by_mixed, 3);
        check_order(sides[s], methods[m], all_events[e], rising, by_rising, 3);
      }
}

/* ---- mesh points ---- */

/* Taylor's relay: x'' = -sgn(x), the sign locked. */
static int relay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = env->mode[0] == 0 ? -1.0 : 1.0;
  return 0;
}
static int flip(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1 - now->mode[0];
  return 0;
}

TEST(a_relay_that_switches_on_mesh_points_is_seen_by_every_method_and_detector) {
  static const double x0[] = {0.125, 0.0}, one[] = {1.0};
  static const size_t first[] = {0};
  for (size_t m = 0; m < COUNT(all_methods); m++) {
    if (all_methods[m] == BRINK_EULER) continue; /* not exact on parabolas; see the next test */
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guard = brink_default_guard("x");
        guard.depends = first, guard.ndepends = 1, guard.coefficients = one;
        guard.side = sides[s], guard.action = flip;
        brink_model_def def = brink_default_model();
        def.nx = 2, def.x0 = x0, def.nmodes = 1, def.rhs = relay_rhs;
        def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(all_methods[m], all_events[e], 1e-9);
        if (all_methods[m] > BRINK_DOPRI) options.step = 0.25;
        /* a variable step does not keep to the mesh, and the chord is then worth h^2 only */
        bool fixed = all_methods[m] > BRINK_DOPRI && all_methods[m] != BRINK_BDF;
        bool chord = !fixed && all_events[e] == BRINK_ZLM;
        options.hmax = chord ? 0.01 : 0.25;
        trace_run(&def, &options, 9.8, &run);
        CHECK_MSG(run.nevents == 10, "%s/%s, %s: %zu events of 10 (%s)",
                  brink_method_name(all_methods[m]), brink_events_name(all_events[e]),
                  side_names[s], run.nevents, run.diag.message);
        for (size_t k = 0; k < 10 && k < run.nevents; k++) {
          CHECK_NEAR(run.events[k].event.t, 0.5 + (double)k, chord ? 0.5 : !fixed ? 1e-7 : 1e-12);
          CHECK_INT(run.events[k].event.direction, k % 2 == 0 ? -1 : 1);
        }
      }
  }
}

/* x' = -1 or 1: exact for Euler too, zeros of x at t = 1/2 and of x - 1/2 at 1, 2, ... */
static int zigzag_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = env->mode[0] == 0 ? -1.0 : 1.0;
  return 0;
}
static bool zigzag_enabled(size_t guard, const brink_env *env) {
  return (int)guard == env->mode[0];
}

static brink_model_def zigzag(brink_guard_def *guards, brink_side side) {
  static const double x0[] = {0.5}, one[] = {1.0};
  for (size_t k = 0; k < 2; k++) {
    guards[k] = brink_default_guard(k == 0 ? "low" : "high");
    guards[k].coefficients = one, guards[k].offset = k == 0 ? 0.0 : -0.5;
    guards[k].side = side, guards[k].action = flip;
  }
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.nmodes = 1, def.rhs = zigzag_rhs, def.enabled = zigzag_enabled;
  def.nguards = 2, def.guards = guards;
  return def;
}

TEST(guards_enabled_by_mode_alternate_on_mesh_points_and_off_them) {
  static const double steps[] = {0.25, 0.11};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (size_t s = 0; s < COUNT(sides); s++)
        for (size_t h = 0; h < COUNT(steps); h++) {
          brink_guard_def guards[2];
          brink_model_def def = zigzag(guards, sides[s]);
          brink_options options = options_for(all_methods[m], all_events[e], 1e-9);
          if (all_methods[m] > BRINK_DOPRI) options.step = steps[h];
          options.hmax = 0.25;
          trace_run(&def, &options, 10.2, &run);
          CHECK_MSG(run.nevents == 20, "%s/%s, %s, step %g: %zu events of 20 (%s)",
                    brink_method_name(all_methods[m]), brink_events_name(all_events[e]),
                    side_names[s], steps[h], run.nevents, run.diag.message);
          for (size_t k = 0; k < 20 && k < run.nevents; k++) {
            CHECK_NEAR(run.events[k].event.t, 0.5 + 0.5 * (double)k, 1e-11);
            CHECK_INT(run.events[k].event.guard, k % 2);
            CHECK_INT(run.events[k].event.direction, k % 2 == 0 ? -1 : 1);
          }
        }
}

TEST(a_zero_exactly_at_the_end_of_a_run_is_found_once) {
  static const double x0[] = {1.0}, minus[] = {-1.0};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guard = brink_default_guard("g");
        guard.coefficients = minus, guard.offset = 2.0; /* zero at x = 2, t = 1 */
        guard.side = sides[s];
        guard.action = freeze;
        brink_model_def def = brink_default_model();
        def.nx = 1, def.x0 = x0, def.nmodes = 1, def.rhs = unit_rhs;
        def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(all_methods[m], all_events[e], 1e-9);
        if (all_methods[m] > BRINK_DOPRI) options.step = 0.25;
        brink_model *model = NULL;
        brink_sim *sim = NULL;
        CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
        CHECK_INT(brink_sim_create(model, &options, NULL, NULL, &sim), BRINK_OK);
        CHECK_INT(brink_sim_run(sim, 1.0, NULL), BRINK_TIME_REACHED);
        CHECK_INT(brink_sim_run(sim, 2.0, NULL), BRINK_TIME_REACHED);
        CHECK_MSG(brink_sim_stats(sim)->events == 1, "%s/%s, %s: %lld events",
                  brink_method_name(all_methods[m]), brink_events_name(all_events[e]),
                  side_names[s], (long long)brink_sim_stats(sim)->events);
        size_t count;
        const brink_event *events = brink_sim_events(sim, &count);
        if (count > 0) CHECK_NEAR(events[0].t, 1.0, 1e-12);
        brink_sim_destroy(sim);
        brink_model_destroy(model);
      }
}

/* ---- jumps in the middle of a step ---- */

static int to_zero(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = 0.0;
  return 0;
}

/* Rising through 0.4 is no event of a guard that watches for falling; but at 0.6 the state is above
 * it, and the reset to 0 carries it down. One step holds both. */
TEST(a_crossing_that_is_no_event_counts_for_jumps_in_the_same_step) {
  static const double x0[] = {0.0}, one[] = {1.0};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guards[2] = {brink_default_guard("falls"), brink_default_guard("reset")};
        guards[0].coefficients = guards[1].coefficients = one;
        guards[0].offset = -0.4, guards[0].direction = BRINK_NEGATIVE, guards[0].side = sides[s];
        guards[1].offset = -0.6, guards[1].action = to_zero;
        brink_model_def def = brink_default_model();
        def.nx = 1, def.x0 = x0, def.rhs = unit_rhs, def.nguards = 2, def.guards = guards;
        brink_options options = options_for(all_methods[m], all_events[e], 1e-6);
        options.step = 1.0;
        trace_run(&def, &options, 1.7, &run); /* resets at 0.6, 1.2 */
        CHECK_MSG(run.nevents == 4, "%s/%s, %s: %zu events (%s)", brink_method_name(all_methods[m]),
                  brink_events_name(all_events[e]), side_names[s], run.nevents, run.diag.message);
        for (size_t k = 0; k < 4 && run.nevents == 4; k++) {
          CHECK_INT(run.events[k].event.guard, k % 2 == 0 ? 1 : 0);
          CHECK_INT(run.events[k].event.direction, k % 2 == 0 ? 1 : -1);
          CHECK_INT(run.events[k].event.kind, k % 2 == 0 ? BRINK_CROSSED : BRINK_JUMPED);
        }
      }
}

/* At t = 1 the second state is lifted over 3; the guard there puts it back to 0, on the side where
 * it was, and sees it come again at t = 4. */
static int both_rise_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = dx[1] = 1.0;
  return 0;
}
static int lift(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] = 5.0;
  return 0;
}
static int put_back(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] = 0.0;
  return 0;
}

TEST(a_guard_that_jumped_takes_its_sign_from_where_the_actions_leave_it) {
  static const double x0[] = {0.0, 0.0}, one[] = {1.0};
  static const size_t first[] = {0}, second[] = {1};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guards[2] = {brink_default_guard("trigger"), brink_default_guard("above")};
        guards[0].coefficients = guards[1].coefficients = one;
        guards[0].depends = first, guards[1].depends = second;
        guards[0].ndepends = guards[1].ndepends = 1;
        guards[0].offset = -1.0, guards[0].action = lift;
        guards[1].offset = -3.0, guards[1].action = put_back, guards[1].side = sides[s];
        brink_model_def def = brink_default_model();
        def.nx = 2, def.x0 = x0, def.rhs = both_rise_rhs, def.nguards = 2, def.guards = guards;
        brink_options options = options_for(all_methods[m], all_events[e], 1e-6);
        if (all_methods[m] > BRINK_DOPRI) options.step = 0.3;
        trace_run(&def, &options, 5.0, &run);
        CHECK_MSG(run.nevents == 3 && run.status == BRINK_TIME_REACHED,
                  "%s/%s, %s: %zu events (%s)", brink_method_name(all_methods[m]),
                  brink_events_name(all_events[e]), side_names[s], run.nevents, run.diag.message);
        if (run.nevents != 3) continue;
        CHECK_INT(run.events[1].event.kind, BRINK_JUMPED);
        CHECK_INT(run.events[2].event.kind, BRINK_CROSSED);
        CHECK_INT(run.events[2].event.direction, BRINK_POSITIVE);
        CHECK_NEAR(run.events[2].event.t, 4.0, 1e-5);
      }
}

/* Lifted over 3 (rising is no event of "falls") and put back by another guard: that fall is one. */
TEST(a_guard_carried_over_and_back_within_one_instant_sees_both_ways) {
  static const double x0[] = {0.0, 0.0}, one[] = {1.0};
  static const size_t first[] = {0}, second[] = {1};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guards[3] = {brink_default_guard("trigger"), brink_default_guard("above 4"),
                                     brink_default_guard("falls")};
        for (size_t k = 0; k < 3; k++) {
          guards[k].coefficients = one;
          guards[k].depends = k == 0 ? first : second, guards[k].ndepends = 1;
        }
        guards[0].offset = -1.0, guards[0].action = lift;
        guards[1].offset = -4.0, guards[1].direction = BRINK_POSITIVE, guards[1].action = put_back;
        guards[2].offset = -3.0, guards[2].direction = BRINK_NEGATIVE, guards[2].side = sides[s];
        brink_model_def def = brink_default_model();
        def.nx = 2, def.x0 = x0, def.rhs = both_rise_rhs, def.nguards = 3, def.guards = guards;
        brink_options options = options_for(all_methods[m], all_events[e], 1e-6);
        if (all_methods[m] > BRINK_DOPRI) options.step = 0.3;
        trace_run(&def, &options, 3.0, &run);
        CHECK_MSG(run.nevents == 3, "%s/%s, %s: %zu events (%s)", brink_method_name(all_methods[m]),
                  brink_events_name(all_events[e]), side_names[s], run.nevents, run.diag.message);
        for (size_t k = 0; k < 3 && run.nevents == 3; k++) {
          CHECK_INT(run.events[k].event.guard, k);
          CHECK_INT(run.events[k].event.iteration, k);
          CHECK_NEAR(run.events[k].event.t, 1.0, 1e-5);
        }
      }
}

int main(void) {
  RUN(a_guard_that_leaves_its_surface_at_the_start_fires_on_return_only);
  RUN(a_flag_that_is_zero_at_the_start_takes_its_sign_from_the_first_derivative_that_is_not);
  RUN(every_return_to_the_surface_is_an_event_however_small_the_excursion);
  RUN(three_guards_at_one_time_all_fire_once);
  RUN(guards_at_one_instant_fire_by_priority_and_then_by_index);
  RUN(a_relay_that_switches_on_mesh_points_is_seen_by_every_method_and_detector);
  RUN(guards_enabled_by_mode_alternate_on_mesh_points_and_off_them);
  RUN(a_zero_exactly_at_the_end_of_a_run_is_found_once);
  RUN(a_crossing_that_is_no_event_counts_for_jumps_in_the_same_step);
  RUN(a_guard_that_jumped_takes_its_sign_from_where_the_actions_leave_it);
  RUN(a_guard_carried_over_and_back_within_one_instant_sees_both_ways);
  return check_done();
}
