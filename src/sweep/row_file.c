/* row_file.c: the file of rows, and how to go on with it. See sweep_parts.h.
 *
 * Rows are written in order, and reach the file within a fraction of a second. As long as the sweep is not complete, a small
 * file beside it, FILE.resume, tells what the sweep is: program, model, values, options, design, measures. To go on, all of
 * that must be the same; rows that are as they were written (row_seals.c) are kept, and a last one that was torn is made
 * again. An HDF5 file is made when all rows are there, of FILE.rows. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/replace.h"
#include "record/results.h"
#include "run/run.h"
#include "sweep/sweep_parts.h"

/* Seconds from one flush to the next. */
#define FLUSH 0.1

static brink_status file_problem(const char *what, const char *path, brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_FILE, "cannot %s %s: %s", what,
                        path != NULL ? path : "standard output", strerror(errno));
}

static brink_status out_of_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), size = strlen(end);
  return length > size && strcmp(text + length - size, end) == 0;
}

/* ---- what the sweep is ---- */

static void add_fact(brink_text *text, const char *name, const char *value) {
  brink_text_add(text, "%s ", name);
  for (const char *c = value; *c != '\0'; c++)
    brink_text_append(text, *c == '\n' || *c == '\r' ? " " : c, 1);
  brink_text_append(text, "\n", 1);
}

static void add_hash(brink_text *text, const char *name, brink_sha256 *hash) {
  char words[BRINK_SHA256_TEXT];
  brink_sha256_finish_text(hash, words);
  add_fact(text, name, words);
}

/* The texts of the model and of all its imports. */
static void add_model(brink_text *text, const brink_sweep *sweep) {
  const brink_unit *unit = sweep->first->unit;
  brink_sha256 hash;
  brink_sha256_init(&hash);
  for (size_t k = 0; k < unit->nfiles; k++)
    brink_sha256_add(&hash, unit->files[k].text, unit->files[k].length + 1);
  add_hash(text, "model", &hash);
  if (sweep->model.top != NULL) add_fact(text, "top", sweep->model.top);
}

/* Inputs over time, as they were read. */
static void add_inputs(brink_text *text, const brink_sweep *sweep) {
  char number[BRINK_DOUBLE_TEXT];
  brink_sha256 hash;
  const char *reason;
  FILE *file = sweep->def.inputs != NULL ? brink_file_open(sweep->def.inputs, &reason) : NULL;
  if (file == NULL) return;
  brink_sha256_init(&hash);
  size_t got;
  char block[4096];
  while ((got = fread(block, 1, sizeof block, file)) > 0) brink_sha256_add(&hash, block, got);
  fclose(file);
  add_hash(text, "input", &hash);
  add_fact(text, "hold", brink_double_text(sweep->def.inputs_hold, number));
}

/* The knobs of the table, as they were read. */
static void add_design(brink_text *text, const brink_sweep *sweep) {
  const brink_design *design = &sweep->design;
  brink_sha256 hash;
  brink_sha256_init(&hash);
  add_fact(text, "design", brink_design_name(design->kind));
  for (size_t k = 0; k < design->nknobs; k++) {
    const brink_vary *knob = &design->knobs[k];
    if (design->kind != BRINK_DESIGN_TABLE) {
      add_fact(text, "vary", knob->text);
      continue;
    }
    brink_sha256_add(&hash, knob->name, strlen(knob->name) + 1);
    for (size_t j = 0; j < knob->count; j++)
      brink_sha256_add(&hash, knob->words[j], strlen(knob->words[j]) + 1);
  }
  if (design->kind == BRINK_DESIGN_TABLE) add_hash(text, "table", &hash);
  brink_text_add(text, "runs %llu\ndesign-seed %llu\n", (unsigned long long)design->runs,
                 (unsigned long long)design->seed);
}

void brink_row_file_describe(const brink_sweep *sweep, brink_text *text) {
  const brink_sweep_def *def = &sweep->def;
  add_fact(text, "brink-sweep", "2");
  add_fact(text, "program", brink_version());
  add_model(text, sweep);
  for (size_t k = 0; k < def->nsets; k++) add_fact(text, "set", def->sets[k]);
  add_inputs(text, sweep);
  for (size_t k = 0; k < def->noptions; k++) {
    bool counts = strcmp(def->options[k].name, "threads") != 0;
    if (counts) brink_text_add(text, "%s ", def->options[k].name);
    if (counts) add_fact(text, "=", def->options[k].value);
  }
  add_design(text, sweep);
  for (size_t k = 0; k < def->nmeasures; k++) add_fact(text, "measure", def->measures[k]);
  if (def->shares > 0) brink_share_describe(def->share, def->shares, text);
}

static brink_status write_names(brink_sweep *sweep, brink_diag *diag) {
  FILE *stream = sweep->output.stream;
  brink_text names = {0};
  brink_row_file_names(sweep, &names);
  bool written = !names.failed && fwrite(names.data, 1, names.length, stream) == names.length &&
                 fflush(stream) == 0;
  brink_sha256_init(&sweep->output.written);
  if (written) brink_sha256_add(&sweep->output.written, names.data, names.length);
  brink_status status = names.failed ? out_of_memory(diag)
                        : written    ? BRINK_OK
                                     : file_problem("write", sweep->output.path, diag);
  brink_text_free(&names);
  return status;
}

/* ---- going on ---- */

static brink_status read_text(const char *path, brink_text *text, brink_diag *diag) {
  const char *reason;
  FILE *file = brink_file_open(path, &reason);
  if (file == NULL) return brink_diag_set(diag, BRINK_ERR_FILE, "cannot read %s: %s", path, reason);
  char block[4096];
  size_t got;
  while ((got = fread(block, 1, sizeof block, file)) > 0) brink_text_append(text, block, got);
  bool failed = ferror(file) != 0;
  fclose(file);
  if (failed) return file_problem("read", path, diag);
  return text->failed ? out_of_memory(diag) : BRINK_OK;
}

/* The first line in which two descriptions differ, by its first word. Behind the one of the file there are seals. */
static brink_status compare(const brink_sweep *sweep, const char *was, const char *is,
                            brink_diag *diag) {
  while (*is != '\0' || (*was != '\0' && strncmp(was, "seal ", 5) != 0)) {
    size_t a = strcspn(was, "\n"), b = strcspn(is, "\n");
    if (a != b || memcmp(was, is, a) != 0) {
      const char *line = b > 0 ? is : was;
      return brink_diag_set(
          diag, BRINK_ERR_ARGUMENT,
          "%s was begun with another '%.*s': it cannot be continued (was: '%.*s', "
          "is: '%.*s')",
          sweep->def.out, (int)strcspn(line, " \n"), line, (int)a, was, (int)b, is);
    }
    was += a + (was[a] == '\n');
    is += b + (is[b] == '\n');
  }
  return BRINK_OK;
}

/* `was`: the file beside the table. */
static brink_status check_same(brink_sweep *sweep, brink_text *was, brink_diag *diag) {
  brink_text is = {0};
  const char *beside = sweep->output.beside;
  brink_status status;
  if (access(beside, F_OK) != 0 && access(sweep->def.out, F_OK) == 0)
    status =
        brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                       "%s cannot be continued: there is no %s beside it (it is complete, or no "
                       "table of a sweep)",
                       sweep->def.out, beside);
  else
    status = read_text(beside, was, diag);
  brink_row_file_describe(sweep, &is);
  if (status == BRINK_OK && is.failed) status = out_of_memory(diag);
  if (status == BRINK_OK)
    status = compare(sweep, was->data != NULL ? was->data : "", is.data, diag);
  sweep->output.seals_at = (long long)is.length;
  brink_text_free(&is);
  return status;
}

/* Is this line the row of the next run? */
static bool is_next(brink_sweep *sweep, const char *line, size_t length) {
  if (line[length - 1] != '\n' || !brink_sweep_cut_row(sweep, line, length)) return false;
  return sweep->progress.done < sweep->progress.runs &&
         brink_sweep_number(sweep, 0) == (double)brink_share_number(sweep, sweep->progress.done);
}

/* Rows from the start of the file that are sealed; *kept: its bytes up to the end of the last. */
static brink_status read_rows(brink_sweep *sweep, FILE *file, long long sealed, long long *kept,
                              brink_diag *diag) {
  char *line = NULL;
  size_t room = 0;
  brink_text names = {0};
  brink_row_file_names(sweep, &names);
  ssize_t got = sealed > 0 ? getline(&line, &room, file) : 0;
  brink_status status = BRINK_OK;
  brink_sha256 *written = &sweep->output.written;
  brink_sha256_init(written);
  *kept = 0;
  if (got > 0 && (names.failed || strcmp(line, names.data) != 0) && line[got - 1] == '\n')
    status = brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "%s has other columns: it cannot be continued", sweep->def.out);
  if (got > 0 && line[got - 1] == '\n') {
    *kept = got;
    brink_sha256_add(written, line, (size_t)got);
  }
  while (status == BRINK_OK && *kept > 0 && *kept < sealed &&
         (got = getline(&line, &room, file)) > 0 && is_next(sweep, line, (size_t)got)) {
    status = brink_sweep_keep_row(sweep, line, (size_t)got, diag);
    *kept += got;
    brink_sha256_add(written, line, (size_t)got);
  }
  free(line);
  brink_text_free(&names);
  return status;
}

/* Leaves the rows in the table that are as they were written, and goes on behind them. */
static brink_status take_rows(brink_sweep *sweep, const char *seals, brink_diag *diag) {
  brink_row_file *output = &sweep->output;
  FILE *file = output->stream;
  long long sealed = 0, kept = 0;
  brink_status status = brink_row_seals_check(output->path, file, seals, &sealed, diag);
  if (status != BRINK_OK) return status;
  rewind(file);
  status = read_rows(sweep, file, sealed, &kept, diag);
  sweep->progress.kept = sweep->progress.done;
  if (status != BRINK_OK) return status;
  if (fflush(file) != 0 || ftruncate(fileno(file), kept) != 0 || fseeko(file, kept, SEEK_SET) != 0)
    return file_problem("write", output->path, diag);
  return kept == 0 ? write_names(sweep, diag) : BRINK_OK;
}

static brink_status resume(brink_sweep *sweep, brink_diag *diag) {
  brink_row_file *output = &sweep->output;
  brink_text beside = {0};
  brink_status status = check_same(sweep, &beside, diag);
  if (status == BRINK_OK) {
    output->stream = fopen(output->path, "r+b");
    if (output->stream == NULL) status = file_problem("read", output->path, diag);
  }
  bool some = (long long)beside.length > output->seals_at;
  if (status == BRINK_OK)
    status = take_rows(sweep, some ? beside.data + output->seals_at : "", diag);
  if (status == BRINK_OK) status = brink_row_seals_open(sweep, diag);
  if (status == BRINK_OK) status = brink_row_seals_renew(sweep, diag);
  brink_text_free(&beside);
  return status;
}

/* ---- opening ---- */

static const char *beside_of(brink_sweep *sweep, const char *path, const char *ending) {
  brink_text text = {0};
  brink_text_add(&text, "%s%s", path, ending);
  const char *kept = text.failed ? NULL : brink_arena_text(&sweep->arena, text.data);
  brink_text_free(&text);
  if (kept == NULL) sweep->arena.failed = true;
  return kept;
}

static const char *beside(brink_sweep *sweep, const char *ending) {
  return beside_of(sweep, sweep->def.out, ending);
}

/* Files, and what they are called. */
static brink_status name_files(brink_sweep *sweep, brink_diag *diag) {
  brink_row_file *output = &sweep->output;
  const char *out = sweep->def.out;
  char version[32];
  if (strcmp(out, "-") == 0) {
    if (!sweep->def.resume) return BRINK_OK;
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "--resume needs the file of the table: give --out FILE");
  }
  bool hdf5 = ends_with(out, ".h5");
  if (!hdf5 && !ends_with(out, ".csv"))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "--out %s: the ending decides what is written: .csv or .h5", out);
  if (hdf5 && !brink_hdf5_available(version, sizeof version))
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                          "%s: there is no HDF5 here: write a .csv file", out);
  output->path = hdf5 ? beside(sweep, ".rows") : out;
  output->final = hdf5 ? out : NULL;
  output->beside = beside(sweep, ".resume");
  if (sweep->def.shares >
      0) { /* rows alone, and what they are rows of for as long as they are there */
    output->path = brink_share_path(sweep, sweep->def.share, sweep->def.shares);
    output->final = NULL;
    output->beside = output->path != NULL ? beside_of(sweep, output->path, ".resume") : NULL;
  }
  return sweep->arena.failed ? out_of_memory(diag) : BRINK_OK;
}

/* What the sweep is goes into its file before the first row. */
static brink_status write_beside(brink_sweep *sweep, brink_diag *diag) {
  const char *path = sweep->output.beside;
  struct stat about;
  /* Nothing stands beside a pipe or a device: it cannot be continued. */
  if (stat(sweep->output.path, &about) == 0 && !S_ISREG(about.st_mode)) {
    sweep->output.beside = NULL;
    return BRINK_OK;
  }
  brink_text text = {0};
  brink_row_file_describe(sweep, &text);
  FILE *file = text.failed ? NULL : brink_file_create_aside(path);
  bool fine = file != NULL && fwrite(text.data, 1, text.length, file) == text.length;
  if (file != NULL && fclose(file) != 0) fine = false;
  brink_status status = text.failed ? out_of_memory(diag)
                        : fine      ? BRINK_OK
                                    : file_problem("write", path, diag);
  brink_text_free(&text);
  return status;
}

/* Can the file that is made of the rows be written? */
static brink_status probe_final(const char *path, brink_diag *diag) {
  brink_replacement file;
  brink_status status = brink_replacement_begin(&file, path);
  if (status == BRINK_OK)
    brink_replacement_tidy(&file);
  else
    brink_diag_set(diag, status, "cannot write %s: %s", path, file.reason);
  brink_replacement_end(&file);
  return status;
}

static brink_status begin(brink_sweep *sweep, brink_diag *diag) {
  brink_row_file *output = &sweep->output;
  output->stream = output->path == NULL    ? stdout
                   : output->final != NULL ? brink_file_create_aside(output->path)
                                           : fopen(output->path, "wb");
  if (output->stream == NULL) return file_problem("write", output->path, diag);
  brink_status status = output->path != NULL ? write_beside(sweep, diag) : BRINK_OK;
  if (status == BRINK_OK && output->path != NULL && output->beside != NULL)
    status = brink_row_seals_open(sweep, diag);
  return status == BRINK_OK ? write_names(sweep, diag) : status;
}

/* All tasks of a job may say --resume, also those that have not begun. */
static bool is_new_share(const brink_sweep *sweep) {
  const brink_row_file *output = &sweep->output;
  struct stat about;
  return sweep->def.shares > 0 && access(output->beside, F_OK) != 0 &&
         (stat(output->path, &about) != 0 || about.st_size == 0);
}

brink_status brink_row_file_open(brink_sweep *sweep, brink_diag *diag) {
  if (sweep->def.out == NULL) return BRINK_OK;
  brink_status status = name_files(sweep, diag);
  if (status != BRINK_OK) return status;
  if (sweep->output.final != NULL) status = probe_final(sweep->output.final, diag);
  if (status != BRINK_OK) return status;
  status = sweep->def.resume && !is_new_share(sweep) ? resume(sweep, diag) : begin(sweep, diag);
  sweep->output.flushed = brink_seconds();
  return status;
}

/* ---- rows ---- */

brink_status brink_row_file_row(brink_sweep *sweep, const char *row, size_t length,
                                brink_diag *diag) {
  brink_row_file *output = &sweep->output;
  if (output->stream == NULL) return BRINK_OK;
  if (fwrite(row, 1, length, output->stream) != length)
    return file_problem("write", output->path, diag);
  if (output->seals != NULL) brink_sha256_add(&output->written, row, length);
  double now = brink_seconds();
  if (now - output->flushed < FLUSH) return BRINK_OK;
  output->flushed = now;
  if (fflush(output->stream) != 0) return file_problem("write", output->path, diag);
  return brink_row_seals_add(sweep, diag);
}

/* A disk that is full ends within a row: it is cut off. */
static void cut_last_row(const char *path) {
  struct stat about;
  FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
  if (file == NULL) return;
  off_t at = 0, end = 0;
  bool quoted = false;
  for (int c; (c = getc(file)) != EOF;) {
    at++;
    if (c == '"') quoted = !quoted;
    if (c == '\n' && !quoted) end = at;
  }
  bool read = ferror(file) == 0;
  fclose(file);
  if (read && end < at && truncate(path, end) != 0) return; /* --resume cuts it off, too */
}

brink_status brink_row_file_close(brink_sweep *sweep, bool complete, brink_diag *diag) {
  brink_row_file *output = &sweep->output;
  if (output->stream == NULL) return BRINK_OK;
  bool fine = ferror(output->stream) == 0, flushed = fflush(output->stream) == 0;
  brink_status status = flushed ? BRINK_OK : file_problem("write", output->path, diag);
  if (output->path != NULL && fclose(output->stream) != 0 && status == BRINK_OK)
    status = file_problem("write", output->path, diag);
  output->stream = NULL;
  if (fine && status == BRINK_OK) status = brink_row_seals_add(sweep, diag);
  if (output->seals != NULL && fclose(output->seals) != 0 && status == BRINK_OK)
    status = file_problem("write", output->beside, diag);
  output->seals = NULL;
  if (output->path != NULL && (!fine || status != BRINK_OK)) cut_last_row(output->path);
  if (!complete || status != BRINK_OK || output->beside == NULL) return status;
  if (output->final != NULL)
    status = brink_sweep_write_hdf5(sweep, output->path, output->final, diag);
  if (status != BRINK_OK) return status;
  if (output->final != NULL) unlink(output->path);
  if (sweep->def.shares == 0) unlink(output->beside); /* a share is joined with others by it */
  return BRINK_OK;
}
