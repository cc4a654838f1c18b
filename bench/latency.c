/* latency.c: from `brink run` to the first step, as a user waits for it.
 *
 * Models are written as text and run by the program for a nanosecond: with an empty cache (cold), again
 * (warm), and by the interpreter. Two shapes: one component with n different equations (straight), and an
 * array of n/2 components (loop). Goals: 100 states cold in 0.3 s, warm in 0.02 s; 10,000 states as an
 * array in a time that grows no worse than linearly. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void write_straight(FILE *file, int states) {
  fprintf(file, "ctc Net is\n  body\n    declarations\n");
  for (int i = 0; i < states; i++) fprintf(file, "      state(x%d, real);\n", i);
  fprintf(file, "      flag(high, unilateral);\n    end declarations;\n    initial\n");
  for (int i = 0; i < states; i++) fprintf(file, "      x%d := %d/%d;\n", i, i, states);
  fprintf(file, "    end initial;\n    dynamics\n");
  for (int i = 0; i < states; i++)
    fprintf(file, "      x%d' = %d.5*sin(x%d) - x%d*exp(-x%d) + cos(%d*time);\n", i, i % 7,
            (i + 1) % states, i, (i + 3) % states, i % 5);
  fprintf(file, "      high = 1000.0 - hypot(x0, x1);\n    end dynamics;\n  end body;\nend Net;\n");
}

static void write_loop(FILE *file, int states) {
  fprintf(
      file,
      "ctc Pendulum is\n  interface\n    input(push, signal);\n    output(angle, signal);\n"
      "  end interface;\n  body\n    declarations\n      state(th, real);\n      state(w, real);\n"
      "      parameter(l, real);\n      flag(bottom);\n    end declarations;\n"
      "    initial\n      th := 1.0;\n      w := 0.0;\n    end initial;\n    dynamics\n"
      "      th' = w;\n      w' = -9.81/l*sin(th) - 0.1*w + push;\n      bottom = th;\n"
      "    end dynamics;\n    output\n      angle = 0.01*th;\n    end output;\n"
      "    assignments\n      l : 1.0;\n      push : 0.0;\n    end assignments;\n  end body;\n"
      "end Pendulum;\n\nsystem Row is\n  body\n    components\n      p[%d] : Pendulum;\n"
      "    end components;\n    connections\n      for i in 2..%d loop\n"
      "        connect(p[i-1].angle, p[i].push);\n      end loop;\n    end connections;\n"
      "    initial\n      for i in 1..%d loop\n        p[i].l := 0.5 + 0.001*i;\n      end loop;\n"
      "    end initial;\n  end body;\nend Row;\n",
      states / 2, states / 2, states / 2);
}

/* Seconds of one run; negative if it failed. */
static double run(const char *directory, const char *options) {
  char command[1024];
  snprintf(command, sizeof command,
           "BRINK_CACHE='%s/cache' '%s' run '%s/model.hsml' --until 1e-9 --quiet %s", directory,
           BRINK_PROGRAM, directory, options);
  double start = seconds();
  int status = system(command);
  return status == 0 ? seconds() - start : -1.0;
}

static double best_of(const char *directory, const char *options, int times) {
  double best = run(directory, options);
  for (int k = 1; k < times; k++) {
    double again = run(directory, options);
    if (again < best) best = again;
  }
  return best;
}

static int measure(const char *directory, const char *shape, int states,
                   void (*write)(FILE *, int)) {
  char path[1024];
  snprintf(path, sizeof path, "%s/model.hsml", directory);
  FILE *file = fopen(path, "w");
  if (file == NULL) return 1;
  write(file, states);
  fclose(file);
  snprintf(path, sizeof path, "rm -rf '%s/cache'", directory);
  if (system(path) != 0) return 1;
  double cold = run(directory, "--native"), warm = best_of(directory, "", 5);
  double interpreted = best_of(directory, "--interpret", 3);
  printf("%-10s %8d %10.3f %10.4f %12.4f\n", shape, states, cold, warm, interpreted);
  fflush(stdout);
  return cold < 0.0 || warm < 0.0 || interpreted < 0.0;
}

int main(void) {
  char directory[] = "/tmp/brink-latency-XXXXXX", command[64];
  if (mkdtemp(directory) == NULL) return 1;
  static const int straight[] = {10, 100, 1000, 10000};
  static const int loop[] = {10, 100, 1000, 10000, 100000, 1000000};
  int failed = 0;
  printf("from `brink run` to the first step, seconds\n");
  printf("%-10s %8s %10s %10s %12s\n", "shape", "states", "cold", "warm", "interpreted");
  for (size_t k = 0; k < sizeof straight / sizeof *straight; k++)
    failed |= measure(directory, "straight", straight[k], write_straight);
  for (size_t k = 0; k < sizeof loop / sizeof *loop; k++)
    failed |= measure(directory, "loop", loop[k], write_loop);
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  if (system(command) != 0) failed = 1;
  return failed;
}
