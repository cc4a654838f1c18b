/* test_cli_constraints.c: models with constraints as a user meets them: records, messages, brink check --structure. */
#include "check.h"
#include "support/formats.h"
#include "support/program.h"

#include <math.h>
#include <stdlib.h>

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)
#define DAE "'" BRINK_SOURCE_DIR "/tests/lang/dae/"
#define REFUSED BRINK_SOURCE_DIR "/tests/lang/refused"

/* ---- refused models ---- */

/* The next line that begins with `key`, from p on; what is behind it into `text`. */
static const char *next_comment(const char *p, const char *key, char text[512]) {
  for (; p != NULL && *p == '%'; p = strchr(p, '\n'), p = p != NULL ? p + 1 : NULL) {
    if (strncmp(p, key, strlen(key)) != 0) continue;
    const char *from = p + strlen(key);
    snprintf(text, 512, "%.*s", (int)strcspn(from, "\n"), from);
    return strchr(p, '\n') + 1;
  }
  return NULL;
}

static void refuse(const char *name) {
  char path[1024], text[512];
  snprintf(path, sizeof path, "%s/%s", REFUSED, name);
  char *model = read_all(path);
  CHECK_MSG(next_comment(model, "% exit: ", text) != NULL, "%s has no exit code", name);
  int code = atoi(text);
  outcome o = brink("run '%s' --until 3 --tolerance 1e-8 --interpret --json", path);
  CHECK_MSG(o.exit == code, "%s: exit %d: %s", name, o.exit, o.err);
  size_t count = 0;
  for (const char *p = model; (p = next_comment(p, "% says: ", text)) != NULL; count++)
    CHECK_MSG(strstr(o.err, text) != NULL, "%s: not said: %s, but: %s", name, text, o.err);
  CHECK_MSG(count > 0, "%s expects nothing", name);
  if (code == 4) {
    const json *reason = json_member(o.summary, "reason");
    CHECK_MSG(reason != NULL && strcmp(reason->text, "constraint") == 0, "%s: %s", name, o.out);
    CHECK_MSG(json_member(o.summary, "message") != NULL, "%s: %s", name, o.out);
  }
  done(&o);
  free(model);
}

TEST(refused_models_are_told_the_equations) {
  size_t count;
  char **names = list_directory(REFUSED, ".hsml", &count);
  CHECK(count >= 16);
  for (size_t k = 0; k < count; k++) {
    refuse(names[k]);
    free(names[k]);
  }
  free(names);
}

/* ---- records ---- */

static double number_of(const json *object, const char *key) {
  const json *member = json_member(object, key);
  return member != NULL && member->kind == JSON_NUMBER ? member->number : (double)NAN;
}

TEST(the_summary_has_structures_from_the_start_to_the_end) {
  outcome o = brink("run " DAE "clutch.hsml' --until 12 --tolerance 1e-10 --interpret --json");
  CHECK_EXIT(o, 0);
  const json *list = json_member(o.summary, "structure");
  double to = 0.0;
  for (size_t k = 0; k < 6; k++) {
    const json *one = json_at(list, k);
    bool locked = k % 2 == 1;
    CHECK_NEAR(number_of(one, "from"), to, 0.0);
    to = number_of(one, "to");
    CHECK_INT((int)number_of(one, "index"), locked ? 2 : 1);
    CHECK_INT((int)number_of(one, "free"), locked ? 1 : 2);
    CHECK_INT((int)number_of(one, "states"), 2);
    const json *tied = json_member(one, "tied"), *group = json_at(tied, 0);
    CHECK((group != NULL) == locked);
    if (locked) {
      CHECK(strcmp(json_at(group, 0)->text, "w1") == 0);
      CHECK(strcmp(json_at(group, 1)->text, "w2") == 0);
    }
  }
  CHECK(json_at(list, 6) == NULL);
  CHECK_NEAR(to, 12.0, 0.0);
  const json *stats = json_member(o.summary, "stats");
  CHECK(number_of(stats, "projections") > 0.0);
  CHECK(number_of(stats, "largest_correction") >= 0.0);
  CHECK(number_of(stats, "newton") >= 0.0);
  done(&o);
}

TEST(an_event_has_its_impulse_and_the_state_after_it) {
  outcome o =
      brink("run " DAE "string-pendulum.hsml' --until 1.5 --tolerance 1e-10 --interpret --json");
  CHECK_EXIT(o, 0);
  const json *events = json_member(o.summary, "events");
  const json *slack = json_at(events, 0), *taut = json_at(events, 1);
  CHECK(json_member(slack, "impulse") == NULL);
  /* The radial velocity, which is lost, is (x vx + y vy)/r; the string pulls by tension times r = 1. */
  const json *before = json_member(taut, "state"), *after = json_member(taut, "after");
  double radial = number_of(before, "x") * number_of(before, "vx") +
                  number_of(before, "y") * number_of(before, "vy");
  CHECK_NEAR(number_of(json_member(taut, "impulse"), "tension"), radial, 1e-8);
  CHECK_NEAR(number_of(after, "vx"), -1.82996029793311153, 1e-8);
  CHECK_NEAR(number_of(after, "vy"), -2.97457568988556784, 1e-8);
  CHECK_NEAR(number_of(before, "vy"), -3.94976316292820237, 1e-8);
  done(&o);
}

TEST(rows_have_the_state_before_and_after_an_impulse) {
  outcome o =
      brink("run " DAE
            "string-pendulum.hsml' --until 1.5 --tolerance 1e-10 --interpret --out - --every 2");
  CHECK_EXIT(o, 0);
  /* start; before and after both events; end */
  double rows[8][7];
  size_t count = 0;
  for (const char *p = strchr(o.out, '\n'); p != NULL && p[1] != '\0' && count < 8;
       p = strchr(p + 1, '\n'), count++) {
    char *at = (char *)p + 1;
    for (size_t k = 0; k < 6; k++, at++) rows[count][k] = strtod(at, &at);
  }
  CHECK_INT(count, 6);
  CHECK_CONTAINS(o.out, "time,x,y,vx,vy,tension,string\n");
  CHECK_NEAR(rows[3][0], rows[4][0], 0.0);
  CHECK_NEAR(rows[3][4], -3.94976316292820237, 1e-8);
  CHECK_NEAR(rows[4][4], -2.97457568988556784, 1e-8);
  CHECK(rows[4][5] > 1.0 && rows[3][5] == 0.0);
  done(&o);
}

TEST(derivatives_of_unknowns_are_not_recorded) {
  outcome o = brink("run " DAE "two-pendula.hsml' --until 1 --interpret --json");
  CHECK_EXIT(o, 0);
  const json *final = json_member(o.summary, "final");
  for (const json *m = final->first; m != NULL; m = m->next)
    CHECK_MSG(strchr(m->key, '\'') == NULL, "%s", m->key);
  CHECK(json_member(final, "lam") != NULL);
  done(&o);
}

TEST(the_text_has_a_line_about_constraints) {
  outcome o = brink("run " DAE "clutch.hsml' --until 6 --interpret");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out,
                 "constraints  index 1, 2 of 2 states free; from t = 5.40988 index 2, 1 of 2 "
                 "free;\n             largest correction ");
  CHECK_CONTAINS(o.out, "\nsteps        ");
  CHECK_CONTAINS(o.out, "\nmethod       ");
  done(&o);
}

TEST(many_changes_of_structure_are_counted) {
  outcome o = brink("run " DAE "clutch.hsml' --until 15 --interpret");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "index 1, 2 of 2 states free; from t = 5.40988 index 2, 1 of 2 free;\n"
                        "             from t = 6.86301 index 1, 2 of 2 free; and 5 more changes;\n"
                        "             largest correction ");
  done(&o);
}

TEST(changes_of_the_method_are_short) {
  outcome o = brink("run " DAE "stiff-rectifier.hsml' --until 0.1 --interpret");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, " more changes of the method\n");
  size_t width = 0;
  for (const char *c = o.out; *c != '\0'; c++) {
    width = *c == '\n' ? 0 : width + 1;
    CHECK(width <= 90);
  }
  done(&o);
}

TEST(a_failed_start_has_no_final_state) {
  outcome o = brink("run '" BRINK_SOURCE_DIR
                    "/tests/lang/refused/initial-derivative.hsml' --until 1 --interpret");
  CHECK_EXIT(o, 4);
  CHECK_CONTAINS(o.out, "Pendulum failed at the start, t = 0 (constraint)\n");
  CHECK(strstr(o.out, "final") == NULL);
  CHECK_CONTAINS(o.err, "contradict the first derivative of this constraint by 1");
  done(&o);
}

/* ---- initial values ---- */

static const char open_start[] = "ctc Pendulum is\n"
                                 "  body\n"
                                 "    declarations\n"
                                 "      state(x, real); state(y, real);\n"
                                 "      state(vx, real); state(vy, real);\n"
                                 "      variable(lam, real);\n"
                                 "    end declarations;\n"
                                 "    initial\n"
                                 "      x := 0.6; guess y := -1.0; guess vx := 0.5;\n"
                                 "    end initial;\n"
                                 "    dynamics\n"
                                 "      x' = vx;\n"
                                 "      y' = vy;\n"
                                 "      vx' = -lam*x;\n"
                                 "      vy' = -lam*y - 9.81;\n"
                                 "    end dynamics;\n"
                                 "    constraints\n"
                                 "      0 = x^2 + y^2 - 1.0;\n"
                                 "    end constraints;\n"
                                 "  end body;\n"
                                 "end Pendulum;\n";

/* x is fixed, which determines y; of vx and vy the first derivative leaves one open. */
TEST(initial_values_that_nothing_determines_are_named_once) {
  write_file("open.hsml", open_start);
  outcome o = brink("run open.hsml --until 1 --interpret --json");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.err,
                 "open.hsml:5:13: warning: fewer initial values are fixed than are free: vx = "
                 "0.341586, vy = 0.25619 were chosen\n"
                 "      state(vx, real); state(vy, real);\n"
                 "            ^^\n"
                 "hint: ");
  const json *warnings = json_member(o.summary, "warnings");
  CHECK(json_at(warnings, 0) != NULL && json_at(warnings, 1) == NULL);
  CHECK_CONTAINS(json_at(warnings, 0)->text, "vx = 0.341586, vy = 0.25619 were chosen");
  done(&o);
  o = brink("run open.hsml --until 1 --interpret --set vx=0.3");
  CHECK_EXIT(o, 0);
  CHECK_MSG(o.err[0] == '\0', "%s", o.err);
  done(&o);
}

/* ---- brink check --structure ---- */

TEST(check_lists_structures) {
  outcome o = brink("check --structure " DAE "clutch.hsml'");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "Clutch: 3 structures\n");
  CHECK_CONTAINS(o.out, "  2  phase = \"locked\"\n"
                        "     index 2, 1 of 2 states free; tied: w1, w2\n"
                        "     Tc from 1st derivative of line 38\n"
                        "     the states satisfy line 38\n");
  done(&o);
  o = brink("check --structure " DAE "clutch-hold.hsml'");
  CHECK_CONTAINS(o.out, "  2  sgn(slip) = 0\n     index 2, 1 of 2 states free");
  done(&o);
  o = brink("check --structure " DAE "diode-bridge.hsml'");
  CHECK_CONTAINS(o.out, "  1  always\n"
                        "     index 1, 1 of 1 states free\n"
                        "     va, vb, i together from line 30, line 31, line 32\n");
  done(&o);
  o = brink("check --structure " DAE "two-pendula.hsml'");
  CHECK_CONTAINS(o.out, "     lam'' from 4th derivative of line 30\n");
  done(&o);
  o = brink("check --structure " DAE "stiff-rod.hsml'");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "Rod has no constraints\n");
  done(&o);
}

static const char many[] =
    "ctc Many is\n"
    "  body\n"
    "    declarations\n"
    "      state(x[9], real); variable(z[9], real); mode(m[9], {\"a\", \"b\"});\n"
    "      mode(n, {\"a\", \"b\", \"c\"}); variable(u, real);\n"
    "    end declarations;\n"
    "    initial\n"
    "      for i in 1..9 loop x[i] := 1.0; m[i] := \"a\"; end loop; n := \"a\";\n"
    "    end initial;\n"
    "    dynamics for i in 1..9 loop x[i]' = z[i]; end loop; end dynamics;\n"
    "    constraints\n"
    "      for i in 1..9 loop\n"
    "        if m[i] = \"a\" then z[i] = -x[i]; else x[i] = 1.0; end if;\n"
    "      end loop;\n"
    "      if n = \"b\" then u = 1.0; else u = 2.0; end if;\n"
    "    end constraints;\n"
    "  end body;\n"
    "end Many;\n";

TEST(of_many_structures_the_first_are_listed) {
  write_file("many.hsml", many);
  outcome o = brink("check --structure many.hsml");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "Many: 256 structures; there are more, found while the model runs\n");
  CHECK_CONTAINS(o.out, "m[1] = \"a\" and m[2] = \"a\"");
  done(&o);
}

/* ---- what constraints do not go with ---- */

static const char agents[] =
    "ctc Car is\n"
    "  interface view(x); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real); variable(f, real); flag(far);\n"
    "    end declarations;\n"
    "    initial x := 1.0; end initial;\n"
    "    dynamics\n"
    "      x' = f;\n"
    "      far = x - 2.0;\n"
    "    end dynamics;\n"
    "    constraints\n"
    "      f = 0.5*x;\n"
    "    end constraints;\n"
    "    event(far) positive-going note(\"far\", x); end positive-going; end event;\n"
    "  end body;\n"
    "end Car;\n"
    "system World is\n"
    "  body\n"
    "    components car[3] : Car; end components;\n"
    "    agents\n"
    "      population(car);\n"
    "    end agents;\n"
    "  end body;\n"
    "end World;\n";

static void check_refused(outcome o, const char *words) {
  CHECK_EXIT(o, 2);
  CHECK_CONTAINS(o.err, words);
  const json *reason = json_member(o.summary, "reason");
  CHECK_MSG(reason != NULL && strcmp(reason->text, "unsupported") == 0, "%s", o.out);
  done(&o);
}

TEST(what_constraints_do_not_go_with_is_refused) {
  static const char no_condition[] =
      "the condition of events is not worked out for models with constraints";
  check_refused(brink("condition " DAE "clutch.hsml' --until 1 --interpret --json"), no_condition);
  check_refused(brink("condition " DAE "clutch.hsml' --sensitivity --until 1 --interpret --json"),
                no_condition);
  check_refused(
      brink("run " DAE "clutch.hsml' --method rk4 --step 0.1 --until 1 --interpret --json"),
      "rk4 does not solve constraints: choose adams, taylor, dopri or bdf");
}

TEST(events_with_constraints_have_no_condition) {
  outcome o = brink("run " DAE "clutch.hsml' --until 6 --interpret --json");
  CHECK_EXIT(o, 0);
  const json *condition = json_member(json_at(json_member(o.summary, "events"), 0), "condition");
  CHECK(condition != NULL && condition->kind == JSON_NULL);
  done(&o);
}

TEST(agents_with_constraints_are_one_system) {
  write_file("agents.hsml", agents);
  outcome o = brink("run agents.hsml --until 2 --clocks own --interpret --json");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.err, "--clocks has no effect: agents with constraints are one system");
  CHECK(json_member(json_member(o.summary, "stats"), "agents") == NULL);
  CHECK_NEAR(number_of(json_member(o.summary, "final"), "car[3].x"), exp(1.0), 1e-5);
  done(&o);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  setenv("BRINK_CACHE", "cache", 1);
  RUN(refused_models_are_told_the_equations);
  RUN(the_summary_has_structures_from_the_start_to_the_end);
  RUN(an_event_has_its_impulse_and_the_state_after_it);
  RUN(rows_have_the_state_before_and_after_an_impulse);
  RUN(derivatives_of_unknowns_are_not_recorded);
  RUN(initial_values_that_nothing_determines_are_named_once);
  RUN(the_text_has_a_line_about_constraints);
  RUN(many_changes_of_structure_are_counted);
  RUN(changes_of_the_method_are_short);
  RUN(a_failed_start_has_no_final_state);
  RUN(check_lists_structures);
  RUN(of_many_structures_the_first_are_listed);
  RUN(what_constraints_do_not_go_with_is_refused);
  RUN(events_with_constraints_have_no_condition);
  RUN(agents_with_constraints_are_one_system);
  program_leave(folder);
  return check_done();
}
