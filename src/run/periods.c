/* periods.c: can a run come to its end by periods and lags that are so short?
 *
 * No step is longer than hmax, a sample period, a constant lag or, where rows are written, their distance. Far below the resolution
 * of time such a run would never be over, and nothing would say why. So moves that are over at their end only are refused before they begin,
 * unless instants at this distance can be told apart all the way, and counted: 2^53 of them take centuries. A run without an end must
 * be able to come to the end of its first leg. What actions decide on the way (timers, lags that vary) is not known here. */
#include <float.h>
#include <math.h>

#include "run/population_run.h"
#include "sim/delay.h"

/* An instant and one that is `period` later: are they two, up to the end, and can all between be counted? */
static bool can_advance(const brink_run *run, double period, double end) {
  double t = brink_run_time(run), farthest = fmax(fabs(t), fabs(end));
  return !(period > 0.0) || (farthest + period > farthest && fabs(end - t) / period < 0x1p53);
}

/* The sample period of a system that is too short; 0: none is. */
static double short_period(const brink_run *run, const brink_system *system, double end) {
  for (size_t c = 0; c < system->nclocks; c++)
    if (!can_advance(run, system->clocks[c].period, end)) return system->clocks[c].period;
  return 0.0;
}

static double short_period_of_agents(const brink_run *run, double end) {
  const brink_agent_tables *tables = run->population_run->tables;
  double period = 0.0;
  for (size_t k = 0; k < tables->npopulations && period == 0.0; k++)
    period = short_period(run, tables->populations[k].one, end);
  return period;
}

/* The lag that is too short, as its bound is; 0: none is. */
static double short_lag(const brink_run *run, double end) {
  double lag = run->sim != NULL ? brink_delay_shortest(run->sim) : (double)INFINITY;
  double farthest = fmax(fabs(brink_run_time(run)), fabs(end));
  bool resolved = lag > BRINK_DELAY_RESOLVED * farthest;
  return isfinite(lag) && lag > 0.0 && !(resolved && can_advance(run, lag, end)) ? lag : 0.0;
}

/* The longest step that is allowed, if it is too short; 0: it is not. */
static double short_step(const brink_run *run, double end) {
  const brink_options *sim = &run->options.sim;
  bool fixed = brink_method_has_fixed_step(sim->method);
  double step = fixed ? sim->step : sim->hmax;
  return isfinite(step) && !can_advance(run, step, end) ? step : 0.0;
}

brink_status brink_run_check_periods(const brink_run *run, double end, brink_diag *diag) {
  bool rows = run->choice.path != NULL || run->choice.format != NULL || run->choice.trajectory;
  if (rows && !can_advance(run, run->options.every, end))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "rows every %g are too close for a run to t = %g: their times could not "
                          "be told apart, or not be counted",
                          run->options.every, end);
  double step = short_step(run, end);
  if (step > 0.0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "steps of %g are too short for a run to t = %g: their times could not be "
                          "told apart, or not be counted",
                          step, end);
  double period = run->population_run != NULL ? short_period_of_agents(run, end)
                                              : short_period(run, run->system, end);
  if (period > 0.0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "the sample period %g is too short for a run to t = %g: samples could "
                          "not be told apart, or not be counted",
                          period, end);
  double lag = short_lag(run, end);
  if (lag > 0.0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "the lag %g of a delay is too short for a run to t = %g: no step is "
                          "longer than it, and their times could not be told apart, or not be "
                          "counted",
                          lag, end);
  return BRINK_OK;
}
