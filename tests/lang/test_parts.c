/* test_parts.c: parts that repeat, beyond what models can show: settings by name, outlines, lack of memory. The
 * models are in tests/lang/run, the errors in tests/lang/errors. */
#include "check.h"
#include "lang/flatten.h"
#include "lang/outline.h"
#include "support/counting.h"
#include "support/tree.h"

static const char drive[] =
    "bundle Flange is output(torque, signal, (0.0, 9.0), \"N m\"); input(speed, signal); end "
    "Flange;\n"
    "partial ctc Shaft is interface input(f, Flange); knob(J); end interface;\n"
    "body declarations state(w, real); parameter(J, real); end declarations;\n"
    "dynamics w' = f.torque/J; end dynamics; output f.speed = w; end output;\n"
    "assignments J : 2.0; f.torque : 1.0; end assignments; end body; end Shaft;\n"
    "ctc Top extends Shaft is interface input(g[2], Flange); end interface;\n"
    "body initial w := 0.5; end initial;\n"
    "output g[1].speed = w; g[2].speed = g[1].torque; end output;\n"
    "assignments g.torque : [3.0, 4.0]; J : 4.0; end assignments; end body; end Top;\n";

static brink_unit *check_text(const char *text) {
  brink_unit *unit = tree_parse(text);
  brink_unit_check(unit);
  CHECK_MSG(unit->nitems == 0, "%s", unit->nitems > 0 ? unit->items[0].message : "");
  return unit;
}

/* What a variable starts with, with this setting; -1: there is no such variable, or the setting is wrong. */
static double start_of(brink_unit *unit, const char *set, const char *name, size_t element) {
  double value = -1.0;
  brink_flatten_options options = {.seed = 1, .sets = &set, .nsets = set != NULL ? 1 : 0};
  brink_system *system = brink_flatten(unit, &options, NULL);
  for (size_t k = 0; system != NULL && k < system->nvariables; k++) {
    const brink_variable *v = &system->variables[k];
    if (strcmp(v->name, name) == 0 && v->space == BRINK_SPACE_P)
      value = system->p0[v->base + element];
  }
  brink_system_destroy(system);
  return value;
}

TEST(signals_of_a_bundle_are_set_by_name) {
  brink_unit *unit = check_text(drive);
  CHECK_NEAR(start_of(unit, NULL, "f.torque", 0), 1.0, 0.0);
  CHECK_NEAR(start_of(unit, "f.torque=2.5", "f.torque", 0), 2.5, 0.0);
  CHECK_NEAR(start_of(unit, "g.torque[2]=7", "g.torque", 1), 7.0, 0.0);
  CHECK_NEAR(start_of(unit, "g.torque[2]=7", "g.torque", 0), 3.0, 0.0);
  CHECK_NEAR(start_of(unit, "J=8", "J", 0), 8.0, 0.0);
  CHECK_NEAR(start_of(unit, "torque=7", "f.torque", 0), -1.0, 0.0);    /* no such name */
  CHECK_NEAR(start_of(unit, "f.torque=10", "f.torque", 0), -1.0, 0.0); /* its range */
  brink_unit_destroy(unit);
}

TEST(an_outline_lists_signals_not_bundles) {
  brink_unit *unit = check_text(drive);
  brink_outline outline;
  CHECK(brink_outline_make(&outline, unit, NULL) == BRINK_OK);
  const brink_outlined *top = &outline.components[outline.ncomponents - 1];
  static const char *const names[] = {"f.torque", "f.speed", "w", "J", "g.torque", "g.speed"};
  CHECK_INT(top->ndeclared, 6);
  for (size_t k = 0; k < 6 && k < top->ndeclared; k++)
    CHECK_MSG(strcmp(top->declared[k].name, names[k]) == 0, "%s", top->declared[k].name);
  CHECK(top->declared[0].kind == BRINK_SYMBOL_INPUT &&
        top->declared[1].kind == BRINK_SYMBOL_OUTPUT);
  CHECK(top->declared[0].hi == 9.0 && strcmp(top->declared[0].unit, "N m") == 0);
  CHECK(top->declared[4].length == 2 && top->declared[4].ndefaults == 2);
  CHECK(top->declared[0].place.line == 2 && top->declared[4].place.line == 6);
  brink_outline_free(&outline);
  brink_unit_destroy(unit);
}

TEST(every_failed_allocation_is_survived) {
  bool whole = false;
  for (long k = 1; k < 2000 && !whole; k++) {
    counting memory = {.fail_at = k};
    brink_allocator allocator = counting_allocator(&memory);
    brink_unit *unit = tree_parse_bytes(drive, 0, &allocator);
    if (unit != NULL) {
      brink_unit_check(unit);
      whole = !unit->out_of_memory && unit->nitems == 0;
    }
    brink_unit_destroy(unit);
    CHECK_INT(memory.live, 0);
  }
  CHECK(whole);
}

/* What is read again may end in the middle. */
TEST(unfinished_texts_are_read_again) {
  static const char *const texts[] = {
      "ctc B extends A is end B;\nctc A is body dynamics x' =",
      "ctc A extends A is",
      "bundle F is output(a, signal); ctc B is interface input(f, F); end B; bundle F is",
      "ctc B is interface input(f, F); end interface; end B;\nbundle F is output(a",
      "bundle",
      "partial ctc",
      "ctc A extends",
  };
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
    brink_unit *unit = tree_parse(texts[k]);
    CHECK(unit != NULL && unit->nerrors > 0);
    brink_unit_check(unit);
    brink_unit_destroy(unit);
  }
}

int main(void) {
  RUN(signals_of_a_bundle_are_set_by_name);
  RUN(an_outline_lists_signals_not_bundles);
  RUN(unfinished_texts_are_read_again);
  RUN(every_failed_allocation_is_survived);
  return check_done();
}
