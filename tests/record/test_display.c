/* What a report is made of when memory is short: every allocation fails once, and nothing is lost,
 * leaked or read. */
#include "check.h"
#include "record/display.h"
#include "support/counting.h"
#include "support/hsml_run.h"

#include <stdlib.h>

static const char model[] = HSML_MODEL(
    "state(x[2], real); state(y[2], real); mode(side, {\"a\", \"b\"}); flag(wall);"
    "parameter(r, real);",
    "x := [0.0, 1.0]; y := [0.0, 0.0]; side := \"a\";", "x' = 1.0; y' = 0.5; wall = 0.5 - x[1];",
    "event(wall) negative-going side := \"b\"; end negative-going; end event;"
    "assignments r : 0.1; end assignments;");

static double no_value(size_t guard, const brink_moment *moment, void *user) {
  (void)guard, (void)user;
  return 0.5 - moment->x[0];
}

typedef struct collector {
  hsml_run *run;
  brink_columns columns;
  brink_journal journal;
  brink_display *display;
} collector;

static int on_step(const brink_step_record *record, void *user) {
  collector *c = user;
  if (c->journal.nopen > 0)
    brink_journal_settle(&c->journal, brink_sim_parameters(c->run->sim),
                         brink_sim_modes(c->run->sim), NULL, 0);
  brink_display_step(c->display, record);
  return 0;
}

static int on_event(const brink_event_record *record, void *user) {
  collector *c = user;
  brink_event_input input = {.record = record};
  brink_instance_flag(c->run->instance, record->event.guard, &input.flag, &input.index);
  input.participants = brink_participants_of(&c->run->system->flags[input.flag], input.index);
  brink_journal_event(&c->journal, &input);
  brink_display_event(c->display, record, input.flag, input.index);
  return 0;
}

/* A run of the model with a display whose memory comes from `allocator`; whether all went well. */
static bool collect(const brink_allocator *allocator, brink_text *data) {
  hsml_wishes wishes = hsml_default(1e-6);
  collector c = {.run = hsml_open(model, &wishes)};
  const brink_system *system = c.run->system;
  bool fine = brink_columns_init(&c.columns, system, NULL, allocator) == BRINK_OK;
  brink_display_def def = {.sim = c.run->sim,
                           .places = &c.columns,
                           .columns = &c.columns,
                           .until = 1.0,
                           .guards = {.value = no_value, .tolerance = no_value}};
  if (fine) {
    brink_journal_init(&c.journal, &c.columns, system->nx, false);
    fine = brink_display_create(&def, allocator, &c.display) == BRINK_OK;
  }
  if (fine) {
    c.journal.listen = brink_display_logged;
    c.journal.listener = c.display;
    c.journal.detailed = 10;
    brink_sink sink = {.step = on_step, .event = on_event, .user = &c};
    brink_sim_set_sink(c.run->sim, &sink);
    CHECK(brink_sim_run(c.run->sim, 1.0, NULL) == BRINK_TIME_REACHED);
    brink_display_end(c.display);
    brink_moment now = {.t = 1.0,
                        .x = brink_sim_state(c.run->sim),
                        .p = brink_sim_parameters(c.run->sim),
                        .mode = brink_sim_modes(c.run->sim)};
    brink_summary summary = {
        .model = "M", .status = "finished", .method = "", .events_method = "", .engine = ""};
    brink_display_context context = {.summary = &summary,
                                     .journal = &c.journal,
                                     .final = &now,
                                     .source_name = "m",
                                     .source = model};
    fine = brink_display_data(c.display, &context, data) && !c.journal.failed;
  }
  brink_display_destroy(c.display);
  brink_journal_free(&c.journal);
  brink_columns_free(&c.columns);
  hsml_close(c.run);
  return fine;
}

TEST(each_allocation_may_fail) {
  long n = 1;
  for (;; n++) {
    counting state = {.fail_at = n};
    brink_allocator allocator = counting_allocator(&state);
    brink_text data = {.allocator = allocator};
    bool fine = collect(&allocator, &data);
    brink_text_free(&data);
    CHECK_MSG(state.live == 0 && state.mismatch == 0, "allocation %ld: %ld left", n, state.live);
    bool failed = state.calls >= n;
    CHECK_MSG(fine != failed, "allocation %ld", n);
    if (!failed || state.live != 0) break;
  }
  CHECK(n > 20);
}

/* The template must have a place for the data. */
static int count_bytes(const char *text, size_t length, void *user) {
  (void)text;
  *(size_t *)user += length;
  return 0;
}

TEST(a_template_without_a_place_is_refused) {
  size_t written = 0;
  brink_writer writer = {.write = count_bytes, .user = &written};
  char words[] = "{}";
  brink_text data = {.data = words, .length = 2};
  static const char good[] = "<script id=\"brink-data\" type=\"application/json\">null</script>";
  CHECK(brink_display_write("<html>", 6, &data, &writer) == -1 && written == 0);
  CHECK(brink_display_write(good, sizeof good - 1, &data, &writer) == 0);
  CHECK(written == sizeof good - 1 - 2);
}

int main(void) {
  RUN(each_allocation_may_fail);
  RUN(a_template_without_a_place_is_refused);
  return check_done();
}
