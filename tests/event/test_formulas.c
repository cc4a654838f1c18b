/* Guards made of other guards by AND, OR and NOT: their events against a scan of the exact solution
 * on a fine grid, De Morgan's laws to the bit, and the corners of the plane they describe. */
#include <stdlib.h>

#include "check.h"
#include "support/trace.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run, other;

static const brink_method variable[] = {BRINK_ADAMS, BRINK_DOPRI};
static const brink_events all_events[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE, BRINK_ENDPOINT,
                                          BRINK_MNM};
static const brink_side sides[] = {BRINK_BILATERAL, BRINK_UNILATERAL, BRINK_CROSSING};
static const char *const side_names[] = {"bilateral", "unilateral", "crossing"};

/* Two oscillators: x = sin t, y = sin(1.7 t + 0.4). */
static int oscillators_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1], dx[1] = -x[0];
  dx[2] = x[3], dx[3] = -1.7 * 1.7 * x[2];
  return 0;
}

enum { LEAVES = 5, LONGEST = 16, TIMES = 200 };
static const double T_END = 20.0;
static const double END_STEP = 0.02; /* for detectors that look at the ends of steps */

/* The exact values of the leaves. The last one is not linear. */
static double leaf_exact(int leaf, double t) {
  double x = sin(t), y = sin(1.7 * t + 0.4);
  switch (leaf) {
  case 0:
    return x - 0.3;
  case 1:
    return y + 0.2;
  case 2:
    return x + y - 0.1;
  case 3:
    return x - y + 0.5;
  default:
    return 0.9 - x * x - y * y;
  }
}

static int disc_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = 0.9 - x[0] * x[0] - x[2] * x[2];
  return 0;
}
static int disc_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                         double *dt) {
  (void)guard, (void)t, (void)env;
  dx[0] = -2.0 * x[0], dx[1] = -2.0 * x[2], *dt = 0.0;
  return 0;
}

static void leaf_guards(brink_guard_def *guards) {
  static const size_t both[] = {0, 2};
  static const double c[4][2] = {{1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}, {1.0, -1.0}};
  static const double offset[4] = {-0.3, 0.2, -0.1, 0.5};
  static const char *const names[] = {"right", "up", "sum", "difference", "disc"};
  for (size_t k = 0; k < LEAVES; k++) {
    guards[k] = brink_default_guard(names[k]);
    guards[k].side = BRINK_LEAF;
    guards[k].depends = both, guards[k].ndepends = 2;
    if (k < 4) guards[k].coefficients = c[k], guards[k].offset = offset[k];
    if (k == 4) guards[k].value = disc_value, guards[k].gradient = disc_gradient;
  }
}

typedef struct formula {
  int op[LONGEST];
  size_t length;
} formula;

static brink_gain chosen_gain = BRINK_GAIN_MARGIN;

static void run_formula(const formula *f, brink_side side, brink_method method, brink_events events,
                        double t_end, brink_action_fn *action, trace *out) {
  double x0[] = {0.0, 1.0, sin(0.4), 1.7 * cos(0.4)};
  brink_guard_def guards[LEAVES + 1];
  leaf_guards(guards);
  guards[LEAVES] = brink_default_guard("formula");
  guards[LEAVES].formula = f->op, guards[LEAVES].formula_length = f->length;
  guards[LEAVES].side = side, guards[LEAVES].action = action;
  brink_model_def def = brink_default_model();
  def.nx = 4, def.x0 = x0, def.rhs = oscillators_rhs, def.nguards = LEAVES + 1, def.guards = guards;
  brink_options options = brink_default_options();
  options.method = method, options.events = events;
  options.rtol = 1e-10, options.atol = 1e-12, options.audit = true, options.gain = chosen_gain;
  if (events > BRINK_INTERPOLATE) options.hmax = END_STEP;
  trace_run(&def, &options, t_end, out);
}

/* ---- the truth, from the exact solution ---- */

static bool truth(const formula *f, double t) {
  bool stack[LONGEST];
  int top = 0;
  for (size_t k = 0; k < f->length; k++) {
    if (f->op[k] == BRINK_NOT) {
      stack[top - 1] = !stack[top - 1];
    } else if (f->op[k] < 0) {
      top--;
      stack[top - 1] =
          f->op[k] == BRINK_AND ? stack[top - 1] && stack[top] : stack[top - 1] || stack[top];
    } else {
      stack[top++] = leaf_exact(f->op[k], t) >= 0.0;
    }
  }
  return stack[0];
}

/* Changes of truth in (0, t_end), from a grid of 1e-4, and the shortest time between two. */
static int scan(const formula *f, double t_end, double *times, int capacity, double *shortest) {
  int count = 0;
  *shortest = t_end;
  double h = 1e-4;
  bool before = truth(f, 0.0);
  for (long k = 1; (double)k * h <= t_end; k++) {
    bool after = truth(f, (double)k * h);
    if (after == before) continue;
    double low = (double)(k - 1) * h, high = (double)k * h;
    for (int j = 0; j < 60; j++) {
      double middle = 0.5 * (low + high);
      if (truth(f, middle) == before)
        low = middle;
      else
        high = middle;
    }
    if (count > 0) *shortest = fmin(*shortest, high - times[count - 1]);
    if (count < capacity) times[count++] = high;
    before = after;
  }
  return count;
}

/* ---- random formulas ---- */

static unsigned long long seed = 20040711;
static int random_below(int bound) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((seed >> 33) % (unsigned long long)bound);
}

/* With `distinct`, no leaf comes twice. */
static formula random_formula(bool distinct) {
  formula f = {.length = 0};
  bool used[LEAVES] = {false};
  int operands = 0, wanted = 2 + random_below(3), pushed = 0;
  while (pushed < wanted || operands > 1) {
    bool push = operands < 2 || (pushed < wanted && random_below(2) == 0);
    if (push && pushed < wanted) {
      int leaf = random_below(LEAVES);
      while (distinct && used[leaf]) leaf = (leaf + 1) % LEAVES;
      used[leaf] = true;
      f.op[f.length++] = leaf;
      operands++, pushed++;
    } else {
      f.op[f.length++] = random_below(2) == 0 ? BRINK_AND : BRINK_OR;
      operands--;
    }
    if (random_below(3) == 0 && f.length + 8 < LONGEST) f.op[f.length++] = BRINK_NOT;
  }
  return f;
}

static void describe(const formula *f, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t k = 0; k < f->length && used + 6 < size; k++) {
    int op = f->op[k];
    if (op >= 0)
      used += (size_t)snprintf(text + used, size - used, "%d ", op);
    else
      used += (size_t)snprintf(text + used, size - used, "%s ",
                               op == BRINK_AND  ? "and"
                               : op == BRINK_OR ? "or"
                                                : "not");
  }
}

static void check_formula(const formula *f, const double *times, int count, brink_side side,
                          brink_method method, brink_events events) {
  char text[200];
  describe(f, text, sizeof text);
  run_formula(f, side, method, events, T_END, NULL, &run);
  CHECK_MSG(run.status == BRINK_TIME_REACHED && run.nevents == (size_t)count,
            "%s, %s, %s/%s: %zu events of %d (%s)", text, side_names[side],
            brink_method_name(method), brink_events_name(events), run.nevents, count,
            run.diag.message);
  for (size_t k = 0; k < run.nevents && k < (size_t)count; k++) {
    CHECK_MSG(fabs(run.events[k].event.t - times[k]) <= 1e-6,
              "%s, %s, %s/%s: event %zu at %.10g, expected %.10g", text, side_names[side],
              brink_method_name(method), brink_events_name(events), k, run.events[k].event.t,
              times[k]);
    bool before = truth(f, times[k] - 1e-5);
    CHECK_INT(run.events[k].event.direction, before ? BRINK_NEGATIVE : BRINK_POSITIVE);
  }
}

/* Where two changes are so close that the scan, or a look at the ends of steps, may miss more, the
 * formula is left out. */
TEST(formulas_change_where_a_scan_of_the_exact_solution_says) {
  int compared = 0;
  for (int n = 0; n < 60; n++) {
    formula f = random_formula(false);
    double times[TIMES], shortest;
    int count = scan(&f, T_END, times, TIMES, &shortest);
    for (size_t m = 0; m < COUNT(variable); m++)
      for (size_t e = 0; e < COUNT(all_events); e++)
        for (size_t s = 0; s < COUNT(sides); s++) {
          bool ends = all_events[e] > BRINK_INTERPOLATE;
          if (sides[s] == BRINK_UNILATERAL) continue; /* it would block: see the next test */
          if (shortest < (ends ? 2.0 * END_STEP : 2e-3) || (ends && n % 6 != 0)) continue;
          check_formula(&f, times, count, sides[s], variable[m], all_events[e]);
          compared++;
        }
  }
  CHECK(compared > 400);
}

/* Unilateral: the first change, reached from its own side within the tolerance. (A leaf that comes
 * twice, as in "a or not a", can touch zero where nothing changes; that is an event too.) */
TEST(a_unilateral_formula_stops_at_its_first_change) {
  for (int n = 0; n < 60; n++) {
    formula f = random_formula(true);
    double times[TIMES], shortest;
    if (scan(&f, T_END, times, TIMES, &shortest) == 0) continue;
    char text[200];
    describe(&f, text, sizeof text);
    for (size_t m = 0; m < COUNT(variable); m++)
      for (size_t e = 0; e < 2; e++) {
        run_formula(&f, BRINK_UNILATERAL, variable[m], all_events[e], T_END, trace_stop, &run);
        CHECK_MSG(run.status == BRINK_STOPPED && fabs(run.t - times[0]) <= 1e-6,
                  "%s, %s/%s: %s at %.10g, expected %.10g (%s)", text,
                  brink_method_name(variable[m]), brink_events_name(all_events[e]),
                  brink_status_text(run.status), run.t, times[0], run.diag.message);
        if (all_events[e] == BRINK_EXTRAPOLATE) CHECK_INT(run.stats.rhs_past_guard, 0);
      }
  }
}

/* The other gains keep their distance from formulas, too: early by 2 delta or the tolerance at
 * most, never late, never past. */
TEST(the_other_gains_stop_before_a_unilateral_formula_changes) {
  for (int n = 0; n < 30; n++) {
    formula f = random_formula(true);
    double times[TIMES], shortest;
    if (scan(&f, T_END, times, TIMES, &shortest) == 0) continue;
    char text[200];
    describe(&f, text, sizeof text);
    for (size_t m = 0; m < COUNT(variable); m++)
      for (int gain = BRINK_GAIN_PUBLISHED; gain <= BRINK_GAIN_FIXED; gain++) {
        chosen_gain = (brink_gain)gain;
        run_formula(&f, BRINK_UNILATERAL, variable[m], BRINK_EXTRAPOLATE, T_END, trace_stop, &run);
        chosen_gain = BRINK_GAIN_MARGIN;
        CHECK_MSG(run.status == BRINK_STOPPED && fabs(run.t - times[0]) <= 1e-5,
                  "%s, %s, gain %d: %s at %.10g, expected %.10g (%s)", text,
                  brink_method_name(variable[m]), gain, brink_status_text(run.status), run.t,
                  times[0], run.diag.message);
        CHECK_INT(run.stats.rhs_past_guard, 0);
      }
  }
}

/* ---- De Morgan ---- */

static void check_same(formula a, formula b) {
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(all_events); e++) {
      run_formula(&a, BRINK_BILATERAL, variable[m], all_events[e], 20.0, NULL, &run);
      run_formula(&b, BRINK_BILATERAL, variable[m], all_events[e], 20.0, NULL, &other);
      CHECK_INT(run.nevents, other.nevents);
      CHECK(run.nevents > 0);
      for (size_t k = 0; k < run.nevents && k < other.nevents; k++) {
        CHECK(run.events[k].event.t == other.events[k].event.t);
        CHECK_INT(run.events[k].event.direction, other.events[k].event.direction);
      }
    }
}

TEST(not_of_or_is_and_of_nots_to_the_bit) {
  check_same((formula){{0, 1, BRINK_OR, BRINK_NOT}, 4},
             (formula){{0, BRINK_NOT, 1, BRINK_NOT, BRINK_AND}, 5});
}
TEST(not_of_and_is_or_of_nots_to_the_bit) {
  check_same((formula){{2, 3, BRINK_AND, BRINK_NOT}, 4},
             (formula){{2, BRINK_NOT, 3, BRINK_NOT, BRINK_OR}, 5});
}
TEST(not_of_not_is_nothing_to_the_bit) {
  check_same((formula){{0, 4, BRINK_AND, BRINK_NOT, BRINK_NOT}, 5},
             (formula){{0, 4, BRINK_AND}, 3});
}

/* A formula and its negation have the same events in opposite directions. */
TEST(a_negation_changes_at_the_same_times_in_the_other_direction) {
  formula a = {{0, 1, BRINK_AND, 2, BRINK_OR}, 5};
  formula b = {{0, 1, BRINK_AND, 2, BRINK_OR, BRINK_NOT}, 6};
  for (size_t m = 0; m < COUNT(variable); m++) {
    run_formula(&a, BRINK_BILATERAL, variable[m], BRINK_INTERPOLATE, 20.0, NULL, &run);
    run_formula(&b, BRINK_BILATERAL, variable[m], BRINK_INTERPOLATE, 20.0, NULL, &other);
    CHECK_INT(run.nevents, other.nevents);
    for (size_t k = 0; k < run.nevents && k < other.nevents; k++) {
      CHECK_NEAR(run.events[k].event.t, other.events[k].event.t, 1e-12);
      CHECK_INT(run.events[k].event.direction, -(int)other.events[k].event.direction);
    }
  }
}

/* A leaf is no event of its own. */
TEST(leaves_alone_make_no_events) {
  formula never = {{0, 0, BRINK_NOT, BRINK_AND}, 4};
  for (size_t e = 0; e < COUNT(all_events); e++) {
    run_formula(&never, BRINK_BILATERAL, BRINK_ADAMS, all_events[e], 20.0, NULL, &run);
    CHECK_INT(run.status, BRINK_TIME_REACHED);
    CHECK_MSG(run.nevents == 0, "%s: %zu events of a formula that is never true",
              brink_events_name(all_events[e]), run.nevents);
  }
}

static int unit_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0;
  return 0;
}

/* A leaf that is also a guard of its own may be used in a formula. */
TEST(a_guard_may_be_a_leaf_of_a_formula_too) {
  static const double x0[] = {0.0}, one[] = {1.0};
  static const int op[] = {0, 1, BRINK_AND};
  brink_guard_def guards[3] = {brink_default_guard("half"), brink_default_guard("one"),
                               brink_default_guard("both")};
  guards[0].coefficients = one, guards[0].offset = -0.5;
  guards[1].coefficients = one, guards[1].offset = -1.0, guards[1].side = BRINK_LEAF;
  guards[2].formula = op, guards[2].formula_length = 3;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = unit_rhs, def.nguards = 3, def.guards = guards;
  trace_run(&def, NULL, 2.0, &run);
  CHECK_INT(run.nevents, 2);
  if (run.nevents < 2) return;
  CHECK_NEAR(run.events[0].event.t, 0.5, 1e-12);
  CHECK_NEAR(run.events[1].event.t, 1.0, 1e-12);
  CHECK_INT(run.events[1].event.guard, 2);
}

/* A unilateral guard stops the run a rounding before a surface that a formula shares: the formula
 * is due in the next step, at its very start. */
static int decay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -x[0];
  return 0;
}
static int count_up(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0]++; /* a change, so that the unilateral surface may be passed */
  return 0;
}

TEST(a_formula_fires_although_another_guard_stopped_just_before_its_surface) {
  static const double x0[] = {1.0}, one[] = {1.0}, two[] = {-2.0};
  static const int alone[] = {1}, both[] = {1, 2, BRINK_AND}, either[] = {2, 1, BRINK_OR};
  static const double levels[] = {0.5, 0.3, 0.7, 0.123};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < 2; e++)
      for (size_t s = 0; s < COUNT(sides); s++)
        for (size_t l = 0; l < COUNT(levels); l++) {
          brink_guard_def guards[6];
          for (size_t k = 0; k < 6; k++) guards[k] = brink_default_guard("g");
          guards[0].coefficients = one, guards[0].offset = -levels[l];
          guards[0].side = BRINK_UNILATERAL;
          guards[1].coefficients = one, guards[1].offset = -levels[l], guards[1].side = BRINK_LEAF;
          guards[2].coefficients = two, guards[2].offset = 2.0 * levels[l];
          guards[2].side = BRINK_LEAF; /* the same surface, the other way round */
          guards[3].formula = alone, guards[3].formula_length = 1;
          guards[4].formula = both, guards[4].formula_length = 3;   /* touches zero, no more */
          guards[5].formula = either, guards[5].formula_length = 3; /* likewise */
          guards[0].action = guards[3].action = count_up;
          guards[3].side = sides[s];
          brink_model_def def = brink_default_model();
          def.nx = 1, def.x0 = x0, def.nmodes = 1, def.rhs = decay_rhs;
          def.nguards = 6, def.guards = guards;
          brink_options options = brink_default_options();
          options.method = variable[m], options.events = all_events[e], options.rtol = 1e-9;
          trace_run(&def, &options, 3.0, &run);
          int fired[6] = {0};
          for (size_t k = 0; k < run.nevents && k < TRACE_EVENTS; k++) {
            fired[run.events[k].event.guard]++;
            CHECK_NEAR(run.events[k].event.t, -log(levels[l]), 1e-7);
          }
          CHECK_MSG(run.status == BRINK_TIME_REACHED && fired[0] == 1 && fired[3] == 1,
                    "%s/%s, %s, level %g: the guard fired %d times, the formula %d times (%s)",
                    brink_method_name(variable[m]), brink_events_name(all_events[e]), side_names[s],
                    levels[l], fired[0], fired[3], run.diag.message);
        }
}

int main(void) {
  RUN(formulas_change_where_a_scan_of_the_exact_solution_says);
  RUN(a_unilateral_formula_stops_at_its_first_change);
  RUN(the_other_gains_stop_before_a_unilateral_formula_changes);
  RUN(not_of_or_is_and_of_nots_to_the_bit);
  RUN(not_of_and_is_or_of_nots_to_the_bit);
  RUN(not_of_not_is_nothing_to_the_bit);
  RUN(a_negation_changes_at_the_same_times_in_the_other_direction);
  RUN(leaves_alone_make_no_events);
  RUN(a_guard_may_be_a_leaf_of_a_formula_too);
  RUN(a_formula_fires_although_another_guard_stopped_just_before_its_surface);
  return check_done();
}
