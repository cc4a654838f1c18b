/* hsml_run.c: see hsml_run.h. */
#include "support/hsml_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the directory of the test, to be used again. */
static const char cache[] = "taylor-cache";

static _Noreturn void give_up(const char *why) {
  printf("%s\n", why);
  abort();
}

/* ---- from text to a system ---- */

static char *read_text(const char *path, size_t *length, const char **reason, void *user) {
  const char *text = user;
  (void)path, (void)reason;
  *length = strlen(text);
  char *copy = malloc(*length + 1);
  if (copy == NULL) give_up("out of memory");
  memcpy(copy, text, *length + 1);
  return copy;
}

static _Noreturn void report(brink_unit *unit) {
  brink_text text = {0};
  brink_report_sort(unit);
  for (size_t k = 0; k < unit->nitems; k++) brink_report_render(unit, &unit->items[k], &text);
  give_up(text.data != NULL ? text.data : "the model has errors");
}

brink_system *hsml_try_flatten(const char *text, const char *const *sets, brink_unit **unit) {
  brink_reader reader = {.read = read_text, .user = (void *)(uintptr_t)text};
  bool unreadable = false;
  const char *reason = NULL;
  *unit = brink_unit_parse("model.hsml", &reader, NULL, &unreadable, &reason);
  if (*unit == NULL || unreadable) return NULL;
  brink_unit_check(*unit);
  if ((*unit)->nerrors > 0) return NULL;
  brink_flatten_options options = {.sets = sets, .seed = 1};
  while (sets != NULL && sets[options.nsets] != NULL) options.nsets++;
  return brink_flatten(*unit, &options, NULL);
}

brink_system *hsml_flatten(const char *text, const char *const *sets, brink_unit **unit) {
  brink_system *system = hsml_try_flatten(text, sets, unit);
  if (*unit == NULL) give_up("the text cannot be read");
  if (system == NULL) report(*unit);
  return system;
}

double hsml_until(const char *text, double otherwise) {
  static const char key[] = "% run: until ";
  const char *at = strstr(text, key);
  double t_end = at != NULL ? strtod(at + sizeof key - 1, NULL) : 0.0;
  return t_end > 0.0 ? t_end : otherwise;
}

/* ---- keeping things ---- */

/* Room for one more. */
static void *grown(void *items, size_t count, size_t size) {
  if ((count & (count + 1)) != 0 && count != 0) return items; /* full at 0, 1, 3, 7, … */
  void *more = realloc(items, (2 * count + 1) * size);
  if (more == NULL) give_up("out of memory");
  return more;
}

static void mix(hsml_run *run, const void *data, size_t size) { /* FNV-1a */
  const unsigned char *bytes = data;
  for (size_t k = 0; k < size; k++) run->hash = (run->hash ^ bytes[k]) * UINT64_C(0x100000001B3);
}

static size_t states(const hsml_run *run) {
  return run->system->nx;
}

static void copy_states(const hsml_run *run, const double *from, double *to) {
  size_t count = states(run) < HSML_STATES ? states(run) : HSML_STATES;
  if (from != NULL && count > 0) memcpy(to, from, count * sizeof *to);
}

static void name_flag(const hsml_run *run, size_t guard, char name[HSML_NAME]) {
  uint32_t flag;
  size_t index;
  brink_text text = {0};
  brink_instance_flag(run->instance, guard, &flag, &index);
  brink_system_flag_name(run->system, flag, index, &text);
  snprintf(name, HSML_NAME, "%s", text.data != NULL ? text.data : "");
  brink_text_free(&text);
}

static int on_step(const brink_step_record *record, void *user) {
  hsml_run *run = user;
  run->nsteps++;
  run->order = record->order;
  run->longest = fmax(run->longest, record->h);
  run->not_finite += isfinite(record->t1) ? 0 : 1;
  for (size_t i = 0; i < record->nx; i++) run->not_finite += isfinite(record->x[i]) ? 0 : 1;
  mix(run, &record->t1, sizeof record->t1);
  mix(run, record->x, record->nx * sizeof *record->x);
  return 0;
}

static int on_event(const brink_event_record *record, void *user) {
  hsml_run *run = user;
  run->events = grown(run->events, run->nevents, sizeof *run->events);
  hsml_event *event = &run->events[run->nevents++];
  *event = (hsml_event){.t = record->event.t,
                        .value = record->event.value,
                        .direction = record->event.direction,
                        .kind = record->event.kind};
  name_flag(run, record->event.guard, event->name);
  copy_states(run, record->x_before, event->before);
  copy_states(run, record->x_after, event->after);
  mix(run, &record->event.guard, sizeof record->event.guard);
  mix(run, &record->event.t, sizeof record->event.t);
  mix(run, record->x_after, states(run) * sizeof *record->x_after);
  return 0;
}

static int on_near_miss(const brink_near_miss *record, void *user) {
  hsml_run *run = user;
  run->misses = grown(run->misses, run->nmisses, sizeof *run->misses);
  hsml_miss *miss = &run->misses[run->nmisses++];
  *miss = (hsml_miss){.t = record->t, .value = record->value};
  name_flag(run, record->guard, miss->name);
  return 0;
}

static int on_slide(const brink_slide_record *record, void *user) {
  hsml_run *run = user;
  run->slides = grown(run->slides, run->nslides, sizeof *run->slides);
  hsml_slide *slide = &run->slides[run->nslides++];
  *slide = (hsml_slide){.from = record->from, .to = record->to};
  name_flag(run, record->guard, slide->name);
  return 0;
}

/* ---- running ---- */

hsml_wishes hsml_default(double rtol) {
  hsml_wishes wishes = {.options = brink_default_options()};
  wishes.options.method = BRINK_TAYLOR;
  wishes.options.rtol = rtol;
  wishes.options.atol = 1e-3 * rtol;
  wishes.options.audit = true;
  wishes.options.max_steps = 1000000;
  return wishes;
}

brink_instance_options hsml_instance_options(const hsml_wishes *wishes) {
  return (brink_instance_options){.interpret = !wishes->native,
                                  .cache = cache,
                                  .rtol = wishes->options.rtol,
                                  .atol = wishes->options.atol,
                                  .seed = 1,
                                  .wants_flow_jet = !wishes->no_series,
                                  .wants_jacobian = wishes->options.method == BRINK_BDF,
                                  .may_want_jacobian = wishes->options.method == BRINK_AUTO,
                                  .flow_order = wishes->options.order};
}

hsml_run *hsml_open(const char *text, const hsml_wishes *wishes) {
  brink_unit *unit;
  brink_system *system = hsml_flatten(text, wishes->sets, &unit);
  return hsml_start(unit, system, wishes);
}

hsml_run *hsml_start(brink_unit *unit, brink_system *system, const hsml_wishes *wishes) {
  hsml_run *run = calloc(1, sizeof *run);
  if (run == NULL) give_up("out of memory");
  run->unit = unit;
  run->system = system;
  hsml_forget(run);
  brink_instance_options how = hsml_instance_options(wishes);
  run->status =
      brink_instance_create(run->system, &how, wishes->allocator, &run->diag, &run->instance);
  if (run->status != BRINK_OK) return run;
  run->status = brink_sim_create(brink_instance_model(run->instance), &wishes->options,
                                 wishes->allocator, &run->diag, &run->sim);
  if (run->status != BRINK_OK) return run;
  brink_sink sink = {.step = on_step,
                     .event = on_event,
                     .near_miss = on_near_miss,
                     .slide = on_slide,
                     .user = run};
  brink_sim_set_sink(run->sim, &sink);
  return run;
}

void hsml_go(hsml_run *run, double t_end) {
  if (run->sim == NULL) return;
  run->status = brink_sim_run(run->sim, t_end, &run->diag);
  brink_slide_record open[16];
  size_t count = brink_sim_slides(run->sim, open, 16);
  for (size_t k = 0; k < count && k < 16; k++) on_slide(&open[k], run);
}

void hsml_forget(hsml_run *run) {
  run->nevents = run->nmisses = run->nslides = run->nsteps = run->not_finite = 0;
  run->longest = 0.0;
  run->hash = UINT64_C(0xCBF29CE484222325);
}

void hsml_close(hsml_run *run) {
  if (run == NULL) return;
  brink_sim_destroy(run->sim);
  brink_instance_destroy(run->instance);
  brink_system_destroy(run->system);
  brink_unit_destroy(run->unit);
  free(run->events);
  free(run->misses);
  free(run->slides);
  free(run);
}

/* ---- looking ---- */

size_t hsml_state(const hsml_run *run, const char *name) {
  const brink_system *system = run->system;
  for (uint32_t v = 0; v < system->nvariables; v++) {
    const brink_variable *variable = &system->variables[v];
    size_t elements = system->groups[variable->group].count * variable->length;
    if (variable->space != BRINK_SPACE_X) continue;
    for (size_t k = 0; k < elements; k++) {
      brink_text text = {0};
      brink_system_variable_name(system, v, k, &text);
      bool same = text.data != NULL && strcmp(text.data, name) == 0;
      brink_text_free(&text);
      if (same) return variable->base + k;
    }
  }
  give_up("the model has no such state");
}

double hsml_final(const hsml_run *run, const char *name) {
  size_t state = hsml_state(run, name);
  return run->sim == NULL ? (double)NAN : brink_sim_state(run->sim)[state];
}

const brink_stats *hsml_stats(const hsml_run *run) {
  static const brink_stats none = {0};
  return run->sim == NULL ? &none : brink_sim_stats(run->sim);
}

size_t hsml_count(const hsml_run *run, const char *flag) {
  size_t count = 0;
  for (size_t k = 0; k < run->nevents; k++)
    count += flag == NULL || strcmp(run->events[k].name, flag) == 0;
  return count;
}

const hsml_event *hsml_nth(const hsml_run *run, const char *flag, size_t nth) {
  for (size_t k = 0; k < run->nevents; k++) {
    if (flag != NULL && strcmp(run->events[k].name, flag) != 0) continue;
    if (--nth == 0) return &run->events[k];
  }
  return NULL;
}

size_t hsml_misses(const hsml_run *run, const char *flag) {
  size_t count = 0;
  for (size_t k = 0; k < run->nmisses; k++) count += strcmp(run->misses[k].name, flag) == 0;
  return count;
}

double hsml_time(const hsml_run *run, const char *flag, size_t nth) {
  const hsml_event *event = hsml_nth(run, flag, nth);
  return event != NULL ? event->t : (double)NAN;
}
