/* bumper_cars.c: a model from its file to its report, in a few calls. The cars have clocks of their own: the calls
 * are those of any model. */
#include <brink/record.h>
#include <stdio.h>

static int print_event(brink_run *run, const brink_run_event *event, void *user) {
  (void)run;
  ++*(int *)user;
  printf("%10.6f  %s", event->t, event->flag);
  for (size_t k = 0; k < event->nagents; k++) printf(" %s", event->agents[k]);
  printf("\n");
  return 0;
}

static int fail(const brink_diag *diag) {
  fprintf(stderr, "%s\n", diag->message);
  return 1;
}

int main(int argc, char **argv) {
  brink_diag diag;
  brink_hsml *model;
  brink_run *run;
  brink_run_options options;
  int events = 0;
  const char *path = argc > 1 ? argv[1] : "models/bumper-cars/model.hsml";
  if (brink_hsml_load_file(path, &diag, &model) != BRINK_OK) return fail(&diag);
  if (brink_hsml_options(model, &options, &diag) != BRINK_OK) return fail(&diag);
  if (brink_run_create(model, &options, NULL, &diag, &run) != BRINK_OK) return fail(&diag);
  brink_run_observe(run, &(brink_run_observer){.event = print_event, .user = &events});
  brink_run_prepare_report(run, &diag);
  if (brink_run_to(run, options.until, &diag) < 0) return fail(&diag);
  if (brink_run_finish(run, &diag) != BRINK_OK) return fail(&diag);
  if (brink_run_write_report(run, "bumper-cars.html", &diag) != BRINK_OK) return fail(&diag);
  printf("%d events, report in bumper-cars.html\n", events);
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  return events > 0 ? 0 : 1;
}
