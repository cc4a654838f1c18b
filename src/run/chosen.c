/* chosen.c: initial values that nothing determines: fewer are fixed than are free, and the start has chosen some. */
#include "model/model.h"
#include "run/run.h"
#include "sim/sim.h"

enum { NAMED = 8 };

/* Where a state is declared. */
static brink_place declaration(const brink_system *system, size_t slot) {
  for (size_t v = 0; v < system->nvariables; v++) {
    const brink_variable *variable = &system->variables[v];
    size_t count = system->groups[variable->group].count * variable->length;
    if (variable->kind != BRINK_VARIABLE_HIDDEN && variable->space == BRINK_SPACE_X &&
        slot >= variable->base && slot - variable->base < count)
      return variable->place;
  }
  return (brink_place){0};
}

/* "fewer initial values are fixed than are free: vx = 0.5 was chosen" */
static void describe(const brink_run *run, brink_text *text, brink_place *place) {
  const brink_sim *sim = run->sim;
  const brink_model *model = brink_instance_model(run->instance);
  size_t count = 0;
  brink_text_add(text, "fewer initial values are fixed than are free: ");
  for (size_t j = 0; j < model->def.nx - model->def.nz; j++) {
    if (!sim->chosen[j]) continue;
    if (count == 0) *place = declaration(run->system, j);
    if (count++ >= NAMED) continue;
    brink_text_add(text, "%s%s = %.6g", count > 1 ? ", " : "", brink_model_state_name(model, j),
                   sim->x[j]);
  }
  if (count > NAMED) brink_text_add(text, " and %zu more", count - NAMED);
  brink_text_add(text, count == 1 ? " was chosen" : " were chosen");
}

void brink_run_note_chosen(brink_run *run) {
  static const char hint[] = "fix as many as are free, by x := ...; in initial";
  if (run->told_chosen || run->sim == NULL || run->sim->nchosen == 0) return;
  brink_text text = {0};
  brink_place place = {0};
  describe(run, &text, &place);
  run->told_chosen = true;
  if (text.failed)
    run->journal.failed = true;
  else
    brink_run_warn(run, place, text.data, hint);
  brink_text_free(&text);
}
