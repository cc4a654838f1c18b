/* fmt.c: brink fmt: a model in canonical layout. */
#include <string.h>

#include "base/replace.h"
#include "cli/import_path.h"
#include "cli/load.h"

/* The model is either as it was or as it should be. */
static int replace(const char *path, const brink_text *text) {
  brink_replacement file;
  brink_status status = brink_replacement_begin(&file, path);
  if (status == BRINK_OK) {
    brink_replacement_tidy(&file);
    status = brink_replacement_write(&file, text->data, text->length);
  }
  if (status == BRINK_OK) status = brink_replacement_put(&file);
  if (status != BRINK_OK) cli_say("cannot write %s: %s", path, file.reason);
  brink_replacement_end(&file);
  return status == BRINK_OK ? CLI_OK : CLI_FILE;
}

static int deliver(const cli_arguments *arguments, const char *path, const brink_file *source,
                   const brink_text *text, cli_output *output) {
  bool same = text->length == source->length && memcmp(text->data, source->text, text->length) == 0;
  if (cli_has(arguments, CLI_CHECK)) {
    if (!same) cli_say("%s is not in canonical layout: brink fmt --write %s", path, path);
    return same ? CLI_OK : CLI_MODEL_FAILED;
  }
  if (cli_has(arguments, CLI_WRITE)) return same ? CLI_OK : replace(path, text);
  return cli_output_write(text->data, text->length, output) == 0 ? CLI_OK : CLI_FILE;
}

/* The main file is the one whose path was given: imported ones come first or later. */
static const brink_file *main_file(const brink_unit *unit, const char *path) {
  for (size_t k = 0; k < unit->nfiles; k++) {
    if (strcmp(unit->files[k].path, path) == 0) return &unit->files[k];
  }
  return &unit->files[0];
}

/* The file, parsed; names and types make no difference to its layout. CLI_OK, or said. */
static int parse(const cli_arguments *arguments, const char *path, brink_unit **unit) {
  bool unreadable = false;
  const char *reason = NULL;
  cli_import_path imports;
  brink_reader reader = brink_file_reader;
  bool ready = cli_import_path_open(&imports, arguments);
  reader.directories = imports.directories;
  reader.ndirectories = imports.count;
  if (ready) *unit = brink_unit_parse(path, &reader, NULL, &unreadable, &reason);
  cli_import_path_close(&imports);
  if (!ready) return CLI_NUMERICS;
  if (unreadable) {
    cli_say("cannot read %s: %s", strcmp(path, "-") == 0 ? "standard input" : path,
            reason != NULL ? reason : "it cannot be read");
    return CLI_FILE;
  }
  if (*unit == NULL || (*unit)->out_of_memory) {
    cli_say("out of memory");
    return CLI_NUMERICS;
  }
  brink_report_sort(*unit);
  for (size_t k = 0; k < (*unit)->nitems; k++) {
    brink_text text = {0};
    brink_report_render(*unit, &(*unit)->items[k], &text);
    brink_hsml_message message = {.severity = (*unit)->items[k].severity, .rendered = text.data};
    if (text.data != NULL) cli_show_message(&message, arguments);
    brink_text_free(&text);
  }
  return (*unit)->nerrors > 0 ? CLI_MODEL_ERRORS : CLI_OK;
}

static int format_one(const cli_arguments *arguments, const char *path, cli_output *output) {
  brink_unit *unit = NULL;
  brink_text text = {0};
  int outcome = parse(arguments, path, &unit);
  if (outcome == CLI_OK) {
    if (brink_unit_format_source(unit, &text) && !text.failed) {
      if (text.data == NULL) brink_text_append(&text, "", 0);
      outcome = deliver(arguments, path, main_file(unit, path), &text, output);
    } else {
      cli_say("out of memory");
      outcome = CLI_NUMERICS;
    }
  }
  brink_text_free(&text);
  brink_unit_destroy(unit);
  return outcome;
}

int cli_fmt(const cli_arguments *arguments) {
  bool check = cli_has(arguments, CLI_CHECK), write = cli_has(arguments, CLI_WRITE);
  if (check && write) return cli_misuse("fmt", "--check and --write exclude each other");
  cli_output output;
  cli_output_open(&output, "-");
  int worst = CLI_OK;
  for (size_t k = 0; k < arguments->noperands; k++) {
    const char *path = arguments->operands[k];
    if (write && strcmp(path, "-") == 0)
      return cli_misuse("fmt", "--write needs a file, not standard input");
    int outcome = format_one(arguments, path, &output);
    if (outcome > worst) worst = outcome;
  }
  int closed = cli_output_close(&output);
  return worst != CLI_OK ? worst : closed;
}
