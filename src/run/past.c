/* past.c: flags that start on the side to which their only action leads: "low" at -0.1, with an action when it falls. The
 * crossing that the action waits for is behind it: a flag needs a crossing. A rule would fire at the start. Nobody notices
 * that a pump never starts, unless somebody says so. */
#include "run/population_run.h"
#include "run/run.h"

/* Does an action do more than write notes? */
static bool matters(const brink_action *action) {
  for (size_t k = 0; action != NULL && k < action->neffects; k++) {
    if (action->effects[k].kind != BRINK_EFFECT_NOTE) return true;
  }
  for (size_t k = 0; action != NULL && k < action->nkernels; k++) {
    if (action->kernels[k]->noutputs > 0) return true;
  }
  return false;
}

/* The side to which the only action of a flag leads: -1 or 1; 0: it has none, or one for each. */
static int way(const brink_flag *flag) {
  bool falls = matters(flag->negative), rises = matters(flag->positive);
  if (flag->kind != BRINK_FLAG_DECLARED || flag->on_surface != NULL || falls == rises) return 0;
  return falls ? -1 : 1;
}

/* What was found of one flag. */
typedef struct past_flag {
  size_t count; /* of its instances that are past */
  size_t first; /* of them */
  double value; /* of that */
  bool is_formula;
} past_flag;

/* Looks at an instance of a flag, at the point that was evaluated last. `number`: of that instance in the whole. */
static void look(brink_instance *instance, uint32_t flag, size_t index, int side, double band,
                 size_t number, past_flag *past) {
  double value = brink_instance_flag_value(instance, flag, index);
  if (!(side < 0 ? value < -band : value > band)) return;
  /* Where initial has done what the action would do, nothing is missing. */
  brink_direction direction = side < 0 ? BRINK_NEGATIVE : BRINK_POSITIVE;
  if (!brink_instance_would_act(instance, flag, index, direction)) return;
  if (past->count == 0) {
    past->first = number;
    past->value = value;
  }
  past->count++;
}

static void tell(brink_run *run, uint32_t number, int side, const past_flag *past) {
  const brink_flag *flag = &run->system->flags[number];
  brink_text name = {0}, text = {0};
  if (past->count == 0) return;
  brink_system_flag_name(run->system, number, past->first, &name);
  const char *words = name.data != NULL ? name.data : flag->name;
  bool falls = (side < 0) != run->system->backward; /* in the time of the model */
  const char *action = falls ? "negative-going" : "positive-going";
  if (past->is_formula)
    brink_text_add(&text, "'%s' is %s at the start", words, side < 0 ? "false" : "true");
  else
    brink_text_add(&text, "'%s' is %.6g at the start", words, past->value);
  if (past->count > 1) brink_text_add(&text, ", and %zu more like it", past->count - 1);
  brink_text_add(&text, ": the %s event is behind it, and its action does not run then", action);
  if (text.failed || name.failed)
    run->journal.failed = true;
  else
    brink_run_warn(run, flag->place, text.data,
                   "an event needs a crossing; a rule of an lbc, when ... do, would fire at the "
                   "start. If the action is meant there, too, let initial do what it does");
  brink_text_free(&name);
  brink_text_free(&text);
}

/* Flags of one system, at its present values. */
static void look_at_flags(brink_run *run, brink_instance *instance, const brink_moment *now) {
  const brink_system *system = run->system;
  bool evaluated = false;
  for (uint32_t f = 0; f < system->nflags; f++) {
    const brink_flag *flag = &system->flags[f];
    int side = way(flag);
    if (side == 0) continue;
    if (!evaluated) brink_instance_evaluate(instance, now->t, now->x, now->p, now->mode, NULL);
    evaluated = true;
    past_flag past = {.is_formula = flag->value == NULL};
    for (size_t i = 0; i < flag->count; i++)
      look(instance, f, i, side, run->options.sim.atol, i, &past);
    tell(run, f, side, &past);
  }
}

/* Of one population: all its agents have the same flags. */
static void look_at_agents(brink_run *run, brink_population_run *self, size_t k) {
  const brink_population_table *table = &self->tables->populations[k];
  const brink_system *one = table->one;
  brink_instance *instance = self->one[k].instance;
  const brink_start *start = &self->starts[k];
  size_t n = table->count < BRINK_FEW_AGENTS ? table->count : BRINK_FEW_AGENTS;
  for (uint32_t f = 0; f < one->nflags; f++) {
    const brink_flag *flag = &one->flags[f];
    int side = way(flag);
    past_flag past = {.is_formula = flag->value == NULL};
    for (size_t i = 0; i < n && side != 0; i++) {
      brink_instance_evaluate(instance, one->t0, start->x + i * one->nx, start->p + i * one->np,
                              start->mode + i * one->nmodes, NULL);
      for (size_t j = 0; j < flag->count; j++)
        look(instance, f, j, side, run->options.sim.atol, i * flag->count + j, &past);
    }
    if (side != 0) tell(run, table->flag[f], side, &past);
  }
}

void brink_run_check_flags(brink_run *run) {
  if (run->told_past) return;
  run->told_past = true;
  brink_population_run *self = run->population_run;
  if (self == NULL) {
    brink_moment now = brink_run_now(run);
    look_at_flags(run, run->instance, &now);
    return;
  }
  for (size_t k = 0; k < self->tables->npopulations; k++) look_at_agents(run, self, k);
}
