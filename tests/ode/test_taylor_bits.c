/* Interpreter and machine code give the same bits of whole runs by the Taylor method: every step, every
 * event. Small models, whose series are written out; arrays, which stay loops; sums over pairs; all
 * functions of the language. */
#include <stdlib.h>

#include "check.h"
#include "model/model.h"
#include "support/flat.h"
#include "support/hsml_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define FORCE(i, j)                                                                                \
  "f[" i "] = 0.1*(1.0 + x[" i "]^2 + (x[" j "] - x[" i "])^2)^(-1.5); g[" i "] = f[" i "];"

static const struct {
  const char *name, *text;
  double end;
} models[] = {
    {"Hénon-Heiles with a section",
     HSML_MODEL("state(x, real); state(y, real); state(vx, real); state(vy, real); flag(section);",
                "x := 0.1; y := 0.2; vx := 0.3; vy := 0.1;",
                "x' = vx; y' = vy; vx' = -x - 2.0*x*y; vy' = -y - x^2 + y^2; section = x;", ""),
     50.0},
    {"all functions",
     HSML_MODEL(
         "state(a, real); state(b, real); state(c, real); state(d, real); state(e, real);"
         "parameter(p, real); variable(w, real); flag(g); flag(h);",
         "a := 0.3; b := 0.7; c := 0.2; d := 1.1; e := 0.4;",
         "w = sin(a)*cos(b) + atan2(b, d) + hypot(a, d);"
         "a' = w - tan(0.3*c) - a;"
         "b' = exp(-a^2) - log(d + 0.5)*b + log10(1.0 + b^2);"
         "c' = asin(0.5*sin(b)) + acos(0.4*c/(1.0 + c^2)) - c;"
         "d' = sinh(0.2*a) - tanh(b) + 0.1*cosh(c) - 0.3*(d - 1.0) + sqrt(1.0 + d^2)^0.7/9.0;"
         "e' = atan(a) - e^3 + d^p + noevent(max(a, b)) - noevent(abs(c)) + d^(0.1*a);"
         "g = a - 0.9*b; h = sin(5.0*e) - 0.2;",
         "assignments p : 1.3; end assignments;"),
     10.0},
    {"polynomials",
     HSML_MODEL("state(x, real); state(v, real); flag(floor, unilateral); flag(top);",
                "x := 1.0; v := 0.0;", "x' = v; v' = -9.81; floor = x; top = x^2 - 0.3;",
                "event(floor) negative-going v := -0.9*v; end negative-going; end event;"),
     3.0},
    {"a heat rod of 40",
     HSML_MODEL("parameter(n, integer); state(x[n], real); flag(half);",
                "for i in 1..n loop x[i] := sin(0.3*i); end loop;",
                "x[1]' = x[2] - 2.0*x[1];"
                "for i in 2..n-1 loop x[i]' = x[i-1] - 2.0*x[i] + x[i+1] + 0.01*x[i]^2; end loop;"
                "x[n]' = 1.0 - 2.0*x[n] + x[n-1];"
                "half = x[20] - 0.1;",
                "assignments n : 40; end assignments;"),
     20.0},
    {"all rules in a loop of 90",
     HSML_MODEL(
         "parameter(n, integer); state(x[n], real); state(y[n], real); variable(r[n], real);"
         "flag(half);",
         "for i in 1..n loop x[i] := 0.5 + 0.3*sin(0.3*i); y[i] := 0.4*cos(0.2*i); end loop;",
         "for i in 1..n loop\n"
         "  r[i] = 1.0 + x[i]^2 + y[i]^2;\n"
         "  x[i]' = y[i]*r[i]^(-1.5) - 0.1*x[i]*(2.0 + time)^(-2.5) + 0.1*exp(-x[i]^2);\n"
         "  y[i]' = -x[i]/r[i] + 0.1*sin(y[i])*sqrt(r[i]) - 0.2*r[i]^0.3*tanh(y[i])\n"
         "          + 0.1*atan2(y[i], 2.0 + x[i]) + 0.1*log(r[i])*noevent(abs(y[i] + 2.0));\n"
         "end loop;"
         "half = x[20] - 0.1;",
         "assignments n : 90; end assignments;"),
     2.0},
    /* Blocks of iterations: the last one is not full, some powers start at zero, some elements switch. */
    {"all rules side by side",
     HSML_MODEL(
         "parameter(n, integer); parameter(q, real); state(x[n], real); state(y[n], real);"
         "variable(r[n], real); mode(late[n], {\"no\", \"yes\"}); flag(half);",
         "for i in 1..n loop x[i] := 0.25*max(0, i - 9); y[i] := 0.4*cos(0.2*i); late[i] := "
         "\"no\"; end loop; late[7] := \"yes\";",
         "for i in 1..n loop\n"
         "  r[i] = 1.0 + x[i]^2 + y[i]^2;\n"
         "  x[i]' = 0.2 + y[i]*r[i]^(-1.5) - 0.1*x[i]^q*(2.0 + time)^(-2.5) + 0.1*exp(-x[i]^2);\n"
         "  if late[i] = \"yes\" then y[i]' = -x[i]/r[i]; else\n"
         "    y[i]' = -x[i]/r[i] + 0.1*sin(y[i])*sqrt(r[i]) - 0.2*r[i]^0.3*tanh(y[i])\n"
         "            + 0.1*log(r[i])*time/(1.0 + i);\n"
         "  end if;\n"
         "end loop;"
         "half = x[20] - 0.1;",
         "assignments n : 91; q : 3.0; end assignments;"),
     2.0},
    /* Equations that become loops: chains of products, with two targets each. */
    {"equations one by one",
     HSML_MODEL(
         "state(x[12], real); variable(f[12], real); variable(g[12], real); flag(low);",
         "for i in 1..12 loop x[i] := 0.2*i; end loop;",
         FORCE("1", "2") FORCE("2", "3") FORCE("3", "4") FORCE("4", "5") FORCE("5", "6") FORCE("6",
                                                                                               "7")
             FORCE("7", "8") FORCE("8", "9") FORCE("9", "10") FORCE("10", "11") FORCE(
                 "11",
                 "12") "f[12] = 0.5*x[12]; g[12] = x[12]*f[12];"
                       "for i in 1..12 loop x[i]' = f[i]*x[i] - sum(f[j]*g[j]*x[i] for j in 1..12);"
                       " end loop; low = x[3] - 0.5;",
         ""),
     2.0},
    {"pendula in an array",
     "ctc P is\n"
     "  interface knob(l); input(u, signal); output(y, signal); end interface;\n"
     "  body\n"
     "    declarations state(th, real); state(w, real); parameter(l, real); flag(low); end "
     "declarations;\n"
     "    initial th := 1.0; w := 0.0; end initial;\n"
     "    dynamics th' = w; w' = -sin(th)/l + 0.1*(u - th); low = th + 0.4; end dynamics;\n"
     "    output y = th; end output;\n"
     "    event(low) negative-going w := -0.8*w; end negative-going; end event;\n"
     "  end body;\n"
     "end P;\n"
     "system S is\n"
     "  body\n"
     "    components p[12] : P(l : 1.0); end components;\n"
     "    connections\n"
     "      for i in 1..11 loop connect(p[i].y, p[i+1].u); end loop;\n"
     "      connect(p[12].y, p[1].u);\n"
     "    end connections;\n"
     "    initial for i in 1..12 loop p[i].th := 0.5 + 0.05*i; end loop; end initial;\n"
     "  end body;\n"
     "end S;\n",
     10.0},
    {"pairs of agents",
     "ctc Disc is\n"
     "  body\n"
     "    declarations state(x, real); state(y, real); state(th, real); parameter(w, real);\n"
     "    end declarations;\n"
     "    initial x := 0.0; y := 0.0; th := 0.0; end initial;\n"
     "    dynamics x' = cos(th); y' = sin(th); th' = w; end dynamics;\n"
     "    assignments w : 0.3; end assignments;\n"
     "  end body;\n"
     "end Disc;\n"
     "system S is\n"
     "  body\n"
     "    components d[6] : Disc; end components;\n"
     "    initial\n"
     "      for i in 1..6 loop d[i].x := 2.0*cos(1.047*i); d[i].y := 2.0*sin(1.047*i);\n"
     "        d[i].th := 0.7*i; end loop;\n"
     "    end initial;\n"
     "    agents\n"
     "      population(d);\n"
     "      pair(a, b) in d\n"
     "        declarations flag(gap, unilateral); end declarations;\n"
     "        dynamics gap = hypot(a.x - b.x, a.y - b.y) - 0.2; end dynamics;\n"
     "        event(gap) negative-going a.th := a.th + 3.0; b.th := b.th - 3.0; end "
     "negative-going; "
     "end event;\n"
     "      end pair;\n"
     "    end agents;\n"
     "  end body;\n"
     "end S;\n",
     10.0},
    {"a singular edge",
     HSML_MODEL(
         "state(M, real); mode(regime, {\"above\", \"below\"}); flag(sonic, unilateral);",
         "M := 2.0; regime := \"above\";",
         "if regime = \"above\" then M' = -0.1*M^2/sqrt(M^2 - 1.0); else M' = -0.1*M^2; end if;"
         "sonic = M - 1.0;",
         "event(sonic) negative-going regime := \"below\"; end negative-going; end event;"),
     15.0},
    {"sliding",
     HSML_MODEL("state(y, real); flag(side);", "y := 1.0;",
                "y' = -sgn(side) + 1.5*sin(time); side = y;", ""),
     8.0},
};

static uint64_t hash_of(const char *text, double tolerance, double end, bool native, int order,
                        size_t *events) {
  hsml_wishes wishes = hsml_default(tolerance);
  wishes.native = native;
  wishes.options.order = order;
  hsml_run *run = hsml_open(text, &wishes);
  bool interpreted = strcmp(brink_instance_engine(run->instance), "interpreter") == 0;
  CHECK_MSG(interpreted == !native, "%s", brink_instance_engine(run->instance));
  hsml_go(run, end);
  CHECK_MSG(run->status == BRINK_TIME_REACHED, "%s", run->diag.message);
  uint64_t hash = run->hash;
  *events = run->nevents;
  hsml_close(run);
  return hash;
}

TEST(whole_runs_have_the_same_bits_interpreted_and_compiled) {
  static const double tolerances[] = {1e-4, 1e-9, 1e-15};
  for (size_t k = 0; k < COUNT(models); k++)
    for (size_t j = 0; j < COUNT(tolerances); j++) {
      size_t events[2];
      double tolerance = tolerances[j], end = models[k].end;
      uint64_t interpreted = hash_of(models[k].text, tolerance, end, false, 0, &events[0]);
      uint64_t compiled = hash_of(models[k].text, tolerance, end, true, 0, &events[1]);
      CHECK_MSG(interpreted == compiled, "%s at %g: the engines differ (%zu and %zu events)",
                models[k].name, tolerance, events[0], events[1]);
    }
}

/* Also at orders that are asked for. */
TEST(fixed_orders_have_the_same_bits_interpreted_and_compiled) {
  static const int orders[] = {2, 5, 12, 24};
  for (size_t j = 0; j < COUNT(orders); j++) {
    size_t events[2];
    uint64_t interpreted = hash_of(models[1].text, 1e-5, 3.0, false, orders[j], &events[0]);
    uint64_t compiled = hash_of(models[1].text, 1e-5, 3.0, true, orders[j], &events[1]);
    CHECK_MSG(interpreted == compiled, "order %d: the engines differ", orders[j]);
  }
}

/* ---- sums over pairs, by hand: the language makes none yet ---- */

enum { BODIES = 7, PAIRS = BODIES * (BODIES - 1) };

/* The slots of partner 0 or 1 of every ordered pair, from `base` on. */
static const uint32_t *partners(brink_system *system, uint32_t base, int which) {
  uint32_t *map = brink_arena_take(&system->arena, PAIRS, sizeof *map);
  if (map == NULL) abort();
  size_t n = 0;
  for (uint32_t i = 0; i < BODIES; i++)
    for (uint32_t j = 0; j < BODIES; j++)
      if (i != j) map[n++] = base + (which == 0 ? i : j);
  return map;
}

static brink_node pair_ref(brink_system *system, brink_kernel *kernel, uint32_t variable,
                           int which) {
  brink_ref ref = {.space = BRINK_SPACE_X,
                   .map = partners(system, system->variables[variable].base, which)};
  return brink_graph_ref(&kernel->graph, ref);
}

/* Force on the first by the second: (x_j - x_i)/(r^2 + 0.1)^1.5, added up. */
static void add_forces(brink_system *system, uint32_t pairs, const uint32_t *position,
                       const uint32_t *force) {
  brink_kernel *kernel = toy_kernel(system, pairs, "force");
  kernel->accumulate = true;
  brink_node apart[2], square[2];
  for (int n = 0; n < 2; n++) {
    apart[n] = toy_op(kernel, BRINK_OP_SUB, pair_ref(system, kernel, position[n], 1),
                      pair_ref(system, kernel, position[n], 0));
    square[n] = toy_op(kernel, BRINK_OP_MUL, apart[n], apart[n]);
  }
  brink_node r = toy_op(kernel, BRINK_OP_ADD, toy_op(kernel, BRINK_OP_ADD, square[0], square[1]),
                        toy_number(kernel, 0.1));
  r = toy_op(kernel, BRINK_OP_POW, r, toy_number(kernel, 1.5));
  for (int n = 0; n < 2; n++) {
    toy_assign(system, kernel, force[n], toy_op(kernel, BRINK_OP_DIV, apart[n], r), BRINK_NO_NODE);
    kernel->outputs[kernel->noutputs - 1].target = (brink_ref){
        .space = BRINK_SPACE_V, .map = partners(system, system->variables[force[n]].base, 0)};
  }
  toy_equation(system, kernel, true);
}

static brink_system *make_bodies(void) {
  brink_system *system = toy_create("bodies");
  uint32_t body = toy_group(system, "body", BODIES), pairs = toy_group(system, "pair", PAIRS);
  uint32_t x[2] = {toy_state(system, body, "x", 0.0), toy_state(system, body, "y", 0.0)};
  uint32_t v[2] = {toy_state(system, body, "u", 0.0), toy_state(system, body, "v", 0.0)};
  uint32_t force[2] = {toy_output(system, body, "fx"), toy_output(system, body, "fy")};
  for (uint32_t i = 0; i < BODIES; i++) {
    system->x0[system->variables[x[0]].base + i] = cos(0.9 * i) * (1.0 + 0.1 * i);
    system->x0[system->variables[x[1]].base + i] = sin(0.9 * i);
    system->x0[system->variables[v[0]].base + i] = -0.5 * sin(0.9 * i);
    system->x0[system->variables[v[1]].base + i] = 0.5 * cos(0.9 * i);
  }
  add_forces(system, pairs, x, force);
  brink_kernel *motion = toy_kernel(system, body, "motion");
  for (int n = 0; n < 2; n++) {
    toy_derivative(system, motion, x[n], toy_get(system, motion, v[n]));
    toy_derivative(system, motion, v[n], toy_get(system, motion, force[n]));
  }
  toy_equation(system, motion, true);
  return system;
}

static int mix_step(const brink_step_record *record, void *user) {
  uint64_t *hash = user;
  for (size_t i = 0; i < record->nx; i++) {
    uint64_t bits;
    memcpy(&bits, &record->x[i], sizeof bits);
    *hash = (*hash ^ bits) * UINT64_C(0x100000001B3);
  }
  return 0;
}

/* Twice the energy of all bodies: it is kept. */
static double energy_of(const double *s) {
  double sum = 0.0;
  for (int i = 0; i < BODIES; i++) {
    sum += s[2 * BODIES + i] * s[2 * BODIES + i] + s[3 * BODIES + i] * s[3 * BODIES + i];
    for (int j = 0; j < BODIES; j++) {
      double dx = s[i] - s[j], dy = s[BODIES + i] - s[BODIES + j];
      if (i != j) sum -= 1.0 / sqrt(dx * dx + dy * dy + 0.1);
    }
  }
  return sum;
}

static uint64_t run_bodies(double tolerance, bool native) {
  brink_system *system = make_bodies();
  brink_instance *instance = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  hsml_wishes wishes = hsml_default(tolerance);
  wishes.native = native;
  brink_instance_options how = hsml_instance_options(&wishes);
  brink_status status = brink_instance_create(system, &how, NULL, &diag, &instance);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  status = brink_sim_create(brink_instance_model(instance), &wishes.options, NULL, &diag, &sim);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  uint64_t hash = 0;
  brink_sim_set_sink(sim, &(brink_sink){.step = mix_step, .user = &hash});
  double before = energy_of(brink_sim_state(sim));
  status = brink_sim_run(sim, 5.0, &diag);
  CHECK_MSG(status == BRINK_TIME_REACHED, "%s", diag.message);
  CHECK_NEAR(energy_of(brink_sim_state(sim)), before, 1000.0 * tolerance + 1e-12);
  brink_sim_destroy(sim);
  brink_instance_destroy(instance);
  toy_destroy(system);
  return hash;
}

TEST(sums_over_pairs_have_the_same_bits_and_keep_the_energy) {
  static const double tolerances[] = {1e-6, 1e-9, 1e-13};
  for (size_t j = 0; j < COUNT(tolerances); j++)
    CHECK_MSG(run_bodies(tolerances[j], false) == run_bodies(tolerances[j], true), "at %g",
              tolerances[j]);
}

int main(void) {
  RUN(whole_runs_have_the_same_bits_interpreted_and_compiled);
  RUN(fixed_orders_have_the_same_bits_interpreted_and_compiled);
  RUN(sums_over_pairs_have_the_same_bits_and_keep_the_energy);
  return check_done();
}
