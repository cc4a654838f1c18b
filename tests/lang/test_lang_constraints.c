/* test_lang_constraints.c: what flattening makes of constraints: unknowns, residuals, when these hold, how components of X
 * start. Residuals are compared with the equations as a person would evaluate them. */
#include "check.h"
#include "support/counting.h"
#include "support/hsml_run.h"
#include "support/kernels.h"

#include <stdlib.h>

#define MODEL(declarations, initial, dynamics, constraints, rest)                                  \
  HSML_MODEL(declarations, initial, dynamics, "constraints " constraints " end constraints;\n" rest)

/* A flat system at a point. */
typedef struct point {
  brink_unit *unit;
  brink_system *system;
  double *x;
  int *mode;
  signed char *sgn;
  double t;
} point;

static point open_with(const char *text, const char *const *sets) {
  point made = {0};
  made.system = hsml_flatten(text, sets, &made.unit);
  const brink_system *s = made.system;
  made.x = calloc(s->nx + 1, sizeof *made.x);
  made.mode = calloc(s->nmodes + 1, sizeof *made.mode);
  made.sgn = calloc(s->nguards + 1, 1);
  if (made.x == NULL || made.mode == NULL || made.sgn == NULL) abort();
  if (s->nx > 0) memcpy(made.x, s->x0, s->nx * sizeof *made.x);
  if (s->nmodes > 0) memcpy(made.mode, s->mode0, s->nmodes * sizeof *made.mode);
  return made;
}

static point open_text(const char *text) {
  return open_with(text, NULL);
}

static void close_point(point *p) {
  free(p->x);
  free(p->mode);
  free(p->sgn);
  brink_system_destroy(p->system);
  brink_unit_destroy(p->unit);
}

static double value_of(const point *p, const brink_kernel *kernel, size_t iteration) {
  double out = 0.0;
  for (size_t r = 0; r < kernel->graph.nrefs; r++) {
    CHECK(kernel->graph.refs[r].space != BRINK_SPACE_V);
    CHECK(kernel->graph.refs[r].space != BRINK_SPACE_DX);
  }
  brink_frame frame = {.t = p->t,
                       .x = p->x,
                       .p = p->system->p0,
                       .mode = p->mode,
                       .sgn = p->sgn,
                       .k = p->system->k,
                       .out = &out};
  kernels_run_plainly(kernel, &frame, iteration, 1);
  return out;
}

static double residual(const point *p, size_t constraint, size_t iteration) {
  return value_of(p, p->system->constraints[constraint].residual, iteration);
}

static bool active(const point *p, size_t constraint, size_t iteration) {
  const brink_kernel *kernel = p->system->constraints[constraint].active;
  return kernel == NULL || value_of(p, kernel, iteration) != 0.0;
}

/* How many constraints hold. */
static size_t count_active(const point *p) {
  size_t count = 0;
  for (size_t k = 0; k < p->system->nconstraints; k++)
    for (size_t i = 0; i < p->system->constraints[k].count; i++) count += active(p, k, i);
  return count;
}

/* The slot of X with this full name; also of hidden ones. */
static size_t slot_of(const point *p, const char *name) {
  const brink_system *s = p->system;
  for (size_t v = 0; v < s->nvariables; v++) {
    const brink_variable *variable = &s->variables[v];
    if (variable->space != BRINK_SPACE_X) continue;
    for (size_t e = 0; e < s->groups[variable->group].count * variable->length; e++) {
      brink_text text = {0};
      brink_system_variable_name(s, (uint32_t)v, e, &text);
      bool same = strcmp(text.data, name) == 0;
      brink_text_free(&text);
      if (same) return variable->base + e;
    }
  }
  CHECK_MSG(false, "no %s", name);
  return 0;
}

static void set_x(point *p, const char *name, double value) {
  p->x[slot_of(p, name)] = value;
}

static void set_mode(point *p, size_t slot, const char *text) {
  for (size_t k = 0; k < p->system->nstrings; k++)
    if (strcmp(p->system->strings[k], text) == 0) p->mode[slot] = (int)k;
}

static int start_of(const point *p, const char *name) {
  return p->system->start[slot_of(p, name)];
}

/* ---- one component ---- */

static const char pendulum[] =
    MODEL("state(x, real); state(y, real); state(vx, real); state(vy, real);\n"
          "variable(lam, real); variable(r, real); parameter(L, real);",
          "x := L; guess y := 0.25; vx := 0.0;",
          "r = x^2 + y^2; x' = vx; y' = vy; vx' = -lam*x; vy' = -lam*y - 9.81;", "0 = r - L^2;",
          "assignments L : 2.0; end assignments;");

TEST(an_undefined_variable_is_the_last_of_x) {
  point p = open_text(pendulum);
  CHECK_INT(p.system->nx, 5);
  CHECK_INT(p.system->nz, 1);
  CHECK_INT(p.system->nconstraints, 1);
  CHECK(p.system->has_constraints);
  CHECK_INT(slot_of(&p, "lam"), 4);
  CHECK_INT(start_of(&p, "x"), BRINK_INITIAL_FIXED);
  CHECK_INT(start_of(&p, "y"), BRINK_INITIAL_GUESS);
  CHECK_INT(start_of(&p, "vx"), BRINK_INITIAL_FIXED);
  CHECK_INT(start_of(&p, "vy"), BRINK_INITIAL_FREE);
  CHECK_INT(start_of(&p, "lam"), BRINK_INITIAL_FREE);
  CHECK_NEAR(p.system->x0[1], 0.25, 0.0);
  CHECK_INT(p.unit->nwarnings, 0); /* vy is free, not forgotten */
  bool found = false;
  for (size_t v = 0; v < p.system->nvariables; v++) {
    const brink_variable *variable = &p.system->variables[v];
    if (!variable->unknown) continue;
    found = true;
    CHECK_INT(variable->kind, BRINK_VARIABLE_STATE);
    CHECK_INT(variable->space, BRINK_SPACE_X);
  }
  CHECK(found);
  close_point(&p);
}

TEST(a_residual_is_left_minus_right_with_variables_written_out) {
  point p = open_text(pendulum);
  set_x(&p, "x", 1.5);
  set_x(&p, "y", -3.0);
  CHECK_NEAR(residual(&p, 0, 0), 1.5 * 1.5 + 9.0 - 4.0, 1e-14);
  CHECK(p.system->constraints[0].active == NULL);
  CHECK_INT(p.system->constraints[0].place.line, 7);
  close_point(&p);
}

TEST(a_setting_fixes_a_state_and_an_unknown) {
  const char *const sets[] = {"y=0.5", "lam=3", NULL};
  point p = open_with(pendulum, sets);
  CHECK_INT(start_of(&p, "y"), BRINK_INITIAL_FIXED);
  CHECK_INT(start_of(&p, "lam"), BRINK_INITIAL_FIXED);
  CHECK_NEAR(p.system->x0[4], 3.0, 0.0);
  close_point(&p);
}

TEST(without_constraints_there_are_no_start_kinds) {
  point p = open_text(HSML_MODEL("state(x, real); state(guess, real);",
                                 "guess x := 1.0; guess := 2.0;", "x' = -x; guess' = 0.0;", ""));
  CHECK(p.system->start == NULL);
  CHECK(!p.system->has_constraints);
  CHECK_INT(p.system->nz, 0);
  CHECK_NEAR(p.system->x0[0], 1.0, 0.0);
  CHECK_NEAR(p.system->x0[1], 2.0, 0.0);
  close_point(&p);
}

/* A bound is nearer to 0 than anything inside. */
TEST(a_free_unknown_starts_at_the_bound_nearest_to_zero) {
  point p = open_text(MODEL("state(x, real); variable(z, real, (2.0, 5.0));", "x := 3.0;",
                            "x' = z;", "z = x;", ""));
  CHECK_INT(start_of(&p, "z"), BRINK_INITIAL_FREE);
  CHECK_NEAR(p.system->x0[1], 2.0, 0.0);
  size_t ranges = 0;
  for (size_t k = 0; k < p.system->nflags; k++)
    ranges += p.system->flags[k].kind == BRINK_FLAG_RANGE;
  CHECK_INT(ranges, 2);
  close_point(&p);
}

/* ---- states without derivatives ---- */

TEST(a_state_without_a_derivative_has_a_hidden_unknown) {
  point p = open_text(MODEL("state(x, real); state(q, real);", "x := 1.0; q := 2.0;", "x' = -q;",
                            "q = 2.0*x;", ""));
  CHECK_INT(p.system->nx, 3);
  CHECK_INT(p.system->nz, 1);
  CHECK_INT(slot_of(&p, "q'"), 2);
  CHECK_INT(start_of(&p, "q'"), BRINK_INITIAL_FREE);
  CHECK_INT(start_of(&p, "q"), BRINK_INITIAL_FIXED);
  double dx[3] = {0.0};
  p.x[2] = 7.0;
  brink_frame frame = {.x = p.x, .p = p.system->p0, .dx = dx};
  for (size_t k = 0; k < p.system->rhs.nkernels; k++)
    kernels_run_plainly(p.system->rhs.kernels[k], &frame, 0, p.system->rhs.kernels[k]->count);
  CHECK_NEAR(dx[0], -2.0, 0.0);
  CHECK_NEAR(dx[1], 7.0, 0.0);
  close_point(&p);
}

/* The ends of a rod are constrained, its inner points are not. */
TEST(elements_of_a_state_may_lack_derivatives) {
  point p = open_text(MODEL("state(u[5], real);", "for i in 1..5 loop u[i] := 0.0; end loop;",
                            "for i in 2..4 loop u[i]' = u[i-1] - 2*u[i] + u[i+1]; end loop;",
                            "u[1] = 1.0; u[5] = u[4];", ""));
  CHECK_INT(p.system->nx, 7);
  CHECK_INT(p.system->nz, 2);
  CHECK_INT(slot_of(&p, "u[1]'"), 5);
  CHECK_INT(slot_of(&p, "u[5]'"), 6);
  set_x(&p, "u[1]", 0.25);
  CHECK_NEAR(residual(&p, 0, 0), -0.75, 0.0);
  close_point(&p);
}

/* ---- branches ---- */

static const char clutch[] = MODEL(
    "state(w1, real); state(w2, real); variable(Tc, real); parameter(k, real);\n"
    "mode(phase, {\"forward\", \"locked\", \"backward\"}); flag(slip);",
    "w1 := 10.0; w2 := 0.0; phase := \"forward\";", "w1' = -Tc; w2' = Tc; slip = w1 - w2;",
    "if phase = \"locked\" then w1 = w2; elsif sgn(slip) > 0 then Tc = k; else 0 = Tc + k; end if;",
    "assignments k : 5.0; end assignments;");

TEST(exactly_one_branch_holds) {
  point p = open_text(clutch);
  CHECK_INT(p.system->nconstraints, 3);
  set_x(&p, "Tc", 4.0);
  set_x(&p, "w2", 1.0);
  CHECK_NEAR(residual(&p, 0, 0), 9.0, 0.0);
  CHECK_NEAR(residual(&p, 1, 0), -1.0, 0.0);
  CHECK_NEAR(residual(&p, 2, 0), 9.0, 0.0);
  static const char *const phases[] = {"forward", "locked", "backward"};
  for (int k = 0; k < 3; k++) {
    for (int sign = -1; sign <= 1; sign++) {
      set_mode(&p, 0, phases[k]);
      p.sgn[0] = (signed char)sign;
      CHECK_INT(active(&p, 0, 0), k == 1);
      CHECK_INT(active(&p, 1, 0), k != 1 && sign > 0);
      CHECK_INT(active(&p, 2, 0), k != 1 && sign <= 0);
    }
  }
  close_point(&p);
}

TEST(a_condition_is_read_from_modes_signs_and_parameters_alone) {
  point p = open_text(clutch);
  for (size_t k = 0; k < p.system->nconstraints; k++) {
    const brink_kernel *kernel = p.system->constraints[k].active;
    for (size_t r = 0; r < kernel->graph.nrefs; r++) {
      brink_space space = kernel->graph.refs[r].space;
      CHECK(space == BRINK_SPACE_MODE || space == BRINK_SPACE_SIGN || space == BRINK_SPACE_P ||
            space == BRINK_SPACE_K);
    }
  }
  close_point(&p);
}

/* One flag for both branches and all of their equations, also through a boolean variable. */
TEST(a_relation_becomes_one_flag) {
  point p = open_text(MODEL("state(x, real); variable(a, real); variable(b, real);", "x := 1.0;",
                            "x' = a + b;",
                            "if x > 2.0 then a = 1.0; b = x; else a = x; b = 2.0; end if;", ""));
  CHECK_INT(p.system->nconstraints, 4);
  CHECK_INT(p.system->nflags, 1);
  CHECK_INT(p.system->flags[0].kind, BRINK_FLAG_GENERATED);
  p.sgn[0] = 1;
  CHECK(active(&p, 0, 0) && active(&p, 1, 0) && !active(&p, 2, 0) && !active(&p, 3, 0));
  p.sgn[0] = -1;
  CHECK(!active(&p, 0, 0) && !active(&p, 1, 0) && active(&p, 2, 0) && active(&p, 3, 0));
  close_point(&p);
}

/* A flag inside a branch is watched while the branch holds. */
TEST(flags_of_a_branch_are_watched_in_it) {
  point p = open_text(MODEL("state(x, real); variable(a, real); mode(m, {\"on\", \"off\"});",
                            "x := 1.0; m := \"on\";", "x' = a;",
                            "if m = \"on\" then a = abs(x); else a = 0.0; end if;", ""));
  CHECK_INT(p.system->nflags, 1);
  CHECK(p.system->flags[0].enabled != NULL);
  set_mode(&p, 0, "on");
  CHECK_NEAR(value_of(&p, p.system->flags[0].enabled, 0), 1.0, 0.0);
  set_mode(&p, 0, "off");
  CHECK_NEAR(value_of(&p, p.system->flags[0].enabled, 0), 0.0, 0.0);
  p.sgn[0] = -1;
  set_x(&p, "x", -3.0);
  CHECK_NEAR(residual(&p, 0, 0), -3.0, 0.0);
  close_point(&p);
}

TEST(a_branch_that_never_holds_is_left_out) {
  point p = open_text(MODEL("state(x, real); variable(a, real);", "x := 1.0;", "x' = a;",
                            "if 1 < 2 then a = x; else a = 2.0; end if;", ""));
  CHECK_INT(p.system->nconstraints, 1);
  CHECK(p.system->constraints[0].active == NULL);
  close_point(&p);
}

/* ---- loops and vectors ---- */

TEST(a_loop_is_one_constraint_with_iterations) {
  point p = open_text(MODEL(
      "parameter(n, integer); state(x[n], real); variable(f[n], real);\n"
      "mode(m, {\"free\", \"tied\"});",
      "m := \"free\"; for i in 1..n loop x[i] := i; guess f[i] := 10*i; end loop;",
      "for i in 1..n loop x[i]' = f[i]; end loop;",
      "for i in 1..n loop if m = \"tied\" then x[i] = 2*i; elsif x[i] > 3 then f[i] = x[i] + i; "
      "else f[i] = 0.0; end if; end loop;",
      "assignments n : 4; end assignments;"));
  CHECK_INT(p.system->nx, 8);
  CHECK_INT(p.system->nz, 4);
  CHECK_INT(p.system->nconstraints, 3);
  CHECK_INT(p.system->nflags, 1);
  CHECK_INT(p.system->flags[0].count, 4);
  for (size_t i = 0; i < 4; i++) {
    CHECK_INT(p.system->constraints[0].count, 4);
    CHECK_NEAR(residual(&p, 0, i), (double)(i + 1) - 2.0 * (double)(i + 1), 0.0);
    CHECK_NEAR(residual(&p, 1, i), 10.0 * (double)(i + 1) - 2.0 * (double)(i + 1), 0.0);
    CHECK_INT(p.system->start[4 + i], BRINK_INITIAL_GUESS);
  }
  set_mode(&p, 0, "tied");
  CHECK_INT(count_active(&p), 4);
  set_mode(&p, 0, "free");
  p.sgn[p.system->flags[0].guard[2]] = 1;
  CHECK_INT(count_active(&p), 4);
  CHECK(active(&p, 1, 2) && !active(&p, 1, 1) && active(&p, 2, 1) && !active(&p, 2, 2));
  close_point(&p);
}

/* The condition has the outer loop's iterations, the equation those of both. */
TEST(a_condition_is_spread_over_inner_loops_and_elements) {
  point p = open_text(
      MODEL("state(x[2], real); variable(f[6], real); variable(g[2], real);",
            "x[1] := 0.0; x[2] := 0.0;", "x[1]' = sum(f); x[2]' = sum(g);",
            "for i in 1..2 loop if x[i] > 0 then for j in 1..3 loop f[3*(i-1)+j] = j; end loop; "
            "else for j in 1..3 loop f[3*(i-1)+j] = 0.0; end loop; end if; end loop;"
            "if x[1] < 5 then g = x; else g = [1.0, x[1]]; end if;",
            ""));
  CHECK_INT(p.system->nz, 8);
  CHECK_INT(p.system->nconstraints, 5);
  CHECK_INT(p.system->constraints[0].count, 6);
  CHECK_INT(p.system->constraints[2].count, 2);
  CHECK_INT(p.system->constraints[3].count, 1);
  p.sgn[p.system->flags[0].guard[1]] = 1;
  p.sgn[p.system->flags[1].guard[0]] = 1;
  for (size_t i = 0; i < 6; i++) {
    CHECK_INT(active(&p, 0, i), i >= 3);
    CHECK_INT(active(&p, 1, i), i < 3);
  }
  CHECK_INT(count_active(&p), 8);
  p.sgn[p.system->flags[1].guard[0]] = -1;
  CHECK(!active(&p, 2, 1) && active(&p, 3, 0) && active(&p, 4, 0));
  set_x(&p, "x[1]", 4.0);
  set_x(&p, "g[1]", 3.0);
  set_x(&p, "g[2]", 9.0);
  CHECK_NEAR(residual(&p, 2, 0), -1.0, 0.0);
  CHECK_NEAR(residual(&p, 3, 0), 2.0, 0.0);
  CHECK_NEAR(residual(&p, 4, 0), 5.0, 0.0);
  close_point(&p);
}

/* ---- components ---- */

#define SHAFT                                                                                      \
  "ctc Shaft is interface input(drive, signal); output(speed, signal); end interface; body "       \
  "declarations state(w, real); parameter(J, real); end declarations; "                            \
  "dynamics w' = drive/J; end dynamics; output speed = w; end output; "                            \
  "assignments J : 2.0; end assignments; end body; end Shaft;\n"
#define COUPLING                                                                                   \
  "ctc Coupling is interface input(w1, signal); input(w2, signal); output(to1, signal); "          \
  "output(to2, signal); end interface; body declarations variable(Tc, real); "                     \
  "mode(phase, {\"slips\", \"locked\"}); end declarations; initial phase := \"slips\"; "           \
  "Tc := 1.0; end initial; constraints if phase = \"locked\" then w1 = w2; else Tc = 5.0; "        \
  "end if; end constraints; output to1 = -Tc; to2 = Tc; end output; end body; end Coupling;\n"

TEST(constraints_reach_across_connections) {
  point p = open_text(
      SHAFT COUPLING "system S is body components a : Shaft; c[2] : Coupling; b[2] : Shaft; end "
                     "components; connections connect(c[1].to1, a.drive); "
                     "for i in 1..2 loop connect(a.speed, c[i].w1); connect(b[i].speed, c[i].w2); "
                     "connect(c[i].to2, b[i].drive); end loop; end connections; "
                     "initial a.w := 10.0; guess b[2].w := 1.0; guess c[2].Tc := 2.5; end initial; "
                     "end body; end S;");
  CHECK_INT(p.system->nx, 5);
  CHECK_INT(p.system->nz, 2);
  CHECK_INT(slot_of(&p, "c[1].Tc"), 3);
  CHECK_INT(slot_of(&p, "c[2].Tc"), 4);
  CHECK_INT(start_of(&p, "a.w"), BRINK_INITIAL_FIXED);
  CHECK_INT(start_of(&p, "b[1].w"), BRINK_INITIAL_FREE);
  CHECK_INT(start_of(&p, "b[2].w"), BRINK_INITIAL_GUESS);
  CHECK_INT(start_of(&p, "c[1].Tc"), BRINK_INITIAL_FIXED);
  CHECK_INT(start_of(&p, "c[2].Tc"), BRINK_INITIAL_GUESS); /* the outer one wins */
  CHECK_NEAR(p.system->x0[4], 2.5, 0.0);
  CHECK_INT(p.unit->nwarnings, 0);
  CHECK_INT(p.system->constraints[0].count, 2);
  set_mode(&p, 1, "locked");
  CHECK(!active(&p, 0, 0) && active(&p, 0, 1) && active(&p, 1, 0) && !active(&p, 1, 1));
  CHECK_NEAR(residual(&p, 0, 1), 9.0, 0.0);
  CHECK_NEAR(residual(&p, 1, 0), -4.0, 0.0);
  close_point(&p);
}

/* v = x + z; and z = v; is no circle: z is unknown. */
TEST(a_constraint_closes_a_circle) {
  point p = open_text(MODEL("state(x, real); variable(v, real); variable(z, real);", "x := 1.0;",
                            "x' = -v; v = x + 2.0*z;", "z = v;", ""));
  set_x(&p, "z", 3.0);
  CHECK_NEAR(residual(&p, 0, 0), 3.0 - 7.0, 0.0);
  close_point(&p);
}

/* ---- memory ---- */

TEST(a_lack_of_memory_is_survived_anywhere) {
  point p = open_text(SHAFT COUPLING
                      "ctc Rod is body declarations state(u[4], real); variable(q[2], real); "
                      "variable(s, real); end declarations; "
                      "initial guess u := [1.0, 2.0, 3.0, 4.0]; end initial; "
                      "dynamics s = u[1] + u[2]; for i in 2..3 loop u[i]' = q[i-1]; end loop; end "
                      "dynamics; constraints for i in 1..2 loop if u[i] > 1 then q[i] = s; else "
                      "q[i] = 0.0; end if; end loop; u[1] = s; u[4] = abs(u[3]); end constraints; "
                      "end body; end Rod;\n"
                      "system S is body components a : Shaft; b : Shaft; c : Coupling; d : Rod; "
                      "end components; connections connect(a.speed, c.w1); "
                      "connect(b.speed, c.w2); connect(c.to1, a.drive); connect(c.to2, b.drive); "
                      "end connections; end body; end S;");
  counting state = {0};
  brink_allocator allocator = counting_allocator(&state);
  brink_flatten_options options = {.seed = 1};
  bool fine = false;
  for (long n = 1; !fine && n < 100000; n++) {
    state.calls = 0;
    state.fail_at = n;
    p.unit->out_of_memory = false;
    brink_system *system = brink_flatten(p.unit, &options, &allocator);
    fine = system != NULL && state.calls < n;
    CHECK(system != NULL || p.unit->out_of_memory);
    CHECK_MSG(p.unit->nerrors == 0, "%s", p.unit->items[0].message);
    if (p.unit->nerrors > 0) break;
    brink_system_destroy(system);
    CHECK_INT(state.live, 0);
  }
  CHECK(fine && state.mismatch == 0);
  close_point(&p);
}

int main(void) {
  RUN(an_undefined_variable_is_the_last_of_x);
  RUN(a_residual_is_left_minus_right_with_variables_written_out);
  RUN(a_setting_fixes_a_state_and_an_unknown);
  RUN(without_constraints_there_are_no_start_kinds);
  RUN(a_free_unknown_starts_at_the_bound_nearest_to_zero);
  RUN(a_state_without_a_derivative_has_a_hidden_unknown);
  RUN(elements_of_a_state_may_lack_derivatives);
  RUN(exactly_one_branch_holds);
  RUN(a_condition_is_read_from_modes_signs_and_parameters_alone);
  RUN(a_relation_becomes_one_flag);
  RUN(flags_of_a_branch_are_watched_in_it);
  RUN(a_branch_that_never_holds_is_left_out);
  RUN(a_loop_is_one_constraint_with_iterations);
  RUN(a_condition_is_spread_over_inner_loops_and_elements);
  RUN(constraints_reach_across_connections);
  RUN(a_constraint_closes_a_circle);
  RUN(a_lack_of_memory_is_survived_anywhere);
  return check_done();
}
