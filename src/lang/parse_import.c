/* parse_import.c: imports: where files are looked for.
 *
 *   import = "import" STRING ";"
 *
 * A file is looked for beside the one that imports it, then in the directories of the search path, in order. The first
 * that is there counts: if it cannot be read, that is an error, and no other file is taken in its place. Files outside of the
 * main file's folder and the search path are refused. */
#include <string.h>

#include "lang/parser.h"

#define IMPORT_DEPTH 100 /* files that import one another in a chain: each holds a stack frame */

/* ---- paths ---- */

/* Writes `path` without "." and "x/..": two spellings of one file become the same text. */
void brink_parse_normalise(char *path) {
  char *out = path;
  bool absolute = *path == '/';
  if (absolute) out++;
  char *floor = out; /* ".." does not climb below */
  for (char *at = out; *at != '\0';) {
    size_t length = strcspn(at, "/");
    bool parent = length == 2 && at[0] == '.' && at[1] == '.';
    if (length == 0 || (length == 1 && at[0] == '.')) {
      /* nothing */
    } else if (parent && out > floor) {
      do out--;
      while (out > floor && out[-1] != '/');
    } else if (!(parent && absolute)) {
      memmove(out, at, length);
      out += length;
      *out++ = '/';
      if (parent) floor = out;
    }
    at += length;
    while (*at == '/') at++;
  }
  if (out > path + absolute) out--; /* the last slash */
  *out = '\0';
}

/* "directory/name", normalised. An absolute name stands for itself. */
static const char *join(brink_parser *p, const char *directory, size_t length, const char *name) {
  if (name[0] == '/') length = 0;
  bool slash = length > 0 && directory[length - 1] != '/';
  char *path = brink_unit_take(p->unit, length + slash + strlen(name) + 2, 1);
  if (path == NULL) return "";
  memcpy(path, directory, length);
  if (slash) path[length] = '/';
  memcpy(path + length + slash, name, strlen(name) + 1);
  brink_parse_normalise(path);
  return strcmp(path, "-") == 0 ? "./-" : path; /* a file: standard input is for the user alone */
}

/* Place `k` where an import is looked for: 0 beside the importing file, then the search path. NULL: there are no more. */
static const char *candidate(brink_parser *p, const char *name, size_t k) {
  const brink_reader *reader = p->session->reader;
  const char *importing = p->unit->files[p->file].path, *slash = strrchr(importing, '/');
  if (k == 0) return join(p, importing, slash != NULL ? (size_t)(slash - importing) + 1 : 0, name);
  if (k > reader->ndirectories || name[0] == '/') return NULL;
  const char *directory = reader->directories[k - 1];
  return join(p, directory, strlen(directory), name);
}

/* Two paths of one file. */
static bool is_same_file(const brink_reader *reader, const char *a, const char *b) {
  if (strcmp(a, b) == 0) return true;
  return reader->same != NULL && reader->same(a, b, reader->user);
}

/* A model that comes from somebody else must not show what is in other files: messages quote lines of them. */
bool brink_unit_may_read(const brink_unit *unit, const char *path) {
  const brink_reader *reader = &unit->reader;
  const char *of = unit->files[0].path, *slash = strrchr(of, '/');
  char folder[4096] = ".";
  if (reader->inside == NULL) return true;
  if (slash != NULL && (size_t)(slash - of) + 2 > sizeof folder) return false;
  if (slash != NULL) {
    memcpy(folder, of, (size_t)(slash - of) + 1);
    folder[slash - of + 1] = '\0';
  }
  bool inside = reader->inside(path, folder, reader->user);
  for (size_t k = 0; k < reader->ndirectories && !inside; k++)
    inside = reader->inside(path, reader->directories[k], reader->user);
  return inside;
}

/* ---- imports ---- */

/* "a.hsml -> b.hsml -> a.hsml" */
static const char *import_chain(brink_parser *p, const char *path, const brink_parser *from) {
  const char *chain = path;
  for (const brink_parser *q = p; q != NULL; q = q == from ? NULL : q->importer)
    chain = brink_unit_format(p->unit, "%s -> %s", p->unit->files[q->file].path, chain);
  return chain;
}

/* Is the file being read by one of those that import us? */
static bool check_cycle(brink_parser *p, const char *path, brink_place place) {
  unsigned depth = 0;
  for (const brink_parser *q = p; q != NULL; q = q->importer, depth++) {
    if (!is_same_file(p->session->reader, q->key, path)) continue;
    brink_parse_error(p, BRINK_MSG_IMPORT_CYCLE, place,
                      "move what both need into a file of its own",
                      "these files import each other: %s", import_chain(p, path, q));
    return false;
  }
  if (depth <= IMPORT_DEPTH) return true;
  brink_parse_error(p, BRINK_MSG_IMPORTS_TOO_DEEP, place, NULL,
                    "imports are nested more than %d files deep", IMPORT_DEPTH);
  return false;
}

static bool is_known_file(const brink_parser *p, const char *path) {
  for (size_t i = 0; i < p->unit->nfiles; i++)
    if (is_same_file(p->session->reader, p->unit->files[i].path, path)) return true;
  return false;
}

/* Where it was looked for; NULL: there is no search path. */
static const char *search_hint(brink_parser *p, const char *name) {
  const brink_reader *reader = p->session->reader;
  if (reader->ndirectories == 0 || name[0] == '/') return NULL;
  const char *list = "";
  for (size_t k = 0; k < reader->ndirectories; k++)
    list = brink_unit_format(p->unit, "%s%s%s", list, k == 0 ? "" : ", ", reader->directories[k]);
  return brink_unit_format(p->unit, "looked for beside this file, and in %s", list);
}

static void report_failure(brink_parser *p, brink_place place, const char *hint, const char *path,
                           const char *reason) {
  brink_parse_error(p, BRINK_MSG_IMPORT_FAILED, place, hint, "cannot import '%s': %s", path,
                    reason);
}

/* Reads the first of the candidates that is there. */
static void import_file(brink_parser *p, const char *name, brink_place place) {
  const brink_reader *reader = p->session->reader;
  const char *first = NULL, *first_reason = NULL, *path;
  for (size_t k = 0; (path = candidate(p, name, k)) != NULL && !p->unit->out_of_memory; k++) {
    const char *reason = "it cannot be read";
    brink_file_found found =
        reader->look != NULL ? reader->look(path, &reason, reader->user) : BRINK_FILE_FOUND;
    if (found == BRINK_FILE_FOUND) {
      if (!brink_unit_may_read(p->unit, path)) {
        report_failure(p, place, BRINK_OUTSIDE_HINT, path, BRINK_OUTSIDE);
        return;
      }
      if (!check_cycle(p, path, place) || is_known_file(p, path)) return;
      if (brink_parse_file(p->session, p, path, &reason)) return;
      found = reader->look != NULL ? BRINK_FILE_NO_TEXT : BRINK_FILE_NOTHING;
    }
    if (found == BRINK_FILE_NO_TEXT) {
      report_failure(p, place, NULL, path, reason);
      return;
    }
    if (k == 0) first = path, first_reason = reason;
  }
  if (!p->unit->out_of_memory) report_failure(p, place, search_hint(p, name), first, first_reason);
}

/* import = "import" STRING ";" */
void brink_parse_import(brink_parser *p) {
  brink_parse_line(p);
  brink_parse_keyword(p);
  brink_token name = p->token;
  if (name.kind == BRINK_TOKEN_NAME)
    brink_parse_panic(
        p, BRINK_MSG_EXPECTED, brink_parse_place(p),
        brink_unit_format(p->unit, "write import \"%s.hsml\";", brink_parse_name(p, &name)),
        "expected %s, found %s", "a file name in quotes", brink_parse_shown(p, &name));
  if (!brink_parse_expect(p, BRINK_TOKEN_STRING, "a file name in quotes")) {
    brink_parse_sync(p);
    return;
  }
  brink_parse_finish(p);
  if (name.damaged) return;
  import_file(p, brink_parse_string(p, &name), brink_token_place(p->file, &name));
}
