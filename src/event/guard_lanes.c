/* guard_lanes.c: guards along the next steps of several runs at once (see guard_lanes.h). */
#include "event/guard_lanes.h"

#include "event/guard_kernels.h"

bool brink_guard_is_quiet(brink_detector *det, size_t guard, const brink_path *path) {
  const struct brink_foreseen_guards *seen = det->foreseen;
  if (seen == NULL || !*seen->valid || path != seen->path) return false;
  const brink_foreseen_guard *f = &seen->guards[guard];
  if (!f->known || !f->quiet || f->sign != det->eval->sgn[guard] || f->g0 != det->g0[guard] ||
      f->before != det->tolerance[guard])
    return false;
  det->tolerance[guard] = f->after;
  return true;
}

static bool is_plain(const brink_detector *det, size_t guard) {
  const brink_guard *g = &det->eval->model->guards[guard];
  return g->def.coefficients != NULL && g->formula == NULL && g->def.side != BRINK_LEAF &&
         brink_detector_active(det, guard);
}

/* Is it the same guard in all runs, of the same states? */
static bool is_common(brink_detector *const *runs, int width, size_t guard) {
  const brink_guard_def *first = &runs[0]->eval->model->guards[guard].def;
  for (int l = 0; l < width; l++) {
    const brink_guard_def *def = &runs[l]->eval->model->guards[guard].def;
    if (!is_plain(runs[l], guard) || def->ndepends != first->ndepends) return false;
    for (size_t j = 0; j < def->ndepends; j++) {
      if (def->depends[j] != first->depends[j]) return false;
    }
  }
  return true;
}

static void describe(const brink_detector *det, size_t guard, int l, brink_lane_guard *g) {
  const brink_guard_def *def = &det->eval->model->guards[guard].def;
  g->coefficients[l] = def->coefficients;
  g->atol[l] = det->atol;
  g->rate[l] = def->time_coefficient;
  g->g0[l] = det->g0[guard];
  g->sign[l] = det->eval->sgn[guard];
  g->before[l] = det->tolerance[guard];
  g->near_miss[l] = det->options->near_miss;
  g->rtol[l] = det->options->rtol;
}

static void look_at(brink_lane_block *block, brink_detector *const *runs, size_t guard) {
  const brink_guard_kernels *kernels =
      block->width == 8 ? &brink_guard_kernels_8 : &brink_guard_kernels_4;
  const brink_guard_def *def = &runs[0]->eval->model->guards[guard].def;
  brink_lane_guard g = {.ndepends = def->ndepends, .depends = def->depends};
  for (int l = 0; l < block->width; l++) describe(runs[l], guard, l, &g);
  unsigned quiet = kernels->keeps_away(block, &g);
  for (int l = 0; l < block->width; l++)
    runs[l]->foreseen->guards[guard] =
        (brink_foreseen_guard){.known = true,
                               .quiet = quiet >> l & 1u,
                               .sign = runs[l]->eval->sgn[guard],
                               .g0 = g.g0[l],
                               .before = g.before[l],
                               .after = g.tolerance[l]};
}

void brink_guard_lanes_look(brink_lane_block *block, brink_detector *const *runs) {
  for (size_t k = 0; k < runs[0]->eval->model->def.nguards; k++) {
    bool common = is_common(runs, block->width, k);
    for (int l = 0; !common && l < block->width; l++) runs[l]->foreseen->guards[k].known = false;
    if (common) look_at(block, runs, k);
  }
}
