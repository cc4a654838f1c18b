/* Events exactly where a run ends, or where a clock ticks: rounding does not decide whether they happen.
 *
 * x_i(t) = c + a (1 - (t/T)^p) reaches c at T, for every a, c and p: in numbers. What is computed arrives a few doubles
 * before or after T. A flag of time alone is at T exactly, and its event is where the others were lost. */
#include <stdio.h>

#include "check.h"
#include "support/hsml_run.h"

static const brink_method methods[] = {BRINK_TAYLOR, BRINK_ADAMS, BRINK_BDF, BRINK_DOPRI};
static const double ends[] = {3.0, 0.7, 10.0, 100.0};
static const double heights[] = {4.69, 7.0, 0.157, 1.757};
static const double offsets[] = {0.0, 1.0, 4.69};

enum { FLAGS = 3 };

typedef struct text {
  char declared[512], first[512], moves[1024], acts[1024];
} text;

static void add(char *to, size_t size, const char *what) {
  size_t used = strlen(to);
  CHECK(used + strlen(what) < size);
  snprintf(to + used, size - used, "%s", what);
}

/* One flag: `w` is what its action makes of the speed. */
static void add_flag(text *m, int i, int power, double end, double height, double offset,
                     const char *side, const char *w) {
  char line[512];
  snprintf(line, sizeof line, "state(x%d, real); held(w%d, real); flag(f%d%s); ", i, i, i, side);
  add(m->declared, sizeof m->declared, line);
  snprintf(line, sizeof line, "x%d := %.17g; w%d := 1.0; ", i, offset + height, i);
  add(m->first, sizeof m->first, line);
  snprintf(line, sizeof line, "x%d' = -w%d*%.17g*%d.0*time^%d/%.17g^%d; f%d = x%d - %.17g; ", i, i,
           height, power, power - 1, end, power, i, i, offset);
  add(m->moves, sizeof m->moves, line);
  snprintf(line, sizeof line,
           "event(f%d) negative-going w%d := %s; end negative-going; end event; ", i, i, w);
  add(m->acts, sizeof m->acts, line);
}

/* A decay beside them makes for many steps. */
static hsml_run *go(const text *m, brink_method method, double until) {
  char all[4096];
  snprintf(all, sizeof all,
           "ctc M is body\ndeclarations state(z, real); %s end declarations;\n"
           "initial z := 1.0; %s end initial;\ndynamics z' = -z; %s end dynamics;\n%s\nend body; "
           "end M;\n",
           m->declared, m->first, m->moves, m->acts);
  hsml_wishes wishes = hsml_default(1e-6);
  wishes.options.method = method;
  hsml_run *run = hsml_open(all, &wishes);
  hsml_go(run, until);
  return run;
}

static void check_once(const hsml_run *run, const char *flag, double end, brink_method method,
                       int place) {
  CHECK_MSG(hsml_count(run, flag) == 1, "%s by %s, %d: %zu events", flag, brink_method_name(method),
            place, hsml_count(run, flag));
  if (hsml_count(run, flag) == 1) CHECK_NEAR(hsml_time(run, flag, 1), end, 1e-8 * end);
}

/* All ends, heights, offsets. With p = 1 all methods are exact but for rounding. `until`: in ends of the motion. */
static void try_all(const char *side, const char *w, const char *more_declared, bool timed,
                    const char *more_acts, double until) {
  for (int place = 0; place < 4 * 4 * 3; place++) {
    double end = ends[place % 4], height = heights[place / 4 % 4], offset = offsets[place / 16];
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
      if (methods[k] == BRINK_BDF && offset != 0.0)
        continue; /* Newton's method leaves more than rounding */
      text m = {{0}, {0}, {0}, {0}};
      char line[128];
      add_flag(&m, 0, 1, end, height, offset, side, w);
      add_flag(&m, 1, 1, end, height + 1.3, offset, side, w);
      snprintf(line, sizeof line, "flag(f2); %s", more_declared);
      add(m.declared, sizeof m.declared, line);
      snprintf(line, sizeof line, "k := %.17g; ", end);
      if (timed) add(m.first, sizeof m.first, line);
      snprintf(line, sizeof line, "f2 = time - %.17g; ", end);
      add(m.moves, sizeof m.moves, line);
      add(m.acts, sizeof m.acts, more_acts);
      hsml_run *run = go(&m, methods[k], until * end);
      CHECK_MSG(run->status == BRINK_TIME_REACHED, "%s", run->diag.message);
      for (int i = 0; i < FLAGS; i++) {
        char name[] = {'f', (char)('0' + i), '\0'};
        check_once(run, name, end, methods[k], place);
      }
      hsml_close(run);
    }
  }
}

TEST(flags_that_are_reached_where_a_run_ends_have_their_events) {
  try_all("", "1.0", "", false, "", 1.0);
  try_all("", "-1.0", "", false, "", 1.0);
}

TEST(unilateral_flags_that_are_reached_where_a_run_ends_have_their_events) {
  try_all(", unilateral", "-1.0", "", false, "", 1.0);
}

/* The timer turns both round at the very instant: they have arrived. */
TEST(flags_that_are_reached_when_a_clock_ticks_have_their_events) {
  static const char turn[] = "event(k) w0 := -1.0; w1 := -1.0; end event; ";
  try_all("", "-1.0", "timer(k);", true, turn, 1.0);
  try_all("", "-1.0", "timer(k);", true, turn, 1.5);
}

/* The flag has no action that leads away from it: the timer does. */
TEST(a_unilateral_surface_that_a_clock_leads_away_from_at_its_instant_does_not_block) {
  static const char turn[] = "event(k) w0 := -1.0; w1 := -1.0; end event; ";
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    if (methods[k] == BRINK_BDF) continue; /* its error may carry it there long before */
    text m = {"timer(k); ", "k := 3.0; ", "", ""};
    add_flag(&m, 0, 1, 3.0, 1.0, 0.0, ", unilateral", "w0");
    add_flag(&m, 1, 1, 3.0, 2.0, 1.0, ", unilateral", "w1");
    add(m.acts, sizeof m.acts, turn);
    hsml_run *run = go(&m, methods[k], 5.0);
    CHECK_MSG(run->status == BRINK_TIME_REACHED, "%s", run->diag.message);
    check_once(run, "f0", 3.0, methods[k], 0);
    check_once(run, "f1", 3.0, methods[k], 0);
    hsml_close(run);
  }
}

/* In two calls, with the same events as in one: none is found again where the second one begins. */
TEST(an_event_where_a_call_ends_is_not_repeated_in_the_next) {
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    for (int power = 1; power <= 2; power++) {
      text m = {{0}, {0}, {0}, {0}};
      add_flag(&m, 0, power, 3.0, 4.69, 0.0, "", "w0");
      hsml_run *run = go(&m, methods[k], 3.0);
      hsml_go(run, 5.0);
      CHECK_INT(run->status, BRINK_TIME_REACHED);
      CHECK_INT(hsml_count(run, "f0"), 1);
      hsml_close(run);
    }
  }
}

int main(void) {
  RUN(flags_that_are_reached_where_a_run_ends_have_their_events);
  RUN(unilateral_flags_that_are_reached_where_a_run_ends_have_their_events);
  RUN(flags_that_are_reached_when_a_clock_ticks_have_their_events);
  RUN(a_unilateral_surface_that_a_clock_leads_away_from_at_its_instant_does_not_block);
  RUN(an_event_where_a_call_ends_is_not_repeated_in_the_next);
  return check_done();
}
