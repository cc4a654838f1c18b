/* The parser: what every construct means, how operators bind, and what happens after mistakes: one
 * error each, in the right place, and nothing more. */
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "lang/lex.h"
#include "support/counting.h"
#include "support/formats.h"
#include "support/tree.h"

#define DIRECTORY BRINK_SOURCE_DIR "/tests/lang/parse/"

/* ---- helpers ---- */

static char *read_text(const char *name) {
  char path[1024];
  size_t length = 0;
  snprintf(path, sizeof path, "%s%s", DIRECTORY, name);
  char *text = read_whole_file(path, &length);
  CHECK_MSG(text != NULL, "cannot read %s", path);
  return text;
}

/* Two texts line by line: the first difference is shown. */
static void check_same(const char *what, const char *actual, const char *expected) {
  for (size_t line = 1;; line++) {
    size_t a = strcspn(actual, "\n"), e = strcspn(expected, "\n");
    if (a != e || strncmp(actual, expected, a) != 0) {
      CHECK_SAY("%s:%zu:\n  %.*s\nexpected\n  %.*s", what, line, (int)a, actual, (int)e, expected);
      return;
    }
    if (actual[a] == '\0' || expected[e] == '\0') return;
    actual += a + 1;
    expected += e + 1;
  }
}

/* The errors of a text: their number, and of the first the place and a part of the message. */
static void check_error(const char *source, size_t count, unsigned line, unsigned column,
                        const char *message) {
  brink_unit *unit = tree_parse(source);
  brink_report_sort(unit);
  CHECK_MSG(unit->nerrors == count, "\"%s\": %zu errors, expected %zu", source, unit->nerrors,
            count);
  if (unit->nitems > 0) {
    const brink_report_item *item = &unit->items[0];
    CHECK_MSG(item->place.line == line && item->place.column == column,
              "\"%s\": %u:%u, expected %u:%u", source, (unsigned)item->place.line,
              (unsigned)item->place.column, line, column);
    CHECK_CONTAINS(item->message, message);
  }
  brink_unit_destroy(unit);
}

/* ---- meaning ---- */

/* The tree of an expression. */
static void check_expression(const char *source, const char *expected) {
  char model[400];
  snprintf(model, sizeof model, "function f() = %s;", source);
  brink_unit *unit = tree_parse(model);
  brink_text text = {.data = NULL};
  CHECK_MSG(unit->nerrors == 0, "%s: %zu errors", source, unit->nerrors);
  tree_dump_expression(unit->functions != NULL ? unit->functions->body : NULL, &text);
  CHECK_MSG(strcmp(text.data, expected) == 0, "%s is %s, expected %s", source, text.data, expected);
  brink_text_free(&text);
  brink_unit_destroy(unit);
}

TEST(operators_bind_as_the_definition_says) {
  check_expression("a or b and c", "(or a (and b c))");
  check_expression("a and b or c", "(or (and a b) c)");
  check_expression("a or b or c", "(or (or a b) c)");
  check_expression("not a and b", "(and (not a) b)");
  check_expression("not not a", "(not (not a))");
  check_expression("a and not b", "(and a (not b))");
  check_expression("not a = b", "(not (= a b))");
  check_expression("a < b and c >= d", "(and (< a b) (>= c d))");
  check_expression("a + b < c * d", "(< (+ a b) (* c d))");
  check_expression("(a < b) = (c < d)", "(= (< a b) (< c d))");
  check_expression("a /= b", "(/= a b)");
  check_expression("a - b - c", "(- (- a b) c)");
  check_expression("a - (b - c)", "(- a (- b c))");
  check_expression("a + b * c", "(+ a (* b c))");
  check_expression("a / b / c", "(/ (/ a b) c)");
  check_expression("a * b / c", "(/ (* a b) c)");
  check_expression("-x^2", "(- (^ x 2))");
  check_expression("-x*y", "(* (- x) y)");
  check_expression("a*-b", "(* a (- b))");
  check_expression("a - -b", "(- a (- b))");
  check_expression("a--b", "(- a (- b))");
  check_expression("2^-1", "(^ 2 (- 1))");
  check_expression("2^3^2", "(^ 2 (^ 3 2))");
  check_expression("2^-x^2", "(^ 2 (- (^ x 2)))");
  check_expression("(2^3)^2", "(^ (^ 2 3) 2)");
  check_expression("x'^2", "(^ (' x) 2)");
  check_expression("-a < -b", "(< (- a) (- b))");
}

TEST(the_expression_if_reaches_as_far_right_as_it_can) {
  check_expression("if a then b else c + d", "(if a b (+ c d))");
  check_expression("1 + if a then b else c or d", "(+ 1 (if a b (or c d)))");
  check_expression("(if a then b else c) + d", "(+ (if a b c) d)");
  check_expression("if a then if b then c else d else e", "(if a (if b c d) e)");
  check_expression("if a then b elsif c then d else e", "(if a b (if c d e))");
  check_expression("if a = b and not c then -d else e < f",
                   "(if (and (= a b) (not c)) (- d) (< e f))");
}

TEST(names_calls_and_literals) {
  check_expression("car[i + 1].x[2]", "car[(+ i 1)].x[2]");
  check_expression("plant.h'", "(' plant.h)");
  check_expression("f()", "(f)");
  check_expression("min(a, b, -c)", "(min a b (- c))");
  check_expression("[1, 2.0, x]", "(vector 1 2r x)");
  check_expression("\"a\\\"b\\\\c\"", "\"a\"b\\c\"");
  check_expression("1e3", "1000r");
  check_expression("true and inf > pi", "(and true (> inf pi))");
}

/* Reads a file with its imports from disk, and compares its tree with the one beside it. */
static void check_tree(const char *name) {
  char path[1024], tree[256];
  snprintf(path, sizeof path, "%s%s.hsml", DIRECTORY, name);
  snprintf(tree, sizeof tree, "%s.tree", name);
  bool unreadable = false;
  const char *reason = NULL;
  brink_unit *unit = brink_unit_parse(path, &brink_file_reader, NULL, &unreadable, &reason);
  char *expected = read_text(tree);
  brink_text actual = {.data = NULL};
  CHECK_INT(unreadable, 0);
  CHECK_INT(unit->nerrors, 0);
  tree_dump(unit, &actual);
  if (expected != NULL) check_same(tree, actual.data, expected);
  brink_text_free(&actual);
  free(expected);
  brink_unit_destroy(unit);
}

TEST(every_construct_has_its_tree) {
  check_tree("constructs");
}

TEST(the_listings_of_the_definition_are_read_as_written) {
  check_tree("listings");
}

TEST(keywords_are_names_where_the_grammar_does_not_ask_for_them) {
  brink_unit *unit = tree_parse(
      "ctc Loop is body dynamics\n"
      "when = loop; for' = when*output; let = for + event; stop = 1; leave = mode; connect = 2;\n"
      "guess = 3; guess' = guess; event = declarations - body; in = do; do = in + 1; time = t;\n"
      "end dynamics; end body; end Loop;");
  CHECK_INT(unit->nerrors, 0);
  CHECK_INT(unit->last->section[BRINK_SECTION_DYNAMICS].body.count, 12);
  brink_unit_destroy(unit);
}

TEST(equal_names_are_equal_pointers) {
  brink_unit *unit = tree_parse("ctc A is body declarations state(x, real); end declarations;"
                                "dynamics x' = 1; end dynamics; end body; end A;");
  const brink_component *c = unit->last;
  const brink_ast_statement *s = c->section[BRINK_SECTION_DYNAMICS].body.statement[0];
  CHECK(s->target->arg[0]->part[0].name == c->symbols->name);
  brink_unit_destroy(unit);
}

TEST(the_system_runs_and_else_the_last_component) {
  brink_unit *unit = tree_parse("system S is end S; ctc A is end A;");
  CHECK(unit->system != NULL && strcmp(unit->system->name, "S") == 0);
  CHECK(strcmp(unit->last->name, "A") == 0);
  brink_unit_destroy(unit);
  unit = tree_parse("");
  CHECK(unit->last == NULL && unit->system == NULL && unit->nerrors == 0);
  brink_unit_destroy(unit);
}

TEST(places_are_those_of_operators_and_whole_names) {
  brink_unit *unit = tree_parse("function f(a) = alpha.beta[2]' *\n  -sin(a);");
  const brink_ast_expr *e = unit->functions->body;
  CHECK_INT(e->place.line, 1);
  CHECK_INT(e->place.column, 32);
  CHECK_INT(e->arg[0]->place.column, 17);
  CHECK_INT(e->arg[0]->place.length, 14);
  CHECK_INT(e->arg[1]->place.line, 2);
  CHECK_INT(e->arg[1]->place.column, 3);
  CHECK_INT(e->arg[1]->arg[0]->place.column, 4);
  CHECK_INT(e->arg[1]->arg[0]->place.length, 3);
  brink_unit_destroy(unit);
}

/* ---- imports ---- */

TEST(imports_come_first_and_once) {
  const tree_file file[] = {
      {.path = "d/main.hsml",
       .text = "import \"a.hsml\"; ctc M is end M; import \"x/../b.hsml\"; import \"./a.hsml\";"},
      {.path = "d/a.hsml", .text = "import \"b.hsml\"; ctc A is end A;"},
      {.path = "d/b.hsml", .text = "import \"/c.hsml\"; function f() = 1; ctc B is end B;"},
      {.path = "/c.hsml", .text = "system C is end C;"}};
  tree_files files = {.file = file, .count = 4};
  brink_unit *unit = tree_parse_files(&files, NULL);
  CHECK_INT(unit->nerrors, 0);
  CHECK_INT(files.reads, 4);
  char order[16] = "";
  for (const brink_component *c = unit->components; c != NULL; c = c->next) strcat(order, c->name);
  CHECK_MSG(strcmp(order, "CBAM") == 0, "order %s", order);
  CHECK(strcmp(unit->last->name, "M") == 0 && unit->system == NULL);
  brink_unit_destroy(unit);
}

TEST(a_cycle_of_imports_shows_its_chain) {
  const tree_file file[] = {{.path = "m/a.hsml", .text = "import \"b.hsml\";\nctc A is end A;"},
                            {.path = "m/b.hsml", .text = "\nimport \"../m/c.hsml\";"},
                            {.path = "m/c.hsml", .text = "import \"a.hsml\";"}};
  tree_files files = {.file = file, .count = 3};
  brink_unit *unit = tree_parse_files(&files, NULL);
  CHECK_INT(unit->nerrors, 1);
  CHECK_CONTAINS(unit->items[0].message, "m/a.hsml -> m/b.hsml -> m/c.hsml -> m/a.hsml");
  CHECK(strcmp(unit->files[unit->items[0].place.file].path, "m/c.hsml") == 0);
  CHECK(unit->last != NULL);
  brink_unit_destroy(unit);
  const tree_file alone = {.path = "./a.hsml", .text = "import \"a.hsml\";"};
  tree_files one = {.file = &alone, .count = 1};
  unit = tree_parse_files(&one, NULL);
  CHECK_INT(unit->nerrors, 1);
  CHECK_CONTAINS(unit->items[0].message, "a.hsml -> a.hsml");
  brink_unit_destroy(unit);
}

TEST(an_import_that_cannot_be_read_is_an_error_where_it_stands) {
  check_error("ctc A is end A;\n  import \"nowhere.hsml\";", 1, 2, 10, "no such file");
}

TEST(a_main_file_that_cannot_be_read_is_no_diagnostic) {
  bool unreadable = false;
  const char *reason = NULL;
  brink_unit *unit =
      brink_unit_parse("/nowhere/at/all.hsml", &brink_file_reader, NULL, &unreadable, &reason);
  CHECK(unreadable && reason != NULL && unit != NULL && unit->nitems == 0);
  brink_unit_destroy(unit);
  unit = brink_unit_parse("/", &brink_file_reader, NULL, &unreadable, &reason);
  CHECK(unreadable);
  brink_unit_destroy(unit);
}

/* ---- recovery ---- */

TEST(ten_mistakes_get_ten_diagnostics) {
  char *source = read_text("ten.hsml"), *expected = read_text("ten.txt");
  if (source != NULL && expected != NULL) {
    const tree_file file = {.path = "ten.hsml", .text = source};
    tree_files files = {.file = &file, .count = 1};
    brink_unit *unit = tree_parse_files(&files, NULL);
    brink_text text = {.data = NULL};
    tree_diagnostics(unit, &text);
    CHECK_INT(unit->nerrors, 10);
    check_same("ten.txt", text.data, expected);
    brink_text_free(&text);
    brink_unit_destroy(unit);
  }
  free(source);
  free(expected);
}

/* How a text is damaged at one token. */
typedef enum damage { DELETED, DOUBLED, SOILED } damage;

static brink_unit *parse_damaged(const char *source, const brink_token *token, damage how) {
  static const char stray[] = " $ ";
  size_t offset = (size_t)(token->start - source), length = token->length, all = strlen(source);
  size_t more = how == SOILED ? sizeof stray - 1 : how == DOUBLED ? length + 1 : 0;
  char *text = malloc(all + more + 1);
  memcpy(text, source, offset);
  if (how == DELETED) {
    memcpy(text + offset, source + offset, all - offset + 1);
    memset(text + offset, ' ', length);
  } else if (how == DOUBLED) {
    memcpy(text + offset, token->start, length);
    text[offset + length] = ' ';
    memcpy(text + offset + more, source + offset, all - offset + 1);
  } else {
    memcpy(text + offset, stray, more);
    memcpy(text + offset + more, source + offset, all - offset + 1);
  }
  brink_unit *unit = tree_parse(text);
  free(text);
  return unit;
}

/* Damages each token in turn; not one of them may cause two errors. */
static void check_no_cascades(const char *source, damage how) {
  static const char *const names[] = {"deleted", "doubled", "soiled"};
  brink_lexer lexer;
  brink_token token;
  brink_lexer_init(&lexer, NULL, 0, source, strlen(source));
  for (;;) {
    brink_lexer_next(&lexer, &token);
    if (token.kind == BRINK_TOKEN_EOF) break;
    brink_unit *unit = parse_damaged(source, &token, how);
    CHECK_MSG(unit->nerrors <= 1, "'%.*s' at %u:%u %s: %zu errors", (int)token.length, token.start,
              (unsigned)token.line, (unsigned)token.column, names[how], unit->nerrors);
    brink_unit_destroy(unit);
  }
}

TEST(one_mistake_is_one_error_wherever_it_is) {
  char *source = read_text("listings.hsml");
  if (source == NULL) return;
  check_no_cascades(source, DELETED);
  check_no_cascades(source, DOUBLED);
  check_no_cascades(source, SOILED);
  free(source);
}

TEST(a_missing_semicolon_is_reported_behind_the_last_token) {
  check_error("ctc A is body dynamics\n  x = 1\n  y = 2;\nend dynamics; end body; end A;", 1, 2, 8,
              "';' is missing");
  check_error("ctc A is body dynamics\n  x = 1 y = 2;\nend dynamics; end body; end A;", 1, 2, 8,
              "';' is missing");
  check_error("ctc A is body dynamics\n  x = 1   \n\n % comment\n end dynamics; end body; end A;",
              1, 2, 8, "';' is missing");
}

TEST(what_a_mistake_leaves_intact_is_in_the_tree) {
  brink_unit *unit = tree_parse("ctc A is body dynamics\n"
                                "  x = 1\n" /* mended: nothing is lost */
                                "  y' = 2;\n"
                                "end dynamics; output z = 3 3; w = 2; end output;\n"
                                "end body; end A;\n"
                                "ctc B is end B;");
  CHECK_INT(unit->nerrors, 2);
  const brink_component *a = unit->components;
  CHECK(a->damaged && !a->next->damaged);
  CHECK(!a->section[BRINK_SECTION_DYNAMICS].damaged);
  CHECK(a->section[BRINK_SECTION_OUTPUT].damaged);
  CHECK_INT(a->section[BRINK_SECTION_DYNAMICS].body.count, 2);
  CHECK_INT(a->section[BRINK_SECTION_OUTPUT].body.count, 2);
  brink_unit_destroy(unit);
}

TEST(a_second_section_joins_the_first_and_is_reported) {
  brink_unit *unit = tree_parse("ctc A is body dynamics x = 1; end dynamics;\n"
                                "dynamics y = 2; end dynamics; end body; end A;");
  CHECK_INT(unit->nerrors, 1);
  CHECK_INT(unit->items[0].place.line, 2);
  CHECK_INT(unit->last->section[BRINK_SECTION_DYNAMICS].body.count, 2);
  CHECK(unit->last->section[BRINK_SECTION_DYNAMICS].damaged);
  brink_unit_destroy(unit);
}

TEST(relations_cannot_be_chained) {
  check_error("function f(a) = 0 < a < 1 < 2;", 1, 1, 23, "chained");
}

TEST(assignments_and_equations_keep_their_signs) {
  check_error("ctc A is body dynamics x := 1; end dynamics; end body; end A;", 1, 1, 26,
              "an equation is written with '='");
  check_error("ctc A is body initial x = 1; end initial; end body; end A;", 1, 1, 25,
              "an assignment is written with ':='");
  check_error("ctc A is body assignments x := 1; end assignments; end body; end A;", 1, 1, 29,
              "given with ':'");
  check_error("function f(a) = if a := 1 then 2 else 3;", 1, 1, 22, "':=' inside an expression");
}

/* ---- hostile texts ---- */

/* `head`, `count` times `unit_text`, `tail`. */
static char *repeat(const char *head, const char *part, size_t count, const char *tail) {
  size_t h = strlen(head), n = strlen(part), t = strlen(tail);
  char *text = malloc(h + count * n + t + 1);
  memcpy(text, head, h);
  for (size_t i = 0; i < count; i++) memcpy(text + h + i * n, part, n);
  memcpy(text + h + count * n, tail, t + 1);
  return text;
}

static void check_hostile(const char *part, size_t count, const char *message) {
  char *text =
      repeat("ctc A is body dynamics x = ", part, count, "1; end dynamics; end body; end A;");
  brink_unit *unit = tree_parse(text);
  CHECK_MSG(unit->nerrors == 1, "%zu times '%s': %zu errors", count, part, unit->nerrors);
  if (unit->nitems > 0) CHECK_CONTAINS(unit->items[0].message, message);
  brink_unit_destroy(unit);
  free(text);
}

TEST(depth_is_limited_in_every_direction) {
  check_hostile("(", 1000000, "nested");
  check_hostile("-", 1000000, "nested");
  check_hostile("not ", 1000000, "nested");
  check_hostile("[", 1000000, "nested");
  check_hostile("f(", 1000000, "nested");
  check_hostile("x[", 1000000, "nested");
  check_hostile("2^", 1000000, "nested");
  check_hostile("if a then b else ", 1000000, "nested");
  check_hostile("if a then b elsif ", 1000000, "nested");
  check_hostile("1 + ", 1000000, "one inside the other");
  check_hostile("a and ", 1000000, "one inside the other");
}

TEST(reasonable_depth_is_fine) {
  char *text = repeat("function f(a) = ", "(a + ", 150, "1");
  char *whole = repeat(text, ")", 150, ";");
  brink_unit *unit = tree_parse(whole);
  CHECK_INT(unit->nerrors, 0);
  brink_unit_destroy(unit);
  free(whole);
  free(text);
  text = repeat("function f(a) = ", "a + ", 900, "1;");
  unit = tree_parse(text);
  CHECK_INT(unit->nerrors, 0);
  brink_unit_destroy(unit);
  free(text);
}

TEST(nested_blocks_are_limited_and_cause_one_error) {
  char *open = repeat("ctc A is body dynamics ", "if a then ", 5000, " x = 1; ");
  char *whole = repeat(open, "end if; ", 5000, "end dynamics; end body; end A;");
  brink_unit *unit = tree_parse(whole);
  CHECK_INT(unit->nerrors, 1);
  CHECK(unit->last->section[BRINK_SECTION_DYNAMICS].damaged);
  brink_unit_destroy(unit);
  free(whole);
  free(open);
}

TEST(diagnostics_are_capped_and_the_rest_is_not_read) {
  char *text = repeat("ctc A is body dynamics ", "x = ;\n", 100000, "end dynamics;");
  brink_unit *unit = tree_parse(text);
  CHECK_INT(unit->nitems, BRINK_REPORT_LIMIT);
  CHECK(unit->too_many && unit->nerrors > BRINK_REPORT_LIMIT);
  brink_unit_destroy(unit);
  free(text);
}

TEST(a_hundred_thousand_lines_are_read_at_once) {
  char *text = repeat("ctc A is body dynamics\n", "  x' = (inflow - k*sqrt(h))/area + 3.5e-3;\n",
                      100000, "end dynamics; end body; end A;");
  clock_t start = clock();
  brink_unit *unit = tree_parse(text);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  CHECK_INT(unit->nerrors, 0);
  CHECK_INT(unit->last->section[BRINK_SECTION_DYNAMICS].body.count, 100000);
  CHECK_MSG(seconds < 20.0, "%g s", seconds); /* half a second; sanitizers are slow */
  brink_unit_destroy(unit);
  free(text);
}

/* A small generator of its own: the same texts everywhere. */
static unsigned next_random(unsigned *state, unsigned below) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % below;
}

TEST(any_sequence_of_words_is_survived) {
  static const char *const words[] = {"ctc",
                                      "system",
                                      "A",
                                      "is",
                                      "interface",
                                      "body",
                                      "declarations",
                                      "dynamics",
                                      "initial",
                                      "event",
                                      "output",
                                      "rules",
                                      "agents",
                                      "pair",
                                      "population",
                                      "components",
                                      "connections",
                                      "simulation",
                                      "assignments",
                                      "update",
                                      "constraints",
                                      "end",
                                      "if",
                                      "then",
                                      "else",
                                      "elsif",
                                      "for",
                                      "in",
                                      "loop",
                                      "when",
                                      "do",
                                      "let",
                                      "leave",
                                      "guess",
                                      "stop",
                                      "note",
                                      "connect",
                                      "reach",
                                      "negative-going",
                                      "on-event",
                                      "(",
                                      ")",
                                      "[",
                                      "]",
                                      "{",
                                      "}",
                                      ",",
                                      ";",
                                      ";",
                                      ";",
                                      ":",
                                      ":=",
                                      "=",
                                      "'",
                                      ".",
                                      "..",
                                      "+",
                                      "-",
                                      "*",
                                      "/",
                                      "^",
                                      "<",
                                      ">=",
                                      "/=",
                                      "and",
                                      "or",
                                      "not",
                                      "1",
                                      "2.5",
                                      "\"s\"",
                                      "x",
                                      "y",
                                      "function",
                                      "import",
                                      "bundle",
                                      "partial",
                                      "extends",
                                      "A",
                                      "interface",
                                      "components",
                                      "state",
                                      "mode",
                                      "flag",
                                      "sample",
                                      "real",
                                      "\n",
                                      "\n",
                                      "$",
                                      "\"",
                                      "endif",
                                      "%c\n"};
  char text[4000];
  unsigned state = 1;
  for (int round = 0; round < 3000; round++) {
    size_t length = 0;
    if (round % 2 == 0) length = (size_t)snprintf(text, sizeof text, "ctc A is body dynamics ");
    unsigned count = 1 + next_random(&state, 200);
    for (unsigned i = 0; i < count; i++)
      length += (size_t)snprintf(text + length, sizeof text - length, "%s ",
                                 words[next_random(&state, sizeof words / sizeof words[0])]);
    brink_unit *unit = tree_parse(text);
    brink_text shown = {.data = NULL};
    tree_diagnostics(unit, &shown);
    tree_dump(unit, &shown);
    CHECK(unit->nitems <= BRINK_REPORT_LIMIT);
    brink_text_free(&shown);
    brink_unit_destroy(unit);
  }
}

TEST(any_bytes_are_survived) {
  char bytes[600];
  unsigned state = 99;
  for (int round = 0; round < 2000; round++) {
    size_t length = 1 + next_random(&state, sizeof bytes - 1);
    for (size_t i = 0; i < length; i++) bytes[i] = (char)next_random(&state, 256);
    brink_unit *unit = tree_parse_bytes(bytes, length, NULL);
    brink_text shown = {.data = NULL};
    tree_diagnostics(unit, &shown);
    CHECK(unit->nitems <= BRINK_REPORT_LIMIT);
    brink_text_free(&shown);
    brink_unit_destroy(unit);
  }
}

TEST(a_file_beyond_the_limit_is_not_read) {
  size_t length = BRINK_FILE_LIMIT + 1;
  char *text = calloc(length + 1, 1);
  memset(text, ' ', length);
  const tree_file file = {.path = "m.hsml", .text = text, .length = length};
  tree_files files = {.file = &file, .count = 1};
  CHECK(tree_parse_files(&files, NULL) == NULL);
  free(text);
}

/* ---- diagnostics ---- */

/* The diagnostics of a text, exactly. */
static void check_shown(const char *source, const char *expected) {
  brink_unit *unit = tree_parse(source);
  brink_text text = {.data = NULL};
  tree_diagnostics(unit, &text);
  CHECK_MSG(strcmp(text.data, expected) == 0, "shown:\n%s\nexpected:\n%s", text.data, expected);
  brink_text_free(&text);
  brink_unit_destroy(unit);
}

TEST(carets_stand_under_tabs_and_foreign_letters) {
  check_shown("function f(a) =\n\t\ta + \"\u00e9\u00e9\" ;;\r\nfunction g(a) =\t$$;\r\n",
              "m.hsml:2:15: error: a ';' that ends nothing\n"
              "\t\ta + \"\u00e9\u00e9\" ;;\n"
              "\t\t          ^\n"
              "hint: leave it out\n"
              "m.hsml:3:17: error: a stray character '$'\n"
              "function g(a) =\t$$;\n"
              "               \t^\n");
}

TEST(long_lines_show_a_window_around_the_caret) {
  char *text = repeat("function f(a) = a", " + a", 500, " a;");
  brink_unit *unit = tree_parse(text);
  brink_text shown = {.data = NULL};
  tree_diagnostics(unit, &shown);
  CHECK_INT(unit->nerrors, 1);
  const char *line = strchr(shown.data, '\n') + 1, *carets = strchr(line, '\n') + 1;
  CHECK_MSG(strncmp(line, "...", 3) == 0, "%.20s", line);
  CHECK(strcspn(line, "\n") < 140);
  CHECK_INT(line[strcspn(carets, "^")], 'a');
  brink_text_free(&shown);
  brink_unit_destroy(unit);
  free(text);
}

TEST(control_characters_do_not_reach_the_screen) {
  check_shown("\x1b", "m.hsml:1:1: error: a stray byte 0x1b\n"
                      "?\n"
                      "^\n"
                      "hint: models are plain text in UTF-8\n");
}

TEST(errors_are_not_hidden_by_warnings) {
  brink_unit *unit = tree_parse("");
  for (uint32_t i = 1; i <= 200; i++)
    brink_report(unit, BRINK_WARNING, BRINK_MSG_UNKNOWN_NAME,
                 (brink_place){.line = i, .column = 1, .length = 1}, NULL, "w%u", (unsigned)i);
  brink_report(unit, BRINK_ERROR, BRINK_MSG_UNKNOWN_NAME,
               (brink_place){.line = 500, .column = 1, .length = 1}, NULL, "e");
  brink_report(unit, BRINK_ERROR, BRINK_MSG_UNKNOWN_NAME,
               (brink_place){.line = 500, .column = 1, .length = 1}, NULL, "f");
  brink_report_sort(unit);
  CHECK_INT(unit->nerrors, 1);
  CHECK_INT(unit->nwarnings, 200);
  CHECK_INT(unit->nitems, BRINK_REPORT_LIMIT);
  CHECK(unit->items[unit->nitems - 1].severity == BRINK_ERROR);
  brink_unit_destroy(unit);
}

static const char *nearest_of(const char *name, const char *const *candidates, size_t count) {
  const char *best = NULL;
  for (size_t i = 0; i < count; i++) best = brink_nearest(name, candidates[i], best);
  return best == NULL ? "" : best;
}

TEST(near_names_are_found_and_others_are_not) {
  static const char *const names[] = {"height", "speed", "x", "y", "inflow", "outflow", "Level"};
  size_t n = sizeof names / sizeof names[0];
  CHECK(strcmp(nearest_of("hieght", names, n), "height") == 0);
  CHECK(strcmp(nearest_of("heigth", names, n), "height") == 0);
  CHECK(strcmp(nearest_of("sped", names, n), "speed") == 0);
  CHECK(strcmp(nearest_of("outflwo", names, n), "outflow") == 0);
  CHECK(strcmp(nearest_of("level", names, n), "Level") == 0);
  CHECK(strcmp(nearest_of("X", names, n), "x") == 0);
  CHECK(strcmp(nearest_of("z", names, n), "") == 0);
  CHECK(strcmp(nearest_of("temperature", names, n), "") == 0);
}

/* ---- memory ---- */

TEST(every_failed_allocation_is_survived) {
  char *source = read_text("listings.hsml"), *broken = read_text("ten.hsml");
  if (source == NULL || broken == NULL) return;
  const char *const texts[] = {source, broken};
  for (int which = 0; which < 2; which++) {
    for (int on = 0; on < 2; on++) {
      for (long at = 1;; at++) {
        counting state = {.fail_at = at, .fail_on = on == 1};
        brink_allocator allocator = counting_allocator(&state);
        brink_unit *unit = tree_parse_bytes(texts[which], strlen(texts[which]), &allocator);
        bool done = state.calls < at;
        CHECK_MSG(done == (unit != NULL), "allocation %ld of %ld", at, state.calls);
        brink_unit_destroy(unit);
        CHECK_INT(state.live, 0);
        CHECK_INT(state.mismatch, 0);
        if (done) break;
      }
    }
  }
  free(source);
  free(broken);
}

int main(void) {
  RUN(operators_bind_as_the_definition_says);
  RUN(the_expression_if_reaches_as_far_right_as_it_can);
  RUN(names_calls_and_literals);
  RUN(every_construct_has_its_tree);
  RUN(the_listings_of_the_definition_are_read_as_written);
  RUN(keywords_are_names_where_the_grammar_does_not_ask_for_them);
  RUN(equal_names_are_equal_pointers);
  RUN(the_system_runs_and_else_the_last_component);
  RUN(places_are_those_of_operators_and_whole_names);
  RUN(imports_come_first_and_once);
  RUN(a_cycle_of_imports_shows_its_chain);
  RUN(an_import_that_cannot_be_read_is_an_error_where_it_stands);
  RUN(a_main_file_that_cannot_be_read_is_no_diagnostic);
  RUN(ten_mistakes_get_ten_diagnostics);
  RUN(one_mistake_is_one_error_wherever_it_is);
  RUN(a_missing_semicolon_is_reported_behind_the_last_token);
  RUN(what_a_mistake_leaves_intact_is_in_the_tree);
  RUN(a_second_section_joins_the_first_and_is_reported);
  RUN(relations_cannot_be_chained);
  RUN(assignments_and_equations_keep_their_signs);
  RUN(depth_is_limited_in_every_direction);
  RUN(reasonable_depth_is_fine);
  RUN(nested_blocks_are_limited_and_cause_one_error);
  RUN(diagnostics_are_capped_and_the_rest_is_not_read);
  RUN(a_hundred_thousand_lines_are_read_at_once);
  RUN(any_sequence_of_words_is_survived);
  RUN(any_bytes_are_survived);
  RUN(a_file_beyond_the_limit_is_not_read);
  RUN(carets_stand_under_tabs_and_foreign_letters);
  RUN(long_lines_show_a_window_around_the_caret);
  RUN(control_characters_do_not_reach_the_screen);
  RUN(errors_are_not_hidden_by_warnings);
  RUN(near_names_are_found_and_others_are_not);
  RUN(every_failed_allocation_is_survived);
  return check_done();
}
