/* test_diagnostics.c: a diagnostic as a caller of the library gets it: code, place, arguments, message, hint, and the
 * text for the screen. Which diagnostics there are is in test_lang_errors.c. */
#include "check.h"
#include "lang/flatten.h"
#include "support/tree.h"

static bool is(const char *text, const char *wanted) {
  return text != NULL && strcmp(text, wanted) == 0;
}

#define CHECK_TEXT(text, wanted) CHECK_MSG(is(text, wanted), "%s", (text) != NULL ? (text) : "NULL")

static const char tank[] = "ctc Tank is\n"
                           "  body\n"
                           "    declarations state(height, real); end declarations;\n"
                           "    initial height := 1.0; end initial;\n"
                           "    dynamics height' = -hight; end dynamics;\n"
                           "  end body;\n"
                           "end Tank;\n";

TEST(an_item_has_code_place_arguments_message_and_hint) {
  brink_unit *unit = tree_parse(tank);
  brink_report_entry e;
  brink_unit_check(unit);
  brink_report_sort(unit);
  CHECK(brink_report_read(unit, 0, &e));
  CHECK_TEXT(e.code, "unknown-name");
  CHECK(e.severity == BRINK_ERROR && e.origin == BRINK_ORIGIN_TEXT && e.setting == NULL);
  CHECK_TEXT(e.file, unit->files[0].path);
  CHECK_INT(e.line, 5);
  CHECK_INT(e.column, 25);
  CHECK_INT(e.length, 5);
  CHECK_INT(e.narguments, 1);
  CHECK_TEXT(e.arguments[0], "hight");
  CHECK_TEXT(e.message, "there is no 'hight' here");
  CHECK_TEXT(e.hint, "did you mean 'height'?");
  CHECK(!brink_report_read(unit, 1, &e));
  brink_text text = {0};
  brink_report_render(unit, &unit->items[0], &text);
  CHECK_CONTAINS(text.data, ":5:25: error: there is no 'hight' here\n"
                            "    dynamics height' = -hight; end dynamics;\n"
                            "                        ^^^^^\n"
                            "hint: did you mean 'height'?\n");
  brink_text_free(&text);
  brink_unit_destroy(unit);
}

TEST(arguments_are_what_the_message_shows) {
  static const char *const wanted[] = {"ab", "x",  "-3", "7",   "18446744073709551615", "-5",
                                       "0a", "2.", "12", "0.5", "0.10000000000000001"};
  brink_unit *unit = tree_parse("");
  brink_report(unit, BRINK_ERROR, BRINK_MSG_UNKNOWN_NAME, (brink_place){.line = 1, .column = 1},
               NULL, "100%% %.*s %s %d %u %zu %lld 0x%02x %.2s %.0f %g %.17g", 2, "abc", "x", -3,
               7U, SIZE_MAX, -5LL, 10U, "2.25", 12.0, 0.5, 0.1);
  CHECK_INT(unit->nitems, 1);
  const brink_report_item *item = &unit->items[0];
  CHECK_TEXT(item->message,
             "100% ab x -3 7 18446744073709551615 -5 0x0a 2. 12 0.5 0.10000000000000001");
  CHECK_INT(item->narguments, sizeof wanted / sizeof *wanted);
  for (size_t k = 0; k < item->narguments; k++) CHECK_TEXT(item->arguments[k], wanted[k]);
  brink_unit_destroy(unit);
}

TEST(what_an_attempt_reported_can_be_taken_back) {
  brink_unit *unit = tree_parse("");
  brink_place late = {.line = 9, .column = 1, .length = 1}, early = {.line = 2, .column = 1};
  brink_report(unit, BRINK_ERROR, BRINK_MSG_UNKNOWN_NAME, late, NULL, "late");
  brink_report_mark before = brink_report_now(unit);
  brink_report(unit, BRINK_ERROR, BRINK_MSG_UNKNOWN_NAME, early, NULL, "early");
  brink_report(unit, BRINK_WARNING, BRINK_MSG_UNKNOWN_NAME, early, NULL, "a warning");
  brink_report_sort(unit); /* the order of arrival is gone */
  CHECK_INT(unit->nitems, 3);
  brink_report_return(unit, &before);
  CHECK_INT(unit->nitems, 1);
  CHECK_TEXT(unit->items[0].message, "late");
  CHECK(unit->nerrors == 1 && unit->nwarnings == 0);
  brink_unit_destroy(unit);
}

TEST(variables_and_flags_of_a_system_have_places) {
  brink_unit *unit =
      tree_parse("ctc Tank is\n"
                 "  body\n"
                 "    declarations state(h, real); flag(empty, unilateral); end declarations;\n"
                 "    initial h := 1.0; end initial;\n"
                 "    dynamics h' = -1.0; empty = h; end dynamics;\n"
                 "    event(empty) negative-going stop(\"empty\"); end negative-going; end event;\n"
                 "  end body;\n"
                 "end Tank;\n");
  brink_unit_check(unit);
  brink_system *system = brink_flatten(unit, &(brink_flatten_options){.seed = 1}, NULL);
  CHECK(system != NULL);
  if (system == NULL) return;
  const brink_variable *h = NULL;
  for (size_t k = 0; k < system->nvariables; k++) {
    const brink_variable *v = &system->variables[k];
    if (strcmp(v->name, "h") == 0) h = v;
    CHECK(v->kind != BRINK_VARIABLE_HIDDEN || v->place.line == 0);
  }
  CHECK(h != NULL && h->place.file == 0 && h->place.line == 3 && h->place.column == 24);
  CHECK(system->nflags == 1 && strcmp(system->flags[0].name, "empty") == 0);
  CHECK(system->flags[0].place.line == 3 && system->flags[0].place.column == 39);
  brink_system_destroy(system);
  brink_unit_destroy(unit);
}

int main(void) {
  RUN(an_item_has_code_place_arguments_message_and_hint);
  RUN(arguments_are_what_the_message_shows);
  RUN(what_an_attempt_reported_can_be_taken_back);
  RUN(variables_and_flags_of_a_system_have_places);
  return check_done();
}
