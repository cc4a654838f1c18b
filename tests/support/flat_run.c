/* flat_run.c: runs flat systems made by hand (see flat_run.h). */
#include "support/flat_run.h"

#include <stdio.h>
#include <stdlib.h>

bool toy_native;

static int on_event(const brink_event_record *record, void *user) {
  toy_run *run = user;
  if (run->nevents == TOY_EVENTS) return 0;
  toy_event *event = &run->events[run->nevents++];
  *event = (toy_event){.t = record->event.t, .direction = record->event.direction};
  snprintf(event->name, sizeof event->name, "%s", record->event.name);
  size_t nx = brink_instance_model(run->instance)->def.nx;
  for (size_t i = 0; i < nx && i < 2; i++) event->x[i] = record->x_after[i];
  const brink_note *notes = brink_instance_notes(run->instance, &event->nnotes);
  if (event->nnotes > 0) {
    snprintf(event->label, sizeof event->label, "%s", notes[0].label);
    if (notes[0].nvalues > 0) event->note = notes[0].values[0].value;
  }
  return 0;
}

brink_instance_options toy_options(void) {
  return (brink_instance_options){.interpret = !toy_native,
                                  .cache = "test_instance.cache",
                                  .rtol = 1e-9,
                                  .atol = 1e-12,
                                  .seed = 1};
}

brink_options toy_sim_options(void) {
  brink_options options = brink_default_options();
  options.rtol = 1e-9;
  options.atol = 1e-12;
  return options;
}

toy_run *toy_start(brink_system *system, const brink_instance_options *options) {
  toy_run *run = calloc(1, sizeof *run);
  if (run == NULL) abort();
  brink_instance_options plain = toy_options();
  brink_options simulation = toy_sim_options();
  run->status = brink_instance_create(system, options != NULL ? options : &plain, NULL, &run->diag,
                                      &run->instance);
  if (run->status == BRINK_OK)
    run->status = brink_sim_create(brink_instance_model(run->instance), &simulation, NULL,
                                   &run->diag, &run->sim);
  if (run->status != BRINK_OK) {
    fprintf(stderr, "%s: %s\n", system->name, run->diag.message);
    abort();
  }
  brink_sink sink = {.event = on_event, .user = run};
  brink_sim_set_sink(run->sim, &sink);
  return run;
}

void toy_go(toy_run *run, double t_end) {
  run->status = brink_sim_run(run->sim, t_end, &run->diag);
}

static uint64_t add_bits(uint64_t hash, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t k = 0; k < size; k++) hash = (hash ^ bytes[k]) * 0x100000001b3u;
  return hash;
}

/* Everything that a run left behind. */
static uint64_t bits_of(const toy_run *run, const brink_system *system) {
  double t = brink_sim_time(run->sim);
  uint64_t hash = add_bits(0xcbf29ce484222325u, &t, sizeof t);
  hash = add_bits(hash, brink_sim_state(run->sim), system->nx * sizeof(double));
  hash = add_bits(hash, brink_sim_parameters(run->sim), system->np * sizeof(double));
  hash = add_bits(hash, brink_sim_modes(run->sim), system->nmodes * sizeof(int));
  const brink_stats *stats = brink_sim_stats(run->sim);
  hash = add_bits(hash, &stats->rhs, sizeof stats->rhs);
  for (size_t k = 0; k < run->nevents; k++)
    hash = add_bits(hash, &run->events[k].t, sizeof(double));
  return hash;
}

static bool same_bits(const toy_run *run, const brink_system *system) {
  enum { RUNS = 256 };
  static uint64_t kept[RUNS];
  static size_t count[2];
  size_t k = count[toy_native]++;
  if (k >= RUNS) return true;
  uint64_t bits = bits_of(run, system);
  if (!toy_native) kept[k] = bits;
  return kept[k] == bits;
}

bool toy_finish(toy_run *run, brink_system *system) {
  bool same = same_bits(run, system);
  brink_sim_destroy(run->sim);
  brink_instance_destroy(run->instance);
  free(run);
  toy_destroy(system);
  return same;
}

double toy_final(toy_run *run, uint32_t variable, size_t element) {
  brink_instance_evaluate(run->instance, brink_sim_time(run->sim), brink_sim_state(run->sim),
                          brink_sim_parameters(run->sim), brink_sim_modes(run->sim),
                          brink_sim_signs(run->sim));
  return brink_instance_value(run->instance, variable, element);
}

const brink_guard_def *toy_guard(const toy_run *run, size_t guard) {
  return &brink_instance_model(run->instance)->guards[guard].def;
}

brink_env toy_env(const toy_run *run) {
  return (brink_env){.p = brink_sim_parameters(run->sim),
                     .mode = brink_sim_modes(run->sim),
                     .sgn = brink_sim_signs(run->sim),
                     .user = brink_instance_model(run->instance)->def.user};
}
