/* taylor_lanes.c: steps of the Taylor method, computed ahead for several runs at once (see taylor_lanes.h). */
#include "ode/taylor_lanes.h"

#include "ode/taylor_kernels.h"
#include "ode/taylor_parts.h"

/* ---- what taylor.c finds ---- */

bool brink_foreseen_attempt(brink_stepper *st, double h) {
  if (st->foreseen == NULL) return false;
  if (st->foreseen->attempt && st->foreseen->h == h) return true;
  brink_foreseen_forget(st); /* x_new is about to be another one */
  return false;
}

brink_foreseen_part brink_foreseen_series(brink_stepper *st) {
  const brink_foreseen *f = st->foreseen;
  brink_eval *eval = st->eval;
  double t = st->t + st->h;
  if (f == NULL || !f->series || f->h != st->h || f->read_signs != eval->read_signs ||
      memcmp(f->x, st->x_new, st->nx * sizeof *f->x) != 0)
    return BRINK_FORESEEN_NOTHING;
  if (!brink_eval_admit(eval, t, st->x_new)) return BRINK_FORESEEN_OUTSIDE;
  eval->stats.rhs++;
  brink_audit_call(eval, t, st->x_new, &eval->env);
  return BRINK_FORESEEN_SERIES;
}

bool brink_foreseen_good(brink_stepper *st, double *reach) {
  const brink_foreseen *f = st->foreseen;
  if (f == NULL || !f->series || !f->good) return false;
  st->error = f->error;
  *reach = f->reach;
  return true;
}

bool brink_foreseen_inside(const brink_stepper *st, double sigma, double **x, double **slope) {
  const brink_foreseen *f = st->foreseen;
  if (f == NULL || !f->attempt || f->sigma != sigma || f->h != st->h) return false;
  *x = f->inside;
  *slope = f->inside_slope;
  return true;
}

/* ---- computing ahead ---- */

static const brink_taylor_kernels *kernels_for(const brink_lane_block *block) {
  return block->width == 8 ? &brink_taylor_kernels_8 : &brink_taylor_kernels_4;
}

bool brink_taylor_foresees(const brink_stepper *st, int order) {
  if (st->ops != &brink_stepper_taylor || st->foreseen == NULL) return false;
  const taylor *ty = st->method;
  bool fixed = st->options->order > 0 && st->options->step > 0.0;
  return order >= LOW_ORDER && ty->order == order && ty->now.degree == order && !ty->now.ends &&
         !ty->exact && !fixed;
}

double brink_taylor_planned(const brink_stepper *st, double h_limit) {
  const taylor *ty = st->method;
  return h_limit < ty->h * (1.0 + SMALLEST_ROOM) ? h_limit : ty->h;
}

unsigned brink_taylor_lanes_attempt(brink_lane_block *block, brink_stepper *const *runs) {
  const double *rows[BRINK_LANES_MOST];
  double units[BRINK_LANES_MOST], *scales[BRINK_LANES_MOST], *bounds[BRINK_LANES_MOST];
  for (int l = 0; l < block->width; l++) {
    const taylor *ty = runs[l]->method;
    rows[l] = ty->now.c;
    units[l] = ty->now.unit;
    scales[l] = runs[l]->dense.scale;
    bounds[l] = runs[l]->dense.bound;
  }
  unsigned made = kernels_for(block)->attempt(block, rows, units, scales, bounds);
  size_t w = (size_t)block->width;
  for (size_t l = 0; l < w; l++) {
    brink_stepper *st = runs[l];
    taylor *ty = st->method;
    brink_foreseen *f = st->foreseen;
    brink_foreseen_forget(st);
    if ((made >> l & 1u) == 0) continue;
    for (size_t i = 0; i < st->nx; i++) {
      f->x[i] = st->x_new[i] = block->x_new[i * w + l];
      ty->slope[i] = block->slope[i * w + l];
    }
    f->h = block->h[l];
    f->read_signs = st->eval->read_signs;
    f->attempt = true;
  }
  return made;
}

static brink_lane_rule rule_of(const brink_lane_block *block, brink_stepper *const *runs) {
  const taylor *first = runs[0]->method;
  brink_lane_rule rule = {.degrees = runs[0]->eval->model->def.flow_degrees,
                          .inverse_last = first->inverse[block->order],
                          .inverse_before = first->inverse[block->order - 1]};
  for (int l = 0; l < block->width; l++) {
    const taylor *ty = runs[l]->method;
    rule.rtol[l] = runs[l]->options->rtol;
    rule.sharpness[l] = ty->sharpness;
    rule.atol[l] = runs[l]->atol;
  }
  return rule;
}

void brink_taylor_lanes_commit(brink_lane_block *block, brink_stepper *const *runs, unsigned which,
                               brink_flow_lanes_fn *flow) {
  const brink_env *envs[BRINK_LANES_MOST];
  double *rows[BRINK_LANES_MOST];
  double errors[BRINK_LANES_MOST], reaches[BRINK_LANES_MOST];
  size_t w = (size_t)block->width, length = (size_t)block->order + 1;
  const brink_taylor_kernels *kernels = kernels_for(block);
  for (size_t l = 0; l < w; l++) {
    const taylor *ty = runs[l]->method;
    envs[l] = &runs[l]->eval->env;
    rows[l] = ty->new.c;
    block->t[l] = runs[l]->t + block->h[l];
    block->unit[l] = next_unit(ty);
  }
  for (size_t i = 0; i < block->nx; i++) {
    double *first = block->next + i * length * w;
    memcpy(first, block->x_new + i * w, w * sizeof *first);
    for (size_t l = 0; l < w; l++) { /* nothing is evaluated where it must not be */
      if ((which >> l & 1u) == 0) first[l] = block->c[i * length * w + l];
    }
  }
  unsigned usual, known = flow(envs, block->t, block->unit, block->next) & which;
  brink_lane_rule rule = rule_of(block, runs);
  unsigned good = kernels->judge(block, &rule, &usual, errors, reaches);
  kernels->spread(block, rows);
  for (size_t l = 0; l < w; l++) {
    brink_foreseen *f = runs[l]->foreseen;
    f->series = (known & usual) >> l & 1u;
    f->good = (known & usual & good) >> l & 1u;
    f->error = errors[l];
    f->reach = reaches[l];
  }
}

void brink_taylor_lanes_inside(brink_lane_block *block, brink_stepper *const *runs,
                               const double *sigmas, size_t count) {
  const double *rows[BRINK_LANES_MOST], *scales[BRINK_LANES_MOST];
  double places[BRINK_LANES_MOST];
  size_t w = (size_t)block->width;
  for (size_t l = 0; l < w; l++) {
    const brink_stepper *st = runs[l < count ? l : 0];
    const taylor *ty = st->method;
    rows[l] = ty->now.c;
    scales[l] = st->dense.scale;
    places[l] = sigmas[l < count ? l : 0];
  }
  kernels_for(block)->inside(block, rows, scales, places, block->x_new, block->slope);
  for (size_t l = 0; l < count; l++) {
    brink_foreseen *f = runs[l]->foreseen;
    f->sigma = sigmas[l];
    for (size_t i = 0; i < block->nx; i++) {
      f->inside[i] = block->x_new[i * w + l];
      f->inside_slope[i] = block->slope[i * w + l];
    }
  }
}
