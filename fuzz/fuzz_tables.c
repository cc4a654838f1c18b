/* fuzz_tables.c: tables that a user gives a run or a sweep. The first byte says which:
 *
 *   i, h   inputs over time (--input), between rows linear or held; a run with what is accepted
 *   k      a file of knobs (--design FILE), and the designs of it
 *   v      words of --vary, one a line, and the designs of them
 *   r      the rows of a sweep that was not completed, and goes on (--resume)
 *   b      what stands beside these rows (FILE.resume)
 *   m      measures of a sweep, one a line, and the row that they give
 *
 * What is accepted must make sense, what is refused must be refused with words. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "fuzz.h"
#include "sweep/sweep_parts.h"

enum { STEPS = 200, LINES = 12, RUNS = 4 };

static const char driven[] =
    "ctc Driven is\n"
    "  interface input(u, signal, (-9.0, 9.0), \"V\"); input(r, real); input(n, integer); "
    "input(on, boolean);\n"
    "    input(phase, string, {\"low\", \"high\"}); input(w[2], signal); output(y, signal); end "
    "interface;\n"
    "  body\n"
    "    declarations state(x, real); flag(up); end declarations;\n"
    "    initial x := 0.0; end initial;\n"
    "    dynamics x' = u + r*w[1] - w[2] + (if on then 1.0 else n); up = x - 0.5; end dynamics;\n"
    "    output y = x + u; end output;\n"
    "  end body;\n"
    "end Driven;\n";

static const char decay[] =
    "ctc Decay is\n"
    "  interface knob(k); knob(kind); output(y, signal); end interface;\n"
    "  body\n"
    "    declarations state(x, real); parameter(k, real, (0.0, 9.0)); parameter(kind, string, "
    "{\"slow\", \"fast\"});\n"
    "      flag(half); end declarations;\n"
    "    initial x := 1.0; end initial;\n"
    "    dynamics x' = if kind = \"fast\" then -2.0*k*x else -k*x; half = x - 0.5; end dynamics;\n"
    "    output y = 2.0*x; end output;\n"
    "    assignments k : 1.0; kind : \"slow\"; end assignments;\n"
    "  end body;\n"
    "end Decay;\n";

/* ---- inputs ---- */

static brink_hsml *load(const char *text) {
  brink_hsml *model = NULL;
  brink_diag diag;
  brink_hsml_def def = brink_default_hsml();
  def.text = text;
  def.path = "model";
  if (brink_hsml_load(&def, NULL, &diag, &model) != BRINK_OK) abort();
  return model;
}

static size_t count_errors(brink_hsml *model) {
  const brink_hsml_message *messages;
  size_t errors = 0, count = brink_hsml_messages(model, &messages);
  for (size_t k = 0; k < count; k++) {
    if (messages[k].text == NULL || messages[k].text[0] == '\0' || messages[k].code == NULL)
      abort();
    if (messages[k].rendered == NULL) abort();
    errors += messages[k].severity == BRINK_ERROR;
  }
  return errors;
}

static void run_driven(brink_hsml *model) {
  brink_run_options options = brink_default_run();
  brink_run *run = NULL;
  brink_diag diag = {0};
  options.interpret = true;
  options.until = 3.0;
  options.sim.max_steps = STEPS;
  brink_status status = brink_run_create(model, &options, NULL, &diag, &run);
  fuzz_check_refusal(status, &diag);
  if (status != BRINK_OK) return;
  status = brink_run_to(run, 3.0, &diag);
  fuzz_check_refusal(status, &diag);
  double y;
  if (status == BRINK_TIME_REACHED &&
      (brink_run_get(run, "y", &y, NULL) != BRINK_OK || !isfinite(y)))
    abort();
  brink_run_destroy(run);
}

static void read_inputs(bool hold, const uint8_t *data, size_t size) {
  char path[FUZZ_PATH];
  int file = fuzz_file(data, size, path);
  brink_diag diag = {0};
  brink_hsml *model = load(driven);
  brink_status status = brink_hsml_read_inputs(model, path, hold, &diag);
  fuzz_check_refusal(status, &diag);
  size_t errors = count_errors(model);
  if (status == BRINK_ERR_FILE && errors == 0) abort(); /* what is wrong is a message */
  if (status == BRINK_OK) {
    status = brink_hsml_build(model, &diag);
    fuzz_check_refusal(status, &diag);
    if ((status == BRINK_OK) != (count_errors(model) == 0)) abort();
    if (status == BRINK_OK) run_driven(model);
  }
  brink_hsml_destroy(model);
  close(file);
}

/* ---- designs ---- */

static void check_value(const brink_vary *knob, const brink_vary_value *value) {
  if (value->word != NULL) {
    if (knob->kind != BRINK_VARY_LIST) abort();
    return;
  }
  if (!isfinite(value->number)) abort();
  bool bounded = knob->kind == BRINK_VARY_LINEAR || knob->kind == BRINK_VARY_LOG;
  if (bounded && !(value->number >= knob->lo && value->number <= knob->hi)) abort();
  if (knob->seed && (value->number < 0.0 || value->number != floor(value->number))) abort();
}

static void make_design(const brink_design_wish *wish) {
  brink_arena arena;
  brink_design design = {0};
  brink_diag diag = {0};
  brink_arena_init(&arena, NULL);
  brink_status status = brink_design_make(&design, &arena, wish, &diag);
  fuzz_check_refusal(status, &diag);
  if (status == BRINK_OK) {
    brink_vary_value *values = brink_arena_take(&arena, design.nknobs, sizeof *values);
    const uint64_t ends[] = {0, 1, 2, design.runs / 2, design.runs - 2, design.runs - 1};
    if (design.runs == 0 || design.nknobs == 0 || arena.failed) abort();
    for (size_t j = 0; j < sizeof ends / sizeof ends[0]; j++) {
      if (ends[j] >= design.runs) continue;
      brink_design_at(&design, ends[j], values);
      for (size_t k = 0; k < design.nknobs; k++) check_value(&design.knobs[k], &values[k]);
    }
  }
  brink_arena_free(&arena);
}

static void read_knobs(const uint8_t *data, size_t size) {
  char path[FUZZ_PATH];
  int file = fuzz_file(data, size, path);
  brink_arena arena;
  brink_vary *knobs = NULL;
  size_t count = 0;
  double number;
  brink_diag diag = {0};
  brink_arena_init(&arena, NULL);
  brink_status status = brink_knob_table_read(&arena, path, &knobs, &count, &diag);
  fuzz_check_refusal(status, &diag);
  for (size_t k = 0; status == BRINK_OK && k < count; k++) {
    if (knobs[k].name == NULL || knobs[k].name[0] == '\0' || knobs[k].count != knobs[0].count)
      abort();
    for (size_t j = 0; j < knobs[k].count; j++)
      if (knobs[k].words[j][0] == '\0' ||
          (knobs[k].numeric && !brink_vary_number(knobs[k].words[j], &number)))
        abort();
  }
  brink_arena_free(&arena);
  make_design(&(brink_design_wish){.design = path, .seed = 1});
  close(file);
}

/* Cuts a text into lines, in place. */
static size_t cut_lines(char *text, const char **lines) {
  size_t count = 0;
  for (char *at = text; at != NULL && count < LINES;) {
    char *end = strchr(at, '\n');
    if (end != NULL) *end = '\0';
    lines[count++] = at;
    at = end != NULL ? end + 1 : NULL;
  }
  return count;
}

static void read_vary(char *text) {
  static const char *const designs[] = {NULL, "grid", "random", "lhs", "sobol"};
  const char *lines[LINES];
  size_t count = cut_lines(text, lines);
  for (size_t k = 0; k < sizeof designs / sizeof designs[0]; k++) {
    brink_design_wish wish = {.vary = lines, .nvary = count, .design = designs[k], .seed = 7};
    make_design(&wish);
    wish.samples = 5;
    make_design(&wish);
    wish.indices = true;
    make_design(&wish);
  }
}

/* ---- sweeps ---- */

/* A place of this process's own for the rows, which are cut off and written: made once. */
static const char *folder(void) {
  static char path[] = "/tmp/brink-fuzz-XXXXXX";
  static bool made;
  if (!made && mkdtemp(path) == NULL) abort();
  made = true;
  return path;
}

static void write_file(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
}

static brink_sweep_def sweep_of(const brink_hsml_def *model, const char *const *measures,
                                size_t nmeasures) {
  static const char *const vary[] = {"k=1:2:2", "kind=slow,fast"};
  static const brink_sweep_option options[] = {{"until", "2"}, {"every", "0.5"}};
  brink_sweep_def def = brink_default_sweep();
  def.model = model;
  def.options = options;
  def.noptions = 2;
  def.interpret = true;
  def.vary = vary;
  def.nvary = 2;
  def.measures = measures;
  def.nmeasures = nmeasures;
  def.jobs = 1;
  def.lanes = 1;
  def.keep_table = true;
  return def;
}

/* All rows are there, in order, each with as many values as there are columns. */
static void check_table(const brink_sweep *sweep) {
  brink_sweep_table table;
  if (brink_sweep_get_table(sweep, &table, NULL) != BRINK_OK || table.rows != RUNS) abort();
  for (uint64_t k = 0; k < table.rows; k++) {
    const double *row = table.values + k * table.ncolumns;
    if (row[0] != (double)k) abort();
    for (size_t j = 0; j < table.ncolumns; j++)
      if (table.columns[j].text && !(row[j] >= 0.0 && row[j] < (double)table.ntexts)) abort();
  }
}

/* As many lines as rows and names, and none without an end. */
static void check_rows(const char *path) {
  FILE *file = fopen(path, "rb");
  size_t lines = 0;
  int last = '\n';
  if (file == NULL) abort();
  for (int c; (c = getc(file)) != EOF; last = c) lines += c == '\n';
  fclose(file);
  if (lines != RUNS + 1 || last != '\n') abort();
}

/* `rows`: the table as it was left; else what stands beside it. */
static void resume(bool rows, const uint8_t *data, size_t size) {
  static const char *const measures[] = {"max(x)", "y"};
  char out[64], beside[80];
  brink_hsml_def model = brink_default_hsml();
  brink_diag diag = {0};
  brink_sweep *sweep = NULL;
  brink_text about = {0};
  snprintf(out, sizeof out, "%s/rows.csv", folder());
  snprintf(beside, sizeof beside, "%s.resume", out);
  model.text = decay;
  model.path = "decay.hsml";
  brink_sweep_def def = sweep_of(&model, measures, 2);
  def.out = out;
  def.resume = true;
  if (brink_sweep_create(&def, &diag, &sweep) != BRINK_OK) abort();
  brink_row_file_describe(sweep, &about);
  if (about.failed) abort();
  write_file(out, rows ? (const char *)data : "", rows ? size : 0);
  write_file(beside, rows ? about.data : (const char *)data, rows ? about.length : size);
  brink_status status = brink_sweep_run(sweep, &diag);
  fuzz_check_refusal(status, &diag);
  if (status == BRINK_OK) check_table(sweep);
  if (status == BRINK_OK) check_rows(out);
  brink_sweep_destroy(sweep);
  brink_text_free(&about);
  unlink(out);
  unlink(beside);
}

static void measure(char *text) {
  const char *lines[LINES];
  size_t count = cut_lines(text, lines);
  brink_hsml_def model = brink_default_hsml();
  brink_diag diag = {0};
  brink_sweep *sweep = NULL;
  model.text = decay;
  model.path = "decay.hsml";
  brink_sweep_def def = sweep_of(&model, lines, count);
  brink_status status = brink_sweep_create(&def, &diag, &sweep);
  fuzz_check_refusal(status, &diag);
  if (status != BRINK_OK) return;
  status = brink_sweep_run(sweep, &diag);
  fuzz_check_refusal(status, &diag);
  if (status == BRINK_OK) check_table(sweep);
  brink_sweep_destroy(sweep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  char *text = malloc(size);
  if (text == NULL) return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  switch (data[0]) {
  case 'i':
  case 'h':
    read_inputs(data[0] == 'h', data + 1, size - 1);
    break;
  case 'k':
    read_knobs(data + 1, size - 1);
    break;
  case 'v':
    read_vary(text);
    break;
  case 'r':
  case 'b':
    resume(data[0] == 'r', data + 1, size - 1);
    break;
  case 'm':
    measure(text);
    break;
  default:
    break;
  }
  free(text);
  return 0;
}
