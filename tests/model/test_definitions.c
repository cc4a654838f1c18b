/* Definitions of callers whose header is older than the library, or newer: what they do not know has its default, and
 * what the library does not know is refused. VERSIONING.md has the rule. */
#include "check.h"

#include <brink/build.h>
#include <brink/sensitivity.h>
#include <math.h>
#include <string.h>

#include "support/counting.h"

static int decay(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -x[0];
  return 0;
}

static int nothing(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)now, (void)user;
  return 0;
}

static const double start[] = {1.0};
static const double one[] = {1.0};

static brink_model_def definition(void) {
  brink_model_def def = brink_default_model();
  def.nx = 1;
  def.x0 = start;
  def.rhs = decay;
  return def;
}

static brink_status create(const brink_model_def *def, brink_diag *diag) {
  brink_model *model;
  brink_status status = brink_model_create(def, NULL, diag, &model);
  CHECK((model != NULL) == (status == BRINK_OK));
  brink_model_destroy(model);
  return status;
}

TEST(a_definition_without_a_size_is_refused) {
  brink_diag diag;
  brink_model_def def = definition();
  def.size = 0;
  CHECK_INT(create(&def, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "brink_model_def: size is 0: begin with brink_default");
}

TEST(a_definition_of_a_newer_header_is_refused) {
  brink_diag diag;
  struct {
    brink_model_def def;
    double more;
  } newer = {.def = definition(), .more = 1.0};
  newer.def.size = sizeof newer;
  CHECK_INT(create(&newer.def, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "it is older than the header");
}

/* The defaults are written as far as the caller's struct goes, and not further. */
TEST(defaults_stay_within_the_callers_struct) {
  unsigned char memory[sizeof(brink_options) + 8];
  const size_t known = offsetof(brink_options, near_miss);
  memset(memory, 0xa5, sizeof memory);
  brink_options_defaults((brink_options *)(void *)memory, known);
  for (size_t k = known; k < sizeof memory; k++) CHECK_INT(memory[k], 0xa5);
  size_t size;
  memcpy(&size, memory, sizeof size);
  CHECK_INT((int)size, (int)known);
}

/* What follows the size that a caller gives is not read: here it is rubbish. */
TEST(what_an_older_caller_does_not_know_has_its_default) {
  brink_diag diag;
  brink_model_def def = definition();
  def.size = offsetof(brink_model_def, nguards);
  def.nguards = 1000;
  def.guards = NULL;
  brink_model *model;
  CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
  brink_options options = brink_default_options();
  options.size = offsetof(brink_options, gamma);
  options.gamma = -1.0;
  options.mnm_parts = -1;
  brink_sim *sim;
  CHECK_INT(brink_sim_create(model, &options, NULL, &diag, &sim), BRINK_OK);
  brink_sensitivity_def directions = brink_default_sensitivity();
  directions.size = offsetof(brink_sensitivity_def, rtol);
  directions.rtol = -1.0;
  brink_sensitivity *sensitivity;
  CHECK_INT(brink_sensitivity_create(sim, &directions, NULL, &diag, &sensitivity), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 1.0, &diag), BRINK_TIME_REACHED);
  CHECK(fabs(brink_sim_state(sim)[0] - exp(-1.0)) < 1e-5);
  brink_sensitivity_destroy(sensitivity);
  brink_sim_destroy(sim);
  options.size = 0;
  CHECK_INT(brink_sim_create(model, &options, NULL, &diag, &sim), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "brink_options: size is 0");
  CHECK_INT(brink_sim_create(model, NULL, NULL, &diag, &sim), BRINK_OK);
  directions.size = sizeof directions + 8;
  CHECK_INT(brink_sensitivity_create(sim, &directions, NULL, &diag, &sensitivity),
            BRINK_ERR_ARGUMENT);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* A guard as an older header has it: it ends before `inside`. */
enum { OLD_GUARD = offsetof(brink_guard_def, inside) };

static void pack_guards(char *to, const brink_guard_def *guards, size_t count) {
  for (size_t k = 0; k < count; k++) {
    brink_guard_def guard = guards[k];
    guard.size = OLD_GUARD;
    memcpy(to + k * OLD_GUARD, &guard, OLD_GUARD);
  }
}

/* Two guards, one behind the other with the distance that they say themselves; a run finds the events of both. */
static void run_old_guards(const brink_allocator *allocator, brink_status wanted) {
  brink_guard_def guards[2] = {brink_default_guard("half"), brink_default_guard("tenth")};
  guards[0].coefficients = guards[1].coefficients = one;
  guards[0].offset = -0.5, guards[1].offset = -0.1;
  _Alignas(16) char packed[2 * OLD_GUARD];
  pack_guards(packed, guards, 2);
  brink_model_def def = definition();
  def.nguards = 2;
  def.guards = (const brink_guard_def *)(const void *)packed;
  brink_diag diag;
  brink_model *model;
  brink_status status = brink_model_create(&def, allocator, &diag, &model);
  if (wanted == BRINK_OK) CHECK_INT(status, BRINK_OK);
  if (status != BRINK_OK) return;
  brink_sim *sim;
  CHECK_INT(brink_sim_create(model, NULL, NULL, &diag, &sim), BRINK_OK);
  const double times[] = {log(2.0), log(10.0)};
  for (size_t k = 0; k < 2; k++) {
    CHECK_INT(brink_sim_next_event(sim, 10.0, &diag), BRINK_EVENT);
    CHECK(fabs(brink_sim_time(sim) - times[k]) < 1e-4);
  }
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

TEST(arrays_go_by_the_size_that_their_elements_say) {
  run_old_guards(NULL, BRINK_OK);
}

TEST(reading_old_arrays_survives_every_failed_allocation) {
  for (long n = 1; n < 40; n++) {
    counting heap = {.fail_at = n};
    brink_allocator allocator = counting_allocator(&heap);
    run_old_guards(&allocator, BRINK_ERR_MEMORY);
    CHECK_INT(heap.live, 0);
  }
}

TEST(an_array_with_two_sizes_is_refused) {
  brink_diag diag;
  brink_clock_def clocks[2] = {brink_default_clock("a"), brink_default_clock("b")};
  clocks[0].tick = clocks[1].tick = nothing;
  clocks[0].period = clocks[1].period = 1.0;
  brink_model_def def = definition();
  def.nclocks = 2;
  def.clocks = clocks;
  CHECK_INT(create(&def, &diag), BRINK_OK);
  clocks[1].size = 0;
  CHECK_INT(create(&def, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "brink_clock_def: size is 0 in element 1");
  clocks[0].size = 0;
  CHECK_INT(create(&def, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "brink_clock_def: size is 0: begin");
}

TEST(builders_read_sizes_too) {
  brink_diag diag;
  brink_builder *b;
  brink_built *built;
  CHECK_INT(brink_builder_create("decay", NULL, &diag, &b), BRINK_OK);
  brink_ex x = brink_builder_state(b, "x", 1.0);
  brink_builder_derivative(b, x, brink_ex_neg(x));
  brink_build_options options = brink_default_build();
  options.interpret = true;
  options.size = offsetof(brink_build_options, rtol);
  options.rtol = -1.0;
  CHECK_INT(brink_builder_finish(b, &options, &diag, &built), BRINK_OK);
  brink_built_destroy(built);
  brink_guard_def guard = brink_default_guard("zero");
  guard.size = 0;
  CHECK_INT((int)(brink_builder_guard(b, &guard, x) == BRINK_NONE), 1);
  CHECK_INT(brink_builder_finish(b, NULL, &diag, &built), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "brink_guard_def: size is 0");
  brink_builder_destroy(b);
}

int main(void) {
  RUN(a_definition_without_a_size_is_refused);
  RUN(a_definition_of_a_newer_header_is_refused);
  RUN(defaults_stay_within_the_callers_struct);
  RUN(what_an_older_caller_does_not_know_has_its_default);
  RUN(arrays_go_by_the_size_that_their_elements_say);
  RUN(reading_old_arrays_survives_every_failed_allocation);
  RUN(an_array_with_two_sizes_is_refused);
  RUN(builders_read_sizes_too);
  return check_done();
}
