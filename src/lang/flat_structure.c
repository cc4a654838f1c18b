/* flat_structure.c: what the constraints of a whole model determine, before it runs (see expr/structure.h). */
#include "expr/structure.h"
#include "lang/flat.h"

/* The place of the first constraint that is named. */
static brink_place place_of(const brink_system *system, const brink_structure_fault *fault) {
  for (size_t k = 0; k < fault->nrows; k++) {
    if (fault->rows[k].kind == BRINK_ROW_CONSTRAINT)
      return system->constraints[fault->rows[k].constraint].place;
  }
  return system->constraints[0].place;
}

void flat_structures(flat *f, brink_system *system) {
  brink_structure_fault fault = {0};
  if (brink_system_structures(system, &fault, NULL, NULL)) return;
  if (fault.kind == BRINK_FAULT_MEMORY) {
    flat_out_of_memory(f);
    return;
  }
  brink_text text = {0};
  brink_structure_fault_text(system, &fault, &text);
  flat_error(f, BRINK_MSG_STRUCTURE, place_of(system, &fault), NULL, "%s",
             text.data != NULL ? text.data : "");
  brink_text_free(&text);
}
