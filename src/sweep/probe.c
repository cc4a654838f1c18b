/* probe.c: what is measured of one run, while it goes on. See probe.h.
 *
 * A step observer follows expressions along the dense output of every step (extremes.c, mean.c), with the parameters, modes
 * and signs that were locked in it. An event is logged when its instant is over: what was before it is what the last
 * step ended with, what is after it is what the next one begins with. */
#include "sweep/probe.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 64 };

bool brink_probe_init(brink_probe *probe, const brink_measures *m) {
  memset(probe, 0, sizeof *probe);
  brink_arena_init(&probe->arena, NULL);
  probe->measures = m;
  probe->values = brink_arena_take(&probe->arena, m->nnames, sizeof *probe->values);
  probe->is_text = brink_arena_take(&probe->arena, m->nnames, sizeof *probe->is_text);
  probe->reads = brink_arena_take(&probe->arena, m->nnames, sizeof *probe->reads);
  probe->final = brink_arena_take(&probe->arena, m->nnames, sizeof *probe->final);
  probe->flags = brink_arena_take(&probe->arena, m->nflags, sizeof *probe->flags);
  probe->states = brink_arena_take(&probe->arena, m->ngauges, sizeof *probe->states);
  probe->results = brink_arena_take(&probe->arena, m->ngauges, sizeof *probe->results);
  probe->samples = brink_arena_take(&probe->arena, SAMPLES, sizeof *probe->samples);
  return !probe->arena.failed;
}

void brink_probe_free(brink_probe *probe) {
  brink_arena_free(&probe->arena);
}

double brink_probe_at(brink_probe *probe, const brink_term *term, double t, double t0) {
  brink_run_look(probe->run, t, t0, probe->values, probe->measures->nnames, probe->reads);
  return brink_term_value(term, probe->reads, t, NULL);
}

/* ---- names ---- */

static brink_status bind_names(brink_probe *probe, const brink_run *run, brink_diag *diag) {
  const brink_measures *m = probe->measures;
  for (size_t k = 0; k < m->nnames; k++) {
    brink_status status = brink_run_find(run, m->names[k], &probe->values[k], diag);
    if (status != BRINK_OK) return status;
    probe->is_text[k] = probe->values[k].type == BRINK_HSML_STRING;
  }
  return BRINK_OK;
}

/* Is a text computed with? Alone it may stand. */
static size_t text_in(const brink_probe *probe, const brink_term *term, bool alone) {
  if (term == NULL) return BRINK_NONE;
  if (term->op == BRINK_TERM_READ && probe->is_text[term->index] && !alone) return term->index;
  if (term->op == BRINK_TERM_GAUGE)
    return text_in(probe, probe->measures->gauges[term->index].inner, false);
  size_t found = text_in(probe, term->a, false);
  return found != BRINK_NONE ? found : text_in(probe, term->b, false);
}

static brink_status check_texts(const brink_probe *probe, brink_diag *diag) {
  const brink_measures *m = probe->measures;
  for (size_t k = 0; k < m->count; k++) {
    size_t text = text_in(probe, m->measures[k].root, true);
    if (text != BRINK_NONE)
      return brink_diag_set(
          diag, BRINK_ERR_ARGUMENT,
          "--measure '%s': '%s' is a text: it can only stand alone, for its value "
          "at the end",
          m->measures[k].name, m->names[text]);
  }
  return BRINK_OK;
}

/* ---- flags ---- */

void brink_probe_flag_name(const brink_system *system, const brink_flag *flag, brink_text *name) {
  const brink_group *group = &system->groups[flag->group];
  for (size_t k = 0; k < group->nsegments && !flag->is_pair; k++)
    brink_text_add(name, "%s.", group->segment[k]);
  brink_text_add(name, "%s", flag->name);
}

/* Is this its name without indices? */
static bool is_flag(const brink_system *system, const brink_flag *flag, const char *name) {
  const brink_group *group = &system->groups[flag->group];
  for (size_t k = 0; k < group->nsegments && !flag->is_pair; k++) {
    size_t length = strlen(group->segment[k]);
    if (strncmp(name, group->segment[k], length) != 0 || name[length] != '.') return false;
    name += length + 1;
  }
  return strcmp(name, flag->name) == 0;
}

static bool has_index(const char *name) {
  return strchr(name, '[') != NULL;
}

/* Which of the measured flags each flag of the system is. */
static bool bind_flags(brink_probe *probe, const brink_system *system) {
  const brink_measures *m = probe->measures;
  while (probe->nsystem_flags < system->nflags) {
    if (!brink_arena_reserve(&probe->arena, probe->flag_of, probe->nsystem_flags,
                             probe->flag_of_capacity))
      return false;
    probe->nsystem_flags++;
  }
  for (size_t f = 0; f < system->nflags; f++) {
    probe->flag_of[f] = BRINK_NONE;
    for (size_t k = 0; k < m->nflags && probe->flag_of[f] == BRINK_NONE; k++) {
      if (!has_index(m->flags[k]) && is_flag(system, &system->flags[f], m->flags[k]))
        probe->flag_of[f] = k;
    }
  }
  return true;
}

/* Is there a flag of this name? */
static bool has_flag(const brink_probe *probe, const brink_system *system, size_t k) {
  brink_text name = {0};
  bool found = false;
  for (uint32_t f = 0; f < system->nflags && !found; f++) {
    if (!brink_journal_wants(system, f, BRINK_POSITIVE)) continue;
    found = probe->flag_of[f] == k;
    for (size_t i = 0; i < system->flags[f].count && !found; i++) {
      name.length = 0;
      brink_system_flag_name(system, f, i, &name);
      found = name.data != NULL && strcmp(name.data, probe->measures->flags[k]) == 0;
    }
  }
  brink_text_free(&name);
  return found;
}

static brink_status check_flags(const brink_probe *probe, const brink_system *system,
                                brink_diag *diag) {
  for (size_t k = 0; k < probe->measures->nflags; k++) {
    if (!has_flag(probe, system, k))
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "there is no flag '%s' in %s",
                            probe->measures->flags[k], system->name);
  }
  return BRINK_OK;
}

/* ---- events ---- */

static void count_event(brink_flag_count *flag, double t, double condition) {
  if (flag->count++ == 0) flag->first = t;
  flag->last = t;
  if (!isnan(condition) && !(condition <= flag->condition)) flag->condition = condition;
}

/* The first event of a flag. */
static void note_first(brink_probe *probe, size_t flag) {
  const brink_measures *m = probe->measures;
  for (size_t k = 0; k < m->ngauges; k++) {
    if (m->gauges[k].flag != flag) continue;
    if (m->gauges[k].kind == BRINK_GAUGE_AT) probe->states[k].value = probe->states[k].before;
    if (m->gauges[k].kind == BRINK_GAUGE_AFTER) probe->states[k].due = true;
  }
}

static void on_event(const brink_logged_event *logged, void *user) {
  brink_probe *probe = user;
  const brink_measures *m = probe->measures;
  double t = logged->t;
  if (probe->run->system->flags[logged->flag].kind == BRINK_FLAG_DECLARED)
    count_event(&probe->all, t, logged->condition);
  for (size_t k = 0; k < m->nflags; k++) {
    bool is = has_index(m->flags[k]) ? strcmp(m->flags[k], logged->name) == 0
                                     : probe->flag_of[logged->flag] == k;
    if (!is) continue;
    if (probe->flags[k].count == 0) note_first(probe, k);
    count_event(&probe->flags[k], t, logged->condition);
  }
}

/* ---- steps ---- */

static int on_step(brink_run *run, double t0, double t1, void *user) {
  brink_probe *probe = user;
  (void)run;
  for (size_t k = 0; k < probe->measures->ngauges; k++) {
    const brink_gauge *gauge = &probe->measures->gauges[k];
    brink_gauge_state *state = &probe->states[k];
    if (gauge->kind == BRINK_GAUGE_MIN || gauge->kind == BRINK_GAUGE_MAX) {
      brink_probe_extreme(probe, gauge, state, t0, t1);
    } else if (gauge->kind == BRINK_GAUGE_MEAN) {
      brink_probe_integrate(probe, gauge, state, t0, t1);
    } else if (gauge->kind == BRINK_GAUGE_AT) {
      state->before = brink_probe_at(probe, gauge->inner, t1, t0);
    } else if (gauge->kind == BRINK_GAUGE_AFTER && state->due) {
      state->value = brink_probe_at(probe, gauge->inner, t0, t0);
      state->due = false;
    }
  }
  return 0;
}

/* ---- begin and end ---- */

static void read_now(brink_probe *probe, double *out) {
  for (size_t k = 0; k < probe->measures->nnames; k++)
    out[k] = brink_run_value(probe->run, probe->values[k]);
}

static void clear(brink_probe *probe) {
  const brink_flag_count none = {
      .first = (double)NAN, .last = (double)NAN, .condition = (double)NAN};
  const brink_measures *m = probe->measures;
  probe->all = none;
  for (size_t k = 0; k < m->nflags; k++) probe->flags[k] = none;
  probe->start = brink_run_time(probe->run);
  if (m->ngauges > 0) read_now(probe, probe->reads);
  for (size_t k = 0; k < m->ngauges; k++) {
    const brink_term *inner = m->gauges[k].inner;
    double now = inner != NULL ? brink_term_value(inner, probe->reads, probe->start, NULL) : 0.0;
    bool initial = m->gauges[k].kind == BRINK_GAUGE_INITIAL;
    probe->states[k] = (brink_gauge_state){.value = initial ? now : (double)NAN, .before = now};
  }
}

brink_status brink_probe_begin(brink_probe *probe, brink_run *run, brink_diag *diag) {
  const brink_measures *m = probe->measures;
  probe->run = run;
  if (run->population_run != NULL && m->steps)
    return brink_diag_set(
        diag, BRINK_ERR_UNSUPPORTED,
        "min, max, mean, at and after need one clock for all agents: give --clocks "
        "one");
  brink_status status = bind_names(probe, run, diag);
  if (status == BRINK_OK && !bind_flags(probe, run->system))
    status = brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  if (status != BRINK_OK) return status;
  clear(probe);
  run->choice.logged = on_event;
  run->choice.logged_user = probe;
  run->choice.conditions = m->conditions;
  brink_run_observer observer = {.step = on_step, .user = probe};
  brink_run_observe(run, m->steps ? &observer : NULL);
  return BRINK_OK;
}

brink_status brink_probe_check(const brink_probe *probe, brink_diag *diag) {
  brink_status status = check_texts(probe, diag);
  return status == BRINK_OK ? check_flags(probe, probe->run->system, diag) : status;
}

void brink_probe_end(brink_probe *probe) {
  probe->end = brink_run_time(probe->run);
  read_now(probe, probe->final);
}

/* What an instant at the end of the run left behind is no step any more. */
static double result_of(const brink_probe *probe, size_t k) {
  const brink_gauge *gauge = &probe->measures->gauges[k];
  const brink_gauge_state *state = &probe->states[k];
  const brink_flag_count *flag =
      gauge->flag != BRINK_NONE ? &probe->flags[gauge->flag] : &probe->all;
  double now = gauge->inner != NULL ? brink_term_value(gauge->inner, probe->final, probe->end, NULL)
                                    : (double)NAN;
  switch (gauge->kind) {
  case BRINK_GAUGE_FINAL:
    return now;
  case BRINK_GAUGE_MIN:
    return !state->due || now < state->value ? now : state->value;
  case BRINK_GAUGE_MAX:
    return !state->due || now > state->value ? now : state->value;
  case BRINK_GAUGE_MEAN:
    return probe->end == probe->start
               ? now
               : (state->sum + state->correction) / (probe->end - probe->start);
  case BRINK_GAUGE_AFTER:
    return state->due ? now : state->value;
  case BRINK_GAUGE_FIRST:
    return flag->first;
  case BRINK_GAUGE_LAST:
    return flag->last;
  case BRINK_GAUGE_COUNT:
    return (double)flag->count;
  case BRINK_GAUGE_CONDITION:
    return flag->condition;
  case BRINK_GAUGE_INITIAL:
  case BRINK_GAUGE_AT:
    break;
  }
  return state->value;
}

void brink_probe_conclude(brink_probe *probe) {
  for (size_t k = 0; k < probe->measures->ngauges; k++) probe->results[k] = result_of(probe, k);
}

double brink_probe_value(const brink_probe *probe, size_t k, const char **text) {
  const brink_term *root = probe->measures->measures[k].root;
  *text = NULL;
  if (root->op == BRINK_TERM_READ && probe->is_text[root->index])
    *text = brink_run_text(probe->run, probe->final[root->index]);
  return brink_term_value(root, probe->final, probe->end, probe->results);
}
