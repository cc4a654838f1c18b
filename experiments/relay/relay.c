/* relay.c: Taylor 1995. */
#include <math.h>

#include "experiments/experiment.h"

static brink_status run(brink_lab *lab, brink_diag *diag) {
  brink_options options = brink_default_options();
  brink_lab_model *model = NULL;
  brink_status status =
      brink_lab_open(lab, "models/relay/model.hsml", NULL, &options, diag, &model);
  if (status != BRINK_OK) return status;
  status = brink_lab_begin(model, diag);
  if (status != BRINK_OK) return status;
  status = brink_sim_run(brink_lab_sim(model), 10.0, diag);
  if (status < 0) return status;
  double x1 = brink_lab_value(model, "plant.x1");
  brink_lab_compare(lab, "x1 after 10 s", NULL, brink_lab_near(x1, -0.244949366116653416, 1e-9),
                    "%.9f", x1);
  return BRINK_OK;
}

const brink_experiment brink_experiment_relay = {
    "relay", "A relay, with and without state-event handling", "Taylor 1995, figure 2", run};
