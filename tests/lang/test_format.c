/* The canonical layout: what it looks like, that a second pass changes nothing, that the tree stays
 * what it was, and that no comment gets lost. */
#include <stdlib.h>

#include "check.h"
#include "lang/lex.h"
#include "support/counting.h"
#include "support/formats.h"
#include "support/tree.h"

/* ---- helpers ---- */

/* The layout of a text; NULL: it has errors. The caller frees it. */
static char *format(const char *source) {
  brink_unit *unit = tree_parse(source);
  brink_text text = {.data = NULL};
  char *result = NULL;
  if (brink_unit_format_source(unit, &text)) {
    result = malloc(text.length + 1);
    memcpy(result, text.data != NULL ? text.data : "", text.length);
    result[text.length] = '\0';
  }
  brink_text_free(&text);
  brink_unit_destroy(unit);
  return result;
}

static void check_layout(const char *source, const char *expected) {
  char *once = format(source);
  CHECK_MSG(once != NULL, "errors in:\n%s", source);
  if (once == NULL) return;
  CHECK_MSG(strcmp(once, expected) == 0, "layout:\n%s\nexpected:\n%s", once, expected);
  char *twice = format(once);
  CHECK_MSG(twice != NULL && strcmp(twice, once) == 0, "a second pass changes:\n%s\nto:\n%s", once,
            twice != NULL ? twice : "(errors)");
  free(twice);
  free(once);
}

/* A component around some statements of its dynamics. */
static void check_dynamics(const char *statements, const char *expected) {
  char source[2000], layout[2000];
  snprintf(source, sizeof source, "ctc A is body dynamics %s end dynamics; end body; end A;",
           statements);
  snprintf(layout, sizeof layout,
           "ctc A is\n  body\n    dynamics\n%s    end dynamics;\n  end body;\nend A;\n", expected);
  check_layout(source, layout);
}

/* ---- layout ---- */

TEST(a_guess_is_a_statement_with_a_word_in_front) {
  check_layout("ctc A is body initial GUESS x[ 2 ]:=1.0;Guess guess:=guess+1;guess:=2;"
               "end initial;end body;end A;",
               "ctc A is\n  body\n    initial\n      guess x[2] := 1.0;\n"
               "      guess guess := guess + 1;\n      guess := 2;\n    end initial;\n"
               "  end body;\nend A;\n");
}

TEST(one_statement_a_line_and_two_spaces_a_level) {
  check_layout("CTC A IS INTERFACE Input(u,SIGNAL,(0.0,5.0),\"m\");knob(a,b);END interface;\n"
               "body declarations state(x[3],Real);flag(f,UNILATERAL);mode(m,{\"a\",\"b\"});"
               "sample(0.1,0.0);end declarations;event(f)Negative-Going x:=-x;stop(\"s\");"
               "end negative-going;end event;end body;end A;",
               "ctc A is\n"
               "  interface\n"
               "    input(u, signal, (0.0, 5.0), \"m\");\n"
               "    knob(a, b);\n"
               "  end interface;\n"
               "  body\n"
               "    declarations\n"
               "      state(x[3], real);\n"
               "      flag(f, unilateral);\n"
               "      mode(m, {\"a\", \"b\"});\n"
               "      sample(0.1, 0.0);\n"
               "    end declarations;\n"
               "    event(f)\n"
               "      negative-going\n"
               "        x := -x;\n"
               "        stop(\"s\");\n"
               "      end negative-going;\n"
               "    end event;\n"
               "  end body;\n"
               "end A;\n");
}

TEST(actions_of_a_timer_stand_in_its_event) {
  check_layout(
      "ctc A is body declarations "
      "Timer(t1,SILENT);Held(x[2],REAL,(0.0,1.0));flag(f,crossing,Silent);"
      "Queue(q,INTEGER,5);end declarations;event(t1)Put(q,1);Take(q,x[2]);x[1]:=poisson(2.0);if "
      "x[1]>0 then t1:=time+1;end if;end "
      "event;end body;end A;",
      "ctc A is\n"
      "  body\n"
      "    declarations\n"
      "      timer(t1, silent);\n"
      "      held(x[2], real, (0.0, 1.0));\n"
      "      flag(f, crossing, silent);\n"
      "      queue(q, integer, 5);\n"
      "    end declarations;\n"
      "    event(t1)\n"
      "      put(q, 1);\n"
      "      take(q, x[2]);\n"
      "      x[1] := poisson(2.0);\n"
      "      if x[1] > 0 then\n"
      "        t1 := time + 1;\n"
      "      end if;\n"
      "    end event;\n"
      "  end body;\n"
      "end A;\n");
}

TEST(operators_stand_close_or_apart_by_their_strength) {
  check_dynamics("x'=-a*b/c^-d+e-(-f);", "      x' = -a*b/c^-d + e - (-f);\n");
  check_dynamics("y=not(a<b)and c>=d or e/=f;", "      y = not (a < b) and c >= d or e /= f;\n");
  check_dynamics("z=if a then-b else f(x,-y);", "      z = if a then -b else f(x, -y);\n");
}

TEST(spaces_inside_paths_and_brackets_go) {
  check_dynamics("x = plant . part [ i ] . y + [ 1.0 ,2 ] ;",
                 "      x = plant.part[i].y + [1.0, 2];\n");
  check_dynamics("for i in - 1 .. n loop x [ i ] = i ; end loop;",
                 "      for i in -1..n loop\n        x[i] = i;\n      end loop;\n");
}

TEST(arrays_have_spaces_behind_commas_and_around_for) {
  check_dynamics("y=[ [P[i,j]*2 FOR j In 1 .. 3]for i in 1..n ];P[2,: ]=x[1 .. 3];"
                 "s=sum( x[i]for i in 1..n-1)+P [1,2];",
                 "      y = [[P[i, j]*2 for j in 1..3] for i in 1..n];\n"
                 "      P[2, :] = x[1..3];\n"
                 "      s = sum(x[i] for i in 1..n - 1) + P[1, 2];\n");
}

TEST(blocks_are_indented) {
  check_dynamics("IF a THEN x=1; ELSIF b THEN x=2; ELSE x=3; END IF;",
                 "      if a then\n        x = 1;\n      elsif b then\n        x = 2;\n      else\n"
                 "        x = 3;\n      end if;\n");
  check_layout("lbc A is body rules when(a)do b:=1;end when;end rules;end body;end A;",
               "lbc A is\n  body\n    rules\n      when (a) do\n        b := 1;\n      end when;\n"
               "    end rules;\n  end body;\nend A;\n");
}

TEST(names_keep_their_case) {
  check_layout("CTC Loop IS BODY DYNAMICS When' = Output*PI; END DYNAMICS; END BODY; END Loop;",
               "ctc Loop is\n  body\n    dynamics\n      When' = Output*PI;\n    end dynamics;\n"
               "  end body;\nend Loop;\n");
}

TEST(long_statements_are_broken_behind_commas_and_before_operators) {
  check_dynamics(
      "x = aaaaaaaaaaaaaaaaaaaaaaaaaa*bbbbbbbbbbbbbbbbbbbbbbbbbb + cccccccccccccccccccccccccc*dddd "
      "- table(eeeeeeeeeeeeeeeeee, [1.0, 2.0], [3.0, 4.0]);",
      "      x = aaaaaaaaaaaaaaaaaaaaaaaaaa*bbbbbbbbbbbbbbbbbbbbbbbbbb + "
      "cccccccccccccccccccccccccc*dddd\n"
      "          - table(eeeeeeeeeeeeeeeeee, [1.0, 2.0], [3.0, 4.0]);\n");
}

/* ---- comments and blank lines ---- */

TEST(comments_stay_where_they_are) {
  check_layout("% first\n"
               "\n"
               "% about A\n"
               "ctc A is% behind\n"
               "body\n"
               "% before the section\n"
               "dynamics   % of the section\n"
               "x=1;% short\n"
               "longer_name = 2; % long\n"
               "\n"
               "\n"
               "% alone\n"
               "y = 1 + % inside\n"
               "2;\n"
               "% at the end\n"
               "end dynamics; end body; end A; % of A\n"
               "ctc B is end B;\n"
               "% last",
               "% first\n"
               "\n"
               "% about A\n"
               "ctc A is  % behind\n"
               "  body\n"
               "    % before the section\n"
               "    dynamics            % of the section\n"
               "      x = 1;            % short\n"
               "      longer_name = 2;  % long\n"
               "\n"
               "      % alone\n"
               "      y = 1 +  % inside\n"
               "          2;\n"
               "      % at the end\n"
               "    end dynamics;\n"
               "  end body;\n"
               "end A;  % of A\n"
               "\n"
               "ctc B is\n"
               "end B;\n"
               "\n"
               "% last\n");
}

TEST(blank_lines_between_statements_are_one_and_at_the_edges_none) {
  check_dynamics("\n\nx = 1;\n\n\n\ny = 2;\nz = 3;\n\n",
                 "      x = 1;\n\n      y = 2;\n      z = 3;\n");
}

TEST(line_ends_of_other_systems_become_ours) {
  check_layout("% c \r\nctc A is\r\n\r\nend A;\r\n", "% c\nctc A is\nend A;\n");
}

TEST(files_without_components_have_a_layout) {
  check_layout("", "");
  check_layout("\n\n  % only a comment  \n\n", "% only a comment\n");
  check_layout("function f(a)=a ;", "function f(a) = a;\n");
  check_layout("Function f( a,b )IS External \"m\"  symbol \"hypot\"derivative \"d\" ;",
               "function f(a, b) is external \"m\" symbol \"hypot\" derivative \"d\";\n");
  check_layout("constant c  is external\"m\";", "constant c is external \"m\";\n");
  check_layout("table f(u,v)=file ( \"m.csv\",interpolation:\"cubic\" );\n\n\ntable g(u) = "
               "FILE(\"m.csv\", Column : \"y\");",
               "table f(u, v) = file(\"m.csv\", interpolation : \"cubic\");\n\n"
               "table g(u) = file(\"m.csv\", column : \"y\");\n");
}

TEST(a_file_with_errors_has_none) {
  CHECK(format("ctc A is") == NULL);
}

/* ---- properties ---- */

static void dump(const char *source, brink_text *text) {
  brink_unit *unit = tree_parse(source);
  tree_dump(unit, text);
  brink_unit_destroy(unit);
}

static size_t count_comments(const char *source) {
  size_t count = 0;
  bool quoted = false;
  for (const char *at = source; *at != '\0'; at++) {
    if (*at == '"' && at > source && at[-1] != '\\') quoted = !quoted;
    if (*at == '\n') quoted = false;
    if (*at != '%' || quoted) continue;
    count++;
    at += strcspn(at, "\n") - 1;
  }
  return count;
}

/* A model without imports: same tree, same comments, and the layout is its own layout. */
static void check_properties(const char *name, const char *source) {
  char *once = format(source);
  if (once == NULL) return; /* it has errors, or imports */
  char *twice = format(once);
  brink_text before = {.data = NULL}, after = {.data = NULL};
  dump(source, &before);
  dump(once, &after);
  CHECK_MSG(strcmp(before.data, after.data) == 0, "%s: the layout has another tree", name);
  CHECK_MSG(twice != NULL && strcmp(once, twice) == 0, "%s: a second pass changes it", name);
  CHECK_MSG(count_comments(source) == count_comments(once), "%s: comments got lost", name);
  brink_text_free(&before);
  brink_text_free(&after);
  free(twice);
  free(once);
}

static size_t check_directory(const char *directory) {
  size_t count = 0, length = 0;
  char **names = list_directory(directory, ".hsml", &count);
  for (size_t i = 0; i < count; i++) {
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", directory, names[i]);
    char *source = read_whole_file(path, &length);
    if (source != NULL) check_properties(names[i], source);
    free(source);
    free(names[i]);
  }
  free(names);
  return count;
}

TEST(every_model_of_the_tests_keeps_its_meaning) {
  CHECK(check_directory(BRINK_SOURCE_DIR "/tests/lang/parse") > 0);
  CHECK(check_directory(BRINK_SOURCE_DIR "/tests/lang/run") > 0);
  CHECK(check_directory(BRINK_SOURCE_DIR "/tests/lang/errors") > 0);
}

/* White space and comments between the tokens of a text, at random. */
static char *shake(const char *source, unsigned *state) {
  static const char *const gaps[] = {" ", "  ", "\n", "\n\n\n", "\t", " % c\n", "\n % c\n", "\r\n"};
  size_t capacity = 12 * strlen(source) + 64, length = 0;
  char *text = malloc(capacity);
  brink_lexer lexer;
  brink_token token;
  brink_lexer_init(&lexer, NULL, 0, source, strlen(source));
  for (;;) {
    brink_lexer_next(&lexer, &token);
    if (token.kind == BRINK_TOKEN_EOF) break;
    *state = *state * 1664525u + 1013904223u;
    const char *gap = gaps[(*state >> 16) % (sizeof gaps / sizeof gaps[0])];
    length += (size_t)snprintf(text + length, capacity - length, "%.*s%s", (int)token.length,
                               token.start, gap);
  }
  text[length] = '\0';
  return text;
}

TEST(any_spacing_of_the_listings_has_the_same_tree) {
  size_t length = 0;
  char *source = read_whole_file(BRINK_SOURCE_DIR "/tests/lang/parse/listings.hsml", &length);
  CHECK(source != NULL);
  if (source == NULL) return;
  unsigned state = 5;
  brink_text expected = {.data = NULL};
  dump(source, &expected);
  for (int round = 0; round < 50; round++) {
    char *shaken = shake(source, &state);
    brink_text actual = {.data = NULL};
    dump(shaken, &actual);
    CHECK_MSG(strcmp(actual.data, expected.data) == 0, "round %d", round);
    check_properties("shaken", shaken);
    brink_text_free(&actual);
    free(shaken);
  }
  brink_text_free(&expected);
  free(source);
}

TEST(every_failed_allocation_is_survived) {
  brink_unit *unit = tree_parse("% c\nctc A is % d\nbody dynamics x = 1; end dynamics; end body;"
                                "end A;");
  for (long at = 1;; at++) {
    counting state = {.fail_at = at};
    brink_text text = {.allocator = counting_allocator(&state)};
    bool done = brink_unit_format_source(unit, &text);
    CHECK(done == (state.calls < at));
    brink_text_free(&text);
    CHECK_INT(state.live, 0);
    CHECK_INT(state.mismatch, 0);
    if (done) break;
  }
  brink_unit_destroy(unit);
}

int main(void) {
  RUN(a_guess_is_a_statement_with_a_word_in_front);
  RUN(one_statement_a_line_and_two_spaces_a_level);
  RUN(actions_of_a_timer_stand_in_its_event);
  RUN(operators_stand_close_or_apart_by_their_strength);
  RUN(spaces_inside_paths_and_brackets_go);
  RUN(arrays_have_spaces_behind_commas_and_around_for);
  RUN(blocks_are_indented);
  RUN(names_keep_their_case);
  RUN(long_statements_are_broken_behind_commas_and_before_operators);
  RUN(comments_stay_where_they_are);
  RUN(blank_lines_between_statements_are_one_and_at_the_edges_none);
  RUN(line_ends_of_other_systems_become_ours);
  RUN(files_without_components_have_a_layout);
  RUN(a_file_with_errors_has_none);
  RUN(every_model_of_the_tests_keeps_its_meaning);
  RUN(any_spacing_of_the_listings_has_the_same_tree);
  RUN(every_failed_allocation_is_survived);
  return check_done();
}
