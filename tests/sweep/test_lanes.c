/* Lanes: a table is the same, bit for bit, whether its runs are made one by one or side by side; whoever sits beside whom, and
 * whatever becomes of the others. */
#include "sweep/sweep_support.h"

#include "num/lanes.h"

/* ---- the same table ---- */

typedef struct subject {
  const char *text, *path; /* of the model: one of them */
  const char *vary[2];
  size_t nvary;
  const char *measures[4];
  size_t nmeasures;
  const char *until; /* NULL: the model's */
  uint64_t samples;
  double limit; /* 0: none */
} subject;

static swept make_table(const subject *q, size_t lanes, size_t jobs) {
  swept s = sweep_of(q->text);
  const brink_sweep_option options[] = {{"method", "taylor"}, {"until", q->until}};
  s.model.path = q->path;
  s.def.interpret = false;
  s.def.options = options;
  s.def.noptions = q->until != NULL ? 2 : 1;
  s.def.samples = q->samples;
  s.def.jobs = jobs;
  s.def.lanes = lanes;
  if (q->limit > 0.0) s.def.limit = q->limit;
  sweep_vary(&s, q->vary, q->nvary);
  sweep_measure(&s, q->measures, q->nmeasures);
  SWEEP_FINE(&s);
  return s;
}

static bool same_cell(const swept *a, const swept *b, size_t k, bool text) {
  double x = a->table.values[k], y = b->table.values[k];
  if (memcmp(&x, &y, sizeof x) == 0 && !text) return true;
  if (!text || isnan(x) || isnan(y)) return isnan(x) && isnan(y);
  return strcmp(a->table.texts[(size_t)x], b->table.texts[(size_t)y]) == 0;
}

static void check_same(const swept *a, const swept *b, const char *name) {
  size_t columns = a->table.ncolumns;
  CHECK(a->table.rows == b->table.rows && columns == b->table.ncolumns);
  for (uint64_t row = 0; row < a->table.rows && row < b->table.rows; row++) {
    for (size_t c = 0; c < columns; c++)
      CHECK_MSG(same_cell(a, b, row * columns + c, a->table.columns[c].text),
                "%s: run %llu, %s: %.17g and %.17g", name, (unsigned long long)row,
                a->table.columns[c].name, a->table.values[row * columns + c],
                b->table.values[row * columns + c]);
  }
}

/* One by one, and with lanes of both widths; returns whether lanes were used. */
static bool check_lanes(const subject *q) {
  swept alone = make_table(q, 1, 1);
  const char *why, *name = q->path != NULL ? q->path : "a text";
  bool used = false;
  CHECK(brink_sweep_lanes(alone.sweep, &why) == 1 && strstr(why, "off") != NULL);
  for (size_t width = 4; width <= 8; width += 4) {
    swept beside = make_table(q, width, width == 4 ? 1 : 3);
    size_t most = (size_t)brink_lanes_of_processor();
    size_t lanes = brink_sweep_lanes(beside.sweep, &why);
    CHECK_MSG(lanes <= most && (lanes > 1 || why[0] != '\0'), "%zu: %s", lanes, why);
    used = used || lanes > 1;
    check_same(&alone, &beside, name);
    sweep_end(&beside);
  }
  sweep_end(&alone);
  return used || brink_lanes_of_processor() == 1;
}

#define MODEL(name) BRINK_SOURCE_DIR "/models/" name "/model.hsml"

/* Some of each kind; scripts/same-lanes takes all models. */
TEST(tables_of_models_are_the_same_with_lanes_and_without) {
  static const subject all[] = {
      {.path = MODEL("van-der-pol"), .vary = {"osc.mu=0.2:5"}, .measures = {"osc.x", "osc.v"}},
      {.path = MODEL("bouncing-ball"), .vary = {"ball.e=0.3:0.95"}, .measures = {"ball.y"}},
      {.path = MODEL("transcendental-guards"), .vary = {"ramp.x=0:0.5"}, .measures = {"ramp.x"}},
      {.path = MODEL("two-tank-zeno"), .vary = {"tanks.x1=0.8:2"}, .measures = {"tanks.x1"}},
      {.path = MODEL("stick-slip"), .vary = {"block.x=0.8:1.2"}, .measures = {"block.x"}},
      {.path = MODEL("corridor"), .vary = {"car.x=0:0.5"}, .measures = {"car.x"}},
      {.path = MODEL("sawtooth"), .vary = {"even.x=0:0.5"}, .measures = {"even.x"}},
      {.path = MODEL("supersonic"), .vary = {"shell.M=0.9:1.1"}, .measures = {"shell.M"}},
  };
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    subject q = all[k];
    q.nvary = q.vary[1] != NULL ? 2 : 1;
    while (q.nmeasures < 4 && q.measures[q.nmeasures] != NULL) q.nmeasures++;
    q.samples = 21; /* the last block is not full */
    CHECK_MSG(check_lanes(&q), "%s: no lanes", q.path);
  }
}

/* ---- neighbours ---- */

/* Crossings of all kinds, modes, resets, an end and a failure, at times that depend on the knobs. */
static const char *const lively =
    "ctc Star is\n"
    "  interface knob(y0); knob(e); view(x); view(y); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real); state(y, real); state(u, real); state(v, real);\n"
    "      parameter(y0, real); parameter(e, real);\n"
    "      mode(side, {\"left\", \"right\"});\n"
    "      flag(section); flag(diagonal, crossing); flag(wall, unilateral); flag(late); "
    "flag(tired);\n"
    "    end declarations;\n"
    "    initial x := 0.1; y := y0; u := 0.3; v := 0.1; side := \"left\"; end initial;\n"
    "    dynamics\n"
    "      x' = u; y' = v; u' = -x - 2.0*x*y; v' = -y - x^2 + y^2;\n"
    "      section = x; diagonal = x - y + 0.1; wall = 0.42 - y; late = time - 31.0 - 20.0*y0;\n"
    "      tired = time - 30.0 - 10.0*e;\n"
    "    end dynamics;\n"
    "    event(wall) negative-going v := -0.9*v; end negative-going; end event;\n"
    "    event(section)\n"
    "      positive-going side := \"right\"; end positive-going;\n"
    "      negative-going side := \"left\"; end negative-going;\n"
    "    end event;\n"
    "    event(late) positive-going stop(\"late\"); end positive-going; end event;\n"
    "    event(tired) positive-going fail(\"tired\"); end positive-going; end event;\n"
    "    assignments y0 : 0.1; e : 0.9; end assignments;\n"
    "  end body;\n"
    "end Star;\n"
    "system Stars is\n"
    "  body components s : Star; end components;\n"
    "    simulation until : 36.0; tolerance : 1e-9; end simulation;\n"
    "  end body;\n"
    "end Stars;\n";

static subject lively_subject(void) {
  return (subject){.text = lively,
                   .vary = {"s.y0=-0.2:0.4", "s.e=0.0:1.0"},
                   .nvary = 2,
                   .measures = {"s.x", "s.y", "max(s.y)", "at(s.section, s.x)"},
                   .nmeasures = 4,
                   .samples = 75};
}

TEST(neighbours_that_stop_or_fail_at_other_times_disturb_nobody) {
  subject q = lively_subject();
  swept s = make_table(&q, 0, 2);
  size_t outcomes[3] = {0};
  for (uint64_t k = 0; k < s.table.rows; k++) {
    const char *status = sweep_text(&s, k, "status");
    outcomes[strcmp(status, "finished") == 0 ? 0 : strcmp(status, "stopped") == 0 ? 1 : 2]++;
  }
  CHECK_MSG(outcomes[0] > 5 && outcomes[1] > 5 && outcomes[2] > 5,
            "%zu finished, %zu stopped, %zu failed", outcomes[0], outcomes[1], outcomes[2]);
  sweep_end(&s);
  CHECK(check_lanes(&q));
}

TEST(a_run_over_the_limit_leaves_its_seat_and_the_others_go_on) {
  subject q = {
      .text = lively, .vary = {"s.e=0.7,0.8,0.9", "s.y0=0.1:0.2:12"}, .nvary = 2, .until = "36"};
  swept plain = make_table(&q, 1, 1);
  q.limit = 1e-9; /* over before it begins */
  swept s = make_table(&q, 4, 2);
  CHECK(s.table.rows == plain.table.rows);
  for (uint64_t k = 0; k < s.table.rows; k++) { /* a short run may be done before anybody looks */
    bool limit = strcmp(sweep_text(&s, k, "reason"), "limit") == 0;
    CHECK(limit || sweep_value(&s, k, "t") == sweep_value(&plain, k, "t"));
  }
  sweep_end(&s);
  q.limit = 1000.0;
  s = make_table(&q, 4, 2);
  check_same(&plain, &s, "a limit that is not reached");
  sweep_end(&s);
  sweep_end(&plain);
}

/* ---- when there are none ---- */

TEST(without_lanes_the_reason_is_told) {
  const char *why;
  subject q = lively_subject();
  q.samples = 3;
  swept few = make_table(&q, 0, 1);
  CHECK(brink_sweep_lanes(few.sweep, &why) == 1 && strlen(why) > 0);
  sweep_end(&few);
  swept s = sweep_of(lively); /* interpreted */
  s.def.samples = 4;
  s.def.lanes = 4;
  sweep_vary(&s, q.vary, 2);
  SWEEP_FINE(&s);
  CHECK(brink_sweep_lanes(s.sweep, &why) == 1 && strlen(why) > 0);
  sweep_end(&s);
  s = sweep_of(lively);
  s.def.lanes = 3;
  sweep_vary(&s, q.vary, 2);
  s.def.samples = 4;
  CHECK(sweep_go(&s) == BRINK_ERR_ARGUMENT && strstr(s.diag.message, "lanes") != NULL);
  sweep_end(&s);
  CHECK(brink_sweep_lanes(NULL, NULL) == 1);
}

int main(void) {
  RUN(tables_of_models_are_the_same_with_lanes_and_without);
  RUN(neighbours_that_stop_or_fail_at_other_times_disturb_nobody);
  RUN(a_run_over_the_limit_leaves_its_seat_and_the_others_go_on);
  RUN(without_lanes_the_reason_is_told);
  return check_done();
}
