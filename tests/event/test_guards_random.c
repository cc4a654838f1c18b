/* Events of random guards along motions that are known exactly, by all methods: fast sines, pulses far ahead,
 * multiple roots, one-sided guards of time, tanks that touch zero again and again. The answers are closed formulas. */
#include "check.h"
#include "support/hsml_run.h"

enum { MODELS = 12, MOST = 4096 };

static const double tolerances[] = {1e-4, 1e-8, 1e-12};
static const brink_method methods[] = {BRINK_TAYLOR, BRINK_ADAMS, BRINK_DOPRI};

static unsigned long long seed;

static double draw(double low, double high) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

typedef struct answer {
  const char *flag;
  size_t count;
  double t[MOST];
  double end, within;
} answer;

static void compare(const char *text, const answer *exact) {
  for (size_t m = 0; m < 3; m++) {
    for (size_t k = 0; k < 3; k++) {
      hsml_wishes wishes = hsml_default(tolerances[k]);
      wishes.options.method = methods[m];
      hsml_run *run = hsml_open(text, &wishes);
      hsml_go(run, exact->end);
      CHECK_MSG(run->status >= 0, "%s at %g: %s\n%s", brink_method_name(methods[m]), tolerances[k],
                run->diag.message, text);
      CHECK_INT(hsml_stats(run)->rhs_past_guard, 0);
      size_t count = hsml_count(run, exact->flag);
      CHECK_MSG(count == exact->count, "%s at %g: %zu events of %zu\n%s",
                brink_method_name(methods[m]), tolerances[k], count, exact->count, text);
      for (size_t j = 0; j < count && j < exact->count; j++)
        CHECK_NEAR(hsml_time(run, exact->flag, j + 1), exact->t[j], exact->within);
      hsml_close(run);
    }
  }
}

/* A guard of x = t, or of time. */
static void along(const char *side, const char *guard, const char *rest, const answer *exact) {
  char text[1024];
  snprintf(text, sizeof text,
           HSML_MODEL("state(x, real); flag(g%s);", "x := 0.0;", "x' = 1.0; g = %s;", "%s"), side,
           guard, rest);
  compare(text, exact);
}

TEST(all_events_of_a_fast_sine_are_found_in_one_step) {
  static answer exact = {.flag = "g", .end = 10.0, .within = 1e-9};
  char guard[256];
  seed = 1;
  for (int n = 0; n < MODELS; n++) {
    double w = pow(10.0, draw(0.0, 2.5)), c = draw(-0.95, 0.95), first = asin(c), pi = acos(-1.0);
    snprintf(guard, sizeof guard, "sin(%.17g*time) - (%.17g)", w, c);
    exact.count = 0;
    for (int k = 0; exact.count < MOST; k++) { /* rising and falling in turn */
      double t = (k % 2 == 0 ? first : -first) / w + k * pi / w;
      if (t > exact.end) break;
      if (t > 0.0) exact.t[exact.count++] = t;
    }
    along("", guard, "", &exact);
  }
}

TEST(a_pulse_far_ahead_is_found_both_ways) {
  static answer exact = {.flag = "g", .count = 2, .end = 10.0, .within = 1e-8};
  char guard[256];
  seed = 2;
  for (int n = 0; n < MODELS; n++) {
    double s = pow(10.0, draw(-0.3, 0.9)), m = draw(4.0, 6.0), c = draw(0.2, 0.9);
    double half = sqrt(-log(c)) / s;
    snprintf(guard, sizeof guard, "exp(-(%.17g*(x - %.17g))^2) - %.17g", s, m, c);
    exact.t[0] = m - half, exact.t[1] = m + half;
    along("", guard, "", &exact);
  }
}

TEST(double_roots_are_none_and_simple_ones_are_found) {
  static answer exact = {.flag = "g", .end = 6.0, .within = 1e-6};
  char guard[256];
  seed = 3;
  for (int n = 0; n < MODELS; n++) {
    double a = floor(draw(8, 32)) / 16.0, b = a + floor(draw(8, 32)) / 16.0;
    bool first = draw(0.0, 1.0) < 0.5;
    snprintf(guard, sizeof guard, "(x - %.17g)^%d*(x - %.17g)^%d", a, first ? 1 : 2, b,
             first ? 2 : 1);
    exact.count = 1;
    exact.t[0] = first ? a : b;
    along("", guard, "", &exact);
  }
}

TEST(one_sided_guards_of_time_are_reached_to_rounding) {
  static answer exact = {.flag = "g", .count = 1, .end = 20.0, .within = 1e-10};
  static const char rest[] =
      "event(g) positive-going stop(\"there\"); end positive-going; end event;";
  char guard[256];
  seed = 4;
  for (int n = 0; n < 2 * MODELS; n++) {
    double a = draw(0.3, 5.0), c = draw(0.1, 0.95);
    if (n % 2 == 0)
      snprintf(guard, sizeof guard, "%.17g - exp(-%.17g*time)", c, a);
    else
      snprintf(guard, sizeof guard, "log(1.0 + %.17g*time) - %.17g", a, c);
    exact.t[0] = n % 2 == 0 ? -log(c) / a : (exp(c) - 1.0) / a;
    along(", unilateral", guard, rest, &exact);
  }
}

/* h' = -a sqrt h touches zero at 2 sqrt(h)/a; then it is filled. */
TEST(a_tank_touches_zero_as_often_as_it_is_drained) {
  static answer exact = {.flag = "empty", .end = 20.0, .within = 0.05};
  char text[1024];
  seed = 5;
  for (int n = 0; n < MODELS; n++) {
    double a = draw(0.5, 3.0), b = draw(0.5, 5.0), top = draw(0.5, 3.0), h = draw(0.2, 0.9) * top;
    snprintf(
        text, sizeof text,
        HSML_MODEL("state(h, real); mode(m, {\"drain\", \"fill\"});"
                   "flag(empty, unilateral); flag(full);",
                   "h := %.17g; m := \"drain\";",
                   "h' = if m = \"drain\" then -%.17g*sqrt(%s) else %.17g; empty = h;"
                   "full = h - %.17g;",
                   "event(empty) negative-going m := \"fill\"; end negative-going; end event;"
                   "event(full) positive-going m := \"drain\"; end positive-going; end event;"),
        h, a, n % 2 == 0 ? "h" : "max(h, 0.0)", b, top);
    exact.count = 0;
    for (double t = 2.0 * sqrt(h) / a; t < exact.end; t += top / b + 2.0 * sqrt(top) / a)
      exact.t[exact.count++] = t;
    if (exact.count > 0 && exact.t[exact.count - 1] > exact.end - 0.1) continue;
    compare(text, &exact);
  }
}

int main(void) {
  RUN(all_events_of_a_fast_sine_are_found_in_one_step);
  RUN(a_pulse_far_ahead_is_found_both_ways);
  RUN(double_roots_are_none_and_simple_ones_are_found);
  RUN(one_sided_guards_of_time_are_reached_to_rounding);
  RUN(a_tank_touches_zero_as_often_as_it_is_drained);
  return check_done();
}
