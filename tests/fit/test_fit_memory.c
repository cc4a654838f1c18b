/* test_fit_memory.c: every allocation of a fit fails once: files are read, expressions are read, fits and designs are solved and
 * told. It ends with MEMORY or well, and nothing is lost (under AddressSanitizer). Memory comes from calloc, in whose place the
 * linker puts __wrap_calloc (cmake/BrinkTests.cmake). */
#include "check.h"
#include "fit/fit_parts.h"
#include "problems/fits.h"
#include "sweep/vary.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_long calls, fails_at; /* the call that fails, from 1; 0: none */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) {
  long call = atomic_fetch_add(&calls, 1) + 1;
  return call == atomic_load(&fails_at) ? NULL : __real_calloc(count, size);
}

/* ---- what is tried ---- */

typedef brink_status trial(brink_hsml *model, brink_diag *diag);

static const char text[] =
    "ctc Decay is\n"
    "  interface knob(k); output(y, signal); end interface;\n"
    "  body\n"
    "    declarations state(x, real); parameter(k, real, (0.0, 9.0)); flag(half); end "
    "declarations;\n"
    "    initial x := 1.0; end initial;\n"
    "    dynamics x' = -k*x; half = x - 0.5; end dynamics;\n"
    "    output y = 2.0*x; end output;\n"
    "    assignments k : 1.0; end assignments;\n"
    "  end body;\n"
    "end Decay;\n";

static brink_status create(brink_hsml *model, brink_diag *diag, brink_fit **fit) {
  static const brink_fit_knob knob = {.name = "k", .lo = 0.1, .hi = 5.0};
  brink_run_options options = brink_default_run();
  brink_fit_def def = brink_default_fit();
  options.interpret = true;
  options.until = 2.0;
  def.model = model;
  def.options = &options;
  def.knobs = &knob;
  def.nknobs = 1;
  def.starts = 2;
  def.max_runs = 12;
  return brink_fit_create(&def, diag, fit);
}

static brink_status read_data(brink_fit *fit, brink_diag *diag) {
  brink_status status = brink_fit_read_curves(fit, "curves.csv", diag);
  if (status == BRINK_OK) status = brink_fit_read_events(fit, "events.csv", diag);
  return status == BRINK_OK ? brink_fit_set_sigma(fit, "x", 0.1, diag) : status;
}

static brink_status tell(brink_fit *fit, brink_diag *diag) {
  brink_bytes json = {0}, page = {0};
  brink_status status = brink_fit_json(fit, &json, diag);
  if (status == BRINK_OK) status = brink_fit_report(fit, &page, diag);
  brink_bytes_free(&json);
  brink_bytes_free(&page);
  return status;
}

static brink_status try_files(brink_hsml *model, brink_diag *diag) {
  brink_fit *fit = NULL;
  brink_status status = create(model, diag, &fit);
  if (status == BRINK_OK) status = read_data(fit, diag);
  brink_fit_destroy(fit);
  return status;
}

static brink_status read_design(brink_fit *fit, brink_diag *diag) {
  brink_status status =
      brink_fit_set_objective(fit, "at(half, x)*first(half) + (k - 1)^2 + sin(y)", false, diag);
  return status == BRINK_OK ? brink_fit_add_condition(fit, "final(x) <= initial(x)", diag) : status;
}

static brink_status try_expressions(brink_hsml *model, brink_diag *diag) {
  brink_fit *fit = NULL;
  brink_status status = create(model, diag, &fit);
  if (status == BRINK_OK) status = read_design(fit, diag);
  brink_fit_destroy(fit);
  return status;
}

static brink_status try_knobs(brink_hsml *model, brink_diag *diag) {
  static const char *const knobs[] = {"k=0.1:5", "plant.k=log:0.1:5:7", "m=a,b,c", "k=normal(1,2)"};
  brink_arena arena;
  brink_vary vary;
  brink_status status = BRINK_OK;
  (void)model;
  brink_arena_init(&arena, NULL);
  for (size_t k = 0; k < sizeof knobs / sizeof knobs[0] && status == BRINK_OK; k++)
    status = brink_vary_read(&arena, knobs[k], &vary, diag);
  brink_arena_free(&arena);
  return status;
}

static brink_status try_fit(brink_hsml *model, brink_diag *diag) {
  brink_fit *fit = NULL;
  brink_status status = create(model, diag, &fit);
  if (status == BRINK_OK) status = read_data(fit, diag);
  if (status == BRINK_OK) status = brink_fit_solve(fit, diag);
  if (status == BRINK_OK) status = tell(fit, diag);
  brink_fit_destroy(fit);
  return status;
}

static brink_status try_design(brink_hsml *model, brink_diag *diag) {
  brink_fit *fit = NULL;
  brink_status status = create(model, diag, &fit);
  if (status == BRINK_OK) status = read_design(fit, diag);
  if (status == BRINK_OK) status = brink_fit_solve(fit, diag);
  if (status == BRINK_OK) status = tell(fit, diag);
  brink_fit_destroy(fit);
  return status;
}

/* ---- all allocations, or about `most` of them ---- */

static void fail_each(trial *tried, const char *name, long most) {
  brink_diag diag;
  brink_hsml *model = NULL;
  long all = 0, refused = 0, tries = 0;
  CHECK(brink_hsml_load_text(text, &diag, &model) == BRINK_OK);
  for (int round = 0; round < 2; round++) { /* the first one fills what is kept with the model */
    atomic_store(&calls, 0);
    CHECK_MSG(tried(model, &diag) == BRINK_OK, "%s: %s", name, diag.message);
    all = atomic_load(&calls);
  }
  long step = all / most + 1;
  for (long call = 1; call <= all; call += step) {
    atomic_store(&calls, 0);
    atomic_store(&fails_at, call);
    brink_diag_clear(&diag);
    brink_status status = tried(model, &diag);
    atomic_store(&fails_at, 0);
    tries++;
    refused += status == BRINK_ERR_MEMORY;
    CHECK_MSG(status == BRINK_OK || (status == BRINK_ERR_MEMORY && diag.message[0] != '\0'),
              "%s, allocation %ld of %ld: %s: %s", name, call, all, brink_status_text(status),
              diag.message);
  }
  CHECK_MSG(all > 0 && 2 * refused > tries, "%s: %ld of %ld failures were told", name, refused,
            tries);
  brink_hsml_destroy(model);
}

TEST(each_allocation_of_reading_fails_once) {
  fail_each(try_files, "files", 1000);
  fail_each(try_expressions, "expressions", 1000);
  fail_each(try_knobs, "knobs", 1000);
}

TEST(allocations_of_solving_and_telling_fail_once) {
  fail_each(try_fit, "fit", 300);
  fail_each(try_design, "design", 300);
}

int main(void) {
  FILE *file = fopen("curves.csv", "w");
  fputs("t,x,x.sigma,y,y.sigma\n0,1,0.1,2,0.1\n1,0.4,,0.8,0.1\n2,0.1,0.1,0.3,0.1\n", file);
  fclose(file);
  file = fopen("events.csv", "w");
  fputs("flag,time,sigma\nhalf,0.7,0.1\n", file);
  fclose(file);
  RUN(each_allocation_of_reading_fails_once);
  RUN(allocations_of_solving_and_telling_fail_once);
  return check_done();
}
