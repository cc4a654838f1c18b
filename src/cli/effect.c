/* effect.c: options that are given and have no effect in the run that was made of them.
 *
 * An option is for a method, for a way to find events, or for a kind of model. Where the run is of another kind, it
 * is not obeyed, and the user is told so: nobody should compare two runs that are the same one. Reasons are looked
 * for when the run has been made, as `auto` has chosen its method by then. */
#include <string.h>

#include "cli/run.h"
#include "model/model.h"
#include "run/population_run.h"

/* What the reasons are about. */
typedef struct facts {
  const cli_simulation *sim;
  const brink_options *options;
  brink_method method; /* never auto */
  bool populations;    /* the model has some */
  bool one_clock;      /* … and is asked to have them in one system */
} facts;

static bool has_fixed_step(const facts *f) {
  return brink_method_has_fixed_step(f->method) ||
         (f->method != BRINK_DOPRI && f->options->order > 0 && f->options->step > 0.0);
}

/* ---- reasons: NULL where the option has an effect ---- */

static const char *of_gain(const facts *f) {
  if (f->options->events != BRINK_EXTRAPOLATE)
    return "only --events extrapolate approaches a surface step by step";
  if (f->method == BRINK_TAYLOR)
    return "taylor reaches a surface in one step; adams and dopri approach it step by step";
  return NULL;
}

static const char *of_gamma(const facts *f) {
  const char *reason = of_gain(f);
  if (reason != NULL || f->options->gain == BRINK_GAIN_FIXED) return reason;
  return "only --gain fixed uses it";
}

static const char *of_termination(const facts *f) {
  const char *reason = of_gain(f);
  if (reason != NULL || f->options->gain != BRINK_GAIN_MARGIN) return reason;
  return "only --gain published and --gain fixed use it; --gain margin reaches the surface itself";
}

static const char *of_parts(const facts *f) {
  return f->options->events == BRINK_MNM ? NULL : "only --events mnm divides steps into parts";
}

static const char *of_near_miss(const facts *f) {
  bool looks_inside =
      f->options->events == BRINK_EXTRAPOLATE || f->options->events == BRINK_INTERPOLATE;
  return looks_inside
             ? NULL
             : "only --events extrapolate and interpolate search inside steps for near misses";
}

static const char *of_hmax(const facts *f) {
  bool longer = f->options->hmax >= f->options->step;
  return has_fixed_step(f) && longer ? "the step is fixed, and not longer than that" : NULL;
}

/* Guards are still located within the tolerances, and Newton's iteration ends by them. */
static const char *of_tolerance(const facts *f) {
  if (!has_fixed_step(f) || f->method == BRINK_BDF3 || f->sim->run->instance == NULL) return NULL;
  bool guards = brink_instance_model(f->sim->run->instance)->def.nguards > 0;
  return guards ? NULL : "the step is fixed, and the model has no events";
}

static const char *of_clocks(const facts *f) {
  if (!f->populations) return "the model has no population of agents";
  if (f->sim->run->population_run != NULL || f->one_clock) return NULL;
  if (f->sim->arguments->command == &cli_commands[CLI_COMMAND_CONDITION])
    return "condition computes all agents as one system";
  if (f->sim->run->system->nz > 0) return "agents with constraints are one system";
  return "the model, or another option, needs all agents in one system";
}

static const char *of_threads(const facts *f) {
  return f->sim->run->population_run != NULL
             ? NULL
             : "only agents with clocks of their own run in several threads";
}

static const char *of_every(const facts *f) {
  const cli_settings *s = &f->sim->settings;
  bool rows = s->out != NULL || s->report != NULL || s->plot != NULL;
  bool asked =
      cli_has(f->sim->arguments, CLI_EVERY); /* models may well say it for all their runs */
  return rows || !asked ? NULL : "no rows are written: give --out, --report or --plot";
}

static const struct {
  cli_option_id id;
  const char *(*reason)(const facts *f);
} effects[] = {
    {CLI_GAIN, of_gain},      {CLI_GAMMA, of_gamma},         {CLI_TERMINATION, of_termination},
    {CLI_PARTS, of_parts},    {CLI_NEAR_MISS, of_near_miss}, {CLI_HMAX, of_hmax},
    {CLI_RTOL, of_tolerance}, {CLI_ATOL, of_tolerance},      {CLI_TOLERANCE, of_tolerance},
    {CLI_CLOCKS, of_clocks},  {CLI_THREADS, of_threads},     {CLI_EVERY, of_every},
};

/* ---- showing ---- */

static const brink_system *system_of(const cli_simulation *sim) {
  return sim->run->system;
}

static bool model_says(const cli_simulation *sim, const char *name) {
  const brink_system *system = system_of(sim);
  for (size_t k = 0; k < system->nsettings; k++) {
    if (strcmp(system->settings[k].name, name) == 0) return true;
  }
  return false;
}

static brink_method method_of(const brink_run *run) {
  const brink_sim *sim =
      run->population_run != NULL ? brink_agents_sim(run->population_run->agents, 0) : run->sim;
  return brink_sim_stats(sim)->method;
}

void cli_effects_show(const cli_simulation *sim) {
  if (sim->settings.quiet) return;
  const brink_component *top = brink_hsml_top(sim->model);
  facts f = {.sim = sim,
             .options = &sim->settings.run.sim,
             .method = method_of(sim->run),
             .populations = top != NULL && top->npopulations > 0,
             .one_clock = sim->settings.run.clocks == BRINK_CLOCKS_ONE};
  for (size_t k = 0; k < sizeof effects / sizeof *effects; k++) {
    const char *name = cli_options[effects[k].id].name;
    bool given = cli_has(sim->arguments, effects[k].id);
    const char *reason = given || model_says(sim, name) ? effects[k].reason(&f) : NULL;
    if (reason == NULL) continue;
    if (given)
      cli_say("warning: --%s has no effect: %s", name, reason);
    else
      cli_say("warning: '%s' of the simulation section has no effect: %s", name, reason);
  }
}
