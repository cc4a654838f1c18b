/* brink condition, as a user meets it: the numbers of García's examples within 1e-6, verdicts, JSON; and the
 * page about it, played.
 *
 * `test_condition_program --renew` writes what the commands print now into the page. */
#include "check.h"
#include "support/program.h"
#include "support/session.h"

#include <stdbool.h>
#include <stdlib.h>

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)
#define LINEAR BRINK_SOURCE_DIR "/models/garcia-linear/model.hsml"
#define QUINTIC BRINK_SOURCE_DIR "/models/garcia-nonlinear/model.hsml"
#define BALL BRINK_SOURCE_DIR "/models/bouncing-ball/model.hsml"
#define SLIDING BRINK_SOURCE_DIR "/models/sliding/model.hsml"

static const char page[] = "docs/condition.md";

typedef struct row {
  double alpha, number, brief; /* brief: before the event; 0: it comes first */
} row;

/* The closed forms, h = 0.01. */
static const row linear_rows[] = {
    {9, 3.62586393972410972, 0},
    {9.2, 4.4659321645325943, 0},
    {9.4, 6.27852215824925951, 0},
    {9.5, 8.5949072840220165, 0},
    {9.6, 21.0979125352430127, 0},
    {9.62, 100.050815027643999, 0},
    {9.63, 1094.62867781192701, 110.555409635310442},
    {9.65, 340.888133863384935, 34.4290515923533048},
    {9.7, 125.259627900111687, 12.6509834675091842},
    {9.8, 55.2998656358578498, 5.58518065480728101},
    {9.9, 35.4823417296262245, 3.58364832497756165},
    {10, 26.1213669891326406, 2.6382075266097419},
};

static const row quintic_rows[] = {
    {4, 1.00181792598870237, 0},
    {4.5, 1.003173935962261, 0},
    {5, 1.00886275746971923, 0},
    {5.2, 1.02260034902476413, 0},
    {5.3, 1.07184490283716939, 0},
    {5.34, 1.34108966472569422, 0},
    {5.36, 1.75933714347347754, 99.2303673987344391},
    {5.4, 0.354306684540336268, 19.9690239746778129},
    {5.5, 0.118702155255372887, 6.66322132864605354},
    {6, 0.0291895884909300731, 1.53827798595269793},
    {7, 0.014786598775940745, 0.606032118808820062},
    {8, 0.0121124098966639921, 0.377347446362597511},
};

static double number_of(const json *object, const char *key) {
  const json *member = json_member(object, key);
  return member != NULL && member->kind == JSON_NUMBER ? member->number : (double)NAN;
}

static double condition_of(const outcome *o) {
  return number_of(json_at(json_member(o->summary, "events"), 0), "condition");
}

static void check_row(const char *model, const row *r, double brief_until) {
  outcome o = brink("condition %s --json --set plant.alpha=%.17g", model, r->alpha);
  CHECK_EXIT(o, 0);
  CHECK_NEAR(condition_of(&o), r->number, 1e-6 * r->number);
  done(&o);
  if (r->brief == 0.0) return;
  o = brink("condition %s --json --set plant.alpha=%.17g --until %g", model, r->alpha, brief_until);
  const json *closest = json_at(json_member(o.summary, "closest_approaches"), 0);
  CHECK_NEAR(number_of(closest, "published"), r->brief, 1e-6 * r->brief);
  done(&o);
}

TEST(published_numbers_are_the_closed_forms) {
  for (size_t k = 0; k < sizeof linear_rows / sizeof *linear_rows; k++)
    check_row(LINEAR, &linear_rows[k], 5.0);
  for (size_t k = 0; k < sizeof quintic_rows / sizeof *quintic_rows; k++)
    check_row(QUINTIC, &quintic_rows[k], 3.5);
}

TEST(h_is_the_step_that_is_given) {
  outcome o = brink("condition " LINEAR " --json --set plant.alpha=9.7 --step 0.02");
  CHECK_NEAR(condition_of(&o), 2.0 * 125.259627900111687, 1e-4);
  done(&o);
}

TEST(tangency_is_infinite_and_said_to_be) {
  outcome o = brink("condition " LINEAR " --json --set plant.alpha=9.62095476193070331");
  const json *event = json_at(json_member(o.summary, "events"), 0);
  const json *number = json_member(event, "condition");
  CHECK(number != NULL && number->kind == JSON_STRING && strcmp(number->text, "inf") == 0);
  const json *verdict = json_member(json_member(event, "conditioning"), "verdict");
  CHECK(verdict != NULL && strncmp(verdict->text, "ill-posed: ", 11) == 0);
  done(&o);
}

/* The surface moves with alpha, the initial state does not: the time moves by 1/|L|. */
TEST(derivatives_are_there_by_initial_values_and_knobs) {
  outcome o = brink("condition " LINEAR " --json --set plant.alpha=9");
  const json *event = json_at(json_member(o.summary, "events"), 0);
  const json *more = json_member(event, "conditioning");
  const json *time = json_member(json_member(more, "sensitivity"), "t");
  double t = number_of(event, "t"), slope = 1.0 / (4.0 * exp(t) * cos(t));
  CHECK_NEAR(number_of(time, "plant.alpha"), slope, 1e-7 * slope);
  CHECK_NEAR(number_of(more, "kappa_t"), slope, 1e-7 * slope);
  const json *after = json_member(json_member(more, "sensitivity"), "after");
  CHECK(json_member(json_member(after, "plant.x1"), "plant.x2") != NULL);
  done(&o);
}

/* Just beyond tangency the exact event is the far one (errata 8.4: 5.5115… in this limit); rk4 meets the line early. */
TEST(another_method_that_finds_another_event_is_told) {
  outcome o =
      brink("condition " LINEAR " --json --set plant.alpha=9.620954762 --against rk4 --step 0.01");
  CHECK_EXIT(o, 0);
  const json *against = json_member(o.summary, "against");
  const json *d = json_at(json_member(against, "differ"), 0);
  CHECK_NEAR(number_of(against, "agree"), 0.0, 0.0);
  CHECK_NEAR(number_of(against, "step"), 0.01, 0.0);
  CHECK_NEAR(number_of(d, "t"), 5.51152946, 1e-7);
  CHECK_NEAR(number_of(d, "other"), 1.5708, 1e-3);
  /* Lemma 4.1, corrected: half of what they are apart. */
  CHECK_NEAR(number_of(d, "off"), 0.5 * (number_of(d, "t") - number_of(d, "other")), 1e-12);
  CHECK(number_of(d, "error") + number_of(d, "other_error") < 0.01);
  done(&o);
}

TEST(methods_that_agree_are_said_to) {
  static const char *const methods[] = {"rk4 --step 0.01", "adams", "dopri"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    outcome o = brink("condition " LINEAR " --json --set plant.alpha=9 --against %s", methods[k]);
    CHECK_EXIT(o, 0);
    const json *against = json_member(o.summary, "against");
    CHECK_NEAR(number_of(against, "agree"), 1.0, 0.0);
    CHECK(json_at(json_member(against, "differ"), 0) == NULL);
    /* The step is the other method's: the run is what it is without it. */
    CHECK_NEAR(number_of(json_at(json_member(o.summary, "events"), 0), "t"), 1.2913782525201173686,
               1e-9);
    done(&o);
  }
}

/* A method of order 1 is off by more than its runs tell. */
TEST(a_method_that_is_wrong_about_its_error_is_told_in_words) {
  outcome o = brink("condition " LINEAR " --set plant.alpha=9.62 --against euler --step 0.01");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "against euler, step 0.01: 0 events within both errors, 1 not\n");
  CHECK_CONTAINS(o.out, "plant.g: t = 1.560801239, by euler 1.460");
  CHECK_CONTAINS(o.out, "at least one is off by 0.05\n");
  done(&o);
}

/* The hump is 0.01 high: with steps of 0.5 the ends of steps are on one side of it. */
TEST(events_that_one_method_alone_has_are_told) {
  FILE *file = fopen("hump.hsml", "w");
  CHECK(file != NULL);
  if (file == NULL) return;
  fputs("ctc Hump is body\n"
        "  declarations state(y, real); state(v, real); flag(top); end declarations;\n"
        "  initial y := 0.0; v := 1.0; end initial;\n"
        "  dynamics y' = v; v' = -1.0; top = y - 0.49; end dynamics;\n"
        "end body; end Hump;\n",
        file);
  fclose(file);
  outcome o =
      brink("condition hump.hsml --until 2 --json --events endpoint --against rk4 --step 0.4 "
            "--hmax 0.01");
  const json *against = json_member(o.summary, "against");
  size_t alone = 0;
  for (const json *d = json_at(json_member(against, "differ"), 0); d != NULL; d = d->next)
    alone += json_member(d, "other")->kind == JSON_NULL;
  CHECK_INT(alone, 2);
  done(&o);
}

TEST(a_fixed_step_has_to_be_given) {
  outcome o = brink("condition " LINEAR " --against rk4");
  CHECK_EXIT(o, 2);
  CHECK_CONTAINS(o.err, "--against rk4 works at a fixed step: give --step H");
  done(&o);
}

TEST(run_has_the_transversality_and_costs_no_statistics) {
  outcome o = brink("run " LINEAR " --json --set plant.alpha=9.63");
  CHECK_NEAR(condition_of(&o), 1.39515569232875406, 1e-6);
  outcome other = brink("condition " LINEAR " --json --set plant.alpha=9.63");
  static const char *const counts[] = {"steps", "rejected", "rhs", "guards", "roots", "restarts"};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    CHECK_NEAR(number_of(json_member(other.summary, "stats"), counts[k]),
               number_of(json_member(o.summary, "stats"), counts[k]), 0.0);
  done(&o);
  done(&other);
}

TEST(slides_have_no_number) {
  outcome o = brink("condition " SLIDING " --json");
  const json *event = json_at(json_member(o.summary, "events"), 0);
  CHECK_INT(json_member(event, "condition")->kind, JSON_NULL);
  CHECK(strcmp(json_member(json_member(event, "conditioning"), "posed")->text, "sliding") == 0);
  done(&o);
}

/* |S|_2 of a bounce: S = [-e 0; (1 + e) a/v, -e] with a = -9.81 and v the speed of arrival. */
TEST(resets_have_the_norm_of_their_saltation_matrix) {
  outcome o = brink("condition " BALL " --json --until 1");
  const json *event = json_at(json_member(o.summary, "events"), 0);
  double v = fabs(number_of(json_member(event, "state"), "ball.v"));
  double up = fabs(number_of(json_member(event, "after"), "ball.v")), e = up / v;
  double b = (1.0 + e) * 9.81 / v, trace = 2.0 * e * e + b * b;
  double norm = sqrt(0.5 * (trace + sqrt(trace * trace - 4.0 * e * e * e * e)));
  double found = number_of(json_member(event, "conditioning"), "saltation_norm");
  CHECK_NEAR(found, norm, 1e-5 * norm);
  done(&o);
}

/* A ball over a floor, and a wheel that turns fast beside it: at the floor the field is slanted
 * in (h, v) alone. The published number counts the wheel, the scaled one does not. */
TEST(what_else_is_in_the_system_does_not_count) {
  static const char ball[] =
      "ctc Ball is\n"
      "  body\n"
      "    declarations state(h, real); state(v, real); %s flag(ground); end declarations;\n"
      "    initial h := 1.0; v := 1.0; %s end initial;\n"
      "    dynamics h' = v; v' = -9.81; %s ground = h; end dynamics;\n"
      "  end body;\n"
      "end Ball;\n";
  static const char *const wheel[2][3] = {
      {"", "", ""},
      {"state(c, real); state(s, real);", "c := 1.0; s := 0.0;", "c' = -100.0*s; s' = 100.0*c;"}};
  double published[2], scaled[2];
  for (int k = 0; k < 2; k++) {
    char text[sizeof ball + 200];
    snprintf(text, sizeof text, ball, wheel[k][0], wheel[k][1], wheel[k][2]);
    write_file("ball.hsml", text);
    outcome o = brink("condition ball.hsml --json --until 0.7");
    const json *event = json_at(json_member(o.summary, "events"), 0);
    published[k] = number_of(event, "condition");
    scaled[k] = number_of(json_member(event, "conditioning"), "scaled");
    done(&o);
  }
  CHECK(published[1] > 50.0 * published[0]);
  CHECK_NEAR(scaled[1], scaled[0], 1e-6 * scaled[0]);
}

TEST(a_near_miss_is_what_the_factor_says) {
  outcome o = brink("run " LINEAR " --json --set plant.alpha=9.6209548");
  const json *miss = json_at(json_member(o.summary, "near_misses"), 0);
  CHECK_NEAR(number_of(miss, "t"), 1.5707963267948966, 1e-6);
  CHECK_NEAR(number_of(miss, "distance"), 9.6209548 - 9.62095476193070331, 1e-10);
  done(&o);
  o = brink("run " LINEAR " --json --set plant.alpha=9.6209548 --near-miss 1");
  CHECK(json_member(o.summary, "near_misses") == NULL);
  done(&o);
  o = brink("run " LINEAR " --json --set plant.alpha=9.63 --near-miss 1e9");
  miss = json_at(json_member(o.summary, "near_misses"), 0);
  CHECK_NEAR(number_of(miss, "value"), 0.00904523806929668905, 1e-8);
  done(&o);
  o = brink("run " LINEAR " --near-miss -1");
  CHECK_EXIT(o, 2);
  done(&o);
}

static void say(const char *text, void *user) {
  (void)user;
  CHECK_SAY("%s", text);
}

static bool renewing;

TEST(the_page_shows_what_happens) {
  char *text = read_all(BRINK_SOURCE_DIR "/docs/condition.md"), *renewed = NULL;
  session s = {
      .page = page, .directory = "condition-session", .program = BRINK_PROGRAM, .say = say};
  session_play(&s, text, renewing ? &renewed : NULL);
  if (renewing && renewed != NULL) write_file(BRINK_SOURCE_DIR "/docs/condition.md", renewed);
  CHECK(s.commands >= 2);
  free(renewed);
  free(text);
}

int main(int argc, char **argv) {
  renewing = argc > 1 && strcmp(argv[1], "--renew") == 0;
  RUN(the_page_shows_what_happens);
  char folder[16];
  program_enter(folder);
  RUN(published_numbers_are_the_closed_forms);
  RUN(h_is_the_step_that_is_given);
  RUN(tangency_is_infinite_and_said_to_be);
  RUN(derivatives_are_there_by_initial_values_and_knobs);
  RUN(another_method_that_finds_another_event_is_told);
  RUN(methods_that_agree_are_said_to);
  RUN(a_method_that_is_wrong_about_its_error_is_told_in_words);
  RUN(events_that_one_method_alone_has_are_told);
  RUN(a_fixed_step_has_to_be_given);
  RUN(run_has_the_transversality_and_costs_no_statistics);
  RUN(slides_have_no_number);
  RUN(resets_have_the_norm_of_their_saltation_matrix);
  RUN(what_else_is_in_the_system_does_not_count);
  RUN(a_near_miss_is_what_the_factor_says);
  program_leave(folder);
  return check_done();
}
