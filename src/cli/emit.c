/* emit.c: brink emit: the generated C of a model. */
#include "cli/load.h"
#include "native/native.h"

static int emit(const brink_system *system) {
  brink_emit_options options = {
      .guards = true, .jets = true, .actions = true, .all = true, .comments = true};
  brink_emission emission;
  if (!brink_emit(system, &options, NULL, &emission)) {
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
  cli_loaded loaded;
  int outcome = cli_load(&loaded, arguments, arguments->operands[0]);
  if (outcome == CLI_OK) outcome = emit(loaded.system);
  cli_unload(&loaded);
  return outcome;
}
