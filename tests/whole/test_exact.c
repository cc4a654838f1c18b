/* The closed forms of problems/exact.c against answers of 18 digits and more. */
#include "check.h"
#include "problems/exact.h"

#include <math.h>

/* ---- García: condition numbers with h = 0.01 ---- */

typedef struct row {
  double alpha, event, number, short_number;
} row;

static const row linear_rows[] = {
    {9, 1.2913782525201173686, 3.62586393972410972, 3.62586393972410972},
    {9.2, 1.3449642194147957506, 4.4659321645325943, 4.4659321645325943},
    {9.4, 1.4108419664224426358, 6.27852215824925951, 6.27852215824925951},
    {9.5, 1.4541842489977856364, 8.5949072840220165, 8.5949072840220165},
    {9.6, 1.5233805074988351412, 21.0979125352430127, 21.0979125352430127},
    {9.62, 1.5608012392964745023, 100.050815027643999, 100.050815027643999},
    {9.63, 5.5115422079555631318, 1094.62867781192701, 110.555409635310442},
    {9.65, 5.511570388426045878, 340.888133863384935, 34.4290515923533048},
    {9.7, 5.5116408327488740842, 125.259627900111687, 12.6509834675091842},
    {9.8, 5.5117816920344692172, 55.2998656358578498, 5.58518065480728101},
    {9.9, 5.5119225121959686853, 35.4823417296262245, 3.58364832497756165},
    {10, 5.5120632932605293407, 26.1213669891326406, 2.6382075266097419},
};
static const row quintic_rows[] = {
    {4, 1.6461472097579633346, 1.00181792598870237, 1.00181792598870237},
    {5, 1.7309002968221040564, 1.00886275746971923, 1.00886275746971923},
    {5.3, 1.7915966915706197624, 1.07184490283716939, 1.07184490283716939},
    {5.34, 1.8132880562800257319, 1.34108966472569422, 1.34108966472569422},
    {5.36, 3.6039991076212796444, 1.75933714347347754, 99.2303673987344391},
    {5.4, 3.604620620758239314, 0.354306684540336268, 19.9690239746778129},
    {6, 3.6137552365237936846, 0.0291895884909300731, 1.53827798595269793},
    {8, 3.641951549282510262, 0.0121124098966639921, 0.377347446362597511},
};

static void check_rows(bool linear, const row *rows, size_t count) {
  for (size_t k = 0; k < count; k++) {
    const row *r = &rows[k];
    brink_garcia_answer a = brink_garcia_solve(&(brink_garcia){linear, r->alpha, 1});
    CHECK_NEAR(a.event, r->event, 1e-13);
    CHECK_NEAR(brink_garcia_condition(&a, 0.01, false) / r->number, 1, 1e-11);
    CHECK_NEAR(brink_garcia_condition(&a, 0.01, true) / r->short_number, 1, 1e-11);
  }
}

TEST(condition_numbers_of_the_linear_example) {
  check_rows(true, linear_rows, sizeof linear_rows / sizeof linear_rows[0]);
}
TEST(condition_numbers_of_the_quintic) {
  check_rows(false, quintic_rows, sizeof quintic_rows / sizeof quintic_rows[0]);
  static const double others[][3] = {{2, 5.3, 1.26309381399486093},  {2, 5.36, 3.5199086493933455},
                                     {2, 5.4, 0.708657369373763248}, {4, 5.3, 1.83891922927798474},
                                     {4, 5.36, 7.05000270918636658}, {4, 5.4, 1.4192529140068952}};
  for (int k = 0; k < 6; k++) {
    brink_garcia_answer a = brink_garcia_solve(&(brink_garcia){false, others[k][1], others[k][0]});
    CHECK_NEAR(brink_garcia_condition(&a, 0.01, false) / others[k][2], 1, 1e-11);
  }
}

/* The field is the slope of the flow. */
TEST(flows_obey_their_fields) {
  for (int linear = 0; linear < 2; linear++) {
    brink_garcia g = {linear == 1, 9, 2};
    for (double t = 0.5; t < 3; t += 0.5) {
      double before[2], now[2], after[2], f[2], d = 1e-5;
      brink_garcia_at(&g, t - d, before);
      brink_garcia_at(&g, t, now);
      brink_garcia_at(&g, t + d, after);
      brink_garcia_field(&g, now, f);
      for (int i = 0; i < 2; i++)
        CHECK_NEAR((after[i] - before[i]) / (2 * d), f[i], 1e-6 * (1 + fabs(f[i])));
    }
  }
}

/* ---- the corridor and the arm ---- */

TEST(the_corner_is_clipped_when_and_as_deep_as_it_should_be) {
  const double x0[] = {0, 0.054, -0.2};
  double when = 0, depth = brink_corridor_depth(x0, &when), x, y;
  CHECK_NEAR(brink_corridor_contact(x0, when), 2.72158684390298468, 1e-10);
  brink_corridor_at(x0, 2.72158684390298468, &x, &y);
  CHECK_NEAR(x, 2.67934226734615326, 1e-13);
  CHECK_NEAR(y, -0.4, 1e-13);
  brink_corridor_at(x0, when, &x, &y);
  CHECK_NEAR(fmin(-0.4 - y, 2.8 - x), depth, 1e-13);
  /* Where the path turns upwards past the corner, the corner itself is what it comes closest to. */
  const double late[] = {0, 0.054, -0.21};
  depth = brink_corridor_depth(late, &when);
  double best = -1;
  for (int k = 0; k <= 35000; k++) {
    brink_corridor_at(late, 1e-4 * k, &x, &y);
    best = fmax(best, fmin(-0.4 - y, 2.8 - x));
  }
  CHECK_NEAR(depth, best, 1e-4);
}

TEST(the_hand_is_where_its_joints_put_it) {
  double th1, th2;
  CHECK(brink_arm_joints(0.5, 0.6, 0.5, &th1, &th2));
  CHECK_NEAR(th1, 0.180465720247468503, 1e-14);
  CHECK_NEAR(th2, 2.26529459242145261, 1e-14);
  CHECK_NEAR(brink_arm_exit(1.5, 0.6, 0.5, 0.3, 0.15), 2.17355354809245669, 1e-14);
  CHECK(!brink_arm_joints(0.5, 1.2, 1, &th1, &th2));
}

int main(void) {
  RUN(condition_numbers_of_the_linear_example);
  RUN(condition_numbers_of_the_quintic);
  RUN(flows_obey_their_fields);
  RUN(the_corner_is_clipped_when_and_as_deep_as_it_should_be);
  RUN(the_hand_is_where_its_joints_put_it);
  return check_done();
}
