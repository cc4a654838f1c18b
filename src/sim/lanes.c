/* lanes.c: simulations side by side (see lanes.h). */
#include "sim/lanes.h"

#include <math.h>
#include <string.h>

#include "event/guard_lanes.h"

/* What is known ahead of one simulation. */
typedef struct seat {
  brink_sim *sim; /* NULL: it is free */
  brink_foreseen step;
  struct brink_foreseen_guards guards;
} seat;

struct brink_lanes {
  brink_arena arena;
  brink_lane_block block;
  brink_flow_lanes_fn *flow;
  size_t nguards;
  int *
      degrees; /* where the series of each state end, in all of them; NULL: nothing is said of that */
  brink_root_jobs *roots;
  seat *seats;
  size_t nseats;
  brink_sim **looked; /* at which the present look has looked */
  size_t nlooked;
};

const char *brink_lanes_refuse(const brink_sim *sim) {
  if (sim->stepper.chosen.ops != &brink_stepper_taylor) return "the method is not taylor";
  if (sim->eval.solver != NULL) return "the model has constraints";
  if (sim->delays != NULL) return "the model has delayed signals";
  if (sim->eval.n != sim->eval.nx || sim->eval.nx == 0) return "its states are not those of lanes";
  return NULL;
}

brink_lanes *brink_lanes_create(const brink_sim *like, int width, size_t seats,
                                brink_flow_lanes_fn *flow) {
  brink_arena arena;
  size_t nx = like->eval.nx, nguards = like->model->def.nguards;
  brink_arena_init(&arena, NULL);
  brink_lanes *lanes = brink_arena_take(&arena, 1, sizeof *lanes);
  if (lanes == NULL) return NULL;
  lanes->flow = flow;
  lanes->nguards = nguards;
  lanes->nseats = seats;
  lanes->seats = brink_arena_take(&arena, seats, sizeof *lanes->seats);
  const int *degrees = like->model->def.flow_degrees;
  if (degrees != NULL) lanes->degrees = brink_arena_copy(&arena, degrees, nx, sizeof *degrees);
  lanes->looked = brink_arena_take(&arena, seats, sizeof *lanes->looked);
  lanes->roots = brink_root_jobs_take(width, like->stepper.order, &arena);
  bool ready = lanes->seats != NULL && lanes->roots != NULL &&
               brink_lane_block_take(&lanes->block, width, nx, like->stepper.order, &arena);
  for (size_t k = 0; ready && k < seats; k++) {
    seat *s = &lanes->seats[k];
    s->step.x = brink_arena_take(&arena, nx, sizeof *s->step.x);
    s->step.inside = brink_arena_take(&arena, nx, sizeof *s->step.inside);
    s->step.inside_slope = brink_arena_take(&arena, nx, sizeof *s->step.inside_slope);
    s->guards.guards = brink_arena_take(&arena, nguards, sizeof *s->guards.guards);
    s->guards.valid = &s->step.attempt;
  }
  if (!ready || arena.failed) {
    brink_arena_free(&arena);
    return NULL;
  }
  lanes->arena = arena;
  return lanes;
}

void brink_lanes_destroy(brink_lanes *lanes) {
  if (lanes == NULL) return;
  for (size_t k = 0; k < lanes->nseats; k++) brink_lanes_leave(lanes, k);
  brink_arena arena = lanes->arena;
  brink_arena_free(&arena);
}

static bool same_degrees(const brink_lanes *lanes, const brink_sim *sim) {
  const int *degrees = sim->model->def.flow_degrees;
  if (degrees == NULL || lanes->degrees == NULL) return degrees == lanes->degrees;
  return memcmp(degrees, lanes->degrees, sim->eval.nx * sizeof *degrees) == 0;
}

bool brink_lanes_sit(brink_lanes *lanes, size_t place, brink_sim *sim) {
  seat *s = &lanes->seats[place];
  if (brink_lanes_refuse(sim) != NULL || sim->eval.nx != lanes->block.nx ||
      sim->model->def.nguards != lanes->nguards || !same_degrees(lanes, sim))
    return false;
  s->sim = sim;
  s->guards.path = &sim->stepper.dense;
  sim->stepper.foreseen = &s->step;
  sim->detector.foreseen = &s->guards;
  brink_foreseen_forget(&sim->stepper);
  s->step.ready = false;
  return true;
}

void brink_lanes_leave(brink_lanes *lanes, size_t place) {
  seat *s = &lanes->seats[place];
  if (s->sim == NULL) return;
  s->sim->stepper.foreseen = NULL;
  s->sim->detector.foreseen = NULL;
  s->sim = NULL;
}

/* As step (loop.c) and brink_trial_plan find it: the step that comes next, if nothing unusual does. */
static bool plan(const brink_sim *sim, double *h) {
  if (sim->phase != BRINK_PHASE_RUN || sim->next.h > 0.0 || sim->unseen || sim->eval.nheld > 0 ||
      sim->detour > 0 || sim->grazed != BRINK_NONE ||
      !brink_taylor_foresees(&sim->stepper, sim->stepper.order))
    return false;
  double t_stop = fmin(sim->limit, brink_sim_next_tick(sim));
  double most = fmin(t_stop - sim->t, fmin(sim->options.hmax, sim->detector.longest));
  *h = brink_taylor_planned(&sim->stepper, most);
  return *h >= brink_sim_smallest_step(sim) && isfinite(*h);
}

bool brink_lanes_ready(brink_sim *sim) {
  brink_foreseen *f = sim->stepper.foreseen;
  if (f == NULL) return false;
  f->ready = plan(sim, &f->planned);
  return f->ready;
}

/* The domain check of the end of the step, without any effect. */
static bool may_be_evaluated(brink_sim *sim, double t, const double *x) {
  brink_eval *eval = &sim->eval;
  if (eval->nwatch == 0 || !eval->checks_domain) return true;
  int64_t counted = eval->stats.guards;
  size_t outside_of = eval->outside_of, failed = eval->failed_guard;
  const double *centre = eval->centre;
  eval->centre = NULL; /* all of them */
  bool may = brink_eval_may(eval, t, x) && eval->failed_guard == failed;
  eval->centre = centre;
  eval->stats.guards = counted;
  eval->outside_of = outside_of;
  eval->failed_guard = failed;
  return may;
}

/* One block: so many simulations, the first of them once more where there are fewer. */
static void look_at(brink_lanes *lanes, brink_sim **sims, const double *h, size_t count) {
  brink_lane_block *block = &lanes->block;
  brink_stepper *steppers[BRINK_LANES_MOST];
  brink_detector *detectors[BRINK_LANES_MOST];
  for (size_t l = 0; l < (size_t)block->width; l++) {
    size_t from = l < count ? l : 0;
    steppers[l] = &sims[from]->stepper;
    detectors[l] = &sims[from]->detector;
    block->h[l] = h[from];
  }
  unsigned made = brink_taylor_lanes_attempt(block, steppers);
  brink_guard_lanes_look(block, detectors, made, count, lanes->roots);
  for (size_t l = 0; l < (size_t)block->width; l++) {
    brink_sim *sim = sims[l < count ? l : 0];
    if (!may_be_evaluated(sim, sim->t + block->h[l], sim->stepper.x_new)) made &= ~(1u << l);
  }
  if (made != 0) brink_taylor_lanes_commit(block, steppers, made, lanes->flow);
  for (size_t l = 0; l < count; l++) lanes->looked[lanes->nlooked++] = sims[l];
}

/* Where an event is going to be: the states there. */
static void look_inside(brink_lanes *lanes) {
  brink_stepper *steppers[BRINK_LANES_MOST];
  double sigmas[BRINK_LANES_MOST];
  size_t count = 0;
  for (size_t k = 0; k < lanes->nlooked; k++) {
    brink_sim *sim = lanes->looked[k];
    double first = sim->detector.foreseen->first;
    if (first < 1.0 && sim->stepper.foreseen->attempt) {
      sigmas[count] = first;
      steppers[count++] = &sim->stepper;
    }
    bool last = k + 1 == lanes->nlooked;
    if (count == (size_t)lanes->block.width || (last && count > 0)) {
      brink_taylor_lanes_inside(&lanes->block, steppers, sigmas, count);
      count = 0;
    }
  }
}

void brink_lanes_look(brink_lanes *lanes) {
  brink_sim *sims[BRINK_LANES_MOST];
  double h[BRINK_LANES_MOST];
  size_t count = 0, width = (size_t)lanes->block.width;
  lanes->nlooked = 0;
  for (size_t k = 0; k < lanes->nseats; k++) {
    brink_sim *sim = lanes->seats[k].sim;
    if (sim == NULL || !sim->stepper.foreseen->ready || sim->stepper.order != lanes->block.order)
      continue;
    h[count] = sim->stepper.foreseen->planned;
    sims[count++] = sim;
    if (count < width) continue;
    look_at(lanes, sims, h, count);
    count = 0;
  }
  if (count > 1) look_at(lanes, sims, h, count); /* one is faster alone */
  brink_guard_lanes_finish(lanes->roots);
  look_inside(lanes);
}
