/* fuzz_fit.c: what a fit reads: files of curves (d) and of events (e), knobs (v), outcomes (m) and conditions (s). The first byte
 * says which. What is accepted must make sense, what is refused must be refused with words; every expression that is accepted is
 * worked out and differentiated in a run. */
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

static brink_fit *make_fit(brink_hsml **model) {
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  brink_hsml *model = NULL;
  if (size == 0) return 0;
  char *text = malloc(size);
  if (text == NULL) return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  brink_fit *fit = data[0] != 'v' ? make_fit(&model) : NULL;
  if (data[0] != 'v' && fit == NULL) abort();
  if (data[0] == 'd' || data[0] == 'e') read_file(fit, data[0] == 'e', data + 1, size - 1);
  if (data[0] == 'v') read_knob(text);
  if (data[0] == 'm' || data[0] == 's') read_expression(fit, data[0] == 's', text);
  brink_fit_destroy(fit);
  brink_hsml_destroy(model);
  free(text);
  return 0;
}
