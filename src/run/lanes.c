/* lanes.c: runs side by side (see lanes.h). */
#include "run/lanes.h"

#include "sim/lanes.h"

struct brink_run_lanes {
  brink_lanes *lanes;
  brink_native_lanes_fn *code; /* that all of them have */
};

/* Why not? NULL: it can. */
static const char *refuse(const brink_run *run) {
  const char *why;
  if (run->population_run != NULL) return "agents have clocks of their own";
  if (brink_lanes_of_processor() == 1) return "the processor has neither AVX2 nor AVX-512";
  why = brink_lanes_refuse(run->sim);
  if (why != NULL) return why;
  return brink_instance_lanes(run->instance, &why) > 0 ? NULL : why;
}

brink_run_lanes *brink_run_lanes_create(const brink_run *like, size_t seats, const char **why) {
  const char *unused;
  *why = refuse(like);
  if (*why != NULL) return NULL;
  *why = "out of memory";
  brink_run_lanes *lanes = brink_allocate(NULL, 1, sizeof *lanes);
  if (lanes == NULL) return NULL;
  int width = brink_instance_lanes(like->instance, &unused);
  lanes->code = brink_instance_lanes_code(like->instance);
  lanes->lanes = brink_lanes_create(like->sim, width, seats, brink_instance_flow_lanes);
  if (lanes->lanes != NULL) return lanes;
  brink_run_lanes_destroy(lanes);
  return NULL;
}

void brink_run_lanes_destroy(brink_run_lanes *lanes) {
  if (lanes == NULL) return;
  brink_lanes_destroy(lanes->lanes);
  brink_release(NULL, lanes, 1, sizeof *lanes);
}

bool brink_run_lanes_sit(brink_run_lanes *lanes, size_t seat, brink_run *run) {
  const char *unused;
  if (run->population_run != NULL || brink_instance_lanes(run->instance, &unused) == 0 ||
      brink_instance_lanes_code(run->instance) != lanes->code ||
      !brink_lanes_sit(lanes->lanes, seat, run->sim))
    return false;
  brink_instance_begin_lanes(run->instance, &run->sim->eval.env);
  return true;
}

void brink_run_lanes_leave(brink_run_lanes *lanes, size_t seat) {
  brink_lanes_leave(lanes->lanes, seat);
}

void brink_run_lanes_look(brink_run_lanes *lanes) {
  brink_lanes_look(lanes->lanes);
}
