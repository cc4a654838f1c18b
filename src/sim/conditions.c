/* conditions.c: the condition of every event of a run (see conditions.h).
 *
 * Fields  f- is evaluated at the state where the instant begins, with what was locked then; f+ at the state
 *         where it ends, after all actions and rules. So "the other side of the surface" (García 2004) is
 *         whatever the event leads to: another sign, another mode, another state.
 * Sizes   The size of a state is its largest absolute value so far, and no less than atol/rtol, below which
 *         the run does not resolve it.
 * Tangency  A crossing that is not deeper, or an approach that is not farther, than the error that the run
 *         may have made in the guard, cannot be distinguished from a touch: infinite. */
#include "sim/conditions.h"

#include <math.h>
#include <string.h>

#include "event/closest.h"
#include "event/influence.h"

#define MOST_ROOM 4e6      /* numbers kept for approaches of all guards together */
#define MOST_APPROACHES 64 /* kept for one event */

/* What is known about a guard since its last event. */
typedef struct course_so_far {
  bool seen;
  int sign;
  double t, y;    /* at the end of the last step, */
  double arrives; /* with this slope in time */
  double peak;    /* the largest y since the last approach */
  brink_closest_approach *approaches;
  double *x; /* the states at them */
  size_t count, capacity, omitted;
} course_so_far;

/* A located event, while its instant goes on. */
typedef struct arrival {
  size_t guard;
  brink_event_kind kind;
  double rate, error, depth;
  double *gradient; /* dense */
} arrival;

struct brink_conditions {
  brink_observer observer; /* first: the object is found by it */
  brink_arena arena;
  brink_conditions_def def;
  brink_sim *sim;
  brink_along_space space;
  brink_influence influence;
  size_t nx, nguards, most;   /* approaches of one guard */
  double *size;               /* of each state, so far, … */
  double *size_there;         /* … and up to some place in a step */
  double *x;                  /* a state on the way */
  double *f_before, *f_after; /* with room for appended states */
  double *gradient, rate;     /* dense: of the last guard that was asked */
  bool has_before;
  arrival *arrivals;
  size_t narrivals, arrivals_capacity;
  course_so_far *courses;
  size_t events; /* reported so far */
  bool failed;
};

/* ---- looking without leaving traces ---- */

typedef struct traces {
  brink_stats stats;
  size_t outside_of, bad_state, failed_guard;
} traces;

static traces remember(const brink_sim *sim) {
  const brink_eval *eval = &sim->eval;
  return (traces){eval->stats, eval->outside_of, eval->bad_state, eval->failed_guard};
}

static void forget(brink_sim *sim, const traces *t) {
  brink_eval *eval = &sim->eval;
  int64_t past = eval->stats.rhs_past_guard; /* what was evaluated was evaluated */
  eval->stats = t->stats;
  eval->stats.rhs_past_guard = past;
  eval->outside_of = t->outside_of;
  eval->bad_state = t->bad_state;
  eval->failed_guard = t->failed_guard;
}

static bool is_watched(const brink_conditions *c, size_t guard) {
  const brink_guard *g = &c->sim->model->guards[guard];
  return g->def.side != BRINK_LEAF && !g->lets_go;
}

/* The gradient of a guard (of a formula: of the leaf that decides it) into c->gradient and c->rate. */
static bool take_gradient(brink_conditions *c, size_t guard, double t, const double *x) {
  brink_eval *eval = &c->sim->eval;
  int polarity;
  size_t leaf = brink_eval_deciding_leaf(eval, guard, t, x, &polarity);
  const brink_guard_def *def = &eval->model->guards[leaf].def;
  memset(c->gradient, 0, c->nx * sizeof *c->gradient);
  if (brink_eval_gradient(eval, leaf, t, x, eval->gradient, &c->rate) != BRINK_TRY_OK) return false;
  c->rate *= polarity;
  for (size_t k = 0; k < def->ndepends; k++)
    c->gradient[def->depends[k]] += polarity * eval->gradient[k];
  return true;
}

/* How far off the run may be in this guard. */
static double error_of(brink_conditions *c, size_t guard, double t, const double *x) {
  return BRINK_CONDITION_ERRORS *
         brink_eval_tolerance(&c->sim->eval, guard, t, x, c->sim->options.rtol, c->sim->atol);
}

/* ---- sizes ---- */

static void note_size(brink_conditions *c, const double *x) {
  for (size_t i = 0; i < c->nx; i++) c->size[i] = fmax(c->size[i], fabs(x[i]));
}

static void first_sizes(brink_conditions *c) {
  const brink_sim *sim = c->sim;
  double rtol = sim->options.rtol;
  for (size_t i = 0; i < c->nx; i++) {
    c->size[i] = rtol > 0.0 ? sim->atol[i] / rtol : sim->atol[i];
    if (!(c->size[i] > 0.0)) c->size[i] = 1e-300;
  }
  note_size(c, sim->x);
}

/* The largest |x_i| between two places of a path, into size[i] if it is larger: at the ends, and where its
 * polynomial has an extremum. */
static void note_extent(brink_conditions *c, const brink_path *path, double from, double to,
                        double *size) {
  double p[BRINK_PATH_DEGREE + 1], slope[BRINK_PATH_DEGREE + 1];
  brink_root roots[BRINK_ALONG_ROOTS];
  int degree = path->degree;
  for (size_t i = 0; i < c->nx; i++) {
    if (!(fabs(path->x0[i]) + brink_path_spread(path, i) > size[i])) continue;
    brink_path_component(path, i, p);
    size[i] = fmax(size[i], fabs(brink_poly_eval(p, degree, from)));
    size[i] = fmax(size[i], fabs(brink_poly_eval(p, degree, to)));
    if (degree < 2) continue;
    brink_poly_derivative(p, degree, slope);
    int count = brink_poly_roots(slope, degree - 1, from, to, roots, BRINK_ALONG_ROOTS);
    for (int k = 0; k < count; k++)
      size[i] = fmax(size[i], fabs(brink_poly_eval(p, degree, roots[k].s)));
  }
}

/* ---- closest approaches ---- */

static void drop(course_so_far *so_far) {
  so_far->count = so_far->omitted = 0;
  so_far->seen = false;
}

static bool grow(brink_conditions *c, course_so_far *so_far) {
  size_t capacity = so_far->capacity == 0 ? 4 : 2 * so_far->capacity;
  if (capacity > c->most) capacity = c->most;
  brink_closest_approach *approaches = brink_arena_take(&c->arena, capacity, sizeof *approaches);
  double *x = brink_arena_take(&c->arena, capacity * c->nx, sizeof *x);
  if (approaches == NULL || x == NULL) {
    c->failed = true;
    return false;
  }
  if (so_far->count > 0) {
    memcpy(approaches, so_far->approaches, so_far->count * sizeof *approaches);
    memcpy(x, so_far->x, so_far->count * c->nx * sizeof *x);
  }
  so_far->approaches = approaches;
  so_far->x = x;
  so_far->capacity = capacity;
  return true;
}

/* Where the next approach goes; with all places taken, that of the farthest, if it is farther. */
static size_t place_for(brink_conditions *c, course_so_far *so_far, double relative) {
  if (so_far->count < so_far->capacity || (so_far->capacity < c->most && grow(c, so_far)))
    return so_far->count++;
  size_t farthest = BRINK_NONE;
  so_far->omitted++;
  for (size_t k = 0; k < so_far->count; k++) {
    if (so_far->approaches[k].relative > relative &&
        (farthest == BRINK_NONE ||
         so_far->approaches[k].relative > so_far->approaches[farthest].relative))
      farthest = k;
  }
  if (farthest == BRINK_NONE) return BRINK_NONE;
  /* In order of time: those after it move up. */
  size_t behind = so_far->count - farthest - 1;
  memmove(so_far->approaches + farthest, so_far->approaches + farthest + 1,
          behind * sizeof *so_far->approaches);
  memmove(so_far->x + farthest * c->nx, so_far->x + (farthest + 1) * c->nx,
          behind * c->nx * sizeof(double));
  return so_far->count - 1;
}

/* c->x and c->size_there hold the state there, and the sizes until then. */
static void add_approach(brink_conditions *c, size_t guard, double t, double value) {
  course_so_far *so_far = &c->courses[guard];
  if (!take_gradient(c, guard, t, c->x)) return;
  double error = error_of(c, guard, t, c->x);
  brink_slant plain = {.n = c->nx, .f = NULL, .g = c->gradient, .rate = c->rate};
  brink_slant scaled = plain;
  scaled.size = c->size_there;
  brink_closest_approach approach = {.t = t,
                                     .value = value,
                                     .distance = brink_surface_distance(&plain, value),
                                     .relative = brink_surface_distance(&scaled, value),
                                     .certainty =
                                         error > 0.0 ? fabs(value) / error : (double)INFINITY};
  approach.state = brink_cheapest_state(&scaled, value, &approach.change);
  size_t place = place_for(c, so_far, approach.relative);
  if (place == BRINK_NONE) return;
  so_far->approaches[place] = approach;
  memcpy(so_far->x + place * c->nx, c->x, c->nx * sizeof(double));
}

/* The last approach was none, if the guard has not gone up again since by more than it can be off. */
static void forget_unless_risen(course_so_far *so_far, double band) {
  if (so_far->count == 0) return;
  double last = fabs(so_far->approaches[so_far->count - 1].value);
  if (!(so_far->peak > last + band)) so_far->count--;
}

/* A minimum counts if the guard came down to it by more than it can be off. */
static void consider(brink_conditions *c, size_t guard, const brink_path *path, double from,
                     brink_dip dip, double peak) {
  course_so_far *so_far = &c->courses[guard];
  double t = path->t0 + dip.sigma * path->h;
  so_far->peak = fmax(so_far->peak, peak);
  brink_path_eval(path, dip.sigma, c->x);
  double band = fmax(error_of(c, guard, t, c->x), brink_sim_zero_band(c->sim, guard, t, c->x));
  if (!(so_far->peak > fabs(dip.value) + band)) return;
  forget_unless_risen(so_far, band);
  memcpy(c->size_there, c->size, c->nx * sizeof(double));
  if (dip.sigma > from) note_extent(c, path, from, dip.sigma, c->size_there);
  add_approach(c, guard, t, dip.value);
  so_far->peak = fabs(dip.value);
}

/* The end of the last step and the beginning of this one may be an approach together. */
static bool turned_at_seam(const course_so_far *so_far, const brink_course *course, double t0,
                           double band) {
  return so_far->seen && so_far->t == t0 && so_far->arrives < 0.0 && course->leaves >= 0.0 &&
         course->first > 0.0 && fabs(course->first - so_far->y) <= band;
}

static void follow(brink_conditions *c, size_t guard, const brink_path *path, double t0,
                   double from, double to) {
  brink_sim *sim = c->sim;
  course_so_far *so_far = &c->courses[guard];
  int sign = sim->eval.sgn[guard];
  brink_course course;
  if (!brink_detector_active(&sim->detector, guard) ||
      !brink_detector_wants(&sim->detector, guard, brink_leaving(sign)) ||
      !brink_closest_course(&c->space, guard, path, from, to, sign, &course)) {
    so_far->seen = false;
    return;
  }
  if (!so_far->seen || so_far->sign != sign) so_far->peak = 0.0;
  double band = 8.0 * brink_sim_zero_band(sim, guard, t0, path->x0);
  if (so_far->sign == sign && turned_at_seam(so_far, &course, t0, band))
    consider(c, guard, path, from, (brink_dip){.sigma = from, .value = sign * course.first}, 0.0);
  for (int k = 0; k < course.count; k++)
    consider(c, guard, path, from, course.dip[k], course.peak[k]);
  so_far->peak = fmax(so_far->peak, course.last_peak);
  so_far->seen = true;
  so_far->sign = sign;
  so_far->t = sim->t;
  so_far->y = course.last;
  so_far->arrives = course.arrives;
}

static void on_moved(brink_observer *self, brink_sim *sim, double t0) {
  brink_conditions *c = (brink_conditions *)self;
  const brink_path *path = &sim->last;
  if (path->terms == 0 || !(path->h > 0.0) || !(sim->t > t0)) return;
  double from = fmax((t0 - path->t0) / path->h, 0.0);
  double to = fmin((sim->t - path->t0) / path->h, 1.0);
  if (!(from < to)) return;
  traces before = remember(sim);
  for (size_t k = 0; k < c->nguards; k++) {
    if (is_watched(c, k)) follow(c, k, path, t0, from, to);
  }
  note_extent(c, path, from, to, c->size);
  forget(sim, &before);
}

/* ---- an instant ---- */

static arrival *new_arrival(brink_conditions *c) {
  if (c->narrivals == c->arrivals_capacity) {
    size_t capacity = c->arrivals_capacity == 0 ? 4 : 2 * c->arrivals_capacity;
    arrival *larger = brink_arena_take(&c->arena, capacity, sizeof *larger);
    double *gradients =
        brink_arena_take(&c->arena, (capacity - c->narrivals) * c->nx, sizeof *gradients);
    if (larger == NULL || gradients == NULL) return NULL;
    if (c->narrivals > 0) memcpy(larger, c->arrivals, c->narrivals * sizeof *larger);
    for (size_t k = c->narrivals; k < capacity; k++, gradients += c->nx)
      larger[k].gradient = gradients;
    c->arrivals = larger;
    c->arrivals_capacity = capacity;
  }
  return &c->arrivals[c->narrivals++];
}

/* How far past zero it would go; the path leads here, unless nothing has moved. */
static double depth_of(brink_conditions *c, const brink_located *ev) {
  brink_sim *sim = c->sim;
  double at;
  if (ev->kind == BRINK_TOUCHED) return 0.0;
  if (sim->last.terms == 0 || sim->last_end != sim->t || !(sim->last.h > 0.0)) return NAN;
  double sigma = fmin((sim->t - sim->last.t0) / sim->last.h, 1.0);
  return brink_closest_depth(&c->space, ev->guard, &sim->last, sigma, &at);
}

static void note_located(brink_conditions *c, const brink_located *ev) {
  brink_sim *sim = c->sim;
  if (ev->kind == BRINK_JUMPED || !is_watched(c, ev->guard) ||
      !take_gradient(c, ev->guard, sim->t, sim->x))
    return;
  arrival *a = new_arrival(c);
  if (a == NULL) {
    c->failed = true;
    return;
  }
  a->guard = ev->guard;
  a->kind = ev->kind;
  a->rate = c->rate;
  memcpy(a->gradient, c->gradient, c->nx * sizeof(double));
  a->error = error_of(c, ev->guard, sim->t, sim->x);
  a->depth = depth_of(c, ev);
}

static void on_begins(brink_observer *self, brink_sim *sim) {
  brink_conditions *c = (brink_conditions *)self;
  c->narrivals = 0;
  note_size(c, sim->x);
  if (sim->instant.nlocated == 0) return;
  traces before = remember(sim);
  c->has_before = brink_eval_rhs(&sim->eval, sim->t, sim->x, c->f_before) == BRINK_TRY_OK;
  for (size_t k = 0; k < sim->instant.nlocated; k++) note_located(c, &sim->instant.located[k]);
  forget(sim, &before);
}

static const arrival *arrival_of(const brink_conditions *c, const brink_event *event) {
  if (event->iteration > 0 || event->kind == BRINK_JUMPED) return NULL;
  for (size_t k = 0; k < c->narrivals; k++) {
    if (c->arrivals[k].guard == event->guard) return &c->arrivals[k];
  }
  return NULL;
}

/* What the field after the event adds: nothing where it stays on the surface on purpose (a tank that is
 * empty now), unless it is the field that came. */
static double factor_after(const brink_slant *after, bool same) {
  return !same && brink_slant_rate(after) == 0.0 ? 1.0 : brink_slant_factor(after);
}

static void measure_angles(brink_conditions *c, const arrival *a, bool has_after,
                           brink_condition *cond) {
  brink_sim *sim = c->sim;
  brink_slant before = {.n = c->nx, .f = c->f_before, .g = a->gradient, .rate = a->rate};
  brink_slant after = before;
  after.f = c->f_after;
  if (cond->resets && has_after && take_gradient(c, a->guard, sim->t, sim->x)) {
    after.g = c->gradient;
    after.rate = c->rate;
  }
  bool same =
      !cond->resets && has_after && memcmp(c->f_before, c->f_after, c->nx * sizeof(double)) == 0;
  bool touches = !(a->depth > a->error); /* NaN: not known */
  if (isnan(a->depth)) touches = false;
  double factor = touches ? (double)INFINITY : brink_slant_factor(&before);
  cond->transversality = has_after ? factor * factor_after(&after, same) : (double)NAN;
  cond->delay = touches ? (double)INFINITY : brink_slant_delay(&before);
  cond->jump = has_after && !cond->resets ? brink_jump_norm(&before, c->f_after) : (double)NAN;
  if (touches && has_after && !cond->resets && !same) cond->jump = INFINITY;
  before.size = after.size = c->size;
  before.part = brink_influence_of(&c->influence, before.g);
  cond->angle_before = touches ? (double)INFINITY : brink_slant_factor(&before);
  after.part = brink_influence_of(&c->influence, after.g); /* in the same place */
  cond->angle_after = has_after ? factor_after(&after, same) : (double)NAN;
  cond->scaled = cond->angle_before * cond->angle_after;
  cond->depth = a->depth;
  if (!isnan(a->depth)) {
    cond->state = brink_cheapest_state(&before, a->depth, &cond->change);
    if (cond->state != BRINK_NONE) cond->vanish = cond->change / c->size[cond->state];
  }
}

/* The factors of the approaches before an event at x, or before the end. */
static double weigh_approaches(brink_conditions *c, course_so_far *so_far, const double *x) {
  double product = 1.0;
  for (size_t k = 0; k < so_far->count; k++) {
    brink_closest_approach *a = &so_far->approaches[k];
    double far =
        x != NULL ? c->def.step * brink_distance(c->nx, so_far->x + k * c->nx, x, NULL) : 1.0;
    double near = x != NULL ? fabs(a->value) : a->distance;
    a->factor = a->certainty <= 1.0 ? (double)INFINITY : far / near;
    product *= a->factor;
  }
  return product;
}

static double closest_of(const course_so_far *so_far) {
  double least = INFINITY;
  for (size_t k = 0; k < so_far->count; k++) {
    const brink_closest_approach *a = &so_far->approaches[k];
    least = fmin(least, a->certainty <= 1.0 ? 0.0 : a->relative);
  }
  return least;
}

static void judge(brink_conditions *c, course_so_far *so_far, brink_condition *cond) {
  double closest = closest_of(so_far);
  cond->approaches = so_far->approaches;
  cond->napproaches = so_far->count;
  cond->nomitted = so_far->omitted;
  if (so_far->count > 0) cond->scaled = fmax(cond->scaled, 1.0 / closest);
  if (cond->posed != BRINK_UNJUDGED) return;
  brink_evidence evidence = {.angle = cond->angle_before,
                             .vanish = cond->vanish,
                             .appear = so_far->count > 0 ? closest : (double)NAN,
                             .accuracy = c->sim->options.rtol};
  cond->posed = brink_judge(&evidence);
}

static brink_condition blank(size_t guard) {
  return (brink_condition){.guard = guard,
                           .index = BRINK_NONE,
                           .transversality = NAN,
                           .published = NAN,
                           .scaled = NAN,
                           .angle_before = NAN,
                           .angle_after = NAN,
                           .delay = NAN,
                           .jump = NAN,
                           .depth = NAN,
                           .vanish = NAN,
                           .state = BRINK_NONE,
                           .change = NAN,
                           .posed = BRINK_UNJUDGED};
}

static void report_event(brink_conditions *c, const brink_event *event, bool has_after) {
  brink_sim *sim = c->sim;
  course_so_far *so_far = &c->courses[event->guard];
  const arrival *a = arrival_of(c, event);
  brink_condition cond = blank(event->guard);
  cond.event = event;
  cond.index = c->events++;
  cond.resets = memcmp(sim->instant.pre_x, sim->x, c->nx * sizeof(double)) != 0;
  if (a == NULL) {
    bool timer = sim->model->guards[event->guard].def.is_timer;
    cond.posed = timer || event->kind == BRINK_JUMPED || event->iteration > 0 ? BRINK_CAUSED
                                                                              : BRINK_UNJUDGED;
  } else if (sim->eval.is_held[event->guard]) {
    cond.posed = BRINK_SLID;
  } else if (c->has_before) {
    forget_unless_risen(so_far, a->error);
    measure_angles(c, a, has_after, &cond);
    cond.published = cond.transversality * weigh_approaches(c, so_far, sim->instant.pre_x);
  }
  judge(c, so_far, &cond);
  if (c->def.report != NULL) c->def.report(&cond, c->def.user);
  drop(so_far);
}

static void on_ends(brink_observer *self, brink_sim *sim) {
  brink_conditions *c = (brink_conditions *)self;
  note_size(c, sim->x);
  if (sim->instant.count == 0) return;
  traces before = remember(sim);
  /* Where an action put the state before it ended the run, nothing need be defined. */
  bool has_after = !(sim->instant.ended && sim->instant.changed) &&
                   brink_eval_rhs(&sim->eval, sim->t, sim->x, c->f_after) == BRINK_TRY_OK;
  for (size_t k = 0; k < sim->nevents; k++) {
    if (sim->events[k].kind == BRINK_HELD)
      c->events++; /* it belongs to the event that led there */
    else
      report_event(c, &sim->events[k], has_after);
  }
  c->events += sim->instant.count - sim->nevents; /* more than the list has room for */
  forget(sim, &before);
}

/* ---- the object ---- */

static bool take_memory(brink_conditions *c) {
  brink_arena *arena = &c->arena;
  size_t n = c->sim->eval.n;
  c->size = brink_arena_take(arena, c->nx, sizeof(double));
  c->size_there = brink_arena_take(arena, c->nx, sizeof(double));
  c->x = brink_arena_take(arena, n, sizeof(double));
  c->f_before = brink_arena_take(arena, n, sizeof(double));
  c->f_after = brink_arena_take(arena, n, sizeof(double));
  c->gradient = brink_arena_take(arena, c->nx, sizeof(double));
  c->courses = brink_arena_take(arena, c->nguards, sizeof *c->courses);
  return !arena->failed && brink_influence_init(&c->influence, c->sim->model, arena) &&
         brink_along_init(&c->space, &c->sim->eval, arena);
}

brink_status brink_conditions_create(brink_sim *sim, const brink_conditions_def *def,
                                     const brink_allocator *allocator, brink_diag *diag,
                                     brink_conditions **conditions) {
  brink_diag_clear(diag);
  *conditions = NULL;
  if (sim == NULL || def == NULL || !(def->step >= 0.0) || isinf(def->step))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "conditions need a sim, and a step that is zero or positive");
  if (sim->model->def.nz > 0)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                          "the condition of events is not worked out for models with constraints");
  if (sim->model->def.delays != NULL)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                          "the condition of events is not worked out for models with delays");
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_conditions *c = brink_arena_take(&arena, 1, sizeof *c);
  if (c == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  c->arena = arena;
  c->def = *def;
  if (c->def.step == 0.0) c->def.step = BRINK_CONDITION_STEP;
  c->sim = sim;
  c->nx = sim->model->def.nx;
  c->nguards = sim->model->def.nguards;
  double room = MOST_ROOM / ((double)(c->nx + 1) * (double)(c->nguards + 1));
  c->most = (size_t)fmin(fmax(room, 2.0), MOST_APPROACHES);
  if (!take_memory(c)) {
    brink_conditions_destroy(c);
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  }
  first_sizes(c);
  c->observer = (brink_observer){
      .moved = def->approaches ? on_moved : NULL, .begins = on_begins, .ends = on_ends};
  brink_sim_watch(sim, &c->observer);
  *conditions = c;
  return BRINK_OK;
}

void brink_conditions_destroy(brink_conditions *c) {
  if (c == NULL) return;
  brink_sim_unwatch(c->sim, &c->observer);
  brink_arena arena = c->arena;
  brink_arena_free(&arena);
}

/* ---- to bytes and back ---- */

static void archive_approach(brink_conditions *c, course_so_far *so_far, size_t k,
                             brink_archive *a) {
  brink_closest_approach *approach = &so_far->approaches[k];
  double *const numbers[] = {&approach->t,         &approach->value,     &approach->distance,
                             &approach->relative,  &approach->factor,    &approach->change,
                             &approach->certainty, &so_far->x[k * c->nx]};
  size_t single = sizeof numbers / sizeof numbers[0] - 1;
  for (size_t j = 0; j < single; j++) brink_archive_double(a, numbers[j]);
  brink_archive_doubles(a, numbers[single], c->nx);
  brink_archive_index(a, &approach->state, c->nx);
}

static void archive_course(brink_conditions *c, course_so_far *so_far, brink_archive *a) {
  size_t count = so_far->count;
  brink_archive_bool(a, &so_far->seen);
  brink_archive_int(a, &so_far->sign, -1, 1);
  brink_archive_double(a, &so_far->t);
  brink_archive_double(a, &so_far->y);
  brink_archive_double(a, &so_far->arrives);
  brink_archive_double(a, &so_far->peak);
  brink_archive_count(a, &so_far->omitted, SIZE_MAX / 4);
  brink_archive_count(a, &count, c->most);
  if (!brink_archive_holds(a, a->reads ? count : 0, sizeof(double))) return;
  while (a->reads && so_far->capacity < count) {
    if (!grow(c, so_far)) {
      brink_archive_no_memory(a);
      return;
    }
  }
  for (size_t k = 0; k < count; k++) archive_approach(c, so_far, k, a);
  so_far->count = a->failed && a->reads ? 0 : count;
}

/* Arrivals are of one instant, which is over. */
void brink_conditions_archive(brink_conditions *c, brink_archive *a) {
  brink_archive_mark(a, "worth");
  brink_archive_doubles(a, c->size, c->nx);
  brink_archive_count(a, &c->events, SIZE_MAX / 4);
  brink_archive_bool(a, &c->has_before);
  brink_archive_bool(a, &c->failed);
  for (size_t k = 0; k < c->nguards && !a->failed; k++) archive_course(c, &c->courses[k], a);
}

bool brink_conditions_finish(brink_conditions *c) {
  if (c == NULL) return true;
  for (size_t k = 0; k < c->nguards; k++) {
    course_so_far *so_far = &c->courses[k];
    if (so_far->count == 0) continue;
    brink_condition cond = blank(k);
    cond.published = weigh_approaches(c, so_far, NULL);
    judge(c, so_far, &cond);
    if (c->def.report != NULL) c->def.report(&cond, c->def.user);
    drop(so_far);
  }
  return !c->failed;
}
