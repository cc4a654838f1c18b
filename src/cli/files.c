/* files.c: every file that is written, against every other one.
 *
 * Two names are of one file if the file system says so (links, other spellings), or, where there is no file yet, if they are
 * the same name in the same directory. Pipes and devices may be written as often as one likes. */
#include "cli/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

typedef struct file {
  const char *label;      /* for messages: "--out r.csv" */
  const char *path;       /* NULL: a stream */
  bool written;           /* --resume: only what has been read as a checkpoint is written again */
  bool is_folder_of_runs; /* DIR of --keep: DIR/run-N.csv and .html are written */
  bool is_checkpoint;     /* it may be read and then written */
  bool exists;
  struct stat status;    /* if it exists */
  struct stat directory; /* where it is */
  const char *name;      /* in there; NULL: the directory is not there either */
} file;

typedef struct files {
  brink_arena arena;
  file *list;
  size_t count, capacity;
} files;

/* ---- what a name stands for ---- */

/* Where a link leads that leads to nothing yet: writing makes that file. */
static const char *follow(brink_arena *arena, const char *path) {
  struct stat status;
  if (stat(path, &status) == 0) return path;
  brink_text text = {0};
  const char *target = brink_file_follow(path, &text) ? brink_arena_text(arena, text.data) : NULL;
  brink_text_free(&text);
  if (target == NULL) arena->failed = true;
  return target != NULL ? target : "";
}

static void identify(files *f, file *one) {
  const char *path = follow(&f->arena, one->path), *slash = strrchr(path, '/');
  const char *directory = ".";
  one->exists = stat(path, &one->status) == 0;
  if (slash != NULL) {
    char *copy = brink_arena_take(&f->arena, (size_t)(slash - path) + 2, 1);
    if (copy == NULL) return;
    memcpy(copy, path, (size_t)(slash - path) + 1);
    directory = copy;
  }
  if (stat(directory, &one->directory) == 0) one->name = slash != NULL ? slash + 1 : path;
}

/* ---- the list ---- */

static file *add(files *f, const char *label, const char *path, bool written) {
  file *one = brink_arena_push(&f->arena, f->list, f->count, f->capacity);
  brink_text text = {0};
  if (one == NULL) return NULL;
  brink_text_add(&text, "%s%s%s", label, path != NULL ? " " : "", path != NULL ? path : "");
  *one = (file){.path = path, .written = written};
  one->label = text.failed ? NULL : brink_arena_text(&f->arena, text.data);
  f->arena.failed = f->arena.failed || text.failed;
  brink_text_free(&text);
  if (path != NULL) identify(f, one);
  return one;
}

/* Standard input or output, where it is a file. */
static void add_stream(files *f, const char *label, int descriptor, bool written) {
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  file *one = add(f, label, NULL, written);
  if (one == NULL) return;
  one->exists = true;
  one->status = status;
}

/* A file beside one that is written: FILE.resume, FILE.rows. */
static file *add_beside(files *f, const char *label, const char *path, const char *ending) {
  brink_text text = {0};
  brink_text_add(&text, "%s%s", path, ending);
  const char *beside = text.failed ? NULL : brink_arena_text(&f->arena, text.data);
  f->arena.failed = f->arena.failed || text.failed;
  brink_text_free(&text);
  return beside != NULL ? add(f, label, beside, true) : NULL;
}

/* The table of a sweep: alone, or the file of a share "K/N", FILE.K-of-N. */
static void add_table(files *f, const cli_arguments *arguments, const char *path) {
  static const char *const endings[] = {"", ".resume", ".rows"};
  const char *share = cli_value(arguments, CLI_SHARE);
  size_t length = share != NULL ? strcspn(share, "/") : 0;
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    brink_text ending = {0};
    if (share != NULL && share[length] == '/')
      brink_text_add(&ending, ".%.*s-of-%s", (int)length, share, share + length + 1);
    brink_text_add(&ending, "%s", endings[k]);
    if (!ending.failed) add_beside(f, "--out", path, ending.data);
    f->arena.failed = f->arena.failed || ending.failed;
    brink_text_free(&ending);
  }
}

/* ---- which there are ---- */

static void add_given(files *f, const cli_arguments *arguments, const cli_given *given) {
  static const struct {
    cli_option_id id;
    bool written;
  } roles[] = {{CLI_INPUT, false},     {CLI_DATA, false},   {CLI_EVENT_TIMES, false},
               {CLI_RESUME, false},    {CLI_OUT, true},     {CLI_REPORT, true},
               {CLI_CHECKPOINT, true}, {CLI_INDICES, true}, {CLI_OUT_TABLE, true},
               {CLI_KEEP_RUNS, true},  {CLI_DESIGN, false}};
  const char *path = given->value, *ending = path != NULL ? strrchr(path, '.') : NULL;
  brink_text label = {0};
  file *one = NULL;
  size_t k = 0, count = sizeof roles / sizeof *roles;
  while (k < count && roles[k].id != given->id) k++;
  if (k == count || path == NULL || strcmp(path, "-") == 0) return;
  if (given->id == CLI_DESIGN && ending == NULL) return; /* a word */
  if (given->id == CLI_OUT_TABLE) {
    add_table(f, arguments, path);
    return;
  }
  brink_text_add(&label, "--%s", cli_options[given->id].name);
  if (!label.failed) one = add(f, label.data, path, roles[k].written);
  if (one != NULL) one->is_folder_of_runs = given->id == CLI_KEEP_RUNS;
  if (one != NULL) one->is_checkpoint = given->id == CLI_CHECKPOINT || given->id == CLI_RESUME;
  f->arena.failed = f->arena.failed || label.failed;
  brink_text_free(&label);
}

/* Only the last of an option that is given twice counts. */
static bool is_last(const cli_arguments *arguments, size_t k) {
  for (size_t later = k + 1; later < arguments->ngiven; later++)
    if (arguments->given[later].id == arguments->given[k].id) return false;
  return true;
}

static bool reads_standard_input(const cli_arguments *arguments) {
  static const cli_option_id readers[] = {CLI_INPUT, CLI_DATA, CLI_EVENT_TIMES};
  bool reads = strcmp(arguments->operands[0], "-") == 0;
  for (size_t k = 0; k < sizeof readers / sizeof *readers; k++) {
    const char *path = cli_value(arguments, readers[k]);
    reads = reads || (path != NULL && strcmp(path, "-") == 0);
  }
  return reads;
}

static void collect(files *f, const cli_arguments *arguments, const brink_unit *unit) {
  for (size_t k = 0; k < unit->nfiles; k++) {
    const char *path = unit->files[k].path;
    bool is_main = strcmp(path, arguments->operands[0]) == 0;
    if (strcmp(path, "-") != 0) add(f, is_main ? "the model" : "the import", path, false);
  }
  for (size_t k = 0; k < brink_unit_library_count(unit); k++)
    add(f, "the library", brink_unit_library(unit, k), false);
  for (size_t k = 0; k < arguments->ngiven; k++)
    if (is_last(arguments, k)) add_given(f, arguments, &arguments->given[k]);
  if (reads_standard_input(arguments)) add_stream(f, "standard input", STDIN_FILENO, false);
  add_stream(f, "standard output", STDOUT_FILENO, true);
}

/* ---- comparing ---- */

static bool same_thing(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_same_file(const file *a, const file *b) {
  if (a->exists != b->exists || a->is_folder_of_runs || b->is_folder_of_runs) return false;
  if (a->exists) return S_ISREG(a->status.st_mode) && same_thing(&a->status, &b->status);
  return a->name != NULL && b->name != NULL && same_thing(&a->directory, &b->directory) &&
         strcmp(a->name, b->name) == 0;
}

/* run-N.csv or run-N.html in this folder? */
static bool is_of_folder(const file *folder, const file *b) {
  if (!folder->is_folder_of_runs || !folder->exists || b->name == NULL ||
      !same_thing(&folder->status, &b->directory) || strncmp(b->name, "run-", 4) != 0)
    return false;
  size_t digits = strspn(b->name + 4, "0123456789");
  const char *ending = b->name + 4 + digits;
  return digits > 0 && (strcmp(ending, ".csv") == 0 || strcmp(ending, ".html") == 0);
}

static bool collide(const file *a, const file *b) {
  if (!a->written && !b->written) return false;
  if (a->is_checkpoint && b->is_checkpoint) return false;
  return is_same_file(a, b) || is_of_folder(a, b) || is_of_folder(b, a);
}

static int compare_all(const files *f, const cli_arguments *arguments) {
  for (size_t a = 0; a < f->count; a++) {
    for (size_t b = a + 1; b < f->count; b++) {
      const file *first = &f->list[a], *second = &f->list[b];
      if (!collide(first, second)) continue;
      bool both = first->written && second->written;
      if (first->written && !both) { /* the one that is written comes first in the message */
        second = first;
        first = &f->list[b];
      }
      return cli_misuse(arguments->command->name,
                        both ? "%s and %s would be written to the same file"
                             : "%s would overwrite %s, which is read: give another name",
                        second->label, first->label);
    }
  }
  return CLI_OK;
}

int cli_files_check(const cli_arguments *arguments, const brink_unit *unit) {
  files f = {0};
  brink_arena_init(&f.arena, NULL);
  collect(&f, arguments, unit);
  int outcome = CLI_OK;
  if (f.arena.failed) {
    cli_say("out of memory");
    outcome = CLI_NUMERICS;
  } else {
    outcome = compare_all(&f, arguments);
  }
  brink_arena_free(&f.arena);
  return outcome;
}
