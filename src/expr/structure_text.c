/* structure_text.c: structures in words: which equation is where, which modes and signs choose a structure. */
#include <string.h>

#include "expr/structure.h"

/* ---- places ---- */

const brink_constraint *brink_structure_equation(const brink_system *system, size_t number,
                                                 size_t *iteration) {
  for (size_t c = 0; c < system->nconstraints; c++) {
    const brink_constraint *constraint = &system->constraints[c];
    if (number < constraint->count) {
      if (iteration != NULL) *iteration = number;
      return constraint;
    }
    number -= constraint->count;
  }
  return NULL;
}

bool brink_structure_place(const brink_system *system, const brink_structure_row *row,
                           brink_place *place) {
  if (row->kind == BRINK_ROW_CONSTRAINT) {
    *place = system->constraints[row->constraint].place;
    return place->line > 0;
  }
  const uint32_t *equation = system->writers.equation[1];
  if (row->kind != BRINK_ROW_STATE || equation == NULL || equation[row->slot] == BRINK_NO_INDEX)
    return false;
  *place = system->equations[equation[row->slot]]->place;
  return place->line > 0;
}

/* ---- what chooses ---- */

static const brink_variable *mode_of(const brink_system *system, uint32_t slot) {
  for (size_t k = 0; k < system->nvariables; k++) {
    const brink_variable *v = &system->variables[k];
    size_t count = system->groups[v->group].count * v->length;
    if (v->space == BRINK_SPACE_MODE && slot >= v->base && slot - v->base < count) return v;
  }
  return NULL;
}

void brink_structure_mode_text(const brink_system *system, uint32_t slot, brink_text *text) {
  const brink_variable *v = mode_of(system, slot);
  if (v != NULL)
    brink_system_variable_name(system, (uint32_t)(v - system->variables), slot - v->base, text);
  else
    brink_text_add(text, "mode %u", (unsigned)slot + 1);
}

void brink_structure_mode_value_text(const brink_system *system, uint32_t slot, int value,
                                     brink_text *text) {
  const brink_variable *v = mode_of(system, slot);
  if (v != NULL && v->type == BRINK_VALUE_STRING && value >= 0 && (size_t)value < system->nstrings)
    brink_text_add(text, "\"%s\"", system->strings[value]);
  else if (v != NULL && v->type == BRINK_VALUE_BOOLEAN)
    brink_text_add(text, "%s", value != 0 ? "true" : "false");
  else
    brink_text_add(text, "%d", value);
}

void brink_structure_sign_text(const brink_system *system, uint32_t guard, brink_text *text) {
  for (uint32_t f = 0; f < system->nflags; f++) {
    const brink_flag *flag = &system->flags[f];
    for (size_t i = 0; i < flag->count; i++) {
      if (flag->guard[i] != guard) continue;
      brink_text_add(text, "sgn(");
      brink_system_flag_name(system, f, i, text);
      brink_text_add(text, ")");
      return;
    }
  }
  brink_text_add(text, "sgn(flag %u)", (unsigned)guard + 1);
}

/* ---- when a fault is there ---- */

enum { CONDITIONS = 4 }; /* of a fault: the first ones are told */

typedef struct conditions {
  brink_space space[CONDITIONS];
  uint32_t slot[CONDITIONS];
  size_t count, told;
} conditions;

static void add_condition(conditions *c, brink_space space, uint32_t slot) {
  for (size_t k = 0; k < c->told; k++)
    if (c->space[k] == space && c->slot[k] == slot) return;
  c->count++;
  if (c->told == CONDITIONS) return;
  c->space[c->told] = space;
  c->slot[c->told++] = slot;
}

void brink_structure_when_text(const brink_system *system, const brink_structure_fault *fault,
                               const int *modes, const signed char *signs, brink_text *text) {
  conditions c = {.count = 0};
  for (size_t k = 0; k < fault->nrows; k++) {
    const brink_structure_row *row = &fault->rows[k];
    const brink_kernel *active =
        row->kind == BRINK_ROW_CONSTRAINT ? system->constraints[row->constraint].active : NULL;
    for (size_t r = 0; active != NULL && r < active->graph.nrefs; r++) {
      const brink_ref *ref = &active->graph.refs[r];
      if (ref->space == BRINK_SPACE_MODE || ref->space == BRINK_SPACE_SIGN)
        add_condition(&c, ref->space, (uint32_t)brink_ref_slot(ref, row->iteration));
    }
  }
  for (size_t k = 0; k < c.told; k++) {
    brink_text_add(text, "%s", k == 0 ? "" : k + 1 == c.count ? " and " : ", ");
    if (c.space[k] == BRINK_SPACE_MODE) {
      brink_structure_mode_text(system, c.slot[k], text);
      brink_text_add(text, " = ");
      brink_structure_mode_value_text(system, c.slot[k], modes[c.slot[k]], text);
    } else {
      brink_structure_sign_text(system, c.slot[k], text);
      brink_text_add(text, " = %d", signs[c.slot[k]]);
    }
  }
  if (c.count > c.told) brink_text_add(text, ", …");
}
