/* fuzz_run.c: any text the whole way: parsed, checked, flattened, and simulated for a little while by
 * the interpreter, with little memory. Of some lengths the end is before the start: time runs backwards. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "lang/flatten.h"
#include "native/native.h"

static void simulate(brink_system *system, const brink_allocator *allocator) {
  brink_instance_options how = {
      .interpret = true, .rtol = 1e-4, .atol = 1e-7, .seed = 1, .wants_flow_jet = true};
  brink_instance *instance = NULL;
  brink_diag diag;
  if (system->has_constraints ||
      brink_instance_create(system, &how, allocator, &diag, &instance) < 0)
    return;
  brink_options options = brink_default_options();
  options.rtol = 1e-4;
  options.atol = 1e-7;
  options.max_steps = 200;
  options.audit = true;
  brink_sim *sim = NULL;
  const brink_model *model = brink_instance_model(instance);
  if (brink_sim_create(model, &options, allocator, &diag, &sim) >= 0) {
    brink_diag_clear(&diag);
    brink_sim_run(sim, 1.0, &diag);
    if (diag.reason == BRINK_REASON_GUARD_CONTRADICTS) abort(); /* an event was lost */
    brink_instance_evaluate(instance, brink_sim_time(sim), brink_sim_state(sim),
                            brink_sim_parameters(sim), brink_sim_modes(sim), brink_sim_signs(sim));
  }
  brink_sim_destroy(sim);
  brink_instance_destroy(instance);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_input input = {.data = data, .size = size, .left = (size_t)64 << 20};
  brink_reader reader = fuzz_reader(&input);
  brink_allocator allocator = fuzz_allocator(&input);
  bool unreadable = false;
  const char *reason = NULL;
  brink_unit *unit = brink_unit_parse("fuzz.hsml", &reader, &allocator, &unreadable, &reason);
  if (unit == NULL) return 0;
  if (!unreadable) brink_unit_check(unit);
  if (!unreadable && !unit->out_of_memory) {
    brink_flatten_options options = {.seed = 1, .budget = 200000};
    options.until_given = size % 4 == 3;
    options.until = options.until_given ? -1.0 : 0.0;
    brink_system *system = brink_flatten(unit, &options, &allocator);
    if (system != NULL && system->nx <= 2000 && system->nguards <= 2000 && system->nv <= 20000)
      simulate(system, &allocator);
    brink_system_destroy(system);
  }
  brink_unit_destroy(unit);
  return 0;
}
