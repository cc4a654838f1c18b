/* test_outline.c: an outline lists what a model declares, without flattening it. */
#include "check.h"
#include "lang/outline.h"
#include "support/counting.h"
#include "support/tree.h"

#include <math.h>

static const char yard[] =
    "ctc Tank is\n"                                                                        /*  1 */
    "  interface\n"                                                                        /*  2 */
    "    input(inflow, signal, (0.0, inf), \"m^3/s\");\n"                                  /*  3 */
    "    output(level, signal);\n"                                                         /*  4 */
    "    knob(area, n);\n"                                                                 /*  5 */
    "    view(h);\n"                                                                       /*  6 */
    "  end interface;\n"                                                                   /*  7 */
    "  body\n"                                                                             /*  8 */
    "    declarations\n"                                                                   /*  9 */
    "      parameter(area, real, (0.1, 100.0), \"m^2\");\n"                                /* 10 */
    "      parameter(n, integer, {1, 2, 4});\n"                                            /* 11 */
    "      parameter(w[3], real); parameter(top, real); parameter(open, boolean);\n"       /* 12 */
    "      state(h, real, (0.0, top), \"m\"); state(y[n], real);\n"                        /* 13 */
    "      mode(m, {\"low\", \"high\"});\n"                                                /* 14 */
    "      flag(full, unilateral); flag(both, bilateral); variable(v, signal);\n"          /* 15 */
    "    end declarations;\n"                                                              /* 16 */
    "    assignments area : 2.5; n : 2; w : [1.0, 2.0, 4.0]; top : 4*area; open : true;\n" /* 17 */
    "      inflow : 1.0; end assignments;\n"                                               /* 18 */
    "    initial h := 1.0 + 1.0; y := 0.5; m := \"high\"; end initial;\n"                  /* 19 */
    "    dynamics h' = v; v = (inflow - h)/area; for i in 1..n loop y[i]' = w[1]; end loop;\n"
    "      full = top - h; both = h > 1.0 and y[1] > 1.0; end dynamics;\n"
    "    output level = h; end output;\n"
    "    event(full) negative-going stop(\"full\"); end negative-going; end event;\n"
    "  end body;\n"
    "end Tank;\n"
    "system Yard is\n"
    "  body\n"
    "    components t[2] : Tank(area : 1.0); end components;\n"
    "  end body;\n"
    "end Yard;\n";

static const brink_declared *find(const brink_outline *outline, const char *component,
                                  const char *name) {
  for (size_t c = 0; c < outline->ncomponents; c++) {
    const brink_outlined *o = &outline->components[c];
    if (strcmp(o->name, component) != 0) continue;
    for (size_t k = 0; k < o->ndeclared; k++)
      if (strcmp(o->declared[k].name, name) == 0) return &o->declared[k];
  }
  static const brink_declared none;
  CHECK_SAY("no %s in %s", name, component);
  return &none;
}

/* A checked unit and its outline. */
static brink_unit *make(const char *text, brink_outline *outline) {
  brink_unit *unit = tree_parse(text);
  brink_unit_check(unit);
  CHECK(brink_outline_make(outline, unit, NULL) == BRINK_OK);
  return unit;
}

static bool is_at(brink_place place, uint32_t line, uint32_t column) {
  return place.file == 0 && place.line == line && place.column == column;
}

static bool is(const char *text, const char *wanted) {
  return text != NULL && strcmp(text, wanted) == 0;
}

TEST(components_have_kinds_and_places_and_one_runs) {
  brink_outline o;
  brink_unit *unit = make(yard, &o);
  CHECK_INT(unit->nerrors, 0);
  CHECK_INT(o.ncomponents, 2);
  CHECK(is(o.components[0].name, "Tank") && o.components[0].kind == BRINK_CTC);
  CHECK(is(o.components[1].name, "Yard") && o.components[1].kind == BRINK_SYSTEM);
  CHECK(is_at(o.components[0].place, 1, 5) && is_at(o.components[1].place, 26, 8));
  CHECK(!o.components[0].runs && o.components[1].runs);
  CHECK(!o.components[0].damaged && !o.components[1].damaged);
  const brink_declared *t = find(&o, "Yard", "t");
  CHECK(t->kind == BRINK_SYMBOL_INSTANCE && is(t->class_name, "Tank") && t->length == 2);
  brink_outline_free(&o);
  brink_unit_destroy(unit);
}

TEST(declarations_have_types_units_ranges_and_places) {
  brink_outline o;
  brink_unit *unit = make(yard, &o);
  const brink_declared *d = find(&o, "Tank", "inflow");
  CHECK(d->kind == BRINK_SYMBOL_INPUT && d->type == BRINK_TYPE_SIGNAL && is(d->unit, "m^3/s"));
  CHECK(d->has_range && d->lo == 0.0 && isinf(d->hi) && is_at(d->place, 3, 11));
  d = find(&o, "Tank", "area");
  CHECK(d->kind == BRINK_SYMBOL_PARAMETER && d->knob && !d->view && d->length == 1 && !d->vector);
  CHECK(d->has_range && d->lo == 0.1 && d->hi == 100.0 && is(d->unit, "m^2"));
  d = find(&o, "Tank", "n");
  CHECK(d->type == BRINK_TYPE_INTEGER && d->knob && !d->has_range && d->texts == NULL);
  CHECK(d->nset == 3 && d->numbers[0] == 1.0 && d->numbers[2] == 4.0);
  d = find(&o, "Tank", "h");
  CHECK(d->kind == BRINK_SYMBOL_STATE && d->view && d->unit != NULL && is_at(d->place, 13, 13));
  CHECK_MSG(d->has_range && d->lo == 0.0 && isnan(d->hi), "the upper bound is a parameter");
  d = find(&o, "Tank", "y");
  CHECK_MSG(d->vector && d->length == 0, "the size is a parameter");
  d = find(&o, "Tank", "m");
  CHECK(d->kind == BRINK_SYMBOL_MODE && d->nset == 2 && d->numbers == NULL &&
        is(d->texts[1], "high"));
  d = find(&o, "Tank", "full");
  CHECK(d->kind == BRINK_SYMBOL_FLAG && d->type == BRINK_TYPE_REAL && d->side == BRINK_UNILATERAL);
  CHECK(find(&o, "Tank", "both")->type == BRINK_TYPE_BOOLEAN);
  CHECK(find(&o, "Tank", "v")->kind == BRINK_SYMBOL_VARIABLE);
  CHECK(find(&o, "Tank", "level")->kind == BRINK_SYMBOL_OUTPUT);
  brink_outline_free(&o);
  brink_unit_destroy(unit);
}

TEST(defaults_are_there_where_they_are_constant) {
  brink_outline o;
  brink_unit *unit = make(yard, &o);
  const brink_declared *d = find(&o, "Tank", "area");
  CHECK(d->has_default && d->ndefaults == 1 && d->defaults[0] == 2.5);
  CHECK(is_at(d->default_place, 17, 24));
  d = find(&o, "Tank", "w");
  CHECK(d->ndefaults == 3 && d->defaults[0] == 1.0 && d->defaults[2] == 4.0);
  d = find(&o, "Tank", "top");
  CHECK_MSG(d->has_default && d->ndefaults == 0, "it depends on area");
  d = find(&o, "Tank", "open");
  CHECK(d->ndefaults == 1 && d->defaults[0] == 1.0);
  d = find(&o, "Tank", "inflow");
  CHECK(d->ndefaults == 1 && d->defaults[0] == 1.0);
  d = find(&o, "Tank", "h");
  CHECK_MSG(d->ndefaults == 1 && d->defaults[0] == 2.0, "1.0 + 1.0 is constant");
  d = find(&o, "Tank", "y");
  CHECK_MSG(d->ndefaults == 1 && d->defaults[0] == 0.5, "one for all elements");
  d = find(&o, "Tank", "m");
  CHECK(d->has_default && is(d->default_text, "high") && d->ndefaults == 0);
  CHECK(!find(&o, "Tank", "v")->has_default);
  brink_outline_free(&o);
  brink_unit_destroy(unit);
}

TEST(what_is_inherited_is_listed_first_with_its_place) {
  brink_outline outline;
  brink_unit *unit =
      make("partial ctc Base is interface knob(k); end interface; body declarations\n"
           "parameter(k, real, (0.0, 9.0)); state(x, real); end declarations;\n"
           "assignments k : 2.0; end assignments; initial x := 1.0; end initial;\n"
           "end body; end Base;\n"
           "ctc Top extends Base is body declarations state(z, real); end declarations;\n"
           "initial z := 3.0; end initial; dynamics x' = k; z' = x; end dynamics;\n"
           "assignments k : 4.0; end assignments; end body; end Top;\n",
           &outline);
  CHECK_INT(unit->nitems, 0);
  CHECK_INT(outline.ncomponents, 2);
  const brink_outlined *top = &outline.components[1];
  CHECK(top->runs && !outline.components[0].runs);
  CHECK_INT(top->ndeclared, 3);
  CHECK(strcmp(top->declared[0].name, "k") == 0 && strcmp(top->declared[2].name, "z") == 0);
  const brink_declared *k = find(&outline, "Top", "k"), *x = find(&outline, "Top", "x");
  CHECK(k->knob && k->place.line == 2 && k->has_range && k->hi == 9.0);
  CHECK(k->ndefaults == 1 && k->defaults[0] == 4.0 && k->default_place.line == 7);
  CHECK(x->ndefaults == 1 && x->defaults[0] == 1.0);
  CHECK(find(&outline, "Base", "k")->defaults[0] == 2.0);
  brink_outline_free(&outline);
  brink_unit_destroy(unit);
}

TEST(pair_blocks_have_declarations_of_their_own) {
  brink_outline o;
  brink_unit *unit = make(
      "ctc Car is interface view(x); end interface; body declarations state(x, real); end "
      "declarations; initial x := 0.0; end initial; dynamics x' = 1.0; end dynamics; end body; "
      "end Car;\n"
      "system Road is body components car[2] : Car; end components;\n"
      "agents population(car); pair(a, b) in car declarations parameter(gap, real); "
      "flag(close, bilateral); end declarations; assignments gap : 0.5; end assignments; "
      "dynamics close = a.x - b.x - gap; end dynamics; end pair; end agents; end body; end "
      "Road;\n",
      &o);
  CHECK_INT(unit->nerrors, 0);
  const brink_declared *gap = find(&o, "Road", "gap"), *near = find(&o, "Road", "close");
  CHECK(gap->pair == 1 && gap->ndefaults == 1 && gap->defaults[0] == 0.5);
  CHECK(near->pair == 1 && near->kind == BRINK_SYMBOL_FLAG);
  CHECK_INT(find(&o, "Road", "car")->pair, 0);
  brink_outline_free(&o);
  brink_unit_destroy(unit);
}

TEST(models_with_errors_have_outlines) {
  brink_outline o;
  brink_unit *unit = make("ctc A is body declarations parameter(k, real, (0.0, 1.0)); "
                          "mode(m, {\"a\", 2}); state(x, reel); end declarations;\n"
                          "assignments k : 0.5 +; end assignments; dynamics x' = y; end dynamics;",
                          &o);
  CHECK(unit->nerrors > 0 && o.ncomponents == 1 && o.components[0].damaged);
  const brink_declared *k = find(&o, "A", "k");
  CHECK(k->has_range && k->hi == 1.0 && k->ndefaults == 0);
  CHECK_INT(find(&o, "A", "m")->nset, 1);
  CHECK(find(&o, "A", "x")->type == BRINK_TYPE_UNKNOWN);
  brink_outline_free(&o);
  brink_unit_destroy(unit);
  unit = make("", &o);
  CHECK_INT(o.ncomponents, 0);
  brink_outline_free(&o);
  brink_unit_destroy(unit);
}

TEST(an_outline_survives_every_failed_allocation) {
  brink_unit *unit = tree_parse(yard);
  brink_unit_check(unit);
  brink_status status = BRINK_ERR_MEMORY;
  for (long k = 1; k < 100 && status != BRINK_OK; k++) {
    counting memory = {.fail_at = k};
    brink_allocator allocator = counting_allocator(&memory);
    brink_outline o;
    status = brink_outline_make(&o, unit, &allocator);
    CHECK(status == BRINK_OK || status == BRINK_ERR_MEMORY);
    brink_outline_free(&o);
    CHECK_INT(memory.live, 0);
  }
  CHECK(status == BRINK_OK);
  brink_unit_destroy(unit);
}

int main(void) {
  RUN(components_have_kinds_and_places_and_one_runs);
  RUN(declarations_have_types_units_ranges_and_places);
  RUN(defaults_are_there_where_they_are_constant);
  RUN(what_is_inherited_is_listed_first_with_its_place);
  RUN(pair_blocks_have_declarations_of_their_own);
  RUN(models_with_errors_have_outlines);
  RUN(an_outline_survives_every_failed_allocation);
  return check_done();
}
