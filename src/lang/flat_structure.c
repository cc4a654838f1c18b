/* flat_structure.c: what the constraints of a whole model determine, before it runs (see expr/structure.h). */
#include "expr/structure.h"
#include "lang/flat.h"

enum { PLACES = 8 }; /* of equations that are shown */

static bool is_known(const brink_place *places, size_t count, const brink_place *place) {
  for (size_t k = 0; k < count; k++) {
    if (places[k].file == place->file && places[k].line == place->line &&
        places[k].column == place->column)
      return true;
  }
  return false;
}

/* Where the equations of a fault stand, constraints first; at least one place. */
static size_t list_places(const brink_system *system, const brink_structure_fault *fault,
                          brink_place places[PLACES]) {
  size_t count = 0;
  for (int round = 0; round < 2; round++) {
    for (size_t k = 0; k < fault->nrows && count < PLACES; k++) {
      const brink_structure_row *row = &fault->rows[k];
      if ((row->kind == BRINK_ROW_CONSTRAINT) != (round == 0)) continue;
      if (brink_structure_place(system, row, &places[count]) &&
          !is_known(places, count, &places[count]))
        count++;
    }
  }
  if (count == 0) places[count++] = system->constraints[0].place;
  return count;
}

static const char *names_of(flat *f, const brink_system *system, const uint32_t *slots,
                            size_t count) {
  brink_text text = {0};
  for (size_t k = 0; k < count; k++) {
    if (k > 0) brink_text_add(&text, ", ");
    brink_structure_slot_text(system, slots[k], &text);
  }
  const char *kept = brink_unit_format(f->unit, "%s", text.data != NULL ? text.data : "nothing");
  brink_text_free(&text);
  return kept;
}

/* "when phase = \"locked\", "; or nothing. */
static const char *when(flat *f, const brink_system *system, const brink_structure_fault *fault,
                        const int *modes, const signed char *signs) {
  brink_text text = {0};
  if (modes != NULL && signs != NULL) brink_structure_when_text(system, fault, modes, signs, &text);
  const char *kept = text.length > 0 ? brink_unit_format(f->unit, "when %s, ", text.data) : "";
  brink_text_free(&text);
  return kept;
}

static void report(flat *f, const brink_system *system, const brink_structure_fault *fault,
                   const int *modes, const signed char *signs) {
  brink_place places[PLACES];
  size_t count = list_places(system, fault, places), before = f->unit->reported;
  const char *condition = when(f, system, fault, modes, signs);
  if (fault->kind == BRINK_FAULT_COUNT) {
    flat_error(f, BRINK_MSG_STRUCTURE_COUNT, places[0], NULL,
               "%zu constraints hold at a time, but there are %zu unknowns", fault->active,
               fault->unknowns);
  } else if (fault->kind == BRINK_FAULT_SIZE) {
    flat_error(f, BRINK_MSG_STRUCTURE_SIZE, places[0],
               "constrain something that is nearer to the unknowns",
               "%sthis constraint would have to be differentiated too often", condition);
  } else {
    const char *only =
        fault->nonly == 0
            ? "nothing"
            : brink_unit_format(f->unit, "only %s", names_of(f, system, fault->only, fault->nonly));
    const char *others = names_of(f, system, fault->undetermined, fault->nundetermined);
    const char *these =
        fault->nrows == 1
            ? "this equation determines"
            : brink_unit_format(f->unit, "these %zu equations determine", fault->nrows);
    flat_error(f, BRINK_MSG_STRUCTURE, places[0],
               fault->nrows == 1 ? "replace it by an equation for what is not determined"
                                 : "replace one of them by an equation for what is not determined",
               "%s%s %s; nothing determines %s", condition, these, only, others);
  }
  brink_report_more(f->unit, before, places + 1, count - 1);
}

void flat_structures(flat *f, brink_system *system) {
  brink_structure_fault fault = {0};
  int *modes = brink_arena_take(&f->scratch, system->nmodes, sizeof *modes);
  signed char *signs = brink_arena_take(&f->scratch, system->nguards, 1);
  if (brink_system_structures(system, &fault, modes, signs)) return;
  if (fault.kind == BRINK_FAULT_MEMORY)
    flat_out_of_memory(f);
  else
    report(f, system, &fault, modes, signs);
}
