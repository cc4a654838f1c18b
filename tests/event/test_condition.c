/* Condition numbers of events against the closed forms of García's examples, and what they must not depend
 * on: speed, units, the run. */
#include "check.h"

#include <brink/brink.h>
#include <stdbool.h>

#include "event/condition.h"
#include "sim/conditions.h"

#define PI 3.14159265358979323846

/* ---- formulas ---- */

TEST(an_orthogonal_crossing_is_1_whatever_the_speed) {
  const double g[2] = {0.0, 3.0};
  for (double speed = 1e-12; speed < 1e13; speed *= 1e3) {
    double f[2] = {0.0, -speed};
    brink_slant slant = {.n = 2, .f = f, .g = g};
    CHECK_NEAR(brink_slant_factor(&slant), 1.0, 1e-15);
  }
}

TEST(a_tangent_field_is_infinite_and_a_field_of_zero_has_no_angle) {
  const double g[2] = {1.0, 1.0}, along[2] = {2.0, -2.0}, none[2] = {0.0, 0.0};
  brink_slant slant = {.n = 2, .f = along, .g = g};
  CHECK(isinf(brink_slant_factor(&slant)));
  CHECK(isinf(brink_slant_delay(&slant)));
  slant.f = none;
  CHECK_NEAR(brink_slant_factor(&slant), 1.0, 0.0);
  slant.g = none;
  slant.f = along;
  CHECK(isnan(brink_slant_factor(&slant)));
}

TEST(an_event_at_a_given_time_is_1) {
  const double g[2] = {0.0, 0.0}, f[2] = {1e6, -3.0};
  brink_slant slant = {.n = 2, .f = f, .g = g, .rate = 1.0};
  CHECK_NEAR(brink_slant_factor(&slant), 1.0, 0.0);
  CHECK_NEAR(brink_slant_delay(&slant), 0.0, 0.0);
}

/* Two fields of 30 and 45 degrees to the normal: 1/(cos 30 cos 45). */
TEST(angles_multiply) {
  const double g[2] = {0.0, 7.0};
  const double a[2] = {sin(PI / 6.0), cos(PI / 6.0)}, b[2] = {-5.0, 5.0};
  brink_slant first = {.n = 2, .f = a, .g = g}, second = {.n = 2, .f = b, .g = g};
  CHECK_NEAR(brink_slant_factor(&first) * brink_slant_factor(&second),
             1.0 / (cos(PI / 6.0) * cos(PI / 4.0)), 1e-14);
}

TEST(units_of_states_do_not_change_what_is_scaled) {
  const double g[2] = {0.3, -2.0}, f[2] = {4.0, 1.0}, size[2] = {5.0, 0.2};
  brink_slant slant = {.n = 2, .f = f, .g = g, .size = size};
  double before = brink_slant_factor(&slant);
  const double g2[2] = {0.3 / 1000.0, -2.0 * 64.0}, f2[2] = {4.0 * 1000.0, 1.0 / 64.0};
  const double size2[2] = {5.0 * 1000.0, 0.2 / 64.0};
  brink_slant other = {.n = 2, .f = f2, .g = g2, .size = size2};
  CHECK_NEAR(brink_slant_factor(&other), before, 1e-14 * before);
}

/* |S|_2 of the rank-one formula against that of the matrix written out. */
TEST(the_norm_of_a_jump_is_that_of_its_matrix) {
  const double g[3] = {1.0, -2.0, 0.5}, f[3] = {3.0, 1.0, 1.0}, after[3] = {-1.0, 0.25, 6.0};
  brink_slant slant = {.n = 3, .f = f, .g = g};
  double rate = brink_slant_rate(&slant), S[9], room[6];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) S[3 * i + k] = (i == k) + (after[i] - f[i]) * g[k] / rate;
  }
  double norm = brink_matrix_norm(3, S, room);
  CHECK_NEAR(brink_jump_norm(&slant, after), norm, 1e-9 * norm);
  CHECK_NEAR(brink_jump_norm(&slant, f), 1.0, 1e-15);
}

TEST(words_follow_the_worst_evidence) {
  brink_evidence e = {.angle = 1.0, .vanish = INFINITY, .appear = NAN, .accuracy = 1e-6};
  CHECK_INT(brink_judge(&e), BRINK_WELL_POSED);
  e.angle = 30.0;
  CHECK_INT(brink_judge(&e), BRINK_GRAZING);
  e.appear = 1e-7;
  CHECK_INT(brink_judge(&e), BRINK_ILL_POSED);
  e = (brink_evidence){.angle = 1.0, .vanish = 5e-4, .appear = NAN, .accuracy = 1e-6};
  CHECK_INT(brink_judge(&e), BRINK_GRAZING);
  e = (brink_evidence){.angle = INFINITY, .vanish = NAN, .appear = NAN, .accuracy = 1e-6};
  CHECK_INT(brink_judge(&e), BRINK_ILL_POSED);
  e = (brink_evidence){.angle = NAN, .vanish = NAN, .appear = NAN, .accuracy = 1e-6};
  CHECK_INT(brink_judge(&e), BRINK_UNJUDGED);
}

/* ---- runs ---- */

typedef struct setting {
  double alpha, beta;
  double unit, second; /* what x and t are measured in */
  bool linear;
} setting;

static int rhs(double t, const double *y, const brink_env *env, double *dx) {
  (void)t;
  const setting *s = env->user;
  double x1 = y[0] / s->unit, x2 = y[1] / s->unit;
  double b4 = pow(s->beta, 4.0);
  double f1 = s->linear ? x1 - x2 : 1.0;
  double f2 = s->linear ? x1 + x2 : 10.0 * (b4 - 5.0 * pow(x1, 4.0)) / (b4 * s->beta);
  if (env->sgn[0] < 0) {
    f1 = 0.0;
    f2 = -1.0;
  }
  dx[0] = f1 * s->unit / s->second;
  dx[1] = f2 * s->unit / s->second;
  return 0;
}

typedef struct told {
  size_t count, events;
  brink_condition last;
  brink_event event;
  brink_closest_approach approach; /* the last one */
} told;

static void on_told(const brink_condition *condition, void *user) {
  told *seen = user;
  seen->count++;
  seen->last = *condition;
  seen->events += condition->event != NULL;
  if (condition->event != NULL) seen->event = *condition->event;
  if (condition->napproaches > 0)
    seen->approach = condition->approaches[condition->napproaches - 1];
}

typedef struct garcia_run {
  told seen;
  brink_stats stats;
  double t;
} garcia_run;

static garcia_run run_garcia(setting s, double until, brink_method method, double rtol) {
  static const double coefficient = 1.0;
  static const size_t second_state = 1;
  brink_guard_def guard = brink_default_guard("g");
  double x0[2] = {-2.0 * s.unit, -2.0 * s.unit};
  if (!s.linear) {
    x0[0] = -2.5 * s.beta * s.unit;
    x0[1] = 951.5625 * s.unit;
  }
  guard.coefficients = &coefficient;
  guard.depends = &second_state;
  guard.ndepends = 1;
  guard.offset = s.alpha * s.unit;
  brink_model_def def = brink_default_model();
  def.name = "garcia";
  def.nx = 2;
  def.x0 = x0;
  def.rhs = rhs;
  def.nguards = 1;
  def.guards = &guard;
  def.user = &s;
  brink_options options = brink_default_options();
  options.method = method;
  options.rtol = rtol;
  options.atol = rtol / 1000.0 * s.unit;
  brink_diag diag;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_conditions *conditions = NULL;
  garcia_run run = {.t = NAN};
  brink_conditions_def wishes = {
      .approaches = true, .report = on_told, .user = &run.seen, .step = 0.01};
  CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, &options, NULL, &diag, &sim), BRINK_OK);
  CHECK_INT(brink_conditions_create(sim, &wishes, NULL, &diag, &conditions), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, until * s.second, &diag), BRINK_TIME_REACHED);
  CHECK(brink_conditions_finish(conditions));
  run.stats = *brink_sim_stats(sim);
  run.t = brink_sim_time(sim);
  brink_conditions_destroy(conditions);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return run;
}

static setting linear(double alpha) {
  return (setting){.alpha = alpha, .beta = 1.0, .unit = 1.0, .second = 1.0, .linear = true};
}

static setting quintic(double alpha, double beta) {
  return (setting){.alpha = alpha, .beta = beta, .unit = 1.0, .second = 1.0};
}

typedef struct row {
  double alpha, t, factor, gap, distance, number, brief;
} row;

/* brief: the number of an interval that ends before the event; 0: the event comes first. */
static const row linear_rows[] = {
    {9, 1.2913782525201173686, 3.62586393972410972, 0, 0, 3.62586393972410972, 0},
    {9.2, 1.3449642194147957506, 4.4659321645325943, 0, 0, 4.4659321645325943, 0},
    {9.4, 1.4108419664224426358, 6.27852215824925951, 0, 0, 6.27852215824925951, 0},
    {9.5, 1.4541842489977856364, 8.5949072840220165, 0, 0, 8.5949072840220165, 0},
    {9.6, 1.5233805074988351412, 21.0979125352430127, 0, 0, 21.0979125352430127, 0},
    {9.62, 1.5608012392964745023, 100.050815027643999, 0, 0, 100.050815027643999, 0},
    {9.63, 5.5115422079555631318, 1.39515569232875406, 0.00904523806929668905, 709.68258544403601,
     1094.62867781192701, 110.555409635310442},
    {9.65, 5.511570388426045878, 1.39511744477052913, 0.0290452380692966891, 709.702042661279559,
     340.888133863384935, 34.4290515923533048},
    {9.7, 5.5116408327488740842, 1.39502184919491357, 0.0790452380692966891, 709.750683371013323,
     125.259627900111687, 12.6509834675091842},
    {9.8, 5.5117816920344692172, 1.39483075792503192, 0.179045238069296689, 709.847954794272397,
     55.2998656358578498, 5.58518065480728101},
    {9.9, 5.5119225121959686853, 1.39463979971024958, 0.279045238069296689, 709.945212897033303,
     35.4823417296262245, 3.58364832497756165},
    {10, 5.5120632932605293407, 1.39444897440671696, 0.379045238069296689, 710.042457688622914,
     26.1213669891326406, 2.6382075266097419},
};

static const row quintic_rows[] = {
    {4, 1.6461472097579633346, 1.00181792598870237, 0, 0, 1.00181792598870237, 0},
    {4.5, 1.6805884068008272313, 1.003173935962261, 0, 0, 1.003173935962261, 0},
    {5, 1.7309002968221040564, 1.00886275746971923, 0, 0, 1.00886275746971923, 0},
    {5.2, 1.7639311869217402733, 1.02260034902476413, 0, 0, 1.02260034902476413, 0},
    {5.3, 1.7915966915706197624, 1.07184490283716939, 0, 0, 1.07184490283716939, 0},
    {5.34, 1.8132880562800257319, 1.34108966472569422, 0, 0, 1.34108966472569422, 0},
    {5.36, 3.6039991076212796444, 1.00012101923244121, 0.010077560188623808, 1.77276805651404936,
     1.75933714347347754, 99.2303673987344391},
    {5.4, 3.604620620758239314, 1.00012039135810004, 0.050077560188623808, 1.77406784959226976,
     0.354306684540336268, 19.9690239746778129},
    {5.5, 3.6061673740527144178, 1.00011884532107393, 0.150077560188623808, 1.78124129279240718,
     0.118702155255372887, 6.66322132864605354},
    {6, 3.6137552365237936846, 1.00011159058525861, 0.650077560188623808, 1.8973379218602418,
     0.0291895884909300731, 1.53827798595269793},
    {7, 3.6282552582562072604, 1.000099122135014, 1.65007756018862381, 2.43966165869691775,
     0.014786598775940745, 0.606032118808820062},
    {8, 3.641951549282510262, 1.00008881918945034, 2.65007756018862381, 3.20959749284780872,
     0.0121124098966639921, 0.377347446362597511},
};

#define WITHIN 1e-6 /* relative */

static void check_row(const row *r, const told *seen) {
  CHECK_INT(seen->events, 1);
  CHECK_MSG(seen->last.event != NULL, "alpha = %g: no event", r->alpha);
  CHECK_NEAR(seen->event.t, r->t, WITHIN * r->t);
  CHECK_NEAR(seen->last.transversality, r->factor, WITHIN * r->factor);
  CHECK_NEAR(seen->last.published, r->number, WITHIN * r->number);
  CHECK_INT(seen->last.napproaches, r->gap > 0.0);
  if (r->gap > 0.0) {
    CHECK_NEAR(seen->approach.value, r->gap, WITHIN * r->gap);
    CHECK_NEAR(seen->approach.factor, 0.01 * r->distance / r->gap, WITHIN * r->distance / r->gap);
  }
}

static void check_brief(const row *r, const told *seen) {
  CHECK_INT(seen->events, 0);
  CHECK_INT(seen->count, 1);
  CHECK_NEAR(seen->last.published, r->brief, WITHIN * r->brief);
  CHECK(isnan(seen->last.transversality));
}

static void check_tables(brink_method method, double rtol) {
  for (size_t k = 0; k < sizeof linear_rows / sizeof *linear_rows; k++) {
    const row *r = &linear_rows[k];
    garcia_run run = run_garcia(linear(r->alpha), 6.0, method, rtol);
    check_row(r, &run.seen);
    if (r->brief == 0.0) continue;
    run = run_garcia(linear(r->alpha), 5.0, method, rtol);
    check_brief(r, &run.seen);
  }
  for (size_t k = 0; k < sizeof quintic_rows / sizeof *quintic_rows; k++) {
    const row *r = &quintic_rows[k];
    garcia_run run = run_garcia(quintic(r->alpha, 1.0), 4.0, method, rtol);
    check_row(r, &run.seen);
    if (r->brief == 0.0) continue;
    run = run_garcia(quintic(r->alpha, 1.0), 3.5, method, rtol);
    check_brief(r, &run.seen);
  }
}

TEST(published_numbers_are_the_closed_forms_with_adams) {
  check_tables(BRINK_ADAMS, 1e-11);
}

TEST(published_numbers_are_the_closed_forms_with_dopri) {
  check_tables(BRINK_DOPRI, 1e-11);
}

TEST(published_numbers_grow_with_beta) {
  static const struct {
    double beta, alpha, number;
  } cases[] = {{2, 5.3, 1.26309381399486093},  {2, 5.36, 3.5199086493933455},
               {2, 5.4, 0.708657369373763248}, {4, 5.3, 1.83891922927798474},
               {4, 5.36, 7.05000270918636658}, {4, 5.4, 1.4192529140068952}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    garcia_run run =
        run_garcia(quintic(cases[k].alpha, cases[k].beta), 4.0 * cases[k].beta, BRINK_ADAMS, 1e-11);
    CHECK_INT(run.seen.events, 1);
    CHECK_NEAR(run.seen.last.published, cases[k].number, WITHIN * cases[k].number);
  }
}

/* 2 e^(pi/2): the surface is touched; whether a run finds an event there or not, it says infinite. */
TEST(tangency_is_infinite) {
  for (int long_enough = 0; long_enough < 2; long_enough++) {
    garcia_run run =
        run_garcia(linear(9.62095476193070331), long_enough ? 6.0 : 5.0, BRINK_ADAMS, 1e-10);
    CHECK_MSG(isinf(run.seen.last.published), "%g", run.seen.last.published);
    CHECK_INT(run.seen.last.posed, BRINK_ILL_POSED);
  }
}

TEST(words_tell_the_way_to_tangency) {
  static const struct {
    double alpha;
    brink_posed word;
  } cases[] = {{9.0, BRINK_WELL_POSED},     {9.5, BRINK_WELL_POSED},     {9.62, BRINK_GRAZING},
               {9.620954, BRINK_ILL_POSED}, {9.620956, BRINK_ILL_POSED}, {9.622, BRINK_GRAZING},
               {10.0, BRINK_WELL_POSED}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    garcia_run run = run_garcia(linear(cases[k].alpha), 6.0, BRINK_ADAMS, 1e-10);
    CHECK_MSG(run.seen.last.posed == cases[k].word, "alpha = %g: %s", cases[k].alpha,
              brink_posed_name(run.seen.last.posed));
  }
  /* How much alpha may change before the event vanishes is how much x2 may. */
  garcia_run run = run_garcia(linear(9.62), 6.0, BRINK_ADAMS, 1e-10);
  CHECK_INT(run.seen.last.state, 1);
  CHECK_NEAR(run.seen.last.change, 9.62095476193070331 - 9.62, 1e-8);
  CHECK_NEAR(run.seen.last.depth, 9.62095476193070331 - 9.62, 1e-8);
}

/* x in thousandths, t in thousandths, and both the other way round. */
TEST(scaled_numbers_do_not_change_with_units) {
  const double alphas[] = {9.0, 9.6, 9.63, 9.9};
  for (size_t k = 0; k < 4; k++) {
    garcia_run plain = run_garcia(linear(alphas[k]), 6.0, BRINK_DOPRI, 1e-10);
    for (int unit = -1; unit <= 1; unit++) {
      for (int second = -1; second <= 1; second++) {
        setting s = linear(alphas[k]);
        s.unit = pow(1024.0, unit);
        s.second = pow(1024.0, second);
        garcia_run other = run_garcia(s, 6.0, BRINK_DOPRI, 1e-10);
        CHECK_INT(other.seen.last.posed, plain.seen.last.posed);
        CHECK_NEAR(other.seen.last.scaled, plain.seen.last.scaled, 1e-6 * plain.seen.last.scaled);
      }
    }
  }
}

TEST(the_published_number_is_the_first_factor_where_nothing_was_close) {
  garcia_run run = run_garcia(linear(9.4), 6.0, BRINK_ADAMS, 1e-10);
  CHECK(run.seen.last.published == run.seen.last.transversality);
  CHECK_NEAR(run.seen.last.delay, 1.0 / fabs(4.0 * exp(run.seen.event.t) * cos(run.seen.event.t)),
             1e-6 * run.seen.last.delay);
}

int main(void) {
  RUN(an_orthogonal_crossing_is_1_whatever_the_speed);
  RUN(a_tangent_field_is_infinite_and_a_field_of_zero_has_no_angle);
  RUN(an_event_at_a_given_time_is_1);
  RUN(angles_multiply);
  RUN(units_of_states_do_not_change_what_is_scaled);
  RUN(the_norm_of_a_jump_is_that_of_its_matrix);
  RUN(words_follow_the_worst_evidence);
  RUN(published_numbers_are_the_closed_forms_with_adams);
  RUN(published_numbers_are_the_closed_forms_with_dopri);
  RUN(published_numbers_grow_with_beta);
  RUN(tangency_is_infinite);
  RUN(words_tell_the_way_to_tangency);
  RUN(scaled_numbers_do_not_change_with_units);
  RUN(the_published_number_is_the_first_factor_where_nothing_was_close);
  return check_done();
}
