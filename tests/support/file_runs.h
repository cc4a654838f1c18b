/* file_runs.h: runs of model files through the public headers, interpreted. */
#ifndef BRINK_TESTS_FILE_RUNS_H
#define BRINK_TESTS_FILE_RUNS_H

#include "check.h"

#include <brink/hsml.h>
#include <math.h>

#define MODEL(name) BRINK_SOURCE_DIR "/models/" name "/model.hsml"

static inline brink_hsml *load_model(const char *path) {
  brink_diag diag;
  brink_hsml *model = NULL;
  CHECK_MSG(brink_hsml_load_file(path, &diag, &model) == BRINK_OK, "%s", diag.message);
  return model;
}

/* Those of the model; where it has no end, until 10. */
static inline brink_run_options options_of(brink_hsml *model) {
  brink_run_options options;
  CHECK(brink_hsml_options(model, &options, NULL) == BRINK_OK);
  options.interpret = true;
  if (isnan(options.until)) options.until = 10.0;
  return options;
}

static inline brink_run *make(brink_hsml *model, const brink_run_options *options) {
  brink_diag diag;
  brink_run *run = NULL;
  CHECK_MSG(brink_run_create(model, options, NULL, &diag, &run) == BRINK_OK, "%s", diag.message);
  return run;
}

#endif
