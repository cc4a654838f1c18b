/* test_table.c: functions on grids, against SciPy 1.10 (PchipInterpolator, CubicSpline with natural ends,
 * RegularGridInterpolator), and by what they must keep. */
#include "check.h"
#include "num/table.h"

#include <float.h>

static const double x[] = {0.0, 0.5, 2.0, 2.5, 4.0, 7.0};
static const double y[] = {1.0, 1.5, 1.4, 3.0, 3.0, -2.0};
enum { N = 6, NU = 4, NV = 3 };

static brink_arena arena;

static brink_gridded make_one(brink_table_kind kind, brink_table_beyond beyond) {
  bool too_large;
  brink_gridded t = {.kind = kind, .beyond = beyond, .inputs = 1, .values = y};
  t.axis[0] = (brink_table_axis){.x = x, .nknots = N};
  CHECK(brink_table_make(&t, &arena, &too_large));
  return t;
}

static double at(const brink_gridded *t, double u) {
  return brink_table_value(t, &u);
}

static void agrees(const brink_gridded *t, const double *want) {
  static const double q[] = {0.1, 0.5, 1.3, 2.2, 3.3, 5.5, 6.9};
  for (size_t k = 0; k < 7; k++) CHECK_NEAR(at(t, q[k]), want[k], 1e-14);
}

TEST(the_monotone_cubic_is_scipys_pchip) {
  brink_gridded t = make_one(BRINK_TABLE_CUBIC, BRINK_BEYOND_LINEAR);
  agrees(&t, (double[]){1.1330666666666669, 1.5, 1.4450074074074073, 1.963200000000001, 3.0,
                        1.5416666666666667, -1.7241358024691371});
  CHECK_NEAR(at(&t, -2.0), 1.0 - 2.0 * 1.2666666666666666, 1e-14);
  CHECK_NEAR(at(&t, 8.0), -2.0 - 2.7777777777777772, 1e-14);
}

TEST(the_spline_is_scipys_with_natural_ends) {
  brink_gridded t = make_one(BRINK_TABLE_SPLINE, BRINK_BEYOND_LINEAR);
  agrees(&t, (double[]){1.134460321384425, 1.5, 1.0030435013505468, 2.0034135970333753,
                        3.796341894428421, 0.5964153275648949, -1.8247726044957204});
  CHECK_NEAR(at(&t, -1.0), 1.0 - 1.358961681087763, 1e-14);
  CHECK_NEAR(at(&t, 9.0), -2.0 - 2.0 * 1.7523691800576846, 1e-14);
}

TEST(lines_and_steps_are_what_their_names_say) {
  brink_gridded t = make_one(BRINK_TABLE_LINEAR, BRINK_BEYOND_LINEAR);
  CHECK_NEAR(at(&t, 1.25), 1.45, 1e-15);
  CHECK_NEAR(at(&t, -1.0), 0.0, 1e-15);
  CHECK_NEAR(at(&t, 10.0), -7.0, 1e-14);
  CHECK_INT(t.axis[0].npieces, N - 1);
  t = make_one(BRINK_TABLE_LINEAR, BRINK_BEYOND_HOLD);
  CHECK(at(&t, -1.0) == 1.0 && at(&t, 10.0) == -2.0);
  t = make_one(BRINK_TABLE_HOLD, BRINK_BEYOND_HOLD);
  CHECK(at(&t, -1.0) == 1.0 && at(&t, 0.4999) == 1.0 && at(&t, 0.5) == 1.5);
  CHECK(at(&t, 6.9999) == 3.0 && at(&t, 7.0) == -2.0 && at(&t, 1e9) == -2.0);
}

/* Value and slope are the same from both sides of every knot; the spline's curvature is, too. */
TEST(pieces_join_as_smoothly_as_promised) {
  for (int kind = BRINK_TABLE_LINEAR; kind <= BRINK_TABLE_SPLINE; kind++) {
    for (int beyond = BRINK_BEYOND_LINEAR; beyond <= BRINK_BEYOND_HOLD; beyond++) {
      brink_gridded t = make_one((brink_table_kind)kind, (brink_table_beyond)beyond);
      const brink_table_axis *axis = &t.axis[0];
      for (size_t k = 0; k + 1 < axis->npieces; k++) {
        const double *a = &t.coefficients[k * t.terms], *b = a + t.terms;
        double d = axis->bounds[k + 1] - axis->origins[k];
        double value = 0.0, slope = 0.0, bend = 0.0;
        for (size_t j = t.terms; j-- > 0;) {
          bend = bend * d + 2.0 * slope;
          slope = slope * d + value;
          value = value * d + a[j];
        }
        bool outer = k == 0 || k + 2 == axis->npieces;
        CHECK_NEAR(value, b[0], 1e-14);
        if (kind != BRINK_TABLE_LINEAR && !(outer && beyond == BRINK_BEYOND_HOLD))
          CHECK_NEAR(slope, b[1], 1e-13);
        if (kind == BRINK_TABLE_SPLINE && beyond == BRINK_BEYOND_LINEAR)
          CHECK_NEAR(bend, 2.0 * b[2], 1e-12);
      }
    }
  }
}

TEST(the_monotone_cubic_does_not_overshoot) {
  brink_gridded t = make_one(BRINK_TABLE_CUBIC, BRINK_BEYOND_HOLD);
  for (size_t k = 0; k + 1 < N; k++) {
    double before = y[k], low = fmin(y[k], y[k + 1]), high = fmax(y[k], y[k + 1]);
    for (int j = 0; j <= 100; j++) {
      double value = at(&t, x[k] + (x[k + 1] - x[k]) * j / 100.0);
      CHECK(value >= low - 1e-14 && value <= high + 1e-14);
      CHECK(y[k + 1] >= y[k] ? value >= before - 1e-14 : value <= before + 1e-14);
      before = value;
    }
  }
}

TEST(the_piece_is_found_by_halving) {
  const double bounds[] = {-BRINK_TABLE_FAR, 0.0, 1.0, 4.0, BRINK_TABLE_FAR};
  CHECK_INT(brink_table_find(bounds, 4, -5.0), 0);
  CHECK_INT(brink_table_find(bounds, 4, 0.0), 1);
  CHECK_INT(brink_table_find(bounds, 4, 0.999), 1);
  CHECK_INT(brink_table_find(bounds, 4, 1.0), 2);
  CHECK_INT(brink_table_find(bounds, 4, 4.0), 3);
  CHECK_INT(brink_table_find(bounds, 4, INFINITY), 3);
  CHECK_INT(brink_table_find(bounds, 4, -INFINITY), 0);
  CHECK_INT(brink_table_find(bounds, 4, NAN), 0);
}

/* ---- two inputs ---- */

static const double u_knots[] = {0.0, 1.0, 2.5, 4.0}, v_knots[] = {-1.0, 0.0, 3.0};
static const double z[] = {1.0, 2.0, 0.0, 2.0, 5.0, 1.0, 4.0, 3.0, 3.0, 4.5, 1.0, -2.0};
static const double points[][2] = {{0.3, -0.4}, {1.7, 1.1}, {3.9, 2.9}, {2.5, 0.5}};

static brink_gridded make_two(brink_table_kind kind, brink_table_beyond beyond,
                              const double *values) {
  bool too_large;
  brink_gridded t = {.kind = kind, .beyond = beyond, .inputs = 2, .values = values};
  t.axis[0] = (brink_table_axis){.x = u_knots, .nknots = NU};
  t.axis[1] = (brink_table_axis){.x = v_knots, .nknots = NV};
  CHECK(brink_table_make(&t, &arena, &too_large));
  return t;
}

static void agree_two(brink_table_kind kind, const double *want) {
  brink_gridded t = make_two(kind, BRINK_BEYOND_LINEAR, z);
  for (size_t k = 0; k < 4; k++) CHECK_NEAR(brink_table_value(&t, points[k]), want[k], 1e-14);
  for (size_t i = 0; i < NU; i++)
    for (size_t j = 0; j < NV; j++)
      CHECK_NEAR(brink_table_value(&t, (double[]){u_knots[i], v_knots[j]}), z[i * NV + j], 1e-14);
}

TEST(cells_are_scipys_bilinear_ones) {
  agree_two(BRINK_TABLE_LINEAR, (double[]){2.26, 3.2844444444444445, -1.5733333333333328, 3.0});
}

/* CubicSpline along v in every row, then along u */
TEST(the_spline_of_two_inputs_is_the_tensor_product) {
  agree_two(BRINK_TABLE_SPLINE, (double[]){2.5375368648648644, 4.880001829718606,
                                           -1.5448753558002437, 2.7135416666666665});
}

/* by the slopes of PchipInterpolator and a Hermite patch in NumPy; on the line u = 1, PchipInterpolator itself */
TEST(the_cubic_of_two_inputs_has_pchips_slopes) {
  agree_two(BRINK_TABLE_CUBIC,
            (double[]){2.8831700226415093, 4.222491689106298, -1.4458960451493923, 3.0});
  brink_gridded t = make_two(BRINK_TABLE_CUBIC, BRINK_BEYOND_LINEAR, z);
  CHECK_NEAR(brink_table_value(&t, (double[]){1.0, 1.7}), 4.2721481481481485, 1e-14);
}

TEST(a_product_of_the_inputs_is_met_everywhere) {
  double product[NU * NV];
  for (size_t i = 0; i < NU; i++)
    for (size_t j = 0; j < NV; j++) product[i * NV + j] = 2.0 + u_knots[i] * v_knots[j];
  for (int kind = BRINK_TABLE_LINEAR; kind <= BRINK_TABLE_SPLINE; kind++) {
    brink_gridded t = make_two((brink_table_kind)kind, BRINK_BEYOND_LINEAR, product);
    for (double u = -2.0; u < 6.0; u += 0.37)
      for (double v = -3.0; v < 5.0; v += 0.41)
        CHECK_NEAR(brink_table_value(&t, (double[]){u, v}), 2.0 + u * v, 1e-12);
  }
}

TEST(beyond_the_grid_the_value_of_the_edge_may_stay) {
  for (int kind = BRINK_TABLE_LINEAR; kind <= BRINK_TABLE_HOLD; kind++) {
    brink_gridded t = make_two((brink_table_kind)kind, BRINK_BEYOND_HOLD, z);
    CHECK_NEAR(brink_table_value(&t, (double[]){-3.0, -9.0}), 1.0, 0.0);
    CHECK_NEAR(brink_table_value(&t, (double[]){9.0, 9.0}), -2.0, 1e-14);
    double edge = brink_table_value(&t, (double[]){1.7, 3.0});
    CHECK_NEAR(brink_table_value(&t, (double[]){1.7, 8.0}), edge, 1e-14);
  }
}

TEST(tables_that_are_too_large_are_refused) {
  bool too_large;
  brink_gridded t = {.kind = BRINK_TABLE_CUBIC, .inputs = 2, .values = y};
  t.axis[0] = t.axis[1] = (brink_table_axis){.x = x, .nknots = 2000};
  CHECK(!brink_table_make(&t, &arena, &too_large));
  CHECK(too_large);
}

int main(void) {
  brink_arena_init(&arena, NULL);
  RUN(the_monotone_cubic_is_scipys_pchip);
  RUN(the_spline_is_scipys_with_natural_ends);
  RUN(lines_and_steps_are_what_their_names_say);
  RUN(pieces_join_as_smoothly_as_promised);
  RUN(the_monotone_cubic_does_not_overshoot);
  RUN(the_piece_is_found_by_halving);
  RUN(cells_are_scipys_bilinear_ones);
  RUN(the_spline_of_two_inputs_is_the_tensor_product);
  RUN(the_cubic_of_two_inputs_has_pchips_slopes);
  RUN(a_product_of_the_inputs_is_met_everywhere);
  RUN(beyond_the_grid_the_value_of_the_edge_may_stay);
  RUN(tables_that_are_too_large_are_refused);
  brink_arena_free(&arena);
  return check_done();
}
