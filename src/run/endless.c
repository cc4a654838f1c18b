/* endless.c: can a run whose end is inf end at all? */
#include "run/hsml.h"

static bool ends(const brink_action *action) {
  for (size_t k = 0; action != NULL && k < action->neffects; k++) {
    if (action->effects[k].kind <= BRINK_EFFECT_FAIL) return true;
  }
  return false;
}

static bool system_can_end(const brink_system *system, bool range_warns) {
  for (size_t k = 0; k < system->nflags; k++) {
    const brink_flag *flag = &system->flags[k];
    if (flag->kind == BRINK_FLAG_RANGE && !range_warns) return true;
    if (ends(flag->negative) || ends(flag->positive) || ends(flag->on_surface)) return true;
  }
  for (size_t k = 0; k < system->nclocks; k++) {
    if (ends(system->clocks[k].action)) return true;
  }
  for (size_t k = 0; k < system->nrules; k++) {
    if (ends(system->rules[k].body)) return true;
  }
  for (size_t k = 0; k < system->nvariables && !range_warns; k++) {
    const brink_variable *variable =
        &system->variables[k]; /* of actions: looked at when they are written */
    bool held = variable->kind == BRINK_VARIABLE_STATE || variable->kind == BRINK_VARIABLE_OUTPUT;
    if (held && variable->space != BRINK_SPACE_X && (variable->has_range || variable->nset > 0) &&
        system->nclocks + system->nrules + system->nflags > 0)
      return true;
  }
  return false;
}

bool brink_built_can_end(const brink_built *built, bool range_warns) {
  const brink_agent_tables *tables = built->tables;
  if (tables == NULL) return system_can_end(built->system, range_warns);
  for (size_t k = 0; k < tables->npopulations; k++) {
    if (system_can_end(tables->populations[k].one, range_warns)) return true;
  }
  for (size_t k = 0; k < tables->npairs; k++) {
    if (system_can_end(tables->pairs[k].two, range_warns)) return true;
  }
  return false;
}
