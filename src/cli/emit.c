/* emit.c: brink emit: the generated C of a model. */
#include "cli/load.h"
#include "cli/settings.h"
#include "native/series_run.h"
#include "num/order.h"

/* With the solution's series, as a run at these tolerances has them. */
static int emit(brink_system *system, const brink_options *run) {
  brink_emit_options options = {
      .guards = true, .jets = true, .actions = true, .all = true, .comments = true};
  brink_emission emission;
  /* Series of unknowns of constraints are solved for round by round: the interpreter does it. */
  bool series = system->nz == 0 && !brink_program_calls_external(&system->rhs);
  if (series)
    options.flow =
        brink_flow_make(&system->rhs, system->nx, system->nz, system->nv, &system->arena);
  if (options.flow != NULL && run->order > 0)
    options.flow_order = run->order;
  else if (options.flow != NULL)
    options.flow_order =
        brink_series_order(run->rtol, brink_flow_degree(options.flow), options.flow->work);
  options.guard_order = 2 * options.flow_order;
  if ((series && options.flow == NULL) || !brink_emit(system, &options, NULL, &emission)) {
    cli_say("out of memory");
    return CLI_NUMERICS;
  }
  cli_output output;
  cli_output_open(&output, "-");
  cli_output_write(emission.source.data, emission.source.length, &output);
  brink_emission_free(&emission);
  return cli_output_close(&output);
}

int cli_emit(const cli_arguments *arguments) {
  brink_hsml *model = NULL;
  int outcome = cli_load(&model, arguments, arguments->operands[0], BRINK_BUILD_WHOLE);
  cli_settings settings;
  if (outcome == CLI_OK) outcome = cli_settings_read(&settings, arguments);
  if (outcome == CLI_OK) outcome = emit(model->built->system, &settings.run.sim);
  brink_hsml_destroy(model);
  return outcome;
}
