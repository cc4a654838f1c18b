/* look.c: what a run shows of itself: the columns of its recordings, and the values of a single system that equations
 * compute. */
#include <math.h>
#include <string.h>

#include "run/population_run.h"
#include "run/run.h"
#include "sim/sim.h"

/* ---- values of a single system ---- */

static void evaluate(const brink_moment *moment, void *user) {
  brink_run *run = user;
  run->looked = *moment;
  run->rates_known = false;
  brink_instance_evaluate(run->instance, moment->t, moment->x, moment->p, moment->mode,
                          moment->sgn);
}

/* A derivative is that of the solution, by the time of the model: on a surface that holds the state, of the field
 * there. */
static double rate(brink_run *run, size_t slot) {
  const brink_moment *at = &run->looked;
  if (!run->rates_known)
    brink_eval_peek_field(&run->sim->eval, at->t, at->x, at->p, at->mode, at->sgn, run->rates);
  run->rates_known = true;
  return brink_run_turned(run, run->rates[slot]); /* by the time of the model */
}

static double slot_value(brink_space space, size_t slot, void *user) {
  brink_run *run = user;
  return space == BRINK_SPACE_DX ? rate(run, slot)
                                 : brink_instance_slot(run->instance, space, slot);
}

/* The value of a flag; of a formula, whether it holds. */
static double flag_value(uint32_t flag, size_t index, void *user) {
  brink_run *run = user;
  brink_eval *eval = &run->sim->eval;
  const brink_moment *at = &run->looked;
  const brink_flag *declared = &run->system->flags[flag];
  size_t guard = declared->guard[index];
  if (declared->value == NULL) return (at->sgn != NULL ? at->sgn : eval->sgn)[guard] > 0;
  return brink_eval_peek(eval, guard, at->t, at->x, at->p, at->mode);
}

brink_computed brink_run_computed(brink_run *run) {
  return (brink_computed){
      .evaluate = evaluate, .slot = slot_value, .flag = flag_value, .user = run};
}

/* ---- columns ---- */

static const char *setting_of(const brink_system *system) {
  for (size_t k = 0; k < system->nsettings; k++) {
    const brink_setting *setting = &system->settings[k];
    if (strcmp(setting->name, "keep") == 0 && setting->is_text) return setting->text;
  }
  return NULL;
}

/* Does the field of some agent depend on signs of flags? */
static bool field_switches(const brink_population_run *population) {
  for (size_t k = 0; population != NULL && k < population->tables->npopulations; k++) {
    const brink_program *rhs = &population->tables->populations[k].one->rhs;
    for (size_t j = 0; j < rhs->nkernels; j++) {
      const brink_graph *graph = &rhs->kernels[j]->graph;
      for (size_t r = 0; r < graph->nrefs; r++) {
        if (graph->refs[r].space == BRINK_SPACE_SIGN) return true;
      }
    }
  }
  return false;
}

brink_keeping brink_run_keeping(const brink_run *run) {
  const char *given = run->choice.keep;
  return (brink_keeping){.patterns = given != NULL ? given : setting_of(run->system),
                         .agents = run->population_run != NULL,
                         .switches = field_switches(run->population_run)};
}

bool brink_run_computes(const brink_run *run) {
  return run->columns.computes || run->kept.computes || run->also_shown.computes;
}

const brink_columns *brink_run_shown(const brink_run *run) {
  return run->choice.also != NULL ? &run->also_shown : &run->kept;
}

static brink_status begin_kept(brink_run *run, const brink_computed *computed) {
  brink_text problem = {0};
  brink_keeping keeping = brink_run_keeping(run);
  brink_status status =
      brink_columns_init_kept(&run->kept, run->system, &keeping, computed, &problem);
  keeping.also = run->choice.also;
  if (status == BRINK_OK && keeping.also != NULL)
    status = brink_columns_init_kept(&run->also_shown, run->system, &keeping, computed, &problem);
  if (status == BRINK_ERR_ARGUMENT)
    brink_diag_set(&run->diag, status, "keep: %s", problem.data != NULL ? problem.data : "");
  brink_text_free(&problem);
  return status;
}

brink_status brink_run_columns_begin(brink_run *run, const brink_computed *computed) {
  if (run->rates == NULL)
    run->rates = brink_arena_take(&run->arena, run->system->nx, sizeof(double));
  bool room = run->rates != NULL && brink_gaps_begin(&run->gaps, run->system, &run->arena);
  brink_status status = room ? BRINK_OK : BRINK_ERR_MEMORY;
  if (status == BRINK_OK) status = brink_columns_init(&run->columns, run->system, computed, NULL);
  if (status == BRINK_OK) status = begin_kept(run, computed);
  if (status != BRINK_OK) brink_run_columns_end(run); /* all or none: brink_run_has_begun */
  if (status == BRINK_ERR_MEMORY) return brink_diag_set(&run->diag, status, "out of memory");
  return status;
}

void brink_run_columns_end(brink_run *run) {
  brink_columns_free(&run->columns);
  brink_columns_free(&run->kept);
  brink_columns_free(&run->also_shown);
}

brink_status brink_run_keep(brink_run *run, const char *names, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL || names == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run and names must not be NULL");
  if (run->phase != BRINK_RUN_MADE)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "what is kept is chosen before the run, which has begun already");
  brink_text problem = {0};
  brink_columns columns;
  brink_keeping keeping = brink_run_keeping(run);
  keeping.patterns = names;
  brink_status status = brink_columns_init_kept(&columns, run->system, &keeping, NULL, &problem);
  if (status == BRINK_OK) brink_columns_free(&columns);
  const char *kept = status == BRINK_OK ? brink_arena_text(&run->arena, names) : NULL;
  if (status == BRINK_ERR_ARGUMENT)
    brink_diag_set(diag, status, "%s", problem.data != NULL ? problem.data : "");
  else if (kept == NULL)
    status = brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  else
    run->choice.keep = kept;
  brink_text_free(&problem);
  return status;
}
