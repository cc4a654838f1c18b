/* flat_backward.c: a run whose end is before its start: which models allow it.
 *
 * Equations can be followed backwards, assignments cannot: what a value was before an action, a sample or a rule set it is
 * not known. Where a surface holds the state, or constraints change, several pasts lead to the same present. So a model
 * that is to run backwards has none of these. Flags are found as always; their actions may note, stop and fail. */
#include "lang/flat.h"

#include <string.h>

static const char HINT[] = "run it forwards: until after from";

/* ---- actions ---- */

static void check_statement(flat *f, const flat_group *group, const brink_ast_statement *s);

static void check_block(flat *f, const flat_group *group, const brink_ast_block *block) {
  for (size_t k = 0; k < block->count && !f->failed; k++)
    check_statement(f, group, block->statement[k]);
}

static void check_statement(flat *f, const flat_group *group, const brink_ast_statement *s) {
  bool harmless = s->kind == BRINK_STATEMENT_IF || s->kind == BRINK_STATEMENT_FOR ||
                  s->kind == BRINK_STATEMENT_LET || s->kind == BRINK_STATEMENT_STOP ||
                  s->kind == BRINK_STATEMENT_FAIL || s->kind == BRINK_STATEMENT_NOTE;
  const char *name = group->component != NULL ? group->component->name : "a pair";
  if (!harmless)
    flat_error(f, BRINK_MSG_BACKWARD_ACTION, s->place, HINT,
               "a run backwards cannot undo what this action of %s does", name);
  for (size_t k = 0; k < s->nblocks && !f->failed; k++) check_block(f, group, &s->block[k]);
}

static void check_events(flat *f, const flat_group *group, const brink_ast_event *events) {
  for (const brink_ast_event *e = events; e != NULL && !f->failed; e = e->next) {
    if (e->has_on)
      flat_error(f, BRINK_MSG_BACKWARD_SURFACE, e->place, HINT,
                 "a run backwards cannot tell when the state came to the surface of '%s', which "
                 "holds it",
                 e->flag_name);
    if (!f->failed) check_block(f, group, &e->negative);
    if (!f->failed) check_block(f, group, &e->positive);
  }
}

/* ---- components ---- */

static void check_group(flat *f, const flat_group *group) {
  const brink_component *component = group->component;
  if (component == NULL) {
    if (group->pair != NULL) check_events(f, group, group->pair->events);
    return;
  }
  bool discrete = component->kind == BRINK_DTC ||
                  (component->kind == BRINK_LBC && component->section[BRINK_SECTION_RULES].present);
  bool timers = false;
  for (const brink_symbol *s = component->symbols; s != NULL; s = s->next)
    timers = timers || s->timer;
  if (discrete || timers)
    flat_error(f, BRINK_MSG_BACKWARD_COMPONENT, component->place, HINT,
               "a run backwards cannot undo samples, rules and timers: '%s' is %s", component->name,
               component->kind == BRINK_DTC   ? "a dtc"
               : component->kind == BRINK_LBC ? "an lbc"
                                              : "a ctc with timers");
  if (!f->failed) check_events(f, group, component->events);
}

static void check_constraints(flat *f) {
  for (size_t k = 0; k < f->system->nconstraints && !f->failed; k++) {
    if (f->system->constraints[k].active == NULL) continue;
    flat_error(f, BRINK_MSG_BACKWARD_CONSTRAINT, f->system->constraints[k].place, HINT,
               "a run backwards cannot undo a change of constraints, and this one holds in a "
               "branch only");
  }
}

static void check_delays(flat *f) {
  if (f->system->ndelays == 0) return;
  flat_error(f, BRINK_MSG_BACKWARD_DELAY, f->system->delays[0].place, HINT,
             "a run backwards knows nothing of the past that this delay needs");
}

/* Whatever else acts: nothing in the text was found for it. */
static bool acts(const brink_system *system) {
  for (size_t k = 0; k < system->nflags; k++) {
    const brink_flag *flag = &system->flags[k];
    const brink_action *both[] = {flag->negative, flag->positive};
    for (size_t i = 0; i < 2 && flag->kind == BRINK_FLAG_DECLARED && both[i] != NULL; i++) {
      for (size_t j = 0; j < both[i]->nkernels; j++) {
        if (both[i]->kernels[j]->noutputs > 0) return true;
      }
    }
  }
  return system->nclocks > 0 || system->nrules > 0;
}

void flat_check_backward(flat *f) {
  for (const flat_group *g = f->groups; g != NULL && !f->failed; g = g->next) check_group(f, g);
  if (!f->failed) check_constraints(f);
  if (!f->failed) check_delays(f);
  if (!f->failed && acts(f->system))
    flat_error(f, BRINK_MSG_BACKWARD_COMPONENT, f->top->component->place, HINT,
               "a run backwards cannot undo samples, rules and timers: '%s' is %s",
               f->top->component->name, "a model with actions of its own");
}

/* Is the end before the start? The settings have been read. */
bool flat_runs_backward(const flat *f) {
  const brink_system *system = f->system;
  if (f->options->until_given) return f->options->until < system->t0;
  for (size_t k = 0; k < system->nsettings; k++) {
    const brink_setting *setting = &system->settings[k];
    if (strcmp(setting->name, "until") == 0 && !setting->is_text)
      return setting->number < system->t0;
  }
  return false;
}
