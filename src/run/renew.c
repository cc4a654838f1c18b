/* renew.c: a run with what the last one was made of. See run.h.
 *
 * A model that is changed is flattened anew: sizes, equations, guards and periods follow the change exactly. What comes of it
 * is compared with what the last run was made of (brink_system_like). If only values are different, the instance, with
 * its code, gets these (brink_instance_renew). Everything else is made as it always is. */
#include <string.h>

#include "run/run.h"

/* Settings that an instance was made with: all of them, but where a run ends, the grid of its recordings, and its seed. */
static brink_run_options of_instance(const brink_run_options *options) {
  brink_run_options plain;
  memcpy(&plain, options, sizeof plain);
  plain.until = plain.every = 0.0;
  plain.seed = 0;
  plain.cache = NULL;
  return plain;
}

static bool same_text(const char *a, const char *b) {
  return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

/* Bytes, not members: a member that nobody has thought of here is compared, too. */
static bool same_options(const brink_run_options *a, const brink_run_options *b) {
  brink_run_options x = of_instance(a), y = of_instance(b);
  return same_text(a->cache, b->cache) && memcmp(&x, &y, sizeof x) == 0;
}

/* Is the last run the only one that uses what it was made of, and has it nothing of its own in it? */
static bool gives_away(const brink_run *last) {
  const brink_built *built = last->built;
  return last->instance != NULL && last->population_run == NULL && last->nwritten == 0 &&
         !last->changed && !last->joined && last->options.sim.atols == NULL &&
         atomic_load(&built->users) == 1 && built->inputs == NULL && built->followed == NULL;
}

bool brink_run_renew(brink_run *last, brink_run *run) {
  brink_built *from = last->built, *to = run->built;
  if (!gives_away(last) || from == to || to->tables != NULL || to->inputs != NULL ||
      to->followed != NULL || to->codes != NULL || !same_options(&last->options, &run->options) ||
      !brink_system_like(from->system, to->system))
    return false;
  brink_run_stop_watching(last);
  brink_sim_destroy(last->sim);
  last->sim = NULL;
  brink_built_forget_code(from);
  if (!brink_instance_renew(last->instance, to->system, run->options.seed)) return false;
  /* The instance goes on reading its own system, which has the values of the other now. */
  brink_system *values = to->system;
  to->system = from->system;
  from->system = values;
  run->system = to->system;
  run->instance = last->instance;
  last->instance = NULL;
  run->renewed = true;
  return true;
}
