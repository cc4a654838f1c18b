/* pack.c: a simulation in few bytes. See pack.h.
 *
 * One list of regions serves measuring, packing and unpacking, so that they cannot differ. Numbers come
 * first, so that they are where numbers may be; polynomials before all others, so that whoever looks at many
 * agents finds them at once. */
#include "sim/pack.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define ADAMS_LENGTH BRINK_PATH_LENGTH

/* Small things, in one piece, at the beginning. */
typedef struct scalars {
  double t, h_next;
  double next_h, next_end;
  size_t blocked;
  int order, detour;
  double held_from[BRINK_PACKED_HOLDS];
  uint32_t held[BRINK_PACKED_HOLDS];
  uint32_t nheld;
  bool until_left[BRINK_PACKED_HOLDS];
  uint32_t nties;
  struct {
    uint32_t guard, to;
    int sign;
  } tie[BRINK_PACKED_HOLDS];
  uint8_t phase; /* brink_phase */
} scalars;

/* pack.h reads it without knowing the rest. */
static_assert(offsetof(scalars, t) == 0, "the time comes first");

static void note_held(const brink_sim *sim, scalars *s) {
  const brink_eval *eval = &sim->eval;
  s->nheld = (uint32_t)eval->nheld;
  for (size_t k = 0; k < eval->nheld && k < BRINK_PACKED_HOLDS; k++) {
    s->held[k] = (uint32_t)eval->held[k];
    s->held_from[k] = sim->held_from[eval->held[k]];
    s->until_left[k] = eval->until_left[eval->held[k]];
  }
  s->nties = (uint32_t)eval->nties;
  for (size_t k = 0; k < eval->nties && k < BRINK_PACKED_HOLDS; k++) {
    s->tie[k].guard = (uint32_t)eval->ties[k].guard;
    s->tie[k].to = (uint32_t)eval->ties[k].to;
    s->tie[k].sign = eval->ties[k].sign;
  }
}

static void hold_again(brink_sim *sim, const scalars *s) {
  for (size_t k = 0; k < s->nheld && k < BRINK_PACKED_HOLDS; k++) {
    brink_eval_hold(&sim->eval, s->held[k], s->until_left[k]);
    sim->held_from[s->held[k]] = s->held_from[k];
  }
  for (size_t k = 0; k < s->nties && k < BRINK_PACKED_HOLDS; k++)
    brink_eval_tie(&sim->eval, (brink_tie){s->tie[k].guard, s->tie[k].to, s->tie[k].sign});
}

/* ---- regions ---- */

static void measure(brink_visitor *v, void *live, size_t size) {
  (void)live;
  v->at += size;
}

static void put(brink_visitor *v, void *live, size_t size) {
  if (size > 0) memcpy(v->packed + v->at, live, size);
  v->at += size;
}

static void get(brink_visitor *v, void *live, size_t size) {
  if (size > 0) memcpy(live, v->packed + v->at, size);
  v->at += size;
}

static void visit_clocks(brink_sim *sim, brink_visitor *v) {
  size_t n = sim->model->def.nclocks;
  if (n == 0) return;
  v->region(v, sim->schedule.tick, n * sizeof *sim->schedule.tick);
  v->region(v, sim->schedule.timer, n * sizeof *sim->schedule.timer);
  v->region(v, sim->schedule.next_time, n * sizeof *sim->schedule.next_time);
  v->region(v, sim->schedule.waiting.items, n * sizeof *sim->schedule.waiting.items);
  v->region(v, &sim->schedule.waiting.count, sizeof sim->schedule.waiting.count);
  v->region(v, sim->schedule.due.items, n * sizeof *sim->schedule.due.items);
  v->region(v, &sim->schedule.due.count, sizeof sim->schedule.due.count);
}

/* Polynomials of a method that keeps none itself. */
static void visit_plan(brink_packing *packing, brink_visitor *v) {
  brink_series_head head = {.unit = packing->unit, .degree = packing->degree};
  v->region(v, packing->c, packing->nx * packing->length * sizeof(double));
  v->region(v, &head, sizeof head);
  packing->unit = head.unit;
  packing->degree = head.degree;
}

static void visit(brink_packing *packing, brink_sim *sim, scalars *s, brink_visitor *v) {
  const brink_model_def *def = &sim->model->def;
  brink_eval *eval = &sim->eval;
  brink_stepper *st = &sim->stepper;
  v->region(v, s, sizeof *s);
  if (packing->c != NULL) visit_plan(packing, v);
  st->chosen.ops->visit(st, st->chosen.method, v);
  /* Where the next step leads, if it is known; where it begins, its polynomials begin, too. */
  packing->x_at = v->at;
  v->region(v, s->next_h > 0.0 ? st->x_new : sim->x, sim->eval.n * sizeof(double));
  packing->p_at = v->at;
  v->region(v, eval->p, def->np * sizeof(double));
  packing->slack_at = v->at;
  v->region(v, eval->slack, def->nguards * sizeof(double));
  v->region(v, sim->detector.tolerance, def->nguards * sizeof(double));
  v->region(v, sim->detector.high, def->nguards * sizeof(double));
  visit_clocks(sim, v);
  packing->mode_at = v->at;
  v->region(v, eval->mode, def->nmodes * sizeof(int));
  packing->sgn_at = v->at;
  v->region(v, eval->sgn, def->nguards);
  v->region(v, sim->instant.read_sgn, def->nguards);
  packing->pending_at = v->at;
  v->region(v, sim->instant.pending, def->nguards * sizeof(bool));
  packing->touched_at = v->at;
  v->region(v, sim->detector.touched, def->nguards * sizeof(bool));
  if (eval->audit.sides != NULL)
    v->region(v, eval->audit.sides, eval->nwatch * sizeof *eval->audit.sides);
}

/* ---- packing ---- */

brink_status brink_packing_init(brink_packing *packing, brink_sim *sim, brink_diag *diag) {
  const brink_stepper_engine *chosen = &sim->stepper.chosen;
  *packing = (brink_packing){.nx = sim->model->def.nx};
  sim->stiffness.watches = false; /* an agent is packed with one method */
  if (chosen->ops->visit == NULL)
    return brink_diag_set(
        diag, BRINK_ERR_UNSUPPORTED,
        "agents with clocks of their own need a method that hands out polynomials: "
        "taylor, adams or bdf, not %s",
        brink_method_name(sim->options.method));
  if (chosen->ops->series != NULL) {
    double *unit;
    int *degree;
    chosen->ops->series(chosen->method, &packing->length, &unit, &degree);
    /* What takes the place of series for a while must find room in theirs. */
    int most = (int)packing->length - 2;
    if (sim->options.max_order > most) sim->options.max_order = most > 1 ? most : 1;
  } else {
    packing->length = ADAMS_LENGTH;
    packing->c = brink_arena_take(&sim->arena, packing->nx * packing->length, sizeof(double));
    if (packing->c == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  }
  scalars s = {0};
  brink_visitor v = {.region = measure};
  visit(packing, sim, &s, &v);
  packing->size = (v.at + 7) / 8 * 8;
  packing->c_at = sizeof s;
  packing->head_at = packing->c_at + packing->nx * packing->length * sizeof(double);
  packing->coasts = packing->c == NULL && sim->eval.audit.sides == NULL && brink_coast_suits(sim);
  return BRINK_OK;
}

static scalars scalars_of(const brink_sim *sim) {
  const brink_stepper *st = &sim->stepper;
  scalars s = {.t = sim->t,
               .h_next = st->h_next,
               .next_h = sim->next.h,
               .next_end = sim->next.end,
               .blocked = sim->blocked,
               .order = st->order,
               .detour = sim->detour,
               .phase = (uint8_t)sim->phase};
  if (sim->phase == BRINK_PHASE_RUN && st->ops != st->chosen.ops) s.phase = BRINK_PHASE_RESTART;
  note_held(sim, &s);
  return s;
}

void brink_pack(brink_packing *packing, brink_sim *sim, void *to) {
  brink_sim_give_up_step(sim);
  scalars s = scalars_of(sim);
  brink_visitor v = {.region = put, .packed = to};
  visit(packing, sim, &s, &v);
}

static void begin_at_plan(brink_packing *packing, brink_sim *sim) {
  const brink_stepper_engine *chosen = &sim->stepper.chosen;
  size_t length = packing->length;
  double *unit;
  int *degree;
  const double *c = packing->c != NULL
                        ? packing->c
                        : chosen->ops->series(chosen->method, &length, &unit, &degree);
  for (size_t i = 0; i < packing->nx; i++) sim->x[i] = c[i * length];
}

/* The simulation is what the scalars and the visitor's regions say, and remembers nothing else. */
static void become(brink_packing *packing, brink_sim *sim, scalars *s, brink_visitor *v) {
  brink_stepper *st = &sim->stepper;
  brink_eval *eval = &sim->eval;
  while (eval->nheld > 0) brink_eval_let_go(eval, eval->held[eval->nheld - 1]);
  st->ops = st->chosen.ops;
  st->method = st->chosen.method;
  if (v->region != measure) {
    visit(packing, sim, s, v);
    if (s->next_h > 0.0) begin_at_plan(packing, sim);
  } else {
    st->ops->visit(st, st->method, v); /* nothing moves */
  }
  hold_again(sim, s);
  brink_timers_reset(sim);
  sim->t = st->t = s->t;
  st->h_next = s->h_next;
  sim->next.h = s->next_h;
  sim->next.end = s->next_end;
  st->order = s->order;
  st->f_ready = false;
  sim->blocked = s->blocked;
  sim->detour = s->detour;
  sim->phase = s->phase == BRINK_PHASE_COAST ? BRINK_PHASE_RESTART : (brink_phase)s->phase;
  sim->instant.nlocated = sim->nevents = sim->instant.count = sim->instant.narrivals = 0;
  sim->zeno.count = sim->stuck = 0;
  sim->instant.t = (double)NAN;
  sim->led = false;
  sim->last.terms = 0;
  sim->grazed = BRINK_NONE;
  eval->centre = NULL;
  eval->failed_guard = BRINK_NONE;
  brink_eval_update_enabled(eval);
  sim->unseen = sim->takes_turns = true;
}

void brink_unpack(brink_packing *packing, brink_sim *sim, const void *from) {
  scalars s;
  brink_visitor v = {.region = get, .packed = (char *)from};
  become(packing, sim, &s, &v);
}

void brink_packing_settle(brink_packing *packing, brink_sim *sim) {
  brink_sim_give_up_step(sim);
  scalars s = scalars_of(sim);
  brink_visitor v = {.region = measure};
  become(packing, sim, &s, &v);
}

/* ---- to bytes and back ---- */

static void archive_holds(scalars *s, size_t guards, brink_archive *a) {
  uint32_t *const counts[] = {&s->nheld, &s->nties};
  for (int k = 0; k < 2; k++) {
    brink_archive_u32(a, counts[k]);
    if (!brink_archive_check(a, *counts[k] <= BRINK_PACKED_HOLDS)) *counts[k] = 0;
  }
  for (size_t k = 0; k < s->nheld; k++) {
    brink_archive_u32(a, &s->held[k]);
    brink_archive_double(a, &s->held_from[k]);
    brink_archive_bool(a, &s->until_left[k]);
    brink_archive_check(a, s->held[k] < guards);
  }
  for (size_t k = 0; k < s->nties; k++) {
    brink_archive_u32(a, &s->tie[k].guard);
    brink_archive_u32(a, &s->tie[k].to);
    brink_archive_int(a, &s->tie[k].sign, -1, 1);
    brink_archive_check(a, s->tie[k].guard < guards && s->tie[k].to < guards);
  }
}

static void archive_scalars(scalars *s, size_t guards, brink_archive *a) {
  double *const numbers[] = {&s->t, &s->h_next, &s->next_h, &s->next_end};
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
    brink_archive_double(a, numbers[k]);
  brink_archive_index(a, &s->blocked, guards);
  brink_archive_int(a, &s->order, 0, BRINK_PATH_DEGREE);
  brink_archive_int(a, &s->detour, 0, INT32_MAX);
  archive_holds(s, guards, a);
  s->phase = (uint8_t)brink_archive_enum(a, s->phase, BRINK_PHASE_BEGIN, BRINK_PHASE_COAST);
}

static void archive_guards(brink_sim *sim, brink_archive *a) {
  brink_eval *eval = &sim->eval;
  size_t guards = sim->model->def.nguards;
  brink_archive_doubles(a, eval->slack, guards);
  brink_archive_doubles(a, sim->detector.tolerance, guards);
  brink_archive_doubles(a, sim->detector.high, guards);
  brink_archive_signs(a, eval->sgn, guards);
  brink_archive_signs(a, sim->instant.read_sgn, guards);
  brink_archive_bools(a, sim->instant.pending, guards);
  brink_archive_bools(a, sim->detector.touched, guards);
  for (size_t k = 0; eval->audit.sides != NULL && k < eval->nwatch; k++)
    brink_audit_archive(&eval->audit.sides[k], a);
}

static void archive_method(brink_packing *packing, brink_sim *sim, const scalars *s,
                           brink_archive *a) {
  brink_stepper *st = &sim->stepper;
  st->ops = st->chosen.ops;
  st->method = st->chosen.method;
  st->order = s->order;
  if (packing->c != NULL) {
    brink_archive_doubles(a, packing->c, packing->nx * packing->length);
    brink_archive_double(a, &packing->unit);
    brink_archive_int(a, &packing->degree, 0, (int)packing->length - 1);
  }
  st->ops->archive(st, st->method, s->phase == BRINK_PHASE_RUN, a);
  brink_archive_doubles(a, st->f, st->n);
}

void brink_packing_archive(brink_packing *packing, brink_sim *sim, void *packed, brink_archive *a) {
  const brink_model_def *def = &sim->model->def;
  brink_stats kept = sim->eval.stats;
  scalars s = {0};
  if (!a->reads) {
    brink_unpack(packing, sim, packed);
    memcpy(&s, packed, sizeof s);
  }
  archive_scalars(&s, def->nguards, a);
  archive_method(packing, sim, &s, a);
  brink_archive_doubles(a, s.next_h > 0.0 ? sim->stepper.x_new : sim->x, sim->eval.n);
  brink_archive_doubles(a, sim->eval.p, def->np);
  brink_archive_ints(a, sim->eval.mode, def->nmodes);
  archive_guards(sim, a);
  if (def->nclocks > 0) brink_schedule_archive(sim, s.t, a);
  if (a->reads && !a->failed) {
    brink_visitor v = {.region = put, .packed = packed};
    visit(packing, sim, &s, &v);
  }
  sim->eval.stats = kept;
}

/* ---- plans ---- */

void brink_packing_follow(brink_packing *packing, brink_sim *sim, const brink_path *path) {
  brink_stepper *st = &sim->stepper;
  double *c = packing->c, *unit = &packing->unit;
  int *degree = &packing->degree;
  if (c == NULL) {
    if (st->ops == st->chosen.ops && !brink_sim_restarts(sim)) return; /* the series are the path */
    c = st->chosen.ops->series(st->chosen.method, &packing->length, &unit, &degree);
  }
  memset(c, 0, packing->nx * packing->length * sizeof *c);
  *unit = path != NULL ? path->h : 1.0;
  *degree = path != NULL ? path->degree : 0;
  if (path != NULL) brink_path_components(path, packing->nx, c, packing->length);
  for (size_t i = 0; path == NULL && i < packing->nx; i++) c[i * packing->length] = sim->x[i];
}

bool brink_packed_coasts(const void *packed) {
  return ((const scalars *)packed)->phase == BRINK_PHASE_COAST;
}

bool brink_packed_is_plain(const brink_packing *packing, const void *packed,
                           brink_packed_signs *signs) {
  const scalars *s = packed;
  const char *at = packed;
  *signs = (brink_packed_signs){.sgn = (const signed char *)at + packing->sgn_at,
                                .slack = (const double *)(const void *)(at + packing->slack_at),
                                .touched = (const bool *)(const void *)(at + packing->touched_at),
                                .pending = (const bool *)(const void *)(at + packing->pending_at)};
  return s->phase != BRINK_PHASE_BEGIN && s->nheld == 0 && s->nties == 0 && s->detour == 0 &&
         s->blocked == BRINK_NONE;
}

void brink_packed_coast(const brink_packing *packing, const brink_sim *sim, void *packed, double t,
                        const double *c, size_t width, int degree) {
  scalars *s = packed;
  char *bytes = packed;
  double *rows = (double *)(void *)(bytes + packing->c_at);
  brink_series_head head;
  s->t = t;
  s->next_h = s->next_end = 0.0;
  s->phase = BRINK_PHASE_COAST;
  for (size_t i = 0; i < packing->nx; i++) {
    for (int k = 0; k <= degree; k++)
      rows[i * packing->length + (size_t)k] = c[i * width + (size_t)k];
  }
  memcpy(&head, bytes + packing->head_at, sizeof head);
  head.unit = 1.0;
  head.degree = degree;
  memcpy(bytes + packing->head_at, &head, sizeof head);
  memcpy(bytes + packing->x_at, sim->x, packing->nx * sizeof(double));
  if (packing->slack_at > packing->p_at)
    memcpy(bytes + packing->p_at, sim->eval.p, packing->slack_at - packing->p_at);
  if (packing->sgn_at > packing->mode_at)
    memcpy(bytes + packing->mode_at, sim->eval.mode, packing->sgn_at - packing->mode_at);
}
