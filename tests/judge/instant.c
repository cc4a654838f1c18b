/* instant.c: what happens at one instant: events, then samples, then rules, until nothing changes. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "judge/world.h"

enum { ROUNDS = 100 };

/* ---- actions ---- */

typedef struct writes {
  judge_cell *cell[JUDGE_LIMIT];
  double value[JUDGE_LIMIT];
  size_t count;
  judge_ending ending; /* JUDGE_FINISHED: none */
  bool at_once;        /* of `initial`: each statement sees what those before it wrote */
} writes;

static double *place_of(judge *j, const judge_cell *cell) {
  if (cell->kind == JUDGE_STATE) return &j->x[cell->slot];
  if (cell->kind == JUDGE_HELD) return &j->held[cell->slot];
  judge_refuse(j, "%s cannot be set", cell->name);
}

/* Writes what an action collected. True: something has another value now. */
static bool commit(judge *j, const writes *w) {
  bool changed = false;
  for (size_t k = 0; k < w->count; k++) {
    double *place = place_of(j, w->cell[k]);
    if (*place != w->value[k]) changed = true;
    *place = w->value[k];
  }
  judge_at(j, j->t, j->x);
  return changed;
}

static void assign(judge *j, const judge_frame *frame, const brink_ast_statement *s, writes *w) {
  size_t n = judge_size(j, frame, s->target);
  for (size_t k = 0; k < (n > 0 ? n : 1); k++) {
    judge_cell *cell = judge_find(j, frame, s->target, k);
    if (cell == NULL) judge_refuse(j, "nothing to assign to");
    if (w->count == JUDGE_LIMIT) judge_refuse(j, "too many assignments");
    w->cell[w->count] = cell;
    w->value[w->count++] = judge_value(j, frame, s->expr, k);
  }
  if (!w->at_once) return;
  commit(j, w);
  w->count = 0;
}

static void run_block(judge *j, const judge_frame *frame, const brink_ast_block *block, writes *w);

static void run_if(judge *j, const judge_frame *frame, const brink_ast_statement *s, writes *w) {
  size_t b = 0;
  while (b < s->nconditions && !judge_truth(j, frame, s->condition[b])) b++;
  if (b < s->nblocks) run_block(j, frame, &s->block[b], w);
}

static const judge_frame *run_let(judge *j, const judge_frame *frame,
                                  const brink_ast_statement *s) {
  double value[64];
  size_t n = judge_size(j, frame, s->expr);
  if (n > 64) judge_refuse(j, "a long let");
  for (size_t k = 0; k < (n > 0 ? n : 1); k++) value[k] = judge_value(j, frame, s->expr, k);
  return judge_bind(j, frame, s->symbol->name, value, n > 0 ? n : 1);
}

static void run_block(judge *j, const judge_frame *frame, const brink_ast_block *block, writes *w) {
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    switch (s->kind) {
    case BRINK_STATEMENT_ASSIGN:
      assign(j, frame, s, w);
      break;
    case BRINK_STATEMENT_IF:
      run_if(j, frame, s, w);
      break;
    case BRINK_STATEMENT_LET:
      frame = run_let(j, frame, s);
      break;
    case BRINK_STATEMENT_STOP:
      if (w->ending == JUDGE_FINISHED) w->ending = JUDGE_STOPPED;
      break;
    case BRINK_STATEMENT_FAIL:
      w->ending = JUDGE_FAILED;
      break;
    case BRINK_STATEMENT_FOR: {
      double lo = judge_value(j, frame, s->lo, 0), hi = judge_value(j, frame, s->hi, 0);
      for (double i = lo; i <= hi; i++)
        run_block(j, judge_bind(j, frame, s->symbol->name, &i, 1), &s->block[0], w);
      break;
    }
    default:
      break; /* notes tell, and do nothing */
    }
  }
}

/* One action: all its right-hand sides read the values from before it. */
static bool run_action(judge *j, const judge_frame *frame, const brink_ast_block *block) {
  writes w = {.ending = JUDGE_FINISHED};
  judge_at(j, j->t, j->x);
  j->plain = true;
  run_block(j, frame, block, &w);
  j->plain = false;
  bool changed = commit(j, &w);
  if (judge_out_of_range(j)) w.ending = JUDGE_RANGE;
  if (w.ending != JUDGE_FINISHED) {
    j->over = true;
    j->run->ending = w.ending;
  }
  return changed;
}

/* ---- events ---- */

/* Events of one flag that follow each other faster and faster have a limit, behind which the language says nothing. */
static void refuse_accumulation(judge *j, size_t f) {
  enum { MANY = 5 };
  int found = 0;
  for (size_t k = j->run->nevents; k > 0 && found < MANY; k--) {
    const judge_event *event = &j->run->events[k - 1];
    if (strcmp(event->flag, j->flag[f].cell->name) != 0) continue;
    if (j->t - event->t > 1e-4) return;
    if (event->t < j->t) found++;
  }
  if (found == MANY) judge_refuse(j, "events of %s accumulate", j->flag[f].cell->name);
}

static void record(judge *j, size_t f, int direction) {
  judge_run *run = j->run;
  refuse_accumulation(j, f);
  if (run->nevents == JUDGE_EVENTS) judge_refuse(j, "too many events");
  judge_event *event = &run->events[run->nevents++];
  memcpy(event->flag, j->flag[f].cell->name, sizeof event->flag);
  event->direction = direction;
  event->t = j->t;
  event->slack = j->slack[f];
}

/* Has an action before it at this instant thrown the flag back already? Whether it then has one event, two or none the
 * language does not say. */
static bool thrown_back(judge *j, size_t f, int direction) {
  double here[JUDGE_LIMIT];
  memcpy(here, j->x, j->nx * sizeof *here);
  judge_look(j, j->t, here);
  const judge_flag *flag = &j->flag[f];
  if (flag->boolean) return (flag->value != 0.0) != (direction > 0);
  return flag->value * direction < -JUDGE_BAND;
}

/* Does the field lead past the surface? Asked of points behind the present only: past it there may be nothing. */
static bool leads_past(judge *j, size_t f, int direction) {
  double here[JUDGE_LIMIT], there[JUDGE_LIMIT], rate[JUDGE_LIMIT], t = j->t, d = 1e-8;
  memcpy(here, j->x, j->nx * sizeof *here);
  judge_rates(j, t, here, rate);
  judge_at(j, t, here);
  double now = judge_cell_value(j, j->flag[f].cell);
  for (size_t i = 0; i < j->nx; i++) there[i] = here[i] - d * rate[i];
  judge_at(j, t - d, there);
  double before = judge_cell_value(j, j->flag[f].cell);
  judge_at(j, t, here);
  return (now - before) / d * direction > 1e-4;
}

/* The flag counts as zero: it takes the sign that the new flow gives it. */
static void fire(judge *j, size_t f, int direction) {
  const judge_flag *flag = &j->flag[f];
  const brink_ast_event *event = flag->event;
  if (thrown_back(j, f, direction))
    judge_refuse(j, "silent: %s is thrown back before it fires", flag->cell->name);
  record(j, f, direction);
  if (event != NULL && direction < 0 && event->has_negative)
    run_action(j, flag->frame, &event->negative);
  if (event != NULL && direction > 0 && event->has_positive)
    run_action(j, flag->frame, &event->positive);
  if (j->over) return;
  judge_settle(j);
  /* States that were set are points of the same right-hand side, which ends here. */
  bool other = memcmp(j->held, j->pre_held, j->nheld * sizeof *j->held) != 0;
  if (flag->side == BRINK_UNILATERAL && !flag->boolean &&
      (j->sgn[f] == direction || (!other && leads_past(j, f, direction)))) {
    if (other) judge_refuse(j, "the action lets the state pass a unilateral surface");
    j->over = true;
    j->run->ending = JUDGE_BLOCKED;
  }
  j->sign[f] = j->sgn[f];
  j->armed[f] = false;
}

/* A unilateral flag that one action watches has its inside by that: leaving a rest on the surface to the other side is
 * an event. */
static int leaves_inside(const judge *j, size_t f) {
  const judge_flag *flag = &j->flag[f];
  const brink_ast_event *event = flag->event;
  if (flag->side != BRINK_UNILATERAL || flag->boolean || event == NULL) return 0;
  if (event->has_negative == event->has_positive) return 0;
  int outside = event->has_negative ? -1 : 1;
  return j->sgn[f] == outside ? outside : 0;
}

/* An action put the flag onto its surface, and the flow leads off it to the other side. Is that a crossing? The language
 * does not say. */
static void refuse_thrown_onto(judge *j, size_t f) {
  const judge_flag *flag = &j->flag[f];
  if (flag->boolean || fabs(j->pre_value[f]) < JUDGE_BAND) return;
  if (fabs(judge_cell_value(j, flag->cell)) < JUDGE_BAND)
    judge_refuse(j, "silent: %s is thrown onto its surface", flag->cell->name);
}

/* Flags whose sign is another than the one remembered. */
static bool run_events(judge *j) {
  int direction[JUDGE_LIMIT];
  bool any = false;
  for (size_t f = 0; f < j->nflags; f++) {
    direction[f] = j->reached[f];
    j->reached[f] = 0;
    if (direction[f] == 0 && j->sign[f] != 0 && j->sgn[f] == -j->sign[f]) {
      direction[f] = j->sgn[f];
      refuse_thrown_onto(j, f);
    }
    if (direction[f] == 0 && j->sign[f] == 0) direction[f] = leaves_inside(j, f);
    if (j->sign[f] == 0) j->sign[f] = j->sgn[f]; /* from rest: no event */
  }
  for (size_t f = 0; f < j->nflags && !j->over; f++) {
    if (direction[f] == 0) continue;
    any = true;
    fire(j, f, direction[f]);
  }
  return any;
}

/* ---- samples ---- */

long long judge_next_sample(const judge *j) {
  long long next = LLONG_MAX;
  for (size_t d = 0; d < j->ndevices; d++)
    if (j->device[d].samples && j->device[d].next < next) next = j->device[d].next;
  return next;
}

static bool is_due(const judge *j, const judge_device *device) {
  return device->samples && !device->ran &&
         fabs((double)device->next / JUDGE_NANO - j->t) < 0.5 / JUDGE_NANO;
}

static void compute_outputs(judge *j, judge_scope *scope, writes *w) {
  for (judge_entity *e = scope->entities; e != NULL; e = e->next) {
    if (e->symbol == NULL || e->symbol->kind != BRINK_SYMBOL_OUTPUT) continue;
    for (size_t k = 0; k < (e->count > 0 ? e->count : 1); k++) {
      const judge_definition *d = e->cells[k]->value;
      if (d == NULL || d->choice != NULL) judge_refuse(j, "an output by cases");
      w->cell[w->count] = e->cells[k];
      w->value[w->count++] = judge_value(j, d->frame, d->expr, d->element);
    }
  }
}

/* Outputs first, from the state before the update; then the update, from the values before it. */
static void run_dtc(judge *j, judge_device *device, bool update) {
  writes w = {.ending = JUDGE_FINISHED};
  judge_at(j, j->t, j->x);
  j->plain = true;
  compute_outputs(j, device->scope, &w);
  if (update)
    run_block(j, device->scope->frame, &device->scope->class_->section[BRINK_SECTION_UPDATE].body,
              &w);
  j->plain = false;
  commit(j, &w);
}

/* The due device with the largest priority, in order of declaration. */
static judge_device *next_due(judge *j) {
  judge_device *best = NULL;
  for (size_t d = 0; d < j->ndevices; d++) {
    judge_device *device = &j->device[d];
    if (device->logic || !is_due(j, device)) continue;
    if (best == NULL || device->priority > best->priority) best = device;
  }
  return best;
}

static bool run_samples(judge *j) {
  bool any = false;
  for (judge_device *device; (device = next_due(j)) != NULL; any = true) {
    run_dtc(j, device, true);
    device->ran = true;
  }
  return any;
}

/* ---- rules ---- */

static bool rule_holds(judge *j, const judge_rule *rule) {
  judge_at(j, j->t, j->x);
  j->plain = rule->sampled;
  bool truth = judge_truth(j, rule->frame, rule->when->condition[0]);
  j->plain = false;
  return truth;
}

static bool may_run(const judge *j, const judge_rule *rule) {
  return !rule->sampled || is_due(j, &j->device[rule->device]);
}

/* A condition that is false now may become true again, and is then news. */
static void forget_false(judge *j) {
  for (size_t r = 0; r < j->nrules; r++)
    if (may_run(j, &j->rule[r]) && j->rule[r].was && !rule_holds(j, &j->rule[r]))
      j->rule[r].was = false;
}

static bool run_rules(judge *j) {
  bool any = false, again = true;
  for (int pass = 0; again && !j->over; pass++) {
    again = false;
    for (size_t r = 0; r < j->nrules && !j->over; r++) {
      judge_rule *rule = &j->rule[r];
      if (!may_run(j, rule)) continue;
      bool truth = rule_holds(j, rule), fires = truth && !rule->was;
      rule->was = truth;
      if (!fires) continue;
      run_action(j, rule->frame, &rule->when->block[0]);
      forget_false(j);
      again = any = true;
    }
    if (pass == ROUNDS) {
      j->over = true;
      j->run->ending = JUDGE_LOOP;
    }
  }
  return any;
}

/* ---- the instant ---- */

static void finish_samples(judge *j) {
  for (size_t d = 0; d < j->ndevices; d++) {
    judge_device *device = &j->device[d];
    if (device->ran || (device->logic && is_due(j, device))) device->next += device->period;
    device->ran = false;
  }
}

void judge_instant(judge *j) {
  double rate[JUDGE_LIMIT];
  memcpy(j->pre_x, j->x, j->nx * sizeof *j->x);
  memcpy(j->pre_held, j->held, j->nheld * sizeof *j->held);
  double here[JUDGE_LIMIT], t = j->t;
  memcpy(here, j->x, j->nx * sizeof *here);
  judge_look(j, t, here);
  for (size_t f = 0; f < j->nflags; f++) j->pre_value[f] = j->flag[f].value;
  bool changed = true;
  for (int round = 0; changed && !j->over; round++) {
    if (round == ROUNDS) {
      j->over = true;
      j->run->ending = JUDGE_LOOP;
      return;
    }
    judge_settle(j);
    changed = run_events(j);
    if (changed || j->over) continue;
    changed = run_samples(j);
    if (changed) judge_settle(j);
    if (run_rules(j)) changed = true;
  }
  finish_samples(j);
  if (j->over) return;
  for (size_t f = 0; f < j->nflags; f++) {
    j->sign[f] = j->sgn[f];
    j->slack[f] = 0.0;
  }
  memcpy(here, j->x, j->nx * sizeof *here);
  judge_rates(j, t, here, rate);
  judge_at(j, t, here);
  for (size_t i = 0; i < j->nx; i++) j->run->fastest = fmax(j->run->fastest, fabs(rate[i]));
}

/* ---- the start ---- */

/* The inner ones first: what is around them wins. */
static void run_initial(judge *j, judge_scope *scope) {
  for (judge_entity *e = scope->entities; e != NULL; e = e->next)
    for (size_t k = 0; e->scopes != NULL && k < (e->count > 0 ? e->count : 1); k++)
      run_initial(j, e->scopes[k]);
  writes w = {.at_once = true};
  j->plain = true;
  run_block(j, scope->frame, &scope->class_->section[BRINK_SECTION_INITIAL].body, &w);
  j->plain = false;
}

void judge_start(judge *j) {
  judge_at(j, 0.0, j->x);
  run_initial(j, j->top);
  for (size_t i = 0; i < j->nx; i++)
    j->x[i] += j->moved * (1.0 + fabs(j->x[i])) * sin(1.3 + 2.1 * (double)i);
  judge_at(j, 0.0, j->x);
  for (size_t d = 0; d < j->ndevices; d++)
    if (!j->device[d].logic) run_dtc(j, &j->device[d], false);
  judge_settle(j);
  for (size_t f = 0; f < j->nflags; f++) j->sign[f] = j->sgn[f];
  judge_instant(j);
}
