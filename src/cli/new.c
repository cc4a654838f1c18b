/* new.c: brink new: a starter model that runs. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/starter.h"

/* ---- names ---- */

static bool is_plain(char c) {
  return isalnum((unsigned char)c) || strchr("_-.", c) != NULL;
}

/* The file's own name, without its folder and .hsml. */
static void base_name(const char *path, const char **base, size_t *length) {
  const char *slash = strrchr(path, '/');
  *base = slash != NULL ? slash + 1 : path;
  *length = strlen(*base);
  if (*length > 5 && strcmp(*base + *length - 5, ".hsml") == 0) *length -= 5;
}

/* What cannot be a name, in words; NULL: it can. */
static const char *problem_with(const char *base, size_t length) {
  if (length == 0) return "a file needs a name";
  if (!isalpha((unsigned char)base[0])) return "a name begins with a letter";
  for (size_t k = 0; k < length; k++) {
    if (!is_plain(base[k])) return "a name has letters, digits, '-', '_' and '.'";
  }
  return NULL;
}

static bool is_reserved(const char *name) {
  static const char *const words[] = {"And",   "Or",   "Not", "If", "Then",
                                      "Elsif", "Else", "End", "Is"};
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
    if (strcmp(name, words[k]) == 0) return true;
  }
  return false;
}

/* my-tank becomes MyTank. */
static void put_component_name(const char *base, size_t length, brink_text *name) {
  bool capital = true;
  for (size_t k = 0; k < length; k++) {
    char c = base[k];
    if (!isalnum((unsigned char)c)) {
      capital = true;
      continue;
    }
    if (capital) c = (char)toupper((unsigned char)c);
    brink_text_append(name, &c, 1);
    capital = false;
  }
  if (name->data != NULL && is_reserved(name->data)) brink_text_add(name, "Model");
}

/* A part of the model may be called like the system: then the parts get longer names. */
static bool clashes(const char *text, const char *name) {
  brink_text begin = {0};
  brink_text_add(&begin, " %s$MORE is\n", name);
  bool found = begin.data != NULL && strstr(text, begin.data) != NULL;
  brink_text_free(&begin);
  return found;
}

/* ---- the text ---- */

typedef struct names {
  brink_text path, shown, page, component;
  const char *more;
} names;

/* As a shell reads it. */
static void put_shown(brink_text *text, const char *path) {
  bool plain = true;
  for (const char *c = path; *c != '\0'; c++) plain = plain && (is_plain(*c) || *c == '/');
  if (plain) {
    brink_text_add(text, "%s", path);
    return;
  }
  brink_text_append(text, "'", 1);
  for (const char *c = path; *c != '\0'; c++) {
    if (*c == '\'')
      brink_text_append(text, "'\\''", 4);
    else
      brink_text_append(text, c, 1);
  }
  brink_text_append(text, "'", 1);
}

static void fill_in(const char *text, const names *n, const char *file, brink_text *out) {
  const struct {
    const char *mark, *words;
  } marks[] = {
      {"$NAME", n->component.data}, {"$FILE", file}, {"$PAGE", n->page.data}, {"$MORE", n->more}};
  while (*text != '\0') {
    size_t length = strcspn(text, "$");
    brink_text_append(out, text, length);
    text += length;
    for (size_t k = 0; *text == '$' && k < sizeof marks / sizeof marks[0]; k++) {
      size_t size = strlen(marks[k].mark);
      if (strncmp(text, marks[k].mark, size) != 0) continue;
      brink_text_add(out, "%s", marks[k].words);
      text += size;
    }
  }
}

/* ---- the file ---- */

static bool write_all(int file, const brink_text *text) {
  for (size_t done = 0; done < text->length;) {
    ssize_t written = write(file, text->data + done, text->length - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    done += (size_t)written;
  }
  return true;
}

/* Never over something that is there; and not half. */
static int create(const char *path, const brink_text *text) {
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST) {
    cli_say("%s exists already: choose another name", path);
    return CLI_FILE;
  }
  bool fine = file >= 0 && write_all(file, text);
  int error = errno;
  if (file >= 0 && close(file) != 0 && fine) {
    fine = false;
    error = errno;
  }
  if (fine) return CLI_OK;
  cli_say("cannot write %s: %s", path, strerror(error));
  if (file >= 0) unlink(path);
  return CLI_FILE;
}

static int tell_next(const names *n, const cli_starter *starter) {
  brink_text text = {0};
  const char *file = n->shown.data;
  brink_text_add(&text, "%s: %s. Try:\n\n", n->path.data, starter->help);
  brink_text_add(&text, "  brink run %s --plot %s\n", file, starter->plot);
  brink_text_add(&text, "  brink run %s --set %s --report %s\n", file, starter->set, n->page.data);
  brink_text_add(&text, "  brink check %s\n", file);
  return cli_print(&text);
}

/* ---- the command ---- */

static const cli_starter *find_starter(const char *kind) {
  const cli_starter *starter = cli_starters;
  while (kind != NULL && starter->kind != NULL && strcmp(starter->kind, kind) != 0) starter++;
  return starter->kind != NULL ? starter : cli_starters;
}

static int make(names *n, const char *path, const char *base, size_t length,
                const cli_starter *starter) {
  brink_text page = {0}, text = {0};
  size_t stem = (size_t)(base - path) + length;
  brink_text_add(&n->path, "%.*s.hsml", (int)stem, path);
  brink_text_add(&page, "%.*s.html", (int)length, base);
  put_component_name(base, length, &n->component);
  bool failed = n->path.failed || page.failed || n->component.failed;
  if (!failed) {
    put_shown(&n->shown, n->path.data);
    put_shown(&n->page, page.data);
    n->more = clashes(starter->text, n->component.data) ? "Part" : "";
    const char *slash = strrchr(n->path.data, '/');
    fill_in(starter->text, n, slash != NULL ? slash + 1 : n->path.data, &text);
  }
  failed = failed || n->shown.failed || n->page.failed || text.failed;
  int outcome = CLI_NUMERICS;
  if (failed)
    cli_say("out of memory");
  else
    outcome = create(n->path.data, &text);
  brink_text_free(&page);
  brink_text_free(&text);
  return outcome;
}

int cli_new(const cli_arguments *arguments) {
  const char *path = arguments->operands[0], *base;
  size_t length;
  base_name(path, &base, &length);
  const char *problem = problem_with(base, length);
  if (problem != NULL) return cli_misuse("new", "'%s': %s", path, problem);
  const cli_starter *starter = find_starter(cli_value(arguments, CLI_KIND));
  names n = {.more = ""};
  int outcome = make(&n, path, base, length, starter);
  if (outcome == CLI_OK) outcome = tell_next(&n, starter);
  brink_text_free(&n.path);
  brink_text_free(&n.shown);
  brink_text_free(&n.page);
  brink_text_free(&n.component);
  return outcome;
}
