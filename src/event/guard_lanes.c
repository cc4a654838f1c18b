/* guard_lanes.c: guards along the next steps of several runs at once (see guard_lanes.h). */
#include "event/guard_lanes.h"

#include "event/guard_kernels.h"

const brink_foreseen_guard *brink_guard_foreseen(const brink_detector *det, size_t guard,
                                                 const brink_path *path) {
  const struct brink_foreseen_guards *seen = det->foreseen;
  if (seen == NULL || !*seen->valid || path != seen->path) return NULL;
  const brink_foreseen_guard *f = &seen->guards[guard];
  bool same = f->sign == det->eval->sgn[guard] && f->g0 == det->g0[guard] &&
              f->before == det->tolerance[guard];
  return (f->quiet || f->crosses) && same ? f : NULL;
}

/* ---- roots ---- */

struct brink_root_jobs {
  const brink_guard_kernels *kernels;
  brink_lane_roots roots;
  size_t count, room;
  brink_foreseen_guard *of[2 * BRINK_LANES_MOST];
  struct brink_foreseen_guards *in[2 * BRINK_LANES_MOST];
};

static const brink_guard_kernels *kernels_for(int width) {
  return width == 8 ? &brink_guard_kernels_8 : &brink_guard_kernels_4;
}

brink_root_jobs *brink_root_jobs_take(int width, int order, brink_arena *arena) {
  brink_root_jobs *jobs = brink_arena_take(arena, 1, sizeof *jobs);
  if (jobs == NULL) return NULL;
  jobs->kernels = kernels_for(width);
  jobs->room = 2 * (size_t)width;
  jobs->roots.degree = order;
  jobs->roots.poly = brink_lane_vectors(arena, (int)jobs->room, (size_t)order + 1);
  return jobs->roots.poly != NULL ? jobs : NULL;
}

void brink_guard_lanes_finish(brink_root_jobs *jobs) {
  brink_lane_roots *roots = &jobs->roots;
  if (jobs->count == 0) return;
  for (size_t k = jobs->count; k < jobs->room; k++) { /* the first once more */
    for (size_t j = 0; j <= (size_t)roots->degree; j++)
      roots->poly[j * jobs->room + k] = roots->poly[j * jobs->room];
    roots->start[k] = roots->start[0];
    roots->sign[k] = roots->sign[0];
  }
  unsigned found = jobs->kernels->refine(roots);
  for (size_t k = 0; k < jobs->count; k++) {
    if ((found >> k & 1u) == 0) continue;
    jobs->of[k]->crosses = true;
    jobs->of[k]->root = roots->root[k];
    if (roots->root[k] < jobs->in[k]->first) jobs->in[k]->first = roots->root[k];
  }
  jobs->count = 0;
}

static void add_job(brink_root_jobs *jobs, const brink_lane_block *block, size_t lane,
                    const brink_lane_guard *g, struct brink_foreseen_guards *in,
                    brink_foreseen_guard *of) {
  if (jobs->count == jobs->room) brink_guard_lanes_finish(jobs);
  size_t k = jobs->count++, w = (size_t)block->width;
  for (size_t j = 0; j <= (size_t)block->order; j++)
    jobs->roots.poly[j * jobs->room + k] = block->poly[j * w + lane];
  jobs->roots.start[k] = g->start[lane];
  jobs->roots.sign[k] = g->sign[lane];
  jobs->of[k] = of;
  jobs->in[k] = in;
}

/* ---- guards ---- */

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

static void look_at(brink_lane_block *block, brink_detector *const *runs, unsigned made,
                    size_t count, size_t guard, brink_root_jobs *jobs) {
  const brink_guard_def *def = &runs[0]->eval->model->guards[guard].def;
  brink_lane_guard g = {.ndepends = def->ndepends, .depends = def->depends};
  for (int l = 0; l < block->width; l++) describe(runs[l], guard, l, &g);
  jobs->kernels->survey(block, &g);
  for (size_t l = 0; l < count; l++) {
    struct brink_foreseen_guards *in = runs[l]->foreseen;
    brink_foreseen_guard *f = &in->guards[guard];
    *f = (brink_foreseen_guard){.quiet = g.quiet >> l & 1u,
                                .sign = runs[l]->eval->sgn[guard],
                                .g0 = g.g0[l],
                                .before = g.before[l],
                                .after = g.tolerance[l]};
    if ((g.single & made) >> l & 1u) add_job(jobs, block, l, &g, in, f);
  }
}

void brink_guard_lanes_look(brink_lane_block *block, brink_detector *const *runs, unsigned made,
                            size_t count, brink_root_jobs *jobs) {
  for (size_t l = 0; l < count; l++) runs[l]->foreseen->first = 2.0;
  for (size_t k = 0; k < runs[0]->eval->model->def.nguards; k++) {
    bool common = is_common(runs, block->width, k);
    for (size_t l = 0; !common && l < count; l++)
      runs[l]->foreseen->guards[k].quiet = runs[l]->foreseen->guards[k].crosses = false;
    if (common) look_at(block, runs, made, count, k, jobs);
  }
}
