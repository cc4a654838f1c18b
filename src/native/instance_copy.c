/* instance_copy.c: what callbacks remember of a run, for another instance.
 *
 * A simulation is cloned with everything that it knows (sim/clone.c), but the callbacks of an instance remember some
 * things of their own between two calls: which states are at rest after infinitely many events, when clocks ticked,
 * how often rules have fired at this instant, what is in doubt until it is over, what was noted, warned of, and why the run ended. */
#include <string.h>

#include "native/instance.h"

static void copy(void *to, const void *from, size_t count, size_t size) {
  if (count > 0) memcpy(to, from, count * size);
}

static void copy_rules(brink_instance *to, const brink_instance *from) {
  const brink_system *system = to->system;
  copy(to->fired, from->fired, to->room.fired, sizeof *to->fired);
  copy(to->tick_time, from->tick_time, system->nclocks, sizeof *to->tick_time);
  to->rules_time = from->rules_time;
}

/* Labels belong to the system, values to the instance. */
static void copy_notes(brink_notebook *to, const brink_notebook *from) {
  copy(to->values, from->values, from->nvalues, sizeof *to->values);
  copy(to->notes, from->notes, from->count, sizeof *to->notes);
  for (size_t k = 0; k < from->count; k++)
    to->notes[k].values = to->values + (from->notes[k].values - from->values);
  to->count = from->count;
  to->nvalues = from->nvalues;
}

static void copy_warnings(brink_instance *to, const brink_instance *from) {
  copy(to->warnings, from->warnings, from->nwarnings, sizeof *to->warnings);
  for (size_t k = 0; k < from->nwarnings; k++) to->warning_texts[k] = to->warnings[k].text;
  to->nwarnings = from->nwarnings;
  to->dropped_warnings = from->dropped_warnings;
}

brink_status brink_instance_copy_run(brink_instance *to, const brink_instance *from,
                                     brink_diag *diag) {
  brink_diag_clear(diag);
  if (to == NULL || from == NULL || to->system != from->system ||
      to->options.range_warns != from->options.range_warns)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "both must be instances of one system, with the same options");
  if (to == from) return BRINK_OK;
  to->rest.any = from->rest.any;
  copy(to->rest.state, from->rest.state, to->system->nx, sizeof *to->rest.state);
  copy_rules(to, from);
  to->doubts = from->doubts;
  copy(to->doubted, from->doubted, to->system->nguards, sizeof *to->doubted);
  if (from->calls != NULL) copy(to->calls, from->calls, to->system->nexternals, sizeof *to->calls);
  copy_notes(&to->notes, &from->notes);
  copy_warnings(to, from);
  to->ending = from->ending;
  memcpy(to->message, from->message, sizeof to->message);
  to->seen.valid = false;
  return BRINK_OK;
}
