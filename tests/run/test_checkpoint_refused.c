/* Checkpoints that are damaged, cut off, or belong to another run are refused with the reason. What is in them is not
 * believed: bytes that were changed, with a checksum that fits, end in a refusal or in some run, never in anything else. */
#include <brink/record.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "record/checkpoint_file.h"
#include "run/run.h"
#include "sim/sim.h"
#include "support/counting.h"

static uint64_t seed;
static size_t times = 1, shift = 0; /* more rounds, others: the numbers that the program is given */

static size_t pick(size_t below) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (size_t)(seed % below);
}

static brink_hsml *load(const char *name) {
  char path[1024];
  brink_hsml *model = NULL;
  brink_diag diag;
  snprintf(path, sizeof path, BRINK_SOURCE_DIR "/%s", name);
  CHECK_MSG(brink_hsml_load_file(path, &diag, &model) == BRINK_OK, "%s: %s", name, diag.message);
  return model;
}

static brink_run_options options_of(brink_hsml *model, brink_method method) {
  brink_run_options options;
  CHECK(brink_hsml_options(model, &options, NULL) == BRINK_OK);
  options.interpret = true;
  options.threads = 1;
  options.sim.method = method;
  if (!isfinite(options.until)) options.until = 5.0;
  return options;
}

/* A report, derivatives and dense output, too. */
static bool collects;

static brink_run *make(brink_hsml *model, const brink_run_options *options) {
  brink_run *run = NULL;
  brink_diag diag;
  brink_run_options chosen = *options;
  chosen.conditions = collects;
  CHECK_MSG(brink_run_create(model, &chosen, NULL, &diag, &run) == BRINK_OK, "%s", diag.message);
  CHECK(brink_run_keep_trajectory(run, NULL) == BRINK_OK);
  CHECK(brink_run_prepare_summary(run, NULL) == BRINK_OK);
  if (!collects) return run;
  CHECK(brink_run_prepare_report(run, NULL) == BRINK_OK);
  brink_run_keep_sensitivity(run, NULL, 0, NULL);
  brink_run_keep_dense(run, NULL);
  return run;
}

/* After some steps. */
static brink_bytes saved_after(brink_hsml *model, const brink_run_options *options, int64_t steps) {
  brink_bytes bytes = {0};
  brink_run *run = make(model, options);
  run->options.sim.max_steps = steps;
  brink_run_to(run, options->until, NULL);
  for (int k = 0; k < 50 && brink_run_save(run, &bytes, NULL) == BRINK_ERR_UNSUPPORTED; k++)
    brink_run_step(run, options->until, NULL);
  CHECK(bytes.length > 0);
  brink_run_destroy(run);
  return bytes;
}

static brink_status restore(brink_hsml *model, const brink_run_options *options, const void *bytes,
                            size_t length, brink_diag *diag) {
  brink_run *run = make(model, options);
  brink_status status = brink_run_restore(run, bytes, length, diag);
  brink_run_destroy(run);
  return status;
}

/* ---- of another run ---- */

static void check_foreign(const brink_bytes *bytes, brink_hsml *model,
                          const brink_run_options *options, const char *says) {
  brink_diag diag;
  CHECK_INT(restore(model, options, bytes->data, bytes->length, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, says);
}

TEST(a_checkpoint_of_another_run_is_refused_with_what_is_different) {
  brink_hsml *model = load("models/thermostat/model.hsml"),
             *other = load("models/relay/model.hsml");
  brink_run_options options = options_of(model, BRINK_ADAMS), changed = options;
  brink_bytes bytes = saved_after(model, &options, 20);
  CHECK_INT(restore(model, &options, bytes.data, bytes.length, NULL), BRINK_OK);
  brink_run_options others = options_of(other, BRINK_ADAMS);
  check_foreign(&bytes, other, &others, "another model");
  changed.sim.rtol *= 2.0;
  check_foreign(&bytes, model, &changed, "another rtol");
  changed = options, changed.sim.method = BRINK_DOPRI;
  check_foreign(&bytes, model, &changed, "another method ('adams', not 'dopri')");
  changed = options, changed.until *= 2.0;
  check_foreign(&bytes, model, &changed, "another until");
  changed = options, changed.seed++;
  check_foreign(&bytes, model, &changed, "another seed");
  changed = options, changed.every = 0.25;
  check_foreign(&bytes, model, &changed, "another every");
  brink_run *plain = NULL;
  brink_diag diag;
  CHECK(brink_run_create(model, &options, NULL, NULL, &plain) == BRINK_OK);
  CHECK_INT(brink_run_restore(plain, bytes.data, bytes.length, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "another json");
  brink_run_destroy(plain);
  brink_bytes_free(&bytes);
  brink_hsml_destroy(model);
  brink_hsml_destroy(other);
}

/* ---- damaged ---- */

TEST(a_checkpoint_that_is_cut_off_or_changed_is_refused) {
  brink_hsml *model = load("models/thermostat/model.hsml");
  brink_run_options options = options_of(model, BRINK_ADAMS);
  brink_bytes bytes = saved_after(model, &options, 20);
  brink_diag diag;
  for (size_t length = 0; length < bytes.length; length += 1 + length / 7) {
    CHECK_INT(restore(model, &options, bytes.data, length, &diag), BRINK_ERR_FILE);
    CHECK_CONTAINS(diag.message, "not complete");
  }
  seed = 12345;
  for (int k = 0; k < 200; k++) {
    size_t at = pick(bytes.length);
    char kept = bytes.data[at];
    bytes.data[at] = (char)(kept ^ (1 << pick(8)));
    CHECK_INT(restore(model, &options, bytes.data, bytes.length, &diag), BRINK_ERR_FILE);
    bytes.data[at] = kept;
  }
  uint32_t swapped = 0x04030201u;
  memcpy(bytes.data + 8, &swapped, sizeof swapped);
  CHECK_INT(restore(model, &options, bytes.data, bytes.length, &diag), BRINK_ERR_FILE);
  CHECK_CONTAINS(diag.message, "byte order");
  CHECK_INT(restore(model, &options,
                    "a text that is no checkpoint, and long enough to be one, ........", 64, &diag),
            BRINK_ERR_FILE);
  brink_bytes_free(&bytes);
  brink_hsml_destroy(model);
}

/* ---- with malice ---- */

static void change(brink_text *bytes) {
  static const unsigned char values[] = {0, 1, 2, 0x7f, 0x80, 0xff};
  static const double numbers[] = {NAN, INFINITY, -INFINITY, -1.0, 0.0, 1e300, -1e300, 1e-300, 3.0};
  size_t at = pick(bytes->length), length = 1 + pick(8);
  if (at + length > bytes->length) length = bytes->length - at;
  double number = numbers[pick(sizeof numbers / sizeof numbers[0])];
  switch (pick(6)) {
  case 0:
    bytes->data[at] = (char)(bytes->data[at] ^ (1 << pick(8)));
    break;
  case 1:
    memset(bytes->data + at, values[pick(sizeof values)], length);
    break;
  case 2: /* a piece from elsewhere */
    memmove(bytes->data + at, bytes->data + pick(bytes->length - length + 1), length);
    break;
  case 3: /* another number */
    if (bytes->length > sizeof number)
      memcpy(bytes->data + pick(bytes->length - sizeof number), &number, sizeof number);
    break;
  case 4: /* something is missing */
    memmove(bytes->data + at, bytes->data + at + length, bytes->length - at - length);
    bytes->length -= length;
    break;
  default:
    bytes->length -= pick(bytes->length / 2);
  }
}

/* Refused, or a run that goes on as it can. */
static bool survives(brink_hsml *model, const brink_run_options *options, const brink_text *bytes) {
  brink_text packed = {0};
  CHECK(brink_checkpoint_pack(bytes->data, bytes->length, &packed));
  brink_run *run = make(model, options);
  brink_status status = brink_run_restore(run, packed.data, packed.length, NULL);
  if (status == BRINK_OK) {
    brink_bytes summary = {0};
    run->options.sim.max_steps = 10;
    brink_run_to(run, options->until, NULL);
    brink_run_finish(run, NULL);
    brink_run_summary(run, &summary, NULL);
    brink_bytes_free(&summary);
    if (collects) brink_run_report(run, &summary, NULL);
    brink_bytes_free(&summary);
    double t = options->until, room[64];
    if (run->kept.varying <= 64)
      brink_run_trajectory_at(run, &t, 1, NULL, run->kept.varying, room, NULL);
  }
  CHECK(status == BRINK_OK || status == BRINK_ERR_FILE || status == BRINK_ERR_ARGUMENT ||
        status == BRINK_ERR_MEMORY);
  brink_run_destroy(run);
  brink_text_free(&packed);
  return status == BRINK_OK;
}

static void check_malice(const char *name, brink_method method, int64_t steps, size_t rounds) {
  brink_hsml *model = load(name);
  brink_run_options options = options_of(model, method);
  brink_bytes saved = saved_after(model, &options, steps);
  brink_text bytes = {0}, copy = {0};
  brink_diag diag;
  size_t went_on = 0;
  CHECK_INT(brink_checkpoint_unpack(saved.data, saved.length, &bytes, &diag), BRINK_OK);
  CHECK(survives(model, &options, &bytes));
  seed += shift;
  for (size_t k = 0; k < times * rounds; k++) {
    copy.length = 0;
    brink_text_append(&copy, bytes.data, bytes.length);
    for (size_t changes = 1 + pick(3); changes > 0 && copy.length > 16; changes--) change(&copy);
    went_on += survives(model, &options, &copy);
  }
  CHECK_MSG(went_on < times * rounds, "%s: nothing was refused", name);
  brink_text_free(&copy);
  brink_text_free(&bytes);
  brink_bytes_free(&saved);
  brink_hsml_destroy(model);
}

TEST(bytes_that_were_changed_with_malice_do_no_harm) {
  seed = 20241117;
  check_malice("models/thermostat/model.hsml", BRINK_ADAMS, 20, 300);
  check_malice("models/bouncing-ball/model.hsml", BRINK_TAYLOR, 9, 300);
  check_malice("models/sliding-mode/model.hsml", BRINK_DOPRI, 40, 300);
  check_malice("models/mackey-glass/model.hsml", BRINK_ADAMS, 60, 300);
  check_malice("models/cartesian-pendulum/model.hsml", BRINK_BDF, 40, 300);
  check_malice("models/string-pendulum/model.hsml", BRINK_ADAMS, 60, 300);
  check_malice("models/mmc-queue/model.hsml", BRINK_ADAMS, 60, 300);
  check_malice("models/timers/model.hsml", BRINK_ADAMS, 10, 300);
  check_malice("models/sampled-thermostat/model.hsml", BRINK_AUTO, 30, 300);
  check_malice("models/van-der-pol/model.hsml", BRINK_AUTO, 300, 300);
  check_malice("models/three-agents/model.hsml", BRINK_AUTO, 20, 300);
  check_malice("models/bumper-discs/model.hsml", BRINK_ADAMS, 40, 300);
}

/* Where the bytes of a part begin, behind its mark. */
static char *part(const brink_text *bytes, const char *name) {
  char mark[8] = {0};
  memcpy(mark, name, strlen(name));
  for (size_t k = 0; k + sizeof mark <= bytes->length; k++)
    if (memcmp(bytes->data + k, mark, sizeof mark) == 0) return bytes->data + k + sizeof mark;
  return NULL;
}

static brink_status restore_packed(brink_hsml *model, const brink_run_options *options,
                                   const brink_text *bytes) {
  brink_text packed = {0};
  CHECK(brink_checkpoint_pack(bytes->data, bytes->length, &packed));
  brink_status status = restore(model, options, packed.data, packed.length, NULL);
  brink_text_free(&packed);
  return status;
}

/* All ticks between the one that is forged and the present would be due at once. */
TEST(a_clock_that_has_ticks_to_catch_up_is_refused) {
  static const int64_t late[] = {2, 1000000, (int64_t)1 << 60};
  brink_hsml *model = load("models/sampled-thermostat/model.hsml");
  brink_run_options options = options_of(model, BRINK_ADAMS);
  brink_bytes bytes = saved_after(model, &options, 30);
  brink_text whole = {0};
  brink_diag diag;
  CHECK(brink_checkpoint_unpack(bytes.data, bytes.length, &whole, &diag) == BRINK_OK);
  char *clocks = part(&whole, "clocks");
  int64_t tick = 0;
  CHECK(clocks != NULL);
  if (clocks != NULL) memcpy(&tick, clocks, sizeof tick);
  CHECK(tick > 2);
  CHECK_INT(restore_packed(model, &options, &whole), BRINK_OK);
  for (size_t k = 0; clocks != NULL && k < sizeof late / sizeof late[0]; k++) {
    int64_t forged = tick - late[k];
    memcpy(clocks, &forged, sizeof forged);
    CHECK_INT(restore_packed(model, &options, &whole), BRINK_ERR_FILE);
  }
  brink_text_free(&whole);
  brink_bytes_free(&bytes);
  brink_hsml_destroy(model);
}

TEST(what_is_collected_is_not_believed_either) {
  seed = 20241118;
  collects = true;
  check_malice("models/thermostat/model.hsml", BRINK_AUTO, 20, 200);
  check_malice("models/sliding-mode/model.hsml", BRINK_DOPRI, 40, 200);
  check_malice("models/stick-slip/model.hsml", BRINK_ADAMS, 40, 200);
  check_malice("models/three-agents/model.hsml", BRINK_AUTO, 20, 200);
  collects = false;
}

/* A run that was refused its checkpoint has nothing to tell, and nothing leads out of it. (A summary of it once followed a pointer
 * that was not there.) */
TEST(a_run_that_was_not_restored_stays_so) {
  brink_hsml *model = load("models/thermostat/model.hsml");
  brink_run_options options = options_of(model, BRINK_ADAMS);
  brink_bytes bytes = {0};
  brink_diag diag;
  brink_run *run = make(model, &options), *other = NULL;
  CHECK_INT(brink_run_restore(run, "no checkpoint", 13, NULL), BRINK_ERR_FILE);
  CHECK_INT(brink_run_finish(run, NULL), BRINK_OK);
  CHECK_INT(brink_run_summary(run, &bytes, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "could not be restored");
  CHECK_INT(brink_run_report(run, &bytes, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_run_to(run, 1.0, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_run_clone(run, NULL, &other), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_run_reset(run, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "could not be restored");
  brink_run_outcome outcome = brink_run_result(run);
  CHECK(strcmp(outcome.status, "failed") == 0 && strcmp(outcome.reason, "file") == 0);
  CHECK_CONTAINS(outcome.message, "could not be restored");
  brink_run_destroy(run);
  brink_hsml_destroy(model);
}

/* Surfaces that hold the state, and those of Filippov's kind among them: two lists that have to agree. */
TEST(a_surface_that_holds_the_state_is_in_the_list_of_its_kind) {
  brink_hsml *model = load("models/sliding-mode/model.hsml");
  brink_run_options options = options_of(model, BRINK_ADAMS);
  brink_bytes bytes = {0};
  brink_run *run = make(model, &options);
  for (int k = 0; k < 1000 && run->sim->eval.nfilippov == 0; k++)
    brink_run_step(run, options.until, NULL);
  CHECK_INT(run->sim->eval.nfilippov, 1);
  CHECK_INT(brink_run_save(run, &bytes, NULL), BRINK_OK);
  CHECK_INT(restore(model, &options, bytes.data, bytes.length, NULL), BRINK_OK);
  brink_bytes_free(&bytes);
  run->sim->eval.nfilippov = 0; /* as somebody may write it */
  CHECK_INT(brink_run_save(run, &bytes, NULL), BRINK_OK);
  CHECK_INT(restore(model, &options, bytes.data, bytes.length, NULL), BRINK_ERR_FILE);
  run->sim->eval.nfilippov = 1;
  brink_run_destroy(run);
  brink_bytes_free(&bytes);
  brink_hsml_destroy(model);
}

/* ---- what cannot be saved ---- */

TEST(runs_that_cannot_be_saved_say_why) {
  brink_hsml *model = load("models/thermostat/model.hsml");
  brink_run_options options = options_of(model, BRINK_ADAMS);
  brink_bytes bytes;
  brink_diag diag;
  brink_run *run = make(model, &options);
  CHECK(brink_run_record_memory(run, "csv", NULL) == BRINK_OK);
  CHECK_INT(brink_run_checkpoint(run, "nowhere", 1.0, &diag), BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(diag.message, "in memory");
  brink_run_destroy(run);
  run = make(model, &options);
  brink_run_to(run, options.until, NULL);
  brink_run_finish(run, NULL);
  CHECK_INT(brink_run_save(run, &bytes, &diag), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_run_restore(run, "", 0, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "has begun already");
  brink_run_destroy(run);
  CHECK_INT(brink_run_save(NULL, &bytes, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_run_restore(NULL, "", 0, NULL), BRINK_ERR_ARGUMENT);
  brink_hsml_destroy(model);
}

/* Compressible bytes, so that both texts are needed. */
TEST(a_checkpoint_that_there_is_no_memory_for_is_not_packed) {
  char bytes[5000] = {0};
  bool packs = false;
  for (long n = 1; n < 20 && !packs; n++) {
    counting state = {.fail_at = n};
    brink_text packed = {.allocator = counting_allocator(&state)};
    packs = brink_checkpoint_pack(bytes, sizeof bytes, &packed);
    CHECK(packs == (state.calls < n));
    brink_text_free(&packed);
    CHECK_INT(state.live, 0);
  }
  CHECK(packs);
}

int main(int argc, char **argv) {
  if (argc > 1) times = (size_t)strtoul(argv[1], NULL, 10);
  if (argc > 2) shift = (size_t)strtoul(argv[2], NULL, 10);
  RUN(a_checkpoint_that_there_is_no_memory_for_is_not_packed);
  RUN(a_checkpoint_of_another_run_is_refused_with_what_is_different);
  RUN(a_checkpoint_that_is_cut_off_or_changed_is_refused);
  RUN(a_run_that_was_not_restored_stays_so);
  RUN(a_surface_that_holds_the_state_is_in_the_list_of_its_kind);
  RUN(runs_that_cannot_be_saved_say_why);
  RUN(bytes_that_were_changed_with_malice_do_no_harm);
  RUN(a_clock_that_has_ticks_to_catch_up_is_refused);
  RUN(what_is_collected_is_not_believed_either);
  return check_done();
}
