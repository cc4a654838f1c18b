/* parse.c: units: a file and what it imports.
 *
 *   file     = {import | function | component}
 *   import   = "import" STRING ";"
 *   function = "function" NAME "(" [NAME {"," NAME}] ")" "=" expression ";" */
#include <stdlib.h>
#include <string.h>

#include "lang/parser.h"

#define IMPORT_DEPTH 100 /* files that import one another in a chain: each holds a stack frame */

static bool parse_file(brink_parse_session *session, brink_parser *importer, const char *path,
                       const char **reason);

/* ---- paths ---- */

/* Writes `path` without "." and "x/..": two spellings of one file become the same text. */
static void normalise(char *path) {
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

/* The path of an import: relative to the directory of the importing file. */
static const char *resolve(brink_parser *p, const char *importing, const char *name) {
  const char *slash = strrchr(importing, '/');
  size_t directory = name[0] == '/' || slash == NULL ? 0 : (size_t)(slash - importing) + 1;
  char *path = brink_unit_take(p->unit, directory + strlen(name) + 2, 1);
  if (path == NULL) return "";
  memcpy(path, importing, directory);
  memcpy(path + directory, name, strlen(name) + 1);
  normalise(path);
  return strcmp(path, "-") == 0 ? "./-" : path; /* a file: standard input is for the user alone */
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
    if (strcmp(q->key, path) != 0) continue;
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
    if (strcmp(p->unit->files[i].path, path) == 0) return true;
  return false;
}

/* import = "import" STRING ";" */
static void parse_import(brink_parser *p) {
  brink_parse_line(p);
  brink_parse_keyword(p);
  brink_token name = p->token;
  if (!brink_parse_expect(p, BRINK_TOKEN_STRING, "a file name in quotes")) {
    brink_parse_sync(p);
    return;
  }
  brink_parse_finish(p);
  if (name.damaged) return;
  brink_place place = brink_token_place(p->file, &name);
  const char *path = resolve(p, p->unit->files[p->file].path, brink_parse_string(p, &name));
  const char *reason = "it cannot be read";
  if (p->unit->out_of_memory || !check_cycle(p, path, place) || is_known_file(p, path)) return;
  if (!parse_file(p->session, p, path, &reason))
    brink_parse_error(p, BRINK_MSG_IMPORT_FAILED, place, NULL, "cannot import '%s': %s", path,
                      reason);
}

/* ---- functions ---- */

static void parse_parameters(brink_parser *p, brink_user_function *function) {
  brink_token open = p->token, name;
  size_t begin = brink_list_begin(p);
  if (brink_parse_expect(p, BRINK_TOKEN_LPAREN, "'('") && p->token.kind != BRINK_TOKEN_RPAREN) {
    do {
      if (!brink_parse_expect_name(p, "the name of an argument", &name)) break;
      brink_symbol *argument = brink_parse_symbol(p, BRINK_SYMBOL_ARGUMENT, &name);
      if (argument != NULL) argument->type = BRINK_TYPE_REAL;
      brink_list_add(p, &argument, sizeof argument);
    } while (brink_parse_accept(p, BRINK_TOKEN_COMMA));
  }
  function->argument = brink_list_take(p, begin, sizeof *function->argument, &function->narguments);
  brink_parse_close(p, BRINK_TOKEN_RPAREN, &open);
}

/* function = "function" NAME "(" [NAME {"," NAME}] ")" "=" expression ";" */
static void parse_function(brink_parser *p) {
  brink_user_function *function = brink_unit_take(p->unit, 1, sizeof *function);
  brink_token name;
  if (function == NULL) {
    brink_parse_abandon(p);
    return;
  }
  brink_parse_line(p);
  if (p->components != NULL)
    brink_parse_error(p, BRINK_MSG_FUNCTION_MISPLACED, brink_parse_place(p),
                      "move it to the top of the file", "functions come before the components");
  brink_parse_keyword(p);
  bool named = brink_parse_expect_name(p, "the function's name", &name);
  if (named) function->name = brink_parse_name(p, &name);
  if (named) function->place = brink_token_place(p->file, &name);
  parse_parameters(p, function);
  if (!p->panic && p->token.kind == BRINK_TOKEN_ASSIGN) {
    brink_parse_error(p, BRINK_MSG_FUNCTION_ASSIGNED, brink_parse_place(p), "write '='",
                      "a function is defined with '=', not assigned");
    p->token.kind = BRINK_TOKEN_EQ;
  }
  brink_parse_expect(p, BRINK_TOKEN_EQ, "'='");
  function->body = brink_parse_expression(p);
  brink_parse_finish(p);
  if (!named) return;
  *p->functions_end = function;
  p->functions_end = &function->next;
}

/* ---- files ---- */

/* A kind that is none, but after it `Name is`. */
static bool at_misspelt_component(const brink_parser *p) {
  if (p->token.kind != BRINK_TOKEN_NAME) return false;
  if (p->next.kind == BRINK_TOKEN_IS) return true;
  if (p->next.kind != BRINK_TOKEN_NAME) return false;
  brink_lexer ahead = p->lexer;
  brink_token third;
  ahead.unit = NULL;
  brink_lexer_next(&ahead, &third);
  return third.kind == BRINK_TOKEN_IS;
}

/* Something between components that is none. One error, up to the next component, function or import. */
static void parse_no_component(brink_parser *p) {
  if (p->token.kind == BRINK_TOKEN_SEMICOLON)
    brink_parse_error(p, BRINK_MSG_STRAY_SEMICOLON, brink_parse_place(p), "leave it out",
                      "a ';' that ends nothing");
  else if (p->token.kind == BRINK_TOKEN_END)
    brink_parse_error(p, BRINK_MSG_NOTHING_TO_END, brink_parse_place(p), NULL,
                      "there is nothing to end here");
  else
    brink_parse_panic(p, BRINK_MSG_EXPECTED_COMPONENT, brink_parse_place(p),
                      "a component begins like 'ctc Tank is', and ends with 'end Tank;'",
                      "expected a component, found %s", brink_parse_shown(p, &p->token));
  p->panic = false;
  if (p->token.kind == BRINK_TOKEN_SEMICOLON) {
    brink_parse_advance(p);
    return;
  }
  do brink_parse_advance(p);
  while (p->token.kind != BRINK_TOKEN_EOF && !brink_parse_at_top(p) &&
         !(p->token.first && at_misspelt_component(p)));
}

static void parse_item(brink_parser *p) {
  if (brink_parse_is(p, "import") && p->next.kind != BRINK_TOKEN_IS)
    parse_import(p);
  else if (brink_parse_is(p, "function") && p->next.kind != BRINK_TOKEN_IS)
    parse_function(p);
  else if (brink_parse_at_top(p) || at_misspelt_component(p))
    brink_parse_component(p);
  else
    parse_no_component(p);
}

/* Its own components come after those it imports. */
static void append_results(brink_parser *p) {
  brink_unit *unit = p->unit;
  if (p->components != NULL) {
    *unit->components_end = p->components;
    unit->components_end = p->components_end;
  }
  if (p->functions != NULL) {
    *unit->functions_end = p->functions;
    unit->functions_end = p->functions_end;
  }
  for (brink_component *c = p->components; c != NULL && p->file == 0; c = c->next) {
    unit->last = c;
    if (c->kind == BRINK_SYSTEM) unit->system = c;
  }
}

static void run_parser(brink_parser *p, const brink_file *file) {
  brink_lexer_init(&p->lexer, p->unit, p->file, file->text, file->length);
  p->components_end = &p->components;
  p->functions_end = &p->functions;
  brink_lexer_next(&p->lexer, &p->token);
  brink_lexer_next(&p->lexer, &p->next);
  while (p->token.kind != BRINK_TOKEN_EOF) {
    const char *start = p->token.start;
    parse_item(p);
    if (p->token.start == start) brink_parse_advance(p);
  }
  append_results(p);
}

/* Adds a file to the unit; its index, or BRINK_NONE. */
static size_t add_file(brink_unit *unit, const char *path, const char *text, size_t length) {
  char *copy = brink_unit_take(unit, length + 1, 1);
  if (copy == NULL) return BRINK_NONE;
  memcpy(copy, text, length);
  brink_file *file = brink_unit_push(unit, unit->files, unit->nfiles, unit->files_capacity);
  if (file == NULL) return BRINK_NONE;
  *file = (brink_file){.path = path, .text = copy, .length = length};
  return unit->nfiles - 1;
}

/* False: the file could not be read. The path lives in the unit. */
static bool parse_file(brink_parse_session *session, brink_parser *importer, const char *path,
                       const char **reason) {
  brink_unit *unit = session->unit;
  size_t length = 0;
  char *key = brink_unit_take(unit, strlen(path) + 2, 1); /* a slash more while it is worked on */
  if (key == NULL) return true;
  memcpy(key, path, strlen(path) + 1);
  normalise(key);
  char *text = session->reader->read(path, &length, reason, session->reader->user);
  if (text == NULL) return false;
  if (length > BRINK_FILE_LIMIT) {
    free(text);
    *reason = "it is larger than 64 MiB";
    return false;
  }
  size_t index = add_file(unit, path, text, length);
  free(text);
  if (index == BRINK_NONE) return true;
  brink_parser parser = {
      .session = session, .unit = unit, .file = (uint32_t)index, .key = key, .importer = importer};
  brink_file file = unit->files[index];
  run_parser(&parser, &file);
  return true;
}

/* ---- units ---- */

brink_unit *brink_unit_parse(const char *path, const brink_reader *reader,
                             const brink_allocator *allocator, bool *unreadable,
                             const char **reason) {
  *unreadable = false;
  *reason = "it cannot be read";
  brink_unit *unit = brink_allocate(allocator, 1, sizeof *unit);
  if (unit == NULL) return NULL;
  brink_arena_init(&unit->arena, allocator);
  unit->reader = *reader;
  unit->components_end = &unit->components;
  unit->functions_end = &unit->functions;
  brink_parse_session session = {.unit = unit, .reader = reader};
  session.scratch.allocator = unit->arena.allocator;
  char *copy = brink_unit_take(unit, strlen(path) + 1, 1);
  if (copy != NULL) {
    memcpy(copy, path, strlen(path) + 1);
    *unreadable = !parse_file(&session, NULL, copy, reason);
  }
  brink_text_free(&session.scratch);
  brink_release(&unit->arena.allocator, session.names, session.names_capacity,
                sizeof *session.names);
  if (!unit->out_of_memory) return unit;
  brink_unit_destroy(unit);
  return NULL;
}

void brink_unit_destroy(brink_unit *unit) {
  if (unit == NULL) return;
  brink_allocator allocator = unit->arena.allocator;
  brink_arena_free(&unit->arena);
  brink_release(&allocator, unit, 1, sizeof *unit);
}
