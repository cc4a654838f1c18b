/* tsan_fit.c: a fit with several threads on one model, for ThreadSanitizer: to its end, and stopped on its way.
 * test_fit_workers.c looks at the results. */
#include "check.h"
#include "fit/fit_parts.h"
#include "problems/fits.h"

static int stop_soon(const brink_fit_progress *progress, void *user) {
  (void)user;
  return progress->runs >= 3;
}

static void solve(bool stopped) {
  const fit_case *c = &fit_cases[5];
  fit_data exact;
  brink_hsml *model;
  brink_fit *fit;
  brink_diag diag;
  CHECK(fit_case_exact(c, &exact));
  CHECK(fit_case_make(c, &exact, true, BRINK_FIT_AUTO, 2, &model, &fit, &diag) == BRINK_OK);
  fit->def.jobs = 3;
  if (stopped) fit->def.progress = stop_soon;
  brink_status status = brink_fit_solve(fit, &diag);
  CHECK_MSG(status == BRINK_OK || (stopped && status == BRINK_CANCELLED), "%s", diag.message);
  CHECK(brink_fit_get(fit) != NULL);
  brink_fit_destroy(fit);
  brink_hsml_destroy(model);
}

TEST(threads_share_a_model) {
  solve(false);
}

TEST(threads_are_stopped) {
  solve(true);
}

int main(void) {
  RUN(threads_share_a_model);
  RUN(threads_are_stopped);
  return check_done();
}
