/* fuzz_fit.c: what a fit reads: files of curves (d) and of events (e), knobs (v), outcomes (m) and conditions (s). The first byte
 * says which. What is accepted must make sense, what is refused must be refused with words; every expression that is accepted is
 * worked out and differentiated in a run.
 *
 * A whole fit, from its start to its report: to curves (c), to events (f), of an outcome (o; conditions are further lines). The
 * second byte says by which method. Its result has knobs within their bounds, and is the same by one thread and by two. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fit/design_parts.h"
#include "fuzz.h"
#include "sweep/vary.h"

/* x falls, and y = 2 x is computed; half and done are flags. */
static const char model_text[] =
    "ctc Decay is\n"
    "  interface knob(k); output(y, signal, (0.0, 9.0), \"m\"); end interface;\n"
    "  body\n"
    "    declarations state(x, real); parameter(k, real, (0.0, 9.0)); mode(m, {\"a\", \"b\"});\n"
    "      flag(half); flag(done); end declarations;\n"
    "    initial x := 1.0; m := \"a\"; end initial;\n"
    "    dynamics x' = -k*x; half = x - 0.5; done = x - 0.2; end dynamics;\n"
    "    output y = 2.0*x; end output;\n"
    "    assignments k : 1.0; end assignments;\n"
    "  end body;\n"
    "end Decay;\n";

typedef struct way {
  brink_fit_method method;
  size_t jobs;
} way;

static brink_fit *make_fit(brink_hsml **model, way how) {
  static const brink_fit_knob knob = {.name = "k", .lo = 0.5, .hi = 2.0};
  brink_run_options options = brink_default_run();
  brink_fit_def def = brink_default_fit();
  brink_fit *fit = NULL;
  if (brink_hsml_load_text(model_text, NULL, model) != BRINK_OK) return NULL;
  options.interpret = true;
  options.until = 3.0;
  def.model = *model;
  def.options = &options;
  def.knobs = &knob;
  def.nknobs = 1;
  def.method = how.method;
  def.jobs = how.jobs;
  def.starts = 2;
  def.max_runs = 12;
  return brink_fit_create(&def, NULL, &fit) == BRINK_OK ? fit : NULL;
}

/* ---- files ---- */

static void check_data(brink_fit *fit) {
  brink_diag diag;
  brink_status status = brink_fit_arrange(fit, &diag);
  fuzz_check_refusal(status, &diag);
  if (status != BRINK_OK) return;
  for (size_t k = 0; k < fit->ndata; k++) {
    const brink_datum *datum = &fit->data[k];
    if (!isfinite(datum->t) || !isfinite(datum->y) || !(datum->sigma > 0.0)) abort();
    if (datum->of >= fit->nmeasured) abort();
    if (!fit->measured[datum->of].event && fit->times[datum->stop] != datum->t) abort();
  }
  for (size_t k = 1; k < fit->ntimes; k++)
    if (!(fit->times[k - 1] < fit->times[k])) abort();
}

static void read_file(brink_fit *fit, bool events, const uint8_t *data, size_t size) {
  brink_diag diag;
  char path[FUZZ_PATH];
  int file = fuzz_file(data, size, path);
  brink_status status =
      events ? brink_fit_read_events(fit, path, &diag) : brink_fit_read_curves(fit, path, &diag);
  fuzz_check_refusal(status, &diag);
  if (status == BRINK_OK) check_data(fit);
  close(file);
}

/* ---- knobs ---- */

static void read_knob(const char *text) {
  brink_arena arena;
  brink_vary vary;
  brink_diag diag;
  brink_arena_init(&arena, NULL);
  brink_status status = brink_vary_read(&arena, text, &vary, &diag);
  fuzz_check_refusal(status, &diag);
  if (status == BRINK_OK && (vary.name == NULL || vary.name[0] == '\0')) abort();
  brink_arena_free(&arena);
}

/* ---- expressions ---- */

static void work_out(brink_fit *fit) {
  brink_diag diag;
  const double z[] = {1.25};
  brink_arena_free(&fit->solution);
  brink_arena_init(&fit->solution, NULL);
  bool smooth = brink_slopes_missing(fit) == NULL;
  if (smooth && !brink_slopes_prepare(fit)) abort();
  brink_fit_worker *worker = brink_fit_worker_open(fit, &diag);
  if (worker == NULL) abort();
  brink_designing *d = worker->designing;
  brink_status status = brink_designing_visit(d, z, false, &diag);
  fuzz_check_refusal(status, &diag);
  double value = d->here.value;
  bool usable = status == BRINK_OK && d->here.usable;
  if (smooth && status == BRINK_OK) {
    if (brink_designing_visit(d, z, true, &diag) != BRINK_OK) abort();
    if (d->here.usable != usable || (usable && d->here.value != value)) abort();
    for (size_t k = 0; d->here.has_slopes && k < 1 + 2 * fit->nwanted; k++)
      if (!isfinite(d->here.slopes[k])) abort();
  }
  brink_fit_worker_close(worker);
}

static void read_expression(brink_fit *fit, bool condition, const char *text) {
  brink_diag diag;
  brink_status status = brink_fit_set_objective(fit, condition ? "x" : text, false, &diag);
  if (status == BRINK_OK && condition) status = brink_fit_add_condition(fit, text, &diag);
  fuzz_check_refusal(status, &diag);
  if (status == BRINK_OK) work_out(fit);
}

/* ---- the whole way ---- */

/* The first line is what is made small, the others are conditions. */
static brink_status read_design(brink_fit *fit, char *text, brink_diag *diag) {
  char *rest = NULL;
  char *line = strtok_r(text, "\n", &rest);
  brink_status status = brink_fit_set_objective(fit, line != NULL ? line : "", false, diag);
  for (int k = 0; k < 4 && status == BRINK_OK; k++) {
    line = strtok_r(NULL, "\n", &rest);
    if (line == NULL) break;
    status = brink_fit_add_condition(fit, line, diag);
  }
  return status;
}

static brink_status read_all(brink_fit *fit, char kind, const char *text, size_t size,
                             brink_diag *diag) {
  char path[FUZZ_PATH];
  if (kind == 'o') {
    char *copy = strdup(text);
    if (copy == NULL) abort();
    brink_status status = read_design(fit, copy, diag);
    free(copy);
    return status;
  }
  int file = fuzz_file(text, size, path);
  brink_status status =
      kind == 'f' ? brink_fit_read_events(fit, path, diag) : brink_fit_read_curves(fit, path, diag);
  close(file);
  return status;
}

static void check_result(brink_fit *fit, brink_status status) {
  const brink_fit_result *result = brink_fit_get(fit);
  brink_bytes bytes = {0};
  brink_diag diag = {0};
  if ((status == BRINK_OK) != (result != NULL)) abort();
  if (result != NULL && !(result->values[0].value >= 0.5 && result->values[0].value <= 2.0))
    abort();
  if (result != NULL && result->objective == NULL && !(result->sum >= 0.0)) abort();
  fuzz_check_refusal(brink_fit_json(fit, &bytes, &diag), &diag);
  brink_bytes_free(&bytes);
  fuzz_check_refusal(brink_fit_report(fit, &bytes, &diag), &diag);
  brink_bytes_free(&bytes);
}

/* Returns the knob that was found; NaN: there is none. */
static double solve(way how, char kind, const char *text, size_t size) {
  brink_hsml *model = NULL;
  brink_diag diag = {0};
  double found = (double)NAN;
  brink_fit *fit = make_fit(&model, how);
  if (fit == NULL) abort();
  brink_status status = read_all(fit, kind, text, size, &diag);
  fuzz_check_refusal(status, &diag);
  if (status == BRINK_OK) {
    status = brink_fit_solve(fit, &diag);
    fuzz_check_refusal(status, &diag);
    check_result(fit, status);
    if (status == BRINK_OK) found = brink_fit_get(fit)->values[0].value;
  }
  brink_fit_destroy(fit);
  brink_hsml_destroy(model);
  return found;
}

static void solve_twice(uint8_t by, char kind, const char *text, size_t size) {
  way how = {.method = (brink_fit_method)(by % 3), .jobs = 1};
  double one = solve(how, kind, text, size);
  if (isnan(one)) return;
  how.jobs = 2;
  double two = solve(how, kind, text, size);
  if (memcmp(&one, &two, sizeof one) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  brink_hsml *model = NULL;
  if (size == 0) return 0;
  char *text = malloc(size);
  if (text == NULL) return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  if (size > 2 && strchr("cfo", data[0]) != NULL && data[0] != '\0')
    solve_twice(data[1], (char)data[0], text + 1, size - 2);
  brink_fit *fit = strchr("dems", data[0]) != NULL ? make_fit(&model, (way){.jobs = 1}) : NULL;
  if (strchr("dems", data[0]) != NULL && fit == NULL) abort();
  if (data[0] == 'd' || data[0] == 'e') read_file(fit, data[0] == 'e', data + 1, size - 1);
  if (data[0] == 'v') read_knob(text);
  if (data[0] == 'm' || data[0] == 's') read_expression(fit, data[0] == 's', text);
  brink_fit_destroy(fit);
  brink_hsml_destroy(model);
  free(text);
  return 0;
}
