/* The program as a user meets it: exit codes, messages, JSON, CSV, interruption, full disks.
 *
 * Every test runs the program in a directory of its own, with small models written there. */
#define _XOPEN_SOURCE 700 /* realpath */
#define _DEFAULT_SOURCE
#include "check.h"
#include "support/formats.h"
#include "support/program.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the models ---- */

static const char tank[] = "ctc Tank is\n"
                           "  interface\n"
                           "    input(inflow, signal, (0.0, 5.0));\n"
                           "    output(level, signal, (0.0, 10.0));\n"
                           "    knob(area);\n"
                           "    knob(k);\n"
                           "  end interface;\n"
                           "  body\n"
                           "    declarations\n"
                           "      state(h, real, (0.0, 10.0));\n"
                           "      parameter(area, real, (0.1, 100.0));\n"
                           "      parameter(k, real, (0.0, 10.0));\n"
                           "      mode(phase, {\"draining\", \"empty\"});\n"
                           "      flag(empty, unilateral);\n"
                           "    end declarations;\n"
                           "    initial\n"
                           "      h := 4.0;\n"
                           "      phase := \"draining\";\n"
                           "    end initial;\n"
                           "    dynamics\n"
                           "      if phase = \"draining\" then\n"
                           "        h' = (inflow - k*sqrt(h))/area;\n"
                           "      else\n"
                           "        h' = 0.0;\n"
                           "      end if;\n"
                           "      empty = h - 1e-6;\n"
                           "    end dynamics;\n"
                           "    output\n"
                           "      level = h;\n"
                           "    end output;\n"
                           "    event(empty)\n"
                           "      negative-going\n"
                           "        phase := \"empty\";\n"
                           "        note(\"dry\", h, phase);\n"
                           "      end negative-going;\n"
                           "    end event;\n"
                           "    assignments\n"
                           "      area : 1.0;\n"
                           "      k : 1.0;\n"
                           "      inflow : 0.0;\n"
                           "    end assignments;\n"
                           "  end body;\n"
                           "end Tank;\n"
                           "system Yard is\n"
                           "  interface\n"
                           "    output(total, signal);\n"
                           "  end interface;\n"
                           "  body\n"
                           "    components\n"
                           "      plant : Tank(area : 2.0);\n"
                           "    end components;\n"
                           "    connections\n"
                           "      connect(plant.level, total);\n"
                           "    end connections;\n"
                           "    simulation\n"
                           "      until : 10.0;\n"
                           "      tolerance : 1e-8;\n"
                           "    end simulation;\n"
                           "  end body;\n"
                           "end Yard;\n";

/* No end time; x = t; ends by what `how` says at x = 1. */
#define RAMP(how)                                                                                  \
  "ctc Ramp is\n  body\n    declarations\n      state(x, real, (-1.0, 3.0));\n"                    \
  "      parameter(slope, real);\n      flag(one);\n    end declarations;\n"                       \
  "    initial\n      x := 0.0;\n    end initial;\n"                                               \
  "    dynamics\n      x' = slope;\n      one = x - 1.0;\n    end dynamics;\n"                     \
  "    event(one)\n      positive-going\n        " how "\n      end positive-going;\n"             \
  "    end event;\n    assignments\n      slope : 1.0;\n    end assignments;\n  end body;\n"       \
  "end Ramp;\n"

static const char bounce[] =
    "ctc Ball is\n  body\n    declarations\n      state(y, real);\n      state(v, real);\n"
    "      flag(ground, unilateral);\n    end declarations;\n"
    "    initial\n      y := 1.0;\n      v := 0.0;\n    end initial;\n"
    "    dynamics\n      y' = v;\n      v' = -10.0;\n      ground = y;\n    end dynamics;\n"
    "    event(ground)\n      negative-going\n        v := -0.5*v;\n      end negative-going;\n"
    "    end event;\n  end body;\nend Ball;\n";

static const char supervised[] =
    "ctc Plant is\n  interface\n    output(y, signal);\n  end interface;\n  body\n"
    "    declarations\n      state(x, real);\n    end declarations;\n"
    "    initial\n      x := 0.0;\n    end initial;\n"
    "    dynamics\n      x' = 1.0;\n    end dynamics;\n"
    "    output\n      y = abs(x - 3.5);\n    end output;\n  end body;\nend Plant;\n"
    "lbc Watch is\n  interface\n    input(level, real);\n"
    "    output(alarm, string, {\"off\", \"on\"});\n  end interface;\n  body\n"
    "    declarations\n      mode(a, {\"off\", \"on\"});\n    end declarations;\n"
    "    initial\n      a := \"off\";\n    end initial;\n"
    "    rules\n      when level < 1.5 do a := \"on\"; end when;\n    end rules;\n"
    "    output\n      alarm = a;\n    end output;\n  end body;\nend Watch;\n"
    "composite Both is\n  body\n    components\n      p : Plant;\n      w : Watch;\n"
    "    end components;\n    connections\n      connect(p.y, w.level);\n    end connections;\n"
    "  end body;\nend Both;\n";

static const char cars[] =
    "ctc Car is\n  body\n    declarations\n      state(x, real);\n      state(v, real);\n"
    "    end declarations;\n    initial\n      x := 0.0;\n      v := 0.0;\n    end initial;\n"
    "    dynamics\n      x' = v;\n      v' = 0.0;\n    end dynamics;\n  end body;\nend Car;\n"
    "system Road is\n  body\n    components\n      car[3] : Car;\n    end components;\n"
    "    initial\n      car[2].x := 1.0;\n      car[3].x := 5.0;\n      car[1].v := 1.0;\n"
    "    end initial;\n"
    "    agents\n      population(car);\n      pair(a, b) in car\n"
    "        declarations\n          flag(gap);\n        end declarations;\n"
    "        dynamics\n          gap = b.x - a.x;\n        end dynamics;\n"
    "        event(gap)\n          negative-going\n            a.v := b.v;\n            b.v := "
    "a.v;\n"
    "          end negative-going;\n        end event;\n      end pair;\n    end agents;\n"
    "    simulation\n      until : 2.0;\n    end simulation;\n  end body;\nend Road;\n";

/* ---- running ---- */

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)

static const json *get(const json *value, const char *a, const char *b) {
  value = json_member(value, a);
  return b != NULL ? json_member(value, b) : value;
}

static const char *text_of(const json *value) {
  return value != NULL && value->text != NULL ? value->text : "";
}

static double number_of(const json *value) {
  return value != NULL && value->kind == JSON_NUMBER ? value->number : (double)NAN;
}

/* ---- usage ---- */

TEST(help_and_version_go_to_standard_output) {
  static const char *const ways[] = {"--help", "help", "run --help", "help fmt",       "--version",
                                     "-V",     "-h",   "emit -h",    "check --version"};
  for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
    outcome o = brink("%s", ways[k]);
    CHECK_EXIT(o, 0);
    CHECK(o.out[0] != '\0' && o.err[0] == '\0');
    done(&o);
  }
  outcome o = brink("run --help");
  CHECK_CONTAINS(o.out, "--until T");
  CHECK_CONTAINS(o.out, "Exit codes");
  CHECK_CONTAINS(o.out, "--resume FILE");
  done(&o);
}

TEST(wrong_usage_is_exit_2_and_says_what_is_wrong) {
  static const struct {
    const char *arguments, *says;
  } cases[] = {
      {"", "which command?"},
      {"rnu tank.hsml", "did you mean 'run'?"},
      {"tank.hsml", "brink run tank.hsml"},
      {"run", "which model?"},
      {"run tank.hsml tank.hsml", "one too many"},
      {"run tank.hsml --untl 3", "did you mean --until?"},
      {"run tank.hsml --until", "--until needs an argument"},
      {"run tank.hsml --until soon", "there is no 'soon' here"},
      {"run tank.hsml --until 2*", "found the end\n  2*\n    ^"},
      {"run tank.hsml --until [1,2]", "not one number"},
      {"run tank.hsml --from inf", "not a finite number"},
      {"run tank.hsml --seed 2^0.5", "whole number"},
      {"run tank.hsml --set plant.area=2*x", "plant.area=2*x\n               ^"},
      {"run tank.hsml --json=yes", "takes no argument"},
      {"run tank.hsml -z", "unknown option '-z'"},
      {"run tank.hsml --zzzzzz", "unknown option '--zzzzzz'"},
      {"run tank.hsml --report a.pdf", "FILE.html"},
      {"run tank.hsml --checkpoint a", "--checkpoint-every T"},
      {"run tank.hsml --checkpoint-every 1", "--checkpoint FILE"},
      {"run tank.hsml --checkpoint a --checkpoint-every 0", "above 0"},
      {"condition tank.hsml --checkpoint a", "--checkpoint-every T"},
      {"run tank.hsml --checkpoint a --checkpoint-every 1 --out -", "standard output"},
      {"run tank.hsml --method newton", "it is one of auto, adams"},
      {"run tank.hsml --method tailor", "did you mean taylor?"},
      {"run tank.hsml --events extrapolat", "did you mean extrapolate?"},
      {"completion", "which shell?"},
      {"completion tcsh", "bash, zsh or fish"},
      {"completion bsh", "did you mean bash?"},
      {"manual rnu", "did you mean 'run'?"},
      {"manual run check", "one too many"},
      {"run tank.hsml --method rk4", "give --step"},
      {"run tank.hsml --events magic", "it is one of"},
      {"run tank.hsml --range ignore", "it is one of"},
      {"run tank.hsml --rtol 0 --atol 0", "both 0"},
      {"run tank.hsml --rtol -1", "at least 0"},
      {"run tank.hsml --order 31", "1 to 30"},
      {"run tank.hsml --order 13 --method adams", "1 to 12"},
      {"run tank.hsml --order 4 --method dopri", "--order is for adams"},
      {"run tank.hsml --hmin 2 --hmax 1", "larger than"},
      {"run tank.hsml --gamma 1.5", "below 1"},
      {"run tank.hsml --every 0", "above 0"},
      {"run tank.hsml --seed -3", "whole number"},
      {"run tank.hsml --threads 0", "whole number"},
      {"run tank.hsml --out result.txt", "the ending decides"},
      {"run tank.hsml --json --out -", "standard output"},
      {"run tank.hsml --set k", "PATH=VALUE"},
      {"run tank.hsml --set plant.zzz=1", "zzz"},
      {"run tank.hsml --set nobody.k=1", "did you mean plant.k?"},
      {"run tank.hsml --set plant.aera=1", "did you mean plant.area?"},
      {"run tank.hsml --set area=1", "did you mean plant.area?"},
      {"run tank.hsml --set plant[2].area=1", "did you mean plant.area?"},
      {"run tank.hsml --set plnt.hh=1 --set plant.h=2", "did you mean plant.h?"},
      {"run tank.hsml --set plant.phase=emtpy", "draining, empty; did you mean empty?"},
      {"run tank.hsml --top Tank --set inflw=1", "did you mean inflow?"},
      {"run cars.hsml --set car[2].y=1", "car[2].y"},
      {"run cars.hsml --set car[9].x=1", "did you mean car.x?"},
      {"run tank.hsml --top Nobody", "Nobody"},
      {"run tank.hsml --top Yrad", "did you mean Yard?"},
      {"run ramp.hsml", "no end time"},
      {"fmt tank.hsml --until 3", "has no option --until"},
      {"fmt tank.hsml --check --write", "exclude each other"},
      {"fmt - --write <tank.hsml", "needs a file"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    outcome o = brink("%s", cases[k].arguments);
    CHECK_MSG(o.exit == 2, "brink %s: exit %d", cases[k].arguments, o.exit);
    CHECK_MSG(strstr(o.err, cases[k].says) != NULL, "brink %s says: %s", cases[k].arguments, o.err);
    CHECK_MSG(o.out[0] == '\0', "brink %s prints: %s", cases[k].arguments, o.out);
    done(&o);
  }
}

TEST(files_that_cannot_be_read_or_written_are_exit_5) {
  static const struct {
    const char *arguments, *says;
  } cases[] = {
      {"run nowhere.hsml --until 1", "cannot read nowhere.hsml"},
      {"check nowhere.hsml", "cannot read"},
      {"fmt .", "cannot read"},
      {"run tank.hsml --out nowhere/a.csv", "cannot write nowhere/a.csv"},
      {"run tank.hsml --out full.csv", "No space left"},
      {"run tank.hsml --out full.csv --every 1e-5", "No space left"},
      {"run tank.hsml --out - >/dev/full", "No space left"},
      {"run tank.hsml >/dev/full", "No space left"},
      {"run tank.hsml --json >/dev/full", "No space left"},
      {"--help >/dev/full", "No space left"},
      {"emit tank.hsml >/dev/full", "No space left"},
      {"fmt tank.hsml >/dev/full", "No space left"},
      {"run tank.hsml --resume nothing.ck", "cannot read the checkpoint"},
      {"run tank.hsml --resume tank.hsml", "not a checkpoint"},
      {"run tank.hsml --checkpoint none/a --checkpoint-every 0.1", "cannot write the checkpoint"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    outcome o = brink("%s", cases[k].arguments);
    CHECK_MSG(o.exit == 5, "brink %s: exit %d: %s", cases[k].arguments, o.exit, o.err);
    CHECK_MSG(strstr(o.err, cases[k].says) != NULL, "brink %s says: %s", cases[k].arguments, o.err);
    done(&o);
  }
}

TEST(a_run_that_is_resumed_has_the_results_of_one_that_was_not_stopped) {
  outcome whole = brink("run tank.hsml --json --every 0.01 --out whole.csv");
  outcome saved = brink("run tank.hsml --json --every 0.01 --out cut.csv --checkpoint tank.ck "
                        "--checkpoint-every 0.5");
  CHECK_EXIT(saved, whole.exit);
  outcome resumed = brink("run tank.hsml --json --every 0.01 --out cut.csv --resume tank.ck");
  CHECK_EXIT(resumed, whole.exit);
  CHECK(strncmp(resumed.out, whole.out, strcspn(whole.out, "{") + 200) == 0);
  size_t lengths[2];
  char *a = read_whole_file("whole.csv", &lengths[0]), *b = read_whole_file("cut.csv", &lengths[1]);
  CHECK(a != NULL && b != NULL && lengths[0] > 1000 && strcmp(a, b) == 0);
  outcome other =
      brink("run tank.hsml --json --every 0.01 --out cut.csv --resume tank.ck --rtol 1e-3");
  CHECK_EXIT(other, 2);
  CHECK_CONTAINS(other.err, "another rtol");
  free(a);
  free(b);
  done(&whole);
  done(&saved);
  done(&resumed);
  done(&other);
}

/* Seconds that the machine needed, and whether and when there was code, are left out: the last of the statistics, and a line. */
static char *without_seconds(char *text) {
  static const char *const parts[][2] = {{"\"engine\":", "}"}, {"\ntime  ", "\n"}};
  for (size_t k = 0; k < 2; k++) {
    char *at = text != NULL ? strstr(text, parts[k][0]) : NULL;
    const char *end = at != NULL ? at + 1 + strcspn(at + 1, parts[k][1]) : NULL;
    if (at != NULL) memmove(at, end, strlen(end) + 1);
  }
  return text;
}

TEST(a_report_a_plot_and_conditions_are_resumed_with_the_run) {
  static const char *const commands[] = {"run tank.hsml --report page.html --json",
                                         "run tank.hsml --plot plant.h,plant.phase",
                                         "condition tank.hsml --sensitivity",
                                         /* one text: in parentheses */
                                         ("condition tank.hsml --sensitivity --json "
                                          "--against rk4 --step 0.01")};
  for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++) {
    outcome saved = brink("%s --checkpoint c.ck --checkpoint-every 0.7", commands[k]);
    CHECK_EXIT(saved, 0);
    size_t length;
    char *page = k == 0 ? without_seconds(read_whole_file("page.html", &length)) : NULL;
    outcome resumed = brink("%s --resume c.ck", commands[k]);
    CHECK_EXIT(resumed, 0);
    CHECK_MSG(strcmp(without_seconds(resumed.out), without_seconds(saved.out)) == 0, "%s: %s\n%s",
              commands[k], saved.out, resumed.out);
    char *again = k == 0 ? without_seconds(read_whole_file("page.html", &length)) : NULL;
    CHECK(k > 0 || (page != NULL && again != NULL && strcmp(page, again) == 0));
    free(page);
    free(again);
    done(&saved);
    done(&resumed);
  }
}

/* ---- the summary ---- */

TEST(json_has_every_field_of_the_contract) {
  outcome o = brink("run tank.hsml --json --audit");
  CHECK_EXIT(o, 0);
  CHECK_MSG(o.summary != NULL, "no JSON: %s", o.out);
  CHECK(strcmp(text_of(get(o.summary, "model", NULL)), "Yard") == 0);
  CHECK(strcmp(text_of(get(o.summary, "status", NULL)), "finished") == 0);
  CHECK_NEAR(number_of(get(o.summary, "t", NULL)), 10.0, 0.0);
  CHECK_NEAR(number_of(get(o.summary, "seed", NULL)), 1.0, 0.0);
  CHECK(strcmp(text_of(get(o.summary, "method", NULL)), "taylor") == 0);
  CHECK(strstr(text_of(get(o.summary, "stats", "chosen_because")), "Taylor series") != NULL);
  CHECK(strcmp(text_of(get(o.summary, "events_method", NULL)), "extrapolate") == 0);
  CHECK_NEAR(number_of(get(o.summary, "rtol", NULL)), 1e-8, 0.0);
  CHECK_NEAR(number_of(get(o.summary, "atol", NULL)), 1e-11, 0.0);
  CHECK(strcmp(text_of(get(o.summary, "final", "plant.phase")), "empty") == 0);
  CHECK_NEAR(number_of(get(o.summary, "final", "plant.h")), 1e-6, 1e-9);
  CHECK_NEAR(number_of(get(o.summary, "final", "total")), 1e-6, 1e-9);
  CHECK(json_member(o.summary, "sliding") == NULL);
  static const char *const stats[] = {"steps", "rejected",       "rhs",       "guards",
                                      "roots", "rhs_past_guard", "compile_s", "wall_s"};
  for (size_t k = 0; k < sizeof stats / sizeof stats[0]; k++)
    CHECK_MSG(number_of(get(o.summary, "stats", stats[k])) >= 0.0, "stats.%s", stats[k]);
  CHECK_NEAR(number_of(get(o.summary, "stats", "rhs_past_guard")), 0.0, 0.0);
  const json *event = json_at(get(o.summary, "events", NULL), 0);
  CHECK(strcmp(text_of(json_member(event, "flag")), "plant.empty") == 0);
  CHECK(strcmp(text_of(json_member(event, "direction")), "negative") == 0);
  /* area = 2, k = 1: sqrt(h) falls by 1/4 each second, from 2 to 1e-3 */
  CHECK_NEAR(number_of(json_member(event, "t")), 4.0 * (2.0 - 1e-3), 1e-4);
  CHECK_NEAR(number_of(get(event, "state", "plant.h")), 1e-6, 1e-8);
  CHECK(get(event, "state", "plant.phase") == NULL);
  CHECK(strcmp(text_of(get(event, "after", "plant.phase")), "empty") == 0);
  CHECK(json_member(event, "condition") != NULL);
  const json *note = json_at(json_member(event, "note"), 0);
  CHECK(strcmp(text_of(json_at(note, 0)), "dry") == 0);
  CHECK_NEAR(number_of(json_at(note, 1)), 1e-6, 1e-8);
  CHECK(strcmp(text_of(json_at(note, 2)), "draining") == 0);
  CHECK(json_at(get(o.summary, "events", NULL), 1) == NULL);
  done(&o);
}

TEST(the_command_line_wins_over_the_model) {
  outcome o = brink("run tank.hsml --json --until 2 --rtol 1e-5 --method dopri --events "
                    "interpolate --seed 7 --threads 3 --interpret");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(number_of(get(o.summary, "t", NULL)), 2.0, 0.0);
  CHECK_NEAR(number_of(get(o.summary, "rtol", NULL)), 1e-5, 0.0);
  CHECK_NEAR(number_of(get(o.summary, "atol", NULL)), 1e-11, 0.0); /* of the model's tolerance */
  CHECK_NEAR(number_of(get(o.summary, "seed", NULL)), 7.0, 0.0);
  CHECK(strcmp(text_of(get(o.summary, "method", NULL)), "dopri") == 0);
  CHECK(strcmp(text_of(get(o.summary, "events_method", NULL)), "interpolate") == 0);
  CHECK(strcmp(text_of(get(o.summary, "stats", "engine")), "interpreter") == 0);
  CHECK_NEAR(number_of(get(o.summary, "final", "plant.h")), 2.25, 1e-4); /* (2 - 2/4)^2 */
  done(&o);
  o = brink("run tank.hsml --json --atol 1e-4 --tolerance 1e-5");
  CHECK_NEAR(number_of(get(o.summary, "rtol", NULL)), 1e-5, 0.0);
  CHECK_NEAR(number_of(get(o.summary, "atol", NULL)), 1e-4, 0.0);
  done(&o);
  o = brink("run tank.hsml --json --method rk4 --step 0.01 --until 1 --gamma 0.3");
  CHECK_EXIT(o, 0);
  CHECK(strcmp(text_of(get(o.summary, "method", NULL)), "rk4") == 0);
  CHECK_NEAR(number_of(get(o.summary, "stats", "steps")), 100.0, 5.0);
  done(&o);
}

TEST(parameters_and_initial_values_can_be_set) {
  outcome o = brink("run tank.hsml --json --until 1 --set plant.area=1 --set plant.h=1 --set "
                    "plant.h=9.0");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(number_of(get(o.summary, "final", "plant.h")), 6.25, 1e-6); /* (3 - 1/2)^2 */
  done(&o);
  o = brink("run tank.hsml --json --until 1 --top Tank --set inflow=1 --set h=1");
  CHECK_EXIT(o, 0);
  CHECK(strcmp(text_of(get(o.summary, "model", NULL)), "Tank") == 0);
  CHECK_NEAR(number_of(get(o.summary, "final", "h")), 1.0, 1e-6); /* in = out */
  done(&o);
}

TEST(a_model_may_come_from_standard_input_and_dashes_end_options) {
  outcome o = brink("run - --json <tank.hsml");
  CHECK_EXIT(o, 0);
  CHECK(o.summary != NULL);
  done(&o);
  o = brink("run --json -- tank.hsml");
  CHECK_EXIT(o, 0);
  done(&o);
  o = brink("run -- --json");
  CHECK_EXIT(o, 5); /* a file of that name */
  done(&o);
}

TEST(the_interpreter_and_native_code_give_the_same_object) {
  outcome a = brink("run tank.hsml --json --native"), b = brink("run tank.hsml --json --interpret");
  char *ends[] = {strstr(a.out, "\"stats\""), strstr(b.out, "\"stats\"")};
  CHECK(ends[0] != NULL && ends[1] != NULL);
  if (ends[0] != NULL && ends[1] != NULL) {
    *ends[0] = *ends[1] = '\0';
    CHECK(strcmp(a.out, b.out) == 0);
  }
  done(&a);
  done(&b);
}

TEST(files_do_not_tell_which_code_has_run) {
  static const char *const ways[] = {"", "--native", "--interpret"};
  static const char *const endings[] = {"csv", "mat"};
  for (size_t e = 0; e < 2; e++) {
    for (size_t k = 0; k < 3; k++) {
      outcome o = brink("run tank.hsml --quiet --out way%zu.%s %s", k, endings[e], ways[k]);
      CHECK_EXIT(o, 0);
      done(&o);
    }
    char command[100];
    snprintf(command, sizeof command, "cmp way0.%s way1.%s && cmp way1.%s way2.%s", endings[e],
             endings[e], endings[e], endings[e]);
    CHECK(system(command) == 0);
  }
  outcome both = brink("run tank.hsml --native --interpret");
  CHECK_EXIT(both, 2);
  CHECK_CONTAINS(both.err, "--native waits for the C compiler");
  done(&both);
}

TEST(the_summary_for_a_person_names_what_matters) {
  outcome o = brink("run tank.hsml");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "Yard finished at t = 10");
  CHECK_CONTAINS(o.out, "1 event");
  CHECK_CONTAINS(o.out, "plant.empty");
  CHECK_CONTAINS(o.out, "plant.phase = empty");
  CHECK_CONTAINS(o.out, "rejected");
  CHECK(strstr(o.out, "error:") == NULL);
  done(&o);
  o = brink("run tank.hsml --quiet");
  CHECK_EXIT(o, 0);
  CHECK(o.out[0] == '\0' && o.err[0] == '\0');
  done(&o);
  o = brink("run tank.hsml --progress always --quiet");
  CHECK_CONTAINS(o.err, "steps");
  done(&o);
}

/* Without the sequences that colour it. */
static char *without_colours(const char *text) {
  char *plain = calloc(strlen(text) + 1, 1), *to = plain;
  for (; plain != NULL && *text != '\0'; text++) {
    if (*text != '\033') {
      *to++ = *text;
      continue;
    }
    CHECK_MSG(text[1] == '[', "%s", text);
    text += strcspn(text, "m");
  }
  return plain;
}

TEST(colours_are_only_where_they_are_wanted) {
  outcome o = brink("run tank.hsml --interpret --until 9");
  CHECK(strchr(o.out, '\033') == NULL); /* a file is no terminal */
  outcome c = brink("run tank.hsml --interpret --until 9 --color always");
  CHECK_CONTAINS(c.out, "\033[1;32mfinished\033[0m");
  char *plain = without_colours(c.out), *ends[] = {strstr(plain, "time"), strstr(o.out, "time")};
  CHECK(ends[0] != NULL && ends[1] != NULL);
  if (ends[0] != NULL && ends[1] != NULL) *ends[0] = *ends[1] = '\0';
  CHECK_MSG(strcmp(plain, o.out) == 0, "%s", plain); /* the same words */
  free(plain);
  done(&o);
  done(&c);
  o = brink("run fail.hsml --until 9 --color always");
  CHECK_CONTAINS(o.out, "\033[1;31mfailed\033[0m");
  done(&o);
  o = brink("run tank.hsml --json --color always");
  CHECK(strchr(o.out, '\033') == NULL);
  done(&o);
}

/* ---- how runs end ---- */

TEST(stop_is_a_normal_end) {
  outcome o = brink("run stop.hsml --json --until 5");
  CHECK_EXIT(o, 0);
  CHECK(strcmp(text_of(get(o.summary, "status", NULL)), "stopped") == 0);
  CHECK(strcmp(text_of(get(o.summary, "message", NULL)), "that is enough") == 0);
  CHECK_NEAR(number_of(get(o.summary, "t", NULL)), 1.0, 1e-9);
  CHECK(json_at(get(o.summary, "events", NULL), 0) != NULL);
  done(&o);
  o = brink("run stop.hsml --until 5");
  CHECK_CONTAINS(o.out, "Ramp stopped at t = 1: that is enough");
  done(&o);
}

TEST(fail_is_exit_1_with_its_event_and_message) {
  outcome o = brink("run fail.hsml --json --until 5");
  CHECK_EXIT(o, 1);
  CHECK(strcmp(text_of(get(o.summary, "status", NULL)), "failed") == 0);
  CHECK(strcmp(text_of(get(o.summary, "reason", NULL)), "fail") == 0);
  CHECK(strcmp(text_of(get(o.summary, "message", NULL)), "too far") == 0);
  CHECK_CONTAINS(o.err, "too far");
  CHECK(strcmp(text_of(get(json_at(get(o.summary, "events", NULL), 0), "flag", NULL)), "one") == 0);
  done(&o);
}

TEST(leaving_a_range_is_exit_1_or_a_warning) {
  outcome o = brink("run ramp.hsml --json --until 5");
  CHECK_EXIT(o, 1);
  CHECK(strcmp(text_of(get(o.summary, "reason", NULL)), "range") == 0);
  CHECK_NEAR(number_of(get(o.summary, "t", NULL)), 3.0, 1e-4);
  CHECK_CONTAINS(o.err, "x");
  done(&o);
  o = brink("run ramp.hsml --json --until 5 --range warn");
  CHECK_EXIT(o, 0);
  CHECK_NEAR(number_of(get(o.summary, "final", "x")), 5.0, 1e-6);
  CHECK_CONTAINS(text_of(json_at(get(o.summary, "warnings", NULL), 0)), "x");
  done(&o);
}

TEST(accumulation_is_exit_4_with_its_time_and_flags) {
  outcome o = brink("run bounce.hsml --json --until 5");
  CHECK_EXIT(o, 4);
  CHECK(strcmp(text_of(get(o.summary, "reason", NULL)), "zeno") == 0);
  /* sqrt(2/10) (1 + 2 (1/2 + 1/4 + …)) */
  CHECK_NEAR(number_of(get(o.summary, "zeno", "t")), 3.0 * sqrt(0.2), 1e-5);
  CHECK(strcmp(text_of(json_at(get(o.summary, "zeno", "flags"), 0)), "ground") == 0);
  CHECK(json_at(get(o.summary, "zeno", "flags"), 1) == NULL);
  CHECK_CONTAINS(o.err, "zeno continue");
  done(&o);
}

TEST(a_blocked_surface_is_exit_4_and_names_the_flag) {
  outcome o = brink("run blocked.hsml --json --until 5");
  CHECK_EXIT(o, 4);
  CHECK(strcmp(text_of(get(o.summary, "reason", NULL)), "blocked") == 0);
  CHECK_CONTAINS(text_of(get(o.summary, "message", NULL)), "'one'");
  CHECK(strstr(o.err, "BRINK_") == NULL);
  done(&o);
}

/* ---- what is listed ---- */

TEST(rules_and_flags_of_the_compiler_are_events) {
  outcome o = brink("run supervised.hsml --json --until 10");
  CHECK_EXIT(o, 0);
  const json *rule = NULL, *made = NULL;
  size_t rules = 0;
  for (const json *e = json_at(get(o.summary, "events", NULL), 0); e != NULL; e = e->next) {
    if (strcmp(text_of(json_member(e, "flag")), "w.rule[1]") == 0) rule = e, rules++;
    if (json_member(e, "generated") != NULL) made = e;
  }
  CHECK_INT(rules, 1); /* when it becomes true, not when it becomes false */
  CHECK_NEAR(number_of(json_member(rule, "t")), 2.0, 1e-6);
  CHECK(strcmp(text_of(get(rule, "after", "w.a")), "on") == 0);
  CHECK_NEAR(number_of(json_member(made, "t")), 3.5, 1e-6);
  CHECK(strncmp(text_of(json_member(made, "flag")), "p@", 2) == 0);
  CHECK(strcmp(text_of(json_member(made, "text")), "abs(x - 3.5)") ==
        0); /* beside the stable name */
  CHECK(json_member(rule, "text") == NULL);
  CHECK(strcmp(text_of(get(o.summary, "final", "w.alarm")), "on") == 0);
  done(&o);
}

TEST(pairs_name_their_agents) {
  outcome o = brink("run cars.hsml --json");
  CHECK_EXIT(o, 0);
  const json *event = json_at(get(o.summary, "events", NULL), 0);
  CHECK(strcmp(text_of(json_at(json_member(event, "agents"), 0)), "car[1]") == 0);
  CHECK(strcmp(text_of(json_at(json_member(event, "agents"), 1)), "car[2]") == 0);
  CHECK_NEAR(number_of(get(event, "after", "car[2].v")), 1.0, 0.0);
  CHECK(get(event, "state", "car[3].x") == NULL);
  CHECK_NEAR(number_of(get(o.summary, "final", "car[3].x")), 5.0, 0.0);
  done(&o);
}

/* ---- trajectories ---- */

typedef struct table {
  char *text;
  size_t rows, columns;
  double t[2000], end;
  char *line[2000];
} table;

/* A CSV without quoted fields. */
static table read_table(char *text) {
  table csv = {.text = text, .columns = 1};
  size_t length = strlen(text);
  CHECK(length > 0 && text[length - 1] == '\n');
  for (const char *c = text; *c != '\n' && *c != '\0'; c++) csv.columns += *c == ',';
  bool header = true;
  for (char *line = strtok(text, "\n"); line != NULL && csv.rows < 2000;
       line = strtok(NULL, "\n")) {
    size_t columns = 1;
    for (const char *c = line; *c != '\0'; c++) columns += *c == ',';
    CHECK_MSG(columns == csv.columns, "%zu columns in: %s", columns, line);
    if (!header) {
      csv.line[csv.rows] = line;
      csv.t[csv.rows++] = strtod(line, NULL);
    }
    header = false;
  }
  for (size_t k = 1; k < csv.rows; k++) CHECK(csv.t[k] >= csv.t[k - 1]);
  csv.end = csv.rows > 0 ? csv.t[csv.rows - 1] : (double)NAN;
  return csv;
}

TEST(a_grid_has_exact_times_and_events_have_rows_before_and_after) {
  outcome o = brink("run tank.hsml --out a.csv --every 0.1 --quiet");
  CHECK_EXIT(o, 0);
  done(&o);
  char *text = read_all("a.csv");
  CHECK(strncmp(text, "time,plant.h,plant.phase,", 25) == 0);
  CHECK_CONTAINS(text, "total");
  table csv = read_table(text);
  CHECK_INT(csv.rows, 101 + 2);
  CHECK(csv.t[0] == 0.0 && csv.t[3] == 0.3 && csv.end == 10.0);
  size_t pairs = 0;
  for (size_t k = 1; k < csv.rows; k++) {
    if (csv.t[k] != csv.t[k - 1]) continue;
    pairs++;
    CHECK_CONTAINS(csv.line[k - 1], ",draining,");
    CHECK_CONTAINS(csv.line[k], ",empty,");
  }
  CHECK_INT(pairs, 1);
  free(text);
}

TEST(without_a_grid_each_step_is_a_row) {
  outcome o = brink("run tank.hsml --out - --until 3");
  CHECK_EXIT(o, 0);
  table csv = read_table(o.out);
  CHECK(csv.t[0] == 0.0 && csv.end == 3.0);
  outcome same = brink("run tank.hsml --json --until 3");
  CHECK_NEAR((double)csv.rows, number_of(get(same.summary, "stats", "steps")) + 1.0, 0.0);
  done(&same);
  done(&o);
}

static void nap(void) {
  struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
  nanosleep(&pause, NULL);
}

/* Folders of compilers that are under way. */
static bool compiles(void) {
  return system("ls slow | grep -q tmp-") == 0;
}

/* It is started in the background, and would not be done for long. */
TEST(an_interrupted_run_leaves_no_compiler_behind) {
  static const int numbers[] = {SIGINT, SIGTERM};
  write_file("slow-cc", "#!/bin/sh\nsleep 30 & echo $! > child; wait; exit 1\n");
  CHECK(chmod("slow-cc", 0700) == 0 && mkdir("slow", 0700) == 0);
  for (size_t k = 0; k < 2; k++) {
    pid_t child = fork();
    if (child == 0) {
      char path[PATH_MAX];
      int nowhere = open("out.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
      setenv("BRINK_CC", realpath("slow-cc", path), 1);
      setenv("BRINK_CACHE", realpath("slow", path), 1);
      execl(BRINK_PROGRAM, "brink", "run", "endless.hsml", "--until", "1e12", (char *)NULL);
      _exit(127);
    }
    for (int n = 0; n < 600 && system("ls slow/tmp-*/child >/dev/null 2>&1") != 0; n++) nap();
    CHECK(compiles());
    kill(child, numbers[k]);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 128 + numbers[k], "status %d", status);
    CHECK(!compiles());
  }
}

/* The program as a process of its own, interrupted when it has written something. */
static int interrupt(int number, const char *until, const char *every) {
  unlink("part.csv");
  pid_t child = fork();
  if (child == 0) {
    int nowhere = open("out.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execl(BRINK_PROGRAM, "brink", "run", "endless.hsml", "--until", until, "--every", every,
          "--out", "part.csv", "--json", "--interpret", (char *)NULL);
    _exit(127);
  }
  struct stat file = {0};
  for (int k = 0; k < 600 && file.st_size == 0; k++) {
    nap();
    if (stat("part.csv", &file) != 0) file.st_size = 0;
  }
  kill(child, number);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(an_interrupted_run_leaves_readable_results) {
  CHECK_INT(interrupt(SIGINT, "1e12", "0.01"), 130);
  char *text = read_all("part.csv");
  size_t length = strlen(text), commas[2] = {0, 0};
  CHECK(length > 100 && text[length - 1] == '\n');
  text[length > 0 ? length - 1 : 0] = '\0';
  const char *last = strrchr(text, '\n');
  for (const char *c = text; *c != '\n' && *c != '\0'; c++) commas[0] += *c == ',';
  for (const char *c = last != NULL ? last : ""; *c != '\0'; c++) commas[1] += *c == ',';
  CHECK_INT(commas[1], commas[0]);
  free(text);
  text = read_all("out.txt");
  CHECK_CONTAINS(text, "\"reason\":\"interrupted\"");
  free(text);
  CHECK_INT(interrupt(SIGINT, "1e3", "1e-12"), 130); /* within one step */
  CHECK_INT(interrupt(SIGTERM, "1e12", "0.01"), 143);
  CHECK_INT(interrupt(SIGINT, "inf", "0.01"), 130);
  text = read_all("out.txt");
  CHECK_CONTAINS(text, "\"reason\":\"interrupted\"");
  free(text);
}

/* ---- the other commands ---- */

TEST(check_is_silent_or_points_at_the_place) {
  outcome o = brink("check tank.hsml stop.hsml");
  CHECK_EXIT(o, 0);
  CHECK(o.out[0] == '\0' && o.err[0] == '\0');
  done(&o);
  o = brink("check wrong.hsml tank.hsml");
  CHECK_EXIT(o, 3);
  CHECK_CONTAINS(o.err, "wrong.hsml:4:");
  CHECK_CONTAINS(o.err, ": error: ");
  CHECK_CONTAINS(o.err, "^");
  CHECK(strchr(o.err, '\033') == NULL);
  done(&o);
  o = brink("check wrong.hsml --color always");
  CHECK(strchr(o.err, '\033') != NULL);
  done(&o);
  o = brink("run wrong.hsml --json --until 1");
  CHECK_EXIT(o, 3);
  CHECK(o.out[0] == '\0');
  done(&o);
}

TEST(warnings_alone_are_no_failure) {
  outcome o = brink("run warned.hsml --until 1 --json");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.err, ": warning: ");
  done(&o);
  o = brink("run warned.hsml --until 1 --quiet");
  CHECK_EXIT(o, 0);
  CHECK(o.err[0] == '\0');
  done(&o);
}

TEST(the_layout_is_canonical_once_it_was_made_so) {
  write_file("loose.hsml", "% kept\nctc   A is body declarations state(x,real); end declarations;\n"
                           "initial x:=1.0; end initial; dynamics x'= -x; end dynamics; end body; "
                           "end A;\n");
  outcome o = brink("fmt loose.hsml");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "% kept");
  done(&o);
  o = brink("fmt --check loose.hsml");
  CHECK_EXIT(o, 1);
  CHECK_CONTAINS(o.err, "loose.hsml");
  CHECK(o.out[0] == '\0');
  done(&o);
  o = brink("fmt --write loose.hsml");
  CHECK_EXIT(o, 0);
  done(&o);
  o = brink("fmt --check loose.hsml");
  CHECK_EXIT(o, 0);
  done(&o);
  o = brink("fmt wrong.hsml broken.hsml");
  CHECK_EXIT(o, 3); /* broken.hsml cannot be parsed */
  done(&o);
}

TEST(emit_shows_readable_c) {
  outcome o = brink("emit tank.hsml");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "sqrt(");
  CHECK_CONTAINS(o.out, "plant.h");
  done(&o);
}

/* A compiler reads all of it; what it would make of it is compared in test_emit. */
TEST(emit_shows_c_that_compiles_of_every_model) {
  glob_t models;
  CHECK(glob(BRINK_SOURCE_DIR "/models/*/model.hsml", 0, NULL, &models) == 0);
  CHECK(models.gl_pathc > 80);
  for (size_t k = 0; k < models.gl_pathc; k++) {
    outcome o = brink("emit '%s' >emitted-%zu.c", models.gl_pathv[k], k);
    CHECK_MSG(o.exit == 0, "%s: %s", models.gl_pathv[k], o.err);
    done(&o);
  }
  globfree(&models);
  outcome o = program_run("cc", "-std=gnu17 -fsyntax-only -Werror=implicit-function-declaration "
                                "-Werror=incompatible-pointer-types emitted-*.c");
  CHECK_EXIT(o, 0);
  done(&o);
}

/* ---- */

static void write_models(void) {
  write_file("tank.hsml", tank);
  write_file("ramp.hsml", RAMP("note(\"one\");"));
  write_file("stop.hsml", RAMP("stop(\"that is enough\");"));
  write_file("fail.hsml", RAMP("fail(\"too far\");"));
  write_file("bounce.hsml", bounce);
  write_file("supervised.hsml", supervised);
  write_file("cars.hsml", cars);
  write_file("blocked.hsml",
             "ctc Blocked is\n  body\n    declarations\n      state(x, real);\n"
             "      flag(one, unilateral);\n    end declarations;\n"
             "    initial\n      x := 0.0;\n    end initial;\n"
             "    dynamics\n      x' = 1.0;\n      one = 1.0 - x;\n    end dynamics;\n"
             "  end body;\nend Blocked;\n");
  write_file("endless.hsml",
             "ctc Wave is\n  body\n    declarations\n      state(x, real, (-9.0, 9.0));\n"
             "      state(v, real);\n"
             "    end declarations;\n    initial\n      x := 1.0;\n      v := 0.0;\n"
             "    end initial;\n    dynamics\n      x' = v;\n      v' = -x;\n    end dynamics;\n"
             "  end body;\nend Wave;\n");
  write_file("wrong.hsml",
             "ctc A is\n  body\n    declarations\n      state(x, rael);\n"
             "    end declarations;\n    initial\n      x := 1.0;\n    end initial;\n"
             "    dynamics\n      x' = 1.0;\n    end dynamics;\n  end body;\nend A;\n");
  write_file("broken.hsml", "ctc A is body dynamics x' = ; end dynamics; end body; end A;\n");
  write_file("warned.hsml", "ctc A is\n  body\n    declarations\n      state(x, real);\n"
                            "    end declarations;\n    dynamics\n      x' = 1.0;\n"
                            "    end dynamics;\n  end body;\nend A;\n");
  if (symlink("/dev/full", "full.csv") != 0) abort();
}

int main(void) {
  char folder[16];
  program_enter(folder);
  write_models();
  outcome there = brink("--version");
  bool runs = there.exit == 0;
  if (!runs) printf("the program does not run: %s\n", there.err);
  done(&there);
  if (!runs) return 1;
  RUN(help_and_version_go_to_standard_output);
  RUN(wrong_usage_is_exit_2_and_says_what_is_wrong);
  RUN(files_that_cannot_be_read_or_written_are_exit_5);
  RUN(a_run_that_is_resumed_has_the_results_of_one_that_was_not_stopped);
  RUN(a_report_a_plot_and_conditions_are_resumed_with_the_run);
  RUN(json_has_every_field_of_the_contract);
  RUN(the_command_line_wins_over_the_model);
  RUN(parameters_and_initial_values_can_be_set);
  RUN(a_model_may_come_from_standard_input_and_dashes_end_options);
  RUN(the_interpreter_and_native_code_give_the_same_object);
  RUN(files_do_not_tell_which_code_has_run);
  RUN(the_summary_for_a_person_names_what_matters);
  RUN(colours_are_only_where_they_are_wanted);
  RUN(stop_is_a_normal_end);
  RUN(fail_is_exit_1_with_its_event_and_message);
  RUN(leaving_a_range_is_exit_1_or_a_warning);
  RUN(accumulation_is_exit_4_with_its_time_and_flags);
  RUN(a_blocked_surface_is_exit_4_and_names_the_flag);
  RUN(rules_and_flags_of_the_compiler_are_events);
  RUN(pairs_name_their_agents);
  RUN(a_grid_has_exact_times_and_events_have_rows_before_and_after);
  RUN(without_a_grid_each_step_is_a_row);
  RUN(an_interrupted_run_leaves_readable_results);
  RUN(an_interrupted_run_leaves_no_compiler_behind);
  RUN(check_is_silent_or_points_at_the_place);
  RUN(warnings_alone_are_no_failure);
  RUN(the_layout_is_canonical_once_it_was_made_so);
  RUN(emit_shows_readable_c);
  RUN(emit_shows_c_that_compiles_of_every_model);
  program_leave(folder);
  return check_done();
}
