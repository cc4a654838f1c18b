/* parse.c: units: a file and what it imports.
 *
 *   file     = {import | function | table | constant | bundle | component}
 *   function = "function" NAME "(" [NAME {"," NAME}] ")" "=" expression ";" */
#include <stdlib.h>
#include <string.h>

#include "lang/parser.h"

/* ---- functions ---- */

void brink_parse_parameters(brink_parser *p, brink_user_function *function) {
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

void brink_parse_add_function(brink_parser *p, brink_user_function *function) {
  *p->functions_end = function;
  p->functions_end = &function->next;
}

brink_user_function *brink_parse_definition(brink_parser *p, const char *its_name) {
  brink_user_function *function = brink_unit_take(p->unit, 1, sizeof *function);
  brink_token name;
  if (function == NULL) {
    brink_parse_abandon(p);
    return NULL;
  }
  brink_parse_line(p);
  brink_parse_keyword(p);
  if (!brink_parse_expect_name(p, its_name, &name)) return function;
  function->name = brink_parse_name(p, &name);
  function->place = brink_token_place(p->file, &name);
  return function;
}

/* function = "function" NAME "(" [NAME {"," NAME}] ")" "=" expression ";" */
static void parse_function(brink_parser *p) {
  if (p->components != NULL)
    brink_parse_error(p, BRINK_MSG_FUNCTION_MISPLACED, brink_parse_place(p),
                      "move it to the top of the file", "functions come before the components");
  brink_user_function *function = brink_parse_definition(p, "the function's name");
  if (function == NULL) return;
  bool named = function->name != NULL;
  brink_parse_parameters(p, function);
  if (named && !p->panic && !brink_parse_at_external(p) && brink_parse_at_function_body(p)) {
    brink_parse_function_body(p, function);
    if (function->body != NULL || function->nresults > 0) brink_parse_add_function(p, function);
    return; /* else: reported */
  }
  if (!p->panic && brink_parse_at_external(p)) {
    brink_parse_external(p, function);
    brink_parse_finish(p);
    if (named && function->external != NULL) brink_parse_add_function(p, function);
    return;
  }
  if (!p->panic && p->token.kind == BRINK_TOKEN_ASSIGN) {
    brink_parse_error(p, BRINK_MSG_FUNCTION_ASSIGNED, brink_parse_place(p), "write '='",
                      "a function is defined with '=', not assigned");
    p->token.kind = BRINK_TOKEN_EQ;
  }
  brink_parse_expect(p, BRINK_TOKEN_EQ, "'='");
  function->body = brink_parse_expression(p);
  brink_parse_finish(p);
  if (named) brink_parse_add_function(p, function);
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
  const char *hint = NULL;
  if (p->token.kind == BRINK_TOKEN_NAME)
    hint = brink_foreign_hint(BRINK_FOREIGN_TOP, brink_parse_name(p, &p->token));
  if (p->token.kind == BRINK_TOKEN_SEMICOLON)
    brink_parse_error(p, BRINK_MSG_STRAY_SEMICOLON, brink_parse_place(p), "leave it out",
                      "a ';' that ends nothing");
  else if (p->token.kind == BRINK_TOKEN_END)
    brink_parse_error(p, BRINK_MSG_NOTHING_TO_END, brink_parse_place(p), NULL,
                      "there is nothing to end here");
  else
    brink_parse_panic(
        p, BRINK_MSG_EXPECTED_COMPONENT, brink_parse_place(p),
        hint != NULL ? hint : "a component begins like 'ctc Tank is', and ends with 'end Tank;'",
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
    brink_parse_import(p);
  else if (brink_parse_is(p, "function") && p->next.kind != BRINK_TOKEN_IS)
    parse_function(p);
  else if (brink_parse_is(p, "bundle") && p->next.kind == BRINK_TOKEN_NAME)
    brink_parse_bundle(p);
  else if (brink_parse_is(p, "table") && p->next.kind == BRINK_TOKEN_NAME)
    brink_parse_table(p);
  else if (brink_parse_is(p, "constant") && p->next.kind == BRINK_TOKEN_NAME)
    brink_parse_constant(p);
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
  if (p->bundles != NULL) {
    *unit->bundles_end = p->bundles;
    unit->bundles_end = p->bundles_end;
  }
  for (brink_component *c = p->components; c != NULL && p->file == 0; c = c->next) {
    if (!c->partial || unit->last == NULL || unit->last->partial) unit->last = c;
    if (c->kind == BRINK_SYSTEM && !c->partial) unit->system = c;
  }
}

static void run_parser(brink_parser *p, const brink_file *file) {
  brink_lexer_init(&p->lexer, p->unit, p->file, file->text, file->length);
  p->components_end = &p->components;
  p->functions_end = &p->functions;
  p->bundles_end = &p->bundles;
  brink_lexer_next(&p->lexer, &p->token);
  brink_lexer_next(&p->lexer, &p->next);
  while (p->token.kind != BRINK_TOKEN_EOF) {
    const char *start = p->token.start;
    parse_item(p);
    if (p->token.start == start) brink_parse_advance(p);
  }
  append_results(p);
}

size_t brink_unit_add_file(brink_unit *unit, const char *path, const char *text, size_t length) {
  char *copy = brink_unit_take(unit, length + 1, 1);
  if (copy == NULL) return BRINK_NONE;
  memcpy(copy, text, length);
  brink_file *file = brink_unit_push(unit, unit->files, unit->nfiles, unit->files_capacity);
  if (file == NULL) return BRINK_NONE;
  *file = (brink_file){.path = path, .text = copy, .length = length};
  return unit->nfiles - 1;
}

/* False: the file could not be read. The path lives in the unit. */
bool brink_parse_file(brink_parse_session *session, brink_parser *importer, const char *path,
                      const char **reason) {
  brink_unit *unit = session->unit;
  size_t length = 0;
  char *key = brink_unit_take(unit, strlen(path) + 2, 1); /* a slash more while it is worked on */
  if (key == NULL) return true;
  memcpy(key, path, strlen(path) + 1);
  brink_parse_normalise(key);
  char *text = session->reader->read(path, &length, reason, session->reader->user);
  if (text == NULL) return false;
  if (length > BRINK_FILE_LIMIT) {
    free(text);
    *reason = "it is larger than 64 MiB";
    return false;
  }
  size_t index = brink_unit_add_file(unit, path, text, length);
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
  unit->bundles_end = &unit->bundles;
  brink_parse_session session = {.unit = unit, .reader = reader};
  session.scratch.allocator = unit->arena.allocator;
  char *copy = brink_unit_take(unit, strlen(path) + 1, 1);
  if (copy != NULL) {
    memcpy(copy, path, strlen(path) + 1);
    *unreadable = !brink_parse_file(&session, NULL, copy, reason);
    brink_parse_inherit(&session);
    brink_parse_expand_bundles(&session);
  }
  brink_text_free(&session.scratch);
  brink_release(&unit->arena.allocator, session.names, session.names_capacity,
                sizeof *session.names);
  if (!unit->out_of_memory) return unit;
  brink_unit_destroy(unit);
  return NULL;
}

/* One expression, and nothing after it. */
static brink_ast_expr *parse_lone(brink_parse_session *session, const char *text) {
  brink_unit *unit = session->unit;
  size_t index = brink_unit_add_file(unit, "", text, strlen(text));
  if (index == BRINK_NONE) return NULL;
  brink_parser parser = {.session = session, .unit = unit, .file = (uint32_t)index, .key = ""};
  brink_parser *p = &parser;
  brink_lexer_init(&p->lexer, unit, p->file, unit->files[index].text, unit->files[index].length);
  brink_lexer_next(&p->lexer, &p->token);
  brink_lexer_next(&p->lexer, &p->next);
  brink_ast_expr *expr = brink_parse_expression(p);
  if (p->token.kind != BRINK_TOKEN_EOF) brink_parse_unexpected(p, "an operator, or the end");
  return expr;
}

brink_unit *brink_unit_parse_expression(const char *text, const brink_allocator *allocator,
                                        brink_ast_expr **expr) {
  brink_unit *unit = brink_allocate(allocator, 1, sizeof *unit);
  if (unit == NULL) return NULL;
  brink_arena_init(&unit->arena, allocator);
  unit->reader = brink_file_reader;
  unit->components_end = &unit->components;
  unit->functions_end = &unit->functions;
  brink_parse_session session = {.unit = unit, .reader = &unit->reader};
  session.scratch.allocator = unit->arena.allocator;
  *expr = parse_lone(&session, text);
  brink_text_free(&session.scratch);
  brink_release(&unit->arena.allocator, session.names, session.names_capacity,
                sizeof *session.names);
  if (!unit->out_of_memory && *expr != NULL) return unit;
  brink_unit_destroy(unit);
  return NULL;
}

void brink_unit_destroy(brink_unit *unit) {
  if (unit == NULL) return;
  brink_allocator allocator = unit->arena.allocator;
  brink_unit_close_libraries(unit);
  brink_arena_free(&unit->arena);
  brink_release(&allocator, unit, 1, sizeof *unit);
}
