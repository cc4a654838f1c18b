/* failure_constraint.c: constraints that could not be met, in words, with the equations and where they stand. */
#include <math.h>
#include <string.h>

#include "expr/structure.h"
#include "run/failure.h"
#include "sim/sim.h"

/* ---- names ---- */

static void add_name(const brink_failure *failure, size_t slot, brink_text *text) {
  brink_structure_slot_text(failure->system, (uint32_t)slot, text);
}

/* The states of the diagnostic in the order of the model. */
static void sort_states(const brink_diag *diag, size_t order[BRINK_DIAG_EQUATIONS]) {
  for (size_t k = 0; k < diag->nstates; k++) {
    size_t at = k;
    for (; at > 0 && diag->states[order[at - 1]] > diag->states[k]; at--) order[at] = order[at - 1];
    order[at] = k;
  }
}

/* "a, b, c"; with `last`, "a, b and c". */
static void add_names(const brink_failure *failure, const char *last, brink_text *text) {
  const brink_diag *diag = failure->diag;
  size_t order[BRINK_DIAG_EQUATIONS];
  sort_states(diag, order);
  for (size_t k = 0; k < diag->nstates; k++) {
    if (k > 0) brink_text_add(text, "%s", k + 1 == diag->nstates ? last : ", ");
    add_name(failure, diag->states[order[k]], text);
  }
}

/* "the first derivative of ", before a constraint. */
static void add_order(int order, brink_text *text) {
  static const char *const words[] = {"", "first", "second", "third", "fourth"};
  if (order > 4)
    brink_text_add(text, "derivative %d of ", order);
  else if (order > 0)
    brink_text_add(text, "the %s derivative of ", words[order]);
}

/* ---- places ---- */

static bool comes_before(const brink_place *a, const brink_place *b) {
  if (a->file != b->file) return a->file < b->file;
  return a->line != b->line ? a->line < b->line : a->column < b->column;
}

static void add_place(brink_failure_places *places, const brink_place *place) {
  if (place->line == 0 || places->count == BRINK_DIAG_EQUATIONS) return;
  for (size_t k = 0; k < places->count; k++) {
    const brink_place *known = &places->at[k];
    if (known->file == place->file && known->line == place->line && known->column == place->column)
      return;
  }
  size_t at = places->count++; /* in the order of the text */
  for (; at > 0 && comes_before(place, &places->at[at - 1]); at--)
    places->at[at] = places->at[at - 1];
  places->at[at] = *place;
}

static void find_places(const brink_failure *failure, brink_failure_places *places) {
  const brink_diag *diag = failure->diag;
  for (size_t k = 0; k < diag->nequations; k++) {
    const brink_constraint *constraint =
        brink_structure_equation(failure->system, diag->equations[k], NULL);
    if (constraint != NULL) add_place(places, &constraint->place);
  }
}

/* Where an unknown is declared. */
static void find_declaration(const brink_failure *failure, size_t slot,
                             brink_failure_places *places) {
  const brink_system *system = failure->system;
  for (size_t v = 0; v < system->nvariables; v++) {
    const brink_variable *variable = &system->variables[v];
    size_t count = system->groups[variable->group].count * variable->length;
    if (variable->space == BRINK_SPACE_X && slot >= variable->base && slot - variable->base < count)
      add_place(places, &variable->place);
  }
}

/* "lines 21 and 24" */
static void add_lines(const brink_failure_places *places, brink_text *text) {
  size_t count = 0;
  uint32_t lines[BRINK_DIAG_EQUATIONS];
  for (size_t k = 0; k < places->count; k++) {
    size_t j = 0;
    while (j < count && lines[j] != places->at[k].line) j++;
    if (j == count) lines[count++] = places->at[k].line;
  }
  brink_text_add(text, "line%s ", count == 1 ? "" : "s");
  for (size_t k = 0; k < count; k++)
    brink_text_add(text, "%s%u", k == 0 ? "" : k + 1 == count ? " and " : ", ", (unsigned)lines[k]);
}

/* ---- one reason each ---- */

typedef struct words {
  const brink_failure *failure;
  const brink_failure_places *places;
  brink_text *message, *hint;
} words;

static void say_dependent(const words *w) {
  const brink_diag *diag = w->failure->diag;
  brink_text_add(w->message, "at t = %.10g the equation%s at ", diag->t,
                 diag->nequations == 1 ? "" : "s");
  add_lines(w->places, w->message);
  if (diag->nequations == 1)
    brink_text_add(w->message, " does not depend on ");
  else
    brink_text_add(w->message, " depend on each other: nothing determines ");
  add_names(w->failure, " and ", w->message);
  if (diag->nequations > 1 && diag->nstates > 1) brink_text_add(w->message, " separately");
  brink_text_add(w->hint,
                 "replace one of them by an equation that does not follow from the others");
}

static void say_contradicted(const words *w) {
  const brink_diag *diag = w->failure->diag;
  bool one = diag->nstates == 1;
  brink_text_add(w->message, "the fixed initial value%s of ", one ? "" : "s");
  add_names(w->failure, ", ", w->message);
  brink_text_add(w->message, " contradict%s ", one ? "s" : "");
  add_order(diag->orders[0], w->message);
  brink_text_add(w->message, "this constraint");
  brink_text_add(w->message, " by %.6g", fabs(diag->value));
  brink_text_add(w->hint, one ? "make it a guess" : "make one of them a guess");
}

static void say_unsolved(const words *w) {
  const brink_diag *diag = w->failure->diag;
  bool one = diag->nstates == 1;
  if (diag->nstates == 0) {
    brink_text_add(w->message, "at t = %.10g the states cannot be moved onto the constraints",
                   diag->t);
    return;
  }
  brink_text_add(w->message, "no value%s of ", one ? "" : "s");
  add_names(w->failure, ", ", w->message);
  if (diag->nequations == 1)
    brink_text_add(w->message, " satisf%s this equation", one ? "ies" : "y");
  else if (diag->nequations < BRINK_DIAG_EQUATIONS)
    brink_text_add(w->message, " satisfy these %zu equations", diag->nequations);
  else
    brink_text_add(w->message, " satisfy these equations");
  brink_text_add(w->message, " at t = %.10g; nearest: ", diag->t);
  size_t order[BRINK_DIAG_EQUATIONS];
  sort_states(diag, order);
  for (size_t k = 0; k < diag->nstates; k++) {
    add_name(w->failure, diag->states[order[k]], w->message);
    brink_text_add(w->message, " = %.6g, ", diag->values[order[k]]);
  }
  brink_text_add(w->message, "residual %.3g", diag->value);
  brink_text_add(w->hint, "give a guess near the solution");
}

static void say_out_of_range(const words *w) {
  const brink_diag *diag = w->failure->diag;
  brink_text_add(w->message, "at t = %.10g the constraints give ", diag->t);
  add_names(w->failure, ", ", w->message);
  brink_text_add(w->message, " the value %.6g, outside its range, which ends at %.6g", diag->value,
                 diag->limit);
  brink_text_add(w->hint, "give a guess near another solution, or correct the range");
}

/* Modes that choose a structure, and have changed at this instant: what begins. */
static bool add_begun(const words *w) {
  const brink_failure *failure = w->failure;
  const brink_structure_set *set = failure->system->structures;
  const brink_sim *sim = failure->sim;
  size_t count = 0;
  for (size_t k = 0; sim != NULL && set != NULL && k < set->nkey_modes; k++) {
    uint32_t slot = set->key[k];
    int value = sim->eval.mode[slot];
    if (value == sim->instant.pre_mode[slot]) continue;
    brink_text room = {0};
    brink_structure_mode_value_text(failure->system, slot, value, &room);
    brink_text_add(w->message, "%s", count++ > 0 ? " and " : "");
    if (room.data != NULL && room.data[0] != '"') {
      brink_structure_mode_text(failure->system, slot, w->message);
      brink_text_add(w->message, " = ");
    }
    brink_text_add(w->message, "%s", room.data != NULL ? room.data : "");
    brink_text_free(&room);
  }
  return count > 0;
}

enum { UNKNOWNS = 4 }; /* that are named */

static void say_no_impulse(const words *w) {
  const brink_diag *diag = w->failure->diag;
  const brink_system *system = w->failure->system;
  brink_text_add(w->message, "at t = %.10g ", diag->t);
  if (!add_begun(w)) brink_text_add(w->message, "this constraint");
  brink_text_add(w->message, " cannot begin: ");
  add_order(diag->orders[0], w->message);
  brink_text_add(w->message, "the constraint is off by %.6g, and no impulse of ", diag->value);
  size_t hidden = system->structures != NULL ? system->structures->hidden : 0;
  size_t declared = system->nz - hidden;
  for (size_t k = 0; k < declared && declared <= UNKNOWNS; k++) {
    if (k > 0) brink_text_add(w->message, ", ");
    add_name(w->failure, system->nx - system->nz + k, w->message);
  }
  if (declared > UNKNOWNS) brink_text_add(w->message, "an unknown");
  brink_text_add(w->message, " moves ");
  add_names(w->failure, ", ", w->message);
  brink_text_add(w->hint, "assign ");
  add_names(w->failure, ", ", w->hint);
  brink_text_add(w->hint, " in the event, or let it begin where the constraint holds");
}

static void say_assigned(const words *w) {
  const brink_diag *diag = w->failure->diag;
  bool one = diag->nstates == 1;
  brink_text_add(w->message, "at t = %.10g the assigned value%s of ", diag->t, one ? "" : "s");
  add_names(w->failure, ", ", w->message);
  brink_text_add(w->message, " contradict%s ", one ? "s" : "");
  add_order(diag->orders[0], w->message);
  brink_text_add(w->message, "this constraint");
  brink_text_add(w->message, " by %.6g", fabs(diag->value));
  brink_text_add(w->hint, "assign values with which it holds, or fewer of them");
}

/* states: the unknown; the state whose derivative is not as an impulse needs it; what it depends on. */
static void say_impulse(const words *w) {
  const brink_diag *diag = w->failure->diag;
  bool bent = diag->nstates > 2 && diag->states[2] == diag->states[0];
  bool jumps = diag->nstates > 2 && !bent;
  brink_text_add(w->message, "at t = %.10g the impulse of ", diag->t);
  add_name(w->failure, diag->states[0], w->message);
  brink_text_add(w->message, " is not unique: x' of ");
  add_name(w->failure, diag->states[1], w->message);
  brink_text_add(w->message, bent ? " is not linear in " : " depends on ");
  if (jumps || bent)
    add_name(w->failure, diag->states[2], w->message);
  else
    brink_text_add(w->message, "itself");
  brink_text_add(w->message, "%s; assign ", bent ? "" : ", which jumps");
  add_name(w->failure, diag->states[1], w->message);
  if (jumps) {
    brink_text_add(w->message, " and ");
    add_name(w->failure, diag->states[2], w->message);
  }
  brink_text_add(w->message, " in the event");
}

static const struct {
  brink_reason reason;
  void (*say)(const words *w);
} sayings[] = {
    {BRINK_REASON_DEPENDENT, say_dependent},   {BRINK_REASON_CONTRADICTED, say_contradicted},
    {BRINK_REASON_UNSOLVED, say_unsolved},     {BRINK_REASON_OUT_OF_RANGE, say_out_of_range},
    {BRINK_REASON_NO_IMPULSE, say_no_impulse}, {BRINK_REASON_ASSIGNED, say_assigned},
    {BRINK_REASON_IMPULSE, say_impulse},
};

bool brink_failure_constraint(const brink_failure *failure, brink_text *message, brink_text *hint,
                              brink_failure_places *places) {
  const brink_diag *diag = failure->diag;
  if (failure->system == NULL || diag->status != BRINK_ERR_CONSTRAINT) return false;
  find_places(failure, places);
  if (diag->reason == BRINK_REASON_OUT_OF_RANGE) find_declaration(failure, diag->states[0], places);
  words w = {.failure = failure, .places = places, .message = message, .hint = hint};
  for (size_t k = 0; k < sizeof sayings / sizeof *sayings; k++) {
    if (sayings[k].reason != diag->reason) continue;
    sayings[k].say(&w);
    return true;
  }
  return false;
}
