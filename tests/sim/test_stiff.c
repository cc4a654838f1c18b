/* test_stiff.c: stiff hybrid models by bdf, and by auto, which has to find out by itself. Answers: closed forms, or
 * collocation of order 23 in 113-bit arithmetic; 13 digits and more. With STIFF_VERBOSE in the environment every run is
 * printed. */
#include <stdlib.h>

#include "check.h"
#include "sim/sim.h"
#include "support/hsml_run.h"

#define PI 3.14159265358979323846

typedef struct happening {
  const char *flag;
  brink_direction direction;
  size_t nth; /* of this flag in this direction */
  double t, tolerance;
} happening;

typedef struct value {
  const char *state;
  double x, tolerance;
} value;

typedef struct stiff_case {
  const char *name;
  const char *file, *text; /* one of them */
  const char *const *sets;
  double until;
  happening happenings[12];
  value finals[5];
  long most_steps, most_vetoes; /* of bdf at 1e-8; 0: not asked */
} stiff_case;

/* ARGESIM C5: two states, rates 2.7e6 and 3.6; the thresholds lie in boundary layers. */
static const char switching[] = HSML_MODEL(
    "state(y1, real); state(y2, real); mode(m, {\"up\", \"down\"}); flag(high); flag(low);",
    "y1 := 4.2; y2 := 0.3; m := \"up\";",
    "if m = \"up\" then y1' = 2.7e6*(y2 + 0.4 - y1); y2' = 3.5651205*(5.5 - y2);"
    " else y1' = 2.7e6*(y2 - 0.3 - y1); y2' = 3.5651205*(2.73 - y2); end if;"
    " high = y1 - 5.8; low = y1 - 2.5;",
    "event(high) positive-going m := \"down\"; end positive-going; end event;"
    " event(low) negative-going m := \"up\"; end negative-going; end event;");

/* A tank that empties through a fast pipe: the edge has slope 1e-6. */
static const char tank[] = HSML_MODEL(
    "state(h, real); state(q, real); mode(m, {\"wet\", \"dry\"}); flag(empty, unilateral);",
    "h := 1.0; q := 1.0; m := \"wet\";",
    "if m = \"wet\" then h' = -q; q' = 1e6*(sqrt(h) - q); else h' = 0.0; q' = -1e6*q; end if;"
    " empty = h;",
    "event(empty) negative-going m := \"dry\"; end negative-going; end event;");

static const char *const rod_1000[] = {"n=1000", "m=500", NULL};

static const stiff_case cases[] = {
    {.name = "S5 two-state switching",
     .text = switching,
     .until = 5.01, /* the fifth comes 3.5e-7 before 5, less than the error that is allowed */
     .happenings = {{"high", BRINK_POSITIVE, 1, 1.1083061677711311872, 1e-6},
                    {"low", BRINK_NEGATIVE, 2, 2.1296853551547138932, 1e-6},
                    {"high", BRINK_POSITIVE, 2, 3.0541529069957194689, 1e-6},
                    {"low", BRINK_NEGATIVE, 3, 4.0755320943793021749, 1e-6},
                    {"high", BRINK_POSITIVE, 3, 4.9999996462203077506, 1e-6}}},
    {.name = "S7 stiff edge",
     .file = "stiff-edge",
     .until = 2.0,
     .happenings = {{"empty", BRINK_NEGATIVE, 1, PI / 2.0, 1e-7}},
     .finals = {{"h", 0.0, 1e-7}},
     .most_steps = 500,
     .most_vetoes = 5},
    {.name = "S8 tank with a fast pipe",
     .text = tank,
     .until = 3.0,
     .happenings = {{"empty", BRINK_NEGATIVE, 1, 1.9999849734011135086, 2e-4}},
     .finals = {{"h", 0.0, 1e-8}},
     .most_steps = 500,
     .most_vetoes = 5},
    {.name = "S9 half-order kinetics",
     .file = "stiff-kinetics",
     .until = 5.0,
     .happenings = {{"spent", BRINK_NEGATIVE, 1, 2.0, 2e-4}},
     .finals = {{"a", 0.0, 1e-8},
                {"b", 0.15926039492810329257, 1e-6},
                {"d", 0.7611094341512383173, 1e-6}},
     .most_steps = 500,
     .most_vetoes = 5},
    {.name = "S10 rectifier",
     .file = "stiff-rectifier",
     .until = 0.1,
     .happenings = {{"current", BRINK_NEGATIVE, 1, 0.0049194716505910080448, 1e-8},
                    {"forward", BRINK_POSITIVE, 1, 0.043791386674205670403, 1e-8},
                    {"current", BRINK_NEGATIVE, 2, 0.046614463240787628891, 1e-8},
                    {"forward", BRINK_POSITIVE, 2, 0.06328289288068485782, 1e-8},
                    {"current", BRINK_NEGATIVE, 3, 0.066631730206870900172, 1e-8},
                    {"forward", BRINK_POSITIVE, 3, 0.08362342969322322332, 1e-8},
                    {"current", BRINK_NEGATIVE, 4, 0.086642317762811405805, 1e-8}},
     .finals = {{"v", 9.0271138303927112655, 1e-6}}},
    {.name = "S11 rod, 20 cells",
     .file = "stiff-rod",
     .until = 10.0,
     .happenings = {{"hot", BRINK_POSITIVE, 1, 1.0275982624012770539, 1e-5},
                    {"cold", BRINK_NEGATIVE, 1, 2.239271690382955453, 1e-5},
                    {"hot", BRINK_POSITIVE, 2, 2.7312902323607259468, 1e-5},
                    {"hot", BRINK_POSITIVE, 6, 9.2395264012044734705, 1e-5}},
     .finals = {{"u[10]", 1.0777571105624362918, 1e-5}}},
    {.name = "S11 rod, 1000 cells", /* sparse matrices */
     .file = "stiff-rod",
     .sets = rod_1000,
     .until = 3.0,
     .happenings = {{"hot", BRINK_POSITIVE, 1, 1.12225010571478321, 1e-5},
                    {"cold", BRINK_NEGATIVE, 1, 2.4096421924793636649, 1e-5},
                    {"hot", BRINK_POSITIVE, 2, 2.9595411933349183363, 1e-5}}},
    {.name = "S12 melting rod",
     .file = "stiff-melting",
     .until = 1.0,
     .happenings = {{"starts[1]", BRINK_POSITIVE, 1, 0.0009573269646918641, 1e-7},
                    {"melted[1]", BRINK_POSITIVE, 1, 0.006375431688132745, 1e-7},
                    {"melted[9]", BRINK_POSITIVE, 1, 0.5799032557095658, 1e-5},
                    {"starts[10]", BRINK_POSITIVE, 1, 0.5799056607952994, 1e-5},
                    {"melted[10]", BRINK_POSITIVE, 1, 0.7029898706799428, 1e-5}},
     .finals = {{"e[10]", 1.5815602640431837, 1e-5}}},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static char *read_model(const char *name) {
  char path[400];
  snprintf(path, sizeof path, "%s/tests/stiff/%s.hsml", BRINK_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  CHECK_MSG(file != NULL, "%s is missing", path);
  char *text = calloc(1, 65536);
  if (file != NULL && text != NULL) CHECK(fread(text, 1, 65535, file) > 0);
  if (file != NULL) fclose(file);
  return text;
}

static double time_of(const hsml_run *run, const happening *wanted) {
  size_t seen = 0;
  for (size_t k = 0; k < run->nevents; k++) {
    const hsml_event *event = &run->events[k];
    if (strcmp(event->name, wanted->flag) != 0 || event->direction != wanted->direction) continue;
    if (++seen == wanted->nth) return event->t;
  }
  return NAN;
}

static hsml_run *open_case(const stiff_case *c, brink_method method, double rtol) {
  hsml_wishes wishes = hsml_default(rtol);
  wishes.options.method = method;
  wishes.sets = c->sets;
  char *read = c->file != NULL ? read_model(c->file) : NULL;
  hsml_run *run = hsml_open(read != NULL ? read : c->text, &wishes);
  free(read);
  CHECK_MSG(run->status == BRINK_OK, "%s: %s", c->name, run->diag.message);
  return run;
}

static void check_case(const stiff_case *c, brink_method method) {
  hsml_run *run = open_case(c, method, 1e-8);
  hsml_go(run, c->until);
  const char *by = brink_method_name(method);
  CHECK_MSG(run->status == BRINK_TIME_REACHED, "%s by %s: %s", c->name, by, run->diag.message);
  for (const happening *h = c->happenings; h->flag != NULL; h++) {
    double t = time_of(run, h);
    CHECK_MSG(fabs(t - h->t) <= h->tolerance, "%s by %s: %s is at %.15g, off by %.3g", c->name, by,
              h->flag, t, t - h->t);
  }
  for (const value *v = c->finals; v->state != NULL; v++) {
    double off = hsml_final(run, v->state) - v->x;
    CHECK_MSG(fabs(off) <= v->tolerance, "%s by %s: %s is off by %.3g", c->name, by, v->state, off);
  }
  const brink_stats *stats = hsml_stats(run);
  CHECK_INT(stats->rhs_past_guard, 0);
  if (c->most_vetoes > 0)
    CHECK_MSG(stats->refused_outside <= c->most_vetoes, "%s by %s: %ld vetoes", c->name, by,
              (long)stats->refused_outside);
  if (c->most_steps > 0 && method == BRINK_BDF)
    CHECK_MSG(stats->steps <= c->most_steps, "%s: %ld steps", c->name, (long)stats->steps);
  CHECK_MSG(stats->steps < 20000, "%s by %s: %ld steps", c->name, by, (long)stats->steps);
  if (getenv("STIFF_VERBOSE"))
    printf("%-26s %-4s steps %6ld  rhs %6ld  vetoes %ld  changes %zu\n", c->name, by,
           (long)stats->steps, (long)stats->rhs, (long)stats->refused_outside,
           run->sim->stiffness.total);
  hsml_close(run);
}

TEST(bdf_finds_the_events_of_stiff_models) {
  for (int k = 0; k < CASES; k++) check_case(&cases[k], BRINK_BDF);
}

TEST(auto_finds_them_too_in_a_few_thousand_steps) {
  for (int k = 0; k < CASES; k++) check_case(&cases[k], BRINK_AUTO);
}

/* Nobody has asked for bdf there: the result is as good as a series' would be. */
TEST(auto_is_as_accurate_as_its_explicit_method) {
  hsml_run *run = open_case(&(stiff_case){.name = "S7", .file = "stiff-edge"}, BRINK_AUTO, 1e-8);
  hsml_go(run, 2.0);
  CHECK_NEAR(hsml_final(run, "w"), 1.1981406867099040347, 1e-7);
  hsml_close(run);
}

TEST(nothing_is_evaluated_past_an_edge_at_any_tolerance) {
  static const double tolerances[] = {1e-3, 1e-5, 1e-6, 1e-9, 1e-10};
  for (int k = 0; k < CASES; k++) {
    for (size_t j = 0; j < sizeof tolerances / sizeof tolerances[0] && cases[k].most_vetoes > 0;
         j++) {
      hsml_run *run = open_case(&cases[k], BRINK_BDF, tolerances[j]);
      hsml_go(run, cases[k].until);
      CHECK_MSG(run->status == BRINK_TIME_REACHED, "%s at %g: %s", cases[k].name, tolerances[j],
                run->diag.message);
      CHECK_INT(run->nevents, 1);
      CHECK_INT(hsml_stats(run)->rhs_past_guard, 0);
      CHECK_MSG(hsml_stats(run)->refused_outside <= 5, "%s at %g: %ld vetoes", cases[k].name,
                tolerances[j], (long)hsml_stats(run)->refused_outside);
      hsml_close(run);
    }
  }
}

/* ---- auto ---- */

static const char van_der_pol[] =
    HSML_MODEL("state(x, real); state(y, real); flag(z);", "x := 2.0; y := 0.0;",
               "x' = y; y' = 1000.0*(1.0 - x^2)*y - x; z = x;", "");

TEST(auto_solves_van_der_pol_in_less_than_5000_steps_and_says_what_it_did) {
  hsml_wishes wishes = hsml_default(1e-6);
  wishes.options.method = BRINK_AUTO;
  hsml_run *run = hsml_open(van_der_pol, &wishes);
  hsml_go(run, 2000.0);
  CHECK_INT(run->status, BRINK_TIME_REACHED);
  CHECK_NEAR(hsml_time(run, "z", 1), 807.08474081587786759, 807.0 * 3e-4);
  CHECK_NEAR(hsml_final(run, "x"), 1.7061677321704650085, 1e-5);
  CHECK_MSG(hsml_stats(run)->steps <= 5000, "%ld steps", (long)hsml_stats(run)->steps);
  size_t count, total;
  const brink_method_change *changes = brink_sim_method_changes(run->sim, &count, &total);
  CHECK(count >= 1 && count == total);
  if (count > 0) {
    CHECK_INT(changes[0].from, BRINK_TAYLOR);
    CHECK_INT(changes[0].to, BRINK_BDF);
    CHECK(changes[0].t > 0.0 && changes[0].t < 10.0);
    CHECK(strncmp(changes[0].why, "stiff: ", 7) == 0);
  }
  for (size_t k = 1; k < count; k++)
    CHECK(changes[k].from == changes[k - 1].to && changes[k].t > changes[k - 1].t);
  hsml_close(run);
}

/* An oscillation, a fall, a decay: nothing is stiff, and nothing may change. */
TEST(auto_leaves_models_alone_that_are_not_stiff) {
  static const char *const texts[] = {
      HSML_MODEL("state(x, real); state(v, real);", "x := 1.0; v := 0.0;", "x' = v; v' = -x;", ""),
      HSML_MODEL("state(x, real); state(v, real);", "x := 1.0; v := 0.0;",
                 "x' = v; v' = -sin(x) - 0.1*v;", ""),
      HSML_MODEL("state(x, real); state(y, real); state(z, real);",
                 "x := 1.0; y := 1.0; z := 20.0;",
                 "x' = 10.0*(y - x); y' = x*(28.0 - z) - y; z' = x*y - 8.0/3.0*z;", ""),
      HSML_MODEL("state(x, real);", "x := 1.0;", "x' = -x;", ""),
  };
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
    for (int series = 0; series < 2; series++) {
      hsml_wishes wishes = hsml_default(1e-6);
      wishes.options.method = BRINK_AUTO;
      wishes.no_series = series == 0;
      hsml_run *run = hsml_open(texts[k], &wishes);
      hsml_go(run, 50.0);
      CHECK_INT(run->status, BRINK_TIME_REACHED);
      CHECK_INT(run->sim->stiffness.total, 0);
      CHECK_INT(hsml_stats(run)->newton, 0);
      hsml_close(run);
    }
  }
}

/* Runs a case by auto at 1e-8, and counts. */
static void check_counts(const char *name, const stiff_case *c, long most_steps, size_t changes) {
  hsml_run *run = open_case(c, BRINK_AUTO, 1e-8);
  hsml_go(run, c->until);
  CHECK_INT(run->status, BRINK_TIME_REACHED);
  CHECK_MSG(hsml_stats(run)->steps <= most_steps, "%s: %ld steps", name,
            (long)hsml_stats(run)->steps);
  CHECK_MSG(run->sim->stiffness.total <= changes, "%s: %zu changes", name,
            run->sim->stiffness.total);
  hsml_close(run);
}

/* After a switch steps are short: a layer has to be resolved. What was stiff before it still is. */
TEST(auto_stays_with_bdf_after_events_that_leave_the_model_stiff) {
  check_counts("rod", &(stiff_case){.file = "stiff-rod", .sets = rod_1000, .until = 10.0}, 8500, 1);
  check_counts("switching", &(stiff_case){.text = switching, .until = 5.01}, 2400, 1);
}

/* Four times it conducts: rates 1e2 and 1e9 alternate, and so do the methods, once each. */
TEST(auto_goes_back_after_events_that_end_the_stiffness) {
  stiff_case rectifier = {.file = "stiff-rectifier", .until = 0.1};
  check_counts("rectifier", &rectifier, 1500, 7);
  hsml_run *run = open_case(&rectifier, BRINK_AUTO, 1e-8);
  hsml_go(run, rectifier.until);
  CHECK_INT(run->sim->stiffness.total, 7);
  hsml_close(run);
}

/* A thermostat whose flags have actions for one direction each; 11 events have one, 11 have none. */
TEST(bdf_restarts_only_where_an_action_has_changed_something) {
  hsml_run *run = open_case(&(stiff_case){.file = "stiff-rod", .sets = rod_1000, .until = 10.0},
                            BRINK_BDF, 1e-8);
  hsml_go(run, 10.0);
  CHECK_INT(run->status, BRINK_TIME_REACHED);
  CHECK(run->nevents >= 22);
  CHECK_INT(hsml_stats(run)->restarts, 12);
  hsml_close(run);
}

/* The path of bdf leads the current through zero a little before the field does: it is led back, and that ends the step. */
TEST(a_flag_that_the_field_leads_back_does_not_fire_without_end) {
  static const double tolerances[] = {1e-3, 1e-4, 1e-5};
  stiff_case rectifier = {.name = "rectifier", .file = "stiff-rectifier", .until = 0.1};
  for (size_t k = 0; k < sizeof tolerances / sizeof tolerances[0]; k++) {
    for (int j = 0; j < 2; j++) {
      hsml_run *run = open_case(&rectifier, j == 0 ? BRINK_BDF : BRINK_AUTO, tolerances[k]);
      hsml_go(run, rectifier.until);
      CHECK_MSG(run->status == BRINK_TIME_REACHED, "at %g: %s", tolerances[k], run->diag.message);
      hsml_close(run);
    }
  }
}

/* Stiff for a while, and then switched so often that no window of bdf pays: it is left, and not tried at every switch. */
static const char chopped[] = HSML_MODEL(
    "state(x, real); state(s, real); mode(m, {\"up\", \"down\"}); flag(top); flag(bottom);",
    "x := 0.0; s := -0.01; m := \"up\";",
    "s' = if m = \"up\" then 1.0 else -1.0; x' = -1e6*(x - (if m = \"up\" then 1.0 else -1.0));"
    " top = s - 1e-4; bottom = s + 1e-4;",
    "event(top) positive-going m := \"down\"; end positive-going; end event;"
    " event(bottom) negative-going m := \"up\"; end negative-going; end event;");

TEST(auto_does_not_flip_with_frequent_switches) {
  check_counts("chopped", &(stiff_case){.text = chopped, .until = 0.05}, 15000, 4);
}

/* ---- constraints ---- */

typedef struct stiff_constraint {
  const char *name, *text;
  double (*off)(double t, const double *x); /* the constraint, and those hidden in it */
  const char *state;
  double final, tolerance; /* of it, at t = 20 and 1e-8 */
  double first, within;    /* event of `flag` */
} stiff_constraint;

/* z = cos t; x follows it by x = (k^2 cos t + k sin t)/(k^2 + 1), k = 1e6. */
static const char index_1[] = HSML_MODEL("state(x, real); variable(z, real); flag(flag1);",
                                         "x := 1.0;", "x' = -1e6*(x - z); flag1 = x - 0.5;",
                                         "constraints 0 = z - cos(time); end constraints;");

static double off_index_1(double t, const double *x) {
  return x[1] - cos(t);
}

/* x + y = sin t; y' = -k (2 y - sin t), so that y = (2 k^2 sin t - k cos t)/(4 k^2 + 1). */
static const char index_2[] =
    HSML_MODEL("state(x, real); state(y, real); variable(u, real); flag(flag1);",
               "x := 0.0; y := 0.0;", "x' = u; y' = -1e6*(y - x); flag1 = y - 0.25;",
               "constraints 0 = x + y - sin(time); end constraints;");

static double off_index_2(double t, const double *x) {
  return x[0] + x[1] - sin(t);
}

/* A pendulum that is pulled by what follows it fast. */
static const char index_3[] = HSML_MODEL(
    "state(x, real); state(y, real); state(vx, real); state(vy, real); state(w, real);"
    " variable(lam, real); flag(flag1);",
    "x := 1.0; y := 0.0; vx := 0.0; vy := 0.0; w := 1.0;",
    "x' = vx; y' = vy; vx' = -lam*x - w; vy' = -lam*y - 9.81; w' = -1e6*(w - x); flag1 = x;",
    "constraints 0 = x^2 + y^2 - 1.0; end constraints;");

static double off_index_3(double t, const double *x) {
  (void)t;
  return fmax(fabs(x[0] * x[0] + x[1] * x[1] - 1.0), fabs(x[0] * x[2] + x[1] * x[3]));
}

#define FAST 1e6

static const stiff_constraint constrained[] = {
    {.name = "index 1",
     .text = index_1,
     .off = off_index_1,
     .state = "x",
     .final = 0.40808206181339198606 + 0.91294525072762767 / FAST,
     .tolerance = 1e-7,
     .first = PI / 3.0 + 1e-6,
     .within = 1e-7},
    {.name = "index 2",
     .text = index_2,
     .off = off_index_2,
     .state = "y",
     .final = 0.5 * 0.91294525072762767438 - 0.25 * 0.40808206181339198606 / FAST,
     .tolerance = 1e-7,
     .first = PI / 6.0 + 0.5e-6,
     .within = 1e-7},
    {.name = "index 3", .text = index_3, .off = off_index_3, .state = "x"},
};

/* On to t = 20 with the constraints looked at after every step. */
static void go_on_constraints(const stiff_constraint *c, hsml_run *run, double least) {
  double most = 0.0;
  brink_status status = BRINK_STEPPED;
  while (status == BRINK_STEPPED || status == BRINK_EVENT) {
    status = brink_sim_advance(run->sim, 20.0, &run->diag);
    most = fmax(most, fabs(c->off(brink_sim_time(run->sim), brink_sim_state(run->sim))));
  }
  CHECK_MSG(status == BRINK_TIME_REACHED, "%s: %s", c->name, run->diag.message);
  CHECK_MSG(most <= least, "%s: off its constraints by %.3g", c->name, most);
}

static hsml_run *open_constrained(const stiff_constraint *c, brink_method method, double rtol) {
  hsml_wishes wishes = hsml_default(rtol);
  wishes.options.method = method;
  hsml_run *run = hsml_open(c->text, &wishes);
  CHECK_MSG(run->status == BRINK_OK, "%s: %s", c->name, run->diag.message);
  return run;
}

TEST(auto_changes_to_bdf_in_stiff_models_with_constraints_and_keeps_them) {
  for (size_t k = 0; k < sizeof constrained / sizeof constrained[0]; k++) {
    const stiff_constraint *c = &constrained[k];
    hsml_run *run = open_constrained(c, BRINK_AUTO, 1e-8);
    go_on_constraints(c, run, 1e-12);
    size_t count, total;
    const brink_method_change *changes = brink_sim_method_changes(run->sim, &count, &total);
    CHECK_INT(total, 1);
    if (count > 0) CHECK(changes[0].to == BRINK_BDF && changes[0].t < 0.01);
    CHECK_MSG(hsml_stats(run)->steps <= 10000, "%s: %ld steps", c->name,
              (long)hsml_stats(run)->steps);
    if (c->tolerance > 0.0) {
      CHECK_NEAR(hsml_final(run, c->state), c->final, c->tolerance);
      CHECK_NEAR(hsml_time(run, "flag1", 1), c->first, c->within);
    } else { /* nothing is known but what another method finds at a tighter tolerance */
      hsml_run *other = open_constrained(c, BRINK_BDF, 1e-10);
      go_on_constraints(c, other, 1e-12);
      CHECK_NEAR(hsml_final(run, c->state), hsml_final(other, c->state), 1e-5);
      hsml_close(other);
    }
    hsml_close(run);
  }
}

/* ---- copies ---- */

/* The same bits after a clone, in the middle of steps with a matrix that both have to have. */
static void check_clone(const stiff_case *c, brink_method method, double at) {
  hsml_run *run = open_case(c, method, 1e-6);
  hsml_go(run, at);
  brink_sim *clone = NULL;
  CHECK_INT(brink_sim_clone(run->sim, NULL, NULL, NULL, &clone), BRINK_OK);
  size_t bytes = run->sim->eval.nx * sizeof(double);
  for (int k = 0; k < 300 && clone != NULL; k++) {
    brink_status a = brink_sim_advance(run->sim, c->until, NULL);
    brink_status b = brink_sim_advance(clone, c->until, NULL);
    bool same = a == b && brink_sim_time(run->sim) == brink_sim_time(clone) &&
                memcmp(brink_sim_state(run->sim), brink_sim_state(clone), bytes) == 0;
    CHECK_MSG(same, "%s by %s: the clone differs after %d steps", c->name,
              brink_method_name(method), k);
    if (!same || a == BRINK_TIME_REACHED) break;
  }
  brink_sim_destroy(clone);
  hsml_close(run);
}

TEST(a_clone_of_a_stiff_run_goes_on_with_the_same_bits) {
  for (int k = 0; k < CASES; k++) {
    for (int j = 1; j < 4; j++) {
      check_clone(&cases[k], BRINK_BDF, 0.23 * j * cases[k].until);
      check_clone(&cases[k], BRINK_AUTO, 0.23 * j * cases[k].until);
    }
  }
}

int main(void) {
  RUN(bdf_finds_the_events_of_stiff_models);
  RUN(auto_finds_them_too_in_a_few_thousand_steps);
  RUN(auto_is_as_accurate_as_its_explicit_method);
  RUN(nothing_is_evaluated_past_an_edge_at_any_tolerance);
  RUN(auto_solves_van_der_pol_in_less_than_5000_steps_and_says_what_it_did);
  RUN(auto_leaves_models_alone_that_are_not_stiff);
  RUN(auto_stays_with_bdf_after_events_that_leave_the_model_stiff);
  RUN(auto_goes_back_after_events_that_end_the_stiffness);
  RUN(bdf_restarts_only_where_an_action_has_changed_something);
  RUN(a_flag_that_the_field_leads_back_does_not_fire_without_end);
  RUN(auto_does_not_flip_with_frequent_switches);
  RUN(auto_changes_to_bdf_in_stiff_models_with_constraints_and_keeps_them);
  RUN(a_clone_of_a_stiff_run_goes_on_with_the_same_bits);
  return check_done();
}
