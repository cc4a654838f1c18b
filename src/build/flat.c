/* flat.c: a description becomes a flat system: checks of the whole, variables (see builder.h). */
#include "build/builder.h"

static brink_status no_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the equations");
}

/* ---- checks of the whole ---- */

static brink_status check_states(const brink_builder *builder, brink_diag *diag) {
  for (size_t i = 0; i < builder->states.count; i++) {
    const builder_variable *state = &builder->states.items[i];
    if (state->derivative != BRINK_NO_NODE) continue;
    brink_status status = brink_diag_refuse(
        diag, BRINK_REASON_DEFINITION,
        "state '%s' has no derivative: give one with brink_builder_derivative", state->name);
    if (diag != NULL) diag->state = i;
    return status;
  }
  return BRINK_OK;
}

static brink_status check_guard(const brink_builder *builder, const brink_guard_def *def,
                                bool formula, brink_diag *diag) {
  size_t leave[] = {def->leave_positive, def->leave_negative}, count = builder->nguards;
  for (int side = 0; def->surface == BRINK_SURFACE_MODEL && side < 2; side++) {
    if (leave[side] != BRINK_NONE && leave[side] >= count)
      return brink_diag_refuse(
          diag, BRINK_REASON_DEFINITION,
          "guard '%s' is left when guard %zu becomes positive, but there are %zu", def->name,
          leave[side], count);
  }
  for (size_t k = 0; formula && k < def->formula_length; k++) {
    int leaf = def->formula[k];
    if (leaf == BRINK_AND || leaf == BRINK_OR || leaf == BRINK_NOT) continue;
    if (leaf < 0 || (size_t)leaf >= count)
      return brink_diag_refuse(diag, BRINK_REASON_DEFINITION,
                               "the formula of guard '%s' names guard %d, but there are %zu",
                               def->name, leaf, count);
  }
  return BRINK_OK;
}

static brink_status check(const brink_builder *builder, brink_diag *diag) {
  brink_status status = check_states(builder, diag);
  for (size_t g = 0; status == BRINK_OK && g < builder->nguards; g++) {
    const builder_guard *guard = &builder->guards[g];
    status = check_guard(builder, &guard->def, guard->value == BRINK_NO_NODE, diag);
    if (status != BRINK_OK && diag != NULL) diag->guard = g;
  }
  return status;
}

/* ---- variables ---- */

/* Parameters are held variables, not parameters: those of the flat system never change, and guards are
 * made numbers with them. */
static bool write_variables(const brink_builder *builder, brink_system *system) {
  const builder_list *lists[] = {&builder->states, &builder->parameters, &builder->modes};
  static const brink_space spaces[] = {BRINK_SPACE_X, BRINK_SPACE_P, BRINK_SPACE_MODE};
  size_t count = builder->states.count + builder->parameters.count + builder->modes.count;
  system->variables = brink_arena_take(&system->arena, count, sizeof *system->variables);
  if (system->variables == NULL) return false;
  for (int l = 0; l < 3; l++) {
    for (size_t i = 0; i < lists[l]->count; i++) {
      brink_variable *variable = &system->variables[system->nvariables++];
      bool mode = spaces[l] == BRINK_SPACE_MODE;
      *variable =
          (brink_variable){.name = brink_arena_text(&system->arena, lists[l]->items[i].name),
                           .kind = mode ? BRINK_VARIABLE_MODE : BRINK_VARIABLE_STATE,
                           .type = mode ? BRINK_VALUE_INTEGER : BRINK_VALUE_REAL,
                           .space = spaces[l],
                           .base = (uint32_t)i,
                           .length = 1};
      if (variable->name == NULL) return false;
    }
  }
  return true;
}

static bool write_starts(const brink_builder *builder, brink_system *system) {
  system->nx = builder->states.count;
  system->np = builder->parameters.count;
  system->nmodes = builder->modes.count;
  system->x0 = brink_arena_take(&system->arena, system->nx, sizeof *system->x0);
  system->p0 = brink_arena_take(&system->arena, system->np, sizeof *system->p0);
  system->mode0 = brink_arena_take(&system->arena, system->nmodes, sizeof *system->mode0);
  if (system->arena.failed) return false;
  for (size_t i = 0; i < system->nx; i++) system->x0[i] = builder->states.items[i].start;
  for (size_t i = 0; i < system->np; i++) system->p0[i] = builder->parameters.items[i].start;
  for (size_t i = 0; i < system->nmodes; i++) system->mode0[i] = (int)builder->modes.items[i].start;
  return true;
}

/* One group: the top, with an empty path. */
static bool write_top(const brink_builder *builder, brink_system *system) {
  system->name = brink_arena_text(&system->arena, builder->name);
  system->groups = brink_arena_take(&system->arena, 1, sizeof *system->groups);
  if (system->arena.failed) return false;
  system->groups[0] = (brink_group){.count = 1, .class_name = system->name};
  system->ngroups = 1;
  system->rtol_slot = system->atol_slot = BRINK_NO_INDEX;
  return write_variables(builder, system) && write_starts(builder, system);
}

/* ---- the whole ---- */

/* Expressions cannot depend on themselves, so that only memory can be missing in the end. */
static bool finish(brink_system *system) {
  brink_text path = {.allocator = system->arena.allocator};
  size_t equation = 0;
  bool ok = brink_system_finish(system, &path, &equation);
  brink_text_free(&path);
  return ok;
}

brink_status brink_builder_write(const brink_builder *builder, bool whole, brink_system *system,
                                 brink_diag *diag) {
  brink_status status = check(builder, diag);
  if (status != BRINK_OK) return status;
  bool ok = write_top(builder, system) && builder_write_equations(builder, whole, system) &&
            builder_write_guards(builder, system) && finish(system);
  return ok ? BRINK_OK : no_memory(diag);
}
