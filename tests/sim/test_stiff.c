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
  snprintf(path, sizeof path, "%s/tests/lang/run/%s.hsml", BRINK_SOURCE_DIR, name);
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
  RUN(nothing_is_evaluated_past_an_edge_at_any_tolerance);
  RUN(auto_solves_van_der_pol_in_less_than_5000_steps_and_says_what_it_did);
  RUN(auto_leaves_models_alone_that_are_not_stiff);
  RUN(a_clone_of_a_stiff_run_goes_on_with_the_same_bits);
  return check_done();
}
