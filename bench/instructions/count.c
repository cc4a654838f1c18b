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

#define KEPLER(flags, events)                                                                      \
  "ctc Kepler is\n"                                                                                \
  "  body\n"                                                                                       \
  "    declarations\n"                                                                             \
  "      state(x, real); state(y, real); state(u, real); state(v, real);\n" flags                  \
  "      variable(r2, real);\n"                                                                    \
  "    end declarations;\n"                                                                        \
  "    initial x := 0.1; y := 0.0; u := 0.0; v := 4.358898943540674; end initial;\n"               \
  "    dynamics\n"                                                                                 \
  "      r2 = x^2 + y^2;\n"                                                                        \
  "      x' = u; y' = v;\n"                                                                        \
  "      u' = -x*r2^(-1.5);\n"                                                                     \
  "      v' = -y*r2^(-1.5);\n" events "  end body;\n"                                              \
  "end Kepler;\n"

/* Eccentricity 0.9; an event at every apsis. */
static const char kepler[] = KEPLER("", "    end dynamics;\n");
static const char kepler_apsides[] =
    KEPLER("      flag(apsis);\n", "      apsis = x*u + y*v;\n"
                                   "    end dynamics;\n"
                                   "    event(apsis) negative-going end negative-going; "
                                   "end event;\n");

#define LORENZ(flags, events)                                                                      \
  "ctc Lorenz is\n"                                                                                \
  "  body\n"                                                                                       \
  "    declarations\n"                                                                             \
  "      state(x, real); state(y, real); state(z, real);\n" flags "    end declarations;\n"        \
  "    initial x := 1.0; y := 1.0; z := 20.0; end initial;\n"                                      \
  "    dynamics\n"                                                                                 \
  "      x' = 10.0*(y - x);\n"                                                                     \
  "      y' = x*(28.0 - z) - y;\n"                                                                 \
  "      z' = x*y - 2.6666666666666665*z;\n" events "  end body;\n"                                \
  "end Lorenz;\n"

static const char lorenz[] = LORENZ("", "    end dynamics;\n");
static const char lorenz_section[] =
    LORENZ("      flag(section);\n", "      section = z - 27.0;\n"
                                     "    end dynamics;\n"
                                     "    event(section) negative-going end negative-going; "
                                     "end event;\n");

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
    {"kepler", kepler, 62.83185307179586},
    {"kepler-apsides", kepler_apsides, 62.83185307179586},
    {"lorenz", lorenz, 20.0},
    {"lorenz-section", lorenz_section, 20.0},
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
    enum { IN_A_ROW = 20 };
    double before = now();
    for (int k = 0; k < IN_A_ROW; k++) run_counted(run->sim, p->end, &diag);
    best = fmin(best, (now() - before) / IN_A_ROW);
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
