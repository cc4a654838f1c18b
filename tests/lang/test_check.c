/* test_check.c: what the checker writes into the tree, how it takes a lack of memory, and how its
 * time grows. What it reports is in tests/lang/errors. */
#include "check.h"
#include "lang/ast.h"
#include "support/counting.h"

#include <stdlib.h>
#include <time.h>

/* ---- models from memory ---- */

static char *read_text(const char *path, size_t *length, const char **reason, void *user) {
  (void)path;
  (void)reason;
  *length = strlen(user);
  char *copy = malloc(*length + 1);
  if (copy != NULL) memcpy(copy, user, *length + 1);
  return copy;
}

static brink_unit *parse(const char *text, const brink_allocator *allocator) {
  const brink_reader reader = {.read = read_text, .user = (void *)(uintptr_t)text};
  const char *reason;
  bool unreadable;
  return brink_unit_parse("model.hsml", &reader, allocator, &unreadable, &reason);
}

static brink_unit *check(const char *text) {
  brink_unit *unit = parse(text, NULL);
  if (unit == NULL) return NULL;
  brink_unit_check(unit);
  for (size_t k = 0; k < unit->nitems; k++)
    CHECK_SAY("%u:%u: %s", (unsigned)unit->items[k].place.line,
              (unsigned)unit->items[k].place.column, unit->items[k].message);
  return unit;
}

static brink_component *component(const brink_unit *unit, const char *name) {
  brink_component *c = unit->components;
  while (c != NULL && strcmp(c->name, name) != 0) c = c->next;
  return c;
}

static brink_symbol *symbol(const brink_component *c, const char *name) {
  brink_symbol *s = c->symbols;
  while (s != NULL && strcmp(s->name, name) != 0) s = s->next;
  return s;
}

static const char model[] =
    "function twice(a) = 2*a;\n"
    "ctc Ball is\n"
    "  interface\n"
    "    input(push, real); output(height, real); output(shown, signal); knob(g); view(n);\n"
    "  end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(h, real); state(v, real); state(n, integer); parameter(g, real);\n"
    "      variable(e, real); flag(floor, unilateral); flag(fast); mode(m, {\"up\", \"down\"});\n"
    "    end declarations;\n"
    "    initial h := 1.0; v := 0.0; n := 0; m := \"down\"; end initial;\n"
    "    dynamics\n"
    "      h' = v; v' = -twice(g) + push;\n"
    "      e = 0.5*v^2; floor = h; fast = (v > 2.0) or (m = \"up\");\n"
    "    end dynamics;\n"
    "    output height = push; shown = e + pi; end output;\n"
    "    event(floor)\n"
    "      negative-going let w = -v; v := w; n := n + 1; m := \"up\"; end negative-going;\n"
    "    end event;\n"
    "    assignments g : 9.8; push : 0.0; end assignments;\n"
    "  end body;\n"
    "end Ball;\n"
    "system Two is\n"
    "  body\n"
    "    components ball[2] : Ball(g : 1.6); end components;\n"
    "    initial for i in 1..2 loop ball[i].h := 1.0*i; end loop; end initial;\n"
    "    agents\n"
    "      population(ball);\n"
    "      pair(a, b) in ball\n"
    "        declarations flag(gap); end declarations;\n"
    "        dynamics gap = a.h - b.h; end dynamics;\n"
    "        event(gap) negative-going a.v := b.v; end negative-going; end event;\n"
    "      end pair;\n"
    "    end agents;\n"
    "    simulation until : 1.0; end simulation;\n"
    "  end body;\n"
    "end Two;\n";

/* ---- annotations ---- */

TEST(names_are_resolved_and_typed) {
  brink_unit *unit = check(model);
  brink_component *ball = component(unit, "Ball");
  CHECK_INT(ball->nsymbols, 11);
  CHECK_INT(symbol(ball, "push")->order, 0);
  CHECK_INT(symbol(ball, "h")->read_type, BRINK_TYPE_SIGNAL);
  CHECK_INT(symbol(ball, "n")->read_type, BRINK_TYPE_INTEGER);
  CHECK_INT(symbol(ball, "push")->read_type, BRINK_TYPE_REAL);
  CHECK_INT(symbol(ball, "height")->read_type, BRINK_TYPE_REAL); /* its equation is held */
  CHECK(symbol(ball, "g")->knob && symbol(ball, "n")->view && !symbol(ball, "h")->view);
  CHECK(!symbol(ball, "floor")->boolean_flag && symbol(ball, "fast")->boolean_flag);
  CHECK(ball->events->flag == symbol(ball, "floor"));

  const brink_ast_block *dynamics = &ball->section[BRINK_SECTION_DYNAMICS].body;
  const brink_ast_statement *fall = dynamics->statement[1];
  CHECK(fall->target->arg[0]->part[0].symbol == symbol(ball, "v"));
  const brink_ast_expr *sum = fall->expr;
  const brink_ast_expr *call = sum->arg[0]->arg[0];
  CHECK_INT(sum->type, BRINK_TYPE_REAL);
  CHECK(call->op == BRINK_AST_CALL && call->function == BRINK_FN_USER);
  CHECK(call->user == unit->functions);
  const brink_ast_expr *shown = ball->section[BRINK_SECTION_OUTPUT].body.statement[1]->expr;
  CHECK_INT(shown->type, BRINK_TYPE_SIGNAL);
  CHECK_INT(shown->arg[1]->predefined, BRINK_PREDEFINED_PI);
  CHECK(ball->section[BRINK_SECTION_ASSIGNMENTS].values[0].symbol == symbol(ball, "g"));
  CHECK(!ball->damaged);
  brink_unit_destroy(unit);
}

TEST(paths_lead_through_instances_and_partners) {
  brink_unit *unit = check(model);
  brink_component *ball = component(unit, "Ball"), *two = component(unit, "Two");
  brink_symbol *balls = symbol(two, "ball");
  CHECK(balls->class_ == ball && balls->values[0].symbol == symbol(ball, "g"));
  const brink_ast_statement *loop = two->section[BRINK_SECTION_INITIAL].body.statement[0];
  const brink_ast_expr *target = loop->block[0].statement[0]->target;
  CHECK(target->part[0].symbol == balls && target->part[1].symbol == symbol(ball, "h"));
  CHECK(target->part[0].index->part[0].symbol == loop->symbol);
  const brink_ast_pair *pair = two->pairs;
  CHECK(pair->partner[1]->class_ == ball && pair->partner[1]->population == balls);
  CHECK(two->populations[0].symbol == balls && pair->events->flag == pair->symbols);
  const brink_ast_expr *gap = pair->dynamics.body.statement[0]->expr;
  CHECK(gap->arg[0]->part[0].symbol == pair->partner[0]);
  CHECK(gap->arg[0]->part[1].symbol == symbol(ball, "h"));
  brink_unit_destroy(unit);
}

/* ---- memory ---- */

TEST(any_allocation_may_fail) {
  for (long n = 1; n < 10000; n++) {
    counting state = {.fail_at = n};
    brink_allocator allocator = counting_allocator(&state);
    brink_unit *unit = parse(model, &allocator);
    if (unit != NULL) brink_unit_check(unit);
    bool complete = unit != NULL && !unit->out_of_memory;
    if (complete) CHECK_INT(unit->nitems, 0);
    brink_unit_destroy(unit);
    CHECK_INT(state.live, 0);
    if (complete) {
      CHECK_MSG(n > 3, "only %ld allocations", n - 1);
      return;
    }
  }
  CHECK_MSG(false, "it never came through");
}

/* ---- time ---- */

/* A ctc with n states, equations that read each other, starts, flags with events. */
static char *large(size_t n) {
  brink_text text = {0};
  brink_text_add(&text, "ctc Large is body declarations ");
  for (size_t k = 0; k < n; k++) brink_text_add(&text, "state(x%zu, real); flag(f%zu);\n", k, k);
  brink_text_add(&text, "end declarations; initial ");
  for (size_t k = 0; k < n; k++) brink_text_add(&text, "x%zu := 1.0;\n", k);
  brink_text_add(&text, "end initial; dynamics ");
  for (size_t k = 0; k < n; k++)
    brink_text_add(&text, "x%zu' = -x%zu; f%zu = x%zu - 2.0;\n", k, n - 1 - k, k, k);
  brink_text_add(&text, "end dynamics;\n");
  for (size_t k = 0; k < n; k++)
    brink_text_add(&text,
                   "event(f%zu) positive-going let a = 1.0; x%zu := a; end positive-going; "
                   "end event;\n",
                   k, k);
  brink_text_add(&text, "end body; end Large;\n");
  return text.data;
}

static double seconds_to_check(size_t n) {
  char *text = large(n);
  brink_unit *unit = parse(text, NULL);
  clock_t start = clock();
  brink_unit_check(unit);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  CHECK_INT(unit->nitems, 0);
  brink_unit_destroy(unit);
  free(text);
  return seconds;
}

/* Eight times as much must not take sixty-four times as long; machines differ, so the border is
 * wide, and a time too short to be measured counts as a hundredth of a second. */
TEST(time_grows_with_the_size_of_the_model) {
  double small = seconds_to_check(2500), big = seconds_to_check(20000);
  if (small < 0.01) small = 0.01;
  CHECK_MSG(big < 25.0 * small, "%.3f s for 2500 states, %.3f s for 20000", small, big);
}

int main(void) {
  RUN(names_are_resolved_and_typed);
  RUN(paths_lead_through_instances_and_partners);
  RUN(any_allocation_may_fail);
  RUN(time_grows_with_the_size_of_the_model);
  return check_done();
}
