/* An option changes the run, or the program says that it has no effect: for all methods, all ways to find events. */
#include "check.h"
#include "support/program.h"

#include <stdbool.h>
#include <stdlib.h>

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)

/* A swing, a floor that it reaches in an arc, a mark that it passes, speeds that it nearly reaches. */
static const char swing[] =
    "ctc Swing is\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real); state(v, real);\n"
    "      flag(floor_, unilateral); flag(mark); flag(fast); flag(quick);\n"
    "    end declarations;\n"
    "    initial x := 1.0; v := 0.0; end initial;\n"
    "    dynamics\n"
    "      x' = v; v' = -x - 0.05*v^3;\n"
    "      floor_ = x + 0.8; mark = x - 0.31; fast = v + 0.975; quick = v + 0.973;\n"
    "    end dynamics;\n"
    "    event(floor_)\n"
    "      negative-going v := 0.99 - v/100.0; end negative-going;\n"
    "    end event;\n"
    "  end body;\n"
    "end Swing;\n";

static const char free_fall[] = "ctc Fall is\n"
                                "  body\n"
                                "    declarations state(x, real); end declarations;\n"
                                "    initial x := 1.0; end initial;\n"
                                "    dynamics x' = -x; end dynamics;\n"
                                "  end body;\n"
                                "end Fall;\n";

/* Final values, events, near misses and counts, without seconds and without the echo of what was asked for. */
static char *essence(const outcome *o) {
  const char *from = strstr(o->out, "\"final\""), *to = strstr(o->out, "\"engine\"");
  if (from == NULL || to == NULL) return calloc(1, 1);
  return strndup(from, (size_t)(to - from));
}

static bool is_told(const outcome *o, const char *option) {
  char words[64];
  snprintf(words, sizeof words, "warning: --%s has no effect: ", option);
  return strstr(o->err, words) != NULL;
}

/* Runs with and without. */
static void compare(const char *base, const char *option, const char *value) {
  outcome plain = brink("run a.hsml --interpret --json --until 3 %s", base);
  outcome with = brink("run a.hsml --interpret --json --until 3 %s --%s %s", base, option, value);
  char *before = essence(&plain), *after = essence(&with);
  bool refused = with.exit == 2; /* wrong usage: told in other words */
  bool same = strcmp(before, after) == 0 && plain.exit == with.exit;
  CHECK_MSG(refused || same == is_told(&with, option), "%s --%s %s: %s, and it says: %s", base,
            option, value, same ? "nothing changes" : "the run changes", with.err);
  free(before);
  free(after);
  done(&plain);
  done(&with);
}

TEST(an_option_changes_the_run_or_is_said_to_have_no_effect) {
  static const char *const methods[] = {"--method taylor", "--method adams", "--method dopri",
                                        "--method rk4 --step 0.02", "--method bdf3 --step 0.01"};
  static const char *const events[] = {"extrapolate", "interpolate", "endpoint", "zlm", "mnm"};
  static const struct {
    const char *name, *value;
  } options[] = {{"gain", "published"},  {"gain", "fixed"}, {"gamma", "0.3"},
                 {"termination", "0.2"}, {"parts", "3"},    {"near-miss", "1e5"},
                 {"hmax", "0.011"},      {"order", "5"},    {"step", "0.004"}};
  write_file("a.hsml", swing);
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    for (size_t e = 0; e < sizeof events / sizeof *events; e++) {
      for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        char base[128];
        snprintf(base, sizeof base, "%s --events %s", methods[m], events[e]);
        compare(base, options[k].name, options[k].value);
      }
    }
  }
  compare("--method adams --gain published", "gamma", "0.3");
  compare("--method adams --gain published", "termination", "0.2");
  compare("--method dopri --gain fixed", "termination", "0.2");
  compare("--method dopri --gain fixed", "gamma", "0.2");
  compare("--method rk4 --step 0.02", "hmax", "1");
  compare("--method adams", "threads", "1");
  compare("--method adams", "clocks", "own");
  write_file("a.hsml", free_fall);
  compare("--method rk4 --step 0.02", "rtol", "1e-3");
  compare("--method rk4 --step 0.02", "tolerance", "1e-3");
  compare("--method dopri", "tolerance", "1e-3");
}

/* x = 1 - t: the event is declared where the flag is within the termination, not at the surface. */
TEST(termination_gain_and_parts_are_options_and_settings) {
  static const char edge[] =
      "ctc Edge is body declarations state(x, real); flag(edge, unilateral); end declarations;\n"
      "initial x := 1.0; end initial;\n"
      "dynamics x' = -1.0; edge = x; end dynamics;\n"
      "event(edge) negative-going stop(\"there\"); end negative-going; end event; end body;\n"
      "end Edge;\n"
      "system S is body components e : Edge; end components;\n"
      "simulation until : 2.0; method : \"adams\"; gain : \"fixed\"; gamma : 0.5; termination : "
      "0.01;\n"
      "parts : 4; end simulation; end body; end S;\n";
  write_file("a.hsml", edge);
  outcome o = brink("run a.hsml --interpret --json");
  CHECK_EXIT(o, 0);
  double x = json_member(json_member(o.summary, "final"), "e.x")->number;
  CHECK_MSG(x > 0.004 && x <= 0.01, "x = %g", x); /* halved until it is below */
  CHECK_CONTAINS(o.err, "'parts' of the simulation section has no effect");
  done(&o);
  o = brink("run a.hsml --interpret --json --gain published --termination 0.2 --hmax 0.1");
  x = json_member(json_member(o.summary, "final"), "e.x")->number;
  CHECK_MSG(x > 0.1 && x <= 0.2, "x = %g", x);
  CHECK_CONTAINS(o.err, "'gamma' of the simulation section has no effect");
  done(&o);
  o = brink("run a.hsml --interpret --json --gain margin --quiet");
  x = json_member(json_member(o.summary, "final"), "e.x")->number;
  CHECK_NEAR(x, 0.0, 1e-12);
  CHECK_MSG(o.err[0] == '\0', "%s", o.err);
  done(&o);
  o = brink("run a.hsml --gain large");
  CHECK_EXIT(o, 2);
  CHECK_CONTAINS(o.err, "it is one of margin, published or fixed");
  done(&o);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(an_option_changes_the_run_or_is_said_to_have_no_effect);
  RUN(termination_gain_and_parts_are_options_and_settings);
  program_leave(folder);
  return check_done();
}
