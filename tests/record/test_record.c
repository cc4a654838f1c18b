/* What a run leaves behind: columns, rows, the journal and the JSON summary, on a system made by
 * hand (support/cars.h). */
#include "check.h"
#include "record/record.h"
#include "sim/clock.h"
#include "support/cars.h"
#include "support/json.h"

#include <stdlib.h>

/* ---- columns ---- */

TEST(columns_are_states_then_modes_then_outputs_by_full_name) {
  static const char *const expected[] = {"x",           "car[1].x",    "car[2].x",    "car[1].v[1]",
                                         "car[1].v[2]", "car[2].v[1]", "car[2].v[2]", "car[1].on",
                                         "car[2].on",   "n",           "phase",       "level"};
  brink_columns columns = cars_columns();
  CHECK_INT(columns.count, 12);
  for (size_t k = 0; k < columns.count && k < 12; k++)
    CHECK_MSG(strcmp(columns.name[k], expected[k]) == 0, "column %zu is %s", k, columns.name[k]);
  CHECK(columns.computes);
  brink_columns_free(&columns);
}

/* ---- rows ---- */

static int rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x;
  dx[0] = env->mode[0] == 0 ? 1.0 : -1.0;
  (void)t;
  return 0;
}

/* Turns round at x = 0.5, and again at x = 0, where the clock's parameter is written. */
static int turn(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  (void)event;
  now->mode[0] = 1 - now->mode[0];
  return 0;
}

static int tick(size_t clock, int64_t n, brink_now *now, void *user) {
  (void)clock;
  (void)user;
  now->p[0] = (double)n;
  return 0;
}

typedef struct rows {
  brink_trace trace;
  brink_ticks grid;
  size_t count;
  double t[400], x[400], p[400];
  int mode[400];
  size_t steps;
} rows;

static int add_row(const brink_moment *moment, void *user) {
  rows *r = user;
  if (r->count == 400) return 1;
  r->t[r->count] = moment->t;
  r->x[r->count] = moment->x[0];
  r->p[r->count] = moment->p[0];
  r->mode[r->count++] = moment->mode[0];
  return 0;
}

static double grid_time(int64_t k, void *user) {
  return brink_ticks_time(&((rows *)user)->grid, k);
}

static int on_step(const brink_step_record *record, void *user) {
  rows *r = user;
  r->steps++;
  return brink_trace_step(&r->trace, record);
}

static int on_event(const brink_event_record *record, void *user) {
  rows *r = user;
  return brink_trace_event(&r->trace, record);
}

/* every 0: a row a step. */
static void simulate(rows *r, double every, double until, double period) {
  *r = (rows){.grid = brink_ticks_make(every > 0.0 ? every : 1.0, 0.0)};
  double x0 = 0.0, p0 = -1.0;
  const double one = 1.0;
  const size_t first = 0;
  brink_guard_def guards[] = {brink_default_guard("top"), brink_default_guard("bottom")};
  for (int k = 0; k < 2; k++) {
    guards[k].coefficients = &one;
    guards[k].depends = &first;
    guards[k].ndepends = 1;
    guards[k].action = turn;
  }
  guards[0].offset = -0.5;
  guards[0].direction = BRINK_POSITIVE;
  guards[1].direction = BRINK_NEGATIVE;
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "clock", .period = period, .tick = tick};
  brink_model_def def = brink_default_model();
  def.nx = def.np = def.nmodes = 1;
  def.x0 = &x0;
  def.p0 = &p0;
  def.rhs = rhs;
  def.nguards = 2;
  def.guards = guards;
  def.nclocks = period > 0.0 ? 1 : 0;
  def.clocks = &clock;
  brink_diag diag;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, &diag, &sim), BRINK_OK);
  CHECK(brink_trace_init(&r->trace, sim, 1, 1, 1, &arena));
  r->trace.row = add_row;
  r->trace.user = r;
  if (every > 0.0) r->trace.grid = grid_time;
  brink_sink sink = {.step = on_step, .event = on_event, .user = r};
  brink_sim_set_sink(sim, &sink);
  CHECK_INT(brink_sim_run(sim, until, &diag), BRINK_TIME_REACHED);
  CHECK_INT(brink_trace_end(&r->trace), 0);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  brink_arena_free(&arena);
}

static void check_order(const rows *r) {
  for (size_t k = 1; k < r->count; k++)
    CHECK_MSG(r->t[k] >= r->t[k - 1], "row %zu: %g after %g", k, r->t[k], r->t[k - 1]);
}

TEST(each_step_is_a_row_and_an_event_one_more) {
  rows r;
  simulate(&r, 0.0, 1.25, 0.0);
  check_order(&r);
  CHECK_NEAR(r.t[0], 0.0, 0.0);
  CHECK_NEAR(r.t[r.count - 1], 1.25, 0.0);
  CHECK_INT(r.count, 1 + r.steps + 2); /* the start; t = 0.5 and t = 1 after their events */
}

TEST(at_an_event_there_are_rows_before_and_after) {
  rows r;
  simulate(&r, 0.2, 1.25, 0.0);
  check_order(&r);
  size_t before = 0;
  for (size_t k = 0; k + 1 < r.count; k++) {
    if (fabs(r.t[k] - 0.5) < 1e-9 && r.mode[k] == 0) before = k;
  }
  CHECK(before > 0);
  CHECK_INT(r.mode[before + 1], 1);
  CHECK(r.t[before + 1] == r.t[before]);
  CHECK_NEAR(r.x[before + 1], 0.5, 1e-9);
  CHECK(r.t[before + 2] == 0.6);
}

TEST(the_grid_is_exact_decimals_with_start_and_end) {
  rows r;
  simulate(&r, 0.1, 0.45, 0.0);
  static const double expected[] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.45};
  CHECK_INT(r.count, 6);
  for (size_t k = 0; k < 6; k++) {
    CHECK_MSG(r.t[k] == expected[k], "row %zu is at %.17g", k, r.t[k]);
    CHECK_NEAR(r.x[k], expected[k], 1e-12);
  }
}

TEST(a_grid_point_at_an_event_is_the_row_after_it) {
  rows r;
  simulate(&r, 0.25, 0.75, 0.0);
  /* 0, 0.25, 0.5 before, 0.5 after, 0.75 */
  CHECK_INT(r.count, 5);
  CHECK_INT(r.mode[2], 0);
  CHECK_INT(r.mode[3], 1);
  CHECK_NEAR(r.t[3], 0.5, 1e-12);
}

TEST(rows_on_the_grid_hold_what_samples_at_their_time_have_set) {
  rows r;
  simulate(&r, 0.1, 0.4, 0.2);
  CHECK_INT(r.count, 5);
  static const double expected[] = {0.0, 0.0, 1.0, 1.0, 2.0};
  for (size_t k = 0; k < 5; k++) CHECK_NEAR(r.p[k], expected[k], 0.0);
}

TEST(without_a_grid_the_last_row_holds_what_the_last_sample_has_set) {
  rows r;
  simulate(&r, 0.0, 0.4, 0.2);
  CHECK_NEAR(r.p[0], 0.0, 0.0);
  CHECK_NEAR(r.p[r.count - 1], 2.0, 0.0);
  CHECK_NEAR(r.t[r.count - 1], 0.4, 0.0);
}

TEST(a_run_of_no_length_has_one_row) {
  rows r;
  simulate(&r, 0.0, 0.0, 0.0);
  CHECK_INT(r.count, 1);
  simulate(&r, 0.1, 0.0, 0.0);
  CHECK_INT(r.count, 1);
}

/* ---- JSON ---- */

static json *parse(const brink_text *text) {
  const char *error = "";
  size_t offset = 0;
  json *value_of = json_parse(text->data, &error, &offset);
  CHECK_MSG(value_of != NULL, "%s at %zu: %s", error, offset, text->data);
  return value_of;
}

#define BAD "\xef\xbf\xbd" /* U+FFFD stands for what is not UTF-8 */

TEST(strings_are_escaped_and_always_valid_utf8) {
  brink_text text = {0};
  brink_json_string(&text,
                    "a\"b\\c\n\x01 \xc3\xa9 \xff \xc0\xaf \xed\xa0\x80 \xf0\x9f\x98\x80 \xe2");
  CHECK_MSG(strcmp(text.data, "\"a\\\"b\\\\c\\n\\u0001 \xc3\xa9 " BAD " " BAD BAD " " BAD BAD BAD
                              " \xf0\x9f\x98\x80 " BAD "\"") == 0,
            "%s", text.data);
  json_free(parse(&text));
  brink_text_free(&text);
}

TEST(reals_read_back_and_look_like_reals) {
  static const double values[] = {0.0, 10.0, 0.1, 1.0 / 3.0, 1e-9, 1e300, 5e-324, -2.5e17, 1e15};
  for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
    brink_text text = {0};
    brink_json_real(&text, values[k]);
    json *read = parse(&text);
    CHECK(read != NULL && read->kind == JSON_NUMBER && read->number == values[k]);
    CHECK(strpbrk(text.data, ".e") != NULL);
    json_free(read);
    brink_text_free(&text);
  }
  brink_text text = {0};
  brink_json_real(&text, (double)INFINITY);
  brink_json_real(&text, -(double)INFINITY);
  brink_json_real(&text, (double)NAN);
  CHECK(strcmp(text.data, "\"inf\"\"-inf\"\"nan\"") == 0);
  brink_text_free(&text);
}

/* ---- the journal ---- */

typedef struct scene {
  brink_columns columns;
  brink_journal journal;
  double x[2][7], p[2][2];
  int mode[2][3];
} scene;

static void begin(scene *s) {
  s->columns = cars_columns();
  brink_journal_init(&s->journal, &s->columns, 7, true);
  for (int k = 0; k < 2; k++) {
    memcpy(s->x[k], cars_x, sizeof cars_x);
    memcpy(s->p[k], cars_p, sizeof cars_p);
    memcpy(s->mode[k], cars_mode, sizeof cars_mode);
  }
}

static void happen(scene *s, uint32_t flag, double t, int iteration, brink_event_kind kind,
                   const brink_log_note *notes, size_t nnotes) {
  brink_event_record record = {
      .event = {.t = t, .direction = BRINK_POSITIVE, .kind = kind, .iteration = iteration},
      .x_before = s->x[0],
      .x_after = s->x[1],
      .p_before = s->p[0],
      .p_after = s->p[1],
      .mode_before = s->mode[0],
      .mode_after = s->mode[1]};
  brink_event_input input = {.record = &record,
                             .flag = flag,
                             .participants = brink_participants_of(&cars_system.flags[flag], 0),
                             .notes = notes,
                             .nnotes = nnotes};
  brink_journal_event(&s->journal, &input);
}

static json *finish(scene *s) {
  brink_journal_settle(&s->journal, s->p[1], s->mode[1], NULL, 0);
  brink_summary summary = {.model = "Test",
                           .status = "finished",
                           .t = 1.0,
                           .seed = UINT64_MAX,
                           .method = "adams",
                           .events_method = "extrapolate",
                           .engine = "none"};
  brink_text text = {0};
  brink_json_summary(&text, &summary, &s->journal, &cars_moment);
  CHECK(!s->journal.failed && !text.failed);
  json *tree = parse(&text);
  brink_text_free(&text);
  brink_journal_free(&s->journal);
  brink_columns_free(&s->columns);
  return tree;
}

static const json *event_at(const json *summary, size_t k) {
  return json_at(json_member(summary, "events"), k);
}

static size_t size_of(const json *object) {
  size_t count = 0;
  for (const json *k = object != NULL ? object->first : NULL; k != NULL; k = k->next) count++;
  return count;
}

TEST(the_summary_has_every_field_and_typed_values) {
  scene s;
  begin(&s);
  json *summary = finish(&s);
  static const char *const fields[] = {"model",  "status",        "t",        "seed",
                                       "method", "events_method", "rtol",     "atol",
                                       "final",  "events",        "warnings", "stats"};
  for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
    CHECK_MSG(json_member(summary, fields[k]) != NULL, "no %s", fields[k]);
  CHECK(json_member(summary, "sliding") == NULL && json_member(summary, "zeno") == NULL);
  const json *final = json_member(summary, "final");
  CHECK_INT(size_of(final), 12);
  CHECK_INT(json_member(final, "phase")->kind, JSON_STRING);
  CHECK(strcmp(json_member(final, "phase")->text, cars_system.strings[1]) == 0);
  CHECK_INT(json_member(final, "car[2].on")->kind, JSON_TRUE);
  CHECK(strcmp(json_member(final, "n")->text, "3") == 0);
  CHECK_NEAR(json_member(final, "level")->number, 5.0, 0.0);
  CHECK(strcmp(json_member(summary, "seed")->text, "18446744073709551615") == 0);
  json_free(summary);
}

TEST(an_event_holds_all_states_before_and_states_and_modes_after) {
  scene s;
  begin(&s);
  s.x[1][0] = -0.5;
  s.mode[1][0] = 0;
  happen(&s, FLOOR, 0.5, 0, BRINK_CROSSED, NULL, 0);
  json *summary = finish(&s);
  const json *event = event_at(summary, 0);
  CHECK_INT(size_of(json_member(event, "state")), 10);
  CHECK_INT(size_of(json_member(event, "after")), 11);
  CHECK(strcmp(json_member(event, "flag")->text, "floor") == 0);
  CHECK(strcmp(json_member(event, "direction")->text, "positive") == 0);
  CHECK(json_member(event, "generated") == NULL && json_member(event, "agents") == NULL);
  CHECK_NEAR(json_member(json_member(event, "state"), "x")->number, 0.5, 0.0);
  CHECK_NEAR(json_member(json_member(event, "after"), "x")->number, -0.5, 0.0);
  CHECK(strcmp(json_member(json_member(event, "after"), "phase")->text, "up") == 0);
  CHECK_INT(size_of(json_member(event, "changed")), 2);
  CHECK(strcmp(json_at(json_member(event, "changed"), 0)->text, "x") == 0);
  CHECK(strcmp(json_at(json_member(event, "changed"), 1)->text, "phase") == 0);
  CHECK_INT(json_member(event, "note")->kind, JSON_NULL);
  CHECK_INT(json_member(event, "condition")->kind, JSON_NULL);
  json_free(summary);
}

TEST(a_pair_names_its_partners_and_holds_only_their_values) {
  scene s;
  begin(&s);
  happen(&s, GAP, 0.5, 0, BRINK_CROSSED, NULL, 0);
  happen(&s, MADE, 0.6, 0, BRINK_CROSSED, NULL, 0);
  json *summary = finish(&s);
  const json *event = event_at(summary, 0);
  const json *agents = json_member(event, "agents");
  CHECK_INT(size_of(agents), 2);
  CHECK(strcmp(json_at(agents, 0)->text, "car[1]") == 0);
  CHECK(strcmp(json_at(agents, 1)->text, "car[2]") == 0);
  CHECK_INT(size_of(json_member(event, "state")), 8);
  CHECK(json_member(json_member(event, "state"), "x") == NULL);
  CHECK_NEAR(json_member(json_member(event, "state"), "car[2].v[1]")->number, 5.0, 0.0);
  CHECK_INT(json_member(event_at(summary, 1), "generated")->kind, JSON_TRUE);
  CHECK(strcmp(json_member(event_at(summary, 1), "flag")->text, "@12:7") == 0);
  json_free(summary);
}

TEST(what_a_rule_does_and_notes_is_written_with_its_event) {
  scene s;
  begin(&s);
  const brink_value_type types[] = {BRINK_VALUE_REAL, BRINK_VALUE_BOOLEAN};
  const double values[] = {2.5, 1.0};
  const brink_log_note remark = {.label = "why", .types = types, .values = values, .nvalues = 2};
  happen(&s, RULE, 0.5, 0, BRINK_CROSSED, NULL, 0);
  s.mode[1][0] = 0; /* the rule runs now */
  brink_journal_settle(&s.journal, s.p[1], s.mode[1], &remark, 1);
  CHECK_INT(s.journal.nheadlines, 1);
  CHECK_CONTAINS(s.journal.headline[0].changes.data, "phase = up");
  json *summary = finish(&s);
  const json *event = event_at(summary, 0);
  CHECK(strcmp(json_member(json_member(event, "after"), "phase")->text, "up") == 0);
  const json *note = json_at(json_member(event, "note"), 0);
  CHECK_INT(size_of(note), 3);
  CHECK(strcmp(json_at(note, 0)->text, "why") == 0);
  CHECK_NEAR(json_at(note, 1)->number, 2.5, 0.0);
  CHECK_INT(json_at(note, 2)->kind, JSON_TRUE);
  json_free(summary);
}

TEST(coming_to_rest_on_a_surface_belongs_to_the_event_that_led_there) {
  scene s;
  begin(&s);
  happen(&s, FLOOR, 0.5, 0, BRINK_CROSSED, NULL, 0);
  s.x[1][0] = 0.0;
  happen(&s, FLOOR, 0.5, 1, BRINK_HELD, NULL, 0);
  CHECK_INT(s.journal.nevents, 1);
  json *summary = finish(&s);
  CHECK_INT(size_of(json_member(summary, "events")), 1);
  CHECK_NEAR(json_member(json_member(event_at(summary, 0), "after"), "x")->number, 0.0, 0.0);
  json_free(summary);
}

TEST(slides_and_near_misses_are_lists_where_there_are_any) {
  scene s;
  begin(&s);
  brink_journal_slide(&s.journal, FLOOR, 0, 1.0, 2.5);
  brink_journal_slide(&s.journal, FLOOR, 0, 3.0, 4.0);
  brink_near_miss miss = {.t = 1.5, .value = 1e-7, .tolerance = 1e-9, .distance = 2e-7};
  brink_journal_miss(&s.journal, FLOOR, 0, &miss);
  json *summary = finish(&s);
  const json *sliding = json_member(summary, "sliding");
  CHECK_INT(size_of(sliding), 2);
  CHECK_NEAR(json_member(json_at(sliding, 0), "to")->number, 2.5, 0.0);
  CHECK_INT(size_of(json_member(summary, "near_misses")), 1);
  json_free(summary);
}

TEST(only_what_a_reader_of_the_model_knows_is_told) {
  CHECK(brink_journal_wants(&cars_system, FLOOR, BRINK_NEGATIVE));
  CHECK(brink_journal_wants(&cars_system, MADE, BRINK_NEGATIVE));
  CHECK(brink_journal_wants(&cars_system, RULE, BRINK_POSITIVE));
  CHECK(!brink_journal_wants(&cars_system, RULE, BRINK_NEGATIVE));
  CHECK(!brink_journal_wants(&cars_system, RANGE, BRINK_NEGATIVE));
}

/* ---- memory ---- */

typedef struct quota {
  int left;
} quota;

static void *allocate(size_t size, void *user) {
  quota *q = user;
  return q->left-- > 0 ? malloc(size) : NULL;
}

static void release(void *memory, size_t size, void *user) {
  (void)size;
  (void)user;
  free(memory);
}

TEST(out_of_memory_is_noticed_wherever_it_happens) {
  int needed = 0;
  for (int n = 0; n < 1000; n++) {
    quota q = {.left = n};
    brink_allocator allocator = {.allocate = allocate, .release = release, .user = &q};
    scene s = {0};
    if (brink_columns_init(&s.columns, &cars_system, &cars_computed, &allocator) != BRINK_OK)
      continue;
    brink_journal_init(&s.journal, &s.columns, 7, true);
    memcpy(s.x[0], cars_x, sizeof cars_x);
    memcpy(s.x[1], cars_x, sizeof cars_x);
    happen(&s, FLOOR, 0.5, 0, BRINK_CROSSED, NULL, 0);
    happen(&s, RULE, 0.6, 0, BRINK_CROSSED, NULL, 0);
    happen(&s, GAP, 0.6, 0, BRINK_CROSSED, NULL, 0);
    brink_journal_settle(&s.journal, s.p[1], s.mode[1], NULL, 0);
    brink_journal_slide(&s.journal, FLOOR, 0, 1.0, 2.0);
    bool failed = s.journal.failed || s.journal.slides.failed;
    brink_journal_free(&s.journal);
    brink_columns_free(&s.columns);
    if (q.left >= 0) {
      CHECK(!failed);
      needed = n;
      break;
    }
    CHECK_MSG(failed, "allocation %d", n);
  }
  CHECK(needed > 10);
}

int main(void) {
  RUN(columns_are_states_then_modes_then_outputs_by_full_name);
  RUN(each_step_is_a_row_and_an_event_one_more);
  RUN(at_an_event_there_are_rows_before_and_after);
  RUN(the_grid_is_exact_decimals_with_start_and_end);
  RUN(a_grid_point_at_an_event_is_the_row_after_it);
  RUN(rows_on_the_grid_hold_what_samples_at_their_time_have_set);
  RUN(without_a_grid_the_last_row_holds_what_the_last_sample_has_set);
  RUN(a_run_of_no_length_has_one_row);
  RUN(strings_are_escaped_and_always_valid_utf8);
  RUN(reals_read_back_and_look_like_reals);
  RUN(the_summary_has_every_field_and_typed_values);
  RUN(an_event_holds_all_states_before_and_states_and_modes_after);
  RUN(a_pair_names_its_partners_and_holds_only_their_values);
  RUN(what_a_rule_does_and_notes_is_written_with_its_event);
  RUN(coming_to_rest_on_a_surface_belongs_to_the_event_that_led_there);
  RUN(slides_and_near_misses_are_lists_where_there_are_any);
  RUN(only_what_a_reader_of_the_model_knows_is_told);
  RUN(out_of_memory_is_noticed_wherever_it_happens);
  return check_done();
}
