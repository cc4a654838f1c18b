/* Several things at one time: chains of touches, touches at the start, a wall and a partner at once, symmetric crowds.
 * Elastic balls on a line only ever exchange velocities, so where they end up does not depend on who is first. */
#include "check.h"
#include "support/agents_scene.h"

enum { MOST = 16 };

static const brink_method methods[] = {BRINK_TAYLOR, BRINK_ADAMS};

static brink_options options_of(brink_method method) {
  brink_options options = brink_default_options();
  options.method = method;
  options.rtol = options.atol = 1e-12;
  return options;
}

static scene_body ball(double x, double v) {
  return (scene_body){.position = {x}, .velocity = {v}, .radius = 0.5, .mass = 1.0};
}

/* Balls of diameter 1 on a line. */
static void run_line(const scene_body *balls, size_t count, brink_method method, double t_end,
                     scene_result *result) {
  brink_options options = options_of(method);
  scene s;
  scene_init(&s, 1);
  CHECK(scene_add(&s, SCENE_DISC, balls, count) && scene_meet(&s, 0, 0, SCENE_ELASTIC));
  scene_run(&s, &options, false, t_end, result);
  CHECK_MSG(result->status == BRINK_TIME_REACHED, "%s: %s", brink_status_text(result->status),
            result->diag.message);
  scene_free(&s);
}

/* Position and velocity of each ball at the end, and how many touches there were. */
static void expect_line(const scene_body *balls, size_t count, double t_end, const double *x,
                        const double *v, size_t touches) {
  for (int k = 0; k < 2; k++) {
    scene_result run;
    run_line(balls, count, methods[k], t_end, &run);
    CHECK_INT(run.count, touches);
    for (size_t i = 0; i < count && run.nx == 2 * count; i++) {
      CHECK_NEAR(run.x[2 * i], x[i], 1e-9);
      CHECK_NEAR(run.x[2 * i + 1], v[i], 1e-9);
    }
    scene_result_free(&run);
  }
}

TEST(a_ball_between_two_that_come_at_the_same_time) {
  const scene_body balls[] = {ball(-3, 1), ball(0, 0), ball(3, -1)};
  expect_line(balls, 3, 4.0, (const double[]){-3, 0, 3}, (const double[]){-1, 0, 1}, 3);
}

TEST(a_push_goes_through_a_row_of_balls_that_touch) {
  const scene_body balls[] = {ball(-3, 1), ball(0, 0), ball(1, 0), ball(2, 0), ball(3, 0)};
  expect_line(balls, 5, 4.0, (const double[]){-1, 0, 1, 2, 5}, (const double[]){0, 0, 0, 0, 1}, 4);
}

TEST(a_push_goes_through_a_row_of_balls_with_gaps_below_the_tolerance) {
  const scene_body balls[] = {ball(-3, 1), ball(0, 0), ball(1 + 1e-14, 0), ball(2 + 3e-14, 0)};
  expect_line(balls, 4, 4.0, (const double[]){-1, 0, 1, 4}, (const double[]){0, 0, 0, 1}, 3);
}

TEST(balls_that_touch_at_the_start_and_part_have_no_event) {
  const scene_body balls[] = {ball(0, -1), ball(1, 1)};
  expect_line(balls, 2, 2.0, (const double[]){-2, 3}, (const double[]){-1, 1}, 0);
}

TEST(balls_that_touch_at_the_start_and_close_in_meet_at_once) {
  const scene_body balls[] = {ball(0, 1), ball(1, -1)};
  expect_line(balls, 2, 2.0, (const double[]){-2, 3}, (const double[]){-1, 1}, 1);
}

TEST(balls_that_touch_and_move_together_have_no_event) {
  const scene_body balls[] = {ball(0, 1), ball(1, 1), ball(2, 1)};
  expect_line(balls, 3, 2.0, (const double[]){2, 3, 4}, (const double[]){1, 1, 1}, 0);
}

/* Two pairs, at exactly the same times, again and again. */
TEST(pairs_far_from_each_other_meet_at_the_same_time) {
  const scene_body balls[] = {ball(-2, 1),   ball(2, -1),  ball(98, 1),
                              ball(102, -1), ball(198, 1), ball(202, -1)};
  const double x[] = {-2, 2, 98, 102, 198, 202}, v[] = {-1, 1, -1, 1, -1, 1};
  expect_line(balls, 6, 3.0, x, v, 3);
}

/* ---- in the plane ---- */

/* n discs on a ring, all towards its middle; by symmetry they go back as they came, and nothing is lost whoever is
 * first. */
static void run_ring(size_t n, brink_method method) {
  scene_body discs[MOST];
  brink_options options = options_of(method);
  scene_result run;
  scene s;
  for (size_t i = 0; i < n; i++) {
    double angle = 6.283185307179586 * (double)i / (double)n;
    discs[i] = (scene_body){.position = {5.0 * cos(angle), 5.0 * sin(angle)},
                            .velocity = {-cos(angle), -sin(angle)},
                            .radius = 0.3,
                            .mass = 1.0};
  }
  scene_init(&s, 2);
  CHECK(scene_add(&s, SCENE_DISC, discs, n) && scene_meet(&s, 0, 0, SCENE_ELASTIC));
  scene_run(&s, &options, false, 12.0, &run);
  CHECK_MSG(run.status == BRINK_TIME_REACHED, "ring of %zu, %s: %s: %s", n,
            brink_method_name(method), brink_status_text(run.status), run.diag.message);
  double energy = 0.0, px = 0.0, py = 0.0;
  for (size_t i = 0; i < n && run.nx == 4 * n; i++) {
    const double *a = run.x + 4 * i;
    energy += a[2] * a[2] + a[3] * a[3];
    px += a[2];
    py += a[3];
    for (size_t j = 0; j < i; j++) {
      const double *b = run.x + 4 * j;
      CHECK(hypot(a[0] - b[0], a[1] - b[1]) >= 0.6 - 1e-9);
    }
  }
  CHECK_NEAR(energy, (double)n, 1e-10);
  CHECK_NEAR(hypot(px, py), 0.0, 1e-10);
  CHECK(run.count >= n / 2);
  scene_result_free(&run);
  scene_free(&s);
}

TEST(a_ring_of_discs_meets_in_the_middle) {
  for (size_t n = 2; n <= 12; n++)
    for (int k = 0; k < 2; k++) run_ring(n, methods[k]);
}

/* Two discs reach each other just as one of them reaches a wall. */
TEST(a_wall_and_a_partner_at_once) {
  const scene_body discs[] = {
      {.position = {1.0, 2.0}, .velocity = {0.0, -1.0}, .radius = 0.5, .mass = 1.0},
      {.position = {3.5, 0.5}, .velocity = {-1.0, 0.0}, .radius = 0.5, .mass = 1.0}};
  const double low[] = {0.0, 0.0}, high[] = {10.0, 10.0};
  for (int k = 0; k < 2; k++) {
    brink_options options = options_of(methods[k]);
    scene_result run;
    scene s;
    scene_init(&s, 2);
    scene_walls(&s, low, high);
    CHECK(scene_add(&s, SCENE_DISC, discs, 2) && scene_meet(&s, 0, 0, SCENE_ELASTIC));
    scene_run(&s, &options, false, 3.0, &run);
    CHECK_MSG(run.status == BRINK_TIME_REACHED, "%s: %s", brink_status_text(run.status),
              run.diag.message);
    CHECK(run.count >= 2);
    CHECK_NEAR(run.events[0].t, 1.5, 1e-9);
    CHECK_NEAR(run.events[1].t, 1.5, 1e-9);
    double energy = 0.0;
    for (size_t i = 0; i < 2 && run.nx == 8; i++) {
      const double *a = run.x + 4 * i;
      energy += a[2] * a[2] + a[3] * a[3];
      CHECK(a[1] >= 0.5 - 1e-9);
    }
    CHECK_NEAR(energy, 2.0, 1e-10);
    scene_result_free(&run);
    scene_free(&s);
  }
}

/* A square lattice that shrinks onto itself: hundreds of touches at exactly the same times. */
TEST(a_lattice_of_discs_keeps_its_energy) {
  enum { SIDE = 6 };
  scene_body discs[SIDE * SIDE];
  for (size_t i = 0; i < SIDE * SIDE; i++) {
    double x = (double)(i % SIDE) - 2.5, y = (double)(i / SIDE) - 2.5;
    discs[i] = (scene_body){
        .position = {2.0 * x, 2.0 * y}, .velocity = {-x, -y}, .radius = 0.5, .mass = 1.0};
  }
  for (int k = 0; k < 2; k++) {
    brink_options options = options_of(methods[k]);
    scene_result run;
    scene s;
    double energy = 0.0, before = 0.0;
    scene_init(&s, 2);
    CHECK(scene_add(&s, SCENE_DISC, discs, SIDE * SIDE) && scene_meet(&s, 0, 0, SCENE_ELASTIC));
    scene_run(&s, &options, false, 4.0, &run);
    CHECK_MSG(run.status == BRINK_TIME_REACHED, "%s: %s", brink_status_text(run.status),
              run.diag.message);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
      before += pow(discs[i].velocity[0], 2) + pow(discs[i].velocity[1], 2);
      if (run.nx == 4 * SIDE * SIDE) energy += pow(run.x[4 * i + 2], 2) + pow(run.x[4 * i + 3], 2);
    }
    CHECK_NEAR(energy / before, 1.0, 1e-10);
    CHECK(run.count >= 2 * SIDE * (SIDE - 1)); /* at least once between all neighbours */
    scene_result_free(&run);
    scene_free(&s);
  }
}

int main(void) {
  RUN(a_ball_between_two_that_come_at_the_same_time);
  RUN(a_push_goes_through_a_row_of_balls_that_touch);
  RUN(a_push_goes_through_a_row_of_balls_with_gaps_below_the_tolerance);
  RUN(balls_that_touch_at_the_start_and_part_have_no_event);
  RUN(balls_that_touch_at_the_start_and_close_in_meet_at_once);
  RUN(balls_that_touch_and_move_together_have_no_event);
  RUN(pairs_far_from_each_other_meet_at_the_same_time);
  RUN(a_ring_of_discs_meets_in_the_middle);
  RUN(a_wall_and_a_partner_at_once);
  RUN(a_lattice_of_discs_keeps_its_energy);
  return check_done();
}
