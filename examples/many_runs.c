/* many_runs.c: a thousand runs of one model from other initial values. It is compiled once. */
#include <brink/hsml.h>
#include <stdio.h>

static int fail(const brink_diag *diag) {
  fprintf(stderr, "%s\n", diag->message);
  return 1;
}

int main(int argc, char **argv) {
  brink_diag diag;
  brink_hsml *model;
  brink_run *run;
  brink_run_options options;
  double earliest = 1e300, latest = 0.0;
  const char *path = argc > 1 ? argv[1] : "models/corridor/model.hsml";
  if (brink_hsml_load_file(path, &diag, &model) != BRINK_OK) return fail(&diag);
  if (brink_hsml_options(model, &options, &diag) != BRINK_OK) return fail(&diag);
  if (brink_run_create(model, &options, NULL, &diag, &run) != BRINK_OK) return fail(&diag);
  for (int k = 0; k < 1000; k++) {
    if (brink_run_reset(run, &diag) != BRINK_OK) return fail(&diag);
    if (brink_run_set(run, "car.y", 0.0002 * k, &diag) != BRINK_OK) return fail(&diag);
    if (brink_run_to(run, options.until, &diag) < 0) return fail(&diag);
    double t = brink_run_time(run); /* the vehicle has met a wall */
    if (t < earliest) earliest = t;
    if (t > latest) latest = t;
  }
  printf("1000 runs end between t = %.6f and t = %.6f\n", earliest, latest);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  return latest > earliest ? 0 : 1;
}
