/* reproduce.c: brink reproduce: the published experiments, run again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/colour.h"
#include "experiments/lab.h"
#include "lang/ast.h"
#include "record/record.h"

typedef struct reproduction {
  const cli_arguments *arguments;
  const cli_colours *colours;
  brink_lab_options options;
  const brink_experiment **wanted; /* in the order of the list */
  brink_lab **labs;                /* those that ran */
  size_t nwanted, nlabs;
  cli_output output;
} reproduction;

/* ---- what is asked for ---- */

static size_t count_experiments(void) {
  size_t count = 0;
  while (brink_experiments[count] != NULL) count++;
  return count;
}

/* A whole number; false: said. */
static bool read_number(const cli_arguments *arguments, cli_option_id id, uint64_t least,
                        uint64_t *number) {
  const char *word = cli_value(arguments, id);
  if (word == NULL) return true;
  char *end;
  errno = 0;
  unsigned long long value = strtoull(word, &end, 10);
  bool whole = word[0] >= '0' && word[0] <= '9' && *end == '\0' && errno == 0;
  if (whole && value >= least) {
    *number = value;
    return true;
  }
  cli_misuse("reproduce", "--%s needs a whole number%s, not '%s'", cli_options[id].name,
             least > 0 ? " above 0" : "", word);
  return false;
}

static bool read_options(reproduction *r) {
  uint64_t repetitions = 0, threads = 0;
  r->options = (brink_lab_options){.seed = 1, .interpret = cli_has(r->arguments, CLI_INTERPRET)};
  if (!read_number(r->arguments, CLI_SEED, 0, &r->options.seed) ||
      !read_number(r->arguments, CLI_REPETITIONS, 1, &repetitions) ||
      !read_number(r->arguments, CLI_THREADS, 1, &threads))
    return false;
  r->options.repetitions = (size_t)repetitions;
  r->options.threads = threads < BRINK_LAB_THREADS ? (int)threads : BRINK_LAB_THREADS;
  return true;
}

static int unknown(const char *name) {
  const char *best = NULL;
  for (size_t k = 0; brink_experiments[k] != NULL; k++)
    best = brink_nearest(name, brink_experiments[k]->name, best);
  if (best != NULL)
    return cli_misuse("reproduce", "there is no experiment '%s'; did you mean %s?", name, best);
  return cli_misuse("reproduce", "there is no experiment '%s'; 'brink reproduce --list' lists them",
                    name);
}

/* Those that are named, or all. CLI_OK, or CLI_USAGE and said. */
static int choose(reproduction *r) {
  const cli_arguments *arguments = r->arguments;
  for (size_t i = 0; i < arguments->noperands; i++) {
    size_t k = 0;
    while (brink_experiments[k] != NULL &&
           strcmp(brink_experiments[k]->name, arguments->operands[i]) != 0)
      k++;
    if (brink_experiments[k] == NULL) return unknown(arguments->operands[i]);
  }
  for (size_t k = 0; brink_experiments[k] != NULL; k++) {
    bool named = arguments->noperands == 0;
    for (size_t i = 0; i < arguments->noperands && !named; i++)
      named = strcmp(brink_experiments[k]->name, arguments->operands[i]) == 0;
    if (named) r->wanted[r->nwanted++] = brink_experiments[k];
  }
  return CLI_OK;
}

/* ---- on the screen ---- */

/* Characters, not bytes. */
static int width_of(const char *text) {
  int width = 0;
  for (; *text != '\0'; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
  return width;
}

static void add_column(brink_text *text, const char *words, int width) {
  brink_text_add(text, "%s%*s  ", words, width - width_of(words), "");
}

enum { INDENT = 4, COLUMNS = 100 };

/* Lines of at most COLUMNS characters, broken at spaces. */
static void add_wrapped(brink_text *text, const char *words) {
  int at = 0;
  while (*words != '\0') {
    size_t length = strcspn(words, " ");
    char word[256];
    snprintf(word, sizeof word, "%.*s", (int)length, words);
    int width = width_of(word);
    if (at > 0 && at + 1 + width > COLUMNS) {
      brink_text_add(text, "\n");
      at = 0;
    }
    if (at == 0) {
      brink_text_add(text, "%*s", INDENT, "");
      at = INDENT - 1;
    } else {
      brink_text_add(text, " ");
    }
    brink_text_append(text, words, length);
    at += 1 + width;
    words += length + (words[length] == ' ');
  }
  brink_text_add(text, "\n");
}

static const char *colour_of(const cli_colours *c, brink_verdict verdict) {
  switch (verdict) {
  case BRINK_MATCHES:
  case BRINK_CORRECTED:
    return c->good;
  case BRINK_REFUTED:
  case BRINK_OPEN:
    return c->warning;
  case BRINK_DIFFERS:
    return c->error;
  default:
    return c->dim;
  }
}

static void add_result(const reproduction *r, const brink_lab *lab, brink_text *text) {
  const cli_colours *c = r->colours;
  int widths[3] = {4, 9, 4};
  for (size_t k = 0; k < lab->ncomparisons; k++) {
    const char *const words[] = {lab->comparisons[k].what, lab->comparisons[k].published,
                                 lab->comparisons[k].ours};
    for (int i = 0; i < 3; i++)
      if (width_of(words[i]) > widths[i]) widths[i] = width_of(words[i]);
  }
  brink_text_add(text, "%s%s%s: %s (%s)\n", c->bold, lab->experiment->name, c->plain,
                 lab->experiment->title, lab->experiment->paper);
  if (lab->ncomparisons > 0) {
    brink_text_add(text, "  %s", c->dim);
    add_column(text, "what", widths[0]);
    add_column(text, "published", widths[1]);
    add_column(text, "ours", widths[2]);
    brink_text_add(text, "verdict%s\n", c->plain);
  }
  for (size_t k = 0; k < lab->ncomparisons; k++) {
    const brink_comparison *line = &lab->comparisons[k];
    brink_text_add(text, "  ");
    add_column(text, line->what, widths[0]);
    add_column(text, line->published[0] != '\0' ? line->published : "-", widths[1]);
    add_column(text, line->ours, widths[2]);
    brink_text_add(text, "%s%s%s\n", colour_of(c, line->verdict), brink_verdict_text(line->verdict),
                   c->plain);
    if (line->because[0] != '\0') {
      brink_text_add(text, "%s", c->dim);
      add_wrapped(text, line->because);
      brink_text_add(text, "%s", c->plain);
    }
  }
  brink_text_add(text, "\n");
}

static void add_total(const reproduction *r, brink_text *text) {
  const char *between = "";
  for (int v = BRINK_MATCHES; v <= BRINK_DIFFERS; v++) {
    size_t count = 0;
    for (size_t k = 0; k < r->nlabs; k++) count += brink_lab_count(r->labs[k], (brink_verdict)v);
    if (count == 0) continue;
    brink_text_add(text, "%s%zu %s", between, count, brink_verdict_text((brink_verdict)v));
    between = ", ";
  }
  brink_text_add(text, between[0] != '\0' ? "\n" : "nothing was compared\n");
}

static void write_text(reproduction *r, brink_text *text) {
  if (text->failed)
    cli_say("out of memory: the output is not complete");
  else
    cli_output_write(text->data, text->length, &r->output);
  brink_text_free(text);
}

/* ---- as JSON ---- */

static void add_member(brink_text *text, const char *name, const char *value) {
  brink_text_add(text, "\"%s\": ", name);
  brink_json_string(text, value);
}

static void add_json_lab(const brink_lab *lab, brink_text *text) {
  brink_text_add(text, "    {");
  add_member(text, "name", lab->experiment->name);
  brink_text_add(text, ", ");
  add_member(text, "title", lab->experiment->title);
  brink_text_add(text, ", ");
  add_member(text, "paper", lab->experiment->paper);
  brink_text_add(text, ",\n     \"results\": [");
  for (size_t k = 0; k < lab->ncomparisons; k++) {
    const brink_comparison *c = &lab->comparisons[k];
    brink_text_add(text, "%s\n       {", k > 0 ? "," : "");
    add_member(text, "what", c->what);
    brink_text_add(text, ", ");
    if (c->published[0] != '\0')
      add_member(text, "published", c->published);
    else
      brink_text_add(text, "\"published\": null");
    brink_text_add(text, ", ");
    add_member(text, "ours", c->ours);
    brink_text_add(text, ", ");
    add_member(text, "verdict", brink_verdict_text(c->verdict));
    if (c->because[0] != '\0') {
      brink_text_add(text, ", ");
      add_member(text, "because", c->because);
    }
    brink_text_add(text, "}");
  }
  brink_text_add(text, "],\n     \"open\": [");
  for (size_t k = 0; k < lab->notes.count; k++) {
    brink_text_add(text, "%s\n       ", k > 0 ? "," : "");
    brink_json_string(text, lab->notes.items[k]);
  }
  brink_text_add(text, "]}");
}

static void print_json(reproduction *r) {
  brink_text text = {0};
  brink_text_add(&text, "{\"seed\": %llu, \"repetitions\": ", (unsigned long long)r->options.seed);
  if (r->options.repetitions > 0)
    brink_text_add(&text, "%zu", r->options.repetitions);
  else
    brink_text_add(&text, "null");
  brink_text_add(&text, ",\n  \"experiments\": [");
  for (size_t k = 0; k < r->nlabs; k++) {
    brink_text_add(&text, k > 0 ? ",\n" : "\n");
    add_json_lab(r->labs[k], &text);
  }
  brink_text_add(&text, "]}\n");
  write_text(r, &text);
}

/* ---- running ---- */

static int run_all(reproduction *r) {
  bool json = cli_has(r->arguments, CLI_JSON), quiet = cli_has(r->arguments, CLI_QUIET);
  int outcome = CLI_OK;
  for (size_t k = 0; k < r->nwanted; k++) {
    brink_diag diag;
    brink_lab *lab = NULL;
    brink_status status = brink_lab_run(r->wanted[k], &r->options, &diag, &lab);
    if (lab != NULL) r->labs[r->nlabs++] = lab;
    if (status != BRINK_OK) {
      cli_say("%s: %s", r->wanted[k]->name,
              diag.message[0] != '\0' ? diag.message : brink_status_text(status));
      outcome = CLI_NUMERICS;
    }
    if (lab == NULL) continue;
    if (outcome == CLI_OK && brink_lab_count(lab, BRINK_DIFFERS) > 0) outcome = CLI_MODEL_FAILED;
    if (json || quiet) continue;
    brink_text text = {0};
    add_result(r, lab, &text);
    write_text(r, &text);
  }
  if (json) print_json(r);
  if (json || quiet) return outcome;
  brink_text text = {0};
  add_total(r, &text);
  write_text(r, &text);
  return outcome;
}

/* CLI_OK, or CLI_FILE and said. */
static int write_page(reproduction *r) {
  const char *path = cli_value(r->arguments, CLI_REPORT);
  if (path == NULL) return CLI_OK;
  cli_output output;
  if (!cli_output_open(&output, path)) return CLI_FILE;
  brink_text text = {0};
  brink_lab_page(r->labs, r->nlabs, &r->options, &text);
  bool failed = text.failed;
  if (failed)
    cli_say("out of memory: %s is not written", path);
  else
    cli_output_write(text.data, text.length, &output);
  brink_text_free(&text);
  int outcome = cli_output_close(&output);
  return failed ? CLI_FILE : outcome;
}

static int list(void) {
  brink_text text = {0};
  int width = 0;
  for (size_t k = 0; brink_experiments[k] != NULL; k++)
    if (width_of(brink_experiments[k]->name) > width) width = width_of(brink_experiments[k]->name);
  for (size_t k = 0; brink_experiments[k] != NULL; k++) {
    const brink_experiment *e = brink_experiments[k];
    add_column(&text, e->name, width);
    brink_text_add(&text, "%s (%s)\n", e->title, e->paper);
  }
  return cli_print(&text);
}

static int reproduce(reproduction *r) {
  if (!read_options(r)) return CLI_USAGE;
  int outcome = choose(r);
  if (outcome != CLI_OK) return outcome;
  r->colours = cli_colours_for(cli_when_of(cli_value(r->arguments, CLI_COLOR)), STDOUT_FILENO);
  cli_output_open(&r->output, "-");
  outcome = run_all(r);
  int paged = write_page(r), printed = cli_output_close(&r->output);
  return outcome != CLI_OK ? outcome : paged != CLI_OK ? paged : printed;
}

int cli_reproduce(const cli_arguments *arguments) {
  if (cli_has(arguments, CLI_LIST)) return list();
  size_t count = count_experiments();
  reproduction r = {.arguments = arguments,
                    .wanted = calloc(count + 1, sizeof *r.wanted),
                    .labs = calloc(count + 1, sizeof *r.labs)};
  int outcome = CLI_NUMERICS;
  if (r.wanted == NULL || r.labs == NULL)
    cli_say("out of memory");
  else
    outcome = reproduce(&r);
  for (size_t k = 0; k < r.nlabs; k++) brink_lab_destroy(r.labs[k]);
  free(r.wanted);
  free(r.labs);
  return outcome;
}
