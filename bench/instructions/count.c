/* count.c: runs whose instructions are counted (scripts/instructions): the Taylor engine on small models, where a step
 * and an event should cost what their arithmetic costs.
 *
 *   count_instructions (PROBLEM TOLERANCE)...
 *   count_instructions time PROBLEM TOLERANCE SECONDS     the best time of a run, for perf
 *
 * Each is made, run once, and run again by run_counted, which is all that callgrind looks at. Prints the answer, and
 * how many steps and events it took. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/run.h"
#include "sim/sim.h"
#include "support/taylor_models.h"

/* The sun, the four large planets and Pluto, in astronomical units and days (Hairer, Lubich & Wanner 2006, section
 * I.2.4); an event where one of them crosses the plane of the equator, as seen from the sun. */
#define PULL(i, j)                                                                                 \
  "      pull[" i ", " j "] = g*((x[" i ", 1] - x[" j ", 1])^2 + (x[" i ", 2] - x[" j ", 2])^2 + " \
  "(x[" i ", 3] - x[" j ", 3])^2)^(-1.5);\n"                                                       \
  "      pull[" j ", " i "] = pull[" i ", " j "];\n"
static const char solar[] =
    "ctc Solar is\n"
    "  body\n"
    "    declarations\n"
    "      parameter(n, integer, (2, 100)); parameter(m[n], real); parameter(g, real);\n"
    "      state(x[n, 3], real); state(v[n, 3], real);\n"
    "      variable(pull[n, n], real); flag(plane[n - 1]);\n"
    "    end declarations;\n"
    "    initial\n"
    "      x := [[0.0, 0.0, 0.0],\n"
    "            [-3.5023653, -3.8169847, -1.5507963],\n"
    "            [9.0755314, -3.0458353, -1.6483708],\n"
    "            [8.3101420, -16.2901086, -7.2521278],\n"
    "            [11.4707666, -25.7294829, -10.8169456],\n"
    "            [-15.5387357, -25.2225594, -3.1902382]];\n"
    "      v := [[0.0, 0.0, 0.0],\n"
    "            [0.00565429, -0.00412490, -0.00190589],\n"
    "            [0.00168318, 0.00483525, 0.00192462],\n"
    "            [0.00354178, 0.00137102, 0.00055029],\n"
    "            [0.00288930, 0.00114527, 0.00039677],\n"
    "            [0.00276725, -0.00170702, -0.00136504]];\n"
    "    end initial;\n"
    "    dynamics\n"
    "      x' = v;\n"
    "      for i in 1..n loop pull[i, i] = 0.0; end loop;\n" PULL("1", "2") PULL("1", "3") PULL(
        "1", "4") PULL("1", "5") PULL("1", "6") PULL("2", "3") PULL("2", "4") PULL("2",
                                                                                   "5") PULL("2",
                                                                                             "6")
        PULL("3", "4") PULL("3", "5") PULL("3", "6") PULL("4", "5") PULL("4", "6") PULL(
            "5",
            "6") "      for i in 1..n loop\n"
                 "        for c in 1..3 loop\n"
                 "          v[i, c]' = sum(m[j]*pull[i, j]*(x[j, c] - x[i, c]) for j in 1..n);\n"
                 "        end loop;\n"
                 "      end loop;\n"
                 "      for i in 2..n loop\n"
                 "        plane[i - 1] = x[i, 3] - x[1, 3];\n"
                 "      end loop;\n"
                 "    end dynamics;\n"
                 "    for i in 1..n - 1 loop\n"
                 "      event(plane[i]) negative-going end negative-going; end event;\n"
                 "    end loop;\n"
                 "    assignments\n"
                 "      n : 6; g : 2.95912208286e-4;\n"
                 "      m : [1.00000597682, 9.54786104043e-4, 2.85583733151e-4, 4.37273164546e-5, "
                 "5.17759138449e-5, "
                 "7.692307692307693e-9];\n"
                 "    end assignments;\n"
                 "  end body;\n"
                 "end Solar;\n";

#define CHAIN(n)                                                                                   \
  "ctc Chain is\n"                                                                                 \
  "  body\n"                                                                                       \
  "    declarations state(x[" n "], real); state(v[" n "], real); end declarations;\n"             \
  "    initial x := [sin(0.7*i) for i in 1.." n "]; v := 0.0; end initial;\n"                      \
  "    dynamics\n"                                                                                 \
  "      x' = v;\n"                                                                                \
  "      v[1]' = x[2] - 2.0*x[1] - x[1]^3;\n"                                                      \
  "      for i in 2.." n " - 1 loop v[i]' = x[i - 1] - 2.0*x[i] + x[i + 1] - x[i]^3; end loop;\n"  \
  "      v[" n "]' = x[" n " - 1] - 2.0*x[" n "] - x[" n "]^3;\n"                                  \
  "    end dynamics;\n"                                                                            \
  "  end body;\n"                                                                                  \
  "end Chain;\n"

typedef struct problem {
  const char *name, *text;
  double end;
} problem;

static const problem problems[] = {
    {"corridor", taylor_corridor_model, 10.0},
    {"arm", taylor_arm_model, 10.0},
    {"relay", taylor_relay_model, 20.0},
    {"garcia-linear", taylor_garcia_linear_model, 10.0},
    {"spirals", taylor_spirals_model, 10.0},
    {"henon", taylor_henon_model, 200.0},
    {"henon-section", taylor_henon_section_model, 200.0},
    {"kepler", taylor_kepler_model, 62.83185307179586},
    {"kepler-apsides", taylor_kepler_apsides_model, 62.83185307179586},
    {"lorenz", taylor_lorenz_model, 20.0},
    {"lorenz-section", taylor_lorenz_section_model, 20.0},
    {"solar", solar, 100000.0},
    {"chain-100", CHAIN("100"), 20.0},
    {"chain-1000", CHAIN("1000"), 20.0},
    {"chain-10000", CHAIN("10000"), 20.0},
    {"chain-100000", CHAIN("100000"), 5.0},
};

static const problem *find(const char *name) {
  for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
    if (strcmp(problems[k].name, name) == 0) return &problems[k];
  }
  fprintf(stderr, "count_instructions: no problem '%s'\n", name);
  return NULL;
}

#ifdef __clang__
#define AS_IT_IS __attribute__((noinline))
#else
#define AS_IT_IS __attribute__((noinline, noclone))
#endif

/* What callgrind counts; it must not be inlined, nor be known by another name. */
AS_IT_IS brink_status run_counted(brink_sim *sim, double end, brink_diag *diag);
brink_status run_counted(brink_sim *sim, double end, brink_diag *diag) {
  brink_status status = brink_sim_reset(sim, diag);
  return status >= 0 ? brink_sim_run(sim, end, diag) : status;
}

static brink_run *make(const problem *p, double tolerance, brink_hsml **model, brink_diag *diag) {
  brink_hsml_def def = brink_default_hsml();
  def.path = p->name;
  def.text = p->text;
  if (brink_hsml_load(&def, NULL, diag, model) != BRINK_OK) return NULL;
  brink_run_options options = brink_default_run();
  options.sim.method = BRINK_TAYLOR;
  options.sim.rtol = options.sim.atol = tolerance;
  options.writable = BRINK_WRITE_STATES;
  options.clocks = BRINK_CLOCKS_ONE;
  options.native = true;
  brink_run *run = NULL;
  if (brink_run_create(*model, &options, NULL, diag, &run) != BRINK_OK) return NULL;
  run->sim->options.max_steps = 0;
  if (strcmp(brink_run_information(run).engine, "interpreter") != 0) return run;
  fprintf(stderr, "count_instructions: %s is interpreted: no compiler works\n", p->name);
  brink_run_destroy(run);
  return NULL;
}

static void print_answer(const problem *p, const char *tolerance, const brink_sim *sim) {
  const brink_stats *stats = brink_sim_stats(sim);
  printf("%s %s: t = %.17g, x = %.17g, %.17g, %lld steps, %lld events\n", p->name, tolerance,
         brink_sim_time(sim), brink_sim_state(sim)[0], brink_sim_state(sim)[1],
         (long long)stats->steps, (long long)stats->events);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Over and over, if there are seconds to fill. */
static bool run_one(const char *name, const char *tolerance, double seconds) {
  const problem *p = find(name);
  brink_diag diag = {0};
  brink_hsml *model = NULL;
  brink_run *run = p != NULL ? make(p, atof(tolerance), &model, &diag) : NULL;
  bool fine = run != NULL && brink_sim_run(run->sim, p->end, &diag) >= 0 &&
              run_counted(run->sim, p->end, &diag) >= 0;
  double best = INFINITY;
  for (double start = now(); fine && now() - start < seconds;) {
    double before = now(), used = 0.0;
    int runs = 0;
    for (; runs == 0 || (runs < 20 && used < 0.1); used = now() - before, runs++)
      run_counted(run->sim, p->end, &diag);
    best = fmin(best, used / runs);
  }
  if (fine) print_answer(p, tolerance, run->sim);
  if (fine && seconds > 0.0) printf("  %.3f us a run\n", 1e6 * best);
  if (!fine) fprintf(stderr, "count_instructions: %s: %s\n", name, diag.message);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  return fine;
}

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "time") == 0)
    return run_one(argv[2], argv[3], atof(argv[4])) ? 0 : 1;
  if (argc < 3 || argc % 2 == 0) {
    fprintf(stderr, "usage: count_instructions (PROBLEM TOLERANCE)...\n");
    return 2;
  }
  bool fine = true;
  for (int k = 1; fine && k < argc; k += 2) fine = run_one(argv[k], argv[k + 1], 0.0);
  return fine ? 0 : 1;
}
