/* Agents with clocks of their own, as a user meets them: the same events as in one system, the same names, the same
 * words for what goes wrong. */
#include "check.h"
#include "support/page_data.h"
#include "support/program.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- models ---- */

/* A composite with a sampled controller and a logic; agents differ in a parameter, and draw random numbers when they
 * act. `%s`: the range of y; what else happens at the wall; what else happens when two are near. `%d`: how many. */
static const char robots[] =
    "ctc Plant is\n"
    "  interface input(u, real); output(y, signal, %s); knob(k); end interface;\n"
    "  body\n"
    "    declarations state(x, real); state(v, real); parameter(k, real); flag(wall);\n"
    "      mode(side, {\"left\", \"right\"}); end declarations;\n"
    "    initial x := 0.0; v := 1.0; side := \"left\"; end initial;\n"
    "    dynamics x' = v; v' = -k*v + u; wall = 1.5 - x; end dynamics;\n"
    "    output y = abs(x) + 0.1*x; end output;\n"
    "    event(wall) negative-going\n"
    "      v := -uniform(0.5, 1.0)*v; side := \"right\"; note(\"hit\", x, v); %s\n"
    "    end negative-going; end event;\n"
    "    assignments k : 0.1; u : 0.0; end assignments;\n"
    "  end body;\n"
    "end Plant;\n"
    "dtc Control is\n"
    "  interface input(m, real); output(u, real); end interface;\n"
    "  body\n"
    "    declarations sample(0.25, 0.0); state(i, real); parameter(kp, real); end declarations;\n"
    "    initial i := 0.0; end initial;\n"
    "    update i := i + 0.01*m; end update;\n"
    "    output u = -kp*m - i; end output;\n"
    "    assignments kp : 0.5; end assignments;\n"
    "  end body;\n"
    "end Control;\n"
    "lbc Watch is\n"
    "  interface input(m, real); output(alarm, string, {\"off\", \"on\"}); end interface;\n"
    "  body\n"
    "    declarations mode(a, {\"off\", \"on\"}); end declarations;\n"
    "    initial a := \"off\"; end initial;\n"
    "    rules when m > 1.2 do a := \"on\"; note(\"on\", m); end when;\n"
    "          when m < 0.2 do a := \"off\"; end when; end rules;\n"
    "    output alarm = a; end output;\n"
    "  end body;\n"
    "end Watch;\n"
    "composite Robot is\n"
    "  body\n"
    "    components plant : Plant; control : Control; watch : Watch; end components;\n"
    "    connections connect(plant.y, control.m); connect(control.u, plant.u);\n"
    "      connect(plant.y, watch.m); end connections;\n"
    "  end body;\n"
    "end Robot;\n"
    "system Robots is\n"
    "  body\n"
    "    declarations parameter(dist, real); end declarations;\n"
    "    components bot[%d] : Robot; end components;\n"
    "    initial for i in 1..%d loop bot[i].plant.x := 0.3*i + uniform(0.0, 0.1);\n"
    "      bot[i].plant.v := uniform(-1.0, 2.0); bot[i].plant.k := 0.1*i; end loop; end initial;\n"
    "    agents\n"
    "      population(bot);\n"
    "      pair(a, b) in bot\n"
    "        declarations flag(near_); end declarations;\n"
    "        dynamics near_ = (a.plant.x - b.plant.x)^2 - dist; end dynamics;\n"
    "        event(near_) negative-going note(\"near\", a.plant.x, b.plant.x);\n"
    "          a.plant.v := a.plant.v + 0.01; %s end negative-going; end event;\n"
    "        reach(a.plant.x, 0.2);\n"
    "      end pair;\n"
    "    end agents;\n"
    "    assignments dist : 0.01; end assignments;\n"
    "    simulation until : 6.0; tolerance : 1e-9; end simulation;\n"
    "  end body;\n"
    "end Robots;\n";

static const char wide[] = "(-100.0, 100.0)";

static void write_many_robots(int count, const char *range, const char *at_wall, const char *near) {
  char text[sizeof robots + 400];
  snprintf(text, sizeof text, robots, range, at_wall, count, count, near);
  write_file("robots.hsml", text);
}

static void write_robots(const char *range, const char *at_wall, const char *near) {
  write_many_robots(4, range, at_wall, near);
}

/* `count` balls that fall and bounce; `%s`: what the system says besides. */
static const char balls[] =
    "ctc Ball is\n"
    "  interface knob(n); knob(e); end interface;\n"
    "  body\n"
    "    declarations state(h, real, (-q, q)); state(v, real); state(w[n], real); flag(floor_, "
    "unilateral);\n"
    "      parameter(e, real); parameter(n, integer); parameter(q, real); end declarations;\n"
    "    initial h := 1.0; v := 0.0; for i in 1..n loop w[i] := i; end loop; end initial;\n"
    "    dynamics h' = v; v' = -9.81; for i in 1..n loop w[i]' = -i*w[i]; end loop; floor_ = h; "
    "end "
    "dynamics;\n"
    "    event(floor_) negative-going v := -e*v; end negative-going; end event;\n"
    "    assignments e : 0.9; n : 2; q : 100.0; end assignments;\n"
    "  end body;\n"
    "end Ball;\n"
    "system Balls is\n"
    "  body\n"
    "    components ball[%d] : Ball%s; end components;\n"
    "    %s\n"
    "    agents population(ball); end agents;\n"
    "    simulation until : 1.0; tolerance : 1e-9; end simulation;\n"
    "  end body;\n"
    "end Balls;\n";

static void write_balls(int count, const char *arguments, const char *besides) {
  char text[sizeof balls + 400];
  snprintf(text, sizeof text, balls, count, arguments, besides);
  write_file("balls.hsml", text);
}

/* ---- looking ---- */

static double number_of(const json *object, const char *key) {
  const json *member = json_member(object, key);
  return member != NULL && member->kind == JSON_NUMBER ? member->number : (double)NAN;
}

static const char *text_of(const json *object, const char *key) {
  const json *member = json_member(object, key);
  return member != NULL && member->kind == JSON_STRING ? member->text : "";
}

static bool has_own_clocks(const outcome *o) {
  return json_member(json_member(o->summary, "stats"), "agents") != NULL;
}

static size_t count_of(const json *list) {
  size_t count = 0;
  for (const json *item = json_at(list, 0); item != NULL; item = item->next) count++;
  return count;
}

/* The same values under the same names, within `tolerance` of 1 + their size. */
static void compare_values(const json *a, const json *b, double tolerance, const char *what) {
  CHECK_MSG(count_of(a) == count_of(b), "%s: %zu and %zu values", what, count_of(a), count_of(b));
  for (const json *x = json_at(a, 0); x != NULL; x = x->next) {
    const json *y = json_member(b, x->key);
    bool same = y != NULL && x->kind == y->kind;
    if (same && x->kind == JSON_NUMBER)
      same = fabs(x->number - y->number) <= tolerance * (1.0 + fabs(x->number));
    else if (same && x->kind == JSON_STRING)
      same = strcmp(x->text, y->text) == 0;
    CHECK_MSG(same, "%s: %s = %s and %s", what, x->key, x->text, y != NULL ? y->text : "nothing");
  }
}

static bool same_lists(const json *a, const json *b) {
  const json *x = json_at(a, 0), *y = json_at(b, 0);
  for (; x != NULL && y != NULL; x = x->next, y = y->next) {
    if (x->kind != y->kind || (x->kind == JSON_STRING && strcmp(x->text, y->text) != 0))
      return false;
    if (x->kind == JSON_ARRAY && !same_lists(x, y)) return false;
  }
  return x == NULL && y == NULL;
}

static void compare_events(const json *a, const json *b, double tolerance) {
  const json *x = json_at(a, 0), *y = json_at(b, 0);
  for (; x != NULL && y != NULL; x = x->next, y = y->next) {
    CHECK_NEAR(number_of(x, "t"), number_of(y, "t"), tolerance);
    CHECK_MSG(strcmp(text_of(x, "flag"), text_of(y, "flag")) == 0, "%s and %s at t = %g",
              text_of(x, "flag"), text_of(y, "flag"), number_of(x, "t"));
    CHECK(strcmp(text_of(x, "direction"), text_of(y, "direction")) == 0);
    CHECK(same_lists(json_member(x, "agents"), json_member(y, "agents")));
    CHECK(same_lists(json_member(x, "note"), json_member(y, "note")));
    compare_values(json_member(x, "state"), json_member(y, "state"), 1e3 * tolerance, "state");
    compare_values(json_member(x, "after"), json_member(y, "after"), 1e3 * tolerance, "after");
  }
  CHECK_MSG(x == NULL && y == NULL, "%zu and %zu events", count_of(a), count_of(b));
}

/* With clocks of their own and in one system: the same events, ends and words. Returns how many events. */
static size_t compare_clocks(const char *arguments, int exit, double tolerance) {
  outcome own = program_run(BRINK_PROGRAM, "run %s --json --interpret", arguments);
  outcome one = program_run(BRINK_PROGRAM, "run %s --json --interpret --clocks one", arguments);
  CHECK_EXIT(own, exit);
  CHECK_EXIT(one, exit);
  CHECK(has_own_clocks(&own) && !has_own_clocks(&one));
  const json *events = json_member(own.summary, "events");
  size_t count = count_of(events);
  compare_events(events, json_member(one.summary, "events"), tolerance);
  if (exit == 0)
    compare_values(json_member(own.summary, "final"), json_member(one.summary, "final"),
                   1e3 * tolerance, "final");
  CHECK(strcmp(text_of(own.summary, "status"), text_of(one.summary, "status")) == 0);
  CHECK_MSG(strcmp(text_of(own.summary, "message"), text_of(one.summary, "message")) == 0,
            "'%s' and '%s'", text_of(own.summary, "message"), text_of(one.summary, "message"));
  CHECK(same_lists(json_member(own.summary, "warnings"), json_member(one.summary, "warnings")));
  done(&own);
  done(&one);
  return count;
}

/* ---- the same events ---- */

TEST(models_of_agents_give_the_events_of_one_system) {
  CHECK_INT(compare_clocks(BRINK_MODELS "/three-agents/model.hsml --tolerance 1e-10", 0, 1e-8), 2);
  CHECK_INT(compare_clocks(BRINK_MODELS "/late-start/model.hsml --tolerance 1e-10", 0, 1e-8), 2);
  CHECK_INT(compare_clocks(BRINK_MODELS "/spirals/model.hsml --tolerance 1e-10", 0, 1e-8), 1);
  CHECK_INT(compare_clocks(BRINK_MODELS "/bumper-discs/model.hsml --tolerance 1e-10", 0, 1e-8), 10);
  CHECK(compare_clocks(BRINK_MODELS "/bumper-cars/model.hsml --tolerance 1e-10 --until 12", 0,
                       1e-6) > 30);
}

TEST(parts_samples_rules_draws_and_notes_of_agents_are_those_of_one_system) {
  write_robots(wide, "", "");
  CHECK(compare_clocks("robots.hsml", 0, 1e-6) > 20);
  CHECK(compare_clocks("robots.hsml --seed 5 --set bot[2].plant.k=0.7 --set dist=0.04", 0, 1e-6) >
        20);
}

TEST(agents_that_never_meet_have_clocks_of_their_own_too) {
  write_balls(3, "(n : 3)", "initial ball[2].h := 2.0; ball[3].e := 0.5; end initial;");
  CHECK(compare_clocks("balls.hsml", 0, 1e-7) >= 3);
}

/* ---- how it ends ---- */

TEST(stop_and_fail_end_the_run_with_the_words_of_the_model) {
  write_robots(wide, "", "stop(\"bot[1] is near\");");
  CHECK(compare_clocks("robots.hsml", 0, 1e-6) > 0);
  write_robots(wide, "if v > 0.5 then fail(\"bot[1] is too fast\"); end if;", "");
  CHECK(compare_clocks("robots.hsml", 1, 1e-6) > 0);
}

TEST(an_action_that_makes_no_number_ends_the_run) {
  write_robots(wide, "", "b.plant.v := log(-1.0 + 0.0*a.plant.v);");
  outcome o = program_run(BRINK_PROGRAM, "run robots.hsml --json --interpret");
  CHECK_EXIT(o, 4);
  CHECK(has_own_clocks(&o));
  CHECK(strstr(text_of(o.summary, "message"), "the action of flag 'near_' set state 'bot[") !=
        NULL);
  CHECK(strstr(text_of(o.summary, "message"), ".plant.v' to nan at t =") != NULL);
  done(&o);
}

TEST(a_value_outside_its_range_is_told_with_the_right_agent) {
  write_robots("(-100.0, 1.55)", "", "");
  compare_clocks("robots.hsml", 1, 1e-6);
  compare_clocks("robots.hsml --range warn", 0, 1e-6);
  write_robots("(-100.0, 1.2)", "", ""); /* at the start */
  compare_clocks("robots.hsml", 1, 1e-6);
  compare_clocks("robots.hsml --range warn", 0, 1e-6);
}

TEST(what_accumulates_is_named) {
  write_balls(2, "", "initial ball[2].e := 0.3; end initial;");
  outcome o = program_run(BRINK_PROGRAM, "run balls.hsml --json --interpret --until 3");
  CHECK_EXIT(o, 4);
  CHECK(strcmp(text_of(o.summary, "reason"), "zeno") == 0);
  const json *flags = json_member(json_member(o.summary, "zeno"), "flags");
  CHECK(json_at(flags, 0) != NULL && strcmp(json_at(flags, 0)->text, "ball[2].floor_") == 0);
  done(&o);
}

/* ---- when it is one system ---- */

TEST(what_cannot_have_clocks_of_its_own_runs_as_before) {
  static const char *const options[] = {"--method dopri", "--events endpoint", "--zeno continue",
                                        "--clocks one", "--method rk4 --step 0.01"};
  write_balls(2, "", "");
  for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
    outcome o =
        program_run(BRINK_PROGRAM, "run balls.hsml --json --interpret --until 0.5 %s", options[k]);
    CHECK_EXIT(o, 0);
    CHECK_MSG(!has_own_clocks(&o), "%s", options[k]);
    done(&o);
  }
  /* Agents that differ in what sizes or ranges are made with share no equations. */
  write_balls(2, "", "initial ball[2].q := 50.0; end initial;");
  outcome o = program_run(BRINK_PROGRAM, "run balls.hsml --json --interpret");
  CHECK_EXIT(o, 0);
  CHECK(!has_own_clocks(&o));
  done(&o);
}

TEST(the_model_may_say_which_clocks) {
  char text[sizeof balls + 400];
  snprintf(text, sizeof text, balls, 2, "", "");
  char *at = strstr(text, "until : 1.0;");
  memcpy(
      at, "until : 1; clocks : \"one\"; tolerance : 1e-9; end simulation; end body; end Balls;",
      sizeof "until : 1; clocks : \"one\"; tolerance : 1e-9; end simulation; end body; end Balls;");
  write_file("balls.hsml", text);
  outcome o = program_run(BRINK_PROGRAM, "run balls.hsml --json --interpret");
  CHECK_EXIT(o, 0);
  CHECK(!has_own_clocks(&o));
  done(&o);
  o = program_run(BRINK_PROGRAM, "run balls.hsml --json --interpret --clocks own");
  CHECK(has_own_clocks(&o));
  done(&o);
}

/* ---- mistakes ---- */

TEST(mistakes_are_reported_once_and_as_before) {
  write_robots(wide, "x := y_;", "a.plant.speed := 1.0;");
  outcome own = program_run(BRINK_PROGRAM, "run robots.hsml");
  outcome one = program_run(BRINK_PROGRAM, "run robots.hsml --clocks one");
  CHECK_EXIT(own, 3);
  CHECK(strcmp(own.err, one.err) == 0 && strstr(own.err, "error:") != NULL);
  done(&own);
  done(&one);
  write_robots(wide, "", "");
  own = program_run(BRINK_PROGRAM, "run robots.hsml --set bot[7].plant.k=1");
  one = program_run(BRINK_PROGRAM, "run robots.hsml --set bot[7].plant.k=1 --clocks one");
  CHECK_EXIT(own, 2);
  CHECK(strcmp(own.err, one.err) == 0);
  done(&own);
  done(&one);
}

/* ---- results ---- */

TEST(the_same_seed_gives_the_same_bits) {
  static const char run[] =
      "run " BRINK_MODELS "/bumper-cars/model.hsml --until 30 --every 0.5 --out";
  outcome a = program_run(BRINK_PROGRAM, "%s a.csv -q", run);
  outcome b = program_run(BRINK_PROGRAM, "%s b.csv -q --interpret", run);
  CHECK_EXIT(a, 0);
  CHECK_EXIT(b, 0);
  char *first = read_all("a.csv"), *second = read_all("b.csv");
  CHECK(strlen(first) > 10000 && strcmp(first, second) == 0);
  free(first);
  free(second);
  done(&a);
  done(&b);
}

/* The part of the summary before the statistics, which tell how long it took. */
static size_t length_before_statistics(const outcome *o) {
  const char *statistics = strstr(o->out, "\"stats\"");
  return statistics != NULL ? (size_t)(statistics - o->out) : 0;
}

/* Robots enough that threads compute their turns ahead: samples, rules, draws, notes and all. */
TEST(the_number_of_threads_changes_nothing) {
  static const char run[] = "run robots.hsml --until 2 --json --interpret --every 0.1 --out";
  write_many_robots(600, "(-1000.0, 1000.0)", "", "");
  outcome alone = program_run(BRINK_PROGRAM, "%s alone.csv --threads 1", run);
  CHECK_EXIT(alone, 0);
  CHECK(has_own_clocks(&alone));
  CHECK(count_of(json_member(alone.summary, "events")) > 50);
  size_t length = length_before_statistics(&alone);
  char *rows = read_all("alone.csv");
  for (int threads = 2; threads <= 5; threads += 3) {
    outcome several = program_run(BRINK_PROGRAM, "%s several.csv --threads %d", run, threads);
    CHECK_EXIT(several, 0);
    CHECK_MSG(length > 10000 && length_before_statistics(&several) == length &&
                  memcmp(several.out, alone.out, length) == 0,
              "%d threads tell something else", threads);
    char *others = read_all("several.csv");
    CHECK_MSG(strcmp(rows, others) == 0, "%d threads give other rows", threads);
    free(others);
    done(&several);
  }
  free(rows);
  done(&alone);
}

/* Ball 1 falls from 1: h = 1 - 9.81/2 t^2 until it bounces. Rows: the grid, and events before and after. */
TEST(rows_are_read_from_all_agents_at_the_times_of_the_grid_and_at_events) {
  write_balls(2, "", "initial ball[2].h := 3.0; end initial;");
  outcome o = program_run(BRINK_PROGRAM, "run balls.hsml --interpret --every 0.25 --out -");
  CHECK_EXIT(o, 0);
  double t, h1, h2, last = -1.0;
  int rows = 0, events = 0;
  for (const char *line = strchr(o.out, '\n'); line != NULL && line[1] != '\0';
       line = strchr(line + 1, '\n'), rows++) {
    CHECK(sscanf(line + 1, "%lf,%lf,%lf", &t, &h1, &h2) == 3);
    CHECK(t >= last);
    events += t == last;
    if (t <= 0.451) CHECK_NEAR(h1, 1.0 - 0.5 * 9.81 * t * t, 1e-7);
    if (t <= 0.78) CHECK_NEAR(h2, 3.0 - 0.5 * 9.81 * t * t, 1e-7);
    last = t;
  }
  CHECK_INT(rows, 5 + 2 * 2);
  CHECK_INT(events, 2);
  CHECK_NEAR(last, 1.0, 0.0);
  done(&o);
}

TEST(many_agents_tell_events_with_the_values_of_those_concerned) {
  write_balls(1200, "", "initial ball[7].h := 0.5; end initial;");
  outcome o = program_run(BRINK_PROGRAM, "run balls.hsml --json --interpret --until 0.4");
  CHECK_EXIT(o, 0);
  const json *events = json_member(o.summary, "events");
  CHECK_INT(count_of(events), 1);
  CHECK(strcmp(text_of(json_at(events, 0), "flag"), "ball[7].floor_") == 0);
  const json *state = json_member(json_at(events, 0), "state");
  CHECK_INT(count_of(state), 4);
  CHECK_NEAR(number_of(state, "ball[7].h"), 0.0, 1e-9);
  CHECK_INT(count_of(json_member(o.summary, "final")), 4 * 1200);
  done(&o);
}

TEST(the_statistics_count_windows_and_pairs) {
  outcome o =
      program_run(BRINK_PROGRAM, "run " BRINK_MODELS "/bumper-cars/model.hsml --json --until 20");
  const json *stats = json_member(o.summary, "stats"), *pairs = json_member(stats, "pairs");
  size_t met = 0;
  for (const json *e = json_at(json_member(o.summary, "events"), 0); e != NULL; e = e->next)
    met += json_member(e, "agents") != NULL;
  CHECK_NEAR(number_of(stats, "agents"), 20.0, 0.0);
  CHECK(number_of(stats, "windows") >= number_of(stats, "steps"));
  CHECK(number_of(pairs, "searched") <= number_of(pairs, "compared"));
  CHECK_NEAR(number_of(pairs, "met"), (double)met, 0.0);
  done(&o);
}

TEST(a_report_shows_agents_in_motion_and_where_they_met) {
  outcome o = program_run(BRINK_PROGRAM, "run " BRINK_MODELS
                                         "/bumper-cars/model.hsml --until 20 --report r.html -q");
  CHECK_EXIT(o, 0);
  done(&o);
  char *page = read_all("r.html");
  json *data = page_data(page);
  const json *cars = json_at(json_member(data, "populations"), 0);
  CHECK_NEAR(number_of(cars, "count"), 20.0, 0.0);
  CHECK(number_of(cars, "frames") > 500.0);
  CHECK(number_of(cars, "meetings_total") > 20.0);
  size_t nt, nx, inside = 0;
  double *t = page_numbers(json_member(data, "time"), &nt), *x = page_column(data, "car[3].x", &nx);
  CHECK(t != NULL && x != NULL && nt == nx && nt > 1000);
  for (size_t k = 0; k < nt && k < nx; k++) inside += x[k] >= 0.1 - 1e-6 && x[k] <= 9.9 + 1e-6;
  CHECK(inside == nt && t[0] == 0.0 && t[nt - 1] == 20.0);
  free(t);
  free(x);
  json_free(data);
  free(page);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(models_of_agents_give_the_events_of_one_system);
  RUN(parts_samples_rules_draws_and_notes_of_agents_are_those_of_one_system);
  RUN(agents_that_never_meet_have_clocks_of_their_own_too);
  RUN(stop_and_fail_end_the_run_with_the_words_of_the_model);
  RUN(an_action_that_makes_no_number_ends_the_run);
  RUN(a_value_outside_its_range_is_told_with_the_right_agent);
  RUN(what_accumulates_is_named);
  RUN(what_cannot_have_clocks_of_its_own_runs_as_before);
  RUN(the_model_may_say_which_clocks);
  RUN(mistakes_are_reported_once_and_as_before);
  RUN(the_same_seed_gives_the_same_bits);
  RUN(the_number_of_threads_changes_nothing);
  RUN(rows_are_read_from_all_agents_at_the_times_of_the_grid_and_at_events);
  RUN(many_agents_tell_events_with_the_values_of_those_concerned);
  RUN(the_statistics_count_windows_and_pairs);
  RUN(a_report_shows_agents_in_motion_and_where_they_met);
  program_leave(folder);
  return check_done();
}
