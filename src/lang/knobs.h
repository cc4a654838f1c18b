/* knobs.h: how the initial state and the parameters of a run depend on the knobs of a model.
 *
 * A knob is a parameter that the interface of a component offers to be set. Other parameters may be computed
 * from it, and initial values may depend on it: dp/dknob and dx(0)/dknob are the derivatives. They are differences
 * of order four of flattened systems, with increments of a thousandth of the knob (on one side of it where
 * the other is out of its range): exact to about 1e-12 of the sizes for smooth formulas. Knobs of whose
 * value the system itself is made are left out, and so are those that have no derivative. */
#ifndef BRINK_LANG_KNOBS_H
#define BRINK_LANG_KNOBS_H

#include "lang/flatten.h"

typedef struct brink_knob {
  const char *name; /* as a setting names it: "area", "plant.area", "weight[2]" */
  uint32_t variable;
  size_t element;
  double value;
  const double *x, *p; /* dx(0)/dknob, nx numbers; dp/dknob, np numbers; NULL: left out … */
  const char *reason;  /* … because; else NULL */
} brink_knob;

typedef struct brink_knobs {
  brink_arena arena;
  brink_knob *knobs; /* those of the top component, then those of single parts */
  size_t count;
} brink_knobs;

/* The knobs of `system`, which brink_flatten made of `unit` with these options. Knobs of parts that are
 * arrays are not among them; `most` knobs at most, 0: all. The unit's report is as it was before. Statuses:
 * OK, MEMORY. Free the result in any case. */
brink_status brink_knobs_find(brink_unit *unit, const brink_flatten_options *options,
                              const brink_system *system, size_t most,
                              const brink_allocator *allocator, brink_knobs *knobs);
/* One parameter of any kind, or an input with a value of its own, instead: element `element` of a variable, in all
 * its instances. */
brink_status brink_knobs_find_one(brink_unit *unit, const brink_flatten_options *options,
                                  const brink_system *system, uint32_t variable, size_t element,
                                  const brink_allocator *allocator, brink_knobs *knobs);
void brink_knobs_free(brink_knobs *knobs);

#endif
