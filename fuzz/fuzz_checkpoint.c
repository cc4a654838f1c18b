/* fuzz_checkpoint.c: checkpoints that were forged. The checksum finds damage, not malice: who changes the bytes can make it
 * anew. So the input is a list of changes to the bytes of a checkpoint that is right, before these are packed.
 *
 *   byte 0   which run was saved
 *   then     changes of five bytes or more: what (1), where (2: in parts of 65536 of the whole), how (2 …)
 *
 * What is refused is refused with words. What is accepted goes on for a few steps, is looked at in every way, and is saved
 * and restored again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "record/checkpoint_file.h"
#include "run/run.h"

typedef struct subject {
  const char *path;
  brink_method method;
  int64_t steps; /* taken before it is saved */
  bool collects; /* a report, rows, dense output, conditions */
} subject;

#define MODEL(name) BRINK_SOURCE_DIR "/models/" name "/model.hsml"

static const subject subjects[] = {
    {MODEL("thermostat"), BRINK_ADAMS, 20, false},
    {MODEL("bouncing-ball"), BRINK_TAYLOR, 9, false},
    {MODEL("sliding-mode"), BRINK_DOPRI, 40, true},
    {MODEL("mackey-glass"), BRINK_ADAMS, 60, false},
    {MODEL("string-pendulum"), BRINK_ADAMS, 60, true},
    {MODEL("mmc-queue"), BRINK_AUTO, 60, false},
    {MODEL("timers"), BRINK_ADAMS, 10, true},
    {MODEL("van-der-pol"), BRINK_AUTO, 300, false},
    {MODEL("three-agents"), BRINK_AUTO, 20, true},
    {MODEL("bumper-discs"), BRINK_ADAMS, 40, false},
    {MODEL("stick-slip"), BRINK_BDF, 40, true},
    {MODEL("delayed-relay"), BRINK_TAYLOR, 30, false},
    {MODEL("sampled-thermostat"), BRINK_ADAMS, 30, false},
};

enum { SUBJECTS = sizeof subjects / sizeof subjects[0], STEPS = 10 };

/* Made once, kept for the life of the process. */
typedef struct saved {
  brink_hsml *model;
  brink_run_options options;
  brink_text bytes;
} saved;

static brink_run *make(const saved *from, const subject *of) {
  brink_run *run = NULL;
  if (brink_run_create(from->model, &from->options, NULL, NULL, &run) != BRINK_OK) abort();
  if (of->collects) { /* what does not go with the model is refused, each time alike */
    brink_run_keep_trajectory(run, NULL);
    brink_run_keep_dense(run, NULL);
    brink_run_prepare_report(run, NULL);
    brink_run_prepare_summary(run, NULL);
    brink_run_keep_sensitivity(run, NULL, 0, NULL);
  }
  return run;
}

static const saved *save_once(size_t which) {
  static saved all[SUBJECTS];
  saved *s = &all[which];
  const subject *of = &subjects[which];
  brink_bytes packed = {0};
  brink_diag diag;
  if (s->model != NULL) return s;
  if (brink_hsml_load_file(of->path, NULL, &s->model) != BRINK_OK ||
      brink_hsml_options(s->model, &s->options, NULL) != BRINK_OK)
    abort();
  s->options.interpret = true;
  s->options.threads = 1;
  s->options.sim.method = of->method;
  s->options.sim.max_steps = of->steps;
  if (isnan(s->options.until)) s->options.until = 10.0;
  brink_run *run = make(s, of);
  brink_run_to(run, s->options.until, NULL);
  for (int tries = 0; brink_run_save(run, &packed, &diag) == BRINK_ERR_UNSUPPORTED && tries < 50;
       tries++)
    brink_run_step(run, s->options.until, NULL);
  if (packed.data == NULL ||
      brink_checkpoint_unpack(packed.data, packed.length, &s->bytes, &diag) != BRINK_OK)
    abort();
  brink_bytes_free(&packed);
  brink_run_destroy(run);
  return s;
}

/* ---- changes ---- */

static void change(brink_text *bytes, fuzz_choices *choices) {
  size_t what = fuzz_choose(choices, 7);
  size_t at = fuzz_choose(choices, 65536) * bytes->length / 65536;
  size_t left = bytes->length - at, length = 1 + fuzz_choose(choices, 8);
  if (length > left) length = left;
  double number;
  int64_t shift;
  switch (what) {
  case 0:
    bytes->data[at] = (char)fuzz_choose(choices, 256);
    break;
  case 1:
    memset(bytes->data + at, (int)fuzz_choose(choices, 256), length);
    break;
  case 2: /* a piece from elsewhere */
    memmove(bytes->data + at,
            bytes->data + fuzz_choose(choices, 65536) * (bytes->length - length) / 65536, length);
    break;
  case 3: /* another number */
    number = fuzz_number(choices);
    if (left >= sizeof number) memcpy(bytes->data + at, &number, sizeof number);
    break;
  case 4: /* a count that is a little too large or too small */
    if (left < sizeof shift) break;
    memcpy(&shift, bytes->data + at, sizeof shift);
    shift = (int64_t)((uint64_t)shift + fuzz_choose(choices, 16) - 8);
    memcpy(bytes->data + at, &shift, sizeof shift);
    break;
  case 5: /* something is missing */
    memmove(bytes->data + at, bytes->data + at + length, left - length);
    bytes->length -= length;
    break;
  default:
    bytes->length = at + 1;
  }
}

/* ---- what becomes of it ---- */

static void look(brink_run *run, const saved *from) {
  brink_bytes text = {0};
  brink_trajectory rows;
  double t = brink_run_time(run), room[256];
  if (run->kept.varying <= 256)
    brink_run_trajectory_at(run, &t, 1, NULL, run->kept.varying, room, NULL);
  brink_run_trajectory(run, &rows, NULL);
  brink_run_result(run);
  brink_run_information(run);
  brink_run_to(run, from->options.until, NULL);
  brink_run_finish(run, NULL);
  brink_run_summary(run, &text, NULL);
  brink_bytes_free(&text);
  brink_run_report(run, &text, NULL);
  brink_bytes_free(&text);
}

/* What a run that was forged saves is again refused with words, or accepted. */
static void save_again(brink_run *run, const saved *from, const subject *of) {
  brink_bytes packed = {0};
  brink_diag diag = {0};
  brink_status status = brink_run_save(run, &packed, &diag);
  fuzz_check_refusal(status, &diag);
  if (status != BRINK_OK) return;
  brink_run *second = make(from, of);
  status = brink_run_restore(second, packed.data, packed.length, &diag);
  fuzz_check_refusal(status, &diag);
  brink_run_destroy(second);
  brink_bytes_free(&packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_choices choices = {data, data + size};
  size_t which = fuzz_choose(&choices, SUBJECTS);
  const saved *from = save_once(which);
  brink_text bytes = {0}, packed = {0};
  brink_diag diag = {0};
  brink_text_append(&bytes, from->bytes.data, from->bytes.length);
  for (int k = 0; k < 16 && fuzz_more(&choices) && bytes.length > 16; k++) change(&bytes, &choices);
  if (!brink_checkpoint_pack(bytes.data, bytes.length, &packed)) abort();
  brink_run *run = make(from, &subjects[which]);
  brink_status status = brink_run_restore(run, packed.data, packed.length, &diag);
  fuzz_check_refusal(status, &diag);
  if (size <= 1 && status != BRINK_OK) abort(); /* nothing was changed */
  run->options.sim.max_steps = STEPS;
  if (status == BRINK_OK) save_again(run, from, &subjects[which]);
  if (status == BRINK_OK) look(run, from);
  brink_run_destroy(run);
  brink_text_free(&bytes);
  brink_text_free(&packed);
  return 0;
}
