/* fit.c: brink fit: reads options, shows progress and the result. The work is in src/fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/show.h"
#include "cli/colour.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "fit/by_ranks.h"
#include "run/run.h"
#include "sweep/vary.h"
#include <brink/fit.h>

/* Seconds from one line of progress to the next. */
#define TELL_EVERY 0.2

typedef struct fitting {
  const cli_arguments *arguments;
  cli_settings settings;
  brink_arena arena;
  brink_hsml *model;
  const char *name; /* of the model */
  brink_fit *fit;
  brink_fit_knob *knobs;
  size_t nknobs;
  cli_ranks ranks;
  double patience; /* with them */
  bool shown;      /* progress */
  double next;
} fitting;

static const char *command_name(const fitting *f) {
  return f->arguments->command->name;
}

/* ---- options ---- */

/* What a status of the library is for the program; said. */
static int fail(const fitting *f, brink_status status, const brink_diag *diag) {
  return status == BRINK_OK ? CLI_OK : cli_refuse(command_name(f), status, diag);
}

static int read_vary(fitting *f, const char *text) {
  brink_diag diag;
  brink_vary vary;
  if (brink_vary_read(&f->arena, text, &vary, &diag) != BRINK_OK)
    return cli_misuse(command_name(f), "--vary %s: %s", text, diag.message);
  bool bounds = (vary.kind == BRINK_VARY_LINEAR || vary.kind == BRINK_VARY_LOG) && vary.count == 0;
  if (!bounds)
    return cli_misuse(command_name(f),
                      "--vary %s: a fit looks between two bounds: NAME=LO:HI or NAME=log:LO:HI",
                      text);
  f->knobs[f->nknobs++] = (brink_fit_knob){
      .name = vary.name, .lo = vary.lo, .hi = vary.hi, .log = vary.kind == BRINK_VARY_LOG};
  return CLI_OK;
}

static int read_count(const fitting *f, cli_option_id id, size_t *count) {
  const char *word = cli_value(f->arguments, id);
  char *end;
  if (word == NULL) return CLI_OK;
  unsigned long long value = strtoull(word, &end, 10);
  if (end == word || *end != '\0' || word[0] == '-' || value == 0 || value > 1000000)
    return cli_misuse(command_name(f), "--%s %s: give a whole number from 1 to 1000000",
                      cli_options[id].name, word);
  *count = (size_t)value;
  return CLI_OK;
}

static int read_patience(fitting *f) {
  const char *word = cli_value(f->arguments, CLI_FIT_PATIENCE);
  if (word == NULL) return CLI_OK;
  if (brink_vary_number(word, &f->patience) && f->patience > 0.0) return CLI_OK;
  return cli_misuse(command_name(f), "--patience %s: give a positive number of seconds", word);
}

static int read_confidence(const fitting *f, double *confidence) {
  const char *word = cli_value(f->arguments, CLI_CONFIDENCE);
  if (word == NULL) return CLI_OK;
  if (brink_vary_number(word, confidence) && *confidence > 0.0 && *confidence < 1.0) return CLI_OK;
  return cli_misuse(command_name(f), "--confidence %s: give a number between 0 and 1, such as 0.95",
                    word);
}

static brink_fit_method method_of(const char *word) {
  if (word == NULL || strcmp(word, "auto") == 0) return BRINK_FIT_AUTO;
  return strcmp(word, "always") == 0 ? BRINK_FIT_DERIVATIVES : BRINK_FIT_SEARCH;
}

/* --sigma NAME=VALUE */
static int read_sigma(fitting *f, const char *text) {
  brink_diag diag;
  double value;
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || !brink_vary_number(equals + 1, &value))
    return cli_misuse(command_name(f), "--sigma %s: write --sigma NAME=VALUE", text);
  char *name = brink_arena_take(&f->arena, (size_t)(equals - text) + 1, 1);
  if (name == NULL) {
    cli_say("out of memory");
    return CLI_NUMERICS;
  }
  memcpy(name, text, (size_t)(equals - text));
  return fail(f, brink_fit_set_sigma(f->fit, name, value, &diag), &diag);
}

/* ---- progress ---- */

static int on_progress(const brink_fit_progress *progress, void *user) {
  fitting *f = user;
  double now = brink_seconds();
  if (f->shown && now >= f->next) {
    fprintf(stderr, "\r\033[Kbrink: %zu of %zu starts, %zu runs, best so far %.6g", progress->start,
            progress->nstarts, progress->runs, progress->best);
    fflush(stderr);
    f->next = now + TELL_EVERY;
  }
  return cli_interrupt_signal() != 0;
}

/* ---- the result, for a person ---- */

static int widest(const brink_fit_result *r) {
  size_t width = strlen("knob");
  for (size_t k = 0; k < r->nknobs; k++)
    if (strlen(r->values[k].name) > width) width = strlen(r->values[k].name);
  return (int)width;
}

static void show_values(const brink_fit_result *r, const cli_colours *c, brink_text *text) {
  int width = widest(r);
  char title[32];
  snprintf(title, sizeof title, "%g %% interval", 100.0 * r->confidence);
  brink_text_add(text, "  %s%-*s  %-14s  %-14s  %s%s\n", c->dim, width, "knob", "value",
                 "standard error", title, c->plain);
  for (size_t k = 0; k < r->nknobs; k++) {
    const brink_fit_value *v = &r->values[k];
    brink_text_add(text, "  %s%-*s%s  %-14.6g  ", c->name, width, v->name, c->plain, v->value);
    if (v->at_bound || v->undetermined || isnan(v->standard_error))
      brink_text_add(text, "%-14s  %s\n", "-",
                     v->at_bound       ? "at its bound"
                     : v->undetermined ? "not determined"
                                       : "-");
    else
      brink_text_add(text, "%-14.3g  %.6g ... %.6g\n", v->standard_error, v->lo, v->hi);
  }
}

static void show_correlation(const brink_fit_result *r, const cli_colours *c, brink_text *text) {
  int width = widest(r);
  if (r->nknobs < 2) return;
  brink_text_add(text, "\n  %scorrelation%s\n", c->dim, c->plain);
  for (size_t i = 0; i < r->nknobs; i++) {
    brink_text_add(text, "  %s%-*s%s", c->name, width, r->values[i].name, c->plain);
    for (size_t j = 0; j <= i; j++) {
      double entry = r->correlation[i * r->nknobs + j];
      if (isnan(entry))
        brink_text_add(text, "  %6s", "-");
      else
        brink_text_add(text, "  %6.3f", entry);
    }
    brink_text_add(text, "\n");
  }
}

static void show_sum(const brink_fit_result *r, brink_text *text) {
  brink_text_add(text, "\n  sum of squares %.6g, %zu degrees of freedom", r->sum, r->freedom);
  if (r->freedom > 0 && r->sigma_known)
    brink_text_add(text, "; residuals are %.3g times sigma (probability %.3g)\n", r->scale,
                   r->probability);
  else if (r->freedom > 0)
    brink_text_add(text, "; sigma, estimated from the residuals: %.4g\n", r->scale);
  else
    brink_text_add(text, "\n");
}

/* Of each quantity: how many, the mean and the largest residual. */
static void show_residuals(const brink_fit_result *r, const cli_colours *c, brink_text *text) {
  brink_text_add(text, "\n  %s%s%s\n", c->dim, r->sigma_known ? "residuals, in sigma" : "residuals",
                 c->plain);
  for (size_t first = 0; first < r->nresiduals; first++) {
    const char *name = r->residuals[first].name;
    size_t count = 0, worst = first;
    double sum = 0.0, squares = 0.0;
    bool told = false;
    for (size_t k = 0; k < first; k++) told = told || strcmp(r->residuals[k].name, name) == 0;
    for (size_t k = first; k < r->nresiduals && !told; k++) {
      const brink_fit_residual *one = &r->residuals[k];
      if (strcmp(one->name, name) != 0) continue;
      count++;
      sum += one->residual;
      squares += one->residual * one->residual;
      if (fabs(one->residual) > fabs(r->residuals[worst].residual)) worst = k;
    }
    if (told) continue;
    brink_text_add(
        text, "  %s%s%s: %zu, mean %.3g, root mean square %.3g, largest %.3g at t = %.6g\n",
        c->name, name, c->plain, count, sum / (double)count, sqrt(squares / (double)count),
        r->residuals[worst].residual, r->residuals[worst].t);
  }
}

static void show_notes(const brink_fit_result *r, const cli_colours *c, brink_text *text) {
  for (size_t k = 0; k < r->nnotes; k++) {
    brink_text_add(text, "%s  %snote:%s ", k == 0 ? "\n" : "", c->warning, c->plain);
    brink_text_show(text, r->notes[k]);
    brink_text_add(text, "\n");
  }
}

/* A design: the best outcome, and what it had to be. */
static void show_design(const brink_fit_result *r, const char *model, const cli_colours *c,
                        brink_text *text) {
  int width = widest(r);
  brink_text_add(text, "%s%s%s: %s %s%s%s = %.6g, %s%s%s (%s)\n", c->bold, model, c->plain,
                 r->maximized ? "largest" : "smallest", c->name, r->objective, c->plain, r->outcome,
                 r->converged ? c->good : c->warning,
                 r->converged  ? "converged"
                 : r->feasible ? "not converged"
                               : "but conditions do not hold",
                 c->plain, r->method);
  brink_text_add(text, "  runs %zu", r->runs);
  if (r->derivative_runs > 0)
    brink_text_add(text, ", %zu of them with derivatives", r->derivative_runs);
  brink_text_add(text, ", from %zu starts\n\n", r->nstarts);
  for (size_t k = 0; k < r->nknobs; k++)
    brink_text_add(text, "  %s%-*s%s  %.6g%s\n", c->name, width, r->values[k].name, c->plain,
                   r->values[k].value, r->values[k].at_bound ? "  (at its bound)" : "");
  for (size_t k = 0; k < r->nconditions; k++) {
    const brink_fit_condition *one = &r->conditions[k];
    brink_text_add(text, "%s  %s%s%s  %.6g and %.6g: %s%s%s\n", k == 0 ? "\n" : "", c->name,
                   one->text, c->plain, one->left, one->right, one->holds ? c->good : c->error,
                   one->holds ? "holds" : "does not hold", c->plain);
  }
  show_notes(r, c, text);
}

static void show_result(const fitting *f, brink_text *text) {
  const brink_fit_result *r = brink_fit_get(f->fit);
  const cli_colours *c = cli_colours_for(f->settings.color, STDOUT_FILENO);
  size_t agreeing = 0;
  if (r->objective != NULL) {
    show_design(r, f->name, c, text);
    return;
  }
  for (size_t k = 0; k < r->nstarts; k++) agreeing += r->starts[k].sum <= r->sum * 1.0001 + 1e-12;
  brink_text_add(text, "%s%s%s: %zu data, %zu knob%s, %s%s%s (%s)\n", c->bold, f->name, c->plain,
                 r->ndata, r->nknobs, r->nknobs == 1 ? "" : "s",
                 r->converged ? c->good : c->warning, r->converged ? "converged" : "not converged",
                 c->plain, r->method);
  brink_text_add(text, "  runs %zu, %zu of them with derivatives; %zu of %zu starts end here\n\n",
                 r->runs, r->derivative_runs, agreeing, r->nstarts);
  show_values(r, c, text);
  show_correlation(r, c, text);
  show_sum(r, text);
  show_residuals(r, c, text);
  show_notes(r, c, text);
}

static int print(const fitting *f) {
  brink_text text = {0};
  brink_bytes json = {0};
  brink_diag diag;
  if (f->settings.json) {
    brink_status status = brink_fit_json(f->fit, &json, &diag);
    if (status != BRINK_OK) return fail(f, status, &diag);
    brink_text_append(&text, json.data, json.length);
    brink_text_append(&text, "\n", 1);
    brink_bytes_free(&json);
  } else if (!f->settings.quiet) {
    show_result(f, &text);
  }
  return cli_print(&text);
}

static int write_report(const fitting *f) {
  brink_bytes page = {0};
  brink_diag diag;
  cli_output output;
  if (f->settings.report == NULL) return CLI_OK;
  brink_status status = brink_fit_report(f->fit, &page, &diag);
  int outcome = fail(f, status, &diag);
  if (outcome == CLI_OK) {
    outcome = CLI_FILE;
    if (cli_output_open(&output, f->settings.report)) {
      cli_output_write(page.data, page.length, &output);
      outcome = cli_output_close(&output);
    }
  }
  brink_bytes_free(&page);
  return outcome;
}

/* ---- the whole ---- */

static int make(fitting *f) {
  brink_diag diag;
  brink_fit_def def = brink_default_fit();
  int outcome = CLI_OK;
  f->knobs = brink_arena_take(&f->arena, f->arguments->ngiven, sizeof *f->knobs);
  if (f->knobs == NULL) {
    cli_say("out of memory");
    return CLI_NUMERICS;
  }
  for (size_t k = 0; k < f->arguments->ngiven && outcome == CLI_OK; k++)
    if (f->arguments->given[k].id == CLI_BOUNDS)
      outcome = read_vary(f, f->arguments->given[k].value);
  if (outcome == CLI_OK) outcome = read_count(f, CLI_STARTS, &def.starts);
  if (outcome == CLI_OK) outcome = read_count(f, CLI_MAX_RUNS, &def.max_runs);
  if (outcome == CLI_OK) outcome = read_confidence(f, &def.confidence);
  def.jobs = 0;
  if (outcome == CLI_OK) outcome = read_count(f, CLI_FIT_JOBS, &def.jobs);
  if (outcome == CLI_OK) outcome = read_patience(f);
  if (outcome != CLI_OK) return outcome;
  if (f->nknobs == 0)
    return cli_misuse(command_name(f), "nothing is varied: give --vary NAME=LO:HI");
  f->name = brink_arena_text(&f->arena, f->model->built->system->name);
  if (f->name == NULL) f->name = "model";
  def.model = f->model;
  def.options = &f->settings.run;
  def.knobs = f->knobs;
  def.nknobs = f->nknobs;
  def.method = method_of(cli_value(f->arguments, CLI_DERIVATIVES));
  def.progress = on_progress;
  def.user = f;
  return fail(f, brink_fit_create(&def, &diag, &f->fit), &diag);
}

/* --minimize or --maximize, and --subject-to. */
static int read_design(fitting *f) {
  brink_diag diag;
  const char *least = cli_value(f->arguments, CLI_MINIMIZE);
  const char *most = cli_value(f->arguments, CLI_MAXIMIZE);
  static const cli_option_id data[] = {CLI_DATA, CLI_EVENT_TIMES, CLI_SIGMA};
  if (least != NULL && most != NULL)
    return cli_misuse(command_name(f), "give --minimize or --maximize, not both");
  const char *goal = least != NULL ? "minimize" : "maximize";
  for (size_t k = 0; k < sizeof data / sizeof data[0]; k++) {
    if (cli_has(f->arguments, data[k]))
      return cli_misuse(command_name(f), "--%s is for data, and --%s goes without them",
                        cli_options[data[k]].name, goal);
  }
  brink_status status =
      brink_fit_set_objective(f->fit, least != NULL ? least : most, most != NULL, &diag);
  if (status == BRINK_ERR_ARGUMENT)
    return cli_misuse(command_name(f), "--%s: %s", goal, diag.message);
  for (size_t k = 0; k < f->arguments->ngiven && status == BRINK_OK; k++) {
    if (f->arguments->given[k].id != CLI_SUBJECT_TO) continue;
    status = brink_fit_add_condition(f->fit, f->arguments->given[k].value, &diag);
    if (status == BRINK_ERR_ARGUMENT)
      return cli_misuse(command_name(f), "--subject-to: %s", diag.message);
  }
  return fail(f, status, &diag);
}

static int read_data(fitting *f) {
  brink_diag diag;
  const char *curves = cli_value(f->arguments, CLI_DATA);
  const char *events = cli_value(f->arguments, CLI_EVENT_TIMES);
  int outcome = CLI_OK;
  if (cli_has(f->arguments, CLI_MINIMIZE) || cli_has(f->arguments, CLI_MAXIMIZE))
    return read_design(f);
  if (cli_has(f->arguments, CLI_SUBJECT_TO))
    return cli_misuse(command_name(f), "--subject-to needs --minimize or --maximize");
  if (curves == NULL && events == NULL)
    return cli_misuse(command_name(f), "there are no data: give --data FILE.csv or --event-times "
                                       "FILE.csv; or an outcome: --minimize or --maximize");
  if (curves != NULL) outcome = fail(f, brink_fit_read_curves(f->fit, curves, &diag), &diag);
  if (outcome == CLI_OK && events != NULL)
    outcome = fail(f, brink_fit_read_events(f->fit, events, &diag), &diag);
  for (size_t k = 0; k < f->arguments->ngiven && outcome == CLI_OK; k++)
    if (f->arguments->given[k].id == CLI_SIGMA)
      outcome = read_sigma(f, f->arguments->given[k].value);
  return outcome;
}

static int solve(fitting *f) {
  brink_diag diag;
  f->shown = f->settings.progress == CLI_ALWAYS ||
             (f->settings.progress == CLI_AUTO && !f->settings.quiet && isatty(STDERR_FILENO));
  f->next = brink_seconds() + 1.0;
  cli_interrupt_watch(NULL);
  if (f->ranks.joined) brink_fit_use_ranks(f->fit, &f->ranks.ranks, f->patience);
  brink_status status = brink_fit_solve(f->fit, &diag);
  f->ranks.served = true;
  f->ranks.lost = brink_fit_lost_ranks(f->fit);
  if (f->shown) fprintf(stderr, "\r\033[K");
  const brink_fit_result *result = brink_fit_get(f->fit);
  if (status < 0) return fail(f, status, &diag);
  if (!f->ranks.leads) return CLI_OK; /* rank 0 has the result */
  if (f->ranks.lost > 0)
    cli_say("%zu of %zu ranks were given up; the others have done their work", f->ranks.lost,
            f->ranks.ranks.count);
  int outcome = result != NULL ? print(f) : CLI_OK;
  if (result != NULL && outcome == CLI_OK) outcome = write_report(f);
  if (status == BRINK_CANCELLED) {
    cli_say(result != NULL ? "interrupted: the best so far is shown" : "interrupted");
    return 128 + cli_interrupt_signal();
  }
  if (outcome == CLI_OK && !result->converged) {
    cli_say(result->objective != NULL && !result->feasible
                ? "no knobs were found with which all conditions hold"
                : "no minimum was reached: the best that was found is shown");
    return CLI_NUMERICS;
  }
  return outcome;
}

int cli_fit(const cli_arguments *arguments) {
  fitting f = {.arguments = arguments, .patience = 30.0};
  int outcome = cli_ranks_open(&f.ranks, false, false);
  if (outcome != CLI_OK) return outcome;
  brink_arena_init(&f.arena, NULL);
  outcome = cli_settings_read(&f.settings, arguments);
  if (outcome == CLI_OK)
    outcome = cli_load(&f.model, arguments, arguments->operands[0], BRINK_BUILD_WHOLE);
  if (outcome == CLI_OK)
    outcome = cli_settings_combine(&f.settings, arguments, f.model->built->system);
  /* mpirun gives ranks a terminal, wherever what they print goes to. */
  if (f.ranks.joined && f.settings.color == CLI_AUTO) f.settings.color = CLI_NEVER;
  if (outcome == CLI_OK) outcome = make(&f);
  if (outcome == CLI_OK) outcome = read_data(&f);
  if (outcome == CLI_OK) outcome = solve(&f);
  brink_fit_destroy(f.fit);
  brink_hsml_destroy(f.model);
  brink_arena_free(&f.arena);
  return cli_ranks_close(&f.ranks, outcome);
}
